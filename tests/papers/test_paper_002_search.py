"""Paper 002: algorithms 1 to 3, with SNL against brute force and the example of the appendix."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import LimitError, ParameterError
from sfumato.core.frontier import Frontier
from sfumato.core.randomness import Streams
from sfumato.engines.tables.contingency.cells import Cells
from sfumato.engines.tables.frontier.steps import search
from sfumato.engines.tables.registry import STRATEGIES
from sfumato.engines.tables.search.run import Budget, SearchRun
from sfumato.engines.tables.search.sublattices import (
    Pruned,
    outside,
    random_sublattice,
    sublattice_clause,
)
from sfumato.engines.tables.space.constraints import AttributeRule, Space


def cells_of(seed, sizes=(5, 4, 3), records=80, *, population=True, **least):
    draw = np.random.default_rng(seed)
    codes = np.stack([draw.integers(0, s, size=records) for s in sizes])
    people = (codes, draw.integers(1, 6, size=records)) if population else (None, None)
    return Cells(list(sizes), codes, np.ones(records, dtype=int), *people, **least)


def run_of(cells, strategy, *, evaluations=None, seed=0, rules=None, **options):
    rules = rules or [AttributeRule(f"a{i}", int(s)) for i, s in enumerate(cells.sizes)]
    run = SearchRun(cells, Space(rules), Budget(evaluations), Streams(seed))
    return search(run, strategy, **options)


def pruned_of(clauses, length):
    pruned = Pruned(length)
    for clause in clauses:
        pruned.add(clause)
    return pruned


def test_the_example_of_the_appendix():
    """(B4=1) ∧ (B2=0 ∨ B4=0) ∧ (B1=1 ∨ B2=0 ∨ B3=1): B4=1, B2=0 is a solution."""
    clauses = [((4, 1),), ((2, 0), (4, 0)), ((1, 1), (2, 0), (3, 1))]
    for seed in range(10):
        path = dict(outside(pruned_of(clauses, 5), np.random.default_rng(seed)))
        assert path[4] == 1
        assert path[2] == 0
        assert all(any(path.get(i) == v for i, v in clause) for clause in clauses)


def test_the_clause_of_the_appendix():
    upper, lower = (
        np.array([0, 0, 0, 0, 1], dtype=np.uint8),
        np.array([1, 0, 1, 0, 1], dtype=np.uint8),
    )
    assert set(sublattice_clause(upper, lower)) == {(4, 0), (1, 1), (3, 1)}


def test_unsatisfiable_is_not_the_empty_path():
    draw = np.random.default_rng(0)
    assert outside(Pruned(3), draw) == []
    everything = [((0, 0),), ((0, 1),)]
    assert outside(pruned_of(everything, 3), draw) is None


@settings(max_examples=60)
@given(st.integers(0, 100_000), st.integers(1, 8))
def test_snl_never_meets_a_pruned_sublattice(seed, how_many):
    """Against all 64 policies of a lattice of six bits."""
    length = 6
    draw = np.random.default_rng(seed)
    free, base = np.arange(length), np.ones(length, dtype=np.uint8)
    gone = [random_sublattice(length, free, base, [], draw) for _ in range(how_many)]
    literals = outside(pruned_of([sublattice_clause(*s) for s in gone], length), draw)
    every = [np.array(p, dtype=np.uint8) for p in product((0, 1), repeat=length)]

    def inside(policy, sublattice):
        upper, lower = sublattice
        return bool((upper <= policy).all() and (policy <= lower).all())

    left = [p for p in every if not any(inside(p, s) for s in gone)]
    if literals is None:
        assert not left
        return
    new = random_sublattice(length, free, base, literals, draw)
    met = [p for p in every if inside(p, new)]
    assert met
    assert not any(inside(p, s) for p in met for s in gone)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_budget_seed_and_truth_hold_for_every_strategy(strategy):
    cells = cells_of(1, (9, 5, 3))
    runs = [run_of(cells, strategy, evaluations=60, seed=7) for _ in range(2)]
    assert runs[0].evaluations <= 60
    points = [list(r.frontier.entries()) for r in runs]
    assert points[0] == points[1]
    for risk, utility, packed in points[0]:
        measured = cells.measure(runs[0].unpack(packed))
        assert measured.risk == pytest.approx(risk, abs=1e-12)
        assert 1 - measured.loss == pytest.approx(utility, abs=1e-12)


def test_other_seeds_give_other_chains():
    cells = cells_of(1, (12, 8, 3))
    a, b = (run_of(cells, "rcs", evaluations=30, seed=s) for s in (0, 1))
    assert a.frontier.points() != b.frontier.points()


def exact(cells):
    frontier = Frontier()
    for values in product((0, 1), repeat=cells.length):
        measured = cells.measure(np.array(values, dtype=np.uint8))
        frontier.insert(round(measured.risk, 12), round(1 - measured.loss, 12), values)
    return frontier


@pytest.mark.parametrize("population", [True, False])
def test_exhaustive_finds_the_frontier_of_definition_3_10(population):
    cells = cells_of(3, (4, 3, 3), population=population)
    run = run_of(cells, "exhaustive")
    assert run.evaluations == 2**cells.length
    assert run.frontier.area() == pytest.approx(exact(cells).area(), abs=1e-10)


def test_exhaustive_refuses_large_lattices():
    cells = cells_of(3, (30, 3))
    with pytest.raises(LimitError, match="31 free bits"):
        run_of(cells, "exhaustive")


@settings(max_examples=12)
@given(st.integers(0, 5000))
def test_exchange_comes_near_the_exact_frontier(seed):
    cells = cells_of(seed, (5, 4, 3), population=seed % 2 == 0)
    found, best = run_of(cells, "exchange").frontier.area(), exact(cells).area()
    assert best - 1e-9 <= found <= 1.05 * best + 1e-3


def people(seed, records=800):
    """Ages and areas as they are: areas of very different size, few of the old, a population around."""
    draw = np.random.default_rng(seed)
    area = draw.choice(30, p=(w := 1 / np.arange(1, 31)) / w.sum(), size=20 * records)
    age = np.minimum(draw.gamma(4, 10, size=20 * records).astype(int), 89)
    sex = draw.integers(0, 2, size=20 * records)
    everyone = np.stack([area, age, sex])
    taken = draw.choice(20 * records, size=records, replace=False)
    return Cells(
        [30, 90, 2],
        everyone[:, taken],
        np.ones(records, dtype=int),
        everyone,
        np.ones(20 * records),
    )


def test_exchange_is_not_behind_the_papers_searches():
    cells = people(11)
    for budget in (60, 200, 800):
        areas = {
            s: run_of(cells, s, evaluations=budget).frontier.area()
            for s in ("exchange", "shs", "rcs", "bisecting")
        }
        assert areas["exchange"] == min(areas.values()), (budget, areas)


@pytest.mark.parametrize("limit", ["_LONGEST_GREEDY", "LONGEST_CHAIN"])
def test_very_long_policies_are_searched_without_the_whole_chain(monkeypatch, limit):
    import importlib

    cells = people(4)
    usual = run_of(cells, "exchange").frontier.area()
    module = importlib.import_module("sfumato.engines.tables.search.greedy")
    monkeypatch.setattr(module, limit, 10)
    found = run_of(cells, "exchange")
    assert found.frontier.area() <= 1.1 * usual


def test_the_bisecting_search_stays_within_the_reference_risk():
    cells = cells_of(5, (12, 6, 3))
    run = run_of(cells, "bisecting", evaluations=200, reference_risk=0.4)
    assert any(r <= 0.4 for r, _ in run.frontier.points())


def test_wrong_parameters_are_told():
    cells = cells_of(5)
    with pytest.raises(ParameterError, match="threshold"):
        run_of(cells, "shs", evaluations=10, threshold=2)
    with pytest.raises(ParameterError, match="strategy"):
        run_of(cells, "magic")
    with pytest.raises(ParameterError, match="evaluations"):
        Budget(1)
    with pytest.raises(ParameterError, match="seconds"):
        Budget(None, 0)


def test_shs_ends_when_everything_is_pruned():
    cells = Cells([2], np.array([[0, 1]]), np.array([1, 3]))
    run = run_of(cells, "shs", evaluations=50)
    assert run.evaluations <= 50
    assert len(run.frontier) == 2
