"""How well features separate two classes: HamDist, DistCnt, CM and mutual information.

All are functions of the rows alone, quick to compute from counts, and independent of any classifier.

>>> toy = [[1,0,1,0,1], [1,0,1,0,1], [1,0,0,1,1], [1,0,1,0,1], [1,1,1,0,1], [1,1,0,1,1]]
>>> y = [1, -1, 1, 1, -1, -1]
>>> round(ham_dist(toy, y, [0, 1, 4]) * 9), round(ham_dist(toy, y, [2, 3, 4]) * 9)
(6, 8)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....core.arrays import Floats
from ..containment.patterns import Patterns
from ..matrix.binary import BinaryMatrix, as_binary, as_classes

__all__ = [
    "classification_metric",
    "dist_cnt",
    "ham_dist",
    "ham_dist_pairs",
    "information_per_one",
]


def _class_supports(
    matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int, int]:
    held_p, held_q = matrix.class_supports(positive)
    p = int(np.count_nonzero(positive))
    return held_p, held_q, p, matrix.n - p


def ham_dist_pairs(matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Count for each feature the pairs of unlike class that differ in it."""
    held_p, held_q, p, q = _class_supports(matrix, positive)
    return held_p * (q - held_q) + held_q * (p - held_p)


def ham_dist(matrix: object, labels: object, features: npt.ArrayLike | None = None) -> float:
    """Average Hamming distance over pairs of unlike class (Definition 8); modular in the features."""
    binary = as_binary(matrix)
    positive = as_classes(labels, binary.n)
    pairs = ham_dist_pairs(binary, positive)
    chosen = pairs if features is None else pairs[np.asarray(features, dtype=np.int64)]
    p = int(positive.sum())
    return float(int(chosen.sum()) / (p * (binary.n - p)))


def _groups(
    matrix: object, labels: object, features: npt.ArrayLike | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Count the positives and negatives in each group of equal rows."""
    binary = as_binary(matrix)
    positive = as_classes(labels, binary.n)
    if features is not None:
        binary = binary.project(features)
    patterns = Patterns.of(binary)
    p = np.bincount(patterns.of_row, weights=positive, minlength=len(patterns.multiplicity))
    p = p.astype(np.int64)
    return p, patterns.multiplicity.astype(np.int64) - p


def dist_cnt(matrix: object, labels: object, features: npt.ArrayLike | None = None) -> float:
    """Share of the pairs of unlike class that some feature separates (Definition 9); submodular.

    >>> dist_cnt([[1, 0], [0, 0], [0, 1]], [1, 0, 0])
    1.0
    """
    p, q = _groups(matrix, labels, features)
    pairs = int(p.sum()) * int(q.sum())
    return float((pairs - int((p * q).sum())) / pairs)


def classification_metric(
    matrix: object, labels: object, features: npt.ArrayLike | None = None, *, k: int = 1
) -> int:
    """CM (Definition 2): rows in groups smaller than k, plus the minority of each other group.

    >>> classification_metric([[1], [1], [1], [0]], [0, 0, 1, 1], k=2)
    2
    """
    p, q = _groups(matrix, labels, features)
    suppressed = (p + q) < k
    return int((p + q)[suppressed].sum() + np.minimum(p, q)[~suppressed].sum())


def _xlogx(counts: npt.NDArray[np.integer]) -> Floats:
    x = counts.astype(np.float64)
    return np.asarray(x * np.log(np.maximum(x, 1.0)), dtype=np.float64)


def _cost(p: npt.NDArray[np.integer], q: npt.NDArray[np.integer]) -> Floats:
    """Entropy of the class within each group of p positives and q negatives, times its rows."""
    return _xlogx(p + q) - _xlogx(p) - _xlogx(q)


def _information_of_each(binary: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> Floats:
    held_p, held_q, p, q = _class_supports(binary, positive)
    before = _cost(np.array([p]), np.array([q]))
    gains = before - _cost(held_p, held_q) - _cost(p - held_p, q - held_q)
    return np.asarray(np.maximum(gains, 0.0) / binary.n, dtype=np.float64)


def information_per_one(binary: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> Floats:
    """Return the mutual information of each feature and the class, per row that holds the feature."""
    return np.asarray(_information_of_each(binary, positive) / np.maximum(binary.supports, 1))
