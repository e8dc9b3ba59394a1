# SPDX-License-Identifier: MIT
"""The table of docs/python.md: what is a view, and what a copy, by the addresses; a check for each of its
rows."""
import os
import re
import subprocess
import sys
from ctypes import pointer

import numpy as np
import sheaf
from common import Skip, matrix, need, need_dlpack, raises, rows_of_table, same, words
from sheaf import writing
from sheaf._context import Context
from sheaf.fields import Schema
from sheaf.frame import Frame


def address(array):
    return array.__array_interface__["data"][0]


def within(part, whole):
    """Whether an array lies in the memory of another."""
    begin, size = address(whole), whole.nbytes
    return begin <= address(part) < begin + max(1, size)


def stream(tmp, name):
    return sheaf.read(words(tmp))[name]


def entries(tmp):
    return sheaf.read(matrix(tmp))


def columns(tmp):
    path = tmp / "t.csv"
    path.write_text("n,t,d,m,b\n1,abc,2020-01-01T00:00:00,,true\n2,de,2021-01-01T00:00:00,5,false\n")
    return sheaf.read(path, columns="n:int32,t:string,d:datetime,m:int32 null,b:bool")


def column(tmp, name):
    return columns(tmp)[name]


def complex_column(tmp):
    (tmp / "z.mtx").write_text("%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 2\n2 2 3 4\n")
    return sheaf.read(tmp / "z.mtx")["value"]


def sorted_entries(tmp, layout):
    sparse = need("scipy.sparse")
    path = tmp / f"{layout}.npz"
    sparse.save_npz(path, entries(tmp).to_scipy("coo").asformat(layout))
    return sheaf.read(path)


def saved(tmp, array, name="a.npy"):
    np.save(tmp / name, array)
    return tmp / name


# ---- pairs of what is made and the memory that it is a view of, or a copy, for each row of the table ----


def parts(tmp):
    tag, word = stream(tmp, "tag"), stream(tmp, "word")
    return [(tag.values, tag.part("values")), (word.values, word.part("values")),
            (word.indices, word.part("indices"))]


def offsets(tmp):
    word = stream(tmp, "word")
    return [(word.offsets, word.part("offsets")), (word.entry_offsets, word.part("offsets", 1))]


def bits(tmp):
    m = column(tmp, "m")
    return [(m.valid, m.part("valid"))]


def items(tmp):
    columns = [column(tmp, "n"), column(tmp, "d"), complex_column(tmp)]
    return [(np.ma.getdata(each.to_numpy()), each.part("values")) for each in [*columns, column(tmp, "m")]]


def objects(tmp):
    columns = [column(tmp, "b"), column(tmp, "t"), stream(tmp, "tag")]
    if has("scipy"):
        columns.append(stream(tmp, "word"))
    return [(each.to_numpy(), each.part("values")) for each in columns]


def csr_of_stream(tmp):
    need("scipy")
    word = stream(tmp, "word")
    made = word.to_scipy("csr")
    return [(made.data, word.values), (made.indices, word.indices)]


def pointers_of_stream(tmp):
    need("scipy")
    word = stream(tmp, "word")
    return [(word.to_scipy("csr").indptr, word.part("offsets", 1))]


def coo(tmp):
    need("scipy")
    frame = entries(tmp)
    made = frame.to_scipy("coo")
    return [(made.data, frame["value"].values), (made.row, frame["i"].values), (made.col, frame["j"].values)]


def ordered(tmp):
    found = []
    for layout, inner in (("csr", "j"), ("csc", "i")):
        frame = sorted_entries(tmp, layout)
        made = frame.to_scipy(layout)
        found += [(made.data, frame["value"].values), (made.indices, frame[inner].values)]
    return found


def containers(tmp, array):
    """A dense tensor in each container that has such: as `convert` writes it, and as h5py and zarr-python do
    where they are there."""
    source, found = saved(tmp, array), []
    for name in ("a.npz", "a.bsp.h5", "a.nc", "a.zarr", "a.zarr.zip"):
        options = {} if name == "a.npz" else {"to": "binsparse", "layout": "D" * array.ndim}
        sheaf.convert(source, tmp / name, **options)
        found.append(tmp / name)
    if h5py := has("h5py"):
        for name, options in (("b.h5", {}), ("chunks.h5", {"chunks": True, "compression": "gzip"})):
            with h5py.File(tmp / name, "w") as file:
                file.create_dataset("x", data=array, **options)
            found.append(tmp / name)
    if zarr := has("zarr"):
        for version in (2, 3):
            zarr.save_array(tmp / f"b{version}.zarr", array, zarr_format=version)
            found.append(tmp / f"b{version}.zarr")
    return found


def dense_tensor(tmp):
    array = np.arange(1.0, 25).reshape(2, 3, 4)
    frames = [sheaf.read(path) for path in [saved(tmp, array, "b.npy"), *containers(tmp, array)]]
    return [(frame.to_numpy(), whole) for frame in frames
            for whole in (frame._whole._column(0).part("values"), frame["value"].values)]


def unordered(tmp):
    need("scipy")
    frame = entries(tmp)
    made = [frame.to_scipy(layout) for layout in ("csr", "csc")]
    for array in (array for x in made for array in (x.data, x.indices, x.indptr)):
        assert array.flags.writeable and array.flags.aligned, array.flags
    found = [(x.data, frame["value"].values) for x in made]
    return [*found, (sorted_entries(tmp, "csr").to_scipy("csc").data, frame["value"].values)]


def torch(tmp):
    need("torch")
    tag, word = stream(tmp, "tag"), stream(tmp, "word")
    csr, each = word.to_torch("csr"), word.to_torch("parts")
    return [(tag.to_torch("nested").values().numpy(), tag.values), (csr.values().numpy(), word.values),
            (csr.col_indices().numpy(), word.indices), (csr.crow_indices().numpy(), word.entry_offsets),
            (each["values"].numpy(), word.values), (each["indices"].numpy(), word.indices),
            (each["offsets"].numpy(), word.offsets), (each["entry_offsets"].numpy(), word.entry_offsets)]


def awkward(tmp):
    need("awkward")
    frame = sheaf.read(words(tmp))
    tag, word = frame["tag"], frame["word"]
    dense, sparse = tag.to_awkward().layout.content, word.to_awkward().layout.content.content
    return [(dense.content.data, tag.values), (sparse.contents[0].data, word.indices),
            (sparse.contents[1].data, word.values)]


def jax(tmp):
    """Nothing is promised of its addresses: that it is the same, only."""
    need("jax")
    same(np.asarray(stream(tmp, "tag").to_jax()), stream(tmp, "tag").values)
    return []


def dlpack(tmp):
    need_dlpack()
    tag = stream(tmp, "tag")
    return [(np.from_dlpack(tag), tag.values)]


def buffer(array, number):
    """A buffer of an array of pyarrow's, as bytes."""
    return np.frombuffer(array.buffers()[number], np.uint8)


def arrow(tmp):
    pa = need("pyarrow")
    frame, table = sheaf.read(words(tmp)), columns(tmp)
    made, n, t = pa.table(frame), table["n"], table["t"]
    tag, word = made["tag"].chunk(0), made["word"].chunk(0)
    texts = pa.table(table)["t"].chunk(0)
    return [(buffer(tag.values.values, 1), frame["tag"].values), (buffer(tag, 1)[:24], frame["tag"].offsets),
            (buffer(word.values.values.field("index"), 1), frame["word"].indices),
            (buffer(word.values.values.field("value"), 1), frame["word"].values),
            (buffer(pa.table(table)["n"].chunk(0), 1), n.values),
            (buffer(texts, 1), t.part("offsets")), (buffer(texts, 2), t.values)]


def arrow_copies(tmp):
    pa = need("pyarrow")
    table, frame = columns(tmp), sheaf.read(words(tmp))
    small = pa.table(sheaf.open(words(tmp)).to_arrow(offsets=32))["tag"].chunk(0)
    (tmp / "m.csv").write_text("m\n1\n\n3\n\n5\n")
    later = next(iter(sheaf.open(tmp / "m.csv", columns="m:int32 null", skip=3)))
    missing = pa.table(later)["m"].chunk(0)
    return [(buffer(pa.table(table)["b"].chunk(0), 1), table["b"].part("values")),
            (buffer(small, 1), frame["tag"].part("offsets")),
            (buffer(missing, 0), later["m"].part("valid"))]


def binsparse(tmp):
    frame = entries(tmp)
    buffers = frame.to_binsparse()[1]
    return [(buffers["values"], frame["value"].values), (buffers["indices_0"], frame["i"].values),
            (buffers["indices_1"], frame["j"].values)]


def written(data):
    """A frame of what `write` would write."""
    context = Context()
    builder = writing.built(context, data, 0)
    frame = Frame(Schema(builder.schema), context, pointer(builder.frame))
    frame.builder = builder
    return frame


def arrays(_tmp):
    dense, counts, n = np.ones((3, 2), np.float32), np.array([0, 1, 3]), np.arange(4.0)
    found = [(written({"A": (dense, counts)})["A"], dense), (written({"n": n, "m": n})["n"], n)]
    if has("scipy"):
        matrix_ = need("scipy.sparse").random(4, 5, 0.5, "csr", np.float32, 1)
        block = written({"B": matrix_})["B"]
        found += [(block, matrix_.data), (block.indices, matrix_.indices)]
    return [(getattr(made, "values", made), whole) for made, whole in found]


def written_copies(_tmp):
    """What the last column says of the row above."""
    dense, counts = np.ones((3, 2), ">f4"), np.array([0, 1, 3], np.int32)
    swapped = written({"A": (dense, counts)})["A"]
    strided = np.ones((3, 4), np.float32)[:, ::2]
    lists = [np.ones((2, 2), np.float32), np.ones((1, 2), np.float32)]
    return [(swapped.values, dense), (swapped.offsets, counts),
            (written({"A": strided})["A"].values, strided), (written({"A": lists})["A"].values, lists[0])]


def has(module):
    try:
        return need(module)
    except Skip:
        return None


CHECKS = {
    "`Column.values`, `indices`": parts,
    "`Column.offsets`, `entry_offsets`": offsets,
    "`Column.valid`": bits,
    "`Column.to_numpy()` of numbers, dates, complex numbers": items,
    "`Column.to_numpy()` of truth values, texts, streams": objects,
    '`Column.to_scipy("csr")`: data, indices': csr_of_stream,
    '`Column.to_scipy("csr")`: indptr': pointers_of_stream,
    '`Frame.to_scipy("coo")`': coo,
    '`Frame.to_scipy("csr")` of entries by rows, `"csc"` by columns': ordered,
    "`Frame.to_scipy` of other entries": unordered,
    "`Frame.to_numpy()` of dense tensors (NPY, NPZ, HDF5, Zarr, netCDF)": dense_tensor,
    "`to_torch()`: nested, CSR, parts": torch,
    "`to_awkward()`": awkward,
    "`to_jax()`": jax,
    "`__dlpack__`, `np.from_dlpack`": dlpack,
    "Arrow: numbers, lists, texts, sparse entries": arrow,
    "Arrow: truth values, bits that do not begin at a byte, offsets of 32 bits": arrow_copies,
    "`to_binsparse()`": binsparse,
    "`sheaf.write(path, arrays)`": arrays,
}


def check(name, is_view, pairs):
    for number, (made, whole) in enumerate(pairs):
        wanted = "view" if is_view else "copy"
        assert made.size and within(made, whole) == is_view, f"{name}, pair {number}: expected a {wanted}"


def test_table_has_a_check_for_each_row():
    same(sorted(row[0] for row in rows_of_table("what")), sorted(CHECKS))
    same({row[1] for row in rows_of_table("what")}, {"view", "copy"})


def check_row(name):
    """The test of a row."""
    def test(tmp):
        (word,) = [row[1] for row in rows_of_table("what") if row[0] == name]
        check(name, word == "view", CHECKS[name](tmp))

    return test


for _name, _function in CHECKS.items():
    globals()[f"test_row_{_function.__name__}"] = check_row(_name)


def test_writing_copies_what_it_must(tmp):
    check("write", False, written_copies(tmp))


def test_offsets_of_a_part_begin_at_0(tmp):
    later = sheaf.read(words(tmp), skip=1)["tag"]
    same(later.offsets, np.array([0, 1]))


def test_arrays_are_the_librarys(tmp):
    frame = sheaf.read(words(tmp))
    tag, word = frame["tag"], frame["word"]
    held = {flat[0] for flat in frame._held.flats()}
    assert {address(tag.values), address(word.values), address(word.indices), address(tag.offsets)} <= held


def test_tables(tmp):
    t = column(tmp, "t")
    assert within(t.values, t.part("values")) and within(t.offsets, t.part("offsets"))
    same(t.to_list(), ["abc", "de"])
    m = column(tmp, "m")
    same(m.to_list(), [None, 5])
    assert address(np.ma.getdata(m.to_numpy())) == address(m.part("values"))
    d = column(tmp, "d")
    same(str(d.values.dtype), "datetime64[s]")
    assert address(d.values) == address(d.part("values"))


def joined(source, name, **options):
    """A column of all frames."""
    parts = [frame[name].values for frame in sheaf.open(source, **options)]
    return np.concatenate(parts) if parts else np.empty(0)


def test_dense_tensors(tmp):
    """Read as one array, they are what their frames are."""
    plain = np.arange(24.0).reshape(2, 3, 4)
    arrays = [plain, plain.T, plain.astype(">i2"), plain[:, 0] + 1j, plain[0] > 5, plain[:0], np.array(7.0),
              plain.astype("f2"), plain[0, 0]]
    for array in arrays:
        path = saved(tmp, array)
        frame = sheaf.read(path)
        assert type(frame).__name__ == "Dense"
        same(frame.to_numpy(), array)
        assert frame._entries is None, "coordinates that nobody asked for"
        same(len(frame), array.size)
        for name in frame.names:
            same(frame[name].values, joined(path, name))
        values = frame["value"].values
        copied = not values.size or array.dtype == bool
        assert copied or within(values, frame._whole._column(0).part("values"))
        same(frame.texts(), "".join(part.texts() for part in sheaf.open(path)))


def test_dense_tensors_of_containers(tmp):
    """Read as one array, too, without coordinates that nobody asked for."""
    for array in (np.arange(24.0).reshape(2, 3, 4), np.arange(6, dtype="f4").reshape(3, 2), np.arange(5)):
        folder = tmp / str(array.ndim)
        folder.mkdir()
        for path in containers(folder, array):
            frame = sheaf.read(path)
            assert type(frame).__name__ == "Dense", path
            same(frame.to_numpy(), array)
            assert frame._entries is None, path
            for name in frame.names:
                same(frame[name].values, joined(path, name))


PEAK = """
import sys
import sheaf

def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) << 10

sheaf.read(sys.argv[1]).to_numpy()
before = peak()
array = sheaf.read(sys.argv[2]).to_numpy()
print(peak() - before, array.nbytes)
"""


def test_dense_tensors_are_in_memory_once(tmp):
    """What reading takes, of the system: little more than the array, where coordinates would take twice as
    much again."""
    if not os.path.exists("/proc/self/status"):
        raise Skip("no /proc")
    (tmp / "small").mkdir()
    (tmp / "large").mkdir()
    small = containers(tmp / "small", np.zeros((2, 3)))
    large = containers(tmp / "large", np.random.default_rng(1).random((4096, 1024)))
    for few, many in zip(small, large):
        printed = subprocess.run([sys.executable, "-c", PEAK, few, many], capture_output=True, text=True,
                                 check=True).stdout
        taken, size = map(int, printed.split())
        assert taken < 1.5 * size, f"{many.name}: expected about {size} bytes, found {taken}"


def test_tensors_that_scipy_does_not_compress(tmp):
    need("scipy")
    cube, vector = saved(tmp, np.eye(3)[None]), saved(tmp, np.arange(3.0), "v.npy")
    for path, layout, rank in ((cube, "csr", 3), (cube, "csc", 3), (vector, "csc", 1)):
        with raises(sheaf.UsageError, f'expected "coo" for a tensor whose rank is {rank}') as caught:
            sheaf.read(path).to_scipy(layout)
        same((caught.error.option, caught.error.found), ("layout", f'"{layout}"'))


def test_dense_tensors_of_archives(tmp):
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    np.savez_compressed(tmp / "a.npz", x=array)
    sheaf.write(tmp / "a.bsp.h5", array, layout="dmatr")
    for name in ("a.npz", "a.bsp.h5"):
        frame = sheaf.read(tmp / name)
        assert type(frame).__name__ == "Dense", name
        same(frame.to_numpy(), array)
        same(frame["j"].values, np.array([0, 1, 2, 0, 1, 2], np.int32))


def test_parts_of_dense_tensors_are_entries(tmp):
    path = saved(tmp, np.arange(6.0).reshape(2, 3))
    same(sheaf.read(path, skip=4)["value"].values, np.array([4.0, 5.0]))
    same(sheaf.read(path, rows="2")["j"].values, np.array([0, 1], np.int32))
    same(sheaf.read(path, transpose=True).to_numpy(), np.arange(6.0).reshape(2, 3).T)
    sheaf.write(tmp / "a.mtx", np.arange(6.0).reshape(2, 3), layout="array")
    same(sheaf.read(tmp / "a.mtx").to_numpy(), np.arange(6.0).reshape(2, 3))


def test_dlpack_says_where_it_is(tmp):
    same(stream(tmp, "tag").__dlpack_device__(), (1, 0))


def test_torch(tmp):
    torch = need("torch")
    frame = sheaf.read(words(tmp))
    tag, word = frame["tag"], frame["word"]
    nested = tag.to_torch()
    same(nested.values().data_ptr(), address(tag.values))
    same([t.shape[0] for t in nested.unbind()], [3, 1])
    same(tag.to_torch("values").data_ptr(), address(tag.values))
    csr = word.to_torch()
    same((csr.values().data_ptr(), csr.col_indices().data_ptr()),
         (address(word.values), address(word.indices)))
    same(csr.to_dense().numpy(), word.to_scipy().toarray())
    parts = word.to_torch("parts")
    same(parts["indices"].data_ptr(), address(word.indices))
    same(entries(tmp).to_torch().to_dense().numpy(), entries(tmp).to_numpy())
    same(entries(tmp).to_torch("coo").to_dense().numpy(), entries(tmp).to_numpy())
    same(torch.from_dlpack(tag).data_ptr(), address(tag.values))


def test_jax(tmp):
    need("jax")
    frame = sheaf.read(words(tmp))
    same(np.asarray(frame["tag"].to_jax()), frame["tag"].values)
    same(np.asarray(frame["word"].to_jax().todense()), frame["word"].to_scipy().toarray())


def test_awkward(tmp):
    ak = need("awkward")
    frame = sheaf.read(words(tmp))
    array = frame.to_awkward()
    same(ak.num(array["tag"], axis=1).tolist(), [3, 1])
    same(array["word"].tolist()[1], [[{"index": 5, "value": 1.0}]])
    tag = frame["tag"].to_awkward()
    same(tag.layout.content.content.data.__array_interface__["data"][0], address(frame["tag"].values))
    assert column(tmp, "t").to_awkward().tolist() == ["abc", "de"]
    assert column(tmp, "m").to_awkward().tolist() == [None, 5]


def test_binsparse(tmp):
    header, buffers = entries(tmp).to_binsparse()
    same((header["format"], header["shape"], header["number_of_stored_values"]), ("COO", [3, 4], 4))
    same(header["data_types"], {"indices_0": "int32", "indices_1": "int32", "values": "float64"})
    frame = entries(tmp)
    same(address(frame.to_binsparse()[1]["values"]), address(frame["value"].values))


def test_cards(tmp):
    from html.parser import HTMLParser

    for shown in (sheaf.open(words(tmp)), sheaf.read(words(tmp)), sheaf.open(matrix(tmp))):
        HTMLParser().feed(shown._repr_html_())
    assert "word" in sheaf.open(words(tmp))._repr_html_() and "&lt;" not in sheaf.read(
        words(tmp))._repr_html_()
    assert re.search(r"2 sequences", sheaf.open(words(tmp))._repr_html_())
