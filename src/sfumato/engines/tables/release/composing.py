"""Earlier releases of the same people: what they reveal together with this one is measured before it appears."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....core.composition.records import CompositionRecord
from ....core.composition.releases import earlier_releases, judge_together
from ....data.table_schema import TableSchema
from ....data.table_source import TableSource, quote_name, quote_text
from ..composition.measure import measure_composition
from ..composition.people import MARK, PEOPLE_FILE, SHOWN, KnownPeople
from .distinct_rows import DistinctRows
from .rows import BLANKS, NUMBER, SMALL, Generaliser
from .suppression import SuppressedGroups

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["people_of_rows", "refuse_joint_risk"]

_DIGITS = 16  # hexadecimal digits of the mark of a person: 64 bits


def people_of_rows(
    generaliser: Generaliser,
    opened: TableSource,
    key: str,
    small: SuppressedGroups | None,
    blanks: SuppressedGroups | None,
    distinct: DistinctRows | None = None,
) -> pa.Table | None:
    """Return a mark of each published person and the labels of the first row; None where no column names one.

    Parameters
    ----------
    generaliser : Generaliser
        What each value is published as.
    opened : TableSource
        The rows.
    key : str
        Private; marks are made with it.
    small, blanks : SuppressedGroups or None
        The groups that are suppressed, and the cells that are blanked.
    distinct : DistinctRows, optional
        The same rows, each once.

    """
    schema = generaliser.schema
    named = schema.names("person") or schema.names("identifier")
    if not named:
        return None
    names = [a.name for a in schema.quasi]
    shown = [n for n in _columns_as_they_are(schema) if n in opened.columns]
    carried = {MARK: _mark_sql(schema, named, key)} | {SHOWN + n: quote_name(n) for n in shown}
    labels = generaliser.numbered_sql(opened, carried, distinct)
    if small is not None:
        opened.connection.register(SMALL, small.groups)
        using = ", ".join(quote_name(n) for n in small.groups.column_names)
        labels = f"SELECT * FROM ({labels}) ANTI JOIN {SMALL} USING ({using})"  # noqa: S608 (quoted)
    if blanks is not None:
        opened.connection.register(BLANKS, blanks.groups)
        same = " AND ".join(f"l{i} = {quote_name(name)}" for i, name in enumerate(names))
        parts = [f"coalesce(b{i}, {quote_name(n)}) AS {quote_name(n)}" for i, n in enumerate(names)]
        listed = ", ".join([*map(quote_name, (NUMBER, *carried)), *parts])
        labels = f"SELECT {listed} FROM ({labels}) LEFT JOIN {BLANKS} ON {same}"  # noqa: S608 (quoted)
    listed = ", ".join(map(quote_name, (NUMBER, MARK, *names, *(SHOWN + n for n in shown))))
    found = opened.query(f"SELECT {listed} FROM ({labels})")  # noqa: S608 (quoted)
    return _first_of_each(found)


def _mark_sql(schema: TableSchema, named: Sequence[str], key: str) -> str:
    """Return the SQL of the mark of a row's person: a keyed SHA-256, not the database's own hash."""
    who = " || chr(31) || ".join(f"coalesce({schema.cell(n)}, '')" for n in named)
    digest = f"substr(sha256({quote_text(f'{key} people ')} || {who}), 1, {_DIGITS})"
    return f"CAST('0x' || {digest} AS UBIGINT)"


def _first_of_each(rows: pa.Table) -> pa.Table:
    """Return the first row of each mark, in the order of marks, without the rows' numbers."""
    places, marks = (rows.column(name).to_numpy(zero_copy_only=False) for name in (NUMBER, MARK))
    order = np.lexsort((places, marks))
    sorted_marks = marks[order]
    is_first = np.ones(len(order), np.bool_)
    is_first[1:] = sorted_marks[1:] != sorted_marks[:-1]
    return rows.drop_columns([NUMBER]).take(order[is_first])


def _columns_as_they_are(schema: TableSchema) -> list[str]:
    """Return the columns that are published as they are."""
    return [
        a.name
        for a in schema.attributes
        if a.role == "sensitive" or (a.role == "other" and a.publish is None and a.date is None)
    ]


def refuse_joint_risk(
    out: str | os.PathLike[str], rows: pa.Table | None, max_joint_risk: float | None
) -> list[CompositionRecord]:
    """Measure a release with those next to it that are of the same people; refuse, or warn of, what adds up.

    Parameters
    ----------
    out : path
        Where the release will be.
    rows : pa.Table or None
        Its people.
    max_joint_risk : float, optional
        The maximum individual risk of the releases together.

    """
    if rows is None:
        return []
    own = KnownPeople(Path(out).name, rows)
    measured = (
        measure_composition(KnownPeople.of(path), own)
        for path in earlier_releases(out, PEOPLE_FILE)
    )
    return judge_together(measured, max_joint_risk, engine="tables")
