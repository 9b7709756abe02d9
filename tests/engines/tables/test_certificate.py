"""The certified frontier against brute force: no policy lies beyond what was proven, whatever the prices."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato import tables
from sfumato.core.frontier import Frontier
from sfumato.core.randomness import Streams
from sfumato.engines.tables.certificate.bounds import RegionBounds
from sfumato.engines.tables.certificate.boxes import close_boxes
from sfumato.engines.tables.certificate.branching import branch
from sfumato.engines.tables.certificate.certify import certify
from sfumato.engines.tables.certificate.pairs import Node, PairSums, two_largest
from sfumato.engines.tables.certificate.regions import weights_along
from sfumato.engines.tables.certificate.relaxation import Relaxation
from sfumato.engines.tables.certificate.staircase import area_of, curve, least_loss, staircase
from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.contingency.widths import spanned_by_attribute
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.search.run import Budget, SearchRun
from sfumato.engines.tables.space.constraints import AttributeRule, Space

SIZES = (5, 4, 3)


def never():
    return False


@st.composite
def problems(draw):
    """A small table, perhaps with a population, and some of: widths, a hierarchy, smallest sizes."""
    rows = draw(
        st.lists(st.tuples(*(st.integers(0, s - 1) for s in SIZES)), min_size=2, max_size=40)
    )
    people = draw(
        st.lists(
            st.tuples(*(st.integers(0, s - 1) for s in SIZES), st.integers(1, 30)), max_size=30
        )
    )
    codes, count = np.unique(np.array(rows).T, axis=1, return_counts=True)
    crowd = None
    if people:
        table = np.array(people).T
        where, which = np.unique(table[:3], axis=1, return_inverse=True)
        crowd = where, np.bincount(which.ravel(), weights=table[3])
    least = draw(st.sampled_from([0, 0, 2]))
    spanned = draw(
        st.sampled_from([(), spanned_by_attribute([[""] * n for n in SIZES], codes, count)])
    )
    crowd = crowd or (None, None)
    cells = Cells(SIZES, codes, count, *crowd, least_sample=least, spanned=spanned)
    nodes = ((0, 1), (2, 4), (0, 4))
    rules = [
        AttributeRule("a", 5, nodes=draw(st.sampled_from([None, nodes]))),
        AttributeRule("b", 4, widest=draw(st.sampled_from([None, 2]))),
        AttributeRule("c", 3, keep=draw(st.booleans())),
    ]
    return cells, Space(rules)


def every_policy(cells, space):
    for bits in product((0, 1), repeat=space.length):
        policy = np.array(bits, dtype=np.uint8)
        if space.allows(policy):
            measured = cells.measure(policy)
            if measured.below == 0:
                yield measured.risk, measured.loss


def searched(cells, space, evaluations=12):
    run = SearchRun(cells, space, Budget(evaluations), Streams(0))
    search(run, "rcs" if not space.coupled else "exchange")
    return run


@given(problems())
@settings(max_examples=25)
def test_boxes_find_the_exact_frontier(problem):
    cells, space = problem
    run = searched(cells, space)
    assert close_boxes(run, never) == []
    exact: Frontier[int] = Frontier()
    for risk, loss in every_policy(cells, space):
        exact.insert(round(risk, 13), 1 - round(loss, 13), 0)
    assert np.allclose(run.frontier.points(), exact.points(), atol=1e-9)


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=examples(10, fuzz=25))
def test_no_policy_lies_below_a_priced_bound_whatever_the_prices(problem, seed):
    cells, space = problem
    policies = np.array(list(every_policy(cells, space))).reshape(-1, 2)
    large = two_largest(space)
    dice = np.random.default_rng(seed)
    rest = next(a for a in range(3) if a not in large)
    part = slice(int(space.first[rest]), int(space.first[rest + 1]))
    coarse, fine = space.bottom.copy(), space.bottom.copy()
    if not space.rules[rest].keep:
        coarse[part] = 0
    node = Node(coarse.tobytes(), fine.tobytes())
    for attributes in (large, large[::-1]):
        pairs = PairSums(cells, space, attributes, node)
        for weight in (0.05, 0.5, 0.9):
            sums = (1 - weight) * policies[:, 0] + weight * policies[:, 1]
            least = sums.min(initial=np.inf)
            relaxed = Relaxation(pairs, weight, pairs.outer.allowed, pairs.inner.allowed)
            for _ in range(3):
                for effort in (1, 10_000):
                    assert relaxed.certify(np.inf, effort, never) <= least + 1e-9
                relaxed.ascend(float(min(least, 1.0)), 5)
            relaxed.start_at(dice.normal(0, 0.1, relaxed.price.shape))
            assert relaxed.certify(np.inf, 10_000, never) <= least + 1e-9


def clock_of(steps):
    """A clock that lets so many questions pass before time is up."""
    ticks = iter(range(10**9))
    return lambda: next(ticks) / steps


@given(problems())
@settings(max_examples=examples(8, fuzz=15))
def test_no_policy_lies_above_the_staircase(problem):
    cells, space = problem
    run = searched(cells, space, 40)
    if len(run.frontier) == 0:
        return
    points = np.array([(r, 1 - u) for r, u in run.frontier.points()])
    bounds = RegionBounds(cells, space, points)
    assert bounds.possible
    grid = np.linspace(0, 1, 401)
    bounds.work(3.0, clock_of(60), 1)
    clock = clock_of(40)
    branch(bounds, clock() + 2.0, clock, grid)
    lower = np.min([p.curve(grid) for p in bounds.parts], axis=0)
    steps = staircase(grid, np.minimum(lower, least_loss(grid, [tuple(p) for p in points])))
    for risk, loss in every_policy(cells, space):
        assert 1 - loss <= max(u for r, u in steps if r <= risk + 1e-12) + 1e-9
    assert area_of(steps) <= run.frontier.area() + 1e-9


def test_curves_and_stairs():
    grid = np.linspace(0, 1, 11)
    found = curve(grid, [(0.5, 0.3)], least_risk=0.15, least=0.1)
    assert found[:2].tolist() == [1.0, 1.0]
    assert found[2] == pytest.approx(0.4)
    assert found[-1] == pytest.approx(0.1)
    stairs = least_loss(grid, [(0.2, 0.5), (0.6, 0.1)])
    assert stairs.tolist() == [1.0] * 2 + [0.5] * 4 + [0.1] * 5
    steps = staircase(grid, stairs)
    # a step counts from the place before it: what lies between two places of the grid is not known
    assert area_of(steps) <= 0.2 + 0.4 * 0.5 + 0.4 * 0.1
    assert weights_along(np.array([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]), 17) == [pytest.approx(0.5)]


def test_a_certificate_goes_into_the_frontier(tmp_path):
    frame = {"age": [1, 1, 2, 3, 4, 5, 5], "sex": list("ffmmfmf")}
    schema = {
        "attribute": [
            {"name": "age", "role": "quasi", "domain": {"range": [0, 5]}},
            {"name": "sex", "role": "quasi", "domain": {"values": ["f", "m"]}},
        ]
    }
    found = tables.explore(frame, schema=schema, evaluations=10, certify=5)
    proof = found.record.certificate
    assert proof.exact
    assert proof.area == found.record.area
    found.save(tmp_path)
    assert tables.load(tmp_path).record == found.record
    assert any("proven" in line for line in found.lines())
    for candidate in found:
        assert candidate.utility.value <= proof.utility_at(candidate.risk.value) + 1e-12


def test_larger_lattices_get_a_staircase():
    dice = np.random.default_rng(1)
    codes, count = np.unique(dice.integers(0, [[20], [15]], (2, 300)), axis=1, return_counts=True)
    cells = Cells([20, 15], codes, count)
    space = Space([AttributeRule("a", 20), AttributeRule("b", 15)])
    run = searched(cells, space, 400)
    proof = certify(run, 2.0, threads=1)
    assert not proof.exact
    assert 0 < proof.area <= run.frontier.area()
    draws = (dice.random((300, space.length)) < dice.random((300, 1))).astype(np.uint8)
    for bits in draws:
        measured = cells.measure(bits)
        best = max(u for r, u in proof.staircase if r <= measured.risk + 1e-12)
        assert 1 - measured.loss <= best + 1e-9
