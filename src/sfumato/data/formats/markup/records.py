"""XML records, such as clinical documents (CDA): every text and every attribute is read, unless a list says it is a code."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lxml import etree

from ..files import RefusedFileError
from ..inspection import FileSummary
from ..office.package import parse
from ..office.walking import CollectedText
from .walking import MarkupFile, Walk

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["open_record"]

_CODES = frozenset({
    "classCode", "moodCode", "typeCode", "determinerCode", "nullFlavor", "code", "codeSystem",
    "codeSystemVersion", "mediaType", "use", "unit", "inversionInd", "negationInd", "contextControlCode",
    "contextConductionInd", "operator", "styleCode", "type", "lang", "space", "root", "templateId", "ID",
    "IDREF", "referencedObject", "border", "width", "align", "valign", "colspan", "rowspan", "representation",
    "qualifier", "partType", "independentInd", "xsi:type", "integrityCheckAlgorithm", "institutionSpecified",
})  # fmt: skip
_CODE = re.compile(r"[\w.:%/\-\[\]{}*^]{0,64}")
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{120,}+={0,2}\s*")
_SHORT_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}){12,}")
_NAMED_SPACE = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{2,}|[^!-~]")
_KNOWN_SPACE = re.compile(
    r"http://(?:www\.w3\.org|schemas\.[a-z.]+|java\.sun\.com|xmlns\.[a-z.]+)/[!-~]*"
)
_INLINE = frozenset(
    "content b i u em strong span sub sup a linkHtml br renderMultiMedia italics bold".split()  # noqa: SIM905
)
_SCHEMA = "{http://www.w3.org/2001/XMLSchema-instance}"
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")


def open_record(content: bytes) -> MarkupFile:
    """Open an XML file."""
    found = FileSummary("xml")
    dropped: Counter[str] = Counter()
    root = parse(content)
    if any(
        _NAMED_SPACE.search(own) and not _KNOWN_SPACE.fullmatch(own) for own in _list_spaces(root)
    ):
        raise RefusedFileError(
            "has a namespace that may name somebody", "give it another namespace."
        )
    before = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    comments = sum(1 for node in before.getroottree().iter() if not isinstance(node.tag, str))
    comments += sum(1 for _ in before.itersiblings(preceding=True))
    comments += sum(1 for _ in before.itersiblings())
    if comments:
        dropped["comment in the markup"] += comments
    _clean(root, dropped)
    collected = CollectedText()
    Walk(_INLINE, {"br": "\n"}, _is_text).read(collected, root)
    found.places.update(collected.counts)
    found.dropped.update(+dropped)
    return MarkupFile(
        collected.text, collected.segments, found, places=collected.places,
        serialise=lambda: etree.tostring(root, xml_declaration=True, encoding="UTF-8"),
    )  # fmt: skip


def _clean(root: _Element, dropped: Counter[str]) -> None:
    for element in root.iter():
        for holder in ("text", "tail"):
            text = getattr(element, holder)
            if not text or text.isspace():
                continue
            if _BASE64.fullmatch(text) or _is_binary_text(text):
                dropped["embedded file"] += 1
                setattr(element, holder, None)
            elif _UNSEEN.search(text):
                dropped["invisible character"] += 1
                setattr(element, holder, _UNSEEN.sub("", text))
        for key, value in list(element.attrib.items()):
            name = str(key)
            if name.startswith(_SCHEMA) and name.endswith("chemaLocation"):
                dropped["schema location"] += 1
                del element.attrib[key]
            elif _is_code(name) and not _CODE.fullmatch(str(value)):
                dropped["attribute"] += 1
                del element.attrib[key]
            elif _is_binary_text(str(value)):
                dropped["embedded file"] += 1
                element.set(name, "")
            elif _UNSEEN.search(str(value)):
                element.set(name, _UNSEEN.sub("", str(value)))
                dropped["invisible character"] += 1
    if len(root) > 1_000_000:
        raise RefusedFileError("has too many elements")


def _list_spaces(root: _Element) -> Iterator[str]:
    """Yield the namespaces that a record declares, wherever it does."""
    for element in root.iter():
        parent = element.getparent()
        if parent is None or element.nsmap != parent.nsmap:
            yield from element.nsmap.values()


def _is_binary_text(value: str) -> bool:
    """Return whether a value is a text in base64 or in hexadecimal, which nobody could mark a name in."""
    bare = "".join(value.split())
    raw = b""
    if _SHORT_BASE64.fullmatch(bare):
        raw = base64.b64decode(bare)
    if _HEX.fullmatch(bare):
        raw = bytes.fromhex(bare)
    for code in ("utf-8", "utf-16-le", "utf-16-be"):
        try:
            text = raw.decode(code)
        except UnicodeDecodeError:
            continue
        if "".join(text.split()).isprintable() and sum(c.isalpha() and ord(c) < 0x590 for c in text) * 2 > len(text):  # fmt: skip
            return True
    return False


def _is_code(key: str) -> bool:
    """Return whether an attribute holds codes, by its name."""
    return key.startswith(_SCHEMA) or key.rpartition("}")[2] in _CODES


def _is_text(element: _Element, key: str, value: str) -> bool:  # noqa: ARG001 (one signature)
    return not _is_code(key)
