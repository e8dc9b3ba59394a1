# SPDX-License-Identifier: MIT
"""The package's types, as mypy and pyright see them."""
import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import sheaf
from common import need, same

PACKAGE = Path(sheaf.__file__).resolve().parent
CONFIGURATION = Path(__file__).resolve().parents[2] / "pyproject.toml"


CALLS = """
from __future__ import annotations
from pathlib import Path
from typing import Any
import sheaf
rows: int | dict[str, Any] = sheaf.merge(["a", "b"], "c")
made: str | dict[str, Any] | sheaf.Report = sheaf.merge(["a", "b"])
numbers: dict[str, Any] = sheaf.stats("a", part=(1, 4))
hashed: str = sheaf.hash("a", max_memory="4GiB", compare=["keys", "types"])
report: sheaf.Report = sheaf.validate("a", strict=True, from_="csv")
frame: sheaf.Frame = sheaf.read("a", rows=(2, 5), columns=["a", "b"], allow=["large", "missing"])
data: sheaf.Dataset = sheaf.open(Path("a"), sample="10%", rows=slice(2, None), stream="A:4:dense")
sheaf.convert("a", "b", to="cbf", force=True, out_delimiter=";", zarr=3)
loader: sheaf.Batches = sheaf.batches("a", size=(8, "sequences"), seed=7, rank="env", mix=[3, 1])
sheaf.batches(["a", "b"], size=256, shard=(0, 8), pack="rows", epochs=(2, 5), config="c", variables={"d": 1})
"""
WRONG = """\
sheaf.open("a", colums="id")
sheaf.read("a", header="maybe")
sheaf.read("a", rows="2")
sheaf.batches("a", size="abc")
sheaf.batches("a", size=(8, "sequence"))
sheaf.batches("a", batch_size=8)
sheaf.batches("a", pack="row")
sheaf.stats("a", part=4)
sheaf.validate("a", json=True)
sheaf.diff("a", "b", compare=["key"])
sheaf.convert("a", "b", force="yes")
sheaf.hash("a").rows
sheaf.merge(["a"], "b") + "c"
sheaf.dask.dataframe("a", colums="id")
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


def checked(folder, checker, code):
    """What a checker prints of a program."""
    (folder / "program.py").write_text(code)
    options = {"mypy": ["--strict"], "pyright": ["--pythonpath", sys.executable]}[checker]
    done = subprocess.run([sys.executable, "-m", checker, *options, folder / "program.py"],
                          cwd=PACKAGE.parent, capture_output=True, text=True)
    return done.stdout


def check(folder, checker):
    """Right calls pass, and a checker finds something in each line of wrong ones."""
    need(checker)
    said = checked(folder, checker, CALLS)
    assert "error:" not in said, said
    said = checked(folder, checker, "import sheaf, sheaf.dask\n" + WRONG)
    found = {int(line) for line in re.findall(r"program\.py:(\d+)(?::\d+)?(?: -)?:? error", said)}
    same(found, set(range(2, 2 + WRONG.count("\n"))))


def test_calls_by_mypy(tmp):
    check(tmp, "mypy")


def test_calls_by_pyright(tmp):
    check(tmp, "pyright")


def test_stubs_have_what_functions_take():
    """Each option of a stub is known to its function, and a wrong one is not."""
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef) and len(node.args.kwonlyargs) > 5:
            names = [argument.arg for argument in node.args.kwonlyargs]
            taken = set(inspect.signature(getattr(sheaf, node.name)).parameters) | {"config", "variables"}
            for name in set(names) - taken:
                try:
                    getattr(sheaf, node.name)(b"", **{name: None})
                except TypeError as error:
                    assert "option" not in str(error), (node.name, name, error)
                except Exception:  # noqa: BLE001, S110: of the empty input
                    pass
            assert "json" not in names and "quiet" not in names, node.name
