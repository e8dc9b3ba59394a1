#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time follows size: for each format and each thing that a file of it can have any number of, n, 2n and 4n of
them take at most 2.5 times the time for each doubling. Times are those of the processor, so a busy machine
changes little; still, only make check-all runs this. Words name the cases to run. Prints TAP."""

import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import tap

SHEAF = os.environ.get("SHEAF", "build/sheaf")
DOUBLING = 2.5
SHORT = 0.04  # seconds: below, the start of a process and noise are most of it

# ---- files ----


def text(name, first, line, last=""):
    """A file of lines: made of a number, or of the number of lines."""

    def make(folder, n):
        path = folder / name
        with path.open("w") as f:
            f.write(first(n) if callable(first) else first)
            f.writelines(line(i) for i in range(n))
            f.write(last)
        return path

    return make


def converted(make, suffix, *words):
    """What the command makes of another file."""

    def again(folder, n):
        made = make(folder, n)
        path = folder / f"converted{suffix}"
        command = [SHEAF, "convert", "-q", "-f", "--allow=loss", "--allow=large", *words, made, path]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        return path

    return again


def npz(members):
    def make(folder, n):
        path = folder / "a.npz"
        with zipfile.ZipFile(path, "w") as z:
            for i in range(n):
                for name, count in members:
                    z.writestr(name % i, tap.npy("'<f8'", (count,), bytes(8 * count)) if count else b"x")
        return path

    return make


def fields(folder, n):
    """NPY: a structured type of n members."""
    path = folder / "a.npy"
    descr = ", ".join(f"('f{i}', '<f8')" for i in range(n))
    path.write_bytes(tap.npy(f"[{descr}]", (2,), bytes(16 * n)))
    return path


def array(shape, chunks, **more):
    return {"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "float64",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
            "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], **more}


def zarr(tree):
    """A folder of Zarr: path -> metadata, or the bytes of a chunk."""

    def make(folder, n):
        root = folder / "a.zarr"
        for path, content in tree(n):
            at = root / path
            at.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                at.rmdir()
                at.write_bytes(content)
            else:
                (at / "zarr.json").write_text(json.dumps(content))
        return root

    return make


GROUP = {"zarr_format": 3, "node_type": "group"}


def zarr_arrays(n):
    yield "", GROUP
    for i in range(n):
        yield f"a{i}", array([2], [2])


def zarr_groups(n):
    yield "", GROUP
    yield "a", array([2], [2])
    for i in range(n):
        yield f"g{i}", GROUP


def zarr_attributes(n):
    yield "", array([2], [2], attributes={f"a{i}": i for i in range(n)})


def zarr_chunks(n):
    yield "", array([n], [1])
    for i in range(n):
        yield f"c/{i}", struct.pack("<d", i)


def classic(variables, attributes, dimensions):
    """netCDF before HDF5: a header alone, and eight bytes for each variable."""

    def named(name):
        return struct.pack(">I", len(name)) + name.encode() + bytes(-len(name) % 4)

    def some(tag, items):
        return struct.pack(">II", tag if items else 0, len(items)) + b"".join(items)

    def make(folder, n):
        path = folder / "a.nc"
        d, a, v = dimensions(n), attributes(n), variables(n)
        head = b"CDF\1" + struct.pack(">I", 0)
        head += some(10, [named(f"d{i}") + struct.pack(">I", 2) for i in range(d + 1)])
        head += some(12, [named(f"a{i}") + struct.pack(">IIi", 4, 1, i) for i in range(a)])
        names = [named(f"v{i}") for i in range(v)]
        size = len(head) + 8 + sum(len(name) + 4 + 4 + 8 + 12 for name in names)
        head += some(11, [name + struct.pack(">IIII", 1, 0, 0, 0) + struct.pack(">III", 4, 8, size + 8 * i)
                          for i, name in enumerate(names)])
        path.write_bytes(head + bytes(8 * v))
        return path

    return make


def none(_):
    return 0


def one(_):
    return 1


def many(n):
    return n


def hdf5(fill):
    def make(folder, n):
        import h5py

        path = folder / "a.h5"
        with h5py.File(path, "w", libver=("v110", "v110")) as f:
            fill(f, n)
        return path

    return make


def hdf5_groups(f, n):
    for i in range(n):
        f.create_group(f"g{i}")
    f["a"] = [1.0, 2.0]


def hdf5_deep(f, n):
    at = f
    for _ in range(n // 100):
        at = at.create_group("g")
        for k in range(100):
            at.create_group(f"h{k}")
    f["a"] = [1.0, 2.0]


def hdf5_links(f, n):
    import h5py

    f["a"] = [1.0, 2.0]
    for i in range(n):
        f[f"l{i}"] = h5py.SoftLink("/a")


def hdf5_hard(f, n):
    f["a"] = [1.0, 2.0]
    for i in range(n):
        f[f"l{i}"] = f["a"]


def hdf5_attributes(f, n):
    f["a"] = [1.0, 2.0]
    for i in range(n):
        f["a"].attrs[f"b{i}"] = i


def hdf5_arrays(f, n):
    for i in range(n):
        f[f"a{i}"] = [1.0, 2.0]


def hdf5_chunks(f, n):
    f.create_dataset("a", data=range(n), chunks=(1,))


def hdf5_absent(f, n):
    f.create_dataset("a", shape=(n,), chunks=(1,), dtype="f8")


def hdf5_grown(f, n):
    f.create_dataset("a", data=range(n), chunks=(1,), maxshape=(None,))


def hdf5_rows(f, n):
    f.create_dataset("a", data=[[i, i] for i in range(n)], chunks=(1, 2), maxshape=(None, None))


def hdf5_deflated(f, n):
    f.create_dataset("a", data=range(n), chunks=(4,), compression="gzip")


def hdf5_long(f, n):
    """One chunk of n KiB, of which a piece of the array is a small part."""
    f.create_dataset("a", shape=(n << 10,), dtype="u1", chunks=(n << 10,), compression="gzip", fillvalue=7)
    f["a"][0] = 1


def hdf5_tall(f, n):
    f.create_dataset("a", shape=(n, 1024), dtype="u1", chunks=(n, 1024), compression="gzip", fillvalue=7)
    f["a"][0, 0] = 1


def hdf5_texts(f, n):
    f["a"] = [f"text {i}" for i in range(n)]


def hdf5_compound(f, n):
    import numpy

    f["a"] = numpy.zeros(2, [(f"m{i}", "f8") for i in range(n)])


def arrow(make_table, **how):
    def make(folder, n):
        import pyarrow as pa

        path = folder / "a.arrow"
        table = make_table(pa, n)
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table, **how)
        return path

    return make


def arrow_dictionaries(pa, n):
    return pa.table({f"c{i}": pa.array(["a", "b"]).dictionary_encode() for i in range(n)})


def arrow_metadata(pa, n):
    return pa.table({"a": [1, 2]}).replace_schema_metadata({f"k{i}": "v" for i in range(n)})


def arrow_batches(pa, n):
    return pa.table({"a": list(range(n))})


def wide(word, join, end="\n"):
    """A row of n fields."""
    return lambda n: join.join(word(i) for i in range(n)) + end


def csv(name, join):
    def make(folder, n):
        path = folder / name
        path.write_text(wide(lambda i: f"c{i}", join)(n) + 3 * wide(str, join)(n))
        return path

    return make


LENS = "example {\n"
CTF = text("a.ctf", "", lambda i: f"{i} |x {i} |y {i % 7}:1\n")
SEQUENCE = text("a.ctf", "", lambda i: f"0 |x {i} |y {i % 7}:1\n")
CTF_NEW = text("a.ctf", "", lambda i: f"{i} |s{i} 1\n")
CTF_WIDE = text("a.ctf", lambda n: "0 " + wide(lambda i: f"|s{i} 1", " ")(n), lambda i: "")
CSV = csv("a.csv", ",")
ROWS = text("a.csv", "a,b\n", lambda i: f"{i},{i}\n")
SHORT_ROWS = text("a.csv", wide(lambda i: f"c{i}", ","), lambda i: f"{i}\n")
EX = text("a.ex", "", lambda i: f"name:e{i} 2 i: {i} 1 t: 1 ;\n")
EVENTS = text("a.ex", lambda n: f"name:a {n}\n", lambda i: f"[{i}] i: 1 t: 1\n", ";\n")
GROUPS = text(
    "a.ex", lambda n: "name:a i: " + wide(lambda i: f"{{g{i}}} 1", " ", " t: 1 ;\n")(n), lambda i: ""
)
GROUPS_NEW = text("a.ex", "", lambda i: f"i: {{g{i}}} 1 t: 1 ;\n")
COO = text("a.tns", "", lambda i: f"{i + 1} 1 2\n")
MTX = text("a.mtx", lambda n: f"%%MatrixMarket matrix coordinate real general\n{n} {n} {n}\n",
           lambda i: f"{i + 1} {i + 1} 1.5\n")
JSON_NEW = text("a.jsonl", "", lambda i: f'{{"k{i}":1}}\n')
JSON_WIDE = text("a.jsonl", lambda n: "{" + wide(lambda i: f'"k{i}":1', ",", "}\n")(n), lambda i: "")

READ = [["info"], ["validate"], ["cat"], ["stats"], ["hash"]]
LIMITED = [["validate", "--max-memory", "256M"], ["hash"]]


def reading(*words):
    """With options that the file needs."""
    return [[*command, *words] for command in READ]


def listed(name):
    """For a file of several datasets, one of which is read."""
    return [*READ[:2], *reading("--dataset", name)[2:]]


SCIDB = reading("--format-string", lambda n: f"({','.join(n * ['int64'])})")


def to(suffix):
    return ["convert", "--allow=loss", "--allow=large", "-f", f"out{suffix}"]


# What there are n of, how a file is made, n, and what is done with it.
CASES = [
    ("ctf: sequences", CTF, 40000, [*READ, to(".cbf")]),
    ("ctf: samples of a sequence", SEQUENCE, 40000, [*READ, to(".cbf")]),
    ("ctf: streams, a new one in each line", CTF_NEW, 4000, READ),
    ("ctf: streams that are allowed to be missing", CTF_NEW, 4000, reading("--allow=missing")),
    ("ctf: sequences that are left out", CTF_NEW, 4000, reading("--drop-incomplete")),
    ("ctf: streams of one line", CTF_WIDE, 4000, [*READ, to(".cbf"), to(".ctf"), to(".npz")]),
    ("cbf: streams", converted(CTF_WIDE, ".cbf"), 2000, [*READ, to(".ctf")]),
    ("cbf: chunks", converted(CTF, ".cbf", "--chunk-bytes", "1"), 4000, [*READ, to(".ctf")]),
    ("csv: rows", ROWS, 40000, [*READ, to(".tsv")]),
    ("csv: columns", CSV, 4000, [*READ, *map(to, (".tsv", ".npz", ".arrow", ".jsonl", ".scidb"))]),
    ("csv: columns that are written as arrays", CSV, 4000, [*map(to, (".h5", ".bsp.h5", ".zarr.zip"))]),
    ("csv: rows that are filled", SHORT_ROWS, 4000, reading("--fill")),
    ("tsv: columns", csv("a.tsv", "\t"), 4000, READ),
    ("jsonl: members of one line", JSON_WIDE, 4000, READ),
    ("jsonl: members, a new one in each line", JSON_NEW, 4000, READ),
    ("svmlight: indices", text("a.svm", "", lambda i: f"1 {i + 1}:1\n"), 20000, READ),
    ("mtx: entries", MTX, 20000, [*READ, to(".npz"), to(".h5")]),
    ("tns: entries", COO, 20000, READ),
    ("scidb: attributes", converted(CSV, ".scidb"), 2000, SCIDB),
    ("scidb: rows", converted(ROWS, ".scidb"), 20000, reading("--format-string", "(int64, int64)")),
    ("lens: examples", EX, 10000, [*READ, to(".bex")]),
    ("lens: events", EVENTS, 10000, [*READ, to(".bex")]),
    ("lens: groups", GROUPS, 4000, [*READ, to(".bex")]),
    ("lens: groups, a new one in each example", GROUPS_NEW, 4000, READ),
    ("bex: examples", converted(EX, ".bex"), 10000, READ),
    ("bex: groups", converted(GROUPS, ".bex"), 4000, READ),
    ("npy: members of a type", fields, 2000, READ),
    ("npz: members", npz([("a%d.npy", 2)]), 2000, listed("a0.npy")),
    ("npz: other members", npz([("a%d.txt", 0)]), 4000, [["info"]]),
    ("npz: streams", converted(CTF_WIDE, ".npz"), 1000, READ),
    ("arrow: columns", converted(CSV, ".arrow"), 2000, READ),
    ("arrow: batches", arrow(arrow_batches, max_chunksize=1), 4000, READ),
    ("arrow: dictionaries", arrow(arrow_dictionaries), 4000, READ),
    ("arrow: metadata", arrow(arrow_metadata), 10000, READ),
    ("hdf5: columns", converted(CSV, ".h5"), 1000, READ),
    ("hdf5: groups", hdf5(hdf5_groups), 4000, READ),
    ("hdf5: groups in groups", hdf5(hdf5_deep), 4000, READ),
    ("hdf5: soft links", hdf5(hdf5_links), 4000, listed("a")),
    ("hdf5: hard links", hdf5(hdf5_hard), 4000, listed("a")),
    ("hdf5: attributes", hdf5(hdf5_attributes), 2000, READ),
    ("hdf5: arrays", hdf5(hdf5_arrays), 2000, listed("a0")),
    ("hdf5: chunks", hdf5(hdf5_chunks), 20000, READ),
    ("hdf5: absent chunks", hdf5(hdf5_absent), 20000, READ),
    ("hdf5: chunks of an array that grows", hdf5(hdf5_grown), 20000, READ),
    ("hdf5: chunks of a matrix that grows", hdf5(hdf5_rows), 10000, READ),
    ("hdf5: deflated chunks", hdf5(hdf5_deflated), 20000, READ),
    ("hdf5: bytes of one chunk", hdf5(hdf5_long), 8 << 10, LIMITED),
    ("hdf5: rows of one chunk", hdf5(hdf5_tall), 8 << 10, LIMITED),
    ("hdf5: texts", hdf5(hdf5_texts), 15000, READ),
    ("hdf5: members of a type", hdf5(hdf5_compound), 250, READ),
    ("netcdf: variables", classic(many, none, none), 2000, listed("v0")),
    ("netcdf: attributes", classic(one, many, none), 4000, READ),
    ("netcdf: dimensions", classic(one, none, many), 4000, READ),
    ("zarr: arrays", zarr(zarr_arrays), 1000, listed("a0")),
    ("zarr: groups", zarr(zarr_groups), 1000, READ),
    ("zarr: attributes", zarr(zarr_attributes), 4000, READ),
    ("zarr: chunks", zarr(zarr_chunks), 4000, READ),
]

# ---- measuring ----


def seconds(folder, words, path):
    """Of the processor, and the exit status. A conversion's last word is its output."""
    operands = [*words[:-1], path, folder / words[-1]] if words[0] == "convert" else [*words, path]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([SHEAF, *operands], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, done.returncode, done.stderr


def doublings(make, n, words):
    """Seconds for n, 2n and 4n; the status of the last."""
    times = []
    for k in (n, 2 * n, 4 * n):
        given = [word(k) if callable(word) else word for word in words]
        with tempfile.TemporaryDirectory(prefix="sheaf-growth-") as root:
            folder = Path(root)
            path = make(folder, k)
            taken, code, why = min(seconds(folder, given, path) for _ in range(2))
            times.append(taken)
    return times, code, why


def follows(times):
    return all(b <= max(DOUBLING * a, 2 * SHORT) for a, b in zip(times, times[1:]))


def main():
    wanted = sys.argv[1:]
    for name, make, n, commands in CASES:
        if wanted and not any(word in name for word in wanted):
            continue
        for words in commands:
            what = f"{name}: {' '.join(word for word in words if isinstance(word, str))}"
            try:
                times, code, why = doublings(make, n, words)
                if not follows(times):  # once more: the machine may have been busy
                    times, code, why = doublings(make, n, words)
            except ModuleNotFoundError as missing:
                tap.skip(what, f"no {missing.name}")
                continue
            shown = " ".join(f"{t:.3f}" for t in times)
            tap.point(follows(times) and code != 2, f"{what} ({shown} s, exit {code})", why.decode())
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
