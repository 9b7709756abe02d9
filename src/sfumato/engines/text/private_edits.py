"""What was done to each document of a release: `OUT.private/edits.jsonl`, mode 600, never in the release.

One line per published document: its id, the id under which it is published, the hash of its text as it was
read, the format and the version of its reader, and its edits as [start, end, replacement, label] in characters
of that text. Reading a release next to its originals needs nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...core.errors import InputError, OutputExistsError
from ...core.files import sha256_of
from ...core.storage.disk import sync
from ...core.storage.private_folder import (
    make_private_folder,
    private_folder_of,
    private_folders_near,
)
from ...data.byte_columns import Column, weave
from ...data.document import Document, Edit
from ...data.formats.jsonl import encode_json

__all__ = [
    "EDITS_FILE",
    "DocumentEdits",
    "edit_lines",
    "edits_of",
    "has_number_only",
    "match_release",
    "publish_private",
    "read_edits",
]

EDITS_FILE = "edits.jsonl"


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

    def to_line(self) -> bytes:
        """Return the line, as `edit_lines` would write it."""
        edits = [[e.start, e.end, e.replacement, e.label] for e in self.edits]
        entry = {"id": self.id, "published_id": self.published_id, "text_sha256": self.text_sha256,
                 "format": self.format, "version": self.version, "edits": edits}  # fmt: skip
        return encode_json(entry) + b"\n"

    def check(self, document: Document) -> Document:
        """Return the document, or refuse one whose text is not the one that was edited."""
        if document.text_sha256 != self.text_sha256:
            raise InputError(
                f"The document {document.id!r} is read differently than when the release was made: offsets "
                "no longer hold.",
                hint="publish it again, or read it with the version that made the release.",
            )
        return document


def has_number_only(document: Document) -> bool:
    """Return whether a document is known by its place in its file alone, as messages of a mailbox are."""
    return document.id == f"{document.part}:{document.record}"


def match_release(
    documents: Sequence[Document], entries: Sequence[DocumentEdits], decided: Mapping[str, str],
    same: Callable[[str], str],
) -> dict[str, Document]:  # fmt: skip
    """Return the documents of a release by the ids of their originals.

    A record of health care is known by its own id. Messages of a mailbox have none, and are known by their text.

    Parameters
    ----------
    documents : sequence of Document
        What the release holds.
    entries : sequence of DocumentEdits
        What was done to its originals.
    decided : mapping of str to str
        The text that was decided for each original, by its id.
    same : callable
        Returns what of a text is compared.

    """
    places: dict[str, list[str]] = {}
    for entry in reversed(entries):
        places.setdefault(entry.published_id, []).append(entry.id)
    found: dict[str, Document] = {}
    numbered: dict[str, list[Document]] = {}
    for document in documents:
        name = document.id if document.id in places else str(document.fields.get("record", ""))
        if places.get(name):
            found[places[name].pop()] = document
        elif has_number_only(document):
            numbered.setdefault(same(document.text), []).append(document)
    for entry in entries if numbered else ():
        own = numbered.get(same(decided.get(entry.id, "")))
        if entry.id not in found and own:
            found[entry.id] = own.pop()
    return found


def edits_of(out: str | os.PathLike[str]) -> Path:
    """Return the path of the edits of a release.

    >>> edits_of("releases/notes").as_posix()
    'releases/notes.private/edits.jsonl'
    """
    return private_folder_of(out) / EDITS_FILE


def edit_lines(
    ids: Column, published: Column, text_hashes: Column, reader: tuple[str, str], edits: Column
) -> bytearray:
    """Return the lines of many documents, from pieces of JSON.

    Parameters
    ----------
    ids, published : Column
        The ids as they were read, and as they are published, each as a JSON text.
    text_hashes : Column
        The hashes of the texts as they were read, in hexadecimal digits.
    reader : tuple of str
        The format, and the version of its reader.
    edits : Column
        The edits, each as a JSON array.

    """
    about = b'", "format": %b, "version": %b, "edits": ' % tuple(map(encode_json, reader))
    pieces = [b'{"id": ', b', "published_id": ', b', "text_sha256": "', about, b"}\n"]
    return weave(pieces, ids, published, text_hashes, edits)


def publish_private(staged: Path, out: str | os.PathLike[str], *, force: bool) -> None:
    """Put a file under its name into the private folder; that of another release is replaced only by force."""
    path = make_private_folder(out) / staged.name
    if path.is_file() and not force and sha256_of(path) != sha256_of(staged):
        raise OutputExistsError(
            f"{path.name!r} of an earlier output already exists in {path.parent.name!r}.",
            hint="give --force to replace it.",
        )
    staged.chmod(0o600)
    sync(staged)
    os.replace(staged, path)
    sync(path.parent)


def read_edits(out: str | os.PathLike[str]) -> Iterator[DocumentEdits]:
    """Yield the edits of a release, document by document."""
    places = [folder / EDITS_FILE for folder in private_folders_near(out)]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise InputError(
            f"There are no edits next to {Path(out).name!r}.",
            hint="they lie in the folder whose name ends in .private, or in that of the run, on the machine that published it.",
        )
    with path.open("rb") as stream:
        for line in stream:
            yield DocumentEdits.of_line(line)
