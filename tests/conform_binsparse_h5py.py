#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Binsparse beside h5py and scipy: what they read of ours in every layout and type, and what we read of
theirs: strings, truth values and complex numbers as h5py writes them. Prints TAP."""

import json
import os
import subprocess
import sys
import tempfile

from tap import end, go_on_without, point

try:
    import h5py
    import numpy as np
    import scipy.sparse
except ImportError:
    go_on_without("h5py")

SHEAF = os.environ.get("SHEAF", "build/sheaf")
FOLDER = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(FOLDER.name, name)


def run(*args):
    done = subprocess.run([SHEAF, *args], capture_output=True, timeout=120, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


def value(v):
    return complex(*map(float, v)) if isinstance(v, list) else v if isinstance(v, bool) else float(v)


def read(file, *options):
    code, out, err = run("cat", "--json", "--quiet", *options, file)
    if code:
        return f"exit {code}: {err}"
    return {tuple(at): value(v) for at, v in json.loads(out)["entries"]}


def descriptor_of(group):
    return json.loads(group.attrs["binsparse"])


# ---- theirs ----


def make(name, inner, arrays, attribute=None, kind="w"):
    """A file with a descriptor and arrays, as h5py writes them."""
    with h5py.File(path(name), kind) as f:
        text = json.dumps({"binsparse": inner})
        f.attrs["binsparse"] = attribute(text) if attribute else text
        for array, values in arrays.items():
            if isinstance(values, h5py.Empty):
                f.create_dataset(array, data=values)
            else:
                f[array] = values
    return path(name)


def inner(form, shape, stored, types, **more):
    return {
        "version": "0.1",
        "format": form,
        "shape": shape,
        "number_of_stored_values": stored,
        "data_types": types,
        **more,
    }


CVEC = {"indices_0": "uint8"}
AT = np.array([1, 3], "u1")


def spellings():
    fixed = {
        "variable length": None,
        "fixed length": np.bytes_,
        "one element": lambda t: np.array([t], dtype=h5py.string_dtype()),
        "padded": lambda t: np.array(t.encode() + b"\0\0\0", dtype=f"S{len(t) + 3}"),
    }
    for name, attribute in fixed.items():
        file = make(
            "a.h5",
            inner("CVEC", [5], 2, {**CVEC, "values": "int8"}),
            {"indices_0": AT, "values": np.array([7, 8], "i1")},
            attribute,
        )
        found = read(file)
        point(found == {(1,): 7, (3,): 8}, f"a descriptor that is a text of {name}", found)
    for name, values, kind in (
        ("an enumeration", np.array([True, False]), "bint8"),
        ("unsigned bytes", np.array([1, 0], "u1"), "bint8"),
        ("signed bytes", np.array([1, 0], "i1"), "bint8"),
    ):
        found = read(
            make("a.h5", inner("CVEC", [5], 2, {**CVEC, "values": kind}), {"indices_0": AT, "values": values})
        )
        point(
            found == {(1,): True, (3,): False} and all(isinstance(v, bool) for v in found.values()),
            f"truth values in {name}",
            found,
        )
    both = np.array([1 - 2j, 0.5j], "c8")
    for name, values in (
        ("numbers by turns", both.view("f4")),
        ("pairs", both),
        ("two columns", both.view("f4").reshape(2, 2)),
    ):
        found = read(
            make(
                "a.h5",
                inner("CVEC", [5], 2, {**CVEC, "values": "complex[float32]"}),
                {"indices_0": AT, "values": values},
            )
        )
        point(found == {(1,): 1 - 2j, (3,): 0.5j}, f"complex values as {name}", found)
    found = read(
        make(
            "a.h5",
            inner("CVEC", [5], 0, {**CVEC, "values": "int8"}),
            {"indices_0": h5py.Empty("u1"), "values": h5py.Empty("i1")},
        )
    )
    point(found == {}, "arrays without a space", found)
    found = read(
        make(
            "a.h5",
            inner("CVEC", [5], 2, {**CVEC, "values": "int16"}),
            {"indices_0": AT.astype(">u4"), "values": np.array([7, -8], ">i2")},
        )
    )
    point(found == {(1,): 7, (3,): -8}, "arrays in the other byte order", found)
    file = make(
        "a.h5",
        inner("CVEC", [5], 2, {**CVEC, "values": "int8"}),
        {"indices_0": AT, "values": np.array(["x", "y"], dtype=h5py.string_dtype())},
    )
    point(
        "expected an array of numbers, found one of" in str(read(file)),
        "values that are texts are refused",
        read(file),
    )


def collection():
    """As the SuiteSparse collection's files are: a matrix in the root, another in a group, texts beside them,
    a group that is no tensor."""
    file = make(
        "c.h5",
        inner("COO", [3, 4], 1, {"indices_0": "uint8", "indices_1": "uint8", "values": "float64"}),
        {"indices_0": AT[:1], "indices_1": AT[:1], "values": np.array([0.5])},
    )
    with h5py.File(file, "a") as f:
        text = json.loads(f.attrs["binsparse"])
        f.attrs["binsparse"] = json.dumps({**text, "name": "HB/x", "id": 7, "kind": "a problem"})
        f["notes"] = np.array(["one", "two"], dtype=h5py.string_dtype())
        f["b/values"] = np.array([1.0, 2.0, 3.0])
        f["b"].attrs["binsparse"] = json.dumps({"binsparse": inner("DVEC", [3], 3, {"values": "float64"})})
        f.create_group("empty")
    code, out, err = run("info", file)
    point(code == 0 and "datasets: 2" in out, "info lists all tensors", out + err)
    code, out, err = run("info", "--dataset", "/", file)
    wanted = ("\n* /b  group  tensor\n", "\n  /notes  text  2  ", "user keys: name, id, kind")
    point(code == 0 and all(line in out for line in wanted), "info of a collection's file", out + err)
    code, out, err = run("info", "--json", "--dataset", "/", file)
    told = json.loads(out) if code == 0 else {}
    tensors = [item["path"] for item in told.get("tree", []) if "dataset" in item]
    point(tensors == ["/", "b"], "the same as JSON", out + err)
    point(
        read(file, "--dataset", "b") == {(0,): 1, (1,): 2, (2,): 3},
        "a tensor of a group",
        read(file, "--dataset", "b"),
    )
    copy = path("copy.h5")
    code, _, err = run("convert", "-f", "--layout", "CSR", file, copy)
    with h5py.File(copy) as f:
        keys = descriptor_of(f)
    point(
        code == 0 and keys["name"] == "HB/x" and keys["id"] == 7,
        "user keys go along, numbers as numbers",
        err,
    )
    code, _, err = run("convert", "--into", "more/x", "--dataset", "b", file, copy)
    with h5py.File(copy) as f:
        point(
            code == 0 and descriptor_of(f)["name"] == "HB/x" and list(f["more/x/values"]) == [1, 2, 3],
            "a tensor into a group of another file, whose rest stays",
            err,
        )
    code, _, err = run("convert", "--into", "/", "--layout", "COO", file, copy)
    with h5py.File(copy) as f:
        point(
            code == 0 and sorted(f) == ["indices_0", "indices_1", "more", "values"],
            "a tensor in place of another takes away its arrays",
            f"{err} {sorted(f)}",
        )
    code, _, err = run("validate", "--strict", copy)
    point(code == 0, "all of it is valid", err)


# ---- ours ----

MATRIX = np.array([[0, 1.5, 0, 2], [0, 0, 0, 0], [3, 0, 0, 4]])
ARRAYS = {
    "CSR": {"pointers_to_1": [0, 2, 2, 4], "indices_1": [1, 3, 0, 3], "values": [1.5, 2, 3, 4]},
    "CSC": {"pointers_to_1": [0, 1, 2, 2, 4], "indices_1": [2, 0, 0, 2], "values": [3, 1.5, 2, 4]},
    "DCSR": {
        "indices_0": [0, 2],
        "pointers_to_1": [0, 2, 4],
        "indices_1": [1, 3, 0, 3],
        "values": [1.5, 2, 3, 4],
    },
    "DCSC": {
        "indices_0": [0, 1, 3],
        "pointers_to_1": [0, 1, 2, 4],
        "indices_1": [2, 0, 0, 2],
        "values": [3, 1.5, 2, 4],
    },
    "COO": {"indices_0": [0, 0, 2, 2], "indices_1": [1, 3, 0, 3], "values": [1.5, 2, 3, 4]},
    "COOR": {"indices_0": [0, 0, 2, 2], "indices_1": [1, 3, 0, 3], "values": [1.5, 2, 3, 4]},
    "COOC": {"indices_0": [0, 1, 3, 3], "indices_1": [2, 0, 0, 2], "values": [3, 1.5, 2, 4]},
    "DMAT": {"values": MATRIX.ravel()},
    "DMATR": {"values": MATRIX.ravel()},
    "DMATC": {"values": MATRIX.ravel(order="F")},
}


def write_matrix():
    with open(path("m.mtx"), "w", encoding="utf-8") as f:
        f.write("%%MatrixMarket matrix coordinate real general\n3 4 4\n1 2 1.5\n1 4 2\n3 1 3\n3 4 4\n")


def scipy_of(f, form):
    """As a reader with numpy would take it."""
    at = {name: f[name][()] for name in f}
    if form in ("CSR", "CSC"):
        return getattr(scipy.sparse, form.lower() + "_matrix")(
            (at["values"], at["indices_1"], at["pointers_to_1"]), shape=(3, 4)
        ).toarray()
    if form in ("COO", "COOR"):
        return scipy.sparse.coo_matrix(
            (at["values"], (at["indices_0"], at["indices_1"])), shape=(3, 4)
        ).toarray()
    if form == "COOC":
        return scipy.sparse.coo_matrix(
            (at["values"], (at["indices_1"], at["indices_0"])), shape=(3, 4)
        ).toarray()
    return None


def layouts():
    write_matrix()
    for form, wanted in ARRAYS.items():
        for more in (
            [],
            ["--compression", "deflate"],
            ["--index-type", "int64"],
            ["--descriptor-version", "0.1.0"],
        ):
            file = path("o.h5")
            code, _, err = run("convert", "-f", "--layout", form, *more, path("m.mtx"), file)
            name = f"{form} {' '.join(more)}".strip()
            if code:
                point(False, f"{name}: written", err)
                continue
            with h5py.File(file) as f:
                inner_ = descriptor_of(f)["binsparse"]
                same = sorted(f) == sorted(wanted) and all(
                    np.array_equal(f[k][()], v) for k, v in wanted.items()
                )
                same &= (
                    inner_["format"] == form
                    and inner_["shape"] == [3, 4]
                    and inner_["number_of_stored_values"] == len(wanted["values"])
                )
                same &= inner_["version"] == ("0.1.0" if "0.1.0" in more else "0.1")
                same &= all(inner_["data_types"][k] == str(f[k].dtype) for k in wanted) and sorted(
                    inner_["data_types"]
                ) == sorted(wanted)
                same &= all(
                    (f[k].compression == "gzip") == ("--compression" in more)
                    and f[k].shuffle == ("--compression" in more and f[k].dtype.itemsize > 1)
                    for k in wanted
                )
                same &= "int64" not in more or all(f[k].dtype == np.int64 for k in wanted if k != "values")
                dense = scipy_of(f, form)
            point(same and (dense is None or np.array_equal(dense, MATRIX)), f"{name}: its arrays", inner_)
            code, out, err = run("validate", "--strict", file)
            point(code == 0, f"{name}: valid", out + err)


def types():
    for kind in (
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "int8",
        "int16",
        "int32",
        "int64",
        "float32",
        "float64",
        "complex[float32]",
        "complex[float64]",
        "bint8",
    ):
        for iso in (False, True):
            plain = kind.replace("complex[", "").replace("]", "")
            values = np.array([1, 1] if iso else [1, 0], "u1" if kind == "bint8" else plain)
            if "complex" in kind:
                values = np.array([[1, 2], [1, 2]] if iso else [[1, 2], [3, 4]], plain).ravel()
            declared = f"iso[{kind}]" if iso else kind
            stored = values[: len(values) // 2] if iso else values
            file = make(
                "t.h5",
                inner("CVEC", [9], 2, {**CVEC, "values": declared}),
                {"indices_0": AT, "values": stored},
            )
            code, _, err = run("convert", "-f", file, path("u.h5"))
            with h5py.File(path("u.h5")) as f:
                same = (
                    descriptor_of(f)["binsparse"]["data_types"]["values"] == declared
                    and np.array_equal(f["values"][()], stored)
                    and f["values"].dtype == stored.dtype
                )
            valid, out, more = run("validate", "--strict", path("u.h5"))
            point(code == 0 and same and valid == 0, f"{declared}: kept", err + out + more)
            code, out, err = run("diff", "--strict", file, path("u.h5"))
            point(code == 0, f"{declared}: equal", out + err)


def extras():
    file = make(
        "f.h5",
        inner(
            "CSR",
            [2, 2],
            1,
            {
                "pointers_to_1": "uint8",
                "indices_1": "uint8",
                "values": "complex[float32]",
                "fill_value": "complex[float32]",
            },
            fill=True,
            attributes={"rank": 1},
        ),
        {
            "pointers_to_1": np.array([0, 0, 1], "u1"),
            "indices_1": np.array([1], "u1"),
            "values": np.array([1, 2], "f4"),
            "fill_value": np.array([-1, 0.5], "f4"),
        },
    )
    code, _, err = run("convert", "-f", "--layout", "COOC", file, path("g.h5"))
    with h5py.File(path("g.h5")) as f:
        inner_ = descriptor_of(f)["binsparse"]
        point(
            code == 0
            and inner_["fill"] is True
            and list(f["fill_value"]) == [-1, 0.5]
            and inner_["attributes"] == {"rank": 1},
            "fill and attributes are kept",
            f"{err}{inner_}",
        )
    with open(path("s.mtx"), "w", encoding="utf-8") as f:
        f.write("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 6\n3 3 7\n")
    code, _, err = run("convert", "-f", path("s.mtx"), path("s.h5"))
    with h5py.File(path("s.h5")) as f:
        inner_ = descriptor_of(f)["binsparse"]
    point(
        code == 0
        and inner_["structure"] == "symmetric_lower"
        and inner_["attributes"] == {"number_of_diagonal_elements": 2},
        "the diagonal of structured matrices is counted",
        f"{err}{inner_}",
    )
    code, out, err = run("info", path("s.h5"))
    point("values of both triangles: 4" in out, "info tells the values of both triangles", out + err)
    code, _, err = run(
        "convert",
        "-f",
        "--index-type",
        "uint8",
        "--layout",
        "COO",
        make(
            "w.h5",
            inner("CVEC", [300], 0, {**CVEC, "values": "int8"}),
            {"indices_0": AT[:0], "values": AT[:0].view("i1")},
        ),
        path("x.h5"),
    )
    point(code == 2 and "expected one of 1 dimension" in err, "a layout of another rank is refused", err)
    code, _, err = run("convert", "-f", "--index-type", "uint8", path("w.h5"), path("x.h5"))
    point(
        code == 6
        and "expected one that holds indices below 300, found uint8" in err
        and not os.path.exists(path("x.h5")),
        "an index type that is too small is refused",
        err,
    )


def streams():
    with open(path("q.ctf"), "w", encoding="utf-8") as f:
        f.write("0 |a 1 2 |b 1:2 3:4\n0 |a 3 4 |b\n1 |a 5 6 |b 0:1\n")
    for name in ("q.h5", "q.nc"):
        code, _, err = run("convert", "-f", path("q.ctf"), path(name))
        code |= run("diff", path("q.ctf"), path(name))[0]
        code |= run("convert", "-f", path(name), path("back.ctf"))[0]
        code |= run("diff", path("q.ctf"), path("back.ctf"))[0]
        point(code == 0, f"streams into {name} and back", err)
    with h5py.File(path("q.h5")) as f:
        point(
            descriptor_of(f["b"])["binsparse"]["shape"] == [2, 2, 4]
            and list(f["b/pointers_to_2"]) == [0, 2, 2, 3],
            "a stream is a tensor of sequences, samples, dimensions",
            dict(f["b"].attrs),
        )
    with open(path("r.ctf"), "w", encoding="utf-8") as f:
        f.write("|b 1:2 3:4\n|b\n|b 0:1\n")
    code, _, err = run("convert", "-f", path("r.ctf"), path("r.h5"))
    with h5py.File(path("r.h5")) as f:
        point(
            code == 0
            and descriptor_of(f)["binsparse"]["format"] == "CSR"
            and list(f["pointers_to_1"]) == [0, 2, 2, 3],
            "sequences of one sample are a matrix",
            err,
        )
    code, out, err = run("cat", "--json", path("r.h5"))
    point(
        out.splitlines()[0] == '{"key":0,"streams":{"b":[[[1,2],[3,4]]]}}',
        "and are sequences again",
        out + err,
    )
    with open(path("t.ctf"), "w", encoding="utf-8") as f:
        f.write("|b 3:2 1:4\n")
    code, _, err = run("convert", "-f", path("t.ctf"), path("t.h5"))
    point(code == 0 and "indices that ascend" in err, "indices out of order are sorted, with a warning", err)
    with open(path("u.ctf"), "w", encoding="utf-8") as f:
        f.write("|b 3:2 3:4\n")
    code, _, err = run("convert", "-f", path("u.ctf"), path("u.h5"))
    point(code == 6 and "index twice in a sample" in err, "an index twice is a loss", err)


# ---- mending ----


def entries_of(chance):
    """A shape, and entries of it in any order, some of them in one place."""
    shape = tuple(int(n) for n in chance.integers(1, 12, 2))
    n = int(chance.integers(0, 40))
    return (
        shape,
        chance.integers(0, shape[0], n),
        chance.integers(0, shape[1], n),
        chance.integers(-50, 50, n).astype("i4"),
    )


def stored_as(form, shape, i, j, values):
    """The arrays of a layout whose entries stay in the order in which they are given, as far as it allows
    that."""
    outer, inner_ = (i, j) if form in ("COO", "CSR", "DCSR") else (j, i)
    if form in ("COO", "COOC"):
        return {"indices_0": outer, "indices_1": inner_, "values": values}
    if form in ("CSR", "CSC"):
        order = np.argsort(outer, kind="stable")
        counts = np.bincount(outer, minlength=shape[form == "CSC"])
        return {
            "pointers_to_1": np.concatenate([[0], np.cumsum(counts)]),
            "indices_1": inner_[order],
            "values": values[order],
        }
    # a row for each run of entries of it: it may come again
    begins = (
        np.flatnonzero(np.concatenate([[True], outer[1:] != outer[:-1]])) if len(outer) else np.array([], int)
    )
    return {
        "indices_0": outer[begins],
        "pointers_to_1": np.concatenate([begins, [len(outer)]]),
        "indices_1": inner_,
        "values": values,
    }


def mending():
    chance = np.random.default_rng(7)
    for form in ("COO", "COOC", "CSR", "CSC", "DCSR", "DCSC"):
        wrong = []
        for _ in range(8):
            shape, i, j, values = entries_of(chance)
            wanted = {}
            for place, v in zip(zip(i.tolist(), j.tolist()), values.tolist()):
                wanted[place] = wanted.get(place, 0) + v
            arrays = stored_as(form, shape, i, j, values)
            file = make(
                "v.h5",
                inner(form, list(shape), len(values), {k: str(v.dtype) for k, v in arrays.items()}),
                arrays,
            )
            found = read(file, "--repair")
            copied = run("convert", "-f", "--repair", "--quiet", file, path("w.h5"))
            again = read(path("w.h5")) if copied[0] == 0 else copied[2]
            valid = run("validate", "--strict", path("w.h5"))
            summed = scipy.sparse.coo_matrix((values, (i, j)), shape=shape).toarray()
            same = all(summed[place] == v for place, v in wanted.items())
            if found != wanted or again != wanted or valid[0] or not same:
                wrong.append((arrays, found, again, valid))
        point(not wrong, f"{form}: entries in any order and twice are mended as scipy adds them", wrong[:1])
        counted = run("stats", "--repair", "--quiet", "--json", file)
        point(counted[0] == 0, f"{form}: stats of what is mended", counted[2])


def storage():
    """Arrays of other dimensions and types than the descriptor's."""
    pairs = np.array([[5, 6], [7, 8]], "f4")
    ordered = "taken in their order"
    for name, at, values, kind, want in (
        ("values in a row", AT, pairs[:1], "float32", "values with one dimension, found more"),
        ("indices in a row", AT[None], pairs[0], "float32", "indices_0 with one dimension, found more"),
        ("two columns", AT, pairs, "complex[float32]", "by turns, found two columns"),
        ("complex numbers", AT, pairs[0].astype("c8"), "complex[float32]", "by turns, found pairs"),
        ("complex numbers for reals", AT, pairs[0].astype("c8"), "float32", "found complex ones"),
    ):
        types = {**CVEC, "values": kind}
        file = make("s.h5", inner("CVEC", [5], 2, types), {"indices_0": at, "values": values})
        (code, _, err), valid = run("cat", file), run("validate", file)
        point(
            code == (4 if "reals" in name else 0) and want in err and valid[0] == 1 and want in valid[1],
            f"stored as {name}",
            err + valid[1],
        )
        point("in a row" not in name or ordered in err, f"stored as {name}: what is made of it", err)


def options():
    """What cannot be written, by option."""
    cells = "\n".join(f"{i % 2 + 1} {i // 2 + 1} 1" for i in range(300))
    matrices = {
        "long": "2000000000000 2 1\n1 1 5\n",
        "full": f"2 200 300\n{cells}\n",
    }
    for name, text in matrices.items():
        with open(path(name + ".mtx"), "w", encoding="utf-8") as f:
            f.write("%%MatrixMarket matrix coordinate real general\n" + text)
    with open(path("block.tns"), "w", encoding="utf-8") as f:
        f.write("1 1 1 5\n1 3000000000 3000000000 5\n")
    for name, option, value, code, want in (
        ("block.tns", "--layout", "SDD", 5, "expected an output of at most 1073741824 bytes"),
        ("long.mtx", "--layout", "CSR", 6, "a layout with at most 1099511627776 dense positions, found more"),
        ("full.mtx", "--index-type", "uint8", 6, "expected one that holds 300 stored values, found uint8"),
        ("full.mtx", "--into", "A/", 2, "--into: expected a path like A/sub, found \"A/\""),
        ("full.mtx", "--compression", "deflate:13", 2, "with a level of 1 to 12, found deflate:13"),
        ("full.mtx", "--compression", "deflate:12", 0, ""),
    ):
        found, _, err = run("convert", "-f", path(name), option, value, path("o.h5"))
        point(found == code and want in err, f"{name}: {option} {value}", f"{found} {err}")


def main():
    for group in (storage, options, spellings, collection, layouts, types, extras, streams, mending):
        group()
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
