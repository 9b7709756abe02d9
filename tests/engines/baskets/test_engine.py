"""Explore, choose, publish: the frontier, the files, and the audit of what was written."""

import json

import numpy as np
import pytest
import scipy.sparse as sp

from sfumato.baskets import explore, load
from sfumato.core import DataError, FormatError, InputError, ParameterError, ReleaseRefusedError
from sfumato.core.engine import Part
from sfumato.data.baskets import Baskets, read_baskets, write_baskets
from sfumato.engines.baskets import GreedyHamDist
from sfumato.engines.baskets.containment.audit import audit
from sfumato.engines.baskets.engine import ENGINE
from sfumato.engines.baskets.measures.prediction import cross_validated_auc, nested_auc
from sfumato.engines.baskets.registry import SELECTORS
from sfumato.engines.baskets.release.steps import publish_in_memory
from sfumato.engines.baskets.request import BasketsPublishRequest
from sfumato.laboratory.baskets.baselines import differential_release, flip_into_clusters
from sfumato.laboratory.baskets.study import BasketsStudyPlan, run_study, write_study

ATTACKER = "knows any items that a person has"


def purchases(n=400, d=40, seed=0):
    """Sparse purchases: a power law of items, a class that shifts some of them."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.45
    base = 0.5 / (1 + np.arange(d)) ** 0.7
    lift = np.where(rng.random(d) < 0.4, 2.0, 0.8)
    X = rng.random((n, d)) < np.where(y[:, None], base * lift, base)
    return X.astype(np.uint8), y.astype(int)


@pytest.fixture(scope="module")
def data():
    return purchases()


@pytest.fixture(scope="module")
def frontier(data):
    X, y = data
    return explore(
        X, labels=y, k=(3, 6), selector=["hamdist", "information"], method="columns", folds=3
    )


def test_frontier_has_the_fields_of_the_contract(frontier, data):
    X, _ = data
    content = frontier.record.to_json()
    assert content["engine"] == "baskets"
    assert {c["id"] for c in content["candidates"]} == {
        "hamdist-k3", "hamdist-k6", "information-k3", "information-k6",
    }  # fmt: skip
    for c in content["candidates"]:
        assert c["risk"] == 1 / c["k"]
        assert c["utility"] == c["auc"]
        low, high = c["utility_interval"]
        assert 0 <= low <= c["auc"] <= high <= 1
        assert len(c["features"]) == c["count"] > 0
        chosen = [int(name[1:]) for name in c["features"]]
        truth = audit(X[:, chosen])
        assert c["ac"] == truth.ac >= c["k"]
        assert c["unique_share"] == truth.unique_share
        assert c["ac_under_absences"] == {str(m): v for m, v in truth.ac_under_absences.items()}
        assert c["ac"] >= c["ac_under_absences"]["1"] >= c["ac_under_absences"]["2"]
    (full,) = content["references"]
    assert full["name"] == "full feature set"
    assert full["count"] == 40
    assert full["risk"] == 1 / full["ac"]
    assert "knows absences" in content["warning"] or "absences" in content["warning"]
    best = frontier.choose(max_risk=1 / 3)
    assert best.k in (3, 6)


def test_the_same_seed_gives_the_same_frontier(frontier, data):
    matrix, labels = data
    again = explore(
        matrix,
        labels=labels,
        k=(3, 6),
        selector=["hamdist", "information"],
        method="columns",
        folds=3,
    )
    assert frontier.record == again.record
    assert frontier.record.to_json() == again.record.to_json()


def test_nested_scores_do_not_see_test_labels():
    rng = np.random.default_rng(4)
    X = (rng.random((120, 300)) < 0.1).astype(np.uint8)
    y = (rng.random(120) < 0.5).astype(int)  # pure noise: nothing can be learned
    nested = nested_auc(X, y, GreedyHamDist(2), seed=1)
    chosen = GreedyHamDist(2).fit(X, y)
    cheating = cross_validated_auc(X[:, chosen.selected_], y, seed=1)
    assert 0.35 < nested.value < 0.65
    assert nested.interval.low <= nested.value <= nested.interval.high
    assert len(nested.counts) == 5
    assert cheating.value > nested.value - 0.1


@pytest.mark.parametrize("kind", ["npz", "libsvm", "transactions", "csv"])
@pytest.mark.parametrize("where", ["file", "folder"])
def test_publish_writes_the_inputs_format_and_audits_it(kind, where, data, tmp_path):
    X, y = data
    suffix = {"npz": ".npz", "libsvm": ".svm", "transactions": ".txt", "csv": ".csv"}[kind]
    names = [str(i + 1) if kind == "libsvm" else f"item{i}" for i in range(X.shape[1])]
    source = tmp_path / f"rows{suffix}"
    write_baskets(
        Baskets.of(X, labels=y, feature_names=names, format=kind,
                   label_column="bought" if kind == "csv" else None),
        source,
    )  # fmt: skip
    before = source.read_bytes()
    labels = "bought" if kind == "csv" else None
    found = explore(source, labels=labels, k=3, selector="hamdist", method="columns", folds=2)
    candidate = found.candidate("hamdist-k3")
    out = tmp_path / ("out" + suffix if where == "file" else "out")
    release = found.publish(candidate, source, out=out, labels=labels)
    if where == "file":
        files = {p.name for p in tmp_path.iterdir() if p.name.startswith("out")}
        record = tmp_path / "out.release.json"
        matrix = out
        private = tmp_path / f"out{suffix}.private"
        files.remove(private.name)
    else:
        files = {p.name for p in out.iterdir()}
        record = out / "release.json"
        matrix = out / f"rows{suffix}"
        private = tmp_path / "out.private"
    stem = "out" if where == "file" else "rows"
    expected = {matrix.name, record.name}
    if kind in {"npz", "transactions"}:
        expected.add(f"{stem}.labels.txt")
    if kind == "npz":
        expected.add(f"{stem}.features.txt")
    assert files == expected
    assert source.read_bytes() == before
    again = read_baskets(matrix, labels=labels)
    held = np.unique(again.matrix.indices)
    assert {again.feature_names[i] for i in held} <= set(candidate.features)
    chosen = [i for i, name in enumerate(names) if name in set(candidate.features)]
    wanted = [(*row, str(v)) for row, v in zip(X[:, chosen].astype(int).tolist(), y, strict=True)]
    kept = [again.feature_names.index(names[i]) for i in chosen]
    rows = again.matrix[:, kept].toarray().astype(int).tolist()
    shown = [(*row, v) for row, v in zip(rows, again.labels, strict=True)]
    assert shown != wanted  # in an order of their own
    assert sorted(shown) == sorted(wanted)
    truth = audit(again.matrix)
    content = json.loads(record.read_text())
    assert content["measured"]["ac"] == truth.ac >= 3
    assert content["how"]["k"] == 3
    assert content["counts"]["rows"] == 400
    assert content == json.loads(json.dumps(release.to_public_json()))
    assert not {"utility", "sentences"} & set(content)
    figures = json.loads((private / "figures.json").read_text())
    assert figures == json.loads(json.dumps(release.to_json()))
    for made in content["outputs"]:
        assert made["path"] in files
    with pytest.raises(InputError, match="already exists"):
        found.publish(candidate, source, out=out, labels=labels)
    found.publish(candidate, source, out=out, labels=labels, force=True)


def test_publish_of_other_rows_is_refused(frontier, tmp_path):
    X, y = purchases(seed=99, n=60)
    candidate = frontier.candidate("hamdist-k6")
    with pytest.raises(ReleaseRefusedError, match="below the promised k = 6"):
        frontier.publish(
            candidate, Baskets.of(X, labels=y), out=tmp_path / "out.npz", accept_shift=True
        )
    with pytest.raises(ReleaseRefusedError, match="below the promised k = 6"):
        frontier.publish(candidate, X, accept_shift=True)
    assert list(tmp_path.iterdir()) == []


def test_publish_in_memory_gives_the_projected_rows(frontier, data):
    X, y = data
    candidate = frontier.candidate("information-k3")
    projected = frontier.publish(candidate, sp.csr_matrix(X), labels=y)
    assert projected.matrix.shape == (400, candidate.count)
    assert audit(projected.matrix).ac >= 3


def test_a_frontier_read_back_is_equal_and_publishes_the_same_bytes(frontier, data, tmp_path):
    X, y = data
    (tmp_path / "frontier").mkdir()
    frontier.save(tmp_path / "frontier")
    back = load(tmp_path / "frontier")
    assert back.record == frontier.record
    assert [c.id for c in back] == [c.id for c in frontier]
    assert back.candidate("hamdist-k3").risk.attacker == ATTACKER
    for name, found in (("a", frontier), ("b", back)):
        found.publish("hamdist-k3", sp.csr_matrix(X), labels=y, out=tmp_path / name)
    for file in ("baskets.npz", "baskets.labels.txt", "baskets.features.txt", "release.json"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    file = tmp_path / "frontier" / "frontier.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"engine": "tables"}))
    with pytest.raises(InputError, match="explored by the engine tables, not by baskets"):
        load(tmp_path / "frontier")
    del content["rows"]
    file.write_text(json.dumps(content))
    with pytest.raises(FormatError):
        load(tmp_path / "frontier")


def test_wrong_output_format_and_empty_candidate(frontier, data, tmp_path):
    X, y = data
    candidate = frontier.candidate("hamdist-k3")
    with pytest.raises(InputError, match="would be csv, but the input is npz"):
        frontier.publish(candidate, Baskets.of(X, labels=y), out=tmp_path / "out.csv")
    empty = candidate.model_copy(update={"features": ()})
    with pytest.raises(InputError, match="holds no feature"):
        publish_in_memory(empty, BasketsPublishRequest(matrix=X))


def test_absence_flags_reach_the_selectors(data):
    X, y = data
    found = explore(
        X, labels=y, k=3, selector="hamdist", method="columns", folds=2, absence_risky="all"
    )
    (candidate,) = found.candidates
    assert candidate.smallest_group >= 3  # k-anonymity
    assert candidate.absence_risky == candidate.features
    assert found.publish(candidate, X).matrix.shape[0] == 400
    named = explore(
        X,
        labels=y,
        k=3,
        folds=2,
        selector="hamdist",
        method="columns",
        absence_risky=["f0", "f1"],
    )
    flagged = named.candidate("hamdist-k3")
    assert set(flagged.absence_risky) <= {"f0", "f1"}
    free = explore(X, labels=y, k=3, selector="hamdist", method="columns", folds=2).candidate(
        "hamdist-k3"
    )
    weaker = free.model_copy(update={"absence_risky": free.features})
    with pytest.raises(ReleaseRefusedError):  # k-AC alone does not keep the promise of the flags
        publish_in_memory(weaker, BasketsPublishRequest(matrix=X))
    assert flagged.count <= free.count
    with pytest.raises(InputError, match="1 of the features flagged"):
        explore(X, labels=y, k=3, selector="hamdist", absence_risky=["no such thing"])
    with pytest.raises(ParameterError, match="does not take absence flags"):
        explore(X, labels=y, k=3, selector="maximal-frequent", absence_risky=["f0"])


@pytest.fixture(scope="module")
def every(data):
    X, y = data
    return explore(X[:, :18], labels=y, k=4, method="columns", folds=2)


def test_all_means_every_selector_that_can_run_here(every, data):
    X, y = data
    assert {c.selector for c in every.candidates} == set(SELECTORS)
    wide = explore(
        X,
        labels=y,
        k=20,
        folds=2,
        method="columns",
        selector=["hamdist", "all"],
        absence_risky="all",
    )
    assert {c.selector for c in wide.candidates} == {
        "support", "hamdist", "distcnt", "information", "conditional",
    }  # fmt: skip
    own = explore(X, labels=y, k=4, selector=GreedyHamDist(stop="first"), method="columns", folds=2)
    assert own.candidates[0].selector == "greedyhamdist"


def test_a_selector_that_cannot_run_says_so_before_the_work(data, monkeypatch):
    X, y = data
    monkeypatch.setattr(GreedyHamDist, "fit", lambda *_: pytest.fail("work began"))
    with pytest.raises(ParameterError, match="runs on up to 22 features, and there are 40"):
        explore(X, labels=y, k=3, selector="hamdist,exact".split(","))


@pytest.mark.parametrize("name", list(SELECTORS))
def test_every_selector_keeps_the_contract(name, every, data, tmp_path):
    X, y = data
    (candidate,) = [c for c in every.candidates if c.selector == name]
    assert candidate.ac >= candidate.k == 4
    every.save(tmp_path)
    back = load(tmp_path)
    assert back.candidate(candidate.id) == candidate
    release = back.publish(candidate, sp.csr_matrix(X[:, :18]), labels=y, out=tmp_path / "out")
    assert release.measured.ac >= 4
    assert release.how.selector == name
    told = ENGINE.story(
        Part("baskets", "baskets", every.record, release, chosen=candidate, chosen_by="release")
    )
    (grid,) = [g for g in told.grids if g.caption == "Every candidate"]
    assert grid.rows[grid.marked][-1] == name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 500}, "k = 500 is larger than the number of rows"),
        ({"k": 350, "folds": 2}, "larger than the number of rows in a training fold"),
        ({"k": 0}, "'k' of baskets.explore must be greater"),
        ({"k": []}, "'k' of baskets.explore must be a list of at least 1 value"),
        ({"k": 319}, "the selection is empty"),
        ({"selector": "hamdits"}, "there is no 'hamdits'"),
        ({"selector": []}, "'selector' of baskets.explore"),
        ({"stop": "later", "selector": "hamdist"}, "'stop' of baskets.explore"),
        ({"folds": 1}, "'folds' of baskets.explore"),
        ({"labels": None}, "needs labels, and there are none"),
        ({"labels": np.zeros(400)}, "two classes are needed"),
        ({"labels": np.zeros(3)}, "3 labels for 400 rows"),
    ],
)
def test_bad_calls_get_a_clear_answer(change, message, data):
    X, y = data
    call = {"labels": y, "k": 3, "selector": "hamdist", "publish_as": "columns", **change}
    with pytest.raises((ParameterError, DataError), match=message):
        explore(X, **call)


def test_study_covers_the_papers_tables_and_figure(tmp_path):
    X, y = purchases(n=150, d=12, seed=5)
    found = run_study(X, y, BasketsStudyPlan(k=(2, 4), epsilons=(1.0, 8.0), folds=2, repeats=2))
    methods = [row["method"] for row in found["table"]]
    for name in ("Maximal (frequent)", "HamDist", "DistCnt", "CM Greedy", "RF",
                 "k-anonymity HamDist", "k-anonymity DistCnt", "Full feature set"):  # fmt: skip
        assert name in methods
    for row in found["table"]:
        for cell in row["cells"]:
            assert 0 <= cell["auc"] <= 1
            if "ac" in cell:
                assert cell["ac"] >= cell["k"]
    assert [(b["mechanism"], b["epsilon"]) for b in found["figure"]] == [
        ("laplace", 1.0), ("laplace", 8.0), ("exponential", 1.0), ("exponential", 8.0),
    ]  # fmt: skip
    write_study(found, tmp_path)
    assert {p.name for p in tmp_path.iterdir()} == {
        "study.json", "table.csv", "figure.csv", "table.vl.json", "figure.vl.json",
        "table.svg", "figure.svg",
    }  # fmt: skip


def test_random_flipping_makes_clusters_of_equal_rows():
    X, _ = purchases(n=230, d=30, seed=6)
    for k in (3, 7):
        flipped = flip_into_clusters(X, k=k, seed=1, block=100)
        _, counts = np.unique(flipped.matrix.to_array(), axis=0, return_counts=True)
        assert counts.min() >= k
        changed = (flipped.matrix.to_array() != X).mean()
        assert flipped.flipped_share == pytest.approx(changed)
    again = flip_into_clusters(X, k=7, seed=1, block=100)
    assert (again.matrix.to_array() == flipped.matrix.to_array()).all()
    with pytest.raises(DataError, match="larger than the number of rows"):
        flip_into_clusters(X, k=231)


@pytest.mark.parametrize("mechanism", ["laplace", "exponential"])
def test_a_large_budget_leaves_the_table_as_it_is(mechanism):
    X, y = purchases(n=300, d=10, seed=7)
    release = differential_release(X, y, count=4, epsilon=1e6, mechanism=mechanism, seed=3)
    best = np.argsort(-np.abs(X[y == 1].mean(0) * (1 - X[y == 0].mean(0))
                              + X[y == 0].mean(0) * (1 - X[y == 1].mean(0))))[:4]  # fmt: skip
    assert set(release.features.tolist()) == set(best.tolist())
    assert release.epsilon_selection + release.epsilon_release == 1e6
    rows = np.column_stack([release.matrix.to_array(), release.positive])
    truth = np.column_stack([X[:, release.features], y])
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, truth.tolist()))
    noisy = differential_release(X, y, count=4, epsilon=0.1, mechanism=mechanism, seed=3)
    assert noisy.matrix.n != 300
    with pytest.raises(InputError, match="out of reach"):
        differential_release(np.tile(X, 3), y, count=25, epsilon=1.0, mechanism=mechanism)
    with pytest.raises(ParameterError, match="'epsilon'"):
        differential_release(X, y, count=3, epsilon=0.0, mechanism=mechanism)
    with pytest.raises(ParameterError, match="'mechanism'"):
        differential_release(X, y, count=3, epsilon=1.0, mechanism="dice")
