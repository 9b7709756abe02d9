"""Exchange-rate chains: from a policy, again and again the merge that pays the least loss for its risk.

The greedy chain keeps the price of every merge up to date; the lazy one measures only those that look
cheapest; where attributes are coupled, or another measure is asked for, each step is a separate policy.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..contingency._group_kernels import GroupState
from . import _kernels as kernels
from .run import Bits, SearchRun

__all__ = ["LONGEST_CHAIN", "climb", "greedy_chain", "lazy_chain"]

_LONGEST_GREEDY = 4_000  # bits: its neighbours grow with the square
LONGEST_CHAIN = 20_000


def climb(run: SearchRun) -> None:
    """Climb from the bottom by the chain that the space and the budget allow."""
    if run.over():
        return
    length = run.cells.length
    if length > LONGEST_CHAIN:
        return  # a chain looks at every cut at every step: levels and tables must do
    if run.score is not None or run.space.coupled:
        _climb_by_policies(run)
    elif run.budget.evaluations is None and length <= _LONGEST_GREEDY:
        greedy_chain(run, run.space.bottom)
    else:
        lazy_chain(run, run.space.bottom)


def _start_at(run: SearchRun, bits: Bits) -> GroupState:
    groups = run.cells.bottom_groups()
    cleared = np.flatnonzero(bits == 0)
    if cleared.size:
        run.cells.walk(cleared, groups)
    return groups


def greedy_chain(run: SearchRun, start: Bits, *, steps: int | None = None) -> None:
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
    run: SearchRun, start: Bits, *, limit: int | None = None, fresh: int = 1,
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
    run: SearchRun, start: Bits, order: npt.NDArray[np.int64], found: npt.NDArray[np.float64],
    found_at: npt.NDArray[np.int64], written: int,
) -> None:  # fmt: skip
    def bits_at(i: int) -> Bits:
        bits = start.copy()
        bits[order[: found_at[i, 0]]] = 0
        bits[found_at[i, 1]] = 0
        return bits

    run.offer(found[:written, 0], found[:written, 1], found[:written, 2], bits_at)


def _climb_by_policies(run: SearchRun) -> None:
    """The lazy chain over the steps of the space, each measured as a separate policy."""
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
