#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real files and the answers of the real programs: what they accept we accept, with the same values; what
they refuse we refuse, except for those named here. The data are not part of this tree: if they are
absent, each group counts as skipped. Prints TAP."""

import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

from tap import end, point, skip

SHEAF = os.environ.get("SHEAF", "build/sheaf")
DATA = os.path.join(os.environ.get("SHEAF_DATA", "../shared/data"), "cntk")

# Inputs on which we mean to differ, and why.
ACCEPTED_HERE = {
    "id_leading_space_first_line": "later versions pass white space at the start",
    "id_leading_space_pipe_first_line": "later versions pass white space at the start",
    "high_bytes_in_name": "later versions take names beyond ASCII",
    "num_forms": "1.e2 is a standard spelling",
    "num_bad_minusdot5": "-.5 is a standard spelling",
    "blank_line_noids_e1": "a stream that is missing is one error, which --max-errors tolerates",
    "missing_input_in_sequence_e9": "a stream that is missing is one error, which --max-errors tolerates",
}
EXACT_HERE = {
    "numf_0e400": [0.0],
    "numf_0.0_long403": None,  # whatever strtof says
}
DOUBLE = {"04_double.bin", "08_spec_sparse.bin"}


def run(*args):
    p = subprocess.run([SHEAF, *args], capture_output=True, timeout=120)
    return p.returncode, p.stdout.decode(), p.stderr.decode(errors="replace")


def single(v):
    return struct.unpack("f", struct.pack("f", v))[0] if abs(v) < 3.4028236e38 else math.copysign(math.inf, v)


def exact(text):
    """JSON integers, except for -0, whose sign must not be lost."""
    return -0.0 if text == "-0" else int(text)


def number(v):
    return float(v) if isinstance(v, str) else v


def close(a, b, double):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return math.copysign(1, a) == math.copysign(1, b)
    scale = max(abs(a), abs(b))
    return scale < math.inf and abs(a - b) <= scale * (1e-15 if double else 2e-7)


# ---- edge cases: one block each in results.txt ----


def blocks(text):
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        head, *lines = part.splitlines()
        name, opts, streams = re.match(r"(\S+)\s+opts=(.*?)\s*streams=(.*)$", head).groups()
        yield name, opts.split(), streams.split(), lines


def options(opts, streams):
    args = []
    for stream in streams:
        name, alias, dim, kind = stream.split(":")
        args += ["--stream", f"{name}:{dim}:{kind}" + (f":alias={alias}" if alias != name else "")]
    words = iter(opts)
    for word in words:
        if word == "-e":
            args += ["--max-errors", next(words)]
        elif word == "-s":
            args += ["--skip-sequence-ids"]
        elif word == "-m":
            args += ["--main-stream", next(words)]
        elif word == "-d":
            args += ["--element-type", "double"]
        elif word == "-c":
            next(words)  # we do not have chunks of text
    return args


def expected_sequences(lines, kinds):
    rows = []
    for line in lines:
        if line.startswith("seq "):
            rows.append((int(line.split()[1]), {name: [] for name in kinds}))
        elif line.startswith("  ") and rows and not line.startswith("  |"):
            name, *values = line.split()
            if kinds[name] == "sparse":
                rows[-1][1][name].append([[int(v.split(":")[0]), float(v.split(":")[1])] for v in values])
            else:
                rows[-1][1][name].append([float(v) for v in values])
    return rows


def same_sample(want, have, double):
    if len(want) != len(have):
        return False
    for w, h in zip(want, have):
        if isinstance(w, list):
            if w[0] != h[0] or not close(single(w[1]), single(number(h[1])), double):
                return False
        elif not close(single(w), single(number(h)), double):
            return False
    return True


def same_rows(want, have):
    if len(want) != len(have):
        return f"expected {len(want)} sequences, found {len(have)}"
    for (key, streams), row in zip(want, have):
        if row["key"] != key:
            return f"expected key {key}, found {row['key']}"
        for name, samples in streams.items():
            mine = row["streams"][name]
            if len(samples) != len(mine) or not all(same_sample(w, h, False) for w, h in zip(samples, mine)):
                return f"sequence {key}, stream {name}: expected {samples}, found {mine}"
    return ""


def edge():
    folder = os.path.join(DATA, "edge")
    with open(os.path.join(folder, "results.txt"), encoding="utf-8") as f:
        text = f.read()
    for name, opts, streams, lines in blocks(text):
        args = options(opts, streams)
        kinds = {s.split(":")[0]: s.split(":")[3] for s in streams}
        code, out, err = run("cat", "--json", *args, os.path.join(folder, name + ".ctf"))
        accepted = any(line == "exit 0" for line in lines)
        if name in ACCEPTED_HERE:
            point(code == 0, f"edge {name}: accepted, for {ACCEPTED_HERE[name]}", err)
        elif not accepted:
            place = re.search(r":\d+:\d+ \(byte \d+\)", err) or "empty input" in err
            point(code == 4 and place, f"edge {name}: refused with its place", f"exit {code}\n{err}")
        else:
            rows = [json.loads(line, parse_int=exact) for line in out.splitlines()]
            want = expected_sequences(lines, kinds)
            if name in EXACT_HERE:
                value = EXACT_HERE[name]
                if value is not None:
                    want[0][1]["A"] = [value]
            why = f"exit {code}: {err}" if code else same_rows(want, rows)
            point(not why, f"edge {name}: the same values", why)


# ---- the converter's cases ----


def cases():
    folder = os.path.join(DATA, "cases")
    names = sorted(f[:-4] for f in os.listdir(folder) if f.endswith(".ctf"))
    with tempfile.TemporaryDirectory() as temp:
        for name in names:
            for binary in (name + ".bin", name + ".f32.bin"):
                path = os.path.join(folder, binary)
                if not os.path.exists(path):
                    continue
                double = binary in DOUBLE
                args = [
                    "--map",
                    os.path.join(folder, name + ".map"),
                    "--sort-indices",
                    "--element-type",
                    "double" if double else "float",
                ]
                ours = os.path.join(temp, "ours.cbf")
                code, _, err = run(
                    "convert", "-f", "--quiet", *args, os.path.join(folder, name + ".ctf"), ours
                )
                same = code == 0 and open(ours, "rb").read() == open(path, "rb").read()
                point(same, f"case {binary}: the converter's bytes", f"exit {code}: {err}")
                text = os.path.join(temp, "back.ctf")
                again = os.path.join(temp, "again.cbf")
                code, _, err = run("convert", "-f", "--quiet", path, text)
                code2, _, err2 = (
                    run("convert", "-f", "--quiet", *declared(path), text, again)
                    if code == 0
                    else (code, "", "")
                )
                same = code2 == 0 and open(again, "rb").read() == open(path, "rb").read()
                point(
                    same,
                    f"case {binary}: to text and back, the same bytes",
                    f"exit {code}, {code2}: {err}{err2}",
                )


def declared(path):
    """The --stream options that `info` gives for a file."""
    code, out, _ = run("info", "--json", path)
    args = []
    for s in json.loads(out)["streams"]:
        args += [
            "--stream",
            f"{s['name']}:{s['dim']}:{s['storage']}:{'double' if s['type'] == 'float64' else 'float'}",
        ]
    return args


# ---- real files: totals by the real reader ----

REAL = {
    "atis.test.ctf": (["S0:943:sparse", "S2:129:sparse"], 893, 21968, 21968, 21968, 6518998),
    "tiny.ctf": (["S0:69:sparse", "S1:69:sparse"], 1, 14, 14, 14, 224),
    "Train.ctf": (["x:2000:sparse", "y:5:dense"], 1247, 6680, 11668, 6680, 1400801),
    "SimpleDataTest_cntk_text.txt": (["labels:2:dense", "features:2:dense"], 603, 1206, 2412, 602, None),
}


def totals(rows):
    samples = values = index_sum = 0
    total = []
    for row in rows:
        for stream in row["streams"].values():
            samples += len(stream)
            for sample in stream:
                values += len(sample)
                for v in sample:
                    if isinstance(v, list):
                        index_sum += v[0]
                        v = v[1]
                    total.append(number(v))
    return samples, values, math.fsum(total), index_sum


def real():
    for name, (streams, sequences, samples, values, total, index_sum) in REAL.items():
        args = [w for s in streams for w in ("--stream", s)]
        path = os.path.join(DATA, "real", name)
        code, out, err = run("cat", "--json", "--quiet", *args, path)
        rows = [json.loads(line, parse_int=exact) for line in out.splitlines()]
        have = totals(rows)
        ok = (
            code == 0
            and len(rows) == sequences
            and have[:2] == (samples, values)
            and round(have[2]) == total
            and index_sum in (None, have[3])
        )
        point(
            ok, f"real {name}: the real reader's totals", f"exit {code}: {len(rows)} sequences, {have}\n{err}"
        )
        code, out, err = run("cat", "--json", "--quiet", path)
        point(
            code == 0 and len(out.splitlines()) == sequences,
            f"real {name}: read without a declaration",
            f"exit {code}\n{err}",
        )
    path = os.path.join(DATA, "real", "atis.test.ctf")
    code, _, err = run(
        "cat",
        "--quiet",
        "--stream",
        "S0:943:sparse",
        "--stream",
        "S1:24:sparse",
        "--stream",
        "S2:129:sparse",
        path,
    )
    point(
        code == 4 and "an index below 24" in err,
        "real atis.test.ctf: an index beyond its declared dim is refused",
        f"exit {code}\n{err}",
    )


# ---- damaged files ----


def corrupt():
    folder = os.path.join(DATA, "corrupt")
    for name in sorted(f for f in os.listdir(folder) if f.endswith(".bin")):
        path = os.path.join(folder, name)
        code, _, err = run("cat", "--json", path)
        if name == "ok.bin":
            point(code == 0, "corrupt ok.bin: read", err)
            continue
        clear = code in (4, 6) and "expected" in err and "found" in err and len(err.splitlines()) == 1
        point(clear, f"corrupt {name}: one clear error", f"exit {code}: {err}")
        code, out, err = run("validate", path)
        wanted = 6 if name == "version2.bin" else 1
        point(
            code == wanted and "expected" in out + err,
            f"corrupt {name}: validate finds it",
            f"exit {code}: {out}{err}",
        )


def main():
    for group in (edge, cases, real, corrupt):
        if not os.path.isdir(os.path.join(DATA, group.__name__)):
            skip(f"conform {group.__name__}")
            continue
        group()
    end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
