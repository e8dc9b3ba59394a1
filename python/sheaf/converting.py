# SPDX-License-Identifier: MIT
"""Files made from files: converted, divided among several, merged from parts."""
from __future__ import annotations

import os
from ctypes import byref, c_char_p, c_int64
from typing import overload

from . import _layout as c
from ._config import configured
from ._context import Context
from ._errors import UsageError, wrong
from ._jobs import Job, Parts, job_of
from ._library import lib
from ._options import Given
from ._progress import progress_of
from ._source import is_address, uploaded
from .dataset import Opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ._context import Progress
    from .checking import Report

    Path = str | os.PathLike[str]

# Whose parts are no rows of an output: what `merge` makes of them is what the function gives.
_JOBS = ("hash", "index", "report", "stats", "validate")


def _paths(paths: Path | Sequence[Path]) -> list[bytes]:
    listed = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths
    try:
        return [os.fsencode(path) for path in listed]
    except TypeError:
        raise UsageError.about("", "a path or a list of paths", f"{paths!r}") from None


def _array(paths: list[bytes]) -> Any:
    return (c_char_p * len(paths))(*paths)


def convert(inputs: Path | Sequence[Path], output: Path, *, progress: bool | Progress | None = None,
            **options: Any) -> None:
    """Writes the rows of one input, or of several, one after the other, into ``output``: what ``sheaf
    convert`` does.

    The suffix of the output or ``to=`` names its format. It appears whole or not at all; an existing file is
    replaced only with ``force=True``. If the output cannot hold some of the data, that is a `LossError`,
    unless ``allow="loss"``.

    >>> sheaf.convert("words.ctf", tmp / "words.cbf")

    With ``part=(i, n)`` part ``i`` of ``n``, counted from 1, becomes a part file; `merge` combines all of
    them.

    >>> for i in 1, 2:
    ...     sheaf.convert("words.ctf", tmp / f"{i}.part", to="cbf", part=(i, 2))
    >>> sheaf.merge([tmp / "1.part", tmp / "2.part"], tmp / "merged.cbf") > 0
    True
    """
    inputs, options = configured("convert", inputs, options)
    given = Given("convert", options, ("reading", "writing"), ("progress",))
    if is_address(output):
        uploaded(str(output), given.flag("force"),
                 lambda to: convert(inputs, to, progress=progress, **options))
        return
    names, target = _paths(inputs), os.fsencode(output)
    context = Context(given.members(c.sheaf_context_options), progress_of(progress, os.fsdecode(target)))
    unless_given = {} if "index" in given.values else {"index": c.SHEAF_INDEX_AUTO}
    filled = given.fill(c.sheaf_convert_options, **unless_given)
    context.run(lib.sheaf_convert, _array(names), len(names), target, byref(filled), context.handle)


# ---- split, merge ----


def _stem_of(output: bytes) -> int:
    """Where the suffixes for the format and the compression of a file begin; the end of the name if there are
    none."""
    stem, at = len(output), output.rfind(b"/") + 1
    while (at := output.find(b".", at + 1)) > 0:
        if lib.sheaf_format_of_name(b"x" + output[at:]):
            stem = at
    return stem


def _part_names(output: bytes, parts: int) -> list[bytes]:
    """OUT.0, OUT.1, ... with as many digits as the last one has, before the suffix of the format."""
    digits, stem = len(str(parts - 1)), _stem_of(output)
    return [b"%s.%0*d%s" % (output[:stem], digits, i, output[stem:]) for i in range(parts)]


def _count_parts(parts: str | None, source: Path, targets: int) -> int:
    """The number of parts that ``parts`` requests, as on the command line; -1: as many as are named."""
    if parts is None or ("," in parts and targets > 1):
        return -1
    if "," in parts:
        return parts.count(",") + 1
    number = c_int64()
    if not lib.sheaf_size_from_text(parts.encode(), byref(number)):
        raise wrong("parts", "a number, a size such as \"64M\", or fractions such as [0.9, 0.1]", parts)
    if parts.isdigit():
        return number.value
    if number.value == 0:
        raise wrong("parts", "a size of at least 1B", parts)
    return max(1, -(-os.path.getsize(source) // number.value))


def split(source: Path, outputs: Path | Sequence[Path], *, progress: bool | Progress | None = None,
          **options: Any) -> dict[str, int]:
    """Distributes the rows of a file among several: ``outputs``, or with ``parts=N`` or a size such as
    ``parts="64M"`` ``OUT.0``, ``OUT.1``, ...; in parts of equal length, or drawn with ``parts=[0.9, 0.1]``
    and a ``seed``. Returns the number of rows in each.

    >>> parts = [tmp / "a", tmp / "b"]
    >>> list(sheaf.split("cells.scidb", parts, from_="scidb", format_string="(int64)").values())
    [5, 5]
    """
    source, options = configured("split", source, options)
    given = Given("split", options, ("reading", "writing"), besides=("progress",))
    targets = _paths(outputs)
    text = given.take("parts")
    parts = _count_parts(text, source, len(targets))
    if parts >= 0:
        if len(targets) != 1:
            raise wrong("outputs", "one with parts=", len(targets))
        if not 1 <= parts <= 1000:
            raise wrong("parts", "a number from 1 to 1000", parts)
        targets = _part_names(targets[0], parts)
    context = Context(given.members(c.sheaf_context_options), progress_of(progress, str(source)))
    rows, filled = (c_int64 * len(targets))(), given.fill(c.sheaf_split_options)
    filled.fractions = text.encode() if text and "," in text else None
    context.run(lib.sheaf_split, os.fsencode(source), _array(targets), len(targets), byref(filled),
                context.handle, rows)
    return {os.fsdecode(target): n for target, n in zip(targets, rows)}


@overload
def merge(inputs: Sequence[Path], output: None = None, *, progress: bool | Progress | None = None,
          **options: Any) -> dict[str, Any] | str | Report: ...


@overload
def merge(inputs: Sequence[Path], output: Path, *, progress: bool | Progress | None = None,
          **options: Any) -> int | dict[str, Any]: ...


def merge(inputs: Sequence[Path], output: Path | None = None, *, progress: bool | Progress | None = None,
          **options: Any) -> int | dict[str, Any] | str | Report:
    """Copies the rows of several files to one, or combines all parts of a job.

    Returns the number of rows copied, -1 if they were converted in parts; for the parts of another function
    (``part=(i, n)``) what that function returns. ``output`` is the file that is written: with the rows, the
    result of `convert`, or the page of `report`.
    """
    inputs, options = configured("merge", inputs, options)
    given, names = Given("merge", options, besides=("progress",)), _paths(inputs)
    if _job_of(names, given) in _JOBS:
        return _merged(names, output, given, progress)
    if output is None:
        raise wrong("output", "the name of the file that is made", "none")
    target, rows = os.fsencode(output), c_int64()
    context = Context(given.members(c.sheaf_context_options), progress_of(progress, os.fsdecode(target)))
    filled = given.fill(c.sheaf_split_options)
    context.run(lib.sheaf_merge, _array(names), len(names), target, byref(filled), context.handle,
                byref(rows))
    return int(rows.value)


def _job_of(names: list[bytes], given: Given) -> str:
    """The job of parts; "" if the files are not part files."""
    if not names or not os.path.isfile(names[0]):
        return ""
    return job_of(names[0], Context(given.members(c.sheaf_context_options)))


def _merged(names: list[bytes], output: Path | None, merging: Given,
            progress: bool | Progress | None) -> dict[str, Any] | str | Report:
    """Calls the function of the parts once more, with what they have made from the rows."""
    from .checking import hashed, validated
    from .indexing import indexed
    from .reporting import reported, summed_up

    parts = Parts(names, Context(merging.members(c.sheaf_context_options)))
    given = Given(parts.job, parts.keywords())
    for name in ("max-memory", "threads", "force"):
        if name in merging.values:
            given.values[name] = merging.values[name]
    job = Job(given, None, parts)
    settings = {"validate": {"validate": True}}.get(parts.job)
    opening = Opening(parts.source, given, False, progress, settings)
    if parts.job == "report":
        return reported(job, opening, output)
    if output is not None:
        raise wrong("output", f"none, since {parts.job}() writes no file", "one")
    if parts.job == "validate":
        return validated(job, opening)
    if parts.job == "hash":
        return hashed(job, opening)
    return (indexed if parts.job == "index" else summed_up)(job, opening)
