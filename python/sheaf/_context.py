# SPDX-License-Identifier: MIT
"""The context of the library: settings, findings, progress, stopping; and handles, which close themselves."""
from __future__ import annotations

import _thread
import os
import sys
import threading
import warnings
import weakref
from ctypes import byref, c_int64, c_void_p, create_string_buffer, pointer, sizeof, string_at

from . import _layout as c
from ._errors import DataWarning, Problem, UsageError, error_from, in_python
from ._library import lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Progress = Callable[[int, "int | None"], object]

_SHOWN = 10  # warnings of each rule, as the command has it
_LOOK = 0.05  # seconds between two looks for signals
_GRACE = 0.08  # seconds that a stopped call has before it is left to itself
_PACKAGE = os.path.dirname(os.path.abspath(__file__))

# The library passes a number, and this says whose it is: callbacks that held contexts would keep them alive.
_contexts: weakref.WeakValueDictionary[int, Context] = weakref.WeakValueDictionary()


def _on_problem(user: int, problem: Any) -> None:
    context = _contexts.get(user)
    if context is not None:
        context._guard(context._take_problem, problem[0])


def _on_progress(user: int, done: int, total: int) -> None:
    context = _contexts.get(user)
    # In other stages rows are counted.
    if context is not None and context.progress is not None and context._stage == b"reading":
        context._guard(context.progress, done, total if total >= 0 else None)


_ON_PROBLEM = c.members_of(c.sheaf_context_options)["on_problem"](_on_problem)


def caller_level() -> int:
    """The ``stacklevel`` at which a warning points at the code that called this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == _PACKAGE:
        level, frame = level + 1, frame.f_back
    return level


def _on_stage(user: int, stage: bytes) -> None:
    context = _contexts.get(user)
    if context is not None:
        context._stage = stage


_fields = c.members_of(c.sheaf_progress_options)
_PROGRESS = c.sheaf_progress_options(on_progress=_fields["on_progress"](_on_progress),
                                     on_stage=_fields["on_stage"](_on_stage))


def _words(problem: c.sheaf_problem) -> str:
    text = create_string_buffer(2048)
    lib.sheaf_problem_text(byref(problem), text, len(text))
    return in_python(text.value.decode("utf-8", "replace"))


def bytes_of(fill: Callable[[c.sheaf_buffer, c.sheaf_error], int]) -> bytes:
    """The bytes that a function of the library writes to a buffer."""
    buffer, err = c.sheaf_buffer(), c.sheaf_error()
    status = fill(buffer, err)
    found = string_at(buffer.data, buffer.size) if buffer.size else b""
    lib.sheaf_buffer_reset(byref(buffer))
    if status:
        raise error_from(err)
    return found


def text_of(fill: Callable[[c.sheaf_buffer, c.sheaf_error], int]) -> str:
    """The same for a text."""
    return bytes_of(fill).decode("utf-8", "replace")


class Context:
    """Everything that the calls on one input or output share.

    ``settings`` are members of ``sheaf_context_options``. Findings that do not stop a call become
    `DataWarning` after it, or go to ``on_problem``; ``progress`` is called with the bytes done and the total,
    or None. An exception in either stops the call, which then raises it.
    """

    def __init__(self, settings: Mapping[str, Any] | None = None, progress: Progress | None = None,
                 on_problem: Callable[[Problem], object] | None = None, quiet: bool = False) -> None:
        self.progress, self._on_problem = progress, on_problem
        self._raised: BaseException | None = None
        # of a rule and a column; of errors, of a rule
        self._warnings: list[tuple[str, tuple[str, bool, bytes]]] = []
        self._counts: dict[tuple[str, bool, bytes], int] = {}
        self._stage = b"reading"
        self._children = 0
        self._closing = self.abandoned = False
        self.holds = False  # warnings wait: a StaleError drops them, since what follows it finds all again
        self.pid = os.getpid()
        self.handle = c_void_p()
        user = id(self)
        _contexts[user] = self
        options = c.sheaf_context_options(**dict(settings or {}))
        options.size = sizeof(options)
        options.user = user
        options.keep_memory = True  # most programs read one file after the other
        if not quiet:
            options.on_problem = _ON_PROBLEM
        if progress is not None and not quiet:
            options.progress = pointer(_PROGRESS)
        self.call(lib.sheaf_context_new, byref(options), byref(self.handle))

    # ---- what the library says ----

    def _guard(self, function: Callable[..., object], *args: Any) -> None:
        """An exception in a callback would vanish: it is kept, and the call is stopped."""
        try:
            function(*args)
        except BaseException as error:  # noqa: BLE001: KeyboardInterrupt above all
            self._raised = self._raised or error
            self.stop()

    def listen(self, on_problem: Callable[[Problem], object] | None) -> None:
        """From now on findings go there; None: they become warnings."""
        self._on_problem = on_problem

    def _take_problem(self, problem: c.sheaf_problem) -> None:
        words = _words(problem)
        if self._on_problem is not None:
            self._on_problem(Problem.of(problem, words))
            return
        rule = (problem.rule or b"").decode()
        is_error = problem.severity >= c.SHEAF_ERROR and problem.status != c.SHEAF_LOSS
        key = (rule, is_error, b"" if is_error else problem.place.stream or b"")
        count = self._counts[key] = self._counts.get(key, 0) + 1
        if count <= (_SHOWN if is_error else 1):
            self._warnings.append((words, key))
        elif is_error and count == _SHOWN + 1:
            self._warnings.append((f"further ones of this kind ({rule}) are counted but not shown", key))

    def tally(self, severity: int | None = None) -> dict[str, int]:
        """The number of problems of each rule so far; with a severity, only those of at least that severity,
        without losses."""
        counts, entry, i = {}, c.sheaf_tally(), 0
        while lib.sheaf_context_tally(self.handle, i, byref(entry)):
            if severity is None or (entry.severity >= severity and entry.status != c.SHEAF_LOSS):
                counts[(entry.rule or b"").decode()] = entry.count
            i += 1
        return counts

    def memory(self) -> tuple[int, int]:
        """Bytes that are allocated now, and the peak so far."""
        peak = c_int64()
        return lib.sheaf_context_memory(self.handle, byref(peak)), peak.value

    # ---- calls ----

    def call(self, function: Callable[..., int], *args: Any) -> int:
        """Calls the function with an error as the last argument. Raises failures; returns 0, or 1 at an
        end."""
        err = c.sheaf_error()
        return self._settle(function(*args, byref(err)), err)

    def _settle(self, status: int, err: c.sheaf_error) -> int:
        if self._raised is not None:
            raised, self._raised = self._raised, None
            raise raised
        if status > c.SHEAF_END:
            if not (self.holds and status == c.SHEAF_STALE):
                self._warn_of_failed(status)
            raise error_from(err)
        if self._warnings and not self.holds:
            self._warn()
        return status

    def run(self, function: Callable[..., int], *args: Any) -> int:
        """The same for calls that may take long: on the main thread, Ctrl-C stops them at once, even while
        they wait."""
        if threading.current_thread() is not threading.main_thread():
            return self.call(function, *args)
        err, statuses = c.sheaf_error(), []
        done = _thread.allocate_lock()
        done.acquire()

        def work() -> None:
            try:
                statuses.append(function(*args, byref(err)))
            finally:
                done.release()

        begun = False
        try:
            try:
                _thread.start_new_thread(work, ())
            except RuntimeError:  # the interpreter ends, or has no more threads
                return self.call(function, *args)
            begun = True
            # A signal between the look for one and the wait would be seen after the wait only.
            while not done.acquire(timeout=_LOOK):
                pass
        except BaseException:
            if not begun:
                raise
            self.stop()
            if not done.acquire(timeout=_GRACE):
                self.abandoned = True  # it waits for a pipe: what it uses is never closed
            raise
        return self._settle(statuses[0], err)

    def stop(self) -> None:
        """Stops the work in progress; any thread may call it."""
        lib.sheaf_context_stop(self.handle)

    def release(self) -> None:
        """What was held becomes warnings."""
        self.holds = False
        if self._warnings:
            self._warn()

    def _warn_of_failed(self, status: int) -> None:
        """Findings before a failure, unless the failure reports them."""
        if status == c.SHEAF_LOSS:
            self._warnings = []
        try:
            self._warn()
        except Warning:  # warnings are exceptions here, and the failure is one already
            pass

    def _warn(self) -> None:
        texts, self._warnings = self._warnings, []
        level = caller_level()
        for text, key in texts:
            _, is_error, _ = key
            more = 0 if is_error else self._counts[key] - 1
            warnings.warn(DataWarning(f"{text} (and {more} more)" if more else text), stacklevel=level)

    # ---- the end ----

    def join(self) -> None:
        """Registers something that lives in this context."""
        self._children += 1

    def leave(self) -> None:
        self._children -= 1
        if self._closing:
            self.close()

    # At the end of the process names of modules are None: what they need are defaults.

    def close(self, _free: Any = lib.sheaf_context_free, _getpid: Any = os.getpid,
              _nothing: Any = c_void_p) -> None:
        """Frees the context once nothing lives in it any more."""
        self._closing = True
        if self._children == 0 and self.handle and not self.abandoned and self.pid == _getpid():
            handle, self.handle = self.handle, _nothing()
            _free(handle)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            self.close()


class Handle:
    """A pointer of the library, with the function that frees it, the context in which it lives, and a lock:
    one thread at a time."""

    def __init__(self, context: Context, close: Callable[[c_void_p], object]) -> None:
        self.context, self._close = context, close
        self.pointer = c_void_p()
        self.kept: Any = None  # what must live as long: of Python's, which lives until all handles are ended
        self.lock = threading.RLock()
        self._needs: list[Handle] = []
        self._needed, self._ending = 0, False
        self._joined = True
        context.join()

    def __enter__(self) -> c_void_p:
        self.lock.acquire()
        try:
            self.check()
        except BaseException:
            self.lock.release()
            raise
        return self.pointer

    def __exit__(self, *_: object) -> None:
        self.lock.release()

    def check(self) -> None:
        """Raises an error if it is closed, or belongs to another process."""
        if self.context.pid != os.getpid():
            raise UsageError.about("", "use in the process that opened this",
                                   "a fork of it: open it again there")
        if not self.pointer:
            raise UsageError.about("", "it open", "it closed")
        if self.context.abandoned:
            raise UsageError.about("", "it intact", "that a call on it was interrupted")

    def need(self, other: Handle) -> None:
        """Makes the other one end after this one. A reference would not be enough: in a cycle the garbage
        collector calls ``__del__`` in any order."""
        other._needed += 1
        self._needs.append(other)

    def _need_no_more(self) -> None:
        needs, self._needs = self._needs, []
        for other in needs:
            other._needed -= 1
            if other._ending:
                other.close()

    def close(self, _getpid: Any = os.getpid, _nothing: Any = c_void_p) -> None:
        """Ends it, once no other needs it; may be called again."""
        context = self.context
        self._ending = True
        if self._needed:
            return
        if self.pointer and not context.abandoned and context.pid == _getpid():
            with self.lock:
                pointer, self.pointer = self.pointer, _nothing()
                if pointer:
                    self._close(pointer)
        if self._joined:
            self._joined = False
            context.leave()
        self._need_no_more()

    def __del__(self) -> None:
        if hasattr(self, "pointer"):
            self.close()
