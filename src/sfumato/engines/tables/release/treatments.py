"""Numbers of columns that are no quasi-identifiers: coded at the ends, rounded, averaged in groups, or blurred.

The rows are stored for this, since some methods look at a whole column. Equal rows are interchangeable, so
what is drawn depends on the published rows and a private seed alone, whoever made them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from ....data.attributes import Attribute, Treatment
from ....data.table_domains import not_a_number
from ....data.table_schema import TableSchema
from ....data.table_source import Source, quoted_name
from ..records import ColumnLoss
from .rows import ReleaseRows

__all__ = ["Treated", "check_cells", "microaggregate", "treat"]

_STORED = "sfumato_rows"
_RANK = quoted_name("sfumato rank")
_DIGITS = 6  # of what is averaged or blurred
_UNIT = 1 << 53


@dataclass(frozen=True)
class Treated:
    """Rows with their treated columns, and what each column lost."""

    rows: ReleaseRows
    losses: dict[str, ColumnLoss]


def check_cells(opened: Source, schema: TableSchema) -> None:
    """Refuse a table in which a treated column holds what cannot be treated: it would go out as it is."""
    for attribute in schema.attributes:
        if attribute.role != "other":
            continue
        plain = attribute.model_copy(update={"date": None}).cell(schema.missing_values)
        if attribute.publish is not None:
            number = f"TRY_CAST({plain} AS DOUBLE)"
            wrong = f"{plain} IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number}))"
            found = opened.query(f"SELECT count(*) FILTER ({wrong}) AS n FROM {opened.sql}")  # noqa: S608 (quoted)
            if found.column("n")[0].as_py():
                raise not_a_number(opened, attribute.name, plain)
        if attribute.date is not None:
            wrong = f"{plain} IS NOT NULL AND {attribute.date.day(plain)} IS NULL"
            found = opened.query(
                f"SELECT min(place) AS place FROM (SELECT row_number() OVER () AS place, {wrong} AS odd "  # noqa: S608 (quoted)
                f"FROM {opened.sql}) WHERE odd"
            )
            if (row := found.column("place")[0].as_py()) is not None:
                raise DataError(
                    f"The column {attribute.name!r} holds a cell that is no date in row {row:,}.",
                    hint="say how dates are written: date = { format = … }.",
                )


def treat(rows: ReleaseRows, columns: Sequence[str], schema: TableSchema, seed: int) -> Treated:
    """Treat the columns of rows that the schema says so of.

    Parameters
    ----------
    rows : ReleaseRows
        What is published otherwise.
    columns : sequence of str
        The columns of the rows.
    schema : TableSchema
        Says how columns are published.
    seed : int
        Private; the order and the noise come from it.

    """
    chosen = [a for a in schema.attributes if a.publish is not None and a.name in columns]
    if not chosen:
        return Treated(rows, {})
    cells = ", ".join(quoted_name(column) for column in columns)
    stored = rows.materialise(
        _STORED, f"row_number() OVER (ORDER BY hash({seed}::UBIGINT, {cells})) AS {_RANK}"
    )
    losses, replaced = {}, []
    for number, attribute in enumerate(chosen):
        new = _TreatedColumn(
            stored.opened, attribute, schema, f"sfumato_new_{number}", seed + number
        )
        new.fill()
        losses[attribute.name] = new.loss()
        replaced.append(new.replacement())
    sql = f"SELECT {cells} FROM (SELECT * REPLACE ({', '.join(replaced)}) FROM {_STORED})"  # noqa: S608 (quoted)
    return Treated(ReleaseRows(stored.opened, sql, rows.failed), losses)


@dataclass(frozen=True)
class _TreatedColumn:
    """One column of the stored rows, and the new one."""

    opened: Source
    attribute: Attribute
    schema: TableSchema
    new: str
    seed: int

    @property
    def _method(self) -> Treatment:
        assert self.attribute.publish is not None
        return self.attribute.publish

    @property
    def _old(self) -> str:
        """The SQL of the number as it was."""
        text = f"CAST({quoted_name(self.attribute.name)} AS VARCHAR)"
        cell = self.schema.cell(self.attribute.name).replace(quoted_name(self.attribute.name), text)
        return f"TRY_CAST({cell} AS DOUBLE)"

    def fill(self) -> None:
        """Compute the new numbers."""
        method = self._method
        value = self._old
        if method.bottom is not None:
            value = f"greatest({value}, {method.bottom}::DOUBLE)"
        if method.top is not None:
            value = f"least({value}, {method.top}::DOUBLE)"
        if method.round is not None:
            digits = max(0, -_exponent(method.round))
            value = (
                f"round(round({value} / {method.round}::DOUBLE) * {method.round}::DOUBLE, {digits})"
            )
        value = f"CASE WHEN {self._old} IS NOT NULL THEN {value} END"
        self._run(f"ALTER TABLE {_STORED} ADD COLUMN {self.new} DOUBLE")
        self._run(f"UPDATE {_STORED} SET {self.new} = {value}")  # noqa: S608 (quoted)
        if method.microaggregate is not None:
            self._average(method.microaggregate)
        if method.noise is not None:
            self._blur(method.noise)

    def _average(self, least: int) -> None:
        import pyarrow as pa

        found = self.opened.query(
            f"SELECT {self.new} AS v, count(*) AS n FROM {_STORED} WHERE {self.new} IS NOT NULL "  # noqa: S608 (ours)
            "GROUP BY v ORDER BY v"
        )
        values, counts = (found.column(c).to_numpy() for c in ("v", "n"))
        if int(counts.sum()) < least:
            raise DataError(
                f"The column {self.attribute.name!r} holds fewer than {least:,} numbers to average."
            )
        means = np.round(microaggregate(values, counts, least), _DIGITS)
        self.opened.connection.register("sfumato_means", pa.table({"v": values, "mean": means}))
        self._run(
            f"UPDATE {_STORED} SET {self.new} = m.mean FROM sfumato_means m WHERE {self.new} = m.v"  # noqa: S608 (ours)
        )

    def _blur(self, share: float) -> None:
        """Add normal noise with a share of the column's deviation."""
        first, second = (
            f"(hash({self.seed}::UBIGINT, {_RANK}, {i}) % {_UNIT} + 1) / {_UNIT + 1}::DOUBLE"
            for i in (0, 1)
        )
        normal = f"sqrt(-2 * ln({first})) * cos(2 * pi() * ({second}))"
        spread = f"(SELECT coalesce(stddev_samp({self.new}), 0) FROM {_STORED})"  # noqa: S608 (ours)
        self._run(
            f"UPDATE {_STORED} SET {self.new} = round({self.new} + {share}::DOUBLE * {spread} * {normal}, {_DIGITS})"  # noqa: S608 (ours)
        )

    def loss(self) -> ColumnLoss:
        """Measure how far the new numbers are from the old ones."""
        old, new = self._old, self.new
        found = self.opened.query(
            f"SELECT count({old}) AS many, avg(CASE WHEN {old} <> {new} THEN 1.0 ELSE 0.0 END) AS changed, "  # noqa: S608 (quoted)
            f"avg(abs({old} - {new})) AS distance, stddev_samp({old}) AS spread, corr({old}, {new}) AS linear "
            f"FROM {_STORED} WHERE {old} IS NOT NULL"
        )
        many, changed, distance, spread, linear = (c[0].as_py() for c in found.columns)
        if not many:
            return ColumnLoss(method=self._method.in_words(), changed=0.0, distance=0.0)
        spread = spread or 0.0
        known = linear is not None and np.isfinite(linear)
        return ColumnLoss(
            method=self._method.in_words(),
            changed=changed,
            distance=distance / (np.sqrt(2.0) * spread) if spread > 0 else 0.0,
            correlation=min(1.0, max(-1.0, linear)) if known else None,
        )

    def replacement(self) -> str:
        """Return the SQL of the column as it is published: whole numbers where all of them are."""
        found = self.opened.query(
            f"SELECT coalesce(bool_and({self.new} = floor({self.new}) AND abs({self.new}) < 1e15), true) AS whole "  # noqa: S608 (ours)
            f"FROM {_STORED}"
        )
        kind = "BIGINT" if found.column("whole")[0].as_py() else "DOUBLE"
        return f"CAST({self.new} AS {kind}) AS {quoted_name(self.attribute.name)}"

    def _run(self, sql: str) -> None:
        self.opened.execute(sql)


def microaggregate(
    values: npt.NDArray[np.float64], counts: npt.NDArray[np.integer], least: int
) -> npt.NDArray[np.float64]:
    """Return the mean of the group that each value falls in: neighbours, at least that many records together.

    Parameters
    ----------
    values : array
        The different values, rising.
    counts : array of int
        How often each occurs.
    least : int
        The fewest records of a group.

    >>> microaggregate(np.array([1.0, 2.0, 4.0, 9.0]), np.array([1, 1, 1, 1]), 2).tolist()
    [1.5, 1.5, 6.5, 6.5]

    """
    group = np.empty(values.size, dtype=np.int64)
    number, held = 0, 0
    for i, many in enumerate(counts.tolist()):
        group[i] = number
        held += many
        if held >= least:
            number, held = number + 1, 0
    if held and number:  # the last few join the group before
        group[group == number] = number - 1
    sums = np.bincount(group, weights=values * counts)
    return np.asarray((sums / np.bincount(group, weights=counts))[group])


def _exponent(step: float) -> int:
    """Return the place of the last digit of a step: −2 for 0.25."""
    from decimal import Decimal

    exponent = Decimal(str(step)).normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
