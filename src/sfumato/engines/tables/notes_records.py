"""What release.json and its private copy say of notes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from ...core.records import ColumnName, Count, HouseRecord, Private, Public, Record, Share
from ...core.storage.placed_bands import MENTIONS_FILE
from .policy_records import Size

PeopleBin = Annotated[str, StringConstraints(pattern=r"^(\d+-\d+|from \d+)$")]

__all__ = ["NotesFound", "NotesLinked", "NotesPeople", "PeopleLeft"]


class PeopleLeft(HouseRecord):
    """The people of a population whom an attacker cannot tell apart.

    `median` is in the middle of all notes, `below` the share with fewer than 11, `unique` with one; `stated` is the
    chance of naming a record that the attacker believes in, `named` how often the guess is right; `named_between` are its
    ends, where the population is known by a sample.
    """

    median: Size
    below: Share
    unique: Share
    stated: Share
    named: Share
    named_between: tuple[Share, Share] | None = None


class NotesLinked(HouseRecord):
    """How often a note is put to its own row where both are shuffled: as it was, as published.

    `table` is what the labels of a row alone allow, `random` a guess.
    """

    raw: Share
    published: Share
    table: Share
    random: Share


class NotesPeople(HouseRecord):
    """What notes add to their rows, measured on a sample of them: the row alone, with the note as it was, as published."""

    notes: Count
    row: PeopleLeft
    raw: PeopleLeft
    published: PeopleLeft
    linked: NotesLinked
    fraction: Share | None = None
    """The share of the population that the people are a sample of, where they are not all."""

    def in_words(self) -> str:
        """Return the figures in a line."""
        return (
            f"chance of naming a record: {self.row.named:.3g} by its row, {self.raw.named:.3g} with the note as it was, "
            f"{self.published.named:.3g} with the note as published (people who fit, median: {self.row.median:,.0f}, "
            f"{self.raw.median:,.0f}, {self.published.median:,.0f}){self._ends()}"
        )

    def _ends(self) -> str:
        if self.fraction is None or self.published.named_between is None:
            return ""
        low, high = self.published.named_between
        return f", estimated from a sample of {self.fraction:.3g} of the population: {low:.3g} – {high:.3g} as published"


class NotesFound(Record):
    """What was found in a column of notes, and put into the bands of the rows.

    `rewritten` counts mentions by kind, `by_value` those of them that no form gave away; `within` counts mentions
    that already said no more than their row, `contradicted` those that disagree with it, `held` the numbers that a
    guard left alone for a person to look at.
    """

    notes: Public[Count]
    rewritten: Private[dict[ColumnName, Count]] = Field(default_factory=dict)
    by_value: Private[Count] = 0
    within: Private[dict[ColumnName, Count]] = Field(default_factory=dict)
    contradicted: Private[dict[ColumnName, Count]] = Field(default_factory=dict)
    held: Private[Count] = 0
    people: Private[NotesPeople | None] = None
    people_who_fit: Public[dict[PeopleBin, Count]] = Field(default_factory=dict)
    """Published notes by the people of the population who fit the row and the note; no count is below 11."""

    def in_words(self, column: str) -> str:
        """Return what was done, for the steward."""
        kinds = ", ".join(f"{n:,} of {kind}" for kind, n in self.rewritten.items())
        done = f"put into bands: {kinds}" if kinds else "nothing had to be put into bands"
        odd = sum(self.contradicted.values())
        more = f"; {odd:,} mentions contradict their row" if odd else ""
        look = f"; {self.held:,} numbers to look at ({MENTIONS_FILE})" if self.held else ""
        behind = "" if self.people is None else f"; {self.people.in_words()}"
        return f"{column}: {self.notes:,} notes, {done}{more}{look}{behind}"
