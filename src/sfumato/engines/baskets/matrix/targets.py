"""What a release should help to predict: two classes, several classes, or a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from .binary import as_classes

__all__ = ["PredictionTarget", "as_target"]

_MOST_CLASSES = 20


@dataclass(frozen=True)
class PredictionTarget:
    """One value per row: class numbers, or numbers to predict.

    `positive` is the two-class form that selectors use: the greater class, the most common of several,
    or what is above the median.
    """

    kind: Literal["two", "several", "number"]
    values: npt.NDArray[Any]
    positive: npt.NDArray[np.bool_]

    @property
    def words(self) -> str:
        """What is measured, in words."""
        return {
            "two": "AUC of a linear SVM",
            "several": "AUC of linear SVMs, one class against the rest, mean over the classes",
            "number": "share of pairs that a ridge regression puts in the right order",
        }[self.kind]


def as_target(labels: object, n: int) -> PredictionTarget:
    """Check labels and find out what kind of target they are.

    >>> as_target(["a", "b", "a", "c"], 4).kind, as_target([0, 1, 1, 0], 4).kind
    ('several', 'two')
    """
    array = np.asarray(labels)
    if array.ndim != 1 or len(array) != n or len(np.unique(array)) <= 2:
        positive = as_classes(labels, n)
        return PredictionTarget("two", positive.astype(np.int64), positive)
    try:
        numbers = array.astype(np.float64)
    except ValueError:
        numbers = None
    if numbers is not None and not np.isfinite(numbers).all():
        raise DataError("Some labels are missing (NaN).", hint="drop those rows or label them.")
    distinct, codes = np.unique(array, return_inverse=True)
    if numbers is not None and len(distinct) > _MOST_CLASSES:
        return PredictionTarget("number", numbers, numbers > np.median(numbers))
    if len(distinct) > _MOST_CLASSES:
        raise DataError(
            f"The labels have {len(distinct)} classes, and up to {_MOST_CLASSES} are taken.",
            hint="merge classes, or give numbers to predict.",
        )
    return PredictionTarget("several", codes, codes == np.bincount(codes).argmax())
