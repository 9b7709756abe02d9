"""Compiled loop of the clustering behind random flipping (greedy k-member clustering)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def k_member_clusters(indptr: I8, indices: I4, d: int, k: int, first: int) -> I4:
    """Group rows into clusters of at least k rows that differ in few features.

    A cluster starts at the row farthest from the last one and takes k − 1 times the row whose joining
    makes the fewest features non-uniform; what is left over joins the cluster it costs least.
    """
    n = indptr.size - 1
    cluster = np.full(n, -1, np.int32)
    left = np.arange(n).astype(np.int32)
    n_left = n
    held = np.zeros(d, np.int32)  # rows of the open cluster that hold each feature
    last = first
    clusters = 0
    while n_left >= k:
        held[:] = 0
        for i in range(indptr[last], indptr[last + 1]):
            held[indices[i]] = 1
        far, far_distance = 0, -1
        size_last = indptr[last + 1] - indptr[last]
        for q in range(n_left):
            r = left[q]
            common = 0
            for i in range(indptr[r], indptr[r + 1]):
                common += held[indices[i]]
            distance = size_last + (indptr[r + 1] - indptr[r]) - 2 * common
            if distance > far_distance:
                far, far_distance = q, distance
        held[:] = 0
        r = left[far]
        last = r
        n_left -= 1
        left[far] = left[n_left]
        cluster[r] = clusters
        for i in range(indptr[r], indptr[r + 1]):
            held[indices[i]] += 1
        everyone = indptr[r + 1] - indptr[r]  # features held by all members
        members = 1
        while members < k:
            best, best_cost, best_common = -1, np.int64(2**60), 0
            for q in range(n_left):
                r = left[q]
                new, common = 0, 0
                for i in range(indptr[r], indptr[r + 1]):
                    h = held[indices[i]]
                    if h == members:
                        common += 1
                    elif h == 0:
                        new += 1
                cost = new + everyone - common
                if cost < best_cost:
                    best, best_cost, best_common = q, cost, common
                    if cost == 0:
                        break
            r = left[best]
            n_left -= 1
            left[best] = left[n_left]
            cluster[r] = clusters
            for i in range(indptr[r], indptr[r + 1]):
                held[indices[i]] += 1
            everyone = best_common
            members += 1
        clusters += 1
    for q in range(n_left):  # fewer than k rows: each joins the last cluster's nearest row
        r = left[q]
        held[:] = 0
        for i in range(indptr[r], indptr[r + 1]):
            held[indices[i]] = 1
        near, near_distance = 0, np.int64(2**60)
        for s in range(n):
            if cluster[s] < 0:
                continue
            common = 0
            for i in range(indptr[s], indptr[s + 1]):
                common += held[indices[i]]
            distance = (indptr[r + 1] - indptr[r]) + (indptr[s + 1] - indptr[s]) - 2 * common
            if distance < near_distance:
                near, near_distance = s, distance
        left[q] = r
        cluster[r] = cluster[near] if clusters else 0
    return cluster
