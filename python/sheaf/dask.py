# SPDX-License-Identifier: MIT
"""Dask over `sheaf.partitions`, with the same arguments: ``import sheaf.dask``. Rows keep the order of the
files."""
# pyright: reportMissingImports=false
from __future__ import annotations

from typing import Any

from ._arrow import table_of
from .parts import Partition, partitions


def dataframe(sources: Any, n: int | None = None, **options: Any) -> Any:
    """A dask.dataframe, whose columns have the types of Arrow."""
    import dask.dataframe as dd

    parts = partitions(sources, n, **options)
    divisions = [part.first for part in parts] + [parts[-1].first + max(1, parts[-1].rows) - 1]
    return dd.from_map(_read, parts, meta=_read(parts[0], empty=True), divisions=divisions)


def bag(sources: Any, n: int | None = None, **options: Any) -> Any:
    """A dask.bag of `Partition`: ``bag.map(lambda part: [frame["x"].to_scipy() for frame in part])``."""
    import dask.bag

    parts = partitions(sources, n, **options)
    return dask.bag.from_sequence(parts, npartitions=len(parts))


def _read(part: Partition, empty: bool = False) -> Any:
    import pandas as pd
    import pyarrow as pa

    table = pa.schema(part).empty_table() if empty else table_of(part)
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return frame.set_index(pd.RangeIndex(part.first, part.first + len(frame)))
