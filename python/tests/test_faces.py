# SPDX-License-Identifier: MIT
"""What the command can, Python can, by the same names: but for a table of exceptions with reasons,
faces.tsv."""
import inspect
import re
from pathlib import Path

import sheaf
from sheaf import _layout as c
from sheaf import _options as options
from common import raises, same, words

FOLDER = Path(__file__).resolve().parent
# The function of a command, where its name is another one; and the structs that it fills.
FUNCTIONS = {"cat": "open", "head": "open"}
STRUCTS = (c.sheaf_context_options, c.sheaf_open_options, c.sheaf_container_options, c.sheaf_tensor_options,
           c.sheaf_sequence_options, c.sheaf_create_options, c.sheaf_convert_options, c.sheaf_part_options,
           c.sheaf_batch_options, c.sheaf_window_options, c.sheaf_epoch_options, c.sheaf_shard_options,
           c.sheaf_packing_options, c.sheaf_diff_options)
CONFIG = """reader = [
    readerType = "CNTKTextFormatReader"
    file = "FILE"
    randomize = false
    input = [
        word = [
            dim = 18
            format = "sparse"
        ]
        tag = [
            dim = 3
            format = "dense"
        ]
    ]
]
"""


def exceptions():
    """(command, option or "-"): the reason."""
    lines = [line.split("\t") for line in (FOLDER / "faces.tsv").read_text().splitlines() if line
             and not line.startswith("#")]
    return {(command, option): reason for command, option, reason in lines}


def is_taken(name):
    """Whether a struct has a member for an option, or the package asks for it by its name."""
    given = options.Given.__new__(options.Given)
    given.values, given.settings = {name: ["1"]}, []
    given.number = lambda *_: 1

    def reached(struct):
        given._convert = lambda *_: found.append(1)
        given.has = lambda *_: found.append(1) or True
        found = []
        try:
            list(given._members(struct))
        except TypeError:  # of a nested struct, which got no value
            pass
        return found

    package = Path(sheaf.__file__).resolve().parent
    sources = "".join(path.read_text() for path in package.glob("*.py") if path.name != "_layout.py")
    return any(map(reached,
                   STRUCTS)) or re.search(rf'(take|flag|number|_at_most_one|option ==|\()\(?[^()]*"{name}"',
                                          sources) is not None


def test_commands_and_options():
    known, unused, missing = exceptions(), set(exceptions()), []
    for entry in options.table()["commands"]:
        command = entry["name"]
        if not hasattr(sheaf, FUNCTIONS.get(command, command)):
            missing.append((command, "-"))
            continue
        for row in entry["options"]:
            if options.is_the_commands(command, row["name"]) or not is_taken(row["name"]):
                missing.append((command, row["name"]))
    wrong = []
    for command, option in missing:
        row = (command, option) if (command, option) in known else ("*", option)
        unused.discard(row)
        if row not in known:
            wrong.append(f"sheaf {command} --{option}")
    same(wrong, [])
    same(sorted(unused), [])
    assert all(len(reason) > 10 for reason in known.values())


def test_refused_options_say_what_to_do(tmp):
    for name in ("json", "quiet", "state", "limit"):
        with raises(TypeError,
                    f"batches: expected an option that Python has, found {name}, the command's; here it is"):
            sheaf.batches(words(tmp), **{name: True})


def test_functions_are_documented():
    for name in sheaf.__all__:
        thing = getattr(sheaf, name)
        if callable(thing):
            assert inspect.getdoc(thing) and len(inspect.getdoc(thing)) > 20, name


def test_configurations(tmp):
    path = words(tmp)
    (tmp / "reader.cntk").write_text(CONFIG.replace("FILE", str(path)))
    same(sheaf.open(config=tmp / "reader.cntk").schema.names[:2], ["word", "tag"])
    same(sheaf.hash(config=tmp / "reader.cntk"), sheaf.hash(path))
    same([b.sequences for b in sheaf.batches(config=tmp / "reader.cntk")], [2])
    with raises(sheaf.SheafError):
        sheaf.open(config=f"{tmp / 'reader.cntk'}:nowhere")


def test_options_replace_what_they_exclude_in_a_configuration(tmp):
    path = words(tmp)
    framed = CONFIG.replace("FILE", str(path)).replace("randomize", "frameMode = true\n    randomize")
    (tmp / "framed.cntk").write_text(framed)
    for options in ({"pad": 1}, {"pack": "rows"}, {"pack": "rows", "rest": "wrap"}):
        same([b.sequences for b in sheaf.batches(config=tmp / "framed.cntk", size=4, **options)], [2])
    with raises(sheaf.DataError, "one sample"):
        next(iter(sheaf.batches(config=tmp / "framed.cntk")))
    one = (f'[ type = "CNTKTextFormatDeserializer" ; file = "{path}" ; input = [ word = [ dim = 18 ; format = '
           '"sparse" ] ; tag = [ dim = 3 ; format = "dense" ] ] ]')
    (tmp / "two.cntk").write_text(f"reader = [ randomize = true ; deserializers = ( {one} : {one} ) ]")
    mixed = sheaf.batches(config=tmp / "two.cntk", mix=[1, 1], order="sheaf")
    same(sum(b.sequences for b in mixed), 4)
