"""The hot loops of the dynamic programme: what each interval of one attribute costs, and the best partition.

With the other attributes fixed, risk and loss are sums over the intervals of one attribute; a column is
one combination of the other attributes' intervals.
"""

from __future__ import annotations

import numpy as np

from ...._jit import njit
from ._measure_kernels import F8, I4, I8, U1, below_least, home, nlogn, share_of


@njit(cache=True, nogil=True)
def columns(
    row_of: I4, column_of: I4, row_key: I8, column_key: I8, space: int, occupied: int, scratch: I4,
    keys: I8, codes: I4, interval: I4, skip: int, wide: int, column: I4,
) -> int:  # fmt: skip
    """Return the column of each cell; −1 where the column holds no record (it is no part of any measure)."""
    total = row_of.shape[0]
    found = 0
    scratch[:] = -1
    if space > 0:
        for i in range(total):
            key = row_key[row_of[i]] + column_key[column_of[i]]
            c = scratch[key]
            if c < 0 and i < occupied:
                c = found
                scratch[key] = found
                found += 1
            column[i] = c
        return found
    mask = scratch.shape[0] - 1
    bits = 0
    while (1 << bits) < scratch.shape[0]:
        bits += 1
    model = np.empty(occupied, dtype=np.int32)
    for i in range(total):
        key = row_key[row_of[i]] + column_key[column_of[i]]
        at = home(key, bits)
        while scratch[at] >= 0:
            if keys[at] == key:
                if wide == 0:
                    break
                same = True
                for a in range(codes.shape[0]):
                    if a != skip:
                        other = model[scratch[at]]
                        if interval[a, codes[a, i]] != interval[a, codes[a, other]]:
                            same = False
                            break
                if same:
                    break
            at = (at + 1) & mask
        c = scratch[at]
        if c < 0 and i < occupied:
            c = found
            model[found] = i
            scratch[at] = found
            keys[at] = key
            found += 1
        column[i] = c
    return found


@njit(cache=True, nogil=True)
def interval_costs(
    column: I4, how_many: int, by_value: I4, unit_of_cell: I4, count: I8, weight: F8, nlog: F8,
    least: F8, share: F8, log: F8, below: F8,
) -> int:  # fmt: skip
    """Add up, for every interval of units [i, i + b], Σ count/size, Σ n ln n and the records below least.

    `by_value` lists the cells by their unit. The tables have one row a unit and as many columns as the
    longest interval asked for. Gives the number of steps taken.
    """
    units, band = share.shape
    occupied = count.shape[0]
    total = column.shape[0]
    limited = least[0] > 0.0 or least[1] > 0.0
    start = np.zeros(how_many + 1, dtype=np.int64)
    for i in range(total):
        if column[i] >= 0:
            start[column[i] + 1] += 1
    for c in range(how_many):
        start[c + 1] += start[c]
    filled = start[:-1].copy()
    unit = np.empty(start[how_many], dtype=np.int32)
    n = np.empty(start[how_many], dtype=np.int64)
    w = np.empty(start[how_many])
    for t in range(total):
        i = by_value[t]
        c = column[i]
        if c < 0:
            continue
        u = unit_of_cell[i]
        at = filled[c]
        if at > start[c] and unit[at - 1] == u:
            at -= 1
        else:
            unit[at] = u
            n[at] = 0
            w[at] = 0.0
            filled[c] = at + 1
        if i < occupied:
            n[at] += count[i]
        w[at] += weight[i]
    share[:] = 0.0
    log[:] = 0.0
    below[:] = 0.0
    steps = 0
    for c in range(how_many):
        for p in range(start[c], filled[c]):
            here = unit[p]
            before = unit[p - 1] if p > start[c] else -1
            records = 0
            people = 0.0
            last_share = 0.0
            last_log = 0.0
            last_below = 0.0
            for q in range(p, filled[c]):
                b = unit[q] - here
                if b >= band:
                    break
                records += n[q]
                people += w[q]
                if records == 0:
                    continue
                steps += 1
                value = share_of(records, people)
                change = value - last_share
                last_share = value
                behind = unit[q] - before
                inside = before >= 0 and behind < band
                share[here, b] += change
                if inside:
                    share[before, behind] -= change
                if n[q] > 0:
                    value = nlogn(records, nlog)
                    change = value - last_log
                    last_log = value
                    log[here, b] += change
                    if inside:
                        log[before, behind] -= change
                if limited:
                    value = below_least(records, people, least)
                    change = value - last_below
                    last_below = value
                    below[here, b] += change
                    if inside:
                        below[before, behind] -= change
    for i in range(units - 2, -1, -1):
        for b in range(1, band):
            share[i, b] += share[i + 1, b - 1]
            log[i, b] += log[i + 1, b - 1]
            if limited:
                below[i, b] += below[i + 1, b - 1]
    for i in range(units):
        for b in range(1, band):
            share[i, b] += share[i, b - 1]
            log[i, b] += log[i, b - 1]
            if limited:
                below[i, b] += below[i, b - 1]
    return steps


@njit(cache=True, nogil=True)
def to_axes(
    share: F8, log: F8, below: F8, margin: I8, length: I8, width: I8, allowed: U1, widest: int,
    max_below: int, scale: F8, risk: F8, loss: F8,
) -> None:  # fmt: skip
    """Turn the interval tables into risk and loss; infinite loss where an interval is not allowed.

    By unit, `length` is the number of its values and `width` that of those which count. `allowed` has the shape of
    the tables, or (0, 0) where every interval is.
    """
    units, band = share.shape
    for i in range(units):
        records = 0
        values = 0
        wide = 0
        for b in range(min(band, units - i)):
            records += margin[i + b]
            values += length[i + b]
            wide += width[i + b]
            if (
                (values > widest and b > 0)
                or below[i, b] > max_below + 0.5
                or (allowed.shape[0] > 0 and allowed[i, b] == 0)
            ):
                risk[i, b] = np.inf
                loss[i, b] = np.inf
            else:
                risk[i, b] = share[i, b] / scale[2]
                loss[i, b] = (records * np.log(max(wide, 1)) - log[i, b]) / scale[1] / scale[3]


@njit(cache=True, nogil=True)
def best_partitions(risk: F8, loss: F8, weights: F8, last: I4, ends: U1, found: F8) -> None:
    """Find, for each weight w, the partition that minimises (1 − w)·risk + w·loss.

    Row k of `ends` marks the units after which partition k cuts; `found` holds its risk, its loss and its
    longest interval in units. An impossible partition has infinite risk.
    """
    units, band = risk.shape
    best = np.empty(units + 1)
    for k in range(weights.shape[0]):
        v = weights[k]
        u = 1.0 - v
        best[0] = 0.0
        for j in range(units):
            least = np.inf
            at = -1
            for b in range(min(band, j + 1)):
                i = j - b
                cost = best[i] + u * risk[i, b] + v * loss[i, b]
                if cost < least:
                    least = cost
                    at = b
            best[j + 1] = least
            last[j] = at
        ends[k, :] = 0
        found[k, 0] = np.inf
        found[k, 1] = np.inf
        found[k, 2] = 0.0
        if not np.isfinite(best[units]):
            continue
        r = 0.0
        l = 0.0
        longest = 0
        j = units - 1
        while j >= 0:
            b = last[j]
            r += risk[j - b, b]
            l += loss[j - b, b]
            longest = max(longest, b + 1)
            ends[k, j] = 1
            j -= b + 1
        found[k, 0] = r
        found[k, 1] = l
        found[k, 2] = longest


@njit(cache=True, nogil=True)
def flips(risk: F8, loss: F8, ends: U1, total: F8, found: F8, found_at: I4) -> int:
    """Write out every partition that differs in one cut from the given ones; give how many there are.

    `total[k]` is the risk and loss of partition k; `found_at` holds (partition, unit of the cut).
    """
    units, band = risk.shape
    written = 0
    for k in range(ends.shape[0]):
        if not np.isfinite(total[k, 0]):
            continue
        i = 0
        before = -1  # start of the interval before
        while i < units:
            j = i
            while ends[k, j] == 0:
                j += 1
            b = j - i
            if before >= 0 and j - before < band:
                r = risk[before, j - before]
                if np.isfinite(r):
                    found[written, 0] = total[k, 0] + r - risk[before, i - 1 - before] - risk[i, b]
                    found[written, 1] = (
                        total[k, 1] + loss[before, j - before] - loss[before, i - 1 - before]
                        - loss[i, b]
                    )  # fmt: skip
                    found_at[written, 0] = k
                    found_at[written, 1] = i - 1
                    written += 1
            for m in range(i, j):
                r = risk[i, m - i] + risk[m + 1, j - m - 1]
                if np.isfinite(r):
                    found[written, 0] = total[k, 0] + r - risk[i, b]
                    found[written, 1] = (
                        total[k, 1] + loss[i, m - i] + loss[m + 1, j - m - 1] - loss[i, b]
                    )
                    found_at[written, 0] = k
                    found_at[written, 1] = m
                    written += 1
            before = i
            i = j + 1
    return written


@njit(cache=True, nogil=True)
def all_partitions(risk: F8, loss: F8, out_risk: F8, out_loss: F8) -> None:
    """Add up every partition; bit j of its number is the cut after unit j."""
    units = risk.shape[0]
    for mask in range(out_risk.shape[0]):
        r = 0.0
        l = 0.0
        i = 0
        for j in range(units):
            if j == units - 1 or (mask >> j) & 1:
                r += risk[i, j - i]
                l += loss[i, j - i]
                i = j + 1
        out_risk[mask] = r
        out_loss[mask] = l
