"""Compiled loops over rules: with which confidence one or two known items predict a sensitive one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

F8 = npt.NDArray[np.float64]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def rules(
    indptr: I8, indices: I4, starts: I8, rows: I4, number: I4, block: int, limit: float
) -> tuple[float, I8]:
    """Return the highest confidence of a rule, and in how many rules above the limit each item occurs.

    `number[j]` is the place of item j among the sensitive items of this block, -1 if it is none.
    """
    d = starts.size - 1
    together = np.zeros(d, np.int32)
    counts = np.zeros((block, d), np.int32)
    alone = np.zeros(block, np.int32)
    sensitive = np.empty(block, np.int32)
    for j in range(d):
        if number[j] >= 0:
            sensitive[number[j]] = j
    seen = np.empty(d, np.int32)
    here = np.empty(block, np.int32)
    blame = np.zeros(d, np.int64)
    highest = 0.0
    for i in range(d):
        support = starts[i + 1] - starts[i]
        if support == 0:
            continue
        found = 0
        for p in range(starts[i], starts[i + 1]):
            r = rows[p]
            n_here = 0
            for q in range(indptr[r], indptr[r + 1]):
                s = number[indices[q]]
                if s >= 0 and indices[q] != i:
                    here[n_here] = s
                    n_here += 1
                    alone[s] += 1
            for q in range(indptr[r], indptr[r + 1]):
                j = indices[q]
                if j >= i:
                    break
                if together[j] == 0:
                    seen[found] = j
                    found += 1
                together[j] += 1
                for h in range(n_here):
                    if sensitive[here[h]] != j:
                        counts[here[h], j] += 1
        for s in range(block):
            if alone[s] > 0:
                sure = alone[s] / support
                highest = max(highest, sure)
                if sure > limit:
                    blame[i] += 1
                    blame[sensitive[s]] += 1
        for t in range(found):
            j = seen[t]
            for s in range(block):
                if counts[s, j] > 0:
                    sure = counts[s, j] / together[j]
                    highest = max(highest, sure)
                    if sure > limit:
                        blame[i] += 1
                        blame[j] += 1
                        blame[sensitive[s]] += 1
                    counts[s, j] = 0
            together[j] = 0
        alone[:] = 0
    return highest, blame
