"""The policy inside the notes: what a note says of its row's own values goes into the bands that the row shows.

It happens here, where the row as it was is at hand; what is published of it is known, too, blanked cells included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from ....core.storage.held_numbers import held_entry
from ....core.storage.placed_bands import text_hash
from ....data.attributes import Attribute
from ....data.column_treatments import MentionsTreatment
from ....data.mention_columns import mention_kind
from ....data.table_schema import TableSchema
from ....data.table_source import TableSource, cell_text, quote_name, quote_text
from ....mentions import Band, OwnValues, OwnWord, Rewritten, rewrite
from ....mentions.languages import LANGUAGES
from ....mentions.own import OPEN, age_band, days_of
from ..notes_records import NotesFound
from .rows import BLANKS, NUMBER, Generaliser

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RewrittenNotes", "notes_columns", "rewrite_notes"]

_BATCH_ROWS = 2_000
_ALL = "*"
_age_band, _days_of = lru_cache(maxsize=4096)(age_band), lru_cache(maxsize=4096)(days_of)


def notes_columns(schema: TableSchema) -> list[Attribute]:
    """Return the columns of notes whose mentions are put into bands."""
    return [a for a in schema.attributes if isinstance(a.publish, MentionsTreatment)]


@dataclass
class RewrittenNotes:
    """The table with its notes rewritten, what was counted, and the list for the steward."""

    opened: TableSource
    found: dict[str, NotesFound] = field(default_factory=dict)
    lines: list[dict[str, object]] = field(default_factory=list)
    people: list[dict[str, object]] = field(default_factory=list)
    """Per note that was drawn, the people who fit its row, and with it the note as it was and as published."""


def rewrite_notes(
    opened: TableSource, generaliser: Generaliser, blanks: pa.Table | None
) -> RewrittenNotes:
    """Rewrite the notes of a table, column by column.

    Parameters
    ----------
    opened : TableSource
        The rows that are published.
    generaliser : Generaliser
        What each value is published as.
    blanks : pa.Table or None
        Which cells of which groups are blanked.

    """
    done = RewrittenNotes(opened)
    for number, attribute in enumerate(notes_columns(generaliser.schema)):
        _NotesColumn(done, generaliser, blanks, attribute, f"sfumato_notes_{number}").rewrite()
    return done


@dataclass(frozen=True)
class _Mentioned:
    """A column that notes mention: how its value and its label are read from a row."""

    attribute: Attribute
    kind: str
    value: str
    label: str
    day: str = "NULL"


class _NotesColumn:
    """One column of notes."""

    def __init__(
        self,
        done: RewrittenNotes,
        generaliser: Generaliser,
        blanks: pa.Table | None,
        attribute: Attribute,
        stored: str,
    ) -> None:
        self.done, self.generaliser, self.blanks = done, generaliser, blanks
        self.attribute, self.stored = attribute, stored
        self.schema = generaliser.schema
        assert isinstance(attribute.publish, MentionsTreatment)
        self.way = attribute.publish
        at = self.way.at
        self.at = None if at is None else Band(at.toordinal(), at.toordinal())
        self.mentioned = [self._mentioned(name) for name in self.way.mentions]

    def rewrite(self) -> None:
        """Rewrite the column and put it in place of the old one."""
        import pyarrow as pa

        opened = self.done.opened
        counts = _NoteCounts()
        opened.execute(f"CREATE OR REPLACE TABLE {self.stored} (place BIGINT, note VARCHAR)")
        for batch in opened.batches(self._query(), _BATCH_ROWS):
            places, notes = [], []
            for row in batch.to_pylist():
                made = self._rewrite_row(row, counts)
                if made is not None and made.edits:
                    places.append(row["place"])
                    notes.append(made.text)
            if places:
                table = pa.table({"place": pa.array(places, pa.int64()), "note": notes})
                # Another cursor: the rows are still being read through this one.
                cursor = opened.connection.cursor()
                cursor.register("sfumato_new_notes", table)
                cursor.execute(f"INSERT INTO {self.stored} SELECT * FROM sfumato_new_notes")  # noqa: S608 (ours)
        self.done.found[self.attribute.name] = counts.record()
        self.done.opened = self._replaced(opened)

    def _replaced(self, opened: TableSource) -> TableSource:
        """Return the table with the new notes, rows in their order."""
        place, name = quote_name("sfumato place"), quote_name(self.attribute.name)

        def replaced(relation: str) -> str:
            rows = f"SELECT *, row_number() OVER () AS {place} FROM {relation}"  # noqa: S608 (quoted)
            joined = f"({rows}) r LEFT JOIN {self.stored} n ON r.{place} = n.place"
            cells = ", ".join(
                f"coalesce(n.note, CAST(r.{name} AS VARCHAR)) AS {name}"
                if c == self.attribute.name
                else f"r.{quote_name(c)}"
                for c in opened.columns
            )
            return f"(SELECT {cells} FROM {joined} ORDER BY r.{place})"  # noqa: S608 (quoted)

        return replace(opened, sql=replaced(opened.sql), raw=replaced(opened.raw))

    # --- what is read ----------------------------------------------------------------------------

    def _mentioned(self, name: str) -> _Mentioned:
        schema = self.schema
        attribute = next(a for a in schema.attributes if a.name == name)
        kind = mention_kind(attribute)
        plain = cell_text(name, missing=[*schema.missing_values, *attribute.missing_values])
        label = self._label_of(attribute, kind)
        value, day = plain, "NULL"
        if attribute.date is not None:
            day = f"strftime({attribute.date.day(plain)}, '%Y-%m-%d')"
        elif kind in {"birth", "date"}:
            day = f"strftime(TRY_CAST({plain} AS DATE), '%Y-%m-%d')"
        if kind == "age" and attribute.date is not None:
            value = schema.cell(name)
        return _Mentioned(attribute, kind, value, label, day)

    def _label_of(self, attribute: Attribute, kind: str) -> str:
        """Return the SQL of what the row shows of a column."""
        if attribute.role == "quasi":
            return self._shown(attribute.name)
        if attribute.role == "other" and attribute.date is not None:
            plain = cell_text(attribute.name, missing=self.schema.missing_values)
            return attribute.date.release_sql(plain, None, "")
        if attribute.role in {"other", "sensitive", "weight"}:  # published as it is
            return f"CAST({quote_name(attribute.name)} AS VARCHAR)"
        if kind in {"word", "code"} and attribute.meaning in {"place", "zip"}:
            area = self._area()
            if area is not None:
                return self._shown(area)
        return quote_text(_ALL)

    def _shown(self, name: str) -> str:
        """Return the SQL of the label of a quasi-identifier."""
        return f"l.label_{[a.name for a in self.schema.quasi].index(name)}"

    def _area(self) -> str | None:
        """Return the published column of a place of the row, where there is one."""
        for name in self.way.mentions:
            found = next(a for a in self.schema.attributes if a.name == name)
            if found.role == "quasi" and mention_kind(found) in {"word", "code"}:
                return name
        return None

    def _query(self) -> str:
        """Write the query of each row's note, its own values and its labels."""
        opened, schema = self.done.opened, self.schema
        place, label_place = quote_name(NUMBER), quote_name("sfumato label place")
        labels = self.generaliser.numbered_sql(opened)
        if self.blanks is not None:
            labels = self._blanked(labels)
        columns = [
            f"l.{label_place} AS place",
            f"CAST({quote_name(self.attribute.name)} AS VARCHAR) AS note",
        ]
        for i, mentioned in enumerate(self.mentioned):
            columns += [
                f"{mentioned.value} AS v{i}",
                f"{mentioned.label} AS b{i}",
                f"{mentioned.day} AS d{i}",
            ]
        names = ", ".join(f"{quote_name(a.name)} AS label_{i}" for i, a in enumerate(schema.quasi))
        labels = f"SELECT {place} AS {label_place}, {names} FROM ({labels})"  # noqa: S608 (quoted)
        rows = f"SELECT *, row_number() OVER () AS {place} FROM {opened.sql}"  # noqa: S608 (quoted)
        return (
            f"SELECT {', '.join(columns)} FROM ({rows}) r "  # noqa: S608 (quoted)
            f"JOIN ({labels}) l ON r.{place} = l.{label_place} ORDER BY l.{label_place}"
        )

    def _blanked(self, labels: str) -> str:
        names = [a.name for a in self.schema.quasi]
        opened = self.done.opened
        opened.connection.register(BLANKS, self.blanks)
        same = " AND ".join(f"l{i} = {quote_name(name)}" for i, name in enumerate(names))
        shown = ", ".join(
            f"coalesce(b{i}, {quote_name(name)}) AS {quote_name(name)}"
            for i, name in enumerate(names)
        )
        return f"SELECT {quote_name(NUMBER)}, {shown} FROM ({labels}) LEFT JOIN {BLANKS} ON {same}"  # noqa: S608 (quoted)

    # --- what is written -------------------------------------------------------------------------

    def _rewrite_row(self, row: Mapping[str, object], counts: _NoteCounts) -> Rewritten | None:
        note = row["note"]
        if not isinstance(note, str) or not note:
            return None
        made = rewrite(note, self._own(row), self.way.languages or LANGUAGES)
        counts.add(made)
        if made.edits or made.held or made.contradicted:
            self.done.lines.append(
                {
                    "column": self.attribute.name,
                    "row": row["place"],
                    "text_sha256": text_hash(made.text),
                    "bands": [
                        [e.new_start, e.new_end, e.kind, note[e.start : e.end]] for e in made.edits
                    ],
                    "held": [held_entry(made.text, *span) for span in made.held],
                    "contradicted": dict(made.contradicted),
                }
            )
        return made

    def _own(self, row: Mapping[str, object]) -> OwnValues:
        """Return what a row says of its person, and what is published of it."""
        own = OwnValues(at=self.at)
        words = []
        for i, mentioned in enumerate(self.mentioned):
            value, label, day = row[f"v{i}"], str(row[f"b{i}"]), row[f"d{i}"]
            when = None if day is None else date.fromisoformat(str(day)).toordinal()
            if mentioned.kind == "age":
                age = _whole(value)
                own = replace(own, age=age, age_band=None if age is None else _age_band(label))
                if when is not None:
                    own = replace(own, birth=Band(when, when))
            elif mentioned.kind == "birth" and when is not None:
                own = replace(own, birth=Band(when, when))
                if label != _ALL:  # published itself, and not only by the age
                    own = replace(own, shown_birth=_days_of(label))
            elif mentioned.kind == "date" and when is not None:
                band = OPEN if label == _ALL else _days_of(label)
                own = replace(own, visit=when, visit_band=band)
            elif value is not None and mentioned.kind in {"word", "code"}:
                name = self._shown_name(mentioned)
                words.append(OwnWord(name, str(value), label, is_code=mentioned.kind == "code"))
        return replace(own, words=tuple(words))

    def _shown_name(self, mentioned: _Mentioned) -> str:
        if mentioned.attribute.role in {"identifier", "person"}:
            return self._area() or mentioned.attribute.name
        return mentioned.attribute.name


@dataclass
class _NoteCounts:
    """What was counted in a column of notes."""

    notes: int = 0
    rewritten: Counter[str] = field(default_factory=Counter)
    by_value: int = 0
    kept: Counter[str] = field(default_factory=Counter)
    contradicted: Counter[str] = field(default_factory=Counter)
    held: int = 0

    def add(self, made: Rewritten) -> None:
        self.notes += 1
        self.rewritten.update(e.kind for e in made.edits)
        self.by_value += sum(e.how == "net" for e in made.edits)
        self.kept += made.kept
        self.contradicted += made.contradicted
        self.held += len(made.held)

    def record(self) -> NotesFound:
        return NotesFound(
            notes=self.notes,
            rewritten=dict(sorted(self.rewritten.items())),
            by_value=self.by_value,
            within=dict(sorted(self.kept.items())),
            contradicted=dict(sorted(self.contradicted.items())),
            held=self.held,
        )


def _whole(value: object) -> int | None:
    try:
        return int(float(str(value)))
    except (ValueError, OverflowError):
        return None
