#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""Runs the command over the files of tests/files, as tests/files/expectations.tsv says.

    SHEAF=build/sheaf SHEAF_TESTS=tests SHEAF_TOOLS=tools tests/files.py [PART OF A NAME]

A line of the table holds, separated by tabs: the file; options, or `-`; the class; the rows as JSON, as
`sheaf cat --json` prints them, or `-`; what `sheaf validate` finds, separated by ` ;; `, or `-`. Each finding
is a part of one line of its output, and there are no more lines. The classes, and what must happen:

    ok           cat prints the rows and ends with 0; validate ends with 0, and finds notes and warnings only
    breach       cat prints the rows and ends with 0; validate ends with 1 and prints the findings
    data, short  cat ends with 4 and an error line that holds a finding; validate as with a breach
    limit        the same as data, but that cat ends with 5
    unsupported  cat and validate end with 6 and an error line that holds the finding

Rows without a key are models of their own: of each, the table has the members that the rule is about.

Files that end in .cntk are configurations: the options stand after `sheaf batches --config FILE`, and the
rows are the keys of the sequences in each batch. Of class ok, the findings are all that is said.

Files that end in .txt are annotated text, which tools/assemble makes into a binary file of the same name;
those of Binsparse and HDF5 are texts of boxes (tests/box_text.h), which tests/box_tool makes into HDF5 files.
Every file must stand in the table, in README.md, and in the folder.
"""

import importlib.machinery
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SHEAF = os.environ.get("SHEAF", "sheaf")
TESTS = Path(os.environ.get("SHEAF_TESTS", Path(__file__).resolve().parent))
TOOLS = Path(os.environ.get("SHEAF_TOOLS", TESTS.parent / "tools"))
# Only where the build has HDF5.
BOX_TOOL = os.environ.get("BOX_TOOL")
# Under the thread sanitizer: as many threads as this says.
THREADS = ["--threads", os.environ["SHEAF_FILES_THREADS"]] if "SHEAF_FILES_THREADS" in os.environ else []
# Of the files of each format and class one in N, the first among them, where all would take hours.
ONE_IN = int(os.environ.get("SHEAF_FILES_ONE_IN", "1"))
FILES = TESTS / "files"
LOADER = importlib.machinery.SourceFileLoader("assemble", str(TOOLS / "assemble"))
ASSEMBLE = importlib.util.module_from_spec(importlib.util.spec_from_loader("assemble", LOADER))
LOADER.exec_module(ASSEMBLE)
CLASSES = {
    "ok": "good",
    "breach": "bad",
    "data": "bad",
    "short": "bad",
    "limit": "bad",
    "unsupported": "unsupported",
}
STATUSES = {"data": 4, "short": 4, "limit": 5, "unsupported": 6}
# What binary files are called, where it is not the name of their folder.
SUFFIXES = {"lens": "bex", "binsparse": "h5", "hdf5": "h5"}
# Those whose files are made of texts of boxes.
BOXES = ("binsparse", "hdf5")
SEVERE = ("breach", "error")
TIMEOUT = 60


class Case:
    """A line of the table."""

    def __init__(self, line):
        self.file, options, self.kind, rows, findings = line.split("\t")
        self.options = [] if options == "-" else shlex.split(options)
        self.rows = None if rows == "-" else json.loads(rows)
        self.findings = [] if findings == "-" else findings.split(" ;; ")


def read_table():
    lines = (FILES / "expectations.tsv").read_text(encoding="utf-8").splitlines()
    return [Case(line) for line in lines if line and not line.startswith("#")]


def run(*arguments):
    """Exit status, standard output, lines of standard error."""
    done = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, timeout=TIMEOUT, check=False)
    return (
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace").splitlines(),
    )


def assemble(case, folder):
    """The path of the file itself, or of what is made of it."""
    source = FILES / case.file
    if source.suffix != ".txt":
        return source
    kind = source.parent.name
    target = Path(folder, source.with_suffix("." + SUFFIXES.get(kind, kind)).name)
    if kind in BOXES:
        subprocess.run([BOX_TOOL, "assemble", target, source], check=True, timeout=TIMEOUT)
    else:
        target.write_bytes(ASSEMBLE.Assembler(source.read_text(encoding="utf-8")).assemble())
    return target


def expect(faults, what, wanted, found):
    # repr tells -0.0 from 0.0.
    if repr(wanted) != repr(found):
        faults.append(f"{what}: expected {wanted!r}, found {found!r}")


def read_rows(text):
    return [
        json.loads(line, parse_int=lambda digits: -0.0 if digits == "-0" else int(digits))
        for line in text.splitlines()
    ]


def as_floats(value):
    """Values as floats and keys as they are, so that 1 and 1.0 are one value, and 0 and -0.0 are two."""
    if isinstance(value, list):
        return [as_floats(item) for item in value]
    return float(value) if isinstance(value, (int, float)) else value


def row_values(rows):
    return [
        (row["key"], [(name, as_floats(samples)) for name, samples in row["streams"].items()]) for row in rows
    ]


def agrees(wanted, found):
    """Whether the members of objects that are wanted are as wanted, and all else is the same."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            name in found and agrees(value, found[name]) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(agrees, wanted, found))
    return repr(as_floats(wanted)) == repr(as_floats(found))


def check_rows(faults, wanted, found):
    if all("key" in row for row in wanted + found):
        expect(faults, "cat: rows", row_values(wanted), row_values(found))
    elif not agrees(wanted, found):
        faults.append(f"cat: rows: expected {wanted}, found {found}")


def until_consequence(finding):
    """What stops a run is reported without what would have been left out."""
    return re.sub(r"; [^;\"]*$", "", finding)


def check_cat(case, path, faults):
    status, out, errors = run("cat", *THREADS, "--json", *case.options, path)
    refused = [line for line in errors if line.startswith("sheaf: error: ")]
    if case.kind in ("ok", "breach"):
        expect(faults, "cat: exit status", 0, status)
        if status == 0:
            check_rows(faults, case.rows, read_rows(out))
        return
    expect(faults, "cat: exit status", STATUSES[case.kind], status)
    if len(refused) != 1 or not any(until_consequence(finding) in refused[0] for finding in case.findings):
        faults.append(f"cat: expected one error line with one of {case.findings}, found {errors}")


def check_lines(case, lines, faults):
    """Each line is expected, in order, and each that is expected is there."""
    for number in range(max(len(lines), len(case.findings))):
        line = lines[number] if number < len(lines) else "no line"
        finding = case.findings[number] if number < len(case.findings) else "no line"
        if finding not in line:
            faults.append(f"validate: expected `{finding}`, found `{line}`")


def check_validate(case, path, faults):
    status, out, errors = run("validate", *THREADS, *case.options, path)
    if case.kind == "unsupported":
        expect(faults, "validate: exit status", 6, status)
        if case.findings[0] not in "\n".join(errors):
            faults.append(f"validate: expected `{case.findings[0]}`, found {errors}")
        return
    valid = case.kind == "ok"
    lines = out.splitlines()
    expect(faults, "validate: exit status", 0 if valid else 1, status)
    summary = lines.pop() if lines else ""
    if not re.search(r": valid($|, )" if valid else r": \d+ violation", summary):
        wanted = "valid" if valid else "how many violations"
        faults.append(f"validate: expected a summary that says {wanted}, found `{summary}`")
    severe = [line for line in lines if line.split(":")[0] in SEVERE]
    expect(faults, "validate: is there a breach or an error", not valid, bool(severe))
    check_lines(case, lines, faults)


def check_configuration(case, faults):
    status, out, errors = run("batches", *THREADS, "--json", "--config", FILES / case.file, *case.options)
    said = [line for line in errors if line.startswith(("sheaf: error: ", "sheaf: warning: "))]
    expect(faults, "batches: exit status", STATUSES.get(case.kind, 0), status)
    expect(faults, "batches: lines of findings", len(case.findings), len(said))
    faults += [
        f"batches: expected `{wanted}`, found `{found}`"
        for wanted, found in zip(case.findings, said)
        if wanted not in found
    ]
    if case.kind == "ok":
        expect(faults, "batches: keys", case.rows, [json.loads(line)["keys"] for line in out.splitlines()])


def check_case(case, folder):
    faults = []
    prefix = Path(case.file).name.split("-")[0]
    expect(faults, "first word of the name", CLASSES[case.kind], prefix)
    try:
        if case.file.endswith(".cntk"):
            check_configuration(case, faults)
            return faults
        path = assemble(case, folder)
        check_cat(case, path, faults)
        check_validate(case, path, faults)
    except (subprocess.SubprocessError, ValueError, KeyError) as problem:
        faults.append(f"expected a run to its end, found {problem}")
    return faults


def check_lists(cases):
    """The folder, the table and README.md name the same files, each once, and README.md says something of
    each."""
    have = sorted(f"{path.parent.name}/{path.name}" for path in FILES.glob("*/*"))
    told = re.findall(
        r"^- `([^`]+)`: \S.*\.$", (FILES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    faults = []
    for name, listed in (
        ("expectations.tsv", sorted(case.file for case in cases)),
        ("README.md", sorted(told)),
    ):
        for file in sorted(set(have) ^ set(listed)):
            found = "no" if file in have else "a"
            faults.append(f"{name}: expected the files of the folder, found {found} line for {file}")
        if len(set(listed)) != len(listed):
            faults.append(f"{name}: expected each file once")
    return faults


def sample(cases):
    """One in ONE_IN of each format and class."""
    met = Counter()
    for case in cases:
        group = case.file.split("/")[0], case.kind
        if met[group] % ONE_IN == 0:
            yield case
        met[group] += 1


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    cases = read_table()
    # Boxes are no text, which other kernels could read otherwise.
    once = tuple(f"{box}/" for box in BOXES) if "SHEAF_KERNEL" in os.environ else ()
    chosen = list(sample(case for case in cases if part in case.file and not case.file.startswith(once)))
    print(f"1..{len(chosen) + 1}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sheaf-files-") as folder:
        results = [("every file is in the table and in README.md", check_lists(cases))]
        for number, (name, faults) in enumerate(results + [(case.file, None) for case in chosen], 1):
            if faults is None:
                faults = check_case(chosen[number - 2], folder)
            failed += bool(faults)
            print(f"{'not ok' if faults else 'ok'} {number} - {name}")
            for fault in faults:
                print(f"# {fault}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
