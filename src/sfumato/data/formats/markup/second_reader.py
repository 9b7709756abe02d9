"""Reads a written page or record again by the standard library alone, and looks for what was removed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from xml.parsers import expat

from ..office.font_names import is_known_font
from ..office.vocabulary import STYLES
from ..verification import stands_in_names
from .rich_text_looks import KEPT, OF_STYLES

__all__ = ["search_page", "search_record", "search_rich_text"]


_KEPT = re.compile(  # codes of health records, which stay as they are
    r"classCode|moodCode|typeCode|determinerCode|nullFlavor|code|codeSystem|use|unit|"
    r"mediaType|styleCode|type|representation|qualifier|operator|align|valign"
)
_HEALTH = "urn:hl7-org:"
_STANDARD = re.compile(  # namespaces of vocabularies that somebody else wrote down
    r"(?:http://(?:www\.w3\.org|schemas\.(?:microsoft|openxmlformats|xmlsoap)\.(?:com|org)|purl\.org|docbook\.org|java\.sun\.com|hl7\.org)/"
    r"|urn:(?:hl7-org|oasis|schemas-microsoft-com|iso):)[A-Za-z0-9.:/#_\-]*}"
)
_KEYWORD = re.compile(r"[a-z]+|[\d.]+(?:px|pt|em|%)?")


class _PageContent(HTMLParser):
    """Everything that a page holds."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.values: list[str] = []
        self.names: set[str] = set()
        self.hidden = 0

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {tag, *(name for name, _ in attrs)}
        self.values += [value or "" for _, value in attrs]

    def handle_comment(self, data: str) -> None:  # noqa: ARG002
        self.hidden += 1

    def handle_pi(self, data: str) -> None:  # noqa: ARG002
        self.hidden += 1


def search_page(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in a page, each without white space; comments count too."""
    page = _PageContent()
    page.feed(content.decode())
    page.close()
    return page.hidden + _count(page.pieces, page.values, page.names, removed)


def search_record(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in an XML file, each without white space; comments count too."""
    pieces: list[str] = []
    values: list[str] = []
    hidden: list[object] = []
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.CharacterDataHandler = pieces.append
    names: set[str] = set()

    def start(element: str, attributes: dict[str, str]) -> None:
        names.update(
            name.rpartition("}")[2] for name in (element, *attributes) if not _STANDARD.match(name)
        )
        coded = element.startswith(_HEALTH)
        values.extend(v for name, v in attributes.items() if not (coded and _KEPT.fullmatch(name)))

    def declare(prefix: str | None, space: str | None) -> None:
        names.add(prefix or "")
        values.append("" if _STANDARD.match(f"{space}}}") else space or "")

    parser.StartElementHandler = start
    parser.StartNamespaceDeclHandler = declare
    parser.CommentHandler = hidden.append
    parser.ProcessingInstructionHandler = lambda *what: hidden.append(what)
    parser.StartDoctypeDeclHandler = lambda *what: hidden.append(what)
    try:
        parser.Parse(content, True)
    except expat.ExpatError:  # what cannot be read again is not published
        return 1
    return len(hidden) + _count(pieces, values, names, removed)


_RICH = re.compile(r"\\u(-?\d+)\??|\\'([0-9A-Fa-f]{2})|\\([\\{}])|\\[A-Za-z]+-?\d* ?|[{}\r\n]")
_FONTS = re.compile(r"\{\\fonttbl((?:\{\\f\d+ [^\\{};]{1,64};\})+)\}")  # as the writer puts them
_STYLES = re.compile(
    r"\{\\stylesheet((?:\{(?:\\\*)?(?:\\[A-Za-z]+-?\d{0,5})+ [^\\{};]{1,40};\})+)\}"
)
_STYLE, _NUMBERED = re.compile(r" ([^;]+);"), re.compile(r"style \d{1,5}")
_WORD = re.compile(r"\\([A-Za-z]+)")
_FONT = re.compile(r"\\f\d+ ([^;]+);")
_NOT_WRITTEN = re.compile(r"\\(?:\*|bin|info|pict|object|stylesheet|fldinst)")


def search_rich_text(content: bytes, removed: Iterable[str]) -> int:
    """Count the removed strings in a rich text, each without white space; destinations that are never written count too."""
    raw = content.decode("latin-1")
    fonts = _FONTS.search(raw)
    unknown = sum(not is_known_font(name) for name in _FONT.findall(fonts[1])) if fonts else 0
    styles = _STYLES.search(raw)
    unknown += len({*_WORD.findall(styles[1])} - KEPT - OF_STYLES) if styles else 0
    titles = (title.lower() for title in _STYLE.findall(styles[1])) if styles else ()
    unknown += sum(title not in STYLES and not _NUMBERED.fullmatch(title) for title in titles)
    raw = _STYLES.sub("", _FONTS.sub("", raw, count=1), count=1)

    def say(found: re.Match[str]) -> str:
        if found[1] is not None:
            return chr(int(found[1]) & 0xFFFF)
        return chr(int(found[2], 16)) if found[2] else found[3] or ""

    said = _RICH.sub(say, raw).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    hidden = (
        len(_NOT_WRITTEN.findall(raw.replace(r"\\", ""))) + (raw.rstrip()[-1:] != "}") + unknown
    )
    raw = _WORD.sub(lambda found: "\\" if found[1] in KEPT else found[0], raw)
    return hidden + _count([said], [], [], removed) + sum(text in raw for text in removed)


def _count(
    pieces: Iterable[str], values: Iterable[str], names: Iterable[str], removed: Iterable[str]
) -> int:
    text = "".join("".join(pieces).split())
    others = {"".join(value.split()) for value in values if not _KEYWORD.fullmatch(value)}
    return sum(
        wanted in text or any(wanted in value for value in others) or stands_in_names(wanted, names)
        for wanted in removed
    )
