"""Compiled refinement: a core is replaced by one that is worth more to its own members."""

from __future__ import annotations

import numpy as np

from ...._jit import njit
from ._core_kernels import (
    ALIVE,
    BEGIN,
    CORES,
    END,
    FIRST,
    HELD,
    ITEM,
    KEPT,
    SIZE,
    TALLY,
    K,
    clear,
    has_room,
    kill,
    members_of,
    move,
    new_core,
    new_token,
    shared_weight,
    tally,
)


@njit(cache=True, nogil=True)
def _holds(s, r, j):
    low, high = s.indptr[r], s.indptr[r + 1]
    while low < high:
        middle = (low + high) // 2
        if s.indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low < s.indptr[r + 1] and s.indices[low] == j


@njit(cache=True, nogil=True)
def _add_free_items(s, holding, n_holding, token):
    """Mark items that at least k of the holders share, dearest first; return the holders left."""
    k = s.numbers[K]
    while n_holding > k:
        for i in range(n_holding):
            tally(s, holding[i], HELD, 1)
        top, top_value = -1, np.int64(0)
        for i in range(n_holding):
            r = holding[i]
            for p in range(s.indptr[r], s.indptr[r + 1]):
                j = s.indices[p]
                value = s.item[j, TALLY] * s.weight[j]
                if s.item[j, HELD] >= k and s.mark[j] != token and value > top_value:
                    top, top_value = j, value
        for i in range(n_holding):
            clear(s, holding[i], HELD)
        if top < 0:
            break
        s.mark[top] = token
        left = np.int64(0)
        for i in range(n_holding):
            if _holds(s, holding[i], top):
                holding[left] = holding[i]
                left += 1
        n_holding = left
    return n_holding


@njit(cache=True, nogil=True)
def _worth(s, r, token):
    """Return what the marked items of row r are worth to the members that were tallied."""
    total = np.int64(0)
    for p in range(s.indptr[r], s.indptr[r + 1]):
        j = s.indices[p]
        if s.mark[j] == token:
            total += s.item[j, TALLY] * s.weight[j]
    return total


@njit(cache=True, nogil=True)
def _swap_holders(s, members, found, width, chosen):
    """Swap holders for other members while the items they share are worth more to all members."""
    k = s.numbers[K]
    stride = max(1, found // width)
    for a in range(k):
        tally(s, chosen[a], HELD, 1)
    for _ in range(4):
        better = False
        for a in range(k):
            out = chosen[a]
            tally(s, out, HELD, -1)
            trial = new_token(s)
            x = chosen[1] if a == 0 else chosen[0]
            for p in range(s.indptr[x], s.indptr[x + 1]):
                if s.item[s.indices[p], HELD] == k - 1:
                    s.mark[s.indices[p]] = trial
            top, top_value = -1, _worth(s, out, trial)
            for i in range(0, found, stride):
                x = members[i]
                value = _worth(s, x, trial)
                if value > top_value:
                    taken = False
                    for q in range(k):
                        if chosen[q] == x:
                            taken = True
                    if not taken:
                        top, top_value = x, value
            if top >= 0:
                chosen[a] = top
                better = True
            tally(s, chosen[a], HELD, 1)
        if not better:
            break
    token = new_token(s)
    x = chosen[0]
    for p in range(s.indptr[x], s.indptr[x + 1]):
        if s.item[s.indices[p], HELD] == k:
            s.mark[s.indices[p]] = token
    for a in range(k):
        clear(s, chosen[a], HELD)
    return token


@njit(cache=True, nogil=True)
def _refine_core(s, c, members, items, chosen, width):
    """Replace a core by one that is worth more to its own members; return whether that was possible."""
    k = s.numbers[K]
    found = members_of(s, c, members)
    if found > members.size or k < 2:
        return False
    before = np.int64(0)
    n_holding = np.int64(0)
    holding = np.empty(found, np.int64)
    for i in range(found):
        r = members[i]
        before += s.row[r, KEPT]
        if s.row[r, KEPT] == s.core[c, SIZE]:
            holding[n_holding] = r
            n_holding += 1
        tally(s, r, TALLY, 1)
    token = new_token(s)
    for p in range(s.core[c, BEGIN], s.core[c, END]):
        s.mark[s.entry[p, ITEM]] = token
    n_holding = _add_free_items(s, holding, n_holding, token)
    for a in range(k):
        chosen[a] = holding[a]
    token = _swap_holders(s, members, found, width, chosen)
    x = chosen[0]
    n_items = np.int64(0)
    after = np.int64(0)
    for p in range(s.indptr[x], s.indptr[x + 1]):
        j = s.indices[p]
        if s.mark[j] == token:
            items[n_items] = j
            n_items += 1
            after += s.item[j, TALLY] * s.weight[j]
    for i in range(found):
        clear(s, members[i], TALLY)
    if after <= before or not has_room(s, n_items):
        return False
    new = new_core(s, items, n_items)
    for i in range(found):
        r = members[i]
        move(s, r, new, shared_weight(s, r, token))
    kill(s, c)
    return True


@njit(cache=True, nogil=True)
def refine(s, width):
    """Refine every core once; return the number of cores replaced."""
    k = s.numbers[K]
    members = np.empty(s.row.shape[0], np.int64)
    items = np.empty(s.item.shape[0], np.int64)
    chosen = np.empty(k, np.int64)
    replaced = 0
    for c in range(s.numbers[CORES]):
        if s.core[c, ALIVE] and s.core[c, FIRST] >= 0:
            if _refine_core(s, np.int64(c), members, items, chosen, width):
                replaced += 1
    return replaced
