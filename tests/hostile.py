#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command at a terminal, over a file of each format whose names, texts and comments would control it: no
byte of the file does. Into a pipe rows go as they are; messages never do."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

import tap

SHEAF = os.environ["SHEAF"]
ENVIRONMENT = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
# A title, a clear screen in both forms, a turn of direction, ends of lines, a deletion.
EVIL = "\x1b]0;T\x07\x1b[2J\x9b2J\u202e\u2066\u200f\u061c\u2028\u2029\x85\x7f"
SHOWN = r"\x1b]0;T\x07\x1b[2J\u009b2J\u202e\u2066\u200f\u061c\u2028\u2029\u0085\u007f"
# Where a name ends at a control character of ASCII.
MILD = "\x9b2J\u202e\u2066\u2028\x85"
HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def write(path, text):
    path.write_bytes(text.encode())


def convert(folder, source, name, *options):
    subprocess.run([SHEAF, "convert", "--allow=loss", *options, source, name],
                   cwd=folder, capture_output=True, check=True)
    return name


def make_files(folder):
    """Files by format: what is in them is as hostile as the format allows, and so are their own names."""
    files = {}
    row = {f"n{EVIL}": 1, f"t{EVIL}": f"x{EVIL}y"}
    files["jsonl"] = f"j{EVIL}.jsonl"
    write(folder / files["jsonl"], "".join(json.dumps({**row, f"n{EVIL}": i}) + "\n" for i in range(3)))
    for kind in ("csv", "tsv", "arrow", "npz"):
        files[kind] = convert(folder, files["jsonl"], f"f{EVIL}.{kind}")
    files["scidb"] = convert(folder, files["jsonl"], f"f{EVIL}.scidb")
    files["ctf"] = f"c{EVIL}.ctf"
    write(folder / files["ctf"], f"0 |a{MILD} 1 2 |# {EVIL}\n1 |a{MILD} 3 x{EVIL}\n2 |a{MILD} 4 5\n")
    write(folder / "good.ctf", f"0 |a{MILD} 1 2\n1 |a{MILD} 3 4\n")
    files["cbf"] = convert(folder, "good.ctf", f"f{EVIL}.cbf")
    files["lens"] = f"l{EVIL}.ex"
    write(folder / files["lens"],
          f";\nname:{{x{EVIL}}} proc:{{p{EVIL}}} I:(g{MILD}) 1 2 ;\nname:{{y{MILD}}} I:1 2 {EVIL};\n")
    files["binsparse"] = convert(folder, "good.ctf", f"f{EVIL}.h5", "--to", "binsparse")
    files["matrixmarket"] = f"m{EVIL}.mtx"
    write(folder / files["matrixmarket"],
          f"%%MatrixMarket matrix coordinate real general\n% {EVIL}\n2 2 2\n1 1 5\n2 2 {EVIL}\n")
    files["svmlight"] = f"s{EVIL}.svm"
    write(folder / files["svmlight"], f"1 1:2 # {EVIL}\n2 2:{EVIL} # z\n")
    files["tns"] = f"t{EVIL}.tns"
    write(folder / files["tns"], f"# {EVIL}\n1 1 2.5\n2 {EVIL} 1\n")
    numbers = folder / "numbers.jsonl"
    write(numbers, json.dumps({f"a{MILD}": 1.5, f"b{MILD}": 2}) + "\n")
    files["npy"] = convert(folder, numbers, f"f{EVIL}.npy")
    files["hdf5"] = convert(folder, "good.ctf", f"f{EVIL}.h5ad", "--to", "hdf5", "--matrix")
    return files


def at_terminal(folder, words):
    status, text = tap.at_terminal([SHEAF, *words], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL)
    return status, text.decode("utf-8", "replace").replace("\r\n", "\n")


def runs_of(name):
    """Words of every command that reads."""
    for words in ("info", "info --json", "head", "head --json", "cat", "cat --json", "cat --max-errors 9",
                  "stats", "stats --json", "stats --draw", "show", "validate", "validate --json",
                  "validate --limit 1000", "schema", "schema --json", "hash", "plan", "index",
                  "batches --json --size 2"):
        yield [*words.split(), name]
    yield ["diff", name, "good.ctf"]
    yield ["merge", name, name, "-f", "-o", "merged.csv"]
    yield ["split", "--parts", "2", "-f", "-o", f"p{MILD}", name]
    yield ["report", "-f", "-o", f"r{MILD}.html", name]
    yield from (["convert", "-f", name, f"o{MILD}.{suffix}"] for suffix in ("csv", "cbf", "xyz"))
    yield from (["head", f"{name}/no"], ["cat", "--streams", f"no{EVIL}", name], ["cat", f"--no{EVIL}", name])


def check_format(folder, kind, name):
    faults, shown = [], False
    for words in runs_of(name):
        status, text = at_terminal(folder, words)
        found = HIDDEN.search(text)
        shown |= r"\u202e" in text
        if found or status < 0:
            at = found.start() if found else 0
            faults.append(f"{words[0:2]!r}: exit {status}: {text[max(0, at - 60):at + 20]!r}")
    for page in folder.glob("*.html"):
        visible = re.sub(r"<script.*?</script>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        if HIDDEN.search(visible):
            faults.append(f"the page has {HIDDEN.search(visible).group()!r}")
        page.unlink()
    tap.point(not faults and shown, f"{kind}: nothing in it controls a terminal", "\n".join(faults))


def piped(folder, *words):
    return subprocess.run([SHEAF, *words], cwd=folder, capture_output=True, env=ENVIRONMENT)


def check_pipes(folder, files):
    rows = piped(folder, "cat", files["csv"]).stdout.decode()
    written = piped(folder, "convert", files["csv"], "--to", "csv", "-o", "-").stdout
    tap.point("\x9b2J\u202e" in rows and written == (folder / files["csv"]).read_bytes(),
              "into a pipe rows and files go as they are", rows)
    err = piped(folder, "cat", files["ctf"]).stderr.decode()
    tap.point(SHOWN in err and not HIDDEN.search(err), "messages never do", err)
    data = piped(folder, "cat", "--json", files["jsonl"]).stdout.decode()
    status, text = at_terminal(folder, ["cat", "--json", files["jsonl"]])
    same = [json.loads(x) for x in text.split("\n") if x] == [json.loads(x) for x in data.split("\n") if x]
    tap.point(status == 0 and same, "JSON at a terminal means the same", text)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = make_files(folder)
        table = json.loads(subprocess.run([SHEAF, "help", "--json"], capture_output=True, check=True).stdout)
        missing = {entry["name"] for entry in table["formats"]} - set(files)
        tap.point(not missing, "there is a file of each format", str(missing))
        for kind, path in files.items():
            check_format(folder, kind, path)
        check_pipes(folder, files)
    tap.end()


main()
