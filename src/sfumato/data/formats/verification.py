"""What was written is read again and compared with what was decided.

Each document has a digest of its id, its text, its other fields and its marks. The digests of what was decided
are taken from the edits, those of what was written from the file, and the two must be the same, whatever their
order. Containers are searched besides: nothing that was removed may occur in any of their streams.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..document import Span

__all__ = ["Digests", "Verified", "compare", "find_removed", "stands_in_names"]

_SIZE = 16
_UNREADABLE = b"\0" * _SIZE
_LONG = 8  # characters of a string that is no part of a name by chance
_SHORTEST = 4  # characters of a removed string that is worth a search; shorter ones occur anywhere


class Digests:
    """The digests of documents, 16 bytes each."""

    def __init__(self) -> None:
        self._all = bytearray()

    @staticmethod
    def of(id: str | None, text: str, fields: Mapping[str, object], spans: Sequence[Span]) -> bytes:
        """Return the digest of a document; without an id where the format does not write it."""
        about = json.dumps(
            [id, dict(fields), [[s.start, s.end, s.label] for s in spans]],
            sort_keys=True, default=repr, ensure_ascii=True,
        )  # fmt: skip
        digest = hashlib.blake2b(about.encode(), digest_size=_SIZE)
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def add(self, digest: bytes) -> None:
        """Add the digest of a document."""
        self._all += digest

    def add_unreadable(self) -> None:
        """Count a record that could not be read back; it is none of those that were decided."""
        self._all += _UNREADABLE

    def __len__(self) -> int:
        return len(self._all) // _SIZE

    def __iter__(self) -> Iterator[bytes]:
        whole = bytes(self._all)
        return (whole[at : at + _SIZE] for at in range(0, len(whole), _SIZE))


@dataclass(frozen=True)
class Verified:
    """How many documents were read back as decided; `missing` and `foreign` are the digests that were not.

    `leaks` counts removed strings that occur in a stream of a container.
    """

    documents: int
    missing: Counter[bytes]
    foreign: int
    leaks: int = 0

    def __bool__(self) -> bool:
        return not (self.missing or self.foreign or self.leaks)


def compare(expected: Digests, found: Digests, leaks: int = 0) -> Verified:
    """Compare what was found with what was decided, counting repetitions.

    >>> one, two = Digests(), Digests()
    >>> one.add(b"a" * 16), two.add(b"b" * 16)
    (None, None)
    >>> bool(compare(one, one)), bool(compare(one, two))
    (True, False)
    """
    if bytes(expected._all) == bytes(found._all):  # noqa: SLF001 (the quick way, nearly always)
        return Verified(len(expected), Counter(), 0, leaks)
    want, have = Counter(expected), Counter(found)
    missing, foreign = want - have, have - want
    return Verified((want & have).total(), missing, foreign.total(), leaks)


def find_removed(path: Path, removed: Iterable[str]) -> int:
    """Count the removed strings that occur in a file, in any stream of it, in UTF-8 or UTF-16."""
    wanted = {text for text in removed if len(text) >= _SHORTEST}
    left = set[str]()
    for stream in _streams(path) if wanted else ():
        left |= {
            text
            for text in wanted - left
            if any(text.encode(code, "ignore") in stream for code in ("utf-8", "utf-16-le", "utf-16-be"))
        }  # fmt: skip
    return len(left)


def stands_in_names(text: str, names: Iterable[str]) -> bool:
    """Return whether a removed string is the name of an element or an attribute, or a long one is inside of one.

    Names are words of a standard, and short ones (`Page` in `lastRenderedPageBreak`) occur in some of them by chance.

    >>> stands_in_names("Quentin", ["w:Quentin"]), stands_in_names("Page", ["lastRenderedPageBreak"])
    (True, False)
    """
    return any(
        text in name and (len(text) >= _LONG or text == name.rpartition(":")[2]) for name in names
    )


def _streams(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file (or of each file of a folder), and those of what it packs."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if not file.is_file():
            continue
        content = file.read_bytes()
        yield content
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as packed:
                for entry in packed.infolist():
                    yield entry.filename.encode() + entry.comment + entry.extra
                    yield packed.read(entry)
        elif content[:2] == b"\x1f\x8b":
            yield zlib.decompress(content, wbits=31)
