"""Hot loops of a CRF that learns from half an answer: words that nobody looked at are summed over.

The gradient of a token is its posterior with the known words held fixed minus its free posterior, so a
sentence without a known word teaches nothing and is not visited.
"""

from __future__ import annotations

import math

import numpy as np

from ...._jit import njit
from ..learners._crf_kernels import STEEPEST, chain, emission, update

LONGEST = 64  # tokens of one chain in training, at most


@njit(cache=True, nogil=True)
def _pairs(e, n, before, M, a, b, sign, p, grad):
    """Write the marginals into p and add the expected transitions, times `sign`, to grad."""
    chain(e, n, before, M, a, b)
    for k in range(n):
        odds = a[k] * b[k]
        p[k] = odds / (1.0 + odds) if odds < 1e300 else 1.0
        if k == 0:
            grad[before, 0] += sign * (1.0 - p[k])
            grad[before, 1] += sign * p[k]
        else:
            x = math.exp(min(max(e[k], -STEEPEST), STEEPEST)) * b[k]
            q01 = M[0, 1] * x
            q10 = a[k - 1] * M[1, 0]
            q11 = a[k - 1] * M[1, 1] * x
            z = M[0, 0] + q01 + q10 + q11
            grad[0, 0] += sign * M[0, 0] / z
            grad[0, 1] += sign * q01 / z
            grad[1, 0] += sign * q10 / z
            grad[1, 1] += sign * q11 / z


@njit(cache=True, nogil=True)
def train(
    order, starts, stops, document, doc, rows, known, own_bounds, own, near, far, joint,
    places, base, W, T, rate, least, slip,
):  # fmt: skip
    """Pass once over the chains in `order`; `known` is −1 where a token's label is not known.

    `slip` is the log of the chance that a sensitive token was called harmless.
    """
    e = np.empty(LONGEST)
    fixed = np.empty(LONGEST)
    a = np.empty(LONGEST)
    b = np.empty(LONGEST)
    free = np.empty(LONGEST)
    held = np.empty(LONGEST)
    M = np.empty((2, 2))
    grad = np.empty((2, 2))
    for c in order:
        i, n = starts[c], stops[c] - starts[c]
        first, last = doc[document[c]], doc[document[c] + 1]
        before = 1 if i > first and known[i - 1] == 1 else 0
        for p in range(2):
            for q in range(2):
                M[p, q] = math.exp(T[p, q, 0])
                grad[p, q] = 0.0
        for k in range(n):
            e[k] = emission(
                i + k, rows, first, last, own_bounds, own, near, far, joint, places, base, W
            )
            y = known[i + k]
            fixed[k] = STEEPEST if y == 1 else (e[k] if y < 0 else max(e[k] + slip, -STEEPEST))
        _pairs(e, n, before, M, a, b, -1.0, free, grad)
        _pairs(fixed, n, before, M, a, b, 1.0, held, grad)
        for k in range(n):
            g = held[k] - free[k]
            if abs(g) >= least:
                update(
                    i + k, g, rate, rows, first, last, own_bounds, own, near, far, joint, places,
                    base, W,
                )  # fmt: skip
        for p in range(2):
            for q in range(2):
                g = grad[p, q]
                if abs(g) >= 1e-9:
                    T[p, q, 1] += g * g
                    T[p, q, 0] += rate * g / math.sqrt(T[p, q, 1])


@njit(cache=True, nogil=True)
def score(
    doc, wanted, rows, own_bounds, own, near, far, joint, places, base, W, T, out,
):  # fmt: skip
    """Write the log-odds of every token of the wanted documents, from weights by feature number."""
    M = np.exp(T)
    n = len(rows)
    x = np.empty(n)
    a = np.empty(n)
    for d in range(len(doc) - 1):
        first, last = doc[d], doc[d + 1]
        if not wanted[d]:
            for i in range(first, last):
                out[i] = -np.inf
            continue
        for i in range(first, last):
            s = emission(i, rows, first, last, own_bounds, own, near, far, joint, places, base, W)
            x[i] = math.exp(min(max(s, -STEEPEST), STEEPEST))
            if i == first:
                a[i] = x[i] * M[0, 1] / M[0, 0]
            else:
                p = a[i - 1]
                a[i] = x[i] * (M[0, 1] + p * M[1, 1]) / (M[0, 0] + p * M[1, 0])
        b = 1.0
        for i in range(last - 1, first - 1, -1):
            out[i] = math.log(a[i] * b)
            z = x[i] * b
            b = (M[1, 0] + M[1, 1] * z) / (M[0, 0] + M[0, 1] * z)
