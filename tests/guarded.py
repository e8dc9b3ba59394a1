#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the files of tests/files with every kernel, between protected pages: no kernel accesses a byte
outside its buffer, and all find the same. tests/guard_tool does the reading.

    GUARD_TOOL=build/tests/guard_tool SHEAF_TESTS=tests SHEAF_TOOLS=tools tests/guarded.py [PART OF A NAME]
"""

import os
import subprocess
import sys
import tempfile

import files

GUARD_TOOL = os.environ["GUARD_TOOL"]
TIMEOUT = 120


def settings_of(options):
    """The format that --from names, or None, and the others as pairs of names and values; a flag's value is
    `-`."""
    words, kind, pairs = list(options), None, []
    while words:
        name, _, value = words.pop(0).removeprefix("--").partition("=")
        if not value:
            value = words.pop(0) if words and not words[0].startswith("--") else "-"
        if name == "from":
            kind = value
        else:
            pairs += [name, value]
    return kind, pairs


def fault(case, folder):
    """The tool's complaint, if it has one."""
    path = files.assemble(case, folder)
    kind, pairs = settings_of(case.options)
    command = [GUARD_TOOL, path, kind or case.file.split("/")[0], *pairs]
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False
    )
    return (
        None
        if done.returncode == 0
        else f"exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    )


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    # Boxes are read by a library that has an allocator of its own.
    chosen = [
        case
        for case in files.read_table()
        if part in case.file and not case.file.startswith(("binsparse/", "hdf5/"))
    ]
    failed = 0
    print(f"1..{len(chosen)}")
    with tempfile.TemporaryDirectory(prefix="sheaf-guarded-") as folder:
        for number, case in enumerate(chosen, 1):
            found = fault(case, folder)
            failed += found is not None
            print(f"{'not ok' if found else 'ok'} {number} - {case.file}")
            for line in (found or "").splitlines():
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
