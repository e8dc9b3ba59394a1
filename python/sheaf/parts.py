# SPDX-License-Identifier: MIT
"""The rows of a dataset in parts, for other processes to read: for Dask, Ray, Spark, pools."""
from __future__ import annotations

from ctypes import POINTER, byref, c_void_p, create_string_buffer
from itertools import accumulate
from typing import NamedTuple

from . import _layout as c
from ._config import configured
from ._context import Context, Handle, bytes_of
from ._errors import DataError, UsageError, shown, wrong
from ._library import lib
from ._options import Given
from ._peers import made
from ._source import expanded, fingerprint, name_of
from .dataset import Opening, Reader
from .frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from .fields import Schema


class _Run(NamedTuple):
    """Consecutive pieces of one file."""

    opening: Opening
    fingerprint: str
    pieces: tuple[int, int]
    first: int  # row of the file
    rows: int
    bytes: int

    def frames(self) -> Iterator[Frame]:
        reader, found, entry = self.reader(), c.sheaf_frame(), c.sheaf_piece_entry()
        lib.sheaf_pieces_at(_pieces_of(reader), self.pieces[0], byref(entry))
        if entry.row != self.first:
            raise self.changed()
        with reader.handle as pointer:
            for number in range(*self.pieces):
                reader.context.run(lib.sheaf_dataset_read_piece, pointer, number, byref(found),
                                   reader.context.handle)
                try:
                    yield Frame(reader.schema, reader.context, POINTER(c.sheaf_frame)(found))
                finally:
                    lib.sheaf_frame_free(byref(found))

    def reader(self) -> Reader:
        if fingerprint(self.opening.source) != self.fingerprint:
            raise self.changed()
        return Reader(self.opening, access=c.SHEAF_RANDOM)

    def changed(self) -> DataError:
        """Tasks may be retried hours later, and elsewhere."""
        return DataError.about(name_of(self.opening.source),
                               "the file as it was when its partitions were made",
                               "that it has changed: make them again")


class Partition:
    """``rows`` rows from row ``first`` on, ``bytes`` bytes of the (decompressed) files; ``fingerprint`` is
    that of the files.

    It can be pickled, holds nothing open, and is a table for Arrow; iterating it gives frames. A file that
    has changed since is refused, with a `DataError`. With an index beside the file (`sheaf.index`) opening
    one reads a page; without, it takes a pass over the input that finds rows and reads no values.
    """

    def __init__(self, runs: list[_Run], first: int) -> None:
        self._runs, self.first = runs, first
        self.rows, self.bytes = sum(run.rows for run in runs), sum(run.bytes for run in runs)
        self.fingerprint = " ".join(dict.fromkeys(run.fingerprint for run in runs))

    @property
    def schema(self) -> Schema:
        return self._runs[0].reader().schema

    @property
    def paths(self) -> list[str]:
        """The files that contain its rows."""
        return [name_of(run.opening.source) for run in self._runs]

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[Frame]:
        """A frame for each piece."""
        for run in self._runs:
            yield from run.frames()

    def hashed(self, keys: bool = False) -> bytes:
        """A part of the hash of all rows: `hash_of` combines those of all partitions."""
        with self._hash(keys) as pointer:
            row = self.first
            for frame in self:
                frame._context.call(lib.sheaf_hash_add, pointer, byref(frame.c), row)
                row = -1  # each follows the one before
            return bytes_of(lambda out, err: lib.sheaf_hash_save(pointer, byref(out), byref(err)))

    def hash_of(self, hashes: Iterable[bytes], keys: bool = False) -> str:
        """The result of `sheaf.hash` for all rows, from what `hashed` returns for each partition.

        >>> parts = sheaf.partitions("words.ctf", 2)
        >>> parts[0].hash_of(part.hashed() for part in parts) == sheaf.hash("words.ctf")
        True
        """
        hashing, digits = self._hash(keys), create_string_buffer(33)
        with hashing as pointer:
            for one in hashes:
                hashing.context.call(lib.sheaf_hash_merge, pointer, one, len(one))
            lib.sheaf_hash_text(pointer, digits)
        return digits.value.decode()

    def _hash(self, keys: bool) -> Handle:
        context = Context()
        hashing = Handle(context, lib.sheaf_hash_free)
        context.call(lib.sheaf_hash_new, byref(self.schema.c), keys, False, context.handle,
                     byref(hashing.pointer))
        return hashing

    def _identity(self) -> tuple[Any, ...]:
        return self.first, self.rows, self.bytes, self.fingerprint, tuple(self.paths)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partition) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return made("arrow_stream", self, requested_schema)

    def to_arrow(self, offsets: int = 64) -> Any:
        """A pyarrow.Table of its rows; ``offsets=32`` for programs that need lists with offsets of 32 bits."""
        return made("arrow", self, offsets)

    def __repr__(self) -> str:
        return f"Partition({', '.join(map(shown, map(str, self.paths)))}: rows {self.first} to {self.first + self.rows})"


def _pieces_of(reader: Reader) -> Any:
    """The table of pieces, which belongs to the dataset."""
    pieces = c_void_p()
    with reader.handle as pointer:
        reader.context.run(lib.sheaf_dataset_pieces, pointer, byref(pieces))
    return pieces


class Share(NamedTuple):
    """The contents of one part of a job: parts are counted from 1."""

    part: int
    pieces: int
    bytes: int
    rows: int


def plan(source: Any = None, parts: int = 1, **options: Any) -> list[Share]:
    """How ``parts`` parts of a conversion (``sheaf.convert(part=(i, n))``) would share a file: what ``sheaf
    plan`` prints. If there is an index beside the file, nothing else is read.

    >>> [share.rows for share in sheaf.plan("words.ctf", 2)]
    [1, 1]
    """
    source, options = configured("plan", source, options)
    if not isinstance(parts, int) or not 1 <= parts <= 1 << 20:
        raise wrong("parts", f"a number from 1 to {1 << 20}", parts)
    reader = Reader(Opening(source, Given("plan", options, besides=("parts",))))
    found = (c.sheaf_part_share * parts)()
    with reader.handle as pointer:
        reader.context.run(lib.sheaf_dataset_shares, pointer, parts, found)
    return [Share(i + 1, int(one.pieces), int(one.bytes), int(one.rows)) for i, one in enumerate(found)]


def partitions(sources: Any = None, n: int | None = None, **options: Any) -> list[Partition]:
    """The rows of a dataset, or of several with the same columns one after the other, in at most ``n`` parts
    of about as many rows each; without ``n`` as many as there are pieces. A pattern, "@LIST" or a list names
    several files. Options as in `sheaf.open`; ``threads=1`` by default, since partitions are usually read by
    one process each.

    >>> sum(part.rows for part in sheaf.partitions("words.ctf", 4))
    2
    """
    sources, options = configured("cat", sources, options)
    given = Given("cat", options, name="partitions")
    if n is not None and n < 1:
        raise wrong("n", "a number above 0", n)
    settings = {} if given.flag("threads") else {"threads": 1}
    members = {"entries": c.SHEAF_ENTRIES_EXPANDED} if given.flag("expand") else {}
    files = [Opening(source, given, settings=settings, members=members) for source in expanded(sources)]
    pieces = _all_pieces(files)
    if not pieces:  # a table without rows has columns
        return [Partition([_Run(files[0], fingerprint(files[0].source), (0, 0), 0, 0, 0)], 0)]
    ends = list(accumulate(piece.rows for piece in pieces))
    starts = [0, *ends[:-1]]
    return [Partition(_joined(pieces[begin:end]), starts[begin])
            for begin, end in _runs(starts, ends[-1], n or len(pieces))]


def _all_pieces(files: list[Opening]) -> list[_Run]:
    """A run for each piece of each file. The files have the same columns."""
    found: list[_Run] = []
    columns: list[tuple[Any, ...]] | None = None
    for opening in files:
        reader = Reader(opening, access=c.SHEAF_RANDOM)
        mine = [(f.name, f.storage, f.dim, f.type) for f in reader.schema.fields]
        if columns is not None and mine != columns:
            raise UsageError.about(name_of(opening.source), f"the columns of {name_of(files[0].source)}",
                                   "others")
        columns = mine
        found += _pieces_in(reader, opening)
    return found


def _pieces_in(reader: Reader, opening: Opening) -> Iterator[_Run]:
    mark, pieces, entry = fingerprint(opening.source), _pieces_of(reader), c.sheaf_piece_entry()
    for i in range(lib.sheaf_pieces_count(pieces)):
        lib.sheaf_pieces_at(pieces, i, byref(entry))
        yield _Run(opening, mark, (i, i + 1), int(entry.row), int(entry.rows), int(entry.size))


def _joined(pieces: list[_Run]) -> list[_Run]:
    """Joins runs that are consecutive in a file."""
    runs: list[_Run] = []
    for piece in pieces:
        last = runs[-1] if runs else None
        if last is not None and last.opening is piece.opening:
            runs[-1] = last._replace(pieces=(last.pieces[0], piece.pieces[1]), rows=last.rows + piece.rows,
                                     bytes=last.bytes + piece.bytes)
        else:
            runs.append(piece)
    return runs


def _runs(starts: list[int], total: int, n: int) -> list[tuple[int, int]]:
    """Pieces in n runs: each ends with the piece in which its share of the rows ends."""
    runs, begin = [], 0
    for part in range(1, n + 1):
        end = begin
        # A piece belongs to the run in which its first row would be.
        while end < len(starts) and (starts[end] * n < total * part or part == n):
            end += 1
        if end > begin:
            runs.append((begin, end))
        begin = end
    return runs
