"""The hot loops of the certificate: costs of pairs of intervals, the two dynamic programmes, price ascent.

An outer interval [lo, hi] chooses its own partition of the inner attribute. Its costs are kept as the packed
upper triangle of the inner intervals [a, b], in single precision rounded down, so that they stay lower bounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit

F8 = npt.NDArray[np.float64]
F4 = npt.NDArray[np.float32]
I8 = npt.NDArray[np.int64]
I4 = npt.NDArray[np.int32]
U1 = npt.NDArray[np.uint8]

_DOWN = 1.0 - 2.0**-22  # a positive number times this, in single precision, is not above the number
_UP = 1.0 + 2.0**-22


@njit(cache=True, nogil=True)
def pair_costs(
    lo: int, hi: int, risk_n: I4, risk_w: F8, loss_n: I4, nlog: F8, risk_unit: float,
    loss_unit: float, log_outer: float, log_inner: F8, least: F8, allowed: U1, stop: I8, work: F8,
    out: F4,
) -> None:  # fmt: skip
    """Write the cost of the outer interval with the inner intervals [a, b], b < stop[a], packed by rows.

    `risk_n`, `risk_w` and `loss_n` are sums over the outer units before a place and the inner units
    before a place, by group: (outer + 1, groups, inner + 1).
    """
    inner = log_inner.shape[0]
    limited = least[0] > 0.0 or least[1] > 0.0
    size = 0
    for a in range(inner):
        size += stop[a] - a
    for p in range(size):
        work[p] = 0.0
    n = np.empty(inner + 1, dtype=np.int64)
    w = np.empty(inner + 1)
    for g in range(risk_n.shape[1]):
        for b in range(inner + 1):
            n[b] = risk_n[hi + 1, g, b] - risk_n[lo, g, b]
            w[b] = risk_w[hi + 1, g, b] - risk_w[lo, g, b]
        if n[inner] == 0:
            continue
        p = 0
        for a in range(inner):
            if n[inner] == n[a]:
                break
            na = n[a]
            wa = w[a]
            for b in range(a, stop[a]):
                x = np.float64(n[b + 1] - na)
                y = w[b + 1] - wa
                work[p + b - a] += risk_unit * x / max(x, y, 1e-300)
            if limited:
                for b in range(a, stop[a]):
                    x = np.float64(n[b + 1] - na)
                    y = w[b + 1] - wa
                    if x > 0.0 and (x < least[0] or max(x, y) < least[1] - 1e-9):
                        work[p + b - a] = np.inf
            p += stop[a] - a
    total = np.zeros(inner + 1, dtype=np.int64)
    table = nlog.shape[0]
    for g in range(loss_n.shape[1]):
        for b in range(inner + 1):
            n[b] = loss_n[hi + 1, g, b] - loss_n[lo, g, b]
            total[b] += n[b]
        if n[inner] == 0:
            continue
        small = n[inner] < table
        p = 0
        for a in range(inner):
            na = n[a]
            if n[inner] == na:
                break
            if small:
                for b in range(a, stop[a]):
                    work[p + b - a] -= loss_unit * nlog[n[b + 1] - na]
            else:
                for b in range(a, stop[a]):
                    x = n[b + 1] - na
                    if x < table:
                        work[p + b - a] -= loss_unit * nlog[x]
                    else:
                        work[p + b - a] -= loss_unit * (x * np.log(x))
            p += stop[a] - a
    p = 0
    for a in range(inner):
        for b in range(a, stop[a]):
            spread = (total[b + 1] - total[a]) * (log_outer + log_inner[a, b])
            value = work[p] + loss_unit * spread
            if allowed.shape[0] > 0 and allowed[a, b] == 0:
                value = np.inf
            out[p] = value * _DOWN if value > 0.0 else value * _UP
            p += 1


@njit(cache=True, nogil=True)
def inner_best(cost: F4, price: F8, stop: I8, best: F8) -> float:
    """Return the least cost of a partition; `price[b]` is paid for a cut after unit b."""
    inner = price.shape[0]
    for b in range(inner + 1):
        best[b] = np.inf
    best[0] = 0.0
    p = 0
    for a in range(inner):
        base = best[a]
        if a > 0:
            base += price[a - 1]
            best[a] = base
        many = stop[a] - a
        row = cost[p : p + many]
        target = best[a + 1 : a + 1 + many]
        for k in range(many):
            value = base + row[k]
            if value < target[k]:
                target[k] = value
        p += many
    return best[inner]  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def inner_path(cost: F4, price: F8, stop: I8, best: F8, came: I8) -> None:
    """Find the best partition as `inner_best` does; `came[b]` is where its interval before place b begins."""
    inner = price.shape[0]
    for b in range(inner + 1):
        best[b] = np.inf
    best[0] = 0.0
    p = 0
    for a in range(inner):
        if a > 0:
            best[a] += price[a - 1]
        for b in range(a, stop[a]):
            value = best[a] + cost[p]
            if value < best[b + 1]:
                best[b + 1] = value
                came[b + 1] = a
            p += 1


@njit(cache=True, nogil=True)
def used_band(chosen: I8, low: I8, high: I8, costs: F4, stop: I8, sums: F8, band: I8) -> None:
    """Raise `band[a]` to the furthest place that an interval from a reaches in the best partition of any copy."""
    inner = sums.shape[1]
    best = np.empty(inner + 1)
    price = np.empty(inner)
    came = np.zeros(inner + 1, dtype=np.int64)
    for k in chosen:
        for b in range(inner):
            price[b] = sums[high[k] + 1, b] - sums[low[k], b]
        inner_path(costs[k], price, stop, best, came)
        end = inner
        while end > 0:
            band[came[end]] = max(band[came[end]], end)
            end = came[end]


@njit(cache=True, nogil=True)
def narrow_costs(chosen: I8, costs: F4, stop: I8, band: I8, out: F4) -> None:
    """Copy the costs of some outer intervals with the inner intervals [a, b], b < band[a]."""
    for i in range(chosen.shape[0]):
        p = 0
        q = 0
        for a in range(stop.shape[0]):
            many = band[a] - a
            out[i, q : q + many] = costs[chosen[i], p : p + many]
            q += many
            p += stop[a] - a


@njit(cache=True, nogil=True)
def prefix(price: F8, sums: F8) -> None:
    """Add up the prices over the outer units before each place."""
    for b in range(price.shape[1]):
        sums[0, b] = 0.0
    for z in range(price.shape[0]):
        for b in range(price.shape[1]):
            sums[z + 1, b] = sums[z, b] + price[z, b]


@njit(cache=True, nogil=True)
def active_values(low: I8, high: I8, count: int, costs: F4, stop: I8, sums: F8, values: F8) -> None:
    """Evaluate the active outer intervals at the present prices."""
    inner = sums.shape[1]
    best = np.empty(inner + 1)
    price = np.empty(inner)
    for k in range(count):
        for b in range(inner):
            price[b] = sums[high[k] + 1, b] - sums[low[k], b]
        values[k] = inner_best(costs[k], price, stop, best)


@njit(cache=True, nogil=True)
def active_path(order: I8, low: I8, high: I8, values: F8, outer: int, last: I8) -> float:
    """Run the outer programme over the active intervals; `last[j]` is the one that ends before place j."""
    best = np.full(outer + 1, np.inf)
    best[0] = 0.0
    for at in range(order.shape[0]):  # by their first unit
        k = order[at]
        value = best[low[k]] + values[k]
        if value < best[high[k] + 1]:
            best[high[k] + 1] = value
            last[high[k] + 1] = k
    return best[outer]


@njit(cache=True, nogil=True)
def ascend(
    low: I8, high: I8, order: I8, count: int, costs: F4, stop: I8, weight: F8, price: F8, momentum: F8,
    best_price: F8, state: F8, target: float, rounds: int, beta: float, patience: int,
) -> int:  # fmt: skip
    """Raise the restricted bound by deflected Polyak steps; keep the best prices.

    `state` holds the best bound, the relaxation of the step and the rounds since the last gain. Prices add up to
    zero over the outer units in every column.
    """
    outer, inner = price.shape
    sums = np.empty((outer + 1, inner))
    values = np.empty(count)
    last = np.empty(outer + 1, dtype=np.int64)
    best = np.empty(inner + 1)
    own = np.empty(inner)
    came = np.zeros(inner + 1, dtype=np.int64)
    cuts = np.empty(inner)
    kept = np.zeros((outer, inner))
    mean = np.empty(inner)
    whole = weight.sum()
    for done in range(rounds):
        prefix(price, sums)
        active_values(low, high, count, costs, stop, sums, values)
        bound = active_path(order, low, high, values, outer, last)
        if bound > state[0] + 1e-12:
            if bound > state[0] + 1e-5 * abs(target - state[0]):
                state[2] = 0.0
            state[0] = bound
            best_price[:] = price
        else:
            state[2] += 1.0
            if state[2] >= patience:
                state[1] *= 0.7
                state[2] = 0.0
                price[:] = best_price
                momentum[:] = 0.0
                if state[1] < 1e-3:
                    return done + 1
                continue
        if bound >= target:
            return done + 1
        end = outer
        while end > 0:
            k = last[end]
            for b in range(inner):
                own[b] = sums[high[k] + 1, b] - sums[low[k], b]
            inner_path(costs[k], own, stop, best, came)
            cuts[:] = 0.0
            at = came[inner]
            while at > 0:
                cuts[at - 1] = 1.0
                at = came[at]
            for z in range(low[k], end):
                for b in range(inner):
                    kept[z, b] = cuts[b]
            end = low[k]
        mean[:] = 0.0
        for z in range(outer):
            for b in range(inner):
                mean[b] += weight[z] * kept[z, b]
        for b in range(inner):
            mean[b] /= whole
        norm = 0.0
        for z in range(outer):
            for b in range(inner - 1):
                value = weight[z] * (kept[z, b] - mean[b]) + beta * momentum[z, b]
                momentum[z, b] = value
                norm += value * value / weight[z]
        if norm <= 0.0:
            return done + 1
        step = state[1] * (target - bound) / norm
        for z in range(outer):
            for b in range(inner - 1):
                price[z, b] += step * momentum[z, b]
    return rounds


@njit(cache=True, nogil=True)
def corner_parts(
    risk_n: I4, risk_w: F8, loss_n: I4, nlog: F8, log_outer: F8, log_inner: F8, risk: F8, loss: F8
) -> None:  # fmt: skip
    """Measure, for each outer interval, the risk with one inner interval and the loss with single units."""
    outer = risk_n.shape[0] - 1
    inner = log_inner.shape[0]
    table = nlog.shape[0]
    groups = loss_n.shape[1]
    for lo in range(outer):
        inside = np.zeros((groups, inner), dtype=np.int64)
        logs = 0.0
        spread = 0.0
        records = 0
        for hi in range(lo, outer):
            for g in range(groups):
                before = loss_n[hi + 1, g, inner] - loss_n[hi, g, inner]
                if before == 0:
                    continue
                for b in range(inner):
                    new = (
                        loss_n[hi + 1, g, b + 1] - loss_n[hi, g, b + 1]
                        - loss_n[hi + 1, g, b] + loss_n[hi, g, b]
                    )  # fmt: skip
                    if new > 0:
                        old = inside[g, b]
                        now = old + new
                        inside[g, b] = now
                        logs += (nlog[now] if now < table else now * np.log(now)) - (
                            nlog[old] if old < table else old * np.log(old)
                        )
                        spread += new * log_inner[b, b]
                        records += new
            loss[lo, hi] = records * log_outer[lo, hi] + spread - logs
            total = 0.0
            for g in range(risk_n.shape[1]):
                x = np.float64(risk_n[hi + 1, g, inner] - risk_n[lo, g, inner])
                y = risk_w[hi + 1, g, inner] - risk_w[lo, g, inner]
                total += x / max(x, y, 1e-300)
            risk[lo, hi] = total


@njit(cache=True, nogil=True)
def reprice(bound: F8, old: F8, new: F8, floor: F8) -> None:
    """Carry lower bounds of all outer intervals from one set of prices (as prefix sums) to another.

    Whatever the inner partition, it pays at least the negative parts of the change.
    """
    outer = bound.shape[0]
    inner = old.shape[1]
    for lo in range(outer):
        for hi in range(lo, outer):
            if not np.isfinite(bound[lo, hi]):
                continue
            fall = 0.0
            least = 0.0
            for b in range(inner):
                now = new[hi + 1, b] - new[lo, b]
                change = now - old[hi + 1, b] + old[lo, b]
                fall += min(change, 0.0)
                least += min(now, 0.0)
            bound[lo, hi] = max(bound[lo, hi] + fall, floor[lo, hi] + least)


@njit(cache=True, nogil=True)
def outer_bounds(bound: F8, forward: F8, backward: F8) -> float:
    """Run the outer programme from both ends over lower bounds of all intervals."""
    outer = bound.shape[0]
    forward[:] = np.inf
    forward[0] = 0.0
    for lo in range(outer):
        base = forward[lo]
        for hi in range(lo, outer):
            value = base + bound[lo, hi]
            if value < forward[hi + 1]:
                forward[hi + 1] = value
    backward[:] = np.inf
    backward[outer] = 0.0
    for lo in range(outer - 1, -1, -1):
        least = np.inf
        for hi in range(lo, outer):
            value = bound[lo, hi] + backward[hi + 1]
            least = min(least, value)
        backward[lo] = least
    return forward[outer]  # type: ignore[return-value]


@njit(cache=True, nogil=True)
def violators(
    bound: F8, exact: U1, forward: F8, backward: F8, limit: float, low: I8, high: I8, reduced: F8
) -> int:
    """List the intervals without an exact value through which a path below the limit may still go."""
    found = 0
    outer = bound.shape[0]
    for lo in range(outer):
        for hi in range(lo, outer):
            if exact[lo, hi] == 0:
                value = forward[lo] + bound[lo, hi] + backward[hi + 1]
                if value < limit:
                    if found == low.shape[0]:
                        return found
                    low[found] = lo
                    high[found] = hi
                    reduced[found] = value
                    found += 1
    return found
