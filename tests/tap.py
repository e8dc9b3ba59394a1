# SPDX-License-Identifier: MIT
"""What the scripts of tests share: points of TAP, files of arrays, and the Python that has the modules."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

points = failures = 0


def point(ok, name, why=""):
    global points, failures
    points += 1
    failures += not ok
    print(f"{'ok' if ok else 'not ok'} {points} - {name}")
    for line in [] if ok else str(why).splitlines()[:20]:
        print(f"# {line}")


def skip(name, why="the data of real programs are not here"):
    global points
    points += 1
    print(f"ok {points} - {name} # SKIP {why}")


def end():
    """The plan; returns the exit status, for callers that do not read TAP."""
    print(f"1..{points}")
    return 1 if failures else 0


def npy(descr, shape, items, fortran=False):
    """An array file as NumPy writes it; longer headers are of version 2."""
    head = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    long = len(head) > 60000
    head += " " * (-(len(head) + 11 + 2 * long) % 64) + "\n"
    size = struct.pack("<I" if long else "<H", len(head))
    return b"\x93NUMPY" + bytes([1 + long, 0]) + size + head.encode() + items


def at_terminal(words, columns=None, **how):
    """The exit status, and what a program writes to a terminal of that width."""
    parent, child = pty.openpty()
    if columns:
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(words, **{"stdin": child, **how}, stdout=child, stderr=child)
    os.close(child)
    text = b""
    while True:
        try:
            some = os.read(parent, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not some:
            break
        text += some
    os.close(parent)
    return process.wait(120), text


def go_on_without(modules):
    """Debian's modules belong to Debian's Python: runs the script again with that, or skips all of it."""
    debian = "/usr/bin/python3"
    if sys.executable != debian and os.path.exists(debian):
        os.execv(debian, [debian, *sys.argv])
    print(f"1..0 # SKIP no {modules}")
    sys.exit(0)
