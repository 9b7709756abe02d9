"""What analysts lose, as a release keeps it: figures before and after, and the margins of columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...core.records import ColumnName, HouseRecord, Name, Sentence

__all__ = ["AnalysisRecord", "FigureRecord", "MarginRecord", "bounds_of_errors"]

_LEAST_PUBLIC = 1_000  # records from which no single one moves a mean error by much


class FigureRecord(HouseRecord):
    """One figure of an analysis, before and after a policy.

    `of` names the columns that it is about; `before` and `after` are its values in the table as it is, and in the
    release. `scale` is what a difference is measured in: the standard deviation of a mean's column or of an estimate's
    error, else 1. `low` and `high` are the 95 % interval of a coefficient before.
    """

    kind: Name
    of: Sentence
    before: float
    after: float
    scale: float = 1.0
    low: float | None = None
    high: float | None = None

    @property
    def error(self) -> float:
        """The difference, in units of the scale."""
        return abs(self.after - self.before) / self.scale if self.scale > 0 else 0.0


class MarginRecord(HouseRecord):
    """The shares of a column's values before, and as the release shows them; `numbers` where they are."""

    column: ColumnName
    before: tuple[float, ...]
    after: tuple[float, ...]
    numbers: tuple[float, ...] = ()


class AnalysisRecord(HouseRecord):
    """All figures of a release, and the margins of its columns."""

    figures: tuple[FigureRecord, ...]
    margins: tuple[MarginRecord, ...] = ()
    explained: ColumnName | None = None
    """The column that the others explain in the regression."""


def bounds_of_errors(figures: Sequence[FigureRecord], records: int) -> Mapping[str, float]:
    """Return by kind of figure what its mean error is below, of the series 1, 2, 5: what anybody may know.

    It is empty for small tables, where a single record would move the errors.

    >>> figures = [FigureRecord(kind="mean", of="age", before=40.0, after=40.5, scale=20.0)]
    >>> bounds_of_errors(figures, 5000), bounds_of_errors(figures, 500)
    ({'mean': 0.05}, {})
    """
    if records < _LEAST_PUBLIC:
        return {}
    found: dict[str, list[float]] = {}
    for figure in figures:
        found.setdefault(figure.kind, []).append(figure.error)
    return {kind: _above(sum(errors) / len(errors)) for kind, errors in found.items()}


def _above(value: float) -> float:
    """Return the least of 0.01, 0.02, 0.05, 0.1 … that is above a number."""
    step = 0.01
    while step <= value and math.isfinite(value):
        step = float(f"{step * (2.5 if f'{step:e}'[0] == '2' else 2):.1g}")
    return step
