"""A plain text file (UTF-8) that is one document: a .txt file in a folder of several kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..document import Edit, Segment, apply
from .files import FileFormat, OpenedFile, RefusedFileError
from .inspection import FileSummary

__all__ = ["Plain"]


class Plain(FileFormat):
    """A .txt file, asked for by name; by its suffix it is one of brat's."""

    name = "plain"
    what = "a plain text"

    @classmethod
    def sniff(cls, name: str, head: bytes) -> bool:  # noqa: ARG003
        """Return False: the suffix is one of brat's."""
        return False

    def open(self, content: bytes) -> OpenedFile:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise RefusedFileError(
                "is not UTF-8 text",
                "convert the file: iconv -f CP1252 -t UTF-8 (or LATIN1).",
            ) from None
        found = FileSummary(self.name)
        found.places["body"] = len(text)
        return _PlainText(text, (Segment(0, len(text), "body"),), found)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        written = "".join(content.decode().split())
        return sum(1 for text in removed if text in written)

    def create(self, text: str) -> bytes:
        return text.encode()

    def comparable(self, text: str) -> str:
        """Return the text itself."""
        return text


class _PlainText(OpenedFile):
    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        return apply(self.text, edits.get("body", ())).encode()
