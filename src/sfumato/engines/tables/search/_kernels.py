"""The hot loops of the exchange chains: every merge's delta kept up to date, the cheapest one taken."""

from __future__ import annotations

import numpy as np

from ...._jit import njit
from ..contingency._group_kernels import GroupState, find, merge, merge_delta, width_delta
from ..contingency._measure_kernels import F8, I4, I8, U1, below_least, nlogn, share_of


@njit(cache=True, nogil=True)
def _spread(g: GroupState, b: int, slab: int, sign: float, first: I8, deltas: F8, nlog: F8) -> None:
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
                y = find(dense, bits, wide, table_id, table_key, key, weight, codes, rep,
                         key[x] + (there - here) * multiplier[a], x, a, there)  # fmt: skip
                if y < 0:
                    continue
                wy = weight[y]
                if y >= occupied:
                    deltas[bit, 0] += sign * (share_of(nx, wx + wy) - share[x])
                    if limited:
                        deltas[bit, 2] += sign * (
                            below_least(nx, wx + wy, least) - below_least(nx, wx, least)
                        )
                elif side == 0:  # a pair of occupied groups counts once, from its left
                    ny = count[y]
                    deltas[bit, 0] += sign * (share_of(nx + ny, wx + wy) - share[x] - share[y])
                    deltas[bit, 1] += sign * (
                        nlogn(nx + ny, nlog) - nlogn(nx, nlog) - nlogn(ny, nlog)
                    )
                    if limited:
                        deltas[bit, 2] += sign * (
                            below_least(nx + ny, wx + wy, least) - below_least(nx, wx, least)
                            - below_least(ny, wy, least)
                        )  # fmt: skip
    g.inside_len[b, slab] = alive


@njit(cache=True, nogil=True)
def all_deltas(g: GroupState, bits: U1, attribute: I4, first: I8, deltas: F8, nlog: F8) -> None:
    """Compute the delta of every merge that the policy allows, from scratch."""
    for i in range(bits.shape[0]):
        if bits[i]:
            a = attribute[i]
            v = i - first[a]
            merge_delta(g, a, g.rep[a, v], g.rep[a, v + 1], nlog, deltas[i])


@njit(cache=True, nogil=True)
def _too_wide(g: GroupState, a: int, left: int, right: int, widest: I8) -> bool:
    return g.high[a, right] - g.low[a, left] + 1 > widest[a]


@njit(cache=True, nogil=True)
def _price(d_loss: float, d_risk: float, d_below: float, below: float) -> float:
    """Return the exchange rate of a merge: loss paid for each unit of risk taken away.

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
    g: GroupState, bits: U1, fixed: U1, attribute: I4, first: I8, widest: I8, deltas: F8, nlog: F8,
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
    g: GroupState, bits: U1, fixed: U1, attribute: I4, first: I8, widest: I8, price: F8, stamp: I8,
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
