"""Compiled loops of triples of items: which are rare, and the ones to suppress because of them.

Items are ranks, 0 the most common; rows hold ascending ranks. Triples are counted in a hash table of
open addressing, whose keys are -1 where a slot is free.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit
from ._pair_kernels import count_company, published_items

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def _slot(table, key):
    mask = table.size - 1
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    at = np.int64(h >> np.uint64(20)) & mask
    while table[at] != -1 and table[at] != key:
        at = (at + 1) & mask
    return at


@njit(cache=True, nogil=True)
def _triple(table, d, a, b, c):
    """Return the slot of three items in any order."""
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
        if a > b:
            a, b = b, a
    return _slot(table, (np.int64(a) * d + b) * d + c)


@njit(cache=True, nogil=True)
def count_triples(indptr, ranks, kept, offered, d, longest, slots):
    """Count the rows that publish each triple of what is offered, in a table of 2^n slots."""
    table = np.full(slots, -1, np.int64)
    counts = np.zeros(slots, np.int32)
    items = np.empty(longest, np.int32)
    place = np.empty(longest, np.int64)
    for r in range(indptr.size - 1):
        m = published_items(indptr, ranks, offered, r, items, place)
        for a in range(m):
            for b in range(a):
                for c in range(b):
                    at = _triple(table, d, items[a], items[b], items[c])
                    if table[at] == -1:
                        table[at] = (np.int64(items[c]) * d + items[b]) * d + items[a]
                    if kept[place[a]] and kept[place[b]] and kept[place[c]]:
                        counts[at] += 1
    return table, counts


@njit(cache=True, nogil=True)
def _drop_from_row(table, counts, d, k, items, m, out):
    """Mark in `out` the items to drop, most rare triples first, until none is rare; return how many."""
    bad = np.zeros(m, np.int64)
    total = np.int64(0)
    for a in range(m):
        for b in range(a):
            for c in range(b):
                if counts[_triple(table, d, items[a], items[b], items[c])] < k:
                    bad[a] += 1
                    bad[b] += 1
                    bad[c] += 1
                    total += 1
    dropped = 0
    while total > 0:
        worst = 0
        for a in range(1, m):  # of equals the rarer item: its loss touches fewer others
            if bad[a] >= bad[worst]:
                worst = a
        for b in range(m):
            for c in range(b):
                if b == worst or c == worst or out[b] or out[c]:
                    continue
                if counts[_triple(table, d, items[worst], items[b], items[c])] < k:
                    bad[b] -= 1
                    bad[c] -= 1
                    total -= 1
        bad[worst] = 0
        out[worst] = True
        dropped += 1
    return dropped


@njit(cache=True, nogil=True)
def repair_triples(indptr, ranks, kept, table, counts, d, k, order, longest):
    """Drop items until no published triple is rare; return the ones dropped."""
    items = np.empty(longest, np.int32)
    place = np.empty(longest, np.int64)
    out = np.zeros(longest, np.bool_)
    total = 0
    while True:
        before = total
        for q in range(order.size):
            m = published_items(indptr, ranks, kept, order[q], items, place)
            out[:m] = False
            if m < 3 or _drop_from_row(table, counts, d, k, items, m, out) == 0:
                continue
            for a in range(m):
                for b in range(a):
                    for c in range(b):
                        if out[a] or out[b] or out[c]:
                            counts[_triple(table, d, items[a], items[b], items[c])] -= 1
                if out[a]:
                    kept[place[a]] = False
                    total += 1
        if total == before:
            return total


@njit(cache=True, nogil=True)
def restore_triples(
    indptr, ranks, kept, offered, table, counts, d, k, order, longest, votes, voting
):
    """Put items back into rows of two items or more where every triple they make is shared by k rows.

    With voting = 1 nothing is put back: the blocking triples get a vote each. With
    voting = 2 an item is put back, too, where its triples have k rows and votes together; some will be
    rare anyway and need a repair. Returns the items put back.
    """
    items = np.empty(longest, np.int32)
    place = np.empty(longest, np.int64)
    added = 0
    for q in range(order.size):
        r = order[q]
        m = published_items(indptr, ranks, kept, r, items, place)
        if m < 2:
            continue
        for i in range(indptr[r], indptr[r + 1]):
            if kept[i] or not offered[i]:
                continue
            fits = True
            for a in range(m):
                for b in range(a):
                    at = _triple(table, d, ranks[i], items[a], items[b])
                    if table[at] == -1:
                        fits = False
                        break
                    if counts[at] < k:
                        if voting == 1:
                            votes[at] += 1
                        elif voting == 0 or votes[at] + counts[at] < k:
                            fits = False
                            break
                if not fits:
                    break
            if not fits or voting == 1:
                continue
            for a in range(m):
                for b in range(a):
                    counts[_triple(table, d, ranks[i], items[a], items[b])] += 1
            kept[i] = True
            items[m] = ranks[i]
            place[m] = i
            m += 1
            added += 1
    return added


@njit(cache=True, nogil=True)
def drop_rare_triples(
    indptr: I8, ranks: I4, kept: B1, starts: I8, places: I8, row_of: I4, k: int, room: int
) -> int:
    """Drop, from the rarest item up, an item from each row where it is part of a rare triple.

    Each triple is counted with its rarest item; one whose triples need more than `room` table entries is
    dropped from its rows. Returns the ones dropped.
    """
    d = starts.size - 1
    size = 1 << 12
    table = np.full(size, -1, np.int64)
    count = np.zeros(size, np.int32)
    dropped = 0
    for j in range(d - 1, -1, -1):
        need = np.int64(0)
        for p in range(starts[j], starts[j + 1]):
            if kept[places[p]]:
                m = 0
                for i in range(indptr[row_of[p]], places[p]):
                    m += kept[i]
                need += m * (m - 1) // 2
        if need == 0:
            continue
        if need > room:
            for p in range(starts[j], starts[j + 1]):
                if kept[places[p]]:
                    kept[places[p]] = False
                    dropped += 1
            continue
        while size < 2 * need:
            size *= 2
        if table.size < size:
            table = np.full(size, -1, np.int64)
            count = np.zeros(size, np.int32)
        used = np.empty(need, np.int64)
        n_used = 0
        for turn in range(2):
            for p in range(starts[j], starts[j + 1]):
                if not kept[places[p]]:
                    continue
                r = row_of[p]
                bad = False
                for a in range(indptr[r], places[p]):
                    if not kept[a]:
                        continue
                    for b in range(indptr[r], a):
                        if not kept[b]:
                            continue
                        at = _slot(table, np.int64(ranks[a]) * d + ranks[b])
                        if turn == 0:
                            if table[at] == -1:
                                table[at] = np.int64(ranks[a]) * d + ranks[b]
                                used[n_used] = at
                                n_used += 1
                            count[at] += 1
                        elif count[at] < k:
                            bad = True
                            break
                    if bad:
                        break
                if bad:
                    kept[places[p]] = False
                    dropped += 1
        for q in range(n_used):
            table[used[q]] = -1
            count[used[q]] = 0
    return dropped


@njit(cache=True, nogil=True)
def fewest_with_triple(
    indptr: I8, ranks: I4, starts: I8, rows: I4, floor: int, best: int, work: int
) -> tuple[int, bool]:
    """Return the smallest number of rows that share a triple which some row holds; whether all were seen."""
    d = starts.size - 1
    count = np.zeros(d, np.int32)
    seen = np.empty(d, np.int32)
    inner = np.zeros(d, np.int32)
    inner_seen = np.empty(d, np.int32)
    listed = np.empty(rows.size, np.int32)
    begin = np.zeros(d + 1, np.int64)
    for j in range(d - 1, -1, -1):
        found = count_company(indptr, ranks, starts, rows, j, count, seen)
        entries = 0
        for q in range(found):
            entries += count[seen[q]]
        if entries > listed.size:
            listed = np.empty(2 * entries, np.int32)
        at = 0
        for q in range(found):  # rows of the pair (j, seen[q])
            begin[seen[q]] = at
            at += count[seen[q]]
            count[seen[q]] = 0
        for p in range(starts[j], starts[j + 1]):
            r = rows[p]
            for i in range(indptr[r], indptr[r + 1]):
                x = ranks[i]
                if x >= j:
                    break
                listed[begin[x] + count[x]] = r
                count[x] += 1
        for q in range(found):
            x = seen[q]
            n_inner = 0
            for p in range(begin[x], begin[x] + count[x]):
                r = listed[p]
                for i in range(indptr[r], indptr[r + 1]):
                    y = ranks[i]
                    if y >= x:
                        break
                    if inner[y] == 0:
                        inner_seen[n_inner] = y
                        n_inner += 1
                    inner[y] += 1
                    work -= 1
            for t in range(n_inner):
                best = min(best, inner[inner_seen[t]])
                inner[inner_seen[t]] = 0
        for q in range(found):
            count[seen[q]] = 0
        if best <= floor:
            return best, True
        if work < 0:
            return best, False
    return best, True
