#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds what comes of each file of tests/files, and of the inputs of fuzz/corpus that are boxes, against
tests/outcomes.txt: of reading it in many ways, of converting it into each format and using it otherwise, and
of reading it after each of many small changes. tests/outcome_tool.c says what an outcome is. It protects
checks: one that is dropped or moved by one changes the outcome of some damaged file.

    tests/outcomes.py [--record] [PART OF A NAME]

A line of outcomes.txt has a file, a letter for each way, each use and each block of changes, and a sum.
`meson compile outcomes` writes the lines anew. A failure shows the outcomes as they are; the tool of a build
from before shows them as they were: OUTCOMES_BEFORE=/old/build/tests/outcome_tool.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import files
import tap
from guarded import settings_of

TOOL = Path(os.environ["OUTCOME_TOOL"]).resolve()
TABLE = files.TESTS / "outcomes.txt"
CORPUS = files.TESTS.parent / "fuzz/corpus"
HEAD = """\
# SPDX-License-Identifier: MIT
# What comes of files and of changes in them; `meson compile outcomes` writes it.
"""
# How many changes of a file.
CHANGES = {"hdf5": 150, "binsparse": 80}
OTHERS = 160
BLOCK = 5
# Folders of inputs to fuzzers, the format, and how many bytes stand before the file.
BOXES = {
    "box": ("hdf5", 0),
    "netcdf": ("hdf5", 0),
    "hdf5": ("hdf5", 4),
    "npz": ("npz", 4),
    "arrow": ("arrow", 4),
}


def jobs(part, folder):
    """Lines for the tool, about files in the folder."""
    cases = files.read_table()
    for case in cases:  # which configurations name
        if case.file.startswith("config/") and not case.file.endswith(".cntk"):
            place(files.FILES / case.file, folder, Path(case.file).name)
    for case in files.sample(cases):
        kind = case.file.split("/")[0]
        if part not in case.file:
            continue
        source = Path(files.assemble(case, folder))
        if case.file.endswith(".cntk"):
            yield job(case.file, "config", place(source, folder, source.name), False, [])
            continue
        form, pairs = settings_of(case.options)
        name = source.name if kind == "config" else f"{kind}-{source.name}"
        path = place(source, folder, name)
        yield job(case.file, form or kind, path, case.kind in ("ok", "breach"), pairs)
    for name, (kind, before) in BOXES.items():
        for number, source in enumerate(sorted((CORPUS / name).iterdir())):
            label = f"{kind}/corpus-{name}-{source.name}"
            if part in label and source.stat().st_size < 60000 and number % files.ONE_IN == 0:
                yield job(label, kind, place(source, folder, f"{name}-{source.name}", before), True, [])


def place(source, folder, name, before=0):
    """The name of a copy that is the same each time, also in its time."""
    path = Path(folder, name)
    path.write_bytes(source.read_bytes()[before:])
    os.utime(path, (1e9, 1e9))
    return f"../{name}"


def job(name, kind, path, converts, pairs):
    changes = CHANGES.get(kind, OTHERS)
    return "\t".join([name, kind, str(path), str(changes), "yes" if converts else "no", *pairs]) + "\n"


def run(tool, lines, folder, *options):
    # Whoever writes a file looks at all others in its folder: outputs have one of their own.
    outputs = Path(folder, "outputs")
    outputs.mkdir(exist_ok=True)
    done = subprocess.run(
        [tool, *options], input="".join(lines), capture_output=True, text=True, errors="replace", cwd=outputs
    )
    return done.returncode, done.stdout.splitlines()


def read_known():
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    return {line.split("\t")[0]: line for line in lines if line and line[0] != "#"}


def outcomes_of(tool, line, folder):
    """Lines for each way, each use and each block of changes."""
    told = [one[2:] for one in run(tool, [line], folder, "--full")[1] if one.startswith("# ")]
    ways, used, changes = ([one for one in told if one.startswith(word)] for word in ("way", "use", "change"))
    each = len(changes) // (int(changes[-1].split(",")[0].split()[1]) + 1) * BLOCK if changes else 1
    blocks = [changes[at : at + each] for at in range(0, len(changes), each)]
    return [[one] for one in ways], [[one] for one in used], blocks


def explain(known, found, line, folder):
    """The outcomes that are different, as they are and, with OUTCOMES_BEFORE, as they were."""
    if not known:
        yield "a new file, or a new name: record it"
        return
    now = outcomes_of(TOOL, line, folder)
    old_tool = os.environ.get("OUTCOMES_BEFORE")
    before = outcomes_of(old_tool, line, folder) if old_tool else None
    for b, (old, new) in enumerate(zip(known.split("\t")[1:4], found.split("\t")[1:4])):
        for at in [k for k in range(len(now[b])) if old[k : k + 1] != new[k]]:
            for k, told in enumerate(now[b][at]):
                if not before or before[b][at][k] != told:
                    yield f"now {told}"
                    yield from [f"was {before[b][at][k]}"] if before else []


def record(found, part):
    kept = {name: line for name, line in read_known().items() if part and part not in name}
    TABLE.write_text(HEAD + "".join(f"{line}\n" for _, line in sorted({**kept, **found}.items())))


def check(found, lines, part, folder):
    known = {name: line for name, line in read_known().items() if part in name}
    for line in lines:
        name = line.split("\t")[0]
        old, new = known.pop(name, None), found.get(name)
        why = "the tool ends before it" if not new else explain(old, new, line, folder) if old != new else []
        tap.point(old == new, name, "\n".join([why] if isinstance(why, str) else why))
    if files.ONE_IN == 1:
        tap.point(not known, "each line of outcomes.txt has a file", sorted(known))


def main():
    records = "--record" in sys.argv
    part = next((word for word in sys.argv[1:] if word != "--record"), "")
    room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sheaf-outcomes-", dir=room) as folder:
        lines = list(jobs(part, folder))
        code, printed = run(TOOL, lines, folder)
        found = {line.split("\t")[0]: line for line in printed}
        if records and code == 0:
            record(found, part)
            return 0
        check(found, lines, part, folder)
        tap.point(code == 0, "the tool ends well", f"it ends with {code} after {next(reversed(found), None)}")
        return tap.end()


if __name__ == "__main__":
    sys.exit(main())
