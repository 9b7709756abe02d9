"""The resources of a file, one after another: lines of NDJSON, or the entries of a bundle, in flat memory."""

from __future__ import annotations

import io
import json
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic_core import from_json, to_json

from ....core.errors import FormatError
from ...limits import Limits
from ...sources import lines_of, open_bytes
from .rewriting import Json

__all__ = ["BundleReader", "decode", "encode", "in_batches", "is_lines", "resource_lines"]

_PRECISE = re.compile(rb"\.(?:[0-9]*0\s*[,}\]]|[0-9]{16})")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_MARK = f"{secrets.token_hex(16)}:"  # nobody can write it into a file beforehand
_MARKED = re.compile(rb'"' + _MARK.encode() + rb'([-+.0-9eE]+)"')
_SPACE = re.compile(r"[ \t\n\r]*")
_CHUNK = 1 << 18
_MOST_LINES = 256


class ExactNumber:
    """A decimal with the digits that it was written with: 7.20 is not 7.2 in FHIR."""

    __slots__ = ("digits",)

    def __init__(self, digits: str) -> None:
        self.digits = digits


_EXACT = json.JSONDecoder(parse_float=ExactNumber)


def is_lines(name: str) -> bool:
    """Return whether a file holds a resource a line, by its name."""
    return name.lower().removesuffix(".gz").endswith((".ndjson", ".jsonl"))


def decode(line: bytes) -> object:
    """Return a value of JSON; decimals keep their digits."""
    if _PRECISE.search(line):
        if _HALF.search(line):
            from_json(line, allow_inf_nan=False)  # which refuses half a character
        return _EXACT.decode(line.decode())
    return from_json(line, allow_inf_nan=False)


def encode(value: object) -> bytes:
    """Return a value as JSON in one line.

    >>> encode(decode(b'{"a": 1.50, "b": "x"}'))
    b'{"a":1.50,"b":"x"}'
    """
    made = to_json(value, fallback=_mark_number)
    return _MARKED.sub(rb"\1", made) if _MARK.encode() in made else made


def _mark_number(value: object) -> str:
    """Return an exact number as a text that nobody else can have written; its quotes are taken off afterwards."""
    if not isinstance(value, ExactNumber):
        raise TypeError(type(value).__name__)
    return _MARK + value.digits


def resource_lines(path: Path, limits: Limits) -> Iterator[bytes | None]:
    """Yield the lines that are not empty; None for one beyond the limit."""
    with open_bytes(path, limits) as stream:
        for line in lines_of(stream, limits):
            if line is None or line.strip():
                yield line


def in_batches(lines: Iterable[bytes | None]) -> Iterator[list[bytes | None]]:
    """Yield lines in batches of at most `_MOST_LINES` lines and about `_CHUNK` bytes."""
    batch: list[bytes | None] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line or b"")
        if size >= _CHUNK or len(batch) >= _MOST_LINES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@dataclass
class BundleReader:
    """Reads a bundle entry by entry; the other fields are in `head` when the last is read.

    Parameters
    ----------
    path : Path
        The file; one that holds another resource is a bundle of that one.
    limits : Limits
        How large an entry may be.

    """

    path: Path
    limits: Limits

    def __post_init__(self) -> None:
        self.head: Json = {}
        self.is_bundle = False
        self._text, self._said, self._at, self._is_end = "", "", 0, False

    def entries(self) -> Iterator[bytes]:
        """Yield the entries of a bundle as they are written, or the one resource as `{"resource": …}`."""
        with io.TextIOWrapper(open_bytes(self.path, self.limits), "utf-8") as stream:
            self._stream = stream
            try:
                yield from self._top()
            except UnicodeDecodeError:
                raise self._error("is not UTF-8 text") from None
            except (ValueError, RecursionError):
                raise self._error("is not valid JSON") from None
        if not self.is_bundle:
            if self.head.get("resourceType") is None:
                raise self._error("holds no FHIR resource")
            yield encode({"resource": self.head})

    def _error(self, reason: str) -> FormatError:
        return FormatError(f"The file {self.path.name!r} {reason}.", hint="export it again.")

    def _top(self) -> Iterator[bytes]:
        self._expect("{")
        while (mark := self._peek()) != "}":
            if mark == ",":
                self._at += 1
            name = self._value()
            self._expect(":")
            if (
                name == "entry"
                and self.head.get("resourceType") in (None, "Bundle")
                and self._peek() == "["
            ):
                self.is_bundle = True
                yield from self._array()
            else:
                self.head[str(name)] = self._value()
        self._at += 1
        self.is_bundle = self.is_bundle or self.head.get("resourceType") == "Bundle"
        if self._peek():
            raise ValueError("more than one value")

    def _array(self) -> Iterator[bytes]:
        self._at += 1
        while (mark := self._peek()) != "]":
            if mark == ",":
                self._at += 1
            self._value()
            yield self._said.encode()
        self._at += 1

    def _peek(self) -> str:
        """Return the next character that is not white space; none at the end."""
        while True:
            self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._text) or self._is_end:
                return self._text[self._at : self._at + 1]
            self._fill(_CHUNK)

    def _expect(self, mark: str) -> None:
        if self._peek() != mark:
            raise ValueError("not as expected")
        self._at += 1

    def _fill(self, characters: int) -> None:
        more = self._stream.read(characters)
        self._is_end = not more
        self._text, self._at = self._text[self._at :] + more, 0

    def _value(self) -> object:
        """Return the next value; more is read until it is whole, and `_said` is how it is written."""
        self._peek()
        while True:
            try:
                value, end = _EXACT.raw_decode(self._text, self._at)
            except ValueError:
                if self._is_end:
                    raise
                end = len(self._text)
            if end < len(self._text) or self._is_end:  # else a number may go on
                self._said, self._at = self._text[self._at : end], end
                if "\\u" in self._said:
                    from_json(self._said.encode())  # which refuses half a character
                return value
            held = len(self._text) - self._at
            if held > self.limits.record_bytes:
                raise self.limits.error(f"An entry of {self.path.name!r}", "record_bytes")
            self._fill(max(_CHUNK, held))
