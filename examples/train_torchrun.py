#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model trained by several processes: each takes its share of every batch:

    torchrun --nproc-per-node 2 examples/train_torchrun.py train.ctf

The batches are the same for any number of processes. After each one the first process prints the keys of its
sequences, in the order in which one process would have them."""
import sys
from itertools import chain, zip_longest

import sheaf
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
torch.manual_seed(1)
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

loader = sheaf.batches(sys.argv[1], size="8sequences", seed=7, rank="env", stream="A:4:dense")
for batch in loader.to_torch(layout="parts"):
    samples = batch["A"]["values"]
    optimizer.zero_grad()
    # The gradient of an empty share is zero: all processes take part in every step.
    (model(samples) - 1).square().sum().backward()
    optimizer.step()

    shares = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object(batch.sequence_keys.tolist(), shares)
    if shares:  # sequence i of a batch is process i mod N's
        print(*[key for key in chain(*zip_longest(*shares)) if key is not None], flush=True)
dist.destroy_process_group()
