#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Binary files and what the server makes of them: the same values, or an error of the same kind at the same
cell, entry and byte. If the specification is stricter than the server, its answer under --strict. The data
are not part of this tree: if they are absent, each group counts as skipped. Prints TAP."""

import base64
import json
import math
import os
import struct
import subprocess

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
DATA = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "scidb", "cases")
# What a wrong format string is called there, and words of our message.
WORDS = {
    "attribute-count": "an entry for each of the",
    "length-on-fixed-type": "no size after",
    "unknown-type": "the name of a type",
    "template-syntax": "expected",
    "no-converter": "a type that the server converts",
}
RULES = {
    "truncated": "end of input",
    "bad-null-byte": "null byte",
    "string-not-terminated": "string without an end",
    "null-to-not-null": "null in a NOT NULL attribute",
}
# Cells that the server completes with a value of its own: we leave them out, since nothing invents values.
LEFT_OUT = {"c21_null_in_not_null_tolerated": [0]}


def run(*args):
    p = subprocess.run([SHEAF, *args], capture_output=True, timeout=120)
    return p.returncode, p.stdout.decode(), p.stderr.decode(errors="replace")


def options(case):
    args = ["--from", "scidb"]
    for key, option in (("schema", "--schema"), ("format", "--format-string")):
        if case.get(key):
            args += [option, case[key]]
    for name, size in (case.get("types") or {}).items():
        args += ["--type", f"{name}={size}"]
    return args


def single(v):
    return struct.unpack("<f", struct.pack("<f", v))[0]


def real(v):
    return float(v) if isinstance(v, str) else v


def close(want, have):
    want, have = real(want), real(have)
    if math.isnan(want) or math.isnan(have):
        return math.isnan(want) and math.isnan(have)
    return want == have or (abs(have) < 3e38 and single(have) == single(want) and have != int(have))


def same(want, have):
    """Whether a cell of ours is what the case has: its own ways to write chars, bytes and dates apart."""
    if isinstance(want, dict):
        if "null" in want:
            return have == want
        if "char" in want:
            return have == chr(want["char"])
        if "hex" in want:
            return isinstance(have, dict) and base64.b64decode(have["base64"]).hex() == want["hex"]
        if "latin1" in want:
            return isinstance(have, dict) and base64.b64decode(have["base64"]) == want["latin1"].encode(
                "latin-1"
            )
        if "datetime" in want:
            return have == want["text"].replace(" ", "T")
        if "offset" in want:
            text = want["text"].split(" ")
            zone = text[2].replace("-00:00", "+00:00")
            return have == f"{text[0]}T{text[1]}{zone}"
        return have == want
    if isinstance(want, bool) or isinstance(have, bool) or isinstance(want, str) and isinstance(have, str):
        return (
            want == have
            and type(want) is type(have)
            or (isinstance(want, str) and want in ("nan", "inf", "-inf") and want == have)
        )
    return isinstance(have, (int, float, str)) and close(want, have)


def check_cells(case, path, args):
    if case.get("max_errors"):
        args = args + ["--max-errors", str(case["max_errors"])]
    code, out, err = run("cat", "--json", *args, path)
    if code:
        return f"exit {code}: {err}"
    rows = [list(json.loads(line)["cells"].values()) for line in out.splitlines()]
    cells = [cell for cell in case["cells"] if cell != LEFT_OUT.get(case["name"])]
    if len(rows) != len(cells):
        return f"expected {len(cells)} cells, found {len(rows)}"
    for number, (want, have) in enumerate(zip(cells, rows)):
        if len(want) != len(have) or not all(same(w, h) for w, h in zip(want, have)):
            return f"cell {number}: expected {want}, found {have}"
    return ""


def entry_of(case, finding):
    """The number of the entry that a finding is about."""
    if "entry" in finding:
        return int(finding["entry"]) - 1
    code, out, _ = run("info", "--json", *options(case), os.path.join(DATA, case["file"]))
    names = [c["name"] for c in json.loads(out)["columns"]] if code in (0, 1) else []
    column = names.index(finding["attribute"]) if finding.get("attribute") in names else -1
    entries = [e.strip().lower() for e in split(case["format"])]
    attributes = [n for n, e in enumerate(entries) if not e.startswith("skip")]
    return attributes[column] if column >= 0 else None


def split(text):
    depth, parts, part = 0, [], ""
    for c in text.strip()[1:-1]:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    return parts + [part]


def check_error(case, error, path, args):
    tolerance = ["--max-errors", str(case["max_errors"])] if case.get("max_errors") else []
    code, _, err = run("cat", "--json", *args, *tolerance, path)
    if code == 0:
        return "expected an error, found none"
    if error["cell"] is None:
        word = WORDS.get(error["cls"], "expected")
        return "" if code == 2 and word in err else f"expected exit 2 and `{word}`, found exit {code}: {err}"
    code, out, err = run("validate", "--json", *args, path)
    findings = [json.loads(line) for line in out.splitlines()][:-1]
    for finding in findings:
        place = (finding.get("cell"), entry_of(case, finding), finding.get("byte"))
        rule = RULES.get(error["cls"])
        if place == (error["cell"], error["column"], error["offset"]) and rule in (None, finding["rule"]):
            return "" if code == 1 else f"validate: exit {code}"
    return f"expected {error}, found {findings}"


def main():
    cases = sorted(f for f in os.listdir(DATA) if f.endswith(".json")) if os.path.isdir(DATA) else []
    if not cases:
        skip("conform cases")
        end()
        return
    for name in cases:
        with open(os.path.join(DATA, name), encoding="utf-8") as f:
            case = json.load(f)
        case["file"] = name[:-5] + ".bin"
        path, args = os.path.join(DATA, case["file"]), options(case)
        why = (
            check_cells(case, path, args) if "cells" in case else check_error(case, case["error"], path, args)
        )
        point(not why, f"{name[:-5]}: {'the same cells' if 'cells' in case else 'the same error'}", why)
        if "page_rule" in case:
            why = check_error(case, case["page_rule"]["error"], path, args + ["--strict"])
            point(not why, f"{name[:-5]}: refused under --strict", why)
    end()


main()
