# SPDX-License-Identifier: MIT
"""Values of ``progress=``: a function, or True for a tqdm bar if tqdm is installed."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._context import Progress


class _Bar:
    """Bytes as a bar."""

    def __init__(self, tqdm: Any, name: str) -> None:
        self._bar = tqdm(desc=name, unit="B", unit_scale=True)

    def __call__(self, done: int, total: int | None) -> None:
        if total is not None and self._bar.total != total:
            self._bar.total = total
        self._bar.update(done - self._bar.n)


def progress_of(wanted: bool | Progress | None, name: str) -> Progress | None:
    """The function to call, or None."""
    if callable(wanted):
        return wanted
    if not wanted:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm, name)
