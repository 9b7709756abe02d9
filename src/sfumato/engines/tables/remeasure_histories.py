"""Histories counted in a written file: people whose rows are all the same, by plain grouping of their marks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...core.errors import ReleaseRefusedError
from ...data.table import Table
from ...data.table_schema import MISSING, TableSchema
from ...data.table_source import Source, quoted_name, quoted_text
from .remeasure_values import VALUES, counts_of_values

__all__ = ["WrittenHistories", "histories_before"]

_MEMBERS = "sfumato_members"


@dataclass(frozen=True)
class WrittenHistories:
    """Who of a written file has the same history: the mark of each person with the number of their group."""

    published: Source
    schema: TableSchema
    members: pa.Table
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, published: Source, schema: TableSchema, people: int) -> WrittenHistories:
        """Group the people of a file by all their rows; refuse a file that holds other people."""
        names = [quoted_name(a.name) for a in schema.quasi]
        assert schema.person is not None
        mark = quoted_name(schema.person.name)
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
        mark = quoted_name(self.schema.person.name)
        value = f"coalesce({self.schema.cell(column)}, {quoted_text(MISSING)})"
        rows = f"SELECT {mark} AS p, {value} AS v FROM {published.sql}"  # noqa: S608 (quoted)
        inner = f"SELECT g, v, count(DISTINCT p) AS n FROM ({rows}) JOIN {_MEMBERS} USING (p) GROUP BY ALL"  # noqa: S608 (quoted)
        found = published.query(f"SELECT g, {VALUES} FROM ({inner})")  # noqa: S608 (quoted)
        return counts_of_values(found, self.sizes.size)


def histories_before(table: Table) -> int:
    """Return how many different histories the people of a table have before it is generalised."""
    assert table.pairs is not None
    assert table.pair_rows is not None
    pairs = Source.open(
        pa.table({"cell": table.pairs[0], "person": table.pairs[1], "rows": table.pair_rows})
    )
    whole = f"SELECT list(struct_pack(c := cell, n := rows) ORDER BY cell) AS h FROM {pairs.raw} GROUP BY person"  # noqa: S608 (quoted)
    found = pairs.query(f"SELECT count(DISTINCT h) AS many FROM ({whole})")  # noqa: S608 (quoted)
    return int(found.column("many")[0].as_py())
