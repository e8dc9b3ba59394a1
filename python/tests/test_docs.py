# SPDX-License-Identifier: MIT
"""The recipes of docs/python*.md, and the examples in docstrings, run."""
import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import sheaf
from common import PAGE, PAGES, WORDS, matrix, need

FENCE = re.compile(r"^```python(?: needs=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
XOR = 'I: 0 0 T: 0; I: 0 1 T: 1; I: 1 0 T: 1; I: 1 1 T: 0;\n'


def prepare(folder):
    """The files that recipes speak of."""
    chosen = np.random.default_rng(1)
    with (folder / "train.ctf").open("w") as file:
        for i in range(300):
            for _ in range(1 + i % 3):
                a, b = " ".join(f"{x:.3f}"
                                for x in chosen.random(4)), sorted(chosen.choice(10, 2, replace=False))
                file.write(f"{i} |A {a} |B {b[0]}:1 {b[1]}:0.5\n")
    matrix(folder)
    (folder / "xor.ex").write_text(XOR)
    cells = np.zeros(5, [("n", "<i8"), ("x", "<f8")])
    (folder / "cells.scidb").write_bytes(cells.tobytes())
    sheaf.convert(folder / "train.ctf", folder / "train.cbf", stream=["A:4:dense", "B:10:sparse"])


def recipes(tmp, wanted):
    """Those that need a module, or nothing: each in a process of its own."""
    need(wanted or "sys")
    blocks = [code for page in PAGES for module, code in FENCE.findall(page.read_text()) if module == wanted]
    assert blocks
    for i, code in enumerate(blocks):
        folder = tmp / str(i)
        folder.mkdir()
        prepare(folder)
        if "sheaf.convert(" in code:
            (folder / "train.cbf").unlink()
        done = subprocess.run([sys.executable, "-c", code], cwd=folder,
                              capture_output=True, text=True, env=os.environ, timeout=300)
        assert done.returncode == 0, f"{code}\n{done.stderr}"


def test_readme(tmp):
    page = PAGE.parents[1] / "README.md"
    (code,) = [code for _, code in FENCE.findall(page.read_text())]
    prepare(tmp)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp, capture_output=True, text=True,
                          env=os.environ, timeout=300)
    assert done.returncode == 0, done.stderr


def test_recipes(tmp):
    recipes(tmp, "")


def test_recipes_with_scipy(tmp):
    recipes(tmp, "scipy")


def test_recipes_with_torch(tmp):
    recipes(tmp, "torch")


def test_recipes_with_polars(tmp):
    recipes(tmp, "polars")


def test_recipes_with_pyarrow(tmp):
    recipes(tmp, "pyarrow")


def test_recipes_with_duckdb(tmp):
    recipes(tmp, "duckdb")


def test_recipes_with_fsspec(tmp):
    recipes(tmp, "fsspec")


def test_recipes_with_datasets(tmp):
    recipes(tmp, "datasets")


def test_docstrings(tmp):
    """Of all modules that need NumPy alone."""
    before, tried = os.getcwd(), 0
    (tmp / "words.ctf").write_text(WORDS)
    np.arange(10, dtype=np.int64).tofile(tmp / "cells.scidb")
    os.chdir(tmp)
    try:
        # By the sources: a build folder may have modules of an older build.
        for path in sorted((PAGE.parents[1] / "python" / "sheaf").glob("*.py")):
            if path.stem in ("_torch", "__init__", "_layout", "dask", "ray", "spark"):
                continue
            module = importlib.import_module(f"sheaf.{path.stem}")
            for test in doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__):
                test.globs.update(sheaf=sheaf, np=np, tmp=tmp, words=tmp / "words.ctf")
                told = []
                failed = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
                assert failed.failed == 0, "".join(told)
                tried += failed.attempted
    finally:
        os.chdir(before)
    assert tried > 15, tried
