"""The parts of a publication: how an input is cut, and what the journal keeps of a finished part.

A part holds the edits of its documents, a line each. Of JSON lines that are read in columns it also holds the
lines of the output and the hashes of the texts that they must have; all other forms are written from the input,
read again, and the edits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....data.document import Document, Edit, Span
from ....data.documents import Corpus, Withheld
from ....data.formats.jsonl import encoded
from ....data.formats.line_edits import ByteEdits, LineHashes
from ....data.formats.lines import Column, LineBlock, LineWriter
from ....data.formats.protocol import FieldNames
from ..private_edits import edit_line
from ..redaction.counts import RedactionCounts
from ..redaction.rendering import Edits
from ..redaction.sanitiser import Sanitiser, batches

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PartContent", "Shared", "batch_part", "cut", "cut_blocks", "line_part", "readable"]

Spans = Sequence[tuple[int, tuple[Span, ...]]]
"""The marked spans of a block, each with its document's place."""
LineBatch = tuple[str, "list[str]", "pa.RecordBatch", Spans]


@dataclass(frozen=True, slots=True)
class Shared:
    """What every batch needs: the sanitiser, the names of fields, and what edits say of the reader."""

    sanitiser: Sanitiser
    names: FieldNames
    reader: bytes


@dataclass(frozen=True, slots=True)
class PartContent:
    """A finished part: the edits, a line per document; of JSON lines also the output, and hashes."""

    edits: bytes
    lines: bytes | memoryview = b""
    hashes: npt.NDArray[np.uint64] | None = None

    def to_bytes(self) -> bytes:
        """Return what the journal keeps."""
        hashes = b"" if self.hashes is None else self.hashes.tobytes()
        head = json.dumps([len(self.edits), len(self.lines), len(hashes)]).encode()
        return b"".join((head, b"\n", self.edits, self.lines, hashes))

    @classmethod
    def of_bytes(cls, content: bytes) -> PartContent:
        """Read what the journal kept."""
        start = content.index(b"\n") + 1
        edits, lines, _ = json.loads(content[:start])
        end = start + edits + lines
        whole = memoryview(content)
        hashes = np.frombuffer(whole[end:], np.uint64).reshape(-1, 3)
        return cls(content[start : start + edits], whole[start + edits : end], hashes)


def readable(
    corpus: Corpus, unread: list[dict[str, str]], rows: dict[str, int], *, strict: bool
) -> Iterator[Document]:
    """Yield the documents that can be read, list the others, and count the records of each part."""
    for record in corpus.tolerant():
        rows[record.part] = rows.get(record.part, 0) + 1
        if isinstance(record, Withheld):
            if strict:
                raise record.error()
            unread.append(record.to_json())
        else:
            yield record


def cut(documents: Iterable[Document], characters: int) -> Iterator[tuple[str, list[Document]]]:
    """Cut documents into batches, each of one file."""
    for file, own in groupby(documents, key=lambda d: d.part):
        for batch in batches(own, characters):
            yield file, batch


def cut_blocks(
    corpus: Corpus,
    unread: list[dict[str, str]],
    rows: dict[str, int],
    size: int,
    keep: Sequence[str],
    *,
    strict: bool,
) -> Iterator[tuple[LineBlock, LineBatch]]:
    """Read JSON lines in columns, block by block; list what cannot be read, and count the records."""
    for part, block in corpus.blocks(size=size, keep=keep) or ():
        rows[part.name] = rows.get(part.name, 0) + block.records
        if strict and block.withheld:
            raise block.withheld[0].error()
        unread.extend(record.to_json() for record in block.withheld)
        if len(block):
            yield block, (part.name, list(block.fields), block.to_arrow(), block.spans)
    if not any(rows.values()):
        raise corpus.empty()


def line_part(shared: Shared, batch: LineBatch) -> tuple[bytes, Mapping[str, object]]:
    """Decide on a block of JSON lines that was read in columns, and write its lines."""
    file, fields, columns, spans = batch
    block = replace(LineBlock.of_arrow(columns), spans=tuple(spans))
    withheld: list[dict[str, str]] = []
    try:
        edits, counts = shared.sanitiser.texts(
            block.text.data, block.text.bounds, block.id, block.spans
        )
        texts, found = Column(*edits.render()), _byte_edits(block.text, edits)
        as_json = found.to_json()
        hashes = found.hashes()
    except Exception:  # one by one in Python, to find which document it is
        documents = [block.document(i) for i in range(len(block))]
        done = shared.sanitiser(documents)
        counts, withheld = done.counts, [dict(w) for w in done.withheld]
        published = {document.id for document in done.documents}
        block = block.only(np.array([d.id in published for d in documents], np.bool_))
        texts = Column.of([text.encode() for text in done.texts])
        as_json = Column.of([_as_json(own) for own in done.edits])
        hashes = ByteEdits.unchanged(texts).hashes()
    lines = LineWriter(shared.names).lines(block, texts)
    edit_lines = b"".join(
        edit_line(_as_text(head), hashlib.sha256(text).hexdigest(), shared.reader, own)
        for head, text, own in zip(block.head, block.text.views(), as_json, strict=True)
    )
    rows = LineHashes.of(block.head, hashes, block.tail).rows
    content = PartContent(edit_lines, lines, rows).to_bytes()
    return content, _facts(file, fields, counts, withheld)


def _byte_edits(text: Column, edits: Edits) -> ByteEdits:
    spans = edits.spans
    return ByteEdits(
        text, spans.start, spans.end, spans.doc, edits.which, edits.replacements, edits.labels
    )


def batch_part(
    shared: Shared, batch: tuple[str, Sequence[Document]]
) -> tuple[bytes, Mapping[str, object]]:
    """Decide on a batch of documents."""
    file, documents = batch
    done = shared.sanitiser(documents)
    lines = [
        edit_line(encoded(d.id), d.text_sha256, shared.reader, _as_json(edits))
        for d, edits in zip(done.documents, done.edits, strict=True)
    ]
    fields = sorted({name for document in documents for name in document.fields})
    withheld = [dict(w) for w in done.withheld]
    return PartContent(b"".join(lines)).to_bytes(), _facts(file, fields, done.counts, withheld)


def _as_text(head: bytes) -> bytes:
    """Return an id as a JSON text, also where it is a number in its own file."""
    return head if head[:1] == b'"' else b'"%b"' % head


def _as_json(edits: Sequence[Edit]) -> bytes:
    return encoded([[e.start, e.end, e.replacement, e.label] for e in edits])


def _facts(
    file: str, fields: Sequence[str], counts: RedactionCounts, withheld: Sequence[Mapping[str, str]]
) -> dict[str, object]:
    """Return what the journal remembers of a part."""
    return {
        "file": file,
        "fields": list(fields),
        "counts": counts.to_json(),
        "withheld": list(withheld),
    }
