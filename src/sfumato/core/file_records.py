"""The files that a record names: what went in, and what came out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

from pydantic import SerializerFunctionWrapHandler, model_serializer

from .files import sha256_of
from .record import Count, FileName, Hidden, Mark, Private, Public, Record
from .storage.private_key import private_key

__all__ = ["InputFile", "OutputFile"]


class OutputFile(Record):
    """A file that came out: its name, its hash and how many records it holds.

    What was passed on from one engine to the next is not published and has a keyed mark, `hmac`, instead.
    """

    path: Public[FileName]
    sha256: Public[Mark | None] = None
    rows: Public[Count | None] = None
    hmac: Public[Mark | None] = None

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        found: dict[str, object] = handler(self)
        return {k: v for k, v in found.items() if v is not None or k not in {"sha256", "hmac"}}

    def with_mark(self, *, keep_hash: bool = False) -> Self:
        """Return the file with its keyed mark, without the plain hash unless it is kept."""
        if self.sha256 is None:
            return self
        mark = self.hmac or private_key().mark("input", self.sha256)
        return self.model_copy(update={"hmac": mark} | ({} if keep_hash else {"sha256": None}))

    @classmethod
    def of(cls, path: str | os.PathLike[str], rows: int) -> Self:
        """Describe a file on disk."""
        return cls(path=Path(path).name, sha256=sha256_of(path), rows=rows)


class InputFile(OutputFile):
    """A file that went in.

    In frontier.json, which stays private, `sha256` is the plain hash. In release.json the inputs
    carry no plain hash: a reader of the release could try guesses against it. `hmac` is a mark under
    the steward's private key, by which the steward's own tools know the same file again. How many rows
    went in stays private, too: minus the records published, it is the number that was left out.
    """

    sha256: Hidden[Mark | None] = None
    rows: Private[Count | None] = None
