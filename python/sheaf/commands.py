# SPDX-License-Identifier: MIT
"""The command's functions: each takes its options as keyword arguments, and gives what it prints as
objects."""
from __future__ import annotations

import os
import struct
from contextlib import suppress
from ctypes import (
    POINTER, byref, c_bool, c_char_p, c_int64, c_void_p, create_string_buffer, pointer, sizeof, string_at,
)

from . import _layout as c
from ._config import configured
from ._context import Context, Handle, bytes_of, text_of
from ._errors import DataError, Problem, SheafError, UsageError, decoded
from ._jobs import Job, Parts, job_of, keeps, row_of
from ._library import lib
from ._options import Given, table
from ._progress import progress_of
from ._source import is_path
from .dataset import Dataset, Opening, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from ._context import Progress
    from .fields import Schema

    Path = str | os.PathLike[str]

_INDEX_STATES = ("none", "stale", "fresh")


def _paths(paths: Path | Sequence[Path]) -> list[bytes]:
    return [os.fsencode(path) for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths)]


def _array(paths: list[bytes]) -> Any:
    return (c_char_p * len(paths))(*paths)


# ---- convert ----


def convert(inputs: Path | Sequence[Path], output: Path, *, progress: bool | Progress | None = None,
            **options: Any) -> None:
    """Writes the rows of one input, or of several, one after the other, into ``output``: what ``sheaf
    convert`` does.

    The format of the output is named by its suffix or by ``to=``. It appears whole or not at all; one that
    exists is replaced with ``force=True`` only. What the output cannot hold is a `LossError`, unless
    ``allow_loss=True``.

    >>> sheaf.convert("words.ctf", tmp / "words.cbf")

    With ``part=(i, n)`` part ``i`` of ``n``, counted from 1, becomes a part file; `merge` makes the whole of
    all of them.

    >>> for i in 1, 2:
    ...     sheaf.convert("words.ctf", tmp / f"{i}.part", to="cbf", part=(i, 2))
    >>> sheaf.merge([tmp / "1.part", tmp / "2.part"], tmp / "merged.cbf") > 0
    True
    """
    given = Given("convert", options, ("reading", "writing"), ("progress",))
    names, target = _paths(inputs), os.fsencode(output)
    context = Context(given.members(c.sheaf_context_options), progress_of(progress, os.fsdecode(target)))
    filled = given.fill(c.sheaf_convert_options)
    if "index" not in given.values:
        filled.index = c.SHEAF_INDEX_AUTO
    context.run(lib.sheaf_convert, _array(names), len(names), target, byref(filled), context.handle)


# ---- validate ----


class Report(list):  # type: ignore[type-arg]
    """What `validate` has found: a list of `Problem`, and whether the file is ``valid``. It is true where it
    is valid."""

    def __init__(self, name: str, strict: bool) -> None:
        super().__init__()
        self.name, self._strict = name, strict

    @property
    def violations(self) -> list[Problem]:
        """What the format's rules forbid; with ``strict=True`` warnings and notes, too."""
        return [p for p in self if p.severity in ("breach", "error")]

    @property
    def valid(self) -> bool:
        return not self.violations

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        found = f"{len(self.violations)} violations" if not self.valid else "valid"
        return f"Report({self.name!r}: {found}, {len(self)} findings)"


def validate(source: Any = None, output: Path | None = None, *, mmap: bool = False,
             progress: bool | Progress | None = None,
             on_problem: Callable[[Problem], object] | None = None, **options: Any) -> Report:
    """Reads a file to its end and gives everything that its format's rules forbid, or other programs refuse.

    ``on_problem`` is called with each `Problem` as it is found; the report then has the violations only. With
    ``part=(i, n)`` that part of the rows is read, and ``output`` becomes a part file for `merge`.

    >>> report = sheaf.validate("words.ctf")
    >>> report.valid, len(report.violations)
    (True, 0)
    """
    source, options = configured("validate", source, options)
    given = Given("validate", options, besides=("mmap", "progress", "on_problem"))
    return _validated(Job(given, output), Opening(source, given, mmap, progress, {"validate": True}),
                      on_problem)


def _validated(job: Job, opening: Opening, on_problem: Callable[[Problem], object] | None) -> Report:
    report = Report(str(opening.source), opening.given.flag("strict"))

    def take(problem: Problem) -> None:
        if on_problem is not None:
            on_problem(problem)
        if on_problem is None or problem.severity in ("breach", "error"):
            report.append(problem)

    for member in [None] if job.makes else _members_to_validate(opening):
        reader, failure = None, None
        try:
            reader = Reader(opening, take, **({"member": member} if member else {}))
            if member is None:
                job.begin(reader, c.SHEAF_PART_COUNTED)
            while reader.next() is not None:
                pass
        except DataError as error:
            failure = error
            if not report or report[-1].text != str(error):
                take(_ending(error))
        if job.makes and reader is not None:
            job.end(reader, failure=failure)
        elif job.makes and failure is not None:
            raise failure
    return report


def _ending(error: DataError) -> Problem:
    """What ended the reading is a violation, too."""
    from ._errors import Place

    return Problem("error", "end of input" if error.status == "short" else "unreadable",
                   error.place or Place(), error.expected or "", error.found or "", None, str(error))


def _members_to_validate(opening: Opening) -> list[bytes | None]:
    """What the file is read as, and the datasets that this is not."""
    if "dataset" in opening.given.values or not isinstance(opening.source, (str, os.PathLike)):
        return [None]
    try:
        names = members_of(opening)
    except (SheafError, OSError):
        return [None]  # a file that cannot be listed is read, and says why then
    if len(names) < 2:
        return [None]
    try:
        schema = Reader(opening).schema
        read = len(schema) if schema.rows == "sequences" and len(schema) > 1 else 1
    except UsageError:
        # which one it would be is not clear: all of them
        return [name for name in names if name != b"/"] or [None]
    except SheafError:
        read = 0
    return [None] if len(names) <= read else [None, *[name for name in names if name != b"/"]]


def members_of(opening: Opening) -> list[bytes]:
    """The paths of the datasets in a container."""
    context, found = opening.context(), []
    arguments = c.FUNCTIONS["sheaf_members"][1]

    def tell(_user: int, path: bytes, _err: Any) -> int:
        found.append(path)
        return c.SHEAF_OK

    options = opening.given.fill(c.sheaf_open_options, member=None)
    context.run(lib.sheaf_members, os.fsencode(opening.source), byref(options), context.handle,
                arguments[3](tell), None)
    return found


# ---- guess ----


def guess(path: Path, format: str | None = None) -> list[dict[str, Any]]:
    """How a file may be read that does not say what it holds, the likeliest way first: ``format``, an
    ``option`` and its ``value``, the ``bits`` that a byte takes when it is read so, and the ``evidence``."""
    context: Context = Context()
    found: list[dict[str, Any]] = []
    arguments = c.FUNCTIONS["sheaf_guess"][1]

    def tell(_user: int, candidate: Any, _err: Any) -> int:
        one = candidate[0]
        found.append({"format": one.format.decode(), "option": one.option.decode().replace("-", "_"),
                      "value": one.value.decode(), "bits": one.bits, "evidence": one.evidence.decode()})
        return c.SHEAF_OK

    context.run(lib.sheaf_guess, os.fsencode(path), format.encode() if format else None, context.handle,
                arguments[3](tell), None)
    return found


# ---- diff, hash ----


class Difference:
    """One difference: its ``row``, ``stream`` and ``sample`` (None: of the whole), what ``a`` and ``b`` have,
    and of a tensor's entry its ``place``."""

    __slots__ = ("a", "b", "place", "row", "sample", "stream")

    def __init__(self, told: c.sheaf_difference) -> None:
        self.row = told.row if told.row >= 0 else None
        self.sample = told.sample if told.sample >= 0 else None
        self.stream, self.a, self.b, self.place = map(decoded, (told.stream, told.a, told.b, told.place))

    def __repr__(self) -> str:
        known = [f"{name}={getattr(self, name)!r}" for name in ("row", "stream", "sample", "place", "a", "b")
                 if getattr(self, name) is not None]
        return f"Difference({', '.join(known)})"


class Differences(list):  # type: ignore[type-arg]
    """The first differences between two datasets, and whether they are ``equal``. It is true where they
    differ."""

    equal: bool = True

    def __bool__(self) -> bool:
        return not self.equal


def diff(a: Any, b: Any, *, mmap: bool = False, progress: bool | Progress | None = None,
         **options: Any) -> Differences:
    """Compares the contents of two datasets, whatever their formats; ``limit=`` differences are
    reported, 10 by default.

    >>> sheaf.diff("words.ctf", "words.ctf").equal
    True
    """
    given = Given("diff", options, besides=("mmap", "progress"))
    limit, found = given.number("limit", 10), Differences()
    left = Reader(Opening(a, given, mmap, progress, without=("strict",)), entries=c.SHEAF_ENTRIES_CONTENT)
    right = Reader(Opening(b, given, mmap, without=("strict",)), entries=c.SHEAF_ENTRIES_CONTENT)

    def tell(_user: int, told: Any) -> bool:
        if len(found) < limit:
            found.append(Difference(told[0]))
        return len(found) < limit

    callback = c.members_of(c.sheaf_diff_options)["on_difference"](tell)
    filled = c.sheaf_diff_options(size=sizeof(c.sheaf_diff_options), keys=given.flag("keys"),
                                  strict=given.flag("strict"), on_difference=callback)
    equal = c_bool()
    with left.handle as first, right.handle as second:
        left.context.run(lib.sheaf_diff, first, second, byref(filled), byref(equal))
    found.equal = bool(equal.value)
    return found


def hash(source: Any = None, output: Path | None = None, *, mmap: bool = False,
         progress: bool | Progress | None = None, **options: Any) -> str:  # noqa: A001
    """A hash of the contents, 32 hexadecimal digits, the same whatever the format.

    With ``part=(i, n)`` that of a part of the rows goes to ``output``, a part file for `merge`, and nothing
    is given.

    >>> len(sheaf.hash("words.ctf"))
    32
    """
    source, options = configured("hash", source, options)
    given = Given("hash", options, besides=("mmap", "progress"))
    return _hashed(Job(given, output), Opening(source, given, mmap, progress, without=("strict",)))


def _hashed(job: Job, opening: Opening) -> str:
    reader, given = Reader(opening, entries=c.SHEAF_ENTRIES_CONTENT), opening.given
    job.begin(reader, c.SHEAF_PART_NUMBERED)
    hashing = Handle(reader.context, lib.sheaf_hash_free)
    reader.context.call(lib.sheaf_hash_new, byref(reader.schema.c), given.flag("keys"), given.flag("strict"),
                        reader.context.handle, byref(hashing.pointer))
    digits = create_string_buffer(33)
    with hashing as pointer:
        for frame in _c_frames(reader):
            if keeps(reader):
                continue
            lib.sheaf_hash_go_on_at(pointer, row_of(reader))
            reader.context.call(lib.sheaf_hash_add, pointer, frame)
        if job.makes:
            job.end(reader, bytes_of(lambda out, err: lib.sheaf_hash_save(pointer, byref(out), byref(err))))
            return ""
        for state in job.states():
            reader.context.call(lib.sheaf_hash_merge, pointer, state, len(state))
        lib.sheaf_hash_text(pointer, digits)
    return digits.value.decode()


def _c_frames(reader: Reader) -> Iterator[Any]:
    """The library's frames, one after the other, each borrowed until the next."""
    frame = POINTER(c.sheaf_frame)()
    while True:
        with reader.handle as pointer:
            if reader.context.run(lib.sheaf_next, pointer, byref(frame)):
                return
            yield frame


# ---- stats ----


def stats(source: Any = None, output: Path | None = None, *, mmap: bool = False,
          progress: bool | Progress | None = None, **options: Any) -> dict[str, Any]:
    """Statistics of all rows, by stream: what ``sheaf stats --json`` prints.

    With ``part=(i, n)`` those of a part of the rows go to ``output``, a part file for `merge`, and nothing is
    given.

    >>> for i in 1, 2:
    ...     _ = sheaf.stats("words.ctf", tmp / f"{i}.stats", part=(i, 2))
    >>> sheaf.merge([tmp / "1.stats", tmp / "2.stats"])["sequences"]
    2

    >>> sheaf.stats("words.ctf")["sequences"]
    2
    """
    source, options = configured("stats", source, options)
    given = Given("stats", options, besides=("mmap", "progress"))
    return _stats(Job(given, output), Opening(source, given, mmap, progress))


def _stats(job: Job, opening: Opening) -> dict[str, Any]:
    reader = Reader(opening)
    summary = _summary(reader, job)
    if job.makes:
        job.end(reader, _saved(summary))
        return {}
    return _numbers(summary)


def stats_of(dataset: Dataset) -> dict[str, Any]:
    """Those of an open dataset."""
    return _numbers(_summary(dataset._take_reader()))


def _name_indices(summary: Handle, context: Context, word: str) -> None:
    """STREAM=FILE"""
    stream, equals, path = word.partition("=")
    if not equals:
        raise UsageError(f"names: expected STREAM=FILE, found {word!r}")
    source = Handle(context, lib.sheaf_source_close)
    context.call(lib.sheaf_source_path, path.encode(), context.handle, byref(source.pointer))
    context.call(lib.sheaf_summary_names, summary.pointer, stream.encode(), source.pointer)
    source.close()


def _first_rows(reader: Reader, frame: Any) -> str:
    few = min(frame.contents.nrows, 5)
    return text_of(lambda out, err: lib.sheaf_rows_text(frame, byref(reader.schema.c), c.SHEAF_TEXT_SHORT, 0,
                                                        0, few, byref(out), byref(err)))


def _new_summary(reader: Reader, given: Given | None) -> Handle:
    context = reader.context
    summary = Handle(context, lib.sheaf_summary_free)
    context.call(lib.sheaf_summary_new, byref(reader.schema.c), context.handle, byref(summary.pointer))
    for word in given.every("names") if given else ():
        _name_indices(summary, context, word)
    for target in given.every("target") if given else ():
        context.call(lib.sheaf_summary_target, summary.pointer, target.encode())
    return summary


def _summary(reader: Reader, job: Job | None = None, first: _FirstRows | None = None) -> Handle:
    """What the rows amount to; ``first`` gets the first of them."""
    context = reader.context
    if job is not None:
        entries = reader.schema.rows == "entries"
        job.begin(reader, c.SHEAF_PART_KEPT if entries else c.SHEAF_PART_NUMBERED)
    summary = _new_summary(reader, reader.opening.given if job is not None else None)
    if job is None or not job.makes:
        context.call(lib.sheaf_summary_profile, summary.pointer, None)
    for frame in _c_frames(reader):
        if first is not None:
            first.take(reader, frame)
        if not keeps(reader):
            context.call(lib.sheaf_summary_add, summary.pointer, frame, row_of(reader))
    context.run(lib.sheaf_summary_finish, summary.pointer)
    for state in job.states() if job is not None else ():
        _add_saved(summary, context, state if first is None else first.merge(state))
    return summary


def _saved(summary: Handle) -> bytes:
    return bytes_of(lambda out, err: lib.sheaf_summary_save(summary.pointer, byref(out), byref(err)))


def _add_saved(summary: Handle, context: Context, state: bytes) -> None:
    part = Handle(context, lib.sheaf_summary_free)
    context.call(lib.sheaf_summary_load, state, len(state), context.handle, byref(part.pointer))
    context.call(lib.sheaf_summary_merge, summary.pointer, part.pointer)
    part.close()


class _FirstRows:
    """The first rows as text, and how many there are: in a part file they come before the summary."""

    _HEAD = struct.Struct("=qq")

    def __init__(self) -> None:
        self.rows, self.text = 0, b""

    def take(self, reader: Reader, frame: Any) -> None:
        self.rows += frame.contents.nrows
        if row_of(reader) == 0 and not keeps(reader):
            self.text = _first_rows(reader, frame).encode()

    def saved(self, summary: Handle) -> bytes:
        return self._HEAD.pack(self.rows, len(self.text)) + self.text + _saved(summary)

    def merge(self, state: bytes) -> bytes:
        """Of a part; gives its summary."""
        rows, size = self._HEAD.unpack(state[:16]) if len(state) >= 16 else (-1, -1)
        if rows < 0 or not 0 <= size <= len(state) - 16:
            raise DataError("merge: expected the report of a part, found it damaged")
        self.rows, self.text = self.rows + rows, self.text or state[16:16 + size]
        return state[16 + size:]


def _numbers(summary: Handle, other: Handle | None = None) -> dict[str, Any]:
    import json

    options = c.sheaf_summary_options(size=sizeof(c.sheaf_summary_options), style=c.SHEAF_JSON)
    if other:
        options.other = other.pointer.value
    text = text_of(lambda out, err: lib.sheaf_summary_text(summary.pointer, byref(options), byref(out),
                                                           byref(err)))
    found: dict[str, Any] = json.loads(text)
    return found


# ---- show ----


def show(source: Any = None, *, width: int = 80, unicode: bool = True, colours: int = 0, mmap: bool = False,
         progress: bool | Progress | None = None, **options: Any) -> str:
    """One row as a picture, what ``sheaf show`` prints: ``width`` columns, in 0, 256 or 2**24 colours.

    >>> print(sheaf.show("words.ctf", row=1, unicode=False).splitlines()[0])
    key: 1
    """
    source, options = configured("show", source, options)
    given = Given("show", options, besides=("mmap", "progress", "width", "unicode", "colours"))
    row, wanted = int(given.take("row") or 0), {name: given.take(name) for name in ("streams", "columns")}
    chosen = {name: str(value).encode() for name, value in wanted.items() if value is not None}
    opening = Opening(source, given, mmap, progress)
    select = c.sheaf_selection(rows=f"{row}:{row + 1}".encode(), **chosen)
    reader = Reader(opening, rows=c.SHEAF_TAKES_SEQUENCES | c.SHEAF_TAKES_CELLS | c.SHEAF_TAKES_ENTRIES,
                    select=select)
    if reader.schema.rows == "entries":
        reader = Reader(opening, rows=c.SHEAF_TAKES_SEQUENCES, select=select)
    frame, drawing = reader.next(), c.sheaf_drawing(width, unicode, colours)
    if frame is None:
        raise IndexError(f"row: expected a row of the file, found {row}, which is after its last one")
    schema = byref(reader.schema.c)
    return text_of(lambda out, err: lib.sheaf_row_drawing(byref(frame.c), schema, 0, byref(drawing),
                                                          byref(out), byref(err)))


# ---- report ----


def _findings(context: Context) -> Any:
    """What was found while a file was read: a rule, and how often."""
    found = context.tally()
    return (c.sheaf_fact * len(found))(*(
        c.sheaf_fact(rule.encode(), f"{count} times".encode()) for rule, count in found.items()))


def report(source: Any, path: Path | None = None, *, other: Any = None, force: bool = False,
           mmap: bool = False, progress: bool | Progress | None = None, **options: Any) -> dict[str, Any]:
    """The numbers of a page of charts, what ``sheaf report --json`` writes; with ``path``, the page is
    written, too.

    With ``other``, another file, also how that differs; with ``svg``, a folder, each chart as a file (it
    is made where there is none). What exists is replaced with ``force=True`` only. With ``part=(i, n)`` that
    part of the rows is read, ``path`` becomes a part file, which `merge` makes a page of, and nothing is
    given.

    >>> sheaf.report("words.ctf", tmp / "words.html")["sequences"]
    2
    """
    source, options = configured("report", source, options)
    if force:
        options["force"] = True
    given = Given("report", options, besides=("other", "mmap", "progress"))
    job = Job(given, path)
    if job.makes and other is not None:
        raise UsageError("other: expected one file with part=, found two", "other")
    if given.take("svg") is not None and (path is None or job.makes):
        raise UsageError("svg: expected the path of a page, since that has charts, found none", "svg")
    against = None if other is None else Opening(other, given, mmap, progress)
    return _reported(job, Opening(source, given, mmap, progress), path, against)


def _reported(job: Job, opening: Opening, path: Path | None, other: Opening | None = None) -> dict[str, Any]:
    folder, force = opening.given.take("svg"), opening.given.flag("force")
    reader, first = Reader(opening), _FirstRows()
    summary = _summary(reader, job, first)
    if job.makes:
        job.end(reader, first.saved(summary))
        return {}
    against = None if other is None else _summary(Reader(other))
    if path is not None:
        name, others = _title(opening.source), _title(other.source if other is not None else None)
        facts = (c.sheaf_fact * 2)(c.sheaf_fact(b"file", name),
                                   c.sheaf_fact(b"format", reader.format.encode()))
        page = c.sheaf_page_options(size=sizeof(c.sheaf_page_options), title=name, card=facts,
                                    ncard=len(facts), rows=first.text)
        found = _findings(reader.context)
        page.findings, page.nfindings = found, len(found)
        if against:
            page.other, page.other_title = against.pointer.value, others
        charts = _Charts()
        if folder is not None:
            page.take = charts.pointer
        text = text_of(lambda out, err: lib.sheaf_summary_page(summary.pointer, byref(page), byref(out),
                                                               byref(err)))
        if folder is not None:
            with suppress(FileExistsError):
                os.mkdir(folder)
            for chart, svg in charts.taken():
                _write_text(reader.context, os.path.join(folder, chart), svg, force)
        _write_text(reader.context, path, text.encode(), force)
    return _numbers(summary, against)


def charts_of(dataset: Dataset) -> dict[str, str]:
    """The charts of a report about an open dataset, as SVG, by the names of their files."""
    reader = dataset._take_reader()
    summary, charts = _summary(reader), _Charts()
    page = c.sheaf_page_options(size=sizeof(c.sheaf_page_options), title=_title(dataset.name))
    page.take = charts.pointer
    text_of(lambda out, err: lib.sheaf_summary_page(summary.pointer, byref(page), byref(out), byref(err)))
    return {name: text.decode() for name, text in charts.taken()}


def _title(source: Any) -> bytes:
    return os.fsencode(source) if isinstance(source, (str, os.PathLike)) else b"report"


class _Charts:
    """Takes each chart that the library hands out."""

    def __init__(self) -> None:
        self._taken: list[tuple[str, bytes]] = []
        self._failure: BaseException | None = None
        self.pointer = c.members_of(c.sheaf_page_options)["take"](self._take)

    def _take(self, _user: Any, name: bytes, svg: Any, _err: Any) -> int:
        try:
            self._taken.append((name.decode(), string_at(svg[0].data, svg[0].size)))
        except BaseException as failure:  # noqa: BLE001: it is raised where Python is called again
            self._failure = self._failure or failure
        return c.SHEAF_OK

    def taken(self) -> list[tuple[str, bytes]]:
        """Names of files, and what is in them."""
        if self._failure:
            raise self._failure
        return self._taken


def _write_text(context: Context, path: Path, text: bytes, force: bool) -> None:
    """A file that appears whole or not at all."""
    sink = c_void_p()
    context.call(lib.sheaf_sink_path if force else lib.sheaf_sink_path_new, os.fsencode(path), context.handle,
                 byref(sink))
    try:
        context.call(lib.sheaf_sink_write, sink, text, len(text))
    except BaseException:
        lib.sheaf_sink_abandon(sink)
        raise
    context.call(lib.sheaf_sink_commit, sink)


# ---- info, schema ----


def info(source: Any = None, *, mmap: bool = False, **options: Any) -> dict[str, Any]:
    """What a file is, as far as it is known without reading all of it: what ``sheaf info --json`` prints.

    >>> sheaf.info("words.ctf")["format"]
    'ctf'
    """
    source, options = configured("info", source, options)
    given = Given("info", options, besides=("mmap",))
    opening = Opening(source, given, mmap)
    if "dataset" not in given.values and isinstance(source, (str, os.PathLike)):
        names = members_of(opening)
        if len(names) > 1:
            return _container(opening, names)
    shown, flaws = _info(Reader(opening, glance=True), str(source)), _flaws(opening)
    return {**shown, "flaws": flaws} if flaws else shown


# a quick look infers from the first half MiB what a file does not declare
_LOOK_PIECES, _LOOK_BYTES = 16, 448 << 10


def _flaws(opening: Opening) -> dict[str, Any]:
    """What is wrong with the beginning of a file, by rule; nothing where nothing is, or where it can be read
    once only."""
    if not is_path(opening.source) or not os.path.isfile(opening.source):
        return {}
    looking = Opening(opening.source, opening.given, opening.mmap, settings={"validate": True})
    context, ends, complete, frame = looking.quiet(), False, False, POINTER(c.sheaf_frame)()
    try:
        handle = looking.open(context, glance=True, piece_bytes=_LOOK_BYTES, index=c.SHEAF_INDEX_NEVER)
        with handle as pointer:
            small = os.path.getsize(opening.source) <= _LOOK_BYTES and not lib.sheaf_source_compression(
                lib.sheaf_dataset_source(pointer))
            facts = c.sheaf_facts()
            lib.sheaf_dataset_facts(pointer, byref(facts))
            for _ in range(1 if facts.guess and not small else _LOOK_PIECES):
                complete = bool(context.run(lib.sheaf_next, pointer, byref(frame)))
                if complete:
                    break
    except DataError:
        ends = True
    rules = context.tally(c.SHEAF_ERROR)
    if ends and not rules:
        rules = {"unreadable": 1}
    return {"errors": sum(rules.values()), "rules": rules, "complete": complete} if rules else {}


def _container(opening: Opening, names: list[bytes]) -> dict[str, Any]:
    """Of several datasets none is opened that was not asked for: they are listed."""
    import json

    listed = []
    for name in names:
        one: dict[str, Any] = {"path": name.decode("utf-8", "replace")}
        try:
            reader = Reader(opening, glance=True, member=name)
        except (DataError, NotImplementedError) as error:
            listed.append({**one, "refused": str(error)})
            continue
        listed.append({**one, **_listed(reader.schema, reader.facts()["rows"])})
    context = opening.context()
    options = opening.given.fill(c.sheaf_open_options)
    more = text_of(lambda out, err: lib.sheaf_besides(os.fsencode(opening.source), byref(options), True,
                                                      context.handle, byref(out), byref(err)))
    found: dict[str, Any] = {"file": str(opening.source), "datasets": listed}
    return {**found, **json.loads("{" + more.lstrip(",") + "}")}


def _listed(schema: Schema, rows: int | None) -> dict[str, Any]:
    if schema.rows == "entries":
        shown: dict[str, Any] = {"tensor": _tensor(schema, rows)}
    else:
        shown = {schema.rows: rows} if rows is not None else {}
        streams = schema.rows == "sequences"
        fields = schema.streams if streams else schema.columns
        shown["streams" if streams else "columns"] = [field.to_dict() for field in fields]
    if schema.attributes:
        shown["attributes"] = list(schema.attributes)
    return shown


def _tensor(schema: Schema, stored: int | None) -> dict[str, Any]:
    tensor = schema.tensor
    assert tensor is not None
    number = lib.sheaf_schema_value(byref(schema.c))
    value = schema.fields[number] if number >= 0 else None
    shown: dict[str, Any] = {"format": tensor.layout} if tensor.layout else {}
    shown.update(shape=list(tensor.shape), type=value.type if value else "none",
                 complex=bool(value and value.meaning == "complex"), dense=tensor.dense, iso=tensor.iso,
                 structure=tensor.structure)
    if tensor.sorted:
        shown["order"] = list(tensor.order)
    if stored is not None:
        shown["stored"] = stored
    return shown


def _schema_members(schema: Schema, stored: int | None) -> dict[str, Any]:
    """The tensor, the streams, the columns."""
    shown: dict[str, Any] = {"tensor": _tensor(schema, stored)} if schema.rows == "entries" else {}
    if schema.rows == "sequences":
        shown["streams"] = [field.to_dict() for field in schema.streams]
    if schema.columns:
        shown["columns"] = [field.to_dict() for field in schema.columns]
    return shown


def _index_info(pointer: c_void_p) -> c.sheaf_index_info:
    found = c.sheaf_index_info()
    lib.sheaf_dataset_index(pointer, byref(found))
    return found


def _info(reader: Reader, name: str) -> dict[str, Any]:
    import json

    facts, schema = reader.facts(), reader.schema
    with reader.handle as pointer:
        source = lib.sheaf_dataset_source(pointer)
        size = lib.sheaf_source_bytes(source)
        compression = lib.sheaf_source_compression(source)
        index = _index_info(pointer)
        more = text_of(lambda out, err: lib.sheaf_dataset_describe(pointer, True, byref(out), byref(err)))
        can = lib.sheaf_format_can(lib.sheaf_dataset_format(pointer))
        shown: dict[str, Any] = {"file": name, "format": reader.format}
        if compression:
            shown["compression"] = compression.decode()
        if size >= 0:
            shown["bytes"] = size
        for word, fact in ((schema.rows, "rows"), ("samples", "samples"), ("chunks", "chunks")):
            if facts[fact] is not None:
                shown[word] = facts[fact]
        shown.update(_schema_members(schema, facts["rows"]))
        if facts["guess"]:
            shown["inferred"] = facts["guess"]
        if index.path and (index.found or not can & c.SHEAF_CAN_CONTAIN):
            shown["index"] = _index_shown(index)
    return {**shown, **json.loads("{" + more.lstrip(",") + "}")}


def _index_shown(index: c.sheaf_index_info) -> dict[str, Any]:
    shown: dict[str, Any] = {"state": _INDEX_STATES[int(bool(index.found)) + int(bool(index.fresh))]}
    if index.found:
        shown["path"] = os.fsdecode(index.path or b"")
        if index.why:
            shown["why"] = index.why.decode()
    if index.fresh:
        shown["bytes"] = index.bytes
    return shown


def schema(source: Any = None, *, mmap: bool = False, progress: bool | Progress | None = None,
           **options: Any) -> dict[str, Any]:
    """The streams or columns, and how each format's users declare them: what ``sheaf schema --json`` prints.
    ``to=`` asks for the declaration of one format only.

    >>> sheaf.schema("words.ctf", to="ctf")["declarations"]["ctf"].splitlines()[1]
    '--stream word:18:sparse'
    """
    source, options = configured("schema", source, options)
    given = Given("schema", options, besides=("mmap", "progress"))
    reader = Reader(Opening(source, given, mmap, progress))
    found: dict[str, Any] = {"file": str(source), "format": reader.format,
                             **_schema_members(reader.schema, None)}
    found["declarations"] = _declarations(reader, str(source), given.take("to"))
    return found


def _declarations(reader: Reader, file: str, wanted: str | None) -> dict[str, str]:
    texts = {}
    with reader.handle as pointer:
        own = lib.sheaf_dataset_format(pointer)
        for format in [lib.sheaf_format_find(wanted.encode())] if wanted else _formats():  # noqa: A001
            if not format:
                raise UsageError(f'to: expected the name of a format, found "{wanted}"', "to")
            try:
                text = text_of(lambda out, err, f=format: lib.sheaf_declare(  # type: ignore[misc]
                    f, byref(reader.schema.c), _declared_file(file, f, own), f == own, reader.context.handle,
                    byref(out), byref(err)))
            except NotImplementedError:
                if wanted:
                    raise
                continue
            if text:
                texts[lib.sheaf_format_name(format).decode()] = text
    return texts


def _declared_file(file: str, format: int, own: int) -> bytes:  # noqa: A002
    """The file that a declaration speaks of: this one, or what it would be called in another format."""
    if format == own:
        return file.encode()
    folder, slash, name = file.rpartition("/")
    suffix = lib.sheaf_format_suffixes(format)[0]
    return (folder + slash + name.split(".")[0]).encode() + (suffix or b"")


def _formats() -> Iterator[int]:
    i = 0
    while True:
        format = lib.sheaf_format_at(i)  # noqa: A001
        if not format:
            return
        yield format
        i += 1


def formats() -> list[dict[str, Any]]:
    """What this build reads and writes: of each format its name, whether it is read and written, suffixes,
    a summary, and what becomes of data that are written in it: "kept", "changed", "written" (and read with
    options that declare it), "lost" or "refused".

    >>> cbf = next(f for f in sheaf.formats() if f["name"] == "cbf")
    >>> cbf["write"], next(f["kept"] for f in cbf["keeps"] if f["feature"] == "keys of sequences")
    (True, 'changed')
    """
    found = []
    for format in _formats():  # noqa: A001
        can, suffixes, i = lib.sheaf_format_can(format), [], 0
        all_suffixes = lib.sheaf_format_suffixes(format)
        while all_suffixes[i]:
            suffixes.append(all_suffixes[i].decode())
            i += 1
        keeps: list[dict[str, str]] = []
        feature = c.sheaf_feature()
        while lib.sheaf_format_keeps(format, len(keeps), byref(feature), None) == c.SHEAF_OK:
            keeps.append({"feature": decoded(feature.name) or "",
                          "kept": lib.sheaf_kept_name(feature.kept).decode()})
            if feature.how:
                keeps[-1]["how"] = feature.how.decode()
        found.append({"name": lib.sheaf_format_name(format).decode(), "read": bool(can & c.SHEAF_CAN_READ),
                      "write": bool(can & c.SHEAF_CAN_WRITE), "suffixes": suffixes,
                      "summary": lib.sheaf_format_summary(format).decode(), "keeps": keeps})
    return found


# ---- index ----


def index(source: Path, output: Path | None = None, *, progress: bool | Progress | None = None,
          **options: Any) -> dict[str, Any]:
    """Writes the index beside a file, or compares it with ``check=True``: what ``sheaf index --json`` prints.

    With ``part=(i, n)`` that part of the rows is looked at, ``output`` becomes a part file, of which `merge`
    writes the index, and nothing is given.

    >>> sheaf.index(words)["state"]
    'written'
    """
    source, options = configured("index", source, options)
    given = Given("index", options, besides=("progress",))
    return _indexed(Job(given, output), Opening(source, given, False, progress))


def _indexed(job: Job, opening: Opening) -> dict[str, Any]:
    given, checks = opening.given, opening.given.flag("check")
    if checks and (job.makes or job.merges):
        raise UsageError("check: expected an index that is written, found one that is compared, with part=",
                         "check")
    never = checks or job.makes or job.merges
    reader = Reader(opening, index=c.SHEAF_INDEX_NEVER if never else c.SHEAF_INDEX_USE,
                    piece_bytes=given.number("piece-bytes", 0))
    with reader.handle as pointer:
        if job.makes:
            reader.context.run(lib.sheaf_dataset_index_part, pointer, job.part, job.options(),
                               job.sink(reader.context))
            return {}
        if job.merges:
            reader.context.run(lib.sheaf_dataset_index_parts, pointer, job.parts)
            state, what = "written", None
        else:
            state, what = (_check_index if checks else _write_index)(reader, pointer, given)
        index = _index_info(pointer)
        found: dict[str, Any] = {"file": str(opening.source), "state": state}
        if what:
            found["found"] = what
        if index.path:
            found["index"] = os.fsdecode(index.path)
        if index.fresh and not what:
            found.update(bytes=index.bytes, pieces=index.pieces, piece_bytes=index.piece_bytes)
            found[reader.schema.rows] = index.rows
            if reader.schema.rows == "sequences":
                found["samples"] = index.samples
            found["inferred"] = bool(index.inferred)
    return found


def _write_index(reader: Reader, pointer: c_void_p, given: Given) -> tuple[str, str | None]:
    index, wanted = _index_info(pointer), given.number("piece-bytes", 0)
    if index.fresh and (index.piece_bytes == 0 or wanted in (0, index.piece_bytes)):
        return "fresh", None
    reader.context.run(lib.sheaf_dataset_write_index, pointer)
    return "written", None


def _check_index(reader: Reader, pointer: c_void_p, _given: Given) -> tuple[str, str | None]:
    try:
        reader.context.run(lib.sheaf_dataset_check_index, pointer)
    except (DataError, SheafError) as error:
        if error.status not in ("data", "short", "unknown"):
            raise
        return "bad", str(error)
    return "sound", None


# ---- split, merge ----


def _stem_of(output: bytes) -> int:
    """Where the suffixes begin that say the format and the compression of a file; its end where none does."""
    stem, at = len(output), output.rfind(b"/") + 1
    while (at := output.find(b".", at + 1)) > 0:
        if lib.sheaf_format_of_name(b"x" + output[at:]):
            stem = at
    return stem


def _part_names(output: bytes, parts: int) -> list[bytes]:
    """OUT.0, OUT.1, ... with as many digits as the last one has, before the suffix that says the format."""
    digits, stem = len(str(parts - 1)), _stem_of(output)
    return [b"%s.%0*d%s" % (output[:stem], digits, i, output[stem:]) for i in range(parts)]


def _count_parts(given: Given, source: Path, targets: int) -> int:
    """How many parts the options ask for; -1: as many as are named."""
    size, fractions = given.number("bytes", -1), given.take("fractions")
    if size > 0:
        return max(1, -(-os.path.getsize(source) // size))
    if fractions and targets == 1:
        return fractions.count(",") + 1
    return given.number("parts", -1)


def _copying(given: Given) -> c.sheaf_split_options:
    opening = given.fill(c.sheaf_open_options)
    filled: c.sheaf_split_options = given.fill(c.sheaf_split_options, open=pointer(opening))
    filled._opening = opening
    return filled


def split(source: Path, outputs: Path | Sequence[Path], *, progress: bool | Progress | None = None,
          **options: Any) -> dict[str, int]:
    """Shares the rows of a file out among several: ``outputs``, or with ``parts=N`` or ``bytes=SIZE``
    ``OUT.0``, ``OUT.1``, ...; in parts of equal length, or drawn with ``fractions=[0.9, 0.1]`` and a
    ``seed``. Gives the rows of each.

    >>> parts = [tmp / "a", tmp / "b"]
    >>> list(sheaf.split("cells.scidb", parts, from_="scidb", format_string="(int64)").values())
    [5, 5]
    """
    given = Given("split", options, ("reading", "writing"), besides=("progress",))
    targets = _paths(outputs)
    parts = _count_parts(given, source, len(targets))
    if parts >= 0:
        if len(targets) != 1:
            raise UsageError(f"outputs: expected one with parts=, found {len(targets)}", "parts")
        if not 1 <= parts <= 1000:
            raise UsageError(f"parts: expected a number from 1 to 1000, found {parts}", "parts")
        targets = _part_names(targets[0], parts)
    context = Context(given.members(c.sheaf_context_options), progress_of(progress, str(source)))
    rows, filled = (c_int64 * len(targets))(), _copying(given)
    context.run(lib.sheaf_split, os.fsencode(source), _array(targets), len(targets), byref(filled),
                context.handle, rows)
    return {os.fsdecode(target): n for target, n in zip(targets, rows)}


def merge(inputs: Sequence[Path], output: Path | None = None, *,
          progress: bool | Progress | None = None, **options: Any) -> Any:
    """Copies the rows of several files to one, or makes the whole of all parts of a job.

    Gives how many rows were copied, -1 where they were converted in parts; of the parts of another function
    (``part=(i, n)``) what that function gives. ``output`` is the file that is made: of rows, of the parts of
    `convert`, or the page of `report`.
    """
    given, names = Given("merge", options, besides=("progress",)), _paths(inputs)
    job = _job_of(names, given)
    if job in _MERGED or job == "report":
        return _merged(names, output, given, progress)
    if output is None:
        raise UsageError("output: expected the name of the file that is made, found none", "output")
    target, rows = os.fsencode(output), c_int64()
    context = Context(given.members(c.sheaf_context_options), progress_of(progress, os.fsdecode(target)))
    filled = _copying(given)
    context.run(lib.sheaf_merge, _array(names), len(names), target, byref(filled), context.handle,
                byref(rows))
    return rows.value


_MERGED: dict[str, Callable[[Job, Opening], Any]] = {
    "stats": _stats, "hash": _hashed, "index": _indexed,
    "validate": lambda job, opening: _validated(job, opening, None)}


def _job_of(names: list[bytes], given: Given) -> str:
    """The job of parts; "" where files are none."""
    if not names or not os.path.isfile(names[0]):
        return ""
    return job_of(names[0], Context(given.members(c.sheaf_context_options)))


def _merged(names: list[bytes], output: Path | None, merging: Given,
            progress: bool | Progress | None) -> Any:
    """The function of the parts once more, with what they have made of the rows."""
    parts = Parts(names, Context(merging.members(c.sheaf_context_options)))
    given = Given(parts.job, parts.keywords())
    for name in ("max-memory", "threads", "force"):
        if name in merging.values:
            given.values[name] = merging.values[name]
    job = Job(given, None, parts)
    settings = {"validate": {"validate": True}}.get(parts.job)
    without = ("strict",) if parts.job == "hash" else ()
    opening = Opening(parts.source, given, False, progress, settings, without)
    if parts.job == "report":
        return _reported(job, opening, output)
    if output is not None:
        raise UsageError(f"output: expected none, since {parts.job}() writes no file, found one", "output")
    return _MERGED[parts.job](job, opening)


def head_of(dataset: Dataset, rows: int) -> str:
    """The first rows as text."""
    texts, left = [], rows
    for frame in dataset:
        lines = frame.texts("text_short").splitlines()
        texts += lines[:left]
        left = rows - len(texts)
        if left <= 0:
            break
    return "\n".join(texts)


def command_names() -> list[str]:
    """The commands of this build."""
    return [entry["name"] for entry in table()["commands"]]
