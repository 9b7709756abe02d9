"""Spend what is left of a budget in the widest gaps of the frontier, at random places between neighbours.

Single steps of a hierarchy can jump over most of the risk axis; a policy between two neighbours takes some of
the steps that lead from the one to the other, and not the others.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .run import Bits, Run

__all__ = ["spread"]

_TIRED = 40  # tries in a row that change nothing, per gap


def spread(run: Run, *, limit: int | None = None) -> None:
    """Measure policies between neighbours of the frontier, the widest gap first, until the budget ends."""
    dice = run.streams.generator("gaps")
    until = run.evaluations + (run.left if limit is None else min(limit, run.left))
    if limit is None and run.budget.evaluations is None:
        return
    tries: dict[tuple[bytes, bytes], int] = {}
    idle = 0
    while not run.over() and run.evaluations < until and idle < 4 * _TIRED:
        entries = [(r, 1.0 - u, p) for r, u, p in run.frontier.entries()]
        gaps = [
            ((r1 - r0) * (l0 - l1) / (1 + tries.get((p0, p1), 0)), p0, p1)
            for (r0, l0, p0), (r1, l1, p1) in pairwise(entries)
            if tries.get((p0, p1), 0) < _TIRED
        ]
        if not gaps:
            return
        for _, general, specific in sorted(gaps, key=lambda g: -g[0])[:8]:
            if run.over() or run.evaluations >= until:
                return
            tries[general, specific] = tries.get((general, specific), 0) + 1
            before = run.evaluations
            changed = run.changes
            run.measure(_between(run, run.unpack(general), run.unpack(specific), dice))
            idle = 0 if run.changes > changed or run.evaluations == before else idle + 1
            if run.evaluations == before:
                idle += 1


def _between(run: Run, general: Bits, specific: Bits, dice: np.random.Generator) -> Bits:
    """Return a random policy that takes some of the merges by which two policies differ."""
    share = dice.random()
    bits = specific.copy()
    space = run.space
    for a in range(len(space.rules)):
        part = slice(int(space.first[a]), int(space.first[a + 1]))
        differing = np.flatnonzero(specific[part] != general[part])
        if differing.size == 0:
            continue
        if dice.random() < 0.5:  # a run of neighbouring values: what nodes of a hierarchy need
            length = max(1, int(share * differing.size))
            start = int(dice.integers(0, differing.size - length + 1))
            taken = differing[start : start + length]
        else:
            taken = differing[dice.random(differing.size) < share]
        bits[part.start + taken] = general[part.start + taken]
    return space.project(bits)
