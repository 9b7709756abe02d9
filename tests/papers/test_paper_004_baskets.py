"""Paper 004: definitions, worked examples, lemmas and theorems, with the corrections we hold to."""

import numpy as np
import pytest

from sfumato.engines.baskets import (
    GreedyDistCnt,
    GreedyHamDist,
    dataset_containment,
    row_containment,
)
from sfumato.engines.baskets.containment.audit import containment_group, is_feasible
from sfumato.engines.baskets.measures.separation import classification_metric, dist_cnt, ham_dist
from sfumato.engines.baskets.measures.topics import topic_entropy, topic_entropy_auc
from sfumato.engines.baskets.selectors import (
    MaximalSelector,
    feasible_sets,
    maximal_feasible_sets,
    maximal_frequent_sets,
)

TOY = np.array(
    [
        [1, 0, 1, 0, 1],
        [1, 0, 1, 0, 1],
        [1, 0, 0, 1, 1],
        [1, 0, 1, 0, 1],
        [1, 1, 1, 0, 1],
        [1, 1, 0, 1, 1],
    ]
)
CLASS = np.array([1, -1, 1, 1, -1, -1])


def named(masks):
    """Write masks as the paper does: x1x2x5."""
    return {"".join(f"x{j + 1}" for j in range(5) if mask >> j & 1) for mask in masks.tolist()}


def test_table_1_definitions_4_to_6():
    assert row_containment(TOY).tolist() == [4, 4, 2, 4, 1, 1]
    assert dataset_containment(TOY) == 1
    # the 4-anonymous by containment group of e2 is {e1, e2, e4, e5}
    assert containment_group(TOY, 1).tolist() == [0, 1, 3, 4]
    assert containment_group(TOY, 5).tolist() == [5]


def test_definition_6_must_read_largest():
    # "the smallest k for which D is anonymous" would be 1 for every dataset
    X = TOY[:, [0, 1, 4]]
    assert row_containment(X).min() == 2
    assert dataset_containment(X) == 2


def test_table_2_both_projections_are_2_anonymous():
    for features in ([0, 1, 4], [2, 3, 4]):
        _, counts = np.unique(TOY[:, features], axis=0, return_counts=True)
        assert counts.min() >= 2
        assert is_feasible(TOY, features, 2)
    # on {x1, x2, x5} the groups are all rows and {e5, e6}
    X = TOY[:, [0, 1, 4]]
    assert {tuple(containment_group(X, e)) for e in range(6)} == {(0, 1, 2, 3, 4, 5), (4, 5)}


def test_lemma_1_k_anonymity_implies_k_ac_but_not_the_reverse():
    D = np.array([[1, 1], [1, 0], [1, 1]])
    assert dataset_containment(D) == 2
    _, counts = np.unique(D, axis=0, return_counts=True)
    assert counts.min() == 1
    rng = np.random.default_rng(0)
    for _ in range(500):
        X = rng.integers(0, 2, size=(rng.integers(1, 12), rng.integers(1, 5)))
        _, counts = np.unique(X, axis=0, return_counts=True)
        assert dataset_containment(X) >= counts.min()


def test_f2_and_both_readings_of_m2():
    paper = {
        "x1", "x2", "x3", "x4", "x5", "x1x2", "x1x3", "x1x4", "x1x5", "x2x5", "x3x5", "x4x5",
        "x1x2x5", "x1x3x5", "x1x4x5",
    }  # fmt: skip
    # as the paper reads it: the frequent itemsets
    assert named(maximal_frequent_sets(TOY, 2)) == {"x1x2x5", "x1x3x5", "x1x4x5"}
    # by its own definition of F_k: more, among them its own Feature Set-2
    family = named(feasible_sets(TOY, 2)) - {""}
    assert paper < family
    assert "x3x4x5" in family - paper
    assert "x2x3" not in family
    assert named(maximal_feasible_sets(TOY, 2)) == {"x1x2x5", "x1x3x4x5"}


def test_lemma_3_fails_in_the_reverse_direction():
    # x3x4 is held by no row, so it is not frequent; yet the dataset on it is 2-AC
    assert TOY[:, [2, 3]].all(axis=1).sum() == 0
    assert is_feasible(TOY, [2, 3], 2)


def test_hamdist_examples():
    assert ham_dist(TOY, CLASS, [0, 1, 4]) == pytest.approx(6 / 9)
    assert ham_dist(TOY, CLASS, [2, 3, 4]) == pytest.approx(8 / 9)


def test_distcnt_on_the_toy():
    # {x1, x2, x5} tells e5 and e6 from the three positives: 6 of 9 pairs
    assert dist_cnt(TOY, CLASS, [0, 1, 4]) == pytest.approx(6 / 9)


def test_introduction_one_mistake_in_six():
    # 101 → +1, 111 → −1 makes one mistake: the minority count of Definition 2
    assert classification_metric(TOY, CLASS, [0, 1, 4], k=2) == 1


def test_algorithms_2_and_3_on_the_toy():
    # by HamDist x2 (6/9) comes before x3 and x4 (4/9 each), x1 and x5 (0)
    assert GreedyHamDist(2, stop="first").fit(TOY, CLASS).selected_.tolist() == [1]
    # the paper's loop would not end when no gain is positive; ours does
    assert GreedyDistCnt(1).fit(np.ones((4, 2), dtype=int), [0, 1, 0, 1]).selected_.tolist() == []
    assert GreedyDistCnt(1, stop="first").fit(TOY, CLASS).selected_.tolist() == [1, 2]


def test_algorithm_1_both_families():
    frequent = MaximalSelector(2, family="frequent").fit(TOY, CLASS)
    feasible = MaximalSelector(2).fit(TOY, CLASS)
    assert set(frequent.selected_.tolist()) == {0, 1, 4}  # HamDist 6/9 of the three triples
    assert set(feasible.selected_.tolist()) == {0, 2, 3, 4}  # HamDist 8/9


@pytest.mark.parametrize("stop", ["first", "never"])
def test_theorem_3_gives_no_ratio_under_the_anonymity_constraint(stop):
    # x0 is the best single feature and shares exactly one row with each of the others, which
    # all go together: greedy takes x0 and is left with an eighth of what can be had
    others = range(1, 13)
    X = np.zeros((40, 13), dtype=int)
    X[:12, 0] = 1
    for j in others:
        X[12:19, j] = 1
        X[j - 1, j] = 1
    y = np.array([1] * 20 + [0] * 20)
    assert is_feasible(X, list(others), 2)
    chosen = GreedyHamDist(2, stop=stop).fit(X, y).selected_.tolist()
    assert chosen == [0]
    assert ham_dist(X, y, chosen) < (1 - 1 / np.e) * ham_dist(X, y, list(others))


def test_skipping_is_not_monotone_in_k_but_feasibility_is():
    rng = np.random.default_rng(1)
    more = 0
    for _ in range(200):
        X = (rng.random((40, 14)) < 0.15).astype(int)
        y = np.arange(40) % 2
        low = GreedyHamDist(2).fit(X, y).selected_
        high = GreedyHamDist(3).fit(X, y).selected_
        assert is_feasible(X, high, 2)
        more += len(high) > len(low)
    assert more > 0


def test_equation_5_topic_entropy():
    rng = np.random.default_rng(2)
    words, topics = 60, 3
    pure, mixed = [], []
    for _ in range(40):
        own = rng.integers(topics)
        row = np.zeros(words, dtype=int)
        row[own * 20 : own * 20 + 20] = rng.random(20) < 0.6
        pure.append(row)
        row = (rng.random(words) < 0.2).astype(int)
        mixed.append(row)
    X = np.vstack([*pure, *mixed])
    y = np.array([0] * 40 + [1] * 40)
    scores = topic_entropy(X, topics=topics, seed=1)
    assert scores.shape == (80,)
    assert (scores >= 0).all()
    assert (scores <= np.log(topics) + 1e-9).all()
    assert topic_entropy_auc(X, y, topics=topics, seed=1) > 0.9
