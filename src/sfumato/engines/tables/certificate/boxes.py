"""Corner boxes: prove the exact frontier of a small lattice by exclusion.

In a box of policies every one has at least the risk of the coarsest corner and the loss of the finest. A box
whose corner point is dominated by a policy found holds nothing new; the others are split in one fixed
order of the bits, the one with the most area to win first.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from ..search.run import Bits, Run

__all__ = ["MOST_BITS", "close_boxes"]

MOST_BITS = 26


def close_boxes(run: Run, over: Callable[[], bool]) -> list[tuple[float, float]]:
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
    heap: list[tuple[float, int, int, float, float, Bits, Bits]] = []

    def push(depth: int, coarse: Bits, fine: Bits, risk: float, loss: float) -> None:
        gain = _gain(run, risk, loss)
        if gain > 0.0:
            heapq.heappush(heap, (-gain, next(ticket), depth, risk, loss, coarse, fine))

    push(0, upper, lower, _point(run, upper)[0], bottom[1])
    while heap and not over():
        _, _, depth, risk, loss, coarse, fine = heapq.heappop(heap)
        if _gain(run, risk, loss) <= 0.0:
            continue
        if depth == len(order):
            if space.allows(coarse):
                run.certifying(coarse)
            continue
        bit = order[depth]
        kept, merged = coarse.copy(), fine.copy()
        kept[bit] = 1
        merged[bit] = 0
        at_kept, feasible = _measured(run, kept)
        at_merged, _ = _measured(run, merged)
        _, possible = _measured(run, coarse)
        if feasible:
            push(depth + 1, kept, fine, at_kept[0], loss)
        if possible:
            push(depth + 1, coarse, merged, risk, at_merged[1])
    return [(risk, loss) for _, _, _, risk, loss, _, _ in heap if _gain(run, risk, loss) > 0.0]


def _measured(run: Run, bits: Bits) -> tuple[tuple[float, float], bool]:
    """Measure a corner; a policy that is allowed joins the frontier."""
    risk, loss, feasible = run.certifying(bits)
    return (risk, loss), feasible


def _point(run: Run, bits: Bits) -> tuple[float, float]:
    return _measured(run, bits)[0]


def _without(run: Run, bits: Bits, bit: int) -> tuple[float, float]:
    changed = bits.copy()
    changed[bit] = 0
    return _point(run, changed)


def _gain(run: Run, risk: float, loss: float) -> float:
    """Return the area that a point would win at the corner; 0 when a policy found dominates it."""
    utility = 1.0 - loss
    frontier = run.frontier
    if frontier.dominates(risk - 1e-13, utility - 1e-13) or frontier.dominates(risk, utility):
        return 0.0
    if frontier.dominates(risk + 1e-12, utility - 1e-12):
        return 0.0
    return frontier.room(risk, utility)
