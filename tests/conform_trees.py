#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `sheaf info --json` lists of HDF5 files beside what h5py finds in them: the same names, links and
targets, shapes, limits, types, chunks, filters, bytes on disk, attributes and dimensions, over files in all
styles; what cannot be given to --dataset has a reason, and all that is marked can. Prints TAP."""
import json
import os
import subprocess
import tempfile

from tap import end, go_on_without, point

try:
    import h5py
    import numpy
    from h5py import h5d, h5o, h5p, h5s, h5t
except ImportError:
    go_on_without("h5py")

SHEAF = os.environ.get("SHEAF", "build/sheaf")
VERSIONS = [("earliest", "v110"), ("v108", "v110"), ("v110", "v110")]
ENUM = {"RED": 0, "GREEN": -1}
NESTED = numpy.dtype([("x", "<i4"), ("y", ">f8", (2, 3)), ("z", [("s", "S3"), ("t", "u1")])])


def sheaf(*arguments):
    found = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, text=True)
    return found.returncode, found.stdout, found.stderr


# ---- files: each function makes one; a table of types, and one of storage, for all ----

TYPES = {
    "i1": ("i1", "int8"), "u2": (">u2", "big-endian uint16"), "i8": ("<i8", "int64"),
    "f2": ("<f2", "float16"),
    "f4": (">f4", "big-endian float32"), "f8": ("<f8", "float64"), "bool": ("?", "bool"),
    "complex": ("<c8", "complex float32"), "fixed": ("S5", "text"),
    "opaque": ("V7", "opaque"),
    "nested": (NESTED, "compound {x: int32, "
                       + "".join(f"y[{i},{k}]: big-endian float64, " for i in range(2) for k in range(3))
                       + "z.s: text, z.t: uint8}"),
    "enumeration": (lambda: h5py.enum_dtype(ENUM, "<i2"), "enumeration of int16 {GREEN: -1, RED: 0}"),
    "texts": (lambda: h5py.string_dtype(), "text"),
    "lists": (lambda: h5py.vlen_dtype("<f4"), "list of float32"),
    "references": (lambda: h5py.ref_dtype, "reference"),
    "regions": (lambda: h5py.regionref_dtype, "reference"),
}
LOW_TYPES = {
    "bits": (lambda: h5t.STD_B16LE, "bits of uint16"), "time": (lambda: h5t.UNIX_D32LE, "time"),
    "array": (lambda: h5t.array_create(h5t.STD_I32LE, (2, 3)), "int32"),  # two more dimensions
    "24 bits": (lambda: narrow(24), "24-bit integer"),
    "list of lists": (lambda: h5t.vlen_create(h5t.vlen_create(h5t.STD_I8LE)), "variable length"),
}
STORAGE = {  # shape, and how it is made
    "contiguous": ((5, 7), {}), "scalar": ((), {}), "empty": ((0,), {}), "none of them": ((3, 0, 2), {}),
    "chunked": ((9, 14), {"chunks": (4, 5)}), "grows": ((9, 14), {"chunks": (4, 5), "maxshape": (None, 20)}),
    "gzip": ((100,), {"chunks": (30,), "compression": "gzip", "shuffle": True}),
    "lzf": ((100, 3), {"chunks": (10, 3), "compression": "lzf", "fletcher32": True}),
    "scaleoffset": ((40,), {"chunks": (40,), "scaleoffset": 0}),
    "many dimensions": ((3, 1, 2, 1, 2), {"chunks": (1, 1, 1, 1, 1)}),
}


def narrow(bits):
    kind = h5t.STD_I32LE.copy()
    kind.set_precision(bits)
    return kind


def kind_of(made):
    return made() if callable(made) else made


def types(file):
    for name, (made, _) in TYPES.items():
        file.create_dataset(name, (2,), dtype=kind_of(made))
    for name, (made, _) in LOW_TYPES.items():
        h5d.create(file.id, name.encode(), made(), h5s.create_simple((2,)))
    file["committed"] = numpy.dtype([("a", "<i4")])
    file.create_dataset("of it", (2,), dtype=file["committed"])


def storage(file):
    for name, (shape, how) in STORAGE.items():
        data = numpy.arange(int(numpy.prod(shape))).reshape(shape).astype("<i4")
        file.create_dataset(name, data=data, **how)
    file["null"] = h5py.Empty("<f4")
    compact = h5p.create(h5p.DATASET_CREATE)
    compact.set_layout(h5d.COMPACT)
    h5d.create(file.id, b"compact", h5t.STD_I32LE, h5s.create_simple((4,)), compact)
    layout = h5py.VirtualLayout((3,), "<i4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (3,))
    file.create_virtual_dataset("virtual", layout)
    external = h5p.create(h5p.DATASET_CREATE)
    external.set_external(b"other.bin", 0, 12)
    h5d.create(file.id, b"external", h5t.STD_I32LE, h5s.create_simple((3,)), external)


def links(file):
    file["a/b/c/x"] = numpy.arange(3)
    file["hard"] = file["a/b/c/x"]
    file["a/c again"] = file["a/b"]
    file["soft"] = h5py.SoftLink("/a/b/c/x")
    file["a/near"] = h5py.SoftLink("b/c/x")
    file["group"] = h5py.SoftLink("/a/b")
    file["nowhere"] = h5py.SoftLink("/no/such")
    file["chain"] = h5py.SoftLink("/soft")
    file["out"] = h5py.ExternalLink("other file.h5", "/p/q")
    file.create_group("empty")
    file["a/\xe4 b"] = 1.5


def attributes(file):
    wide = file.create_group("dense", track_order=True)
    for i in range(40):
        wide.attrs[f"a{i:02}"] = i
    file["x"] = numpy.arange(3)
    for at in file, file["x"]:
        at.attrs["text"] = "\xe4 \"quoted\"\n"
        at.attrs["fixed"] = numpy.bytes_("abc")
        at.attrs["texts"] = ["a", "", "ccc"]
        at.attrs["int"] = numpy.int16(-3)
        at.attrs["big"] = numpy.arange(40, dtype=">u4")
        at.attrs["table"] = numpy.arange(6.0).reshape(2, 3)
        at.attrs["half"] = numpy.float16(0.5)
        at.attrs["numbers"] = numpy.array([numpy.nan, numpy.inf, -0.0, 1e300])
        at.attrs["truth"] = numpy.array([True, False])
        at.attrs["complex"] = 1 + 2j
        at.attrs["none"] = h5py.Empty("i4")
        at.attrs["no elements"] = numpy.zeros(0)
        at.attrs["reference"] = file["dense"].ref
        at.attrs["record"] = numpy.zeros(2, NESTED)
        at.attrs["long"] = "x" * 5000
        at.attrs.create("enumeration", 0, dtype=h5py.enum_dtype(ENUM, "<i2"))
    h5py.h5a.create(file["x"].id, b"lists", h5t.vlen_create(h5t.STD_I8LE), h5s.create(h5s.SCALAR))


def dimensions(file):
    for name, n in (("time", 4), ("lat", 3)):
        file[name] = numpy.arange(float(n))
        file[name].make_scale(name)
    file["g/t"] = numpy.zeros((4, 3))
    for i, name in enumerate(("time", "lat")):
        file["g/t"].dims[i].attach_scale(file[name])


def wide(file):
    for i in range(300):
        file.create_group(f"g/{i:03}/sub")


FILES = {f.__name__: f for f in (types, storage, links, attributes, dimensions, wide)}


# ---- what h5py finds ----


def paths(group, above=""):
    """Each link, and what it leads to, without entering a group twice."""
    seen = {h5o.get_info(group.id).addr}

    def walk(folder, above):
        for name in folder:
            path, link = f"{above}{name}", folder.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                yield path, link, None
                continue
            thing = folder[name]
            address = h5o.get_info(thing.id).addr
            is_new, _ = address not in seen, seen.add(address)
            yield path, link if is_new else None, thing
            if isinstance(thing, h5py.Group) and is_new:
                yield from walk(thing, f"{path}/")

    yield from walk(group, above)


def differences(item, link, thing):
    """Where an item of ours does not say what h5py does."""
    if isinstance(link, h5py.SoftLink):
        return item.get("link") != "soft link" or item["target"] != link.path
    if isinstance(link, h5py.ExternalLink):
        return item["link"] != "external link" or item["target"] != f"{link.filename}:{link.path}"
    if isinstance(thing, h5py.Group):
        return item["type"] != "group" or "refused" not in item and item["items"] != len(thing)
    if isinstance(thing, h5py.Datatype):
        return item["refused"] != "a type by itself"
    shape = thing.shape
    if shape is None:
        return item.get("null") is not True
    kind = thing.id.get_type()
    within = list(kind.get_array_dims()) if isinstance(kind, h5t.TypeArrayID) else []
    limits = [*thing.maxshape, *within] if thing.maxshape != shape else None
    if item["shape"] != [*shape, *within] or item.get("limits") != limits:
        return "shape"
    if thing.is_virtual or thing.external:
        return "refused" not in item
    layout = {h5d.COMPACT: "compact", h5d.CONTIGUOUS: "contiguous", h5d.CHUNKED: "chunked"}
    plan = thing.id.get_create_plist()
    if item["storage"] != layout[plan.get_layout()] or item["chunks"] != list(thing.chunks or ()):
        return "storage"
    filters = [plan.get_filter(i) for i in range(plan.get_nfilters())]
    if len(item["filters"].split(", ")) != max(1, len(filters)):
        return "filters"
    return plan.get_layout() != h5d.COMPACT and item["bytes"] != thing.id.get_storage_size()


def plain(value):
    """A value of h5py's as the list shows it."""
    if isinstance(value, h5py.Empty):
        return None
    if isinstance(value, (bytes, numpy.bytes_)):
        return value.decode()
    if isinstance(value, numpy.ndarray):
        flat = [plain(one) for one in value.ravel()]
        return flat[0] if len(flat) == 1 else flat[:16] + ["..."] * (len(flat) > 16)
    if isinstance(value, str):
        return value if len(value) <= 400 else value[:400] + "..."
    if isinstance(value, (complex, numpy.complexfloating)):
        return [value.real, value.imag]
    number = value.item() if hasattr(value, "item") else value
    return str(number) if isinstance(number, float) and not numpy.isfinite(number) else number


def wrong_attributes(item, thing):
    shown = item.get("attributes", {})
    hidden = {"DIMENSION_LIST"}
    wrong = set(shown) ^ (set(thing.attrs) - hidden)
    for name in set(shown) & set(thing.attrs):
        if name in ("lists", "record", "reference", "REFERENCE_LIST"):
            wrong |= set() if set(shown[name]) == {"type"} else {name}
        elif shown[name] != plain(thing.attrs[name]):
            wrong.add(name)
    return wrong


def check_file(name, path):
    code, out, err = sheaf("info", "--json", "-q", path)
    items = {item["path"]: item for item in json.loads(out)["tree"]} if code == 0 else {}
    point(code == 0, f"{name}: sound", err)
    with h5py.File(path) as file:
        found = {path: (link, thing) for path, link, thing in paths(file)}
        point(set(items) == {"/", *found}, f"{name}: the same names", sorted(set(items) ^ {"/", *found}))
        wrong = {p: items.get(p) for p, (link, thing) in found.items()
                 if p not in items or not (link is None and isinstance(thing, h5py.Group))
                 and differences(items[p], link, thing)}
        point(not wrong, f"{name}: the same links, shapes, limits, storage", wrong)
        things = {"/": file, **{p: thing for p, (_, thing) in found.items()
                                if thing is not None and "target" not in items.get(p, {})}}
        wrong = {p: bad for p, thing in things.items() if (bad := wrong_attributes(items[p], thing))}
        point(not wrong, f"{name}: the same attributes", {p: (bad, items[p]) for p, bad in wrong.items()})
    return items


def check_types(name, items):
    expected = {key: words for key, (_, words) in {**TYPES, **LOW_TYPES}.items()}
    wrong = {key: items[key]["type"] for key, words in expected.items() if items[key]["type"] != words}
    point(not wrong, f"{name}: types in words", wrong)


def check_datasets(name, path, items):
    """What is marked can be opened; everything else that is an array says why it is not read."""
    marked = [p for p, item in items.items() if "dataset" in item]
    wrong = [p for p in marked if sheaf("head", "-q", "--rows", 1, "--dataset", p, path)[0]]
    point(not wrong, f"{name}: what is marked can be opened", wrong)
    silent = [p for p, item in items.items() if item.get("type") != "group" and "dataset" not in item
              and "refused" not in item]
    point(not silent, f"{name}: what cannot be opened has a reason", silent)


def check_depth(path):
    code, out, _ = sheaf("info", path)
    point(code == 0 and "  ... 200 more in /g\n" in out and "/g/099/sub" in out and "/g/100" not in out,
          "a wide group is cut, with a count", out[-300:])
    code, out, _ = sheaf("info", "--depth", 1, path)
    point(code == 0 and out.endswith("  /g  group  300 items, not shown\n"), "--depth 1", out)
    code, out, _ = sheaf("info", "--depth", 2, "--json", path)
    point(len(json.loads(out)["tree"]) == 302, "--depth 2 --json has all of its levels", out[-300:])


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-trees.") as folder:
        for low, high in VERSIONS:
            for made in FILES.values():
                name, path = f"{made.__name__}, {low} to {high}", os.path.join(folder, "x.h5")
                with h5py.File(path, "w", libver=(low, high)) as file:
                    made(file)
                items = check_file(name, path)
                if made is types:
                    check_types(name, items)
                if made is dimensions:
                    point(items["g/t"]["dimensions"] == "time, lat", f"{name}: dimensions", items["g/t"])
                if (low, high) == VERSIONS[-1] and made is not wide:
                    check_datasets(name, path, items)
        check_depth(path)
    end()


if __name__ == "__main__":
    main()
