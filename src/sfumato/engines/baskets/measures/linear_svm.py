"""The AUC of a linear SVM on rows of 0 and 1, quick on narrow data."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from ....core.arrays import Floats
from ....core.randomness import Streams
from ..containment.patterns import Patterns
from ..matrix.binary import BinaryMatrix

__all__ = ["area_under_curve", "linear_svm_auc"]

_PENALTY = 0.1
_PENALTIES = (0.01, _PENALTY, 1.0)


def area_under_curve(positive: npt.NDArray[np.bool_], scores: Floats) -> float:
    """Return the share of pairs of unlike class that the scores rank right; ties count half.

    >>> area_under_curve(np.array([False, True, True]), np.array([0.1, 0.1, 0.7]))
    0.75
    """
    _, code = np.unique(scores, return_inverse=True)
    p = np.bincount(code, weights=positive)
    q = np.bincount(code, weights=~positive)
    below = np.cumsum(q) - q
    return float((p * (below + q / 2)).sum() / (p.sum() * q.sum()))


def _without_checks() -> AbstractContextManager[None]:
    """Leave out scikit-learn's checks of our own arrays: they take longer than a narrow model."""
    context: AbstractContextManager[None] = config_context(
        assume_finite=True, skip_parameter_validation=True
    )
    return context


class _DistinctRows:
    """Training rows with equal ones put together: the same solution, far fewer rows on narrow data."""

    def __init__(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> None:
        patterns = Patterns.of(matrix)
        self.of_row = patterns.of_row
        self.code = 2 * patterns.of_row.astype(np.int64) + positive
        self.distinct: sp.csr_matrix = matrix.to_csr()[patterns.representative].astype(np.float64)

    def fit(self, penalty: float, rows: npt.NDArray[np.bool_] | None = None) -> LinearSVC:
        """Fit a linear SVM with squared hinge loss in the primal: quick on wide data, not random."""
        codes = self.code if rows is None else self.code[rows]
        counts = np.bincount(codes, minlength=2 * self.distinct.shape[0])
        held = np.flatnonzero(counts)
        model = LinearSVC(C=penalty, dual=False, tol=1e-3, max_iter=1000)
        with warnings.catch_warnings(), _without_checks():
            # a solution short of the last digit ranks rows just as well, and AUC only needs ranks
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self.distinct[held // 2], held % 2 == 1, sample_weight=counts[held])
        return model

    def scores(self, model: LinearSVC, rows: npt.NDArray[np.bool_]) -> Floats:
        """Rank some of the rows."""
        with _without_checks():
            found: Floats = model.decision_function(self.distinct)
        return found[self.of_row[rows]]


def linear_svm_auc(
    train: BinaryMatrix,
    train_positive: npt.NDArray[np.bool_],
    test: BinaryMatrix,
    test_positive: npt.NDArray[np.bool_],
    *,
    seed: int = 0,
    tuned: bool = True,
) -> float:
    """Train on some rows, rank others, return the AUC; C is tuned on a quarter of the training rows.

    Without features nothing can be ranked and the AUC is one half.
    """
    if train.d == 0 or len(train.indices) == 0:
        return 0.5
    rows = _DistinctRows(train, train_positive)
    model = rows.fit(_tuned_penalty(rows, train_positive, seed) if tuned else _PENALTY)
    with _without_checks():
        scores = model.decision_function(test.to_csr().astype(np.float64))
    return area_under_curve(test_positive, scores)


def _tuned_penalty(rows: _DistinctRows, positive: npt.NDArray[np.bool_], seed: int) -> float:
    """Choose C on a small validation set, as the paper does."""
    if min(positive.sum(), (~positive).sum()) < 8:
        return _PENALTY
    rng = Streams(seed).generator("validation")
    held = np.zeros(len(positive), dtype=bool)
    for of_class in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        held[rng.permutation(of_class)[: max(2, len(of_class) // 4)]] = True
    best, best_auc = _PENALTY, -1.0
    for penalty in _PENALTIES:
        model = rows.fit(penalty, ~held)
        auc = area_under_curve(positive[held], rows.scores(model, held))
        if auc > best_auc + 1e-12:
            best, best_auc = penalty, auc
    return best
