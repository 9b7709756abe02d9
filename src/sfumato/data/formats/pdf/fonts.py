"""Fonts after a cut: nothing in them may tell what was cut.

Codes and outlines that nothing uses any more go from every font that lost a glyph. Codes that rise with their
first use, as producers number them, spell the text; they are renumbered by what they mean, then by their outline,
an order that says nothing but which letters are still there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream

from .encodings import BASES, glyph_names, put_unicode, unicode_of_name, widths_of
from .font_cff import CompactFont
from .font_truetype import glyph_hashes, is_embedded, look_up, rebuild_truetype
from .font_type1 import builtin_encoding, rebuild_type1
from .interpret import GlyphFont, PageGlyphs
from .raster import helvetica
from .refusal import PageRefusedError

__all__ = ["FontChanges", "clean_fonts"]

_FILES = ("/FontFile", "/FontFile2", "/FontFile3")
_LAST = "\uffff"  # codes without a meaning come last
Codes = dict[int, int]
Key = tuple[int, int]


@dataclass
class FontChanges:
    """The new codes of the fonts that were renumbered, and how many fonts were treated in which way."""

    new_codes: dict[Key, Codes] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Use:
    """How a font is used: the codes that stay, all codes in the order of first use, and its pages."""

    font: GlyphFont
    kept: set[int] = field(default_factory=set)
    order: dict[int, None] = field(default_factory=dict)
    pages: set[int] = field(default_factory=set)
    lost: bool = False


def clean_fonts(
    pdf: pikepdf.Pdf, pages: Mapping[int, tuple[PageGlyphs, Mapping[int, int]]]
) -> tuple[FontChanges, dict[int, str]]:
    """Clean every font that lost a glyph; return the new codes, and the pages of fonts that cannot be.

    Parameters
    ----------
    pdf : Pdf
        The file that is written.
    pages : mapping
        For each page that is cut its glyphs, and those that go.

    """
    changes = FontChanges()
    failed: dict[int, str] = {}
    for key, use in sorted(_uses(pages).items()):
        if not use.lost:
            continue
        try:
            codes = _rebuild(pdf, use)
        except PageRefusedError as error:
            failed.update(dict.fromkeys(sorted(use.pages), str(error)))
            continue
        except Exception:  # fontTools has an error for every table
            failed.update(dict.fromkeys(sorted(use.pages), "a font that cannot be rebuilt"))
            continue
        if codes is not None:
            changes.new_codes[key] = codes
        kind = "pruned" if codes is None else "renumbered"
        changes.counts[kind] = changes.counts.get(kind, 0) + 1
    return changes, failed


def _uses(pages: Mapping[int, tuple[PageGlyphs, Mapping[int, int]]]) -> dict[Key, _Use]:
    found: dict[Key, _Use] = {}
    for number in sorted(pages):
        glyphs, gone = pages[number]
        touched = {bisect_right([s.first for s in glyphs.shows], g) - 1 for g in gone}
        for i, show in enumerate(glyphs.shows):
            use = found.setdefault(show.font.object.objgen, _Use(show.font))
            use.pages.add(number)
            if i not in touched:
                codes = set(show.codes())
                use.kept |= codes
                use.order.update(dict.fromkeys(c for c in show.codes() if c not in use.order))
                continue
            for place, code in enumerate(show.codes(), show.first):
                use.order.setdefault(code)
                if place in gone:
                    use.lost = True
                else:
                    use.kept.add(code)
    # A program that two fonts share loses its glyphs in both.
    programs = {_program_key(use.font.object) for use in found.values() if use.lost} - {None}
    for use in found.values():
        use.lost = use.lost or _program_key(use.font.object) in programs
    return found


def _descriptor(font: Object) -> Object | None:
    inner = font["/DescendantFonts"][0] if font.get("/Subtype") == Name.Type0 else font
    found = inner.get("/FontDescriptor")
    return found if isinstance(found, Dictionary) else None


def _program_key(font: Object) -> Key | None:
    descriptor = _descriptor(font)
    for key in _FILES if descriptor is not None else ():
        program = descriptor.get(key) if descriptor is not None else None
        if isinstance(program, Stream):
            return program.objgen
    return None


def _rebuild(pdf: pikepdf.Pdf, use: _Use) -> Codes | None:
    """Rebuild a font for the codes that stay; return their new numbers, None where they keep theirs."""
    font = use.font.object
    codes = sorted(use.kept)
    if not codes:  # nothing shows it any more; its name in the resources must still lead to a font
        for key in list(font.keys()):
            del font[key]
        for key, value in helvetica().items():
            font[key] = value
        return None
    subtype = use.font.subtype
    if subtype == "/Type0":
        return _rebuild_composite(pdf, use.font, codes)
    if subtype == "/Type3":
        return _rebuild_drawn(pdf, use.font, codes)
    descriptor = _descriptor(font)
    if descriptor is None or not is_embedded(descriptor):
        return _prune_tables(pdf, use.font, codes)
    if "/FontFile2" in descriptor:
        new = _rebuild_simple_truetype(pdf, use.font, codes, descriptor)
    elif "/FontFile3" in descriptor:
        new = _rebuild_simple_cff(pdf, use, codes, descriptor)
    else:
        new = _rebuild_simple_type1(pdf, use, codes, descriptor)
    _put_widths(font, new, codes)
    texts = use.font.unicode
    if texts:
        put_unicode(pdf, font, {new[c]: texts[c] for c in codes if texts.get(c)}, 1)
    _put_tag(font, "/BaseFont")
    return new if any(old != code for old, code in new.items()) else None


# --- what the kinds share ------------------------------------------------------------------------


def _put_tag(found: Object, key: str) -> None:
    """Give a font's name a tag that does not depend on its glyphs."""
    if key in found:
        found[key] = Name("/AAAAAA+" + re.sub(r"^/([A-Z]{6}\+)?", "", str(found[key])))


def _own_descriptor(pdf: pikepdf.Pdf, holder: Object, descriptor: Object) -> Object:
    left = ("/CharSet", "/CIDSet", "/FontFamily")
    new = pdf.make_indirect(Dictionary({k: v for k, v in descriptor.items() if k not in left}))
    holder["/FontDescriptor"] = new
    _put_tag(new, "/FontName")
    return new


def _put_widths(font: Object, new: Mapping[int, int], codes: Iterable[int]) -> None:
    if "/Widths" not in font:
        return
    widths = widths_of(font)
    descriptor = font.get("/FontDescriptor")
    missing = float(descriptor.get("/MissingWidth", 0)) if isinstance(descriptor, Dictionary) else 0.0
    back = {new[code]: code for code in codes}
    first, last = min(back), max(back)
    font["/FirstChar"], font["/LastChar"] = first, last
    font["/Widths"] = Array(
        [widths.get(back[i], missing) if i in back else 0 for i in range(first, last + 1)]
    )


def _put_names(font: Object, names: Mapping[int, str], new: Mapping[int, int], codes: Iterable[int]) -> None:  # fmt: skip
    listed, last = Array(), -2
    for number, code in sorted((new[c], c) for c in codes if c in names):
        if number != last + 1:
            listed.append(number)
        listed.append(Name("/" + names[code]))
        last = number
    font["/Encoding"] = Dictionary(Type=Name.Encoding, Differences=listed)


def _follow_a_table(names: Mapping[int, str] | None, texts: Mapping[int, str], codes: list[int]) -> bool:  # fmt: skip
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


def _has_unknown(names: Mapping[int, str], texts: Mapping[int, str], codes: Iterable[int]) -> bool:
    """Return whether a code has no meaning; readers then fall back on the code, which must stay."""
    return any(not texts.get(c) and not unicode_of_name(names.get(c, "")) for c in codes)


def _rises_with_use(order: Iterable[int]) -> bool:
    """Return whether codes rise in the order of their first use; by chance about half of them do."""
    codes = list(order)
    up = sum(a < b for a, b in zip(codes, codes[1:], strict=False))
    return len(codes) < 12 or up >= 0.65 * (len(codes) - 1)


def _renumber(codes: Iterable[int], key: Callable[[int], tuple[str, float, str]]) -> Codes:
    """Return new codes in an order that says nothing; 32 stays, because word spacing knows it."""
    known = list(codes)
    rest = sorted((c for c in known if c != 32), key=key)
    room = [*range(33, 256), *range(1, 32)]
    if len(rest) > len(room):
        raise PageRefusedError("a font with too many codes")
    new = dict(zip(rest, room, strict=False))
    return {**new, 32: 32} if 32 in known else new


# --- simple fonts --------------------------------------------------------------------------------


def _prune_tables(pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int]) -> None:
    """Prune a font that is not in the file: only its tables are."""
    font = known.object
    same = {code: code for code in codes}
    if known.unicode:
        put_unicode(pdf, font, {c: known.unicode[c] for c in codes if c in known.unicode}, 1)
    encoding = font.get("/Encoding")
    if isinstance(encoding, Dictionary) and "/Differences" in encoding:
        _put_names(font, glyph_names(font) or {}, same, codes)
    if "/FontDescriptor" in font and "/FirstChar" in font:
        _put_widths(font, same, codes)


def _rebuild_simple_truetype(
    pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int], descriptor: Object
) -> Codes:
    font = known.object
    program = bytes(descriptor["/FontFile2"].read_bytes())
    glyphs = look_up(program, font, codes)
    names = glyph_names(font)
    texts = known.unicode or {c: unicode_of_name(names[c]) for c in codes if names and c in names}
    keeps = _follow_a_table(names, known.unicode, codes)
    keeps = keeps or any(not texts.get(c) for c in codes if c not in known.spaces)
    new = {c: c for c in codes} if keeps else _renumber(codes, lambda c: (texts.get(c, _LAST), known.width(c), ""))  # fmt: skip
    order: list[int] = []
    for code in sorted(codes, key=lambda c: (texts.get(c, _LAST), new[c])):
        if glyphs[code] and glyphs[code] not in order:
            order.append(glyphs[code])
    place = {glyph: i for i, glyph in enumerate(order, 1)}
    made = rebuild_truetype(program, order, {new[c]: place.get(glyphs[c], 0) for c in codes})
    own = _own_descriptor(pdf, font, descriptor)
    own["/FontFile2"] = pdf.make_stream(made, Length1=len(made))
    own["/Flags"] = int(own.get("/Flags", 4)) & ~32 | 4
    if "/Encoding" in font:
        if not known.unicode:  # readers took the text from the encoding
            put_unicode(pdf, font, {new[c]: texts[c] for c in codes if texts.get(c)}, 1)
        del font["/Encoding"]
    return new


def _rebuild_simple_cff(
    pdf: pikepdf.Pdf, use: _Use, codes: list[int], descriptor: Object
) -> Codes:
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
    own = _own_descriptor(pdf, font, descriptor)
    own["/FontFile3"] = pdf.make_stream(made, Subtype=Name.Type1C)
    _put_names(font, names, new, held)
    return new


def _rebuild_simple_type1(
    pdf: pikepdf.Pdf, use: _Use, codes: list[int], descriptor: Object
) -> Codes:
    font, stream = use.font.object, descriptor["/FontFile"]
    program = bytes(stream.read_bytes())
    clear, packed = int(stream.get("/Length1", 0)), int(stream.get("/Length2", 0))
    names = glyph_names(font, builtin_encoding(program, clear)) or {}
    new = _named_codes(use, names, codes)
    held = [c for c in codes if c in names]
    made, clear, packed = rebuild_type1(program, clear, packed, {names[c] for c in held})
    own = _own_descriptor(pdf, font, descriptor)
    own["/FontFile"] = pdf.make_stream(
        made, Length1=clear, Length2=packed, Length3=len(made) - clear - packed
    )
    _put_names(font, names, new, held)
    return new


def _named_codes(use: _Use, names: Mapping[int, str], codes: list[int]) -> Codes:
    """Return the codes of a font whose glyphs have names."""
    texts = use.font.unicode
    keeps = _follow_a_table(names, texts, codes) or not _rises_with_use(use.order)
    if keeps or _has_unknown(names, texts, codes):
        return {c: c for c in codes}
    return _renumber(
        codes,
        lambda c: (
            texts.get(c) or unicode_of_name(names.get(c, "")) or _LAST, use.font.width(c), names.get(c, ""),
        ),
    )  # fmt: skip


def _rebuild_drawn(pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int]) -> Codes | None:
    """Rebuild a Type 3 font, whose letters are content streams."""
    font, texts = known.object, known.unicode
    names, drawings = glyph_names(font) or {}, font["/CharProcs"]
    held = [c for c in codes if c in names and "/" + names[c] in drawings]
    if any(not texts.get(c) for c in codes if c not in known.spaces):
        # Readers fall back on codes and names: both stay, and only what is unused goes.
        kept = sorted({names[c] for c in held})
        font["/CharProcs"] = Dictionary({"/" + n: drawings["/" + n] for n in kept})
        same = {c: c for c in codes}
        _put_names(font, names, same, held)
        _put_widths(font, same, codes)
        if texts:
            put_unicode(pdf, font, {c: texts[c] for c in codes if c in texts}, 1)
        return None
    new = _renumber(codes, lambda c: (texts.get(c, _LAST), known.width(c), ""))
    font["/CharProcs"] = Dictionary({f"/g{new[c]}": drawings["/" + names[c]] for c in held})
    _put_names(font, {c: f"g{new[c]}" for c in held}, new, held)
    _put_widths(font, new, codes)
    put_unicode(pdf, font, {new[c]: texts[c] for c in codes if c in texts}, 1)
    return new


# --- composite fonts -----------------------------------------------------------------------------


def _rebuild_composite(pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int]) -> Codes:
    font = known.object
    inner, descriptor = font["/DescendantFonts"][0], _descriptor(font)
    if descriptor is None or not is_embedded(descriptor):
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
    own = _own_descriptor(pdf, holder, descriptor)
    own[key] = program
    _put_tag(holder, "/BaseFont")
    _put_tag(font, "/BaseFont")
    font["/DescendantFonts"] = Array([pdf.make_indirect(holder)])
    texts = known.unicode
    put_unicode(pdf, font, {new[c]: texts[c] for c in codes if c in texts}, 2)
    return new


def _composite_truetype(
    pdf: pikepdf.Pdf, known: GlyphFont, codes: list[int], made: dict[str, Object | Name], descriptor: Object
) -> tuple[list[int], str, Object]:  # fmt: skip
    program = bytes(descriptor["/FontFile2"].read_bytes())
    given = made.get("/CIDToGIDMap")
    table = bytes(given.read_bytes()) if isinstance(given, Stream) else None
    glyphs = {
        c: c if table is None else int.from_bytes(table[2 * c : 2 * c + 2], "big") for c in codes
    }
    hashes = glyph_hashes(program, glyphs.values())
    order = sorted(codes, key=lambda c: (known.unicode.get(c, _LAST), hashes[glyphs[c]], known.width(c)))  # fmt: skip
    kept = list(dict.fromkeys(g for c in order if (g := glyphs[c]) and hashes[g]))
    place = {glyph: number for number, glyph in enumerate(kept, 1)}
    new_table = b"\0\0" + b"".join(place.get(glyphs[c], 0).to_bytes(2, "big") for c in order)
    plain = b"".join(i.to_bytes(2, "big") for i in range(len(order) + 1))
    made["/CIDToGIDMap"] = Name.Identity if new_table == plain else pdf.make_stream(new_table)
    built = rebuild_truetype(program, kept)
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
        codes, key=lambda c: (known.unicode.get(c, _LAST), known.width(c), program.outline_hash(names[c]))
    )  # fmt: skip
    form = "cid{:05d}" if program.has_cids else "g{}"
    built = program.rebuild(
        [names[c] for c in order], {names[c]: form.format(i) for i, c in enumerate(order, 1)}
    )
    return order, "/FontFile3", pdf.make_stream(built, Subtype=Name.CIDFontType0C)
