"""Cleaning of office files before they are read: everything that is not on a list is removed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from lxml import etree

from .attributes import is_office_space, judge_attribute, plain_number_format
from .font_names import USUAL_FONT
from .package import OfficePart, Package, local

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["clean_part", "namespace", "remove", "unwrap"]

_GONE = {
    **dict.fromkeys(("smartTagPr", "customXmlPr"), "smart tag"),
    **dict.fromkeys(("ffData", "fldData", "formProt"), "form field"),
    **dict.fromkeys(
        ("pPrChange", "rPrChange", "sectPrChange", "tblPrChange", "tcPrChange", "trPrChange", "tblPrExChange",
         "tblGridChange", "numberingChange", "del", "moveFrom", "delInstrText", "delText",
         "cellDel"), "tracked change",
    ),
    **dict.fromkeys(
        ("moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "cellIns",
         "customXmlInsRangeStart", "customXmlInsRangeEnd", "customXmlDelRangeStart", "customXmlDelRangeEnd"),
        "tracked change",
    ),
    **dict.fromkeys(("proofErr", "lastRenderedPageBreak", "noProof"), ""),
    **dict.fromkeys(("permStart", "permEnd"), "permission"),
    **dict.fromkeys(("externalData", "OLEObject", "oleObj", "control", "controls", "oleObjects", "altChunk",
                     "subDoc", "contentPart", "oleLink", "binData", "movie"), "embedded object"),
    **dict.fromkeys(("legacyDrawingHF", "picture"), "picture"),
    **dict.fromkeys(("extLst",), "extension"),
    **dict.fromkeys(("custDataLst", "custShowLst", "tags"), "tags"),
    **dict.fromkeys(("embedRegular", "embedBold", "embedItalic", "embedBoldItalic", "embeddedFontLst"),
                    "embedded font"),
    **dict.fromkeys(("altName", "nsid", "tmpl", "rsid", "rsids", "latentStyles"), ""),
    **dict.fromkeys(("snd", "sndAc", "audioFile", "videoFile", "wavAudioFile", "audioCd", "quickTimeFile"),
                    "sound or film"),
    **dict.fromkeys(("modifyVerifier", "documentProtection", "sheetProtection", "workbookProtection",
                     "protectedRanges", "fileSharing"), "protection"),
    **dict.fromkeys(("photoAlbum", "kinsoku", "smartTags", "sectionLst"), ""),
}  # fmt: skip
"""Elements that are dropped, and their names in reports."""
_NUMERIC = frozenset({
    "posOffset", "pctWidth", "pctHeight", "col", "row", "colOff", "rowOff", "Anchor", "Row", "Column",
    "pctPosHOffset", "pctPosVOffset", "ptCount",
})  # fmt: skip
_NUMBER = re.compile(r"[-+\d.,\s]*(?:[eE][-+]?\d+)?")
_PATH = re.compile(r"[a-z]+(?:[._][A-Za-z]+)*")
_FLAGS = re.compile(r"True|False|t|f|")
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
_AUTHOR = {"author": "Author", "name": "Author", "initials": "A"}
_DECLARATION = re.compile(r"[a-z-]+:[^;:]*")


def namespace(element: _Element) -> str:
    """Return the namespace of an element."""
    return element.tag[1:].partition("}")[0] if element.tag[:1] == "{" else ""


def remove(element: _Element) -> None:
    """Take an element out of its tree; text after it is none of an office file."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def unwrap(element: _Element) -> None:
    """Put the children of an element in its place."""
    for child in list(element):
        element.addprevious(child)
    remove(element)


def clean_part(package: Package, part: OfficePart) -> None:
    """Remove from a part what may not stay."""
    root, dropped = part.tree, package.dropped
    if root is None:
        return
    stack = [root]
    while stack:  # what is removed is not looked into
        element = stack.pop()
        name = local(element)
        if element is not root and (name in _GONE or not is_office_space(namespace(element))):
            what = _GONE.get(name, "foreign markup")
            if what:
                dropped[what] += 1
            remove(element)
            continue
        _clean_text(element, name, dropped)
        if element.attrib:
            _clean_attributes(element, name, part, dropped)
        stack.extend(element)
    _clean_namespaces(root)


def _clean_text(element: _Element, name: str, dropped: Counter[str]) -> None:
    if element.tail is not None:
        dropped["text outside of elements"] += bool(element.tail.strip())
        element.tail = None
    text = element.text
    if text is None:
        return
    if len(element):
        dropped["text outside of elements"] += bool(text.strip())
        element.text = None
        return
    if name in _NUMERIC and not _NUMBER.fullmatch(text):
        dropped["foreign markup"] += 1
        element.text = "0"
    elif name == "attrName" and not _PATH.fullmatch(text):
        dropped["foreign markup"] += 1
        element.text = "ppt_x"
    elif name == "formatCode":
        element.text = plain_number_format(text)
        dropped["number format"] += element.text != text
    elif namespace(element) == "urn:schemas-microsoft-com:office:excel" and name not in _NUMERIC:
        if not (_FLAGS.fullmatch(text) or _NUMBER.fullmatch(text)):
            dropped["foreign markup"] += 1
            element.text = None
    elif _UNSEEN.search(text):
        dropped["invisible character"] += 1
        element.text = _UNSEEN.sub("", text)


def _clean_attributes(
    element: _Element, name: str, part: OfficePart, dropped: Counter[str]
) -> None:
    space = namespace(element)
    for key, raw in list(element.attrib.items()):
        key, value = str(key), str(raw)
        own = key.rpartition("}")
        if own[0] and not is_office_space(own[0][1:]):
            del element.attrib[key]
            dropped["foreign markup"] += 1
            continue
        if own[0].endswith("/relationships"):
            continue
        attribute = own[2]
        if attribute == "name" and name in ("docPr", "cNvPr"):
            neutral = (
                f"object {element.get('id', '0')}"
                if str(element.get("id", "0")).isdigit()
                else "object"
            )
            dropped["name of an object"] += value != neutral
            element.set(key, neutral)
            continue
        if attribute in _AUTHOR and name in ("comment", "cmAuthor"):  # which must have one
            dropped["author"] += value != _AUTHOR[attribute]
            element.set(key, _AUTHOR[attribute])
            continue
        if attribute == "style" and space.startswith("urn:schemas-microsoft-com:"):
            element.set(key, _plain_style(value))
            continue
        if attribute == "formatCode":
            element.set(key, plain_number_format(value))
            continue
        known = judge_attribute(name, attribute, space, value)
        if known == "drop" and not _has_new_name(name, attribute, part):
            del element.attrib[key]
            dropped[_word_for(attribute)] += 1
        elif known == "font":
            dropped["name of a font"] += 1
            element.set(key, USUAL_FONT)
        elif known == "text" and _UNSEEN.search(value):
            element.set(key, _UNSEEN.sub("", value))
            dropped["invisible character"] += 1


_RENAMED = frozenset({
    "style.styleId", "pStyle.val", "rStyle.val", "tblStyle.val", "basedOn.val", "next.val", "link.val",
    "styleLink.val", "numStyleLink.val", "style.name", "bookmarkStart.name", "hyperlink.anchor",
    "fldSimple.instr", "sheet.name", "definedName.name", "hyperlink.location", "cellStyle.name",
    "tableStyle.name", "aliases.val", "clrScheme.name", "fontScheme.name", "fmtScheme.name",
    "theme.name", "tblStyle.styleName",
})  # fmt: skip


def _has_new_name(element: str, attribute: str, part: OfficePart) -> bool:
    """Return whether a name is replaced later, together with all that refer to it."""
    return f"{element}.{attribute}" in _RENAMED or (
        part.kind == "styles" and element == "name" and attribute == "val"
    )


def _word_for(attribute: str) -> str:
    if attribute in ("author", "initials", "userId", "providerId"):
        return "author"
    if attribute in ("date", "dateUtc", "dt"):
        return "date of a change"
    if attribute.startswith("rsid") or attribute in ("paraId", "textId", "durableId", "uid"):
        return "revision mark"
    return "attribute"


def _plain_style(value: str) -> str:
    """Return the declarations of a VML style whose values are numbers and listed words."""
    return ";".join(
        own
        for own in value.split(";")
        if _DECLARATION.fullmatch(own.strip())
        and judge_attribute("", "", "", own.strip().partition(":")[2]) == "keep"
    )


def _clean_namespaces(root: _Element) -> None:
    """Drop prefixes that nothing uses, except those that are named in a value."""
    named = set()
    for element in root.iter():
        for key, value in element.attrib.items():
            if str(key).endswith(("}Ignorable", "Requires", "}MustUnderstand")):
                named.update(str(value).split())
    etree.cleanup_namespaces(root, keep_ns_prefixes=sorted(named))
    for element in root.iter():
        for key, value in list(element.attrib.items()):
            if str(key).endswith(("}Ignorable", "}MustUnderstand")):
                kept = [prefix for prefix in str(value).split() if prefix in element.nsmap]
                element.set(str(key), " ".join(kept))
