"""A lower bound for one weight of risk against loss: every outer interval chooses its own inner partition.

Prices on the cuts of these copies add up to zero over the outer units, so they vanish on every true policy
and the bound holds for any prices; the search for good ones costs time, never validity.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from . import _kernels as kernels
from .pairs import PairSums

__all__ = ["Relaxation"]

_MEMORY = 384 << 20  # bytes of interval costs that are kept
_MOST_ACTIVE = 20_000
_BATCH = 32  # outer intervals measured at a time, at least
_EXACT = 1e-7
_MOST_LISTED = 1 << 13
_SLACK = 1e-9  # allowance for rounding: far above n·ε for the sums at hand
_NO_MASK = np.zeros((0, 0), dtype=np.uint8)
_MOMENTUM = 0.7
_PATIENCE = 12
_NEAR = 500  # outer intervals that take part in an ascent
_LONGER = 4  # units by which inner intervals may outgrow those in use during an ascent
FIRST_STEP = 0.6


class Relaxation:
    """The priced interval programme of one node at one weight.

    Parameters
    ----------
    pairs : Pairs
        The counts of the node over the outer and the inner attribute.
    weight : float
        The weight of loss, in (0, 1); risk has the rest.
    outer_allowed, inner_allowed : array of bool
        The intervals [low, high] that a policy of interest may use.

    """

    def __init__(
        self,
        pairs: PairSums,
        weight: float,
        outer_allowed: npt.NDArray[np.bool_],
        inner_allowed: npt.NDArray[np.bool_],
    ) -> None:
        self.pairs, self.weight = pairs, weight
        cells = pairs.cells
        outer, inner = pairs.outer.count, pairs.inner.count
        self._floor = (1.0 - weight) * pairs.corner_risk + weight * pairs.corner_loss
        self.constant = float(
            weight * (cells.scale[0] + pairs.widths) / cells.records / cells.scale[3]
        )
        last = np.where(
            inner_allowed.any(axis=1), inner - np.argmax(inner_allowed[:, ::-1], axis=1), 0
        )
        self._stop = np.maximum(last, np.arange(inner) + 1).astype(np.int64)
        banded = np.arange(inner)[None, :] < self._stop[:, None]
        band = np.triu(banded)
        self._mask = (
            _NO_MASK if np.array_equal(band, inner_allowed) else inner_allowed.astype(np.uint8)
        )
        packed = int((self._stop - np.arange(inner)).sum())
        room = np.clip(_MEMORY // (4 * packed), 2 * outer, _MOST_ACTIVE)
        self._room = int(min(room, max(int(outer_allowed.sum()), 2 * outer)))
        self._costs = np.empty((self._room, packed), dtype=np.float32)
        self._low = np.zeros(self._room, dtype=np.int64)
        self._high = np.zeros(self._room, dtype=np.int64)
        self._value = np.full(self._room, np.inf)
        self._count = self._settled = 0
        self._batch = max(_BATCH, outer // 2)
        self._exact = np.zeros((outer, outer), dtype=np.uint8)
        self.bound = np.where(outer_allowed, self._floor, np.inf)
        self._price = np.zeros((outer, inner))
        self._sums = np.zeros((outer + 1, inner))
        self._unit = np.sqrt(pairs.outer_share)
        self._forward, self._backward = np.empty(outer + 1), np.empty(outer + 1)
        self._work = np.empty(packed)
        self.step = FIRST_STEP

    # --- bounds -----------------------------------------------------------------------------------

    def certify(
        self, limit: float, effort: int, over: Callable[[], bool], *, slack: float = 0.0
    ) -> float:
        """Tighten the bound at the present prices until it is exact or reaches the limit; return it.

        Parameters
        ----------
        limit : float
            Bounds are of interest up to here.
        effort : int
            How many outer intervals may be measured.
        over : callable
            Returns whether time is up.
        slack : float, default=0.0
            How far below the exact value the bound may stay.

        """
        limit -= self.constant
        self._settle(0)
        spent = 0
        while True:
            bound = float(kernels.outer_bounds(self.bound, self._forward, self._backward))
            top = min(self._path()[0], limit)
            if bound >= top - slack - _EXACT * (1.0 + abs(top)) or spent >= effort or over():
                return self._certified(bound)
            low, high = self._violators(bound, top)
            if low.size == 0:  # the best path is exact already
                return self._certified(bound)
            for lo, hi in zip(low.tolist(), high.tolist(), strict=True):
                self._activate(lo, hi)
            self._settle(self._settled)
            spent += low.size

    def _violators(
        self, bound: float, top: float
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the intervals nearest to the best path among those that are not measured."""
        low, high = np.empty(_MOST_LISTED, dtype=np.int64), np.empty(_MOST_LISTED, dtype=np.int64)
        reduced = np.empty(_MOST_LISTED)
        found = _MOST_LISTED
        while found == _MOST_LISTED:
            top = bound + 0.5 * (top - bound)
            found = kernels.violators(
                self.bound, self._exact, self._forward, self._backward, top, low, high, reduced
            )
        nearest = np.argsort(reduced[:found], kind="stable")[: self._batch]
        return low[nearest], high[nearest]

    def _certified(self, bound: float) -> float:
        """Return a bound with the constant, less what rounding may have added."""
        drift = float(np.abs(self._price.sum(axis=0)).sum())
        return bound + self.constant - drift - _SLACK

    def used(self, limit: float) -> npt.NDArray[np.bool_]:
        """Mark the outer intervals that a policy below the limit may use, by their reduced costs."""
        kernels.outer_bounds(self.bound, self._forward, self._backward)
        reduced = self._forward[:-1, None] + self.bound + self._backward[None, 1:]
        return np.asarray(reduced < limit - self.constant + _SLACK)

    def ascend(self, target: float, rounds: int) -> int:
        """Improve the prices by steps towards a target; return the rounds made.

        Only the active intervals nearest to the best path take part, with inner intervals not much longer than
        those in use: prices need not be exact, and `certify` looks at all of them again.
        """
        near = self._nearest(_NEAR)
        if near.size == 0:
            return 0
        band = np.arange(1, self._stop.size + 1)
        kernels.used_band(near, self._low, self._high, self._costs, self._stop, self._sums, band)
        length = band - np.arange(band.size)
        band = np.minimum(band + np.maximum(_LONGER, length // 4), self._stop)
        costs = np.empty((near.size, int((band - np.arange(band.size)).sum())), dtype=np.float32)
        kernels.narrow_costs(near, self._costs, self._stop, band, costs)
        low, high = self._low[near], self._high[near]
        price, momentum = self._price.copy(), np.zeros_like(self._price)
        state = np.array([-np.inf, self.step, 0.0])
        best = price.copy()
        done = kernels.ascend(
            low, high, np.argsort(low, kind="stable"), near.size, costs, band, self._unit, price,
            momentum, best, state, target - self.constant, rounds, _MOMENTUM, _PATIENCE,
        )  # fmt: skip
        self.step = float(state[1])
        self.start_at(best)
        return int(done)

    def _nearest(self, many: int) -> npt.NDArray[np.int64]:
        """Return the active intervals of least reduced cost, with a whole path; none without a path."""
        path = self._path()[1]
        if path.size == 0:
            return path
        low, high = self._low[: self._count], self._high[: self._count]
        kernels.outer_bounds(self.bound, self._forward, self._backward)
        reduced = self._forward[low] + self.bound[low, high] + self._backward[high + 1]
        return np.union1d(np.argsort(reduced, kind="stable")[:many], path)

    def start_at(self, price: npt.NDArray[np.float64]) -> None:
        """Start from prices found elsewhere; they are made to add up to zero."""
        self._price = price - price.mean(axis=0)
        before = self._sums.copy()
        kernels.prefix(self._price, self._sums)
        kernels.reprice(self.bound, before, self._sums, self._floor)
        self._exact[:] = 0

    @property
    def price(self) -> npt.NDArray[np.float64]:
        """The present prices by outer unit and inner cut."""
        return self._price

    # --- the active intervals ---------------------------------------------------------------------

    def _activate(self, lo: int, hi: int) -> None:
        """Measure the pairs of one outer interval and keep them."""
        if self._count == self._room:
            self._settle(self._settled)
            self._evict()
        pairs, cells, k = self.pairs, self.pairs.cells, self._count
        kernels.pair_costs(
            lo, hi, pairs.risk_n, pairs.risk_w, pairs.loss_n, cells.nlogn,
            (1.0 - self.weight) / cells.scale[2], self.weight / cells.records / cells.scale[3],
            pairs.outer.log_width[lo, hi], pairs.inner.log_width, cells.least, self._mask,
            self._stop, self._work, self._costs[k],
        )  # fmt: skip
        self._low[k], self._high[k] = lo, hi
        self._count += 1

    def _settle(self, start: int) -> None:
        """Evaluate the active intervals from `start` on at the present prices."""
        part = slice(start, self._count)
        kernels.active_values(
            self._low[part], self._high[part], self._count - start, self._costs[part], self._stop,
            self._sums, self._value[part],
        )  # fmt: skip
        self.bound[self._low[part], self._high[part]] = self._value[part]
        self._exact[self._low[part], self._high[part]] = 1
        self._settled = self._count

    def _path(self) -> tuple[float, npt.NDArray[np.int64]]:
        """Return the best value over the active intervals and its path; infinite without one."""
        outer, count = self.pairs.outer.count, self._count
        last = np.full(outer + 1, -1, dtype=np.int64)
        order = np.argsort(self._low[:count], kind="stable")
        best = float(kernels.active_path(order, self._low, self._high, self._value, outer, last))
        path, end = [], outer
        while np.isfinite(best) and end > 0:
            path.append(int(last[end]))
            end = int(self._low[last[end]])
        return best, np.array(path, dtype=np.int64)

    def _evict(self) -> None:
        """Keep the half of the active intervals that are nearest to the best path, and a whole path."""
        kept = self._nearest(self._room // 2)
        for to, k in enumerate(kept.tolist()):
            self._costs[to] = self._costs[k]
            self._low[to], self._high[to] = self._low[k], self._high[k]
            self._value[to] = self._value[k]
        self._count = self._settled = len(kept)
