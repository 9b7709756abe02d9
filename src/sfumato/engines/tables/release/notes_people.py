"""How many people fit a row and its note: measured for notes as they were and as they are published."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from ....core.storage.private_key import private_key
from ....data.column_treatments import MentionsTreatment
from ....data.mention_columns import mention_kind
from ....data.table import Table
from ....data.table_source import TableSource, quote_name, quote_text
from ..measures.sampling import fraction_of
from ..narrowing.measure import Narrowing, NotedRow
from ..narrowing.people import Mask, PeopleCounter
from ..narrowing.sampled import SampleOf
from ..space.policy import Policy
from .notes import RewrittenNotes, notes_columns

__all__ = ["add_people", "bins_of"]

_MOST_NOTES = 2_000
_FEW = 11
_BINS = (1, 11, 101, 1_001, 10_001)


def add_people(
    notes: RewrittenNotes,
    policy: Policy,
    table: Table,
    raw: TableSource,
    sampling_fraction: float | None = None,
) -> None:
    """Add the people behind the words to what was found in notes; without a population nothing is added.

    Where the table is itself a sample of the population, people are estimated from it, with their interval.

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
    sampling_fraction : float, optional
        The share of the population that the table holds.

    """
    counter = _people_of(table, sampling_fraction)
    if counter is None:
        return
    schema = table.schema
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
            fit = {} if counter.sample else bins_of(narrowing.people_who_fit(rows))
            notes.found[column.name] = found.model_copy(
                update={"people": people, "people_who_fit": fit}
            )
            notes.people += [{"column": column.name, **left} for left in per_note]


def _people_of(table: Table, sampling_fraction: float | None) -> PeopleCounter | None:
    """Return the population, or the table as a sample of it."""
    if table.population_codes is not None and table.population_count is not None:
        return PeopleCounter(table.population_codes, table.population_count)
    fraction = fraction_of(table, sampling_fraction)
    if fraction is None:
        return None
    return PeopleCounter(table.codes, table.count.astype(np.float64), SampleOf(fraction))


def bins_of(people: Sequence[float], least: int = _FEW) -> dict[str, int]:
    """Return how many notes leave how many people; bins with fewer than the least number are merged.

    >>> bins_of([5] * 3 + [50] * 20 + [500] * 40)
    {'1-100': 23, 'from 101': 40}
    """
    counted = [0] * len(_BINS)
    for number in people:
        counted[bisect_right(_BINS, number) - 1] += 1
    bins: list[list[int]] = []  # first people, notes
    for start, notes in zip(_BINS, counted, strict=True):
        if bins and bins[-1][1] < least:
            bins[-1][1] += notes
        else:
            bins.append([start, notes])
    while len(bins) > 1 and bins[-1][1] < least:
        start, notes = bins.pop()
        bins[-1][1] += notes
    if bins[0][1] < least:
        return {}
    ends = [f"{bins[i][0]}-{bins[i + 1][0] - 1}" for i in range(len(bins) - 1)]
    return dict(zip([*ends, f"from {bins[-1][0]}"], [n for _, n in bins], strict=True))


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
            continue  # suppressed for a missing value
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
