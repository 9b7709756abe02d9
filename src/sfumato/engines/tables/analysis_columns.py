"""The columns of a table as analysts use them: their cells counted once, and some rows for a regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats
from ...core.errors import DataError
from ...data.attributes import MISSING
from ...data.table import Table
from ...data.table_domains import codes_in
from ...data.table_source import TableSource, quote_name, quote_text
from .analysis_records import MarginRecord
from .payload import TablesPayload
from .space.policy import Policy

__all__ = ["AnalysedColumn", "ExplainedColumn", "count_columns", "sampled_rows"]

_MOST_ROWS = 200_000  # rows that a regression uses; of more, every n-th is taken
_LOOKED_AT = 20_000  # rows, which mostly tell that a column cannot be explained


@dataclass(frozen=True)
class AnalysedColumn:
    """A column: the place of each cell in the domain, how many rows are like it, and each value's number and interval.

    The columns of a table have the same cells: the distinct combinations of them, or rows.
    """

    name: str
    codes: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
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
        known = self.codes >= 0
        counts = np.bincount(self.codes[known], self.count[known], minlength=len(self.domain))
        return np.asarray(counts / max(float(counts.sum()), 1.0))

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
        """Return the number of each cell: its own, or the middle of its interval."""
        assert self.numbers is not None
        numbers = self.numbers
        if after:
            sums = np.bincount(self.interval, weights=numbers)
            numbers = np.asarray((sums / np.bincount(self.interval))[self.interval])
        return np.where(self.codes >= 0, numbers[self.codes], np.nan)

    def indicators(self, *, after: bool) -> Floats:
        """Return, by cell and by value but the first, whether it is the cell's, or how likely."""
        table = np.eye(len(self.domain))
        if after:
            table = np.apply_along_axis(self.spread, 1, table)
        return np.asarray(table[self.codes][:, 1:])

    @property
    def deviation(self) -> float:
        """The standard deviation of its numbers over all rows."""
        assert self.numbers is not None
        shares = self.shares
        centred = self.numbers - shares @ self.numbers
        return float(np.sqrt(shares @ centred**2))


@dataclass(frozen=True)
class ExplainedColumn:
    """A column that a regression explains: one of numbers, or of two values, the second of which is 1."""

    name: str
    cell: str
    one: str | None
    has_values: bool

    @classmethod
    def of(cls, opened: TableSource, payload: TablesPayload, name: str) -> ExplainedColumn:
        """Look at the different values of a column; refuse one that cannot be explained."""
        opened.require([name])
        cell = payload.schema.cell(name)
        # Most columns of names are found out by their first rows, without reading the file.
        for rows in (f"(FROM {opened.sql} LIMIT {_LOOKED_AT})", opened.sql):
            different = f"SELECT DISTINCT {cell} AS v FROM {rows}"  # noqa: S608 (quoted)
            read = opened.query(
                f"SELECT v, TRY_CAST(v AS DOUBLE) AS x FROM ({different}) WHERE v IS NOT NULL"  # noqa: S608 (quoted)
            )
            numbers = read.column("x").to_numpy(zero_copy_only=False).astype(np.float64)
            are_numbers = bool(np.isfinite(numbers).all())
            if not are_numbers and read.num_rows > 2:
                break
        if are_numbers:
            return cls(name, cell, None, read.num_rows > 0)
        if read.num_rows != 2:
            raise DataError(
                f"The column {name!r} holds neither numbers alone nor two values, so it is not explained."
            )
        return cls(name, cell, max(read.column("v").to_pylist()), has_values=True)

    @property
    def number(self) -> str:
        """The SQL of a cell's number."""
        if self.one is None:
            return f"TRY_CAST({self.cell} AS DOUBLE)"
        return f"CAST({self.cell} = {quote_text(self.one)} AS DOUBLE)"


def count_columns(
    opened: TableSource,
    payload: TablesPayload,
    policy: Policy,
    names: Sequence[str],
    table: Table | None = None,
) -> list[AnalysedColumn]:
    """Return columns with the distinct combinations of their cells, counted.

    Parameters
    ----------
    opened : TableSource
        The table.
    payload, policy
        What was explored, and what is published.
    names : sequence of str
        The columns.
    table : Table, optional
        The same table as it was read for publishing: where it counts all rows, nothing is read again.

    """
    if table is not None and _counts_all_rows(table, policy):
        places = [table.names.index(name) for name in names]
        found = [table.codes[a].astype(np.int64) for a in places]
        return _columns(found, table.count, policy, names)
    opened.require(names)
    listed = ", ".join(_cells(payload, names))
    read = opened.query(
        f"SELECT {listed}, count(*) AS n FROM {opened.sql} GROUP BY ALL ORDER BY ALL"  # noqa: S608 (quoted)
    )
    lattice = policy.lattice
    found = [
        codes_in(read.column(f"q{i}"), lattice.domains[lattice.names.index(n)]).astype(np.int64)
        for i, n in enumerate(names)
    ]
    return _columns(found, read.column("n").to_numpy().astype(np.int64), policy, names)


def sampled_rows(
    opened: TableSource,
    payload: TablesPayload,
    columns: Sequence[AnalysedColumn],
    target: ExplainedColumn,
) -> tuple[list[AnalysedColumn], Floats]:
    """Return columns with the cells of rows, every n-th where there are very many, and the target's numbers."""
    names = [column.name for column in columns]
    number = quote_name("sfumato place")
    step = 1 + int(columns[0].count.sum()) // _MOST_ROWS
    cells = ", ".join([*_cells(payload, names), f"{target.number} AS x"])
    rows = f"SELECT *, row_number() OVER () - 1 AS {number} FROM {opened.sql}"  # noqa: S608 (quoted)
    read = opened.query(
        f"SELECT {cells} FROM ({rows}) WHERE {number} % {step} = 0 ORDER BY {number}"  # noqa: S608 (quoted)
    )
    found = []
    for i, column in enumerate(columns):
        codes = codes_in(read.column(f"q{i}"), column.domain).astype(np.int64)
        found.append(replace(column, codes=codes, count=np.ones(len(codes), np.int64)))
    return found, read.column("x").to_numpy(zero_copy_only=False).astype(np.float64)


def _cells(payload: TablesPayload, names: Sequence[str]) -> list[str]:
    return [
        f"coalesce({payload.schema.cell(n)}, {quote_text(MISSING)}) AS q{i}"
        for i, n in enumerate(names)
    ]


def _counts_all_rows(table: Table, policy: Policy) -> bool:
    """Return whether a table's counts are of rows, of all of them, and by the domains of the policy."""
    lattice = policy.lattice
    return (
        table.schema.person is None
        and not table.dropped
        and table.names == lattice.names
        and all(
            wanted[: len(found)] == found
            for wanted, found in zip(lattice.domains, table.domains, strict=True)
        )
    )


def _columns(
    codes: Sequence[npt.NDArray[np.int64]],
    count: npt.NDArray[np.int64],
    policy: Policy,
    names: Sequence[str],
) -> list[AnalysedColumn]:
    found = []
    for name, places in zip(names, codes, strict=True):
        a = policy.lattice.names.index(name)
        domain, spans = policy.lattice.domains[a], policy.spans(a)
        interval = np.repeat(np.arange(len(spans)), [high - low + 1 for low, high in spans])
        if domain[-1] == MISSING:  # nobody computes with missing cells
            domain, interval = domain[:-1], interval[:-1]
            places = np.where(places < len(domain), places, -1)
        known = policy.lattice.labels[a].numbers
        numbers = None if known is None else np.array([float(v) for v in known])
        observed = policy.lattice.labels[a].observed
        found.append(AnalysedColumn(name, places, count, domain, numbers, interval, observed))
    return found
