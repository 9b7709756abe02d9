"""E-mail as a format of documents."""

from __future__ import annotations

from collections.abc import Iterable

from ..files import FileFormat, OpenedFile

__all__ = ["Mail"]


class Mail(FileFormat):
    """A message (.eml): listed headers and the text of all its parts."""

    name = "eml"
    suffixes = (".eml",)
    what = "an e-mail message"

    def open(self, content: bytes) -> OpenedFile:
        from .message import open_message

        return open_message(content, self.name)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        from .second_reader import search_message

        return search_message(content, removed)

    def create(self, text: str) -> bytes:
        from .message import compose

        return compose({}, text)
