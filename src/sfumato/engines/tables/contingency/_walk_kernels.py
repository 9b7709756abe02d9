"""The hot loops that measure a chain of policies: merge after merge from the most specific one."""

from __future__ import annotations

import numpy as np

from ...._jit import njit
from ._group_kernels import GroupState, merge, wider
from ._measure_kernels import F8, I4, I8, below_least, nlogn


@njit(cache=True, nogil=True)
def walk(g: GroupState, attributes: I4, values: I4, nlog: F8, out: F8) -> None:
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
    counts_of_value: I8, before: I8, attributes: I4, values: I4, nlog: F8, least: F8, sums: F8, out: F8,
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
                d_below += below_least(n, w, least)
                if nx > 0:
                    d_below -= below_least(nx, wx, least)
                if ny > 0:
                    d_below -= below_least(ny, wy, least)
        total[0] += d_share
        total[1] += d_log
        total[2] += d_below
        last = end[a, right]
        wl = before[a, right] - before[a, left]
        wr = before[a, last + 1] - before[a, right]
        nl = margin[a, left]
        nr = margin[a, right]
        total[3] += wider(nl, wl, nr, wr)
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
