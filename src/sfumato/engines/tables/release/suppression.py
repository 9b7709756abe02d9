"""What a release suppresses: rows with a missing value, groups that are too small, and blanked cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....core.errors import ParameterError
from ....data.table import Table
from ....data.table_schema import TableSchema
from ....data.table_source import TableSource, quote_name
from ..contingency.cells import Cells
from ..contingency.widths import spanned_by_attribute
from ..groups.cell_suppression import NOT_JOINED, blank_cells
from ..groups.histories import people_of
from ..groups.people import People
from ..groups.record_suppression import suppress_groups
from ..groups.sensitive_columns import sensitive_columns
from ..payload import TablesPayload
from ..space.labels import ALL
from ..space.policy import Policy
from .rows import BLANKS, NUMBER, SMALL, Generaliser

__all__ = [
    "SuppressedGroups",
    "SuppressedPeople",
    "linked_rows",
    "published_labels",
    "rows_of_groups",
    "rows_without_value",
    "small_groups_of",
    "suppress_people",
]


def rows_without_value(opened: TableSource, table: Table) -> list[dict[str, str]]:
    """List the rows with a missing quasi-identifier, where the schema drops them, by their number."""
    if not table.dropped:
        return []
    cells = [table.schema.cell(a.name) for a in table.schema.quasi]
    missing = " OR ".join(f"{cell} IS NULL" for cell in cells)
    numbered = f"SELECT row_number() OVER () AS place, {missing} AS is_missing FROM {opened.sql}"  # noqa: S608 (quoted)
    found = opened.query(f"SELECT place FROM ({numbered}) WHERE is_missing ORDER BY place")  # noqa: S608 (quoted)
    reason = "has no value for a quasi-identifier"
    return [{"id": f"row {n}", "reason": reason} for n in found.column("place").to_pylist()]


@dataclass(frozen=True)
class SuppressedGroups:
    """Suppressed groups by their published labels, and how many records they hold."""

    groups: pa.Table
    records: int


@dataclass(frozen=True)
class SuppressedPeople:
    """People who are suppressed with all their rows: the numbers of the rows, and the records."""

    rows: pa.Array
    records: int
    people: int

    def counts(self) -> dict[str, int]:
        """Return how many people and rows are suppressed."""
        return {"suppressed_people": self.people, "suppressed_rows": len(self.rows)}

    def withheld(self) -> list[dict[str, str]]:
        """List the rows by their number, and why they are suppressed."""
        reason = "is of a person in a group that is too small or lacks diversity"
        return [{"id": f"row {n}", "reason": reason} for n in self.rows.to_pylist()]


def suppress_people(
    policy: Policy, payload: TablesPayload, table: Table, opened: TableSource
) -> SuppressedPeople | None:
    """Find the people in groups that are too small, where people are counted and may be suppressed."""
    if table.pairs is None or payload.conditions.max_suppressed <= 0:
        return None
    if payload.conditions.suppress_as == "cells":
        if table.schema.joined:
            raise ParameterError(NOT_JOINED)
        return None
    cells = _cells(policy, payload, table)
    people = people_of(table, cells)
    assert people is not None
    columns = sensitive_columns(table, cells, people, payload.conditions)
    out = people.mark_suppressed(policy.bits, columns)
    if not out.any():
        return None
    schema = table.schema
    assert schema.person is not None
    missing = " OR ".join(f"{schema.cell(a.name)} IS NULL" for a in schema.quasi)
    dropped = missing if schema.missing == "drop" else "false"
    rows = (
        f"SELECT row_number() OVER () AS place, {schema.cell(schema.person.name)} AS p, "  # noqa: S608 (quoted)
        f"{dropped} AS dropped FROM {opened.sql}"
    )
    numbered = f"SELECT place, dense_rank() OVER (ORDER BY p) - 1 AS person FROM ({rows}) WHERE NOT dropped"  # noqa: S608 (quoted)
    opened.connection.register(SMALL, pa.table({"person": np.flatnonzero(out)}))
    found = opened.query(
        f"SELECT place FROM ({numbered}) SEMI JOIN {SMALL} USING (person) ORDER BY place"  # noqa: S608 (quoted)
    )
    records = int(out[people.person].sum())
    return SuppressedPeople(found.column("place").combine_chunks(), records, int(out.sum()))


def _cells(policy: Policy, payload: TablesPayload, table: Table) -> Cells:
    return Cells(
        policy.lattice.sizes, table.codes, table.count, table.population_codes,
        table.population_count, least_sample=payload.min_sample, least_population=payload.min_population,
        spanned=spanned_by_attribute(policy.lattice.domains, table.codes, table.count),
    )  # fmt: skip


def small_groups_of(
    policy: Policy, payload: TablesPayload, table: Table
) -> tuple[SuppressedGroups | None, SuppressedGroups | None]:
    """Find the groups that are suppressed, and those with blanked cells, where the exploration allowed it."""
    if payload.conditions.max_suppressed <= 0:
        return None, None
    if payload.conditions.suppress_as == "cells" and not table.schema.joined:
        return _blanks(policy, payload, table)
    if table.pairs is not None:  # people are suppressed, with all their rows
        return None, None
    return _small(policy, payload, table), None


def _blanks(
    policy: Policy, payload: TablesPayload, table: Table
) -> tuple[SuppressedGroups | None, SuppressedGroups | None]:
    cells = _cells(policy, payload, table)
    people = people_of(table, cells)
    columns = sensitive_columns(table, cells, people, payload.conditions)
    found, _, _ = blank_cells(
        cells, policy.bits, people if isinstance(people, People) else None, columns
    )
    labels = [
        np.array(policy.labels(a), dtype=object)[found.codes[a]] for a in range(len(table.names))
    ]
    out = blanks = None
    if found.left.any():
        groups = pa.table({n: labels[a][found.left] for a, n in enumerate(table.names)})
        out = SuppressedGroups(groups, found.rows_suppressed)
    some = (found.blanks > 0) & ~found.left
    if some.any():
        shown = {f"l{a}": labels[a][some] for a in range(len(labels))}
        for a in range(len(labels)):
            on = (found.blanks[some] >> a) & 1 == 1
            shown[f"b{a}"] = np.where(on, ALL, shown[f"l{a}"])
        blanks = SuppressedGroups(pa.table(shown), found.rows_blanked)
    return out, blanks


def _small(policy: Policy, payload: TablesPayload, table: Table) -> SuppressedGroups | None:
    cells = _cells(policy, payload, table)
    columns = sensitive_columns(table, cells, None, payload.conditions)
    found, out = suppress_groups(cells, policy.bits, columns)
    if not out.any():
        return None
    label = policy.lattice.label
    names = {}
    for a, name in enumerate(table.names):
        spans = policy.spans(a)
        of_value = np.repeat(np.arange(len(spans)), [high - low + 1 for low, high in spans])
        shown = of_value[cells.codes[a, : cells.occupied][out]]
        names[name] = [label(a, *spans[i]) for i in shown.tolist()]
    groups = pa.table(names).group_by(list(table.names)).aggregate([])
    return SuppressedGroups(groups, found.records)


def linked_rows(
    generaliser: Generaliser,
    opened: TableSource,
    small: SuppressedGroups | None,
    blanks: SuppressedGroups | None = None,
) -> TableSource | None:
    """Return the published labels with the person of each row, where the schema names one."""
    if generaliser.schema.person is None:
        return None
    sql = generaliser.linked_sql(opened)
    return TableSource.open(
        opened.query(published_labels(sql, opened, generaliser.schema, small, blanks))
    )


def published_labels(
    sql: str,
    opened: TableSource,
    schema: TableSchema,
    small: SuppressedGroups | None,
    blanks: SuppressedGroups | None,
) -> str:
    """Write the query of labels without the groups that are suppressed, and with the cells that are blanked."""
    if small is not None:
        opened.connection.register(SMALL, small.groups)
        using = ", ".join(quote_name(n) for n in small.groups.column_names)
        sql = f"SELECT * FROM ({sql}) ANTI JOIN {SMALL} USING ({using})"  # noqa: S608 (quoted)
    if blanks is not None:
        names = [quote_name(a.name) for a in schema.quasi]
        opened.connection.register(BLANKS, blanks.groups)
        shown = ", ".join(f"coalesce(b{i}, {name}) AS {name}" for i, name in enumerate(names))
        same = " AND ".join(f"l{i} = {name}" for i, name in enumerate(names))
        others = f"* EXCLUDE ({', '.join(f'l{i}, b{i}' for i in range(len(names)))})"
        sql = f"SELECT {others} REPLACE ({shown}) FROM ({sql}) LEFT JOIN {BLANKS} ON {same}"  # noqa: S608 (quoted)
    return sql


def rows_of_groups(
    opened: TableSource, generaliser: Generaliser, small: SuppressedGroups
) -> list[dict[str, str]]:
    """List the rows whose group is suppressed, by their number."""
    opened.connection.register(SMALL, small.groups)
    using = ", ".join(quote_name(n) for n in small.groups.column_names)
    found = opened.query(
        f"SELECT {quote_name(NUMBER)} AS place FROM ({generaliser.numbered_sql(opened)}) "  # noqa: S608 (quoted)
        f"SEMI JOIN {SMALL} USING ({using}) ORDER BY place"
    )
    reason = "is in a group that is too small or lacks diversity"
    return [{"id": f"row {n}", "reason": reason} for n in found.column("place").to_pylist()]
