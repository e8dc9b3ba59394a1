# SPDX-License-Identifier: MIT
"""Numbers in other types, of which none may become another number."""
from __future__ import annotations

from ._errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


def cast(items: NDArray[Any], dtype: Any, name: str) -> NDArray[Any]:
    """Items as another type. Floats may lose digits; a `UsageError` if any other number becomes another one, or
    none."""
    import numpy as np

    to = np.dtype(dtype)
    kinds = items.dtype.kind + to.kind
    wide = kinds in ("if", "uf")  # NumPy calls that safe
    if not set(kinds) <= set("iuf") or (np.can_cast(items.dtype, to, "safe") and not wide):
        return items.astype(to, copy=False)
    with np.errstate(all="ignore"):
        made = items.astype(to)
        back = made.astype(items.dtype)
    if kinds == "ff":
        changed = np.isfinite(items) & ~np.isfinite(made)
    elif wide:  # an integer beyond those that have a float each is compared as such
        changed = np.abs(made) >= 2.0 ** (np.finfo(to).nmant + 1)
        changed[changed] = [int(a) != int(b) for a, b in zip(items[changed], made[changed])]
    else:
        changed = (back != items) | ((made < 0) != (items < 0))
    if changed.any():
        row = int(changed.argmax())
        raise UsageError.about(name, f"numbers that {to} can hold", f"{items[row]} in row {row}")
    return made
