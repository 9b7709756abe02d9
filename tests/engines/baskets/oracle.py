"""Plain slow twins: the paper's definitions word for word, for small dense matrices."""

from itertools import combinations

import numpy as np


def row_ac(X):
    return np.array([int(X[:, e == 1].all(axis=1).sum()) for e in X])


def ac(X):
    return int(row_ac(X).min()) if len(X) else 0


def feasible(X, features, k):
    return ac(X[:, list(features)]) >= k


def flagged_ac(X, flags):
    """AC where rows must agree on the flagged features."""
    flags = np.asarray(flags, dtype=bool)
    out = []
    for e in X:
        above = X[:, (e == 1) & ~flags].all(axis=1) & (X[:, flags] == e[flags]).all(axis=1)
        out.append(int(above.sum()))
    return min(out)


def ac_under_absences(X, m):
    best = len(X)
    for e in X:
        above = X[X[:, e == 1].all(axis=1)]
        absent = np.flatnonzero(e == 0)
        for known in combinations(absent, min(m, len(absent))):
            best = min(best, int((~above[:, list(known)].any(axis=1)).sum()))
    return best


def poset_ac(V, kinds):
    out = []
    for e in V:
        above = np.ones(len(V), dtype=bool)
        for j, kind in enumerate(kinds):
            above &= (V[:, j] == e[j]) if kind == "equality" else (V[:, j] >= e[j])
        out.append(int(above.sum()))
    return min(out)


def ham_dist(X, y, features):
    a, b = X[y == 1][:, list(features)], X[y == 0][:, list(features)]
    return float(np.mean([(p != q).sum() for p in a for q in b]))


def dist_cnt(X, y, features):
    a, b = X[y == 1][:, list(features)], X[y == 0][:, list(features)]
    return float(np.mean([(p != q).any() for p in a for q in b]))


def conditional_entropy(X, y, features):
    """Entropy of the class, in nats, for one who sees the row on these features."""
    _, group = np.unique(X[:, list(features)], axis=0, return_inverse=True)
    found = 0.0
    for g in np.unique(group):
        shares = np.unique(y[group.ravel() == g], return_counts=True)[1] / (group == g).sum()
        found -= (group == g).mean() * float((shares * np.log(shares)).sum())
    return found


def greedy_ham_dist(X, y, k, stop):
    scores = [
        round(ham_dist(X, y, [f]) * (y == 1).sum() * (y == 0).sum()) for f in range(X.shape[1])
    ]
    order = sorted(range(X.shape[1]), key=lambda f: (-scores[f], f))
    if stop == "never":
        order = [f for f in order if 0 < X[:, f].sum() < len(X)]
    chosen = []
    for f in order:
        if feasible(X, [*chosen, f], k):
            chosen.append(f)
        elif stop == "first":
            break
    return chosen


def greedy_dist_cnt(X, y, k, stop):
    pairs = (y == 1).sum() * (y == 0).sum()
    chosen, left = [], list(range(X.shape[1]))
    while True:
        now = round(dist_cnt(X, y, chosen) * pairs) if chosen else 0
        gains = {f: round(dist_cnt(X, y, [*chosen, f]) * pairs) - now for f in left}
        gains = {f: g for f, g in gains.items() if g > 0}
        if not gains:
            return chosen
        f = min(gains, key=lambda f: (-gains[f], f))
        left.remove(f)
        if feasible(X, [*chosen, f], k):
            chosen.append(f)
        elif stop == "first":
            return chosen


def maximal_feasible(X, k):
    d = X.shape[1]
    good = {
        frozenset(s)
        for size in range(d + 1)
        for s in combinations(range(d), size)
        if (feasible(X, s, k) if s else len(X) >= k)
    }
    return {s for s in good if not any(s < t for t in good)}, good


def maximal_frequent(X, k):
    d = X.shape[1]
    good = {
        frozenset(s)
        for size in range(d + 1)
        for s in combinations(range(d), size)
        if X[:, list(s)].all(axis=1).sum() >= k
    }
    return {s for s in good if not any(s < t for t in good)}
