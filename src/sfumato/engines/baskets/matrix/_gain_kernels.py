"""Compiled loops of the selectors: walk features in an order or by their gain, keep what is feasible."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit
from ._partition_kernels import B1, I4, I8, U1, PartitionState, feasible, refine

F8 = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def choose_in_order(
    order: I4, column_start: I8, column_rows: I4, k: int, mode: int, stop_first: bool, chosen: I4,
    groups: PartitionState,
) -> tuple[int, int]:  # fmt: skip
    """Walk features in a fixed order, keep what is feasible; give the number kept and where it ended.

    The rows of order[i] are column i of the transposed part.
    """
    kept = 0
    for i in range(order.size):
        f = order[i]
        rows = column_rows[column_start[i] : column_start[i + 1]]
        if feasible(rows, f, k, mode, groups):
            refine(rows, f, groups)
            chosen[kept] = f
            kept += 1
        elif stop_first:
            return kept, i
    return kept, order.size


@njit(cache=True, nogil=True)
def _touch_by_class(
    rows: I4, group: I4, positive: U1, counted: I4, counted_positive: I4, touched: I4
) -> int:
    """Count the rows of each group, and the positive ones; list the groups touched, give their number."""
    m = 0
    for i in range(rows.size):
        g = group[rows[i]]
        if counted[g] == 0:
            touched[m] = g
            m += 1
        counted[g] += 1
        counted_positive[g] += positive[rows[i]]
    return m


@njit(cache=True, nogil=True)
def _gain_in_pairs(
    rows: I4, group: I4, length: I4, positive: U1, positives: I4, counted: I4,
    counted_positive: I4, touched: I4,
) -> int:  # fmt: skip
    """Count the pairs of unlike class that a feature newly tells apart."""
    m = _touch_by_class(rows, group, positive, counted, counted_positive, touched)
    gain = np.int64(0)
    for t in range(m):
        g = touched[t]
        p = np.int64(counted_positive[g])
        q = np.int64(counted[g]) - p
        all_p = np.int64(positives[g])
        all_q = np.int64(length[g]) - all_p
        gain += p * (all_q - q) + q * (all_p - p)
        counted[g] = 0
        counted_positive[g] = 0
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
def by_pairs(
    gains: I8, column_start: I8, column_rows: I4, k: int, mode: int, stop_first: bool, most: int,
    chosen: I4, groups: PartitionState,
) -> tuple[int, int]:  # fmt: skip
    """Lazy greedy for DistCnt: an old gain bounds the new one, so only the top is measured again.

    `gains` holds the gains on the empty set (exact) and is used up. Ties go to the lowest index.
    """
    group, length, positive, positives = (
        groups.group, groups.length, groups.positive, groups.positives
    )  # fmt: skip
    counted, counted_positive, touched = groups.counted, groups.counted_positive, groups.touched
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
            gains[f] = _gain_in_pairs(
                rows, group, length, positive, positives, counted, counted_positive, touched
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
        if feasible(rows, f, k, mode, groups):
            refine(rows, f, groups)
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
    kind: int, k: int, alive: B1, column_start: I8, column_rows: I4, xlogx: F8, groups: PartitionState,
    gains: F8,
) -> None:  # fmt: skip
    """Measure for every feature alive how much the summed cost of the groups falls when it is added."""
    group, length, positive, positives = (
        groups.group, groups.length, groups.positive, groups.positives
    )  # fmt: skip
    counted, counted_positive, touched = groups.counted, groups.counted_positive, groups.touched
    for f in range(alive.size):
        if not alive[f]:
            continue
        rows = column_rows[column_start[f] : column_start[f + 1]]
        m = _touch_by_class(rows, group, positive, counted, counted_positive, touched)
        gain = 0.0
        for t in range(m):
            g = touched[t]
            p = counted_positive[g]
            q = counted[g] - p
            all_p = positives[g]
            all_q = length[g] - all_p
            if p + q < all_p + all_q:
                gain += (
                    _penalty(kind, all_p, all_q, k, xlogx)
                    - _penalty(kind, p, q, k, xlogx)
                    - _penalty(kind, all_p - p, all_q - q, k, xlogx)
                )
            counted[g] = 0
            counted_positive[g] = 0
        gains[f] = gain


@njit(cache=True, nogil=True)
def highest(scores: F8, number: int) -> I4:
    """Return the features of the highest scores in falling order, ties by index."""
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
