"""Levels of hierarchies, one an attribute, from the most general down: a start for other searches.

Where groups that lack something are suppressed, the split that gains most is often one that nothing can follow: walks by
gain then end early, with some attributes in full detail and the others without any. Walks over levels go one level down
in all attributes before they go two, and hold some attributes back in turn; what they find is refined split by split.
"""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations

import numpy as np

from .descent import intervals_of
from .run import Bits, SearchRun

__all__ = ["descend_levels"]

_MOST_HELD = 2


def descend_levels(run: SearchRun, limit: int) -> None:
    """Walk down level by level, with no attribute held at its most general level, then one, then two.

    Parameters
    ----------
    run : SearchRun
        The search.
    limit : int
        The most evaluations to spend.

    """
    levels = [_levels(run, a) for a in range(len(run.space.rules))]
    until = run.evaluations + min(limit, run.left)
    held_back = chain.from_iterable(
        combinations(range(len(levels)), many) for many in range(_MOST_HELD + 1)
    )
    for held in held_back:
        chosen = [0] * len(levels)
        for deepest in range(1, max(map(len, levels))):
            while (finer := _best_finer(run, levels, chosen, held, deepest)) is not None:
                chosen = finer
                if run.over() or run.evaluations >= until:
                    return


def _best_finer(
    run: SearchRun, levels: list[list[Bits]], chosen: list[int], held: tuple[int, ...], deepest: int
) -> list[int] | None:
    """Return the choice one level below another that loses least; None where none is allowed."""
    best = None
    for a, level in enumerate(chosen):
        if a in held or level + 1 > min(deepest, len(levels[a]) - 1) or run.over():
            continue
        finer = [*chosen[:a], level + 1, *chosen[a + 1 :]]
        _, loss, allowed = run.measure(_policy(run, levels, finer))
        if allowed and (best is None or loss < best[0]):
            best = (loss, finer)
    return None if best is None else best[1]


def _levels(run: SearchRun, a: int) -> list[Bits]:
    """List the levels of an attribute, from the most general: each splits the intervals with most steps to single values."""
    space = run.space
    part = slice(int(space.first[a]), int(space.first[a + 1]))
    found = [space.project(np.zeros(space.length, dtype=np.uint8))[part]]
    if space.rules[a].keep:
        return found
    weights = run.cells.value_counts[a]

    @cache
    def parts_of(low: int, high: int) -> list[tuple[int, int]]:
        """Divide an interval: by the nodes of a hierarchy, or in the middle."""
        ways = space.splits(a, low, high, weights, 1) if low < high else []
        cuts = ways[0] if ways else []
        return list(zip([low, *(c + 1 for c in cuts)], [*cuts, high], strict=True))

    @cache
    def height(low: int, high: int) -> int:
        parts = parts_of(low, high)
        return 0 if len(parts) == 1 else 1 + max(height(*inside) for inside in parts)

    while True:
        intervals = intervals_of(found[-1])
        highest = max(height(*interval) for interval in intervals)
        if highest == 0:
            return found
        finer = found[-1].copy()
        for interval in intervals:
            if height(*interval) == highest:
                finer[[last for _, last in parts_of(*interval)[:-1]]] = 1
        found.append(finer)


def _policy(run: SearchRun, levels: list[list[Bits]], chosen: list[int]) -> Bits:
    parts = [of_attribute[level] for of_attribute, level in zip(levels, chosen, strict=True)]
    return run.space.project(np.concatenate(parts))
