"""Tables reduced at once to counts per combination of quasi-identifiers.

Everything after this costs what the distinct combinations cost, not what the rows do; what grows in memory
is the number of distinct combinations.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..core.errors import DataError, InputError
from ..core.records import InputFile
from .attributes import Hierarchy
from .bins import quantile_cuts
from .calendar import units_between
from .hierarchy import hierarchy_nodes, hierarchy_order
from .table_schema import MISSING, Attribute, Domain, TableSchema
from .table_source import Source, quoted_name, quoted_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Table", "misplaced", "read_table"]

_MOST_DAYS = 100_000

Codes = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]


@dataclass
class Table:
    """A table reduced to its quasi-identifiers: each distinct combination, and how often it stands.

    `codes[a, i]` is the position of cell i's value in the domain of attribute a; "?" is the last value of
    a domain in which missing cells are a value. `population_*` hold the same for the people outside.
    """

    schema: TableSchema
    names: tuple[str, ...]
    domains: tuple[tuple[str, ...], ...]
    codes: Codes
    count: Counts
    rows: int
    dropped: int = 0
    population_codes: Codes | None = None
    population_count: npt.NDArray[np.float64] | None = None
    population_outside: float = 0.0
    inputs: list[InputFile] = field(default_factory=list)
    source: Source | None = field(default=None, repr=False)

    def joint(self, column: str) -> tuple[Counts, Counts, Counts]:
        """Count a column's values within each cell: (cell, number of the value, count).

        Values are numbered by their order: as numbers where all of them are, else as text.
        """
        if self.source is None:
            raise InputError("The table was built from counts and has no other columns.")
        self.source.require([column])
        keys = [
            f"coalesce({self.schema.cell(a.name)}, {quoted_text(MISSING)}) AS q{i}"
            for i, a in enumerate(self.schema.quasi)
        ]
        value = f"coalesce({self.schema.cell(column)}, {quoted_text(MISSING)}) AS v"
        found = self.source.query(
            f"SELECT {', '.join(keys)}, {value}, count(*) AS n FROM {self.source.sql} GROUP BY ALL ORDER BY ALL"
        )
        codes = np.stack([_codes_in(found.column(f"q{i}"), d) for i, d in enumerate(self.domains)])
        inside = (codes >= 0).all(axis=0)
        places = {tuple(c): i for i, c in enumerate(self.codes.T.tolist())}
        cell = np.array([places[tuple(c)] for c in codes[:, inside].T.tolist()], dtype=np.int64)
        encoded = found.column("v").combine_chunks().dictionary_encode()
        values = encoded.dictionary.to_pylist()
        order = sorted(range(len(values)), key=_rank(values))
        place = np.empty(len(values), dtype=np.int64)
        place[order] = np.arange(len(values))
        numbers = place[encoded.indices.to_numpy()]
        return cell, numbers[inside].astype(np.int64), found.column("n").to_numpy()[inside]

    def is_numeric(self, column: str) -> bool:
        """Return whether a column holds numbers only, missing cells aside."""
        if self.source is None:
            return False
        cell = self.schema.cell(column)
        value = f"TRY_CAST({cell} AS DOUBLE)"
        asked = f"count(*) FILTER ({cell} IS NOT NULL AND {value} IS NULL) AS odd"
        found = self.source.query(f"SELECT {asked} FROM {self.source.sql}")
        return int(found.column("odd")[0].as_py()) == 0


def _rank(values: Sequence[str]) -> Callable[[int], tuple[float, str]]:
    """Return the key that puts values into number order where all of them are numbers, else text order."""
    try:
        numbers = [np.inf if v == MISSING else float(v) for v in values]
    except ValueError:
        numbers = [0.0] * len(values)
    return lambda i: (numbers[i], values[i])


def read_table(
    source: object,
    schema: TableSchema | str | os.PathLike[str] | dict[str, object],
    population: object = None,
    *,
    counts: pa.Table | None = None,
) -> Table:
    """Read a table by its schema, and the population it is a part of.

    `counts` holds the quasi-identifiers as they stand in the source, and `count`, when the rows were
    counted elsewhere (on a cluster): they are then not counted again here.

    >>> schema = {"attribute": [{"name": "age", "role": "quasi", "domain": {"range": [0, 3]}},
    ...                         {"name": "sex", "role": "quasi", "domain": "observed"}]}
    >>> table = read_table({"age": [1, 1, 3], "sex": ["f", "f", "m"]}, schema)
    >>> table.codes.tolist(), table.count.tolist(), table.domains[1]
    ([[1, 3], [0, 1]], [2, 1], ('f', 'm'))
    """
    schema = TableSchema.of(schema)
    opened = Source.open(source)
    opened.require([a.name for a in schema.attributes])
    schema = _with_cuts(schema, opened)
    quasi = schema.quasi
    if counts is None:
        cells, rows = _grouped(opened, schema, "count(*)")
    else:
        total = f"CAST(sum(CAST({quoted_name('count')} AS BIGINT)) AS BIGINT)"
        cells, rows = _grouped(Source.open(counts), schema, total)
    if rows == 0:
        raise DataError("The table holds no rows.")
    people = None if population is None else Source.open(population)
    crowd, population_rows = (None, 0) if people is None else _crowd(people, schema)
    domains, missing = [], np.zeros(cells.num_rows, dtype=bool)
    for i, attribute in enumerate(quasi):
        column = cells.column(f"q{i}")
        is_missing = column.is_null().to_numpy()
        missing |= is_missing
        crowd_column = None if crowd is None else crowd.column(f"q{i}")
        weights = (cells if attribute.domain == "observed" or crowd is None else crowd).column("n")
        domains.append(
            _domain(
                schema, attribute, column, crowd_column, weights, has_missing=bool(is_missing.any())
            )
        )
    counts = cells.column("n").to_numpy().astype(np.int64)
    if missing.any() and schema.missing == "error":
        raise misplaced(opened, schema, domains, missing=True)
    codes = np.stack([_codes_in(cells.column(f"q{i}"), d) for i, d in enumerate(domains)])
    if ((codes < 0) & ~(missing & (schema.missing == "drop"))).any():
        raise misplaced(opened, schema, domains, missing=False)
    keep = ~missing if schema.missing == "drop" else np.ones(cells.num_rows, dtype=bool)
    table = Table(
        schema,
        tuple(a.name for a in quasi),
        tuple(domains),
        np.ascontiguousarray(codes[:, keep]),
        counts[keep],
        rows,
        dropped=int(counts[~keep].sum()),
        inputs=opened.described(rows),
        source=opened,
    )
    if not keep.any():
        raise DataError('Every row has a missing quasi-identifier, and missing = "drop".')
    if people is not None and crowd is not None:
        _add_population(table, crowd)
        table.inputs += people.described(population_rows)
    return table


def _with_cuts(schema: TableSchema, opened: Source) -> TableSchema:
    """Return the schema with cuts in the place of quantiles."""
    cuts = {a.name: _quantiles(schema, a, opened) for a in schema.quasi if a.quantiles is not None}
    return (
        schema.with_domains({n: Domain(cuts=list(c)) for n, c in cuts.items()}) if cuts else schema
    )


def _quantiles(schema: TableSchema, attribute: Attribute, opened: Source) -> list[float]:
    """Return the cuts of a column of numbers into parts of as many records."""
    assert attribute.quantiles is not None
    cell = schema.cell(attribute.name)
    number = f"TRY_CAST({cell} AS DOUBLE)"
    found = opened.query(
        f"SELECT {number} AS v, count(*) AS n, count(*) FILTER ({cell} IS NOT NULL AND ({number} IS NULL "
        f"OR NOT isfinite({number}))) AS odd FROM {opened.sql} GROUP BY 1 ORDER BY 1"
    )
    if sum(found.column("odd").to_pylist()):
        raise misplaced_number(opened, attribute.name, cell)
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


def misplaced_number(opened: Source, name: str, cell: str) -> DataError:
    """Find the first cell that is no number, and name its row."""
    number = f"TRY_CAST({cell} AS DOUBLE)"
    found = opened.query(
        f"SELECT min(place) AS place FROM (SELECT row_number() OVER () AS place, {cell} IS NOT NULL AND "
        f"({number} IS NULL OR NOT isfinite({number})) AS odd FROM {opened.sql}) WHERE odd"
    )
    row = found.column("place")[0].as_py()
    return DataError(f"The column {name!r} holds a cell that is not a number in row {row:,}.")


def _grouped(opened: Source, schema: TableSchema, measure: str) -> tuple[pa.Table, int]:
    keys = [f"{schema.cell(a.name)} AS q{i}" for i, a in enumerate(schema.quasi)]
    names = ", ".join(f"q{i}" for i in range(len(schema.quasi)))
    found = opened.query(
        f"SELECT {', '.join(keys)}, {measure} AS n FROM {opened.sql} GROUP BY ALL ORDER BY {names}"
    )
    return found, int(np.sum(found.column("n").to_numpy()))


def _crowd(people: Source, schema: TableSchema) -> tuple[pa.Table, int]:
    """Read a population: its counts must be numbers, none of them negative."""
    lacking = [a.name for a in schema.quasi if a.name not in people.columns]
    if lacking:
        raise DataError(
            f"The population has no column {lacking[0]!r}.",
            hint="it must cover every quasi-identifier; mark the column as 'other' if outsiders cannot know it.",
        )
    people.require(["count"])
    number = f"TRY_CAST({quoted_name('count')} AS DOUBLE)"
    bad = people.query(
        f"SELECT count(*) AS rows, count(CASE WHEN {number} IS NULL OR {number} < 0 OR NOT isfinite({number}) "
        f"THEN 1 END) AS bad FROM {people.sql}"
    )
    rows, wrong = (bad.column(c)[0].as_py() for c in ("rows", "bad"))
    if rows == 0:
        raise DataError("The population holds no rows.")
    if wrong:
        raise DataError(
            f"The column 'count' of the population is not a number of people in {wrong:,} rows.",
            hint="each count must be a finite number, 0 or more.",
        )
    return _grouped(people, schema, f"sum({number})")[0], rows


def _domain(
    schema: TableSchema, attribute: Attribute, column: pa.ChunkedArray,
    crowd: pa.ChunkedArray | None, weights: pa.ChunkedArray, *,
    has_missing: bool,
) -> tuple[str, ...]:  # fmt: skip
    values = schema.declared_domain(attribute)
    if values is None:
        if attribute.domain == "population":
            if crowd is None:
                raise DataError(
                    f'The domain of {attribute.name!r} is "population", but no population was given.',
                    hint="give --population, or declare the domain.",
                )
            column = crowd
        values = _ordered(schema, attribute, column, weights)
        if not values and not has_missing:
            raise DataError(f"The column {attribute.name!r} holds no value.")
    if has_missing and schema.missing == "value" and MISSING not in values:
        values = (*values, MISSING)
    return values


def _ordered(
    schema: TableSchema, attribute: Attribute, column: pa.ChunkedArray, weights: pa.ChunkedArray
) -> tuple[str, ...]:
    """Order the values that stand in a column.

    Numbers are in their order. Names have none of their own: they follow the hierarchy, where there is
    one, or go from the most frequent to the rarest, so that rare ones lie side by side.
    """
    counts: dict[str, float] = {}
    for value, weight in zip(column.to_pylist(), weights.to_pylist(), strict=True):
        if value is not None:
            counts[value] = counts.get(value, 0.0) + float(weight)
    if attribute.is_calendar:
        return _calendar(attribute, counts)
    built = attribute.hierarchy if isinstance(attribute.hierarchy, Hierarchy) else None
    if built is not None and built.prefix is not None:
        return tuple(sorted(counts))  # codes with one prefix stand side by side
    try:
        values = tuple(sorted(counts, key=lambda v: (float(v), v)))
        numbers = True
    except ValueError:
        values = tuple(sorted(counts, key=lambda v: (-counts[v], v)))
        numbers = False
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


def _calendar(attribute: Attribute, values: Iterable[str]) -> tuple[str, ...]:
    """Return all units of time from the first one that stands in a column to the last."""
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


def _codes_in(column: pa.ChunkedArray, domain: Sequence[str]) -> Codes:
    """Return the position of each value in the domain; −1 where it is not there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    filled = pc.fill_null(column, MISSING)
    found = pc.index_in(filled, value_set=pa.array(domain, type=pa.string()))
    return np.asarray(pc.fill_null(found, -1).to_numpy(), dtype=np.int32)


def misplaced(
    opened: Source,
    schema: TableSchema,
    domains: Sequence[Sequence[str]],
    *,
    missing: bool,
    only: int | None = None,
) -> DataError:
    """Find the first row that breaks a domain, of one attribute or any; name its column and row number."""
    import pyarrow as pa

    for i, (attribute, domain) in enumerate(zip(schema.quasi, domains, strict=True)):
        if only not in {None, i}:
            continue
        cell = schema.cell(attribute.name)
        if missing:
            wrong = f"{cell} IS NULL"
        else:
            opened.connection.register(f"domain_{i}", pa.table({"value": list(domain)}))
            wrong = f"{cell} IS NOT NULL AND {cell} NOT IN (SELECT value FROM domain_{i})"
        rows = opened.query(
            f"SELECT min(place) AS place, count(*) AS n FROM (SELECT row_number() OVER () AS place, "
            f"{wrong} AS is_wrong FROM {opened.sql}) WHERE is_wrong"
        )
        first, how_many = (rows.column(c)[0].as_py() for c in ("place", "n"))
        if how_many:
            more = f" ({how_many:,} rows in all)" if how_many > 1 else ""
            if missing:
                return DataError(
                    f"The column {attribute.name!r} is missing in row {first:,}{more}.",
                    hint='set missing = "value" or "drop" in the schema.',
                )
            return DataError(
                f"The column {attribute.name!r} holds a value outside its domain in row {first:,}{more}.",
                hint="correct the row, or widen the domain in the schema.",
            )
    return DataError("A row holds a value outside its domain.")


def _add_population(table: Table, crowd: pa.Table) -> None:
    codes = np.stack([_codes_in(crowd.column(f"q{i}"), d) for i, d in enumerate(table.domains)])
    people = crowd.column("n").to_numpy().astype(np.float64)
    inside = (codes >= 0).all(axis=0) & (people > 0)
    if not inside.any():
        raise DataError(
            "No one of the population falls into the table's domains.",
            hint="check that both write their values alike.",
        )
    table.population_codes = np.ascontiguousarray(codes[:, inside])
    table.population_count = people[inside]
    table.population_outside = float(people[~inside].sum())
