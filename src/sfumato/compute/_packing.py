"""How batches and results travel between machines: as data, tagged by kind, never as pickled objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..core import errors
from ..core.errors import ParameterError, SfumatoError, WorkError
from ..data.document import Document, Segment, Span

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Failure", "pack", "unpack"]


@dataclass(frozen=True)
class Failure:
    """An error of a worker: its type, and its message if sfumato wrote it."""

    kind: str
    message: str = ""
    hint: str | None = None

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """Describe an error; foreign messages stay behind, because they may quote the data."""
        if isinstance(error, SfumatoError):
            return cls(type(error).__name__, error.message, error.hint)
        return cls(type(error).__name__)

    def error(self) -> SfumatoError:
        """Return the error to raise here."""
        kind = getattr(errors, self.kind, None) if self.kind in errors.__all__ else None
        if isinstance(kind, type) and issubclass(kind, SfumatoError):
            return kind(self.message, hint=self.hint)
        return WorkError(f"A batch failed with an internal error ({self.kind}).")


def pack(value: object) -> bytes:
    """Turn a batch or a result into bytes.

    >>> unpack(pack(({"words": 3}, b"text")))
    ({'words': 3}, b'text')
    """
    import pyarrow as pa

    if isinstance(value, (bytes, bytearray, memoryview)):
        return b"".join((b"B", value))
    if isinstance(value, Failure):
        return b"F" + json.dumps(asdict(value)).encode()
    if isinstance(value, pa.RecordBatch):
        return b"R" + _to_stream(pa.Table.from_batches([value]))
    if isinstance(value, pa.Table):
        return b"A" + _to_stream(value)
    if isinstance(value, tuple):
        parts = [pack(item) for item in value]
        sizes = json.dumps([len(part) for part in parts]).encode()
        return b"T" + len(sizes).to_bytes(8, "little") + sizes + b"".join(parts)
    if isinstance(value, list) and value and all(isinstance(item, Document) for item in value):
        return b"D" + _to_stream(_from_documents(value))
    if isinstance(value, Span):
        return b"S" + json.dumps([value.start, value.end, value.label, value.score]).encode()
    try:
        return b"J" + json.dumps(value, allow_nan=True).encode()
    except (TypeError, ValueError) as error:
        if isinstance(value, list):  # what it holds travels item by item
            return b"L" + pack(tuple(value))
        raise ParameterError(
            f"A {type(value).__name__} cannot travel to another machine.",
            hint="use Arrow data, bytes, documents, spans, plain JSON values, or tuples of them.",
        ) from error


def unpack(packed: bytes) -> object:
    """Turn the bytes back into what was packed."""
    kind, content = packed[:1], packed[1:]
    if kind == b"B":
        return content
    if kind == b"F":
        return Failure(**json.loads(content))
    if kind == b"R":
        table = _from_stream(content)
        return table.combine_chunks().to_batches()[0] if len(table) else _empty_batch(table)
    if kind == b"A":
        return _from_stream(content)
    if kind == b"D":
        return _to_documents(_from_stream(content))
    if kind == b"S":
        return Span(*json.loads(content))
    if kind == b"L":
        items = unpack(content)
        assert isinstance(items, tuple)
        return list(items)
    if kind == b"T":
        start = 8 + int.from_bytes(content[:8], "little")
        parts = []
        for size in json.loads(content[8:start]):
            parts.append(unpack(content[start : start + size]))
            start += size
        return tuple(parts)
    return json.loads(content)


def _to_stream(table: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _from_stream(content: bytes) -> pa.Table:
    import pyarrow as pa

    with pa.ipc.open_stream(content) as reader:
        return reader.read_all()


def _empty_batch(table: pa.Table) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([], schema=table.schema)


def _from_documents(documents: Sequence[Document]) -> pa.Table:
    """Return documents as columns; texts are bytes, so that even broken surrogates come back."""
    import pyarrow as pa

    def encoded(texts: list[str]) -> pa.Array:
        return pa.array(
            [text.encode("utf-8", "surrogatepass") for text in texts], pa.large_binary()
        )

    notes = [
        json.dumps(
            [
                [[s.start, s.end, s.label, s.score] for s in d.spans],
                dict(d.fields),
                [[s.start, s.end, s.place] for s in d.segments],
                [list(order) for order in d.orders],
                d.part,
                d.record,
            ]
        )
        for d in documents
    ]
    return pa.table(
        [encoded([d.id for d in documents]), encoded([d.text for d in documents]), encoded(notes)],
        names=["id", "text", "notes"],
    )


def _to_documents(table: pa.Table) -> list[Document]:
    documents = []
    for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
        name, text, notes = (cell.decode("utf-8", "surrogatepass") for cell in row)
        spans, fields, segments, orders, part, record = json.loads(notes)
        marks, places = [Span(*span) for span in spans], [Segment(*segment) for segment in segments]
        documents.append(Document(name, text, tuple(marks), fields, places, orders, part, record))
    return documents
