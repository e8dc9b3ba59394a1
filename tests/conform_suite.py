# SPDX-License-Identifier: MIT
"""The checks of the test suite of Binsparse's organisation, on tools/binsparse_programs.

Random tensors of 0 to 6 dimensions, of every type, in every predefined layout and in random levels, with
values that are all the same and others, with fill values: what goes in as arrays of NumPy's comes out again,
from files of ours and from files that are made here, by h5py, NumPy and the rules of the specification
alone: HDF5, archives and Zarr in turn. SUITE_SEED and SUITE_CASES choose others.
"""

import importlib.machinery
import importlib.util
import itertools
import json
import os
import random
import subprocess
import tempfile
import warnings
import zipfile
from pathlib import Path

import tap

try:
    import h5py
    import numpy as np
except ImportError:
    tap.go_on_without("h5py")

PROGRAMS = importlib.machinery.SourceFileLoader(
    "programs", os.environ["SHEAF_TOOLS"] + "/binsparse_programs"
).load_module()
TYPES = [
    "bint8",
    *(f"{sign}int{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)),
    "float32",
    "float64",
    "complex[float32]",
    "complex[float64]",
]
NAMES = {"bint8": "?", "complex[float32]": "complex64", "complex[float64]": "complex128"}
ELEMENT = {"level_desc": "element"}


def level(kind, below, rank=1):
    return {"level_desc": kind, "rank": rank, "level": below}


def dense(below, rank=1):
    return level("dense", below, rank)


def sparse(below, rank=1):
    return level("sparse", below, rank)


PREDEFINED = {
    "DVEC": (dense(ELEMENT), [0]), "CVEC": (sparse(ELEMENT), [0]),
    "DMATR": (dense(dense(ELEMENT)), [0, 1]), "DMATC": (dense(dense(ELEMENT)), [1, 0]),
    "CSR": (dense(sparse(ELEMENT)), [0, 1]), "CSC": (dense(sparse(ELEMENT)), [1, 0]),
    "DCSR": (sparse(sparse(ELEMENT)), [0, 1]), "DCSC": (sparse(sparse(ELEMENT)), [1, 0]),
    "COOR": (sparse(ELEMENT, 2), [0, 1]), "COOC": (sparse(ELEMENT, 2), [1, 0]),
}  # fmt: skip


def random_levels(draw, ndim):
    if ndim == 0:
        return ELEMENT
    rank = draw.randint(1, ndim)
    return level(draw.choice(["sparse", "dense"]), random_levels(draw, ndim - rank), rank)


def random_pattern(draw, levels, shape):
    """What such levels can store: everything below a dense level, and anything below a sparse one."""
    if levels["level_desc"] == "element":
        return np.ones((), bool)
    rank = levels["rank"]
    pattern = np.zeros(shape, bool)
    for place in itertools.product(*map(range, shape[:rank])):
        if levels["level_desc"] == "dense" or draw.random() < 0.6:
            pattern[place] = random_pattern(draw, levels["level"], shape[rank:])
    return pattern


def random_values(draw, dtype, shape, same):
    """Small ones and the largest, exact in each type."""
    kind = dtype.kind
    if kind == "b":
        pool = [False, True]
    elif kind in "iu":
        pool = [0, 1, 7, np.iinfo(dtype).min, np.iinfo(dtype).max]
    elif kind == "f":
        pool = [0.0, 1.5, -0.1, float(np.finfo(dtype).max), float(np.finfo(dtype).tiny), float("inf")]
    else:
        pool = [0, 1.5 - 2j, complex(-0.1, 0.3), complex(0, 1e30)]
    one = draw.choice(pool)
    values = np.zeros(shape, dtype)
    for place in itertools.product(*map(range, shape)):
        values[place] = one if same else draw.choice(pool)
    return values, dtype.type(draw.choice(pool))


def random_case(draw, name, ndim):
    """A tensor as the suite gives it: values, what is stored, the fill, and the descriptor that is wanted."""
    value_type = draw.choice(TYPES)
    dtype = np.dtype(NAMES.get(value_type, value_type))
    shape = tuple(draw.randint(0, 4 if ndim < 4 else 2) for _ in range(ndim))
    levels, order = PREDEFINED.get(name, (None, None))
    if levels is None:
        levels, order = random_levels(draw, ndim), draw.sample(range(ndim), ndim)
    stored = random_pattern(draw, levels, tuple(shape[d] for d in order))
    pattern = stored.transpose(np.argsort(order)) if ndim else stored
    same = draw.random() < 0.3
    tensor, fill = random_values(draw, dtype, shape, same)
    tensor = np.where(pattern, tensor, fill).astype(dtype)
    header = {
        "format": name,
        "shape": list(shape),
        "version": "0.1.0",
        "fill": True,
        "data_types": {"values": f"iso[{value_type}]" if same else value_type},
    }
    if name == "custom":
        header["custom"] = {"level": levels, "transpose": order}
    return tensor, pattern, np.array(fill, dtype), header, levels, order


# ---- a file by the rules alone ----


def walk(levels, depth, pattern, positions, arrays):
    """Fills in the arrays of a level, of which there are these positions; gives the places of the values in
    their order."""
    if levels["level_desc"] == "element":
        return positions
    rank, extents = levels["rank"], pattern.shape[depth : depth + levels["rank"]]
    below, pointers = [], [0]
    for position in positions:
        for place in itertools.product(*map(range, extents)):
            if levels["level_desc"] == "dense" or pattern[(*position, *place)].any():
                below.append((*position, *place))
        pointers.append(len(below))
    if levels["level_desc"] == "sparse":
        if depth:
            arrays[f"pointers_to_{depth}"] = np.array(pointers, "u8")
        for d in range(depth, depth + rank):
            arrays[f"indices_{d}"] = np.array([place[d] for place in below], "u4")
    return walk(levels["level"], depth + rank, pattern, below, arrays)


def encoded(values):
    values = np.ascontiguousarray(values)
    if values.dtype.kind == "c":
        return values.reshape(-1).view("f4" if values.dtype.itemsize == 8 else "f8")
    return values.reshape(-1).view("u1") if values.dtype.kind == "b" else values.reshape(-1)


def make_file(path, case):
    tensor, pattern, fill, header, levels, order = case
    arrays = {}
    turned = [array.transpose(order) if array.ndim else array for array in (tensor, pattern)]
    places = walk(levels, 0, turned[1], [()], arrays)
    values = np.array([turned[0][place] for place in places], tensor.dtype)
    if header["data_types"]["values"].startswith("iso["):
        values = values[:1] if len(values) else np.zeros(1, tensor.dtype)
    plain = header["data_types"]["values"].replace("iso[", "", 1)
    plain = plain[:-1] if plain != header["data_types"]["values"] else plain
    types = {name: f"uint{array.dtype.itemsize * 8}" for name, array in arrays.items()}
    types.update(values=header["data_types"]["values"], fill_value=plain)
    descriptor = {**header, "number_of_stored_values": len(places), "data_types": types}
    arrays.update(values=encoded(values), fill_value=encoded(fill.reshape(1)))
    WRITERS[path.suffix](path, arrays, {"binsparse": descriptor})


def write_hdf5(path, arrays, about):
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array
        file.attrs["binsparse"] = json.dumps(about)


def write_npz(path, arrays, about):
    np.savez(path, **arrays, binsparse=np.asarray(json.dumps(about, indent=2)))


def write_zarr(path, arrays, about):
    """Version 2, by its rules: chunks of three elements, the last one filled up."""
    path.mkdir()
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / ".zattrs").write_text(json.dumps({"binsparse": about}))
    for name, array in arrays.items():
        folder = path / name
        folder.mkdir()
        (folder / ".zarray").write_text(
            json.dumps(
                {
                    "zarr_format": 2,
                    "shape": [len(array)],
                    "chunks": [3],
                    "dtype": array.dtype.str,
                    "compressor": None,
                    "fill_value": 0,
                    "order": "C",
                    "filters": None,
                }
            )
        )
        for i in range(0, len(array), 3):
            (folder / str(i // 3)).write_bytes(
                np.pad(array[i : i + 3], (0, max(0, i + 3 - len(array)))).tobytes()
            )


WRITERS = {".h5": write_hdf5, ".npz": write_npz, ".zarr": write_zarr}


def descriptor_of(path):
    if path.suffix == ".zarr":
        return json.loads((path / "zarr.json").read_text())["attributes"]["binsparse"]
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return json.loads(str(arrays["binsparse"]))
    with h5py.File(path) as opened:
        return json.loads(opened.attrs["binsparse"])


# ---- asking ----


def program(name, *words):
    try:
        PROGRAMS.PROGRAMS[name](*words)
    except SystemExit as end:
        return f"{name}: exit status {end.code}"
    return ""


def equal(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def differences(folder, file, case):
    """What comes out of a file as arrays, against the case."""
    outputs = [folder / f"out_{what}.npy" for what in ("tensor", "pattern", "fill")]
    wrong = program("binsparse_to_npy", file, *outputs)
    if wrong:
        return wrong
    found = [np.load(path) for path in outputs]
    names = zip(("tensor", "pattern", "fill"), found, case)
    return "; ".join(f"{name}: expected {b!r}, found {a!r}" for name, a, b in names if not equal(a, b))


def layout_differs(file, case):
    """Whether our file has the layout that was asked for, by h5py, NumPy, or its JSON."""
    found = descriptor_of(file)["binsparse"]
    wanted = case[3]
    if wanted["format"] != "custom" and found["format"] not in (
        wanted["format"],
        wanted["format"].rstrip("R"),
    ):
        return f"format: expected {wanted['format']}, found {found['format']}"
    if wanted["shape"] != found["shape"]:
        return f"shape: expected {wanted['shape']}, found {found['shape']}"
    return ""


def ask(folder, case, suffix):
    tensor, pattern, fill, header = case[:4]
    inputs = [folder / f"in_{what}" for what in ("tensor.npy", "pattern.npy", "fill.npy", "header.json")]
    for path, array in zip(inputs, (tensor, pattern, fill)):
        np.save(path, array)
    inputs[3].write_text(json.dumps(header))
    ours, theirs, again = (folder / f"{name}{suffix}" for name in ("ours", "theirs", "again"))
    wrong = program("npy_to_binsparse", *inputs, ours)
    wrong = wrong or differences(folder, ours, case) or layout_differs(ours, case)
    if wrong:
        return f"npy_to_binsparse: {wrong}"
    make_file(theirs, case)
    wrong = differences(folder, theirs, case)
    if wrong:
        return f"binsparse_to_npy: {wrong}"
    wrong = program("binsparse_to_binsparse", theirs, again) or differences(folder, again, case)
    return f"binsparse_to_binsparse: {wrong}" if wrong else ""


def reference_differs(folder, case, suffix):
    """Whether the organisation's package for Python, if it is installed, reads our file, and we read its
    output."""
    from binsparse import load_binsparse, save_binsparse

    save_binsparse(load_binsparse(folder / f"ours{suffix}"), folder / f"reference{suffix}")
    wrong = differences(folder, folder / f"reference{suffix}", case)
    return f"the reference: {wrong}" if wrong else ""


# ---- archives that are damaged, or something else ----


def sheaf(*words):
    done = subprocess.run(
        [os.environ["SHEAF"], *map(str, words)],
        capture_output=True,
        errors="replace",
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def check_names(folder, about):
    """Names of members that do not form a tree."""
    path = folder / "names.npz"
    both = "expected a to be an array or a group, found both"
    deep = "/".join("a" * 40)
    for names, status, wanted in (
        (["a", "a/b"], 4, both),
        (["a/b", "a"], 4, both),
        (["a", "b", "a"], 4, "expected each array once, found a twice"),
        ([deep], 5, "expected at most 32 groups inside one another, found 39"),
    ):
        with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
            warnings.simplefilter("ignore")  # of what is there twice
            for name in ["binsparse", *names]:
                with archive.open(f"{name}.npy", "w") as member:
                    np.save(member, json.dumps({"binsparse": about}) if name == "binsparse" else np.ones(1))
        code, text = sheaf("info", path)
        tap.point(code == status and wanted in text, f"members {names[0][:9]} {names[1:]}", f"{code} {text}")


def check_archives(draw, folder):
    values = np.arange(1, 65) / 8
    about = {
        "format": "DVEC",
        "shape": [64],
        "version": "0.1.0",
        "number_of_stored_values": 64,
        "data_types": {"values": "float64"},
    }
    check_names(folder, about)
    path = folder / "whole.npz"
    write_npz(path, {"values": values}, {"binsparse": about})
    whole = path.read_bytes()
    at = whole.index(values.tobytes())
    path.write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
    code, text = sheaf("cat", path)
    tap.point(
        code == 4 and "CRC-32" in text, "an archive whose values are not those of its sum", f"{code} {text}"
    )
    wrong = []
    for _ in range(100):
        changed = bytearray(whole[: draw.randrange(len(whole) + 1)] if draw.random() < 0.2 else whole)
        for _ in range(draw.randint(1, 3)):
            if changed:
                changed[draw.randrange(len(changed))] = draw.randrange(256)
        path.write_bytes(changed)
        code, text = sheaf("cat", path)
        if code < 0 or code > 10 or (code and "sheaf: error" not in text):
            wrong.append(f"{code} {text[-200:]}")
    tap.point(not wrong, "archives with bytes changed", "\n".join(wrong))
    np.savez(path, binsparse=values, values=values)
    code, text = sheaf("cat", path)
    tap.point(
        code == 2 and "expected one array, or the name of one" in text,
        "an array that only has the name of a descriptor",
        f"{code} {text}",
    )
    code, text = sheaf("cat", "--from", "npz", "--dataset", "values", path)
    tap.point(
        code == 0 and len(text.splitlines()) >= 64,
        "it is NumPy's where that is asked for",
        f"{code} {text[:200]}",
    )
    np.savez(path, **{"a/values": values, "a/binsparse": json.dumps({"binsparse": about})})
    code, text = sheaf("info", path)
    tap.point(code == 0 and "* /a  group  tensor" in text, "a group in an archive", f"{code} {text}")
    code, text = sheaf("convert", "-f", "--to", "binsparse", path, folder / "stream.npz")
    code, text = sheaf("diff", path, folder / "stream.npz")
    tap.point(code == 0, "and written as the root", f"{code} {text}")


def main():
    draw = random.Random(int(os.environ.get("SUITE_SEED", "7")))
    rounds = int(os.environ.get("SUITE_CASES", "3"))
    has_reference = importlib.util.find_spec("binsparse") is not None
    for name in [*PREDEFINED, *["custom"] * 7]:
        ndims = {"DVEC": [1], "CVEC": [1], "custom": range(7)}.get(name, [2])
        for ndim in ndims if name != "custom" else [draw.choice(list(ndims))]:
            faults = []
            for number in range(rounds):
                case = random_case(draw, name, ndim)
                suffix = list(WRITERS)[number % len(WRITERS)]
                with tempfile.TemporaryDirectory() as folder:
                    wrong = ask(Path(folder), case, suffix)
                    wrong = wrong or (has_reference and reference_differs(Path(folder), case, suffix))
                faults += [f"{suffix} {json.dumps(case[3])}: {wrong}"] if wrong else []
            tap.point(not faults, f"{rounds} tensors of {ndim} dimensions in {name}", "\n".join(faults))
    with tempfile.TemporaryDirectory() as folder:
        check_archives(draw, Path(folder))
    tap.end()


main()
