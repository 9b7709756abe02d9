"""A tree with text before, between and after elements, as one string with places."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...document import Edit, apply
from ..files import OpenedFile
from ..office.walking import AttributeText, CollectedText, TextPlace

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["MarkupFile", "Walk", "drop_element", "unwrap_element"]

_DULL = re.compile(r"[-+\d.,%]{0,2}|true|false|[A-Za-z]?")


@dataclass(frozen=True, slots=True)
class _ElementText:
    element: _Element

    def put(self, text: str) -> None:
        self.element.text = text


@dataclass(frozen=True, slots=True)
class _Tail:
    element: _Element

    def put(self, text: str) -> None:
        self.element.tail = text


@dataclass
class MarkupFile(OpenedFile):
    """A file in markup that was opened; `serialise` returns it as it is then."""

    places: Sequence[TextPlace] = ()
    serialise: Callable[[], bytes] = lambda: b""

    def save(self, edits: Mapping[str, Sequence[Edit]]) -> bytes:
        for segment in self.segments:
            own = edits.get(segment.place)
            if own:
                place = self.places[int(segment.place.rpartition(":")[2])]
                place.put(apply(self.text[segment.start : segment.end], own))
        return self.serialise()


@dataclass
class Walk:
    """How a tree is read.

    Parameters
    ----------
    inline : frozenset of str
        Elements that do not end a line.
    breaks : mapping of str to str
        Elements that mean white space.
    is_text : callable
        Whether an attribute of an element is text.
    where : str, default="body"
        Where the text is.
    deferred : frozenset of str
        Elements inside a line that are read after it: notes, comments, frames.
    lines : frozenset of str
        Elements after which they are read.
    parting : frozenset of str
        Elements inside a line at whose ends a word may end; `parted` says where they were.

    """

    inline: frozenset[str]
    breaks: Mapping[str, str]
    is_text: Callable[[_Element, str, str], bool]
    where: str = "body"
    deferred: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()
    parting: frozenset[str] = frozenset()
    parted: list[int] = field(default_factory=list)
    _later: list[_Element] = field(default_factory=list)
    _spoken: list[AttributeText] = field(default_factory=list)

    def read(self, collected: CollectedText, root: _Element) -> None:
        """Read an element and all that is in it; its tail is none of it."""
        self._read(collected, root)
        self._speak(collected)

    def _speak(self, collected: CollectedText) -> None:
        """Read the attributes that were met inside a line, each in a separate line: a name is not torn apart by one."""
        spoken, self._spoken = self._spoken, []
        for place in spoken:
            collected.end_line()
            collected.add(str(place.element.get(place.name)), place, "attribute")
            collected.make("\n")

    def _read(self, collected: CollectedText, root: _Element) -> None:
        name = root.tag.rpartition("}")[2]
        for key, value in root.attrib.items():
            if self.is_text(root, str(key), str(value)) and not _DULL.fullmatch(str(value)):
                self._spoken.append(AttributeText(root, str(key)))
        if name not in self.inline:
            self._speak(collected)
        self._add(collected, root.text, _ElementText(root))
        for child in root:
            own = child.tag.rpartition("}")[2]
            is_block = own not in self.inline
            if own in self.deferred and (name in self.lines or name in self.inline):
                self._later.append(child)
                self._add(collected, child.tail, _Tail(child))
                continue
            if own in self.breaks:
                collected.make(self.breaks[own])
            elif is_block:
                collected.end_line()
            if own in self.parting:
                self.parted.append(collected.length)
            self._read(collected, child)
            if own in self.parting:
                self.parted.append(collected.length)
            if is_block and own not in self.breaks:
                collected.end_line()
            self._add(collected, child.tail, _Tail(child))
        if name not in self.inline:
            collected.end_line()
            self._speak(collected)
        if name in self.lines and self._later:
            later, self._later = self._later, []
            for element in later:
                self._read(collected, element)
                collected.end_line()

    def _add(self, collected: CollectedText, text: str | None, place: TextPlace) -> None:
        if not text:
            return
        if text.strip():
            collected.add(text, place, self.where)
        elif "\n" in text:
            collected.end_line()
        elif collected.pieces and not collected.pieces[-1][-1:].isspace():
            collected.make(" ")


def drop_element(element: _Element) -> None:
    """Take an element out of its tree; the text after it stays."""
    parent, tail = element.getparent(), element.tail
    if parent is None:
        return
    if tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    element.tail = None
    parent.remove(element)


def unwrap_element(element: _Element) -> None:
    """Put the text and the children of an element in its place."""
    parent = element.getparent()
    if parent is None:
        return
    if element.text:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + element.text
        else:
            before.tail = (before.tail or "") + element.text
    for child in list(element):
        element.addprevious(child)
    drop_element(element)
