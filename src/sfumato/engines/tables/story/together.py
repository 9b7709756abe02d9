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
