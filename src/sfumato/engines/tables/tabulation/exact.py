"""Secondary suppression of small tables: as few cells as can be, by a mixed-integer programme; and pruning of others."""

from __future__ import annotations

import numpy as np

from .audit import derived_ranges, narrowest_range
from .cube import Cube, Marks

__all__ = ["hide_fewest", "prune"]

_TOLERANCE = 1e-6


def hide_fewest(cube: Cube, primary: Marks, width: int, *, nodes: int = 300) -> Marks | None:
    """Return the fewest cells to hide, of equally many those with the smallest counts; None where none was found.

    For each small cell there are two ways to move the hidden cells, no sum changed and no count negative, after
    which it differs by at least the width. The search is limited by nodes, not by time: two tables of the same counts
    must hide the same cells, or one would show what the other hides.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, identity, kron, vstack

    values = cube.counts.ravel().astype(np.float64)
    cells, small = values.size, np.flatnonzero(primary.ravel())
    if small.size == 0:
        return primary.copy()
    rows = np.concatenate([np.full(p.size + 1, r) for r, (p, _) in enumerate(cube.relations)])
    columns = np.concatenate([np.append(p, t) for p, t in cube.relations])
    signs = np.concatenate([np.append(np.ones(p.size), -1.0) for p, _ in cube.relations])
    sums = csr_array((signs, (rows, columns)), shape=(len(cube.relations), cells))
    ways = 2 * small.size
    top = float(values.max()) + width
    blocks = [hstack([csr_array((sums.shape[0] * ways, cells)), kron(identity(ways), sums)])]
    low = [np.zeros(sums.shape[0] * ways)]
    high = [np.zeros(sums.shape[0] * ways)]
    # −value · hidden ≤ move ≤ top · hidden
    down = vstack([csr_array(np.diag(values))] * ways)
    up = vstack([csr_array(np.diag(np.full(cells, -top)))] * ways)
    moves = identity(cells * ways, format="csr")
    blocks += [hstack([down, moves]), hstack([up, moves])]
    low += [np.zeros(cells * ways), np.full(cells * ways, -np.inf)]
    high += [np.full(cells * ways, np.inf), np.zeros(cells * ways)]
    apart = np.zeros((small.size, cells * (ways + 1)))
    for i, cell in enumerate(small):
        apart[i, cells * (2 * i + 1) + cell] = 1.0
        apart[i, cells * (2 * i + 2) + cell] = -1.0
    blocks.append(csr_array(apart))
    low.append(np.full(small.size, float(width)))
    high.append(np.full(small.size, np.inf))
    cost = np.concatenate((1.0 + 1e-3 * np.log1p(values) / cells, np.zeros(cells * ways)))
    least = np.concatenate((primary.ravel().astype(np.float64), np.full(cells * ways, -np.inf)))
    most = np.concatenate((np.ones(cells), np.full(cells * ways, np.inf)))
    most[:cells][(values == 0) & ~primary.ravel()] = 0.0
    most[cells - 1] = float(primary.ravel()[-1])  # the grand total is published
    made = milp(
        cost,
        constraints=LinearConstraint(vstack(blocks), np.concatenate(low), np.concatenate(high)),
        integrality=np.concatenate((np.ones(cells), np.zeros(cells * ways))),
        bounds=Bounds(least, most),
        options={"node_limit": nodes},
    )
    if made.x is None:
        return None
    return np.asarray(made.x[:cells].reshape(cube.counts.shape) > 0.5)


def prune(cube: Cube, primary: Marks, hidden: Marks, width: int) -> Marks:
    """Publish hidden cells again, the largest counts first, as long as every small cell stays protected."""
    small = np.flatnonzero(primary.ravel()).tolist()
    found = hidden.copy()
    others = np.flatnonzero((hidden & ~primary).ravel())
    for cell in others[np.argsort(-cube.counts.ravel()[others], kind="stable")].tolist():
        found.ravel()[cell] = False
        narrow = (
            i for i, one in enumerate(small)
            if narrowest_range(derived_ranges(cube, found, [one])) < width - _TOLERANCE
        )  # fmt: skip
        first = next(narrow, None)
        if first is not None:
            found.ravel()[cell] = True
            small.insert(0, small.pop(first))  # what lacks protection once often does so again
    return found
