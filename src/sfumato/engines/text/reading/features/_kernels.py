"""Hot loops of the features: one 64-bit hash function, shared by learning and publishing."""

from __future__ import annotations

import numpy as np

from ....._jit import njit, types

_u = types.uint64  # one signature: a constant would otherwise be a separate specialisation

# Kinds of code points, as `words.py` sorts them.
UPPER, LOWER, DIGIT, LETTER = 1, 2, 3, 4
# How many features a word has of itself, as a neighbour and two away, and how many conjunctions.
OWN, NEAR, FAR, JOINT = 14, 3, 2, 3


@njit(_u(_u), cache=True, nogil=True)
def mix(x):
    """Finalise a 64-bit hash (splitmix64)."""
    x = np.uint64(x)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


@njit(_u(_u, _u), cache=True, nogil=True)
def step(h, code):
    """Take one more symbol into a running hash."""
    return (np.uint64(h) ^ np.uint64(code)) * np.uint64(0x100000001B3) + np.uint64(0x9E3779B9)


@njit(_u(_u, _u), cache=True, nogil=True)
def seal(h, template):
    """Close a running hash under a template's number; 0 is kept for "no feature"."""
    x = mix(np.uint64(h) + np.uint64(template) * np.uint64(0x9E3779B97F4A7C15))
    return x if x != np.uint64(0) else np.uint64(1)


@njit(_u(_u, _u, _u), cache=True, nogil=True)
def pair(a, b, template):
    """Hash a conjunction of two features."""
    return seal(np.uint64(a) * np.uint64(0xD6E8FEB86659FD93) + np.uint64(b), template)


@njit(cache=True, nogil=True)
def analyse(
    codes,
    lowered,
    kinds,
    bounds,
    own,
    near,
    far,
    lower_of,
    shape_of,
    counted,
):
    """Analyse words, one row each; a 0 says that the word has no such feature."""
    start = np.uint64(0xCBF29CE484222325)
    for w in range(len(bounds) - 1):
        a, b = bounds[w], bounds[w + 1]
        n = b - a
        word = start
        low = start
        shape = start
        brief = start
        run = 0
        before = np.int64(-1)
        uppers = lowers = digits = letters = 0
        hyphen = dot = mark = False
        for i in range(a, b):
            word = step(word, codes[i])
            low = step(low, lowered[i])
            kind = kinds[i]
            symbol = np.int64(kind)
            if kind == UPPER:
                uppers += 1
            elif kind == LOWER:
                lowers += 1
            elif kind == DIGIT:
                digits += 1
            elif kind == LETTER:
                letters += 1
            else:
                symbol = np.int64(codes[i]) + 16
                if codes[i] == 45:
                    hyphen = True
                elif codes[i] == 46:
                    dot = True
                else:
                    mark = True
            if symbol == before:
                run += 1
            else:
                run = 1
                brief = step(brief, symbol)
                before = symbol
            if run <= 3:
                shape = step(shape, symbol)
        lower_of[w] = seal(low, 1)
        shape_of[w] = seal(shape, 2)
        alphabetic = uppers + lowers + letters
        counted[w] = alphabetic + digits > 0
        flags = np.int64(0)
        if n > 0 and kinds[a] == UPPER:
            flags |= 1
        if uppers > 0 and lowers == 0:
            flags |= 2
        if digits > 0:
            flags |= 4
        if hyphen:
            flags |= 8
        if dot:
            flags |= 16
        if mark:
            flags |= 32
        if alphabetic == 0:
            flags |= 64
        if uppers > 1 and lowers > 0:
            flags |= 128
        own[w, 0] = seal(word, 3)
        own[w, 1] = seal(low, 4)
        own[w, 2] = seal(shape, 5)
        own[w, 3] = seal(brief, 6)
        own[w, 4] = seal(step(start, min(n, 12)), 7)
        own[w, 5] = seal(step(start, flags), 8)
        h = start
        for k in range(min(4, n)):
            h = step(h, lowered[a + k])
            own[w, 6 + k] = seal(h, 16 + k)
        h = start
        suffix = np.uint64(0)
        for k in range(min(4, n)):
            h = step(h, lowered[b - 1 - k])
            own[w, 10 + k] = seal(h, 24 + k)
            if k <= 2:
                suffix = own[w, 10 + k]
        near[w, 0] = lower_of[w]
        near[w, 1] = shape_of[w]
        near[w, 2] = seal(suffix, 9)
        far[w, 0] = lower_of[w]
        far[w, 1] = shape_of[w]


@njit(cache=True, nogil=True)
def conjunctions(a, b, c, lower, shape, out):
    """Hash what comes before (a), at (b) and after (c) a token together, into three keys."""
    out[0] = pair(lower[a], shape[b], 33)
    out[1] = pair(shape[b], lower[c], 34)
    out[2] = pair(pair(shape[a], shape[b], 35), shape[c], 36)


@njit(cache=True, nogil=True)
def number(keys, slots, numbers, used, out):
    """Number each 64-bit key by first appearance; 0 gets −1. The table must be large enough."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        key = keys[i]
        if key == np.uint64(0):
            out[i] = -1
            continue
        at = key & mask
        while slots[at] != np.uint64(0) and slots[at] != key:
            at = (at + np.uint64(1)) & mask
        if slots[at] == np.uint64(0):
            slots[at] = key
            numbers[at] = used
            used += 1
        out[i] = numbers[at]
    return used


@njit(cache=True, nogil=True)
def neighbours(rows, doc, begin, end, lower, shape, keys):
    """Hash the conjunctions of every token."""
    for d in range(len(doc) - 1):
        for i in range(doc[d], doc[d + 1]):
            a = rows[i - 1] if i > doc[d] else begin
            c = rows[i + 1] if i + 1 < doc[d + 1] else end
            conjunctions(a, rows[i], c, lower, shape, keys[i])


@njit(cache=True, nogil=True)
def bin_of(score):
    """Put a log-odds into one of eleven bins, finer where the decision is."""
    edges = (-6.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 6.0)
    k = 0
    while k < 10 and score >= edges[k]:
        k += 1
    return k


@njit(cache=True, nogil=True)
def stack(
    rows,
    doc,
    group,
    scores,
    first,
    second,
    total,
    count,
    own,
    most,
    mean,
    known,
):
    """Bin what a first stage thinks of a token and of the same word elsewhere in its document.

    `group` numbers the word rows without regard to case; first … count are scratch by group and are
    left as they were found (−inf, −inf, 0, 0). Bin 0 of `most`, `mean` says "nowhere else", and of
    `known` "no score"; a token without a finite score takes no part.
    """
    for d in range(len(doc) - 1):
        a, b = doc[d], doc[d + 1]
        for i in range(a, b):
            s = scores[i]
            if s == -np.inf:
                continue
            g = group[rows[i]]
            count[g] += 1
            total[g] += s
            if s > first[g]:
                second[g] = first[g]
                first[g] = s
            elif s > second[g]:
                second[g] = s
        for i in range(a, b):
            s = scores[i]
            if s == -np.inf:
                own[i] = most[i] = mean[i] = known[i] = 0
                continue
            g = group[rows[i]]
            own[i] = bin_of(s)
            known[i] = 1 + bin_of(first[g])
            if count[g] == 1:
                most[i] = mean[i] = 0
            else:
                other = second[g] if s == first[g] else first[g]
                most[i] = 1 + bin_of(other)
                mean[i] = 1 + bin_of((total[g] - s) / (count[g] - 1))
        for i in range(a, b):
            g = group[rows[i]]
            count[g] = 0
            total[g] = 0.0
            first[g] = -np.inf
            second[g] = -np.inf
