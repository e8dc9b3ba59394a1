# SPDX-License-Identifier: MIT
"""The rows of a dataset in parts, which other processes read: for Dask, Ray, Spark, pools."""
from __future__ import annotations

from ctypes import POINTER, byref
from typing import NamedTuple

from . import _layout as c
from ._config import configured
from ._errors import UsageError
from ._library import lib
from ._options import Given
from .dataset import Opening, Reader
from .frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .fields import Schema


class Partition:
    """A run of ``rows`` rows from row ``first`` on. It pickles, holds nothing open, and is a table for Arrow.

    Its pieces are decoded one after the other by `__iter__`, all of them by `read`. With an index beside the
    file (`sheaf.index`) opening one reads a page; without, a pass over the input that looks for rows and
    reads no values.
    """

    def __init__(self, opening: Opening, pieces: tuple[int, int], first: int, rows: int) -> None:
        self._opening, self._pieces, self.first, self.rows = opening, pieces, first, rows

    def _reader(self) -> Reader:
        return Reader(self._opening, random=True)

    @property
    def schema(self) -> Schema:
        return self._reader().schema

    def __len__(self) -> int:
        return self.rows

    def __iter__(self) -> Iterator[Frame]:
        """A frame for each piece."""
        reader, found = self._reader(), c.sheaf_frame()
        _pieces_of(reader)
        with reader.handle as pointer:
            for number in range(*self._pieces):
                reader.context.run(lib.sheaf_dataset_read_piece, pointer, number, byref(found),
                                   reader.context.handle)
                try:
                    yield Frame(reader.schema, reader.context, POINTER(c.sheaf_frame)(found))
                finally:
                    lib.sheaf_frame_free(byref(found))

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from ._arrow import frames_stream

        return frames_stream(self.schema, self, None, requested_schema)

    def __repr__(self) -> str:
        return f"Partition({self._opening.source!r}, rows {self.first} to {self.first + self.rows})"


def _pieces_of(reader: Reader) -> Any:
    """The table of pieces, which is the dataset's."""
    from ctypes import c_void_p

    pieces = c_void_p()
    with reader.handle as pointer:
        reader.context.run(lib.sheaf_dataset_pieces, pointer, byref(pieces))
    return pieces


class Share(NamedTuple):
    """What one part of a job has: parts are counted from 1."""

    part: int
    pieces: int
    bytes: int
    rows: int


def plan(source: Any = None, ranks: int = 1, **options: Any) -> list[Share]:
    """How ``ranks`` parts of a conversion (``sheaf.convert(part=(i, n))``) would share a file, before
    anything is done: what ``sheaf plan`` prints. With an index beside the file nothing else is read.

    >>> [share.rows for share in sheaf.plan("words.ctf", 2)]
    [1, 1]
    """
    source, options = configured("plan", source, options)
    if not 1 <= ranks <= 1 << 20:
        raise UsageError(f"ranks: expected a number from 1 to {1 << 20}, found {ranks}", "ranks")
    reader = Reader(Opening(source, Given("plan", options, besides=("ranks",))))
    found = (c.sheaf_part_share * ranks)()
    with reader.handle as pointer:
        reader.context.run(lib.sheaf_dataset_shares, pointer, ranks, found)
    return [Share(i + 1, int(one.pieces), int(one.bytes), int(one.rows)) for i, one in enumerate(found)]


def partitions(source: Any = None, n: int | None = None, **options: Any) -> list[Partition]:
    """The rows of a dataset in at most ``n`` parts of about as many rows each; without ``n`` as many as it
    has pieces. Options as in `sheaf.open`.

    >>> sum(part.rows for part in sheaf.partitions("words.ctf", 4))
    2
    """
    source, options = configured("cat", source, options)
    opening = Opening(source, Given("cat", options, name="partitions"))
    if n is not None and n < 1:
        raise UsageError(f"n: expected a number above 0, found {n}", "n")
    reader = Reader(opening, random=True)
    pieces, entry = _pieces_of(reader), c.sheaf_piece_entry()
    starts = []
    for i in range(lib.sheaf_pieces_count(pieces)):
        lib.sheaf_pieces_at(pieces, i, byref(entry))
        starts.append(int(entry.row))
    total = int(lib.sheaf_pieces_rows(pieces))
    return [Partition(opening, run, starts[run[0]],
                      (starts[run[1]] if run[1] < len(starts) else total) - starts[run[0]])
            for run in _runs(starts, total, n or len(starts))]


def _runs(starts: list[int], total: int, n: int) -> list[tuple[int, int]]:
    """Pieces in n runs: each ends with the piece in which its share of the rows does."""
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
