# SPDX-License-Identifier: MIT
"""Streams of a packed batch: a grid of rows and steps, each place of which has a sample or none."""
from __future__ import annotations

from ctypes import byref

from . import _layout as c
from ._library import lib
from .frame import view
from .schema import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from .schema import Field


class _Buffer:
    """A reference to a buffer of the library."""

    __slots__ = ("buffer",)

    def __init__(self, buffer: c.sheaf_buffer) -> None:
        self.buffer = lib.sheaf_buffer_ref(byref(buffer))

    def array(self, dtype: str) -> NDArray[Any]:
        size = int(dtype[1])
        return view(self, self.buffer.data and _address(self.buffer), self.buffer.size // size, dtype)

    def __del__(self, _reset: Any = lib.sheaf_buffer_reset, _byref: Any = byref) -> None:
        _reset(_byref(self.buffer))


def _address(buffer: c.sheaf_buffer) -> int:
    from ctypes import c_void_p, cast

    return cast(buffer.data, c_void_p).value or 0


class Packed:
    """One stream of a packed batch.

    Of a dense one ``values`` are (rows, steps, dim), zeros where there is no sample; ``mask`` (rows, steps) is 1 where there is one.
    A sparse one has the ``values`` and ``indices`` of all entries, sample by sample in ``order`` ("rows" or "steps" outermost), and
    ``starts``, where each sample's begin, and one more. ``placed`` has (sequence, row, begin, end) of each run of steps; steps
    below 0 and from the width on are in other batches.
    """

    def __init__(self, field: Field, grid: c.sheaf_packed) -> None:
        self.field, self.rows, self.width = field, int(grid.rows), int(grid.width)
        self.order = "rows" if grid.row_stride >= grid.step_stride else "steps"
        self._values, self._indices, self._starts, self._mask = map(_Buffer, (grid.values, grid.indices, grid.starts, grid.mask))
        self.placed = [(p.sequence, p.row, p.begin, p.end) for p in grid.placed[: grid.nplaced]]

    def _grid(self, flat: NDArray[Any]) -> NDArray[Any]:
        """By rows and steps, whatever is outermost in memory."""
        if self.order == "rows":
            return flat.reshape(self.rows, self.width, *flat.shape[1:])
        return flat.reshape(self.width, self.rows, *flat.shape[1:]).swapaxes(0, 1)

    @property
    def values(self) -> NDArray[Any]:
        flat = self._values.array(DTYPES[self.field.type_number])
        return self._grid(flat.reshape(-1, self.field.dim or 1)) if self.field.storage == "dense" else flat

    @property
    def mask(self) -> NDArray[np.uint8]:
        return self._grid(self._mask.array("u1"))

    @property
    def indices(self) -> NDArray[np.int32] | None:
        return self._indices.array("i4") if self.field.storage == "sparse" else None

    @property
    def starts(self) -> NDArray[np.int32] | None:
        return self._starts.array("i4") if self.field.storage == "sparse" else None

    def to_torch(self, layout: str | None = None, pin_memory: bool = False) -> Any:
        """A dict of tensors that share memory: values, mask, and of a sparse stream indices and starts."""
        from ._torch import tensors_of_packed

        return tensors_of_packed(self, pin_memory)

    def __repr__(self) -> str:
        return f"Packed({self.field!r}, {self.rows} rows of {self.width} steps)"
