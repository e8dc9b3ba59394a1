# SPDX-License-Identifier: MIT
"""What faults.py and power.py share: a command on files in a folder of its own, its outcome, and such
cases for all formats."""

import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import tap

SHEAF = os.environ["SHEAF"]
LIBRARY = os.environ.get("FAULTS_LIBRARY", "")  # faults.c
TIMEOUT = 60  # seconds: a run that takes so long hangs

# ---- runs ----


@dataclass
class Outcome:
    """The outcome of a run."""

    code: int
    out: bytes
    err: str
    files: dict


@dataclass
class Case:
    """A command, in a folder of its own."""

    name: str
    words: list
    files: dict  # existing files: name -> bytes
    stdin: str = ""  # the file that comes through a pipe
    folder: Path = None
    before: dict = field(default_factory=dict)
    right: Outcome = None


def environment(folder, **more):
    """The command's environment has nothing but the folder, and what tools/mutants chooses."""
    chosen = {name: os.environ[name] for name in ("SHEAF_MUTANT", "SHEAF_MARKS") if name in os.environ}
    return {
        **chosen,
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "TMPDIR": str(folder),
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / "cache"),
        **more,
    }


def look(folder):
    """name -> (size, time, inode) of all files."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            whole = os.path.join(path, name)
            info = os.lstat(whole)
            found[os.path.relpath(whole, folder)] = (info.st_size, info.st_mtime_ns, info.st_ino)
    return found


def run(case, plan="", **more):
    extra = dict(more)
    if plan is not None:
        extra.update(LD_PRELOAD=LIBRARY, FAULTS_ROOT=str(case.folder))
    if plan:
        extra["FAULTS_PLAN"] = plan
    words = [SHEAF, *case.words]
    stdin = subprocess.DEVNULL
    if case.stdin:
        words = [
            "/bin/sh",
            "-c",
            f'cat {case.stdin} | {{ export LD_PRELOAD="$FAULTS_LOADED"; exec "$@"; }}',
            "sh",
            *words,
        ]
        extra["FAULTS_LOADED"] = extra.pop("LD_PRELOAD", "")
    with tempfile.TemporaryFile(dir=case.folder.parent) as err, open(case.folder / ".stdout", "wb+") as out:
        done = subprocess.run(
            words,
            cwd=case.folder,
            env=environment(case.folder, **extra),
            stdin=stdin,
            stdout=out,
            stderr=err,
            timeout=TIMEOUT,
            check=False,
        )
        out.seek(0)
        err.seek(0)
        text, message = out.read(), err.read().decode(errors="replace")
    os.unlink(case.folder / ".stdout")
    files = {}
    for name, seen in look(case.folder).items():
        if case.before.get(name) != seen:
            files[name] = (case.folder / name).read_bytes()
    files.update({name: None for name in case.before if not (case.folder / name).exists()})
    return Outcome(done.returncode, text, message, files)


def restore(case, outcome):
    """Puts back what a run has changed."""
    for name in outcome.files:
        path = case.folder / name
        if name in case.files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(case.files[name])
            os.utime(path, (1e9, 1e9))
        elif path.exists():
            path.unlink()
            for folder in path.parents:
                if folder == case.folder or any(folder.iterdir()):
                    break
                folder.rmdir()
    case.before = look(case.folder)


def prepare(case, root):
    """Its folder, and the right outcome: that of a run without a fault."""
    case.folder = root / re.sub(r"\W+", "-", case.name)
    case.folder.mkdir()
    for name, content in case.files.items():
        (case.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (case.folder / name).write_bytes(content)
        os.utime(case.folder / name, (1e9, 1e9))  # long ago, so that an index written now is younger
    case.before = look(case.folder)
    case.right = run(case, None)
    restore(case, case.right)
    return case.right.code in (0, 1)


# ---- cases ----


def table():
    return "id,name,x,y\n" + "".join(
        f"{i},n{i * i},{'' if i % 7 == 0 else i / 4},{i % 3}\n" for i in range(30)
    )


def sequences(n=30):
    return "".join(f"{i} |A {i} {i * 7} |B {i % 10}:{i + 1}\n" for i in range(n))


MATRIX = "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 0.5\n3 1 2\n4 2 7\n4 4 1\n"
ROWS = "".join(f"{i % 2} {i % 5 + 1}:{i / 8} {i % 4 + 7}:1\n" for i in range(30))
SCIDB = ["--format-string", "(int64,string,double null,int64)"]

# format -> [(file, made from, options of making, options of reading)]
TEXTS = {"a.ctf": sequences(), "a.csv": table(), "a.mtx": MATRIX, "a.svmlight": ROWS}
SAMPLES = {
    "ctf": [("a.ctf", None, [], [])],
    "cbf": [("a.cbf", "a.ctf", [], [])],
    "lens": [
        (f"a.{end}", "a.ctf", ["--group", "A:2:input", "--group", "B:10:output"], []) for end in ("ex", "bex")
    ],
    "binsparse": [("a.h5", "a.mtx", [], [])],
    "scidb": [("a.scidb", "a.csv", [], SCIDB)],
    "matrixmarket": [("a.mtx", None, [], [])],
    "csv": [("a.csv", None, [], [])],
    "tsv": [("a.tsv", "a.csv", [], [])],
    "svmlight": [("a.svmlight", None, [], [])],
    "npy": [("a.npy", "a.csv", ["--string-bytes", "8"], [])],
    "tns": [("a.tns", "a.mtx", [], [])],
    "npz": [("a.npz", "a.mtx", [], [])],
    "jsonl": [("a.jsonl", "a.ctf", [], [])],
    "hdf5": [("a.h5ad", "a.mtx", [], [])],
    "arrow": [("a.arrow", "a.ctf", [], []), ("a.arrows", "a.csv", ["--compression", "zstd"], [])],
}
# What each sample is converted to, beside its own format.
OTHERS = {
    "a.ctf": ["cbf"], "a.cbf": ["ctf"], "a.ex": ["bex"], "a.bex": ["ctf"], "a.h5": ["mtx", "npz"],
    "a.scidb": ["csv"], "a.mtx": ["h5", "npy"], "a.csv": ["scidb", "npy"], "a.tsv": ["csv"],
    "a.svmlight": ["cbf", "npz"], "a.npy": ["tsv"], "a.tns": ["mtx"], "a.npz": ["tns"],
    "a.jsonl": ["cbf"], "a.h5ad": ["mtx"], "a.arrow": ["cbf"], "a.arrows": ["csv"],
}  # fmt: skip
OUTPUT = {"npy": ["--string-bytes", "8"]}
OLD = b"what was there before\n"


def make_samples(folder, formats):
    """file -> bytes, of these formats."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    for format_name in formats:
        for name, made_from, how, _ in SAMPLES[format_name]:
            if made_from:
                subprocess.run(
                    [SHEAF, "convert", "-q", *how, made_from, name],
                    cwd=folder,
                    check=True,
                    env=environment(folder),
                )
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def cases_of(name, content, how):
    """What a user does with a file."""
    suffix = name.partition(".")[2]
    file = {name: content}
    for command in (
        ["info"],
        ["info", "--json"],
        ["head", "-n", "5"],
        ["head", "--skip", "20"],
        ["cat"],
        ["stats"],
        ["show"],
        ["validate"],
        ["schema"],
        ["hash"],
    ):
        yield Case(f"{name}: {' '.join(command)}", [*command, *how, name], file)
    yield Case(f"{name}: diff", ["diff", *how, name, f"b.{suffix}"], {**file, f"b.{suffix}": content})
    yield Case(f"{name}: batches", ["batches", "--json", "--size", "7", "--state", "state", *how, name], file)
    yield Case(
        f"{name}: batches, two epochs",
        ["batches", "--json", "--size", "7", "--epoch-size", "2sweeps", "--index", "write", *how, name],
        file,
    )
    yield Case(f"{name}: index", ["index", *how, name], file)
    yield Case(f"{name}: split", ["split", "-f", *how, name, "out.0", "out.1"], {**file, "out.0": OLD})
    yield Case(
        f"{name}: merge", ["merge", "-f", *how, name, name, f"out.{suffix}"], {**file, f"out.{suffix}": OLD}
    )
    if not name.endswith("ex"):
        yield Case(
            f"{name}: a part",
            ["convert", "-f", *how, "--part", "1/2", "--to", format_of(name), name, "out.part"],
            {**file, "out.part": OLD},
        )
    yield Case(f"{name}: plan", ["plan", "--parts", "3", *how, name], file)
    yield Case(f"{name}: cat of a pipe", ["cat", "--from", format_of(name), *how, "-"], file, stdin=name)
    yield Case(
        f"{name}: convert a pipe",
        ["convert", "-f", "--from", format_of(name), *how, "-", f"out.{suffix}"],
        {**file, f"out.{suffix}": OLD},
        stdin=name,
    )
    yield Case(
        f"{name}: cat, compressed",
        ["cat", *how, f"{name}.gz"],
        {f"{name}.gz": gzip.compress(content, mtime=0)},
    )
    for target in [suffix, f"{suffix}.xz", *OTHERS[name]]:
        old = {f"out.{target}": OLD}
        writing = OUTPUT.get(target, []) if name != "a.npy" else []
        yield Case(
            f"{name}: convert to {target}",
            ["convert", "-f", *how, *writing, name, f"out.{target}"],
            {**file, **old},
        )
    yield Case(f"{name}: convert to a new file", ["convert", *how, name, f"out.{suffix}"], file)


def format_of(name):
    return next(format_name for format_name, rows in SAMPLES.items() for row in rows if row[0] == name)


def made(case, name, root):
    """The file of that name that a case makes."""
    prepare(case, root)
    shutil.rmtree(case.folder)
    return case.right.files[name]


def made_folder(samples, root):
    packed = ["convert", "--compression", "zstd", "a.mtx", "in.zarr"]
    case = Case("a folder to read", packed, {"a.mtx": samples["a.mtx"]})
    prepare(case, root)
    shutil.rmtree(case.folder)
    return case.right.files


def special_cases(samples, root):
    """Cases that no single file covers: updated containers, lists, configurations, inputs longer than a
    piece, small memory."""
    long = sequences(30000).encode()
    inputs = b'A = [ dim = 2 ; format = "dense" ] ; B = [ dim = 10 ; format = "sparse" ]'
    reader = b'readerType = "CNTKTextFormatReader" ; file = "a.ctf" ; input = [ ' + inputs + b" ]"
    config = b"a = [ reader = [ " + reader + b" ] ]\n"
    two = {"a.mtx": samples["a.mtx"], "there.h5": samples["a.h5"]}
    yield Case("a tensor to a folder", ["convert", "a.mtx", "out.zarr"], {"a.mtx": samples["a.mtx"]})
    there = {"a.mtx": samples["a.mtx"], "out.zarr/zarr.json": OLD}
    words = ["convert", "-f", "--zarr", "2", "a.mtx", "out.zarr"]
    yield Case("a tensor to a folder in place of another", words, there)
    yield Case("a folder", ["hash", "in.zarr"], {"a.mtx": samples["a.mtx"], **made_folder(samples, root)})
    yield Case("a tensor into a file", ["convert", "--into", "A/sub", "a.mtx", "there.h5"], two)
    for source, target in (("a.ctf", "cbf"), ("a.mtx", "npz")):
        file = {source: samples[source]}
        for i in (1, 2):
            file[f"{i}.part"] = made(
                Case(
                    "a part to merge",
                    ["convert", "--part", f"{i}/2", "--to", target, source, f"{i}.part"],
                    {source: samples[source]},
                ),
                f"{i}.part",
                root,
            )
        yield Case(
            f"parts of {source} merged to {target}",
            ["merge", "-f", "2.part", "1.part", f"out.{target}"],
            {**file, f"out.{target}": OLD},
        )
    yield Case(
        "batches as files",
        ["batches", "-f", "--json", "--data", "--size", "9", "-o", ".", "--to", "arrow", "a.ctf"],
        {"a.ctf": samples["a.ctf"]},
    )
    ragged = b"0 |A 1 2\n0 |A 3 4\n1 |A 5 6\n"
    for target in ("npy", "npz"):
        old = {f"out.{target}": OLD, f"out.lengths.{target}": OLD}
        yield Case(
            f"sequences filled up, and their lengths, to {target}",
            ["convert", "-f", "--pad", "a.ctf", f"out.{target}"],
            {"a.ctf": ragged, **old},
        )
    yield Case(
        "sequences filled up, to new files", ["convert", "--pad", "a.ctf", "out.npy"], {"a.ctf": ragged}
    )
    yield Case(
        "a list of inputs",
        ["batches", "--json", "@list"],
        {"list": b"a.ctf\nb.ctf\n", "a.ctf": samples["a.ctf"], "b.ctf": samples["a.ctf"]},
    )
    yield Case("a list of one input", ["stats", "a.ctf"], {"a.ctf": samples["a.ctf"]})
    yield Case(
        "statistics that are drawn", ["stats", "--draw", "a.ctf"], {"a.ctf": samples["a.ctf"]}
    )
    # If an index cannot be read, a page says so: so these have none.
    yield Case(
        "a report",
        ["report", "-f", "--index", "never", "a.ctf", "out.html"],
        {"a.ctf": samples["a.ctf"], "out.html": OLD},
    )
    yield Case(
        "a report of two files",
        ["report", "--index", "never", "a.ctf", "b.ctf", "-o", "out.html"],
        {"a.ctf": samples["a.ctf"], "b.ctf": samples["a.ctf"]},
    )
    yield Case(
        "a report with charts",
        ["report", "-f", "--index", "never", "--svg", "charts", "a.ctf", "out.html"],
        {"a.ctf": samples["a.ctf"], "out.html": OLD},
    )
    yield Case(
        "charts and a page in a pipe",
        ["report", "-f", "--index", "never", "--svg", "charts", "a.ctf", "-o", "-"],
        {"a.ctf": samples["a.ctf"]},
    )
    yield Case(
        "a pattern of inputs",
        ["batches", "--json", "?.ctf"],
        {"a.ctf": samples["a.ctf"], "b.ctf": samples["a.ctf"]},
    )
    yield Case(
        "a configuration", ["cat", "--config", "c.cntk"], {"c.cntk": config, "a.ctf": samples["a.ctf"]}
    )
    words = ["batches", "--json", "--size", "7", "--epoch-size", "10", "--state", "state"]
    state = made(
        Case("a state", [*words, "--epochs", "1", "a.ctf"], {"a.ctf": samples["a.ctf"]}), "state", root
    )
    yield Case(
        "a state that is there",
        [*words, "--epochs", "3", "a.ctf"],
        {"a.ctf": samples["a.ctf"], "state": state},
    )
    yield Case(
        "a long file to cbf", ["convert", "-f", "long.ctf", "out.cbf"], {"long.ctf": long, "out.cbf": OLD}
    )
    yield Case(
        "a long file, four threads",
        ["convert", "-f", "--threads", "4", "long.ctf", "out.cbf"],
        {"long.ctf": long, "out.cbf": OLD},
    )
    yield Case(
        "a long pipe",
        ["convert", "-f", "--from", "ctf", "--threads", "4", "-", "out.cbf"],
        {"long.ctf": long, "out.cbf": OLD},
        stdin="long.ctf",
    )
    yield Case("an index of a long file", ["index", "--chunk-bytes", "64K", "long.ctf"], {"long.ctf": long})
    yield Case("a long file's end", ["head", "--skip", "29990", "long.ctf"], {"long.ctf": long})
    rows = "id,text\n" + "".join(f"{i},{'x' * (i % 40)}\n" for i in range(30000)) + "z,late\n"
    yield Case(
        "a long table whose type shows late",
        ["convert", "-f", "--format-string", "(string,string)", "long.csv", "out.scidb"],
        {"long.csv": rows.encode(), "out.scidb": OLD},
    )
    entries = "%%MatrixMarket matrix coordinate real general\n3000 3000 40000\n" + "".join(
        f"{i * 7919 % 3000 + 1} {i * 31 % 2999 + 1} {i}\n" for i in range(40000)
    )
    unsorted = {"long.mtx": entries.encode(), "out.npz": OLD}
    yield Case(
        "entries that must be sorted on the disk",
        ["convert", "-f", "--max-memory", "4M", "--duplicates", "sum", "long.mtx", "out.npz"],
        unsorted,
    )


def indexed_cases(samples, root):
    """With a fresh index."""
    for name in ("a.ctf", "a.csv", "a.svmlight"):
        index = made(
            Case(f"{name}: make an index", ["index", name], {name: samples[name]}),
            f"{name}.sheaf-index",
            root,
        )
        for command in (
            ["info"],
            ["cat"],
            ["head", "--skip", "20"],
            ["batches", "--json", "--size", "7"],
            ["index", "--check"],
            ["convert", "--to", "csv"],
        ):
            words = [*command, name] + (["out"] if command[0] == "convert" else [])
            yield Case(
                f"{name} with its index: {' '.join(command)}",
                words,
                {name: samples[name], f"{name}.sheaf-index": index},
            )


def known_formats():
    """Those of this build that have a sample; a point says whether others are missing."""
    listed = subprocess.run([SHEAF, "formats", "--json"], capture_output=True, text=True, check=True).stdout
    formats = [json.loads(line)["name"] for line in listed.splitlines()]
    missing = [name for name in formats if name not in SAMPLES]
    tap.point(
        not missing,
        "every format has a sample",
        f"none of {' '.join(missing)}: see SAMPLES in tests/cases.py",
    )
    return [name for name in formats if name in SAMPLES]


def all_cases(root):
    formats = known_formats()
    (root / "samples").mkdir()
    samples = make_samples(root / "samples", formats)
    for format_name in formats:
        for name, _, _, how in SAMPLES[format_name]:
            yield from cases_of(name, samples[name], how)
    yield from special_cases(samples, root)
    yield from indexed_cases(samples, root)


def chosen_cases(root, words):
    """Those whose names have all the words; if FAULTS_SHARE is I/N, only the I-th of N shares, since all
    take hours."""
    share, shares = map(int, os.environ.get("FAULTS_SHARE", "1/1").split("/"))
    for number, case in enumerate(all_cases(root)):
        if number % shares == share - 1 and all(word in case.name for word in words):
            yield case
