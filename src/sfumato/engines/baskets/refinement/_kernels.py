"""Compiled loops of the selectors: rows partitioned by their pattern on the chosen features.

The partition is an array of rows in which each group is a segment, so adding a feature costs the
feature's own rows (partition refinement). A group is known by any of its rows, its size (features
held) and a 64-bit signature that is exact while at most 64 features are chosen.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

B1 = npt.NDArray[np.bool_]
F8 = npt.NDArray[np.float64]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]
U1 = npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint64]


@njit(cache=True, nogil=True)
def _projected_contains(indptr: I8, indices: I4, rank: I4, risky: B1, big: int, small: int) -> bool:
    """Compare two rows on the chosen features; on risky ones (absence known) they must agree."""
    i, end_i = indptr[small], indptr[small + 1]
    j, end_j = indptr[big], indptr[big + 1]
    while i < end_i:
        wanted = indices[i]
        if rank[wanted] < 0:
            i += 1
            continue
        while j < end_j and indices[j] < wanted:
            if rank[indices[j]] >= 0 and risky[indices[j]]:
                return False
            j += 1
        if j == end_j or indices[j] != wanted:
            return False
        i += 1
        j += 1
    while j < end_j:
        if rank[indices[j]] >= 0 and risky[indices[j]]:
            return False
        j += 1
    return True


@njit(cache=True, nogil=True)
def _maximal_are_frequent(
    touched: I4,
    m: int,
    count: I4,
    k: int,
    exact: bool,
    any_risky: bool,
    perm: I4,
    start: I4,
    size: I4,
    sig: U8,
    risky_sig: U8,
    indptr: I8,
    indices: I4,
    rank: I4,
    risky: B1,
    high: I4,
) -> bool:
    """Say whether each listed pattern seen fewer than k times lies under one seen k times or more."""
    n_high = 0
    biggest_high = -1
    biggest_low = -1
    for i in range(m):
        g = touched[i]
        if count[g] >= k:
            high[n_high] = g
            n_high += 1
            biggest_high = max(biggest_high, size[g])
        elif count[g] > 0:
            biggest_low = max(biggest_low, size[g])
    if biggest_low < 0:
        return True
    if biggest_low >= biggest_high:
        return False
    high_sig = np.empty(n_high, np.uint64)
    for j in range(n_high):
        high_sig[j] = sig[high[j]]
    for i in range(m):
        g = touched[i]
        if count[g] >= k or count[g] == 0:
            continue
        s = sig[g]
        covered = False
        for j in range(n_high):
            if s & ~high_sig[j] != np.uint64(0):
                continue
            h = high[j]
            if size[h] <= size[g]:
                continue
            if any_risky and risky_sig[g] != risky_sig[h]:
                continue
            if exact or _projected_contains(
                indptr, indices, rank, risky, perm[start[h]], perm[start[g]]
            ):
                covered = True
                if j > 0:  # the same witness often serves the next pattern: try it sooner
                    i2 = j // 2
                    high[j], high[i2] = high[i2], high[j]
                    high_sig[j], high_sig[i2] = high_sig[i2], high_sig[j]
                break
        if not covered:
            return False
    return True


@njit(cache=True, nogil=True)
def _touch(rows: I4, group: I4, count: I4, touched: I4) -> int:
    m = 0
    for i in range(rows.size):
        g = group[rows[i]]
        if count[g] == 0:
            touched[m] = g
            m += 1
        count[g] += 1
    return m


@njit(cache=True, nogil=True)
def feasible(
    rows: I4,
    f: int,
    k: int,
    mode: int,
    sizes: I8,
    perm: I4,
    start: I4,
    length: I4,
    group: I4,
    size: I4,
    sig: U8,
    risky_sig: U8,
    indptr: I8,
    indices: I4,
    rank: I4,
    risky: B1,
    count: I4,
    touched: I4,
    high: I4,
) -> bool:
    """Check a feature before it is added; mode 0 is containment, 1 is plain k-anonymity.

    `sizes` holds [groups, features chosen, risky features chosen]. `count` is all zero before and after.
    """
    if mode == 0 and not risky[f]:
        if rows.size == 0:
            return True
        if rows.size < k:
            return False
    m = _touch(rows, group, count, touched)
    good = True
    if mode == 1:
        for i in range(m):
            c, rest = count[touched[i]], length[touched[i]] - count[touched[i]]
            if c < k or (rest > 0 and rest < k):
                good = False
                break
    else:
        exact = sizes[1] < 64
        any_risky = sizes[2] > 0
        good = _maximal_are_frequent(
            touched, m, count, k, exact, any_risky, perm, start, size, sig, risky_sig, indptr,
            indices, rank, risky, high,
        )  # fmt: skip
        if good and risky[f]:  # the rows without f become patterns of their own
            others = np.empty(sizes[0], np.int64)
            names = np.empty(sizes[0], np.int32)
            for g in range(sizes[0]):
                others[g] = length[g] - count[g]
                names[g] = g
            good = _maximal_are_frequent(
                names, sizes[0], others, k, exact, any_risky, perm, start, size, sig, risky_sig,
                indptr, indices, rank, risky, high,
            )  # fmt: skip
    for i in range(m):
        count[touched[i]] = 0
    return good


@njit(cache=True, nogil=True)
def refine(
    rows: I4,
    f: int,
    sizes: I8,
    perm: I4,
    position: I4,
    start: I4,
    length: I4,
    group: I4,
    size: I4,
    sig: U8,
    risky_sig: U8,
    rank: I4,
    risky: B1,
    count: I4,
    touched: I4,
    positive: U1,
    positives: I4,
) -> None:
    """Add a feature: split every group into the rows with it and the rows without it."""
    bit = np.uint64(1) << np.uint64(sizes[1] % 64)
    m = 0
    for i in range(rows.size):
        r = rows[i]
        g = group[r]
        if count[g] == 0:
            touched[m] = g
            m += 1
        there = start[g] + count[g]
        here = position[r]
        other = perm[there]
        perm[there], perm[here] = r, other
        position[r], position[other] = there, here
        count[g] += 1
    for t in range(m):
        g = touched[t]
        c = count[g]
        count[g] = 0
        if c == length[g]:
            h = g
        else:
            h = sizes[0]
            sizes[0] += 1
            start[h] = start[g]
            length[h] = c
            start[g] += c
            length[g] -= c
            p = 0
            for i in range(start[h], start[h] + c):
                group[perm[i]] = h
                p += positive[perm[i]]
            positives[h] = p
            positives[g] -= p
            size[h] = size[g]
            sig[h] = sig[g]
            risky_sig[h] = risky_sig[g]
        size[h] += 1
        sig[h] |= bit
        if risky[f]:
            risky_sig[h] |= bit
    rank[f] = sizes[1]
    sizes[1] += 1
    if risky[f]:
        sizes[2] += 1


@njit(cache=True, nogil=True)
def greedy_ranked(
    order: I4,
    first_slot: int,
    column_start: I8,
    column_rows: I4,
    k: int,
    mode: int,
    stop_first: bool,
    chosen: I4,
    sizes: I8,
    perm: I4,
    position: I4,
    start: I4,
    length: I4,
    group: I4,
    size: I4,
    sig: U8,
    risky_sig: U8,
    indptr: I8,
    indices: I4,
    rank: I4,
    risky: B1,
    count: I4,
    touched: I4,
    high: I4,
    positive: U1,
    positives: I4,
) -> tuple[int, int]:
    """Walk features in a fixed order, keep what is feasible; give the number kept and where it ended.

    Column of order[i] is slot first_slot + i of the transposed part.
    """
    kept = 0
    for i in range(order.size):
        f = order[i]
        s = first_slot + i
        rows = column_rows[column_start[s] : column_start[s + 1]]
        if feasible(
            rows, f, k, mode, sizes, perm, start, length, group, size, sig, risky_sig, indptr,
            indices, rank, risky, count, touched, high,
        ):  # fmt: skip
            refine(
                rows, f, sizes, perm, position, start, length, group, size, sig, risky_sig, rank,
                risky, count, touched, positive, positives,
            )  # fmt: skip
            chosen[kept] = f
            kept += 1
        elif stop_first:
            return kept, i
    return kept, order.size


@njit(cache=True, nogil=True)
def _pairs_gained(
    rows: I4,
    group: I4,
    length: I4,
    positive: U1,
    positives: I4,
    count: I4,
    count_positive: I4,
    touched: I4,
) -> int:
    """Count the pairs of unlike class that a feature newly tells apart."""
    m = 0
    for i in range(rows.size):
        g = group[rows[i]]
        if count[g] == 0:
            touched[m] = g
            m += 1
        count[g] += 1
        count_positive[g] += positive[rows[i]]
    gain = np.int64(0)
    for t in range(m):
        g = touched[t]
        p = np.int64(count_positive[g])
        q = np.int64(count[g]) - p
        all_p = np.int64(positives[g])
        all_q = np.int64(length[g]) - all_p
        gain += p * (all_q - q) + q * (all_p - p)
        count[g] = 0
        count_positive[g] = 0
    return int(gain)


@njit(cache=True, nogil=True, inline="always")
def _before(gains: I8, a: int, b: int) -> bool:
    return gains[a] > gains[b] or (gains[a] == gains[b] and a < b)


@njit(cache=True, nogil=True)
def _sift_down(heap: I4, n: int, gains: I8, i: int) -> None:
    while True:
        child = 2 * i + 1
        if child >= n:
            return
        if child + 1 < n and _before(gains, heap[child + 1], heap[child]):
            child += 1
        if not _before(gains, heap[child], heap[i]):
            return
        heap[i], heap[child] = heap[child], heap[i]
        i = child


@njit(cache=True, nogil=True)
def greedy_pairs(
    gains: I8,
    column_start: I8,
    column_rows: I4,
    k: int,
    mode: int,
    stop_first: bool,
    most: int,
    chosen: I4,
    sizes: I8,
    perm: I4,
    position: I4,
    start: I4,
    length: I4,
    group: I4,
    size: I4,
    sig: U8,
    risky_sig: U8,
    indptr: I8,
    indices: I4,
    rank: I4,
    risky: B1,
    count: I4,
    touched: I4,
    high: I4,
    positive: U1,
    positives: I4,
    count_positive: I4,
) -> tuple[int, int]:
    """Lazy greedy for DistCnt: an old gain bounds the new one, so only the top is measured again.

    `gains` holds the gains on the empty set (exact) and is used up. Ties go to the lowest index.
    """
    d = gains.size
    heap = np.empty(d, np.int32)
    n = 0
    for f in range(d):
        if gains[f] > 0:
            heap[n] = f
            n += 1
    for i in range(n // 2 - 1, -1, -1):
        _sift_down(heap, n, gains, i)
    stamp = np.zeros(d, np.int32)
    kept = 0
    evaluations = 0
    while n > 0 and kept < most:
        f = heap[0]
        rows = column_rows[column_start[f] : column_start[f + 1]]
        if stamp[f] < kept:
            gains[f] = _pairs_gained(
                rows, group, length, positive, positives, count, count_positive, touched
            )
            evaluations += 1
            stamp[f] = kept
            if gains[f] == 0:  # gains never grow: the feature is spent
                n -= 1
                heap[0] = heap[n]
            _sift_down(heap, n, gains, 0)
            continue
        n -= 1
        heap[0] = heap[n]
        _sift_down(heap, n, gains, 0)
        if feasible(
            rows, f, k, mode, sizes, perm, start, length, group, size, sig, risky_sig, indptr,
            indices, rank, risky, count, touched, high,
        ):  # fmt: skip
            refine(
                rows, f, sizes, perm, position, start, length, group, size, sig, risky_sig, rank,
                risky, count, touched, positive, positives,
            )  # fmt: skip
            chosen[kept] = f
            kept += 1
        elif stop_first:
            break
    return kept, evaluations


@njit(cache=True, nogil=True)
def _penalty(kind: int, p: int, q: int, k: int, xlogx: F8) -> float:
    """Cost of a group with p positives and q negatives: 0 conditional entropy × n, 1 CM at k."""
    if kind == 0:
        return float(xlogx[p + q] - xlogx[p] - xlogx[q])
    if p + q < k:
        return float(p + q)
    return float(min(p, q))


@njit(cache=True, nogil=True)
def group_gains(
    kind: int,
    k: int,
    alive: B1,
    column_start: I8,
    column_rows: I4,
    xlogx: F8,
    group: I4,
    length: I4,
    positive: U1,
    positives: I4,
    count: I4,
    count_positive: I4,
    touched: I4,
    gains: F8,
) -> None:
    """Measure for every feature alive how much the summed cost of the groups falls when it is added."""
    for f in range(alive.size):
        if not alive[f]:
            continue
        rows = column_rows[column_start[f] : column_start[f + 1]]
        m = 0
        for i in range(rows.size):
            g = group[rows[i]]
            if count[g] == 0:
                touched[m] = g
                m += 1
            count[g] += 1
            count_positive[g] += positive[rows[i]]
        gain = 0.0
        for t in range(m):
            g = touched[t]
            p = count_positive[g]
            q = count[g] - p
            all_p = positives[g]
            all_q = length[g] - all_p
            if p + q < all_p + all_q:
                gain += (
                    _penalty(kind, all_p, all_q, k, xlogx)
                    - _penalty(kind, p, q, k, xlogx)
                    - _penalty(kind, all_p - p, all_q - q, k, xlogx)
                )
            count[g] = 0
            count_positive[g] = 0
        gains[f] = gain


@njit(cache=True, nogil=True)
def highest(scores: F8, number: int) -> I4:
    """Give the features of the highest scores in falling order, ties by index."""
    kept = min(number, scores.size)
    out = np.empty(kept, np.int32)
    found = 0
    for f in range(scores.size):
        score = scores[f]
        if found == kept and score <= scores[out[kept - 1]]:
            continue
        at = min(found, kept - 1)
        while at > 0 and scores[out[at - 1]] < score:
            out[at] = out[at - 1]
            at -= 1
        out[at] = f
        found = min(found + 1, kept)
    return out
