# SPDX-License-Identifier: MIT
"""The command's functions give what the command prints."""
import json
import os
import subprocess
import warnings

import numpy as np
import sheaf
from common import FILES, command, matrix, raises, same, words


def printed(*arguments):
    return json.loads(command(*arguments, "--json"))


def test_plots(tmp):
    """The charts are those that a report writes; one pass makes them all."""
    folder = tmp / "charts"
    sheaf.report(words(tmp), tmp / "page.html", svg=folder)
    dataset = sheaf.open(words(tmp))
    same(dataset.plot(), {path.name: path.read_text() for path in folder.iterdir()})
    assert dataset.plot is dataset.plot
    lengths = dataset.plot.lengths()
    same((lengths._repr_svg_(), "Lengths" in lengths), (str(lengths), True))
    with raises(AttributeError, 'found "lenghts"; did you mean lengths?'):
        dataset.plot.lenghts()
    assert not hasattr(dataset.plot, "_repr_html_")


def test_guess(tmp):
    """A file of cells that says nothing of itself: the same as the command prints."""
    cells = np.zeros(200, [("n", "<i8"), ("x", "<f8"), ("s", "<i2")])
    cells["n"], cells["x"], cells["s"] = np.arange(200), np.sqrt(np.arange(200)), np.arange(200) % 7 - 3
    path = tmp / "raw.bin"
    path.write_bytes(cells.tobytes())
    (best, *_) = sheaf.guess(path)
    same((best["option"], best["value"]), ("format_string", "(int64, double, int16)"))
    told = json.loads(command("info", "--guess", "--json", path).splitlines()[0])
    same((told["value"], told["evidence"]), (best["value"], best["evidence"]))
    frame = sheaf.read(path, format_string=best["value"])
    same(frame["a0"].values.tolist(), list(range(200)))
    same(sheaf.guess(words(tmp)), [])


def test_formats():
    lines = command("formats", "--json").splitlines()
    same(sheaf.formats(), [json.loads(line) for line in lines])


def some_files(tmp):
    """Files of most formats that can be read without options."""
    named = [words(tmp), matrix(tmp)]
    for pattern in ("ctf/good-*.ctf", "lens/good-*.ex", "csv/good-*.csv", "svmlight/good-*.svm*",
                    "matrixmarket/good-*.mtx", "tns/good-*.tns"):
        named += sorted(FILES.glob(pattern))
    return named


def agree(function, name, tmp):
    """The function and the command say the same of each file, or both refuse it."""
    compared = 0
    for path in some_files(tmp):
        try:
            wanted = printed(name, path)
        except subprocess.CalledProcessError as error:
            wanted = json.loads(error.stdout) if error.returncode == 1 else None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = function(path)
        except (sheaf.SheafError, OSError):
            found = None
        assert repr(found) == repr(wanted), f"{path}: expected {wanted!r}, found {found!r}"
        compared += wanted is not None
    assert compared > 20, compared


def test_info(tmp):
    agree(sheaf.info, "info", tmp)
    path = tmp / "flaws.ctf"
    path.write_text("|A 1\n|A x\n|A 3\n")
    options = {"stream": "A:1:dense", "allow": "missing"}
    same(sheaf.info(path, **options)["flaws"], {"errors": 2, "rules": {"not a number": 1, "empty row": 1},
                                                "complete": True})


def test_rows_before_a_flaw(tmp):
    path, found = tmp / "flaw.csv", []
    path.write_text("a,b\n1,2\n3,4\n5\n6,7\n")
    with raises(sheaf.DataError):
        for frame in sheaf.open(path):
            found.append(len(frame))
    same(found, [2])


def test_stats(tmp):
    agree(sheaf.stats, "stats", tmp)


def test_report(tmp):
    path, other = words(tmp), tmp / "other.ctf"
    other.write_text(path.read_text() + path.read_text().splitlines()[-1].replace("1", "0") + "\n")
    numbers = sheaf.report(path)
    assert numbers == sheaf.stats(path)
    both = sheaf.report(path, tmp / "both.html", other=other, svg=str(tmp / "svg"))
    assert both["other"] == sheaf.stats(other) and both["drift"]
    page = (tmp / "both.html").read_text()
    assert "<h2>Drift</h2>" in page and "other.ctf" in page
    charts = list((tmp / "svg").iterdir())
    assert charts
    for chart in charts:
        assert chart.read_text().startswith("<?xml")
    with raises(FileExistsError):
        sheaf.report(path, tmp / "both.html")
    with raises(OSError):
        sheaf.report(path, tmp / "more.html", other=other, svg=str(tmp / "far" / "away"), force=True)
    with raises(sheaf.UsageError, "expected the path of a page, since that has charts"):
        sheaf.report(path, svg=tmp / "svg")


def test_names_and_targets(tmp):
    path, names = tmp / "said.ctf", tmp / "names.txt"
    path.write_text("".join(f"|word {s % 3}:1 |label {int(s == 6)}\n" for s in range(9)))
    names.write_text("the\nof\n")
    options = {"stream": ["word:5:sparse", "label:1:dense"], "names": f"word={names}", "target": "label"}
    stats = sheaf.stats(path, **options)
    same(stats["streams"][0]["most_used"], [[0, 3, "the"], [1, 3, "of"], [2, 3]])
    same(stats["contradictions"]["first"], [[0, 6]])
    same(sheaf.report(path, tmp / "page.html", **options), stats)
    page = (tmp / "page.html").read_text()
    assert "<h2>Contradictions</h2>" in page and "<h2>First rows</h2>" in page
    with raises(sheaf.UsageError, "names: expected STREAM=FILE"):
        sheaf.stats(path, **{**options, "names": "x"})
    with raises(sheaf.UsageError, "did you mean label?"):
        sheaf.stats(path, **{**options, "target": "lable"})


def test_show(tmp):
    path = words(tmp)
    done = subprocess.run([os.environ["SHEAF"], "show", "--skip", "1", path], capture_output=True, text=True,
                          check=True, env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"})
    assert sheaf.show(path, skip=1) == done.stdout
    with raises(IndexError):
        sheaf.show(path, skip=99)
    with raises(sheaf.UsageError, "expected K, found True"):
        sheaf.show(path, skip=True)


def test_schema(tmp):
    agree(sheaf.schema, "schema", tmp)


def test_hash(tmp):
    agree(lambda path: {"file": str(path), "hash": sheaf.hash(path)}, "hash", tmp)


def test_convert_diff_hash(tmp):
    path = words(tmp)
    sheaf.convert(path, tmp / "words.cbf")
    assert sheaf.diff(path, tmp / "words.cbf").equal
    same(sheaf.hash(path), sheaf.hash(tmp / "words.cbf"))
    (tmp / "other.ctf").write_text(path.read_text().replace("17:1", "17:3"))
    found = sheaf.diff(path, tmp / "other.ctf")
    assert found and not found.equal
    same((found[0].row, found[0].stream, found[0].a, found[0].b), (0, "word", "[17:1]", "[17:3]"))


def test_losses_are_refused_or_allowed(tmp):
    path = tmp / "named.ex"
    path.write_text('name: { first } I: 1 0 T: 0 1;\n')
    with raises(sheaf.LossError, 'allow="loss"') as caught:
        sheaf.convert(path, tmp / "named.cbf", group=["in:2:input", "out:2:output"])
    same(caught.error.status, "loss")
    assert not (tmp / "named.cbf").exists()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        sheaf.convert(path, tmp / "named.cbf", group=["in:2:input", "out:2:output"], allow="loss")
    assert any("name" in str(w.message) for w in told), told


def test_validate(tmp):
    report = sheaf.validate(words(tmp))
    assert report.valid and report and not report.violations
    path = tmp / "bad.ctf"
    path.write_text("0 |a 1 2\n0 |a 1 x\n1 |a 1\n")
    report = sheaf.validate(path, stream=["a:2:dense"])
    assert not report and not report.valid
    lines = [p.place.line for p in report.violations]
    same(lines[:1], [2])
    seen = []
    assert not sheaf.validate(path, stream=["a:2:dense"], on_problem=seen.append)
    same([p.text for p in seen], [p.text for p in report])


def test_index(tmp):
    path = words(tmp)
    same(sheaf.index(path, check=True)["state"], "bad")
    first = sheaf.index(path)
    same(first["state"], "written")
    second = sheaf.index(path)
    same(second["state"], "fresh")
    same(second, printed("index", path))
    same(sheaf.index(path, check=True)["state"], "sound")
    same(sheaf.info(path)["index"]["state"], "fresh")


def test_split_and_merge(tmp):
    path = tmp / "cells.scidb"
    np.arange(10, dtype=np.int64).tofile(path)
    cells = {"from_": "scidb", "format_string": "(int64)"}
    parts = sheaf.split(path, tmp / "part", parts=3, **cells)
    same(list(parts.values()), [4, 3, 3])
    same([name[-2:] for name in parts], [".0", ".1", ".2"])
    same(sheaf.merge(list(parts), tmp / "whole.scidb", **cells), 10)
    same((tmp / "whole.scidb").read_bytes(), path.read_bytes())
    same(list(sheaf.split(path, [tmp / "a", tmp / "b"], **cells).values()), [5, 5])
    with raises(sheaf.UsageError, "expected a path or a list of paths, found 3"):
        sheaf.split(path, 3, **cells)
    with raises(sheaf.UsageError, "parts: expected") as caught:
        sheaf.split(path, tmp / "part", parts=0, **cells)
    same(caught.error.option, "parts")
    path = words(tmp)
    parts = sheaf.split(path, tmp / "part.ctf", parts=2)
    same([name[-11:] for name in parts], ["/part.0.ctf", "/part.1.ctf"])
    same(list(parts.values()), [1, 1])
    same(list(sheaf.split(path, [tmp / "fit.ctf", tmp / "test.ctf"], parts=[0.5, 0.5], seed=0).values()),
         [1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # keys become positions
        same(sheaf.merge(list(parts), tmp / "whole.ctf"), -1)
    assert sheaf.diff(path, tmp / "whole.ctf").equal


def test_selecting(tmp):
    path = words(tmp)
    same(len(sheaf.read(path, rows="1:3")), 1)
    same(len(sheaf.read(path, rows=2, skip=1)), 1)
    same(len(sheaf.read(path, sample=1, seed=5)), 1)
    with raises(sheaf.UsageError, "expected streams of") as caught:
        sheaf.read(path, streams=["nothing"])
    same(caught.error.option, "streams")
