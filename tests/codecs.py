#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Chunks packed by each codec that is read, made here: good ones, damaged ones, and ones of a kind that nobody
reads. Where h5py has szip, nbit and scaleoffset, and hdf5plugin and numcodecs are there, what they write
is read, too. Prints TAP."""

import bz2
import json
import lzma
import os
import struct
import tempfile
import zlib

from tap import end, go_on_without, point
from zarr_made import array_2, make, run

try:
    import h5py
    import numpy
except ImportError:
    go_on_without("h5py")

NUMBERS = [7, -1, 300, 4, 5, 6, 70000, 8, 9, -10, 11, 12, 13, 14, 15, 16, 17, 18]
N = len(NUMBERS)
PLAIN = struct.pack(f"<{N}i", *NUMBERS)


# ---- packing ----


def lz4(content):
    """A block of LZ4 of literal bytes alone."""
    n = len(content)
    more = b"" if n < 15 else b"\xff" * ((n - 15) // 255) + bytes([(n - 15) % 255])
    return bytes([min(n, 15) << 4]) + more + content


def blosclz(content):
    """Literal bytes, and at the end three of those four bytes before."""
    runs = [content[i : i + 32] for i in range(0, len(content) - 3, 32)]
    runs[-1] = runs[-1][: (len(content) - 3 - 1) % 32 + 1]
    return b"".join(bytes([len(r) - 1]) + r for r in runs) + bytes([1 << 5, 3])


def shuffled(content, width):
    return b"".join(content[k::width] for k in range(width))


def bit_shuffled(content, width):
    n = len(content) // width
    bits = [content[i * width + k] >> bit & 1 for k in range(width) for bit in range(8) for i in range(n)]
    return bytes(sum(bits[i + k] << k for k in range(8)) for i in range(0, len(bits), 8))


def blosc(content, flags, pack, block=None, width=4, version=2):
    block = block or len(content)
    at, starts, body = 16 + 4 * -(-len(content) // block), b"", b""
    for i in range(0, len(content), block):
        packed = pack(content[i : i + block])
        starts += struct.pack("<I", at + len(body))
        body += struct.pack("<I", len(packed)) + packed
    head = struct.pack("<4B3I", version, 1, flags, width, len(content), block, at + len(body))
    return head + starts + body


def split(content, width):
    """A block of Blosc that has a part for each byte of an element."""
    parts = [zlib.compress(content[i::width]) for i in range(width)]
    block = b"".join(struct.pack("<I", len(p)) + p for p in parts)
    return struct.pack("<4B4I", 2, 1, 0x61, width, len(content), len(content), 20 + len(block), 20) + block


def blocks(content, size, pack, head=True):
    packed = [pack(content[i : i + size]) for i in range(0, len(content), size)]
    body = b"".join(struct.pack(">I", len(p)) + p for p in packed)
    return (struct.pack(">QI", len(content), size) if head else b"") + body


def bits(numbers, count):
    text = "".join(format(v & (1 << count) - 1, f"0{count}b") for v in numbers)
    text += "0" * (-len(text) % 8)
    return bytes(int(text[i : i + 8], 2) for i in range(0, len(text), 8))


def scaled(numbers, count, least):
    return struct.pack("<IBQ", count, 8, least & (1 << 64) - 1) + bytes(8) + bits(numbers, count)


def joined(*parts):
    return b"".join(parts)


# ---- HDF5 ----

ZLIB = 0x71  # Blosc: zlib, not split, with shuffled bytes
WHOLE, ODD = PLAIN[:64], PLAIN[64:]
BITS_OF_WHOLE = bit_shuffled(WHOLE, 4)
OFFSETS = [v + 10 for v in NUMBERS]
SCALE = (2, 0, N, 0, 4, 1, 0, 0) + (0,) * 12
FILL = (2, 0, N, 0, 4, 1, 0, 1, 70000) + (0,) * 11
UNSET = "parameters that are not known"
DAMAGED = "found that it is damaged"
ANOTHER = "found another number of bytes"

# Filters with their parameters; a chunk of 18 int32; and what is said of it: nothing if it is read.
HDF5 = {
    "bzip2": ([(307, (9,))], bz2.compress(PLAIN), ""),
    "bzip2 cut short": ([(307, (9,))], bz2.compress(PLAIN)[:-5], "of bzip2 to give 72, " + ANOTHER),
    "bzip2 of more": ([(307, (9,))], bz2.compress(PLAIN + b"x"), ANOTHER),
    "lz4": ([(32004, ())], blocks(PLAIN, 72, lz4), ""),
    "lz4 in blocks": ([(32004, (32,))], blocks(PLAIN, 32, lz4), ""),
    "lz4 that is stored": ([(32004, ())], blocks(PLAIN, 32, bytes), ""),
    "lz4 of another size": ([(32004, ())], blocks(PLAIN[:-1], 72, lz4), ANOTHER),
    "lz4 of a huge size": ([(32004, ())], b"\1" + blocks(PLAIN, 72, lz4)[1:], ANOTHER),
    "lz4 without blocks": ([(32004, ())], struct.pack(">QI", 72, 0), DAMAGED),
    "lz4 cut short": ([(32004, ())], blocks(PLAIN, 32, lz4)[:-1], DAMAGED),
    "lz4 and a byte": ([(32004, ())], blocks(PLAIN, 32, lz4) + b"x", DAMAGED),
    "a head of lz4": ([(32004, ())], blocks(PLAIN, 32, lz4)[:11], DAMAGED),
    "a size of lz4": ([(32004, ())], blocks(PLAIN, 32, lz4)[:14], DAMAGED),
    "a block of lz4": ([(32004, ())], blocks(PLAIN, 72, lambda c: lz4(c)[:-1]), DAMAGED),
    "bitshuffle": (
        [(32008, (0, 4, 4, 8))],
        joined(bit_shuffled(PLAIN[:32], 4), bit_shuffled(PLAIN[32:64], 4), ODD),
        "",
    ),
    "bitshuffle of any block": ([(32008, (0, 4, 4))], BITS_OF_WHOLE + ODD, ""),
    "bitshuffle, lz4": (
        [(32008, (0, 4, 4, 0, 2))],
        struct.pack(">QI", 72, 8192) + blocks(BITS_OF_WHOLE, 64, lz4, False) + ODD,
        "",
    ),
    "bitshuffle of half units": ([(32008, (0, 4, 4, 12))], BITS_OF_WHOLE + ODD, DAMAGED),
    "bitshuffle without a width": ([(32008, (0, 4, 0))], PLAIN, UNSET),
    "bitshuffle of few parameters": ([(32008, (0, 4))], PLAIN, UNSET),
    "bitshuffle by another program": ([(32008, (0, 4, 4, 0, 9))], PLAIN, UNSET),
    "bitshuffle of fewer": ([(32008, (0, 4, 4, 8))], PLAIN[:-4], ANOTHER),
    "Blosc": ([(32001, (2, 2, 4, 72))], blosc(PLAIN, ZLIB, lambda c: zlib.compress(shuffled(c, 4))), ""),
    "Blosc in blocks": ([(32001, ())], blosc(PLAIN, ZLIB, lambda c: zlib.compress(shuffled(c, 4)), 28), ""),
    "Blosc by LZ4": ([(32001, ())], blosc(PLAIN, 0x31, lambda c: lz4(shuffled(c, 4))), ""),
    "Blosc by BloscLZ": ([(32001, ())], blosc(PLAIN, 0x10, blosclz), ""),
    "Blosc of bits": (
        [(32001, ())],
        blosc(PLAIN, 0x74, lambda c: bit_shuffled(c, 4) if len(c) == 64 else zlib.compress(c), 64),
        "",
    ),
    "Blosc that is stored": ([(32001, ())], struct.pack("<4B3I", 2, 1, 2, 4, 72, 72, 88) + PLAIN, ""),
    "Blosc that is stored, short": (
        [(32001, ())],
        struct.pack("<4B3I", 2, 1, 2, 4, 72, 72, 84) + PLAIN[:-4],
        DAMAGED,
    ),
    "Blosc by Snappy": ([(32001, ())], blosc(PLAIN, 0x50, lz4), "a compression that is not known here"),
    "Blosc 2": ([(32001, ())], blosc(PLAIN, ZLIB, zlib.compress, version=5), "found one of Blosc 2"),
    "Blosc of no width": ([(32001, ())], blosc(PLAIN, ZLIB, zlib.compress, width=0), DAMAGED),
    "Blosc cut short": ([(32001, ())], blosc(PLAIN, ZLIB, zlib.compress)[:-1], DAMAGED),
    "a head of Blosc": ([(32001, ())], blosc(PLAIN, ZLIB, zlib.compress)[:15], DAMAGED),
    "Blosc of another size": ([(32001, ())], blosc(PLAIN + b"abcd", ZLIB, zlib.compress), ANOTHER),
    "Blosc of many blocks": ([(32001, ())], struct.pack("<4B4I", 2, 1, ZLIB, 4, 72, 4, 20, 0), DAMAGED),
    "Blosc of no blocks": ([(32001, ())], struct.pack("<4B4I", 2, 1, ZLIB, 4, 72, 0, 20, 0), DAMAGED),
    "a block after Blosc": ([(32001, ())], struct.pack("<4B4I", 2, 1, ZLIB, 4, 72, 72, 20, 17), DAMAGED),
    "a long block of Blosc": ([(32001, ())], struct.pack("<4B5I", 2, 1, ZLIB, 4, 72, 72, 24, 20, 1), DAMAGED),
    "a block of Blosc that gives less": (
        [(32001, ())],
        blosc(PLAIN, 0x70, lambda c: zlib.compress(c[:-4])),
        DAMAGED,
    ),
    "nbit": ([(5, (8, 0, N, 1, 4, 0, 20, 0))], bits(NUMBERS, 20), [v & 0xFFFFF for v in NUMBERS]),
    "nbit of the upper bits": (
        [(5, (8, 0, N, 1, 4, 0, 20, 12))],
        bits(NUMBERS, 20),
        [v << 12 & 0xFFFFFFFF for v in NUMBERS],
    ),
    "nbit of what is as it was": ([(5, (8, 1, N, 1, 4, 0, 32, 0))], PLAIN, ""),
    "nbit of bytes": ([(5, (5, 0, N, 4, 4))], PLAIN, ""),
    "nbit of arrays": ([(5, (7, 0, N // 2, 2, 8, 4, 4))], PLAIN, ""),
    "nbit of compounds": ([(5, (12, 0, N, 3, 4, 2, 0, 4, 2, 2, 4, 2))], PLAIN, ""),
    "nbit cut short": ([(5, (8, 0, N, 1, 4, 0, 20, 0))], bits(NUMBERS, 20)[:-1], DAMAGED),
    "nbit of more bits than a number has": ([(5, (8, 0, N, 1, 4, 0, 30, 3))], bits(NUMBERS, 32), DAMAGED),
    "nbit of another size": ([(5, (8, 0, N + 1, 1, 4, 0, 20, 0))], bits(NUMBERS, 24), ANOTHER),
    "nbit of few parameters": ([(5, (8, 0, N, 1))], PLAIN, UNSET),
    "nbit of another class": ([(5, (8, 0, N, 5, 4, 0, 20, 0))], PLAIN, DAMAGED),
    "nbit of no members": ([(5, (6, 0, N, 3, 4, 0))], PLAIN, DAMAGED),
    "nbit of types that end": ([(5, (5, 0, N, 1, 4))], PLAIN, DAMAGED),
    "scaleoffset": ([(6, SCALE)], scaled(OFFSETS, 17, -10), ""),
    "scaleoffset of full numbers": ([(6, SCALE)], struct.pack("<IBQ", 32, 8, 0) + bytes(8) + PLAIN, ""),
    "scaleoffset with a fill value": (
        [(6, FILL)],
        scaled([(1 << 10) - 1 if v == 70000 else v + 10 for v in NUMBERS], 10, -10),
        "",
    ),
    "scaleoffset cut short": ([(6, SCALE)], scaled(OFFSETS, 17, -10)[:-1], DAMAGED),
    "scaleoffset of full numbers cut short": (
        [(6, SCALE)],
        struct.pack("<IBQ", 32, 8, 0) + bytes(8) + PLAIN[:-1],
        DAMAGED,
    ),
    "a head of scaleoffset": ([(6, SCALE)], bytes(20), DAMAGED),
    "scaleoffset of too many bits": ([(6, SCALE)], scaled(OFFSETS, 33, -10), DAMAGED),
    "scaleoffset of another kind": ([(6, (1, *SCALE[1:]))], scaled(OFFSETS, 17, -10), UNSET),
    "scaleoffset of few parameters": ([(6, SCALE[:19])], scaled(OFFSETS, 17, -10), UNSET),
    "scaleoffset of an odd width": ([(6, (*SCALE[:4], 3, *SCALE[5:]))], scaled(OFFSETS, 17, -10), UNSET),
    "scaleoffset of another size": ([(6, (2, 0, N - 1, *SCALE[3:]))], scaled(OFFSETS, 17, -10), ANOTHER),
    "two packings": ([(307, ()), (1, (6,))], zlib.compress(bz2.compress(PLAIN)), ""),
    "a packing that grows a lot": (
        [(307, ()), (1, (6,))],
        zlib.compress(bz2.compress(PLAIN) + bytes(70000)),
        "at most 65680, " + ANOTHER,
    ),
    "shuffled by another width": ([(2, (2,))], shuffled(PLAIN, 2), ""),
    "shuffled by no width": ([(2, (0,))], PLAIN, DAMAGED),
    "shuffled, without a width": ([(2, ())], PLAIN, DAMAGED),
    "more than eight filters": ([(2, (1,))] * 9, PLAIN, "a filter that is not one of ours"),
    "Blosc2 as a filter": ([(32026, ())], PLAIN, "a filter that is not one of ours (blosc2 32026"),
}


def hdf5_file(path, filters, chunk):
    """Filters that h5py has choose their own parameters: so each gets a number that h5py does not know, which is
    then changed in the file."""
    with h5py.File(path, "w") as file:
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((N,))
        for number, parameters in filters:
            creation.set_filter(number + 10000, h5py.h5z.FLAG_OPTIONAL, parameters)
        x = h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((N,)), creation)
        x.write_direct_chunk((0,), chunk)
    with open(path, "rb") as file:
        content = file.read()
    for number, parameters in filters:
        head = struct.pack("<HHHH", number + 10000, 0, 1, len(parameters))
        content = content.replace(head, struct.pack("<H", number) + head[2:], 1)
    with open(path, "wb") as file:
        file.write(content)


def check_hdf5(folder):
    path = os.path.join(folder, "x.h5")
    for name, (filters, chunk, wanted) in HDF5.items():
        hdf5_file(path, filters, chunk)
        check(path, name, NUMBERS if wanted == "" else wanted)


def check(path, name, wanted):
    """Numbers, or a part of the message. Numbers are compared as those of 32 bits."""
    code, out, err = run("cat", "--from", "hdf5", "--json", "--dataset", "x", path)
    if isinstance(wanted, str):
        point(code in (4, 6) and wanted in err, name, f"{code} {err}")
        return
    entries = [e[-1] for line in out.splitlines() for e in json.loads(line).get("entries", [])]
    found = json.loads(out.splitlines()[0]).get("values", entries) if out else []
    is_same = len(found) == len(wanted) and all((a - b) % (1 << 32) == 0 for a, b in zip(found, wanted))
    point(code == 0 and is_same, name, f"{code} {out[:300]} {err}")


# ---- Zarr ----

TEXTS = struct.pack("<III3sI2s", 3, 0, 3, b"abc", 2, b"de")
DELTA = {"id": "delta", "dtype": "<i4", "astype": "<i4"}
FIXED = {"id": "fixedscaleoffset", "dtype": "<i4", "astype": "<i2", "offset": -5, "scale": 2}
DIFFERENCES = struct.pack(f"<{N}i", NUMBERS[0], *(b - a for a, b in zip(NUMBERS, NUMBERS[1:])))
SMALL = [v % 100 for v in NUMBERS]
TEXT = {"dtype": "|O", "shape": (3,), "chunks": (3,)}


def crc32c(content, change=0):
    total = 0xFFFFFFFF
    for byte in content:
        total ^= byte
        for _ in range(8):
            total = total >> 1 ^ (0x82F63B78 if total & 1 else 0)
    return content + struct.pack("<I", (total ^ 0xFFFFFFFF) + change)


def id_of(name, **more):
    return {"compressor": {"id": name, **more}}


def filters(*many, **more):
    return {"filters": list(many), **more}


# What .zarray says beside the usual, a chunk, and numbers, texts or a message.
ZARR = {
    "lz4": (id_of("lz4"), struct.pack("<I", 72) + lz4(PLAIN), NUMBERS),
    "lz4 of another size": (id_of("lz4"), struct.pack("<I", 71) + lz4(PLAIN[:-1]), ANOTHER),
    "lz4 of fewer bytes": (id_of("lz4"), struct.pack("<I", 72) + lz4(PLAIN[:-1]), DAMAGED),
    "a head of lz4": (id_of("lz4"), b"abc", DAMAGED),
    "bz2": (id_of("bz2", level=1), bz2.compress(PLAIN), NUMBERS),
    "bz2, damaged": (id_of("bz2"), bz2.compress(PLAIN)[:-2], ANOTHER),
    "lzma": (id_of("lzma", format=1, check=-1, preset=None, filters=None), lzma.compress(PLAIN), NUMBERS),
    "lzma, damaged": (id_of("lzma"), lzma.compress(PLAIN)[:-2], "of xz to give 72"),
    "lzma of before xz": (id_of("lzma", format=2), PLAIN, "a filter with a setting that is not known (lzma)"),
    "crc32c": (id_of("crc32c"), crc32c(PLAIN), NUMBERS),
    "crc32c, wrong": (id_of("crc32c"), crc32c(PLAIN, 1), "expected a chunk with the checksum"),
    "crc32c before": (id_of("crc32c", location="start"), PLAIN, "a filter with a setting that is not known"),
    "Blosc": (id_of("blosc"), blosc(PLAIN, ZLIB, lambda c: zlib.compress(shuffled(c, 4))), NUMBERS),
    "a short chunk of shuffled bytes": (filters({"id": "shuffle"}), PLAIN[:-4], ANOTHER),
    "shuffle": (filters({"id": "shuffle"}), shuffled(PLAIN, 4), NUMBERS),
    "shuffle by 2": (filters({"id": "shuffle", "elementsize": 2}), shuffled(PLAIN, 2), NUMBERS),
    "shuffle by 0": (filters({"id": "shuffle", "elementsize": 0}), PLAIN, "a size of elements"),
    "delta": (filters(DELTA), DIFFERENCES, NUMBERS),
    "delta, and zlib": (filters(DELTA, **id_of("zlib")), zlib.compress(DIFFERENCES), NUMBERS),
    "delta of fewer bytes": (
        filters({**DELTA, "astype": "|i1"}),
        bytes([250, *[1] * (N - 1)]),
        [-6 + i for i in range(N)],
    ),
    "delta of the other order": (
        filters({**DELTA, "dtype": ">i4"}),
        PLAIN,
        "numbers made of numbers of another type",
    ),
    "delta of a part": (filters({**DELTA, "astype": "<i2"}), bytes(2 * N - 1), DAMAGED[6:]),
    "delta of texts": (filters({**DELTA, "astype": "<U4"}), PLAIN, "numbers made of numbers of another type"),
    "delta after bytes": (filters({"id": "zlib"}, DELTA), PLAIN, "numbers made of numbers of another type"),
    "fixedscaleoffset": (filters(FIXED), struct.pack(f"<{N}h", *[2 * (v + 5) for v in SMALL]), SMALL),
    "fixedscaleoffset without a scale": (filters({**FIXED, "scale": 0}), PLAIN, "an offset and a scale"),
    "fixedscaleoffset to huge numbers": (
        filters({**FIXED, "astype": "<f8", "scale": 1e-30}),
        struct.pack(f"<{N}d", *NUMBERS),
        "a number that its type does not hold",
    ),
    "both": (
        filters(FIXED, {**DELTA, "dtype": "<i2", "astype": "<i2"}),
        struct.pack(f"<{N}h", 10, *[2] * (N - 1)),
        list(range(N)),
    ),
    "texts in three packings": (
        {**TEXT, **filters({"id": "vlen-utf8"}, {"id": "lz4"}, {"id": "crc32c"}, **id_of("zlib"))},
        zlib.compress(crc32c(struct.pack("<I", len(TEXTS)) + lz4(TEXTS))),
        ["", "abc", "de"],
    ),
    "texts of shuffled bytes": (
        {**TEXT, **filters({"id": "vlen-utf8"}, {"id": "shuffle", "elementsize": 3})},
        shuffled(TEXTS, 3),
        ["", "abc", "de"],
    ),
    "texts of more than a gigabyte": (
        {**TEXT, **filters({"id": "vlen-utf8"}, **id_of("lz4"))},
        struct.pack("<I", (1 << 30) + 1) + lz4(TEXTS),
        "at most 1073741824",
    ),
}


def check_zarr(folder):
    path = os.path.join(folder, "x.zarr")
    for name, (more, chunk, wanted) in ZARR.items():
        about = {"shape": (N,), "chunks": (N,), "dtype": "<i4", **more}
        make(path, lambda f, a=about, c=chunk: array_2(f, "x", chunk={"0": c}, **a))
        if not isinstance(wanted[0], str) or isinstance(wanted, str):
            check(path, f"Zarr: {name}", wanted)
            continue
        code, out, err = run("cat", "--json", "--dataset", "x", path)
        found = [next(iter(json.loads(line)["cells"].values())) for line in out.splitlines()]
        point(code == 0 and found == wanted, f"Zarr: {name}", f"{code} {out} {err}")


# ---- what programs write ----


def check_programs(folder):
    """h5py's own filters in Debian's build of HDF5, and those of hdf5plugin where it is."""
    try:
        import hdf5plugin as plugin

        packings = {name: getattr(plugin, name)() for name in ("LZ4", "BZip2", "Zstd", "Bitshuffle")}
        for cname in "blosclz", "lz4", "lz4hc", "zlib", "zstd":
            for shuffle in range(3):
                packings[f"Blosc {cname} {shuffle}"] = plugin.Blosc(cname=cname, shuffle=shuffle)
    except ImportError:
        packings = {}
    packings["szip"] = {"compression": "szip"}
    packings["szip ec"] = {"compression": "szip", "compression_opts": ("ec", 16), "shuffle": True}
    packings["scaleoffset"] = {"scaleoffset": 0}
    packings["scaleoffset gzip"] = {"scaleoffset": 0, "compression": "gzip", "shuffle": True}
    path, out = os.path.join(folder, "w.h5"), os.path.join(folder, "w.npy")
    for kind in "<i4", ">i2", "u1", "<f4", "<f8", "<i8":
        values = (numpy.arange(3000) * 7 % 256 - (100 if kind != "u1" else 0)).astype(kind)
        for name, how in packings.items():
            with h5py.File(path, "w") as file:
                how = {k: 1 if k == "scaleoffset" and "f" in kind else v for k, v in dict(how).items()}
                file.create_dataset("x", data=values, chunks=(700,), **how)
            code, _, err = run("convert", "--force", "--dataset", "x", path, out)
            is_left_out = code == 6 and "no libaec" in err
            same = code == 0 and (numpy.load(out) == values).all()
            point(same or is_left_out, f"{name} of {kind}", f"{code} {err}")


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-codecs.") as folder:
        check_hdf5(folder)
        check_zarr(folder)
        check_programs(folder)
    end()


main()
