# SPDX-License-Identifier: MIT
"""Each option of a command that Python has changes what its function gives, leaves or says, or is refused: by
the rows of tests/effects.py, which does the same for the command."""
import os
import sys
import tempfile
import warnings
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import sheaf
from sheaf import _options as options
from common import COMMAND, TESTS, same
from test_faces import FUNCTIONS

sys.path.insert(0, str(TESTS))
os.environ["SHEAF"] = COMMAND
import effects  # noqa: E402

# What a call cannot show, with the reason.
UNSEEN = {(name, "allow"): "it takes minutes, or gigabytes"
          for name in ("head", "cat", "stats", "report", "diff", "hash", "batches")}
MOST = 50  # of what is iterated
# Functions whose files are lists.
LISTS = {"batches": lambda files: [files if len(files) > 1 else files[0]],
         "split": lambda files: [files[0], files[1:] if len(files) > 2 else files[1]],
         "merge": lambda files: [files[:-1], files[-1]]}


def shown(thing):
    """All that can be seen of a result, without addresses."""
    if isinstance(thing, sheaf.Frame):
        return thing.texts()
    if isinstance(thing, dict):
        return {name: shown(value) for name, value in thing.items()}
    if isinstance(thing, (str, bytes)) or not isinstance(thing, Iterable):
        public = {name: value for name, value in getattr(thing, "__dict__", {}).items() if name[0] != "_"}
        return repr(thing) if not public else {name: shown(value) for name, value in public.items()}
    return [repr(getattr(thing, "schema", None)), *(shown(item) for item in islice(thing, MOST))]


def call_of(command, words):
    """A function with the arguments that stand for words of the command."""
    places, given = [], {}
    rows = {**options.format_rows("reading"), **options.format_rows("writing"), **options.rows_of(command)}
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            places.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        name = "output" if name == "o" else name
        kind, keyword = rows[name]["kind"], options.keyword_of(name)
        value = True if kind == "flag" else value if equals else words.pop(0)
        given[keyword] = [*given.get(keyword, []), value] if kind == "texts" else value
    return LISTS.get(command, list)(places), given


def outcome(command, words):
    """What a call gives, says and leaves."""
    function = getattr(sheaf, FUNCTIONS.get(command, command))
    places, given = call_of(command, words)
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for name, text in effects.FILES.items():
            Path(folder, name).parent.mkdir(exist_ok=True)
            Path(folder, name).write_bytes(text if isinstance(text, bytes) else text.encode())
        os.chdir(folder)
        try:
            result = shown(function(*places, **given))
        except Exception as error:  # noqa: BLE001
            result = f"{type(error).__name__}: {error}"
        finally:
            os.chdir(before)
        left = {str(path): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}
        told = [str(one.message) for one in said]
        return repr((result, told)).replace(folder, ""), {name.replace(folder, ""): data for name, data in
                                                          left.items()}


def words_of(command, option):
    """The words without an option of a command, and what adds it."""
    row = effects.ROWS.get((command, option), effects.ROWS.get(option))
    base, _, more = (text.split() for text in row.partition("|"))
    if command == "diff":
        base.insert(1, effects.OTHERS.get(base[0], base[0]))
    if command in effects.OUTPUTS and not set(base) & set(effects.PLACED):
        base += effects.OUTPUTS[command].split()
    return [word for word in base if word != "--json"], more


def test_each_option_has_an_effect():
    idle = []
    effects.make_binary()
    for entry in options.table()["commands"]:
        command = entry["name"]
        for row in entry["options"]:
            option = row["name"]
            unseen = {option, (command, option)} & {*effects.UNSEEN, *UNSEEN}
            if unseen or options.is_the_commands(command, option):
                continue
            if not hasattr(sheaf, FUNCTIONS.get(command, command)):
                continue
            base, more = words_of(command, option)
            if outcome(command, base) == outcome(command, [*base, *more]):
                idle.append(f"{command} --{option}")
    same(idle, [])
