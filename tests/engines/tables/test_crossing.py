"""Breeding from the frontier: it stays inside the rules and the budget, and fills what prices cannot reach."""

import numpy as np
import pandas as pd
import pytest
from table_twins import random_cells
from test_constraints import RULES

from sfumato.core.randomness import Streams
from sfumato.data.table import read_table
from sfumato.engines.tables.frontier.problem import Problem
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.search.crossing import cross
from sfumato.engines.tables.search.run import Budget, SearchRun
from sfumato.engines.tables.space.constraints import AttributeRule, Space


@pytest.mark.parametrize("name", sorted(RULES))
def test_children_keep_the_rules_and_the_budget(name):
    cells = random_cells(4, sizes=[8, 5, 2], records=120)
    space = Space(RULES[name])
    run = SearchRun(cells, space, Budget(80), Streams(1))
    for bits in (space.bottom, space.project(np.zeros(space.length, dtype=np.uint8))):
        run.measure(bits)
    before = run.frontier.area()
    cross(run)
    assert run.evaluations <= 80
    assert run.frontier.area() < before
    for risk, utility, packed in run.frontier.entries():
        bits = run.unpack(packed)
        measured = cells.measure(bits)
        assert space.allows(bits)
        assert (measured.risk, 1 - measured.loss) == pytest.approx((risk, utility), abs=1e-12)


def test_children_reach_the_exact_frontier_of_a_small_space():
    cells = random_cells(4, sizes=[8, 5, 2], records=120)
    space = Space(RULES["hierarchy"])
    exact = search(SearchRun(cells, space, Budget(), Streams(1)), "exhaustive").frontier
    run = SearchRun(cells, space, Budget(2_000), Streams(1))
    for bits in (space.bottom, space.project(np.zeros(space.length, dtype=np.uint8))):
        run.measure(bits)
    cross(run)
    assert run.frontier.area() == pytest.approx(exact.area(), rel=0.01)


def test_near_unique_tables_with_large_nodes_have_no_hole():
    """Prices of risk lead to both ends of such a frontier only: random chains used to find a better middle."""
    dice = np.random.default_rng(3)
    rows = 1_500
    frame = pd.DataFrame({
        "age": dice.integers(20, 70, rows), "limit": (dice.gamma(2, 8, rows)).astype(int).clip(0, 63),
        "bill": (dice.lognormal(5, 1.2, rows)).astype(int).clip(0, 2_047),
        "paid": (dice.lognormal(4, 1.4, rows)).astype(int).clip(0, 1_023),
    })  # fmt: skip
    widths = {"age": [5, 10, 20], "limit": [8, 32], "bill": [256, 1_024], "paid": [128, 512]}
    top = {"age": [20, 69], "limit": [0, 63], "bill": [0, 2_047], "paid": [0, 1_023]}
    schema = {"attribute": [
        {"name": n, "role": "quasi", "domain": {"range": top[n]}, "hierarchy": {"widths": widths[n]}}
        for n in frame
    ]}  # fmt: skip
    problem = Problem.of(read_table(frame, schema))
    areas = {
        strategy: min(
            search(
                SearchRun(problem.cells, problem.space, Budget(300), Streams(seed)), strategy
            ).frontier.area()
            for seed in range(1 if strategy == "exchange" else 3)
        )
        for strategy in ("exchange", "shs", "rcs")
    }
    assert areas["exchange"] <= min(areas.values()), areas


def test_time_that_is_left_is_spent_on_more_prices():
    """A limit of time goes on where a search without a limit ends, and keeps exact figures."""
    cells = random_cells(5, sizes=[30, 20, 4], records=600)
    space = Space([AttributeRule(f"a{i}", n) for i, n in enumerate((30, 20, 4))])
    plain = search(SearchRun(cells, space, Budget(), Streams(1)), "exchange")
    longer = search(SearchRun(cells, space, Budget(seconds=20), Streams(1)), "exchange")
    assert longer.evaluations > plain.evaluations
    assert longer.frontier.area() <= plain.frontier.area()
    for risk, utility, packed in list(longer.frontier.entries())[::40]:
        measured = cells.measure(longer.unpack(packed))
        assert (measured.risk, 1 - measured.loss) == pytest.approx((risk, utility), abs=1e-12)
