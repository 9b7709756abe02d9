"""Hot loops of the linear learners: rows of feature numbers in, weights or scores out."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ....._jit import njit
from ...reading.features._kernels import conjunctions
from .._weight_kernels import joint_weight

B1 = npt.NDArray[np.bool_]
F4 = npt.NDArray[np.float32]
F8 = npt.NDArray[np.float64]
I1 = npt.NDArray[np.int8]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]
U1 = npt.NDArray[np.uint8]
U8 = npt.NDArray[np.uint64]


@njit(cache=True, nogil=True)
def spread(
    rows: I4,
    doc: I8,
    own_bounds: I8,
    own: I4,
    near: I4,
    far: I4,
    joint: I4,
    places: I4,
    base: I8,
    out: I4,
) -> None:
    """Write each token's feature numbers into its row of `out`; −1 fills what is left."""
    width = out.shape[1]
    for d in range(len(doc) - 1):
        first, last = doc[d], doc[d + 1]
        for i in range(first, last):
            r = rows[i]
            at = 0
            for k in range(own_bounds[r], own_bounds[r + 1]):
                out[i, at] = own[k]
                at += 1
            before = rows[i - 1] if i > first else 0
            after = rows[i + 1] if i + 1 < last else 1
            for k in range(near.shape[1]):
                if near[before, k] >= 0:
                    out[i, at] = base[0] + near[before, k]
                    at += 1
                if near[after, k] >= 0:
                    out[i, at] = base[1] + near[after, k]
                    at += 1
            before = rows[i - 2] if i - 1 > first else 0
            after = rows[i + 2] if i + 2 < last else 1
            for k in range(far.shape[1]):
                if far[before, k] >= 0:
                    out[i, at] = base[2] + far[before, k]
                    at += 1
                if far[after, k] >= 0:
                    out[i, at] = base[3] + far[after, k]
                    at += 1
            for k in range(joint.shape[1]):
                if joint[i, k] >= 0:
                    out[i, at] = base[4] + joint[i, k]
                    at += 1
            for k in range(places.shape[1]):
                out[i, at] = base[5] + places[i, k]
                at += 1
            for k in range(at, width):
                out[i, k] = -1


@njit(cache=True, nogil=True)
def history(
    labels: U1,
    rows: I4,
    doc: I8,
    redacted_row: int,
    out: I1,
) -> None:
    """Number the labels of the two tokens before each one: 0 to 3; what is redacted counts as 0."""
    for d in range(len(doc) - 1):
        one = 0
        two = 0
        for i in range(doc[d], doc[d + 1]):
            out[i] = one + 2 * two
            two = one
            one = 1 if labels[i] != 0 and rows[i] != redacted_row else 0


@njit(cache=True, nogil=True)
def descend(
    tokens: I8,
    columns: I4,
    past: I1,
    y: F8,
    slack: F8,
    w: F8,
    h: F8,
    alpha: F8,
    active: int,
    tol: float,
) -> tuple[int, float]:
    """One pass of dual coordinate descent for a squared-hinge SVM over tokens[:active].

    `slack` is 1/(2·cost) of each token, `w` and `h` the weights of features and of the history. Tokens
    that are safely on their side leave the active head; its new length and the largest violation
    come back.
    """
    worst = 0.0
    k = 0
    while k < active:
        i = tokens[k]
        s = h[past[i]] + h[4]
        n = 2.0
        for c in range(columns.shape[1]):
            f = columns[i, c]
            if f < 0:
                break
            s += w[f]
            n += 1.0
        g = y[i] * s - 1.0 + alpha[i] * slack[i]
        if alpha[i] == 0.0 and g > 0.0:
            if g > tol:
                active -= 1
                tokens[k], tokens[active] = tokens[active], tokens[k]
                continue
            k += 1
            continue
        worst = max(worst, abs(g))
        old = alpha[i]
        alpha[i] = max(old - g / (n + slack[i]), 0.0)
        step = (alpha[i] - old) * y[i]
        if step != 0.0:
            for c in range(columns.shape[1]):
                f = columns[i, c]
                if f < 0:
                    break
                w[f] += step
            h[past[i]] += step
            h[4] += step
        k += 1
    return active, worst


@njit(cache=True, nogil=True)
def logistic_pass(
    tokens: I8,
    columns: I4,
    y: F8,
    w: F8,
    squares: F8,
    bias: F8,
    rate: float,
    least: float,
) -> None:
    """One AdaGrad pass of logistic regression over the tokens; bias is [weight, sum of squares]."""
    for i in tokens:
        s = bias[0]
        for c in range(columns.shape[1]):
            f = columns[i, c]
            if f < 0:
                break
            s += w[f]
        p = 1.0 / (1.0 + math.exp(-min(max(s, -40.0), 40.0)))
        g = y[i] - p
        if abs(g) < least:
            continue
        for c in range(columns.shape[1]):
            f = columns[i, c]
            if f < 0:
                break
            squares[f] += g * g
            w[f] += rate * g / math.sqrt(squares[f])
        bias[1] += g * g
        bias[0] += rate * g / math.sqrt(bias[1])


@njit(cache=True, nogil=True)
def invert(
    tokens: I8,
    columns: I4,
    bounds: I8,
    out: I4,
) -> None:
    """List the tokens of each feature: out[bounds[f]:bounds[f + 1]]; `bounds` has one entry more."""
    for i in tokens:
        for c in range(columns.shape[1]):
            f = columns[i, c]
            if f < 0:
                break
            bounds[f + 1] += 1
    for f in range(len(bounds) - 1):
        bounds[f + 1] += bounds[f]
    at = bounds[:-1].copy()
    for i in tokens:
        for c in range(columns.shape[1]):
            f = columns[i, c]
            if f < 0:
                break
            out[at[f]] = i
            at[f] += 1


@njit(cache=True, nogil=True)
def boost(
    tokens: I8,
    columns: I4,
    bounds: I8,
    members: I4,
    positive: B1,
    weight: F8,
    rounds: int,
    least: int,
    smooth: float,
    w: F8,
) -> None:
    """Boost one-sided stumps: in each round the feature that lowers the bound most gets a step.

    A stump speaks only where its feature is present, so a round changes the weights of those tokens
    alone, and with them the sums of the features they carry. Weights are not normalised. Features of
    fewer than `least` tokens take no part.
    """
    size = len(bounds) - 1
    good = np.zeros(size)
    bad = np.zeros(size)
    for i in tokens:
        for c in range(columns.shape[1]):
            f = columns[i, c]
            if f < 0:
                break
            if positive[i]:
                good[f] += weight[i]
            else:
                bad[f] += weight[i]
    live = np.empty(size, np.int32)
    count = 0
    for f in range(size):
        if bounds[f + 1] - bounds[f] >= least:
            live[count] = f
            count += 1
    for _ in range(rounds):
        best = -1
        most = 0.0
        for k in range(count):
            f = live[k]
            d = math.sqrt(good[f]) - math.sqrt(bad[f])
            if d * d > most:
                most = d * d
                best = f
        if best < 0 or most <= smooth:
            break
        step = 0.5 * math.log((good[best] + smooth) / (bad[best] + smooth))
        w[best] += step
        up = math.exp(step)
        down = math.exp(-step)
        for k in range(bounds[best], bounds[best + 1]):
            i = members[k]
            change = weight[i] * ((down if positive[i] else up) - 1.0)
            weight[i] += change
            if positive[i]:
                for c in range(columns.shape[1]):
                    f = columns[i, c]
                    if f < 0:
                        break
                    good[f] = max(good[f] + change, 0.0)
            else:
                for c in range(columns.shape[1]):
                    f = columns[i, c]
                    if f < 0:
                        break
                    bad[f] = max(bad[f] + change, 0.0)


@njit(cache=True, nogil=True)
def margins(
    rows: I4,
    doc: I8,
    wanted: B1,
    redacted_row: int,
    columns: I4,
    w: F8,
    h: F8,
    back: bool,
    out: F8,
) -> None:
    """Score tokens by their rows of feature numbers; `back` says whether history takes part."""
    for d in range(len(doc) - 1):
        if not wanted[d]:
            for i in range(doc[d], doc[d + 1]):
                out[i] = -np.inf
            continue
        one = 0
        two = 0
        for i in range(doc[d], doc[d + 1]):
            if rows[i] == redacted_row:
                out[i] = -np.inf
                two = one
                one = 0
                continue
            s = h[4]
            if back:
                s += h[one + 2 * two]
            for c in range(columns.shape[1]):
                f = columns[i, c]
                if f < 0:
                    break
                s += w[f]
            out[i] = s
            two = one
            one = 1 if s > 0.0 else 0


@njit(cache=True, nogil=True)
def factored_margins(
    rows: I4,
    doc: I8,
    wanted: B1,
    redacted_row: int,
    E: F4,
    lower: U8,
    shape: U8,
    table: U8,
    unit: float,
    places: I4,
    place_weights: F4,
    h: F8,
    back: bool,
    out: F8,
) -> None:
    """Score tokens of any text by their words' scores; the same sums as `margins`."""
    keys = np.empty(3, np.uint64)
    for d in range(len(doc) - 1):
        first, last = doc[d], doc[d + 1]
        if not wanted[d]:
            for i in range(first, last):
                out[i] = -np.inf
            continue
        one = 0
        two = 0
        for i in range(first, last):
            r = rows[i]
            if r == redacted_row:
                out[i] = -np.inf
                two = one
                one = 0
                continue
            before = rows[i - 1] if i > first else 0
            after = rows[i + 1] if i + 1 < last else 1
            two_before = rows[i - 2] if i - 1 > first else 0
            two_after = rows[i + 2] if i + 2 < last else 1
            s = h[4] + E[r, 0] + E[before, 1] + E[after, 2] + E[two_before, 3] + E[two_after, 4]
            if back:
                s += h[one + 2 * two]
            conjunctions(before, r, after, lower, shape, keys)
            for k in range(3):
                s += joint_weight(keys[k], unit, table)
            for k in range(places.shape[1]):
                s += place_weights[places[i, k]]
            out[i] = s
            two = one
            one = 1 if s > 0.0 else 0
