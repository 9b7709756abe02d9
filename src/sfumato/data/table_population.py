"""The population that a table is a part of: read, and laid over the table's domains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import DataError
from .combinations import number_combinations
from .table_domains import codes_in
from .table_schema import TableSchema
from .table_source import TableSource, quote_name

if TYPE_CHECKING:
    import pyarrow as pa

    from .table import Table

__all__ = ["add_population", "read_population"]


def read_population(people: TableSource, schema: TableSchema) -> tuple[pa.Table, int]:
    """Read a population by the quasi-identifiers that it has; its counts must be numbers, none negative."""
    if not any(a.name in people.columns for a in schema.quasi):
        raise DataError(
            f"The population has no column {schema.quasi[0].name!r}, nor any other quasi-identifier.",
            hint="its columns are named as those of the table.",
        )
    if "count" not in people.columns:
        raise DataError(
            "The population has no column 'count' with the number of people of each row.",
            hint="name the column of its counts 'count'.",
        )
    number = f"TRY_CAST({quote_name('count')} AS DOUBLE)"
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
    keys = [
        f"{schema.cell(a.name)} AS q{i}"
        for i, a in enumerate(schema.quasi)
        if a.name in people.columns
    ]
    counted = (
        f"SELECT {', '.join(keys)}, sum({number}) AS n FROM {people.sql} GROUP BY ALL ORDER BY ALL"
    )
    return people.query(counted), rows


def add_population(table: Table, crowd: pa.Table) -> None:
    """Lay a population over the domains of a table."""
    covered = [i for i in range(len(table.names)) if f"q{i}" in crowd.column_names]
    codes = np.stack([codes_in(crowd.column(f"q{i}"), table.domains[i]) for i in covered])
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
    if len(covered) < len(table.names):
        _spread_population(table, covered)


def _spread_population(table: Table, covered: list[int]) -> None:
    """Spread people whose other values are not known as the records with the same known values are spread.

    People with known values that no record has hide nobody; they are counted as outside.
    """
    assert table.population_codes is not None
    assert table.population_count is not None
    number = number_combinations(
        np.concatenate((table.population_codes, table.codes[covered]), axis=1)
    )
    crowd, cells = np.split(number, [table.population_count.size])
    many = int(number.max()) + 1
    people = np.bincount(crowd, weights=table.population_count, minlength=many)
    records = np.bincount(cells, weights=table.count, minlength=many)
    weight = people[cells] * table.count / records[cells]
    table.covered = tuple(table.names[i] for i in covered)
    table.population_outside += float(people[records == 0].sum())
    table.population_codes = table.codes[:, weight > 0]
    table.population_count = weight[weight > 0]
    if not table.population_count.size:
        raise DataError(
            "Nobody of the population has the values of a record.",
            hint="check that both write their values alike.",
        )
