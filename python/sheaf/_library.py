# SPDX-License-Identifier: MIT
"""The library, found and loaded at import: its functions, with the types that the headers give them."""
from __future__ import annotations

import ctypes
import os

from . import _layout as c

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE = os.path.dirname(os.path.abspath(__file__))


def _beside(folder: str) -> Iterator[str]:
    """The libraries in a folder: it does not matter which link or version of a file is used."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        if name.startswith("libsheaf") and (".so" in name or name.endswith(".dylib")):
            yield os.path.join(folder, name)


def _candidates() -> Iterator[str]:
    """Where the library may be; the first one found wins: the requested one, in the wheel, in a build
    folder."""
    wanted = os.environ.get("SHEAF_LIBRARY")
    if wanted:
        yield wanted
        return
    site = os.path.dirname(_HERE)
    for folder in (".sheaf.mesonpy.libs", ".sheaf_io.mesonpy.libs", "sheaf_io.libs"):
        yield from _beside(os.path.join(site, folder))
    # What the build makes lies in build/python/sheaf; so it does for an editable install.
    made = os.path.dirname(os.path.abspath(c.__file__))
    yield from _beside(os.path.dirname(os.path.dirname(made)))


def _load() -> ctypes.CDLL:
    for path in _candidates():
        library = ctypes.CDLL(path)
        library.sheaf_version.restype = ctypes.c_char_p
        found = library.sheaf_version().decode()
        if found == c.VERSION:
            return library
        raise ImportError(
            f"{path}: expected version {c.VERSION} of libsheaf, as this package has, found {found}")
    raise ImportError(
        "sheaf: expected libsheaf beside the package, or $SHEAF_LIBRARY to name it; found neither")


lib = _load()
for _name, (_result, _arguments) in c.FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype = _result
    _function.argtypes = _arguments
lib.sheaf_spell_options(b"--", b"", b"-")  # `in_python` knows which are flags


def library_path() -> str:
    """The file from which the library was loaded."""
    return str(lib._name)
