"""What rules found as a feature of a token's place, for learners to weigh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....data.document import Document
from ..reading.arrays import Mask
from ..reading.features import PlaceFeature, TokenData
from ..reading.label_kinds import same_kind
from ..reading.tokens import Tokens, labels_from_spans

__all__ = ["RULES", "RULE_PLACES", "rule_matches", "rule_place", "values_of"]

RULES = "rules"
"""The name of the feature."""

_KINDS = ("NAME", "DATE", "AGE", "PHONE", "EMAIL", "URL", "ID", "LOCATION", "ORGANIZATION")
RULE_PLACES = 2 * (len(_KINDS) + 1) + 1
"""Values of the feature: nothing, or a kind (other ones together) with a weak or a firm score."""


def values_of(label: str | None = None) -> list[int]:
    """Return the values of the feature for weak matches of a label's kind; one more is a firm match."""
    kinds = [k for k, known in enumerate(_KINDS) if label is None or same_kind(label, known)]
    others = [len(_KINDS)] if label is None or not kinds else []
    return [1 + 2 * k for k in (*kinds, *others)]


def rule_place(documents: Sequence[Document], tokens: Tokens, *, firm: float = 0.7) -> PlaceFeature:
    """Return the feature of each token from the spans of the documents.

    Parameters
    ----------
    documents : sequence of Document
        The documents with what rules found as their spans.
    tokens : Tokens
        Their tokens.
    firm : float
        The score from which a match counts as firm.

    """
    names = sorted({span.label for document in documents for span in document.spans})
    kind = [
        next((k for k, known in enumerate(_KINDS) if same_kind(name, known)), len(_KINDS))
        for name in names
    ]
    sure = [
        Document(d.id, d.text, [s for s in d.spans if s.score is None or s.score >= firm])
        for d in documents
    ]
    values = np.zeros(len(tokens), np.int32)
    if names:
        number = np.array([0, *(1 + 2 * k for k in kind)], np.int32)
        values = number[labels_from_spans(documents, tokens, names)]
        values[labels_from_spans(sure, tokens, names) > 0] += 1
    return PlaceFeature(RULES, values, RULE_PLACES)


def rule_matches(data: TokenData, kind: str) -> Mask | None:
    """Return the tokens that rules match as a kind; None where the tokens do not carry what rules found.

    Parameters
    ----------
    data : TokenData
        The tokens, with the feature of the rules.
    kind : str
        The kind.

    """
    weak = values_of(kind)
    for place in data.places:
        if place.name == RULES:
            return np.isin(place.values, [*weak, *(value + 1 for value in weak)])
    return None
