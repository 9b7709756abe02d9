"""Histories counted in a written file: people with the same rows, by plain grouping of their marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....core.arrays import Counts
from ....core.errors import ReleaseRefusedError
from ....data.table import Table
from ....data.table_schema import MISSING, TableSchema
from ....data.table_source import TableSource, cell_text, quote_name, quote_text
from ..payload import TablesPayload

__all__ = [
    "VALUES",
    "CountedGroups",
    "WithinGroups",
    "WrittenHistories",
    "counts_of_values",
    "histories_before",
]

_MEMBERS = "sfumato_members"


@dataclass(frozen=True)
class WrittenHistories:
    """Who of a written file has the same history: the mark of each person with the number of their group."""

    published: TableSource
    schema: TableSchema
    members: pa.Table
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, published: TableSource, schema: TableSchema, people: int) -> WrittenHistories:
        """Group the people of a file by all their rows; refuse a file that holds other people."""
        names = [quote_name(a.name) for a in schema.quasi]
        assert schema.person is not None
        mark = quote_name(schema.person.name)
        rows = f"SELECT {mark} AS p, {', '.join(names)}, count(*) AS n FROM {published.sql} GROUP BY ALL"  # noqa: S608 (quoted)
        fields = ", ".join([*(f"q{i} := {name}" for i, name in enumerate(names)), "n := n"])
        order = ", ".join([*names, "n"])
        whole = (
            f"SELECT p, list(struct_pack({fields}) ORDER BY {order}) AS h FROM ({rows}) GROUP BY p"  # noqa: S608 (quoted)
        )
        numbered = f"SELECT p, dense_rank() OVER (ORDER BY h) - 1 AS g FROM ({whole})"  # noqa: S608 (quoted)
        members = published.query(numbered)
        if members.num_rows != people or members.column("p").null_count:
            raise ReleaseRefusedError(
                "The output does not link the rows of each person; nothing was published."
            )
        sizes = np.bincount(members.column("g").to_numpy())
        return cls(published, schema, members, sizes.astype(np.int64))

    def values_of(self, column: str) -> tuple[npt.NDArray[np.float64], bool]:
        """Count the people of each group who hold each value: (groups, values), and whether all are numbers."""
        published = self.published
        published.connection.register(_MEMBERS, self.members)
        assert self.schema.person is not None
        mark = quote_name(self.schema.person.name)
        value = f"coalesce({self.schema.cell(column)}, {quote_text(MISSING)})"
        rows = f"SELECT {mark} AS p, {value} AS v FROM {published.sql}"  # noqa: S608 (quoted)
        inner = f"SELECT g, v, count(DISTINCT p) AS n FROM ({rows}) JOIN {_MEMBERS} USING (p) GROUP BY ALL"  # noqa: S608 (quoted)
        found = published.query(f"SELECT g, {VALUES} FROM ({inner})")  # noqa: S608 (quoted)
        return counts_of_values(found, self.sizes.size)


def histories_before(table: Table) -> int:
    """Return how many different histories the people of a table have before it is generalised."""
    assert table.pairs is not None
    assert table.pair_rows is not None
    pairs = TableSource.open(
        pa.table({"cell": table.pairs[0], "person": table.pairs[1], "rows": table.pair_rows})
    )
    whole = f"SELECT list(struct_pack(c := cell, n := rows) ORDER BY cell) AS h FROM {pairs.raw} GROUP BY person"  # noqa: S608 (quoted)
    found = pairs.query(f"SELECT count(DISTINCT h) AS many FROM ({whole})")  # noqa: S608 (quoted)
    return int(found.column("many")[0].as_py())


VALUES = (
    "dense_rank() OVER (ORDER BY TRY_CAST(v AS DOUBLE), v) - 1 AS place, "
    f"{cell_text('v')} IS NOT NULL AND TRY_CAST({cell_text('v')} AS DOUBLE) IS NULL AS odd, n"
)
"""The SQL of the place of a value `v` among all, as numbers where all of them are; whether it is no number."""


def counts_of_values(found: pa.Table, groups: int) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the counts `n` as (groups, values), and whether all values are numbers.

    Parameters
    ----------
    found : pyarrow.Table
        The group `g`, and what `VALUES` selects.
    groups : int
        How many groups there are.

    """
    group, place = (found.column(c).to_numpy().astype(np.int64) for c in ("g", "place"))
    table = np.zeros((groups, int(place.max()) + 1))
    np.add.at(table, (group, place), found.column("n").to_numpy())
    return table, not found.column("odd").to_numpy().any()


RECORDS = "count(*)"


@dataclass(frozen=True)
class CountedGroups:
    """The published groups as they were counted: in the file, or by people where the schema names a person.

    `count` holds the records of each group, `size` its people; `records` is how records are counted in
    `source`, and `rows` how many rows the file has. Where rows are joined, `histories` are the groups of people
    whom the file shows alike, and the sensitive columns are counted within those.
    """

    source: TableSource
    records: str
    labels: list[list[str | None]]
    sensitive: dict[str, WithinGroups]
    count: Counts
    size: Counts
    rows: int
    histories: WrittenHistories | None = None

    @classmethod
    def of(cls, published: TableSource, payload: TablesPayload, linked: TableSource | None) -> Self:
        named = [n for n in payload.schema.names("sensitive") if n in published.columns]
        if linked is None:
            sensitive = {name: WithinGroups.of(published, payload, name) for name in named}
            # Groups that are counted with a column need not be counted again without: a file is read
            # once less.
            counted = sensitive[named[0]] if named else WithinGroups.of(published, payload)
            count = counted.table.sum(axis=1).astype(np.int64)
            rows = int(count.sum())
            return cls(published, RECORDS, counted.labels, sensitive, count, count, rows)
        rows = int(_same_groups(published, linked, payload).sum())
        before = ", ".join(f"o{i}" for i in range(len(payload.lattice.names)))
        records = f"count(DISTINCT (p, {before}))"
        counted = WithinGroups.of(linked, payload, None, records)
        histories = None
        if payload.schema.joined:
            there = linked.query(f"SELECT count(DISTINCT p) AS n FROM {linked.sql}")  # noqa: S608 (quoted)
            many = int(there.column("n")[0].as_py())
            histories = WrittenHistories.of(published, payload.schema, many)
            sensitive = {n: WithinGroups(counted.labels, *histories.values_of(n)) for n in named}
        else:
            sensitive = {name: WithinGroups.of(linked, payload, name, records) for name in named}
        people = WithinGroups.of(linked, payload, None, "count(DISTINCT p)")
        count, size = (w.table.sum(axis=1).astype(np.int64) for w in (counted, people))
        return cls(linked, records, counted.labels, sensitive, count, size, rows, histories)


def _same_groups(published: TableSource, linked: TableSource, payload: TablesPayload) -> Counts:
    """Return the rows of each group of the file, or refuse it where it holds other groups than were made."""
    names = ", ".join(quote_name(n) for n in payload.lattice.names)
    found = [
        source.query(f"SELECT {names}, {rows} AS n FROM {source.sql} GROUP BY ALL ORDER BY ALL")  # noqa: S608 (quoted)
        for source, rows in ((published, "count(*)"), (linked, "sum(CAST(n AS BIGINT))"))
    ]
    columns = [[column.to_pylist() for column in table.columns] for table in found]
    if columns[0] != columns[1]:
        raise ReleaseRefusedError(
            "The output holds other groups than the policy makes; nothing was published."
        )
    return np.array(columns[0][-1], dtype=np.int64)


@dataclass(frozen=True)
class WithinGroups:
    """A column's values within the published groups, counted: (groups, values), and what labels the groups."""

    labels: list[list[str | None]]
    table: npt.NDArray[np.float64]
    is_numeric: bool

    @classmethod
    def of(
        cls,
        published: TableSource,
        payload: TablesPayload,
        column: str | None = None,
        records: str = RECORDS,
    ) -> Self:
        """Count by one reading of the file; without a column each group has one value."""
        names = payload.lattice.names
        keys = ", ".join(f"{quote_name(n)} AS q{i}" for i, n in enumerate(names))
        labels = [f"q{i}" for i in range(len(names))]
        order = ", ".join(labels)
        value = (
            "''"
            if column is None
            else f"coalesce({payload.schema.cell(column)}, {quote_text(MISSING)})"
        )
        inner = f"SELECT {keys}, {value} AS v, {records} AS n FROM {published.sql} GROUP BY ALL"  # noqa: S608 (quoted)
        found = published.query(
            f"SELECT {order}, dense_rank() OVER (ORDER BY {order}) - 1 AS g, {VALUES} "  # noqa: S608 (quoted)
            f"FROM ({inner}) ORDER BY g"
        )
        first = np.unique(found.column("g").to_numpy(), return_index=True)[1]
        shown = found.select(labels).take(first)
        table, is_numeric = counts_of_values(found, first.size)
        return cls([shown.column(q).to_pylist() for q in labels], table, is_numeric)
