"""HTML pages: text and listed attributes; scripts, styles, comments, links and metadata are dropped."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from typing import TYPE_CHECKING

from lxml import etree

from ..adjacent_words import PARTING, read_apart
from ..files import RefusedFileError
from ..inspection import FileSummary
from ..office.walking import CollectedText
from .walking import MarkupFile, Walk, drop_element

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["open_page"]

_GONE = {
    "script": "script", "style": "style sheet", "noscript": "script", "template": "script", "link": "metadata",
    "base": "metadata", "iframe": "embedded page", "frame": "embedded page", "frameset": "embedded page",
    "object": "embedded object", "embed": "embedded object", "applet": "embedded object", "svg": "picture",
    "canvas": "picture", "audio": "sound or film", "video": "sound or film", "source": "sound or film",
    "track": "sound or film", "map": "picture", "math": "formula", "param": "embedded object",
}  # fmt: skip
_TEXT = frozenset({"alt", "title", "placeholder", "value", "label", "summary", "abbr", "aria-label",
                   "aria-description", "cite", "datetime"})  # fmt: skip
_LISTED = frozenset({
    "colspan", "rowspan", "align", "valign", "width", "height", "border", "cellpadding", "cellspacing", "dir",
    "hidden", "disabled", "checked", "selected", "type", "start", "scope", "span", "nowrap", "size", "maxlength",
    "rows", "cols", "bgcolor", "color", "open", "reversed", "multiple", "readonly", "required", "noshade",
})  # fmt: skip
_PLAIN = re.compile(
    r"[\d.]*(?:px|pt|em|%)?|#[0-9A-Fa-f]{3,8}|left|right|center|justify|top|middle|bottom|baseline|char|ltr|rtl|auto|"
    r"hidden|disabled|checked|selected|nowrap|open|reversed|multiple|readonly|required|true|false|row|col|rowgroup|"
    r"colgroup|text|submit|button|checkbox|radio|number|date|email|tel|url|search|password|reset|range|time|circle|"
    r"disc|square|[aAiI1]"
)
_LINKS = frozenset({"href", "src", "srcset", "action"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})?")
_INLINE_NAMES = (
    "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd mark q rp rt ruby s samp small span strike "
    "strong sub sup time tt u var wbr label nobr input"
)
_INLINE = frozenset(_INLINE_NAMES.split())
_BLOCK_NAMES = (
    "address article aside blockquote body br button caption center col colgroup datalist dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu meter nav "
    "ol optgroup option output p picture pre progress section select summary table tbody td textarea tfoot th thead title "
    "tr ul"
)
_KNOWN = _INLINE.union(_BLOCK_NAMES.split())
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]+)""", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\u00ad\u200b\u2060\ufeff\ud800-\udfff\ufffe\uffff]"
)


def open_page(content: bytes) -> MarkupFile:
    """Open an HTML page."""
    found = FileSummary("html")
    dropped: Counter[str] = Counter()
    text = _DECLARATION.sub("", _decode(content))
    hidden = len(re.findall(r"<!--", text)) + len(re.findall(r"<\?", text))
    if hidden:
        dropped["comment in the markup"] += hidden
    root = _parse(text.encode("utf-8", "replace"))
    _clean_text(root, dropped)
    _clean(root, dropped)
    root = _parse(_serialise(root))  # as it will be read once it is written
    _clean(root, Counter())
    collected = CollectedText()
    walk = Walk(_INLINE, {"br": "\n", "hr": "\n"}, _is_text, parting=PARTING)
    walk.read(collected, root)
    found.places.update(collected.counts)
    found.dropped.update(+dropped)
    return MarkupFile(
        collected.text, collected.segments, found, read_apart(collected.text, walk.parted),
        places=collected.places, serialise=lambda: _serialise(root),
    )  # fmt: skip


def _decode(content: bytes) -> str:
    for mark, code in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):  # fmt: skip
        if content.startswith(mark):
            content, name = content[len(mark) :], code
            break
    else:
        said = _CHARSET.search(content[:4096])
        name = said[1].decode("ascii") if said else "utf-8"
    try:
        return content.decode(name)
    except (UnicodeDecodeError, LookupError):
        raise RefusedFileError("is in an unknown character set", "save it as UTF-8.") from None


def _parse(content: bytes) -> _Element:
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=False
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    if root is None:
        raise RefusedFileError("is not an HTML page")
    return root


def _serialise(root: _Element) -> bytes:
    head = root.find("head")
    if head is None:
        head = etree.Element("head")
        root.insert(0, head)
    for meta in list(head.iter("meta")):
        drop_element(meta)
    head.insert(0, etree.Element("meta", charset="utf-8"))
    body = etree.tostring(root, method="html", encoding="unicode")
    return f"<!DOCTYPE html>\n{body}\n".encode()


def _clean(root: _Element, dropped: Counter[str]) -> None:
    for element in list(root.iter()):
        if not isinstance(element.tag, str) or element.tag in _GONE:
            if isinstance(element.tag, str):
                dropped[_GONE[element.tag]] += 1
            drop_element(element)
        elif element.tag == "meta":
            if element.get("charset") is None and "content-type" not in (element.get("http-equiv") or "").lower():  # fmt: skip
                dropped["metadata"] += 1
            drop_element(element)
        elif element.tag not in _KNOWN:  # its name may be anybody's
            dropped["unknown element"] += 1
            element.tag = "span" if element.getparent() is not None else "html"
    for element in root.iter():
        attributes = [(str(key), str(value)) for key, value in element.attrib.items()]
        kept = {name: value for name, value in attributes if _may_stay(element, name, value)}
        seen = {name: _UNSEEN.sub("", value) for name, value in kept.items()}
        dropped["invisible character"] += sum(seen[name] != value for name, value in kept.items())
        if len(kept) < len(attributes) or seen != kept:
            for name, _ in attributes:
                if name not in kept:
                    dropped["link target" if name in _LINKS else "attribute"] += 1
            element.attrib.clear()  # names may be such that no single one can be deleted
            for name, value in seen.items():
                element.set(name, value)


def _clean_text(root: _Element, dropped: Counter[str]) -> None:
    """Take out characters that nobody sees, and those that markup cannot hold."""
    for element in root.iter():
        for holder in ("text", "tail"):
            text = getattr(element, holder)
            if text and _UNSEEN.search(text):
                dropped["invisible character"] += 1
                setattr(element, holder, _UNSEEN.sub("", text))


def _may_stay(element: _Element, name: str, value: str) -> bool:
    if _is_text(element, name, value):
        return element.get("type") != "hidden"
    if name == "lang":
        return _LANGUAGE.fullmatch(value) is not None
    return name in _LISTED and _PLAIN.fullmatch(value) is not None


def _is_text(element: _Element, name: str, value: str) -> bool:  # noqa: ARG001 (one signature)
    return name in _TEXT
