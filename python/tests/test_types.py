# SPDX-License-Identifier: MIT
"""The package's types, as mypy and pyright see them."""
import subprocess
import sys
from pathlib import Path

import sheaf
from common import need

PACKAGE = Path(sheaf.__file__).resolve().parent
CONFIGURATION = Path(__file__).resolve().parents[2] / "pyproject.toml"


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
