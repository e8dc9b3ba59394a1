#!/bin/sh
# SPDX-License-Identifier: MIT
# One task of a Slurm job array converts its part of a file:
#
#     sheaf index big.ctf
#     sbatch --wait --array=1-64 examples/job_array.sh big.ctf big.cbf
#     sheaf merge big.cbf.*.part big.cbf
#
# The merged file is the same as from a single run, byte for byte. Tasks of an array do not take shards by
# themselves:
# for training, each would call sheaf.batches(..., shard=(task - 1, count)).
#SBATCH --cpus-per-task=4
set -eu

task=$SLURM_ARRAY_TASK_ID count=$SLURM_ARRAY_TASK_COUNT
in=$1 out=$2
# A task that was killed makes its part again when it is rerun.
exec sheaf convert --force --part "$task/$count" --threads "${SLURM_CPUS_PER_TASK:-1}" "$in" "$out.$task.part"
