"""What all selectors share: scikit-learn's forms, checked parameters, a feasible answer."""

from __future__ import annotations

import numbers
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ....core.errors import DataError, ParameterError
from ..matrix.binary import BinaryMatrix, as_binary, as_classes

__all__ = ["ContainmentSelector"]


def _is_plain(X: object, y: object) -> bool:
    """Return whether rows are scipy CSR of whole numbers and labels an array of whole numbers."""
    if not isinstance(X, sp.csr_matrix | sp.csr_array):
        return False
    return bool(
        X.ndim == 2
        and X.dtype.kind in "biu"
        and X.shape[0] >= 2
        and X.shape[1] >= 1
        and isinstance(y, np.ndarray)
        and y.ndim == 1
        and y.dtype.kind in "biu"
        and len(y) == X.shape[0]
    )


class ContainmentSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """A feature selector whose selection is k-anonymous by containment on the rows it was fitted on.

    Fitted: `support_` (mask), `selected_` (indices in the order chosen), `n_features_in_`,
    `classes_`. `binarize` is a threshold above which a value counts as 1; None (the default) takes 0
    and 1 only and refuses the rest. On fewer rows than k no set is feasible and fitting raises; an empty selection is
    possible (no feature is safe) and `transform` then gives a matrix without columns.
    """

    k: int
    binarize: float | None

    def fit(self, X: object, y: object) -> Self:
        """Choose features on rows X with two-class labels y."""
        k: object = self.k
        if not isinstance(k, numbers.Integral) or int(k) < 1:
            raise ParameterError.constraint("k", type(self).__name__, "an int in [1, inf)", self.k)
        self._check_parameters()
        if isinstance(X, BinaryMatrix):
            matrix = X
            positive = as_classes(y, X.n)
            self.n_features_in_ = X.d
            self.classes_ = np.unique(np.asarray(y))
        elif _is_plain(X, y) and self.binarize is None:
            # rows and labels that need no conversion: only what scikit-learn would record is kept
            matrix = as_binary(X)
            positive = as_classes(y, matrix.n)
            self.n_features_in_ = matrix.d
            self.__dict__.pop("feature_names_in_", None)
            labels = np.asarray(y)
            self.classes_ = np.array([labels.min(), labels.max()])
        else:
            if y is None:
                raise ValueError(
                    f"{type(self).__name__} requires y to be passed, but the target y is None."
                )
            try:
                rows, classes = validate_data(self, X, y, accept_sparse="csr", ensure_min_samples=2)
            except ValueError as error:
                if "could not convert" not in str(error):
                    raise
                raise DataError(  # scikit-learn's message would show the value
                    "The matrix holds values that are not numbers.",
                    hint="turn categories into columns of 0 and 1 first.",
                ) from None
            matrix = as_binary(rows if self.binarize is None else self.binarize < rows)
            self.classes_, code = np.unique(classes, return_inverse=True)
            if len(self.classes_) != 2:
                check_classification_targets(classes)
                raise ValueError(
                    "Only binary classification is supported. The type of the target is "
                    f"{type_of_target(classes)}."
                    if len(self.classes_) > 2
                    else "The labels have 1 class, and two classes are needed."
                )
            positive = code == 1
        if matrix.n < self.k:
            raise DataError(
                f"k = {self.k} is larger than the number of rows ({matrix.n}).",
                hint="no selection of features can hide a row among more rows than there are.",
            )
        chosen = self._select(matrix, positive)
        self.selected_: npt.NDArray[np.intp] = np.asarray(chosen, dtype=np.intp)
        self.support_: npt.NDArray[np.bool_] = np.zeros(matrix.d, dtype=bool)
        self.support_[self.selected_] = True
        return self

    def _check_parameters(self) -> None:
        """Check what the subclass adds."""

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        raise NotImplementedError

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.categorical = False
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags
