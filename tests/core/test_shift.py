"""The two-sample test of a shift, against a plain twin and on samples whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError
from sfumato.core.statistics.shift import DIFFERENT, LIKE, TOO_FEW, compare


def plain_differences(learned, released):
    """Standardise the rank sum of the released records by its exact mean and variance."""
    found = []
    for column in range(learned.shape[1]):
        values = [*learned[:, column], *released[:, column]]
        ranks = [sum(v < x for v in values) + (sum(v == x for v in values) + 1) / 2 for x in values]
        n, m = len(learned), len(released)
        mean = sum(ranks) / (n + m)
        variance = sum((r - mean) ** 2 for r in ranks) / (n + m)
        spread = (variance * n * m / (n + m - 1)) ** 0.5
        total = sum(r - mean for r in ranks[n:])
        found.append(total / spread if spread > 0 else 0.0)
    return found


@settings(max_examples=40)
@given(st.integers(3, 9), st.integers(3, 9), st.integers(0, 999))
def test_differences_against_plain(n, m, seed):
    random = np.random.default_rng(seed)
    learned = random.integers(0, 4, (n, 2)).astype(float)
    released = random.integers(0, 4, (m, 2)).astype(float)
    check = compare(learned, released, "ab", generator=random, permutations=20)
    got = [c.difference for c in check.measures]
    assert got == pytest.approx(plain_differences(learned, released))


def test_false_alarms_stay_below_their_level():
    random = np.random.default_rng(5)
    alarms = sum(
        compare(
            random.normal(size=(30, 4)),
            random.normal(size=(20, 4)),
            "abcd",
            generator=random,
            permutations=199,
        ).different
        for _ in range(200)
    )
    assert alarms / 200 <= 0.06


def test_a_shift_is_seen_and_named():
    random = np.random.default_rng(1)
    check = compare(
        random.normal(size=(40, 2)), random.normal([0, 1.5], size=(30, 2)), ("length", "case"),
        generator=random,
    )  # fmt: skip
    assert check.verdict == DIFFERENT
    assert check.cause == "case"
    assert check.p_value <= 0.015
    content = check.to_json()
    assert content["measures"]["case"]["released"] > content["measures"]["case"]["learned"]


def test_too_few_records_have_no_verdict():
    random = np.random.default_rng(0)
    far = np.full((2, 1), 99.0)
    check = compare(random.normal(size=(30, 1)), far, "a", generator=random)
    assert check.verdict == TOO_FEW
    assert check.p_value is None
    assert not check.different


def test_one_group_counts_as_one_record():
    """Forty notes of two patients are two records: they cannot raise an alarm."""
    random = np.random.default_rng(0)
    learned, released = random.normal(size=(40, 1)), random.normal(3, 0.1, size=(40, 1))
    alone = compare(learned, released, "a", generator=random)
    patients = ["p", "q"] * 20
    grouped = compare(learned, released, "a", generator=random, groups=(range(40), patients))
    assert alone.verdict == DIFFERENT
    assert grouped.verdict == TOO_FEW


def test_equal_values_are_alike():
    same = np.ones((10, 2))
    check = compare(same, same, "ab", generator=np.random.default_rng(0), permutations=50)
    assert check.verdict == LIKE
    assert check.p_value == 1.0


def test_measures_must_match():
    with pytest.raises(DataError):
        compare(np.ones((3, 2)), np.ones((3, 1)), "ab", generator=np.random.default_rng(0))
