# SPDX-License-Identifier: MIT
"""Datasets: opening them, reading their rows."""
from __future__ import annotations

import operator
import os
import threading
from copy import copy
from ctypes import POINTER, byref

from . import _layout as c
from ._config import configured
from ._context import Context, Handle
from ._errors import StaleError, UnsupportedError, UsageError, decoded, shown
from ._exports import Exports
from ._library import lib
from ._options import Given
from ._peers import made
from ._progress import progress_of
from ._source import Opened, check, is_path, name_of
from .dense import dense
from .frame import Frame
from .fields import Schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ._context import Progress
    from .plot import Plot

_BESIDES = ("mmap", "progress")
# Options that leave all rows as the file has them, as settings of formats do.
_ALL_ROWS = {"from", "max-memory", "max-errors", "strict", "threads", "index", "dataset"}


class Opening:
    """How an input is opened: its source and its options. It can be pickled, and holds nothing open."""

    def __init__(self, source: Any, given: Given, mmap: bool = False, progress: bool | Progress | None = None,
                 settings: Mapping[str, Any] | None = None,
                 members: Mapping[str, Any] | None = None) -> None:
        self.source, self.given, self.mmap, self.progress = check(source), given, mmap, progress
        self._settings, self._members = dict(settings or {}), dict(members or {})

    def context(self, on_problem: Any = None) -> Context:
        """A context for this input."""
        return Context(self._context_settings(), progress_of(self.progress, name_of(self.source)), on_problem)

    def quiet(self) -> Context:
        """A context that calls nothing in Python: findings that are tolerated are counted, but not
        reported."""
        return Context(self._context_settings(), quiet=True)

    def _context_settings(self) -> dict[str, Any]:
        given = self.given.members(c.sheaf_context_options)
        return {"no_mapping": not self.mmap, **given, **self._settings}

    def open(self, context: Context, **members: Any) -> Handle:
        """A dataset of the library, open."""
        options = self.given.fill(c.sheaf_open_options, **{**self._members, **members})
        if "index" not in self.given.values:
            options.index = members.get("index", c.SHEAF_INDEX_AUTO)
        handle = Handle(context, lib.sheaf_close)
        if is_path(self.source):
            path = os.fsencode(self.source)
            context.run(lib.sheaf_open, path, byref(options), context.handle, byref(handle.pointer))
        else:
            opened = Opened(self.source, context)
            handle.kept = opened
            context.run(lib.sheaf_open_source, opened.pointer, byref(options), context.handle,
                        byref(handle.pointer))
        return handle

    def datasets(self) -> list[bytes]:
        """The paths of the datasets in a container."""
        context, found = self.context(), []
        arguments = c.FUNCTIONS["sheaf_members"][1]

        def take(_user: int, path: bytes, _err: Any) -> int:
            found.append(path)
            return int(c.SHEAF_OK)

        options = self.given.fill(c.sheaf_open_options, member=None)
        context.run(lib.sheaf_members, os.fsencode(self.source), byref(options), context.handle,
                    arguments[3](take), None)
        return found

    def gives_all(self) -> bool:
        """Whether it can be opened again, and all rows are requested in the form of the file."""
        source = self.source
        again = isinstance(source, bytes)
        if is_path(source):  # a folder is Zarr's
            again = os.path.isfile(source) or os.path.isdir(source)
        return again and set(self.given.values) <= _ALL_ROWS

    def dense(self, schema: Schema) -> Frame | None:
        """All of a dense tensor with entries of a schema; None if its format gives only entries."""
        try:
            reader = Reader(self, rows=c.SHEAF_TAKES_WHOLE, reported=True)
        except UnsupportedError:
            return None
        try:
            whole = reader.next() if reader.schema.kind == c.SHEAF_WHOLE else None
        finally:
            reader.close()
        return None if whole is None else dense(schema, whole)

    def speculates(self) -> bool:
        """Whether types may be those of the first part of the input."""
        return self._members.get("glance") == c.SHEAF_GLANCE_SPECULATIVE

    def some(self, begin: int, end: int | None) -> Opening | None:
        """The same for some of its rows; None if it has an option that chooses rows already."""
        if {"rows", "sample", "where"} & set(self.given.values):
            return None
        given = copy(self.given)
        given.values = {**given.values, "rows": [f"{begin}:{'' if end is None else max(begin, end)}"]}
        return Opening(self.source, given, self.mmap, None, self._settings, self._members)

    def end_speculation(self) -> None:
        """From now on types are those of all of the input."""
        del self._members["glance"]

    def insist_on_index(self) -> bool:
        return self.given.take("index") == "require"


class Dataset(Exports):
    """Rows of a file, of any format: a schema, and frames.

    Each ``for frame in dataset`` begins again, and so does each table made from it, if the source can be read
    again: iteration gives frames of many rows each, ``dataset[5]`` a row, ``dataset[100:200]`` rows, and
    ``len(dataset)`` is the number of rows. A dataset belongs to one process; pickling it keeps only how to
    open it. Its methods may be called from any thread.
    """

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._lock = threading.RLock()
        self._reader: Reader | None = Reader(opening)
        self.schema: Schema = self._reader.schema
        self.format: str = self._reader.format
        self._facts: dict[str, Any] = self._reader.facts()
        self._plot: Any = None

    @property
    def name(self) -> str:
        """The path, or the name of the source in messages."""
        return name_of(self._opening.source)

    @property
    def rows(self) -> int | None:
        """The number of rows; None if that is not known without reading all of them."""
        rows: int | None = self._facts["rows"]
        return rows

    @property
    def facts(self) -> dict[str, Any]:
        """What is known without reading everything: rows, samples, chunks, longest; None if unknown."""
        return dict(self._facts)

    def _take_reader(self) -> Reader:
        """The reader that has not begun yet, or a new one."""
        with self._lock:
            reader, self._reader = self._reader, None
        return reader if reader is not None else Reader(self._opening)

    def __iter__(self) -> Iterator[Frame]:
        reader = self._take_reader()
        try:
            yield from reader
        finally:
            reader.close()

    def read(self) -> Frame:
        """All rows as one frame. If a tensor has a value at each position, and its format supports that, only
        its array is read; coordinates are made when they are needed."""
        reader = self._take_reader()
        try:
            if self.schema.is_dense and self._opening.gives_all() and not reader.is_compressed():
                reader.close()  # of an archive it has the member, unpacked
                whole = self._opening.dense(self.schema)
                if whole is not None:
                    return whole
                reader = Reader(self._opening, reported=True)
            return reader.read_all()
        finally:
            reader.close()

    def __len__(self) -> int:
        """The number of rows; a TypeError if that is not known without reading all of them."""
        if self.rows is None:
            raise TypeError(f'{self.name}: the number of rows is not known; stats()["rows"] counts them')
        return self.rows

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, key: int | slice) -> Frame:
        """A row, or a run of them, as a `Frame`: only they are read, by the file's index if it has one.

        >>> sheaf.open("words.ctf")[1]["tag"].values.tolist()
        [[0.0, 0.0, 1.0]]
        """
        if not isinstance(key, slice):
            return self._row(key)
        if all(end is None or end >= 0 for end in (key.start, key.stop)) and (key.step or 1) > 0:
            return self._between(key.start or 0, key.stop)[::key.step]
        wanted = range(len(self))[key]
        first, last = sorted((wanted[0], wanted[-1])) if wanted else (0, -1)
        return self._between(first, last + 1)[::wanted.step]

    def _row(self, key: Any) -> Frame:
        try:
            number = operator.index(key)
        except TypeError:
            raise UsageError.about("rows", "a number or a slice (read() gives a frame, which takes more)",
                                   f"{key!r}") from None
        number += len(self) if number < 0 else 0
        found = self._between(number, number + 1) if number >= 0 else ()
        if not isinstance(found, Frame) or len(found) == 0:
            raise IndexError(f"{self.name}: there is no row {key}")
        return found

    def _between(self, begin: int, end: int | None) -> Frame:
        """The rows from one to before another, or to the end."""
        opening = self._opening.some(begin, end)
        if opening is None:
            raise UsageError.about("rows", "a dataset without rows=, sample= and where=, or read(), whose "
                                   "frame has rows", "one with them")
        reader = Reader(opening, reported=True)
        try:
            return reader.read_all()
        finally:
            reader.close()

    def head(self, rows: int = 10) -> str:
        """The first rows as text, long ones shortened, as the command prints them."""
        texts: list[str] = []
        for frame in self:
            lines = [line for line in frame.texts("text_short").split("\n") if line]
            texts += lines[:rows - len(texts)]
            if len(texts) >= rows:
                break
        return "\n".join(texts)

    def tree(self, depth: int = 0) -> Any:
        """All that is in the file, down to ``depth`` levels below its root (0: all): a `Tree`, what
        ``sheaf info`` prints."""
        return made("tree", self, depth)

    def to_anndata(self) -> Any:
        """An anndata.AnnData of all that AnnData's file holds, of which this may be any dataset."""
        return made("anndata", self)

    def stats(self) -> dict[str, Any]:
        """Statistics of all rows: what ``sheaf stats --json`` prints."""
        found: dict[str, Any] = made("stats", self)
        return found

    def report(self, path: Any = None, force: bool = False) -> Any:
        """The report of `sheaf.report`, which notebooks show; with ``path`` it is also written."""
        return made("report", self, path, force)

    @property
    def plot(self) -> Plot:
        """The charts of a report as SVG: ``d.plot.lengths()``; ``dir(d.plot)`` has their names."""
        with self._lock:
            if self._plot is None:
                self._plot = made("plot", self)
        plot: Plot = self._plot
        return plot

    def close(self) -> None:
        """Lets go of the file; arrays stay, and what asks for rows opens it again."""
        with self._lock:
            if self._reader is not None:
                self._reader.close()
                self._reader = None

    def __enter__(self) -> Dataset:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return Dataset, (self._opening,)

    def _all(self) -> Frame:
        return self.read()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return made("arrow_stream", self, requested_schema)

    def _repr_html_(self) -> str:
        return str(made("html", self))

    def __repr__(self) -> str:
        rows = "" if self.rows is None else f", {self.rows} {self.schema.rows}"
        return f"Dataset({self.name!r}, {self.format}{rows}: {', '.join(map(shown, self.schema.names))})"


class Reader:
    """One pass over a dataset: a context and an open handle."""

    def __init__(self, opening: Opening, on_problem: Any = None, reported: bool = False,
                 **members: Any) -> None:
        """Findings in opening were ``reported`` if another reader has done that."""
        self.opening, self._on_problem, self._members = opening, on_problem, members
        self._reported = reported
        self._open()

    def _open(self) -> None:
        self.context = self.opening.context((lambda _: None) if self._reported else self._on_problem)
        self.context.holds = self.opening.speculates()
        try:
            self.handle = self.opening.open(self.context, **self._members)
        except StaleError:
            self._again()
            return
        with self.handle as pointer:
            self.schema = Schema(lib.sheaf_dataset_schema(pointer)[0])
            self.format: str = lib.sheaf_format_about(lib.sheaf_dataset_format(pointer)).name.decode()
        self.context.listen(self._on_problem)
        self._begun = False

    def _again(self) -> None:
        """If the first part of the input, or an index, turns out to mislead, continues without it, while no
        rows have been returned yet."""
        if self.opening.speculates():
            self.opening.end_speculation()
            self._open()
            return
        if self.opening.insist_on_index() or self._members.get("index") == c.SHEAF_INDEX_NEVER:
            raise  # noqa: PLE0704: called where a StaleError is handled
        self._members["index"] = c.SHEAF_INDEX_NEVER
        self.opening.given.values.pop("index", None)
        self._open()

    def is_compressed(self) -> bool:
        """Known once it is open."""
        with self.handle as pointer:
            return lib.sheaf_source_about(lib.sheaf_dataset_source(pointer)).compression is not None

    def facts(self) -> dict[str, Any]:
        found = c.sheaf_facts()
        with self.handle as pointer:
            lib.sheaf_dataset_facts(pointer, byref(found))
        counts = {name: getattr(found, name) for name in ("rows", "samples", "chunks", "longest")}
        facts: dict[str, Any] = {name: None if n < 0 else n for name, n in counts.items()}
        facts["guess"] = decoded(found.guess)
        return facts

    def next(self) -> Frame | None:
        """The next frame, or None at the end."""
        frame = POINTER(c.sheaf_frame)()
        call = self.context.call if self._begun else self.context.run
        with self.handle as pointer:
            try:
                if call(lib.sheaf_next, pointer, byref(frame)):
                    return None
                self._begun = True
                self.context.release()
                return Frame(self.schema, self.context, frame)
            except StaleError:
                if self._begun:
                    raise
                self._again()
        return self.next()

    def __iter__(self) -> Iterator[Frame]:
        while True:
            frame = self.next()
            if frame is None:
                return
            yield frame

    def borrowed(self) -> Iterator[Any]:
        """The library's frames, one after the other, each borrowed until the next."""
        frame = POINTER(c.sheaf_frame)()
        while True:
            with self.handle as pointer:
                if self.context.run(lib.sheaf_next, pointer, byref(frame)):
                    return
                yield frame

    def read_all(self) -> Frame:
        """All rows as one frame."""
        whole = c.sheaf_frame()
        with self.handle as pointer:
            try:
                self.context.run(lib.sheaf_read_all, pointer, byref(whole))
            except StaleError:
                self._again()
                return self.read_all()
            self.context.release()
            try:
                return Frame(self.schema, self.context, POINTER(c.sheaf_frame)(whole))
            finally:
                lib.sheaf_frame_free(byref(whole))

    def close(self) -> None:
        self.handle.close()


def open(source: Any = None, *, mmap: bool = False, progress: bool | Progress | None = None,
         **options: Any) -> Dataset:  # noqa: A001
    """Opens a dataset: a path, an address (``s3://...``, by fsspec or obstore), bytes, or an object with
    ``read()``.

    Options are those of ``sheaf cat`` and of the format: ``from_="ctf"``, ``stream=["A:784:dense"]``,
    ``max_errors=10``. Files are read into memory; ``mmap=True`` maps those that can be mapped (truncating
    such a file then ends this process). ``progress`` is called with (bytes done, total or None), or True for
    a bar. ``config="FILE:SECTION"`` takes options, and the source if none is given, from a reader section of
    a CNTK configuration, in which ``variables={"NAME": "VALUE"}`` are set.

    >>> d = sheaf.open("words.ctf")
    >>> d.format, d.schema.names
    ('ctf', ['word', 'tag', 'key'])
    """
    return _opened(source, mmap, progress, options)


def _opened(source: Any, mmap: bool, progress: bool | Progress | None, options: dict[str, Any],
            **members: Any) -> Dataset:
    source, options = configured("cat", source, options)
    given = Given("cat", options, besides=_BESIDES, name="open")
    if given.flag("expand"):
        members["entries"] = c.SHEAF_ENTRIES_EXPANDED
    return Dataset(Opening(source, given, mmap, progress, members=members))


def read(source: Any = None, *, mmap: bool = False, progress: bool | Progress | None = None,
         **options: Any) -> Frame:
    """All rows of a dataset as one frame; options as in `open`.

    >>> len(sheaf.read("words.ctf"))
    2
    """
    # A file can be read again if its first part does not show all types.
    regular = is_path(source) and os.path.isfile(source)
    glance = c.SHEAF_GLANCE_SPECULATIVE if regular else c.SHEAF_GLANCE_NOT
    return _opened(source, mmap, progress, options, glance=glance).read()
