# SPDX-License-Identifier: MIT
"""Whether a file is valid, and whether two have the same contents: `validate`, `diff`, `hash`."""
from __future__ import annotations

import os
from ctypes import byref, c_bool, create_string_buffer, sizeof

from . import _layout as c
from ._config import configured
from ._context import Handle, bytes_of
from ._errors import DataError, Place, Problem, SheafError, UsageError, decoded
from ._jobs import Job, keeps, row_of
from ._library import lib
from ._options import Given
from .dataset import Opening, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._context import Progress

    Path = str | os.PathLike[str]


# ---- validate ----


_PLACES = ("file", "line", "column", "byte", "chunk", "row", "stream")


class Report(list):  # type: ignore[type-arg]
    """The result of `validate`: a list of `Problem`, and whether the file is ``valid``. It is true if the
    file is valid."""

    def __init__(self, name: str, strict: bool) -> None:
        super().__init__()
        self.name, self._strict = name, strict

    @property
    def violations(self) -> list[Problem]:
        """What the format's rules forbid; with ``strict=True`` also warnings and notes."""
        return [p for p in self if p.severity in ("breach", "error")]

    @property
    def valid(self) -> bool:
        return not self.violations

    def __bool__(self) -> bool:
        return self.valid

    def to_pandas(self) -> Any:
        """A DataFrame with a row for each problem."""
        import pandas

        rows = [{"severity": p.severity, "rule": p.rule, **{name: getattr(p.place, name) for name in _PLACES},
                 "expected": p.expected, "found": p.found, "text": p.text} for p in self]
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        found = f"{len(self.violations)} violations" if not self.valid else "valid"
        return f"Report({self.name!r}: {found}, {len(self)} findings)"


def validate(source: Any = None, output: Path | None = None, *, mmap: bool = False,
             progress: bool | Progress | None = None,
             on_problem: Callable[[Problem], object] | None = None, **options: Any) -> Report:
    """Reads a file to its end and returns everything that its format's rules forbid, or that other programs
    refuse.

    ``on_problem`` is called with each `Problem` as it is found; the report then has only the violations. With
    ``part=(i, n)`` it reads that part of the rows, and writes ``output``, a part file for `merge`.

    >>> report = sheaf.validate("words.ctf")
    >>> report.valid, len(report.violations)
    (True, 0)
    """
    source, options = configured("validate", source, options)
    given = Given("validate", options, besides=("mmap", "progress", "on_problem"))
    return validated(Job(given, output), Opening(source, given, mmap, progress, {"validate": True}),
                      on_problem)


def validated(job: Job, opening: Opening, on_problem: Callable[[Problem], object] | None = None) -> Report:
    report = Report(str(opening.source), opening.given.flag("strict"))

    def take(problem: Problem) -> None:
        if on_problem is not None:
            on_problem(problem)
        if on_problem is None or problem.severity in ("breach", "error"):
            report.append(problem)

    for member in [None] if job.makes else _members_to_validate(opening):
        reader, failure = None, None
        try:
            chosen: dict[str, Any] = {"member": member} if member else {}
            reader = Reader(opening, take, **chosen)
            if member is None:
                job.begin(reader, c.SHEAF_PART_COUNTED)
            while reader.next() is not None:
                pass
        except DataError as error:
            failure = error
            take(_ending(error))
        if job.makes and reader is not None:
            job.end(reader, failure=failure)
        elif job.makes and failure is not None:
            raise failure
    return report


def _ending(error: DataError) -> Problem:
    """A failure that ended the reading is also a violation."""
    return Problem("error", "end of input" if error.status == "short" else "unreadable",
                   error.place or Place(), error.expected or "", error.found or "", None, str(error))


def _members_to_validate(opening: Opening) -> list[bytes | None]:
    """First the file as a whole, then its datasets that this did not include."""
    if "dataset" in opening.given.values or not isinstance(opening.source, (str, os.PathLike)):
        return [None]
    try:
        names = opening.datasets()
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


# ---- diff, hash ----


class Difference:
    """One difference: its ``row``, ``stream`` and ``sample`` (None: the whole), the values of ``a`` and
    ``b``, and for a tensor's entry its ``place``."""

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
    """The first differences between two datasets, and whether they are ``equal``. It is true if they
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
    left = Reader(Opening(a, given, mmap, progress), entries=c.SHEAF_ENTRIES_CONTENT)
    right = Reader(Opening(b, given, mmap), entries=c.SHEAF_ENTRIES_CONTENT)

    def tell(_user: int, told: Any) -> bool:
        if len(found) < limit:
            found.append(Difference(told[0]))
        return len(found) < limit

    callback = c.members_of(c.sheaf_diff_options)["on_difference"](tell)
    keys, types = given.has("compare", "keys"), given.has("compare", "types") or given.flag("strict")
    filled = c.sheaf_diff_options(size=sizeof(c.sheaf_diff_options), keys=keys, types=types,
                                  on_difference=callback)
    equal = c_bool()
    with left.handle as first, right.handle as second:
        left.context.run(lib.sheaf_diff, first, second, byref(filled), byref(equal))
    found.equal = bool(equal.value)
    return found


def hash(source: Any = None, output: Path | None = None, *, mmap: bool = False,
         progress: bool | Progress | None = None, **options: Any) -> str:  # noqa: A001
    """A hash of the contents, 32 hexadecimal digits, the same whatever the format.

    With ``part=(i, n)`` the hash of that part of the rows is written to ``output``, a part file for `merge`,
    and nothing is returned.

    >>> len(sheaf.hash("words.ctf"))
    32
    """
    source, options = configured("hash", source, options)
    given = Given("hash", options, besides=("mmap", "progress"))
    return hashed(Job(given, output), Opening(source, given, mmap, progress))


def hashed(job: Job, opening: Opening) -> str:
    reader, given = Reader(opening, entries=c.SHEAF_ENTRIES_CONTENT), opening.given
    job.begin(reader, c.SHEAF_PART_NUMBERED)
    hashing = Handle(reader.context, lib.sheaf_hash_free)
    types = given.has("compare", "types") or given.flag("strict")
    reader.context.call(lib.sheaf_hash_new, byref(reader.schema.c), given.has("compare", "keys"), types,
                        reader.context.handle, byref(hashing.pointer))
    digits = create_string_buffer(33)
    with hashing as pointer:
        for frame in reader.borrowed():
            if keeps(reader):
                continue
            reader.context.call(lib.sheaf_hash_add, pointer, frame, row_of(reader))
        if job.makes:
            job.end(reader, bytes_of(lambda out, err: lib.sheaf_hash_save(pointer, byref(out), byref(err))))
            return ""
        for state in job.states():
            reader.context.call(lib.sheaf_hash_merge, pointer, state, len(state))
        lib.sheaf_hash_text(pointer, digits)
    return digits.value.decode()
