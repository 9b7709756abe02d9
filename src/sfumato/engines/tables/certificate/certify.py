"""A certified frontier: a staircase below which there is no policy of the lattice, found or not."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ..search.proof import Certified
from ..search.run import SearchRun
from .bounds import RegionBounds
from .boxes import MOST_BITS, close_boxes
from .branching import branch
from .staircase import area_of, least_loss, staircase

__all__ = ["certify"]

_GRID = 20_001
_BOX_SECONDS = 20.0


def certify(
    run: SearchRun, seconds: float, *, threads: int = 2, clock: Callable[[], float] = time.monotonic
) -> Certified:
    """Prove how good any policy can be; policies that turn out better join the run's frontier.

    Parameters
    ----------
    run : SearchRun
        A search that is over.
    seconds : float
        How long the proof may take, on the clock.
    threads : int, default=2
        How many weights are worked on at once.
    clock : callable
        Returns seconds.

    """
    end = clock() + seconds
    corners = None
    if run.space.free_bits.size <= MOST_BITS:
        box_end = min(end, clock() + max(_BOX_SECONDS, seconds / 4))
        corners = close_boxes(run, lambda: clock() >= box_end)
        if not corners:
            steps = tuple(run.frontier.points())
            return Certified(run.frontier.area(), steps, exact=True)
    found = [(r, 1.0 - u) for r, u in run.frontier.points()]
    grid = _risks(found)
    stairs = least_loss(grid, found)
    lower = np.zeros_like(grid)
    if corners is not None:
        lower = np.maximum(lower, least_loss(grid, [*found, *corners]))
    if run.score is None:
        bounds = RegionBounds(run.cells, run.space, np.array(found))
        if bounds.possible:
            bounds.work(end - clock(), clock, threads)
            branch(bounds, end, clock, grid)
            curves = [p.curve(grid) for p in bounds.parts]
            lower = np.maximum(lower, np.min(curves, axis=0))
    lower = np.minimum(lower, stairs)
    steps = tuple(staircase(grid, lower))
    return Certified(area_of(steps), steps, exact=False)


def _risks(found: list[tuple[float, float]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return risks at which the curves are compared: fine near 0, where they are steep."""
    low = max(min(r for r, _ in found), 1e-9)
    return np.unique(
        np.concatenate(
            ([0.0], np.geomspace(low / 4, 1.0, _GRID // 2), np.linspace(0.0, 1.0, _GRID // 2))
        )
    )
