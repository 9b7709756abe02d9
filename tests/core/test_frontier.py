"""The archive against a brute-force non-dominated set, on thousands of random point sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.core import Frontier, NoCandidateError, ParameterError, non_dominated

# Few distinct values make ties and equal coordinates common, which is where archives go wrong.
coordinate = st.one_of(st.integers(0, 6).map(lambda i: i / 6), st.floats(0, 1))
points = st.lists(st.tuples(coordinate, coordinate), max_size=30)


def dominates(a, b):
    return a[0] <= b[0] and a[1] >= b[1] and a != b


def brute_force(items):
    return sorted({p for p in items if not any(dominates(q, p) for q in items)})


def brute_force_area(items):
    """Integrate the least loss over risk cell by cell between all distinct coordinates."""
    cuts = sorted({0.0, 1.0, *(r for r, _ in items)})
    area = 0.0
    for left, right in zip(cuts, cuts[1:], strict=False):
        reachable = [1 - u for r, u in items if r <= left]
        area += (right - left) * min([1.0, *reachable])
    return area


def filled(items):
    frontier = Frontier()
    for i, (risk, utility) in enumerate(items):
        frontier.insert(risk, utility, i)
    return frontier


@settings(max_examples=examples(400, fuzz=3000))
@given(points)
def test_equals_brute_force(items):
    frontier = filled(items)
    assert frontier.points() == brute_force(items)
    assert frontier.area() == pytest.approx(brute_force_area(items), abs=1e-12)


@settings(max_examples=examples(100, fuzz=300))
@given(points)
def test_non_dominated_points_of_arrays_equal_brute_force(items):
    risk, utility = (np.array([p[i] for p in items], dtype=float) for i in (0, 1))
    assert [(risk[i], utility[i]) for i in non_dominated(risk, utility)] == brute_force(items)


@settings(max_examples=examples(100, fuzz=300))
@given(points, points)
def test_merge_is_the_frontier_of_the_union(a, b):
    merged = filled(a)
    merged.merge(filled(b))
    assert merged.points() == brute_force(a + b)


@settings(max_examples=examples(100, fuzz=500))
@given(points, coordinate, coordinate)
def test_domination_queries(items, risk, utility):
    frontier = filled(items)
    kept = brute_force(items)
    at_least = [p for p in kept if p[0] <= risk and p[1] >= utility]
    assert frontier.dominates(risk, utility) == bool(at_least)
    strictly = [p for p in at_least if p != (risk, utility)]
    assert [items[i] for i in frontier.all_dominating(risk, utility)] == strictly
    best = frontier.dominating((risk, utility))
    assert (None if best is None else items[best]) == (strictly[0] if strictly else None)


@settings(max_examples=examples(100, fuzz=300))
@given(points.filter(bool), coordinate)
def test_choices(items, limit):
    frontier = filled(items)
    within = [p for p in items if p[0] <= limit]
    if within:
        chosen = items[frontier.choose(max_risk=limit)]
        assert chosen[1] == max(u for _, u in within)
    else:
        with pytest.raises(NoCandidateError, match="the lowest is"):
            frontier.choose(max_risk=limit)
    above = [p for p in items if p[1] >= limit]
    if above:
        assert items[frontier.choose(min_utility=limit)][0] == min(r for r, _ in above)
    else:
        with pytest.raises(NoCandidateError, match="the highest is"):
            frontier.choose(min_utility=limit)
    assert items[frontier.knee()] in brute_force(items)


def test_knee_is_the_corner():
    frontier = filled([(0.0, 0.0), (0.1, 0.9), (1.0, 1.0)])
    assert frontier.points()[frontier.knee()] == (0.1, 0.9)


@given(points.filter(bool), st.integers(0, 2**30))
def test_the_knee_prefers_what_keeps_more_within_twice_the_risk_and_half_the_height(items, kept):
    frontier = filled(items)
    (r0, u0), (r1, u1) = frontier.points()[0], frontier.points()[-1]
    keeps = {item: kept >> item & 1 for item in frontier}
    chosen, farthest = frontier.knee(keeps.__getitem__), frontier.knee()
    if r1 == r0:
        assert chosen == farthest
        return

    def height(item):
        return (items[item][1] - u0) / (u1 - u0) - (items[item][0] - r0) / (r1 - r0)

    most = 2 * items[farthest][0] * (1 + 1e-9)
    near = [
        item for item in frontier if items[item][0] <= most and height(item) >= height(farthest) / 2
    ]
    assert keeps[chosen] == max(keeps[item] for item in near)
    assert chosen == farthest or keeps[chosen] > keeps[farthest]
    assert items[chosen][0] <= most


def test_a_tie_keeps_the_older_item_unless_told_otherwise():
    frontier = Frontier()
    assert frontier.insert(0.5, 0.5, "old")
    assert not frontier.insert(0.5, 0.5, "new")
    assert list(frontier) == ["old"]
    preferring = Frontier(prefer=lambda old, new: len(new) > len(old))
    preferring.insert(0.5, 0.5, "a")
    preferring.insert(0.5, 0.5, "longer")
    preferring.insert(0.5, 0.5, "b")
    assert list(preferring) == ["longer"]


def test_ends_and_refusals():
    assert Frontier().area() == 1.0
    assert filled([(0.0, 1.0)]).area() == 0.0
    with pytest.raises(NoCandidateError):
        Frontier().knee()
    with pytest.raises(NoCandidateError):
        Frontier().choose(max_risk=1)
    with pytest.raises(ParameterError, match="needs 'max_risk'"):
        filled([(0, 1)]).choose()
    with pytest.raises(ParameterError, match="NaN"):
        Frontier().insert(float("nan"), 0.5, None)
    both = filled([(0.1, 0.2), (0.5, 0.9)])
    with pytest.raises(NoCandidateError, match="and a utility"):
        both.choose(max_risk=0.2, min_utility=0.5)
