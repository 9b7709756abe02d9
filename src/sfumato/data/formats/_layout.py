"""What the formats share: which field holds what, and how a raw record becomes a checked document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ...core.errors import DataError, FormatError, InputError, LimitError, ParameterError
from ..document import Document, Span
from ..findings import as_spans, resolve
from ..limits import Limits, current_limits
from ..sources import Withheld

__all__ = [
    "Format",
    "Layout",
    "Part",
    "Write",
    "checked_columns",
    "document_from",
    "encodable",
    "span_fields",
    "spans_as_json",
]

Write = Callable[[Document], None]


@dataclass(frozen=True, slots=True)
class Part:
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
class Layout:
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


class Format(Protocol):
    """Reads parts record by record and writes documents back in the same form."""

    name: str
    is_folder: bool

    def read(self, part: Part) -> Iterator[Document | Withheld]:
        """Yield each record of a part, in order, as a document or as withheld."""
        ...

    def writer(
        self, path: Path, part: Part | None = None, *, compress: bool = False
    ) -> AbstractContextManager[Write]:
        """Open a file (or folder) for writing, document by document; with the columns of a part."""
        ...


def document_from(
    layout: Layout,
    part: Part,
    record: int,
    *,
    raw_id: object,
    text: object,
    raw_spans: object,
    fields: Mapping[str, object],
) -> Document | Withheld:
    """Check the pieces of one record and make it a document, or say why it cannot be one."""
    limits = layout.limits
    name = f"record {record}"

    def withheld(
        reason: str, kind: type[InputError] = DataError, hint: str | None = None
    ) -> Withheld:
        return Withheld(name, reason, record, part.name, hint, kind)

    if layout.id is None:
        name = f"{part.name}:{record}" if part.many else str(record)
    elif isinstance(raw_id, str | int) and not isinstance(raw_id, bool) and str(raw_id):
        if len(str(raw_id)) > limits.id_characters:
            reason = f"has an id of {len(str(raw_id)):,} characters"
            return withheld(reason, LimitError, limits.hint("id_characters"))
        if not encodable(str(raw_id)):
            return withheld("has an id with half a surrogate pair, which is not Unicode text")
        name = str(raw_id)
    else:
        hint = "give every record an id, a text or a whole number; id=None numbers the records."
        return withheld(f"has no usable id in {layout.id!r}", hint=hint)
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
        if layout.overlaps != "error":
            spans = resolve(spans, layout.overlaps)
        elif any(map(_later, spans, spans[1:])):
            spans = sorted(spans, key=lambda s: (s.start, s.end, s.label))
        return Document(name, text, tuple(spans), fields, part=part.name, record=record).checked()
    except DataError as error:
        return withheld(f"is refused: {error.message.rstrip('.')}", hint=error.hint)


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


def checked_columns(layout: Layout, columns: list[str], part: Part) -> tuple[str, str, str]:
    """Return the columns of text, id and spans ("" where there is none); raise if one is missing."""
    if len(set(columns)) < len(columns):
        raise FormatError(f"Two columns of {part.name!r} have the same name.",
                          hint="give each column a name of its own in the first line.")  # fmt: skip
    default = Layout()
    for what, name in (("text", layout.text), ("id", layout.id), ("spans", layout.spans)):
        if name is None or name in columns or (what == "spans" and name == default.spans):
            continue
        # The first line of a file without a header is a person: no name of a column is told.
        hint = f"it has {len(columns):,} columns, which must be named (in a CSV file, by its first line)."
        if what == "id":
            hint += " Or number the records with id=None."
        raise DataError(f"There is no {what} column {name!r} in {part.name!r}.", hint=hint)
    spans = layout.spans if layout.spans in columns else ""
    return layout.text, layout.id or "", spans


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
