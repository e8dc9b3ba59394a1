# SPDX-License-Identifier: MIT
"""Files that pandas and scikit-learn make while the tests run: read here as they were meant, and what is
written here they read."""
import random

import sheaf
from common import need, same

TEXTS = ["plain", "a,b;c\td", 'say "x"', "two\nlines", " edge ", "é", "NA-like", "x" * 300, "0x10", "-",
         "1-2"]


def random_frame(pd, np, seed, rows):
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    frame = pd.DataFrame({
        "whole": numbers.integers(-10**12, 10**12, rows),
        "real": numbers.standard_normal(rows) * 10.0 ** numbers.integers(-20, 20, rows),
        "text": [draw.choice(TEXTS) for _ in range(rows)],
        "when": pd.to_datetime(numbers.integers(0, 2 * 10**9, rows), unit="s"),
        "2019": numbers.integers(0, 5, rows).astype(float),
    })
    frame.loc[numbers.random(rows) < 0.1, "2019"] = np.nan
    return frame


def check(np, found, frame):
    same(len(found), len(frame))
    same(found["whole"].to_numpy(), frame["whole"].to_numpy())
    same(found["real"].to_numpy(), frame["real"].to_numpy())
    same(found["text"].to_list(), list(frame["text"]))
    when = found["when"].to_numpy()
    # With a zone there are two numbers: the local clock's time, and how far it is ahead.
    same((when[:, 0] if when.ndim == 2 else when).astype("M8[s]"), frame["when"].to_numpy().astype("M8[s]"))
    missing = found["2019"].valid
    same(missing if missing is not None else np.ones(len(frame), bool), frame["2019"].notna().to_numpy())
    kept = frame["2019"].notna().to_numpy()
    same(np.asarray(found["2019"].values, float)[kept], frame["2019"].to_numpy()[kept])


def test_tables_of_pandas(tmp):
    pd, np = need("pandas"), need("numpy")
    ways = [
        ("a.csv", {}, {}),
        ("b.csv", {"sep": ";"}, {}),
        ("c.tsv", {"sep": "\t"}, {"from_": "csv", "delimiter": "tab"}),
        ("d.csv", {"sep": "|", "quoting": 2}, {"quoted": "any"}),
        ("e.csv", {"lineterminator": "\r\n"}, {}),
        ("f.csv", {"sep": ";", "decimal": ","}, {"decimal": "comma"}),
        ("g.csv", {"na_rep": "NULL"}, {"missing": "NULL"}),
        ("h.csv", {"quoting": 1}, {"quoted": "any"}),
        ("i.csv", {"date_format": "%Y-%m-%dT%H:%M:%SZ"}, {}),
        ("j.csv.gz", {}, {}),
    ]
    for seed, (name, theirs, ours) in enumerate(ways):
        frame = random_frame(pd, np, seed, 400)
        frame.to_csv(tmp / name, index=False, **theirs)
        check(np, sheaf.read(tmp / name, **ours), frame)


def test_tables_for_pandas(tmp):
    pd, np = need("pandas"), need("numpy")
    frame = random_frame(pd, np, 99, 300)
    frame.to_csv(tmp / "in.csv", index=False)
    for name, theirs, ours in (("out.csv", {}, {}), ("out.csv.gz", {}, {}),
                               ("out.tsv", {"sep": "\t"}, {"to": "csv", "out_delimiter": "tab"})):
        sheaf.convert(tmp / "in.csv", tmp / name, out_dialect="rfc", **ours)
        back = pd.read_csv(tmp / name, **theirs)
        same(list(back.columns), list(frame.columns))
        same(back["whole"].to_numpy(), frame["whole"].to_numpy())
        same(back["real"].to_numpy(), frame["real"].to_numpy())
        same(list(back["text"]), list(frame["text"]))
        same(pd.to_datetime(back["when"]).to_numpy().astype("M8[s]"),
             frame["when"].to_numpy().astype("M8[s]"))
        same(back["2019"].notna().to_numpy(), frame["2019"].notna().to_numpy())


def random_rows(sparse, np, seed, rows, columns):
    numbers = np.random.default_rng(seed)
    x = sparse.random(rows, columns, 0.05, "csr", random_state=numbers)
    x.data = np.round(x.data * 100, 3) - 50
    x.data[x.data == 0] = 1
    x = x.tolil()
    x[0, 0] = x[0, columns - 1] = 7  # so that the number of columns is known, and the base of the indices
    return x.tocsr(), numbers.integers(-3, 4, rows).astype(float)


def test_svmlight_of_scikit_learn(tmp):
    need("sklearn")
    from scipy import sparse
    from sklearn.datasets import dump_svmlight_file, load_svmlight_file

    np = need("numpy")
    for seed, options in enumerate(({"zero_based": False}, {"zero_based": True},
                                    {"zero_based": False, "comment": "made by a test"})):
        x, y = random_rows(sparse, np, seed, 120, 60)
        path = tmp / f"{seed}.svm"
        dump_svmlight_file(x, y, str(path), **options)
        frame = sheaf.read(path, **({"index_base": "0"} if options["zero_based"] else {}))
        labels, found = frame["label"], frame["features"].to_scipy("csr")
        wanted, _ = load_svmlight_file(str(path), n_features=60, zero_based=options["zero_based"])
        same(np.asarray(labels.values, float).ravel(), y)
        same((abs(found - wanted)).nnz if found.shape == wanted.shape else found.shape, 0)
        sheaf.convert(path, tmp / f"{seed}.back.svm",
                      **({"index_base": "0"} if options["zero_based"] else {}))
        theirs, labels = load_svmlight_file(str(tmp / f"{seed}.back.svm"), n_features=60,
                                            zero_based=options["zero_based"])
        same((abs(theirs - wanted)).nnz, 0)
        same(labels, y)


def test_multilabel_of_scikit_learn(tmp):
    need("sklearn")
    from scipy import sparse
    from sklearn.datasets import dump_svmlight_file, load_svmlight_file

    np = need("numpy")
    x, _ = random_rows(sparse, np, 5, 80, 40)
    y = sparse.csr_matrix(np.random.default_rng(6).random((80, 5)) < 0.4)
    dump_svmlight_file(x, y, str(tmp / "m.svm"), multilabel=True, zero_based=False)
    sheaf.convert(tmp / "m.svm", tmp / "back.svm")
    theirs, labels = load_svmlight_file(str(tmp / "back.svm"), n_features=40, multilabel=True,
                                        zero_based=False)
    wanted_x, wanted = load_svmlight_file(str(tmp / "m.svm"), n_features=40, multilabel=True,
                                          zero_based=False)
    same((abs(theirs - wanted_x)).nnz, 0)
    same(labels, wanted)
