"""JSON lines: one object per line with an id, a text and spans; other fields are unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

from ...core.errors import DataError, FormatError, LimitError
from ..document import Document, Edited
from ..sources import Withheld, create_bytes, lines_of, open_bytes
from .protocol import CorpusFile, FieldNames, Format, FormatOptions, document_from, span_fields

if TYPE_CHECKING:
    from .lines import LineBlock, SeenMarks

__all__ = ["InMemory", "Jsonl", "encode_json"]


class Jsonl(Format[FormatOptions]):
    """Reads and writes `{"id", "text", "spans": [{"start", "end", "label"}], …}` a line, gzip or not.

    Of a span, start, end, label and score are kept; a document's other fields are kept whole.
    """

    name: ClassVar[str] = "jsonl"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        names, record = self.names, 0
        with open_bytes(part.file, names.limits) as stream:
            for line in lines_of(stream, names.limits):
                if line is None or line.strip():
                    record += 1
                    yield self.record(part, record, line)

    def record(self, part: CorpusFile, record: int, line: bytes | None) -> Document | Withheld:
        """Read one line; None is a line that is too long."""
        names = self.names
        if line is None or len(line) > names.limits.record_bytes:
            return Withheld(f"record {record}", "is a line beyond the limit of bytes",
                            record, part.name, names.limits.hint("record_bytes"), LimitError)  # fmt: skip

        def withheld(reason: str, hint: str | None = None) -> Withheld:
            return Withheld(name, reason, record, part.name, hint, FormatError)

        name = f"record {record}"
        try:
            content = line.decode()
        except UnicodeDecodeError:
            return withheld(
                "is not UTF-8 text",
                "convert the file: iconv -f CP1252 -t UTF-8 (or LATIN1).",
            )
        try:
            fields = _DECODE(content)
            if "\\u" in content:  # only an escape can bring in half a surrogate pair
                json.dumps(fields, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            return withheld("is not valid JSON", "each line must hold one JSON object.")
        if not isinstance(fields, dict):
            return withheld("is not a JSON object", "each line must hold one JSON object.")
        if names.text not in fields:
            known = fields.get(names.id) if names.id is not None else None
            if isinstance(known, str) and len(known) <= names.limits.id_characters:
                name = known
            return withheld(
                f"has no field {names.text!r}",
                f"it has {len(fields):,} fields; name the one that holds the text by --text FIELD.",
            )
        text = fields.pop(names.text)
        spans = fields.pop(names.spans, None)
        # An id that is not a text stays among the fields, so that it is written back as it was.
        raw_id = None if names.id is None else fields.get(names.id)
        if isinstance(raw_id, str) and names.id is not None:
            del fields[names.id]
        return document_from(names, part, record, raw_id=raw_id, text=text, raw_spans=spans,
                             fields=fields)  # fmt: skip

    def blocks(
        self, part: CorpusFile, seen: SeenMarks, *, size: int, keep: Sequence[str] | None = None
    ) -> Iterator[LineBlock] | None:
        """Return the lines as blocks of columns, where documents have ids."""
        from .lines import read_blocks

        return (
            None if self.names.id is None else read_blocks(self, part, seen, size=size, keep=keep)
        )

    def new_id(self, document: Document, mark: str) -> str:
        """Return a new id, a number where the old one is a number."""
        is_number = isinstance(document.fields.get(str(self.names.id)), int)
        return str(int(mark, 16) >> 1) if is_number else mark

    def write(self, part: CorpusFile | None, edited: Iterable[Edited], out: Path) -> None:  # noqa: ARG002
        with create_bytes(out, compress=out.name.endswith(".gz")) as stream:
            for document in edited:
                stream.write(self.encode(document))

    def encode(self, edited: Edited) -> bytes:
        """Return the line of a document."""
        return encoded_line(self.line(edited), edited.id)

    def line(self, edited: Edited) -> dict[str, object]:
        """Return the fields of the line of a document."""
        names, fields = self.names, dict[str, object]()
        if names.id is not None:
            fields[names.id] = edited.fields.get(names.id, edited.id)
        fields[names.text] = edited.text
        fields[names.spans] = [span_fields(span) for span in edited.spans]
        for name, value in edited.fields.items():
            fields.setdefault(name, value)
        return fields


def encoded_line(fields: dict[str, object], id: str) -> bytes:
    """Return the fields of a document as a line of JSON."""
    try:
        return encode_json(fields) + b"\n"
    except (TypeError, ValueError, RecursionError):
        raise DataError(f"The document {id!r} holds a field that JSON cannot hold.") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(number: str) -> float:
    value = float(number)
    if not isfinite(value):
        raise ValueError("out of range")
    return value


# Made once: json.loads and json.dumps would make a new one for each line.
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_DECODE = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite).decode


def encode_json(value: object) -> bytes:
    """Return a value as JSON, the one form that we write."""
    return _ENCODE(value).encode()


class InMemory(Jsonl):
    """Documents that are there already; checked like any other, and written as JSON lines."""

    name = "documents"
    suffixes = ()
    unit = "frame"

    def __init__(self, names: FieldNames, documents: Sequence[Document]) -> None:
        super().__init__(names)
        self.documents = documents

    def read(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        for record, document in enumerate(self.documents, 1):
            yield document_from(self.names, part, record, raw_id=document.id, text=document.text,
                                raw_spans=document.spans, fields=document.fields,
                                segments=document.segments)  # fmt: skip

    def read_back(self, part: CorpusFile) -> Iterator[Document | Withheld]:
        return Jsonl(self.names).read(part)

    def blocks(
        self, part: CorpusFile, seen: SeenMarks, *, size: int, keep: Sequence[str] | None = None
    ) -> None:
        """Return None: there are no lines yet."""
