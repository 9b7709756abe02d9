"""Compiled loops of the attacks: which published rows fit best what is known of a person, in one release or two."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit
from ..containment._kernels import Covers, supersets_of

B1 = npt.NDArray[np.bool_]
I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def best_fits(
    starts: I8,
    rows: I4,
    published: B1,
    people: I8,
    first: I8,
    items: I4,
    first_absent: I8,
    absent: I4,
) -> tuple[I8, B1]:
    """Count the rows that fit best, per person, and whether the person's own row is one of them.

    A row fits if it holds none of the known absences; it fits best if no other that fits holds more of
    the known items. People are numbers of rows; those that were not published cannot be found.
    """
    n = published.size
    total = 0
    for r in range(n):
        total += published[r]
    held = np.zeros(n, np.int32)
    out = np.zeros(n, np.bool_)
    touched = np.empty(n, np.int32)
    count = np.empty(people.size, np.int64)
    own = np.zeros(people.size, np.bool_)
    for q in range(people.size):
        steps = 0
        for i in range(first[q], first[q + 1]):
            steps += starts[items[i] + 1] - starts[items[i]]
        everywhere = steps > n // 4  # then looking at all rows is cheaper than a list of some
        n_touched = 0
        if everywhere:
            for i in range(first[q], first[q + 1]):
                for p in range(starts[items[i]], starts[items[i] + 1]):
                    held[rows[p]] += 1
        else:
            for i in range(first[q], first[q + 1]):
                for p in range(starts[items[i]], starts[items[i] + 1]):
                    r = rows[p]
                    if held[r] == 0:
                        touched[n_touched] = r
                        n_touched += 1
                    held[r] += 1
        excluded = 0
        for i in range(first_absent[q], first_absent[q + 1]):
            for p in range(starts[absent[i]], starts[absent[i] + 1]):
                r = rows[p]
                held[r] = 0
                if not out[r]:
                    out[r] = True
                    excluded += 1
        best = 0
        fits = 0
        if everywhere:
            for r in range(n):
                best = max(best, held[r])
            for r in range(n):
                fits += held[r] == best
        else:
            for t in range(n_touched):
                best = max(best, held[touched[t]])
            for t in range(n_touched):
                fits += held[touched[t]] == best
        me = people[q]
        if best == 0:
            count[q] = total - excluded
            own[q] = published[me] and not out[me]
        else:
            count[q] = fits
            own[q] = published[me] and held[me] == best
        if everywhere:
            held[:] = 0
        else:
            for t in range(n_touched):
                held[touched[t]] = 0
        if excluded:
            for i in range(first_absent[q], first_absent[q + 1]):
                for p in range(starts[absent[i]], starts[absent[i] + 1]):
                    out[rows[p]] = False
    return count, own


@njit(cache=True, nogil=True)
def meet_supersets(
    pair_a: I8, pair_b: I8, covers_a: Covers, covers_b: Covers, value_a: I8, value_b: I8
) -> I8:
    """Return, for each pair of patterns of two releases, how many people can be in the supersets of both.

    `value_a` and `value_b` number what the patterns show in the columns that both releases show alike: the sum over
    these values of the smaller number of rows.
    """
    values = 0
    for value in (value_a, value_b):
        for v in value:
            values = max(values, v + 1)
    here, there = np.zeros(values, np.int64), np.zeros(values, np.int64)
    times_a, times_b = covers_a.multiplicity, covers_b.multiplicity
    above_a, above_b = np.empty(times_a.size, np.int32), np.empty(times_b.size, np.int32)
    met = np.zeros(pair_a.size, np.int64)
    for p in range(pair_a.size):
        a, b = pair_a[p], pair_b[p]
        many_a = supersets_of(a, covers_a, above_a)
        many_b = supersets_of(b, covers_b, above_b)
        here[value_a[a]] += times_a[a]
        for i in range(many_a):
            here[value_a[above_a[i]]] += times_a[above_a[i]]
        there[value_b[b]] += times_b[b]
        for i in range(many_b):
            there[value_b[above_b[i]]] += times_b[above_b[i]]
        total = min(here[value_b[b]], there[value_b[b]])
        there[value_b[b]] = 0
        for i in range(many_b):  # each value once: it is 0 when it is met again
            v = value_b[above_b[i]]
            total += min(here[v], there[v])
            there[v] = 0
        here[value_a[a]] = 0
        for i in range(many_a):
            here[value_a[above_a[i]]] = 0
        met[p] = total
    return met
