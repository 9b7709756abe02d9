"""What a report says about notes and several releases: sentences about what adds up."""

from __future__ import annotations

from ....core.engine import Part
from ....presentation.composition import tell_composition
from ....presentation.language import say, say_many
from ....presentation.numbers import count, decimal, percent
from ..attack_records import TablesAttack
from ..notes_records import NotesFound, NotesPeople
from ..records import TablesRelease

__all__ = ["sentences_together"]


def sentences_together(part: Part) -> list[str]:
    """Return what notes and earlier releases give away beyond the table."""
    found = []
    if isinstance(part.release, TablesRelease):
        for column, notes in part.release.measured.notes.items():
            found += _notes(column, notes)
    if isinstance(part.attack, TablesAttack):
        for together in part.attack.compositions:
            found += tell_composition(together)
    return found


def _notes(column: str, notes: NotesFound) -> list[str]:
    found = [
        say(
            "The notes in {column} ({notes}) say of their row's own values what the row shows: other mentions were put into its bands.",
            column=column,
            notes=count(notes.notes),
        )
    ]
    if notes.people is not None:
        found += _people(notes.people)
    if notes.people_who_fit:
        found.append(
            say(
                "People of the population who fit a row and its published note: {bins}.",
                bins="; ".join(_bin(name, n) for name, n in notes.people_who_fit.items()),
            )
        )
    odd = sum(notes.contradicted.values())
    if odd:
        found.append(
            say_many(
                odd,
                "{n} mention contradicts its row: an error of the register, or of the note.",
                "{n} mentions contradict their row: errors of the register, or of the notes.",
                n=count(odd),
            )
        )
    if notes.held:
        found.append(
            say(
                "{held} numbers equal a value of their row and were left as they are, because they look like doses, measurements or durations: they are listed for a person to look at.",
                held=count(notes.held),
            )
        )
    return found


def _bin(name: str, notes: int) -> str:
    low, _, high = name.removeprefix("from ").partition("-")
    if not high:
        return say("{low} or more for {notes} notes", low=count(int(low)), notes=count(notes))
    return say("{low} to {high} for {notes} notes", low=count(int(low)), high=count(int(high)), notes=count(notes))  # fmt: skip


def _people(people: NotesPeople) -> list[str]:
    by_row, raw, now, linked = people.row, people.raw, people.published, people.linked
    between = []
    if people.fraction is not None and now.named_between is not None:
        between.append(
            say(
                "The table is taken as a sample of {fraction} of the population: the chance with the published note is between {low} and {high} (95 %).",
                fraction=percent(people.fraction),
                low=decimal(now.named_between[0]),
                high=decimal(now.named_between[1]),
            )
        )
    return [
        say(
            "The person behind the words: a record is named with a chance of {row} by its row alone, of {raw} with the note as it was, and of {now} with the note as it is published; {below} of the notes leave fewer than 11 people of the population ({row_below} of the rows alone do). The attacker's reader is not the publisher's.",
            row=decimal(by_row.named),
            raw=decimal(raw.named),
            now=decimal(now.named),
            below=percent(now.below),
            row_below=percent(by_row.below),
        ),
        say(
            "Where notes and rows are shuffled, {published} of the notes are put to their own row by what they say ({raw} of the notes as they were, {table} by somebody who knows the row's labels, {random} by chance).",
            published=percent(linked.published),
            raw=percent(linked.raw),
            table=percent(linked.table),
            random=percent(linked.random),
        ),
        *between,
    ]
