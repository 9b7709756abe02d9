"""Constraints hold for every strategy: what stays, allowed cuts, hierarchies, widths, least groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_twins import random_cells

from sfumato.core.errors import PlanError
from sfumato.core.randomness import Streams
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.registry import STRATEGIES
from sfumato.engines.tables.search.run import Budget, SearchRun
from sfumato.engines.tables.space.constraints import AttributeRule, Space

NODES = ((0, 1), (2, 3), (4, 5), (6, 7), (0, 3), (4, 7), (0, 7))
RULES = {
    "keep": [AttributeRule("a", 8, keep=True), AttributeRule("b", 5), AttributeRule("c", 2)],
    "cuts": [AttributeRule("a", 8, cuts=(1, 3, 5)), AttributeRule("b", 5), AttributeRule("c", 2)],
    "widest": [AttributeRule("a", 8, widest=3), AttributeRule("b", 5, widest=2), AttributeRule("c", 2)],
    "cuts and widest": [AttributeRule("a", 8, widest=4, cuts=(1, 3, 5)), AttributeRule("b", 5), AttributeRule("c", 2)],
    "hierarchy": [AttributeRule("a", 8, nodes=NODES), AttributeRule("b", 5), AttributeRule("c", 2)],
    "hierarchy and widest": [AttributeRule("a", 8, nodes=NODES, widest=4), AttributeRule("b", 5, widest=3), AttributeRule("c", 2)],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(RULES))
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_every_strategy_keeps_every_rule(name, strategy):
    cells = random_cells(4, sizes=[8, 5, 2], records=120)
    space = Space(RULES[name])
    for evaluations in (40, 300):
        run = search(SearchRun(cells, space, Budget(evaluations), Streams(1)), strategy)
        assert len(run.frontier) > 0
        for packed in run.frontier:
            assert space.allows(run.unpack(packed)), (name, strategy, run.unpack(packed))


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_search_without_a_budget_keeps_the_rules_too(name):
    cells = random_cells(4, sizes=[8, 5, 2], records=120)
    space = Space(RULES[name])
    run = search(SearchRun(cells, space, Budget(), Streams(1)), "exchange")
    exact = search(SearchRun(cells, space, Budget(), Streams(1)), "exhaustive")
    assert all(space.allows(run.unpack(p)) for p in run.frontier)
    assert exact.frontier.area() - 1e-9 <= run.frontier.area() <= 1.05 * exact.frontier.area()


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("name", ["keep", "hierarchy", "widest"])
def test_least_group_sizes_hold(name, strategy):
    cells = random_cells(4, sizes=[8, 5, 2], records=400, least_sample=5, least_population=9)
    run = search(SearchRun(cells, Space(RULES[name]), Budget(400), Streams(1)), strategy)
    for packed in run.frontier:
        measured = cells.measure(run.unpack(packed))
        assert measured.smallest_sample_group >= 5
        assert measured.smallest_population_group >= 9
    if strategy in {"exchange", "exhaustive"}:
        assert len(run.frontier) > 0


@settings(max_examples=60)
@given(st.sampled_from(sorted(RULES)), st.integers(0, 4095))
def test_projection_and_moves_stay_inside(name, number):
    space = Space(RULES[name])
    bits = np.array([(number >> i) & 1 for i in range(space.length)], dtype=np.uint8)
    inside = space.project(bits)
    assert space.allows(inside)
    if space.allows(bits):
        assert np.array_equal(inside, bits)
    for move in space.moves(inside):
        up = inside.copy()
        assert up[move].all()
        up[move] = 0
        assert space.allows(up), (inside, move)


def test_moves_reach_the_top_of_a_hierarchy():
    space = Space([AttributeRule("a", 8, nodes=NODES)])
    bits = space.bottom.copy()
    steps = 0
    while moves := space.moves(bits):
        bits[moves[0]] = 0
        steps += 1
    assert bits.tolist() == [0] * 7
    assert steps == 3  # 0-1, then 0-3, then everything: each is the next node up


def test_conflicting_cuts_and_widths_are_told():
    with pytest.raises(PlanError, match="No policy can meet") as told:
        Space([AttributeRule("age", 9, widest=2, cuts=(4,))])
    assert "age" in str(told.value)
