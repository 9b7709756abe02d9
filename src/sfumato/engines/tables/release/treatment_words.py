"""How columns other than quasi-identifiers are published, in words for release.json."""

from __future__ import annotations

from ....data.column_treatments import Treatment
from ....data.table_schema import TableSchema
from .weights import shared_in_words

__all__ = ["treatments_in_words"]


def treatments_in_words(schema: TableSchema) -> dict[str, str]:
    """Return how columns that are no quasi-identifiers are changed, for people."""
    ways = {a.name: a.publish or a.date for a in schema.attributes if a.role == "other"}
    found = {name: way.in_words() for name, way in ways.items() if way is not None}
    weights = {a.name: a.publish for a in schema.attributes if a.role == "weight"}
    found |= {n: shared_in_words(w) for n, w in weights.items() if isinstance(w, Treatment)}
    if schema.joined and schema.person is not None:
        found[schema.person.name] = (
            "a mark for each person, made with a private key and different for each policy"
        )
    return found
