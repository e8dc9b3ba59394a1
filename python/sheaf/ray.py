# SPDX-License-Identifier: MIT
"""Ray Data over `sheaf.partitions`, with the same arguments: ``import sheaf.ray``. The order of partitions is
kept if Ray keeps it (``DataContext.execution_options.preserve_order``)."""
# pyright: reportMissingImports=false
from __future__ import annotations

from typing import Any

import ray.data
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from ._arrow import table_of
from .parts import Partition, partitions


def dataset(sources: Any, n: int | None = None, **options: Any) -> Any:
    """A ray.data.Dataset: a block, a pyarrow.Table, for each partition; without ``n`` for each piece."""
    return ray.data.read_datasource(_Rows(partitions(sources, n, **options)))


def _task(part: Partition) -> Any:
    about = BlockMetadata(part.rows, part.bytes, None, input_files=tuple(part.paths))
    return ReadTask(lambda: [table_of(part)], about)


class _Rows(Datasource):  # type: ignore[misc]
    def __init__(self, parts: list[Partition]) -> None:
        super().__init__()
        self._parts = parts

    def estimate_inmemory_data_size(self) -> int:
        return sum(part.bytes for part in self._parts)

    def get_read_tasks(self, parallelism: int, *_: Any, **_others: Any) -> list[Any]:
        """One for each partition, however many are requested: all rows must come."""
        return list(map(_task, self._parts))
