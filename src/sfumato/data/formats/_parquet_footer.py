"""The footer of a Parquet file, as far as we must know it before its columns are decoded.

PyArrow ends the whole process when it is asked for the metadata of some damaged columns (an exception that
nobody catches), so what we need of them is read here: the codec, and how large a dictionary is.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ...core.errors import FormatError

__all__ = ["Chunk", "Page", "first_page", "read_footer"]

_MARK = b"PAR1"
_BYTE_ARRAY = 6
_CODECS = {0: "none", 1: "snappy", 2: "gzip", 4: "brotli", 5: "lz4", 6: "zstd", 7: "lz4"}
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column of a row group: whether it holds texts, its codec, and where its first page lies."""

    is_text: bool
    codec: str
    first_page: int


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says of itself: whether it is a dictionary, and its bytes in memory and on disk."""

    is_dictionary: bool
    unpacked: int
    packed: int


class _Thrift:
    """Values in Thrift's compact form, as dicts by the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError

    def signed(self) -> int:
        value = self.number()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError
        found: dict[int, Any] = {}
        field = 0
        while head := self.data[self.at]:
            self.at += 1
            field = field + (head >> 4) if head >> 4 else self.signed()
            kind = head & 15
            found[field] = kind == 1 if kind in (1, 2) else self.value(kind, depth)
        self.at += 1
        return found

    def value(self, kind: int, depth: int) -> Any:
        if kind in (4, 5, 6):
            return self.signed()
        if kind == 8:
            size = self.number()
            self.at += size
            return self.data[self.at - size : self.at]
        if kind == 12:
            return self.struct(depth + 1)
        if kind in (9, 10):
            head = self.data[self.at]
            self.at += 1
            size = self.number() if head >> 4 == 15 else head >> 4
            if size > len(self.data):
                raise ValueError
            # The elements of a list of flags take a byte each, unlike a flag in a struct.
            inner = 3 if head & 15 in (1, 2) else head & 15
            return [self.value(inner, depth + 1) for _ in range(size)]
        if kind in (3, 7):
            self.at += 1 if kind == 3 else 8
            return None
        raise ValueError


def read_footer(path: Path) -> list[list[Chunk]]:
    """Read the columns of each row group from the footer of a file."""
    try:
        with path.open("rb") as raw:
            raw.seek(-8, 2)
            size, mark = int.from_bytes(raw.read(4), "little"), raw.read(4)
            if mark != _MARK:
                raise ValueError
            raw.seek(-8 - size, 2)
            content = _Thrift(raw.read(size)).struct()
        return [[_chunk(column[3]) for column in group[1]] for group in content.get(4, ())]
    except (ValueError, IndexError, KeyError, TypeError, OSError):
        raise FormatError(f"The file {path.name!r} is not readable as Parquet.") from None


def _chunk(meta: dict[int, Any]) -> Chunk:
    places = [place for place in (meta.get(11), meta[9]) if place]
    return Chunk(meta[1] == _BYTE_ARRAY, _CODECS.get(meta[4], "snappy"), min(places, default=0))


def first_page(raw: BinaryIO, chunk: Chunk) -> Page | None:
    """Read the header of a column's first page, or None where there is none to read."""
    raw.seek(max(0, chunk.first_page))
    header = _Thrift(raw.read(32))
    try:
        values = []
        for _ in range(3):  # the kind of the page, its size, and its size on disk
            if header.data[header.at] != 0x15:
                return None
            header.at += 1
            values.append(header.signed())
    except (IndexError, ValueError):
        return None
    return Page(values[0] == 2, values[1], values[2])
