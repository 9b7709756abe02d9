"""Compiled loops of the containment audit: equal rows, their supersets, the maximal patterns.

Rows come as CSR (`indptr` int64, sorted `indices` int32). A pattern is a distinct row; it is known by
one representative row and a 64-bit signature (one bit a feature, hashed when there are more than 64).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...._jit import njit

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]
U8 = npt.NDArray[np.uint64]


class Covers(NamedTuple):
    """The patterns of a matrix, laid out so that the supersets of some of them are quickly found.

    Where the supersets of pattern p are looked for, `anchor[p]` is its rarest feature (−1: it has none);
    `listed[start[f] : start[f + 1]]` are the patterns that hold f, by falling size. A kernel takes the
    arrays out before its loops: handing the whole tuple to a call inside one is dear.
    """

    indptr: I8
    indices: I4
    representative: I4  # by pattern: one of its rows
    multiplicity: I4
    sizes: I8
    signature: U8
    exact: bool  # the signature tells everything
    anchor: I4
    start: I8
    listed: I4


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
    """Return whether row `big` has every feature of row `small`."""
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
    """Return a 64-bit signature per pattern: a ⊆ b implies sig(a) & ~sig(b) == 0 (equivalence if exact)."""
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
def first_maximal(suspects: I8, x: Covers) -> int:
    """Find the first suspect without a strict superset; -1 when each has one."""
    sizes, anchor, start, listed = x.sizes, x.anchor, x.start, x.listed
    signature, exact, representative = x.signature, x.exact, x.representative
    indptr, indices = x.indptr, x.indices
    for q in range(suspects.size):
        p = suspects[q]
        covered = False
        if sizes[p] == 0:  # every other pattern contains the empty one
            covered = representative.size > 1
        else:
            for i in range(start[anchor[p]], start[anchor[p] + 1]):
                b = listed[i]
                if sizes[b] <= sizes[p]:
                    break
                if signature[p] & ~signature[b] == np.uint64(0) and (
                    exact or row_contains(indptr, indices, representative[b], representative[p])
                ):
                    covered = True
                    break
        if not covered:
            return int(p)
    return -1


@njit(cache=True, nogil=True)
def capped_containment(cap: int, n: int, x: Covers) -> I8:
    """Count for each pattern the rows that contain it, up to `cap`."""
    sizes, anchor, start, listed = x.sizes, x.anchor, x.start, x.listed
    signature, exact, representative = x.signature, x.exact, x.representative
    indptr, indices, multiplicity = x.indptr, x.indices, x.multiplicity
    out = np.empty(representative.size, np.int64)
    for p in range(representative.size):
        if sizes[p] == 0:
            out[p] = min(n, cap)
            continue
        total = np.int64(multiplicity[p])
        if total < cap:
            for i in range(start[anchor[p]], start[anchor[p] + 1]):
                b = listed[i]
                if sizes[b] <= sizes[p]:
                    break
                if signature[p] & ~signature[b] == np.uint64(0) and (
                    exact or row_contains(indptr, indices, representative[b], representative[p])
                ):
                    total += multiplicity[b]
                    if total >= cap:
                        break
        out[p] = min(int(total), cap)
    return out


@njit(cache=True, nogil=True)
def supersets_of(p: int, x: Covers, out: I4) -> int:
    """List the strict supersets of a pattern into `out`; give their number."""
    sizes, anchor, start, listed = x.sizes, x.anchor, x.start, x.listed
    signature, exact, representative = x.signature, x.exact, x.representative
    indptr, indices = x.indptr, x.indices
    found = 0
    if sizes[p] == 0:
        for b in range(representative.size):
            if b != p:
                out[found] = b
                found += 1
        return found
    for i in range(start[anchor[p]], start[anchor[p] + 1]):
        b = listed[i]
        if sizes[b] <= sizes[p]:
            break
        if signature[p] & ~signature[b] == np.uint64(0) and (
            exact or row_contains(indptr, indices, representative[b], representative[p])
        ):
            out[found] = b
            found += 1
    return found
