"""Domains that are read from data: the order of observed values, calendars, cuts by quantiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..core.errors import DataError
from .attributes import Hierarchy
from .bins import quantile_cuts
from .calendar import units_between
from .hierarchy import hierarchy_nodes, hierarchy_order
from .missing_marks import MISSING_MARKS
from .table_schema import MISSING, Attribute, Domain, TableSchema
from .table_source import TableSource, quote_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Codes",
    "codes_in",
    "domain_of",
    "domains_of",
    "hint_outside",
    "not_a_number",
    "with_cuts",
]

Codes = npt.NDArray[np.int32]

_MOST_DAYS = 100_000


def with_cuts(schema: TableSchema, opened: TableSource) -> TableSchema:
    """Return the schema with cuts in place of quantiles."""
    cuts = {a.name: _quantiles(schema, a, opened) for a in schema.quasi if a.quantiles is not None}
    return (
        schema.with_domains({n: Domain(cuts=list(c)) for n, c in cuts.items()}) if cuts else schema
    )


def _quantiles(schema: TableSchema, attribute: Attribute, opened: TableSource) -> list[float]:
    """Return the cuts of a column of numbers into parts of as many records."""
    assert attribute.quantiles is not None
    cell = schema.cell(attribute.name)
    number = f"TRY_CAST({cell} AS DOUBLE)"
    found = opened.query(
        f"SELECT {number} AS v, count(*) AS n, count(*) FILTER ({cell} IS NOT NULL AND ({number} IS NULL "
        f"OR NOT isfinite({number}))) AS odd FROM {opened.sql} GROUP BY 1 ORDER BY 1"
    )
    if sum(found.column("odd").to_pylist()):
        raise not_a_number(opened, attribute.name, cell)
    known = found.column("v").is_valid().to_numpy()
    numbers = [Decimal(repr(v)) for v in found.column("v").drop_null().to_pylist()]
    cuts = (
        ()
        if not numbers
        else quantile_cuts(numbers, found.column("n").to_numpy()[known], attribute.quantiles)
    )
    if not cuts:
        raise DataError(
            f"The column {attribute.name!r} cannot be divided by quantiles: it holds fewer than two numbers."
        )
    return [float(cut) for cut in cuts]


def not_a_number(opened: TableSource, name: str, cell: str) -> DataError:
    """Return the error that names the row of the first cell that is not a number."""
    number = f"TRY_CAST({cell} AS DOUBLE)"
    comma = f"TRY_CAST(replace(CAST({cell} AS VARCHAR), ',', '.') AS DOUBLE) IS NOT NULL"
    found = opened.query(
        f"SELECT min(place) AS place, bool_and(comma) AS comma FROM (SELECT row_number() OVER () AS place, {comma} AS "
        f"comma, {cell} IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number})) AS odd FROM {opened.sql}) WHERE odd"
    )
    row, has_comma = found.column("place")[0].as_py(), found.column("comma")[0].as_py()
    return DataError(
        f"The column {name!r} holds a cell that is not a number in row {row:,}.",
        hint="""its numbers have a decimal comma: decimal = "," in the schema."""
        if has_comma
        else None,
    )


def domain_of(
    schema: TableSchema, attribute: Attribute, column: pa.ChunkedArray,
    crowd: pa.ChunkedArray | None, weights: pa.ChunkedArray, *,
    has_missing: bool,
) -> tuple[str, ...]:  # fmt: skip
    """Return the ordered values of an attribute, the missing one last.

    Parameters
    ----------
    schema, attribute
        What is declared.
    column, crowd : arrays of text
        The values of the table's and the population's cells.
    weights : array
        The counts by which names are ordered.
    has_missing : bool
        Whether the table has missing cells.

    """
    values = schema.declared_domain(attribute)
    if values is None:
        if attribute.domain == "population":
            if crowd is None:
                raise DataError(
                    f'The domain of {attribute.name!r} is "population", but no population was given.',
                    hint="give --population, or declare the domain.",
                )
            column = crowd
        values = _order_values(schema, attribute, column, weights)
        if not values and not has_missing:
            wanted = attribute.date and attribute.date.format
            raise DataError(
                f"The column {attribute.name!r} holds no {'date in the format of the schema' if wanted else 'value'}.",
                hint=f"correct it, or leave format = {wanted!r} out where dates are as 2024-03-01, as in a frame."
                if wanted
                else None,
            )
    if has_missing and schema.missing == "value" and MISSING not in values:
        values = (*values, MISSING)
    return values


def _order_values(
    schema: TableSchema, attribute: Attribute, column: pa.ChunkedArray, weights: pa.ChunkedArray
) -> tuple[str, ...]:
    """Order the values that are in a column.

    Numbers are in their order. Names and codes have no order: they follow the hierarchy, where there is
    one, or go from the most frequent to the rarest, so that rare ones are neighbours.
    """
    counts: dict[str, float] = {}
    for value, weight in zip(column.to_pylist(), weights.to_pylist(), strict=True):
        if value is not None:
            counts[value] = counts.get(value, 0.0) + float(weight)
    if attribute.is_calendar:
        return _calendar(attribute, counts)
    built = attribute.hierarchy if isinstance(attribute.hierarchy, Hierarchy) else None
    if built is not None and built.prefix is not None:
        return tuple(sorted(counts))  # codes with one prefix are side by side
    numbers = attribute.ordered and all(_is_number(v) for v in counts)
    if numbers:
        values = tuple(sorted(counts, key=lambda v: (float(v), v)))
    else:
        values = tuple(sorted(counts, key=lambda v: (-counts[v], v)))
    if not isinstance(attribute.hierarchy, str):
        return values
    path = schema.folder / attribute.hierarchy
    if numbers:
        try:
            hierarchy_nodes(attribute.hierarchy, values, schema.folder)
        except DataError:
            numbers = False
    if not numbers:
        listed = hierarchy_order(path)
        if counts.keys() <= set(listed):
            return tuple(v for v in listed if v in counts)
    return values


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _calendar(attribute: Attribute, values: Iterable[str]) -> tuple[str, ...]:
    """Return all units of time from the first one that is in a column to the last."""
    assert attribute.date is not None
    unit, dates = attribute.date.unit, sorted(values)
    try:
        first, last = (_day(dates[i], unit) for i in (0, -1))
    except ValueError:  # not all of them are dates: the domain then lacks them, and a row is named
        dates = [v for v in dates if _is_day(v, unit)]
        if not dates:
            return ()
        first, last = (_day(dates[i], unit) for i in (0, -1))
    if unit == "day" and (last - first).days >= _MOST_DAYS:
        raise DataError(
            f"The column {attribute.name!r} spans more than {_MOST_DAYS:,} days.",
            hint='read it as date = { unit = "month" }.',
        )
    return units_between(first, last, unit)


def _day(value: str, unit: str) -> date:
    """Return the first day of a unit of time, as it is written."""
    if unit == "quarter":
        return date(int(value[:4]), 3 * int(value[6:]) - 2, 1)
    return date.fromisoformat(
        {"day": value, "month": f"{value}-01", "year": f"{value}-01-01"}[unit]
    )


def _is_day(value: str, unit: str) -> bool:
    try:
        _day(value, unit)
    except ValueError:
        return False
    return True


def codes_in(column: pa.ChunkedArray, domain: Sequence[str]) -> Codes:
    """Return the position of each value in the domain; −1 where it is not there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    filled = pc.fill_null(column, MISSING)
    found = pc.index_in(filled, value_set=pa.array(domain, type=pa.string()))
    return np.asarray(pc.fill_null(found, -1).to_numpy(), dtype=np.int32)


def domains_of(
    schema: TableSchema, cells: pa.Table, crowd: pa.Table | None
) -> tuple[list[tuple[str, ...]], npt.NDArray[np.bool_]]:
    """Return the domain of each quasi-identifier, and which cells have a missing value."""
    domains: list[tuple[str, ...]] = []
    missing = np.zeros(cells.num_rows, dtype=bool)
    for i, attribute in enumerate(schema.quasi):
        column = cells.column(f"q{i}")
        is_missing = column.is_null().to_numpy()
        missing |= is_missing
        known = crowd is not None and f"q{i}" in crowd.column_names
        crowd_column = crowd.column(f"q{i}") if crowd is not None and known else None
        counted = cells if attribute.domain == "observed" or not known else crowd
        weights = (cells if counted is None else counted).column("n")
        domains.append(
            domain_of(
                schema, attribute, column, crowd_column, weights, has_missing=bool(is_missing.any())
            )
        )
    return domains, missing


def hint_outside(opened: TableSource, attribute: Attribute, cell: str) -> str:
    """Return what to do about a value outside its domain, by whether it is a number, a mark or anything else.

    Parameters
    ----------
    opened : TableSource
        The table.
    attribute : Attribute
        The column.
    cell : str
        The SQL that reads its cells.

    """
    if not (attribute.is_range or attribute.bins is not None):
        return "correct the row, or widen the domain in the schema."

    def holds(condition: str) -> bool:
        asked = f"SELECT count(*) AS n FROM {opened.sql} WHERE {condition}"
        return bool(opened.query(asked).column("n")[0].as_py())

    if holds(f"{cell} IN ({', '.join(map(quote_text, MISSING_MARKS))})"):
        return (
            "marks of missing cells such as NA are declared: missing_values = [...] in the schema."
        )
    number = f"TRY_CAST({cell} AS DOUBLE)"
    is_whole = attribute.bins is None or attribute.bins.whole
    if is_whole and holds(f"{number} != floor({number})"):
        return (
            "the range is of whole numbers, and some cells are decimals: write it with a point and a step, as in "
            "range = [0.0, 120.0], step = 0.5."
        )
    return (
        "correct the row, widen the range in the schema, or let it take all numbers beyond it: "
        'domain = { range = [...], open_ends = "both" }.'
    )
