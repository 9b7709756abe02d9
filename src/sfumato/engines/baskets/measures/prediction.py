"""The utility of a selection: the AUC of a linear SVM, with nested cross-validation.

The headline is nested: features are chosen inside each training fold, so no label of a test row helps
to choose them. The paper's way (features chosen once on all labels) is given for comparison.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit
from sklearn.base import clone
from sklearn.linear_model import Ridge

from ....core.measures import Interval
from ....core.randomness import Streams
from ..matrix.binary import BinaryMatrix, as_binary, as_classes
from ..matrix.targets import PredictionTarget
from .folds import Rows, folds_of, shuffle, splits_of, stratify
from .linear_svm import linear_svm_auc

__all__ = [
    "AucScore",
    "FoldScores",
    "cross_validated_auc",
    "nested_auc",
    "score_release",
]


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


Fold = tuple[BinaryMatrix, npt.NDArray[np.bool_], BinaryMatrix, npt.NDArray[np.bool_]]
_HELD = 4_000_000  # ones up to which the rows of every fold are held in memory


def cross_validated_auc(
    matrix: object, labels: object, *, folds: int = 5, seed: int = 0
) -> AucScore:
    """Score the features of a matrix unchanged (the paper's way once they are chosen)."""
    binary = as_binary(matrix)
    return FoldScores(binary, labels, folds=folds, seed=seed).of_features(np.arange(binary.d))


class FoldScores:
    """The folds of some rows, and the AUC of feature sets on them; equal sets are scored once.

    Parameters
    ----------
    matrix, labels : rows and two-class labels
        What is learned from.
    folds, seed : int
        Folds of the cross-validation and the seed that assigns rows to them.
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

    def score_selector(
        self, selector: Selector, *, done: Callable[[], None] | None = None
    ) -> AucScore:
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
    return FoldScores(matrix, labels, folds=folds, seed=seed).score_selector(selector)


Release = Callable[
    [BinaryMatrix, npt.NDArray[np.bool_]], tuple[BinaryMatrix, npt.NDArray[np.bool_]]
]


def score_release(
    matrix: BinaryMatrix,
    target: PredictionTarget,
    release: Release,
    *,
    folds: int = 5,
    seed: int = 0,
    done: Callable[[], None] | None = None,
) -> AucScore:
    """Score a method: release the training rows, learn from the release, rank real rows.

    Parameters
    ----------
    matrix : BinaryMatrix
        The original rows.
    target : Target
        What is predicted.
    release : callable
        Returns what is published of some rows, in their shape, and which rows were published at all.
    folds, seed : int
        Folds of the cross-validation and the seed that assigns rows to them.
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


def _splits(target: PredictionTarget, folds: int, seed: int) -> list[tuple[Rows, Rows]]:
    if target.kind == "two":
        return folds_of(target.positive, folds=folds, seed=seed)
    n = len(target.values)
    if target.kind == "several":
        rare = int(np.bincount(target.values).min())
        if rare >= 2:
            folds = min(folds, rare)
            return splits_of(stratify(target.values, folds, seed), folds)
    folds = min(folds, n)
    return splits_of(shuffle(n, folds, seed), folds)


def _score(
    published: BinaryMatrix,
    target: PredictionTarget,
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
