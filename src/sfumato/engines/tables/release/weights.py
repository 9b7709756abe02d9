"""Weights of a survey as they are published: so that at least k people share each.

A weight is made of what a survey knows of a person, and is often as good as a name: two decimals tell most of
a sample apart. So a column of weights is published in groups of neighbours that belong to at least k people,
each with the mean of its group, unless the schema says how it is published.
"""

from __future__ import annotations

import warnings

from ....core.errors import PrivacyWarning
from ....data.column_treatments import Treatment
from ....data.table_schema import TableSchema

__all__ = ["shared_in_words", "warn_of_weights", "with_shared_weights"]


def with_shared_weights(schema: TableSchema, k: int) -> TableSchema:
    """Return the schema with its weights averaged over k people or more, where it does not say otherwise."""
    if not any(a.role == "weight" and a.publish is None for a in schema.attributes):
        return schema
    shared = Treatment(microaggregate=k)
    return schema.with_attributes(
        [
            a.model_copy(update={"publish": shared})
            if a.role == "weight" and a.publish is None
            else a
            for a in schema.attributes
        ]
    )


def shared_in_words(treatment: Treatment) -> str:
    """Return how weights are published, for people.

    >>> shared_in_words(Treatment(microaggregate=5)), shared_in_words(Treatment(round=10))
    ('rounded so that at least 5 people share each', 'rounded to multiples of 10')
    """
    if treatment.microaggregate is None:
        return treatment.in_words()
    return f"rounded so that at least {treatment.microaggregate:,} people share each"


def warn_of_weights(name: str, before: int, after: int, people: int) -> None:
    """Warn of people whom nobody shares the weight with: in the table, and in the release.

    Parameters
    ----------
    name : str
        The column of the weights.
    before, after : int
        The people who are alone by their weight, as it was and as it is published.
    people : int
        All of them.

    """
    if not before:
        return
    are = "is" if before == 1 else "are"
    message = f"{before:,} of {people:,} people {are} alone by their weight {name!r}"
    if after:
        message += (
            f", and {after:,} stay so as it is published. Hint: publish = {{ round = … }} with a larger "
            "step, or without publish it is rounded so that k people share each."
        )
    else:
        message += ": it is published so that several people share each. Hint: publish = { round = … } chooses a step."
    warnings.warn(message, PrivacyWarning, stacklevel=3)
