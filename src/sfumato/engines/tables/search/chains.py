"""Random chains: the paper's baseline (RCS, Algorithm 1) and the same chains taken in bisecting order.

A chain goes from the most specific policy allowed up to one that cannot be generalised further.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from ..space.constraints import Space
from .run import Bits, SearchRun

_FRUITLESS = (
    100  # chains in a row without a new policy, after which a small space counts as searched
)

__all__ = ["bisecting", "measure_chain", "random_chain", "random_chain_search"]


def random_chain(
    space: Space, draw: np.random.Generator, lower: Bits | None = None, upper: Bits | None = None
) -> list[npt.NDArray[np.intp]]:
    """Draw the steps of a chain at random, each a set of bits to clear; between two policies if given."""
    start = space.bottom if lower is None else lower
    if space.coupled:
        return _coupled_chain(space, draw, start)
    free = start & (1 - space.fixed)
    if upper is not None:
        free = free & (1 - upper)
    order = draw.permutation(np.flatnonzero(free))
    if (space.widest < space.sizes).any():
        order = _within_width(space, start, order)
    return [np.array([i]) for i in order]


def _coupled_chain(
    space: Space, draw: np.random.Generator, start: Bits
) -> list[npt.NDArray[np.intp]]:
    bits, steps = start.copy(), []
    while moves := space.moves(bits):
        move = moves[int(draw.integers(len(moves)))]
        bits[move] = 0
        steps.append(move)
    return steps


def _within_width(space: Space, start: Bits, order: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Leave out the merges that would make an interval wider than allowed."""
    bits, kept = start.copy(), []
    attribute = np.repeat(np.arange(len(space.rules)), space.sizes - 1)
    for i in order:
        a = int(attribute[i])
        first, last = int(space.first[a]), int(space.first[a + 1])
        low = high = int(i)
        while low > first and not bits[low - 1]:
            low -= 1
        while high + 1 < last and not bits[high + 1]:
            high += 1
        if high - low + 2 <= space.widest[a]:
            bits[i] = 0
            kept.append(i)
    return np.array(kept, dtype=np.intp)


def measure_chain(run: SearchRun, lower: Bits, steps: list[npt.NDArray[np.intp]]) -> None:
    """Measure and archive the policies of a chain, from `lower` (not included) up."""
    steps = steps[: run.left]
    if run.score is not None or run.space.coupled:
        bits = lower.copy()
        for step in steps:
            bits[step] = 0
            run.measure(bits.copy())
            if run.over():
                return
        return
    order = np.array([s[0] for s in steps], dtype=np.int64)
    before = np.flatnonzero(lower == 0)
    points = run.cells.walk(np.concatenate((before, order)))[before.size :]

    def bits_at(i: int) -> Bits:
        bits = lower.copy()
        bits[order[: i + 1]] = 0
        return bits

    run.offer(points[:, 0], points[:, 1], points[:, 2], bits_at)


def _measure_ends(run: SearchRun) -> Bits:
    """Measure the most specific and the most general policy; give the first."""
    bottom = run.space.bottom
    run.measure(bottom)
    if not run.over():
        run.measure(run.space.project(np.zeros_like(bottom)))
    return bottom


def random_chain_search(run: SearchRun) -> None:
    """Random Chain Search (Algorithm 1): measure random maximal chains until the budget is spent.

    The frontier starts with bottom and top; without a budget, twenty chains are walked, as in the paper.
    """
    draw = run.streams.generator("rcs")
    bottom = _measure_ends(run)
    chains = fruitless = 0
    unlimited = run.budget.evaluations is None and run.budget.seconds is None
    while not run.over() and fruitless < _FRUITLESS and not (unlimited and chains >= 20):
        steps = random_chain(run.space, draw)
        if not steps:
            return
        before = run.evaluations
        measure_chain(run, bottom, steps)
        chains += 1
        fruitless = 0 if run.evaluations > before else fruitless + 1
    run.note()


def bisecting(run: SearchRun, reference_risk: float | None = None) -> None:
    """The bisecting search of Benitez et al.: random chains, each searched by halving.

    With a reference, each chain is halved towards its most specific policy whose risk is no worse than
    the reference's. Without one, each chain is measured middle first, then the middles of its halves.
    """
    draw = run.streams.generator("bisecting")
    bottom = _measure_ends(run)
    chains = fruitless = 0
    unlimited = run.budget.evaluations is None and run.budget.seconds is None
    enough = 500 if reference_risk else 20
    while not run.over() and fruitless < _FRUITLESS and not (unlimited and chains >= enough):
        steps = random_chain(run.space, draw)
        if not steps:
            return
        before = run.evaluations
        _halve(run, bottom, steps, reference_risk)
        chains += 1
        fruitless = 0 if run.evaluations > before else fruitless + 1
    run.note()


def _halve(
    run: SearchRun, lower: Bits, steps: list[npt.NDArray[np.intp]], reference_risk: float | None
) -> None:
    def bits_at(k: int) -> Bits:
        bits = lower.copy()
        for step in steps[:k]:
            bits[step] = 0
        return bits

    if reference_risk is not None:
        low, high = 0, len(steps)  # the risk falls with the number of steps taken
        while high - low > 1 and not run.over():
            middle = (low + high) // 2
            risk, _, meets = run.measure(bits_at(middle))
            if risk <= reference_risk and meets:
                high = middle
            else:
                low = middle
        if not run.over():
            run.measure(bits_at(high))
        return
    waiting = deque([(0, len(steps))])
    while waiting and not run.over():
        low, high = waiting.popleft()
        if high - low < 2:
            continue
        middle = (low + high) // 2
        run.measure(bits_at(middle))
        waiting.extend(((low, middle), (middle, high)))
