"""What a selection is worth: the AUC of a linear SVM, honestly cross-validated.

The headline is nested: features are chosen inside each training fold, so no label of a test row helps
to choose them. The paper's way (features chosen once on all labels) stands beside it for comparison.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import stdtrit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import LinearSVC

from ...core.errors import DataError
from ...core.measures import Interval
from ...core.randomness import Streams
from .binary import BinaryMatrix, as_binary, as_classes
from .containment import Patterns
from .targets import Target

if TYPE_CHECKING:
    from .selectors.base import ContainmentSelector

__all__ = [
    "AucScore",
    "cross_validated_auc",
    "folds_of",
    "linear_svm_auc",
    "nested_auc",
    "released_score",
]

Rows = npt.NDArray[np.intp]
_PENALTIES = (0.01, 0.1, 1.0)


@dataclass(frozen=True)
class AucScore:
    """AUC by fold, with an interval for the mean.

    The interval widens the usual t interval for the overlap of training folds (Nadeau and Bengio).
    """

    folds: tuple[float, ...]
    counts: tuple[int, ...] = ()

    @property
    def value(self) -> float:
        return float(np.mean(self.folds))

    @property
    def interval(self) -> Interval:
        folds = len(self.folds)
        spread = float(np.std(self.folds, ddof=1)) * math.sqrt(1 / folds + 1 / (folds - 1))
        half = float(stdtrit(folds - 1, 0.975)) * spread
        low, high = max(0.0, self.value - half), min(1.0, self.value + half)
        return Interval(
            min(low, self.value), max(high, self.value), 0.95,
            f"corrected resampled t over {folds} folds",
        )  # fmt: skip


def folds_of(
    positive: npt.NDArray[np.bool_], *, folds: int = 5, seed: int = 0
) -> list[tuple[Rows, Rows]]:
    """Split rows into stratified folds: pairs of training and test rows."""
    smallest = int(min(positive.sum(), (~positive).sum()))
    folds = min(folds, smallest)
    if folds < 2:
        raise DataError(
            "A class has a single row, and cross-validation needs two rows of each class.",
            hint="label more rows.",
        )
    state = Streams(seed).seed_of("folds") % (2**32)
    splitter = StratifiedKFold(n_splits=folds, shuffle=True, random_state=state)
    return list(splitter.split(np.zeros(len(positive)), positive))


class _Rows:
    """Training rows with equal ones put together: the same solution, far fewer rows on narrow data."""

    def __init__(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> None:
        patterns = Patterns.of(matrix)
        self.of_row = patterns.of_row
        self.code = 2 * patterns.of_row.astype(np.int64) + positive
        self.distinct: sp.csr_matrix = matrix.to_csr()[patterns.representative].astype(np.float64)

    def fitted(self, penalty: float, rows: npt.NDArray[np.bool_] | None = None) -> LinearSVC:
        """Fit a linear SVM with squared hinge loss in the primal: quick on wide data, not random."""
        codes = self.code if rows is None else self.code[rows]
        counts = np.bincount(codes, minlength=2 * self.distinct.shape[0])
        held = np.flatnonzero(counts)
        model = LinearSVC(C=penalty, dual=False, tol=1e-3, max_iter=1000)
        with warnings.catch_warnings():
            # a solution short of the last digit ranks rows just as well, and AUC only needs ranks
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self.distinct[held // 2], held % 2 == 1, sample_weight=counts[held])
        return model

    def scores(self, model: LinearSVC, rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Rank some of the rows."""
        found: npt.NDArray[np.float64] = model.decision_function(self.distinct)[self.of_row[rows]]
        return found


def linear_svm_auc(
    train: BinaryMatrix,
    train_positive: npt.NDArray[np.bool_],
    test: BinaryMatrix,
    test_positive: npt.NDArray[np.bool_],
    *,
    seed: int = 0,
) -> float:
    """Train on some rows, rank others, give the AUC; C is tuned on a quarter of the training rows.

    Without features nothing can be ranked and the AUC is one half.
    """
    if train.d == 0 or len(train.indices) == 0:
        return 0.5
    rows = _Rows(train, train_positive)
    model = rows.fitted(_tuned_penalty(rows, train_positive, seed))
    scores = model.decision_function(test.to_csr().astype(np.float64))
    return float(roc_auc_score(test_positive, scores))


def _tuned_penalty(rows: _Rows, positive: npt.NDArray[np.bool_], seed: int) -> float:
    """Choose C on a small validation set, as the paper does."""
    if min(positive.sum(), (~positive).sum()) < 8:
        return 0.1
    rng = Streams(seed).generator("validation")
    held = np.zeros(len(positive), dtype=bool)
    for of_class in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        held[rng.permutation(of_class)[: max(2, len(of_class) // 4)]] = True
    best, best_auc = 0.1, -1.0
    for penalty in _PENALTIES:
        model = rows.fitted(penalty, ~held)
        auc = float(roc_auc_score(positive[held], rows.scores(model, held)))
        if auc > best_auc + 1e-12:
            best, best_auc = penalty, auc
    return best


Fold = tuple[BinaryMatrix, npt.NDArray[np.bool_], BinaryMatrix, npt.NDArray[np.bool_]]


def _each_fold(
    matrix: BinaryMatrix, positive: npt.NDArray[np.bool_], folds: int, seed: int
) -> Iterator[Fold]:
    for train, test in folds_of(positive, folds=folds, seed=seed):
        yield matrix.take_rows(train), positive[train], matrix.take_rows(test), positive[test]


def cross_validated_auc(
    matrix: object, labels: object, *, folds: int = 5, seed: int = 0
) -> AucScore:
    """Score the features of a matrix as they stand (the paper's way once they are chosen)."""
    binary = as_binary(matrix)
    positive = as_classes(labels, binary.n)
    scores = [
        linear_svm_auc(*fold, seed=seed) for fold in _each_fold(binary, positive, folds, seed)
    ]
    return AucScore(tuple(scores), (binary.d,) * len(scores))


def nested_auc(
    matrix: object,
    labels: object,
    selector: ContainmentSelector,
    *,
    folds: int = 5,
    seed: int = 0,
    done: Callable[[], None] | None = None,
) -> AucScore:
    """Score a selector: choose features, train and tune inside each training fold, rank the rest."""
    binary = as_binary(matrix)
    positive = as_classes(labels, binary.n)
    scores, counts = [], []
    for train, train_positive, test, test_positive in _each_fold(binary, positive, folds, seed):
        chosen = np.sort(clone(selector).fit(train, train_positive).selected_)
        scores.append(
            linear_svm_auc(
                train.project(chosen), train_positive, test.project(chosen), test_positive,
                seed=seed,
            )
        )  # fmt: skip
        counts.append(len(chosen))
        if done is not None:
            done()
    return AucScore(tuple(scores), tuple(counts))


Release = Callable[
    [BinaryMatrix, npt.NDArray[np.bool_]], tuple[BinaryMatrix, npt.NDArray[np.bool_]]
]


def released_score(
    matrix: BinaryMatrix,
    target: Target,
    release: Release,
    *,
    folds: int = 5,
    seed: int = 0,
    done: Callable[[], None] | None = None,
) -> AucScore:
    """Score a way to publish: release the training rows, learn from the release, rank real rows.

    Parameters
    ----------
    matrix : BinaryMatrix
        The original rows.
    target : Target
        What is predicted.
    release : callable
        Returns what is published of some rows, in their shape, and which rows were published at all.
    folds, seed : int
        Folds of the cross-validation and the seed that deals them.
    done : callable, optional
        Called after each fold.

    """
    scores = []
    for train, test in _splits(target, folds, seed):
        published, held = release(matrix.take_rows(train), target.positive[train])
        kept = np.flatnonzero(held)
        scores.append(
            _score(
                published.take_rows(kept), target, train[kept], matrix.take_rows(test), test, seed
            )
        )
        if done is not None:
            done()
    return AucScore(tuple(scores))


def _splits(target: Target, folds: int, seed: int) -> list[tuple[Rows, Rows]]:
    if target.kind == "two":
        return folds_of(target.positive, folds=folds, seed=seed)
    state = Streams(seed).seed_of("folds") % (2**32)
    if target.kind == "several":
        rare = int(np.bincount(target.values).min())
        splitter: StratifiedKFold | KFold = StratifiedKFold(
            max(2, min(folds, rare)), shuffle=True, random_state=state
        )
        if rare < 2:
            splitter = KFold(folds, shuffle=True, random_state=state)
    else:
        splitter = KFold(min(folds, len(target.values)), shuffle=True, random_state=state)
    return list(splitter.split(np.zeros(len(target.values)), target.values))


def _score(
    published: BinaryMatrix,
    target: Target,
    train: Rows,
    test: BinaryMatrix,
    tested: Rows,
    seed: int,
) -> float:
    values = target.values
    if target.kind == "number":
        return _ordered_pairs(published, values[train], test, values[tested], seed)
    found = []
    for c in (1,) if target.kind == "two" else np.unique(values):
        learned, real = values[train] == c, values[tested] == c
        if learned.any() and not learned.all() and real.any() and not real.all():
            found.append(linear_svm_auc(published, learned, test, real, seed=seed))
    return float(np.mean(found)) if found else 0.5


def _ordered_pairs(
    published: BinaryMatrix,
    values: npt.NDArray[np.float64],
    test: BinaryMatrix,
    real: npt.NDArray[np.float64],
    seed: int,
) -> float:
    """Return the share of pairs of test rows that a ridge regression puts in the right order."""
    if published.n < 2 or len(published.indices) == 0 or len(real) < 2:
        return 0.5
    model = Ridge(alpha=10.0, solver="lsqr", tol=1e-4)
    model.fit(published.to_csr().astype(np.float64), values)
    guessed = model.predict(test.to_csr().astype(np.float64))
    rng = Streams(seed).generator("pairs")
    a, b = rng.integers(0, len(real), (2, 50_000))
    apart = real[a] != real[b]
    if not apart.any():
        return 0.5
    right = np.sign(real[a] - real[b])[apart] * np.sign(guessed[a] - guessed[b])[apart]
    return float(np.mean((right + 1) / 2))
