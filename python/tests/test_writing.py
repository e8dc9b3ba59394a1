# SPDX-License-Identifier: MIT
"""What is in memory, written and read again."""
import subprocess
import sys
from datetime import datetime, timezone

import numpy as np
import sheaf
from common import matrix, need, raises, same, words


def test_matrices(tmp):
    sparse = need("scipy.sparse")
    dense = np.array([[0, 1.5, 0, 0], [-2, 0, 0, 0], [0, 0, 0, 3]])
    for make in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array,
                 sparse.lil_matrix):
        for suffix in ("mtx", "tns", "npz"):
            path = tmp / f"{make.__name__}.{suffix}"
            sheaf.write(path, make(dense))
            options = {"shape": "3,4"} if suffix == "tns" else {}
            for layout in ("csr", "csc", "coo"):
                same(sheaf.read(path, **options).to_scipy(layout).toarray(), dense)
            same(sheaf.read(path, **options).to_numpy(), dense)


def test_types_of_matrices(tmp):
    sparse = need("scipy.sparse")
    for dtype in ("f4", "f8", "i4", "i8", "c16", "?"):
        made = np.array([[0, 1], [1, 0], [0, 1]]).astype(dtype)
        sheaf.write(tmp / "m.npz", sparse.csr_matrix(made), force=True)
        found = sheaf.read(tmp / "m.npz").to_scipy("csr").toarray()
        same(found, made)


def test_arrays(tmp):
    for array in (np.arange(12.0).reshape(3, 4), np.arange(24, dtype=np.int32).reshape(2, 3, 4),
                  np.arange(5, dtype=np.uint8), np.arange(6, dtype=">f8").reshape(2, 3),
                  np.arange(12.0).reshape(3, 4)[:, ::2], np.array([1 + 2j, 3])):
        sheaf.write(tmp / "a.npy", array, force=True)
        same(np.load(tmp / "a.npy"), array)
        same(sheaf.read(tmp / "a.npy").to_numpy(), array)


def test_streams(tmp):
    sparse = need("scipy.sparse")
    a = [np.arange(6, dtype=np.float32).reshape(3, 2), np.ones((1, 2), np.float32)]
    b = sparse.csr_matrix(np.array([[0, 2, 0], [1, 0, 0], [0, 0, 0], [0, 0, 3]], np.float32))
    sheaf.write(tmp / "s.ctf", {"A": a, "B": (b, [0, 3, 4])})
    frame = sheaf.read(tmp / "s.ctf", stream=["A:2:dense", "B:3:sparse"])
    same(frame["A"].values, np.concatenate(a))
    same(frame["A"].offsets, np.array([0, 3, 4]))
    same(frame["B"].to_scipy().toarray(), b.toarray())
    sheaf.write(tmp / "s.cbf", {"A": (np.concatenate(a), [0, 3, 4]), "B": (b, [0, 3, 4])})
    assert sheaf.diff(tmp / "s.ctf", tmp / "s.cbf", stream=[]).equal
    sheaf.write(tmp / "k.ctf", {"key": [7, 9], "A": np.ones((2, 3), np.float32)})
    same(sheaf.read(tmp / "k.ctf").row_keys, np.array([7, 9], np.uint64))
    with raises(sheaf.UsageError, "of one length"):
        sheaf.write(tmp / "x.ctf", {"A": np.ones((2, 3)), "B": np.ones((3, 3))})
    assert not (tmp / "x.ctf").exists()


def test_a_matrix_becomes_a_stream_where_there_are_no_matrices(tmp):
    sparse = need("scipy.sparse")
    made = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    sheaf.write(tmp / "x.ctf", made)
    same(sheaf.read(tmp / "x.ctf", stream=["X:3:sparse"])["X"].to_scipy().toarray(), made.toarray())


def test_tables(tmp):
    table = np.array([(1, 2.5, "ab"), (2, 3.5, "c")], [("n", "i4"), ("x", "f8"), ("t", "U4")])
    sheaf.write(tmp / "t.csv", table)
    frame = sheaf.read(tmp / "t.csv")
    same(frame["n"].to_list(), [1, 2])
    same(frame["x"].to_list(), [2.5, 3.5])
    same(frame["t"].to_list(), ["ab", "c"])
    masked = {"n": np.ma.masked_array([1, 2, 3], [False, True, False]), "t": ["a", None, "c"],
              "b": np.array([True, False, True])}
    sheaf.write(tmp / "m.csv", masked)
    frame = sheaf.read(tmp / "m.csv")
    same(frame["n"].to_list(), [1, None, 3])


def test_tensors_in_several_pieces(tmp):
    """More entries than are written at a time, with rows that have none."""
    sparse = need("scipy.sparse")
    numbers = np.random.default_rng(1)
    for array in (numbers.random((3, 50, 1001)), numbers.random((400, 1000)) * (1 + 2j), np.zeros((0, 3)),
                  np.arange(300000, dtype=np.int32)):
        sheaf.write(tmp / "x.npy", array, force=True)
        same(np.load(tmp / "x.npy"), array)
        same(sheaf.read(tmp / "x.npy").to_numpy(), array)
    matrix = sparse.random(9000, 900, 0.04, "csr", np.float64, numbers)
    for first, last in ((0, 10), (3000, 3500), (8990, 9000)):
        matrix.data[matrix.indptr[first]:matrix.indptr[last]] = 0
    matrix.eliminate_zeros()
    for name in ("x.mtx", "x.tns"):
        sheaf.write(tmp / name, matrix)
        shape = {"shape": "9000,900"} if name == "x.tns" else {}
        same(sheaf.read(tmp / name, **shape).to_scipy("csr").toarray(), matrix.toarray())


def test_writing_takes_little_memory(tmp):
    """An array is wrapped, and its entries are made a few at a time."""
    script = "\n".join([
        "import numpy as np, resource, sheaf, sys",
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024",
        "sheaf.write(sys.argv[1], np.ones((10, 10)), force=True)",
        "x = np.ones((8000, 1000)); before = peak()",
        "sheaf.write(sys.argv[1], x, force=True)",
        "assert peak() - before < x.nbytes / 2, (before, peak())"])
    done = subprocess.run([sys.executable, "-c", script, tmp / "x.npy"], capture_output=True, text=True,
                          check=False)
    same((done.returncode, done.stderr), (0, ""))


def test_frames_and_datasets(tmp):
    path = words(tmp)
    sheaf.write(tmp / "a.cbf", sheaf.read(path))
    sheaf.write(tmp / "b.cbf", sheaf.open(path))
    same((tmp / "a.cbf").read_bytes(), (tmp / "b.cbf").read_bytes())
    assert sheaf.diff(path, tmp / "a.cbf").equal
    sheaf.write(tmp / "c.mtx", sheaf.read(matrix(tmp)))
    assert sheaf.diff(tmp / "matrix.mtx", tmp / "c.mtx").equal


def test_what_cannot_be_written(tmp):
    with raises(sheaf.UsageError, "found 0 dimensions"):
        sheaf.write(tmp / "x.ctf", 3)
    with raises(sheaf.UsageError, "found float128"):
        sheaf.write(tmp / "x.npy", np.ones(3, np.longdouble))
    with raises(sheaf.UsageError, "a suffix"):
        sheaf.write(tmp / "x.unknown", np.ones(3))
    same(sorted(p.name for p in tmp.iterdir()), [])


class Group:
    """What is like AnnData."""

    obs = var = None

    def __init__(self, matrix):
        self.X = matrix


def test_groups(tmp):
    sparse = need("scipy.sparse")
    sheaf.write(tmp / "g.npz", Group(sparse.csr_matrix(np.eye(3))))
    same(sheaf.read(tmp / "g.npz").to_scipy().toarray(), np.eye(3))


def test_files_that_are_there_already(tmp):
    path = words(tmp)
    sheaf.convert(path, tmp / "a.cbf")
    before = (tmp / "a.cbf").read_bytes()
    for replace in (lambda **options: sheaf.convert(path, tmp / "a.cbf", **options),
                    lambda **options: sheaf.write(tmp / "a.cbf", {"x": np.ones((2, 3), np.float32)},
                                                  **options)):
        with raises(FileExistsError, "a.cbf") as caught:
            replace()
        same((caught.error.option, caught.error.status), ("force", "usage"))
        same((tmp / "a.cbf").read_bytes(), before)
    replace(force=True)
    assert (tmp / "a.cbf").read_bytes() != before


def test_times(tmp):
    days = np.array(["2020-01-01", "2021-06-01T12:30:00"], "M8[s]")
    sheaf.write(tmp / "t.npy", np.rec.fromarrays([days, days.astype("M8[ms]")],
                                                 names=["s", "ms"]).view(np.ndarray))
    frame = sheaf.read(tmp / "t.npy")
    same(frame["s"].values, days)
    same(frame["ms"].to_numpy().astype("M8[s]"), days)


def test_options_that_formats_share(tmp):
    """Each format says which layouts it has."""
    array = np.arange(6.0).reshape(2, 3)
    sheaf.write(tmp / "a.mtx", array, layout="array")
    sheaf.write(tmp / "a.npz", array, layout="dense")
    same([sheaf.read(tmp / name).to_numpy().tolist() for name in ("a.mtx", "a.npz")], [array.tolist()] * 2)
    with raises(sheaf.UsageError) as caught:
        sheaf.write(tmp / "b.mtx", array, layout="csr")
    assert "coordinate" in str(caught.error), caught.error


def test_arrays_that_are_not_aligned(tmp):
    """Fields of one structured item are contiguous all the same."""
    table = np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")])
    assert not table["b"].flags.aligned
    sheaf.write(tmp / "t.csv", table)
    same((tmp / "t.csv").read_text(), "a,b\n1,2.5\n")
    array = np.frombuffer(bytes(1) + np.arange(3.0).tobytes(), np.float64, offset=1)
    sheaf.write(tmp / "a.npy", array)
    same(np.load(tmp / "a.npy"), np.arange(3.0))


def test_element_types_that_there_are_not(tmp):
    with raises(sheaf.UsageError, "of such floats, found float128") as caught:
        sheaf.write(tmp / "a.npy", np.ones(3, np.longdouble))
    same(caught.error.option, "data")
    torch = need("torch")
    with raises(sheaf.UsageError, "an element type that NumPy has, found torch.bfloat16") as caught:
        sheaf.write(tmp / "a.npy", torch.ones(3, dtype=torch.bfloat16))
    same(caught.error.option, "data")


WORDS = ["x", None]
# What people have, and what is read back from a CSV file.
TABLES = [
    ({"a": [1, 2], "b": [0.5, None]}, {"a": [1, 2], "b": [0.5, None]}),
    ({"a": [True, None, False]}, {"a": [True, None, False]}),
    ({"a": [1, 2**63]}, {"a": [1, 2**63]}),
    ({"a": np.array(["2020-01-01T10:00", "NaT"], "M8[s]")}, {"a": [datetime(2020, 1, 1, 10), None]}),
    ({"a": [datetime(2020, 1, 1, 10), None]}, {"a": [datetime(2020, 1, 1, 10), None]}),
    ([{"a": 1, "b": "x"}, {"a": 2, "c": 0.5}], {"a": [1, 2], "b": WORDS, "c": [None, 0.5]}),
    (({"a": [i]} for i in range(3)), {"a": [0, 1, 2]}),
    ([{"a": np.arange(2)}, {"a": [2]}], {"a": [0, 1, 2]}),
    (np.array(["x", "yz"]), {"value": ["x", "yz"]}),
]
ITEMS = [
    ({"a": [1.5, "x"]}, "a: expected items of one type"),
    (np.ma.masked_array([1, 2], [True, False]), "1 missing"), ({"a": np.arange(2), "n": 7}, "n: "),
    ([{"a": np.arange(2)}, {"b": np.arange(2)}], "written first"), (iter(()), "at least one piece"),
    ({"a": [datetime(2020, 1, 1, tzinfo=timezone.utc)]}, "a: "), (object(), "expected frames"),
]
ARRAYS = [np.float32(3), np.int64(4), 5, np.array([1, 2.5], "f2"), [[1, 2], [3, 4]]]


def test_what_people_have(tmp):
    for data, columns in TABLES:
        sheaf.write(tmp / "t.csv", data, force=True)
        frame = sheaf.read(tmp / "t.csv")
        same({name: column.to_list() for name, column in frame.items()}, columns)
    for array in ARRAYS:
        sheaf.write(tmp / "y.npy", array, force=True)
        same(np.load(tmp / "y.npy"), np.asarray(array))
    for data, message in ITEMS:
        with raises(sheaf.UsageError, message):
            sheaf.write(tmp / "none.csv", data)
        same((tmp / "none.csv").exists(), False)


def test_archives_have_these_names(tmp):
    arrays = {"a": np.arange(3), "file": np.ones((2, 2)), "c.d": np.array(1.5)}
    sheaf.write(tmp / "a.npz", arrays)
    with np.load(tmp / "a.npz") as found:
        same(list(found), list(arrays))
        for name, array in arrays.items():
            same(found[name], array)
    with raises(FileExistsError):
        sheaf.write(tmp / "a.npz", arrays)
    torch = need("torch")
    sheaf.write(tmp / "a.npz", torch.nn.Linear(2, 3).state_dict(), force=True)
    same(sorted(np.load(tmp / "a.npz")), ["bias", "weight"])


def test_x_and_y(tmp):
    sheaf.write(tmp / "x.svm", (np.eye(3), np.array([0, 1, 2])))
    frame = sheaf.read(tmp / "x.svm")
    same((frame["label"].values.tolist(), len(frame["features"].indices)), ([[0], [1], [2]], 9))


def test_pieces(tmp):
    frame = sheaf.read(words(tmp))
    with sheaf.Writer(tmp / "w.ctf", frame.schema) as writer:
        writer.write(frame[1:])
        writer.write(frame)
    same(len(sheaf.read(tmp / "w.ctf")), 3)
    with raises(ZeroDivisionError), sheaf.Writer(tmp / "no.csv") as writer:
        writer.write({"a": [1]})
        raise ZeroDivisionError
    same((tmp / "no.csv").exists(), False)
    pandas = need("pandas")
    index = pandas.Index(["k", "l"], name="key")
    sheaf.write(tmp / "p.csv", pandas.DataFrame({"c": pandas.Categorical(["x", None])}, index))
    same(sheaf.read(tmp / "p.csv")["key"].to_list(), ["k", "l"])
    same(sheaf.read(tmp / "p.csv")["c"].to_list(), WORDS)
