"""Each kind of font without the glyphs that nothing uses any more."""

from __future__ import annotations

from collections.abc import Mapping

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from .encodings import glyph_names, put_unicode, unicode_of_name
from .font_cff import CompactFont
from .font_tables import (
    LAST_TEXT,
    Codes,
    FontUse,
    descriptor_of,
    follow_a_table,
    has_unknown,
    own_descriptor,
    put_names,
    put_tag,
    put_widths,
    renumber,
    rises_with_use,
)  # fmt: skip
from .font_truetype import TrueTypeProgram, has_program
from .font_type1 import builtin_encoding, rebuild_type1
from .glyph_font import GlyphFont
from .refusal import PageRefusedError

__all__ = [
    "prune_tables", "rebuild_composite", "rebuild_drawn", "rebuild_simple_cff", "rebuild_simple_truetype",
    "rebuild_simple_type1",
]  # fmt: skip


def prune_tables(pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int]) -> None:
    """Prune a font that is not in the file: only its tables are."""
    font = known.object
    same = {code: code for code in codes}
    if known.unicode:
        put_unicode(pdf, font, {c: known.unicode[c] for c in codes if c in known.unicode}, 1)
    encoding = font.get("/Encoding")
    if isinstance(encoding, Dictionary) and "/Differences" in encoding:
        own = Dictionary(Encoding=Dictionary(Differences=encoding["/Differences"]))
        listed = {c: n for c, n in (glyph_names(own, {-1: ""}) or {}).items() if n}
        base = encoding.get("/BaseEncoding")
        put_names(font, listed, same, codes)
        if base is not None:
            font["/Encoding"]["/BaseEncoding"] = base
    if "/FontDescriptor" in font and "/FirstChar" in font:
        put_widths(font, same, codes)


def rebuild_simple_truetype(
    pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int], descriptor: Object
) -> Codes:
    """Rebuild a simple TrueType font; return its new codes."""
    font = known.object
    program = TrueTypeProgram(bytes(descriptor["/FontFile2"].read_bytes()))
    glyphs = program.look_up(font, codes)
    names = glyph_names(font)
    texts = known.unicode or {c: unicode_of_name(names[c]) for c in codes if names and c in names}
    keeps = follow_a_table(names, known.unicode, codes)
    keeps = keeps or any(not texts.get(c) for c in codes if c not in known.spaces)
    new = {c: c for c in codes} if keeps else renumber(codes, lambda c: (texts.get(c, LAST_TEXT), known.width(c), ""))  # fmt: skip
    order: list[int] = []
    for code in sorted(codes, key=lambda c: (texts.get(c, LAST_TEXT), new[c])):
        if glyphs[code] and glyphs[code] not in order:
            order.append(glyphs[code])
    place = {glyph: i for i, glyph in enumerate(order, 1)}
    made = program.rebuild(order, {new[c]: place.get(glyphs[c], 0) for c in codes})
    own = own_descriptor(pdf, font, descriptor)
    own["/FontFile2"] = pdf.make_stream(made, Length1=len(made))
    own["/Flags"] = int(own.get("/Flags", 4)) & ~32 | 4
    if "/Encoding" in font:
        if not known.unicode:  # readers took the text from the encoding
            put_unicode(pdf, font, {new[c]: texts[c] for c in codes if texts.get(c)}, 1)
        del font["/Encoding"]
    return new


def rebuild_simple_cff(
    pdf: pikepdf.Pdf, use: FontUse, codes: list[int], descriptor: Object
) -> Codes:
    """Rebuild a simple font with CFF outlines; return its new codes."""
    known, font = use.font, use.font.object
    program = CompactFont(bytes(descriptor["/FontFile3"].read_bytes()))
    if program.has_cids:
        raise PageRefusedError("a simple font with numbered outlines")
    names = glyph_names(font, program.builtin()) or {}
    new = _named_codes(use, names, codes)
    held = [c for c in codes if c in names and program.has(names[c]) and names[c] != ".notdef"]
    if any(c not in known.spaces and c not in held for c in codes):
        raise PageRefusedError("a code without a glyph")
    made = program.rebuild(sorted({names[c] for c in held}, key=lambda n: (unicode_of_name(n), n)))
    own = own_descriptor(pdf, font, descriptor)
    own["/FontFile3"] = pdf.make_stream(made, Subtype=Name.Type1C)
    put_names(font, names, new, held)
    return new


def rebuild_simple_type1(
    pdf: pikepdf.Pdf, use: FontUse, codes: list[int], descriptor: Object
) -> Codes:
    """Rebuild a Type 1 font; return its new codes."""
    font, stream = use.font.object, descriptor["/FontFile"]
    program = bytes(stream.read_bytes())
    clear, packed = int(stream.get("/Length1", 0)), int(stream.get("/Length2", 0))
    names = glyph_names(font, builtin_encoding(program, clear)) or {}
    new = _named_codes(use, names, codes)
    held = [c for c in codes if c in names]
    made, clear, packed = rebuild_type1(program, clear, packed, {names[c] for c in held})
    own = own_descriptor(pdf, font, descriptor)
    own["/FontFile"] = pdf.make_stream(
        made, Length1=clear, Length2=packed, Length3=len(made) - clear - packed
    )
    put_names(font, names, new, held)
    return new


def _named_codes(use: FontUse, names: Mapping[int, str], codes: list[int]) -> Codes:
    """Return the codes of a font whose glyphs have names."""
    texts = use.font.unicode
    keeps = follow_a_table(names, texts, codes) or not rises_with_use(use.order)
    if keeps or has_unknown(names, texts, codes):
        return {c: c for c in codes}
    return renumber(
        codes,
        lambda c: (
            texts.get(c) or unicode_of_name(names.get(c, "")) or LAST_TEXT, use.font.width(c), names.get(c, ""),
        ),
    )  # fmt: skip


def rebuild_drawn(pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int]) -> Codes | None:
    """Rebuild a Type 3 font, whose letters are content streams."""
    font, texts = known.object, known.unicode
    names, drawings = glyph_names(font) or {}, font["/CharProcs"]
    held = [c for c in codes if c in names and "/" + names[c] in drawings]
    if any(not texts.get(c) for c in codes if c not in known.spaces):
        # Readers fall back on codes and names: both stay, and only what is unused goes.
        kept = sorted({names[c] for c in held})
        font["/CharProcs"] = Dictionary({"/" + n: drawings["/" + n] for n in kept})
        same = {c: c for c in codes}
        put_names(font, names, same, held)
        put_widths(font, same, codes)
        if texts:
            put_unicode(pdf, font, {c: texts[c] for c in codes if c in texts}, 1)
        return None
    new = renumber(codes, lambda c: (texts.get(c, LAST_TEXT), known.width(c), ""))
    font["/CharProcs"] = Dictionary({f"/g{new[c]}": drawings["/" + names[c]] for c in held})
    put_names(font, {c: f"g{new[c]}" for c in held}, new, held)
    put_widths(font, new, codes)
    put_unicode(pdf, font, {new[c]: texts[c] for c in codes if c in texts}, 1)
    return new


# --- composite fonts -----------------------------------------------------------------------------


def rebuild_composite(pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int]) -> Codes:
    """Rebuild a font with two-byte codes; return its new codes."""
    font = known.object
    inner, descriptor = font["/DescendantFonts"][0], descriptor_of(font)
    if descriptor is None or not has_program(descriptor):
        raise PageRefusedError("a font with two-byte codes that is not in the file")
    made: dict[str, Object | Name] = dict(inner.items())
    if inner.get("/Subtype") == Name.CIDFontType2 and "/FontFile2" in descriptor:
        order, key, program = _composite_truetype(pdf, known, codes, made, descriptor)
    elif inner.get("/Subtype") == Name.CIDFontType0 and "/FontFile3" in descriptor:
        order, key, program = _composite_cff(pdf, known, codes, descriptor)
    else:
        raise PageRefusedError("a font with two-byte codes of another kind")
    new = {code: number for number, code in enumerate(order, 1)}
    made["/W"] = Array([1, Array([round(known.widths.get(c, known.default), 4) for c in order])])
    holder = Dictionary(made)
    own = own_descriptor(pdf, holder, descriptor)
    own[key] = program
    put_tag(holder, "/BaseFont")
    put_tag(font, "/BaseFont")
    font["/DescendantFonts"] = Array([pdf.make_indirect(holder)])
    texts = known.unicode
    put_unicode(pdf, font, {new[c]: texts[c] for c in codes if c in texts}, 2)
    return new


def _composite_truetype(
    pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int], made: dict[str, Object | Name], descriptor: Object
) -> tuple[list[int], str, Object]:  # fmt: skip
    program = TrueTypeProgram(bytes(descriptor["/FontFile2"].read_bytes()))
    given = made.get("/CIDToGIDMap")
    table = bytes(given.read_bytes()) if isinstance(given, Stream) else None
    glyphs = {
        c: c if table is None else int.from_bytes(table[2 * c : 2 * c + 2], "big") for c in codes
    }
    hashes = program.glyph_hashes(glyphs.values())
    order = sorted(codes, key=lambda c: (known.unicode.get(c, LAST_TEXT), hashes[glyphs[c]], known.width(c)))  # fmt: skip
    kept = list(dict.fromkeys(g for c in order if (g := glyphs[c]) and hashes[g]))
    place = {glyph: number for number, glyph in enumerate(kept, 1)}
    new_table = b"\0\0" + b"".join(place.get(glyphs[c], 0).to_bytes(2, "big") for c in order)
    plain = b"".join(i.to_bytes(2, "big") for i in range(len(order) + 1))
    made["/CIDToGIDMap"] = Name.Identity if new_table == plain else pdf.make_stream(new_table)
    built = program.rebuild(kept)
    return order, "/FontFile2", pdf.make_stream(built, Length1=len(built))


def _composite_cff(
    pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int], descriptor: Object
) -> tuple[list[int], str, Object]:
    program = CompactFont(bytes(descriptor["/FontFile3"].read_bytes()))
    names = {c: program.of_cid(c) for c in codes}
    if any(c and names[c] == program.order[0] for c in codes):
        raise PageRefusedError("a code without a glyph")
    if len(set(names.values())) < len(names):
        raise PageRefusedError("two codes for one glyph")
    order = sorted(
        codes, key=lambda c: (known.unicode.get(c, LAST_TEXT), known.width(c), program.outline_hash(names[c]))
    )  # fmt: skip
    form = "cid{:05d}" if program.has_cids else "g{}"
    built = program.rebuild(
        [names[c] for c in order], {names[c]: form.format(i) for i, c in enumerate(order, 1)}
    )
    return order, "/FontFile3", pdf.make_stream(built, Subtype=Name.CIDFontType0C)
