"""The hot loops that measure one policy: number the intervals, add up the cells, sum over the groups.

A group is known by a key: the sum over the attributes of (interval × multiplier). Where there are few
groups compared with the cells the key is an index (dense); elsewhere a hash table finds it. When the product of the
domains passes 63 bits the multipliers are random and a hit is verified value by value (`wide`), so the
answer is exact in every case.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

F8 = npt.NDArray[np.float64]
I8 = npt.NDArray[np.int64]
I4 = npt.NDArray[np.int32]
U1 = npt.NDArray[np.uint8]

_PART_BITS = 14  # places of a part of a table of groups, 16 bytes each


@njit(cache=True, nogil=True)
def nlogn(n: int, table: F8) -> float:
    """Return n·ln n, from the table where it reaches."""
    if n < table.shape[0]:
        return table[n]
    return n * np.log(n)


@njit(cache=True, nogil=True)
def home(key: int, bits: int) -> int:
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(64 - bits))  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def share_of(count: int, weight: float) -> float:
    """Return a group's part of the risk: records over max(population, sample)."""
    return count / weight if weight > count else 1.0


@njit(cache=True, nogil=True)
def below_least(count: int, weight: float, least: F8) -> float:
    """Return the records of a group that is below the least sizes; 0 when it is not."""
    size = weight if weight > count else np.float64(count)
    return np.float64(count) if count < least[0] or size < least[1] else 0.0


@njit(cache=True, nogil=True)
def intervals(
    bits: U1, first: I8, sizes: I8, counts_of_value: I8, before: I8, interval: I4, amounts: I8
) -> float:
    """Number the intervals of each attribute's values; give Σ margin·ln width, and how many there are."""
    spread = 0.0
    for a in range(sizes.shape[0]):
        at = 0
        begin = before[a, 0]
        margin = counts_of_value[a, 0]
        interval[a, 0] = 0
        for v in range(1, sizes[a]):
            if bits[first[a] + v - 1]:
                width = before[a, v] - begin
                if width > 1:
                    spread += margin * np.log(width)
                at += 1
                begin = before[a, v]
                margin = 0
            margin += counts_of_value[a, v]
            interval[a, v] = at
        width = before[a, sizes[a]] - begin
        if width > 1:
            spread += margin * np.log(width)
        amounts[a] = at + 1
    return spread


@njit(cache=True, nogil=True)
def keys(values: I4, attributes: I8, interval: I4, multipliers: I8) -> I8:
    """Return a key of each combination of values, by the intervals they fall in: (attributes, combinations)."""
    found = np.zeros(values.shape[1], dtype=np.int64)
    for at in range(attributes.shape[0]):
        a = attributes[at]
        for i in range(values.shape[1]):
            found[i] += interval[a, values[at, i]] * multipliers[a]
    return found


@njit(cache=True, nogil=True)
def measure_dense(
    row_of: I4, row_start: I8, column_of: I4, row_key: I8, column_key: I8, count: I8, weight: F8,
    outside: F8, space: int, nlog: F8, least: F8, counts: I8, weights: F8, out: F8,
) -> int:  # fmt: skip
    """Measure a policy: Σ count/size, Σ n ln n, records below the least sizes, and the least groups.

    Keys are indices below `space`. Cells without records stand by row from `row_start` on; `outside` is
    their population. Gives the number of occupied groups.
    """
    occupied = count.shape[0]
    out[:] = 0.0
    out[3] = np.inf
    out[4] = np.inf
    groups = 0
    limited = least[0] > 0.0 or least[1] > 0.0
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
            out[0] += share_of(c, w)
            out[1] += nlogn(c, nlog)
            if limited:
                out[2] += below_least(c, w, least)
            out[3] = min(out[3], c)
            out[4] = min(out[4], max(w, c))
            counts[k] = 0
    return groups


@njit(cache=True, nogil=True)
def measure_by_hash(
    row_of: I4, column_of: I4, row_key: I8, column_key: I8, count: I8, weight: F8, nlog: F8,
    least: F8, keys: I8, counts: I8, weights: F8, codes: I4, interval: I4, wide: int, out: F8,
) -> int:  # fmt: skip
    """The same by a hash table in the scratch arrays, whose length is a power of two."""
    total = row_of.shape[0]
    occupied = count.shape[0]
    out[:] = 0.0
    out[3] = np.inf
    out[4] = np.inf
    groups = 0
    capacity = counts.shape[0]
    mask = capacity - 1
    bits = 0
    while (1 << bits) < capacity:
        bits += 1
    d = codes.shape[0]
    counts[:] = -1  # also the index of the cell that stands for the group
    for i in range(total):
        key = row_key[row_of[i]] + column_key[column_of[i]]
        at = home(key, bits)
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
            out[0] += share_of(c, w)
            out[1] += nlogn(c, nlog)
            out[2] += below_least(c, w, least)
            out[3] = min(out[3], c)
            out[4] = min(out[4], max(w, c))
    return groups


@njit(cache=True, nogil=True)
def add_group(c: int, nlog: F8, least: F8, out: F8) -> None:
    """Add a group of a sample that is its own population to the sums of `measure_dense`."""
    out[0] += 1.0
    out[1] += nlogn(c, nlog)
    if c < least[0] or c < least[1]:
        out[2] += c
    out[3] = min(out[3], c)


@njit(cache=True, nogil=True)
def measure_sample_dense(
    row_of: I4, column_of: I4, row_key: I8, column_key: I8, count: I8, space: int, nlog: F8,
    least: F8, counts: I8, out: F8,
) -> int:  # fmt: skip
    """Do as `measure_dense` does where the sample is the population; `counts` is zero before and after."""
    out[:] = 0.0
    out[3] = np.inf
    for i in range(count.shape[0]):
        counts[row_key[row_of[i]] + column_key[column_of[i]]] += count[i]
    for k in range(space):
        if counts[k] > 0:
            add_group(counts[k], nlog, least, out)
            counts[k] = 0
    out[4] = out[3]
    return np.int64(out[0])  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def count_bits(table: I8) -> int:
    """Return how many bits the number of a place has, where key and value are side by side."""
    bits = 0
    while (1 << bits) < table.shape[0] // 2:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def find_place(table: I8, key: int, bits: int) -> int:
    """Return the place of a key: its own, or the first that is free (its value is 0)."""
    at = home(key, bits)
    while table[2 * at + 1] > 0 and table[2 * at] != key:
        at = (at + 1) & ((1 << bits) - 1)
    return at


@njit(cache=True, nogil=True)
def order_by_place(
    row_of: I4, column_of: I4, row_key: I8, column_key: I8, count: I8, bits: int, key: I8, moved: I8
) -> I8:
    """Write key and count of each cell to `moved` by the part of the table that the key is in; return where parts begin.

    A part fits into a cache, so that looking keys up part by part does not wait for the memory.
    """
    shift = np.int64(min(bits, _PART_BITS))
    begin = np.zeros((1 << (bits - shift)) + 1, dtype=np.int64)
    for i in range(count.shape[0]):
        key[i] = row_key[row_of[i]] + column_key[column_of[i]]
        begin[(home(key[i], bits) >> shift) + 1] += 1
    for part in range(begin.shape[0] - 1):
        begin[part + 1] += begin[part]
    at = begin[:-1].copy()
    for i in range(count.shape[0]):
        part = home(key[i], bits) >> shift
        place = at[part]
        at[part] = place + 1
        moved[2 * place] = key[i]
        moved[2 * place + 1] = count[i]
    return begin


@njit(cache=True, nogil=True)
def sizes_by_hash(
    row_of: I4, column_of: I4, row_key: I8, column_key: I8, count: I8, table: I8, used: I4, key: I8,
    moved: I8,
) -> I8:  # fmt: skip
    """Count the records of each group.

    `table` holds key and count of a group side by side, a count of 0 being a free place, and is zero before and
    after; `used` and `key` have room for as many numbers as there are cells, and `moved` for twice as many.
    """
    bits = count_bits(table)
    begin = order_by_place(row_of, column_of, row_key, column_key, count, bits, key, moved)
    sizes = key  # the keys are in `moved` now, and there are no more groups than cells
    groups = 0
    for part in range(begin.shape[0] - 1):
        first = groups
        for i in range(begin[part], begin[part + 1]):
            at = find_place(table, moved[2 * i], bits)
            if table[2 * at + 1] == 0:
                table[2 * at] = moved[2 * i]
                used[groups] = at
                groups += 1
            table[2 * at + 1] += moved[2 * i + 1]
        for g in range(first, groups):
            sizes[g] = table[2 * used[g] + 1]
            table[2 * used[g] + 1] = 0
    return sizes[:groups]


@njit(cache=True, nogil=True)
def measure_sample_by_hash(
    row_of: I4, column_of: I4, row_key: I8, column_key: I8, count: I8, nlog: F8, least: F8,
    table: I8, used: I4, key: I8, moved: I8, out: F8,
) -> int:  # fmt: skip
    """Do as `measure_by_hash` does where the sample is the population and keys are exact."""
    sizes = sizes_by_hash(row_of, column_of, row_key, column_key, count, table, used, key, moved)
    nats, below, smallest = 0.0, 0, np.inf  # in registers, unlike sums in `out`
    fewest = np.int64(np.ceil(max(least[0], least[1])))
    for g in range(sizes.shape[0]):
        c = sizes[g]
        nats += nlogn(c, nlog)
        below += c if c < fewest else 0
        smallest = min(smallest, c)
    out[0], out[1], out[2], out[3], out[4] = sizes.shape[0], nats, below, smallest, smallest
    return sizes.shape[0]


@njit(cache=True, nogil=True)
def number_groups(
    row_of: I4, column_of: I4, row_key: I8, column_key: I8, table: I8, used: I4, group: I8
) -> int:
    """Number the groups of cells by their first cells, with the table of `sizes_by_hash`; return how many there are."""
    bits = count_bits(table)
    groups = 0
    for i in range(group.shape[0]):
        key = row_key[row_of[i]] + column_key[column_of[i]]
        at = find_place(table, key, bits)
        if table[2 * at + 1] == 0:
            table[2 * at] = key
            used[groups] = at
            groups += 1
            table[2 * at + 1] = groups
        group[i] = table[2 * at + 1] - 1
    for g in range(groups):
        table[2 * used[g] + 1] = 0
    return groups
