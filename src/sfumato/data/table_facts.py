"""What a draft of a schema needs to know about a table's columns: counts and ends, no values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..core.errors import DataError
from .attributes import cell_text
from .database import quote_text
from .missing_marks import MISSING_MARKS, MISSING_NUMBERS

if TYPE_CHECKING:
    from .table_source import TableSource

__all__ = ["DATE_FORMATS", "ColumnFacts", "column_facts"]

DATE_FORMATS = {
    "%Y-%m-%d": "[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?",
    "%d.%m.%Y": "[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}",
    "%d/%m/%Y": "(0?[1-9]|[12][0-9]|3[01])/(0?[1-9]|1[0-2])/[0-9]{4}",
    "%m/%d/%Y": "(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/[0-9]{4}",
}
"""The ways of writing a date that a draft recognises, each with the pattern of its cells."""
_FACTS = 14 + len(DATE_FORMATS)  # expressions of `_counts`
_MOST_LABELS = 60  # labels of a column up to which a draft lists them
_TIMES_AS_MANY = (
    3  # other numbers for each negative one, from which on those stand for missing cells
)
_FEW_COLUMNS = 64  # number of columns up to which each has its own expressions in a query


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What a draft of a schema needs to know of a column: counts and whole-number ends, no value."""

    name: str
    rows: int
    distinct: int
    missing: int
    low: int | None
    high: int | None
    entropy: float = 0.0  # bits
    numbers: int = 0
    words: float = 0.0  # on average per cell
    comma_numbers: int = 0  # numbers, those with a decimal comma among them
    dates: tuple[int, ...] = ()  # by the formats of `DATE_FORMATS`
    marks: tuple[
        str, ...
    ] = ()  # marks of missing cells that occur, where all other cells are numbers or dates, or none else is negative

    labels: tuple[
        tuple[str, str], ...
    ] = ()  # codes and what the file calls them, if it names all that occur

    @property
    def date_formats(self) -> list[str]:
        """The formats in which every cell that is not missing is a date."""
        filled = self.rows - self.missing
        counted = zip(DATE_FORMATS, self.dates, strict=False)
        return [written for written, many in counted if filled and many == filled]

    @property
    def mixed_dates(self) -> bool:
        """Whether every cell that is not missing is a date, in more than one of the formats."""
        filled, many = self.rows - self.missing, dict(zip(DATE_FORMATS, self.dates, strict=False))
        slashes = max((n for written, n in many.items() if "/" in written), default=0)
        others = sum(n for written, n in many.items() if "/" not in written)
        return bool(filled) and not self.date_formats and others + slashes == filled


def column_facts(source: TableSource) -> list[ColumnFacts]:
    """Count what a draft of a schema needs."""
    if len(source.columns) <= _FEW_COLUMNS:
        counted = ", ".join(c for name in source.columns for c in _counts(cell_text(name)))
        table = source.query(f"SELECT count(*), {counted} FROM {source.sql}")
        rows, *row = (column[0].as_py() for column in table.columns)
        found = {name: row[_FACTS * i : _FACTS * (i + 1)] for i, name in enumerate(source.columns)}
    else:  # as many expressions as columns would take a time that grows with their square
        rows = source.query(f"SELECT count(*) AS n FROM {source.sql}").column("n")[0].as_py()
        counted = ", ".join(_counts(cell_text("cell")))
        table = source.query(f"SELECT name, {counted} FROM {source.cells_sql()} GROUP BY name")
        lines = zip(*(column.to_pylist() for column in table.columns), strict=True)
        found = {name: list(counts) for name, *counts in lines}
    if rows == 0:
        raise DataError("The table holds no rows.")
    facts = []
    for name in source.columns:
        nothing: list[Any] = [0, 0, None, None, *[0] * (_FACTS - 4)]
        row = found.get(name, nothing)
        marked, marks = row[-6] or 0, row[-5] or []
        distinct, filled, low, high, *more = row[:-6]
        entropy, numbers, words, commas, *dates = (value or 0 for value in more)
        rest = filled - marked
        if (
            marks and rest and rest in (numbers, commas, *dates)
        ):  # marks of missing cells, and nothing else
            filled, distinct = rest, distinct - len(marks)
        else:
            marks = []
        codes, negative, kinds, least = row[-4] or [], row[-3] or 0, row[-2] or 0, row[-1]
        if (
            codes
            and low is not None
            and len(codes) == kinds
            and distinct > (1 + _TIMES_AS_MANY) * kinds
        ):
            marks, low = [*codes, *marks], least  # no other number is negative
            filled, distinct = filled - negative, distinct - kinds
            numbers, commas = numbers - negative, commas - negative
        facts.append(
            ColumnFacts(
                name, rows, distinct, rows - filled, low, high, entropy, numbers, words, commas,
                tuple(dates), tuple(marks), _labels_of(source, name),
            )
        )  # fmt: skip
    return facts


def _labels_of(source: TableSource, name: str) -> tuple[tuple[str, str], ...]:
    """Return the labels of a column's codes where the file has one of its own for each code that occurs."""
    known = source.labels[name].codes if name in source.labels else {}
    if not 1 < len(known) <= _MOST_LABELS or len(set(known.values())) < len(known):
        return ()
    cell, listed = cell_text(name), ", ".join(map(quote_text, known))
    odd = f"count(*) FILTER ({cell} IS NOT NULL AND {cell} NOT IN ({listed})) AS n"
    found = source.query(f"SELECT {odd} FROM {source.sql}")
    return () if found.column("n")[0].as_py() else tuple(known.items())


def _counts(cell: str) -> list[str]:
    """Return the SQL of a column's facts, in the order of `ColumnFacts`."""
    listed = ", ".join(quote_text(mark) for mark in MISSING_MARKS)
    marked = f"count(CASE WHEN {cell} IN ({listed}) THEN 1 END)"
    every = (
        f"count({cell}) - {marked} = "
        f"count(CASE WHEN regexp_full_match({cell}, '-?[0-9]{{1,9}}([.]0+)?') THEN 1 END)"
    )
    zero_led = f"count(CASE WHEN regexp_full_match({cell}, '0[0-9]+') THEN 1 END) = 0"
    number = f"TRY_CAST(TRY_CAST({cell} AS DOUBLE) AS BIGINT)"  # 34.0 is how a frame with missing cells writes 34
    ends = [f"{end}({number})" for end in ("min", "max")]
    plain = f"regexp_replace({cell}, '[.]0+$', '')"
    codes = ", ".join(quote_text(code) for code in MISSING_NUMBERS)
    return [
        f"count(DISTINCT {cell})",
        f"count({cell})",
        *(f"CASE WHEN {every} AND {zero_led} THEN {end} END" for end in ends),
        f"entropy({cell})",
        f"count(CASE WHEN {cell} NOT IN ({listed}) THEN TRY_CAST({cell} AS DOUBLE) END)",
        f"avg(1 + length({cell}) - length(replace({cell}, ' ', '')))",
        f"count(CASE WHEN regexp_full_match({cell}, '[+-]?[0-9]*,?[0-9]+') THEN 1 END)",
        *(
            f"count(CASE WHEN regexp_full_match({cell}, '{written}') THEN 1 END)"
            for written in DATE_FORMATS.values()
        ),
        marked,
        f"list_sort(list(DISTINCT {cell}) FILTER ({cell} IN ({listed})))",
        f"list_sort(list(DISTINCT {plain}) FILTER ({plain} IN ({codes})))",
        f"count(*) FILTER ({number} < 0)",
        f"count(DISTINCT {number}) FILTER ({number} < 0)",
        f"min({number}) FILTER ({number} >= 0)",
    ]
