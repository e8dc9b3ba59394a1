# SPDX-License-Identifier: MIT
"""What the tests of boxes share: the tool that lists and makes them, and values beside h5py."""

import json
import os
import subprocess

TOOL = os.environ.get("BOX_TOOL", "build/tests/box_tool")


def run(*arguments, **more):
    p = subprocess.run(arguments, capture_output=True, timeout=120, check=False, **more)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def listed(path):
    """The items by their path, without netCDF's dimensions, or the message of a refusal."""
    code, out, err = run(TOOL, "list", path)
    if code not in (0, 1) or (code == 1 and "expected" not in err):
        return f"exit {code}: {err}"
    items = map(json.loads, out.splitlines())
    is_dimension = "a dimension of netCDF"
    return err if code else {item["path"]: item for item in items if is_dimension not in str(item["refused"])}


def tool(*arguments):
    code, out, err = run(TOOL, *arguments)
    return out if code == 0 else f"exit {code}: {err}"


def values(items, path):
    return [float(v) for v in items[path]["values"]]
