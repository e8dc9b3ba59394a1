#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A selection is what it would be from the rows that cat prints: rows, samples and columns, for all
formats, however they are read."""

import json
import os
import struct
import subprocess
import tempfile
from pathlib import Path

os.environ.setdefault("FAULTS_LIBRARY", "")
import cases
import tap

WORD = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def row_hash(seed, row):
    return mix(mix(seed + GOLDEN & WORD) + row * GOLDEN & WORD)


def sheaf(folder, *words, stdin=None):
    return subprocess.run(
        [cases.SHEAF, *words],
        cwd=folder,
        capture_output=True,
        input=stdin,
        env=cases.environment(folder),
        timeout=60,
    )


def rows_of(done):
    """The rows that were printed, whatever they are."""
    if done.returncode:
        return [f"exit {done.returncode}: {done.stderr.decode()}"]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if lines and "entries" in lines[0]:
        return lines[0]["entries"]
    return [line for line in lines if "set" not in line]


def smallest(n, seed, rows):
    return sorted(sorted(rows, key=lambda i: row_hash(seed, i))[:n])


def below(share, seed, rows):
    return [i for i in rows if row_hash(seed, i) < share / 100 * 2**64]


# what is given -> the numbers of the rows, of n
SELECTIONS = {
    "--rows 5": lambda n: range(n)[:5],
    "-n 0": lambda n: [],
    "--rows 3:9": lambda n: range(n)[3:9],
    "--rows 2:": lambda n: range(n)[2:],
    "--rows :2": lambda n: range(n)[:2],
    "--rows 1:1000": lambda n: range(n)[1:],
    "--skip 2": lambda n: range(n)[2:],
    "--skip 1 --rows 1:3": lambda n: range(n)[2:4],
    "--skip 1000": lambda n: [],
    "--sample 2": lambda n: smallest(2, 0, range(n)),
    "--sample 5 --seed 7": lambda n: smallest(5, 7, range(n)),
    "--sample 1000": lambda n: range(n),
    "--sample 0": lambda n: [],
    "--sample 40%": lambda n: below(40, 0, range(n)),
    "--sample 62.5% --seed 3 --skip 1": lambda n: below(62.5, 3, range(1, n)),
    "--sample 100%": lambda n: range(n),
    "--sample 2 --rows 1:4": lambda n: smallest(2, 0, range(n)[1:4]),
}


def check_rows(folder, name, how):
    everything = rows_of(sheaf(folder, "cat", "--json", *how, name))
    content = (folder / name).read_bytes()
    wrong = []
    for given, choose in SELECTIONS.items():
        words = given.split()
        expected = [everything[i] for i in choose(len(everything))]
        for way in (["--threads", "1"], ["--threads", "3"]):
            found = rows_of(sheaf(folder, "cat", "--json", *way, *words, *how, name))
            if found != expected:
                wrong.append(f"{given} {way}: expected {expected}\nfound {found}")
        found = rows_of(
            sheaf(folder, "cat", "--json", "--from", cases.format_of(name), *words, *how, "-", stdin=content)
        )
        if found != expected:
            wrong.append(f"{given} of a pipe: expected {expected}\nfound {found}")
    tap.point(not wrong and len(everything) >= 4, f"{name}: rows", "\n".join(wrong) or everything)


def values(row):
    return row if isinstance(row, list) else row.get("streams") or row.get("cells")


def check_converted(folder, name, how):
    """The selection as a file is the selection."""
    suffix = name.partition(".")[2]
    writing = cases.OUTPUT.get(suffix, [])
    expected = rows_of(sheaf(folder, "cat", "--json", "--rows", "1:4", *how, name))
    done = sheaf(folder, "convert", "-q", "--rows", "1:4", *how, *writing, name, f"part.{suffix}")
    found = rows_of(sheaf(folder, "cat", "--json", *how, f"part.{suffix}"))
    hashes = [
        sheaf(folder, "hash", *words).stdout[:32]
        for words in ([*how, "--rows", "1:4", name], [*how, f"part.{suffix}"])
    ]
    if (folder / f"part.{suffix}").exists():
        (folder / f"part.{suffix}").unlink()
    spelled = "example" in expected[0]  # of which sequences are made: only what they hold is the same
    same = hashes[0] == hashes[1] and (
        spelled or sorted(map(str, map(values, expected))) == sorted(map(str, map(values, found)))
    )
    tap.point(
        done.returncode == 0 and same,
        f"{name}: rows converted",
        f"{done.stderr.decode()}\nexpected {expected}\nfound {found}",
    )


def check_columns(folder, name, how):
    everything = rows_of(sheaf(folder, "cat", "--json", *how, name))
    kind = "cells" if "cells" in everything[0] else "streams"
    option = "--columns" if kind == "cells" else "--streams"
    names = list(everything[0][kind])
    wanted = names[1::-1]
    found = rows_of(sheaf(folder, "cat", "--json", option, ",".join(wanted), *how, name))
    expected = [{**row, kind: {key: row[kind][key] for key in wanted}} for row in everything]
    ordered = [list(row[kind]) for row in found if isinstance(row, dict)]
    tap.point(
        found == expected and all(o == wanted for o in ordered),
        f"{name}: {option}",
        f"expected {expected}\nfound {found}",
    )
    done = sheaf(folder, "cat", option, "nothing", *how, name)
    tap.point(
        done.returncode == 2 and all(key.encode() in done.stderr for key in names),
        f"{name}: {option} that is not there",
        done.stderr.decode(),
    )


def check_same_sample(folder, files):
    """The same rows of the same dataset, whatever its format."""
    samples = [
        [
            row["key"]
            for row in rows_of(sheaf(folder, "cat", "--json", "--sample", "6", "--seed", "11", *how, name))
        ]
        for name, how in files
    ]
    tap.point(
        len(samples[0]) == 6 and all(s == samples[0] for s in samples),
        "the same sample in every format",
        samples,
    )


def check_batches(folder, name, how, rows):
    """Batches of a selection have its rows, also where these can only be gone through."""
    wrong = []
    numbers = {"--rows 1:4": 3, "--sample 3 --seed 5": 3, "--skip 1": rows - 1, "": rows}
    for given, expected in numbers.items():
        done = sheaf(
            folder,
            "batches",
            "--json",
            "--order",
            "file",
            "--size",
            "1sequences",
            *given.split(),
            *how,
            name,
        )
        found = done.stdout.count(b"\n")
        if done.returncode or found != expected:
            wrong.append(f"{given}: expected {expected} batches, found {found}: {done.stderr.decode()}")
    tap.point(not wrong, f"{name}: batches of a selection", "\n".join(wrong))


def write_npy(path, shape):
    """Doubles that count up, with this shape."""
    count = 1
    for extent in shape:
        count *= extent
    path.write_bytes(tap.npy("'<f8'", tuple(shape), struct.pack(f"<{count}d", *range(count))))


def check_transposed(folder, name, how):
    entries = rows_of(sheaf(folder, "cat", "--json", *how, name))
    found = rows_of(sheaf(folder, "cat", "--json", "--transpose", *how, name))
    expected = [[list(reversed(at)), value] for at, value in entries]
    tap.point(found == expected, f"{name}: --transpose", f"expected {expected}\nfound {found}")


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-selection-") as root:
        folder = Path(root)
        cases.make_samples(folder, cases.SAMPLES)
        for rows in cases.SAMPLES.values():
            for name, _, making, how in rows:
                how = [*how, *(making if name.endswith("ex") else [])]
                check_rows(folder, name, how)
                check_converted(folder, name, how)
                first = rows_of(sheaf(folder, "cat", "--json", *how, name))[0]
                if isinstance(first, list):
                    check_transposed(folder, name, how)
                elif "cells" in first or "streams" in first:
                    check_columns(folder, name, how)
        for name, rows in (
            ("a.ctf", 30),
            ("a.cbf", 30),
            ("a.svmlight", 30),
            ("a.mtx", 4),
            ("a.npz", 4),
            ("a.bex", 30),
        ):
            check_batches(folder, name, [], rows)
        for rank, shape in enumerate([(6,), (6, 2), (6, 3, 2), (6, 1, 2, 2)], 1):
            write_npy(folder / f"rank{rank}.npy", shape)
            check_batches(folder, f"rank{rank}.npy", [], 6)
        check_same_sample(folder, [("a.ctf", []), ("a.cbf", [])])
    tap.end()


if __name__ == "__main__":
    main()
