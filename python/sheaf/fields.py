# SPDX-License-Identifier: MIT
"""What a dataset consists of: its fields, the kind of its rows, and for a tensor its shape and the order of
its entries."""
from __future__ import annotations

from ctypes import POINTER, byref, cast, memmove, sizeof

from . import _layout as c
from ._errors import UnknownName, UsageError, decoded, meant
from ._library import lib
from ._peers import made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# Kinds of columns that have numbers.
_TAKEN = ("dense", "sparse", "values", "bool", "complex")
_SHOWN = 12  # names of columns, in a message
_ROWS = ("sequences", "rows", "entries", "tensors")
_MEANINGS = {number: word for word, number in c.ENUMS["sheaf_meaning"].items()}
# NumPy's names of the element types, in the order of sheaf_type.
DTYPES = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8")
_NAMES = ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64")


class Field:
    """A stream or a column.

    ``storage`` is "dense", "sparse", "values", "text", "bytes", "bool", "char", "date", "time",
    "datetime", "datetimetz", "duration" (the last four also with a unit, "datetime[ns]"), "complex" or
    "coordinate"; ``dim`` that of a stream, or of lists of samples of which some are missing, else None;
    ``type`` the element type ("float32"); ``alias`` the short name that the file uses, or None.
    """

    __slots__ = ("_levels", "alias", "digits", "dim", "imputed", "main", "meaning", "name", "nullable",
                 "storage", "type", "type_number")

    def __init__(self, field: c.sheaf_field) -> None:
        self.name = decoded(field.name) or ""
        self.alias = decoded(field.alias)
        self.meaning = _MEANINGS[field.meaning]
        self.main = bool(field.main)
        self.type_number, self.digits = int(field.type), int(field.digits)
        self.type = _NAMES[field.type]
        self.storage = lib.sheaf_field_storage(byref(field)).decode()
        shapes = [field.levels[i] for i in range(field.nlevels)]
        lists = self.meaning == "number" and len(shapes) > 1 and shapes[0].kind == c.SHEAF_LIST
        self.dim: int | None = lib.sheaf_field_dim(byref(field)) if self.is_stream or lists else None
        self._levels = [(shape.kind, shape.rank, shape.extent, shape.index_type, shape.missing)
                        for shape in shapes]
        self.nullable = any(level[4] == c.SHEAF_NULLABLE for level in self._levels)
        self.imputed = any(level[4] == c.SHEAF_IMPUTED for level in self._levels)

    @property
    def is_stream(self) -> bool:
        """Whether its rows are sequences of samples."""
        return self.storage in ("dense", "sparse")

    def part_type(self, part: int, at: int) -> str:
        """NumPy's type of the elements of a buffer."""
        indices = [level[3] for level in self._levels for _ in range(level[1])]
        types = {c.SHEAF_PART_OFFSETS: "i8", c.SHEAF_PART_VALID: "?", c.SHEAF_PART_CODES: "i1",
                 c.SHEAF_PART_VALUES: DTYPES[self.type_number]}
        return DTYPES[indices[at]] if part == c.SHEAF_PART_INDICES else types[part]

    def put(self, into: c.sheaf_field) -> Any:
        """Makes the library's field like this one; returns what that points to."""
        levels = (c.sheaf_level_shape * max(1, len(self._levels)))()
        for level, shape in zip(levels, self._levels):
            level.kind, level.rank, level.extent, level.index_type, level.missing = shape
        into.name, into.alias = self.name.encode(), None if self.alias is None else self.alias.encode()
        into.meaning, into.main, into.digits = c.ENUMS["sheaf_meaning"][self.meaning], self.main, self.digits
        into.type, into.nlevels = self.type_number, len(self._levels)
        into.levels = cast(levels, POINTER(c.sheaf_level_shape))
        return levels

    def to_dict(self) -> dict[str, Any]:
        """As ``sheaf info --json`` prints it."""
        shown: dict[str, Any] = {"name": self.name}
        if self.alias is not None:
            shown["alias"] = self.alias
        shown["storage"] = self.storage
        if self.dim is not None:
            shown["dim"] = self.dim
        shown["type"] = self.type
        return shown

    def __repr__(self) -> str:
        dim = "" if self.dim is None else f" dim={self.dim}"
        return f"Field({self.name!r}, {self.storage}{dim} {self.type}{' nullable' if self.nullable else ''})"


class Tensor:
    """Facts about a tensor besides its entries: ``shape``, ``layout`` as the file has it ("CSR"),
    ``structure`` ("symmetric_lower"), ``order`` of the dimensions by which entries are ``sorted``,
    ``unique``, ``dense``, ``iso`` (all entries have one value), ``fill``, the bytes of the value of what is
    not stored, or None for 0."""

    __slots__ = ("dense", "fill", "iso", "layout", "order", "shape", "sorted", "structure", "unique")

    def __init__(self, tensor: c.sheaf_tensor) -> None:
        self.shape = tuple(tensor.shape[: tensor.rank])
        self.order = tuple(tensor.order[: tensor.rank])
        self.sorted, self.unique = bool(tensor.sorted), bool(tensor.unique)
        self.dense, self.iso = bool(tensor.dense), bool(tensor.iso)
        self.structure: str = lib.sheaf_structure_name(tensor.structure).decode()
        self.layout: str = tensor.layout.decode()
        self.fill = bytes(tensor.fill) if tensor.has_fill else None

    def __repr__(self) -> str:
        return f"Tensor({self.layout or 'entries'}, shape={self.shape}, {self.structure})"


class Schema:
    """The fields of a dataset, in order: a sequence of `Field`, which can also be looked up by name.

    ``rows`` is "sequences", "rows" (of a table), "entries" (of a tensor) or "tensors"; ``tensor`` a `Tensor`
    for the last two, else None; ``attributes`` texts about the dataset as a whole.
    """

    def __init__(self, schema: c.sheaf_schema) -> None:
        """A copy, independent of its source."""
        self._shadow(schema)
        self.kind = int(schema.rows)
        self.rows = _ROWS[schema.rows]
        self.fields = [Field(self.c.fields[i]) for i in range(schema.nfields)]
        self.tensor = Tensor(schema.tensor) if schema.rows in (c.SHEAF_ENTRIES, c.SHEAF_WHOLE) else None
        known = [self._attributes[i] for i in range(schema.nattributes)]
        self.attributes = {decoded(a.name) or "": decoded(a.text) or "" for a in known}
        self._numbers = {field.name: i for i, field in enumerate(self.fields)}

    def select(self, numbers: list[int]) -> Schema:
        """The same for some of its fields."""
        chosen = c.sheaf_schema.from_buffer_copy(self.c)
        fields = (c.sheaf_field * len(numbers))(*[self.c.fields[i] for i in numbers])
        chosen.fields, chosen.nfields = cast(fields, POINTER(c.sheaf_field)), len(numbers)
        return Schema(chosen)

    @property
    def dtype(self) -> Any:
        """NumPy's type of a tensor's values."""
        import numpy as np

        value = next((field for field in self.fields if field.meaning != "coordinate"), None)
        if value is None or value.storage == "bool":
            return np.dtype(bool)
        kind = DTYPES[value.type_number]
        return np.dtype(f"c{2 * int(kind[1])}" if value.storage == "complex" else kind)

    @property
    def is_dense(self) -> bool:
        """Whether it describes the entries of a tensor that has one at each position."""
        tensor = self.tensor if self.rows == "entries" else None
        return tensor is not None and tensor.dense and tensor.structure == "general"

    def _shadow(self, schema: c.sheaf_schema) -> None:
        """A struct of ours with the same contents, including texts."""
        self.c = c.sheaf_schema()
        memmove(byref(self.c), byref(schema), sizeof(c.sheaf_schema))
        self._fields = (c.sheaf_field * max(1, schema.nfields))()
        self._attributes = (c.sheaf_attribute * max(1, schema.nattributes))()
        if schema.nfields:
            memmove(self._fields, schema.fields, sizeof(c.sheaf_field) * schema.nfields)
        if schema.nattributes:
            memmove(self._attributes, schema.attributes, sizeof(c.sheaf_attribute) * schema.nattributes)
        self._texts: list[bytes] = []
        self._levels: list[Any] = []
        for i in range(schema.nfields):
            field = self._fields[i]
            _own_texts(field, ("name", "alias"), self._texts)
            levels = (c.sheaf_level_shape * max(1, field.nlevels))()
            if field.nlevels:
                memmove(levels, field.levels, sizeof(c.sheaf_level_shape) * field.nlevels)
            self._levels.append(levels)
            field.levels = cast(levels, POINTER(c.sheaf_level_shape))
        for i in range(schema.nattributes):
            _own_texts(self._attributes[i], ("name", "text"), self._texts)
        self.c.fields = cast(self._fields, POINTER(c.sheaf_field))
        self.c.attributes = cast(self._attributes, POINTER(c.sheaf_attribute))
        self.c.cx = self.c.arena = self.c.names = None

    def find(self, name: str) -> int:
        """The number of the field of this name; an `UnknownName`, a `KeyError`, where there is none."""
        n = len(self.fields)
        try:
            return self._numbers[name]
        except KeyError:
            names = ", ".join(self.names[:_SHOWN]) + (f" and {n - _SHOWN} more" if n > _SHOWN else "")
            raise UnknownName.about("", f"the name of a column ({names})",
                                    f'"{name}"', meant(str(name), self._numbers)) from None

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.fields]

    def taken(self, columns: Iterable[str] | None) -> list[Field]:
        """What a target takes that has numbers alone: the fields that are named, or all but keys. A `UsageError`
        names a column that it cannot take."""
        if columns is not None:
            return [self[name] for name in columns]
        fields = [field for field in self.fields if field.meaning != "key"]
        fits = [field.name for field in fields if field.storage in _TAKEN]
        other = next((field for field in fields if field.storage not in _TAKEN), None)
        if other is not None:
            raise UsageError.about(other.name, f"numbers, or columns= with those that have them "
                                   f"({', '.join(fits)})", other.storage)
        return fields

    @property
    def streams(self) -> list[Field]:
        """The fields that are sequences of samples."""
        return [field for field in self.fields if field.is_stream]

    @property
    def columns(self) -> list[Field]:
        """The fields that are neither streams nor keys."""
        return [field for field in self.fields if not field.is_stream and field.meaning != "key"]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers

    def __getitem__(self, name: str | int) -> Field:
        return self.fields[name if isinstance(name, int) else self.find(name)]

    def __reduce__(self) -> tuple[Any, ...]:
        return _schema_of, (self.kind, bool(self.c.cells), bytes(self.c.tensor), self.fields, self.attributes)

    def __arrow_c_schema__(self) -> object:
        return made("arrow_schema", self)

    def __repr__(self) -> str:
        return f"Schema({self.rows}, {self.tensor or self.fields!r})"


def _schema_of(kind: int, cells: bool, tensor: bytes, fields: list[Field],
               attributes: dict[str, str]) -> Schema:
    """From what a pickle has."""
    rows = (c.sheaf_field * max(1, len(fields)))()
    kept = [field.put(row) for row, field in zip(rows, fields)]
    texts = (c.sheaf_attribute * max(1, len(attributes)))()
    for text, (name, value) in zip(texts, attributes.items()):
        text.name, text.text = name.encode(), value.encode()
    made = c.sheaf_schema(rows=kind, cells=cells, tensor=c.sheaf_tensor.from_buffer_copy(tensor),
                          nfields=len(fields), fields=rows, nattributes=len(attributes), attributes=texts)
    schema = Schema(made)
    del kept  # the schema has copies
    return schema


def _own_texts(struct: Any, names: tuple[str, ...], kept: list[bytes]) -> None:
    for name in names:
        text = getattr(struct, name)
        if text is not None:
            kept.append(text)
            setattr(struct, name, text)


__all__ = ["DTYPES", "Field", "Schema", "Tensor"]
