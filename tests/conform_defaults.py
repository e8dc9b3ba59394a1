#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Peers judge our defaults: tables of every type, written as CSV, TSV and JSON lines without any option, as
pandas, Polars, DuckDB and pyarrow (PEERS_PYTHON: a Python that has these) read them, without any option but
Polars's for dates and pandas's for exact numbers. Of dates and times in JSON only DuckDB finds all. Numbers,
truth values, dates and times have the same types and the same missing cells, and so have texts where the
program tells an empty one from none. What we read of the same files is what we wrote. Prints TAP.
"""

import datetime
import json
import os
import random
import subprocess
import sys
import tempfile

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
PYTHON = os.environ.get("PEERS_PYTHON", sys.executable)
TABLES = 300 if os.environ.get("FAULTS") == "all" else 30
TEXTS = ["plain", "a,b;c", 'say "x"', "two\nlines", " edge ", "\u00e9", "x" * 300, "Smith, J.", "it's", ""]
FIRST_DAY = datetime.date(1900, 1, 1)

# Reads the files of argv[2:] with program argv[1]; prints of each the kind of its columns and their cells.
READ = r"""
import json, math, sys
program, paths = sys.argv[1], sys.argv[2:]

def kind_of(name):
    name = name.lower()
    for kind, beginnings in (("int", ("int", "bigint", "hugeint")), ("float", ("float", "double")),
                             ("bool", ("bool",)), ("datetime", ("datetime", "timestamp")),
                             ("date", ("date",)), ("time", ("time",))):
        if name.startswith(beginnings):
            return kind
    return "text"

def lines():
    for path in paths:
        if program == "pandas":
            import pandas
            yield pandas.read_json(path, lines=True, precise_float=True)
        if program == "polars":
            import polars
            yield polars.read_ndjson(path)
        if program == "duckdb":
            import duckdb
            yield duckdb.sql(f"select * from read_json('{path}')")
        if program == "pyarrow":
            from pyarrow import json
            yield json.read_json(path)

def tables():
    if program == "pandas":
        import pandas
        for path in paths:
            sep = "\t" if path.endswith(".tsv") else ","
            yield pandas.read_csv(path, sep=sep, float_precision="round_trip")  # its own is not exact
    for path in paths:
        tab = path.endswith(".tsv")
        if program == "polars":
            import polars
            yield polars.read_csv(path, separator="\t" if tab else ",", try_parse_dates=True)
        if program == "duckdb":
            import duckdb
            yield duckdb.sql(f"select * from read_csv('{path}')")
        if program == "pyarrow":
            from pyarrow import csv
            how = csv.ParseOptions(delimiter="\t" if tab else ",", newlines_in_values=True)
            yield csv.read_csv(path, parse_options=how)

def columns_of(table):
    if program == "pandas":
        for name in table.columns:
            yield name, str(table[name].dtype), [None if c != c else c for c in table[name].tolist()]
    if program == "polars":
        for name in table.columns:
            yield name, str(table[name].dtype), table[name].to_list()
    if program == "duckdb":
        cells = list(zip(*table.fetchall()))
        for name, type_, items in zip(table.columns, table.types, cells):
            yield name, str(type_), list(items)
    if program == "pyarrow":
        for name in table.column_names:
            yield name, str(table.schema.field(name).type), table.column(name).to_pylist()

for table in lines() if paths[0].endswith("jsonl") else tables():
    print(json.dumps([[name, kind_of(type_), [c if isinstance(c, (bool, int, float, str)) or c is None
                                              else str(c) for c in cells]]
                      for name, type_, cells in columns_of(table)]))
"""


def draw_cell(kind, draw):
    if kind == "int":
        large = draw.randrange(-10**15, 10**15)
        return draw.choice([0, -1, draw.randrange(100), large, 2**63 - 1, 1 - 2**63])
    if kind == "float":
        any_size = draw.gauss(0, 1) * 10.0**draw.randrange(-20, 20)
        return draw.choice([0.0, 1.0, -2.0, 1e15, 0.1, draw.random(), any_size])
    if kind == "bool":
        return draw.random() < 0.5
    if kind == "text":
        return draw.choice(TEXTS)
    day = (FIRST_DAY + datetime.timedelta(draw.randrange(80000))).isoformat()
    clock = f"{draw.randrange(24):02}:{draw.randrange(60):02}:{draw.randrange(60):02}"
    return {"date": day, "time": clock, "datetime": f"{day}T{clock}"}[kind]


STORAGES = {"int": ("values", "int64"), "float": ("values", "float64"), "bool": ("bool", "uint8"),
            "text": ("text", "uint8"), "date": ("date", "int64"), "time": ("time", "int64"),
            "datetime": ("datetime", "int64")}


def draw_table(number, kinds):
    """[name, kind, cells] of each column: two at least, since one alone has a word for what is missing."""
    draw = random.Random(number)
    rows = draw.randrange(3, 40)
    columns = []
    for c in range(draw.randrange(2, 9)):
        kind = kinds[(number + c) % len(kinds)]
        missing = draw.choice([0, 0, 0.2])
        cells = [None if draw.random() < missing else draw_cell(kind, draw) for _ in range(rows)]
        cells[0] = "plain" if kind == "text" else draw_cell(kind, draw)
        columns.append([f"{kind}_{c}", kind, cells])
    return columns


def put(table, path):
    with open(path, "w", encoding="utf-8") as file:
        columns = [dict(zip(("name", "storage", "type", "null"), (name, *STORAGES[kind], None in cells)))
                   for name, kind, cells in table]
        schema = {"sheaf": "schema", "rows": "cells", "columns": columns}
        print(json.dumps(schema, separators=(",", ":")), file=file)
        for row in zip(*(cells for _, _, cells in table)):
            print(json.dumps(dict(zip((name for name, _, _ in table), row))), file=file)


def run(*arguments):
    p = subprocess.run([SHEAF, *arguments], capture_output=True, timeout=120, check=False)
    return p.returncode, (p.stdout + p.stderr).decode()


# What pandas has no type for: whole numbers and truth values beside missing cells, dates and times.
OF_PANDAS = {"int": ["float"], "bool": ["text", "float"], "date": ["text"], "time": ["text"],
             "datetime": ["text"]}
# What these make of the dates and times of JSON.
OF_JSON = {"polars": {"date": ["text"], "time": ["text"], "datetime": ["text"]},
           "pyarrow": {"date": ["datetime"], "time": ["text"]}, "pandas": {}, "duckdb": {}}


def same_cell(kind, program, wanted, found):
    if kind == "text" and not wanted and program != "polars":
        return not found  # only Polars tells an empty text from none
    if wanted is None or found is None:
        return wanted is found
    if kind == "date" and program == "pyarrow":
        return found.removesuffix(" 00:00:00") == wanted
    if kind == "datetime":
        return found.replace("T", " ") == wanted.replace("T", " ")
    return float(found) == float(wanted) if kind in ("int", "float") else found == wanted


def fault_of(program, json_lines, wanted, found):
    """What the program reads otherwise; None if nothing."""
    for (name, kind, cells), (its_name, its_kind, its_cells) in zip(wanted, found):
        fits = its_kind == kind or (json_lines and its_kind in OF_JSON[program].get(kind, []))
        if program == "pandas" and (None in cells or kind in ("date", "time", "datetime")):
            fits = fits or its_kind in OF_PANDAS.get(kind, [])
        if name != its_name or not fits:
            return f"{name}: expected {kind}, found {its_kind} {its_name}"
        if len(cells) != len(its_cells):
            return f"{name}: expected {len(cells)} rows, found {len(its_cells)}"
        for row, pair in enumerate(zip(cells, its_cells)):
            if not same_cell(kind, program, *pair):
                return f"{name}, row {row}: expected {pair[0]!r}, found {pair[1]!r}"
    return None if len(wanted) == len(found) else f"expected {len(wanted)} columns, found {len(found)}"


def write_all(folder, suffix, tables):
    paths, faults = [], []
    for number, table in enumerate(tables):
        given, ours = os.path.join(folder, f"{number}.given"), os.path.join(folder, f"{number}.{suffix}")
        put(table, given)
        code, said = run("convert", "-q", "-f", given, ours)
        faults += [said] if code else []
        code, said = run("diff", "--strict", given, ours)
        faults += [said] if code else []
        paths.append(ours)
    point(not faults, f"{len(tables)} tables of {suffix} are read as they were written", "\n".join(faults))
    return paths


def main():
    kinds = list(STORAGES)
    tables = [draw_table(number, kinds) for number in range(TABLES)]
    made = dict.fromkeys(("csv", "tsv", "jsonl"), tables)
    with tempfile.TemporaryDirectory(prefix="sheaf-defaults.") as folder:
        paths = {suffix: write_all(folder, suffix, tables) for suffix, tables in made.items()}
        for program in ("pandas", "polars", "duckdb", "pyarrow"):
            p = subprocess.run([PYTHON, "-c", f"import {program}"], capture_output=True, check=False)
            if p.returncode:
                skip(f"what {program} makes of our defaults", f"no {program}")
                continue
            for suffix, tables in made.items():
                command = [PYTHON, "-c", READ, program, *paths[suffix]]
                p = subprocess.run(command, capture_output=True, check=False)
                found = [json.loads(line) for line in p.stdout.splitlines()]
                faults = [f"{number}: {fault}" for number, table in enumerate(tables) if number < len(found)
                          for fault in [fault_of(program, suffix == "jsonl", table, found[number])] if fault]
                if len(found) < len(tables):
                    faults.append(p.stderr.decode()[-800:])
                point(not faults, f"{program} reads {len(tables)} tables of {suffix}", "\n".join(faults))
    sys.exit(end())


main()
