# SPDX-License-Identifier: MIT
"""Sheaf: reads, checks, converts and streams dataset files (CNTK CTF and CBF, Lens, Binsparse, SciDB, Matrix Market, svmlight,
NPY, NPZ, CSV, FROSTT).

    d = sheaf.open("train.ctf")                      rows, in frames; a table for whatever speaks Arrow
    X = sheaf.read("matrix.mtx").to_scipy("csr")     all of it, as views where that can be
    sheaf.convert("train.ctf", "train.cbf")          what the command does, by the same names and options
    for batch in sheaf.batches("train.cbf", size=256, seed=7): ...

Options are those of the command, with ``_`` for ``-``; ``from_`` is ``--from``. What goes wrong is an exception with ``place``,
``expected``, ``found`` and ``option``; what was tolerated is a `DataWarning`.
"""
from __future__ import annotations

from ._errors import (
    DataError, DataWarning, LimitError, LossError, Place, Problem, SheafError, StaleError, StoppedError, UnknownError,
    UnsupportedError, UsageError,
)
from ._layout import VERSION as __version__
from ._polars import scan_polars
from .batches import Batch, Batches, batches
from .commands import (
    Difference, Differences, Report, convert, diff, formats, hash, index, info, merge, schema, split, stats, validate,
)
from .dataset import Dataset, open, read
from .frame import Column, Frame
from .packed import Packed
from .partitions import Partition, partitions
from .schema import Field, Schema, Tensor
from .writing import write

__all__ = [
    "Batch", "Batches", "Column", "DataError", "DataWarning", "Dataset", "Difference", "Differences", "Field", "Frame", "LimitError", "LossError",
    "Packed", "Partition", "Place", "Problem", "Report", "Schema", "SheafError", "StaleError", "StoppedError", "Tensor", "UnknownError",
    "UnsupportedError", "UsageError", "__version__", "batches", "convert", "diff", "formats", "hash", "index", "info", "merge", "open", "partitions",
    "read", "scan_polars", "schema", "split", "stats", "validate", "write",
]
