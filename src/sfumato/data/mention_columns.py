"""Columns of notes whose mentions of the row's own values are published in the row's bands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from .column_treatments import MentionsTreatment

if TYPE_CHECKING:
    from .attributes import Attribute

__all__ = ["MentionKind", "check_mentions", "mention_kind"]

MentionKind = Literal["age", "birth", "date", "code", "word"]
_AGES = {"age", "alter", "âge", "edad", "età", "eta", "leeftijd", "idade", "years", "age_years"}
_BY_MEANING: dict[str, MentionKind] = {
    "age": "age", "birth date": "birth", "date": "date", "zip": "code", "place": "word",
}  # fmt: skip


def mention_kind(attribute: Attribute) -> MentionKind:
    """Return how the values of a column are looked for in notes."""
    if attribute.meaning in _BY_MEANING:
        return _BY_MEANING[attribute.meaning]
    if attribute.date is not None:
        return "age" if attribute.date.unit == "age" else "date"
    if attribute.name.lower() in _AGES:
        return "age"
    domain = attribute.domain
    values = None if domain is None or isinstance(domain, str) else domain.values
    if values and all(any(c.isdigit() for c in str(value)) for value in values):
        return "code"
    return "word"


def check_mentions(attributes: list[Attribute]) -> None:
    """Refuse a schema whose notes are to mention what the schema does not name, or what has no band."""
    by_name = {a.name: a for a in attributes}
    for notes in attributes:
        if not isinstance(notes.publish, MentionsTreatment):
            continue
        for name in notes.publish.mentions:
            if name not in by_name or name == notes.name:
                raise ValueError(
                    f"the notes in {notes.name!r} are to mention {name!r}, which is not another attribute"
                )
            moved = by_name[name].date
            if moved is not None and moved.shift is not None:
                raise ValueError(
                    f"the dates in {name!r} are moved, so the notes cannot mention them in bands"
                )
