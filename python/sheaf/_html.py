# SPDX-License-Identifier: MIT
"""How a notebook shows datasets and frames."""
from __future__ import annotations

from html import escape

from ._errors import shown
from ._peers import makes
from .dataset import Dataset
from .describing import Tree
from .frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .fields import Schema

_SHOWN = 5  # rows
_STYLE = "border-collapse:collapse;font-variant-numeric:tabular-nums"


def _line(cells: list[Any], tag: str = "td") -> str:
    return "<tr>" + "".join(
        f"<{tag} style='text-align:left;padding:2px 10px'>{escape(shown(str(cell)))}</{tag}>"
        for cell in cells) + "</tr>"


def _fields(schema: Schema) -> str:
    lines = [[f.name, f.storage, "" if f.dim is None else f.dim, f.type, "yes" if f.nullable else ""]
             for f in schema.fields]
    return f"<table style='{_STYLE}'>" + _line(["name", "storage", "dim", "type", "missing"],
                                               "th") + "".join(map(_line, lines)) + "</table>"


def _rows(text: str) -> str:
    lines = "\n".join(map(shown, text.split("\n")))
    return f"<pre style='overflow-x:auto'>{escape(lines)}</pre>" if text else ""


@makes("html", Dataset)
def dataset_card(dataset: Dataset) -> str:
    """Its name, the known facts, its fields, the first rows."""
    known = [f"{n:,} {word}" for word, n in ((dataset.schema.rows, dataset.facts["rows"]),
                                             ("samples", dataset.facts["samples"])) if n is not None]
    tensor = "" if dataset.schema.tensor is None else f" of shape {dataset.schema.tensor.shape}"
    words = ", ".join([dataset.format + tensor, *known])
    head = f"<b>{escape(shown(dataset.name))}</b> <span>{escape(words)}</span>"
    try:
        rows = dataset.head(_SHOWN)
    except Exception as error:  # noqa: BLE001: a card says what it can
        rows = f"{type(error).__name__}: {error}"
    return f"<div>{head}{_fields(dataset.schema)}{_rows(rows)}</div>"


@makes("html", Frame)
def frame_card(frame: Frame) -> str:
    """Its fields and its first rows."""
    lines = [line for line in frame.texts("text_short").split("\n") if line][:_SHOWN]
    head = f"<b>Frame</b> <span>{len(frame):,} {frame.schema.rows}</span>"
    return f"<div>{head}{_fields(frame.schema)}{_rows(chr(10).join(lines))}</div>"


@makes("html", Tree)
def tree_card(tree: Tree) -> str:
    """Its lines."""
    return _rows(str(tree))
