#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Matrices beside SciPy: what mmwrite and save_npz write is read here, what is written here mmread and
load_npz read, of every field and symmetry, sparse and dense; and rows of svmlight are those of a matrix.
Prints TAP."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import end, go_on_without, point

try:
    import numpy as np
    import scipy.io
    import scipy.sparse as sparse
except ImportError:
    go_on_without("NumPy and SciPy")

SHEAF = os.environ.get("SHEAF", "sheaf")
FIELDS = {"real": "f8", "integer": "i8", "complex": "c16", "pattern": "f8"}
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


def run(*arguments):
    done = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")


def dense(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def same(a, b):
    """The same numbers, NaN included, of the same kind."""
    a, b = dense(a), dense(b)
    return (
        a.shape == b.shape
        and a.dtype.kind == b.dtype.kind
        and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
    )


def matrices():
    """Name, field, symmetry, and a matrix of those, square and of integers and fractions."""
    chance = np.random.default_rng(1)
    for field, kind in FIELDS.items():
        for symmetry in SYMMETRIES:
            if (symmetry == "hermitian") != (field == "complex" and symmetry == "hermitian") or (
                field == "pattern" and symmetry == "skew-symmetric"
            ):
                continue
            values = (
                chance.integers(-(2**40), 2**40, (9, 9))
                if field == "integer"
                else chance.normal(0, 1e10, (9, 9))
            )
            array = np.where(chance.random((9, 9)) < 0.4, values, 0).astype(kind)
            if field == "complex":
                array = array + 1j * np.where(array != 0, chance.normal(0, 1, (9, 9)), 0)
            if field == "pattern":
                array = (array != 0).astype(kind)
            if symmetry == "symmetric":
                array = np.tril(array) + np.tril(array, -1).T
            if symmetry == "skew-symmetric":
                array = np.tril(array, -1) - np.tril(array, -1).T
            if symmetry == "hermitian":
                array = np.tril(array, -1) + np.tril(array, -1).conj().T + np.diag(array.diagonal().real)
            yield f"{field} {symmetry}", field, symmetry, array


def from_scipy(folder):
    """mmwrite's files hold here what mmread reads from them."""
    for name, field, symmetry, array in matrices():
        for layout in ("coordinate", "array"):
            # There are no patterns in arrays; and of arrays of skew-symmetric complex numbers SciPy writes
            # too much, and fails on that itself.
            if layout == "array" and (field == "pattern" or name == "complex skew-symmetric"):
                continue
            given, ours, again = (Path(folder, file) for file in ("given.mtx", "ours.npz", "again.mtx"))
            scipy.io.mmwrite(
                given,
                sparse.coo_matrix(array) if layout == "coordinate" else array,
                field=field,
                symmetry=symmetry,
                precision=17,
                comment=" a comment\n of two lines",
            )
            wanted = scipy.io.mmread(given)
            code, out, err = run("validate", "--strict", given)
            point(code == 0, f"mmwrite, {layout} {name}: valid", out + err)
            code, _, err = run("convert", "-f", "--structure", "general", "--layout", "csr", given, ours)
            read = sparse.load_npz(ours) if code == 0 else None
            if field == "pattern" and code == 0:
                read = read.astype("f8")
            point(
                code == 0 and same(read, wanted),
                f"mmwrite, {layout} {name}: the same in an archive",
                err or f"{read} is not {wanted}",
            )
            code, _, err = run("convert", "-f", given, again)
            # An array is written with its diagonal, which a skew-symmetric one does not have.
            spelled = "coordinate" if symmetry == "skew-symmetric" else layout
            point(
                code == 0
                and scipy.io.mminfo(again)[3:] == (spelled, field, symmetry)
                and same(scipy.io.mmread(again), wanted),
                f"mmwrite, {layout} {name}: written again",
                err,
            )


def to_scipy(folder):
    """mmread reads from our files what save_npz and NumPy were given, also where a symmetry is found."""
    given, ours = Path(folder, "given.npz"), Path(folder, "ours.mtx")
    for name, field, symmetry, array in matrices():
        matrix = sparse.csr_matrix(array.astype("?") if field == "pattern" else array)
        sparse.save_npz(given, matrix)
        for structure in ("general", "auto"):
            code, _, err = run("convert", "-f", "--structure", structure, given, ours)
            wanted = symmetry if structure == "auto" else "general"
            info = scipy.io.mminfo(ours)[3:] if code == 0 else None
            point(
                info == ("coordinate", "integer" if field == "pattern" else field, wanted)
                or (field == "pattern" and info == ("coordinate", "pattern", wanted)),
                f"save_npz, {name}, {structure}: what mminfo says",
                f"{err}{info}",
            )
            read = scipy.io.mmread(ours) if code == 0 else None
            point(
                code == 0 and np.array_equal(dense(read), array),
                f"save_npz, {name}, {structure}: what mmread reads",
                err,
            )
        if field == "pattern":
            continue
        np.save(Path(folder, "given.npy"), array)
        code, _, err = run("convert", "-f", Path(folder, "given.npy"), ours)
        point(
            code == 0 and scipy.io.mminfo(ours)[3] == "array" and same(scipy.io.mmread(ours), array),
            f"NumPy, {name}: what mmread reads",
            err,
        )


def types(folder):
    """Each type of values, through text and back."""
    given, ours, back = (Path(folder, file) for file in ("given.npz", "ours.mtx", "back.npz"))
    for kind in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"):
        ends = np.finfo(kind) if kind[0] in "fc" else np.iinfo(kind)
        most = int(ends.max) if kind[0] in "iu" else ends.max
        array = np.array([[ends.min if kind[0] != "u" else 1, 0, 3], [0, most, 0]], kind)
        sparse.save_npz(given, sparse.csr_matrix(array))
        code, _, err = run("convert", "-f", given, ours)
        read = dense(scipy.io.mmread(ours)) if code == 0 else None
        point(code == 0 and np.array_equal(read, array), f"{kind}: what mmread reads", f"{err}{read}")
        # and what mmwrite makes of the type by itself
        scipy.io.mmwrite(ours, sparse.coo_matrix(array), precision=17)
        code, _, err = run("convert", "-f", ours, back)
        kept = sparse.load_npz(back) if code == 0 else None
        point(
            code == 0 and np.array_equal(dense(kept), array) and kept.dtype.kind == array.dtype.kind,
            f"{kind}: what mmwrite writes",
            f"{err}{kept}",
        )
        code, _, err = run("convert", "-f", given, ours)
        code, _, err = run("convert", "-f", ours, back)
        point(code == 0 and np.array_equal(dense(sparse.load_npz(back)), array), f"{kind}: and back", err)


def corners(folder):
    """Empty, narrow and wide matrices, NaN, stored zeros, entries out of order."""
    given, ours = Path(folder, "given.mtx"), Path(folder, "ours.npz")
    for name, matrix in {
        "no entries": sparse.coo_matrix((4, 3)),
        "one column": sparse.coo_matrix(([1.5, 2], ([3, 0], [0, 0])), shape=(4, 1)),
        "a long row": sparse.coo_matrix(([1.0], ([0], [10**6])), shape=(1, 10**6 + 1)),
        "out of order": sparse.coo_matrix(([1.0, 2, 3], ([2, 0, 2], [1, 2, 0])), shape=(3, 3)),
        "zeros stored": sparse.coo_matrix(([0.0, 2], ([0, 1], [1, 0])), shape=(2, 2)),
        "none of numbers": sparse.coo_matrix(([np.nan, np.inf, -np.inf], ([0, 1, 2], [0, 1, 2]))),
    }.items():
        scipy.io.mmwrite(given, matrix, precision=17)
        code, _, err = run("convert", "-f", given, ours)
        read = sparse.load_npz(ours) if code == 0 else None
        point(
            code == 0 and read.nnz == matrix.nnz and same(read.tocsr(), matrix.tocsr())
            if read is None or read.shape[1] > 10**5
            else same(read, matrix),
            f"mmwrite, {name}: the same in an archive",
            err,
        )
        code, _, err = run("convert", "-f", ours, Path(folder, "back.mtx"))
        back = scipy.io.mmread(Path(folder, "back.mtx")) if code == 0 else None
        point(
            code == 0 and back.nnz == matrix.nnz and back.shape == matrix.shape,
            f"mmwrite, {name}: and mmread reads it back",
            err,
        )


# ---- rows ----


def lines_of(labels, matrix, base):
    """As LIBSVM's programs want them."""
    for row, label in enumerate(labels):
        part = matrix.getrow(row).sorted_indices()
        yield " ".join([f"{label:.17g}", *(f"{i + base}:{v:.17g}" for i, v in zip(part.indices, part.data))])


def rows_of(text):
    for line in text.splitlines():
        streams = json.loads(line)["streams"]
        yield float(streams["label"][0][0]), {i: float(v) for i, v in streams["features"][0]}


def rows(folder):
    chance = np.random.default_rng(2)
    matrix = sparse.random(60, 23, 0.2, format="csr", random_state=3)
    matrix = matrix.tolil()
    matrix[7] = 0
    matrix[0, 22] = 1
    matrix = matrix.tocsr()
    labels = chance.normal(0, 3, 60)
    wanted = [
        (label, dict(zip(map(int, part.indices), map(float, part.data))))
        for label, part in zip(labels, (matrix.getrow(r) for r in range(60)))
    ]
    for base in (0, 1):
        given, ours, archive = (
            Path(folder, file) for file in ("given.svmlight", "ours.svmlight", "ours.npz")
        )
        given.write_text("\n".join(lines_of(labels, matrix, base)) + "\n", encoding="utf-8")
        choice = ("--index-base", str(base))
        code, out, err = run("cat", "--json", *choice, given)
        point(code == 0 and list(rows_of(out)) == wanted, f"rows from {base}: as they were given", err)
        code, _, err = run("convert", "-f", *choice, given, ours)
        point(
            code == 0
            and ours.read_text(encoding="utf-8").split() != []
            and [float(line.split()[0]) for line in ours.read_text(encoding="utf-8").splitlines()]
            == list(labels),
            f"rows from {base}: labels as written",
            err,
        )
        found = [
            {int(word.split(":")[0]) - base: float(word.split(":")[1]) for word in line.split()[1:]}
            for line in ours.read_text(encoding="utf-8").splitlines()
        ]
        point(
            found == [features for _, features in wanted], f"rows from {base}: features as written", found[:3]
        )
        code, _, err = run("convert", "-f", *choice, "--value", "features", given, archive)
        read = sparse.load_npz(archive) if code == 0 else None
        point(
            code == 0 and same(read, matrix),
            f"rows from {base}: features as a matrix of SciPy's",
            err or read,
        )


def vectors(folder):
    """A tensor of one dimension, as the matrix that SciPy reads."""
    given, ours = Path(folder, "given.npy"), Path(folder, "ours.mtx")
    for kind in ("f8", "i4", "c16"):
        array = np.array([1, 0, -2.5 if kind != "i4" else -2], kind)
        np.save(given, array)
        code, _, err = run("convert", "-f", "--object", "matrix", given, ours)
        read = scipy.io.mmread(ours) if code == 0 else None
        point(
            code == 0 and not err and np.array_equal(read, array.reshape(3, 1)),
            f"a vector of {kind}: what mmread reads",
            f"{err}{read}",
        )
        code, _, err = run("convert", "-f", given, ours)
        point(
            code == 0
            and "--object matrix" in err
            and ours.read_text(encoding="utf-8").startswith("%%MatrixMarket vector"),
            f"a vector of {kind}: a warning",
            err,
        )


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-scipy-") as folder:
        for group in (from_scipy, to_scipy, types, corners, vectors, rows):
            group(folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
