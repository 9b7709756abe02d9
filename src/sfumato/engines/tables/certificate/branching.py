"""Past the convex hull: parts are split at cuts of the large attributes while time is left.

A bound of weighted sums cannot pass the convex hull of the policies it is about; the parts of a split have
their own hulls.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .bounds import RegionBounds
from .regions import Cut, Region
from .staircase import least_loss

__all__ = ["branch"]

_FAR_BEYOND = 1.15  # bounds up to this multiple of the best sum found are of interest
_LIMIT = 1.5
_STAGES = (1, 2, 2)


def branch(
    bounds: RegionBounds, end: float, clock: Callable[[], float], grid: npt.NDArray[np.float64]
) -> None:
    """Split the part that leaves the most area below the frontier found, again and again."""
    stairs = least_loss(grid, [(float(r), float(l)) for r, l in bounds.points])
    width = np.diff(grid, append=grid[-1])
    order = _cuts_by_loss(bounds)
    curves = [p.curve(grid) for p in bounds.parts]
    while clock() < end:
        table = np.array(curves)
        lowest = table.argmin(axis=0)
        below = np.maximum(stairs - table.min(axis=0), 0.0) * width
        room = np.bincount(lowest, weights=below, minlength=len(curves))
        room[[len(p.fixed) == len(order) for p in bounds.parts]] = 0.0
        at = int(room.argmax())
        if room[at] <= 0.0:
            return
        part = bounds.parts[at]
        where = np.flatnonzero((lowest == at) & (below > 0))
        taken = {(c.attribute, c.place) for c in part.fixed}
        cut = next(c for c in order if c not in taken)
        weights = _weights_at(part, grid, where)
        halves = _split(bounds, part, *cut)
        for half in halves:
            for weight in weights:
                _tighten(bounds, half, weight, lambda: clock() >= end)
        bounds.parts[at : at + 1] = halves
        curves[at : at + 1] = [p.curve(grid) for p in halves]


def _split(bounds: RegionBounds, part: Region, attribute: int, place: int) -> list[Region]:
    """Return the same policies in two parts: those that keep a cut, and those that do not."""
    halves = []
    for kept in (True, False):
        fixed = (*part.fixed, Cut(attribute, place, kept))
        corner = bounds.corner(part.node, fixed)
        halves.append(Region(part.node, *corner, fixed, *part.inherit()))
    return halves


def _tighten(bounds: RegionBounds, part: Region, weight: float, over: Callable[[], bool]) -> None:
    """Improve a part of a split at one weight, a few steps."""
    target = bounds.target(weight)
    for stage in _STAGES:
        if part.bound(weight) >= _FAR_BEYOND * target or over():
            break
        bounds.improve(part, weight, _LIMIT * target, stage, over)
    part.forget_used(weight)


def _weights_at(
    part: Region, grid: npt.NDArray[np.float64], where: npt.NDArray[np.intp]
) -> list[float]:
    """Return the weights whose half-planes make a part's curve at some risks."""
    known = part.known()
    if not known:
        return [0.5]
    planes = np.array([(b - (1.0 - w) * grid[where]) / w for w, b in known])
    return [known[i][0] for i in np.unique(planes.argmax(axis=0))]


def _cuts_by_loss(bounds: RegionBounds) -> list[tuple[int, int]]:
    """Order the cuts of the two large attributes by the loss of leaving one out, largest first."""
    found = []
    for a in (bounds.large, bounds.small):
        for place in range(bounds.space.open_cuts(a).size):
            bits = bounds.space.bottom.copy()
            bits[bounds.bit(a, place)] = 0
            found.append((bounds.cells.measure(bits).loss, a, place))
    return [(a, place) for _, a, place in sorted(found, key=lambda f: -f[0])]
