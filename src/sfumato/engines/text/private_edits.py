"""What was done to each document of a release: `OUT.private/edits.jsonl`, mode 600, never in the release.

One line per published document: its id, the id under which it is published, the hash of its text as it was
read, the format and the version of its reader, and its edits as [start, end, replacement, label] in characters
of that text. Whoever reads a release next to its originals needs nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import InputError, OutputExistsError
from ...core.files import sha256_of
from ...core.storage.disk import sync
from ...core.storage.private_folder import make_private_folder, private_folder_of
from ...data.document import Document, Edit
from ...data.formats.jsonl import encoded

__all__ = [
    "DocumentEdits",
    "edit_line",
    "edits_of",
    "id_of_line",
    "publish_edits",
    "read_edits",
    "reader_of",
    "with_published_id",
]

EDITS_FILE = "edits.jsonl"
_BEFORE, _BETWEEN = b'{"id": ', b', "published_id": '


@dataclass(frozen=True, slots=True)
class DocumentEdits:
    """A line of the file."""

    id: str
    published_id: str
    text_sha256: str
    format: str
    version: str
    edits: Sequence[Edit]

    @classmethod
    def of_line(cls, line: bytes | str) -> DocumentEdits:
        """Read a line, of the file or of a part of the journal."""
        entry = json.loads(line)
        edits = tuple(Edit(*edit) for edit in entry.pop("edits"))
        id = str(entry.pop("id"))
        return cls(id, str(entry.pop("published_id", id)), **entry, edits=edits)

    def check(self, document: Document) -> Document:
        """Return the document, or refuse one whose text is not the one that was edited."""
        if document.text_sha256 != self.text_sha256:
            raise InputError(
                f"The document {document.id!r} is not read as it was when the release was made: offsets "
                "no longer hold.",
                hint="publish it again, or read it with the version that made the release.",
            )
        return document


def edits_of(out: str | os.PathLike[str]) -> Path:
    """Return where the edits of a release lie.

    >>> edits_of("releases/notes").as_posix()
    'releases/notes.private/edits.jsonl'
    """
    return private_folder_of(out) / EDITS_FILE


def edit_line(id: bytes, text_sha256: str, reader: bytes, edits: bytes) -> bytes:
    """Return the line of a document that is published under its own id, from pieces of JSON."""
    return b'{"id": %b, "published_id": %b, "text_sha256": "%b", %b, "edits": %b}\n' % (
        id, id, text_sha256.encode(), reader, edits
    )  # fmt: skip


def reader_of(name: str, version: str) -> bytes:
    """Return what a line says about the reader, as a piece of JSON."""
    return b'"format": %b, "version": %b' % (encoded(name), encoded(version))


def id_of_line(line: bytes) -> bytes:
    """Return the id of a line, as a JSON text; a quote inside it is escaped, so that its end is plain."""
    return line[len(_BEFORE) : line.index(_BETWEEN)]


def with_published_id(line: bytes, published: bytes) -> bytes:
    """Return a line with another id to be published under, a JSON text."""
    id = id_of_line(line)
    after = len(_BEFORE) + len(_BETWEEN) + 2 * len(id)
    return b"%b%b%b%b%b" % (_BEFORE, id, _BETWEEN, published, line[after:])


def publish_edits(staged: Path, out: str | os.PathLike[str], *, force: bool) -> None:
    """Put the file in its place, for the steward alone; that of another release is replaced only by force."""
    path = edits_of(out)
    make_private_folder(out)
    if path.is_file() and not force and sha256_of(path) != sha256_of(staged):
        raise OutputExistsError(
            f"The edits of an earlier output already exist in {path.parent.name!r}.",
            hint="give --force to replace them.",
        )
    staged.chmod(0o600)
    sync(staged)
    os.replace(staged, path)
    sync(path.parent)


def read_edits(out: str | os.PathLike[str]) -> Iterator[DocumentEdits]:
    """Yield the edits of a release, document by document."""
    path = edits_of(out)
    if not path.is_file():
        raise InputError(
            f"There are no edits next to {Path(out).name!r}.",
            hint="they lie in the folder whose name ends in .private, on the machine that published it.",
        )
    with path.open("rb") as stream:
        for line in stream:
            yield DocumentEdits.of_line(line)
