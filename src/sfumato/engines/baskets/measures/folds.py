"""Rows assigned to the folds of a cross-validation, as scikit-learn does but without its checks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts
from ....core.errors import DataError
from ....core.randomness import Streams

__all__ = ["Rows", "folds_of", "shuffle", "splits_of", "stratify"]

Rows = npt.NDArray[np.intp]


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
    return splits_of(stratify(positive, folds, seed), folds)


def _dealer(seed: int) -> np.random.RandomState:
    return np.random.RandomState(Streams(seed).seed_of("folds") % (2**32))


def stratify(classes: npt.NDArray[np.generic], folds: int, seed: int) -> Counts:
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


def shuffle(n: int, folds: int, seed: int) -> Counts:
    """Deal rows to folds at random, as `KFold` does."""
    order = np.arange(n)
    _dealer(seed).shuffle(order)
    fold = np.empty(n, dtype=np.int64)
    fold[order] = np.arange(folds).repeat([len(part) for part in np.array_split(order, folds)])
    return fold


def splits_of(fold: Counts, folds: int) -> list[tuple[Rows, Rows]]:
    """Return the training and the test rows of each fold."""
    return [(np.flatnonzero(fold != i), np.flatnonzero(fold == i)) for i in range(folds)]
