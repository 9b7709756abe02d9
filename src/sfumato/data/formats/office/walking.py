"""The text of an office file in reading order, and the place of each stretch of it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from ...document import Edit, Segment, apply
from ..files import OpenedFile
from .attributes import judge_attribute
from .cleaning import namespace
from .package import OfficePart, Package, local

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = [
    "EXCEL",
    "NOT_TEXT",
    "USUAL_AUTHOR",
    "CollectedText",
    "OfficeFile",
    "TextPlace",
    "read_attributes",
    "read_tree",
]

PARAGRAPHS = frozenset({"p", "oMath", "text", "si"})
_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "ptab": "\t"}
NOT_TEXT = frozenset({
    "instrText", "posOffset", "pctWidth", "pctHeight", "formatCode", "col", "colOff", "row", "rowOff", "Anchor",
    "Row", "Column", "pctPosHOffset", "pctPosVOffset", "attrName", "ptCount", "f",
})  # fmt: skip
EXCEL = "urn:schemas-microsoft-com:office:excel"
USUAL_AUTHOR = "Author"
"""The replacement of the author of a comment, who must be named."""
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_NUMBER = re.compile(r"[-+\d.]*(?:[eE][-+]?\d+)?")
_DULL = re.compile(r"(?:%\d|[\W_])*|.")  # labels of lists that only number or point
_WHERE = {
    "document": "body", "footnotes": "note", "endnotes": "note", "comments": "comment", "header": "header",
    "footer": "footer", "chart": "chart", "chartUserShapes": "chart", "slide": "slide", "notesSlide": "notes",
    "slideMaster": "master", "slideLayout": "master", "notesMaster": "master", "handoutMaster": "master",
    "worksheet": "sheet", "drawing": "drawing", "vmlDrawing": "drawing", "diagramData": "diagram",
    "diagramDrawing": "diagram",
}  # fmt: skip


class TextPlace(Protocol):
    """Something that holds text."""

    def put(self, text: str) -> None:
        """Write another text there."""


@dataclass(frozen=True, slots=True)
class ElementText:
    """The text of an element."""

    element: _Element

    def put(self, text: str) -> None:
        self.element.text = text
        if local(self.element) == "t" and text != text.strip():
            self.element.set(_SPACE, "preserve")


@dataclass(frozen=True, slots=True)
class AttributeText:
    """The text of an attribute."""

    element: _Element
    name: str

    def put(self, text: str) -> None:
        self.element.set(self.name, text)


@dataclass
class CollectedText:
    """Text as it is collected, with its places."""

    pieces: list[str] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    places: list[TextPlace] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    length: int = 0

    def add(self, text: str, place: TextPlace, where: str) -> None:
        """Add text at a place."""
        if text:
            self.segments.append(
                Segment(self.length, self.length + len(text), f"{where}:{len(self.places)}")
            )
            self.places.append(place)
            self.counts[where] = self.counts.get(where, 0) + len(text)
            self.make(text)

    def make(self, text: str) -> None:
        """Add text that the reader makes itself, such as the end of a line."""
        self.pieces.append(text)
        self.length += len(text)

    def end_line(self) -> None:
        """Begin a new line, unless one has just begun."""
        if self.pieces and not self.pieces[-1].endswith("\n"):
            self.make("\n")

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass
class OfficeFile(OpenedFile):
    """An office file that was opened; it is written anew from the parts that stayed."""

    package: Package | None = None
    places: Sequence[TextPlace] = ()
    finish: Callable[[], None] = lambda: None

    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        assert self.package is not None
        for segment in self.segments:
            own = edits.get(segment.place)
            if own:
                place = self.places[int(segment.place.rpartition(":")[2])]
                place.put(apply(self.text[segment.start : segment.end], own))
        self.finish()
        return self.package.to_bytes()


def where_of(part: OfficePart) -> str:
    """Return the place of a part, in a word."""
    return _WHERE.get(part.kind, "other")


def read_tree(reading: CollectedText, part: OfficePart) -> None:
    """Read a part: each paragraph is a line, text boxes follow the paragraph they are anchored to."""
    if part.tree is not None:
        _read(reading, part.tree, where_of(part))
        read_attributes(reading, part)


def _read(reading: CollectedText, root: _Element, where: str) -> None:
    """Read an element that is in no paragraph."""
    if local(root) in PARAGRAPHS and (len(root) or local(root) == "p"):
        later = deque([root])
        while later:
            inside: list[_Element] = []
            _read_line(reading, later.popleft(), where, inside)
            reading.make("\n")
            later.extendleft(reversed(inside))
        return
    if not len(root):
        if root.text and _is_text(root):
            reading.add(root.text, ElementText(root), where)
            reading.make("\n")
        return
    for child in root:
        _read(reading, child, where)


def _read_line(
    reading: CollectedText, element: _Element, where: str, later: list[_Element]
) -> None:
    """Read one paragraph; put paragraphs inside it aside."""
    for child in element:
        name = local(child)
        if name == "p":
            later.append(child)
        elif name in _BREAKS and local(element) in ("r", "p"):
            reading.make(_BREAKS[name])
        elif len(child):
            _read_line(reading, child, where, later)
        elif child.text and _is_text(child):
            reading.add(child.text, ElementText(child), where)


def _is_text(element: _Element) -> bool:
    """Return whether the text of a leaf is text; what is not known is."""
    if local(element) in NOT_TEXT or not (element.text or "").strip():
        return bool(local(element) == "t")
    if (
        local(element) == "author" and element.text == USUAL_AUTHOR
    ):  # of comments, put there in cleaning
        return False
    if local(element) == "v":  # of a chart: a number, or a name
        above = element.getparent()
        above = None if above is None else above.getparent()
        if above is not None and local(above) in ("numCache", "numLit"):
            return not _NUMBER.fullmatch(element.text or "")
    return namespace(element) != EXCEL


def read_attributes(reading: CollectedText, part: OfficePart) -> None:
    """Read the attributes that are text: alternative texts, tooltips, prompts."""
    if part.tree is None:
        return
    for element in part.tree.iter():
        for key, raw in element.attrib.items():
            key, value = str(key), str(raw)
            if _DULL.fullmatch(value):
                continue
            name = key.rpartition("}")[2]
            if judge_attribute(local(element), name, namespace(element), value) == "text":
                reading.add(value, AttributeText(element, key), "attribute")
                reading.make("\n")
