#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page that `sheaf report` writes: whole, the same for any number of threads, with nothing that a browser would fetch or
run, its policy's hash the one of its style sheet, its numbers those of --json, its picture the raster of the file."""
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
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from tap import end, point

SHEAF = os.environ["SHEAF"]
VOID = {"meta", "img", "br", "hr", "link", "path"}


class Page(HTMLParser):
    """Elements with their attributes, and whether each that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts, self.balanced = [], [], {}, True
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


def report(folder, *words):
    out = folder / "out.html"
    done = subprocess.run([SHEAF, "report", "--quiet", "--force", *words, "-o", out], capture_output=True, text=True)
    return out.read_text() if done.returncode == 0 else done.stderr


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


def check_page(name, folder, text, json_text):
    page = Page(text)
    point(page.balanced, f"{name}: what is opened is closed", page.open)
    style = "".join(page.texts.get("style", []))
    policy = next((a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a), "")
    wanted = "'sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() + "'"
    point(wanted in policy and "default-src 'none'" in policy, f"{name}: the policy allows this style sheet and nothing else", policy)
    bad = [(t, a) for t, a in page.elements if "style" in a or any(k.startswith("on") for k in a) or
           (t == "script" and a.get("type") != "application/json") or t in ("link", "iframe", "object", "form") or
           not re.match(r"#|data:image/png;base64,|$", a.get("href") or a.get("src") or "")]
    point(not bad, f"{name}: nothing is fetched or run", bad[:3])
    point(json.loads("".join(page.texts["script"])) == json.loads(json_text), f"{name}: the numbers in the page are those of --json")
    figures = [a for t, a in page.elements if t == "svg"]
    ids = {a["id"] for t, a in page.elements if "id" in a}
    point(all(a.get("role") == "img" and set(a["aria-labelledby"].split()) <= ids for a in figures),
          f"{name}: each chart has a title and a description")
    point(all(a.get("alt") for t, a in page.elements if t == "img"), f"{name}: each picture says what it shows")
    return page


def ctf(folder):
    path = folder / "a<b>&.ctf"
    lines = [f"{r}\t|A {r % 7} {r / 4}\t|B {r % 50}:1 {(r * r) % 90 + 5}:2" for r in range(400) for _ in range(1 + r % 3)]
    path.write_text("\n".join(lines) + "\n")
    words = [path, "--stream", "A:2:dense", "--stream", "B:100:sparse"]
    text = report(folder, *words)
    check_page("CTF", folder, text, report(folder, *words, "--json"))
    point(report(folder, *words, "--threads", "1") == report(folder, *words, "--threads", "4"), "CTF: the same page for any number of threads")
    counted = json.loads(report(folder, *words, "--json"))
    b = next(f for f in counted["streams"] if f["name"] == "B")
    entries = sum(2 * (1 + r % 3) for r in range(400))
    point(b["values"] == entries and b["sum"] == 1.5 * entries, "CTF: values are counted and summed", b)
    point(b["never_used"] == 100 - len({i for r in range(400) for i in (r % 50, (r * r) % 90 + 5)}), "CTF: indices that are never used", b)


def matrix(folder):
    path = folder / "m.mtx"
    entries = {(i * 7 % 300, i * 13 % 400): i + 1 for i in range(1000)}
    path.write_text("%%MatrixMarket matrix coordinate real general\n300 400 " + f"{len(entries)}\n" +
                    "".join(f"{i + 1} {j + 1} {v}\n" for (i, j), v in entries.items()))
    text = report(folder, path)
    page = check_page("matrix", folder, text, report(folder, path, "--json"))
    source = next(a["src"] for t, a in page.elements if t == "img")
    width, height, lines = pixels(base64.b64decode(source.split(",")[1]))
    found = {(y, x) for y in range(height) for x in range(width) if lines[y][x]}
    point((width, height) == (400, 300) and found == set(entries), "matrix: a pixel for each entry and for nothing else", (width, height))


def table(folder):
    path = folder / "t.csv"
    path.write_text("name,n\n" + "".join(f"\"<x>{r % 3}\",{r % 5}\n" for r in range(50)))
    text = report(folder, path)
    check_page("table", folder, text, report(folder, path, "--json"))
    point("&lt;x&gt;0" in text and "<x>" not in text.replace("\\u003cx>", ""), "table: items are text, whatever is in them")


def findings(folder):
    """Each rule with its count, and no line where nothing was found."""
    path = folder / "bad.ctf"
    path.write_text("|A 1 2\n" + "|A 1 x\n" * 3 + "|A 3 4\n")
    words = [path, "--stream", "A:2:dense", "--max-errors", "9", "--allow-missing"]
    text = report(folder, *words)
    point(re.search(r"not a number</th><td><bdi>error, 3 times<", text) is not None, "findings: a line for each rule", text[:300])
    path.write_text("|A 1 2\n")
    point("Reading found nothing wrong" in report(folder, path, "--stream", "A:2:dense"), "findings: none")


def refused(folder):
    out = folder / "there.html"
    out.write_text("old")
    path = folder / "b.csv"
    path.write_text("a\n1\n")
    done = subprocess.run([SHEAF, "report", path, out], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    point(done.returncode == 2 and out.read_text() == "old" and "--force" in done.stderr, "an output that is there stays", done.stderr)
    done = subprocess.run([SHEAF, "report", folder / "none.csv", folder / "new.html"], capture_output=True, text=True)
    point(done.returncode == 3 and not (folder / "new.html").exists(), "no page of a file that cannot be read", done.stderr)


with tempfile.TemporaryDirectory() as name:
    for check in (ctf, matrix, table, findings, refused):
        check(Path(name))
end()
