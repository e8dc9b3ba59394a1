# SPDX-License-Identifier: MIT
"""What formats keep of data: the tables of docs/formats.md agree with the command.

`keeps.py --write` rewrites the tables. Each format's sample is converted to each format and compared with
itself.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import tap
from cases import OUTPUT, SAMPLES, SHEAF, make_samples

DOC = Path(os.environ["SHEAF_TESTS"]).parent / "docs" / "formats.md"
SIGNS = {"kept": "kept", "changed": "changed", "written": "written", "lost": "*lost*", "refused": "–"}
LOSS = "--allow loss"


def sheaf(*words, folder=None):
    return subprocess.run(
        [SHEAF, *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


def table(head, rows):
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def features(targets):
    """The table of what `sheaf help FORMAT --json` says."""
    keeps = {name: json.loads(sheaf("help", name, "--json").stdout)["keeps"] for name in targets}
    names = [row["feature"] for row in keeps[targets[0]]]
    rows = [[name, *(SIGNS[keeps[target][i]["kept"]] for target in targets)] for i, name in enumerate(names)]
    return table(["", *targets], rows)


def outcome(folder, source, reading, target):
    """What becomes of a file in a format."""
    out = f"out.{target}"
    how = [] if source == "a.npy" else OUTPUT.get(target, [])
    words = ["convert", "-q", "-f", *reading, *how, "--to", target, source, out]
    done = sheaf(*words, folder=folder)
    if done.returncode:
        return "lost" if done.returncode == 6 and LOSS in done.stderr else "refused"
    plain = sheaf("info", "--from", target, out, folder=folder).returncode == 0
    declared = [] if plain else declaration(folder, source, reading, target)
    words = ["diff", "-q", "--strict", "--compare=keys", *(reading or declared), source, out]
    different = sheaf(*words, folder=folder)
    if different.returncode == 0:
        return "kept" if plain else "written"
    return "changed"


def declaration(folder, source, reading, target):
    """The options for reading a file that does not describe itself."""
    said = sheaf("schema", "--to", target, *reading, source, folder=folder).stdout.splitlines()
    return ["--schema", said[said.index("-- array schema") + 1]] if "-- array schema" in said else []


def pairs(folder, sources, targets):
    """The table of each sample in each format."""
    make_samples(folder, sources)
    rows = []
    for source in sources:
        file, _, _, reading = SAMPLES[source][0]
        rows.append([f"{source}", *(SIGNS[outcome(folder, file, reading, target)] for target in targets)])
    return table(["from / to", *targets], rows)


def replaced(text, name, content):
    """The page with the table of that name rewritten."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, rest = text.split(begin)
    return before + begin + "\n" + content + "\n" + end + rest.split(end)[1]


def main():
    formats = [json.loads(line) for line in sheaf("formats", "--json").stdout.splitlines()]
    names = [row["name"] for row in formats]
    targets = [row["name"] for row in formats if row["write"]]
    folder = Path(tempfile.mkdtemp(prefix="sheaf-keeps-"))
    try:
        tables = {
            "features": features(targets),
            "pairs": pairs(folder, [name for name in names if name in SAMPLES], targets),
        }
    finally:
        shutil.rmtree(folder)
    text = DOC.read_text()
    if "--write" in sys.argv:
        for name, content in tables.items():
            text = replaced(text, name, content)
        DOC.write_text(text)
        return
    for name, content in tables.items():
        tap.point(content in text, f"docs/formats.md: the table of {name} is what the command does", content)
    tap.point(all(name in SAMPLES for name in names), "each format has a sample")
    tap.end()


main()
