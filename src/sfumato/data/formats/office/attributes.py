"""The attributes of an office file that stay: those whose values contain nothing that a person wrote.

A value stays if it is a number, a word that the standard lists, or a name of a listed kind (a font, a language).
Some attributes are text and are read as such. All others are dropped.
"""

from __future__ import annotations

import re
from typing import Literal

from .font_names import is_known_font
from .vocabulary import WORDS

__all__ = ["SPACES", "is_office_space", "judge_attribute", "plain_number_format"]

Judgement = Literal["keep", "text", "drop", "font"]

SPACES = (
    "http://schemas.openxmlformats.org/", "http://schemas.microsoft.com/office/",
    "urn:schemas-microsoft-com:", "http://purl.oclc.org/ooxml/", "http://www.w3.org/XML/1998/namespace",
)  # fmt: skip
"""How the namespaces of office files begin."""
_TEXT = frozenset({
    "descr", "title", "alt", "tooltip", "prompt", "promptTitle", "error", "errorTitle", "display",
    "lvlText.val", "caption.val", "tblCaption.val", "tblDescription.val",
})  # fmt: skip
_NEVER = frozenset({
    "author", "initials", "userId", "providerId", "date", "dateUtc", "rsidR", "rsidRPr", "rsidRDefault",
    "rsidP", "rsidDel", "rsidTr", "rsidSect", "paraId", "textId", "durableId", "docLocation", "tgtFrame",
    "cSld.name", "uid", "dt",
})  # fmt: skip
_FONTS = frozenset({"typeface", "ascii", "hAnsi", "cs", "eastAsia", "font", "font.name",
                    "mathFont.val", "rFont.val", "face"})  # fmt: skip
_LANGUAGES = frozenset({"lang", "altLang", "lang.val", "lang.eastAsia", "lang.bidi", "themeFontLang.val",
                        "themeFontLang.eastAsia", "themeFontLang.bidi"})  # fmt: skip
_COLOURS = frozenset({"rgb", "lastClr", "fill", "color", "themeColor", "fillcolor", "strokecolor"})
_DRAWN = frozenset({"path", "adj", "eqn", "v", "limo", "connectlocs", "connectangles", "textboxrect",
                    "coordsize", "coordorigin", "xrange", "yrange", "position", "polar", "arcsize", "from",
                    "to", "fmla"})  # fmt: skip
_GUIDED = frozenset({"gd", "pt", "arcTo", "rect", "ahXY", "ahPolar", "cxn", "pos"})
_DIAGRAM = frozenset({"name", "forName", "refForName", "presName", "presStyleLbl", "styleLbl", "axis",
                      "ptType", "type", "refType", "val", "op", "arg", "func", "for", "refFor"})  # fmt: skip

_NUMBERS = re.compile(r"[-+#%.,:;()/*\s\d]*(?:pt|in|cm|mm|px|em|pc|pi|fd|f|%|e|E)?[-+.\d\s]*")
_HEX = re.compile(
    r"(?:[0-9A-F]{2}|[0-9A-F]{4}|[0-9A-F]{6}|[0-9A-F]{8}|#[0-9A-Fa-f]{3,8}|(?=[a-fA-F]*\d)[0-9A-Fa-f]+)"
)
_COLOUR = re.compile(r"#?(?:[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
_GUID = re.compile(r"\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?")
_CELL = r"\$?[A-Z]{0,3}\$?\d{1,7}|\$?[A-Z]{1,3}"
_CELLS = re.compile(rf"(?:{_CELL})(?::(?:{_CELL}))?(?: (?:{_CELL})(?::(?:{_CELL}))?)*")
_LANGUAGE = re.compile(r"[A-Za-z]{1,3}(?:[-_][A-Za-z0-9]{1,8}){0,3}")
_PREFIXES = re.compile(r"[a-z][a-z0-9]{0,11}(?: [a-z][a-z0-9]{0,11})*")
_DRAWING = re.compile(r"(?:[a-z@#?*/+\d,.\s\-]|pixel(?:Line)?(?:Width|Height)|lineDrawn)*")
_GUIDE = re.compile(r"[a-z][A-Za-z]{0,11}\d{0,6}|[A-Z]{1,2}\d{1,6}|3cd4|\d?cd\d")
_DIAGRAMS = re.compile(
    r"(?:[a-z]\w*|[A-Z]\w*\d|(?:Accent|Balance|Child|Parent|Image|Text)\w*)(?: [a-z]\w*)*"
)
_SHAPE_ID = re.compile(r"#?_x0000_[a-z]\d{1,9}")
_SPACE = re.compile(r"(?:[a-z0-9][A-Za-z0-9.+\-]*+|XML|[:/#])*+")
_LONGEST = 2_000  # characters of a value that is looked at
_SPLIT = re.compile(r"[\s;,:|]+")
_FORMAT_LITERAL = re.compile(r'"\s*([^"]*?)\s*"|\\.')
_FORMAT = re.compile(
    r"(?:General|Standard|AM/PM|A/P|\[(?:Red|Blue|Green|Black|White|Cyan|Magenta|Yellow|Color ?\d+|h+|m+|s+|"
    r"[<>=]+[\d.]+|\$[^\]A-Za-z]*-?[0-9A-Fa-f]*)\]|[-+#0?.,%/;:()\s$€£¥yYmMdDhHsSeEbBgG@_*!'&~{}<>=^])*"
)


def is_office_space(space: str) -> bool:
    """Return whether a namespace is one of office files; none of theirs has a word with a capital first."""
    return space.startswith(SPACES) and _SPACE.fullmatch(space) is not None


def judge_attribute(element: str, name: str, space: str, value: str) -> Judgement:
    """Return whether an attribute stays, is text, is dropped, or names a font that is not known.

    Parameters
    ----------
    element, name : str
        The names of the element and of the attribute, without namespaces.
    space : str
        The namespace of the element.
    value : str
        What the attribute holds.

    >>> judge_attribute("jc", "val", "", "center"), judge_attribute("x", "val", "", "Dr. Smith")
    ('keep', 'drop')

    """
    both = f"{element}.{name}"
    if name in _NEVER or both in _NEVER:
        return "drop"
    if name in _TEXT or both in _TEXT:
        return "text"
    if _is_plain(value):
        return "keep"
    if name in _FONTS or both in _FONTS or (both == "name.val" and "/spreadsheetml/" in space):
        return "keep" if is_known_font(value) else "font"
    listed = (
        (name in _COLOURS or both == "srgbClr.val", _COLOUR),
        (name in _LANGUAGES or both in _LANGUAGES, _LANGUAGE),
        (name in ("Ignorable", "Requires", "MustUnderstand"), _PREFIXES),
        (name in _DRAWN, _DRAWING),
        (element in _GUIDED, _GUIDE),
        (space.endswith(("/diagram", "/diagram/2008")) and name in _DIAGRAM, _DIAGRAMS),
        (name in ("id", "spid", "type"), _SHAPE_ID),
        (name == "char", re.compile(r".{1,2}", re.DOTALL)),
        (name == "formatCode", _FORMAT),
        (name == "action", re.compile(r"ppaction://[a-z]+(?:\?[a-z]+=[a-z]+)?")),
        (both == "compatSetting.name", re.compile(r"[a-z][A-Za-z0-9]{3,80}")),
        (both == "font.script", re.compile(r"[A-Z][a-z]{3}")),
    )
    if any(applies and pattern.fullmatch(value) for applies, pattern in listed):
        return "keep"
    if name in ("uri", "loTypeId", "qsTypeId", "csTypeId", "uniqueId", "minVer", "presId") and (
        value.startswith((*SPACES, "urn:microsoft.com/office/"))
        and " " not in value
        and value.isascii()
    ):
        return "keep"
    return "drop"


def _is_plain(value: str) -> bool:
    """Return whether a value consists of numbers and listed words alone."""
    if len(value) > _LONGEST:
        return False
    if _NUMBERS.fullmatch(value) or _HEX.fullmatch(value) or _GUID.fullmatch(value):
        return True
    if _CELLS.fullmatch(value):
        return True
    return all(
        not word or word in WORDS or _NUMBERS.fullmatch(word) or _HEX.fullmatch(word)
        for word in _SPLIT.split(value)
    )


def plain_number_format(code: str) -> str:
    """Return a number format without what a person wrote into it.

    >>> plain_number_format('0.0 "mg"'), plain_number_format("yyyy-mm-dd")
    ('General', 'yyyy-mm-dd')
    """
    if len(code) > _LONGEST:
        return "General"
    bare = _FORMAT_LITERAL.sub(lambda found: "" if len(found[1] or "") < 2 else "\0", code)
    return code if _FORMAT.fullmatch(bare) else "General"
