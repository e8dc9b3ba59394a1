# SPDX-License-Identifier: MIT
"""Entries in any order, compressed by the library on all threads."""
from __future__ import annotations

from ctypes import POINTER, byref, c_bool, c_int32, c_int64, c_void_p, cast

from . import _layout as c
from ._context import Context
from ._errors import error_from
from ._library import lib
from .frame import Held, writable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray


def _at(array: NDArray[Any], kind: Any) -> Any:
    return cast(array.ctypes.data, POINTER(kind))


def row_pointers(outer: NDArray[Any], slices: int) -> NDArray[np.int64] | None:
    """Where each slice begins, for entries that come by slices; None if they do not."""
    import numpy as np

    if outer.dtype != np.int32 or not outer.flags.c_contiguous:
        return None
    pointers, by_rows, err = np.empty(slices + 1, np.int64), c_bool(), c.sheaf_error()
    if lib.sheaf_row_pointers(_at(outer, c_int32), len(outer), slices, _at(pointers, c_int64), byref(by_rows),
                              byref(err)):
        raise error_from(err)
    return pointers if by_rows else None


def _empty(context: Context, n: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array in memory of the library, which keeps it for the next one: NumPy's own would be fresh, and
    its pages take longer to come than the entries to be sorted."""
    data, held, err = c_void_p(), c_void_p(), c.sheaf_error()
    if lib.sheaf_hold_memory(n * dtype.itemsize, context.handle, byref(data), byref(held), byref(err)):
        raise error_from(err)
    return writable(Held(held), data.value or 0, n, dtype)


def sort_entries(outer: NDArray[Any], inner: NDArray[Any], values: NDArray[Any], slices: int) -> Any:
    """(values, indices, pointers) of COO entries by slices; None if the library does not support their
    types."""
    import numpy as np

    if outer.dtype != np.int32 or inner.dtype != np.int32 or values.dtype.itemsize not in (1, 2, 4, 8, 16):
        return None
    outer, inner, values = (np.ascontiguousarray(array) for array in (outer, inner, values))
    context = Context({"max_memory": 1 << 62})
    given = c.sheaf_entry_arrays(n=len(values), rows=_at(outer, c_int32), columns=_at(inner, c_int32),
                                 values=values.ctypes.data, value_size=values.dtype.itemsize)
    pointers = np.empty(slices + 1, np.int64)
    indices = _empty(context, len(values), np.dtype(np.int32))
    made = _empty(context, len(values), values.dtype)
    to = c.sheaf_compressed_arrays(pointers=_at(pointers, c_int64), indices=_at(indices, c_int32),
                                   values=made.ctypes.data, value_size=values.dtype.itemsize)
    context.run(lib.sheaf_compress_entries, byref(given), slices, context.handle, byref(to))
    return made, indices, pointers
