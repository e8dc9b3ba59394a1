#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders of Zarr: good ones, bad ones, hostile ones and random ones, made here; and where zarr-python is
there (ZARR_PYTHON: a Python that has it), everything that it writes. Prints TAP."""

import gzip
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
ZARR_PYTHON = os.environ.get("ZARR_PYTHON", sys.executable)
MUTANTS = int(os.environ.get("ZARR_MUTANTS", "300"))


def run(*arguments):
    p = subprocess.run([SHEAF, *arguments], capture_output=True, timeout=120, check=False)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def put(folder, path, content):
    where = os.path.join(folder, path)
    os.makedirs(os.path.dirname(where), exist_ok=True)
    if isinstance(content, (dict, list)):
        content = json.dumps(content)
    with open(where, "wb") as out:
        out.write(content.encode() if isinstance(content, str) else content)


# ---- version 2 ----


def array_2(folder, path, shape=(3,), chunks=(2,), dtype="<f8", chunk=None, **more):
    """`chunk` (number of the chunk): its bytes."""
    about = {
        "zarr_format": 2,
        "shape": list(shape),
        "chunks": list(chunks),
        "dtype": dtype,
        "compressor": None,
        "fill_value": 0,
        "order": "C",
        "filters": None,
    }
    about.update(more)
    put(folder, f"{path}/.zarray", about)
    for name, content in (chunk or {}).items():
        put(folder, f"{path}/{name}", content)


def root_2(folder, **attributes):
    put(folder, ".zgroup", {"zarr_format": 2})
    if attributes:
        put(folder, ".zattrs", attributes)


# ---- version 3 ----


def array_3(folder, path, shape=(3,), chunks=(2,), data_type="float64", chunk=None, codecs=None, **more):
    about = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(shape),
        "data_type": data_type,
        "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunks)}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": codecs or [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }
    about.update(more)
    put(folder, f"{path}/zarr.json", about)
    for name, content in (chunk or {}).items():
        put(folder, f"{path}/c/{name}", content)


def root_3(folder, **attributes):
    put(folder, "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": attributes})


def doubles(*values):
    return struct.pack(f"<{len(values)}d", *values)


def crc32c(data):
    total = 0xFFFFFFFF
    for byte in data:
        total ^= byte
        for _ in range(8):
            total = total >> 1 ^ (0x82F63B78 if total & 1 else 0)
    return total ^ 0xFFFFFFFF


def shard(inner, first=False, wrong=False):
    """Chunks (None: not there) and their index."""
    entries, body, at = [], b"", 16 * len(inner) + 4 if first else 0
    for chunk in inner:
        entries.append((at, len(chunk)) if chunk else (2**64 - 1, 2**64 - 1))
        body += chunk or b""
        at += len(chunk or b"")
    index = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    index += struct.pack("<I", crc32c(index) ^ wrong)
    return index + body if first else body + index


SHARDED = [
    {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [2],
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
            "index_location": "end",
        },
    }
]


def shards_first():
    codecs = json.loads(json.dumps(SHARDED))
    codecs[0]["configuration"]["index_location"] = "start"
    return codecs


def texts(*values):
    parts = [value.encode() for value in values]
    return struct.pack("<I", len(parts)) + b"".join(struct.pack("<I", len(part)) + part for part in parts)


def transposed(*order):
    return {"name": "transpose", "configuration": {"order": list(order)}}


# ---- what is read ----

WHOLE = ["1", "2", "3"]
CHUNKS = {"0": doubles(1, 2), "1": doubles(3, 9)}
GOOD = {
    "version 2": (lambda f: array_2(f, "x", chunk=CHUNKS), WHOLE),
    "version 3": (lambda f: array_3(f, "x", chunk=CHUNKS), WHOLE),
    "a chunk that is not there": (
        lambda f: array_2(f, "x", chunk={"1": CHUNKS["1"]}, fill_value=7.5),
        ["7.5", "7.5", "3"],
    ),
    "a fill value that is no number": (lambda f: array_3(f, "x", fill_value="-Infinity"), ["-inf"] * 3),
    "a fill value in bits": (lambda f: array_3(f, "x", fill_value="0x3ff8000000000000"), ["1.5"] * 3),
    "zlib": (
        lambda f: array_2(
            f,
            "x",
            chunk={k: zlib.compress(v) for k, v in CHUNKS.items()},
            compressor={"id": "zlib", "level": 1},
        ),
        WHOLE,
    ),
    "gzip": (
        lambda f: array_2(
            f,
            "x",
            chunk={k: gzip.compress(v) for k, v in CHUNKS.items()},
            compressor={"id": "gzip", "level": 1},
        ),
        WHOLE,
    ),
    "gzip, version 3": (
        lambda f: array_3(
            f,
            "x",
            chunk={k: gzip.compress(v) for k, v in CHUNKS.items()},
            codecs=[
                {"name": "bytes", "configuration": {"endian": "little"}},
                {"name": "gzip", "configuration": {"level": 5}},
            ],
        ),
        WHOLE,
    ),
    "big-endian": (
        lambda f: array_2(f, "x", dtype=">i2", shape=(2,), chunk={"0": b"\0\1\xff\xff"}),
        ["1", "-1"],
    ),
    "big-endian, version 3": (
        lambda f: array_3(
            f,
            "x",
            data_type="int16",
            shape=(2,),
            chunk={"0": b"\0\1\xff\xff"},
            codecs=[{"name": "bytes", "configuration": {"endian": "big"}}],
        ),
        ["1", "-1"],
    ),
    "truth values": (
        lambda f: array_2(f, "x", dtype="|b1", chunk={"0": b"\0\1", "1": b"\1\0"}),
        ["false", "true", "true"],
    ),
    "complex numbers": (
        lambda f: array_2(f, "x", dtype="<c16", shape=(1,), chunk={"0": doubles(1, -2, 0, 0)}),
        ["(1,-2)"],
    ),
    "float16": (
        lambda f: array_2(f, "x", dtype="<f2", shape=(2,), chunk={"0": struct.pack("<2e", 1.5, -2)}),
        ["1.5", "-2"],
    ),
    "a slash between numbers": (
        lambda f: array_2(
            f,
            "x",
            shape=(1, 2),
            chunks=(1, 1),
            dimension_separator="/",
            chunk={"0/0": doubles(4), "0/1": doubles(5)},
        ),
        ["4", "5"],
    ),
    "names of chunks of version 2 in version 3": (
        lambda f: (
            array_3(f, "x", chunk_key_encoding={"name": "v2"}),
            put(f, "x/0", CHUNKS["0"]),
            put(f, "x/1", CHUNKS["1"]),
        ),
        WHOLE,
    ),
    "a scalar": (lambda f: array_2(f, "x", shape=(), chunks=(), chunk={"0": doubles(8)}), ["8"]),
    "a scalar, version 3": (
        lambda f: (array_3(f, "x", shape=(), chunks=()), put(f, "x/c", doubles(8))),
        ["8"],
    ),
    "texts of any length": (
        lambda f: array_2(
            f,
            "x",
            dtype="|O",
            filters=[{"id": "vlen-utf8"}],
            chunk={"0": texts("a", "\xe4\xf6"), "1": texts("", "c")},
        ),
        ['"a"', '"\xe4\xf6"', '""'],
    ),
    "texts of any length, gzip, version 3": (
        lambda f: array_3(
            f,
            "x",
            data_type="string",
            fill_value="",
            codecs=[{"name": "vlen-utf8"}, {"name": "gzip"}],
            chunk={"0": gzip.compress(texts("a", "b")), "1": gzip.compress(texts("c" * 99999, ""))},
        ),
        ['"a"', '"b"', '"' + "c" * 99999 + '"'],
    ),
    "texts of four bytes a letter": (
        lambda f: array_2(
            f,
            "x",
            dtype="<U2",
            shape=(2,),
            chunk={"0": "\xe4b".encode("utf-32-le") + "\U0001f600".encode("utf-32-le") + b"\0" * 4},
        ),
        ['"\xe4b"', '"\U0001f600"'],
    ),
    "padded texts": (
        lambda f: array_2(f, "x", dtype="|S2", shape=(2,), chunk={"0": b"abc\0"}),
        ['"ab"', '"c"'],
    ),
    "shards": (
        lambda f: array_3(
            f,
            "x",
            shape=(6,),
            chunks=(4,),
            codecs=SHARDED,
            fill_value=9,
            chunk={"0": shard([doubles(1, 2), doubles(3, 4)]), "1": shard([None, None])},
        ),
        ["1", "2", "3", "4", "9", "9"],
    ),
    "shards whose index comes first": (
        lambda f: array_3(
            f,
            "x",
            shape=(3,),
            chunks=(4,),
            codecs=shards_first(),
            chunk={"0": shard([doubles(1, 2), doubles(3, 4)], first=True)},
        ),
        WHOLE,
    ),
    "by columns": (
        lambda f: array_2(
            f,
            "x",
            shape=(2, 3),
            chunks=(2, 2),
            order="F",
            chunk={"0.0": doubles(1, 4, 2, 5), "0.1": doubles(3, 6, 0, 0)},
        ),
        ["1", "2", "3", "4", "5", "6"],
    ),
    "transposed": (
        lambda f: array_3(
            f,
            "x",
            shape=(2, 2),
            chunks=(2, 2),
            chunk={"0/0": doubles(1, 3, 2, 4)},
            codecs=[transposed(1, 0), {"name": "bytes", "configuration": {"endian": "little"}}],
        ),
        ["1", "2", "3", "4"],
    ),
    "an order that changes nothing": (
        lambda f: array_3(
            f,
            "x",
            chunk=CHUNKS,
            codecs=[
                {"name": "transpose", "configuration": {"order": [0]}},
                {"name": "bytes", "configuration": {"endian": "little"}},
            ],
        ),
        WHOLE,
    ),
}

BAD = {
    "an order of other dimensions": (
        lambda f: array_3(f, "x", shape=(2, 2), chunks=(2, 2), codecs=[transposed(1, 1), {"name": "bytes"}]),
        "expected an order of the array's dimensions",
    ),
    "an order of more dimensions": (
        lambda f: array_3(f, "x", codecs=[transposed(0, 1), {"name": "bytes"}]),
        "expected an order of the array's dimensions",
    ),
    "no JSON": (lambda f: put(f, "x/.zarray", "{"), "x/.zarray (byte"),
    "JSON that is no object": (
        lambda f: put(f, "x/.zarray", "[]"),
        "expected an object of JSON, found an array",
    ),
    "another version inside": (
        lambda f: array_2(f, "x", zarr_format=3),
        "expected metadata of version 2 (zarr_format), found another",
    ),
    "a shape that is none": (
        lambda f: array_2(f, "x", shape=(-1,)),
        "expected a shape of up to 32 extents, found another value",
    ),
    "more elements than can be counted": (
        lambda f: array_2(f, "x", shape=(2**62, 2**62), chunks=(1, 1)),
        "more elements than can be counted",
    ),
    "chunks of no element": (lambda f: array_2(f, "x", chunks=(0,)), "expected chunks that hold something"),
    "chunks of more dimensions": (
        lambda f: array_2(f, "x", chunks=(1, 1)),
        "expected chunks of as many dimensions as the array",
    ),
    "chunks that are too large": (
        lambda f: array_2(f, "x", chunks=(2**40,)),
        "chunks of more than a gigabyte",
    ),
    "a fill value that is a text": (
        lambda f: array_2(f, "x", fill_value="much"),
        "expected a fill value of the array's type, found much",
    ),
    "a short chunk": (
        lambda f: array_2(f, "x", chunk={"0": b"123"}),
        "expected a chunk of 16 bytes, found 3",
    ),
    "an empty chunk": (
        lambda f: array_2(f, "x", chunk={"0": b""}),
        "chunk 0: expected a chunk that takes bytes, found an empty one",
    ),
    "a damaged chunk": (
        lambda f: array_2(f, "x", chunk={"0": b"123"}, compressor={"id": "gzip"}),
        "expected a chunk of 3 bytes of gzip to give 16",
    ),
    "a chunk of zstd that is none": (
        lambda f: array_2(f, "x", chunk={"0": b"123456789"}, compressor={"id": "zstd"}),
        "expected a chunk of 9 bytes of zstd to give 16",
    ),
    "a chunk of Blosc that is none": (
        lambda f: array_2(f, "x", chunk={"0": bytes(40)}, compressor={"id": "blosc"}),
        "Blosc",
    ),
    "texts that are longer than their chunk": (
        lambda f: array_2(
            f,
            "x",
            dtype="|O",
            filters=[{"id": "vlen-utf8"}],
            chunk={"0": texts("a", "b")[:-1], "1": texts("c")},
        ),
        "expected texts within their chunk, found a longer one",
    ),
    "more texts than their chunk has": (
        lambda f: array_2(
            f, "x", dtype="|O", filters=[{"id": "vlen-utf8"}], chunk={"0": b"\xff\xff\xff\xff"}
        ),
        "expected texts within their chunk, found more",
    ),
    "fewer texts than elements": (
        lambda f: array_2(f, "x", dtype="|O", filters=[{"id": "vlen-utf8"}], chunk={"0": texts("a")}),
        "expected a text for each element, found fewer",
    ),
    "a shard with another checksum": (
        lambda f: array_3(
            f, "x", chunks=(4,), codecs=SHARDED, chunk={"0": shard([doubles(1, 2), None], wrong=True)}
        ),
        "expected an index of chunks with its checksum",
    ),
    "a shard that is too short": (
        lambda f: array_3(f, "x", chunks=(4,), codecs=SHARDED, chunk={"0": b"1"}),
        "expected 36 bytes at byte -35, found 1 in all",
    ),
    "a chunk beyond its shard": (
        lambda f: array_3(
            f,
            "x",
            chunks=(4,),
            codecs=SHARDED,
            chunk={
                "0": (lambda i: i + struct.pack("<I", crc32c(i)))(struct.pack("<4Q", 10**6, 16, 10**6, 16))
            },
        ),
        "bytes at byte 1000000",
    ),
    "shards of parts of chunks": (
        lambda f: array_3(f, "x", chunks=(3,), codecs=SHARDED),
        "expected shards of whole chunks",
    ),
    "codecs that make no bytes": (
        lambda f: array_3(f, "x", codecs=[{"name": "transpose", "configuration": {"order": [0]}}]),
        "expected codecs that make bytes, found none",
    ),
    "another separator": (
        lambda f: array_2(f, "x", dimension_separator="../"),
        "expected a dot or a slash between the numbers of a chunk",
    ),
}

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


def make(folder, build):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    build(folder)
    if os.path.exists(os.path.join(folder, "x/zarr.json")):
        root_3(folder)
    else:
        root_2(folder)


def values_of(folder):
    code, out, err = run("cat", "--dataset", "x", folder)
    return (
        code,
        [
            line.split(" ", 2)[-1].strip().removeprefix("x ") if "  " in line else line
            for line in out.splitlines()
        ],
        err,
    )


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


# ---- what holds of all ----


def check_tree(folder):
    make(
        folder,
        lambda f: (
            array_2(f, "x", chunk=CHUNKS),
            array_2(f, "group/deep/y", chunk=CHUNKS),
            put(f, "group/.zgroup", {"zarr_format": 2}),
            put(f, "group/deep/.zgroup", {"zarr_format": 2}),
            put(f, "nothing/here.txt", "x"),
            put(f, "bad/.zarray", "{"),
        ),
    )
    code, out, err = run("info", folder)
    size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
    one = run("info", "--dataset", "/x", folder)[1]
    point(f"\nbytes: {size}\n" in one, "a folder has the bytes of all its files", f"{size} {one}")
    point(
        code == 0
        and all(
            line in out
            for line in ["/group/deep/y  float64  3  chunked 2", "/x  float64  3  chunked 2", "/bad  "]
        )
        and "nothing" not in out,
        "a tree, in which one is damaged",
        out + err,
    )
    code, out, err = run("cat", "--dataset", "/group/deep/y", folder)
    point(code == 0 and len(out.splitlines()) == 3, "an array deep in the tree", out + err)
    code, _, err = run("index", folder)
    point(code != 0 and "found" in err, "no index of a folder", err)
    code, _, err = run("info", os.path.join(folder, ".zgroup"))
    point(code != 0 and "give the folder" in err, "a file of the folder", err)
    empty = os.path.join(folder, "nothing")
    code, _, err = run("info", empty)
    point(
        code == 3 and "expected a file, found a directory" in err,
        "a folder that is none of Zarr",
        f"{code} {err}",
    )


def check_consolidated(folder):
    """Consolidated metadata: ignored beside that of the nodes; alone it is not enough, which is reported."""
    make(folder, lambda f: array_2(f, "x", chunk={"0": doubles(1, 2), "1": doubles(3, 0)}))
    put(folder, ".zmetadata", {"zarr_consolidated_format": 1, "metadata": {}})
    point(values_of(folder)[0] == 0, "consolidated metadata of version 2", values_of(folder))
    for name in (".zgroup", "x/.zarray"):
        os.remove(os.path.join(folder, name))
    code, _, err = run("info", folder)
    point(code == 3 and "has its metadata in .zmetadata alone" in err, "and nothing else", err)
    shutil.rmtree(folder)
    os.makedirs(folder)
    root_3(folder)
    about = {"zarr_format": 3, "node_type": "group",
             "consolidated_metadata": {"metadata": {"x": {"zarr_format": 3, "node_type": "array"}}}}
    put(folder, "zarr.json", about)
    code, _, err = run("info", folder)
    fine = code == 4 and "found those of 1 in the root's zarr.json alone (consolidated)" in err
    point(fine, "consolidated metadata of version 3 alone", err)


def check_links(folder):
    """Nothing leads out of the folder: neither of its members nor of its chunks."""
    outside = folder + ".outside"
    os.makedirs(outside, exist_ok=True)
    put(outside, "secret", CHUNKS["0"])
    array_2(outside, "y", chunk=CHUNKS)
    make(folder, lambda f: array_2(f, "x", fill_value=5))
    os.symlink(os.path.join(outside, "secret"), os.path.join(folder, "x/0"))
    os.symlink(os.path.join(outside, "y"), os.path.join(folder, "y"))
    code, found, err = values_of(folder)
    point(code == 0 and found == ["5"] * 3, "a chunk that is a link is not there", f"{found} {err}")
    point("/y" not in run("info", folder)[1], "an array that is a link is not there")
    os.symlink(os.path.join(outside, "y/.zarray"), os.path.join(folder, "x/.zattrs"))
    point(run("info", folder)[0] == 0, "attributes that are a link are not there")
    os.mkfifo(os.path.join(folder, "x/1"))
    code, found, err = values_of(folder)
    point(code != 0, "a chunk that is a pipe is waited for by nobody", f"{found} {err}")
    shutil.rmtree(outside)


def check_anndata(folder):
    """AnnData's attributes are in the folder's JSON; Binsparse's descriptors are objects there."""

    def build(f):
        root_2(f)
        put(f, "m/.zgroup", {"zarr_format": 2})
        put(f, "m/.zattrs", {"encoding-type": "csr_matrix", "encoding-version": "0.1.0", "shape": [2, 3]})
        array_2(f, "m/data", shape=(2,), chunk={"0": doubles(5, 6)})
        array_2(f, "m/indices", shape=(2,), dtype="<i4", chunk={"0": struct.pack("<2i", 2, 0)})
        array_2(f, "m/indptr", shape=(3,), dtype="<i4", chunks=(3,), chunk={"0": struct.pack("<3i", 0, 1, 2)})

    make(folder, build)
    code, out, err = run("cat", "--to", "matrixmarket", folder)
    code, out, err = run("convert", folder, folder + ".mtx", "--force")
    with open(folder + ".mtx", encoding="utf-8") as made:
        text = made.read()
    point(
        code == 0 and "2 3 2" in text and "1 3 5" in text and "2 1 6" in text,
        "a matrix of AnnData",
        text + err,
    )

    def sparse(f):
        put(
            f,
            "m/.zattrs",
            {
                "binsparse": {
                    "version": "0.1",
                    "format": "CSR",
                    "shape": [2, 3],
                    "number_of_stored_values": 2,
                    "data_types": {"pointers_to_1": "int32", "indices_1": "int32", "values": "float64"},
                }
            },
        )
        array_2(f, "m/values", shape=(2,), chunk={"0": doubles(5, 6)})
        array_2(f, "m/indices_1", shape=(2,), dtype="<i4", chunk={"0": struct.pack("<2i", 2, 0)})
        array_2(
            f,
            "m/pointers_to_1",
            shape=(3,),
            dtype="<i4",
            chunks=(3,),
            chunk={"0": struct.pack("<3i", 0, 1, 2)},
        )
        put(f, "m/.zgroup", {"zarr_format": 2})

    make(folder, sparse)
    code, out, err = run("convert", folder, folder + ".mtx", "--force")
    with open(folder + ".mtx", encoding="utf-8") as made:
        again = made.read()
    point(code == 0 and again == text, "a matrix of Binsparse", again + out + err)


def zip_folder(folder, packing):
    with zipfile.ZipFile(folder + ".zip", "w", packing) as archive:
        files = [os.path.join(path, it) for path, _, its in os.walk(folder) for it in its]
        for it in sorted(files, key=lambda it: (it.count("/"), it)):
            archive.write(it, os.path.relpath(it, folder))


def check_zip(folder):
    """The same folders, as ZIP files. Shards are read in parts, so they are not compressed again."""
    wrong = []
    for table, is_good in ((GOOD, True), (BAD, False)):
        for name, (build, wanted) in table.items():
            make(folder, build)
            zip_folder(
                folder, zipfile.ZIP_STORED if "shard" in name or len(name) % 2 == 0 else zipfile.ZIP_DEFLATED
            )
            code, found, err = values_of(folder + ".zip")
            found_all = err + run("info", folder + ".zip")[1]
            if code != 0 if is_good else wanted not in found_all:
                wrong.append(f"{name}: {code} {found} {found_all}")
            if is_good and found != wanted:
                wrong.append(f"{name}: {found}")
            if is_good and "shard" in name:
                zip_folder(folder, zipfile.ZIP_DEFLATED)
                code, found, err = values_of(folder + ".zip")
                if (
                    code != 6
                    or "x/c/0: expected a shard that the archive stores as it is (zip -0), found a packed one"
                    not in err
                ):
                    wrong.append(f"{name}, packed: {code} {found} {err}")
    point(not wrong, "folders as ZIP files", "\n".join(wrong))
    with zipfile.ZipFile(folder + ".zip", "w") as archive:
        archive.writestr(".zgroup", '{"zarr_format": 2}')
        for name in (
            "../out/.zgroup",
            "a//b/.zgroup",
            "/etc/.zgroup",
            "g/.zgroup",
            "g/x/.zgroup",
            "gg/.zgroup",
        ):
            archive.writestr(name, '{"zarr_format": 2}')
        archive.writestr(
            "g/y/.zarray",
            json.dumps(
                {
                    "zarr_format": 2,
                    "shape": [1],
                    "chunks": [1],
                    "dtype": "<f8",
                    "compressor": None,
                    "fill_value": 0,
                    "filters": None,
                    "order": "C",
                }
            ),
        )
    code, out, err = run("info", folder + ".zip")
    tree = [line.split()[0] for line in out.partition("tree:")[2].splitlines() if line.strip()]
    point(
        code == 0 and tree == ["/", "/g", "/g/x", "/g/y", "/gg"],
        "names in a ZIP file that lead elsewhere",
        f"{tree} {err}",
    )


def check_mutants(folder):
    """Metadata and chunks with some bytes changed: reading ends, and reports what is wrong."""
    draw = random.Random(1)
    builds = [build for table in (GOOD, BAD) for build, _ in table.values()]
    wrong = []
    for n in range(MUTANTS):
        make(folder, draw.choice(builds))
        files = [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names]
        victim = draw.choice(files)
        with open(victim, "rb") as f:
            content = bytearray(f.read())
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(content) + 1)
            if draw.random() < 0.3:
                content[at:at] = draw.choice(
                    [b"9", b"-", b"e9", b"[", b"]", b"{", b"null", b"1e400", b"999999999999", b'"', b"\0"]
                )
            elif at < len(content):
                content[at] = draw.choice([draw.randrange(256), ord(draw.choice('0123456789"[]{},:-'))])
        with open(victim, "wb") as f:
            f.write(content)
        code, _, err = run("cat", "--dataset", "x", "--max-memory", "200M", folder)
        if code < 0 or code > 10 or (code and "sheaf: error" not in err):
            wrong.append(f"{n}: exit {code}: {victim}: {err[-300:]}")
    point(not wrong, f"{MUTANTS} mutants", "\n".join(wrong))


# ---- zarr-python ----

WRITER = r"""
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy, zarr
folder = sys.argv[1]
wanted = {}
for version in 2, 3:
    root = zarr.open_group(f"{folder}/{version}.zarr", mode="w", zarr_format=version)
    from zarr import codecs
    import numcodecs
    packings = {"none": None}
    if version == 2:
        packings |= {"zstd": numcodecs.Zstd(3), "gzip": numcodecs.GZip(3), "zlib": numcodecs.Zlib(3)}
    else:
        packings |= {"zstd": codecs.ZstdCodec(level=3), "gzip": codecs.GzipCodec(level=3)}
    for name in "blosclz", "lz4", "lz4hc", "zlib", "zstd":
        for shuffle, word in enumerate(["noshuffle", "shuffle", "bitshuffle"]):
            packings[f"blosc-{name}-{shuffle}"] = (
                numcodecs.Blosc(name, 5, shuffle) if version == 2
                else codecs.BloscCodec(cname=name, clevel=5, shuffle=word))
    kinds = ["i1", "u1", "<i2", ">i2", "<u4", ">u8", "<f2", "<f4", ">f8", "bool", "c8", "c16"]
    for kind in kinds:
        for packing in packings if kind in ("<u4", ">f8") else ["none", "zstd"]:
            for shape, chunks in (
                    ((7,), (3,)), ((5, 4), (2, 3)), ((3, 2, 4), (2, 2, 2)), ((0,), (1,)), ((), ())):
                order = "be" if kind[0] == ">" else "le"
                path = f"{kind.strip('<>')}_{order}_{packing}_{len(shape)}_{sum(shape)}"
                values = (numpy.arange(int(numpy.prod(shape))) % 5).astype(kind).reshape(shape)
                a = root.create_array(path, shape=shape, chunks=chunks, dtype=kind,
                                      compressors=packings[packing], filters=None)
                a[...] = values
                little = numpy.ascontiguousarray(values).astype(numpy.dtype(kind).newbyteorder("<"))
                wanted[f"{version}.zarr {path}"] = [list(shape), little.tobytes().hex()]
    if version == 2:
        values = numpy.arange(60, dtype="<i4").reshape(5, 4, 3)
        a = root.create_array("columns", shape=values.shape, chunks=(2, 3, 2), dtype="<i4", order="F")
        a[...] = values
        wanted["2.zarr columns"] = [list(values.shape), values.tobytes().hex()]
    if version == 3:
        values = numpy.arange(60, dtype="<i4").reshape(5, 4, 3)
        turned = [codecs.TransposeCodec(order=(2, 0, 1))]
        a = root.create_array("turned", shape=values.shape, chunks=(2, 3, 2), dtype="<i4", filters=turned)
        a[...] = values
        wanted["3.zarr turned"] = [list(values.shape), values.tobytes().hex()]
        for shape, shard, chunk in ((20,), (8,), (2,)), ((9, 7), (4, 4), (2, 4)):
            values = numpy.arange(int(numpy.prod(shape)), dtype="<i4").reshape(shape)
            path = f"shards_{len(shape)}"
            a = root.create_array(path, shape=shape, shards=shard, chunks=chunk, dtype="<i4")
            a[...] = values
            wanted[f"3.zarr {path}"] = [list(shape), values.tobytes().hex()]
json.dump(wanted, open(f"{folder}/wanted.json", "w"))
"""


def read_npy(path):
    with open(path, "rb") as f:
        content = f.read()
    size = struct.unpack("<H", content[8:10])[0]
    about = eval(content[10 : 10 + size], {"__builtins__": {}})  # what the command has just written
    return list(about["shape"]), about["descr"], content[10 + size :].hex()


def check_zarr_python(folder):
    p = subprocess.run([ZARR_PYTHON, "-c", "import zarr, numcodecs"], capture_output=True, check=False)
    if p.returncode:
        return skip("what zarr-python writes", "no zarr")
    os.makedirs(folder)
    p = subprocess.run([ZARR_PYTHON, "-c", WRITER, folder], capture_output=True, timeout=600, check=False)
    if p.returncode:
        return point(False, "zarr-python writes", p.stderr.decode()[-2000:])
    with open(os.path.join(folder, "wanted.json"), encoding="utf-8") as f:
        wanted = json.load(f)
    without = run("formats")[1]
    wrong, read = [], 0
    for key, (shape, values) in wanted.items():
        archive, path = key.split(" ")
        out = os.path.join(folder, "out.npy")
        code, _, err = run("convert", "--dataset", path, os.path.join(folder, archive), out, "--force")
        if code and "libblosc.so.1" in err:
            continue
        read += 1
        found = read_npy(out) if code == 0 else (None, None, err)
        if path.startswith("f2"):  # read as float32
            count = len(values) // 4
            values = struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", bytes.fromhex(values))).hex()
        if found[2] != values or (shape and found[0] != shape):
            wrong.append(f"{key}: {shape} {values[:60]}: {str(found)[:300]}")
    return point(
        not wrong and read > 100, f"{read} arrays that zarr-python writes", "\n".join(wrong) + without[:0]
    )


# ---- what is written ----

MATRIX = "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 0.5\n3 1 -2\n3 4 1e300\n"
READER = r"""
import json, sys, warnings
warnings.simplefilter("ignore")
import zarr
it = zarr.storage.ZipStore(sys.argv[1], mode="r") if sys.argv[1].endswith("zip") else sys.argv[1]
root = zarr.open_group(it, mode="r")
found = {name: [str(array.dtype), array[...].tolist()] for name, array in root.arrays()}
print(json.dumps([root.metadata.zarr_format, root.attrs.asdict(), found]))
"""


def written(folder, name, *how):
    out = os.path.join(folder, name)
    code, _, err = run("convert", "--force", *how, os.path.join(folder, "m.mtx"), out)
    return out, code, err


def check_written(folder):
    """Each version, compressed and not, comes back; zarr-python, if it is installed, reads the same."""
    os.makedirs(folder)
    put(folder, "m.mtx", MATRIX)
    has_zarr = (
        subprocess.run(
            [ZARR_PYTHON, "-c", "import zarr, numcodecs"], capture_output=True, check=False
        ).returncode
        == 0
    )
    wrong = []
    for name in "a.zarr", "a.zarr.zip":
        for how in (
            [],
            ["--zarr", "2"],
            ["--zstd"],
            ["--deflate", "12"],
            ["--zarr", "2", "--zstd", "--chunk-bytes", "8"],
            ["--zarr", "2", "--deflate", "1"],
            ["--to", "hdf5"],
            ["--to", "hdf5", "--zarr", "2"],
        ):
            out, code, err = written(folder, name, *how)
            again = run("diff", os.path.join(folder, "m.mtx"), out)
            if code or again[0]:
                wrong.append(f"{name} {how}: {code} {err} {again}")
            if not has_zarr:
                continue
            p = subprocess.run([ZARR_PYTHON, "-c", READER, out], capture_output=True, check=False)
            version, about, found = (
                json.loads(p.stdout) if p.returncode == 0 else (0, p.stderr.decode()[-300:], {})
            )
            if version != (2 if "2" in how else 3) or (
                "hdf5" not in how
                and (
                    found.get("values") != ["float64", [0.5, -2, 1e300]]
                    or about["binsparse"]["binsparse"]["shape"] != [3, 4]
                )
            ):
                wrong.append(f"{name} {how}: zarr-python: {version} {about} {found}")
    point(
        not wrong,
        "what is written is read, " + ("by zarr-python, too" if has_zarr else "here"),
        "\n".join(wrong),
    )


REFERENCE = """
import sys, numpy, scipy.sparse
from binsparse import load_binsparse, save_binsparse
from binsparse.conversions import numpy as dense, scipy as sparse
for kind in "int8", "int64", "uint16", "float32", "float64", "complex64", "complex128":
    m = scipy.sparse.csr_matrix(numpy.array([[0, 2, 0, 1], [0, 0, 0, 0], [7, 0, 3, 0]]).astype(kind))
    for form in "csr", "csc", "coo", "dense":
        name = f"{sys.argv[1]}/{kind}.{form}"
        if sys.argv[2] == "write":
            t = dense.from_numpy(m.toarray()) if form == "dense" else sparse.from_scipy(m.asformat(form))
            save_binsparse(t, name + ".zarr")
            continue
        t = load_binsparse(name + ".ours.zarr")
        found = dense.to_numpy(t) if form == "dense" else sparse.to_scipy(t).toarray()
        assert found.dtype == m.dtype and (found == m.toarray()).all(), (name, found)
"""


def check_reference(folder):
    """Binsparse's Python reference writes Zarr that is read here, and reads what is written here."""
    name, python = "Binsparse's Python reference and Zarr", [ZARR_PYTHON, "-c"]
    asked = subprocess.run([*python, "import binsparse, zarr, scipy"], capture_output=True, check=False)
    if asked.returncode:
        skip(name, "no binsparse")
        return
    folder = os.path.join(folder, "reference")
    os.makedirs(folder)
    p = subprocess.run([*python, REFERENCE, folder, "write"], capture_output=True, check=False)
    wrong = p.stderr.decode()[-300:] if p.returncode else ""
    for theirs in os.listdir(folder):
        theirs = os.path.join(folder, theirs)
        ours = theirs.replace(".zarr", ".ours.zarr")
        wrong += run("convert", "--quiet", theirs, ours)[2] + run("diff", "--strict", theirs, ours)[2]
    p = subprocess.run([*python, REFERENCE, folder, "check"], capture_output=True, check=False)
    point(not wrong and p.returncode == 0, name, wrong + p.stderr.decode()[-300:])


def check_noise(folder):
    """Numbers that compression makes longer come back, and gzip's own program agrees."""
    noise, wrong = random.Random(5), []
    for entries in 1, 60, 20000:
        values = [noise.randbytes(6).hex() for _ in range(entries)]
        lines = "".join(f"1 {i + 1} {int(v, 16)}e-40\n" for i, v in enumerate(values))
        put(folder, "n.mtx", f"%%MatrixMarket matrix coordinate real general\n1 {entries} {entries}\n{lines}")
        for how in ["--deflate", "1"], ["--deflate", "9", "--zarr", "2"], ["--zstd"]:
            out = os.path.join(folder, "n.zarr")
            code, _, err = run("convert", "--force", *how, os.path.join(folder, "n.mtx"), out)
            again = run("diff", os.path.join(folder, "n.mtx"), out)
            chunk = os.path.join(out, "values/0" if "2" in how else "values/c/0")
            with open(chunk, "rb") as file:
                size = len(gzip.decompress(file.read())) if "--deflate" in how and not code else 8 * entries
            if code or again[0] or size != min(8 * entries, 1 << 20):
                wrong.append(f"{entries} {how}: {code} {err} {again} {size}")
    point(not wrong, "noise comes back", "\n".join(wrong))


def check_replaced(folder):
    """Only a folder of Zarr is replaced, and only with --force; leftovers of a killed run are removed."""
    out, code, err = written(folder, "b.zarr")
    code, _, err = run("convert", os.path.join(folder, "m.mtx"), out)
    point(code == 2 and "--force" in err, "a folder that is there stays", err)
    os.makedirs(os.path.join(folder, "mine.zarr/deep"))
    put(folder, "mine.zarr/deep/text", "mine")
    code, _, err = run("convert", "--force", os.path.join(folder, "m.mtx"), os.path.join(folder, "mine.zarr"))
    point(
        code == 3 and os.path.exists(os.path.join(folder, "mine.zarr/deep/text")),
        "another folder is not replaced",
        err,
    )
    left = os.path.join(folder, ".sheaf-abcdef")
    put(left, "values/c/0", "left")
    os.symlink(os.path.join(folder, "mine.zarr"), os.path.join(left, "link"))
    put(out, "more/deep/file", "old")
    out, code, err = written(folder, "b.zarr", "--zarr", "2")
    there = sorted(os.listdir(out))
    point(
        code == 0 and there == [".zattrs", ".zgroup", "indices_1", "pointers_to_1", "values"],
        "the old folder is replaced as a whole",
        f"{there} {err}",
    )
    point(
        not os.path.exists(left) and not [name for name in os.listdir(folder) if name.startswith(".sheaf-")],
        "what was left is removed",
        str(os.listdir(folder)),
    )
    point(
        os.path.exists(os.path.join(folder, "mine.zarr/deep/text")), "no link is followed while it is removed"
    )
    code, _, err = run("convert", "--force", "--to", "npy", os.path.join(folder, "m.mtx"), out)
    point(
        code == 3 and "found a directory" in err and os.path.exists(os.path.join(out, ".zgroup")),
        "a file does not take a folder's place",
        err,
    )
    for how, wanted in (
        (["--zstd", "--deflate", "3"], "expected one compression"),
        (["--shuffle"], "--shuffle: expected an HDF5"),
        (["--into", "a"], "--into: expected an HDF5"),
    ):
        _, code, err = written(folder, "c.zarr", *how)
        point(
            code == 2 and wanted in err and not os.path.exists(os.path.join(folder, "c.zarr")),
            f"refused: {' '.join(how)}",
            err,
        )
    code, _, err = run("convert", "--zstd", os.path.join(folder, "m.mtx"), os.path.join(folder, "c.h5"))
    point(code == 2 and "--zstd: expected Zarr" in err, "no zstd in HDF5", err)


def check_bound(folder):
    """A few bytes of metadata do not make a huge output; the bytes of all chunks count as the input."""
    make(folder, lambda f: array_2(f, "x", shape=(2**40,), chunks=(2**20,), fill_value=1e300))
    code, _, err = run("convert", "--dataset", "x", "--force", folder, folder + ".npy")
    point(
        code == 5 and "--allow-large" in err and not os.path.exists(folder + ".npy"),
        "a huge fill is bounded",
        f"{code} {err}",
    )
    for command in ("validate", "cat", "hash", "stats"):
        for memory in ("64M", "4G"):
            code, out, err = run(command, "--dataset", "x", "--max-memory", memory, folder)
            point(
                code == 5 and "found one of 8796093022208 bytes (--allow-large" in out + err,
                f"{command} says how large an array is of which nothing is stored, under {memory}",
                f"{code} {out}{err}",
            )
    code, out, err = run("head", "--rows", "1", "--json", "--allow-large", "--dataset", "x", folder)
    point(code == 0 and "1e300" in out, "its first row, where that is asked for", f"{code} {out}{err}")
    code, out, err = run("info", folder)
    point(code == 0 and "1099511627776" in out, "info lists it", f"{code} {out}{err}")


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-zarr.") as folder:
        it = os.path.join(folder, "it.zarr")
        check_all(it)
        check_tree(it)
        check_links(it)
        check_consolidated(it)
        check_anndata(it)
        check_zip(it)
        check_mutants(it)
        check_zarr_python(os.path.join(folder, "python"))
        check_written(os.path.join(folder, "written"))
        check_reference(os.path.join(folder, "written"))
        check_noise(os.path.join(folder, "written"))
        check_replaced(os.path.join(folder, "written"))
        check_bound(it)
    end()


main()
