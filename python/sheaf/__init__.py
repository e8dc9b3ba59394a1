# SPDX-License-Identifier: MIT
"""Sheaf: reads, checks, converts and streams dataset files (CNTK CTF and CBF, Lens, Binsparse, SciDB, Matrix
Market, svmlight, NPY, NPZ, CSV, FROSTT).

    d = sheaf.open("train.ctf")                      rows, in frames; a table for whatever speaks Arrow
    X = sheaf.read("matrix.mtx").to_scipy("csr")     all of it, as views where that can be
    sheaf.convert("train.ctf", "train.cbf")          what the command does, by the same names and options
    for batch in sheaf.batches("train.cbf", size=256, seed=7): ...

Options are those of the command, with ``_`` for ``-``; ``from_`` is ``--from``. Errors are exceptions with
``place``, ``expected``, ``found`` and ``option``; findings that were tolerated are `DataWarning`.
"""
from __future__ import annotations

from ._layout import VERSION as __version__
from ._library import lib as _lib  # loaded here, and by nobody else: two threads would race

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._errors import (
        DataError, DataWarning, LimitError, LossError, MissingError, Place, Problem, SheafError, StaleError,
        StoppedError, UnknownError, UnsupportedError, UsageError,
    )
    from ._polars import scan_polars
    from .checking import Difference, Differences, Report, diff, hash, validate
    from .converting import convert, merge, split
    from .dataset import Dataset, open, read
    from .describing import Tree, formats, guess, info, schema, show, tree
    from .fields import Field, Schema, Tensor
    from .frame import Column, Frame
    from .indexing import index
    from .loader import Batch, Batches, batches
    from .packed import Packed
    from .parts import Partition, Share, partitions, plan
    from .reporting import report, stats
    from .writing import Writer, write

__all__ = [
    "Batch", "Batches", "Column", "DataError", "DataWarning", "Dataset", "Difference", "Differences",
    "Field", "Frame", "LimitError", "LossError", "MissingError", "Packed", "Partition", "Place", "Problem",
    "Report", "Schema", "Share", "SheafError", "StaleError", "StoppedError", "Tensor", "Tree",
    "UnknownError", "UnsupportedError", "UsageError", "Writer", "__version__", "batches", "convert", "diff",
    "formats", "guess", "hash", "index", "info", "merge", "open", "partitions", "plan", "read", "report",
    "scan_polars", "schema", "show", "split", "stats", "tree", "validate", "write",
]

# Where each name is: a module is imported when one of its names is asked for first, so that the package
# imports fast.
_MODULES = {
    "_errors": ("DataError", "DataWarning", "LimitError", "LossError", "MissingError", "Place", "Problem",
                "SheafError", "StaleError", "StoppedError", "UnknownError", "UnsupportedError", "UsageError"),
    "_polars": ("scan_polars",),
    "checking": ("Difference", "Differences", "Report", "diff", "hash", "validate"),
    "converting": ("convert", "merge", "split"),
    "dataset": ("Dataset", "open", "read"),
    "describing": ("Tree", "formats", "guess", "info", "schema", "show", "tree"),
    "fields": ("Field", "Schema", "Tensor"),
    "frame": ("Column", "Frame"),
    "indexing": ("index",),
    "loader": ("Batch", "Batches", "batches"),
    "packed": ("Packed",),
    "parts": ("Partition", "Share", "partitions", "plan"),
    "reporting": ("report", "stats"),
    "writing": ("Writer", "write"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> object:
    module = _HOMES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
