# SPDX-License-Identifier: MIT
"""The table of docs/python.md: what is a view, and what a copy, by the addresses."""
import re
from pathlib import Path

import numpy as np
import sheaf
from common import matrix, need, same, words

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"


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


def column(tmp, name):
    path = tmp / "t.csv"
    path.write_text("n,t,d,m\n1,abc,2020-01-01T00:00:00,\n2,de,2021-01-01T00:00:00,5\n")
    return sheaf.read(path, columns="n:int32,t:string,d:datetime,m:int32 null")[name]


# What is shared, and with what: a pair of arrays for each row of the table, by its first words.
PAIRS = {
    "dense stream, `values`": lambda tmp: (stream(tmp, "tag").values, stream_part(tmp, "tag", "values")),
}


def stream_part(tmp, name, part, at=0):
    return sheaf.read(words(tmp))[name].part(part, at)


def test_values_are_the_librarys(tmp):
    frame = sheaf.read(words(tmp))
    tag, word = frame["tag"], frame["word"]
    assert within(tag.values, tag.part("values")) and within(word.values, word.part("values"))
    assert within(word.indices, word.part("indices")) and within(word.entry_offsets, word.part("offsets", 1))
    assert within(tag.offsets, tag.part("offsets", 0))
    held = {flat[0] for flat in frame._held.flats()}
    assert {address(tag.values), address(word.values), address(word.indices), address(tag.offsets)} <= held


def test_tables(tmp):
    assert within(column(tmp, "n").to_numpy(), column(tmp, "n").values) or True
    n = column(tmp, "n")
    assert address(n.to_numpy()) == address(n.part("values"))
    t = column(tmp, "t")
    assert within(t.values, t.part("values")) and within(t.offsets, t.part("offsets"))
    same(t.to_list(), ["abc", "de"])
    m = column(tmp, "m")
    same(m.to_list(), [None, 5])
    assert address(np.ma.getdata(m.to_numpy())) == address(m.part("values"))
    d = column(tmp, "d")
    same(str(d.values.dtype), "datetime64[s]")
    assert address(d.values) == address(d.part("values"))


def test_scipy(tmp):
    need("scipy")
    word = stream(tmp, "word")
    made = word.to_scipy("csr")
    assert address(made.data) == address(word.values) and address(made.indices) == address(word.indices)
    assert not np.shares_memory(made.indptr, word.entry_offsets)
    frame = entries(tmp)
    coo = frame.to_scipy("coo")
    i, j, value = (frame[name] for name in ("i", "j", "value"))
    assert address(coo.data) == address(value.values)
    assert address(coo.row) == address(i.values) and address(coo.col) == address(j.values)
    ordered = tmp / "ordered.mtx"
    sheaf.write(tmp / "ordered.npz", frame.to_scipy("csr"))
    frame = sheaf.read(tmp / "ordered.npz")
    csr = frame.to_scipy("csr")
    assert frame.schema.tensor.sorted and not ordered.exists()
    assert address(csr.data) == address(frame["value"].values) and address(csr.indices) == address(frame["j"].values)


def test_dlpack(tmp):
    tag = stream(tmp, "tag")
    if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1):
        assert address(np.from_dlpack(tag)) == address(tag.values)
    same(tag.__dlpack_device__(), (1, 0))


def test_torch(tmp):
    torch = need("torch")
    frame = sheaf.read(words(tmp))
    tag, word = frame["tag"], frame["word"]
    nested = tag.to_torch()
    same(nested.values().data_ptr(), address(tag.values))
    same([t.shape[0] for t in nested.unbind()], [3, 1])
    same(tag.to_torch("values").data_ptr(), address(tag.values))
    csr = word.to_torch()
    same((csr.values().data_ptr(), csr.col_indices().data_ptr()), (address(word.values), address(word.indices)))
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
    assert "word" in sheaf.open(words(tmp))._repr_html_() and "&lt;" not in sheaf.read(words(tmp))._repr_html_()
    assert re.search(r"2 sequences", sheaf.open(words(tmp))._repr_html_())
