"""Compiled loops of a binary matrix: supports by class, and the transpose of some columns.

Rows come as CSR (`indptr` int64, sorted `indices` int32).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def class_supports(indptr: I8, indices: I4, positive: B1, d: int) -> tuple[I4, I4]:
    """Count the rows of each class that hold each feature: positives, negatives."""
    held_p = np.zeros(d, np.int32)
    held_q = np.zeros(d, np.int32)
    for r in range(indptr.size - 1):
        if positive[r]:
            for i in range(indptr[r], indptr[r + 1]):
                held_p[indices[i]] += np.int32(1)
        else:
            for i in range(indptr[r], indptr[r + 1]):
                held_q[indices[i]] += np.int32(1)
    return held_p, held_q


@njit(cache=True, nogil=True)
def columns_of(indptr: I8, indices: I4, features: I4, d: int, supports: I8) -> tuple[I8, I4]:
    """Transpose the given features only: rows of features[s] are at start[s]:start[s + 1]."""
    start = np.zeros(features.size + 1, np.int64)
    wanted = np.zeros(d, np.uint8)  # one byte a feature stays in the nearest cache
    slot = np.empty(d, np.int32)
    for s in range(features.size):
        start[s + 1] = start[s] + supports[features[s]]
        wanted[features[s]] = 1
        slot[features[s]] = s
    fill = start[:-1].copy()
    rows = np.empty(start[-1], np.int32)
    if 4 * start[-1] > indices.size:
        for r in range(indptr.size - 1):
            for i in range(indptr[r], indptr[r + 1]):
                if wanted[indices[i]]:
                    s = slot[indices[i]]
                    rows[fill[s]] = r
                    fill[s] += 1
        return start, rows
    # few hits: they are gathered first, without a branch in the long loop
    hits = np.empty(start[-1] + 1, np.int64)
    found = 0
    for i in range(indices.size):
        hits[found] = i
        found += wanted[indices[i]]
    r = 0
    for h in range(found):
        i = hits[h]
        while indptr[r + 1] <= i:
            r += 1
        s = slot[indices[i]]
        rows[fill[s]] = r
        fill[s] += 1
    return start, rows
