#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""netCDF's times and characters by the CF conventions, in files that netCDF4 makes in all of its formats when
the test runs, or SciPy in the classic one. What the command reads is what cftime and netCDF4 do, where they
are installed. Prints TAP."""

import json
import os
import subprocess
import tempfile
from datetime import datetime

from tap import end, go_on_without, point

try:
    import numpy as np
    from scipy.io import netcdf_file
except ImportError:
    go_on_without("scipy")

try:
    import cftime
    import netCDF4
except ImportError:
    netCDF4 = None

SHEAF = os.environ.get("SHEAF", "build/sheaf")

# Units, calendar (None: not said), numbers, the times that they are (None: missing).
TIMES = {
    "days": (
        "days since 2000-01-01",
        "standard",
        np.array([0, 31, -1], "i4"),
        "2000-01-01 2000-02-01 1999-12-31",
    ),
    "halves": ("days since 2000-1-1", None, np.array([0.5, 59]), "2000-01-01T12:00:00 2000-02-29"),
    "hours": ("hours since 1900-01-01 00:00:0.0", "gregorian", np.array([876576], "i4"), "2000-01-01"),
    "zone": ("minutes since 2000-01-01 00:00 -06:00", None, np.array([1], "i2"), "2000-01-01T06:01:00"),
    "utc": ("s since 1970-1-1T0:0:0Z", None, np.array([1e9]), "2001-09-09T01:46:40"),
    "third": ("days since 1970-01-01", None, np.array([1 / 3]), "1970-01-01T08:00:00"),
    "seven tenths": ("days since 1970-01-01", None, np.array([0.7]), "1970-01-01T16:48:00"),
    "fraction": (
        "seconds since 1970-01-01",
        None,
        np.array([0.25, 7]),
        "1970-01-01T00:00:00.250000 1970-01-01T00:00:07.000000",
    ),
    "milliseconds": (
        "milliseconds since 1970-01-01 UTC",
        None,
        np.array([-1], "i4"),
        "1969-12-31T23:59:59.999",
    ),
    "before": ("days since 0001-01-01", "standard", np.array([719164], "i4"), "1970-01-01"),
    "proleptic": (
        "days since 0001-01-01",
        "proleptic_gregorian",
        np.array([719162, 0], "i4"),
        "1970-01-01 0001-01-01",
    ),
}
REFUSED = {
    "noleap": ("days since 2000-01-01", "noleap", "the Gregorian calendar"),
    "months": ("months since 2000-01-01", "standard", "a unit below"),
    "no date": ("days since the beginning", "standard", "a date and a time"),
    "no day": ("days since 2001-02-29", "standard", "a date and a time"),
    "early": ("days since 1500-01-01", "standard", "from 1582-10-15 on"),
}


def run(*arguments):
    p = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, timeout=300, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def cells(path, name, *options):
    """What a column has, or what went wrong."""
    code, out, err = run("cat", "--json", "--dataset", name, *options, path)
    return err if code else [json.loads(line)["cells"][name] for line in out.splitlines()]


def variables():
    """Names, dimensions, values and attributes."""
    made = []
    for name, (units, calendar, values, _) in TIMES.items():
        made.append((name, (name,), values, {"units": units, **({"calendar": calendar} if calendar else {})}))
    for name, (units, calendar, _) in REFUSED.items():
        made.append((name, (name,), np.array([1], "i4"), {"units": units, "calendar": calendar}))
    filled = {"units": "days since 2000-01-01", "missing_value": np.int16(-1), "valid_max": np.int16(9)}
    made.append(("filled", ("three",), np.array([1, -1, 10], "i2"), filled))
    made.append(("nan", ("three",), np.array([1, np.nan, 2]), {"units": "days since 2000-01-01"}))
    numbers = np.arange(6, dtype="i4").reshape(2, 3)
    made.append(("grid", ("two", "three"), numbers, {"units": "hours since 2000-1-1"}))
    made.append(("metres", ("three",), np.arange(3.0), {"units": "m"}))
    made.append(("text", ("eight",), np.array(list("hello  \0"), "S1"), {}))
    made.append(("names", ("two", "eight"), np.array([list("abc\0\0\0\0\0"), list("longest ")], "S1"), {}))
    cube = np.array([[list(f"{i}{j}" + "\0" * 6) for j in range(3)] for i in range(2)], "S1")
    made.append(("cube", ("two", "three", "eight"), cube, {}))
    return made


def write(path, kind):
    lengths = {"two": 2, "three": 3, "eight": 8}
    lengths.update({name: len(values) for name, dims, values, _ in variables() if dims == (name,)})
    file = netCDF4.Dataset(path, "w", format=kind) if kind else netcdf_file(path, "w")
    for name, length in lengths.items():
        file.createDimension(name, length)
    for name, dims, values, attributes in variables():
        variable = file.createVariable(name, values.dtype.str[1:] if values.dtype.kind != "S" else "S1", dims)
        for key, value in attributes.items():
            setattr(variable, key, value)
        if kind:
            variable.set_auto_maskandscale(False)
        variable[:] = values
    file.close()


def table(path, kind):
    """Several variables over one dimension, and a scalar; another dimension, and there is no table."""
    about = kind or "SciPy"
    for more in False, True:
        file = netCDF4.Dataset(path, "w", format=kind) if kind else netcdf_file(path, "w")
        for name, length in ("obs", 2), ("eight", 8), ("other", 2):
            file.createDimension(name, length)
        for name, dims, values in (
            ("a", ("obs",), np.array([1, 2], "i4")),
            ("text", ("obs", "eight"), np.array([list("one\0\0\0\0\0"), list("two\0\0\0\0\0")], "S1")),
            ("time", ("obs",), np.array([0, 1], "i4")),
            ("grid", ("obs", "other") if more else (), np.array([[0, 1], [2, 3]], "i4") if more else 7),
        ):
            variable = file.createVariable(name, "S1" if name == "text" else "i4", dims)
            if name == "time":
                variable.units = "days since 2000-01-01"
            if dims or kind:
                variable[...] = values
        file.close()
        code, out, err = run("cat", path)
        if more:
            code, out, err = run("cat", "--dataset", "grid", path)
            point(code == 0 and out.startswith("0 0  0\n0 1  1\n"), f"{about}: no table, a grid", out + err)
            code, out, err = run("convert", "--to", "csv", "--dataset", "grid", path, "-")
            point(out.startswith("obs,other,value\n"), f"{about}: dimensions name coordinates", out + err)
            continue
        rows = [json.loads(line)["cells"] for line in run("cat", "--json", path)[1].splitlines()]
        wanted = [
            {"a": 1, "text": "one", "time": "2000-01-01T00:00:00"},
            {"a": 2, "text": "two", "time": "2000-01-02T00:00:00"},
        ]
        point(rows == wanted, f"{about}: variables over one dimension are a table", out + err)


def check(path, kind):
    about = kind or "SciPy"
    write(path, kind)
    for name, (units, calendar, values, wanted) in TIMES.items():
        found = cells(path, name)
        wanted = [time if "T" in time else f"{time}T00:00:00" for time in wanted.split()]
        point(found == wanted, f"{about}: times, {name}", found)
        if netCDF4 and isinstance(found, list) and calendar != "proleptic_gregorian":
            theirs = cftime.num2date(values, units, calendar or "standard", only_use_cftime_datetimes=False)
            ours = [datetime.fromisoformat(time) for time in found]
            point(ours == list(theirs), f"{about}: times, {name}, as cftime reads them", theirs)
    for name, (_, _, words) in REFUSED.items():
        code, _, err = run("cat", "--dataset", name, path)
        point(code == 6 and words in err and "--raw" in err, f"{about}: refused by name, {name}", (code, err))
        code, out, err = run("cat", "--raw", "--dataset", name, path)
        point(code == 0 and out == "0  1\n", f"{about}: with --raw a number, {name}", out + err)
    missing = {"null": 0}
    for name, wanted in (
        ("filled", ["2000-01-02T00:00:00", missing, missing]),
        ("nan", ["2000-01-02T00:00:00", missing, "2000-01-03T00:00:00"]),
        ("grid", [f"2000-01-01T0{k}:00:00" for k in range(6)]),
        ("text", ["hello"]),
        ("names", ["abc", "longest"]),
        ("cube", ["00", "01", "02", "10", "11", "12"]),
    ):
        found = cells(path, name)
        point(found == wanted, f"{about}: {name}", found)
    code, out, err = run("cat", "--dataset", "metres", path)
    point(code == 0 and out == "0  0\n1  1\n2  2\n", f"{about}: units that are no time", out + err)


with tempfile.TemporaryDirectory() as folder:
    kinds = ["NETCDF4", "NETCDF4_CLASSIC", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET"] if netCDF4 else []
    for kind in [*kinds, None]:
        check(f"{folder}/{kind}.nc", kind)
        if not (kind or "").startswith("NETCDF4"):
            table(f"{folder}/{kind} table.nc", kind)
end()
