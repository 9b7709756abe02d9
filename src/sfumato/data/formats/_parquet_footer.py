"""The footer of a Parquet file, as far as it is needed before its columns are decoded.

PyArrow ends the whole process when it is asked for the metadata of some damaged columns (an exception that
nobody catches), so what we need of them is read here: the codec, and how large a dictionary is. DuckDB's
`parquet_metadata` knows the footer but not the headers of pages, in the same Thrift, that say the latter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any, BinaryIO

from ...core.errors import FormatError

__all__ = ["Chunk", "Page", "pages", "read_footer"]

_MARK = b"PAR1"
_BYTE_ARRAY = 6
_CODECS = {0: "none", 1: "snappy", 2: "gzip", 4: "brotli", 5: "lz4", 6: "zstd", 7: "lz4"}
_DEEPEST = 16
_DICTIONARY = 2
_LONGEST_HEADER = 1 << 23


@dataclass(frozen=True, slots=True)
class Chunk:
    """A column of a row group: whether it holds texts, its codec, the place of its pages and their bytes."""

    is_text: bool
    codec: str
    first_page: int
    size: int


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
    codec = _CODECS.get(meta[4], "snappy")
    return Chunk(meta[1] == _BYTE_ARRAY, codec, min(places, default=0), int(meta.get(7) or 0))


def pages(raw: BinaryIO, chunk: Chunk) -> Iterator[Page]:
    """Read the headers of a column's pages: a dictionary need not be the first of them.

    A header that cannot be read is a ValueError.
    """
    place, end = max(0, chunk.first_page), max(0, chunk.first_page) + chunk.size
    while place < end:
        page, length = _page(raw, place)
        yield page
        if page.packed < 0:
            raise ValueError
        place += length + page.packed


def _page(raw: BinaryIO, place: int) -> tuple[Page, int]:
    """Read the header of the page at a place, and return how long the header is."""
    size = 128
    while True:
        raw.seek(place)
        header = _Thrift(raw.read(size))
        try:
            found = header.struct()
        except IndexError:
            if size > _LONGEST_HEADER or len(header.data) < size:
                raise ValueError from None
            size *= 8  # the smallest and largest value of the page stand in it
            continue
        try:
            kind, unpacked, packed = (index(found[number]) for number in (1, 2, 3))
        except (KeyError, TypeError):
            raise ValueError from None
        return Page(kind == _DICTIONARY, unpacked, packed), header.at
