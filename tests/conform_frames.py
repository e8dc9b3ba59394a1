#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of sequences as pandas, Polars and DuckDB (PEERS_PYTHON: a Python that has these) and R read them, and
as they come back from there: CSV and TSV, wide and long, and lists. Prints TAP."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
PYTHON = os.environ.get("PEERS_PYTHON", sys.executable)
SEQUENCES = """7 |A 1.5 -2 |B 3:1 |name 1
7 |A 0.1 4e-07 |B |name 2
7 |A 3 4 |B 0:2.25 7:1
9 |A 5 6 |B 1:2 4:7 |name 3
12 |A 0 1 |B 2:1 |name 4
"""
# Each reads argv[1], as text without the program's own guesses where it has any, and writes it to argv[2].
PROGRAMS = {
    "pandas": """
import pandas, sys
t = pandas.read_csv(sys.argv[1], sep=sys.argv[3], keep_default_na=False, na_values=["null"])
assert t.groupby("key").ngroups == 3, t
t.to_csv(sys.argv[2], sep=sys.argv[3], index=False, na_rep="null")
""",
    "polars": """
import polars, sys
t = polars.read_csv(sys.argv[1], separator=sys.argv[3], null_values="null")
assert t["key"].n_unique() == 3, t
t.write_csv(sys.argv[2], separator=sys.argv[3], null_value="null", quote_style="non_numeric")
""",
    "duckdb": """
import duckdb, sys
how = f"header=true, delim='{sys.argv[3]}', nullstr='null', quote='\\"', escape='\\"'"
duckdb.execute(f"create table t as select * from read_csv('{sys.argv[1]}', {how})")
assert duckdb.execute("select count(distinct key) from t").fetchone() == (3,)
duckdb.execute(f"copy t to '{sys.argv[2]}' (header, delimiter '{sys.argv[3]}', nullstr 'null')")
""",
}
# R reads "NA" as missing, and writes the names of rows, too, unless it gets another argument.
IN_R = """
a <- commandArgs(TRUE); comma <- a[3] == "csv"; names <- a[4] == "names"
t <- if (comma) read.csv(a[1]) else read.delim(a[1])
stopifnot(length(unique(t$key)) == 3, is.numeric(t$key))
if ("A.1" %in% names(t)) stopifnot(identical(t$A.1, c(-2, 4e-7, 4, 6, 1)), is.na(t$name[3]))
if ("value" %in% names(t))
  stopifnot(abs(sum(t$value[t$stream == "A"]) - 18.6000004) < 1e-12)
if (comma) write.csv(t, a[2], row.names=names)
if (!comma) write.table(t, a[2], sep="\t", quote=FALSE, row.names=names)
"""


def run(*arguments):
    p = subprocess.run([SHEAF, *arguments], capture_output=True, timeout=120, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def rows(path, *options):
    code, out, err = run("cat", "--json", *options, path)
    return [json.loads(line) for line in out.splitlines()] if code == 0 else err


def check(folder, program, layout):
    names = ("a.ctf", f"{layout}.csv", f"{layout}.back.csv")
    ctf, there, back = (os.path.join(folder, name) for name in names)
    code, _, err = run("convert", "-q", "-f", "--layout", layout, "--null", "null", ctf, there)
    p = subprocess.run([PYTHON, "-c", PROGRAMS[program], there, back, ","], capture_output=True, check=False)
    fine = code == 0 and p.returncode == 0
    found = rows(back, "--sequences", layout) if fine else err + p.stderr.decode()
    point(found == rows(ctf), f"{program} reads and writes sequences, {layout}", f"{found}\n{rows(ctf)}")


def check_r(folder, layout, suffix, names):
    ctf, there, back = (os.path.join(folder, name) for name in ("a.ctf", f"R.{suffix}", f"back.{suffix}"))
    code, _, err = run("convert", "-q", "-f", "--layout", layout, "--null", "NA", ctf, there)
    arguments = ["Rscript", "-", there, back, suffix, "names" if names else "none"]
    p = subprocess.run(arguments, input=IN_R.encode(), capture_output=True, check=False)
    fine = code == 0 and p.returncode == 0
    found = rows(back, "--sequences", layout, "--missing", "NA") if fine else err + p.stderr.decode()
    how = f"{layout}, {suffix}{', with the names of rows' if names else ''}"
    point(found == rows(ctf), f"R reads and writes sequences, {how}", f"{found}\n{rows(ctf)}")


def r_reads(folder):
    if not shutil.which("Rscript"):
        skip("what R makes of sequences", "no Rscript")
        return
    for layout in ("wide", "long", "lists"):
        for suffix in "csv", "tsv":
            check_r(folder, layout, suffix, False)
            check_r(folder, layout, suffix, True)


def python_reads_long(folder):
    """Without any of them: every value in its row."""
    path = os.path.join(folder, "python.csv")
    run("convert", "-q", "--layout", "long", os.path.join(folder, "a.ctf"), path)
    with open(path, newline="", encoding="utf-8") as file:
        found = [r for r in csv.DictReader(file) if r["stream"] == "B"]
    wanted = [("7", "0", "3", "1.0"), ("7", "2", "0", "2.25"), ("7", "2", "7", "1.0"),
              ("9", "0", "1", "2.0"), ("9", "0", "4", "7.0"), ("12", "0", "2", "1.0")]
    cells = [(r["key"], r["sample"], r["index"], r["value"]) for r in found]
    point(cells == wanted, "a row for each value", found)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-frames.") as folder:
        with open(os.path.join(folder, "a.ctf"), "w", encoding="utf-8") as file:
            file.write(SEQUENCES)
        python_reads_long(folder)
        r_reads(folder)
        for program in PROGRAMS:
            p = subprocess.run([PYTHON, "-c", f"import {program}"], capture_output=True, check=False)
            if p.returncode:
                skip(f"what {program} makes of sequences", f"no {program}")
                continue
            for layout in ("wide", "long", "lists"):
                check(folder, program, layout)
    sys.exit(end())


main()
