"""Look for planted words in everything that a run wrote: plain, folded, encoded, hashed or in halves.

A word is found in any encoding that a reader could undo, and as any digest that a reader could confirm
with a list of guesses: of the word itself, of a line or a cell that holds it, or of a whole file or folder.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

_ALGORITHMS = (
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "blake2b",
    "blake2s",
    "sha3_256",
)
_SHORT = (8, 16, 20, 32)  # sizes of BLAKE2 digests, which are not cuts of the long one
_HEX = re.compile(rb"[0-9a-fA-F]{16,}")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{11,}")


def digests(content: bytes) -> Iterator[bytes]:
    """Yield what common functions make of some bytes; the first 8 bytes of each."""
    for name in _ALGORITHMS:
        yield hashlib.new(name, content, usedforsecurity=False).digest()[:8]
    for size in _SHORT:
        yield hashlib.blake2b(content, digest_size=size).digest()[:8]


@dataclass(frozen=True)
class Canary:
    """A planted word: what it stands for, and the places where it may be seen."""

    word: str
    kind: str
    allowed: re.Pattern[str] = re.compile(r"(?!)")


@dataclass
class Looker:
    """Everything that is looked for, prepared once."""

    canaries: list[Canary]
    hashes_allowed: re.Pattern[str] = re.compile(r"(?!)")
    needles: dict[bytes, tuple[Canary, str]] = field(default_factory=dict)
    hashed: dict[bytes, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for canary in self.canaries:
            for form, needle in _forms(canary.word):
                self.needles[needle] = (canary, form)
            for spelled in {canary.word, canary.word.lower(), canary.word.upper()}:
                self.know(spelled.encode(), f"hash of a planted {canary.kind}")
                self.know(spelled.encode() + b"\n", f"hash of a planted {canary.kind}")

    def know(self, content: bytes, what: str) -> None:
        """Recognise any digest of some bytes."""
        for digest in digests(content):
            self.hashed[digest] = what

    def know_files(self, folder: Path) -> None:
        """Recognise the digests of every input: files, their lines, and folders."""
        from sfumato.core.files import sha256_of

        for path in [folder, *sorted(folder.rglob("*"))]:
            if path.is_dir():
                self.hashed[bytes.fromhex(sha256_of(path))[:8]] = "hash of a folder of inputs"
                continue
            content = path.read_bytes()
            self.know(content, f"hash of the input {path.suffix}")
            if path.name.endswith(".gz"):
                content = gzip.decompress(content)
                self.know(content, "hash of an unpacked input")
            if b"\0" not in content[:1000]:
                for line in content.splitlines():
                    self.know(line, "hash of a line of an input")

    def found(self, place: str, content: bytes) -> Iterator[str]:
        """Yield what is found in some bytes, as (what, form, place)."""
        for view in _views(place, content):
            low = view.lower()
            for needle, (canary, form) in self.needles.items():
                if needle in (low if form in _FOLDED else view) and not canary.allowed.search(
                    place
                ):
                    yield f"{canary.kind} ({form}) in {place}"
            if not self.hashed or self.hashes_allowed.search(place):
                continue
            for digest in _written_digests(view):
                if digest in self.hashed:
                    yield f"{self.hashed[digest]} in {place}"
            known = np.frombuffer(b"".join(self.hashed), np.uint64)
            for start in range(min(8, len(view))):
                words = np.frombuffer(view[start : start + (len(view) - start) // 8 * 8], np.uint64)
                for word in words[np.isin(words, known)]:
                    yield f"{self.hashed[word.tobytes()]} (raw) in {place}"


_FOLDED = {"plain", "first half", "second half", "backwards", "hex"}


def _forms(word: str) -> Iterator[tuple[str, bytes]]:
    """Yield the ways a word can be written so that a reader can undo it."""
    low, half = word.lower(), len(word) // 2
    yield "plain", low.encode()
    yield "backwards", low[::-1].encode()
    yield "first half", low[:half].encode()
    yield "second half", low[half:].encode()
    for spelled in {word, low, word.upper()}:
        raw = spelled.encode()
        yield "UTF-16", spelled.encode("utf-16-le")
        yield "UTF-32", spelled.encode("utf-32-le")
        yield "hex", raw.hex().encode()
        yield "base32", base64.b32encode(raw)[:-8]
        for shift in range(3):  # a word may begin anywhere in what is encoded
            padded = base64.b64encode(b"\0" * shift + raw)
            yield "base64", padded[-(-shift * 8 // 6) + (shift > 0) : len(padded) // 4 * 4 - 4]


def _views(place: str, content: bytes) -> Iterator[bytes]:
    """Yield the bytes of a file, and what a program that opens it would see."""
    yield content
    try:
        if place.endswith(".gz"):
            yield gzip.decompress(content)
        elif place.endswith(".npz"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for name in archive.namelist():
                    yield name.encode() + b"\n" + archive.read(name)
        elif place.endswith(".parquet"):
            import pyarrow.parquet as pq

            table = pq.read_table(io.BytesIO(content))
            yield f"{table.schema}{table.to_pylist()}".encode()
        elif place.endswith(".pdf"):
            yield pdf_text(content)
    except (OSError, ValueError, zlib.error, zipfile.BadZipFile):
        return


def _written_digests(view: bytes) -> Iterator[bytes]:
    for match in _HEX.finditer(view):
        run = match[0]
        for start in range(len(run) - 15):
            yield bytes.fromhex(run[start : start + 16].decode())
    for match in _BASE64.finditer(view):
        run = match[0].replace(b"-", b"+").replace(b"_", b"/")
        if len(run) < 4096:  # a picture or a bundle of code is no digest
            for start in range(len(run) - 10):
                yield base64.b64decode(run[start : start + 11] + b"=")[:8]


def pdf_text(content: bytes) -> bytes:
    """Return the streams of a PDF unpacked, and its text by every character map that it holds."""
    streams = []
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", content, re.DOTALL):
        try:
            streams.append(zlib.decompress(match[1]))
        except zlib.error:
            streams.append(match[1])
    shown = [
        code for stream in streams if b"BT" in stream for code in re.findall(rb"<([0-9A-Fa-f]+)>", stream)
    ]  # fmt: skip
    texts = []
    for stream in streams:
        pairs = re.findall(rb"<([0-9A-Fa-f]{4})>\s*<([0-9A-Fa-f]{4,})>", stream)
        if b"beginbfchar" in stream and pairs:
            letters = {
                code.lower(): bytes.fromhex(to.decode()).decode("utf-16-be", "replace")
                for code, to in pairs
            }
            glyphs = (run[i : i + 4].lower() for run in shown for i in range(0, len(run), 4))
            texts.append("".join(letters.get(glyph, "") for glyph in glyphs))
    return b"\n".join([*streams, "\n".join(texts).encode("utf-8", "replace")])


def look(looker: Looker, folders: Iterable[Path], said: dict[str, str]) -> tuple[list[str], int]:
    """Look at every name and every file below some folders, and at what was said; count the places."""
    found: list[str] = []
    places = 0
    for name, text in said.items():
        places += 1
        found += looker.found(f"said: {name}", text.encode("utf-8", "surrogatepass"))
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            place = path.relative_to(folder.parent).as_posix()
            places += 1
            found += looker.found(f"name: {place}", place.encode())
            if path.is_file():
                found += looker.found(place, path.read_bytes())
    return sorted(set(found)), places
