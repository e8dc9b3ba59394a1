# SPDX-License-Identifier: MIT
"""Writing data in memory: frames, matrices, arrays, streams, other programs' tables. Arrays are wrapped, and
copied only if they are not contiguous in the machine's byte order, or if offsets do not have 64 bits."""
from __future__ import annotations

import os
import sys
from ctypes import POINTER, byref, c_int, c_void_p, cast

from . import _layout as c
from ._context import Context
from ._errors import MissingError, UsageError, wrong
from ._jobs import sink_of
from ._library import lib
from ._options import Given
from ._peers import made
from ._progress import progress_of
from ._source import is_address, uploaded
from .frame import Column, Frame
from .fields import DTYPES, Schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from numpy.typing import NDArray

    from ._context import Progress

_MEANINGS = {"number": c.SHEAF_NUMBER, "bool": c.SHEAF_BOOL, "complex": c.SHEAF_COMPLEX,
             "text": c.SHEAF_STRING, "bytes": c.SHEAF_BYTES, "datetime": c.SHEAF_DATETIME}
# Types of what stands for a missing item, and kinds of items that NumPy would make one another.
_NOTHING, _KINDS = ("NoneType", "NAType", "NaTType"), (bool, str, bytes, int, float, complex)
# Digits of the fractions of a second.
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


class Builder:
    """A schema of the library and a frame of it that is being built. It keeps the arrays until it is
    closed."""

    def __init__(self, context: Context, rows: int = c.SHEAF_SEQUENCES) -> None:
        self.context = context
        self._kept: list[Any] = []
        self.schema = c.sheaf_schema(rows=rows, cx=context.handle)
        self.frame = c.sheaf_frame()
        self._steps: list[tuple[Any, ...]] = []

    def add(self, function: Any, *arguments: Any) -> int:
        """A field; returns its index."""
        self.context.call(function, byref(self.schema), *arguments)
        return int(self.schema.nfields) - 1

    def wrap(self, column: int, part: int, at: int, array: NDArray[Any], count: int | None = None) -> None:
        """The buffer of a column, to be used directly when the frame is made."""
        self._steps.append((column, part, at, array, len(array) if count is None else count))

    def build(self, rows: int) -> None:
        builder, sized = c_void_p(), self._steps
        self.context.call(lib.sheaf_frame_builder_new, byref(self.schema), self.context.handle,
                          byref(builder))
        try:
            for column, part, at, array, count in sized:
                self._kept.append(array)
                foreign = c.sheaf_foreign(data=array.ctypes.data, count=count)
                lib.sheaf_build_wrap(builder, column, part, at, byref(foreign))
            lib.sheaf_build_rows(builder, rows)
            self.context.run(lib.sheaf_frame_builder_take, builder, byref(self.frame))
        finally:
            lib.sheaf_frame_builder_free(builder)

    def close(self) -> None:
        lib.sheaf_frame_free(byref(self.frame))
        lib.sheaf_schema_free(byref(self.schema))


def _plain(array: Any) -> NDArray[Any]:
    """The array itself if it is contiguous, aligned and in the machine's byte order."""
    import numpy as np

    array = np.asarray(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    plain: NDArray[Any] = np.asarray(array, order="C")
    return plain if plain.flags.aligned else plain.copy()


def _type(array: NDArray[Any]) -> int:
    """The library's element type."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    name = "u1" if kind == "b" else f"f{size // 2}" if kind == "c" else array.dtype.str[1:]
    if name not in DTYPES:
        raise wrong("data", "integers, float32, float64, truth values or complex numbers of such floats",
                    array.dtype)
    return DTYPES.index(name)


def _meaning(array: NDArray[Any]) -> int:
    return _MEANINGS[{"b": "bool", "c": "complex"}.get(array.dtype.kind, "number")]


def _numbers(array: NDArray[Any]) -> int:
    """The number of numbers in an array: a complex one counts as two."""
    return int(array.size) * (2 if array.dtype.kind == "c" else 1)


def _offsets(array: Any) -> NDArray[Any]:
    import numpy as np

    return np.ascontiguousarray(array, np.int64)


# ---- tensors ----


def _tensor(shape: Iterable[int], dense: bool = False, order: Iterable[int] = (),
            ordered: bool = False) -> c.sheaf_tensor:
    sizes = list(shape)
    if len(sizes) > c.SHEAF_MAX_RANK:
        raise wrong("data", f"at most {c.SHEAF_MAX_RANK} dimensions", len(sizes))
    tensor = c.sheaf_tensor(rank=len(sizes), dense=dense, sorted=ordered, unique=dense)
    tensor.shape[: len(sizes)] = sizes
    for i, dimension in enumerate(order or range(len(sizes))):
        tensor.order[i] = dimension
    return tensor


def _dense(context: Context, array: NDArray[Any]) -> Builder:
    """An array of any number of dimensions, as one row."""
    array = _plain(array)
    builder, levels = Builder(context), (c.sheaf_level_shape * max(1, array.ndim))()
    for level, extent in zip(levels, array.shape):
        level.kind, level.extent = c.SHEAF_FIXED, extent
    builder.add(lib.sheaf_schema_add_levels, byref(_tensor(array.shape, True, ordered=True)), levels,
                array.ndim, _meaning(array), _type(array))
    builder.wrap(0, c.SHEAF_PART_VALUES, 0, array.reshape(-1), _numbers(array))
    builder.build(1)
    return builder


def _csr(context: Context, matrix: Any) -> Builder:
    """A CSR matrix, as one row."""
    import numpy as np

    values, indices, builder = _plain(matrix.data), _plain(matrix.indices), Builder(context)
    wide = indices.dtype != np.int32
    indices = indices if not wide else indices.astype(np.int64, copy=False)
    levels = (c.sheaf_level_shape * 2)()
    levels[0].kind, levels[0].extent = c.SHEAF_FIXED, matrix.shape[0]
    levels[1].kind, levels[1].rank, levels[1].extent = c.SHEAF_COORD, 1, matrix.shape[1]
    levels[1].index_type = c.SHEAF_I64 if wide else c.SHEAF_I32
    builder.add(lib.sheaf_schema_add_levels, byref(_tensor(matrix.shape)), levels, 2, _meaning(values),
                _type(values))
    builder.wrap(0, c.SHEAF_PART_OFFSETS, 1, _offsets(matrix.indptr))
    builder.wrap(0, c.SHEAF_PART_INDICES, 0, indices)
    builder.wrap(0, c.SHEAF_PART_VALUES, 0, values, _numbers(values))
    builder.build(1)
    return builder


def _entries(context: Context, coordinates: list[NDArray[Any]], values: NDArray[Any],
             shape: Iterable[int]) -> Builder:
    """Entries in any order."""
    import numpy as np

    builder, sizes, values = Builder(context), list(shape), _plain(values)
    builder.add(lib.sheaf_schema_add_entries, byref(_tensor(sizes)), _meaning(values), _type(values))
    for d, array in enumerate(coordinates):
        wide = builder.schema.fields[d].type == c.SHEAF_I64
        builder.wrap(d, c.SHEAF_PART_VALUES, 0,
                     _plain(array).astype(np.int64 if wide else np.int32, copy=False))
    builder.wrap(len(sizes), c.SHEAF_PART_VALUES, 0, values, _numbers(values))
    builder.build(len(values))
    return builder


def _sparse(context: Context, matrix: Any) -> Builder:
    """A SciPy matrix, of any layout."""
    if matrix.format == "csr":
        return _csr(context, matrix)
    if matrix.format == "csc":
        import numpy as np

        columns = np.repeat(np.arange(matrix.shape[1], dtype=matrix.indices.dtype), np.diff(matrix.indptr))
        return _entries(context, [matrix.indices, columns], matrix.data, matrix.shape)
    coo = matrix if matrix.format == "coo" else matrix.tocoo()
    return _entries(context, list(getattr(coo, "coords", None) or (coo.row, coo.col)), coo.data, coo.shape)


# ---- streams ----


def _add_stream(builder: Builder, name: str, rows: Any) -> int:
    """A stream; returns its number of rows. ``rows`` is a sparse matrix (a sample in each row), an array
    (rows, dim) or (rows, samples, dim), a list of arrays (samples, dim) or of sparse matrices, or (values,
    offsets)."""
    if hasattr(rows, "tocsr") or (isinstance(rows, tuple) and hasattr(rows[0], "tocsr")):
        return _add_sparse(builder, name, *(rows if isinstance(rows, tuple) else (rows, None)))
    if isinstance(rows, tuple):
        return _add_dense(builder, name, *rows)
    if isinstance(rows, list) and rows and hasattr(rows[0], "tocsr"):
        from scipy import sparse

        return _add_sparse(builder, name, sparse.vstack(rows, format="csr"),
                           _running(row.shape[0] for row in rows))
    if isinstance(rows, list):
        import numpy as np

        arrays = [_samples(np.asarray(row)) for row in rows]
        if any(array.ndim != 2 or array.dtype.kind == "O" for array in arrays):
            raise UsageError.about(name, "arrays (samples, dim), or items of one type", "others")
        if not arrays:
            raise UsageError.about(name, "at least one row", "none")
        return _add_dense(builder, name, np.concatenate(arrays), _running(map(len, arrays)))
    return _add_array(builder, name, _plain(rows))


def _add_array(builder: Builder, name: str, array: NDArray[Any]) -> int:
    import numpy as np

    if array.ndim not in (1, 2, 3):
        raise UsageError.about(name, "(rows,), (rows, dim) or (rows, samples, dim)",
                               f"{array.ndim} dimensions")
    each = array.shape[1] if array.ndim == 3 else 1
    return _add_dense(builder, name, array.reshape(len(array) * each, -1),
                      np.arange(len(array) + 1, dtype=np.int64) * each)


def _samples(row: NDArray[Any]) -> NDArray[Any]:
    """Single numbers are samples of one value."""
    return row.reshape(-1, 1) if row.ndim == 1 else row


def _running(counts: Iterable[int]) -> NDArray[Any]:
    import numpy as np

    return np.concatenate([[0], np.cumsum(list(counts))]).astype(np.int64)


def _add_dense(builder: Builder, name: str, values: Any, offsets: Any) -> int:
    values, offsets = _samples(_plain(values)), _offsets(offsets)
    number = builder.add(lib.sheaf_schema_add_dense, name.encode(), values.shape[1], _type(values))
    builder.wrap(number, c.SHEAF_PART_OFFSETS, 0, offsets)
    builder.wrap(number, c.SHEAF_PART_VALUES, 0, values.reshape(-1))
    return len(offsets) - 1


def _add_sparse(builder: Builder, name: str, matrix: Any, offsets: Any) -> int:
    import numpy as np

    matrix = matrix.tocsr()
    samples, dim = matrix.shape
    offsets = np.arange(samples + 1, dtype=np.int64) if offsets is None else _offsets(offsets)
    values = _plain(matrix.data)
    number = builder.add(lib.sheaf_schema_add_sparse, name.encode(), dim, _type(values))
    wide = builder.schema.fields[number].levels[1].index_type == c.SHEAF_I64
    builder.wrap(number, c.SHEAF_PART_OFFSETS, 0, offsets)
    builder.wrap(number, c.SHEAF_PART_OFFSETS, 1, _offsets(matrix.indptr))
    builder.wrap(number, c.SHEAF_PART_INDICES, 0,
                 _plain(matrix.indices).astype(np.int64 if wide else np.int32, copy=False))
    builder.wrap(number, c.SHEAF_PART_VALUES, 0, values)
    return len(offsets) - 1


def _streams(context: Context, streams: Mapping[str, Any]) -> Builder:
    """A dict of streams; ``"key"`` has the keys of the rows, if it is an array of whole numbers."""
    import numpy as np

    builder, counts = Builder(context), {}
    for name, rows in streams.items():
        if name == "key" and isinstance(rows, (list, np.ndarray)) and np.asarray(rows).ndim == 1:
            keys = np.ascontiguousarray(rows, np.uint64)
            builder.wrap(builder.add(lib.sheaf_schema_add_keys), c.SHEAF_PART_VALUES, 0, keys)
            counts[name] = len(keys)
        else:
            counts[name] = _add_stream(builder, name, rows)
    builder.build(_same_length(counts))
    return builder


def _same_length(counts: Mapping[str, int]) -> int:
    lengths = set(counts.values())
    if len(lengths) != 1:
        found = ", ".join(f"{name}: {n}" for name, n in counts.items()) or "none"
        raise wrong("data", "columns of one length", found)
    return lengths.pop()


# ---- tables ----


def _table(context: Context, columns: Mapping[str, Any]) -> Builder:
    """A table: arrays of one dimension, masked if items are missing."""
    builder = Builder(context, c.SHEAF_CELLS)
    builder.build(_same_length({name: _add_column(builder, name, items) for name, items in columns.items()}))
    return builder


def _add_column(builder: Builder, name: str, items: Any) -> int:
    import numpy as np

    array, mask = _present(name, items)
    missing = c.SHEAF_NULLABLE if mask is not None and mask.any() else c.SHEAF_NEVER
    if array.dtype.kind in "OUS":
        number = _add_texts(builder, name, array, mask, missing)
    else:
        array, time = _items(array)
        number = (builder.add(lib.sheaf_schema_add_times, name.encode(), *time, missing) if time else
                  builder.add(lib.sheaf_schema_add_column, name.encode(), _meaning(array), _type(array),
                              missing))
        builder.wrap(number, c.SHEAF_PART_VALUES, 0, array, _numbers(array))
    if missing and mask is not None:
        builder.wrap(number, c.SHEAF_PART_VALID, 0, np.packbits(~mask, bitorder="little"), len(mask))
    return len(array)


def _present(name: str, items: Any) -> tuple[NDArray[Any], Any]:
    """Items as an array of one type, and a mask of what is missing: None, NaT, what is masked."""
    import numpy as np

    if isinstance(items, np.ma.MaskedArray):
        return np.ma.getdata(items), np.ma.getmaskarray(items)
    array = np.asarray(items, object) if isinstance(items, list) else np.asarray(items)
    if array.dtype.kind in "Mm":
        return array, np.isnat(array)
    if array.dtype.kind != "O":
        return array, None
    mask = np.array([type(item).__name__ in _NOTHING for item in array.tolist()], bool)
    there = array[~mask].tolist()
    kinds = {next((kind for kind in _KINDS if isinstance(item, kind)), type(item)) for item in there}
    if len(kinds) > 1 and not kinds <= {int, float, complex}:
        raise UsageError.about(name, "items of one type", ", ".join(sorted(kind.__name__ for kind in kinds)))
    found = np.asarray(there) if kinds else np.zeros(0)
    if kinds == {int} and found.dtype.kind == "f":  # beyond int64
        found = np.asarray(there, np.uint64)
    if all(hasattr(item, "toordinal") and getattr(item, "tzinfo", None) is None for item in there):
        found = np.asarray(there, "M8") if there else found
    if found.dtype.kind == "O":
        raise UsageError.about(name, "numbers, texts, truth values or times", kinds.pop().__name__)
    array = np.zeros(len(mask), found.dtype)
    array[~mask] = found
    return array, mask


def _items(array: NDArray[Any]) -> tuple[NDArray[Any], tuple[int, int] | None]:
    """The items, and of times their meaning and digits."""
    array = _plain(array)
    if array.dtype.kind not in "Mm":
        return array, None
    import numpy as np

    unit = np.datetime_data(array.dtype)[0]
    if unit == "D" and array.dtype.kind == "M":
        return array.astype("M8[D]").view("i8"), (c.SHEAF_DATE, 0)
    unit = unit if unit in _DIGITS else "s"  # hours, minutes, days of a span
    time = c.SHEAF_DATETIME if array.dtype.kind == "M" else c.SHEAF_DURATION
    return array.astype(f"{array.dtype.kind}8[{unit}]").view("i8"), (time, _DIGITS[unit])


def _add_texts(builder: Builder, name: str, array: NDArray[Any], mask: Any, missing: int) -> int:
    import numpy as np

    is_bytes = array.dtype.kind == "S" or any(isinstance(item, bytes) for item in array.tolist())
    pieces = [b"" if item is None else item if isinstance(item, bytes) else str(item).encode()
              for item in array.tolist()]
    number = builder.add(lib.sheaf_schema_add_column, name.encode(),
                         c.SHEAF_BYTES if is_bytes else c.SHEAF_STRING, c.SHEAF_U8, missing)
    builder.wrap(number, c.SHEAF_PART_OFFSETS, 0, _running(map(len, pieces)))
    builder.wrap(number, c.SHEAF_PART_VALUES, 0, np.frombuffer(b"".join(pieces), np.uint8))
    return number


# ---- what data may be ----


def _is_table(data: Mapping[str, Any]) -> bool:
    """A dict of columns with one item each: arrays of one dimension, or lists of plain objects."""
    import numpy as np

    def is_column(items: Any) -> bool:
        if hasattr(items, "ndim"):
            return bool(items.ndim == 1)
        return isinstance(items, list) and not any(map(_has_items, items))

    return all(is_column(items) for items in data.values())


def _has_items(item: Any) -> bool:
    return hasattr(item, "__len__") and not isinstance(item, (str, bytes))


def _numpy(tensor: Any) -> Any:
    try:
        return tensor.numpy()
    except TypeError:
        raise wrong("data", "an element type that NumPy has", tensor.dtype,
                    "float() gives such a tensor") from None


def _from_torch(tensor: Any) -> Any:
    """A torch tensor for NumPy or SciPy, sharing memory."""
    import torch

    tensor = tensor.detach().cpu()
    if tensor.is_nested:
        return {"values": (_numpy(tensor.values()), _numpy(tensor.offsets()))}
    if tensor.layout == torch.strided:
        return _numpy(tensor)
    from scipy import sparse

    if tensor.layout == torch.sparse_csr:
        parts = _numpy(tensor.values()), _numpy(tensor.col_indices()), _numpy(tensor.crow_indices())
        return sparse.csr_array(parts, shape=tuple(tensor.shape))
    tensor = tensor.coalesce() if tensor.layout == torch.sparse_coo else tensor.to_sparse_coo().coalesce()
    return sparse.coo_array((_numpy(tensor.values()), tuple(_numpy(tensor.indices()))),
                            shape=tuple(tensor.shape))


def _is_torch(data: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(data, torch.Tensor)


def built(context: Context, data: Any, takes: int) -> Builder | None:
    """A frame of data in memory; None if the object is not supported. ``takes`` are the kinds of rows that
    the format writes: if it writes only sequences, matrices and arrays become a stream "X", with a sample in
    each row."""
    import numpy as np

    if _is_torch(data):
        data = _from_torch(data)
    if isinstance(data, (int, float, complex, np.generic)):
        data = np.asarray(data)
    if np.ma.is_masked(data) and not data.dtype.names:
        raise MissingError.of("data", int(np.ma.getmaskarray(data).sum()))
    if isinstance(data, np.ndarray) and data.dtype.kind in "USMmO" and data.ndim == 1:
        data = {"value": data}
    if isinstance(data, tuple) and len(data) == 2:  # X and y
        data = {"label": data[1], "features": data[0]}
        return _streams(context, data)
    if isinstance(data, np.ndarray) and data.dtype.names:
        return _table(context, {name: data[name] for name in data.dtype.names})
    is_sparse = hasattr(data, "tocoo") and hasattr(data, "format")
    if (is_sparse or isinstance(data, np.ndarray)) and takes == c.SHEAF_TAKES_SEQUENCES:
        return _streams(context, {"X": data})
    if is_sparse:
        return _sparse(context, data)
    if isinstance(data, np.ndarray):
        return _dense(context, data)
    if isinstance(data, dict):
        converted = {name: _converted(rows) for name, rows in data.items()}
        as_table = _is_table(converted) and takes != c.SHEAF_TAKES_SEQUENCES
        unwrapped = {name: _unwrap(rows) for name, rows in converted.items()}
        return (_table if as_table else _streams)(context, unwrapped)
    if _is_anndata(data):
        return built(context, data.X, takes)
    return None


def _is_anndata(data: Any) -> bool:
    return hasattr(data, "obs") and hasattr(data, "var") and hasattr(data, "X")


def _converted(rows: Any) -> Any:
    """What other classes have, as NumPy's or SciPy's."""
    if isinstance(rows, Column):
        storage = rows.field.storage
        return rows.to_scipy() if storage == "sparse" else (rows.values, rows.offsets) if storage == "dense" \
            else rows.to_numpy()
    return _from_torch(rows) if _is_torch(rows) else rows


def _unwrap(rows: Any) -> Any:
    """The values and offsets of a nested tensor."""
    return rows["values"] if isinstance(rows, dict) and set(rows) == {"values"} else rows


class Output:
    """An output of the library: whole at `finish`, or not at all."""

    def __init__(self, context: Context, path: bytes, schema: Any, given: Given) -> None:
        self.context, self.pointer = context, c_void_p()
        options = given.fill(c.sheaf_create_options, structure=None)
        word = given.take("structure")
        if word is not None:
            structure = c.ENUMS["sheaf_structure"].get(word)
            if structure is None:
                raise wrong("structure", "the name of a structure",
                            f"{word}: this is not looked for in memory")
            self._structure = c_int(structure)
            options.structure = cast(byref(self._structure), POINTER(c_int))
        context.call(lib.sheaf_create, path, schema, byref(options), context.handle, byref(self.pointer))

    def write(self, frame: Any) -> None:
        self.context.run(lib.sheaf_write, self.pointer, frame)

    def finish(self) -> None:
        pointer, self.pointer = self.pointer, c_void_p()
        self.context.run(lib.sheaf_finish, pointer)

    def abandon(self) -> None:
        pointer, self.pointer = self.pointer, c_void_p()
        if pointer and not self.context.abandoned:
            lib.sheaf_abandon(pointer)


def _format_takes(path: bytes, given: Given) -> int:
    word = given.take("to")
    found = lib.sheaf_format_find(word.encode()) if word else lib.sheaf_format_of_name(path)
    return int(lib.sheaf_format_about(found).takes) if found else 0


class Writer:
    """A file that is written piece by piece, without holding them: whole when the block ends, and nothing if it
    fails. Each piece is what `write` takes; all have the columns of ``schema``, or else of the first.

    >>> with sheaf.Writer(tmp / "pieces.csv") as writer:
    ...     for i in range(3):
    ...         writer.write({"a": [i, i + 1]})
    >>> sheaf.read(tmp / "pieces.csv")["a"].values
    array([0, 1, 1, 2, 2, 3])
    """

    def __init__(self, path: str | os.PathLike[str], schema: Schema | None = None, *,
                 progress: bool | Progress | None = None, **options: Any) -> None:
        self._given = Given("convert", options, ("writing",), ("progress",), name="write")
        self._target = os.fsencode(path)
        self._context = Context(self._given.members(c.sheaf_context_options),
                                progress_of(progress, os.fsdecode(self._target)))
        self._output: Output | None = None
        self._names: list[str] = []
        if schema is not None:
            self._create(schema.c, schema.names)

    def _create(self, schema: Any, names: list[str]) -> Output:
        if self._output is None:
            self._output, self._names = Output(self._context, self._target, byref(schema), self._given), names
        if names != self._names:
            raise wrong("data", f"the columns of what was written first ({', '.join(self._names)})",
                        ", ".join(names))
        return self._output

    def write(self, data: Any) -> None:
        """Writes the rows of a frame, of an array, a dict, a table or a record batch."""
        if isinstance(data, Frame) or (hasattr(data, "schema") and type(data).__module__.startswith("sheaf")):
            for part in [data] if isinstance(data, Frame) else data:
                frame = part._rows()
                self._create(frame.schema.c, frame.schema.names).write(byref(frame.c))
            if not isinstance(data, Frame):
                self._create(data.schema.c, data.schema.names)
            return
        builder = built(self._context, data, _format_takes(self._target, self._given))
        if builder is not None:
            try:
                names = Schema(builder.schema).names
                self._create(builder.schema, names).write(byref(builder.frame))
            finally:
                builder.close()
        elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
            rows = made("rows", data, self._context)
            output = self._create(rows.schema[0], Schema(rows.schema[0]).names)
            for frame in rows:
                output.write(frame)
        else:
            raise wrong("data", "frames, a matrix, an array, a dict of them, or a table", type(data).__name__)

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        output = self._output
        try:
            if kind is None:
                if output is None:
                    raise wrong("data", "at least one piece, or schema=", "none")
                output.finish()
        finally:
            if output is not None:
                output.abandon()


def _pieces(data: Any) -> Iterable[Any]:
    """What is written one after the other: lists and iterators of frames and tables, or all of the data."""
    if type(data).__module__.startswith("xarray"):
        data = data.to_dataframe().reset_index() if hasattr(data, "data_vars") else data.values
    if type(data).__module__.startswith("pandas") and data.ndim == 1:
        data = data.to_frame()
    if hasattr(data, "__next__"):
        pieces: Iterable[Any] = data
        return pieces
    if not isinstance(data, list) or not data:
        return [data]
    if all(isinstance(row, dict) and not any(hasattr(item, "ndim") for item in row.values()) for row in data):
        names = list(dict.fromkeys(name for row in data for name in row))
        return [{name: [row.get(name) for row in data] for name in names}]
    rows = all(hasattr(part, "schema") or isinstance(part, dict) for part in data)
    return data if rows else [_list_array(data)]


def _list_array(items: list[Any]) -> NDArray[Any]:
    import numpy as np

    if any(map(_has_items, items)):
        return np.asarray(items)
    array, mask = _present("data", items)
    return array if mask is None or not mask.any() else np.ma.masked_array(array, mask)


def _save_arrays(writer: Writer, arrays: Mapping[str, Any], force: bool) -> None:
    """An archive with exactly these names."""
    import io
    import zipfile

    import numpy as np

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(_converted(array)), allow_pickle=False)
    sink, data = sink_of(writer._context, os.fsdecode(writer._target), force), buffer.getvalue()
    writer._context.call(lib.sheaf_sink_write, sink, data, len(data))
    writer._context.call(lib.sheaf_sink_commit, sink)


def write(path: str | os.PathLike[str], data: Any, *, progress: bool | Progress | None = None,
          **options: Any) -> None:
    """Writes data in memory to a file, in the format of its suffix or of ``to=``: whole or not at all.

    ``data`` may be a `Frame`, `Dataset`, or anything with frames; a SciPy matrix; a NumPy array, as a tensor;
    a structured array, or a dict of arrays of one dimension, as a table; a dict of streams: ``{"A": [array
    (samples, dim), ...]}``, ``{"A": (values, offsets)}``, ``{"A": array (rows, dim)}``, ``{"B": sparse
    matrix}``, with a sample in each row, and keys as ``"key"``; a torch tensor;
    AnnData, all of it as ``.h5ad`` or with ``to="hdf5"``, otherwise its ``X`` (``into=`` names the group);
    ``(X, y)``; a list of dicts; pandas and xarray objects; anything that exports an Arrow stream; a list or
    an iterator of such pieces, one after the other. A dict of arrays alone becomes an ``.npz`` of exactly
    these names. Options are those of ``sheaf convert`` and of the format; an existing file is replaced only
    with ``force=True``.

    >>> sheaf.write(tmp / "out.ctf", {"A": [np.ones((3, 2), "f4"), np.zeros((1, 2), "f4")]})
    >>> sheaf.read(tmp / "out.ctf")["A"].offsets
    array([0, 3, 4])
    """
    if _is_anndata(data) and made("anndata_file", data, path, progress, options):
        return
    if is_address(path):
        force = Given("convert", options, ("writing",), name="write").flag("force")
        uploaded(str(path), force, lambda to: write(to, data, progress=progress, **options))
        return
    writer = Writer(path, progress=progress, **options)
    alone = isinstance(data, dict) and all(hasattr(x, "nbytes") and not hasattr(x, "tocsr")
                                           for x in data.values())
    if alone and writer._target.endswith(b".npz") and set(options) <= {"force"}:
        _save_arrays(writer, data, writer._given.flag("force"))
        return
    with writer:
        for piece in _pieces(data):
            writer.write(piece)
