# SPDX-License-Identifier: MIT
"""AnnData: objects of a file's elements, and files of objects. An object is written as a Zarr folder of
version 2, one element after the other, which the library then copies into the output."""
from __future__ import annotations

import json
import os
import struct
import tempfile

from ._errors import UsageError
from ._library import lib
from ._peers import makes
from .dataset import Dataset, Opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from numpy.typing import NDArray

_CHUNK = 64 << 20  # bytes of an array in a chunk
_MAPPINGS = ("layers", "obsm", "varm", "obsp", "varp", "uns")


# ---- reading ----


class _Elements:
    """The elements of a file, by their paths."""

    def __init__(self, dataset: Dataset) -> None:
        self._opening = dataset._opening
        self.items = {item["path"].strip("/"): item for item in dataset.tree().items}
        self.inside: dict[str, list[str]] = {}
        for path in self.items:
            if path:
                self.inside.setdefault(path.rpartition("/")[0], []).append(path)

    def _read(self, path: str) -> Any:
        opening = self._opening
        return Dataset(Opening(opening.source, opening.given, opening.mmap, None, opening._settings,
                               {**opening._members, "member": path.encode()})).read()

    def says(self, path: str, name: str) -> Any:
        return self.items[path].get("attributes", {}).get(name)

    def array(self, path: str) -> Any:
        """An array or a scalar of numbers or texts, or records."""
        import numpy as np

        item, frame = self.items[path], self._read(path)
        if frame.schema.rows == "entries":
            array = np.ma.getdata(frame.to_numpy())
            return array[()] if item["shape"] == [] else array if array.flags.writeable else array.copy()
        columns = [frame[name].to_numpy() for name in frame.schema.names]
        if item["type"] == "text":
            return columns[-1][0] if item["shape"] == [] else columns[-1].reshape(item["shape"])
        fields = zip(frame.schema.names, columns)
        made = np.empty(len(frame), [(name, column.dtype) for name, column in fields])
        for name, column in zip(frame.schema.names, columns):
            made[name] = column
        return made

    def column(self, path: str) -> Any:
        import numpy as np
        import pandas as pd

        if path + "/codes" in self.items:
            return pd.Categorical.from_codes(self.array(path + "/codes"), self.array(path + "/categories"),
                                             ordered=bool(self.says(path, "ordered")))
        values, mask = self.array(path + "/values"), self.array(path + "/mask").astype(bool)
        if values.dtype.kind == "O":
            return pd.array(np.where(mask, None, values), "string")
        kind = pd.arrays.BooleanArray if values.dtype.kind == "b" else pd.arrays.IntegerArray
        return kind(values, mask)

    def frame(self, path: str) -> Any:
        """A data frame: columns with categories or masks are read as these, the others as a table."""
        import pandas as pd

        table = self._read(path)
        columns = {}
        for name in table.schema.names:
            inner = f"{path}/{name}"
            is_column = self.items[inner]["type"] == "group"
            columns[name] = self.column(inner) if is_column else self._plain(table[name])
        name, *_ = columns
        index = pd.Index(columns.pop(name), name=None if name == "_index" else name)
        return pd.DataFrame(columns, index=index, columns=pd.Index(list(columns), dtype=object))

    @staticmethod
    def _plain(column: Any) -> Any:
        """AnnData 0.7's categories are among texts that may be missing."""
        import numpy as np
        import pandas as pd

        items = column.to_numpy()
        return pd.Categorical(column.to_list()) if isinstance(items, np.ma.MaskedArray) else items

    def element(self, path: str) -> Any:
        item, kind = self.items[path], self.says(path, "encoding-type")
        if kind == "null":
            return None
        if kind == "awkward-array":
            import awkward as ak

            parts = {name.rpartition("/")[2]: self.array(name) for name in self.inside.get(path, [])}
            form = self.says(path, "form")  # Zarr has the object itself
            form = json.loads(form) if isinstance(form, str) else form
            return ak.from_buffers(form, int(self.says(path, "length")), parts)
        if item["type"] != "group":
            return self.array(path)
        if kind == "dataframe":
            return self.frame(path)
        found = item.get("dataset", "")
        if found in ("CSR", "CSC"):
            from scipy import sparse

            matrix = self._read(path).to_scipy(found.lower())
            return getattr(sparse, f"{found.lower()}_matrix")(matrix, copy=True)
        return self.column(path) if found == "column" else self.mapping(path)

    def mapping(self, path: str) -> dict[str, Any]:
        return {inner.rpartition("/")[2]: self.element(inner) for inner in self.inside.get(path, [])}


@makes("anndata", Dataset)
def anndata_of(dataset: Dataset) -> Any:
    import anndata

    elements = _Elements(dataset)
    if not {"obs", "var"} <= set(elements.items):
        raise UsageError.about(dataset.name, "AnnData, which has obs and var", "other data")
    parts = {name: elements.element(name) for name in ("X", "obs", "var", "raw", *_MAPPINGS)
             if name in elements.items}
    return anndata.AnnData(**parts)


# ---- writing ----


class _Folder:
    """A folder of Zarr, version 2, whose arrays are not compressed."""

    def __init__(self, path: str) -> None:
        self.path = path

    def _put(self, path: str, name: str, content: Any) -> None:
        folder = os.path.join(self.path, path) if path else self.path
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content if isinstance(content, bytes) else json.dumps(content).encode())

    def _says(self, path: str, kind: str, version: str, **more: Any) -> None:
        self._put(path, ".zattrs", {"encoding-type": kind, "encoding-version": version, **more})

    def group(self, path: str, kind: str, version: str = "0.1.0", **more: Any) -> None:
        self._put(path, ".zgroup", {"zarr_format": 2})
        self._says(path, kind, version, **more)

    def array(self, path: str, array: Any, kind: str | None = None) -> None:
        import numpy as np

        shape, word = list(array.shape), array.dtype.kind
        if word not in "biufcUSO" or array.dtype.str[1:] in ("f2", "f16", "c32"):
            raise UsageError.about(path, "numbers of up to 64 bits, truth values or texts", array.dtype)
        is_text = word in "USO"
        row = int(np.prod(shape[1:], dtype=np.int64)) * array.dtype.itemsize
        rows = shape[0] if shape and is_text else max(1, _CHUNK // max(row, 1))
        chunks = [max(1, n) for n in shape]
        if shape:
            chunks[0] = max(1, min(rows, shape[0]))
        self._put(path, ".zarray", {
            "zarr_format": 2, "shape": shape, "chunks": chunks, "order": "C", "compressor": None,
            "dtype": "|O" if is_text else array.dtype.str, "fill_value": "" if is_text else None,
            "filters": [{"id": "vlen-utf8"}] if is_text else None})
        scalar = "string" if is_text else "numeric-scalar"
        self._says(path, kind or (("string-array" if is_text else "array") if shape else scalar),
                   "0.1.0" if kind else "0.2.0")
        for number in range(-(-shape[0] // chunks[0]) if shape else 1):
            part = np.asarray(array[number * chunks[0]:(number + 1) * chunks[0]] if shape else array)
            if part.size == 0:
                return
            short = chunks[0] - len(part) if shape else 0
            content = _texts(path, part) if is_text else part.tobytes() + bytes(short * row)
            self._put(path, ".".join([str(number), *"0" * (len(shape) - 1)]), content)

    def column(self, path: str, values: Any) -> None:
        """An array of pandas or NumPy."""
        import numpy as np
        import pandas as pd

        if isinstance(values, pd.Categorical):
            self.group(path, "categorical", "0.2.0", ordered=bool(values.ordered))
            self.array(path + "/codes", values.codes)
            self.column(path + "/categories", values.categories.array)
            return
        texts, gone = isinstance(values.dtype, pd.StringDtype), pd.isna(values)
        if isinstance(values, (pd.arrays.IntegerArray, pd.arrays.BooleanArray)) or (texts and gone.any()):
            kind = "string-array" if texts else "boolean" if values.dtype.kind == "b" else "integer"
            self.group(path, f"nullable-{kind}", "0.1.0")
            dtype = object if texts else values.dtype.numpy_dtype
            self.array(path + "/values", values.to_numpy(dtype, na_value="" if texts else 0))
            self.array(path + "/mask", gone)
        elif texts:
            self.array(path, values.to_numpy(object))
        elif type(values).__name__ in ("ndarray", "NumpyExtensionArray", "PandasArray"):
            self.array(path, np.asarray(values))
        else:
            raise UsageError.about(path, "numbers, truth values, texts or categories", values.dtype)

    def frame(self, path: str, frame: Any) -> None:
        index = "_index" if frame.index.name is None else frame.index.name
        names = list(frame.columns)
        if not all(isinstance(name, str) for name in [index, *names]) or len(set(names)) < len(names):
            raise UsageError.about(path, "columns that have different texts as names", names)
        if index in names and not (frame[index].array == frame.index.array).all():
            raise UsageError.about(path, f"a name for the index that no other column has, {index}", "one")
        self.group(path, "dataframe", "0.2.0", **{"_index": index, "column-order": names})
        self.column(f"{path}/{index}", frame.index.array)
        for name in names:
            if name != index:
                self.column(f"{path}/{name}", frame[name].array)

    def element(self, path: str, value: Any) -> None:
        import numpy as np
        import pandas as pd

        value = value.to_memory() if hasattr(value, "to_memory") and not hasattr(value, "obs") else value
        if value is None:
            self.array(path, np.array(False), "null")
        elif isinstance(value, pd.DataFrame):
            self.frame(path, value)
        elif isinstance(value, (pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
            self.column(path, getattr(value, "array", value))
        elif hasattr(value, "tocsr"):
            matrix = value if value.format in ("csr", "csc") else value.tocsr()
            self.group(path, f"{matrix.format}_matrix", "0.1.0", shape=[int(n) for n in matrix.shape])
            for name in ("data", "indices", "indptr"):
                self.array(f"{path}/{name}", getattr(matrix, name))
        elif type(value).__module__.startswith("awkward"):
            import awkward as ak

            form, length, parts = ak.to_buffers(ak.to_packed(value))
            self.group(path, "awkward-array", "0.1.0", form=form.to_json(), length=length)
            for name, part in parts.items():
                self.array(f"{path}/{name}", part)
        elif hasattr(value, "items"):
            self.mapping(path, value)
        else:
            array = value if hasattr(value, "shape") and hasattr(value, "dtype") else np.array(value)
            if np.ma.is_masked(array):
                raise UsageError.about(path, "an array none of whose items is masked", "one that has such")
            if array.dtype.names:
                self.group(path, "rec-array", "0.2.0", **{"column-order": list(array.dtype.names)})
                for name in array.dtype.names:
                    self.array(f"{path}/{name}", array[name])
            else:
                self.array(path, array)

    def mapping(self, path: str, values: Mapping[str, Any], kind: str = "dict") -> None:
        self.group(path, kind)
        for key, value in values.items():
            if not isinstance(key, str) or not key or "/" in key:
                raise UsageError.about(path, "names that are texts, without slashes", f"{key!r}")
            self.element(f"{path}/{key}" if path else key, value)


def _texts(path: str, array: NDArray[Any]) -> bytes:
    """Texts after their lengths, as the filter vlen-utf8 has them."""
    parts = [struct.pack("<I", array.size)]
    for text in array.ravel().tolist():
        if not isinstance(text, (str, bytes)):
            raise UsageError.about(path, "texts", type(text).__name__)
        content = text if isinstance(text, bytes) else text.encode()
        parts += struct.pack("<I", len(content)), content
    return b"".join(parts)


@makes("anndata_file", object)
def written(data: Any, path: str | os.PathLike[str], progress: Any, options: dict[str, Any]) -> bool:
    """Writes all of AnnData, if that is how the output has it; its folder is removed whatever happens."""
    target = os.fsdecode(path)
    word = options.get("to") or _format_of(target)
    if word != "hdf5" or not hasattr(data.obs, "columns"):
        return False
    from .converting import convert

    beside = os.path.dirname(os.path.abspath(target))
    with tempfile.TemporaryDirectory(prefix=".sheaf-", dir=beside) as folder:
        made = _Folder(os.path.join(folder, "anndata.zarr"))
        parts = {"obs": data.obs, "var": data.var,
                 **{name: dict(getattr(data, name, {})) for name in _MAPPINGS}}
        if data.X is not None:
            parts["X"] = data.X
        made.mapping("", parts, "anndata")
        raw = getattr(data, "raw", None)
        if raw is not None:
            made.mapping("raw", {"X": raw.X, "var": raw.var, "varm": dict(raw.varm)}, "raw")
        convert(made.path, target, progress=progress, **{**options, "to": word})
    return True


def _format_of(path: str) -> str:
    found = lib.sheaf_format_of_name(os.fsencode(path))
    return str(lib.sheaf_format_about(found).name.decode()) if found else ""
