"""Tables reduced at once to counts per combination of quasi-identifiers.

Everything after this costs what the distinct combinations cost, not what the rows do; what grows in memory
is the number of distinct combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..core.arrays import Counts
from ..core.display import few, html_table
from ..core.errors import DataError, InputError
from ..core.records import InputFile
from .combinations import number_combinations
from .inputs import PopulationInput, RowsInput, SchemaInput
from .table_domains import Codes, codes_in, domains_of, hint_outside, with_cuts
from .table_population import add_population, read_population
from .table_schema import MISSING, TableSchema
from .table_source import TableSource, quote_name, quote_text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Table", "find_misplaced", "read_table"]

_EACH_ROW = "count(*)"
_COPIES = "sfumato copies"


@dataclass
class Table:
    """A table reduced to its quasi-identifiers: each distinct combination, and how often it occurs.

    `codes[a, i]` is the position of cell i's value in the domain of attribute a; "?" is the last value of
    a domain in which missing cells are a value. `population_*` hold the same for the people outside.
    Where the schema names a person, `count` is the number of different people of each cell, `people` the
    number of all of them, and `pairs` lists (cell, person) where somebody is in more than one cell, or
    rows of a person are joined; `pair_rows` then counts the rows of each. `covered` names the quasi-identifiers of
    a population that does not have all of them: its people are then spread over the cells as the records are.
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
    covered: tuple[str, ...] | None = None
    inputs: list[InputFile] = field(default_factory=list)
    source: TableSource | None = field(default=None, repr=False)
    people: int | None = None
    pairs: npt.NDArray[np.int64] | None = field(default=None, repr=False)
    pair_rows: Counts | None = field(default=None, repr=False)
    weight: float | None = None  # of all rows together: the size of the population

    def __repr__(self) -> str:
        name, *facts = (words for _, words in self._facts())
        return f"<Table {name}: {', '.join(facts)}>"

    def _repr_html_(self) -> str:
        return html_table("Table", self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        """Return what the table is, in counts and names of columns."""
        paths = self.source.paths if self.source is not None else []
        sensitive = len(self.schema.names("sensitive"))
        many = len(self.names)
        quasi = f"{many} quasi-identifier{'s' if many > 1 else ''} ({few(self.names)})"
        found = [
            ("source", few([path.name for path in paths], 2) or "in memory"),
            ("rows", f"{self.rows:,} row{'s' if self.rows != 1 else ''}"),
            ("quasi-identifiers", quasi),
        ]
        if sensitive:
            found.append(("sensitive", f"{sensitive} sensitive"))
        if self.people is not None:
            found.append(("people", f"{self.people:,} people"))
        return found

    def joint(self, column: str) -> tuple[Counts, Counts, Counts]:
        """Count a column's values within each cell: (cell, number of the value, count).

        Values are numbered by their order: as numbers where all of them are, else as text.
        """
        source, value = self._source_with(column)
        keys = [
            f"coalesce({self.schema.cell(a.name)}, {quote_text(MISSING)}) AS q{i}"
            for i, a in enumerate(self.schema.quasi)
        ]
        found = source.query(
            f"SELECT {', '.join(keys)}, {value} AS v, {self.schema.counted()} AS n FROM {source.sql} GROUP BY ALL ORDER BY ALL"
        )
        codes = np.stack([codes_in(found.column(f"q{i}"), d) for i, d in enumerate(self.domains)])
        inside = (codes >= 0).all(axis=0)
        places = {tuple(c): i for i, c in enumerate(self.codes.T.tolist())}
        cell = np.array([places[tuple(c)] for c in codes[:, inside].T.tolist()], dtype=np.int64)
        numbers = _number_values(found.column("v"))
        return cell, numbers[inside], found.column("n").to_numpy()[inside]

    def held_values(self, column: str) -> tuple[Counts, Counts, Counts]:
        """Return who holds which values of a column: (cell, person, number of the value), each once.

        Cells and people are numbered as in `pairs`.
        """
        source, value = self._source_with(column)
        schema = self.schema
        assert schema.person is not None
        person = schema.cell(schema.person.name)
        keys = [f"{schema.cell(a.name)} AS q{i}" for i, a in enumerate(schema.quasi)]
        found = source.query(
            f"SELECT DISTINCT {', '.join(keys)}, dense_rank() OVER (ORDER BY {person}) - 1 AS person, "
            f"{value} AS v FROM {source.sql}{_row_condition(schema)} ORDER BY ALL"
        )
        codes = np.stack([codes_in(found.column(f"q{i}"), d) for i, d in enumerate(self.domains)])
        people = found.column("person").to_numpy().astype(np.int64)
        return _places_of(codes, self.codes), people, _number_values(found.column("v"))

    def _source_with(self, column: str) -> tuple[TableSource, str]:
        """Return the source and the SQL of a column's cell, a missing one being a value."""
        if self.source is None:
            raise InputError("The table was built from counts and has no other columns.")
        self.source.require([column])
        return self.source, f"coalesce({self.schema.cell(column)}, {quote_text(MISSING)})"

    def is_ordered(self, column: str) -> bool:
        """Return whether numbers of a column have an order; codes that the schema declares so do not."""
        return all(a.ordered for a in self.schema.attributes if a.name == column)

    def is_numeric(self, column: str) -> bool:
        """Return whether a column holds ordered numbers only, missing cells aside."""
        if self.source is None or not self.is_ordered(column):
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


def _number_values(column: pa.ChunkedArray) -> Counts:
    """Number values by their order: as numbers where all of them are, else as text."""
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=_rank(values))
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.arange(len(values))
    numbers: Counts = place[encoded.indices.to_numpy()]
    return numbers


def _row_condition(schema: TableSchema) -> str:
    """Return the SQL condition of the rows that are read, where rows with a missing cell are dropped."""
    if schema.missing != "drop":
        return ""
    return " WHERE " + " AND ".join(f"{schema.cell(a.name)} IS NOT NULL" for a in schema.quasi)


def read_table(
    source: RowsInput | TableSource,
    schema: SchemaInput,
    population: PopulationInput | None = None,
    *,
    counts: pa.Table | None = None,
) -> Table:
    """Read a table by its schema, and the population it is a part of.

    Parameters
    ----------
    source : path, list of paths, mapping of columns or frame
        The table: CSV, TSV, Parquet, SPSS, Stata, SAS, Excel, DuckDB, or a pandas, polars or Arrow frame.
    schema : path, dict or TableSchema
        What each column is: a TOML file, or its content.
    population : path or frame, optional
        Counts of people by quasi-identifiers, with a column `count`.
    counts : pyarrow.Table, optional
        The quasi-identifiers as they are in the source, and `count`, where the rows were counted
        elsewhere (on a cluster): they are then not counted again here.

    Returns
    -------
    Table
        The distinct combinations of quasi-identifiers, and how many rows have each.

    Examples
    --------
    >>> schema = {"attribute": [{"name": "age", "role": "quasi", "domain": {"range": [0, 3]}},
    ...                         {"name": "sex", "role": "quasi", "domain": "observed"}]}
    >>> table = read_table({"age": [1, 1, 3], "sex": ["f", "f", "m"]}, schema)
    >>> table.codes.tolist(), table.count.tolist(), table.domains[1]
    ([[1, 3], [0, 1]], [2, 1], ('f', 'm'))
    >>> table
    <Table in memory: 3 rows, 2 quasi-identifiers (age, sex)>

    """
    schema, opened = TableSchema.of(schema), TableSource.open(source)
    opened.require([a.name for a in schema.attributes])
    schema = with_cuts(schema, opened)
    if counts is None:
        origin, total = opened, "count(*)"
    else:
        origin = TableSource.open(counts)
        total = f"CAST(sum(CAST({quote_name('count')} AS BIGINT)) AS BIGINT)"
    cells = _count_groups(origin, schema, schema.counted(total), total)
    rows = int(np.sum(cells.column("rows").to_numpy()))
    if rows == 0:
        raise DataError("The table holds no rows.")
    people = None if population is None else TableSource.open(population)
    crowd, population_rows = (None, 0) if people is None else read_population(people, schema)
    domains, missing = domains_of(schema, cells, crowd)
    if missing.any() and schema.missing == "error":
        raise find_misplaced(opened, schema, domains, missing=True)
    codes = np.stack([codes_in(cells.column(f"q{i}"), d) for i, d in enumerate(domains)])
    if ((codes < 0) & ~(missing & (schema.missing == "drop"))).any():
        raise find_misplaced(opened, schema, domains, missing=False)
    keep = ~missing if schema.missing == "drop" else np.ones(cells.num_rows, dtype=bool)
    table = Table(
        schema,
        tuple(a.name for a in schema.quasi),
        tuple(domains),
        np.ascontiguousarray(codes[:, keep]),
        cells.column("n").to_numpy().astype(np.int64)[keep],
        rows,
        dropped=int(cells.column("rows").to_numpy()[~keep].sum()),
        inputs=opened.input_files(rows),
        source=opened,
    )
    if not keep.any():
        raise DataError('Every row has a missing quasi-identifier, and missing = "drop".')
    if schema.names("weight"):
        table.weight = _weight(opened, schema)
    if schema.person is not None:
        _add_people(table, origin, opened, total)
    if people is not None and crowd is not None:
        add_population(table, crowd)
        table.inputs += people.input_files(population_rows)
    return table


def _count_groups(opened: TableSource, schema: TableSchema, measure: str, rows: str) -> pa.Table:
    """Count the records `n` and the rows of each combination of quasi-identifiers."""
    keys = [f"{schema.cell(a.name)} AS q{i}" for i, a in enumerate(schema.quasi)]
    names = ", ".join(f"q{i}" for i in range(len(schema.quasi)))
    source = opened.sql
    if (
        measure == rows == _EACH_ROW
    ):  # cells as they are written are counted first, and read once each
        cells = ", ".join(quote_name(a.name) for a in schema.quasi)
        copies = quote_name(_COPIES)
        source = f"(SELECT {cells}, count(*) AS {copies} FROM {source} GROUP BY {cells})"
        measure = rows = f"CAST(sum({copies}) AS BIGINT)"
    return opened.query(
        f"SELECT {', '.join(keys)}, {measure} AS n, {rows} AS rows FROM {source} GROUP BY ALL "
        f"ORDER BY {names}"
    )


def _add_people(table: Table, origin: TableSource, opened: TableSource, total: str) -> None:
    """Count the different people, and list who is in which cells where somebody is in several."""
    schema = table.schema
    assert schema.person is not None
    person = schema.cell(schema.person.name)
    lacking = opened.query(
        f"SELECT min(place) AS place FROM (SELECT row_number() OVER () AS place, {person} IS NULL AS odd "
        f"FROM {opened.sql}) WHERE odd"
    )
    if (row := lacking.column("place")[0].as_py()) is not None:
        raise DataError(
            f"The column {schema.person.name!r}, which names the person, is missing in row {row:,}.",
            hint="every row must belong to somebody.",
        )
    keys = [f"{schema.cell(a.name)} AS q{i}" for i, a in enumerate(schema.quasi)]
    pairs = (
        f"(SELECT {', '.join(keys)}, {person} AS p, {total} AS n FROM {origin.sql}"
        f"{_row_condition(schema)} GROUP BY ALL)"
    )
    counted = origin.query(f"SELECT count(DISTINCT p) AS people FROM {pairs}")
    table.people = int(counted.column("people")[0].as_py())
    if table.people == int(table.count.sum()) and not schema.joined:
        return
    found = origin.query(
        f"SELECT *, dense_rank() OVER (ORDER BY p) - 1 AS person FROM {pairs} ORDER BY ALL"
    )
    codes = np.stack([codes_in(found.column(f"q{i}"), d) for i, d in enumerate(table.domains)])
    table.pairs = np.stack((_places_of(codes, table.codes), found.column("person").to_numpy()))
    table.pair_rows = found.column("n").to_numpy().astype(np.int64)


def _weight(opened: TableSource, schema: TableSchema) -> float:
    """Add up the weights of a survey: the people whom its rows represent.

    Somebody with several rows represents as many people as these rows do on average, not in sum.
    """
    name = schema.names("weight")[0]
    cell = schema.cell(name)
    number = f"TRY_CAST({cell} AS DOUBLE)"
    wrong = f"{number} IS NULL OR {number} < 0 OR NOT isfinite({number})"
    rows = (
        f"SELECT row_number() OVER () AS place, {wrong} AS odd, {number} AS weight, "
        f"{'NULL' if schema.person is None else schema.cell(schema.person.name)} AS person "
        f"FROM {opened.sql}{_row_condition(schema)}"
    )
    if schema.person is not None:
        rows = f"SELECT min(place) FILTER (odd) AS place, bool_or(odd) AS odd, avg(weight) AS weight FROM ({rows}) GROUP BY person"
    found = opened.query(
        f"SELECT min(place) FILTER (odd) AS place, sum(weight) AS total FROM ({rows})"
    )
    place, total = (found.column(c)[0].as_py() for c in ("place", "total"))
    if place is not None:
        raise DataError(
            f"The column {name!r} holds a cell that is not a weight in row {place:,}.",
            hint="a weight is a number of people, 0 or more.",
        )
    return float(total)


def _places_of(codes: Codes, among: Codes) -> Counts:
    """Return the place of each column of codes among the columns of other codes, all of which are there."""
    both = np.concatenate((among, codes), axis=1)
    number = number_combinations(both)
    place = np.empty(int(number.max()) + 1, dtype=np.int64)
    place[number[: among.shape[1]]] = np.arange(among.shape[1])
    return place[number[among.shape[1] :]]


def find_misplaced(
    opened: TableSource,
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
                hint=hint_outside(opened, attribute, cell),
            )
    return DataError("A row holds a value outside its domain.")
