"""The ceilings that benchmarks report, against brute force; a search that gives up never falls below."""

import itertools

import numpy as np
import pytest
from benchmarks._ceiling_kernels import (
    largest_clique,
    largest_frequent_subset,
    most_shared,
    rows_as_bits,
)
from benchmarks._ceilings import most_by_containment, most_by_pairs

from sfumato.engines.baskets.cells.cores import suppress_cells
from sfumato.engines.baskets.cells.itemsets import suppress_rare_itemsets
from sfumato.engines.baskets.matrix.binary import as_binary


def most_items_shared(matrix, r, need):
    """Try every choice of `need` other rows."""
    others = [x for x in range(len(matrix)) if x != r]
    found = [matrix[[r, *some]].all(axis=0).sum() for some in itertools.combinations(others, need)]
    return max(found, default=0)


@pytest.mark.parametrize("seed", range(12))
def test_the_most_items_that_k_rows_share(seed):
    rng = np.random.default_rng(seed)
    matrix = (rng.random((11, 70 if seed % 3 == 0 else 9)) < rng.uniform(0.3, 0.8)).astype(np.uint8)
    binary = as_binary(matrix)
    place = np.full(binary.d, -1, dtype=np.int64)
    items = np.flatnonzero(matrix[0])
    place[items] = np.arange(len(items))
    bits, own = rows_as_bits(binary.indptr, binary.indices, 0, place)
    rarest_first = items[np.argsort(binary.supports[items], kind="stable")]
    for need in range(5):
        exact = most_items_shared(matrix, 0, need)
        if need and len(items) < 12:
            found = largest_frequent_subset(rarest_first, *binary.columns, need + 1, 10**9)
            assert found == exact
            assert largest_frequent_subset(rarest_first, *binary.columns, need + 1, 2) in (
                -1,
                exact,
            )
        assert most_shared(bits, own, need, 10**9) == exact
        for steps in (0, 3, 10, 30):
            assert exact <= most_shared(bits, own, need, steps) <= len(items)


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_clique(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 11))
    upper = np.triu(rng.random((m, m)) < rng.uniform(0.3, 0.9), 1)
    adjacent = upper | upper.T
    exact = max(
        size
        for size in range(1, m + 1)
        for some in itertools.combinations(range(m), size)
        if all(adjacent[a, b] for a, b in itertools.combinations(some, 2))
    )
    assert largest_clique(adjacent, 10**9) == exact
    for steps in (0, 2, 5, 12):
        assert exact <= largest_clique(adjacent, steps) <= m


def test_no_release_passes_its_ceiling():
    rng = np.random.default_rng(1)
    popular = 0.7 / (1 + np.arange(25)) ** 0.7
    binary = as_binary((rng.random((300, 25)) < popular).astype(np.uint8))
    ones = len(binary.indices)
    for k in (3, 6):
        containment, pairs = most_by_containment(binary, k), most_by_pairs(binary, k)
        assert len(suppress_cells(binary, k).indices) / ones <= containment <= pairs <= 1
        assert len(suppress_rare_itemsets(binary, k, 2).indices) / ones <= pairs
