#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page that `sheaf report` writes: complete, the same for any number of threads, with nothing for a
browser to fetch; its policy has the hashes of its style sheet and its script, its numbers are those of
--json, its picture shows the file."""

import base64
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import kinds
from tap import end, point

SHEAF = os.environ["SHEAF"]
VOID = {"meta", "img", "br", "hr", "link", "path"}


class Page(HTMLParser):
    """Elements with their attributes, and whether each that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts, self.scripts, self.balanced = [], [], {}, [], True
        self.feed(text)
        self.balanced = self.balanced and not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.balanced = False

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)
            if self.open[-1] == "script":
                self.scripts.append((next(a for t, a in reversed(self.elements) if t == "script"), data))


def report(folder, *words):
    out = folder / "out.html"
    done = subprocess.run(
        [SHEAF, "report", "--quiet", "--force", *words, "-o", out], capture_output=True, text=True
    )
    return out.read_text() if done.returncode <= 1 else done.stderr


def pixels(png):
    """Width, height and lines of palette indices of a PNG without filters."""
    at, data = 8, b""
    while at < len(png):
        size, tag = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0] == zlib.crc32(tag + body)
        if tag == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if tag == b"IDAT":
            data += body
        at += 12 + size
    lines = zlib.decompress(data)
    return width, height, [lines[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height)]


def source_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def check_page(name, text, json_text, words=()):
    page = Page(text)
    point(page.balanced, f"{name}: what is opened is closed", page.open)
    style = "".join(page.texts.get("style", []))
    policy = next((a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a), "")
    run = [code for a, code in page.scripts if not a]
    point(
        len(run) == 1 and len(run[0].encode()) < 4096,
        f"{name}: one script of less than 4 kB",
        [len(code) for code in run],
    )
    wanted = (
        f"default-src 'none'; style-src {source_of(style)}; script-src {source_of(run[0])}; img-src data:"
    )
    point(
        policy == wanted, f"{name}: the policy allows this style sheet, this script and nothing else", policy
    )
    bad = [
        (t, a)
        for t, a in page.elements
        if "style" in a
        or any(k.startswith("on") for k in a)
        or (t == "script" and a and a.get("type") != "application/json")
        or t in ("link", "iframe", "object", "form")
        or not re.match(r"#|data:image/png;base64,|$", a.get("href") or a.get("src") or "")
    ]
    point(not bad, f"{name}: nothing is fetched, no attribute is run", bad[:3])
    numbers = next(code for a, code in page.scripts if a.get("id") == "numbers")
    point(
        json.loads(numbers) == json.loads(json_text), f"{name}: the numbers in the page are those of --json"
    )
    stats = (
        subprocess.run([SHEAF, "stats", "--json", "--quiet", *words], capture_output=True, text=True).stdout
        if words
        else json_text
    )
    point(stats == json_text, f"{name}: which are those of sheaf stats --json", stats[:200])
    figures = [a for t, a in page.elements if t == "svg"]
    ids = {a["id"] for t, a in page.elements if "id" in a}
    point(
        all(a.get("role") == "img" and set(a["aria-labelledby"].split()) <= ids for a in figures),
        f"{name}: each chart has a title and a description",
    )
    point(
        all(a.get("alt") for t, a in page.elements if t == "img"), f"{name}: each picture says what it shows"
    )
    return page


def ctf(folder):
    path = folder / "a<b>&.ctf"
    lines = [
        f"{r}\t|A {r % 7} {r / 4}\t|B {r % 50}:1 {(r * r) % 90 + 5}:2"
        for r in range(400)
        for _ in range(1 + r % 3)
    ]
    path.write_text("\n".join(lines) + "\n")
    words = [path, "--stream", "A:2:dense", "--stream", "B:100:sparse"]
    text = report(folder, *words)
    check_page("CTF", text, report(folder, *words, "--json"), words)
    point(
        report(folder, *words, "--threads", "1") == report(folder, *words, "--threads", "4"),
        "CTF: the same page for any number of threads",
    )
    numbers = report(folder, *words, "--json")
    others = [
        subprocess.run(
            [SHEAF, "stats", "--json", "--quiet", *words, "--threads", n],
            capture_output=True,
            text=True,
            env={**os.environ, "SHEAF_KERNEL": kernel},
        ).stdout
        for n in "17"
        for kernel in ("scalar", "portable", "avx2")
    ]
    point(
        all(o == numbers for o in others),
        "CTF: sheaf stats --json prints the same, for any number of threads and any kernel",
    )
    counted = json.loads(numbers)
    b = next(f for f in counted["streams"] if f["name"] == "B")
    entries = sum(2 * (1 + r % 3) for r in range(400))
    point(b["values"] == entries and b["sum"] == 1.5 * entries, "CTF: values are counted and summed", b)
    point(
        b["never_used"] == 100 - len({i for r in range(400) for i in (r % 50, (r * r) % 90 + 5)}),
        "CTF: indices that are never used",
        b,
    )


def matrix(folder):
    path = folder / "m.mtx"
    entries = {(i * 7 % 300, i * 13 % 400): i + 1 for i in range(1000)}
    path.write_text(
        "%%MatrixMarket matrix coordinate real general\n300 400 "
        + f"{len(entries)}\n"
        + "".join(f"{i + 1} {j + 1} {v}\n" for (i, j), v in entries.items())
    )
    text = report(folder, path)
    page = check_page("matrix", text, report(folder, path, "--json"), [path])
    source = next(a["src"] for t, a in page.elements if t == "img")
    width, height, lines = pixels(base64.b64decode(source.split(",")[1]))
    found = {(y, x) for y in range(height) for x in range(width) if lines[y][x]}
    point(
        (width, height) == (400, 300) and found == set(entries),
        "matrix: a pixel for each entry and for nothing else",
        (width, height),
    )


def table(folder):
    path = folder / "t.csv"
    path.write_text("name,n\n" + "".join(f"\"<x>{r % 3}\",{r % 5}\n" for r in range(50)))
    text = report(folder, path)
    check_page("table", text, report(folder, path, "--json"), [path])
    point(
        "&lt;x&gt;0" in text and "<x>" not in text.replace("\\u003cx>", ""),
        "table: items are text, whatever is in them",
    )


def findings(folder):
    """Each rule with its count, and no line where nothing was found."""
    path = folder / "bad.ctf"
    path.write_text("|A 1 2\n" + "|A 1 x\n" * 3 + "|A 3 4\n")
    words = [path, "--stream", "A:2:dense", "--allow=missing"]
    text = report(folder, *words)
    done = subprocess.run([SHEAF, "report", "-q", "-f", *words, folder / "x.html"], capture_output=True)
    point(done.returncode == 1, "findings: exit status", done)
    point(
        re.search(
            r"not a number</th><td><bdi>error, 3 times<.*finding 1</th><td><bdi>[^<]*bad.ctf:2:6 [^<]*"
            r"expected a number, found &quot;x",
            text,
        )
        is not None,
        "findings: a line for each rule",
        text[:300],
    )
    path.write_text("|A 1 2\n")
    point("Reading found nothing wrong" in report(folder, path, "--stream", "A:2:dense"), "findings: none")
    # What cannot be read at all has a page, too.
    for name, text in (("none.csv", b""), ("cut.arrow", b"ARROW1\0\0\xff\xff"), ("none.ctf", b"")):
        (folder / name).write_bytes(text)
        done = subprocess.run([SHEAF, "report", "-q", "-f", folder / name, folder / "x.html"])
        page = (folder / "x.html").read_text()
        whole = "reading stopped" in page and Page(page).balanced
        point(done.returncode == 1 and whole, f"findings: {name}", page[-900:])


def index(folder):
    """The card says which index stands beside the file."""
    path = folder / "i.ctf"
    path.write_text("|A 1 2\n|A 3 4\n")
    shown = re.compile("index</th><td><bdi>([^<]*)|$")
    said = lambda *words: shown.search(report(folder, path, *words))[1]  # noqa: E731
    point(said() == "none", "index: none", said())
    subprocess.run([SHEAF, "index", "--quiet", path], capture_output=True, check=True)
    point(said() == "fresh, of 1 piece", "index: fresh", said())
    point(said("--index", "never") is None, "index: not looked for", said("--index", "never"))
    path.write_text("|A 1 2\n")
    point(
        said().startswith("stale: ") and "expected an index of the input as it is" in said(),
        "index: stale",
        said(),
    )


def simulator(folder):
    """The sliders' data: widths of drawn batches, against a sum over all lengths."""
    path = folder / "lengths.ctf"
    lengths = [1 + i * i % 13 + (i % 97 == 0) * 60 for i in range(500)]
    path.write_text("".join(f"{r}\t|A {k}\n" for r, n in enumerate(lengths) for k in range(n)))
    page = Page(report(folder, path, "--stream", "A:1:dense"))
    found = json.loads(next(code for a, code in page.scripts if a.get("class") == "batches"))
    below = lambda limit: sum(n < limit for n in lengths) / len(lengths)  # noqa: E731
    width = lambda batch: sum(1 - below(limit) ** batch for limit in range(1, max(lengths) + 1))  # noqa: E731
    point(
        found["sequences"] == 500 and abs(found["mean"] - sum(lengths) / 500) < 1e-6,
        "simulator: sequences and their mean",
        found,
    )
    point(
        len(found["sizes"]) == len(found["widths"])
        and all(abs(w - width(n)) < 1e-5 for n, w in zip(found["sizes"], found["widths"])),
        "simulator: the mean width of batches",
        found["widths"],
    )
    point(
        all(2 * n in found["sizes"] for n in found["sizes"] if n <= 131072),
        "simulator: sizes of batches of all ranks",
        found["sizes"],
    )
    ordered = sorted(lengths)
    widths = lambda n: sum(ordered[min(i // n * n + n, 500) - 1] for i in range(500))  # noqa: E731
    share = lambda n: 1 - sum(lengths) / widths(n)  # noqa: E731
    point(
        all(abs(s - share(n)) < 1e-4 for n, s in zip(found["sizes"], found["sorted"])),
        "simulator: padding of sorted ones",
        found["sorted"],
    )


def drift(folder):
    """Two files: the distances are those of their histograms, and the same file has distance 0."""
    one, other = folder / "one.ctf", folder / "other.ctf"
    one.write_text("".join(f"{r}\t|A {r % 4}\t|B {r % 5}:1\n" * (1 + r % 2) for r in range(80)))
    other.write_text(
        "".join(f"{r}\t|A {2 + r % 4}\t|B {5 + r % 5}:1\n" * (1 + r % 4 // 3) for r in range(40))
    )
    words = ["--stream", "A:1:dense", "--stream", "B:20:sparse"]
    found = json.loads(report(folder, one, other, *words, "--json"))
    alone = [json.loads(report(folder, path, *words, "--json")) for path in (one, other)]
    point(
        {k: v for k, v in found.items() if k not in ("other", "drift")} == alone[0]
        and found["other"] == alone[1],
        "drift: the numbers of both",
    )
    by_name = {d["name"]: d for d in found["drift"]}
    a, b = by_name["A"], by_name["B"]
    below = lambda values, limit: sum(v <= limit for v in values) / len(values)  # noqa: E731
    first = [r % 4 for r in range(80) for _ in range(1 + r % 2)]
    second = [2 + r % 4 for r in range(40) for _ in range(1 + r % 4 // 3)]
    shares = lambda values: [values.count(v) / len(values) for v in range(6)]  # noqa: E731
    items = sum(abs(p - q) for p, q in zip(shares(first), shares(second))) / 2
    values = max(abs(below(first, v) - below(second, v)) for v in range(6))
    point(
        abs(a["lengths"] - 0.25) < 1e-12
        and abs(a["values"] - values) < 1e-12
        and abs(a["items"] - items) < 1e-12
        and a["score"] == max(items, values)
        and a["cause"] == "items",
        "drift: distances",
        (a, values, items),
    )
    point(b["new_indices"] == 5 and b["values"] == 0, "drift: indices that only the other uses", b)
    scores = [d["score"] for d in found["drift"]]
    point(scores == sorted(scores, reverse=True), "drift: the largest first", scores)
    text = report(folder, one, other, *words)
    page = check_page("drift", text, report(folder, one, other, *words, "--json"))
    point(
        any(a.get("class") == "other" for t, a in page.elements if t == "path") and "<h2>Drift</h2>" in text,
        "drift: outlines and a table",
    )
    same = json.loads(report(folder, one, one, *words, "--json"))["drift"]
    point(
        all(d["score"] == 0 and d.get("new_indices", 0) == 0 and not d["changes"] for d in same),
        "drift: none of itself",
        same,
    )
    broken = json.loads(
        report(
            folder, one, other, "--stream", "A:1:dense", "--stream", "B:20:sparse", "--streams", "A", "--json"
        )
    )
    point(len(broken["drift"]) == 1, "drift: of the streams that are chosen")
    # Known answers: all items differ, labels shift by 0.4, five standard deviations.
    lines = lambda values: "v,w\n" + "".join(f"{v},1\n" for v in values)  # noqa: E731
    labels = lambda n: "|y 1 0\n" * n + "|y 0 1\n" * (100 - n)  # noqa: E731
    numbers = [i / 7 for i in range(90)]
    known = (
        ("a.csv", "b.csv", lines(["cat"] * 30), lines(["dog"] * 30), [], 1.0),
        ("a.ctf", "b.ctf", labels(50), labels(90), ["--stream", "y:2:dense"], 0.4),
        ("c.csv", "d.csv", lines(numbers), lines([v + 99 for v in numbers]), [], 1.0),
        ("e.csv", "f.csv", lines([1.5] * 9 + [""]), lines([1.5] * 5 + [""] * 5), [], 0.4),
    )
    for before, after, one, other, words, score in known:
        (folder / before).write_text(one)
        (folder / after).write_text(other)
        got = json.loads(report(folder, folder / before, folder / after, *words, "--json"))["drift"]
        point(abs(got[0]["score"] - score) < 1e-12, f"drift: {before} and {after}", got)
        for limit, code in ((score - 0.01, 1), (1, 0)):
            done = subprocess.run(
                [SHEAF, "report", "-q", "-f", folder / before, folder / after, *words]
                + [folder / "x.html", "--fail-above", str(limit)]
            )
            point(done.returncode == code, f"drift: {before} and {after}, --fail-above {limit}", done)
    table = folder / "t2.csv"
    table.write_text("n,m\n1,2\n")
    less = folder / "t3.csv"
    less.write_text("n,k\nx,2\n")
    # What is no number has bins of its own.
    kinds = ("1.5", "nan", "inf", "-inf")
    one, other = ["1.5", "nan", "nan", "inf"] * 8, ["1.5", "1.5", "nan", "-inf", "inf"] * 6
    for name, cells in (("one.csv", one), ("other.csv", other)):
        (folder / name).write_text("v\n" + "\n".join(cells) + "\n")
    found = json.loads(report(folder, folder / "one.csv", folder / "other.csv", "--json"))["drift"][0]
    # Shares of NaN, of infinities of either sign, and of numbers: half the sum of their differences.
    share = lambda cells: [cells.count(v) / len(cells) for v in kinds]  # noqa: E731
    far = sum(abs(p - q) for p, q in zip(share(one), share(other))) / 2
    point(abs(found["values"] - far) < 1e-12, "drift: NaNs and infinities", found)
    text = report(folder, table, less)
    point(
        "not there" in text and "only there" in text and "another kind of column" in text,
        "drift: broken rules",
    )


def charts(folder):
    """Each chart as a file, which is the one in the page; existing files stay."""
    path, out = folder / "c.ctf", folder / "svg"
    path.write_text("".join(f"{r}\t|A {r / 3} {r}\t|B {r * r % 90}:1\n" * (1 + r % 9) for r in range(90)))
    words = [
        SHEAF,
        "report",
        "--quiet",
        path,
        "--stream",
        "A:2:dense",
        "--stream",
        "B:100:sparse",
        "--svg",
        out,
        "-o",
    ]
    far = [folder / "far" / "away" if word == out else word for word in words]
    done = subprocess.run([*far, folder / "c.html"], capture_output=True, text=True)
    point(
        done.returncode == 3 and not (folder / "c.html").exists(),
        "charts: a folder that has none to lie in",
        done.stderr,
    )
    done = subprocess.run([*words, folder / "c.html"], capture_output=True, text=True)
    files = sorted(p.name for p in out.iterdir())
    point(
        done.returncode == 0 and any("density" in f for f in files) and any("lengths" in f for f in files),
        "charts: files",
        files,
    )
    bad = [f for f in files if ElementTree.parse(out / f).getroot().tag != "{http://www.w3.org/2000/svg}svg"]
    point(
        not bad and all(re.fullmatch(r"\d\d-[a-z-]+\.svg", f) for f in files),
        "charts: whole, with names of ours",
        files,
    )
    page = (folder / "c.html").read_text()
    bars = re.search(r'class="bar" d="[^"]*"', (out / files[0]).read_text())[0]
    point(bars in page, "charts: those of the page")
    done = subprocess.run(
        [*words, folder / "d.html"], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    point(
        done.returncode == 2 and not (folder / "d.html").exists(), "charts: what is there stays", done.stderr
    )


def matrices(folder):
    """Symmetry and degrees against a naive count."""
    path = folder / "n.mtx"
    entries = {(i * 7 % 30, i * 11 % 30): (i % 3) - 1 for i in range(40)} | {
        (i * 11 % 30, i * 7 % 30): 1 for i in range(0, 40, 2)
    }
    path.write_text(
        f"%%MatrixMarket matrix coordinate real general\n30 30 {len(entries)}\n"
        + "".join(f"{i + 1} {j + 1} {v}\n" for (i, j), v in entries.items())
    )
    found = json.loads(report(folder, path, "--json"))
    off = [e for e in entries if e[0] != e[1]]
    mirrored = [e for e in off if e[::-1] in entries]
    equal = [e for e in mirrored if entries[e] == entries[e[::-1]]]
    point(
        found["symmetry"]["pattern_share"] == len(mirrored) / len(off)
        and found["symmetry"]["value_share"] == len(equal) / len(off),
        "matrices: per cent of symmetry",
        found["symmetry"],
    )
    rows = {i for i, _ in entries}
    text = report(folder, path)
    point(f"30 in all, {30 - len(rows)} without entries" in text, "matrices: rows without entries")
    point(
        re.search(r"explicit zeros</th><td>" + str(sum(v == 0 for v in entries.values())) + "<", text)
        is not None,
        "matrices: explicit zeros",
    )
    mirrored_file = folder / "s.mtx"
    mirrored_file.write_text("%%MatrixMarket matrix coordinate real symmetric\n40 40 2\n3 1 5\n7 7 1\n")
    page = Page(report(folder, mirrored_file))
    source = next(a["src"] for t, a in page.elements if t == "img")
    _, _, lines = pixels(base64.b64decode(source.split(",")[1]))
    point(
        {(y, x) for y in range(40) for x in range(40) if lines[y][x]} == {(2, 0), (0, 2), (6, 6)},
        "matrices: what a structure implies is drawn",
    )


def sizes(folder):
    """A page about many streams is not large."""
    path = folder / "large.mtx"
    entries = sorted({((i * 7919) % 4001, (i * i * 31 + i) % 4003) for i in range(150000)})
    path.write_text(
        f"%%MatrixMarket matrix coordinate real general\n4001 4003 {len(entries)}\n"
        + "".join(f"{i + 1} {j + 1} {(i * j) % 97 + 1}\n" for i, j in entries)
    )
    size = len(report(folder, path))
    point(20000 < size < 250000, "a page of at most 250 kB", size)
    many = folder / "many.ctf"
    many.write_text(
        "".join(
            f"{r}\t"
            + "\t".join(f"|s{k} {(r * 37 + k * 11) % 500}:1 {(r * r + k) % 480 + 500}:2" for k in range(20))
            + "\n"
            for r in range(600)
        )
    )
    words = [many, *(w for k in range(20) for w in ("--stream", f"s{k}:1000:sparse"))]
    size = len(report(folder, *words))
    point(size < 435000, "a page of 20 sparse streams", size)


def places_of(words):
    """Where entries are, by the rows that sheaf cat prints: of each sparse stream in turn, or of a matrix."""
    rows = [
        json.loads(line)
        for line in subprocess.run(
            [SHEAF, "cat", "--json", "--quiet", *words], capture_output=True, text=True, check=True
        ).stdout.splitlines()
    ]
    if "tensor" in rows[0]:
        places = [tuple(e[0]) for e in rows[0]["entries"]]
        mirrored = (
            [p[::-1] for p in places if p[0] != p[1]]
            if rows[0].get("structure", "general").startswith("symmetric")
            else []
        )
        return [places + mirrored] if len(rows[0]["shape"]) == 2 else []
    sparse = lambda v: (
        isinstance(v, list) and any(s and isinstance(s[0], list) for s in v if isinstance(s, list))
    )  # noqa: E731
    names = dict.fromkeys(n for row in rows for n, v in row.get("streams", {}).items() if sparse(v))
    return [
        [(r, i) for r, row in enumerate(rows) for sample in row["streams"][n] for i, _ in sample]
        for n in names
    ]


def check_rasters(name, page, words):
    """Pixels are where entries are, and the more entries there are in one, the darker it is."""
    pictures = [
        a
        for t, a in page.elements
        if t == "img"
        and "data-rows" in a
        and not a["data-down"].startswith("event")
        and "largest magnitude" not in a["alt"]
    ]
    expected = places_of(words)
    point(
        len(pictures) == len(expected),
        f"{name}: a picture for each sparse stream or matrix",
        (len(pictures), len(expected)),
    )
    for a, places in zip(pictures, expected):
        width, height, lines = pixels(base64.b64decode(a["src"].split(",")[1]))
        counts = {}
        for row, column in places:
            at = (row // int(a["data-rows"]), column // int(a["data-columns"]))
            counts[at] = counts.get(at, 0) + 1
        found = {(y, x): lines[y][x] for y in range(height) for x in range(width) if lines[y][x]}
        ordered = sorted(counts.items(), key=lambda item: item[1])
        point(
            found.keys() == counts.keys()
            and all(found[p] <= found[q] for (p, _), (q, _) in zip(ordered, ordered[1:])),
            f"{name}: pixels are the counts of a naive raster",
            (len(found), len(counts)),
        )
        point(
            (width, height) == (int(a["data-width"]), int(a["data-height"])),
            f"{name}: a picture says how large it is",
            a,
        )


def every_kind(folder):
    for name, words in kinds.files(folder):
        words = [str(word) for word in words]
        two = name.startswith("drift")
        named = "--names" in words
        text = report(folder, *words)
        page = check_page(name, text, report(folder, *words, "--json"), [] if two or named else words)
        point(
            report(folder, *words, "--threads", "1") == text == report(folder, *words, "--threads", "3"),
            f"{name}: the same page for any number of threads",
        )
        point(5000 < len(text.encode()) < 250000, f"{name}: a page of at most 250 kB", len(text))
        if name in (
            "ctf",
            "cbf",
            "jsonl",
            "svmlight",
            "matrixmarket",
            "matrixmarket-symmetric",
            "npz",
            "npz-streams",
            "binsparse",
            "anndata",
            "arrow-streams",
        ):
            check_rasters(name, page, words)


def refused(folder):
    out = folder / "there.html"
    out.write_text("old")
    path = folder / "b.csv"
    path.write_text("a\n1\n")
    done = subprocess.run(
        [SHEAF, "report", path, out], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    point(
        done.returncode == 2 and out.read_text() == "old" and "--force" in done.stderr,
        "an output that is there stays",
        done.stderr,
    )
    done = subprocess.run(
        [SHEAF, "report", folder / "not-there.csv", folder / "new.html"], capture_output=True, text=True
    )
    point(
        done.returncode == 3 and not (folder / "new.html").exists(),
        "no page of a file that cannot be read",
        done.stderr,
    )


with tempfile.TemporaryDirectory() as name:
    for check in (
        ctf,
        matrix,
        table,
        findings,
        index,
        simulator,
        drift,
        charts,
        matrices,
        sizes,
        every_kind,
        refused,
    ):
        check(Path(name))
end()
