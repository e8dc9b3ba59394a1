#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each option of each command and of each format has an effect that can be seen, or is refused.

`sheaf help --json` says which options a command has. For each of them a row says what is given with and
without it: status, output, messages or files must differ. An option without a row fails, and so does a row
without an option. Options of formats are tried with all files of VALUES until one shows an effect; given
twice, those that take one value are refused. TAP on standard output.

    SHEAF=build/sheaf python3 tests/effects.py [PART OF A NAME]
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tap

SHEAF = os.path.abspath(os.environ.get("SHEAF", "sheaf"))
FILES = {
    "a.ctf": "0 |word 1:1 |label 1 0\n0 |word 2:1 |label 0 1\n1 |word 1:2 |label 1 0\n"
             "2 |word 3:1 |label 0 1\n",
    "keys.ctf": "7 |word 1:1 |label 1 0\n8 |word 1:2 |label 1 0\n9 |word 3:1 |label 0 1\n",
    "other.ctf": "3 |word 1:1 |label 1 0\n4 |word 1:2 |label 1 0\n5 |word 3:1 |label 0 1\n",
    "bad.ctf": "0 |word 1:1 |label 1 0\n1 |word x |label 0 1\n2 |word 3:1 |label 0 1\n",
    "long.ctf": "".join(f"{i} |word {i}:1\n" for i in range(99)),
    "many.ctf": "".join(f"{i} |word {i}:x\n" for i in range(99)),
    "t.csv": "i,j,v\n0,0,1\n0,1,2\n1,1,3\n",
    "twice.csv": "a,a\n1,2\n", "cut.jsonl": '{"a":1}\n{"a":2', "cut2.jsonl": '{"a":1}\n{"a":2',
    "wide.csv": "sequence,element,word\n0,0,1\n0,1,2\n1,0,3\n",
    "m.mtx": "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 1 1.5\n",
    "dup.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n1 1 1.5\n",
    "whole.csv": "a\n1\n", "real.csv": "a\n1.0\n", "names.txt": "zero\none\ntwo\nthree\n",
    "train.cntk": 'train = [ reader = [ readerType = "CNTKTextFormatReader" ; file = "a.ctf" ; input = [ '
                  'w = [ alias = "word" ; dim = 9 ; format = "sparse" ] ; '
                  'l = [ alias = "label" ; dim = 2 ; format = "dense" ] ] ] ]\n',
    "a.scidb": "\1\2", "there.part": "precious", "there.html": "precious", "there.ctf": "",
    "batches/batch-0.ctf": "", "names.csv": "id,name\n1,x\n2,y\n",
    "same.ctf": "0 |word 1:1 |label 1 0\n1 |word 1:1 |label 0 1\n",
    "g.mtx": "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 5\n2 3 1.5\n",
    "wrong.cntk": 'train = [ reader = [ readerType = "CNTKTextFormatReader" ; file = "a.ctf" ; input = [ '
                  'l = [ alias = "label" ; dim = 1 ; format = "dense" ] ] ] ]\n',
    "big.zarr/zarr.json": json.dumps({
        "zarr_format": 3, "node_type": "array", "shape": [20000, 20000], "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [20000, 200]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "codecs": [
            {"name": "bytes", "configuration": {"endian": "little"}}], "attributes": {}}),
}
FILES.update({f"deep.zarr/{folder}zarr.json": '{"zarr_format":3,"node_type":"group"}'
              for folder in ("", "a/", "a/b/")})
DECLARED = "--stream word:9:sparse --stream label:2:dense "
OUTPUTS = {"convert": "out.ctf", "report": "out.html", "split": "p.ctf q.ctf", "merge": "out.ctf"}
PLACED = ["out.npy", "out.mtx", "out.csv", "there.part", "there.html", "there.ctf"]  # a row's own output
# What cannot be seen, with the reason.
UNSEEN = {"threads": "the output is the same for any number",
          "keep-in-memory": "the batches are the same",
          "progress": "nothing is shown in the first half second (terminal.py)"}
# These have no --rows, without which such an array takes minutes: the check is the one that cat makes.
UNSEEN.update({(name, "allow"): "it takes minutes" for name in ("validate", "split", "show")})
# What diff compares a file with.
OTHERS = {"whole.csv": "real.csv", "a.ctf": "a2.ctf", "keys.ctf": "other.ctf", "t.csv": "t2.csv",
          "g.mtx": "g2.mtx", "cut.jsonl": "cut2.jsonl"}
FILES.update({"a2.ctf": FILES["a.ctf"].replace(":1", ":7"),
              "t2.csv": FILES["t.csv"].replace("1,1,3", "1,1,4"),
              "g2.mtx": FILES["g.mtx"].replace("2 3 1.5", "2 3 2.5")})
# option, or command and option: what is given with and without it, a file first; then the option. {out} is
# an output; where a command takes another file, the file comes again.
ROWS = {
    "from": "t.csv | --from jsonl", "json": "a.ctf | --json", "quiet": "twice.csv | --quiet",
    "max-memory": "a.ctf | --max-memory 1", "max-errors": "bad.ctf " + DECLARED + "| --max-errors 5",
    "strict": "twice.csv | --strict", "drop-incomplete": "cut.jsonl | --drop-incomplete",
    "progress": "a.ctf | --progress always", "help": "a.ctf | --help",
    "config": "a.ctf | --config train.cntk:train.reader", "index": "a.ctf | --index require",
    "dataset": "a.ctf | --dataset nosuch", "coordinates": "t.csv | --coordinates i,j",
    "value": "t.csv | --value v", "shape": "t.csv | --shape 4,4", "rows": "a.ctf | --rows 1",
    "skip": "a.ctf | --skip 1", "sample": "a.ctf | --sample 1",
    "seed": "a.ctf | --seed 5", "where": "a.ctf | --where nobody", "streams": "a.ctf | --streams label",
    "columns": "t.csv | --columns i", "transpose": "g.mtx | --transpose", "matrix": "t.csv | --matrix",
    "part": "a.ctf | --part 1/2", "allow": "big.zarr --max-memory 64M --rows 1 | --allow large",
    "sequences": "wide.csv | --sequences wide", "lengths": "t.csv | --lengths nosuch.npy",
    "output": "a.ctf | -o other.out", "expand": "m.mtx | --expand", "names": "a.ctf | --names word=names.txt",
    "target": "a.ctf | --target word", "compare": "keys.ctf | --compare keys",
    "force": "a.ctf there.part --part 1/2 | --force",
}
ROWS.update({
    ("show", "drop-incomplete"): "cut.jsonl --skip 1 | --drop-incomplete",
    ("info", "depth"): "deep.zarr | --depth 1",
    ("info", "guess"): "a.scidb | --guess", ("head", "rows"): "a.ctf | --rows 1",
    ("validate", "limit"): "many.ctf | --limit 1", ("validate", "quiet"): "bad.ctf | --quiet",
    "table": "t.csv | --table",
    ("stats", "draw"): "a.ctf | --draw",
    ("stats", "target"): "same.ctf --json | --target word",
    ("show", "progress"): "a.ctf | --progress always",
    ("report", "svg"): "a.ctf | --svg charts", ("report", "quiet"): "twice.csv | --quiet",
    ("report", "max-errors"): "bad.ctf " + DECLARED + "| --max-errors 0",
    ("report", "target"): "same.ctf | --target word",
    ("report", "fail-above"): "a.ctf same.ctf | --fail-above 0",
    ("convert", "to"): "a.ctf | --to jsonl", ("convert", "allow"): "names.csv | --allow loss",
    ("convert", "duplicates"): "dup.mtx out.npy | --duplicates sum",
    ("convert", "pad"): "a.ctf out.npy | --pad",
    ("convert", "structure"): "m.mtx out.mtx | --structure general",
    ("convert", "force"): "a.ctf there.ctf | --force", ("report", "force"): "a.ctf there.html | --force",
    ("split", "force"): "a.ctf there.part q.ctf | --force", ("merge", "force"): "a.ctf there.ctf | --force",
    ("validate", "config"): "a.ctf | --config wrong.cntk:train.reader",
    ("plan", "config"): "a.ctf | --config train.cntk:nosuch",
    ("convert", "transpose"): "g.mtx out.npy | --transpose",
    ("convert", "matrix"): "m.mtx out.csv | --matrix",
    ("schema", "to"): "a.ctf | --to cbf", ("diff", "limit"): "a.ctf | --limit 1",
    ("diff", "compare"): "whole.csv | --compare types",
    ("split", "parts"): "a.ctf | --parts 2", ("split", "seed"): "a.ctf | --seed 3",
    ("merge", "allow"): "names.csv | --allow loss",
    ("plan", "parts"): "a.ctf | --parts 2", ("plan", "rate"): "a.ctf | --rate 1",
    ("index", "check"): "a.ctf | --check", ("index", "chunk-bytes"): "long.ctf | --chunk-bytes 64",
    ("help", "as"): "| --as man", ("help", "json"): "| --json",
    ("formats", "json"): "| --json",
})
for option, given in {
        "size": "--size 1sequences", "order": "--order file",
        "seed": "--size 1 | --seed 9", "window": "--size 1 --chunk-bytes 1 | --window 1",
        "chunk-bytes": "--size 1 --window 1 | --chunk-bytes 1", "epoch-size": "--epoch-size 2",
        "epochs": "--epochs 2", "no-cross-sweep": "--size 2 --epoch-size 2sweeps | --no-cross-sweep",
        "rest": "--size 2 | --rest drop", "bucket": "--size 2 | --bucket", "shard": "--shard 0/2",
        "timeline": "--order file --size 3 --shard 0/2 | --timeline global", "position": "--position 2",
        "state": "--state state.bin", "join": "long.ctf | --join",
        "mix": "long.ctf | --mix 1,2", "pack": "--pack rows",
        "pad": "--pad 1", "trace-level": "--trace-level 2", "limit": "--size 1 | --limit 1",
        "data": "--data", "output": "--to ctf | --output batches", "to": "--to ctf",
        "force": "--to ctf --output batches | --force"}.items():
    base, _, more = given.rpartition("|")
    ROWS["batches", option] = f"long.ctf {base} --json | {more}"

# What is read and written to see what an option of a format does.
FILES.update({
    "x.ex": "name:{x} 1\nI:(word) 1 0 1 T:(out) 1 0;\n", "u.ex": "1\ni: {word} 0 1 t: {out} 1;\n",
    "n.csv": "a,b\n1,\"x,y\"\n,z\n3,1\n", "c.csv": "a;b\n1,5;2\n3;4\n", "short.csv": "a,b\n1,2\n3\n",
    "n.tsv": "a\tb\n1\tx y\n\tz\n3\t1\n", "q.csv": "a,b\n'x',\"1\"\n", "short.tsv": "a\tb\n1\t2\n3\n",
    "a.svm": "1 1:2 3:4\n0 2:1.1\n", "w.svm": "1:2 1:2 3:4\n0:3 2:1.1\n", "c.tsv": "a\tb\n1,5\t2\n",
    "iso.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 1 5\n",
    "one.tns": "1 2\n3 4\n", "lab.ctf": "0 |label 1 |f 0:1 2:1.1\n", "back.ctf": "0 |w 5:1 2:1\n",
    "a.tns": "1 1 2\n2 3 4\n", "f.csv": "x\n1.25\n0.1\n",
    "bad.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n\n2 1 1.5 9\n",
    "v.csv": "v\n1\n2\n", "a.map": "word word sparse 9\nlabel label dense 2\n",
    # netCDF: two numbers, to which 1 is added.
    "plus.nc": b"CDF\1" + b"".join(n if isinstance(n, bytes) else n.to_bytes(4, "big") for n in (
        0, 10, 1, 1, b"x\0\0\0", 2, 0, 0, 11, 1, 1, b"v\0\0\0", 1, 0, 12, 1, 10, b"add_offset\0\0", 5, 1,
        b"\x3f\x80\0\0", 3, 4, 108, b"\0\1\0\2")),
    "un.ctf": "0 |a 1\n0\n1 |b 2\n", "w.jsonl": '{"a":null,"b":1}\n',
})
READ = {"ctf": "a.ctf un.ctf", "cbf": "made.cbf", "lens": "x.ex u.ex", "binsparse": "made.bsp.h5",
        "scidb": "made.scidb a.scidb", "matrixmarket": "m.mtx bad.mtx dup.mtx",
        "csv": "n.csv c.csv q.csv f.csv short.csv",
        "tsv": "n.tsv c.tsv short.tsv", "svmlight": "a.svm w.svm",
        "npy": "made.npy", "tns": "a.tns", "npz": "made.npz",
        "jsonl": "w.jsonl", "hdf5": "made.h5 plus.nc", "arrow": "made.arrow"}
WRITTEN = ["a.ctf", "n.csv", "f.csv", "v.csv", "m.mtx", "g.mtx", "x.ex", "lab.ctf", "back.ctf", "iso.mtx",
           "one.tns", "a.svm", "w.svm", "a.scidb"]
SUFFIXES = {"binsparse": ".bsp.h5 .bsp.zarr.zip", "hdf5": ".h5 .zarr.zip .h5ad", "lens": ".ex .bex",
            "matrixmarket": ".mtx", "svmlight": ".svm"}
# What is given with and without an option of a format, or only for one format's.
ENDS = {"loop": ["--rows", "5"], ("ctf", "allow"): ["--stream=a:1:dense", "--stream=b:1:dense"],
        "type": ["--schema=<a:rational NOT NULL>"], "not-null-default": ["--schema=<a:int8>"],
        "dimensions": ["--schema=<a:int8 NOT NULL>[i=0:1]"]}
# What only damaged files show, or nothing.
IDLE = {("binsparse", "repair"): "tests/files has files to repair", ("hdf5", "layout"): "it has one value",
        ("binsparse", "allow"): "tests/files has files that need it",
        ("binsparse", "check"): "a damaged tensor, read as a whole (test_binsparse)",
        ("lens", "allow"): "tests/files has files that need it"}
VALUES = {"stream": "word:99:sparse new:alias=word", "map": "a.map", "main-stream": "label",
          "alias": "word=w",
          "encoding": "utf-16", "group": "word:9:input", "rename-group": "word=w", "frequency": "3",
          "layout": "CSC COO DMAT dense coo csr streams", "fill-value": "7", "compression": "deflate:9",
          "chunk-bytes": "16",
          "into": "g", "format-string": "(int8)", "schema": "<a:int8>", "type": "rational=1",
          "columns": "a:text", "delimiter": "semicolon",
          "missing": "1,x", "shape": "9 9,9", "label": "word", "string-bytes": "9"}


def run(words):
    """Status, output, messages, and the files that it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            Path(folder, name).parent.mkdir(exist_ok=True)
            Path(folder, name).write_bytes(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run([SHEAF, *words], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=60)
        left = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*"))
                if path.is_file()}
        return done.returncode, done.stdout, done.stderr.replace(folder.encode(), b""), left


def make_binary():
    """The binary files are made of the texts."""
    with tempfile.TemporaryDirectory() as folder:
        for name, made in (("a.ctf", "made.cbf"), ("m.mtx", "made.bsp.h5"), ("n.csv", "made.scidb"),
                           ("f.csv", "made.npy"), ("m.mtx", "made.npz"), ("n.csv", "made.h5"),
                           ("n.csv", "made.arrow")):
            Path(folder, name).write_text(FILES[name])
            subprocess.run([SHEAF, "convert", "-q", "--allow=loss", name, made], cwd=folder, check=True)
            FILES[made] = Path(folder, made).read_bytes()


def tries(name, option, use):
    """Words without and with an option of a format."""
    words = option.get("argument", "").split("," if option["kind"] == "words" else "|")
    values = VALUES[option["name"]].split() if option["kind"] in ("text", "texts", "count", "size") else words
    given = [[f"--{option['name']}"] if option["kind"] == "flag" else [f"--{option['name']}={value}"]
             for value in values]
    ends = ENDS.get((name, option["name"]), ENDS.get(option["name"], []))
    if use == "reading":
        bases = [[command, "--from", name, "--json", file, *ends]
                 for file in READ[name].split() for command in ("head", "info", "schema")]
    else:
        bases = [["convert", "--allow=loss", "--to", name, file, f"out{suffix}", *ends] for file in WRITTEN
                 for suffix in SUFFIXES.get(name, f".{name}").split()]
    return [(base, more) for base in bases for more in given]


def check_format(name, option, use, seen, idle):
    point = f"{name} --{option['name']}, {use}"
    for base, more in tries(name, option, use):
        key = tuple(base)
        if key not in seen:
            seen[key] = run(base)
        after = run([*base, *more])
        if seen[key] != after or (after[0] == 2 and more[0].encode() in after[2]):
            break
    else:
        idle.add((name, option["name"]))
        tap.point((name, option["name"]) in IDLE, point, "no effect")
        return
    tap.point(True, point)
    if option["kind"] not in ("flag", "texts", "words"):
        tap.point(run([*base, *more, *more])[0] == 2, f"{point}, twice")


def check_formats(table, part):
    seen, idle = {}, set()
    for entry in table["formats"]:
        for option in entry["options"]:
            for use in ("reading", "writing"):
                if option[use] and part in f"{entry['name']} --{option['name']}":
                    check_format(entry["name"], option, use, seen, idle)
    tap.point(bool(part) or idle == set(IDLE), "no reason for no effect is left over", set(IDLE) - idle)


def main(part):
    used = set()
    make_binary()
    table = json.loads(subprocess.run([SHEAF, "help", "--json"], capture_output=True).stdout)
    for command in table["commands"]:
        name = command["name"]
        for option in command["options"]:
            row = ROWS.get((name, option["name"]), ROWS.get(option["name"]))
            point = f"{name} --{option['name']}"
            if part not in point:
                continue
            used.add((name, option["name"]))
            unseen = option["name"] in UNSEEN or (name, option["name"]) in UNSEEN
            if row is None or unseen:
                tap.point(unseen, point, "no row says what it does")
                continue
            base, _, more = (text.split() for text in row.partition("|"))
            words = [name, *base]
            if name == "diff":
                words.insert(2, OTHERS.get(words[1], words[1]))
            if name in OUTPUTS and option["name"] != "output" and not set(base) & set(PLACED):
                words += OUTPUTS[name].split()
            before, after = run(words), run([*words, *more])
            refused = after[0] == 2 and f"--{option['name']}".encode() in after[2]
            what = " ".join([*words, "|", *more])
            tap.point(before != after or refused, point, f"no effect: {what}: {after[:3]}")
    idle = [row for row in ROWS if not any(row in (one, one[1]) for one in used)]
    tap.point(bool(part) or not idle, "no row is left over", idle)
    check_formats(table, part)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
