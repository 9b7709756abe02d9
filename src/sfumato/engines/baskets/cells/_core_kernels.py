"""Compiled moves on a family of cores: which core a row rides on, and how cores come and go.

A core is a set of items that at least k rows hold and publish exactly (its holders); every other row
publishes what it shares with the core it rides on. Every change goes through `move`, `new_core` and
`kill`, which keep the counts right. What belongs to a row, a core or an item is together in one array:
few arrays are passed on, which compiles in a fraction of the time. For the same reason numbers passed
between the functions are 64-bit throughout: each is compiled once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...._jit import njit

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
def new_token(s):
    s.numbers[TOKEN] += 1
    return s.numbers[TOKEN]


@njit(cache=True, nogil=True)
def move(s, r, c, kept):
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
def has_room(s, items):
    return s.numbers[CORES] + 2 < s.core.shape[0] and s.numbers[POOL] + items + 2 < s.entry.shape[0]


@njit(cache=True, nogil=True)
def new_core(s, items, n_items):
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
def kill(s, c):
    s.core[c, ALIVE] = False
    for p in range(s.core[c, BEGIN], s.core[c, END]):
        s.item[s.entry[p, ITEM], LIVE] -= 1


@njit(cache=True, nogil=True)
def is_pinned(s, r):
    """Return whether the core of row r would have fewer than k holders without it."""
    c = s.row[r, CORE]
    return c >= 0 and s.row[r, KEPT] == s.core[c, SIZE] and s.core[c, HOLDERS] <= s.numbers[K]


@njit(cache=True, nogil=True)
def reserve(s, r, by):
    """Count row r out of (by = -1) or back into (by = 1) the holders of its core."""
    c = s.row[r, CORE]
    if c >= 0 and s.row[r, KEPT] == s.core[c, SIZE]:
        s.core[c, HOLDERS] += by


@njit(cache=True, nogil=True)
def shared_weight(s, r, token):
    """Return the weight of the items of row r that carry the mark."""
    total = np.int64(0)
    for i in range(s.indptr[r], s.indptr[r + 1]):
        j = s.indices[i]
        if s.mark[j] == token:
            total += s.weight[j]
    return total


@njit(cache=True, nogil=True)
def tally(s, r, column, by):
    """Count the items of row r up or down in a column of the items."""
    for p in range(s.indptr[r], s.indptr[r + 1]):
        s.item[s.indices[p], column] += by


@njit(cache=True, nogil=True)
def clear(s, r, column):
    """Set a column of the items to zero for those of row r."""
    for p in range(s.indptr[r], s.indptr[r + 1]):
        s.item[s.indices[p], column] = 0


@njit(cache=True, nogil=True)
def members_of(s, c, out):
    found = np.int64(0)
    r = s.core[c, FIRST]
    while r >= 0:
        if found < out.size:
            out[found] = r
        found += 1
        r = s.row[r, NEXT]
    return found


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
    token = new_token(s)
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
        if s.row[r, KEPT] == s.row[r, FULL] or is_pinned(s, r):
            continue
        c, kept = _best_core(s, r, s.row[r, KEPT], budget, touched)
        if c >= 0:
            move(s, r, c, kept)
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def load_cores(s, indptr, indices, of_row, representative, chosen):
    """Make the chosen patterns of a release cores, and assign every row to the one that holds it."""
    number = np.full(representative.size, -1, np.int64)
    items = np.empty(s.item.shape[0], np.int64)
    for i in range(chosen.size):
        r = representative[chosen[i]]
        n_items = np.int64(indptr[r + 1] - indptr[r])
        items[:n_items] = indices[indptr[r] : indptr[r + 1]]
        number[chosen[i]] = new_core(s, items, n_items)
    for r in range(indptr.size - 1):
        c = number[of_row[r]]
        if c >= 0:
            move(s, np.int64(r), c, s.core[c, SIZE])
    touched = np.empty(s.core.shape[0], np.int64)
    for r in range(indptr.size - 1):
        if s.row[r, CORE] < 0:
            c, kept = _best_core(s, np.int64(r), s.row[r, KEPT], np.int64(2**40), touched)
            if c >= 0:
                move(s, np.int64(r), c, kept)


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
def published_rows(s):
    """List what each row publishes: the items it shares with its core."""
    n = s.row.shape[0]
    indptr = np.zeros(n + 1, np.int64)
    indices = np.empty(s.indices.shape[0], np.int32)
    o = 0
    for r in range(n):
        c = s.row[r, CORE]
        if c >= 0:
            token = new_token(s)
            for p in range(s.core[c, BEGIN], s.core[c, END]):
                s.mark[s.entry[p, ITEM]] = token
            for i in range(s.indptr[r], s.indptr[r + 1]):
                if s.mark[s.indices[i]] == token:
                    indices[o] = s.indices[i]
                    o += 1
        indptr[r + 1] = o
    return indptr, indices[:o].copy()
