#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
r"""Runs every terminal session of the pages as a reader would type it, and compares what is printed.

    SHEAF=build/sheaf tests/test_sessions.py

A session is a fenced block with the info string `console`. A line that begins with `$ ` is typed; it goes on
in the lines that begin with `> `. What follows, up to the next `$ `, is what standard output and standard
error print together. A line `...` stands for any lines, and `...` inside a line for any text. The sessions of
a page share one empty folder, in their order. A block of C whose info string has file=PATH is that file, word
for word.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import tap

ROOT = Path(__file__).resolve().parent.parent
SHEAF = Path(os.environ.get("SHEAF", ROOT / "build/sheaf")).resolve()
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/formats").glob("*.md")),
]
FENCE = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
TIMEOUT = 60


def steps(text):
    """The commands of a session, each with what it prints."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0].append(line[2:])
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"expected a session to begin with a command, found {line!r}")
    return [("\n".join(command), printed) for command, printed in found]


def pattern(lines):
    """What the lines of a page stand for, as a regular expression."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r"[^\n]*".join(re.escape(part) for part in line.split("...")) + r"\n")
    return re.compile("".join(parts))


def run(command, folder):
    """What a shell prints for the command, standard error included."""
    environment = dict(os.environ, PATH=f"{SHEAF.parent}:{os.environ['PATH']}", LC_ALL="C", COLUMNS="80")
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT,
        check=False,
    )
    return done.stdout.decode(errors="replace")


def check_session(text, folder):
    """Every difference between a session and what happens."""
    wrong = []
    for command, printed in steps(text):
        found = run(command, folder)
        if found and not found.endswith("\n"):
            found += "\n"
        if not pattern(printed).fullmatch(found):
            wrong.append(f"$ {command}\nexpected:\n" + "\n".join(printed) + f"\nfound:\n{found}")
    return wrong


def check_page(page):
    sessions = 0
    with tempfile.TemporaryDirectory(prefix="sheaf-sessions.") as folder:
        text = page.read_text()
        for block in FENCE.finditer(text):
            words = block.group(1).split()
            place = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, block.start()) + 1}"
            if words[:1] == ["console"]:
                sessions += 1
                wrong = check_session(block.group(2), folder)
                tap.point(not wrong, f"{place}: a session", "\n".join(wrong))
            for word in words[1:]:
                if word.startswith("file="):
                    same = (ROOT / word[5:]).read_text() == block.group(2)
                    tap.point(same, f"{place}: {word[5:]}", "expected the file word for word")
    return sessions


def main():
    sessions = sum(check_page(page) for page in PAGES)
    tap.point(sessions > 0, "the pages have sessions")
    tap.end()


if __name__ == "__main__":
    main()
