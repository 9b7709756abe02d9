"""The formats of pages and records; what they need is loaded when the first file is opened."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ..files import FileFormat, OpenedFile
from ..office.formats import need_lxml

__all__ = ["Html", "Odt", "Rtf", "Xml"]


class Html(FileFormat):
    """An HTML page."""

    name = "html"
    suffixes = (".html", ".htm", ".xhtml")
    what = "an HTML page"
    version = "2"

    def open(self, content: bytes) -> OpenedFile:
        need_lxml(self.what)
        from .pages import open_page

        return open_page(content)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        from .second_reader import search_page

        return search_page(content, removed)

    def create(self, text: str) -> bytes:
        lines = "\n".join(
            f"<p>{escape(line, quote=False) or '<br>'}</p>"
            for line in text.removesuffix("\n").split("\n")
        )
        return f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"></head><body>\n{lines}\n</body></html>\n'.encode()


class Xml(FileFormat):
    """An XML file, such as a clinical document (CDA)."""

    name = "xml"
    suffixes = (".xml", ".cda")
    what = "an XML file"
    version = "3"

    @classmethod
    def sniff(cls, name: str, head: bytes) -> bool:
        """Return whether a file is XML of no other format."""
        return name.lower().endswith(cls.suffixes) and b"<deIdi2b2" not in head

    def comparable(self, text: str) -> str:
        """Return the letters and digits of a text: names of namespaces may hold few other characters."""
        return "".join(filter(str.isalnum, text))

    def open(self, content: bytes) -> OpenedFile:
        need_lxml(self.what)
        from .records import open_record

        return open_record(content)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        from .second_reader import search_record

        return search_record(content, removed)


class Odt(FileFormat):
    """An OpenDocument text: its body, headers, notes, comments and text boxes."""

    name = "odt"
    suffixes = (".odt",)
    what = "an OpenDocument text"

    def open(self, content: bytes) -> OpenedFile:
        need_lxml(self.what)
        from .opendocument import open_text

        return open_text(content, self.names.limits)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        from ..office.second_reader import search_zip

        return search_zip(content, removed)


class Rtf(FileFormat):
    """A rich text (RTF): its body, headers, footers and footnotes."""

    name = "rtf"
    suffixes = (".rtf",)
    what = "a rich text"
    version = "3"

    def open(self, content: bytes) -> OpenedFile:
        from .rich_text import open_rich_text

        return open_rich_text(content)

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        from .second_reader import search_rich_text

        return search_rich_text(content, removed)

    def create(self, text: str) -> bytes:
        from .rich_text import new_rich_text

        return new_rich_text(text)
