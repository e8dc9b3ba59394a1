# SPDX-License-Identifier: MIT
"""What is let go in whatever order: a collector of garbage ends the objects of a cycle as it comes to them.
Memory that is freed is overwritten at once there (MALLOC_PERTURB_), so that what is used after it shows."""
import os
import subprocess
import sys
from ctypes import c_void_p

import sheaf
from sheaf._context import Context, Handle
from common import same
from test_batches import STREAMS, many

SCRIPT = """
import gc, io, pathlib, sys
import numpy as np, sheaf

path, folder, streams = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
data = pathlib.Path(path).read_bytes()
sources = {"path": lambda: path, "bytes": lambda: data, "file": lambda: open(path, "rb"),
           "pipe": lambda: type("Pipe", (), {"read": io.BytesIO(data).read})()}


class Cycle:
    def __init__(self, *things):
        self.things, self.itself = things, self


def in_cycle(*things):
    Cycle(*things)


def collected():
    gc.collect()
    gc.collect()


def batches(source):
    loader = sheaf.batches(source, size=20, seed=3, stream=streams, chunk_bytes=300)
    iteration = iter(loader)
    first = next(iteration)
    in_cycle(iteration, loader, first)
    return first["a"].values, first.row_keys


def between_epochs(source):
    loader = sheaf.batches(source, size=20, seed=3, stream=streams, chunk_bytes=300)
    kept = [batch["a"].values for batch in loader]
    in_cycle(loader)
    return kept


def rows(source):
    frames = iter(sheaf.open(source, stream=streams))
    first = next(frames)
    in_cycle(frames, first)
    return [first["a"].values]


def partitions(source):
    parts = sheaf.partitions(source, 3, stream=streams)
    frames = iter(parts[0])
    first = next(frames)
    in_cycle(frames, parts, first)
    return [first["a"].values]


def arrow(source):
    dataset = sheaf.open(source, stream=streams)
    capsule = dataset.__arrow_c_stream__()
    in_cycle(dataset, capsule)
    table = sheaf.batches(source, size=20, stream=streams)
    in_cycle(table, table.__arrow_c_stream__())
    return []


def failed(source):
    try:
        sheaf.batches(source, size=20, stream=streams, join=True, mix=[1])
    except sheaf.SheafError as error:
        in_cycle(error)
    try:
        for batch in sheaf.batches(source, size=20, stream=["nothing:1:dense"]):
            pass
    except (sheaf.SheafError, ValueError) as error:
        in_cycle(error)
    return []


def merged(source):
    if source is not path:
        return []
    for function in sheaf.hash, sheaf.stats, sheaf.validate:
        names = [folder / f"{function.__name__}{i}" for i in (1, 2)]
        for i, name in enumerate(names):
            function(path, name, part=(i + 1, 2), stream=streams, force=True)
        whole = sheaf.merge(names)
        in_cycle(whole)
        names[1].write_bytes(names[1].read_bytes()[:-1])
        try:
            sheaf.merge(names)
        except sheaf.SheafError as error:
            in_cycle(error)
        else:
            raise AssertionError("expected a damaged part refused")
    return []


gc.disable()
for function in batches, between_epochs, rows, partitions, arrow, failed, merged:
    for name, source in sources.items():
        if name in ("file", "pipe") and function in (partitions, batches, between_epochs, arrow, failed):
            continue
        arrays = function(source())
        wanted = [array.copy() for array in arrays]
        collected()
        for array, copy in zip(arrays, wanted):
            np.testing.assert_array_equal(array, copy)
        del arrays
        collected()
"""


def test_what_is_needed_ends_last(tmp):
    """Whichever of the two is let go first."""
    ended: list[str] = []
    context = Context()
    parts = Handle(context, lambda _: ended.append("parts"))
    dataset = Handle(context, lambda _: ended.append("dataset"))
    parts.pointer, dataset.pointer = c_void_p(1), c_void_p(2)
    dataset.need(parts)
    parts.close()
    assert ended == [] and parts.pointer
    dataset.close()
    assert ended == ["dataset", "parts"]


def test_datasets_end_after_their_batches(tmp):
    path = many(tmp)
    other = sheaf.batches([path, path], size=20, stream=STREAMS, chunk_bytes=300)
    iteration = iter(other)
    first = next(iteration)
    opened = iteration._opened
    for dataset in opened.datasets:
        dataset.close()
    assert all(dataset.pointer for dataset in opened.datasets)
    assert first.sequences and next(iteration).sequences
    opened.handle.close()
    assert not any(dataset.pointer for dataset in opened.datasets)


def test_cycles(tmp):
    done = subprocess.run([sys.executable, "-c", SCRIPT, many(tmp), tmp, *STREAMS], capture_output=True,
                          text=True, check=False, env={**os.environ, "MALLOC_PERTURB_": "165"})
    same((done.returncode, done.stderr), (0, ""))
