#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""Runs every example of docs/formats through the command.

    SHEAF=build/sheaf SHEAF_TESTS=tests SHEAF_TOOLS=tools tests/test_docs.py

A fenced block in a page is an example if its info string names it. The first word there says how its file
is made:

    ```cbf example=NAME         annotated text, made into a file by tools/assemble; so are ```scidb, ```npy,
                                ```npz and ```arrow
    ```binsparse example=NAME   (or hdf5) the text of a box (tests/box_text.h), made into an HDF5 file by
                                tests/box_tool, where the build has HDF5
    ```cntk example=NAME        a fragment of a CNTK configuration
    ```ctf example=NAME         text, run as it stands; so is any other kind, which is the file's suffix

Further words of the info string of all but the last; values with spaces stand in double quotes:

    options="--stream A:2:dense"    options of the command
    config=NAME                     streams as that fragment declares them
    invalid="part of a message"     validate must fail with it; else the example must be valid
    note="part of a message"        valid, with this note or warning
    bare="part of a message"        without the options (but with config) validate must fail with it
    bytes=NAME                      converted to CBF it has the bytes of that cbf example
    size=N                          the file has N bytes
    encoding=NAME                   a file as it stands has this encoding

The next ```json block of the page holds the rows that `sheaf cat --json` prints; an invalid example without
one must also be refused by cat. A fragment says with streams="..." which --stream options it amounts to.
Fragments must have their brackets in pairs. Each option that a page names must be one of the command, and
each of the format must stand in its page.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SHEAF = os.environ.get("SHEAF", "sheaf")
TESTS = Path(os.environ.get("SHEAF_TESTS", Path(__file__).resolve().parent))
TOOLS = Path(os.environ.get("SHEAF_TOOLS", TESTS.parent / "tools"))
# Only where the build has HDF5.
BOX_TOOL = os.environ.get("BOX_TOOL")
PAGES = TESTS.parent / "docs" / "formats"
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
EXAMPLE = {"example", "options", "config", "invalid", "note", "bare", "bytes", "size", "encoding"}
FRAGMENT = {"example", "streams"}
# Kinds of examples whose files are made of a text; other kinds are files as they stand.
ASSEMBLED = ("cbf", "scidb", "npy", "npz", "arrow", "binsparse", "hdf5")
TIMEOUT = 60


def until_consequence(message):
    """What stops a run is reported without what would have been left out."""
    return re.sub(r"; [^;\"]*$", "", message)


class Fault(Exception):
    """What an example does not hold."""


class Skipped(Exception):
    """Why an example cannot be run here."""


class Block:
    """An example, its words, and the rows of the json block after it."""

    def __init__(self, page, line, info, text):
        self.page, self.text, self.rows = page, text, None
        self.kind, *words = shlex.split(info) or [""]
        self.words = dict(word.split("=", 1) for word in words if "=" in word)
        self.place = f"{page.name}:{line}"
        self.name = self.words.get("example", "")

    def check_words(self):
        known = FRAGMENT if self.kind == "cntk" else EXAMPLE
        if set(self.words) - known:
            raise Fault(f"expected words of {sorted(known)}, found {sorted(self.words)}")
        if self.kind != "cntk" and self.rows is None and "invalid" not in self.words:
            raise Fault("expected a json block with the rows after it, found none")
        if self.kind == "cntk" and "streams" not in self.words:
            raise Fault('expected streams="...", found none')


def read_blocks(page):
    """The examples of a page; a json block belongs to the one before it."""
    text = page.read_text(encoding="utf-8")
    blocks, last = [], None
    for match in FENCE.finditer(text):
        block = Block(page, text.count("\n", 0, match.start()) + 1, match[1], match[2])
        if block.name:
            blocks.append(block)
            last = block
        elif block.kind == "json" and last:
            last.rows = [json.loads(line) for line in block.text.splitlines()]
            last = None
        else:
            last = None
    return blocks


def run(*arguments):
    """Exit status, standard output, standard error."""
    done = subprocess.run([SHEAF, *map(str, arguments)], capture_output=True, timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


# ---- configurations ----


def without_comments(text):
    """Lines without comments after a number sign, outside of quotes."""
    return "\n".join(re.sub(r'^((?:[^"#]|"[^"]*")*)#.*$', r"\1", line) for line in text.split("\n"))


def check_brackets(text):
    open_ones = []
    for char in re.sub(r'"[^"]*"', "", text):
        if char in "[{(":
            open_ones.append("]})"["[{(".index(char)])
        elif char in "]})":
            if not open_ones or open_ones.pop() != char:
                raise Fault(f"expected brackets in pairs, found a `{char}` without its own")
    if open_ones:
        raise Fault(f"expected brackets in pairs, found no `{open_ones[-1]}` at the end")


def read_streams(text):
    """The --stream options that the sections with a dim amount to."""
    streams = []
    for name, body in re.findall(r"(\w+)\s*=\s*[\[{]([^\[\]{}]*)[\]}]", text):
        values = dict(re.findall(r'(\w+)\s*=\s*"?([^"\s;]+)"?', body))
        if "dim" in values:
            alias = f":alias={values['alias']}" if "alias" in values else ""
            streams.append(f"--stream {name}:{values['dim']}:{values['format']}{alias}")
    return " ".join(streams)


def check_config(block):
    text = without_comments(block.text)
    check_brackets(text)
    found = read_streams(text)
    if found != block.words["streams"]:
        raise Fault(f"expected a fragment that declares `{block.words['streams']}`, found `{found}`")


# ---- data ----


class Runner:
    """Runs examples in a folder; knows those that others refer to."""

    def __init__(self, blocks, folder):
        self.folder = folder
        self.named = {(block.kind, block.name): block for block in blocks}

    def find(self, kind, name):
        if (kind, name) not in self.named:
            raise Fault(f"expected a {kind} example of the name {name}, found none")
        return self.named[kind, name]

    def make_file(self, block):
        path = Path(self.folder, f"{block.page.stem}-{block.name}.{block.kind}")
        if block.kind not in ASSEMBLED:
            path.write_text(block.text, encoding=block.words.get("encoding", "utf-8"))
            return path
        source = path.with_suffix(".txt")
        source.write_text(block.text, encoding="utf-8")
        if block.kind in ("binsparse", "hdf5"):
            path = path.with_suffix(".h5")
            maker = [BOX_TOOL, "assemble", path, source]
        else:
            maker = [sys.executable, TOOLS / "assemble", source, path]
        subprocess.run(maker, check=True, timeout=TIMEOUT)
        return path

    def check_valid(self, block, path, options):
        status, out, errors = run("validate", *options, path)
        if status != 0:
            raise Fault(f"expected a valid example, found {out}{errors}")
        notes = [line for line in out.splitlines() if line.startswith(("note: ", "warning: "))]
        wanted = block.words.get("note")
        if wanted and not any(wanted in note for note in notes) or not wanted and notes:
            raise Fault(f"expected {wanted or 'no note'}, found {notes}")

    def check_invalid(self, path, options, message):
        status, out, errors = run("validate", *options, path)
        lines = [line for line in out.splitlines() if line.startswith(("breach: ", "error: "))]
        if status != 1 or not any(message in line for line in lines):
            raise Fault(f"expected exit status 1 and `{message}`, found {status} and {out}{errors}")

    def check_rows(self, block, path, options):
        status, out, errors = run("cat", "--json", *options, path)
        if block.rows is None:
            if status != 4 or until_consequence(block.words["invalid"]) not in errors:
                raise Fault(
                    f"expected cat to refuse it with `{block.words['invalid']}`, found {status} and {errors}"
                )
            return
        rows = [json.loads(line) for line in out.splitlines()]
        if status != 0 or rows != block.rows:
            raise Fault(f"expected the rows {block.rows}, found {status}, {rows} {errors}")

    def check_bytes(self, block, path, options):
        target = path.with_suffix(".written.cbf")
        wanted = self.make_file(self.find("cbf", block.words["bytes"])).read_bytes()
        status, _, errors = run("convert", "--quiet", *options, path, target)
        if status != 0 or target.read_bytes() != wanted:
            found = target.read_bytes().hex() if target.exists() else "no file"
            raise Fault(f"expected the bytes {wanted.hex()}, found {status}, {found} {errors}")

    def check(self, block):
        block.check_words()
        if block.kind == "cntk":
            check_config(block)
            return
        path = self.make_file(block)
        config = (
            shlex.split(self.find("cntk", block.words["config"]).words["streams"])
            if "config" in block.words
            else []
        )
        options = config + shlex.split(block.words.get("options", ""))
        if "invalid" in block.words:
            self.check_invalid(path, options, block.words["invalid"])
        else:
            self.check_valid(block, path, options)
        self.check_rows(block, path, options)
        if "size" in block.words and path.stat().st_size != int(block.words["size"]):
            raise Fault(f"expected {block.words['size']} bytes, found {path.stat().st_size}")
        if "bare" in block.words:
            self.check_invalid(path, config, block.words["bare"])
        if "bytes" in block.words:
            self.check_bytes(block, path, options)


# ---- options ----


def read_options():
    """All options of the command, and those of each format."""
    whole = json.loads(run("help", "--json")[1])
    known = {option["name"] for command in whole["commands"] for option in command["options"]}
    formats = {entry["name"]: {option["name"] for option in entry["options"]} for entry in whole["formats"]}
    return known.union(*formats.values()), formats


def check_options(page, known, own):
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--(?:out-)?([a-z][a-z-]*)", text))
    if named - known:
        raise Fault(f"expected options of the command, found {sorted(named - known)}")
    if own - named:
        raise Fault(f"expected all options of the format, found nothing of {sorted(own - named)}")


def tasks_of(pages, folder):
    known, formats = read_options()
    blocks = [block for page in pages for block in read_blocks(page)]
    runner = Runner(blocks, folder)
    tasks = [
        (f"{block.place} {block.kind} {block.name}", lambda block=block: runner.check(block))
        for block in blocks
    ]
    for page in pages:
        tasks.append(
            (
                f"{page.name}: options",
                lambda page=page: check_options(page, known, formats.get(page.stem, set())),
            )
        )
        tasks.append((f"{page.name}: examples", lambda page=page: check_examples(page, blocks)))
    return tasks


def check_examples(page, blocks):
    names = [(block.kind, block.name) for block in blocks if block.page == page]
    if not names or len(set(names)) != len(names):
        raise Fault(f"expected examples, each of a name of its own, found {names}")


def main():
    pages = sorted(PAGES.glob("*.md"))
    failed = 0
    if not pages:
        print(f"1..1\nnot ok 1 - expected pages in {PAGES}, found none")
        return 1
    with tempfile.TemporaryDirectory(prefix="sheaf-docs-") as folder:
        tasks = tasks_of(pages, folder)
        print(f"1..{len(tasks)}")
        for number, (name, task) in enumerate(tasks, 1):
            try:
                task()
                print(f"ok {number} - {name}")
            except Skipped as why:
                print(f"ok {number} - {name} # SKIP {why}")
            except (Fault, ValueError, OSError, subprocess.SubprocessError) as fault:
                failed += 1
                print(f"not ok {number} - {name}")
                print("\n".join(f"# {line}" for line in str(fault).splitlines()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
