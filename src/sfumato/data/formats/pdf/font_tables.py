"""What the kinds of fonts share when they lose glyphs: widths, names, texts, and new codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import pikepdf
from pikepdf import Array, Dictionary, Name, Object

from .encodings import BASES, unicode_of_name, widths_of
from .glyph_font import GlyphFont
from .refusal import PageRefusedError

__all__ = [
    "LAST_TEXT", "Codes", "FontUse", "descriptor_of", "follow_a_table", "has_unknown", "own_descriptor", "put_names",
    "put_tag", "put_widths", "renumber", "rises_with_use",
]  # fmt: skip

LAST_TEXT = "\uffff"
"""Codes without a meaning come last."""
Codes = dict[int, int]


@dataclass(slots=True)
class FontUse:
    """How a font is used: the codes that stay, all codes in the order of first use, and its pages."""

    font: GlyphFont
    kept: set[int] = field(default_factory=set)
    order: dict[int, None] = field(default_factory=dict)
    pages: set[int] = field(default_factory=set)
    lost: bool = False


def descriptor_of(font: Object) -> Object | None:
    """Return the descriptor of a font, or of the one inside it."""
    inner = font["/DescendantFonts"][0] if font.get("/Subtype") == Name.Type0 else font
    found = inner.get("/FontDescriptor")
    return found if isinstance(found, Dictionary) else None


def put_tag(found: Object, key: str) -> None:
    """Replace the tag of a font's name by one that does not depend on its glyphs."""
    if key in found:
        found[key] = Name("/AAAAAA+" + re.sub(r"^/([A-Z]{6}\+)?", "", str(found[key])))


def own_descriptor(pdf: pikepdf.Pdf, holder: Object, descriptor: Object) -> Object:
    """Copy the descriptor of a font, so that no other font shares it; return the copy."""
    left = ("/CharSet", "/CIDSet", "/FontFamily")
    new = pdf.make_indirect(Dictionary({k: v for k, v in descriptor.items() if k not in left}))
    holder["/FontDescriptor"] = new
    put_tag(new, "/FontName")
    return new


def put_widths(font: Object, new: Mapping[int, int], codes: Iterable[int]) -> None:
    """Write the widths of a simple font for these codes alone."""
    if "/Widths" not in font:
        return
    widths = widths_of(font)
    descriptor = font.get("/FontDescriptor")
    missing = (
        float(descriptor.get("/MissingWidth", 0)) if isinstance(descriptor, Dictionary) else 0.0
    )
    back = {new[code]: code for code in codes}
    first, last = min(back), max(back)
    font["/FirstChar"], font["/LastChar"] = first, last
    font["/Widths"] = Array(
        [widths.get(back[i], missing) if i in back else 0 for i in range(first, last + 1)]
    )


def put_names(font: Object, names: Mapping[int, str], new: Mapping[int, int], codes: Iterable[int]) -> None:  # fmt: skip
    """Write the glyph names of a simple font for these codes alone."""
    listed, last = Array(), -2
    for number, code in sorted((new[c], c) for c in codes if c in names):
        if number != last + 1:
            listed.append(number)
        listed.append(Name("/" + names[code]))
        last = number
    font["/Encoding"] = Dictionary(Type=Name.Encoding, Differences=listed)


def follow_a_table(names: Mapping[int, str] | None, texts: Mapping[int, str], codes: list[int]) -> bool:  # fmt: skip
    """Return whether codes follow a known encoding, so that their order says nothing."""
    known = 0
    for code in codes:
        name = (names or {}).get(code, "")
        text = texts.get(code) or unicode_of_name(name)
        known += bool(text) and (
            ord(text[0]) == code
            or any(code < len(t) and unicode_of_name(t[code] or "") == text for t in BASES.values())
        )
    return known >= 0.9 * len(codes)


def has_unknown(names: Mapping[int, str], texts: Mapping[int, str], codes: Iterable[int]) -> bool:
    """Return whether a code has no meaning; readers then fall back on the code, which must stay."""
    return any(not texts.get(c) and not unicode_of_name(names.get(c, "")) for c in codes)


def rises_with_use(order: Iterable[int]) -> bool:
    """Return whether codes rise in the order of their first use; by chance about half of them do."""
    codes = list(order)
    up = sum(a < b for a, b in pairwise(codes))
    return len(codes) < 12 or up >= 0.65 * (len(codes) - 1)


def renumber(codes: Iterable[int], key: Callable[[int], tuple[str, float, str]]) -> Codes:
    """Return new codes in an order that says nothing; 32 stays, because word spacing knows it."""
    known = list(codes)
    rest = sorted((c for c in known if c != 32), key=key)
    room = [*range(33, 256), *range(1, 32)]
    if len(rest) > len(room):
        raise PageRefusedError("a font with too many codes")
    new = dict(zip(rest, room, strict=False))
    return {**new, 32: 32} if 32 in known else new
