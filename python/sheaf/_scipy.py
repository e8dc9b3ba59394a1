# SPDX-License-Identifier: MIT
"""Sparse data as SciPy's matrices, sharing memory if possible."""
from __future__ import annotations

from math import prod

from ._errors import MissingError, UsageError, wrong
from ._compress import row_pointers, sort_entries
from ._peers import makes
from ._widths import cast
from .frame import Column, Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from .fields import Tensor

_LAYOUTS = ("csr", "csc", "coo")


def _check(layout: str) -> None:
    if layout not in _LAYOUTS:
        raise wrong("layout", f"one of {', '.join(_LAYOUTS)}", f"{layout!r}")


def _check_rank(layout: str, rank: int) -> None:
    """SciPy has vectors as CSR, but not as CSC, and more dimensions only as COO."""
    least, most = {"csr": (1, 2), "csc": (2, 2)}.get(layout, (0, rank))
    if not least <= rank <= most:
        raise wrong("layout", f'"coo" for a tensor whose rank is {rank}', f'"{layout}"')


def _fits_int32(n: int) -> bool:
    return n < 2**31


def compressed(kind: Any, values: NDArray[Any], indices: NDArray[Any], pointers: NDArray[Any],
               shape: tuple[int, int]) -> Any:
    """A CSR or CSC matrix that uses the arrays unchanged. SciPy copies indices whose type is not that of the
    pointers: so the pointers, which are few, get the type of the indices."""
    import numpy as np

    if indices.dtype == np.int32 and _fits_int32(len(values)):
        pointers = pointers.astype(np.int32)
    if pointers.dtype == indices.dtype:
        matrix = _like_another(kind, values, indices, pointers, shape)
        if matrix is not None:
            return matrix
    return kind((values, indices, pointers), shape=shape, copy=False)


_others: dict[Any, dict[str, Any]] = {}


def _like_another(kind: Any, values: NDArray[Any], indices: NDArray[Any], pointers: NDArray[Any],
                  shape: tuple[int, int]) -> Any:
    """A matrix made from an empty one by replacing its arrays: constructing one takes as long as gathering a
    batch, mostly for checks that have already been made. None if this does not work."""
    other = _others.get(kind)
    if other is None:
        other = _others.setdefault(kind, vars(kind((1, 1), dtype=values.dtype)))
    matrix = kind.__new__(kind)
    vars(matrix).update(other, data=values, indices=indices, indptr=pointers, _shape=shape)
    return matrix if matrix.shape == shape else None


@makes("scipy", Column)
def matrix_of_stream(column: Column, layout: str) -> Any:
    """The samples of a sparse stream as rows."""
    from scipy import sparse

    _check(layout)
    if column.field.storage != "sparse":
        raise UsageError.about(column.name, "a sparse stream", column.field.storage)
    column.need()
    values, indices, pointers = column.compressed()
    matrix = compressed(_kind(sparse, "csr"), values, indices, pointers,
                        (len(pointers) - 1, column.field.dim or 0))
    return matrix if layout == "csr" else matrix.asformat(layout)


def _kind(sparse: Any, layout: str) -> Any:
    """The class of a layout: SciPy's arrays, or its matrices if it has no arrays yet."""
    return getattr(sparse, f"{layout}_array", None) or getattr(sparse, f"{layout}_matrix")


def entries_of(frame: Frame, missing: Any = None) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """The coordinates of a tensor's entries, and their values."""
    if frame.schema.rows != "entries":
        raise UsageError.about("frame", "the entries of a tensor",
                               f"{frame.schema.rows}: each column can be had by its name "
                               f"({', '.join(frame.schema.names[:3])}), and xy(label=) gives X and y")
    coordinates = [frame[field.name].values for field in frame.schema.fields if field.meaning == "coordinate"]
    return coordinates, _without_mask(_values_of(frame, missing), frame)


def sparse_entries(frame: Frame, missing: Any = None) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """The same where nothing else is in the tensor: zeros would stand for what is not there."""
    found, tensor = entries_of(frame, missing), frame.schema.tensor
    assert tensor is not None
    if tensor.structure != "general":
        raise UsageError.about("frame", "all entries of the matrix (expand=True)",
                               f"those of a {tensor.structure} one")
    if tensor.dense and len(frame) < prod(tensor.shape):
        raise UsageError.about("frame", f"all {prod(tensor.shape)} entries of a dense tensor", len(frame))
    if tensor.fill is not None and found[1].dtype.itemsize and any(tensor.fill[:found[1].dtype.itemsize]):
        raise UsageError.about("frame", "zeros where nothing is stored (to_numpy() fills an array)",
                               _fill(tensor, found[1]))
    return found


def _fill(tensor: Tensor, values: NDArray[Any]) -> Any:
    """What is not stored has this value."""
    import numpy as np

    return 0 if tensor.fill is None else np.frombuffer(tensor.fill, values.dtype, 1)[0]


def _values_of(frame: Frame, missing: Any = None) -> NDArray[Any]:
    """The values of a tensor's entries; without values, each is true."""
    import numpy as np

    value = next((field for field in frame.schema.fields if field.meaning != "coordinate"), None)
    return frame[value.name].to_numpy(missing) if value is not None else np.ones(len(frame), np.bool_)


def _without_mask(values: NDArray[Any], frame: Frame) -> NDArray[Any]:
    """Of sparse entries, since no matrix has a place for a mask."""
    import numpy as np

    need(values, frame)
    return np.ma.getdata(values)


def need(values: NDArray[Any], frame: Frame) -> None:
    """A `MissingError` if values of a tensor are missing."""
    import numpy as np

    if np.ma.is_masked(values):
        raise MissingError.of(frame.schema.names[-1], int(np.ma.getmaskarray(values).sum()))


@makes("scipy", Frame)
def matrix_of_frame(frame: Frame, layout: str, missing: Any = None) -> Any:
    """A matrix of a tensor's entries."""
    from scipy import sparse

    _check(layout)
    if frame.schema.rows == "sequences" and len(frame.schema.streams) == 1:
        return matrix_of_stream(frame[frame.schema.streams[0].name], layout)
    coordinates, values = sparse_entries(frame, missing)
    tensor = frame.schema.tensor
    assert tensor is not None
    _check_rank(layout, len(tensor.shape))
    if layout != "coo" and len(tensor.shape) == 2:
        return _compress(sparse, coordinates, values, tensor.shape, layout)
    kind = _kind(sparse, "coo")
    matrix = kind((values, tuple(coordinates)), shape=tensor.shape, copy=False)
    return matrix if layout == "coo" else matrix.asformat(layout)


def _compress(sparse: Any, coordinates: list[NDArray[Any]], values: NDArray[Any], shape: tuple[int, ...],
              layout: str) -> Any:
    """Entries in the layout's order need only pointers; the library sorts others, on all threads."""
    outer = 0 if layout == "csr" else 1
    slices, inner = shape[outer], coordinates[1 - outer]
    size = (shape[0], shape[1])
    pointers = row_pointers(coordinates[outer], slices)
    if pointers is not None:
        return compressed(_kind(sparse, layout), values, inner, pointers, size)
    done = sort_entries(coordinates[outer], inner, values, slices)
    if done is None:  # indices of 64 bits
        return _kind(sparse, "coo")((values, tuple(coordinates)), shape=shape).asformat(layout)
    made, indices, pointers = done
    return compressed(_kind(sparse, layout), made, indices, pointers, size)


@makes("numpy", Frame)
def array_of_frame(frame: Frame, missing: Any = None,
                   columns: Sequence[str] | None = None) -> NDArray[Any]:
    """A tensor's entries, or a table, as an array."""
    import numpy as np

    if frame.schema.rows == "rows":
        found = {name: frame[name].to_numpy(missing) for name in (columns or frame.schema.names)}
        masked = any(np.ma.is_masked(items) for items in found.values())
        table: NDArray[Any] = (np.ma if masked else np).empty(
            len(frame), [(name, items.dtype) for name, items in found.items()])
        for name, items in found.items():
            table[name] = items if masked else np.ma.getdata(items)
        return table
    if columns is not None:
        raise wrong("columns", "none for a tensor, which is one array", f"{columns!r}")
    tensor = frame.schema.tensor
    in_order = tensor is not None and tensor.dense and tensor.sorted and tensor.structure == "general"
    if tensor is not None and in_order and len(frame) == prod(tensor.shape):
        extents = [tensor.shape[d] for d in tensor.order]
        shaped: NDArray[Any] = _values_of(frame, missing).reshape(extents).transpose(np.argsort(tensor.order))
        return shaped
    filled = tensor is not None and tensor.fill is not None and not tensor.dense
    coordinates, values = entries_of(frame, missing) if filled else sparse_entries(frame, missing)
    assert tensor is not None
    array: NDArray[Any] = np.full(tensor.shape, _fill(tensor, values), values.dtype)
    array[tuple(coordinates)] = 0
    np.add.at(array, tuple(coordinates), values)
    return array


@makes("array", Frame)
def whole_array(frame: Frame) -> NDArray[Any]:
    """A dense tensor without missing values."""
    import numpy as np

    array = array_of_frame(frame)
    need(array, frame)
    return np.ma.getdata(array)


# ---- what is learned from ----


@makes("xy", Frame)
def xy_of_frame(frame: Frame, label: str, columns: Sequence[str] | None, missing: Any) -> tuple[Any, Any]:
    """The columns as X, and one as y."""
    import numpy as np

    if frame.schema.tensor is not None:
        raise UsageError.about("label", "rows with columns", "a tensor, of which array or to_scipy() is X")
    names = [field.name for field in frame.schema.fields if field.meaning != "key" and field.name != label]
    wanted = [frame[name] for name in columns or names]
    y = _features(frame[label], missing) if frame.schema[label].is_stream else frame[label].to_numpy(missing)
    need(y, frame[[label]])
    blocks = [_features(column, missing) for column in wanted]
    for column, block in zip(wanted, blocks):
        if block.shape[0] != y.shape[0]:
            raise UsageError.about(column.name, f"{y.shape[0]} samples, as {label} has", block.shape[0])
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 and isinstance(y, np.ndarray) else y
    if all(isinstance(block, np.ndarray) for block in blocks):
        wide = np.result_type(*blocks) if blocks else np.dtype(float)
        cells = [cast(block, wide, column.name) for column, block in zip(wanted, blocks)]
        return np.concatenate(cells, 1) if cells else np.empty((len(y), 0)), np.ma.getdata(y)
    if len(blocks) == 1:
        return blocks[0], np.ma.getdata(y)
    from scipy import sparse

    return sparse.hstack(blocks, format="csr"), np.ma.getdata(y)


def _features(column: Column, missing: Any) -> Any:
    """The samples of a stream, or the items of a column, as rows of a matrix."""
    if column.field.storage == "sparse":
        return matrix_of_stream(column, "csr")
    numbers = column.numbers(missing)
    if column.field.storage == "complex" or not (column.field.is_stream or numbers.ndim == 1):
        raise UsageError.about(column.name, "real numbers", column.field.storage)
    return numbers if numbers.ndim == 2 else numbers.reshape(-1, 1)
