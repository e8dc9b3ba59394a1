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

DELTA = {"name": "numcodecs.delta", "configuration": {"dtype": "f8"}}
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
        lambda f: array_2(f, "x", filters=[{"id": "packbits"}]),
        "a filter that is not one of ours (packbits)",
    ),
    "differences of what is transposed": (
        lambda f: array_3(
            f, "x", shape=(2, 2), chunks=(2, 2), codecs=[transposed(1, 0), DELTA, {"name": "bytes"}]
        ),
        "numbers made of numbers of another type (numcodecs.delta)",
    ),
    "what is transposed of differences": (
        lambda f: array_3(
            f, "x", shape=(2, 2), chunks=(2, 2), codecs=[DELTA, transposed(1, 0), {"name": "bytes"}]
        ),
        "texts, differences, or dimensions that are transposed twice",
    ),
    "differences in another order of bytes": (
        lambda f: array_3(
            f,
            "x",
            codecs=[
                {**DELTA, "configuration": {"dtype": "<f8", "astype": ">f8"}},
                {"name": "bytes", "configuration": {"endian": "little"}},
            ],
        ),
        "numbers made of numbers of another type (numcodecs.delta)",
    ),
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
