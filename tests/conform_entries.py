#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Texts of entries and rows with answers of their own: files of Matrix Market, FROSTT and svmlight, spelled
at random in every way that their pages allow, beside what they hold. Each is read, written and read again.
Prints TAP."""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import end, point

SHEAF = os.environ.get("SHEAF", "sheaf")
FILES = 40  # of each format


def run(*arguments):
    done = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")


def from_json(text):
    """A negative zero stays one."""
    return json.loads(text, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))


# ---- spellings ----


def in_any_case(chance, word):
    return "".join(c.upper() if chance.random() < 0.2 else c for c in word)


def whole(chance, lowest, most):
    value = chance.choice([lowest, most, 0, chance.randint(lowest, most), chance.randint(-9, 9)])
    value = min(max(value, lowest), most)
    sign = chance.choice(["", "+"]) if value >= 0 else "-"
    return value, sign + "0" * chance.choice([0, 0, 0, 3]) + str(abs(value))


def real(chance):
    """A number and a spelling of it, which Python reads as the same."""
    kind = chance.randrange(8)
    if kind == 0:
        word, value = chance.choice(
            [
                ("nan", math.nan),
                ("inf", math.inf),
                ("-inf", -math.inf),
                ("Infinity", math.inf),
                ("+INF", math.inf),
            ]
        )
        return value, word
    digits = str(chance.randint(0, 10 ** chance.randint(1, 20)))
    text = chance.choice(["", "-", "+"]) + digits
    if kind > 2:
        text += "." + (str(chance.randint(0, 10 ** chance.randint(1, 18))) if chance.random() < 0.8 else "")
    if kind > 4:
        text += chance.choice("eE") + str(chance.randint(-320, 290))
    return float(text), text


def spaces(chance):
    return "".join(chance.choice(" \t") for _ in range(chance.choice([1, 1, 1, 2, 5])))


def line_of(chance, words):
    return chance.choice(["", "", " "]) + spaces(chance).join(words) + chance.choice(["", "", " ", "\t"])


def text_of(chance, lines):
    feed = chance.choice(["\n", "\r\n"])
    text = feed.join(lines)
    return text if chance.random() < 0.3 and lines else text + feed


def same(a, b):
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a):
        return math.isnan(b)
    return type(a) is type(b) and a == b and math.copysign(1, a) == math.copysign(1, b)


def number(told, as_float):
    """What JSON says of a number."""
    return float(told) if as_float and not isinstance(told, bool) else told


# ---- Matrix Market ----

GRAPHBLAS = {
    "bool": (0, 1),
    "int8_t": (-(2**7), 2**7 - 1),
    "uint8_t": (0, 2**8 - 1),
    "int16_t": (-(2**15), 2**15 - 1),
    "uint32_t": (0, 2**32 - 1),
    "int64_t": (-(2**63) + 1, 2**63 - 1),
}


class Matrix:
    """A file and what it holds."""

    def __init__(self, chance):
        self.chance = chance
        self.field = chance.choice(["real", "real", "integer", "unsigned-integer", "complex", "pattern"])
        self.array = self.field != "pattern" and chance.random() < 0.4
        self.vector = chance.random() < 0.2
        symmetries = ["general", "general", "symmetric"]
        symmetries += ["skew-symmetric"] if self.field not in ("pattern", "unsigned-integer") else []
        symmetries += ["hermitian"] if self.field == "complex" else []
        self.symmetry = "general" if self.vector else chance.choice(symmetries)
        rows, columns = chance.randint(1, 9), 1 if self.vector else chance.randint(1, 9)
        self.shape = (rows, columns if self.symmetry == "general" else rows)
        self.type = (
            chance.choice(list(GRAPHBLAS))
            if self.field == "integer" and self.symmetry == "general" and chance.random() < 0.4
            else None
        )

    def value(self, place):
        """A value for a place, and its words."""
        if self.field == "pattern":
            return True, []
        if self.field == "complex":
            (a, first), (b, second) = real(self.chance), real(self.chance)
            # The diagonal of a hermitian matrix is real.
            if self.symmetry == "hermitian" and place[0] == place[-1]:
                b, second = 0.0, "0"
            return [a, b], [first, second]
        if self.field == "real":
            value, word = real(self.chance)
            return value, [word]
        least, most = (
            (0, 2**64 - 1) if self.field == "unsigned-integer" else GRAPHBLAS[self.type or "int64_t"]
        )
        value, word = whole(self.chance, least, most)
        return bool(value) if self.type == "bool" else value, [word]

    def places(self):
        """In their order in the file."""
        rows, columns = self.shape
        first = {"general": lambda _: 0, "skew-symmetric": lambda j: j + 1}.get(self.symmetry, lambda j: j)
        every = [(i, j) for j in range(columns) for i in range(first(j), rows)]
        return every if self.array else self.chance.sample(every, self.chance.randint(0, len(every)))

    def lines(self):
        chance = self.chance
        banner = [
            "%%MatrixMarket",
            "vector" if self.vector else "matrix",
            "array" if self.array else "coordinate",
            self.field,
            self.symmetry,
        ]
        yield spaces(chance).join(in_any_case(chance, word) for word in banner)
        for _ in range(chance.choice([0, 0, 1, 3])):
            yield chance.choice(["% a comment", "%", "", "  "])
        if self.type:
            yield "%%GraphBLAS type " + self.type
        self.entries, lines = [], []
        for place in self.places():
            value, words = self.value(place)
            place = place[:1] if self.vector else place
            self.entries.append([list(place), value])
            lines.append(line_of(chance, ([] if self.array else [str(at + 1) for at in place]) + words))
            if chance.random() < 0.05:
                lines.append(chance.choice(["", " \t"]))
        sizes = [self.shape[0]] if self.vector else list(self.shape)
        yield line_of(chance, map(str, sizes + ([] if self.array else [len(self.entries)])))
        yield from lines

    def told(self, entries):
        reals = self.field in ("real", "complex")
        return [
            [at, [number(v, True) for v in value] if isinstance(value, list) else number(value, reals)]
            for at, value in entries
        ]


def entries_of(file, *options):
    code, out, err = run("cat", "--json", "--quiet", *options, file)
    return from_json(out)["entries"] if code == 0 else f"exit {code}: {err}"


def matrices(folder):
    given, ours = Path(folder, "given.mtx"), Path(folder, "ours.mtx")
    for seed in range(FILES):
        matrix = Matrix(random.Random(seed))
        given.write_text(text_of(matrix.chance, list(matrix.lines())), encoding="utf-8", newline="")
        found = entries_of(given)
        well = not isinstance(found, str) and same(matrix.told(found), matrix.entries)
        valid = run("validate", given)
        point(
            well and valid[0] == 0,
            f"Matrix Market {seed}: {matrix.field} {matrix.symmetry}",
            f"{given.read_text()}{found} is not {matrix.entries}{valid}",
        )
        code, _, err = run("convert", "-f", "--quiet", given, ours)
        differs = run("diff", given, ours) if code == 0 else None
        point(code == 0 and differs[0] == 0, f"Matrix Market {seed}: written and read again", err or differs)


# ---- FROSTT ----


def tensors(folder):
    given, ours = Path(folder, "given.tns"), Path(folder, "ours.tns")
    for seed in range(FILES):
        chance = random.Random(seed)
        rank, entries, lines = chance.randint(1, 8), [], []
        shape = [chance.choice([3, 7, 2**31 + 5]) for _ in range(rank)]
        decimal = chance.random() < 0.3
        integers = chance.random() < 0.3
        for place in {tuple(chance.randrange(n) for n in shape) for _ in range(chance.randint(1, 30))}:
            value, word = whole(chance, -(2**63) + 1, 2**63 - 1) if integers else real(chance)
            entries.append([list(place), value])
            words = [str(at + 1) + (chance.choice([".0", ".", ""]) if decimal else "") for at in place]
            lines.append(line_of(chance, [*words, word]) + chance.choice(["", "", " # a comment"]))
        head = chance.choice(
            [
                ["# shape: " + " ".join(map(str, shape))],
                [f"{rank} {len(entries)}", " ".join(map(str, shape))],
                [],
            ]
        )
        # Lines that have as many words as the entries would be entries.
        if len(head) == 2 and rank == 1:
            head = []
        given.write_text(
            text_of(chance, ["# values: integers"] * integers + head + lines), encoding="utf-8", newline=""
        )
        options = [] if head else ["--shape", ",".join(map(str, shape))]
        found = entries_of(given, *options)
        told = found if isinstance(found, str) else [[at, number(value, not integers)] for at, value in found]
        valid = run("validate", given, *options)
        breach = any("." in line.split("#")[0].split()[c] for line in lines for c in range(rank))
        point(
            same(told, entries) and valid[0] == breach,
            f"FROSTT {seed}: {rank} dimensions",
            f"{given.read_text()}{told} is not {entries}{valid}",
        )
        code, _, err = run("convert", "-f", "--quiet", *options, given, ours)
        differs = run("diff", "--quiet", *options, given, ours) if code == 0 else None
        point(code == 0 and differs[0] == 0, f"FROSTT {seed}: written and read again", err or differs)


# ---- svmlight ----


def rows(folder):
    given, ours = Path(folder, "given.svmlight"), Path(folder, "ours.svmlight")
    for seed in range(FILES):
        chance = random.Random(seed)
        base, lists, weights = (
            chance.choice([0, 1]),
            chance.random() < 0.3,
            chance.choice([None, "label", "cost"]),
        )
        queries, wanted, lines = chance.random() < 0.3, [], []
        weights = "cost" if lists and weights else weights
        for r in range(chance.randint(1, 20)):
            if lists:
                labels = sorted(chance.sample(range(9), chance.randint(1 if weights or r % 2 else 0, 3)))
                label, word = [[[n, 1.0] for n in labels]], ",".join(map(str, labels)) or " "
            else:
                value, word = real(chance)
                label = [[value]]
            row = {"labels" if lists else "label": label}
            words = [word]
            if weights and (weights == "label" or chance.random() < 0.7):
                row["weight"], spelled = real(chance)
                words = [f"{word}:{spelled}"] if weights == "label" else [word, f"cost:{spelled}"]
            elif weights:
                row["weight"] = 1.0
            if queries and chance.random() < 0.8:
                row["qid"] = chance.randrange(9)
                words.append(f"qid:{row['qid']}")
            elif queries:
                row["qid"] = -1
            # A row has a label or a feature.
            indices = sorted(chance.sample(range(30), chance.randint(1 if word == " " else 0, 12)))
            # The first row says from where they count, and that labels are lists.
            if r == 0:
                indices = [0, *[i for i in indices if i]]
                if lists:
                    row["labels"], words[0] = [[[1, 1.0], [2, 1.0]]], "1,2"
            values = [real(chance) for _ in indices]
            row["features"] = [[[i, value] for i, (value, _) in zip(indices, values)]]
            words += [f"{i + base}:{spelled}" for i, (_, spelled) in zip(indices, values)]
            wanted.append(row)
            # White space before a label is allowed, but before a pair it means that there is no label.
            lines.append(spaces(chance).join(words) + chance.choice(["", " ", " #", " # text"]))
            if chance.random() < 0.1:
                lines.append("# a line of its own")
        options = ["--index-base", str(base), *(["--labels", "weighted"] if weights == "label" else [])]
        given.write_text(text_of(chance, lines), encoding="utf-8", newline="")
        code, out, err = run("cat", "--json", "--quiet", *options, given)
        found = [from_json(line)["streams"] for line in out.splitlines()] if code == 0 else []
        for row in found:
            row.pop("comment", None)
        told = [
            {name: numbers_of(value) if name != "qid" else value for name, value in row.items()}
            for row in found
        ]
        if not any("qid" in row and row["qid"] >= 0 for row in wanted):
            for row in wanted:
                row.pop("qid", None)
        if weights == "cost" and not any("cost:" in line for line in lines):
            for row in wanted:
                row.pop("weight", None)
        well = len(told) == len(wanted) and all(
            sorted(a) == sorted(b) and all(same(a[n], b[n]) for n in a) for a, b in zip(told, wanted)
        )
        point(
            well,
            f"svmlight {seed}: {'lists' if lists else 'labels'}, weights {weights}",
            f"{given.read_text()}{told} is not {wanted} {err}",
        )
        code, _, err = run("convert", "-f", "--quiet", *options, given, ours)
        differs = run("diff", "--quiet", *options, given, ours) if code == 0 else None
        point(
            code == 0 and (base == 0 or differs[0] == 0),
            f"svmlight {seed}: written and read again",
            f"{err or differs}{ours.read_text()}",
        )


def numbers_of(value):
    """Indices stay whole, values become floats."""
    if (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], int)
        and not isinstance(value[1], list)
    ):
        return [value[0], float(value[1])]
    return [numbers_of(v) for v in value] if isinstance(value, list) else float(value)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-entries-") as folder:
        for group in (matrices, tensors, rows):
            group(folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
