"""Hot loops of the CRF: two states, so a chain needs one ratio per token instead of vectors.

With M[p, q] = exp(transition), a_i = α_i(1)/α_i(0) and b_i = β_i(1)/β_i(0), the odds that token i is
sensitive are a_i·b_i. A redacted token ends the chain before it; the one after it starts from state 0.
"""

from __future__ import annotations

import math

import numpy as np

from ...._jit import njit
from ..reading.features._kernels import conjunctions
from ._weight_kernels import joint_weight

CHUNK = 64  # tokens between two updates of the weights, at most
STEEPEST = 50.0  # a score beyond this adds nothing and would overflow


@njit(cache=True, nogil=True)
def chain(e, n, before, M, a, b):
    """Fill the forward and backward ratios of one chain whose previous state is `before`."""
    for i in range(n):
        x = math.exp(min(max(e[i], -STEEPEST), STEEPEST))
        if i == 0:
            a[0] = x * M[before, 1] / M[before, 0]
        else:
            p = a[i - 1]
            a[i] = x * (M[0, 1] + p * M[1, 1]) / (M[0, 0] + p * M[1, 0])
    b[n - 1] = 1.0
    for i in range(n - 2, -1, -1):
        x = math.exp(min(max(e[i + 1], -STEEPEST), STEEPEST)) * b[i + 1]
        b[i] = (M[1, 0] + M[1, 1] * x) / (M[0, 0] + M[0, 1] * x)


@njit(cache=True, nogil=True)
def emission(
    i,
    rows,
    first,
    last,
    own_bounds,
    own,
    near,
    far,
    joint,
    places,
    base,
    W,
):
    """Sum the weights of token i's features."""
    r = rows[i]
    s = 0.0
    for k in range(own_bounds[r], own_bounds[r + 1]):
        s += W[own[k], 0]
    before = rows[i - 1] if i > first else 0
    after = rows[i + 1] if i + 1 < last else 1
    for k in range(near.shape[1]):
        f = near[before, k]
        if f >= 0:
            s += W[base[0] + f, 0]
        f = near[after, k]
        if f >= 0:
            s += W[base[1] + f, 0]
    before = rows[i - 2] if i - 1 > first else 0
    after = rows[i + 2] if i + 2 < last else 1
    for k in range(far.shape[1]):
        f = far[before, k]
        if f >= 0:
            s += W[base[2] + f, 0]
        f = far[after, k]
        if f >= 0:
            s += W[base[3] + f, 0]
    for k in range(joint.shape[1]):
        f = joint[i, k]
        if f >= 0:
            s += W[base[4] + f, 0]
    for k in range(places.shape[1]):
        s += W[base[5] + places[i, k], 0]
    return s


@njit(cache=True, nogil=True)
def bump(W, f, g, rate):
    """Take one AdaGrad step on one weight."""
    G = W[f, 1] + np.float32(g * g)
    W[f, 1] = G
    W[f, 0] += np.float32(rate * g / math.sqrt(G))


@njit(cache=True, nogil=True)
def update(
    i,
    g,
    rate,
    rows,
    first,
    last,
    own_bounds,
    own,
    near,
    far,
    joint,
    places,
    base,
    W,
):
    """Move the weights of token i's features along its gradient."""
    r = rows[i]
    for k in range(own_bounds[r], own_bounds[r + 1]):
        bump(W, np.int64(own[k]), g, rate)
    before = rows[i - 1] if i > first else 0
    after = rows[i + 1] if i + 1 < last else 1
    for k in range(near.shape[1]):
        f = near[before, k]
        if f >= 0:
            bump(W, base[0] + f, g, rate)
        f = near[after, k]
        if f >= 0:
            bump(W, base[1] + f, g, rate)
    before = rows[i - 2] if i - 1 > first else 0
    after = rows[i + 2] if i + 2 < last else 1
    for k in range(far.shape[1]):
        f = far[before, k]
        if f >= 0:
            bump(W, base[2] + f, g, rate)
        f = far[after, k]
        if f >= 0:
            bump(W, base[3] + f, g, rate)
    for k in range(joint.shape[1]):
        f = joint[i, k]
        if f >= 0:
            bump(W, base[4] + f, g, rate)
    for k in range(places.shape[1]):
        bump(W, base[5] + places[i, k], g, rate)


@njit(cache=True, nogil=True)
def train(
    order, rows, doc, labels, redacted_row, ends, own_bounds, own, near, far, joint, places, base,
    W, T, rate, least, pause, rest,
):  # fmt: skip
    """Pass once over the documents in `order`; update W (weight, sum of squares) and T in place.

    The likelihood of a chunk is conditioned on the true label before it, so chunks need no start
    weights. Gradients smaller than `least` are skipped: they are most of the tokens and none of
    the learning. A chunk without a larger one is passed over in the next `pause` passes; `rest`
    remembers that by the chunk's first token.
    """
    e = np.empty(CHUNK)
    a = np.empty(CHUNK)
    b = np.empty(CHUNK)
    M = np.empty((2, 2))
    grad = np.empty((2, 2))
    for d in order:
        first, last = doc[d], doc[d + 1]
        i = first
        while i < last:
            if rows[i] == redacted_row:
                i += 1
                continue
            j = i
            while j < last and j - i < CHUNK and rows[j] != redacted_row:
                j += 1
                if ends[rows[j - 1]]:
                    break
            if rest[i] > 0:
                rest[i] -= 1
                i = j
                continue
            n = j - i
            idle = True
            before = labels[i - 1] if i > first and rows[i - 1] != redacted_row else 0
            for p in range(2):
                for q in range(2):
                    M[p, q] = math.exp(T[p, q, 0])
                    grad[p, q] = 0.0
            for k in range(n):
                e[k] = emission(
                    i + k, rows, first, last, own_bounds, own, near, far, joint, places, base, W
                )
            chain(e, n, before, M, a, b)
            for k in range(n):
                y = labels[i + k]
                odds = a[k] * b[k]
                p1 = odds / (1.0 + odds)
                if k == 0:
                    grad[before, 0] -= 1.0 - p1
                    grad[before, 1] -= p1
                    grad[before, y] += 1.0
                else:
                    x = math.exp(min(max(e[k], -STEEPEST), STEEPEST)) * b[k]
                    q01 = M[0, 1] * x
                    q10 = a[k - 1] * M[1, 0]
                    q11 = a[k - 1] * M[1, 1] * x
                    z = M[0, 0] + q01 + q10 + q11
                    grad[0, 0] -= M[0, 0] / z
                    grad[0, 1] -= q01 / z
                    grad[1, 0] -= q10 / z
                    grad[1, 1] -= q11 / z
                    grad[labels[i + k - 1], y] += 1.0
                g = y - p1
                if abs(g) >= least:
                    idle = False
                    update(
                        i + k, g, rate, rows, first, last, own_bounds, own, near, far, joint,
                        places, base, W,
                    )  # fmt: skip
            for p in range(2):
                for q in range(2):
                    g = grad[p, q]
                    if g != 0.0:
                        T[p, q, 1] += g * g
                        T[p, q, 0] += rate * g / math.sqrt(T[p, q, 1])
            if idle:
                rest[i] = pause
            i = j


@njit(cache=True, nogil=True)
def score(
    rows, doc, wanted, redacted_row, E, lower, shape, table, unit, places, place_weights, M, e, a,
    out,
):  # fmt: skip
    """Write each token's log-odds of being sensitive; e and a are scratch as long as the tokens.

    Redacted tokens and documents that are not wanted get −inf.
    """
    keys = np.empty(3, np.uint64)
    for d in range(len(doc) - 1):
        first, last = doc[d], doc[d + 1]
        if not wanted[d]:
            for i in range(first, last):
                out[i] = -np.inf
            continue
        live = False
        for i in range(first, last):
            r = rows[i]
            if r == redacted_row:
                live = False
                continue
            before = rows[i - 1] if i > first else 0
            after = rows[i + 1] if i + 1 < last else 1
            two_before = rows[i - 2] if i - 1 > first else 0
            two_after = rows[i + 2] if i + 2 < last else 1
            s = np.float64(E[r, 0]) + E[before, 1] + E[after, 2] + E[two_before, 3]
            s += E[two_after, 4]
            conjunctions(before, r, after, lower, shape, keys)
            for k in range(3):
                s += joint_weight(keys[k], unit, table)
            for k in range(places.shape[1]):
                s += place_weights[places[i, k]]
            x = math.exp(min(max(s, -STEEPEST), STEEPEST))
            e[i] = x
            if live:
                p = a[i - 1]
                a[i] = x * (M[0, 1] + p * M[1, 1]) / (M[0, 0] + p * M[1, 0])
            else:
                a[i] = x * M[0, 1] / M[0, 0]
                live = True
        b = 1.0
        for i in range(last - 1, first - 1, -1):
            if rows[i] == redacted_row:
                out[i] = -np.inf
                b = 1.0
                continue
            out[i] = math.log(a[i] * b)
            x = e[i] * b
            b = (M[1, 0] + M[1, 1] * x) / (M[0, 0] + M[0, 1] * x)
