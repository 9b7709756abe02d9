"""Edits of JSON lines in columns, and what was written read again: by Arrow's parser, not by our kernels.

Texts are compared by 128-bit hashes. Those that are expected come from the edits, which are hashed piece by
piece without making a text; those that are found come from the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import numpy.typing as npt

from ..limits import Limits
from ..sources import open_bytes
from .jsonl import encoded
from .lines import Column, _frozen, _whole_lines
from .protocol import FieldNames

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ByteEdits", "LineHashes", "read_lines_back"]

Hashes = npt.NDArray[np.uint64]
_BLOCK = 1 << 22
_QUOTED = json.encoder.encode_basestring


@dataclass(frozen=True, slots=True)
class ByteEdits:
    """Edits of texts in columns: bytes `start` to `end` become `replacements[which]`, because of `labels[which]`.

    Those of text d are `doc[d]` to `doc[d + 1]`.
    """

    text: Column
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    doc: npt.NDArray[np.int64]
    which: npt.NDArray[np.int32]
    replacements: Sequence[str]
    labels: Sequence[str]

    @classmethod
    def unchanged(cls, text: Column) -> ByteEdits:
        """Return texts without an edit."""
        none, doc = np.zeros(0, np.int64), np.zeros(len(text) + 1, np.int64)
        return cls(text, none, none, doc, np.zeros(0, np.int32), (), ())

    def to_json(self) -> Column:
        """Return the edits of each text as a JSON array, in characters."""
        from . import _edit_kernels

        pieces = Column.of([
            b", " + encoded(new) + b", " + encoded(label) + b"]"
            for new, label in zip(self.replacements, self.labels, strict=True)
        ])  # fmt: skip
        lengths = np.diff(pieces.bounds)
        room = int(lengths[self.which].sum()) + 46 * self.which.size + 2 * len(self.text)
        out, bounds = np.empty(room, np.uint8), np.empty(len(self.text) + 1, np.int64)
        used = _edit_kernels.write_edits(
            _frozen(self.text.data), self.text.bounds, self.start, self.end, self.doc, self.which,
            _frozen(pieces.data), pieces.bounds, out, bounds,
        )  # fmt: skip
        return Column(out[:used], bounds)

    def hashes(self) -> Hashes:
        """Return the hash of each text with its edits."""
        from . import _edit_kernels

        pieces = Column.of([text.encode() for text in self.replacements])
        found = np.empty((len(self.text), 2), np.uint64)
        _edit_kernels.hash_edited(
            _frozen(self.text.data), self.text.bounds, self.start, self.end, self.doc, self.which,
            _frozen(pieces.data), pieces.bounds, found,
        )  # fmt: skip
        return found


@dataclass(frozen=True, slots=True)
class LineHashes:
    """Lines as three hashes each: of the id, and two of the text and the other fields.

    A line that cannot be read, or that holds what no line may hold, has zeros.
    """

    rows: Hashes

    @classmethod
    def of(cls, heads: Column, texts: Hashes, others: Column) -> LineHashes:
        """Take ids as JSON, the hashes of texts, and the other fields as they stand in the line."""
        from . import _kernels

        rows = np.empty((len(heads), 3), np.uint64)
        ids = np.empty(len(heads), np.uint64)
        _kernels.hash_heads(_frozen(heads.data), heads.bounds, ids)
        rows[:, 0], rows[:, 1:] = ids, texts
        if others.data.size:
            has_others = np.diff(others.bounds) > 0
            rows[has_others, 1:] ^= ByteEdits.unchanged(others).hashes()[has_others] * np.uint64(3)
        return cls(rows)

    def with_ids(self, heads: Column) -> LineHashes:
        """Return the same lines with other ids."""
        from . import _kernels

        rows, ids = self.rows.copy(), np.empty(len(heads), np.uint64)
        _kernels.hash_heads(_frozen(heads.data), heads.bounds, ids)
        rows[:, 0] = ids
        return LineHashes(rows)


def read_lines_back(path: Path, names: FieldNames, limits: Limits, keep: Sequence[str]) -> Hashes:
    """Return the hashes of the lines of a file that was written, in order.

    Parameters
    ----------
    path : Path
        The file, gzip or not.
    names : FieldNames
        Which fields hold the id, the text and the spans.
    limits : Limits
        How long a line may be.
    keep : sequence of str
        The other fields that are published; with none of them Arrow reads the lines.

    """
    with open_bytes(path, limits) as stream:
        found = list(_blocks_back(stream, names, limits, keep))
    return np.concatenate(found) if found else np.empty((0, 3), np.uint64)


def _blocks_back(
    stream: BinaryIO, names: FieldNames, limits: Limits, keep: Sequence[str]
) -> Iterator[Hashes]:
    for raw in _whole_lines(stream, _BLOCK, limits.record_bytes):
        quick = None if keep else _by_arrow(raw, names)
        yield _by_python(raw, names) if quick is None else quick


def _by_arrow(raw: bytes, names: FieldNames) -> Hashes | None:
    """Read lines without other fields; None where Arrow refuses one of them."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    kinds = [(names.id, pa.string()), (names.text, pa.string()), (names.spans, pa.list_(pa.null()))]
    parse = arrow_json.ParseOptions(explicit_schema=pa.schema(kinds), unexpected_field_behavior="error")  # fmt: skip
    read = arrow_json.ReadOptions(block_size=max(1 << 20, _longest(raw)))
    try:
        table = arrow_json.read_json(pa.BufferReader(raw), read, parse)
    except pa.ArrowException:
        return None
    ids, texts, spans = (table.column(name) for name in (names.id, names.text, names.spans))
    marked = sum(chunk.flatten().__len__() for chunk in spans.chunks)
    if marked or ids.null_count or texts.null_count or spans.null_count:
        return None
    heads = _heads(ids)
    hashes = [ByteEdits.unchanged(_column(chunk)).hashes() for chunk in texts.chunks]
    none = Column(np.zeros(0, np.uint8), np.zeros(len(heads) + 1, np.int64))
    return LineHashes.of(heads, np.concatenate(hashes), none).rows


def _heads(ids: pa.ChunkedArray) -> Column:
    """Return ids as they are hashed: as JSON, which a plain id is without its quotes."""
    plain = _column(ids.combine_chunks())
    special = (plain.data < 0x20) | (plain.data == 0x22) | (plain.data == 0x5C)
    return Column.of([encoded(name) for name in ids.to_pylist()]) if special.any() else plain


def _longest(raw: bytes) -> int:
    """Return the length of the longest line: Arrow wants each inside one of its blocks."""
    ends = np.flatnonzero(np.frombuffer(raw, np.uint8) == 0x0A)
    return int(np.diff(ends, prepend=-1, append=len(raw)).max()) + 1


def _column(texts: object) -> Column:
    import pyarrow as pa

    return Column.of_arrow(texts.cast(pa.large_binary()))  # type: ignore[attr-defined]


def _by_python(raw: bytes, names: FieldNames) -> Hashes:
    """Read lines with Python's own parser."""
    heads, texts, others, good = [], [], [], []
    for fields in _objects(raw.splitlines()):
        try:
            id, text, spans = (fields.pop(str(n)) for n in (names.id, names.text, names.spans))
            heads.append(_QUOTED(id).encode() if isinstance(id, str) else encoded(id))
            is_good = isinstance(text, str) and spans == []
            texts.append(text.encode() if isinstance(text, str) and is_good else b"")
        except (ValueError, KeyError, AttributeError, TypeError):
            fields, is_good = {}, False
            heads.append(b'""')
            texts.append(b"")
        others.append(b", " + encoded(fields)[1:-1] if fields else b"")
        good.append(is_good)
    rows = LineHashes.of(
        Column.of(heads), ByteEdits.unchanged(Column.of(texts)).hashes(), Column.of(others)
    ).rows
    rows[~np.array(good, np.bool_)] = 0
    return rows


def _objects(lines: Sequence[bytes]) -> list[dict[str, object]]:
    """Return the object of each line, an empty one where it cannot be read: all at once, or one by one."""
    if all(line[:1] == b"{" and line[-1:] == b"}" for line in lines):
        try:
            found: list[dict[str, object]] = json.loads(b"[%b]" % b",".join(lines))
            if len(found) == len(lines):
                return found
        except (ValueError, RecursionError):
            pass
    return [_object(line) for line in lines]


def _object(line: bytes) -> dict[str, object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
