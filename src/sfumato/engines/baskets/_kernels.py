"""Compiled loops of the containment audit: equal rows, supersets, maximal patterns, absences.

Rows come as CSR (`indptr` int64, sorted `indices` int32). A pattern is a distinct row; it is known by
one representative row and a 64-bit signature (one bit a feature, hashed when there are more than 64).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint64]


@njit(cache=True, nogil=True, inline="always")
def _mix(x: np.uint64) -> np.uint64:
    """Scramble a 64-bit integer (splitmix64)."""
    x = np.uint64(x) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@njit(cache=True, nogil=True)
def _same_row(indptr: I8, indices: I4, a: int, b: int) -> bool:
    length = indptr[a + 1] - indptr[a]
    if length != indptr[b + 1] - indptr[b]:
        return False
    for i in range(length):
        if indices[indptr[a] + i] != indices[indptr[b] + i]:
            return False
    return True


@njit(cache=True, nogil=True)
def row_contains(indptr: I8, indices: I4, big: int, small: int) -> bool:
    """Say whether row `big` has every feature of row `small`."""
    i, end_i = indptr[small], indptr[small + 1]
    j, end_j = indptr[big], indptr[big + 1]
    while i < end_i:
        wanted = indices[i]
        while j < end_j and indices[j] < wanted:
            j += 1
        if j == end_j or indices[j] != wanted:
            return False
        i += 1
        j += 1
    return True


@njit(cache=True, nogil=True)
def distinct_rows(indptr: I8, indices: I4) -> tuple[I4, I4, I4]:
    """Number the distinct rows: pattern of each row, representative and multiplicity of each pattern.

    A hash table whose hits are compared feature by feature, so a collision costs time, never truth.
    """
    n = indptr.size - 1
    capacity = 16
    while capacity < 2 * n:
        capacity *= 2
    table = np.full(capacity, -1, np.int32)
    hashes = np.empty(n, np.uint64)  # of the patterns
    pattern = np.empty(n, np.int32)
    representative = np.empty(n, np.int32)
    multiplicity = np.zeros(n, np.int32)
    found = 0
    mask = np.uint64(capacity - 1)
    for r in range(n):
        h = np.uint64(indptr[r + 1] - indptr[r])
        for i in range(indptr[r], indptr[r + 1]):
            h += _mix(np.uint64(indices[i]))
        h = _mix(h)
        slot = h & mask
        while True:
            p = table[np.int64(slot)]
            if p < 0:
                table[np.int64(slot)] = found
                hashes[found] = h
                representative[found] = r
                multiplicity[found] = 1
                pattern[r] = found
                found += 1
                break
            if hashes[p] == h and _same_row(indptr, indices, representative[p], r):
                multiplicity[p] += 1
                pattern[r] = p
                break
            slot = (slot + np.uint64(1)) & mask
    return pattern, representative[:found].copy(), multiplicity[:found].copy()


@njit(cache=True, nogil=True)
def row_hashes(indptr: I8, indices: I4, rows: I4) -> U8:
    """Hash the content of rows, whatever their place."""
    out = np.empty(rows.size, np.uint64)
    for p in range(rows.size):
        r = rows[p]
        h = np.uint64(indptr[r + 1] - indptr[r])
        for i in range(indptr[r], indptr[r + 1]):
            h += _mix(np.uint64(indices[i]))
        out[p] = _mix(h)
    return out


@njit(cache=True, nogil=True)
def signatures(indptr: I8, indices: I4, representative: I4, exact: bool) -> U8:
    """Give a 64-bit signature a pattern: a ⊆ b implies sig(a) & ~sig(b) == 0 (equivalence if exact)."""
    out = np.zeros(representative.size, np.uint64)
    for p in range(representative.size):
        r = representative[p]
        s = np.uint64(0)
        for i in range(indptr[r], indptr[r + 1]):
            bit = np.uint64(indices[i]) if exact else _mix(np.uint64(indices[i])) & np.uint64(63)
            s |= np.uint64(1) << bit
        out[p] = s
    return out


@njit(cache=True, nogil=True)
def by_size_descending(sizes: I8) -> I4:
    """Order patterns by falling size (counting sort, stable)."""
    largest = 0
    for p in range(sizes.size):
        largest = max(largest, sizes[p])
    first = np.zeros(largest + 2, np.int64)
    for p in range(sizes.size):
        first[largest - sizes[p] + 1] += 1
    for z in range(largest + 1):
        first[z + 1] += first[z]
    order = np.empty(sizes.size, np.int32)
    for p in range(sizes.size):
        z = largest - sizes[p]
        order[first[z]] = p
        first[z] += 1
    return order


@njit(cache=True, nogil=True)
def postings_of_anchors(
    indptr: I8, indices: I4, representative: I4, order: I4, wanted: B1, d: int
) -> tuple[I4, I8, I4]:
    """List, by falling size, the patterns that hold each anchor: the rarest feature of a wanted pattern."""
    support = np.zeros(d, np.int64)
    for p in range(representative.size):
        r = representative[p]
        for i in range(indptr[r], indptr[r + 1]):
            support[indices[i]] += 1
    anchor = np.full(representative.size, -1, np.int32)
    is_anchor = np.zeros(d, np.bool_)
    for p in range(representative.size):
        if not wanted[p]:
            continue
        r = representative[p]
        best = -1
        for i in range(indptr[r], indptr[r + 1]):
            f = indices[i]
            if best < 0 or support[f] < support[best]:
                best = f
        anchor[p] = best
        if best >= 0:
            is_anchor[best] = True
    start = np.zeros(d + 1, np.int64)
    for f in range(d):
        start[f + 1] = start[f] + (support[f] if is_anchor[f] else 0)
    fill = start[:-1].copy()
    listed = np.empty(start[d], np.int32)
    for i in range(order.size):
        p = order[i]
        r = representative[p]
        for j in range(indptr[r], indptr[r + 1]):
            f = indices[j]
            if is_anchor[f]:
                listed[fill[f]] = p
                fill[f] += 1
    return anchor, start, listed


@njit(cache=True, nogil=True)
def not_under(
    suspects: I8, tops: I8, sizes: I8, representative: I4, indptr: I8, indices: I4, d: int
) -> I8:
    """Leave out the suspects that are strict subsets of one of the given patterns; keeps the order."""
    left = suspects.copy()
    n_left = left.size
    held = np.zeros(d, np.bool_)
    for t in range(tops.size):
        row = representative[tops[t]]
        for i in range(indptr[row], indptr[row + 1]):
            held[indices[i]] = True
        kept = 0
        for q in range(n_left):
            p = left[q]
            covered = sizes[p] < sizes[tops[t]]
            i = indptr[representative[p]]
            while covered and i < indptr[representative[p] + 1]:
                covered = held[indices[i]]
                i += 1
            left[kept] = p
            kept += 0 if covered else 1
        for i in range(indptr[row], indptr[row + 1]):
            held[indices[i]] = False
        n_left = kept
    return left[:n_left]


@njit(cache=True, nogil=True)
def first_maximal(
    suspects: I8,
    anchor: I4,
    start: I8,
    listed: I4,
    sig: U8,
    sizes: I8,
    representative: I4,
    indptr: I8,
    indices: I4,
    exact: bool,
) -> int:
    """Find the first suspect without a strict superset; -1 when each has one."""
    for q in range(suspects.size):
        p = suspects[q]
        if sizes[p] == 0:  # the empty pattern lies under every other one
            if representative.size > 1:
                continue
            return int(p)
        covered = False
        f = anchor[p]
        for i in range(start[f], start[f + 1]):
            b = listed[i]
            if sizes[b] <= sizes[p]:
                break
            if sig[p] & ~sig[b] == np.uint64(0) and (
                exact or row_contains(indptr, indices, representative[b], representative[p])
            ):
                covered = True
                break
        if not covered:
            return int(p)
    return -1


@njit(cache=True, nogil=True)
def capped_containment(
    cap: int,
    n: int,
    multiplicity: I4,
    anchor: I4,
    start: I8,
    listed: I4,
    sig: U8,
    sizes: I8,
    representative: I4,
    indptr: I8,
    indices: I4,
    exact: bool,
) -> I8:
    """Count for each pattern the rows that contain it, up to `cap`."""
    out = np.empty(representative.size, np.int64)
    for p in range(representative.size):
        if sizes[p] == 0:
            out[p] = min(n, cap)
            continue
        total = np.int64(multiplicity[p])
        f = anchor[p]
        if total < cap:
            for i in range(start[f], start[f + 1]):
                b = listed[i]
                if sizes[b] <= sizes[p]:
                    break
                if sig[p] & ~sig[b] == np.uint64(0) and (
                    exact or row_contains(indptr, indices, representative[b], representative[p])
                ):
                    total += multiplicity[b]
                    if total >= cap:
                        break
        out[p] = min(int(total), cap)
    return out


@njit(cache=True, nogil=True)
def supersets_of(
    p: int,
    anchor: I4,
    start: I8,
    listed: I4,
    sig: U8,
    sizes: I8,
    representative: I4,
    indptr: I8,
    indices: I4,
    exact: bool,
    out: I4,
) -> int:
    """List the strict supersets of a pattern into `out`; give their number."""
    found = 0
    if sizes[p] == 0:
        for b in range(representative.size):
            if b != p:
                out[found] = b
                found += 1
        return found
    f = anchor[p]
    for i in range(start[f], start[f + 1]):
        b = listed[i]
        if sizes[b] <= sizes[p]:
            break
        if sig[p] & ~sig[b] == np.uint64(0) and (
            exact or row_contains(indptr, indices, representative[b], representative[p])
        ):
            out[found] = b
            found += 1
    return found


@njit(cache=True, nogil=True)
def _excluded_by(
    p: int,
    alive: I4,
    n_alive: int,
    multiplicity: I4,
    representative: I4,
    indptr: I8,
    indices: I4,
    gain: I8,
    seen: I8,
) -> int:
    """Count, for each feature that pattern p lacks, the rows of the listed patterns that hold it.

    `gain` is filled for the features put in `seen`; gives their number.
    """
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
            gain[f] += multiplicity[b]
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
    m: int,
    alive: npt.NDArray[np.int32],
    n_alive: int,
    total: int,
    best: int,
    p: int,
    multiplicity: I4,
    representative: I4,
    indptr: I8,
    indices: I4,
    gain: I8,
    seen: I8,
    work: int,
) -> tuple[int, bool, int]:
    """Search the m absences that leave the fewest rows: depth first, most telling feature first.

    `alive[0, :n_alive]` lists the supersets of p, `total` the rows that contain p. A branch is cut when
    the gains of its remaining features, all taken at once, cannot beat `best`.
    """
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
        if depth == m or count[depth] == 0 or best <= multiplicity[p]:
            depth, fresh = depth - 1, False
            continue
        if fresh:
            found = _excluded_by(
                p, alive[depth], count[depth], multiplicity, representative, indptr, indices, gain,
                seen,
            )  # fmt: skip
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
    order: I8,
    m: int,
    d: int,
    multiplicity: I4,
    anchor: I4,
    start: I8,
    listed: I4,
    sig: U8,
    sizes: I8,
    representative: I4,
    indptr: I8,
    indices: I4,
    exact: bool,
    floor: int,
    best: int,
    work: int,
) -> tuple[int, bool]:
    """Find the fewest rows that are left to an attacker who knows m absences beside all presences.

    Patterns are tried in the given order; the search ends at `floor` (no row set can be smaller) or
    when `work` steps are spent. Gives the value found and whether the search was complete.
    """
    supersets = np.empty(representative.size, np.int32)
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
        found = supersets_of(
            p, anchor, start, listed, sig, sizes, representative, indptr, indices, exact, supersets
        )
        work -= found + 1
        if anchor[p] >= 0:
            work -= (start[anchor[p] + 1] - start[anchor[p]]) // 8
        total = np.int64(multiplicity[p])
        for i in range(found):
            total += multiplicity[supersets[i]]
        alive = np.empty((m + 1, found), np.int32)
        alive[0, :] = supersets[:found]
        best, done, work = _best_absences(
            m, alive, found, int(total), best, p, multiplicity, representative, indptr, indices, gain,
            seen, work,
        )  # fmt: skip
        complete = complete and done
    return best, complete or best <= floor


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
    """Transpose the given features only: rows of features[s] stand at start[s]:start[s + 1]."""
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
