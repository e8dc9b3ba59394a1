# SPDX-License-Identifier: MIT
"""Tensors with a value at each position, in memory in the form of the file: one array."""
from __future__ import annotations

from ctypes import byref, pointer
from math import prod

from . import _layout as c
from ._library import lib
from .frame import Column, Frame, Held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .fields import Schema


class Dense(Frame):
    """The entries of such a tensor. Their values are the array; coordinates, which would take as much memory
    again, are made when they are needed."""

    def __init__(self, schema: Schema, whole: Frame) -> None:
        """From a schema of entries, and the tensor as one row."""
        tensor = schema.tensor
        assert tensor is not None
        self._whole, self._context, self.schema = whole, whole._context, schema
        self._columns, self._parts = {}, None
        self._nrows, self._value = prod(tensor.shape), len(tensor.shape)
        self._entries: Held | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return dense, (self.schema, self._whole)

    @property
    def _held(self) -> Held:
        if self._entries is None:
            self._entries = self._unrolled()._held
        return self._entries

    def _unrolled(self) -> Frame:
        """Coordinates and values; the values share memory."""
        entries, frame, whole = c.sheaf_schema(), c.sheaf_frame(), self._whole
        self._context.run(lib.sheaf_frame_unroll, byref(whole.c), byref(whole.schema.c),
                          self._context.handle, byref(entries), byref(frame))
        try:
            return Frame(self.schema, self._context, pointer(frame))
        finally:
            lib.sheaf_frame_free(byref(frame))
            lib.sheaf_schema_free(byref(entries))

    def _column(self, number: int) -> Column:
        if number == self._value and number not in self._columns:
            parts = {part: found for part, found in self._whole._flat()[0].items()
                     if part[0] == c.SHEAF_PART_VALUES}
            self._columns[number] = Column(self._nrows, self.schema.fields[number], parts, self._whole._held)
        return super()._column(number)


def dense(schema: Schema, whole: Frame) -> Dense | None:
    """The entries of a tensor that was read as one row; None if some positions have no value."""
    found = whole._flat()[0].get((c.SHEAF_PART_VALUES, 0))
    made = Dense(schema, whole)
    width = 2 if schema.fields[made._value].storage == "complex" else 1
    return made if found is not None and found[1] == width * len(made) else None
