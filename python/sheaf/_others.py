# SPDX-License-Identifier: MIT
"""JAX, awkward arrays, Binsparse: imported when they are needed."""
from __future__ import annotations

from ._errors import wrong
from ._peers import makes
from ._scipy import array_of_frame, entries_of
from .dataset import Dataset
from ._widths import cast
from .frame import Column, Frame, share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

_BINSPARSE_VERSION = "0.1"


@makes("pandas", Dataset, Frame)
def pandas_of(rows: Dataset | Frame) -> Any:
    """Before pandas 3 by pyarrow, which pandas needs for this from then on."""
    import pandas

    if hasattr(pandas.DataFrame, "from_arrow"):
        return pandas.DataFrame.from_arrow(rows)
    import pyarrow

    return pyarrow.table(rows).to_pandas()


def _jax_array(values: NDArray[Any], name: str) -> Any:
    """JAX makes types of 64 bits half as wide, unless its settings say otherwise."""
    import jax.numpy as jnp

    made = jnp.asarray(values)
    if made.dtype != values.dtype:
        cast(values, made.dtype, f'{name} (jax.config.update("jax_enable_x64", True) keeps {values.dtype})')
    return made


@makes("polars", Dataset, Frame)
def polars_of(rows: Dataset | Frame) -> Any:
    import polars

    return polars.DataFrame(rows)


@makes("duckdb", Dataset, Frame)
def duckdb_of(rows: Dataset | Frame) -> Any:
    import duckdb

    return duckdb.from_arrow(rows)


@makes("jax", Frame)
def jax_of_frame(frame: Frame, missing: Any, columns: Sequence[str] | None) -> Any:
    if frame.schema.tensor is None:
        fields = frame.schema.taken(columns)
        return {field.name: jax_of_column(frame[field.name], missing) for field in fields}
    if columns is not None:
        raise wrong("columns", "none for a tensor, which is one array", f"{columns!r}")
    array = frame.array if missing is None else frame.to_numpy(missing)
    return _jax_array(array, frame.schema.names[-1])


@makes("jax", Column)
def jax_of_column(column: Column, missing: Any) -> Any:
    if column.field.storage != "sparse":
        return _jax_array(column.numbers(missing), column.name)
    import jax.numpy as jnp
    from jax.experimental.sparse import BCSR

    column.need()
    pointers, indices = column.entry_offsets, column.indices
    assert pointers is not None and indices is not None
    parts = (_jax_array(column.values, column.name), jnp.asarray(cast(indices, "i4", column.name)),
             jnp.asarray(cast(pointers, "i4", column.name)))
    return BCSR(parts, shape=(len(pointers) - 1, column.field.dim or 0))


@makes("awkward", Column)
def awkward_of_column(column: Column) -> Any:
    import awkward as ak

    column._need_flat()
    storage, contents = column.field.storage, ak.contents
    if column.offsets is None or storage == "complex":
        made = contents.NumpyArray(column.to_numpy() if column.valid is None else column._raw())
        return ak.Array(_masked(column, made))
    if storage in ("text", "bytes"):
        word, inner = ("string", "char") if storage == "text" else ("bytestring", "byte")
        characters = contents.NumpyArray(column.values, parameters={"__array__": inner})
        made = contents.ListOffsetArray(_index(column.offsets), characters, parameters={"__array__": word})
        return ak.Array(_masked(column, made))
    if storage == "dense":
        samples: Any = contents.RegularArray(contents.NumpyArray(column.values.reshape(-1)),
                                             column.field.dim or 1)
    else:
        entries = contents.RecordArray([contents.NumpyArray(column.indices),
                                        contents.NumpyArray(column.values)], ["index", "value"])
        samples = contents.ListOffsetArray(_index(column.entry_offsets), entries)
    return ak.Array(contents.ListOffsetArray(_index(column.offsets), samples))


def _index(offsets: NDArray[Any] | None) -> Any:
    import awkward as ak

    assert offsets is not None
    return ak.index.Index64(offsets if offsets.flags.writeable else share(offsets))


def _masked(column: Column, content: Any) -> Any:
    import awkward as ak

    valid = column.valid
    if valid is None:
        return content
    return ak.contents.ByteMaskedArray(ak.index.Index8(valid.view("i1")), content, valid_when=True)


@makes("awkward", Frame)
def awkward_of_frame(frame: Frame) -> Any:
    import awkward as ak

    return ak.zip({name: awkward_of_column(frame[name]) for name in frame.schema.names}, depth_limit=1)


@makes("binsparse", Frame)
def binsparse_of_frame(frame: Frame) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A tensor's entries in Binsparse's terms: COO, or DVEC and DMAT if it is dense."""
    coordinates, values = entries_of(frame)
    tensor = frame.schema.tensor
    assert tensor is not None
    shape = list(tensor.shape)
    header: dict[str, Any] = {"version": _BINSPARSE_VERSION, "shape": shape,
                              "number_of_stored_values": len(values)}
    if tensor.dense and len(shape) in (1, 2):
        buffers = {"values": array_of_frame(frame).reshape(-1)}
        header["format"] = "DVEC" if len(shape) == 1 else "DMATR"
    else:
        buffers = {f"indices_{d}": array for d, array in enumerate(coordinates)}
        buffers["values"] = values
        header["format"] = "COO" if len(shape) == 2 else "CVEC" if len(shape) == 1 else "custom"
        if header["format"] == "custom":
            header["custom"] = {"level": {"level_desc": "sparse", "rank": len(shape),
                                          "level": {"level_desc": "element"}}}
    if tensor.structure != "general":
        header["structure"] = tensor.structure
    header["data_types"] = {name: _name(array) for name, array in buffers.items()}
    return header, buffers


def _name(array: NDArray[Any]) -> str:
    """Binsparse's name of a type."""
    if array.dtype.kind == "b":
        return "bint8"
    return f"complex[float{4 * array.dtype.itemsize}]" if array.dtype.kind == "c" else array.dtype.name
