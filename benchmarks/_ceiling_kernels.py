"""The largest set of a row's items that k rows hold: a compiled search that gives up after some steps."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def largest_frequent_subset(items, starts, rows, k, steps):
    """Return its size, -1 where the search gave up; items come rarest first.

    Depth first: item q joins those taken before; `held[level]` lists the rows that hold all of them.
    """
    m = items.size
    if m == 0:
        return 0
    longest = starts[items[0] + 1] - starts[items[0]]
    for q in range(m):
        longest = max(longest, starts[items[q] + 1] - starts[items[q]])
    held = np.empty((m + 1, longest), np.int32)
    count = np.zeros(m + 1, np.int64)
    at = np.zeros(m + 1, np.int64)  # the item to try next at each level
    best, level = 0, 0
    while level >= 0:
        q = at[level]
        if q == m or level + m - q <= best:
            level -= 1
            continue
        at[level] += 1
        steps -= 1
        if steps < 0:
            return -1
        a, b = starts[items[q]], starts[items[q] + 1]
        o = 0
        if level == 0:
            for p in range(a, b):
                held[1, o] = rows[p]
                o += 1
        else:
            i = 0
            while i < count[level] and a < b:
                if held[level, i] == rows[a]:
                    held[level + 1, o] = rows[a]
                    o += 1
                    i += 1
                    a += 1
                elif held[level, i] < rows[a]:
                    i += 1
                else:
                    a += 1
        if o >= k:
            level += 1
            count[level] = o
            at[level] = q + 1
            best = max(best, level)
    return best
