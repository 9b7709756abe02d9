"""Reads a written page or record again by the standard library alone, and looks for what was removed."""

from __future__ import annotations

from collections.abc import Iterable
from html.parser import HTMLParser
from xml.parsers import expat

__all__ = ["search_page", "search_record"]


class _Page(HTMLParser):
    """Everything that stands in a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.values: list[str] = []
        self.hidden = 0

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.values += [tag, *(f"{name}={value or ''}" for name, value in attrs)]

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        self.hidden += 1

    def handle_pi(self, data: str) -> None:  # noqa: ARG002
        self.hidden += 1


def search_page(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in a page, each without white space; comments count too."""
    page = _Page()
    page.feed(content.decode())
    page.close()
    return page.hidden + _count(page.pieces, page.values, removed)


def search_record(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in an XML file, each without white space; comments count too."""
    pieces: list[str] = []
    values: list[str] = []
    hidden: list[object] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = pieces.append
    parser.StartElementHandler = lambda name, attributes: values.extend([name, *attributes.values()])  # fmt: skip
    parser.CommentHandler = hidden.append
    parser.ProcessingInstructionHandler = lambda *what: hidden.append(what)
    parser.StartDoctypeDeclHandler = lambda *what: hidden.append(what)
    parser.Parse(content, True)
    return len(hidden) + _count(pieces, values, removed)


def _count(pieces: Iterable[str], values: Iterable[str], removed: Iterable[str]) -> int:
    text = "".join("".join(pieces).split())
    others = {"".join(value.split()) for value in values}
    return sum(
        1 for wanted in removed if wanted in text or any(wanted in value for value in others)
    )
