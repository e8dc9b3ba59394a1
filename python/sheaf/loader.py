# SPDX-License-Identifier: MIT
"""Minibatches: an iterable with a state."""
from __future__ import annotations

import os
import sys
import threading
from ctypes import POINTER, byref, c_int64, c_uint64, c_void_p, cast, create_string_buffer, pointer
from types import SimpleNamespace

from . import _layout as c
from ._config import configured_batches
from ._context import Context, Handle
from ._errors import StaleError, UsageError, error_from, wrong
from ._library import lib
from ._options import Given, rows_of
from ._peers import made
from ._source import expanded
from .dataset import Opening
from .frame import Frame, Held, view
from .packed import Packed
from .fields import Schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    import numpy as np
    from numpy.typing import NDArray

    from ._context import Progress

_SEQUENCES = 1  # the place of this unit among those of size
_CNTK_CHUNK = 32 << 20
# What a pickle of a batch has of its numbers.
_KEPT = ("number", "begin", "end", "sweep", "sweep_end", "epoch_end", "sequences", "samples", "repeated")
_PACKINGS = {"rows": c.SHEAF_PACK_SEQUENCES, "frames": c.SHEAF_PACK_FRAMES}


class Batch(Frame):
    """One minibatch: a frame whose rows are its sequences (``batch["A"]`` is a `Column`), or packed streams
    (``batch.packed``).

    ``number`` counts from 0 in this iteration; ``position`` is (before, after) in samples, over all shards;
    ``sweep`` the one in which it begins; ``sweep_end`` and ``epoch_end`` say whether one ends in it or after
    it; ``samples`` and ``sequences`` are this shard's; ``repeated`` the number of sequences at the end that
    only fill it up; ``state`` is the loader's state after it.
    """

    _own: dict[int, NDArray[Any]] = {}  # noqa: RUF012: of one that was pickled
    _given: Any
    _state: Any

    def __init__(self, opened: _Opened, batch: Any, state: _State) -> None:
        schema, context, held = opened.schema, opened.context, c_void_p()
        context.call(lib.sheaf_batch_hold, batch, byref(schema.c), context.handle, byref(held))
        self._owner, self._context, self.schema = Held(held, lent=True), context, schema
        self._columns, self._parts, self._state = {}, None, state
        given = self._given = c.sheaf_batch.from_buffer_copy(batch[0])
        self._nrows = int(given.sequences)
        self.packed: dict[str, Packed] | None = None
        if not given.frame:
            self._opened = opened
            grids = [given.packed[i] for i in range(given.npacked)]
            self.packed = {}
            for grid in grids:
                field = schema.fields[grid.field]
                self.packed[field.name] = Packed(field, grid, self._held, self._flat()[grid.field])

    @property
    def number(self) -> int:
        """The number of this batch in the iteration, from 0."""
        return int(self._given.number)

    @property
    def position(self) -> tuple[int, int]:
        """Where it begins and ends, in samples over all shards."""
        return int(self._given.begin), int(self._given.end)

    @property
    def sweep(self) -> int:
        """The sweep in which it begins."""
        return int(self._given.sweep)

    @property
    def sweep_end(self) -> bool:
        """Whether a sweep ends in it or after it."""
        return bool(self._given.sweep_end)

    @property
    def epoch_end(self) -> bool:
        """Whether an epoch ends with it."""
        return bool(self._given.epoch_end)

    @property
    def sequences(self) -> int:
        """Those of this shard."""
        return self._nrows

    @property
    def samples(self) -> int:
        """Those of this shard."""
        return int(self._given.samples)

    @property
    def repeated(self) -> int:
        """The number of sequences at the end that only fill it up."""
        return int(self._given.repeated)

    def _array(self, part: int, dtype: str) -> NDArray[Any]:
        """Arrays that belong to no column."""
        if part in self._own:
            return self._own[part]
        found = self._flat().get(-1, {}).get((part, 0))
        return view(self._held, found[0] if found else 0, found[1] if found else 0, dtype)

    @property
    def row_keys(self) -> NDArray[np.uint64]:
        """The key of each sequence (its number, if datasets follow one another)."""
        return self._array(c.SHEAF_PART_KEYS, "u8")

    @property
    def lengths(self) -> NDArray[np.uint32]:
        """The samples of each sequence."""
        return self._array(c.SHEAF_PART_LENGTHS, "u4")

    @property
    def state(self) -> dict[str, Any]:
        """The argument of `Batches.load_state_dict` for continuing after this batch."""
        state: dict[str, Any] = self._state.asdict()
        return state

    def grid(self) -> Frame:
        """A packed batch as rows that formats hold: each row of the grid is a sequence of as many samples as
        the grid has steps, zeros where there is none. Beside each stream A there is "A.mask" (uint8): 1 where
        there is a sample. With ``pad=`` and ``pack="frames"`` a row has the key of its sequence; else each
        sample has that in "A.key" (uint64), and its number in the sequence in "A.step" (int64). A
        `UsageError` if the batch is not packed, a stream has one of these names, or the loader was closed.
        `write` writes such rows.

        >>> batch = next(iter(sheaf.batches("words.ctf", size=8, pad=1)))
        >>> batch.grid()["tag.mask"].values.size == batch.packed["tag"].rows * batch.packed["tag"].width
        True
        """
        if self.packed is None:
            raise UsageError.about("batch", "one that is packed", "one with a frame")
        keys, given = self.row_keys, c.sheaf_batch.from_buffer_copy(self._given)
        grids = (c.sheaf_packed * len(self.packed))(*[packed.c for packed in self.packed.values()])
        given.keys = cast(keys.ctypes.data, POINTER(c_uint64))
        given.packed = cast(grids, POINTER(c.sheaf_packed))
        schema, frame, opened = c.sheaf_schema(), c.sheaf_frame(), self._opened
        with opened.handle as batches:
            opened.context.call(lib.sheaf_batch_grid, batches, byref(given), byref(schema), byref(frame))
            try:
                return Frame(Schema(schema), opened.context, pointer(frame))
            finally:
                lib.sheaf_frame_free(byref(frame))
                lib.sheaf_schema_free(byref(schema))

    def _rows(self) -> Frame:
        return self if self.packed is None else self.grid()

    def pin_memory(self) -> dict[str, Any]:
        """Called by torch's DataLoader: the streams as tensors in page-locked memory."""
        pinned: dict[str, Any] = self.to_torch(pin_memory=True)
        return pinned

    def __reduce__(self) -> tuple[Any, ...]:
        if self.packed is not None:
            raise TypeError("Batch: grid() gives the rows of a packed one as a frame, which can be pickled")
        given = {name: getattr(self._given, name) for name in _KEPT}
        return _batch_of, (self[:], given, self.row_keys, self.lengths, self.state)

    def __repr__(self) -> str:
        return (f"Batch({self.number}: {self.sequences} sequences, {self.samples} samples, "
                f"position {self.position})")


def _batch_of(frame: Frame, given: dict[str, Any], keys: Any, lengths: Any, state: dict[str, Any]) -> Batch:
    """From what a pickle has."""
    batch = Batch.__new__(Batch)
    vars(batch).update(vars(frame))
    batch._given, batch._state = SimpleNamespace(**given), SimpleNamespace(asdict=state.copy)
    batch._own, batch.packed = {c.SHEAF_PART_KEYS: keys, c.SHEAF_PART_LENGTHS: lengths}, None
    return batch


class Batches:
    """Minibatches of one or several datasets; see `sheaf.batches`.

    Each ``for batch in loader`` is one epoch (or ``epochs=`` of them), and the next loop continues with the
    next epoch. An epoch that was broken off begins again, unless a state was loaded. Nothing is open before
    the first batch, and it is opened in the process that requests it, so loaders can be pickled and survive
    fork and spawn; from then on files stay open, and pieces of them in memory, at most half of
    ``max_memory``, for later epochs: `close` releases everything. ``shard`` is (rank, world), ``note`` says
    where they come from.
    """

    def __init__(self, sources: Any, keywords: Mapping[str, Any], rank: int | str | None = None,
                 world: int | None = None, mmap: bool = False,
                 progress: bool | Progress | None = None) -> None:
        self._arguments = (sources, dict(keywords), rank, world, mmap, progress)
        sources, options, each = configured_batches(sources, keywords)
        sources = expanded(sources)
        self._given = _given(options)
        givens = [_given({**one, **options}) for one in each] or [self._given] * len(sources)
        if len(givens) != len(sources):
            raise wrong("config", f"a file for each of its {len(givens)} inputs", len(sources))
        self._openings = [Opening(source, given, mmap, progress if i == 0 else None)
                          for i, (source, given) in enumerate(zip(sources, givens))]
        self.shard, self.note = _shard(self._given, rank, world)
        self._first, last = _epochs(self._given.take("epochs"))
        self._epoch, self._epochs = self._first, last - self._first
        # where the next iteration begins, if not at the beginning of an epoch
        self._start: dict[str, Any] | None = None
        self._state: _State | None = None
        self._opened: _Opened | None = None  # between two epochs
        self._length: int | None = None
        self._lock = threading.RLock()
        self._options()  # what is wrong with them is said here

    # ---- options ----

    def _options(self, first_epoch: int = 0, stride: int = 1) -> c.sheaf_batch_options:
        given = self._given
        rank, world = self.shard
        window, in_samples = _amount(given, "window")
        size, unit = _amount(given, "size")
        epoch, in_sweeps = _amount(given, "epoch-size")
        filled: c.sheaf_batch_options = given.fill(
            c.sheaf_batch_options, rank=rank, world=world, stride=stride, first_epoch=first_epoch,
            length=window, in_samples=bool(in_samples), batch_size=size or 256, unit=unit,
            sweeps=epoch * in_sweeps, epoch_size=epoch * (1 - in_sweeps))
        filled.epochs[0].epochs = self._last(first_epoch) - first_epoch
        packing, truncation = self._packing()
        if packing:
            filled.packing = pointer(given.fill(c.sheaf_packing_options, packing=packing,
                                                truncation=truncation))
        weights = given.take("mix")
        if weights is not None:
            numbers = [_whole(word) for word in weights.split(",")]
            if len(numbers) != len(self._openings) or min(numbers) < 1:
                raise wrong("mix", f"a weight above 0 for each of {len(self._openings)} files", weights)
            filled.weights = (c_int64 * len(numbers))(*numbers)
        _at_most_one(given, ("join", "mix"), "way to combine files")
        return filled

    def _last(self, epoch: int) -> int:
        """The epoch before which the current iteration ends."""
        return epoch + self._epochs - max(0, epoch - self._first) % self._epochs

    def _packing(self) -> tuple[int, int]:
        """How batches are packed, and after how many steps they are cut."""
        _at_most_one(self._given, ("pack", "pad"), "way to pack")
        pack = self._given.take("pack")
        if self._given.flag("pad") and not self._given.number("pad", 0):
            raise wrong("pad", "a number above 0", 0)
        if pack is None:
            return c.SHEAF_PACK_PADDED if self._given.flag("pad") else c.SHEAF_PACK_NONE, 0
        if pack in _PACKINGS:
            return _PACKINGS[pack], 0
        if _whole(pack) < 1:
            raise wrong("pack", '"rows", "frames" or a number above 0', f"{pack!r}")
        return c.SHEAF_PACK_TRUNCATED, _whole(pack)

    def _piece_bytes(self) -> int:
        """CNTK reads texts in chunks of this size; one of one byte has one sequence, and so does one of
        none."""
        if self._given.take("chunk-bytes") is None:
            return _CNTK_CHUNK if self._given.take("order") == "cntk" else 0
        return max(1, self._given.number("chunk-bytes", 0))

    # ---- iterating ----

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """The number of batches of an iteration, which plans them, without their rows. A TypeError if it
        depends on the epoch."""
        if self._length is None:
            opened = _Opened(self, self._first)
            try:
                self._length = self._count(opened)
            finally:
                opened.close()
        return self._length

    def _count(self, opened: _Opened) -> int:
        given, counts = self._given, [c_int64(), c_int64(), c_int64()]
        with opened.handle as pointer:
            lib.sheaf_batches_facts(pointer, *map(byref, counts))
            alike = _amount(given, "size")[1] == _SEQUENCES or counts[0].value == counts[1].value
            if not alike or any(map(given.flag, ("bucket", "pack", "mix", "epoch-size"))):
                raise TypeError("how many batches there are depends on the epoch, as sequences differ in length; "
                                'size=(8, "sequences") makes as many in each')
            found = 0
            while opened.context.call(lib.sheaf_batches_skip, pointer, 1) == c.SHEAF_OK:
                found += 1
        return found

    def __iter__(self) -> Iterator[Batch]:
        """One epoch, or ``epochs=`` of them."""
        if _worker() is not None:
            raise UsageError.about("loader", "tensors in the workers of a DataLoader, loader.to_torch()",
                                   "batches, which are memory of one process")
        return Iteration(self)

    def state_dict(self) -> dict[str, Any]:
        """The state after the last batch that was returned: a dict of numbers and short texts, under 256
        bytes as JSON; the same on every shard (except with ``timeline="local"`` in the orders "cntk" and
        "file")."""
        with self._lock:
            if self._state is not None:
                return self._state.asdict()
            return dict(self._start or {"epoch": self._epoch})

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """The next iteration goes on where a state says: any number of ranks may do so. It must be of the
        same data, seed and options; what is wrong is said when the first batch is asked for."""
        if not hasattr(state, "keys") or "epoch" not in state:
            raise wrong("state", 'what state_dict() gives, with "epoch"', f"{state!r}")
        with self._lock:
            self._start, self._state, self._epoch = dict(state), None, int(state["epoch"])

    def set_epoch(self, epoch: int) -> None:
        """The next iteration begins with this epoch, from 0."""
        self.load_state_dict({"epoch": epoch})

    def close(self) -> None:
        """Releases the files, and their data in memory. The next iteration opens them again."""
        self._keep(None)

    def _keep(self, opened: _Opened | None) -> None:
        """Kept for the next iteration."""
        with self._lock:
            opened, self._opened = self._opened, opened
        if opened is not None:
            opened.close()

    def _open(self, epoch: int, stride: int) -> _Opened:
        """What the last iteration has left, or a new one, at the beginning of an epoch."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is None or not opened.serves(stride):
            return _Opened(self, epoch, stride)
        with opened.handle as pointer:
            opened.context.run(lib.sheaf_batches_start_epoch, pointer, epoch, self._last(epoch) - epoch)
        return opened

    def facts(self) -> dict[str, int | None]:
        """``sequences`` and ``samples`` of a sweep, over all shards, and sequences ``dropped`` because they
        have no partner."""
        counts = [c_int64(), c_int64(), c_int64()]
        opened = _Opened(self, self._epoch)
        with opened.handle as pointer:
            lib.sheaf_batches_facts(pointer, *map(byref, counts))
        opened.close()
        return {name: n.value if n.value >= 0 else None
                for name, n in zip(("sequences", "samples", "dropped"), counts)}

    @property
    def schema(self) -> Schema:
        """The schema of the batches: all streams of joined files."""
        opened = _Opened(self, self._epoch)
        try:
            return opened.schema
        finally:
            opened.close()

    # ---- for others ----

    def to_torch(self, layout: str | None = None, pin_memory: bool = False, missing: Any = None,
                 columns: Sequence[str] | None = None) -> Any:
        """A torch IterableDataset whose items are dicts of tensors: for ``DataLoader(..., batch_size=None)``,
        StatefulDataLoader, or to be iterated directly. It has this loader's state. The arguments are those of
        `Frame.to_torch`."""
        how = {"layout": layout, "missing": missing, "columns": columns}
        return made("torch", self, pin_memory, how)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return made("arrow_stream", self, requested_schema)

    def __getstate__(self) -> dict[str, Any]:
        state = self.state_dict()
        return {"arguments": self._arguments, "start": state if len(state) > 1 else None,
                "epoch": self._epoch}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        sources, keywords, rank, world, mmap, progress = saved["arguments"]
        Batches.__init__(self, sources, keywords, rank, world, mmap, progress)
        self._start, self._epoch = saved["start"], saved["epoch"]

    def __repr__(self) -> str:
        names = ", ".join(repr(str(opening.source)) for opening in self._openings[:3])
        more = ", ..." if len(self._openings) > 3 else ""
        return f"Batches({names}{more}; shard {self.shard[0]} of {self.shard[1]}{self.note})"


class _Opened:
    """The library's batches, open: they belong to the process that opened them."""

    def __init__(self, loader: Batches, first_epoch: int, stride: int = 1) -> None:
        self._stride = stride
        self.context = loader._openings[0].context()
        self._index: dict[str, int] = {}
        try:
            self._open(loader, first_epoch)
        except StaleError:
            if loader._openings[0].insist_on_index():
                raise
            self._index = {"index": c.SHEAF_INDEX_NEVER}
            self._open(loader, first_epoch)
        with self.handle as pointer:
            self.schema = Schema(lib.sheaf_batches_schema(pointer)[0])

    def _open(self, loader: Batches, first_epoch: int) -> None:
        self.datasets = [opening.open(self.context, access=c.SHEAF_RANDOM, rows=c.SHEAF_TAKES_SEQUENCES,
                                      piece_bytes=loader._piece_bytes(), **self._index)
                         for opening in loader._openings]
        pointers = (c_void_p * len(self.datasets))(*[handle.pointer for handle in self.datasets])
        self.options = loader._options(first_epoch, self._stride)
        self.handle = Handle(self.context, lib.sheaf_batches_close)
        for dataset in self.datasets:
            self.handle.need(dataset)
        self.context.run(lib.sheaf_batches_open, pointers, len(self.datasets), byref(self.options),
                         self.context.handle, byref(self.handle.pointer))

    def serves(self, stride: int) -> bool:
        """Whether they belong to this process, and have that stride."""
        return self.context.pid == os.getpid() and self._stride == stride

    def close(self) -> None:
        self.handle.close()
        for handle in self.datasets:
            handle.close()


class Iteration:
    """One pass: it opens what it needs with its first batch, in the process that requests it."""

    def __init__(self, loader: Batches) -> None:
        self._loader = loader
        self._opened: _Opened | None = None
        self._text = create_string_buffer(c.SHEAF_STATE_SIZE)
        self._done = False

    def __iter__(self) -> Iteration:
        return self

    def _begin(self) -> _Opened:
        """Moves to the loader's place, and skips what other workers make."""
        import json

        loader = self._loader
        with loader._lock:
            start = dict(loader._start or {"epoch": loader._epoch})
        self._epoch = int(start.pop("epoch"))
        self._last = loader._last(self._epoch)
        number, self._stride = _worker() or (0, 1)
        ahead = int(start.pop("ahead", number))
        opened = loader._open(self._epoch, self._stride)
        with opened.handle as pointer:
            if start:
                opened.context.run(lib.sheaf_batches_resume, pointer,
                                   json.dumps(start, separators=(",", ":")).encode())
            if ahead:  # they are other workers'
                self._done = bool(opened.context.run(lib.sheaf_batches_skip, pointer, ahead))
        return opened

    def __next__(self) -> Batch:
        if self._opened is None and not self._done:
            self._opened = self._begin()
        opened = self._opened
        if self._done or opened is None:
            self._end()
            raise StopIteration
        found = POINTER(c.sheaf_batch)()
        with opened.handle as pointer:
            if opened.context.call(lib.sheaf_batches_next, pointer, byref(found)):
                self._epoch = self._last
                self._end()
                raise StopIteration
            lib.sheaf_batches_state(pointer, self._text)
            self._epoch += bool(found[0].epoch_end)
            state = _State(self._text.value, self._epoch, self._stride - 1)
            batch = Batch(opened, found, state)
        with self._loader._lock:
            self._loader._state = state
        if self._epoch >= self._last:
            self._end()
        return batch

    def _end(self) -> None:
        """The next iteration continues with the next epoch, and with what is open."""
        opened, self._opened = self._opened, None
        if opened is None:
            return
        self._done = True
        loader = self._loader
        with loader._lock:
            loader._epoch, loader._start = self._epoch, None
            if self._stride > 1:  # what is left of the epoch is other workers'
                loader._state = None
        loader._keep(opened)

    def state_dict(self) -> dict[str, Any]:
        return self._loader.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._loader.load_state_dict(state)

    def close(self) -> None:
        """Releases the files."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()


class _State:
    """The library's state, as a text that is parsed only when it is used."""

    __slots__ = ("_ahead", "_epoch", "_text")

    def __init__(self, text: bytes, epoch: int, ahead: int) -> None:
        self._text, self._epoch, self._ahead = text, epoch, ahead

    def asdict(self) -> dict[str, Any]:
        import json

        state: dict[str, Any] = json.loads(self._text)
        state["epoch"] = self._epoch
        if self._ahead:
            state["ahead"] = self._ahead
        return state


def _worker() -> tuple[int, int] | None:
    """Which worker of a torch DataLoader this process is, and how many there are; None if it is not a
    worker."""
    torch_data = sys.modules.get("torch.utils.data")
    worker = torch_data.get_worker_info() if torch_data is not None else None
    return None if worker is None else (worker.id, worker.num_workers)


def _given(options: Mapping[str, Any]) -> Given:
    return Given("batches", options, besides=("rank", "world", "mmap", "progress"), name="batches")


def _whole(text: str) -> int:
    """A number of at least 0 that the library can take; -1 if the text is none."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else -1
    return number if number < 1 << 63 else -1


def _amount(given: Given, name: str) -> tuple[int, int]:
    """"4096tokens": the number, 0 if it is left out, and the place of its unit among those that the row of
    the option has in brackets, 0 if that is left out."""
    text, argument = given.take(name), rows_of("batches")[name]["argument"]
    if text is None:
        return 0, 0
    word = text.lstrip("0123456789")
    digits = text[:len(text) - len(word)]
    units = argument[argument.index("[") + 1:-1].split("|")
    found = [i for i, unit in enumerate(units) if word in (unit, unit[:-1])] if word else [0]
    if not found or not text or (digits and _whole(digits) < 1):
        raise wrong(name, f"{argument} with N above 0", text)
    return _whole(digits) if digits else 0, found[0]


def _epochs(text: str | None) -> tuple[int, int]:
    """"3" or "2:5": the first epoch, and the one after the last."""
    if text is None:
        return 0, 1
    ends = [_whole(end) for end in (text if ":" in text else f"0:{text}").split(":")]
    if len(ends) != 2 or not 0 <= ends[0] < ends[1]:
        raise wrong("epochs", "a number above 0, or A:B with A below B", text)
    return ends[0], ends[1]


def _at_most_one(given: Given, names: Sequence[str], what: str) -> None:
    found = [name for name in names if given.flag(name)]
    if len(found) > 1:
        raise UsageError.about(found[1].replace("-", "_"), f"one {what}",
                               f"{found[0].replace('-', '_')} as well")


def _shard(given: Given, rank: int | str | None, world: int | None) -> tuple[tuple[int, int], str]:
    """(rank, world), and how they were found if they were not given."""
    text = given.take("shard")
    if text is not None and (rank is not None or world is not None):
        raise wrong("shard", "it, or rank and world", "both")
    if rank == "env":
        if world is not None:
            raise wrong("world", 'none with rank="env"', "one")
        return _named("env", "rank")
    if text is not None:
        return _named(text, "shard")
    if rank is None and world is None:
        return (0, 1), ""
    if not isinstance(rank, int) or not isinstance(world, int) or not 0 <= rank < world:
        raise wrong("rank", 'a number below world, or "env"', f"rank {rank!r} and world {world!r}")
    return (rank, world), ""


def _named(text: str, option: str) -> tuple[tuple[int, int], str]:
    """Of "RANK/WORLD", or of "env": then it is said, for an interactive shell inside a job has such
    variables, too."""
    found, err = c.sheaf_shard(), c.sheaf_error()
    if lib.sheaf_shard_from_text(text.encode(), byref(found), byref(err)):
        failure = error_from(err)
        raise wrong(option, failure.expected, failure.found)
    shard, note = (int(found.rank), int(found.world)), ""
    if found.origin:
        import logging

        note = f", as {found.origin.decode()} says"
        logging.getLogger("sheaf").info("shard %d of %d%s", *shard, note)
    return shard, note


def batches(sources: Any = None, *, rank: int | str | None = None, world: int | None = None,
            mmap: bool = False, progress: bool | Progress | None = None, **options: Any) -> Batches:
    """Minibatches of one dataset or several (a path, a pattern, "@LIST", or a list of them).

    Options are those of ``sheaf batches`` and of the format: ``size=256`` samples
    (``size="8sequences"``), ``seed=``, ``order=``, ``window=``, ``bucket=True``, ``pad=8``,
    ``pack="rows"`` or ``pack=20`` steps, ``join=True``, ``mix=[3, 1]``. ``rank`` and ``world`` select the
    shard; ``rank="env"`` takes them from torchrun, Slurm or MPI (this must be requested: a shell inside a
    job has their variables, too, and would silently lose data).

    >>> loader = sheaf.batches("words.ctf", size="1sequences", seed=7)
    >>> sum(batch.sequences for batch in loader)
    2
    >>> len(str(loader.state_dict())) < 256
    True
    """
    loader = Batches(sources, options, rank, world, mmap, progress)
    return made("loader", loader) if "torch" in sys.modules else loader
