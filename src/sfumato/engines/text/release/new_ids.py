"""New ids for published documents, and a new order; the mapping stays on the private side.

An id that is a name or a number of a register, and an order that follows one, tell whose document is
whose. New ids depend on the steward's private key, the input and the candidate: nobody else can compute
them, two releases do not share them, and the same command gives the same ones again. Documents are
ordered by their new ids.
"""

from __future__ import annotations

import hashlib
import json
import os
from binascii import hexlify
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ....core.storage.private_folder import private_folder_of
from ....core.storage.private_key import private_key
from ....data.byte_columns import Column, weave
from ....data.document import Edited
from ....data.formats.jsonl import encode_json
from ....data.formats.protocol import Format, FormatOptions

__all__ = ["IDS_FILE", "NewIds", "id_line", "id_lines", "ids_of"]

IDS_FILE = "ids.jsonl"
_SIZE = 8  # bytes of a mark
_QUOTE = 0x22


def ids_of(out: str | os.PathLike[str]) -> Path:
    """Return the path of the mapping of a release with new ids.

    >>> ids_of("releases/notes").as_posix()
    'releases/notes.private/ids.jsonl'
    """
    return private_folder_of(out) / IDS_FILE


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
        key = bytes.fromhex(private_key().mark("id", candidate, *inputs))
        self._begun = hashlib.blake2b(digest_size=_SIZE, key=key)

    def mark(self, name: str) -> str:
        """Return the 16 hexadecimal digits of a document."""
        return self._digest(name.encode("utf-8", "surrogatepass")).hex()

    def _digest(self, name: bytes) -> bytes:
        own = self._begun.copy()  # the key is hashed once, not for each document
        own.update(name)
        return own.digest()

    def of_heads(self, heads: Column) -> tuple[Column, npt.NDArray[np.uint64]]:
        """Return the new ids of documents whose ids are given as JSON, and where each of them goes."""
        count, is_text = len(heads), heads.data[heads.bounds[:-1]] == _QUOTE
        data = heads.data.tobytes()
        bounds = zip(
            (heads.bounds[:-1] + is_text).tolist(),
            (heads.bounds[1:] - is_text).tolist(),
            strict=True,
        )
        names = (data[first:last] for first, last in bounds)
        if b"\\" in data:
            names = (_unescape(name) for name in names)
        digests = b"".join(map(self._digest, names))
        quoted = np.full((count, 2 * _SIZE + 2), _QUOTE, np.uint8)
        quoted[:, 1:-1] = np.frombuffer(hexlify(digests), np.uint8).reshape(count, -1)
        places = np.frombuffer(digests, ">u8").astype(np.uint64)
        new = Column.of_equal(quoted.reshape(-1), count)
        if not is_text.all():  # a number stays one
            entries = list(new)
            for i in np.flatnonzero(~is_text).tolist():
                entries[i] = b"%d" % (int(places[i]) >> 1)
            new = Column.of(entries)
        return new, places

    def renamed(self, edited: Iterable[Edited], form: Format[FormatOptions]) -> list[Edited]:
        """Return documents with their new ids, in the order of these."""
        found = [(self.mark(one.document.id), self.rename(one, form)) for one in edited]
        return [document for _, document in sorted(found, key=lambda entry: entry[0])]

    def rename(self, edited: Edited, form: Format[FormatOptions]) -> Edited:
        """Return a document with its new id."""
        new = form.new_id(edited.document, self.mark(edited.document.id))
        fields, field = edited.fields, form.names.id
        if field in fields:  # an id that is not a text
            fields = {**fields, str(field): int(new)}
        return replace(edited, id=new, fields=fields)


def _unescape(name: bytes) -> bytes:
    """Return the content between the quotes of a JSON text."""
    text: str = json.loads(b'"%b"' % name)
    return text.encode("utf-8", "surrogatepass")


def id_line(id: str, published: str) -> bytes:
    """Return a line of the mapping."""
    return encode_json({"id": id, "published_as": published}) + b"\n"


def id_lines(ids: Column, published: Column) -> bytearray:
    """Return many lines of the mapping, from ids as JSON texts."""
    return weave([b'{"id": ', b', "published_as": ', b"}\n"], ids, published)
