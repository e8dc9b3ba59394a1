# SPDX-License-Identifier: MIT
"""The package's types, as mypy and pyright see them."""
import subprocess
import sys
from pathlib import Path

import sheaf
from common import need, raises

PACKAGE = Path(sheaf.__file__).resolve().parent
CONFIGURATION = Path(__file__).resolve().parents[2] / "pyproject.toml"


CALLS = """
from __future__ import annotations
from typing import Any
import sheaf
rows: int | dict[str, Any] = sheaf.merge(["a", "b"], "c")
made: str | dict[str, Any] | sheaf.Report = sheaf.merge(["a", "b"])
numbers: dict[str, Any] = sheaf.stats("a")
hashed: str = sheaf.hash("a")
report: sheaf.Report = sheaf.validate("a")
"""


def finds_nothing(*command):
    done = subprocess.run([sys.executable, "-m", *map(str, command)], cwd=PACKAGE.parent, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy():
    need("mypy")
    finds_nothing("mypy", "--config-file", CONFIGURATION, PACKAGE)


def test_pyright():
    need("pyright")
    finds_nothing("pyright", "--pythonpath", sys.executable, PACKAGE)


def test_what_calls_give(tmp):
    need("mypy")
    (tmp / "calls.py").write_text(CALLS)
    finds_nothing("mypy", "--strict", tmp / "calls.py")
    (tmp / "wrong.py").write_text("import sheaf\nsheaf.merge(['a'], 'b') + 'c'\n")
    with raises(AssertionError, "operator"):
        finds_nothing("mypy", "--strict", tmp / "wrong.py")
