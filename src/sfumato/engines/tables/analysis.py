"""What analysts lose: means, quartiles, proportions, correlations and a regression, before and after a policy.

Somebody who has only the release takes the values of an interval as spread evenly over it: a number as the middle of
its interval, a name as any of the names of its interval. Suppression and treated columns are not looked at. The figures are of the raw table,
for the steward alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ...core.arrays import Floats
from ...core.display import html_table
from ...core.errors import DataError, ParameterError, did_you_mean
from ...data.table import Table
from ...data.table_source import TableSource
from .analysis_columns import AnalysedColumn, ExplainedColumn, count_columns, sampled_rows
from .analysis_records import AnalysisRecord, FigureRecord, MarginRecord
from .payload import TablesPayload
from .space.policy import Policy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AnalystLoss", "compare_analyses", "compared_columns", "explained_column"]

_QUARTILES = (0.25, 0.5, 0.75)
_MOST_NAMES = 12  # values of a column up to which it enters a regression, one indicator less
_NORMAL = 1.959964  # quantile of the normal distribution for a 95 % interval
_MOST_VALUES = 200  # values of a column of names up to which a release keeps its figures


@dataclass(frozen=True)
class AnalystLoss:
    """All figures of an analysis, before and after a policy."""

    figures: tuple[FigureRecord, ...]
    constant: tuple[str, ...]
    margins: tuple[MarginRecord, ...] = ()

    def mean_error(self, kind: str) -> float | None:
        """Return the mean difference of a kind of figures; None where there is none."""
        found = [figure.error for figure in self.figures if figure.kind == kind]
        return float(np.mean(found)) if found else None

    def to_frame(self) -> pd.DataFrame:
        """Return one row a figure."""
        import pandas as pd

        names = ("kind", "of", "before", "after", "low", "high")
        rows = [{n: getattr(figure, n) for n in names} for figure in self.figures]
        return pd.DataFrame(rows, columns=list(names))

    def to_record(self, explained: str | None) -> AnalysisRecord:
        """Return what a release keeps of it."""
        return AnalysisRecord(figures=self.figures, margins=self.margins, explained=explained)

    def __repr__(self) -> str:
        kinds = dict.fromkeys(figure.kind for figure in self.figures)
        said = ", ".join(f"{kind}s off by {self.mean_error(kind):.3g}" for kind in kinds)
        return f"<what analysts lose: {said}>"

    def _repr_html_(self) -> str:
        rows = [(f"{f.kind} of {f.of}", f"{f.before:.4g} → {f.after:.4g}") for f in self.figures]
        return html_table("what analysts lose", rows)


def compare_analyses(
    payload: TablesPayload,
    policy: Policy,
    data: object,
    *,
    columns: Sequence[str] | None = None,
    target: str | ExplainedColumn | None = None,
    table: Table | None = None,
) -> AnalystLoss:
    """Compute figures of a table before and after a policy.

    Parameters
    ----------
    payload : TablesPayload
        The schema and the lattice that were explored.
    policy : Policy
        The policy.
    data : path or frame
        The table.
    columns : sequence of str, optional
        Quasi-identifiers to look at; all without.
    target : str, optional
        A column of numbers, or with two values, to be explained by the others in a linear regression; of a
        quasi-identifier the values before the release are explained.
    table : Table, optional
        The table as it was read already.

    """
    names = policy.lattice.names
    wanted = tuple(names if columns is None else columns)
    for name in wanted:
        if name not in names:
            raise ParameterError(
                f"There is no quasi-identifier {name!r}.", hint=did_you_mean(name, names)
            )
    opened = TableSource.open(data)
    found = count_columns(opened, payload, policy, wanted, table) if wanted else []
    figures: list[FigureRecord] = []
    for column in found:
        figures += _of_numbers(column) if column.numbers is not None else _of_names(column)
    numeric = [column for column in found if column.numbers is not None]
    figures += [_correlation(a, b) for a, b in combinations(numeric, 2)]
    if target is not None:
        if isinstance(target, str):
            target = ExplainedColumn.of(opened, payload, target)
        used = [
            c
            for c in found
            if c.name != target.name and (c.numbers is not None or len(c.domain) <= _MOST_NAMES)
        ]
        if used:
            rows = sampled_rows(opened, payload, used, target)
            units = [1.0 if c.numbers is None else c.deviation or 1.0 for c in used]
            figures += _regression(*rows, units, target.name)
    constant = tuple(c.name for c in found if c.interval.max() == 0 and len(c.domain) > 1)
    margins = tuple(column.margin for column in found)
    return AnalystLoss(tuple(figures), constant, margins)


def compared_columns(policy: Policy) -> list[str]:
    """Return the quasi-identifiers that a release keeps figures of: not those with very many values."""
    lattice = policy.lattice
    return [
        n
        for n, domain in zip(lattice.names, lattice.domains, strict=True)
        if len(domain) <= _MOST_VALUES
    ]


def explained_column(payload: TablesPayload, data: object) -> ExplainedColumn | None:
    """Return the column that a regression may explain: the target, or the first sensitive column that can be."""
    opened = TableSource.open(data)
    named = [payload.target] if payload.target is not None else payload.schema.names("sensitive")
    for name in named:
        if name in opened.columns and name not in payload.lattice.names:
            try:
                found = ExplainedColumn.of(opened, payload, name)
            except DataError:
                continue
            if found.has_values:
                return found
    return None


def _of_numbers(column: AnalysedColumn) -> list[FigureRecord]:
    assert column.numbers is not None
    before, after = column.shares, column.spread(column.shares)
    numbers = column.numbers
    deviation = math.sqrt(max(float(before @ numbers**2 - (before @ numbers) ** 2), 0.0))
    found = [
        FigureRecord(
            kind="mean",
            of=column.name,
            before=float(before @ numbers),
            after=float(after @ numbers),
            scale=deviation,
        )
    ]
    order = np.argsort(numbers, kind="stable")
    for share in _QUARTILES:
        low, high = (
            float(numbers[order][np.searchsorted(np.cumsum(shares[order]), share - 1e-12)])
            for shares in (before, after)
        )
        of = f"{column.name}, {share:g}"
        found.append(FigureRecord(kind="quartile", of=of, before=low, after=high, scale=deviation))
    return found


def _of_names(column: AnalysedColumn) -> list[FigureRecord]:
    before, after = column.shares, column.spread(column.shares)
    return [
        FigureRecord(
            kind="proportion", of=f"{column.name}, value {i + 1}", before=float(before[i]),
            after=float(after[i]),
        )
        for i in range(len(column.domain))
    ]  # fmt: skip


def _correlation(a: AnalysedColumn, b: AnalysedColumn) -> FigureRecord:
    known = (a.codes >= 0) & (b.codes >= 0)
    count = a.count[known]
    ends = []
    for released in (False, True):
        x, y = a.values(after=released)[known], b.values(after=released)[known]
        if count.sum() < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
            ends.append(0.0)
            continue
        x, y = (v - np.average(v, weights=count) for v in (x, y))
        shared = float(count @ (x * y)) / math.sqrt(float(count @ x**2) * float(count @ y**2))
        ends.append(min(max(shared, -1.0), 1.0))
    before, after = ends
    return FigureRecord(kind="correlation", of=f"{a.name}, {b.name}", before=before, after=after)


def _regression(
    columns: Sequence[AnalysedColumn], target: Floats, units: Sequence[float], name: str
) -> list[FigureRecord]:
    """Fit a linear regression of the target before and after; numbers are in units of their deviation."""
    known = np.isfinite(target)
    labels: list[str] = []
    parts: list[tuple[Floats, Floats]] = []
    for column, unit in zip(columns, units, strict=True):
        known = known & (column.codes >= 0)
        if column.numbers is not None:
            before, after = (column.values(after=x) for x in (False, True))
            parts.append((before[:, None] / unit, after[:, None] / unit))
            labels.append(column.name)
        else:
            parts.append((column.indicators(after=False), column.indicators(after=True)))
            labels += [f"{column.name}, value {i + 2}" for i in range(len(column.domain) - 1)]
    if known.sum() <= len(labels) + 1:
        return []
    fitted = []
    for side in (0, 1):
        design = np.column_stack([np.ones(int(known.sum())), *(p[side][known] for p in parts)])
        inverse = np.linalg.pinv(design.T @ design)
        found = inverse @ design.T @ target[known]
        rest = target[known] - design @ found
        spread = float(rest @ rest) / max(int(known.sum()) - design.shape[1], 1)
        fitted.append((found, np.sqrt(np.maximum(np.diag(inverse) * spread, 0.0))))
    (before, errors), (after, _) = fitted
    return [
        FigureRecord(
            kind="coefficient", of=f"{label} on {name}", before=float(b), after=float(a),
            scale=float(e), low=float(b - _NORMAL * e), high=float(b + _NORMAL * e),
        )
        for label, b, a, e in zip(labels, before[1:], after[1:], errors[1:], strict=True)
    ]  # fmt: skip
