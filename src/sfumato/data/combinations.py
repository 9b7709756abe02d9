"""Combinations of columns, numbered."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["number_combinations"]


def number_combinations(columns: Iterable[npt.NDArray[np.integer]]) -> npt.NDArray[np.intp]:
    """Number the distinct combinations of columns: equal ones get the same number.

    Parameters
    ----------
    columns : iterable of arrays
        At least one; numbers from 0, all of one length.

    >>> number_combinations([np.array([0, 1, 0, 1]), np.array([5, 5, 5, 7])]).tolist()
    [0, 1, 0, 2]

    """
    key: npt.NDArray[np.intp] | None = None
    for column in columns:
        codes = column if key is None else key * (int(column.max()) + 1) + column
        _, key = np.unique(codes, return_inverse=True)
    assert key is not None
    return key
