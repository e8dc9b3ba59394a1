#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pyarrow (PEERS_PYTHON: a Python that has it) judges our Arrow: tables of drawn types, with what is missing
in rows, in lists and in their items, written by pyarrow as files and streams. We read what it reads, name the
columns that we leave out, and what we write of them is read by pyarrow as we read it. Prints TAP.
"""

import base64
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile

from tap import end, point

SHEAF = os.environ.get("SHEAF", "build/sheaf")
PYTHON = os.environ.get("PEERS_PYTHON", sys.executable)
TABLES = 400 if os.environ.get("FAULTS") == "all" else 40
ROWS = 7

try:
    import pyarrow as pa
except ImportError:
    found = subprocess.run([PYTHON, "-c", "import pyarrow"], capture_output=True, check=False)
    if found.returncode == 0:
        os.execv(PYTHON, [PYTHON, *sys.argv])
    print("1..0 # SKIP no pyarrow")
    sys.exit(0)

UNITS = ("s", "ms", "us", "ns")
TEXTS = ["", "a", "x,y", "\u00e9", "two\nlines", "more than twelve bytes"]
FIRST = datetime.datetime(1970, 1, 1)

# ---- what is drawn ----


def number(draw):
    signed = draw.choice((8, 16, 32, 64))
    kind = draw.choice((f"int{signed}", f"uint{signed}", "float32", "float64", "float16"))
    return getattr(pa, kind)(), lambda: draw.randrange(0, 100) / (1 if "int" in kind else 4)


def plain_number(draw):
    """One of which there may be lists."""
    while True:
        kind, value = number(draw)
        if kind != pa.float16():
            return kind, (lambda: int(value())) if "int" in str(kind) else value


def truth(draw):
    return pa.bool_(), lambda: draw.random() < 0.5


def text(draw):
    return draw.choice((pa.string(), pa.large_string())), lambda: draw.choice(TEXTS)


def some_bytes(draw):
    return draw.choice((pa.binary(), pa.large_binary())), lambda: bytes([draw.randrange(256), 255])


def date(draw):
    return pa.date32(), lambda: (FIRST + datetime.timedelta(days=draw.randrange(-9999, 9999))).date()


def moment(draw):
    unit = draw.choice(UNITS)
    return pa.timestamp(unit), lambda: FIRST + datetime.timedelta(seconds=draw.randrange(1 << 30))


def word(draw):
    return pa.dictionary(pa.int8(), pa.string()), lambda: draw.choice(TEXTS)


ITEMS = (number, truth, text, some_bytes, date, moment, word)


def missing(draw, value, often):
    return None if draw.random() < often else value


def column(draw, make, often):
    kind, value = make(draw)
    is_whole = "int" in str(kind) and make is number
    cells = [missing(draw, int(value()) if is_whole else value(), often) for _ in range(ROWS)]
    return pa.array(cells, kind)


def lists(draw, often):
    """Of numbers, of vectors of them, or a vector in each row."""
    kind, value = plain_number(draw)
    dim = draw.choice((1, 2, 3))
    shape = draw.choice(("list", "vectors", "vector"))
    outer = draw.choice((pa.list_, pa.large_list))

    def vector():
        return missing(draw, [missing(draw, value(), often) for _ in range(dim)], often)

    def items(one):
        return missing(draw, [one() for _ in range(draw.randrange(4))], often)

    if shape == "vector":
        return pa.array([vector() for _ in range(ROWS)], pa.list_(kind, dim))
    one = vector if shape == "vectors" else lambda: missing(draw, value(), often)
    inner = pa.list_(kind, dim) if shape == "vectors" else kind
    return pa.array([items(one) for _ in range(ROWS)], outer(inner))


def nest(draw, kind, value, often, depth):
    """Lists of lists of the items of a type, of any sizes or of one; those of numbers are nested twice."""
    for _ in range(depth):
        if draw.random() < 0.3:
            kind, value = pa.list_(kind, 2), lambda one=value: [missing(draw, one(), often) for _ in range(2)]
        else:
            kind = draw.choice((pa.list_, pa.large_list))(kind)
            value = lambda one=value: [missing(draw, one(), often) for _ in range(draw.randrange(3))]
    return kind, value


def nested(draw, often):
    make = draw.choice(ITEMS[1:-1] + (plain_number,))
    kind, value = nest(draw, *make(draw), often, draw.choice((1, 2, 3)) + (make is plain_number))
    return pa.array([missing(draw, value(), often) for _ in range(ROWS)], kind)


def structs(draw, often, deep=True):
    kinds = {"a": column(draw, draw.choice(ITEMS), often), "b.c": nested(draw, often)}
    if deep and draw.random() < 0.5:
        kinds["d"] = structs(draw, often, False)
    mask = pa.array([draw.random() < often for _ in range(ROWS)])
    return pa.StructArray.from_arrays(list(kinds.values()), list(kinds), mask=mask)


def runs(draw, often):
    kind, value = draw.choice((text, date, plain_number, some_bytes))(draw)
    ends = sorted(draw.sample(range(1, ROWS), 3)) + [ROWS]
    width = draw.choice((pa.int16(), pa.int32(), pa.int64()))
    values = pa.array([missing(draw, value(), often) for _ in ends], kind)
    return pa.RunEndEncodedArray.from_arrays(pa.array(ends, width), values)


def list_views(draw, often):
    """Lists that overlap, in any order."""
    kind, value = draw.choice((text, date, truth))(draw)
    values = pa.array([missing(draw, value(), often) for _ in range(9)], kind)
    places = [(draw.randrange(5), draw.randrange(5)) for _ in range(ROWS)]
    mask = pa.array([draw.random() < often for _ in range(ROWS)])
    starts, sizes = zip(*places)
    return pa.ListViewArray.from_arrays(pa.array(starts, pa.int32()), pa.array(sizes, pa.int32()), values,
                                        mask=mask)


def left_out(draw):
    union = pa.UnionArray.from_sparse(pa.array([0] * ROWS, pa.int8()), [pa.array([1] * ROWS)])
    return draw.choice((pa.array([[{"a": 1}]] * ROWS), union,
                        pa.array([[("k", 1)]] * ROWS, pa.map_(pa.string(), pa.int8()))))


def draw_table(seed):
    """The table, and the names of the columns that are left out."""
    draw = random.Random(seed)
    often = draw.choice((0, 0.3, 0.3, 1))
    columns, others = {}, []
    for i in range(draw.randrange(1, 5)):
        columns[f"c{i}"] = column(draw, draw.choice(ITEMS), often)
    for i in range(draw.choice((0, 1, 2))):
        columns[f"l{i}"] = lists(draw, often)
        columns[f"t{i}"] = nested(draw, often)
    for name, make in (("s", structs), ("r", runs), ("v", list_views)):
        if draw.random() < 0.3:
            columns[name] = make(draw, often)
    if draw.random() < 0.4:
        others.append("other")
        columns["other"] = left_out(draw)
    names = list(columns)
    draw.shuffle(names)
    return pa.table({name: columns[name] for name in names}), others


# ---- what is compared ----


def plain(value):
    """As JSON has it."""
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(timespec="microseconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def cells_of(array):
    """In our shape: a number is a sample of one value, a vector a row of one sample."""
    kind = array.type
    cells = [plain(cell) for cell in array.to_pylist()]
    inner = kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else None
    if pa.types.is_fixed_size_list(kind) and is_number(kind.value_type):
        return [[cell] for cell in cells]
    if inner is None or not is_number(inner):
        return cells
    return [None if cell is None else [[item] for item in cell] for cell in cells]


def is_number(kind):
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def flat(name, array):
    """The columns of a column: of a struct, those of its fields."""
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if not pa.types.is_struct(array.type):
        return {name: array}
    columns = {}
    for field, child in zip(array.type, array.flatten()):
        columns.update(flat(f"{name}.{field.name}", child))
    return columns


def same_moments(table, cells):
    """Times have as many digits of their second as their unit: they are compared as times."""

    def same(cell):
        if isinstance(cell, list):
            return [same(item) for item in cell]
        return None if cell is None else plain(datetime.datetime.fromisoformat(cell[:26]))

    for name in table:
        if "timestamp" in str(table[name].type) and name in cells:
            cells[name] = same(cells[name])
    return cells


def run(*words):
    p = subprocess.run([SHEAF, *map(str, words)], capture_output=True, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def read(path):
    """What we read, by columns, and what is said."""
    code, out, said = run("cat", "--json", path)
    if code:
        return None, said
    rows = [json.loads(line) for line in out.splitlines()]
    columns = {}
    for row in rows:
        for name, cell in (row.get("cells") or row["streams"]).items():
            gone = isinstance(cell, dict) and "null" in cell
            columns.setdefault(name, []).append(None if gone else cell)
    return columns, said


def fault_of(path, table, others):
    columns, said = read(path)
    if columns is None:
        return said
    kept = {}
    for name in table.column_names:
        kept.update(flat(name, table[name]) if name not in others else {})
    wanted = {name: cells_of(kept[name]) for name in kept}
    found = same_moments(kept, columns)
    for name in wanted:
        if found.get(name) != wanted[name]:
            return f"{name}, {kept[name].type}: expected {wanted[name]}, found {found.get(name)}"
    quiet = [name for name in others if f'"{name}"' not in said]
    return f"nothing is said of {quiet}" if quiet else None


def fault_of_ours(path, ours):
    """What pyarrow reads otherwise of what we write."""
    code, _, said = run("convert", "-q", "-f", path, ours)
    if code:
        return said
    code, out, said = run("diff", path, ours)
    if code:
        return out + said
    with (pa.ipc.open_file if ours.endswith(".arrow") else pa.ipc.open_stream)(ours) as reader:
        table = reader.read_all()
    table = {name: table[name] for name in table.column_names}
    found = same_moments(table, read(ours)[0])
    for name in table:
        wanted = [plain(cell) for cell in table[name].to_pylist()]
        if found[name] != wanted:
            return f"{name}, {table[name].type}: pyarrow reads {wanted}, we {found[name]}"
    hashes = {run("hash", name)[1].split()[0] for name in (path, ours)}
    return None if len(hashes) == 1 else f"expected one hash, found {hashes}"


def main():
    makers = {"arrow": pa.ipc.new_file, "arrows": pa.ipc.new_stream}
    with tempfile.TemporaryDirectory(prefix="sheaf-arrow.") as folder:
        for suffix, make in makers.items():
            reading, writing = [], []
            for seed in range(TABLES):
                table, others = draw_table(f"{suffix} {seed}")
                path, ours = (os.path.join(folder, f"{name}.{suffix}") for name in ("given", "ours"))
                with make(path, table.schema) as writer:
                    writer.write_table(table, max_chunksize=3)
                for faults, fault in ((reading, fault_of(path, table, others)),
                                      (writing, fault_of_ours(path, ours))):
                    faults += [f"{seed}: {fault}"] if fault else []
            point(not reading, f"{TABLES} tables of .{suffix} as pyarrow reads them", "\n".join(reading))
            point(not writing, f"pyarrow reads what we write of them, .{suffix}", "\n".join(writing))
    sys.exit(end())


main()
