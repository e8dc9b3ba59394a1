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
from .loader import Batch, Batches, Iteration
from .frame import share

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from .frame import Column, Frame
    from .packed import Packed

_LAYOUTS = {"dense": ("nested", "values", "parts"), "sparse": ("csr", "parts")}


def tensor(array: NDArray[Any], pin_memory: bool = False) -> Any:
    """A tensor that shares an array's memory; pinned, a copy, if there is a device to pin it for."""
    made = torch.from_numpy(share(array))
    return made.pin_memory() if pin_memory and torch.cuda.is_available() else made


def parts_of_column(column: Column, pin_memory: bool = False) -> dict[str, Any]:
    """The arrays of a column as tensors: values and offsets; for a sparse stream also indices and
    entry_offsets."""
    arrays = {"values": column.values, "offsets": column.offsets, "indices": column.indices,
              "entry_offsets": column.entry_offsets}
    return {name: tensor(array, pin_memory) for name, array in arrays.items() if array is not None}


def tensor_of_column(column: Column, layout: str | None, pin_memory: bool) -> Any:
    storage = column.field.storage
    layouts = _LAYOUTS.get(storage, ("values", "parts"))
    wanted = layout or layouts[0]
    if wanted not in layouts:
        raise wrong("layout", f"one of {', '.join(layouts)} for {storage}", f"{layout!r}")
    if storage.startswith(("text", "datetimetz")):
        raise UsageError.about(column.name, "numbers", storage)
    parts = parts_of_column(column, pin_memory)
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


def tensors_of_frame(frame: Frame, layout: str | None, pin_memory: bool) -> Any:
    if isinstance(frame, Batch) and frame.packed is not None:
        return {name: tensors_of_packed(packed, pin_memory) for name, packed in frame.packed.items()}
    if frame.schema.rows == "entries":
        return tensor_of_entries(frame, layout or "csr")
    fields = [f for f in frame.schema.fields if f.storage in ("dense", "sparse", "values", "bool", "complex")
              and f.meaning != "key"]
    return {field.name: tensor_of_column(frame[field.name], _of_storage(layout, field.storage), pin_memory)
            for field in fields}


def _of_storage(layout: str | None, storage: str) -> str | None:
    """From a layout for all columns, the one of this column; "parts" applies to every column."""
    return layout if layout in _LAYOUTS.get(storage, ("values", "parts")) else None


def tensor_of_entries(frame: Frame, layout: str) -> Any:
    """A sparse tensor of a tensor's entries: "csr", "csc" or "coo"."""
    from ._scipy import entries_of, matrix_of_frame

    shape = frame.schema.tensor.shape if frame.schema.tensor is not None else ()
    if layout == "coo" or len(shape) != 2:
        coordinates, values = entries_of(frame)
        return torch.sparse_coo_tensor(torch.from_numpy(np.stack(coordinates)), tensor(values), size=shape,
                                       check_invariants=False)
    matrix = matrix_of_frame(frame, layout)
    make = csr if layout == "csr" else torch.sparse_csc_tensor
    return make(tensor(matrix.indptr), tensor(matrix.indices), tensor(matrix.data), size=matrix.shape)


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
    def of(cls, batch: Batch, layout: str | None, pin_memory: bool) -> TensorBatch:
        made = cls(batch.to_torch(layout, pin_memory))
        for name in ("number", "position", "sweep", "sweep_end", "epoch_end", "sequences", "samples",
                     "state"):
            setattr(made, name, getattr(batch, name))
        made.sequence_keys, made.sequence_lengths = batch.keys, batch.lengths
        return made


class TorchBatches(IterableDataset):  # type: ignore[misc]
    """The batches of a loader as tensors; it has the loader's state."""

    def __init__(self, loader: Batches, layout: str | None, pin_memory: bool) -> None:
        self.loader, self._layout, self._pin = loader, layout, pin_memory

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
        return TensorBatch.of(batch, self._batches._layout, self._batches._pin and not inside)

    def state_dict(self) -> dict[str, Any]:
        return self._batches.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._batches.load_state_dict(state)


def dataset_of_batches(loader: Batches, layout: str | None, pin_memory: bool) -> TorchBatches:
    return TorchBatches(loader, layout, pin_memory)


class IterableBatches(Batches, IterableDataset):  # type: ignore[misc]
    """`Batches` as torch's own class of datasets."""


def iterable(loader: Batches) -> Batches:
    """The same loader for ``DataLoader(loader, batch_size=None)``."""
    loader.__class__ = IterableBatches
    return loader
