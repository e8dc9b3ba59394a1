# SPDX-License-Identifier: MIT
"""h5py, which brings libhdf5 along, and this package in one process, whichever comes first: each reads and
writes."""
import subprocess
import sys

from common import Skip, need, same

SCRIPT = """
import sys
sys.path[:0] = {path!r}
for name in {order!r}:
    __import__(name)
import h5py, numpy, sheaf
matrix = numpy.array([[0, 1.5], [2.5, 0]])
with h5py.File({made!r}, "w") as file:
    file["x"] = matrix
    with sheaf.open({other!r}) as data:
        assert data is not None
sheaf.convert({made!r}, {written!r})
with h5py.File({written!r}, "r") as file:
    assert "X" in file and file["X"].shape == (2, 2), list(file)
    rows = sum(len(frame) for frame in sheaf.open({made!r}))
    assert rows == 4, rows
with h5py.File({made!r}, "r") as file:
    assert (file["x"][()] == matrix).all()
print("fine")
"""


def test_either_comes_first(tmp):
    need("h5py")
    import h5py

    other = str(tmp / "other.h5")
    with h5py.File(other, "w") as file:
        file["y"] = [1.0, 2.0]
    for order in ["h5py", "sheaf"], ["sheaf", "h5py"]:
        made, written = str(tmp / f"{order[0]}.h5"), str(tmp / f"{order[0]}.h5ad")
        text = SCRIPT.format(path=sys.path, order=order, made=made, written=written, other=other)
        run = [sys.executable, "-c", text]
        done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=False)
        if "No module named 'h5py'" in done.stderr:
            raise Skip("no h5py")
        same((done.returncode, done.stdout.strip(), done.stderr), (0, "fine", ""))
