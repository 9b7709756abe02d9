"""A document with its labelled spans: the unit that the text engine learns from and publishes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..core.errors import DataError

__all__ = ["Document", "Span"]


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (exclusive) carry a label; `score` where a tool gave one."""

    start: int
    end: int
    label: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A text with an id, sorted non-overlapping spans, and any other fields, kept as they are.

    >>> Document("d1", "Ann called.", [Span(0, 3, "NAME")]).checked().spans[0].label
    'NAME'
    """

    id: str
    text: str
    spans: Sequence[Span] = ()
    extra: Mapping[str, object] = field(default_factory=dict)

    def checked(self) -> Document:
        """Return the document, or say by offsets which span breaks a rule."""
        before, length = 0, len(self.text)
        for span in self.spans:
            if not 0 <= span.start < span.end <= length:
                raise DataError(
                    f"{self._where(span)} is empty or outside its text of {length} characters.",
                    hint="offsets count characters from 0; the end is exclusive.",
                )
            if span.start < before:
                raise DataError(
                    f"{self._where(span)} overlaps the one before it or is out of order.",
                    hint="sort the spans and keep the longest of those that overlap, or give --format auto:overlaps=merge.",
                )
            before = span.end
        return self

    def _where(self, span: Span) -> str:
        return f"The span {span.start}–{span.end} of document {self.id!r}"
