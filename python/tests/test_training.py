# SPDX-License-Identifier: MIT
"""Training with real torch: killed at any batch and resumed, it gives the same losses to the last bit."""
import json
import os
import random
import signal
import subprocess
import sys

import numpy as np
import sheaf
from common import need, raises, same
from test_batches import SIZE, keys_of, many

MODEL = """
import json, os, sys
import torch, sheaf
path, log, rank, world, start, stop = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:7])
torch.manual_seed(1); torch.set_num_threads(1)
a, out = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
b = torch.nn.EmbeddingBag(50, 4, mode="sum", include_last_offset=True)
parameters = [*a.parameters(), *b.parameters(), *out.parameters()]
optimizer = torch.optim.SGD(parameters, 1e-4)
streams = ["a:2:dense", "b:50:sparse"]
loader = sheaf.batches(path, size=32, seed=3, stream=streams, epochs=2, rank=rank, world=world)
step = 0
if os.path.exists(log + ".pt"):
    saved = torch.load(log + ".pt")
    for p, q in zip(parameters, saved["parameters"]): p.data.copy_(q)
    loader.load_state_dict(saved["data"]); step = saved["step"]
for batch in loader.to_torch(layout="parts"):
    x, y = batch["a"]["values"], batch["b"]
    hidden = a(x / 100) + b(y["indices"].long(), y["entry_offsets"], per_sample_weights=y["values"])
    loss = (out(torch.tanh(hidden)) - x[:, :1] / 100).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step(); step += 1
    torch.save({"parameters": parameters, "data": batch.state, "step": step}, log + ".new")
    os.replace(log + ".new", log + ".pt")
    line = json.dumps([step, loss.item().hex(), batch.sequence_keys.tolist()])
    with open(log, "a") as f: f.write(line + "\\n")
    if step == stop: os.kill(os.getpid(), 9)
"""


def train(folder, name, path, stop=0):
    (folder / "model.py").write_text(MODEL)
    done = subprocess.run([sys.executable, "-W", "ignore", folder / "model.py", path, folder / name, "0", "1",
                           "0", str(stop)], capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def losses(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_killed_and_resumed(tmp):
    need("torch")
    path = many(tmp, 60)
    same(train(tmp, "whole", path), 0)
    whole = losses(tmp / "whole")
    stops = sorted(random.Random(2).sample(range(1, len(whole)), 3))
    for stop in stops:
        same(train(tmp, "parts", path, stop), -signal.SIGKILL)
    same(train(tmp, "parts", path), 0)
    same(losses(tmp / "parts"), whole)
    for epoch in (whole[:len(whole) // 2], whole[len(whole) // 2:]):
        same(sorted(sum((keys for _, _, keys in epoch), [])), list(range(60)))


def test_two_ranks_become_three(tmp):
    need("torch")
    path = many(tmp, 60)
    whole = [sorted(keys) for keys in keys_of(sheaf.batches(path, **SIZE))]
    found = []
    for world, steps in ((2, 3), (3, None)):
        state = found and states
        shards = [sheaf.batches(path, **SIZE, rank=rank, world=world).to_torch(layout="parts")
                  for rank in range(world)]
        for shard in shards if state else []:
            shard.load_state_dict(state)
        for i, batches in enumerate(zip(*shards)):
            found.append(sorted(sum((b.sequence_keys.tolist() for b in batches), [])))
            states = batches[0].state
            if steps and i + 1 == steps:
                break
    same(found, whole)


def test_loaders(tmp):
    torch = need("torch")
    path = many(tmp, 60)
    wanted = keys_of(sheaf.batches(path, **SIZE))
    loader = torch.utils.data.DataLoader

    def keys(batches):
        return [b.sequence_keys.tolist() for b in batches]

    same(keys(loader(sheaf.batches(path, **SIZE).to_torch(), batch_size=None)), wanted)
    same([b.row_keys.tolist() for b in loader(sheaf.batches(path, **SIZE), batch_size=None)], wanted)
    for workers, method in ((1, "fork"), (2, "fork"), (3, "fork"), (2, "spawn")):
        made = loader(sheaf.batches(path, **SIZE).to_torch("parts"), batch_size=None, num_workers=workers,
                      multiprocessing_context=method)
        same(keys(made), wanted)
    with raises(sheaf.UsageError, "to_torch"):
        list(loader(sheaf.batches(path, **SIZE), batch_size=None, num_workers=1))


def test_stateful_loaders(tmp):
    need("torch")
    stateful = need("torchdata.stateful_dataloader").StatefulDataLoader
    path = many(tmp, 60)
    wanted = keys_of(sheaf.batches(path, **SIZE))
    for workers in (0, 1, 2, 4):
        def made():
            return stateful(sheaf.batches(path, **SIZE).to_torch("parts"), batch_size=None,
                            num_workers=workers)  # noqa: B023

        first, iterator = made(), None
        iterator = iter(first)
        begun = [next(iterator).sequence_keys.tolist() for _ in range(3)]
        state = first.state_dict()
        assert len(json.dumps(state, default=str)) < 4000
        again = made()
        again.load_state_dict(state)
        same(begun + [b.sequence_keys.tolist() for b in again], wanted)
        del iterator


def test_lightning_and_accelerate_protocols(tmp):
    """What their checkpoints ask of a loader: both methods, and a fresh iterator after loading."""
    need("torch")
    path = many(tmp, 60)
    loader = sheaf.batches(path, **SIZE).to_torch()
    iterator = iter(loader)
    keys = [next(iterator).sequence_keys.tolist() for _ in range(2)]
    saved = json.loads(json.dumps(loader.state_dict()))
    again = sheaf.batches(path, **SIZE).to_torch()
    again.load_state_dict(saved)
    same(keys + [b.sequence_keys.tolist() for b in again], keys_of(sheaf.batches(path, **SIZE)))


def test_lightning(tmp):
    need("lightning")
    combined = need("lightning.pytorch.utilities.combined_loader").CombinedLoader
    path = many(tmp, 60)
    made = combined({"x": sheaf.batches(path, **SIZE).to_torch()}, "min_size")
    iterator = iter(made)
    for _ in range(2):
        next(iterator)
    states = made._state_dicts()
    again = combined({"x": sheaf.batches(path, **SIZE).to_torch()}, "min_size")
    again._load_state_dicts(states)
    rest = [batch["x"].sequence_keys.tolist() for batch, _, _ in iter(again)]
    same(rest, keys_of(sheaf.batches(path, **SIZE))[2:])


def test_pinning_copies_nothing_without_a_device(tmp):
    torch = need("torch")
    frame = sheaf.read(many(tmp, 60), stream=SIZE["stream"])
    made = frame.to_torch(layout="parts", pin_memory=True)
    assert torch.cuda.is_available() or made["a"]["values"].data_ptr() == frame[
        "a"].values.__array_interface__["data"][0]
    batch = next(iter(sheaf.batches(many(tmp, 60), **SIZE)))
    same(np.asarray(batch.pin_memory()["b"].to_dense()), batch["b"].to_scipy().toarray())


def test_tensors_of_a_batch_may_be_changed(tmp):
    """The next epoch has what is in the file, whatever training did to its batches."""
    torch = need("torch")
    path = many(tmp, 60)
    for changed in ({}, {"order": "file"}, {"keep_in_memory": True, "order": "file"}, {"pad": 1}):
        loader, sums = sheaf.batches(path, **{**SIZE, **changed}), []
        for _ in range(3):
            sums.append(0)
            for batch in loader:
                parts = batch.to_torch("parts")
                tensors = [parts["a"]["values"], parts["b"]["values"], parts["b"]["indices"]]
                if batch.packed is None:
                    made = batch.to_torch()
                    tensors += [made["a"].values(), made["b"].values(), torch.from_dlpack(batch["a"])]
                sums[-1] += sum(float(tensor.sum()) for tensor in tensors)
                for tensor in tensors:
                    tensor.zero_()
        np.testing.assert_allclose(sums, sums[0], rtol=1e-5)


def test_nothing_is_said_at_the_end_of_a_process(tmp):
    need("torch")
    code = """import sheaf, sys, torch
frame, loader = sheaf.read(sys.argv[1]), sheaf.batches(sys.argv[1])
kept = next(iter(loader)).to_torch()
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code, many(tmp, 60)], capture_output=True,
                          text=True, check=True)
    same([line for line in done.stderr.splitlines() if "is_fx_tracing" not in line], [])


