"""New ids for published documents, and an order of their own; the mapping stays on the private side.

An id that is a name or a number of a register, and an order that follows one, tell whose document is
whose. New ids depend on the steward's private key, the input and the candidate: nobody else can compute
them, two releases do not share them, and the same command gives the same ones again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ....core.private_key import private_key
from ....core.staging import whole_file
from ....data.document import Document
from ....data.formats.jsonl import encoded
from ....data.shuffling import ShuffledLines, line_places
from ....data.sources import Extra

__all__ = ["NewIds", "ids_of"]


def ids_of(out: str | os.PathLike[str]) -> Path:
    """Return where the mapping of a release with new ids lies.

    >>> ids_of("releases/notes").name
    'notes.ids.jsonl'
    """
    out = Path(out)
    return out.with_name(f"{out.name}.ids.jsonl")


class NewIds:
    """The new ids of one release.

    Parameters
    ----------
    candidate : str
        The id of the candidate that is published.
    inputs : sequence of str
        The hashes of the inputs.
    field : str or None
        The field that holds the id in the documents' own form, if there is one.

    """

    def __init__(self, candidate: str, inputs: Sequence[str], field: str | None) -> None:
        self._key, self._about, self._field = private_key(), (candidate, *inputs), field
        self._seed = self._key.seed("order", "text", *self._about)
        self.known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the new id of a document, and remember it."""
        if name not in self.known:
            self.known[name] = self._key.mark("id", *self._about, name)[:16]
        return self.known[name]

    def documents(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield documents with their new ids, those of each file in an order of their own."""
        held: list[Document] = []
        part = ""
        for document in documents:
            own = getattr(document.fields, "part", "")
            if own != part:
                yield from self._ordered(held)
                held, part = [], own
            held.append(document)
        yield from self._ordered(held)

    def _ordered(self, held: list[Document]) -> list[Document]:
        renamed = [self._renamed(document) for document in held]
        return sorted(renamed, key=lambda d: self._key.mark("order", *self._about, d.id))

    def _renamed(self, document: Document) -> Document:
        new, extra = self.of(document.id), document.fields
        if self._field is not None and self._field in extra:  # an id that is not a text
            number = int(new, 16) >> 1
            own: object = number if isinstance(extra[self._field], int) else new
            changed = {**extra, self._field: own}
            extra = Extra(changed, getattr(extra, "part", ""), getattr(extra, "form", None))
        return Document(new, document.text, document.spans, extra)

    def lines(self, parts: Iterable[bytes], folder: Path) -> Iterator[bytes]:
        """Yield lines of JSON with their new ids, in an order of their own."""
        with ShuffledLines(folder) as lines:
            for part in parts:
                renamed = [self._line(line) for line in part.splitlines()]
                lines.add(renamed, line_places(renamed, self._seed))
            for line, _ in lines:
                yield line.encode("utf-8", "surrogatepass") + b"\n"

    def _line(self, line: bytes) -> str:
        fields = json.loads(line)
        if self._field in fields:
            old = fields[self._field]
            new = self.of(str(old))
            fields[self._field] = new if isinstance(old, str) else int(new, 16) >> 1
        return encoded(fields).decode("utf-8", "surrogatepass")

    def write(self, out: str | os.PathLike[str], *, force: bool) -> None:
        """Write which document became which, for the steward alone."""
        path = ids_of(out)
        text = "".join(
            json.dumps({"id": old, "published_as": new}, ensure_ascii=False) + "\n"
            for old, new in self.known.items()
        ).encode("utf-8", "backslashreplace")
        if path.is_file() and path.read_bytes() == text:
            return
        with whole_file(path, force=force) as beside:
            beside.write_bytes(text)
