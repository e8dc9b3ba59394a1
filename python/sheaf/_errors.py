# SPDX-License-Identifier: MIT
"""Errors as exceptions: each has the place, what was expected, what was found, and the option that it is
about."""
from __future__ import annotations

from ctypes import byref, create_string_buffer

from . import _layout as c
from ._library import lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from typing_extensions import Self

_KEYWORDS = {"from": "from_"}
_SEVERITIES = ("note", "warning", "breach", "error", "error")


def keyword_of(option: str) -> str:
    """The keyword argument of an option of the command: ``max-errors`` is ``max_errors``, ``from`` is
    ``from_``."""
    return _KEYWORDS.get(option, option.replace("-", "_"))


def in_python(message: str) -> str:
    """A message with the command's options as keyword arguments: ``--strict`` is ``strict=True``, ``--to
    csv`` is ``to="csv"``."""
    if "--" not in message:
        return message
    import re

    from ._table import is_flag, is_value

    def replaced(found: Any) -> str:
        value = found["value"] or ""
        if found.start() == 0:  # what the message is about
            return keyword_of(found[1]) + value
        if is_flag(found[1]):
            return f"{keyword_of(found[1])}=True{value}"
        if value and is_value(found[1], value[1:]):
            return f'{keyword_of(found[1])}="{value[1:]}"'
        return keyword_of(found[1]) + value if value else f"{keyword_of(found[1])}="

    return re.sub(r"(?<![\w-])--([a-z][a-z0-9-]*)(?P<value> [\w.,/:]*\w)?", replaced, message)


class Place:
    """A place in an input: members that are unknown, or do not apply, are None.

    ``line`` and ``column`` count from 1, ``byte``, ``chunk`` and ``row`` from 0. ``text`` has all of it as
    text.
    """

    __slots__ = ("byte", "chunk", "column", "file", "line", "row", "stream", "text")

    def __init__(self, text: str = "", file: str | None = None, line: int | None = None,
                 column: int | None = None, byte: int | None = None, chunk: int | None = None,
                 row: int | None = None, stream: str | None = None) -> None:
        self.text, self.file, self.line, self.column = text, file, line, column
        self.byte, self.chunk, self.row, self.stream = byte, chunk, row, stream

    @classmethod
    def of(cls, where: c.sheaf_error | c.sheaf_place, text: str, file: str | None,
           stream: str | None) -> Place:
        """From numbers of the library: those that are not known, or do not apply, are below what counts."""
        def known(number: int, least: int) -> int | None:
            return number if number >= least else None

        return cls(text, file, known(where.line, 1), known(where.column, 1), known(where.byte, 0),
                   known(where.chunk, 0), known(where.row, 0), stream)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        known = [f"{name}={getattr(self, name)!r}" for name in self.__slots__ if name != "text"
                 and getattr(self, name) is not None]
        return f"Place({', '.join(known)})"


class Problem:
    """One finding about an input, as ``validate`` gives it.

    ``severity`` is "note", "warning", "breach" or "error"; ``rule`` its short name ("index range");
    ``consequence`` says what was left out, or is None.
    """

    __slots__ = ("consequence", "expected", "found", "loss", "place", "rule", "severity", "text")

    def __init__(self, severity: str, rule: str, place: Place, expected: str, found: str,
                 consequence: str | None, text: str, loss: bool = False) -> None:
        self.severity, self.rule, self.place, self.text = severity, rule, place, text
        self.expected, self.found, self.consequence, self.loss = expected, found, consequence, loss

    @classmethod
    def of(cls, problem: c.sheaf_problem, text: str) -> Problem:
        """A copy of the library's problem."""
        where, words = problem.place, create_string_buffer(2048)
        lib.sheaf_place_text(byref(where), words, len(words))
        place = Place.of(where, decoded(words.value) or "", decoded(where.file), decoded(where.stream))
        expected, found, consequence = map(_spelled, (problem.expected, problem.found, problem.consequence))
        return cls(_SEVERITIES[problem.severity], decoded(problem.rule) or "", place, expected or "",
                   found or "", consequence, text, problem.status == c.SHEAF_LOSS)

    def __str__(self) -> str:
        return f"{self.severity}: {self.text}"

    def __repr__(self) -> str:
        return f"Problem({str(self)!r})"


def decoded(value: bytes | None) -> str | None:
    """A text of the library; None if there is none."""
    return None if value is None else value.decode("utf-8", "replace")


def shown(text: str) -> str:
    """A text from a file, for a line that a terminal or a page shows: nothing in it controls either."""
    rest, made, character = text.encode("utf-8", "surrogateescape"), b"", create_string_buffer(c.SHEAF_SHOWN)
    while rest:
        rest = rest[lib.sheaf_show_character(rest, len(rest), character):]
        made += character.value
    return made.decode()


def _spelled(value: bytes | None) -> str | None:
    """A part of a message, in which the library has marked options before composing it."""
    text = decoded(value)
    return text and in_python(text.replace("\x01", "--").replace("\x02", ""))


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known one."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]}?" if near else ""


def message(name: str, expected: str, found: object, more: str = "") -> str:
    """"name: expected x, found y; more"."""
    place, end = f"{name}: " if name else "", f"; {more}" if more else ""
    return f"{place}expected {expected}, found {found}{end}"


class SheafError(Exception):
    """A failure reported by the library. ``status`` is its kind: "data", "short", "loss", "limit", "usage",
    ...

    ``place`` (a `Place`), ``expected``, ``found`` and ``option`` (the keyword argument that it is about) are
    None if the message has none; so is ``advice``, the first keyword argument that the message recommends.
    """

    status = "data"
    place: Place | None = None
    expected: str | None = None
    found: str | None = None
    option: str | None = None
    advice: str | None = None

    def __init__(self, message: str, option: str | None = None, status: str | None = None) -> None:
        super().__init__(message)
        self.option = option
        if status:
            self.status = status

    @classmethod
    def about(cls, name: str, expected: str, found: object, more: str = "") -> Self:
        """Of this package's own: ``name`` is that of a file, a column or what else is wrong."""
        error = cls(message(name, expected, found, more))
        error.expected, error.found = expected, str(found)
        error.place = Place(name) if name else None
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.option, self.status), self.__dict__


class DataError(SheafError, ValueError):
    """The input breaks its format's rules, or ends too early (``status`` "short")."""


class UnknownError(SheafError, ValueError):
    """No format reads this, or nothing has this name."""

    status = "unknown"


class UnknownName(UnknownError, KeyError):
    """No column has this name; `UnknownError` and `KeyError`."""

    __str__ = Exception.__str__  # KeyError's would show quotes


class LossError(SheafError, ValueError):
    """The target cannot hold some of the data: ``allow="loss"`` omits them, or another format can hold
    them."""

    status = "loss"


class UsageError(SheafError, ValueError):
    """An argument is wrong, or does not fit another one."""

    status = "usage"


class MissingError(UsageError):
    """A target that has no place for missing items would get other values for those of ``column``, of which
    there are ``count``."""

    column: str = ""
    count: int = 0

    @classmethod
    def of(cls, column: str, count: int) -> MissingError:
        error = cls.about(column, "an item in each row", f"{count} missing; to_numpy() masks them, "
                          "missing=VALUE (to_numpy(missing=nan), to_torch(missing=0)) fills them")
        error.column, error.count = column, count
        return error


def wrong(option: str, expected: str, found: object, more: str = "") -> UsageError:
    """The error for an argument of this package's own functions."""
    error = UsageError.about("", expected, found)
    error.args, error.option = (message(option, expected, found, more),), option
    return error


class UnsupportedError(SheafError, NotImplementedError):
    """Valid, but not built in."""

    status = "unsupported"


class LimitError(SheafError, MemoryError):
    """A limit was reached (``max_memory=``), or the system has no more memory (``status`` "nomem")."""

    status = "limit"


class StaleError(SheafError, RuntimeError):
    """An index contradicts the input: open it with ``index="never"``."""

    status = "stale"


class StoppedError(SheafError):
    """The work was stopped."""

    status = "stopped"


class DataWarning(UserWarning):
    """Something that was read as intended, or left out, but that the user should know."""


_CLASSES: dict[int, type[SheafError]] = {
    c.SHEAF_NOMEM: LimitError, c.SHEAF_UNKNOWN: UnknownError, c.SHEAF_DATA: DataError,
    c.SHEAF_SHORT: DataError,
    c.SHEAF_UNSUPPORTED: UnsupportedError, c.SHEAF_LOSS: LossError, c.SHEAF_LIMIT: LimitError,
    c.SHEAF_USAGE: UsageError,
    c.SHEAF_STOPPED: StoppedError, c.SHEAF_STALE: StaleError,
}
_STATUSES = {number: word for word, number in c.ENUMS["sheaf_status"].items()}


def missing(name: str, expected: str) -> FileNotFoundError:
    """The exception for missing files, when this package looks for them itself."""
    import errno

    error = FileNotFoundError(errno.ENOENT, message(name, expected, "none"))
    parts = {"place": Place(name, name), "expected": expected, "found": "none", "option": None,
             "status": "io"}
    error.__dict__.update(parts)
    return error


def error_from(err: c.sheaf_error) -> Any:
    """The exception for an error filled in by a call of the library."""
    message = in_python(err.message.decode("utf-8", "replace"))
    option = keyword_of(err.option.decode()) if err.option else None
    # an output that is there already is usage, with a number of the system's
    if err.status == c.SHEAF_IO or err.sys:
        error: Any = OSError(err.sys, message) if err.sys else OSError(message)
        error.option, error.status = option, _STATUSES[err.status]
    else:
        error = _CLASSES.get(err.status, SheafError)(message, option, _STATUSES.get(err.status))
        error.advice = keyword_of(err.advice.decode()) if err.advice else None
    error.expected, error.found = _part(err, err.expected), _part(err, err.found)
    file = _part(err, err.file)
    text = None if option else _part(err, err.place) or file
    error.place = Place.of(err, text, file, _part(err, err.stream)) if text else None
    return error


def _part(err: c.sheaf_error, span: c.sheaf_span) -> str | None:
    """A part of the message, with the options in it as Python has them."""
    part = err.message[span.at:span.at + span.size]
    return in_python(part.decode("utf-8", "replace")) if part else None
