"""What can be derived from a published table of counts: the range of each hidden cell, by linear programming."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.arrays import Floats
from .cube import Cube, Marks

__all__ = ["derived_ranges", "narrowest_range"]


def derived_ranges(
    cube: Cube, hidden: Marks, cells: Sequence[int], *, base: int | None = None
) -> Floats:
    """Return the least and the largest value that each of some cells can have, given all that is published.

    Parameters
    ----------
    cube : Cube
        The counts as they are.
    hidden : array of bool
        The cells that are not published; counts are never negative.
    cells : sequence of int
        The places of the cells asked about, in the flattened array.
    base : int, optional
        The published counts are rounded to the nearest multiple of this.

    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    values = cube.counts.ravel().astype(np.float64)
    open_ = np.ones(values.size, dtype=np.bool_) if base else hidden.ravel()
    number = np.cumsum(open_) - 1
    rows, columns, signs = [], [], []
    row = 0
    for parts, total in cube.relations:
        inside = parts[open_[parts]]
        if inside.size == 0 and not open_[total]:
            continue
        columns += [number[inside], number[[total]][open_[[total]]]]
        signs += [np.ones(inside.size), -np.ones(int(open_[total]))]
        rows += [np.full(inside.size, row), np.full(int(open_[total]), row)]
        row += 1
    if row == 0:  # nothing is hidden
        return np.column_stack([values[list(cells)]] * 2)
    known = values[open_]
    low, high = np.zeros(known.size), np.full(known.size, np.inf)
    if base:
        rounded = np.floor(known / base + 0.5) * base
        seen = ~hidden.ravel()[open_]
        # counts are whole numbers: the least and the largest that are rounded to this
        low[seen] = np.maximum(np.ceil(rounded[seen] - base / 2), 0.0)
        high[seen] = np.ceil(rounded[seen] + base / 2) - 1.0
    matrix = csr_array(
        (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns))),
        shape=(row, known.size),
    )
    right = np.asarray(matrix @ known)
    sums, bounds = LinearConstraint(matrix, right, right), Bounds(low, high)
    found = np.empty((len(cells), 2))
    for i, cell in enumerate(cells):
        if not open_[cell]:
            found[i] = values[cell]
            continue
        for j, sign in enumerate((1.0, -1.0)):
            cost = np.zeros(known.size)
            cost[number[cell]] = sign
            made = milp(cost, constraints=sums, bounds=bounds)  # no cell is held to whole numbers
            # An unbounded cell can be as large as it likes.
            found[i, j] = sign * float(made.fun) if made.status == 0 else np.inf * -sign
    return found


def narrowest_range(ranges: Floats) -> float:
    """Return the width of the narrowest range; infinity where there is none."""
    widths: npt.NDArray[np.float64] = ranges[:, 1] - ranges[:, 0]
    return float(widths.min(initial=np.inf))
