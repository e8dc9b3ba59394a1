# SPDX-License-Identifier: MIT
"""A frame is a mapping of columns and a sequence of rows; a dataset has rows, too; a tensor is an array."""
import numpy as np
import sheaf
from common import matrix, need, need_dlpack, raises, same

TABLE = "a,b,c\n1,x,0.5\n,y,\n3,,2\n4,w,7\n"
SEQUENCES = "0 |a 1 2 |b 3:1\n1 |a 3 4 |b 4:1\n1 |a 5 6 |b 2:1 4:2\n2 |a 7 8 |b 0:1\n"
# An index of four rows, and the rows that it names.
INDICES = [
    (0, [0]), (-1, [3]), (np.int64(2), [2]),
    (slice(1, 3), [1, 2]), (slice(None, None, -1), [3, 2, 1, 0]), (slice(0, 9, 2), [0, 2]),
    (slice(-2, None), [2, 3]), (slice(3, 1), []), (slice(None, None, -3), [3, 0]),
]
# These a dataset does not have.
OF_FRAMES = [
    ([], []), ([3, 1], [3, 1]), ([2, 2, -4], [2, 2, 0]), (np.array([1, 0]), [1, 0]),
    ([True, False, True, True], [0, 2, 3]), (np.array([False] * 4), []),
    (np.ma.masked_array([True, True, False, True], [True, False, False, False]), [1, 3]),
]
REFUSED = [
    (4, IndexError), (-5, IndexError), ([0, 9], IndexError), (1.5, sheaf.UsageError),
    ([True], sheaf.UsageError), (np.zeros((2, 2), int), sheaf.UsageError), ("nosuch", KeyError),
    (["a", "nosuch"], KeyError),
]
# What a file of one tensor has, and what becomes of it.
ARRAYS = [np.arange(12.0).reshape(3, 4), np.arange(3, dtype="u1"), np.array([True, False]),
          np.array([1 + 2j, 3]), np.array(7.0), np.zeros((0, 3), "i4"), np.ones((2, 3, 2), "f4")]


def table(tmp, text=TABLE, name="t.csv"):
    (tmp / name).write_text(text)
    return tmp / name


def test_a_mapping_of_columns(tmp):
    frame = sheaf.read(table(tmp))
    same((list(frame), frame.keys(), frame.names), (["a", "b", "c"],) * 3)
    same([column.name for column in frame.values()], ["a", "b", "c"])
    same([(name, column.name) for name, column in frame.items()], [(n, n) for n in "abc"])
    same(("a" in frame, "z" in frame, len(frame)), (True, False, 4))
    same(list({**frame}), ["a", "b", "c"])
    same((list(frame["a"]), frame["a"][0], frame["a"][1], frame["b"][-1]), ([1, None, 3, 4], 1, None, "w"))
    same(frame[["c", "a"]].names, ["c", "a"])
    same(frame[["c", "a"]]["a"].to_list(), frame["a"].to_list())


def test_a_sequence_of_rows(tmp):
    dataset, frame = sheaf.open(table(tmp)), sheaf.read(tmp / "t.csv")
    columns = {name: column.to_list() for name, column in frame.items()}
    for rows, indices in ((frame, INDICES + OF_FRAMES), (dataset, INDICES)):
        for index, numbers in indices:
            for name, items in rows[index].items():
                same(items.to_list(), [columns[name][i] for i in numbers])
    for index, kind in REFUSED:
        with raises(kind):
            frame[index]
    for index, kind in [(4, IndexError), (-5, IndexError), ([0], sheaf.UsageError), ("a", sheaf.UsageError)]:
        with raises(kind):
            dataset[index]
    same(len(dataset), 4)
    with raises(sheaf.UsageError, "read()"):
        sheaf.open(tmp / "t.csv", rows=2)[0]


def test_rows_of_sequences(tmp):
    frame = sheaf.read(table(tmp, SEQUENCES, "s.ctf"))
    part = frame[[2, 1]]
    same((part.row_keys.tolist(), part["b"].indices.tolist(), part["a"].offsets.tolist()),
         ([2, 1], [0, 4, 2, 4], [0, 1, 3]))
    same(frame[1:]["a"].values.tolist(), [[3, 4], [5, 6], [7, 8]])
    same(frame[["b"]].row_keys.tolist(), [0, 1, 2])
    same(frame[1:][["b"]].texts(), "1  b [4:1] [2:1 4:2]\n2  b [0:1]\n")
    same(sheaf.open(tmp / "s.ctf")[-2:]["a"].values.tolist(), [[3, 4], [5, 6], [7, 8]])
    sheaf.write(tmp / "part.ctf", part)
    same(sheaf.read(tmp / "part.ctf")["a"].values.tolist(), part["a"].values.tolist())


def test_a_tensor_is_an_array(tmp):
    for array in ARRAYS:
        np.save(tmp / "y.npy", array)
        for x in (sheaf.read(tmp / "y.npy"), sheaf.open(tmp / "y.npy")):
            same((x.shape, x.dtype), (array.shape, array.dtype))
            for found in (x.array, np.asarray(x), np.array(x)):
                same(found, array)
                same(found.dtype, array.dtype)
    np.save(tmp / "y.npy", np.array([2**60 + 1]))
    with raises(sheaf.UsageError, "float32"):
        np.asarray(sheaf.read(tmp / "y.npy"), dtype="f4")
    need_dlpack()
    same(np.from_dlpack(sheaf.read(tmp / "y.npy")).tolist(), [2**60 + 1])


def test_what_is_no_array_says_so(tmp):
    entries, rows = sheaf.read(matrix(tmp)), sheaf.read(table(tmp))
    with raises(sheaf.UsageError, "to_scipy()"):
        np.asarray(entries)
    same(hasattr(rows, "shape"), False)
    (tmp / "half.mtx").write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 -2\n")
    with raises(sheaf.UsageError, "expand=True"):
        sheaf.read(tmp / "half.mtx").to_numpy()
    same(sheaf.read(tmp / "half.mtx", expand=True).to_numpy().tolist(), [[0, -2], [-2, 0]])
    np.save(tmp / "y.npy", np.ones((3, 2)))
    with raises(sheaf.UsageError, "all 6 entries"):
        sheaf.read(tmp / "y.npy")[:3].to_numpy()


def test_what_frames_become(tmp):
    """Beside what test_missing.py has of torch and JAX."""
    for name in ("pandas", "polars", "pyarrow", "duckdb"):
        need(name)
    for x in (sheaf.open(table(tmp)), sheaf.read(tmp / "t.csv")):
        same(x.to_pandas()["a"].isna().tolist(), [False, True, False, False])
        same(x.to_polars()["a"].to_list(), [1, None, 3, 4])
        same(x.to_arrow()["b"].to_pylist(), ["x", "y", None, "w"])
        same(x.to_duckdb().aggregate("sum(a)").fetchall(), [(8,)])
        same(x.to_numpy(missing=0)["a"].tolist(), [1, 0, 3, 4])


def test_torch_and_jax_take_tensors(tmp):
    need("torch")
    for array in ARRAYS[:3]:
        np.save(tmp / "y.npy", array)
        same(sheaf.read(tmp / "y.npy").to_torch().numpy(), array)
    same(sheaf.read(matrix(tmp)).to_torch().to_dense().numpy(), sheaf.read(matrix(tmp)).to_numpy())
    (tmp / "b.csv").write_text("b\ntrue\nfalse\n")
    same(sheaf.read(tmp / "b.csv")["b"].to_torch().tolist(), [True, False])
    need("jax")
    np.save(tmp / "y.npy", np.ones((2, 3), "f4"))
    same(sheaf.read(tmp / "y.npy").to_jax().shape, (2, 3))
    same(list(sheaf.open(table(tmp)).to_jax(columns=["c"], missing=0)), ["c"])


def test_x_and_y(tmp):
    X, y = sheaf.read(table(tmp)).xy(label="b", columns=["c", "a"], missing=0)
    same((X.tolist(), y.tolist()), ([[0.5, 1], [0, 0], [2, 3], [7, 4]], ["x", "y", 0, "w"]))
    frame = sheaf.read(table(tmp, "n,t,y\n1,k,0\n2,l,1\n", "n.csv"))
    with raises(sheaf.UsageError, "t: expected numbers"):
        frame.xy(label="y")
    for label, columns, name in (("b", ["c"], "b: "), ("c", ["a"], "c: ")):
        with raises(sheaf.MissingError, name):
            sheaf.read(tmp / "t.csv").xy(label=label, columns=columns)
    X, y = frame.xy(label="y", columns=["n"])
    same((X.tolist(), y.tolist()), ([[1], [2]], [0, 1]))
    need("scipy")
    X, y = sheaf.open(table(tmp, SEQUENCES, "s.ctf")).xy(label="a")
    same((X.shape, X.format, y.shape), ((4, 5), "csr", (4, 2)))
    X, y = sheaf.read(table(tmp, "1 1:0.5 3:2\n-1 2:1\n", "x.svm")).xy(label="label")
    same((X.toarray().tolist(), y.tolist()), ([[0.5, 0, 2], [0, 1, 0]], [1, -1]))
    uneven = sheaf.read(table(tmp, "0 |a 1 |b 3:1\n0 |b 2:1\n", "u.ctf"))
    with raises(sheaf.UsageError, "1 samples"):
        uneven.xy(label="a")
