"""Ways to publish, what they keep, and whom they promise what: explored, written, read back."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sfumato.baskets import explore, load
from sfumato.core import DataError, InputError, ParameterError
from sfumato.core.engine import Part
from sfumato.data.baskets import Baskets, read_baskets
from sfumato.engines.baskets.engine import ENGINE
from sfumato.engines.baskets.frontier.steps import knowledge_of
from sfumato.engines.baskets.matrix.binary import as_binary
from sfumato.engines.baskets.registry import MEASURES, METHODS

from .test_cells import rows_left
from .test_engine import purchases


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    X, _ = purchases(n=120, d=9, seed=2)
    path = tmp_path_factory.mktemp("log") / "purchases.txt"
    path.write_text("".join(" ".join(f"i{j}" for j in np.flatnonzero(r)) + "\n" for r in X))
    return path


@pytest.mark.parametrize(
    ("known_items", "known_absences"), [(None, 0), (2, 0), (3, 0), (None, 1), (None, "all"), (2, 1)]
)
@pytest.mark.filterwarnings("ignore::sfumato.core.errors.PrivacyWarning")
def test_every_way_keeps_every_promise_in_the_written_file(
    known_items, known_absences, log, tmp_path
):
    found = explore(
        log, k=4, method=list(METHODS), known_items=known_items, known_absences=known_absences
    )
    assert found.record.utility == "ones"
    original = read_baskets(log)
    column = {name: j for j, name in enumerate(original.feature_names)}
    assert {c.publish_as for c in found.candidates} <= set(METHODS)
    for candidate in found.candidates:
        out = tmp_path / candidate.id
        release = found.publish(candidate, log, out=out, keep_order=True)
        written = read_baskets(out / log.name)
        rows = written.matrix.toarray()
        knowledge = knowledge_of(known_items, known_absences)
        assert rows_left(rows, knowledge) >= release.promised >= 4
        assert rows.sum() == candidate.ones == release.counts["ones"]
        assert len(rows) == 120 - candidate.rows_out
        if candidate.publish_as == "cells":  # row by row, a published one is one of the original
            wide = np.zeros((120, 9), dtype=int)
            wide[:, [column[name] for name in written.feature_names]] = rows
            assert (wide <= original.matrix.toarray()).all()


@pytest.fixture(scope="module")
def labelled():
    X, y = purchases(n=300, d=16, seed=3)
    return X, y, explore(X, labels=y, k=[3], selector="hamdist", method=list(METHODS), folds=2)


@pytest.mark.filterwarnings("ignore::sfumato.core.errors.PrivacyWarning")
@pytest.mark.parametrize("way", list(METHODS))
def test_every_way_keeps_the_contract(way, labelled, tmp_path):
    X, y, found = labelled
    candidate = next(c for c in found.candidates if c.publish_as == way)
    found.save(tmp_path)
    back = load(tmp_path)
    assert back.record == found.record
    release = back.publish(candidate.id, sp.csr_matrix(X), labels=y, out=tmp_path / "a")
    found.publish(candidate, sp.csr_matrix(X), labels=y, out=tmp_path / "b")
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
    assert release.promised >= 3
    assert (
        len((tmp_path / "a" / "baskets.labels.txt").read_text().split()) == release.counts["rows"]
    )
    told = ENGINE.story(
        Part("baskets", "baskets", found.record, release, chosen=candidate, chosen_by="release")
    )
    (grid,) = [g for g in told.grids if g.caption == "Every candidate"]
    assert grid.rows[grid.marked][-1] in {candidate.id, candidate.selector}
    assert {term for _, term in grid.heads if term} <= set(told.glossary)
    json.dumps([chart.views[0].spec for chart in told.charts])


@pytest.mark.parametrize("name", list(MEASURES))
def test_every_measure_is_one_for_everything_and_falls_with_what_is_left_out(
    name, labelled, tmp_path
):
    X, _, found = labelled
    binary = as_binary(X)
    measure = MEASURES[name]
    assert measure.value(binary, binary, 0) == pytest.approx(1)
    nothing = as_binary(np.zeros_like(X))
    assert 0 <= measure.value(binary, nothing, 0) < 1
    above = {}
    if name == "categories":
        with pytest.raises(ParameterError, match="The items have no categories"):
            explore(X, k=3, utility=name)
        names = Baskets.of(X).feature_names
        lines = [f"{item};group {i % 3}" for i, item in enumerate(names)]
        (tmp_path / "groups.csv").write_text("\n".join(lines) + "\n")
        above["hierarchy"] = tmp_path / "groups.csv"
    by_name = explore(X, k=3, utility=name, **above)
    assert {c.utility.value for c in by_name.candidates} == {
        c.kept[name] for c in by_name.candidates
    }
    assert by_name.record.axes["utility"] == measure.kept
    for candidate in found.candidates:
        assert 0 <= candidate.kept[name] <= 1


def test_measures_agree_with_plain_counting():
    X, _ = purchases(n=80, d=8, seed=4)
    rng = np.random.default_rng(0)
    P = X * (rng.random(X.shape) < 0.7)
    a, b = as_binary(X), as_binary(P.astype(np.uint8))
    assert MEASURES["ones"].value(a, b, 0) == P.sum() / X.sum()
    before, after = X.sum(0), P.sum(0)
    assert MEASURES["supports"].value(a, b, 0) == pytest.approx(
        1 - np.mean(np.abs(before - after) / before)
    )

    def frequent(M):
        least, found = 2, set()
        for i in range(8):
            if M[:, i].sum() >= least:
                found.add((i,))
            for j in range(i):
                if (M[:, i] * M[:, j]).sum() >= least:
                    found.add((j, i))
        return found

    A, B = frequent(X.astype(int)), frequent(P.astype(int))
    assert MEASURES["itemsets"].value(a, b, 0) == pytest.approx(2 * len(A & B) / (len(A) + len(B)))


def test_neighbours_agree_with_sorting_every_item_by_cosine():
    X, _ = purchases(n=90, d=30, seed=6)
    P = X * (np.random.default_rng(1).random(X.shape) < 0.5)
    P[:, 7] = 0

    def nearest(M):
        order = np.argsort(-X.sum(axis=0), kind="stable")  # of equals the more common item
        order = order[X.sum(axis=0)[order] >= 2]
        M = M[:, order].astype(float)
        norm = np.sqrt(np.maximum((M**2).sum(axis=0), 1e-12))
        near = (M.T @ M) / norm[:, None] / norm[None, :]
        np.fill_diagonal(near, -1)
        first = np.argsort(-near, axis=1, kind="stable")[:, :10]
        return [{j for j in first[i] if near[i, j] > 0} for i in range(len(order))]

    before, after = nearest(X), nearest(P)
    hits = sum(len(a & b) for a, b in zip(before, after, strict=True))
    found = MEASURES["neighbours"].value(as_binary(X), as_binary(P.astype(np.uint8)), 0)
    assert found == pytest.approx(hits / sum(map(len, before)))


def test_classes_of_several_kinds_are_scored(labelled):
    X, _, found = labelled
    several = np.where(X[:, 0] == 1, "a", np.where(X[:, 1] == 1, "b", "c"))
    number = 3.0 * X[:, 0] + X[:, 1] + np.linspace(0, 0.1, len(X))
    for labels in (several, number):
        tried = explore(X, labels=labels, k=3, selector="hamdist", folds=2)
        best = max(c.auc for c in tried.candidates)
        assert best > 0.8
        assert tried.record.references[0].auc >= best - 0.1
    assert {c.id for c in found.candidates} >= {"cells-k3", "hamdist-k3"}
    assert found.candidate("cells-k3").for_class


def test_unlabelled_logs_and_wrong_calls():
    X, y = purchases(n=100, d=8)
    with pytest.raises(DataError, match="class to predict is needed for this utility"):
        explore(X, k=3, utility="auc")
    with pytest.raises(ParameterError, match="there is no 'cell'"):
        explore(X, k=3, method="cell")
    with pytest.raises(ParameterError, match="known_absences"):
        explore(X, k=3, known_absences=-1)
    assert explore(X, k=3).record.positives is None
    assert explore(X, labels=y, k=3, selector="support", folds=2).record.positives is not None


def categories_of(rows, names):
    """Return row and kind of everything a row holds: i4 and kind1 are of kind 1."""
    kind = [int(name[1:]) % 3 if name[0] == "i" else int(name[4:]) for name in names]
    return {(r, kind[j]) for r, j in zip(*np.nonzero(rows), strict=True)}


@pytest.mark.filterwarnings("ignore::sfumato.core.errors.PrivacyWarning")
def test_categories_stand_in_for_items_that_cannot_be_published(log, tmp_path):
    hierarchy = tmp_path / "hierarchy.csv"
    hierarchy.write_text("".join(f"i{j};kind{j % 3};*\n" for j in range(9)))
    found = explore(log, k=5, hierarchy=hierarchy, method=["columns", "cells"])
    assert found.record.features_offered == 12
    plain = explore(log, k=5, method=["cells"])
    cells = found.candidate("cells-k5")
    assert {f"kind{j}" for j in range(3)} <= set(cells.features)
    out = found.publish(cells, log, hierarchy=hierarchy)
    rows = out.matrix.toarray()
    place = {name: j for j, name in enumerate(out.feature_names)}
    for j in range(9):  # who publishes an item publishes its category
        if f"i{j}" in place:
            assert (rows[:, place[f"i{j}"]] <= rows[:, place[f"kind{j % 3}"]]).all()
    assert rows_left(rows, knowledge_of(None, 0)) >= 5
    assert cells.ones > plain.candidate("cells-k5").ones
    X = read_baskets(log)
    original = categories_of(X.matrix.toarray(), X.feature_names)
    for candidate in found.candidates:
        out = found.publish(candidate, log, hierarchy=hierarchy, keep_order=True)
        shown = categories_of(out.matrix.toarray(), out.feature_names)
        assert shown <= original
        assert candidate.kept["categories"] == pytest.approx(len(shown) / len(original))
    hierarchy.rename(log.parent / "hierarchy.csv")  # beside the data it is found again
    hierarchy = log.parent / "hierarchy.csv"
    for candidate in found.candidates:
        release = found.publish(candidate, log, out=tmp_path / candidate.id)
        assert release.promised >= 5
        book = pd.read_csv(tmp_path / candidate.id / "codebook.csv", keep_default_na=False)
        assert book["name"].tolist() == list(release.how.features)
        assert (book["kind"] == np.where(book["name"].str[0] == "i", "item", "category")).all()
        for name, over in zip(book["name"], book["categories"], strict=True):
            wanted = f"kind{int(name[1:]) % 3}" if name[0] == "i" else ""
            assert over == (wanted if wanted in release.how.features else "")
    hierarchy.unlink()
    with pytest.raises(InputError, match="explored with a hierarchy, which is not in its folder"):
        found.publish(candidate, log)
    hierarchy.write_text("x;y\n")
    with pytest.raises(DataError, match="gives no item of the data a category"):
        explore(log, k=5, hierarchy=hierarchy)
    hierarchy.write_text("i0;i1\n")
    with pytest.raises(DataError, match="1 category of the hierarchy has the name of an item"):
        explore(log, k=5, hierarchy=hierarchy)
