"""The parts of an office file that are reached by relationships of listed kinds; all others are dropped.

Parts, relationships and content types are rewritten, under names made of their kind and number.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from ...limits import Limits
from ..files import RefusedFileError
from .attributes import is_office_space
from .parsing import parse
from .zipped import ZipParts, write_zip

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["BLANK_PICTURE", "OfficePart", "Package", "local"]

_KEPT = {
    "officeDocument": "document", "styles": "styles", "theme": "theme", "themeOverride": "themeOverride",
    "fontTable": "fontTable", "numbering": "numbering", "settings": "settings",
    "header": "header", "footer": "footer", "footnotes": "footnotes", "endnotes": "endnotes",
    "comments": "comments", "image": "image", "hyperlink": "hyperlink",
    "chart": "chart", "chartUserShapes": "chartUserShapes", "diagramData": "diagramData",
    "diagramLayout": "diagramLayout", "diagramQuickStyle": "diagramQuickStyle",
    "diagramColors": "diagramColors", "diagramDrawing": "diagramDrawing",
    "slide": "slide", "slideLayout": "slideLayout", "slideMaster": "slideMaster",
    "notesSlide": "notesSlide", "notesMaster": "notesMaster", "handoutMaster": "handoutMaster",
    "presProps": "presProps", "viewProps": "viewProps", "tableStyles": "tableStyles",
    "commentAuthors": "commentAuthors",
    "worksheet": "worksheet", "chartsheet": "chartsheet", "sharedStrings": "sharedStrings",
    "drawing": "drawing", "vmlDrawing": "vmlDrawing",
}  # fmt: skip
"""Kinds of relationships, by the last word of their type, that are followed; the kind of the part each leads to."""
_TYPES = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/",
    "http://purl.oclc.org/ooxml/officeDocument/relationships/",
    "http://schemas.microsoft.com/office/2007/relationships/",
    "http://schemas.microsoft.com/office/2011/relationships/",
)
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_CONTENT = "http://schemas.openxmlformats.org/package/2006/content-types"
_REFERENCES = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}",
)
_KNOWN_CONTENT = re.compile(
    r"application/xml|application/vnd\.(?:openxmlformats-officedocument|ms-(?:word|excel|powerpoint|office))(?:[.+-](?:"
    r"addin|binary|chart|chartshapes|chartsheet|commentAuthors|comments|diagram(?:Colors|Data|Drawing|Layout|Style)|document|"
    r"drawing|drawingml|endnotes|fontTable|footer|footnotes|handoutMaster|header|macroEnabled|macroEnabledTemplate|main|"
    r"notesMaster|notesSlide|numbering|presProps|presentation|presentationml|settings|sharedStrings|sheet|slide|slideLayout|"
    r"slideMaster|slideshow|spreadsheetml|styles|tableStyles|template|theme|themeOverride|viewProps|vmlDrawing|"
    r"wordprocessingml|worksheet|xml))*"
)
"""Types of the content of parts that stay."""
_FOLDERS = {"wordprocessingml": "word", "spreadsheetml": "xl", "presentationml": "ppt"}
_MAIN_NAMES = {"word": "document", "xl": "workbook", "ppt": "presentation"}
_OTHER_KIND = "is damaged, or not of the kind that its name says"
_INSIDE = {
    "styles": "styles", "settings": "settings", "fontTable": "fontTable", "numbering": "numbering",
    "footnotes": "footnotes", "endnotes": "endnotes", "presProps": "presProps", "viewProps": "viewProps",
    "tableStyles": "tableStyles", "commentAuthors": "commentAuthors", "theme": "theme/theme{}",
    "themeOverride": "theme/themeOverride{}", "image": "media/image{}", "chart": "charts/chart{}",
    "chartUserShapes": "drawings/chartDrawing{}", "diagramData": "diagrams/data{}",
    "diagramLayout": "diagrams/layout{}", "diagramQuickStyle": "diagrams/quickStyle{}",
    "diagramColors": "diagrams/colors{}", "diagramDrawing": "diagrams/drawing{}", "slide": "slides/slide{}",
    "slideLayout": "slideLayouts/slideLayout{}", "slideMaster": "slideMasters/slideMaster{}",
    "notesSlide": "notesSlides/notesSlide{}", "notesMaster": "notesMasters/notesMaster{}",
    "handoutMaster": "handoutMasters/handoutMaster{}", "worksheet": "worksheets/sheet{}",
    "chartsheet": "chartsheets/sheet{}", "sharedStrings": "sharedStrings", "drawing": "drawings/drawing{}",
    "vmlDrawing": "drawings/vmlDrawing{}",
}  # fmt: skip
_ROOTS = {
    "styles": ("styles", "styleSheet"), "theme": ("theme",), "themeOverride": ("themeOverride",), "fontTable": ("fonts",),
    "numbering": ("numbering",), "settings": ("settings",), "header": ("hdr",), "footer": ("ftr",), "footnotes": ("footnotes",),
    "endnotes": ("endnotes",), "comments": ("comments", "cmLst"), "chart": ("chartSpace",), "chartUserShapes": ("userShapes",),
    "diagramData": ("dataModel",), "diagramLayout": ("layoutDef",), "diagramQuickStyle": ("styleDef",),
    "diagramColors": ("colorsDef",), "diagramDrawing": ("drawing",), "slide": ("sld",), "slideLayout": ("sldLayout",),
    "slideMaster": ("sldMaster",), "notesSlide": ("notes",), "notesMaster": ("notesMaster",), "handoutMaster": ("handoutMaster",),
    "presProps": ("presentationPr",), "viewProps": ("viewPr",), "tableStyles": ("tblStyleLst",), "commentAuthors": ("cmAuthorLst",),
    "worksheet": ("worksheet",), "chartsheet": ("chartsheet",), "sharedStrings": ("sst",), "drawing": ("wsDr",),
}  # fmt: skip
"""The roots of parts, by their kind."""
_ALONE = frozenset({"hyperlink", "pageSetup"})
"""Elements that mean something without the part that they refer to."""
_LINK = "https://example.invalid/"
BLANK_PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415478da63b87bf72e0005320298fdf029230000000049454e44ae426082"
)
"""One light pixel, the replacement of every picture."""


def local(element: _Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


@dataclass(frozen=True)
class _Link:
    """A relationship as it was written."""

    id: str
    kind: str
    type: str
    target: str
    is_known: bool
    outside: bool

    def is_kept(self, *, of_root: bool) -> bool:
        listed = self.is_known and not self.outside and self.kind in _KEPT
        return listed and (self.kind == "officeDocument") == of_root

    def path_from(self, folder: str) -> str:
        if self.target[:1] == "/":
            return self.target[1:]
        return posixpath.normpath(posixpath.join(folder, self.target))


@dataclass
class Relation:
    """A relationship of a part, under its new id."""

    id: str
    type: str
    target: OfficePart | None


@dataclass
class OfficePart:
    """A part that stays: its kind, its tree (None for pictures), its relationships by their old ids."""

    name: str
    kind: str
    content_type: str
    tree: _Element | None
    new_name: str = ""
    relations: dict[str, Relation] = field(default_factory=dict)


class Package:
    """An office file with the parts that stay.

    Parameters
    ----------
    content : bytes
        The file.
    limits : Limits
        How large it may be.
    main : str
        What the content type of its main part must hold, such as "wordprocessingml".

    """

    def __init__(self, content: bytes, limits: Limits, main: str) -> None:
        self.zip = ZipParts(content, limits)
        self.dropped: Counter[str] = Counter()
        self.hidden: Counter[str] = Counter()
        self._left = limits.document_characters
        self._types = self._content_types()
        self._roots: dict[str, Relation] = {}
        self.parts: list[OfficePart] = []
        self._main = main
        self._reach(main)
        self._number()
        if self.zip.has_comment:
            self.dropped["zip comment"] += 1

    # --- reading ---------------------------------------------------------------------------------

    def _content_types(self) -> dict[str, str]:
        if "[Content_Types].xml" not in self.zip:
            raise RefusedFileError("is damaged or no Office file")
        found = {}
        for entry in self._tree("[Content_Types].xml"):
            key = entry.get("PartName") or "." + str(entry.get("Extension", "")).lower()
            found[key.lower()] = entry.get("ContentType") or ""
        return found

    def _tree(self, name: str, *, tolerant: bool = False) -> _Element:
        content = self.zip.read(name)
        self._left -= len(content)
        if self._left < 0:
            raise RefusedFileError("has more text and markup than the limit of characters",
                                   "raise it: --limit document_characters=….")  # fmt: skip
        return parse(content, tolerant=tolerant)

    def _type_of(self, name: str) -> str:
        found = self._types.get(f"/{name}".lower()) or self._types.get(
            posixpath.splitext(name)[1].lower(), ""
        )
        return found if _KNOWN_CONTENT.fullmatch(found) else "application/xml"

    def _relations_of(self, name: str) -> Iterator[_Link]:
        """Yield the relationships of a part as they were written."""
        folder, base = posixpath.split(name)
        path = posixpath.join(folder, "_rels", f"{base}.rels")
        if path not in self.zip:
            return
        for entry in self._tree(path):
            type = str(entry.get("Type", ""))
            base, _, kind = type.rpartition("/")
            yield _Link(
                entry.get("Id") or "", kind, type, entry.get("Target") or "",
                is_known=f"{base}/" in _TYPES, outside=entry.get("TargetMode") == "External",
            )  # fmt: skip

    def _reach(self, main: str) -> None:
        """Follow relationships from the root, and note what no listed one leads to."""
        known: dict[str, OfficePart] = {}
        queue: list[OfficePart | None] = [None]
        read = {"[Content_Types].xml"}
        for part in queue:
            own = self._roots if part is None else part.relations
            name = "" if part is None else part.name
            folder, base = posixpath.split(name)
            read.add(posixpath.join(folder, "_rels", f"{base}.rels"))
            for link in self._relations_of(name):
                new = f"rId{len(own) + 1}"
                if link.outside and link.kind == "hyperlink" and link.is_known and part is not None:
                    self.dropped["link target"] += link.target != _LINK
                    own[link.id] = Relation(new, link.type, None)
                    continue
                path = link.path_from(folder)
                if not link.is_kept(of_root=part is None) or path not in self.zip:
                    self.dropped["external part" if link.outside else _WORDS.get(link.kind, "unknown part")] += 1  # fmt: skip
                    continue
                if path not in known:
                    known[path] = found = self._part(path, _KEPT[link.kind])
                    queue.append(found)
                own[link.id] = Relation(new, link.type, known[path])
        if len(self._roots) != 1 or main not in self._type_of(next(iter(known), "")):
            raise RefusedFileError(_OTHER_KIND)
        self.parts = list(known.values())
        self._check_roots(_MAIN_NAMES[_FOLDERS[main]])
        self.dropped["unknown part"] += sum(1 for n in self.zip.names if n not in known and n not in read)  # fmt: skip
        self.dropped += Counter()  # without zeros

    def _check_roots(self, main: str) -> None:
        """Drop the parts whose root is of no office file, or of another kind; the main part has to be one."""
        wrong = []
        for part in self.parts:
            tag = "" if part.tree is None else part.tree.tag
            space = tag[1:].partition("}")[0] if tag[:1] == "{" else ""
            is_main = part is self.parts[0]
            if (part.tree is None and not is_main) or part.kind == "vmlDrawing":
                continue
            roots = (main,) if is_main else _ROOTS.get(part.kind, ())
            if is_office_space(space) and tag.rpartition("}")[2] in roots:
                continue
            if is_main:
                raise RefusedFileError(_OTHER_KIND)
            wrong.append(part)
        if wrong:
            self.drop(*wrong)
            self.dropped["unknown part"] += len(wrong)

    def _part(self, path: str, kind: str) -> OfficePart:
        if kind == "image":
            content = self.zip.read(path)
            self.dropped["picture"] += content != BLANK_PICTURE
            return OfficePart(path, kind, "image/png", None)
        return OfficePart(path, kind, self._type_of(path), self._tree(path, tolerant=kind == "vmlDrawing"))  # fmt: skip

    def _number(self) -> None:
        counts: Counter[str] = Counter()
        folder = _FOLDERS[self._main]
        for part in self.parts:
            counts[part.kind] += 1
            part.new_name = _name_of(part.kind, folder, counts[part.kind])
            if "macroEnabled" in part.content_type:
                part.content_type = _without_macros(part.content_type)
        for part in self.parts:
            self._refer(part)

    def _refer(self, part: OfficePart) -> None:
        """Put new ids into the references of a tree; an element whose part was removed is removed too."""
        if part.tree is None:
            return
        for element in list(part.tree.iter()):
            for name, value in element.attrib.items():
                name, value = str(name), str(value)
                if not name.startswith(_REFERENCES):
                    continue
                relation = part.relations.get(value)
                if relation is not None:
                    element.set(name, relation.id)
                    continue
                parent = element.getparent()
                if name.endswith("}id") and local(element) not in _ALONE and parent is not None and value:  # fmt: skip
                    parent.remove(element)
                    break
                del element.attrib[name]

    # --- writing ---------------------------------------------------------------------------------

    def drop(self, *parts: OfficePart) -> None:
        """Leave out parts that are no longer needed, what refers to them, and what they alone lead to."""
        dropped = {id(part) for part in parts}
        for other in self.parts:
            gone = [key for key, found in other.relations.items() if id(found.target) in dropped]
            for key in gone:
                del other.relations[key]
        queue = [relation.target for relation in self._roots.values()]
        reached = set[int]()
        for own in queue:  # which grows
            if own is not None and id(own) not in reached:
                reached.add(id(own))
                queue += [relation.target for relation in own.relations.values()]
        self.parts = [own for own in self.parts if id(own) in reached]

    def to_bytes(self) -> bytes:
        """Return the file, written anew."""
        return write_zip(self._all_parts())

    def _all_parts(self) -> Iterator[tuple[str, bytes]]:
        types = etree.fromstring(f'<Types xmlns="{_CONTENT}"/>')
        for suffix, type in (("rels", "application/vnd.openxmlformats-package.relationships+xml"),
                             ("xml", "application/xml"), ("png", "image/png")):  # fmt: skip
            etree.SubElement(types, f"{{{_CONTENT}}}Default", Extension=suffix, ContentType=type)
        for part in self.parts:
            if part.kind != "image":
                etree.SubElement(types, f"{{{_CONTENT}}}Override", PartName=f"/{part.new_name}",
                                 ContentType=part.content_type)  # fmt: skip
        yield "[Content_Types].xml", _serialise(types)
        yield "_rels/.rels", self._relations("", self._roots)
        for part in self.parts:
            content = BLANK_PICTURE if part.tree is None else _serialise(part.tree)
            yield part.new_name, content
            if part.relations:
                folder, base = posixpath.split(part.new_name)
                yield f"{folder}/_rels/{base}.rels", self._relations(folder, part.relations)

    def _relations(self, folder: str, relations: dict[str, Relation]) -> bytes:
        root = etree.fromstring(f'<Relationships xmlns="{_RELATIONS}"/>')
        for relation in relations.values():
            own = {"Id": relation.id, "Type": relation.type}
            if relation.target is None:
                own |= {"Target": _LINK, "TargetMode": "External"}
            else:
                own["Target"] = posixpath.relpath(relation.target.new_name, folder or ".")
            etree.SubElement(root, f"{{{_RELATIONS}}}Relationship", attrib=own)
        return _serialise(root)


def _name_of(kind: str, folder: str, number: int) -> str:
    """Return the name that other programs give to a part, some of which look for no other."""
    if kind == "document":
        return f"{folder}/{_MAIN_NAMES[folder]}.xml"
    suffix = {"image": "png", "vmlDrawing": "vml"}.get(kind, "xml")
    inside = _INSIDE.get(kind)
    if kind == "comments":
        inside = {"word": "comments", "xl": "comments{}", "ppt": "comments/comment{}"}[folder]
    pattern = inside or f"{kind}{{}}"
    if "{}" not in pattern and number > 1:  # of which there should be one
        pattern += "{}"
    return f"{folder}/{pattern.format(number)}.{suffix}"


def _serialise(root: _Element) -> bytes:
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def _without_macros(type: str) -> str:
    kind = "presentationml.presentation" if "powerpoint" in type else (
        "spreadsheetml.sheet" if "excel" in type else "wordprocessingml.document"
    )  # fmt: skip
    return f"application/vnd.openxmlformats-officedocument.{kind}.main+xml"


_WORDS = {
    "customXml": "custom XML", "core-properties": "properties", "extended-properties": "properties",
    "custom-properties": "properties", "metadata/core-properties": "properties", "thumbnail": "thumbnail",
    "glossaryDocument": "glossary", "oleObject": "embedded object", "package": "embedded file",
    "people": "people", "commentsExtended": "comment threads", "commentsIds": "comment threads",
    "commentsExtensible": "comment threads", "printerSettings": "printer settings",
    "vbaProject": "macros", "attachedTemplate": "template", "pivotCacheDefinition": "pivot cache",
    "pivotTable": "pivot table", "externalLink": "external link", "connections": "connection",
    "queryTable": "query", "control": "control", "aFChunk": "embedded file", "subDocument": "embedded file",
    "audio": "sound", "video": "film", "media": "film", "font": "embedded font", "table": "table definition",
    "webSettings": "web settings", "calcChain": "calculation order", "tags": "tags",
    "stylesWithEffects": "styles of older versions", "chartStyle": "chart style",
    "chartColorStyle": "chart style", "threadedComment": "comment threads", "person": "people",
    "digital-signature": "signature", "origin": "signature",
}  # fmt: skip
