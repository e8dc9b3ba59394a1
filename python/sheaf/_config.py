# SPDX-License-Identifier: MIT
"""``config=``: the settings in a section of a CNTK configuration file, as options that come before all
others."""
from __future__ import annotations

from ctypes import POINTER, byref, c_char_p, cast

from . import _layout as c
from ._context import Context
from ._errors import decoded, keyword_of, wrong
from ._library import lib
from ._options import format_rows, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Options = dict[str, Any]

# A call with the first of two options cannot have the second, which a configuration then does not give it.
_EXCLUDED = (("pad", "pack"), ("pack", "pad"), ("mix", "join"))


def _texts(settings: Any, n: int) -> list[tuple[str, str | None]]:
    return [(decoded(settings[i].name) or "", decoded(settings[i].value)) for i in range(n)]


def _keywords(settings: list[tuple[str, str | None]]) -> Options:
    """Settings as keyword arguments: a repeated one becomes a list."""
    found: Options = {}
    for name, text in settings:
        keyword, value = keyword_of(name), True if text is None else text
        if keyword not in found:
            found[keyword] = value
        else:
            found[keyword] = [*(found[keyword] if isinstance(found[keyword], list) else [found[keyword]]),
                              value]
    return found


class Section:
    """A reader section of a configuration: for each input its path and options, and those of the reader as a
    whole."""

    def __init__(self, name: str, variables: list[str]) -> None:
        context, found = Context(), POINTER(c.sheaf_config)()
        given = (c_char_p * max(1, len(variables)))(*[text.encode() for text in variables])
        said = c.sheaf_variables(cast(given, POINTER(c_char_p)), len(variables))
        context.call(lib.sheaf_config_read, name.encode(), said, context.handle, byref(found))
        config = found[0]
        self.inputs: list[tuple[str, Options]] = []
        for i in range(config.ninputs):
            one = config.inputs[i]
            texts = [*_texts(one.settings, one.nsettings), *_texts(one.others, one.nothers)]
            mine: Options = {"from_": decoded(one.format) or "", **_keywords(texts)}
            self.inputs.append((decoded(one.path) or "", mine))
        self.options = _keywords(_texts(config.settings, config.nsettings))
        lib.sheaf_config_free(found)


def _section(given: Options) -> Section | None:
    """The section that ``config=`` and ``variables=`` name; removes them from the options."""
    name, variables = given.pop("config", None), given.pop("variables", None)
    if name is None and variables is not None:
        raise wrong("variables", "them with config=", "them alone")
    if name is None:
        return None
    return Section(str(name), [f"{key}={value}" for key, value in dict(variables or {}).items()])


def _known(command: str, options: Options, given: Options) -> Options:
    """The options that the command takes, since a configuration may have more; but not what those of the call
    exclude."""
    names = {keyword_of(name) for name in [*rows_of(command), *format_rows("reading")]}
    names -= {excluded for keyword, excluded in _EXCLUDED if given.get(keyword) is not None}
    if given.get("rest") == "wrap":  # such batches cross the end of a sweep
        names.discard("no_cross_sweep")
    return {keyword: value for keyword, value in options.items() if keyword in names}


def configured(command: str, source: Any, options: Mapping[str, Any]) -> tuple[Any, Options]:
    """The source and the options of a call, with those of ``config=`` before them."""
    given = dict(options)
    section = _section(given)
    if section is None:
        return source, given
    if len(section.inputs) != 1:
        raise wrong("config", "one input", len(section.inputs),
                    "name one, as in FILE:train.reader.deserializers.0")
    path, said = section.inputs[0]
    known = _known(command, {**section.options, **said}, given)
    return path if source is None else source, {**known, **given}


def configured_batches(sources: Any, options: Mapping[str, Any]) -> tuple[Any, Options, list[Options]]:
    """The same for batches, from one or several inputs, which are joined; and the options of each input."""
    given = dict(options)
    section = _section(given)
    if section is None:
        return sources, given, []
    if len(section.inputs) == 1:
        path, said = section.inputs[0]
        known = _known("batches", {**section.options, **said}, given)
        return path if sources is None else sources, {**known, **given}, []
    own = rows_of("batches")
    common = {k: v for _, said in section.inputs for k, v in said.items() if k != "from_"
              and k.replace("_", "-") in own}
    each = [{k: v for k, v in said.items() if k not in common} for _, said in section.inputs]
    paths = [path for path, _ in section.inputs] if sources is None else sources
    joined = _known("batches", {"join": True, **section.options, **common}, given)
    return paths, {**joined, **given}, each
