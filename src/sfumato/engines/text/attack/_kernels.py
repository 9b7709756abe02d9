"""The compiled loop of inspection: what the best-scored words of many drawn batches hold."""

from __future__ import annotations

from ...._jit import njit


@njit("void(f8[::1], f8[::1], i8[::1], f8[:, ::1], f8[::1], f8[:, ::1])", cache=True, nogil=True)
def ranked_batches(ordered, hits, owner, weights, budgets, found):
    """Fill, by batch and ascending budget, how many sensitive words are found best first.

    `weights` says how often each document is in each batch. Inside a group of ties the expected hits
    grow linearly with the words read.
    """
    for batch in range(weights.shape[0]):
        at = 0
        reached = 0.0
        collected = 0.0
        first = 0
        while first < len(ordered) and at < len(budgets):
            weight = weights[batch, owner[first]]
            size = weight
            good = weight * hits[first]
            last = first + 1
            while last < len(ordered) and ordered[last] == ordered[first]:
                weight = weights[batch, owner[last]]
                size += weight
                good += weight * hits[last]
                last += 1
            while at < len(budgets) and budgets[at] < reached + size:
                found[batch, at] = good / size * (budgets[at] - reached) + collected
                at += 1
            reached += size
            collected += good
            first = last
        while at < len(budgets):
            found[batch, at] = collected
            at += 1
