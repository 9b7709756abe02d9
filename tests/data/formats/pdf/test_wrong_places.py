"""Words in places of a PDF where no viewer looks for any: each place alone, in a file that is small and whole."""

from __future__ import annotations

import io

import pytest

pikepdf = pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

import pypdfium2 as pdfium  # noqa: E402
from pikepdf import Array, Dictionary, Name  # noqa: E402

from sfumato.data.formats.pdf.odd_content import has_only_drawing, only_drawing  # noqa: E402
from sfumato.data.formats.pdf.sanitise import sanitise  # noqa: E402
from sfumato.data.formats.pdf.streams import parse, unparse  # noqa: E402
from sfumato.data.formats.pdf.verify import find_leaks  # noqa: E402
from sfumato.data.limits import current_limits  # noqa: E402

WORD = b"Fiona Quetzalcanary"
NAME = Name("/Fiona Quetzalcanary")
LINE = b"BT /F1 11 Tf 60 780 Td (Plain line above) Tj ET "


def page_of(content, *, draw=LINE):
    """Return a file with one page, what it draws, and its resources."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(300, 842)).obj
    page.Contents = pdf.make_stream(draw + content)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)  # fmt: skip
    page.Resources = Dictionary(Font=Dictionary(F1=pdf.make_indirect(font)))
    return pdf, page.Resources


def stream(content=WORD, **given):
    return lambda pdf: pdf.make_stream(content, **given)


def resource(kind, value, draw=b""):
    """Return a file with a resource, made by a function of the file, that its page draws by Z1."""
    pdf, resources = page_of(draw)
    resources[kind] = Dictionary(Z1=value(pdf))
    return pdf


def form(content, **given):
    keys = {"Type": Name.XObject, "Subtype": Name.Form, "BBox": Array([0, 0, 100, 100]), **given}
    return resource("/XObject", stream(content, **keys), b" /Z1 Do")


def pattern(content, **given):
    keys = {"Type": Name.Pattern, "PatternType": 1, "PaintType": 1, "TilingType": 1, "BBox": Array([0, 0, 9, 9]),
            "XStep": 9, "YStep": 9, "Resources": Dictionary(), **given}  # fmt: skip
    kept = {key: value for key, value in keys.items() if value is not None}
    return resource(
        "/Pattern", stream(content, **kept), b" /Pattern cs /Z1 scn 60 400 200 100 re f"
    )


def type3(content):
    pdf, resources = page_of(b" BT /T3 11 Tf 60 700 Td <01> Tj ET")
    codes = Dictionary(Type=Name.Encoding, Differences=Array([1, Name.g1]))
    resources.Font.T3 = pdf.make_indirect(Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 1000, 1000]), FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
        CharProcs=Dictionary(g1=pdf.make_stream(content)), Encoding=codes, FirstChar=1, LastChar=1, Widths=Array([600]),
        Resources=Dictionary(),
    ))  # fmt: skip
    return pdf


def colour(*rest):
    def made(pdf):
        return Array([pdf.make_stream(*v) if isinstance(v, tuple) else v for v in rest])

    return resource("/ColorSpace", made, b" /Z1 cs .5 scn 60 400 200 100 re f")


def tint(content, **given):
    def made(pdf):
        function = pdf.make_stream(content, Domain=Array([0, 1]), Range=Array([0, 1] * 3), **given)
        return Array([Name.Separation, Name.Own, Name.DeviceRGB, function])

    return resource("/ColorSpace", made, b" /Z1 cs .5 scn 60 400 200 100 re f")


def state(key, value):
    def made(pdf):
        return Dictionary({"/Type": Name.ExtGState, key: value(pdf)})

    return resource("/ExtGState", made, b" /Z1 gs")


def font(key, value):
    pdf, resources = page_of(b"")
    resources.Font.F1[key] = value(pdf)
    return pdf


def font_without_type():
    pdf, resources = page_of(b"")
    del resources.Font.F1["/Type"]
    resources.Font.F1["/Own"] = pdf.make_stream(WORD)
    return pdf


def content_with_keys():
    pdf, _ = page_of(b"")
    contents = pdf.pages[0].obj.Contents
    contents["/Own"], contents["/Said"] = pdf.make_stream(WORD), pikepdf.String(WORD)
    return pdf


def mask(pdf):
    return Dictionary(Type=Name.Mask, S=Name.Luminosity, G=pdf.make_stream(WORD))


def mask_with_function(pdf):
    seen = pdf.make_stream(b"", Subtype=Name.Form, BBox=Array([0, 0, 1, 1]))
    function = pdf.make_stream(WORD, FunctionType=4)
    return Dictionary(Type=Name.Mask, S=Name.Luminosity, G=seen, TR=function)


PLACES = {
    "operand of no operator": lambda: page_of(b"(" + WORD + b") pop")[0],
    "operand of an operator that takes none": lambda: page_of(b"q (" + WORD + b") Q")[0],
    "operand before the one that is taken": lambda: page_of(b"BT (" + WORD + b") (x) Tj ET")[0],
    "operand in a dash pattern": lambda: page_of(b"[(" + WORD + b")] 0 d")[0],
    "operand among numbers": lambda: page_of(b"BT [(x) /Fiona#20Quetzalcanary 5] TJ ET")[0],
    "section of another version": lambda: page_of(b"BX (" + WORD + b") zz EX")[0],
    "operands at the end": lambda: page_of(b"(" + WORD + b")")[0],
    "name for no operator": lambda: page_of(b"/Fiona#20Quetzalcanary zz")[0],
    "operator": lambda: page_of(b"Fiona#20Quetzalcanary")[0],
    "intent": lambda: page_of(b"/Fiona#20Quetzalcanary ri")[0],
    "name of no resource": lambda: page_of(b"/Fiona#20Quetzalcanary gs")[0],
    "name of no font": lambda: page_of(b"BT /Fiona#20Quetzalcanary 9 Tf ET")[0],
    "operand in a form": lambda: form(b"(" + WORD + b") pop"),
    "comment in a form": lambda: form(b"% " + WORD),
    "form of another kind": lambda: form(WORD, Subtype=Name.PS),
    "form without a kind": lambda: resource("/XObject", stream()),
    "comment in a pattern": lambda: pattern(b"% " + WORD + b"\n1 0 0 rg 0 0 3 3 re f"),
    "operand in a pattern": lambda: pattern(b"(" + WORD + b") pop"),
    "pattern without a kind": lambda: pattern(b"(" + WORD + b") Tj", PatternType=None),
    "pattern of another kind": lambda: pattern(b"(" + WORD + b") Tj", PatternType=7),
    "comment in a letter": lambda: type3(b"600 0 d0 % " + WORD + b"\n0 0 500 500 re f"),
    "operand in a letter": lambda: type3(b"600 0 d0 (" + WORD + b") pop 0 0 500 500 re f"),
    "comment in a function": lambda: tint(b"{ % " + WORD + b"\n dup dup }", FunctionType=4),
    "word in a function": lambda: tint(b"{ Fiona Quetzalcanary dup dup }", FunctionType=4),
    "after the samples": lambda: tint(
        bytes(6) + WORD, FunctionType=0, Size=Array([2]), BitsPerSample=8
    ),
    "function that cannot be unpacked": lambda: tint(WORD, FunctionType=4, Filter=Name.FlateDecode),
    "shading of another kind": lambda: resource("/Shading", stream(ShadingType=9), b" /Z1 sh"),
    "shading as a stream": lambda: resource(
        "/Shading", stream(ShadingType=2, ColorSpace=Name.DeviceGray), b" /Z1 sh"
    ),
    "raster": lambda: state("/HT", stream(HalftoneType=6, Width=4, Height=4)),
    "transfer": lambda: state("/TR", stream(FunctionType=4)),
    "black": lambda: state("/BG", stream(FunctionType=4)),
    "mask that is no form": lambda: state("/SMask", mask),
    "function of a mask": lambda: state("/SMask", mask_with_function),
    "way to mix colours": lambda: state("/BM", lambda _: NAME),
    "font of a state": lambda: state(
        "/Font", lambda pdf: Array([Dictionary(Own=pdf.make_stream(WORD)), 5])
    ),
    "program of codes": lambda: font("/Encoding", stream()),
    "drawings of a font that has none": lambda: font(
        "/CharProcs", lambda pdf: Dictionary(a=pdf.make_stream(WORD))
    ),
    "places of letters": lambda: font("/CIDToGIDMap", stream()),
    "fonts below a font": lambda: font(
        "/DescendantFonts", lambda pdf: Array([pdf.make_stream(WORD)])
    ),
    "font without a type": font_without_type,
    "colour space": lambda: resource("/ColorSpace", stream()),
    "family of colours": lambda: colour(NAME, Name.DeviceRGB),
    "calibrated colours": lambda: resource(
        "/ColorSpace", lambda pdf: Array([Name.CalRGB, Dictionary(Own=pdf.make_stream(WORD))])
    ),
    "after a table of colours": lambda: colour(
        Name.Indexed, Name.DeviceRGB, 1, pikepdf.String(b"abcdef" + WORD)
    ),
    "after a stream of colours": lambda: colour(
        Name.Indexed, Name.DeviceGray, 1, (bytes(2) + WORD,)
    ),
    "after a colour space": lambda: resource(
        "/ColorSpace", lambda pdf: Array([Name.DeviceRGB, pdf.make_stream(WORD)])
    ),
    "state that is a stream": lambda: resource("/ExtGState", stream()),
    "font that is a stream": lambda: resource("/Font", stream()),
    "procedures": lambda: resource("/ProcSet", stream()),
    "name of a procedure": lambda: resource("/ProcSet", lambda _: Array([Name.PDF, NAME])),
    "properties that are a stream": lambda: resource("/Properties", stream()),
    "name in properties": lambda: resource("/Properties", lambda _: Dictionary(Own=NAME)),
    "keys of content": content_with_keys,
}


def saved(pdf):
    out = io.BytesIO()
    pdf.save(out, compress_streams=False)
    return out.getvalue()


def views(data):
    """Yield the bytes of a file, and what its streams hold."""
    yield data
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for found in pdf.objects:
            if isinstance(found, pikepdf.Stream):
                yield bytes(found.read_bytes())


def drawn(data):
    with pdfium.PdfDocument(data) as document:
        return document[0].render(scale=1).to_numpy().copy()


@pytest.mark.parametrize("place", PLACES)
def test_words_where_no_viewer_looks_are_gone_and_the_page_looks_as_before(place):
    before = saved(PLACES[place]())
    assert b"Quetzalcanary" in before
    after = sanitise(before, current_limits()).data
    assert not any(b"Quetzalcanary" in view for view in views(after))
    assert (drawn(before) == drawn(after)).all()


def test_what_belongs_to_a_page_stays():
    """A pattern, a mask, functions, a table of colours and a mesh are drawn as before, byte for byte."""
    pdf, resources = page_of(
        b" /Pattern cs /P1 scn 60 400 99 99 re f /C1 cs .5 scn 60 200 99 99 re f /C2 cs 1 scn 160 200 50 50 re f"
        b" /G1 gs /S1 sh 1 0 0 rg 10 10 60 60 re f /OC /L1 BDC 5 5 9 9 re f EMC"
    )
    tile = {"PatternType": 1, "PaintType": 1, "TilingType": 1, "BBox": Array([0, 0, 9, 9]), "XStep": 9, "YStep": 9}  # fmt: skip
    resources.Pattern = Dictionary(
        P1=pdf.make_stream(b"1 0 0 rg 0 0 3 3 re f", Resources=Dictionary(), **tile)
    )
    tint = pdf.make_stream(b"{ dup 0.5 mul exch 1 exch sub 0 }", FunctionType=4, Domain=Array([0, 1]), Range=Array([0, 1] * 3))  # fmt: skip
    table = pikepdf.String(bytes([0, 0, 0, 0, 0, 255]))
    resources.ColorSpace = Dictionary(
        C1=Array([Name.Separation, Name.Black, Name.DeviceRGB, tint]),
        C2=Array([Name.Indexed, Name.DeviceRGB, 1, table]),
    )
    ends = [Dictionary(FunctionType=2, Domain=Array([0, 1]), C0=Array([0, 0, a]), C1=Array([1, a, 0]), N=1) for a in (0, 1)]  # fmt: skip
    shades = Dictionary(FunctionType=3, Domain=Array([0, 1]), Functions=Array(ends), Bounds=Array([0.5]), Encode=Array([0, 1, 0, 1]))  # fmt: skip
    resources.Shading = Dictionary(S1=Dictionary(
        ShadingType=2, ColorSpace=Name.DeviceRGB, Coords=Array([0, 0, 300, 842]), Function=shades, Extend=Array([True, True])
    ))  # fmt: skip
    grey = Dictionary(Type=Name.Group, S=Name.Transparency, CS=Name.DeviceGray)
    seen = pdf.make_stream(
        b".5 g 0 0 300 842 re f", Subtype=Name.Form, BBox=Array([0, 0, 300, 842]), Group=grey
    )
    resources.ExtGState = Dictionary(
        G1=Dictionary(
            Type=Name.ExtGState,
            BM=Name.Multiply,
            ca=0.5,
            SMask=Dictionary(S=Name.Luminosity, G=seen),
        )
    )
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=pikepdf.String("Layer 1")))
    pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(ON=Array([layer])))
    resources.Properties = Dictionary(L1=Dictionary(Type=Name.OCMD, OCGs=layer, P=Name.AnyOn))
    before = saved(pdf)
    found = sanitise(before, current_limits())
    assert found.dropped == ()
    assert (drawn(before) == drawn(found.data)).all()
    assert len({tuple(c) for row in drawn(before) for c in row}) > 50  # colours: they are drawn


def test_plain_content_is_not_taken_apart():
    called = frozenset([b"F1", b"Im12", b"GS0"])
    plain = (
        b"/Artifact <</Type/Pagination>> BDC q .5 0 0 -.5 +12 3. cm /Im12 Do Q EMC BT /F1 9 Tf[(a\\)b)-3<0a>]TJ <00>Tj (c)' 1 2(d)\" ET "
        b"/OC /MC0 BDC [3 2]0 d /GS0 gs /Perceptual ri /DeviceRGB cs 1 0 0 scn 0 0 5 5 re f* EMC\n"
    )
    assert has_only_drawing(plain, called | {b"MC0"})
    assert not has_only_drawing(plain, called)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (b"(Ann) 5 w 0 0 m", b"5 w\n0 0 m"), (b"BT (x) Tj ET Ann", b"BT\n(x) Tj\nET"), (b"/Ann gs", b"/N0x gs"),
        (b"/Ann ri /F1 9 Tf", b"/F1 9 Tf"), (b"[(Ann) 5] 0 d", b"[ 5 ] 0 d"), (b"<</A (Ann)>> w q", b"q"),
    ],
)  # fmt: skip
def test_operators_keep_what_they_take(given, left):
    pdf, _ = page_of(given, draw=b"")
    operations = only_drawing(parse(pikepdf.Page(pdf.pages[0].obj)), frozenset([b"F1"]))
    assert unparse(operations) == left


def test_tags_of_the_standard_are_words_of_the_format():
    """A removed word may be the name of a tag; as any other name it is a leak."""
    tagged = saved(page_of(b"/Document <</MCID 0>> BDC q Q EMC")[0])
    assert find_leaks(tagged, ["Document"]) == 0
    assert (
        find_leaks(saved(page_of(b"/Quixadelmo <</MCID 0>> BDC q Q EMC")[0]), ["Quixadelmo"]) == 1
    )
