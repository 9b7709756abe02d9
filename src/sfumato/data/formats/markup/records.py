"""XML records, such as clinical documents (CDA): every text and every attribute is read, unless a list says it is a code."""

from __future__ import annotations

import re
from collections import Counter
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
            if _BASE64.fullmatch(text):
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
            elif _UNSEEN.search(str(value)):
                element.set(name, _UNSEEN.sub("", str(value)))
                dropped["invisible character"] += 1
    if len(root) > 1_000_000:
        raise RefusedFileError("has too many elements")


def _is_text(element: _Element, key: str, value: str) -> bool:  # noqa: ARG001 (one signature)
    if key.startswith(_SCHEMA):
        return not _CODE.fullmatch(value)
    return key.rpartition("}")[2] not in _CODES or not _CODE.fullmatch(value)
