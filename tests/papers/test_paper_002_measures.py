"""Paper 002: equations 1 to 4, the order homomorphisms, and the bounds of a sublattice."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.measures.axes import (
    AverageClassSize,
    InformationLoss,
    MutualInformationLoss,
    PopulationRisk,
    ProsecutorRisk,
    SmallGroups,
)
from sfumato.engines.tables.measures.sensitive import l_diversity, t_closeness
from sfumato.engines.tables.search.sublattices import update_probability


def small(seed, *, population=True):
    draw = np.random.default_rng(seed)
    codes = np.stack([draw.integers(0, s, size=40) for s in (5, 3, 2)])
    people = (codes, draw.integers(0, 6, size=40)) if population else (None, None)
    return Cells([5, 3, 2], codes, np.ones(40, dtype=int), *people)


def test_the_example_of_section_4_1_3():
    """One record, unique in the data; five people alike in the census: it contributes 0.2."""
    cells = Cells([2], np.array([[0]]), np.array([1]), np.array([[0]]), np.array([5]))
    assert cells.expected_reidentified == pytest.approx(0.2)


def test_the_example_of_section_4_1_4():
    """[Age 1-2, male or female] with m records: each of the four values gets m/4."""
    m = np.array([3, 1, 2, 2])
    cells = Cells([2, 2], np.array([[0, 0, 1, 1], [0, 1, 0, 1]]), m)
    p, q = m / 8, np.full(4, 1 / 4)
    assert cells.measure(np.zeros(2, dtype=np.uint8)).loss_nats == pytest.approx(
        (p * np.log(p / q)).sum(), abs=1e-14
    )


def test_the_largest_of_population_and_sample_counts():
    """A population that lacks a cell, or counts fewer people than the sample, never raises a risk."""
    cells = Cells([2], np.array([[0, 1]]), np.array([4, 2]), np.array([[0]]), np.array([3]))
    assert cells.expected_reidentified == pytest.approx(1.0 + 1.0)
    assert cells.without_population == 2
    assert cells.measure(np.zeros(1, dtype=np.uint8)).risk == pytest.approx(1.0 / 2.0)


@settings(max_examples=40)
@given(st.integers(0, 5000), st.integers(0, 127), st.integers(0, 127))
def test_every_measure_is_monotone_on_the_lattice(seed, first, second):
    """Definitions 3.7 and 3.8 (not strictly: merging two empty values changes nothing)."""
    cells = small(seed, population=seed % 3 > 0)
    lower = np.array([(first >> i) & 1 for i in range(7)], dtype=np.uint8)
    upper = lower & np.array([(second >> i) & 1 for i in range(7)], dtype=np.uint8)
    draw = np.random.default_rng(seed)
    target = np.arange(cells.occupied), draw.integers(0, 3, size=cells.occupied), cells.count
    for risk in (PopulationRisk(cells), ProsecutorRisk(cells), SmallGroups(cells, 4)):
        assert risk(upper) <= risk(lower) + 1e-12, risk.name
        assert -1e-12 <= risk(upper) <= 1 + 1e-12
    for loss in (
        InformationLoss(cells),
        AverageClassSize(cells),
        MutualInformationLoss(cells, target),
    ):
        assert loss(upper) >= loss(lower) - 1e-12, loss.name
        assert -1e-12 <= loss(upper) <= 1 + 1e-12
    assert l_diversity(cells, upper, target) >= l_diversity(cells, lower, target)
    assert t_closeness(cells, upper, target) <= t_closeness(cells, lower, target) + 1e-12


@settings(max_examples=40)
@given(st.integers(0, 5000), st.integers(0, 127), st.integers(0, 127), st.integers(0, 127))
def test_a_sublattice_lies_in_the_rectangle_of_its_ends(seed, a, b, c):
    cells = small(seed)
    as_bits = [np.array([(x >> i) & 1 for i in range(7)], dtype=np.uint8) for x in (a, b, c)]
    lower, upper = as_bits[0] | as_bits[1], as_bits[0] & as_bits[1]
    inside = (as_bits[2] | upper) & lower
    low, high, between = (cells.measure(x) for x in (lower, upper, inside))
    assert high.risk - 1e-12 <= between.risk <= low.risk + 1e-12
    assert low.loss - 1e-12 <= between.loss <= high.loss + 1e-12


def by_counting(upper, lower, risk, loss, many=400):
    """H by laying a fine grid over the rectangle."""
    (r0, l1), (r1, l0) = upper, lower
    x = r0 + (np.arange(many) + 0.5) / many * (r1 - r0)
    y = l0 + (np.arange(many) + 0.5) / many * (l1 - l0)
    best = np.array(
        [min((l for r, l in zip(risk, loss, strict=True) if r <= v), default=9.0) for v in x]
    )
    return (y[None, :] < best[:, None]).mean()


@settings(max_examples=40)
@given(st.integers(0, 5000))
def test_equation_1_is_the_open_share_of_the_rectangle(seed):
    draw = np.random.default_rng(seed)
    risk = np.concatenate(([0.0], np.sort(draw.random(6)), [1.0]))
    loss = np.concatenate(([1.0], np.sort(draw.random(6))[::-1], [0.0]))
    r0, r1 = np.sort(draw.random(2))
    l0, l1 = np.sort(draw.random(2))
    if r1 - r0 < 0.05 or l1 - l0 < 0.05:
        return
    h = update_probability((r0, l1), (r1, l0), risk, loss)
    assert 0 <= h <= 1  # the printed formula exceeds 1
    assert h == pytest.approx(by_counting((r0, l1), (r1, l0), risk, loss), abs=0.02)


def test_a_rectangle_without_area_counts_whether_it_is_dominated():
    risk, loss = np.array([0.0, 0.5]), np.array([1.0, 0.2])
    assert update_probability((0.6, 0.3), (0.6, 0.3), risk, loss) == 0.0
    assert update_probability((0.4, 0.3), (0.4, 0.3), risk, loss) == 1.0
    assert update_probability((0.4, 0.3), (0.6, 0.3), risk, loss) == 1.0
