# SPDX-License-Identifier: MIT
"""The table of docs/python.md: which exception comes when, and what messages say."""
import builtins
import errno
import os
import pickle
import re

import numpy as np
import sheaf
from common import PAGE, matrix, need, raises, rows_of_table, same, words

STREAMS = {"stream": ["a:2:dense", "b:1:dense"]}


def bad(tmp):
    path = tmp / "bad.ctf"
    path.write_text("0 |a 1 2\n0 |a 1 x\n")
    return path


def large(tmp):
    np.save(tmp / "large.npy", np.zeros(1 << 17))
    return tmp / "large.npy"


def unsupported(tmp):
    sheaf.write(tmp / "t.mtx", sheaf.read(words(tmp)))


def lost(tmp):
    (tmp / "named.ex").write_text("name: { first } I: 1 0 T: 0 1;\n")
    sheaf.convert(tmp / "named.ex", tmp / "named.ctf")


def there(tmp):
    sheaf.convert(words(tmp), words(tmp), to="ctf")


# What raises each exception of the table: (call, class, status, what the message has).
CASES = {
    "DataError": [(lambda tmp: sheaf.read(bad(tmp), stream="a:2:dense"), "data",
                   "bad.ctf:2:8 (byte 16): stream \"a\": expected a number"),
                  (lambda tmp: sheaf.read(b"\x93NUMPY\x01\x00", from_="npy"), "short", "expected")],
    "UnknownError": [(lambda tmp: sheaf.open(words(tmp), from_="ctff"), "unknown", "found ctff"),
                     (lambda tmp: sheaf.open(b""), "unknown", "found no bytes at all"),
                     (lambda tmp: sheaf.read(words(tmp))["wrd"], "unknown",
                      'expected the name of a column (word, tag, key), found "wrd"; did you mean word?')],
    "LossError": [(lost, "loss", 'allow="loss"')],
    "UsageError": [(lambda tmp: sheaf.batches(words(tmp), size="many"), "usage",
                    "size: expected N[samples|sequences|tokens] with N above 0, found many"),
                   (lambda tmp: sheaf.open(words(tmp), sream="a:1:dense"), "usage",
                    'open: expected an option of this function or of a format, found "sream"; did you mean stream?'),
                   (lambda tmp: sheaf.open(words(tmp), streams="wrd"), "usage",
                    'streams: expected streams of')],
    "UnsupportedError": [(unsupported, "unsupported",
                          "expected rows that format matrixmarket can hold, found sequences")],
    "LimitError": [(lambda tmp: sheaf.read(large(tmp), max_memory="1M"), "limit", "max_memory=")],
    "OSError and its subclasses": [
        (lambda tmp: sheaf.open("nowhere.ctf"), "io", "cannot open nowhere.ctf"),
        (lambda tmp: sheaf.batches("nowhere*.ctf"), "io",
         "nowhere*.ctf: expected files whose names match, found none"),
        (lambda tmp: sheaf.batches("@nowhere"), "io", "nowhere: expected a list of files, found none"),
        (there, "usage",
         "expected no file of that name, found one, which is kept (force=True replaces it)")],
}


def test_each_row_of_the_table(tmp):
    rows = rows_of_table("exception")
    same(sorted(row[0].strip("`") for row in rows), sorted(CASES))
    for name, also, _ in rows:
        kind = getattr(sheaf, name.strip("`"), OSError)
        for call, status, part in CASES[name.strip("`")]:
            with raises(kind, part) as caught:
                call(tmp)
            same(caught.error.status, status)
            assert caught.error.found, caught.error
            assert caught.error.expected or part.startswith("cannot open"), caught.error
            if also:
                assert isinstance(caught.error, getattr(builtins, also)), caught.error


def test_kin(tmp):
    """What the table says in words."""
    with raises(FileExistsError) as caught:
        there(tmp)
    same((caught.error.option, caught.error.errno), ("force", errno.EEXIST))
    with raises(TypeError) as caught:
        sheaf.open(words(tmp), sream=1)
    same((caught.error.option, caught.error.place), ("sream", None))
    with raises(KeyError) as caught:
        sheaf.read(words(tmp))["nothing that is near"]
    assert "did you mean" not in str(caught.error)
    for name in ("nowhere*.ctf", "@nowhere"):
        with raises(FileNotFoundError) as caught:
            sheaf.batches(name)
        same((caught.error.errno, str(caught.error.place)), (errno.ENOENT, name.strip("@")))
    with raises(sheaf.UsageError, 'style: expected one of text, text_short, json') as caught:
        sheaf.read(words(tmp)).texts("jsn")
    with raises(sheaf.UsageError) as caught:
        sheaf.open(3)
    same((caught.error.option, caught.error.place), ("source", None))


def test_mistyped_formats(tmp):
    """With the argument that names them, and what it may mean."""
    for call, option in ((lambda: sheaf.open(words(tmp), from_="cft").schema, "from_"),
                         (lambda: sheaf.convert(words(tmp), tmp / "o.ctf", to="cft"), "to"),
                         (lambda: sheaf.write(tmp / "o.ctf", sheaf.read(words(tmp)), to="cft"), "to"),
                         (lambda: sheaf.convert(words(tmp), tmp / "o.ctf", from_="cft"), "from_")):
        with raises(sheaf.UnknownError, f"{option}: expected one of the formats ctf, cbf") as caught:
            call()
        same((caught.error.option, caught.error.place), (option, None))
        same(caught.error.found, "cft")
        assert str(caught.error).endswith("found cft; did you mean ctf?"), caught.error
    assert not (tmp / "o.ctf").exists()


def test_places(tmp):
    with raises(sheaf.DataError) as caught:
        sheaf.read(bad(tmp), stream="a:2:dense")
    place, error = caught.error.place, caught.error
    same((place.file, place.line, place.column, place.byte, place.stream),
         (str(tmp / "bad.ctf"), 2, 8, 16, "a"))
    same((error.expected, error.found, error.option), ("a number", '"x"', None))
    with raises(sheaf.UsageError, "out_element_type: expected float|double, found half") as caught:
        sheaf.convert(words(tmp), tmp / "w.cbf", out_element_type="half")
    same((caught.error.option, caught.error.found), ("out_element_type", "half"))
    for name in re.findall(r"Each has `place` \(([^)]*)\)", PAGE.read_text())[0].split(", "):
        assert hasattr(place, name), name
    again = pickle.loads(pickle.dumps(error))
    same((str(again), again.place.byte), (str(error), 16))


def test_parts_of_messages_have_pythons_names(tmp):
    """Options in what was expected and found, too: an exception and a finding say the same."""
    path = tmp / "missing.ctf"
    path.write_text("0 |a 1 2 |b 1\n1 |b 1\n")
    with raises(sheaf.DataError, 'allow="missing"') as caught:
        sheaf.read(path, **STREAMS)
    advice = '(allow="missing" reads it without, drop_incomplete=True leaves it out)'
    assert advice in caught.error.expected, caught.error.expected
    (found,) = sheaf.validate(path, **STREAMS).violations
    same(found.expected, caught.error.expected)
    assert not set("\x01\x02") & set(f"{found.expected}{found.found}{found.consequence}")


def test_options_in_sentences():
    """A word after an option is its value where it can be one, else the sentence goes on."""
    from sheaf._errors import in_python

    same(in_python("expected a format, found none (--from names one)"),
         "expected a format, found none (from_ names one)")
    same(in_python("read it back with --element-type double"), 'read it back with element_type="double"')
    same(in_python("more than --max-errors tolerates"), "more than max_errors tolerates")
    same(in_python("choose one (--value NAME)"), 'choose one (value="NAME")')
    same(in_python("read with --strict set"), "read with strict=True set")
