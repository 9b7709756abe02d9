"""Compiled growth of new cores around rows: near rows become holders, all others may ride."""

from __future__ import annotations

import numpy as np

from ...._jit import njit
from ._core_kernels import (
    FULL,
    HOPE,
    KEPT,
    RIDERS,
    TALLY,
    K,
    clear,
    has_room,
    is_pinned,
    move,
    new_core,
    new_token,
    reserve,
    shared_weight,
    tally,
)


@njit(cache=True, nogil=True)
def _near(s, r, window, near):
    """Count the weight that nearby rows share with row r, in a window of each item's rows."""
    found = np.int64(0)
    for i in range(s.indptr[r], s.indptr[r + 1]):
        j = s.indices[i]
        a, b = s.starts[j], s.starts[j + 1]
        if b - a > window:
            low, high = a, b
            while low < high:
                middle = (low + high) // 2
                if s.rows[middle] < r:
                    low = middle + 1
                else:
                    high = middle
            a = max(a, min(low - window // 2, b - window))
            b = a + window
        for p in range(a, b):
            x = s.rows[p]
            if x == r:
                continue
            if s.seen[x] == 0:
                if found == near.size:
                    continue
                near[found] = x
                found += 1
            s.seen[x] += s.weight[j]
    return found


@njit(cache=True, nogil=True)
def _closest(s, near, found, best, width):
    """List the `width` rows that may leave their core and share most; forget the counts.

    Returns the number of rows listed.
    """
    n_best = np.int64(0)
    for i in range(found):
        x = near[i]
        value = s.seen[x]
        if n_best == width and value <= s.seen[best[n_best - 1]]:
            continue
        if is_pinned(s, x):
            continue
        at = n_best if n_best < width else width - 1
        while at > 0 and s.seen[best[at - 1]] < value:
            if at < width:
                best[at] = best[at - 1]
            at -= 1
        best[at] = x
        n_best = min(n_best + 1, width)
    for i in range(found):
        s.seen[near[i]] = 0
    return n_best


@njit(cache=True, nogil=True)
def _pick_holders(s, r, best, n_best, chosen):
    """Choose k - 1 rows besides row r that keep the common items heavy; leaves them reserved.

    The common items carry the mark of the token returned (0 where there are too few rows).
    """
    k = s.numbers[K]
    token = new_token(s)
    for i in range(s.indptr[r], s.indptr[r + 1]):
        s.mark[s.indices[i]] = token
    used = np.zeros(n_best, np.bool_)
    chosen[0] = r
    n_chosen = np.int64(1)
    reserve(s, r, -1)
    while n_chosen < k:
        top, top_value = -1, np.int64(-(2**62))
        for t in range(n_best):
            if used[t] or is_pinned(s, best[t]):
                continue
            value = shared_weight(s, best[t], token)
            if value == 0:
                continue
            value = value * k - s.row[best[t], KEPT]
            if value > top_value:
                top, top_value = t, value
        if top < 0:
            break
        used[top] = True
        x = best[top]
        fresh = new_token(s)
        for i in range(s.indptr[x], s.indptr[x + 1]):
            j = s.indices[i]
            if s.mark[j] == token:
                s.mark[j] = fresh
        token = fresh
        chosen[n_chosen] = x
        n_chosen += 1
        reserve(s, x, -1)
    if n_chosen < k:
        for i in range(n_chosen):
            reserve(s, chosen[i], 1)
        return np.int64(0)
    for _ in range(2):  # leave one out, take the row that keeps most of what the others share
        better = False
        for i in range(n_chosen):
            tally(s, chosen[i], TALLY, 1)
        for a in range(1, n_chosen):
            out = chosen[a]
            trial = new_token(s)
            tally(s, out, TALLY, -1)
            for p in range(s.indptr[r], s.indptr[r + 1]):
                j = s.indices[p]
                if s.item[j, TALLY] == k - 1:
                    s.mark[j] = trial
            old = shared_weight(s, out, trial) * k - s.row[out, KEPT]
            top, top_value = -1, old
            for t in range(n_best):
                if used[t] or is_pinned(s, best[t]):
                    continue
                value = shared_weight(s, best[t], trial) * k - s.row[best[t], KEPT]
                if value > top_value:
                    top, top_value = t, value
            if top >= 0:
                used[top] = True
                for t in range(n_best):
                    if best[t] == out:
                        used[t] = False
                reserve(s, out, 1)
                chosen[a] = best[top]
                reserve(s, chosen[a], -1)
                better = True
            tally(s, chosen[a], TALLY, 1)
        token = new_token(s)
        for p in range(s.indptr[r], s.indptr[r + 1]):
            if s.item[s.indices[p], TALLY] == k:
                s.mark[s.indices[p]] = token
        for i in range(n_chosen):
            clear(s, chosen[i], TALLY)
        if not better:
            break
    return token


@njit(cache=True, nogil=True)
def _candidates(s, items, n_items, near, found, token):
    """Count what rows share with the items of a new core; return how many rows `near` lists.

    Where the postings of the items are shorter than the rows listed so far, every row that holds one of
    the items is listed and counted; else the rows listed are counted by their marked items.
    """
    n = s.row.shape[0]
    postings = np.int64(0)
    for i in range(n_items):
        postings += s.starts[items[i] + 1] - s.starts[items[i]]
    if postings > max(near.size, found * (s.indices.size // n)) or (
        n > near.size and postings > near.size
    ):
        for i in range(found):
            s.seen[near[i]] = shared_weight(s, near[i], token)
        return found
    listed = np.int64(0)
    for i in range(n_items):
        j = items[i]
        for p in range(s.starts[j], s.starts[j + 1]):
            x = s.rows[p]
            if s.seen[x] == 0:
                near[listed] = x
                listed += 1
            s.seen[x] += s.weight[j]
    return listed


@njit(cache=True, nogil=True)
def _grow_from(s, r, window, width, least, near, best, chosen, items):
    """Try a new core around row r; return whether it was worth it."""
    k = s.numbers[K]
    if s.row[r, KEPT] == s.row[r, FULL] or is_pinned(s, r):
        return False
    found = _near(s, r, window, near)
    n_best = _closest(s, near, found, best, width)
    token = _pick_holders(s, r, best, n_best, chosen)
    if token == 0:
        return False
    n_items = np.int64(0)
    size = np.int64(0)
    for p in range(s.indptr[r], s.indptr[r + 1]):
        j = s.indices[p]
        if s.mark[j] == token:
            items[n_items] = j
            n_items += 1
            size += s.weight[j]
    gain = np.int64(0)
    for i in range(k):
        gain += size - s.row[chosen[i], KEPT]
    riders = np.int64(0)
    if size > 0:
        found = _candidates(s, items, n_items, near, found, token)
        for i in range(k):
            s.seen[chosen[i]] = 0
        for i in range(found):
            x = near[i]
            shared = np.int64(s.seen[x])
            s.seen[x] = 0
            if shared > s.row[x, KEPT] and (s.numbers[RIDERS] or shared == size):
                if not is_pinned(s, x):
                    gain += shared - s.row[x, KEPT]
                    near[riders] = x
                    riders += 1
    for i in range(k):
        reserve(s, chosen[i], 1)
    s.row[r, HOPE] = gain
    if gain < least or size == 0 or not has_room(s, n_items):
        return False
    c = new_core(s, items, n_items)
    for i in range(k):
        move(s, chosen[i], c, size)
    for i in range(riders):
        x = near[i]
        if not is_pinned(s, x):
            shared = shared_weight(s, x, token)
            if shared > s.row[x, KEPT]:
                move(s, x, c, shared)
    return True


@njit(cache=True, nogil=True)
def grow(s, order, window, width, least):
    """Try a new core around each row in turn; return the number of cores made."""
    k = s.numbers[K]
    near = np.empty(min(s.row.shape[0], 20_000), np.int64)
    best = np.empty(width + 1, np.int64)
    chosen = np.empty(k, np.int64)
    items = np.empty(s.item.shape[0], np.int64)
    made = 0
    for i in range(order.size):
        if s.row[order[i], HOPE] < least:
            continue
        if _grow_from(s, order[i], window, width, least, near, best, chosen, items):
            made += 1
    return made
