# SPDX-License-Identifier: MIT
"""What a dataset and a frame become: the same methods for both."""
from __future__ import annotations

from ._errors import UsageError
from ._peers import made
from ._widths import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from .fields import Schema, Tensor
    from .frame import Frame


class Exports:
    """Rows that other programs take: by Arrow's protocol (``pyarrow.table(x)``, ``polars.DataFrame(x)``), or by
    a method for each program. A method needs its program, and a dataset reads all of its rows for it."""

    schema: Schema

    def _all(self) -> Frame:
        """All rows."""
        raise NotImplementedError

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, made of Arrow's columns: a copy, with NaN, NaT or None where items are missing."""
        return made("pandas", self)

    def to_polars(self) -> Any:
        """A polars.DataFrame, which shares memory; `sheaf.scan_polars` reads only what a query needs."""
        return made("polars", self)

    def to_arrow(self, offsets: int = 64) -> Any:
        """A pyarrow.Table, which shares memory; ``offsets=32`` for programs that need lists and texts with
        offsets of 32 bits, which are copied."""
        return made("arrow", self, offsets)

    def to_duckdb(self) -> Any:
        """A DuckDBPyRelation of DuckDB's default connection; each query of a dataset reads it again."""
        return made("duckdb", self)

    def to_numpy(self, missing: Any = None, columns: Sequence[str] | None = None) -> NDArray[Any]:
        """A tensor as an array of its shape (a view if it is dense); for a table, a structured array of its
        columns, or of those named, with a row each. Missing items are masked, or have the value ``missing``.
        A `UsageError` for sequences, whose columns are arrays each.

        >>> sheaf.write(tmp / "n.csv", {"b": np.ma.masked_array([0.5, 0], [False, True])})
        >>> sheaf.read(tmp / "n.csv").to_numpy(missing=0)["b"]
        array([0.5, 0. ])
        """
        array: NDArray[Any] = made("numpy", self._all(), missing, columns)
        return array

    def to_scipy(self, layout: str = "csr") -> Any:
        """A tensor's entries, or the samples of the only stream, as a matrix: "csr", "csc" or "coo", for any
        number of dimensions. Values and indices are views where they are in that order."""
        return made("scipy", self._all(), layout)

    def to_torch(self, layout: str | None = None, pin_memory: bool = False, missing: Any = None,
                 columns: Sequence[str] | None = None) -> Any:
        """A tensor for torch: of a dense one the array, of others CSR, or COO where there are not two
        dimensions ("dense", "csr", "csc", "coo"). Otherwise a dict of what `Column.to_torch` returns, for
        each stream and column, or for those named. Missing items are a `MissingError`, or have the value
        ``missing``; a column that torch cannot take is a `UsageError`. Memory is shared."""
        return made("torch", self._all(), layout, pin_memory, missing, columns)

    def to_jax(self, missing: Any = None, columns: Sequence[str] | None = None) -> Any:
        """For JAX: a dense tensor as an array, otherwise a dict of what `Column.to_jax` returns, for each
        stream and column, or for those named. A copy, with the errors of ``to_torch``."""
        return made("jax", self._all(), missing, columns)

    def xy(self, label: str, columns: Sequence[str] | None = None, missing: Any = None) -> tuple[Any, Any]:
        """``X, y`` as scikit-learn takes them. ``y`` is the column or stream ``label``: (rows,), or (samples,
        dim) if a sample has several values. ``X`` is (rows, columns) of the other columns, or of those named;
        of streams (samples, dims), as a CSR matrix if one of them is sparse. A `UsageError` for a column of
        texts in X, or streams of which one has more samples; missing items as in ``to_torch``.

        >>> sheaf.write(tmp / "xy.csv", {"age": [41, 30], "height": [1.5, 2.0], "label": ["a", "b"]})
        >>> X, y = sheaf.read(tmp / "xy.csv").xy(label="label")
        >>> X.shape, y.tolist()
        ((2, 2), ['a', 'b'])
        """
        found: tuple[Any, Any] = made("xy", self._all(), label, columns, missing)
        return found

    # ---- one tensor ----

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if self.schema.tensor is None:  # of its names NumPy, and pandas by it, would make an array
            raise UsageError.about(repr(self), "one of its columns, or a method that says what it becomes "
                                   "(to_numpy(), to_pandas(), to_scipy(), to_torch())",
                                   "a request for an array of all of it")
        array = self.array
        found: NDArray[Any] = array if dtype is None else cast(array, dtype, "array")
        return found.copy() if copy and found is array else found

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.__array__().__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # DLPack's number of the CPU

    def _tensor(self) -> Tensor:
        if self.schema.tensor is None:
            raise AttributeError(f"{self!r}: only one tensor has a shape, a dtype and an array; frame[\"name\"]"
                                 " is a column")
        return self.schema.tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """That of a tensor; an AttributeError for tables and sequences."""
        return self._tensor().shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a tensor's values; an AttributeError for tables and sequences."""
        self._tensor()
        dtype: np.dtype[Any] = self.schema.dtype
        return dtype

    @property
    def array(self) -> NDArray[Any]:
        """A tensor that has a value at each position, as a read-only array of its shape, which is a view if it
        was read as a whole. A `UsageError` for a sparse one, a `MissingError` if values are missing.

        >>> np.save(tmp / "y.npy", np.ones((2, 3)))
        >>> sheaf.read(tmp / "y.npy").array.shape, sheaf.open(tmp / "y.npy").dtype
        ((2, 3), dtype('float64'))
        """
        if not self._tensor().dense:
            raise UsageError.about("array", "a tensor with a value at each position", "one with entries: "
                                   "to_scipy() makes a matrix of it, to_numpy() an array, with zeros")
        array: NDArray[Any] = made("array", self._all())
        return array
