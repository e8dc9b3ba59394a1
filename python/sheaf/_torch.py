# SPDX-License-Identifier: MIT
"""Torch tensors that share memory, and torch's kind of loaders. Imported when it is needed.

The memory is shared with other frames: clone a tensor before you change it.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.data import IterableDataset

from ._errors import UsageError, wrong
from ._peers import makes
from ._scipy import entries_of, matrix_of_frame
from .loader import Batch, Batches, Iteration
from .frame import Column, Frame, share
from .packed import Packed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from .fields import Field

_LAYOUTS = {"dense": ("nested", "values", "parts"), "sparse": ("csr", "parts")}
_TAKEN = ("dense", "sparse", "values", "bool", "complex")


def tensor(array: NDArray[Any], pin_memory: bool = False) -> Any:
    """A tensor that shares an array's memory; pinned, a copy, if there is a device to pin it for."""
    made = torch.from_numpy(share(array))
    return made.pin_memory() if pin_memory and torch.cuda.is_available() else made


def parts_of_column(column: Column, pin_memory: bool = False, missing: Any = None) -> dict[str, Any]:
    """The arrays of a column as tensors: values and offsets; for a sparse stream also indices and
    entry_offsets."""
    if column.field.storage == "sparse":
        column.need()
    values = column.values if column.field.storage == "sparse" else column.numbers(missing)
    arrays = {"values": values, "offsets": column.offsets, "indices": column.indices,
              "entry_offsets": column.entry_offsets}
    return {name: tensor(array, pin_memory) for name, array in arrays.items() if array is not None}


def _layouts(field: Field) -> tuple[str, ...]:
    return _LAYOUTS.get(field.storage, ("values", "parts"))


@makes("torch", Column)
def tensor_of_column(column: Column, layout: str | None, pin_memory: bool, missing: Any = None) -> Any:
    layouts = _layouts(column.field)
    wanted = layout or layouts[0]
    if wanted not in layouts:
        raise wrong("layout", f"one of {', '.join(layouts)} for {column.field.storage}", f"{layout!r}")
    parts = parts_of_column(column, pin_memory, missing)
    if wanted == "parts":
        return parts
    if wanted == "nested":
        return torch.nested.nested_tensor_from_jagged(parts["values"], offsets=parts["offsets"])
    if wanted == "csr":
        return csr(parts["entry_offsets"], parts["indices"], parts["values"],
                   (len(parts["entry_offsets"]) - 1, column.field.dim or 0))
    return parts["values"]


def csr(pointers: Any, indices: Any, values: Any, size: tuple[int, int]) -> Any:
    """A CSR tensor of arrays that have been checked already."""
    import warnings

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*in beta state.*")
        return torch.sparse_csr_tensor(pointers, indices, values, size=size, check_invariants=False)


@makes("torch", Frame)
def tensors_of_frame(frame: Frame, layout: str | None, pin_memory: bool, missing: Any,
                     columns: Sequence[str] | None) -> Any:
    if frame.schema.rows == "entries":
        if columns is not None:
            raise wrong("columns", "none for a tensor, which is one tensor of torch", f"{columns!r}")
        return tensor_of_entries(frame, layout or "csr", missing)
    fields = _fields(frame, columns)
    if isinstance(frame, Batch) and frame.packed is not None:
        return {field.name: frame.packed[field.name].to_torch(layout, pin_memory) for field in fields}
    taken = {name for field in fields for name in _layouts(field)}
    if layout is not None and fields and layout not in taken:
        raise wrong("layout", f"one of {', '.join(sorted(taken))}", f"{layout!r}")
    return {field.name: tensor_of_column(frame[field.name], layout if layout in _layouts(field) else None,
                                         pin_memory, missing) for field in fields}


def _fields(frame: Frame, columns: Sequence[str] | None) -> list[Field]:
    """Those that are named, or all but keys, which a batch has beside them: none is left out by itself."""
    if columns is not None:
        return [frame.schema[name] for name in columns]
    if isinstance(frame, Batch) and frame.packed is not None:
        return [frame.schema[name] for name in frame.packed]
    fields = [field for field in frame.schema.fields if field.meaning != "key"]
    fits = [field.name for field in fields if field.storage in _TAKEN]
    other = next((field for field in fields if field.storage not in _TAKEN), None)
    if other is not None:
        wanted = f"numbers, or columns= with what torch can take ({', '.join(fits)})"
        raise UsageError.about(other.name, wanted, other.storage)
    return fields


def tensor_of_entries(frame: Frame, layout: str, missing: Any) -> Any:
    """A sparse tensor of a tensor's entries: "csr", "csc" or "coo"."""
    shape = frame.schema.tensor.shape if frame.schema.tensor is not None else ()
    if layout == "coo" or len(shape) != 2:
        coordinates, values = entries_of(frame, missing)
        return torch.sparse_coo_tensor(torch.from_numpy(np.stack(coordinates)), tensor(values), size=shape,
                                       check_invariants=False)
    matrix = matrix_of_frame(frame, layout, missing)
    make = csr if layout == "csr" else torch.sparse_csc_tensor
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
    state: dict[str, Any]
    sequence_keys: NDArray[Any]
    sequence_lengths: NDArray[Any]

    @classmethod
    def of(cls, batch: Batch, pin_memory: bool, how: Mapping[str, Any]) -> TensorBatch:
        made = cls(batch.to_torch(pin_memory=pin_memory, **how))
        for name in ("number", "position", "sweep", "sweep_end", "epoch_end", "sequences", "samples",
                     "state"):
            setattr(made, name, getattr(batch, name))
        made.sequence_keys, made.sequence_lengths = batch.keys, batch.lengths
        return made


class TorchBatches(IterableDataset):  # type: ignore[misc]
    """The batches of a loader as tensors; it has the loader's state."""

    def __init__(self, loader: Batches, pin_memory: bool, how: Mapping[str, Any]) -> None:
        self.loader, self._pin, self._how = loader, pin_memory, how

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
