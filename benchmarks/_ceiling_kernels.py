"""The most items of a row that k rows share, all at once or two by two: compiled searches with a bound."""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.engines.baskets.cells._pair_kernels import edge


@njit(cache=True)
def _ones(words):
    """Count the bits set."""
    total = 0
    for w in words:
        w = w - ((w >> np.uint64(1)) & np.uint64(0x5555555555555555))
        w = (w & np.uint64(0x3333333333333333)) + (
            (w >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        w = (w + (w >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += np.int64((w * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return total


@njit(cache=True)
def _falling(keys, m, most):
    """Return the order of the first m keys, none above `most`, from the largest (stable)."""
    start = np.zeros(most + 2, np.int64)
    for i in range(m):
        start[most - keys[i] + 1] += 1
    for key in range(most + 1):
        start[key + 1] += start[key]
    order = np.empty(m, np.int64)
    for i in range(m):
        order[start[most - keys[i]]] = i
        start[most - keys[i]] += 1
    return order


@njit(cache=True)
def _offer(bits, common, rows, n_rows, need, best, out, sizes):
    """List in `out` the rows that share more than `best` of the common items, those of most first.

    Rows that hold all common items come first, so the search takes them without looking back.
    """
    found = 0
    both = np.empty(common.size, np.uint64)
    for i in range(n_rows):
        for w in range(common.size):
            both[w] = common[w] & bits[rows[i], w]
        size = _ones(both)
        if size > best:
            out[found] = rows[i]
            sizes[found] = size
            found += 1
    if found >= need:
        by = _falling(sizes, found, 64 * common.size)
        listed, values = out[:found].copy(), sizes[:found].copy()
        for i in range(found):
            out[i], sizes[i] = listed[by[i]], values[by[i]]
    return found


@njit(cache=True)
def most_shared(bits, own, need, steps):
    """Bound the items of `own` that `need` of the rows share, all at once; exact within the steps.

    Depth first over the rows, those that share most first. A branch ends where fewer than `need` further
    rows share more than the best found: the set shared is no larger than the least of its parts.
    """
    n, words = bits.shape
    if need == 0:
        return _ones(own)
    common = np.empty((need + 1, words), np.uint64)
    common[0] = own
    rows = np.empty((need + 1, n), np.int64)
    sizes = np.empty((need + 1, n), np.int64)
    count = np.zeros(need + 1, np.int64)
    at = np.zeros(need + 1, np.int64)
    best = 0
    count[0] = _offer(bits, own, np.arange(n), n, need, best, rows[0], sizes[0])
    level = 0
    while level >= 0:
        left = need - level  # rows still to take at this level
        i = at[level]
        if i + left > count[level] or sizes[level, i + left - 1] <= best:
            level -= 1
            continue
        if left == 1:
            best = sizes[level, i]
            level -= 1
            continue
        steps -= count[level] - i
        if steps < 0:
            # what was left open: at each level the branches from the current one on
            bound = best
            for q in range(level + 1):
                j = at[q] if q == level else at[q] - 1
                last = j + need - q - 1
                if last < count[q]:
                    bound = max(bound, sizes[q, last])
            return bound
        at[level] = i + 1
        x = rows[level, i]
        free = sizes[level, i] == _ones(common[level])
        for w in range(words):
            common[level + 1, w] = common[level, w] & bits[x, w]
        if free:  # the row takes nothing away: no other choice here can be better
            at[level] = count[level]
        count[level + 1] = _offer(
            bits, common[level + 1], rows[level, i + 1 :], count[level] - i - 1, left - 1, best,
            rows[level + 1], sizes[level + 1],
        )  # fmt: skip
        at[level + 1] = 0
        level += 1
    return best


@njit(cache=True)
def largest_frequent_subset(items, starts, rows, k, steps):
    """Return its size, -1 where the search gave up; items come rarest first.

    Depth first: item q joins those taken before; `held[level]` lists the rows that hold all of them.
    """
    m = items.size
    if m == 0:
        return 0
    longest = starts[items[0] + 1] - starts[items[0]]
    for q in range(m):
        longest = max(longest, starts[items[q] + 1] - starts[items[q]])
    held = np.empty((m + 1, longest), np.int32)
    count = np.zeros(m + 1, np.int64)
    at = np.zeros(m + 1, np.int64)  # the item to try next at each level
    best, level = 0, 0
    while level >= 0:
        q = at[level]
        if q == m or level + m - q <= best:
            level -= 1
            continue
        at[level] += 1
        steps -= 1
        if steps < 0:
            return -1
        a, b = starts[items[q]], starts[items[q] + 1]
        o = 0
        if level == 0:
            for p in range(a, b):
                held[1, o] = rows[p]
                o += 1
        else:
            i = 0
            while i < count[level] and a < b:
                if held[level, i] == rows[a]:
                    held[level + 1, o] = rows[a]
                    o += 1
                    i += 1
                    a += 1
                elif held[level, i] < rows[a]:
                    i += 1
                else:
                    a += 1
        if o >= k:
            level += 1
            count[level] = o
            at[level] = q + 1
            best = max(best, level)
    return best


@njit(cache=True)
def rows_as_bits(indptr, indices, r, place):
    """Return what each other row shares with row r as bit sets, and the bits of row r itself.

    `place` is the number of each item of row r among those that count, -1 for all other items.
    """
    m = 0
    for p in range(indptr[r], indptr[r + 1]):
        m = max(m, place[indices[p]] + 1)
    words = max(1, (m + 63) // 64)
    n = indptr.size - 1
    bits = np.zeros((n, words), np.uint64)
    shares = np.zeros(n, np.bool_)
    for x in range(n):
        for p in range(indptr[x], indptr[x + 1]):
            q = place[indices[p]]
            if q >= 0:
                bits[x, q // 64] |= np.uint64(1) << np.uint64(q % 64)
                shares[x] = True
    own = bits[r].copy()
    shares[r] = False
    return bits[shares], own


@njit(cache=True)
def _colour(adjacent, vertices, m, order, colours):
    """Colour the vertices greedily; list them by colour. A clique takes one vertex of each colour."""
    left = vertices[:m].copy()
    n_left = m
    o = 0
    colour = 0
    rest = np.empty(m, np.int64)
    while n_left > 0:
        colour += 1
        n_rest = 0
        first = o
        for i in range(n_left):
            v = left[i]
            fits = True
            for q in range(first, o):
                if adjacent[v, order[q]]:
                    fits = False
                    break
            if fits:
                order[o] = v
                colours[o] = colour
                o += 1
            else:
                rest[n_rest] = v
                n_rest += 1
        left[:n_rest] = rest[:n_rest]
        n_left = n_rest
    return colour


@njit(cache=True)
def largest_clique(adjacent, steps):
    """Bound the size of the largest clique from above; exact within the steps (branch and bound)."""
    m = adjacent.shape[0]
    if m == 0:
        return 0
    degree = np.zeros(m, np.int64)
    for v in range(m):
        for w in range(m):
            degree[v] += adjacent[v, w]
    vertices = np.empty((m + 1, m), np.int64)
    vertices[0] = _falling(degree, m, m)
    order = np.empty((m + 1, m), np.int64)
    colours = np.empty((m + 1, m), np.int64)
    count = np.zeros(m + 1, np.int64)
    count[0] = m
    bound = _colour(adjacent, vertices[0], m, order[0], colours[0])
    best, level = 0, 0
    while level >= 0:
        i = count[level] - 1  # vertices of the highest colour first
        if level == 0 and i >= 0:
            bound = max(best, colours[0, i])
        if i < 0 or level + colours[level, i] <= best:
            level -= 1
            continue
        steps -= 1
        if steps < 0:
            return bound
        v = order[level, i]
        count[level] = i
        best = max(best, level + 1)
        n_next = 0
        for q in range(i):
            if adjacent[v, order[level, q]]:
                vertices[level + 1, n_next] = order[level, q]
                n_next += 1
        count[level + 1] = n_next
        if n_next:
            _colour(adjacent, vertices[level + 1], n_next, order[level + 1], colours[level + 1])
        level += 1
    return best


@njit(cache=True)
def neighbours(first, nodes, items):
    """Return which of the items share an edge."""
    adjacent = np.zeros((items.size, items.size), np.bool_)
    for a in range(items.size):
        for b in range(a):
            if edge(first, nodes, items[b], items[a]) >= 0:
                adjacent[a, b] = adjacent[b, a] = True
    return adjacent
