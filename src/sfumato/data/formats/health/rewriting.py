"""What is done to the strings that a walk through a record meets: they are collected or replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from ....core.errors import InputError
from ...document import Edit, Segment, apply
from ..files import FileFormat, OpenedFile, RefusedFileError
from .iso_dates import shift_iso
from .pseudonyms import Pseudonyms, has_pseudonym, is_mark
from .scanning import ScannedResource

__all__ = ["CollectedTexts", "EditedTexts", "Json", "Rewriting", "rewrite_file"]

Json = dict[str, object]
_DAY = 10  # characters of a date with its day


class Rewriting(Protocol):
    """What is done to the strings that a walk meets."""

    def text(self, text: str, is_new: bool = True) -> str:
        """Return the replacement of a free text; `is_new` says that a line ends before it."""

    def file(self, form: FileFormat, content: bytes) -> bytes | None:
        """Return the replacement of an attached file; None drops it."""

    def identifier(self, value: str) -> str:
        """Return the replacement of an id or number."""

    def reference(self, value: str) -> str:
        """Return the replacement of a reference."""

    def date(self, value: str) -> str | None:
        """Return the replacement of a date; None drops it."""

    def drop(self, what: str) -> None:
        """Note that something is dropped."""

    def enter(self, resource: Json, url: object) -> None:
        """Begin a resource inside a bundle, which may be about another person."""


def _open_file(form: FileFormat, content: bytes) -> OpenedFile | None:
    """Return an attached file opened; None for one that cannot be handled."""
    try:
        return form.open(content)
    except (RefusedFileError, InputError):
        return None


class CollectedTexts:
    """The texts of a resource, with the segments that they make, and what else is in it."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.segments: list[Segment] = []
        self.orders: list[Sequence[int]] = []
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

    def file(self, form: FileFormat, content: bytes) -> bytes | None:
        opened = _open_file(form, content)
        if opened is None:
            self.drop("an attachment")
            return None
        if not form.is_clean(content, opened):
            self.drop("a part of an attachment")
        if self._end:
            self.pieces.append("\n")
            self._end += 1
        start = self._end
        self.pieces.append(opened.text)
        for segment in opened.segments:
            own = Segment(start + segment.start, start + segment.end, str(len(self.segments)))
            self.segments.append(own)
        self.orders += [[i if i < 0 else start + i for i in order] for order in opened.orders]
        self._end += len(opened.text)
        return content

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
        The places of its texts.
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
        self.files: list[tuple[FileFormat, bytes]] = []

    def text(self, text: str, is_new: bool = True) -> str:  # noqa: ARG002
        segment = next(self._next, None)
        if segment is None or self._text[segment.start : segment.end] != text:
            self.is_same = False
            return ""
        edits = self._edits.get(segment.place)
        return text if edits is None else apply(text, edits)

    def file(self, form: FileFormat, content: bytes) -> bytes | None:
        opened = _open_file(form, content)
        if opened is None:
            return None
        edits: dict[str, Sequence[Edit]] = {}
        for inner in opened.segments:
            segment = next(self._next, None)
            known = opened.text[inner.start : inner.end]
            if segment is None or self._text[segment.start : segment.end] != known:
                self.is_same = False
                return None
            if segment.place in self._edits:
                edits[inner.place] = self._edits[segment.place]
        written = opened.save(edits)
        self.files.append((form, written))
        return written

    def still_holds(self, removed: Sequence[str], published: str) -> bool:
        """Return whether a file that was written holds what was removed, by the second reader of its format."""
        for form, content in self.files:
            wanted = form.sought(removed, published)
            try:
                if wanted and form.search(content, wanted):
                    return True
            except Exception:  # whatever it meets, the file is not as it should be
                return True
        return False

    def date(self, value: str) -> str | None:
        return shift_iso(value, self._days)

    def date_bytes(self, value: bytes) -> bytes:
        """Return the replacement of a date in bytes; its day was mostly moved before."""
        if len(value) < _DAY:
            return (self.date(value.decode()) or "").encode()
        return self._pseudonyms.move_day(value[:_DAY], self._days) + value[_DAY:]

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


def rewrite_file(kind: str, content: bytes, to: Rewriting) -> bytes | None:
    """Return the replacement of an attached file of a type, by its own format; None drops it.

    Parameters
    ----------
    kind : str
        Its type, such as application/pdf.
    content : bytes
        The file.
    to : Rewriting
        What is done to its words.

    """
    from ..mail.attachments import format_of_type

    form = format_of_type(kind)
    if form is None:
        to.drop("an attachment")
        return None
    return to.file(form, content)
