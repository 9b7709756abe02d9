"""TrueType programs: only the glyphs that are still used, in an order that reveals nothing."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence

from fontTools.encodings import MacRoman
from fontTools.ttLib import TTFont, newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from pikepdf import Dictionary, Object

from .encodings import glyph_names, unicode_of_name
from .refusal import PageRefusedError

__all__ = ["TrueTypeProgram", "has_program"]

_TABLES = ("GlyphOrder", "head", "hhea", "maxp", "loca", "glyf", "hmtx", "cvt ", "fpgm", "prep")
_SYMBOLIC = 4


class TrueTypeProgram:
    """A TrueType program that can be asked for its glyphs, and written once with fewer of them.

    Parameters
    ----------
    program : bytes
        The font as it is in the file.

    """

    def __init__(self, program: bytes) -> None:
        self._program = program
        self.font = TTFont(io.BytesIO(program), recalcBBoxes=False, recalcTimestamp=False)
        if "glyf" not in self.font:
            raise PageRefusedError("a TrueType font without outlines")
        # Numbers for names: fontTools would make names from a map of perhaps 65,000 characters.
        self.order = [f"glyph{i:05d}" for i in range(self.font["maxp"].numGlyphs)]
        self.font.setGlyphOrder(self.order)

    def glyph_hashes(self, glyphs: Iterable[int]) -> dict[int, str]:
        """Return a hash of the outline of each glyph; "" for one beyond the font."""
        order, outlines = self.order, self.font["glyf"]
        return {
            g: hashlib.sha256(outlines[order[g]].compile(outlines, recalcBBoxes=False)).hexdigest()
            if g < len(order)
            else ""
            for g in set(glyphs)
        }

    def look_up(self, font: Object, codes: Iterable[int]) -> dict[int, int]:
        """Return the glyph of each code of a simple font, after ISO 32000, 9.6.6.4."""
        maps: dict[tuple[int, int], Mapping[int, str]] = {}
        if "cmap" in self.font:
            maps = {(t.platformID, t.platEncID): t.cmap for t in self.font["cmap"].tables}
        numbers = {name: i for i, name in enumerate(self.order)}
        names = glyph_names(font)
        flags = int(font["/FontDescriptor"].get("/Flags", _SYMBOLIC))
        symbolic = bool(flags & _SYMBOLIC) or names is None
        windows, symbols, mac = maps.get((3, 1)), maps.get((3, 0)), maps.get((1, 0))
        found: dict[int, int] = {}
        for code in codes:
            name = (names or {}).get(code)
            glyph: str | None = None
            letters = unicode_of_name(name) if name else ""
            if not symbolic and name:
                if windows is not None and letters:
                    glyph = windows.get(ord(letters[0]))
                if glyph is None and mac is not None and name in MacRoman.MacRoman:
                    glyph = mac.get(MacRoman.MacRoman.index(name))
                if glyph is None:
                    glyph = self._by_name(name)
            if glyph is None and symbols is not None:
                glyph = (
                    symbols.get(0xF000 + code) or symbols.get(code) or symbols.get(0xF100 + code)
                )
            if glyph is None and mac is not None:
                glyph = mac.get(code)
            if glyph is None and windows is not None:
                glyph = (windows.get(ord(letters[0])) if letters else None) or windows.get(code)
            if glyph is None and not maps:
                glyph = self.order[code] if code < len(self.order) else None
            found[code] = numbers[glyph] if glyph is not None else 0
        return found

    def _by_name(self, name: str) -> str | None:
        """Return a glyph by the name that the font itself gives it."""
        if self._names is None:
            real = TTFont(io.BytesIO(self._program)).getGlyphOrder()
            self._names = {n: self.order[i] for i, n in enumerate(real) if i < len(self.order)}
        return self._names.get(name)

    _names: dict[str, str] | None = None

    def rebuild(self, glyphs: Sequence[int], codes: Mapping[int, int] | None = None) -> bytes:
        """Return a program with these glyphs, numbered from 1 in this order.

        Parameters
        ----------
        glyphs : sequence of int
            The glyphs that stay, by their old numbers.
        codes : mapping of int to int, optional
            For a simple font the new number of the glyph of each code.

        """
        font, old = self.font, self.order
        outlines, widths = font["glyf"], font["hmtx"].metrics
        if max(glyphs, default=0) >= len(old):
            raise PageRefusedError("a glyph beyond its font")
        kept = self._with_parts([old[0], *(old[g] for g in glyphs if g)])
        drawings = {name: outlines[name] for name in kept}
        for drawing in drawings.values():
            drawing.expand(outlines)
        names = {name: f"g{i}" for i, name in enumerate(kept)}
        for drawing in drawings.values():
            if drawing.isComposite():
                for component in drawing.components:
                    component.glyphName = names[component.glyphName]
        metrics = {names[name]: widths.get(name, (0, 0)) for name in kept}
        for table in list(font.keys()):
            if table not in _TABLES:
                del font[table]
        order = list(names.values())
        font.setGlyphOrder(order)
        outlines.glyphs = {names[name]: drawings[name] for name in kept}
        outlines.glyphOrder = order
        outlines._reverseGlyphOrder = {}  # noqa: SLF001 (a cache of the old order)
        font["hmtx"].metrics = metrics
        font["maxp"].numGlyphs = len(order)
        if codes is not None:
            font["cmap"] = _character_map(codes, order)
        out = io.BytesIO()
        font.save(out, reorderTables=None)
        return out.getvalue()

    def _with_parts(self, kept: list[str]) -> list[str]:
        """Return glyphs with those that they are made of, in an order that says nothing."""
        outlines = self.font["glyf"]
        parts: list[str] = []
        todo = list(kept)
        while todo:
            glyph = outlines[todo.pop()]
            for part in glyph.getComponentNames(outlines) if glyph.isComposite() else ():
                if part not in kept and part not in parts:
                    parts.append(part)
                    todo.append(part)
        parts.sort(
            key=lambda n: hashlib.sha256(outlines[n].compile(outlines, recalcBBoxes=False)).digest()
        )
        return [*kept, *parts]


def _character_map(codes: Mapping[int, int], order: Sequence[str]) -> object:
    table = newTable("cmap")
    table.tableVersion, table.tables = 0, []
    for platform, encoding, form, shift in ((1, 0, 6, 0), (3, 0, 4, 0xF000)):
        each = CmapSubtable.newSubtable(form)
        each.platformID, each.platEncID, each.language = platform, encoding, 0
        each.cmap = {code + shift: order[glyph] for code, glyph in codes.items()}
        table.tables.append(each)
    return table


def has_program(descriptor: Object | None) -> bool:
    """Return whether a font's program is in the file."""
    return isinstance(descriptor, Dictionary) and any(
        key in descriptor for key in ("/FontFile", "/FontFile2", "/FontFile3")
    )
