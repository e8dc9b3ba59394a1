# SPDX-License-Identifier: MIT
"""Folders of Zarr for tests, made from dicts and bytes: good ones with their values, bad ones with their reasons."""

import gzip
import json
import os
import shutil
import struct
import subprocess
import zlib

from tap import end

SHEAF = os.environ.get("SHEAF", "build/sheaf")


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


WHOLE = ["1", "2", "3"]
CHUNKS = {"0": doubles(1, 2), "1": doubles(3, 9)}
GOOD = {
    "chunks of nothing in an array of nothing": (
        lambda f: array_2(f, "x", shape=(0,), chunks=(0,), chunk={}),
        [],
    ),
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
        "expected metadata of version 2 (zarr_format), found",
    ),
    "a shape that is none": (
        lambda f: array_2(f, "x", shape=(-1,)),
        "expected a shape of up to 32 extents, found another value",
    ),
    "a shape that is a number": (
        lambda f: put(f, "x/.zarray", {"zarr_format": 2, "shape": 3, "chunks": [3]}),
        "expected a shape of up to 32 extents, found an integer",
    ),
    "a shape of more dimensions than are read": (
        lambda f: array_2(f, "x", shape=(1,) * 33, chunks=(1,) * 33),
        "expected a shape of up to 32 extents, found an array",
    ),
    "an array of 32 dimensions, which may be": (
        lambda f: array_2(f, "x", shape=(1,) * 32, chunks=(1,) * 32),
        "found an array of 32 dimensions, more than 8",
    ),
    "metadata that is too long": (
        lambda f: put(f, "x/.zarray", " " * 16777217),
        "x/.zarray: expected at most 16777216 bytes, found 16777217",
    ),
    "metadata that is not quite too long": (lambda f: put(f, "x/.zarray", " " * 16777216), "expected JSON"),
    "more elements than can be counted": (
        lambda f: array_2(f, "x", shape=(2**62, 2**62), chunks=(1, 1)),
        "more elements than can be counted",
    ),
    "one element more than can be counted": (
        lambda f: array_2(f, "x", shape=(2**58,), chunks=(1,)),
        "more elements than can be counted",
    ),
    "a byte more than is read without being asked": (
        lambda f: array_2(f, "x", shape=(2**30 + 1,), chunks=(2**20,), dtype="|u1"),
        "expected an array of at most 1 GiB, or 1032 times the",
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
        "values from 0: expected a chunk of 3 bytes of gzip to give 16",
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
        "expected texts within their chunk, found a longer one",
    ),
    "a chunk of texts that ends in its count": (
        lambda f: array_2(f, "x", dtype="|O", filters=[{"id": "vlen-utf8"}], chunk={"0": b"\0\0\0"}),
        "expected texts within their chunk, found a shorter one",
    ),
    "fewer texts than elements": (
        lambda f: array_2(f, "x", dtype="|O", filters=[{"id": "vlen-utf8"}], chunk={"0": texts("a")}),
        "expected a text for each element, found fewer",
    ),
    "a chunk of no texts": (
        lambda f: array_2(f, "x", dtype="|O", filters=[{"id": "vlen-utf8"}], chunk={"0": texts()}),
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
    "a shard of too many chunks": (
        lambda f: array_3(
            f, "x", chunks=(2**30,), data_type="int8", codecs=SHARDED, chunk={"0": bytes(100)}
        ),
        "expected fewer chunks in a shard, found 536870912",
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
