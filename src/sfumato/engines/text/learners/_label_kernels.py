"""Hot loops of the model that tells labels apart: a chain over each run of sensitive words, one state for each label."""

from __future__ import annotations

import math

import numpy as np

from ...._jit import njit
from ..learners._crf_kernels import STEEPEST, emission, update

LONGEST = 64  # tokens of one run in training, at most


@njit(cache=True, nogil=True)
def _log_sum(x, n):
    most = x[0]
    for k in range(1, n):
        most = max(most, x[k])
    total = 0.0
    for k in range(n):
        total += math.exp(x[k] - most)
    return most + math.log(total)


@njit(cache=True, nogil=True)
def train(
    order, starts, stops, document, doc, rows, labels, own_bounds, own, near, far, joint, places,
    base, W, moves, rate, least,
):  # fmt: skip
    """Pass once over the runs in `order`; W holds each label's weights, `moves` what one label adds to the next."""
    L = len(W)
    e = np.empty((LONGEST, L))
    a = np.empty((LONGEST, L))
    b = np.empty((LONGEST, L))
    x = np.empty(L)
    for c in order:
        i, n = starts[c], stops[c] - starts[c]
        first, last = doc[document[c]], doc[document[c] + 1]
        for k in range(n):
            for q in range(L):
                s = emission(
                    i + k, rows, first, last, own_bounds, own, near, far, joint, places, base, W[q]
                )
                e[k, q] = min(max(s, -STEEPEST), STEEPEST)
        for k in range(n):
            for q in range(L):
                a[k, q] = e[k, q]
                if k > 0:
                    for p in range(L):
                        x[p] = a[k - 1, p] + moves[p, q, 0]
                    a[k, q] += _log_sum(x, L)
        for k in range(n - 1, -1, -1):
            for p in range(L):
                b[k, p] = 0.0
                if k + 1 < n:
                    for q in range(L):
                        x[q] = moves[p, q, 0] + e[k + 1, q] + b[k + 1, q]
                    b[k, p] = _log_sum(x, L)
        whole = _log_sum(a[n - 1], L)
        for k in range(n):
            for q in range(L):
                g = (labels[i + k] == q + 1) - math.exp(a[k, q] + b[k, q] - whole)
                if abs(g) >= least:
                    update(
                        i + k, g, rate, rows, first, last, own_bounds, own, near, far, joint,
                        places, base, W[q],
                    )  # fmt: skip
        for p in range(L):
            for q in range(L):
                g = 0.0
                for k in range(1, n):
                    g += labels[i + k - 1] == p + 1 and labels[i + k] == q + 1
                    g -= math.exp(a[k - 1, p] + moves[p, q, 0] + e[k, q] + b[k, q] - whole)
                if abs(g) >= 1e-9:
                    moves[p, q, 1] += g * g
                    moves[p, q, 0] += rate * g / math.sqrt(moves[p, q, 1])


@njit(cache=True, nogil=True)
def decode(emissions, starts, stops, moves, out):
    """Write the number of the label (from 1) of each token of some runs: the likeliest sequence of each."""
    L = len(emissions)
    longest = 1
    for c in range(len(starts)):
        longest = max(longest, stops[c] - starts[c])
    best = np.empty((longest, L))
    before = np.zeros((longest, L), np.int64)
    for c in range(len(starts)):
        i, n = starts[c], stops[c] - starts[c]
        for k in range(n):
            for q in range(L):
                score = emissions[q, i + k]
                best[k, q] = score if math.isfinite(score) else 0.0
                if k > 0:
                    p = 0
                    for r in range(1, L):
                        if best[k - 1, r] + moves[r, q] > best[k - 1, p] + moves[p, q]:
                            p = r
                    before[k, q] = p
                    best[k, q] += best[k - 1, p] + moves[p, q]
        q = int(np.argmax(best[n - 1]))
        for k in range(n - 1, -1, -1):
            out[i + k] = q + 1
            q = before[k, q]
