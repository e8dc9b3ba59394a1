#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders of Zarr that are made here, each with what is read of it, or why it is refused. Prints TAP."""

import gzip
import os
import struct
import tempfile
import zlib

from tap import end, point
from zarr_made import BAD, GOOD, array_2, array_3, doubles, make, run, texts, transposed, values_of

UNSUPPORTED = {
    "another version of one array": (
        lambda f: array_3(f, "x", zarr_format=4),
        "metadata that is not known",
    ),
    "texts by columns": (
        lambda f: array_2(
            f, "x", shape=(2, 2), chunks=(2, 2), dtype="|O", filters=[{"id": "vlen-utf8"}], order="F"
        ),
        "texts of any length by columns",
    ),
    "records": (lambda f: array_2(f, "x", dtype=[["a", "<i4"]]), "a type that is not read"),
    "dates": (lambda f: array_2(f, "x", dtype="<M8[ns]"), "a type that is not read"),
    "complex numbers of an odd size": (
        lambda f: array_2(f, "x", shape=(400, 9), chunks=(400, 9), dtype="<c9", chunk={"0.0": bytes(32400)}),
        "a type that is not read (<c9)",
    ),
    "objects": (lambda f: array_2(f, "x", dtype="|O"), "a type that is not read (objects)"),
    "a fill value whose bits are none": (
        lambda f: array_3(f, "x", fill_value="0x-ff8000000000000"),
        "a fill value of the array's type, found 0x-ff8000000000000",
    ),
    "a filter": (
        lambda f: array_2(f, "x", filters=[{"id": "delta", "dtype": "<f8"}]),
        "a filter that is not one of ours: zlib, gzip, zstd, blosc and shuffle are (delta)",
    ),
    "lzma": (lambda f: array_2(f, "x", compressor={"id": "lzma"}), "(lzma)"),
    "a codec": (
        lambda f: array_3(f, "x", codecs=[{"name": "packbits"}]),
        "a codec that is not one of ours (packbits)",
    ),
    "transposed twice": (
        lambda f: array_3(
            f,
            "x",
            shape=(2, 2),
            chunks=(2, 2),
            codecs=[transposed(1, 0), transposed(1, 0), {"name": "bytes"}],
        ),
        "transposed twice",
    ),
    "another grid": (
        lambda f: array_3(f, "x", chunk_grid={"name": "rectilinear"}),
        "chunks of a grid of another kind (rectilinear)",
    ),
    "other names": (
        lambda f: array_3(f, "x", chunk_key_encoding={"name": "odd"}),
        "names of chunks of another kind (odd)",
    ),
    "stored in another way": (
        lambda f: array_3(f, "x", storage_transformers=[{"name": "odd"}]),
        "chunks that are stored in another way",
    ),
    "texts of shuffled bytes": (
        lambda f: array_2(
            f, "x", dtype="|O", filters=[{"id": "vlen-utf8"}, {"id": "shuffle", "elementsize": 16}]
        ),
        "texts that are packed in a way that does not say their size",
    ),
    "texts of zlib": (
        lambda f: array_2(f, "x", dtype="|O", filters=[{"id": "vlen-utf8"}], compressor={"id": "zlib"}),
        "texts that are packed in a way that does not say their size",
    ),
}


def check_all(folder):
    for name, (build, wanted) in GOOD.items():
        make(folder, build)
        code, found, err = values_of(folder)
        point(code == 0 and found == wanted, f"good: {name}", f"{code} {str(found)[:300]} {err}")
    for what, table, wanted_code in (("bad", BAD, 1), ("unsupported", UNSUPPORTED, 2)):
        for name, (build, wanted) in table.items():
            make(folder, build)
            code, _, err = values_of(folder)
            found = err + run("info", folder)[1]
            point(code not in (0, 70) and code > 0 and wanted in found, f"{what}: {name}", f"{code} {found}")


def packed(content, size=None, first=2):
    """A chunk for the library that replaces libblosc (blosc.c)."""
    head = struct.pack("<4B3I", first, 1, 0, 8, len(content) if size is None else size, 16, 16 + len(content))
    return head + content


def check_blosc(folder):
    """With a library in place of libblosc, and without one: an empty file is none."""
    blosc, vlen = {"id": "blosc"}, {"dtype": "|O", "filters": [{"id": "vlen-utf8"}]}
    damaged = "bytes of Blosc to give {}, found that it is damaged"
    whole = {"0": packed(doubles(1, 2)), "1": packed(doubles(3, 0))}
    libraries = folder + ".libraries"
    os.makedirs(libraries, exist_ok=True)
    with open(os.path.join(libraries, "libblosc.so.1"), "wb"):
        pass
    is_there = os.path.dirname(os.environ["BLOSC_LIBRARY"])
    for name, where, chunk, more, code, wanted in (
        ("a library", is_there, whole, {}, 0, ["1", "2", "3"]),
        ("no library", libraries, whole, {}, 6, "Blosc, whose library (libblosc.so.1) is not installed"),
        ("a chunk that is damaged", is_there, {"0": packed(doubles(1, 2), None, 255)}, {}, 4,
         "a chunk of 32 " + damaged.format(16)),
        ("a chunk of fewer bytes", is_there, {"0": packed(doubles(1))}, {}, 4,
         "a chunk of 24 " + damaged.format(16)),
        ("a head cut short", is_there, {"0": bytes(15)}, {}, 4, "a chunk of 15 " + damaged.format(16)),
        ("texts", is_there, {"0": packed(texts("a", "b")), "1": packed(texts("c"))}, vlen, 0,
         ['"a"', '"b"', '"c"']),
        ("texts of another size", is_there, {"0": packed(texts("a", "b"), 99)}, vlen, 4, damaged.format(0)),
        ("texts without a library", libraries, {"0": packed(texts("a"))}, vlen, 6, "is not installed"),
    ):  # fmt: skip
        make(folder, lambda f, c=chunk, m=more: array_2(f, "x", chunk=c, **{"compressor": blosc, **m}))
        os.environ["LD_LIBRARY_PATH"] = where
        found = values_of(folder)
        del os.environ["LD_LIBRARY_PATH"]
        point(
            found[0] == code and (wanted == found[1] if code == 0 else wanted in found[2]),
            f"Blosc: {name}",
            f"{found}",
        )


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-zarr.") as folder:
        check_all(os.path.join(folder, "it.zarr"))
        check_blosc(os.path.join(folder, "blosc.zarr"))
    end()


main()
