#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Data frames of AnnData and 10x, in all encodings that AnnData has had, made by h5py: each is a table whose
values h5py's arrays give, and what no frame can be is refused. Prints TAP."""

import json
import os
import subprocess
import tempfile

from tap import end, go_on_without, point

try:
    import h5py
    import numpy as np
except ImportError:
    go_on_without("h5py")

SHEAF = os.environ.get("SHEAF", "build/sheaf")
TEXT = h5py.string_dtype()
BOOLS = np.array([True, False, True])


def run(*arguments):
    p = subprocess.run([SHEAF, *arguments], capture_output=True, timeout=300, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def rows(path, dataset):
    """The rows as dicts; or what went wrong."""
    code, out, err = run("cat", "--json", "--dataset", dataset, path)
    cells = [json.loads(line)["cells"] for line in out.splitlines()] if code == 0 else []
    return [{k: None if isinstance(v, dict) else v for k, v in row.items()} for row in cells] or err


def encoded(group, kind, **parts):
    group.attrs["encoding-type"], group.attrs["encoding-version"] = kind, "0.2.0"
    for name, values in parts.items():
        group[name] = values


def codes(group, numbers, categories):
    encoded(group, "categorical", codes=np.array(numbers, "i1"), categories=categories)
    group.attrs["ordered"] = False


def texts(*items):
    return np.array(items, TEXT)


# The column, and its three values; None: what makes it writes all of the frame.
COLUMNS = {
    "int8": (np.array([-1, 0, 127], "i1"), [-1, 0, 127]),
    "big": (np.array([2**40, 1, 0], ">u8"), [2**40, 1, 0]),
    "float": (np.array([0.5, 1e300, -2], "f8"), [0.5, 1e300, -2]),
    "bool": (BOOLS, [True, False, True]),
    "text": (texts("a", "", "\u00e4\u00f6"), ["a", "", "\u00e4\u00f6"]),
    "fixed": (np.array([b"abc", b"d", b""], "S3"), ["abc", "d", ""]),
    "cat": (lambda g: codes(g, [1, -1, 0], texts("x", "y")), ["y", None, "x"]),
    "cat of all": (lambda g: codes(g, [1, 1, 0], texts("x", "y")), ["y", "y", "x"]),
    "cat of numbers": (lambda g: codes(g, [0, 1, -1], np.array([7.5, 8])), [7.5, 8, None]),
    "cat of bools": (lambda g: codes(g, [0, 1, -1], BOOLS[:2]), [True, False, None]),
    "cat of none": (lambda g: codes(g, [-1, -1, -1], texts()), [None] * 3),
    "int?": (
        lambda g: encoded(g, "nullable-integer", values=np.arange(3, dtype="i4"), mask=BOOLS),
        [None, 1, None],
    ),
    "bool?": (lambda g: encoded(g, "nullable-boolean", values=BOOLS, mask=~BOOLS), [True, None, True]),
    "text?": (
        lambda g: encoded(g, "nullable-string-array", values=texts("p", "", "q"), mask=~BOOLS),
        ["p", None, "q"],
    ),
}


def add(group, name, column):
    if callable(column):
        column(group.create_group(name))
    else:
        group[name] = column


def frame(file, path, columns, index="_index", names=("r0", "r1", "r2"), order=None):
    group = file.create_group(path)
    encoded(group, "dataframe", **{index: texts(*names)})
    group.attrs["_index"] = index
    for name, column in columns.items():
        add(group, name, column)
    order = list(columns) if order is None else order
    if order != "none":
        group.attrs["column-order"] = np.array(order, TEXT) if order else np.array([], "f8")
    return group


def check_columns(path):
    with h5py.File(path, "w") as file:
        backwards = dict(reversed([(name, column) for name, (column, _) in COLUMNS.items()]))
        frame(file, "obs", backwards, index="cell id")
        frame(file, "none", {})
        frame(file, "without order", {"b": BOOLS, "a": BOOLS}, order="none")
        old = frame(file, "old", {"louvain": np.array([1, -1, 0], "i1"), "n": np.array([4, 5, 6])})
        old["__categories/louvain"] = texts("u", "v")
        old["louvain"].attrs["categories"] = old["__categories/louvain"].ref
    found = rows(path, "obs")
    for name, (_, wanted) in COLUMNS.items():
        got = [row.get(name) for row in found] if isinstance(found, list) else found
        point(got == wanted, f"a column: {name}", got)
    wanted = ["cell id", *reversed(COLUMNS)]
    point(found and list(found[0]) == wanted, "names of rows, then columns in their order", found[0])
    point(rows(path, "none") == [{"_index": f"r{i}"} for i in range(3)], "a frame without columns")
    wanted = [{"_index": f"r{i}", "a": bool(b), "b": bool(b)} for i, b in enumerate(BOOLS)]
    point(rows(path, "without order") == wanted, "columns without an order", rows(path, "without order"))
    point([row["louvain"] for row in rows(path, "old")] == ["v", None, "u"], "categories of AnnData 0.7")
    point(rows(path, "obs/cat") == [{"cat": "y"}, {"cat": None}, {"cat": "x"}], "a column by its path")
    code, out, err = run("cat", "--json", "--dataset", "obs/cat/codes", path)
    point(
        code == 0 and '"entries":[[[0],1],[[1],-1],[[2],0]]' in out.replace(" ", ""),
        "a part by its path",
        out + err,
    )
    code, out, err = run("info", "--json", path)
    listed = [it["path"] for it in json.loads(out)["tree"] if it.get("dataset")] if code == 0 else err
    point(listed == ["none", "obs", "old", "without order"], "parts are no datasets", (listed, err))


def check_10x(path):
    with h5py.File(path, "w") as file:
        matrix = file.create_group("matrix")
        matrix["barcodes"] = np.array([b"AA-1", b"CC-1"])
        matrix["data"], matrix["indices"] = np.array([3, 1], "i4"), np.array([0, 2], "i8")
        matrix["indptr"], matrix["shape"] = np.array([0, 1, 2], "i8"), np.array([3, 2], "i4")
        features = matrix.create_group("features")
        for name in "id", "name", "feature_type", "genome":
            features[name] = np.array([f"{name}{i}".encode() for i in range(3)])
        features["_all_tag_keys"] = np.array([b"genome"])
    found = rows(path, "matrix/features")
    wanted = [{name: f"{name}{i}" for name in ("id", "feature_type", "genome", "name")} for i in range(3)]
    point(found == wanted, "10x's features", found)
    code, out, err = run("cat", "--json", path)
    point(code == 0 and '"entries":[[[0,0],3],[[2,1],1]]' in out.replace(" ", ""), "10x's matrix", out + err)


# A frame's columns, its order, and the message.
BAD = {
    "a code beyond the categories": (
        {"c": lambda g: codes(g, [0, 2, 0], texts("x", "y"))},
        None,
        "2 categories, or -1, found 2",
    ),
    "a code below -1": ({"c": lambda g: codes(g, [0, -2, 0], texts("x", "y"))}, None, "or -1, found -2"),
    "a short column": ({"c": np.arange(2)}, None, "each of 3 rows, found 2"),
    "a short mask": (
        {"c": lambda g: encoded(g, "nullable-integer", values=np.arange(3), mask=BOOLS[:2])},
        None,
        "each of 3 rows, found 2",
    ),
    "a column that is not there": ({"c": BOOLS}, ["c", "d"], 'a column "d", found nothing'),
    "an order of numbers": ({"c": BOOLS}, "numbers", "a list of texts, found int64"),
}


def check_flaws(path):
    for name, (columns, order, words) in BAD.items():
        with h5py.File(path, "w") as file:
            group = frame(file, "obs", columns, order="none" if order == "numbers" else order)
            if order == "numbers":
                group.attrs["column-order"] = np.array([1])
        code, _, err = run("cat", "--dataset", "obs", path)
        point(code == 4 and words in err, f"refused: {name}", (code, err))
    with h5py.File(path, "w") as file:
        frame(file, "obs", {"square": np.zeros((3, 3)), "n": np.arange(3)})
        codes(file["obs"].create_group("c"), [0, 0, 0], np.zeros((2, 2)))
        file["obs"].attrs["column-order"] = np.array(["square", "c", "n"], TEXT)
    code, out, err = run("cat", "--json", "--dataset", "obs", path)
    fine = code == 0 and '"n":2' in out.replace(" ", "") and "2 warnings (column not read 2)" in err
    point(fine, "columns that are not read are left out, and that is said", (out, err))
    with h5py.File(path, "w") as file:
        del frame(file, "obs", {})["_index"]
    code, _, err = run("cat", "--dataset", "obs", path)
    point(code != 0 and "found" in err, "a frame without names of rows", (code, err))


def element(file, path, values, kind="array", **how):
    file.create_dataset(path, data=values, **how)
    file[path].attrs["encoding-type"], file[path].attrs["encoding-version"] = kind, "0.2.0"


def whole(path):
    """All that AnnData may hold, in the encodings of its document."""
    rng = np.random.RandomState(3)
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"], file.attrs["encoding-version"] = "anndata", "0.1.0"
        frame(file, "obs", {name: column for name, (column, _) in COLUMNS.items()}, index="cell")
        frame(file, "var", {})
        for name in "layers", "obsm", "varm", "obsp", "varp", "uns", "uns/empty":
            encoded(file.create_group(name), "dict")
        sparse = file.create_group("X")
        for name, values in (("data", [1.5, 2]), ("indices", [1, 0]), ("indptr", [0, 1, 1, 2])):
            sparse.create_dataset(name, data=np.array(values, "f4" if name == "data" else "i4"), chunks=(2,))
        sparse.attrs["encoding-type"], sparse.attrs["encoding-version"] = "csc_matrix", "0.1.0"
        sparse.attrs["shape"] = np.array([3, 3])
        element(file, "layers/dense", rng.rand(3, 3), chunks=(2, 3), compression="gzip")
        element(file, "obsm/cube", rng.rand(3, 2, 4).astype("f4"), chunks=(1, 2, 2))
        element(file, "obsm/empty", np.zeros((3, 0)))
        element(file, "obsm/wide", rng.rand(3, 40000))
        frame(file, "obsm/df", {"x": BOOLS})
        for name, values in (("i", 42), ("f", 2.5), ("b", True), ("c", 1 - 2j)):
            element(file, f"uns/scalar {name}", values, "numeric-scalar")
        element(file, "uns/text", "\u00e4 b", "string", dtype=TEXT)
        element(file, "uns/empty text", "", "string", dtype=TEXT)
        element(file, "uns/texts", np.array([["a", "bc"], ["", "d"]], TEXT), "string-array")
        element(file, "uns/no texts", np.array([], TEXT), "string-array")
        element(file, "uns/complex", rng.rand(2, 3) + 1j)
        element(file, "uns/bools", rng.rand(2, 3, 2) < 0.5)
        element(file, "uns/deep/er", np.arange(5, dtype=">i2"))
        element(file, "uns/none", h5py.Empty("f4"), "null")
        table = np.zeros(2, [("name", TEXT), ("n", "i8"), ("b", "?"), ("c", "c8")])
        table["name"], table["n"], table["b"], table["c"] = ["x", ""], [1, -2], [True, False], [1j, 2]
        element(file, "uns/table", table, "rec-array")


def contents(path, without=()):
    """What h5py finds: of each path its type, values and attributes."""
    found = {}

    def plain(value):
        return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value

    def add_one(name, item):
        about = {
            key: plain(value) for key, value in item.attrs.items() if not isinstance(value, h5py.Reference)
        }
        if isinstance(item, h5py.Dataset):
            kind = item.dtype.kind if item.dtype.kind in "OS" else item.dtype.newbyteorder("<").str
            empty = item.shape is None
            values = 0 if empty else item.asstr()[()] if item.dtype.kind in "OS" else item[()]
            about["values"] = (item.shape or (), kind.replace("S", "O"), plain(values) if not empty else None)
            if empty or about.get("encoding-type") == "null":
                about["values"] = None
        if name not in without:
            found[name] = about

    with h5py.File(path, "r") as file:
        add_one("", file)
        file.visititems(add_one)
    return found


def check_copies(folder):
    first, last = os.path.join(folder, "first.h5ad"), os.path.join(folder, "last.h5ad")
    whole(first)
    wanted = contents(first)
    steps = {
        "HDF5": ["b.h5ad"],
        "deflate": ["c.h5ad", "--compression", "deflate"],
        "Zarr 3": ["d.zarr", "--to", "hdf5", "--compression", "zstd"],
        "Zarr 2": ["e.zarr", "--to", "hdf5", "--zarr", "2", "--compression", "deflate"],
        "a ZIP file": ["f.zarr.zip", "--to", "hdf5"],
    }
    for name, (out, *options) in steps.items():
        out = os.path.join(folder, out)
        code, _, err = run("convert", first, out, *options)
        lost = () if "h5ad" in out else ("uns/table",)
        if lost:
            point(
                code == 6 and err.count("found /uns/table, which is compound") == 1,
                f"{name}: what is lost",
                err,
            )
            code, _, err = run("convert", first, out, *options, "--allow", "loss")
        again = run("convert", out, last, "--force")
        point(code == again[0] == 0, f"{name}: there and back", (code, err, again))
        found, kept = contents(last), {path: it for path, it in wanted.items() if path not in lost}
        other = [(path, kept.get(path), found.get(path)) for path in sorted({*kept, *found})]
        other = [one for one in other if one[1] != one[2]]
        point(not other, f"{name}: everything is the same", other[:3])
    with h5py.File(first, "a") as file:
        file["X"].attrs["unit"] = "counts"
    code, _, err = run("convert", first, last, "--force")
    point(code == 6 and 'found "unit" of /X' in err, "an attribute of another program is lost by name", err)


def check_old(path):
    """AnnData 0.7: categories become columns, whose frame is of today's version."""
    with h5py.File(path, "w") as file:
        for name in "obs", "var":
            old = frame(file, name, {"louvain": np.array([1, -1, 0], "i1")})
            old.attrs["encoding-version"] = "0.1.0"
            old["__categories/louvain"] = texts("u", "v")
            old["__categories/louvain"].attrs["ordered"] = True
            old["louvain"].attrs["categories"] = old["__categories/louvain"].ref
        file["X"] = np.ones((3, 3))
    code, _, err = run("convert", path, path + ".h5ad")
    with h5py.File(path + ".h5ad", "r") as file:
        column = file["obs/louvain"]
        fine = (
            column.attrs["encoding-type"] == "categorical"
            and bool(column.attrs["ordered"]) is True
            and column["codes"][()].tolist() == [1, -1, 0]
            and column["categories"].asstr()[()].tolist() == ["u", "v"]
            and file["obs"].attrs["encoding-version"] == "0.2.0"
            and "__categories" not in file["obs"]
        )
    point(code == 0 and fine, "categories of AnnData 0.7 become a column", err)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        it = os.path.join(folder, "a.h5ad")
        check_columns(it)
        check_10x(it)
        check_flaws(it)
        check_copies(folder)
        check_old(it)
    end()
