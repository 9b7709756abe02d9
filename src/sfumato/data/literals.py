"""Columns of a table as binary literals: values, intervals with explicit bins, thresholds.

The one-hot trap: when only some values of a column are published, a row that has none of them shows by
that very absence that it has another one. So every unlisted value falls into a literal of its own,
"other", missing cells into "missing", and the literals of a column of exclusive values are flagged:
selectors then treat their absence as known (`absence_risky`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ..core.errors import DataError, ParameterError
from .baskets import Baskets

__all__ = ["Bins", "Flag", "Literals", "OneOf", "Thresholds", "literals"]


@dataclass(frozen=True)
class OneOf:
    """A literal for each listed value, and "other" for the rest."""

    values: Sequence[object]


@dataclass(frozen=True)
class Bins:
    """A literal for each interval between cut points: (−∞, a], (a, b], …, (z, ∞)."""

    cuts: Sequence[float]


@dataclass(frozen=True)
class Thresholds:
    """A literal "> cut" for each cut point: ordered values, where more is more."""

    cuts: Sequence[float]


@dataclass(frozen=True)
class Flag:
    """One literal: the cell equals the value. Its absence is not taken as known."""

    value: object


@dataclass(frozen=True)
class Literals:
    """Literals of a table: the matrix, a name and a column each, and which absences are risky."""

    baskets: Baskets
    columns: tuple[str, ...]
    absence_risky: npt.NDArray[np.bool_]


class Columns(Protocol):
    """Cells by the name of a column: a mapping, or a frame (which has `columns`)."""

    def __getitem__(self, name: str, /) -> Iterable[object]: ...

    def __iter__(self) -> Iterator[object]: ...


Rule = OneOf | Bins | Thresholds | Flag


def literals(
    table: Columns, rules: Mapping[str, Rule], *, labels: str | Iterable[object] | None = None
) -> Literals:
    """Turn named columns into literals; columns without a rule are left out.

    >>> made = literals({"age": [20, 30, None], "pay": ["low", "high", "mid"]},
    ...                 {"age": Bins([25]), "pay": OneOf(["low"])})
    >>> made.baskets.feature_names
    ('age<=25', 'age>25', 'age=missing', 'pay=low', 'pay=other')
    >>> made.baskets.matrix.toarray().tolist()
    [[1, 0, 0, 1, 0], [0, 1, 0, 0, 1], [0, 0, 1, 0, 1]]
    """
    names: list[str] = []
    owner: list[str] = []
    risky: list[bool] = []
    masks: list[npt.NDArray[np.bool_]] = []
    known = [str(c) for c in (table.columns if hasattr(table, "columns") else table)]
    for column, rule in rules.items():
        if column not in known:
            raise DataError(
                f"There is no column {column!r}.",
                hint=f"the table has {len(known):,} columns; check their names.",
            )
        cells = list(table[column])
        for name, mask in _made(column, rule, cells):
            names.append(name)
            owner.append(column)
            risky.append(not isinstance(rule, Thresholds | Flag))
            masks.append(mask)
    if not masks:
        raise ParameterError("No column was given a rule.", hint="give at least one.")
    matrix = sp.csr_matrix(np.column_stack(masks).astype(np.uint8))
    own = list(table[labels]) if isinstance(labels, str) else labels
    return Literals(
        Baskets.of(matrix, labels=own, feature_names=names, format="csv", label_column="label")
        if own is not None
        else Baskets.of(matrix, feature_names=names, format="csv"),
        tuple(owner),
        np.array(risky, dtype=bool),
    )


def _is_missing(cell: object) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


def _made(column: str, rule: Rule, cells: list[object]) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    missing = np.array([_is_missing(c) for c in cells], dtype=bool)
    made: list[tuple[str, npt.NDArray[np.bool_]]] = []
    if isinstance(rule, Flag):
        return [(f"{column}={rule.value}", np.array([c == rule.value for c in cells], dtype=bool))]
    if isinstance(rule, OneOf):
        if len(set(rule.values)) < len(rule.values) or not rule.values:
            raise ParameterError.constraint(
                "values", f"OneOf for {column!r}", "distinct and not empty", list(rule.values)
            )
        other = ~missing
        for value in rule.values:
            mask = np.array([c == value for c in cells], dtype=bool) & ~missing
            other &= ~mask
            made.append((f"{column}={value}", mask))
        if other.any():
            made.append((f"{column}=other", other))
    else:
        numbers = _numbers(column, cells, missing)
        cuts = [float(c) for c in rule.cuts]
        if not cuts or any(b <= a for a, b in pairwise(cuts)):
            raise ParameterError.constraint(
                "cuts", f"{type(rule).__name__} for {column!r}", "rising and not empty", cuts
            )
        if isinstance(rule, Thresholds):
            made = [(f"{column}>{c:g}", ~missing & (numbers > c)) for c in cuts]
        else:
            made.append((f"{column}<={cuts[0]:g}", ~missing & (numbers <= cuts[0])))
            for a, b in pairwise(cuts):
                made.append((f"{column}({a:g},{b:g}]", ~missing & (numbers > a) & (numbers <= b)))
            made.append((f"{column}>{cuts[-1]:g}", ~missing & (numbers > cuts[-1])))
    if missing.any():
        made.append((f"{column}=missing", missing))
    return made


def _numbers(
    column: str, cells: list[Any], missing: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    out = np.zeros(len(cells))
    for i, cell in enumerate(cells):
        if missing[i]:
            continue
        try:
            out[i] = float(cell)
        except (TypeError, ValueError):
            raise DataError(
                f"Column {column!r} holds a cell that is not a number (row {i + 1}).",
                hint="use OneOf for categories.",
            ) from None
    return out
