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
import numpy.typing as npt

from ...core.arrays import Floats
from ...core.display import html_table
from ...core.errors import DataError, ParameterError, did_you_mean
from ...data.attributes import MISSING
from ...data.table_domains import codes_in
from ...data.table_source import TableSource, quote_text
from .analysis_records import AnalysisRecord, FigureRecord, MarginRecord
from .payload import TablesPayload
from .space.policy import Policy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["AnalystLoss", "Figure", "compare_analyses", "compared_columns", "explained_column"]

_QUARTILES = (0.25, 0.5, 0.75)
_MOST_NAMES = 12  # of a column that goes into a regression, one less
_NORMAL = 1.959964  # of a 95 % interval
_MOST_VALUES = 200  # of a column of names that a release keeps figures of
_MOST_ROWS = 200_000  # of a regression; of more, every n-th is taken


@dataclass(frozen=True)
class Figure:
    """One figure of an analysis, before and after.

    Parameters
    ----------
    kind : {"mean", "quartile", "proportion", "correlation", "coefficient"}
        What it is.
    of : str
        The columns that it is about.
    before, after : float
        Its value in the table as it is, and in the release.
    scale : float
        What a difference is measured in: the standard deviation of a mean's column or of an estimate's error, else 1.
    low, high : float, optional
        The 95 % interval of a coefficient before.

    """

    kind: str
    of: str
    before: float
    after: float
    scale: float = 1.0
    low: float | None = None
    high: float | None = None

    @property
    def error(self) -> float:
        """The difference, in units of the scale."""
        return abs(self.after - self.before) / self.scale if self.scale > 0 else 0.0


@dataclass(frozen=True)
class AnalystLoss:
    """All figures of an analysis, before and after a policy."""

    figures: tuple[Figure, ...]
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
        figures = tuple(FigureRecord(**vars(figure)) for figure in self.figures)
        return AnalysisRecord(figures=figures, margins=self.margins, explained=explained)

    def __repr__(self) -> str:
        kinds = dict.fromkeys(figure.kind for figure in self.figures)
        said = ", ".join(f"{kind}s off by {self.mean_error(kind):.3g}" for kind in kinds)
        return f"<what analysts lose: {said}>"

    def _repr_html_(self) -> str:
        rows = [(f"{f.kind} of {f.of}", f"{f.before:.4g} → {f.after:.4g}") for f in self.figures]
        return html_table("what analysts lose", rows)


@dataclass(frozen=True)
class _Column:
    """A column as analysts use it: its place in the domain by row, its numbers, and the interval of each value."""

    name: str
    codes: npt.NDArray[np.int64]
    domain: tuple[str, ...]
    numbers: Floats | None
    interval: npt.NDArray[np.int64]
    observed: bool
    """Whether the domain was read from the data: its values are then those of single people."""

    def spread(self, shares: Floats) -> Floats:
        """Spread the shares of values evenly over their intervals."""
        inside = np.bincount(self.interval, weights=shares)
        return np.asarray((inside / np.bincount(self.interval))[self.interval])

    @property
    def shares(self) -> Floats:
        """The share of each value, missing cells aside."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.domain))
        return np.asarray(counts / max(int(counts.sum()), 1))

    @property
    def margin(self) -> MarginRecord:
        """The shares of its values before and after."""
        before = self.shares
        return MarginRecord(
            column=self.name,
            before=tuple(round(float(share), 9) for share in before),
            after=tuple(round(float(share), 9) for share in self.spread(before)),
            numbers=()
            if self.numbers is None or self.observed
            else tuple(map(float, self.numbers)),
        )

    def values(self, *, after: bool) -> Floats:
        """Return the number of each row: its own, or the middle of its interval."""
        assert self.numbers is not None
        numbers = self.numbers
        if after:
            sums = np.bincount(self.interval, weights=numbers)
            numbers = np.asarray((sums / np.bincount(self.interval))[self.interval])
        return np.where(self.codes >= 0, numbers[self.codes], np.nan)

    def indicators(self, *, after: bool) -> Floats:
        """Return, by row and by value but the first, whether it is the row's, or how likely."""
        table = np.eye(len(self.domain))
        if after:
            table = np.apply_along_axis(self.spread, 1, table)
        return np.asarray(table[self.codes][:, 1:])


def compare_analyses(
    payload: TablesPayload,
    policy: Policy,
    data: object,
    *,
    columns: Sequence[str] | None = None,
    target: str | None = None,
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
        A column of numbers, or with two values, to be explained by the others in a linear regression.

    """
    names = policy.lattice.names
    wanted = tuple(names if columns is None else columns)
    for name in wanted:
        if name not in names:
            raise ParameterError(
                f"There is no quasi-identifier {name!r}.", hint=did_you_mean(name, names)
            )
    opened = TableSource.open(data)
    found = [_column(opened, payload, policy, names.index(name)) for name in wanted]
    figures: list[Figure] = []
    for column in found:
        figures += _of_numbers(column) if column.numbers is not None else _of_names(column)
    numeric = [column for column in found if column.numbers is not None]
    figures += [_correlation(a, b) for a, b in combinations(numeric, 2)]
    if target is not None:
        figures += _regression(found, _target(opened, payload, target), target)
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


def explained_column(payload: TablesPayload, data: object) -> str | None:
    """Return the column that a regression may explain: the target, or the first sensitive column that can be."""
    opened = TableSource.open(data)
    named = [payload.target] if payload.target is not None else payload.schema.names("sensitive")
    for name in named:
        if name in opened.columns and name not in payload.lattice.names:
            try:
                if np.isfinite(_target(opened, payload, name)).any():
                    return name
            except DataError:
                continue
    return None


def _column(opened: TableSource, payload: TablesPayload, policy: Policy, a: int) -> _Column:
    name = policy.lattice.names[a]
    opened.require([name])
    domain = policy.lattice.domains[a]
    cell = f"coalesce({payload.schema.cell(name)}, {quote_text(MISSING)})"
    read = opened.query(f"SELECT {cell} AS v FROM {opened.sql}")  # noqa: S608 (quoted)
    codes = codes_in(read.column("v"), domain).astype(np.int64)
    spans = policy.spans(a)
    interval = np.repeat(np.arange(len(spans)), [high - low + 1 for low, high in spans])
    if domain[-1] == MISSING:  # nobody computes with missing cells
        domain, interval = domain[:-1], interval[:-1]
        codes = np.where(codes < len(domain), codes, -1)
    known = policy.lattice.labels[a].numbers
    numbers = None if known is None else np.array([float(v) for v in known])
    observed = policy.lattice.labels[a].observed
    return _Column(name, codes, domain, numbers, interval, observed)


def _of_numbers(column: _Column) -> list[Figure]:
    assert column.numbers is not None
    before, after = column.shares, column.spread(column.shares)
    numbers = column.numbers
    deviation = math.sqrt(max(float(before @ numbers**2 - (before @ numbers) ** 2), 0.0))
    found = [
        Figure("mean", column.name, float(before @ numbers), float(after @ numbers), deviation)
    ]
    order = np.argsort(numbers, kind="stable")
    for share in _QUARTILES:
        low, high = (
            float(numbers[order][np.searchsorted(np.cumsum(shares[order]), share - 1e-12)])
            for shares in (before, after)
        )
        found.append(Figure("quartile", f"{column.name}, {share:g}", low, high, deviation))
    return found


def _of_names(column: _Column) -> list[Figure]:
    before, after = column.shares, column.spread(column.shares)
    return [
        Figure("proportion", f"{column.name}, value {i + 1}", float(before[i]), float(after[i]))
        for i in range(len(column.domain))
    ]


def _correlation(a: _Column, b: _Column) -> Figure:
    known = (a.codes >= 0) & (b.codes >= 0)
    ends = []
    for after in (False, True):
        x, y = a.values(after=after)[known], b.values(after=after)[known]
        flat = known.sum() < 2 or x.std() == 0 or y.std() == 0
        ends.append(0.0 if flat else float(np.corrcoef(x, y)[0, 1]))
    return Figure("correlation", f"{a.name}, {b.name}", *ends)


def _target(opened: TableSource, payload: TablesPayload, name: str) -> Floats:
    """Return the numbers of a column; one with two values is 0 and 1."""
    opened.require([name])
    cell = payload.schema.cell(name)
    read = opened.query(f"SELECT {cell} AS v, TRY_CAST({cell} AS DOUBLE) AS x FROM {opened.sql}")  # noqa: S608 (quoted)
    numbers: Floats = read.column("x").to_numpy(zero_copy_only=False).astype(np.float64)
    cells = read.column("v")
    if int(np.isfinite(numbers).sum()) == len(cells) - cells.null_count:
        return numbers
    kinds = sorted(v for v in cells.unique().to_pylist() if v is not None)
    if len(kinds) != 2:
        raise DataError(
            f"The column {name!r} holds neither numbers alone nor two values, so it is not explained."
        )
    return np.array([np.nan if v is None else float(v == kinds[1]) for v in cells.to_pylist()])


def _regression(columns: Sequence[_Column], target: Floats, name: str) -> list[Figure]:
    """Fit a linear regression of the target before and after; numbers are in units of their deviation."""
    used = [c for c in columns if c.numbers is not None or len(c.domain) <= _MOST_NAMES]
    known = np.isfinite(target)
    known &= np.arange(known.size) % (1 + known.size // _MOST_ROWS) == 0
    labels: list[str] = []
    parts: list[tuple[Floats, Floats]] = []
    for column in used:
        known = known & (column.codes >= 0)
        if column.numbers is not None:
            before, after = (column.values(after=x) for x in (False, True))
            unit = float(np.nanstd(before)) or 1.0
            parts.append((before[:, None] / unit, after[:, None] / unit))
            labels.append(column.name)
        else:
            parts.append((column.indicators(after=False), column.indicators(after=True)))
            labels += [f"{column.name}, value {i + 2}" for i in range(len(column.domain) - 1)]
    if not parts or known.sum() <= len(labels) + 1:
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
        Figure(
            "coefficient", f"{label} on {name}", float(b), float(a), float(e),
            float(b - _NORMAL * e), float(b + _NORMAL * e),
        )
        for label, b, a, e in zip(labels, before[1:], after[1:], errors[1:], strict=True)
    ]  # fmt: skip
