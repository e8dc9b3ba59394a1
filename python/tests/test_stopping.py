# SPDX-License-Identifier: MIT
"""Ctrl-C stops a call, whatever it waits for, and leaves nothing half-done."""
import os
import signal
import subprocess
import sys

import numpy as np
import sheaf
from common import same

PROGRAM = """
import signal, sys, sheaf
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background are made to ignore it
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("stopped", flush=True)
else:
    print("done", flush=True)
"""


def interrupted(call, folder, wait):
    """What a process says that is interrupted within a call."""
    with subprocess.Popen([sys.executable, "-c", PROGRAM.format(call=call)], cwd=folder,
                          stdout=subprocess.PIPE, text=True) as process:
        same(process.stdout.readline(), "ready\n")
        wait(process)
        process.send_signal(signal.SIGINT)
        return process.stdout.read()


def test_a_pipe_that_says_nothing(tmp):
    os.mkfifo(tmp / "pipe")
    writers = []

    def wait(process):
        writers.append(os.open(tmp / "pipe", os.O_WRONLY))  # returns when the call has opened it

    same(interrupted('sheaf.open("pipe", from_="ctf", stream=["a:1:dense"])', tmp, wait), "stopped\n")
    os.close(writers[0])


def test_a_long_conversion(tmp):
    np.save(tmp / "large.npy", np.random.default_rng(1).random((3000, 1000)))

    def wait(process):
        # The temporary stands beside the target as soon as there is something to write.
        while not [name for name in os.listdir(tmp) if name.startswith(".sheaf-")] and process.poll() is None:
            os.sched_yield()

    said = interrupted('sheaf.convert("large.npy", "large.csv")', tmp, wait)
    assert said in ("stopped\n", "done\n"), said
    same([name for name in os.listdir(tmp) if name.startswith(".sheaf-")], [])
    same((tmp / "large.csv").exists(), said == "done\n")


def test_other_threads_go_on(tmp):
    """On another thread a call is the thread's own."""
    import threading

    sheaf.write(tmp / "a.npy", np.ones(10))
    found = []
    thread = threading.Thread(target=lambda: found.append(len(sheaf.read(tmp / "a.npy"))))
    thread.start()
    thread.join()
    same(found, [10])
