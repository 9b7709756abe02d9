"""TrueType programs: only the glyphs that are still used, in an order that says nothing."""

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

__all__ = ["glyph_hashes", "look_up", "rebuild_truetype"]

_TABLES = ("GlyphOrder", "head", "hhea", "maxp", "loca", "glyf", "hmtx", "cvt ", "fpgm", "prep")
_SYMBOLIC = 4


def _open(program: bytes) -> TTFont:
    font = TTFont(io.BytesIO(program), recalcBBoxes=False, recalcTimestamp=False)
    if "glyf" not in font:
        raise PageRefusedError("a TrueType font without outlines")
    return font


def glyph_hashes(program: bytes, glyphs: Iterable[int]) -> dict[int, str]:
    """Return a hash of the outline of each glyph; "" for one beyond the font."""
    font = _open(program)
    order, outlines = font.getGlyphOrder(), font["glyf"]
    return {
        g: hashlib.sha256(outlines[order[g]].compile(outlines)).hexdigest()
        if g < len(order)
        else ""
        for g in glyphs
    }


def look_up(program: bytes, font: Object, codes: Iterable[int]) -> dict[int, int]:
    """Return the glyph of each code of a simple TrueType font, after ISO 32000, 9.6.6.4."""
    opened = TTFont(io.BytesIO(program))
    maps: dict[tuple[int, int], Mapping[int, str]] = {}
    if "cmap" in opened:
        maps = {(t.platformID, t.platEncID): t.cmap for t in opened["cmap"].tables}
    glyphs = opened.getReverseGlyphMap()
    order = opened.getGlyphOrder()
    descriptor = font["/FontDescriptor"]
    names = glyph_names(font)
    symbolic = bool(int(descriptor.get("/Flags", _SYMBOLIC)) & _SYMBOLIC) or names is None
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
            if glyph is None and name in glyphs:
                glyph = name
        if glyph is None and symbols is not None:
            glyph = symbols.get(0xF000 + code) or symbols.get(code) or symbols.get(0xF100 + code)
        if glyph is None and mac is not None:
            glyph = mac.get(code)
        if glyph is None and windows is not None:
            glyph = (windows.get(ord(letters[0])) if letters else None) or windows.get(code)
        if glyph is None and not maps:
            glyph = order[code] if code < len(order) else None
        found[code] = glyphs[glyph] if glyph is not None else 0
    return found


def rebuild_truetype(
    program: bytes, glyphs: Sequence[int], codes: Mapping[int, int] | None = None
) -> bytes:
    """Return a program with these glyphs, numbered from 1 in this order.

    Parameters
    ----------
    program : bytes
        The font as it was.
    glyphs : sequence of int
        The glyphs that stay, by their old numbers.
    codes : mapping of int to int, optional
        For a simple font the new number of the glyph of each code.

    """
    font = _open(program)
    old, outlines, widths = font.getGlyphOrder(), font["glyf"], font["hmtx"].metrics
    if max(glyphs, default=0) >= len(old):
        raise PageRefusedError("a glyph beyond its font")
    kept = [old[0], *(old[g] for g in glyphs if g)]
    parts: list[str] = []
    todo = list(kept)
    while todo:
        glyph = outlines[todo.pop()]
        for part in glyph.getComponentNames(outlines) if glyph.isComposite() else ():
            if part not in kept and part not in parts:
                parts.append(part)
                todo.append(part)
    kept += sorted(parts, key=lambda n: hashlib.sha256(outlines[n].compile(outlines)).digest())
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
