"""A binary matrix in the form that the kernels need: rows as sorted features, values checked to be 0 or 1."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ....core.errors import DataError
from . import _kernels as kernels

__all__ = ["BinaryMatrix", "as_binary", "as_classes"]


@dataclass(frozen=True)
class BinaryMatrix:
    """Rows of a 0/1 matrix as CSR without values.

    >>> BinaryMatrix.of([[1, 0, 1], [0, 0, 1]]).shape
    (2, 3)
    """

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    d: int

    @classmethod
    def of(cls, matrix: object) -> BinaryMatrix:
        """Take a scipy matrix, an array, a frame or anything with a `.matrix`."""
        return as_binary(matrix)

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    @property
    def shape(self) -> tuple[int, int]:
        return self.n, self.d

    @cached_property
    def supports(self) -> npt.NDArray[np.int64]:
        """How many rows hold each feature."""
        return np.bincount(self.indices, minlength=self.d).astype(np.int64)

    @cached_property
    def columns(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The transpose: rows of feature f are rows[start[f]:start[f + 1]]."""
        return self.columns_of(np.arange(self.d, dtype=np.int32))

    def columns_of(
        self, features: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Transpose the given features only, in the given order."""
        start, rows = kernels.columns_of(self.indptr, self.indices, features, self.d, self.supports)
        return start, rows

    def class_supports(
        self, positive: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """How many positive and negative rows hold each feature."""
        counted = kernels.class_supports(self.indptr, self.indices, positive, self.d)
        held_p, held_q = (held.astype(np.int64) for held in counted)
        self.__dict__.setdefault("supports", held_p + held_q)  # known now: not counted again
        return held_p, held_q

    def project(self, features: npt.ArrayLike) -> BinaryMatrix:
        """Keep the given features only, renumbered in the given order."""
        chosen = np.asarray(features, dtype=np.int64)
        return as_binary(self.to_csr()[:, chosen])

    def take_rows(self, rows: npt.ArrayLike) -> BinaryMatrix:
        """Keep the given rows only."""
        return as_binary(self.to_csr()[np.asarray(rows)])

    def to_csr(self) -> sp.csr_matrix:
        """Return the scipy form (uint8)."""
        data = np.ones(len(self.indices), dtype=np.uint8)
        return sp.csr_matrix((data, self.indices, self.indptr), shape=self.shape)

    def to_array(self) -> npt.NDArray[np.uint8]:
        """Return the dense form; for small matrices."""
        dense: npt.NDArray[np.uint8] = self.to_csr().toarray()
        return dense


def as_binary(matrix: object) -> BinaryMatrix:
    """Check that a matrix is two-dimensional and holds 0 and 1 only, and bring it into rows.

    >>> as_binary([[0, 2]])
    Traceback (most recent call last):
    sfumato.core.errors.DataError: The matrix holds 1 value that is neither 0 nor 1. Hint: turn counts \
and categories into columns of 0 and 1 first.
    """
    if isinstance(matrix, BinaryMatrix):
        return matrix
    if hasattr(matrix, "matrix") and sp.issparse(matrix.matrix):
        matrix = matrix.matrix
    rows: Any
    if sp.issparse(matrix):
        given: Any = matrix
        rows = given if given.format == "csr" else given.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        values = rows.data
    else:
        dense = np.asarray(matrix)
        if dense.ndim != 2:
            raise DataError(f"A matrix has two dimensions. Got {dense.ndim}.")
        if dense.dtype.kind not in "biuf":
            try:
                dense = dense.astype(np.float64)
            except (TypeError, ValueError):
                raise DataError(
                    "The matrix holds values that are not numbers.",
                    hint="turn categories into columns of 0 and 1 first.",
                ) from None
        rows = sp.csr_matrix(dense)
        values = rows.data
    if (
        values.dtype != np.bool_ and values.size and not 0 <= values.min() <= values.max() <= 1
    ) or (values.dtype.kind == "f"):
        wrong = int(np.count_nonzero((values != 1) & (values != 0)))
        if wrong:
            raise DataError(
                f"The matrix holds {wrong} value{'s' * (wrong > 1)} that "
                f"{'are' if wrong > 1 else 'is'} neither 0 nor 1.",
                hint="turn counts and categories into columns of 0 and 1 first.",
            )
    if values.size and not values.min():
        rows = rows.copy()
        rows.eliminate_zeros()
    return BinaryMatrix(
        np.ascontiguousarray(rows.indptr, dtype=np.int64),
        np.ascontiguousarray(rows.indices, dtype=np.int32),
        int(rows.shape[1]),
    )


def as_classes(labels: object, n: int) -> npt.NDArray[np.bool_]:
    """Check labels: one a row, exactly two classes; True is the greater of the two.

    >>> as_classes(["ham", "spam", "ham"], 3).tolist()
    [False, True, False]
    """
    if labels is None:
        raise DataError(
            "There are no labels, and a class to predict is needed here.",
            hint="give --labels FILE (one label a line) or labels=….",
        )
    array = np.asarray(labels)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or len(array) != n:
        raise DataError(
            f"There are {len(array) if array.ndim else 0} labels for {n} rows.",
            hint="give one label a row, in the order of the rows.",
        )
    if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
        raise DataError("Some labels are missing (NaN).", hint="drop those rows or label them.")
    if array.dtype.kind == "O":
        array = np.array([str(v) for v in array])
    if array.dtype.kind in "biu" and len(array):  # the usual labels, without sorting them
        low, high = array.min(), array.max()
        positive: npt.NDArray[np.bool_] = array == high
        if low != high and np.all(positive | (array == low)):
            return positive
    classes = np.unique(array)
    if array.dtype.kind in "US":
        with suppress(ValueError):  # "+1" and "-1" are ordered as the numbers they are
            classes = classes[np.argsort(classes.astype(np.float64), kind="stable")]
    if len(classes) != 2:
        raise DataError(
            f"The labels have {len(classes)} distinct value{'s' * (len(classes) != 1)}, and two "
            "classes are needed.",
            hint="a class without examples cannot be learned; merge classes if there are more.",
        )
    return np.asarray(array == classes[1], dtype=bool)
