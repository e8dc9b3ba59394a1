#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the Python package beside what people use there: the part `python` of the table of `make bench`.

    PYTHONPATH=build/python SHEAF_LIBRARY=build/libsheaf.so python3 bench/python.py

BENCH_MB, BENCH_ROUNDS, BENCH_ONLY and BENCH_DIR are those of bench/NOTES.md. In each round
every entrant of a race has a turn, so that a ratio compares what happened at the same time. A peer that is
not installed is named.
"""
import importlib
import importlib.util
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import sheaf

MEGABYTES = int(os.environ.get("BENCH_MB", "200"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
FOLDER = Path(os.environ.get("BENCH_DIR", "build/bench/data")) / "python"
BATCH = 256


def has(module):
    return importlib.util.find_spec(module) is not None


# ---- races ----


class Race:
    """The entrants, ours first. `of` says what the others are measured in: "wall" or "cpu"."""

    def __init__(self, job, ours, peers, targets, by="wall"):
        self.job, self.ours, self.peers, self.targets, self.by = job, ours, peers, targets, by


def turn(work):
    cpu, wall = time.process_time(), time.perf_counter()
    done = work()
    took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    del done
    return took


def run(race):
    """The times of all rounds by name; None for a missing peer."""
    entrants = {race.ours[0]: race.ours[1],
                **{name: work for name, (module, work) in race.peers.items() if has(module)}}
    for work in entrants.values():
        work()
    times = {name: [] for name in entrants}
    for _ in range(ROUNDS):
        for name, work in entrants.items():
            times[name].append(turn(work))
    return times


def ratio(race, times, peer, by):
    return statistics.median(t[by] / max(ours[by], 1e-9) for t, ours in zip(times[peer], times[race.ours[0]]))


def show(race):
    times = run(race)
    ours = times[race.ours[0]]
    mine = [t[race.by] for t in ours]
    spread = (max(mine) - min(mine)) / statistics.median(mine)
    parts = []
    for peer in race.peers:
        if peer not in times:
            parts.append(f"{peer}: not installed")
            continue
        found = ratio(race, times, peer, race.by)
        other = ratio(race, times, peer, "cpu" if race.by == "wall" else "wall")
        target = race.targets.get(peer)
        verdict = ""
        if target:
            verdict = f"; target >= {target:.3g} x {peer}: {'met' if found >= target else 'missed'}"
        parts.append(
            f"{found:.3g} x {peer} ({other:.3g} by {'cpu' if race.by == 'wall' else 'wall'}){verdict}")
    line(race.job, race.ours[0], race.by, f"{statistics.median(mine) * 1e3:.3g} ms", f"{spread:.0%}",
         f"{statistics.median(t['cpu'] for t in ours):.2f} s", ", ".join(parts))


def line(job, how, by, median, spread, cpu, ratios):
    print(f"{'python':<9} {job:<36} {how:<17} {by:<4} {median:>10} {spread:>6} {'-':>11} {cpu:>9} "
          f"{'-':>10}  {ratios}", flush=True)


# ---- what they work on ----


def made(name, make):
    """A file of the folder, which is kept for the next run."""
    path = FOLDER / f"{MEGABYTES}-{name}"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name("new-" + path.name)
        make(fresh)
        os.replace(fresh, path)
    return path


def matrix(entries_each=100, columns=20000):
    """Rows with some entries each, of BENCH_MB / 2 bytes in memory."""
    from scipy import sparse

    rows = max(4 * BATCH, MEGABYTES * 500_000 // (8 * entries_each))
    numbers = np.random.default_rng(1)
    return sparse.random(rows, columns, entries_each / columns, "csr", np.float32, numbers)


def mtx(path, order):
    from scipy import sparse

    n = max(1000, MEGABYTES * 500_000 // 31)
    numbers = np.random.default_rng(2)
    x = sparse.random(n // 20, n // 200 + 1, min(1.0, 4000 / n), "coo", np.float64, numbers)
    if order == "any":
        order = numbers.permutation(x.nnz)
    else:
        order = np.lexsort((x.col, x.row) if order == "rows" else (x.row, x.col))
    sheaf.write(path, sparse.coo_array((x.data[order], (x.row[order], x.col[order])), shape=x.shape),
                to="matrixmarket")


def csv(path):
    n = max(100, MEGABYTES * 250_000 // 60)
    numbers = np.random.default_rng(3)
    words = np.array(["alpha", "beta", "gamma", "delta"])[numbers.integers(0, 4, n)]
    with open(path, "w") as file:
        file.write("id,count,price,word\n")
        for row in zip(range(n), numbers.integers(0, 10**9, n), numbers.random(n), words):
            file.write("{},{},{!r},{}\n".format(row[0], row[1], float(row[2]), row[3]))


# ---- the races ----


def batch_overhead():
    """A batch with its arrays in Python, compared with the calls of the library alone."""
    from ctypes import POINTER, byref

    from sheaf import _layout as c
    from sheaf._library import lib

    loader = rows_of_cbf()

    def calls():
        """For an epoch that finds everything in memory, as the one in Python does."""
        epoch(loader)
        opened = loader._open(0, 1)
        found, error, n = POINTER(c.sheaf_batch)(), c.sheaf_error(), 0
        with opened.handle as pointer:
            following, batch, failed = lib.sheaf_batches_next, byref(found), byref(error)
            while not following(pointer, batch, failed):
                n += 1
        loader._keep(opened)
        return n

    def arrays():
        for batch in epoch(loader):
            x = batch["X"]
            x.values, x.indices, x.entry_offsets, batch.row_keys  # noqa: B018

    return Race("batches of a CBF, arrays", ("sheaf.batches", arrays), {"the calls in C": ("sheaf", calls)},
                {"the calls in C": 1 / 3}, "wall")


def rows_of_cbf(**options):
    x = None

    def write(path):
        nonlocal x
        x = matrix()
        sheaf.write(path, {"X": x}, to="cbf")

    return sheaf.Batches(made("rows.cbf", write), {"size": BATCH, "seed": 1, **options}, None, None, False,
                         None)


def epoch(loader):
    loader.set_epoch(0)
    return loader


def training():
    """Shuffled batches of a sparse matrix, as CSR: epochs after the first, which has read the file."""
    loader, x = rows_of_cbf(), matrix()
    orders = [batch.row_keys.astype(np.int64) for batch in epoch(loader)]

    def ours():
        for batch in epoch(loader):
            batch["X"].to_scipy("csr")

    def plain():
        for rows in orders:
            x[rows]

    def torch_loader():
        from scipy import sparse
        from torch.utils.data import DataLoader

        for batch in DataLoader(Rows(x), batch_sampler=[o.tolist() for o in orders],
                                collate_fn=lambda rows: sparse.vstack(rows, format="csr")):
            del batch

    def mosaic():
        from torch.utils.data import DataLoader

        data = streaming().StreamingDataset(local=str(made("mosaic", write_mosaic)), shuffle=True,
                                            shuffle_seed=1, batch_size=BATCH)
        for batch in DataLoader(data, batch_size=BATCH, collate_fn=csr_of_samples):
            del batch

    def write_mosaic(folder):
        columns = {"indices": "ndarray:int32", "values": "ndarray:float32"}
        with streaming().MDSWriter(out=str(folder), columns=columns) as out:
            for row in range(x.shape[0]):
                at = slice(x.indptr[row], x.indptr[row + 1])
                out.write({"indices": x.indices[at].astype(np.int32), "values": x.data[at]})

    def csr_of_samples(samples):
        from scipy import sparse

        lengths = [len(sample["indices"]) for sample in samples]
        return sparse.csr_array((np.concatenate([s["values"] for s in samples]),
                                 np.concatenate([s["indices"] for s in samples]),
                                 np.concatenate([[0], np.cumsum(lengths)])), shape=(len(samples), x.shape[1]))

    return Race("batches of a CBF, shuffled, CSR", ("sheaf.batches", ours),
                {"X[rows]": ("scipy", plain), "DataLoader": ("torch", torch_loader),
                 "Mosaic Streaming": ("streaming", mosaic)}, {"X[rows]": 1.3, "DataLoader": 10,
                                                              "Mosaic Streaming": 100})


def streaming():
    """The part of MosaicML Streaming that rows of numbers need: all of it requires transformers
    and torchvision, for two types that its loader uses."""
    import logging
    import types

    if "streaming.base" not in sys.modules:
        logging.disable(logging.WARNING)
        package = types.ModuleType("streaming")
        package.__path__ = list(importlib.util.find_spec("streaming").submodule_search_locations)
        sys.modules["streaming"] = package
        for name, word in (("transformers", ""), ("transformers.feature_extraction_utils", "BatchFeature"),
                           ("transformers.tokenization_utils_base", "BatchEncoding")):
            module = sys.modules.setdefault(name, types.ModuleType(name))
            if word and not hasattr(module, word):
                setattr(module, word, dict)
    return importlib.import_module("streaming.base")


class Rows:
    """The rows of a matrix, as torch's DataLoader wants them."""

    def __init__(self, x):
        self.x = x

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, row):
        return self.x[[row]]


def to_csr(order):
    path = made(f"{order}.mtx", lambda fresh: mtx(fresh, order))

    def scipy():
        from scipy.io import mmread

        return mmread(path).tocsr()

    return Race(f"mtx, entries {'in any order' if order == 'any' else 'by ' + order}, to CSR",
                ("sheaf.read", lambda: sheaf.read(path).to_scipy("csr")),
                {"mmread().tocsr()": ("scipy", scipy)}, {"mmread().tocsr()": 3})


def svmlight():
    def write(path):
        x = matrix()[: max(100, MEGABYTES * 200)]
        sheaf.write(path, {"label": np.ones((x.shape[0], 1), np.float32), "features": x}, to="svmlight")

    path = made("rows.svm", write)

    def sklearn():
        from sklearn.datasets import load_svmlight_file

        return load_svmlight_file(str(path))

    return Race("svmlight to CSR", ("sheaf.read", lambda: sheaf.read(path)["features"].to_scipy("csr")),
                {"scikit-learn": ("sklearn", sklearn)}, {"scikit-learn": 10})


def tables():
    path = made("table.csv", csv)

    def ours():
        import pyarrow

        return pyarrow.table(sheaf.read(path))

    def pyarrow():
        import pyarrow.csv

        return pyarrow.csv.read_csv(path)

    def polars():
        import polars

        return polars.read_csv(path).to_arrow()

    def duckdb():
        import duckdb

        found = duckdb.sql(f"select * from read_csv('{path}')")
        return found.to_arrow_table() if hasattr(found, "to_arrow_table") else found.arrow()

    if not has("pyarrow"):
        return None
    return Race("CSV to Arrow", ("sheaf.read", ours),
                {"pyarrow": ("pyarrow", pyarrow), "Polars": ("polars", polars), "DuckDB": ("duckdb", duckdb)},
                {"pyarrow": 1, "Polars": 1, "DuckDB": 1})


# ---- what is not a race ----


def import_time(module):
    """Microseconds that importing a module takes in a fresh interpreter, with all that it imports."""
    said = subprocess.run([sys.executable, "-X", "importtime", "-c", f"import {module}"], check=True,
                          capture_output=True, text=True).stderr
    return int(said.splitlines()[-1].split("|")[1])


def show_import():
    times = [(import_time("sheaf"), import_time("numpy")) for _ in range(ROUNDS + 1)][1:]
    ours = [ours for ours, _ in times]
    found = statistics.median(numpy / ours for ours, numpy in times)
    line("import", "sheaf", "wall", f"{statistics.median(ours) / 1e3:.3g} ms",
         f"{(max(ours) - min(ours)) / statistics.median(ours):.0%}", "-",
         f"{found:.3g} x NumPy; target >= 2 x NumPy: {'met' if found >= 2 else 'missed'}")


PEAK = """
import sys, numpy as np, sheaf
path, out = sys.argv[1:]
{setup}
def peak():
    return [int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
open("/proc/self/clear_refs", "w").write("5")  # the peak is what is in memory now
before = peak()
{use}
print(before, peak())
"""


def peak_of(setup, use, *paths):
    """The memory before something is used, and the highest meanwhile."""
    script = PEAK.format(setup=setup, use=use)
    done = subprocess.run([sys.executable, "-c", script, *map(str, paths)], check=True, capture_output=True,
                          text=True)
    return map(int, done.stdout.split())


def gigabyte_of(name):
    """A file whose arrays have a gigabyte (of BENCH_MB at 200), and their size."""
    size = max(1, MEGABYTES // 2) * 10_000_000
    rows = size // 8000
    rng = np.random.default_rng(5)

    def sparse(layout):
        def save(path):
            from scipy import sparse

            n = size // 16  # three arrays: two coordinates and the value
            steps = np.arange(0, n + 1, 50)
            steps[-1] = n
            inner = np.tile(np.arange(0, 5000, 100, dtype=np.int32), n // 50 + 1)[:n]
            made = {"csr": sparse.csr_array, "csc": sparse.csc_array}[layout]
            shape = (len(steps) - 1, 5000)
            sparse.save_npz(path, made((np.ones(n), inner, steps), shape if layout == "csr" else shape[::-1]),
                            compressed=False)
        return save

    def entries(path):
        n, each = size // 8, 50
        x = {"x": (np.ones(n, np.float32), np.tile(np.arange(each, dtype=np.int32), n // each + 1)[:n],
                   np.arange(0, n + 1, each))}
        sheaf.write(path, {"x": csr_of(*x["x"], each)}, to="cbf")

    def columns(path):
        import pyarrow as pa

        n = size // 32
        texts = pa.LargeStringArray.from_buffers(n, pa.py_buffer(np.arange(0, 8 * n + 1, 8)),
                                                 pa.py_buffer(b"eight it" * n))
        times = pa.array(rng.integers(0, 2**31, n).view("M8[s]"))
        with pa.OSFile(str(path), "wb") as file:
            table = pa.table({"n": np.arange(n), "t": times, "s": texts})
            with pa.ipc.new_file(file, table.schema) as out:
                out.write_table(table)

    def save(dtype):
        def to(path):
            with open(path, "wb") as file:
                np.save(file, np.ones((rows, 8000 // np.dtype(dtype).itemsize), dtype))
        return to

    files = {"array.npy": save(np.float64), "complex.npy": save(np.complex128),
             "stream.cbf": lambda path: sheaf.write(
                 path, {"x": (np.ones((rows, 2000), np.float32), np.arange(rows + 1))}, to="cbf"),
             "entries.cbf": entries, "by-rows.npz": sparse("csr"), "by-columns.npz": sparse("csc"),
             "columns.arrow": columns}
    return made(name, files[name]), size


def csr_of(values, indices, pointers, columns):
    from scipy import sparse

    return sparse.csr_array((values, indices, pointers), (len(pointers) - 1, columns))


# What docs/python-memory.md calls a view: the file, what has been done before, and what is measured.
VIEWS = [
    ("Column.values, offsets", "stream.cbf", "c = f['x']", "x = c.values, c.offsets"),
    ("Column.indices", "entries.cbf", "c = f['x']", "x = c.values, c.indices, c.entry_offsets"),
    ("Column.to_numpy(), numbers", "columns.arrow", "", "x = f['n'].to_numpy()"),
    ("Column.to_numpy(), dates", "columns.arrow", "", "x = f['t'].to_numpy()"),
    ("Column.to_numpy(), complex", "complex.npy", "", "x = f['value'].to_numpy()"),
    ("Column.to_scipy('csr')", "entries.cbf", "import scipy.sparse; c = f['x']", "x = c.to_scipy('csr')"),
    ("Frame.to_scipy('coo')", "by-rows.npz", "import scipy.sparse", "x = f.to_scipy('coo')"),
    ("Frame.to_scipy('csr')", "by-rows.npz", "import scipy.sparse", "x = f.to_scipy('csr')"),
    ("Frame.to_scipy('csc')", "by-columns.npz", "import scipy.sparse", "x = f.to_scipy('csc')"),
    ("Frame.to_numpy()", "array.npy", "", "x = f.to_numpy()"),
    ("to_torch(), nested", "stream.cbf", "import torch; torch.zeros(1)", "x = f['x'].to_torch()"),
    ("to_torch(), CSR", "entries.cbf", "import torch; torch.zeros(1)", "x = f['x'].to_torch()"),
    ("to_torch(), parts", "entries.cbf", "import torch; torch.zeros(1)", "x = f['x'].to_torch('parts')"),
    ("to_awkward(), dense", "stream.cbf", "import awkward", "x = f['x'].to_awkward()"),
    ("to_awkward(), sparse", "entries.cbf", "import awkward", "x = f['x'].to_awkward()"),
    ("np.from_dlpack", "stream.cbf", "c = f['x']", "x = np.from_dlpack(c)"),
    ("Arrow, lists", "stream.cbf", "import pyarrow as pa; pa.table({'x': [1]})", "x = pa.table(f)"),
    ("Arrow, sparse entries", "entries.cbf", "import pyarrow as pa; pa.table({'x': [1]})", "x = pa.table(f)"),
    ("Arrow, numbers and texts", "columns.arrow", "import pyarrow as pa; pa.table({'x': [1]})",
     "x = pa.table(f)"),
    ("to_binsparse()", "by-rows.npz", "", "x = f.to_binsparse()"),
    ("sheaf.write, npy", "array.npy", "x = f.to_numpy()", "sheaf.write(out + '.npy', x, force=True)"),
    ("sheaf.write, cbf", "stream.cbf", "c = f['x']; x = {'x': (c.values, c.offsets)}",
     "sheaf.write(out + '.cbf', x, force=True)"),
    ("sheaf.read", "array.npy", None, "x = sheaf.read(path).to_numpy()")]


def show_views():
    """Peak memory: of an array that is read, and of each way in which it is viewed."""
    for name, file, setup, use in VIEWS:
        needs = {"scipy": "npz entries.cbf", "pyarrow": "columns.arrow"}
        if any(not has(module) for module in ("scipy", "torch", "awkward", "pyarrow")
               if (setup and module in setup) or any(part in file for part in needs.get(module, "").split())):
            continue
        path, size = gigabyte_of(file)
        begin = "" if setup is None else f"f = sheaf.read(path); {setup}"
        before, after = peak_of(begin, use, path, FOLDER / "out")
        more = after - before - (size if setup is None else 0)  # it is not there before
        line(f"an array of {size / 1e6:.0f} MB", name, "mem", f"{more / 1e6:.1f} MB", "-", "-",
             f"above {before / 1e6:.0f} MB; target <= 10%: {'met' if more <= size / 10 else 'missed'}")
    for path in FOLDER.glob("out.*"):
        path.unlink()


def wanted():
    return "python" in os.environ.get("BENCH_ONLY", "python").split(",")


def main():
    if not wanted():
        return 0
    missing = [module for module in ("scipy", "torch", "sklearn", "pyarrow", "polars", "duckdb", "streaming")
               if not has(module)]
    if missing:
        print(f"bench: this Python has no {', '.join(missing)}", file=sys.stderr)
    show_import()
    races = [tables]
    if has("scipy"):
        races += [batch_overhead, training, lambda: to_csr("any"), lambda: to_csr("rows"),
                  lambda: to_csr("columns"), svmlight]
    for make in races:
        race = make()
        if race:
            show(race)
    show_views()
    return 0


if __name__ == "__main__":
    sys.exit(main())
