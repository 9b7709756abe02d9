"""The best feasible set of all, for up to 22 features: the whole feasible family by zeta transform.

A set is feasible when none of its subsets is held by 1..k−1 rows; superset sums give all supports at
once, a subset sweep the family. Every criterion here grows with the set, so the maximal sets suffice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....core.errors import LimitError, ParameterError
from ..containment.patterns import Patterns
from ..matrix.binary import BinaryMatrix, as_binary
from ..measures.separation import _information_of_each, ham_dist_pairs
from . import _kernels as kernels
from .base import ContainmentSelector

__all__ = [
    "MOST_FEATURES",
    "ExactSelector",
    "feasible_sets",
    "maximal_feasible_sets",
    "maximal_frequent_sets",
]

MOST_FEATURES = 22


def _row_masks(matrix: BinaryMatrix) -> npt.NDArray[np.int64]:
    if matrix.d > MOST_FEATURES:
        raise LimitError(
            f"The exact family is computed for up to {MOST_FEATURES} features. Got {matrix.d}.",
            hint="use a greedy selector, or project onto fewer features first.",
        )
    bits = np.concatenate(([0], np.cumsum(np.int64(1) << matrix.indices.astype(np.int64))))
    return bits[matrix.indptr[1:]] - bits[matrix.indptr[:-1]]


def _family(matrix: BinaryMatrix, k: int) -> npt.NDArray[np.bool_]:
    support = np.bincount(_row_masks(matrix), minlength=1 << matrix.d).astype(np.int64)
    if matrix.n < k:
        return np.zeros(1 << matrix.d, dtype=bool)
    good: npt.NDArray[np.bool_] = kernels.feasible_family(support, k)
    return good


def feasible_sets(matrix: object, k: int) -> npt.NDArray[np.int64]:
    """List all feasible feature sets (F_k) as bit masks, feature j being bit j.

    >>> [f"{m:02b}" for m in feasible_sets([[1, 0], [1, 0], [0, 1]], 2)]
    ['00', '01']
    """
    return np.flatnonzero(_family(as_binary(matrix), k))


def maximal_feasible_sets(matrix: object, k: int) -> npt.NDArray[np.int64]:
    """List the feasible sets that no further feature can join (M_k, the true family)."""
    binary = as_binary(matrix)
    return np.flatnonzero(kernels.maximal_sets(_family(binary, k), binary.d))


def maximal_frequent_sets(matrix: object, k: int) -> npt.NDArray[np.int64]:
    """List the maximal itemsets held by k rows or more (M_k as the paper reads it), as masks."""
    binary = as_binary(matrix)
    support = np.bincount(_row_masks(binary), minlength=1 << binary.d).astype(np.int64)
    kernels.feasible_family(support, k)  # leaves superset counts in `support`
    return np.flatnonzero(kernels.maximal_sets(support >= k, binary.d))


class ExactSelector(ContainmentSelector):
    """The best of all feasible sets by a criterion; up to 22 features.

    `criterion`: "linear" (variance of the class explained by a linear function of the features),
    "hamdist", "distcnt", "information" (summed over the features) or "size". Ties: the larger set,
    then the lowest mask.
    """

    def __init__(
        self, k: int = 5, *, criterion: str = "linear", binarize: float | None = None
    ) -> None:
        self.k = k
        self.criterion = criterion
        self.binarize = binarize

    def _check_parameters(self) -> None:
        known = ("linear", "hamdist", "distcnt", "information", "size")
        if self.criterion not in known:
            raise ParameterError.constraint(
                "criterion", type(self).__name__, f"one of {', '.join(known)}", self.criterion
            )

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        masks = maximal_feasible_sets(matrix, int(self.k))
        self.n_maximal_ = len(masks)
        members = (masks[:, None] >> np.arange(matrix.d)) & 1
        sizes = members.sum(axis=1)
        scores = score_sets(self.criterion, matrix, positive, masks, members.astype(bool))
        best = np.lexsort((masks, -sizes, -np.round(scores, 12)))[0]
        return [int(j) for j in np.flatnonzero(members[best])]


def score_sets(
    criterion: str,
    matrix: BinaryMatrix,
    positive: npt.NDArray[np.bool_],
    masks: npt.NDArray[np.int64],
    members: npt.NDArray[np.bool_],
) -> npt.NDArray[np.float64]:
    """Score feature sets given as masks and as rows of a membership matrix."""
    if criterion == "size":
        return np.asarray(members.sum(axis=1), dtype=np.float64)
    if criterion == "hamdist":
        return np.asarray(members @ ham_dist_pairs(matrix, positive), dtype=np.float64)
    if criterion == "information":
        return np.asarray(members @ _information_of_each(matrix, positive), dtype=np.float64)
    if criterion == "distcnt":
        patterns = Patterns.of(matrix)
        codes = _row_masks(matrix)[patterns.representative]
        p = np.bincount(patterns.of_row, weights=positive, minlength=len(codes)).astype(np.int64)
        counted = kernels.count_distinguished_pairs(masks, codes, p, patterns.multiplicity - p)
        return np.asarray(counted, dtype=np.float64)
    return _explain(matrix, positive, members)


def _explain(
    matrix: BinaryMatrix, positive: npt.NDArray[np.bool_], members: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """Variance of the class that each set explains, from one Gram matrix (a whisper of ridge)."""
    x = matrix.to_array().astype(np.float64)
    x -= x.mean(axis=0)
    y = positive - positive.mean()
    gram = x.T @ x + 1e-6 * matrix.n * np.eye(matrix.d)
    cross = x.T @ y
    scores = np.zeros(len(members))
    for i, member in enumerate(members):
        chosen = np.flatnonzero(member)
        if len(chosen):
            part = cross[chosen]
            scores[i] = part @ np.linalg.solve(gram[np.ix_(chosen, chosen)], part)
    return scores
