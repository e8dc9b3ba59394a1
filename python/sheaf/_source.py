# SPDX-License-Identifier: MIT
"""What can be opened: paths, bytes, file-like objects, and addresses like ``s3://bucket/train.cbf``.

The library opens paths itself. Everything else is read through a function of this module, in ranges if
possible: formats that need the end of a file first then read only that.
"""
from __future__ import annotations

import errno
import os
import stat
import threading
from ctypes import byref, c_void_p, memmove

from . import _layout as c
from ._errors import UsageError, missing, wrong
from ._library import lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._context import Context

    ReadAt = Callable[[int, int], bytes]

_arguments = {name: types for name, (_, types) in c.FUNCTIONS.items()}
_READ = _arguments["sheaf_source_function"][0]
_READ_AT = _arguments["sheaf_source_ranges"][0]
_BLOCK = 1 << 20  # bytes that are asked of a remote store at a time
_BLOCKS = 16  # of them are kept
_AHEAD = 3  # that follow are asked for at the same time
_KEPT = 16 << 20  # bytes of a pipe that are kept for who begins again
_END = 4096  # bytes at either end that a fingerprint has


def is_path(source: object) -> bool:
    """Whether the library opens it by itself."""
    return isinstance(source, (str, os.PathLike)) and "://" not in str(source)


def name_of(source: Any) -> str:
    """Its name in messages."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source) if not isinstance(source, str) else source
    name = getattr(source, "name", None)
    if isinstance(name, str):
        return name
    return "(bytes)" if isinstance(source, (bytes, bytearray, memoryview)) else "(file)"


def is_source(source: object) -> bool:
    """Whether it is one source, of any kind."""
    return isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)) or hasattr(source, "read")


def check(source: object) -> Any:
    """The source, if it is one; a pipe as one that can be begun again."""
    if is_source(source):
        once = _is_fifo(source) if is_path(source) else hasattr(source, "read") and not _is_seekable(source)
        return Pipe(source) if once else source
    raise wrong("source", "a path, an address, bytes or an object with read()", type(source).__name__)


def _is_fifo(path: Any) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def expanded(sources: Any) -> list[Any]:
    """Names that mean several files: patterns, and "@LIST", a file with a name on each line."""
    found: list[Any] = []
    for source in [sources] if is_source(sources) else sources:
        is_name = isinstance(source, str) and "://" not in source and not os.path.exists(source)
        name = source if is_name else ""
        if name.startswith("@"):
            if not os.path.exists(name[1:]):
                raise missing(name[1:], "a list of files")
            with open(name[1:], encoding="utf-8") as lines:
                found += [line.rstrip("\r\n") for line in lines if line.strip() and not line.startswith("#")]
        elif any(sign in name for sign in "*?["):
            from glob import glob

            matching = sorted(glob(name))
            if not matching:
                raise missing(name, "files whose names match")
            found += matching
        else:
            found.append(source)
    if not found:
        raise wrong("sources", "at least one", "only empty lists")
    return found


def fingerprint(source: Any) -> str:
    """Detects changes of a source: its size, its modification time if it is a file, and a hash of its first
    and last bytes."""
    from hashlib import blake2b

    if is_path(source):
        found = os.stat(source)
        if not stat.S_ISREG(found.st_mode):
            raise UsageError.about(name_of(source), "a file that others can open", "none")
        with open(source, "rb") as file:
            ends = file.read(_END)
            file.seek(max(0, found.st_size - _END))
            ends += file.read(_END)
        return f"{found.st_size}-{found.st_mtime_ns}-{blake2b(ends, digest_size=8).hexdigest()}"
    if isinstance(source, str):
        read_at, size = _remote(source)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        read_at, size = (lambda offset, n: bytes(source[offset:offset + n])), len(source)
    else:
        raise wrong("source", "a path, an address or bytes, which others can open", type(source).__name__)
    ends = read_at(0, min(_END, size)) + read_at(max(0, size - _END), min(_END, size))
    return f"{size}-{blake2b(ends, digest_size=8).hexdigest()}"


class Opened:
    """A source of the library for a Python object. ``kept`` must live as long as the dataset that takes it
    over."""

    def __init__(self, source: Any, context: Context) -> None:
        self.context = context
        self.pointer = c_void_p()
        self.kept: list[Any] = []
        name = name_of(source).encode()
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)  # nobody else changes it; of bytes, no copy
            self._ranges(lambda offset, n: data[offset:offset + n], len(data), name)
        elif isinstance(source, (str, os.PathLike)):
            read_at, size = _remote(os.fspath(source))
            file = name.split(b"::")[0].split(b"?")[0]  # whose suffix names a format
            self._ranges(_Blocks(read_at, size).read_at, size, file)
        elif _is_seekable(source):
            size = source.seek(0, os.SEEK_END)
            self._ranges(_Seeking(source).read_at, size, name)
        else:
            self._stream(source.begin() if isinstance(source, Pipe) else source, name)

    def _ranges(self, read_at: ReadAt, size: int, name: bytes) -> None:
        """For bytes that can be read at any position, by any thread."""

        def give(_user: int, offset: int, data: int, n: int) -> int:
            return self._give(data, n, read_at, offset, n)

        callback = _READ_AT(give)
        self.kept.append(callback)
        self.context.call(lib.sheaf_source_ranges, callback, None, size, name, self.context.handle,
                          byref(self.pointer))

    def _stream(self, source: Any, name: bytes) -> None:
        """For bytes that can be read only once, in order."""

        def give(_user: int, data: int, n: int) -> int:
            return self._give(data, n, source.read, n)

        callback = _READ(give)
        self.kept.append(callback)
        self.context.call(lib.sheaf_source_function, callback, None, name, self.context.handle,
                          byref(self.pointer))

    def _give(self, data: int, n: int, read: Callable[..., Any], *arguments: int) -> int:
        given: list[bytes] = []
        self.context._guard(lambda: given.append(_bytes_given(read(*arguments), n)))
        if not given:
            return -errno.EIO
        memmove(data, given[0], len(given[0]))
        return len(given[0])


def _bytes_given(data: Any, n: int) -> bytes:
    """What ``read(n)`` has given, if that is at most n bytes."""
    if isinstance(data, str):
        raise wrong("source", "a file opened in binary mode", "one opened as text")
    try:
        found = data if isinstance(data, bytes) else bytes(memoryview(data))
    except TypeError:
        raise wrong("source", "bytes from read()", type(data).__name__) from None
    if len(found) > n:
        raise wrong("source", f"at most {n} bytes from read({n})", len(found))
    return found


def _is_seekable(source: Any) -> bool:
    return hasattr(source, "seek") and (not hasattr(source, "seekable") or source.seekable())


class _Seeking:
    """A Python file has one position: one thread at a time seeks and reads."""

    def __init__(self, file: Any) -> None:
        self._file, self._lock = file, threading.Lock()

    def read_at(self, offset: int, n: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return _bytes_given(self._file.read(n), n)


class Pipe:
    """Bytes that come once. The first of them are kept, so that a schema, a head or a short input can be asked
    for again; beyond them, that is an error."""

    def __init__(self, source: Any) -> None:
        self._source, self.name, self._is_path = source, name_of(source), is_path(source)
        self._file: Any = source
        self._kept, self._taken, self._lock = bytearray(), 0, threading.Lock()

    def __str__(self) -> str:
        return self.name

    def read(self, n: int) -> bytes:
        return self.begin().read(n)

    def begin(self) -> _Begun:
        if self._taken > len(self._kept):
            raise self.gone()
        return _Begun(self)

    def gone(self) -> UsageError:
        return UsageError(f"{self.name}: this pipe was read already; read it into memory (sheaf.read) or a file "
                          "first")

    def at(self, offset: int, n: int) -> bytes:
        with self._lock:
            if offset < len(self._kept):
                return bytes(self._kept[offset:offset + n])
            if offset != self._taken:
                raise self.gone()
            if self._is_path and self._taken == 0:
                self._file = open(self._source, "rb", buffering=0)  # noqa: SIM115
            data = b"" if self._file is None else _bytes_given(self._file.read(n), n)
            if not data and self._is_path and self._file is not None:
                self._file.close()
                self._file = None
            if self._taken == len(self._kept) <= _KEPT - len(data):
                self._kept += data
            self._taken += len(data)
            return data


class _Begun:
    """A place in a pipe."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe, self._at = pipe, 0

    def read(self, n: int) -> bytes:
        data = self._pipe.at(self._at, n)
        self._at += len(data)
        return data


class _Blocks:
    """Ranges of a remote object, in blocks, the last of which are cached: many small reads become few, and those
    that follow one another come at the same time."""

    def __init__(self, read_at: ReadAt, size: int) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._read_at, self._size = read_at, size
        self._blocks: dict[int, Any] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1 + _AHEAD, "sheaf-remote")

    def _asked(self, number: int) -> Any:
        block = self._blocks.pop(number, None)
        if block is None or (block.done() and block.exception() is not None):
            begin = number * _BLOCK
            block = self._pool.submit(self._read, begin, min(_BLOCK, self._size - begin))
        self._blocks[number] = block
        while len(self._blocks) > _BLOCKS:
            del self._blocks[next(iter(self._blocks))]
        return block

    def _read(self, begin: int, n: int) -> bytes:
        data = self._read_at(begin, n)
        if len(data) == self._size:  # from a server that does not know ranges
            data = data[begin:begin + n]
        if len(data) != n:
            raise OSError(errno.EIO, f"the store gave {len(data)} bytes of {n} from byte {begin}")
        return data

    def _block(self, number: int) -> bytes:
        with self._lock:
            if number - 1 in self._blocks:  # it goes on
                for following in range(number + 1, min(number + 1 + _AHEAD, -(-self._size // _BLOCK))):
                    self._asked(following)
            block = self._asked(number)
        found: bytes = block.result()
        return found

    def read_at(self, offset: int, n: int) -> bytes:
        number, at = divmod(offset, _BLOCK)
        return self._block(number)[at:at + n]  # fewer than n at the end of a block: the library asks again


def is_address(path: object) -> bool:
    return isinstance(path, str) and "://" in path


def uploaded(address: str, force: bool, make: Callable[[str], None]) -> None:
    """Makes a file, and then puts it there as a whole."""
    from tempfile import TemporaryDirectory

    exists, put = _store(address)
    if not force and exists():
        raise FileExistsError(errno.EEXIST, "exists already (force=True replaces it)", address)
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, address.rpartition("/")[2])
        make(path)
        put(path)


def _store(address: str) -> tuple[Callable[[], bool], Callable[[str], object]]:
    """Whether there is such an object; and puts a file there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        obstore, store, name = _obstore_of(address)
        return (lambda: name in {found["path"] for found in obstore.list(store, prefix=name).collect()},
                lambda path: obstore.put(store, name, open(path, "rb")))  # noqa: SIM115
    system, name = url_to_fs(address)
    return lambda: bool(system.exists(name)), lambda path: system.put_file(path, name)


def _remote(address: str) -> tuple[ReadAt, int]:
    """Reads an address: by fsspec, else by obstore."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        return _obstore(address)
    system, path = url_to_fs(address)

    size = None if hasattr(system, "fo") else system.size(path)
    if size is None:  # an archive, or a server that does not say
        data = bytes(system.cat_file(path))
        return (lambda offset, n: data[offset:offset + n]), len(data)

    def read(offset: int, n: int) -> bytes:
        return bytes(system.cat_file(path, start=offset, end=offset + n))

    return read, int(size)


def _obstore(address: str) -> tuple[ReadAt, int]:
    obstore, store, name = _obstore_of(address)
    size = int(obstore.head(store, name)["size"])
    return lambda offset, n: bytes(obstore.get_range(store, name, start=offset, length=n)), size


def _obstore_of(address: str) -> tuple[Any, Any, str]:
    try:
        import obstore
        from obstore.store import from_url
    except ImportError:
        raise UsageError.about(address, "fsspec or obstore, which read addresses",
                               "neither (pip install sheaf-io[remote])") from None
    folder, _, name = address.rpartition("/")
    return obstore, from_url(folder), name
