"""Corner boxes: prove the exact frontier of a small lattice by exclusion.

In a box of policies every one has at least the risk of the coarsest corner and the loss of the finest. A box
whose corner point is dominated by a policy found holds nothing new; the others are split in one fixed
order of the bits, the one with the most area to win first.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Callable
from itertools import count

from ..search.run import Bits, SearchRun

__all__ = ["MOST_BITS", "close_boxes"]

MOST_BITS = 26


def close_boxes(run: SearchRun, over: Callable[[], bool]) -> list[tuple[float, float]]:
    """Split boxes until none is open or time is up; better policies go into the run's frontier.

    Returns the (risk, loss) corners of the boxes still open: none means that the frontier is exact.
    """
    space = run.space
    free = space.free_bits
    bottom = _point(run, space.bottom)
    order = sorted(free.tolist(), key=lambda i: -_without(run, space.bottom, int(i))[1])
    lower, upper = space.bottom.copy(), space.bottom.copy()
    upper[free] = 0
    ticket = count()
    stairs = _Stairs(run)
    heap: list[tuple[float, int, int, float, float, Bits, Bits]] = []

    def push(depth: int, coarse: Bits, fine: Bits, risk: float, loss: float) -> None:
        gain = stairs.gain(risk, loss)
        if gain > 0.0:
            heapq.heappush(heap, (-gain, next(ticket), depth, risk, loss, coarse, fine))

    (top_risk, _), possible = _measure(run, upper)
    if possible:  # else no policy at all is allowed
        push(0, upper, lower, top_risk, bottom[1])
    while heap and not over():
        _, _, depth, risk, loss, coarse, fine = heapq.heappop(heap)
        if depth == len(order) or stairs.excludes(risk, loss):
            continue  # a single policy was measured as a corner
        bit = order[depth]
        kept, merged = coarse.copy(), fine.copy()
        kept[bit] = 1
        merged[bit] = 0
        (kept_risk, _), feasible = _measure(run, kept)
        (_, merged_loss), _ = _measure(run, merged)
        if feasible:
            push(depth + 1, kept, fine, kept_risk, loss)
        push(depth + 1, coarse, merged, risk, merged_loss)
    return [(risk, loss) for _, _, _, risk, loss, _, _ in heap if not stairs.excludes(risk, loss)]


def _measure(run: SearchRun, bits: Bits) -> tuple[tuple[float, float], bool]:
    """Measure a corner; a policy that is allowed joins the frontier."""
    risk, loss, feasible = run.certifying(bits)
    return (risk, loss), feasible


def _point(run: SearchRun, bits: Bits) -> tuple[float, float]:
    return _measure(run, bits)[0]


def _without(run: SearchRun, bits: Bits, bit: int) -> tuple[float, float]:
    changed = bits.copy()
    changed[bit] = 0
    return _point(run, changed)


class _Stairs:
    """The frontier of a run as plain lists, rebuilt when it has changed."""

    def __init__(self, run: SearchRun) -> None:
        self._run = run
        self._changes = -1
        self._risk: list[float] = []
        self._loss: list[float] = []

    def gain(self, risk: float, loss: float) -> float:
        """Return the area that a point would win at the corner; 0 when a policy found dominates it."""
        self._refresh()
        at = bisect_right(self._risk, risk + 1e-12)
        height = self._loss[at - 1] if at else 1.0
        if height <= loss + 1e-12:
            return 0.0
        area, left = 0.0, max(risk, 0.0)
        while height > loss and left < 1.0:
            right = min(self._risk[at], 1.0) if at < len(self._risk) else 1.0
            area += (right - left) * (height - loss)
            if at >= len(self._risk):
                break
            left, height = right, self._loss[at]
            at += 1
        return area

    def excludes(self, risk: float, loss: float) -> bool:
        """Return whether a policy found dominates the corner."""
        self._refresh()
        at = bisect_right(self._risk, risk + 1e-12)
        return at > 0 and self._loss[at - 1] <= loss + 1e-12

    def _refresh(self) -> None:
        if self._run.changes != self._changes:
            self._changes = self._run.changes
            points = self._run.frontier.points()
            self._risk = [r for r, _ in points]
            self._loss = [1.0 - u for _, u in points]
