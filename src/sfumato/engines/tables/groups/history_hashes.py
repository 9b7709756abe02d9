"""People with the same rows, found by two sums of 64-bit hashes of the rows, which do not depend on their order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..contingency.cells import Bits, Cells

__all__ = ["number_equal", "sums_of_rows"]

Hashes = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.integer]
_SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344)  # seeds of the two sums: digits of pi


def mix_hash(x: Hashes) -> Hashes:
    """Mix the bits of numbers (the finaliser of splitmix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def sums_of_rows(
    cells: Cells, bits: Bits, cell: Numbers, rows: Numbers, start: Numbers
) -> tuple[Hashes, Hashes]:
    """Add up the hashes of the generalised rows of each person, twice over.

    Parameters
    ----------
    cells : Cells
        The occupied cells.
    bits : array of bits
        The policy.
    cell, rows : array of int
        The cells of a person and the rows there, one person after the other.
    start : array of int
        Where the cells of each person begin.

    """
    interval = cells.intervals(bits)
    found = []
    for seed in _SEEDS:
        of_cell = np.full(cells.occupied, seed, dtype=np.uint64)
        for a in range(cells.attributes):
            place = interval[a][cells.codes[a, : cells.occupied]].astype(np.uint64)
            of_cell = mix_hash(of_cell ^ (place + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
        found.append(np.add.reduceat(of_cell[cell] * rows.astype(np.uint64), start))
    return found[0], found[1]


def number_equal(sums: tuple[Hashes, Hashes]) -> npt.NDArray[np.int64]:
    """Number histories so that equal sums have equal numbers."""
    order = np.lexsort(sums)
    new = np.ones(order.size, dtype=np.bool_)
    new[1:] = (np.diff(sums[0][order]) != 0) | (np.diff(sums[1][order]) != 0)
    number = np.empty(order.size, dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return number
