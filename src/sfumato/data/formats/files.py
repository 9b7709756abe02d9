"""Files that are one document each: letters, spreadsheets, slides, pages.

A file is opened, its text is read from what may stay of it, and it is written again with its edits; what was
not read is dropped. The id of a document is the name of its file. Labels may be given with a file in brat's
form, in `letter.docx.ann` for `letter.docx`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from ...core.errors import (
    DataError,
    FormatError,
    InputChangedError,
    InputError,
    LimitError,
    ParameterError,
)
from ..document import Document, Edit, Edited, Segment, Span, by_place
from ..sources import Withheld
from .brat import read_annotations, safe_path, write_annotations, write_new
from .inspection import FileSummary
from .protocol import CorpusFile, Format, FormatOptions, document_from
from .verification import Digests, Verified, compare

__all__ = ["MARKS", "FileFormat", "OpenedFile", "RefusedFileError"]

MARKS = ".ann"
"""What follows the name of a file in the name of the one that holds its labels."""
_SHORTEST = 4  # characters of a removed string that is worth a search


class RefusedFileError(Exception):
    """A file that cannot be handled; the reason continues the sentence "The file …"."""

    def __init__(
        self,
        reason: str,
        hint: str | None = None,
        kind: type[InputError] = FormatError,
        *,
        in_labels: bool = False,
    ) -> None:
        super().__init__(reason)
        self.reason, self.hint, self.kind = reason, hint, kind
        self.in_labels = in_labels


@dataclass
class OpenedFile:
    """A file that was opened and cleaned: its text, and the place of each stretch of it.

    Parameters
    ----------
    text : str
        Everything that can be read, in reading order.
    segments : sequence of Segment
        Its place; an edit that no segment covers is refused.
    found : FileSummary
        What was found and what was dropped, in counts.
    orders : sequence of sequences of int
        Further orders in which the text may be read.
    scanned : int, default=0
        Pages that are pictures, and were read by a recogniser.

    """

    text: str
    segments: Sequence[Segment]
    found: FileSummary
    orders: Sequence[Sequence[int]] = field(default=())
    scanned: int = field(default=0, kw_only=True)

    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        """Return the file with the edits of each place; it is used up by that."""
        raise NotImplementedError


class FileFormat(Format[FormatOptions]):
    """What formats with one document per file share; a kind says how it is opened, made and searched."""

    unit = "document"
    is_container = True
    what: ClassVar[str]
    """What such a file is, with its article."""

    _last: tuple[Path, int, int, OpenedFile] | None = None

    @abstractmethod
    def open(self, content: bytes) -> OpenedFile:
        """Open a file by its bytes; raise `RefusedFileError` where it cannot be handled."""

    @abstractmethod
    def search(self, content: bytes, removed: Iterable[str]) -> int:
        """Count the removed strings in a written file, by a reader that shares nothing with the writer.

        None of them occurs in the text of the file, as far as this format reads it.
        """

    def is_clean(self, content: bytes, opened: OpenedFile) -> bool:  # noqa: ARG002 (some kinds look inside)
        """Return whether a file holds nothing but what may be published."""
        return not opened.found.dropped

    def create(self, text: str) -> bytes:  # noqa: ARG002 (kinds that can be made use it)
        """Return a new file that holds a text, where the format can be made of text alone."""
        raise ParameterError(
            f"{self.what[0].upper()}{self.what[1:]} cannot be made of text alone.",
            hint="convert to docx, html or jsonl.",
        )

    @classmethod
    def sniff(cls, name: str, head: bytes) -> bool:  # noqa: ARG003
        """Return whether a file is of this format, by its name."""
        return bool(cls.suffixes) and name.lower().endswith(cls.suffixes)

    @property
    def _suffix(self) -> str:
        return self.suffixes[0] if self.suffixes else ".txt"

    @property
    def holds_ids(self) -> bool:
        """The id is the name of the file."""
        return True

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_last"}

    def new_id(self, document: Document, mark: str) -> str:
        """Return the name under which a document is published."""
        known = next((s for s in self.suffixes if document.id.lower().endswith(s)), None)
        return f"{mark}{known or self._suffix}"

    def comparable(self, text: str) -> str:
        """Return a text without white space: where an edit ends a line, the line is still there."""
        return "".join(text.split())

    # --- reading ---------------------------------------------------------------------------------

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        try:
            part.name.encode()
        except UnicodeEncodeError:
            yield Withheld(
                "record 1", "has a file name that is not UTF-8", 1, "", None, FormatError
            )
            return
        try:
            opened = self._open_path(part.file)
            spans = self._marks(part.file, opened.text)
        except RefusedFileError as error:
            yield Withheld(
                part.name, error.reason, 1, part.name, error.hint, error.kind, error.in_labels
            )
            return
        names = replace(self.names, id="id")
        document = document_from(
            names, part, 1, raw_id=part.name, text=opened.text, raw_spans=spans,
            segments=opened.segments,
        )  # fmt: skip
        if isinstance(document, Document) and (opened.orders or opened.scanned):
            document = replace(document, orders=opened.orders, scanned=opened.scanned)
        yield document

    def _open_path(self, path: Path) -> OpenedFile:
        """Return a file opened, and remember it: it is nearly always written next."""
        self._last = None
        content = self._content(path)
        opened = self.open(content)
        if len(opened.text) > self.names.limits.document_characters:
            hint = self.names.limits.hint("document_characters")
            raise RefusedFileError("has a text beyond the limit of characters", hint, LimitError)
        state = path.stat()
        self._last = (path, state.st_size, state.st_mtime_ns, opened)
        return opened

    def _content(self, path: Path) -> bytes:
        try:
            if path.stat().st_size > self.names.limits.record_bytes:
                hint = self.names.limits.hint("record_bytes")
                raise RefusedFileError("is a file beyond the limit of bytes", hint, LimitError)
            return path.read_bytes()
        except OSError:
            raise RefusedFileError("cannot be opened for reading") from None

    def _marks(self, path: Path, text: str) -> list[Span]:
        """Return the labels beside a file."""
        beside = path.with_name(path.name + MARKS)
        if not beside.is_file():
            return []
        try:
            return read_annotations(beside, text, self.names.limits)
        except InputError as error:
            reason = error.message.rstrip(".")
            raise RefusedFileError(reason, error.hint, type(error), in_labels=True) from None

    def inspect(self, part: CorpusFile) -> FileSummary:
        """Return what a file holds and what would be dropped of it."""
        try:
            opened = self._open_path(part.file)
        except RefusedFileError as error:
            found = FileSummary(self.name)
            found.withhold(error.reason)
            return found
        self._last = None
        opened.found.add(Document(part.name, opened.text))
        return opened.found

    # --- writing ---------------------------------------------------------------------------------

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        """Write the document of a part; without a part, a folder with a new file for each document."""
        if part is None or part.path is None:
            out.mkdir(exist_ok=True)
            for one in edited:
                name = one.id if self.sniff(one.id, b"") else f"{one.id}{self._suffix}"
                place = safe_path(out, name)
                place = place.with_name(place.name.removesuffix(".txt"))
                write_new(place, self.create(one.text), one.id)
                write_annotations(place.with_name(place.name + MARKS), one, came=False)
            return
        written = False
        for one in edited:
            if written:
                raise DataError(f"Two documents would be written to the file of {one.id!r}.")
            opened = self._take(part.path)
            if opened.text != one.document.text:
                raise InputChangedError
            document = replace(one.document, segments=opened.segments)
            out.write_bytes(opened.save(by_place(document, one.edits)))
            write_annotations(out.with_name(out.name + MARKS), one, came=False)
            written = True

    def _take(self, path: Path) -> OpenedFile:
        """Return a file opened; the one that was just read, if it is that."""
        last, self._last = self._last, None
        if last is not None and last[0] == path:
            state = path.stat()
            if (state.st_size, state.st_mtime_ns) == last[1:3]:
                return last[3]
        try:
            return self.open(self._content(path))
        except RefusedFileError as error:
            raise InputChangedError from error  # fmt: skip

    # --- reading back ----------------------------------------------------------------------------

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield the document of a written file; one in which there is something to drop is withheld."""
        if not part.file.exists():
            return
        for record in self.read(part):
            last, self._last = self._last, None
            if last is not None and not self.is_clean(b"", last[3]):
                yield Withheld(part.name, "holds more than its text", 1, part.name)
            else:
                yield record

    def sought(self, removed: Iterable[str], published: str) -> set[str]:
        """Return the removed strings to search a written file for: those that its text does not hold anyway."""
        squeezed = "".join(published.split())
        wanted = {"".join(text.split()) for text in removed}
        return {text for text in wanted if len(text) >= _SHORTEST and text not in squeezed}

    def verify(self, part: CorpusFile, expected: Digests, removed: Iterable[str] = ()) -> Verified:
        """Read a written file again, twice: by the reader of this format, and by a second reader."""
        found, published = Digests(), ""
        for record in self.read_back(part):
            if isinstance(record, Withheld):
                found.add_unreadable()
            else:
                found.add(self.digest(record.id, record.text, record.fields, record.spans))
                published = record.text
        wanted = self.sought(removed, published)
        exists = wanted and part.file.exists()
        leaks = self.search(part.file.read_bytes(), wanted) if exists else 0
        return compare(expected, found, leaks)
