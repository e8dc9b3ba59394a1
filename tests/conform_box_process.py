#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The HDF5 library in a process of its own: it is found, misbehaves, is left over, and works by itself.
Prints TAP."""

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from box_files import TOOL, has_libhdf5, listed_by_libhdf5, run, tool, values
from tap import end, point, skip


def installed(folder):
    """A copy of the program and of the one that has libhdf5 as they are installed, and without the second
    one."""
    if not has_libhdf5():
        skip("libhdf5 in a process of its own", "built without HDF5")
        return
    root = os.path.join(folder, "root")
    os.makedirs(os.path.join(root, "bin"))
    own = shutil.copy(TOOL, os.path.join(root, "bin"))
    path = os.path.join(folder, "ours0.h5")
    environment = {key: value for key, value in os.environ.items() if key != "SHEAF_MODULES"} | {
        "BOX_SYSTEM": "1"
    }
    code, _, err = run(own, "list", path, env=environment)
    point(
        code == 1 and err.startswith("unsupported") and "sheaf-hdf5), found that it is not installed" in err,
        "without the program for HDF5: named",
        err,
    )
    code, _, err = run(own, "list", path, env=environment | {"SHEAF_MODULES": "/nowhere"})
    point(
        code == 1 and "not in the folder that SHEAF_MODULES names, /nowhere (most files need no" in err,
        "not where the environment says: named",
        err,
    )
    code, _, err = run(
        own,
        "list",
        path,
        cwd=os.path.dirname(os.path.abspath(os.environ["SHEAF_MODULES"])),
        env=environment | {"SHEAF_MODULES": os.path.basename(os.path.abspath(os.environ["SHEAF_MODULES"]))},
    )
    point(code == 0, "in a folder relative to the working directory: found", err)
    beside = os.path.normpath(os.path.join(root, "bin", os.environ["BOX_LAYOUT"]))
    os.makedirs(beside)
    program = shutil.copy(os.path.join(os.environ["SHEAF_MODULES"], "sheaf-hdf5"), beside)
    code, _, err = run(own, "list", path, env=environment)
    point(code == 0, "as installed: found", err)
    code, _, err = run("sh", "-c", 'exec <&-; exec "$@"', "sh", own, "list", path, env=environment)
    point(code == 0, "where standard input is closed: read", err)
    with open(program, "wb") as file:
        file.write(b"no program")
    code, _, err = run(own, "list", path, env=environment)
    point(
        code == 1 and err.startswith("unsupported") and "which cannot be used" in err,
        "a damaged program: named",
        err,
    )


# Programs in place of ours: each begins with `say`, and with its greeting unless that is not
# what is wrong.
BAD_PROGRAM = r"""#!/usr/bin/env python3
import os, resource, signal, socket, struct, sys, time
s = socket.socket(fileno=0)
HELLO = 0x53480001
OPEN, ROWS, TEXTS, ATTRIBUTE, ITEM, BYTES, WANT, DONE, FAIL = range(HELLO + 1, HELLO + 10)

def say(word, data):
    s.sendall(struct.pack("<II", word, len(data)) + data)

def hear():
    word, size = struct.unpack("<II", s.recv(8, socket.MSG_WAITALL))
    return word, s.recv(size, socket.MSG_WAITALL)

def item(path=b"x", kind=1, type=9, storage=0, rank=1, dims=(3,), bytes=24, more=b"float64\0\0\0"):
    head = struct.pack("<5B3xq", kind, type, storage, rank, 0, bytes) + struct.pack(f"<{len(dims)}q", *dims)
    say(ITEM, head + path + b"\0" + more)

def attributes():
    word, _ = hear()
    while word == ATTRIBUTE:
        say(FAIL, struct.pack("<I", 1) + b"none")
        word, _ = hear()
    return word

"""
GREETING = "say(HELLO, struct.pack('<I', 1))\nhear()\n"
BAD = {
    "one that ends at once": ("sys.exit(3)", "gave up (exit status 3)"),
    "one that is killed": ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed (signal 11)"),
    "one that breaks down when it lists": (
        GREETING + "item()\nos.kill(os.getpid(), signal.SIGABRT)",
        "crashed (signal 6)",
    ),
    "one that breaks down when it reads": (
        GREETING + "item()\nsay(DONE, b'\\0')\nattributes()\nos.kill(os.getpid(), signal.SIGBUS)",
        "crashed (signal 7)",
    ),
    "one that says nothing": ("time.sleep(1000)", "does not answer for"),
    "one that says half": ("s.sendall(b'xyz')\ntime.sleep(1000)", "does not answer for"),
    "one that works for ever": (
        GREETING + "resource.setrlimit(resource.RLIMIT_CPU, (1, 1000))\nwhile True: pass",
        "takes more than",
    ),
    "one that closes its end and stays": (GREETING + "s.close()\ntime.sleep(1000)", "crashed (signal 9)"),
    "one of another version": ("say(HELLO, struct.pack('<I', 99))\nhear()", "found another"),
    "one that says something else": (
        "s.sendall(b'HTTP/1.1 200 OK\\r\\n' * 100)\nhear()",
        "found one that is too long",
    ),
    "a message that is too long": (
        GREETING + "s.sendall(struct.pack('<II', ITEM, 1 << 30))\nhear()",
        "found one that is too long",
    ),
    "a word that is none": (GREETING + "say(77, b'')\nhear()", "one that was not asked for"),
    "bytes instead of items": (GREETING + "say(BYTES, b'abc')\nhear()", "one that was not asked for"),
    "bytes after the end of the file": (
        GREETING + "say(WANT, struct.pack('<qqq', 0, 0, 1 << 40))\nhear()",
        "to ask for bytes of the file",
    ),
    "bytes before its begin": (
        GREETING + "say(WANT, struct.pack('<qqq', 0, -5, 5))\nhear()",
        "to ask for bytes of the file",
    ),
    "an item that is cut": (GREETING + "say(ITEM, b'ab')\nhear()", "an item that does not make sense"),
    "an item of no kind": (GREETING + "item(kind=200)\nhear()", "an item that does not make sense"),
    "an item of no type": (GREETING + "item(type=200)\nhear()", "an item that does not make sense"),
    "an item of too many dimensions": (
        GREETING + "item(rank=33, dims=(1,) * 33)\nhear()",
        "an item that does not make sense",
    ),
    "an item without a path": (GREETING + "item(path=b'')\nhear()", "an item that does not make sense"),
    "an item of a path without names": (
        GREETING + "item(path=b'a//b')\nhear()",
        "an item that does not make sense",
    ),
    "an item whose texts do not end": (
        GREETING + "item(more=b'float64')\nhear()",
        "an item that does not make sense",
    ),
    "too many values": (
        GREETING + "item()\nsay(DONE, b'\\0')\nattributes()\nsay(BYTES, bytes(25))\nhear()",
        "more values than were asked for",
    ),
    "too few values": (
        GREETING
        + "item()\nsay(DONE, b'\\0')\nattributes()\nsay(BYTES, bytes(20))\nsay(DONE, b'\\0')\nhear()",
        "fewer values than were asked for",
    ),
    "too few texts": (
        GREETING
        + "item(kind=4, type=0)\nsay(DONE, b'\\0')\nattributes()\nsay(BYTES, bytes(9))\nsay(DONE, b'\\0')\nhear()",
        "fewer texts than were asked for",
    ),
    "texts that are too long": (
        GREETING
        + "item(kind=4, type=0)\nsay(DONE, b'\\0')\nattributes()\nsay(BYTES, b'\\xff' * 20)\nsay(DONE, b'\\0')\nhear()",
        "fewer texts than were asked for",
    ),
    "more elements than there can be": (
        GREETING + "item(rank=2, dims=(1 << 62, 1 << 62))\nsay(DONE, b'\\0')\nattributes()\nhear()",
        "more elements than can be counted",
    ),
    "more elements than there is memory for": (
        GREETING + "item(dims=(1 << 60,))\nsay(DONE, b'\\0')\nattributes()\nhear()",
        "memory",
    ),
    "a refusal": (
        GREETING + "say(FAIL, struct.pack('<I', 0) + b'that it is of no use')\nhear()",
        "found that it is of no use",
    ),
    "a refusal without words": (GREETING + "say(FAIL, b'')\nhear()", "found that the HDF5 library failed"),
}


def misbehaving(folder):
    """Programs in place of ours that die, are silent or lie: each leads to a message, and the caller
    continues."""
    if not has_libhdf5():
        return
    path, programs = os.path.join(folder, "ours0.h5"), os.path.join(folder, "programs")
    os.makedirs(programs)
    for name, (body, want) in BAD.items():
        with open(os.path.join(programs, "sheaf-hdf5"), "w", encoding="utf-8") as file:
            file.write(BAD_PROGRAM + body + "\n")
        os.chmod(file.name, 0o755)
        found = listed_by_libhdf5(
            path, SHEAF_MODULES=programs, BOX_SECONDS="2" if "nothing" in want else "20"
        )
        text = (
            found
            if isinstance(found, str)
            else "".join(
                str(item.get("refused", "")) + str(item.get("unread", "")) + str(item.get("trouble", ""))
                for item in found.values()
            )
        )
        point(not text.startswith("exit") and want in text, f"in the place of libhdf5 {name}: said", found)


def left_over(folder):
    """Nothing of an answer that does not fit memory is taken for the answer to the next question."""
    if not has_libhdf5():
        return
    programs = os.path.join(folder, "programs")
    with open(os.path.join(programs, "sheaf-hdf5"), "w", encoding="utf-8") as file:
        file.write(
            BAD_PROGRAM
            + GREETING
            + "item()\nsay(DONE, b'\\0')\nhear()\nfor _ in range(40):\n    say(BYTES, b'a' * (1 << 20))\nsay(DONE, b'\\0')\n"
            "while True:\n    hear()\n    say(BYTES, bytes(24))\n    say(DONE, b'\\0')\n"
        )
    found = listed_by_libhdf5(
        os.path.join(folder, "ours0.h5"), SHEAF_MODULES=programs, BOX_MEMORY=str(16 << 20)
    )
    point(
        isinstance(found, dict)
        and "memory" in found[""]["trouble"]
        and "memory" in found["x"].get("trouble", "")
        and "memory" in found["x"].get("unread", ""),
        "an answer that does not fit memory: nothing after it is read",
        found,
    )
    with open(file.name, "w", encoding="utf-8") as file:
        file.write(BAD_PROGRAM + "sys.exit(3)\n")
    code, _, err = run(
        TOOL,
        "list",
        os.path.join(folder, "ours0.h5"),
        env=os.environ | {"BOX_SYSTEM": "1", "SHEAF_MODULES": programs},
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )
    point(
        code == 1 and "found that the library ended" in err,
        "where the caller ignores its children: said without a reason",
        err,
    )


def by_itself():
    """The program keeps none of the caller's descriptors, and ends with the caller."""
    if not has_libhdf5():
        return
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    high = min(4000, most[1] if most[1] != resource.RLIM_INFINITY else 4000) - 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (high + 1, most[1]))
    ours, its = socket.socketpair()
    with open(os.devnull, "rb") as file:
        others = [os.dup(file.fileno()), os.dup2(file.fileno(), high)]
    program = subprocess.Popen(
        [os.path.join(os.environ["SHEAF_MODULES"], "sheaf-hdf5")],
        stdin=its,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=others,
    )
    its.close()
    ours.settimeout(60)
    ours.recv(12, socket.MSG_WAITALL)
    opened = sorted(map(int, os.listdir(f"/proc/{program.pid}/fd")))
    point(
        opened == [0, 1, 2], f"the program for HDF5 has closed what the caller had open, up to {high}", opened
    )
    ours.close()
    point(program.wait(timeout=60) == 0, "it ends when the caller is gone")
    for fd in others:
        os.close(fd)
    resource.setrlimit(resource.RLIMIT_NOFILE, most)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-box.") as folder:
        tool("make", os.path.join(folder, "ours0.h5"), "0")
        installed(folder)
        misbehaving(folder)
        left_over(folder)
    by_itself()
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
