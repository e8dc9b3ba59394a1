#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrays of HDF5 files that are no plain numbers, made by h5py when the test runs: texts and compounds of
several dimensions, compounds in compounds, arrays and lists as elements, enumerations, complex numbers. What
the command reads is what h5py does. Prints TAP."""

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
POINT = [("x", "<f4"), ("y", ">f4"), ("in", [("t", "S2"), ("q", "<i8")])]
COLORS = h5py.enum_dtype({"RED": 0, "GREEN": -1, "a blue": 42}, basetype=">i2")


def run(*arguments):
    p = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, timeout=300, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def rows(path, name, *options):
    """The rows of a dataset as dictionaries, or what went wrong."""
    code, out, err = run("cat", "--json", "--dataset", name, *options, path)
    if code:
        return err
    lines = [json.loads(line) for line in out.splitlines()]
    return [line["cells"] if "cells" in line else line for line in lines]


def filled(file, name, dtype, values, shape):
    """An array of lists."""
    data = file.create_dataset(name, shape, dtype=h5py.vlen_dtype(np.dtype(dtype)))
    for place, value in zip(np.ndindex(*shape), values):
        data[place] = np.array(value, dtype)


def records(dtype, *values):
    return np.array(list(values), dtype)


TABLES = {
    "texts": (
        np.array([["a", "", "c\u00e4"], ["d", "e", "f"]], object),
        TEXT,
        [{"i": k // 3, "j": k % 3, "texts": t} for k, t in enumerate(["a", "", "c\u00e4", "d", "e", "f"])],
    ),
    "fixed": (
        np.array([[b"a", b"bb"]]),
        None,
        [{"i": 0, "j": 0, "fixed": "a"}, {"i": 0, "j": 1, "fixed": "bb"}],
    ),
    "compounds": (
        records([("i", "i4"), ("s", "S3")], (1, b"x"), (2, b"yy")).reshape(2, 1),
        None,
        [{"dim_0": 0, "dim_1": 0, "i": 1, "s": "x"}, {"dim_0": 1, "dim_1": 0, "i": 2, "s": "yy"}],
    ),
    "nested": (
        records([("id", "i4"), ("at", POINT), ("z", "<c16")], (1, (2.5, 3.5, (b"ab", 9)), 1 + 2j)),
        None,
        [{"id": 1, "at.x": 2.5, "at.y": 3.5, "at.in.t": "ab", "at.in.q": 9, "z": [1, 2]}],
    ),
    "arrays within": (
        records(
            [("m", ">i2", (2, 2)), ("p", [("x", "f4")], (2,)), ("s", "S2", (1,))],
            ([[1, 2], [3, 4]], [(5,), (6,)], [b"s"]),
        ),
        None,
        [{"m[0,0]": 1, "m[0,1]": 2, "m[1,0]": 3, "m[1,1]": 4, "p[0].x": 5, "p[1].x": 6, "s[0]": "s"}],
    ),
    "names": (
        np.array([0, -1, 42, 0], ">i2"),
        COLORS,
        [{"names": n} for n in ("RED", "GREEN", "a blue", "RED")],
    ),
    "names within": (
        records([("i", "i4"), ("e", COLORS)], (1, 42), (2, 0)),
        None,
        [{"i": 1, "e": "a blue"}, {"i": 2, "e": "RED"}],
    ),
    "one record": (records([("a", "i4")], (7,)).reshape(()), None, [{"a": 7}]),
}


def tables(path):
    with h5py.File(path, "w") as file:
        for name, (data, dtype, _) in TABLES.items():
            file.create_dataset(name, data=data, dtype=dtype)
            if data.ndim:
                file.create_dataset(f"{name} in chunks", data=data, dtype=dtype, chunks=True)
        file.create_dataset("unnamed", data=np.array([0, 5], ">i2"), dtype=COLORS)
    for name, (data, _, wanted) in TABLES.items():
        found = rows(path, name)
        point(found == wanted, f"table: {name}", found)
        if data.ndim:
            found = rows(path, f"{name} in chunks")
            found = [{k.replace(" in chunks", ""): v for k, v in row.items()} for row in found]
            point(found == wanted, f"table: {name}, in chunks", found)
    found = rows(path, "unnamed")
    said = "expected a number that has a name, found 5 (--raw" in found
    point(said, "an enumeration's number without a name: said", found)
    code, out, err = run("cat", "--raw", "--dataset", "unnamed", path)
    point(code == 0 and out.split() == ["0", "0", "1", "5"], "the same with --raw: numbers", out + err)


def lists(path):
    values = [[1, 2, -3], [], [7], [2**15 - 1]]
    with h5py.File(path, "w") as file:
        for dtype in "<i2", ">i2", "<f8", ">f4", "u1" :
            filled(file, dtype, dtype, [[abs(v) % 200 for v in value] for value in values], (4,))
        filled(file, "square", "i4", values, (2, 2))
        filled(file, "texts", TEXT, [["a"]], (1,))
        dtype = [("id", "i4"), ("v", h5py.vlen_dtype(np.dtype(">i8"))), ("s", TEXT)]
        data = np.zeros(2, dtype)
        data["id"], data["s"] = [1, 2], ["x", "yy"]
        data["v"][0], data["v"][1] = np.array([1, 2]), np.array([], "i8")
        file.create_dataset("table", data=data)
    for dtype in "<i2", ">i2", "<f8", ">f4", "u1":
        wanted = [[[abs(v) % 200] for v in value] for value in values]  # h5py reads big-endian ones wrongly
        found = rows(path, dtype)
        found = [row["streams"][dtype] for row in found] if isinstance(found, list) else found
        point(found == wanted, f"lists of {dtype}", found)
    code, out, err = run("cat", "--dataset", "square", path)
    fine = code == 0 and out.splitlines()[0] == "0  i 0  j 0  square [1] [2] [-3]"
    point(fine, "lists in a square", out + err)
    code, out, err = run("cat", "--dataset", "table", path)
    fine = code == 0 and out.splitlines() == ['0  id 1  v [1] [2]  s "x"', '1  id 2  v -  s "yy"']
    point(fine, "lists in a table", out + err)
    point("variable length" in rows(path, "texts"), "lists of texts: refused by name", rows(path, "texts"))


def arrays(path):
    data = np.arange(24, dtype=">i4").reshape(2, 3, 4)
    with h5py.File(path, "w", libver="latest") as file:
        chunks = {"chunks": (1,)}
        for name, options in ("plain", {}), ("chunks", chunks), ("packed", {"compression": 4, **chunks}):
            made = file.create_dataset(name, (2,), np.dtype((">i4", (3, 4))), **options)
            made[...] = data
        file.create_dataset("absent", (2,), np.dtype(("<f8", (3,))))
        for n, dtype in enumerate(("<c8", ">c16")):
            file[f"complex {n}"] = np.array([1 + 2j, -3.5], dtype)
        if hasattr(h5py.h5t, "COMPLEX_IEEE_F64LE"):
            space = h5py.h5s.create_simple((2,))
            made = h5py.h5d.create(file.id, b"native", h5py.h5t.COMPLEX_IEEE_F64LE, space)
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1 + 2j, -3.5]))
    for name in "plain", "chunks", "packed":
        code, out, err = run("cat", "--json", "--dataset", name, path)
        tensor = json.loads(out) if code == 0 else {"shape": err}
        fine = tensor["shape"] == [2, 3, 4] and [v for _, v in tensor["entries"]] == list(range(24))
        point(fine, f"arrays of arrays: {name}", tensor)
    code, out, err = run("cat", "--dataset", "absent", path)
    point(code == 0 and out.split()[2::3] == ["0"] * 6, "arrays that were never written", out + err)
    with h5py.File(path) as file:
        names = [name for name in file if name[0] in "cn" and name != "chunks"]
    for name in names:
        code, out, err = run("cat", "--dataset", name, path)
        fine = code == 0 and out.split() == ["0", "(1,2)", "1", "(-3.5,0)"]
        point(fine, f"complex numbers: {name}", out + err)


def matlab(path):
    """What MATLAB 7.3 and Octave store, with the attributes that they add."""
    with h5py.File(path, "w", userblock_size=512) as file:

        def put(name, values, kind, **more):
            file[name] = values
            for key, value in {"MATLAB_class": np.bytes_(kind), **more}.items():
                file[name].attrs[key] = value

        text = "hell\u00f6 \U0001f600"
        units = np.frombuffer(text.encode("utf-16-le"), "u2")
        put("text", units.reshape(-1, 1), "char", MATLAB_int_decode=np.int32(2))
        put("texts", np.array([[97, 99], [98, 0xD800]], ">u2"), "char", MATLAB_int_decode=np.int32(2))
        put("bytes", np.array([b"ab", b"c"]), "char")
        put("truth", np.array([[1, 0], [1, 1], [0, 0]], "u1"), "logical", MATLAB_int_decode=np.int32(1))
        put("numbers", np.arange(6.0).reshape(3, 2), "double")
        put("no struct", np.array([1, 0], "u8"), "struct", MATLAB_empty=np.uint8(1))
        put("bare struct", np.array([1, 1], "u8"), "struct", MATLAB_empty=np.uint8(1))
        put("table", np.array([[0xDD000000, 2, 1, 1, 1, 1]], "u4"), "table", MATLAB_object_decode=np.int32(3))
        put("cell", np.array([[file["truth"].ref]], h5py.ref_dtype), "cell")
        group = file.create_group("sparse")
        group.attrs.update({"MATLAB_class": np.bytes_("logical"), "MATLAB_sparse": np.uint64(3)})
        group["jc"], group["ir"] = np.array([0, 1, 2], "u8"), np.array([0, 2], "u8")
        group["data"] = np.array([1, 1], "u1")
        for name, kind in ("octave", "matrix"), ("none", "matrix"), ("octave's sparse", "sparse matrix"):
            file.create_group(name).attrs["OCTAVE_NEW_FORMAT"] = np.uint8(1)
            file[name]["type"] = np.bytes_(kind)
        file["octave/value"] = np.arange(6.0).reshape(3, 2)
        file["none/value"] = np.array([0, 3])
        file["none/value"].attrs["OCTAVE_EMPTY_MATRIX"] = np.uint8(1)
        group = file["octave's sparse"].create_group("value")
        group["nr"], group["nc"], group["nz"] = 3, 2, 2
        group["cidx"], group["ridx"] = np.array([[0], [1], [2]]), np.array([[0], [2]])
        group["data"] = np.array([[1.5], [2]])
    for name, wanted in (
        ("text", f'0  text "{text}"\n'),
        ("texts", '0  texts "ab"\n1  texts "c\ufffd"\n'),
        ("bytes", '0  bytes "ab"\n1  bytes "c"\n'),
        ("truth", "0 0  true\n1 0  false\n0 1  true\n1 1  true\n0 2  false\n1 2  false\n"),
        ("numbers", "0 0  0\n1 0  1\n0 1  2\n1 1  3\n0 2  4\n1 2  5\n"),
        ("octave/value", "0 0  0\n1 0  1\n0 1  2\n1 1  3\n0 2  4\n1 2  5\n"),
        ("no struct", ""),
        ("none/value", ""),
        ("sparse", "0 0  true\n2 1  true\n"),
        ("octave's sparse/value", "0 0  1.5\n2 1  2\n"),
    ):
        code, out, err = run("cat", "--dataset", name, path)
        point(code == 0 and out == wanted, f"of MATLAB and Octave: {name}", out + err)
    refused = ("table", "an object"), ("cell", "reference"), ("bare struct", "structs without fields")
    for name, wanted in refused:
        code, _, err = run("cat", "--dataset", name, path)
        point(code == 6 and wanted in err, f"of MATLAB, refused by name: {name}", (code, err))
    code, out, err = run("cat", "--raw", "--dataset", "truth", path)
    point(code == 0 and out.startswith("0 0  1\n"), "truth values with --raw: numbers", out + err)


with tempfile.TemporaryDirectory() as folder:
    for check in tables, lists, arrays, matlab:
        check(f"{folder}/{check.__name__}.h5")
end()
