# SPDX-License-Identifier: MIT
"""Polars' lazy frames over a dataset."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def scan_polars(source: Any, **options: Any) -> Any:
    """A LazyFrame of a dataset: rows are read as the query needs them, other columns are not returned, and
    reading ends when it has enough. Options as in `sheaf.open`. Polars calls this interface unstable.

    >>> sheaf.scan_polars("table.csv").select("n").collect().height  # doctest: +SKIP
    2
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    from .dataset import open as open_dataset

    dataset = open_dataset(source, **options)
    schema = pl.Schema(_table(pl, dataset.schema))

    def frames(with_columns: list[str] | None, predicate: Any, n_rows: int | None,
               _batch_size: int | None) -> Iterator[Any]:
        left = n_rows
        for frame in dataset:
            table = pl.DataFrame(frame)
            if with_columns is not None:
                table = table.select(with_columns)
            if left is not None:
                table, left = table.head(left), left - min(left, table.height)
            yield table if predicate is None else table.filter(predicate)
            if left == 0:
                return

    return register_io_source(frames, schema=schema)


def _table(pl: Any, schema: Any) -> dict[str, Any]:
    """Names and types, as Polars gets them from an empty table."""

    class Empty:
        def __arrow_c_schema__(self) -> object:
            return schema.__arrow_c_schema__()

    found = pl.Schema(Empty()) if hasattr(pl, "Schema") else schema
    return dict(found)
