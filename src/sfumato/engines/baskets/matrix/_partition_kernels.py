"""Compiled loops of a partition: rows grouped by their pattern on the chosen features.

The partition is an array of rows in which each group is a segment, so adding a feature costs the
feature's own rows (partition refinement). A group is known by any of its rows, its size (features
held) and a 64-bit signature that is exact while at most 64 features are chosen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...._jit import njit

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]
U1 = npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint64]


class PartitionState(NamedTuple):
    """The groups and the matrix they are of; changed in place when a feature is added.

    The rows of group g are `perm[start[g] : start[g] + length[g]]`. `counted` and `counted_positive` are
    all zero between calls. A kernel takes the arrays out before its loops: handing the whole tuple to a
    call inside one is dear.
    """

    sizes: I8  # groups, features chosen, risky features chosen
    indptr: I8  # rows of the matrix, as sorted features
    indices: I4
    rank: I4  # by feature: its place among the chosen ones, −1 elsewhere
    risky: B1  # by feature: its absence may be known
    positive: U1  # by row: its class
    perm: I4  # rows, group after group
    position: I4  # by row: its place in perm
    group: I4  # by row
    start: I4  # by group, as all below
    length: I4
    size: I4  # features held
    signature: U8
    risky_signature: U8
    positives: I4  # rows of the positive class
    counted: I4
    counted_positive: I4
    touched: I4
    high: I4


# A cache that numba wrote for an earlier version names the class so, and cannot be read without.
Groups = PartitionState


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
    touched: I4, m: int, count: npt.NDArray[np.integer], k: int, groups: PartitionState
) -> bool:
    """Return whether each listed pattern seen fewer than k times is contained in one seen k times or more."""
    size, sig, risky_sig, high = groups.size, groups.signature, groups.risky_signature, groups.high
    perm, start = groups.perm, groups.start
    exact = groups.sizes[1] < 64
    any_risky = groups.sizes[2] > 0
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
                groups.indptr, groups.indices, groups.rank, groups.risky, perm[start[h]],
                perm[start[g]],
            ):  # fmt: skip
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
def feasible(rows: I4, f: int, k: int, mode: int, groups: PartitionState) -> bool:
    """Check a feature before it is added; mode 0 is containment, 1 is plain k-anonymity."""
    risky, length, count, touched = groups.risky, groups.length, groups.counted, groups.touched
    if mode == 0 and not risky[f]:
        if rows.size == 0:
            return True
        if rows.size < k:
            return False
    m = _touch(rows, groups.group, count, touched)
    good = True
    if mode == 1:
        for i in range(m):
            c, rest = count[touched[i]], length[touched[i]] - count[touched[i]]
            if c < k or (rest > 0 and rest < k):
                good = False
                break
    else:
        good = _maximal_are_frequent(touched, m, count, k, groups)
        if good and risky[f]:  # the rows without f become patterns of their own
            total = groups.sizes[0]
            others = np.empty(total, np.int32)
            names = np.empty(total, np.int32)
            for g in range(total):
                others[g] = length[g] - count[g]
                names[g] = g
            good = _maximal_are_frequent(names, total, others, k, groups)
    for i in range(m):
        count[touched[i]] = 0
    return good


@njit(cache=True, nogil=True)
def refine(rows: I4, f: int, groups: PartitionState) -> None:
    """Add a feature: split every group into the rows with it and the rows without it."""
    sizes, risky, positive, positives = (
        groups.sizes, groups.risky, groups.positive, groups.positives
    )  # fmt: skip
    perm, position, group = groups.perm, groups.position, groups.group
    start, length, size = groups.start, groups.length, groups.size
    sig, risky_sig, count, touched = (
        groups.signature, groups.risky_signature, groups.counted, groups.touched
    )  # fmt: skip
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
    groups.rank[f] = sizes[1]
    sizes[1] += 1
    if risky[f]:
        sizes[2] += 1
