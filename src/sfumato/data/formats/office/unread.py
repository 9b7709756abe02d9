"""Texts that no reader of an office file took: they stand where no program looks for any, and go."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .cleaning import namespace
from .package import OfficePart, Package, local
from .walking import EXCEL, NOT_TEXT, USUAL_AUTHOR, CollectedText, ElementText

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["NO_CELLS", "drop_unread"]

NO_CELLS = "Sheet1!$A$1"
"""What charts refer to whose workbook was dropped."""
_NUMBER = re.compile(r"[-+\d.]*(?:[eE][-+]?\d+)?")


def drop_unread(package: Package, reading: CollectedText, also: Iterable[_Element] = ()) -> None:
    """Remove the texts of all parts that were not read, but numbers and words that were checked in cleaning.

    Parameters
    ----------
    package : Package
        The parts, which were cleaned and read.
    reading : CollectedText
        What was read.
    also : iterable of elements
        Elements whose text was read or checked in another way.

    """
    held = [*also, *(place.element for place in reading.places if isinstance(place, ElementText))]
    known = {id(element) for element in held}
    for part in package.parts:
        for element in () if part.tree is None else part.tree.iter():
            text = element.text
            if text and text.strip() and id(element) not in known and not _may_stay(element, text, part):  # fmt: skip
                element.text = None
                package.dropped["text where none belongs"] += 1


def _may_stay(element: _Element, text: str, part: OfficePart) -> bool:
    """Return whether a text is one that cleaning leaves where it is."""
    name = local(element)
    if name == "f":
        return part.kind == "chart" and text in (NO_CELLS, "#REF!")
    if name == "instrText":
        return part.new_name.startswith("word/")
    if name == "v":
        return _NUMBER.fullmatch(text) is not None
    if namespace(element) == EXCEL:
        return part.kind == "vmlDrawing"
    return name in NOT_TEXT or (name == "author" and text == USUAL_AUTHOR)
