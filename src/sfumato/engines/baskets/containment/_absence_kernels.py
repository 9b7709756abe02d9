"""Compiled loops of the audit under known absences: which m absences leave the fewest rows."""

from __future__ import annotations

import numpy as np

from ...._jit import njit
from ._kernels import I4, I8, Covers, supersets_of


@njit(cache=True, nogil=True)
def _excluded_by(p: int, alive: I4, n_alive: int, x: Covers, gain: I8, seen: I8) -> int:
    """Count, for each feature that pattern p lacks, the rows of the listed patterns that hold it.

    `gain` is filled for the features put in `seen`; gives their number.
    """
    representative, indptr, indices = x.representative, x.indptr, x.indices
    found = 0
    for a in range(n_alive):
        b = alive[a]
        i, end_i = indptr[representative[p]], indptr[representative[p] + 1]
        for j in range(indptr[representative[b]], indptr[representative[b] + 1]):
            f = indices[j]
            while i < end_i and indices[i] < f:
                i += 1
            if i < end_i and indices[i] == f:
                continue
            if gain[f] == 0:
                seen[found] = f
                found += 1
            gain[f] += x.multiplicity[b]
    return found


@njit(cache=True, nogil=True)
def _has(indptr: I8, indices: I4, row: int, feature: int) -> bool:
    low, high = indptr[row], indptr[row + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < feature:
            low = middle + 1
        else:
            high = middle
    return bool(low < indptr[row + 1] and indices[low] == feature)


@njit(cache=True, nogil=True)
def _best_absences(
    m: int, alive: I4, n_alive: int, total: int, best: int, p: int, x: Covers, gain: I8, seen: I8,
    work: int,
) -> tuple[int, bool, int]:  # fmt: skip
    """Search the m absences that leave the fewest rows: depth first, most telling feature first.

    `alive[0, :n_alive]` lists the supersets of p, `total` the rows that contain p. A branch is cut when
    the gains of its remaining features, all taken at once, cannot beat `best`.
    """
    indptr, indices, representative = x.indptr, x.indices, x.representative
    width = 64  # features tried at a node; beyond that the search says it is incomplete
    count = np.zeros(m + 1, np.int64)
    left = np.zeros(m + 1, np.int64)
    turn = np.zeros(m + 1, np.int64)
    offered = np.zeros(m + 1, np.int64)
    feature = np.zeros((m + 1, width), np.int64)
    hit = np.zeros((m + 1, width), np.int64)
    more = np.zeros(m + 1, np.bool_)
    count[0], left[0] = n_alive, total
    complete = True
    depth, fresh = 0, True
    while depth >= 0:
        best = min(best, left[depth])
        if depth == m or count[depth] == 0 or best <= x.multiplicity[p]:
            depth, fresh = depth - 1, False
            continue
        if fresh:
            found = _excluded_by(p, alive[depth], count[depth], x, gain, seen)
            gains = np.empty(found, np.int64)
            for i in range(found):
                gains[i] = gain[seen[i]]
                gain[seen[i]] = 0
                work -= gains[i]
            order = np.argsort(-gains)
            offered[depth] = min(found, width)
            more[depth] = found > width
            for i in range(offered[depth]):
                feature[depth, i] = seen[order[i]]
                hit[depth, i] = gains[order[i]]
            turn[depth] = 0
        t = turn[depth]
        if t >= offered[depth]:
            complete = complete and not more[depth]
            depth, fresh = depth - 1, False
            continue
        if left[depth] - hit[depth, t] * (m - depth) >= best:
            depth, fresh = depth - 1, False
            continue
        if work < 0:
            complete = False
            depth, fresh = depth - 1, False
            continue
        turn[depth] += 1
        kept = 0
        for i in range(count[depth]):
            b = alive[depth, i]
            if not _has(indptr, indices, representative[b], feature[depth, t]):
                alive[depth + 1, kept] = b
                kept += 1
        work -= count[depth]
        count[depth + 1] = kept
        left[depth + 1] = left[depth] - hit[depth, t]
        depth, fresh = depth + 1, True
    return best, complete, work


@njit(cache=True, nogil=True)
def absences(
    order: I8, m: int, d: int, x: Covers, floor: int, best: int, work: int
) -> tuple[int, bool]:
    """Find the fewest rows that are left to an attacker who knows m absences and all presences.

    Patterns are tried in the given order; the search ends at `floor` (no row set can be smaller) or
    when `work` steps are spent. Gives the value found and whether the search was complete.
    """
    multiplicity, anchor, start = x.multiplicity, x.anchor, x.start
    supersets = np.empty(x.representative.size, np.int32)
    gain = np.zeros(d, np.int64)
    seen = np.empty(d, np.int64)
    complete = True
    for q in range(order.size):
        if best <= floor:
            return best, True
        if work < 0:
            return best, False
        p = order[q]
        if multiplicity[p] >= best:
            continue
        found = supersets_of(p, x, supersets)
        work -= found + 1
        if anchor[p] >= 0:
            work -= (start[anchor[p] + 1] - start[anchor[p]]) // 8
        total = np.int64(multiplicity[p])
        for i in range(found):
            total += multiplicity[supersets[i]]
        alive = np.empty((m + 1, found), np.int32)
        alive[0, :] = supersets[:found]
        best, done, work = _best_absences(m, alive, found, int(total), best, p, x, gain, seen, work)
        complete = complete and done
    return best, complete or best <= floor
