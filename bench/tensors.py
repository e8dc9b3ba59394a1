#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Entries by rows and by columns, in memory: ours beside scipy's functions, and beside its kernel alone.

    python3 bench/tensors.py LIBRARY [MILLIONS [ROUNDS [kernels]]]

LIBRARY is libsheaf.so; MILLIONS of entries (50) of a matrix of a million rows and columns, int32 and float64, at random. The
entrants work in turn, round after round, and medians are told, by CPU time for one thread and by wall time for several. Kernels write into arrays that have been
touched before; what makes its own arrays touches them for the first time, ours as scipy's; with "kernels" it is left out. Outcomes are compared with scipy's.
"""
import ctypes
import statistics
import sys
import time

import numpy
import scipy
import scipy.sparse
from scipy.sparse import _sparsetools

ROWS = 1_000_000
POINTER = ctypes.c_void_p


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("reallocate", POINTER), ("max_memory", ctypes.c_int64), ("threads", ctypes.c_int),
                ("max_errors", ctypes.c_int64), ("strict", ctypes.c_bool), ("validate", ctypes.c_bool), ("allow_loss", ctypes.c_bool),
                ("on_problem", POINTER), ("on_progress", POINTER), ("user", POINTER)]


class Entries(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int64), ("rows", POINTER), ("columns", POINTER), ("values", POINTER), ("value_size", ctypes.c_size_t)]


class Compressed(ctypes.Structure):
    _fields_ = [("pointers", POINTER), ("indices", POINTER), ("values", POINTER), ("value_size", ctypes.c_size_t)]


def address(array):
    return array.ctypes.data_as(POINTER)


class Sheaf:
    """The library with so many threads."""

    def __init__(self, path, threads):
        self.library = ctypes.CDLL(path)
        self.library.sheaf_version.restype = ctypes.c_char_p
        options = Options(size=ctypes.sizeof(Options), threads=threads, max_memory=16 << 30)
        self.context = POINTER()
        self.check(self.library.sheaf_context_new(ctypes.byref(options), ctypes.byref(self.context), None))

    def check(self, status):
        if status:
            sys.exit(f"sheaf: expected success, found status {status}")

    def compress(self, rows, columns, values, to):
        entries = Entries(len(rows), address(rows), address(columns), address(values), values.itemsize)
        out = Compressed(*(address(a) for a in to), values.itemsize)
        self.check(self.library.sheaf_compress_entries(ctypes.byref(entries), ctypes.c_int64(ROWS), self.context, ctypes.byref(out), None))
        return to

    def sort(self, rows, columns, values, to):
        entries = Entries(len(rows), address(rows), address(columns), address(values), values.itemsize)
        out = Compressed(*(address(a) for a in to), values.itemsize)
        self.check(self.library.sheaf_compress_sorted(ctypes.byref(entries), ctypes.c_int64(ROWS), 9, 1, self.context, ctypes.byref(out), None))
        return to[0], to[1][:to[0][-1]], to[2][:to[0][-1]]

    def transpose(self, matrix, to):
        given = Compressed(*(address(a) for a in matrix), matrix[2].itemsize)
        out = Compressed(*(address(a) for a in to), matrix[2].itemsize)
        self.check(self.library.sheaf_transpose_compressed(ctypes.byref(given), ctypes.c_int64(ROWS), ctypes.c_int64(ROWS), self.context,
                                                           ctypes.byref(out), None))
        return to


def fresh(n, pointer=numpy.int64):
    return numpy.empty(ROWS + 1, pointer), numpy.empty(n, numpy.int32), numpy.empty(n)


def touched(n, pointer=numpy.int64):
    arrays = fresh(n, pointer)
    for array in arrays:
        array.fill(0)
    return arrays


def measure(entrants, rounds):
    """Medians of (wall, CPU) seconds of each entrant, and what it has made."""
    times, made = {name: [] for name in entrants}, {}
    for _ in range(rounds):
        for name, run in entrants.items():
            made.pop(name, None)
            wall, cpu = time.perf_counter(), time.process_time()
            made[name] = run()
            times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {name: tuple(statistics.median(t[k] for t in turns) for k in (0, 1)) for name, turns in times.items()}, made


def same(a, b):
    return all(numpy.array_equal(x, y) for x, y in zip(a, b))


def parts(matrix):
    return matrix.indptr, matrix.indices, matrix.data


def table(title, results, peers):
    print(title)
    for name, (wall, cpu) in results.items():
        ratios = "".join(f"  {results[peer][0] / wall:5.2f} x {peer} (wall)  {results[peer][1] / cpu:5.2f} (cpu)" for peer in peers if name not in peers)
        print(f"  {name:32} wall {wall:6.3f} s  cpu {cpu:6.3f} s{ratios}")


def judge(right):
    print("outcomes: the same as scipy's" if right else "outcomes: DIFFERENT from scipy's")
    return 0 if right else 1


def main():
    path = sys.argv[1]
    n = int(float(sys.argv[2]) * 1e6) if len(sys.argv) > 2 else 50_000_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    chance = numpy.random.default_rng(1)
    rows, columns = (chance.integers(0, ROWS, n, numpy.int32) for _ in range(2))
    values = chance.random(n)
    one, two = Sheaf(path, 1), Sheaf(path, 2)
    coo = scipy.sparse.coo_matrix((values, (rows, columns)), shape=(ROWS, ROWS))
    csr = touched(n)
    one.compress(rows, columns, values, csr)
    matrix = scipy.sparse.csr_matrix((csr[2], csr[1], csr[0].astype(numpy.int32)), shape=(ROWS, ROWS))
    print(f"sheaf {one.library.sheaf_version().decode()}, scipy {scipy.__version__}, numpy {numpy.__version__}; {n} entries, {rounds} rounds")

    old, ours, theirs = touched(n, numpy.int32), touched(n), touched(n)

    def kernel_rows():
        _sparsetools.coo_tocsr(ROWS, ROWS, n, rows, columns, values, *old)
        return old

    def kernel_columns():
        _sparsetools.csr_tocsc(ROWS, ROWS, *parts(matrix), *old)
        return old

    def sorted_rows(sheaf):
        return sheaf.sort(rows, columns, values, fresh(n))

    results, made = measure({
        "scipy kernel": kernel_rows,
        "sheaf, 1 thread": lambda: one.compress(rows, columns, values, ours),
        "sheaf, 2 threads": lambda: two.compress(rows, columns, values, theirs),
    }, rounds)
    table("COO -> CSR, kernels", results, ["scipy kernel"])
    right = same(made["scipy kernel"], made["sheaf, 1 thread"]) and same(made["scipy kernel"], made["sheaf, 2 threads"])

    results, made = measure({
        "scipy kernel": kernel_columns,
        "sheaf, 1 thread": lambda: one.transpose(csr, ours),
        "sheaf, 2 threads": lambda: two.transpose(csr, theirs),
    }, rounds)
    table("CSR -> CSC, kernels", results, ["scipy kernel"])
    right = right and same(made["scipy kernel"], made["sheaf, 1 thread"]) and same(made["scipy kernel"], made["sheaf, 2 threads"])
    if sys.argv[4:] == ["kernels"]:
        return judge(right)
    del old, ours, theirs, made

    results, made = measure({
        "tocsr()": lambda: parts(coo.tocsr()),
        "sheaf, 1 thread": lambda: one.compress(rows, columns, values, fresh(n)),
        "sheaf, 2 threads": lambda: two.compress(rows, columns, values, fresh(n)),
        "sheaf, rows sorted, 1 thread": lambda: sorted_rows(one),
        "sheaf, rows sorted, 2 threads": lambda: sorted_rows(two),
    }, rounds)
    table("COO -> CSR, with new arrays", results, ["tocsr()"])
    right = right and same(made["tocsr()"], made["sheaf, rows sorted, 1 thread"]) and same(made["tocsr()"], made["sheaf, rows sorted, 2 threads"])
    del made

    results, made = measure({
        "tocsc()": lambda: parts(matrix.tocsc()),
        "sheaf, 1 thread": lambda: one.transpose(csr, fresh(n)),
        "sheaf, 2 threads": lambda: two.transpose(csr, fresh(n)),
    }, rounds)
    table("CSR -> CSC, with new arrays", results, ["tocsc()"])
    right = right and same(made["tocsc()"], made["sheaf, 1 thread"])
    return judge(right)


if __name__ == "__main__":
    sys.exit(main())
