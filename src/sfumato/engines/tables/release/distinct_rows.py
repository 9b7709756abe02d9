"""The distinct rows of a file in which rows repeat: read once, and used by every step of publishing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....data.table_schema import TableSchema
from ....data.table_source import TableSource, quote_name

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COPIES", "PLACE", "DistinctRows", "rows_repeat"]

COPIES = quote_name("sfumato copies")
PLACE = quote_name("sfumato place")  # the number of the first such row, from 1
_NAME = "sfumato_distinct_rows"
_LOOKED_AT = 20_000  # rows, to see whether they repeat


def rows_repeat(opened: TableSource, columns: Sequence[str]) -> bool:
    """Return whether the rows of a file of text repeat, in some columns, so often that counting them pays.

    Rows of other types are not counted: numbers that are equal may be written differently.
    """
    if opened.format not in {"csv", "tsv"}:
        return False
    cells = ", ".join(map(quote_name, columns))
    first = f"SELECT {cells}, count(*) AS {COPIES} FROM (FROM {opened.raw} LIMIT {_LOOKED_AT}) GROUP BY {cells}"  # noqa: S608 (quoted)
    found = opened.query(f"SELECT count(*) AS kinds, sum({COPIES}) AS n FROM ({first})")  # noqa: S608 (quoted)
    kinds, rows = (found.column(name)[0].as_py() or 0 for name in ("kinds", "n"))
    return bool(2 * kinds <= rows)


@dataclass(frozen=True)
class DistinctRows:
    """A table of the database with each row once, how often it occurs, and where first.

    Parameters
    ----------
    opened : TableSource
        The file.
    relation : str
        The name of the table; it has the columns of the file that the schema names, or that are kept.

    """

    opened: TableSource
    relation: str = _NAME

    @classmethod
    def of(cls, opened: TableSource, columns: Sequence[str]) -> DistinctRows | None:
        """Read the file; return None where its rows do not repeat."""
        if not rows_repeat(opened, columns):
            return None
        cells = ", ".join(map(quote_name, columns))
        rows = f"SELECT {cells}, row_number() OVER () AS {PLACE} FROM {opened.raw}"  # noqa: S608 (quoted)
        counted = f"SELECT {cells}, count(*) AS {COPIES}, min({PLACE}) AS {PLACE} FROM ({rows}) GROUP BY {cells}"  # noqa: S608 (quoted)
        opened.execute(f"CREATE OR REPLACE TEMP TABLE {_NAME} AS {counted}")
        return cls(opened)

    def counts(self, schema: TableSchema) -> pa.Table | None:
        """Count the rows by quasi-identifiers, and by person; None where one of these columns is named `count`."""
        named = [a.name for a in schema.quasi] + schema.names("person")
        if "count" in {name.lower() for name in named}:
            return None
        cells = ", ".join(map(quote_name, named))
        return self.opened.query(
            f"SELECT {cells}, CAST(sum({COPIES}) AS BIGINT) AS count FROM {self.relation} GROUP BY {cells}"  # noqa: S608 (quoted)
        )
