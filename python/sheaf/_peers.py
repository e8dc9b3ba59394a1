# SPDX-License-Identifier: MIT
"""What other programs' objects are made of ours by: modules that depend on frames, and register their functions
here. A frame names only the target, whose module is imported then."""
from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Made = TypeVar("Made", bound=Callable[..., Any])

_MODULES = {
    "anndata": "_anndata", "anndata_file": "_anndata",
    "array": "_scipy", "arrow": "_arrow", "arrow_array": "_arrow", "arrow_schema": "_arrow",
    "arrow_stream": "_arrow", "awkward": "_others", "binsparse": "_others", "duckdb": "_others",
    "html": "_html", "jax": "_others", "loader": "_torch", "numpy": "_scipy", "pandas": "_others",
    "plot": "plot", "polars": "_others", "report": "reporting", "rows": "_arrow", "scipy": "_scipy",
    "stats": "reporting",
    "torch": "_torch", "tree": "describing", "xy": "_scipy",
}
_makers: dict[tuple[str, type], Callable[..., Any]] = {}


def makes(target: str, *kinds: type) -> Callable[[Made], Made]:
    """Registers a function: what things of these classes become for a target."""
    def register(function: Made) -> Made:
        _makers.update({(target, kind): function for kind in kinds})
        return function

    return register


def made(target: str, thing: object, *arguments: Any) -> Any:
    """What a thing becomes for a target."""
    maker = _makers.get((target, type(thing)))
    if maker is None:
        import_module(f".{_MODULES[target]}", __package__)
        maker = next(_makers[target, kind] for kind in type(thing).__mro__ if (target, kind) in _makers)
        _makers[target, type(thing)] = maker
    return maker(thing, *arguments)
