#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares this machine with another one: both convert the sound files of tests/files into each format that
takes their rows. What they say and write must be the same bytes, and each reads what the other has written.

    SHEAF=build/sheaf BOX_TOOL=build/tests/box_tool tests/machines.py COMMAND...

COMMAND runs sheaf for the other machine, such as `qemu-s390x -L /usr/s390x-linux-gnu build-s390x/sheaf`.
SHEAF_FILES_ONE_IN=8 takes one in eight of the files of each format.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import files
import tap

OUTPUTS = ["out.arrow", "out.cbf", "out.h5ad", "out.npz", "out.npy", "out.zarr", "out.csv", "out.jsonl",
           "out.ex", "out.bex", "out.ctf", "out.scidb", "out.mtx", "b.h5"]
LONGEST = 120
OTHER = [os.path.abspath(word) if os.path.exists(word) else word for word in sys.argv[1:]]


def contents(path):
    """The bytes of a file, or of each file of a folder; nothing if there is neither."""
    inner = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return {str(p.relative_to(path.parent)): p.read_bytes() for p in inner if p.exists()}


def said(command, *words, cwd):
    done = subprocess.run([*command, *words], capture_output=True, timeout=LONGEST, check=False, cwd=cwd)
    return done.returncode, done.stdout, done.stderr


def differences(case, path, folder):
    """What one machine says or writes and the other does not."""
    commands = {name: [*command] for name, command in (("here", [files.SHEAF]), ("there", OTHER))}
    for name in commands:
        Path(folder, name).mkdir()
    looks = [["info", *case.options, path], ["cat", "--json", *case.options, path],
             ["hash", "-q", *case.options, path]]
    jobs = [["convert", "-q", *case.options, path, output] for output in OUTPUTS]
    for words in [*looks, *jobs]:
        here, there = (said(command, *words, cwd=Path(folder, name)) for name, command in commands.items())
        if here != there:
            yield f"{' '.join(map(str, words))}: expected {here!r}, found {there!r}"
        if words in looks:
            continue
        made = [contents(Path(folder, name, words[-1])) for name in commands]
        if made[0] != made[1]:
            yield f"{' '.join(map(str, words))}: expected the same bytes, found others"
        elif made[0]:
            hashes = {said(command, "hash", "-q", f"here/{words[-1]}", cwd=folder)[:2]
                      for command in commands.values()}
            if len(hashes) > 1:
                yield f"hash of {words[-1]}: expected one, found {hashes}"


def main():
    files.SHEAF = os.path.abspath(files.SHEAF)
    for case in files.sample([case for case in files.read_table() if case.kind == "ok"]):
        if case.file.endswith(".cntk"):
            continue
        with tempfile.TemporaryDirectory(prefix="sheaf-machines-") as folder:
            path = files.assemble(case, folder)
            found = list(differences(case, path, folder))
            tap.point(not found, case.file, "\n".join(found))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
