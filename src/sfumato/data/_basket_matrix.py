"""Rows of zeros and ones with names and labels, checked when they are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ..core.errors import DataError
from ..core.printing import has_controls
from .shuffling import RowPlaces

__all__ = ["Baskets", "check_labels", "check_names", "check_rows", "default_names", "token"]


@dataclass(frozen=True, repr=False)
class Baskets:
    """Rows of a 0/1 matrix, the names of its features and, where known, a label a row.

    >>> baskets = Baskets.of([[1, 0], [1, 1]], labels=["a", "b"], feature_names=["tea", "milk"])
    >>> baskets, baskets.feature_names
    (<Baskets: 2 rows, 2 features, 3 ones, 2 labels>, ('tea', 'milk'))
    """

    matrix: sp.csr_matrix
    feature_names: tuple[str, ...]
    labels: tuple[str, ...] | None = None
    format: str = "npz"
    label_column: str | None = None
    files: tuple[Path, ...] = field(default=(), compare=False)
    above: sp.csr_matrix | None = field(default=None, compare=False)
    """Which columns are categories of which (a 1 at item, category); None without a hierarchy."""
    units: npt.NDArray[np.object_] | npt.NDArray[np.int64] | None = field(
        default=None, compare=False
    )
    """The people (or baskets) that the rows are about, by name, or by number."""

    def __repr__(self) -> str:
        rows, columns = self.matrix.shape
        labels = "" if self.labels is None else f", {len(set(self.labels)):,} labels"
        return f"<Baskets: {rows:,} rows, {columns:,} features, {self.matrix.nnz:,} ones{labels}>"

    @classmethod
    def of(
        cls,
        matrix: object,
        *,
        labels: Iterable[object] | None = None,
        feature_names: Sequence[str] | None = None,
        format: str = "npz",  # noqa: A002 (the word of the field)
        label_column: str | None = None,
    ) -> Baskets:
        """Build from an array, a scipy matrix or a frame whose columns name the features."""
        if feature_names is None and hasattr(matrix, "columns"):
            feature_names = [str(c) for c in matrix.columns]
        if hasattr(matrix, "to_numpy"):
            matrix = matrix.to_numpy()
        rows = sp.csr_matrix(_sound(matrix))
        names = tuple(feature_names) if feature_names is not None else default_names(rows.shape[1])
        if len(names) != rows.shape[1]:
            raise DataError(f"There are {len(names)} feature names for {rows.shape[1]} features.")
        check_names(names)
        tokens = None if labels is None else tuple(token(v) for v in labels)
        if tokens is not None and len(tokens) != rows.shape[0]:
            raise DataError(
                f"There are {len(tokens)} labels for {rows.shape[0]} rows.",
                hint="give one label a row, in the order of the rows.",
            )
        return cls(check_rows(rows), names, tokens, format, label_column)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def project(self, features: Sequence[str]) -> Baskets:
        """Keep the named features only, in the order of the input."""
        wanted = set(features)
        unknown = wanted.difference(self.feature_names)
        if unknown and self.format in {"npz", "csv"}:
            raise DataError(
                f"{len(unknown)} of the {len(wanted)} chosen features are not in the data.",
                hint="publish data of the same schema as was explored.",
            )
        keep = [i for i, name in enumerate(self.feature_names) if name in wanted]
        names = tuple(self.feature_names[i] for i in keep)
        return replace(self, matrix=self.matrix[:, keep], feature_names=names, above=None)

    def shuffled(self, seed: int) -> Baskets:
        """Put the rows into an order that depends on them and on a private seed alone."""
        place = RowPlaces(seed, self.matrix.shape[1])
        order = np.argsort(
            place(self.matrix.indptr, self.matrix.indices, self.labels), kind="stable"
        )
        labels = None if self.labels is None else tuple(self.labels[i] for i in order.tolist())
        units = None if self.units is None else self.units[order]
        return replace(self, matrix=self.matrix[order], labels=labels, units=units)


def _sound(matrix: object) -> Any:
    """Refuse a sparse matrix whose indices or pointers lead outside it."""
    if sp.issparse(matrix) and hasattr(matrix, "check_format"):
        try:
            matrix.check_format(full_check=True)
        except (ValueError, IndexError, RuntimeError):
            raise DataError("The matrix has an index or a pointer outside its bounds.") from None
    try:
        dimensions = np.ndim(matrix)  # type: ignore[arg-type]
    except ValueError:
        raise DataError("The rows of the matrix differ in length.") from None
    if dimensions > 2:
        raise DataError(
            f"The matrix has {dimensions} dimensions.",
            hint="give rows and columns: one row for each person.",
        )
    return matrix


def token(value: object) -> str:
    return str(value.item() if isinstance(value, np.generic) else value)


def default_names(d: int) -> tuple[str, ...]:
    return tuple(f"f{i}" for i in range(d))


def check_names(names: Sequence[str]) -> None:
    """Refuse duplicate or empty feature names: a release must say which column is which."""
    repeated = len(names) - len(set(names))
    if repeated:
        raise DataError(
            f"{repeated} feature name{'s are' if repeated > 1 else ' is'} used more than once.",
            hint="give each feature a different name.",
        )
    if any(not name for name in names):
        raise DataError("A feature has an empty name.", hint="name every feature.")
    strange = sum(map(has_controls, names))
    if strange:
        raise DataError(
            f"{strange} feature name{'s hold' if strange > 1 else ' holds'} a control character.",
            hint="rename the features.",
        )


def check_labels(labels: Iterable[str], classes: Collection[str], *, first: int = 1) -> None:
    """Refuse labels that are not among the classes that were explored; they could say anything.

    Parameters
    ----------
    labels : iterable of str
        The labels of rows that follow one another.
    classes : collection of str
        The classes that may be published.
    first : int, default=1
        The number of the first of the rows.

    """
    wrong = [row for row, label in enumerate(labels, first) if label not in classes]
    if wrong:
        raise DataError(
            f"{len(wrong):,} labels are not among the classes that were explored (the first is that "
            f"of row {wrong[0]:,}); nothing was published.",
            hint="explore this data, or correct its labels.",
        )


def check_rows(rows: sp.csr_matrix) -> sp.csr_matrix:
    """Check for 0/1 and bring the rows into one form: uint8 ones, sorted, no stored zero."""
    wrong = int(np.count_nonzero((rows.data != 0) & (rows.data != 1)))
    if wrong:
        raise DataError(
            f"The matrix holds {wrong} value{'s that are' if wrong > 1 else ' that is'} neither 0 "
            "nor 1.",
            hint="turn counts and categories into columns of 0 and 1 first.",
        )
    rows = sp.csr_matrix(rows, copy=not rows.has_canonical_format)
    rows.sum_duplicates()
    if rows.data.size and not np.all(rows.data):
        rows = rows.copy()
        rows.eliminate_zeros()
    rows = rows.astype(np.uint8)
    rows.data[:] = 1
    return rows
