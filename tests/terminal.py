#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command at a terminal: its help, pages and completions, words in any order, widths, colours,
progress."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import tap

SHEAF = os.environ["SHEAF"]
ROWS = "".join(f"{i} |A {i} {i * 7} |B {i % 10}:{i + 1}\n" for i in range(30))
TABLE = json.loads(subprocess.run([SHEAF, "help", "--json"], capture_output=True, check=True).stdout)
COMMANDS = [command["name"] for command in TABLE["commands"]]
OLD = dict(os.environ)
for name in ("NO_COLOR", "COLUMNS", "TERM"):
    OLD.pop(name, None)


def run(folder, *words, stdin=subprocess.DEVNULL, **more):
    return subprocess.run(
        [SHEAF, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=stdin,
        env={**OLD, **more},
        timeout=60,
    )


def at_terminal(folder, words, columns, stdin=None, **more):
    """What the command writes to a terminal of that width."""
    how = {"cwd": folder, "env": {**OLD, "TERM": "xterm", **more}, **({"stdin": stdin} if stdin else {})}
    status, text = tap.at_terminal([SHEAF, *words], columns, **how)
    return status, text.decode()


# ---- help ----


def check_widths(folder):
    wide = []
    for columns in (60, 80, 100):
        for words in [["help"], ["formats"], *(["help", name] for name in COMMANDS)]:
            for line in run(folder, *words, COLUMNS=str(columns)).stdout.splitlines():
                if len(line) > columns and " " in line.strip()[:columns]:
                    wide.append(f"{words} in {columns}: {line}")
    tap.point(not wide, "help and tables fit the width", "\n".join(wide))
    code, text = at_terminal(folder, ["formats"], 70)
    lines = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in text.splitlines()]
    tap.point(
        code == 0 and len(lines) > 10 and all(len(line) <= 70 for line in lines),
        "a terminal says how wide it is",
        text,
    )
    lines = run(folder, "formats").stdout.splitlines()
    tap.point(
        len(lines) == 1 + len(TABLE["formats"]),
        "formats has one line for each where it goes into a pipe",
        lines,
    )


def check_help(folder):
    wrong = []
    for name in COMMANDS:
        text = run(folder, "help", name).stdout
        found = [text.find(title) for title in ("Options:", "Examples:", "Exit status:")]
        if -1 in found or sorted(found) != found or text.count("\n  sheaf ") < 2:
            wrong.append(name)
    tap.point(not wrong, "help: groups, two examples, the exit status", wrong)
    options = next(c for c in TABLE["commands"] if c["name"] == "convert")["options"]
    text = run(folder, "help", "convert").stdout
    tap.point(
        all(text.count(f"--{o['name']} ") + text.count(f"--{o['name']}\n") for o in options),
        "help names each option",
        text,
    )


def check_examples(folder):
    wrong = []
    for name in [None, *COMMANDS]:
        text = run(folder, "help", *([name] if name else []), COLUMNS="200").stdout
        lines = re.findall(r"^  (sheaf .*)$", text[text.index("Examples:") :], re.M)
        if len(lines) < 2:
            wrong.append(f"{name}: {lines}")
        for line in lines:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                (Path(own) / "train.ctf").write_text(ROWS)
                if not line.endswith(" train.cbf") or "convert" not in line:
                    run(own, "convert", "-q", "train.ctf", "train.cbf")
                if name == "index":
                    run(own, "index", "train.ctf")
                done = run(own, *line.split()[1:])
                if done.returncode:
                    wrong.append(f"{line}: {done.returncode}: {done.stderr}{done.stdout[:200]}")
    tap.point(not wrong, "the examples of help run", "\n".join(wrong))


def check_pages(folder):
    wrong = []
    for name in [None, *COMMANDS]:
        page = run(folder, "help", "--as", "man", *([name] if name else [])).stdout
        for title in (
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "EXAMPLES",
            "ENVIRONMENT",
            "FILES",
            '"EXIT STATUS"',
            '"SEE ALSO"',
        ):
            if f".SH {title}" not in page.replace(f'.SH "{title}"', f".SH {title}"):
                wrong.append(f"{name}: no {title}")
        (folder / "page.1").write_text(page)
        if shutil.which("man"):
            done = subprocess.run(
                ["man", "--warnings", "-l", "page.1"],
                cwd=folder,
                capture_output=True,
                text=True,
                env={**OLD, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"},
            )
            if done.stderr and "cannot" not in done.stderr:
                wrong.append(f"{name}: {done.stderr}")
    tap.point(not wrong, "a manual page for each command", "\n".join(wrong))


# ---- completions ----


def bash_words(folder, script, *words):
    """What bash offers for the last word."""
    typed = " ".join(f"'{word}'" for word in words)
    code = f". {script}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _sheaf; "
    code += "printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "--norc", "-c", code], cwd=folder, capture_output=True, text=True)
    return done.stdout.split() if not done.stderr else [done.stderr]


def check_completions(folder):
    scripts = {}
    for shell in ("bash", "zsh", "fish"):
        scripts[shell] = folder / f"completion.{shell}"
        scripts[shell].write_text(run(folder, "help", "--as", shell).stdout)
        if shutil.which(shell):
            done = subprocess.run([shell, "-n", str(scripts[shell])], capture_output=True, text=True)
            tap.point(
                done.returncode == 0 and not done.stderr, f"completions: {shell} reads them", done.stderr
            )
        else:
            tap.skip(f"completions: {shell} reads them", f"{shell} is not here")
        text = scripts[shell].read_text()
        missing = [o["name"] for c in TABLE["commands"] for o in c["options"] if o["name"] not in text]
        missing += [f["name"] for f in TABLE["formats"] if f["name"] not in text]
        tap.point(not missing, f"completions: {shell} knows all options and formats", missing)
    options = [line for line in scripts["zsh"].read_text().splitlines() if line.strip().startswith("'*--")]
    others = [line for line in options if ("]:file:" in line) != (":_files'" in line)]
    tap.point(options and not others, "completions: zsh offers files where an option takes one", others)
    asked = {
        ("sheaf", "con"): ["convert"],
        ("sheaf", "convert", "--thr"): ["--threads"],
        ("sheaf", "convert", "--index", "re"): ["require"],
        ("sheaf", "convert", "--index", "=", "re"): ["require"],
        ("sheaf", "cat", "--from", "svm"): ["svmlight"],
        ("sheaf", "help", "stat"): ["stats"],
        ("sheaf", "cat", "completion.ba"): ["completion.bash"],
        ("sheaf", "cat", "--nothing"): [],
    }
    found = {words: bash_words(folder, scripts["bash"], *words) for words in asked}
    tap.point(found == asked, "completions: what bash offers", found)


# ---- words ----


def check_words(folder):
    everything = run(folder, "cat", "a.ctf").stdout
    wrong = []

    def expect(expected, *words, code=0, stdin=subprocess.DEVNULL):
        done = run(folder, *words, stdin=stdin)
        if done.returncode != code or (
            expected not in done.stdout + done.stderr if code else done.stdout != expected
        ):
            wrong.append(f"{words}: {done.returncode}: {done.stdout[:300]}{done.stderr}")

    first = "".join(everything.splitlines(True)[:2])
    expect(first, "-n", "2", "cat", "a.ctf")
    expect(first, "--rows=2", "--threads", "1", "cat", "a.ctf")
    expect(first, "-qn2", "cat", "a.ctf")
    expect(first, "--max-memory", "1.5G", "cat", "-n2", "a.ctf")
    for size in ("2GB", "64M", "64m", "65536K", "65536kb", "65536KiB", "0.5GiB", "100000000B", "0.0625G"):
        expect(first, "cat", f"--max-memory={size}", "-n2", "a.ctf")
    for size in ("1.5", "G", "1X", "1KiX", "1.G", "-1", "9999999999G"):
        expect(f"found {size}", "cat", f"--max-memory={size}", "a.ctf", code=2)
    expect(run(folder, "--version").stdout, "-V")
    expect("expected a command, found only options", "--json", code=2)
    expect("did you mean --threads?", "cat", "--thre", "2", "a.ctf", code=2)
    expect("did you mean --max-memory?", "cat", "--max-m", "2", "a.ctf", code=2)
    expect("did you mean validate?", "valid", "a.ctf", code=2)
    with open(folder / "a.ctf") as file:
        expect(everything, "cat", stdin=file)
    with open(folder / "a.ctf") as file:
        expect("", "convert", "--from", "ctf", "-o", "sent.ctf", stdin=file) if "-F" not in run(
            folder, "help", "convert"
        ).stdout else expect("", "convert", "-F", "ctf", "-o", "sent.ctf", stdin=file)
    expect(everything, "cat", "sent.ctf")
    expect("", "convert", "-o", "named.cbf", "a.ctf")
    expect("", "diff", "-q", "a.ctf", "named.cbf")
    with open(folder / "a.ctf") as file:
        expect("expected IN... OUT, found 1 operand", "convert", "b.ctf", code=2, stdin=file)
    expect("expected FILE..., found 0 operands", "cat", code=2)
    expect("--seed: nothing is drawn at random; add --sample", "cat", "--seed", "2", "a.ctf", code=2)
    words = ("split", "--seed", "2", "a.ctf", "p.ctf", "q.ctf")
    expect("--seed: nothing is drawn at random; add --parts with fractions", *words, code=2)
    tap.point(not wrong, "words in any order, sizes, what is sent, suggestions", "\n".join(wrong))


# ---- colours and progress ----


def check_colours(folder):
    red = "\x1b[1;31merror:"
    cases = {
        "a terminal": ({}, True),
        "NO_COLOR": ({"NO_COLOR": "1"}, False),
        "an empty NO_COLOR": ({"NO_COLOR": ""}, True),
        "TERM=dumb": ({"TERM": "dumb"}, False),
    }
    wrong = []
    for name, (more, coloured) in cases.items():
        code, text = at_terminal(folder, ["cat", "none.ctf"], 80, **more)
        if code != 3 or (red in text) != coloured or ("\x1b" in text) != coloured:
            wrong.append(f"{name}: {code} {text!r}")
    if "\x1b" in run(folder, "cat", "none.ctf", TERM="xterm").stderr:
        wrong.append("a pipe has colours")
    tap.point(not wrong, "colours where the terminal wants them", "\n".join(wrong))


def check_progress(folder):
    """Some input comes late, so that the bar is shown from then on."""
    (folder / "head.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n300 300 3000\n"
        + "".join(f"{i % 300 + 1} 1 1\n" for i in range(1500))
    )
    (folder / "tail.mtx").write_text("".join(f"{i % 300 + 1} {i % 7 + 2} 1\n" for i in range(1500)))
    wrong = []
    for columns in (40, 100):
        with subprocess.Popen(
            ["sh", "-c", "cat head.mtx; sleep 1.3; cat tail.mtx"], cwd=folder, stdout=subprocess.PIPE
        ) as feeder:
            words = [
                "convert",
                "-q",
                "--from",
                "matrixmarket",
                "--duplicates",
                "sum",
                "-",
                f"sum.{columns}.npz",
            ]
            code, text = at_terminal(folder, words, columns, stdin=feeder.stdout)
        drawn = [line.removesuffix("\x1b[K") for line in text.split("\r")]
        if (
            code
            or any(len(line) >= columns for line in drawn)
            or "\n" in text
            or not text.endswith("\r\x1b[K")
        ):
            wrong.append(f"{columns}: {code} {text!r}")
        stages = [
            word
            for word in ("sorting, ", "writing", "syncing, ")
            if any(line.startswith(word) for line in drawn)
        ]
        if len(stages) != 3:
            wrong.append(f"{columns}: expected all stages, found {stages} in {text!r}")
    tap.point(not wrong, "progress fits the terminal, and goes on until the work ends", "\n".join(wrong))


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-terminal-") as root:
        folder = Path(root)
        (folder / "a.ctf").write_text(ROWS)
        check_widths(folder)
        check_help(folder)
        check_examples(folder)
        check_pages(folder)
        check_completions(folder)
        check_words(folder)
        check_colours(folder)
        check_progress(folder)
    tap.end()


if __name__ == "__main__":
    main()
