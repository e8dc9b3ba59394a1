#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Workers of Ray Train: each takes its share of every batch, in an order that does not depend on their
number:

    python3 examples/train_ray.py train.ctf 2

It prints the keys of the sequences of each batch, in the order in which one process would have them."""
import json
import sys
from itertools import chain, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

import ray.train
import sheaf
from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer


def train(config):
    worker = ray.train.get_context()
    rank, world = worker.get_world_rank(), worker.get_world_size()
    loader = sheaf.batches(config["file"], size="8sequences", seed=7, rank=rank, world=world,
                           stream="A:4:dense")
    keys = [batch.row_keys.tolist() for batch in loader]  # a step of training for each of them
    Path(config["folder"], f"{rank}.json").write_text(json.dumps(keys))


def main(file, workers):
    with TemporaryDirectory() as folder:
        trainer = DataParallelTrainer(train, train_loop_config={"file": file, "folder": folder},
                                      scaling_config=ray.train.ScalingConfig(num_workers=workers),
                                      run_config=ray.train.RunConfig(storage_path=folder))
        trainer.fit()
        shares = [json.loads(Path(folder, f"{rank}.json").read_text()) for rank in range(workers)]
    for batch in zip(*shares):  # sequence i of a batch is worker i mod N's
        print(*[key for key in chain(*zip_longest(*batch)) if key is not None])


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), int(sys.argv[2]))
