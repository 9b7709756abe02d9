"""The formats of office files; what they need is loaded when the first file is opened."""

from __future__ import annotations

from collections.abc import Iterable

from ....core.errors import InputError
from ..files import FileFormat, OpenedFile

__all__ = ["Docx", "Pptx", "Xlsx", "need_lxml"]


def need_lxml(what: str) -> None:
    """Refuse to go on where lxml is not installed."""
    try:
        import lxml.etree  # noqa: F401 (the modules that are loaded next need it)
    except ImportError as error:
        raise InputError(
            f"{what[0].upper()}{what[1:]} is read by lxml, which is not installed.",
            hint="pip install 'sfumato[office]'.",
        ) from error


class _OfficeFormat(FileFormat):
    """What the kinds of office files share."""

    def search(self, content: bytes, removed: Iterable[str]) -> int:
        from .second_reader import search_zip

        return search_zip(content, removed)


class Docx(_OfficeFormat):
    """A Word document: its body, headers, notes, comments, text boxes and charts."""

    name = "docx"
    suffixes = (".docx",)
    what = "a Word document"

    def open(self, content: bytes) -> OpenedFile:
        need_lxml(self.what)
        from .opening import open_word

        return open_word(content, self.names.limits)

    def create(self, text: str) -> bytes:
        from .new_files import new_word

        return new_word(text)


class Xlsx(_OfficeFormat):
    """A spreadsheet: its sheets row by row, comments, headers, charts and the literals of formulas."""

    name = "xlsx"
    suffixes = (".xlsx",)
    as_table = "sheet"
    what = "a spreadsheet"

    def open(self, content: bytes) -> OpenedFile:
        need_lxml(self.what)
        from .opening import open_sheet

        return open_sheet(content, self.names.limits)

    def comparable(self, text: str) -> str:
        """Return the letters and digits of a text: names of sheets may hold few other characters."""
        return "".join(filter(str.isalnum, text))


class Pptx(_OfficeFormat):
    """A presentation: its slides, notes, masters, comments, charts and diagrams."""

    name = "pptx"
    suffixes = (".pptx",)
    what = "a presentation"

    def open(self, content: bytes) -> OpenedFile:
        need_lxml(self.what)
        from .opening import open_slides

        return open_slides(content, self.names.limits)
