"""A document, its metadata and its edits.

A format reads every text of its container into `Document.text`; `Document.segments` says where each stretch of
it lives. What is decided about a document is a list of edits in characters of that text. Plain formats apply
the edits, containers cut by them, and nobody compares texts afterwards.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..core.errors import DataError

__all__ = [
    "Document",
    "Edit",
    "Edited",
    "Segment",
    "Span",
    "apply",
    "by_place",
    "place_edits",
    "texts_sha256",
    "unite",
]


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (exclusive) carry a label; `score` where a tool gave one."""

    start: int
    end: int
    label: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters `start` to `end` of a document's text become `replacement`, because they are a `label`."""

    start: int
    end: int
    replacement: str
    label: str


@dataclass(frozen=True, slots=True)
class Segment:
    """Characters `start` to `end` of a document's text live at `place`, an address of the format's own.

    Characters in no segment were made by the reader, such as the space between two cells.
    """

    start: int
    end: int
    place: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text with an id, sorted non-overlapping spans, and its other fields as they were read.

    Parameters
    ----------
    id : str
        The id; unique in its corpus.
    text : str
        Every text of the document, in reading order.
    spans : sequence of Span, default=()
        What a person or a tool marked.
    fields : mapping, default={}
        The other fields or columns of the record.
    segments : sequence of Segment, default=()
        Where the text lives in its container; without any it is one piece.
    orders : sequence of sequences of int, default=()
        Further orders in which the text may be read, as indices into it; -1 is a space that nobody wrote.
    part : str, default=""
        The file of the corpus that it came from.
    record : int, default=0
        Its number in that file, from 1.
    scanned : int, default=0
        How many of its pages are pictures that a recogniser read.

    >>> Document("d1", "Ann called.", [Span(0, 3, "NAME")]).checked().spans[0].label
    'NAME'

    """

    id: str
    text: str
    spans: Sequence[Span] = ()
    fields: Mapping[str, object] = field(default_factory=dict)
    # Where a text came from makes no other document of it.
    segments: Sequence[Segment] = field(default=(), compare=False)
    orders: Sequence[Sequence[int]] = field(default=(), compare=False)
    part: str = field(default="", compare=False)
    record: int = field(default=0, compare=False)
    scanned: int = field(default=0, compare=False)

    @property
    def text_sha256(self) -> str:
        """The hash of the text: offsets hold for this text only."""
        return hashlib.sha256(self.text.encode()).hexdigest()

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


def texts_sha256(documents: Iterable[Document]) -> str:
    """Return the hash of the texts of documents in their order: offsets hold for these texts only.

    >>> texts_sha256([Document("a", "x")]) == texts_sha256([Document("b", "x")])
    True
    """
    digest = hashlib.sha256()
    for document in documents:
        digest.update(bytes.fromhex(document.text_sha256))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Edited:
    """A document with what is done to it; `id`, `fields` and `spans` as they are published."""

    document: Document
    edits: Sequence[Edit]
    id: str
    fields: Mapping[str, object] = field(default_factory=dict)
    spans: Sequence[Span] = ()

    @classmethod
    def unchanged(cls, document: Document) -> Edited:
        """Return a document to be written as it is, with its marks."""
        return cls(document, (), document.id, document.fields, document.spans)

    @property
    def text(self) -> str:
        """The text as it is published."""
        return apply(self.document.text, self.edits)


def apply(text: str, edits: Sequence[Edit]) -> str:
    """Return a text with its edits, which must be in order and free of overlaps.

    >>> apply("Ann Lee rang.", [Edit(0, 7, "[NAME]", "NAME")])
    '[NAME] rang.'
    """
    pieces: list[str] = []
    at, size = 0, len(text)
    for edit in edits:
        start, end = edit.start, edit.end
        if not at <= start <= end <= size:
            raise DataError(
                f"The edit {start}–{end} overlaps the one before it or is outside its text."
            )
        pieces += (text[at:start], edit.replacement)
        at = end
    return "".join(pieces) + text[at:]


def by_place(document: Document, edits: Sequence[Edit]) -> dict[str, list[Edit]]:
    """Return the edits of each place, in characters of what lives there.

    An edit over several segments is cut at their ends: its replacement goes where it begins, the rest is
    deleted. An edit of characters that the reader made, and of no others, has no place and is refused.

    >>> document = Document("d", "An n", segments=[Segment(0, 2, "a"), Segment(3, 4, "b")])
    >>> by_place(document, [Edit(0, 4, "X", "NAME")])["b"]
    [Edit(start=0, end=1, replacement='', label='NAME')]
    """
    segments = document.segments or (Segment(0, len(document.text), ""),)
    found: dict[str, list[Edit]] = {}
    first, count = 0, len(segments)
    for edit in edits:
        while first < count and segments[first].end <= edit.start:
            first += 1
        replacement: str | None = edit.replacement
        for at in range(first, count):
            segment = segments[at]
            if segment.start >= edit.end:
                break
            start, end = max(edit.start, segment.start), min(edit.end, segment.end)
            if start < end:
                own = Edit(
                    start - segment.start, end - segment.start, replacement or "", edit.label
                )
                found.setdefault(segment.place, []).append(own)
                replacement = None
        if replacement:
            raise DataError(
                f"The edit {edit.start}–{edit.end} of document {document.id!r} has no place."
            )
    return found


def place_edits(document: Document, edits: Sequence[Edit]) -> Sequence[Edit]:
    """Return the edits without the characters at their ends that the reader made, such as the name of a header.

    >>> document = Document("d", "From: Ann", segments=[Segment(6, 9, "From")])
    >>> place_edits(document, [Edit(0, 4, "X", "NAME"), Edit(4, 9, "Y", "NAME")])
    [Edit(start=6, end=9, replacement='Y', label='NAME')]
    """
    segments = document.segments
    if not segments:
        return edits
    starts, ends = [own.start for own in segments], [own.end for own in segments]
    found = []
    for edit in edits:
        first, last = bisect_right(ends, edit.start), bisect_left(starts, edit.end) - 1
        if first > last:
            continue
        start, end = max(edit.start, starts[first]), min(edit.end, ends[last])
        if start < end:
            is_same = (start, end) == (edit.start, edit.end)
            found.append(edit if is_same else Edit(start, end, edit.replacement, edit.label))
    return found


def unite(edits: Sequence[Edit]) -> list[Edit]:
    """Return edits in order; those that overlap become one, with the replacement of the longest.

    >>> unite([Edit(2, 4, "[B]", "B"), Edit(0, 3, "[A]", "A")])
    [Edit(start=0, end=4, replacement='[A]', label='A')]
    """
    united: list[Edit] = []
    longest = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end, e.label)):
        last = united[-1] if united else None
        if last is None or edit.start >= last.end:
            united.append(edit)
            longest = edit.end - edit.start
            continue
        leader = last
        if edit.end - edit.start > longest:
            leader, longest = edit, edit.end - edit.start
        united[-1] = Edit(last.start, max(last.end, edit.end), leader.replacement, leader.label)
    return united
