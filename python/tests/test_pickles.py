# SPDX-License-Identifier: MIT
"""What is pickled is the same again, in one piece or with its arrays beside it; what is not ours is refused."""
import pickle

import numpy as np
import sheaf
from common import matrix, raises, same

TEXTS = {
    "t.csv": "a,b,c,d,f\n1,x,0.5,2020-01-05T10:00:00,true\n,,,,\n3,,2,2021-01-05T10:00:00,false\n",
    "s.ctf": "0 |a 1 2 |b 3:1\n1 |a 3 4 |b 4:1\n1 |a 5 6 |b 2:1 4:2\n2 |a 7 8 |b 0:1\n",
    "x.svm": "1 1:0.5 3:2\n-1 2:1\n",
}
MEMBERS = ("number", "position", "sweep", "sweep_end", "epoch_end", "sequences", "samples", "state", "names")
ARRAYS = [np.arange(6.0).reshape(2, 3), np.array([True, False]), np.array(1 + 2j), np.zeros((0, 2), "i2")]


def frames(tmp):
    for name, text in TEXTS.items():
        (tmp / name).write_text(text)
        whole = sheaf.read(tmp / name)
        yield from (whole, whole[1:], whole[[1, 0]], whole[:0], whole[[whole.names[0]]])
    for i, array in enumerate(ARRAYS):
        np.save(tmp / f"{i}.npy", array)
        yield sheaf.read(tmp / f"{i}.npy")
    yield sheaf.read(matrix(tmp))


def pickled(thing):
    """By each protocol, and with its arrays beside it."""
    yield from (pickle.loads(pickle.dumps(thing, protocol)) for protocol in (2, 4, 5))
    beside = []
    yield pickle.loads(pickle.dumps(thing, 5, buffer_callback=beside.append), buffers=beside)


def test_frames_and_columns(tmp):
    for frame in frames(tmp):
        for made in pickled(frame):
            same((repr(made.schema), made.texts("json")), (repr(frame.schema), frame.texts("json")))
            same(type(made), type(frame))
        for column in frame.values():
            for made in pickled(column):
                same(str(made.to_list()), str(column.to_list()))
                same(repr(made), repr(column))


def test_arrays_are_beside(tmp):
    np.save(tmp / "y.npy", np.ones(100000))
    beside = []
    same(len(pickle.dumps(sheaf.read(tmp / "y.npy"), 5, buffer_callback=beside.append)) < 2000, True)
    same(max(len(buffer.raw()) for buffer in beside), 800000)
    (tmp / "big.ctf").write_text("".join(f"{i} |a {i} {i}\n" for i in range(5000)))
    same(len(pickle.dumps(sheaf.read(tmp / "big.ctf")[4000:4002])) < 2000, True)


def test_batches(tmp):
    (tmp / "s.ctf").write_text(TEXTS["s.ctf"])
    for batch in sheaf.batches(tmp / "s.ctf", size=2, seed=1):
        for made in pickled(batch):
            for name in MEMBERS:
                same(getattr(made, name), getattr(batch, name))
            same((made.row_keys.tolist(), made.lengths.tolist()), 
                 (batch.row_keys.tolist(), batch.lengths.tolist()))
            same((type(made), made.texts()), (sheaf.Batch, batch.texts()))
            same(pickle.loads(pickle.dumps(made)).state, batch.state)
    packed = next(iter(sheaf.batches(tmp / "s.ctf", size=9, pad=1)))
    with raises(TypeError, "grid()"):
        pickle.dumps(packed)
    same(next(pickled(packed.grid())).texts(), packed.grid().texts())


def failure(call):
    try:
        call()
    except sheaf.SheafError as error:
        return error
    raise AssertionError("expected an error")


def test_what_else_is_pickled(tmp):
    (tmp / "t.csv").write_text(TEXTS["t.csv"])
    dataset = sheaf.open(tmp / "t.csv", rows=2)
    for made in pickled(dataset):
        same((made.name, made.read().texts()), (dataset.name, dataset.read().texts()))
    for thing in (dataset.schema, dataset.schema["a"], sheaf.validate(tmp / "t.csv"),
                  sheaf.read(matrix(tmp)).schema):
        for made in pickled(thing):
            same((type(made), repr(made)), (type(thing), repr(thing)))
    for call in (lambda: np.asarray(dataset.read()["a"]), lambda: dataset.read()["z"],
                 lambda: sheaf.open(tmp / "t.csv", colums="a"),
                 lambda: sheaf.read(b"0 |a 1 x\n", from_="ctf")):
        error = failure(call)
        for made in pickled(error):
            same((type(made), str(made), repr(made.place)), (type(error), str(error), repr(error.place)))
            same(vars(error).keys() <= vars(made).keys(), True)


def test_what_is_changed_is_refused(tmp):
    """The library checks what a pickle says of its memory."""
    (tmp / "s.ctf").write_text(TEXTS["s.ctf"])
    make, (schema, rows, columns) = sheaf.read(tmp / "s.ctf").__reduce__()
    for column, key, array in ((0, (1, 0), [0, 1, 99, 99]), (0, (0, 0), [1.0]), (1, (2, 0), [99] * 5),
                               (0, (1, 0), [0])):
        changed = [dict(arrays) for arrays in columns]
        assert key in changed[column]
        changed[column][key] = np.array(array)
        with raises(sheaf.SheafError):
            make(schema, rows, changed)
    with raises(sheaf.SheafError):
        make(schema, 10**9, columns)


def test_a_state_runs_nothing(tmp):
    (tmp / "s.ctf").write_text(TEXTS["s.ctf"])
    loader = sheaf.batches(tmp / "s.ctf", size=2)
    for state in ({"epoch": "__import__('os').system('false')"}, {"version": []}, [], {"epoch": 10**30},
                  {"a": eval}):
        with raises((sheaf.SheafError, TypeError, ValueError)):
            loader.load_state_dict(state)
            list(loader)
