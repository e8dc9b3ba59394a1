# SPDX-License-Identifier: MIT
"""What a file is and contains, without reading more than necessary: `info`, `schema`, `show`, `guess`; and
which `formats` there are."""
from __future__ import annotations

import os
from ctypes import POINTER, byref, c_void_p, sizeof

from . import _layout as c
from ._config import configured
from ._context import Context, text_of
from ._errors import DataError, decoded, wrong
from ._library import lib
from ._options import Given
from ._peers import made, makes
from ._source import Opened, is_path
from .dataset import Dataset, Opening, Reader
from .indexing import index_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._context import Progress
    from .fields import Schema

    Path = str | os.PathLike[str]

_INDEX_STATES = ("none", "stale", "fresh")


# ---- info ----


def info(source: Any = None, *, mmap: bool = False, **options: Any) -> dict[str, Any]:
    """What is known about a file without reading all of it: what ``sheaf info --json`` prints.

    >>> sheaf.info("words.ctf")["format"]
    'ctf'
    """
    source, options = configured("info", source, options)
    given = Given("info", options, besides=("mmap",))
    opening = Opening(source, given, mmap)
    names = None
    if "dataset" not in given.values and isinstance(source, (str, os.PathLike)):
        names = opening.datasets()
        if len(names) > 1:
            return _container(opening, names)
    try:
        reader = Reader(opening, glance=True)
    except NotImplementedError:  # the file is sound, but nothing in it is rows
        if names is None or not (listed := _container(opening, names)).get("tree"):
            raise
        return listed
    shown, flaws = _info(reader, str(source), given.number("depth", 0)), _flaws(opening)
    return {**shown, "flaws": flaws} if flaws else shown


# a quick look infers from the first half MiB what a file does not declare
_LOOK_PIECES, _LOOK_BYTES = 16, 448 << 10


def _flaws(opening: Opening) -> dict[str, Any]:
    """The errors at the beginning of a file, by rule; empty if there are none, or if the file can be read
    only once."""
    if not is_path(opening.source) or not os.path.isfile(opening.source):
        return {}
    looking = Opening(opening.source, opening.given, opening.mmap, settings={"validate": True})
    context, ends, complete, frame = looking.quiet(), False, False, POINTER(c.sheaf_frame)()
    try:
        handle = looking.open(context, glance=True, piece_bytes=_LOOK_BYTES, index=c.SHEAF_INDEX_NEVER)
        with handle as pointer:
            source = lib.sheaf_source_about(lib.sheaf_dataset_source(pointer))
            small = source.bytes <= _LOOK_BYTES and not source.compression
            facts = c.sheaf_facts()
            lib.sheaf_dataset_facts(pointer, byref(facts))
            for _ in range(1 if facts.guess and not small else _LOOK_PIECES):
                complete = bool(context.run(lib.sheaf_next, pointer, byref(frame)))
                if complete:
                    break
    except DataError:
        ends = True
    rules = context.tally(c.SHEAF_ERROR)
    if ends and not rules:
        rules = {"unreadable": 1}
    return {"errors": sum(rules.values()), "rules": rules, "complete": complete} if rules else {}


def _container(opening: Opening, names: list[bytes]) -> dict[str, Any]:
    """Of several datasets none is opened unless it was requested: they are listed, with the tree."""
    listed = []
    for name in names:
        one: dict[str, Any] = {"path": name.decode("utf-8", "replace")}
        try:
            reader = Reader(opening, glance=True, member=name)
        except (DataError, NotImplementedError) as error:
            listed.append({**one, "refused": str(error)})
            continue
        listed.append({**one, **_listed(reader.schema, reader.facts()["rows"])})
    tree = Tree(opening, opening.given.number("depth", 0)).items
    return {"file": str(opening.source), "datasets": listed, **({"tree": tree} if tree else {})}


def _listed(schema: Schema, rows: int | None) -> dict[str, Any]:
    if schema.rows == "entries":
        shown: dict[str, Any] = {"tensor": _tensor(schema, rows)}
    else:
        shown = {schema.rows: rows} if rows is not None else {}
        streams = schema.rows == "sequences"
        fields = schema.streams if streams else schema.columns
        shown["streams" if streams else "columns"] = [field.to_dict() for field in fields]
    if schema.attributes:
        shown["attributes"] = list(schema.attributes)
    return shown


def _tensor(schema: Schema, stored: int | None) -> dict[str, Any]:
    tensor = schema.tensor
    assert tensor is not None
    number = lib.sheaf_schema_value(byref(schema.c))
    value = schema.fields[number] if number >= 0 else None
    shown: dict[str, Any] = {"format": tensor.layout} if tensor.layout else {}
    shown.update(shape=list(tensor.shape), type=value.type if value else "none",
                 complex=bool(value and value.meaning == "complex"), dense=tensor.dense, iso=tensor.iso,
                 structure=tensor.structure)
    if tensor.sorted:
        shown["order"] = list(tensor.order)
    if stored is not None:
        shown["stored"] = stored
    return shown


def _schema_members(schema: Schema, stored: int | None) -> dict[str, Any]:
    """The tensor, the streams, the columns."""
    shown: dict[str, Any] = {"tensor": _tensor(schema, stored)} if schema.rows == "entries" else {}
    if schema.rows == "sequences":
        shown["streams"] = [field.to_dict() for field in schema.streams]
    if schema.columns:
        shown["columns"] = [field.to_dict() for field in schema.columns]
    return shown


def _info(reader: Reader, name: str, depth: int) -> dict[str, Any]:
    import json

    facts, schema = reader.facts(), reader.schema
    with reader.handle as pointer:
        source = lib.sheaf_source_about(lib.sheaf_dataset_source(pointer))
        size, compression, encoding = source.bytes, source.compression, source.encoding
        index = index_info(pointer)
        tree = c.sheaf_tree_options(sizeof(c.sheaf_tree_options), json=True, depth=depth)
        more = text_of(lambda out, err: lib.sheaf_dataset_describe(pointer, byref(tree), byref(out),
                                                                   byref(err)))
        can = lib.sheaf_format_about(lib.sheaf_dataset_format(pointer)).can
        shown: dict[str, Any] = {"file": name, "format": reader.format}
        if compression:
            shown["compression"] = compression.decode()
        if encoding:
            shown["encoding"] = encoding.decode()
        if size >= 0:
            shown["bytes"] = size
        for word, fact in ((schema.rows, "rows"), ("samples", "samples"), ("chunks", "chunks")):
            if facts[fact] is not None:
                shown[word] = facts[fact]
        shown.update(_schema_members(schema, facts["rows"]))
        if facts["guess"]:
            shown["inferred"] = facts["guess"]
        if index.path and (index.found or not can & c.SHEAF_CAN_CONTAIN):
            shown["index"] = _index_shown(index)
    return {**shown, **json.loads("{" + more.lstrip(",") + "}")}


def _index_shown(index: c.sheaf_index_info) -> dict[str, Any]:
    shown: dict[str, Any] = {"state": _INDEX_STATES[int(bool(index.found)) + int(bool(index.fresh))]}
    if index.found:
        shown["path"] = os.fsdecode(index.path or b"")
        if index.why:
            shown["why"] = index.why.decode()
    if index.fresh:
        shown["bytes"] = index.bytes
    return shown


# ---- trees ----


class Tree:
    """All that is in a container (HDF5, netCDF, Zarr, NPZ, Arrow): ``items``, each a dict with its path, type,
    shape, storage, attributes, and why it is not read, as ``sheaf info --json`` has them; as text, and in a
    notebook, what ``sheaf info`` prints. ``datasets`` are the paths that ``dataset=`` takes."""

    def __init__(self, opening: Opening, depth: int = 0) -> None:
        import json

        self._opening, self._depth = opening, depth
        text = self._text(True)
        self.items: list[dict[str, Any]] = json.loads(text.lstrip(",").join("{}")).get("tree", [])

    @property
    def datasets(self) -> list[str]:
        return [item["path"] for item in self.items if "dataset" in item]

    def _text(self, as_json: bool) -> str:
        opening = self._opening
        context, pointer = opening.context(), c_void_p()
        format = opening.given.take("from")  # noqa: A001
        options = c.sheaf_tree_options(sizeof(c.sheaf_tree_options), format and format.encode(), as_json,
                                       self._depth)
        if is_path(opening.source):
            context.run(lib.sheaf_source_path, os.fsencode(opening.source), context.handle, byref(pointer))
        else:
            opened = Opened(opening.source, context)
            pointer = opened.pointer
        return text_of(lambda out, _: context.call(lib.sheaf_tree, pointer, byref(options), context.handle,
                                                   byref(out)))

    def __str__(self) -> str:
        return self._text(False)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return str(made("html", self))


@makes("tree", Dataset)
def tree_of(dataset: Dataset, depth: int) -> Tree:
    """The tree of the file in which a dataset is."""
    return Tree(dataset._opening, depth)


def tree(source: Any, depth: int = 0, *, mmap: bool = False, **options: Any) -> Tree:
    """All that is in a file, also if nothing in it is rows, down to ``depth`` levels below its root (0: all).

    >>> sheaf.write("numbers.npz", {"n": [1, 2]}, force=True)
    >>> [item["type"] for item in sheaf.tree("numbers.npz").items]
    ['archive', '<i8', '|u1']
    """
    return Tree(Opening(source, Given("info", options, besides=("mmap",)), mmap), depth)


# ---- schema, formats ----


def schema(source: Any = None, *, mmap: bool = False, progress: bool | Progress | None = None,
           **options: Any) -> dict[str, Any]:
    """The streams or columns, and how each format's users declare them: what ``sheaf schema --json`` prints.
    ``to=`` selects the declaration for one format.

    >>> sheaf.schema("words.ctf", to="ctf")["declarations"]["ctf"].splitlines()[1]
    '--stream word:18:sparse'
    """
    source, options = configured("schema", source, options)
    given = Given("schema", options, besides=("mmap", "progress"))
    reader = Reader(Opening(source, given, mmap, progress))
    found: dict[str, Any] = {"file": str(source), "format": reader.format,
                             **_schema_members(reader.schema, None)}
    found["declarations"] = _declarations(reader, str(source), given.take("to"))
    return found


def _declarations(reader: Reader, file: str, wanted: str | None) -> dict[str, str]:
    texts = {}
    with reader.handle as pointer:
        own = lib.sheaf_dataset_format(pointer)
        for format in [lib.sheaf_format_find(wanted.encode())] if wanted else _formats():  # noqa: A001
            if not format:
                raise wrong("to", "the name of a format", f'"{wanted}"')
            try:
                text = text_of(lambda out, err, f=format: lib.sheaf_declare(  # type: ignore[misc]
                    f, byref(reader.schema.c), _declared_file(file, f, own), f == own, reader.context.handle,
                    byref(out), byref(err)))
            except NotImplementedError:
                if wanted:
                    raise
                continue
            if text:
                texts[lib.sheaf_format_about(format).name.decode()] = text
    return texts


def _declared_file(file: str, format: int, own: int) -> bytes:  # noqa: A002
    """The file to which a declaration refers: this one, or its name in another format."""
    if format == own:
        return file.encode()
    folder, slash, name = file.rpartition("/")
    suffix = lib.sheaf_format_about(format).suffixes[0]
    return (folder + slash + name.split(".")[0]).encode() + (suffix or b"")


def _formats() -> Iterator[int]:
    i = 0
    while True:
        format = lib.sheaf_format_at(i)  # noqa: A001
        if not format:
            return
        yield format
        i += 1


def formats() -> list[dict[str, Any]]:
    """What this build reads and writes: for each format its name, whether it can be read and written, its
    suffixes, a summary, and what happens to data that are written in it: "kept", "changed", "written" (to be
    read with options that declare it), "lost" or "refused".

    >>> cbf = next(f for f in sheaf.formats() if f["name"] == "cbf")
    >>> cbf["write"], next(f["kept"] for f in cbf["keeps"] if f["feature"] == "keys of sequences")
    (True, 'changed')
    """
    found = []
    for format in _formats():  # noqa: A001
        about, suffixes, i = lib.sheaf_format_about(format), [], 0
        while about.suffixes[i]:
            suffixes.append(about.suffixes[i].decode())
            i += 1
        keeps: list[dict[str, str]] = []
        feature = c.sheaf_feature()
        while lib.sheaf_format_keeps(format, len(keeps), byref(feature), None) == c.SHEAF_OK:
            keeps.append({"feature": decoded(feature.name) or "",
                          "kept": decoded(feature.word) or ""})
            if feature.how:
                keeps[-1]["how"] = decoded(feature.how) or ""
        found.append({"name": about.name.decode(), "read": bool(about.can & c.SHEAF_CAN_READ),
                      "write": bool(about.can & c.SHEAF_CAN_WRITE), "suffixes": suffixes,
                      "summary": about.summary.decode(), "keeps": keeps})
    return found


# ---- show ----


def show(source: Any = None, *, width: int = 80, unicode: bool = True, colours: int = 0, mmap: bool = False,
         progress: bool | Progress | None = None, **options: Any) -> str:
    """One row as a picture, what ``sheaf show`` prints: ``width`` columns, in 0, 256 or 2**24 colours.

    >>> print(sheaf.show("words.ctf", skip=1, unicode=False).splitlines()[0])
    key: 1
    """
    source, options = configured("show", source, options)
    given = Given("show", options, besides=("mmap", "progress", "width", "unicode", "colours"))
    skip, wanted = given.number("skip", 0), {name: given.take(name) for name in ("streams", "columns")}
    chosen = {name: str(value).encode() for name, value in wanted.items() if value is not None}
    opening = Opening(source, given, mmap, progress)
    select = c.sheaf_selection(skip=skip, rows=b"1", **chosen)
    reader = Reader(opening, rows=c.SHEAF_TAKES_SEQUENCES | c.SHEAF_TAKES_CELLS | c.SHEAF_TAKES_ENTRIES,
                    select=select)
    if reader.schema.rows == "entries":
        reader = Reader(opening, rows=c.SHEAF_TAKES_SEQUENCES, select=select)
    frame, drawing = reader.next(), c.sheaf_drawing(width, unicode, colours)
    if frame is None:
        raise IndexError(f"expected a row with the number {skip}, counted from 0, found none")
    schema = byref(reader.schema.c)
    return text_of(lambda out, err: lib.sheaf_row_drawing(byref(frame.c), schema, 0, byref(drawing),
                                                          byref(out), byref(err)))


# ---- guess ----


def guess(path: Path, format: str | None = None) -> list[dict[str, Any]]:
    """How to read a file that does not describe itself, the likeliest way first: ``format``, an ``option``
    and its ``value``, the ``bits`` needed for each byte when it is read like that, and the ``evidence``."""
    context: Context = Context()
    found: list[dict[str, Any]] = []
    arguments = c.FUNCTIONS["sheaf_guess"][1]

    def tell(_user: int, candidate: Any, _err: Any) -> int:
        one = candidate[0]
        found.append({"format": one.format.decode(), "option": one.option.decode().replace("-", "_"),
                      "value": one.value.decode(), "bits": one.bits, "evidence": one.evidence.decode()})
        return c.SHEAF_OK

    context.run(lib.sheaf_guess, os.fsencode(path), format.encode() if format else None, context.handle,
                arguments[3](tell), None)
    return found
