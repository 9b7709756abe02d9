"""Search through smallest sizes: for measures and conditions that the kernels do not know.

Larger groups bring most other promises with them, so the fast search runs once for each of several smallest
group sizes; what it finds is measured as the run measures, and joins the run's frontier if it may.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .run import Budget, Objective, SearchRun

__all__ = ["through_sizes"]

_SIZES = (2, 3, 4, 5, 7, 11, 16, 25, 40, 70, 120, 250)
_TIMES = (1, 2, 5)
_SHARE = 0.7
_EACH = 40  # policies of each search that are measured in the run


def through_sizes(run: SearchRun, search: Callable[[SearchRun], None]) -> None:
    """Spend a share of the budget on searches with ever larger smallest groups."""
    records = run.cells.records
    asked = int(run.cells.least[0])
    wanted = [asked, *_SIZES]
    if run.asks_more:  # each size is worth a longer search
        wanted = [max(asked, 2) * times for times in _TIMES]
    sizes = sorted({max(s, 1) for s in wanted if asked <= s <= max(records // 2, 1)})
    if not sizes:
        return
    whole = run.left if run.budget.evaluations is not None else 12_000
    each = max(int(_SHARE * whole / len(sizes)), 40)
    for size in sizes:
        budget = min(each, run.left)
        if run.over() or budget < 20:
            return
        cells = run.cells.with_least(size, float(run.cells.least[1]))
        inner = SearchRun(
            cells, run.space, Budget(max(budget - _EACH, 10)), run.streams.child(f"size-{size}"),
            objective=Objective(max_below=run.max_below),
        )  # fmt: skip
        search(inner)
        run.spend(inner.evaluations)
        found = list(inner.frontier)
        if not found:
            continue
        some = np.unique(np.linspace(0, len(found) - 1, _EACH).astype(int))
        for i in some[::-1].tolist():
            if run.over():
                return
            run.measure(run.unpack(found[i]))
