#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The reader of HDF5 files beside libhdf5: what h5py can write, in every version of the format, is the same
tree, the same types, attributes and bytes in both. Then changed copies of all of these files are read: none
may end the process. Prints TAP.

    conform_hdf5.py --make FOLDER    only makes the files
"""

import json
import os
import subprocess
import sys
import tempfile

from tap import end, go_on_without, point

try:
    import h5py
    import numpy
    from h5py import h5a, h5d, h5o, h5p, h5s, h5t
except ImportError:
    go_on_without("h5py")

TOOL = os.environ.get("HDF5_TOOL", "build/tests/hdf5_tool")
MUTANTS = int(os.environ.get("HDF5_MUTANTS", "60"))
VERSIONS = ["earliest", "v108", "v110", "v112", "latest"]


# ---- the files ----


def types(file):
    """Datasets and attributes of every kind of type."""
    deep = numpy.dtype(
        [
            ("name of 8", "u2", (2, 3)),
            ("n", [("x", "c16"), ("y", "S3")]),
            ("a longer name", h5py.enum_dtype({"one": 1, "a name": 200}, "i2")),
        ]
    )
    kinds = [
        "i1",
        "u1",
        "<i2",
        ">i2",
        "<u4",
        ">u4",
        "<i8",
        ">i8",
        ">u8",
        "<f2",
        ">f2",
        "<f4",
        ">f4",
        "<f8",
        ">f8",
        bool,
        "c8",
        ">c16",
        "S5",
        "V7",
        deep,
        h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1"),
        numpy.dtype("(2,)i4"),
        numpy.dtype([("a", "i4"), ("b", ">f8")]),
    ]
    for i, kind in enumerate(kinds):
        values = numpy.frombuffer(
            bytes((17 * k + i) % 251 for k in range(6 * numpy.dtype(kind).itemsize)), dtype="u1"
        )
        dtype = numpy.dtype(kind)
        if dtype.kind == "b" or dtype == numpy.dtype("V7"):
            data = numpy.zeros(6, dtype)
        elif dtype.subdtype:
            data = None
        else:
            data = (
                values.view(dtype)
                if dtype.kind != "S"
                else numpy.array([b"abcde", b"", b"x", b"yz", b"12345", b"q"], dtype)
            )
        x = (
            file.create_dataset(f"type {i}", shape=(6,), dtype=dtype)
            if data is None
            else file.create_dataset(f"type {i}", data=data, dtype=kind)
        )
        if data is not None:
            x.attrs.create("value", data, dtype=kind)
            x.attrs.create("one", data[0], dtype=kind)
    file.create_dataset("texts", data=["a", "", "longer \xe4"], dtype=h5py.string_dtype())
    file.create_dataset("ascii texts", data=[b"a", b"bc"], dtype=h5py.string_dtype("ascii"))
    file.create_dataset("fixed utf-8", data=["\xe4".encode(), b"bc"], dtype=h5py.string_dtype("utf-8", 4))
    file.create_dataset("references", data=[file["texts"].ref, file["type 0"].ref], dtype=h5py.ref_dtype)
    file.create_dataset("sequences", shape=(2,), dtype=h5py.vlen_dtype("f4"))
    file["sequences"][0] = [1, 2, 3]
    file["null"] = h5py.Empty("f8")
    file["scalar"] = numpy.float32(2.5)
    file["type"] = numpy.dtype("f8")
    file.create_dataset("of the type", data=[1.0, 2.0], dtype=file["type"])
    file.attrs["text"] = "one"
    file.attrs["texts"] = ["one", "", "three"]
    file.attrs["fixed"] = numpy.bytes_("fixed")
    file.attrs["null"] = h5py.Empty("i4")
    file.attrs["table"] = numpy.arange(6).reshape(2, 3)
    file.attrs["reference"] = file["texts"].ref
    file["scalar"].attrs.create("typed", 3.0, dtype=file["type"])


def padded(file):
    """Fixed texts padded in each way."""
    for pad in h5t.STR_NULLTERM, h5t.STR_NULLPAD, h5t.STR_SPACEPAD:
        kind = h5t.C_S1.copy()
        kind.set_size(6)
        kind.set_strpad(pad)
        space = h5s.create_simple((3,))
        x = h5d.create(file.id, b"pad %d" % pad, kind, space)
        x.write(h5s.ALL, h5s.ALL, numpy.array([b"ab    ", b"a\0b\0\0\0", b"abcdef"], "S6"), mtype=kind)


def storage(file):
    """Every layout, index and filter, in one to four dimensions."""
    filters = {
        "plain": {},
        "gzip": {"compression": "gzip"},
        "shuffled": {"compression": "gzip", "shuffle": True},
        "lzf": {"compression": "lzf"},
        "sum": {"fletcher32": True},
        "all": {"compression": "lzf", "shuffle": True, "fletcher32": True},
        "packed": {"compression": 9, "shuffle": True, "fletcher32": True},
    }
    shapes = {
        "fixed": ((50,), None, (7,)),
        "single": ((50,), None, (50,)),
        "growing": ((50,), (None,), (7,)),
        "limited": ((50,), (90,), (7,)),
        "fixed 2": ((9, 14), None, (4, 5)),
        "rows grow": ((9, 14), (None, 14), (4, 5)),
        "columns grow": ((9, 14), (9, None), (4, 5)),
        "columns grow, more rows": ((9, 14), (20, None), (4, 5)),
        "both grow": ((9, 14), (None, None), (4, 5)),
        "limited 2": ((9, 14), (20, 30), (4, 5)),
        "middle grows": ((4, 6, 5), (4, None, 5), (2, 4, 2)),
        "four": ((3, 4, 5, 3), None, (2, 3, 2, 2)),
        "one element": ((1,), (None,), (1,)),
        "empty": ((0,), (None,), (5,)),
        "empty 2": ((3, 0), (None, None), (2, 5)),
        "smaller than a chunk": ((3, 2), (None, 6), (8, 6)),
    }
    for name, (shape, most, chunks) in shapes.items():
        for filter_name, options in filters.items():
            count = int(numpy.prod(shape))
            data = (numpy.arange(count, dtype="i4") // 3).reshape(shape)
            file.create_dataset(f"{name}, {filter_name}", data=data, maxshape=most, chunks=chunks, **options)
    noise = numpy.frombuffer(os.urandom(4000), "u1")
    file.create_dataset("noise, lzf", data=noise, chunks=(512,), compression="lzf", shuffle=True)
    file["contiguous"] = numpy.arange(30.0).reshape(5, 6)
    file.create_dataset("never", shape=(10,), dtype="i2", fillvalue=7)
    file.create_dataset("never, chunked", shape=(100,), dtype=">f4", chunks=(30,), fillvalue=1.5)
    file.create_dataset(
        "some, chunked", shape=(100, 9), maxshape=(None, None), dtype="f4", chunks=(30, 4), fillvalue=1.5
    )[31:40, 3:5] = 2
    some = file.create_dataset(
        "some, growing", shape=(5000,), maxshape=(None,), dtype="u2", chunks=(3,), fillvalue=9
    )
    some[4000:4005] = 1
    file.create_dataset(
        "texts, packed", data=["x", "yz"] * 20, dtype=h5py.string_dtype(), chunks=(7,), compression=1
    )
    file.create_dataset(
        "compounds, packed",
        data=numpy.zeros(20, [("a", "i4"), ("b", "S3")]),
        chunks=(6,),
        compression=1,
        shuffle=True,
    )
    shrunk = file.create_dataset(
        "shrunk", data=numpy.arange(400).reshape(20, 20), maxshape=(None, None), chunks=(3, 4)
    )
    shrunk.resize((7, 9))
    for early in h5d.ALLOC_TIME_EARLY, h5d.ALLOC_TIME_INCR:
        creation = h5p.create(h5p.DATASET_CREATE)
        creation.set_chunk((4, 5))
        creation.set_alloc_time(early)
        x = h5d.create(
            file.id, b"early %d" % early, h5t.STD_I32LE, h5s.create_simple((9, 14), (12, 20)), creation
        )
        x.write(h5s.ALL, h5s.ALL, numpy.arange(126, dtype="i4").reshape(9, 14))
    creation = h5p.create(h5p.DATASET_CREATE)
    creation.set_layout(h5d.COMPACT)
    x = h5d.create(file.id, b"compact", h5t.STD_I16BE, h5s.create_simple((4,)), creation)
    x.write(h5s.ALL, h5s.ALL, numpy.array([1, 2, -3, 4], "i2"))


def many_chunks(file):
    """Indexes of several levels, in blocks and pages."""
    n = 20000
    data = numpy.arange(n, dtype="u2")
    file.create_dataset("fixed", data=data, chunks=(3,))
    file.create_dataset("growing", data=data, chunks=(3,), maxshape=(None,))
    file.create_dataset("growing, packed", data=data[:6000], chunks=(3,), maxshape=(None,), compression=1)
    file.create_dataset("both", data=data.reshape(200, 100), chunks=(3, 4), maxshape=(None, None))
    file.create_dataset(
        "both, packed", data=data.reshape(200, 100), chunks=(7, 4), maxshape=(None, None), compression=1
    )
    holes = file.create_dataset("holes", shape=(40000,), dtype="u1", chunks=(2,), fillvalue=3)
    holes[10000:10010] = 1
    holes[39990:] = 1
    holes = file.create_dataset(
        "holes, growing", shape=(60000,), dtype="u1", chunks=(2,), maxshape=(None,), fillvalue=3
    )
    holes[10000:10010] = 1
    holes[59990:] = 1


def tree(file):
    """Groups of few and many links, of every kind of link."""
    for n in 1, 7, 9, 300:
        group = file.create_group(f"group of {n}")
        for i in range(n):
            group.create_group(f"{i} " + "x" * (i % 40))
    ordered = file.create_group("ordered", track_order=True)
    for i in range(30):
        ordered[f"{(i * 7) % 30}"] = i
    file["a/b/c/d"] = 5
    file["a/again"] = file["a/b/c/d"]
    file["a/round"] = file["a"]
    file["soft"] = h5py.SoftLink("/a/b/c/d")
    file["a/near"] = h5py.SoftLink("b/c/d")
    file["dangling"] = h5py.SoftLink("nowhere")
    file["outside"] = h5py.ExternalLink("other.h5", "/x")
    file["\xe4\u20ac"] = 1
    del file["group of 300"]["5 xxxxx"]


def attributes(file):
    """Few and many, small and large attributes."""
    for n in 1, 8, 9, 200:
        group = file.create_group(f"of {n}")
        for i in range(n):
            group.attrs[f"{i}"] = numpy.arange(i % 20) if i % 3 else "text " * (i % 9)
    x = file.create_dataset("large", data=1)
    x.attrs["60000"] = numpy.arange(60000, dtype="u1")
    if file.libver[0] != "earliest":
        x.attrs["huge"] = numpy.arange(100000, dtype="u4")
        x.attrs["more"] = numpy.arange(70000, dtype="u2")
    ordered = file.create_group("ordered", track_order=True)
    for i in range(20):
        ordered.attrs[f"{(i * 7) % 20}"] = i
    for i in range(20):
        file["of 200"].attrs[f"{i}"] = i
        del file["of 200"].attrs[f"{i + 30}"]


def many_links(file):
    group = file.create_group("many")
    for i in range(3000):
        group[f"name {i * 7919 % 3000}"] = h5py.SoftLink(f"/x/{i}")


def rewritten(file):
    """Headers that had to go on elsewhere."""
    for i in range(30):
        x = file.create_dataset(f"{i}", data=numpy.arange(i))
        for k in range(i):
            x.attrs[f"a{k}"] = k
    for i in range(0, 30, 3):
        del file[f"{i}"]


KINDS = [types, padded, storage, many_chunks, tree, attributes, many_links, rewritten]


def make(folder):
    """All files: each kind in each version, some after a user block, some with order tracked."""
    paths = []
    for version in VERSIONS:
        for kind in KINDS:
            path = os.path.join(folder, f"{kind.__name__}-{version}.h5")
            block = 1024 if kind in (types, tree) and version in ("earliest", "latest") else 0
            try:
                with h5py.File(
                    path, "w", libver=version, userblock_size=block, track_order=version == "v110"
                ) as file:
                    kind(file)
            except (KeyError, ValueError):
                if version != "v112":
                    raise
                continue
            paths.append(path)
    return paths


# ---- beside h5py ----


def is_sequence(kind):
    """Whether elements are pointers in memory."""
    if kind.get_class() == h5t.VLEN:
        return True
    if kind.get_class() == h5t.COMPOUND:
        return any(is_sequence(kind.get_member_type(i)) for i in range(kind.get_nmembers()))
    return kind.get_class() == h5t.ARRAY and is_sequence(kind.get_super())


def is_text(kind):
    return kind.get_class() == h5t.STRING


def raw(thing, kind, count):
    """Elements as they are stored."""
    array = numpy.zeros(count, numpy.dtype(f"V{kind.get_size()}"))
    if isinstance(thing, h5a.AttrID):
        thing.read(array, mtype=kind)
    else:
        space = h5s.create_simple((count,))
        thing.read(space, h5s.ALL, array, mtype=kind)
    return array.tobytes()


def strip(element, kind):
    pad = kind.get_strpad()
    if pad == h5t.STR_NULLTERM:
        return element.split(b"\0")[0]
    return element.rstrip(b" " if pad == h5t.STR_SPACEPAD else b"\0")


def texts(thing, kind, count, value):
    if kind.is_variable_str():
        values = [value()] if count == 1 and not hasattr(value(), "ravel") else list(value().ravel())
        return [v if isinstance(v, str) else v.decode() for v in values]
    data = raw(thing, kind, count)
    size = kind.get_size()
    return [strip(data[i * size : (i + 1) * size], kind).decode(errors="replace") for i in range(count)]


def elements(thing, value):
    """What the tool shows of it; None: nothing to compare."""
    kind, space = thing.get_type(), thing.get_space()
    count = space.get_simple_extent_npoints() if space.get_simple_extent_type() != h5s.NULL else 0
    if count == 0:
        return [] if is_text(kind) else ""
    if is_text(kind):
        return texts(thing, kind, count, value)
    return None if is_sequence(kind) else raw(thing, kind, count).hex()


def compare_attributes(found, thing):
    wrong = []
    names = [h5a.open(thing.id, index=i).name.decode() for i in range(h5a.get_num_attrs(thing.id))]
    if sorted(names) != sorted(found):
        return [("names", sorted(names), sorted(found))]
    for name in names:
        attribute, its = h5a.open(thing.id, name.encode()), found[name]
        space, kind = attribute.get_space(), attribute.get_type()
        dims = list(space.get_simple_extent_dims()) if space.get_simple_extent_type() == h5s.SIMPLE else []
        wanted = elements(attribute, lambda name=name: thing.attrs[name])
        if its["dims"] != dims or its["null"] != (space.get_simple_extent_type() == h5s.NULL):
            wrong.append((name, its["dims"], dims))
        if its["size"] != kind.get_size() and not (is_text(kind) and kind.is_variable_str()):
            wrong.append((name, its["size"], kind.get_size()))
        if wanted is not None and its["value"] != wanted:
            wrong.append((name, its["value"], wanted))
    return wrong


def compare_dataset(found, x):
    space = x.id.get_space()
    dims = (
        list(space.get_simple_extent_dims())
        if space.get_simple_extent_type() == h5s.SIMPLE
        else [0] * (space.get_simple_extent_type() == h5s.NULL)
    )
    kind = x.id.get_type()
    dims += kind.get_array_dims() if isinstance(kind, h5t.TypeArrayID) else ()  # an array of arrays
    if found["dims"] != dims:
        return [("dims", found["dims"], dims)]
    if "unread" in found or (found["refused"] and found["refused"] != found["of"]):
        return [("read", found)]
    wanted = elements(x.id, lambda: x.asstr()[()])
    size = x.id.get_storage_size() if x.chunks or x.id.get_offset() is not None else found["bytes"]
    return [
        (key, str(a)[:200], str(b)[:200])
        for key, a, b in (
            ("elements", found.get("elements", wanted if not wanted else None), wanted),
            ("bytes", found["bytes"], size),
        )
        if b is not None and a != b
    ]


def objects(file):
    """Everything that has a path, hard links and soft ones to datasets, each group once."""
    out, seen = {"": file["/"]}, {h5o.get_info(file.id).addr}
    queue = [("", file["/"])]
    for path, group in queue:
        for name in group:
            if group.get(name, getlink=True).__class__ is h5py.ExternalLink:
                continue
            thing = group.get(name)
            where = f"{path}/{name}" if path else name
            if thing is None:
                continue
            if isinstance(thing, h5py.Group):
                if (
                    isinstance(group.get(name, getlink=True), h5py.SoftLink)
                    or h5o.get_info(thing.id).addr in seen
                ):
                    continue
                seen.add(h5o.get_info(thing.id).addr)
                queue.append((where, thing))
            out[where] = thing
    return out


def compare(path):
    p = subprocess.run([TOOL, "list", path], capture_output=True, timeout=300, check=False)
    if p.returncode:
        return [p.stderr.decode()]
    items = {item["path"]: item for item in map(json.loads, p.stdout.decode().splitlines())}
    wrong = []
    with h5py.File(path, "r") as file:
        all_objects = objects(file)
        for where, thing in all_objects.items():
            if where not in items:
                wrong.append((where, "not listed"))
                continue
            found = items[where]
            if isinstance(thing, h5py.Datatype):
                continue
            wrong += [(where, *it) for it in compare_attributes(found.get("attributes", {}), thing)]
            if isinstance(thing, h5py.Dataset):
                wrong += [(where, *it) for it in compare_dataset(found, thing)]
            elif not found["group"]:
                wrong.append((where, "no group"))
        more = [where for where, item in items.items() if where not in all_objects and not item["refused"]]
        wrong += [(where, "listed, but not there") for where in more]
    return wrong


def mutants(paths):
    """A process for each file: if one dies, the others still give results."""
    for path in paths:
        count = str(MUTANTS if os.path.getsize(path) < 300000 else 5)
        p = subprocess.run([TOOL, "mutate", "1", count, path], capture_output=True, timeout=600, check=False)
        point(
            p.returncode == 0,
            f"{os.path.basename(path)}: {count} changed copies",
            p.stdout.decode() + p.stderr.decode()[-2000:],
        )


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--make":
        make(sys.argv[2])
        return 0
    with tempfile.TemporaryDirectory(prefix="sheaf-hdf5.") as folder:
        paths = make(folder)
        for path in paths:
            wrong = compare(path)
            point(not wrong, os.path.basename(path), wrong[:6])
        mutants(paths)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
