"""Good policies from few evaluations: a nested merge order per attribute, an exchange-rate walk over levels.

The order comes from a model: it prices a merge as if records fell independently, by the attribute's margin
and by the table of the other attributes (which one measured policy an attribute shows). Only the walk over
coarse levels, and the bisection of its longest steps, measure policies beyond that.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from ..space.constraints import Space
from .run import Bits, SearchRun

__all__ = ["MergeOrder", "halves", "merge_orders", "walk_down", "walk_levels"]

_NOTHING = 1e-13


@dataclass(frozen=True, slots=True)
class MergeOrder:
    """The steps of one attribute from bottom to top: bits to clear, in order, grouped in steps."""

    bits: npt.NDArray[np.int64]  # positions in the whole bit-string
    ends: npt.NDArray[np.int64]  # after step k, bits[:ends[k]] are cleared
    effort: npt.NDArray[
        np.float64
    ]  # by step: relative risk taken away plus relative loss, modelled

    def levels(self, how_many: int) -> list[int]:
        """Split the steps into about that many levels of equal effort; returns numbers of cleared bits."""
        steps = len(self.ends)
        if steps <= how_many:
            return [0, *self.ends.tolist()]
        reached = np.cumsum(self.effort)
        wanted = np.linspace(0.0, reached[-1], how_many + 1)[1:]
        at = np.minimum(np.searchsorted(reached, wanted - 1e-12), steps - 1)
        return [0, *self.ends[np.unique(np.append(at, steps - 1))].tolist()]


def merge_orders(run: SearchRun) -> list[MergeOrder]:
    """Model, for each attribute, in which order its intervals should be merged."""
    cells, space = run.cells, run.space
    occupied = cells.occupied
    share = cells.count / np.maximum(cells.weight[:occupied], cells.count) / cells.scale[2]
    orders = []
    for a in range(cells.attributes):
        size = int(cells.sizes[a])
        if space.rules[a].keep or size == 1:
            empty = np.zeros(0, dtype=np.int64)
            orders.append(MergeOrder(empty, empty, np.zeros(0)))
            continue
        if space.allowed_intervals(a, 1) is not None:
            orders.append(_node_order(space, a))
            continue
        margin = _IntervalMargin(
            cells.value_counts[a, :size].astype(np.float64),
            np.maximum(cells.value_weights[a, :size], 1e-9),
            np.bincount(cells.codes[a, :occupied], weights=share, minlength=size).astype(
                np.float64
            ),
            cells.records * cells.scale[3],
            _Others(_counts_of_others(run, a), cells.records),
            counted=cells.widths.counted(a),
            has_population=cells.has_population,
        )
        orders.append(_order_of(margin, space, a))
    return orders


def _counts_of_others(run: SearchRun, a: int) -> npt.NDArray[np.int64]:
    """Return the group sizes when attribute a is one interval; that policy is measured and counted."""
    cells = run.cells
    bits = run.space.bottom.copy()
    bits[cells.first[a] : cells.first[a + 1]] = 0
    run.measure(run.space.project(bits))
    column, how_many, _ = cells.columns(bits, a)
    inside = column[: cells.occupied]
    return np.bincount(inside, weights=cells.count, minlength=how_many).astype(np.int64)


class _Others:
    """What a share of the records would look like if it fell on the other attributes at random.

    `log(s)` is the expected Σ n ln n, `groups(s)` the expected number of groups, of a share s.
    """

    def __init__(self, counts: npt.NDArray[np.int64], records: int) -> None:
        size, how_many = _few_sizes(counts)
        self._s = np.geomspace(0.5 / records, 1.0, 160)
        expected = np.outer(self._s, size)
        self._log = _expected_nlogn(expected) @ how_many
        self._groups = -np.expm1(-expected) @ how_many

    def log(self, s: float) -> float:
        return float(np.interp(s, self._s, self._log))

    def groups(self, s: float) -> float:
        return float(np.interp(s, self._s, self._groups))


def _few_sizes(
    counts: npt.NDArray[np.int64], most: int = 200
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the distinct sizes and how many groups have them; very many sizes are put into bins."""
    size, how_many = np.unique(counts, return_counts=True)
    if size.size <= most:
        return size.astype(np.float64), how_many.astype(np.float64)
    edges = np.geomspace(max(1, size[0]), size[-1] + 1, most + 1)
    which = np.searchsorted(edges, size, side="right")
    groups = np.bincount(which, weights=how_many)
    records = np.bincount(which, weights=how_many * size)
    filled = groups > 0
    return records[filled] / groups[filled], groups[filled].astype(np.float64)


def _expected_nlogn(mean: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return E[N ln N] for a Poisson N: a sum where the mean is small, an expansion elsewhere."""
    small = np.minimum(mean, 30.0)
    total = np.zeros_like(mean)
    term = np.exp(-small)
    for k in range(1, 100):
        term = term * small / k
        total += term * (k * np.log(k))
    large = np.maximum(mean, 30.0)
    return np.where(mean > 30.0, large * np.log(large) + 0.5 - 1.0 / (12.0 * large), total)


class _IntervalMargin:
    """Intervals of one attribute in the model: records, people, risk, values and width of each."""

    def __init__(
        self, count: npt.NDArray[np.float64], weight: npt.NDArray[np.float64],
        risk: npt.NDArray[np.float64], unit: float, others: _Others, *,
        counted: npt.NDArray[np.int64], has_population: bool,
    ) -> None:  # fmt: skip
        self.count, self.weight, self.risk = count, weight, risk
        self.values = np.ones(count.size)
        self.width = counted.astype(np.float64)
        self.unit = unit
        self.others = others
        self.records = float(count.sum())
        self.has_population = has_population

    def price(self, i: int, j: int) -> tuple[float, float, float]:
        """Return the exchange rate, the risk taken away and the loss of merging two intervals."""
        gain, loss = self._gain(i, j), self._loss(i, j)
        if gain > _NOTHING:
            return loss / gain, gain, loss
        return (0.0 if loss < _NOTHING else 1e9 + loss), gain, loss

    def _gain(self, i: int, j: int) -> float:
        if self.has_population:
            people = self.weight[i] + self.weight[j]
            crossed = self.risk[i] * self.weight[j] + self.risk[j] * self.weight[i]
            return float(crossed / people)
        si, sj = self.count[i] / self.records, self.count[j] / self.records
        if si == 0 or sj == 0:
            return 0.0
        apart = self.others.groups(si) + self.others.groups(sj)
        return float(self.risk[i] + self.risk[j]) * (1.0 - self.others.groups(si + sj) / apart)

    def _loss(self, i: int, j: int) -> float:
        ni, nj = self.count[i], self.count[j]
        wi, wj = max(self.width[i], 1.0), max(self.width[j], 1.0)
        width = max(self.width[i] + self.width[j], 1.0)
        spread = ni * np.log(width / wi) + nj * np.log(width / wj)
        if ni == 0 or nj == 0:
            return float(spread / self.unit)
        si, sj = ni / self.records, nj / self.records
        met = self.others.log(si + sj) - self.others.log(si) - self.others.log(sj)
        most = (ni + nj) * np.log(ni + nj) - ni * np.log(ni) - nj * np.log(nj)
        return float((spread - min(met, most)) / self.unit)

    def merge(self, i: int, j: int) -> None:
        self.risk[i] += self.risk[j] - self._gain(i, j)
        self.weight[i] += self.weight[j]
        self.count[i] += self.count[j]
        self.width[i] += self.width[j]
        self.values[i] += self.values[j]


def _order_of(margin: _IntervalMargin, space: Space, a: int) -> MergeOrder:
    start = int(space.first[a])
    size = margin.count.size
    after = np.arange(1, size + 1)
    before = np.arange(-1, size - 1)
    high = np.arange(size)
    version = np.zeros(size, dtype=np.int64)
    alive = np.ones(size, dtype=bool)
    closed = space.always_zero[start : start + size - 1]
    heap = [
        (-1.0 if closed[i] else margin.price(i, i + 1)[0], i, 0, 0) for i in range(size - 1)
    ]  # cuts that are never allowed go first
    heapq.heapify(heap)
    bits: list[int] = []
    gains: list[float] = []
    losses: list[float] = []
    risk = float(margin.risk.sum())
    while heap:
        _, i, mine, its = heapq.heappop(heap)
        j = int(after[i])
        if j >= size or not alive[i] or version[i] != mine or version[j] != its:
            continue
        forbidden = margin.values[i] + margin.values[j] > space.widest[a]
        if forbidden and not closed[high[i]]:
            continue
        _, gain, loss = margin.price(i, j)
        if not closed[high[i]]:
            gains.append(-float(np.log(max(1e-12, 1.0 - gain / risk))) if risk > 0 else 0.0)
            losses.append(loss)
            bits.append(start + int(high[i]))
        risk -= gain
        margin.merge(i, j)
        high[i] = high[j]
        alive[j] = False
        after[i] = after[j]
        if after[j] < size:
            before[after[j]] = i
        version[i] += 1
        for left in (i, int(before[i])):
            right = int(after[left]) if left >= 0 else size
            if right < size:
                price = -1.0 if closed[high[left]] else margin.price(left, right)[0]
                heapq.heappush(heap, (price, left, int(version[left]), int(version[right])))
    gain_sum, loss_sum = max(sum(gains), 1e-12), max(sum(losses), 1e-12)
    effort = np.array(gains) / gain_sum + np.array(losses) / loss_sum + 1e-9
    return MergeOrder(np.array(bits, dtype=np.int64), np.arange(1, len(bits) + 1), effort)


def _node_order(space: Space, a: int) -> MergeOrder:
    """With a hierarchy, go up node by node, the shortest nodes first."""
    part = space.bottom.copy()
    begin, end = int(space.first[a]), int(space.first[a + 1])
    bits: list[int] = []
    ends: list[int] = []
    while True:
        moves = [m for m in space.moves(part) if begin <= m[0] < end]
        if not moves:
            break
        move = min(moves, key=lambda m: (m[-1] - m[0], m[0]))
        part[move] = 0
        bits.extend(move.tolist())
        ends.append(len(bits))
    return MergeOrder(
        np.array(bits, dtype=np.int64), np.array(ends, dtype=np.int64), np.ones(len(ends))
    )


def _at_levels(
    run: SearchRun,
    orders: list[MergeOrder],
    levels: list[list[int]],
    state: tuple[int, ...],
) -> Bits:
    """Return the policy that publishes each attribute at one of its levels."""
    bits = run.space.bottom.copy()
    for order, level, at in zip(orders, levels, state, strict=True):
        bits[order.bits[: level[at]]] = 0
    return bits


def walk_levels(run: SearchRun, orders: list[MergeOrder], how_many: int, limit: int) -> list[Bits]:
    """Walk up in level space, always the attribute with the best exchange rate; give the path.

    Prices may be stale; only the cheapest is measured again. Stops after `limit` evaluations.
    """
    levels = [order.levels(how_many) for order in orders]
    bits_at = partial(_at_levels, run, orders, levels)
    until = run.evaluations + limit
    attributes = range(len(orders))
    state = (0,) * len(orders)
    here = run.measure(bits_at(state))
    price = dict.fromkeys(attributes, 0.0)
    stamp = dict.fromkeys(attributes, -1)
    path = [bits_at(state)]
    while not run.over() and run.evaluations < until:
        open_ = [a for a in attributes if state[a] < len(levels[a]) - 1]
        if not open_:
            break
        a = min(open_, key=lambda k: (price[k], k))
        up = tuple(s + (k == a) for k, s in enumerate(state))
        there = run.measure(bits_at(up))
        if stamp[a] == len(path):
            state, here = up, there
            path.append(bits_at(state))
            continue
        gain, loss = here[0] - there[0], there[1] - here[1]
        price[a] = loss / gain if gain > _NOTHING else (0.0 if loss < _NOTHING else 1e9 + loss)
        stamp[a] = len(path)
    return path


def walk_down(run: SearchRun, orders: list[MergeOrder], how_many: int, limit: int) -> None:
    """Walk down in level space from the most general policy, always where utility costs the least risk.

    Where nearly every record is unique, steps up from the bottom change no risk for a long time, and only
    steps down from the top show which attributes are worth keeping.
    """
    levels = [order.levels(how_many) for order in orders]
    bits_at = partial(_at_levels, run, orders, levels)
    until = run.evaluations + limit
    state = tuple(len(level) - 1 for level in levels)
    here = run.measure(bits_at(state))
    price = dict.fromkeys(range(len(orders)), 0.0)
    stamp = dict.fromkeys(range(len(orders)), -1)
    step = 0
    while not run.over() and run.evaluations < until:
        open_ = [a for a in range(len(orders)) if state[a] > 0]
        if not open_:
            return
        a = min(open_, key=lambda k: (price[k], k))
        down = tuple(s - (k == a) for k, s in enumerate(state))
        there = run.measure(bits_at(down))
        if stamp[a] == step:
            state, here = down, there
            step += 1
            continue
        risk, kept = there[0] - here[0], here[1] - there[1]
        price[a] = risk / kept if kept > _NOTHING else 1e9 + risk
        stamp[a] = step


def halves(orders: list[MergeOrder], lower: Bits, upper: Bits) -> list[Bits]:
    """Return the policy half way from `lower` up to `upper` in the modelled order, if there is one."""
    cleared = lower & (1 - upper)
    if (upper & (1 - lower)).any():
        return []
    middle = lower.copy()
    halved = False
    for order in orders:
        wanted = np.flatnonzero(cleared[order.bits])
        if wanted.size == 0:
            continue
        step = np.searchsorted(order.ends, wanted, side="right")
        steps = np.unique(step)
        if steps.size > 1:
            middle[order.bits[wanted[step < steps[steps.size // 2]]]] = 0
            halved = True
    return [middle] if halved else []
