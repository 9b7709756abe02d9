"""The groups of a policy: which cell is in which, and how many records each holds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....data.combinations import number_combinations
from ._measure_kernels import number_groups, sizes_by_hash
from .cells import Bits, Cells

__all__ = ["group_sizes", "sizes_of_groups"]


def group_sizes(cells: Cells, bits: Bits) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Number the groups of a policy: the group of each occupied cell, and the records of each group."""
    if cells.wide:
        interval = cells.intervals(bits)
        codes = cells.codes[:, : cells.occupied]
        group = number_combinations(interval[a][codes[a]] for a in range(cells.attributes))
    else:
        group = np.empty(cells.occupied, dtype=np.intp)
        number_groups(*cells.keys_of(bits), *cells.table[:2], group)
    return group, np.bincount(group, weights=cells.count).astype(np.int64)


def sizes_of_groups(cells: Cells, bits: Bits) -> npt.NDArray[np.int64]:
    """Count the records of each group of a policy, in no particular order."""
    if cells.wide:
        return group_sizes(cells, bits)[1]
    sizes = sizes_by_hash(*cells.keys_of(bits), cells.count, *cells.table)
    return np.array(sizes)  # a copy: the next call writes over it
