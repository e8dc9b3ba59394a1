# SPDX-License-Identifier: MIT
"""Minibatches: what the command gives, states, shards, packing, processes."""
import json
import multiprocessing
import os
import pickle
import random

import numpy as np
import sheaf
from common import command, raises, same

STREAMS = ["a:2:dense", "b:50:sparse"]
SIZE = {"size": 32, "seed": 3, "stream": STREAMS}


def many(folder, n=120):
    """Sequences of different lengths."""
    chosen, path = random.Random(4), folder / "many.ctf"
    with path.open("w") as file:
        for i in range(n):
            for _ in range(chosen.randint(1, 7)):
                file.write(f"{i} |a {i} {chosen.random():.3f} "
                           f"|b {chosen.randint(0, 24)}:1 {chosen.randint(25, 49)}:2\n")
    return path


def keys_of(loader):
    return [batch.row_keys.tolist() for batch in loader]


def test_as_the_command(tmp):
    path = many(tmp)
    for options in ({}, {"order": "cntk"}, {"order": "file", "size": "32sequences"}, {"bucket": True},
                    {"rest": "drop"}, {"epoch_size": "2sweeps"}, {"shard": "1/3"}, {"pad": 4},
                    {"pack": "rows"}):
        words = []
        for name, value in {"size": 32, **options}.items():
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
        lines = command("batches", path, "--json", "--seed", 3, "--stream", STREAMS[0],
                        "--stream", STREAMS[1], *words)
        wanted = [json.loads(line) for line in lines.splitlines()]
        found = list(sheaf.batches(path, **{**SIZE, **options}))
        same([b.row_keys.tolist() for b in found], [w["keys"] for w in wanted])
        same([list(b.position) for b in found], [w["position"] for w in wanted])
        same([(b.number, b.sweep, b.sweep_end, b.epoch_end) for b in found],
             [(w["batch"], w["sweep"], w["sweep_end"], w["epoch_end"]) for w in wanted])


def test_batches_have_their_rows(tmp):
    path = many(tmp)
    whole = sheaf.read(path, stream=STREAMS)
    offsets, values = whole["a"].offsets, whole["a"].values
    for batch in sheaf.batches(path, **SIZE):
        wanted = np.concatenate([values[offsets[k]:offsets[k + 1]] for k in batch.row_keys.tolist()])
        same(batch["a"].values, wanted)
        same(np.diff(batch["a"].offsets), batch.lengths.astype(np.int64))
        same(batch["a"].offsets[0], 0)
        sums = np.add.reduceat(batch["b"].values, batch["b"].entry_offsets[:-1])
        same(sums, np.full(batch.samples, 3.0))


def test_states_are_exact(tmp):
    path = many(tmp)
    loader = sheaf.batches(path, **SIZE, epochs=2)
    batches = list(loader)
    wanted = [b.row_keys.tolist() for b in batches]
    for k in range(0, len(batches), 5):
        text = json.dumps(batches[k].state)
        assert len(text) < 256, text
        again = sheaf.batches(path, **SIZE)
        again.load_state_dict(json.loads(text))
        found = keys_of(again)
        same(found, wanted[k + 1:k + 1 + len(found)])
        assert found


def test_state_after_each_batch(tmp):
    path = many(tmp)
    loader, states, keys = sheaf.batches(path, **SIZE), [], []
    for batch in loader:
        states.append(loader.state_dict())
        keys.append(batch.row_keys.tolist())
    again = sheaf.batches(path, **SIZE)
    again.load_state_dict(states[2])
    same(keys_of(again), keys[3:])
    # The epoch after begins at its beginning, and is another one.
    following = keys_of(again)
    same(len(sum(following, [])), 120)
    assert following != keys
    same(keys_of(loader), following)


def test_an_epoch_broken_off_begins_again(tmp):
    path = many(tmp)
    loader = sheaf.batches(path, **SIZE)
    first = [next(iter(loader)).row_keys.tolist() for _ in range(3)]
    same(first, first[:1] * 3)
    loader.set_epoch(1)
    assert next(iter(loader)).row_keys.tolist() != first[0]
    loader.set_epoch(0)
    same(next(iter(loader)).row_keys.tolist(), first[0])


def test_iterated_twice_before_the_first_batch(tmp):
    loader = sheaf.batches(many(tmp), **SIZE)
    batches = list(loader)
    again = sheaf.batches(tmp / "many.ctf", **SIZE)
    again.load_state_dict(batches[1].state)
    iter(again)
    same(next(iter(again)).row_keys.tolist(), batches[2].row_keys.tolist())


def test_what_is_open_serves_the_next_epoch(tmp):
    """A loader goes on with what it has in memory, and gives what a new one gives."""
    path = many(tmp)
    for options in ({}, {"order": "file"}, {"rest": "drop"}, {"window": 1}, {"pack": 2},
                    {"epoch_size": 90}):
        loader = sheaf.batches(path, **SIZE, **options)
        for epoch in (0, 1, 2, 1, 0):
            fresh = sheaf.batches(path, **SIZE, **options)
            for one in (loader, fresh):
                one.set_epoch(epoch)
            found, wanted = list(loader), list(fresh)
            same([(b.row_keys.tolist(), b.number, b.position, b.sweep, b.epoch_end, b.state) for b in found],
                 [(b.row_keys.tolist(), b.number, b.position, b.sweep, b.epoch_end, b.state) for b in wanted])
        loader.load_state_dict(found[0].state)
        same(keys_of(loader), [b.row_keys.tolist() for b in found[1:]])
    loader = sheaf.batches(path, **SIZE)
    wanted = keys_of(loader)
    other = pickle.loads(pickle.dumps(loader))  # goes on, too, with nothing open
    same(other._opened, None)
    same(keys_of(other), keys_of(loader))
    path.rename(tmp / "away.ctf")
    assert keys_of(loader) != wanted
    loader.close()
    with raises(FileNotFoundError):
        next(iter(loader))


def test_what_stays_in_memory_is_bounded(tmp):
    path = many(tmp, 100000)  # 13 MB
    limit = 16 << 20
    for options in ({}, {"order": "file", "keep_in_memory": True}):
        loader = sheaf.batches(path, **{**SIZE, "size": 512}, max_memory=limit, threads=2, **options)
        for _ in range(2):
            assert sum(batch.sequences for batch in loader) == 100000
            now, most = loader._opened.context.memory()
            assert 0 < now <= most <= limit, (options, now, most)
        loader.close()
        same(loader._opened, None)


def test_a_fork_between_epochs(tmp):
    """What is open is the parent's: the child opens its own, and both go on."""
    loader = sheaf.batches(many(tmp), **SIZE)
    list(loader)
    queue = multiprocessing.get_context("fork").Queue()
    child = multiprocessing.get_context("fork").Process(target=lambda: queue.put(keys_of(loader)))
    child.start()
    found = queue.get(timeout=60)
    child.join()
    same(child.exitcode, 0)
    same(keys_of(loader), found)


def test_shards_make_the_whole(tmp):
    path = many(tmp)
    whole = keys_of(sheaf.batches(path, **SIZE))
    for world in (2, 3):
        shards = [keys_of(sheaf.batches(path, **SIZE, rank=rank, world=world)) for rank in range(world)]
        for i, keys in enumerate(whole):
            same(sorted(sum((shard[i] for shard in shards), [])), sorted(keys))


def test_another_number_of_ranks(tmp):
    path = many(tmp)
    whole = [b.row_keys.tolist() for b in sheaf.batches(path, **SIZE)]
    state = list(sheaf.batches(path, **SIZE, rank=1, world=2))[3].state
    rest = []
    for rank in range(3):
        shard = sheaf.batches(path, **SIZE, rank=rank, world=3)
        shard.load_state_dict(state)
        rest.append(keys_of(shard))
    same([sorted(sum(parts, [])) for parts in zip(*rest)], [sorted(keys) for keys in whole[4:]])


def test_ranks_of_launchers(tmp):
    path = many(tmp)
    with raises(sheaf.UsageError, "rank: expected the rank that torchrun") as caught:
        sheaf.batches(path, rank="env")
    same(caught.error.option, "rank")
    with raises(sheaf.UsageError, "shard: expected the rank that torchrun") as caught:
        sheaf.batches(path, shard="env")
    same(caught.error.option, "shard")
    os.environ.update(RANK="1", WORLD_SIZE="2")
    try:
        loader = sheaf.batches(path, **SIZE, rank="env")
        same(loader.shard, (1, 2))
        assert "torchrun" in loader.note and "torchrun" in repr(loader)
        same(sheaf.batches(path).shard, (0, 1))
    finally:
        del os.environ["RANK"], os.environ["WORLD_SIZE"]
    os.environ.update(RANK="2", WORLD_SIZE="2")
    try:
        with raises(sheaf.UsageError, "below that in WORLD_SIZE"):
            sheaf.batches(path, rank="env")
        os.environ["RANK"] = "0"
        same(sheaf.batches(path, **SIZE, shard="env").shard, (0, 2))
        with raises(sheaf.UsageError, 'expected none with rank="env"'):
            sheaf.batches(path, rank="env", world=2)
    finally:
        del os.environ["RANK"], os.environ["WORLD_SIZE"]
    same(sheaf.batches(path, **SIZE, shard=(1, 3)).shard, (1, 3))
    for wrong in ({"rank": 2, "world": 2}, {"rank": 1}, {"shard": "3/2"},
                  {"shard": "0/2", "rank": 0, "world": 2}):
        with raises(sheaf.UsageError):
            sheaf.batches(path, **wrong)


def test_wrong_options(tmp):
    path = many(tmp)
    for wrong in ({"pack": "rows", "pad": 2}, {"mix": [1, 2]}, {"epochs": 0}, {"order": "none"},
                  {"join": True, "mix": [1, 2]}, {"mix": "\u00b2"}, {"epochs": ""}, {"epochs": 1 << 63},
                  {"size": 1 << 64}, {"window": "9223372036854775808samples"}, {"epoch_size": "\u0663"},
                  {"pack": 1 << 65}, {"pack": ""}, {"pad": 0}):
        with raises(sheaf.UsageError):
            sheaf.batches(path, **wrong)
    other = next(iter(sheaf.batches(path, size=16, stream=STREAMS))).state
    loader = sheaf.batches(path, **SIZE)
    loader.load_state_dict(other)
    with raises(sheaf.UsageError, "state"):
        next(iter(loader))
    with raises(sheaf.UsageError, "expected what state_dict() gives"):
        loader.load_state_dict([1])
    with raises(sheaf.UsageError, "epoch"):
        loader.load_state_dict({"x": 1})
    with raises(FileNotFoundError):
        sheaf.batches(str(tmp / "none-*.ctf"))


def test_several_files(tmp):
    path = many(tmp)
    (tmp / "list").write_text(f"# two\n{path}\n{path}\n")
    for sources in ([path, path], f"@{tmp / 'list'}"):
        same(len(sum(keys_of(sheaf.batches(sources, **SIZE)), [])), 240)
    same(len(sum(keys_of(sheaf.batches(str(tmp / "m*.ctf"), **SIZE)), [])), 120)
    same(sheaf.batches([path, path], **SIZE, mix=[3, 1]).facts()["sequences"], 240)


def test_packed(tmp):
    path = many(tmp)
    batch = next(iter(sheaf.batches(path, **SIZE, pad=4)))
    grid = batch.packed["a"]
    same(grid.width % 4, 0)
    same(grid.values.shape, (grid.rows, grid.width, 2))
    same(int(grid.mask.sum()), batch.samples)
    for sequence, row, begin, end in grid.placed:
        key = float(batch.row_keys[sequence])
        same(grid.values[row, begin:end, 0], np.full(end - begin, key, np.float32))
    same(grid.values[grid.mask == 0].sum(), 0.0)
    sparse = batch.packed["b"]
    same((len(sparse.values), len(sparse.indices), sparse.starts[-1]), (2 * batch.samples,) * 3)
    steps = next(iter(sheaf.batches(path, **SIZE, pack="rows"))).packed["a"]
    same(steps.values.shape, (steps.rows, steps.width, 2))
    assert steps.order == "steps"


def test_grid(tmp):
    """The rows of a packed batch are what the command writes, in every layout, and outlive the batches after
    it."""
    path = many(tmp)
    for name, options in (("pad", {"pad": 4}), ("pack", {"pack": "rows"}), ("cut", {"pack": 5})):
        words = [f"--{option}" + ("" if value is True else f"={value}") for option, value in options.items()]
        command("batches", "--size", "16", "--seed", "3", "--to", "npz", "-o", tmp / name, *words,
                *(word for stream in STREAMS for word in ("--stream", stream)), path)
        loader = sheaf.batches(path, **{**SIZE, "size": 16, "seed": 3, **options})
        for i, batch in enumerate(list(loader)):
            file = tmp / name / f"batch-{batch.position[0]:012}.npz"
            sheaf.write(tmp / "own.npz", batch, force=True)
            same(sheaf.hash(tmp / "own.npz", strict=True), sheaf.hash(file, strict=True))
            grid, packed = batch.grid(), batch.packed["a"]
            same(len(grid), packed.rows)
            same(grid["a"].values.reshape(packed.rows, packed.width, 2), packed.values)
            same(grid["a.mask"].values.reshape(packed.rows, packed.width), packed.mask)
            same("a.key" in grid, name != "pad")
            if name == "pad":
                same(grid.row_keys, batch.row_keys)
        assert i > 2


def test_no_grid(tmp):
    path = many(tmp)
    loader = sheaf.batches(path, **SIZE)
    batch = next(iter(loader))
    with raises(sheaf.UsageError, "expected one that is packed, found one with a frame"):
        batch.grid()
    loader = sheaf.batches(path, **SIZE, pad=1)
    batch = next(iter(loader))
    same(len(batch.grid()), batch.sequences)
    sheaf.write(tmp / "p.ctf", {"A": np.ones((2, 1), "f4"), "A.mask": np.ones((2, 1), "f4")})
    taken = next(iter(sheaf.batches(tmp / "p.ctf", size=2, pad=1)))
    with raises(sheaf.UsageError, "A.mask"):
        taken.grid()


def test_loaders_pickle(tmp):
    loader = sheaf.batches(many(tmp), **SIZE)
    wanted = keys_of(loader)
    fresh = sheaf.batches(tmp / "many.ctf", **SIZE)
    iterator = iter(fresh)
    next(iterator)
    same(keys_of(pickle.loads(pickle.dumps(fresh))), wanted[1:])


def _count(loader, queue):
    queue.put(keys_of(loader))


def test_fork_and_spawn(tmp):
    loader = sheaf.batches(many(tmp), **SIZE)
    wanted = keys_of(sheaf.batches(tmp / "many.ctf", **SIZE))
    next(iter(loader))  # open here before the fork
    loader.set_epoch(0)
    for method in ("fork", "spawn"):
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=_count, args=(loader, queue))
        process.start()
        same(queue.get(timeout=120), wanted)
        process.join()


def test_lengths(tmp):
    """len() is the number of batches of each iteration; if that differs, an error says so."""
    path = many(tmp, 60)
    for options in ({}, {"rest": "drop"}, {"epochs": 2}, {"rank": 1, "world": 2}, {"order": "file"}):
        loader = sheaf.batches(path, **{**SIZE, "size": (7, "sequences"), **options})
        same([len(loader)] * 2, [sum(1 for _ in loader) for _ in range(2)])
    for options in ({"size": 7}, {"size": (7, "sequences"), "bucket": True}):
        with raises(TypeError, 'size=(8, "sequences")'):
            len(sheaf.batches(path, **{**SIZE, **options}))
    assert list(sheaf.batches(path, **SIZE)) and sheaf.batches(path, **SIZE)


def test_names_of_others(tmp):
    for name, ours in (("batch_size", "size"), ("drop_last", 'rest="drop"'), ("shuffle", "order=")):
        with raises(TypeError, f'"{name}"; here it is {ours}'):
            sheaf.batches(many(tmp, 60), **{name: 1})
    with raises(TypeError, '"usecols"; here it is columns'):
        sheaf.read(many(tmp, 60), usecols=["a"])
