"""What a report says of notes and of several releases: sentences about what adds up."""

from __future__ import annotations

from ....core.engine import Part
from ....presentation.language import say, say_many
from ....presentation.numbers import count, decimal, percent
from ..attack_records import CompositionRecord, TablesAttack
from ..notes_records import NotesFound
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
            found += _composition(together)
    return found


def _notes(column: str, notes: NotesFound) -> list[str]:
    found = [
        say(
            "The notes in {column} ({notes}) say of their row's own values what the row shows: other mentions "
            "were put into its bands.",
            column=column,
            notes=count(notes.notes),
        )
    ]
    if notes.people is not None:
        by_row, raw, now = notes.people.row, notes.people.raw, notes.people.published
        linked = notes.people.linked
        found += [
            say(
                "The person behind the words: a record is named with a chance of {row} by its row alone, of {raw} "
                "with the note as it was, and of {now} with the note as it is published; {below} of the notes leave "
                "fewer than 11 people of the population ({row_below} of the rows alone do). The attacker's reader "
                "is not the publisher's.",
                row=decimal(by_row.named),
                raw=decimal(raw.named),
                now=decimal(now.named),
                below=percent(now.below),
                row_below=percent(by_row.below),
            ),
            say(
                "Where notes and rows are shuffled, {published} of the notes are put to their own row by what they "
                "say ({raw} of the notes as they were, {table} by somebody who knows the row's labels, {random} by "
                "chance).",
                published=percent(linked.published),
                raw=percent(linked.raw),
                table=percent(linked.table),
                random=percent(linked.random),
            ),
        ]
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
    return found


def _composition(together: CompositionRecord) -> list[str]:
    linked = together.linked
    found = [
        say(
            "Together with {earlier}, which is about {people} of the same people: the smallest group has {linked} "
            "people where rows can be linked ({first} and {second} in each release alone), {below} of the people "
            "are in groups below 11, and a record is named with a chance of {average} on average; without a link "
            "the smallest group has {unlinked}.",
            earlier=together.earlier,
            people=count(together.people),
            linked=count(linked.k),
            first=count(together.first.k),
            second=count(together.second.k),
            below=percent(linked.below),
            average=decimal(linked.average),
            unlinked=count(together.unlinked.k),
        )
    ]
    if together.changed:
        found.append(
            say(
                "{changed} of them changed a label between the two releases; {below} of these are in groups below "
                "11. A crossed band tells a birthday or a move.",
                changed=percent(together.changed),
                below=percent(together.changed_below),
            )
        )
    return found
