# SPDX-License-Identifier: MIT
"""Keyword arguments, which are the command's options: checked against the command's table, and stored in the
library's structs.

An option of the command is an option here, by its table. An option is stored in the member of the same
name; `_MEMBERS` lists the few with another name.
"""
from __future__ import annotations

import os
from ctypes import Structure, byref, c_bool, c_char_p, c_int, c_int64, c_uint64, pointer, sizeof

from . import _layout as c
from ._errors import UsageError, error_from, in_python, keyword_of, meant, wrong
from ._library import lib
from ._table import table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    Row = dict[str, Any]

# Options whose member has another name: (struct, option): member. None: the face does it itself, see the
# functions.
_MEMBERS: dict[tuple[str, str], str] = {
    ("sheaf_open_options", "from"): "format",
    ("sheaf_container_options", "dataset"): "member",
    ("sheaf_sequence_options", "sequences"): "layout",
    ("sheaf_create_options", "to"): "format",
    ("sheaf_shard_options", "timeline"): "global_timeline",
    ("sheaf_batch_options", "no-cross-sweep"): "stop_at_sweep_end",
    ("sheaf_packing_options", "pad"): "pad_multiple",
}
# The word of a choice that makes a truth value true.
_TRUE_WORDS = {"global_timeline": "global"}
# Members that are no options, although an option may have their name.
_NO_MEMBERS = {"size", "settings", "nsettings", "used", "view", "user", "validate", "glance", "access",
               "entries", "totals", "piece_bytes", "packing", "rank", "world", "weights"}
_NO_OPTIONS = {("sheaf_open_options", "rows")}
_KINDS = ("flag", "text", "count", "size", "choice", "texts", "words")

def rows_of(command: str) -> dict[str, Row]:
    """The options of a command by name."""
    for entry in table()["commands"]:
        if entry["name"] == command:
            return {row["name"]: row for row in entry["options"]}
    return {}


def format_rows(use: str) -> dict[str, Row]:
    """The options of formats for "reading" or "writing"."""
    return {row["name"]: row for row in _rows_of_formats(use)}


def _rows_of_formats(use: str) -> Iterator[Row]:
    return (row for entry in table()["formats"] for row in entry["options"] if row[use])


def _are_several(option: str, uses: Iterable[str]) -> bool:
    """Whether formats have options of this name with different values: the library knows which one is
    meant."""
    return len({row.get("argument") for use in uses for row in _rows_of_formats(use)
                if row["name"] == option}) > 1


def _of_output(option: str, uses: Iterable[str]) -> Row | None:
    """The option of a format that is written, with ``out-`` before its name: for the output alone."""
    row = format_rows("writing").get(option[4:]) if option.startswith("out-") else None
    return {**row, "name": option} if row and "writing" in uses else None


def _words_of_formats(option: str, uses: Iterable[str]) -> list[str]:
    """The words that formats have for an option."""
    rows = (row for use in uses for row in _rows_of_formats(use) if row["name"] == option)
    return list(dict.fromkeys(word for row in rows for word in row["argument"].split(",")))


def option_of(keyword: str) -> str:
    """The option of a keyword argument: ``from_`` is ``from``, ``max_errors`` is ``max-errors``."""
    return keyword.rstrip("_").replace("_", "-")


def _texts(row: Row, value: Any) -> list[str | None]:
    """The texts as on the command line: None for a flag."""
    if value is None or value is False:
        return []
    argument = row.get("argument") or ""
    if value is True:
        if row["kind"] != "flag":
            raise wrong(keyword_of(row["name"]), argument or "a value", "True")
        return [None]
    if "A:B" in argument and isinstance(value, (slice, tuple)):
        return [_range(row, value)]
    if isinstance(value, (list, tuple)):
        commas = "," in argument or row["kind"] == "words"
        separator = "," if commas else "/" if argument.startswith(("RANK/", "I/")) else None
        parts = [str(part) if not isinstance(part, os.PathLike) else os.fspath(part) for part in value]
        if argument.startswith("N[") and len(parts) == 2 and parts[1].isalpha():
            separator = ""  # a number and its unit
        if row["kind"] == "words" and not parts:
            return []
        if separator is None and row["kind"] != "texts" and len(parts) != 1:
            raise wrong(keyword_of(row["name"]), "one value", f"{len(parts)}")
        return list(parts) if separator is None else [separator.join(parts)]
    return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _range(row: Row, value: slice | tuple[Any, ...]) -> str:
    """``(2, 5)`` and ``slice(2, 5)`` are ``"2:5"``; None leaves an end open."""
    ends = (value.start, value.stop, value.step) if isinstance(value, slice) else (*value, 1)
    whole = len(ends) == 3 and ends[2] in (None, 1)
    if not whole or any(isinstance(end, str) for end in ends):
        raise wrong(keyword_of(row["name"]), "a range (first, end) or slice(first, end)", f"{value!r}")
    return ":".join("" if end is None else str(end) for end in ends[:2])


def _check(row: Row, text: str | None) -> None:
    option = c.sheaf_option(name=row["name"].encode(), kind=_KINDS.index(row["kind"]), help=b"",
                            argument=row["argument"].encode() if row.get("argument") else None)
    err = c.sheaf_error()
    if lib.sheaf_option_check(byref(option), None if text is None else text.encode(), None, byref(err)):
        raise error_from(err)


# Options of the command that Python has no use for: what it does instead.
_OF_THE_COMMAND = {
    "json": "what functions return",
    "quiet": "warnings.filterwarnings",
    "help": "help()",
    "output": "the argument output",
    "state": "state_dict() and load_state_dict()",
    "limit": "itertools.islice",
    "trace-level": "warnings.filterwarnings",
}
# What options are called elsewhere, by torch and pandas.
_ELSEWHERE = {"batch_size": "size", "drop_last": 'rest="drop"', "shuffle": 'order="file" or "sheaf"',
              "num_workers": "threads", "sep": "delimiter", "usecols": "columns", "nrows": "rows",
              "skiprows": "skip", "na_values": "missing", "names": "columns", "dtype": "columns"}
_OF_ONE_COMMAND = {
    ("batches", "data"): "the arrays of a batch",
    ("batches", "to"): "write(path, batch)",
    ("batches", "force"): "write(path, batch)",
    ("info", "guess"): "guess()",
    ("batches", "position"): "load_state_dict()",
    ("validate", "limit"): "the report, which has every finding",
    ("plan", "rate"): "the bytes of each share",
    ("head", "table"): "to_pandas()",
    ("cat", "table"): "to_pandas()",
    ("report", "fail-above"): 'the scores under "drift"',
    ("stats", "draw"): "the histograms in the result; read(path).to_scipy(), which matplotlib's spy() draws",
}


def _instead(command: str, option: str) -> str | None:
    """What Python has instead of an option of a command; None if it has the option."""
    if (command, option) == ("diff", "limit"):
        return None
    return _OF_ONE_COMMAND.get((command, option)) or _OF_THE_COMMAND.get(option)


def is_the_commands(command: str, option: str) -> bool:
    """Whether only the command has this option."""
    return _instead(command, option) is not None


class Given:
    """The options of one call. ``values`` are those of the command, ``settings`` those of formats, by their
    names on the command line."""

    def __init__(self, command: str, keywords: Mapping[str, Any], uses: Iterable[str] = ("reading",),
                 besides: Iterable[str] = (), name: str | None = None) -> None:
        own, of_formats = rows_of(command), {}
        for use in uses:
            of_formats.update(format_rows(use))
        self.command = command
        self.values: dict[str, list[str | None]] = {}
        self.settings: list[tuple[str, str | None]] = []
        for keyword, value in keywords.items():
            option = option_of(keyword)
            row = own.get(option) or of_formats.get(option) or _of_output(option, uses)
            if row is not None and is_the_commands(command, option):
                raise UnknownOption(f"{name or command}: expected an option that Python has, found "
                                    f"{keyword}, the command's; here it is {_instead(command, option)}",
                                    keyword)
            if row is None or keyword != keyword_of(option):
                raise _unknown(name or command, keyword, [*map(keyword_of, [*own, *of_formats]), *besides])
            texts = _texts(row, value)
            if row["kind"] == "words" and option in own:
                texts = self._own_words(row, _words_of_formats(option, uses), texts)
            if option in own or not _are_several(option, uses):
                for text in texts:
                    _check(row, text)
            if option in own:
                self.values[option] = texts
            else:
                self.settings += [(option, text) for text in texts]
        drawn = self.take("parts") or "" if command == "split" else self.take("sample")
        draws = drawn is not None and (command != "split" or "," in drawn)
        if command != "batches" and self.values.get("seed") and not draws:
            raise wrong("seed", "parts with fractions" if command == "split" else "sample with it", "none")

    def _own_words(self, own: Row, of_formats: list[str], texts: list[str | None]) -> list[str | None]:
        """The words that the command knows; the others are settings of formats."""
        known, words = own["argument"].split(","), [word for text in texts for word in str(text).split(",")]
        for word in words:
            _check({**own, "argument": ",".join([*known, *of_formats])}, word)
        self.settings += [(own["name"], word) for word in words if word not in known]
        return [word for word in words if word in known]

    def has(self, name: str, word: str) -> bool:
        """Whether this is one of the words of an option."""
        return word in self.values.get(name, [])

    def take(self, name: str) -> str | None:
        """The text of an option that Python handles itself, or None."""
        texts = self.values.get(name)
        return texts[-1] if texts else None

    def every(self, name: str) -> list[str]:
        """All texts of an option that may be repeated."""
        return [text for text in self.values.get(name, []) if text is not None]

    def flag(self, name: str) -> bool:
        return bool(self.values.get(name))

    def number(self, name: str, otherwise: int) -> int:
        """The number for a count or a size, which has been checked."""
        text = self.take(name)
        if text is None:
            return otherwise
        out = c_int64()
        lib.sheaf_size_from_text(text.encode(), byref(out))
        return out.value

    def members(self, struct: Any) -> dict[str, Any]:
        """The members of a struct that options give."""
        return dict(self._members(struct))

    def _members(self, struct: Any) -> Iterator[tuple[str, Any]]:
        types = c.members_of(struct)
        for name, kind in types.items():
            if isinstance(kind, type) and issubclass(kind, Structure):
                yield name, kind(**dict(self._members(kind)))
        for name, texts in self.values.items():
            yield from ((member, True) for member in types if member.startswith(f"{name}_")
                        and self.has(name, member[len(name) + 1:]))
            member = _MEMBERS.get((struct.__name__, name)) or keyword_of(name)
            if not texts or member not in types or (struct.__name__, name) in _NO_OPTIONS:
                continue
            if _pointed(types[member]):
                continue
            if member not in _NO_MEMBERS:
                yield member, self._convert(struct, member, types[member], name, texts)

    def _convert(self, struct: Any, member: str, kind: Any, name: str, texts: list[str | None]) -> Any:
        text = texts[-1]
        enum = c.ENUM_MEMBERS.get((struct.__name__, member))
        if enum and text is not None:
            return c.ENUMS[enum][text.replace("-", "_")]
        if kind is c_bool:
            return text is None or text == _TRUE_WORDS.get(member)
        if kind in (c_int64, c_uint64, c_int):
            return min(self.number(name, 0), 2**31 - 1) if kind is c_int else self.number(name, 0)
        if kind is c_char_p:
            return (text or "").encode()
        raise UsageError.about(keyword_of(name), "an option that Python knows", "one of a later library")

    def fill(self, struct: Any, **others: Any) -> Any:
        """A struct with the given options, its size, and other members; it keeps alive what it points to. The
        other members may be those of the structs of options that it points to."""
        types, members = c.members_of(struct), self.members(struct)
        for name, kind in types.items():
            pointed = _pointed(kind)
            if pointed:
                own = [member for member in c.members_of(pointed) if member in others and member not in types]
                inner = self.fill(pointed, **{member: others.pop(member) for member in own})
                if inner._kept:
                    members[name] = pointer(inner)
        members.update(others)
        filled = struct(size=sizeof(struct), **members)
        filled._kept = members
        if "settings" in c.members_of(struct):
            rows = [c.sheaf_setting(name.encode(), None if text is None else text.encode())
                    for name, text in self.settings]
            settings = (c.sheaf_setting * len(rows))(*rows)
            filled.settings, filled.nsettings, filled._settings = settings, len(self.settings), settings
        return filled


def _pointed(kind: Any) -> Any:
    """The struct of options that a member of this type points to, or None."""
    pointed = getattr(kind, "_type_", None)
    if isinstance(pointed, type) and issubclass(pointed, Structure) and pointed.__name__.endswith("_options"):
        return pointed
    return None


def _unknown(command: str, keyword: str, known: list[str]) -> TypeError:
    now = table()["renamed"].get(option_of(keyword))
    there = _ELSEWHERE.get(keyword, "")
    advice = (f"use {in_python('use --' + now)[4:]}" if now else
              f"here it is {there}" if there.split("=")[0] in known else meant(keyword, known))
    error = UnknownOption.about(command, "an option of this function or of a format", f'"{keyword}"', advice)
    error.option, error.place = keyword, None
    return error


class UnknownOption(UsageError, TypeError):
    """A keyword argument that is not an option; `UsageError` and `TypeError`."""
