"""The widths of a font's codes, as far as they place text."""

from __future__ import annotations

from pdfminer.fontmetrics import FONT_METRICS
from pikepdf import Array, Dictionary, Name, Object

from .encodings import glyph_names, unicode_map, unicode_of_name, widths_of
from .refusal import PageRefusedError
from .symbol_widths import SYMBOL_WIDTHS

__all__ = ["GlyphFont"]


class GlyphFont:
    """The widths of a font's codes, and how many bytes a code has."""

    def __init__(self, font: Object) -> None:
        self.object = font
        self.subtype = str(font.get("/Subtype"))
        self.size, self.scale, self.default = 1, 0.001, 0.0
        self.widths: dict[int, float] = {}
        self.unicode = unicode_map(font)
        if self.subtype == "/Type0":
            self._read_composite(font)
        elif "/Widths" in font:
            self.widths = widths_of(font)
            if self.subtype == "/Type3":
                self.scale = float(font["/FontMatrix"][0])
            else:
                descriptor = font.get("/FontDescriptor")
                if isinstance(descriptor, Dictionary):
                    self.default = float(descriptor.get("/MissingWidth", 0))
        else:
            self.widths = _standard_widths(font)
        self.spaces = {code for code, text in self.unicode.items() if text in (" ", "\u00a0")}
        if self.size == 1 and not self.spaces:
            self.spaces = {32}

    def _read_composite(self, font: Object) -> None:
        encoding = font.get("/Encoding")
        if not isinstance(encoding, Name) or str(encoding) != "/Identity-H":
            raise PageRefusedError("a font with an encoding of another kind")
        self.size = 2
        inner = font["/DescendantFonts"][0]
        self.default = float(inner.get("/DW", 1000))
        listed = list(inner.get("/W", Array()))
        at = 0
        while at + 1 < len(listed):
            first = int(listed[at])
            if isinstance(listed[at + 1], Array):
                for i, width in enumerate(listed[at + 1]):
                    self.widths[first + i] = float(width)
                at += 2
            else:
                for code in range(first, min(int(listed[at + 1]), 0xFFFF) + 1):
                    self.widths[code] = float(listed[at + 2])
                at += 3

    def width(self, code: int) -> float:
        """Return the width of a code, of a font of size 1."""
        return self.widths.get(code, self.default) * self.scale

    def codes(self, text: bytes) -> list[int]:
        """Return the codes of a string."""
        if self.size == 1:
            return list(text)
        return [text[i] << 8 | text[i + 1] for i in range(0, len(text) - 1, 2)]


def _standard_widths(font: Object) -> dict[int, float]:
    """Return the widths of a standard font, which are not in the file."""
    base = str(font.get("/BaseFont", ""))[1:]
    names = glyph_names(font)
    if base in SYMBOL_WIDTHS and names is None:
        return SYMBOL_WIDTHS[base]
    if base not in FONT_METRICS or base in SYMBOL_WIDTHS:
        raise PageRefusedError("a font without widths")
    known = FONT_METRICS[base][1]
    return {code: float(known.get(_letter(code, names), 0)) for code in range(256)}


def _letter(code: int, names: dict[int, str] | None) -> str:
    if names and code in names:
        return unicode_of_name(names[code])
    return bytes([code]).decode("cp1252", "replace")
