# SPDX-License-Identifier: MIT
"""Opening and reading: views, sources, failures."""
import errno
import gc
import io
import os
import pickle
import threading
import warnings
import zipfile

import numpy as np
import sheaf
from common import COMMAND, command, matrix, need, raises, same, words
from sheaf._context import _contexts


def test_streams_are_views(tmp):
    frame = sheaf.read(words(tmp))
    word, tag = frame["word"], frame["tag"]
    same(word.values, np.ones(4, np.float32))
    same(word.indices, np.array([2, 17, 9, 5], np.int32))
    same(word.offsets, np.array([0, 3, 4]))
    same(word.entry_offsets, np.arange(5))
    same(tag.values, np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]], np.float32))
    same(tag.offsets, np.array([0, 3, 4]))
    assert not word.values.flags.writeable and not tag.values.flags.owndata
    with raises(ValueError):
        word.values[0] = 2
    # Asked again, it is the same memory.
    assert np.shares_memory(tag.values, frame["tag"].values)
    assert tag.values.__array_interface__["data"][0] == frame["tag"].part("values").__array_interface__[
        "data"][0]


def test_arrays_outlive_all_else(tmp):
    values = sheaf.read(words(tmp))["tag"].values
    other = [frame["tag"].values for frame in sheaf.open(words(tmp))][0]
    same(values.sum(), 4.0)
    same(other.sum(), 4.0)


def test_memory_goes_with_its_last_owner(tmp):
    """Frames, columns and batches hold nothing that holds them: the garbage collector has nothing to do."""
    gc.collect()
    gc.disable()
    try:
        before = set(_contexts)
        frame = sheaf.read(words(tmp))
        assert len(set(_contexts) - before) == 1
        column = frame["word"]
        del frame
        assert not set(_contexts) - before and len(column) == 2 and column.values.sum() == 4
        np.save(tmp / "a.npy", np.arange(6.0).reshape(2, 3))
        dense = sheaf.read(tmp / "a.npy")
        assert dense["value"].values[5] == 5 and len(dense["i"].values) == 6
        del dense
        for batch in sheaf.batches(words(tmp), size=2):
            batch["word"].values  # noqa: B018
        del batch
        assert not set(_contexts) - before
    finally:
        gc.enable()


def test_a_dataset_begins_anew(tmp):
    dataset = sheaf.open(words(tmp))
    assert dataset.format == "ctf" and dataset.rows == 2
    same([len(frame) for frame in dataset], [2])
    same([len(frame) for frame in dataset], [2])
    same(dataset.read().row_keys, np.array([0, 1], np.uint64))
    again = pickle.loads(pickle.dumps(dataset))
    same(again.schema.names, dataset.schema.names)
    dataset.close()
    dataset.close()


def test_sources(tmp):
    path = words(tmp)
    wanted = sheaf.hash(path)
    for source in (str(path), path.read_bytes(), bytearray(path.read_bytes()), io.BytesIO(path.read_bytes()),
                   path.open("rb")):
        same(sheaf.hash(source), wanted)
        if hasattr(source, "close"):
            source.close()
    with raises(ValueError, "expected a path"):
        sheaf.open(3)


class Pipe(io.RawIOBase):
    """Bytes that come once."""

    def __init__(self, data):
        self._data = io.BytesIO(data)

    def readable(self):
        return True

    def read(self, n=-1):
        return self._data.read(min(n, 7))


def test_objects_that_are_read_once(tmp):
    path = words(tmp)
    same(sheaf.hash(Pipe(path.read_bytes()), stream=["word:18:sparse", "tag:3:dense"]), sheaf.hash(path))


def test_what_a_source_raises_is_raised(tmp):
    class Broken(Pipe):
        def read(self, n=-1):
            raise KeyError("gone")

    with raises(KeyError, "gone"):
        sheaf.open(Broken(b""))


def test_what_a_source_gives_is_bytes(tmp):
    for given, found in (("0 |a 1", "one opened as text"), (None, "found NoneType"), (5, "found int"),
                         (b"0 |a 1\n" * 1_000_000, "expected at most ")):
        for name in ("Pipe", "file"):
            class Wrong(Pipe if name == "Pipe" else io.BytesIO):
                def read(self, n=-1, given=given):
                    return given

            with raises(sheaf.UsageError, found) as caught:
                sheaf.open(Wrong(b"x" * 100))
            same(caught.error.option, "source")


def test_tables_read_speculatively(tmp):
    """Types are first those of the beginning; what comes later may say something else."""
    path = tmp / "t.csv"
    rows = "".join(f"{i},{i / 7},alpha\n" for i in range(60000))
    for last in ("1,2,beta", "1.5,2,beta", "-0,2,beta", "1,,null", "18446744073709551615,1,x", "1,x,NA"):
        path.write_text(f"a,b,c\n{rows}{last}\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sheaf.DataWarning)
            one, two = sheaf.read(path), sheaf.open(path).read()
        same([repr(f) for f in one.schema.fields], [repr(f) for f in two.schema.fields])
        for name in "abc":
            same(one[name].to_list(), two[name].to_list())
    path.write_text(f"a,b,c\n{rows}1,2\n1,2,x\n")
    with raises(sheaf.DataError, "t.csv:60002:"):
        sheaf.read(path)


def test_ends_are_read_first(tmp):
    """Of a file whose beginning says little only parts are read."""
    path, binary = words(tmp), tmp / "words.cbf"
    sheaf.convert(path, binary)
    places = []

    class Counting(io.BytesIO):
        def read(self, n=-1):
            places.append(self.tell())
            return super().read(n)

    same(sheaf.hash(Counting(binary.read_bytes())), sheaf.hash(path))
    assert max(places) > 0


def test_failures_say_where(tmp):
    path = tmp / "bad.ctf"
    path.write_text("0 |a 1 2\n0 |a 1 x\n")
    with raises(sheaf.DataError, "bad.ctf:2") as caught:
        sheaf.read(path, stream=["a:2:dense"])
    error = caught.error
    assert isinstance(error, ValueError) and error.status == "data"
    same((error.place.file, error.place.line), (str(path), 2))
    assert error.expected and error.found
    again = pickle.loads(pickle.dumps(error))
    same((str(again), again.place.line, again.status), (str(error), 2, "data"))


def test_what_is_tolerated_is_a_warning(tmp):
    path = tmp / "bad.ctf"
    path.write_text("".join(f"{i} |a 1 2\n{i} |a {'1 x' if i % 2 else '3 4'}\n" for i in range(60)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = sheaf.read(path, stream=["a:2:dense"], max_errors=100)
    assert len(frame) > 0
    assert {w.category for w in caught} == {sheaf.DataWarning}
    assert len(caught) == 33 and "are counted" in str(caught[-1].message)
    assert {w.filename for w in caught} == {__file__}


def test_columns_by_name(tmp):
    frame = sheaf.read(words(tmp))
    with raises(KeyError, 'expected the name of a column (word, tag, key), found "wrd"; did you mean word?'):
        frame["wrd"]
    header = ",".join(f"c{i}" for i in range(20))
    many = sheaf.read(f"{header}\n{header.replace('c', '')}\n".encode(), from_="csv")
    with raises(KeyError, '(c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 8 more), found "d"'):
        many["d"]


def test_missing_files():
    with raises(FileNotFoundError, "nowhere.ctf") as caught:
        sheaf.open("nowhere.ctf")
    same((caught.error.errno, caught.error.place.file), (errno.ENOENT, "nowhere.ctf"))


def test_options_have_python_names(tmp):
    path = words(tmp)
    with raises(TypeError, "did you mean max_errors?"):
        sheaf.open(path, max_erors=1)
    with raises(sheaf.UsageError, "max_errors: expected") as caught:
        sheaf.open(path, max_errors="many")
    same(caught.error.option, "max_errors")
    with raises(sheaf.UnknownError, "nothing"):
        sheaf.open(path, from_="nothing")
    with raises(sheaf.DataError, 'allow="unaligned" reads'):
        sheaf.read(b"0 |a 1\n0 |a 2\n0 |b 1\n", stream=["a:1:dense", "b:1:dense"])
    with raises(TypeError, 'use allow="missing"'):
        sheaf.open(path, allow_missing=True)
    with raises(sheaf.UsageError, "found misin; did you mean missing?"):
        sheaf.open(path, allow=["misin"])
    with raises(TypeError):
        sheaf.open(path, **{"max-errors": 1})
    with raises(sheaf.UsageError, "index_base"):
        sheaf.open(path, index_base="1")


def test_limits_are_memory_errors(tmp):
    path = tmp / "large.npy"
    np.save(path, np.zeros(1 << 20))
    with raises(MemoryError) as caught:
        sheaf.read(path, max_memory="1M")
    same(caught.error.status, "limit")


def test_kinds_of_columns(tmp):
    path = tmp / "table.csv"
    path.write_text("n,t,x\n1,abc,1.5\n2,,2.5\n")
    frame = sheaf.read(path)
    same(frame["n"].to_list(), [1, 2])
    same(frame["x"].to_list(), [1.5, 2.5])
    same(frame.schema.rows, "rows")
    assert frame["t"].to_list()[0] == "abc"


def test_tensors_have_shapes(tmp):
    dataset = sheaf.open(matrix(tmp))
    same(dataset.schema.tensor.shape, (3, 4))
    same(dataset.schema.rows, "entries")
    same(dataset.rows, 4)


def test_padded_arrays_are_sequences(tmp):
    padded = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    padded[1, 1:] = 0
    np.save(tmp / "p.npy", padded)
    np.save(tmp / "n.npy", np.array([3, 1], np.uint8))
    dataset = sheaf.open(tmp / "p.npy", lengths=tmp / "n.npy", value="A")
    same([np.asarray(row).tolist() for frame in dataset for row in frame["A"].to_list()],
         [padded[0].tolist(), [[6, 7]]])
    os.rename(tmp / "n.npy", tmp / "p.lengths.npy")
    found = [list(b.lengths) for b in sheaf.batches(tmp / "p.npy", size=8, order="file")]
    same([n for lengths in found for n in lengths], [3, 1])
    np.save(tmp / "p.lengths.npy", np.array([3, 4]))
    with raises(sheaf.DataError, "expected lengths of 0 to 3"):
        sheaf.convert(tmp / "p.npy", tmp / "p.ctf")
    sheaf.convert(tmp / "p.npy", tmp / "p.ctf", lengths="none")
    same(len((tmp / "p.ctf").read_text().splitlines()), 6)


def test_one_dataset_in_threads(tmp):
    dataset = sheaf.open(words(tmp))
    found = []

    def work():
        found.append(sum(len(frame) for frame in dataset))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    same(found, [2] * 4)


def test_progress_is_told(tmp):
    told = []
    path = words(tmp)
    sheaf.read(path, progress=lambda done, total: told.append((done, total)))
    assert told and told[-1][1] == path.stat().st_size

    def fail(done, total):
        raise RuntimeError("enough")

    with raises(RuntimeError, "enough"):
        sheaf.read(path, progress=fail)


def test_nothing_is_open_after_a_fork(tmp):
    dataset = sheaf.open(words(tmp))
    frames = iter(dataset)
    pid = os.fork()
    if pid == 0:
        try:
            next(frames)
        except sheaf.UsageError:
            os._exit(0)
        os._exit(1)
    same(os.waitpid(pid, 0)[1], 0)
    assert COMMAND and command("formats")


def test_partitions(tmp):
    path = tmp / "p.ctf"
    path.write_text("".join(f"{i} |a {i} {i}\n" for i in range(1000)))
    for n in (1, 3, 7):
        parts = sheaf.partitions(path, n, stream=["a:2:dense"])
        assert len(parts) <= n
        parts = pickle.loads(pickle.dumps(parts))
        same(sum(part.rows for part in parts), 1000)
        keys = np.concatenate([frame.row_keys for part in parts for frame in part])
        same(keys, np.arange(1000, dtype=np.uint64))
    with raises(sheaf.UsageError):
        sheaf.partitions(path, 0)


def test_partitions_follow_pieces(tmp):
    sheaf.write(tmp / "p.cbf", {"a": np.ones((5000, 3), np.float32)}, chunk_bytes="8K")
    parts = sheaf.partitions(tmp / "p.cbf", 4)
    same(len(parts), 4)
    assert all(abs(part.rows - 1250) < 410 for part in parts), parts  # a piece has 410
    same([part.first for part in parts][1:], list(np.cumsum([part.rows for part in parts])[:-1]))
    same(sum(len(frame) for part in parts for frame in part), 5000)


def test_selections(tmp):
    path = tmp / "s.ctf"
    path.write_text("".join(f"{i} |a {i} {i} |b {i}\n" for i in range(20)))
    streams = {"stream": ["a:2:dense", "b:1:dense"]}
    same(sheaf.read(path, rows="3:6", **streams).row_keys.tolist(), [3, 4, 5])
    same(sheaf.read(path, rows=2, **streams).row_keys.tolist(), [0, 1])
    same([f.name for f in sheaf.open(path, streams="b", **streams).schema.streams], ["b"])
    same(len(sheaf.read(path, sample=5, seed=1, **streams)), 5)
    same(sheaf.read(path, skip=18, **streams).row_keys.tolist(), [18, 19])


def test_maps_on_request(tmp):
    """What is read is the same; maps are asked for."""
    sheaf.write(tmp / "m.cbf", {"a": np.arange(3000, dtype=np.float32).reshape(1000, 3)})
    wanted = sheaf.read(tmp / "m.cbf")["a"].values
    same(sheaf.read(tmp / "m.cbf", mmap=True)["a"].values, wanted)
    # A file that is cut off after it was read changes nothing in what was read.
    frame = sheaf.read(tmp / "m.cbf")
    before = frame["a"].values.copy()
    with (tmp / "m.cbf").open("r+b") as file:
        file.truncate(10)
    same(frame["a"].values, before)


def test_addresses(tmp):
    need("fsspec")
    path = words(tmp)
    same(sheaf.hash(f"file://{path}"), sheaf.hash(path))
    with raises(FileNotFoundError):
        sheaf.open(f"file://{tmp}/nothing.ctf")


def test_addresses_by_obstore(tmp):
    need("obstore")
    import sys

    path, kept = words(tmp), sys.modules.get("fsspec.core")
    sys.modules["fsspec.core"] = None
    try:
        same(sheaf.hash(f"file://{path}"), sheaf.hash(path))
    finally:
        del sys.modules["fsspec.core"]
        if kept is not None:
            sys.modules["fsspec.core"] = kept


def test_threads_of_small_stacks(tmp):
    """128 kB are enough to convert, open, read and batch."""
    (tmp / "t.csv").write_text("a,b\n1,2.5\n3,4.5\n")
    found = []

    def work():
        for name in ("t.ctf", "t.cbf", "t.tsv", "t.npy", "t.npz", "t.jsonl", "t.arrow", "t.h5", "t.zarr.zip",
                     "t.bsp.h5"):
            sheaf.convert(tmp / "t.csv", tmp / name, allow="loss")
            with sheaf.open(tmp / name):
                batches = list(sheaf.batches(tmp / name, size=2))
            found.append((len(sheaf.read(tmp / name)), len(batches)))

    before = threading.stack_size(131072)
    try:
        with warnings.catch_warnings():  # of what some formats change
            warnings.simplefilter("ignore")
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    finally:
        threading.stack_size(before)
    same(found, [(2, 1)] * 10)


def test_pipes(tmp):
    """A schema, a head and a short pipe come again; a long one says that it was read."""
    def pipe(rows):
        def fill():
            with open(ends[1], "wb") as file:
                file.write(b"a\n" + b"1234567\n" * rows)

        ends = os.pipe()
        threading.Thread(target=fill).start()
        files.append(open(ends[0], "rb", buffering=0))
        return files[-1]

    files = []
    for source in (pipe, lambda n: f"/dev/fd/{pipe(n).fileno()}"):
        d = sheaf.open(source(3), from_="csv")
        assert "1234567" in d.head() and "1234567" in d._repr_html_() and "csv" in repr(d)
        same([sum(map(len, d)) for _ in range(2)], [3, 3])
        d = sheaf.open(source(3000000), from_="csv")
        same(sum(map(len, d)), 3000000)
        with raises(sheaf.UsageError, "this pipe was read already; read it into memory"):
            list(d)
    for file in files:
        file.close()


def test_output_to_addresses(tmp):
    """As a whole or not at all, and nothing is replaced without being asked."""
    need("fsspec")
    address = "memory://out/words.csv.gz"
    sheaf.write(address, {"a": [1, 2]})
    same(len(sheaf.read(address)), 2)
    with raises(FileExistsError, "force=True"):
        sheaf.write(address, {"a": [1]})
    sheaf.convert(words(tmp), "memory://out/words.cbf", force=True)
    same(sheaf.hash("memory://out/words.cbf"), sheaf.hash(words(tmp)))
    (tmp / "text.csv").write_text("n,a\n1,x\n")
    with raises(sheaf.LossError):
        sheaf.convert(tmp / "text.csv", "memory://out/text.cbf")
    with raises(FileNotFoundError):
        sheaf.open("memory://out/text.cbf")
    (tmp / "many.csv").write_text("a\n" + "1234567\n" * 1000000)
    with zipfile.ZipFile(tmp / "many.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.write(tmp / "many.csv", "many.csv")
    same(sheaf.hash(f"zip://many.csv::{tmp}/many.zip"), sheaf.hash(tmp / "many.csv"))


def test_progress(tmp):
    for wrong in ("yes", 3):
        with raises(sheaf.UsageError, "progress: expected True, False, tqdm or a function"):
            sheaf.stats(words(tmp), progress=wrong)
    bar = need("tqdm").tqdm
    same(sheaf.stats(words(tmp), progress=bar)["sequences"], 2)


def test_findings_and_reports(tmp):
    (tmp / "bad.csv").write_text("n,x\n1,2\n3\n4,5,6\n")
    page = sheaf.report(words(tmp))
    assert page["sequences"] == 2 and "srcdoc" in page._repr_html_() and "<svg" in page.page
    sheaf.open(words(tmp)).report(tmp / "page.html")
    assert "<svg" in (tmp / "page.html").read_text()
    need("pandas")
    table = sheaf.validate(tmp / "bad.csv").to_pandas()
    same((list(table["line"]), list(table["expected"])), ([3, 4], ["2 fields"] * 2))
