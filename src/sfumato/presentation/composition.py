"""What reports say of two releases of the same people."""

from __future__ import annotations

from ..core.composition.records import CompositionRecord
from .language import say
from .numbers import count, decimal, percent

__all__ = ["tell_composition"]


def tell_composition(together: CompositionRecord) -> list[str]:
    """Return the sentences about two releases of the same people."""
    linked, first, second = together.linked, together.first, together.second
    found = [
        say(
            "Together with {earlier}, which is about {people} of the same people: the smallest group has {k} people where rows can be linked ({first} and {second} in each release alone), {below} of the people are in groups below 11, and a record is named with a chance of {average} on average; without a link the smallest group has {unlinked}.",
            earlier=together.earlier,
            people=count(together.people),
            k=count(linked.k),
            first=count(first.k),
            second=count(second.k),
            below=percent(linked.below),
            average=decimal(linked.average),
            unlinked=count(together.unlinked.k),
        )
    ]
    if together.changed:
        found.append(
            say(
                "{changed} of them are shown differently by the two releases; {below} of these are in groups below 11. A crossed band tells a birthday or a move, an item that comes or goes what happened in between.",
                changed=percent(together.changed),
                below=percent(together.changed_below),
            )
        )
    return found
