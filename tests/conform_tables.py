#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables as text beside Python's csv module, arrays beside NumPy, archives beside SciPy: what they write is
read here, and what is written here they read. Prints TAP."""

import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tap import end, go_on_without, point

try:
    import numpy as np
    import scipy.sparse as sparse
except ImportError:
    go_on_without("NumPy and SciPy")

SHEAF = os.environ.get("SHEAF", "sheaf")
TEXTS = [
    "",
    "a",
    "a,b",
    'say "x"',
    "it's",
    "two\nlines",
    "\r\n",
    " edge ",
    "12",
    "1e5",
    "null",
    "\\N",
    "?5",
    "?500",
    "true",
    "nan",
    "007",
    "tab\there",
    "\\",
    "é",
    "2012-05-25 14:13:29",
    "'",
    '"',
]


def check(name, test):
    try:
        fault = test()
    except (AssertionError, subprocess.CalledProcessError, ValueError, OSError, KeyError) as error:
        fault = (
            repr(error) + getattr(error, "stderr", b"").decode("utf-8", "replace")
            if isinstance(error, subprocess.CalledProcessError)
            else repr(error)
        )
    point(not fault, name, fault)


def run(*arguments):
    return subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, check=True, timeout=120).stdout


def rows(path, *options):
    return [
        json.loads(line)["cells"]
        for line in run("cat", "--json", *options, path).decode("utf-8").splitlines()
    ]


# ---- tables as text ----


def table(seed):
    """Texts of all kinds, integers, doubles; some are missing."""
    chance = random.Random(seed)
    for _ in range(200):
        yield [
            chance.choice(TEXTS),
            chance.randint(-(2**63), 2**63 - 1),
            chance.choice([chance.random(), chance.gauss(0, 1e300), float("inf"), 0.1, -0.0]),
            chance.choice(["x", None]),
        ]


def csv_as_python_reads_it(folder, *options):
    """In terms of JSON: the csv module and we read the same from our file."""
    given, ours = Path(folder, "given.csv"), Path(folder, "ours.csv")
    with given.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(["s", "i", "d", "n"])
        for s, i, d, n in table(1):
            stream.write(
                ",".join(['"' + s.replace('"', '""') + '"', str(i), repr(d), "null" if n is None else n])
                + "\n"
            )
    run("convert", "-f", given, ours, *options)
    with ours.open(newline="", encoding="utf-8") as stream:
        read = list(csv.reader(stream))
    assert read[0] == ["s", "i", "d", "n"], read[0]
    assert len(read) == 201, len(read)
    for found, (s, i, d, n) in zip(read[1:], table(1)):
        assert found[0] == s and int(found[1]) == i and repr(float(found[2])) == repr(d), (found, s, i, d)
        assert found[3] == ("" if n is None else n), (found, n)
    again = rows(ours)
    assert again == rows(given)
    assert [r["s"] for r in again] == [s for s, *_ in table(1)]


def csv_through_all_dialects(folder):
    given = Path(folder, "given.csv")
    wanted = rows(given)
    for name, options in (
        ("a.csv", ["--out-dialect", "scidb"]),
        ("b.tsv", []),
        ("c.csv", ["--out-delimiter", "semicolon"]),
        ("d.csv", ["--null", "null"]),
        ("e.csv", ["--null", "?n"]),
    ):
        path = Path(folder, name)
        run("convert", "-f", given, path, *options)
        assert rows(path, *(["--delimiter", ";"] if name == "c.csv" else [])) == wanted, name


def random_table(chance):
    """Rows of texts and missing ones, a file of them, and the options that it needs."""
    width = chance.randint(1, 5)
    delimiter, end = chance.choice(",;\t|"), chance.choice(["\n", "\r\n", "\r"])
    parts = ["a", "bc", " ", '"', "'", delimiter, "\n", "\r", "\r\n", "7", "e", "\u00e9", "null", "NA", "."]
    rows = [
        [
            chance.choice([None, "".join(chance.choice(parts) for _ in range(chance.randint(0, 6)))])
            for _ in range(width)
        ]
        for _ in range(chance.randint(1, 30))
    ]
    names = [f"n{i}" for i in range(width)]
    word = chance.choice(["NA", "null", "-"])

    def field(text):
        return word if text is None else '"' + text.replace('"', '""') + '"'

    lines = [delimiter.join(names)] + [delimiter.join(map(field, row)) for row in rows]
    text = end.join(lines) + (end if chance.random() < 0.7 else "")
    mark = b"\xef\xbb\xbf" if chance.random() < 0.3 else b""
    options = ["--missing", word] + (
        ["--delimiter", delimiter] if width == 1 or chance.random() < 0.5 else []
    )
    options += (
        ["--columns", ",".join(f"{name}:string null" for name in names)] if chance.random() < 0.5 else []
    )
    return rows, names, mark + text.encode("utf-8"), options


def csv_random_tables(folder):
    """The values that were meant are read, and the csv module reads the same from our file."""
    path, out = Path(folder, "random.csv"), Path(folder, "random-out.csv")
    for seed in range(120):
        wanted, names, data, options = random_table(random.Random(seed))
        path.write_bytes(data)
        found = [
            [None if isinstance(row[name], dict) else row[name] for name in names]
            for row in rows(path, *options)
        ]
        assert found == wanted, (seed, options, data, found, wanted)
        run("convert", "-f", *options, "--out-delimiter", ",", "--null", "NA", path, out)
        with out.open(newline="", encoding="utf-8") as stream:
            read = list(csv.reader(stream))
        assert read == [names] + [["NA" if text is None else text for text in row] for row in wanted], (
            seed,
            read,
        )


def csv_large_doubles(folder):
    """Their shortest digits are not all of their digits: they stay doubles when their types are inferred."""
    given, ours = Path(folder, "large.npy"), Path(folder, "large.csv")
    array = np.array([2.0**53, 46744073709551616.0, -12345678901234567.0 * 3, 99999999999999990.0, 1e17])
    np.save(given, array)
    run("convert", "-f", given, ours)
    found = [float(cell["value"]) for cell in rows(ours)]
    assert found == array.tolist(), found


def csv_quotes_only_where_needed(folder):
    path, out = Path(folder, "plain.csv"), Path(folder, "plain-out.csv")
    path.write_text('s,i\nabc,1\n"x y",2\n', encoding="utf-8")
    run("convert", "-f", path, out)
    assert out.read_text(encoding="utf-8") == "s,i\nabc,1\nx y,2\n", out.read_text(encoding="utf-8")


# ---- arrays ----


def arrays():
    chance = np.random.default_rng(1)
    for kind in ("b1", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"):
        for shape in ((), (3,), (2, 3), (2, 0, 3), (2, 1, 3, 2), (1,) * 8):
            for order in "CF":
                for end in "<>":
                    values = chance.integers(0, 2 if kind == "b1" else 100, shape)
                    yield np.array(values, dtype=end + kind, order=order)


def npy_both_ways(folder):
    given, ours = Path(folder, "given.npy"), Path(folder, "ours.npy")
    for array in arrays():
        np.save(given, array)
        run("convert", "-f", given, ours)
        read = np.load(ours)
        wide = (
            array.dtype.newbyteorder("=")
            if array.dtype.kind != "f" or array.dtype.itemsize > 2
            else np.dtype("f4")
        )
        assert read.dtype == wide and read.shape == array.shape and (read == array).all(), (
            array.dtype,
            array.shape,
            read.dtype,
            read.shape,
        )


def npy_tables(folder):
    kind = np.dtype(
        [
            ("i", "<i4"),
            ("d", [("null", "u1"), ("val", "<f8")]),
            ("s", "S8"),
            ("t", "<M8[s]"),
            ("z", [("null", "u1"), ("val", [("time", "<M8[s]"), ("tz", "<m8[s]")])]),
        ]
    )
    array = np.zeros(1000, kind)
    array["i"] = np.arange(1000)
    array["d"]["null"] = np.where(np.arange(1000) % 7, 255, np.arange(1000) % 128)
    array["d"]["val"] = np.where(np.arange(1000) % 7, np.arange(1000) / 3, 0)
    array["s"] = [b"x" * (n % 9) for n in range(1000)]
    array["t"] = np.arange(1000) - 500
    array["z"]["null"] = 255
    array["z"]["val"]["tz"] = 7200
    given, ours = Path(folder, "given.npy"), Path(folder, "ours.npy")
    np.save(given, array)
    run("convert", "-f", given, ours, "--string-bytes", "8")
    assert (np.load(ours) == array).all()
    run("convert", "-f", given, Path(folder, "ours.csv"))
    wanted = [None if null < 128 else float(value) for null, value in array["d"].tolist()]
    found = [
        None if isinstance(cell["d"], dict) else float(cell["d"]) for cell in rows(Path(folder, "ours.csv"))
    ]
    assert found == wanted


def npy_times(folder):
    """In all units: NumPy reads them back, text holds them, and the same time is the same in another unit."""
    chance = np.random.default_rng(3)
    seconds = np.concatenate([chance.integers(-(10**9), 10**9, 50), [0, -1]])
    for letter, word in (("M", "datetime"), ("m", "duration")):
        for unit in ("s", "ms", "us", "ns"):
            given, ours, text, other = (
                Path(folder, name) for name in ("given.npy", "ours.npy", "times.csv", "other.npy")
            )
            scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
            values = (seconds * scale + (chance.integers(0, scale, len(seconds)) if scale > 1 else 0)).astype(
                f"<{letter}8[{unit}]"
            )
            np.save(given, values)
            run("convert", "-f", given, ours)
            read = np.load(ours)
            assert (read == values).all() and read.dtype == values.dtype, (
                read.dtype,
                values.dtype,
            )
            declared = (
                [] if letter == "M" else ["--columns", f"value:{word}" + ("" if unit == "s" else f"[{unit}]")]
            )
            run("convert", "-f", given, text)
            run("convert", "-f", text, other, *declared)
            run("diff", given, other)
            if letter == "M":
                assert [np.datetime64(cell["value"]) for cell in rows(text)] == list(values), unit
            finer = values.astype(f"{letter}8[ns]")
            np.save(other, finer)
            run("diff", given, other)
            assert run("hash", given).split()[0] == run("hash", other).split()[0], unit
            np.save(other, finer + np.timedelta64(1, "ns"))
            assert (
                subprocess.run([SHEAF, "diff", given, other], capture_output=True, check=False).returncode
                == 1
            ), unit
            assert run("hash", given).split()[0] != run("hash", other).split()[0], unit
    for unit, fraction in (("s", 0), ("ms", 0), ("ms", 1), ("ns", 1)):
        np.save(
            given,
            np.array([1, 2**31], "M8[s]").astype(f"M8[{unit}]")
            + np.timedelta64(fraction, unit if fraction else "s"),
        )
        done = subprocess.run(
            [SHEAF, "convert", "-f", given, "--to", "scidb", Path(folder, "times.scidb")],
            capture_output=True,
            check=False,
        )
        assert (done.returncode == 0) == (fraction == 0), (unit, fraction, done.stderr)


def npy_fields(folder):
    """Texts, missing times, and fields with shapes come back as they were; what does not fit is a
    loss."""
    given, ours = Path(folder, "given.npy"), Path(folder, "ours.npy")
    array = np.zeros(
        4,
        [
            ("u", "<U5"),
            ("s", "S4"),
            ("big", ">U3"),
            ("a", "<f4", (3,)),
            ("m", ">i2", (2, 3)),
            ("t", "<M8[us]"),
            ("d", "<m8[ns]"),
            ("e", "f8", (1,)),
            ("i", "u1"),
        ],
    )
    array["u"] = ["n\u00e9\u20ac", "\U0001d11eabcd", "", "\uffff"]
    array["s"] = [b"ab", b"abcd", b"", b"\xc3\xa9"]
    array["big"] = ["x", "yz", "", "\u07ff\u0800\x7f"]
    array["a"] = np.arange(12).reshape(4, 3)
    array["m"] = np.arange(24).reshape(4, 2, 3)
    array["t"] = np.array([1, "NaT", -3, 4], "M8[us]")
    array["d"] = np.array([5, 6, "NaT", -5], "m8[ns]")
    array["e"] = np.arange(4).reshape(4, 1) / 3
    np.save(given, array)
    run("convert", "-f", given, ours)
    read = np.load(ours)
    for name in array.dtype.names:
        assert (
            read[name].dtype == array[name].dtype.newbyteorder("=")
            and read[name].tolist() == array[name].tolist()
        ), name
    run("diff", given, ours)
    np.save(given, array[["u"]].astype([("u", "<U5")]))
    run("convert", "-f", "--string-bytes", "8", given, ours)
    assert np.load(ours).dtype == np.dtype([("u", "S8")])
    given = Path(folder, "texts.csv")
    given.write_text("s\nabc\n", encoding="utf-8")
    assert (
        subprocess.run([SHEAF, "convert", "-f", given, ours], capture_output=True, check=False).returncode
        == 6
    )


def npy_sequences(folder):
    given, ours = Path(folder, "given.npy"), Path(folder, "ours.npy")
    array = np.random.default_rng(2).random((50, 7)).astype("f4")
    np.save(given, array)
    run("convert", "-f", given, Path(folder, "rows.ctf"))
    run("convert", "-f", Path(folder, "rows.ctf"), ours)
    assert (np.load(ours) == array).all()


# ---- archives ----


def npz_both_ways(folder):
    given, ours = Path(folder, "given.npz"), Path(folder, "ours.npz")
    matrix = sparse.random(40, 32, 0.2, random_state=1)
    for kind in ("f8", "f4", "i4", "u1", "c16"):
        for layout in ("csr", "csc", "coo", "bsr", "dia"):
            for packed in (False, True):
                theirs = matrix.astype(kind).asformat(layout)
                sparse.save_npz(given, theirs, compressed=packed)
                target = ("csr", "csc", "coo")[len(kind + layout) % 3]
                how = "deflate" if packed else "none"
                run("convert", "-f", given, ours, "--layout", target, "--compression", how)
                read = sparse.load_npz(ours)
                assert read.format == target and read.dtype == theirs.dtype and read.shape == theirs.shape, (
                    kind,
                    layout,
                    read,
                )
                assert (read.toarray() == theirs.toarray()).all(), (kind, layout, target)


def npz_extremes(folder):
    given, ours = Path(folder, "given.npz"), Path(folder, "ours.npz")
    for theirs in (
        sparse.csr_matrix((0, 5)),
        sparse.csr_matrix((5, 0)),
        sparse.csr_matrix((3, 3)),
        sparse.coo_matrix(([1.0], ([99999], [0])), shape=(100000, 1)),
    ):
        sparse.save_npz(given, theirs)
        run("convert", "-f", given, ours)
        read = sparse.load_npz(ours)
        assert read.shape == theirs.shape and (read != theirs).nnz == 0, theirs.shape


def npz_as_scipy_stores_it(folder):
    """Blocks and diagonals of all shapes, by columns where the arrays are, outside of the matrix, unused;
    coordinates of any number of dimensions, as newer versions than this one write them."""
    given, ours, dense = Path(folder, "given.npz"), Path(folder, "ours.npz"), Path(folder, "dense.npy")
    chance = np.random.default_rng(7)
    array = chance.random((6, 8)) * (chance.random((6, 8)) < 0.5)
    wanted = []
    for shape in ((1, 1), (2, 4), (3, 2), (6, 8)):
        blocks = sparse.bsr_matrix(array, blocksize=shape)
        wanted += [
            blocks,
            blocks.T,
            sparse.bsr_matrix(
                (np.asfortranarray(blocks.data), blocks.indices, blocks.indptr), shape=blocks.shape
            ),
        ]
    for offsets, extent, shape in (
        ([-1, 0, 2], 4, (4, 4)),
        ([-3, 5], 3, (4, 9)),
        ([-30, 1], 6, (4, 9)),
        ([0], 2, (5, 7)),
    ):
        diagonals = chance.random((len(offsets), extent))
        wanted += [
            sparse.dia_matrix((data, offsets), shape=shape)
            for data in (diagonals, np.asfortranarray(diagonals))
        ]
    wanted.append(sparse.bsr_matrix((np.zeros((0, 2, 2)), [], [0, 0, 0]), shape=(4, 4)))
    for theirs in wanted:
        sparse.save_npz(given, theirs)
        run("convert", "-f", given, ours)
        run("convert", "-f", given, dense)
        assert (sparse.load_npz(ours).toarray() == theirs.toarray()).all() and (
            np.load(dense) == theirs.toarray()
        ).all(), theirs
    # An archive may hold more blocks than are used, and by columns these stand among the others.
    data = np.arange(1.0, 17).reshape(4, 2, 2)
    for order in "CF":
        np.savez(
            given,
            format=b"bsr",
            shape=(4, 4),
            data=np.array(data, order=order),
            indices=np.array([0, 1, 0, 7], "i4"),
            indptr=np.array([0, 1, 3], "i4"),
        )
        run("convert", "-f", given, dense)
        assert (
            np.load(dense) == sparse.bsr_matrix((data[:3], [0, 1, 0], [0, 1, 3]), shape=(4, 4)).toarray()
        ).all(), order
    for shape in ((5,), (2, 3), (3, 4, 5), (2, 1, 3, 2)):
        values = np.where(chance.random(shape) < 0.4, chance.random(shape), 0)
        places = np.array(np.nonzero(values))
        for order in "CF":
            np.savez(
                given,
                format=b"coo",
                shape=shape,
                data=values[tuple(places)],
                coords=np.array(places, "i4", order=order),
                _is_array=True,
            )
            run("convert", "-f", given, dense)
            assert (np.load(dense) == values).all(), (shape, order)
            run("convert", "-f", "--layout", "coo", given, ours)
            read = np.load(ours)
            found = [read["coords"]] if len(shape) != 2 else [np.array([read["row"], read["col"]])]
            assert (
                (found[0] == places).all()
                and (read["data"] == values[tuple(places)]).all()
                and tuple(read["shape"]) == shape
            ), shape
            assert len(shape) == 2 or read["_is_array"], shape
    row = np.array([0, 1.5, 0, -2])
    np.savez(
        given,
        format=b"csr",
        shape=(4,),
        data=row[row != 0],
        indices=np.nonzero(row)[0],
        indptr=np.array([0, 2]),
        _is_array=True,
    )
    run("convert", "-f", given, dense)
    assert (np.load(dense) == row).all()


def npz_dense(folder):
    """Arrays of any rank, order and type stay arrays."""
    given, ours = Path(folder, "given.npy"), Path(folder, "ours.npz")
    chance = np.random.default_rng(8)
    for kind in ("b1", "i1", "u8", "f4", "f8", "c16"):
        for shape in ((), (3,), (2, 3), (2, 0, 3), (2, 3, 4, 5)):
            for order in "CF":
                array = np.array(chance.integers(0, 2, shape), kind, order=order)
                np.save(given, array)
                for packed in ("none", "deflate"):
                    run("convert", "-f", "--compression", packed, given, ours)
                    with np.load(ours) as read:
                        assert (
                            read.files == ["arr_0"]
                            and read["arr_0"].dtype == array.dtype
                            and read["arr_0"].shape == shape
                        ), (kind, shape)
                        assert (read["arr_0"] == array).all(), (kind, shape, order)
                    run("diff", given, ours)


def npz_streams(folder):
    """Streams in parts, as NumPy has them: what the page says of them, of files of ours and of others."""
    given, ours, table = Path(folder, "given.ctf"), Path(folder, "ours.npz"), Path(folder, "table.csv")
    given.write_text("7 |A 1 2 |B 3:1\n7 |A 3 4 |B\n9 |A 5 6 |B 1:2 4:7\n", encoding="utf-8")
    for packed in ("none", "deflate"):
        run("convert", "-f", "--compression", packed, given, ours)
        with np.load(ours) as read:
            assert [a.tolist() for a in np.split(read["A.values"], read["A.offsets"][1:-1])] == [
                [[1, 2], [3, 4]],
                [[5, 6]],
            ]
            rows_of_b = sparse.csr_matrix(
                (read["B.values"], read["B.indices"], read["B.entry_offsets"]), (3, int(read["B.dim"]))
            )
            assert (
                rows_of_b.toarray() == [[0, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 2, 0, 0, 7]]
            ).all() and read["B.offsets"].tolist() == [0, 2, 3]
            assert (
                read["key"].tolist() == [7, 9]
                and read["A.values"].dtype == "f4"
                and read["B.indices"].dtype == "i4"
            )
        run("diff", "--compare=keys", given, ours)
    page = Path(__file__).resolve().parents[1] / "docs" / "formats" / "npz.md"
    streams, names = re.findall("```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    place = {"np": np, "scipy": __import__("scipy.sparse")}
    exec(streams.replace("train.npz", str(ours)), place)
    assert [a.tolist() for a in place["sequences"]] == [[[1, 2], [3, 4]], [[5, 6]]] and place[
        "samples"
    ].shape == (3, 5)
    table.write_text(
        "n,t,d,\u00e9\n1,abc,2020-01-02T03:04:05,true\n2,\u00e9,1969-12-31T23:59:59,false\n", encoding="utf-8"
    )
    run("convert", "-f", table, ours)
    with np.load(ours) as read:
        assert (
            read["n"].tolist() == [1, 2]
            and read["\u00e9"].tolist() == [True, False]
            and read["d"].dtype == "M8[s]"
        )
        assert read["d"].astype(str).tolist() == ["2020-01-02T03:04:05", "1969-12-31T23:59:59"], read["d"]
        place["d"] = {f"name.{word}": read[f"t.{word}"] for word in ("text", "offsets")}
        exec(names, place)
        assert place["names"] == ["abc", "\u00e9"], place["names"]
    run("diff", table, ours)
    # What NumPy users save by these names: offsets of any width, values of any type, keys and weights or
    # none.
    chance = np.random.default_rng(9)
    for kind, width, by in (("f4", "i8", "<"), ("f8", "u4", ">"), ("i2", "i2", "<"), ("f2", "u8", ">")):
        lengths = chance.integers(0, 5, 40)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        values = chance.integers(0, 9, (offsets[-1], 3)).astype(by + kind)
        counts = chance.integers(0, 4, offsets[-1])
        entries = np.concatenate([[0], np.cumsum(counts)])
        indices = np.concatenate([np.sort(chance.choice(9, n, replace=False)) for n in counts]).astype("i4")
        np.savez(
            ours,
            **{
                "A.values": values,
                "A.offsets": offsets.astype(by + width),
                "B.offsets": offsets,
                "B.entry_offsets": entries,
                "B.indices": indices,
                "B.dim": 9,
                "B.values": np.ones(entries[-1], kind),
                "key": np.arange(40, dtype="u8") * 3,
                "weight": chance.random(40),
            },
        )
        found = [json.loads(line) for line in run("cat", "--json", ours).splitlines()]
        assert [row["key"] for row in found] == list(range(0, 120, 3)), found[0]
        assert [row["streams"]["A"] for row in found] == [
            part.tolist() for part in np.split(values, offsets[1:-1])
        ], (kind, width)
        places = [[index for index, _ in sample] for row in found for sample in row["streams"]["B"]]
        assert places == [part.tolist() for part in np.split(indices, entries[1:-1])], (kind, width)
        again = Path(folder, "again.npz")
        run("convert", "-f", ours, again)
        run("diff", "--compare=keys", ours, again)


def npz_with_data_descriptors(folder):
    """In a stream that cannot go back, checksums and sizes follow the members."""

    class Pipe(io.RawIOBase):
        def __init__(self):
            super().__init__()
            self.bytes = bytearray()

        def writable(self):
            return True

        def write(self, data):
            self.bytes += bytes(data)
            return len(data)

    pipe = Pipe()
    np.savez_compressed(pipe, a=np.arange(1000))
    path = Path(folder, "piped.npz")
    path.write_bytes(bytes(pipe.bytes))
    run("convert", "-f", path, Path(folder, "ours.npy"))
    assert (np.load(Path(folder, "ours.npy")) == np.arange(1000)).all()


def main():
    with tempfile.TemporaryDirectory() as folder:
        check("csv: as Python's module reads it", lambda: csv_as_python_reads_it(folder))
        check("csv: through all dialects and back", lambda: csv_through_all_dialects(folder))
        check("csv: random tables", lambda: csv_random_tables(folder))
        check("csv: large doubles", lambda: csv_large_doubles(folder))
        check("csv: quotes stand where they are needed", lambda: csv_quotes_only_where_needed(folder))
        check("npy: all types, orders and shapes, from NumPy and back", lambda: npy_both_ways(folder))
        check("npy: tables with what is missing", lambda: npy_tables(folder))
        check("npy: times in all units", lambda: npy_times(folder))
        check("npy: fields become what they were", lambda: npy_fields(folder))
        check("npy: rows as sequences and back", lambda: npy_sequences(folder))
        check("npz: all of SciPy's layouts, from SciPy and back", lambda: npz_both_ways(folder))
        check("npz: empty and narrow matrices", lambda: npz_extremes(folder))
        check(
            "npz: blocks, diagonals and coordinates as SciPy stores them",
            lambda: npz_as_scipy_stores_it(folder),
        )
        check("npz: dense arrays stay arrays", lambda: npz_dense(folder))
        check("npz: sequences and tables in parts", lambda: npz_streams(folder))
        check("npz: sizes after the members", lambda: npz_with_data_descriptors(folder))
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
