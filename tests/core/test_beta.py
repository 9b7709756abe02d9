"""Quantiles of the beta distribution against scipy's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.statistics.beta import beta_quantile, beta_share

counts = st.one_of(st.integers(1, 60), st.integers(1, 10_000))


@given(st.floats(1e-4, 1 - 1e-4), counts, counts)
def test_quantiles_against_scipy(probability, a, b):
    from scipy.special import betainc, betaincinv

    found = beta_quantile(probability, a, b)
    assert found == pytest.approx(float(betaincinv(a, b, probability)), rel=1e-9)
    assert beta_share(found, a, b) == pytest.approx(float(betainc(a, b, found)), rel=1e-9)


@pytest.mark.parametrize("counted", [10**5, 10**7])
def test_quantiles_of_many(counted):
    from scipy.special import betaincinv

    for found in (0, 1, 17, counted // 3, counted - 1):
        for probability in (0.025, 0.975):
            asked = float(betaincinv(found + 1, counted - found, probability))
            assert beta_quantile(probability, found + 1, counted - found) == pytest.approx(
                asked, rel=1e-6
            )


def test_ends():
    assert (beta_quantile(0.0, 3, 4), beta_quantile(1.0, 3, 4)) == (0.0, 1.0)
