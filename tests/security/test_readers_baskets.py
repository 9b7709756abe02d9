"""Baskets from hostile files: no index, pointer, shape or label reaches further than it may."""

import numpy as np
import pytest
import scipy.sparse as sp
from tests.seeds import seeded

from sfumato import baskets
from sfumato.core.errors import DataError, FormatError, InputError, LimitError
from sfumato.data.baskets import Baskets, read_baskets
from sfumato.data.limits import Limits, current_limits, set_limits


def saved(path, **arrays):
    with path.open("wb") as stream:
        np.savez(stream, **arrays)
    return path


def arrays_of(kind, rng):
    """A good matrix of 6 × 4 as the arrays that scipy saves."""
    dense = (rng.random((6, 4)) < 0.5).astype(np.int8)
    dense[0, 0] = 1
    made = getattr(sp, f"{kind}_matrix")(dense)
    parts = {"data": made.data, "shape": np.array(made.shape), "format": np.array(kind.encode())}
    if kind == "coo":
        return dense, {**parts, "row": made.row, "col": made.col}
    return dense, {**parts, "indices": made.indices, "indptr": made.indptr}


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
def test_h6_every_index_pointer_and_shape_is_checked(kind, tmp_path):
    dense, good = arrays_of(kind, np.random.default_rng(seeded(1)))
    matrix = read_baskets(saved(tmp_path / "good.npz", **good)).matrix
    assert (matrix.toarray() == dense).all()
    places = ["row", "col"] if kind == "coo" else ["indices"]
    bad = []
    for name in places:
        for value in (-1, -5, 9, 10**6, 2**31 - 1, -(2**31)):
            changed = good[name].copy()
            changed[0] = value
            bad.append({name: changed})
        bad += [{name: good[name][:-1]}, {name: good[name].astype(float)}, {name: good[name][None]}]
    for shape in ([6, 1], [0, 0], [-6, 4], [6], [6, 4, 1], [10**12, 4], [2**62, 2**62], [6.0, 4.0]):
        bad.append({"shape": np.array(shape)})
    if kind != "coo":
        for place, value in ((0, 1), (0, -1), (1, 99), (-1, 99), (-1, -1), (2, 2**40)):
            changed = good["indptr"].astype(np.int64)
            changed[place] = value
            bad.append({"indptr": changed})
        bad += [{"indptr": good["indptr"][:-1]}, {"indptr": np.zeros(0, np.int64)}]
    bad += [
        {"data": good["data"][:-1]},
        {"data": good["data"].astype(complex)},
        {"data": np.array("x")},
    ]
    bad += [
        {"format": np.array(b"bsr")},
        {"format": np.array(3)},
        {"format": np.array([b"csr", b"csr"])},
    ]
    for number, change in enumerate(bad):
        file = saved(tmp_path / f"{number}.npz", **{**good, **change})
        with pytest.raises(InputError) as caught:
            read_baskets(file)
        assert isinstance(caught.value, FormatError | LimitError), change


def test_h6_nothing_is_unpickled(tmp_path):
    _, good = arrays_of("csr", np.random.default_rng(seeded(1)))
    file = saved(tmp_path / "o.npz", **{**good, "data": np.array([{}, 1], dtype=object)})
    with pytest.raises(FormatError):
        read_baskets(file)


def test_h6_a_matrix_in_memory_is_checked_as_well():
    matrix = sp.csr_matrix(np.eye(3, dtype=np.int8))
    matrix.indices[1] = 7
    with pytest.raises(DataError, match="outside"):
        Baskets.of(matrix)


def explored(tmp_path):
    rng = np.random.default_rng(seeded(0))
    rows = [f"{a},{b},{'pq'[i % 2]}" for i, (a, b) in enumerate(rng.integers(0, 2, (60, 2)))]
    (tmp_path / "a.csv").write_text("tea,milk,y\n" + "\n".join(rows) + "\n")
    found = baskets.explore(tmp_path / "a.csv", k=2, folds=2, selector="hamdist")
    return rows, found


@pytest.mark.parametrize("kind", ["csv", "npz", "txt", "frame"])
def test_h7_labels_outside_the_explored_classes_are_refused(kind, tmp_path):
    rows, found = explored(tmp_path)
    cells = [row.split(",") for row in rows]
    cells[40][2] = "CANARYNAME"
    dense = np.array([[int(c) for c in row[:2]] for row in cells], dtype=np.int8)
    labels = [row[2] for row in cells]
    given, options = tmp_path / f"b.{kind}", {}
    if kind == "csv":
        given.write_text("tea,milk,y\n" + "\n".join(map(",".join, cells)) + "\n")
    elif kind == "npz":
        sp.save_npz(given, sp.csr_matrix(dense))
        (tmp_path / "b.features.txt").write_text("tea\nmilk\n")
        (tmp_path / "b.labels.txt").write_text("\n".join(labels) + "\n")
    elif kind == "txt":
        names = np.array(["tea", "milk"])
        given.write_text("".join(" ".join(names[row > 0]) + "\n" for row in dense))
        (tmp_path / "b.labels.txt").write_text("\n".join(labels) + "\n")
    else:
        given = Baskets.of(dense, labels=labels, feature_names=["tea", "milk"])
    out = None if kind == "frame" else tmp_path / "out"
    with pytest.raises(DataError, match=r"1 labels are not among the classes.*row 41") as caught:
        found.publish(found.candidates[0], given, out=out, **options)
    assert "CANARY" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_h7_the_explored_classes_go_out(tmp_path):
    _, found = explored(tmp_path)
    found.publish(found.candidates[0], tmp_path / "a.csv", out=tmp_path / "out")
    assert (tmp_path / "out" / "a.csv").read_text().count("\n") == 61


def test_l6_feature_names_hold_no_control_characters(tmp_path):
    (tmp_path / "a.csv").write_text("te\x1ba,milk\n1,0\n")
    with pytest.raises(DataError, match="control character"):
        read_baskets(tmp_path / "a.csv")


def test_m11_limits_hold_for_baskets(tmp_path):
    before = current_limits()
    (tmp_path / "a.txt").write_text("a b c\n")
    (tmp_path / "a.csv").write_text("a,b,c\n1,0,1\n")
    (tmp_path / "a.svm").write_text("1 3:1\n")
    sp.save_npz(tmp_path / "a.npz", sp.csr_matrix(np.eye(3)))
    try:
        set_limits(Limits(features=2))
        for name in ("a.txt", "a.csv", "a.svm", "a.npz"):
            with pytest.raises(LimitError, match="--limit"):
                read_baskets(tmp_path / name)
    finally:
        set_limits(before)
    assert read_baskets(tmp_path / "a.txt").matrix.shape == (1, 3)


def test_a_small_file_does_not_claim_millions_of_features(tmp_path):
    """Features that no row holds cost nothing in the file: one of 700 bytes kept a process busy for a minute."""
    sp.save_npz(tmp_path / "a.npz", sp.csr_matrix(([1], ([0], [0])), shape=(8, 2_883_588)))
    (tmp_path / "a.svm").write_text("1 1:1 2883588:1\n-1 2:1\n")
    for name in ("a.npz", "a.svm"):
        with pytest.raises(LimitError, match="expansion"):
            read_baskets(tmp_path / name)
    sp.save_npz(tmp_path / "b.npz", sp.csr_matrix(([1], ([0], [0])), shape=(8, 100_000)))
    assert read_baskets(tmp_path / "b.npz").matrix.shape == (8, 100_000)
