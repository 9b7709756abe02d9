"""Compiled loops of k^m-anonymity: rare pairs and triples, and the ones to suppress because of them.

Items are ranks, 0 the most common; rows hold ascending ranks. An edge is a pair of items that at least k
rows hold; it is stored with its rarer item, whose list is short.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def count_company(indptr: I8, ranks: I4, starts: I8, rows: I4, j: int, count: I4, seen: I4) -> int:
    """Count the rows of item j that hold each more common item; return how many `seen` lists."""
    found = 0
    for p in range(starts[j], starts[j + 1]):
        r = rows[p]
        for i in range(indptr[r], indptr[r + 1]):
            other = ranks[i]
            if other >= j:
                break
            if count[other] == 0:
                seen[found] = other
                found += 1
            count[other] += 1
    return found


@njit(cache=True, nogil=True)
def frequent_pairs(indptr: I8, ranks: I4, starts: I8, rows: I4, k: int) -> tuple[I8, I4]:
    """List, for each item, the more common items that share at least k rows with it."""
    d = starts.size - 1
    count = np.zeros(d, np.int32)
    seen = np.empty(d, np.int32)
    first = np.zeros(d + 1, np.int64)
    nodes = np.empty(0, np.int32)
    for turn in range(2):
        for j in range(d):
            found = count_company(indptr, ranks, starts, rows, j, count, seen)
            kept = 0
            for q in range(found):
                if count[seen[q]] >= k:
                    if turn == 1:
                        nodes[first[j] + kept] = seen[q]
                    kept += 1
                count[seen[q]] = 0
            if turn == 0:
                first[j + 1] = first[j] + kept
            elif kept > 1:
                nodes[first[j] : first[j] + kept].sort()
        if turn == 0:
            nodes = np.empty(first[d], np.int32)
    return first, nodes


@njit(cache=True, nogil=True)
def edge(first: I8, nodes: I4, a: int, b: int) -> int:
    """Return the number of the edge between two items, -1 if there is none."""
    if a > b:
        a, b = b, a
    low, high = first[b], first[b + 1]
    while low < high:
        middle = (low + high) // 2
        if nodes[middle] < a:
            low = middle + 1
        else:
            high = middle
    if low < first[b + 1] and nodes[low] == a:
        return low
    return -1


@njit(cache=True, nogil=True)
def _drop_until_clean(
    first: I8, nodes: I4, counts: I4, k: int, counted: bool, items: I4, m: int, out: B1
) -> int:
    """Mark in `out` the items to drop, most rare pairs first, until no pair is rare; return how many."""
    bad = np.zeros(m, np.int32)
    rare = np.zeros((m, m), np.bool_)
    total = 0
    for a in range(m):
        for b in range(a):
            e = edge(first, nodes, items[b], items[a])
            if e < 0 or (counted and counts[e] < k):
                rare[a, b] = rare[b, a] = True
                bad[a] += 1
                bad[b] += 1
                total += 1
    dropped = 0
    while total > 0:
        worst = 0
        for a in range(1, m):  # of equals the rarer item: its loss touches fewer others
            if bad[a] >= bad[worst]:
                worst = a
        out[worst] = True
        dropped += 1
        total -= bad[worst]
        for b in range(m):
            if rare[worst, b]:
                rare[worst, b] = rare[b, worst] = False
                bad[b] -= 1
        bad[worst] = 0
    return dropped


@njit(cache=True, nogil=True)
def published_items(indptr: I8, ranks: I4, kept: B1, r: int, items: I4, place: I8) -> int:
    m = 0
    for i in range(indptr[r], indptr[r + 1]):
        if kept[i]:
            items[m] = ranks[i]
            place[m] = i
            m += 1
    return m


@njit(cache=True, nogil=True)
def cliques(indptr: I8, ranks: I4, first: I8, nodes: I4, longest: int) -> B1:
    """Keep in each row items of which every two share an edge."""
    kept = np.ones(ranks.size, np.bool_)
    items = np.empty(longest, np.int32)
    place = np.empty(longest, np.int64)
    out = np.zeros(longest, np.bool_)
    none = np.empty(0, np.int32)
    for r in range(indptr.size - 1):
        m = published_items(indptr, ranks, kept, r, items, place)
        out[:m] = False
        if _drop_until_clean(first, nodes, none, 0, False, items, m, out) > 0:
            for a in range(m):
                if out[a]:
                    kept[place[a]] = False
    return kept


@njit(cache=True, nogil=True)
def count_edges(indptr: I8, ranks: I4, kept: B1, first: I8, nodes: I4, longest: int) -> I4:
    """Count the rows that publish both ends of each edge."""
    counts = np.zeros(nodes.size, np.int32)
    items = np.empty(longest, np.int32)
    place = np.empty(longest, np.int64)
    for r in range(indptr.size - 1):
        m = published_items(indptr, ranks, kept, r, items, place)
        for a in range(m):
            for b in range(a):
                counts[edge(first, nodes, items[b], items[a])] += 1
    return counts


@njit(cache=True, nogil=True)
def repair(
    indptr: I8,
    ranks: I4,
    kept: B1,
    first: I8,
    nodes: I4,
    counts: I4,
    k: int,
    order: I4,
    longest: int,
) -> int:
    """Drop items until no published pair is rare; return the ones dropped."""
    items = np.empty(longest, np.int32)
    place = np.empty(longest, np.int64)
    out = np.zeros(longest, np.bool_)
    total = 0
    while True:
        before = total
        for q in range(order.size):
            r = order[q]
            m = published_items(indptr, ranks, kept, r, items, place)
            out[:m] = False
            if _drop_until_clean(first, nodes, counts, k, True, items, m, out) == 0:
                continue
            for a in range(m):
                for b in range(a):
                    if out[a] or out[b]:
                        counts[edge(first, nodes, items[b], items[a])] -= 1
            for a in range(m):
                if out[a]:
                    kept[place[a]] = False
                    total += 1
        if total == before:
            return total


@njit(cache=True, nogil=True)
def fewest_with_pair(indptr: I8, ranks: I4, starts: I8, rows: I4, floor: int, best: int) -> int:
    """Return the smallest number of rows that share a pair of items which some row holds."""
    d = starts.size - 1
    count = np.zeros(d, np.int32)
    seen = np.empty(d, np.int32)
    for j in range(d - 1, -1, -1):
        found = count_company(indptr, ranks, starts, rows, j, count, seen)
        for q in range(found):
            best = min(best, count[seen[q]])
            count[seen[q]] = 0
        if best <= floor:
            return best
    return best


@njit(cache=True, nogil=True)
def rows_with_rare_pair(indptr: I8, ranks: I4, starts: I8, rows: I4, k: int) -> B1:
    """Return which rows hold a pair of items that fewer than k rows hold."""
    d = starts.size - 1
    count = np.zeros(d, np.int32)
    seen = np.empty(d, np.int32)
    out = np.zeros(indptr.size - 1, np.bool_)
    for j in range(d):
        found = count_company(indptr, ranks, starts, rows, j, count, seen)
        for p in range(starts[j], starts[j + 1]):
            r = rows[p]
            for i in range(indptr[r], indptr[r + 1]):
                if ranks[i] >= j:
                    break
                if count[ranks[i]] < k:
                    out[r] = True
        for q in range(found):
            count[seen[q]] = 0
    return out


@njit(cache=True, nogil=True)
def columns_without_rare_pairs(
    indptr: I8, indices: I4, starts: I8, rows: I4, order: I4, k: int
) -> B1:
    """Take columns in the given order where no pair with a column taken before is rare."""
    d = starts.size - 1
    taken = np.zeros(d, np.bool_)
    count = np.zeros(d, np.int32)
    seen = np.empty(d, np.int32)
    for q in range(order.size):
        f = order[q]
        if starts[f + 1] - starts[f] < k:
            continue
        found = 0
        for p in range(starts[f], starts[f + 1]):
            r = rows[p]
            for i in range(indptr[r], indptr[r + 1]):
                other = indices[i]
                if taken[other]:
                    if count[other] == 0:
                        seen[found] = other
                        found += 1
                    count[other] += 1
        fits = True
        for t in range(found):
            if count[seen[t]] < k:
                fits = False
            count[seen[t]] = 0
        taken[f] = fits
    return taken
