#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports in a browser: one page of each kind of file, as headless Chromium shows it.

    SHEAF=build/sheaf tests/browse.py FOLDER          screenshots go to FOLDER: light, dark, print, narrow
    SHEAF=build/sheaf tests/browse.py --picture FILE  draws the picture of README.md

Nothing may be fetched or be wider than the window; each chart, picture, table and heading has its name and
role in the accessibility tree; all text has a contrast of at least 4.5 to 1 in both schemes, and bars one of
3 to 1; messages on the console are faults. What the script says under the pointer agrees with the tables, and
without the script nothing else is missing. Someone must still look at the pictures: `make check-pages` says
where they are.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from kinds import files, sequences
from tap import end, point

SHEAF = os.environ.get("SHEAF", "build/sheaf")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# The colour behind an element, and the contrast of all text with it.
CONTRAST = """(() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const light = c => { const f = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
                       return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
                        if (c.length === 3 || c[3] > 0) return c; }
                        const dark = matchMedia('(prefers-color-scheme:dark)').matches;
                        return dark ? [18, 18, 18] : [255, 255, 255]; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
                            return (x + 0.05) / (y + 0.05); };
  const low = [];
  for (const e of document.querySelectorAll('body *')) {
    const style = getComputedStyle(e), name = e.tagName.toUpperCase();
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (style.display === 'none' || ['SCRIPT', 'STYLE', 'TITLE', 'DESC'].includes(name)) continue;
    const svg = e instanceof SVGElement;
    if (own && !['title', 'desc'].includes(e.tagName)) {
      const r = ratio(parse(svg ? style.fill : style.color), behind(e));
      if (r < 4.5) low.push([e.tagName, e.textContent.slice(0, 30), r]);
    }
    const faint = (kind, colour) => e.classList.contains(kind) && ratio(parse(colour), behind(e)) < 3;
    if (svg && faint('bar', style.fill)) low.push(['bar', '', 0]);
    if (svg && faint('other', style.stroke)) low.push(['other', '', 0]);
  }
  return low;
})()"""
WIDER = """[...document.querySelectorAll('body *')].filter(e => !e.closest('.skip') &&
  e.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map(
  e => e.tagName + ' ' + e.textContent.slice(0, 40)).slice(0, 5)"""


class Browser:
    """Chromium, spoken to through a pipe: messages of JSON that end in a NUL."""

    def __init__(self, folder):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        arguments = [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
            "--disable-dev-shm-usage",
            f"--user-data-dir={folder}",
            "--remote-debugging-pipe",
            "about:blank",
        ]

        def give():
            high = [os.dup(to_read), os.dup(from_write)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            arguments,
            preexec_fn=give,
            pass_fds=(3, 4, to_read, from_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self.out, self.into, self.number, self.rest, self.events = to_write, from_read, 0, b"", []
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)[
            "sessionId"
        ]
        for name in ("Page", "Network", "Runtime", "Accessibility", "DOM", "Log"):
            self.call(f"{name}.enable")

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            found = self.receive()
            if found.get("id") == self.number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]
            self.events.append(found)

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.into, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\0")
        return json.loads(line)

    def open(self, path, width, dark=False, media="screen"):
        self.events = []
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.call("Page.navigate", url=path.resolve().as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def picture(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)[
            "data"
        ]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait(timeout=20)


# ---- what must hold ----


def check_tree(browser, name):
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    role = lambda n: n.get("role", {}).get("value", "").lower()  # noqa: E731
    named = lambda n: n.get("name", {}).get("value", "").strip()  # noqa: E731
    seen = [n for n in nodes if not n.get("ignored")]
    pictures = [n for n in seen if role(n) in ("image", "img", "graphics-document", "svgroot")]
    shown = browser.value("document.querySelectorAll('svg[data-bars],img').length")
    point(
        bool(pictures) == bool(shown) and all(map(named, pictures)),
        f"{name}: pictures and charts have names",
        [role(n) for n in pictures if not named(n)],
    )
    headings = [n for n in seen if role(n) == "heading"]
    point(bool(headings) and all(map(named, headings)), f"{name}: headings have names")
    point(
        any(role(n) == "main" for n in seen) and any(role(n) == "rowheader" for n in seen),
        f"{name}: a main part, and heads of rows",
    )


# For each chart: its bars, and its table's entry for each; and whether a value of the table is cut.
CHARTS = """[...document.querySelectorAll('svg[data-bars]')].map(svg => {
  const rows = [...svg.parentNode.querySelectorAll('tbody tr')];
  const parts = r => [r.firstChild.textContent, r.children[1].textContent, r.dataset.bar];
  return [+svg.dataset.bars, rows.map(parts)]; })"""
LEFT, PLOT = 58, 520  # of a chart: the margin with labels, and what the bars have
OPEN = "document.querySelectorAll('details.field').forEach(d => { d.open = true; })"
# Labels below the axis of each chart of a histogram, and at its left.
TICKS = """[...document.querySelectorAll('svg[data-bars]')].map(svg => [+svg.dataset.bars,
  svg.querySelectorAll('text.tick').length,
  [...svg.querySelectorAll('text.end')].filter(t => t.getBBox().x < 0).map(t => t.textContent)])"""
OVERLAPS = """[...document.querySelectorAll('svg')].flatMap(svg => {
  const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBBox()]);
  const view = svg.viewBox.baseVal;
  const out = x => x.x < view.x - 1 || x.x + x.width > view.x + view.width + 1 ||
    x.y + x.height > view.height + 1;
  const meet = (x, y) => x.x < y.x + y.width && y.x < x.x + x.width && x.y < y.y + y.height &&
    y.y < x.y + x.height;
  return boxes.flatMap(([a, x], i) => [...(out(x) ? [a + ' is cut'] : []),
    ...boxes.slice(i + 1).filter(([, y]) => meet(x, y)).map(([b]) => a + ' on ' + b)]); }).slice(0, 5)"""
EMPTY = """[...document.querySelectorAll('h2,h3,h4')].filter(h => { const next = h.nextElementSibling;
  return !next || /^H[1-6]$/.test(next.tagName) && next.tagName <= h.tagName ||
    (next.tagName === 'TABLE' && !next.rows.length); }).map(h => h.textContent)"""


def point_at(browser, kind, number, across, down=0.5):
    """Moves the pointer over a chart or picture; returns what the page says there."""
    box = browser.value(
        f"(e => {{ e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; }})"
        f"(document.querySelectorAll('{kind}')[{number}])"
    )
    browser.call(
        "Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + across * box[2], y=box[1] + down * box[3]
    )
    return browser.value(f"document.querySelectorAll('{kind}')[{number}].nextSibling.textContent")


def check_script(browser, name):
    """The numbers under the pointer, and those that arrow keys choose, agree with the tables; so do the
    sliders'."""
    wrong = []
    for number, (bars, rows) in enumerate(browser.value(CHARTS)):
        at = {}
        for i, (label, count, bar) in enumerate(rows):
            at[int(bar) if bar else max(at, default=-1) + 1] = (label, count)
        for i in sorted({0, bars // 3, bars - 1, *list(at)[1:2]}):
            across = (LEFT + PLOT * (i + 0.5) / bars) / (LEFT + PLOT)
            said = point_at(browser, "svg[data-bars]", number, across)
            if (
                said != "nothing"
                if i not in at
                else f" {at[i][0]}: " not in said or f" {at[i][1]}" not in said
            ):
                wrong.append((number, i, said, at.get(i)))
    point(not wrong, f"{name}: bars under the pointer", wrong[:3])
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    left = browser.value(
        "[...document.querySelectorAll('svg+output,img+output')].filter(o => o.textContent).length"
    )
    point(left == 0, f"{name}: nothing is said when the pointer has left")
    pictures = browser.value("[...document.querySelectorAll('img')].map(i => ({...i.dataset}))")
    said = [point_at(browser, "img", i, 0.001, 0.001) for i in range(len(pictures))]
    point(
        all(
            re.match(r"(unit 0|(row|sequence|event)s? 0.*, (column|index|indices|unit)s? 0)", s) for s in said
        ),
        f"{name}: pixels under the pointer",
        said,
    )
    if browser.value("document.querySelectorAll('svg[data-bars]').length"):
        browser.value("document.querySelector('svg[data-bars]').focus()")
        for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"):
            browser.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        first = browser.value(CHARTS)[0][1][0]
        said = browser.value("document.querySelector('svg[data-bars]').nextSibling.textContent")
        point(
            f" {first[0]}: " in said if not first[2] else said == "nothing",
            f"{name}: bars by arrow keys",
            said,
        )
    wrong = []
    for number in range(browser.value("document.querySelectorAll('fieldset').length")):
        tables = browser.value(
            f"(t => [t[0], t[2]].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))))"
            f"((e => [e.previousElementSibling.previousElementSibling.querySelector('table'), 0, (n => {{ while (n.tagName !== 'TABLE') n = n.nextElementSibling;"
            f"n = n.nextElementSibling; while (n.tagName !== 'TABLE') n = n.nextElementSibling; return n; }})(e.nextElementSibling)])"
            f"(document.querySelectorAll('fieldset')[{number}]))"
        )
        for batch, ranks, column in ((8, 64, 1), (32, 4, 2), (128, 1, 3)):
            said = browser.value(
                f"(e => {{ const [s, r] = e.querySelectorAll('input'), sizes = JSON.parse(e.previousElementSibling.textContent).sizes;"
                f"s.value = sizes.indexOf({batch}); r.value = Math.log2({ranks}); s.dispatchEvent(new Event('input')); r.dispatchEvent(new Event('input'));"
                f"return e.lastChild.textContent; }})(document.querySelectorAll('fieldset')[{number}])"
            )
            padding = next(r for r in tables[0] if r[0] == str(batch))
            waiting = next(r for r in tables[1] if r[0] == str(ranks))[column]
            if (
                f": {padding[1]} padding drawn at random, {padding[2]} sorted" not in said
                or f"waits {waiting} of the time" not in said
            ):
                wrong.append((said, padding, waiting))
    point(not wrong, f"{name}: the sliders say what the tables say", wrong[:2])
    point(
        browser.value(
            "document.querySelectorAll('script').length - document.querySelectorAll('script[type]').length"
        )
        == 1
        and not browser.value("document.querySelectorAll('output *, img[onerror], b, i').length"),
        f"{name}: nothing but text comes of names",
    )


def check(browser, name, path, folder):
    for scheme, width, dark, media in (
        ("light", 900, False, "screen"),
        ("dark", 900, True, "screen"),
        ("print", 700, False, "print"),
        ("phone", 400, False, "screen"),
    ):
        browser.open(path, width, dark, media)
        asked = {
            e["params"]["request"]["url"][:60]
            for e in browser.events
            if e.get("method") == "Network.requestWillBeSent"
        }
        point(
            all(u.startswith(("data:", "file:")) for u in asked)
            and sum(u.startswith("file:") for u in asked) == 1,
            f"{name}, {scheme}: no request leaves",
            asked,
        )
        told = [
            e["params"]
            for e in browser.events
            if e.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown")
        ]
        point(not told, f"{name}, {scheme}: nothing on the console", told[:2])
        high = browser.value("document.documentElement.scrollHeight")
        folded = browser.value("document.querySelectorAll('details.field').length")
        if scheme == "light":
            point(high <= 3000 or folded > 10, f"{name}: at most 3,000 pixels high while it is folded", high)
        browser.value(OPEN)
        few = [t for t in browser.value(TICKS) if len(t[2]) < 3 or (t[1] < 3 and t[0] > 2)]
        point(not few, f"{name}, {scheme}: at least three labels on each axis", few[:3])
        low = browser.value(CONTRAST)
        point(not low, f"{name}, {scheme}: contrast", low[:5])
        low = browser.value(OVERLAPS)
        point(not low, f"{name}, {scheme}: no word is cut, or stands on another", low)
        wide = browser.value(WIDER)
        point(not wide, f"{name}, {scheme}: nothing is wider than the page", wide)
        browser.picture(folder / f"{name}-{scheme}.png")
    browser.open(path, 900)
    browser.value(OPEN)
    check_tree(browser, name)
    empty = browser.value(EMPTY)
    point(not empty, f"{name}: no section is empty", empty)
    check_script(browser, name)
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(path, 900)
    browser.value(OPEN)
    check_tree(browser, f"{name}, without the script")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def picture(path):
    """The beginning of a page, small enough for a README."""
    with tempfile.TemporaryDirectory() as name:
        folder, page = Path(name), Path(name) / "train.html"
        (folder / "profile").mkdir()
        words = sequences(folder / "train.ctf")
        subprocess.run(
            [SHEAF, "report", "--quiet", words[0].name, *words[1:], "-o", page.name],
            check=True,
            cwd=folder,
            env={**os.environ, "SHEAF": os.path.abspath(SHEAF)},
            executable=os.path.abspath(SHEAF),
        )
        browser = Browser(folder / "profile")
        browser.open(page, 720)
        clip = {"x": 0, "y": 0, "width": 720, "height": 1180, "scale": 1}
        data = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)[
            "data"
        ]
        browser.close()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(data))


def main():
    if sys.argv[1:2] == ["--picture"]:
        picture(Path(sys.argv[2]))
        return 0
    if not CHROMIUM:
        sys.exit("expected Chromium, found none: make check-pages installs it")
    shots = Path(sys.argv[1] if len(sys.argv) > 1 else "build/pages")
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        browser = Browser(folder / "profile")
        for kind, words in files(folder):
            page = shots / f"{kind}.html"
            done = subprocess.run(
                [SHEAF, "report", "--force", "--quiet", *map(str, words), "-o", page],
                capture_output=True,
                text=True,
            )
            point(done.returncode <= 1, f"{kind}: a page is made", done.stderr)
            if done.returncode <= 1:
                check(browser, kind, page, shots)
        browser.close()
    return end()


if __name__ == "__main__":
    sys.exit(main())
