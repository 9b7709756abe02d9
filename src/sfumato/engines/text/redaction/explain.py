"""What a candidate redacts in one document, with the score and the reason of each span."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....data.document import Document
from ..reading.features import TokenData
from ..reading.tokens import Vocabulary, labels_from_spans, tokenize
from ..sanitize.classifiers import ClassifierSet
from .rendering import merge_spans, whole_words

__all__ = ["FoundSpan", "explain"]


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A redacted span: characters `start` to `end`, its label, how likely it is, and why.

    `probability` is the largest one that a classifier gives to a word of the span; None where no
    classifier decided. `reason` is "marked" (by a person), "deny list", "rule" or "round N" with the
    threshold of that round's classifier as a probability.
    """

    start: int
    end: int
    label: str
    probability: float | None
    threshold: float | None
    reason: str


def explain(document: Document | str, classifiers: ClassifierSet) -> list[FoundSpan]:
    """Return the spans that a candidate redacts in a document.

    Parameters
    ----------
    document
        A document, whose own spans with a label of the candidate are marked by a person, or a text.
    classifiers
        The candidate.

    """
    given = Document("", document) if isinstance(document, str) else document
    vocabulary = Vocabulary()
    tokens = tokenize([given.text], vocabulary)
    data = TokenData.of(tokens, vocabulary, classifiers.knowledge)
    kind = classifiers.decide(data)
    rounds = classifiers.redactions(data)
    certainty = classifiers.certainty(data)
    marked = labels_from_spans([given], tokens, classifiers.labels)
    kind = np.where(marked > 0, marked, kind)
    kind = whole_words(tokens, vocabulary, kind)
    spans = merge_spans(tokens, vocabulary, kind)
    start, end = tokens.char_offsets()
    first = np.searchsorted(tokens.start, spans.start)
    last = np.searchsorted(tokens.start, spans.end)
    certain = {
        "marked": marked > 0,
        "deny list": classifiers.deny.matches(data) & ~classifiers.allow.matches(data),
        "rule": classifiers.ruled(data)[1] > 0,
    }
    found = []
    for a, b, k in zip(first.tolist(), last.tolist(), spans.kind.tolist(), strict=True):
        own = np.arange(a, b)[kind[a:b] == k]
        label = classifiers.labels[k - 1]
        reason = next((name for name, mask in certain.items() if mask[own].any()), None)
        if reason is not None:
            found.append(FoundSpan(int(start[a]), int(end[b - 1]), label, None, None, reason))
            continue
        number = max(1, int(rounds[own].max()))
        threshold = classifiers.classifiers[number - 1].threshold
        found.append(
            FoundSpan(
                int(start[a]), int(end[b - 1]), label, _probability(float(certainty[own].max())),
                _probability(threshold), f"round {number}",
            )
        )  # fmt: skip
    return found


def _probability(log_odds: float) -> float:
    return float(1 / (1 + np.exp(-np.clip(log_odds, -700, 700))))
