"""What scores feature sets: scikit-learn's folds and areas, and ties that keep the simpler set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.baskets import explore
from sfumato.core.measures import Risk, Utility
from sfumato.core.randomness import Streams
from sfumato.engines.baskets import BestSelector, GreedyInformation, GreedySupport
from sfumato.engines.baskets.exploration import BasketsExploration
from sfumato.engines.baskets.measures.folds import shuffle, splits_of, stratify
from sfumato.engines.baskets.measures.linear_svm import area_under_curve
from sfumato.engines.baskets.selectors.base import ContainmentSelector


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(2, 4))
@settings(max_examples=40)
def test_folds_and_areas_are_those_of_scikit_learn(seed, folds, classes):
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import KFold, StratifiedKFold

    rng = np.random.default_rng(seed)
    labels = np.concatenate((np.repeat(np.arange(classes), folds), rng.integers(0, classes, 17)))
    rng.shuffle(labels)
    state = Streams(seed).seed_of("folds") % (2**32)
    theirs = StratifiedKFold(folds, shuffle=True, random_state=state).split(labels, labels)
    for ours, (train, test) in zip(
        splits_of(stratify(labels, folds, seed), folds), theirs, strict=True
    ):
        assert ours[0].tolist() == train.tolist()
        assert ours[1].tolist() == test.tolist()
    theirs = KFold(folds, shuffle=True, random_state=state).split(labels)
    for ours, (_, test) in zip(
        splits_of(shuffle(len(labels), folds, seed), folds),
        theirs,
        strict=True,
    ):
        assert ours[1].tolist() == test.tolist()
    scores = rng.integers(0, 6, len(labels)) / 3
    assert area_under_curve(labels == 0, scores) == pytest.approx(
        roc_auc_score(labels == 0, scores)
    )


def test_the_best_selector_keeps_the_simpler_of_sets_that_cannot_be_told_apart():
    rng = np.random.default_rng(2)
    y = rng.random(400) < 0.5
    told = rng.random((400, 2)) < np.where(y, 0.8, 0.2)[:, None]
    noise = rng.random((400, 4)) < 0.5
    X = np.hstack((told, noise)).astype(np.uint8)
    few, many = GreedyInformation(2, stop="first"), GreedySupport(2)
    lone = _Fixed([0, 1])
    best = BestSelector(2, factors=(1.0,), selectors=[_Fixed(range(6)), lone]).fit(X, y)
    assert best.selected_.tolist() == [0, 1]  # four columns of noise add nothing
    worse = BestSelector(2, factors=(1.0,), selectors=[_Fixed([2]), lone]).fit(X, y)
    assert worse.selected_.tolist() == [0, 1]  # fewer features, but far behind
    assert BestSelector(2, selectors=[few, many]).fit(X, y).best_inner_auc_ > 0.8


class _Fixed(ContainmentSelector):
    """Chooses what it was told to choose."""

    def __init__(self, features=(), k=2, binarize=None):
        self.features, self.k, self.binarize = features, k, binarize

    def _select(self, matrix, positive):
        return list(self.features)


def test_differences_within_noise_do_not_decide_the_frontier():
    X = np.eye(4, dtype=np.uint8).repeat(12, axis=0)
    some = explore(
        X, labels=X[:, 0], k=4, selector="hamdist", method="columns", folds=3
    ).candidates[0]

    def candidate(name, k, folds, *, count=5, way="columns"):
        value = float(np.mean(folds))
        return some.model_copy(
            update={
                "id": name, "k": k, "count": count, "publish_as": way, "auc_by_fold": tuple(folds),
                "auc": value, "risk": Risk(1 / k), "utility": Utility(value),
            }
        )  # fmt: skip

    noisy = candidate("noisy", 8, (0.82, 0.78, 0.83), count=9)  # .81, but not in every fold
    plain = candidate("plain", 8, (0.80, 0.80, 0.80), count=3)
    cells = candidate("cells", 8, (0.81, 0.79, 0.82), count=2, way="cells")
    riskier = candidate("riskier", 5, (0.81, 0.79, 0.82), count=9)
    better = candidate("better", 4, (0.86, 0.87, 0.88), count=9)
    placed, _ = BasketsExploration.mark_dominated([noisy, plain, cells, riskier, better])
    assert {c.id for c in placed if not c.dominated} == {"plain", "better"}
    again, _ = BasketsExploration.mark_dominated(placed)
    assert again == placed
    known = [c.model_copy(update={"auc_by_fold": ()}) for c in placed]  # without folds: by value
    placed, _ = BasketsExploration.mark_dominated(known)
    assert {c.id for c in placed if not c.dominated} == {"noisy", "better"}
