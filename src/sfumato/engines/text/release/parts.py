"""The parts of a publication: how an input is cut, and what the journal keeps of a finished part.

A part holds the edits of its documents, a line each. Of JSON lines that are read in columns it also holds the
lines of the output, their hashes, and where each of them goes; all other forms are written from the input,
read again, and the edits.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....data.byte_columns import Buffer, Column
from ....data.document import Document, Edit, Span
from ....data.documents import Corpus, Withheld
from ....data.formats.jsonl import encode_json
from ....data.formats.line_edits import ByteEdits, Hashes, line_hashes
from ....data.formats.lines import LineBlock, LineWriter
from ....data.formats.protocol import CorpusFile, FieldNames
from ..private_edits import DocumentEdits, edit_lines
from ..redaction.counts import RedactionCounts
from ..redaction.rendering import Edits
from ..redaction.sanitiser import Sanitiser, batches
from .new_ids import NewIds, id_lines
from .options import WriteOptions

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "PartContent",
    "ReadDocuments",
    "Shared",
    "batch_part",
    "cut",
    "cut_blocks",
    "line_part",
    "readable",
]

_QUOTE = 0x22
_COLUMNS = 3  # columns of a block: ids, texts, other fields
_KEPT = 1 << 23  # characters of documents that are kept for writing
Spans = Sequence[tuple[int, tuple[Span, ...]]]
"""The marked spans of a block, each with its document's place."""
LineBatch = tuple[str, "list[str]", "pa.RecordBatch", Spans]


@dataclass(frozen=True, slots=True)
class Shared:
    """What every batch needs: the sanitiser, the names of fields, and the reader's name and version."""

    sanitiser: Sanitiser
    names: FieldNames
    reader: tuple[str, str]


@dataclass(frozen=True, slots=True)
class PartContent:
    """A finished part, a line per document: the edits; of JSON lines also the output, its hashes and its order."""

    edits: Buffer
    lines: Buffer = b""
    ids: Buffer = b""
    hashes: Hashes = field(default_factory=lambda: np.empty((0, 3), np.uint64))
    places: npt.NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def pieces(self) -> list[Buffer]:
        """Return what the journal keeps, without a copy of the lines."""
        found = [self.edits, self.lines, self.ids, self.hashes.tobytes(), self.places.tobytes()]
        return [json.dumps(list(map(len, found))).encode() + b"\n", *found]

    @classmethod
    def of_bytes(cls, content: bytes) -> PartContent:
        """Read what the journal kept."""
        start, whole, pieces = content.index(b"\n") + 1, memoryview(content), []
        for size in json.loads(content[:start]):
            pieces.append(whole[start : start + size])
            start += size
        # Copies: they are kept until the file is read back, and would keep the lines in memory.
        hashes, places = (np.frombuffer(piece, np.uint64).copy() for piece in pieces[3:])
        edits, lines, ids, *_ = pieces
        return cls(edits, lines, ids, hashes.reshape(-1, 3), places)

    def edit_lines(self) -> list[bytes]:
        """Return the edits of each document."""
        return bytes(self.edits).splitlines()

    def without(self, left_out: frozenset[str]) -> PartContent:
        """Leave documents out."""
        known = [DocumentEdits.of_line(line).id for line in self.edit_lines()]
        chosen = np.flatnonzero([name not in left_out for name in known])
        edits, lines, ids = (
            Column.of_lines(own).take(chosen).data.tobytes() if own else b""
            for own in (self.edits, self.lines, self.ids)
        )
        places = self.places[chosen] if self.places.size else self.places
        return PartContent(edits, lines, ids, self.hashes[chosen], places)


def readable(
    corpus: Corpus,
    unread: list[dict[str, str]],
    rows: dict[str, int],
    broken: set[str],
    *,
    strict: bool,
) -> Iterator[Document]:
    """Yield the documents that can be read, list the others and the broken files, and count the records of each part."""
    many = len(corpus.parts) > 1
    for record in corpus.tolerant():
        rows[record.part] = rows.get(record.part, 0) + 1
        if isinstance(record, Withheld):
            if strict:
                raise record.error()
            unread.append(record.to_json(many=many))
            if record.is_file:
                broken.add(record.part)
        else:
            yield record


class ReadDocuments:
    """The documents that were read to decide on them, kept for writing them: most files are read once.

    Of a corpus with more characters than are kept none is, and each part is read again when it is written.
    """

    def __init__(self, most: int = _KEPT) -> None:
        self._left = most
        self._by_part: dict[str, list[Document]] | None = None

    def keep(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield documents, and keep them while there is room."""
        self._by_part = {}
        for document in documents:
            self._left -= len(document.text)
            if self._left < 0:
                self._by_part = None
            if self._by_part is not None:
                self._by_part.setdefault(document.part, []).append(document)
            yield document

    def of(self, part: CorpusFile, corpus: Corpus) -> Iterable[Document | Withheld]:
        """Return the documents of a part."""
        return corpus.records(part) if self._by_part is None else self._by_part.get(part.name, ())

    def all_of(self, corpus: Corpus) -> Iterator[Document]:
        """Yield all documents that can be read."""
        for part in corpus.parts:
            yield from (d for d in self.of(part, corpus) if isinstance(d, Document))


def cut(documents: Iterable[Document], characters: int) -> Iterator[tuple[str, list[Document]]]:
    """Cut documents into batches, each of one file."""
    for file, own in groupby(documents, key=lambda d: d.part):
        for batch in batches(own, characters):
            yield file, batch


def cut_blocks(
    corpus: Corpus,
    unread: list[dict[str, str]],
    rows: dict[str, int],
    options: WriteOptions,
    new_ids: NewIds | None,
    *,
    strict: bool,
) -> Iterator[tuple[LineBlock, LineBatch]]:
    """Read JSON lines in columns, block by block; list what cannot be read, and count the records."""
    for part, block in corpus.blocks(size=options.characters, keep=options.keep) or ():
        rows[part.name] = rows.get(part.name, 0) + block.records
        if strict and block.withheld:
            raise block.withheld[0].error()
        many = len(corpus.parts) > 1
        unread.extend(record.to_json(many=many) for record in block.withheld)
        if len(block):
            columns = block.to_arrow()
            if new_ids is not None:
                published, places = new_ids.of_heads(block.head)
                columns = columns.append_column("published", published.to_arrow())
                # As bytes: from an array of numbers Arrow would load pandas.
                as_bytes = Column.of_equal(places.view(np.uint8), len(places))
                columns = columns.append_column("place", as_bytes.to_arrow())
            yield block, (part.name, list(block.fields), columns, block.spans)
    if not any(rows.values()):
        raise corpus.empty()


def line_part(shared: Shared, batch: LineBatch) -> tuple[list[Buffer], Mapping[str, object]]:
    """Decide on a block of JSON lines that was read in columns, and write its lines."""
    file, fields, columns, spans = batch
    block = replace(LineBlock.of_arrow(columns), spans=tuple(spans))
    published, places = block.head, np.empty(0, np.uint64)
    if len(columns.columns) > _COLUMNS:
        published = Column.of_arrow(columns["published"])
        places = Column.of_arrow(columns["place"]).data.view(np.uint64)
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
        ids = {document.id for document in done.documents}
        kept = np.array([d.id in ids for d in documents], np.bool_)
        block, published = block.only(kept), published.take(np.flatnonzero(kept))
        places = places[kept] if places.size else places
        texts = Column.of([text.encode() for text in done.texts])
        as_json = Column.of([_as_json(own) for own in done.edits])
        hashes = ByteEdits.unchanged(texts).hashes()
    old, new = _as_texts(block.head), _as_texts(published)
    content = PartContent(
        edits=edit_lines(old, new, _text_hashes(block.text), shared.reader, as_json),
        lines=LineWriter(shared.names).lines(replace(block, head=published), texts),
        ids=id_lines(old, new) if places.size else b"",
        hashes=line_hashes(published, hashes, block.tail),
        places=places,
    )
    return content.pieces(), _facts(file, fields, counts, withheld)


def _text_hashes(texts: Column) -> Column:
    """Return the hash of each text, as `Document.text_sha256` does."""
    hashes = "".join([hashlib.sha256(text).hexdigest() for text in texts.views()])
    return Column.of_equal(np.frombuffer(hashes.encode(), np.uint8), len(texts))


def _byte_edits(text: Column, edits: Edits) -> ByteEdits:
    spans = edits.spans
    return ByteEdits(
        text, spans.start, spans.end, spans.doc, edits.which, edits.replacements, edits.labels
    )


def batch_part(
    shared: Shared, batch: tuple[str, Sequence[Document]]
) -> tuple[list[Buffer], Mapping[str, object]]:
    """Decide on a batch of documents."""
    file, documents = batch
    done = shared.sanitiser(documents)
    lines = [
        DocumentEdits(d.id, d.id, d.text_sha256, *shared.reader, edits).to_line()
        for d, edits in zip(done.documents, done.edits, strict=True)
    ]
    content = PartContent(b"".join(lines))
    fields = sorted({name for document in documents for name in document.fields})
    return content.pieces(), _facts(file, fields, done.counts, [dict(w) for w in done.withheld])


def _as_texts(heads: Column) -> Column:
    """Return ids as JSON texts, also where they are numbers in their own file."""
    if (heads.data[heads.bounds[:-1]] == _QUOTE).all():
        return heads
    return Column.of([head if head[:1] == b'"' else b'"%b"' % head for head in heads])


def _as_json(edits: Sequence[Edit]) -> bytes:
    return encode_json([[e.start, e.end, e.replacement, e.label] for e in edits])


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
