"""New ids for published documents, and an order of their own; the mapping stays on the private side.

An id that is a name or a number of a register, and an order that follows one, tell whose document is
whose. New ids depend on the steward's private key, the input and the candidate: nobody else can compute
them, two releases do not share them, and the same command gives the same ones again. Documents are
ordered by their new ids.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ....core.storage.private_folder import make_private_folder, private_folder_of
from ....core.storage.private_key import private_key
from ....core.storage.staging import whole_file
from ....data.document import Edited
from ....data.formats.protocol import Format, FormatOptions

__all__ = ["NewIds", "ids_of"]

_ENCODE = json.JSONEncoder(
    ensure_ascii=False
).encode  # made once: json.dumps makes one for each line


def ids_of(out: str | os.PathLike[str]) -> Path:
    """Return where the mapping of a release with new ids lies.

    >>> ids_of("releases/notes").as_posix()
    'releases/notes.private/ids.jsonl'
    """
    return private_folder_of(out) / "ids.jsonl"


class NewIds:
    """The new ids of one release.

    Parameters
    ----------
    candidate : str
        The id of the candidate that is published.
    inputs : sequence of str
        The names of the inputs.

    """

    def __init__(self, candidate: str, inputs: Sequence[str]) -> None:
        self._mark = private_key().marker("id", candidate, *inputs)
        self.known: dict[str, str] = {}

    def mark(self, name: str) -> str:
        """Return the 16 hexadecimal digits of a document, and remember them."""
        found = self.known.get(name)
        if found is None:
            found = self.known[name] = self._mark(name)[:16]
        return found

    def head(self, id: bytes, *, is_text: bool) -> tuple[bytes, int]:
        """Return the new id for one as a JSON text, digits for a number, and where the document goes."""
        mark = self.mark(json.loads(id) if b"\\" in id else id[1:-1].decode())
        place = int(mark, 16)
        return (f'"{mark}"' if is_text else f'"{place >> 1}"').encode(), place

    def renamed(self, edited: Iterable[Edited], form: Format[FormatOptions]) -> list[Edited]:
        """Return documents with their new ids, in the order of these."""
        found = [(self.mark(one.document.id), self.rename(one, form)) for one in edited]
        return [document for _, document in sorted(found, key=lambda entry: entry[0])]

    def rename(self, edited: Edited, form: Format[FormatOptions]) -> Edited:
        """Return a document with its new id."""
        name = edited.document.id
        new, fields, field = (
            form.new_id(edited.document, self.mark(name)),
            edited.fields,
            form.names.id,
        )
        if field in fields:  # an id that is not a text
            fields = {**fields, str(field): int(new)}
        if form.is_written_in_order:  # it has ids of its own
            self.known[name] = new
        return replace(edited, id=new, fields=fields)

    def write(self, out: str | os.PathLike[str], *, force: bool) -> None:
        """Write which document became which, for the steward alone."""
        path = ids_of(out)
        text = "".join(
            _ENCODE({"id": old, "published_as": new}) + "\n" for old, new in self.known.items()
        ).encode("utf-8", "backslashreplace")
        if path.is_file() and path.read_bytes() == text:
            return
        make_private_folder(out)
        with whole_file(path, force=force) as beside:
            beside.write_bytes(text)
