# SPDX-License-Identifier: MIT
"""`index`: records where the rows of a file are, in a file beside it."""
from __future__ import annotations

import os
from ctypes import byref, c_void_p

from . import _layout as c
from ._config import configured
from ._errors import DataError, SheafError, wrong
from ._jobs import Job
from ._library import lib
from ._options import Given
from .dataset import Opening, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._context import Progress

    Path = str | os.PathLike[str]


def index_info(pointer: c_void_p) -> c.sheaf_index_info:
    found = c.sheaf_index_info()
    lib.sheaf_dataset_index(pointer, byref(found))
    return found


def index(source: Path, output: Path | None = None, *, progress: bool | Progress | None = None,
          **options: Any) -> dict[str, Any]:
    """Writes the index beside a file, or compares it with ``check=True``: what ``sheaf index --json`` prints.

    With ``part=(i, n)`` it reads that part of the rows, writes ``output``, a part file from which `merge`
    makes the index, and returns nothing.

    >>> sheaf.index(words)["state"]
    'written'
    """
    source, options = configured("index", source, options)
    given = Given("index", options, besides=("progress",))
    return indexed(Job(given, output), Opening(source, given, False, progress))


def indexed(job: Job, opening: Opening) -> dict[str, Any]:
    given, checks = opening.given, opening.given.flag("check")
    if checks and (job.makes or job.merges):
        raise wrong("check", "to write an index, since part= is given", "a comparison")
    never = checks or job.makes or job.merges
    reader = Reader(opening, index=c.SHEAF_INDEX_NEVER if never else c.SHEAF_INDEX_USE,
                    piece_bytes=given.number("chunk-bytes", 0))
    with reader.handle as pointer:
        if job.makes:
            reader.context.run(lib.sheaf_dataset_index_part, pointer, job.part, job.options(),
                               job.sink(reader.context))
            return {}
        if job.merges:
            reader.context.run(lib.sheaf_dataset_write_index, pointer, job.parts)
            state, what = "written", None
        else:
            state, what = (_check_index if checks else _write_index)(reader, pointer, given)
        index = index_info(pointer)
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
    index, wanted = index_info(pointer), given.number("chunk-bytes", 0)
    if index.fresh and (index.piece_bytes == 0 or wanted in (0, index.piece_bytes)):
        return "fresh", None
    reader.context.run(lib.sheaf_dataset_write_index, pointer, None)
    return "written", None


def _check_index(reader: Reader, pointer: c_void_p, _given: Given) -> tuple[str, str | None]:
    try:
        reader.context.run(lib.sheaf_dataset_check_index, pointer)
    except (DataError, SheafError) as error:
        if error.status not in ("data", "short", "unknown"):
            raise
        return "bad", str(error)
    return "sound", None
