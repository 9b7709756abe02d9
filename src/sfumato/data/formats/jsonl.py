"""JSON lines: one object a line with an id, a text and spans; every other field is kept as it is."""

# ruff: noqa: ARG002 (id and format are the words of the field; all formats share one protocol)
from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import NoReturn

from ...core.errors import DataError, FormatError, LimitError
from ..document import Document
from ..sources import Extra, Withheld, create_bytes, lines_of, open_bytes
from ._layout import Layout, Part, Write, document_from, span_fields

__all__ = ["InMemory", "Jsonl", "encoded"]


class Jsonl:
    """Reads and writes `{"id", "text", "spans": [{"start", "end", "label"}], …}` a line, gzip or not.

    Of a span, start, end, label and score are kept; a document's other fields are kept whole.
    """

    name = "jsonl"
    is_folder = False

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def read(self, part: Part) -> Iterator[Document | Withheld]:
        layout, record = self.layout, 0
        with open_bytes(part.file, layout.limits) as stream:
            for line in lines_of(stream, layout.limits):
                if line is None or line.strip():
                    record += 1
                    yield self.record(part, record, line)

    def record(self, part: Part, record: int, line: bytes | None) -> Document | Withheld:
        """Read one line; None stands for a line that is too long."""
        layout = self.layout
        if line is None or len(line) > layout.limits.record_bytes:
            return Withheld(f"record {record}", "is a line beyond the limit of bytes",
                            record, part.name, layout.limits.hint("record_bytes"), LimitError)  # fmt: skip

        def withheld(reason: str, hint: str | None = None) -> Withheld:
            return Withheld(name, reason, record, part.name, hint, FormatError)

        name = f"record {record}"
        try:
            content = line.decode()
        except UnicodeDecodeError:
            return withheld("is not UTF-8 text", "convert the file: iconv -f LATIN1 -t UTF-8.")
        try:
            fields = _DECODE(content)
            if "\\u" in content:  # only an escape can bring in half a surrogate pair
                json.dumps(fields, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            return withheld("is not valid JSON", "each line must hold one JSON object.")
        if not isinstance(fields, dict):
            return withheld("is not a JSON object", "each line must hold one JSON object.")
        if layout.text not in fields:
            known = fields.get(layout.id) if layout.id is not None else None
            if isinstance(known, str) and len(known) <= layout.limits.id_characters:
                name = known
            return withheld(
                f"has no field {layout.text!r}",
                f"it has {len(fields):,} fields; name the one that holds the text.",
            )
        text = fields.pop(layout.text)
        spans = fields.pop(layout.spans, None)
        # An id that is not a text stays among the fields, so that it is written back as it was.
        raw_id = None if layout.id is None else fields.get(layout.id)
        if isinstance(raw_id, str) and layout.id is not None:
            del fields[layout.id]
        return document_from(layout, part, record, raw_id=raw_id, text=text, raw_spans=spans,
                             fields=Extra(fields, part.name))  # fmt: skip

    @contextmanager
    def writer(
        self, path: Path, part: Part | None = None, *, compress: bool = False
    ) -> Iterator[Write]:
        with create_bytes(path, compress=compress) as stream:

            def write(document: Document) -> None:
                stream.write(self.line(document))

            yield write

    def line(self, document: Document) -> bytes:
        """Return the line that stands for a document."""
        layout = self.layout
        fields: dict[str, object] = {}
        if layout.id is not None:
            fields[layout.id] = document.fields.get(layout.id, document.id)
        fields[layout.text] = document.text
        fields[layout.spans] = [span_fields(span) for span in document.spans]
        for name, value in document.fields.items():
            fields.setdefault(name, value)
        try:
            return _ENCODE(fields).encode() + b"\n"
        except (TypeError, ValueError, RecursionError):
            raise DataError(
                f"The document {document.id!r} holds a field that JSON cannot hold."
            ) from None


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


def encoded(value: object) -> bytes:
    """Return a value as JSON, the one form that we write."""
    return _ENCODE(value).encode()


class InMemory(Jsonl):
    """Documents that are there already; checked like any other, and written as JSON lines."""

    name = "documents"

    def __init__(self, layout: Layout, documents: Sequence[Document]) -> None:
        super().__init__(layout)
        self.documents = documents

    def read(self, part: Part) -> Iterator[Document | Withheld]:
        for record, document in enumerate(self.documents, 1):
            yield document_from(self.layout, part, record, raw_id=document.id, text=document.text,
                                raw_spans=document.spans, fields=document.fields)  # fmt: skip
