"""The test on margins, against plain twins and on margins whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from sfumato.core.errors import DataError
from sfumato.core.statistics.margins import Margin, _rank_difference, _sign_tail, compare_margins
from sfumato.core.statistics.shift import ALARM, DIFFERENT, LIKE, TOO_FEW

counts = st.lists(st.integers(0, 6), min_size=2, max_size=5)


def margin(name, learned, released, **options):
    learned, released = np.asarray(learned), np.asarray(released)
    return Margin(name, learned, released, (int(learned.sum()), int(released.sum())), **options)


@settings(max_examples=60)
@given(counts, counts)
def test_the_rank_difference_against_pairs_of_rows(was, now):
    size = max(len(was), len(now))
    was, now = (c + [0] * (size - len(c)) for c in (was, now))
    a, b = np.repeat(np.arange(size), was), np.repeat(np.arange(size), now)
    if min(len(a), len(b)) == 0:
        return
    wins = np.mean([float(y > x) + 0.5 * (x == y) for x in a for y in b]) - 0.5
    both = [*a, *b]
    ties = 1 - sum((both.count(v) / len(both)) ** 3 for v in set(both))
    spread = (ties / 12 * (1 / len(a) + 1 / len(b))) ** 0.5
    pooled = (np.array(was) + np.array(now)) / len(both)
    found = _rank_difference(np.array(was) / len(a), np.array(now) / len(b), pooled, len(a), len(b))
    assert found == pytest.approx(wins / spread if spread > 1e-6 else 0.0)


@given(st.integers(0, 60), st.floats(0, 60))
def test_the_sign_test_against_the_binomial_distribution(count, other):
    events = count + int(np.ceil(other)) + 1
    expected = binom.sf(count - 1, events, 0.5) if count else 1.0
    assert _sign_tail(count, other) == pytest.approx(expected)


def test_false_alarms_stay_below_their_level():
    random = np.random.default_rng(0)
    alarms = 0
    for _ in range(400):
        n, m = (int(np.exp(random.uniform(np.log(25), np.log(5000)))) for _ in range(2))
        compared = []
        for column in "abcde":
            values = int(np.exp(random.uniform(np.log(2), np.log(200))))
            shares = random.dirichlet(np.full(values, random.choice([0.1, 0.5, 5.0])))
            compared.append(
                margin(column, random.multinomial(n, shares), random.multinomial(m, shares))
            )
        alarms += compare_margins(compared).different
    assert alarms / 400 <= 0.04


@pytest.mark.parametrize(
    ("released", "cause"),
    [
        ([200, 200, 200, 0, 0, 0, 0, 0], "distribution of age"),
        ([50, 60, 70, 80, 80, 90, 100, 0], "distribution of age"),
        ([78, 78, 78, 78, 73, 68, 68, 14], "new values of age"),
    ],
)
def test_differences_name_their_cause(released, cause):
    sex = margin("sex", [500, 500], [sum(released) // 2, sum(released) - sum(released) // 2])
    check = compare_margins([sex, margin("age", [150, 150, 150, 150, 140, 130, 130, 0], released)])
    assert check.verdict == DIFFERENT
    assert check.p_value <= ALARM
    assert check.cause == cause


def test_a_small_difference_of_very_many_rows_does_not_matter():
    was, now = np.array([500_000, 500_000]), np.array([505_000, 495_000])
    check = compare_margins([margin("sex", was, now)])
    assert check.verdict == LIKE  # a chi-squared test of all rows would have p = 1e-12


def test_items_that_are_not_exclusive_are_compared_by_rows():
    was, now = np.array([400, 200, 100]), np.array([200, 20, 50])
    check = compare_margins([Margin("columns", was, now, (500, 250), ordered=False)])
    assert check.verdict == DIFFERENT
    assert check.cause == "distribution of columns"


def test_few_rows_and_wrong_margins():
    assert compare_margins([margin("a", [10, 9], [100, 100])]).verdict == TOO_FEW
    with pytest.raises(DataError):
        margin("a", [10, 9], [100])
