# SPDX-License-Identifier: MIT
"""Torch tensors, and torch's kind of loaders. Imported when it is needed.

Tensors of a frame share its memory: clone one before you change it. Those of a batch are copies.
"""
from __future__ import annotations

import warnings
from ctypes import c_int64, memmove
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.data import IterableDataset

from . import _layout as c
from ._errors import UsageError, wrong
from ._peers import makes
from ._scipy import matrix_of_frame, need, sparse_entries
from .fields import DTYPES
from .loader import Batch, Batches, Iteration
from .frame import Column, Frame, share
from .packed import Packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from .fields import Field, Schema
    from .loader import _State

_LAYOUTS = {"dense": ("nested", "values", "parts"), "sparse": ("csr", "parts")}
_TYPES = [(getattr(torch, np.dtype(name).name, None), np.dtype(name).itemsize) for name in DTYPES]
_CSR = {(c.SHEAF_PART_OFFSETS, 1), (c.SHEAF_PART_INDICES, 0), (c.SHEAF_PART_VALUES, 0)}


def tensor(array: NDArray[Any], pin_memory: bool = False) -> Any:
    """A tensor that shares an array's memory; pinned, a copy, if there is a device to pin it for."""
    made = torch.from_numpy(array if array.flags.writeable else share(array))
    return made.pin_memory() if pin_memory and torch.cuda.is_available() else made


def parts_of_column(column: Column, pin_memory: bool = False, missing: Any = None) -> dict[str, Any]:
    """The arrays of a column as tensors: values and offsets; for a sparse stream also indices and
    entry_offsets."""
    if column.field.storage != "sparse":
        arrays = {"values": column.numbers(missing), "offsets": column.offsets}
    else:
        column.need()
        values, indices, pointers = column.compressed()
        arrays = {"values": values, "offsets": column.offsets, "indices": indices, "entry_offsets": pointers}
    return {name: tensor(column.own(array), pin_memory) for name, array in arrays.items()
            if array is not None}


def _layouts(field: Field) -> tuple[str, ...]:
    return _LAYOUTS.get(field.storage, ("values", "parts"))


@makes("torch", Column)
def tensor_of_column(column: Column, layout: str | None, pin_memory: bool, missing: Any = None) -> Any:
    layouts = _layouts(column.field)
    wanted = layout or layouts[0]
    if wanted not in layouts:
        raise wrong("layout", f"one of {', '.join(layouts)} for {column.field.storage}", f"{layout!r}")
    return _made(column, wanted, pin_memory, missing)


def _made(column: Column, layout: str, pin_memory: bool, missing: Any) -> Any:
    if layout == "csr":
        if column.field.nullable:
            column.need()
        if column._held.lent and not pin_memory and _CSR <= column._parts.keys():
            return _lent_csr(column)
        values, indices, pointers = column.compressed()
        size = len(pointers) - 1, column.field.dim or 0
        made = [tensor(column.own(array), pin_memory) for array in (pointers, indices, values)]
        return csr(made[0], made[1], made[2], size)
    arrays = parts_of_column(column, pin_memory, missing)
    if layout == "nested":
        return torch.nested.nested_tensor_from_jagged(arrays["values"], offsets=arrays["offsets"])
    return arrays if layout == "parts" else arrays["values"]


def _lent_csr(column: Column) -> Any:
    """What is lent is copied to where torch wants it: arrays between would take longer than the copy."""
    parts, last = column._parts, c_int64.from_address
    begin, end = column._ends(0)
    address, _, _, kind = parts[c.SHEAF_PART_OFFSETS, 1]
    address += 8 * begin
    first, n = last(address).value, end - begin + 1
    entries = last(address + 8 * (n - 1)).value - first
    pointers = _copied(address, n, kind)
    if first:
        pointers -= first
    indices, _, _, kind = parts[c.SHEAF_PART_INDICES, 0]
    values, _, _, type = parts[c.SHEAF_PART_VALUES, 0]
    return csr(pointers, _copied(indices, entries, kind, first), _copied(values, entries, type, first),
               (n - 1, column.field.dim or 0))


def _copied(address: int, count: int, kind: int, first: int = 0) -> Any:
    dtype, size = _TYPES[kind]
    made = torch.empty(count, dtype=dtype)
    memmove(made.data_ptr(), address + first * size, count * size)
    return made


def csr(pointers: Any, indices: Any, values: Any, size: tuple[int, int]) -> Any:
    """A CSR tensor of arrays that have been checked already."""
    return torch.sparse_csr_tensor(pointers, indices, values, size=size, check_invariants=False)


with warnings.catch_warnings():  # torch says of the first one in a process that they are new
    warnings.simplefilter("ignore")
    csr(torch.zeros(1, dtype=torch.int64), torch.zeros(0, dtype=torch.int64), torch.zeros(0), (0, 0))


@makes("torch", Frame)
def tensors_of_frame(frame: Frame, layout: str | None, pin_memory: bool, missing: Any,
                     columns: Sequence[str] | None) -> Any:
    if frame.schema.rows == "entries":
        if columns is not None:
            raise wrong("columns", "none for a tensor, which is one tensor of torch", f"{columns!r}")
        return tensor_of_entries(frame, layout, missing)
    if isinstance(columns, str):
        columns = [columns]
    if isinstance(frame, Batch) and frame.packed is not None:
        names = list(frame.packed) if columns is None else [frame.schema[name].name for name in columns]
        return {name: frame.packed[name].to_torch(layout, pin_memory) for name in names}
    plan = _plan(frame.schema, layout, None if columns is None else tuple(columns))
    return {name: _made(frame[name], chosen, pin_memory, missing) for name, chosen in plan}


@lru_cache(maxsize=32)
def _plan(schema: Schema, layout: str | None, columns: tuple[str, ...] | None) -> list[tuple[str, str]]:
    """The columns that are wanted, and the layout of each: the one that is asked for where a column can have
    it."""
    fields = schema.taken(columns)
    taken = {name for field in fields for name in _layouts(field)}
    if layout is not None and fields and layout not in taken:
        raise wrong("layout", f"one of {', '.join(sorted(taken))}", f"{layout!r}")
    return [(field.name, layout if layout in _layouts(field) else _layouts(field)[0]) for field in fields]


def tensor_of_entries(frame: Frame, layout: str | None, missing: Any) -> Any:
    """A tensor of a tensor's entries: "dense" (for a dense one, if nothing else is said), "csr", "csc" or
    "coo"."""
    tensor_of = frame.schema.tensor
    assert tensor_of is not None
    if layout == "dense" or (layout is None and tensor_of.dense):
        array = frame.to_numpy(missing)
        need(array, frame)
        return tensor(np.ma.getdata(array))
    if layout == "coo" or len(tensor_of.shape) != 2:
        coordinates, values = sparse_entries(frame, missing)
        return torch.sparse_coo_tensor(torch.from_numpy(np.stack(coordinates)), tensor(values),
                                       size=tensor_of.shape, check_invariants=False)
    matrix = matrix_of_frame(frame, layout or "csr", missing)
    make = torch.sparse_csc_tensor if layout == "csc" else csr
    return make(tensor(matrix.indptr), tensor(matrix.indices), tensor(matrix.data), size=matrix.shape)


@makes("torch", Packed)
def tensors_of_packed(packed: Packed, pin_memory: bool) -> dict[str, Any]:
    arrays = {"values": packed.values, "mask": packed.mask, "indices": packed.indices,
              "starts": packed.starts}
    return {name: tensor(array, pin_memory) for name, array in arrays.items() if array is not None}


class TensorBatch(dict):  # type: ignore[type-arg]
    """A batch for torch: a tensor, or a dict of its parts, for each stream; other members of `Batch` are
    attributes, ``keys`` and ``lengths`` of its sequences as ``sequence_keys`` and ``sequence_lengths``."""

    number: int
    position: tuple[int, int]
    sweep: int
    sweep_end: bool
    epoch_end: bool
    sequences: int
    samples: int
    sequence_keys: NDArray[Any]
    sequence_lengths: NDArray[Any]
    _state: _State

    @classmethod
    def of(cls, batch: Batch, pin_memory: bool, how: Mapping[str, Any]) -> TensorBatch:
        made = cls(tensors_of_frame(batch, pin_memory=pin_memory, **how))
        for name in ("number", "position", "sweep", "sweep_end", "epoch_end", "sequences", "samples",
                     "_state"):
            setattr(made, name, getattr(batch, name))
        made.sequence_keys, made.sequence_lengths = batch.row_keys, batch.lengths
        return made

    @property
    def state(self) -> dict[str, Any]:
        return self._state.asdict()


class TorchBatches(IterableDataset):  # type: ignore[misc]
    """The batches of a loader as tensors; it has the loader's state."""

    def __init__(self, loader: Batches, pin_memory: bool, how: Mapping[str, Any]) -> None:
        self.loader, self._pin, self._how = loader, pin_memory, how

    def __len__(self) -> int:
        return len(self.loader)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[TensorBatch]:
        return _Tensors(self)

    def state_dict(self) -> dict[str, Any]:
        return self.loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.loader.load_state_dict(state)

    def set_epoch(self, epoch: int) -> None:
        self.loader.set_epoch(epoch)


class _Tensors:
    """One pass over them. In a DataLoader worker nothing can be pinned; the DataLoader pins the batches that
    arrive, if requested."""

    def __init__(self, batches: TorchBatches) -> None:
        self._batches = batches
        self._iteration = Iteration(batches.loader)

    def __iter__(self) -> _Tensors:
        return self

    def __next__(self) -> TensorBatch:
        # Parts come through a queue whatever they are: nested and CSR tensors do not in every version.
        inside = torch.utils.data.get_worker_info() is not None
        batch = next(self._iteration)
        return TensorBatch.of(batch, self._batches._pin and not inside, self._batches._how)

    def state_dict(self) -> dict[str, Any]:
        return self._batches.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._batches.load_state_dict(state)


@makes("torch", Batches)
def dataset_of_batches(loader: Batches, pin_memory: bool, how: Mapping[str, Any]) -> TorchBatches:
    words = sorted({word for words in _LAYOUTS.values() for word in words})
    if pin_memory not in (False, True):
        raise wrong("pin_memory", "True or False", f"{pin_memory!r}")
    if how["layout"] is not None and how["layout"] not in words:
        raise wrong("layout", f"one of {', '.join(words)}", f"{how['layout']!r}")
    return TorchBatches(loader, pin_memory, how)


class IterableBatches(Batches, IterableDataset):  # type: ignore[misc]
    """`Batches` as torch's own class of datasets."""


@makes("loader", Batches)
def iterable(loader: Batches) -> Batches:
    """The same loader for ``DataLoader(loader, batch_size=None)``."""
    loader.__class__ = IterableBatches
    return loader
