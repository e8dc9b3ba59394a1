#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How time and memory grow with the input: each command on each format, at sizes that are ten times apart.

    bench/growth.py FOLDER_OF_THE_BUILD

GROWTH_MB (10,100,1000): sizes of the text that all files are made of; GROWTH_ONLY: formats, separated by
commas; GROWTH_DIR: where the files stand, one at a time. CPU is user and system time on one thread. What
grows by more than twelve times for ten times the size, or in memory by more than half, is marked: time should
be linear, and memory flat, but for batches, which keep in memory what fits. Less memory than this program's
own cannot be measured."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SIZES = [int(word) for word in os.environ.get("GROWTH_MB", "10,100,1000").split(",")]
ONLY = [word for word in os.environ.get("GROWTH_ONLY", "").split(",") if word]
LEAST = 0.05  # seconds: less is start-up
FACTOR, MEMORY = 1.2, 1.5

# ---- what all files are made of: lines that are repeated ----


def rows_block() -> bytes:
    """Rows of a label and 20 of 1000 features."""
    lines, state = [], 1
    for i in range(4000):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        at = state % 40
        pairs = " ".join(f"{at + 45 * k + 1}:{(state >> k) % 1000 / 8:g}" for k in range(20))
        lines.append(f"{i % 2} {pairs}\n")
    return "".join(lines).encode()


def cells_block() -> bytes:
    """Lines of integers, a float, a text and a date."""
    lines, state = [], 1
    for i in range(16000):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        text = ["alpha", "beta", '"a, quoted"', "gamma delta"][state % 4]
        day = f"2024-{state % 12 + 1:02}-{state % 28 + 1:02}"
        lines.append(f"{i},{state >> 40},{(state >> 20) % 10**6 / 1000:g},{text},{day}\n")
    return "".join(lines).encode()


def write_blocks(path: Path, head: bytes, block: bytes, size: int) -> None:
    with path.open("wb") as file:
        file.write(head)
        for _ in range(max(1, size // len(block))):
            file.write(block)


def rows(path: Path, size: int) -> None:
    write_blocks(path, b"", rows_block(), size)


def cells(path: Path, size: int) -> None:
    write_blocks(path, b"id,a,x,name,day\n", cells_block(), size)


# ---- formats: the text they are made of, and how ----

SVM, CSV = ("rows.svmlight", rows), ("cells.csv", cells)
FORMATS = {
    "svmlight": (SVM, "svmlight", None),
    "ctf": (SVM, "ctf", []),
    "cbf": (SVM, "cbf", []),
    "jsonl": (SVM, "jsonl", []),
    "arrow": (SVM, "arrow", []),
    "hdf5": (SVM, "h5", []),
    "npz": (SVM, "npz", ["--streams", "features"]),
    "matrixmarket": (SVM, "mtx", ["--streams", "features"]),
    "lens text": (SVM, "ex", ["--streams", "features", "--group", "features:895:input"]),
    "lens binary": (SVM, "bex", ["--streams", "features", "--group", "features:895:input"]),
    "csv": (CSV, "csv", None),
    "tsv": (CSV, "tsv", []),
    "scidb": (CSV, "scidb", []),
    "npy": (CSV, "npy", ["--columns", "id,a,x"]),
}
READING = {".scidb": ["--format-string", "(int64, int64, double, string, string)"]}
COMMANDS = {
    "info": ["info"],
    "validate": ["validate"],
    "stats": ["stats"],
    "hash": ["hash"],
    "cat": ["cat"],
    "convert": ["convert", "--force", "FILE", "FILE.out"],
    "batches": ["batches"],
    "index": ["index"],
}


def measure(sheaf: Path, words: list[str]) -> tuple[float, float] | None:
    process = subprocess.Popen([sheaf, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        print(f"growth: {' '.join(map(str, words))}: {message.decode().splitlines()[-1:]}", file=sys.stderr)
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def make(sheaf: Path, folder: Path, kind, size: int) -> Path | None:
    (name, write), suffix, options = kind
    text = folder / name
    write(text, size * 10**6)
    if options is None:
        return text
    path = folder / f"file.{suffix}"
    done = measure(sheaf, ["convert", "--force", "--quiet", *options, text, path])
    text.unlink()
    return path if done else None


def run_format(sheaf: Path, folder: Path, kind) -> dict[str, list]:
    found: dict[str, list] = {name: [] for name in COMMANDS}
    for size in SIZES:
        path = make(sheaf, folder, kind, size)
        for name, words in COMMANDS.items():
            own = [w.replace("FILE", str(path)) for w in words]
            own += [] if any("FILE" in w for w in words) else [str(path)]
            if name == "convert":
                own[-1] = str(path.with_suffix(".out" + path.suffix)) if path else ""
            own += ["--threads", "1", *(READING.get(path.suffix, []) if path else [])]
            found[name].append(measure(sheaf, own) if path else None)
            for output in [*folder.glob("*.out.*"), *folder.glob("*-index")]:
                output.unlink()
        for left in folder.iterdir():
            left.unlink()
    return found


def is_steep(before, after) -> bool:
    """Whether time grew by more than the size, or memory grew at all."""
    if not before or not after:
        return False
    steep = after[0] > LEAST and after[0] > before[0] * 10 * FACTOR and before[0] > LEAST / 5
    return steep or after[1] > max(before[1], 10) * MEMORY


def cell(series: list, i: int) -> str:
    if not series[i]:
        return "-"
    text = f"{series[i][0]:.2f} s, {series[i][1]:.0f} MB"
    return f"**{text}**" if i and is_steep(series[i - 1], series[i]) else text


def main() -> None:
    build = Path(sys.argv[1])
    folder = Path(os.environ.get("GROWTH_DIR", build / "bench/growth"))
    folder.mkdir(parents=True, exist_ok=True)
    print("| format | command | " + " | ".join(f"{size} MB" for size in SIZES) + " |")
    print("|---|---|" + "---|" * len(SIZES))
    for name, kind in FORMATS.items():
        if ONLY and name not in ONLY:
            continue
        for command, series in run_format(build / "sheaf", folder, kind).items():
            cells = " | ".join(cell(series, i) for i in range(len(SIZES)))
            print(f"| {name} | {command} | {cells} |", flush=True)


main()
