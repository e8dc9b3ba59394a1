# SPDX-License-Identifier: MIT
"""What the tests share: small files, and how a failure looks."""
import importlib
import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

TESTS = Path(os.environ.get("SHEAF_TESTS", Path(__file__).resolve().parents[2] / "tests"))
FILES = TESTS / "files"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
PAGES = [PAGE, PAGE.with_name("python-from.md"), PAGE.with_name("python-memory.md")]
COMMAND = os.environ.get("SHEAF", "sheaf")

WORDS = """0	|word 2:1	|tag 1 0 0
0	|word 17:1	|tag 0 1 0
0	|word 9:1	|tag 0 0 1
1	|word 5:1	|tag 0 0 1
"""
MATRIX = """%%MatrixMarket matrix coordinate real general
3 4 4
1 2 1.5
2 1 -2
3 4 3
1 4 0.25
"""


def rows_of_table(first):
    """The rows of the table of a page whose first column has this head, without the head: a list of cells
    each."""
    lines = "".join(page.read_text() for page in PAGES).splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"| {first} |"))
    rows = []
    for line in lines[begin + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


class Skip(Exception):
    """Why a test cannot run here."""


def need(name):
    """A module that may not be there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skip(f"no {name}") from None


def need_dlpack():
    """Earlier versions of NumPy take no arrays that are read-only."""
    if tuple(map(int, importlib.import_module("numpy").__version__.split(".")[:2])) < (2, 1):
        raise Skip("NumPy before 2.1")


def words(folder):
    """A small CTF file: two sequences of a sparse and a dense stream."""
    path = folder / "words.ctf"
    path.write_text(WORDS)
    return path


def matrix(folder):
    path = folder / "matrix.mtx"
    path.write_text(MATRIX)
    return path


def command(*arguments):
    """What the command prints."""
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


@contextmanager
def raises(kind, part=""):
    """The block must raise such an exception, whose message has this part."""
    class Caught:
        error = None

    caught = Caught()
    try:
        yield caught
    except kind as error:
        assert part in str(error), f"expected {part!r} in the message, found {error!r}"
        caught.error = error
    else:
        raise AssertionError(f"expected {kind.__name__}, found no exception")


def same(found, wanted):
    """Two values, or arrays, are the same."""
    import numpy as np

    if isinstance(wanted, np.ndarray) or isinstance(found, np.ndarray):
        np.testing.assert_array_equal(found, wanted)
    else:
        assert found == wanted, f"expected {wanted!r}, found {found!r}"
