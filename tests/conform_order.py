#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Orders of the real program: the batches that CNTK's randomisers made of small files are also ours. The data are not part of this tree: if they are absent, all of it counts as skipped. Prints TAP."""

import json
import os
import re
import subprocess
import sys

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
FOLDER = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "cntk", "order")
WORDS = {
    "-c": "--chunk-bytes",
    "-r": "--seed",
    "-m": "--size",
    "-E": "--epoch-size",
    "-p": "--position",
}
FLAGS = {"-X": ["--no-cross-sweep"], "-G": ["--timeline", "global"]}
# What we give where that program crashed. Its files were cut into chunks of which one had no partner
# at all.
CRASHED = "(segmentation fault in CNTK code)"


def arguments(heading):
    """The command for a heading: our words for its options, its files and their streams."""
    words = iter(heading.split()[1:])
    shard, order, args, files = {"-W": "1", "-k": "0"}, "cntk", [], []
    window, unit = "", ""
    for word in words:
        if word == "-w":
            window = next(words)
        elif word == "-S":
            unit = "samples"
        elif word == "-e":
            args += ["--epoch-size", f"{next(words)}sweeps"]
        elif word == "-x":
            first = int(next(words))
            args += ["--epochs", f"{first}:{first + 1}"]
        elif word in WORDS:
            args += [WORDS[word], next(words)]
        elif word in FLAGS:
            args += FLAGS[word]
        elif word in shard:
            shard[word] = next(words)
        elif word == "-n":
            order = "file"
        elif word == "--":
            args += ["--join"]
        elif word.count(":") >= 2 and "--" in heading.split():
            continue  # joined files have streams of their own, which are inferred
        elif word.count(":") >= 2:
            name, alias, dim, kind = word.split(":")[:4]
            args += ["--stream", f"{name}:{dim}:{kind}" + (f":alias={alias}" if alias else "")]
        else:
            files += [os.path.join(FOLDER, word)]
    args += ["--window", window + unit] if window or unit else []
    return ["--order", order, "--shard", f"{shard['-k']}/{shard['-W']}", *args, *files]


def batches(args):
    p = subprocess.run([SHEAF, "batches", "--json", "--quiet", *args], capture_output=True, timeout=120)
    return [json.loads(line) for line in p.stdout.decode().splitlines()], p.stderr.decode(errors="replace")


def wanted(lines):
    """What an oracle's lines say: positions, ends and keys of each batch."""
    for line in lines:
        number, begin, end, flags, keys = re.match(
            r"mb (\d+) pos (\d+)->(\d+)((?: [A-Z]+)*) :(.*)$", line
        ).groups()
        yield (
            int(number),
            [int(begin), int(end)],
            "SWEEP" in flags,
            "EPOCH" in flags,
            [int(k.split("(")[0]) for k in keys.split()],
        )


def found(batch):
    return batch["batch"], batch["position"], batch["sweep_end"], batch["epoch_end"], batch["keys"]


def difference(lines, args):
    have, err = batches(args)
    want = list(wanted(lines))
    for w, h in zip(want, map(found, have)):
        if w != h:
            return f"expected {w}, found {h}\n{err}"
    return "" if len(want) == len(have) else f"expected {len(want)} batches, found {len(have)}\n{err}"


def sections():
    with open(os.path.join(FOLDER, "orders.txt"), encoding="utf-8") as f:
        text = f.read()
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        heading, *lines = part.splitlines()
        yield heading, lines


def main():
    if not os.path.isdir(FOLDER):
        skip("conform orders")
        end()
        return 0
    parts = list(sections())
    whole = {heading.split("-n")[1]: lines for heading, lines in parts if "--" in heading}
    for heading, lines in parts:
        if lines == [CRASHED]:
            lines = whole[heading.split("-n")[1]]  # unrandomised, so that chunks do not matter
        why = difference(lines, arguments(heading))
        point(not why, f"order {heading}", why)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
