"""The alternating dynamic programme: one attribute after another made exactly optimal, for many weights.

While the others stay, the best partition of an attribute's values follows from a table of its intervals
(`intervals`); the weights of risk against loss are spread evenly along the frontier found so far.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..contingency.intervals import interval_table
from .run import Bits, SearchRun, pack

__all__ = ["alternate", "alternate_finely"]

_WEIGHTS_AROUND = 9
_SPREAD = 4.0
_ROUNDS = 6
_FIRST_FINE = 37  # weights of the first round with time to spare
_WORTH = 2e-5  # relative gain in area below which no further round is made
_TABLE_LIMIT = 1 << 22  # places of one interval table


def alternate(run: SearchRun, *, limit: int | None = None) -> None:
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
            _improve(run, rate, seen, until)
        run.note()
        if before - run.frontier.area() < 3e-4 * before:
            return


def alternate_finely(run: SearchRun) -> None:
    """Alternate for ever more weights while time is left, until a round gains nothing worth its time."""
    seen: set[tuple[bytes, int, int]] = set()
    rates = _FIRST_FINE
    while not run.over() and len(run.frontier) > 0:
        before = run.frontier.area()
        for rate in _rates(run, rates):
            if run.over():
                return
            _improve(run, rate, seen, run.evaluations + run.left)
        run.note()
        if before - run.frontier.area() < _WORTH * before:
            return
        rates = int(1.5 * rates)


def _hull(run: SearchRun) -> npt.NDArray[np.float64]:
    """Return the lower convex hull of the archived points (risk, loss)."""
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


def _rates(run: SearchRun, how_many: int) -> list[float]:
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


def _improve(run: SearchRun, rate: float, seen: set[tuple[bytes, int, int]], until: int) -> None:
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
    run: SearchRun, bits: Bits, a: int, weights: npt.NDArray[np.float64]
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
            cells, bits, a, band, cuts=cuts, allowed=mask, widest=int(space.widest[a]),
            max_below=run.max_below,
        )  # fmt: skip
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
    if run.max_below:  # the tables cannot add up what is suppressed
        for i in range(len(found.risk[kept])):
            run.measure(bits_at(i))
        run.spend(passes)
    else:
        run.offer(
            found.risk[kept], found.loss[kept], None, bits_at, count=len(found.risk[kept]) + passes
        )
    if run.over():
        return None
    if allowed is None and run.budget.evaluations is None and not run.max_below:
        near, near_at = table.flips(chosen, found)

        def flipped(i: int) -> Bits:
            policy = bits_at(int(near_at[i, 0]))
            policy[part.start + near_at[i, 1]] ^= 1
            return policy

        run.offer(near[:, 0], near[:, 1], None, flipped)
    return found.risk, found.loss, found.bits
