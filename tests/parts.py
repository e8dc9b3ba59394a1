#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conversions in parts: the merged file is the serial one, byte for byte, with the same messages; parts
that do not fit together are refused by name."""

import json
import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import tap
from selection import cases, sheaf

ALL, SOME, FEW = [1, 2, 3, 7, 16, 50], [1, 3, 16], [2, 5]  # each part is a file that is synced
# Options of all parts and their merge, and of the serial run.
BOTH = {"--max-errors", "--allow", "--strict"}


def told(done):
    """The findings, not the summary, which is of the file that the command was given."""
    lines = done.stderr.decode().splitlines()
    return sorted(
        line
        for line in lines
        if line.startswith(("sheaf: warning:", "sheaf: error:", "sheaf: loss:"))
        and "input not cut" not in line
        and "not shown" not in line
    )


def both(words):
    return [word for word in words if word.split("=")[0] in BOTH]


def last_words(done):
    """The words of the last line. Pieces of parts are shorter, so losses may be met in another order."""
    return sorted(re.split("[ ,;:]+", done.stderr.decode().splitlines()[-1]))


def make_parts(folder, n, words, inputs, suffix):
    """The parts' names, or what is wrong."""
    names = []
    for i in range(n):
        names.append(f"p.{suffix}.{i + 1}.part")
        done = sheaf(folder, "convert", "-f", *words, "--part", f"{i + 1}/{n}", *inputs, names[-1])
        if done.returncode:
            return f"part {i + 1}/{n}: exit {done.returncode}: {done.stderr.decode()}"
    return names


def compare(folder, n, words, inputs, suffix):
    """What is wrong with the whole of n parts."""
    serial = sheaf(folder, "convert", "-f", *words, *inputs, f"out.{suffix}")
    names = make_parts(folder, n, words, inputs, suffix)
    if isinstance(names, str):
        return "" if serial.returncode else names
    expected = (folder / f"out.{suffix}").read_bytes() if not serial.returncode else b""
    merged = sheaf(folder, "merge", "-f", *both(words), *names[::-1], f"out.{suffix}")
    if serial.returncode:
        same = merged.returncode == serial.returncode and last_words(merged) == last_words(serial)
        return (
            ""
            if same
            else f"the serial run fails ({serial.stderr.decode()}), the merge says {merged.stderr.decode()}"
        )
    if merged.returncode:
        return f"merge of {n}: exit {merged.returncode}: {merged.stderr.decode()}"
    if (folder / f"out.{suffix}").read_bytes() != expected:
        return f"{n} parts: expected the bytes of the serial run, found others"
    if told(serial) != told(merged):
        return f"{n} parts: expected {told(serial)}, found {told(merged)}"
    return ""


def check(folder, about, words, inputs, suffix, numbers):
    wrong = [text for n in numbers if (text := compare(folder, n, words, inputs, suffix))]
    tap.point(not wrong, about, "\n".join(wrong))
    for file in folder.glob("p.*.part"):
        file.unlink()


def check_samples(folder):
    for rows in cases.SAMPLES.values():
        for name, _, making, how in rows:
            suffix = name.partition(".")[2]
            for target in [suffix, *cases.OTHERS[name]]:
                writing = cases.OUTPUT.get(target, []) if name != "a.npy" else []
                grouping = making if target.endswith("ex") else []
                check(folder, f"{name} to {target}", [*how, *writing, *grouping], [name], target, FEW)


def check_wholes(folder):
    """Example files become example files without rows: the merge does that, also of a choice of them."""
    for words in ["--rows", "1:"], ["--sample", "1", "--seed", "5"], ["--frequency", "*=0.5"]:
        check(folder, f"a.ex to bex {' '.join(words)}", words, ["a.ex"], "bex", FEW)
    check(folder, "compressed examples at the merge", [], ["a.ex"], "ex.gz", FEW)
    names = make_parts(folder, 2, ["--rows", "1"], ["a.ex"], "bex")
    done = sheaf(folder, "convert", "-f", "--rows", "1", "--part", "1/2", "a.ex", names[0])
    tap.point(
        "found one that copies what the format has; the parts have nothing, and the merge converts everything"
        in done.stderr.decode(),
        "the first part says that the merge does all of it",
        done.stderr.decode(),
    )
    done = sheaf(folder, "merge", names[0], "whole.bex")
    tap.point(
        done.returncode == 2 and "part 2/2 missing" in done.stderr.decode(),
        "a missing part that has nothing is missed, too",
        done.stderr.decode(),
    )
    text = (folder / "a.ex").read_bytes()
    (folder / "a.ex").write_bytes(text + b"\n")
    done = sheaf(folder, "merge", *names, "whole.bex")
    (folder / "a.ex").write_bytes(text)
    tap.point(
        done.returncode == 4 and "found it changed since" in done.stderr.decode(),
        "examples that were changed are refused",
        done.stderr.decode(),
    )
    tap.point(not (folder / "whole.bex").exists(), "and nothing is written")
    done = sheaf(folder, "merge", *names, "whole.csv")
    tap.point(
        done.returncode == 2 and "expected the name of a lens file" in done.stderr.decode(),
        "the name of another format is refused",
        done.stderr.decode(),
    )


def check_payloads(folder):
    """If rows are encoded independently, a part has bytes of the output, and merging copies them."""
    for name in ("long.ctf", "long.csv"):
        suffix = name.partition(".")[2]
        sheaf(folder, "convert", "-f", name, f"whole.{suffix}")
        make_parts(folder, 2, [], [name], suffix)
        whole = (folder / f"whole.{suffix}").read_bytes()
        second = (folder / f"p.{suffix}.2.part").read_bytes()
        tap.point(
            whole[-1000:] in second,
            f"{name}: the second part has the end of the output",
            f"{len(second)} bytes without it",
        )


def make_long(folder):
    """Rows of several lengths, several chunks, values that are rounded, streams that are missing."""
    lines = []
    for i in range(400):
        for line in range(1 + i * 7 % 4):
            lines.append(
                f"{i} |x {i / 8} {line}.123456789012345"
                + (f" |y {i % 50}:1 {(i + 3) % 50}:2" if line == 0 else "")
                + "\n"
            )
    (folder / "long.ctf").write_text("".join(lines))
    lines[777] = lines[777].replace("|x", "|x |x")
    (folder / "flawed.ctf").write_text("".join(lines))
    (folder / "sevens.ctf").write_text("".join(f"{i} |x {i if i % 7 else 'x'} 2\n" for i in range(400)))
    (folder / "odd.ctf").write_text("".join(f"{3 * i} |x {i} 1\n" for i in range(100)))
    (folder / "ids.ctf").write_text("".join(f"{i} |x {i} 1\n" for i in range(100)))
    (folder / "on.ctf").write_text("".join(f"{i} |x {i} 1\n" for i in range(100, 200)))
    (folder / "cut.ctf").write_text("".join(f"{i} |x {i} 1\n" for i in range(100)) + "100 |x 1")
    entries = sorted({(i * 7919 % 97, i * 31 % 89) for i in range(900)}, key=lambda at: at[0] * 17 % 97)
    (folder / "long.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n97 89 "
        + f"{len(entries)}\n"
        + "".join(f"{i + 1} {k + 1} {i - k}.5\n" for i, k in entries)
    )
    (folder / "twice.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n9 9 40\n"
        + "".join(f"{i % 9 + 1} {i % 4 + 1} {i}\n" for i in range(40))
    )
    below = [(i, k) for i, k in entries if k <= i < 89]
    (folder / "lower.mtx").write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n89 89 "
        + f"{len(below)}\n"
        + "".join(f"{i + 1} {k + 1} {i - k}.5\n" for i, k in below)
    )
    (folder / "wrong.mtx").write_text(
        "%%MatrixMarket matrix coordinate real general\n97 89 "
        + f"{len(entries)}\n"
        + "".join(f"{i + 1} {k + 1} {'x' if i == 50 and k > 70 else i}\n" for i, k in entries)
    )
    (folder / "long.csv").write_text(
        "id,text,x\n" + "".join(f"{i},\"a\n{i}\",{'' if i % 9 == 4 else i / 4}\n" for i in range(300))
    )
    (folder / "broken.csv").write_text("a,b\n" + "".join(f"{i},{i}\n" for i in range(300)) + '1,"open\n')
    sheaf(folder, "convert", "-q", "--chunk-bytes", "900", "long.ctf", "long.cbf")


def check_long(folder):
    small = ["--chunk-bytes", "700"]
    for words, inputs, suffix in (
        (small, ["long.ctf"], "cbf"),
        (["--chunk-bytes", "1"], ["long.ctf"], "cbf"),
        (["--chunk-bytes", "40000"], ["long.ctf"], "cbf"),
        ([*small, "--element-type", "double", "--main-stream", "x"], ["long.ctf"], "cbf"),
        (small, ["long.cbf"], "cbf"),
        ([], ["long.cbf"], "ctf"),
        ([], ["long.ctf"], "ctf"),
        (["--streams", "y", *small], ["long.ctf"], "cbf"),
        (["--rows", "20:90"], ["long.ctf"], "cbf"),
        (small, ["long.ctf", "long.cbf", "long.ctf"], "cbf"),
        ([], ["ids.ctf", "on.ctf"], "ctf"),
        (["--max-errors=2"], ["ids.ctf", "on.ctf"], "ctf"),
        (["--drop-incomplete"], ["cut.ctf"], "ctf"),
        (["--drop-incomplete", *small], ["cut.ctf"], "cbf"),
        (["--drop-incomplete"], ["cut.ctf", "odd.ctf"], "jsonl"),
        (["--missing="], ["long.csv"], "csv"),
        (["--max-errors=2", "--encoding="], ["long.csv"], "csv"),
        ([], ["odd.ctf", "odd.ctf"], "ctf"),
        (small, ["sevens.ctf"], "cbf"),
        ([*small, "--max-errors=999"], ["sevens.ctf"], "cbf"),
        ([], ["odd.ctf"], "ctf"),
        (small, ["odd.ctf"], "cbf"),
        ([], ["ids.ctf"], "ctf"),
        ([], ["ids.ctf"], "npy"),
        ([], ["flawed.ctf"], "ctf"),
        (["--max-errors=2"], ["flawed.ctf"], "ctf"),
        (["--max-errors=2", *small], ["flawed.ctf"], "cbf"),
        (["--strict"], ["long.ctf"], "cbf"),
        ([], ["long.mtx"], "mtx"),
        ([], ["long.mtx"], "npz"),
        ([], ["long.mtx"], "npy"),
        ([], ["long.mtx"], "tns"),
        (["--layout=extended"], ["long.mtx"], "tns"),
        (["--layout", "CSR"], ["long.mtx"], "bsp.h5"),
        (["--layout", "CSC", "--compression", "deflate:6"], ["long.mtx"], "bsp.h5"),
        (["--layout", "COO", "--max-memory", "16M"], ["long.mtx"], "bsp.h5"),
        (["--duplicates", "last"], ["twice.mtx"], "bsp.h5"),
        (["--duplicates", "sum"], ["twice.mtx"], "npy"),
        ([], ["lower.mtx"], "tns"),
        ([], ["lower.mtx"], "npz"),
        (["--transpose"], ["long.mtx"], "npz"),
        (["--max-errors=2"], ["wrong.mtx"], "npz"),
        ([], ["wrong.mtx"], "npz"),
        (["--structure", "auto"], ["a.mtx"], "mtx"),
        (["--duplicates", "sum"], ["twice.mtx"], "npz"),
        ([], ["twice.mtx"], "npz"),
        ([], ["long.csv"], "csv"),
        ([], ["long.csv"], "tsv"),
        ([], ["long.csv"], "jsonl"),
        (["--allow=loss"], ["long.csv"], "cbf"),
        ([], ["long.csv"], "cbf"),
        (["--rows", "20:90"], ["broken.csv"], "jsonl"),
    ):
        check(folder, f"{' '.join(inputs)} to {suffix} {' '.join(words)}", words, inputs, suffix, SOME)
    sheaf(folder, "index", "--chunk-bytes", "200", "long.ctf")
    check(folder, "long.ctf with an index", small, ["long.ctf"], "cbf", ALL)
    (folder / "long.ctf.sheaf-index").unlink()
    # The first megabyte shows all streams, which an index confirms; or it does not show the last one.
    tall = "".join(f"{i} |x {i}.25 {i * 7}.5 |y {i % 50}:1\n" for i in range(50000))
    for name, text in ("tall.ctf", tall), ("late.ctf", tall + "50000 |x 1 2 |y 50:1\n"):
        (folder / name).write_text(text)
        sheaf(folder, "index", name)
        for suffix in "cbf", "ctf":
            check(folder, f"{name}, undeclared, with an index, to {suffix}", [], [name], suffix, [3])
    check_borders(folder)
    check(folder, "compressed at the merge", [], ["long.ctf"], "ctf.gz", FEW)


def check_borders(folder):
    """Pieces of an index that are too long are cut again, unless the parts come out even with them."""
    size = (folder / "long.ctf").stat().st_size
    for some, ranks, uses in (6, 3, True), (8, 4, True), (6, 4, False), (5, 2, False), (10, 2, True):
        done = sheaf(folder, "index", "-f", "--chunk-bytes", str(size * 106 // some // 100 + 40), "long.ctf")
        there = int(done.stdout.decode().partition("pieces: ")[2].split()[0])
        plan = json.loads(sheaf(folder, "plan", "--parts", str(ranks), "--json", "long.ctf").stdout)
        fine = there == some and (plan["pieces"] == there) == uses and plan["imbalance"] < 1.1
        tap.point(
            fine,
            f"an index of {some} pieces for {ranks} parts is {'enough, since it comes out even' if uses else 'cut again'}",
            f"{there} {plan}",
        )
        (folder / "long.ctf.sheaf-index").unlink()


def check_many(folder):
    """More parts than may be open at first."""
    parts = make_parts(folder, 30, [], ["a.ctf"], "ctf")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    done = subprocess.run(
        [cases.SHEAF, "merge", *parts, "many.ctf"],
        cwd=folder,
        capture_output=True,
        check=False,
        env=cases.environment(folder),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (20, hard)),
    )
    tap.point(done.returncode == 0, "more parts than may be open at first", done.stderr.decode())


def check_every_byte(folder):
    """A changed byte, wherever it is, is found before anything is merged: at least 150 places of each part."""
    for job, name, output in (
        (["convert"], "long.ctf", "bytes.ctf"),
        (["convert", "--max-errors", "1"], "long.ctf", "rows.jsonl"),
        (["convert"], "a.mtx", "entries.tns"),
        (["hash"], "long.ctf", ""),
        (["stats"], "long.ctf", ""),
    ):
        part, other = [f"byte.{output}.{i}.part" for i in (1, 2)]
        for i, of in enumerate((part, other)):
            sheaf(folder, job[0], "-f", *job[1:], "--part", f"{i + 1}/2", name, of)
        sound = (folder / part).read_bytes()
        step, passed = max(1, len(sound) // 150), []
        for at in range(0, len(sound), step):
            (folder / part).write_bytes(sound[:at] + bytes([sound[at] ^ 1 << at % 8]) + sound[at + 1 :])
            done = sheaf(folder, "merge", part, other, *[output][: bool(output)])
            if done.returncode not in (2, 4, 6) or done.stdout or (output and (folder / output).exists()):
                passed.append(f"{at}: exit {done.returncode}")
        (folder / part).write_bytes(sound)
        done = sheaf(folder, "merge", part, other, *[output][: bool(output)])
        passed += [f"sound: {done.stderr.decode()}"][: bool(done.returncode)]
        tap.point(not passed, f"each byte of a part of {' '.join(job)} counts", "\n".join(passed[:20]))


def check_refused(folder):
    first, second, third = make_parts(folder, 3, [], ["long.ctf"], "ctf")
    (folder / "copy.part").write_bytes((folder / second).read_bytes())
    sound = (folder / first).read_bytes()
    (folder / "cut.part").write_bytes(sound[:-5])
    (folder / "foot.part").write_bytes(sound[:-60] + bytes([sound[-60] ^ 1]) + sound[-59:])
    (folder / "version.part").write_bytes(sound[:8] + b"\x09" + sound[9:])
    (folder / "other.ctf").write_text("0 |x 1 2 |y 1:1\n")
    other = make_parts(folder, 3, [], ["other.ctf"], "jsonl")
    words = ["--element-type", "double", "--main-stream", "x"]
    options = make_parts(folder, 3, words, ["long.ctf"], "tsv.ctf")
    turned = make_parts(folder, 3, words[2:] + words[:2], ["long.ctf"], "turned.ctf")
    two = make_parts(folder, 2, [], ["long.ctf"], "two.ctf")
    (folder / "short.part").write_bytes(sound[:40])
    for words, code, message in (
        (
            ["--element-type", "double", first, second, third],
            2,
            "--element-type: expected no such option with part files, which have the options of their conversion",
        ),
        (["--from", "ctf", first, second, third], 2, "--from: expected no such option"),
        (["--dataset", "x", first, second, third], 2, "--dataset: expected no such option"),
        ([first, "other.ctf", third], 4, "other.ctf: expected a part file, found another"),
        ([first, "short.part", third], 4, "expected a sound part file, found it damaged (its length)"),
        ([first, third], 2, "expected all 3 parts beside it, found part 2/3 missing"),
        ([first, second], 2, "found part 3/3 missing"),
        ([first, second, third, "copy.part"], 2, "expected each part once, found part 2/3 in"),
        ([first, other[1], third], 4, "expected a part of the same input as"),
        ([first, options[1], third], 4, "found other options: with element-type=double"),
        ([options[0], second, third], 4, "found other options: without element-type=double"),
        ([options[0], turned[1], third], 4, "found other options: the same in another order"),
        ([first, second, two[1]], 4, "expected one of 3 parts"),
        (["cut.part", second, third], 4, "expected a sound part file, found it damaged (its end)"),
        (["foot.part", second, third], 4, "expected a sound part file, found it damaged (its foot)"),
        (["version.part", second, third], 6, "expected a part file of version 5, found one of version 9"),
        ([first, "long.ctf", third], 4, "long.ctf: expected a part file, found another"),
    ):
        done = sheaf(folder, "merge", *words, "new.ctf")
        fine = (
            done.returncode == code and message in done.stderr.decode() and not (folder / "new.ctf").exists()
        )
        tap.point(fine, f"refused: {message}", f"{done.returncode}: {done.stderr.decode()}")
    done = sheaf(folder, "merge", first, second, third, "new.csv")
    tap.point(
        done.returncode == 2 and "expected the name of a ctf file" in done.stderr.decode(),
        "an output of another format is refused",
        done.stderr.decode(),
    )
    changed = (folder / "long.ctf").read_text().replace("0 |x 0.0", "0 |x 0.5", 1)
    (folder / "long.ctf").write_text(changed)
    done = sheaf(folder, "merge", first, second, third, "new.ctf")
    tap.point(
        done.returncode == 4 and "found it changed since" in done.stderr.decode(),
        "an input that was changed is refused",
        done.stderr.decode(),
    )
    (folder / "long.ctf").unlink()
    os.mkfifo(folder / "long.ctf")
    done = sheaf(folder, "merge", first, second, third, "new.ctf")
    tap.point(
        done.returncode == 4 and "long.ctf: this is not a regular file" in done.stderr.decode(),
        "a pipe in place of an input is not waited for",
        done.stderr.decode(),
    )
    (folder / "long.ctf").unlink()
    for words, message in (
        (["--part", "0/2", "a.ctf", "x.ctf.part"], "expected I/N"),
        (["--part", "3/2", "a.ctf", "x.ctf.part"], "expected I/N"),
        (["--part", "1", "a.ctf", "x.ctf.part"], "expected I/N"),
        (["--part", "1/2x", "a.ctf", "x.ctf.part"], "expected I/N"),
        (["--part", "1/2", "a.ctf", "x.part"], "suffix"),
        (["--where", "a\nb", "--part", "1/2", "wrong.mtx", "x.ctf.part"], "without line feeds"),
        (["--missing", "a\nb", "--part", "1/2", "wrong.mtx", "x.csv.part"], "without line feeds"),
    ):
        done = sheaf(folder, "convert", *words)
        tap.point(
            done.returncode in (2, 6) and message in done.stderr.decode(),
            f"refused: {words}",
            done.stderr.decode(),
        )
    done = subprocess.run(
        [cases.SHEAF, "convert", "--part", "1/2", "--from", "ctf", "-", "x.ctf.part"],
        cwd=folder,
        input=b"|x 1\n",
        capture_output=True,
        check=False,
    )
    tap.point(
        done.returncode == 6
        and b"expected an uncompressed regular file, found an input that can be read only once" in done.stderr,
        "a pipe is refused",
        done.stderr.decode(),
    )


# Two parts, between which a file was changed: its contents before and after, and how the merge refuses them.
DECLARING, XY = ["--map", "names.map"], ("x", "y")
CHANGED = (
    ("even.ctf.sheaf-index", 505, 507, [], "expected a part made with the borders of"),
    ("names.map", XY, XY[::-1], DECLARING, "found one made with others"),
)


def check_changed(folder):
    """Parts that were made with other borders or other streams are refused, whatever their numbers."""
    (folder / "even.ctf").write_text("".join(f"{i} |a {i} 1 |b 2 {i}\n" for i in range(4000)))

    def put(name, content):
        if isinstance(content, tuple):
            (folder / name).write_text("{} a dense 2\n{} b dense 2\n".format(*content))
        else:
            sheaf(folder, "index", "-f", "--chunk-bytes", str(content), "even.ctf")

    for name, before, after, words, message in CHANGED:
        for job, suffix in ("convert", "ctf"), ("convert", "cbf"), ("convert", "jsonl"), ("hash", ""):
            parts, out = [f"p.{suffix}.{i}.part" for i in (1, 2)], [f"changed.{suffix}"][: len(suffix)]
            for content, i in (before, 1), (before, 2), (after, 2):
                put(name, content)
                if content == after == XY[::-1]:
                    done = sheaf(folder, "merge", *parts, *out)
                    fine = done.returncode == 4 and "found others: what declares" in done.stderr.decode()
                    about = f"{job} to {suffix}: {name} was changed before merging"
                    tap.point(fine, about, done.stderr.decode())
                sheaf(folder, job, "-f", *words, "--part", f"{i}/2", "even.ctf", parts[i - 1])
            done = sheaf(folder, "merge", *parts, *out)
            fine = done.returncode == 4 and message in done.stderr.decode()
            fine = fine and not done.stdout and not (folder / f"changed.{suffix}").exists()
            tap.point(fine, f"{job} to {suffix}: {name} was changed between parts", done.stderr.decode())
        (folder / name).unlink()


def check_options(folder):
    """Parts with an option and without it are parts of two jobs, whatever the option."""
    (folder / "entries.csv").write_text("r,c,v\n" + "".join(f"{i % 7},{i // 7},{i}.5\n" for i in range(40)))
    (folder / "grid.csv").write_text("".join(f"{i},{i + 2},{i + 5}\n" for i in range(40)))
    wide = "".join(f"{i // 2},{i % 2},{i},1\n" for i in range(40))
    (folder / "wide.csv").write_text("key,sample,x_0,x_1\n" + wide)
    (folder / "named.ex").write_text("".join(f"name: {{e{i}}} I: {i} 2 T: 1 0;\n" for i in range(20)))
    tensor = ["--coordinates", "r,c"]
    for name, suffix, words, more, line in (
        ("long.csv", "csv", [], ["--to", "tsv"], "to=tsv"),
        ("long.csv", "csv", [], ["--from", "csv"], "from=csv"),
        ("a.npz", "npz", [], ["--dataset", "/"], "dataset=/"),
        ("entries.csv", "csv", [], tensor, "coordinates=r,c"),
        ("entries.csv", "mtx", tensor, ["--value", "v"], "value=v"),
        ("entries.csv", "mtx", tensor, ["--shape", "9,9"], "shape=9,9"),
        ("wide.csv", "csv", [], ["--sequences", "wide"], "sequences=wide"),
        ("long.mtx", "ctf", [], ["--lengths", "none"], "lengths=none"),
        ("a.mtx", "mtx", [], ["--structure", "general"], "structure=general"),
        ("long.csv", "csv", [], ["--rows", "20:90"], "rows=20:90"),
        ("long.csv", "csv", [], ["--skip", "3"], "skip=3"),
        ("long.csv", "csv", [], ["--sample", "9"], "sample=9"),
        ("long.csv", "csv", ["--sample", "9"], ["--seed", "4"], "seed=4"),
        ("named.ex", "ctf", ["--allow=loss"], ["--where", "e1*"], "where=e1*"),
        ("long.ctf", "ctf", [], ["--streams", "y,x"], "streams=y,x"),
        ("long.csv", "csv", [], ["--columns", "x"], "columns=x"),
        ("long.mtx", "mtx", [], ["--transpose"], "transpose"),
        ("grid.csv", "csv", [], ["--matrix"], "matrix"),
        ("long.mtx", "mtx", [], ["--duplicates", "sum"], "duplicates=1"),
        ("long.mtx", "mtx", [], ["--duplicates", "last"], "duplicates=2"),
        ("long.csv", "csv", [], ["--allow=large"], "allow=large"),
        ("long.csv", "tsv", [], ["--header", "no"], "header=no"),
        ("a.mtx", "tns", [], ["--layout=extended"], "layout=extended"),
        ("long.csv", "csv", [], ["--missing", ""], "missing="),
        ("long.csv", "csv", [], ["--max-errors", "1"], "rows-are=kept"),
    ):
        without = make_parts(folder, 2, words, [name], f"a.{suffix}")
        given = make_parts(folder, 2, [*words, *more], [name], f"b.{suffix}")
        for parts, said in ((without[0], given[1]), f"with {line}"), ((given[0], without[1]), "with"):
            done = sheaf(folder, "merge", "-f", *parts, f"joined.{suffix}")
            fine = done.returncode == 4 and f"found other options: {said}" in done.stderr.decode()
            tap.point(fine, f"{' '.join(more)} makes another job", f"{given}: {done.stderr.decode()}")
    hows = ["--threads", "1", "--max-memory", "64M", "--quiet", "--index", "never", "--progress", "never"]
    for job, name, out in (["convert"], "long.ctf", ["joined.ctf"]), (["hash"], "long.ctf", []):
        parts = ["p.how.ctf.1.part", "p.how.ctf.2.part"]
        for i, how in enumerate(([], hows)):
            sheaf(folder, *job, "-f", *how, "--part", f"{i + 1}/2", name, parts[i])
        done = sheaf(folder, "merge", *["-f"][: len(out)], *parts, *out)
        about = f"{job[0]}: how a part was made makes no other job"
        tap.point(done.returncode == 0, about, done.stderr.decode())


def check_plan(folder):
    size = (folder / "long.csv").stat().st_size
    done = sheaf(folder, "plan", "--parts", "5", "--json", "long.csv")
    plan = json.loads(done.stdout)
    parts = plan["parts"]
    fine = (
        plan["ranks"] == 5
        and plan["rows"] == 300 == sum(part["rows"] for part in parts)
        and plan["bytes"] == sum(part["bytes"] for part in parts)
    )
    fine = (
        fine
        and size - 20 <= plan["bytes"] <= size
        and plan["largest"] == max(part["bytes"] for part in parts)
        and 1 <= plan["imbalance"] < 1.2
    )
    tap.point(fine and done.returncode == 0, "a plan of five parts adds up", str(plan))
    for i in range(5):
        sheaf(folder, "convert", "-f", "--part", f"{i + 1}/5", "long.csv", f"p.csv.{i + 1}.part")
    sheaf(folder, "merge", "-f", *[f"p.csv.{i + 1}.part" for i in range(5)], "out.csv")
    sizes = [(folder / f"p.csv.{i + 1}.part").read_bytes().count(b'"a\n') for i in range(5)]
    tap.point(abs(sizes[2] - parts[2]["rows"]) <= 1, "and is what the parts have", f"{sizes} {parts}")
    done = sheaf(folder, "plan", "long.csv")
    lines = done.stdout.decode().splitlines()
    tap.point(
        len(lines) == 12 and lines[-1].split()[0] == "1024",
        "without --parts a line each for 1 to 1024",
        "\n".join(lines),
    )
    lines = sheaf(folder, "plan", "--json", "long.csv").stdout.decode().splitlines()
    tap.point(
        [json.loads(line)["ranks"] for line in lines] == [2**k for k in range(11)],
        "and an object each",
        "\n".join(lines),
    )
    done = sheaf(folder, "plan", "a.npz")
    tap.point(
        done.returncode == 6 and "expected an input that can be read in parts" in done.stderr.decode(),
        "what cannot be cut is refused",
        done.stderr.decode(),
    )
    done = sheaf(folder, "plan", "--parts", "0", "long.csv")
    tap.point(
        done.returncode == 2 and "--parts: expected a number from 1 to" in done.stderr.decode(),
        "no ranks are refused",
        done.stderr.decode(),
    )


def read_in_parts(folder, n, words, name, out=()):
    """What merging the parts of a command that reads prints; or what is wrong."""
    parts = [f"r.{i + 1}.part" for i in range(n)]
    for i, part in enumerate(parts):
        done = sheaf(folder, *words, "-f", "--part", f"{i + 1}/{n}", name, part)
        if done.returncode or done.stdout:
            return (
                done,
                f"part {i + 1}/{n}: exit {done.returncode}: {done.stdout.decode()}{done.stderr.decode()}",
            )
    return sheaf(folder, "merge", *parts[::-1], *out), ""


def check_reading(folder, words, name, numbers=(1, 4)):
    """The outcome, the findings and the exit status of a command are those of the whole."""
    wrong = []
    serial = sheaf(folder, *words, name)
    for n in numbers:
        merged, why = read_in_parts(folder, n, words, name)
        if why:
            if serial.returncode not in (0, 1):
                continue
            wrong.append(why)
        elif (serial.stdout, serial.returncode, told(serial)) != (
            merged.stdout,
            merged.returncode,
            told(merged),
        ):
            expected = f"{serial.returncode} {serial.stdout.decode()[:900]} {told(serial)}"
            found = f"{merged.returncode} {merged.stdout.decode()[:900]} {merged.stderr.decode()[:900]}"
            wrong.append(f"{n} parts: expected {expected}, found {found}")
    tap.point(not wrong, f"{' '.join(words)} {name} in parts", "\n".join(wrong))


def check_readings(folder):
    jobs = ["hash"], ["hash", "--compare=keys", "--json"], ["stats", "--json"], ["validate", "--json"]
    sheaf(folder, "convert", "-q", "long.ctf", "one.cbf")
    for suffix in ("ctf", "cbf"):
        check(folder, f"a chunk that is divided, to {suffix}", [], ["one.cbf"], suffix, [3])
    done = json.loads(sheaf(folder, "plan", "--parts", "3", "--json", "one.cbf").stdout)
    tap.point(
        done["pieces"] > 30 and done["imbalance"] < 1.2 and done["rows"] == 400,
        "a plan divides long chunks",
        str(done),
    )
    done = json.loads(sheaf(folder, "plan", "--parts", "3", "--json", "--rate", "1000", "one.cbf").stdout)
    tap.point(
        abs(done["seconds"] - done["largest"] / 1000) < 1e-3,
        "and says how long the last part takes",
        str(done),
    )
    for name in (
        "long.ctf",
        "flawed.ctf",
        "one.cbf",
        "long.cbf",
        "long.mtx",
        "twice.mtx",
        "long.csv",
        "odd.ctf",
    ):
        for words in (*jobs, ["hash", "--max-errors=3"], ["stats", "--max-errors=3"]):
            check_reading(folder, words, name)
    for rows in cases.SAMPLES.values():
        for name, _, _, how in rows:
            for words in ["hash", *how], ["validate", *how]:
                check_reading(folder, words, name, [3])
    missing = ["--allow=missing", "--stream", "x:2:dense", "--stream", "y:50:sparse", "--stream", "z:3:dense"]
    for words in ["hash", *missing], ["stats", *missing], ["validate", *missing]:
        check_reading(folder, words, "long.ctf")
    check_reading(folder, ["stats", "--rows", "20:90"], "long.ctf", FEW)
    check_reading(folder, ["hash", "--drop-incomplete"], "cut.ctf", FEW)
    (folder / "nonsense.ctf").write_bytes((folder / "long.ctf").read_bytes() + b"500 |x 1 nonsense\n")
    for words in jobs:
        check_reading(folder, words, "nonsense.ctf", FEW)
    for name, parts in (
        ("long.ctf", 7),
        ("long.csv", 7),
        ("long.mtx", 7),
        ("one.cbf", 3),
        ("long.cbf", 7),
        ("flawed.ctf", 3),
    ):
        for out in (["report"], ["report", "--json"]):
            out = [*out, "--max-errors=3"] if name == "flawed.ctf" else out
            sheaf(folder, *out, "-f", name, "whole.html")
            (folder / "merged.html").unlink(missing_ok=True)
            read_in_parts(folder, parts, out, name, ["merged.html"])
            tap.point(
                (folder / "merged.html").read_bytes() == (folder / "whole.html").read_bytes(),
                f"{' '.join(out)} {name} in parts",
            )
        place = folder / f"{name}.sheaf-index"
        sheaf(folder, "index", "--chunk-bytes", "900", name)
        whole = place.read_bytes()
        place.unlink()
        merged, why = read_in_parts(folder, 3, ["index", "--chunk-bytes", "900"], name)
        tap.point(
            not why and place.is_file() and place.read_bytes() == whole,
            f"index {name} in parts",
            why + merged.stderr.decode(),
        )
        place.unlink(missing_ok=True)


def check_readings_refused(folder):
    read_in_parts(folder, 3, ["hash"], "long.ctf")
    first, second, third = [f"r.{i + 1}.part" for i in range(3)]
    sheaf(folder, "stats", "--part", "2/3", "long.ctf", "stats.part")
    sheaf(folder, "hash", "--compare=keys", "--part", "2/3", "long.ctf", "keys.part")
    sheaf(folder, "convert", "--part", "2/3", "long.ctf", "c.ctf.part")
    sheaf(folder, "convert", "long.ctf", "gz.ctf.gz")
    sound = (folder / second).read_bytes()
    (folder / "foot.part").write_bytes(sound[:-60] + bytes([sound[-60] ^ 1]) + sound[-59:])
    for words, code, message in (
        (["merge", first, third], 2, "found part 2/3 missing"),
        (["merge", first, second, second, third], 2, "expected each part once"),
        (["merge", first, "stats.part", third], 4, "expected a part of sheaf hash"),
        (["merge", first, "keys.part", third], 4, "found other options: with compare=keys"),
        (["merge", first, "c.ctf.part", third], 4, "expected a part of sheaf hash"),
        (["merge", first, "foot.part", third], 4, "found it damaged (its foot)"),
        (["merge", first, second, third, "out"], 3, "cannot open out"),
        (["merge", "long.ctf"], 2, "expected IN... OUT, found 1 operand"),
        (
            ["hash", "--part", "1/3", "long.ctf"],
            2,
            "expected one FILE and the part file OUT with --part, found 1 operand",
        ),
        (["hash", "--part", "1/3", "long.ctf", "long.csv", "x.part"], 2, "found 3 operands"),
        (["hash", "--part", "4/3", "long.ctf", "x.part"], 2, "--part: expected I/N"),
        (["hash", "--part", "1/3", "long.ctf", first], 2, "expected no file of that name"),
        (["stats", "--part", "1/3", "gz.ctf.gz", "x.part"], 6, "expected an uncompressed regular file"),
        (
            ["stats", "--missing", "a\nb", "--part", "1/3", "long.csv", "x.part"],
            6,
            "--missing: expected a value without line feeds",
        ),
        (
            ["index", "--check", "--part", "1/3", "long.ctf", "x.part"],
            2,
            "--check: expected to write an index",
        ),
    ):
        done = sheaf(folder, *words)
        fine = (
            done.returncode == code
            and message in done.stderr.decode()
            and not done.stdout
            and not (folder / "x.part").exists()
        )
        tap.point(
            fine,
            f"refused: {words}",
            f"{done.returncode}: {done.stdout.decode()}{done.stderr.decode()}",
        )
    text = (folder / "long.ctf").read_text()
    (folder / "long.ctf").write_text(text.replace("0 |x 0.0", "0 |x 0.5", 1))
    done = sheaf(folder, "merge", first, second, third)
    tap.point(
        done.returncode == 4 and "found it changed since" in done.stderr.decode() and not done.stdout,
        "an input that was changed is refused",
        done.stderr.decode(),
    )
    (folder / "long.ctf").write_text(text)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-parts-") as root:
        folder = Path(root)
        cases.make_samples(folder, cases.SAMPLES)
        check_samples(folder)
        make_long(folder)
        check_wholes(folder)
        check_payloads(folder)
        check_long(folder)
        check_plan(folder)
        check_readings(folder)
        check_readings_refused(folder)
        check_many(folder)
        check_every_byte(folder)
        check_changed(folder)
        check_options(folder)
        check_refused(folder)
    tap.end()


if __name__ == "__main__":
    main()
