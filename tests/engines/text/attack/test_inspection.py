"""Reading a release best first, against plain loops; ranges from resampling documents."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import ParameterError
from sfumato.core.randomness import Streams
from sfumato.core.statistics.resampling import NextBatch
from sfumato.engines.text.attack.inspection import (
    _count_best_first,
    _in_batches,
    confusion_of,
    found_best_first,
    inspect,
)


def plain_ranked(scores, sensitive, budget):
    """Walk the scores from the best down; a group of ties gives its mean share."""
    found = left = 0.0
    left = budget
    for value in sorted(set(scores), reverse=True):
        group = [s for v, s in zip(scores, sensitive, strict=True) if v == value]
        take = min(left, len(group))
        found += take * sum(group) / len(group)
        left -= take
    return found


words = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=40)


@settings(max_examples=100)
@given(words, st.integers(1, 60))
def test_ranked_against_plain(rows, budget):
    scores = np.array([float(s) for s, _ in rows])
    sensitive = np.array([y for _, y in rows])
    got = found_best_first(scores, sensitive, [budget])[0]
    assert got == pytest.approx(plain_ranked(list(scores), list(sensitive), budget))


@settings(max_examples=100)
@given(words, st.lists(st.integers(1, 60), min_size=1, max_size=4), st.integers(0, 9))
def test_batches_against_one_at_a_time(rows, budgets, seed):
    scores = np.array([float(s) for s, _ in rows])
    order = np.argsort(-scores, kind="stable")
    hits = np.array([float(y) for _, y in rows])[order]
    random = np.random.default_rng(seed)
    owner = random.integers(0, 5, len(rows))
    weights = random.integers(0, 3, (7, 5)).astype(np.float64)
    budgets = np.sort(np.array(budgets, np.float64))
    found = _in_batches(scores[order], hits, owner, weights, budgets)
    for row, batch in zip(found.tolist(), weights, strict=True):
        assert row == _count_best_first(scores[order], hits, batch[owner], budgets)


def make(seed=0, documents=30, length=50):
    rng = np.random.default_rng(seed)
    n = documents * length
    sensitive = rng.random(n) < 0.05
    scores = rng.normal(size=n) + 1.5 * sensitive
    return scores, scores > 2, sensitive, np.repeat(np.arange(documents), length)


def test_inspection_holds_its_own_point_inside_its_range():
    scores, predicted, sensitive, owner = make()
    result = inspect(
        scores,
        predicted,
        sensitive,
        owner,
        budgets=[10, 100, 5000],
        generator=Streams(0).generator("x"),
    )
    assert result.counts == confusion_of(predicted, sensitive)
    for way in (result.ranked, result.unordered, result.random):
        for budget, found in way.items():
            assert 0 <= found.low <= found.found <= found.high <= budget
    assert result.ranked[5000].found == sensitive.sum()
    assert result.ranked[100].found > result.unordered[100].found * 0.9
    assert result.unordered[100].found > result.random[100].found


def test_the_range_is_that_of_batches_drawn_twice():
    scores, predicted, sensitive, owner = make(3, documents=30, length=12)
    result = inspect(
        scores, predicted, sensitive, owner, budgets=[100], generator=Streams(5).generator("x"),
        batch=20,
    )  # fmt: skip
    drawn = NextBatch(30, 20, int(Streams(5).generator("x").integers(1 << 62)), 400)
    plain = []
    for row in drawn.weights():
        index = np.concatenate(
            [np.flatnonzero(owner == d) for d in range(30) for _ in range(int(row[d]))]
        )
        plain.append(plain_ranked(list(scores[index]), list(sensitive[index]), 100))
    low, high = np.quantile(drawn.counts(np.array(plain)), [0.025, 0.975])
    assert result.ranked[100].low == pytest.approx(low)
    assert result.ranked[100].high == pytest.approx(high)


def test_same_seed_same_range():
    one = inspect(*make(), budgets=[100], generator=Streams(1).generator("x"))
    two = inspect(*make(), budgets=[100], generator=Streams(1).generator("x"))
    assert one == two


def test_finding_nothing_is_no_proof_of_a_zero_rate():
    scores, predicted, sensitive, owner = make()
    result = inspect(
        scores,
        predicted,
        np.zeros_like(sensitive),
        owner,
        budgets=[100],
        generator=Streams(0).generator("x"),
    )
    assert result.ranked[100].found == 0
    assert 3 <= result.ranked[100].high <= 12


def test_empty_release_and_bad_budget():
    empty = np.zeros(0)
    result = inspect(
        empty, empty.astype(bool), empty.astype(bool), empty.astype(int),
        budgets=[10], generator=Streams(0).generator("x"),
    )  # fmt: skip
    assert result.ranked[10].found == 0
    with pytest.raises(ParameterError, match="budgets"):
        inspect(*make(), budgets=[0], generator=Streams(0).generator("x"))
