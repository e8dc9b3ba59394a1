#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Example files and what the real Lens made of them: the same model, the same binary bytes, the same
refusals. The data are not part of this tree: if they are absent, each group counts as skipped. Prints
TAP."""

import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

import conform
from tap import end, point, skip

TOOL = os.environ.get("LENS_TOOL", "build/tests/lens_tool")
DATA = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "lens")
SMALL, LARGE = 1, 1 << 20  # bytes of a piece: an example at a time, and all at once

# Files that Lens refuses and we read, and why.
READ_HERE = {
    "b01_real8": "a Lens built with reals of 8 bytes writes the same bytes after another sizeof(real)"
}


def tool(mode, path, piece=LARGE):
    p = subprocess.run([TOOL, mode, path, str(piece)], capture_output=True, timeout=60)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def model(dump):
    """The lines of a dump that show the model, without the events as a network sees them, and without
    what Lens prints at its start."""
    return [
        line
        for line in dump.splitlines()
        if re.match(r"set |example |  event |    (input|target)|      range ", line)
    ]


def same_model(name, path, dump):
    want = model(dump)
    for piece in (SMALL, LARGE):
        code, out, err = tool("dump", path, piece)
        have = out.decode(errors="replace").splitlines()
        pairs = [
            pair for pair in zip(want + [None] * len(have), have + [None] * len(want)) if pair[0] != pair[1]
        ]
        point(
            code == 0 and not pairs,
            f"{name}: the model of Lens, pieces of {piece} bytes",
            f"exit {code}\n{err}{pairs[:1]}",
        )


def refused(name, path):
    code, _, err = tool("dump", path)
    if name in READ_HERE:
        point(code == 0, f"{name}: read, since {READ_HERE[name]}", err)
        return
    clear = code == 1 and "expected" in err and "found" in err and os.path.basename(path) in err
    point(clear, f"{name}: refused, as by Lens", f"exit {code}\n{err}")


def same_bytes(name, path, binary, folder):
    """From the file itself, from Lens's binary, and from our text of it."""
    text = os.path.join(folder, "again.ex")
    for source in (path, binary):
        with gzip.open(binary) if binary.endswith(".gz") else open(binary, "rb") as file:
            want = file.read()
        code, out, err = tool("binary", source)
        point(
            code == 0 and out == want,
            f"{name}: Lens's own bytes from {os.path.basename(source)}",
            f"exit {code}\n{err}",
        )
        code, out, err = tool("text", source)
        with open(text, "wb") as file:
            file.write(out)
        code, out, again = tool("binary", text)
        point(
            code == 0 and out == want,
            f"{name}: the same by way of text from {os.path.basename(source)}",
            f"exit {code}\n{err}{again}",
        )


def read(path):
    with gzip.open(path, "rt") if path.endswith(".gz") else open(path, errors="replace") as file:
        return file.read()


def one(name, path, dump, binary, folder):
    if not model(dump):
        refused(name, path)
        return
    same_model(name, path, dump)
    if os.path.exists(binary):
        same_bytes(name, path, binary, folder)


def cases(folder):
    for path in sorted(glob.glob(f"{DATA}/cases/*.ex")):
        base = path[:-3]
        one(os.path.basename(base), path, read(base + ".out"), base + ".bex", folder)


def corrected(folder):
    for path in sorted(glob.glob(f"{DATA}/corrected/*.ex")):
        one(os.path.basename(path), path, read(path + ".out"), path + ".bex", folder)


def examples(folder):
    for dump in sorted(glob.glob(f"{DATA}/examples/*.dump.gz")):
        base = dump[: -len(".dump.gz")]
        path = base + ".ex" if os.path.exists(base + ".ex") else base + ".ex.gz"
        one(os.path.basename(path), path, read(dump), base + ".bex", folder)
    digits = f"{DATA}/examples/hand-digits.tst.bex.gz"
    same_bytes("hand-digits.tst", digits, digits, folder)


# ---- what events look like in a network ----


def network(path):
    if os.path.basename(os.path.dirname(path)) == "cases":
        groups = ["input:4:input", "input2:6:input", "output:3:output", "out2:2:output"]
    elif os.path.basename(path).startswith("auto"):
        groups = ["input:4:input", "output:4:output"]
    else:
        groups = ["input:4:input", "input2:8:input", "output:3:output"]
    return [word for group in groups for word in ("--group", group)]


def presented(dump):
    """For each example, for each event, the values of all input units and those of all output units."""
    rows = []
    for line in dump.splitlines():
        values = re.match(r"    ([IT]): (.*)", line)
        if line.startswith("example "):
            rows.append([])
        elif values and values[1] == "I":
            rows[-1].append([values[2].split()])
        elif values:
            rows[-1][-1].append(values[2].split())
    return rows


def materialised(rows):
    def units(streams, event, start):
        return [
            value for name, samples in streams.items() if name.startswith(start) for value in samples[event]
        ]

    return [
        [[units(row, e, "in"), units(row, e, "out")] for e in range(len(next(iter(row.values()))))]
        for row in rows
    ]


def plain(rows):
    """Values to the digits that float32 has, NaN the same as NaN."""
    return [
        [[[format(float(value), ".7g") for value in side] for side in event] for event in row] for row in rows
    ]


def expansions(folder):
    """Frames by way of CBF, which can hold any float32."""
    for path in sorted(glob.glob(f"{DATA}/cases/*.ex") + glob.glob(f"{DATA}/corrected/*.ex")):
        name = os.path.basename(path)
        dump = read(path + ".out" if "corrected" in path else path[:-3] + ".out")
        if not model(dump):
            continue
        frames = os.path.join(folder, "frames.cbf")
        code, _, err = conform.run(
            "convert", "-f", "--quiet", "--allow=loss", "--allow=missing", *network(path), path, frames
        )
        if "expand ERROR" in dump:
            point(
                code == 4 and "expected units from 0" in err,
                f"{name}: units that the network does not have",
                f"exit {code}\n{err}",
            )
            continue
        _, out, _ = conform.run("cat", "--json", "--quiet", frames) if code == 0 else (code, "", "")
        have = materialised(
            [json.loads(line, parse_int=conform.exact)["streams"] for line in out.splitlines()]
        )
        point(
            code == 0 and plain(have) == plain(presented(dump)),
            f"{name}: events as Lens presents them",
            f"exit {code}\n{err}",
        )


def main():
    with tempfile.TemporaryDirectory() as folder:
        for group in (cases, corrected, examples, expansions):
            if os.path.isdir(os.path.join(DATA, group.__name__ if group != expansions else "cases")):
                group(folder)
            else:
                skip(f"conform {group.__name__}")
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
