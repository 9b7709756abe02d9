"""CFF programs (Type 1C and CID-keyed): only the glyphs that are still used, in an order that reveals nothing."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence

from fontTools import cffLib
from fontTools.cffLib.transforms import desubroutinize
from fontTools.ttLib import TTFont

from .encodings import STANDARD
from .refusal import PageRefusedError

__all__ = ["CompactFont"]

_DEFAULT_MATRIX = [0.001, 0, 0, 0.001, 0, 0]
_NOTICES = ("Notice", "Copyright", "FullName", "FamilyName", "UniqueID", "XUID", "version")


class CompactFont:
    """A CFF program that can be asked for its glyphs and written with fewer of them.

    Parameters
    ----------
    program : bytes
        The program, bare or in an OpenType file.

    """

    def __init__(self, program: bytes) -> None:
        if program[:4] in (b"OTTO", b"\0\1\0\0", b"true"):
            opened = TTFont(io.BytesIO(program))
            if "CFF " not in opened:
                raise PageRefusedError("an OpenType font without CFF outlines")
            program = opened.reader["CFF "]
        self.font = cffLib.CFFFontSet()
        self.font.decompile(io.BytesIO(program), None)
        desubroutinize(self.font)
        self.top = self.font[self.font.fontNames[0]]
        self.order: list[str] = list(self.top.charset)
        self.has_cids = bool(self.top.rawDict.get("ROS"))

    def builtin(self) -> dict[int, str]:
        """Return the encoding of the font itself."""
        encoding = self.top.Encoding
        if isinstance(encoding, str):
            encoding = STANDARD if encoding == "StandardEncoding" else []
        return {i: n for i, n in enumerate(encoding) if n and n != ".notdef"}

    def has(self, name: str) -> bool:
        """Return whether there is a glyph of this name."""
        return name in self.top.CharStrings.charStrings

    def of_cid(self, cid: int) -> str:
        """Return the glyph of a CID, or that of a missing one."""
        if self.has_cids:
            name = f"cid{cid:05d}" if cid else self.order[0]
        else:
            name = self.order[cid] if cid < len(self.order) else self.order[0]
        return name if self.has(name) else self.order[0]

    def outline_hash(self, name: str) -> str:
        """Return a hash of a glyph's outline."""
        drawing = self.top.CharStrings[name]
        drawing.decompile()
        return hashlib.sha256(repr(drawing.program).encode()).hexdigest()

    def rebuild(self, names: Sequence[str], renames: Mapping[str, str] | None = None) -> bytes:
        """Return the program with these glyphs, in this order, under other names where given."""
        top, strings = self.top, self.top.CharStrings
        place = {name: i for i, name in enumerate(self.order)}
        kept = [self.order[0], *(n for n in names if n != self.order[0])]
        selected = None
        select = getattr(top, "FDSelect", None)
        if select is not None:
            array = getattr(select, "gidArray", select)
            selected = [array[place[name]] for name in kept]
        drawings = {}
        for name in kept:
            if name not in strings.charStrings:
                raise PageRefusedError("a glyph that is not in its font")
            drawing, _ = strings.getItemAndSelector(name)
            drawing.decompile()
            drawings[(renames or {}).get(name, name)] = drawing
        strings.charStrings = drawings
        strings.charStringsAreIndexed = 0
        top.charset = list(drawings)
        if select is not None and selected is not None:
            select.gidArray = selected
            select.format = select.format if getattr(select, "format", 0) in (0, 3) else 0
        self._clean_dictionaries()
        if self.has_cids:
            top.CIDCount = max((int(n[3:]) for n in drawings if n.startswith("cid")), default=0) + 1
        else:
            top.Encoding = "StandardEncoding"
        self.font.fontNames = ["A"]
        self.font.major, self.font.minor = 1, 0
        self.font.otFont = TTFont()
        out = io.BytesIO()
        self.font.compile(out, self.font.otFont, isCFF2=False)
        return out.getvalue()

    def _clean_dictionaries(self) -> None:
        top = self.top
        for inner in getattr(top, "FDArray", None) or ():
            # A compiled top dictionary drops the default matrix; an identity below it would scale by 1000.
            if list(inner.rawDict.get("FontMatrix", [])) == [1, 0, 0, 1, 0, 0]:
                if list(top.rawDict.get("FontMatrix", _DEFAULT_MATRIX)) != _DEFAULT_MATRIX:
                    raise PageRefusedError("a font with two matrices")
                inner.FontMatrix = _DEFAULT_MATRIX
            if "FontName" in inner.rawDict:
                inner.FontName = "A"
        for key in _NOTICES:
            top.rawDict.pop(key, None)
            top.__dict__.pop(key, None)
