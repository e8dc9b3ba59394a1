#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Binsparse files that the reference programs wrote: they hold what these programs were given. The data are
not part of this tree: if they are absent, each group counts as skipped. Prints TAP."""

import glob
import json
import os
import subprocess
import sys

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
DATA = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "binsparse")

# What the C reference made of dense text files is not what these hold: it writes the transpose in rows of the
# wrong length, and uninitialised memory.
OTHERWISE = {
    "array_real_2x3": {(0, 0): 1, (0, 1): 4, (0, 2): 2, (1, 0): 5, (1, 1): 3, (1, 2): 6},
    "array_symmetric": None,
}
WRAPPED = ("pattern_dense100_iso_ptr_overflow.csr", "pattern_dense100_iso_ptr_overflow.csc")
PLACES = [(0, 1), (0, 3), (2, 0), (2, 3)]
SQUARE = [(0, 0), (0, 1), (1, 1), (1, 2)]
COUNTED = dict(zip(PLACES, [1, 2, 3, 4]))


def run(*args):
    done = subprocess.run([SHEAF, *args], capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


def value(v):
    if isinstance(v, list):
        return complex(*map(float, v))
    return v if isinstance(v, bool) else float(v)


def entries_of(out):
    tensor = json.loads(out)
    return tensor, {tuple(at): value(v) for at, v in tensor["entries"]}


def read(path, *options):
    code, out, err = run("cat", "--json", "--quiet", *options, path)
    if code:
        return {}, {}, f"exit {code}: {err}"
    return *entries_of(out), ""


# ---- text files and what they became ----


def matrix_market(path):
    """Shape and entries as they are in the file."""
    with open(path, encoding="utf-8") as file:
        words = file.readline().lower().split()
        lines = [line.split() for line in file if line.strip() and not line.startswith("%")]
    size, rows = [int(w) for w in lines[0]], lines[1:]
    parts = {"pattern": 0, "complex": 2}.get(words[3], 1)

    def number(texts):
        return complex(*map(float, texts)) if parts == 2 else float(texts[0]) if parts else True

    if words[2] == "coordinate":
        return size[:2], {(int(r[0]) - 1, int(r[1]) - 1): number(r[2:]) for r in rows}
    places = [(i, j) for j in range(size[1]) for i in range(j if words[4] == "symmetric" else 0, size[0])]
    return size, dict(zip(places, map(number, rows)))


def reference_c():
    for path in sorted(glob.glob(os.path.join(DATA, "reference-c", "*.h5"))):
        name = os.path.basename(path)[: -len(".bsp.h5")]
        stem = name.rsplit(".", 1)[0]
        shape, wanted = matrix_market(os.path.join(DATA, "mtx", stem + ".mtx"))
        wanted = OTHERWISE.get(stem, wanted)
        if name in WRAPPED:
            code, out, err = run("validate", path)
            point(
                code == 1 and "wrapped around" in out + err,
                f"{name}: wrapped pointers are recognised",
                out + err,
            )
        tensor, found, why = read(path, *(["--repair"] if name in WRAPPED else []))
        point(
            not why and tensor["shape"] == shape and wanted in (None, found),
            f"{name}: the entries of its text file",
            why or f"{found} is not {wanted}",
        )
        code, out, err = run("validate", path)
        empty = "the tensor is empty" in out + err
        point(code == (1 if empty or name in WRAPPED else 0), f"{name}: validate", out + err)


# ---- every format and type that the references write ----


def wanted_of(name):
    if name.startswith("coo_iso_complex"):
        return dict.fromkeys(PLACES, 3 - 3.5j)
    if name.startswith("coo_iso_bint8"):
        return dict.fromkeys(PLACES, True)
    if name.startswith("coo_iso"):
        return dict.fromkeys(PLACES, 3.0)
    if name == "coo_complex_float64_":
        return {at: complex(k, -0.5 - k) for k, at in enumerate(PLACES)}
    if name == "coo_bint8":
        return {at: bool(k % 2) for k, at in enumerate(PLACES)}
    if name == "coo_hermitian_lower":
        return {(0, 0): 1, (1, 0): 2 - 3j, (1, 1): 4, (2, 1): 5 + 6j}
    if "symmetric_upper" in name:
        return dict(zip(SQUARE, [1, 2, 3, 4]))
    if name.startswith("dmatc"):
        return {(i, j): i + 2 * j + 1 for j in range(3) for i in range(2)}
    if name == "dmatr":
        return {(0, 0): 1, (0, 1): 2, (1, 0): 3, (1, 1): 4}
    if name == "dvec_bool":
        return {(0,): True, (1,): False, (2,): True}
    if name == "dvec_iso_complex":
        return dict.fromkeys([(0,), (1,), (2,)], 1 + 2j)
    if name == "dvec_f64":
        return {(k,): k + 1 for k in range(6)}
    if name.startswith("dvec"):
        return {(k,): k for k in range(3)}
    if name == "cvec":
        return {(1,): 1, (3,): 2, (5,): 3, (9,): 4}
    if "transpose120" in name or "t120" in name:
        return {(1, 0, 2): 1, (0, 1, 0): 2, (0, 1, 3): 3, (1, 2, 1): 4}
    if name == "csr_empty":
        return {}
    if name in ("coor_f64", "csr_f64_z9", "dcsc_f64", "cooc", "csc_custom", "csr_custom", "csr_fill", "dcsr"):
        return COUNTED
    return dict(zip(PLACES, [0, 1, 2, 3]))


def each(folder):
    for path in sorted(glob.glob(os.path.join(DATA, folder, "*.h5"))):
        name = os.path.basename(path)[: -len(".bsp.h5")]
        if name == "groups":
            for member in ("A", "A/sub", "B"):
                _, found, why = read(path, "--dataset", member)
                point(not why and found == COUNTED, f"{folder} {name} {member}: its entries", why or found)
            code, _, err = run("cat", path)
            point(code == 2 and "A, A/sub, B" in err, f"{folder} {name}: one must be named", err)
        elif name == "coor_empty":
            code, _, err = run("cat", path)
            point(
                code == 6 and "found none" in err,
                f"{folder} {name}: refused, since it has no descriptor",
                err,
            )
        else:
            tensor, found, why = read(path)
            point(
                not why and found == wanted_of(name),
                f"{folder} {name}: its entries",
                why or f"{found} is not {wanted_of(name)}",
            )
            if name == "csr_fill":
                point(tensor.get("fill") == -1, f"{folder} {name}: its fill", tensor)


def main():
    for folder in ("reference-c", "reference-c-api", "reference-python", "reference-python-wrapped"):
        if not os.path.isdir(os.path.join(DATA, folder)):
            skip(f"conform {folder}")
        elif folder == "reference-c":
            reference_c()
        else:
            each(folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
