# SPDX-License-Identifier: MIT
"""Reading in parts: what parts have made of their rows, put together, is what one call gives."""
import json

import sheaf
from common import command, raises, same
from test_batches import STREAMS, many

PARTS = 3


def in_parts(function, source, folder, **options):
    """The parts of a job, made in any order."""
    names = []
    for i in (2, 1, 3):
        names.append(folder / f"{function.__name__}-{i}.part")
        assert not function(source, names[-1], part=(i, PARTS), **options)
    return names


def test_parts_make_the_whole(tmp):
    path = many(tmp)
    for function, options in ((sheaf.stats, {}), (sheaf.hash, {}), (sheaf.hash, {"compare": "keys"}),
                              (sheaf.stats, {"target": "b"})):
        folder = tmp / f"{function.__name__}{len(options)}"
        folder.mkdir()
        parts = in_parts(function, path, folder, stream=STREAMS, **options)
        same(sheaf.merge(parts), function(path, stream=STREAMS, **options))


def test_findings_of_parts(tmp):
    path = many(tmp)
    text = path.read_text().splitlines()
    text[40], text[90] = text[40].replace("|a", "|a x"), text[90].replace("|b", "|b 77:1")
    path.write_text("\n".join(text) + "\n")
    whole = sheaf.validate(path, stream=STREAMS)
    assert not whole.valid
    parts = [tmp / f"{i}.part" for i in (1, 2, 3)]
    for i, part in enumerate(parts):
        sheaf.validate(path, part, part=f"{i + 1}/3", stream=STREAMS)
    merged = sheaf.merge(parts)
    same([p.text for p in merged], [p.text for p in whole])
    same(merged.valid, False)


def test_an_index_of_parts(tmp):
    path = many(tmp)
    parts = in_parts(sheaf.index, path, tmp, stream=STREAMS)
    found = sheaf.merge(parts)
    same(found["state"], "written")
    same(sheaf.index(path, check=True, stream=STREAMS)["state"], "sound")
    with raises(sheaf.UsageError, "check"):
        sheaf.index(path, tmp / "x.part", check=True, part=(1, 2), stream=STREAMS)


def test_a_page_of_parts(tmp):
    path = many(tmp)
    parts = in_parts(sheaf.report, path, tmp, stream=STREAMS)
    numbers = sheaf.merge(parts, tmp / "merged.html")
    same(numbers, sheaf.report(path, tmp / "whole.html", stream=STREAMS))
    same((tmp / "merged.html").read_text(), (tmp / "whole.html").read_text())
    with raises(FileExistsError):
        sheaf.merge(parts, tmp / "merged.html")
    sheaf.merge(parts, tmp / "merged.html", force=True)


def test_parts_of_the_command(tmp):
    """Part files are the same whoever makes them."""
    path = many(tmp)
    streams = [word for stream in STREAMS for word in ("--stream", stream)]
    for i in (1, 2):
        command("hash", path, tmp / f"{i}.part", "--part", f"{i}/2", "--compare", "keys,types", *streams)
    compare = ["keys", "types"]
    sheaf.hash(path, tmp / "1.part", part=(1, 2), compare=compare, stream=STREAMS, force=True)
    whole = sheaf.hash(path, compare=compare, stream=STREAMS)
    same(sheaf.merge([tmp / "1.part", tmp / "2.part"]), whole)
    same(command("merge", tmp / "1.part", tmp / "2.part").split()[0], whole)
    for i in (1, 2):
        sheaf.stats(path, tmp / f"{i}.stats", part=(i, 2), stream=STREAMS)
        command("stats", path, tmp / f"{i}.json", "--json", "--part", f"{i}/2", *streams)
    same(sheaf.merge([tmp / "1.json", tmp / "2.json"]), sheaf.stats(path, stream=STREAMS))
    numbers = command("merge", tmp / "1.json", tmp / "2.json")
    same(json.loads(numbers), sheaf.merge([tmp / "1.stats", tmp / "2.stats"]))


def test_parts_that_do_not_fit(tmp):
    path = many(tmp)
    with raises(sheaf.UsageError, "part: expected output="):
        sheaf.hash(path, part=(1, 2), stream=STREAMS)
    with raises(sheaf.UsageError, "output: expected part="):
        sheaf.stats(path, tmp / "x.part", stream=STREAMS)
    with raises(sheaf.UsageError, "part"):
        sheaf.stats(path, tmp / "x.part", part=(3, 2), stream=STREAMS)
    parts = in_parts(sheaf.hash, path, tmp, stream=STREAMS)
    with raises(sheaf.SheafError, "hash"):
        sheaf.merge(parts[:2])
    with raises(sheaf.UsageError, "output: expected none"):
        sheaf.merge(parts, tmp / "out")
    with raises(FileExistsError):
        sheaf.hash(path, parts[0], part=(2, PARTS), stream=STREAMS)
    with raises(sheaf.UsageError, "output: expected the name"):
        sheaf.merge([path, path])
    whole = parts[0].read_bytes()
    parts[0].write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with raises(sheaf.SheafError):
        sheaf.merge(parts)
