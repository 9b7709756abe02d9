"""The audit against the definitions, on thousands of random small matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core import DataError, ParameterError
from sfumato.engines.baskets import dataset_containment, row_containment
from sfumato.engines.baskets.containment.audit import audit, containment_group, is_feasible
from sfumato.engines.baskets.containment.posets import (
    absence_containment,
    poset_containment,
    poset_literals,
)
from sfumato.engines.baskets.matrix.binary import BinaryMatrix, as_binary, as_classes

from . import oracle


def random_matrices(count, seed, rows=14, features=8):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, d = rng.integers(1, rows), rng.integers(1, features)
        yield rng, (rng.random((n, d)) < rng.random()).astype(np.uint8)


def test_row_and_dataset_containment_equal_the_definition():
    for _, X in random_matrices(2000, seed=1):
        truth = oracle.row_ac(X)
        assert row_containment(X).tolist() == truth.tolist()
        assert dataset_containment(X) == truth.min()
        assert row_containment(X, cap=3).tolist() == np.minimum(truth, 3).tolist()


def test_key_lemma_ac_is_the_smallest_multiplicity_of_a_maximal_pattern():
    for _, X in random_matrices(1000, seed=2):
        patterns = [frozenset(np.flatnonzero(e)) for e in X]
        maximal = [p for p in patterns if not any(p < q for q in patterns)]
        assert dataset_containment(X) == min(patterns.count(p) for p in maximal)


def test_downward_closure():
    for rng, X in random_matrices(1000, seed=3):
        keep = rng.random(X.shape[1]) < 0.6
        assert dataset_containment(X[:, keep]) >= dataset_containment(X)


def test_groups_and_uniqueness():
    for rng, X in random_matrices(300, seed=4):
        row = int(rng.integers(len(X)))
        group = containment_group(X, row)
        assert len(group) == oracle.row_ac(X)[row]
        assert row in group
        found = audit(X, absences=())
        _, counts = np.unique(X, axis=0, return_counts=True)
        assert found.unique_share == pytest.approx((counts == 1).sum() / len(X))
        assert found.smallest_group == counts.min()


def test_ac_under_known_absences():
    for _, X in random_matrices(800, seed=5, rows=12, features=7):
        found = audit(X, absences=(1, 2, 3))
        for m in (1, 2, 3):
            assert found.ac_under_absences[m] == oracle.ac_under_absences(X, m)
            assert found.absences_exact[m]
        assert found.ac >= found.ac_under_absences[1] >= found.smallest_group


def test_a_cut_off_search_for_absences_says_so_and_never_claims_too_little():
    every = np.array([[m >> j & 1 for j in range(6)] for m in range(64)], dtype=np.uint8)
    X = np.vstack(
        [every[:1], np.repeat(every[1:], 3, axis=0)]
    )  # the empty row is the only lone one
    short, full = audit(X, work=50), audit(X)
    for m in (1, 2):
        assert short.ac_under_absences[m] >= full.ac_under_absences[m]
    assert full.ac_under_absences == {1: 3, 2: 3}
    assert all(full.absences_exact.values())
    assert not any(short.absences_exact.values())


def test_many_features_use_hashed_signatures_and_stay_exact():
    rng = np.random.default_rng(7)
    for _ in range(30):
        X = sp.random(60, 300, density=0.02, random_state=rng.integers(2**31), format="csr")
        X.data[:] = 1
        dense = X.toarray()
        dense = np.vstack([dense, dense[:20]])
        assert row_containment(dense).tolist() == oracle.row_ac(dense).tolist()
        assert dataset_containment(sp.csr_matrix(dense)) == oracle.ac(dense)


def test_rows_of_zeros_lie_under_every_row():
    X = [[0, 0], [1, 0], [1, 0]]
    assert row_containment(X).tolist() == [3, 2, 2]
    assert dataset_containment(X) == 2
    assert dataset_containment(np.zeros((4, 3), dtype=int)) == 4
    assert dataset_containment(np.zeros((4, 0), dtype=int)) == 4
    assert dataset_containment(np.zeros((0, 3), dtype=int)) == 0
    assert audit(np.zeros((0, 3), dtype=int)).rows == 0


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_flags_and_posets(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 14)), int(rng.integers(1, 6))
    X = (rng.random((n, d)) < 0.5).astype(np.uint8)
    flags = rng.random(d) < 0.5
    assert absence_containment(X, flags) == oracle.flagged_ac(X, flags)
    _, counts = np.unique(X, axis=0, return_counts=True)
    assert absence_containment(X, np.ones(d, dtype=bool)) == counts.min()  # k-anonymity
    assert absence_containment(X, np.zeros(d, dtype=bool)) == oracle.ac(X)  # k-AC
    V = rng.integers(0, 4, size=(n, d))
    kinds = [("equality", "ordered", "binary")[rng.integers(3)] for _ in range(d)]
    for j, kind in enumerate(kinds):
        if kind == "binary":
            V[:, j] = V[:, j] > 1
    assert poset_containment(V, kinds) == oracle.poset_ac(V, kinds)


def test_posets_refuse_what_they_do_not_know():
    with pytest.raises(ParameterError, match="kinds"):
        poset_containment([[1]], ["cyclic"])
    with pytest.raises(DataError, match="one kind for each column"):
        poset_containment([[1, 2]], ["equality"])
    with pytest.raises(DataError, match="neither 0 nor 1"):
        poset_literals([[2]], ["binary"])


def test_feasibility_and_forms():
    X = np.array([[1, 0, 1], [1, 1, 0], [1, 0, 1]])
    assert is_feasible(X, [0, 2], 2)
    assert not is_feasible(X, [1], 2)
    stored_zero = sp.csr_matrix((np.array([1, 0, 1]), np.array([0, 1, 2]), np.array([0, 3])))
    assert as_binary(stored_zero).indices.tolist() == [0, 2]
    assert BinaryMatrix.of(sp.csc_matrix(X)).to_array().tolist() == X.tolist()
    assert as_binary(X.astype(bool)).to_array().tolist() == X.tolist()
    assert as_binary(X.astype(object)).to_array().tolist() == X.tolist()


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 3], [1, 7]], "holds 2 values that are neither 0 nor 1"),
        ([[0.5]], "holds 1 value that is neither 0 nor 1"),
        ([["secret"]], "values that are not numbers"),
        ([1, 0], "two dimensions"),
        ([[np.nan]], "neither 0 nor 1"),
    ],
)
def test_matrices_that_are_not_binary_are_refused(matrix, message):
    with pytest.raises(DataError, match=message) as caught:
        audit(matrix)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "no labels"),
        ([1, 1, 1], "1 distinct value"),
        ([0, 1, 2], "3 distinct values"),
        ([0, 1], "2 labels for 3 rows"),
        ([0.0, np.nan, 1.0], "missing"),
    ],
)
def test_labels_are_checked(labels, message):
    with pytest.raises(DataError, match=message):
        as_classes(labels, 3)


def test_signed_labels_are_ordered_as_numbers():
    assert as_classes(["+1", "-1", "+1"], 3).tolist() == [True, False, True]


def test_bad_arguments():
    with pytest.raises(ParameterError, match="'row' parameter"):
        containment_group([[1]], 5)
    with pytest.raises(ParameterError, match="'absences' parameter"):
        audit([[1], [0]], absences=(-1,))
