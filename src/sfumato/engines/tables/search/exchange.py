"""The default search: exchange-rate chains, an alternating dynamic programme, and filling of the gaps.

From the bottom, always take the merge that pays the least loss for the risk it takes away; then, for many
weights of risk against loss, give each attribute in turn the partition that is exactly optimal while the
others stay. Small budgets first walk over a few levels of a modelled merge order (`levels`).
"""

from __future__ import annotations

from itertools import pairwise

from .alternation import alternate, alternate_finely
from .crossing import cross
from .descent import descend, persist
from .exhaustive import exhaustive
from .greedy import LONGEST_CHAIN, climb, lazy_chain
from .group_sizes import through_sizes
from .levels import descend_levels
from .merge_orders import MergeOrder, halves, merge_orders, walk_down, walk_levels
from .run import Bits, SearchRun

__all__ = ["exchange"]

_WHOLE = 1 << 12  # policies up to which all are measured
_LEVELS = (12, 30)
_CHAIN_FROM = 3  # evaluations a step from which a whole chain is affordable
_CHAIN_SHARE = 0.1  # share of the evaluations left that a chain may use
_REFINE_FROM = 40  # evaluations an attribute from which interval tables are affordable
_WALK_SHARE = 0.5
_COUPLED_WALK = 0.4
_NEAR_UNIQUE = 0.6  # share of records that are named in the data as it is
_DOWN_SHARE = 0.5
_DOWN_LEVELS = 2
_COUPLED_CROSS = 0.35
_UNIQUE_CROSS = 0.7
_UNIQUE_WALK = 28  # evaluations an attribute from which walks up are affordable
_UNIQUE_ENDS = 15
_GAP_SHARE = 0.05
_REFINE_SHARE = 0.8
_CHAIN_IN_GAP = 200
_GAPS_AT_ONCE = 4
_DESCENT_SHARE = 0.6  # share of the evaluations for descents, under conditions
_LEVELS_SHARE = 0.3  # share for levels, where groups that lack diversity are suppressed
_DESCENT_SHARE_LEVELS = 0.25  # after levels
_DESCENT_SHARE_FREE = (
    0.1  # where intervals are free and sizes are all that is asked: tables do the rest
)
_DESCENT_SMALL = 1_000  # evaluations up to which tables are too dear
_DESCENT = 6_000  # evaluations that are shared out where there is no budget
_MOST_WHOLE = 1 << 20  # policies up to which all are measured, where the budget allows
_CROSS = 2_000  # evaluations for the gaps of a hierarchy where there is no budget


def exchange(run: SearchRun) -> None:
    """Search by exchange rates until the budget is used up or nothing improves.

    A lattice of few free bits is measured as a whole where the budget allows it.
    """
    every = run.space.policies()
    if (
        every <= max(_WHOLE, _MOST_WHOLE if run.budget.evaluations is not None else 0)
        and run.left >= every
    ):
        exhaustive(run)
        return
    if run.conditional:
        whole = run.left if run.budget.evaluations is not None else _DESCENT
        hard = run.space.coupled or run.asks_more or whole < _DESCENT_SMALL
        share = _DESCENT_SHARE if hard else _DESCENT_SHARE_FREE
        if run.published is not None and run.space.coupled:
            descend_levels(run, int(_LEVELS_SHARE * whole))
            share = _DESCENT_SHARE_LEVELS
        descend(run, int(share * whole))
    if run.score is not None or run.asks_more:
        through_sizes(run, exchange)
    orders = merge_orders(run)
    if run.budget.evaluations is None:
        for how_many in _LEVELS:
            walk_levels(run, orders, how_many, 1 << 40)
        run.note()
        climb(run)
        run.note()
        if run.score is None:
            alternate(run)
        if run.space.coupled:
            cross(run, _CROSS)
        if run.conditional:
            persist(run, _DESCENT)
        if run.budget.seconds is not None:  # time that is left is spent
            if run.space.coupled or run.score is not None:
                cross(run)
            else:
                alternate_finely(run)
        return
    _small_plan(run, orders)


def _small_plan(run: SearchRun, orders: list[MergeOrder]) -> None:
    """Spend a limited number of evaluations: walks over levels, a chain and tables where affordable, gaps."""
    budget = run.left
    steps = sum(len(o.ends) for o in orders)
    simple = run.score is None and not run.space.coupled
    chain = simple and _CHAIN_FROM * steps <= budget and run.cells.length <= LONGEST_CHAIN
    refine = run.score is None and budget >= _REFINE_FROM * len(orders)
    walk = int(_WALK_SHARE * budget) if refine else budget
    unique = run.cells.expected_reidentified > _NEAR_UNIQUE * run.cells.records and not chain
    if run.space.coupled:  # steps of a hierarchy jump: look between them early
        walk = int(_COUPLED_WALK * budget)
    if unique:
        _measure_ends(run, each=budget >= _UNIQUE_ENDS * len(orders))
        down = int(_DOWN_SHARE * budget)
        levels = min(max(1, int(down / (2.5 * len(orders)))), _DOWN_LEVELS)
        walk_down(run, orders, levels, down)
        walk = budget // 8 if budget >= _UNIQUE_WALK * len(orders) else 0
    if walk:
        _walks(run, orders, min(budget // 20, 400) if chain else walk)
    if unique:
        cross(run, int(_UNIQUE_CROSS * budget) if refine else None)
    elif run.space.coupled:
        cross(run, int(_COUPLED_CROSS * budget))
    run.note()
    if chain:
        fresh = int(_CHAIN_SHARE * run.left / max(1, steps)) - 2
        lazy_chain(run, run.space.bottom, fresh=max(1, fresh))
        run.note()
    if refine:
        fill_gaps(run, orders, chains=chain, limit=int(_GAP_SHARE * run.left))
        alternate(run, limit=int(_REFINE_SHARE * run.left))
        run.note()
    fill_gaps(run, orders, chains=chain)
    climb(run)
    run.note()
    cross(run)
    run.note()
    if run.conditional:
        persist(run, run.left)
        run.note()


def _measure_ends(run: SearchRun, *, each: bool) -> None:
    """Measure the most specific policy and, if asked for, those with one attribute as general as allowed."""
    space = run.space
    run.measure(space.bottom)
    for a in range(len(space.rules) if each else 0):
        if run.over():
            return
        bits = space.bottom.copy()
        bits[int(space.first[a]) : int(space.first[a + 1])] = 0
        run.measure(space.project(bits))


def _walks(run: SearchRun, orders: list[MergeOrder], limit: int) -> None:
    """Walk over levels as fine as affordable; then over coarser and finer ones with half of the limit."""

    def cost(how_many: float) -> float:
        return 1.7 * sum(min(how_many, len(o.ends)) for o in orders)

    begin = run.evaluations
    first = max(k for k in range(1, 31) if k == 1 or cost(k) <= 0.8 * limit)
    walk_levels(run, orders, first, max(4, int(0.9 * limit)))
    for ratio in (0.6, 1.6, 0.36, 2.6):
        used = run.evaluations - begin
        if run.over() or used + cost(ratio * first) > 0.6 * limit:
            continue
        walk_levels(run, orders, max(2, int(ratio * first)), limit - used)


def fill_gaps(
    run: SearchRun, orders: list[MergeOrder], *, chains: bool, limit: int | None = None
) -> None:
    """Put policies into the largest steps of the frontier until the budget is spent.

    Between two neighbours, first their attributes are crossed and, where one generalises the other, the
    modelled order is halved; then what made the step is held back and a chain goes on from the more
    specific one.
    """
    tried: set[tuple[bytes, bytes]] = set()
    until = run.evaluations + (run.left if limit is None else limit)
    while not run.over() and run.evaluations < until:
        entries = [(r, 1.0 - u, p) for r, u, p in run.frontier.entries()]
        gaps = [
            ((r1 - r0) * (l0 - l1), p0, p1, l0)
            for (r0, l0, p0), (r1, l1, p1) in pairwise(entries)
            if (p0, p1) not in tried
        ]
        if not gaps:
            return
        for gap, general, specific, loss in sorted(gaps, key=lambda g: -g[0])[:_GAPS_AT_ONCE]:
            if run.over() or gap < 1e-9 or run.evaluations >= until:
                return
            tried.add((general, specific))
            upper, lower = run.unpack(general), run.unpack(specific)
            for child in (*_cross(run, upper, lower), *halves(orders, lower, upper)):
                if run.over():
                    return
                run.measure(run.space.project(child))
            if chains and not run.over():
                held = lower & (1 - upper)
                lazy_chain(run, lower, limit=_CHAIN_IN_GAP, held=held, worst_loss=loss)


def _cross(run: SearchRun, upper: Bits, lower: Bits) -> list[Bits]:
    """Return the policies with some attributes of one and the others of the other."""
    parts = [
        slice(int(a), int(b))
        for a, b in zip(run.space.first, run.space.first[1:], strict=False)
        if (upper[a:b] != lower[a:b]).any()
    ]
    children = []
    for part in parts if len(parts) > 1 else []:
        for base, other in ((upper, lower), (lower, upper)):
            child = base.copy()
            child[part] = other[part]
            children.append(child)
    return children
