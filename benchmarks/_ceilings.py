"""Ceilings: the largest share of ones that any release of single cells may keep, whatever the method.

Under k-AC what a row publishes lies in k − 1 other rows; under k² every two items that it publishes are held
by k rows. So no row publishes more than the largest such set of its items. Each row is taken alone, as
if all others served it: the best release may stay below. Both are means over a sample of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._ceiling_kernels import (
    largest_clique,
    largest_frequent_subset,
    most_shared,
    neighbours,
    rows_as_bits,
)

ROWS = 1000  # looked at, a tenth of them
MANY = 500_000  # where there are more ones than this


def most_by_containment(matrix: Any, k: int, steps: int = 2_000_000) -> float:
    """Return the ceiling under k-AC.

    Of two exact searches, over rows and over items, either may end after `steps`: the first with a bound,
    the second without.
    """
    place = np.full(matrix.d, -1, dtype=np.int64)
    postings = matrix.columns
    some, most = _sample(matrix), 0
    for r in some:
        items = matrix.indices[matrix.indptr[r] : matrix.indptr[r + 1]]
        items = items[matrix.supports[items] >= k]
        place[items] = np.arange(len(items))
        bits, own = rows_as_bits(matrix.indptr, matrix.indices, r, place)
        place[items] = -1
        shared = most_shared(bits, own, k - 1, steps)
        rarest_first = items[np.argsort(matrix.supports[items], kind="stable")].astype(np.int64)
        frequent = largest_frequent_subset(rarest_first, *postings, k, steps // 10)
        most += shared if frequent < 0 else min(shared, frequent)
    return float(most / np.diff(matrix.indptr)[some].sum())


def most_by_pairs(matrix: Any, k: int, steps: int = 20_000) -> float:
    """Return the ceiling under k²: the largest cliques of pairs that k rows hold."""
    from sfumato.engines.baskets.cells._pair_kernels import frequent_pairs
    from sfumato.engines.baskets.cells.itemsets import ranked_by_support

    ranked, _ = ranked_by_support(matrix.project(np.flatnonzero(matrix.supports >= k)))
    graph = frequent_pairs(ranked.indptr, ranked.indices, *ranked.columns, k)
    some, most = _sample(matrix), 0
    for r in some:
        items = ranked.indices[ranked.indptr[r] : ranked.indptr[r + 1]]
        most += largest_clique(neighbours(*graph, items), steps)
    return float(most / np.diff(matrix.indptr)[some].sum())


def _sample(matrix: Any) -> np.ndarray:
    rows = ROWS if len(matrix.indices) <= MANY else ROWS // 10
    return np.sort(np.random.default_rng(0).permutation(matrix.n)[:rows])
