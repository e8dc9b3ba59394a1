#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of every format in parts: of equal length, drawn, by size; and put together again."""

import json
import shutil
import struct
import tempfile
from pathlib import Path

import selection
import tap
from selection import cases, rows_of, sheaf, values


# Whose bytes are not those of one conversion of the whole, and why.
OTHER_BYTES = {
    "a.mtx": "a part of a symmetric matrix is not symmetric",
    "a.h5": "likewise",
    "a.h5ad": "likewise",
    "dense.h5ad": "a conversion copies all that is in it, in the order of names",
    "csc.h5ad": "likewise",
    "a.tns": "entries are in another order",
    "dcsr.h5": "arrays are at other places",
    "a.arrow": "parts have no ids that are the numbers of rows",
}


# More that is put together again: ids that are not the numbers of rows, layouts, patterns.
TEXTS = {
    "ids.ctf": "".join(f"{i * 3 + 5} |A {i}\n{i * 3 + 5} |A 1\n" for i in range(10)),
    "pattern.mtx": "%%MatrixMarket matrix coordinate pattern general\n4 3 3\n1 1\n3 1\n4 2\n",
}
MORE = [
    ("ids.jsonl", "ids.ctf", []),
    ("ids.arrow", "ids.ctf", []),
    ("ids.npz", "ids.ctf", []),
    ("dense.npy", "a.mtx", []),
    ("rows.h5", "dense.npy", ["--layout", "DMATR"]),
    ("columns.h5", "dense.npy", ["--layout", "DMATC"]),
    ("csc.h5", "pattern.mtx", ["--layout", "CSC"]),
    ("dcsr.h5", "pattern.mtx", ["--layout", "DCSR"]),
    ("dense.h5ad", "dense.npy", []),
    ("csc.npz", "dense.npy", ["--layout", "csc"]),
    ("csc.h5ad", "csc.npz", []),
]


def numbers(code, *values):
    return struct.pack(f"<{len(values)}{code}", *values)


NAT = -(2**63)
# Arrays that convert, and split and merge, leave as they are, byte by byte.
ARRAYS = {
    "rows.npy": tap.npy("'<f8'", (3, 2), numbers("d", 1, 0, 0, 2, 3, 0)),
    "fortran.npy": tap.npy("'<f8'", (3, 2), numbers("d", 1, 0, 3, 0, 2, 0), True),
    "cube.npy": tap.npy("'<i4'", (2, 1, 3), numbers("i", 1, 0, 3, 0, 2, 0), True),
    "vector.npy": tap.npy("'<f4'", (3,), numbers("f", 0, 1, 0)),
    "none.npy": tap.npy("'<f4'", (0, 3), b""),
    "text.npy": tap.npy("'<U2'", (3,), "a\0bc\0\0".encode("utf-32-le")),
    "bytes.npy": tap.npy("'|S2'", (3,), b"a\0bc\0\0"),
    "chars.npy": tap.npy("'|S1'", (2,), b"ab"),
    "byte.npy": tap.npy("'|V1'", (2,), b"a\0"),
    "opaque.npy": tap.npy("'|V2'", (2,), b"a\0\0b"),
    "empty.npy": tap.npy("'<U2'", (0,), b""),
    "dates.npy": tap.npy("'<M8[D]'", (3,), numbers("q", 18262, -1, NAT)),
    "times.npy": tap.npy("'<M8[ns]'", (3,), numbers("q", NAT, 5, 7)),
    "spans.npy": tap.npy("'<m8[s]'", (2,), numbers("q", 5, -7)),
    "fields.npy": tap.npy("[('a', '<U2'), ('b', '<i4')]", (1,), b"x\0\0\0\0\0\0\0\2\0\0\0"),
    "maybe.npy": tap.npy("[('value', [('null', '|u1'), ('val', '<i4')])]", (2,), b"\xff\1\0\0\0\0\0\0\0\0"),
}

# The layout that an input has in another format by default, and whether it is dense.
LAYOUTS = [
    ("rows.npy", "x.h5", "DMATR", True),
    ("rows.npy", "x.zarr", "DMATR", True),
    ("fortran.npy", "x.h5", "DMATC", True),
    ("cube.npy", "x.h5", "DDD@210", True),
    ("vector.npy", "x.h5", "DVEC", True),
    ("rows.npy", "x.mtx", "array", True),
    ("rows.npy", "x.h5ad", None, True),
    ("pattern.mtx", "x.h5", "CSR", False),
    ("csc.npz", "x.h5", "CSC", False),
    ("csc.npz", "x.npz", "CSC", False),
    (Path(__file__).resolve().parent / "files/npz/good-csr-one-dimension.npz", "x.h5", "CVEC", False),
    ("csc.npz", "x.h5ad", "CSC", False),
    ("csc.h5", "x.npz", "CSC", False),
    ("csc.h5ad", "x.npz", "CSC", False),
    ("csc.h5ad", "y.h5ad", "CSC", False),
]

# Parts that differ only in what is missing, or how long texts are; and parts that differ in more.
TOGETHER = [
    ('{"a":1}\n', '{"a":null}\n{"a":2}\n', None),
    ('{"a":true}\n', '{"a":null}\n{"a":false}\n', None),
    ('{"a":"x"}\n', '{"a":null}\n', None),
    ('{"a":""}\n{"a":"x"}\n', '{"a":null}\n', None),
    ("a,b\n1,2020-01-01\n", "a,b\n2,\n3,2021-01-01\n", None),
    ("a,b\n1,2020-01-01\n", "a,b\n2,\n3,\n", None),
    ("a,b\n1,12:00:00.5\n", "a,b\n2,\n3,\n", None),
    ("a,b\n1,1.5\n", "a,b\n2,\n3,\n", None),
    ('{"a":1,"b":"x"}\n', '{"a":null,"b":null}\n', None),
    ("a,b\n1,x\n", "a,b\n", None),
    ("a,b\n1,2020-01-01\n", "a,b\n2,\n3,x\n", "(date that may be missing), found text"),
    ("a,b\n1,2020-01-01\n", "a,b\n2,5\n", "(date), found int64"),
    ("a,b\n1,true\n", "a,b\n2,5\n", "(bool), found int64"),
    ("a,b\n1,2020-01-01 00:00:01\n", "a,b\n2,2020-01-01 00:00:00.5\n", "(datetime), found datetime[ms]"),
]


def remove(folder, *beginnings):
    for file in folder.glob("*.*"):
        if file.name.startswith(beginnings):
            file.unlink()


def split(folder, *words):
    """The parts' rows, as the command prints them, or what is wrong."""
    done = sheaf(folder, "split", *words)
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.decode()}"
    return [line.rsplit(": ", 1)[0] for line in done.stdout.decode().splitlines()]


def contents(folder, name, how):
    return rows_of(sheaf(folder, "cat", "--json", *how, name))


def plain(rows):
    return [str(values(row)) for row in rows]


def slices(entries, part_of, parts):
    """What each part of a tensor has: entries by slice, which it counts anew."""
    shared = [[] for _ in range(parts)]
    numbers = {}
    counts = [0] * parts
    for i in range(4):  # all samples of tensors have four rows
        numbers[i] = counts[part_of(i)]
        counts[part_of(i)] += 1
    for at, value in entries:
        shared[part_of(at[0])].append([[numbers[at[0]], *at[1:]], value])
    return [sorted(map(str, part)) for part in shared]


def check(folder, name, how, writing):
    suffix = name.partition(".")[2]
    everything = contents(folder, name, ["--expand", *how] if suffix in ("mtx", "h5", "npz", "tns") else how)
    tensor = isinstance(everything[0], list)
    n = 4 if tensor else len(everything)

    def drawn(i):
        return int(selection.row_hash(5, i) >= 0.75 * 2**64)

    ways = {
        "--parts 2": (lambda i: int(i >= n / 2), ["p.0." + suffix, "p.1." + suffix]),
        "--parts 0.75,0.25 --seed 5": (drawn, ["fit." + suffix, "test." + suffix]),
    }
    for given, (part_of, outputs) in ways.items():
        words = outputs if "," in given else ["p." + suffix]
        parts = split(folder, *given.split(), *how, *writing, name, *words)
        wrong = [] if parts == outputs else [f"expected {outputs}, found {parts}"]
        found = [] if wrong else [contents(folder, part, how) for part in outputs]
        if tensor and found:
            expected = slices(everything, part_of, 2)
            found = [sorted(map(str, part)) for part in found]
        elif found and "example" not in everything[0]:
            expected = [plain(row for i, row in enumerate(everything) if part_of(i) == k) for k in range(2)]
            found = [plain(part) for part in found]
        elif found:
            expected = [sum(part_of(i) == k for i in range(n)) for k in range(2)]
            found = [len(part) for part in found]
        if found and found != expected:
            wrong.append(f"expected {expected}\nfound {found}")
        tap.point(not wrong, f"{name}: {given}", "\n".join(wrong))
        remove(folder, "p.", "fit.", "test.")


def check_merged(folder, name, how, writing):
    """What is split and merged has the file's content, ids and types, and the bytes of a conversion."""
    suffix = name.partition(".")[2]
    parts = split(folder, "-f", "--parts", "3", *how, *writing, name, f"p.{suffix}")
    done = sheaf(folder, "merge", "-f", "-q", *how, *writing, *parts, f"back.{suffix}")
    said = done.stderr.decode()
    if done.returncode == 0:
        differ = sheaf(folder, "diff", "--strict", "--compare=keys", *how, name, f"back.{suffix}")
        said += differ.stdout.decode() + differ.stderr.decode() if differ.returncode else ""
    sheaf(folder, "convert", "-f", "-q", *how, *writing, name, f"whole.{suffix}")
    whole = (folder / f"whole.{suffix}").read_bytes()
    same = not said and whole == (folder / f"back.{suffix}").read_bytes()
    as_known = same == (name not in OTHER_BYTES)
    tap.point(not said and as_known, f"{name}: put together again", f"{parts}\n{said}")
    remove(folder, "p.", "back.", "whole.")


def check_array(folder, name, content):
    """An array comes back as it was, also from an archive, and in parts."""
    (folder / name).write_bytes(content)
    rows = len(contents(folder, name, [])) > 1
    wrong = []
    for words in ["convert", name, "q.npz"], ["convert", "q.npz", "q.npy"], ["convert", name, "r.npy"]:
        done = sheaf(folder, words[0], "-f", "-q", *words[1:])
        wrong += [f"{words}: {done.stderr.decode()}"] * (done.returncode != 0)
    found = ["q.npy", "r.npy"]
    if rows and not wrong:
        sheaf(folder, "merge", "-f", "-q", *split(folder, "--parts", "2", name, "p.npy"), "s.npy")
        found.append("s.npy")
    for file in found:
        if not wrong and (folder / file).read_bytes() != content:
            wrong.append(f"{file}: {(folder / file).read_bytes()}")
    tap.point(not wrong, f"{name}: comes back from NPY, NPZ and parts", "\n".join(wrong))
    remove(folder, "p.", "q.", "r.", "s.")


def check_layout(folder, name, out, layout, dense):
    done = sheaf(folder, "convert", "-q", "-f", name, out)
    said = json.loads(sheaf(folder, "info", "--json", *(["--dataset", "X"] * ("h5ad" in out)), out).stdout)
    found = said["tensor"].get("format"), said["tensor"]["dense"]
    same = sheaf(folder, "diff", name, out).returncode == 0
    tap.point(
        done.returncode == 0 and same and found == (layout, dense),
        f"{name}: in {out} as it is",
        f"{found} {done.stderr.decode()}",
    )
    if (folder / out).is_dir():
        shutil.rmtree(folder / out)


def check_together(folder, first, second, message):
    suffix = "jsonl" if "{" in first else "csv"
    wrong = []
    for one, other in (first, second), (second, first):
        (folder / f"p.0.{suffix}").write_text(one)
        (folder / f"p.1.{suffix}").write_text(other)
        for out in "q.arrow", "q.npz", "q.jsonl":
            done = sheaf(folder, "merge", "-f", "-q", f"p.0.{suffix}", f"p.1.{suffix}", out)
            if message:
                refused = done.returncode == 4 and "expected the same" in done.stderr.decode()
                wrong += [done.stderr.decode()] * (not refused)
                continue
            both = [row["cells"] for part in (0, 1) for row in contents(folder, f"p.{part}.{suffix}", [])]
            found = [row["cells"] for row in contents(folder, out, [])] if done.returncode == 0 else None
            wrong += [f"{out}: {found} {done.stderr.decode()}"] * (found != both)
        if message and one == first:
            wrong += [f"{message}: {done.stderr.decode()}"] * (message not in done.stderr.decode())
    tap.point(not wrong, f"{first!r} and {second!r} together", "\n".join(wrong))
    remove(folder, "p.", "q.")


def check_refused(folder):
    cases_of = {
        "--parts 0 a.ctf p.ctf": "expected from 1 to 1000 parts, found 0",
        "--parts 4096 a.ctf p.ctf": "found 4096 (a size has a unit, such as 64K)",
        "--parts 0.5 a.ctf p.ctf": "expected a number of parts, the size of each such as 64M, or fractions",
        "--parts many a.ctf p.ctf": "or fractions such as 0.9,0.1, found many",
        "--parts 1K a.ctf p.ctf q.ctf": "expected one OUT with --parts 1K, found 2",
        "--parts 2 a.ctf p.ctf q.ctf": "expected one OUT with --parts 2, found 2",
        "--parts 0B a.ctf p.ctf": "--parts: expected a size of at least 1B",
        "--parts 0.5,0.4 a.ctf p.ctf": "which add up to 1, found \"0.5,0.4\"",
        "--parts 0.5,0.5, a.ctf p.ctf q.ctf": "expected a number above 0 for each of 2 parts",
        "--parts 1,0 a.ctf p.ctf": "expected a number above 0 for each of 2 parts",
        "a.ctf p.ctf": "expected several outputs, or --parts",
        "--parts 10B - p.ctf": "--parts: expected a file, whose size is known, found -",
        "--parts 10B . p.ctf": "--parts: expected a file, whose size is known, found .",
        "a.ctf " + " ".join(f"p.{i}.ctf" for i in range(1001)): "expected at most 1000 parts, found 1001",
    }
    wrong = []
    for words, message in cases_of.items():
        done = sheaf(folder, "split", *words.split())
        if done.returncode != 2 or message not in done.stderr.decode():
            wrong.append(f"{words}: {done.returncode}: {done.stderr.decode()}")
    if list(folder.glob("[pq].*")):
        wrong.append("files were made")
    tap.point(not wrong, "what cannot be done is said, and nothing is made", "\n".join(wrong))


def check_bytes(folder):
    size = (folder / "a.ctf").stat().st_size
    parts = split(folder, "--parts", f"{size // 3}B", "a.ctf", "part.ctf.gz")
    rows = [len(contents(folder, part, [])) for part in parts]
    tap.point(
        len(parts) == 4 and parts[0] == "part.0.ctf.gz" and sorted(rows) == [7, 7, 8, 8],
        "parts of about a given size",
        f"{parts} {rows}",
    )


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-splitting-") as root:
        folder = Path(root)
        cases.make_samples(folder, cases.SAMPLES)
        for rows in cases.SAMPLES.values():
            for name, _, making, how in rows:
                check(
                    folder,
                    name,
                    [*how, *(making if name.endswith("ex") else [])],
                    cases.OUTPUT.get(name.partition(".")[2], []),
                )
                check_merged(
                    folder,
                    name,
                    [*how, *(making if name.endswith("ex") else [])],
                    cases.OUTPUT.get(name.partition(".")[2], []),
                )
        for name, text in TEXTS.items():
            (folder / name).write_text(text)
            check_merged(folder, name, [], [])
        for name, content in ARRAYS.items():
            check_array(folder, name, content)
        for name, made_from, making in MORE:
            sheaf(folder, "convert", "-q", *making, made_from, name)
            check_merged(folder, name, [], [])
        for row in LAYOUTS:
            check_layout(folder, *row)
        for row in TOGETHER:
            check_together(folder, *row)
        check_refused(folder)
        check_bytes(folder)
    tap.end()


if __name__ == "__main__":
    main()
