#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Folders of Zarr that we write, and where zarr-python is there (ZARR_PYTHON: a Python that has it), all that
it writes and reads. Prints TAP."""

import gzip
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib

from tap import end, point, skip
from zarr_made import array_2, make, put, run, shard

ZARR_PYTHON = os.environ.get("ZARR_PYTHON", sys.executable)


# ---- zarr-python ----


WRITER = r"""
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy, zarr
folder = sys.argv[1]
wanted = {}
for version in 2, 3:
    root = zarr.open_group(f"{folder}/{version}.zarr", mode="w", zarr_format=version)
    from zarr import codecs
    import numcodecs
    packings = {"none": None}
    if version == 2:
        own = numcodecs
        packings |= {"zstd": numcodecs.Zstd(3), "gzip": numcodecs.GZip(3), "zlib": numcodecs.Zlib(3)}
    else:
        import numcodecs.zarr3 as own
        packings |= {"zstd": codecs.ZstdCodec(level=3), "gzip": codecs.GzipCodec(level=3),
                     "sum": codecs.Crc32cCodec()}
    packings |= {"lz4": own.LZ4(), "bz2": own.BZ2(), "lzma": own.LZMA()}
    for name in "blosclz", "lz4", "lz4hc", "zlib", "zstd":
        for shuffle, word in enumerate(["noshuffle", "shuffle", "bitshuffle"]):
            packings[f"blosc-{name}-{shuffle}"] = (
                numcodecs.Blosc(name, 5, shuffle) if version == 2
                else codecs.BloscCodec(cname=name, clevel=5, shuffle=word))
    kinds = ["i1", "u1", "<i2", ">i2", "<u4", ">u8", "<f2", "<f4", ">f8", "bool", "c8", "c16"]
    for kind in kinds:
        of_numbers = {} if kind in ("<f2", "bool", "c8", "c16") or (version == 3 and kind[0] == ">") else {
            "delta": [own.Delta(dtype=kind)]}
        if of_numbers and kind[1:] != "1":
            of_numbers |= {"delta_as": [own.Delta(dtype=kind, astype="<i2")], "scaled": [
                own.FixedScaleOffset(offset=1, scale=4, dtype=kind, astype="<i2")]}
        for packing in [*packings, *of_numbers] if kind in ("<u4", ">f8") else ["none", "zstd", *of_numbers]:
            for shape, chunks in (
                    ((7,), (3,)), ((5, 4), (2, 3)), ((3, 2, 4), (2, 2, 2)), ((0,), (1,)), ((), ())):
                order = "be" if kind[0] == ">" else "le"
                path = f"{kind.strip('<>')}_{order}_{packing}_{len(shape)}_{sum(shape)}"
                values = (numpy.arange(int(numpy.prod(shape))) % 5).astype(kind).reshape(shape)
                a = root.create_array(path, shape=shape, chunks=chunks, dtype=kind,
                                      compressors=packings.get(packing), filters=of_numbers.get(packing))
                a[...] = values
                little = numpy.ascontiguousarray(values).astype(numpy.dtype(kind).newbyteorder("<"))
                wanted[f"{version}.zarr {path}"] = [list(shape), little.tobytes().hex()]
    if version == 2:
        values = numpy.arange(60, dtype="<i4").reshape(5, 4, 3)
        a = root.create_array("columns", shape=values.shape, chunks=(2, 3, 2), dtype="<i4", order="F")
        a[...] = values
        wanted["2.zarr columns"] = [list(values.shape), values.tobytes().hex()]
    if version == 3:
        values = numpy.arange(60, dtype="<i4").reshape(5, 4, 3)
        turned = [codecs.TransposeCodec(order=(2, 0, 1))]
        a = root.create_array("turned", shape=values.shape, chunks=(2, 3, 2), dtype="<i4", filters=turned)
        a[...] = values
        wanted["3.zarr turned"] = [list(values.shape), values.tobytes().hex()]
        for shape, shard, chunk in ((20,), (8,), (2,)), ((9, 7), (4, 4), (2, 4)):
            values = numpy.arange(int(numpy.prod(shape)), dtype="<i4").reshape(shape)
            path = f"shards_{len(shape)}"
            a = root.create_array(path, shape=shape, shards=shard, chunks=chunk, dtype="<i4")
            a[...] = values
            wanted[f"3.zarr {path}"] = [list(shape), values.tobytes().hex()]
json.dump(wanted, open(f"{folder}/wanted.json", "w"))
"""


def read_npy(path):
    with open(path, "rb") as f:
        content = f.read()
    size = struct.unpack("<H", content[8:10])[0]
    about = eval(content[10 : 10 + size], {"__builtins__": {}})  # what the command has just written
    return list(about["shape"]), about["descr"], content[10 + size :].hex()


def check_zarr_python(folder):
    p = subprocess.run([ZARR_PYTHON, "-c", "import zarr, numcodecs"], capture_output=True, check=False)
    if p.returncode:
        return skip("what zarr-python writes", "no zarr")
    os.makedirs(folder)
    p = subprocess.run([ZARR_PYTHON, "-c", WRITER, folder], capture_output=True, timeout=600, check=False)
    if p.returncode:
        return point(False, "zarr-python writes", p.stderr.decode()[-2000:])
    with open(os.path.join(folder, "wanted.json"), encoding="utf-8") as f:
        wanted = json.load(f)
    without = run("formats")[1]
    wrong, read = [], 0
    for key, (shape, values) in wanted.items():
        archive, path = key.split(" ")
        out = os.path.join(folder, "out.npy")
        code, _, err = run("convert", "--dataset", path, os.path.join(folder, archive), out, "--force")
        if code and "libblosc.so.1" in err:
            continue
        read += 1
        found = read_npy(out) if code == 0 else (None, None, err)
        if path.startswith("f2"):  # read as float32
            count = len(values) // 4
            values = struct.pack(f"<{count}f", *struct.unpack(f"<{count}e", bytes.fromhex(values))).hex()
        if found[2] != values or (shape and found[0] != shape):
            wrong.append(f"{key}: {shape} {values[:60]}: {str(found)[:300]}")
    return point(
        not wrong and read > 100, f"{read} arrays that zarr-python writes", "\n".join(wrong) + without[:0]
    )


# ---- what is written ----


MATRIX = "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 0.5\n3 1 -2\n3 4 1e300\n"
READER = r"""
import json, sys, warnings
warnings.simplefilter("ignore")
import zarr
it = zarr.storage.ZipStore(sys.argv[1], mode="r") if sys.argv[1].endswith("zip") else sys.argv[1]
root = zarr.open_group(it, mode="r")
found = {name: [str(array.dtype), array[...].tolist()] for name, array in root.arrays()}
print(json.dumps([root.metadata.zarr_format, root.attrs.asdict(), found]))
"""


def written(folder, name, *how):
    out = os.path.join(folder, name)
    code, _, err = run("convert", "--force", *how, os.path.join(folder, "m.mtx"), out)
    return out, code, err


def check_written(folder):
    """Each version, compressed and not, comes back; zarr-python, if it is installed, reads the same."""
    os.makedirs(folder)
    put(folder, "m.mtx", MATRIX)
    has_zarr = (
        subprocess.run(
            [ZARR_PYTHON, "-c", "import zarr, numcodecs"], capture_output=True, check=False
        ).returncode
        == 0
    )
    wrong = []
    for name in "a.zarr", "a.zarr.zip":
        for how in (
            [],
            ["--zarr", "2"],
            ["--compression", "zstd"],
            ["--compression", "deflate:12"],
            ["--zarr", "2", "--compression", "zstd", "--chunk-bytes", "8"],
            ["--zarr", "2", "--compression", "deflate:1"],
            ["--to", "hdf5"],
            ["--to", "hdf5", "--zarr", "2"],
        ):
            out, code, err = written(folder, name, *how)
            again = run("diff", os.path.join(folder, "m.mtx"), out)
            if code or again[0]:
                wrong.append(f"{name} {how}: {code} {err} {again}")
            if not has_zarr:
                continue
            p = subprocess.run([ZARR_PYTHON, "-c", READER, out], capture_output=True, check=False)
            version, about, found = (
                json.loads(p.stdout) if p.returncode == 0 else (0, p.stderr.decode()[-300:], {})
            )
            if version != (2 if "2" in how else 3) or (
                "hdf5" not in how
                and (
                    found.get("values") != ["float64", [0.5, -2, 1e300]]
                    or about["binsparse"]["binsparse"]["shape"] != [3, 4]
                )
            ):
                wrong.append(f"{name} {how}: zarr-python: {version} {about} {found}")
    point(
        not wrong,
        "what is written is read, " + ("by zarr-python, too" if has_zarr else "here"),
        "\n".join(wrong),
    )


REFERENCE = """
import sys, numpy, scipy.sparse
from binsparse import load_binsparse, save_binsparse
from binsparse.conversions import numpy as dense, scipy as sparse
for kind in "int8", "int64", "uint16", "float32", "float64", "complex64", "complex128":
    m = scipy.sparse.csr_matrix(numpy.array([[0, 2, 0, 1], [0, 0, 0, 0], [7, 0, 3, 0]]).astype(kind))
    for form in "csr", "csc", "coo", "dense":
        name = f"{sys.argv[1]}/{kind}.{form}"
        if sys.argv[2] == "write":
            t = dense.from_numpy(m.toarray()) if form == "dense" else sparse.from_scipy(m.asformat(form))
            save_binsparse(t, name + ".zarr")
            continue
        t = load_binsparse(name + ".ours.zarr")
        found = dense.to_numpy(t) if form == "dense" else sparse.to_scipy(t).toarray()
        assert found.dtype == m.dtype and (found == m.toarray()).all(), (name, found)
"""


def check_reference(folder):
    """Binsparse's Python reference writes Zarr that is read here, and reads what is written here."""
    name, python = "Binsparse's Python reference and Zarr", [ZARR_PYTHON, "-c"]
    asked = subprocess.run([*python, "import binsparse, zarr, scipy"], capture_output=True, check=False)
    if asked.returncode:
        skip(name, "no binsparse")
        return
    folder = os.path.join(folder, "reference")
    os.makedirs(folder)
    p = subprocess.run([*python, REFERENCE, folder, "write"], capture_output=True, check=False)
    wrong = p.stderr.decode()[-300:] if p.returncode else ""
    for theirs in os.listdir(folder):
        theirs = os.path.join(folder, theirs)
        ours = theirs.replace(".zarr", ".ours.zarr")
        wrong += run("convert", "--quiet", theirs, ours)[2] + run("diff", "--strict", theirs, ours)[2]
    p = subprocess.run([*python, REFERENCE, folder, "check"], capture_output=True, check=False)
    point(not wrong and p.returncode == 0, name, wrong + p.stderr.decode()[-300:])


def check_noise(folder):
    """Numbers that compression makes longer come back, and gzip's own program agrees."""
    noise, wrong = random.Random(5), []
    for entries in 1, 60, 20000:
        values = [noise.randbytes(6).hex() for _ in range(entries)]
        lines = "".join(f"1 {i + 1} {int(v, 16)}e-40\n" for i, v in enumerate(values))
        put(folder, "n.mtx", f"%%MatrixMarket matrix coordinate real general\n1 {entries} {entries}\n{lines}")
        for words in "deflate:1", "deflate:9 --zarr 2", "zstd":
            how = ["--compression", *words.split()]
            out = os.path.join(folder, "n.zarr")
            code, _, err = run("convert", "--force", *how, os.path.join(folder, "n.mtx"), out)
            again = run("diff", os.path.join(folder, "n.mtx"), out)
            chunk = os.path.join(out, "values/0" if "2" in how else "values/c/0")
            with open(chunk, "rb") as file:
                size = len(gzip.decompress(file.read())) if "zstd" not in how and not code else 8 * entries
            if code or again[0] or size != min(8 * entries, 1 << 20):
                wrong.append(f"{entries} {how}: {code} {err} {again} {size}")
    point(not wrong, "noise comes back", "\n".join(wrong))


def check_replaced(folder):
    """Only a folder of Zarr is replaced, and only with --force; leftovers of a killed run are removed."""
    out, code, err = written(folder, "b.zarr")
    code, _, err = run("convert", os.path.join(folder, "m.mtx"), out)
    point(code == 2 and "--force" in err, "a folder that is there stays", err)
    os.makedirs(os.path.join(folder, "mine.zarr/deep"))
    put(folder, "mine.zarr/deep/text", "mine")
    code, _, err = run("convert", "--force", os.path.join(folder, "m.mtx"), os.path.join(folder, "mine.zarr"))
    point(
        code == 3 and os.path.exists(os.path.join(folder, "mine.zarr/deep/text")),
        "another folder is not replaced",
        err,
    )
    left = os.path.join(folder, ".sheaf-abcdef")
    put(left, "values/c/0", "left")
    os.symlink(os.path.join(folder, "mine.zarr"), os.path.join(left, "link"))
    put(out, "more/deep/file", "old")
    out, code, err = written(folder, "b.zarr", "--zarr", "2")
    there = sorted(os.listdir(out))
    point(
        code == 0 and there == [".zattrs", ".zgroup", "indices_1", "pointers_to_1", "values"],
        "the old folder is replaced as a whole",
        f"{there} {err}",
    )
    point(
        not os.path.exists(left) and not [name for name in os.listdir(folder) if name.startswith(".sheaf-")],
        "what was left is removed",
        str(os.listdir(folder)),
    )
    point(
        os.path.exists(os.path.join(folder, "mine.zarr/deep/text")), "no link is followed while it is removed"
    )
    code, _, err = run("convert", "--force", "--to", "npy", os.path.join(folder, "m.mtx"), out)
    point(
        code == 3 and "found a directory" in err and os.path.exists(os.path.join(out, ".zgroup")),
        "a file does not take a folder's place",
        err,
    )
    for how, wanted in (
        (["--compression", "lz4"], "expected none, deflate, zstd, or deflate:LEVEL"),
        (["--into", "a"], "--into: expected an HDF5"),
    ):
        _, code, err = written(folder, "c.zarr", *how)
        point(
            code == 2 and wanted in err and not os.path.exists(os.path.join(folder, "c.zarr")),
            f"refused: {' '.join(how)}",
            err,
        )
    matrix, out = os.path.join(folder, "m.mtx"), os.path.join(folder, "c.h5")
    code, _, err = run("convert", "--compression", "zstd", matrix, out)
    point(code == 2 and "--compression: expected Zarr" in err, "no zstd in HDF5", err)


def check_bound(folder):
    """A few bytes of metadata do not make a huge output; the bytes of all chunks count as the input."""
    make(folder, lambda f: array_2(f, "x", shape=(2**40,), chunks=(2**20,), fill_value=1e300))
    code, _, err = run("convert", "--dataset", "x", "--force", folder, folder + ".npy")
    point(
        code == 5 and "--allow large" in err and not os.path.exists(folder + ".npy"),
        "a huge fill is bounded",
        f"{code} {err}",
    )
    for command in ("validate", "cat", "hash", "stats"):
        for memory in ("64M", "4G"):
            code, out, err = run(command, "--dataset", "x", "--max-memory", memory, folder)
            point(
                code == 5 and "found one of 8796093022208 bytes (--allow large" in out + err,
                f"{command} says how large an array is of which nothing is stored, under {memory}",
                f"{code} {out}{err}",
            )
    make(folder, lambda f: array_2(f, "x", shape=(2**22,), chunks=(1,), fill_value=0))
    code, out, err = run("validate", "--dataset", "x", folder)
    point(
        code == 5 and "found 4194304 (--allow large reads them anyway)" in out + err,
        "so are the chunks of an array that has none",
        f"{code} {out}{err}",
    )
    make(folder, lambda f: array_2(f, "x", shape=(2**40,), chunks=(2**20,), fill_value=1e300))
    code, out, err = run("head", "--rows", "1", "--json", "--allow=large", "--dataset", "x", folder)
    point(code == 0 and "1e300" in out, "its first row, where that is asked for", f"{code} {out}{err}")
    code, out, err = run("info", folder)
    point(code == 0 and "1099511627776" in out, "info lists it", f"{code} {out}{err}")


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-zarr.") as folder:
        check_zarr_python(os.path.join(folder, "python"))
        check_written(os.path.join(folder, "written"))
        check_reference(os.path.join(folder, "written"))
        check_noise(os.path.join(folder, "written"))
        check_replaced(os.path.join(folder, "written"))
        check_bound(os.path.join(folder, "it.zarr"))
    end()


main()
