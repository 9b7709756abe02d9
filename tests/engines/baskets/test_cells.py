"""Cells, rows and knowledge: every guarantee against brute force over all subsets."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.examples import examples

from sfumato.engines.baskets.cells._pair_kernels import columns_without_rare_pairs
from sfumato.engines.baskets.cells.cores import (
    Effort,
    _peel,
    _Sorted,
    only_columns,
    suppress_cells,
    suppress_cells_and_columns,
    suppress_rows,
)
from sfumato.engines.baskets.cells.itemsets import itemset_anonymity, suppress_rare_itemsets
from sfumato.engines.baskets.disclosure.knowledge import EVERYTHING, AttackerKnowledge
from sfumato.engines.baskets.matrix.binary import as_binary
from sfumato.engines.baskets.methods.rows import largest_row_set
from sfumato.engines.baskets.selectors import GreedySupport


def rows_left(published, knowledge):
    """Count, over all people and all that may be known of them, the fewest rows that fit."""
    rows = np.asarray(published).astype(bool)
    best = len(rows)
    for person in rows:
        has, lacks = np.flatnonzero(person), np.flatnonzero(~person)
        most = len(has) if knowledge.items is None else min(knowledge.items, len(has))
        absent = len(lacks) if knowledge.absences == EVERYTHING else knowledge.absences
        for items in itertools.combinations(has, most):
            for missing in itertools.combinations(lacks, min(absent, len(lacks))):
                fits = rows[:, list(items)].all(axis=1) & ~rows[:, list(missing)].any(axis=1)
                best = min(best, int(fits.sum()))
    return best


@st.composite
def matrices(draw, most_rows=24, most_items=7):
    n = draw(st.integers(2, most_rows))
    d = draw(st.integers(1, most_items))
    density = draw(st.sampled_from([0.15, 0.35, 0.6]))
    seed = draw(st.integers(0, 2**20))
    rng = np.random.default_rng(seed)
    return (rng.random((n, d)) < density).astype(np.uint8)


KNOWLEDGE = [
    AttackerKnowledge(), AttackerKnowledge(1), AttackerKnowledge(2), AttackerKnowledge(3), AttackerKnowledge(None, 1), AttackerKnowledge(None, 2),
    AttackerKnowledge(None, EVERYTHING),
]  # fmt: skip


@settings(max_examples=60)
@given(matrices())
def test_the_rows_left_are_those_of_the_definition(matrix):
    for knowledge in KNOWLEDGE:
        assert knowledge.least_rows(as_binary(matrix)) == rows_left(matrix, knowledge)
    for beyond in (
        AttackerKnowledge(4),
        AttackerKnowledge(2, 1),
        AttackerKnowledge(1, 2),
    ):  # a bound that is certain
        assert beyond.least_rows(as_binary(matrix)) <= rows_left(matrix, beyond)


@settings(max_examples=60)
@given(matrices(40, 9), st.integers(1, 5), st.booleans())
def test_cells_are_anonymous_by_containment_and_true(matrix, k, weighted):
    binary = as_binary(matrix)
    if binary.n < k:
        return
    weights = np.arange(1, binary.d + 1, dtype=np.int64) if weighted else None
    columns = np.sort(GreedySupport(k).fit(binary, np.arange(binary.n) % 2).selected_)
    found = suppress_cells(binary, k, columns=columns, weights=weights, seed=3)
    assert (found.to_array() <= matrix).all()
    assert rows_left(found.to_array(), AttackerKnowledge()) >= k
    start = only_columns(binary, columns)
    worth = np.ones(binary.d) if weights is None else weights
    assert worth[found.indices].sum() >= worth[start.indices].sum()  # never worse than columns
    again = suppress_cells(binary, k, columns=columns, weights=weights, seed=3)
    assert (again.to_array() == found.to_array()).all()


@settings(max_examples=40)
@given(matrices(40, 9), st.integers(1, 5), st.booleans())
def test_chosen_columns_stay_whole_beside_single_ones(matrix, k, weighted):
    binary = as_binary(matrix)
    if binary.n < k:
        return
    weights = np.arange(1, binary.d + 1, dtype=np.int64) if weighted else None
    columns = np.sort(GreedySupport(k).fit(binary, np.arange(binary.n) % 2).selected_)[::2]
    found = suppress_cells_and_columns(binary, k, columns, weights=weights).to_array()
    assert (found <= matrix).all()
    assert (found[:, columns] == matrix[:, columns]).all()
    assert rows_left(found, AttackerKnowledge()) >= k


def test_single_ones_are_added_to_whole_columns():
    rng = np.random.default_rng(4)
    matrix = (rng.random((400, 30)) < 0.5 / (1 + np.arange(30)) ** 0.5).astype(np.uint8)
    binary = as_binary(matrix)
    columns = np.sort(GreedySupport(5).fit(binary, np.arange(400) % 2).selected_)
    found = suppress_cells_and_columns(binary, 5, columns)
    assert (found.to_array()[:, columns] == matrix[:, columns]).all()
    assert len(found.indices) > 1.05 * matrix[:, columns].sum()


@settings(max_examples=60)
@given(matrices(40, 9), st.integers(1, 5))
def test_every_row_has_k_copies_when_absences_are_known(matrix, k):
    binary = as_binary(matrix)
    if binary.n < k:
        return
    found = suppress_rows(binary, k).to_array()
    assert (found <= matrix).all()
    assert np.unique(found, axis=0, return_counts=True)[1].min() >= k
    rows = _Sorted.of(binary, k)
    found = _peel(rows, k)
    first = rows.back(found.indptr, found.indices, binary.d).to_array()
    assert (first <= matrix).all()
    patterns, counts = np.unique(first, axis=0, return_counts=True)
    assert all(c >= k for p, c in zip(patterns, counts, strict=True) if p.any())


@settings(max_examples=examples(30, fuzz=60))
@given(matrices(40, 8), st.integers(1, 5), st.integers(1, 3))
def test_no_few_items_are_rare(matrix, k, m):
    binary = as_binary(matrix)
    contained = suppress_cells(binary, k) if binary.n >= k else None
    for otherwise in (None, contained):
        found = suppress_rare_itemsets(binary, k, m, otherwise=otherwise)
        assert (found.to_array() <= matrix).all()
        if len(found.indices):
            assert rows_left(found.to_array(), AttackerKnowledge(m)) >= min(k, binary.n)
        if otherwise is not None:  # what keeps the stronger promise is a start
            assert len(found.indices) >= len(otherwise.indices)
    assert itemset_anonymity(binary, m) == (rows_left(matrix, AttackerKnowledge(m)), True)


def most_ones_without_rare_pairs(matrix, k):
    """Solve the choice of ones exactly: a pair that some row publishes has k publishers."""
    n, d = matrix.shape
    ones = {(r, j): v for v, (r, j) in enumerate(np.argwhere(matrix).tolist())}
    entries, upper, variables = [], [], len(ones)
    for size in (1, 2):
        for items in itertools.combinations(range(d), size):
            rows = [r for r in range(n) if matrix[r, list(items)].all()]
            if not rows:
                continue
            used = variables
            variables += 1 + len(rows)
            for q, r in enumerate(rows):
                publishes = used + 1 + q
                here = [ones[r, j] for j in items]
                entries += [(len(upper), v, 1) for v in here] + [(len(upper), used, -1)]
                upper.append(size - 1)  # published together: the set is in use
                for v in here:
                    entries += [(len(upper), publishes, 1), (len(upper), v, -1)]
                    upper.append(0)
            entries += [(len(upper), used + 1 + q, -1) for q in range(len(rows))]
            entries.append((len(upper), used, k))
            upper.append(0)
    rows, columns, values = zip(*entries, strict=True)
    solved = milp(
        -(np.arange(variables) < len(ones)).astype(float),
        constraints=LinearConstraint(
            sp.csr_matrix((values, (rows, columns)), shape=(len(upper), variables)), ub=upper
        ),
        integrality=np.ones(variables),
        bounds=Bounds(0, 1),
    )
    assert solved.success
    return round(-solved.fun)


def test_nearly_all_ones_stay_that_make_no_pair_rare():
    kept, most = 0, 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        popular = 0.8 / (1 + np.arange(8)) ** 0.5
        matrix = (rng.random((20, 8)) < popular).astype(np.uint8)
        exact = most_ones_without_rare_pairs(matrix, 3)
        found = suppress_rare_itemsets(as_binary(matrix), 3, 2)
        assert rows_left(found.to_array(), AttackerKnowledge(2)) >= 3
        assert 0.85 * exact <= len(found.indices) <= exact
        kept, most = kept + len(found.indices), most + exact
    assert kept >= 0.95 * most


def test_exchanges_keep_the_counts_of_pairs_right():
    rng = np.random.default_rng(2)
    popular = 0.5 / (1 + np.arange(60)) ** 0.6
    binary = as_binary((rng.random((400, 60)) < popular).astype(np.uint8))
    found = suppress_rare_itemsets(binary, 6, 2)
    dense = found.to_array().astype(np.int64)
    together = dense.T @ dense
    assert together[together > 0].min() >= 6
    columns = np.flatnonzero(
        columns_without_rare_pairs(
            binary.indptr, binary.indices, *binary.columns,
            np.argsort(-binary.supports, kind="stable").astype(np.int32), 6,
        )
    )  # fmt: skip
    assert len(found.indices) >= 1.1 * len(only_columns(binary, columns).indices)


@settings(max_examples=30)
@given(matrices(9, 5), st.integers(1, 4))
def test_the_largest_set_of_whole_rows(matrix, k):
    for knowledge in KNOWLEDGE:
        kept = largest_row_set(as_binary(matrix), k, knowledge)
        if kept.any():
            assert rows_left(matrix[kept], knowledge) >= k
        if knowledge.absences in (0, EVERYTHING):
            sizes = [
                size
                for size in range(len(matrix), 0, -1)
                for rows in itertools.combinations(range(len(matrix)), size)
                if rows_left(matrix[list(rows)], knowledge) >= k
            ]
            assert int(kept.sum()) == max(sizes, default=0)


def best_cells(matrix, k):
    """Find the most ones of any release of single cells, over all matrices below this one."""
    places = np.argwhere(matrix)
    best = 0
    for kept in itertools.product((0, 1), repeat=len(places)):
        if sum(kept) <= best:
            continue
        tried = np.zeros_like(matrix)
        for (r, c), one in zip(places, kept, strict=True):
            tried[r, c] = one
        if rows_left(tried, AttackerKnowledge()) >= k:
            best = sum(kept)
    return best


@pytest.mark.parametrize("seed", range(6))
def test_cells_come_close_to_the_best_there_is(seed):
    matrix = (np.random.default_rng(seed).random((6, 4)) < 0.45).astype(np.uint8)
    most = best_cells(matrix, 2)
    found = suppress_cells(as_binary(matrix), 2)
    assert most - 2 <= len(found.indices) <= most


def closed_itemsets(matrix, k):
    """List every intersection of rows that at least k rows hold."""
    rows = {tuple(np.flatnonzero(r)) for r in matrix}
    found = set(rows)
    fresh = set(rows)
    while fresh:
        fresh = {tuple(sorted(set(a) & set(b))) for a in fresh for b in rows} - found
        found |= fresh
    return [s for s in sorted(found) if s and matrix[:, list(s)].all(axis=1).sum() >= k]


def most_ones_of_cells(matrix, k):
    """Solve the choice of cores and riders exactly: facility location with k holders per core."""
    cores = closed_itemsets(matrix, k)
    worth = [0.0] * len(cores)  # one variable per core, then one per row that may ride on it
    entries, upper = [], []
    of_row = [[] for _ in matrix]
    for c, core in enumerate(cores):
        shared = matrix[:, list(core)].sum(axis=1)
        holders = []
        for r in np.flatnonzero(shared):
            entries += [(len(upper), len(worth), 1), (len(upper), c, -1)]  # rides only if open
            upper.append(0)
            of_row[r].append(len(worth))
            if shared[r] == len(core):
                holders.append(len(worth))
            worth.append(float(shared[r]))
        entries += [(len(upper), h, -1) for h in holders] + [(len(upper), c, k)]
        upper.append(0)
    for rides in of_row:
        entries += [(len(upper), v, 1) for v in rides]
        upper.append(1)
    if not cores:
        return 0
    rows, columns, values = zip(*entries, strict=True)
    a = sp.csr_matrix((values, (rows, columns)), shape=(len(upper), len(worth)))
    solved = milp(
        -np.array(worth),
        constraints=LinearConstraint(a, ub=upper),
        integrality=np.arange(len(worth)) < len(cores),
        bounds=Bounds(0, 1),
    )
    assert solved.success
    return round(-solved.fun)


@pytest.mark.parametrize("seed", range(4))
def test_the_exact_choice_of_cores_is_that_of_all_releases(seed):
    matrix = (np.random.default_rng(seed).random((6, 4)) < 0.45).astype(np.uint8)
    assert most_ones_of_cells(matrix, 2) == best_cells(matrix, 2)


def test_cells_keep_nearly_all_that_can_be_kept():
    kept, most = 0, 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        popular = 0.7 / (1 + np.arange(11)) ** 0.6
        matrix = (rng.random((50, 11)) < popular).astype(np.uint8)
        exact = most_ones_of_cells(matrix, 3 + seed % 3)
        found = len(suppress_cells(as_binary(matrix), 3 + seed % 3).indices)
        assert 0.9 * exact <= found <= exact
        kept, most = kept + found, most + exact
    assert kept >= 0.97 * most


def test_a_pattern_that_k_rows_share_is_kept_whole():
    matrix = np.array([[1, 1, 0]] * 5 + [[1, 0, 0]] * 2 + [[0, 1, 1]], dtype=np.uint8)
    found = suppress_cells(as_binary(matrix), 5).to_array()
    assert (found[:7] == matrix[:7]).all()
    assert found[7].tolist() == [0, 1, 0]


def test_the_room_for_cores_holds_on_larger_data():
    rng = np.random.default_rng(5)
    popular = 0.6 / (1 + np.arange(60)) ** 0.8
    matrix = (rng.random((3000, 60)) < popular).astype(np.uint8)
    binary = as_binary(matrix)
    found = suppress_cells(binary, 4, effort=Effort(window=512, width=64))
    assert (found.to_array() <= matrix).all()
    assert AttackerKnowledge().least_rows(found) >= 4
