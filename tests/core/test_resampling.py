"""Ranges for the next batch, against plain loops; exact intervals against the binomial distribution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import ParameterError
from sfumato.core.statistics.resampling import NextBatch, exact_interval, exact_upper


def plain_sums(columns, batch, seed, replicates):
    """Draw documents twice, one by one, and add their rows up."""
    random = np.random.default_rng(seed)
    n, found = len(columns), []
    for _ in range(replicates):
        first = random.integers(0, n, n)
        if batch > 4 * n:  # how often each stands in the batch is drawn at once
            counts = random.multinomial(batch, [np.mean(first == d) for d in range(n)])
            second = [np.flatnonzero(first == d)[0] for d in range(n) for _ in range(counts[d])]
        else:
            second = random.integers(0, n, batch)
        total = [0.0] * len(columns[0])
        for pick in second:
            total = [t + c for t, c in zip(total, columns[first[pick]], strict=True)]
        found.append(total)
    return found


rows = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 30)), min_size=1, max_size=12)


@settings(max_examples=40)
@given(rows, st.integers(1, 20), st.integers(0, 99))
def test_sums_against_plain(columns, batch, seed):
    drawn = NextBatch(len(columns), batch, seed, replicates=20)
    assert drawn.sums(np.array(columns)).tolist() == plain_sums(columns, batch, seed, 20)


def test_large_batches_are_drawn_from_the_same_distribution():
    """Drawn by counts or one by one, the mean and the spread over batches are the same."""
    column = np.arange(6.0)[:, None]
    by_counts = NextBatch(6, 25, 1, replicates=4000).sums(column) / 25
    one_by_one = NextBatch(6, 24, 2, replicates=4000).sums(column) / 24
    assert abs(by_counts.mean() - one_by_one.mean()) < 0.05
    assert abs(by_counts.std() / one_by_one.std() - 1) < 0.08


def test_what_is_drawn_anew_is_what_is_kept(monkeypatch):
    columns = np.random.default_rng(0).integers(0, 9, (30, 2))
    kept = NextBatch(30, 50, 3, replicates=40).sums(columns)
    monkeypatch.setattr("sfumato.core.statistics.resampling._MOST_KEPT", 0)
    assert (NextBatch(30, 50, 3, replicates=40).sums(columns) == kept).all()


def test_zero_leaks_are_no_proof_of_a_zero_rate():
    whole = np.full(40, 25)
    small = NextBatch(40, 40, 0).share(np.zeros(40), whole, rare=True)
    assert small.low == 0
    assert small.high > 0
    # The fewer documents were measured, the less their silence says.
    few = NextBatch(4, 40, 0).share(np.zeros(4), whole[:4], rare=True)
    assert few.high > small.high
    assert NextBatch(40, 40, 0).share(np.zeros(40), whole, rare=False).high == 0


def test_a_small_batch_varies_more_than_a_large_one():
    random = np.random.default_rng(0)
    whole = np.full(200, 20)
    part = random.binomial(whole, 0.1)
    widths = [NextBatch(200, m, 1).share(part, whole, rare=True).width for m in (5, 50, 2000)]
    assert widths[0] > widths[1] > widths[2]


def test_the_upper_end_holds_for_new_documents():
    """Leaks that come in clumps: the range must hold for another sample of the same documents."""
    random = np.random.default_rng(7)
    held, tries = 0, 120
    for i in range(tries):
        leaks = random.binomial(1, 0.1, (2, 60)) * random.poisson(3, (2, 60))
        whole = random.integers(10, 40, (2, 60))
        around = NextBatch(60, 60, i, replicates=300).share(leaks[0], whole[0], rare=True)
        held += leaks[1].sum() / whole[1].sum() <= around.high
    assert held / tries >= 0.92


def test_the_same_seed_gives_the_same_range():
    part, whole = np.arange(9), np.full(9, 10)
    assert NextBatch(9, 9, 3).share(part, whole, rare=True) == NextBatch(9, 9, 3).share(
        part, whole, rare=True
    )


def test_no_document_is_an_error():
    with pytest.raises(ParameterError):
        NextBatch(0, 1, 0)


@settings(max_examples=60)
@given(st.integers(1, 80), st.data())
def test_exact_ends_against_the_binomial_distribution(of, data):
    from scipy.stats import binom

    found = data.draw(st.integers(0, of))
    around = exact_interval(found, of)
    if found:
        assert binom.sf(found - 1, of, around.low) == pytest.approx(0.025)
    if found < of:
        assert binom.cdf(found, of, around.high) == pytest.approx(0.025)
        assert binom.cdf(found, of, exact_upper(found, of)) == pytest.approx(0.05)


def test_acceptance_numbers_of_the_books():
    assert exact_upper(0, 60) == pytest.approx(1 - 0.05 ** (1 / 60))
    assert exact_upper(60, 60) == 1.0
    with pytest.raises(ParameterError):
        exact_upper(3, 2)
