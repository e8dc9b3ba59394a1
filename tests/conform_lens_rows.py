#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Example files as rows: each event as the real Lens presents it to a network. The data are not part of this
tree: if they are absent, it counts as skipped. Prints TAP."""

import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
DATA = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "lens")
# The groups of the networks that the real Lens was given, by how many units a side had; another number is a
# group alone.
NETWORKS = {
    "I": {10: {"input": 4, "input2": 6}, 12: {"input": 4, "input2": 8}},
    "T": {5: {"output": 3, "out2": 2}},
}
WORDS = {"I": "input", "T": "output"}


def network_of(side, units):
    return NETWORKS[side].get(units, {WORDS[side]: units})


def options(sides):
    return [
        word
        for side, groups in sides.items()
        for name, size in groups.items()
        for word in ("--group", f"{name}:{size}:{WORDS[side]}")
    ]


def wanted_rows(dump):
    """For each example its events, each with the units of both sides. None: Lens could not present all of
    them."""
    examples = []
    for line in dump.splitlines():
        if line.startswith("example "):
            examples.append([])
        elif line.startswith("  event "):
            examples[-1].append({})
        elif found := re.match(r"    ([IT]): (.*)", line):
            examples[-1][-1][found[1]] = [float(v) for v in found[2].split()]
    complete = all(set(event) == set(WORDS) for events in examples for event in events)
    return examples if complete and examples else None


def found_rows(path, sides, folder):
    """The rows of the file, by way of a binary file of streams, which holds every float as it is."""
    there = os.path.join(folder, "rows.cbf")
    made = subprocess.run(
        [SHEAF, "convert", "-f", "-q", "--allow=loss", "--allow=missing", *options(sides), path, there],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if made.returncode:
        return None, made.stderr
    rows = subprocess.run([SHEAF, "cat", "--json", there], capture_output=True, text=True, timeout=60)
    examples = []
    for line in rows.stdout.splitlines():
        streams = json.loads(line)["streams"]
        count = len(streams["input"])
        events = [
            {side: sum((streams[name][e] for name in groups), []) for side, groups in sides.items()}
            for e in range(count)
        ]
        examples.append(events)
    return examples, rows.stderr


def same(a, b):
    """Lens prints 6 digits."""
    a, b = float(a), float(b)
    return (math.isnan(a) and math.isnan(b)) or a == b or (not math.isnan(b) and f"{a:g}" == f"{b:g}")


def same_rows(want, have):
    if have is None or len(want) != len(have):
        return False
    for a, b in zip(want, have):
        if len(a) != len(b):
            return False
        for x, y in zip(a, b):
            if any(len(x[s]) != len(y[s]) or not all(map(same, x[s], y[s])) for s in WORDS):
                return False
    return True


def one(path, dump, folder):
    want = wanted_rows(dump)
    if want is None:
        return
    sides = {side: network_of(side, len(want[0][0][side])) for side in WORDS}
    have, err = found_rows(path, sides, folder)
    point(
        same_rows(want, have),
        f"{os.path.basename(path)}: units as Lens presents them",
        f"wanted {want}\nfound {have}\n{err}",
    )


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def main():
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("cases", "corrected"):
            if not os.path.isdir(os.path.join(DATA, kind)):
                skip(f"conform rows of {kind}")
                continue
            for path in sorted(glob.glob(f"{DATA}/{kind}/*.ex")):
                dump = path + ".out" if kind == "corrected" else path[:-3] + ".out"
                if os.path.exists(dump):
                    one(path, read(dump), folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
