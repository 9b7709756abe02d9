"""Align two token sequences: Myers' greedy shortest edit script, in time (n + m) · edits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....._jit import njit

I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def _furthest(a: I4, b: I4, d: int, k: int, reach: I8, middle: int) -> int:
    """Go as far as d edits lead on diagonal k: a step off a neighbour, then along what is equal."""
    if k == -d or (k != d and reach[middle + k - 1] < reach[middle + k + 1]):
        x = reach[middle + k + 1]
    else:
        x = reach[middle + k - 1] + 1
    y = x - k
    while x < len(a) and y < len(b) and a[x] == b[y]:
        x += 1
        y += 1
    reach[middle + k] = x
    return x


@njit(cache=True, nogil=True)
def edits(a: I4, b: I4, reach: I8) -> int:
    """Count insertions and deletions between a and b; `reach` is scratch, 2(n + m) + 3 long."""
    n, m = len(a), len(b)
    top = n + m
    middle = top + 1
    reach[:] = 0
    for d in range(top + 1):
        # Diagonals that leave the grid lead nowhere.
        for k in range(-(d - 2 * max(0, d - m)), d - 2 * max(0, d - n) + 1, 2):
            x = _furthest(a, b, d, k, reach, middle)
            if x >= n and x - k >= m:
                return d
    return top


@njit(cache=True, nogil=True)
def align(a: I4, b: I4, distance: int, reach: I8, trail: I4, matched: I8) -> None:
    """Write, for each token of b, the token of a that it is, or −1, given the number of edits.

    `trail` is scratch with (distance + 1) rows of 2 · distance + 1 entries.
    """
    n, m = len(a), len(b)
    middle = n + m + 1
    reach[:] = 0
    for d in range(distance + 1):
        for k in range(-(d - 2 * max(0, d - m)), d - 2 * max(0, d - n) + 1, 2):
            x = _furthest(a, b, d, k, reach, middle)
            trail[d, distance + k] = x
    matched[:] = -1
    x, y = n, m
    for d in range(distance, -1, -1):
        k = x - y
        if d == 0:
            start = 0
            before_x = 0
        else:
            low = trail[d - 1, distance + k - 1] if -(d - 1) <= k - 1 else -1
            high = trail[d - 1, distance + k + 1] if k + 1 <= d - 1 else -1
            if k == -d or (k != d and low < high):
                before_x = high
                start = high
            else:
                before_x = low
                start = low + 1
        while x > start and y > start - k:
            x -= 1
            y -= 1
            matched[y] = x
        if d > 0:
            y = before_x - (k + 1 if start == before_x else k - 1)
            x = before_x
