"""Compiled moves on a family of cores: which core a row rides on, new cores, better cores, undo.

A core is a set of items that at least k rows hold and publish exactly (its holders); every other row
publishes what it shares with the core it rides on. Every change goes through `_move`, `_new_core` and
`_kill`, which keep the counts right and can be undone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]

# slots of State.numbers
CORES, POOL, LOGGED, LOGGING, KEPT, TOKEN, CREATED = range(7)


class State(NamedTuple):
    """Rows, cores and scratch space; arrays are changed in place, scalars live in `numbers`."""

    indptr: I8
    indices: I4
    starts: I8  # postings of item j: rows[starts[j] : starts[j + 1]], ascending
    rows: I4
    weight: I8  # of each item
    full: I8  # of each row: the weight of all its items
    k: int
    riders: bool  # False: a row publishes a whole core or nothing
    core: I4  # of each row, -1 for none
    kept: I8  # weight that each row publishes
    following: I4  # members of a core as a doubly linked list of rows
    preceding: I4
    first: I4  # of each core: a member
    holders: I8
    size: I8  # weight of each core
    begin: I8  # items of core c: item[begin[c] : end[c]]
    end: I8
    alive: B1
    item: I4  # pool of the cores' items
    item_core: I4
    item_next: I4  # the next entry of the same item, -1 at the end
    item_first: I4
    item_count: I8  # live cores that hold each item
    log: I8  # undo: row, core, kept
    numbers: I8
    mark: I8  # scratch by item
    tally: I8  # scratch by item, zero between calls
    seen: I8  # scratch by row, zero between calls
    hope: I8  # by row: the gain of the core last tried around it
    held: I8  # scratch by item, zero between calls
    core_count: I8  # scratch by core, zero between calls


@njit(cache=True, nogil=True)
def _token(numbers):
    numbers[TOKEN] += 1
    return numbers[TOKEN]


@njit(cache=True, nogil=True)
def _unlink(s, r):
    core = s.core
    kept = s.kept
    following = s.following
    preceding = s.preceding
    first = s.first
    holders = s.holders
    size = s.size
    c = core[r]
    if c < 0:
        return
    a, b = preceding[r], following[r]
    if a >= 0:
        following[a] = b
    else:
        first[c] = b
    if b >= 0:
        preceding[b] = a
    if kept[r] == size[c]:
        holders[c] -= 1


@njit(cache=True, nogil=True)
def _link(s, r, c, kept):
    core = s.core
    kept_ = s.kept
    following = s.following
    preceding = s.preceding
    first = s.first
    holders = s.holders
    size = s.size
    numbers = s.numbers
    numbers[KEPT] += kept - kept_[r]
    core[r] = c
    kept_[r] = kept
    if c < 0:
        return
    head = first[c]
    following[r] = head
    preceding[r] = -1
    if head >= 0:
        preceding[head] = r
    first[c] = r
    if kept == size[c]:
        holders[c] += 1


@njit(cache=True, nogil=True)
def _move(s, r, c, kept):
    """Let row r ride on core c (-1: on none), publishing weight `kept`."""
    core = s.core
    kept_ = s.kept
    log = s.log
    numbers = s.numbers
    if numbers[LOGGING]:
        p = numbers[LOGGED]
        log[p, 0], log[p, 1], log[p, 2] = r, core[r], kept_[r]
        numbers[LOGGED] += 1
    _unlink(s, r)
    _link(s, r, c, kept)


@njit(cache=True, nogil=True)
def _has_room(s, items):
    first = s.first
    item = s.item
    numbers = s.numbers
    return numbers[CORES] + 2 < first.size and numbers[POOL] + items + 2 < item.size


@njit(cache=True, nogil=True)
def _new_core(s, items, n_items):
    weight = s.weight
    first = s.first
    holders = s.holders
    size = s.size
    begin = s.begin
    end = s.end
    alive = s.alive
    item = s.item
    item_core = s.item_core
    item_next = s.item_next
    item_first = s.item_first
    item_count = s.item_count
    numbers = s.numbers
    c = numbers[CORES]
    numbers[CORES] += 1
    p = numbers[POOL]
    begin[c] = p
    total = np.int64(0)
    for i in range(n_items):
        j = items[i]
        item[p] = j
        item_core[p] = c
        item_next[p] = item_first[j]
        item_first[j] = p
        item_count[j] += 1
        total += weight[j]
        p += 1
    end[c] = p
    numbers[POOL] = p
    size[c] = total
    first[c] = -1
    holders[c] = 0
    alive[c] = True
    return c


@njit(cache=True, nogil=True)
def _kill(s, c):
    begin = s.begin
    end = s.end
    alive = s.alive
    item = s.item
    item_count = s.item_count
    alive[c] = False
    for p in range(begin[c], end[c]):
        item_count[item[p]] -= 1


@njit(cache=True, nogil=True)
def _revive(s, c):
    begin = s.begin
    end = s.end
    alive = s.alive
    item = s.item
    item_count = s.item_count
    alive[c] = True
    for p in range(begin[c], end[c]):
        item_count[item[p]] += 1


@njit(cache=True, nogil=True)
def _undo(s, cores_before, killed, n_killed):
    """Take back everything since the log was opened."""
    begin = s.begin
    end = s.end
    alive = s.alive
    item = s.item
    item_next = s.item_next
    item_first = s.item_first
    item_count = s.item_count
    log = s.log
    numbers = s.numbers
    numbers[LOGGING] = 0
    for i in range(n_killed):
        if killed[i] < cores_before:
            _revive(s, killed[i])
    for p in range(numbers[LOGGED] - 1, -1, -1):
        r = log[p, 0]
        _unlink(s, r)
        _link(s, r, np.int32(log[p, 1]), log[p, 2])
    numbers[LOGGED] = 0
    for c in range(numbers[CORES] - 1, cores_before - 1, -1):
        for p in range(end[c] - 1, begin[c] - 1, -1):
            j = item[p]
            item_first[j] = item_next[p]
            if alive[c]:
                item_count[j] -= 1
        alive[c] = False
        numbers[POOL] = begin[c]
    numbers[CORES] = cores_before


@njit(cache=True, nogil=True)
def _pinned(core, kept, size, holders, k, r):
    """Return whether core[r] would have fewer than k holders without row r."""
    c = core[r]
    return c >= 0 and kept[r] == size[c] and holders[c] <= k


@njit(cache=True, nogil=True)
def _shared(indptr, indices, mark, weight, r, token):
    """Return the weight of the items of row r that carry the mark."""
    total = np.int64(0)
    for i in range(indptr[r], indptr[r + 1]):
        j = indices[i]
        if mark[j] == token:
            total += weight[j]
    return total


@njit(cache=True, nogil=True)
def _best_core(s, r, bound, exclude, budget, touched):
    """Find the core that shares most with row r, if it shares more than `bound`.

    Items are read from the one that fewest cores hold; once the weight of the unread ones cannot beat
    the bound, a core not met yet cannot either (prefix filter). `budget` limits the entries read.
    """
    indptr = s.indptr
    indices = s.indices
    weight = s.weight
    riders = s.riders
    size = s.size
    begin = s.begin
    end = s.end
    alive = s.alive
    item = s.item
    item_core = s.item_core
    item_next = s.item_next
    item_first = s.item_first
    item_count = s.item_count
    numbers = s.numbers
    mark = s.mark
    core_count = s.core_count
    a, b = indptr[r], indptr[r + 1]
    m = b - a
    order = np.empty(m, np.int32)
    keys = np.empty(m, np.int64)
    n_items = 0
    rest = np.int64(0)
    for i in range(a, b):
        j = indices[i]
        if item_count[j] > 0:
            order[n_items] = j
            keys[n_items] = item_count[j]
            n_items += 1
            rest += weight[j]
    if rest <= bound:
        return np.int64(-1), np.int64(0)
    by = np.argsort(keys[:n_items])
    n_touched = 0
    read = 0
    token = _token(numbers)
    for i in range(n_items):
        mark[order[i]] = token
    for q in range(n_items):
        if rest <= bound or read > budget:
            break
        j = order[by[q]]
        p = item_first[j]
        while p >= 0 and read <= budget:
            c = item_core[p]
            read += 1
            if alive[c] and c != exclude:
                if core_count[c] == 0:
                    touched[n_touched] = c
                    n_touched += 1
                core_count[c] += weight[j]
            p = item_next[p]
        rest -= weight[j]
    best, best_core = bound, np.int64(-1)
    for t in range(n_touched):
        c = touched[t]
        if core_count[c] + rest > best or read > budget:
            total = np.int64(0)
            for p in range(begin[c], end[c]):
                if mark[item[p]] == token:
                    total += weight[item[p]]
            if total > best and (riders or total == size[c]):
                best, best_core = total, np.int64(c)
        core_count[c] = 0
    return best_core, best


@njit(cache=True, nogil=True)
def reassign(s, order, budget):
    """Let every row that may leave its core ride on the one that shares most; return the rows moved."""
    full = s.full
    k = s.k
    core = s.core
    kept_ = s.kept
    first = s.first
    holders = s.holders
    size = s.size
    touched = np.empty(first.size, np.int64)
    moved = 0
    for i in range(order.size):
        r = order[i]
        if kept_[r] == full[r] or _pinned(core, kept_, size, holders, k, r):
            continue
        c, kept = _best_core(s, r, kept_[r], -1, budget, touched)
        if c >= 0:
            _move(s, r, c, kept)
            moved += 1
    return moved


@njit(cache=True, nogil=True)
def _near(s, r, window, near, most):
    """Count the weight that nearby rows share with row r, in a window of each item's rows."""
    indptr = s.indptr
    indices = s.indices
    starts = s.starts
    rows = s.rows
    weight = s.weight
    count = s.seen
    found = 0
    for i in range(indptr[r], indptr[r + 1]):
        j = indices[i]
        a, b = starts[j], starts[j + 1]
        if b - a > window:
            low, high = a, b
            while low < high:
                middle = (low + high) // 2
                if rows[middle] < r:
                    low = middle + 1
                else:
                    high = middle
            a = max(a, min(low - window // 2, b - window))
            b = a + window
        for p in range(a, b):
            x = rows[p]
            if x == r:
                continue
            if count[x] == 0:
                if found == most:
                    continue
                near[found] = x
                found += 1
            count[x] += weight[j]
    return found


@njit(cache=True, nogil=True)
def _closest(s, near, found, best, width):
    """List the `width` rows that may leave their core and share most; return their number."""
    k = s.k
    core = s.core
    kept = s.kept
    holders = s.holders
    size = s.size
    count = s.seen
    n_best = 0
    for i in range(found):
        x = near[i]
        value = count[x]
        if n_best == width and value <= count[best[n_best - 1]]:
            continue
        if _pinned(core, kept, size, holders, k, x):
            continue
        at = n_best if n_best < width else width - 1
        while at > 0 and count[best[at - 1]] < value:
            if at < width:
                best[at] = best[at - 1]
            at -= 1
        best[at] = x
        n_best = min(n_best + 1, width)
    return n_best


@njit(cache=True, nogil=True)
def _reserve(core, kept, size, holders, r, by):
    """Count row r out of (by = -1) or back into (by = 1) the holders of its core."""
    c = core[r]
    if c >= 0 and kept[r] == size[c]:
        holders[c] += by


@njit(cache=True, nogil=True)
def _pick_holders(s, r, best, n_best, chosen):
    """Choose k - 1 rows beside row r that keep the common items heavy; leaves them reserved.

    The common items carry the mark of the token returned (0 where there are too few rows).
    """
    indptr = s.indptr
    indices = s.indices
    weight = s.weight
    k_ = s.k
    core = s.core
    kept = s.kept
    holders = s.holders
    size = s.size
    numbers = s.numbers
    mark = s.mark
    tally = s.tally
    k = k_
    token = _token(numbers)
    for i in range(indptr[r], indptr[r + 1]):
        mark[indices[i]] = token
    used = np.zeros(n_best, np.bool_)
    chosen[0] = r
    n_chosen = 1
    _reserve(core, kept, size, holders, r, -1)
    while n_chosen < k:
        top, top_value = -1, np.int64(-(2**62))
        for t in range(n_best):
            if used[t] or _pinned(core, kept, size, holders, k_, best[t]):
                continue
            value = _shared(indptr, indices, mark, weight, best[t], token)
            if value == 0:
                continue
            value = value * k - kept[best[t]]
            if value > top_value:
                top, top_value = t, value
        if top < 0:
            break
        used[top] = True
        x = best[top]
        fresh = _token(numbers)
        for i in range(indptr[x], indptr[x + 1]):
            j = indices[i]
            if mark[j] == token:
                mark[j] = fresh
        token = fresh
        chosen[n_chosen] = x
        n_chosen += 1
        _reserve(core, kept, size, holders, x, -1)
    if n_chosen < k:
        for i in range(n_chosen):
            _reserve(core, kept, size, holders, chosen[i], 1)
        return np.int64(0)
    for _ in range(
        2
    ):  # swaps: leave one out, take the row that keeps most of what the others share
        better = False
        for i in range(n_chosen):
            x = chosen[i]
            for p in range(indptr[x], indptr[x + 1]):
                tally[indices[p]] += 1
        for a in range(1, n_chosen):
            out = chosen[a]
            old = np.int64(0)
            trial = _token(numbers)
            for p in range(indptr[out], indptr[out + 1]):
                tally[indices[p]] -= 1
            for p in range(indptr[r], indptr[r + 1]):
                j = indices[p]
                if tally[j] == k - 1:
                    mark[j] = trial
            old = _shared(indptr, indices, mark, weight, out, trial) * k - kept[out]
            top, top_value = -1, old
            for t in range(n_best):
                if used[t] or _pinned(core, kept, size, holders, k_, best[t]):
                    continue
                value = _shared(indptr, indices, mark, weight, best[t], trial) * k - kept[best[t]]
                if value > top_value:
                    top, top_value = t, value
            if top >= 0:
                used[top] = True
                for t in range(n_best):
                    if best[t] == out:
                        used[t] = False
                _reserve(core, kept, size, holders, out, 1)
                chosen[a] = best[top]
                _reserve(core, kept, size, holders, chosen[a], -1)
                better = True
            x = chosen[a]
            for p in range(indptr[x], indptr[x + 1]):
                tally[indices[p]] += 1
        token = _token(numbers)
        for p in range(indptr[r], indptr[r + 1]):
            if tally[indices[p]] == k:
                mark[indices[p]] = token
        for i in range(n_chosen):
            x = chosen[i]
            for p in range(indptr[x], indptr[x + 1]):
                tally[indices[p]] = 0
        if not better:
            break
    return token


@njit(cache=True, nogil=True)
def _grow_from(s, r, window, width, least, near, best, chosen, items):
    """Try a new core around row r; return whether it was worth it."""
    indptr = s.indptr
    indices = s.indices
    weight = s.weight
    full = s.full
    k = s.k
    riders_ = s.riders
    core = s.core
    kept = s.kept
    holders = s.holders
    size_ = s.size
    numbers = s.numbers
    mark = s.mark
    count = s.seen
    hope = s.hope
    if kept[r] == full[r] or _pinned(core, kept, size_, holders, k, r):
        return False
    found = _near(s, r, window, near, near.size)
    n_best = _closest(s, near, found, best, width)
    for i in range(found):
        count[near[i]] = 0
    token = _pick_holders(s, r, best, n_best, chosen)
    if token == 0:
        return False
    n_items = 0
    size = np.int64(0)
    for p in range(indptr[r], indptr[r + 1]):
        j = indices[p]
        if mark[j] == token:
            items[n_items] = j
            n_items += 1
            size += weight[j]
    gain = np.int64(0)
    for i in range(k):
        gain += size - kept[chosen[i]]
        count[chosen[i]] = 1
    riders = 0
    if size > 0:
        for i in range(found):
            x = near[i]
            if (
                count[x] == 1
                or kept[x] >= size
                or kept[x] == full[x]
                or _pinned(core, kept, size_, holders, k, x)
            ):
                continue
            shared = _shared(indptr, indices, mark, weight, x, token)
            if shared > kept[x] and (riders_ or shared == size):
                gain += shared - kept[x]
                near[riders] = x
                riders += 1
    for i in range(k):
        count[chosen[i]] = 0
        _reserve(core, kept, size_, holders, chosen[i], 1)
    hope[r] = gain
    if gain < least or size == 0 or not _has_room(s, n_items):
        return False
    c = np.int32(_new_core(s, items, n_items))
    for i in range(k):
        _move(s, chosen[i], c, size)
    for i in range(riders):
        x = near[i]
        if not _pinned(core, kept, size_, holders, k, x):
            shared = _shared(indptr, indices, mark, weight, x, token)
            if shared > kept[x]:
                _move(s, x, c, shared)
    numbers[CREATED] += 1
    return True


@njit(cache=True, nogil=True)
def grow(s, order, window, width, least):
    """Try a new core around each row in turn; return the number of cores made."""
    k = s.k
    core = s.core
    item_first = s.item_first
    hope = s.hope
    near = np.empty(min(core.size, 20_000), np.int32)
    best = np.empty(width + 1, np.int32)
    chosen = np.empty(k, np.int32)
    items = np.empty(item_first.size, np.int32)
    made = 0
    for i in range(order.size):
        if hope[order[i]] < least:
            continue
        if _grow_from(s, order[i], window, width, least, near, best, chosen, items):
            made += 1
    return made


@njit(cache=True, nogil=True)
def _members(s, c, out):
    following = s.following
    first = s.first
    found = 0
    r = first[c]
    while r >= 0:
        if found < out.size:
            out[found] = r
        found += 1
        r = following[r]
    return found


@njit(cache=True, nogil=True)
def _add_free_items(s, holding, n_holding, token):
    """Mark items that at least k of the holders share, dearest first; return the holders left."""
    indptr = s.indptr
    indices = s.indices
    weight = s.weight
    k = s.k
    mark = s.mark
    tally = s.tally
    held = s.held
    while n_holding > k:
        for i in range(n_holding):
            r = holding[i]
            for p in range(indptr[r], indptr[r + 1]):
                held[indices[p]] += 1
        top, top_value = -1, np.int64(0)
        for i in range(n_holding):
            r = holding[i]
            for p in range(indptr[r], indptr[r + 1]):
                j = indices[p]
                value = tally[j] * weight[j]
                if held[j] >= k and mark[j] != token and value > top_value:
                    top, top_value = j, value
        for i in range(n_holding):
            r = holding[i]
            for p in range(indptr[r], indptr[r + 1]):
                held[indices[p]] = 0
        if top < 0:
            break
        mark[top] = token
        left = 0
        for i in range(n_holding):
            if _holds(indptr, indices, holding[i], top):
                holding[left] = holding[i]
                left += 1
        n_holding = left
    return n_holding


@njit(cache=True, nogil=True)
def _worth(indptr, indices, mark, tally, weight, r, token):
    """Return what the marked items of row r are worth to the members that were tallied."""
    total = np.int64(0)
    for p in range(indptr[r], indptr[r + 1]):
        j = indices[p]
        if mark[j] == token:
            total += tally[j] * weight[j]
    return total


@njit(cache=True, nogil=True)
def _swap_holders(s, members, found, width, chosen):
    """Swap holders for other members while the items they share are worth more to all members."""
    indptr = s.indptr
    indices = s.indices
    weight = s.weight
    k_ = s.k
    numbers = s.numbers
    mark = s.mark
    tally = s.tally
    held = s.held
    k = k_
    stride = max(1, found // width)
    for a in range(k):
        x = chosen[a]
        for p in range(indptr[x], indptr[x + 1]):
            held[indices[p]] += 1
    for _ in range(4):
        better = False
        for a in range(k):
            out = chosen[a]
            for p in range(indptr[out], indptr[out + 1]):
                held[indices[p]] -= 1
            trial = _token(numbers)
            x = chosen[1] if a == 0 else chosen[0]
            for p in range(indptr[x], indptr[x + 1]):
                if held[indices[p]] == k - 1:
                    mark[indices[p]] = trial
            top, top_value = -1, _worth(indptr, indices, mark, tally, weight, out, trial)
            for i in range(0, found, stride):
                x = members[i]
                value = _worth(indptr, indices, mark, tally, weight, x, trial)
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
            for p in range(indptr[x], indptr[x + 1]):
                held[indices[p]] += 1
        if not better:
            break
    token = _token(numbers)
    x = chosen[0]
    for p in range(indptr[x], indptr[x + 1]):
        if held[indices[p]] == k:
            mark[indices[p]] = token
    for a in range(k):
        x = chosen[a]
        for p in range(indptr[x], indptr[x + 1]):
            held[indices[p]] = 0
    return token


@njit(cache=True, nogil=True)
def _refine_core(s, c, members, items, chosen, width):
    """Replace a core by one that is worth more to its own members; return whether that was possible."""
    indptr = s.indptr
    indices = s.indices
    weight = s.weight
    k = s.k
    kept = s.kept
    size = s.size
    begin = s.begin
    end = s.end
    item = s.item
    numbers = s.numbers
    mark = s.mark
    tally = s.tally
    found = _members(s, c, members)
    if found > members.size or k < 2:
        return False
    before = np.int64(0)
    n_holding = 0
    holding = np.empty(found, np.int32)
    for i in range(found):
        r = members[i]
        before += kept[r]
        if kept[r] == size[c]:
            holding[n_holding] = r
            n_holding += 1
        for p in range(indptr[r], indptr[r + 1]):
            tally[indices[p]] += 1
    token = _token(numbers)
    for p in range(begin[c], end[c]):
        mark[item[p]] = token
    n_holding = _add_free_items(s, holding, n_holding, token)
    for a in range(k):
        chosen[a] = holding[a]
    token = _swap_holders(s, members, found, width, chosen)
    x = chosen[0]
    n_items = 0
    after = np.int64(0)
    for p in range(indptr[x], indptr[x + 1]):
        j = indices[p]
        if mark[j] == token:
            items[n_items] = j
            n_items += 1
            after += tally[j] * weight[j]
    for i in range(found):
        r = members[i]
        for p in range(indptr[r], indptr[r + 1]):
            tally[indices[p]] = 0
    if after <= before or not _has_room(s, n_items):
        return False
    new = np.int32(_new_core(s, items, n_items))
    for i in range(found):
        r = members[i]
        _move(s, r, new, _shared(indptr, indices, mark, weight, r, token))
    _kill(s, c)
    return True


@njit(cache=True, nogil=True)
def refine(s, width):
    """Refine every core once; return the number of cores replaced."""
    k = s.k
    core = s.core
    first = s.first
    alive = s.alive
    item_first = s.item_first
    numbers = s.numbers
    members = np.empty(core.size, np.int32)
    items = np.empty(item_first.size, np.int32)
    chosen = np.empty(k, np.int32)
    replaced = 0
    for c in range(numbers[CORES]):
        if alive[c] and first[c] >= 0:
            if _refine_core(s, c, members, items, chosen, width):
                replaced += 1
    return replaced


@njit(cache=True, nogil=True)
def _holds(indptr, indices, r, j):
    low, high = indptr[r], indptr[r + 1]
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low < indptr[r + 1] and indices[low] == j


@njit(cache=True, nogil=True)
def polish(s, seeds, sizes, shuffles, window, width, budget, most_rows):
    """Dissolve a few neighbouring cores, grow anew, keep what is better; return the trials kept.

    `seeds[t]` is the row around which trial t works, `sizes[t]` how many cores it dissolves;
    `shuffles` orders the rows that are grown from.
    """
    full = s.full
    k = s.k
    core = s.core
    kept_ = s.kept
    first = s.first
    holders = s.holders
    size = s.size
    alive = s.alive
    item = s.item
    item_first = s.item_first
    log = s.log
    numbers = s.numbers
    count = s.seen
    near = np.empty(min(core.size, 20_000), np.int32)
    best = np.empty(width + 1, np.int32)
    chosen = np.empty(k, np.int32)
    items = np.empty(item_first.size, np.int32)
    touched = np.empty(first.size, np.int64)
    members = np.empty(core.size, np.int32)
    killed = np.empty(64, np.int64)
    loose = np.empty(most_rows, np.int32)
    successes = 0
    for t in range(seeds.size):
        r = seeds[t]
        found = _near(s, r, window, near, near.size)
        n_best = 0
        for i in range(found):  # the closest cores, by the row that shares most with the seed
            x = near[i]
            at = min(n_best, width - 1)
            if n_best == width and count[x] <= count[best[width - 1]]:
                continue
            while at > 0 and count[best[at - 1]] < count[x]:
                best[at] = best[at - 1]
                at -= 1
            best[at] = x
            n_best = min(n_best + 1, width)
        for i in range(found):
            count[near[i]] = 0
        before = numbers[KEPT]
        cores_before = numbers[CORES]
        numbers[LOGGED] = 0
        numbers[LOGGING] = 1
        n_killed, n_loose = 0, 0
        for i in range(-1, n_best):
            c = core[r] if i < 0 else core[best[i]]
            if c < 0 or n_killed == sizes[t] or not alive[c]:
                continue
            m = _members(s, c, members)
            if n_loose + m > most_rows:
                continue
            for q in range(m):
                _move(s, members[q], -1, 0)
                loose[n_loose] = members[q]
                n_loose += 1
            _kill(s, c)
            killed[n_killed] = c
            n_killed += 1
        if n_killed == 0:
            numbers[LOGGING] = 0
            continue
        for q in range(n_loose - 1, 0, -1):
            o = shuffles[(t + q) % shuffles.size] % (q + 1)
            loose[q], loose[o] = loose[o], loose[q]
        for q in range(n_loose):
            x = loose[q]
            c, kept = _best_core(s, x, kept_[x], -1, budget, touched)
            if c >= 0:
                _move(s, x, np.int32(c), kept)
        for q in range(n_loose):
            if numbers[LOGGED] + 2 * near.size + 1024 > log.shape[0]:
                break
            _grow_from(s, loose[q], window, width, 1, near, best, chosen, items)
        for q in range(n_loose):
            x = loose[q]
            if kept_[x] < full[x] and not _pinned(core, kept_, size, holders, k, x):
                c, kept = _best_core(s, x, kept_[x], -1, budget, touched)
                if c >= 0:
                    _move(s, x, np.int32(c), kept)
        if numbers[KEPT] <= before or numbers[LOGGED] + 8 * most_rows > log.shape[0]:
            if numbers[KEPT] < before:
                _undo(s, cores_before, killed, n_killed)
                continue
        numbers[LOGGING] = 0
        numbers[LOGGED] = 0
        if numbers[KEPT] > before:
            successes += 1
        if numbers[CORES] + 4 * most_rows > first.size or numbers[POOL] * 10 > item.size * 9:
            break
    return successes


@njit(cache=True, nogil=True)
def load_cores(s, indptr, indices, of_row, representative, chosen):
    """Make the chosen patterns of a release cores, and let every row ride on the one it lies in."""
    core = s.core
    first = s.first
    size = s.size
    number = np.full(representative.size, -1, np.int32)
    for i in range(chosen.size):
        r = representative[chosen[i]]
        number[chosen[i]] = _new_core(
            s, indices[indptr[r] : indptr[r + 1]], indptr[r + 1] - indptr[r]
        )
    for r in range(indptr.size - 1):
        c = number[of_row[r]]
        if c >= 0:
            _move(s, r, c, size[c])
    touched = np.empty(first.size, np.int64)
    for r in range(indptr.size - 1):
        if core[r] < 0:
            c, kept = _best_core(s, r, 0, -1, 2**40, touched)
            if c >= 0:
                _move(s, r, np.int32(c), kept)


@njit(cache=True, nogil=True)
def compact(s):
    """Forget the cores that died, and index the others anew."""
    core = s.core
    first = s.first
    holders = s.holders
    size = s.size
    begin = s.begin
    end = s.end
    alive = s.alive
    item = s.item
    item_core = s.item_core
    item_next = s.item_next
    item_first = s.item_first
    item_count = s.item_count
    numbers = s.numbers
    number = np.full(numbers[CORES], -1, np.int32)
    cores, p = 0, 0
    for j in range(item_first.size):
        item_first[j] = -1
        item_count[j] = 0
    for c in range(numbers[CORES]):
        if not alive[c] or first[c] < 0:
            alive[c] = False
            continue
        number[c] = cores
        a, b = begin[c], end[c]
        begin[cores] = p
        for q in range(a, b):
            j = item[q]
            item[p] = j
            item_core[p] = cores
            item_next[p] = item_first[j]
            item_first[j] = p
            item_count[j] += 1
            p += 1
        end[cores] = p
        first[cores] = first[c]
        holders[cores] = holders[c]
        size[cores] = size[c]
        alive[cores] = True
        cores += 1
    for c in range(cores, numbers[CORES]):
        alive[c] = False
    for r in range(core.size):
        if core[r] >= 0:
            core[r] = number[core[r]]
    numbers[CORES] = cores
    numbers[POOL] = p


@njit(cache=True, nogil=True)
def published(s):
    """List what each row publishes: the items it shares with its core."""
    indptr_ = s.indptr
    indices_ = s.indices
    core = s.core
    begin = s.begin
    end = s.end
    item = s.item
    numbers = s.numbers
    mark = s.mark
    n = core.size
    indptr = np.zeros(n + 1, np.int64)
    indices = np.empty(indices_.size, np.int32)
    o = 0
    for r in range(n):
        c = core[r]
        if c >= 0:
            token = _token(numbers)
            for p in range(begin[c], end[c]):
                mark[item[p]] = token
            for i in range(indptr_[r], indptr_[r + 1]):
                if mark[indices_[i]] == token:
                    indices[o] = indices_[i]
                    o += 1
        indptr[r + 1] = o
    return indptr, indices[:o].copy()
