"""What is counted while documents are redacted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["RedactionCounts"]


@dataclass(frozen=True, slots=True)
class RedactionCounts:
    """What was counted while publishing; counts of batches add up.

    `surrogates` counts the spans that are replaced by a surrogate, by label, and under "likely false positive"
    those that became a placeholder because the classifiers think them harmless. `left_as_they_are` counts
    the marked spans whose label was not chosen, `marked` those whose label was, `scanned` the pages that a recogniser read.

    >>> (RedactionCounts(documents=1, words=7) + RedactionCounts(documents=2)).to_json()
    {'documents': 3, 'words': 7, 'redacted': {}, 'spans': {}, 'surrogates': {}, 'left_as_they_are': {}, 'marked': 0, 'scanned': 0}
    """

    documents: int = 0
    words: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict)
    spans: Mapping[str, int] = field(default_factory=dict)
    surrogates: Mapping[str, int] = field(default_factory=dict)
    left_as_they_are: Mapping[str, int] = field(default_factory=dict)
    marked: int = 0
    scanned: int = 0

    def __add__(self, other: RedactionCounts) -> RedactionCounts:
        return RedactionCounts(
            self.documents + other.documents,
            self.words + other.words,
            _add_counts(self.redacted, other.redacted),
            _add_counts(self.spans, other.spans),
            _add_counts(self.surrogates, other.surrogates),
            _add_counts(self.left_as_they_are, other.left_as_they_are),
            self.marked + other.marked,
            self.scanned + other.scanned,
        )

    def __sub__(self, other: RedactionCounts) -> RedactionCounts:
        """Return the counts without those of some of the documents."""
        less = RedactionCounts(
            -other.documents,
            -other.words,
            _negative(other.redacted),
            _negative(other.spans),
            _negative(other.surrogates),
            _negative(other.left_as_they_are),
            -other.marked,
            -other.scanned,
        )
        return self + less

    def published(self) -> dict[str, int | dict[str, int]]:
        """Return what anybody counts on the published documents; a redacted span is one, of however many words.

        >>> RedactionCounts(1, 7, {"NAME": 3}, {"NAME": 1}).published()
        {'documents': 1, 'words_published': 4, 'spans': {'NAME': 1}, 'surrogates': {}}
        """
        return {
            "documents": self.documents,
            "words_published": self.words - sum(self.redacted.values()),
            "spans": dict(self.spans),
            "surrogates": dict(self.surrogates),
        }

    def to_json(self) -> dict[str, int | dict[str, int]]:
        """Return plain values for the journal of a run."""
        return {
            "documents": self.documents,
            "words": self.words,
            "redacted": dict(self.redacted),
            "spans": dict(self.spans),
            "surrogates": dict(self.surrogates),
            "left_as_they_are": dict(self.left_as_they_are),
            "marked": self.marked,
            "scanned": self.scanned,
        }


def _add_counts(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    return {key: a.get(key, 0) + b.get(key, 0) for key in [*a, *(k for k in b if k not in a)]}


def _negative(counts: Mapping[str, int]) -> dict[str, int]:
    return {key: -count for key, count in counts.items()}
