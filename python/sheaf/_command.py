# SPDX-License-Identifier: MIT
"""The command of a wheel: the program is beside the library, and replaces this process."""
from __future__ import annotations

import os
import sys

from ._library import library_path


def program() -> str | None:
    """Its path; None if this package does not contain it."""
    folder = os.path.dirname(os.path.realpath(library_path()))
    for path in (os.path.join(folder, "sheaf", "sheaf"), os.path.join(folder, "sheaf")):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def main() -> int:
    path = program()
    if path is None:
        print("sheaf: error: expected the program beside the library of this package, found none",
              file=sys.stderr)
        return 2
    os.execv(path, ["sheaf", *sys.argv[1:]])
