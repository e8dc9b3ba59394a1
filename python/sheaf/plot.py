# SPDX-License-Identifier: MIT
"""The charts of a report, one by one: SVG that a notebook displays."""
from __future__ import annotations

from ._errors import meant, message
from ._peers import makes
from .dataset import Dataset
from .reporting import charts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Svg(str):
    """A picture as SVG text: a notebook displays it, and written to a file it is a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


@makes("plot", Dataset)
class Plot:
    """The charts that ``sheaf report`` draws for a dataset: ``d.plot()`` returns all of them by name,
    ``d.plot.lengths()`` the first one of a kind, ``d.plot.values(1)`` the second one. One pass over all rows
    draws them all.

    >>> d = sheaf.open("words.ctf")
    >>> d.plot.lengths()[:5]
    '<?xml'
    >>> "lengths" in dir(d.plot)
    True
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._charts: dict[str, Svg] | None = None

    def __call__(self) -> dict[str, Svg]:
        if self._charts is None:
            self._charts = {name: Svg(text) for name, text in charts_of(self._dataset).items()}
        return dict(self._charts)

    def _kinds(self) -> dict[str, list[Svg]]:
        """The charts by their kind: their names begin with a number."""
        kinds: dict[str, list[Svg]] = {}
        for name, chart in self().items():
            kind = name.partition("-")[2].rpartition(".")[0].replace("-", "_")
            kinds.setdefault(kind, []).append(chart)
        return kinds

    def __getattr__(self, kind: str) -> Callable[..., Svg]:
        if kind.startswith("_"):
            raise AttributeError(kind)
        charts = self._kinds().get(kind)
        if charts is None:
            known = self._kinds()
            raise AttributeError(message("plot", f"one of {', '.join(known)}", f'"{kind}"',
                                         meant(kind, known)))

        def chart(number: int = 0) -> Svg:
            return charts[number]

        return chart

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kinds()]
