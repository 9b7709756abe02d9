"""The parts of a publication: how an input is cut, what is kept of a finished part, how parts become files.

For JSON lines a part holds lines of the output. For the other forms it holds ids and sanitised texts, and
all other fields are read again from the input at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ....compute.journal import Journal
from ....core.errors import WorkError
from ....data.document import Document, Span
from ....data.documents import Corpus, Withheld
from ....data.formats.jsonl import Jsonl
from ....data.formats.lines import Column, LineBlock, SeenMarks, Written, read_blocks
from ....data.sources import Extra, create_bytes
from ..redaction.sanitiser import Sanitiser, batches
from .new_ids import NewIds

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Shared",
    "batch_part",
    "blocks",
    "column_part",
    "cut",
    "join_lines",
    "lines_of",
    "published",
    "readable",
    "without_fields",
]

Spans = Sequence[tuple[int, tuple[Span, ...]]]
"""The marked spans of a block, each with its document's place."""


def readable(
    corpus: Corpus, unread: list[dict[str, str]], rows: dict[str, int], *, strict: bool
) -> Iterator[Document]:
    """Yield the documents that can be read, list the others, and count the records of each part."""
    for record in corpus.tolerant():
        part = record.part if isinstance(record, Withheld) else getattr(record.fields, "part", "")
        rows[part] = rows.get(part, 0) + 1
        if isinstance(record, Withheld):
            if strict:
                raise record.error()
            unread.append(record.to_json())
        else:
            yield record


@dataclass(frozen=True, slots=True)
class Shared:
    """What every batch needs: the sanitiser and, for JSON lines, how a line is written."""

    sanitiser: Sanitiser
    form: Jsonl | None
    drop: tuple[str, ...]


def lines_of(corpus: Corpus) -> Jsonl | None:
    """Return how lines are written, where the corpus is JSON lines."""
    return corpus.format if type(corpus.format) is Jsonl else None


def cut(
    documents: Iterable[Document], characters: int, *, bare: bool
) -> Iterator[tuple[str, list[Document]]]:
    """Cut documents into batches, each of one file; `bare` leaves out what need not travel."""
    for file, own in groupby(documents, key=lambda d: getattr(d.fields, "part", "")):
        for batch in batches(own, characters):
            yield file, [Document(d.id, d.text, d.spans) for d in batch] if bare else batch


def blocks(
    corpus: Corpus,
    unread: list[dict[str, str]],
    rows: dict[str, int],
    size: int,
    drop: Sequence[str],
    *,
    strict: bool,
) -> Iterator[tuple[str, list[str], pa.RecordBatch, Spans]]:
    """Read JSON lines in columns, block by block; list what cannot be read, and count the records."""
    seen = SeenMarks()
    assert type(corpus.format) is Jsonl
    for part in corpus.parts:
        for block in read_blocks(corpus.format, part, seen, size=size, drop=drop):
            rows[part.name] = rows.get(part.name, 0) + block.records
            if strict and block.withheld:
                raise block.withheld[0].error()
            unread.extend(record.to_json() for record in block.withheld)
            if len(block):
                yield part.name, list(block.fields), block.to_arrow(), block.spans
    if not any(rows.values()):
        raise corpus.empty()


def column_part(
    shared: Shared, batch: tuple[str, list[str], pa.RecordBatch, Spans]
) -> tuple[bytes, dict[str, object]]:
    """Sanitise a block of JSON lines that was read in columns."""
    file, fields, columns, spans = batch
    block, withheld = replace(LineBlock.of_arrow(columns), spans=tuple(spans)), []
    sanitiser = shared.sanitiser
    assert shared.form is not None
    try:
        edits, counts = sanitiser.texts(block.text.data, block.text.bounds, block.id, block.spans)
        texts = Column(*edits.render())
    except Exception:  # one by one in Python, to find which document it is
        documents = [block.document(i) for i in range(len(block))]
        done = sanitiser(documents)
        counts, withheld = done.counts, [dict(w) for w in done.withheld]
        published = set(done.ids)
        block = block.only(np.array([d.id in published for d in documents], np.bool_))
        texts = Column.of([text.encode() for text in done.texts])
    facts: dict[str, object] = {
        "file": file, "fields": fields, "counts": counts.to_json(), "withheld": withheld,
    }  # fmt: skip
    return Written(shared.form.layout).lines(block, texts), facts


def batch_part(
    shared: Shared, batch: tuple[str, Sequence[Document]]
) -> tuple[bytes, dict[str, object]]:
    """Sanitise a batch: lines of the output, or a line of ids and bounds, then the texts."""
    file, documents = batch
    done = shared.sanitiser(documents)
    fields = {name for document in documents for name in document.fields}.difference(shared.drop)
    facts: dict[str, object] = {
        "file": file,
        "fields": sorted(fields),
        "counts": done.counts.to_json(),
        "withheld": [dict(w) for w in done.withheld],
    }
    if shared.form is None:
        texts = [text.encode() for text in done.texts]
        bounds = list(accumulate(map(len, texts), initial=0))
        head = json.dumps({"ids": done.ids, "bounds": bounds}).encode()
        return head + b"\n" + b"".join(texts), facts
    extras = {document.id: document.fields for document in documents}
    lines = [
        shared.form.line(
            Document(name, text, (), without_fields(extras[name], shared.drop, "jsonl"))
        )
        for name, text in zip(done.ids, done.texts, strict=True)
    ]
    return b"".join(lines), facts


def join_lines(
    journal: Journal, corpus: Corpus, written: Path, new_ids: NewIds | None = None
) -> None:
    """Write each file of the corpus from the parts that hold its lines."""
    by_file: dict[str, list[str]] = {part.name: [] for part in corpus.parts}
    for name in journal.names:
        by_file[journal.facts(name)["file"]].append(name)
    for file, parts in by_file.items():
        path = written / file if corpus.is_folder else written
        path.parent.mkdir(parents=True, exist_ok=True)
        content: Iterable[bytes] = map(journal.content, parts)
        if new_ids is not None:
            content = new_ids.lines(content, path.parent)
        with create_bytes(path, compress=path.name.endswith(".gz")) as stream:
            for lines in content:
                stream.write(lines)


def _unpacked(part: bytes) -> Iterator[tuple[str, str]]:
    head, _, text = part.partition(b"\n")
    content = json.loads(head)
    bounds = content["bounds"]
    for id_, start, end in zip(content["ids"], bounds, bounds[1:], strict=False):
        yield id_, text[start:end].decode()


def published(
    corpus: Corpus,
    parts: Iterable[bytes],
    withheld: set[str],
    drop: Sequence[str],
    fields: set[str],
) -> Iterator[Document]:
    """Yield each document of the input with its sanitised text and the fields that are kept."""
    texts = (entry for part in parts for entry in _unpacked(part))
    for document in corpus.tolerant():
        if isinstance(document, Withheld) or document.id in withheld:
            continue
        published_id, text = next(texts, (None, ""))
        if published_id != document.id:
            raise WorkError("The input changed while it was published.", hint="start again.")
        extra = without_fields(document.fields, drop, corpus.format.name)
        fields.update(name for name in extra if name not in drop)
        yield Document(document.id, text, (), extra)


def without_fields(
    extra: Mapping[str, object], drop: Sequence[str], form: str
) -> Mapping[str, object]:
    """Leave fields out; in a table the column stays, empty."""
    if not any(name in extra for name in drop):
        return extra
    empty = "" if form in ("csv", "tsv") else None
    kept = {
        name: empty if name in drop else value
        for name, value in extra.items()
        if form != "jsonl" or name not in drop
    }
    return Extra(kept, getattr(extra, "part", ""))
