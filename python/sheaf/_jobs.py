# SPDX-License-Identifier: MIT
"""Reading in parts: a function with ``part=(i, n)`` reads some of the rows and writes a part file; `merge`
calls it once more, with all parts instead of the rows."""
from __future__ import annotations

import os
from ctypes import byref, c_char_p, c_void_p, cast, create_string_buffer, pointer, sizeof, string_at

from . import _layout as c
from ._context import Context, Handle
from ._errors import keyword_of, wrong
from ._library import lib
from ._options import is_the_commands, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from ._options import Given
    from .dataset import Reader

# Options that say how the work is done, and not what comes out: as the command has them.
_NO_DIFFERENCE = {"part", "output", "threads", "max-memory", "progress", "quiet", "index", "force", "config"}


class Job:
    """What a call does with the rows: everything, a part (``makes``), or combining all parts (``merges``)."""

    def __init__(self, given: Given, output: Any = None, parts: Parts | None = None) -> None:
        self._given, self._output, self._parts = given, output, parts
        self._part = given.take("part")
        self.makes, self.merges = self._part is not None, parts is not None
        if self.makes and output is None:
            raise wrong("part", "output=, the name of the part file", "none")
        if output is not None and not self.makes and given.command != "report":
            raise wrong("output", "part=(i, n), since only parts are files", "none")

    def begin(self, reader: Reader, rows: int) -> None:
        """Before anything is read; ``rows`` names what the state of a part depends on."""
        with reader.handle as dataset:
            if self._parts is not None:
                reader.handle.need(self._parts.handle)
                reader.context.run(lib.sheaf_dataset_take_parts, dataset, self._parts.handle.pointer)
            elif self._part is not None:
                sink = self.sink(reader.context)
                reader.context.run(lib.sheaf_dataset_take_part, dataset, self._part.encode(), rows, sink)

    def sink(self, context: Context) -> c_void_p:
        """Of the part file."""
        return sink_of(context, self._output, self._given.flag("force"))

    @property
    def part(self) -> bytes:
        return (self._part or "").encode()

    def options(self) -> bytes:
        """A line for each option that affects the result."""
        given = self._given
        every = [(name, text) for name, texts in given.values.items() for text in texts] + given.settings
        for name, text in every:
            if text and "\n" in text:
                raise wrong(keyword_of(name),
                            "a value without line feeds, since it is written into a part file", "several")
        return "".join(f"{name}\n" if text is None else f"{name}={text}\n" for name, text in every
                       if name not in _NO_DIFFERENCE).encode()

    def end(self, reader: Reader, state: bytes | None = None, failure: Exception | None = None) -> None:
        """The part file is complete."""
        outcome = c.sheaf_part_outcome(size=sizeof(c.sheaf_part_outcome), job=self._given.command.encode(),
                                       options=self.options())
        if state is not None:
            outcome.state, outcome.state_size = cast(c_char_p(state), c_void_p).value, len(state)
        if failure is not None:
            err = c.sheaf_error()
            status = c.SHEAF_SHORT if getattr(failure, "status", "") == "short" else c.SHEAF_DATA
            lib.sheaf_fail(byref(err), status, b"%s", str(failure).encode())
            outcome.failure = pointer(err)
        with reader.handle as dataset:
            reader.context.run(lib.sheaf_dataset_finish_part, dataset, byref(outcome))

    def states(self) -> Iterator[bytes]:
        """What the parts have made from their rows."""
        return self._parts.states() if self._parts is not None else iter(())

    @property
    def parts(self) -> Any:
        return self._parts.handle.pointer if self._parts is not None else None


class Parts:
    """All parts of one job, open."""

    def __init__(self, names: Sequence[bytes], context: Context) -> None:
        self.context, self.handle = context, Handle(context, lib.sheaf_parts_close)
        sources = (c_void_p * len(names))()
        for i, name in enumerate(names):
            source = c_void_p()
            context.call(lib.sheaf_source_path, name, context.handle, byref(source))
            sources[i] = source.value
        context.run(lib.sheaf_parts_open, sources, len(names), context.handle, byref(self.handle.pointer))

    @property
    def job(self) -> str:
        return str(lib.sheaf_parts_about(self.handle.pointer).job.decode())

    @property
    def source(self) -> str:
        """The path of the input, from the first part."""
        return os.fsdecode(lib.sheaf_parts_about(self.handle.pointer).input)

    def keywords(self) -> dict[str, Any]:
        """The options of the parts as keyword arguments, except those that only the command has."""
        flags = {name for name, row in rows_of(self.job).items() if row["kind"] == "flag"}
        found: dict[str, Any] = {}
        for line in lib.sheaf_parts_about(self.handle.pointer).options.decode().splitlines():
            name, _, value = line.partition("=")
            if is_the_commands(self.job, name):
                continue
            if name in flags or line == name:
                found[keyword_of(name)] = True
            else:
                found.setdefault(keyword_of(name), []).append(value)
        return {name: value[0] if isinstance(value, list) and len(value) == 1 else value
                for name, value in found.items()}

    def states(self) -> Iterator[bytes]:
        state = c.sheaf_bytes()
        for i in range(lib.sheaf_parts_about(self.handle.pointer).count):
            self.context.call(lib.sheaf_parts_state, self.handle.pointer, i, byref(state))
            if state.size:
                yield string_at(state.data, state.size)


def job_of(name: bytes, context: Context) -> str:
    """The job of a part file; "" if a file is not a part file."""
    word = create_string_buffer(c.SHEAF_PART_JOB)
    context.call(lib.sheaf_part_job, name, context.handle, word)
    return word.value.decode()


def sink_of(context: Context, path: Any, force: bool) -> c_void_p:
    """A file that appears whole or not at all, and replaces an existing one only with ``force``."""
    sink = c_void_p()
    context.call(lib.sheaf_sink_path, os.fsencode(path), force, context.handle, byref(sink))
    return sink


def row_of(reader: Reader) -> int:
    """The number of the last frame's first row in the whole."""
    return int(lib.sheaf_dataset_row(reader.handle.pointer))


def keeps(reader: Reader) -> bool:
    """Whether a part keeps its rows, and nothing is made from them."""
    return bool(lib.sheaf_dataset_keeps_part(reader.handle.pointer))
