#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of the package: of each module test_*.py beside this one, the functions test_*, one TAP
point each.

    PYTHONPATH=build/python SHEAF=build/sheaf python3 python/tests/run.py [PART OF A NAME]

A function that takes `tmp` gets a folder of its own. What it raises is what it found; `Skip` says why it
cannot run here. They need NumPy alone, but for modules that a test asks for with `need`.
"""
import importlib
import inspect
import os
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
try:
    import numpy  # noqa: F401
    import sheaf
    from common import Skip
except ImportError:
    DEBIAN = "/usr/bin/python3"
    if sys.executable != DEBIAN and os.path.exists(DEBIAN):
        os.execv(DEBIAN, [DEBIAN, *sys.argv])
    print("1..0 # SKIP no NumPy")
    sys.exit(0)


def outcome(function):
    """Why a test failed, and why it was skipped: None and None where it passed."""
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            # what other packages say of themselves
            for others in (DeprecationWarning, FutureWarning, UserWarning):
                warnings.filterwarnings("ignore", category=others)
            warnings.filterwarnings("error", category=sheaf.DataWarning)
            function(**({"tmp": Path(folder)} if "tmp" in inspect.signature(function).parameters else {}))
    except Skip as why:
        return None, str(why)
    except BaseException:  # noqa: BLE001
        return traceback.format_exc(), None
    return None, None


def main():
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    points = 0
    failed = 0
    for path in sorted(Path(__file__).resolve().parent.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for name, function in list(vars(module).items()):
            if not name.startswith("test_") or not callable(function) or wanted not in f"{path.stem}.{name}":
                continue
            points += 1
            why, skipped = outcome(function)
            failed += why is not None
            left_out = f" # SKIP {skipped}" if skipped else ""
            print(f"{'not ok' if why else 'ok'} {points} - {path.stem}.{name}{left_out}", flush=True)
            for line in (why or "").splitlines()[-30:]:
                print(f"# {line}")
    print(f"1..{points}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
