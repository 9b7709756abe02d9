"""OpenDocument texts: the body and the styles are cleaned and read; everything else is dropped."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from lxml import etree

from ....core.errors import LimitError
from ...limits import Limits
from ..files import RefusedFileError
from ..inspection import FileSummary
from ..office.attributes import judge_attribute
from ..office.font_names import STYLE_WORDS, USUAL_FONT, is_known_font
from ..office.package import BLANK_PICTURE
from ..office.parsing import has_document_type, parse
from ..office.walking import CollectedText
from ..office.zipped import ZipParts, write_zip
from .walking import MarkupFile, Walk, drop_element, unwrap_element

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["open_text"]

_TYPE = b"application/vnd.oasis.opendocument.text"
_ROOTS = {
    "content.xml": "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}document-content",
    "styles.xml": "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}document-styles",
}
"""The parts that are read, and their roots."""
_MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
_KNOWN = (
    "urn:oasis:names:tc:opendocument:xmlns:", "http://www.w3.org/", "http://purl.org/dc/elements/1.1/",
    "urn:org:documentfoundation:names:", "http://openoffice.org/", "http://www.openoffice.org/",
)  # fmt: skip
_GONE = {
    **dict.fromkeys(("tracked-changes", "change", "change-start", "change-end"), "tracked change"),
    **dict.fromkeys(("creator", "date-string", "creator-initials", "sender-initials"), "author"),
    **dict.fromkeys(("scripts", "event-listeners", "script"), "script"),
    **dict.fromkeys(("forms", "form"), "form field"),
    **dict.fromkeys(("object", "object-ole", "plugin", "applet", "floating-frame", "binary-data", "glue-point"),
                    "embedded object"),
    **dict.fromkeys(("dde-connection-decls", "dde-source", "variable-decls", "user-field-decls", "sequence-decls",
                     "database-next", "hidden-text", "hidden-paragraph", "alphabetical-index-auto-mark-file"),
                    "field"),
    **dict.fromkeys(("meta", "settings", "signature"), "metadata"),
}  # fmt: skip
_UNWRAPPED = frozenset(
    {
        "author-name", "author-initials", "initial-creator", "user-defined", "variable-get", "variable-set",
        "variable-input", "user-field-get", "user-field-input", "text-input", "placeholder",
        "conditional-text", "reference-ref", "bookmark-ref", "file-name", "template-name", "title", "subject",
        "keywords", "description", "date", "time", "expression", "sequence", "sequence-ref", "note-ref",
        "database-display", "database-name", "execute-macro", "measure", "table-formula", "sender-firstname",
        "sender-lastname", "sender-title", "sender-company", "sender-street", "sender-city", "sender-email",
        "print-date", "print-time", "creation-date", "creation-time", "modification-date", "printed-by",
        "modification-time", "editing-cycles", "editing-duration", "meta-field", "toc-mark", "bibliography-mark",
    }
)  # fmt: skip
_INLINE = frozenset(
    {
        "span", "a", "bookmark", "bookmark-start", "bookmark-end", "reference-mark", "reference-mark-start",
        "reference-mark-end", "soft-page-break", "ruby", "ruby-base", "ruby-text", "page-number", "page-count",
        "chapter", "note-citation", "sheet-name", "annotation-end", "s", "tab", "line-break",
    }
)  # fmt: skip
_DEFERRED = frozenset({"note", "annotation", "frame", "custom-shape", "rect", "g"})
_NAMES = re.compile(r"(?:.*-)?(?:style-name|page-name|layout-name|name)")
_FREE = frozenset({
    "value", "string-value", "date-value", "time-value", "boolean-value", "formula", "condition", "display-name",
    "title", "label", "id", "href", "key1", "key2", "description", "help-text", "text-content", "control",
})  # fmt: skip
_OWN_NAME = re.compile(
    r"(?:P|T|L|fr|gr|Sect|Table|dp|MP|MT|Mgr|Mfr|N|pm|Mpm|ML|S|n)\d*(?:\.[A-Z]{0,2}\d*)?"
)
_DEFAULT_NAMES = re.compile(
    r"Standard|Text_20_body(?:_20_indent)?|Heading(?:_20_\d+)?|List|Caption|Index|Header(?:_20_left)?|Footer|Footnote|"
    r"Endnote|Title|Subtitle|Quotations|Graphics|Frame|Contents_20_(?:Heading|\d+)|Table_20_(?:Contents|Heading)|"
    r"Internet_20_link|Visited_20_Internet_20_Link|Numbering_20_Symbols|Bullet_20_Symbols|Emphasis|Strong_20_Emphasis|"
    r"Footnote_20_(?:Symbol|anchor|Characters)|Endnote_20_(?:Symbol|anchor|Characters)|Outline|First_20_Page|"
    r"Preformatted_20_Text|Horizontal_20_Line|Default_20_Paragraph_20_Font|Page_20_Number|Default"
)
_WORD = re.compile(
    r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?: [a-z][a-z0-9]*(?:-[a-z0-9]+)*)*|[A-Z]{2}|none"
)
_NAMED_FONT = re.compile(r"font-(?:name|family)(?:-asian|-complex)?")
_FEATURES = re.compile(r":[a-z0-9=&\-]*+")
_LENGTHS = re.compile(
    r"(?:[-+]?[\d.]++(?:cm|in|mm|pt|px|em|%|\*|deg)?|#[0-9a-fA-F]{6}|solid|double|none|\s|,|:)++"
)
_SPACE = re.compile(r"(?:[a-z0-9][A-Za-z0-9.+\-]*+|XML\w*+|MathML|Math|[:/#])*+")
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")
_LINK, _PICTURE = "https://example.invalid/", "Pictures/blank.png"


def open_text(content: bytes, limits: Limits) -> MarkupFile:
    """Open an .odt file."""
    packed = ZipParts(content, limits)
    kind = packed.read("mimetype").strip() if "mimetype" in packed else b""
    if kind.removesuffix(b"-template") != _TYPE:  # a template is written as a text
        raise RefusedFileError("is damaged, or not of the kind that its name says")
    if "META-INF/manifest.xml" in packed and b"encryption-data" in packed.read(
        "META-INF/manifest.xml"
    ):
        raise RefusedFileError("is encrypted", "save it without a password.")
    dropped: Counter[str] = Counter()
    names: dict[str, str] = {}
    trees: dict[str, _Element] = {}
    for part, root in _ROOTS.items():
        if part not in packed:
            continue
        raw = packed.read(part)
        if len(raw) > limits.document_characters:
            hint = limits.hint("document_characters")
            raise RefusedFileError("has more text and markup than the limit of characters", hint, LimitError)  # fmt: skip
        trees[part] = parse(raw)
        if trees[part].tag != root:
            raise RefusedFileError("is damaged, or not of the kind that its name says")
        dropped["document type"] += has_document_type(trees[part])
        dropped["comment in the markup"] += raw.count(b"<!--")
        _clean(trees[part], dropped, names)
    if "content.xml" not in trees:
        raise RefusedFileError("is damaged: it has no content")
    kept = {"mimetype", "META-INF/manifest.xml", *trees}
    for name in packed.names:
        if name not in kept and not (name == _PICTURE and packed.read(name) == BLANK_PICTURE):
            dropped["picture" if name.startswith("Pictures/") else _word_for(name)] += 1
    if packed.has_comment:
        dropped["zip comment"] += 1
    collected = CollectedText()
    for part, tree in trees.items():
        walk = Walk(
            _INLINE, {"s": " ", "tab": "\t", "line-break": "\n"}, lambda *_: False,
            where="body" if part == "content.xml" else "header", deferred=_DEFERRED,
            lines=frozenset({"p", "h"}),
        )  # fmt: skip
        walk.read(collected, tree)
        collected.end_line()
    found = FileSummary("odt")
    found.places.update(collected.counts)
    found.dropped.update(+dropped)
    hidden = {"comment": _count(trees, "annotation"), "note": _count(trees, "note")}
    found.hidden.update({what: count for what, count in hidden.items() if count})
    return MarkupFile(
        collected.text, collected.segments, found, places=collected.places,
        serialise=lambda: _write(trees),
    )  # fmt: skip


def _count(trees: dict[str, _Element], name: str) -> int:
    return sum(1 for tree in trees.values() for _ in tree.iter(f"{{*}}{name}"))


def _word_for(name: str) -> str:
    if name.startswith("Thumbnails/"):
        return "thumbnail"
    if name in ("meta.xml", "settings.xml", "manifest.rdf"):
        return "properties"
    return "embedded object" if name.startswith("Object") else "unknown part"


def _clean(root: _Element, dropped: Counter[str], names: dict[str, str]) -> None:
    for element in list(root.iter()):
        space, _, name = element.tag[1:].partition("}")
        if element is root:
            pass
        elif name in _GONE or not _is_known(space) or _is_author(element, name):
            dropped[_GONE.get(name, "author" if name == "date" else "foreign markup")] += 1
            drop_element(element)
            continue
        elif name in _UNWRAPPED and space.endswith("text:1.0"):
            dropped["field"] += 1
            unwrap_element(element)
            continue
        for holder in ("text", "tail"):
            text = getattr(element, holder)
            if text and _UNSEEN.search(text):
                dropped["invisible character"] += 1
                setattr(element, holder, _UNSEEN.sub("", text))
        for key, value in list(element.attrib.items()):
            _clean_attribute(element, str(key), str(value), dropped, names)
    etree.cleanup_namespaces(root)


def _is_known(space: str) -> bool:
    return space.startswith(_KNOWN) and _SPACE.fullmatch(space) is not None


def _is_author(element: _Element, name: str) -> bool:
    parent = element.getparent()
    return name == "date" and parent is not None and parent.tag.endswith("}annotation")


def _clean_attribute(
    element: _Element, key: str, value: str, dropped: Counter[str], names: dict[str, str]
) -> None:
    space, _, name = key[1:].rpartition("}") if key[:1] == "{" else ("", "", key)
    if name == "href":
        target = _PICTURE if element.tag.endswith("}image") else _LINK
        dropped["link target"] += value != target
        element.set(key, target)
    elif "font" in name and not name.endswith("style-name"):
        _clean_font(element, key, name, value, dropped)
    elif _NAMES.fullmatch(name) and name not in _FREE:
        if element.tag.endswith("}font-face"):
            _clean_font(element, key, "font-name", value, dropped)
        elif not (_OWN_NAME.fullmatch(value) or _DEFAULT_NAMES.fullmatch(value) or not value):
            dropped["style name"] += 1
            element.set(key, names.setdefault(value, f"S{len(names) + 1000}"))
    elif name in _FREE or not _is_known(space) or not _is_plain(name, value):
        del element.attrib[key]
        dropped["attribute"] += 1


def _clean_font(element: _Element, key: str, name: str, value: str, dropped: Counter[str]) -> None:
    """Leave the names of fonts that are known, with their features, and everything that is a length or a listed word."""
    if _NAMED_FONT.fullmatch(name):
        if all(is_known_font(own) for own in _FEATURES.sub("", value).split(",")):
            return
        element.set(key, USUAL_FONT)
        dropped["name of a font"] += 1
    elif not (
        _LENGTHS.fullmatch(value)
        or _WORD.fullmatch(value)
        or STYLE_WORDS.issuperset(value.lower().split())
    ):
        del element.attrib[key]
        dropped["attribute"] += 1


def _is_plain(name: str, value: str) -> bool:
    """Return whether a value consists of lengths and listed words."""
    if name == "bullet-char" or value in ("onLoad", "onRequest"):
        return len(value) < 2 or name != "bullet-char"
    if judge_attribute("", name, "", value) == "keep":
        return True
    return all(_WORD.fullmatch(t) or _LENGTHS.fullmatch(t) for t in re.split(r"[\s(),]+", value) if t)  # fmt: skip


def _write(trees: dict[str, _Element]) -> bytes:
    entries = [("/", _TYPE.decode()), *((name, "text/xml") for name in trees), (_PICTURE, "image/png")]  # fmt: skip
    listed = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}"/>'
        for path, kind in entries
    )
    manifest = f'<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest xmlns:manifest="{_MANIFEST}" manifest:version="1.2">{listed}</manifest:manifest>'
    parts = [("mimetype", _TYPE)]
    parts += [
        (name, etree.tostring(tree, xml_declaration=True, encoding="UTF-8"))
        for name, tree in trees.items()
    ]
    parts += [(_PICTURE, BLANK_PICTURE), ("META-INF/manifest.xml", manifest.encode())]
    return write_zip(parts, stored="mimetype")
