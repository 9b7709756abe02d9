"""Containment beyond 0 and 1: each feature has a partial order, and rows must be above.

A row is hidden among k when #{r : r_j ≥ e_j for every chosen j} ≥ k. Binary 0 < 1 is k-AC; equality
only is k-anonymity; ordered values are thresholds. All three become binary literals: a value of an
equality column is a literal whose absence is risky, a threshold "≥ t" a plain one. The key lemma (the
AC is the smallest multiplicity of a maximal row) then holds for every mix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ....core.errors import DataError, ParameterError
from ..matrix.binary import BinaryMatrix, as_binary
from .patterns import Patterns

__all__ = ["absence_containment", "poset_containment", "poset_literals", "table_containment"]

KINDS = ("binary", "equality", "ordered")


def poset_literals(
    columns: object, kinds: Sequence[str]
) -> tuple[BinaryMatrix, npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Turn columns of whole numbers into literals: matrix, column of each literal, absence flags.

    >>> rows, column, risky = poset_literals([[0, 2], [1, 1]], ["binary", "ordered"])
    >>> rows.to_array().tolist(), column.tolist(), risky.tolist()
    ([[0, 1], [1, 0]], [0, 1], [False, False])
    """
    values = np.asarray(columns)
    if values.ndim != 2 or values.shape[1] != len(kinds):
        raise DataError("There must be one kind for each column.")
    literals, owner, risky = [], [], []
    for j, kind in enumerate(kinds):
        if kind not in KINDS:
            raise ParameterError.constraint("kinds", "poset_literals", f"of {KINDS}", kind)
        distinct = np.unique(values[:, j])
        if kind == "binary":
            if not np.isin(distinct, (0, 1)).all():
                raise DataError(f"Column {j} is binary and holds a value that is neither 0 nor 1.")
            made = [values[:, j] == 1]
        elif kind == "equality":
            made = [values[:, j] == v for v in distinct]
        else:  # the lowest threshold holds for every row and says nothing
            made = [values[:, j] >= t for t in distinct[1:]]
        literals += made
        owner += [j] * len(made)
        risky += [kind == "equality"] * len(made)
    dense = np.column_stack(literals) if literals else np.zeros((len(values), 0), dtype=bool)
    return as_binary(dense), np.array(owner, dtype=np.intp), np.array(risky, dtype=bool)


def poset_containment(columns: object, kinds: Sequence[str]) -> int:
    """Return the AC of a table whose columns are binary, equality or ordered.

    >>> poset_containment([[1, 3], [1, 3], [0, 2]], ["binary", "ordered"])
    2
    >>> poset_containment([[1, 3], [1, 3], [0, 2]], ["equality", "equality"])
    1
    """
    matrix, _, _ = poset_literals(columns, kinds)
    # with every value of an equality column a literal, holding the same literal is being equal
    return Patterns.of(matrix).smallest_maximal() if matrix.n else 0


def table_containment(path: object, ordered: Sequence[str], equal: Sequence[str]) -> int:
    """Return the AC of a CSV's columns: all are 0/1 but those named as ordered or known exactly.

    Parameters
    ----------
    path : path
        A CSV of whole numbers with a header.
    ordered, equal : sequence of str
        Columns of which someone knows a lower bound, and columns known exactly.

    """
    from ....data.table_source import TableSource

    source = TableSource.open(path)
    source.require([*ordered, *equal])
    kinds = [
        "ordered" if c in ordered else "equality" if c in equal else "binary"
        for c in source.columns
    ]
    table = source.query(f"SELECT * FROM {source.sql}")
    try:
        columns = np.column_stack(
            [np.array(table.column(c).to_pylist(), dtype=np.float64) for c in source.columns]
        )
    except (TypeError, ValueError):
        raise DataError(
            "The table holds values that are not numbers.", hint="code categories as numbers first."
        ) from None
    if not np.isfinite(columns).all():
        raise DataError("The table holds values that are missing.", hint="fill or drop them.")
    return poset_containment(columns, kinds)


def absence_containment(matrix: object, absence_risky: npt.ArrayLike) -> int:
    """Return the AC where, on the flagged features, absence is known too and rows must agree.

    With every feature flagged this is the k of plain k-anonymity.

    >>> absence_containment([[1, 1], [1, 0], [1, 1]], [False, True])
    1
    """
    binary = as_binary(matrix)
    flags = np.zeros(binary.d, dtype=bool)
    flags[np.asarray(absence_risky)] = True
    if binary.n == 0:
        return 0
    # rows that agree on the flagged features share their own literal: one more entry a row
    agreeing = Patterns.of(binary.project(np.flatnonzero(flags))).of_row
    shared = sp.csr_matrix(
        (np.ones(binary.n, dtype=np.uint8), (np.arange(binary.n), agreeing)),
        shape=(binary.n, int(agreeing.max()) + 1),
    )
    rest = binary.to_csr()[:, np.flatnonzero(~flags)]
    return Patterns.of(sp.hstack([rest, shared], format="csr")).smallest_maximal()
