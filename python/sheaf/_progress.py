# SPDX-License-Identifier: MIT
"""Values of ``progress=``: a function, tqdm, or True for a bar of tqdm if that is installed; in notebooks a bar
comes by itself when something takes longer than a second."""
from __future__ import annotations

import sys

from ._errors import wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._context import Progress


class _Bar:
    """Bytes as a bar."""

    def __init__(self, tqdm: Any, name: str, delay: float = 0) -> None:
        self._bar = tqdm(desc=name, unit="B", unit_scale=True, delay=delay)

    def __call__(self, done: int, total: int | None) -> None:
        if total is not None and self._bar.total != total:
            self._bar.total = total
        self._bar.update(done - self._bar.n)


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def progress_of(wanted: bool | Progress | None, name: str) -> Progress | None:
    """The function to call, or None."""
    if isinstance(wanted, type) and hasattr(wanted, "update"):
        return _Bar(wanted, name)
    if callable(wanted):
        return wanted
    if wanted not in (None, False, True):
        raise wrong("progress", "True, False, tqdm or a function", f"{wanted!r}")
    if wanted is False or (wanted is None and not _in_notebook()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm, name, 0 if wanted else 1)
