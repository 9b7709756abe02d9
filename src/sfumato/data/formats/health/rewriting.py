"""What is done to the strings that a walk through a record meets: they are collected, or replaced by what stands for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from ...document import Edit, Segment, apply
from .iso_dates import shift_iso
from .pseudonyms import Pseudonyms, has_pseudonym, is_mark
from .scanning import ScannedResource

__all__ = ["CollectedTexts", "EditedTexts", "Json", "Rewriting"]

Json = dict[str, object]
_DAY = 10  # characters of a date with its day


class Rewriting(Protocol):
    """What is done to the strings that a walk meets."""

    def text(self, text: str, is_new: bool = True) -> str:
        """Return what stands for a free text; `is_new` says that a line ends before it."""

    def identifier(self, value: str) -> str:
        """Return what stands for an id or number."""

    def reference(self, value: str) -> str:
        """Return what stands for a reference."""

    def date(self, value: str) -> str | None:
        """Return what stands for a date; None drops it."""

    def drop(self, what: str) -> None:
        """Note that something is dropped."""

    def enter(self, resource: Json, url: object) -> None:
        """Begin a resource inside a bundle, which may be about another person."""


class CollectedTexts:
    """The texts of a resource, with the segments that they make, and what else is in it."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.segments: list[Segment] = []
        self.dropped: dict[str, int] = {}
        self.scanned: ScannedResource | None = None
        self._unkeyed = self._end = 0

    @property
    def whole(self) -> str:
        """The text of the document."""
        return "".join(self.pieces)

    @property
    def unkeyed(self) -> int:
        """How many ids and references do not have the form of those that are made here."""
        return self._unkeyed if self.scanned is None else self.scanned.count_unkeyed()

    def text(self, text: str, is_new: bool = True) -> str:
        if is_new and self._end:
            self.pieces.append("\n")
            self._end += 1
        self.pieces.append(text)
        start, self._end = self._end, self._end + len(text)
        self.segments.append(Segment(start, self._end, str(len(self.segments))))
        return text

    def identifier(self, value: str) -> str:
        self._unkeyed += not is_mark(value)
        return value

    def reference(self, value: str) -> str:
        self._unkeyed += not has_pseudonym(value)
        return value

    def date(self, value: str) -> str | None:
        return value

    def drop(self, what: str) -> None:
        self.dropped[what] = self.dropped.get(what, 0) + 1

    def enter(self, resource: Json, url: object) -> None:
        pass


class EditedTexts:
    """The texts of a document with their edits, handed out in order, and the pseudonyms of its steward.

    Parameters
    ----------
    text : str
        The text of the document, as it was read.
    segments : sequence of Segment
        Where its texts stand.
    edits : mapping of str to sequence of Edit
        What is done to each of them.
    pseudonyms : Pseudonyms
        Ids and shifts.
    person : callable
        Returns the person whom a resource is about.

    """

    def __init__(
        self, text: str, segments: Sequence[Segment], edits: Mapping[str, Sequence[Edit]],
        pseudonyms: Pseudonyms, person: Callable[[Json, object], str],
    ) -> None:  # fmt: skip
        self._text, self._edits, self._person = text, edits, person
        self._next: Iterator[Segment] = iter(segments)
        self.identifier, self.reference = pseudonyms.id, pseudonyms.reference
        self.reference_bytes = pseudonyms.reference_bytes
        self._pseudonyms, self._days = pseudonyms, 0
        self.is_same = True

    def text(self, text: str, is_new: bool = True) -> str:  # noqa: ARG002
        segment = next(self._next, None)
        if segment is None or self._text[segment.start : segment.end] != text:
            self.is_same = False
            return ""
        edits = self._edits.get(segment.place)
        return text if edits is None else apply(text, edits)

    def date(self, value: str) -> str | None:
        return shift_iso(value, self._days)

    def date_bytes(self, value: bytes) -> bytes:
        """Return what stands for a date in bytes; its day was moved before, mostly."""
        if len(value) < _DAY:
            return (self.date(value.decode()) or "").encode()
        return self._pseudonyms.moved_day(value[:_DAY], self._days) + value[_DAY:]

    def drop(self, what: str) -> None:
        pass

    def enter(self, resource: Json, url: object) -> None:
        self.shift_for(self._person(resource, url))

    def shift_for(self, person: str) -> None:
        """Shift dates from here on as those of a person."""
        self._days = self._pseudonyms.days(person)

    @property
    def is_done(self) -> bool:
        """Whether each text was handed out, as it was read."""
        return self.is_same and next(self._next, None) is None
