#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of every format that are cut off at any byte: with --drop-incomplete, the rows are the first ones of
the whole file, and a warning says that there were more. With an argument N, every N-th byte of the end is
tried; with 1, every byte of the whole file."""

import gzip
import json
import sys
import tempfile
from pathlib import Path

import selection
import tap
from selection import cases, sheaf

LAST = 200  # bytes at the end of each file, which are tried
# Their directory or header is at the end, or their size is fixed: nothing of a cut file can be read.
WHOLE = ("a.cbf", "a.h5", "a.npy", "a.npz", "a.h5ad", "a.arrow")
# Lines without which nothing can be read.
HEADER = {"ctf": 2, "csv": 1, "tsv": 1, "jsonl": 1, "matrixmarket": 2, "tns": 1}
DROP = "--drop-incomplete"


def rows_of(done):
    """The rows that were printed, also if the run failed after them."""
    rows = []
    for line in done.stdout.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # an array of entries that was not finished
        rows += row["entries"] if "entries" in row else [row] if "set" not in row else []
    return rows


def judge(done, everything, at_border, readable):
    """What is wrong with a run, or nothing."""
    rows, message = rows_of(done), done.stderr.decode()
    if rows != everything[: len(rows)]:
        return f"expected the first rows, found {rows[-2:]}"
    if done.returncode not in ((0,) if readable else (0, 4, 6)) or (done.returncode and not message):
        return f"exit {done.returncode}: {message}"
    if done.returncode == 0 and not at_border and "warning" not in message:
        return f"expected a warning, found none: {len(rows)} of {len(everything)} rows {message}"
    return ""


def is_begun(format_name, cut):
    """Whether there is enough for any row; a stream of Arrow's begins with the size of its schema."""
    if format_name == "arrow":
        return len(cut) >= 8 and len(cut) >= 8 + int.from_bytes(cut[4:8], "little")
    return cut.count(b"\n") >= HEADER.get(format_name, 0)


def check(folder, format_name, name, how, step):
    everything = rows_of(sheaf(folder, "cat", "--json", *how, name))
    content = (folder / name).read_bytes()
    readable = name not in WHOLE
    done = sheaf(folder, "cat", "--json", DROP, *how, name)
    same = rows_of(done) == everything and not done.stderr
    wrong = [] if same else [f"whole: {done.stderr.decode()}"]
    first = 1 if step == 1 else max(1, len(content) - LAST)
    # And where only the line feed of the first line is left out.
    for size in [max(1, content.find(b"\n")), *range(first, len(content), step)]:
        cut = content[:size]
        (folder / ("cut-" + name)).write_bytes(cut)
        # A cut between two lines, or two rows of a fixed size, does not show.
        done = sheaf(folder, "cat", "--json", "--threads", "1", DROP, *how, "cut-" + name)
        border = cut.endswith(b"\n") or format_name in ("scidb", "lens", "arrow")
        found = judge(done, everything, border, readable and is_begun(format_name, cut))
        if found:
            wrong.append(f"{size} of {len(content)} bytes: {found}")
    tap.point(not wrong and everything, f"{name}: cut off", "\n".join(wrong[:5]) or everything)


def check_compressed(folder, format_name, name, how):
    """A compressed file that breaks off: from a pipe, too."""
    everything = rows_of(sheaf(folder, "cat", "--json", *how, name))
    packed = gzip.compress((folder / name).read_bytes())
    wrong = []
    for size in (len(packed) - 20, len(packed) - 30):
        for way in ("cut-" + name + ".gz", "-"):
            (folder / ("cut-" + name + ".gz")).write_bytes(packed[:size])
            words = [*how, "--from", format_name, way]
            done = sheaf(folder, "cat", "--json", DROP, *words, stdin=packed[:size])
            found = judge(done, everything, False, name not in WHOLE)
            if found:
                wrong.append(f"{way}: {size} of {len(packed)} bytes: {found}")
            done = sheaf(folder, "cat", "--json", *words, stdin=packed[:size])
            if done.returncode != 4 or rows_of(done) != everything[: len(rows_of(done))]:
                wrong.append(f"{way}: without the option: exit {done.returncode}: {done.stderr.decode()}")
    tap.point(not wrong, f"{name}: compressed and cut off", "\n".join(wrong))


def check_sequences(folder):
    """A sequence of several lines is whole if another one begins after it, or the last line has its end."""
    text = "1 |A 1\n12 |A 2\n12 |A 3\n12 |A 4\n123 |A 5\n13 |A 6\n13 |A 7\n"
    (folder / "s.ctf").write_text(text)
    everything = rows_of(sheaf(folder, "cat", "--json", "s.ctf"))
    wrong = []
    for size in range(len(text)):
        if text[:size].endswith("\n"):
            continue
        (folder / "cut-s.ctf").write_text(text[:size])
        found = judge(sheaf(folder, "cat", "--json", DROP, "cut-s.ctf"), everything, False, size > 9)
        wrong += [f"{size}: {found}"] if found else []
    tap.point(not wrong, "sequences of several lines", "\n".join(wrong))


def main():
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 13
    with tempfile.TemporaryDirectory(prefix="sheaf-incomplete-") as root:
        folder = Path(root)
        cases.make_samples(folder, cases.SAMPLES)
        for format_name, rows in cases.SAMPLES.items():
            for name, _, _, how in rows:
                check(folder, format_name, name, how, step)
                check_compressed(folder, format_name, name, how)
        check_sequences(folder)
    tap.end()


main()
