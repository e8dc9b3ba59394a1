#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boxes that h5py writes, damaged: each is refused with a reason, and headers that are odd but sound are
read. Prints TAP."""

import gzip
import os
import struct
import subprocess
import sys
import tempfile

from box_files import listed, run, values
from tap import end, go_on_without, point

try:
    import h5py
    import numpy
except ImportError:
    go_on_without("h5py")

HDF5_TOOL = os.environ.get("HDF5_TOOL", "build/tests/hdf5_tool")


def damaged(folder):
    """Changed bytes in sound files: never a crash, and never other values without a message if there are
    checksums."""
    path = os.path.join(folder, "sum.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=numpy.arange(1000.0), chunks=(1000,), fletcher32=True)
        at = file["x"].id.get_chunk_info(0).byte_offset
    with open(path, "rb") as file:
        sound = file.read()
    with open(path, "wb") as file:
        file.write(sound[: at + 100] + b"\xff" + sound[at + 101 :])
    items = listed(path)
    point(
        isinstance(items, dict) and "checksum" in items["x"].get("unread", ""),
        "a wrong checksum is named",
        items,
    )
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=numpy.arange(1000.0), chunks=(1000,), compression="gzip")
        at = file["x"].id.get_chunk_info(0).byte_offset
    with open(path, "rb") as file:
        sound = file.read()
    with open(path, "wb") as file:
        file.write(sound[: at + 100] + b"\xff\xff\xff" + sound[at + 103 :])
    items = listed(path)
    point(
        isinstance(items, dict) and "damaged" in items["x"].get("unread", ""),
        "a damaged chunk is named",
        items,
    )
    for change in (0, 1), (0, -1), (1, 4), (2, 1), (3, 255):
        with h5py.File(path, "w", libver="earliest") as file:
            file.create_dataset("x", data=numpy.arange(10, dtype="i4"), chunks=(4,))
            file.create_dataset("grid", data=numpy.arange(12, dtype="i4").reshape(3, 4), chunks=(2, 3))
        with open(path, "rb") as file:
            plain = file.read()
        for name, size in ("x", 16), ("grid", 24):
            key = plain.index(bytes([size, 0, 0, 0]) + bytes(20), plain.index(b"TREE\1"))
            items = changed(path, plain, (key + change[0], (size if change[0] == 0 else 0) + change[1] & 255))
            reason = (
                items if isinstance(items, str) else items[name]["refused"] or items[name].get("unread", "")
            )
            point(
                "that their layout says" in reason or "a chunk within the file" in reason,
                f"a chunk of {name} whose entry says another size (byte {change[0]}): refused",
                reason,
            )
    for cut in 0, 7, 8, 95, 96, len(sound) // 2, len(sound) - 1:
        with open(path, "wb") as file:
            file.write(sound[:cut])
        found = listed(path)
        point(
            isinstance(found, str) and not found.startswith("exit") and path in found,
            f"cut to {cut} bytes: refused",
            found,
        )
    for at, byte, want in (
        (8, 9, "version"),
        (13, 3, "4 or 8"),
        (24, 1, "base address"),
        (40, 255, "bytes, found"),
        (48, 0, "a single file, found one of several"),
    ):
        with open(path, "wb") as file:
            file.write(sound[:at] + bytes([byte]) + sound[at + 1 :])
        found = listed(path)
        point(
            isinstance(found, str) and want in found and f"byte {at}" in found,
            f"byte {at} damaged: named",
            found,
        )
    with open(path, "wb") as file:
        file.write(b"CDF\x01" + bytes(1000))
    found = listed(path)
    point(not isinstance(found, str), "classic netCDF: read, with nothing in it", found)
    with open(path, "wb") as file:
        file.write(b"no box at all" * 1000)
    found = listed(path)
    point(isinstance(found, str) and found.startswith("unknown"), "something else: unknown", found)


def changed(path, sound, *changes):
    """What is listed of the file with other bytes in it."""
    for at, byte in changes:
        sound = sound[:at] + bytes([byte]) + sound[at + 1 :]
    with open(path, "wb") as file:
        file.write(sound)
    return listed(path)


def damaged_headers(folder):
    """Headers of objects that would break the HDF5 library: the object is listed with the reason and the
    byte, and what is beside it is read."""
    path = os.path.join(folder, "header.h5")
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset(
            "x", data=numpy.arange(1000.0), chunks=(500,), compression="gzip", shuffle=True, fillvalue=7.0
        )
        file["beside"] = numpy.arange(3)
        file["bools"] = numpy.zeros(3, bool)
        file["bools"].attrs["a"] = numpy.frombuffer(b"a text here", numpy.uint8)
    with open(path, "rb") as file:
        sound = file.read()
    kind = sound.index(bytes([0x18, 2, 0, 0, 1, 0, 0, 0]))
    text = sound.index(b"a text here")
    attribute = sound.index(bytes([1, 0, 2, 0, 12, 0]))
    layout = sound.index(bytes([8, 0, 24, 0, 0, 0, 0, 0, 3, 2, 2])) + 8
    space = sound.index(bytes([1, 0, 24, 0, 0, 0, 0, 0, 1, 1, 1])) + 8
    filters = sound.index(bytes([11, 0, 56, 0, 1, 0, 0, 0, 1, 2])) + 8
    fill = sound.index(bytes([5, 0, 16, 0, 1, 0, 0, 0])) + 8
    header = space - 24
    cases = {
        "a layout of another version": ([(layout, 1)], layout + 16, "hold something"),
        "a layout of no version": ([(layout, 0)], layout, "version"),
        "a layout of another class": ([(layout + 1, 7)], layout + 1, "class"),
        "chunks of no dimensions": ([(layout + 2, 1)], layout + 2, "dimensions"),
        "chunks of many dimensions": ([(layout + 2, 200)], layout + 2, "dimensions"),
        "more dimensions than fit": ([(layout + 2, 9)], None, "expected"),
        "chunks of nothing": ([(layout + 11, 0), (layout + 12, 0)], layout + 11, "hold something"),
        "chunks of too much": ([(layout + 14, 255)], layout + 15, "4 GiB"),
        "a space of another version": ([(space, 3)], space, "version"),
        "a space of more dimensions": ([(space + 1, 2)], None, "expected"),
        "a space of too many dimensions": ([(space + 1, 33)], space + 1, "dimensions"),
        "a space of no dimensions": ([(space + 1, 0)], None, "as many dimensions"),
        "filters of another version": ([(filters, 3)], filters, "version"),
        "too many filters": ([(filters + 1, 33)], filters + 1, "32 filters"),
        "a filter with a long name": ([(filters + 11, 255)], None, "name of a filter"),
        "a filter with many parameters": ([(filters + 15, 255)], None, "parameters"),
        "a fill value of another version": ([(fill, 9)], fill, "version"),
        "a fill value beyond its message": ([(fill + 5, 9)], None, "fill value"),
        "a fill value of another width": ([(fill + 4, 4)], fill + 8, "as wide as an element"),
        "a message shared in no table": ([(space - 4, 2), (space, 3), (space + 1, 1)], space, "table"),
        "a message beyond its header": ([(space - 5, 99)], None, "a message within its header"),
        "values that lie as far apart as nothing": ([(kind + 12, 2)], kind + 8, "as wide as"),
        "an enumeration of many names": ([(kind + 2, 1)], None, "name that ends"),
        "an attribute of another version": ([(attribute, 4)], attribute, "version"),
        "a type of no version": ([(kind, 8)], kind, "version"),
        "a header of another version": ([(header, 7)], header, "version 1, or OHDR"),
    }
    for name, (changes, at, want) in cases.items():
        items = changed(path, sound, *changes)
        reason = (
            (items["x"]["refused"] or items["bools"]["refused"] or "") if isinstance(items, dict) else items
        )
        point(
            ("damaged" in reason or "not read here" in reason)
            and want in reason
            and (at is None or f"byte {at})" in reason),
            f"{name}: refused",
            reason,
        )
        point(values(items, "beside") == [0, 1, 2], f"{name}: the other array is read", items)
    at = sound.index(b"beside\0")
    found = changed(path, sound, *zip(range(at, at + 6), b"bools\0"))
    point("expected each name once, found /bools twice" in found, "two of one name: refused", found)


def types_within(count):
    """Compounds within each other."""
    kind = "i1"
    for _ in range(count - 1):
        kind = numpy.dtype([("a", kind)])
    return kind


def early(file):
    """Chunks that are all there, so that their index is only a rule."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk((7,))
    creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    space = h5py.h5s.create_simple((50,))
    h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I32LE, space, creation)


def huge_attribute(file):
    x = file.create_dataset("x", data=1)
    for i in range(12):
        x.attrs[f"{i}"] = i
    x.attrs["huge"] = numpy.arange(100000, dtype="u4")


def long_attributes(file):
    """The heap has blocks in rows."""
    x = file.create_dataset("x", data=1)
    for i in range(12):
        x.attrs[f"{i}"] = numpy.arange(50)


def typed(file):
    file["type"] = numpy.dtype("i4")
    file.create_dataset("x", data=[1, 2], dtype=file["type"])


def continuation(address, size):
    return struct.pack("<HHxxxxQQ", 16, 16, address, size)


def continued(count):
    """Values that look like a header that continues so often."""
    message = continuation(0, 0)
    return lambda file: file.create_dataset("x", data=numpy.frombuffer(message * count, "u1"))


def written_text(file):
    """An array of texts with an attribute in the same collection, before its texts."""
    x = file.create_dataset("x", (1,), h5py.string_dtype())
    x.attrs["binsparse"] = "a text that is read before those of the array"
    x[0] = "abc"


def nowhere_after_damage(sound, _):
    """The text of an array is nowhere, after a collection that breaks off behind a sound object."""
    file, at = bytearray(sound), sound.index(b"GCOL")
    first = struct.unpack_from("<Q", sound, at + 24)[0]
    struct.pack_into("<Q", file, at + 16 + 16 + (first + 7) // 8 * 8 + 8, 99999)
    to = sound.index(struct.pack("<IQ", 3, at))
    struct.pack_into("<QI", file, to + 4, 2**64 - 1, 1)
    return bytes(file)


WIDE_COMPLEX = numpy.dtype({"names": "ri", "formats": ["f8", "f8"], "offsets": [0, 8], "itemsize": 24})
NUMBERS = numpy.arange(50, dtype="i4")
MADE = {
    "plain": ("earliest", lambda file: file.create_dataset("x", data=numpy.zeros(100000, "u1"))),
    "old": ("earliest", lambda file: file.create_dataset("x", data=NUMBERS, chunks=(7,))),
    "bytes": ("earliest", lambda file: file.create_dataset("x", data=NUMBERS.astype("u1"), chunks=(7,))),
    "sum": ("earliest", lambda file: file.create_dataset("x", data=NUMBERS, chunks=(7,), fletcher32=True)),
    "complex": ("earliest", lambda file: file.create_dataset("x", data=numpy.array([1 + 2j]))),
    "pieces": ("earliest", continued(65535)),
    "many pieces": ("earliest", continued(65536)),
    "typed": ("latest", typed),
    "deep": ("latest", lambda file: file.create_dataset("x", shape=(2,), dtype=types_within(32))),
    "too deep": ("latest", lambda file: file.create_dataset("x", shape=(2,), dtype=types_within(33))),
    "fixed": ("latest", lambda file: file.create_dataset("x", data=NUMBERS, chunks=(7,))),
    "single": ("latest", lambda file: file.create_dataset("x", data=NUMBERS, chunks=(50,))),
    "growing": ("latest", lambda file: file.create_dataset("x", data=NUMBERS, chunks=(3,), maxshape=(None,))),
    "tree": (
        "latest",
        lambda file: file.create_dataset(
            "x",
            data=numpy.arange(126).reshape(9, 14),
            chunks=(4, 5),
            maxshape=(None, None),
            compression=1,
        ),
    ),
    "implicit": ("latest", early),
    "attributes": ("latest", huge_attribute),
    "many attributes": ("latest", long_attributes),
    "absent": ("latest", lambda file: file.create_dataset("x", (50,), "u1", chunks=(7,))),
    "texts": ("earliest", lambda file: file.create_dataset("x", data=["abc"], dtype=h5py.string_dtype())),
    "written": ("earliest", written_text),
    "wide complex": ("earliest", lambda file: file.create_dataset("x", (2,), WIDE_COMPLEX)),
}


def old_layout(sound, at, dimensions):
    """The layout in version 2, with the address that it has in version 3."""
    return struct.pack("<BBB5x8sII", 2, dimensions, 2, sound[at + 3 : at + 11], 7, 4)


def data_as_header(sound, at):
    """x's header continues in its values."""
    size = struct.unpack_from("<Q", sound, sound.index(LAYOUT) + 18)[0]
    return continuation(struct.unpack_from("<Q", sound, sound.index(LAYOUT) + 10)[0], size) + bytes(8)


def overlapping(sound, at):
    """x's header continues at almost the same place again and again."""
    values = struct.unpack_from("<Q", sound, sound.index(LAYOUT) + 10)[0]
    return b"".join(continuation(values + 8 * i, 90000) for i in range(4)).ljust(256, b"\0")


def tiny_piece(at, size):
    """A piece of a header in place of a gap."""
    return b"\x10" + struct.pack("<HxQQ", 185, at + 20, size) + b"OCHK"


def far_blocks(sound, at):
    """The last super block exists: it would have more blocks than the file has bytes."""
    return struct.pack("<Q", 2**62) + sound[at + 8 : at + 28 + 286] + bytes(8)


def unlike_classes(sound, at):
    """The first part is a float of no bits, the second an integer."""
    kind, rest = sound[at : at + 1] + bytes(3) + sound[at + 4 : at + 8], sound[at + 20 : at + 60]
    return kind + bytes(12) + rest + b"\x10"


def far_blocks_of(size):
    """The same in a file of that size."""
    return lambda sound, at: (far_blocks(sound, at) + sound[at + 322 :]).ljust(size - at, b"\0")


def unlike_parts(sound, at):
    """The second part has half the bytes of the first, and lies upon it."""
    return struct.pack("<I", 4) + sound[at + 4 : at + 36] + struct.pack("<I", 4)


def beyond_rows(sound, at):
    """The first place after a heap's rows, each as large as all before it."""
    heap = sound.rindex(b"FRHP")
    width, start, rows = (struct.unpack_from("<H", sound, heap + k)[0] for k in (110, 112, 140))
    return struct.pack("<I", start * width << (rows - 1))


def narrow_nodes(sound, at):
    """Nodes are a byte shorter than a record."""
    return struct.pack("<I", struct.unpack_from("<H", sound, at + 4)[0] - 1)


def short_nodes(sound, at):
    """Nodes are a byte shorter than the records of the root."""
    record, count = struct.unpack_from("<H12xH", sound, at + 4)
    return struct.pack("<I", 9 + record * count)


def deflated(more):
    """Just as many bytes as deflate could make of a file of that size, and more."""
    return lambda sound, _: struct.pack("<QQ", *[1032 * (len(sound) + 1) - 1 + more] * 2)


# A file of the above; bytes that are in it once, or its structures by name (the last of them); a place from
# there, and what is put there; and what is said of x.
LAYOUT, GAP = bytes([8, 0, 24, 0, 0, 0, 0, 0, 3]), bytes([0, 185, 0, 0])
SPACE_1, SPACE_2 = bytes([1, 0, 24, 0]), bytes([2, 1, 1, 1, 50, 0])
ARRAY = "the header of an extensible array"
TREE, HEAP = "the header of a B-tree", "the header of a heap"
OBJECT, NAMES = "a header of an object", b"BTLF\0\x08"
CHANGES = [
    ("deep", b"", 0, b"", "compound"),
    ("too deep", b"", 0, b"", "at most 32 types within each other"),
    ("old", LAYOUT, 8, lambda sound, at: old_layout(sound, at, 2), ""),
    ("old", LAYOUT, 8, lambda sound, at: old_layout(sound, at, 1), "2 to 33 dimensions of chunks, found 1"),
    ("bytes", LAYOUT, 19, struct.pack("<I", 2**32 - 1), "chunks of more than a gigabyte"),
    ("sum", b"TREE\1", 24, b"\3", "a checksum after a chunk, found 3 bytes"),
    ("complex", b"i\0\0\0\0\0\0\0", 0, b"j", "expected numbers, found compound"),
    ("complex", b"i\0\0\0\0\0\0\0", 8, b"\x09", "a member within its compound, found 9"),
    ("complex", b"i\0\0\0\0\0\0\0", 8, b"\x11", "a member within its compound, found 17"),
    ("complex", b"i\0\0\0\0\0\0\0", 8, unlike_parts, "expected numbers, found compound"),
    ("complex", b"r\0\0\0\0\0\0\0", 40, unlike_classes, "expected numbers, found compound"),
    ("wide complex", b"", 0, b"", "expected numbers, found compound"),
    ("plain", LAYOUT, 10, lambda sound, _: struct.pack("<Q", len(sound) - 99999), "after the end"),
    ("plain", LAYOUT, 10, lambda sound, _: struct.pack("<Q", len(sound) - 100000), ""),
    ("plain", LAYOUT, 10, lambda sound, _: struct.pack("<Q", len(sound) - 99999), "after the end of the"),
    ("plain", LAYOUT, 18, struct.pack("<Q", 99999), "fewer values than its dimensions say"),
    ("old", LAYOUT, 23, struct.pack("<I", 8), "chunks of elements as wide as their type, found 8"),
    ("old", b"\x89HDF", 40, struct.pack("<Q", 55), "an end of the file after its superblock, found 55"),
    ("old", b"\x89HDF", 40, struct.pack("<Q", 56), ""),
    ("old", b"TREE\1", 0, b"X", "a node of a B-tree, which begins with TREE, found 58 52 45 45"),
    ("old", b"TREE\1", 32, b"\1", "chunks side by side, found 1"),
    ("old", b"TREE\1", 48, b"\xff" * 8, "a chunk within the file, found one of 28 bytes at address -1"),
    ("texts", b"GCOL", 24, struct.pack("<Q", 4064), ""),
    ("texts", b"GCOL", 24, struct.pack("<Q", 4065), "a text within its collection, found 4065"),
    ("written", b"", 0, nowhere_after_damage, "the address of a collection of texts, found none"),
    ("absent", SPACE_2, 4, deflated(0), ""),
    ("absent", SPACE_2, 4, deflated(1), ""),
    ("absent", SPACE_2, 4, struct.pack("<QQ", 2**40, 2**40), "more elements than a file of this size should"),
    ("single", SPACE_2, 4, struct.pack("<QQ", 2**62, 2**62), "more elements than a file of this size"),
    ("pieces", SPACE_1, 0, data_as_header, "to be reached once, found a second way to it"),
    ("many pieces", SPACE_1, 0, data_as_header, "a header of fewer pieces, found 65536"),
    ("plain", OBJECT, 16, overlapping, "expected structures that end, found that a continuation"),
    ("typed", bytes([3, 10, 0]), 6, b"\x30", "an object that is a type"),
    ("typed", bytes([3, 12, 0]), 3, b"\2", "an object that is a type"),
    ("fixed", b"\x89HDF", 44, b"\0\0\0\0", "a superblock with its checksum"),
    ("fixed", OBJECT, 5, b"\3" + b"\xff" * 8, "a size of a header"),
    ("fixed", OBJECT, 5, b"\3" + struct.pack("<Q", 2**63 - 100), "a size of a header"),
    ("fixed", GAP, 0, b"\x19\xb9\0\x80", "messages that are known, found 25"),
    ("fixed", GAP, 0, b"\x18\xb9\0\x80", ""),
    ("fixed", GAP, 0, b"\x19\xb9\0\0", ""),
    ("fixed", GAP, 0, lambda _, at: tiny_piece(at, 8), ""),
    ("fixed", GAP, 0, lambda _, at: tiny_piece(at, 7), "room for a checksum, found 7"),
    ("growing", ARRAY, 7, b"\3", "an extensible array whose sizes are powers of two, found 3"),
    ("growing", ARRAY, 7, b"\x41", "an extensible array whose sizes are powers of two, found 65"),
    ("growing", ARRAY, 9, b"\3", "an extensible array whose sizes are powers of two"),
    ("growing", ARRAY, 10, b"\3", "an extensible array whose sizes are powers of two"),
    ("growing", ARRAY, 10, b"\1", "an extensible array whose sizes are powers of two"),
    ("growing", ARRAY, 11, b"\x20", "an extensible array whose sizes are powers of two"),
    ("growing", ARRAY, 44, far_blocks, "blocks that fit the file, found 16384"),
    ("fixed", "the header of a fixed array", 7, b"\x1f", ""),
    ("fixed", "the header of a fixed array", 7, b"\x20", "pages of less than 2^32 entries, found 32"),
    ("single", SPACE_2, 4, struct.pack("<QQ", 100, 100), "one chunk, found 2"),
    ("implicit", SPACE_2, 4, struct.pack("<QQ", 20000, 20000), "as many chunks as the file has room for"),
    ("growing", ARRAY, 44, far_blocks_of(16383), "blocks that fit the file, found 16384"),
    ("growing", ARRAY, 44, far_blocks_of(16384), "a super block of chunks"),
    ("tree", TREE, 5, b"\1", "a B-tree of the type of its use, found 1"),
    ("tree", TREE, 6, narrow_nodes, "records that fit a node"),
    ("tree", TREE, 6, short_nodes, "records that fit a node"),
    ("fixed", SPACE_2, 3, b"\2", "chunks of as many dimensions as the array"),
    ("tree", TREE, 12, b"\x21", "a depth of up to 32, found 33"),
    ("tree", TREE, 12, b"\x20", "a node of a B-tree, which begins with BTIN"),
    ("tree", TREE, 10, b"\x1c", "records of chunks, found 28"),
    ("tree", TREE, 10, b"\x25", "records of chunks, found 37"),
    ("attributes", HEAP, 110, b"\3", "whose sizes are powers of two"),
    ("attributes", HEAP, 112, b"\3", "whose sizes are powers of two"),
    ("attributes", HEAP, 120, b"\3", "whose sizes are powers of two"),
    ("attributes", HEAP, 112, b"\0\0\2\0", "whose sizes are powers of two"),
    ("attributes", HEAP, 120, b"\0\0\0\0\1", "a heap of up to 64 bits"),
    ("attributes", HEAP, 128, b"\0", "a heap of up to 64 bits, found 0"),
    ("attributes", HEAP, 128, b"\x41", "a heap of up to 64 bits, found 65"),
    ("attributes", HEAP, 140, b"\x81", "fewer rows of a heap, found 129"),
    ("attributes", HEAP, 112, b"\x10\0", "room for a checksum, found 16"),
    ("attributes", NAMES, 6, b"\x30", "an identifier of a heap's object, found 48"),
    ("attributes", NAMES, 7, struct.pack("<I", 1025), "an object within a block of its heap, found 1025"),
    ("many attributes", NAMES, 7, beyond_rows, "an object within the rows of its heap"),
    ("attributes", b"BTLF\0\1", 22, b"\2", "a huge object that is in its tree, found 1"),
]


def structure(path, name):
    """Where the last one of that name is."""
    lines = run(HDF5_TOOL, "map", path)[1].splitlines()
    return [int(line.split()[-3]) for line in lines if line.startswith(name)][-1]


def damaged_structures(folder):
    """Fields that contradict others, under checksums that are right."""
    path, sound = os.path.join(folder, "x.h5"), {}
    for name, (version, make) in MADE.items():
        with h5py.File(path, "w", libver=version) as file:
            make(file)
        with open(path, "rb") as file:
            sound[name] = file.read()
    for name, what, offset, new, want in CHANGES:
        with open(path, "wb") as file:
            file.write(sound[name])
        at = structure(path, what) if isinstance(what, str) else sound[name].index(what)
        at += offset
        new = new if isinstance(new, bytes) else new(sound[name], at)
        with open(path, "wb") as file:
            file.write(sound[name][:at] + new + sound[name][at + len(new) :])
        subprocess.run([HDF5_TOOL, "mend", path], check=True)
        items = listed(path)
        reason = items if isinstance(items, str) else items["x"]["refused"] or items["x"].get("unread", "")
        point(want in reason if want else not reason, f"{name}: {what}, {offset}: {want or 'read'}", reason)


def sound_headers(folder):
    """Headers of all kinds: nothing in them is mistaken for damage."""
    path = os.path.join(folder, "sound.h5")
    for version in "earliest", "v108", "latest":
        for block in 0, 512:
            with h5py.File(path, "w", libver=version, userblock_size=block) as file:
                for i in range(40):
                    file.attrs[f"attribute {i}"] = "x" * i
                for shape, most, chunks in (
                    ((6, 6), (6, 6), None),
                    ((6, 6), (6, 6), (6, 6)),
                    ((6, 6), (9, 9), (2, 2)),
                    ((6, 6), (None, 6), (2, 2)),
                    ((6, 6), (None, None), (2, 3)),
                ):
                    for kind in "f8", "S5", h5py.string_dtype(), numpy.dtype([("a", "i4"), ("b", "f8")]):
                        for filters in (
                            {},
                            {"compression": "gzip", "shuffle": True, "fletcher32": True},
                            {"compression": "lzf"},
                            {"scaleoffset": 3},
                        ):
                            if filters and (
                                chunks is None
                                or kind not in ("f8", "S5")
                                or ("scaleoffset" in filters and kind != "f8")
                            ):
                                continue
                            name = f"{len(file)}"
                            x = file.create_dataset(
                                name, shape, kind, maxshape=most, chunks=chunks, **filters
                            )
                            for i in range(12 if len(file) % 7 == 0 else 1):
                                x.attrs[f"a{i}"] = list(range(i + 1))
                deep = numpy.dtype(
                    [
                        ("name of 8", "u2", (2, 3)),
                        ("n", [("x", "c16"), ("y", "S3")]),
                        ("a longer name", h5py.enum_dtype({"one": 1, "a name": 200}, "i2")),
                    ]
                )
                for i, kind in enumerate(
                    (
                        deep,
                        bool,
                        "V7",
                        h5py.ref_dtype,
                        h5py.regionref_dtype,
                        h5py.vlen_dtype("f4"),
                        h5py.string_dtype(length=9),
                        ">f2",
                        "c8",
                    )
                ):
                    x = file.create_dataset(f"type {i}", (2,), kind)
                    x.attrs.create(
                        "a",
                        numpy.zeros((2, 2), kind) if i not in (3, 4, 5) else 1,
                        dtype=kind if i not in (3, 4, 5) else None,
                    )
                    x.attrs["none"] = h5py.Empty("f8")
                file["type 0"].attrs["to"] = file["type 1"].ref
                file["scalar"], file["empty"], file["type"] = 1.5, h5py.Empty("f8"), numpy.dtype("f8")
                file.create_dataset("of a type", (3,), dtype=file["type"])
            items = listed(path)
            wrong = (
                items
                if isinstance(items, str)
                else [item for item in items.values() if "damaged" in (item["refused"] or "")]
            )
            point(not wrong and len(items) > 30, f"headers of {version}, after {block} bytes: sound", wrong)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-box.") as folder:
        damaged(folder)
        damaged_headers(folder)
        damaged_structures(folder)
        sound_headers(folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
