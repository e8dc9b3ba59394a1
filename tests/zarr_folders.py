#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders of Zarr that are made here, each with what is read of it, or why it is refused. Prints TAP."""

import gzip
import os
import tempfile
import zlib

from tap import end, point
from zarr_made import BAD, GOOD, array_2, array_3, make, run, texts, transposed, values_of

UNSUPPORTED = {
    "texts by columns": (
        lambda f: array_2(
            f, "x", shape=(2, 2), chunks=(2, 2), dtype="|O", filters=[{"id": "vlen-utf8"}], order="F"
        ),
        "texts of any length by columns",
    ),
    "records": (lambda f: array_2(f, "x", dtype=[["a", "<i4"]]), "a type that is not read"),
    "dates": (lambda f: array_2(f, "x", dtype="<M8[ns]"), "a type that is not read"),
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


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-zarr.") as folder:
        check_all(os.path.join(folder, "it.zarr"))
    end()


main()
