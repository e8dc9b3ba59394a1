# SPDX-License-Identifier: MIT
"""The table of the command's options, which the command of the same build prints (``sheaf help --json``)."""
from __future__ import annotations

import os

from . import _layout as c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_table: dict[str, Any] | None = None


def table() -> dict[str, Any]:
    """The commands and formats of this build with their options."""
    global _table
    if _table is None:
        import json

        path = os.path.join(os.path.dirname(os.path.abspath(c.__file__)), "_options.json")
        with open(path, encoding="utf-8") as file:
            read: dict[str, Any] = json.load(file)
        _table = read
    return _table


def is_flag(name: str) -> bool:
    """Whether an option, of any command or format, has no value."""
    entries = [*table()["commands"], *table()["formats"]]
    return any(row["name"] == name and row["kind"] == "flag" for entry in entries for row in entry["options"])


def is_value(name: str, word: str) -> bool:
    """Whether a word after an option in a message may be its value, rather than the next word of the
    sentence."""
    entries = [*table()["commands"], *table()["formats"]]
    choices = {choice for entry in entries for row in entry["options"] if row["name"] == name
               for choice in (row.get("argument") or "").replace(",", "|").split("|")}
    return word in choices or not (word.isalpha() and word.islower())
