# SPDX-License-Identifier: MIT
"""Power is lost at any moment of a run: the old output is there, or the new one, whole; after a successful
run, the new one.

The library of faults.c records what a run writes, cuts, creates, renames, removes and syncs. Nothing of that
is certain to be on the disk before a sync: of the file for its bytes and its size, of its folder for its
name. So at every point of the record, states are built in which unsynced changes are lost: all, none, all but
one, or only one. Arguments: words that must stand in a case's name.
"""

import os
import shutil
import struct
import sys
import tempfile
from pathlib import Path

import tap
from cases import chosen_cases, prepare, restore, run

CREATED, WRITTEN, CUT, RENAMED, REMOVED, SYNCED = range(1, 7)
RECORD = struct.Struct("=5Q")


class Step:
    """A line of the record."""

    def __init__(self, kind, file, folder, offset, data):
        self.kind, self.file, self.folder, self.offset, self.data = kind, file, folder, offset, data
        self.names = (
            [os.fsdecode(name) for name in data.split(b"\0")] if kind in (CREATED, RENAMED, REMOVED) else []
        )
        self.at = file if kind in (WRITTEN, CUT) else folder  # whose sync makes it durable


def read_record(path):
    """The steps. A created file has a new number, whoever had the name before."""
    content = path.read_bytes()
    at, renumbered = 0, {}
    while at < len(content):
        kind, file, folder, offset, size = RECORD.unpack_from(content, at)
        at += RECORD.size
        if kind == CREATED:
            renumbered[file] = (file, at)
        yield Step(
            kind, renumbered.get(file, file), renumbered.get(folder, folder), offset, content[at : at + size]
        )
        at += size


class Disk:
    """Files by number, and names in folders."""

    def __init__(self, files, names):
        self.files, self.names = files, names

    def copy(self):
        return Disk(dict(self.files), dict(self.names))

    def do(self, step):
        if step.kind == WRITTEN:
            old = self.files.get(step.file, b"")
            old += b"\0" * (step.offset - len(old))
            self.files[step.file] = old[: step.offset] + step.data + old[step.offset + len(step.data) :]
        elif step.kind == CUT:
            old = self.files.get(step.file, b"")
            self.files[step.file] = old[: step.offset] + b"\0" * (step.offset - len(old))
        elif step.kind == CREATED:
            self.names[step.folder, step.names[0]] = step.file
        elif step.kind == RENAMED:
            self.names.pop((step.folder, step.names[0]), None)
            self.names[step.folder, step.names[1]] = step.file
        elif step.kind == REMOVED:
            self.names.pop((step.folder, step.names[0]), None)

    def content(self, folder, name):
        file = folder
        for step in Path(name).parts:
            file = self.names.get((file, step))
        return None if file is None else self.files.get(file, b"")


def begin(case):
    """What is on the disk before the run."""
    folder = os.stat(case.folder).st_ino
    numbers = {name: os.stat(case.folder / name).st_ino for name in case.files}
    return Disk(
        {numbers[name]: content for name, content in case.files.items()},
        {(folder, name): number for name, number in numbers.items()},
    )


def kept(waiting):
    """Which of the steps that wait for a sync reach the disk."""
    yield []
    yield waiting
    for one in waiting:
        yield [one]
        yield [step for step in waiting if step is not one]


def states(disk, steps):
    """(whether the run has ended, a disk as it may be after power was lost)"""
    waiting = []
    for n in range(len(steps) + 1):
        for choice in kept(waiting):
            state = disk.copy()
            for step in choice:
                state.do(step)
            yield n == len(steps), state
        if n == len(steps):
            return
        if steps[n].kind == SYNCED:
            for step in waiting:
                if step.at == steps[n].file:
                    disk.do(step)
            waiting = [step for step in waiting if step.at != steps[n].file]
        else:
            waiting = [*waiting, steps[n]]


def check(case, folder, ended, disk):
    """What is wrong with such a disk."""
    for name in set(case.files) | set(case.right.files):
        # States of a run are synced once a second, and at its end.
        if name == "state" and not ended:
            continue
        found = disk.content(folder, name)
        old, new = case.files.get(name), case.right.files.get(name, case.files.get(name))
        if found == new or (found == old and not ended):
            continue
        size = "nothing" if found is None else f"{len(found)} bytes"
        wanted = "the new content" if ended else "the old content or the new one"
        return f"{name}: expected {wanted}, found {size}"
    return None


def try_case(case, root):
    """How many states were checked, and what was wrong."""
    record = root / "record"
    disk, folder = begin(case), os.stat(case.folder).st_ino
    outcome = run(case, "", FAULTS_RECORD=str(record))
    steps = list(read_record(record))
    restore(case, outcome)
    faults = [] if outcome.files == case.right.files else ["two runs without a fault differ"]
    n = 0
    for ended, state in states(disk, steps):
        n += 1
        fault = check(case, folder, ended, state)
        if fault and fault not in faults:
            faults.append(fault)
    return n, faults


def main():
    root = Path(tempfile.mkdtemp(prefix="sheaf-power-"))
    total = [0, 0]
    try:
        for case in chosen_cases(root, sys.argv[1:]):
            if prepare(case, root) and case.right.files:
                n, faults = try_case(case, root)
                total = [total[0] + 1, total[1] + n]
                tap.point(not faults, case.name, "\n".join(faults))
            shutil.rmtree(case.folder)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print(f"# {total[0]} cases, {total[1]} states")
    tap.end()


main()
