"""What pages use is cleaned by what it is used as: an object in a place where no viewer looks for it goes.

In addition to the lists of keys this says what may stand behind each key: a resource of another kind, a stream where a
dictionary belongs, a program with a comment, or bytes after the last sample of a function are seen on no page, and
nobody would read them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from . import keys
from .colours import ColourCleaner

__all__ = ["clean_roles"]

_DEPTH = 24
_COMMENT = re.compile(rb"(\((?:[^()\\]++|\\.)*+\))|%[^\r\n]*+", re.DOTALL)
_PREDEFINED = re.compile(r"/(?:H|V|[A-Za-z0-9]+(?:-[A-Za-z0-9]+){0,3}-[HV])\Z")


def clean_roles(pdf: pikepdf.Pdf) -> bool:
    """Clean what the pages of a file reach; return whether there was something in a wrong place."""
    roles = _Roles()
    for page in pdf.pages:
        roles.page(page.obj)
    for node in _nodes(pdf.Root.get("/Pages"), 0):
        if "/Resources" in node:
            roles.resources(node)
    return roles.changed


def _nodes(node: Object | None, depth: int) -> list[Object]:
    """Return the nodes of the tree of pages that are not pages."""
    if not isinstance(node, Dictionary) or "/Kids" not in node or depth > _DEPTH:
        return []
    kids = node["/Kids"]
    inner = list(kids) if isinstance(kids, Array) else []
    return [node, *(found for kid in inner for found in _nodes(kid, depth + 1))]


class _Roles(ColourCleaner):
    """Cleans pages and what they use."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self._kinds: dict[str, Callable[[Object], bool]] = {
            "/ExtGState": self.state, "/ColorSpace": self.colour, "/Pattern": self.pattern,
            "/Shading": self.shading, "/XObject": self.drawing, "/Font": self.font,
            "/Properties": self.properties, "/ProcSet": lambda value: isinstance(value, Name) and str(value) in keys.PROCEDURES,
        }  # fmt: skip

    # --- pages -----------------------------------------------------------------------------------

    def page(self, page: Object) -> None:
        """Clean a page."""
        contents = page.get("/Contents")
        for one in list(contents) if isinstance(contents, Array) else [contents]:
            if isinstance(one, Stream):
                self.stream(one)
        self.resources(page)
        self.only(page, "/Group", self.group)

    def resources(self, holder: Object) -> None:
        """Clean the resources of a page, a form, a pattern or a font."""
        found = holder.get("/Resources")
        if found is None:
            return
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            self.drop(holder, "/Resources")
        elif self.depth < _DEPTH:
            self.depth += 1
            self.once("resources", found, self._listed)
            self.depth -= 1

    def _listed(self, resources: Object) -> bool:
        self.keep(resources, keys.RESOURCES)
        for kind, clean in self._kinds.items():
            listed = resources.get(kind)
            if kind == "/ProcSet":
                if listed is not None and not (isinstance(listed, Array) and all(map(clean, listed))):  # fmt: skip
                    self.drop(resources, kind)
            elif isinstance(listed, Dictionary) and not isinstance(listed, Stream):
                for name in list(listed.keys()):
                    self.only(listed, name, lambda v, k=kind, c=clean: self.once(k, v, c))  # type: ignore[misc]
            elif listed is not None:
                self.drop(resources, kind)
        return True

    def properties(self, found: Object) -> bool:
        """Clean what marked content refers to: a layer, or a choice of layers; all else becomes empty."""
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            return False
        if found.get("/Type") == Name.OCMD:
            self.keep(found, keys.CHOICE)
        elif found.get("/Type") != Name.OCG:
            self.keep(found, frozenset())
        return True

    def group(self, found: Object) -> bool:
        """Clean the group of a page or a form."""
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            return False
        self.keep(found, keys.GROUP)
        self.only(found, "/CS", self.colour)
        return True

    # --- what is drawn ---------------------------------------------------------------------------

    def drawing(self, found: Object) -> bool:
        """Clean a form or a picture."""
        if not isinstance(found, Stream):
            return False
        if found.get("/Subtype") == Name.Image:
            return self.image(found)
        if found.get("/Subtype") != Name.Form:
            return False
        self.keep(found, keys.FORM)
        self.resources(found)
        self.only(found, "/Group", self.group)
        self.only(found, "/OC", self.properties)
        return True

    def image(self, found: Object) -> bool:
        """Clean a picture, and the one that says which parts of it are seen."""
        if not isinstance(found, Stream):
            return False
        if found.get("/Subtype") != Name.Image:
            found["/Subtype"] = Name.Image
        self.keep(found, keys.IMAGE)
        if isinstance(found.get("/ColorSpace"), Object):
            self.only(found, "/ColorSpace", self.colour)
        for key in ("/SMask", "/Mask"):
            if isinstance(found.get(key), Stream):
                self.only(found, key, lambda value: self.once("image", value, self.image))
            elif not isinstance(found.get(key), Array | None):
                self.drop(found, key)
        self.only(found, "/OC", self.properties)
        return True

    def pattern(self, found: Object) -> bool:
        """Clean a pattern: one that is drawn again and again, or a shading."""
        kind = found.get("/PatternType") if isinstance(found, Dictionary | Stream) else None
        if kind == 1 and isinstance(found, Stream):
            self.keep(found, keys.PATTERN)
            self.resources(found)
            return True
        if kind != 2 or isinstance(found, Stream):
            return False
        self.keep(found, keys.PATTERN)
        self.only(found, "/Shading", lambda value: self.once("/Shading", value, self.shading))
        self.only(found, "/ExtGState", lambda value: self.once("/ExtGState", value, self.state))
        return True

    def shading(self, found: Object) -> bool:
        """Clean a shading; that of a mesh is a stream of numbers."""
        kind = found.get("/ShadingType") if isinstance(found, Dictionary | Stream) else None
        if kind not in range(1, 8):
            return False
        self.keep(found, keys.SHADING)
        if isinstance(found, Stream) and kind in (1, 2, 3) and found.read_raw_bytes():
            self.rewrite(found, b"")
        self.only(found, "/ColorSpace", self.colour)
        self.only(found, "/Function", self.function)
        return True

    def state(self, found: Object) -> bool:
        """Clean a state of graphics."""
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            return False
        self.keep(found, keys.GRAPHICS_STATE)
        self.drop(found, "/HT")  # rasters of printers
        for key in list(found.keys()):
            value: object = found[key]
            if not isinstance(value, Object):
                continue
            if key in keys.TRANSFERS:
                self.only(found, key, self.transfer)
            elif key == "/SMask":
                self.only(found, key, self.mask)
            elif key == "/Font":
                self.only(found, key, self._font_and_size)
            elif key in ("/BM", "/RI", "/Type"):
                self.only(found, key, _is_known)
            else:
                self.drop(found, key)
        return True

    def _font_and_size(self, value: Object) -> bool:
        if not isinstance(value, Array) or len(value) != 2:
            return False
        size: object = value[1]
        if isinstance(size, Object):
            return False
        return isinstance(value[0], Dictionary) and self.once("/Font", value[0], self.font)

    def transfer(self, value: Object) -> bool:
        """Clean what changes colours on their way to a device."""
        if isinstance(value, Name):
            return _is_known(value)
        if isinstance(value, Array):
            return all(isinstance(one, Object) and self.transfer(one) for one in value)
        return self.function(value)

    def mask(self, value: Object) -> bool:
        """Clean what says how much of a drawing is seen."""
        if isinstance(value, Name):
            return str(value) == "/None"
        if not isinstance(value, Dictionary) or isinstance(value, Stream):
            return False
        form = value.get("/G")
        if not isinstance(form, Stream) or form.get("/Subtype") != Name.Form:
            return False
        self.keep(value, keys.MASK)
        self.only(value, "/TR", self.transfer)
        return self.once("/XObject", form, self.drawing)

    # --- fonts -----------------------------------------------------------------------------------

    def font(self, found: Object) -> bool:
        """Clean a font."""
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            return False
        subtype = str(found.get("/Subtype"))
        found["/Type"] = Name.Font
        self.keep(found, keys.FONT)
        if subtype not in keys.FONTS:
            found["/Subtype"] = Name.Type1  # as viewers take it
        if subtype == "/Type3":
            self.resources(found)
            self.only(found, "/CharProcs", self._drawings)
        else:
            self.drop(found, "/CharProcs")
            self.drop(found, "/Resources")
        self._encoding(found, subtype)
        if subtype == "/Type0":
            self.only(found, "/DescendantFonts", self._descendants)
        else:
            self.drop(found, "/DescendantFonts")
        places = found.get("/CIDToGIDMap")
        if not (places == Name.Identity or (subtype == "/CIDFontType2" and isinstance(places, Object) and self.stream(places))):  # fmt: skip
            self.drop(found, "/CIDToGIDMap")
        self.only(found, "/ToUnicode", lambda value: isinstance(value, Name) or self.stream(value, "/Type", "/CMapName", "/CIDSystemInfo", "/UseCMap", "/WMode"))  # fmt: skip
        self.only(found, "/CIDSystemInfo", self._collection)
        self.only(found, "/FontDescriptor", lambda value: self.once("descriptor", value, self._descriptor))  # fmt: skip
        return True

    def _drawings(self, found: Object) -> bool:
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            return False
        for name in list(found.keys()):
            self.only(found, name, self.stream)
        return True

    def _descendants(self, found: Object) -> bool:
        return isinstance(found, Array) and len(found) == 1 and isinstance(found[0], Object) and self.once("/Font", found[0], self.font)  # fmt: skip

    def _collection(self, found: Object) -> bool:
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            return False
        self.keep(found, keys.COLLECTION | {"/Supplement"})
        return True

    def _encoding(self, font: Object, subtype: str) -> None:
        """Clean which codes mean which letters: a name, a list of differences, or a program."""
        value = font.get("/Encoding")
        if isinstance(value, Name):
            if not (_is_known(value) or (subtype == "/Type0" and _PREDEFINED.match(str(value)))):
                self.drop(font, "/Encoding")
        elif isinstance(value, Stream) and subtype == "/Type0":
            self.keep(value, keys.STREAM | keys.CODES)
            content = self.unpacked(value)
            if b"%" in content:
                plain = _COMMENT.sub(lambda match: match[1] or b"", content)
                if plain != content:
                    self.rewrite(value, plain)
        elif isinstance(value, Dictionary) and not isinstance(value, Stream):
            self.keep(value, frozenset({"/Type", "/BaseEncoding", "/Differences"}))
            self.only(value, "/BaseEncoding", _is_known)
        elif value is not None:
            self.drop(font, "/Encoding")

    def _descriptor(self, found: Object) -> bool:
        if not isinstance(found, Dictionary) or isinstance(found, Stream):
            return False
        found["/Type"] = Name.FontDescriptor
        self.keep(found, keys.DESCRIPTOR)
        for key in ("/FontFile", "/FontFile2", "/FontFile3"):
            self.only(found, key, lambda value: self.stream(value, "/Length1", "/Length2", "/Length3", "/Subtype"))  # fmt: skip
        self.only(found, "/CIDSet", self.stream)
        return True


def _is_known(value: Object) -> bool:
    """Return whether a name, or each of several, is one that the standard lists."""
    if isinstance(value, Array):
        return all(isinstance(one, Name) and str(one) in keys.NAMES for one in value)
    return isinstance(value, Name) and str(value) in keys.NAMES
