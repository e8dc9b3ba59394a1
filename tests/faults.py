# SPDX-License-Identifier: MIT
"""Makes the n-th system call fail, for every command on every format: the outcome is the right one, or
a clear error.

A run without a fault comes first: its exit status, its output and the files that it leaves are what is right,
and it says how often each call comes. Then each of these calls fails in turn: once, a few times, from then
on; with a suitable error, cut short, or interrupted. In any case: no other bytes, no other exit
status than 3 (5 where memory or threads are refused) with an error line, no output but the old one, none, or
the right one, no signal, no hang, and after the next run, without a fault, nothing but the right files.

Without FAULTS=all only a part of the calls is tried (one in PART). SHEAF is the command, FAULTS_LIBRARY the
library that fails (faults.c). Arguments: words that must stand in a case's name.
"""

import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

import tap
from cases import LIBRARY, SHEAF, chosen_cases, prepare, restore, run

WHOLE = os.environ.get("FAULTS") == "all"
PART = 11  # how many calls there are for each that the short form tries
FOREVER = 1 << 30

# ---- what may happen to a call: (error or "short", how often) ----

READS = [
    ("EIO", 1),
    ("EIO", FOREVER),
    ("EINTR", 1),
    ("EINTR", 3),
    ("EAGAIN", 1),
    ("short", 1),
    ("short", FOREVER),
]
WRITES = [
    ("ENOSPC", 1),
    ("ENOSPC", FOREVER),
    ("EIO", 1),
    ("EINTR", 1),
    ("EINTR", 3),
    ("EAGAIN", 1),
    ("short", 1),
    ("short", FOREVER),
]
OPENS = [("EIO", 1), ("EMFILE", 1), ("EINTR", 1), ("EACCES", 1), ("EACCES", FOREVER), ("EROFS", 1)]
CALLS = {
    "access": [("EIO", 1)],
    "close": [("EIO", 1), ("ENOSPC", FOREVER), ("EINTR", 1)],
    "closedir": [("EIO", 1)],
    "copy_file_range": [("EXDEV", 1), ("EIO", 1), ("EINTR", 1), ("short", 1)],
    "dlopen": [("ENOMEM", 1)],
    "fchmod": [("EPERM", 1), ("EIO", 1)],
    "fchown": [("EPERM", 1), ("EPERM", FOREVER)],
    "fclose": [("EIO", 1)],
    "fcntl": [("EMFILE", 1)],
    "fdopendir": [("ENOMEM", 1)],
    "flock": [("EWOULDBLOCK", 1), ("EINTR", 1), ("ENOLCK", 1)],
    "fopen": [("EMFILE", 1), ("EACCES", 1)],
    "fread": [("EIO", 1)],
    "fstat": [("EIO", 1), ("EIO", FOREVER), ("ENOMEM", 1)],
    "fstatat": [("EIO", 1), ("EIO", FOREVER)],
    "fsync": [("EIO", 1), ("EIO", FOREVER), ("ENOSPC", 1), ("EINTR", 1), ("EINTR", 3)],
    "ftruncate": [("EIO", 1), ("ENOSPC", FOREVER), ("EINTR", 1)],
    "getdelim": [("EIO", 1)],
    "glob": [("EIO", 1)],
    "ioctl": [("EIO", 1)],
    "lseek": [("EIO", 1)],
    "lstat": [("EIO", 1)],
    "mkdir": [("EACCES", 1)],
    "mkdirat": [("EACCES", 1), ("ENOSPC", FOREVER)],
    "mkostemp": [("EIO", 1)],
    "mmap": [("ENOMEM", 1), ("ENODEV", FOREVER)],
    "open": OPENS,
    "openat": OPENS,
    "poll": [("EINTR", 1)],
    "pread": READS,
    "pthread_create": [("EAGAIN", 1), ("EAGAIN", FOREVER)],
    "pwrite": WRITES,
    "read": READS,
    "readdir": [("EIO", 1)],
    "readlink": [("EIO", 1), ("EACCES", 1)],
    "realpath": [("EIO", 1), ("EACCES", FOREVER)],
    "renameat": [("EIO", 1), ("EIO", FOREVER), ("ENOSPC", 1)],
    "renameat2": [("EIO", 1), ("EINVAL", 1), ("ENOSPC", 1)],
    "stat": [("EIO", 1), ("EACCES", FOREVER)],
    "sync_file_range": [("EIO", 1)],
    "unlink": [("EIO", 1)],
    "unlinkat": [("EIO", 1), ("EACCES", FOREVER)],
    "write": WRITES,
}

# A lock or a thread that is refused: tried again, done without, or the end.
MAY_END = {"flock", "pthread_create"}

# Functions of the C library for files that no fault reaches: each is harmless, or, like the socket
# to libhdf5's process, tested elsewhere (conform_box.py).
HARMLESS = {"madvise", "munmap", "globfree", "isatty", "socketpair"}
ABOUT_FILES = re.compile(
    r"^(f?(open|close|read|write|seek|stat|sync|datasync|truncate|chmod|chown|access|get[sc]|put[sc]|"
    r"printf|scanf|flush)|p?(read|write)v?|(re)?name|link|unlink|mk|rmdir|copy_file|sendfile|splice|tee|"
    r"fallocate|posix_f|dup|pipe|socket|select|epoll|statx|sym|tmp|temp|getdelim|getline|glob|ftw|nftw|"
    r"scandir|(open|read|close|seek)dir|realpath|canon|m(un)?map|msync|madvise|lock|flock|fcntl|ioctl|poll|lseek|lstat|isatty|aio_|io_)"
)


def imports():
    """What the command calls in other libraries."""
    text = subprocess.run(
        ["nm", "-D", "--undefined-only", SHEAF], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines() if line.split()}


def defined():
    text = subprocess.run(
        ["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True
    ).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines()}


def check_reach():
    """A call that the command begins to use must be one that can fail here."""
    plain = {name: re.sub(r"^_+|_(chk|2)$|64(?=$|_)", "", name) for name in imports()}
    missed = sorted(
        name
        for name, word in plain.items()
        if ABOUT_FILES.match(word) and name not in defined() and word not in HARMLESS
    )
    tap.point(
        not missed,
        "faults reach every call about files",
        f"no fault reaches {' '.join(missed)}: see tests/faults.c, or HARMLESS in tests/faults.py",
    )


def is_temporary(name):
    return any(part.startswith(".sheaf-") for part in name.split("/"))


def is_earlier_state(case, name, content):
    """A run that fails has written the state of the batches before."""
    return (
        "--state" in case.words
        and name == "state"
        and bool(content)
        and content.startswith(b"{")
        and content.rstrip().endswith(b"}")
        and content.endswith(b"\n")
    )


def check_files(case, outcome, old_too):
    """What a run leaves: each file is the right one, and where something failed also the old one, or none."""
    faults = []
    right = case.right.files
    for name, content in outcome.files.items():
        if is_temporary(name) or name.startswith("cache/"):
            continue
        if name in right and content == right[name] or old_too and is_earlier_state(case, name, content):
            continue
        if name in case.files and content == case.files[name]:
            continue
        what = "is gone" if content is None else f"has other bytes ({len(content)})"
        faults.append(f"{name} {what}")
    for name in right if not old_too else []:
        there = outcome.files.get(name, case.files.get(name))
        is_index = name.endswith(".sheaf-index") and "index not written" in outcome.err
        if (
            there != right[name]
            and not is_index
            and not (name.endswith(".sheaf-index") and any(n.startswith("cache/") for n in outcome.files))
        ):
            faults.append(f"{name} is not what it should be")
    return faults


def allowed_codes(case, call, what):
    """Faults that must be survived lead to the right outcome; others may also end the run."""
    right = {case.right.code}
    if call == "open" and what == "EACCES" and case.words[0] == "index":
        return right | {1, 3, 4}  # an index that may not be opened is one owned by somebody else
    if what in ("EINTR", "EAGAIN", "short") and call not in MAY_END:
        return right
    return (
        right
        | {3}
        | ({5} if what in ("ENOMEM", "EAGAIN", "ENODEV") else set())
        | ({6} if call == "dlopen" else set())
    )


def named_alike(case, text):
    """An index that cannot be beside its file is in the cache folder, and says so. What `info` cannot find
    out about an index, it says, or leaves out."""
    if case.words[0] == "info":
        return re.sub(rb'\nindex: .*|,"index":\{[^}]*\}', b"", text)
    return re.sub(rb"/cache/sheaf/[0-9a-f]+\.sheaf-index", f"/{case.words[-1]}.sheaf-index".encode(), text)


def judge(case, outcome, call, what):
    """What is wrong with a run in which something failed."""
    right = case.right
    allowed = allowed_codes(case, call, what)
    faults = []
    if outcome.code not in allowed:
        faults.append(f"expected exit status {' or '.join(map(str, sorted(allowed)))}, found {outcome.code}")
    if outcome.code == right.code:
        if named_alike(case, outcome.out) != named_alike(case, right.out):
            faults.append(f"expected output {right.out[-200:]!r}, found {outcome.out[-200:]!r}")
        faults += check_files(case, outcome, False)
    elif outcome.code != 1:  # of `index --check`, which says what it has found
        if not re.search(r"^sheaf: error: \S.{8}", outcome.err, re.MULTILINE):
            faults.append("expected an error line, found none")
        if not right.out.startswith(outcome.out):
            faults.append(
                f"expected the beginning of output {right.out[:200]!r}, found {outcome.out[:200]!r}"
            )
        faults += check_files(case, outcome, True)
    return faults


def remove_outputs(case, outcome):
    """What a faulted run has put in its place before it failed is not replaced by the next one."""
    if "--state" in case.words:  # it would go on from there
        (case.folder / "state").unlink(missing_ok=True)
        if "state" in case.files:
            (case.folder / "state").write_bytes(case.files["state"])
    if case.words[0] in ("convert", "merge", "split") and not {"-f", "--into"} & set(case.words):
        for name in outcome.files:
            if name in case.right.files and name not in case.files:
                (case.folder / name).unlink(missing_ok=True)


def check_next(case, faulted):
    """After a fault the same run does what it usually does, and leaves nothing else."""
    is_cached = any(name.startswith("cache/") for name in faulted.files)
    remove_outputs(case, faulted)
    outcome = run(case, None)
    faults = []
    if outcome.code != case.right.code or (outcome.out != case.right.out and not is_cached):
        faults.append(
            f"the next run: exit status {outcome.code}, {outcome.err[:200]!r}, output {outcome.out[:100]!r}"
        )
    faults += [f"the next run: {fault}" for fault in check_files(case, outcome, False)]
    faults += [f"the next run leaves {name}" for name in outcome.files if is_temporary(name)]
    return faults, outcome


def try_fault(case, plan, call, what):
    try:
        outcome = run(case, plan)
    except subprocess.TimeoutExpired:
        return ["hangs"]
    faults = judge(case, outcome, call, what)
    if outcome.files and outcome.files != case.right.files:
        more, after = check_next(case, outcome)
        faults += more
        outcome.files.update(after.files)
    restore(case, outcome)
    return [f"{fault} (exit status {outcome.code}; {outcome.err.strip()[:200]!r})" for fault in faults]


def plans(case, counts):
    """(plan, call, what) for all calls that the case makes, or for a part of them."""
    for call, count in counts.items():
        for what, times in CALLS[call]:
            value = what if what == "short" else getattr(errno, what)
            for n in range(1, count + 1):
                plan = f"{call}:{n}:{times}:{value}"
                if WHOLE or zlib.crc32(f"{case.name} {plan}".encode()) % PART == 0:
                    yield plan, call, what


def run_case(case, root):
    """One point: returns how many faults were tried, or 0 where the command does not do that with the
    format."""
    if not prepare(case, root):
        shutil.rmtree(case.folder)
        return -1, [f"exit status {case.right.code} without a fault: {case.right.err[:300]}"]
    counted = root / "counts"
    again = run(case, "", FAULTS_COUNTS=str(counted))
    restore(case, again)
    faults = (
        []
        if (again.code, again.out, again.files) == (case.right.code, case.right.out, case.right.files)
        else ["two runs without a fault differ"]
    )
    counts = {name: int(count) for name, count in (line.split() for line in counted.read_text().splitlines())}
    tried = 0
    for plan, call, what in plans(case, counts):
        faults += [f"{plan}: {fault}" for fault in try_fault(case, plan, call, what)]
        tried += 1
    shutil.rmtree(case.folder)
    return tried, faults


def main():
    root = Path(tempfile.mkdtemp(prefix="sheaf-faults-"))
    counts = [0, 0]
    try:
        check_reach()
        for case in chosen_cases(root, sys.argv[1:]):
            tried, faults = run_case(case, root)
            if tried < 0:
                print(f"# {case.name}: {faults[0].strip()}")
                continue
            counts[0] += 1
            counts[1] += tried
            tap.point(not faults, f"{case.name}: {tried} faults" if WHOLE else case.name, "\n".join(faults))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print(f"# {counts[0]} cases, {counts[1]} faults")
    tap.end()


main()
