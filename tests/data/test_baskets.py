"""Baskets in and out: every format comes back as it was, batch by batch, and bad files are told apart."""

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato import read_baskets
from sfumato.core import (
    DataError,
    FormatError,
    InputError,
    LimitError,
    OutputExistsError,
)
from sfumato.data.baskets import Baskets, as_baskets, project_file, read_matrix, write_baskets

SUFFIX = {"npz": ".npz", "libsvm": ".svm", "transactions": ".txt", "csv": ".csv"}


@st.composite
def some_baskets(draw):
    kind = draw(st.sampled_from(sorted(SUFFIX)))
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    X = np.array(draw(st.lists(st.lists(st.integers(0, 1), min_size=d, max_size=d),
                               min_size=n, max_size=n)))  # fmt: skip
    letters = st.characters(min_codepoint=33, max_codepoint=0x24F, exclude_categories=["C", "Z"])
    name = st.text(letters, min_size=1, max_size=6)
    if kind == "libsvm":
        names = [str(i + 1) for i in range(d)]
    else:
        names = draw(st.lists(name, min_size=d, max_size=d, unique=True))
    labels = draw(st.lists(st.sampled_from(["0", "1"]), min_size=n, max_size=n))
    column = "label" if kind == "csv" and "label" not in names else None
    packed = kind != "npz" and draw(st.booleans())
    return Baskets.of(
        X, labels=labels, feature_names=names, format=kind, label_column=column
    ), packed


@settings(max_examples=examples(30, fuzz=150))
@given(some_baskets())
def test_every_format_round_trips(case):
    baskets, packed = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"rows{SUFFIX[baskets.format]}{'.gz' * packed}"
        written = write_baskets(baskets, path)
        assert all(p.is_file() for p in written)
        labels = None
        if baskets.format == "csv" and baskets.label_column is None:
            labels = Path(folder) / "rows.labels.txt"
        again = read_baskets(path, labels=labels)
        assert again.labels == baskets.labels
        assert again.format == baskets.format
        wide = dict(zip(baskets.feature_names, baskets.matrix.toarray().T.tolist(), strict=True))
        back = dict(zip(again.feature_names, again.matrix.toarray().T.tolist(), strict=True))
        # libsvm and transactions do not write features that no row holds
        assert {f: c for f, c in back.items() if any(c)} == {
            f: c for f, c in wide.items() if any(c)
        }
        if baskets.format in {"npz", "csv"}:
            assert again.feature_names == baskets.feature_names
        second = Path(folder) / f"again{SUFFIX[baskets.format]}{'.gz' * packed}"
        write_baskets(again, second)
        if baskets.format != "npz":
            third = read_baskets(second, labels=again.labels if labels else None)
            assert third.matrix.toarray().tolist() == again.matrix.toarray().tolist()


@pytest.mark.parametrize("kind", ["libsvm", "transactions", "csv"])
@pytest.mark.parametrize("packed", [False, True])
def test_projection_streams_in_small_batches(kind, packed, tmp_path):
    rng = np.random.default_rng(1)
    X = (rng.random((50, 6)) < 0.5).astype(np.uint8)
    names = [str(i + 1) for i in range(6)] if kind == "libsvm" else list("abcdef")
    column = "y" if kind == "csv" else None
    baskets = Baskets.of(X, labels=rng.integers(0, 2, 50), feature_names=names, format=kind,
                         label_column=column)  # fmt: skip
    path = tmp_path / f"rows{SUFFIX[kind]}{'.gz' * packed}"
    write_baskets(baskets, path)
    steps = []
    kept = [names[1], names[4]]
    out = tmp_path / f"out{SUFFIX[kind]}{'.gz' * packed}"
    copied = project_file(path, kept, out, batch_rows=7, progress=steps.append)
    assert copied.rows == sum(steps) == 50
    assert max(steps) == 7
    matrix, found = read_matrix(out, label_column=copied.label_column)
    whole = baskets.project(kept)
    for name in kept:
        truth = whole.matrix.toarray()[:, whole.feature_names.index(name)]
        assert matrix.toarray()[:, found.index(name)].tolist() == truth.tolist()
    again = read_baskets(out)
    assert again.labels == baskets.labels


def test_npz_finds_names_and_labels_beside_it(tmp_path):
    sp.save_npz(tmp_path / "x.npz", sp.csr_matrix(np.eye(3, dtype=np.uint8)))
    bare = read_baskets(tmp_path / "x.npz")
    assert bare.feature_names == ("f0", "f1", "f2")
    assert bare.labels is None
    with gzip.open(tmp_path / "x.features.txt.gz", "wt") as out:
        out.write("tea\nmilk\nsalt pepper\n")
    (tmp_path / "x.labels.txt").write_text("0\n1\n1\n")
    full = read_baskets(tmp_path / "x.npz")
    assert full.feature_names == ("tea", "milk", "salt pepper")
    assert full.labels == ("0", "1", "1")
    assert [p.name for p in full.files] == ["x.npz", "x.features.txt.gz", "x.labels.txt"]
    other = tmp_path / "other.txt"
    other.write_text("a\nb\na\n")
    assert read_baskets(tmp_path / "x.npz", labels=other).labels == ("a", "b", "a")


def test_the_same_rows_give_the_same_bytes(tmp_path):
    baskets = Baskets.of(np.eye(4, dtype=int), labels=[0, 1, 0, 1])
    for name in ("one.npz", "two.npz"):
        write_baskets(baskets, tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    text = Baskets.of(np.eye(4, dtype=int), format="transactions")
    for name in ("one.txt.gz", "two.txt.gz"):
        write_baskets(text, tmp_path / name)
    assert (tmp_path / "one.txt.gz").read_bytes() == (tmp_path / "two.txt.gz").read_bytes()
    with pytest.raises(OutputExistsError):
        write_baskets(text, tmp_path / "one.txt.gz")


def test_frames_arrays_and_paths_are_taken(tmp_path):
    import pandas as pd
    import polars as pl

    frame = pd.DataFrame({"tea": [1, 0], "milk": [0, 1]})
    assert as_baskets(frame).feature_names == ("tea", "milk")
    assert as_baskets(pl.from_pandas(frame)).feature_names == ("tea", "milk")
    assert as_baskets([[1, 0]], labels=["x"]).labels == ("x",)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    assert as_baskets(path, labels=[1, 0]).labels == ("1", "0")
    assert as_baskets(as_baskets(path), labels=[0, 1]).labels == ("0", "1")


BAD = [
    ("x.csv", "a,b\n1,2\n", DataError, "record 2"),
    ("x.csv", "a,b\n1,secret\n", DataError, "neither 0 nor 1"),
    ("x.csv", "a,b\n1,\n", DataError, "neither 0 nor 1"),
    ("x.csv", "a,b\n1\n", FormatError, "1 cells, the header 2"),
    ("x.csv", "a,a\n1,0\n", DataError, "used more than once"),
    ("x.csv", "a,b\n", DataError, "no rows"),
    ("x.csv", "", DataError, "empty"),
    ("x.csv", "a,y\n1,\n", DataError, "has no label"),
    ("x.csv", 'a,b\n"1,0\n', FormatError, "not readable as CSV"),
    ("x.svm", "1 1:1 secret\n", FormatError, "Line 1 .* libsvm form"),
    ("x.svm", "1 2:1 1:1\n", FormatError, "do not rise"),
    ("x.svm", "1 0:1\n", FormatError, "do not rise"),
    ("x.svm", "1 1:3\n", DataError, "neither 0 nor 1"),
    ("x.svm", "1 99999999999:1\n", LimitError, "features"),
    ("x.svm", "", DataError, "no rows"),
    ("x.txt", "", DataError, "no rows"),
    ("x.npz", "not a zip", FormatError, "not a scipy sparse matrix"),
    ("x.docx", "?", FormatError, "cannot be inferred from its name"),
]


@pytest.mark.parametrize(("name", "text", "error", "message"), BAD)
def test_bad_files_are_told_without_their_content(name, text, error, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(error, match=message) as caught:
        read_baskets(tmp_path / name)
    assert "secret" not in str(caught.value)


def test_bytes_that_are_not_text(tmp_path):
    for name in ("x.csv", "x.svm", "x.txt", "x.txt.gz"):
        (tmp_path / name).write_bytes(b"a,b\n\xff\xfe\x00")
        with pytest.raises(FormatError, match=r"not readable|not a gzip|not UTF-8"):
            read_baskets(tmp_path / name)


def test_labels_and_names_must_fit(tmp_path):
    sp.save_npz(tmp_path / "x.npz", sp.csr_matrix(np.eye(3, dtype=np.uint8)))
    few = tmp_path / "few.txt"
    few.write_text("0\n1\n")
    with pytest.raises(DataError, match="2 labels for 3 rows"):
        read_baskets(tmp_path / "x.npz", labels=few)
    with pytest.raises(DataError, match="2 feature names for 3 features"):
        read_baskets(tmp_path / "x.npz", features=few)
    few.write_text("0\n\n1\n")
    with pytest.raises(DataError, match="Line 2 of the labels file is empty"):
        read_baskets(tmp_path / "x.npz", labels=few)
    few.write_text("a\nb\na\n")
    with pytest.raises(DataError, match="used more than once"):
        read_baskets(tmp_path / "x.npz", features=few)
    with pytest.raises(InputError, match="There is no file 'nowhere"):
        read_baskets(tmp_path / "nowhere.npz")
    with pytest.raises(InputError, match="There is no file 'nolabels"):
        read_baskets(tmp_path / "x.npz", labels=tmp_path / "nolabels.txt")
    (tmp_path / "x.csv").write_text("a,b\n1,0\n")
    with pytest.raises(InputError, match="no column for the labels"):
        read_baskets(tmp_path / "x.csv", labels="class of drink")
    with pytest.raises(InputError, match="Unknown format"):
        read_baskets(tmp_path / "x.csv", format="xml")
    with pytest.raises(DataError, match="neither 0"):
        Baskets.of([[2]])
    with pytest.raises(DataError, match="empty name"):
        Baskets.of([[1]], feature_names=[""])
    with pytest.raises(DataError, match="has 3 dimensions"):
        Baskets.of(np.zeros((2, 2, 2)))
    with pytest.raises(DataError, match="differ in length"):
        Baskets.of([[0], [1, 1]])


def test_unknown_features_are_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,0\n")
    with pytest.raises(DataError, match="1 of the 2 chosen features are not in the data"):
        project_file(path, ["a", "z"], tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    with pytest.raises(DataError, match="1 of the 2 chosen features"):
        read_baskets(path).project(["a", "z"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a;b\n1;0\n", "separated by semicolons, a matrix by commas"),
        (b"a\tb\n1\t0\n", "separated by tabs, a matrix by commas"),
        ("a,b\n1,0\ngr\u00f6\u00dfer,1\n".encode("cp1252"), "is not UTF-8 text"),
        (b"person,a,b\n0,1,0\n1,1,0\n2,0,1\n", "The cell in column 1 of record 4"),
        (b"label,a,b\nx,1,0\ny,1,7\n", "The cell in column 3 of record 3"),
    ],
)
def test_a_csv_file_that_is_no_matrix_says_why(content, message, tmp_path):
    path = tmp_path / "m.csv"
    path.write_bytes(content)
    with pytest.raises((DataError, FormatError), match=message):
        read_baskets(path, labels="label" if content.startswith(b"label") else None)
