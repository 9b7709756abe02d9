"""Searching where some records may be suppressed: never worse than where none may."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import tables

_TOLERANCE = 1e-9
_COLUMNS = (("age", 29), ("sex", 1), ("region", 11), ("job", 8))
_SCHEMA = {
    "attribute": [
        *({"name": n, "role": "quasi", "domain": {"range": [0, high]}} for n, high in _COLUMNS),
        {"name": "ill", "role": "sensitive"},
    ]
}


def people(kind: int, rows: int) -> pd.DataFrame:
    """Return a table whose columns hang together, and whose rare values are spread thinly."""
    draw = np.random.default_rng(kind)
    age = np.clip(draw.normal(15, 8, rows).round(), 0, 29).astype(int)
    sex = draw.integers(0, 2, rows)
    job = np.where(sex == 0, draw.integers(0, 5, rows), draw.integers(3, 9, rows))
    region = (age // 4 + draw.integers(0, 4, rows)) % 12
    ill = draw.choice(list("abcd"), rows, p=[0.6, 0.2, 0.1, 0.1])
    return pd.DataFrame({"age": age, "sex": sex, "region": region, "job": job, "ill": ill})


def assert_no_worse(frame, **asked):
    """Assert that the frontier with suppression covers each point of the one without."""
    without = tables.explore(frame, schema=_SCHEMA, **asked, suppress=0.0)
    allowed = tables.explore(frame, schema=_SCHEMA, **asked, suppress=0.02)
    for candidate in without.candidates:
        assert any(
            c.risk.value <= candidate.risk.value + _TOLERANCE
            and c.utility.value >= candidate.utility.value - _TOLERANCE
            for c in allowed.candidates
        )
    assert allowed.area() <= without.area() + _TOLERANCE


@given(st.integers(0, 10_000), st.integers(60, 200), st.sampled_from([2, 5, 11]))
@settings(max_examples=3)
def test_leave_to_suppress_costs_nothing(kind, rows, least):
    """A release that suppresses nobody is allowed where some may be suppressed."""
    assert_no_worse(people(kind, rows), min_k=least)


@pytest.mark.parametrize(
    "asked",
    [
        {"min_k": 4, "min_l": 2},
        {"min_k": 4, "max_t": 0.4},
        {"min_k": 4, "loss": "granularity"},
        {"min_k": 4, "strategy": "rcs"},
    ],
)
def test_nor_does_it_under_other_conditions(asked):
    assert_no_worse(people(1, 300), **asked)


@pytest.mark.parametrize("evaluations", [2, 3, 40, 1_000])
def test_evaluations_are_those_of_both_searches(evaluations):
    frame = people(2, 300)
    asked = {"schema": _SCHEMA, "min_k": 5, "suppress": 0.3, "evaluations": evaluations}
    explored = tables.explore(frame, **asked)
    assert 2 <= explored.record.evaluations <= evaluations
    assert explored.record.trace[-1][0] == explored.record.evaluations
