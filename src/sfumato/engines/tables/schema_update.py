"""Whether a schema fits new data: added and removed columns, values outside their domain, cells that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from ...core.errors import DataError
from ...data.attributes import Attribute, Domain
from ...data.inputs import RowsInput, SchemaInput
from ...data.table_schema import TableSchema
from ...data.table_source import TableSource
from .release.treatments import check_cells

__all__ = ["SchemaChange", "changes_of"]

_NEAR = 0.7  # similarity of names from which a removed and an added column may be the same


@dataclass(frozen=True)
class SchemaChange:
    """One thing that is not as the schema says.

    Parameters
    ----------
    column : str
        The column; empty for columns that the schema does not name.
    what : str
        What changed, without any value of the data.
    rows : int
        In how many rows; 0 where it is not about rows.
    hint : str
        What to do about it.

    """

    column: str
    what: str
    rows: int = 0
    hint: str = ""

    def in_words(self) -> str:
        """Return the change in one line."""
        where = f"{self.column}: " if self.column else ""
        many = "" if not self.rows else " in 1 row" if self.rows == 1 else f" in {self.rows:,} rows"  # fmt: skip
        return f"{where}{self.what}{many}." + (f" Hint: {self.hint}." if self.hint else "")


def changes_of(schema: SchemaInput, data: RowsInput) -> list[SchemaChange]:
    """List what is not as a schema says in new data.

    Parameters
    ----------
    schema : path, mapping or TableSchema
        The schema.
    data : path or frame
        The new data.

    """
    declared, opened = TableSchema.of(schema), TableSource.open(data)
    found = list(_columns(declared, opened))
    there = [a for a in declared.attributes if a.name in opened.columns]
    for attribute in there:
        if attribute.role == "quasi":
            found += _values(declared, attribute, opened)
    some = [a for a in there if a.role == "quasi" or a.publish is not None or a.date is not None]
    try:
        if any(a.role == "quasi" for a in some):
            check_cells(opened, declared.with_attributes(some))
    except DataError as error:
        found.append(SchemaChange("", str(error.args[0]).rstrip("."), hint=error.hint or ""))
    return found


def _columns(schema: TableSchema, opened: TableSource) -> Iterator[SchemaChange]:
    """Compare the columns; those that the schema does not name are named by their position."""
    names = {a.name for a in schema.attributes}
    came = [c for c in opened.columns if c not in names]
    for attribute in schema.attributes:
        if attribute.name in opened.columns:
            continue
        near = get_close_matches(attribute.name, came, n=1, cutoff=_NEAR)
        place = opened.columns.index(near[0]) + 1 if near else 0
        hint = f"is it column {place:,} now? Rename it there or in the schema" if near else "remove it from the schema"  # fmt: skip
        yield SchemaChange(attribute.name, "the column is gone", hint=hint)
    if came:
        places = ", ".join(f"{opened.columns.index(c) + 1:,}" for c in came[:10])
        many = "1 new column" if len(came) == 1 else f"{len(came):,} new columns"
        hint = 'give each a role, or undeclared = "drop" to leave them out'
        yield SchemaChange("", f"{many} (number {places})", hint=hint)


def _values(
    schema: TableSchema, attribute: Attribute, opened: TableSource
) -> Iterator[SchemaChange]:
    """Compare the values of a quasi-identifier with its domain."""
    import pyarrow as pa

    cell = schema.cell(attribute.name)
    if schema.missing == "error":
        many = _count(opened, f"{cell} IS NULL")
        if many:
            hint = 'write missing = "value" or "drop" into the schema'
            yield SchemaChange(attribute.name, "missing cells", many, hint)
    domain = schema.declared_domain(attribute)
    if domain is None:
        return
    opened.connection.register("sfumato_domain", pa.table({"value": list(domain)}))
    outside = f"{cell} IS NOT NULL AND {cell} NOT IN (SELECT value FROM sfumato_domain)"  # noqa: S608 (quoted)
    rows = _count(opened, outside)
    if not rows:
        return
    declared = attribute.domain if isinstance(attribute.domain, Domain) else None
    if declared is not None and declared.range is not None:
        yield from _beyond(attribute.name, declared.range, cell, outside, opened)
        return
    kinds = _count(opened, outside, counted=f"DISTINCT {cell}")
    what = "1 new value" if kinds == 1 else f"{kinds:,} new values"
    place = "labels" if attribute.labels is not None else "domain"
    yield SchemaChange(attribute.name, what, rows, f"add to the {place}, or correct the rows")


def _beyond(
    name: str, ends: tuple[float, float], cell: str, outside: str, opened: TableSource
) -> Iterator[SchemaChange]:
    """Yield a change for numbers below and above a range, and for what is no number."""
    low, high = ends
    number = f"TRY_CAST({cell} AS DOUBLE)"
    below, above = (
        _count(opened, f"{outside} AND {number} {side}") for side in (f"< {low}", f"> {high}")
    )
    odd = _count(opened, outside) - below - above
    opens = "both" if below and above else "low" if below else "high"
    hint = f'widen the range, or open_ends = "{opens}" takes all numbers beyond it'
    for many, what in ((below, f"below {low}"), (above, f"above {high}")):
        if many:
            yield SchemaChange(name, f"numbers {what}", many, hint)
    if odd:
        hint = "correct the rows, or declare marks of missing cells: missing_values = [...]"
        yield SchemaChange(name, "cells that are no number of the range", odd, hint)


def _count(opened: TableSource, condition: str, counted: str = "*") -> int:
    found = opened.query(f"SELECT count({counted}) AS n FROM {opened.sql} WHERE {condition}")  # noqa: S608 (quoted)
    return int(found.column("n")[0].as_py())
