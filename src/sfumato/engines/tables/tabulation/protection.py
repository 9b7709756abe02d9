"""Which cells of a table of counts are hidden, so that nobody derives a small one, and how that is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ....core.errors import ReleaseRefusedError
from .audit import derived_ranges, narrowest_range
from .cube import Cube, Marks
from .exact import hide_fewest, prune
from .hypercubes import HiddenCells, hide_by_hypercubes

__all__ = ["EXACT", "Protection", "protect"]

EXACT = 300  # cells × small cells up to which the fewest cells are searched for
_PRUNED = 1_200  # hidden cells × small cells up to which hidden cells are tried again
_AUDITED = (
    60_000  # hidden cells × small cells up to which every range is derived by a linear programme
)
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Protection:
    """The cells that are hidden, and what was proven about the small ones.

    Parameters
    ----------
    hidden, primary : array of bool
        All cells that are not published, and the small ones among them.
    width : int
        The minimum width of the range of a small cell that can be derived from what is published.
    proof : {"linear programme", "boxes", "nothing small"}
        How it was proven.
    narrowest : float, optional
        The narrowest range of a small cell, where every one was derived.

    """

    hidden: Marks
    primary: Marks
    width: int
    proof: Literal["linear programme", "boxes", "nothing small"]
    narrowest: float | None = None


def protect(cube: Cube, low: int, high: int) -> Protection:
    """Hide the counts from `low` to `high`, and others so that none of them can be derived.

    Parameters
    ----------
    cube : Cube
        The counts.
    low, high : int
        The smallest and the largest count that may not be shown.

    """
    primary = (cube.counts >= low) & (cube.counts <= high)
    if not primary.any():
        return Protection(primary, primary, high, "nothing small")
    small = np.flatnonzero(primary.ravel()).tolist()
    boxes = hide_by_hypercubes(cube, primary, high)
    hidden = boxes.hidden if not boxes.unprotected else _widen(cube, primary, boxes, high)
    if cube.counts.size * len(small) <= EXACT:
        best = hide_fewest(cube, primary, high)
        if best is not None and _is_wide(cube, best, small, high):
            hidden = best if best.sum() <= hidden.sum() else hidden
    elif int(hidden.sum()) * len(small) <= _PRUNED:
        hidden = prune(cube, primary, hidden, high)
    if int(hidden.sum()) * len(small) <= _AUDITED:
        narrowest = narrowest_range(derived_ranges(cube, hidden, small))
        if narrowest < high - _TOLERANCE:
            raise _refusal()
        return Protection(hidden, primary, high, "linear programme", narrowest)
    if not replace(boxes, hidden=hidden).are_proof(cube, high):
        raise _refusal()
    return Protection(hidden, primary, high, "boxes")


def _is_wide(cube: Cube, hidden: Marks, small: list[int], width: int) -> bool:
    return narrowest_range(derived_ranges(cube, hidden, small)) >= width - _TOLERANCE


def _widen(cube: Cube, primary: Marks, found: HiddenCells, width: int) -> Marks:
    """Hide more where a small cell has no box: the cells of its lines, the smallest first, then all."""
    hidden = found.hidden.copy()
    for cell in found.unprotected:
        if _is_wide(cube, hidden, [cell], width):
            continue
        at = np.unravel_index(cell, cube.counts.shape)
        near = np.zeros_like(primary)
        for axis in range(primary.ndim):
            near[tuple(slice(None) if a == axis else i for a, i in enumerate(at))] = True
        _grow(cube, hidden, near, cell, width)
        if not _is_wide(cube, hidden, [cell], width):
            _grow(cube, hidden, np.ones_like(primary), cell, width)
        if not _is_wide(cube, hidden, [cell], width):
            raise _refusal()
    return hidden


def _grow(cube: Cube, hidden: Marks, among: Marks, cell: int, width: int) -> None:
    """Hide cells one after another, the smallest first, until a small one is protected."""
    counts = cube.counts.ravel()
    open_ = np.flatnonzero((among & ~hidden).ravel() & (counts > 0))
    open_ = open_[open_ != counts.size - 1]  # the grand total is published
    for other in open_[np.argsort(counts[open_], kind="stable")].tolist():
        hidden.ravel()[other] = True
        if _is_wide(cube, hidden, [cell], width):
            return


def _refusal() -> ReleaseRefusedError:
    return ReleaseRefusedError(
        "A small count of this table could be derived from the others, whatever is hidden; nothing was "
        "published.",
        hint="count by coarser columns, or by fewer.",
    )
