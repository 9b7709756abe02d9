"""What a selection is worth: the AUC of a linear SVM, honestly cross-validated.

The headline is nested: features are chosen inside each training fold, so no label of a test row helps
to choose them. The paper's way (features chosen once on all labels) stands beside it for comparison.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.special import stdtrit
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from ....core.errors import DataError
from ....core.measures import Interval
from ....core.randomness import Streams
from ..containment.patterns import Patterns
from ..matrix.binary import BinaryMatrix, as_binary, as_classes
from ..matrix.targets import Target

__all__ = [
    "AucScore",
    "FoldScores",
    "area_under_curve",
    "cross_validated_auc",
    "folds_of",
    "linear_svm_auc",
    "nested_auc",
    "released_score",
]

Rows = npt.NDArray[np.intp]
_PENALTY = 0.1
_PENALTIES = (0.01, _PENALTY, 1.0)


class Selector(Protocol):
    """What is scored: anything that chooses features when it is fitted."""

    selected_: npt.NDArray[np.intp]

    def fit(self, X: object, y: object = None) -> Selector: ...


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
    return _dealt(_stratified(positive, folds, seed), folds)


def _dealer(seed: int) -> np.random.RandomState:
    return np.random.RandomState(Streams(seed).seed_of("folds") % (2**32))


def _stratified(classes: npt.NDArray[np.generic], folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Deal rows to folds so that each holds its share of every class, as `StratifiedKFold` does.

    scikit-learn's own checks of the labels take longer than fitting a narrow model.
    """
    _, first, code = np.unique(classes, return_index=True, return_inverse=True)
    code = np.argsort(np.argsort(first))[code]  # classes in the order of their first row
    ordered = np.sort(code)
    share = [np.bincount(ordered[i::folds], minlength=len(first)) for i in range(folds)]
    rng = _dealer(seed)
    fold = np.empty(len(classes), dtype=np.int64)
    for c in range(len(first)):
        dealt = np.arange(folds).repeat([counts[c] for counts in share])
        rng.shuffle(dealt)
        fold[code == c] = dealt
    return fold


def _shuffled(n: int, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """Deal rows to folds at random, as `KFold` does."""
    order = np.arange(n)
    _dealer(seed).shuffle(order)
    fold = np.empty(n, dtype=np.int64)
    fold[order] = np.arange(folds).repeat([len(part) for part in np.array_split(order, folds)])
    return fold


def _dealt(fold: npt.NDArray[np.int64], folds: int) -> list[tuple[Rows, Rows]]:
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(folds)]


def area_under_curve(positive: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64]) -> float:
    """Return the share of pairs of unlike class that the scores rank right; ties count half.

    >>> area_under_curve(np.array([False, True, True]), np.array([0.1, 0.1, 0.7]))
    0.75
    """
    _, code = np.unique(scores, return_inverse=True)
    p = np.bincount(code, weights=positive)
    q = np.bincount(code, weights=~positive)
    below = np.cumsum(q) - q
    return float((p * (below + q / 2)).sum() / (p.sum() * q.sum()))


def _unchecked() -> AbstractContextManager[None]:
    """Leave out scikit-learn's checks of our own arrays: they take longer than a narrow model."""
    context: AbstractContextManager[None] = config_context(
        assume_finite=True, skip_parameter_validation=True
    )
    return context


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
        with warnings.catch_warnings(), _unchecked():
            # a solution short of the last digit ranks rows just as well, and AUC only needs ranks
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(self.distinct[held // 2], held % 2 == 1, sample_weight=counts[held])
        return model

    def scores(self, model: LinearSVC, rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Rank some of the rows."""
        with _unchecked():
            found: npt.NDArray[np.float64] = model.decision_function(self.distinct)
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
    rows = _Rows(train, train_positive)
    model = rows.fitted(_tuned_penalty(rows, train_positive, seed) if tuned else _PENALTY)
    with _unchecked():
        scores = model.decision_function(test.to_csr().astype(np.float64))
    return area_under_curve(test_positive, scores)


def _tuned_penalty(rows: _Rows, positive: npt.NDArray[np.bool_], seed: int) -> float:
    """Choose C on a small validation set, as the paper does."""
    if min(positive.sum(), (~positive).sum()) < 8:
        return _PENALTY
    rng = Streams(seed).generator("validation")
    held = np.zeros(len(positive), dtype=bool)
    for of_class in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        held[rng.permutation(of_class)[: max(2, len(of_class) // 4)]] = True
    best, best_auc = _PENALTY, -1.0
    for penalty in _PENALTIES:
        model = rows.fitted(penalty, ~held)
        auc = area_under_curve(positive[held], rows.scores(model, held))
        if auc > best_auc + 1e-12:
            best, best_auc = penalty, auc
    return best


Fold = tuple[BinaryMatrix, npt.NDArray[np.bool_], BinaryMatrix, npt.NDArray[np.bool_]]
_HELD = 4_000_000  # ones up to which the rows of every fold are held in memory


def cross_validated_auc(
    matrix: object, labels: object, *, folds: int = 5, seed: int = 0
) -> AucScore:
    """Score the features of a matrix as they stand (the paper's way once they are chosen)."""
    binary = as_binary(matrix)
    return FoldScores(binary, labels, folds=folds, seed=seed).of_features(np.arange(binary.d))


class FoldScores:
    """The folds of some rows, and the AUC of feature sets on them; equal sets are scored once.

    Parameters
    ----------
    matrix, labels : rows and two-class labels
        What is learned from.
    folds, seed : int
        Folds of the cross-validation and the seed that deals them.
    tuned : bool
        Whether the penalty of each SVM is tuned; without, scores only serve to compare feature sets.

    """

    def __init__(
        self, matrix: object, labels: object, *, folds: int = 5, seed: int = 0, tuned: bool = True
    ) -> None:
        self._matrix = as_binary(matrix)
        self._positive = as_classes(labels, self._matrix.n)
        self._splits = folds_of(self._positive, folds=folds, seed=seed)
        self._seed, self._tuned = seed, tuned
        self._held: dict[int, Fold] = {}
        self._known: dict[tuple[int, bytes], float] = {}

    def _fold(self, i: int) -> Fold:
        if i in self._held:
            return self._held[i]
        train, test = self._splits[i]
        rows, positive = self._matrix, self._positive
        fold = rows.take_rows(train), positive[train], rows.take_rows(test), positive[test]
        if len(rows.indices) <= _HELD:
            self._held[i] = fold
        return fold

    def nested(self, selector: Selector, *, done: Callable[[], None] | None = None) -> AucScore:
        """Score a selector: choose features, train and tune inside each training fold."""
        scores, counts = [], []
        for i in range(len(self)):
            score, count = self.in_fold(i, selector)
            scores.append(score)
            counts.append(count)
            if done is not None:
                done()
        return AucScore(tuple(scores), tuple(counts))

    def __len__(self) -> int:
        return len(self._splits)

    def in_fold(self, i: int, selector: Selector) -> tuple[float, int]:
        """Score a selector in one fold; return the AUC and the number of features chosen."""
        fold = self._fold(i)
        chosen = np.sort(clone(selector).fit(fold[0], fold[1]).selected_)
        return self._score(i, fold, chosen), len(chosen)

    def of_features(self, chosen: npt.NDArray[np.intp]) -> AucScore:
        """Score features that were chosen before (the paper's way)."""
        scores = [self._score(i, self._fold(i), chosen) for i in range(len(self))]
        return AucScore(tuple(scores), (len(chosen),) * len(scores))

    def _score(self, i: int, fold: Fold, chosen: npt.NDArray[np.intp]) -> float:
        key = i, chosen.tobytes()
        if key not in self._known:
            train, positive, test, real = fold
            if len(chosen) < train.d:
                train, test = train.project(chosen), test.project(chosen)
            self._known[key] = linear_svm_auc(
                train, positive, test, real, seed=self._seed, tuned=self._tuned
            )
        return self._known[key]


def nested_auc(
    matrix: object,
    labels: object,
    selector: Selector,
    *,
    folds: int = 5,
    seed: int = 0,
) -> AucScore:
    """Score a selector: choose features, train and tune inside each training fold, rank the rest."""
    return FoldScores(matrix, labels, folds=folds, seed=seed).nested(selector)


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
    n = len(target.values)
    if target.kind == "several":
        rare = int(np.bincount(target.values).min())
        if rare >= 2:
            folds = min(folds, rare)
            return _dealt(_stratified(target.values, folds, seed), folds)
    folds = min(folds, n)
    return _dealt(_shuffled(n, folds, seed), folds)


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
