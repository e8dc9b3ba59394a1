# SPDX-License-Identifier: MIT
"""Arrow's capsules, out and in."""
import threading

import numpy as np
import sheaf
from common import matrix, need, raises, same, words


def table(tmp):
    path = tmp / "t.csv"
    path.write_text("n,t,x\n1,abc,1.5\n,de,2.5\n3,,3.5\n")
    return path


def test_errors_come_whole(tmp):
    """Of the rows of a file, and of those that Python makes."""
    pa = need("pyarrow")
    (tmp / "bad.ctf").write_text("".join(f"{i} |a {'oops' if i == 250 else 1}\n" for i in range(300)))
    given = {"stream": "a:1:dense"}
    (part,) = sheaf.partitions(tmp / "bad.ctf", 1, **given)
    for rows in (sheaf.open(tmp / "bad.ctf", **given), part):
        with raises(pa.ArrowInvalid, "bad.ctf:251:8"):
            pa.table(rows)
        reader = pa.RecordBatchReader.from_stream(rows)
        with raises(pa.ArrowInvalid, 'expected a number, found "oops"'):
            while True:
                reader.read_next_batch()


def test_errors_name_keywords(tmp):
    """What the library says to other programs names options as Python has them."""
    pa = need("pyarrow")
    (tmp / "bad.ctf").write_text("".join(f"{i} |a {'oops' if i % 100 == 50 else 1}\n" for i in range(300)))
    rows = sheaf.open(tmp / "bad.ctf", stream="a:1:dense", max_errors=2)
    for _ in range(2):
        with raises(pa.ArrowInvalid, "max_errors") as caught:
            pa.table(rows)
        assert "--" not in str(caught.error), caught.error


def test_capsules_are_released(tmp):
    """Unused ones, too; nothing needs pyarrow."""
    dataset = sheaf.open(words(tmp))
    for thing in (dataset, dataset.read(), dataset.schema):
        for name in ("__arrow_c_schema__", "__arrow_c_stream__", "__arrow_c_array__"):
            method = getattr(thing, name, None)
            if method:
                assert "capsule object" in repr(method()) or isinstance(method(), tuple)


def test_through_arrow_and_back(tmp):
    """What a frame gives, `write` takes."""
    class Table:
        def __init__(self, rows):
            self._rows = rows

        def __arrow_c_stream__(self, requested_schema=None):
            return self._rows.__arrow_c_stream__(requested_schema)

    path = words(tmp)
    for rows in (sheaf.open(path), sheaf.read(path)):
        sheaf.write(tmp / "again.cbf", Table(rows), force=True)
        assert sheaf.diff(path, tmp / "again.cbf").equal
    sheaf.write(tmp / "again.csv", Table(sheaf.open(table(tmp))))
    same(sheaf.read(tmp / "again.csv")["n"].to_list(), [1, None, 3])


def test_pyarrow(tmp):
    pa = need("pyarrow")
    frame = sheaf.read(words(tmp))
    made = pa.table(frame)
    made.validate(full=True)
    same(made.num_rows, 2)
    same(made["tag"].to_pylist()[1], [[0.0, 0.0, 1.0]])
    same(made["word"].to_pylist()[1], [[{"index": 5, "value": 1.0}]])
    values = made["tag"].chunk(0).values.values
    same(values.buffers()[1].address, frame["tag"].values.__array_interface__["data"][0])
    read = pa.table(sheaf.open(table(tmp)))
    same(read["n"].to_pylist(), [1, None, 3])
    same(read["t"].to_pylist()[:2], ["abc", "de"])
    entries = pa.table(sheaf.open(matrix(tmp)))
    same(entries.num_rows, 4)
    del frame
    same(made["tag"].to_pylist()[0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_small_offsets(tmp):
    pa = need("pyarrow")
    made = pa.table(sheaf.open(words(tmp)).to_arrow(offsets=32))
    assert pa.types.is_list(made.schema.field("tag").type) and not pa.types.is_large_list(
        made.schema.field("tag").type)
    asked = pa.schema([pa.field("n", pa.int64()), pa.field("t", pa.string()), pa.field("x", pa.float64())])
    reader = pa.RecordBatchReader.from_stream(sheaf.open(table(tmp)), schema=asked)
    same(str(reader.read_all().schema.field("t").type), "string")


def test_parquet(tmp):
    pa = need("pyarrow")
    parquet = need("pyarrow.parquet")
    parquet.write_table(pa.table(sheaf.open(table(tmp))), tmp / "t.parquet")
    sheaf.write(tmp / "back.csv", parquet.read_table(tmp / "t.parquet"))
    same(sheaf.read(tmp / "back.csv")["t"].to_list()[0], "abc")


def test_batches_are_tables(tmp):
    pa = need("pyarrow")
    loader = sheaf.batches(words(tmp), size="1sequences")
    same(pa.table(loader).num_rows, 2)


def test_packed_batches_are_tables(tmp):
    pa = need("pyarrow")
    batch = next(iter(sheaf.batches(words(tmp), size=100, pad=1)))
    table = pa.table(batch)
    same(table.num_rows, batch.sequences)
    same("tag.mask" in table.column_names, True)
    same(pa.schema(batch), table.schema)


def test_polars_and_pandas(tmp):
    pl = need("polars")
    frame = pl.DataFrame(sheaf.open(table(tmp)))
    same(frame["n"].to_list(), [1, None, 3])
    same(sheaf.scan_polars(table(tmp)).filter(pl.col("x") > 2).select("t").collect()["t"].to_list()[:1],
         ["de"])
    same(sheaf.scan_polars(table(tmp)).head(1).collect().height, 1)
    pd = need("pandas")
    if hasattr(pd.DataFrame, "from_arrow"):
        same(list(pd.DataFrame.from_arrow(sheaf.open(table(tmp)))["x"]), [1.5, 2.5, 3.5])


def test_duckdb(tmp):
    duckdb = need("duckdb")
    d = sheaf.open(words(tmp))
    assert d is not None
    for _ in range(3):
        same(duckdb.sql("select count(*) from d").fetchall()[0][0], 2)
    same(duckdb.sql("select sum(len(tag)) from d").fetchall()[0][0], 4)


def test_streams_on_other_threads(tmp):
    pa = need("pyarrow")
    reader = pa.RecordBatchReader.from_stream(sheaf.open(words(tmp)))
    found = []
    thread = threading.Thread(target=lambda: found.append(reader.read_all().num_rows))
    thread.start()
    thread.join()
    same(found, [2])


def test_failures_come_through(tmp):
    pa = need("pyarrow")
    path = tmp / "bad.ctf"
    path.write_text("0 |a 1 2\n1 |a 1 x\n")
    reader = pa.RecordBatchReader.from_stream(sheaf.open(path, stream=["a:2:dense"]))
    with raises(Exception, "bad.ctf:2"):
        reader.read_all()


def test_tables_of_others(tmp):
    pa = need("pyarrow")
    sheaf.write(tmp / "p.csv",
                pa.table({"a": [1, 2, None], "b": ["x", None, "z"], "c": pa.array([1.5, 2.5, 3.5])}))
    frame = sheaf.read(tmp / "p.csv")
    same(frame["a"].to_list(), [1, 2, None])
    same(frame["c"].to_list(), [1.5, 2.5, 3.5])
    lists = pa.table({"A": pa.array([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]],
                                    pa.list_(pa.list_(pa.float32(), 2)))})
    sheaf.write(tmp / "l.ctf", lists)
    same(sheaf.read(tmp / "l.ctf", stream=["A:2:dense"])["A"].values,
         np.array([[1, 2], [3, 4], [5, 6]], np.float32))
