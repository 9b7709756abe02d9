"""The hot loops: measuring any policy, walking a chain, keeping every merge's delta up to date.

A group is known by a key: the sum over the attributes of (interval's representative × multiplier). Where
the product of the domains is not much larger than the number of cells, the key is an index (`dense`);
elsewhere a hash table finds it. When the product passes 63 bits the multipliers are random and a hit is
verified value by value (`wide`), so the answer is exact in every case.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

F8 = npt.NDArray[np.float64]
I8 = npt.NDArray[np.int64]
I4 = npt.NDArray[np.int32]
U1 = npt.NDArray[np.uint8]


class Groups(NamedTuple):
    """The groups of a policy, and how they lie beside each other; changed in place by merges.

    Groups below `occupied` hold records of the sample, the others only people of the population. The
    members of interval `r` of attribute `a` stand in `inside[a]`/`outside[a]` (occupied and not) from
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
    sums: F8  # Σ count/size, Σ count·ln count, records in groups below the least sizes, Σ margin·ln width
    least: F8  # least sample size, least population size of a group
    flags: I8  # dense, wide, bits of the table, places of the table in use


@njit(cache=True, nogil=True)
def nlogn(n: int, table: F8) -> float:
    """Give n·ln n, from the table where it reaches."""
    if n < table.shape[0]:
        return table[n]
    return n * np.log(n)


@njit(cache=True, nogil=True)
def _home(key: int, bits: int) -> int:
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(64 - bits))  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def _same(codes: I4, rep: I4, candidate: int, model: int, attribute: int, wanted: int) -> bool:
    """Say whether `candidate` has the intervals of `model`, but `wanted` in `attribute`."""
    for b in range(codes.shape[0]):
        expected = wanted if b == attribute else rep[b, codes[b, model]]
        if rep[b, codes[b, candidate]] != expected:
            return False
    return True


@njit(cache=True, nogil=True)
def _find_hashed(
    bits: int, wide: int, table_id: I4, table_key: I8, group_key: I8, weight: F8, codes: I4,
    rep: I4, key: int, model: int, attribute: int, wanted: int,
) -> int:  # fmt: skip
    mask = (1 << bits) - 1
    at = _home(key, bits)
    while table_id[at] >= 0:
        if table_key[at] == key:
            found = table_id[at]
            if weight[found] >= 0.0 and group_key[found] == key:
                if wide == 0 or _same(codes, rep, found, model, attribute, wanted):
                    return found
        at = (at + 1) & mask
    return -1


@njit(cache=True, nogil=True)
def _find(
    dense: int, bits: int, wide: int, table_id: I4, table_key: I8, group_key: I8, weight: F8,
    codes: I4, rep: I4, key: int, model: int, attribute: int, wanted: int,
) -> int:  # fmt: skip
    """Find the living group with this key; −1 when there is none."""
    if dense == 1:
        return table_id[key]
    return _find_hashed(
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
def _put(g: Groups, key: int, group: int) -> None:
    if g.flags[0] == 1:
        g.table_id[key] = group
        return
    bits = g.flags[2]
    mask = (1 << bits) - 1
    at = _home(key, bits)
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
def _share(count: int, weight: float) -> float:
    """Give a group's part of the risk: records over max(population, sample)."""
    return count / weight if weight > count else 1.0


@njit(cache=True, nogil=True)
def _below(count: int, weight: float, least: F8) -> float:
    size = weight if weight > count else np.float64(count)
    return np.float64(count) if count < least[0] or size < least[1] else 0.0


@njit(cache=True, nogil=True)
def _tidy_table(g: Groups) -> None:
    """Build the hash table anew once stale entries crowd it, so that a probe always ends."""
    if g.flags[0] == 1 or 4 * g.flags[3] < 3 * g.table_id.shape[0]:
        return
    g.table_id[:] = -1
    g.flags[3] = 0
    for i in range(g.codes.shape[1]):
        if g.weight[i] >= 0.0:
            _put(g, g.key[i], i)


@njit(cache=True, nogil=True)
def _fill_table(g: Groups) -> None:
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
def fill_bottom(g: Groups, nlog: F8, counts_of_value: I8, sizes: I8) -> None:
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
        g.share[i] = _share(g.records[i], g.weight[i])
        g.sums[0] += g.share[i]
        g.sums[1] += nlogn(g.records[i], nlog)
        g.sums[2] += _below(g.records[i], g.weight[i], g.least)


@njit(cache=True, nogil=True)
def copy_groups(source: Groups, target: Groups) -> None:
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
def merge_delta(g: Groups, a: int, left: int, right: int, nlog: F8, out: F8) -> None:
    """Give what merging two neighbouring intervals of attribute a would change in the sums."""
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
            y = _find(dense, bits, wide, table_id, table_key, key, weight, codes, rep,
                      key[x] + move, x, a, there)  # fmt: skip
            if y < 0 or (side == 1 and y < occupied):
                continue  # no neighbour, or the pair was met from the left
            nx = count[x]
            wy = weight[y]
            if y < occupied:
                ny = count[y]
                d_share += _share(nx + ny, wx + wy) - share[x] - share[y]
                d_log += nlogn(nx + ny, nlog) - nlogn(nx, nlog) - nlogn(ny, nlog)
                if limited:
                    d_below += (_below(nx + ny, wx + wy, least) - _below(nx, wx, least)
                                - _below(ny, wy, least))  # fmt: skip
            else:
                d_share += _share(nx, wx + wy) - share[x]
                if limited:
                    d_below += _below(nx, wx + wy, least) - _below(nx, wx, least)
        g.inside_len[a, here] = alive
    out[0] = d_share
    out[1] = d_log
    out[2] = d_below


@njit(cache=True, nogil=True)
def width_delta(g: Groups, a: int, left: int, right: int) -> float:
    """Give the change of Σ margin·ln width when two neighbouring intervals merge."""
    wl = g.high[a, left] - g.low[a, left] + 1
    wr = g.high[a, right] - g.low[a, right] + 1
    nl = g.margin[a, left]
    nr = g.margin[a, right]
    return (nl + nr) * np.log(wl + wr) - nl * np.log(wl) - nr * np.log(wr)


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
def merge(g: Groups, a: int, left: int, right: int, nlog: F8) -> int:
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
    at = g.inside_at[a, lost]
    members = g.inside
    for p in range(g.inside_len[a, lost]):
        x = members[a, at + p]
        wx = weight[x]
        if wx < 0.0:
            continue
        key = group_key[x] + move
        y = _find(dense, bits, wide, table_id, table_key, group_key, weight, codes, rep, key, x, a,
                  kept)  # fmt: skip
        if y < 0:
            group_key[x] = key
            _put(g, key, x)
            continue
        wy = weight[y]
        nx = count[x]
        if y < occupied:
            ny = count[y]
            if limited:
                d_below += (_below(nx + ny, wx + wy, least) - _below(nx, wx, least)
                            - _below(ny, wy, least))  # fmt: skip
            d_log += nlogn(nx + ny, nlog) - nlogn(nx, nlog) - nlogn(ny, nlog)
            new = _share(nx + ny, wx + wy)
            d_share += new - share[x] - share[y]
            share[y] = new
            count[y] = nx + ny
            weight[y] = wx + wy
            weight[x] = -1.0
        else:
            if limited:
                d_below += _below(nx, wx + wy, least) - _below(nx, wx, least)
            new = _share(nx, wx + wy)
            d_share += new - share[x]
            share[x] = new
            weight[x] = wx + wy
            weight[y] = -1.0
            group_key[x] = key
            _put(g, key, x)
    at = g.outside_at[a, lost]
    members = g.outside
    for p in range(g.outside_len[a, lost]):
        x = members[a, at + p]
        wx = weight[x]
        if wx < 0.0:
            continue
        key = group_key[x] + move
        y = _find(dense, bits, wide, table_id, table_key, group_key, weight, codes, rep, key, x, a,
                  kept)  # fmt: skip
        if y < 0:
            group_key[x] = key
            _put(g, key, x)
            continue
        w = wx + weight[y]
        if y < occupied:
            ny = count[y]
            if limited:
                d_below += _below(ny, w, least) - _below(ny, weight[y], least)
            new = _share(ny, w)
            d_share += new - share[y]
            share[y] = new
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


@njit(cache=True, nogil=True)
def walk(g: Groups, attributes: I4, values: I4, nlog: F8, out: F8) -> None:
    """Clear the cuts after the given values one by one; write the sums after each."""
    for t in range(attributes.shape[0]):
        a = attributes[t]
        v = values[t]
        merge(g, a, g.rep[a, v], g.rep[a, v + 1], nlog)
        for k in range(4):
            out[t, k] = g.sums[k]


@njit(cache=True, nogil=True)
def walk_dense(
    weight_0: F8, count_0: I4, weight: F8, count: I4, multiplier: I8, sizes: I8,
    counts_of_value: I8, attributes: I4, values: I4, nlog: F8, least: F8, sums: F8, out: F8,
) -> None:  # fmt: skip
    """The same walk from the bottom where the product of the domains is an index; `sums` is the bottom's.

    An interval is known by its first value. Merging adds one slab of the index to another: no look-up.
    """
    d = sizes.shape[0]
    widest = sizes.max()
    weight[:] = weight_0
    count[:] = count_0
    limited = least[0] > 0.0 or least[1] > 0.0
    begin = np.empty((d, widest), dtype=np.int64)  # first value of the interval of each value
    end = np.empty((d, widest), dtype=np.int64)  # by first value
    active = np.empty((d, widest), dtype=np.int64)
    many = sizes.copy()
    margin = counts_of_value.copy()
    for a in range(d):
        for v in range(sizes[a]):
            begin[a, v] = v
            end[a, v] = v
            active[a, v] = v
    offsets = np.empty(weight.shape[0] // sizes.min() + 1, dtype=np.int64)
    total = np.zeros(4)
    total[:] = sums
    for t in range(attributes.shape[0]):
        a = attributes[t]
        left = begin[a, values[t]]
        right = values[t] + 1
        step = (right - left) * multiplier[a]
        offsets[0] = left * multiplier[a]
        filled = 1
        for b in range(d):  # all combinations of the other attributes' intervals, in order
            if b == a:
                continue
            size = many[b]
            for i in range(filled - 1, -1, -1):
                base = offsets[i]
                for k in range(size - 1, -1, -1):
                    offsets[i * size + k] = base + active[b, k] * multiplier[b]
            filled *= size
        d_share = 0.0
        d_log = 0.0
        d_below = 0.0
        for i in range(filled):
            x = offsets[i]
            y = x + step
            wx = weight[x]
            wy = weight[y]
            w = wx + wy
            weight[x] = w
            nx = count[x]
            ny = count[y]
            n = nx + ny
            if n == 0:
                continue
            count[x] = n
            d_share += n / max(w, n) - nx / max(wx, nx, 1e-300) - ny / max(wy, ny, 1e-300)
            if nx > 0 and ny > 0:
                d_log += nlogn(n, nlog) - nlogn(nx, nlog) - nlogn(ny, nlog)
            if limited:
                d_below += _below(n, w, least)
                if nx > 0:
                    d_below -= _below(nx, wx, least)
                if ny > 0:
                    d_below -= _below(ny, wy, least)
        total[0] += d_share
        total[1] += d_log
        total[2] += d_below
        wl = right - left
        last = end[a, right]
        wr = last - right + 1
        nl = margin[a, left]
        nr = margin[a, right]
        total[3] += (nl + nr) * np.log(wl + wr) - nl * np.log(wl) - nr * np.log(wr)
        margin[a, left] = nl + nr
        end[a, left] = last
        for v in range(right, last + 1):
            begin[a, v] = left
        at = 0
        while active[a, at] != right:
            at += 1
        for k in range(at, many[a] - 1):
            active[a, k] = active[a, k + 1]
        many[a] -= 1
        for k in range(4):
            out[t, k] = total[k]


@njit(cache=True, nogil=True)
def _spread(g: Groups, b: int, slab: int, sign: float, first: I8, deltas: F8, nlog: F8) -> None:
    """Add (or take away) what one slab of attribute b gives to the merge deltas of the others."""
    codes, rep, table_key, table_id, weight = g.codes, g.rep, g.table_key, g.table_id, g.weight
    count, key, share, inside, least = g.records, g.key, g.share, g.inside, g.least
    low, high, multiplier = g.low, g.high, g.multiplier
    dense, wide, bits = g.flags[0], g.flags[1], g.flags[2]
    limited = least[0] > 0.0 or least[1] > 0.0
    occupied = count.shape[0]
    at = g.inside_at[b, slab]
    alive = 0
    for p in range(g.inside_len[b, slab]):
        x = inside[b, at + p]
        wx = weight[x]
        if wx < 0.0:
            continue
        inside[b, at + alive] = x
        alive += 1
        nx = count[x]
        for a in range(codes.shape[0]):
            if a == b:
                continue
            here = rep[a, codes[a, x]]
            for side in range(2):
                if side == 0:
                    bit = first[a] + high[a, here]
                    if bit >= first[a + 1]:
                        continue
                    there = rep[a, high[a, here] + 1]
                else:
                    if low[a, here] == 0:
                        continue
                    bit = first[a] + low[a, here] - 1
                    there = rep[a, low[a, here] - 1]
                y = _find(dense, bits, wide, table_id, table_key, key, weight, codes, rep,
                          key[x] + (there - here) * multiplier[a], x, a, there)  # fmt: skip
                if y < 0:
                    continue
                wy = weight[y]
                if y >= occupied:
                    deltas[bit, 0] += sign * (_share(nx, wx + wy) - share[x])
                    if limited:
                        deltas[bit, 2] += sign * (
                            _below(nx, wx + wy, least) - _below(nx, wx, least)
                        )
                elif side == 0:  # a pair of occupied groups counts once, from its left
                    ny = count[y]
                    deltas[bit, 0] += sign * (_share(nx + ny, wx + wy) - share[x] - share[y])
                    deltas[bit, 1] += sign * (
                        nlogn(nx + ny, nlog) - nlogn(nx, nlog) - nlogn(ny, nlog)
                    )
                    if limited:
                        deltas[bit, 2] += sign * (
                            _below(nx + ny, wx + wy, least) - _below(nx, wx, least)
                            - _below(ny, wy, least)
                        )  # fmt: skip
    g.inside_len[b, slab] = alive


@njit(cache=True, nogil=True)
def all_deltas(g: Groups, bits: U1, attribute: I4, first: I8, deltas: F8, nlog: F8) -> None:
    """Compute the delta of every merge that the policy allows, from scratch."""
    for i in range(bits.shape[0]):
        if bits[i]:
            a = attribute[i]
            v = i - first[a]
            merge_delta(g, a, g.rep[a, v], g.rep[a, v + 1], nlog, deltas[i])


@njit(cache=True, nogil=True)
def _too_wide(g: Groups, a: int, left: int, right: int, widest: I8) -> bool:
    return g.high[a, right] - g.low[a, left] + 1 > widest[a]


@njit(cache=True, nogil=True)
def _price(d_loss: float, d_risk: float, d_below: float, below: float) -> float:
    """Give the exchange rate of a merge: loss paid for each unit of risk taken away.

    While some groups are below the least size, the share of records taken out of them counts as risk.
    """
    gain = -d_risk
    if below > 0.0:
        gain -= d_below / below
    if d_loss <= 1e-13:
        return 0.0
    if gain <= 1e-13:
        return 1e290 + d_loss
    return d_loss / gain


@njit(cache=True, nogil=True)
def greedy(
    g: Groups, bits: U1, fixed: U1, attribute: I4, first: I8, widest: I8, deltas: F8, nlog: F8,
    scale: F8, steps: int, order: I8, found: F8, found_at: I8, offset: int,
) -> tuple[int, int]:  # fmt: skip
    """Take the cheapest merge again and again, every delta kept up to date.

    Every neighbour is written out: (risk, loss, records below the least size) in `found`, (step, bit) in
    `found_at`. `scale` holds Σ n ln n of the cells, n, the risk of bottom, the loss of top. Stops after
    `steps` merges, when nothing is left to merge, or when `found` is full; gives (merges, neighbours).
    """
    base, n, risk_0, loss_top = scale[0], scale[1], scale[2], scale[3]
    total = bits.shape[0]
    written = 0
    done = 0
    while done < steps:
        if written + total > found.shape[0]:
            break
        best = -1
        best_price = np.inf
        below = g.sums[2]
        for i in range(total):
            if bits[i] == 0 or fixed[i]:
                continue
            a = attribute[i]
            v = i - first[a]
            left = g.rep[a, v]
            right = g.rep[a, v + 1]
            if _too_wide(g, a, left, right, widest):
                continue
            d_loss = (width_delta(g, a, left, right) - deltas[i, 1]) / n / loss_top
            d_risk = deltas[i, 0] / risk_0
            found[written, 0] = g.sums[0] / risk_0 + d_risk
            found[written, 1] = (base - g.sums[1] + g.sums[3]) / n / loss_top + d_loss
            found[written, 2] = below + deltas[i, 2]
            found_at[written, 0] = offset + done
            found_at[written, 1] = i
            written += 1
            price = _price(d_loss, d_risk, deltas[i, 2], below)
            if price < best_price:
                best_price = price
                best = i
        if best < 0:
            break
        a = attribute[best]
        v = best - first[a]
        left = g.rep[a, v]
        right = g.rep[a, v + 1]
        _spread(g, a, left, -1.0, first, deltas, nlog)
        _spread(g, a, right, -1.0, first, deltas, nlog)
        kept = merge(g, a, left, right, nlog)
        bits[best] = 0
        _spread(g, a, kept, 1.0, first, deltas, nlog)
        low = g.low[a, kept]
        high = g.high[a, kept]
        if low > 0:
            merge_delta(g, a, g.rep[a, low - 1], kept, nlog, deltas[first[a] + low - 1])
        if first[a] + high < first[a + 1]:
            merge_delta(g, a, kept, g.rep[a, high + 1], nlog, deltas[first[a] + high])
        order[done] = best
        done += 1
    return done, written


@njit(cache=True, nogil=True)
def lazy_greedy(
    g: Groups, bits: U1, fixed: U1, attribute: I4, first: I8, widest: I8, price: F8, stamp: I8,
    nlog: F8, scale: F8, budget: int, fresh: int, worst_loss: float, order: I8, found: F8,
    found_at: I8, offset: int,
) -> tuple[int, int]:  # fmt: skip
    """Take the cheapest merge by prices that may be stale, the cheapest ones measured again first.

    At each step at least `fresh` prices are measured anew, and the one taken always is. `price` and
    `stamp` (the step at which a price was measured; −1: never) carry over between calls. Stops when
    `budget` is spent, when nothing is left to merge or the loss passes `worst_loss`. Gives (merges,
    measured neighbours).
    """
    base, n, risk_0, loss_top = scale[0], scale[1], scale[2], scale[3]
    total = bits.shape[0]
    delta = np.empty(3)
    written = 0
    done = 0
    measured = 0
    while True:
        if (base - g.sums[1] + g.sums[3]) / n / loss_top > worst_loss:
            break
        now = offset + done
        best = -1
        stale = -1
        for i in range(total):
            if bits[i] == 0 or fixed[i]:
                continue
            better = best < 0 or price[i] < price[best]
            better_stale = stamp[i] != now and (stale < 0 or price[i] < price[stale])
            if better or better_stale:
                a = attribute[i]
                v = i - first[a]
                if _too_wide(g, a, g.rep[a, v], g.rep[a, v + 1], widest):
                    continue
                if better:
                    best = i
                if better_stale:
                    stale = i
        if best < 0:
            break
        look_at = stale if stale >= 0 and (measured < fresh or stamp[best] != now) else -1
        if look_at >= 0:
            if written >= budget or written >= found.shape[0]:
                break
            a = attribute[look_at]
            v = look_at - first[a]
            left = g.rep[a, v]
            right = g.rep[a, v + 1]
            merge_delta(g, a, left, right, nlog, delta)
            d_loss = (width_delta(g, a, left, right) - delta[1]) / n / loss_top
            d_risk = delta[0] / risk_0
            found[written, 0] = g.sums[0] / risk_0 + d_risk
            found[written, 1] = (base - g.sums[1] + g.sums[3]) / n / loss_top + d_loss
            found[written, 2] = g.sums[2] + delta[2]
            found_at[written, 0] = now
            found_at[written, 1] = look_at
            written += 1
            measured += 1
            price[look_at] = _price(d_loss, d_risk, delta[2], g.sums[2])
            stamp[look_at] = now
            continue
        if done >= order.shape[0]:
            break
        a = attribute[best]
        v = best - first[a]
        merge(g, a, g.rep[a, v], g.rep[a, v + 1], nlog)
        bits[best] = 0
        order[done] = best
        done += 1
        measured = 0
    return done, written


@njit(cache=True, nogil=True)
def intervals(
    bits: U1, first: I8, sizes: I8, counts_of_value: I8, interval: I4, amounts: I8
) -> float:
    """Number the intervals of each attribute's values; give Σ margin·ln width, and how many there are."""
    spread = 0.0
    for a in range(sizes.shape[0]):
        at = 0
        width = 1
        margin = counts_of_value[a, 0]
        interval[a, 0] = 0
        for v in range(1, sizes[a]):
            if bits[first[a] + v - 1]:
                if width > 1:
                    spread += margin * np.log(width)
                at += 1
                width = 0
                margin = 0
            width += 1
            margin += counts_of_value[a, v]
            interval[a, v] = at
        if width > 1:
            spread += margin * np.log(width)
        amounts[a] = at + 1
    return spread


@njit(cache=True, nogil=True)
def measure(
    row_of: I4, row_start: I8, column_of: I4, row_key: I8, column_key: I8, count: I8, weight: F8,
    outside: F8, space: int, nlog: F8, least: F8, keys: I8, counts: I8, weights: F8, codes: I4, interval: I4,
    wide: int, out: F8,
) -> int:  # fmt: skip
    """Measure any policy: Σ count/size, Σ n ln n, records below the least sizes, and the least groups.

    `space` > 0: keys are indices below it; 0: they are hashed into the scratch arrays, whose length is a
    power of two. Cells without records stand by row from `row_start` on; `outside` is their population. Gives the number of occupied
    groups.
    """
    total = row_of.shape[0]
    occupied = count.shape[0]
    out[:] = 0.0
    out[3] = np.inf
    out[4] = np.inf
    groups = 0
    limited = least[0] > 0.0 or least[1] > 0.0
    if space > 0:
        for k in range(space):
            counts[k] = 0
        for k in range(2 * space):
            weights[k] = 0.0
        for i in range(occupied):
            k = row_key[row_of[i]] + column_key[column_of[i]]
            counts[k] += count[i]
            weights[2 * k] += weight[i]
        for r in range(row_start.shape[0] - 1):
            base = row_key[r]
            i = row_start[r]
            last = row_start[r + 1]
            while i + 1 < last:  # two sums side by side, so that one need not wait for the other
                weights[2 * (base + column_key[column_of[i]])] += outside[i]
                weights[2 * (base + column_key[column_of[i + 1]]) + 1] += outside[i + 1]
                i += 2
            if i < last:
                weights[2 * (base + column_key[column_of[i]])] += outside[i]
        for i in range(occupied):
            k = row_key[row_of[i]] + column_key[column_of[i]]
            c = counts[k]
            if c > 0:
                w = weights[2 * k] + weights[2 * k + 1]
                groups += 1
                out[0] += _share(c, w)
                out[1] += nlogn(c, nlog)
                if limited:
                    out[2] += _below(c, w, least)
                out[3] = min(out[3], c)
                out[4] = min(out[4], max(w, c))
                counts[k] = 0
        return groups
    capacity = counts.shape[0]
    mask = capacity - 1
    bits = 0
    while (1 << bits) < capacity:
        bits += 1
    d = codes.shape[0]
    counts[:] = -1  # also the index of the cell that stands for the group
    for i in range(total):
        key = row_key[row_of[i]] + column_key[column_of[i]]
        at = _home(key, bits)
        while counts[at] >= 0:
            if keys[at] == key:
                if wide == 0:
                    break
                same = True
                for a in range(d):
                    if interval[a, codes[a, i]] != interval[a, codes[a, counts[at]]]:
                        same = False
                        break
                if same:
                    break
            at = (at + 1) & mask
        if counts[at] < 0:
            if i >= occupied:
                continue  # a population group without a record: no part of any measure
            counts[at] = i
            keys[at] = key
            weights[2 * at] = 0.0
            weights[2 * at + 1] = 0.0
        if i < occupied:
            weights[2 * at] += count[i]
        weights[2 * at + 1] += weight[i]
    for at in range(capacity):
        if counts[at] >= 0:
            c = np.int64(weights[2 * at])
            w = weights[2 * at + 1]
            groups += 1
            out[0] += _share(c, w)
            out[1] += nlogn(c, nlog)
            out[2] += _below(c, w, least)
            out[3] = min(out[3], c)
            out[4] = min(out[4], max(w, c))
    return groups
