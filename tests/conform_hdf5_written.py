#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HDF5 and netCDF-4 files that are written here, new ones and updated ones, in other programs: h5py, h5dump,
h5stat, h5ls, h5repack, ncdump and netCDF4-python read them and continue writing into them; and every
structure is found by a separate walk, with its checksum, within the file and without overlap. Prints TAP."""

import glob
import itertools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from tap import end, go_on_without, point, skip

try:
    import h5py
    import numpy
except ImportError:
    go_on_without("h5py")

TOOL = os.environ.get("BOX_TOOL", "build/tests/box_tool")
HOSTILE = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "hostile")
TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
COUNTS = [0, 1, 1000, 70000]


def run(*arguments, **more):
    p = subprocess.run(arguments, capture_output=True, timeout=300, check=False, **more)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def tool(*arguments):
    code, _, err = run(TOOL, *arguments)
    return "" if code == 0 else f"exit {code}: {err}"


# ---- a walk through what is written new: superblock 2, headers 2, layouts 3 ----


def rotate(x, n):
    return (x << n | x >> (32 - n)) & 0xFFFFFFFF


def checksum(data):
    """Bob Jenkins' lookup3."""
    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    if not data:
        return c
    blocks = [data[i : i + 12].ljust(12, b"\0") for i in range(0, len(data), 12)]
    for block in blocks[:-1]:
        x, y, z = struct.unpack("<III", block)
        a, b, c = (a + x) & 0xFFFFFFFF, (b + y) & 0xFFFFFFFF, (c + z) & 0xFFFFFFFF
        for n in 4, 6, 8, 16, 19, 4:
            a = ((a - c) & 0xFFFFFFFF) ^ rotate(c, n)
            c = (c + b) & 0xFFFFFFFF
            a, b, c = b, c, a
    x, y, z = struct.unpack("<III", blocks[-1])
    s = [(a + x) & 0xFFFFFFFF, (b + y) & 0xFFFFFFFF, (c + z) & 0xFFFFFFFF]
    for i, n in enumerate((14, 11, 25, 16, 4, 14, 24)):
        to, by = (i + 2) % 3, s[(i + 1) % 3]
        s[to] = ((s[to] ^ by) - rotate(by, n)) & 0xFFFFFFFF
    return s[2]


class Walk:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.taken = {}
        self.wrong = []
        self.heaps = set()
        self.groups = self.datasets = 0

    def number(self, at, size):
        return int.from_bytes(self.bytes[at : at + size], "little")

    def expect(self, ok, what):
        if not ok:
            self.wrong.append(what)

    def take(self, at, size, what):
        self.expect(0 <= at and at + size <= len(self.bytes), f"{what} at {at}: not within the file")
        self.expect(at not in self.taken, f"{what} at {at}: taken twice")
        self.taken[at] = size, what

    def take_summed(self, at, size, letters):
        self.take(at, size, letters.decode())
        self.expect(self.bytes[at : at + 4] == letters, f"{letters} at {at}")
        self.expect(
            checksum(self.bytes[at : at + size - 4]) == self.number(at + size - 4, 4),
            f"{letters} at {at}: checksum",
        )

    def file(self):
        self.expect(self.bytes[:12] == b"\x89HDF\r\n\x1a\n\x02\x08\x08\x00", "superblock")
        self.expect(checksum(self.bytes[:44]) == self.number(44, 4), "superblock: checksum")
        self.expect(self.number(28, 8) == len(self.bytes), "end of the file")
        self.take(0, 48, "superblock")
        self.header(self.number(36, 8))
        for at in self.heaps:
            self.collection(at)
        end_of_last = 0
        for at, (size, what) in sorted(self.taken.items()):
            self.expect(at >= end_of_last, f"{what} at {at}: over another")
            self.expect(at - end_of_last < 64 or what != "OHDR", f"hole before {what} at {at}")
            end_of_last = at + size
        return self.wrong

    def header(self, at):
        flags, size = self.bytes[at + 5], self.number(at + 6, 4)
        self.expect(flags & 3 == 2 and flags & 0x30 == 0, f"flags of the header at {at}")
        self.take_summed(at, size + 14, b"OHDR")
        messages, here, stop = [], at + 10, at + 10 + size
        while here < stop:
            kind, n = self.bytes[here], self.number(here + 1, 2)
            here += 6 if flags & 4 else 4
            messages.append((kind, here, n))
            here += n
        self.expect(here == stop, f"messages of the header at {at}")
        kinds = [kind for kind, _, _ in messages]
        self.groups += 2 in kinds
        self.datasets += 8 in kinds
        for kind, here, n in messages:
            if kind == 2:
                self.links(here, kinds.count(6))
            elif kind == 6:
                self.link(here)
            elif kind == 8:
                self.layout(here)
            elif kind == 12:
                self.attribute(here, n)

    def link(self, at):
        flags = self.bytes[at + 1]
        at += 2 + (8 if flags & 4 else 0) + (1 if flags & 16 else 0)
        width = 1 << (flags & 3)
        at += width + self.number(at, width)
        self.header(self.number(at, 8))

    def links(self, at, compact):
        tracked = self.bytes[at + 1] & 1
        heap, tree = (self.number(at + 2 + 8 * tracked + 8 * i, 8) for i in range(2))
        if heap == 2**64 - 1:
            self.expect(compact <= 8, f"many links in the header of {at}")
            return
        self.expect(compact == 0, f"links in the header and in a heap, {at}")
        self.take_summed(heap, 146, b"FRHP")
        block, size = self.number(heap + 132, 8), self.number(heap + 112, 8)
        self.take(block, size, "FHDB")
        body = self.bytes[block : block + 17] + bytes(4) + self.bytes[block + 21 : block + size]
        self.expect(checksum(body) == self.number(block + 17, 4), f"FHDB at {block}: checksum")
        found = self.tree(tree, 5, 11)
        self.expect(len(found) == self.number(heap + 70, 8), f"links of the heap at {heap}")
        self.expect([r[0] for r in found] == sorted(r[0] for r in found), f"order of the tree at {tree}")
        if self.bytes[at + 1] & 2:
            ordered = self.tree(self.number(at + 26, 8), 6, 15)
            self.expect([r[0] for r in ordered] == sorted(r[0] for r in ordered), f"order of links, {at}")
            self.expect(sorted(r[1] for r in ordered) == sorted(r[1] for r in found), f"two trees of {at}")
        for _, place in found:
            self.link(block + place)

    def tree(self, at, kind, width):
        self.take_summed(at, 38, b"BTHD")
        self.expect(self.bytes[at + 5] == kind and self.number(at + 10, 2) == width, f"tree at {at}")
        found = self.node(
            self.number(at + 16, 8), kind, width, self.number(at + 12, 2), self.number(at + 24, 2)
        )
        self.expect(len(found) == self.number(at + 26, 8), f"records of the tree at {at}")
        return found

    def node(self, at, kind, width, depth, count):
        records = [
            (self.number(at + 6 + i * width, width - 7), self.number(at + 6 + i * width + width - 6, 4))
            for i in range(count)
        ]
        size = 6 + count * width
        if depth == 0:
            self.take_summed(at, size + 4, b"BTLF")
            return records
        below = 502 // width
        wide = 0
        if depth > 1:
            for d in range(1, depth):
                pointer = 9 + wide
                below = (502 - pointer) // (width + pointer) * (below + 1) + below
                wide = (below.bit_length() + 7) // 8
        pointer, found = 9 + wide, []
        self.take_summed(at, size + (count + 1) * pointer + 4, b"BTIN")
        for i in range(count + 1):
            here = at + size + i * pointer
            part = self.node(self.number(here, 8), kind, width, depth - 1, self.number(here + 8, 1))
            self.expect(not wide or len(part) == self.number(here + 9, wide), f"node at {at}, child {i}")
            found += part + records[i : i + 1]
        return found

    def layout(self, at):
        if self.bytes[at + 1] == 1:
            address, size = self.number(at + 2, 8), self.number(at + 10, 8)
            if address != 2**64 - 1:
                self.expect(address % 64 == 0, f"values at {address}: alignment")
                self.take(address, size, "values")
        elif self.number(at + 3, 8) != 2**64 - 1:
            self.chunks(self.number(at + 3, 8), 0)

    def chunks(self, at, first):
        self.take(at, 24 + 65 * 24 + 64 * 8, "TREE")
        level, count = self.bytes[at + 5], self.number(at + 6, 2)
        self.expect(self.bytes[at : at + 5] == b"TREE\x01" and 0 < count <= 64, f"tree of chunks at {at}")
        for i in range(count):
            key = at + 24 + 32 * i
            place, child = self.number(key + 8, 8), self.number(key + 24, 8)
            self.expect(place >= first, f"order of chunks at {at}")
            first = place
            if level:
                self.chunks(child, first)
            else:
                self.take(child, self.number(key, 4), "chunk")

    def attribute(self, at, size):
        name, kind, space = (self.number(at + 2 + 2 * i, 2) for i in range(3))
        here = at + 9 + name
        if self.bytes[here] & 15 == 9:
            for value in range(here + kind + space, at + size, 16):
                self.heaps.add(self.number(value + 4, 8))

    def collection(self, at):
        size = self.number(at + 8, 8)
        self.take(at, size, "GCOL")
        self.expect(self.bytes[at : at + 5] == b"GCOL\x01", f"texts at {at}")
        here, wanted = at + 16, 1
        while here < at + size:
            number, n = self.number(here, 2), self.number(here + 8, 8)
            if number == 0:
                self.expect(n == at + size - here, f"what is left of the texts at {at}")
                break
            self.expect(number == wanted, f"numbers of the texts at {at}")
            wanted += 1
            here += 16 + (n + 7) // 8 * 8


# ---- what others make of it ----


def content(path):
    """Everything that h5py finds."""
    found = {}

    def attributes(thing):
        return {
            key: thing.file[value].name if isinstance(value, h5py.Reference) else repr(value)
            for key, value in thing.attrs.items()
        }

    def enter(group, path):
        found[path] = attributes(group)
        for name in group:
            link = group.get(name, getlink=True)
            here = f"{path}/{name}"
            if isinstance(link, h5py.SoftLink):
                found[here] = "soft", link.path
            elif isinstance(link, h5py.ExternalLink):
                found[here] = "external", link.filename, link.path
            elif isinstance(group[name], h5py.Group):
                enter(group[name], here)
            else:
                found[here] = (
                    group[name][()].tobytes(),
                    str(group[name].dtype),
                    group[name].shape,
                    attributes(group[name]),
                )

    with h5py.File(path, "r") as file:
        enter(file, "")
    return found


def programs(path, folder, repack=True):
    """The complaints of h5dump, h5stat, h5ls and h5repack."""
    copy = os.path.join(folder, "repacked")
    wrong = []
    for command in [["h5dump", path], ["h5stat", path], ["h5ls", "-rv", path], ["h5repack", path, copy]][
        : 4 if repack else 3
    ]:
        if shutil.which(command[0]) is None:
            continue
        code, _, err = run(*command)
        if code or err:
            wrong.append((command, code, err[:300]))
    return wrong


def append(path):
    """h5py continues: new things, changed things, and removed things."""
    with h5py.File(path, "a") as file:
        group = file.require_group("A/sub")
        for i in range(40):
            group.create_group(f"n{i}")
            file[f"more{i}"] = i
            file.attrs[f"z{i}"] = i
            group.attrs[f"z{i}"] = "x" * i
        for i in range(0, 40, 2):
            del group[f"n{i}"]
        file["float64_1"].attrs["unit"] = "m"
        file["float64_1"][0] = 7


def written(folder):
    for suffix, level in itertools.product(("h5", "nc"), (0, 3)):
        path = os.path.join(folder, f"made{level}.{suffix}")
        name = f"{suffix}, level {level}"
        made = tool("make", path, str(level))
        point(made == "", f"{name}: written", made)
        walk = Walk(path)
        wrong = walk.file()
        point(
            not wrong and walk.groups == 3 and walk.datasets == (81 if suffix == "h5" else 90),
            f"{name}: every structure is sound",
            (walk.groups, walk.datasets, wrong[:20]),
        )
        wrong = programs(path, folder)
        point(not wrong, f"{name}: the HDF5 programs read it", wrong)
        before = content(path)
        point(
            len(before) == (84 if suffix == "h5" else 93)
            and content(os.path.join(folder, "repacked")).keys() == before.keys(),
            f"{name}: so does h5py, also the repacked one",
            len(before),
        )
        append(path)
        after = content(path)
        lost = [
            key
            for key, value in before.items()
            if key not in ("", "/A/sub", "/float64_1") and after.get(key) != value
        ]
        point(
            not lost and "/A/sub/n39" in after and "/A/sub/n38" not in after,
            f"{name}: h5py goes on in it",
            lost,
        )
        wrong = programs(path, folder)
        point(not wrong, f"{name}: and it is still read", wrong)
        # The dimensions of netCDF are listed, too.
        code, out, err = run(TOOL, "list", path)
        wanted = 144 + 9 * name.startswith("nc")
        point(code == 0 and out.count("\n") == wanted, f"{name}: here as well", (out.count("\n"), err))
        made = tool("into", path, "1")
        point(made == "" and content(path).keys() == after.keys(), f"{name}: and written into", made)


def many(folder):
    path = os.path.join(folder, "many.h5")
    for count in 8, 9, 30, 2000, 9000:
        made = tool("many", path, str(count))
        walk = Walk(path)
        wrong = walk.file()
        with h5py.File(path, "r") as file:
            names = list(file["groups"])
            values = file["chunks"][()]
        sound = names == sorted(f"g{i}" for i in range(count)) and numpy.array_equal(
            values, numpy.arange(16 * count, dtype="i4")
        )
        point(made == "" and not wrong and sound, f"{count} groups and chunks", (made, wrong[:20]))
        with h5py.File(path, "a") as file:
            for i in range(20):
                file["groups"].create_group(f"new{i}")
            del file["groups/g3"]
            file["chunks"].resize((16 * count + 5,))
            file["chunks"][16 * count :] = 3
        with h5py.File(path, "r") as file:
            sound = (
                len(file["groups"]) == count + 19
                and "new7" in file["groups"]
                and "g4" in file["groups"]
                and file["chunks"][16 * count + 4] == 3
            )
        point(sound, f"{count} groups and chunks: h5py goes on")
        os.remove(path)


def netcdf(folder):
    try:
        import netCDF4
    except ImportError:
        skip("netCDF4-python", "not installed")
        return
    path = os.path.join(folder, "python.nc")
    tool("make", path, "3")
    with netCDF4.Dataset(path) as file:
        sound = (
            file.binsparse == '{"made":1}'
            and list(file["A/sub/int16_1000"][997:]) == [997, 998, 999]
            and len(file.dimensions["length_1000"]) == 1000
        )
    point(sound, "netCDF4-python reads it")
    with netCDF4.Dataset(path, "a") as file:
        file.createVariable("more", "f8", ("length_1000",))[:] = 3
        file.createGroup("G").createDimension("k", 3)
        file.setncattr("more", "text")
    with netCDF4.Dataset(path) as file:
        sound = (
            list(file["more"][:2]) == [3, 3]
            and file.more == "text"
            and list(file["float64_1000"][:2]) == [0, 0.25]
        )
    point(sound, "and goes on in it")
    made = tool("into", path, "0")
    with netCDF4.Dataset(path) as file:
        sound = (
            made == ""
            and file["more"].dimensions == ("length_1000",)
            and file["int8_1000"].dimensions == ("length_1000",)
        )
    point(sound, "and reads it when it was written into", made)


# ---- files of others that are written into ----


def make_old(path, version, block, tracked, links, attributes):
    with h5py.File(path, "w", libver=version, userblock_size=block, track_order=tracked) as file:
        group = file.create_group("A/sub", track_order=tracked)
        for i in range(links):
            file[f"x{i}"] = numpy.arange(i + 2)
            group[f"y{i}"] = numpy.arange(i + 1.0)
            group.create_group(f"g{i}")
        file["float64_70000"] = numpy.arange(7)
        file["A/sub/int8_1"] = numpy.arange(3)
        file["A/again"], file["hard"] = file["A/sub/int8_1"], file["A/sub/y1"]
        file["soft"], file["A/sub/external"] = h5py.SoftLink("/x1"), h5py.ExternalLink("other.h5", "/z")
        for i in range(attributes):
            file.attrs[f"a{i}"] = i
            group.attrs[f"b{i}"] = "t" * i
            group.attrs[f"c{i}"] = numpy.arange(i)
        group.attrs["binsparse"] = "old"
        group.attrs["reference"] = file["x1"].ref
        file["\xe4 \xf6"] = numpy.arange(4)


def check_into(path, before, tracked):
    """What is wrong after arrays were written into a file."""
    wrong = []
    after = content(path)
    made = {f"{group}/{kind}_{count}" for group in ("", "/A/sub") for kind in TYPES for count in COUNTS} | {
        "/noise"
    }
    for key in made:
        if key not in after or (key != "/noise" and after[key][2] != (int(key.split("_")[1]),)):
            wrong.append(("missing", key))
    for key, value in before.items():
        if key in ("", "/A/sub"):
            value, other = dict(value), dict(after[key])
            text = other.pop("binsparse", None)
            value.pop("binsparse", None)
            if text != ("'\xe4'" if key else "'{\"made\":1}'") or value != other:
                wrong.append((key, value, other))
        elif key not in made and after.get(key) != value:
            wrong.append((key, value, after.get(key)))
    if tracked:
        with h5py.File(path, "r") as file:
            names = [name for name in file["A/sub"] if name[0] in "yg"]
            if names != [f"{letter}{i}" for i in range(len(names) // 2) for letter in "yg"]:
                wrong.append(("order", names))
    return wrong


def into(folder):
    path = os.path.join(folder, "into.h5")
    cases = [
        (version, block, tracked, links, attributes)
        for version in ("earliest", "v108", "v110", "latest")
        for block, tracked, links, attributes in (
            (0, False, 3, 2),
            (512, True, 40, 12),
            (0, False, 40, 2),
            (0, True, 3, 12),
        )
    ]
    for case in cases:
        name = "into {}, block {}, order {}, {} links, {} attributes".format(*case)
        make_old(path, *case)
        before = content(path)
        made = tool("into", path, "3")
        wrong = made or check_into(path, before, case[2] and case[0] != "earliest")
        point(not wrong, name, wrong)
        wrong = programs(path, folder)
        point(not wrong, f"{name}: the HDF5 programs read it", wrong)
        before = content(path)
        append(path)
        after = content(path)
        lost = [
            key
            for key, value in before.items()
            if key not in ("", "/A/sub", "/float64_1") and after.get(key) != value
        ]
        made = tool("into", path)
        point(
            not lost and made == "" and content(path).keys() == after.keys(),
            f"{name}: h5py goes on, and so do we",
            (lost, made),
        )


def sizes(folder):
    """Addresses and lengths that do not have 8 bytes. (h5repack 1.10.8 crashes on such files, even on
    those written by h5py alone.)"""
    path = os.path.join(folder, "sizes.h5")
    bounds = {
        "earliest": h5py.h5f.LIBVER_EARLIEST,
        "v108": h5py.h5f.LIBVER_V18,
        "newest": getattr(h5py.h5f, "LIBVER_V114", h5py.h5f.LIBVER_LATEST),
    }
    for version, (address, length) in itertools.product(bounds, ((4, 4), (8, 4), (4, 8))):
        creation, access = h5py.h5p.create(h5py.h5p.FILE_CREATE), h5py.h5p.create(h5py.h5p.FILE_ACCESS)
        creation.set_sizes(address, length)
        access.set_libver_bounds(bounds[version], bounds["newest"])
        with h5py.File(h5py.h5f.create(path.encode(), h5py.h5f.ACC_TRUNC, creation, access)) as file:
            file["x"], file.attrs["mine"] = numpy.arange(5), "text"
            file.create_dataset("c", data=numpy.arange(1000), chunks=(5,))
            for i in range(12):
                file[f"A/sub/x{i}"] = i
                file["A/sub"].attrs[f"a{i}"] = "t" * i
            file["A"].attrs["binsparse"] = "of h5py"
        before = content(path)
        made = tool("into", path, "3")
        wrong = made or check_into(path, before, False) or programs(path, folder, repack=False)
        point(not wrong, f"{version}: addresses of {address} bytes, lengths of {length}", wrong)
        code, out, err = run(TOOL, "list", path)
        sound = code == 0 and '"text":"of h5py"' in out and '"text":"{\\u0022made\\u0022:1}"' in out
        point(
            sound,
            f"{version}: addresses of {address} bytes, lengths of {length}: texts are read here",
            out[:300] + err,
        )


def names_of_one_object(folder):
    path = os.path.join(folder, "names.h5")
    for version in "earliest", "latest":
        with h5py.File(path, "w", libver=version) as file:
            file["float64_1"] = numpy.arange(5)
            file["other"] = file["third"] = file["float64_1"]
        made = tool("into", path)
        with h5py.File(path, "r") as file:
            count = h5py.h5o.get_info(file["other"].id).rc
            sound = (
                list(file["other"][()]) == [0, 1, 2, 3, 4]
                and file["other"] == file["third"]
                and list(file["float64_1"][()]) == [0]
            )
        point(
            made == "" and sound and count == 2,
            f"{version}: a name goes, the object stays with its others",
            (made, count),
        )


def refused(folder):
    path = os.path.join(folder, "refused.h5")
    for name, options in (
        ("made of pages", {"fs_strategy": "page"}),
        ("keeps track", {"fs_strategy": "fsm", "fs_persist": True}),
    ):
        with h5py.File(path, "w", **options) as file:
            file["x"] = numpy.arange(10)
        with open(path, "rb") as file:
            before = file.read()
        made = tool("into", path)
        with open(path, "rb") as file:
            point(
                name in made and "unsupported" in made and "h5repack" in made and file.read() == before,
                f"a file that {name} is refused and stays",
                made,
            )


def marked(folder):
    """A file that its writer has not closed."""
    path = os.path.join(folder, "marked.h5")
    with h5py.File(path, "w", libver="latest") as file:
        file["x"] = numpy.arange(10)
    with open(path, "r+b") as file:
        head = bytearray(file.read(44))
        head[11] = 1
        file.seek(0)
        file.write(head + struct.pack("<I", checksum(head)))
    made = tool("into", path)
    point("unsupported" in made and "h5clear" in made, "a file that was not closed is refused", made)


def shared(folder):
    """Messages that stand in a table of shared ones: objects with them are listed with the reason, and stay
    unchanged in an updated file."""
    path, plain = os.path.join(folder, "shared.h5"), os.path.join(folder, "plain.h5")
    if shutil.which("h5repack") is None:
        return skip("shared messages", "no h5repack")
    with h5py.File(plain, "w", libver="latest") as file:
        for name in "x", "y":
            file[name] = numpy.arange(10)
            file[name].attrs["numbers"] = numpy.arange(30)
        file.attrs["numbers"] = numpy.arange(30)
    run("h5repack", "-s", "1", plain, path)
    before = content(path)
    _, out, _ = run(TOOL, "list", path)
    point(out.count("table of shared ones is not read here") == 2, "shared messages are named", out)
    made = tool("into", path)
    after = content(path)
    point(
        made == "" and all(after.get(key) == before[key] for key in ("/x", "/y")),
        "what has shared messages stays in a file that is written into",
        made,
    )
    return None


def damaged(folder):
    """Whatever is damaged: an error or a whole file, and after an error the old file."""
    path = os.path.join(folder, "damaged.h5")
    chance = random.Random(1)
    strange = []
    for version in "earliest", "latest":
        make_old(path, version, 0, True, 12, 3)
        with open(path, "rb") as file:
            sound = file.read()
        for i in range(60):
            changed = bytearray(sound)
            for _ in range(chance.choice((1, 2, 8))):
                changed[chance.randrange(len(changed) if i % 2 else 3000)] = chance.choice(
                    (0, 1, 0xFF, chance.randrange(256))
                )
            with open(path, "wb") as file:
                file.write(changed)
            code, _, err = run(TOOL, "into", path)
            with open(path, "rb") as file:
                same = file.read() == changed
            if code not in (0, 1) or (code == 1 and (not same or "expected" not in err)):
                strange.append((version, i, code, same, err))
    point(not strange, "120 damaged files are written into, or refused and left alone", strange[:5])
    files = sorted(glob.glob(os.path.join(HOSTILE, "*.h5")))
    if not files:
        skip("hostile files", "no such folder")
    for source in files:
        shutil.copy(source, path)
        code, _, err = run(TOOL, "into", path)
        with open(source, "rb") as old, open(path, "rb") as new:
            same = old.read() == new.read()
        point(
            code == 0 or (code == 1 and same and "expected" in err),
            f"hostile: {os.path.basename(source)}",
            (code, same, err),
        )
    point(not glob.glob(os.path.join(folder, ".sheaf-*")), "nothing is left beside them")


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-written.") as folder:
        written(folder)
        many(folder)
        netcdf(folder)
        into(folder)
        sizes(folder)
        names_of_one_object(folder)
        refused(folder)
        marked(folder)
        shared(folder)
        damaged(folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
