"""Edits of JSON lines in columns, and what was written read again, by loops that have no part in writing.

Texts are compared by 128-bit hashes. Those that are expected come from the edits, which are hashed piece by
piece without making a text; those that are found come from the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..byte_columns import Column, frozen
from ..limits import Limits
from ..sources import open_bytes
from .jsonl import encode_json
from .lines import _whole_lines
from .protocol import FieldNames

__all__ = ["ByteEdits", "Hashes", "line_hashes", "read_lines_back"]

Hashes = npt.NDArray[np.uint64]
_BLOCK = 1 << 19


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
            b", " + encode_json(new) + b", " + encode_json(label) + b"]"
            for new, label in zip(self.replacements, self.labels, strict=True)
        ])  # fmt: skip
        lengths = np.diff(pieces.bounds)
        room = int(lengths[self.which].sum()) + 46 * self.which.size + 2 * len(self.text)
        out, bounds = np.empty(room, np.uint8), np.empty(len(self.text) + 1, np.int64)
        used = _edit_kernels.write_edits(
            frozen(self.text.data), self.text.bounds, self.start, self.end, self.doc, self.which,
            frozen(pieces.data), pieces.bounds, out, bounds,
        )  # fmt: skip
        return Column(out[:used], bounds)

    def hashes(self) -> Hashes:
        """Return the hash of each text with its edits."""
        from . import _edit_kernels

        pieces = Column.of([text.encode() for text in self.replacements])
        found = np.empty((len(self.text), 2), np.uint64)
        _edit_kernels.hash_with_edits(
            frozen(self.text.data), self.text.bounds, self.start, self.end, self.doc, self.which,
            frozen(pieces.data), pieces.bounds, found,
        )  # fmt: skip
        return found


def line_hashes(heads: Column, texts: Hashes, others: Column) -> Hashes:
    """Return lines as three hashes each: of the id, and two of the text and the other fields.

    Parameters
    ----------
    heads : Column
        The ids, as JSON.
    texts : array
        The hashes of the texts.
    others : Column
        The other fields, as in the line.

    """
    from . import _kernels

    rows = np.empty((len(heads), 3), np.uint64)
    ids = np.empty(len(heads), np.uint64)
    _kernels.hash_heads(frozen(heads.data), heads.bounds, ids)
    rows[:, 0], rows[:, 1:] = ids, texts
    if others.data.size:
        has_others = np.diff(others.bounds) > 0
        rows[has_others, 1:] ^= ByteEdits.unchanged(others).hashes()[has_others] * np.uint64(3)
    return rows


def read_lines_back(path: Path, names: FieldNames, limits: Limits) -> Hashes:
    """Return the hashes of the lines of a file that was written, in order; zeros for what is no line of it.

    Parameters
    ----------
    path : Path
        The file, gzip or not.
    names : FieldNames
        Which fields hold the id, the text and the spans.
    limits : Limits
        How long a line may be.

    """
    with open_bytes(path, limits) as stream:
        found = [
            _block_back(raw, names) for raw in _whole_lines(stream, _BLOCK, limits.record_bytes)
        ]
    return np.concatenate(found) if found else np.empty((0, 3), np.uint64)


def _block_back(raw: bytes, names: FieldNames) -> Hashes:
    """Read lines; those that are not in the one form in which they are written, by Python's own parser."""
    from . import _readback_kernels

    own = [
        json.dumps(name, ensure_ascii=False).encode()
        for name in (names.id, names.text, names.spans)
    ]
    pieces = Column.of([b"{%b: " % own[0], b', %b: "' % own[1], b'", %b: []' % own[2]])
    keys, lines = Column.of(own), raw.count(b"\n") + 1
    start, end = np.empty(lines, np.int64), np.empty(lines, np.int64)
    slow, rows = np.zeros(lines, np.uint8), np.zeros((lines, 3), np.uint64)
    n = _readback_kernels.read_back(
        np.frombuffer(raw, np.uint8), frozen(pieces.data), pieces.bounds, frozen(keys.data), keys.bounds,
        start, end, slow, rows,
    )  # fmt: skip
    for i in np.flatnonzero(slow[:n]).tolist():
        rows[i] = _line_back(raw[start[i] : end[i]], names)
    return rows[:n]


def _line_back(line: bytes, names: FieldNames) -> Hashes | int:
    """Read a line with Python's own parser; 0 for one that holds no document, or what it may not hold."""
    try:
        fields = json.loads(line)
        id, text, spans = (fields.pop(str(n)) for n in (names.id, names.text, names.spans))
        head, body = encode_json(id), text.encode()
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return 0
    if spans != []:
        return 0
    others = b", " + encode_json(fields)[1:-1] if fields else b""
    text_hash = ByteEdits.unchanged(Column.of([body])).hashes()
    found: Hashes = line_hashes(Column.of([head]), text_hash, Column.of([others]))[0]
    return found
