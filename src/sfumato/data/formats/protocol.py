"""The contract of a document format, and what the formats share.

A format reads the records of a file (or a folder) as documents, writes documents with their edits in the same
form, and reads back what was written, by code that shares nothing with the writing. `registry.FORMATS` holds
the formats; another package adds its own under the entry-point group `sfumato.formats`.
"""

# ruff: noqa: ARG002 (all formats share one protocol)
from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ...core.errors import DataError, FormatError, InputError, LimitError, ParameterError
from ..document import Document, Edited, Segment, Span
from ..findings import as_spans, resolve
from ..limits import Limits, current_limits
from ..sources import Withheld
from .header_words import is_header
from .inspection import FileSummary
from .page_views import PageView
from .verification import Digests, Verified, compare, find_removed

if TYPE_CHECKING:
    from .lines import LineBlock, SeenMarks

__all__ = [
    "EVERY_FIELD",
    "CorpusFile",
    "FieldNames",
    "Format",
    "FormatOptions",
    "checked_columns",
    "document_from",
    "encodable",
    "span_fields",
    "spans_as_json",
]


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file of a corpus (or one folder, or one frame) with the name it is written back under.

    `many` says that it is one of several, so that numbers alone do not name its records.
    """

    name: str
    path: Path | None
    many: bool = False

    @property
    def file(self) -> Path:
        """The path, of a part that is on disk."""
        assert self.path is not None
        return self.path


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Which field or column is the text, the id and the spans, and what is done about overlaps."""

    text: str = "text"
    id: str | None = "id"
    spans: str = "spans"
    overlaps: str = "error"
    limits: Limits = field(default_factory=current_limits)

    def __post_init__(self) -> None:
        if self.overlaps not in ("error", "merge", "best"):
            rule = "one of 'error', 'merge', 'best'"
            raise ParameterError.constraint("overlaps", "read_documents", rule, self.overlaps)
        names = [name for name in (self.text, self.id, self.spans) if name is not None]
        if len(set(names)) < len(names):
            raise ParameterError("The text, the id and the spans must be three different fields.")


class FormatOptions(BaseModel):
    """What can be said about the reading of one format; a format with options declares its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


EVERY_FIELD = "*"
"""Among the fields that are kept: all of them, where another engine has treated them."""
O = TypeVar("O", bound=FormatOptions)


class Format(ABC, Generic[O]):
    """Reads documents, writes them with their edits, and reads back what was written.

    Parameters
    ----------
    names : FieldNames, optional
        Which fields hold the text, the id and the spans.
    options : FormatOptions, optional
        What was said about the reading; an instance of the format's `Options`.

    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]] = ()
    """How the names of its files end, without .gz; a format without any is asked for by name."""
    unit: ClassVar[Literal["file", "folder", "frame", "document"]] = "file"
    """What one part of a corpus is; a folder holds one file per document, a document is one file."""
    is_container: ClassVar[bool] = False
    """Whether a file has other streams than its text: they are all searched for what was removed."""
    is_table: ClassVar[bool] = False
    """Whether the text is a column of a table."""
    as_table: ClassVar[str | None] = None
    """The format that reads its files as a table, where a column of text is named."""
    is_written_in_order: ClassVar[bool] = False
    """Whether documents are written as they come, and the writer itself hides their order where that is asked for."""
    person_field: ClassVar[str | None] = None
    """The field that names the person of a document, where records say it themselves."""
    version: ClassVar[str] = "1"
    """The version of the reader: offsets are only as stable as it."""
    reads_scans: bool = True
    """Whether pages that are pictures may be read by a recogniser; else a document with some is withheld."""
    Options: ClassVar[type[FormatOptions]] = FormatOptions

    def __init__(self, names: FieldNames | None = None, options: O | None = None) -> None:
        self.names = FieldNames() if names is None else names
        self.options: O = self.Options() if options is None else options  # type: ignore[assignment]

    @classmethod
    def from_options(cls, names: FieldNames, options: Mapping[str, object]) -> Format[O]:
        """Return the format with options by name; refuse those that it does not take."""
        unknown = sorted(set(options).difference(cls.Options.model_fields))
        if unknown:
            raise ParameterError(
                f"The format {cls.name!r} does not take the options {', '.join(unknown)}."
            )
        try:
            return cls(names, cls.Options(**options))  # type: ignore[arg-type]
        except ValidationError as error:
            found = error.errors()[0]
            rule = str(found["ctx"]["error"]) if "error" in found.get("ctx", {}) else found["msg"]
            raise ParameterError.constraint(
                str(found["loc"][0]), "read_documents", rule, found["input"]
            ) from None

    @classmethod
    def sniff(cls, name: str, head: bytes) -> bool:  # noqa: ARG003
        """Return whether a file is of this format, by its name and its first bytes (b"" if not read)."""
        return bool(cls.suffixes) and name.lower().removesuffix(".gz").endswith(cls.suffixes)

    @property
    def reader(self) -> str:
        """The name and version of the reader, as records keep it."""
        return f"{self.name} {self.version}"

    @property
    def holds_ids(self) -> bool:
        """Whether the ids of documents are written, so that they can be read back."""
        return self.names.id is not None

    def is_document(self, part: CorpusFile) -> bool:
        """Return whether a part is one document, whose id is its name."""
        return self.unit == "document"

    @abstractmethod
    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield each record of a part, in order, as a document or as withheld."""

    @abstractmethod
    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:
        """Write documents to a file or folder in the form of `part`; gzip where the name of `out` ends in .gz."""

    def publish_fields(self, document: Document, keep: Sequence[str]) -> Mapping[str, object]:
        """Return the fields of a document that are published: those that are kept by name, or all."""
        return {n: v for n, v in document.fields.items() if n in keep or EVERY_FIELD in keep}

    def new_id(self, document: Document, mark: str) -> str:
        """Return the id under which a document is published, from 16 random hexadecimal digits."""
        return mark

    def shift_by(self, days: Callable[[str], int]) -> None:
        """Shift the dates of each person in the records as those in their texts are; most formats have none."""

    def blocks(
        self, part: CorpusFile, seen: SeenMarks, *, size: int, keep: Sequence[str] | None = None
    ) -> Iterator[LineBlock] | None:
        """Return a part as blocks of columns, where the format can be read so; None elsewhere."""
        return None

    def inspect(self, part: CorpusFile) -> FileSummary:
        """Return what a part holds and what would be lost of it, in counts; nothing is written."""
        found = FileSummary(self.name)
        try:
            for record in self.read(part):
                if isinstance(record, Withheld):
                    found.withhold(record.reason)
                else:
                    found.add(record)
        except InputError as error:
            reason = error.message.replace(f"The file {part.name!r}", "The file")
            found.withhold(reason.replace(repr(part.name), "the file").rstrip("."))
        return found

    # --- reading back ----------------------------------------------------------------------------

    def page_views(self, part: CorpusFile) -> Sequence[PageView]:
        """Return the pages of a file, where the format has pages."""
        return ()

    def page_picture(self, part: CorpusFile, number: int) -> bytes:
        """Return a page of a file, from 0, as a PNG, where the format has pages."""
        raise InputError("The file has no such page.")

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        """Yield what a written part holds, with everything in it that `read` passes over."""
        return self.read(part)

    def comparable(self, text: str) -> str:
        """Return a text without what the reader makes itself; texts are compared in this form."""
        return text

    def digest(
        self, id: str, text: str, fields: Mapping[str, object], spans: Sequence[Span]
    ) -> bytes:
        """Return the digest of a document as it is published."""
        known = (id if self.holds_ids else None, self.comparable(text))
        return Digests.of(*known, {n: v for n, v in fields.items() if n != self.names.id}, spans)

    def digest_of(self, edited: Edited) -> bytes:
        """Return the digest of a document with its edits, as it is published."""
        return self.digest(edited.id, edited.text, edited.fields, edited.spans)

    def verify(self, part: CorpusFile, expected: Digests, removed: Iterable[str] = ()) -> Verified:
        """Read a written part again and compare it with what was decided.

        Parameters
        ----------
        part : CorpusFile
            What was written.
        expected : Digests
            The digests of the documents, as they were decided.
        removed : iterable of str
            What was removed from a container and is nowhere in its published text.

        """
        found = Digests()
        for record in self.read_back(part):
            if isinstance(record, Withheld):
                found.add_unreadable()
            else:
                found.add(self.digest(record.id, record.text, record.fields, record.spans))
        leaks = find_removed(part.file, removed) if self.is_container else 0
        return compare(expected, found, leaks)


def document_from(
    names: FieldNames,
    part: CorpusFile,
    record: int,
    *,
    raw_id: object,
    text: object,
    raw_spans: object,
    fields: Mapping[str, object] | None = None,
    segments: Sequence[Segment] = (),
) -> Document | Withheld:
    """Check the pieces of one record and make it a document, or say why it cannot be one."""
    limits = names.limits
    name = f"record {record}"

    def withheld(
        reason: str,
        kind: type[InputError] = DataError,
        hint: str | None = None,
        *,
        in_labels: bool = False,
    ) -> Withheld:
        return Withheld(name, reason, record, part.name, hint, kind, in_labels)

    if names.id is None:
        name = f"{part.name}:{record}" if part.many else str(record)
    elif isinstance(raw_id, str | int) and not isinstance(raw_id, bool) and str(raw_id):
        if len(str(raw_id)) > limits.id_characters:
            reason = f"has an id of {len(str(raw_id)):,} characters"
            return withheld(reason, LimitError, limits.hint("id_characters"))
        if not encodable(str(raw_id)):
            return withheld("has an id with half a surrogate pair, which is not Unicode text")
        name = str(raw_id)
    else:
        hint = 'give every record an id, a text or a whole number; --id "" (id=None) numbers the records.'
        return withheld(f"has no usable id in {names.id!r}", hint=hint)
    if not isinstance(text, str):
        what = "nothing" if text is None or isinstance(text, float) else f"a {type(text).__name__}"
        return withheld(f"holds {what} where its text should be",
                        hint="drop the record or give it a text; an empty text is fine.")  # fmt: skip
    if len(text) > limits.document_characters:
        reason = f"has a text of {len(text):,} characters"
        return withheld(reason, LimitError, limits.hint("document_characters"))
    if not encodable(text):
        return withheld("holds half a surrogate pair, which is not Unicode text")
    try:
        spans: Sequence[Span] = as_spans(raw_spans)
        if names.overlaps != "error":
            spans = resolve(spans, names.overlaps)
        elif any(map(_later, spans, spans[1:])):
            spans = sorted(spans, key=lambda s: (s.start, s.end, s.label))
        return Document(
            name, text, tuple(spans), fields or {}, segments, (), part.name, record
        ).checked()
    except DataError as error:
        reason = f"is refused: {error.message.rstrip('.')}"
        return withheld(reason, hint=error.hint, in_labels=True)


def _later(one: Span, other: Span) -> bool:
    return one.start > other.start


def encodable(text: str) -> bool:
    """Return whether a text can be written as UTF-8 (it holds no half of a surrogate pair)."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def checked_columns(
    names: FieldNames, columns: list[str], part: CorpusFile
) -> tuple[str, str, str]:
    """Return the columns of text, id and spans ("" where there is none); raise if one is missing."""
    if len(set(columns)) < len(columns):
        raise FormatError(f"Two columns of {part.name!r} have the same name.",
                          hint="give each column its own name in the first line.")  # fmt: skip
    default = FieldNames()
    for what, name in (("text", names.text), ("id", names.id), ("spans", names.spans)):
        if name is None or name in columns or (what == "spans" and name == default.spans):
            continue
        # The first line of a file without a header is a person: only common words of headers are shown.
        known = [c for c in columns if is_header(c)]
        hint = f"it has {len(columns):,} columns, which must be named (in a CSV file, by its first line)"
        hint += f", among them {', '.join(map(repr, known))}." if known else "."
        if what != "spans":
            hint += f" Name the one with the {what} by --{what} COLUMN ({what}_column=)."
        if what == "id":
            hint += ' Or number the records: --id "" (id=None).'
        raise DataError(f"There is no {what} column {name!r} in {part.name!r}.", hint=hint)
    spans = names.spans if names.spans in columns else ""
    return names.text, names.id or "", spans


def spans_as_json(spans: Iterable[Span]) -> str:
    """Write spans as a JSON text, for columns that hold texts only."""
    return json.dumps([span_fields(span) for span in spans], ensure_ascii=False)


def span_fields(span: Span) -> dict[str, int | float | str]:
    """Return a span as plain fields, the score only where there is one."""
    fields: dict[str, int | float | str] = {
        "start": span.start,
        "end": span.end,
        "label": span.label,
    }
    return fields if span.score is None else {**fields, "score": span.score}
