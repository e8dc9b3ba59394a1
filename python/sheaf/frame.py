# SPDX-License-Identifier: MIT
"""Rows in memory: a frame and its columns, whose NumPy arrays are views of the library's buffers.

Arrays are read-only, since other frames may share their memory, which stays as long as anything made from it
exists.
"""
from __future__ import annotations

import struct
from ctypes import POINTER, byref, c_int, c_int64, c_void_p, pointer, string_at

from . import _layout as c
from ._context import Context, text_of
from ._errors import MissingError, UsageError, shown, wrong
from ._exports import Exports
from ._library import lib
from ._peers import made
from ._widths import cast
from .fields import DTYPES, Schema

from typing import overload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from .fields import Field

    # (part, level or dimension): (address, count, first, type)
    Parts = dict[tuple[int, int], tuple[int, int, int, int]]

_FLAT = struct.Struct("@Pqqiiii")
_PARTS = {"values": c.SHEAF_PART_VALUES, "offsets": c.SHEAF_PART_OFFSETS, "indices": c.SHEAF_PART_INDICES,
          "valid": c.SHEAF_PART_VALID, "codes": c.SHEAF_PART_CODES}


class Held:
    """Buffers of the library to which arrays point: they are released with the last array. Of what is ``lent``
    there will be more batches."""

    __slots__ = ("lent", "pointer")

    def __init__(self, pointer: c_void_p, lent: bool = False) -> None:
        self.pointer, self.lent = pointer, lent

    def flats(self) -> Iterator[tuple[int, int, int, int, int, int, int]]:
        """(address, count, first, column, part, at, type) of each."""
        n = c_int()
        found = lib.sheaf_held_buffers(self.pointer, byref(n))
        return _FLAT.iter_unpack(string_at(found, n.value * _FLAT.size)) if n.value else iter(())

    def __del__(self, _free: Any = lib.sheaf_held_free) -> None:
        _free(self.pointer)


class _Memory:
    """NumPy makes an array from this, which keeps the owner of the bytes."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: object, address: int, shape: tuple[int, ...], dtype: str,
                 read_only: bool = True) -> None:
        self.owner = owner
        self.__array_interface__ = {"data": (address, read_only), "shape": shape, "typestr": dtype,
                                    "version": 3}


def view(owner: object, address: int, count: int, dtype: str) -> NDArray[Any]:
    """A read-only array of ``count`` elements that begin at an address, which stay as long as their owner."""
    import numpy as np

    if count == 0:
        empty = np.empty(0, dtype)
        empty.flags.writeable = False
        return empty
    return np.asarray(_Memory(owner, address, (count,), f"={dtype}" if dtype[-1] != "1" else f"|{dtype}"))


def writable(owner: object, address: int, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The same for memory that has no other user."""
    import numpy as np

    return np.asarray(_Memory(owner, address, (count,), dtype.str, read_only=False))


def share(array: NDArray[Any]) -> NDArray[Any]:
    """The same memory without the read-only flag: for libraries that have no such flag."""
    import numpy as np

    if array.flags.writeable or array.size == 0:
        return array if array.flags.writeable else array.copy()
    memory = _Memory(array, 0, array.shape, array.dtype.str)
    memory.__array_interface__ = {**array.__array_interface__,
                                  "data": (array.__array_interface__["data"][0], False)}
    return np.asarray(memory)


def _filled(items: NDArray[Any], gone: NDArray[np.bool_], value: Any, name: str) -> NDArray[Any]:
    """A copy with a value where items are missing; integers become float64 where that is NaN."""
    import numpy as np

    nan = isinstance(value, (float, np.floating)) and value != value
    made = np.where(gone, 0, items) if items.dtype.kind in "iu" else items.copy()
    made = cast(made, np.float64, f"{name} with missing=nan") if nan and items.dtype.kind in "iu" else made
    try:
        made[gone] = value
    except (ValueError, TypeError, OverflowError):
        kept = False
    else:
        kept = nan or items.dtype.kind not in "iufb" or bool((made[gone] == value).all())
    if not kept:
        raise wrong("missing", f"a value that {items.dtype} can hold", f"{value!r} for {name}")
    return made


class Column:
    """One stream or column of a frame.

    ``values`` are, for a dense stream, (samples, dim); for a sparse one, the values of its entries; for a
    column with one item in each row, the items, if they have the same size; for texts and bytes, the bytes of
    all of them. ``offsets`` (int64, rows + 1) are where each row's samples, or bytes, begin. A sparse stream
    has ``indices`` of its entries, and ``entry_offsets`` (int64, samples + 1). All of them begin at 0.
    """

    def __init__(self, rows: int, field: Field, parts: Parts, held: Any) -> None:
        """It does not refer to its frame: objects that refer to each other keep their memory until the
        garbage collector runs."""
        self.field, self._rows, self._parts, self._held = field, rows, parts, held

    @property
    def name(self) -> str:
        return self.field.name

    def part(self, part: str, at: int = 0) -> NDArray[Any] | None:
        """A buffer as the library has it: "values", "offsets" or "valid" (bits) or "codes" of level ``at``,
        "indices" of a dimension. Offsets need not begin at 0. None if there is none."""
        found = self._parts.get((_PARTS[part], at))
        if found is None:
            return None
        address, count, first, kind = found
        if part == "valid":
            return view(self._held, address, (first + count + 7) // 8, "u1")
        return view(self._held, address, count, DTYPES[kind])

    def _runs(self, at: int) -> tuple[NDArray[np.int64], int, int]:
        """The offsets of a level from 0 on, and the part of the level below that they cover."""
        offsets = self.part("offsets", at)
        if offsets is None or len(offsets) == 0:
            import numpy as np

            return np.zeros(1, np.int64), 0, 0
        begin, end = int(offsets[0]), int(offsets[-1])
        return (offsets if begin == 0 else offsets - begin), begin, end

    def _positions(self) -> tuple[int, int]:
        """The samples of a stream, or the items of texts, that belong to this frame."""
        return self._ends(0)

    @property
    def _is_nested(self) -> bool:
        """Whether a row is a list of texts, or of samples of which some are missing."""
        return len(self.field._levels) > 1 and not self.field.is_stream

    def _need_flat(self) -> None:
        if self._is_nested:
            raise UsageError.about(self.name, "a stream without missing entries, or one item in each row",
                                   "lists of texts or with missing entries; to_numpy() gives lists, and the "
                                   "frame's to_arrow() Arrow's")

    @property
    def values(self) -> Any:
        """What the class says of them; masked where items are missing. `part` gives the buffer itself."""
        import numpy as np

        gone, raw = self._gone() if self.offsets is None else None, self._raw()
        return raw if gone is None else np.ma.masked_array(raw, gone)

    def _raw(self) -> NDArray[Any]:
        """Without a mask: of items that are missing, whatever the buffer has."""
        self._need_flat()
        values = self.part("values")
        assert values is not None
        storage = self.field.storage
        if storage == "dense":
            begin, end = self._positions()
            return values.reshape(-1, self.field.dim or 1)[begin:end]
        if storage == "sparse":
            begin, end = self._entries()[1:]
            return values[begin:end]
        if self._parts.get((_PARTS["offsets"], 0)) is not None:
            begin, end = self._positions()
            return values[begin:end]
        return self._items(values)

    def _items(self, values: NDArray[Any]) -> NDArray[Any]:
        storage = self.field.storage
        if storage == "bool":
            truth: NDArray[Any] = values != 0
            return truth
        if storage == "complex":
            return values.view(f"c{2 * values.dtype.itemsize}")
        if storage == "date":
            return values.view("M8[D]")
        if storage.startswith("datetimetz"):
            return values.reshape(-1, 2)
        if storage.startswith(("datetime", "duration", "time")):
            word, _, unit = storage.rstrip("]").partition("[")
            return values.view(f"{'M8' if word == 'datetime' else 'm8'}[{unit or 's'}]")
        if storage == "bytes":
            return values.reshape(self._rows, -1) if self._rows else values.reshape(0, 1)
        return values

    @property
    def offsets(self) -> NDArray[np.int64] | None:
        """Where each row begins, and one more; None if each row has one item of a fixed size."""
        return self._runs(0)[0] if (_PARTS["offsets"], 0) in self._parts else None

    def _entries(self) -> tuple[NDArray[Any], int, int]:
        begin, end = self._positions()
        offsets = self.part("offsets", 1)
        if offsets is None or len(offsets) == 0:
            return self._runs(1)
        if end - begin + 1 < len(offsets):
            offsets = offsets[begin:end + 1]
        first, last = int(offsets[0]), int(offsets[-1])
        return (offsets if first == 0 else offsets - first), first, last

    def _ends(self, at: int) -> tuple[int, int]:
        """The first and the last offset of a level."""
        address, count, _, _ = self._parts.get((_PARTS["offsets"], at), (0, 0, 0, 0))
        if count == 0:
            return 0, 0
        return c_int64.from_address(address).value, c_int64.from_address(address + 8 * (count - 1)).value

    def compressed(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
        """For a sparse stream: ``values``, ``indices`` and ``entry_offsets``."""
        values, indices, pointers = self.part("values"), self.part("indices"), self.part("offsets", 1)
        assert values is not None and indices is not None
        samples = self._ends(0)
        if pointers is not None and samples == (0, len(pointers) - 1) and self._ends(1) == (0, len(values)):
            return values, indices, pointers
        pointers, begin, end = self._entries()
        if end - begin == len(values):
            return values, indices, pointers
        return values[begin:end], indices[begin:end], pointers

    @property
    def entry_offsets(self) -> NDArray[np.int64] | None:
        """For a sparse stream: where each sample's entries begin, and one more."""
        return self._entries()[0] if self.field.storage == "sparse" else None

    @property
    def indices(self) -> NDArray[Any] | None:
        """For a sparse stream: the index of each entry."""
        if self.field.storage != "sparse":
            return None
        indices = self.part("indices")
        assert indices is not None
        begin, end = self._entries()[1:]
        return indices[begin:end]

    @property
    def valid(self) -> NDArray[np.bool_] | None:
        """A truth value for each row, or sample: whether it is present; None if all are. A copy: the library
        has bits."""
        for level in range(len(self.field._levels)):
            found = self._parts.get((_PARTS["valid"], level))
            if found is not None and found[1]:
                return self._bits(*found[:3])
        return None

    def _bits(self, address: int, count: int, first: int) -> NDArray[np.bool_]:
        import numpy as np

        packed = view(self._held, address, (first + count + 7) // 8, "u1")
        return np.unpackbits(packed, count=first + count, bitorder="little")[first:].view(np.bool_)

    @property
    def codes(self) -> NDArray[np.int8] | None:
        """Why each row has no item, 0 if it has one; None if no reasons are known."""
        return self.part("codes")

    def __len__(self) -> int:
        return self._rows

    def _gone(self) -> NDArray[np.bool_] | None:
        """Where items, or samples, are missing; None if none is."""
        valid = self.valid if self.field.nullable else None
        return None if valid is None or valid.all() else ~valid

    def need(self) -> None:
        """A `MissingError` if an item, or a sample, is missing."""
        self._need_flat()
        gone = self._gone()
        if gone is not None:
            raise MissingError.of(self.name, int(gone.sum()))

    def to_numpy(self, missing: Any = None) -> NDArray[Any]:
        """One item for each row: numbers as they are (a view), truth values as bool, texts and bytes as
        objects. For a stream, an array of the samples of each row, as objects. Missing items are masked, or
        have the value ``missing``; NaN makes integers float64. For lists of texts or with missing entries
        lists of what they hold, as objects, in which missing entries are None, or ``missing``."""
        import numpy as np

        if self._is_nested:
            return self._nests(missing)
        storage = self.field.storage
        valid = self.valid if storage not in ("dense", "sparse") else None
        if storage == "char":
            items: NDArray[Any] = self._raw().view("S1").astype("U1")
        elif storage in ("text", "bytes", "dense", "sparse"):
            items = np.empty(len(self), object)
            for i, item in enumerate(self._objects()):
                items[i] = item
        else:
            items = self._raw()
        if missing is not None:
            gone = self._gone()
            return items if gone is None else _filled(items, gone, missing, self.name)
        return items if valid is None else np.ma.masked_array(items, ~valid)

    def _nests(self, missing: Any) -> NDArray[Any]:
        import numpy as np

        levels, values = self.field._levels, self.part("values")
        assert values is not None
        data = values.tobytes() if self.field.storage in ("text", "bytes") else values.tolist()
        ends = [None if offsets is None else offsets.tolist()
                for offsets in (self.part("offsets", at) for at in range(len(levels)))]
        there = [self._bits(*self._parts[_PARTS["valid"], at][:3]) if (_PARTS["valid"], at) in self._parts
                 else None for at in range(len(levels))]

        def item(at: int, place: int) -> Any:
            if at == len(levels):
                return data[place]
            bits, run = there[at], ends[at]
            if bits is not None and len(bits) and not bits[place]:
                return missing
            kind, _, extent, _, may_miss = levels[at]
            begin, end = (run[place], run[place + 1]) if run else (place * extent, (place + 1) * extent)
            if at + 1 == len(levels) and isinstance(data, bytes):
                whole = data[begin:end]
                return whole.decode("utf-8", "replace") if self.field.storage == "text" else whole
            if at + 1 == len(levels) and kind == c.SHEAF_FIXED and extent == 1 and may_miss:
                return data[begin]
            return [item(at + 1, below) for below in range(begin, end)]

        items = np.empty(len(self), object)
        for row in range(len(self)):
            items[row] = item(0, row)
        return items

    def _objects(self) -> Iterator[Any]:
        storage, offsets = self.field.storage, self.offsets
        if storage == "sparse":
            matrix = self.to_scipy("csr")
            assert offsets is not None
            yield from (matrix[offsets[i]:offsets[i + 1]] for i in range(len(self)))
        elif offsets is None:
            yield from (bytes(row) for row in self._raw())
        elif storage == "dense":
            values = self.values
            yield from (values[offsets[i]:offsets[i + 1]] for i in range(len(self)))
        else:
            data, ends = self.values.tobytes(), offsets.tolist()
            pieces = (data[ends[i]:ends[i + 1]] for i in range(len(self)))
            yield from ((piece.decode("utf-8", "replace") if storage == "text" else piece)
                        for piece in pieces)

    def __iter__(self) -> Iterator[Any]:
        """One object for each row; None if it is missing."""
        return iter(self.to_list())

    def __getitem__(self, key: Any) -> Any:
        """Items by their rows, as `to_numpy` gives them; None for one that is missing."""
        import numpy as np

        found = self.to_numpy()[key]
        return None if found is np.ma.masked else found

    def to_list(self) -> list[Any]:
        """One object for each row; None if it is missing."""
        import numpy as np

        items = self.to_numpy()
        if not isinstance(items, np.ma.MaskedArray):
            listed: list[Any] = items.tolist()
            return listed
        masked = np.ma.getmaskarray(items).tolist()
        return [None if gone else item for item, gone in zip(items.data.tolist(), masked)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        import numpy as np

        self.need()
        items = np.ma.getdata(self.to_numpy())
        if copy is False and dtype is not None and np.dtype(dtype) != items.dtype:
            raise ValueError(f"expected a type that needs no copy, {items.dtype}; found {dtype}")
        made = items if dtype is None else cast(items, dtype, self.name)
        return made.copy() if copy and made is items else made

    # ---- for others ----

    def numbers(self, missing: Any = None) -> NDArray[Any]:
        """The values, for targets that take nothing but an array of numbers."""
        storage = self.field.storage
        plain = storage in ("dense", "values", "bool", "complex", "coordinate")
        if not plain and (storage != "bytes" or self.offsets is not None):
            raise UsageError.about(self.name, "numbers, one of which is an item", storage)
        if missing is None or self.field.is_stream:
            self.need()
            return self.own(self.values)
        return self.own(self.to_numpy(missing))

    def own(self, array: NDArray[Any]) -> NDArray[Any]:
        """An array of this column for those who can change any: a copy of what is lent."""
        return array.copy() if self._held.lent else array

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.numbers().__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # DLPack's number of the CPU

    def to_scipy(self, layout: str = "csr") -> Any:
        """A sparse stream as a matrix of its samples (samples, dim): "csr" shares memory; "csc" and "coo" are
        made from it."""
        return made("scipy", self, layout)

    def to_torch(self, layout: str | None = None, pin_memory: bool = False, missing: Any = None) -> Any:
        """A tensor that shares memory: for a dense stream nested (samples of each row), for a sparse one CSR
        (samples, dim); for a column its items. ``layout="parts"``: a dict of plain tensors. ``pin_memory``
        copies into page-locked memory. Missing items are a `MissingError`, or have the value ``missing``."""
        return made("torch", self, layout, pin_memory, missing)

    def to_jax(self, missing: Any = None) -> Any:
        """For JAX: values, or for a sparse stream a BCSR of its samples. Missing items are a `MissingError`, or
        have the value ``missing``."""
        return made("jax", self, missing)

    def to_awkward(self) -> Any:
        """An awkward array with an item for each row; it shares memory."""
        return made("awkward", self)

    def arrays(self) -> dict[tuple[int, int], NDArray[Any]]:
        """Its buffers by (part, level or dimension), of what is missing truth values."""
        return {key: self._bits(address, count, first) if key[0] == c.SHEAF_PART_VALID else
                view(self._held, address, count, DTYPES[kind])
                for key, (address, count, first, kind) in self._parts.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return _column_of, (self._rows, self.field, self.arrays())

    def __repr__(self) -> str:
        return f"Column({self.field!r}, {len(self)} rows)"


def _column_of(rows: int, field: Field, arrays: dict[tuple[int, int], NDArray[Any]]) -> Column:
    """From what a pickle has: arrays of other types than the field's become those."""
    import numpy as np

    parts: Parts = {}
    kept = []
    for (part, at), given in arrays.items():
        array = np.ascontiguousarray(given, field.part_type(part, at))
        count = len(array)
        kept.append(np.packbits(array, bitorder="little") if part == c.SHEAF_PART_VALID else array)
        parts[part, at] = (kept[-1].ctypes.data, count, 0, DTYPES.index(kept[-1].dtype.str[1:]))
    return Column(rows, field, parts, kept)


def rows_of(key: Any, n: int) -> NDArray[np.int64]:
    """The numbers of the rows, of n, that an index names: a number, a slice, an array of either numbers or truth
    values. Where a mask is masked itself, a row is not taken."""
    import numpy as np

    if isinstance(key, slice):
        return np.arange(n, dtype=np.int64)[key]
    found = np.atleast_1d(np.ma.filled(key, False) if isinstance(key, np.ma.MaskedArray) else np.asarray(key))
    if found.dtype.kind == "b" and found.shape == (n,):
        return np.flatnonzero(found)
    if found.ndim != 1 or (found.dtype.kind not in "iu" and found.size):
        raise UsageError.about("rows", f"a number, a slice, numbers, or truth values for {n} rows",
                               f"{found.dtype} of shape {found.shape}")
    wrong_row = (found < -n) | (found >= n)
    if wrong_row.any():
        raise IndexError(f"rows: expected numbers from {-n} to {n - 1}, found {found[wrong_row][0]}")
    return np.where(found < 0, found + n, found).astype(np.int64)


class Frame(Exports):
    """Some rows, in columns, as in pandas: ``frame["name"]`` is a `Column`, iteration gives names,
    ``len(frame)`` is the number of rows. Of a tensor rows are entries; ``frame.array`` is the array.

    >>> frame = sheaf.read("words.ctf")
    >>> frame[1:]["tag"].values.tolist(), frame[["tag"]].names, len(frame[[1, 0, 1]])
    ([[0.0, 0.0, 1.0]], ['key', 'tag'], 3)
    """

    def __init__(self, schema: Schema, context: Context, frame: Any) -> None:
        """Holds the buffers of a frame of the library, given as a pointer; the frame itself may be freed."""
        held = c_void_p()
        context.call(lib.sheaf_frame_hold, frame, byref(schema.c), context.handle, byref(held))
        self._owner = Held(held)
        self._context, self.schema = context, schema
        self._nrows = int(frame[0].nrows)
        self._columns: dict[int, Column] = {}
        self._parts: dict[int, Parts] | None = None

    @property
    def _held(self) -> Held:
        return self._owner

    @property
    def c(self) -> c.sheaf_frame:
        """The library's frame: valid as long as this object."""
        frame: c.sheaf_frame = lib.sheaf_held_frame(self._held.pointer)[0]
        return frame

    def _rows(self) -> Frame:
        """What of it formats and other programs take: of a packed batch, its grid."""
        return self

    def _flat(self) -> dict[int, Parts]:
        if self._parts is None:
            parts: dict[int, Parts] = {}
            for address, count, first, column, part, at, kind in self._held.flats():
                parts.setdefault(column, {})[part, at] = (address, count, first, kind)
            self._parts = parts
        return self._parts

    def __reduce__(self) -> tuple[Any, ...]:
        rows = self._rows()
        columns = [rows._column(i) for i in range(len(rows.schema))]
        if any(column._runs(0)[1] for column in columns):  # what is before them is not wanted
            return rows[[*range(len(rows)), 0]][:-1].__reduce__()
        return _frame_of, (rows.schema, len(rows), [column.arrays() for column in columns])

    def _all(self) -> Frame:
        return self

    def __len__(self) -> int:
        return self._nrows

    @overload
    def __getitem__(self, key: str) -> Column: ...

    @overload
    def __getitem__(self, key: Any) -> Frame: ...

    def __getitem__(self, key: Any) -> Column | Frame:
        """A column by its name; columns by a list of names, with the keys of sequences; rows by a number (one of
        them), a slice, numbers or truth values: a `Frame`, which shares memory if the rows follow one
        another."""
        if isinstance(key, str):
            return self._column(self.schema.find(key))
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return self._rows()._select(key)
        return self._rows()._take(rows_of(key, len(self)))

    def _take(self, rows: NDArray[np.int64]) -> Frame:
        taken, rows = c.sheaf_frame(), rows.copy()  # in one run
        numbers = rows.ctypes.data_as(POINTER(c_int64))
        self._context.call(lib.sheaf_frame_take, byref(self.c), byref(self.schema.c), numbers, len(rows),
                           byref(taken))
        try:
            return Frame(self.schema, self._context, pointer(taken))
        finally:
            lib.sheaf_frame_free(byref(taken))

    def _select(self, names: list[str]) -> Frame:
        key = [i for i, field in enumerate(self.schema.fields) if field.meaning == "key"]
        numbers = list(dict.fromkeys([*key, *map(self.schema.find, names)]))
        if self.schema.tensor is not None:
            raise UsageError.about("columns", "one of them: together they are a tensor", f"{names!r}")
        chosen, frame = self.schema.select(numbers), c.sheaf_frame.from_buffer_copy(self.c)
        columns = (c.sheaf_column * len(numbers))(*[self.c.columns[i] for i in numbers])
        frame.columns, frame.ncolumns = columns, len(numbers)
        return Frame(chosen, self._context, pointer(frame))

    def _column(self, number: int) -> Column:
        column = self._columns.get(number)
        if column is None:
            parts = self._flat().get(number, {})
            column = Column(self._nrows, self.schema.fields[number], parts, self._held)
            self._columns[number] = column
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.schema.names)

    def __contains__(self, name: object) -> bool:
        return name in self.schema

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return self.schema.names

    def keys(self) -> list[str]:
        """The names of the columns; ``row_keys`` are the keys of rows."""
        return self.schema.names

    def values(self) -> Iterator[Column]:
        return (self[name] for name in self.schema.names)

    def items(self) -> Iterator[tuple[str, Column]]:
        return ((name, self[name]) for name in self.schema.names)

    @property
    def row_keys(self) -> NDArray[np.uint64]:
        """The key of each row: its number in this frame if the format has none."""
        import numpy as np

        number = lib.sheaf_schema_key(byref(self.schema.c))
        return np.arange(len(self), dtype=np.uint64) if number < 0 else self._column(number).values

    def texts(self, style: str = "text") -> str:
        """The rows as the command prints them: "text", "text_short" or "json"."""
        styles = c.ENUMS["sheaf_style"]
        if style not in styles:
            raise wrong("style", f"one of {', '.join(styles)}", f'"{style}"')
        number = styles[style]
        return text_of(lambda out, err: lib.sheaf_rows_text(byref(self.c), byref(self.schema.c), number, 0, 0,
                                                            len(self), byref(out), byref(err)))

    # ---- for others ----

    def __arrow_c_schema__(self) -> object:
        return self._rows().schema.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        capsules: tuple[object, object] = made("arrow_array", self._rows(), requested_schema)
        return capsules

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return made("arrow_stream", self._rows(), requested_schema)

    def to_binsparse(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """A tensor's Binsparse descriptor and its arrays by name: ``(header, buffers)``. Experimental."""
        found: tuple[dict[str, Any], dict[str, NDArray[Any]]] = made("binsparse", self)
        return found

    def to_awkward(self) -> Any:
        """An awkward record array; it shares memory."""
        return made("awkward", self)

    def _repr_html_(self) -> str:
        return str(made("html", self))

    def __repr__(self) -> str:
        return f"Frame({len(self)} {self.schema.rows}: {', '.join(map(shown, self.schema.names))})"


def _frame_of(schema: Schema, rows: int, columns: list[dict[tuple[int, int], NDArray[Any]]]) -> Frame:
    """From what a pickle has: the library checks it."""
    import numpy as np

    context, builder, frame = Context(), c_void_p(), c.sheaf_frame()
    context.call(lib.sheaf_frame_builder_new, byref(schema.c), context.handle, byref(builder))
    try:
        for number, (field, arrays) in enumerate(zip(schema.fields, columns)):
            for (part, at), given in arrays.items():
                array = np.ascontiguousarray(given, field.part_type(part, at))
                data = np.packbits(array, bitorder="little") if part == c.SHEAF_PART_VALID else array
                lib.sheaf_build_copy(builder, number, part, at, data.ctypes.data, len(array))
        lib.sheaf_build_rows(builder, rows)
        context.call(lib.sheaf_frame_builder_take, builder, byref(frame))
        return Frame(schema, context, pointer(frame))
    finally:
        lib.sheaf_frame_builder_free(builder)
        lib.sheaf_frame_free(byref(frame))
