# SPDX-License-Identifier: MIT
"""Arrow's capsules, exported and imported, through the library's exchange layer."""
from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE, POINTER, addressof, byref, c_void_p, cast, create_string_buffer, py_object, sizeof,
)

from . import _layout as c
from ._context import Context, Handle
from ._errors import UsageError, error_from, in_python, wrong
from ._library import lib, library_path
from ._peers import made, makes
from ._source import is_path
from .dataset import Dataset
from .fields import Schema
from .frame import Frame
from .loader import Batches
from .parts import Partition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# Calls that make objects of Python hold the interpreter's lock.
_python = ctypes.PyDLL(library_path())


_python.sheaf_capsule_new.restype = py_object
_python.sheaf_capsule_content.restype = c_void_p


def _capsule(name: bytes, structure: Any) -> object:
    capsule: object = _python.sheaf_capsule_new(name, byref(structure))
    return capsule


def _inside(name: bytes, structure: Any, capsule: object) -> Any:
    found = _python.sheaf_capsule_content(name, py_object(capsule))
    if not found:
        raise UsageError.about("data", f"a capsule of Arrow's, {name.decode()}", "another object")
    return cast(found, POINTER(structure))


def _options(requested: object = None, small: bool = False) -> c.sheaf_arrow_options:
    """Lists with 32-bit offsets if they are requested."""
    small = small or (requested is not None and _wants_small(requested))
    return c.sheaf_arrow_options(size=sizeof(c.sheaf_arrow_options), small_offsets=small)


def _wants_small(requested: object) -> bool:
    """Whether a requested schema has lists or texts with 32-bit offsets."""
    return any(text in (b"+l", b"u", b"z")
               for text in _formats(_inside(b"arrow_schema", c.ArrowSchema, requested)[0]))


def _formats(schema: c.ArrowSchema) -> Iterator[bytes]:
    yield schema.format or b""
    children = cast(schema.children, POINTER(c_void_p)) if schema.n_children else ()
    for i in range(schema.n_children):
        yield from _formats(cast(children[i], POINTER(c.ArrowSchema))[0])


def _quiet() -> Context:
    """A context without Python in it: any thread may request its rows."""
    return Context(quiet=True)


@makes("arrow_schema", Schema)
def schema_capsule(schema: Schema, small: bool = False) -> object:
    made, context = c.ArrowSchema(), _quiet()
    context.call(lib.sheaf_arrow_schema, byref(schema.c), byref(_options(None, small)), context.handle,
                 byref(made))
    return _capsule(b"arrow_schema", made)


@makes("arrow_array", Frame)
def frame_capsules(frame: Frame, requested: object) -> tuple[object, object]:
    options, array, schema = _options(requested), c.ArrowArray(), c.ArrowSchema()
    context = frame._context
    context.call(lib.sheaf_arrow_schema, byref(frame.schema.c), byref(options), context.handle, byref(schema))
    capsule = _capsule(b"arrow_schema", schema)
    context.call(lib.sheaf_arrow_frame, byref(frame.c), byref(frame.schema.c), byref(options), context.handle,
                 byref(array))
    return capsule, _capsule(b"arrow_array", array)


# ---- streams ----

_types = c.members_of(c.sheaf_feed)
_NEXT = _types["next"](lambda user, out, err: cast(user, py_object).value.next(out, err))
# A stream may end while an exception is on its way: nothing of Python's may be called then.
_CLOSE = _types["close"](cast(lib.sheaf_object_drop, c_void_p).value)


# Of streams that failed, by their private data: the text stays until the next one.
_said: dict[int, Any] = {}
_library_says: list[Any] = []
_last_error = c.members_of(c.ArrowArrayStream)["get_last_error"]


def _say(stream: int) -> int:
    """The library's message, with its options as keyword arguments."""
    text = _library_says[0](stream)
    if text is None:
        return 0
    at = c.ArrowArrayStream.from_address(stream).private_data or 0
    said = _said[at] = create_string_buffer(in_python(text.decode("utf-8", "replace")).encode())
    return addressof(said)


_SAY = CFUNCTYPE(c_void_p, c_void_p)(_say)


def _stream_capsule(stream: c.ArrowArrayStream) -> object:
    if not _library_says:
        _library_says.append(_last_error(cast(stream.get_last_error, c_void_p).value))
    stream.get_last_error = cast(_SAY, _last_error)
    return _capsule(b"arrow_array_stream", stream)


class _Feed:
    """Frames from Python, which the library requests on any thread."""

    def __init__(self, frames: Iterable[Frame], context: Context) -> None:
        self._frames, self._context = iter(frames), context
        self._given: Frame | None = None

    def next(self, out: Any, err: Any) -> int:
        try:
            self._given = next(self._frames, None)
        except BaseException as error:  # noqa: BLE001: said in the library's way
            lib.sheaf_fail(err, c.SHEAF_DATA, b"%s", str(error).encode()[:900])
            return int(c.SHEAF_DATA)
        if self._given is None:
            return int(c.SHEAF_END)
        out[0] = ctypes.pointer(self._given.c)
        return int(c.SHEAF_OK)


def frames_stream(schema: Schema, frames: Iterable[Frame], requested: object, small: bool = False) -> object:
    """A stream of frames that exist, or that Python makes."""
    stream, context = c.ArrowArrayStream(), _quiet()
    feed = _Feed(frames, context)
    ctypes.pythonapi.Py_IncRef(py_object(feed))  # the library's, which ends with the stream
    told = c.sheaf_feed(next=_NEXT, close=_CLOSE, user=id(feed))
    context.call(lib.sheaf_arrow_stream, byref(told), byref(schema.c), byref(_options(requested, small)),
                 context.handle, byref(stream))
    return _stream_capsule(stream)


@makes("arrow_stream", Dataset)
def dataset_stream(dataset: Dataset, requested: object, small: bool = False) -> object:
    """All rows, from the beginning: the library reads a file by itself; Python reads any other source."""
    opening = dataset._opening
    if not is_path(opening.source):
        return frames_stream(dataset.schema, dataset, requested, small)
    context = opening.quiet()
    handle, stream = opening.open(context), c.ArrowArrayStream()
    pointer, handle.pointer = handle.pointer, c_void_p()
    handle.close()
    owned, context.handle = context.handle, c_void_p()
    err = c.sheaf_error()
    if lib.sheaf_arrow_dataset(pointer, owned, byref(_options(requested, small)), byref(stream), byref(err)):
        raise error_from(err)
    return _stream_capsule(stream)


@makes("arrow_stream", Frame)
def frame_stream(frame: Frame, requested: object, small: bool = False) -> object:
    return frames_stream(frame.schema, [frame], requested, small)


@makes("arrow_stream", Batches, Partition)
def iterated_stream(rows: Batches | Partition, requested: object, small: bool = False) -> object:
    """All rows, as frames that the iterable makes."""
    return frames_stream(rows.schema, rows, requested, small)


class Arrow:
    """Rows as a table whose lists have offsets of this width."""

    def __init__(self, rows: Dataset | Partition | Frame, offsets: int) -> None:
        if offsets not in (32, 64):
            raise wrong("offsets", "32 or 64", offsets)
        self._rows, self._small = rows, offsets == 32

    def __arrow_c_schema__(self) -> object:
        return schema_capsule(self._rows.schema, self._small)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return made("arrow_stream", self._rows, requested_schema, self._small)


# ---- in ----


@makes("rows", object)
class Rows:
    """The rows of another program's stream, as frames of the library: ``byref`` of each, valid until the
    next."""

    def __init__(self, data: Any, context: Context) -> None:
        self._context = context
        self._reader = Handle(context, lib.sheaf_arrow_reader_free)
        if hasattr(data, "__arrow_c_stream__"):
            capsule = data.__arrow_c_stream__()  # it holds the stream until the reader has it
            stream = _inside(b"arrow_array_stream", c.ArrowArrayStream, capsule)
            context.call(lib.sheaf_arrow_reader_new, stream, context.handle, byref(self._reader.pointer))
        else:
            schema, array = capsules = data.__arrow_c_array__()
            inside = (_inside(b"arrow_schema", c.ArrowSchema, schema),
                      _inside(b"arrow_array", c.ArrowArray, array))
            context.call(lib.sheaf_arrow_reader_of, *inside, context.handle, byref(self._reader.pointer))
            del capsules
        self.schema = lib.sheaf_arrow_reader_schema(self._reader.pointer)

    def __iter__(self) -> Iterator[Any]:
        frame = c.sheaf_frame()
        with self._reader as pointer:
            # The stream may be Python's own: its lock is free while the library waits, but not on another
            # thread's behalf.
            while not self._context.call(lib.sheaf_arrow_reader_next, pointer, byref(frame)):
                try:
                    yield byref(frame)
                finally:
                    lib.sheaf_frame_free(byref(frame))


# ---- tables of pyarrow ----


@makes("arrow", Dataset, Partition)
def table_of(rows: Dataset | Partition, offsets: int = 64) -> Any:
    """All rows; errors in them are exceptions of this package."""
    import pyarrow as pa

    frames = [pa.table(Arrow(frame, offsets)) for frame in rows]
    return pa.concat_tables([pa.schema(Arrow(rows, offsets)).empty_table(), *frames])


@makes("arrow", Frame)
def table_of_frame(frame: Frame, offsets: int = 64) -> Any:
    import pyarrow as pa

    return pa.table(Arrow(frame, offsets))


def signed(kind: Any) -> Any:
    """A pyarrow type for engines without unsigned numbers and fixed-size lists."""
    import pyarrow as pa

    if pa.types.is_struct(kind):
        return pa.struct([pa.field(field.name, signed(field.type)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(signed(kind.value_type))
    wider = {pa.uint8(): pa.int16(), pa.uint16(): pa.int32(), pa.uint32(): pa.int64(),
             pa.uint64(): pa.int64()}
    return wider.get(kind, kind)
