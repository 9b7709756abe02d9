"""Compiled loops of the exact and maximal selectors: families of sets as masks, rows intersected."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def feasible_family(support: I8, k: int) -> B1:
    """Turn counts of exact patterns into counts of supersets, and mark the feasible feature sets.

    `support[mask]` counts rows with exactly that pattern on entry and rows containing it on return.
    A set is feasible when none of its subsets is held by 1..k−1 rows.
    """
    total = support.size
    bit = 1
    while bit < total:
        for mask in range(total):
            if mask & bit == 0:
                support[mask] += support[mask | bit]
        bit *= 2
    good = np.empty(total, np.bool_)
    for mask in range(total):
        good[mask] = support[mask] == 0 or support[mask] >= k
    bit = 1
    while bit < total:
        for mask in range(total):
            if mask & bit != 0 and not good[mask ^ bit]:
                good[mask] = False
        bit *= 2
    return good


@njit(cache=True, nogil=True)
def maximal_sets(good: B1, d: int) -> B1:
    """Mark the members of a downward closed family that no single element can extend."""
    out = np.zeros(good.size, np.bool_)
    for mask in range(good.size):
        if not good[mask]:
            continue
        top = True
        for j in range(d):
            if mask & (1 << j) == 0 and good[mask | (1 << j)]:
                top = False
                break
        out[mask] = top
    return out


@njit(cache=True, nogil=True)
def count_distinguished_pairs(
    masks: I8, patterns: I8, weight_positive: I8, weight_negative: I8
) -> I8:
    """Count the pairs of unlike class told apart by each feature set of at most 22 features."""
    out = np.empty(masks.size, np.int64)
    top = 0
    for i in range(patterns.size):
        top = max(top, patterns[i])
    p = np.zeros(top + 1, np.int64)
    q = np.zeros(top + 1, np.int64)
    all_p = weight_positive.sum()
    all_q = weight_negative.sum()
    for i in range(masks.size):
        for j in range(patterns.size):
            key = patterns[j] & masks[i]
            p[key] += weight_positive[j]
            q[key] += weight_negative[j]
        same = np.int64(0)
        for j in range(patterns.size):
            key = patterns[j] & masks[i]
            same += p[key] * q[key]
            p[key] = 0
            q[key] = 0
        out[i] = all_p * all_q - same
    return out


@njit(cache=True, nogil=True)
def _extendable(
    items: I4, m: int, full: I4, n_full: int, indptr: I8, indices: I4, k: int, count: I4
) -> bool:
    """Return whether a further item is held by k of the rows that hold all the given items."""
    for a in range(m):
        count[items[a]] = -1
    found = False
    for q in range(n_full):
        row = full[q]
        for i in range(indptr[row], indptr[row + 1]):
            if count[indices[i]] >= 0:
                count[indices[i]] += 1
                found = found or count[indices[i]] >= k
    for q in range(n_full):
        row = full[q]
        for i in range(indptr[row], indptr[row + 1]):
            count[indices[i]] = 0
    return found


@njit(cache=True, nogil=True)
def largest_frequent(
    indptr: I8,
    indices: I4,
    column_start: I8,
    column_rows: I4,
    weight: I8,
    k: int,
    r: int,
    work: int,
    best_weights: I8,
    best_sizes: I8,
    best_items: I4,
) -> tuple[int, bool]:
    """Find the r heaviest maximal itemsets held by k rows or more, anytime; weights are ≥ 1.

    Branch and bound over rows, heaviest first: a node is an intersection of rows, and the overlap of
    the other rows with it bounds what lies below. A node that an earlier row contains was met there
    (prefix-preserving closure), so no set comes twice. `best_items[i, :best_sizes[i]]` holds the sets
    by falling weight. Gives how many were found and whether the search was complete.
    """
    n = indptr.size - 1
    d = column_start.size - 1
    heavy = np.zeros(n, np.int64)
    for row in range(n):
        for i in range(indptr[row], indptr[row + 1]):
            heavy[row] += weight[indices[i]]
    order = np.argsort(-heavy, kind="mergesort")
    place = np.empty(n, np.int64)
    for i in range(n):
        place[order[i]] = i
    overlap = np.zeros(n, np.int64)
    seen = np.empty(n, np.int32)
    full = np.empty(n, np.int32)
    count = np.zeros(d, np.int32)
    queue = np.empty((k + 1, n), np.int32)
    queue_size = np.zeros(k + 1, np.int64)
    turn = np.zeros(k + 1, np.int64)
    path = np.empty(k + 1, np.int64)
    on_path = np.zeros(n, np.bool_)
    absorbed = np.zeros((k + 1, n), np.int64)  # stamp of the node at which a row gives nothing new
    stamp = np.zeros(k + 1, np.int64)
    nodes = np.int64(0)
    items = np.empty((k + 1, d), np.int32)
    n_items = np.zeros(k + 1, np.int64)
    total = np.zeros(k + 1, np.int64)
    found = 0
    complete = True
    for first in range(n):
        root = order[first]
        if found == r and heavy[root] <= best_weights[r - 1]:
            break
        if work < 0:
            complete = False
            break
        depth = 1
        path[1] = root
        on_path[root] = True
        n_items[1] = indptr[root + 1] - indptr[root]
        total[1] = heavy[root]
        items[1, : n_items[1]] = indices[indptr[root] : indptr[root + 1]]
        fresh = True
        while depth >= 1:
            least = best_weights[r - 1] if found == r else np.int64(0)
            leave = False
            if fresh:
                fresh = False
                if total[depth] <= least:
                    leave = True
                else:
                    m = 0
                    for a in range(n_items[depth]):
                        f = items[depth, a]
                        for i in range(column_start[f], column_start[f + 1]):
                            row = column_rows[i]
                            if overlap[row] == 0:
                                seen[m] = row
                                m += 1
                            overlap[row] += weight[f]
                        work -= column_start[f + 1] - column_start[f]
                    n_full, kept, met = 0, 0, False
                    for q in range(m):
                        row = seen[q]
                        if overlap[row] == total[depth]:
                            full[n_full] = row
                            n_full += 1
                            if place[row] < place[path[depth]] and not on_path[row]:
                                met = True
                        if overlap[row] > least and place[row] > place[path[depth]]:
                            queue[depth, kept] = row
                            kept += 1
                    keys = np.empty(kept, np.int64)
                    places = np.empty(kept, np.int64)
                    for q in range(kept):
                        keys[q] = -overlap[queue[depth, q]]
                        places[q] = place[queue[depth, q]]
                    # rows that hold all of this intersection would lead the parent to it again
                    for q in range(n_full):
                        absorbed[depth - 1, full[q]] = stamp[depth - 1]
                    for q in range(m):
                        overlap[seen[q]] = 0
                    if met:
                        leave = True
                    elif n_full >= k:
                        leave = True
                        if not _extendable(
                            items[depth], n_items[depth], full, n_full, indptr, indices, k, count
                        ):
                            at = min(found, r - 1)
                            while at > 0 and best_weights[at - 1] < total[depth]:
                                best_weights[at] = best_weights[at - 1]
                                best_sizes[at] = best_sizes[at - 1]
                                best_items[at, :] = best_items[at - 1, :]
                                at -= 1
                            best_weights[at] = total[depth]
                            best_sizes[at] = n_items[depth]
                            best_items[at, : n_items[depth]] = items[depth, : n_items[depth]]
                            found = min(found + 1, r)
                    else:
                        rows = queue[depth, :kept].copy()
                        first_by = np.argsort(places, kind="mergesort")
                        by = first_by[np.argsort(keys[first_by], kind="mergesort")]
                        for q in range(kept):
                            queue[depth, q] = rows[by[q]]
                        queue_size[depth] = kept
                        nodes += 1
                        stamp[depth] = nodes
                        turn[depth] = 0
                        leave = kept + depth < k
            if not leave and work < 0:
                complete = False
                leave = True
            if leave or turn[depth] >= queue_size[depth]:
                on_path[path[depth]] = False
                depth -= 1
                continue
            row = queue[depth, turn[depth]]
            turn[depth] += 1
            if absorbed[depth, row] == stamp[depth]:
                continue
            m, sum_of = 0, np.int64(0)
            i, j = 0, indptr[row]
            while i < n_items[depth] and j < indptr[row + 1]:
                if items[depth, i] < indices[j]:
                    i += 1
                elif items[depth, i] > indices[j]:
                    j += 1
                else:
                    items[depth + 1, m] = items[depth, i]
                    sum_of += weight[items[depth, i]]
                    m += 1
                    i += 1
                    j += 1
            work -= n_items[depth] + indptr[row + 1] - indptr[row]
            depth += 1
            n_items[depth] = m
            total[depth] = sum_of
            path[depth] = row
            on_path[row] = True
            fresh = True
    return found, complete


@njit(cache=True, nogil=True)
def grown_itemset(
    indptr: I8,
    indices: I4,
    column_start: I8,
    column_rows: I4,
    weight: I8,
    k: int,
    seed: int,
    out: I8,
) -> int:
    """Grow a maximal frequent itemset from a feature, heaviest support first; give its size."""
    n = indptr.size - 1
    d = column_start.size - 1
    counts = np.zeros(d, np.int64)
    keeps = np.zeros(n, np.bool_)
    rows = column_rows[column_start[seed] : column_start[seed + 1]].copy()
    held = rows.size
    for q in range(held):
        for i in range(indptr[rows[q]], indptr[rows[q] + 1]):
            counts[indices[i]] += 1
    taken = np.zeros(d, np.bool_)
    taken[seed] = True
    out[0] = seed
    size = 1
    while True:
        best, best_gain = -1, np.int64(0)
        for f in range(d):
            if counts[f] >= k and not taken[f] and counts[f] * weight[f] > best_gain:
                best, best_gain = f, counts[f] * weight[f]
        if best < 0:
            return size
        for i in range(column_start[best], column_start[best + 1]):
            keeps[column_rows[i]] = True
        left = 0
        for q in range(held):
            row = rows[q]
            if keeps[row]:
                rows[left] = row
                left += 1
            else:
                for i in range(indptr[row], indptr[row + 1]):
                    counts[indices[i]] -= 1
        held = left
        for i in range(column_start[best], column_start[best + 1]):
            keeps[column_rows[i]] = False
        taken[best] = True
        out[size] = best
        size += 1
