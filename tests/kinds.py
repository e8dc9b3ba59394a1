# SPDX-License-Identifier: MIT
"""One file of each kind, for all tests that need every kind."""

import math
import os
import subprocess

SHEAF = os.environ.get("SHEAF", "build/sheaf")
STREAMS = [
    "--stream",
    "A:3:dense",
    "--stream",
    "B:200:sparse",
    "--stream",
    "y:1:dense",
    "--allow=missing",
    "--max-errors",
    "999999",
]


def lengths(i):
    """A few long ones among many short ones."""
    return 1 + i * i % 13 + (i % 97 == 0) * 60


def sequences(path, shift=0):
    with path.open("w") as f:
        for r in range(600):
            for k in range(lengths(r + shift)):
                f.write(
                    f"{r}\t|A {math.sin(r + k):.4f} {(r % 7) - 3} {k / 10}\t|B {(r * k) % 50}:1 {60 + r * r % 40}:{k + 1}"
                )
                f.write(f"\t|y {r % 10 % 7}\n" if k == 0 else "\n")
    return [path, *STREAMS]


def table(path, shift=0):
    path.write_text(
        "id,name,score,city,day\n"
        + "".join(
            f"{i},user{i * 7 % 900},{(i + shift) % 37 / 7:.3f},{('Ulm', 'Bonn', 'Kiel', '')[i % 5 % 4]},2026-{i % 12 + 1:02}-{i % 28 + 1:02}\n"
            for i in range(3000)
        )
    )
    return [path]


def matrix(path, side=900, shift=0):
    entries = {(i, j) for i in range(side) for j in (i, (i * 7 + 1 + shift) % side, i // 3, max(0, i - 1))}
    path.write_text(
        f"%%MatrixMarket matrix coordinate real general\n{side} {side} {len(entries)}\n"
        + "".join(f"{i + 1} {j + 1} {math.exp((i - j) / 200):.5g}\n" for i, j in sorted(entries))
    )
    return [path]


def symmetric(path):
    entries = {(i, j) for i in range(400) for j in (i, i // 2, max(0, i - 9))}
    path.write_text(
        f"%%MatrixMarket matrix coordinate pattern symmetric\n400 400 {len(entries)}\n"
        + "".join(f"{i + 1} {j + 1}\n" for i, j in sorted(entries))
    )
    return [path]


def examples(path):
    units = lambda i, n: " ".join(str((i * 7 + k * k) % 5 // 2) for k in range(n))  # noqa: E731
    path.write_text(
        "".join(
            f"name: {{e{i}}} 6 [0-2] I: {units(i % 17, 25)} T: {i % 2} {1 - i % 2} 0;\n" for i in range(60)
        )
    )
    return [path]


def ranked(path):
    path.write_text(
        "".join(
            f"{i % 3 - 1} qid:{i // 10} "
            + " ".join(f"{k}:{(i * k) % 9 / 4 - 1}" for k in sorted({1 + i % 7, 20 + i * i % 60, 90 + i % 5}))
            + "\n"
            for i in range(800)
        )
    )
    return [path]


def tensor(path):
    entries = {(i * 7 % 40, i * i % 50, i % 9): i % 11 - 4 for i in range(900)}
    path.write_text("".join(f"{i + 1} {j + 1} {k + 1} {v}\n" for (i, j, k), v in sorted(entries.items())))
    return [path]


def many(path):
    """Streams with long names, more than have pictures."""
    names = [f"stream_with_a_rather_long_name_{k:02}" for k in range(40)]
    path.write_text(
        "".join(
            f"{r}" + "".join(f"\t|{n} {(r * k) % 9}" for k, n in enumerate(names)) + "\n" for r in range(50)
        )
    )
    return [path]


def hostile(folder):
    path = folder / "x\u202e<script>alert(1)<\\script>&amp;.ctf"
    path.write_text(
        "".join(f"|\u202e<b>\"'& {i % 9}\n|\u202e<b>\"'& 3\n" * (i % 3 + 1) for i in range(30)),
        encoding="utf-8",
    )
    return [path, "--stream", "\u202e<b>\"'&:1:dense"]


def named(folder):
    """Indices with names that a page must not execute."""
    (folder / "names.txt").write_text("".join(f"<img src=x onerror=alert({i})>\n" for i in range(200)))
    return [*sequences(folder / "named.ctf"), "--names", f"B={folder / 'names.txt'}"]


def made(source, target, *options):
    """The same rows in another format."""
    subprocess.run(
        [SHEAF, "convert", "--quiet", "--force", *map(str, [*source, *options, target])], check=True
    )
    return [target]


def files(folder):
    """Of each kind: a name, and the words of a command that reads it."""
    streams, cells, sparse, lens = (
        sequences(folder / "a.ctf"),
        table(folder / "a.csv"),
        matrix(folder / "a.mtx"),
        examples(folder / "a.ex"),
    )
    yield "ctf", streams
    yield "ctf-dense", [streams[0], "--streams", "A", *STREAMS]
    yield "ctf-many", many(folder / "many.ctf")
    yield "cbf", made(streams, folder / "a.cbf")
    yield "lens", lens
    yield "lens-binary", made(lens, folder / "a.bex")
    yield "csv", cells
    yield "tsv", made(cells, folder / "a.tsv")
    how = ["--format-string", "(int64,string,double,string null,string)"]
    yield "scidb", [*made(cells, folder / "a.scidb", *how), *how]
    yield "jsonl", made(streams, folder / "a.jsonl")
    yield "jsonl-table", made(cells, folder / "b.jsonl")
    yield "arrow", made(cells, folder / "a.arrow")
    yield "arrow-streams", made(streams, folder / "b.arrows")
    yield "svmlight", ranked(folder / "a.svmlight")
    yield "matrixmarket", sparse
    yield "matrixmarket-symmetric", symmetric(folder / "b.mtx")
    yield "tns", tensor(folder / "a.tns")
    yield "npy", made(matrix(folder / "small.mtx", 40), folder / "a.npy")
    yield "npz", made(sparse, folder / "a.npz")
    yield "npz-streams", made(streams, folder / "b.npz")
    yield "binsparse", made(sparse, folder / "a.h5")
    yield "anndata", made(sparse, folder / "a.h5ad")
    yield "drift", [streams[0], *sequences(folder / "b.ctf", 5)]
    yield "drift-tables", [*cells, *table(folder / "b.csv", 9)]
    yield "drift-matrices", [*sparse, *matrix(folder / "c.mtx", shift=40)]
    yield "names", named(folder)
    yield "hostile", hostile(folder)
    (folder / "none.csv").write_text("a,b\n")
    yield "nothing", [folder / "none.csv"]
    (folder / "bad.ctf").write_text("|A 1 2\n" + "|A 1 x\n" * 30 + "|A 3 4 |Z 1\n" + "|A 3 4\n" * 9)
    yield "findings", [folder / "bad.ctf", "--stream", "A:2:dense", "--max-errors", "99", "--allow=missing"]
