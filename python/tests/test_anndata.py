# SPDX-License-Identifier: MIT
"""AnnData: random objects, with all that AnnData writes, are equal whoever writes and whoever reads them."""
import os
import warnings

import sheaf
from common import need

OBJECTS = int(os.environ.get("ANNDATA_OBJECTS", "12"))


def helpers():
    """AnnData and its own helpers for tests, which need more than AnnData."""
    anndata = need("anndata")
    for name in "pytest", "scipy", "pandas":
        need(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anndata, __import__("anndata.tests.helpers", fromlist=["gen_adata"])


def random_object(helpers, k):
    """Sparse by rows or columns, dense or no X; data frames with every kind of column; nested values."""
    import numpy as np
    import pandas as pd
    from scipy import sparse

    random = np.random.default_rng(k)
    np.random.seed(k)
    kinds = np.ndarray, sparse.csr_matrix, pd.DataFrame
    shape = random.integers(1, 30), random.integers(1, 20)
    if "random_state" in helpers.gen_adata.__code__.co_varnames:
        need("dask")
        need("awkward")
    made = helpers.gen_adata(
        tuple(map(int, shape)), X_type=[sparse.csr_matrix, sparse.csc_matrix, np.asarray, None][k % 4],
        X_dtype=["f4", "f8", "i4"][k % 3], obsm_types=kinds, varm_types=kinds, layers_types=kinds[:2])
    if k % 5 == 0 and made.X is not None:
        made.raw = made
    made.uns["more"] = {"none": {}, "b": True, "t": np.array([["a", "\u00e4"], ["", ""]], object),
                        "m": random.random((2, 3, 4)) > 0.5, "no": np.zeros((0, 3))}
    return made


def test_random_objects(tmp):
    anndata, theirs = helpers()
    for k in range(OBJECTS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = random_object(theirs, k)
            sheaf.write(tmp / "ours.h5ad", made, force=True)
            theirs.assert_equal(made, anndata.read_h5ad(tmp / "ours.h5ad"), exact=True)
            made.write_h5ad(tmp / "theirs.h5ad")
            theirs.assert_equal(anndata.read_h5ad(tmp / "theirs.h5ad"),
                                sheaf.open(tmp / "theirs.h5ad").to_anndata(), exact=True)


def test_zarr_and_backed(tmp):
    anndata, theirs = helpers()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = random_object(theirs, 2)
        del made.uns["O_recarray"]
        sheaf.write(tmp / "a.zarr", made, to="hdf5", compression="zstd")
        theirs.assert_equal(made, sheaf.open(tmp / "a.zarr").to_anndata(), exact=True)
        sheaf.write(tmp / "a.h5ad", made, compression="deflate")
        backed = anndata.read_h5ad(tmp / "a.h5ad", backed="r")
        theirs.assert_equal(made.X, backed.X[:])
        sheaf.write(tmp / "b.h5ad", backed)
        theirs.assert_equal(made, anndata.read_h5ad(tmp / "b.h5ad"), exact=True)


class Object:
    """What AnnData has of an object: only what is needed."""

    def __init__(self, obs, **uns):
        self.X, self.obs, self.var, self.uns = None, obs, obs, uns


def test_refused(tmp):
    """What AnnData's document has no place for is refused with its path, and no file is left."""
    import numpy as np

    pandas = need("pandas")
    frame = pandas.DataFrame({"n": [1, 2]}, index=["a", "b"])
    dates = pandas.DataFrame({"when": pandas.to_datetime(["2020-01-01"])}, index=["a"])
    for path, thing in (
            ("uns/d", Object(frame, d=np.array(["2020-01-01"], "M8[D]"))),
            ("uns/o", Object(frame, o=np.array([1, "a"], object))),
            ("uns/h", Object(frame, h=np.ones(2, "f2"))),
            ("uns/m", Object(frame, m=np.ma.array([1, 2], mask=[True, False]))),
            ("uns", Object(frame, **{"a/b": 1})),
            ("obs/when", Object(dates)),
            ("obs", Object(pandas.DataFrame({1: [1]}, index=["a"])))):
        try:
            sheaf.write(tmp / "x.h5ad", thing)
        except sheaf.UsageError as error:
            assert path in str(error), (path, error)
        else:
            raise AssertionError(path)
        assert os.listdir(tmp) == [], os.listdir(tmp)
