#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boxes compared with other programs for them: h5py, h5dump, ncdump and netCDF's own copier read what
is written here, and what h5py writes is read here, or refused by name where it would lead out of the file.
Prints TAP."""

import gzip
import glob
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from tap import end, go_on_without, point, skip

try:
    import h5py
    import numpy
except ImportError:
    go_on_without("h5py")

TOOL = os.environ.get("BOX_TOOL", "build/tests/box_tool")
DATA = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "binsparse")


def run(*arguments, **more):
    p = subprocess.run(arguments, capture_output=True, timeout=120, check=False, **more)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def listed(path):
    """The items by their path, or the message of a refusal."""
    code, out, err = run(TOOL, "list", path)
    if code not in (0, 1) or (code == 1 and "expected" not in err):
        return f"exit {code}: {err}"
    return err if code else {item["path"]: item for item in map(json.loads, out.splitlines())}


def listed_by_libhdf5(path, **more):
    environment = os.environ | {"BOX_SYSTEM": "1"} | more
    code, out, err = run(TOOL, "list", path, env=environment)
    if code not in (0, 1) or (code == 1 and "expected" not in err):
        return f"exit {code}: {err}"
    return err if code else {item["path"]: item for item in map(json.loads, out.splitlines())}


def told(items):
    """Without messages, which name the file."""
    return (
        {
            path: {key: value for key, value in item.items() if key != "trouble"}
            for path, item in items.items()
        }
        if isinstance(items, dict)
        else items
    )


def tool(*arguments):
    code, out, err = run(TOOL, *arguments)
    return out if code == 0 else f"exit {code}: {err}"


# ---- what we write ----

TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
COUNTS = [0, 1, 1000, 70000]


def wanted(name, count):
    dtype = numpy.dtype(name)
    i = numpy.arange(count)
    return (
        i % 100
        if dtype.itemsize == 1
        else i % 10000
        if dtype.itemsize == 2
        else i / 4
        if dtype.kind == "f"
        else i * 3
    ).astype(dtype)


def check_made(path, group):
    wrong = []
    with h5py.File(path, "r") as file:
        for name in TYPES:
            for count in COUNTS:
                array = file[f"{group}/{name}_{count}"]
                if (
                    array.dtype != numpy.dtype(name)
                    or array.shape != (count,)
                    or not numpy.array_equal(array[()], wanted(name, count))
                ):
                    wrong.append((group, name, count, array.dtype, array.shape))
    return wrong


def noise():
    x, out = 1, []
    for _ in range(40000):
        x = (x * 6364136223846793005 + 1) % (1 << 64)
        out.append(float(x >> 11))
    return numpy.array(out)


def ours_for_others(folder):
    for suffix in "h5", "nc":
        for level in 0, 1, 9:
            path = os.path.join(folder, f"ours{level}.{suffix}")
            made = tool("make", path, str(level))
            point(made == "", f"{suffix}, level {level}: written", made)
            wrong = check_made(path, "/") + check_made(path, "/A/sub")
            point(not wrong, f"{suffix}, level {level}: h5py reads the same values", wrong)
            with h5py.File(path, "r") as file:
                texts = file.attrs["binsparse"], file["A/sub"].attrs["binsparse"]
                point(
                    numpy.array_equal(file["noise"][()], noise()),
                    f"{suffix}, level {level}: h5py reads noise",
                )
                array = file["float64_70000"]
                point(
                    texts == ('{"made":1}', "\xe4"), f"{suffix}, level {level}: h5py reads the texts", texts
                )
                storage = array.chunks, array.compression, array.shuffle
                point(
                    storage == ((2048,), "gzip", True) if level else storage == (None, None, False),
                    f"{suffix}, level {level}: stored as asked",
                    storage,
                )
            code, out, err = run("h5dump", "-H", path)
            point(code == 0 and "float64_70000" in out, f"{suffix}, level {level}: h5dump shows it", err)
            code, out, err = run("h5dump", "-d", "/A/sub/int32_1000", path)
            point(code == 0 and "2997" in out, f"{suffix}, level {level}: h5dump shows values", err)
            again = listed(path)
            point(
                isinstance(again, dict)
                and len(again) == 84
                and not any(item["refused"] for item in again.values()),
                f"{suffix}, level {level}: listed again",
                again,
            )


def ours_for_netcdf(folder):
    path = os.path.join(folder, "ours1.nc")
    code, out, err = run("ncdump", "-h", path)
    point(
        code == 0
        and "length_1000 = 1000 ;" in out
        and "double float64_70000(length_70000) ;" in out
        and "phony" not in out,
        "ncdump shows names of dimensions",
        out + err,
    )
    point("group: sub" in out and 'binsparse = "{\\"made\\":1}"' in out, "ncdump shows groups and texts", out)
    code, out, err = run("ncdump", "-v", "int16_1000", path)
    point(code == 0 and "997, 998, 999 ;" in out, "ncdump shows values", err)
    copy = os.path.join(folder, "copy.nc")
    code, out, err = run("nccopy", "-k", "nc4", path, copy)
    point(code == 0, "nccopy copies it", err)
    wrong = code == 0 and check_made(copy, "/") + check_made(copy, "/A/sub")
    point(not wrong, "the copy holds the same", wrong)
    items = listed(copy)
    point(
        isinstance(items, dict) and "float64_1000" in items and not any("length" in name for name in items),
        "the copy is read here",
        items,
    )


def into_what_is_there(folder):
    path = os.path.join(folder, "there.h5")
    with h5py.File(path, "w") as file:
        file.attrs["mine"] = numpy.arange(3)
        file.attrs["binsparse"] = numpy.bytes_("old")
        file["keep/x"] = numpy.arange(5.0)
        file["keep/x"].attrs["unit"] = "m"
        file["float64_70000"] = numpy.arange(7)
        file["A/sub/other"] = ["a", "bc"]
        file["A/sub/virtual"] = h5py.SoftLink("/keep/x")
        file.create_dataset("lzf", data=numpy.arange(100), compression="lzf")
    os.chmod(path, 0o640)
    made = tool("into", path, "3")
    wrong = made == "" and check_made(path, "/") + check_made(path, "/A/sub")
    point(made == "" and not wrong, "written into a file that was there", made or wrong)
    with h5py.File(path, "r") as file:
        kept = (
            list(file.attrs["mine"]) == [0, 1, 2]
            and list(file["keep/x"][()]) == [0, 1, 2, 3, 4]
            and file["keep/x"].attrs["unit"] == "m"
            and list(file["A/sub/other"].asstr()[()]) == ["a", "bc"]
            and file.attrs["binsparse"] == '{"made":1}'
            and isinstance(file["A/sub"].get("virtual", getlink=True), h5py.SoftLink)
            and list(file["lzf"][:3]) == [0, 1, 2]
        )
        point(kept, "all else is as it was", list(file.attrs.items()))
    point(os.stat(path).st_mode & 0o777 == 0o640, "its mode is as it was")
    if shutil.which("ncgen") is None:
        return
    path = os.path.join(folder, "there.nc")
    text = (
        "netcdf t { dimensions: n = 3 ; m = unlimited ; "
        "variables: int n(n) ; float v(m, n) ; int float64_1000(n) ; data: n = 1,2,3 ; v = 1,2,3,4,5,6 ; "
        "group: g { dimensions: k = 2 ; variables: int w(k) ; data: w = 8, 9 ; } }"
    )
    code, _, err = run("ncgen", "-k", "nc4", "-o", path, "-", input=text.encode())
    point(code == 0, "netCDF makes a file", err)
    made = tool("into", path, "1")
    wrong = made == "" and check_made(path, "/") + check_made(path, "/A/sub")
    point(made == "" and not wrong, "written into a netCDF file that was there", made or wrong)
    code, out, err = run("ncdump", path)
    wants = [
        "n = 1, 2, 3 ;",
        "1, 2, 3,\n  4, 5, 6 ;",
        "w = 8, 9 ;",
        "double float64_1000(length_1000) ;",
        "int w(k) ;",
        "float v(m, n) ;",
    ]
    point(
        code == 0 and all(want in out for want in wants),
        "ncdump shows the old and the new",
        err + str([want for want in wants if want not in out]),
    )
    code, out, err = run("h5dump", "-H", path)
    point(code == 0, "h5dump shows them, too", err)


def killed(folder):
    path = os.path.join(folder, "killed.h5")
    with h5py.File(path, "w") as file:
        file["old"] = numpy.arange(10)
    with open(path, "rb") as file:
        before = file.read()
    process = subprocess.Popen([TOOL, "slow", path, str(4 << 20)], stdout=subprocess.PIPE)
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open(path, "rb") as file:
        point(file.read() == before, "a writer that is killed leaves the old file")
    point(len(glob.glob(os.path.join(folder, ".sheaf-*"))) == 1, "and a temporary one")
    made = tool("into", path)
    point(made == "" and not glob.glob(os.path.join(folder, ".sheaf-*")), "which the next one clears", made)
    process = subprocess.Popen([TOOL, "slow", path, "4096"], stdout=subprocess.PIPE)
    process.stdout.readline()
    with h5py.File(path, "a") as file:
        file["meanwhile"] = 1
    process.kill()
    process.wait()


# ---- libhdf5 in a process of its own ----


def has_libhdf5():
    return os.path.exists(os.path.join(os.environ.get("SHEAF_MODULES", ""), "sheaf-hdf5"))


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


def same_as_libhdf5(items, path):
    """What libhdf5 reads, compared with what we read: except for names of types, and LZF, which it does not have."""
    other = listed_by_libhdf5(path)
    if not isinstance(items, dict) or not isinstance(other, dict):
        return [("", items, other)]
    keys = "group", "rank", "count", "type", "values", "storage", "text"
    differ = [
        key
        for key in items
        if key not in other
        or (
            "lzf" not in items[key].get("filters", "")
            and not items[key]["refused"]
            and any(items[key].get(k) != other[key].get(k) for k in keys)
        )
    ]
    return [(key, items[key], other.get(key)) for key in differ] + [
        (key, None, other[key]) for key in other if key not in items
    ]


# ---- what others write ----


def values(items, path):
    return [float(v) for v in items[path]["values"]]


HALVES = [
    0,
    -0.0,
    1,
    -2.5,
    65504,
    2.0**-14,
    2.0**-24,
    -3 * 2.0**-24,
    1023 * 2.0**-24,
    float("inf"),
    float("-inf"),
    0.333251953125,
]
ODD = [0, 1, -1, 2047, -2048, -524288, 524287]


def odd(file):
    """Integers of 20 bits, in three bytes in both orders; and floats of an unusual format."""
    for name, signed in ("odd_integer", True), ("odd_unsigned", False):
        kind = (h5py.h5t.STD_I32BE if signed else h5py.h5t.STD_U32LE).copy()
        kind.set_precision(20)
        kind.set_offset(2)
        kind.set_size(3)
        x = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((len(ODD),)))
        x.write(
            h5py.h5s.ALL,
            h5py.h5s.ALL,
            numpy.array([v if signed else v & 0xFFFFF for v in ODD], "i4" if signed else "u4"),
        )
    kind = h5py.h5t.IEEE_F32LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_precision(16)
    kind.set_size(2)
    x = h5py.h5d.create(file.id, b"brain", kind, h5py.h5s.create_simple((3,)))
    x.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([1, -2.5, 0.0078125], "f4"))


def readable(folder):
    for latest in False, True:
        name = "latest" if latest else "earliest"
        path = os.path.join(folder, name + ".h5")
        with h5py.File(
            path, "w", libver="latest" if latest else "earliest", userblock_size=512 if latest else 0
        ) as file:
            file["big"] = numpy.arange(100, dtype=">i4")
            file.create_dataset(
                "big_packed",
                data=numpy.arange(1000, dtype=">f8"),
                chunks=(100,),
                compression="gzip",
                shuffle=True,
            )
            file["bool"] = numpy.array([True, False, True])
            file["complex"] = numpy.array([1 + 2j, 3 - 4j])
            file.create_dataset(
                "complex_packed",
                data=numpy.arange(100) * (1 + 2j),
                chunks=(30,),
                compression="gzip",
                shuffle=True,
            )
            file["pairs"] = numpy.arange(10.0).reshape(5, 2)
            file.create_dataset(
                "grid", data=numpy.arange(3000).reshape(30, 100), chunks=(7, 9), compression=4
            )
            file.create_dataset(
                "cube",
                data=numpy.arange(1000, dtype=">i2").reshape(5, 20, 10),
                chunks=(2, 7, 3),
                compression=1,
                shuffle=True,
                fletcher32=True,
            )
            file.create_dataset("grid_never", shape=(20, 20), dtype="i4", chunks=(7, 6), fillvalue=3)
            file["grid_never"][8, 9] = 4
            file.create_dataset(
                "names", data=numpy.array([b"abc", b"d", b""] * 50), chunks=(20,), compression=1
            )
            file.create_dataset(
                "words", data=["x", "yz"] * 40, dtype=h5py.string_dtype(), chunks=(30,), compression=1
            )
            file.create_dataset(
                "checked",
                data=numpy.arange(5000, dtype="u2"),
                chunks=(999,),
                fletcher32=True,
                shuffle=True,
                compression=1,
            )
            file.create_dataset("summed", data=numpy.arange(777, dtype="u1"), chunks=(100,), fletcher32=True)
            file.create_dataset(
                "packed_fast",
                data=numpy.arange(5000, dtype="u2"),
                chunks=(999,),
                compression="lzf",
                shuffle=True,
                fletcher32=True,
            )
            file["type"] = numpy.dtype("f8")
            file.create_dataset("of_type", data=numpy.arange(3), dtype=file["type"])
            file.create_dataset("growing", data=numpy.arange(1000.0), maxshape=(None,), chunks=(64,))
            file["half"] = numpy.array(HALVES, dtype="f2")
            file.create_dataset(
                "half_packed",
                data=numpy.array(HALVES * 50, dtype=">f2").reshape(50, -1),
                chunks=(7, 3),
                compression=1,
                shuffle=True,
            )
            file["enumeration"] = numpy.array(
                [1, 0, 1], dtype=h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1")
            )
            odd(file)
            file["scalar"] = numpy.float32(2.5)
            file["null"] = h5py.Empty("f8")
            file["fixed"] = numpy.array([b"abc", b"d", b""])
            file["variable"] = ["x\xe4", "", "yz"]
            file.create_dataset("never", shape=(10,), dtype="i2", fillvalue=7)
            file.create_dataset(
                "never_packed", shape=(1000,), dtype="f4", chunks=(100,), compression="gzip", fillvalue=1.5
            )
            file["never_packed"][250:260] = 2
            file["link"] = h5py.SoftLink("big")
            file["A/sub/link"] = h5py.SoftLink("/./A//sub/../nothing")
            file["A/again"] = file["pairs"]
            file["A/round"] = file["A"]
            file.attrs["binsparse"] = numpy.array(["one"], dtype=h5py.string_dtype())
            file["A"].attrs["binsparse"] = numpy.bytes_("fixed")
            file["A/sub"].attrs["binsparse"] = ["one", "two"]
            file["bool"].attrs["binsparse"] = 5
            bits = h5py.h5d.create(file.id, b"bits", h5py.h5t.STD_B8LE, h5py.h5s.create_simple((3,)))
            bits.write(
                h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([1, 0, 1], dtype="u1"), mtype=h5py.h5t.STD_B8LE
            )
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_layout(h5py.h5d.COMPACT)
            compact = h5py.h5d.create(
                file.id, b"compact", h5py.h5t.STD_I16BE, h5py.h5s.create_simple((4,)), creation
            )
            compact.write(h5py.h5s.ALL, h5py.h5s.ALL, numpy.array([1, 2, -3, 4], dtype="i2"))
        items = listed(path)
        if not isinstance(items, dict):
            point(False, f"{name}: read", items)
            continue
        wants = {
            "big": range(100),
            "big_packed": range(1000),
            "bool": [1, 0, 1],
            "complex": [1, 2, 3, -4],
            "pairs": range(10),
            "A/again": range(10),
            "grid": range(3000),
            "cube": range(1000),
            "grid_never": [3] * 169 + [4] + [3] * 230,
            "complex_packed": [v for i in range(100) for v in (i, 2 * i)],
            "checked": range(5000),
            "half": HALVES,
            "half_packed": HALVES * 50,
            "enumeration": [1, 0, 1],
            "odd_integer": ODD,
            "odd_unsigned": [v & 0xFFFFF for v in ODD],
            "brain": [1, -2.5, 0.0078125],
            "packed_fast": range(5000),
            "of_type": range(3),
            "summed": [i % 256 for i in range(777)],
            "growing": range(1000),
            "scalar": [2.5],
            "null": [],
            "never": [7] * 10,
            "never_packed": [1.5] * 250 + [2] * 10 + [1.5] * 740,
            "link": range(100),
            "bits": [1, 0, 1],
            "compact": [1, 2, -3, 4],
        }
        for key in "half", "half_packed":
            wants[key] = [float(str(numpy.float32(v))) for v in wants[key]]
        wrong = [
            (key, items.get(key))
            for key, want in wants.items()
            if key not in items or "values" not in items[key] or values(items, key) != list(map(float, want))
        ]
        point(not wrong, f"{name}: all values", wrong)
        point(
            items["names"]["values"] == ["abc", "d", ""] * 50
            and items["words"]["values"] == ["x", "yz"] * 40,
            f"{name}: packed texts",
            (items["names"], items["words"]),
        )
        point(
            items["fixed"]["values"] == ["abc", "d", ""]
            and items["variable"]["values"] == ["x\xe4", "", "yz"],
            f"{name}: texts",
            (items["fixed"], items["variable"]),
        )
        point(
            [items[key]["of"] for key in ("big", "bool", "complex", "bits", "compact")]
            == ["big-endian int32", "bool", "complex float64", "bits", "big-endian int16"],
            f"{name}: names of types",
            items,
        )
        point(
            items[""]["text"] == "one"
            and items["A"]["text"] == "fixed"
            and "several" in items["A/sub"]["trouble"]
            and "another type" in items["bool"]["trouble"],
            f"{name}: attributes",
            (items[""], items["A"], items["A/sub"], items["bool"]),
        )
        point(
            items["A/sub/link"]["refused"] == "a link to nothing in this file"
            and "second name" in items["A/round"]["refused"],
            f"{name}: links",
            items["A/sub/link"],
        )
        if has_libhdf5():
            differ = same_as_libhdf5(items, path)
            point(not differ, f"{name}: libhdf5 reads the same", differ[:3])
        packed = path + ".gz"
        with open(path, "rb") as file, gzip.open(packed, "wb") as to:
            to.write(file.read())
        point(told(listed(packed)) == told(items), f"{name}: the same through gzip")
        code, out, err = run("sh", "-c", 'cat "$1" | "$2" list /dev/stdin', "sh", path, TOOL)
        point(
            code == 0
            and told({item["path"]: item for item in map(json.loads, out.splitlines())}) == told(items),
            f"{name}: the same through a pipe",
            err,
        )


def refused(folder):
    path = os.path.join(folder, "refused.h5")
    other = os.path.join(folder, "other.h5")
    raw = os.path.join(folder, "raw.bin")
    numpy.arange(1000.0).tofile(raw)
    with h5py.File(other, "w") as file:
        file["x"] = numpy.arange(10.0)
    with h5py.File(path, "w") as file:
        file["external"] = h5py.ExternalLink(other, "/x")
        file["through"] = h5py.SoftLink("/external")
        file.create_dataset("elsewhere", shape=(1000,), dtype="f8", external=[(raw, 0, 8000)])
        layout = h5py.VirtualLayout(shape=(10,), dtype="f8")
        layout[:] = h5py.VirtualSource(other, "x", shape=(10,))
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("scaled", data=numpy.arange(1000), scaleoffset=0)
        file["type"] = numpy.dtype("f8")
        file["half"] = numpy.arange(3, dtype="f2")
        file["compound"] = numpy.zeros(3, dtype=[("a", "i4"), ("b", "f8")])
        file.create_dataset("array", shape=(3,), dtype=numpy.dtype("(2,)i4"))
        file["enumeration"] = numpy.zeros(3, dtype=h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1"))
        file["opaque"] = numpy.zeros(3, dtype="V5")
        file["reference"] = numpy.array([file["half"].ref], dtype=h5py.ref_dtype)
        file.create_dataset("huge", shape=(1 << 50,), dtype="f8", chunks=(1 << 20,))
        file.create_dataset("huger", shape=(1 << 40, 1 << 40), dtype="f8", chunks=(1 << 10, 1 << 10))
        file["circle"] = h5py.SoftLink("circle")
        group = file
        for _ in range(40):
            group = group.create_group("g")
        file["sound"] = numpy.arange(3)
    items = listed(path)
    if not isinstance(items, dict):
        point(False, "a file of what is refused is listed", items)
        return
    wants = {
        "external": "a link to another file (`h5repack` can merge",
        "through": "a link to /external",
        "elsewhere": "values in another file (`h5repack -l CONTI` ",
        "virtual": "virtual dataset",
        "scaled": "a filter that is not one of ours",
        "type": "a type by itself",
        "array": "array",
        "opaque": "opaque",
        "reference": "reference",
        "huge": "more elements than a file of this size",
        "huger": "more elements than",
        "circle": "a link to",
        "/".join("g" * 32): "a group nested too deeply",
    }
    for key, want in wants.items():
        point(key in items and want in (items[key]["refused"] or ""), f"refused: {key[:20]}", items.get(key))
    point(values(items, "sound") == [0, 1, 2], "what is sound beside them is read")
    if has_libhdf5():
        other = listed_by_libhdf5(path)
        own = (
            "external",
            "elsewhere",
            "virtual",
            "type",
            "array",
            "opaque",
            "reference",
            "circle",
            "/".join("g" * 32),
        )
        wrong = (
            other
            if isinstance(other, str)
            else [(key, other[key]) for key in own if wants[key] not in (other[key]["refused"] or "")]
        )
        point(not wrong, "refused where libhdf5 reads, too", wrong)
        point(
            isinstance(other, dict) and values(other, "scaled") == list(range(1000)),
            "a filter that only libhdf5 has: read by it",
        )
    made = tool("into", path)
    point(made == "", "and written", made)
    with h5py.File(path, "r") as file:
        point(
            isinstance(file.get("external", getlink=True), h5py.ExternalLink) and file["virtual"].is_virtual,
            "links and virtual datasets stay as they are",
        )


def damaged(folder):
    """Changed bytes in sound files: never a crash, and never other values without a message if there are
    checksums."""
    path = os.path.join(folder, "sum.h5")
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=numpy.arange(1000.0), chunks=(1000,), fletcher32=True)
        at = file["x"].id.get_chunk_info(0).byte_offset
    with open(path, "rb") as file:
        sound = file.read()
    with open(path, "wb") as file:
        file.write(sound[: at + 100] + b"\xff" + sound[at + 101 :])
    items = listed(path)
    point(
        isinstance(items, dict) and "checksum" in items["x"].get("unread", ""),
        "a wrong checksum is named",
        items,
    )
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=numpy.arange(1000.0), chunks=(1000,), compression="gzip")
        at = file["x"].id.get_chunk_info(0).byte_offset
    with open(path, "rb") as file:
        sound = file.read()
    with open(path, "wb") as file:
        file.write(sound[: at + 100] + b"\xff\xff\xff" + sound[at + 103 :])
    items = listed(path)
    point(
        isinstance(items, dict) and "damaged" in items["x"].get("unread", ""),
        "a damaged chunk is named",
        items,
    )
    for change in (0, 1), (0, -1), (1, 4), (2, 1), (3, 255):
        with h5py.File(path, "w", libver="earliest") as file:
            file.create_dataset("x", data=numpy.arange(10, dtype="i4"), chunks=(4,))
            file.create_dataset("grid", data=numpy.arange(12, dtype="i4").reshape(3, 4), chunks=(2, 3))
        with open(path, "rb") as file:
            plain = file.read()
        for name, size in ("x", 16), ("grid", 24):
            key = plain.index(bytes([size, 0, 0, 0]) + bytes(20), plain.index(b"TREE\1"))
            items = changed(path, plain, (key + change[0], (size if change[0] == 0 else 0) + change[1] & 255))
            reason = (
                items if isinstance(items, str) else items[name]["refused"] or items[name].get("unread", "")
            )
            point(
                "that their layout says" in reason or "a chunk within the file" in reason,
                f"a chunk of {name} whose entry says another size (byte {change[0]}): refused",
                reason,
            )
    for cut in 0, 7, 8, 95, 96, len(sound) // 2, len(sound) - 1:
        with open(path, "wb") as file:
            file.write(sound[:cut])
        found = listed(path)
        point(
            isinstance(found, str) and not found.startswith("exit") and path in found,
            f"cut to {cut} bytes: refused",
            found,
        )
    for at, byte, want in (
        (8, 9, "version"),
        (13, 3, "4 or 8"),
        (24, 1, "base address"),
        (40, 255, "bytes, found"),
    ):
        with open(path, "wb") as file:
            file.write(sound[:at] + bytes([byte]) + sound[at + 1 :])
        found = listed(path)
        point(
            isinstance(found, str) and want in found and f"byte {at}" in found,
            f"byte {at} damaged: named",
            found,
        )
    with open(path, "wb") as file:
        file.write(b"CDF\x01" + bytes(1000))
    found = listed(path)
    point(not isinstance(found, str), "classic netCDF: read, with nothing in it", found)
    with open(path, "wb") as file:
        file.write(b"no box at all" * 1000)
    found = listed(path)
    point(isinstance(found, str) and found.startswith("unknown"), "something else: unknown", found)


def changed(path, sound, *changes):
    """What is listed of the file with other bytes in it."""
    for at, byte in changes:
        sound = sound[:at] + bytes([byte]) + sound[at + 1 :]
    with open(path, "wb") as file:
        file.write(sound)
    return listed(path)


def damaged_headers(folder):
    """Headers of objects that would break the HDF5 library: the object is listed with the reason and the
    byte, and what is beside it is read."""
    path = os.path.join(folder, "header.h5")
    with h5py.File(path, "w", libver="earliest") as file:
        file.create_dataset(
            "x", data=numpy.arange(1000.0), chunks=(500,), compression="gzip", shuffle=True, fillvalue=7.0
        )
        file["beside"] = numpy.arange(3)
        file["bools"] = numpy.zeros(3, bool)
        file["bools"].attrs["a"] = numpy.frombuffer(b"a text here", numpy.uint8)
    with open(path, "rb") as file:
        sound = file.read()
    kind = sound.index(bytes([0x18, 2, 0, 0, 1, 0, 0, 0]))
    text = sound.index(b"a text here")
    attribute = sound.index(bytes([1, 0, 2, 0, 12, 0]))
    layout = sound.index(bytes([8, 0, 24, 0, 0, 0, 0, 0, 3, 2, 2])) + 8
    space = sound.index(bytes([1, 0, 24, 0, 0, 0, 0, 0, 1, 1, 1])) + 8
    filters = sound.index(bytes([11, 0, 56, 0, 1, 0, 0, 0, 1, 2])) + 8
    fill = sound.index(bytes([5, 0, 16, 0, 1, 0, 0, 0])) + 8
    header = space - 24
    cases = {
        "a layout of another version": ([(layout, 1)], layout + 16, "hold something"),
        "a layout of no version": ([(layout, 0)], layout, "version"),
        "a layout of another class": ([(layout + 1, 7)], layout + 1, "class"),
        "chunks of no dimensions": ([(layout + 2, 1)], layout + 2, "dimensions"),
        "chunks of many dimensions": ([(layout + 2, 200)], layout + 2, "dimensions"),
        "more dimensions than fit": ([(layout + 2, 9)], None, "expected"),
        "chunks of nothing": ([(layout + 11, 0), (layout + 12, 0)], layout + 11, "hold something"),
        "chunks of too much": ([(layout + 14, 255)], layout + 15, "4 GiB"),
        "a space of another version": ([(space, 3)], space, "version"),
        "a space of more dimensions": ([(space + 1, 2)], None, "expected"),
        "a space of too many dimensions": ([(space + 1, 33)], space + 1, "dimensions"),
        "a space of no dimensions": ([(space + 1, 0)], None, "as many dimensions"),
        "filters of another version": ([(filters, 3)], filters, "version"),
        "too many filters": ([(filters + 1, 33)], filters + 1, "32 filters"),
        "a filter with a long name": ([(filters + 11, 255)], None, "name of a filter"),
        "a filter with many parameters": ([(filters + 15, 255)], None, "parameters"),
        "a fill value of another version": ([(fill, 9)], fill, "version"),
        "a fill value beyond its message": ([(fill + 5, 9)], None, "fill value"),
        "a message shared in no table": ([(space - 4, 2), (space, 3), (space + 1, 1)], space, "table"),
        "a message beyond its header": ([(space - 5, 99)], None, "a message within its header"),
        "values that lie as far apart as nothing": ([(kind + 12, 2)], kind + 8, "as wide as"),
        "an enumeration of many names": ([(kind + 2, 1)], None, "name that ends"),
        "an attribute of another version": ([(attribute, 4)], attribute, "version"),
        "a type of no version": ([(kind, 8)], kind, "version"),
        "a header of another version": ([(header, 7)], header, "version 1, or OHDR"),
    }
    for name, (changes, at, want) in cases.items():
        items = changed(path, sound, *changes)
        reason = (
            (items["x"]["refused"] or items["bools"]["refused"] or "") if isinstance(items, dict) else items
        )
        point(
            ("damaged" in reason or "not read here" in reason)
            and want in reason
            and (at is None or f"byte {at})" in reason),
            f"{name}: refused",
            reason,
        )
        point(values(items, "beside") == [0, 1, 2], f"{name}: the other array is read", items)
        if has_libhdf5():
            other = listed_by_libhdf5(path)
            point(
                isinstance(other, dict) or (not other.startswith("exit") and path in other),
                f"{name}: whatever becomes of libhdf5, it is said",
                other,
            )


def sound_headers(folder):
    """Headers of all kinds: nothing in them is mistaken for damage."""
    path = os.path.join(folder, "sound.h5")
    for version in "earliest", "v108", "latest":
        for block in 0, 512:
            with h5py.File(path, "w", libver=version, userblock_size=block) as file:
                for i in range(40):
                    file.attrs[f"attribute {i}"] = "x" * i
                for shape, most, chunks in (
                    ((6, 6), (6, 6), None),
                    ((6, 6), (6, 6), (6, 6)),
                    ((6, 6), (9, 9), (2, 2)),
                    ((6, 6), (None, 6), (2, 2)),
                    ((6, 6), (None, None), (2, 3)),
                ):
                    for kind in "f8", "S5", h5py.string_dtype(), numpy.dtype([("a", "i4"), ("b", "f8")]):
                        for filters in (
                            {},
                            {"compression": "gzip", "shuffle": True, "fletcher32": True},
                            {"compression": "lzf"},
                            {"scaleoffset": 3},
                        ):
                            if filters and (
                                chunks is None
                                or kind not in ("f8", "S5")
                                or ("scaleoffset" in filters and kind != "f8")
                            ):
                                continue
                            name = f"{len(file)}"
                            x = file.create_dataset(
                                name, shape, kind, maxshape=most, chunks=chunks, **filters
                            )
                            for i in range(12 if len(file) % 7 == 0 else 1):
                                x.attrs[f"a{i}"] = list(range(i + 1))
                deep = numpy.dtype(
                    [
                        ("name of 8", "u2", (2, 3)),
                        ("n", [("x", "c16"), ("y", "S3")]),
                        ("a longer name", h5py.enum_dtype({"one": 1, "a name": 200}, "i2")),
                    ]
                )
                for i, kind in enumerate(
                    (
                        deep,
                        bool,
                        "V7",
                        h5py.ref_dtype,
                        h5py.regionref_dtype,
                        h5py.vlen_dtype("f4"),
                        h5py.string_dtype(length=9),
                        ">f2",
                        "c8",
                    )
                ):
                    x = file.create_dataset(f"type {i}", (2,), kind)
                    x.attrs.create(
                        "a",
                        numpy.zeros((2, 2), kind) if i not in (3, 4, 5) else 1,
                        dtype=kind if i not in (3, 4, 5) else None,
                    )
                    x.attrs["none"] = h5py.Empty("f8")
                file["type 0"].attrs["to"] = file["type 1"].ref
                file["scalar"], file["empty"], file["type"] = 1.5, h5py.Empty("f8"), numpy.dtype("f8")
                file.create_dataset("of a type", (3,), dtype=file["type"])
            items = listed(path)
            wrong = (
                items
                if isinstance(items, str)
                else [item for item in items.values() if "damaged" in (item["refused"] or "")]
            )
            point(not wrong and len(items) > 30, f"headers of {version}, after {block} bytes: sound", wrong)


def real_files():
    files = sorted(glob.glob(os.path.join(DATA, "**", "*.h5"), recursive=True))
    if not files:
        skip("real files", "no such folder")
        return
    for path in files:
        items = listed(path)
        wrong = (
            items
            if isinstance(items, str)
            else [item for item in items.values() if item["refused"] or item.get("unread")]
        )
        with h5py.File(path, "r") as file:
            found = []
            file.visititems(
                lambda name, thing: (
                    found.append((name, thing[()].ravel())) if isinstance(thing, h5py.Dataset) else None
                )
            )
            for name, array in found:
                array = array.view(array.real.dtype) if array.dtype.kind == "c" else array
                if not wrong and values(items, name) != [float(v) for v in array]:
                    wrong = name
        point(not wrong, f"real: {os.path.relpath(path, DATA)}", wrong)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-box.") as folder:
        ours_for_others(folder)
        if shutil.which("ncdump") and shutil.which("nccopy"):
            ours_for_netcdf(folder)
        else:
            skip("netCDF's programs", "not installed")
        installed(folder)
        misbehaving(folder)
        left_over(folder)
        by_itself()
        into_what_is_there(folder)
        killed(folder)
        readable(folder)
        refused(folder)
        damaged(folder)
        damaged_headers(folder)
        sound_headers(folder)
    real_files()
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
