#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of netCDF before it was HDF5 (CDF-1, CDF-2, CDF-5): good ones, bad ones and random ones, made here
field by field; files of ncgen, held against ncdump; and where SciPy or netCDF4 is there (NETCDF_PYTHON: a
Python that has one), what they write. Prints TAP."""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from box_files import listed
from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
NETCDF_PYTHON = os.environ.get("NETCDF_PYTHON", sys.executable)
MUTANTS = int(os.environ.get("NETCDF_MUTANTS", "400"))
CODES = {
    "byte": (1, "b"),
    "char": (2, "c"),
    "short": (3, "h"),
    "int": (4, "i"),
    "float": (5, "f"),
    "double": (6, "d"),
    "ubyte": (7, "B"),
    "ushort": (8, "H"),
    "uint": (9, "I"),
    "int64": (10, "q"),
    "uint64": (11, "Q"),
}
STREAMED = -1


def run(*arguments, **how):
    p = subprocess.run([SHEAF, *arguments], capture_output=True, timeout=120, check=False, **how)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


# ---- files, field by field ----


def padded(data):
    return data + bytes(-len(data) % 4)


class File:
    """A file of a version: dimensions are (name, length), variables (name, dimensions, type, values,
    attributes)."""

    def __init__(self, version=1, dimensions=(), variables=(), attributes=(), records=0):
        self.version, self.dimensions, self.variables, self.attributes, self.records = (
            version,
            dimensions,
            variables,
            attributes,
            records,
        )
        self.begin_of = {}  # name: what the header says instead

    def number(self, n):
        return struct.pack(">q" if self.version == 5 else ">i", n)

    def name(self, text):
        data = text.encode() if isinstance(text, str) else text
        return self.number(len(data)) + padded(data)

    def list(self, tag, things):
        return struct.pack(">i", tag if things else 0) + self.number(len(things)) + b"".join(things)

    def values(self, kind, values):
        if kind == "char":
            return values if isinstance(values, bytes) else values.encode()
        return struct.pack(f">{len(values)}{CODES[kind][1]}", *values)

    def attribute(self, name, kind, values):
        data = self.values(kind, values)
        return (
            self.name(name)
            + struct.pack(">i", CODES.get(kind, (kind, ""))[0])
            + self.number(len(values))
            + padded(data)
        )

    def grows(self, variable):
        return bool(variable[1]) and self.dimensions[variable[1][0]][1] == 0

    def size(self, variable):
        size = struct.calcsize(">" + CODES[variable[2]][1])
        for d in variable[1][1 if self.grows(variable) else 0 :]:
            size *= self.dimensions[d][1]
        return size

    def stride(self):
        growing = [self.size(v) for v in self.variables if self.grows(v)]
        return growing[0] if len(growing) == 1 else sum(-(-n // 4) * 4 for n in growing)

    def header(self, begins):
        whole = b"CDF" + bytes([self.version])
        whole += (
            (b"\xff" * (8 if self.version == 5 else 4))
            if self.records == STREAMED
            else self.number(self.records)
        )
        whole += self.list(10, [self.name(n) + self.number(length) for n, length in self.dimensions])
        whole += self.list(12, [self.attribute(*a) for a in self.attributes])
        variables = []
        for v, begin in zip(self.variables, begins):
            text = self.name(v[0]) + self.number(len(v[1])) + b"".join(self.number(d) for d in v[1])
            text += self.list(12, [self.attribute(*a) for a in (v[4] if len(v) > 4 else ())])
            text += struct.pack(">i", CODES[v[2]][0]) + self.number(min(-(-self.size(v) // 4) * 4, 2**31 - 1))
            variables.append(
                text + struct.pack(">i" if self.version == 1 else ">q", self.begin_of.get(v[0], begin))
            )
        return whole + self.list(11, variables)

    def bytes(self):
        begins, at = [], len(self.header([0] * len(self.variables)))
        for grows in (False, True):
            for v in self.variables:
                if self.grows(v) == grows:
                    begins.append((v[0], at))
                    at += -(-self.size(v) // 4) * 4
        begins = dict(begins)
        whole = bytearray(self.header([begins[v[0]] for v in self.variables]))
        for v in self.variables:
            data, n = self.values(v[2], v[3]), self.size(v)
            parts = [data[i : i + n] for i in range(0, len(data), n)] if self.grows(v) else [data]
            for i, part in enumerate(parts):
                at = begins[v[0]] + i * self.stride()
                whole += bytes(max(0, at + len(part) - len(whole)))
                whole[at : at + len(part)] = part
        return bytes(whole + bytes(-len(whole) % 4))


X, T = [("x", 3)], [("t", 0)]
ONE = [("v", [0], "short", [1, -2, 3])]


def grown(version, *variables, records=3, dimensions=(("t", 0), ("x", 2), ("len", 4))):
    return File(version, list(dimensions), list(variables), records=records)


def changed(file, at, data):
    whole = bytearray(file.bytes())
    whole[at : at + len(data)] = data
    return bytes(whole)


def placed(begin, version=1, **how):
    file = File(version, X, ONE, **how)
    file.begin_of = {"v": begin}
    return file


def stored(kind, values, attributes):
    return File(1, X, [("v", [0], kind, values, attributes)])


# Each: the file, what `sheaf cat --dataset v` prints.
GOOD = {
    "CDF-1": (File(1, X, ONE), ["1", "-2", "3"]),
    "CDF-2": (File(2, X, ONE), ["1", "-2", "3"]),
    "CDF-5": (File(5, X, ONE), ["1", "-2", "3"]),
    "a scalar": (File(1, [], [("v", [], "double", [2.5])]), ["2.5"]),
    "a byte": (File(1, X, [("v", [0], "byte", [-1, 2, 3])]), ["-1", "2", "3"]),
    "an int": (File(1, X, [("v", [0], "int", [-70000, 2, 3])]), ["-70000", "2", "3"]),
    "a float": (
        File(1, X, [("v", [0], "float", [0.5, float("nan"), float("-inf")])]),
        ["0.5", "nan", "-inf"],
    ),
    **{
        f"{kind} of CDF-5": (File(5, X, [("v", [0], kind, [1, 200, 3])]), ["1", "200", "3"])
        for kind in ("ubyte", "ushort", "uint", "int64", "uint64")
    },
    "texts": (File(1, [("n", 2), ("len", 4)], [("v", [0, 1], "char", "ab  cde\0")]), ['"ab"', '"cde"']),
    "characters of records": (grown(1, ("v", [0], "char", "abc")), ['"a"', '"b"', '"c"']),
    "texts of records": (grown(1, ("v", [0, 2], "char", "ab\0\0cdefg   ")), ['"ab"', '"cdef"', '"g"']),
    "records of one variable, which have no padding": (
        grown(1, ("v", [0], "short", [1, 2, 3])),
        ["1", "2", "3"],
    ),
    "records of one variable of bytes, CDF-5": (grown(5, ("v", [0], "byte", [1, 2, 3])), ["1", "2", "3"]),
    "records of several variables, which have": (
        grown(
            1,
            ("a", [0], "byte", [7, 8, 9]),
            ("v", [0], "short", [1, 2, 3]),
            ("b", [0, 1], "double", [0.0] * 6),
        ),
        ["1", "2", "3"],
    ),
    "records that nobody has counted": (
        grown(1, ("a", [0], "int", [7, 8, 9]), ("v", [0], "short", [1, 2, 3]), records=STREAMED),
        ["1", "2", "3"],
    ),
    "records that nobody has counted, CDF-5": (
        grown(5, ("a", [0], "int", [7, 8, 9]), ("v", [0], "short", [1, 2, 3]), records=STREAMED),
        ["1", "2", "3"],
    ),
    "fewer records than there is room for": (
        grown(1, ("a", [0], "int", [7, 8, 9]), ("v", [0], "short", [1, 2, 3]), records=2),
        ["1", "2"],
    ),
    "no record": (grown(1, ("a", [0], "int", []), ("v", [0], "short", []), records=0), []),
    "numbers that stand for others": (
        File(
            1,
            X,
            [
                (
                    "v",
                    [0],
                    "short",
                    [1, -99, 3],
                    [
                        ("scale_factor", "double", [0.5]),
                        ("add_offset", "float", [10]),
                        ("_FillValue", "short", [-99]),
                    ],
                )
            ],
        ),
        ["10.5", "nan", "11.5"],
    ),
    "a value that is missing": (
        File(1, X, [("v", [0], "float", [1, -9, 3], [("missing_value", "float", [-9])])]),
        ["1", "nan", "3"],
    ),
    "unsigned numbers that are stored as signed ones": (
        stored("short", [-2, 0, 5], [("_Unsigned", "char", "true")]),
        ["65534", "0", "5"],
    ),
    "the same, which stand for others": (
        stored(
            "short",
            [-2, -1, 5],
            [
                ("add_offset", "float", [10]),
                ("scale_factor", "double", [0.5]),
                ("_FillValue", "short", [-1]),
                ("_Unsigned", "char", "true"),
            ],
        ),
        ["32777", "nan", "12.5"],
    ),
    "a range of unsigned numbers": (
        stored("byte", [-2, -1, 1], [("_Unsigned", "char", "true"), ("valid_range", "byte", [2, -2])]),
        ["254", "nan", "nan"],
    ),
    "floats, which are never unsigned": (
        stored("float", [-2, 0, 5], [("_Unsigned", "char", "true")]),
        ["-2", "0", "5"],
    ),
    "a range of stored numbers": (
        stored(
            "short",
            [-1, 50, 101],
            [("valid_range", "short", [0, 100]), ("scale_factor", "double", [0.5])],
        ),
        ["nan", "25", "nan"],
    ),
    "a least number": (stored("short", [-1, 0, 101], [("valid_min", "short", [0])]), ["nan", "0", "101"]),
    "a largest number": (stored("short", [-1, 0, 101], [("valid_max", "short", [0])]), ["-1", "0", "nan"]),
    "a range beside a least number, which has no effect": (
        stored("short", [-1, 0, 101], [("valid_min", "short", [0]), ("valid_range", "short", [-1, 100])]),
        ["-1", "0", "nan"],
    ),
    "a range of others than stored numbers, which has no effect": (
        stored("short", [-1, 0, 101], [("valid_range", "double", [0, 50.5]), ("scale_factor", "float", [2])]),
        ["-2", "0", "202"],
    ),
    "numbers that are missing beside one that fills": (
        stored("short", [-9, 7, 8], [("_FillValue", "short", [-9]), ("missing_value", "short", [7, 5])]),
        ["nan", "nan", "8"],
    ),
    "a mark of missing values that is a text, which has no effect": (
        stored("short", [-9, 7, 8], [("missing_value", "char", "-9")]),
        ["-9", "7", "8"],
    ),
    "floats that stand for doubles": (
        stored("float", [1.5, -3, 0], [("scale_factor", "double", [0.1])]),
        ["0.15000000000000002", "-0.30000000000000004", "0"],
    ),
    "names whose lengths count their padding": (
        File(1, [("x\0", 3)], [("v\0\0\0", [0], "short", [1, -2, 3], [("a\0", "int", [1])])]),
        ["1", "-2", "3"],
    ),
    "a size that says nothing": (
        changed(File(1, X, ONE), len(File(1, X, ONE).bytes()) - 16, struct.pack(">i", -1)),
        ["1", "-2", "3"],
    ),
    "no space after the last value": (File(1, X, ONE).bytes()[:-2], ["1", "-2", "3"]),
    "an array of no dimension beside one of records": (
        grown(1, ("a", [0], "short", [7, 8, 9]), ("v", [1], "short", [4, 5])),
        ["4", "5"],
    ),
    "many attributes": (
        File(1, X, ONE, [(f"a{i}", "char", "x" * 1000) for i in range(300)]),
        ["1", "-2", "3"],
    ),
}

BAD = {
    "a file that ends in its header": (
        File(1, X, ONE).bytes()[:30],
        "(byte 28): expected attributes, found the end of the file (byte 30)",
    ),
    "a signature and nothing else": (
        b"CDF\1",
        "(byte 4): expected how many records there are, found the end of the file",
    ),
    "more dimensions than there are": (
        changed(File(1, X, ONE), 12, struct.pack(">i", 2**30)),
        "(byte 32): expected a name of at least one byte",
    ),
    "more attributes than the file has room for": (
        File(1, X, ONE, [("a", "int", [1])]).header([0])[:32] + struct.pack(">i", 2**30),
        "found the end of the file",
    ),
    "a count below 0": (
        changed(File(1, X, ONE), 12, struct.pack(">i", -1)),
        "(byte 12): expected a number of at least 0, found -1",
    ),
    "another tag": (
        changed(File(1, X, ONE), 8, struct.pack(">i", 11)),
        "(byte 8): expected a list of dimensions (tag 10), or none (tag 0), found 11",
    ),
    "an absent list that has something": (
        changed(File(1, X, ONE), 8, struct.pack(">i", 0)),
        "(byte 8): expected a list of dimensions (tag 10), or none (tag 0), found 0",
    ),
    "a scale that is a text": (
        stored("short", [1, 2, 3], [("scale_factor", "char", "0.5")]),
        "/v: expected the attribute \"scale_factor\" to be numbers, found text",
    ),
    "two scales": (
        stored("short", [1, 2, 3], [("scale_factor", "float", [1, 2])]),
        "/v: expected the attribute \"scale_factor\" to be one number, found 2 numbers",
    ),
    "unsigned numbers that no float holds": (
        File(
            5,
            X,
            [("v", [0], "int64", [-1, 2, 3], [("_Unsigned", "char", "true"), ("add_offset", "int", [1])])],
        ),
        "expected unsigned numbers that float64 holds, found the bits of -1",
    ),
    "a name of NULs": (
        File(1, X, [("\0\0", [0], "short", [1, 2, 3])]),
        "expected a name of at least one byte, without slashes and NULs",
    ),
    "a name without a letter": (
        File(1, [("", 3)], ONE),
        "expected a name of at least one byte, without slashes and NULs",
    ),
    "a name that is too long": (
        File(1, X, [("a" * 65537, [0], "short", [1, 2, 3])]),
        "expected a name of at most 65536 bytes, found 65537",
    ),
    "a name with a slash": (
        File(1, X, [("a/b", [0], "short", [1, 2, 3])]),
        "expected a name of at least one byte, without slashes and NULs",
    ),
    "a name with a NUL": (
        File(1, X, [("a\0b", [0], "short", [1, 2, 3])]),
        "expected a name of at least one byte, without slashes and NULs",
    ),
    "two variables of one name": (
        File(1, X, [*ONE, *ONE]),
        "expected variables with names of their own, found two \"v\"",
    ),
    "two dimensions of records": (
        File(1, [("t", 0), ("u", 0)], [("v", [0], "short", [])]),
        "expected at most one dimension without a length",
    ),
    "a dimension that is not there": (
        changed(File(1, X, ONE), len(File(1, X, ONE).header([0])) - 24, struct.pack(">i", 7)),
        "expected the number of a dimension, found 7",
    ),
    "a dimension of records that is not the first": (
        File(1, [("t", 0), ("x", 2)], [("v", [1, 0], "short", [1, 2])]),
        "expected the dimension of records in position 0 of a variable",
    ),
    "a type that is none": (
        changed(File(1, X, ONE), len(File(1, X, ONE).header([0])) - 12, struct.pack(">i", 12)),
        "expected a type of this version of the format, found 12",
    ),
    "a type of CDF-5 in CDF-1": (
        changed(File(1, X, ONE), len(File(1, X, ONE).header([0])) - 12, struct.pack(">i", 7)),
        "expected a type of this version of the format, found 7",
    ),
    "an attribute of a type that is none": (
        changed(File(1, X, ONE, [("a", "int", [1])]), 44, struct.pack(">i", 13)),
        "expected a type of this version of the format, found 13",
    ),
    "an attribute longer than the file": (
        changed(File(1, X, ONE, [("a", "int", [1])]), 48, struct.pack(">i", 2**30)),
        "expected the values of an attribute, found the end of the file",
    ),
    "more than 1024 dimensions": (
        File(1, [("x", 1)], [("v", [0] * 1025, "short", [1])]),
        "expected at most 1024 dimensions, found 1025",
    ),
    "an array of more than 32 dimensions": (
        File(1, [("x", 1)], [("v", [0] * 33, "short", [1])]),
        "an array of more than 32 dimensions",
    ),
    "an array that begins in the header": (placed(8), "an array that begins in the header"),
    "an array that begins with the last byte of the header": (
        placed(len(File(1, X, ONE).header([0])) - 1),
        "an array that begins in the header",
    ),
    "an array that ends after the file": (placed(10**6), "an array that ends after the file"),
    "an array larger than any file": (
        File(1, [("x", 2**31 - 1)], [("v", [0] * 3, "double", [])]),
        "an array larger than any file",
    ),
    "an array that ends beyond 2^63 - 1": (placed(2**63 - 4, version=5), "an array larger than any file"),
    "records larger than any file": (
        File(1, [("t", 0), ("x", 2**31 - 1)], [("v", [0, 1, 1, 1], "double", [])]),
        "expected records of fewer than 2^63 bytes",
    ),
    "more records than there are": (
        grown(1, ("a", [0], "int", [7, 8, 9]), ("v", [0], "short", [1, 2, 3]), records=4000),
        "an array that ends after the file",
    ),
    **{
        f"records below 0 of CDF-5: {hex(n)}": (
            changed(File(5, X, ONE), 4, struct.pack(">Q", n)),
            "expected a number of records of at least 0",
        )
        for n in (2**63, 2**64 - 2)
    },
}


def bytes_of(file):
    return file if isinstance(file, bytes) else file.bytes()


def write(path, file):
    with open(path, "wb") as out:
        out.write(bytes_of(file))


def values_of(path, name="v"):
    code, out, err = run("cat", "--dataset", name, path)
    return code, [re.sub(r"^([0-9 ]+  )?(\w+ (?=\"))?", "", line) for line in out.splitlines()], err


def check_all(folder):
    path = os.path.join(folder, "x.nc")
    for name, (file, wanted) in GOOD.items():
        write(path, file)
        code, found, err = values_of(path)
        point(code == 0 and found == wanted, f"good: {name}", f"{code} {str(found)[:300]} {err}")
        with open(path, "rb") as piped:
            code, out, err = run("cat", "--dataset", "v", "-", stdin=piped)
        point(
            code == 0 and len(out.splitlines()) == len(wanted),
            f"good: {name}, sent",
            f"{code} {out[:300]} {err}",
        )
    for name, (file, wanted) in BAD.items():
        write(path, file)
        code, _, err = values_of(path)
        found = err + run("info", path)[1]
        point(code > 0 and code not in (70, 139, 134) and wanted in found, f"bad: {name}", f"{code} {found}")


def check_text(folder):
    """A text that is asked for is a text."""
    path = os.path.join(folder, "t.nc")
    write(path, File(1, X, ONE, [("binsparse", "int", [1])]))
    items = listed(path)
    point("to be a text, found numbers" in items[""]["trouble"], "numbers in place of a text", items[""])


def check_info(folder):
    path = os.path.join(folder, "i.nc")
    write(
        path,
        File(
            2,
            [("t", 0), ("x\033", 2)],
            [
                (
                    "v",
                    [0, 1],
                    "short",
                    [1, 2, 3, 4],
                    [("units", "char", "K\0"), ("valid", "float", [0.5, float("nan")])],
                ),
                ("b", [1], "byte", [1, 2]),
            ],
            [("title", "char", "a \"file\"\n"), ("many", "int", list(range(99)))],
            records=2,
        ),
    )
    code, out, err = run("info", path)
    lines = [line.strip() for line in out.splitlines()]
    wanted = [
        "/  group  dimensions: t 2 (unlimited), x\\x1b 2",
        'title: "a \\"file\\"\\u000a"',
        "many: [" + ",".join(map(str, range(16))) + ',"..."]',
        "* /v  big-endian int16  2 x 2 of up to any x 2  contiguous  8 bytes  of t, x\\x1b",
        'units: "K"',
        'valid: [0.5,"nan"]',
    ]
    point(
        code == 0 and all(line in lines for line in wanted),
        "info lists dimensions, variables and attributes",
        f"{[w for w in wanted if w not in lines]} {out}{err}",
    )
    code, out, err = run("info", "--json", path)
    tree = json.loads(out)["tree"]
    v = next(item for item in tree if item["path"] == "v")
    point(
        v["dimensions"] == "t, x\033"
        and v["attributes"] == {"units": "K", "valid": [0.5, "nan"]}
        and v["shape"] == [2, 2],
        "the same as JSON",
        out + err,
    )
    code, out, err = run("convert", "--into", "a", path, path)
    point(code != 0, "nothing is written into one", out + err)
    target = os.path.join(folder, "i.npy")
    code, out, err = run("convert", "--dataset", "v", path, target)
    point(
        code == 0 and run("diff", "--dataset", "v", path, target)[0] in (0, 2),
        "an array becomes another file",
        err,
    )


# ---- random files ----


def random_file(random_number):
    r = random.Random(random_number)
    version = r.choice((1, 2, 5))
    dimensions = [("t", 0), *((f"d{i}", r.randrange(1, 5)) for i in range(3))]
    records, variables = r.choice((0, 1, 2, 7, 900)), []
    kinds = list(CODES) if version == 5 else list(CODES)[:6]
    for i in range(r.randrange(1, 6)):
        dims = r.choices((1, 2, 3), k=r.randrange(4))
        if r.random() < 0.6:
            dims.insert(0, 0)
        kind, n = r.choice([k for k in kinds if k != "char"]), records if dims[:1] == [0] else 1
        for d in dims[1 if dims[:1] == [0] else 0 :]:
            n *= dimensions[d][1]
        code = CODES[kind][1]
        low = -100 if code.islower() else 0
        variables.append(
            (
                f"v{i}",
                dims,
                kind,
                [r.randrange(low, 100) for _ in range(n)],
                [("_FillValue", kind, [101])] if r.random() < 0.2 else [],
            )
        )
    return File(version, dimensions, variables, [("a", "char", "x" * r.randrange(9))], records)


def number(text):
    return float(text)


def check_random(folder):
    path, wrong = os.path.join(folder, "r.nc"), []
    for i in range(60):
        file = random_file(i)
        write(path, file)
        for v in file.variables:
            code, found, err = values_of(path, v[0])
            if code or [number(x) for x in found] != [float(x) for x in v[3]]:
                wrong.append((i, v[0], v[2], code, err, found[:5], v[3][:5]))
    point(not wrong, "random files: all values", wrong[:2])


def check_mutants(folder):
    """Whatever the bytes say: an end, with a message or with values."""
    path, wrong, r = os.path.join(folder, "m.nc"), [], random.Random(5)
    for i in range(MUTANTS):
        data = bytearray(random_file(i % 60).bytes()[:3000])
        for _ in range(r.randrange(1, 4)):
            data[r.randrange(3, min(len(data), 400))] = r.choice((0, 1, 2, 4, 10, 11, 12, 127, 128, 255))
        write(path, bytes(data[: r.randrange(4, len(data))] if r.random() < 0.2 else data))
        for words in (["info"], ["stats", "--max-memory", "64M"]):
            code, _, err = run(*words, path)
            if code < 0 or code >= 64 or (code and "expected" not in err):
                wrong.append((i, words, code, err[:200]))
    point(not wrong, f"{MUTANTS} damaged files", wrong[:3])


# ---- other programs ----


def check_ncgen(folder):
    if not shutil.which("ncgen") or not shutil.which("ncdump"):
        skip("files of ncgen, as ncdump has them", "no ncgen")
        return
    path, text = os.path.join(folder, "g.nc"), os.path.join(folder, "g.cdl")
    for kind in ("classic", "64-bit-offset", "cdf5"):
        wrong = []
        for seed in range(12):
            file = random_file(seed + (100 if kind == "cdf5" else 200))
            if file.version == 5 and kind != "cdf5":
                file = next(
                    f for f in (random_file(k + seed * 50) for k in range(1000, 2000)) if f.version != 5
                )
            cdl = (
                "netcdf g {\ndimensions:\n"
                + "".join(f" {n} = {length or 'UNLIMITED'} ;\n" for n, length in file.dimensions)
                + "variables:\n"
            )
            cdl += (
                "".join(
                    f" {v[2]} {v[0]}({', '.join(file.dimensions[d][0] for d in v[1])}) ;\n".replace(
                        "() ;", " ;"
                    )
                    for v in file.variables
                )
                + "data:\n"
            )
            cdl += (
                "".join(f" {v[0]} = {', '.join(map(str, v[3]))} ;\n" for v in file.variables if v[3]) + "}\n"
            )
            with open(text, "w", encoding="ascii") as out:
                out.write(cdl)
            subprocess.run(["ncgen", "-k", kind, "-o", path, text], check=True)
            dumped = subprocess.run(
                ["ncdump", "-p", "9,17", path], check=True, capture_output=True, text=True
            ).stdout
            for v in file.variables:
                block = re.search(rf"^ {v[0]} =([^;]*);", dumped, re.MULTILINE) if v[3] else None
                wanted = [float(x) for x in block[1].replace("\n", "").split(",")] if block else []
                code, found, err = values_of(path, v[0])
                if code or [number(x) for x in found] != wanted:
                    wrong.append((seed, v[0], v[2], code, err, found[:5], wanted[:5]))
        point(not wrong, f"files of ncgen -k {kind}, as ncdump has them", wrong[:2])


MAKER = """
import sys, numpy as np
try:
    import netCDF4
    for kind in ('NETCDF3_CLASSIC', 'NETCDF3_64BIT_OFFSET', 'NETCDF3_64BIT_DATA'):
        d = netCDF4.Dataset(f'{sys.argv[1]}/netCDF4-{kind}.nc', 'w', format=kind)
        d.createDimension('t', None); d.createDimension('x', 3)
        v = d.createVariable('v', 'i2', ('t', 'x'), fill_value=-9)
        v.set_auto_maskandscale(False); v.scale_factor = 0.25
        w = d.createVariable('w', 'f8', ('t',))
        v[:] = np.arange(300).reshape(100, 3); w[:] = np.arange(100) / 8
        d.close()
except ImportError: pass
try:
    from scipy.io import netcdf_file
    for version in (1, 2):
        d = netcdf_file(f'{sys.argv[1]}/scipy-{version}.nc', 'w', version=version)
        d.createDimension('t', None); d.createDimension('x', 3)
        v = d.createVariable('v', 'i2', ('t', 'x')); w = d.createVariable('w', 'f8', ('t',))
        v.scale_factor = 0.25
        v[:] = np.arange(300).reshape(100, 3); w[:] = np.arange(100) / 8
        d.close()
except ImportError: pass
"""


READER = """
import json, sys
import numpy as np
try: import netCDF4
except ImportError: sys.exit()
for path in sys.argv[1:]:
    try: stored = netCDF4.Dataset(path)['v']; v = stored[:]
    except Exception: continue  # it raises where the command refuses or warns
    # By CF the type of the scale decides; NumPy before 2 keeps that of the array.
    if v.dtype == 'f4' and getattr(stored, 'scale_factor', v).dtype == 'f8': continue
    v = np.ma.filled(np.ma.asarray(v).astype('f8'), np.nan) if v.dtype.kind in 'iuf' else None
    if v is not None: print(json.dumps([path, v.ravel().tolist()]))
"""


def check_reader(folder):
    """The good files above are the same numbers to netCDF4, which knows the conventions, too. It takes a
    count that nobody has made for 2^32 - 1 records."""
    paths = {}
    for i, (name, (file, _)) in enumerate(GOOD.items()):
        if name == "records that nobody has counted":
            continue
        path = os.path.join(folder, f"good-{i}.nc")
        write(path, file)
        paths[path] = name
    found = subprocess.run(
        [NETCDF_PYTHON, "-W", "ignore", "-c", READER, *paths], capture_output=True, text=True, check=False
    ).stdout
    if not found:
        skip("the same numbers to netCDF4", "no netCDF4")
    for path, wanted in map(json.loads, found.splitlines()):
        ours = [float(x) for x in values_of(path)[1]]
        same = len(ours) == len(wanted) and all(a == b or (a != a and b != b) for a, b in zip(ours, wanted))
        point(same, f"the same numbers to netCDF4: {paths[path]}", f"{ours} {wanted}")


def check_python(folder):
    made = os.path.join(folder, "made")
    os.mkdir(made)
    subprocess.run([NETCDF_PYTHON, "-W", "ignore", "-c", MAKER, made], capture_output=True, check=False)
    files = sorted(os.listdir(made))
    if not files:
        skip("what Python's packages write", "no SciPy and no netCDF4")
    for name in files:
        v, w = (values_of(os.path.join(made, name), it) for it in "vw")
        point(
            [number(x) for x in v[1]] == [i / 4 for i in range(300)]
            and [number(x) for x in w[1]] == [i / 8 for i in range(100)],
            f"what {name[:-3]} writes",
            f"{v[1][:5]} {v[2]} {w[1][:5]}",
        )


with tempfile.TemporaryDirectory(prefix="sheaf-netcdf-") as root:
    check_all(root)
    check_text(root)
    check_info(root)
    check_random(root)
    check_mutants(root)
    check_ncgen(root)
    check_python(root)
    check_reader(root)
end()
