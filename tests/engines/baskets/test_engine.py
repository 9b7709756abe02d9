"""Explore, choose, publish: the frontier, the files, and the audit of what was written."""

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import sfumato as sf
from sfumato.core import DataError, Exploration, InputError, ParameterError, ReleaseRefusedError
from sfumato.data.baskets import Baskets, read_baskets, write_baskets
from sfumato.engines.baskets import GreedyHamDist, audit, explore, load_exploration, publish
from sfumato.engines.baskets.evaluation import cross_validated_auc, nested_auc
from sfumato.laboratory.baskets.baselines import differential_release, flip_into_clusters
from sfumato.laboratory.baskets.study import run_study, write_study


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
    return explore(X, y, k=(3, 6), selector=["hamdist", "information"], folds=3)


def test_frontier_has_the_fields_of_the_contract(frontier, data):
    X, _ = data
    content = frontier.to_json()
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
    assert best.details["k"] in (3, 6)


def test_the_same_seed_gives_the_same_frontier(frontier, data):
    again = explore(*data, k=(3, 6), selector=["hamdist", "information"], folds=3)
    a, b = frontier.to_json(), again.to_json()
    a.pop("seconds"), b.pop("seconds")
    assert a == b


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
    found = explore(source, labels, k=3, selector="hamdist", folds=2)
    candidate = found.candidate("hamdist-k3")
    out = tmp_path / ("out" + suffix if where == "file" else "out")
    release = candidate.publish(source, out=out, labels=labels)
    if where == "file":
        files = {p.name for p in tmp_path.iterdir() if p.name.startswith("out")}
        record = tmp_path / "out.release.json"
        matrix = out
    else:
        files = {p.name for p in out.iterdir()}
        record = out / "release.json"
        matrix = out / f"rows{suffix}"
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
    assert {again.feature_names[i] for i in held} <= set(candidate.details["features"])
    assert again.labels == tuple(str(v) for v in y)
    truth = audit(again.matrix)
    content = json.loads(record.read_text())
    assert content["measured"]["ac"] == truth.ac >= 3
    assert content["how"]["k"] == 3
    assert content["counts"]["rows"] == 400
    assert content == json.loads(json.dumps(release.to_json()))
    for made in content["outputs"]:
        assert made["path"] in files
    with pytest.raises(InputError, match="exists already"):
        candidate.publish(source, out=out, labels=labels)
    candidate.publish(source, out=out, labels=labels, force=True)


def test_publish_of_other_rows_is_refused(frontier, tmp_path):
    X, y = purchases(seed=99, n=60)
    candidate = frontier.candidate("hamdist-k6")
    with pytest.raises(ReleaseRefusedError, match="below the promised k = 6"):
        candidate.publish(Baskets.of(X, labels=y), out=tmp_path / "out.npz")
    with pytest.raises(ReleaseRefusedError, match="below the promised k = 6"):
        candidate.publish(X)
    assert list(tmp_path.iterdir()) == []


def test_publish_in_memory_gives_the_projected_rows(frontier, data):
    X, y = data
    candidate = frontier.candidate("information-k3")
    projected = candidate.publish(sp.csr_matrix(X), labels=y)
    assert projected.matrix.shape == (400, candidate.details["count"])
    assert audit(projected.matrix).ac >= 3


def test_a_frontier_read_back_can_publish(frontier, data, tmp_path):
    X, y = data
    frontier.save(tmp_path)
    back = load_exploration(tmp_path)
    assert back.to_json() == frontier.to_json()
    projected = back.candidate("hamdist-k3").publish(X, labels=y)
    assert list(projected.feature_names) == frontier.candidate("hamdist-k3").details["features"]
    other = Exploration("tables", seed=0, axes={})
    (tmp_path / "t").mkdir()
    other.save(tmp_path / "t")
    with pytest.raises(InputError, match="made by the engine 'tables'"):
        load_exploration(tmp_path / "t")


def test_wrong_output_format_and_empty_candidate(frontier, data, tmp_path):
    X, y = data
    candidate = frontier.candidate("hamdist-k3")
    with pytest.raises(InputError, match="would be csv, but the input is npz"):
        candidate.publish(Baskets.of(X, labels=y), out=tmp_path / "out.csv")
    empty = replace(candidate, details={**candidate.details, "features": []})
    with pytest.raises(InputError, match="holds no feature"):
        publish(empty, X)


def free_of_flags(X, y):
    return explore(X, y, k=3, selector="hamdist", folds=2).candidate("hamdist-k3")


def test_absence_flags_reach_the_selectors(data):
    X, y = data
    found = explore(X, y, k=3, selector="hamdist", folds=2, absence_risky="all")
    (candidate,) = found.candidates
    assert candidate.details["smallest_group"] >= 3  # k-anonymity
    assert candidate.details["absence_risky"] == candidate.details["features"]
    assert candidate.publish(X).matrix.shape[0] == 400
    named = explore(X, y, k=3, folds=2, absence_risky=["f0", "f1"])
    flagged = named.candidate("hamdist-k3")
    assert set(flagged.details["absence_risky"]) <= {"f0", "f1"}
    weaker = replace(free_of_flags(X, y), details={
        **free_of_flags(X, y).details, "absence_risky": free_of_flags(X, y).details["features"],
    })  # fmt: skip
    with pytest.raises(ReleaseRefusedError):  # k-AC alone does not keep the promise of the flags
        publish(weaker, X)
    free = explore(X, y, k=3, selector="hamdist", folds=2)
    assert flagged.details["count"] <= free.candidates[0].details["count"]
    with pytest.raises(InputError, match="1 of the features flagged"):
        explore(X, y, k=3, selector="hamdist", absence_risky=["no such thing"])
    with pytest.raises(ParameterError, match="does not take absence flags"):
        explore(X, y, k=3, selector="maximal-frequent", absence_risky=["f0"])


def test_all_selectors_by_name_and_an_estimator(data):
    X, y = data
    X = X[:, :18]
    found = sf.baskets.explore(X, y, k=4, folds=2)
    assert {c.details["selector"] for c in found.candidates} == {
        "hamdist", "distcnt", "information", "conditional", "maximal-frequent", "exact",
    }  # fmt: skip
    own = explore(X, y, k=4, selector=GreedyHamDist(stop="first"), folds=2)
    assert own.candidates[0].details["selector"] == "greedyhamdist"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"k": 500}, "k = 500 is larger than the number of rows"),
        ({"k": 350, "folds": 2}, "larger than the number of rows in a training fold"),
        ({"k": 0}, "'k' parameter of explore must be ints in"),
        ({"k": []}, "At least one k is needed"),
        ({"k": 319}, "the selection is empty"),
        ({"selector": "hamdits"}, "There is no selector 'hamdits'"),
        ({"selector": []}, "At least one selector"),
        ({"stop": "later", "selector": "hamdist"}, "'stop' parameter"),
        ({"folds": 1}, "'folds' parameter"),
        ({"labels": None}, "There are no labels"),
        ({"labels": np.zeros(400)}, "two classes are needed"),
        ({"labels": np.zeros(3)}, "3 labels for 400 rows"),
    ],
)
def test_bad_calls_get_a_clear_answer(change, message, data):
    X, y = data
    call = {"labels": y, "k": 3, "selector": "hamdist", **change}
    with pytest.raises((ParameterError, DataError), match=message):
        explore(X, **call)


def test_study_covers_the_papers_tables_and_figure(tmp_path):
    X, y = purchases(n=150, d=12, seed=5)
    found = run_study(X, y, k=(2, 4), epsilons=(1.0, 8.0), folds=2, repeats=2)
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
