#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Races against other programs that people use, in fixed versions (tools/python_venv FOLDER peers):
files are read by path, every value is summed on both sides, and memory is touched before each run, since the
first touch of a page can cost a virtual machine more than the work.

    bench/peers.py FOLDER_OF_THE_BUILD

BENCH_MB (100): size of a workload; BENCH_ROUNDS (5); BENCH_ONLY: races by the beginnings of their names,
separated by semicolons; BENCH_DIR: where workloads stand. Entrants take turns. CPU is user and system time;
of a Python program without its start and its imports, of ours with all of it. The ratio is theirs to ours,
the median of the rounds: above 1, ours is faster."""
from __future__ import annotations

import json
import mmap
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

MB = int(os.environ.get("BENCH_MB", "100"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))

# ---- what peers do: each takes a path and sums what is there ----


def read_pandas(path: str, threads: int):
    import pandas

    def work():
        table = pandas.read_csv(path)
        texts = [c for c in table if table[c].dtype.kind not in "biuf"]
        return sum(float(table[c].str.len().sum() if c in texts else table[c].sum()) for c in table)

    return work


def read_pyarrow(path: str, threads: int):
    import pyarrow
    import pyarrow.compute as compute
    from pyarrow import csv

    pyarrow.set_cpu_count(threads)

    def work():
        table = csv.read_csv(path, read_options=csv.ReadOptions(use_threads=threads > 1))
        total = 0.0
        for column in table.columns:
            kind = column.type
            if pyarrow.types.is_string(kind):
                column = compute.binary_length(column)
            elif pyarrow.types.is_temporal(kind):
                column = column.cast(pyarrow.int64())
            total += float(compute.sum(column).as_py() or 0)
        return total

    return work


def read_polars(path: str, threads: int):
    import polars

    def work():
        table = polars.read_csv(path)
        columns = (c.str.len_bytes() if c.dtype == polars.String else c for c in table)
        return sum(float(column.sum() or 0) for column in columns)

    return work


NUMBERS = {"id": "int64", "a": "int64", "b": "int64"} | {f"x{i}": "float64" for i in range(7)}


def read_declared_pandas(path: str, threads: int):
    import pandas

    return lambda: sum(float(pandas.read_csv(path, dtype=NUMBERS)[c].sum()) for c in NUMBERS)


def read_declared_pyarrow(path: str, threads: int):
    import pyarrow
    import pyarrow.compute as compute
    from pyarrow import csv

    pyarrow.set_cpu_count(threads)
    types = {name: getattr(pyarrow, kind)() for name, kind in NUMBERS.items()}
    converting = csv.ConvertOptions(column_types=types)
    reading = csv.ReadOptions(use_threads=threads > 1)

    def work():
        table = csv.read_csv(path, read_options=reading, convert_options=converting)
        return sum(float(compute.sum(column).as_py()) for column in table.columns)

    return work


def read_declared_polars(path: str, threads: int):
    import polars

    kinds = {"int64": polars.Int64, "float64": polars.Float64}
    schema = {name: kinds[kind] for name, kind in NUMBERS.items()}
    return lambda: sum(float(c.sum()) for c in polars.read_csv(path, schema=schema))


def write_arrow_pyarrow(path: str, threads: int):
    import pyarrow
    from pyarrow import csv, feather

    pyarrow.set_cpu_count(threads)

    def work():
        table = csv.read_csv(path, read_options=csv.ReadOptions(use_threads=threads > 1))
        feather.write_feather(table, path + ".theirs.arrow", compression="uncompressed")

    return work


def write_arrow_polars(path: str, threads: int):
    import polars

    return lambda: polars.read_csv(path).write_ipc(path + ".theirs.arrow", compression="uncompressed")


def read_duckdb(path: str, threads: int):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads={threads}")

    def work():
        # Into a table of its own: a query would read only its columns and keep nothing.
        connection.execute(f"create table t as select * from read_csv('{path}')")
        kinds = connection.execute("select column_name, column_type from (describe t)").fetchall()
        how = {"VARCHAR": 'sum(strlen("{}"))', "BIGINT": 'sum("{}")', "DOUBLE": 'sum("{}")'}
        sums = [how.get(kind, 'count("{}")').format(name) for name, kind in kinds]
        return sum(float(x or 0) for x in connection.execute(f"select {', '.join(sums)} from t").fetchone())

    return work


def read_scipy_npz(path: str, threads: int):
    import scipy.sparse

    def work():
        m = scipy.sparse.load_npz(path)
        return float(m.data.sum()) + int(m.indices.sum(dtype="int64")) + int(m.indptr.sum(dtype="int64"))

    return work


def write_scipy_npz(path: str, threads: int, compressed: bool = False):
    import scipy.sparse

    def work():
        scipy.sparse.save_npz(path + ".theirs.npz", scipy.sparse.load_npz(path), compressed=compressed)

    return work


def write_scipy_deflated(path: str, threads: int):
    return write_scipy_npz(path, threads, True)


def gather_scipy(path: str, threads: int):
    import numpy
    import scipy.sparse

    def work():
        m = scipy.sparse.load_npz(Path(path).with_suffix(".npz"))
        order, total = numpy.random.default_rng(0).permutation(m.shape[0]), 0
        for i in range(0, len(order), 256):
            total += m[order[i : i + 256]].nnz
        return total

    return work


def gather_torch(path: str, threads: int):
    import scipy.sparse
    import torch

    torch.set_num_threads(threads)

    def collate(rows):
        indices, values = zip(*rows)
        return torch.cat(indices), torch.cat(values)

    def work():
        m = scipy.sparse.load_npz(Path(path).with_suffix(".npz"))
        indices, values, at = torch.from_numpy(m.indices), torch.from_numpy(m.data), m.indptr.tolist()
        rows = [(indices[i:k], values[i:k]) for i, k in zip(at, at[1:])]
        loader = torch.utils.data.DataLoader(rows, batch_size=256, shuffle=True, collate_fn=collate)
        return sum(len(values) for _, values in loader)

    return work


def write_h5py(path: str, threads: int):
    import h5py
    import scipy.sparse

    def work():
        m = scipy.sparse.load_npz(path)
        with h5py.File(path + ".theirs.h5", "w") as f:
            for name, array in (("values", m.data), ("indices_1", m.indices), ("pointers_to_1", m.indptr)):
                f.create_dataset(name, data=array, compression="gzip", compression_opts=6, shuffle=True)

    return work


def write_mtx_h5(path: str, threads: int):
    import h5py
    import scipy.io._fast_matrix_market as fast

    fast.PARALLELISM = threads

    def work():
        m = fast.mmread(path).tocsr()
        with h5py.File(path + ".theirs.h5", "w") as f:
            for name, array in (("values", m.data), ("indices_1", m.indices), ("pointers_to_1", m.indptr)):
                f.create_dataset(name, data=array)

    return work


def read_scipy_mtx(path: str, threads: int):
    import scipy.io._fast_matrix_market as fast

    fast.PARALLELISM = threads

    def work():
        m = fast.mmread(path)
        return float(m.data.sum()) + int(m.row.sum(dtype="int64")) + int(m.col.sum(dtype="int64"))

    return work


def read_sklearn(path: str, threads: int):
    from sklearn.datasets import load_svmlight_file

    def work():
        m, y = load_svmlight_file(path)
        return float(m.data.sum()) + int(m.indices.sum(dtype="int64")) + float(y.sum())

    return work


def write_sklearn(path: str, threads: int):
    from sklearn.datasets import dump_svmlight_file, load_svmlight_file

    return lambda: dump_svmlight_file(*load_svmlight_file(path), path + ".theirs.svmlight")


def read_h5py(path: str, threads: int):
    import h5py

    def work():
        with h5py.File(path) as f:
            return sum(float(f[name][:].sum()) for name in ("values", "indices_1", "pointers_to_1"))

    return work


def read_arrow_pyarrow(path: str, threads: int):
    import pyarrow
    import pyarrow.compute as compute

    pyarrow.set_cpu_count(threads)

    def work():
        with pyarrow.memory_map(path) as f:
            table = pyarrow.ipc.open_file(f).read_all()
            return sum(float(compute.sum(column).as_py()) for column in table.columns)

    return work


def read_arrow_polars(path: str, threads: int):
    import polars

    return lambda: sum(float(column.sum()) for column in polars.read_ipc(path))


def read_h5ad_h5py(path: str, threads: int):
    import h5py

    def work():
        with h5py.File(path) as f:
            return sum(float(f["X"][name][:].sum()) for name in ("data", "indices", "indptr"))

    return work


def read_h5ad_anndata(path: str, threads: int):
    import anndata

    def work():
        m = anndata.read_h5ad(path).X
        return float(m.data.sum()) + int(m.indices.sum(dtype="int64")) + int(m.indptr.sum(dtype="int64"))

    return work


def read_zarr(path: str, threads: int):
    import zarr

    zarr.config.set({"threading.max_workers": threads})

    def work():
        root = zarr.open_group(path, mode="r")
        return sum(float(root[name][:].sum()) for name in ("values", "indices_1", "pointers_to_1"))

    return work


def read_netcdf4(path: str, threads: int):
    import netCDF4

    def work():
        with netCDF4.Dataset(path) as f:
            f.set_auto_mask(False)
            return float(f["x"][:].sum(dtype="float64"))

    return work


def read_scipy_netcdf(path: str, threads: int):
    import scipy.io

    def work():
        with scipy.io.netcdf_file(path, mmap=False) as f:
            return float(f.variables["x"][:].sum(dtype="float64"))

    return work


# ---- workloads, made once ----


def arrow_numbers(path: Path) -> None:
    from pyarrow import csv, feather

    csv_numbers(path.with_suffix(".csv"))
    feather.write_feather(csv.read_csv(path.with_suffix(".csv")), str(path), compression="uncompressed")
    path.with_suffix(".csv").unlink()


def arrow_packed(path: Path) -> None:
    from pyarrow import csv, feather

    csv_numbers(path.with_suffix(".csv"))
    feather.write_feather(csv.read_csv(path.with_suffix(".csv")), str(path), compression="zstd")
    path.with_suffix(".csv").unlink()


def csv_numbers(path: Path) -> None:
    import numpy
    import pandas

    rng, n = numpy.random.default_rng(2), MB * 12000
    a, b = rng.integers(0, 1000, n), rng.integers(-(10**6), 10**6, n)
    table = pandas.DataFrame({"id": numpy.arange(n), "a": a, "b": b})
    for i, places in enumerate((2, 4, 6, 6, 3, 8, 5)):
        table[f"x{i}"] = rng.normal(0, 100, n).round(places)
    table.to_csv(path, index=False)


def csv_mixed(path: Path) -> None:
    import numpy
    import pandas

    rng, n = numpy.random.default_rng(3), MB * 13000
    words = ["alpha", "beta", "gamma delta", "epsilon", "a, quoted", "x", "Berlin", "New York", "São Paulo"]
    words = numpy.array(words)
    when = numpy.datetime64("2020-01-01T00:00:00") + rng.integers(0, 10**8, n).astype("timedelta64[s]")
    pandas.DataFrame({
        "id": numpy.arange(n),
        "name": words[rng.integers(0, 9, n)],
        "v": (rng.normal(size=n) * 100).round(4),
        "flag": numpy.where(rng.random(n) < 0.5, "true", "false"),
        "when": pandas.Series(when).dt.strftime("%Y-%m-%d %H:%M:%S"),
        "opt": numpy.where(rng.random(n) < 0.1, numpy.nan, rng.random(n).round(3)),
        "city": words[rng.integers(0, 9, n)],
        "k": rng.integers(0, 10**9, n),
    }).to_csv(path, index=False)


def csv_texts(path: Path) -> None:
    import numpy
    import pandas

    rng, n = numpy.random.default_rng(4), MB * 1000
    base = "Lorem ipsum dolor sit amet, consectetur adipiscing elit sed do eiusmod tempor incididunt. " * 14
    plain, lengths = base.replace(",", ""), rng.integers(50, len(base), n)
    pandas.DataFrame({"id": numpy.arange(n), "text": [base[:k] for k in lengths],
                      "other": [plain[7:7 + k // 3] for k in lengths]}).to_csv(path, index=False)


def matrix():
    import numpy
    import scipy.sparse

    rng, n = numpy.random.default_rng(5), MB * 80000
    rows = n // 100
    counts = rng.multinomial(n, [1 / rows] * rows)
    pointers = numpy.concatenate([[0], numpy.cumsum(counts)])
    places = numpy.cumsum(rng.integers(1, 900, n))
    indices = places - numpy.repeat(places[pointers[:-1].clip(max=n - 1)], counts)
    values = rng.random(n).round(6)
    arrays = (values, indices.astype("int32"), pointers.astype("int32"))
    return scipy.sparse.csr_matrix(arrays, (rows, int(indices.max()) + 1))


def npz_stored(path: Path) -> None:
    import scipy.sparse

    scipy.sparse.save_npz(path, matrix(), compressed=False)


def npz_deflated(path: Path) -> None:
    import scipy.sparse

    m = matrix()
    scipy.sparse.save_npz(path, m[: m.shape[0] // 4], compressed=True)


def anndata_file(path: Path) -> None:
    import anndata

    anndata.AnnData(matrix()).write_h5ad(path)


def mtx(path: Path) -> None:
    import scipy.io

    m = matrix()
    scipy.io.mmwrite(path, m[: m.shape[0] // 2], precision=7)


def mtx_pattern(path: Path) -> None:
    import scipy.io

    m = matrix()
    scipy.io.mmwrite(path, m[: m.shape[0] // 2], field="pattern")


def netcdf(path: Path, records: bool = False) -> None:
    """Numbers of four bytes by time and place, and beside them the times."""
    import numpy
    import scipy.io

    rng, n = numpy.random.default_rng(6), MB * 10
    with scipy.io.netcdf_file(path, "w", version=2) as f:
        f.createDimension("time", None if records else n)
        f.createDimension("place", 25000)
        x = f.createVariable("x", "f4", ("time", "place"))
        time = f.createVariable("time", "f8", ("time",))
        time[:n] = numpy.arange(n)
        for i in range(n):
            x[i] = rng.normal(280, 10, 25000)


def netcdf_records(path: Path) -> None:
    netcdf(path, True)


def svmlight(path: Path) -> None:
    from sklearn.datasets import dump_svmlight_file

    m = matrix()
    m = m[: m.shape[0] // 10]
    dump_svmlight_file(m, [i % 2 for i in range(m.shape[0])], str(path))


# ---- entrants ----


class Race:
    """`make` is a function that writes the file, or the source and options of a conversion that does."""

    def __init__(self, name, file, make, ours, peers):
        self.name, self.file, self.make, self.ours, self.peers = name, file, make, ours, peers


def converted(to: str, *options: str) -> list[str]:
    begin = ["SHEAF", "convert", "--quiet", "--force", *options, "--threads", "THREADS"]
    return [*begin, "FILE", f"FILE.ours.{to}"]


SCIPY, H5PY = {"SciPy": read_scipy_npz}, {"h5py": read_h5py}
MTX, SKLEARN = {"SciPy": read_scipy_mtx}, {"scikit-learn": read_sklearn}
TABLES = {"pandas": read_pandas, "pyarrow": read_pyarrow, "Polars": read_polars, "DuckDB": read_duckdb}
DECLARED = {"pandas": read_declared_pandas, "pyarrow": read_declared_pyarrow, "Polars": read_declared_polars}
TO_ARROW = {"pyarrow": write_arrow_pyarrow, "Polars": write_arrow_polars}
ARROW = {"pyarrow": read_arrow_pyarrow, "Polars": read_arrow_polars}
NETCDF = {"SciPy": read_scipy_netcdf, "netCDF4": read_netcdf4}
H5AD, ZARR = {"h5py": read_h5ad_h5py, "anndata": read_h5ad_anndata}, {"zarr-python": read_zarr}
SUM = ["SUM", "FILE", "THREADS"]
ONCE = [*SUM, "once"]
OF_X = [*SUM, "whole", "dataset=x"]
OURS = {"int64": "int64", "float64": "double"}
AS_DECLARED = "columns=" + ",".join(f"{name}:{OURS[kind]}" for name, kind in NUMBERS.items())
BATCHES = ["SHEAF", "batches", "--size", "256", "--threads", "THREADS", "FILE"]
DEFLATE = ["--compression", "deflate"]
RACES = [
    Race("CSV, numbers, types inferred", "numbers.csv", csv_numbers, SUM, TABLES),
    Race("CSV, numbers, types declared", "numbers.csv", csv_numbers, [*SUM, AS_DECLARED], DECLARED),
    Race("CSV, mixed cells, types inferred", "mixed.csv", csv_mixed, SUM, TABLES),
    Race("CSV, long texts, types inferred", "texts.csv", csv_texts, SUM, TABLES),
    Race("CSV, numbers, as a table in memory", "numbers.csv", csv_numbers, ONCE, TABLES),
    Race("CSV, mixed cells, as a table in memory", "mixed.csv", csv_mixed, ONCE, TABLES),
    Race("CSV, long texts, as a table in memory", "texts.csv", csv_texts, ONCE, TABLES),
    Race("CSV, numbers, to an Arrow file", "numbers.csv", csv_numbers, converted("arrow"), TO_ARROW),
    Race("NPZ, CSR stored, read", "stored.npz", npz_stored, SUM, SCIPY),
    Race("NPZ, CSR stored, read as one row", "stored.npz", npz_stored, [*SUM, "whole"], SCIPY),
    Race("NPZ, CSR deflated, read", "deflated.npz", npz_deflated, SUM, SCIPY),
    Race("NPZ, CSR deflated, read as one row", "deflated.npz", npz_deflated, [*SUM, "whole"], SCIPY),
    Race("NPZ to NPZ, CSR stored", "stored.npz", npz_stored, converted("npz"), {"SciPy": write_scipy_npz}),
    Race("NPZ to NPZ, CSR deflated", "deflated.npz", npz_deflated, converted("npz", *DEFLATE),
         {"SciPy": write_scipy_deflated}),
    Race("Matrix Market, reals", "reals.mtx", mtx, SUM, MTX),
    Race("Matrix Market, pattern", "pattern.mtx", mtx_pattern, SUM, MTX),
    Race("Matrix Market to CSR in HDF5", "reals.mtx", mtx, converted("h5"), {"SciPy, h5py": write_mtx_h5}),
    Race("svmlight, read", "rows.svmlight", svmlight, SUM, SKLEARN),
    Race("svmlight, read and written", "rows.svmlight", svmlight, converted("svmlight"),
         {"scikit-learn": write_sklearn}),
    Race("HDF5, contiguous, as one row", "matrix.h5", [], [*SUM, "whole"], H5PY),
    Race("HDF5, shuffle and deflate, as one row", "deflated.h5", DEFLATE, [*SUM, "whole"], H5PY),
    Race("NPZ to HDF5, shuffle and deflate", "stored.npz", npz_stored, converted("h5", *DEFLATE),
         {"SciPy, h5py": write_h5py}),
    Race("Arrow file, numbers, read", "numbers.arrow", arrow_numbers, SUM, ARROW),
    Race("Arrow file, numbers by Zstandard, read", "packed.arrow", arrow_packed, SUM, ARROW),
    Race("AnnData, as anndata writes it, as one row", "matrix.h5ad", anndata_file, [*SUM, "whole"], H5AD),
    Race("AnnData, shuffle and deflate, as one row", "deflated.h5ad", DEFLATE, [*SUM, "whole"], H5AD),
    Race("Zarr, as it is, as one row", "matrix.zarr", [], [*SUM, "whole"], ZARR),
    Race("Zarr by Zstandard, as one row", "packed.zarr", ["--compression", "zstd"], [*SUM, "whole"], ZARR),
    Race("netCDF classic, one array", "array.nc", netcdf, OF_X, NETCDF),
    Race("netCDF classic, records", "records.nc", netcdf_records, OF_X, NETCDF),
    Race("Minibatches of 256 rows in random order", "stored.cbf", [], BATCHES,
         {"SciPy": gather_scipy, "torch": gather_torch}),
]
PEERS = {name: read for race in RACES for name, read in race.peers.items()}


def enter(race: str, peer: str, path: str, threads: int) -> None:
    """One run of a peer, in a process of its own, which reports its time and memory."""
    work = next(r for r in RACES if r.name == race).peers[peer](path, threads)
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"cpu": cpu, "wall": wall, "mem": after.ru_maxrss / 1000}))


def touch(size: int) -> None:
    with mmap.mmap(-1, size) as memory:
        step = bytes(1 << 20)
        for _ in range(size >> 20):
            memory.write(step)


def run_self(*words: str) -> None:
    """In a process of its own: the most memory that a process held counts for those that it starts, too."""
    subprocess.run([sys.executable, __file__, *words], check=True)


def run_ours(race: Race, path: Path, threads: int, build: Path) -> dict:
    words = {"SUM": str(build / "bench/sheaf-bench-sum"), "SHEAF": str(build / "sheaf")}
    words |= {"FILE": str(path), "THREADS": str(threads)}
    command = [words.get(w, w.replace("FILE", str(path))) for w in race.ours]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"peers: {' '.join(command)}: expected exit status 0, found {process.returncode}")
    wall = time.perf_counter() - began
    return {"cpu": usage.ru_utime + usage.ru_stime, "wall": wall, "mem": usage.ru_maxrss / 1000}


def run_peer(race: Race, peer: str, path: Path, threads: int) -> dict:
    env = {**os.environ, "POLARS_MAX_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, __file__, "--enter", race.name, peer, str(path), str(threads)]
    return json.loads(subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE).stdout)


def run_race(race: Race, folder: Path, build: Path) -> list[dict]:
    path, rows = folder / race.file, []
    runs: dict[tuple, list[dict]] = {}
    for turn in range(ROUNDS):
        for threads in (1, 2):
            entrants = [None, *race.peers]
            for peer in entrants[turn % len(entrants):] + entrants[: turn % len(entrants)]:
                run_self("--touch")
                took = run_peer(race, peer, path, threads) if peer else run_ours(race, path, threads, build)
                runs.setdefault((peer, threads), []).append(took)
    median = lambda peer, threads, what: statistics.median(run[what] for run in runs[peer, threads])
    ratio = lambda peer, threads, what: statistics.median(
        theirs[what] / ours[what] for theirs, ours in zip(runs[peer, threads], runs[None, threads])
    )
    for peer in race.peers:
        rows.append({
            "race": race.name,
            "peer": peer,
            "ours": median(None, 1, "cpu"),
            "theirs": median(peer, 1, "cpu"),
            "ratio": ratio(peer, 1, "cpu"),
            "two": ratio(peer, 2, "wall"),
            "mem": (median(None, 1, "mem"), median(peer, 1, "mem")),
        })
    return rows


def make_workload(race: Race, folder: Path, build: Path) -> None:
    path = folder / race.file
    if path.exists():
        return
    if callable(race.make):
        run_self("--make", race.name, str(path))
        return
    source = folder / "stored.npz"
    if not source.exists():
        run_self("--make", "NPZ, CSR stored, read", str(source))
    subprocess.run([build / "sheaf", "convert", "--quiet", *race.make, source, path], check=True)


def main() -> None:
    if sys.argv[1:2] == ["--enter"]:
        enter(*sys.argv[2:5], int(sys.argv[5]))
        return
    if sys.argv[1:2] == ["--touch"]:
        touch(MB * 12 << 20)
        return
    if sys.argv[1:2] == ["--make"]:
        next(r for r in RACES if r.name == sys.argv[2]).make(Path(sys.argv[3]))
        return
    build, only = Path(sys.argv[1]), os.environ.get("BENCH_ONLY", "").split(";")
    folder = Path(os.environ.get("BENCH_DIR", build / "bench/peers")) / f"{MB}"
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for race in RACES:
        if not any(race.name.startswith(word) for word in only):
            continue
        print(f"peers: {race.name}", file=sys.stderr)
        make_workload(race, folder, build)
        rows += run_race(race, folder, build)
        for output in [*folder.glob("*.ours.*"), *folder.glob("*.theirs.*")]:
            output.unlink()
    print("| job | peer | ours, s | theirs, s | ratio | two threads | memory, MB: ours, theirs |")
    print("|---|---|---|---|---|---|---|")
    for row in sorted(rows, key=lambda row: row["ratio"]):
        mark = "**" if row["ratio"] < 1 else ""
        print(
            f"| {row['race']} | {row['peer']} | {row['ours']:.3f} | {row['theirs']:.3f} "
            f"| {mark}{row['ratio']:.2f}{mark} | {row['two']:.2f} "
            f"| {row['mem'][0]:.0f}, {row['mem'][1]:.0f} |"
        )


main()
