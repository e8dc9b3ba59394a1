#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sheaf-mpi: any number of ranks makes what one process makes, under each installed MPI."""

import os
import signal
import shutil
import re
import subprocess
import tempfile
import time
from pathlib import Path

import tap
from parts import make_long, told
from selection import cases, sheaf

LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
THEIRS = re.compile(rb"\[hwloc/|.* UCX  (ERROR|WARN) ")  # what the libraries underneath say
RANK_WORDS = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}


def environment(folder):
    # Where there is no /sys, as in a plain chroot, the libraries under the MPIs say so, UCX on standard
    # output.
    return cases.environment(
        folder,
        UCX_LOG_LEVEL="fatal",
        HWLOC_HIDE_ERRORS="2",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_btl_vader_single_copy_mechanism="none",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
        TMPDIR="/tmp",
    )


def launch(mpi, n, words, folder, **more):
    return subprocess.Popen(
        [*LAUNCHERS[mpi], "-n", str(n), *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(folder),
        **more,
    )


def end(job):
    """The output of a job. Open MPI's launcher sometimes waits for a lock of its own after its ranks have
    ended, forever."""
    try:
        return job.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        for pid in processes_below(job.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        job.kill()
        return job.communicate()


def ranks(mpi, n, folder, *words, **more):
    with launch(mpi, n, [os.environ["SHEAF_MPI_" + mpi], *words], folder, **more) as job:
        out, err = end(job)
    out, err = (
        b"".join(line for line in text.splitlines(keepends=True) if not THEIRS.match(line))
        for text in (out, err)
    )
    return subprocess.CompletedProcess(words, job.returncode, out, err)


def errors(done):
    return [line for line in done.stderr.splitlines() if line.startswith(b"sheaf: error:")]


def leftovers(folder):
    return [file.name for file in folder.iterdir() if file.name.startswith(".sheaf-")]


def check_outputs(mpi, folder):
    small = ["--chunk-bytes", "700"]
    for words, name, suffix, numbers in (
        (small, "long.ctf", "cbf", (1, 2, 3, 4)),
        (["--chunk-bytes", "90000"], "indexed.ctf", "cbf", (1, 2, 3, 4)),
        (["--chunk-bytes", "90000", "--element-type", "double"], "large.ctf", "cbf", (3,)),
        ([], "large.ctf", "cbf", (4,)),
        ([], "indexed.ctf", "ctf", (3,)),
        ([], "late.ctf", "cbf", (2,)),
        ([], "long.csv", "csv", (1, 2)),
        ([], "ids.ctf", "npy", (2,)),
        ([], "long.ctf", "ctf", (3,)),
        (["--max-errors=2"], "flawed.ctf", "ctf", (2,)),
        ([], "long.csv", "jsonl", (2,)),
        (["--to", "csv"], "long.csv", "tsv", (2,)),
        ([], "long.csv", "csv.gz", (3,)),
        ([], "long.mtx", "mtx", (4,)),
        ([], "long.mtx", "npz", (1, 4)),
        ([], "long.mtx", "tns", (3,)),
        (["--layout", "CSR"], "long.mtx", "bsp.h5", (1, 2, 3, 4)),
        (["--layout", "COO", "--compression", "deflate:6"], "long.mtx", "bsp.h5", (3,)),
        (["--duplicates", "sum"], "twice.mtx", "bsp.h5", (4,)),
        (["--duplicates", "last"], "twice.mtx", "tns", (3,)),
        ([], "lower.mtx", "tns", (2,)),
        ([], "long.mtx", "npy", (2,)),
        ([], "half.mtx", "csv", (1, 3)),
        (["--max-memory", "24M"], "large.mtx", "bsp.h5", (3,)),
        (["--layout", "COO"], "falling.mtx", "bsp.h5", (4,)),
        ([], "a.bin", "csv", (2,)),
        (["--max-memory", "24M"], "large.ctf", "ctf", (2,)),
    ):
        if not (folder / name).exists():
            continue
        serial = sheaf(folder, "convert", "-f", *words, name, f"out.{suffix}")
        for n in numbers:
            done = ranks(mpi, n, folder, "convert", "-f", *words, name, f"mpi.{suffix}")
            same = (
                done.returncode == 0 == serial.returncode
                and (folder / f"out.{suffix}").read_bytes() == (folder / f"mpi.{suffix}").read_bytes()
            )
            tap.point(
                same and told(serial) == told(done) and not leftovers(folder),
                f"{mpi}: convert {' '.join(words)} {name} to {suffix} by {n}",
                f"{done.returncode}: {done.stderr.decode()}{serial.stderr.decode()}{leftovers(folder)}",
            )
            (folder / f"mpi.{suffix}").unlink(missing_ok=True)


def check_stale(mpi, folder):
    """If some ranks find that the index is one of other contents, none uses it, as in one process."""
    name = "stale.ctf"
    text = bytearray((folder / "large.ctf").read_bytes())
    for words in ["convert", "-f", "--chunk-bytes", "90000"], ["hash"], ["stats"]:
        for places in [0.3], [0.7], [0.2, 0.4, 0.6, 0.8]:
            changed = text[:]
            (folder / name).write_bytes(text)
            sheaf(folder, "index", "-f", "--chunk-bytes", "50000", name)
            when = os.stat(folder / name).st_mtime_ns
            for place in places:  # one entry fewer, and the same number of bytes
                at = changed.index(b" |z", changed.index(b"\n", int(len(text) * place)))
                last = changed.rindex(b" ", 0, at)
                changed[last:at] = b"1" * (at - last)
            (folder / name).write_bytes(changed)
            os.utime(folder / name, ns=(when, when))
            more = ["out.cbf"] if words[0] == "convert" else []
            serial = sheaf(folder, *words, "--index", "never", name, *more)
            done = ranks(mpi, 3, folder, *words, name, *(["mpi.cbf"] if more else []))
            same = (
                (folder / "out.cbf").read_bytes() == (folder / "mpi.cbf").read_bytes()
                if more
                else done.stdout == serial.stdout
            )
            tap.point(
                done.returncode == 0 == serial.returncode and same and not leftovers(folder),
                f"{mpi}: {words[0]} with an index of other contents at {places}",
                f"{done.returncode}: {done.stderr.decode()}{leftovers(folder)}",
            )
            (folder / "mpi.cbf").unlink(missing_ok=True)
    (folder / "stale.ctf.sheaf-index").unlink()


def check_readings(mpi, folder):
    for words, name, numbers in (
        (["hash"], "long.ctf", (1, 2, 3, 4)),
        (["stats"], "long.ctf", (3,)),
        (["stats", "--json"], "long.mtx", (2,)),
        (["validate"], "flawed.ctf", (4,)),
        (["validate", "--json"], "twice.mtx", (3,)),
        (["validate"], "none.txt", (1, 3)),
        (["validate", "--json"], "none.txt", (2,)),
        (["hash", "--max-errors=3", "--compare=keys"], "flawed.ctf", (3,)),
        (["stats"], "flawed.ctf", (2,)),
    ):
        serial = sheaf(folder, *words, name)
        for n in numbers:
            done = ranks(mpi, n, folder, *words, name)
            same = (done.returncode, done.stdout) == (serial.returncode, serial.stdout) and errors(done)[
                :1
            ] == errors(serial)[:1]
            tap.point(
                same,
                f"{mpi}: {' '.join(words)} {name} by {n}",
                f"{done.returncode}: {done.stdout.decode()}{done.stderr.decode()}",
            )
    sheaf(folder, "report", "-f", "long.csv", "whole.html")
    done = ranks(mpi, 3, folder, "report", "-f", "long.csv", "mpi.html")
    tap.point(
        done.returncode == 0 and (folder / "mpi.html").read_bytes() == (folder / "whole.html").read_bytes(),
        f"{mpi}: report by 3",
        done.stderr.decode(),
    )
    place = folder / "long.ctf.sheaf-index"
    sheaf(folder, "index", "--chunk-bytes", "900", "long.ctf")
    whole = place.read_bytes()
    place.unlink()
    done = ranks(mpi, 3, folder, "index", "--chunk-bytes", "900", "long.ctf")
    tap.point(
        done.returncode == 0 and place.is_file() and place.read_bytes() == whole,
        f"{mpi}: index by 3",
        done.stderr.decode(),
    )
    place.unlink(missing_ok=True)


def check_failures(mpi, folder):
    (folder / "there.ctf").write_text("kept\n")
    for words, code, message in (
        (["convert", "flawed.ctf", "new.cbf"], 4, "stopping at the first error"),
        (["convert", "long.ctf", "there.ctf"], 2, "there.ctf: expected no file of that name"),
        (["convert", "twice.mtx", "new.bsp.h5"], 4, "expected each position once, found (0,0) twice"),
        (["convert", "wrong.mtx", "new.bsp.h5"], 4, "expected a number, found \"x\""),
        (["convert", "none.ctf", "new.cbf"], 3, "cannot open none.ctf"),
        (["convert", "--part", "1/2", "long.ctf", "new.cbf"], 2, "--part: expected no such option"),
        (["head", "long.ctf"], 2, "expected one of the commands stats, report"),
        (["hash", "long.ctf", "long.csv"], 2, "expected one FILE, found 2 operands"),
        (["hash", "--nonsense", "long.ctf"], 2, "unknown option --nonsense"),
        (["convert", "long.ctf", "folder/new.cbf"], 3, "folder/new.cbf"),
    ):
        done = ranks(mpi, 3, folder, *words)
        said = errors(done)
        fine = (
            done.returncode == code
            and len(said) == 1
            and message in said[0].decode()
            and not (folder / "new.cbf").exists()
            and not (folder / "new.bsp.h5").exists()
            and not leftovers(folder)
        )
        tap.point(
            fine,
            f"{mpi}: refused by all ranks with one message: {' '.join(words)}",
            f"{done.returncode}: {done.stderr.decode()}{leftovers(folder)}",
        )
    tap.point((folder / "there.ctf").read_text() == "kept\n", f"{mpi}: what was there stays")
    done = ranks(mpi, 2, folder, "hash", "--progress", "always", "long.ctf")
    tap.point(
        b"2 ranks: at most " in done.stderr and b"rank 1: " in done.stderr,
        f"{mpi}: memory of each rank is shown with progress",
        done.stderr.decode(),
    )


def check_full(mpi, folder):
    """The disk is full when a rank other than the first writes its part."""
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    name = f"{mpi}: a full disk: exit 3, one message, nothing is left"
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk], capture_output=True, check=False
    ).returncode:
        tap.skip(name, "this needs root and the right to mount a tmpfs")
        return
    for words in (
        ["large.ctf", "disk/full.ctf"],
        ["large.ctf", "disk/full.cbf"],
        ["--chunk-bytes", "90000", "indexed.ctf", "disk/full.cbf"],
        ["large.mtx", "disk/full.bsp.h5"],
    ):
        done = ranks(mpi, 3, folder, "convert", *words)
        said = errors(done)
        fine = (
            done.returncode == 3
            and len(said) == 1
            and b"No space left" in said[0]
            and b"cannot write to " in said[0]
            and not list(disk.iterdir())
        )
        tap.point(
            fine,
            f"{name}: {' '.join(words)}",
            f"{done.returncode}: {done.stderr.decode()}{list(disk.iterdir())}",
        )
    done = ranks(mpi, 3, folder, "convert", "--max-memory", "16M", "large.mtx", "disk/full.bsp.h5")
    said = errors(done)
    fine = (
        done.returncode == 3 and len(said) == 1 and b"No space left" in said[0] and not list(disk.iterdir())
    )
    tap.point(
        fine,
        f"{name}: parts that are too large for memory",
        f"{done.returncode}: {done.stderr.decode()}{list(disk.iterdir())}",
    )
    subprocess.run(["umount", disk], check=True)


def processes_below(pid):
    """The processes that a process has started, and theirs."""
    found = []
    for task in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = task.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == pid:
            child = int(task.parent.name)
            found += [child, *processes_below(child)]
    return found


def find_rank(mpi, job, rank):
    """The process of a rank, once it runs."""
    wanted = f"{RANK_WORDS[mpi]}={rank}".encode()
    while job.poll() is None:
        for pid in processes_below(job.pid):
            try:
                if (
                    wanted in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
                    and b"sheaf-mpi" in Path(f"/proc/{pid}/exe").resolve().name.encode()
                ):
                    return pid
            except OSError:
                pass
    return None


def check_kill(mpi, folder):
    check_killed(mpi, folder, "large.ctf", "ctf")
    check_killed(mpi, folder, "indexed.ctf", "cbf")
    check_killed(mpi, folder, "large.mtx", "bsp.h5")


def check_killed(mpi, folder, name, suffix):
    sheaf(folder, "convert", "-f", name, f"whole.{suffix}")
    whole = (folder / f"whole.{suffix}").read_bytes()
    killed = 0
    for delay in (0, 0.1, 0.3):
        with launch(
            mpi, 3, [os.environ["SHEAF_MPI_" + mpi], "convert", "-f", name, f"killed.{suffix}"], folder
        ) as job:
            pid = find_rank(mpi, job, 1)
            time.sleep(delay)
            try:
                os.kill(pid or -1 << 30, signal.SIGKILL)
            except (OSError, OverflowError):
                pass
            end(job)
        killed += job.returncode != 0
        exists = (folder / f"killed.{suffix}").exists()
        # A rank may be killed when the output is already written, and the job only has to end.
        fine = (folder / f"killed.{suffix}").read_bytes() == whole if exists else job.returncode != 0
        tap.point(
            fine,
            f"{mpi}: {name}: rank 1 is killed after {delay} s: the whole output, or none",
            f"{job.returncode} {exists}",
        )
        (folder / f"killed.{suffix}").unlink(missing_ok=True)
    tap.point(killed > 0, f"{mpi}: {name}: a killed rank ends the job")
    sheaf(folder, "convert", "-f", "long.ctf", "next.ctf")
    tap.point(
        not leftovers(folder), f"{mpi}: after the next run nothing is left over", str(leftovers(folder))
    )


def make_large(folder):
    with open(folder / "large.ctf", "w", encoding="ascii") as out:
        for i in range(60000):
            out.write(f"{i} |x {i % 977}.25 {i * 7 % 1013}.5 {i} |y {i % 50}:1 {50 + i % 40}:2.5 ")
            out.write(f"|z {i % 3} {i % 5} {i % 7} {i % 11} {i % 13}\n")

    shutil.copy(folder / "large.ctf", folder / "indexed.ctf")
    last = b"60000 |x 1 2 3 |y 99:1 |z 1 2 3 4 5\n"
    (folder / "late.ctf").write_bytes((folder / "large.ctf").read_bytes() + last)
    for name in "indexed.ctf", "late.ctf":
        sheaf(folder, "index", "--chunk-bytes", "50000", name)

    with open(folder / "large.mtx", "w", encoding="ascii") as out:
        out.write("%%MatrixMarket matrix coordinate real general\n4001 3001 400000\n")
        for i in range(400000):
            out.write(f"{i * 17 % 4001 + 1} {i * 29 % 3001 + 1} {i % 977}.5\n")

    (folder / "none.txt").write_text("ok\n")
    (folder / "half.mtx").write_text(
        "%%MatrixMarket matrix array real symmetric\n9 9\n" + "".join(f"{i}\n" for i in range(45))
    )

    # The first rank has the last rows: its entries follow those of all others.
    entries, far = 720000, 10**12
    with open(folder / "falling.mtx", "w", encoding="ascii") as out:
        out.write(f"%%MatrixMarket matrix coordinate integer general\n{far} {far} {entries}\n")
        out.writelines(f"{far - i} {i + 1} {i % 9}\n" for i in range(entries))


def launched_by(launcher, mpi, folder):
    """The outcome of two ranks: one job's output, or, if each believes that it is the only one, a refusal
    and no output. That is so for MPICH 4.2 of Ubuntu 24.04 with its own launcher."""
    job = launch(launcher, 2, [os.environ["SHEAF_MPI_" + mpi], "hash", "long.ctf"], folder)
    out, said = end(job)
    if job.returncode == 0 and out.count(b"long.ctf") == 1:
        return "one job"
    refused = job.returncode == 2 and out.count(b"long.ctf") == 0 and b"ranks (" in said
    return "refused" if refused and b"found itself alone" in said else f"{job.returncode}: {out + said}"


def check_launchers(there, folder):
    for mpi in there:
        for launcher in set(there) - {mpi}:
            found = launched_by(launcher, mpi, folder)
            tap.point(found in ("one job", "refused"), f"{mpi}: started by {launcher}", found)


def main():
    with tempfile.TemporaryDirectory(prefix="sheaf-mpi-") as root:
        folder = Path(root)
        cases.make_samples(folder, cases.SAMPLES)
        make_long(folder)
        make_large(folder)
        there = []
        for mpi in LAUNCHERS:
            if "SHEAF_MPI_" + mpi not in os.environ or not shutil.which(LAUNCHERS[mpi][0]):
                tap.skip(f"{mpi}: conversions and readings by ranks", f"no {mpi} here")
                continue
            there.append(mpi)
            if mpi == "mpich" and launched_by(mpi, mpi, folder) == "refused":
                tap.skip("mpich: conversions and readings by ranks", "each rank takes itself for one")
                continue
            for check in check_outputs, check_stale, check_readings, check_failures, check_full, check_kill:
                check(mpi, folder)
        check_launchers(there, folder)
    tap.end()


if __name__ == "__main__":
    main()
