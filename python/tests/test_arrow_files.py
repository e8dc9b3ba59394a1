# SPDX-License-Identifier: MIT
"""Arrow's files and streams, made by pyarrow, Polars, pandas and DuckDB while the tests run, and what they
read of ours."""
import datetime
import decimal

import sheaf
from common import need, same

ROWS = 1000


def table_of(pa, np):
    """A column of each type that has a place."""
    day, moment, second = datetime.date(2020, 1, 1), datetime.datetime(2020, 1,
                                                                       1), datetime.timedelta(seconds=1)
    return pa.table({
        "i": pa.array(range(ROWS), pa.int32()),
        "f": pa.array([None if k % 7 == 0 else k / 3 for k in range(ROWS)]),
        "s": pa.array([None if k % 5 == 0 else f"t{k}" for k in range(ROWS)]),
        "ls": pa.array(["x" * (k % 40) for k in range(ROWS)], pa.large_string()),
        "b": pa.array([k % 3 == 0 for k in range(ROWS)]),
        "bin": pa.array([bytes([k % 256] * 3) for k in range(ROWS)]),
        "ts": pa.array([moment + k * second for k in range(ROWS)]),
        "tz": pa.array([moment + k * second for k in range(ROWS)], pa.timestamp("us", "Europe/Berlin")),
        "d": pa.array([day] * ROWS),
        "du": pa.array([k * second for k in range(ROWS)]),
        "dict": pa.array(["a", "b", None, "c"] * (ROWS // 4)).dictionary_encode(),
        "sv": pa.array([f"view {k * 10 ** (k % 12)}" for k in range(ROWS)], pa.string_view()),
        "h": pa.array(np.arange(ROWS, dtype=np.float16)),
        "nul": pa.nulls(ROWS),
        "fb": pa.array([b"abcd"] * ROWS, pa.binary(4)),
        "u8": pa.array(np.arange(ROWS) % 256, pa.uint8()),
    })


def check(pa, frame, table):
    found = pa.table(frame)
    same(found.num_rows, table.num_rows)
    for name in ("i", "f", "s", "ls", "b", "bin", "ts", "du", "dict", "sv", "h", "nul", "fb", "u8"):
        same(found[name].to_pylist(), table[name].to_pylist())


def test_files_of_pyarrow(tmp):
    pa, np = need("pyarrow"), need("numpy")
    feather = need("pyarrow.feather")
    table = table_of(pa, np)
    hashes = set()
    for name, how in [("a", {"compression": "uncompressed"}), ("b", {"compression": "zstd"}),
                      ("c", {"compression": "lz4"}), ("d", {"compression": "uncompressed", "chunksize": 77})]:
        feather.write_feather(table, tmp / f"{name}.feather", **how)
        hashes.add(sheaf.hash(tmp / f"{name}.feather"))
        check(pa, sheaf.read(tmp / f"{name}.feather"), table)
    with pa.ipc.new_stream(str(tmp / "s.arrows"), table.schema) as writer:
        for batch in table.to_batches(max_chunksize=77):
            writer.write_batch(batch)
    hashes.add(sheaf.hash(tmp / "s.arrows"))
    same(len(hashes), 1)


def test_deltas_of_pyarrow(tmp):
    """Dictionaries that grow from batch to batch."""
    pa = need("pyarrow")
    words, kinds = ["a", "bb", None, "", "\xe4\xf6", "ccc"], [pa.string(), pa.large_string()]
    schema = pa.schema([(f"c{i}", pa.dictionary(pa.int8(), kind)) for i, kind in enumerate(kinds)])
    batches = []
    for size in (2, 3, 3, 6):
        places = pa.array([k % size if k % 4 else None for k in range(9)], pa.int8())
        columns = [pa.DictionaryArray.from_arrays(places, pa.array(words[:size], kind)) for kind in kinds]
        batches.append(pa.record_batch(columns, schema=schema))
    table = pa.Table.from_batches(batches)
    options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
    for name, new in [("d.arrow", pa.ipc.new_file), ("d.arrows", pa.ipc.new_stream)]:
        with new(str(tmp / name), schema, options=options) as writer:
            for batch in batches:
                writer.write_batch(batch)
        found = pa.table(sheaf.read(tmp / name))
        for column in table.column_names:
            same(found[column].to_pylist(), table[column].to_pylist())


def test_dictionaries_of_numbers(tmp):
    pa, pandas = need("pyarrow"), need("pandas")
    feather = need("pyarrow.feather")
    codes, day = pa.array([0, 1, None, 1, 2], pa.int8()), datetime.date(2020, 1, 1)
    kinds = {"i": pa.array([5, None, 2**62]), "h": pa.array([0.5, 1.5, 2.5], pa.float16()),
             "b": pa.array([True, False, None]), "d": pa.array([day, day, None]),
             "w": pa.array([b"ab", b"cd", b"ef"], pa.binary(2))}
    table = pa.table({name: pa.DictionaryArray.from_arrays(codes, words) for name, words in kinds.items()})
    feather.write_feather(table, tmp / "words.feather")
    found = pa.table(sheaf.read(tmp / "words.feather"))
    for name in ("i", "h", "b", "w"):
        same(found[name].to_pylist(), table[name].to_pylist())
    same([None if v is None else v.date() for v in found["d"].to_pylist()], table["d"].to_pylist())
    pandas.DataFrame({"c": pandas.Categorical([30, 10, None, 30])}).to_feather(tmp / "c.feather")
    same(pa.table(sheaf.read(tmp / "c.feather"))["c"].to_pylist(), [30, 10, None, 30])


def test_lists_of_texts(tmp):
    pa, feather = need("pyarrow"), need("pyarrow.feather")
    rows = {"A": [[1.0, 2.0], [], [3.0]], "words": [["a", None], [], ["", "a longer text than in a view"]]}
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        words = pa.array([[]] + rows["words"], pa.list_(kind)).slice(1)
        feather.write_feather(pa.table({"A": rows["A"], "words": words}), tmp / "a.feather", version=2)
        found = pa.table(sheaf.read(tmp / "a.feather"))
        same(found["words"].to_pylist(), rows["words"])
        sheaf.convert(tmp / "a.feather", tmp / "b.feather", force=True)
        same(feather.read_table(tmp / "b.feather")["words"].to_pylist(), rows["words"])


def test_streams_for_pyarrow(tmp):
    pa = need("pyarrow")
    (tmp / "a.ctf").write_text("7 |A 1 2 |B 3:0.5 9:1\n7 |A -0 4\n9 |A 3 5 |B 0:1\n")
    for name, how in [("a.arrow", {}), ("b.arrow", {"compression": "zstd"}),
                      ("c.arrow", {"compression": "lz4"}), ("d.arrow", {"chunk_bytes": 1}),
                      ("a.arrows", {})]:
        sheaf.convert(tmp / "a.ctf", tmp / name, **how)
        read = pa.ipc.open_stream if name.endswith("s") else pa.ipc.open_file
        with pa.OSFile(str(tmp / name)) as file:
            table = read(file).read_all()
        table.validate(full=True)
        same(table["A"].to_pylist(), [[[1, 2], [0, 4]], [[3, 5]]])
        same(table["key"].to_pylist(), [7, 9])
        entries = [[[(e["index"], e["value"]) for e in sample] for sample in row]
                   for row in table["B"].to_pylist()]
        same(entries, [[[(3, 0.5), (9, 1)]], [[(0, 1)]]])


def test_polars(tmp):
    pl = need("polars")
    frame = pl.DataFrame({"a": [1, 2, None], "s": ["x", None, "yy" * 20],
                          "c": pl.Series(["u", "v", "u"], dtype=pl.Categorical)})
    frame.write_ipc(tmp / "a.arrow", compression="lz4")
    frame.write_ipc_stream(tmp / "a.arrows")
    rows = frame.with_columns(pl.col("c").cast(pl.String)).rows()
    for name in ("a.arrow", "a.arrows"):
        sheaf.convert(tmp / name, tmp / "b.feather", force=True)
        same(pl.read_ipc(tmp / "b.feather").rows(), rows)


def test_pandas(tmp):
    pd = need("pandas")
    need("pyarrow")
    frame = pd.DataFrame({"a": [1.5, 2.0], "c": pd.Categorical(["p", "q"])})
    frame.to_feather(tmp / "a.feather")
    sheaf.convert(tmp / "a.feather", tmp / "b.feather")
    found = pd.read_feather(tmp / "b.feather")
    same(found["a"].to_list(), [1.5, 2.0])
    same([str(c) for c in found["c"]], ["p", "q"])


def test_duckdb(tmp):
    duckdb, pa = need("duckdb"), need("pyarrow")
    (tmp / "a.csv").write_text("a,b\n1,x\n2,y\n")
    sheaf.convert(tmp / "a.csv", tmp / "a.arrow")
    with pa.OSFile(str(tmp / "a.arrow")) as file:
        rows = pa.ipc.open_file(file).read_all()
    same(duckdb.sql("select sum(a), count(b) from rows").fetchall(), [(3, 2)])
    made = duckdb.sql("select range::INTEGER a, 'v' || range s from range(10)").to_arrow_table()
    with pa.ipc.new_file(str(tmp / "d.arrow"), made.schema) as writer:
        writer.write_table(made)
    same(sheaf.read(tmp / "d.arrow")["a"].values.tolist(), list(range(10)))


def test_decimals(tmp):
    pa, feather = need("pyarrow"), need("pyarrow.feather")
    kinds = {"cents": pa.decimal128(10, 2), "whole": pa.decimal128(18), "long": pa.decimal128(38, 10),
             "wide": pa.decimal256(76, 76), "round": pa.decimal128(12, -3)}
    columns = {}
    for name, kind in kinds.items():
        most = 10 ** kind.precision - 1
        columns[name] = pa.array([None, *(decimal.Decimal(n).scaleb(-kind.scale, decimal.Context(prec=90))
                                          for n in (0, 1, -1, most, -most))], kind)
    table = pa.table(columns)
    feather.write_feather(table, tmp / "d.feather")
    found = sheaf.read(tmp / "d.feather")
    for name, column in columns.items():
        values = found[name].to_list()
        assert values[0] is None, values
        same([decimal.Decimal(str(v)) for v in values[1:]], column.to_pylist()[1:])
    same([found[name].field.type for name in ("cents", "whole")], ["float64", "int64"])
