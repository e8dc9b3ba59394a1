#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Configurations of the real program: the minibatches that CNTK's readers made of small configurations are
also ours, sequence by sequence, with the ends of sweeps and epochs. The data are not part of this tree:
if they are absent, all of it counts as skipped. Prints TAP."""

import json
import os
import subprocess
import sys

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
FOLDER = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "cntk", "config")


def run(command, case):
    """The objects that a command prints of a configuration, and what it says of it."""
    section = f"{os.path.join(FOLDER, case['config'])}:{case['section']}"
    p = subprocess.run(
        [SHEAF, command, "--json", "--quiet", "--config", section, *arguments(case["args"])],
        capture_output=True,
        timeout=120,
    )
    return [json.loads(line) for line in p.stdout.decode().splitlines()], p.stderr.decode(errors="replace")


def arguments(given):
    """The recorded cases have the first epoch and the number of epochs as two options."""
    values = dict(zip(given[::2], given[1::2]))
    first, n = int(values.pop("--start-epoch", 0)), int(values.pop("--epochs", 1))
    words = [word for pair in values.items() for word in pair]
    return [*words, *(["--epochs", f"{first}:{first + n}"] if (first, n) != (0, 1) else [])]


def epoch_size(case, batches):
    """The batches given, or all of a sweep, whose length is the position at which the first one ends."""
    args = case["args"]
    return (
        int(args[args.index("--epoch-size") + 1])
        if "--epoch-size" in args
        else next(b["position"][1] for b in batches if b["sweep_end"])
    )


def crooked(case, batches):
    """A batch whose flag for the end of an epoch is not what its place says; None where there is none."""
    size = epoch_size(case, batches)
    return next(
        (b for b in batches if b["epoch_end"] != (b["position"][1] // size > b["position"][0] // size)), None
    )


def difference(case):
    """Why the batches are not those of the program; empty if they are."""
    batches, said = run("batches", case)
    given = [b for b in batches if b["keys"]]
    for number, (wanted, batch) in enumerate(zip(case["keys"], given)):
        if batch["keys"] != wanted:
            return f"batch {number}: expected {wanted}, found {batch['keys']}\n{said}"
    if len(given) != len(case["keys"]):
        return f"expected {len(case['keys'])} batches, found {len(given)}\n{said}"
    ends = [b["sweep_end"] for b in given]
    if ends != case.get("sweep_end", ends):
        return f"ends of sweeps: expected {case['sweep_end']}, found {ends}"
    truncated = "packed" in batches[0]  # whose rows hold on to sequences past their place
    wrong = None if truncated else crooked(case, batches)
    return f"end of an epoch: wrong in {wrong}" if wrong else ""


def statistics(case):
    (found,), said = run("stats", case)
    return (
        ""
        if all(found[k] == v for k, v in case["stats"].items())
        else f"expected {case['stats']}, found {found}\n{said}"
    )


def main():
    if not os.path.isdir(FOLDER):
        skip("conform configurations")
        end()
        return 0
    with open(os.path.join(FOLDER, "expect.json"), encoding="utf-8") as f:
        cases = json.load(f)
    for case in cases:
        why = statistics(case) if "stats" in case else difference(case)
        point(not why, f"configuration {case['config']}", why)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
