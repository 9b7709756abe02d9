"""Ranges of what is left, the stop rule, and the size of an audit."""

import numpy as np
import pytest
from scipy.stats import beta

from sfumato.engines.text.labelling.estimate import answers_to_go, audit_size, share_range


def test_the_range_is_never_narrower_than_the_exact_interval():
    left, of, unit = np.array([1, 0, 2]), np.array([10, 5, 20]), np.array([0, 0, 1])
    low, high = share_range(left, of, unit)
    assert low <= beta.ppf(0.025, 3, 33) + 1e-12
    assert high >= beta.ppf(0.975, 4, 32) - 1e-12
    assert share_range(np.zeros(0, int), np.zeros(0, int), np.zeros(0, int)) == (0.0, 1.0)
    none = share_range(np.zeros(3, int), of, unit)
    assert none[0] == 0.0
    assert none[1] > 0.08


def test_the_range_holds_the_true_share_where_windows_cluster():
    random = np.random.default_rng(1)
    held = 0
    for trial in range(60):
        documents = random.beta(0.6, 5.4, 12)  # leaks differ much between documents
        unit = np.repeat(np.arange(12), 3)
        of = random.integers(1, 6, 36)
        left = random.binomial(of, documents[unit])
        low, high = share_range(left, of, unit, seed=trial)
        held += low <= 0.1 <= high
    assert held >= 55


def test_the_stop_rule():
    assert answers_to_go([], 0.01) == ("go on", None)
    assert answers_to_go([(10, 0.5)], 0.01) == ("go on", None)
    flat = [(n, 0.3) for n in range(10, 90, 5)]
    assert answers_to_go(flat, 0.01) == ("go on", None)
    verdict, more = answers_to_go([(20, 0.4), (40, 0.2), (80, 0.1)], 0.05)
    assert (verdict, more) == ("go on", 80)


def test_an_audit_of_the_size_told_reaches_the_range():
    size = audit_size(0.0, 0.01)
    assert beta.ppf(0.975, 1, size) <= 0.01
    assert beta.ppf(0.975, 1, size * 0.8) > 0.01
    assert audit_size(0.02, 0.01) == 0
    assert audit_size(0.005, 0.01) == pytest.approx(1.5 * audit_size(0.005, 0.011), rel=0.5)
