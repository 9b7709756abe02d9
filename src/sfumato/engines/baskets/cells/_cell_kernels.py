"""Compiled moves on a family of cores: which core a row rides on, new cores, better cores.

A core is a set of items that at least k rows hold and publish exactly (its holders); every other row
publishes what it shares with the core it rides on. Every change goes through `_move`, `_new_core` and
`_kill`, which keep the counts right. What belongs to a row, a core or an item lies
together in one array: few arrays are passed on, which compiles in a fraction of the time. For the same
reason numbers passed between the functions are 64-bit throughout: each is compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]

# slots of State.numbers
CORES, POOL, TOTAL, TOKEN, K, RIDERS = range(6)
# columns of State.row: the core of a row (-1: none), the weight it publishes and the weight of all its
# items, its neighbours in the list of the core's members, the gain of the core last tried around it
CORE, KEPT, FULL, NEXT, PREVIOUS, HOPE = range(6)
# columns of State.core: a member, the number of holders, the weight of its items, which lie at
# State.entry[begin:end], whether it still counts, scratch that is zero between calls
FIRST, HOLDERS, SIZE, BEGIN, END, ALIVE, MET = range(7)
# columns of State.item: the first of its entries (-1: none), how many live cores hold it, and two
# scratch counts that are zero between calls
HEAD, LIVE, TALLY, HELD = range(4)
# columns of State.entry: an item, a core that holds it, the next entry of the same item (-1: none)
ITEM, OF, AFTER = range(3)


class State(NamedTuple):
    """Rows, cores and scratch space; arrays are changed in place, scalars live in `numbers`.

    `numbers[RIDERS]` is 0 where a row publishes a whole core or nothing.
    """

    indptr: I8
    indices: I4
    starts: I8  # postings of item j: rows[starts[j] : starts[j + 1]], ascending
    rows: I4
    weight: I8  # of each item
    mark: I8  # scratch by item
    seen: I4  # scratch by row, zero between calls
    item: I8
    row: I8
    core: I8
    entry: I4
    numbers: I8


@njit(cache=True, nogil=True)
def _token(s):
    s.numbers[TOKEN] += 1
    return s.numbers[TOKEN]


@njit(cache=True, nogil=True)
def _move(s, r, c, kept):
    """Let row r ride on core c, publishing weight `kept`."""
    old = s.row[r, CORE]
    if old >= 0:
        a, b = s.row[r, PREVIOUS], s.row[r, NEXT]
        if a >= 0:
            s.row[a, NEXT] = b
        else:
            s.core[old, FIRST] = b
        if b >= 0:
            s.row[b, PREVIOUS] = a
        if s.row[r, KEPT] == s.core[old, SIZE]:
            s.core[old, HOLDERS] -= 1
    s.numbers[TOTAL] += kept - s.row[r, KEPT]
    s.row[r, CORE] = c
    s.row[r, KEPT] = kept
    head = s.core[c, FIRST]
    s.row[r, NEXT] = head
    s.row[r, PREVIOUS] = -1
    if head >= 0:
        s.row[head, PREVIOUS] = r
    s.core[c, FIRST] = r
    if kept == s.core[c, SIZE]:
        s.core[c, HOLDERS] += 1


@njit(cache=True, nogil=True)
def _has_room(s, items):
    return s.numbers[CORES] + 2 < s.core.shape[0] and s.numbers[POOL] + items + 2 < s.entry.shape[0]


@njit(cache=True, nogil=True)
def _new_core(s, items, n_items):
    c = s.numbers[CORES]
    s.numbers[CORES] += 1
    p = s.numbers[POOL]
    s.core[c, BEGIN] = p
    total = np.int64(0)
    for i in range(n_items):
        j = items[i]
        s.entry[p, ITEM] = j
        s.entry[p, OF] = c
        s.entry[p, AFTER] = s.item[j, HEAD]
        s.item[j, HEAD] = p
        s.item[j, LIVE] += 1
        total += s.weight[j]
        p += 1
    s.core[c, END] = p
    s.numbers[POOL] = p
    s.core[c, SIZE] = total
    s.core[c, FIRST] = -1
    s.core[c, HOLDERS] = 0
    s.core[c, ALIVE] = True
    return c


@njit(cache=True, nogil=True)
def _kill(s, c):
    s.core[c, ALIVE] = False
    for p in range(s.core[c, BEGIN], s.core[c, END]):
        s.item[s.entry[p, ITEM], LIVE] -= 1


@njit(cache=True, nogil=True)
def _pinned(s, r):
    """Return whether the core of row r would have fewer than k holders without it."""
    c = s.row[r, CORE]
    return c >= 0 and s.row[r, KEPT] == s.core[c, SIZE] and s.core[c, HOLDERS] <= s.numbers[K]


@njit(cache=True, nogil=True)
def _shared(s, r, token):
    """Return the weight of the items of row r that carry the mark."""
    total = np.int64(0)
    for i in range(s.indptr[r], s.indptr[r + 1]):
        j = s.indices[i]
        if s.mark[j] == token:
            total += s.weight[j]
    return total


@njit(cache=True, nogil=True)
def _best_core(s, r, bound, budget, touched):
    """Find the core that shares most with row r, if it shares more than `bound`.

    Items are read from the one that fewest cores hold; once the weight of the unread ones cannot beat
    the bound, a core not met yet cannot either (prefix filter). `budget` limits the entries read.
    """
    a, b = s.indptr[r], s.indptr[r + 1]
    m = b - a
    order = np.empty(m, np.int32)
    keys = np.empty(m, np.int64)
    n_items = np.int64(0)
    rest = np.int64(0)
    for i in range(a, b):
        j = s.indices[i]
        if s.item[j, LIVE] > 0:
            order[n_items] = j
            keys[n_items] = s.item[j, LIVE]
            n_items += 1
            rest += s.weight[j]
    if rest <= bound:
        return np.int64(-1), np.int64(0)
    by = np.argsort(keys[:n_items])
    n_touched = 0
    read = 0
    token = _token(s)
    for i in range(n_items):
        s.mark[order[i]] = token
    for q in range(n_items):
        if rest <= bound or read > budget:
            break
        j = order[by[q]]
        p = s.item[j, HEAD]
        while p >= 0 and read <= budget:
            c = s.entry[p, OF]
            read += 1
            if s.core[c, ALIVE]:
                if s.core[c, MET] == 0:
                    touched[n_touched] = c
                    n_touched += 1
                s.core[c, MET] += s.weight[j]
            p = s.entry[p, AFTER]
        rest -= s.weight[j]
    best, best_core = bound, np.int64(-1)
    for t in range(n_touched):
        c = touched[t]
        if s.core[c, MET] + rest > best or read > budget:
            total = np.int64(0)
            for p in range(s.core[c, BEGIN], s.core[c, END]):
                if s.mark[s.entry[p, ITEM]] == token:
                    total += s.weight[s.entry[p, ITEM]]
            if total > best and (s.numbers[RIDERS] or total == s.core[c, SIZE]):
                best, best_core = total, np.int64(c)
        s.core[c, MET] = 0
    return best_core, best


@njit(cache=True, nogil=True)
def reassign(s, order, budget):
    """Let every row that may leave its core ride on the one that shares most; return the rows moved."""
    touched = np.empty(s.core.shape[0], np.int64)
    moved = 0
    for i in range(order.size):
        r = order[i]
        if s.row[r, KEPT] == s.row[r, FULL] or _pinned(s, r):
            continue
        c, kept = _best_core(s, r, s.row[r, KEPT], budget, touched)
        if c >= 0:
            _move(s, r, c, kept)
            moved += 1
    return moved


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
        if _pinned(s, x):
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
def _reserve(s, r, by):
    """Count row r out of (by = -1) or back into (by = 1) the holders of its core."""
    c = s.row[r, CORE]
    if c >= 0 and s.row[r, KEPT] == s.core[c, SIZE]:
        s.core[c, HOLDERS] += by


@njit(cache=True, nogil=True)
def _pick_holders(s, r, best, n_best, chosen):
    """Choose k - 1 rows beside row r that keep the common items heavy; leaves them reserved.

    The common items carry the mark of the token returned (0 where there are too few rows).
    """
    k = s.numbers[K]
    token = _token(s)
    for i in range(s.indptr[r], s.indptr[r + 1]):
        s.mark[s.indices[i]] = token
    used = np.zeros(n_best, np.bool_)
    chosen[0] = r
    n_chosen = np.int64(1)
    _reserve(s, r, -1)
    while n_chosen < k:
        top, top_value = -1, np.int64(-(2**62))
        for t in range(n_best):
            if used[t] or _pinned(s, best[t]):
                continue
            value = _shared(s, best[t], token)
            if value == 0:
                continue
            value = value * k - s.row[best[t], KEPT]
            if value > top_value:
                top, top_value = t, value
        if top < 0:
            break
        used[top] = True
        x = best[top]
        fresh = _token(s)
        for i in range(s.indptr[x], s.indptr[x + 1]):
            j = s.indices[i]
            if s.mark[j] == token:
                s.mark[j] = fresh
        token = fresh
        chosen[n_chosen] = x
        n_chosen += 1
        _reserve(s, x, -1)
    if n_chosen < k:
        for i in range(n_chosen):
            _reserve(s, chosen[i], 1)
        return np.int64(0)
    for _ in range(2):  # leave one out, take the row that keeps most of what the others share
        better = False
        for i in range(n_chosen):
            x = chosen[i]
            for p in range(s.indptr[x], s.indptr[x + 1]):
                s.item[s.indices[p], TALLY] += 1
        for a in range(1, n_chosen):
            out = chosen[a]
            trial = _token(s)
            for p in range(s.indptr[out], s.indptr[out + 1]):
                s.item[s.indices[p], TALLY] -= 1
            for p in range(s.indptr[r], s.indptr[r + 1]):
                j = s.indices[p]
                if s.item[j, TALLY] == k - 1:
                    s.mark[j] = trial
            old = _shared(s, out, trial) * k - s.row[out, KEPT]
            top, top_value = -1, old
            for t in range(n_best):
                if used[t] or _pinned(s, best[t]):
                    continue
                value = _shared(s, best[t], trial) * k - s.row[best[t], KEPT]
                if value > top_value:
                    top, top_value = t, value
            if top >= 0:
                used[top] = True
                for t in range(n_best):
                    if best[t] == out:
                        used[t] = False
                _reserve(s, out, 1)
                chosen[a] = best[top]
                _reserve(s, chosen[a], -1)
                better = True
            x = chosen[a]
            for p in range(s.indptr[x], s.indptr[x + 1]):
                s.item[s.indices[p], TALLY] += 1
        token = _token(s)
        for p in range(s.indptr[r], s.indptr[r + 1]):
            if s.item[s.indices[p], TALLY] == k:
                s.mark[s.indices[p]] = token
        for i in range(n_chosen):
            x = chosen[i]
            for p in range(s.indptr[x], s.indptr[x + 1]):
                s.item[s.indices[p], TALLY] = 0
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
            s.seen[near[i]] = _shared(s, near[i], token)
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
    if s.row[r, KEPT] == s.row[r, FULL] or _pinned(s, r):
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
                if not _pinned(s, x):
                    gain += shared - s.row[x, KEPT]
                    near[riders] = x
                    riders += 1
    for i in range(k):
        _reserve(s, chosen[i], 1)
    s.row[r, HOPE] = gain
    if gain < least or size == 0 or not _has_room(s, n_items):
        return False
    c = _new_core(s, items, n_items)
    for i in range(k):
        _move(s, chosen[i], c, size)
    for i in range(riders):
        x = near[i]
        if not _pinned(s, x):
            shared = _shared(s, x, token)
            if shared > s.row[x, KEPT]:
                _move(s, x, c, shared)
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


@njit(cache=True, nogil=True)
def _members(s, c, out):
    found = np.int64(0)
    r = s.core[c, FIRST]
    while r >= 0:
        if found < out.size:
            out[found] = r
        found += 1
        r = s.row[r, NEXT]
    return found


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
            r = holding[i]
            for p in range(s.indptr[r], s.indptr[r + 1]):
                s.item[s.indices[p], HELD] += 1
        top, top_value = -1, np.int64(0)
        for i in range(n_holding):
            r = holding[i]
            for p in range(s.indptr[r], s.indptr[r + 1]):
                j = s.indices[p]
                value = s.item[j, TALLY] * s.weight[j]
                if s.item[j, HELD] >= k and s.mark[j] != token and value > top_value:
                    top, top_value = j, value
        for i in range(n_holding):
            r = holding[i]
            for p in range(s.indptr[r], s.indptr[r + 1]):
                s.item[s.indices[p], HELD] = 0
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
        x = chosen[a]
        for p in range(s.indptr[x], s.indptr[x + 1]):
            s.item[s.indices[p], HELD] += 1
    for _ in range(4):
        better = False
        for a in range(k):
            out = chosen[a]
            for p in range(s.indptr[out], s.indptr[out + 1]):
                s.item[s.indices[p], HELD] -= 1
            trial = _token(s)
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
            x = chosen[a]
            for p in range(s.indptr[x], s.indptr[x + 1]):
                s.item[s.indices[p], HELD] += 1
        if not better:
            break
    token = _token(s)
    x = chosen[0]
    for p in range(s.indptr[x], s.indptr[x + 1]):
        if s.item[s.indices[p], HELD] == k:
            s.mark[s.indices[p]] = token
    for a in range(k):
        x = chosen[a]
        for p in range(s.indptr[x], s.indptr[x + 1]):
            s.item[s.indices[p], HELD] = 0
    return token


@njit(cache=True, nogil=True)
def _refine_core(s, c, members, items, chosen, width):
    """Replace a core by one that is worth more to its own members; return whether that was possible."""
    k = s.numbers[K]
    found = _members(s, c, members)
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
        for p in range(s.indptr[r], s.indptr[r + 1]):
            s.item[s.indices[p], TALLY] += 1
    token = _token(s)
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
        r = members[i]
        for p in range(s.indptr[r], s.indptr[r + 1]):
            s.item[s.indices[p], TALLY] = 0
    if after <= before or not _has_room(s, n_items):
        return False
    new = _new_core(s, items, n_items)
    for i in range(found):
        r = members[i]
        _move(s, r, new, _shared(s, r, token))
    _kill(s, c)
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


@njit(cache=True, nogil=True)
def load_cores(s, indptr, indices, of_row, representative, chosen):
    """Make the chosen patterns of a release cores, and let every row ride on the one it lies in."""
    number = np.full(representative.size, -1, np.int64)
    items = np.empty(s.item.shape[0], np.int64)
    for i in range(chosen.size):
        r = representative[chosen[i]]
        n_items = np.int64(indptr[r + 1] - indptr[r])
        items[:n_items] = indices[indptr[r] : indptr[r + 1]]
        number[chosen[i]] = _new_core(s, items, n_items)
    for r in range(indptr.size - 1):
        c = number[of_row[r]]
        if c >= 0:
            _move(s, np.int64(r), c, s.core[c, SIZE])
    touched = np.empty(s.core.shape[0], np.int64)
    for r in range(indptr.size - 1):
        if s.row[r, CORE] < 0:
            c, kept = _best_core(s, np.int64(r), s.row[r, KEPT], np.int64(2**40), touched)
            if c >= 0:
                _move(s, np.int64(r), c, kept)


@njit(cache=True, nogil=True)
def compact(s):
    """Forget the cores that died, and index the others anew."""
    number = np.full(s.numbers[CORES], -1, np.int64)
    cores, p = 0, 0
    for j in range(s.item.shape[0]):
        s.item[j, HEAD] = -1
        s.item[j, LIVE] = 0
    for c in range(s.numbers[CORES]):
        if not s.core[c, ALIVE] or s.core[c, FIRST] < 0:
            s.core[c, ALIVE] = False
            continue
        number[c] = cores
        a, b = s.core[c, BEGIN], s.core[c, END]
        s.core[cores, BEGIN] = p
        for q in range(a, b):
            j = s.entry[q, ITEM]
            s.entry[p, ITEM] = j
            s.entry[p, OF] = cores
            s.entry[p, AFTER] = s.item[j, HEAD]
            s.item[j, HEAD] = p
            s.item[j, LIVE] += 1
            p += 1
        s.core[cores, END] = p
        s.core[cores, FIRST] = s.core[c, FIRST]
        s.core[cores, HOLDERS] = s.core[c, HOLDERS]
        s.core[cores, SIZE] = s.core[c, SIZE]
        s.core[cores, ALIVE] = True
        cores += 1
    for c in range(cores, s.numbers[CORES]):
        s.core[c, ALIVE] = False
    for r in range(s.row.shape[0]):
        if s.row[r, CORE] >= 0:
            s.row[r, CORE] = number[s.row[r, CORE]]
    s.numbers[CORES] = cores
    s.numbers[POOL] = p


@njit(cache=True, nogil=True)
def published(s):
    """List what each row publishes: the items it shares with its core."""
    n = s.row.shape[0]
    indptr = np.zeros(n + 1, np.int64)
    indices = np.empty(s.indices.shape[0], np.int32)
    o = 0
    for r in range(n):
        c = s.row[r, CORE]
        if c >= 0:
            token = _token(s)
            for p in range(s.core[c, BEGIN], s.core[c, END]):
                s.mark[s.entry[p, ITEM]] = token
            for i in range(s.indptr[r], s.indptr[r + 1]):
                if s.mark[s.indices[i]] == token:
                    indices[o] = s.indices[i]
                    o += 1
        indptr[r + 1] = o
    return indptr, indices[:o].copy()
