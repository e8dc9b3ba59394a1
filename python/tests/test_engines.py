# SPDX-License-Identifier: MIT
"""Partitions, and the engines that read them, in local mode: `make check-engines` has them."""
import contextlib
import os
import pickle
import sys

import numpy as np
import sheaf
from common import need, raises, same

STREAMS = {"stream": ["A:2:dense", "B:30:sparse"]}


def some_rows(folder):
    path = folder / "rows.ctf"
    with path.open("w") as file:
        for i in range(3000):
            file.write(f"{i} |A {i % 7} {i % 5} |B {i % 10}:1 {10 + i % 10}:0.5\n")
    return path


def many_pieces(folder):
    """A file of ten pieces, whose rows have no keys."""
    path = folder / "rows.cbf"
    sheaf.convert(some_rows(folder), path, chunk_bytes="16K", **STREAMS)
    assert len(sheaf.partitions(path)) > 4
    return path


def broken(folder):
    """Row 2500 is wrong: no schema shows it."""
    path = some_rows(folder)
    path.write_text(path.read_text().replace("\n2500 |A 1 0 |", "\n2500 |A 1 oops |"))
    return path


def table(folder):
    path = folder / "table.csv"
    with path.open("w") as file:
        file.write("n,word,when,x\n")
        for i in range(200):
            word = "" if i % 5 == 0 else f"w{i}"
            file.write(f"{i},{word},2020-01-{1 + i % 28:02}T00:00:00Z,{i / 4}\n")
    return path


# ---- partitions ----


def test_partitions_of_several_files(tmp):
    path = many_pieces(tmp)
    (tmp / "more.cbf").write_bytes(path.read_bytes())
    parts = sheaf.partitions([path, tmp / "more.cbf"], 3)
    same(len(parts), 3)
    same(sum(part.rows for part in parts), 6000)
    same([part.first for part in parts], [0, *np.cumsum([part.rows for part in parts])[:-1].tolist()])
    both = np.concatenate([frame["A"].values for part in parts for frame in part])
    same(both, np.concatenate([sheaf.read(path)["A"].values] * 2))
    same([len(part.paths) for part in parts], [1, 2, 1])
    same(sheaf.partitions(str(tmp / "*.cbf"), 3)[1].rows, parts[1].rows)
    sheaf.write(tmp / "other.cbf", {"C": np.ones((3, 2), np.float32)})
    with raises(sheaf.UsageError, "other.cbf: expected the columns of"):
        sheaf.partitions([path, tmp / "other.cbf"])


def test_partitions_say_what_they_are(tmp):
    path = many_pieces(tmp)
    parts = sheaf.partitions(path)
    same(sum(part.bytes for part in parts) <= path.stat().st_size, True)
    assert all(part.bytes > 0 and str(path.stat().st_size) in part.fingerprint for part in parts)
    again = pickle.loads(pickle.dumps(parts))
    same(again, parts)
    same(len({*again, *parts}), len(parts))
    assert parts[0] != parts[1] and len(pickle.dumps(parts[0])) < 2000
    same(parts[0].schema.names, ["A", "B"])


def test_a_changed_file_is_refused(tmp):
    path = some_rows(tmp)
    part = sheaf.partitions(path, 2, **STREAMS)[0]
    same(sum(map(len, part)), part.rows)
    text = path.read_text()
    path.write_text(text.replace("0 |A 0 0", "0 |A 5 0", 1))
    os.utime(path, ns=(1, 1))
    with raises(sheaf.DataError, "rows.ctf: expected the file as it was when its partitions were made"):
        list(part)
    with raises(sheaf.DataError, "has changed"):
        part.schema  # noqa: B018


def test_partitions_of_what_has_no_rows(tmp):
    (tmp / "none.csv").write_text("a,b\n")
    (part,) = sheaf.partitions(tmp / "none.csv", 3, header="yes")
    same((part.rows, list(part), part.schema.names), (0, [], ["a", "b"]))


def test_partitions_of_bytes(tmp):
    data = some_rows(tmp).read_bytes()
    parts = pickle.loads(pickle.dumps(sheaf.partitions(data, 2, **STREAMS)))
    same(sum(len(frame) for part in parts for frame in part), 3000)
    os.mkfifo(tmp / "pipe")
    with raises(sheaf.UsageError, "expected a file that others can open"):
        sheaf._source.fingerprint(tmp / "pipe")


def test_partitions_for_lists_of_32_bits(tmp):
    pa = need("pyarrow")
    part = sheaf.partitions(many_pieces(tmp), 2)[1]
    small = pa.table(part.to_arrow(offsets=32))
    same(pa.types.is_list(small.schema.field("A").type), True)
    same(small.to_pylist(), pa.table(part).to_pylist())


def test_hashes_add_up(tmp):
    for path, options in ((many_pieces(tmp), {}), (some_rows(tmp), STREAMS), (table(tmp), {})):
        for n in (1, 3):
            parts = sheaf.partitions(path, n, **options)
            for keys in (False, True):
                hashes = [part.hashed(keys) for part in reversed(parts)]
                same(parts[0].hash_of(hashes, keys), sheaf.hash(path, compare=["keys"] * keys, **options))
    assert parts[0].hash_of([], True) != sheaf.hash(path, compare="keys")
    with raises(sheaf.DataError, "expected one of the same columns"):
        parts[0].hash_of([b"x" * 40])


# ---- engines ----


def whole(path, **options):
    import pyarrow as pa

    return pa.table(sheaf.open(path, **options)).to_pylist()


def plain(frame):
    """Rows of a DataFrame of pandas with Arrow's types."""
    import pyarrow as pa

    return pa.Table.from_pandas(frame, preserve_index=False).to_pylist()


def test_dask(tmp):
    need("dask.dataframe")
    import sheaf.dask

    path = many_pieces(tmp)
    for n in (1, 4, None):
        made = sheaf.dask.dataframe(path, n)
        same(plain(made.compute(scheduler="threads")), whole(path))
    same(made.npartitions, len(sheaf.partitions(path)))
    same(plain(made.loc[1000:1002].compute()), whole(path)[1000:1003])
    same(made.index.compute().tolist(), list(range(3000)))
    words = sheaf.dask.dataframe(table(tmp), 2)
    same(int(words["n"].sum().compute()), sum(range(200)))
    same(int(words["word"].isna().sum().compute()), 40)
    sums = sheaf.dask.bag(path, 3).map(lambda part: sum(float(f["B"].values.sum()) for f in part))
    same(sums.sum().compute(scheduler="threads"), 4500.0)


def test_dask_in_processes(tmp):
    bag = need("dask.bag")
    assert bag
    import sheaf.dask

    path = many_pieces(tmp)
    counts = sheaf.dask.bag(path, 3).map(len).compute(scheduler="processes", num_workers=2)
    same(counts, [part.rows for part in sheaf.partitions(path, 3)])
    parts = sheaf.partitions(path, 3)
    hashes = sheaf.dask.bag(path, 3).map(sheaf.Partition.hashed).compute(scheduler="processes", num_workers=2)
    same(parts[0].hash_of(hashes), sheaf.hash(path))
    with raises(sheaf.DataError, "rows.ctf:2501:") as caught:
        sheaf.dask.dataframe(broken(tmp), 3, **STREAMS).compute(scheduler="processes", num_workers=2)
    same((caught.error.place.line, caught.error.found is not None), (2501, True))


@contextlib.contextmanager
def ray_running():
    ray = need("ray.data") and need("ray")
    ray.init(num_cpus=2, logging_level="ERROR", log_to_driver=False, include_dashboard=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    try:
        yield
    finally:
        ray.shutdown()


def test_ray(tmp):
    with ray_running():
        import sheaf.ray

        path = many_pieces(tmp)
        made = sheaf.ray.dataset(path, 3)
        same(made.count(), 3000)
        same(made.take_all(), whole(path))
        import ray

        parts = sheaf.partitions(path, 3)
        hashed = ray.remote(sheaf.Partition.hashed)
        same(parts[0].hash_of(ray.get([hashed.remote(part) for part in parts])), sheaf.hash(path))
        same(sheaf.ray.dataset(table(tmp), 2).sum("n"), sum(range(200)))
        made = sheaf.ray.dataset(broken(tmp), 3, **STREAMS)
        with raises(Exception, "rows.ctf:2501:"):
            made.take_all()
        path = some_rows(tmp)
        made = sheaf.ray.dataset(path, 3, **STREAMS)
        path.write_text("0 |A 1 1 |B 1:1\n")
        with raises(Exception, "found that it has changed"):
            made.take_all()


@contextlib.contextmanager
def spark_running():
    need("pyspark")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()


def test_spark(tmp):
    with spark_running() as spark:
        import sheaf.spark

        path = many_pieces(tmp)
        made = sheaf.spark.dataframe(spark, path, 3)
        same(made.rdd.getNumPartitions(), 3)
        rows = [row.asDict(recursive=True) for row in made.collect()]
        same(sorted(map(repr, rows)), sorted(map(repr, whole(path))))
        parts = sheaf.partitions(path, 3)
        hashes = spark.sparkContext.parallelize(parts, 3).map(sheaf.Partition.hashed).collect()
        same(parts[0].hash_of(hashes), sheaf.hash(path))
        words = sheaf.spark.dataframe(spark, table(tmp), 2)
        same([tuple(row) for row in words.selectExpr("sum(n)", "count(word)").collect()], [(19900, 160)])
        keyed = sheaf.spark.dataframe(spark, some_rows(tmp), 2, **STREAMS)
        same(keyed.agg({"key": "sum"}).collect()[0][0], sum(range(3000)))  # uint64
        with raises(Exception, "rows.ctf:2501:"):
            sheaf.spark.dataframe(spark, broken(tmp), 3, **STREAMS).collect()
        path = some_rows(tmp)
        made = sheaf.spark.dataframe(spark, path, 3, **STREAMS)
        path.write_text("0 |A 1 1 |B 1:1\n")
        with raises(Exception, "found that it has changed"):
            made.collect()


def test_adapters_are_small():
    from pathlib import Path

    for name in ("dask", "ray", "spark"):
        lines = (Path(sheaf.__file__).parent / f"{name}.py").read_text().splitlines()
        assert len(lines) < 40, (name, len(lines))
