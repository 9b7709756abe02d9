"""Names of fonts: known families stay, everything else becomes a number, and programs keep their size."""

from __future__ import annotations

import io
import random

import pytest

pikepdf = pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from benchmarks._pdf_more_places import font_names  # noqa: E402
from fontTools import cffLib  # noqa: E402
from fontTools.pens.recordingPen import RecordingPen  # noqa: E402
from fontTools.ttLib import TTFont  # noqa: E402
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from sfumato.data.formats.pdf.font_names import FontNames, without_names  # noqa: E402

PROGRAMS = ("/FontFile", "/FontFile2", "/FontFile3")


@pytest.fixture(scope="module")
def programs():
    """Return the programs of a generated file, by their keys, and the names in them."""
    data, names = font_names(random.Random(4))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        found = {
            key: bytes(font.FontDescriptor[key].read_bytes())
            for font in pdf.pages[0].Resources.Font.values() if "/FontDescriptor" in font
            for key in PROGRAMS if key in font.FontDescriptor
        }  # fmt: skip
    return found, names


@pytest.mark.parametrize("key", PROGRAMS)
def test_a_program_loses_its_names_and_nothing_moves(programs, key):
    found, names = programs
    clean = without_names(found[key])
    held = [n for n in names for code in ("latin-1", "utf-16-be") if n.encode(code) in found[key]]
    assert held
    assert not any(n.encode(code) in clean for n in names for code in ("latin-1", "utf-16-be"))
    assert len(clean) == len(found[key])
    assert without_names(clean) == clean


def outlines(font, names):
    drawn = {}
    for name in names:
        pen = RecordingPen()
        font[name].draw(pen)
        drawn[name] = pen.value
    return drawn


def test_glyphs_are_as_they_were(programs):
    found, _ = programs
    before, after = (TTFont(io.BytesIO(p)) for p in (found["/FontFile2"], without_names(found["/FontFile2"])))  # fmt: skip
    assert before.getGlyphOrder() == after.getGlyphOrder()
    some = ["a", "b", "Adieresis"]
    assert outlines(before.getGlyphSet(), some) == outlines(after.getGlyphSet(), some)
    compact = []
    for program in (found["/FontFile3"], without_names(found["/FontFile3"])):
        made = cffLib.CFFFontSet()
        made.decompile(io.BytesIO(program), None)
        top = made[made.fontNames[0]]
        compact.append((top.charset, outlines(top.CharStrings, ["a", "b"])))
    assert compact[0] == compact[1]


@given(st.binary(max_size=60), st.sampled_from([b"\0\1\0\0", b"OTTO", b"\1\0\4\1", b"%!PS", b""]))
def test_any_bytes_keep_their_size(rest, first):
    assert len(without_names(first + rest)) == len(first + rest)


@pytest.mark.parametrize("name", ["Helvetica", "ABCDEF+TimesNewRomanPSMT", "Arial,Bold", "CMR10", "LiberationSans-Italic", "Glyphless"])  # fmt: skip
def test_known_families_stay(name):
    assert FontNames().new_name(name) == name


@given(st.text(st.characters(codec="utf-8", categories=["L", "Nd", "Pd"]), min_size=1))
def test_one_name_has_one_new_name_and_a_new_name_stays(name):
    names = FontNames()
    new = names.new_name(name)
    assert names.new_name(name) == new == FontNames().new_name(new)
    assert names.new_name(f"ABCDEF+{name}") == f"ABCDEF+{new}"
