"""Text documents: tracked changes are accepted, fields and content controls unlinked, names of styles and bookmarks replaced."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from lxml import etree

from .cleaning import namespace, remove, unwrap
from .package import OfficePart, Package, local
from .vocabulary import STYLES

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["clean_word", "name_themes"]

_UNWRAPPED = {
    "ins": "tracked change", "moveTo": "tracked change", "smartTag": "smart tag", "customXml": "custom XML",
    "sdt": "content control", "fldSimple": "field",
}  # fmt: skip
_PROPERTIES = ("sdtPr", "sdtEndPr", "smartTagPr", "customXmlPr")
_SAFE_FIELD = re.compile(
    r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|SECTION|PAGEREF\s+_(?:Toc|Ref)\d+|REF\s+_(?:Toc|Ref)\d+|NOTEREF\s+_Ref\d+"
    r"|TOC|SEQ\s+(?:Figure|Table|Equation|Abbildung|Tabelle))\b(?:\s|\\[a-z*@]|\"[\d-]*\"|MERGEFORMAT|Arabic|ARABIC|\d++(?:-\d++)?)*+"
)
_KEPT_BOOKMARK = re.compile(r"_(?:Toc|Ref|Hlk)\d+|_GoBack")
_SETTINGS = frozenset({
    "zoom", "mirrorMargins", "bordersDoNotSurroundHeader", "bordersDoNotSurroundFooter", "gutterAtTop",
    "defaultTabStop", "autoHyphenation", "consecutiveHyphenLimit", "hyphenationZone", "doNotHyphenateCaps",
    "evenAndOddHeaders", "displayBackgroundShape", "characterSpacingControl", "footnotePr", "endnotePr",
    "compat", "themeFontLang", "clrSchemeMapping", "decimalSymbol", "listSeparator", "mathPr",
    "drawingGridHorizontalSpacing", "drawingGridVerticalSpacing", "displayHorizontalDrawingGridEvery",
    "displayVerticalDrawingGridEvery", "embedSystemFonts", "stylePaneFormatFilter", "bookFoldPrinting",
})  # fmt: skip
_STYLE_REFERENCES = frozenset({
    "pStyle", "rStyle", "tblStyle", "basedOn", "next", "link", "styleLink", "numStyleLink",
})  # fmt: skip
_IS_WORD = re.compile(r".*/wordprocessingml(?:/2006)?/main")


def clean_word(package: Package) -> None:
    """Clean the parts of a text document, after what all office files lose."""
    bookmarks: dict[str, str] = {}
    styles = _rename_styles(package)
    for part in package.parts:
        if part.tree is None:
            continue
        if part.kind == "settings":
            _keep_settings(part.tree, package.dropped)
        _unlink_fields(part.tree, package.dropped)
        _unwrap_all(part.tree, package.dropped)
        _drop_copies(part.tree, package.dropped)
        _rename_bookmarks(part.tree, bookmarks, package.dropped)
    for part in package.parts:
        if part.tree is not None:
            _refer(part, styles, bookmarks)


def _value(element: _Element, name: str) -> str | None:
    """Return an attribute in the element's own namespace, or in none."""
    found = element.get(f"{{{namespace(element)}}}{name}")
    return element.get(name) if found is None else found


def _set(element: _Element, name: str, value: str) -> None:
    qualified = f"{{{namespace(element)}}}{name}"
    element.set(
        name if qualified not in element.attrib and name in element.attrib else qualified, value
    )


def _is_word(element: _Element) -> bool:
    return bool(_IS_WORD.fullmatch(namespace(element)))


def _keep_settings(settings: _Element, dropped: Counter[str]) -> None:
    for child in list(settings):
        if local(child) not in _SETTINGS:
            dropped["setting"] += 1
            settings.remove(child)


# --- fields and wrappers -------------------------------------------------------------------------


def _unlink_fields(root: _Element, dropped: Counter[str]) -> None:
    """Leave the results of fields that do not only number things, and take what they were made from."""
    open_fields: list[tuple[list[_Element], list[_Element]]] = []
    for element in list(root.iter("{*}fldChar", "{*}instrText")):
        if local(element) == "instrText":
            if open_fields:
                open_fields[-1][1].append(element)
            else:
                dropped["field"] += 1
                remove(element)
            continue
        kind = _value(element, "fldCharType")
        if kind == "begin":
            open_fields.append(([element], []))
        elif open_fields:
            open_fields[-1][0].append(element)
            if kind == "end":
                _close(*open_fields.pop(), dropped)
        else:
            remove(element)
    for marks, code in open_fields:  # without an end: nothing of it is known to be safe
        dropped["field"] += 1
        for element in (*marks, *code):
            remove(element)


def _close(marks: list[_Element], code: list[_Element], dropped: Counter[str]) -> None:
    if not _SAFE_FIELD.fullmatch("".join(element.text or "" for element in code)):
        dropped["field"] += 1
        for element in (*marks, *code):
            remove(element)


def _unwrap_all(root: _Element, dropped: Counter[str]) -> None:
    for element in list(root.iter()):
        name = local(element)
        if not _is_word(element):
            continue
        if name in _UNWRAPPED:
            dropped[_UNWRAPPED[name]] += 1
            for child in list(element):
                if local(child) in _PROPERTIES:
                    element.remove(child)
            for child in list(element):
                if local(child) == "sdtContent":
                    unwrap(child)
            unwrap(element)
        elif name == "noBreakHyphen":
            text = etree.SubElement(element, f"{{{namespace(element)}}}t")
            text.text = "\u2011"
            unwrap(element)
        elif name == "softHyphen":
            remove(element)


def _drop_copies(root: _Element, dropped: Counter[str]) -> None:
    """Of two drawings of the same text, for newer and older programs, keep the newer."""
    for element in list(root.iter("{*}AlternateContent")):
        choice, fallback = element.find("{*}Choice"), element.find("{*}Fallback")
        if choice is None or fallback is None:
            continue
        text = "".join(str(t) for t in choice.itertext())
        if text and text == "".join(str(t) for t in fallback.itertext()):
            dropped["copy for older programs"] += 1
            element.remove(fallback)


# --- names -----------------------------------------------------------------------------------------


def _rename_bookmarks(root: _Element, names: dict[str, str], dropped: Counter[str]) -> None:
    for element in root.iter("{*}bookmarkStart"):
        name = _value(element, "name") or ""
        if _KEPT_BOOKMARK.fullmatch(name):
            names[name] = name
            continue
        new = names.setdefault(name, f"mark{len(names) + 1}")
        dropped["bookmark name"] += not re.fullmatch(r"mark\d+", name)
        _set(element, "name", new)


def _rename_styles(package: Package) -> dict[str, str]:
    """Rename the styles that somebody named; return the new ids by the old ones."""
    found: dict[str, str] = {}
    for part in package.parts:
        if part.kind != "styles" or part.tree is None or not _is_word(part.tree):
            continue
        for number, style in enumerate(part.tree.iter("{*}style"), 1):
            old = _value(style, "styleId") or ""
            found[old] = _rename_style(style, old, f"Style{number}", package.dropped)
    return found


def _rename_style(style: _Element, old: str, new: str, dropped: Counter[str]) -> str:
    for aliases in list(style.iter("{*}aliases")):
        remove(aliases)
    name = style.find("{*}name")
    written = "" if name is None else _value(name, "val") or ""
    known = written.lower() in STYLES
    if known and re.sub(r"[^a-z0-9]", "", written.lower()) == re.sub(r"[^a-z0-9]", "", old.lower()) and old.isascii():  # fmt: skip
        new = old
    else:
        _set(style, "styleId", new)
    if not known and name is not None:
        dropped["style name"] += written != new
        _set(name, "val", new)
    return new


def _refer(part: OfficePart, styles: dict[str, str], bookmarks: dict[str, str]) -> None:
    """Let everything that refers to a style or a bookmark follow its new name."""
    assert part.tree is not None
    for element in list(part.tree.iter()):
        name = local(element)
        if name in _STYLE_REFERENCES and _is_word(element):
            new = styles.get(_value(element, "val") or "")
            if new is None:
                remove(element)
            else:
                _set(element, "val", new)
        elif name == "hyperlink" and _is_word(element):
            anchor = _value(element, "anchor")
            if anchor is not None:
                _set(element, "anchor", bookmarks.get(anchor, "mark0"))


def name_themes(package: Package) -> None:
    """Replace the names of the themes of an office file by one name."""
    for part in package.parts:
        if part.tree is None or part.kind not in ("theme", "themeOverride"):
            continue
        for element in part.tree.iter("{*}clrScheme", "{*}fontScheme", "{*}fmtScheme", "{*}theme"):
            if element.get("name"):
                package.dropped["theme name"] += element.get("name") != "Office"
                element.set("name", "Office")
