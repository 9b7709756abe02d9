"""Compiled loops of the first cores: rows in the order of their items, peeled from long prefixes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def _less(indptr: I8, ranks: I4, a: int, b: int) -> bool:
    i, j = indptr[a], indptr[b]
    while i < indptr[a + 1] and j < indptr[b + 1]:
        if ranks[i] != ranks[j]:
            return bool(ranks[i] < ranks[j])
        i += 1
        j += 1
    if i == indptr[a + 1] and j < indptr[b + 1]:
        return True
    return False


@njit(cache=True, nogil=True)
def order_of_rows(indptr: I8, ranks: I4) -> I4:
    """Sort rows by their ranks, as words are sorted by letters (merge sort, stable)."""
    n = indptr.size - 1
    order = np.arange(n).astype(np.int32)
    spare = np.empty(n, np.int32)
    run = 1
    while run < n:
        for low in range(0, n, 2 * run):
            middle, high = min(low + run, n), min(low + 2 * run, n)
            i, j, o = low, middle, low
            while i < middle and j < high:
                if _less(indptr, ranks, order[j], order[i]):
                    spare[o] = order[j]
                    j += 1
                else:
                    spare[o] = order[i]
                    i += 1
                o += 1
            while i < middle:
                spare[o] = order[i]
                i += 1
                o += 1
            while j < high:
                spare[o] = order[j]
                j += 1
                o += 1
        order, spare = spare, order
        run *= 2
    return order


@njit(cache=True, nogil=True)
def peel(indptr: I8, ranks: I4, order: I4, k: int) -> tuple[I4, I8]:
    """Return the length of the prefix that each row publishes, so that k rows publish each prefix.

    From the longest prefixes down, at least k rows that are not settled yet and agree on a prefix are
    settled with it. Returns a group number by row (-1: nothing) and the prefix length of each group.
    """
    n = order.size
    group = np.full(n, -1, np.int32)
    lengths = np.empty(n // max(k, 1) + 1, np.int64)
    groups = 0
    pending = np.empty(n, np.int32)  # rows that are not settled, in order
    depth = np.empty(n, np.int64)  # prefix that each of them still shares with what follows
    top = 0
    for q in range(n + 1):
        if q < n:
            r = order[q]
            length = indptr[r + 1] - indptr[r]
            shared = 0
            if q > 0:
                a = order[q - 1]
                m = min(length, indptr[a + 1] - indptr[a])
                while shared < m and ranks[indptr[a] + shared] == ranks[indptr[r] + shared]:
                    shared += 1
        else:
            r, length, shared = -1, 0, 0
        # prefixes longer than what the next row shares are complete: settle them, longest first
        while top > 0 and depth[top - 1] > shared:
            deep = depth[top - 1]
            first = top - 1
            while first > 0 and depth[first - 1] == deep:
                first -= 1
            if top - first >= k:
                for i in range(first, top):
                    group[pending[i]] = groups
                lengths[groups] = deep
                groups += 1
                top = first
            else:  # too few: they fall back to the next shorter prefix that another row shares
                back = shared
                if first > 0 and depth[first - 1] > back:
                    back = depth[first - 1]
                for i in range(first, top):
                    depth[i] = back
        if q < n:
            pending[top] = r
            depth[top] = length
            top += 1
    return group, lengths[:groups].copy()
