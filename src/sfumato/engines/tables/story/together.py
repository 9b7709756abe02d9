"""What a report says of notes and of several releases: sentences about what adds up."""

from __future__ import annotations

from ....core.engine import Part
from ....presentation.numbers import count, decimal, percent
from ..attack_records import CompositionRecord, TablesAttack
from ..records import TablesRelease

__all__ = ["sentences_together"]


def sentences_together(part: Part) -> list[str]:
    """Return what notes and earlier releases give away beyond the table."""
    found = []
    if isinstance(part.release, TablesRelease):
        for column, notes in part.release.measured.notes.items():
            found.append(
                f"The notes in {column} ({count(notes.notes)}) say of their row's own values what the row shows: other "
                "mentions were put into its bands."
            )
            if notes.people is not None:
                by_row, raw, now = notes.people.row, notes.people.raw, notes.people.published
                found.append(
                    f"The person behind the words: a record is named with a chance of {decimal(by_row.named)} by its row "
                    f"alone, of {decimal(raw.named)} with the note as it was, and of {decimal(now.named)} with the note as "
                    f"it is published; {percent(now.below)} of the notes leave fewer than 11 people of the population "
                    f"({percent(by_row.below)} of the rows alone do). The attacker's reader is not the publisher's."
                )
                linked = notes.people.linked
                found.append(
                    f"Where notes and rows are shuffled, {percent(linked.published)} of the notes are put to their own row by "
                    f"what they say ({percent(linked.raw)} of the notes as they were, {percent(linked.table)} by somebody who "
                    f"knows the row's labels, {percent(linked.random)} by chance)."
                )
            odd = sum(notes.contradicted.values())
            if odd:
                found.append(
                    f"{count(odd)} mentions contradict their row: errors of the register, or of the notes."
                )
    if isinstance(part.attack, TablesAttack):
        for together in part.attack.compositions:
            found += _composition(together)
    return found


def _composition(together: CompositionRecord) -> list[str]:
    linked, first, second = together.linked, together.first, together.second
    found = [
        (
            f"Together with {together.earlier}, which is about {count(together.people)} of the same people: the smallest "
            f"group has {count(linked.k)} people where rows can be linked ({count(first.k)} and {count(second.k)} in "
            f"each release alone), {percent(linked.below)} of the people are in groups below 11, and a record is "
            f"named with a chance of {decimal(linked.average)} on average; without a link the smallest group has "
            f"{count(together.unlinked.k)}."
        )
    ]
    if together.changed:
        found.append(
            f"{percent(together.changed)} of them changed a label between the two releases; {percent(together.changed_below)} "
            "of these are in groups below 11. A crossed band tells a birthday or a move."
        )
    return found
