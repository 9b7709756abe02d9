"""What all readers share: opening a file safely, records that were withheld, ids that must be unique."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from ..core.errors import DataError, FormatError, InputError
from ..core.files import check_plain_file
from .limits import Limits

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = [
    "SeenIds",
    "Withheld",
    "check_growth",
    "create_bytes",
    "is_gzip",
    "lines_of",
    "open_bytes",
]

_BUFFER = 1 << 18
_UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Withheld:
    """A record that cannot be used: which one and why, without a word of its content.

    `reason` continues the sentence "Record 3 of 'notes.jsonl' …". `in_labels` says that the fault is in its
    labels: a record whose text cannot be read is left out of what is learned from, a mistaken label is not
    passed over.

    >>> Withheld("d7", "has no text", record=3, part="notes.jsonl").error().message
    "Record 3 of 'notes.jsonl' (id 'd7') has no text."
    """

    id: str
    reason: str
    record: int = 0
    part: str = ""
    hint: str | None = field(default=None, compare=False)
    kind: type[InputError] = field(default=DataError, compare=False)
    in_labels: bool = field(default=False, compare=False)

    @classmethod
    def of_repeated_id(cls, id: str, record: int, part: str) -> Withheld:
        """Withhold a record whose id came before."""
        hint = 'ids must be unique; --id "" (id=None) numbers the records.'
        return cls(id, "repeats the id of an earlier record", record, part, hint)

    def error(self) -> InputError:
        """Build the error that a strict reading raises for this record."""
        if self.is_file:
            return self.kind(f"The file {self.part!r} {self.reason}.", hint=self.hint)
        named = "" if self.id == f"record {self.record}" else f" (id {self.id!r})"
        place = f"Record {self.record} of {self.part!r}" if self.part else f"Record {self.record}"
        return self.kind(f"{place}{named} {self.reason}.", hint=self.hint)

    @classmethod
    def of_file(cls, name: str, error: InputError) -> Withheld:
        """Withhold a file among others that cannot be read on, for the reason of an error.

        >>> Withheld.of_file("a.mbox", FormatError("The file 'a.mbox' is not a mailbox.")).reason
        'is not a mailbox'
        """
        told, begin = error.message.rstrip("."), f"The file {name!r} "
        if told.startswith(begin):
            reason = told.removeprefix(begin)
        else:
            reason = f"cannot be read: {told.replace(repr(name), 'the file')}"
        return cls(name, reason, 0, name, error.hint, type(error))

    @property
    def is_file(self) -> bool:
        """Whether this is a file of many documents, which cannot be read on."""
        return self.record == 0 and self.id == self.part != ""

    def to_json(self, *, many: bool = False) -> dict[str, str]:
        """Return the entry for a quarantine list; of several files it says in which one a number is.

        >>> Withheld("record 3", "has no text", 3, "a.hl7").to_json(many=True)
        {'id': 'a.hl7:3', 'reason': 'has no text'}
        """
        numbered = many and self.part and self.id == f"record {self.record}"
        return {"id": f"{self.part}:{self.record}" if numbered else self.id, "reason": self.reason}


class SeenIds:
    """The ids seen before, in about 25 bytes per id whatever its length.

    Ids are kept as 8-byte hashes: the newest in a set, the rest in one sorted array. Two different
    ids share a hash once in about four billion records; the later record is then withheld.

    >>> seen = SeenIds()
    >>> seen.add("a"), seen.add("b"), seen.add("a")
    (True, True, False)
    """

    __slots__ = ("_old", "_recent")

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._old = array("Q")

    def __len__(self) -> int:
        return len(self._recent) + len(self._old)

    def add(self, key: str) -> bool:
        """Add an id; False when it was there already."""
        from bisect import bisect_left

        mark = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "little")
        if mark in self._recent:
            return False
        place = bisect_left(self._old, mark)
        if place < len(self._old) and self._old[place] == mark:
            return False
        self._recent.add(mark)
        if len(self._recent) >= max(1 << 16, len(self._old) // 8):
            self._merge()
        return True

    def _merge(self) -> None:
        import numpy as np

        new = np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent))
        merged = np.concatenate([np.frombuffer(self._old, dtype=np.uint64), new])
        merged.sort(kind="stable")  # two sorted stretches, nearly
        self._old = array("Q")
        self._old.frombytes(merged.tobytes())
        self._recent = set()


class _Unzipping(io.RawIOBase):
    """A gzip stream that refuses to grow beyond a ratio to what was read from disk."""

    def __init__(self, raw: BinaryIO, name: str, limits: Limits) -> None:
        self._raw, self._name, self._limits, self._out = raw, name, limits, 0
        self._gzip = gzip.GzipFile(fileobj=raw, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        try:
            count = self._gzip.readinto(buffer)
        except (OSError, EOFError, zlib.error) as error:
            raise FormatError(
                f"The file {self._name!r} is damaged or cut off: it does not decompress.",
                hint="copy it again from where it came.",
            ) from error
        self._out += count
        if self._out > self._limits.expansion_from:
            self._limits.check_expansion(self._name, self._raw.tell(), self._out)
        return count

    def close(self) -> None:
        self._gzip.close()
        self._raw.close()
        super().close()


def open_bytes(path: Path, limits: Limits) -> io.BufferedReader:
    """Open a plain or gzip file (recognised by its first bytes) for reading; skip a UTF-8 mark."""
    check_plain_file(path)
    try:
        raw = path.open("rb")
    except FileNotFoundError as error:
        raise InputError(f"There is no file {path.name!r}.", hint="check the path.") from error
    except OSError as error:
        raise InputError(f"The file {path.name!r} cannot be opened for reading.") from error
    try:
        start = raw.read(4)
        raw.seek(0)
        if start[:2] == b"\x1f\x8b":
            stream: io.BufferedReader = io.BufferedReader(
                _Unzipping(raw, path.name, limits), _BUFFER
            )
            start = stream.peek(4)[:4]
        else:
            if path.suffix == ".gz" and start:
                raise FormatError(f"The file {path.name!r} is named .gz but is not a gzip file.")
            stream = raw
        if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise FormatError(
                f"The file {path.name!r} is UTF-16, not UTF-8.",
                hint="convert it: iconv -f UTF-16 -t UTF-8.",
            )
        if start[:3] == _UTF8_MARK:
            stream.read(3)
    except BaseException:
        raw.close()
        raise
    return stream


def is_gzip(path: Path) -> bool:
    """Return whether a file is compressed, by its first bytes."""
    with path.open("rb") as raw:
        return raw.read(2) == b"\x1f\x8b"


def check_growth(path: Path, limits: Limits) -> None:
    """Refuse a gzip file that grows beyond the limit, for readers that decompress it themselves.

    It is decompressed once and nothing is kept; a file that was found good before is not looked at
    again. One that is cut off is refused as well: a database would read it as far as it goes.
    """
    state = path.stat()
    if not is_gzip(path):
        return
    key = (os.path.realpath(path), state.st_size, state.st_mtime_ns, limits)
    if key in _grown:
        return
    with path.open("rb") as raw:
        unpacking, out, read, whole = zlib.decompressobj(wbits=31), 0, 0, False
        try:
            while block := raw.read(_BUFFER):
                read += len(block)
                while block:
                    out += len(unpacking.decompress(block, 16 * _BUFFER))
                    limits.check_expansion(path.name, read, out)
                    block = unpacking.unconsumed_tail
                    if unpacking.eof:
                        block = unpacking.unused_data.lstrip(b"\0")
                        unpacking, whole = zlib.decompressobj(wbits=31), not block
                    else:
                        whole = False
            if not whole:
                raise zlib.error
        except zlib.error as error:
            raise FormatError(
                f"The file {path.name!r} is damaged or cut off: it does not decompress.",
                hint="copy it again from where it came.",
            ) from error
    _grown.add(key)


_grown: set[tuple[str, int, int, Limits]] = set()


@contextmanager
def create_bytes(path: Path, *, compress: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing; gzip without a name or time in it, so the same bytes each time."""
    with path.open("wb") as raw:
        if compress:
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as stream:
                yield cast("BinaryIO", stream)
        else:
            yield raw


def lines_of(stream: io.BufferedReader, limits: Limits) -> Iterator[bytes | None]:
    """Yield the lines of a stream with their ends; None for one that is longer than the limit."""
    longest = limits.record_bytes
    while line := stream.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_BUFFER)
        yield None
