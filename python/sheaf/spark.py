# SPDX-License-Identifier: MIT
"""Spark over `sheaf.partitions`, with the same arguments: ``import sheaf.spark``. It does not keep the order
of rows, and has no unsigned types: they become wider ones, except uint64, which becomes int64."""
# pyright: reportMissingImports=false
from __future__ import annotations

import base64
import pickle
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from ._arrow import Arrow, signed, table_of
from .parts import partitions


def dataframe(spark: Any, sources: Any, n: int | None = None, **options: Any) -> Any:
    """A DataFrame of a SparkSession."""
    spark.dataSource.register(_Rows)
    parts = base64.b64encode(pickle.dumps(partitions(sources, n, **options))).decode()
    return spark.read.format(_Rows.__name__).option("parts", parts).load()


class _Rows(DataSource, DataSourceReader):  # type: ignore[misc]
    def schema(self) -> Any:
        columns = pa.schema(Arrow(self.partitions()[0].value, 32))
        return from_arrow_schema(pa.schema([pa.field(f.name, signed(f.type)) for f in columns]))

    def reader(self, schema: Any) -> _Rows:
        return self

    def partitions(self) -> list[Any]:
        return [InputPartition(part) for part in pickle.loads(base64.b64decode(self.options["parts"]))]

    def read(self, partition: Any) -> Any:
        columns = to_arrow_schema(self.schema(), timezone="UTC")
        yield from table_of(partition.value, offsets=32).cast(columns).to_batches()
