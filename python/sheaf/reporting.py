# SPDX-License-Identifier: MIT
"""Summaries of the rows: `stats` as numbers, `report` as a page of charts."""
from __future__ import annotations

import os
import struct
from contextlib import suppress
from ctypes import byref, c_void_p, sizeof, string_at

from . import _layout as c
from ._config import configured
from ._context import Context, Handle, bytes_of, text_of
from ._errors import DataError, UsageError, wrong
from ._jobs import Job, keeps, row_of, sink_of
from ._library import lib
from ._options import Given
from ._peers import makes
from .dataset import Dataset, Opening, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._context import Progress

    Path = str | os.PathLike[str]


# ---- stats ----


def stats(source: Any = None, output: Path | None = None, *, mmap: bool = False,
          progress: bool | Progress | None = None, **options: Any) -> dict[str, Any]:
    """Statistics of all rows, by stream: what ``sheaf stats --json`` prints.

    With ``part=(i, n)`` the statistics of that part of the rows are written to ``output``, a part file for
    `merge`, and nothing is returned.

    >>> for i in 1, 2:
    ...     _ = sheaf.stats("words.ctf", tmp / f"{i}.stats", part=(i, 2))
    >>> sheaf.merge([tmp / "1.stats", tmp / "2.stats"])["sequences"]
    2

    >>> sheaf.stats("words.ctf")["sequences"]
    2
    """
    source, options = configured("stats", source, options)
    given = Given("stats", options, besides=("mmap", "progress"))
    return summed_up(Job(given, output), Opening(source, given, mmap, progress))


def summed_up(job: Job, opening: Opening) -> dict[str, Any]:
    reader = Reader(opening)
    summary = _summary(reader, job)
    if job.makes:
        job.end(reader, _saved(summary))
        return {}
    return _numbers(summary)


@makes("stats", Dataset)
def stats_of(dataset: Dataset) -> dict[str, Any]:
    """Those of an open dataset."""
    return _numbers(_summary(dataset._take_reader()))


def _name_indices(summary: Handle, context: Context, word: str) -> None:
    """STREAM=FILE"""
    stream, equals, path = word.partition("=")
    if not equals:
        raise UsageError.about("names", "STREAM=FILE", f"{word!r}")
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
    """A summary of the rows; ``first`` receives the first of them."""
    context = reader.context
    if job is not None:
        entries = reader.schema.rows == "entries"
        job.begin(reader, c.SHEAF_PART_KEPT if entries else c.SHEAF_PART_NUMBERED)
    summary = _new_summary(reader, reader.opening.given if job is not None else None)
    if job is None or not job.makes:
        context.call(lib.sheaf_summary_profile, summary.pointer, None)
    for frame in reader.borrowed():
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
    """The first rows as text, and their number: in a part file they precede the summary."""

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
        """For a part; returns its summary."""
        rows, size = self._HEAD.unpack(state[:16]) if len(state) >= 16 else (-1, -1)
        if rows < 0 or not 0 <= size <= len(state) - 16:
            raise DataError.about("merge", "the report of a part", "it damaged")
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


# ---- report ----


def _findings(context: Context) -> Any:
    """The findings while a file was read: a rule, and its count."""
    found = context.tally()
    return (c.sheaf_fact * len(found))(*(
        c.sheaf_fact(rule.encode(), f"{count} times".encode()) for rule, count in found.items()))


class Page(dict):  # type: ignore[type-arg]
    """The numbers of a report, and the ``page`` of its charts, which notebooks show."""

    page: str = ""

    def _repr_html_(self) -> str:
        from html import escape

        return (f'<iframe srcdoc="{escape(self.page)}" style="width:100%;height:40em;border:0" '
                'sandbox="allow-scripts"></iframe>')


@makes("report", Dataset)
def report_of(dataset: Dataset, path: Path | None, force: bool) -> Page:
    given = Given("report", {"force": force})
    given.values = {**dataset._opening.given.values, **given.values}
    return reported(Job(given, path), dataset._opening, path, None, force)


def report(source: Any, path: Path | None = None, *, other: Any = None, force: bool = False,
           mmap: bool = False, progress: bool | Progress | None = None, **options: Any) -> Page:
    """The numbers of a page of charts, as ``sheaf report --json`` writes them, and that page: notebooks show it,
    and with ``path`` it is also written.

    With ``other``, another file, the page also shows how that differs; with ``svg``, a folder, each chart is
    also written as a file (the folder is created if necessary). Existing files are replaced only with
    ``force=True``. With ``part=(i, n)`` it reads that part of the rows, writes ``path``, a part file from
    which `merge` makes the page, and returns nothing.

    >>> sheaf.report("words.ctf", tmp / "words.html")["sequences"]
    2
    """
    source, options = configured("report", source, options)
    if force:
        options["force"] = True
    given = Given("report", options, besides=("other", "mmap", "progress"))
    job = Job(given, path)
    if job.makes and other is not None:
        raise wrong("other", "one file with part=", "two")
    if given.take("svg") is not None and (path is None or job.makes):
        raise wrong("svg", "the path of a page, since that has charts", "none")
    stops = given.flag("max-errors") or given.flag("strict")
    settings = {} if stops else {"max_errors": (1 << 63) - 1}  # it shows what is wrong
    against = None if other is None else Opening(other, given, mmap, progress, settings)
    return reported(job, Opening(source, given, mmap, progress, settings), path, against)


def reported(job: Job, opening: Opening, path: Path | None, other: Opening | None = None,
             force: bool = False) -> Page:
    folder, force = opening.given.take("svg"), force or opening.given.flag("force")
    reader, first = Reader(opening), _FirstRows()
    summary = _summary(reader, job, first)
    if job.makes:
        job.end(reader, first.saved(summary))
        return Page()
    against = None if other is None else _summary(Reader(other))
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
    if path is not None:
        _write_text(reader.context, path, text.encode(), force)
    made = Page(_numbers(summary, against))
    made.page = text
    return made


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
    """Receives each chart from the library."""

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
        """Names and contents of files."""
        if self._failure:
            raise self._failure
        return self._taken


def _write_text(context: Context, path: Path, text: bytes, force: bool) -> None:
    """A file that appears whole or not at all."""
    sink = sink_of(context, path, force)
    try:
        context.call(lib.sheaf_sink_write, sink, text, len(text))
    except BaseException:
        lib.sheaf_sink_abandon(sink)
        raise
    context.call(lib.sheaf_sink_commit, sink)
