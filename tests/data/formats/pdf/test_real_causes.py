"""What real files showed: each cause once, as small as it can be."""

import base64
import io

import pikepdf
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.formats.pdf.font_truetype import TrueTypeProgram
from sfumato.data.formats.pdf.format import Pdf
from sfumato.data.formats.pdf.verify import _codes


def program(left):
    """Return a font of two letters whose boxes say that they begin at `left`, as their metrics do."""
    build = FontBuilder(1000)
    build.setupGlyphOrder([".notdef", "A", "B"])
    build.setupCharacterMap({65: "A", 66: "B"})
    drawn = {}
    for name, height in ((".notdef", 5), ("A", 500), ("B", 700)):
        pen = TTGlyphPen(None)
        pen.moveTo((100, 0))
        pen.qCurveTo((40, height // 2), (100, height))  # the curve stays right of its control point
        pen.lineTo((400, 0))
        pen.closePath()
        drawn[name] = pen.glyph()
    build.setupGlyf(drawn)
    build.setupHorizontalMetrics(dict.fromkeys(drawn, (600, left)))
    build.setupHorizontalHeader()
    build.setupOS2()
    build.setupPost()
    made, out = io.BytesIO(), io.BytesIO()
    build.save(made)
    font = TTFont(io.BytesIO(made.getvalue()), recalcBBoxes=False)
    for name in drawn:
        font["glyf"][name].expand(font["glyf"])
        font["glyf"][name].xMin = left
    font.save(out)
    return out.getvalue()


def test_letters_stay_where_their_boxes_say():
    """A letter is drawn at the difference between its box and its metrics: the box must not be counted anew."""
    font = TrueTypeProgram(program(70))
    assert len(set(font.glyph_hashes([1, 2]).values())) == 2
    rebuilt = TTFont(io.BytesIO(font.rebuild([2])), recalcBBoxes=False)
    order = rebuilt.getGlyphOrder()
    assert len(order) == 2
    letter = rebuilt["glyf"][order[1]]
    assert letter.xMin == 70
    assert letter.yMax == 700
    assert rebuilt["hmtx"][order[1]] == (600, 70)


@given(st.binary(max_size=9), st.text("abcXYZ é", min_size=6, max_size=14), st.binary(max_size=9))
def test_base64_of_a_text_is_found_whatever_stands_around_it(before, text, after):
    packed = base64.b64encode(before + text.encode() + after)
    assert any(code in packed for code in _codes(text))


def test_codes_are_long_enough_to_be_no_chance():
    """The hexadecimal digits of a line hold any four letters of Base64 sooner or later."""
    for text in ("convert", "Mueller", "Quentin"):
        assert min(map(len, _codes(text))) >= 7


def test_names_of_fonts_may_be_in_any_character_set():
    pdf, made = pikepdf.new(), io.BytesIO()
    font = pikepdf.Object.parse(
        b"<</Type/Font/Subtype/Type1/Encoding/WinAnsiEncoding/BaseFont/ABCDEF+#CB#CE#CC#E5-Bold>>"
    )
    page = pdf.add_blank_page(page_size=(300, 100))
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=pdf.make_indirect(font)))
    page.Contents = pdf.make_stream(b"BT /F1 12 Tf 20 50 Td (Ann Perez was here.) Tj ET")
    pdf.save(made)
    opened = Pdf().open(made.getvalue())
    assert opened.text.strip() == "Ann Perez was here."
    with pikepdf.open(io.BytesIO(opened.clean.data)) as written:
        names = [str(font.BaseFont) for font in written.pages[0].Resources.Font.values()]
    assert names == ["/ABCDEF+Font1-Bold"]
