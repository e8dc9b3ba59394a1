# SPDX-License-Identifier: MIT
"""What a target cannot take is never dropped and never becomes another value: missing items, columns of
texts, numbers that are too wide."""
import numpy as np
import sheaf
from common import need, need_dlpack, raises, same

TABLE = "a,b,c\n1,x,0.5\n,y,\n3,,2\n"


def table(tmp, text=TABLE):
    (tmp / "t.csv").write_text(text)
    return sheaf.read(tmp / "t.csv")


def test_missing_items_are_masked_or_filled(tmp):
    frame = table(tmp)
    a, c = frame["a"], frame["c"]
    same(a.to_numpy().mask.tolist(), [False, True, False])
    same(a.to_numpy(missing=-1).tolist(), [1, -1, 3])
    same(a.to_numpy(missing=-1).dtype, np.dtype("i8"))
    filled = a.to_numpy(missing=float("nan"))
    same((filled.dtype, np.isnan(filled).tolist()), (np.dtype("f8"), [False, True, False]))
    same(np.isnan(c.to_numpy(missing=np.nan)).tolist(), [False, True, False])
    same(frame["b"].to_numpy(missing="?").tolist(), ["x", "y", "?"])
    with raises(sheaf.UsageError, "0.5"):
        a.to_numpy(missing=0.5)
    with raises(sheaf.UsageError, "missing"):
        table(tmp, "a,b\n9007199254740993,1\n,2\n1,3\n")["a"].to_numpy(missing=np.nan)


def test_a_table_is_a_masked_array(tmp):
    found = table(tmp).to_numpy()
    same(found.mask.tolist(), [(False, False, False), (True, False, True), (False, True, False)])
    same(table(tmp).to_numpy(missing=0, columns=["a", "c"]).tolist(), [(1, 0.5), (0, 0.0), (3, 2.0)])
    same(type(table(tmp, "a,b\n1,2\n").to_numpy()), np.ndarray)


def test_arrays_of_missing_items_are_refused(tmp):
    for take in (np.asarray, np.from_dlpack, lambda a: a.__dlpack__()):
        with raises(sheaf.MissingError, "to_numpy(missing=") as caught:
            take(table(tmp)["a"])
        same((caught.error.column, caught.error.count), ("a", 1))
    same(isinstance(caught.error, ValueError), True)
    same(np.asarray(table(tmp, "a\n1\n2\n")["a"]).tolist(), [1, 2])


def test_what_has_no_items_of_one_size_is_no_array_of_others(tmp):
    (tmp / "s.ctf").write_text("0 |a 1 2 |b 3:1\n")
    frame = sheaf.read(tmp / "s.ctf")
    for column in (table(tmp)["b"], frame["b"]):
        with raises(sheaf.UsageError, column.name):
            np.from_dlpack(column)
    need_dlpack()
    same(np.from_dlpack(frame["a"]).tolist(), [[1, 2]])


def test_a_frame_is_no_array_of_names(tmp):
    for rows in (table(tmp), sheaf.open(tmp / "t.csv")):
        with raises(sheaf.UsageError, "to_pandas()"):
            np.asarray(rows)


def test_pandas_takes_a_table_by_its_method(tmp):
    pandas, _ = need("pandas"), need("pyarrow")
    for rows in (table(tmp), sheaf.open(tmp / "t.csv")):
        same(rows.to_pandas()["a"].isna().tolist(), [False, True, False])
        same(list(rows.to_pandas().columns), ["a", "b", "c"])
        with raises(sheaf.UsageError, "to_pandas()"):
            pandas.DataFrame(rows)


def test_numbers_keep_their_value_in_other_types(tmp):
    wide = table(tmp, "n,x\n9007199254740993,1e300\n-5,0.1\n")
    for name, dtype in (("n", "f4"), ("n", "f8"), ("n", "i4"), ("n", "u8"), ("x", "f4"), ("x", "i8")):
        with raises(sheaf.UsageError, name):
            np.asarray(wide[name], dtype=dtype)
    narrow = table(tmp, "n,x\n16777216,1.5\n-5,0.1\n")
    same(np.asarray(narrow["n"], dtype="f4").tolist(), [16777216, -5])
    same(np.asarray(narrow["x"], dtype="f4").tolist(), [1.5, float(np.float32(0.1))])


def test_torch_takes_all_columns_or_those_that_are_named(tmp):
    torch = need("torch")
    frame = table(tmp)
    with raises(sheaf.MissingError, "missing="):
        frame["a"].to_torch()
    with raises(sheaf.UsageError, "columns=") as caught:
        frame.to_torch()
    same("b" in str(caught.error), True)
    with raises(sheaf.MissingError, "missing="):
        frame.to_torch(columns=["a"])
    same(frame.to_torch(columns=["c", "a"], missing=0)["a"].tolist(), [1, 0, 3])
    same(list(frame.to_torch(columns=["c", "a"], missing=0)), ["c", "a"])
    with raises(sheaf.MissingError, "missing="):
        torch.as_tensor(frame["a"])
    with raises(sheaf.UsageError, "layout"):
        table(tmp, "a\n1\n").to_torch(layout="nonsense")
    with raises(sheaf.UnknownError, "nosuch"):
        frame.to_torch(columns=["nosuch"])
    same(table(tmp, "d\n2020-01-05T10:00:00\n")["d"].field.storage.startswith("datetime"), True)
    with raises(sheaf.UsageError, "numbers"):
        sheaf.read(tmp / "t.csv")["d"].to_torch()


def test_loaders_take_the_same_options(tmp):
    need("torch")
    (tmp / "s.ctf").write_text("0 |a 1 2 |b 3:1\n1 |a 3 4 |b 4:1\n")
    loader = sheaf.batches(tmp / "s.ctf", size=2)
    with raises(sheaf.UsageError, "layout"):
        loader.to_torch(layout="nonsense")
    same([list(batch) for batch in loader.to_torch(columns=["b"])], [["b"]])
    with raises(sheaf.UsageError, "layout"):
        next(iter(sheaf.batches(tmp / "s.ctf", size=2, pad=1).to_torch(layout="csr")))


def test_a_mask_is_of_truth_values(tmp):
    (tmp / "s.ctf").write_text("0 |a 1\n0 |a 2\n1 |a 3\n")
    for batch in sheaf.batches(tmp / "s.ctf", size=9, pad=1, order="file"):
        same(batch.packed["a"].mask.tolist(), [[True, True], [True, False]])
        same(batch.packed["a"].mask.dtype, np.dtype(bool))


def test_jax_takes_what_it_can_hold(tmp):
    need("jax")
    with raises(sheaf.MissingError, "missing="):
        table(tmp)["a"].to_jax()
    same(table(tmp)["a"].to_jax(missing=7).tolist(), [1, 7, 3])
    with raises(sheaf.UsageError, "jax_enable_x64"):
        table(tmp, "n\n9007199254740993\n5\n")["n"].to_jax()


def test_options_take_one_value_or_a_range(tmp):
    (tmp / "n.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(9)))
    for rows in ((2, 5), slice(2, 5), "2:5"):
        same(sheaf.read(tmp / "n.csv", rows=rows)["n"].values.tolist(), [2, 3, 4])
    same(sheaf.read(tmp / "n.csv", rows=slice(7, None))["n"].values.tolist(), [7, 8])
    same(sheaf.read(tmp / "n.csv", rows=(None, 1))["n"].values.tolist(), [0])
    for wrong in ([2, 5], (1, 2, 3), slice(0, 9, 2), ("1", "2")):
        with raises(sheaf.UsageError, "rows"):
            sheaf.read(tmp / "n.csv", rows=wrong)
    for options in ({"skip": [1, 2]}, {"threads": [1, 2]}, {"delimiter": [",", ";"]}):
        with raises(sheaf.UsageError, "one value"):
            sheaf.read(tmp / "n.csv", **options)


def test_lists_with_missing_entries_are_lists(tmp):
    (tmp / "s.jsonl").write_text('{"key":0,"streams":{"a":[[1]]}}\n')
    same(sheaf.read(tmp / "s.jsonl")["a"].to_numpy()[0].tolist(), [[1.0]])
    arrow = need("pyarrow")
    rows = arrow.table({"a": [[1.0, None], None, []], "b": [[1], [2], []], "t": [["x", None], None, []]})
    with arrow.ipc.new_file(tmp / "a.arrow", rows.schema) as file:
        file.write_table(rows)
    frame = sheaf.read(tmp / "a.arrow")
    same(frame["a"].to_list(), [[[1.0], [None]], None, []])
    same(frame["a"].to_numpy(missing=0).tolist(), [[[1.0], [0]], 0, []])
    same(frame["t"].to_list(), [["x", None], None, []])
    for take in (np.asarray, lambda column: column.values, lambda column: column.numbers()):
        with raises(sheaf.UsageError, "to_numpy()"):
            take(frame["a"])
