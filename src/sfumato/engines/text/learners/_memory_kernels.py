"""Hot loops of the memory: what the other documents say of a word, in bins."""

from __future__ import annotations

import numpy as np

from ...._jit import njit


@njit(cache=True, nogil=True)
def label_bin(n, sensitive):
    """Bin how often a word was sensitive among its n occurrences in other documents."""
    if n == 0:
        return 0
    level = 1 if n == 1 else (2 if n < 6 else 3)
    if sensitive == 0:
        return level
    if sensitive == n:
        return 3 + level
    share = sensitive / n
    return 7 + (0 if share < 0.05 else (1 if share < 0.3 else (2 if share < 0.7 else 3)))


@njit(cache=True, nogil=True)
def case_bin(n, small):
    """Bin how often a word was written without a capital among its n occurrences elsewhere."""
    if n == 0:
        return 0
    level = 0 if n == 1 else (1 if n < 6 else 2)
    share = small / n
    step = 0
    if small > 0:
        step = 1 if share < 0.1 else (2 if share < 0.5 else (3 if share < 0.9 else 4))
    return 1 + 5 * level + step


@njit(cache=True, nogil=True)
def bin_counts(counts, out):
    """Bin the counts of each word: its labels and its case."""
    for k in range(len(counts)):
        out[k, 0] = label_bin(counts[k, 0], counts[k, 1])
        out[k, 1] = case_bin(counts[k, 0], counts[k, 2])


@njit(cache=True, nogil=True)
def count_words(docs, rows, doc, group, labels, capital, counts, sign):
    """Add (or take away) the words of some documents: occurrences, sensitive ones, small ones."""
    for d in docs:
        for i in range(doc[d], doc[d + 1]):
            g = group[rows[i]]
            counts[g, 0] += sign
            if labels[i]:
                counts[g, 1] += sign
            if not capital[rows[i]]:
                counts[g, 2] += sign


@njit(cache=True, nogil=True)
def recall(
    docs,
    rows,
    seen_rows,
    redacted_row,
    doc,
    group,
    labels,
    capital,
    counts,
    out,
):
    """Bin, for each token, what the other documents say of its word and of its two neighbours.

    `counts` holds all of `docs`; each document's own words are taken out while it is binned.
    """
    one = np.empty(1, np.int64)
    for d in docs:
        one[0] = d
        count_words(one, rows, doc, group, labels, capital, counts, np.int64(-1))
        for i in range(doc[d], doc[d + 1]):
            g = group[rows[i]]
            if seen_rows[i] == redacted_row:
                out[i, 0] = out[i, 1] = 0
            else:
                out[i, 0] = label_bin(counts[g, 0], counts[g, 1])
                out[i, 1] = case_bin(counts[g, 0], counts[g, 2])
        for i in range(doc[d], doc[d + 1]):
            out[i, 2] = out[i - 1, 0] if i > doc[d] else 0
            out[i, 3] = out[i + 1, 0] if i + 1 < doc[d + 1] else 0
        count_words(one, rows, doc, group, labels, capital, counts, np.int64(1))
