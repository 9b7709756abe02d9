"""Compiled loops of composition: groups of rows by their keys, and who can be in two groups at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..._jit import njit

I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def number_groups(keys: I8) -> tuple[I8, I8]:
    """Number rows by their key, in the order of appearance, and count each number.

    A table of open addressing with a multiplicative hash; at most half of its places are taken.
    """
    n = keys.size
    bits = 4
    while (1 << bits) < 2 * n:
        bits += 1
    places = 1 << bits
    shift = np.uint64(64 - bits)
    mix = np.uint64(0x9E3779B97F4A7C15)
    held = np.full(places, -1, np.int32)
    number = np.empty(n, np.int64)
    first = np.empty(n, np.int64)
    count = np.zeros(n, np.int64)
    groups = 0
    for i in range(n):
        key = keys[i]
        at = np.int64((np.uint64(key) * mix) >> shift)
        while True:
            g = held[at]
            if g < 0:
                held[at] = groups
                first[groups] = key
                number[i] = groups
                count[groups] = 1
                groups += 1
                break
            if first[g] == key:
                number[i] = g
                count[g] += 1
                break
            at = np.int64((at + 1) & (places - 1))
    return number, count[:groups].copy()


@njit(cache=True, nogil=True)
def sort_cells(group: I8, value: I8, groups: int, values: int) -> tuple[I8, I8, I8]:
    """Return the distinct values of each group in rising order, with their counts: start, value, count.

    Two counting sorts: by value, then, keeping that order, by group.
    """
    n = group.size
    place = np.zeros(values + 1, np.int64)
    for i in range(n):
        place[value[i] + 1] += 1
    for v in range(values):
        place[v + 1] += place[v]
    by_value = np.empty(n, np.int64)
    for i in range(n):
        by_value[place[value[i]]] = i
        place[value[i]] += 1
    start = np.zeros(groups + 1, np.int64)
    for i in range(n):
        start[group[i] + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    at = start[:-1].copy()
    order = np.empty(n, np.int64)
    for j in range(n):
        i = by_value[j]
        order[at[group[i]]] = i
        at[group[i]] += 1
    starts = np.zeros(groups + 1, np.int64)
    found = np.empty(n, np.int64)
    count = np.empty(n, np.int64)
    size = 0
    for g in range(groups):
        starts[g] = size
        last = np.int64(-1)
        for j in range(start[g], start[g + 1]):
            v = value[order[j]]
            if v == last:
                count[size - 1] += 1
            else:
                found[size] = v
                count[size] = 1
                last = v
                size += 1
    starts[groups] = size
    return starts, found[:size].copy(), count[:size].copy()


@njit(cache=True, nogil=True)
def meet_cells(
    pair_a: I8, pair_b: I8, start_a: I8, value_a: I8, count_a: I8, start_b: I8, value_b: I8, count_b: I8
) -> I8:  # fmt: skip
    """Return, for each pair of groups, the sum over common values of the smaller count."""
    found = np.zeros(pair_a.size, np.int64)
    for p in range(pair_a.size):
        i, end_i = start_a[pair_a[p]], start_a[pair_a[p] + 1]
        j, end_j = start_b[pair_b[p]], start_b[pair_b[p] + 1]
        total = np.int64(0)
        while i < end_i and j < end_j:
            if value_a[i] < value_b[j]:
                i += 1
            elif value_a[i] > value_b[j]:
                j += 1
            else:
                total += min(count_a[i], count_b[j])
                i += 1
                j += 1
        found[p] = total
    return found
