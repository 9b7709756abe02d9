"""Secondary suppression by hypercubes: each small cell is hidden together with the corners of a box of cells.

The corners can all move at once without changing any published sum: two values of a column move against each other, a
value and its total together. How far they can move, no count becoming negative, is how widely the small cell is
protected; so the box is a proof of the protection, which no linear programme need find again (Repsilber's method).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from .cube import Cube, Marks

__all__ = ["HiddenCells", "hide_by_hypercubes"]

_FAR = 1 << 62
_Place = tuple[int, ...]


@dataclass(frozen=True)
class HiddenCells:
    """The cells that are not published, the box of each small cell, and the small cells that have none.

    A box is known by two opposite corners, the first of which is the small cell; cells without one are given by
    their places in the flattened array.
    """

    hidden: Marks
    boxes: tuple[tuple[_Place, _Place], ...] = ()
    unprotected: tuple[int, ...] = ()

    def are_proof(self, cube: Cube, width: int) -> bool:
        """Return whether every box is hidden and can move far enough, corner by corner."""
        return not self.unprotected and all(
            _moves(cube, self.hidden, at, corner) >= width for at, corner in self.boxes
        )


def hide_by_hypercubes(cube: Cube, primary: Marks, width: int) -> HiddenCells:
    """Hide the small cells and as few and small others as protect each of them.

    Parameters
    ----------
    cube : Cube
        The counts.
    primary : array of bool
        The small cells.
    width : int
        How wide the range is at least that can be derived for each of them.

    """
    hidden = primary.copy()
    places = np.argwhere(primary)
    order = np.argsort(-cube.counts[primary], kind="stable")
    boxes, unprotected = [], []
    for place in places[order]:
        at = tuple(int(i) for i in place)
        corner = _cheapest(cube.counts, hidden, at, width)
        if corner is None:
            unprotected.append(int(np.ravel_multi_index(at, cube.counts.shape)))
            continue
        boxes.append((at, corner))
        for choice in product(*zip(at, corner, strict=True)):
            hidden[choice] = True
    return HiddenCells(hidden, tuple(boxes), tuple(unprotected))


def _moves(cube: Cube, hidden: Marks, at: _Place, corner: _Place) -> int:
    """Return the width of the range over which a box lets a cell move; 0 where a corner is published."""
    room: dict[int, int] = {1: _FAR, -1: _FAR}
    for moved in product((False, True), repeat=len(at)):
        place = tuple(c if m else i for m, i, c in zip(moved, at, corner, strict=True))
        if not hidden[place]:
            return 0
        inner = [
            m and i < size - 1 and c < size - 1
            for m, i, c, size in zip(moved, at, corner, cube.counts.shape, strict=True)
        ]
        sign = -1 if sum(inner) % 2 else 1
        room[sign] = min(room[sign], int(cube.counts[place]))
    return room[1] + room[-1]


def _cheapest(
    counts: npt.NDArray[np.int64], hidden: Marks, at: _Place, width: int
) -> _Place | None:
    """Return the opposite corner of the cheapest box that protects a cell; None where there is none."""
    shape = counts.shape
    same = np.full(shape, _FAR, dtype=np.int64)
    against = np.full(shape, _FAR, dtype=np.int64)
    cost = np.zeros(shape)
    allowed = np.ones(shape, dtype=np.bool_)
    for axis, place in enumerate(at):
        allowed[tuple(place if a == axis else slice(None) for a in range(len(at)))] = False
    top = tuple(size - 1 for size in shape)
    for moved in product((False, True), repeat=len(at)):
        part = tuple(slice(None) if m else slice(i, i + 1) for m, i in zip(moved, at, strict=True))
        value = counts[part]
        sign = _signs(shape, at, moved)
        np.minimum(same, np.where(sign > 0, value, _FAR), out=same)
        np.minimum(against, np.where(sign < 0, value, _FAR), out=against)
        new = ~hidden[part]
        cost += np.where(new, 1.0 + 1e-3 * np.log1p(value), 0.0)
        allowed &= ~(new & (value == 0))
        if not hidden[top] and all(m or i == s for m, i, s in zip(moved, at, top, strict=True)):
            # the grand total is published, so no box may reach it
            allowed[tuple(s if m else slice(None) for m, s in zip(moved, top, strict=True))] = False
    allowed &= np.minimum(same, _FAR // 2) + np.minimum(against, _FAR // 2) >= width
    if not allowed.any():
        return None
    best = int(np.where(allowed, cost, np.inf).argmin())
    return tuple(int(i) for i in np.unravel_index(best, shape))


def _signs(shape: _Place, at: _Place, moved: tuple[bool, ...]) -> npt.NDArray[np.int8]:
    """Return whether a corner moves with the cell (1) or against it (−1), by the opposite corner of the box."""
    found = np.ones((1,) * len(shape), dtype=np.int8)
    for axis, (size, place, is_moved) in enumerate(zip(shape, at, moved, strict=True)):
        if is_moved and place < size - 1:
            line = np.full(size, -1, dtype=np.int8)
            line[-1] = 1  # a value and its total move together
            found = found * line.reshape([size if a == axis else 1 for a in range(len(shape))])
    return found
