"""The default search: exchange-rate chains, an alternating dynamic programme, and filling of the gaps.

From the bottom, always take the merge that pays the least loss for the risk it takes away; then, for many
weights of risk against loss, give each attribute in turn the partition that is exactly optimal while the
others stay. Small budgets first walk over a few levels of a modelled merge order (`levels`).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .._group_kernels import Groups
from ..intervals import interval_table
from . import _kernels as kernels
from .exhaustive import exhaustive
from .levels import MergeOrder, halves, merge_orders, walk_levels
from .run import Bits, Run, pack

__all__ = ["exchange"]

_WHOLE = 1 << 12  # so many policies are simply all measured
_LONGEST_GREEDY = 4_000  # bits: its neighbours grow with the square
_LONGEST_CHAIN = 20_000
_LEVELS = (12, 30)
_WEIGHTS_AROUND = 9
_SPREAD = 4.0
_ROUNDS = 6
_CHAIN_FROM = 3  # evaluations a step from which on a whole chain is affordable
_CHAIN_SHARE = 0.1  # of the evaluations left
_REFINE_FROM = 40  # evaluations an attribute from which on interval tables are affordable
_WALK_SHARE = 0.5
_GAP_SHARE = 0.05
_REFINE_SHARE = 0.8
_CHAIN_IN_GAP = 200
_GAPS_AT_ONCE = 4
_TABLE_LIMIT = 1 << 22  # places of one interval table


def exchange(run: Run) -> None:
    """Search by exchange rates until the budget is used up or nothing improves.

    A lattice of few free bits is measured as a whole where the budget allows it.
    """
    every = 1 << min(run.space.free_bits.size, 60)
    if every <= _WHOLE and run.left >= every:
        exhaustive(run)
        return
    orders = merge_orders(run)
    if run.budget.evaluations is None:
        for how_many in _LEVELS:
            walk_levels(run, orders, how_many, 1 << 40)
        run.note()
        _chains(run)
        run.note()
        if run.score is None:
            _refine(run)
        return
    _small_plan(run, orders)


def _small_plan(run: Run, orders: list[MergeOrder]) -> None:
    """Spend a limited number of evaluations: walks over levels, a chain and tables where affordable, gaps."""
    budget = run.left
    steps = sum(len(o.ends) for o in orders)
    simple = run.score is None and not run.space.coupled
    chain = simple and _CHAIN_FROM * steps <= budget and run.cells.length <= _LONGEST_CHAIN
    refine = run.score is None and budget >= _REFINE_FROM * len(orders)
    walk = int(_WALK_SHARE * budget) if refine else budget
    _walks(run, orders, min(budget // 20, 400) if chain else walk)
    run.note()
    if chain:
        fresh = int(_CHAIN_SHARE * run.left / max(1, steps)) - 2
        lazy_chain(run, run.space.bottom, fresh=max(1, fresh))
        run.note()
    if refine:
        fill_gaps(run, orders, chains=chain, limit=int(_GAP_SHARE * run.left))
        _refine(run, limit=int(_REFINE_SHARE * run.left))
        run.note()
    fill_gaps(run, orders, chains=chain)
    _chains(run)
    run.note()


def _walks(run: Run, orders: list[MergeOrder], limit: int) -> None:
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
    run: Run, orders: list[MergeOrder], *, chains: bool, limit: int | None = None
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
            for child in (*_crossed(run, upper, lower), *halves(orders, lower, upper)):
                if run.over():
                    return
                run.measure(run.space.project(child))
            if chains and not run.over():
                held = lower & (1 - upper)
                lazy_chain(run, lower, limit=_CHAIN_IN_GAP, held=held, worst_loss=loss)


def _crossed(run: Run, upper: Bits, lower: Bits) -> list[Bits]:
    """Give the policies with some attributes of one and the others of the other."""
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


def _chains(run: Run) -> None:
    if run.over():
        return
    length = run.cells.length
    if length > _LONGEST_CHAIN:
        return  # a chain looks at every cut at every step: levels and tables must do
    if run.score is not None or run.space.coupled:
        _climb(run)
    elif run.budget.evaluations is None and length <= _LONGEST_GREEDY:
        greedy_chain(run, run.space.bottom)
    else:
        lazy_chain(run, run.space.bottom)


def _start_at(run: Run, bits: Bits) -> Groups:
    groups = run.cells.bottom_groups()
    cleared = np.flatnonzero(bits == 0)
    if cleared.size:
        run.cells.walk(cleared, groups)
    return groups


def greedy_chain(run: Run, start: Bits, *, steps: int | None = None) -> None:
    """Climb from a policy by the cheapest merge, archiving every neighbour on the way."""
    cells, space = run.cells, run.space
    groups = _start_at(run, start)
    bits = start.copy()
    deltas = np.zeros((cells.length, 3))
    kernels.all_deltas(groups, bits, cells.attribute_of_bit, cells.first, deltas, cells.nlogn)
    room = max(cells.length, 1 << 17)
    found, found_at = np.empty((room, 3)), np.empty((room, 2), dtype=np.int64)
    order = np.empty(cells.length, dtype=np.int64)
    done, wanted = 0, cells.length if steps is None else steps
    while not run.over() and done < wanted:
        merges, written = kernels.greedy(
            groups, bits, space.fixed, cells.attribute_of_bit, cells.first, space.widest, deltas,
            cells.nlogn, cells.scale, wanted - done, order[done:], found, found_at, done,
        )  # fmt: skip
        _offer_chain(run, start, order, found, found_at, written)
        done += merges
        if merges == 0:
            break


def lazy_chain(
    run: Run, start: Bits, *, limit: int | None = None, fresh: int = 1,
    held: Bits | None = None, worst_loss: float = np.inf,
) -> None:  # fmt: skip
    """Climb from a policy by the cheapest merge, measuring only the merges that look cheapest.

    `fresh` merges are measured at each step; the bits of `held` stay as they are.
    """
    cells, space = run.cells, run.space
    groups = _start_at(run, start)
    bits = start.copy()
    fixed = space.fixed if held is None else space.fixed | held
    price, stamp = np.full(cells.length, -1.0), np.full(cells.length, -1, dtype=np.int64)
    until = run.evaluations + min(run.left, 1 << 40 if limit is None else limit)
    order = np.empty(cells.length, dtype=np.int64)
    done = 0
    while not run.over() and run.evaluations < until:
        room = min(until - run.evaluations, 1 << 12)
        found, found_at = np.empty((room, 3)), np.empty((room, 2), dtype=np.int64)
        merges, written = kernels.lazy_greedy(
            groups, bits, fixed, cells.attribute_of_bit, cells.first, space.widest, price, stamp,
            cells.nlogn, cells.scale, room, fresh, worst_loss, order[done:], found, found_at, done,
        )  # fmt: skip
        _offer_chain(run, start, order, found, found_at, written)
        done += merges
        if written < room:
            break


def _offer_chain(
    run: Run, start: Bits, order: npt.NDArray[np.int64], found: npt.NDArray[np.float64],
    found_at: npt.NDArray[np.int64], written: int,
) -> None:  # fmt: skip
    def bits_at(i: int) -> Bits:
        bits = start.copy()
        bits[order[: found_at[i, 0]]] = 0
        bits[found_at[i, 1]] = 0
        return bits

    run.offer(found[:written, 0], found[:written, 1], found[:written, 2], bits_at)


def _climb(run: Run) -> None:
    """The lazy chain over the steps of the space, each measured as a policy of its own."""
    bits = run.space.bottom.copy()
    here = run.measure(bits)
    price: dict[bytes, tuple[float, int]] = {}
    step = 0
    moves = {m.tobytes(): m for m in run.space.moves(bits)}
    while moves and not run.over():
        key = min(moves, key=lambda k: price.get(k, (-1.0, -1)))
        up = bits.copy()
        up[moves[key]] = 0
        there = run.measure(up)
        if key in price and price[key][1] == step:
            bits, here = up, there
            step += 1
            moves = {m.tobytes(): m for m in run.space.moves(bits)}
            continue
        gain, loss = here[0] - there[0], there[1] - here[1]
        rate = loss / gain if gain > 1e-13 else (0.0 if loss < 1e-13 else 1e9 + loss)
        price[key] = (rate, step)


def _refine(run: Run, *, limit: int | None = None) -> None:
    """Alternate over the attributes for many weights, in rounds, until a round gains next to nothing."""
    seen: set[tuple[bytes, int, int]] = set()
    until = run.evaluations + (run.left if limit is None else limit)
    rates = 24
    if limit is not None:  # as many rates as the evaluations reach for
        rates = int(np.clip(limit / (12 * run.cells.attributes), 2, 24))
    if len(run.frontier) == 0:  # the least sizes are hard to meet: look at the general end first
        general = run.space.project(np.zeros(run.space.length, dtype=np.uint8))
        for a in range(run.cells.attributes):
            if not run.space.rules[a].keep and run.cells.sizes[a] > 1:
                _best_partitions(run, general, a, np.geomspace(1e-3, 0.9, _WEIGHTS_AROUND))
        if len(run.frontier) == 0:
            return
    for turn in range(_ROUNDS):
        before = run.frontier.area()
        for rate in _rates(run, rates if turn % 2 == 0 else rates + 7):
            if run.over() or run.evaluations >= until:
                return
            _alternate(run, rate, seen, until)
        run.note()
        if before - run.frontier.area() < 3e-4 * before:
            return


def _hull(run: Run) -> npt.NDArray[np.float64]:
    """Give the lower convex hull of the archived points (risk, loss)."""
    hull: list[tuple[float, float]] = []
    for risk, utility in run.frontier.points():
        point = (risk, 1.0 - utility)
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2], hull[-1]
            if (x1 - x0) * (point[1] - y0) - (y1 - y0) * (point[0] - x0) > 0:
                break
            hull.pop()
        hull.append(point)
    return np.array(hull)


def _rates(run: Run, how_many: int) -> list[float]:
    """Choose exchange rates (loss weight over risk weight) at even distances along the hull."""
    hull = _hull(run)
    if len(hull) < 2:
        return [1.0]
    step = np.diff(hull, axis=0)
    length = np.hypot(step[:, 0], step[:, 1])
    middle = np.cumsum(length) - length / 2
    wanted = (np.arange(how_many) + 0.5) / how_many * length.sum()
    logs = np.interp(wanted, middle, np.log(-step[:, 0] / step[:, 1]))
    return list(np.exp(logs))


def _alternate(run: Run, rate: float, seen: set[tuple[bytes, int, int]], until: int) -> None:
    """From the archive's best policy at one rate, optimise one attribute after another until stable."""
    cells, space = run.cells, run.space
    weight = rate / (1.0 + rate)
    around = rate * np.geomspace(1.0 / _SPREAD, _SPREAD, _WEIGHTS_AROUND)
    weights = around / (1.0 + around)
    points = np.array(run.frontier.points())
    cost = (1.0 - weight) * points[:, 0] + weight * (1.0 - points[:, 1])
    at = int(np.argmin(cost))
    best = float(cost[at])
    bits = run.unpack(list(run.frontier)[at])
    stable = turn = 0
    while stable < cells.attributes and turn < 4 * cells.attributes:
        if run.over() or run.evaluations >= until:
            return
        a = turn % cells.attributes
        turn += 1
        stable += 1
        part = slice(int(cells.first[a]), int(cells.first[a + 1]))
        if space.rules[a].keep or part.start == part.stop:
            continue
        rest = bits.copy()
        rest[part] = 0
        key = (pack(rest), a, round(2 * float(np.log(rate))))
        if key in seen:
            continue
        seen.add(key)
        found = _best_partitions(run, bits, a, weights)
        if found is None:
            continue
        cost = (1.0 - weight) * found[0] + weight * found[1]
        k = int(np.argmin(cost))
        if cost[k] < best - 1e-12:
            best, stable = float(cost[k]), 0
            bits[part] = found[2][k]


def _best_partitions(
    run: Run, bits: Bits, a: int, weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.uint8]] | None:
    """Optimise one attribute for several weights; archive the partitions and all one cut away."""
    cells, space = run.cells, run.space
    part = slice(int(cells.first[a]), int(cells.first[a + 1]))
    cuts = space.open_cuts(a)
    units = len(cuts) + 1
    ends = np.flatnonzero(np.append(bits[part][cuts], 1))
    longest = int(np.diff(ends, prepend=-1).max())
    band = min(units, max(8, 2 * longest))
    allowed = space.allowed_intervals(a, units)
    work = 0
    while True:
        if units * band > _TABLE_LIMIT:
            return None
        mask = np.zeros((0, 0), dtype=np.uint8) if allowed is None else allowed[:, :band].copy()
        table = interval_table(
            cells, bits, a, band, cuts=cuts, allowed=mask, widest=int(space.widest[a])
        )
        work += table.steps + cells.codes.shape[1]
        found, chosen = table.best(weights)
        if found.longest < band or band >= units:
            break
        band = min(units, 2 * band)
    if len(found.risk) == 0:
        return None

    def bits_at(i: int) -> Bits:
        policy = bits.copy()
        policy[part] = found.bits[i]
        return policy

    passes = -(-work // cells.codes.shape[1])
    kept = slice(
        0, max(0, run.left - passes)
    )  # a table that the budget does not pay for is not used
    run.offer(
        found.risk[kept], found.loss[kept], None, bits_at, count=len(found.risk[kept]) + passes
    )
    if run.over():
        return None
    if allowed is None and run.budget.evaluations is None:
        near, near_at = table.flips(chosen, found)

        def flipped(i: int) -> Bits:
            policy = bits_at(int(near_at[i, 0]))
            policy[part.start + near_at[i, 1]] ^= 1
            return policy

        run.offer(near[:, 0], near[:, 1], None, flipped)
    return found.risk, found.loss, found.bits
