"""JSON lines in columns: blocks of lines become ids, texts and other fields as bytes, and lines again.

This is the quick way to read and write the same lines as `Jsonl`: to the byte, and with the same words
for what is withheld. Whatever the kernels do not understand goes through `Jsonl`, record by record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from ..byte_columns import Column, Offsets, frozen
from ..document import Document, Span
from ..sources import Withheld, open_bytes
from .jsonl import Jsonl, encode_json
from .protocol import CorpusFile, FieldNames

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["WORTH", "LineBlock", "LineWriter", "SeenMarks", "read_blocks"]

_MOST_NAMES = 256  # names of other fields; a line with another one is read in Python
WORTH = 1 << 20  # bytes of files, packed or not, from which kernels are worth their compilation


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Documents of one file in columns: `head` is the id as JSON, `tail` the other fields as JSON.

    `fields` names the other fields; `withheld` are the records of the block that cannot be used, and
    `records` says how many there were in all. `spans` holds the spans of the documents that have some,
    each with the document's place.
    """

    head: Column
    text: Column
    tail: Column
    fields: tuple[str, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    records: int = 0
    spans: tuple[tuple[int, tuple[Span, ...]], ...] = ()

    def __len__(self) -> int:
        return len(self.head)

    def id(self, i: int) -> str:
        """Return the id of one of the documents."""
        head = self.head[i]
        if head[:1] == b'"' and b"\\" not in head:
            return head[1:-1].decode()
        return str(json.loads(head))

    def document(self, i: int) -> Document:
        """Return one of the documents, without its other fields."""
        return Document(self.id(i), self.text[i].decode(), dict(self.spans).get(i, ()))

    def to_arrow(self) -> pa.RecordBatch:
        """Return the columns as an Arrow batch, which can travel."""
        import pyarrow as pa

        columns = [c.to_arrow() for c in (self.head, self.text, self.tail)]
        return pa.record_batch(columns, names=["head", "text", "tail"])

    @classmethod
    def of_arrow(cls, batch: pa.RecordBatch) -> LineBlock:
        """Take the columns from an Arrow batch."""
        head, text, tail = map(Column.of_arrow, batch.columns[:3])
        return cls(head, text, tail)

    def only(self, keep: npt.NDArray[np.bool_]) -> LineBlock:
        """Leave documents out."""
        chosen = np.flatnonzero(keep)
        head, text, tail = (c.take(chosen) for c in (self.head, self.text, self.tail))
        place = {old: new for new, old in enumerate(chosen.tolist())}
        spans = tuple((place[i], found) for i, found in self.spans if i in place)
        return replace(self, head=head, text=text, tail=tail, spans=spans)


class SeenMarks:
    """The ids seen before, looked up many at a time, in 8 bytes per id.

    >>> seen = SeenMarks()
    >>> seen.add(np.array([5, 3, 5], np.uint64)).tolist(), seen.add(np.array([3, 9], np.uint64)).tolist()
    ([True, True, False], [False, True])
    """

    def __init__(self) -> None:
        self._runs: list[npt.NDArray[np.uint64]] = []  # each sorted, each at least twice the next

    def add(self, marks: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
        """Add marks; say which of them are new."""
        order = np.argsort(marks, kind="stable")
        ordered = marks[order]
        new = np.ones(marks.size, np.bool_)
        new[1:] = ordered[1:] != ordered[:-1]
        for run in self._runs:
            place = np.minimum(np.searchsorted(run, ordered), run.size - 1)
            new &= run[place] != ordered
        if new.any():
            self._runs.append(ordered[new])
        while len(self._runs) > 1 and self._runs[-2].size < 2 * self._runs[-1].size:
            merged = np.concatenate([self._runs.pop(), self._runs.pop()])
            merged.sort(kind="stable")
            self._runs.append(merged)
        answer = np.empty(marks.size, np.bool_)
        answer[order] = new
        return answer


def read_blocks(
    form: Jsonl, part: CorpusFile, seen: SeenMarks, *, size: int, keep: Sequence[str] | None = None
) -> Iterator[LineBlock]:
    """Read a file in blocks of about `size` bytes; ids that were seen are withheld.

    Parameters
    ----------
    form : Jsonl
        Says which fields hold what, and reads the lines that the kernels leave.
    part : CorpusFile
        The file.
    seen : SeenMarks
        The ids of the parts before.
    size : int
        Bytes of a block.
    keep : sequence of str, optional
        The other fields to keep; all of them by default.

    """
    from . import _kernels

    reader = _LineReader(form, part, keep)
    with open_bytes(part.file, form.names.limits) as stream:
        for raw in _whole_lines(stream, size, form.names.limits.record_bytes):
            block = reader.block(raw)
            marks = np.empty(len(block), np.uint64)
            _kernels.hash_heads(frozen(block.head.data), block.head.bounds, marks)
            new = seen.add(marks)
            yield block if new.all() else reader.without_repeated(block, new)


def _whole_lines(stream: BinaryIO, size: int, longest: int) -> Iterator[bytes]:
    """Cut a stream after line ends; what is left of a line beyond the limit is not kept."""
    rest = b""
    while block := stream.read(size):
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join((rest, memoryview(block)[:cut]))
            rest = block[cut:]
        elif len(rest) <= longest:  # else it is known to be too long, and its end is awaited
            rest += block
    if rest:
        yield rest


class _LineReader:
    """Turns blocks of whole lines into columns, and counts the records."""

    def __init__(self, form: Jsonl, part: CorpusFile, keep: Sequence[str] | None) -> None:
        own = form.names
        assert own.id is not None
        self.form, self.part, self.keep = form, part, keep
        self.names = Column.of([n.encode() for n in (own.id, own.text, own.spans, *(keep or ()))])
        self.records = 0
        self.numbers: list[int] = []  # of the records that became documents of the last block

    def block(self, raw: bytes) -> LineBlock:
        from . import _kernels

        own, limits = self.form.names, self.form.names.limits
        lines = raw.count(b"\n") + 1
        start, end = np.empty(lines, np.int64), np.empty(lines, np.int64)
        slow = np.zeros(lines, np.uint8)
        # Pages that are not written to take no memory; a separator may become two bytes.
        columns = [
            Column(np.empty(room, np.uint8), np.zeros(lines + 1, np.int64))
            for room in (len(raw) + 8, len(raw) + 8, 2 * len(raw) + 64)
        ]
        pool, pool_bounds = np.empty(1 << 14, np.uint8), np.zeros(_MOST_NAMES + 1, np.int64)
        pooled = np.zeros(2, np.int64)
        try:
            raw.decode()
            most = limits.record_bytes
        except UnicodeDecodeError:  # some line is not UTF-8: check each line separately
            most = 0
        n = _kernels.scan_lines(
            np.frombuffer(raw, np.uint8), frozen(self.names.data), self.names.bounds, most,
            limits.id_characters, limits.document_characters, self.keep is None,
            pool, pool_bounds, pooled,
            start, end, slow, *(a for c in columns for a in (c.data, c.bounds)),
        )  # fmt: skip
        columns = [Column(c.data[: c.bounds[n]], c.bounds[: n + 1]) for c in columns]
        found = {
            pool[pool_bounds[i] : pool_bounds[i + 1]].tobytes().decode()
            for i in range(int(pooled[0]))
        }
        if pooled[1]:
            found.add(str(own.id))
        first = self.records + 1
        self.records += n
        self.numbers = list(range(first, first + n))
        withheld: list[Withheld] = []
        spans: list[tuple[int, tuple[Span, ...]]] = []
        if slow[:n].any():
            columns, withheld, spans = self._with_slow_lines(
                raw, columns, slow[:n].tolist(), start, end, found
            )
        head, text, tail = columns
        names = tuple(sorted(found))
        return LineBlock(head, text, tail, names, tuple(withheld), n, tuple(spans))

    def _with_slow_lines(
        self, raw: bytes, columns: list[Column], slow: list[int], start: Offsets, end: Offsets,
        found: set[str],
    ) -> tuple[list[Column], list[Withheld], list[tuple[int, tuple[Span, ...]]]]:  # fmt: skip
        """Read the slow lines in Python and put them between the others."""
        entries: list[tuple[bytes, bytes, bytes]] = []
        withheld, numbers, spans = [], [], []
        for i, number in enumerate(self.numbers):
            if slow[i]:
                line = raw[start[i] : end[i] + 1]
                record = self.form.record(self.part, number, line)
                if isinstance(record, Withheld):
                    withheld.append(record)
                    continue
                if record.spans:
                    spans.append((len(entries), tuple(record.spans)))
                kept = {k: v for k, v in record.fields.items() if self._is_kept(k)}
                entries.append(_entry(self.form.names, record, kept))
                found.update(kept)
            else:
                entries.append((columns[0][i], columns[1][i], columns[2][i]))
            numbers.append(number)
        self.numbers = numbers
        return [Column.of([entry[c] for entry in entries]) for c in range(3)], withheld, spans

    def _is_kept(self, name: str) -> bool:
        return self.keep is None or name in self.keep or name == self.form.names.id

    def without_repeated(self, block: LineBlock, new: npt.NDArray[np.bool_]) -> LineBlock:
        """Withhold the documents whose ids occurred before."""
        again = [
            Withheld.of_repeated_id(block.id(i), self.numbers[i], self.part.name)
            for i in np.flatnonzero(~new).tolist()
        ]
        withheld = sorted([*block.withheld, *again], key=lambda record: record.record)
        kept = block.only(new)
        fields = {name for i in range(len(kept)) for name in json.loads(b"{%b}" % kept.tail[i][2:])}
        if any(kept.head[i][:1] != b'"' for i in range(len(kept))):
            fields.add(str(self.form.names.id))
        return replace(kept, withheld=tuple(withheld), fields=tuple(sorted(fields)))


def _entry(
    names: FieldNames, document: Document, fields: Mapping[str, object]
) -> tuple[bytes, bytes, bytes]:
    """Return the columns of a document that was read in Python."""
    head = encode_json(fields.get(str(names.id), document.id))
    others = (name for name in fields if name != names.id)
    tail = b"".join(
        b", " + encode_json(name) + b": " + encode_json(fields[name]) for name in others
    )
    return head, document.text.encode(), tail


class LineWriter:
    """Writes documents in columns as the lines that `Jsonl` would write."""

    def __init__(self, names: FieldNames) -> None:
        before, after = encode_json(str(names.id)), encode_json(names.spans)
        pieces = [b"{" + before + b": ", b", " + encode_json(names.text) + b': "',
                  b'", ' + after + b": []", b"}\n"]  # fmt: skip
        self.pieces = Column.of(pieces)

    def lines(self, block: LineBlock, text: Column) -> bytearray:
        """Return the lines, with these texts in place of the block's own."""
        from . import _kernels

        pieces, count = self.pieces, len(block)
        if len(text) != count:  # the kernel would read beyond the end
            raise ValueError("There must be a text for each document.")
        size = block.head.data.size + block.tail.data.size + count * pieces.data.size
        lines = bytearray(size + _kernels.escaped_size(frozen(text.data)))
        written = _kernels.write_lines(
            frozen(block.head.data), block.head.bounds, frozen(text.data), text.bounds,
            frozen(block.tail.data), block.tail.bounds, frozen(pieces.data), pieces.bounds,
            count, np.frombuffer(lines, np.uint8),
        )  # fmt: skip
        assert written == len(lines)
        return lines
