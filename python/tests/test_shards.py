# SPDX-License-Identifier: MIT
"""The examples for several processes, run with two of them: every sequence comes exactly once, in the order
of one process."""
import os
import subprocess
import sys
from pathlib import Path

import sheaf
from common import COMMAND, need, same

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def sequences(folder):
    path = folder / "train.ctf"
    path.write_text("".join(f"{i} |A {i % 7} 1 {i % 5} 0\n" for i in range(37)))
    return path


def run(*command, **environment):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=500,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def in_order(folder):
    return [batch.row_keys.tolist() for batch in sheaf.batches(
        sequences(folder), size="8sequences", seed=7, stream="A:4:dense")]


def numbers(text):
    """Of each line that has nothing else."""
    lines = [line.split() for line in text.splitlines()]
    return [[int(word) for word in line] for line in lines if line and all(word.isdigit() for word in line)]


def test_torchrun(tmp):
    need("torch")
    wanted = in_order(tmp)
    said = run(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2,
               EXAMPLES / "train_torchrun.py", tmp / "train.ctf", OMP_NUM_THREADS="1")
    same(numbers(said), wanted)
    same(sorted(sum(wanted, [])), list(range(37)))


def test_ray_train(tmp):
    need("ray")
    wanted = in_order(tmp)
    said = run(sys.executable, EXAMPLES / "train_ray.py", tmp / "train.ctf", 2)
    same(numbers(said), wanted)


def test_job_array(tmp):
    sequences(tmp)
    tools = tmp / "bin"
    tools.mkdir()
    (tools / "sheaf").symlink_to(os.path.abspath(COMMAND))
    path = f"{tools}:{os.environ['PATH']}"
    for task in range(1, 4):
        run(EXAMPLES / "job_array.sh", tmp / "train.ctf", tmp / "out.cbf", PATH=path,
            SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_COUNT="3")
    sheaf.merge(sorted(tmp.glob("out.cbf.*.part")), tmp / "out.cbf")
    sheaf.convert(tmp / "train.ctf", tmp / "serial.cbf")
    same((tmp / "out.cbf").read_bytes(), (tmp / "serial.cbf").read_bytes())
