"""The exact frontier of a small lattice: every policy is measured.

The attribute with the most cuts is enumerated inside: with the others fixed, its partitions are sums of
interval costs.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from ....core.errors import LimitError
from ..contingency import _interval_kernels as kernels
from ..contingency.intervals import interval_table
from .run import Bits, SearchRun

__all__ = ["exhaustive"]

_MOST_BITS = 24
_MOST_INSIDE = 16


def exhaustive(run: SearchRun) -> None:
    """Measure every policy of the space; refused beyond 24 free bits."""
    free = run.space.free_bits
    if free.size > _MOST_BITS and run.space.policies() > 1 << _MOST_BITS:
        raise LimitError(
            f"The lattice has {free.size} free bits; all policies can be measured up to {_MOST_BITS}.",
            hint="use the strategy 'exchange', or declare fewer cut points.",
        )
    if run.score is not None or run.space.coupled or run.max_below or free.size > _MOST_BITS:
        _one_by_one(run)
    else:
        _by_tables(run)
    run.note()


def _one_by_one(run: SearchRun) -> None:
    space = run.space
    for parts in product(*(space.partitions(a) for a in range(len(space.rules)))):
        run.measure(np.concatenate(parts))
        if run.over():
            return


def _by_tables(run: SearchRun) -> None:
    cells, space = run.cells, run.space
    owner = cells.attribute_of_bit[space.free_bits]
    amounts = np.bincount(owner, minlength=cells.attributes)
    amounts[amounts > _MOST_INSIDE] = 0
    a = int(np.argmax(amounts))
    if amounts[a] == 0:
        _one_by_one(run)
        return
    part = slice(int(cells.first[a]), int(cells.first[a + 1]))
    cuts = space.open_cuts(a)
    others = space.free_bits[owner != a]
    bits = space.bottom.copy()
    for values in product((0, 1), repeat=others.size):
        bits[others] = values
        probe = bits.copy()
        probe[part] = space.bottom[part]
        if not space.allows(probe):
            continue
        units = len(cuts) + 1
        table = interval_table(cells, bits, a, units, cuts=cuts, widest=int(space.widest[a]))
        risk, loss = np.empty(1 << len(cuts)), np.empty(1 << len(cuts))
        kernels.all_partitions(table.risk, table.loss, risk, loss)
        possible = np.flatnonzero(np.isfinite(risk))[: run.left]
        fixed = bits.copy()

        def bits_at(i: int, fixed: Bits = fixed, possible: npt.NDArray[np.intp] = possible) -> Bits:
            policy = fixed.copy()
            inside = np.zeros(part.stop - part.start, dtype=np.uint8)
            inside[cuts] = (int(possible[i]) >> np.arange(len(cuts))) & 1
            policy[part] = inside
            return policy

        run.offer(risk[possible], loss[possible] + table.loss_of_rest, None, bits_at)
        if run.over():
            return
