"""Compiled search over releases without rare pairs: items are put in or taken out where that pays.

Every change goes through `_put` and `_drop`, which keep the counts of pairs right and log the change, so that
one that does not pay is undone. Items, rows and edges are those of the kernels of pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...._jit import njit
from ._pair_kernels import edge

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]

# slots of PairState.numbers
K, LOGGED, DIRTY, WORK, GAIN = range(5)


class PairState(NamedTuple):
    """A release by pairs and scratch space; arrays are changed in place, scalars live in `numbers`."""

    indptr: I8
    ranks: I4
    starts: I8  # postings of item j: rows[starts[j] : starts[j + 1]], ascending
    rows: I4
    places: I8  # where in `ranks` each posting lies
    first: I8
    nodes: I4
    counts: I4  # rows that publish both ends of each edge
    kept: B1  # which ones are published
    log: I8  # places changed by the exchange under way, in order
    log_row: I4
    dirty: I4  # rows that may publish a rare pair
    is_dirty: B1
    items: I4  # scratch: what a row publishes
    place: I8
    numbers: I8


@njit(cache=True, nogil=True)
def _list_items(s, r):
    """List what row r publishes in `items` and `place`; return how many."""
    m = 0
    for i in range(s.indptr[r], s.indptr[r + 1]):
        if s.kept[i]:
            s.items[m] = s.ranks[i]
            s.place[m] = i
            m += 1
    return m


@njit(cache=True, nogil=True)
def _note(s, r):
    if not s.is_dirty[r]:
        s.is_dirty[r] = True
        s.dirty[s.numbers[DIRTY]] = r
        s.numbers[DIRTY] += 1


@njit(cache=True, nogil=True)
def _note_publishers(s, a, b):
    """Note the rows that publish both items: their pair has become rare."""
    if a > b:
        a, b = b, a
    for p in range(s.starts[b], s.starts[b + 1]):
        if not s.kept[s.places[p]]:
            continue
        r = s.rows[p]
        low, high = s.indptr[r], s.places[p]
        while low < high:
            middle = (low + high) // 2
            if s.ranks[middle] < a:
                low = middle + 1
            else:
                high = middle
        if s.ranks[low] == a and s.kept[low]:
            _note(s, r)


@njit(cache=True, nogil=True)
def _log(s, r, i, gain):
    s.log[s.numbers[LOGGED]] = i
    s.log_row[s.numbers[LOGGED]] = r
    s.numbers[LOGGED] += 1
    s.numbers[GAIN] += gain


@njit(cache=True, nogil=True)
def _has_room(s):
    """Return whether all changes that one row can see still fit the log."""
    return s.numbers[LOGGED] + s.items.size < s.log.size


@njit(cache=True, nogil=True)
def _drop(s, r, i):
    x = s.ranks[i]
    s.kept[i] = False
    for q in range(s.indptr[r], s.indptr[r + 1]):
        if s.kept[q]:
            e = edge(s.first, s.nodes, s.ranks[q], x)
            s.counts[e] -= 1
            if s.counts[e] == s.numbers[K] - 1 and s.counts[e] > 0:
                _note_publishers(s, s.ranks[q], x)
            s.numbers[WORK] += 1
    _log(s, r, i, -1)


@njit(cache=True, nogil=True)
def _put(s, r, i):
    x = s.ranks[i]
    for q in range(s.indptr[r], s.indptr[r + 1]):
        if s.kept[q]:
            s.counts[edge(s.first, s.nodes, s.ranks[q], x)] += 1
            s.numbers[WORK] += 1
    s.kept[i] = True
    _log(s, r, i, 1)


@njit(cache=True, nogil=True)
def _undo(s):
    """Take back every change that is logged."""
    for t in range(s.numbers[LOGGED] - 1, -1, -1):
        i, r = s.log[t], s.log_row[t]
        by = -1 if s.kept[i] else 1
        s.kept[i] = False
        for q in range(s.indptr[r], s.indptr[r + 1]):
            if s.kept[q]:
                s.counts[edge(s.first, s.nodes, s.ranks[q], s.ranks[i])] += by
        s.kept[i] = by > 0
    s.numbers[LOGGED] = 0


@njit(cache=True, nogil=True)
def _clean(s, loss):
    """Drop items of the rows noted, those in most rare pairs first, until no pair is rare.

    Returns whether the log had room for it.
    """
    k = s.numbers[K]
    fits = _has_room(s)
    while s.numbers[DIRTY] > 0:
        s.numbers[DIRTY] -= 1
        r = s.dirty[s.numbers[DIRTY]]
        s.is_dirty[r] = False
        if not fits:
            continue
        m = _list_items(s, r)
        s.numbers[WORK] += m * m // 2
        bad = np.zeros(m, np.int32)
        for a in range(m):
            for b in range(a):
                if s.counts[edge(s.first, s.nodes, s.items[b], s.items[a])] < k:
                    bad[a] += 1
                    bad[b] += 1
        worst = 0
        for a in range(1, m):  # of equals the rarer item: its loss touches fewer others
            if bad[a] >= bad[worst]:
                worst = a
        if m > 0 and bad[worst] > 0:
            _drop(s, r, s.place[worst])
            _note(s, r)
            fits = _has_room(s) and s.numbers[GAIN] >= -loss
    return fits


@njit(cache=True, nogil=True)
def _fits(s, m, x, least):
    """Return whether each of the first m items listed shares an edge of `least` rows with item x."""
    for a in range(m - 1, -1, -1):  # rare items have the fewest edges: they decide soonest
        s.numbers[WORK] += 1
        e = edge(s.first, s.nodes, s.items[a], x)
        if e < 0 or s.counts[e] < least:
            return False
    return True


@njit(cache=True, nogil=True)
def _refill(s, r):
    """Put items back into row r where every pair they make is shared by k rows already."""
    if not _has_room(s):
        return
    m = _list_items(s, r)
    for i in range(s.indptr[r], s.indptr[r + 1]):
        if not s.kept[i] and _fits(s, m, s.ranks[i], s.numbers[K]):
            _put(s, r, i)
            s.items[m] = s.ranks[i]
            m += 1


@njit(cache=True, nogil=True)
def _refill_after_changes(s, x):
    """Fill the rows that changed, and the rows of item x, each once; none is noted as dirty here."""
    for t in range(s.numbers[LOGGED]):
        _note(s, s.log_row[t])
    for p in range(s.starts[x], s.starts[x + 1]):
        _note(s, s.rows[p])
    for t in range(s.numbers[DIRTY]):
        s.is_dirty[s.dirty[t]] = False
        _refill(s, s.dirty[t])
    s.numbers[DIRTY] = 0


@njit(cache=True, nogil=True)
def _force(s, x, most):
    """Put item x into its rows where at most `most` items share no edge with it; these go."""
    k = s.numbers[K]
    for p in range(s.starts[x], s.starts[x + 1]):
        r, i = s.rows[p], s.places[p]
        if s.kept[i] or not _has_room(s):
            continue
        m = _list_items(s, r)
        foes = 0
        for a in range(m):
            s.numbers[WORK] += 1
            if edge(s.first, s.nodes, s.items[a], x) < 0:
                s.place[foes] = s.place[a]
                foes += 1
                if foes > most:
                    break
        if foes > most:
            continue
        for a in range(foes):
            _drop(s, r, s.place[a])
        _put(s, r, i)
    for p in range(s.starts[x], s.starts[x + 1]):
        if s.kept[s.places[p]]:
            r = s.rows[p]
            for q in range(s.indptr[r], s.indptr[r + 1]):
                if s.kept[q] and s.ranks[q] != x:
                    s.numbers[WORK] += 1
                    if s.counts[edge(s.first, s.nodes, s.ranks[q], x)] < k:
                        _note(s, r)
                        break


@njit(cache=True, nogil=True)
def exchange(s, order, most, loss, work):
    """Force each item into its rows in turn, where that pays; return the gain.

    Rare pairs that follow are cleaned, and rows that changed are filled again. What leaves fewer ones is
    undone, early where cleaning loses more than `loss`. Ends after `work` looks at edges.
    """
    gained = 0
    for t in range(order.size):
        if s.numbers[WORK] > work:
            break
        x = order[t]
        s.numbers[LOGGED] = s.numbers[GAIN] = 0
        _force(s, x, most)
        if s.numbers[LOGGED] == 0:
            continue
        fits = _clean(s, loss)
        if fits:
            _refill_after_changes(s, x)
        if fits and s.numbers[GAIN] >= 0:
            gained += s.numbers[GAIN]
        else:
            _undo(s)
    return gained


@njit(cache=True, nogil=True)
def lift(s, order):
    """Put items back that rows lift together: all that share edges, less those left in a rare pair.

    Nothing published before is lost. Returns the ones gained.
    """
    tried = np.zeros(s.ranks.size, np.bool_)
    bad = np.empty(s.items.size, np.int64)
    rows = np.empty(order.size, np.int32)
    n_rows, gained = 0, 0
    for t in range(order.size):
        r = order[t]
        m = _list_items(s, r)
        before = m
        for i in range(s.indptr[r], s.indptr[r + 1]):
            if not s.kept[i] and _fits(s, m, s.ranks[i], 0):
                _count(s, m, s.ranks[i], 1)
                s.kept[i] = tried[i] = True
                s.items[m] = s.ranks[i]
                m += 1
        if m > before:
            rows[n_rows] = r
            n_rows += 1
            gained += m - before
    changed = True
    while changed:  # an item taken back lowers the counts of others: until nothing changes
        changed = False
        for t in range(n_rows):
            dropped = _take_back(s, _list_items(s, rows[t]), tried, bad)
            gained -= dropped
            changed |= dropped > 0
    return gained


@njit(cache=True, nogil=True)
def _count(s, m, x, by):
    """Count the pairs of item x with the first m items listed up or down."""
    for a in range(m):
        s.counts[edge(s.first, s.nodes, s.items[a], x)] += by


@njit(cache=True, nogil=True)
def _take_back(s, m, tried, bad):
    """Drop the items tried, of the m listed, that are in rare pairs, those in most of them first.

    Returns how many were dropped.
    """
    k = s.numbers[K]
    dropped = 0
    for a in range(m):
        bad[a] = 0
        if tried[s.place[a]]:
            for b in range(m):
                if a != b and s.counts[edge(s.first, s.nodes, s.items[a], s.items[b])] < k:
                    bad[a] += 1
    while m > 0:
        worst = 0
        for a in range(1, m):
            if bad[a] > bad[worst]:
                worst = a
        if bad[worst] == 0:
            break
        x, i = s.items[worst], s.place[worst]
        m -= 1
        s.items[worst], s.place[worst], bad[worst] = s.items[m], s.place[m], bad[m]
        s.kept[i] = tried[i] = False
        for a in range(m):
            e = edge(s.first, s.nodes, s.items[a], x)
            if tried[s.place[a]] and s.counts[e] < k:
                bad[a] -= 1
            s.counts[e] -= 1
        dropped += 1
    return dropped
