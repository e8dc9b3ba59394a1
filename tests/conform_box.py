#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boxes that are written here, compared with other programs for them: h5py, h5dump, ncdump and netCDF's own
copier read them. Prints TAP."""

import gzip
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile

from box_files import TOOL, listed, run, tool, values
from tap import end, go_on_without, point, skip

try:
    import h5py
    import numpy
except ImportError:
    go_on_without("h5py")

TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
COUNTS = [0, 1, 1000, 70000]


def wanted(name, count):
    dtype = numpy.dtype(name)
    i = numpy.arange(count)
    return (
        i % 100
        if dtype.itemsize == 1
        else i % 10000
        if dtype.itemsize == 2
        else i / 4
        if dtype.kind == "f"
        else i * 3
    ).astype(dtype)


def check_made(path, group):
    wrong = []
    with h5py.File(path, "r") as file:
        for name in TYPES:
            for count in COUNTS:
                array = file[f"{group}/{name}_{count}"]
                if (
                    array.dtype != numpy.dtype(name)
                    or array.shape != (count,)
                    or not numpy.array_equal(array[()], wanted(name, count))
                ):
                    wrong.append((group, name, count, array.dtype, array.shape))
    return wrong


def noise():
    x, out = 1, []
    for _ in range(40000):
        x = (x * 6364136223846793005 + 1) % (1 << 64)
        out.append(float(x >> 11))
    return numpy.array(out)


def ours_for_others(folder):
    for suffix in "h5", "nc":
        for level in 0, 1, 9:
            path = os.path.join(folder, f"ours{level}.{suffix}")
            made = tool("make", path, str(level))
            point(made == "", f"{suffix}, level {level}: written", made)
            wrong = check_made(path, "/") + check_made(path, "/A/sub")
            point(not wrong, f"{suffix}, level {level}: h5py reads the same values", wrong)
            with h5py.File(path, "r") as file:
                texts = file.attrs["binsparse"], file["A/sub"].attrs["binsparse"]
                point(
                    numpy.array_equal(file["noise"][()], noise()),
                    f"{suffix}, level {level}: h5py reads noise",
                )
                array = file["float64_70000"]
                point(
                    texts == ('{"made":1}', "\xe4"), f"{suffix}, level {level}: h5py reads the texts", texts
                )
                storage = array.chunks, array.compression, array.shuffle
                point(
                    storage == ((2048,), "gzip", True) if level else storage == (None, None, False),
                    f"{suffix}, level {level}: stored as asked",
                    storage,
                )
            code, out, err = run("h5dump", "-H", path)
            point(code == 0 and "float64_70000" in out, f"{suffix}, level {level}: h5dump shows it", err)
            code, out, err = run("h5dump", "-d", "/A/sub/int32_1000", path)
            point(code == 0 and "2997" in out, f"{suffix}, level {level}: h5dump shows values", err)
            again = listed(path)
            point(
                isinstance(again, dict)
                and len(again) == 84
                and not any(item["refused"] for item in again.values()),
                f"{suffix}, level {level}: listed again",
                again,
            )


def ours_for_netcdf(folder):
    path = os.path.join(folder, "ours1.nc")
    code, out, err = run("ncdump", "-h", path)
    point(
        code == 0
        and "length_1000 = 1000 ;" in out
        and "double float64_70000(length_70000) ;" in out
        and "phony" not in out,
        "ncdump shows names of dimensions",
        out + err,
    )
    point("group: sub" in out and 'binsparse = "{\\"made\\":1}"' in out, "ncdump shows groups and texts", out)
    code, out, err = run("ncdump", "-v", "int16_1000", path)
    point(code == 0 and "997, 998, 999 ;" in out, "ncdump shows values", err)
    copy = os.path.join(folder, "copy.nc")
    code, out, err = run("nccopy", "-k", "nc4", path, copy)
    point(code == 0, "nccopy copies it", err)
    wrong = code == 0 and check_made(copy, "/") + check_made(copy, "/A/sub")
    point(not wrong, "the copy holds the same", wrong)
    items = listed(copy)
    point(
        isinstance(items, dict) and "float64_1000" in items and not any("length" in name for name in items),
        "the copy is read here",
        items,
    )


def into_what_is_there(folder):
    path = os.path.join(folder, "there.h5")
    with h5py.File(path, "w") as file:
        file.attrs["mine"] = numpy.arange(3)
        file.attrs["binsparse"] = numpy.bytes_("old")
        file["keep/x"] = numpy.arange(5.0)
        file["keep/x"].attrs["unit"] = "m"
        file["float64_70000"] = numpy.arange(7)
        file["A/sub/other"] = ["a", "bc"]
        file["A/sub/virtual"] = h5py.SoftLink("/keep/x")
        file.create_dataset("lzf", data=numpy.arange(100), compression="lzf")
    os.chmod(path, 0o640)
    made = tool("into", path, "3")
    wrong = made == "" and check_made(path, "/") + check_made(path, "/A/sub")
    point(made == "" and not wrong, "written into a file that was there", made or wrong)
    with h5py.File(path, "r") as file:
        kept = (
            list(file.attrs["mine"]) == [0, 1, 2]
            and list(file["keep/x"][()]) == [0, 1, 2, 3, 4]
            and file["keep/x"].attrs["unit"] == "m"
            and list(file["A/sub/other"].asstr()[()]) == ["a", "bc"]
            and file.attrs["binsparse"] == '{"made":1}'
            and isinstance(file["A/sub"].get("virtual", getlink=True), h5py.SoftLink)
            and list(file["lzf"][:3]) == [0, 1, 2]
        )
        point(kept, "all else is as it was", list(file.attrs.items()))
    point(os.stat(path).st_mode & 0o777 == 0o640, "its mode is as it was")
    if shutil.which("ncgen") is None:
        return
    path = os.path.join(folder, "there.nc")
    text = (
        "netcdf t { dimensions: n = 3 ; m = unlimited ; "
        "variables: int n(n) ; float v(m, n) ; int float64_1000(n) ; data: n = 1,2,3 ; v = 1,2,3,4,5,6 ; "
        "group: g { dimensions: k = 2 ; variables: int w(k) ; data: w = 8, 9 ; } }"
    )
    code, _, err = run("ncgen", "-k", "nc4", "-o", path, "-", input=text.encode())
    point(code == 0, "netCDF makes a file", err)
    made = tool("into", path, "1")
    wrong = made == "" and check_made(path, "/") + check_made(path, "/A/sub")
    point(made == "" and not wrong, "written into a netCDF file that was there", made or wrong)
    code, out, err = run("ncdump", path)
    wants = [
        "n = 1, 2, 3 ;",
        "1, 2, 3,\n  4, 5, 6 ;",
        "w = 8, 9 ;",
        "double float64_1000(length_1000) ;",
        "int w(k) ;",
        "float v(m, n) ;",
    ]
    point(
        code == 0 and all(want in out for want in wants),
        "ncdump shows the old and the new",
        err + str([want for want in wants if want not in out]),
    )
    code, out, err = run("h5dump", "-H", path)
    point(code == 0, "h5dump shows them, too", err)


def killed(folder):
    path = os.path.join(folder, "killed.h5")
    with h5py.File(path, "w") as file:
        file["old"] = numpy.arange(10)
    with open(path, "rb") as file:
        before = file.read()
    process = subprocess.Popen([TOOL, "slow", path, str(4 << 20)], stdout=subprocess.PIPE)
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open(path, "rb") as file:
        point(file.read() == before, "a writer that is killed leaves the old file")
    point(len(glob.glob(os.path.join(folder, ".sheaf-*"))) == 1, "and a temporary one")
    made = tool("into", path)
    point(made == "" and not glob.glob(os.path.join(folder, ".sheaf-*")), "which the next one clears", made)
    process = subprocess.Popen([TOOL, "slow", path, "4096"], stdout=subprocess.PIPE)
    process.stdout.readline()
    with h5py.File(path, "a") as file:
        file["meanwhile"] = 1
    process.kill()
    process.wait()


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-box.") as folder:
        ours_for_others(folder)
        if shutil.which("ncdump") and shutil.which("nccopy"):
            ours_for_netcdf(folder)
        else:
            skip("netCDF's programs", "not installed")
        into_what_is_there(folder)
        killed(folder)
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
