"""XML records, such as clinical documents (CDA): every text and every attribute is read, unless a list says it is a code."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from ..files import RefusedFileError
from ..inspection import FileSummary
from ..office.parsing import has_document_type, parse
from ..office.walking import CollectedText
from .walking import MarkupFile, Walk

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["open_record"]

_CODES = frozenset({
    "classCode", "moodCode", "typeCode", "determinerCode", "nullFlavor", "code", "codeSystem",
    "codeSystemVersion", "mediaType", "use", "unit", "inversionInd", "negationInd", "contextControlCode",
    "contextConductionInd", "operator", "styleCode", "type", "root", "templateId", "border", "width", "align",
    "valign", "colspan", "rowspan", "representation", "qualifier", "partType", "independentInd",
    "integrityCheckAlgorithm", "institutionSpecified",
})  # fmt: skip
"""Attributes of health records that hold codes; in another vocabulary they may hold anything."""
_HEALTH = "{urn:hl7-org:"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_CAPITALS = re.compile(r"(?:[A-Z][A-Z0-9_]{0,31}(?: |$))*")
_LENGTH = re.compile(r"[\d.]*(?:px|pt|em|%|\*)?")
_YES_OR_NO = re.compile("true|false|0|1")
_PLACED = re.compile("left|right|center|justify|char|top|middle|bottom|baseline")
_OWN_CODES = {
    f"{_XML}lang": re.compile(r"(?:[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,4})*)?"), f"{_XML}space": re.compile("default|preserve"),
}  # fmt: skip
_LISTED = {
    **_OWN_CODES,
    **dict.fromkeys(("classCode", "moodCode", "typeCode", "determinerCode", "nullFlavor", "contextControlCode", "operator",
                     "qualifier", "partType", "use"), _CAPITALS),
    **dict.fromkeys(("inversionInd", "negationInd", "contextConductionInd", "independentInd", "institutionSpecified"), _YES_OR_NO),
    **dict.fromkeys(("border", "width", "colspan", "rowspan"), _LENGTH), **dict.fromkeys(("align", "valign"), _PLACED),
    "styleCode": re.compile(r"(?:(?:Bold|Underline|Italics|Emphasis|[LR]rule|(?:Top|Bot)rule|Arabic|(?:Little|Big)(?:Roman|Alpha)|Disc|Circle|Square)(?: |$))*"),
    "representation": re.compile("TXT|B64"), "integrityCheckAlgorithm": re.compile(r"SHA-?\d+"),
    "mediaType": re.compile(r"[a-z]+/[a-z0-9.+\-]{1,80}"),
}  # fmt: skip
"""Attributes whose values the standards list, or all but list."""
_CODE = re.compile(r"[\w.:%/\-\[\]{}*^]{0,64}")
_OID = re.compile(r"[\d.]*")
_IDS, _REFERENCES = frozenset({"ID"}), frozenset({"IDREF", "referencedObject"})
_BASE64 = re.compile(r"[A-Za-z0-9+/\s]{120,}+={0,2}\s*")
_SHORT_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4}){4,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}){12,}")
_KNOWN_SPACE = re.compile(  # namespaces of vocabularies that somebody else wrote down
    r"http://(?:www\.w3\.org|schemas\.(?:microsoft|openxmlformats|xmlsoap)\.(?:com|org)|purl\.org|docbook\.org|"
    r"java\.sun\.com|hl7\.org)/[A-Za-z0-9./#_\-]*$|urn:(?:hl7-org|oasis|schemas-microsoft-com|iso):[A-Za-z0-9.:_\-]*$"
)
_NOT_IN_SPACES = re.compile(r"[^A-Za-z0-9:/.#_~\-]")
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
    dropped["comment in the markup"] += _count_comments(content)
    dropped["document type"] += has_document_type(root)
    _clean(root, dropped)
    dropped["id of an element"] += _rename_ids(root)
    collected = CollectedText()
    Walk(_INLINE, {"br": "\n"}, _is_text).read(collected, root)
    spaces: dict[str, str] = {}
    for space in sorted(own for own in set(_list_spaces(root)) if not _KNOWN_SPACE.match(own)):
        collected.end_line()
        collected.add(space, _Space(spaces, space), "namespace")
        collected.make("\n")
    found.places.update(collected.counts)
    found.dropped.update(+dropped)
    return MarkupFile(
        collected.text, collected.segments, found, places=collected.places,
        serialise=lambda: _serialise(root, spaces),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Space:
    """A namespace, which may name somebody."""

    renamed: dict[str, str]
    name: str

    def put(self, text: str) -> None:
        self.renamed[self.name] = _NOT_IN_SPACES.sub("", text) or "-"


def _serialise(root: _Element, renamed: Mapping[str, str]) -> bytes:
    """Return a record as it is written, with the new names of its namespaces."""
    content = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    for old, new in renamed.items():
        declared = re.compile(
            rf'(?<= )(xmlns(?::[^\s=]+)?=")({re.escape(_quote(old))})(?=")'.encode()
        )
        content = declared.sub(rb"\g<1>" + new.encode(), content)
    return content


def _quote(value: str) -> str:
    """Return a value as libxml2 writes it in an attribute."""
    own = etree.Element("a", b=value)
    return etree.tostring(own, encoding="unicode")[6:-3]


def _count_comments(content: bytes) -> int:
    """Return how many comments and processing instructions a file has, which the parser has left out."""
    if b"<!--" not in content and content.count(b"<?") == (content.lstrip()[:5] == b"<?xml"):
        return 0
    try:
        before = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except (etree.XMLSyntaxError, ValueError, LookupError):  # in a character set of Python's
        return content.count(b"<!--") + content.count(b"<?") - 1
    comments = sum(1 for node in before.getroottree().iter() if not isinstance(node.tag, str))
    comments += sum(1 for _ in before.itersiblings(preceding=True))
    return comments + sum(1 for _ in before.itersiblings())


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
            elif _is_code(element, name, str(value)) and not _LISTED.get(name, _CODE).fullmatch(str(value)):  # fmt: skip
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


def _is_code(element: _Element, key: str, value: str) -> bool:
    """Return whether an attribute holds codes, by its name and the vocabulary of its element.

    What names the root of an identifier is a code where it is an OID; others identify a record by themselves.
    """
    if key in _OWN_CODES or key.startswith(_SCHEMA):
        return True
    if not element.tag.startswith(_HEALTH):
        return False
    return key in _CODES and (key != "root" or _OID.fullmatch(value) is not None)


def _rename_ids(root: _Element) -> int:
    """Replace the ids of elements in health records, which may name somebody, by numbered ones; return how many changed."""
    own = [element for element in root.iter() if element.tag.startswith(_HEALTH)]
    new: dict[str, str] = {}
    for element in own:
        for name in _IDS & set(element.attrib):
            new.setdefault(str(element.get(name)), f"id{len(new) + 1}")
    for element in own:
        for key, value in list(element.attrib.items()):
            if key in _IDS:
                element.set(key, new[str(value)])
            elif key in _REFERENCES:
                element.set(key, " ".join(new[one] for one in str(value).split() if one in new))
            elif str(value)[:1] == "#" and str(value)[1:] in new:
                element.set(key, f"#{new[str(value)[1:]]}")
    return sum(old != name for old, name in new.items())


def _is_text(element: _Element, key: str, value: str) -> bool:
    is_id = key in _IDS | _REFERENCES and element.tag.startswith(_HEALTH)
    return not (is_id or _is_code(element, key, value))
