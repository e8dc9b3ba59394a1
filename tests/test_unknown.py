#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unknown is refused: each place in a binary format where a code, flag, version or key selects a meaning is
set to one that nobody knows. The file is refused by the name of the place: with exit status 6 if it may be
right, and 4 if it is wrong. docs/formats has the lists. (Arrow, NPY, descriptors of Binsparse, and
files of ours have their own tables: test_arrow, test_npy, test_descriptors, test_part_bytes, test_index,
test_report.) Prints TAP."""

import copy
import os
import struct
import sys
import tempfile
import zlib

from tap import end, npy, point, skip
from zarr_made import make, put, run

try:
    import h5py
    import numpy
except ImportError:
    h5py = None
    debian = "/usr/bin/python3"
    if sys.executable != debian and os.path.exists(debian):
        os.execv(debian, [debian, *sys.argv])

WRONG, UNSUPPORTED = 4, 6


def written(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as out:
        out.write(content.encode() if isinstance(content, str) else content)
    return path


def converted(folder, source, text, target):
    path = os.path.join(folder, target)
    code, _, err = run("convert", "-q", "-f", written(folder, source, text), path)
    assert code == 0, err
    with open(path, "rb") as made:
        return made.read()


def check(what, place, arguments, code, words):
    """Rows are refused; `info` may still list what else there is."""
    found, out, err = run("cat", *arguments)
    point(found == code and words in err, f"{what}: {place}", f"{found} {out[:200]} {err}")


def check_bytes(folder, name, good, table, *options):
    """The file as it is, and each change of it."""
    path = written(folder, name, good)
    code, _, err = run("cat", *options, path)
    point(code == 0, f"{name}: as it is", f"{code} {err}")
    for place, at, new, code, words in table:
        at += len(good) if at < 0 else 0
        written(folder, name, good[:at] + new + good[at + len(new) :])
        check(name, place, [*options, path], code, words)


# ---- CNTK's binary format ----


def check_cbf(folder):
    good = converted(folder, "a.ctf", "0 |A 1 2 |B 3:1 5:2\n1 |A 3 4 |B 0:1\n", "a.cbf")
    header = struct.unpack("<q", good[-8:])[0]
    check_bytes(
        folder,
        "a.cbf",
        good,
        [
            ("magic", 7, b"\0", WRONG, "expected the magic number"),
            ("version", 8, b"\2", UNSUPPORTED, "expected version 1, found version 2"),
            ("magic of the header", header, b"\0", WRONG, "expected the magic number"),
            ("matrix type", header + 16, b"\2", WRONG, "storage type 0 (dense) or 1 (sparse), found 2"),
            ("element type", header + 22, b"\2", WRONG, "element type 0 (float) or 1 (double), found 2"),
        ],
    )


# ---- Lens examples ----


def check_lens(folder):
    good = converted(folder, "a.ex", "name: {a} I: 1 2 T: 1 0;\n", "a.bex")
    check_bytes(
        folder,
        "a.bex",
        good,
        [
            ("cookie: any other is text", 0, b"\xab", WRONG, "expected '[', inputs, targets"),
            ("sizeof(real)", 7, b"\2", WRONG, "sizeof(real) to be 4 or 8, found 2"),
            ("a little-endian file", 4, b"\4\0\0\0", WRONG, "the file is little-endian"),
        ],
    )


# ---- SciDB ----


def check_scidb(folder):
    path = written(folder, "a.scidb", struct.pack("<Bi", 0xFF, 7))
    code, out, err = run("cat", "--format-string", "(int32 null)", path)
    point((code, out) == (0, "0  a0 7\n"), "a.scidb: as it is", f"{code} {out} {err}")
    for place, text, words in (
        ("type", "(int33 null)", "expected the name of a type"),
        ("void", "(void)", "expected a type or skip"),
        ("a word after a type", "(int32 nul)", 'expected ",", ")" or null'),
        ("a size of a type", "(int32(4))", "expected no size after int32"),
        ("an unknown type of a schema", "<a:int33>[i=0:*]", "expected the name of a type"),
    ):
        option = "--schema" if text.startswith("<") else "--format-string"
        check("a.scidb", place, [option, text, path], 2, words)
    path = written(folder, "b.scidb", struct.pack("<Bi", 0x80, 7))
    strict = ["--strict", "--format-string", "(int32 null)", path]
    check("a.scidb", "null byte", strict, WRONG, "null byte of 0xff")


# ---- netCDF before HDF5 ----


def check_netcdf(folder):
    good = b"CDF\1" + struct.pack(">i", 0)
    good += struct.pack(">iii4si", 10, 1, 1, b"x", 2)
    good += struct.pack(">iii4sii4s", 12, 1, 4, b"note", 2, 2, b"hi")
    good += struct.pack(">iii4siiiiiii", 11, 1, 1, b"v", 1, 0, 0, 0, 4, 8, 100)
    check_bytes(
        folder,
        "a.nc",
        good + struct.pack(">ii", 7, 9),
        [
            ("version", 3, b"\3", UNSUPPORTED, "expected netCDF of version 1, 2 or 5, found version 3"),
            ("tag of dimensions", 11, b"\x0d", WRONG, "expected a list of dimensions (tag 10)"),
            ("tag of attributes", 31, b"\x0d", WRONG, "expected a list of attributes (tag 12)"),
            ("tag of variables", 59, b"\x0d", WRONG, "expected a list of variables (tag 11)"),
            ("tag of a variable's attributes", 83, b"\x0d", WRONG, "expected a list of attributes (tag 12)"),
            ("type of an attribute", 47, b"\7", WRONG, "expected a type of this version"),
            ("a type that is none", 47, b"\x0c", WRONG, "expected a type of this version"),
            ("type of a variable", 91, b"\7", WRONG, "expected a type of this version"),
        ],
    )


# ---- NPZ: the archive ----


def archive(flags=0, method=0, needs=20, disk=0, first=0):
    """One array in a ZIP file, which is written field by field."""
    data = npy("'|u1'", (2,), b"\7\t")
    name = b"a.npy"
    sizes = (zlib.crc32(data), len(data), len(data), len(name), 0)
    common = struct.pack("<HHHHHIIIHH", needs, flags, method, 0, 33, *sizes)
    local = b"PK\3\4" + common + name + data
    entry = b"PK\1\2" + struct.pack("<H", 20) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    tail = b"PK\5\6" + struct.pack("<HHHHIIH", disk, first, 1, 1, len(entry), len(local), 0)
    return local + entry + tail


def long_archive(disk=0, first=0):
    """The same with the long form of its end."""
    short = archive()
    at = short.index(b"PK\1\2")
    entries, tail = short[at : short.index(b"PK\5\6")], short[short.index(b"PK\5\6") :]
    end_64 = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, disk, first, 1, 1, len(entries), at)
    locator = b"PK\6\7" + struct.pack("<IQI", 0, at + len(entries), 1)
    return short[:at] + entries + end_64 + locator + tail[:8] + b"\xff" * 12 + b"\0\0"


def check_npz(folder):
    for place, content, code, words in (
        ("as it is", archive(), 0, ""),
        ("flags that matter to nobody", archive(flags=0x806), 0, ""),
        ("a long end", long_archive(), 0, ""),
        ("encryption", archive(flags=1), UNSUPPORTED, "found an encrypted one"),
        ("strong encryption", archive(flags=0x40), UNSUPPORTED, "found one with flags 0x40"),
        ("patches", archive(flags=0x20), UNSUPPORTED, "found one with flags 0x20"),
        ("hidden headers", archive(flags=0x2000), UNSUPPORTED, "found one with flags 0x2000"),
        ("method", archive(method=12), UNSUPPORTED, "found method 12"),
        ("version", archive(needs=64), UNSUPPORTED, "found one that needs version 6.4"),
        ("several files", archive(disk=1), UNSUPPORTED, "expected an archive in one file"),
        ("a list in another file", archive(first=1), UNSUPPORTED, "expected an archive in one file"),
        ("a long end in several files", long_archive(disk=1), UNSUPPORTED, "expected an archive in one file"),
        ("a long list elsewhere", long_archive(first=1), UNSUPPORTED, "expected an archive in one file"),
    ):
        check("a.npz", place, [written(folder, "a.npz", content)], code, words)


# ---- Zarr ----

OLD = {
    "zarr_format": 2,
    "shape": [3],
    "chunks": [3],
    "dtype": "<f8",
    "compressor": {"id": "zlib", "level": 1},
    "fill_value": 0,
    "order": "C",
    "filters": [{"id": "shuffle", "elementsize": 8}],
    "dimension_separator": ".",
}
NEW = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [3],
    "data_type": "float64",
    "fill_value": 0,
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "codecs": [
        {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": [2],
                "codecs": [
                    {"name": "transpose", "configuration": {"order": [0]}},
                    {"name": "bytes", "configuration": {"endian": "little"}},
                    {"name": "gzip", "configuration": {"level": 1}},
                ],
                "index_codecs": [
                    {"name": "bytes", "configuration": {"endian": "little"}},
                    {"name": "crc32c"},
                ],
                "index_location": "end",
            },
        }
    ],
    "storage_transformers": [],
    "dimension_names": ["x"],
    "attributes": {},
}
SHARD = ("codecs", 0, "configuration")
INNER = (*SHARD, "codecs")
KEY = "metadata with a key that is not known"

OLD_UNKNOWN = [
    ("zarr_format", ("zarr_format",), 4, WRONG, "zarr_format"),
    ("dtype", ("dtype",), "<f8x", UNSUPPORTED, "a type that is not read"),
    ("kind of a dtype", ("dtype",), "<x8", UNSUPPORTED, "a type that is not read"),
    ("order of bytes of a dtype", ("dtype",), "=f8", UNSUPPORTED, "a type that is not read"),
    ("a dtype without an order of bytes", ("dtype",), "|f8", UNSUPPORTED, "a type that is not read"),
    ("records", ("dtype",), [["a", "<f8"]], UNSUPPORTED, "a type that is not read"),
    ("order", ("order",), "K", WRONG, "an order of elements that is C or F, found K"),
    ("separator", ("dimension_separator",), "-", WRONG, "a dot or a slash"),
    ("a separator that is no text", ("dimension_separator",), 5, WRONG, "a dot or a slash"),
    ("compressor", ("compressor", "id"), "lzo", UNSUPPORTED, "a filter that is not one of ours"),
    ("a compressor that is a text", ("compressor",), "zlib", UNSUPPORTED, "a filter that is not one of ours"),
    ("key of a compressor", ("compressor", "dictionary"), "x", UNSUPPORTED, KEY + " (dictionary)"),
    ("filters", ("filters",), "shuffle", WRONG, "a list of filters, or null"),
    ("filter", ("filters", 0, "id"), "packbits", UNSUPPORTED, "a filter that is not one of ours"),
    ("size of a filter", ("filters", 0, "elementsize"), 0, WRONG, "a size of elements"),
    ("key of a filter", ("filters", 0, "mode"), 4, UNSUPPORTED, KEY + " (mode)"),
    ("fill value", ("fill_value",), "much", WRONG, "a fill value of the array's type"),
    ("a fill value of another type", ("fill_value",), True, WRONG, "a fill value of the array's type"),
]
NEW_UNKNOWN = [
    ("zarr_format", ("zarr_format",), 4, UNSUPPORTED, "expected zarr_format 3, found version 4"),
    ("node_type", ("node_type",), "link", UNSUPPORTED, "expected a node_type that is a group or an array"),
    ("key of a node", ("offset",), 4, UNSUPPORTED, 'the key "offset" is not known'),
    ("key of a node that must be understood", ("x",), {"must_understand": True}, UNSUPPORTED, 'the key "x"'),
    ("data_type", ("data_type",), "bfloat16", UNSUPPORTED, "a type that is not read"),
    (
        "key of a data type",
        ("data_type",),
        {"name": "null_terminated_bytes", "configuration": {"length_bytes": 8, "encoding": 1}},
        UNSUPPORTED,
        KEY + " (encoding)",
    ),
    ("grid", ("chunk_grid", "name"), "rectilinear", UNSUPPORTED, "a grid of another kind"),
    ("key of a grid", ("chunk_grid", "configuration", "origin"), [1], UNSUPPORTED, KEY + " (origin)"),
    ("kind of keys", ("chunk_key_encoding", "name"), "odd", UNSUPPORTED, "names of chunks of another kind"),
    ("separator", ("chunk_key_encoding", "configuration", "separator"), "-", WRONG, "a dot or a slash"),
    ("key of a kind of keys", ("chunk_key_encoding", "x"), 1, UNSUPPORTED, KEY + " (x)"),
    ("transformers", ("storage_transformers",), [{"name": "odd"}], UNSUPPORTED, "storage_transformers"),
    ("codec", ("codecs", 0, "name"), "packbits", UNSUPPORTED, "a codec that is not one of ours"),
    ("key of a codec", (*SHARD, "subchunks"), 1, UNSUPPORTED, KEY + " (subchunks)"),
    ("key beside a configuration", ("codecs", 0, "x"), 1, UNSUPPORTED, KEY + " (x)"),
    ("place of an index", (*SHARD, "index_location"), "middle", UNSUPPORTED, "whose index is elsewhere"),
    ("codec of an index", (*SHARD, "index_codecs", 1, "name"), "gzip", UNSUPPORTED, "whose index is of"),
    ("order of bytes", (*INNER, 1, "configuration", "endian"), "middle", WRONG, "(endian) that is little"),
    ("no order of bytes", (*INNER, 1, "configuration"), {}, WRONG, "little or big, found none"),
    ("codec in a shard", (*INNER, 2, "name"), "lzo", UNSUPPORTED, "a filter that is not one of ours"),
    ("a shard in a shard", (*INNER, 1), {"name": "sharding_indexed"}, UNSUPPORTED, "a codec that is not"),
    ("key of a codec in a shard", (*INNER, 2, "configuration", "x"), 1, UNSUPPORTED, KEY + " (x)"),
    ("order of dimensions", (*INNER, 0, "configuration", "order"), "F", WRONG, "an order of the array's"),
    ("fill value", ("fill_value",), "0xg000000000000000", WRONG, "a fill value of the array's type"),
]
FILLS = [
    ("uint8", 256),
    ("uint8", -1),
    ("int8", 128),
    ("int8", -129),
    ("int16", True),
    ("bool", 2),
    ("uint64", -1),
    ("int64", 2**63),
]


def edited(about, path, value):
    about = copy.deepcopy(about)
    place = about
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return about


def check_zarr(folder):
    path = os.path.join(folder, "it.zarr")
    for what, name, good, table in (
        ("Zarr 2", ".zarray", OLD, OLD_UNKNOWN),
        ("Zarr 3", "zarr.json", NEW, NEW_UNKNOWN),
    ):
        make(path, lambda f: put(f, f"x/{name}", good))
        code, out, err = run("cat", "--dataset", "x", path)
        point(code == 0, f"{what}: as it is", f"{code} {out} {err}")
        for place, where, value, code, words in table:
            make(path, lambda f: put(f, f"x/{name}", edited(good, where, value)))
            check(what, place, ["--dataset", "x", path], code, words)
    for kind, value in FILLS:
        plain = {"name": "bytes", "configuration": {"endian": "little"}}
        about = {**NEW, "data_type": kind, "fill_value": value, "codecs": [plain]}
        make(path, lambda f: put(f, "x/zarr.json", about))
        place = f"fill value {value} of {kind}"
        check("Zarr 3", place, ["--dataset", "x", path], WRONG, "a fill value of the array's type")
    make(path, lambda f: put(f, "x/zarr.json", {**NEW, "odd": {"must_understand": False}}))
    point(run("cat", "--dataset", "x", path)[0] == 0, "Zarr 3: a key that may be ignored")
    put(path, "zarr.json", {"zarr_format": 3, "node_type": "group", "links": []})
    check("Zarr 3", "key of the root", ["--dataset", "x", path], UNSUPPORTED, 'the key "links" is not known')


# ---- HDF5 ----

def external_values(file):
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_external(b"values.bin", 0, 24)
    space = h5py.h5s.create_simple((3,))
    h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_INT64, space, creation)


def virtual(file):
    layout = h5py.VirtualLayout(shape=(3,), dtype="i8")
    layout[:] = h5py.VirtualSource("other.h5", "x", shape=(3,))
    file.create_virtual_dataset("x", layout)


def filtered(number):
    """With a filter that is not there, whose chunks are never written."""

    def build(file):
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((3,))
        creation.set_filter(number, h5py.h5z.FLAG_OPTIONAL, (1,))
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_INT64, space, creation)

    return build


def typed(kind):
    return lambda file: h5py.h5d.create(file.id, b"x", kind(), h5py.h5s.create_simple((3,)))


def deep(file):
    file.create_group("/".join("g" * 33))


def second_name(file):
    file.create_group("g")
    file["x"] = file["g"]


def soft(file, target):
    file.create_group("g")
    file["x"] = h5py.SoftLink(target)


def sparse(file, shape, **more):
    file.create_dataset("x", shape=shape, dtype="i1", **more)


# What a file has, and what is said of it.
HDF5_REFUSED = {
    "a link to another file": (
        lambda f: f.__setitem__("x", h5py.ExternalLink("o.h5", "/x")),
        "a link to another file",
    ),
    "a link to nothing": (lambda f: soft(f, "/nothing"), "a link to nothing in this file"),
    "a link to a group": (lambda f: soft(f, "/g"), "a link to /g"),
    "a second name of a group": (second_name, "a second name of the group /g"),
    "a group nested too deeply": (deep, "a group nested too deeply"),
    "values in another file": (external_values, "values in another file"),
    "a virtual dataset": (virtual, "a virtual dataset, whose values are in other datasets"),
    "lzo": (filtered(305), "a filter that is not one of ours (lzo"),
    "zfp": (filtered(32013), "a filter that is not one of ours (zfp"),
    "blosc2": (filtered(32026), "a filter that is not one of ours (blosc2"),
    "a filter without a name": (filtered(999), "a filter that is not one of ours (filter 999"),
    "more elements than the file can hold": (
        lambda f: sparse(f, (2**40,), chunks=(2**20,)),
        "more elements than a file of this size should hold",
    ),
    "more elements than can be counted": (
        lambda f: sparse(f, (2**40, 2**40), chunks=(2**10, 2**10)),
        "more elements than can be counted",
    ),
    "chunks of more than a gigabyte": (
        lambda f: sparse(f, (4,), chunks=(2**30 + 8,), maxshape=(None,)),
        "chunks of more than a gigabyte",
    ),
    "a type by itself": (lambda f: f.__setitem__("x", numpy.dtype("f8")), "a type by itself"),
    "80-bit float": (typed(lambda: h5py.h5t.NATIVE_LDOUBLE), "80-bit float"),
    "array": (typed(lambda: h5py.h5t.array_create(h5py.h5t.NATIVE_INT32, (2,) * 9)), "array"),
    "opaque": (typed(lambda: h5py.h5t.create(h5py.h5t.OPAQUE, 5)), "opaque"),
    "reference": (typed(lambda: h5py.h5t.STD_REF_OBJ), "reference"),
    "variable length": (typed(lambda: h5py.h5t.vlen_create(h5py.h5t.NATIVE_B8)), "variable length"),
    "time": (typed(lambda: h5py.h5t.UNIX_D32LE), "time"),
    "a long fill value": (
        lambda f: f.create_dataset(
            "x", shape=(2,), dtype="S20", fillvalue=numpy.array(b"x" * 20, "S20"), chunks=(2,)
        ),
        "a fill value of more than 16 bytes",
    ),
}
SPACE, TYPE, FILL, LAYOUT, FILTERS, ATTRIBUTE = 1, 3, 5, 8, 11, 12
# Bytes of the messages of an object in the first version of the format, which has no checksums.
HDF5_UNKNOWN = [
    ("version of a space", SPACE, 0, 9, WRONG, "version"),
    ("flags of a space", SPACE, 2, 0xFF, WRONG, "flags"),
    ("version of a type", TYPE, 0, 0x90, UNSUPPORTED, "version"),
    ("class of a type", TYPE, 0, 0x1F, UNSUPPORTED, "a type of a later version is not read here"),
    ("version of a fill value", FILL, 0, 9, WRONG, "version"),
    ("version of a layout", LAYOUT, 0, 6, UNSUPPORTED, "a layout of a later version is not read here"),
    ("class of a layout", LAYOUT, 1, 9, WRONG, "layout"),
    ("version of filters", FILTERS, 0, 9, WRONG, "version"),
    ("version of an attribute", ATTRIBUTE, 0, 9, WRONG, "version"),
]


def messages(data):
    """The messages of the only object that has a layout: for each type the byte at which it begins."""
    for at in range(0, len(data) - 16, 8):
        version, _, count, links, size = struct.unpack_from("<BBHII", data, at)
        if version != 1 or links != 1 or not 4 < count < 30 or size > 4096:
            continue
        found, to = {}, at + 16
        for _ in range(count):
            kind, n = struct.unpack_from("<HH", data, to)
            found[kind] = to + 8
            to += 8 + n
        if LAYOUT in found:
            return found
    raise ValueError("no object of version 1")


# What the list says in place of the reason: where the link leads.
HDF5_LISTED = {"a link to a group": "/x  -> /g (soft link)"}


def check_hdf5(folder):
    path = os.path.join(folder, "a.h5")
    for name, (build, words) in HDF5_REFUSED.items():
        with h5py.File(path, "w", libver="earliest") as file:
            build(file)
            file["y"] = numpy.arange(2)
        code, out, err = run("info", path)
        shown = HDF5_LISTED.get(name, words)
        point(code == 0 and shown in out, f"HDF5: {name} is listed", f"{code} {out} {err}")
        if "group" not in name:
            check("HDF5", name, ["--dataset", "x", path], UNSUPPORTED, words)
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset("x", data=numpy.arange(4), chunks=(2,), compression=1).attrs["a"] = 1
    with open(path, "rb") as file:
        good = file.read()
    places = messages(good)
    later = "a superblock of version 0 to 3, found version 4"
    check_bytes(folder, "a.h5", good, [("version of a superblock", 8, b"\4", UNSUPPORTED, later)])
    for place, kind, at, value, status, words in HDF5_UNKNOWN:
        at += places[kind]
        written(folder, "a.h5", good[:at] + bytes([value]) + good[at + 1 :])
        code, _, err = run("cat", "--dataset", "x", path)
        point(code == status and words in err, f"HDF5: {place}", f"{code} {err}")


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-unknown.") as folder:
        for look in (check_cbf, check_lens, check_scidb, check_netcdf, check_npz, check_zarr):
            look(folder)
        if h5py:
            check_hdf5(folder)
        else:
            skip("HDF5", "no h5py")
    return end()


if __name__ == "__main__":
    sys.exit(main())
