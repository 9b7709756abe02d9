"""The person behind the words, at publishing: notes as they were and as they are published, against the population."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.storage.private_key import private_key
from ....data.column_treatments import MentionsTreatment
from ....data.mention_columns import mention_kind
from ....data.table import Table
from ....data.table_source import TableSource, quote_name, quote_text
from ..narrowing.measure import Narrowing, NotedRow
from ..narrowing.people import Mask, PeopleCounter
from ..space.policy import Policy
from .notes import RewrittenNotes, notes_columns

__all__ = ["add_people"]

_MOST_NOTES = 2_000


def add_people(notes: RewrittenNotes, policy: Policy, table: Table, raw: TableSource) -> None:
    """Add the people behind the words to what was found in notes; without a population nothing is added.

    At most 2,000 notes of a column are looked at, drawn by the private key.

    Parameters
    ----------
    notes : RewrittenNotes
        The table with its notes as they are published, and what was found.
    policy : Policy
        What the rows show.
    table : Table
        Domains and population.
    raw : TableSource
        The rows with the notes as they were.

    """
    if table.population_codes is None or table.population_count is None:
        return
    schema = table.schema
    counter = PeopleCounter(table.population_codes, table.population_count)
    for column in notes_columns(schema):
        way = column.publish
        assert isinstance(way, MentionsTreatment)
        kinds = {a.name: mention_kind(a) for a in schema.quasi if a.name in way.mentions}
        age = next((name for name, kind in kinds.items() if kind == "age"), None)
        words = [name for name, kind in kinds.items() if kind in {"word", "code"}]
        narrowing = Narrowing(table.names, table.domains, age, words, counter)
        rows = _rows(policy, table, raw, notes.opened, column.name)
        if rows:
            people, per_note = narrowing.measure(rows)
            found = notes.found[column.name]
            notes.found[column.name] = found.model_copy(update={"people": people})
            notes.people += [{"column": column.name, **left} for left in per_note]


def _rows(
    policy: Policy, table: Table, raw: TableSource, published: TableSource, column: str
) -> list[NotedRow]:
    """Draw rows with both notes."""
    schema = table.schema
    dates = [a for a in schema.attributes if a.date is not None and a.date.unit != "age"]
    year = "NULL"
    if dates and dates[0].date is not None:
        plain = dates[0].model_copy(update={"date": None}).cell(schema.missing_values)
        year = f"date_part('year', {dates[0].date.day(plain)})"
    cells = ", ".join(f"{schema.cell(a.name)} AS q{i}" for i, a in enumerate(schema.quasi))
    name, key = quote_name(column), quote_text(private_key().mark("notes drawn"))
    place = "row_number() OVER () AS place"
    drawn = f"SELECT {place}, {cells}, {year} AS year, {name} AS was FROM {raw.sql}"  # noqa: S608 (quoted)
    chosen = raw.query(
        f"SELECT * FROM ({drawn}) WHERE was IS NOT NULL "  # noqa: S608 (quoted)
        f"ORDER BY sha256({key} || CAST(place AS VARCHAR)) LIMIT {_MOST_NOTES}"
    ).to_pylist()
    new = published.query(f"SELECT {place}, {name} AS note FROM {published.sql}")  # noqa: S608 (quoted)
    notes = dict(zip(new.column("place").to_pylist(), new.column("note").to_pylist(), strict=True))
    codes = [{value: i for i, value in enumerate(domain)} for domain in table.domains]
    masks = [_masks(policy, a) for a in range(len(table.names))]
    found = []
    for row in chosen:
        own = [codes[a].get(str(row[f"q{a}"]), -1) for a in range(len(codes))]
        if min(own) < 0:
            continue  # left out for a missing value
        shown = tuple(masks[a][own[a]] for a in range(len(own)))
        written = None if row["year"] is None else int(row["year"])
        found.append(
            NotedRow(tuple(own), shown, str(row["was"]), str(notes[row["place"]]), written)
        )
    return found


def _masks(policy: Policy, attribute: int) -> Sequence[Mask]:
    """Return for each value which values its label leaves open."""
    size = policy.lattice.sizes[attribute]
    found = []
    for low, high in policy.spans(attribute):
        mask = np.zeros(size, np.bool_)
        mask[low : high + 1] = True
        found += [mask] * (high - low + 1)
    return found
