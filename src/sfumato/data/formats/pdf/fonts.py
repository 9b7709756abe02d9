"""Fonts after a cut: nothing in them may reveal what was cut.

Codes and outlines that nothing uses any more go from every font that lost a glyph. Codes that rise with their
first use, as producers number them, spell the text; they are renumbered by what they mean, then by their outline,
an order that says nothing but which letters are still there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

import pikepdf
from pikepdf import Object, Stream

from .encodings import put_unicode
from .font_kinds import (
    prune_tables,
    rebuild_composite,
    rebuild_drawn,
    rebuild_simple_cff,
    rebuild_simple_truetype,
    rebuild_simple_type1,
)  # fmt: skip
from .font_tables import Codes, FontUse, descriptor_of, put_tag, put_widths
from .font_truetype import has_program
from .interpret import PageGlyphs
from .raster import helvetica
from .refusal import PageRefusedError

__all__ = ["FontChanges", "clean_fonts"]

_FILES = ("/FontFile", "/FontFile2", "/FontFile3")
Key = tuple[int, int]


@dataclass
class FontChanges:
    """The new codes of fonts that were renumbered, how many were treated in which way, and their pages."""

    new_codes: dict[Key, Codes] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    pages: set[int] = field(default_factory=set)


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
        changes.pages |= use.pages
        kind = "pruned" if codes is None else "renumbered"
        changes.counts[kind] = changes.counts.get(kind, 0) + 1
    return changes, failed


def _uses(pages: Mapping[int, tuple[PageGlyphs, Mapping[int, int]]]) -> dict[Key, FontUse]:
    found: dict[Key, FontUse] = {}
    for number in sorted(pages):
        glyphs, gone = pages[number]
        firsts = [show.first for show in glyphs.shows]
        touched = {bisect_right(firsts, glyph) - 1 for glyph in gone}
        for i, show in enumerate(glyphs.shows):
            use = found.setdefault(show.font.object.objgen, FontUse(show.font))
            use.pages.add(number)
            if i not in touched:
                use.kept.update(show.codes)
                use.order.update(dict.fromkeys(show.codes))
                continue
            for place, code in enumerate(show.codes, show.first):
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


def _program_key(font: Object) -> Key | None:
    descriptor = descriptor_of(font)
    for key in _FILES if descriptor is not None else ():
        program = descriptor.get(key) if descriptor is not None else None
        if isinstance(program, Stream):
            return program.objgen
    return None


def _rebuild(pdf: pikepdf.Pdf, use: FontUse) -> Codes | None:
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
        return rebuild_composite(pdf, use.font, codes)
    if subtype == "/Type3":
        return rebuild_drawn(pdf, use.font, codes)
    descriptor = descriptor_of(font)
    if descriptor is None or not has_program(descriptor):
        prune_tables(pdf, use.font, codes)
        return None
    if "/FontFile2" in descriptor:
        new = rebuild_simple_truetype(pdf, use.font, codes, descriptor)
    elif "/FontFile3" in descriptor:
        new = rebuild_simple_cff(pdf, use, codes, descriptor)
    else:
        new = rebuild_simple_type1(pdf, use, codes, descriptor)
    put_widths(font, new, codes)
    texts = use.font.unicode
    if texts:
        put_unicode(pdf, font, {new[c]: texts[c] for c in codes if texts.get(c)}, 1)
    put_tag(font, "/BaseFont")
    return new if any(old != code for old, code in new.items()) else None
