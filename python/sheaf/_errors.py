# SPDX-License-Identifier: MIT
"""Errors as exceptions: each has the place, what was expected, what was found, and the option that it is
about."""
from __future__ import annotations

from . import _layout as c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

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
    from . import _messages
    from ._options import is_flag, is_value

    def replaced(found: Any) -> str:
        value = found["value"] or ""
        if found.start() == 0:  # what the message is about
            return keyword_of(found[1]) + value
        if is_flag(found[1]):
            return f"{keyword_of(found[1])}=True{value}"
        if value and is_value(found[1], value[1:]):
            return f'{keyword_of(found[1])}="{value[1:]}"'
        return keyword_of(found[1]) + value if value else f"{keyword_of(found[1])}="

    return _messages.OPTION.sub(replaced, message)


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
    def from_text(cls, text: str) -> Place:
        """From "train.ctf:812:17 (byte 40211)", the beginning of messages."""
        from . import _messages

        found = _messages.LINE.fullmatch(text) or _messages.FILE.fullmatch(text)
        groups: dict[str, Any] = found.groupdict() if found else {}
        place = cls(text, groups.get("file"))
        for name in ("line", "column", "byte"):
            if groups.get(name) is not None:
                setattr(place, name, int(groups[name]))
        for word, quoted, number in _messages.DEEPER.findall(groups.get("deeper") or ""):
            if quoted or not number:
                place.stream = quoted
            else:
                setattr(place, word if word in ("chunk", "byte") else "row", int(number))
        return place

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
        where = problem.place

        def known(number: int, least: int) -> int | None:
            return number if number >= least else None

        place = Place(text.split(": expected ")[0], decoded(where.file), known(where.line, 1),
                      known(where.column, 1), known(where.byte, 0), known(where.chunk, 0),
                      known(where.row, 0), decoded(where.stream))
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


def _spelled(value: bytes | None) -> str | None:
    """A part of a message, in which the library has marked options before composing it."""
    text = decoded(value)
    return text and in_python(text.replace("\x01", "--").replace("\x02", ""))


def meant(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known one."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


class SheafError(Exception):
    """A failure reported by the library. ``status`` is its kind: "data", "short", "loss", "limit", "usage",
    ...

    ``place`` (a `Place`), ``expected``, ``found`` and ``option`` (the keyword argument that it is about) are
    None if the message has none; so is ``advice``, the first keyword argument that the message recommends.
    """

    status = "data"
    place: Place | None
    expected: str | None
    found: str | None
    option: str | None
    advice: str | None = None

    def __init__(self, message: str, option: str | None = None, status: str | None = None) -> None:
        super().__init__(message)
        _explain(self, message, option)
        if status:
            self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.option, self.status)


class DataError(SheafError, ValueError):
    """The input breaks its format's rules, or ends too early (``status`` "short")."""


class UnknownError(SheafError, ValueError):
    """No format reads this, or nothing has this name."""

    status = "unknown"


class UnknownName(UnknownError, KeyError):
    """No column has this name; `UnknownError` and `KeyError`."""

    __str__ = Exception.__str__  # KeyError's would show quotes


class LossError(SheafError, ValueError):
    """The target cannot hold some of the data: ``allow_loss=True`` omits them, or another format can hold
    them."""

    status = "loss"


class UsageError(SheafError, ValueError):
    """An argument is wrong, or does not fit another one."""

    status = "usage"


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


def _explain(error: Any, message: str, option: str | None) -> None:
    from . import _messages

    parts = _messages.SYSTEM.fullmatch(message) or _messages.MESSAGE.fullmatch(message)
    error.place = Place.from_text(parts["place"]) if parts and parts["place"] and option is None else None
    error.expected = parts["expected"] if parts else None
    error.found = (parts["found"] or parts["consequence"]) if parts else None
    error.option = option


def missing(name: str, expected: str) -> FileNotFoundError:
    """The exception for missing files, when this package looks for them itself."""
    import errno

    error = FileNotFoundError(errno.ENOENT, f"{name}: expected {expected}, found none")
    _explain(error, str(error.strerror), None)
    error.status = "io"  # type: ignore[attr-defined]
    return error


def error_from(err: c.sheaf_error, problem: Problem | None = None) -> Exception:
    """The exception for an error filled in by a call of the library; ``problem`` is the finding that stopped
    the call, if there was one."""
    error = _error_from(err)
    if problem is not None:
        for name in ("place", "expected", "found"):
            setattr(error, name, getattr(problem, name))
    return error


def _error_from(err: c.sheaf_error) -> Exception:
    message = in_python(err.message.decode("utf-8", "replace"))
    option = keyword_of(err.option.decode()) if err.option else None
    # an output that is there already is usage, with a number of the system's
    if err.status == c.SHEAF_IO or err.sys:
        error = OSError(err.sys, message) if err.sys else OSError(message)
        _explain(error, message, option)
        error.status = _STATUSES[err.status]  # type: ignore[attr-defined]
        return error
    failure = _CLASSES.get(err.status, SheafError)(message, option, _STATUSES.get(err.status))
    failure.advice = keyword_of(err.advice.decode()) if err.advice else None
    return failure
