"""The hot loops over the groups of a policy: what a merge would change, and the merge itself.

A group is known by a key: the sum over the attributes of (interval's representative × multiplier). Where
the product of the domains is not much larger than the number of cells, the key is an index (`dense`);
elsewhere a hash table finds it, verified value by value where keys are not unique (`wide`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...._jit import njit
from ._measure_kernels import F8, I4, I8, below_least, home, nlogn, share_of


class GroupState(NamedTuple):
    """The groups of a policy and which of them are neighbours; changed in place by merges.

    Groups below `occupied` hold records of the sample, the others only people of the population. The
    members of interval `r` of attribute `a` are in `inside[a]`/`outside[a]` (occupied and not) from
    `inside_at[a, r]` on. `weight` is the population (−1: merged away), `records` the sample.
    """

    codes: I4  # (attributes, groups): a value inside the group's interval
    rep: I4  # (attributes, values): the interval's representative
    low: I4  # (attributes, representatives): first value of the interval
    high: I4
    multiplier: I8  # by attribute
    key: I8  # by group
    table_key: I8
    table_id: I4
    weight: F8
    records: I8  # by occupied group
    share: F8  # by occupied group: its part of the risk
    inside: I4
    inside_at: I8
    inside_len: I8
    outside: I4
    outside_at: I8
    outside_len: I8
    margin: I8  # (attributes, representatives): records in the interval
    before: I8  # (attributes, values): how many values before one count in a width
    sums: F8  # Σ count/size, Σ count·ln count, records in groups below the least sizes, Σ margin·ln width
    least: F8  # least sample size, least population size of a group
    flags: I8  # dense, wide, bits of the table, places of the table in use


# A cache that numba wrote for an earlier version names the class so, and cannot be read without.
Groups = GroupState


@njit(cache=True, nogil=True)
def _same(codes: I4, rep: I4, candidate: int, model: int, attribute: int, wanted: int) -> bool:
    """Return whether `candidate` has the intervals of `model`, but `wanted` in `attribute`."""
    for b in range(codes.shape[0]):
        expected = wanted if b == attribute else rep[b, codes[b, model]]
        if rep[b, codes[b, candidate]] != expected:
            return False
    return True


@njit(cache=True, nogil=True)
def _find_by_hash(
    bits: int, wide: int, table_id: I4, table_key: I8, group_key: I8, weight: F8, codes: I4,
    rep: I4, key: int, model: int, attribute: int, wanted: int,
) -> int:  # fmt: skip
    mask = (1 << bits) - 1
    at = home(key, bits)
    while table_id[at] >= 0:
        if table_key[at] == key:
            found = table_id[at]
            if weight[found] >= 0.0 and group_key[found] == key:
                if wide == 0 or _same(codes, rep, found, model, attribute, wanted):
                    return found
        at = (at + 1) & mask
    return -1


@njit(cache=True, nogil=True)
def find(
    dense: int, bits: int, wide: int, table_id: I4, table_key: I8, group_key: I8, weight: F8,
    codes: I4, rep: I4, key: int, model: int, attribute: int, wanted: int,
) -> int:  # fmt: skip
    """Find the living group with this key; −1 when there is none."""
    if dense == 1:
        return table_id[key]
    return _find_by_hash(
        bits,
        wide,
        table_id,
        table_key,
        group_key,
        weight,
        codes,
        rep,
        key,
        model,
        attribute,
        wanted,
    )


@njit(cache=True, nogil=True)
def _put(g: GroupState, key: int, group: int) -> None:
    if g.flags[0] == 1:
        g.table_id[key] = group
        return
    bits = g.flags[2]
    mask = (1 << bits) - 1
    at = home(key, bits)
    while g.table_id[at] >= 0:
        old = g.table_id[at]
        if g.weight[old] < 0.0 or g.key[old] != g.table_key[at]:
            break  # a group that was merged away or moved: its place is free
        at = (at + 1) & mask
    if g.table_id[at] < 0:
        g.flags[3] += 1
    g.table_key[at] = key
    g.table_id[at] = group


@njit(cache=True, nogil=True)
def _tidy_table(g: GroupState) -> None:
    """Build the hash table anew once stale entries crowd it, so that a probe always ends."""
    if g.flags[0] == 1 or 4 * g.flags[3] < 3 * g.table_id.shape[0]:
        return
    g.table_id[:] = -1
    g.flags[3] = 0
    for i in range(g.codes.shape[1]):
        if g.weight[i] >= 0.0:
            _put(g, g.key[i], i)


@njit(cache=True, nogil=True)
def _fill_table(g: GroupState) -> None:
    g.table_id[:] = -1
    g.flags[3] = 0
    for i in range(g.codes.shape[1]):
        key = np.int64(0)
        for a in range(g.codes.shape[0]):
            key += g.multiplier[a] * g.codes[a, i]
        g.key[i] = key
        _put(g, key, i)


@njit(cache=True, nogil=True)
def _fill_members(codes: I4, begin: int, end: int, size: int, members: I4, at: I8,
                  length: I8) -> None:  # fmt: skip
    """Sort the groups by their value of one attribute."""
    length[:size] = 0
    for i in range(begin, end):
        length[codes[i]] += 1
    start = 0
    for v in range(size):
        at[v] = start
        start += length[v]
        length[v] = 0
    for i in range(begin, end):
        v = codes[i]
        members[at[v] + length[v]] = i
        length[v] += 1


@njit(cache=True, nogil=True)
def fill_bottom(g: GroupState, nlog: F8, counts_of_value: I8, sizes: I8) -> None:
    """Fill the groups of the most specific policy: one group a cell."""
    d, total = g.codes.shape
    occupied = g.records.shape[0]
    for a in range(d):
        for v in range(sizes[a]):
            g.rep[a, v] = v
            g.low[a, v] = v
            g.high[a, v] = v
            g.margin[a, v] = counts_of_value[a, v]
        _fill_members(
            g.codes[a], 0, occupied, sizes[a], g.inside[a], g.inside_at[a], g.inside_len[a]
        )
        _fill_members(g.codes[a], occupied, total, sizes[a], g.outside[a], g.outside_at[a],
                      g.outside_len[a])  # fmt: skip
    _fill_table(g)
    g.sums[:] = 0.0
    for i in range(occupied):
        g.share[i] = share_of(g.records[i], g.weight[i])
        g.sums[0] += g.share[i]
        g.sums[1] += nlogn(g.records[i], nlog)
        g.sums[2] += below_least(g.records[i], g.weight[i], g.least)


@njit(cache=True, nogil=True)
def copy_groups(source: GroupState, target: GroupState) -> None:
    """Copy the parts of a state that merges change."""
    target.rep[:] = source.rep
    target.low[:] = source.low
    target.high[:] = source.high
    target.key[:] = source.key
    target.table_key[:] = source.table_key
    target.table_id[:] = source.table_id
    target.weight[:] = source.weight
    target.records[:] = source.records
    target.share[:] = source.share
    target.inside[:] = source.inside
    target.inside_at[:] = source.inside_at
    target.inside_len[:] = source.inside_len
    target.outside[:] = source.outside
    target.outside_at[:] = source.outside_at
    target.outside_len[:] = source.outside_len
    target.margin[:] = source.margin
    target.sums[:] = source.sums
    target.flags[:] = source.flags


@njit(cache=True, nogil=True)
def merge_delta(g: GroupState, a: int, left: int, right: int, nlog: F8, out: F8) -> None:
    """Return what merging two neighbouring intervals of attribute a would change in the sums."""
    codes, rep, table_key, table_id, weight = g.codes, g.rep, g.table_key, g.table_id, g.weight
    count, key, share, inside, least = g.records, g.key, g.share, g.inside, g.least
    dense, wide, bits = g.flags[0], g.flags[1], g.flags[2]
    limited = least[0] > 0.0 or least[1] > 0.0
    occupied = count.shape[0]
    d_share = 0.0
    d_log = 0.0
    d_below = 0.0
    step = (right - left) * g.multiplier[a]
    for side in range(2):
        here, there, move = (left, right, step) if side == 0 else (right, left, -step)
        at = g.inside_at[a, here]
        alive = 0
        for p in range(g.inside_len[a, here]):
            x = inside[a, at + p]
            wx = weight[x]
            if wx < 0.0:
                continue
            inside[a, at + alive] = x
            alive += 1
            y = find(dense, bits, wide, table_id, table_key, key, weight, codes, rep,
                     key[x] + move, x, a, there)  # fmt: skip
            if y < 0 or (side == 1 and y < occupied):
                continue  # no neighbour, or the pair was met from the left
            nx = count[x]
            wy = weight[y]
            if y < occupied:
                ny = count[y]
                d_share += share_of(nx + ny, wx + wy) - share[x] - share[y]
                d_log += nlogn(nx + ny, nlog) - nlogn(nx, nlog) - nlogn(ny, nlog)
                if limited:
                    d_below += (below_least(nx + ny, wx + wy, least) - below_least(nx, wx, least)
                                - below_least(ny, wy, least))  # fmt: skip
            else:
                d_share += share_of(nx, wx + wy) - share[x]
                if limited:
                    d_below += below_least(nx, wx + wy, least) - below_least(nx, wx, least)
        g.inside_len[a, here] = alive
    out[0] = d_share
    out[1] = d_log
    out[2] = d_below


@njit(cache=True, nogil=True)
def wider(n_left: int, width_left: int, n_right: int, width_right: int) -> float:
    """Return the change of Σ margin·ln width when two neighbouring intervals merge."""
    return (
        (n_left + n_right) * np.log(max(width_left + width_right, 1))
        - n_left * np.log(max(width_left, 1))
        - n_right * np.log(max(width_right, 1))
    )


@njit(cache=True, nogil=True)
def width_delta(g: GroupState, a: int, left: int, right: int) -> float:
    """The same for two intervals of attribute a."""
    return wider(
        g.margin[a, left],
        g.before[a, g.high[a, left] + 1] - g.before[a, g.low[a, left]],
        g.margin[a, right],
        g.before[a, g.high[a, right] + 1] - g.before[a, g.low[a, right]],
    )


@njit(cache=True, nogil=True)
def _close_up(members: I4, at: I8, length: I8, weight: F8, a: int, left: int, right: int,
              kept: int) -> None:  # fmt: skip
    """Put the living members of two neighbouring slabs behind one another."""
    start = at[a, left]
    filled = start
    for side in range(2):
        slab = left if side == 0 else right
        begin = at[a, slab]
        for p in range(length[a, slab]):
            x = members[a, begin + p]
            if weight[x] >= 0.0:
                members[a, filled] = x
                filled += 1
    at[a, kept] = start
    length[a, kept] = filled - start


@njit(cache=True, nogil=True)
def merge(g: GroupState, a: int, left: int, right: int, nlog: F8) -> int:
    """Merge two neighbouring intervals of attribute a; give the representative of the result."""
    codes, rep, table_key, table_id, weight = g.codes, g.rep, g.table_key, g.table_id, g.weight
    count, group_key, share, least, sums = g.records, g.key, g.share, g.least, g.sums
    dense, wide, bits = g.flags[0], g.flags[1], g.flags[2]
    limited = least[0] > 0.0 or least[1] > 0.0
    occupied = count.shape[0]
    sums[3] += width_delta(g, a, left, right)
    size_l = g.inside_len[a, left] + g.outside_len[a, left]
    size_r = g.inside_len[a, right] + g.outside_len[a, right]
    kept, lost = (left, right) if size_l >= size_r else (right, left)
    move = (kept - lost) * g.multiplier[a]
    _tidy_table(g)
    d_share = 0.0
    d_log = 0.0
    d_below = 0.0
    for side in range(2):  # the groups with records, then those without
        if side == 0:
            members, at, many = g.inside, g.inside_at[a, lost], g.inside_len[a, lost]
        else:
            members, at, many = g.outside, g.outside_at[a, lost], g.outside_len[a, lost]
        for p in range(many):
            x = members[a, at + p]
            wx = weight[x]
            if wx < 0.0:
                continue
            key = group_key[x] + move
            y = find(dense, bits, wide, table_id, table_key, group_key, weight, codes, rep, key,
                     x, a, kept)  # fmt: skip
            if y < 0:
                group_key[x] = key
                _put(g, key, x)
                continue
            wy = weight[y]
            w = wx + wy
            nx = count[x] if side == 0 else 0
            ny = count[y] if y < occupied else 0
            if nx + ny > 0:
                new = share_of(nx + ny, w)
                d_share += new - (share[x] if nx > 0 else 0.0) - (share[y] if ny > 0 else 0.0)
                if nx > 0 and ny > 0:
                    d_log += nlogn(nx + ny, nlog) - nlogn(nx, nlog) - nlogn(ny, nlog)
                if limited:
                    d_below += (
                        below_least(nx + ny, w, least)
                        - below_least(nx, wx, least)
                        - below_least(ny, wy, least)
                    )
            if nx > 0 and ny == 0:  # a group with records takes one without, not the other way
                share[x] = new
                weight[x] = w
                weight[y] = -1.0
                group_key[x] = key
                _put(g, key, x)
                continue
            if ny > 0:
                share[y] = new
                count[y] = nx + ny
            weight[y] = w
            weight[x] = -1.0
    sums[0] += d_share
    sums[1] += d_log
    sums[2] += d_below
    _close_up(g.inside, g.inside_at, g.inside_len, weight, a, left, right, kept)
    _close_up(g.outside, g.outside_at, g.outside_len, weight, a, left, right, kept)
    low = g.low[a, left]
    high = g.high[a, right]
    for v in range(g.low[a, lost], g.high[a, lost] + 1):
        rep[a, v] = kept
    g.low[a, kept] = low
    g.high[a, kept] = high
    g.margin[a, kept] += g.margin[a, lost]
    return kept
