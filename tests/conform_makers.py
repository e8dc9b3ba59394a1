#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HDF5 files as other programs make them, made by h5py when the test runs: matrices of AnnData, 10x and
MATLAB, loose ones, arrays of any rank and type, texts, packed numbers. What the command reads is what h5py
does; what it writes for AnnData is what AnnData's specification says. Prints TAP."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import warnings

from tap import end, go_on_without, point

try:
    import h5py
    import numpy as np
    from h5py import h5d, h5o, h5s, h5t
    from scipy import sparse
except ImportError:
    go_on_without("h5py and scipy")

try:
    import anndata as their_anndata
except ImportError:
    their_anndata = None

SHEAF = os.environ.get("SHEAF", "build/sheaf")


def run(*arguments, errors="strict"):
    p = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, timeout=300, check=False)
    return p.returncode, p.stdout.decode(errors=errors), p.stderr.decode(errors=errors)


def read(path, *options):
    """The tensor as an array, with its layout; or what went wrong."""
    code, out, err = run("cat", "--json", *options, path)
    if code:
        return err, None
    tensor = json.loads(out)
    array = np.zeros(tensor["shape"], complex)
    for place, value in tensor["entries"]:
        value = complex(*value) if isinstance(value, list) else float(value) if value is not None else np.nan
        array[tuple(place)] += value
    return array, tensor.get("format")


def same(path, wanted, layout, name, *options):
    found, how = read(path, *options)
    fine = (
        isinstance(found, np.ndarray)
        and found.shape == np.shape(wanted)
        and np.allclose(found, wanted, rtol=0, atol=0, equal_nan=True)
        and how == layout
    )
    point(fine, name, (found, how))


def random_matrix(rng, rows, columns, dtype):
    matrix = sparse.random(rows, columns, 0.3, "csr", random_state=rng)
    matrix.data = np.round(matrix.data * 100 + 1).astype(dtype)
    return sparse.csr_matrix(matrix, dtype=dtype)


def put(group, matrix, **how):
    for name in "data", "indices", "indptr":
        group.create_dataset(name, data=getattr(matrix, name), **how)


def anndata(path, matrix, rows, columns, version):
    with h5py.File(path, "w", libver=version) as file:
        file.attrs["encoding-type"], file.attrs["encoding-version"] = "anndata", "0.1.0"
        for name, kind, form in (
            ("X", "csr_matrix", matrix.tocsr()),
            ("layers/other", "csc_matrix", matrix.tocsc()),
            ("obsp/near", "csr_matrix", matrix[:, :1].tocsr()),
        ):
            group = file.create_group(name)
            put(group, form, chunks=(3,), maxshape=(None,), compression="gzip")
            group.attrs["encoding-type"], group.attrs["shape"] = kind, form.shape
        for name, names in ("obs", rows), ("var", columns):
            frame = file.create_group(name)
            frame.attrs["encoding-type"], frame.attrs["_index"], frame.attrs["column-order"] = (
                "dataframe",
                "names of it",
                np.array([], "f8"),
            )
            frame["names of it"] = names


def matlab(folder, version):
    """What MATLAB stores in its own way: complex numbers, truth values, arrays without elements."""
    path, matrix = os.path.join(folder, "odd.mat"), sparse.csc_matrix([[0, 2.5, 0], [1, 0, 0]])
    numbers = np.zeros(2, [("real", "f8"), ("imag", "f8")])
    numbers["real"], numbers["imag"] = matrix.data, [-1, 3]
    with h5py.File(path, "w", libver=version, userblock_size=512) as file:
        sparse_ones = ("Z", "double", numbers), ("L", "logical", np.ones(2, "u1")), ("N", "double", None)
        for name, kind, values in sparse_ones:
            group = file.create_group(name)
            group["jc"] = matrix.indptr.astype("u8") if values is not None else np.zeros(4, "u8")
            if values is not None:
                group["ir"], group["data"] = matrix.indices.astype("u8"), values
            group.attrs["MATLAB_sparse"], group.attrs["MATLAB_class"] = np.uint64(2), np.bytes_(kind)
        empty = ("E", [0, 3]), ("F", [0, -3]), ("G", [2, 3])
        for name, values in ("D", numbers.reshape(1, 2)), *((name, np.array(d)) for name, d in empty):
            file[name] = values
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
        for name, _ in empty:
            file[name].attrs["MATLAB_empty"] = np.uint8(1)
    matrix = matrix.astype(complex)
    matrix.data = numbers["real"] + 1j * numbers["imag"]
    same(path, matrix.toarray(), "CSC", f"MATLAB, {version}: complex numbers", "--dataset", "Z")
    same(path, matrix.toarray() != 0, "CSC", f"MATLAB, {version}: truth values", "--dataset", "L")
    same(path, np.zeros((2, 3)), "CSC", f"MATLAB, {version}: no entries", "--dataset", "N")
    same(path, matrix.data.reshape(2, 1), None, f"MATLAB, {version}: a complex array", "--dataset", "D")
    same(path, np.zeros((0, 3)), None, f"MATLAB, {version}: an array without elements", "--dataset", "E")
    for name, words in ("F", "extents of at least 0, found -3"), ("G", "an extent of 0, found 2"):
        code, _, err = run("cat", "--dataset", name, path)
        point(code == 4 and words in err, f"MATLAB, {version}: no such array without elements", err)


def makers(folder):
    rng = np.random.RandomState(7)
    for version in "earliest", "latest":
        for rows, columns, dtype in (5, 4, "f4"), (40, 30, "f8"), (1, 9, "i2"), (6, 6, "u4"), (3, 2, "i8"):
            matrix = random_matrix(rng, rows, columns, dtype)
            about = f"{version}, {rows} x {columns} of {dtype}"
            dense = matrix.toarray()
            path = os.path.join(folder, "a.h5ad")
            names = [f"cell \"{i}\" \u00e4" for i in range(rows)], [f"gene\\{i}" for i in range(columns)]
            anndata(path, matrix, *names, version)
            same(path, dense, "CSR", f"AnnData, {about}: X")
            same(path, dense, "CSC", f"AnnData, {about}: a layer by columns", "--dataset", "layers/other")
            same(path, dense[:, :1], "CSR", f"AnnData, {about}: obsp", "--dataset", "/obsp/near/")
            written(folder, path, dense, names, about)
            path = os.path.join(folder, "tenx.h5")
            with h5py.File(path, "w", libver=version) as file:
                group = file.create_group("matrix")
                put(group, matrix.tocsc())
                group["shape"] = np.array(matrix.shape)
                group["barcodes"] = np.array([b"ACGT-%d" % i for i in range(columns)])
                group["features/id"] = np.array([b"ENS%d" % i for i in range(rows)])
            same(path, dense, "CSC", f"10x, {about}")
            path = os.path.join(folder, "m.mat")
            with h5py.File(path, "w", libver=version, userblock_size=512) as file:
                group, form = file.create_group("S"), matrix.tocsc()
                group["data"], group["ir"], group["jc"] = (
                    form.data.astype("f8"),
                    form.indices.astype("u8"),
                    form.indptr.astype("u8"),
                )
                group.attrs["MATLAB_sparse"], group.attrs["MATLAB_class"] = (
                    np.uint64(rows),
                    np.bytes_("double"),
                )
                file["A"] = dense.T
                file["A"].attrs["MATLAB_class"] = np.bytes_("double")
            same(path, dense, "CSC", f"MATLAB, {about}: a sparse one")
            same(path, dense, None, f"MATLAB, {about}: a full one", "--dataset", "A")
            matlab(folder, version)
            path = os.path.join(folder, "loose.h5")
            with h5py.File(path, "w", libver=version) as file:
                put(file, matrix)
                file.attrs["shape"] = matrix.shape
                coo = matrix.tocoo()
                file["coo/row"], file["coo/col"], file["coo/data"], file["coo/shape"] = (
                    coo.row,
                    coo.col,
                    coo.data,
                    matrix.shape,
                )
            same(path, dense, "CSR", f"loose, {about}", "--dataset", "/")
            same(path, dense, "COO", f"coordinates, {about}", "--dataset", "coo")


def written(folder, path, dense, names, about):
    """What is written is what the specification says, and comes back."""
    ours, again = os.path.join(folder, "ours.h5ad"), os.path.join(folder, "again.h5")
    for packing in "none", "deflate":
        code, _, err = run("convert", "-q", "-f", "--compression", packing, "--dataset", "X", path, ours)
        if code:
            point(False, f"AnnData, {about}: written", err)
            return
        with h5py.File(ours, "r") as file:
            x = file["X"]
            theirs = sparse.csr_matrix(
                (x["data"][()], x["indices"][()], x["indptr"][()]), shape=tuple(x.attrs["shape"])
            ).toarray()
            kinds = (
                file.attrs["encoding-type"],
                x.attrs["encoding-type"],
                x.attrs["encoding-version"],
                file["obs"].attrs["encoding-type"],
                file["var"].attrs["_index"],
            )
            texts = list(file["obs/_index"].asstr()[()]), list(file["var/_index"].asstr()[()])
            point(
                np.array_equal(theirs, dense) and theirs.dtype == dense.dtype and texts == names,
                f"AnnData, {about}: written, h5py reads it",
                (theirs, texts),
            )
            point(
                kinds == ("anndata", "csr_matrix", "0.1.0", "dataframe", "_index")
                and file["obs/_index"].attrs["encoding-type"] == "string-array"
                and h5py.check_string_dtype(file["obs/_index"].dtype).length is None,
                f"AnnData, {about}: its encodings",
                kinds,
            )
        code, out, err = run("diff", "--dataset", "X", path, ours)
        point(code == 0, f"AnnData, {about}: and back", out + err)
    code, _, err = run("convert", "-q", "-f", ours, again)
    code = code or run("convert", "-q", "-f", again, ours)[0] or run("diff", "--dataset", "X", path, ours)[0]
    point(code == 0, f"AnnData, {about}: through Binsparse, with its names", err)


def read_anndata(path):
    """X as an array, the names of its rows, those of its columns, a column of names; as AnnData's document
    says it, and where AnnData is there, as it says, too."""
    with h5py.File(path, "r") as file:
        x, var = file["X"], file["var"]
        if x.attrs["encoding-type"] == "array":
            values = x[()]
        else:
            parts = x["data"][()], x["indices"][()], x["indptr"][()]
            values = sparse.csr_matrix(parts, shape=tuple(x.attrs["shape"])).toarray()
        names = [list(file[f"{frame}/_index"].asstr()[()]) for frame in ("obs", "var")]
        more = {name: list(var[name].asstr()[()]) for name in var.attrs["column-order"]}
    if their_anndata:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = their_anndata.read_h5ad(path)
        full = theirs.X if isinstance(theirs.X, np.ndarray) else theirs.X.toarray()
        point(
            np.array_equal(full, values)
            and [list(theirs.obs_names), list(theirs.var_names)] == names
            and {name: list(column) for name, column in theirs.var.items()} == more,
            f"AnnData reads {os.path.basename(path)}",
        )
    return values, *names, more


def dense(folder):
    """A dense matrix stays an array, in chunks that are no larger."""
    for shape in (30, 20), (300, 700), (0, 3), (3, 0), (1, 1):
        path, out = os.path.join(folder, "dense.npy"), os.path.join(folder, "dense.h5ad")
        wanted = np.arange(np.prod(shape), dtype="f4").reshape(shape) % 7
        np.save(path, wanted)
        for packing in "none", "deflate:4":
            code, _, err = run("convert", "-f", "--compression", packing, path, out)
            values = read_anndata(out)[0] if code == 0 else err
            about = f"dense, {shape[0]} x {shape[1]}, {packing}"
            point(code == 0 and values.dtype == "f4" and np.array_equal(values, wanted), about, values)
            code, text, err = run("diff", path, out)
            point(code == 0, f"{about}: and back", text + err)
            size = os.path.getsize(out)
            point(size < wanted.nbytes + 20000 + 24 * sum(shape), f"{about}: its size", size)
    sparse.save_npz(os.path.join(folder, "small.npz"), sparse.csr_matrix(wanted))
    code, _, err = run("convert", "-f", os.path.join(folder, "small.npz"), out)
    point(code == 0 and os.path.getsize(out) < 10000, "a small sparse one: its size", err)


def tenx(folder):
    """10x's genes by cells are AnnData's cells by genes, with all their names."""
    path, out = os.path.join(folder, "cells.h5"), os.path.join(folder, "cells.h5ad")
    rng = np.random.RandomState(2)
    cells, ids = [f"ACGT-{i}" for i in range(5)], list("abcdef")
    names = ["G1", "G2", "G2", "G3", "", "G\xe4"]
    for group, ids_at, names_at in (
        ("matrix", "features/id", "features/name"),
        ("GRCh38", "genes", "gene_names"),
    ):
        for rows in 6, 5:  # as many genes as cells, too
            matrix = random_matrix(rng, rows, 5, "i4")
            with h5py.File(path, "w") as file:
                put(file.create_group(group), matrix.tocsc())
                file[group]["shape"] = np.array(matrix.shape, "i4")
                for name, values in ("barcodes", cells), (ids_at, ids[:rows]), (names_at, names[:rows]):
                    file[group][name] = np.array([value.encode() for value in values])
            same(path, matrix.toarray(), "CSC", f"10x, {group}, {rows} genes: as it is")
            code, _, err = run("convert", "-q", "-f", path, out)
            found = read_anndata(out) if code == 0 else (err, 0, 0, 0)
            point(
                np.array_equal(found[0], matrix.toarray().T)
                and list(found[1:]) == [cells, names[:rows], {"gene_ids": ids[:rows]}],
                f"10x, {group}, {rows} genes: to AnnData",
                found,
            )
            code, _, err = run("convert", "-q", "-f", out, path)  # through Binsparse
            code = code or run("convert", "-q", "-f", path, out)[0]
            again = read_anndata(out) if code == 0 else (err, 0, 0, 0)
            point(again[1:] == found[1:], f"10x, {group}, {rows} genes: names are kept", (again, err))
            code, _, err = run("convert", out, os.path.join(folder, "cells.mtx"))
            fine = code == 6 and "loss: label (3)" in err
            point(fine, f"10x, {group}: Matrix Market has no place for names", err)


def indices(folder):
    """An index out of range is found wherever it is, in lists that are in order or not; a chunk that was never
    written has the fill value, and chunks lie in the file in any order."""
    path, wrong = os.path.join(folder, "i.h5"), []
    rng = np.random.RandomState(3)
    for dtype in "i4", "i8", "u2":
        sound = np.sort(np.argsort(rng.rand(400, 150), 1)[:, :100], 1).astype(dtype).ravel()
        bad = (0, -1), (39999, 150), (16383, 150), (16384, 200), (99, 151), (20050, -7), (25099, 150)
        for at, index in bad:
            if dtype == "u2" and index < 0:
                continue
            for shuffled in False, True:
                found = sound.copy()
                if shuffled:
                    found[[200, 201]] = found[[201, 200]]
                found[at] = index
                with h5py.File(path, "w") as file:
                    file.create_dataset("indices", data=found, chunks=(777,))
                    file["data"], file["shape"] = np.ones(40000, "f4"), np.array([400, 150])
                    file["indptr"] = np.arange(0, 40001, 100)
                code, _, err = run("cat", "--quiet", path)
                bound = "at least 0 and below 150" if index < 0 else "below 150"
                if code != 4 or f"indices[{at}] {bound}, found {index}" not in err:
                    wrong.append((dtype, at, index, shuffled, code, err))
    point(not wrong, "an index out of range is found", wrong[:3])
    with h5py.File(path, "w") as file:
        sparse_one = file.create_dataset("a", (100000,), "i4", chunks=(777,), fillvalue=-3)
        for begin in 77700, 0, 1554, 777, 50505, 99456:
            sparse_one[begin : begin + 777] = np.arange(begin, min(begin + 777, 100000))
        stored = sparse_one[:]
    same(path, stored, None, "chunks in any order, and some that are not there")


def arrays(folder):
    path = os.path.join(folder, "arrays.h5")
    rng = np.random.RandomState(3)
    shapes = (), (0,), (7,), (3, 4), (2, 3, 4), (5, 1, 2, 3), (2,) * 8
    with h5py.File(path, "w") as file:
        for i, shape in enumerate(shapes):
            for kind in "i1", ">u2", "f4", "?", "c16":
                data = (
                    (rng.rand(*shape) * 100 if shape else np.float64(42.0)) > 50
                    if kind == "?"
                    else np.asarray(rng.rand(*shape) * 100).astype(kind)
                )
                file.create_dataset(f"{i}/{kind}", data=data)
                if shape and 0 not in shape:
                    file.create_dataset(
                        f"{i}/{kind} in chunks",
                        data=data,
                        chunks=tuple((n + 1) // 2 for n in shape),
                        compression="gzip",
                        shuffle=True,
                    )
        file["words"] = ["a", "b,c", "", "\u00e4"]
        file["fixed"] = np.array([b"ab", b"c"])
        file["references"] = np.array([file["words"].ref], dtype=h5py.ref_dtype)
        table = np.zeros(
            300,
            [
                ("x", ">i4"),
                ("y", "f8"),
                ("b", "?"),
                ("s", "S3"),
                ("half", "f2"),
                ("z", "c8"),
                ("two", "i2", (2,)),
                ("in", [("q", "u1")]),
            ],
        )
        table["x"], table["y"], table["b"], table["s"], table["half"], table["z"] = (
            np.arange(300) * -7,
            rng.rand(300),
            np.arange(300) % 3 == 0,
            b"ab",
            1.5,
            1 - 2j,
        )
        file["table"] = table
        file.create_dataset("table in chunks", data=table, chunks=(77,), compression="gzip", shuffle=True)
        file.create_dataset("square", data=table[:4].reshape(2, 2))
    with h5py.File(path, "r") as file:
        for i, shape in enumerate(shapes):
            wrong = []
            for name, data in file[str(i)].items():
                found, _ = read(path, "--dataset", f"{i}/{name}")
                if isinstance(found, np.ndarray) and data.dtype == "f4":
                    found = found.real.astype("f4")  # text has the shortest digits
                if not isinstance(found, np.ndarray) or not np.array_equal(found, data[()]):
                    wrong.append((name, found))
            point(not wrong, f"arrays of shape {shape}", wrong)
    code, out, err = run("cat", "--json", "--dataset", "words", path)
    point(
        code == 0
        and [json.loads(line)["cells"]["words"] for line in out.splitlines()] == ["a", "b,c", "", "\u00e4"],
        "texts are a table",
        out + err,
    )
    code, out, err = run("info", "--json", path)
    tree = {item["path"]: item for item in json.loads(out)["tree"]} if code == 0 else {}
    point(
        code == 0
        and tree["3/f4 in chunks"]["chunks"] == [2, 2]
        and tree["3/f4 in chunks"]["filters"] == "shuffle, deflate 4"
        and tree["3/>u2"]["type"] == "big-endian uint16",
        "info: the tree",
        err or tree,
    )
    point(
        "refused" in tree.get("references", {}) and "refused" not in tree.get("square", {}),
        "info: what is not read is said",
        tree.get("references"),
    )
    for name in "table", "table in chunks":
        code, out, err = run("cat", "--json", "--dataset", name, path)
        rows = [json.loads(line)["cells"] for line in out.splitlines()]
        fine = (
            code == 0
            and len(rows) == 300
            and all(
                row["x"] == -7 * i
                and row["y"] == table["y"][i]
                and row["b"] == (i % 3 == 0)
                and row["s"] == "ab"
                and row["half"] == 1.5
                and row["z"] == [1, -2]
                and row["two[0]"] == row["two[1]"] == row["in.q"] == 0
                and len(row) == 9
                for i, row in enumerate(rows)
            )
        )
        point(fine, f"{name}: its columns, those of arrays and of compounds within it", err + str(rows[:2]))
    code, _, err = run("cat", path)
    point(code == 2 and "--dataset" in err, "several datasets: one is asked for", (code, err))
    code, _, err = run("cat", "--dataset", "nowhere", path)
    point(code != 0 and "nothing there" in err, "a path that is none: said", (code, err))
    with h5py.File(path, "w") as file:
        file.create_dataset("grid", data=[["a", "b"]], dtype=h5py.string_dtype())
        for n in 1000, 1001:
            file[f"{n}"] = np.zeros(2, [(f"c{i}", "i1") for i in range(n)])
    for name, wanted in (
        ("grid", ""),
        ("1000", ""),
        ("1001", "expected at most 1000 columns, found more"),
    ):
        code, _, err = run("cat", "--dataset", name, path)
        point(code == (6 if wanted else 0) and wanted in err, f"{name}: {wanted or 'read'}", (code, err))


def packed(folder):
    path = os.path.join(folder, "packed.h5")
    stored = np.array([[0, 100, -32768], [5, -7, 32767]], "i2")
    cases = {
        "scaled": (stored, {"scale_factor": 0.01, "add_offset": 273.15}, stored * 0.01 + 273.15),
        "filled": (stored, {"_FillValue": np.int16(-32768)}, np.where(stored == -32768, np.nan, stored)),
        "both": (
            stored,
            {"_FillValue": np.int16(-32768), "scale_factor": np.float32(0.5)},
            np.where(stored == -32768, np.nan, stored * 0.5),
        ),
        "old": (stored, {"missing_value": np.int16(5)}, np.where(stored == 5, np.nan, stored)),
        "floats": (np.array([1.5, 9e36], "f4"), {"_FillValue": np.float32(9e36)}, np.array([1.5, np.nan])),
    }
    with h5py.File(path, "w") as file:
        for name, (data, attributes, _) in cases.items():
            file[name] = data
            for key, value in attributes.items():
                file[name].attrs[key] = value
    for name, (_, _, wanted) in cases.items():
        same(path, wanted, None, f"packed: {name}", "--dataset", name)
    code, _, err = run("cat", "--dataset", "scaled", "--max-memory", "64M", path)
    point(code == 0, "packed: within a limit", err)


def bits(folder):
    """Bit fields are numbers, whatever is in them; truth values are only an enumeration's 0 and 1."""
    path = os.path.join(folder, "bits.h5")
    kinds = {"u1": h5t.STD_B8LE, ">u2": h5t.STD_B16BE, "<u4": h5t.STD_B32LE, "<u8": h5t.STD_B64LE}
    truth = h5py.enum_dtype({"FALSE": 0, "TRUE": 1}, basetype="i1")
    with h5py.File(path, "w") as file:
        for dtype, kind in kinds.items():
            x = h5d.create(file.id, dtype.encode(), kind, h5s.create_simple((4,)))
            x.write(h5s.ALL, h5s.ALL, np.array([0, 1, 0xE0, 0xFF], dtype), mtype=kind)
        file.create_dataset("truth", data=np.array([0, 1, 1], "i1"), dtype=truth)
        file.create_dataset("more", data=np.array([0, 1, 2], "i1"), dtype=truth)
        file.create_dataset("table", (3,), [("t", truth)])
        file["table"][:] = np.array([(0,), (7,), (1,)], [("t", "i1")])
    for dtype in kinds:
        same(path, [0, 1, 0xE0, 0xFF], None, f"bit fields, {dtype}", "--dataset", dtype)
    same(path, [0, 1, 1], None, "truth values", "--dataset", "truth")
    for name, wanted in ("more", "value 2: expected a truth value, 0 or 1, found 2"), ("table", "value 1:"):
        code, out, err = run("cat", "--dataset", name, path)
        point(code == 4 and wanted in err, f"no truth values: {name}", (code, out, err))


def with_an_old_type(path, name):
    """Rewrites the header of a dataset so that its message of a committed type has version 1, as before HDF5
    1.6: a name's offset comes before the address."""
    with h5py.File(path, "r") as file:
        at = h5o.get_info(file[name].id).addr
    with open(path, "rb") as file:
        whole = file.read()
    head, messages, end = whole[at : at + 16], b"", at + 16 + struct.unpack_from("<I", whole, at + 8)[0]
    at_message = at + 16
    while at_message < end:
        kind, size, flags = struct.unpack_from("<HHB", whole, at_message)
        value = whole[at_message + 8 : at_message + 8 + size]
        at_message += 8 + size
        if kind == 3 and flags & 2:
            value = bytes([1, 0]) + bytes(6) + struct.pack("<Q", 8) + value[2:10]
        messages += struct.pack("<HHB3x", kind, len(value), flags) + value
    new = len(whole)
    whole = whole.replace(struct.pack("<Q", at), struct.pack("<Q", new)) + head[:8]
    whole += struct.pack("<I4x", len(messages)) + messages
    whole = whole[:40] + struct.pack("<Q", len(whole)) + whole[48:]
    with open(path, "wb") as file:
        file.write(whole)


def old_types(folder):
    path = os.path.join(folder, "old.h5")
    with h5py.File(path, "w", libver="earliest") as file:
        file["number"], file["pair"] = np.dtype(">f4"), np.dtype([("a", "i2"), ("b", "f8")])
        file.create_dataset("x", data=[1.5, -2, 3], dtype=file["number"])
        pairs = np.array([(1, 2.5), (-3, 4)], file["pair"].dtype)
        file.create_dataset("table", data=pairs, dtype=file["pair"])
    for name in "x", "table":
        with_an_old_type(path, name)
    with h5py.File(path, "r") as file:
        same(path, file["x"][()], None, "a committed type as before HDF5 1.6", "--dataset", "x")
        rows = [list(row) for row in file["table"][()].tolist()]
    _, out, err = run("cat", "--json", "--dataset", "table", path)
    found = [list(json.loads(line)["cells"].values()) for line in out.splitlines()]
    point(found == rows, "and one of a table", (out, err))


def odd_names(folder):
    """Names with control characters and other bytes, in lists for people and in JSON."""
    path = os.path.join(folder, "odd.h5")
    with h5py.File(path, "w") as file:
        file[b"a\x1b[31mred\nline"] = np.arange(3)
        file[b"bad\xff"] = np.arange(2)
        file.create_dataset("scaled", data=np.arange(1000), chunks=(100,), scaleoffset=0)
        file["wide"] = np.zeros((2,) * 9)
    code, out, err = run("info", path, errors="replace")
    point(
        code == 0
        and "/a\\x1b[31mred\\x0aline  int64" in out
        and "\n  a\\x1b[31mred\\x0aline  3, int64" in out
        and "\x1b" not in out,
        "info: control characters are spelled",
        out + err,
    )
    point(not set("\x01\x02") & set(out), "info: options are spelled", out)
    code, out, err = run("info", "--json", path)
    tree = {item["path"]: item for item in json.loads(out)["tree"]} if code == 0 else {}
    point("a\x1b[31mred\nline" in tree and "bad\ufffd" in tree, "info --json: names are text", out + err)
    point(
        tree.get("scaled", {}).get("filters") == "scaleoffset",
        "info --json: the filters of a dataset",
        tree.get("scaled"),
    )
    code, _, err = run("cat", "--dataset", "wide", path)
    point(
        code and "found an array of 9 dimensions, more than 8" in err,
        "an array of too many dimensions: said",
        (code, err),
    )
    path = os.path.join(folder, "latin.h5ad")
    anndata(
        path, random_matrix(np.random.RandomState(5), 2, 2, "f4"), [b"caf\xe9", b"b"], ["x", "y"], "earliest"
    )
    code, out, err = run("cat", "--dataset", "X", path)
    point(
        code == 0 and "expected names in UTF-8, found /obs/names of it with other bytes" in err,
        "names that are not UTF-8 are left out, and that is said",
        err,
    )


def losses(folder):
    path, out = os.path.join(folder, "in.mtx"), os.path.join(folder, "out.h5ad")
    with open(path, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 2\n")
    code, _, err = run("convert", path, out)
    point(
        code == 6 and "expected numbers" in err and not os.path.exists(out),
        "complex numbers are refused",
        (code, err),
    )
    with open(path, "w", encoding="ascii") as file:
        file.write("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 5\n3 3 1\n")
    code, _, err = run("convert", path, out)
    same(out, [[0, 5, 0], [5, 0, 0], [0, 0, 1]], "CSR", "a symmetric matrix is written out")
    code, out_text, err = run("diff", path, out)
    point(code == 0, "and is the same, without names of its own", out_text + err)
    code, _, err = run("convert", "--layout", "csr", path, out)
    point(code == 2, "another layout: refused", (code, err))


def unread_attributes(folder):
    """What an attribute says is not left out because it cannot be read: that it is in a table of shared ones
    is a bit of its message, at byte 4 of the 16 before its name."""
    path, small = os.path.join(folder, "attributes.h5"), os.path.join(folder, "small.mtx")
    with open(small, "w", encoding="utf-8") as out:
        out.write("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
    for name in "MATLAB_sparse", "h5sparse_format", "encoding-type", "binsparse":
        with h5py.File(path, "w", libver="earliest") as file:
            for part in "data", "ir", "jc":
                file[f"m/{part}"] = np.arange(2, dtype="u8")
            file["m"].attrs[name] = np.uint64(2)
        with open(path, "r+b") as file:
            at = file.read().index(name.encode()) - 16
            file.seek(at)
            head = file.read(5)
            file.seek(at)
            file.write(head[:4] + bytes([head[4] | 2]))
        code, _, err = run("convert", "-f", "--dataset", "m", path, small + ".mtx")
        told = "an attribute in a table of shared ones is not read here"
        point(code == 6 and told in err, f"{name} that is shared: not read", err)
        code, _, err = run("convert", "-f", "--into", "m", small, path)
        told = "expected attributes stored with their object, found one in a table of shared messages"
        point(code == 6 and told in err, f"{name} that is shared: nothing is written beside it", err)
    for name, value, wanted in (
        ("scale_factor", "two", 4),
        ("scale_factor", [1.0, 2.0], 4),
        ("missing_value", "two", 0),
    ):
        with h5py.File(path, "w") as file:
            file["m"] = np.arange(6, dtype="i2").reshape(2, 3)
            file["m"].attrs[name] = value
        code, _, err = run("convert", "-f", path, small)
        point(code == wanted and f'"{name}"' in err, f"{name} that is {value!r}", f"{code} {err}")


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-makers.") as folder:
        makers(folder)
        dense(folder)
        tenx(folder)
        indices(folder)
        arrays(folder)
        packed(folder)
        bits(folder)
        old_types(folder)
        odd_names(folder)
        losses(folder)
        unread_attributes(folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
