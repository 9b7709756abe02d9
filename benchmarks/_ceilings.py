"""Ceilings: the largest share of ones that any release of single cells may keep, whatever the method.

Under k-AC what a row publishes lies in k − 1 other rows; under k² every two items that it publishes are held
by k rows. So no row publishes more than the largest such set of its items. Each row is taken alone, as
if all others served it: the best release may stay below. Both are means over a sample of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._ceiling_kernels import largest_clique, most_shared, neighbours, rows_as_bits

ROWS = 1000


def most_by_containment(matrix: Any, k: int, rows: int = ROWS, steps: int = 2_000_000) -> float:
    """Return the ceiling under k-AC; where a search ends after `steps`, its bound counts."""
    place = np.full(matrix.d, -1, dtype=np.int64)
    some, most = _sample(matrix, rows), 0
    for r in some:
        items = matrix.indices[matrix.indptr[r] : matrix.indptr[r + 1]]
        items = items[matrix.supports[items] >= k]
        place[items] = np.arange(len(items))
        bits, own = rows_as_bits(matrix.indptr, matrix.indices, r, place)
        place[items] = -1
        most += most_shared(bits, own, k - 1, steps)
    return float(most / np.diff(matrix.indptr)[some].sum())


def most_by_pairs(matrix: Any, k: int, rows: int = ROWS, steps: int = 20_000) -> float:
    """Return the ceiling under k²: the largest cliques of pairs that k rows hold."""
    from sfumato.engines.baskets.cells._pair_kernels import frequent_pairs
    from sfumato.engines.baskets.cells.itemsets import ranked_by_support

    ranked, _ = ranked_by_support(matrix.project(np.flatnonzero(matrix.supports >= k)))
    graph = frequent_pairs(ranked.indptr, ranked.indices, *ranked.columns, k)
    some, most = _sample(matrix, rows), 0
    for r in some:
        items = ranked.indices[ranked.indptr[r] : ranked.indptr[r + 1]]
        most += largest_clique(neighbours(*graph, items), steps)
    return float(most / np.diff(matrix.indptr)[some].sum())


def _sample(matrix: Any, rows: int) -> np.ndarray:
    return np.sort(np.random.default_rng(0).permutation(matrix.n)[:rows])
