#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boxes that h5py writes are read here, or refused by name where that would lead out of the file.
Prints TAP."""

import gzip
import glob
import json
import os
import sys
import tempfile

from box_files import TOOL, listed, run, tool, values
from tap import end, go_on_without, point, skip

try:
    import h5py
    import numpy
except ImportError:
    go_on_without("h5py")

DATA = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "binsparse")


def told(items):
    """Without messages, which name the file."""
    return (
        {
            path: {key: value for key, value in item.items() if key != "trouble"}
            for path, item in items.items()
        }
        if isinstance(items, dict)
        else items
    )


HALVES = [
    0,
    -0.0,
    1,
    -2.5,
    65504,
    2.0**-14,
    2.0**-24,
    -3 * 2.0**-24,
    1023 * 2.0**-24,
    float("inf"),
    float("-inf"),
    0.333251953125,
]
ODD = [0, 1, -1, 2047, -2048, -524288, 524287]


def odd(file):
    """Integers of 20 bits, in three bytes in both orders; and floats of an unusual format."""
    for name, signed in ("odd_integer", True), ("odd_unsigned", False):
        kind = (h5py.h5t.STD_I32BE if signed else h5py.h5t.STD_U32LE).copy()
        kind.set_precision(20)
        kind.set_offset(2)
        kind.set_size(3)
        x = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((len(ODD),)))
        x.write(
            h5py.h5s.ALL,
            h5py.h5s.ALL,
            numpy.array([v if signed else v & 0xFFFFF for v in ODD], "i4" if signed else "u4"),
        )
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_precision(16)
    kind.set_size(2)
    x = h5py.h5d.create(file.id, b"brain", kind, h5py.h5s.create_simple((3,)))
    x.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([1, -2.5, 0.0078125], "f4"))


def readable(folder):
    for latest in False, True:
        name = "latest" if latest else "earliest"
        path = os.path.join(folder, name + ".h5")
        with h5py.File(
            path, "w", libver=name, userblock_size=512 if latest else 0
        ) as file:
            file["big"] = numpy.arange(100, dtype=">i4")
            file.create_dataset(
                "big_packed",
                data=numpy.arange(1000, dtype=">f8"),
                chunks=(100,),
                compression="gzip",
                shuffle=True,
            )
            file["bool"] = numpy.array([True, False, True])
            file["complex"] = numpy.array([1 + 2j, 3 - 4j])
            file.create_dataset(
                "complex_packed",
                data=numpy.arange(100) * (1 + 2j),
                chunks=(30,),
                compression="gzip",
                shuffle=True,
            )
            file["pairs"] = numpy.arange(10.0).reshape(5, 2)
            file.create_dataset(
                "grid", data=numpy.arange(3000).reshape(30, 100), chunks=(7, 9), compression=4
            )
            file.create_dataset(
                "cube",
                data=numpy.arange(1000, dtype=">i2").reshape(5, 20, 10),
                chunks=(2, 7, 3),
                compression=1,
                shuffle=True,
                fletcher32=True,
            )
            file.create_dataset("grid_never", shape=(20, 20), dtype="i4", chunks=(7, 6), fillvalue=3)
            file["grid_never"][8, 9] = 4
            file.create_dataset(
                "names", data=numpy.array([b"abc", b"d", b""] * 50), chunks=(20,), compression=1
            )
            file.create_dataset(
                "words", data=["x", "yz"] * 40, dtype=h5py.string_dtype(), chunks=(30,), compression=1
            )
            file.create_dataset(
                "checked",
                data=numpy.arange(5000, dtype="u2"),
                chunks=(999,),
                fletcher32=True,
                shuffle=True,
                compression=1,
            )
            file.create_dataset("summed", data=numpy.arange(777, dtype="u1"), chunks=(100,), fletcher32=True)
            file.create_dataset(
                "packed_fast",
                data=numpy.arange(5000, dtype="u2"),
                chunks=(999,),
                compression="lzf",
                shuffle=True,
                fletcher32=True,
            )
            file["type"] = numpy.dtype("f8")
            file.create_dataset("of_type", data=numpy.arange(3), dtype=file["type"])
            file.create_dataset("growing", data=numpy.arange(1000.0), maxshape=(None,), chunks=(64,))
            file["half"] = numpy.array(HALVES, dtype="f2")
            file.create_dataset(
                "half_packed",
                data=numpy.array(HALVES * 50, dtype=">f2").reshape(50, -1),
                chunks=(7, 3),
                compression=1,
                shuffle=True,
            )
            file["enumeration"] = numpy.array(
                [1, 0, 1], dtype=h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1")
            )
            odd(file)
            file["scalar"] = numpy.float32(2.5)
            file["null"] = h5py.Empty("f8")
            file["fixed"] = numpy.array([b"abc", b"d", b""])
            file["variable"] = ["x\xe4", "", "yz"]
            file.create_dataset("never", shape=(10,), dtype="i2", fillvalue=7)
            file.create_dataset(
                "never_packed", shape=(1000,), dtype="f4", chunks=(100,), compression="gzip", fillvalue=1.5
            )
            file["never_packed"][250:260] = 2
            file["link"] = h5py.SoftLink("big")
            file["A/sub/link"] = h5py.SoftLink("/./A//sub/../nothing")
            file["A/again"] = file["pairs"]
            file["A/round"] = file["A"]
            file.attrs["binsparse"] = numpy.array(["one"], dtype=h5py.string_dtype())
            file["A"].attrs["binsparse"] = numpy.bytes_("fixed")
            file["A/sub"].attrs["binsparse"] = ["one", "two"]
            file["bool"].attrs["binsparse"] = 5
            bits = h5py.h5d.create(file.id, b"bits", h5py.h5t.STD_B8LE, h5py.h5s.create_simple((3,)))
            bits.write(
                h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([1, 0, 1], dtype="u1"), mtype=h5py.h5t.STD_B8LE
            )
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_layout(h5py.h5d.COMPACT)
            compact = h5py.h5d.create(
                file.id, b"compact", h5py.h5t.STD_I16BE, h5py.h5s.create_simple((4,)), creation
            )
            compact.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([1, 2, -3, 4], dtype="i2"))
        items = listed(path)
        if not isinstance(items, dict):
            point(False, f"{name}: read", items)
            continue
        wants = {
            "big": range(100),
            "big_packed": range(1000),
            "bool": [1, 0, 1],
            "complex": [1, 2, 3, -4],
            "pairs": range(10),
            "A/again": range(10),
            "grid": range(3000),
            "cube": range(1000),
            "grid_never": [3] * 169 + [4] + [3] * 230,
            "complex_packed": [v for i in range(100) for v in (i, 2 * i)],
            "checked": range(5000),
            "half": HALVES,
            "half_packed": HALVES * 50,
            "enumeration": [1, 0, 1],
            "odd_integer": ODD,
            "odd_unsigned": [v & 0xFFFFF for v in ODD],
            "brain": [1, -2.5, 0.0078125],
            "packed_fast": range(5000),
            "of_type": range(3),
            "summed": [i % 256 for i in range(777)],
            "growing": range(1000),
            "scalar": [2.5],
            "null": [],
            "never": [7] * 10,
            "never_packed": [1.5] * 250 + [2] * 10 + [1.5] * 740,
            "link": range(100),
            "bits": [1, 0, 1],
            "compact": [1, 2, -3, 4],
        }
        for key in "half", "half_packed":
            wants[key] = [float(str(numpy.float32(v))) for v in wants[key]]
        wrong = [
            (key, items.get(key))
            for key, want in wants.items()
            if key not in items or "values" not in items[key] or values(items, key) != list(map(float, want))
        ]
        point(not wrong, f"{name}: all values", wrong)
        point(
            items["names"]["values"] == ["abc", "d", ""] * 50
            and items["words"]["values"] == ["x", "yz"] * 40,
            f"{name}: packed texts",
            (items["names"], items["words"]),
        )
        point(
            items["fixed"]["values"] == ["abc", "d", ""]
            and items["variable"]["values"] == ["x\xe4", "", "yz"],
            f"{name}: texts",
            (items["fixed"], items["variable"]),
        )
        point(
            [items[key]["of"] for key in ("big", "bool", "complex", "bits", "compact")]
            == ["big-endian int32", "bool", "complex float64", "bits of uint8", "big-endian int16"],
            f"{name}: names of types",
            items,
        )
        point(
            items[""]["text"] == "one"
            and items["A"]["text"] == "fixed"
            and "several" in items["A/sub"]["trouble"]
            and "another type" in items["bool"]["trouble"],
            f"{name}: attributes",
            (items[""], items["A"], items["A/sub"], items["bool"]),
        )
        point(
            items["A/sub/link"]["refused"] == "a link to nothing in this file"
            and "second name" in items["A/round"]["refused"],
            f"{name}: links",
            items["A/sub/link"],
        )
        packed = path + ".gz"
        with open(path, "rb") as file, gzip.open(packed, "wb") as to:
            to.write(file.read())
        point(told(listed(packed)) == told(items), f"{name}: the same through gzip")
        code, out, err = run("sh", "-c", 'cat "$1" | "$2" list /dev/stdin', "sh", path, TOOL)
        point(
            code == 0
            and told({item["path"]: item for item in map(json.loads, out.splitlines())}) == told(items),
            f"{name}: the same through a pipe",
            err,
        )


def compact_too_short(folder):
    """The header has fewer bytes of values than the dimensions say."""
    path = os.path.join(folder, "short.h5")
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    with h5py.File(path, "w") as file:
        space = h5py.h5s.create_simple((4,))
        short = h5py.h5d.create(file.id, b"short", h5py.h5t.STD_I16BE, space, creation)
        short.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([1, 2, -3, 4], dtype="i2"))
    with open(path, "rb") as file:
        content = file.read()
    layout = b"\3\0%c\0\0\1\0\2\xff\xfd\0\4"  # version, class, size, values
    with open(path, "wb") as file:
        file.write(content.replace(layout % 8, layout % 6))
    items = listed(path)
    fine = content.count(layout % 8) == 1 and isinstance(items, dict)
    why = fine and items["short"]["refused"] or ""
    point("fewer values than its dimensions say" in why, "compact values that are too few", items)


def refused(folder):
    path = os.path.join(folder, "refused.h5")
    other = os.path.join(folder, "other.h5")
    raw = os.path.join(folder, "raw.bin")
    numpy.arange(1000.0).tofile(raw)
    with h5py.File(other, "w") as file:
        file["x"] = numpy.arange(10.0)
    with h5py.File(path, "w") as file:
        file["external"] = h5py.ExternalLink(other, "/x")
        file["through"] = h5py.SoftLink("/external")
        file.create_dataset("elsewhere", shape=(1000,), dtype="f8", external=[(raw, 0, 8000)])
        layout = h5py.VirtualLayout(shape=(10,), dtype="f8")
        layout[:] = h5py.VirtualSource(other, "x", shape=(10,))
        file.create_virtual_dataset("virtual", layout)
        file["type"] = numpy.dtype("f8")
        file["half"] = numpy.arange(3, dtype="f2")
        file["compound"] = numpy.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
        file["enumeration"] = numpy.zeros(3, dtype=h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1"))
        file["opaque"] = numpy.zeros(3, dtype="V5")
        file["reference"] = numpy.array([file["half"].ref], dtype=h5py.ref_dtype)
        file.create_dataset("huge", shape=(1 << 50,), dtype="f8", chunks=(1 << 20,))
        file.create_dataset("huger", shape=(1 << 40, 1 << 40), dtype="f8", chunks=(1 << 10, 1 << 10))
        file["circle"] = h5py.SoftLink("circle")
        group = file
        for _ in range(40):
            group = group.create_group("g")
        file["sound"] = numpy.arange(3)
    items = listed(path)
    if not isinstance(items, dict):
        point(False, "a file of what is refused is listed", items)
        return
    wants = {
        "external": "a link to another file (`h5repack` can merge",
        "through": "a link to /external",
        "elsewhere": "values in another file (`h5repack -l CONTI` ",
        "virtual": "virtual dataset",
        "type": "a type by itself",
        "opaque": "opaque",
        "reference": "reference",
        "huge": "more elements than a file of this size",
        "huger": "more elements than",
        "circle": "a link to",
        "/".join("g" * 33): "a group nested too deeply",
    }
    for key, want in wants.items():
        point(key in items and want in (items[key]["refused"] or ""), f"refused: {key[:20]}", items.get(key))
    point(values(items, "sound") == [0, 1, 2], "what is sound beside them is read")
    made = tool("into", path)
    point(made == "", "and written", made)
    with h5py.File(path, "r") as file:
        point(
            isinstance(file.get("external", getlink=True), h5py.ExternalLink) and file["virtual"].is_virtual,
            "links and virtual datasets stay as they are",
        )


def real_files():
    files = sorted(glob.glob(os.path.join(DATA, "**", "*.h5"), recursive=True))
    if not files:
        skip("real files", "no such folder")
        return
    for path in files:
        items = listed(path)
        wrong = (
            items
            if isinstance(items, str)
            else [item for item in items.values() if item["refused"] or item.get("unread")]
        )
        with h5py.File(path, "r") as file:
            found = []
            file.visititems(
                lambda name, thing: (
                    found.append((name, thing[()].ravel())) if isinstance(thing, h5py.Dataset) else None
                )
            )
            for name, array in found:
                array = array.view(array.real.dtype) if array.dtype.kind == "c" else array
                if not wrong and values(items, name) != [float(v) for v in array]:
                    wrong = name
        point(not wrong, f"real: {os.path.relpath(path, DATA)}", wrong)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-box.") as folder:
        readable(folder)
        compact_too_short(folder)
        refused(folder)
    real_files()
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
