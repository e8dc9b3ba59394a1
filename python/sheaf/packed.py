# SPDX-License-Identifier: MIT
"""Streams of a packed batch: a grid of rows and steps, with a sample or none at each position."""
from __future__ import annotations

from ctypes import POINTER, cast

from . import _layout as c
from ._errors import wrong
from ._peers import made
from .frame import view
from .fields import DTYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from .frame import Held
    from .fields import Field


class Packed:
    """One stream of a packed batch.

    For a dense one ``values`` are (rows, steps, dim), zeros where there is no sample; ``mask`` (rows, steps)
    is true where there is one. A sparse one has the ``values`` and ``indices`` of all entries, sample by
    sample in ``order`` ("rows" or "steps" outermost), and ``starts``, where each sample's begin, and one
    more.
    ``placed`` has (sequence, row, begin, end) of each run of steps; steps below 0 and from the width on are
    in other batches.
    """

    def __init__(self, field: Field, grid: c.sheaf_packed, held: Held,
                 parts: dict[tuple[int, int], tuple[int, int, int, int]]) -> None:
        self.field, self.rows, self.width = field, int(grid.rows), int(grid.width)
        self.order = "rows" if grid.row_stride >= grid.step_stride else "steps"
        self._held, self._parts = held, parts
        places = grid.placed[: grid.nplaced]
        self.placed = [(p.sequence, p.row, p.begin, p.end) for p in places]
        self.c = c.sheaf_packed.from_buffer_copy(grid)  # its buffers are held
        self._places = (c.sheaf_placed * len(places))(*places)
        self.c.placed = cast(self._places, POINTER(c.sheaf_placed))

    def _array(self, part: int) -> NDArray[Any]:
        address, count, _, kind = self._parts.get((part, 0), (0, 0, 0, c.SHEAF_I32))
        return view(self._held, address, count, DTYPES[kind])

    def _grid(self, flat: NDArray[Any]) -> NDArray[Any]:
        """By rows and steps, whichever is outermost in memory."""
        import numpy as np

        if self.order == "rows":
            return flat.reshape((self.rows, self.width, *flat.shape[1:]))
        return np.swapaxes(flat.reshape((self.width, self.rows, *flat.shape[1:])), 0, 1)

    @property
    def values(self) -> NDArray[Any]:
        flat = self._array(c.SHEAF_PART_VALUES)
        return self._grid(flat.reshape(-1, self.field.dim or 1)) if self.field.storage == "dense" else flat

    @property
    def mask(self) -> NDArray[np.bool_]:
        return self._grid(self._array(c.SHEAF_PART_MASK).view("?"))

    @property
    def indices(self) -> NDArray[np.int32] | None:
        return self._array(c.SHEAF_PART_INDICES) if self.field.storage == "sparse" else None

    @property
    def starts(self) -> NDArray[np.int32] | None:
        return self._array(c.SHEAF_PART_STARTS) if self.field.storage == "sparse" else None

    def to_torch(self, layout: str | None = None, pin_memory: bool = False) -> Any:
        """A dict of tensors that share memory: values, mask, and for a sparse stream indices and starts."""
        if layout not in (None, "parts"):
            raise wrong("layout", '"parts" for a packed stream', f"{layout!r}")
        return made("torch", self, pin_memory)

    def __repr__(self) -> str:
        return f"Packed({self.field!r}, {self.rows} rows of {self.width} steps)"
