"""A page that becomes a picture: its text reads as it was decided, whatever is written on it and however it is turned."""

from __future__ import annotations

import io
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pikepdf = pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from benchmarks import _pdf_checks as checks  # noqa: E402

from sfumato.data.formats.pdf.marks import decided_text, page_edits  # noqa: E402
from sfumato.data.formats.pdf.read import comparable_letters, read_words  # noqa: E402

WORDS = ["Ann", "Zoltan", "Lee", ",", ".", "'", "saw", "went", "a", "12"]


def under_a_picture(content):
    """Return a page with this content above a picture, so that a cut makes it one."""
    pdf = pikepdf.new()
    image = pdf.make_stream(
        b"\xff", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=1, Height=1, BitsPerComponent=8,
        ColorSpace=pikepdf.Name.DeviceGray,
    )  # fmt: skip
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)  # fmt: skip
    page = pikepdf.Dictionary(
        Type=pikepdf.Name.Page, MediaBox=[0, 0, 595, 842],
        Resources=pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font), XObject=pikepdf.Dictionary(I=image)),
        Contents=pdf.make_stream(b"q 595 0 0 842 0 0 cm /I Do Q BT /F1 11 Tf " + content + b" ET"),
    )  # fmt: skip
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


def reads_as_decided(done):
    """Return whether the written page reads as the text with its edits."""
    places = checks.by_place(checks.Document("d", done.text.text, segments=done.text.segments()), done.edits)  # fmt: skip
    decided = decided_text(done.text.pages[0], page_edits(places).get(0, ()))
    return comparable_letters(read_words(done.data, [0])[0]) == comparable_letters(decided)


def test_a_comma_between_two_names_stays_between_them_where_kerning_put_the_second_before_it():
    data = under_a_picture(b"60 700 Td [(Max Fox) -300 (,) 700 (Ann Lee)] TJ")
    done = checks.redact(data, ["Max Fox", "Ann Lee"], blank=False)
    assert done.report.pictures == {0: "a picture under a cut"}
    assert not done.report.plain
    assert reads_as_decided(done)


def test_a_line_that_readers_turn_round_is_laid_over_from_the_top():
    shown = b"-1 0 0 -1 500 300 Tm (written for Zoltan alone) Tj"
    done = checks.redact(under_a_picture(shown), ["Zoltan"], blank=False)
    assert done.report.plain == {0} == set(done.report.pictures)
    assert reads_as_decided(done)
    assert checks.find_leaks(done.data, ["Zoltan"]) == {}


@settings(max_examples=25)
@given(st.lists(
    st.tuples(st.sampled_from(WORDS), st.integers(60, 400), st.integers(100, 130), st.sampled_from([0, 90, 180, 270, 30])),
    min_size=1, max_size=7,
))  # fmt: skip
def test_a_picture_reads_as_it_was_decided_wherever_its_words_stand(written):
    content = b""
    for word, x, y, turn in written:
        a, b = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        matrix = " ".join(f"{v:.4f}" for v in (a, b, -b, a, x, y))
        content += f"{matrix} Tm ({word}) Tj ".encode()
    done = checks.redact(under_a_picture(content), ["Ann", "Zoltan", "Lee"], blank=False)
    assert reads_as_decided(done)
    assert checks.find_leaks(done.data, ["Zoltan"]) == {}
