"""Opening an office file: its parts are cleaned, then read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...limits import Limits
from ..inspection import FileSummary
from .cleaning import clean_part
from .package import OfficePart, Package, local
from .sheets import Workbook
from .slides import clean_slides, reading_order
from .unread import NO_CELLS, drop_unread
from .walking import CollectedText, OfficeFile, read_tree
from .word import clean_word, name_themes

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["open_book", "open_sheet", "open_slides", "open_word"]

_UNREAD = frozenset({
    "styles", "theme", "themeOverride", "fontTable", "settings", "presProps", "viewProps", "tableStyles",
    "diagramLayout", "diagramQuickStyle", "diagramColors", "commentAuthors",
})  # fmt: skip
"""Parts without text; what is left of them after cleaning is vocabulary."""


def _open_package(content: bytes, limits: Limits, kind: str) -> Package:
    """Return a package with what every kind of part loses taken out."""
    package = Package(content, limits, kind)
    for part in package.parts:
        clean_part(package, part)
    name_themes(package)
    return package


def open_word(content: bytes, limits: Limits) -> OfficeFile:
    """Open a .docx file."""
    package = _open_package(content, limits, "wordprocessingml")
    clean_word(package)
    _forget_workbooks(package)
    reading = CollectedText()
    for part in package.parts:
        if part.kind not in _UNREAD:
            read_tree(reading, part)
    drop_unread(package, reading)
    return file_of(package, reading, "docx")


def open_sheet(content: bytes, limits: Limits) -> OfficeFile:
    """Open an .xlsx file."""
    package = _open_package(content, limits, "spreadsheetml")
    workbook = Workbook(package, limits)
    collected = CollectedText()
    workbook.read(collected)
    made = file_of(package, collected, "xlsx")
    made.finish = workbook.finish
    return made


def open_book(content: bytes, limits: Limits) -> tuple[Package, list[_Element], bool]:
    """Open an .xlsx file for its tables: return its parts, its sheets in order, and whether days count from 1904."""
    package = _open_package(content, limits, "spreadsheetml")
    workbook = Workbook(package, limits)
    return package, workbook.trees, workbook.is_since_1904


def open_slides(content: bytes, limits: Limits) -> OfficeFile:
    """Open a .pptx file."""
    package = _open_package(content, limits, "presentationml")
    clean_slides(package)
    _forget_workbooks(package)
    collected = CollectedText()
    for part in reading_order(package):
        if part.kind not in _UNREAD:
            read_tree(collected, part)
    drop_unread(package, collected)
    return file_of(package, collected, "pptx")


def file_of(package: Package, reading: CollectedText, kind: str) -> OfficeFile:
    """Return the opened file, with what was found in it."""
    found = FileSummary(kind)
    found.places.update(reading.counts)
    found.dropped.update(+package.dropped)
    found.hidden.update(_hidden(package.parts))
    return OfficeFile(reading.text, reading.segments, found, package=package, places=reading.places)


def _forget_workbooks(package: Package) -> None:
    """Let charts refer to no workbook: the one they were made from is dropped."""
    for part in package.parts:
        if part.kind == "chart" and part.tree is not None:
            for formula in part.tree.iter("{*}f"):
                formula.text = NO_CELLS


def _hidden(parts: list[OfficePart]) -> dict[str, int]:
    """Return what a reader of the page does not see, in counts."""
    found: dict[str, int] = {}
    for part in parts:
        if part.tree is None:
            continue
        for element in part.tree.iter(
            "{*}vanish", "{*}comment", "{*}cm", "{*}footnote", "{*}endnote"
        ):
            if any(str(key).endswith("type") for key in element.attrib):  # the lines above notes
                continue
            name = {"vanish": "hidden text", "cm": "comment"}.get(local(element), local(element))
            found[name] = found.get(name, 0) + 1
    return found
