"""More places where a PDF can hide a name: other scripts, signatures, pixels, and files that are two files at once."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from pathlib import Path

import pikepdf
import reportlab
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTFont
from pikepdf import Array, Dictionary, Name, String

from benchmarks._pdf_places import Draw, Made, body, changed, name, prose, with_content

_HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"


def locked(draw: Draw) -> Made:
    """A file that opens without a password and may not be changed."""
    data, names = body(draw)
    return changed(data, lambda _: None, encryption=pikepdf.Encryption(owner=names[0], user="")), names  # fmt: skip


def polyglot(draw: Draw) -> Made:
    """A PDF with a line before it and an archive behind it."""
    data, names = body(draw)
    before, behind = name(draw), name(draw)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{behind}.txt", f"a letter to {behind}")
    return b"#!/bin/sh # " + before.encode() + b"\n" + data + packed.getvalue(), [*names, before, behind]  # fmt: skip


def signature(draw: Draw) -> Made:
    """A signature with a name, a reason and a drawn form."""
    who, reason, place = names = [name(draw) for _ in range(3)]

    def sign(pdf: pikepdf.Pdf) -> None:
        looks = pdf.make_stream(
            f"BT /F1 9 Tf 2 4 Td (Signed by {who} today) Tj ET".encode(), Type=Name.XObject, Subtype=Name.Form,
            BBox=[0, 0, 260, 20], Resources=pdf.pages[0].obj.Resources,
        )  # fmt: skip
        value = Dictionary(
            Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), SubFilter=Name("/adbe.pkcs7.detached"), Name=String(who),
            Reason=String(f"agreed with {reason}"), Location=String(f"at {place}"), ByteRange=Array([0, 10, 20, 10]),
            Contents=String(who.encode().hex()),
        )  # fmt: skip
        field = pdf.make_indirect(
            Dictionary(
                Type=Name.Annot, Subtype=Name.Widget, FT=Name.Sig, T=String("sig"), V=value, F=4,
                Rect=Array([60, 200, 320, 220]), AP=Dictionary(N=looks),
            )
        )  # fmt: skip
        pdf.pages[0].obj.Annots = Array([field])
        pdf.Root.AcroForm = Dictionary(Fields=Array([field]), SigFlags=3)

    return changed(with_content(draw, f"BT /F1 11 Tf 60 700 Td ({prose(draw, 9)}) Tj ET"), sign), names  # fmt: skip


def pixels(draw: Draw) -> Made:
    """A name in the samples of a picture, of its mask and of an inline picture."""
    names = [name(draw) for _ in range(3)]
    inline = f"BI /W {len(names[0])} /H 1 /CS /G /BPC 8 ID {names[0]} EI"
    content = f"q 40 0 0 40 60 60 cm /I Do Q q 40 0 0 40 160 60 cm {inline} Q BT /F1 11 Tf 60 700 Td ({prose(draw, 9)}) Tj ET"

    def change(pdf: pikepdf.Pdf) -> None:
        image, mask = (
            pdf.make_stream(
                each.encode(), Type=Name.XObject, Subtype=Name.Image, Width=len(each), Height=1, BitsPerComponent=8,
                ColorSpace=Name.DeviceGray,
            )
            for each in names[1:]
        )  # fmt: skip
        image.SMask = mask
        pdf.pages[0].obj.Resources.XObject = Dictionary(I=image)

    return changed(with_content(draw, content), change), names


def _mapped(pdf: pikepdf.Pdf, texts: dict[int, str], width: int) -> pikepdf.Object:
    lines = "\n".join(f"<{code:0{width}x}> <{text.encode('utf-16-be').hex()}>" for code, text in texts.items())  # fmt: skip
    return pdf.make_stream(
        f"/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <{'0' * width}> "
        f"<{'f' * width}> endcodespacerange {len(texts)} beginbfchar\n{lines}\nendbfchar endcmap end end".encode()
    )


def ligatures(draw: Draw) -> Made:
    """Names with ligatures, each one glyph that is several letters."""
    kinds = {1: "ffi", 2: "ff", 3: "fi", 4: "fl"}
    names = [f"{draw.choice(['Steffi', 'Fiona', 'Affie'])} {draw.choice(['Griffith', 'Pfeiffer', 'Hofflinger'])}" for _ in range(2)]  # fmt: skip

    def shown(text: str) -> str:
        for code, letters in kinds.items():
            text = text.replace(letters, f"\\{code:03o}")
        return text

    def change(pdf: pikepdf.Pdf) -> None:
        font = pdf.pages[0].obj.Resources.Font.F1
        listed = Array([1, *(Name("/" + letters) for letters in kinds.values())])
        font.Encoding = Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=listed)
        font.FirstChar, font.LastChar, font.Widths = 1, 126, Array([556] * 126)
        plain = {code: chr(code) for code in range(32, 127)}
        font.ToUnicode = _mapped(pdf, plain | kinds, 2)

    text = shown(f"The office of {names[0]} and the staff of {names[1]} found a flat")
    return changed(with_content(draw, f"BT /F1 11 Tf 60 700 Td ({text}) Tj ET"), change), names


def right_to_left(draw: Draw) -> Made:
    """Hebrew, drawn as it is seen from left to right."""
    codes = {letter: 65 + i for i, letter in enumerate(_HEBREW)} | {" ": 32}
    first, last, other = ("".join(draw.choice(_HEBREW) for _ in range(6)) for _ in range(3))
    seen = "".join(chr(codes[c]) for c in reversed(f"{other} {first} {last} {other}"))

    def change(pdf: pikepdf.Pdf) -> None:
        font = pdf.pages[0].obj.Resources.Font.F1
        font.ToUnicode = _mapped(pdf, {code: letter for letter, code in codes.items()}, 2)

    return changed(with_content(draw, f"BT /F1 11 Tf 60 700 Td ({seen}) Tj ET"), change), [f"{first} {last}"]  # fmt: skip


def vertical(draw: Draw) -> Made:
    """Letters below each other, by a font that writes from top to bottom."""
    who = name(draw)
    shown = f"Seen {who} there".encode("utf-16-be").hex()

    def change(pdf: pikepdf.Pdf) -> None:
        inner = Dictionary(
            Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.Helvetica, DW=600,
            CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0),
            FontDescriptor=Dictionary(Type=Name.FontDescriptor, FontName=Name.Helvetica, Flags=4),
        )  # fmt: skip
        pdf.pages[0].obj.Resources.Font.V1 = Dictionary(
            Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Helvetica, Encoding=Name("/Identity-V"),
            DescendantFonts=Array([inner]), ToUnicode=_mapped(pdf, {c: chr(c) for c in range(32, 127)}, 4),
        )  # fmt: skip

    content = (
        f"BT /F1 11 Tf 60 780 Td ({prose(draw, 9)}) Tj ET BT /V1 11 Tf 300 700 Td <{shown}> Tj ET"
    )
    return changed(with_content(draw, content), change), [who]


def profile(draw: Draw) -> Made:
    """Names in the texts of a colour profile, in the name of a collection of characters and in that of a language."""
    names = [name(draw) for _ in range(5)]
    described, notice, model, collection, language = names
    wide = model.encode("utf-16-be")
    tags = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(described) + 1) + described.encode() + bytes(80),
        b"cprt": b"text\0\0\0\0" + notice.encode() + b"\0",
        b"dmdd": b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(wide), 28) + wide,
        b"wtpt": b"XYZ \0\0\0\0" + struct.pack(">iii", 63190, 65536, 54061),
    }  # fmt: skip
    head, body_ = struct.pack(">I", len(tags)), b""
    for tag, content in tags.items():
        head += struct.pack(">4sII", tag, 132 + 12 * len(tags) + len(body_), len(content))
        body_ += content
    header = struct.pack(">I4sI4s4s4s12x4s", 128 + len(head + body_), b"none", 0x2100000, b"mntr", b"RGB ", b"XYZ ", b"acsp").ljust(128, b"\0")  # fmt: skip

    def change(pdf: pikepdf.Pdf) -> None:
        space = Array([Name.ICCBased, pdf.make_stream(header + head + body_, N=3, Alternate=Name.DeviceRGB)])  # fmt: skip
        pdf.pages[0].obj.Resources.ColorSpace = Dictionary(C=pdf.make_indirect(space))
        inner = Dictionary(
            Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.Helvetica, DW=600,
            CIDSystemInfo=Dictionary(Registry=String(collection), Ordering=String("Identity"), Supplement=0),
            FontDescriptor=Dictionary(Type=Name.FontDescriptor, FontName=Name.Helvetica, Flags=4, Lang=String(language)),
        )  # fmt: skip
        pdf.pages[0].obj.Resources.Font.V1 = Dictionary(
            Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Helvetica, Encoding=Name("/Identity-H"),
            DescendantFonts=Array([inner]), ToUnicode=_mapped(pdf, {ord(c): c for c in "there"}, 4),
        )  # fmt: skip

    content = (
        f"/C cs .2 .3 .4 sc BT /F1 11 Tf 60 700 Td ({prose(draw, 9)}) Tj /V1 11 Tf 0 -20 Td "
        f"<{'there'.encode('utf-16-be').hex()}> Tj ET"
    )
    return changed(with_content(draw, content), change), names


def outlines(draw: Draw, *, over_text: bool = True) -> Made:
    """A name whose letters are drawn as curves, over the same name as text that is not seen or over none."""
    from fontTools.pens.basePen import BasePen
    from fontTools.ttLib import TTFont

    class Pen(BasePen):
        def _moveTo(self, at: tuple[float, float]) -> None:  # noqa: N802
            drawn.append(f"{at[0]:.0f} {at[1]:.0f} m")

        def _lineTo(self, at: tuple[float, float]) -> None:  # noqa: N802
            drawn.append(f"{at[0]:.0f} {at[1]:.0f} l")

        def _curveToOne(self, *points: tuple[float, float]) -> None:  # noqa: N802
            drawn.append(" ".join(f"{x:.0f} {y:.0f}" for x, y in points) + " c")

        def _closePath(self) -> None:  # noqa: N802
            drawn.append("h")

    who, drawn = name(draw), list[str]()
    font = TTFont(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")
    glyphs, letters = font.getGlyphSet(), font.getBestCmap()
    for letter in who:
        glyph = glyphs[letters[ord(letter)]]
        glyph.draw(Pen(glyphs))
        drawn.append(f"f 1 0 0 1 {glyph.width} 0 cm")
    content = f"q .012 0 0 .012 60 700 cm {' '.join(drawn)} Q"
    if over_text:
        content += f" BT 3 Tr /F1 24 Tf 60 700 Td ({who}) Tj ET"
    return with_content(draw, content), [who]


def font_names(draw: Draw) -> Made:
    """Fonts that are called after people: in the objects of the file, and in programs of each kind."""
    names = [name(draw) for _ in range(4)]
    folder = Path(reportlab.__file__).parent / "fonts"

    def change(pdf: pikepdf.Pdf) -> None:
        programs = [
            ("/FontFile2", _truetype_named(folder / "Vera.ttf", names[0]), {}),
            ("/FontFile3", _compact_named(names[1]), {"Subtype": Name.Type1C}),
            ("/FontFile", *_type1_named(folder / "DarkGardenMK.pfb", names[2])),
        ]
        fonts = pdf.pages[0].obj.Resources.Font
        for number, (key, program, more) in enumerate(programs, 2):
            called = Name("/" + names[3])
            descriptor = Dictionary(
                Type=Name.FontDescriptor, FontName=called, FontFamily=String(names[3]), Flags=32, ItalicAngle=0,
                FontBBox=[0, -200, 1000, 900], Ascent=900, Descent=-200, CapHeight=700, StemV=80,
            )  # fmt: skip
            descriptor[key] = pdf.make_stream(program, **more)
            fonts[f"/F{number}"] = Dictionary(
                Type=Name.Font, Subtype=Name.TrueType if number == 2 else Name.Type1, BaseFont=called, FirstChar=32,
                LastChar=126, Widths=Array([600] * 95), Encoding=Name.WinAnsiEncoding, FontDescriptor=descriptor,
            )  # fmt: skip

    shown = " ".join(f"/F{n} 11 Tf 0 -30 Td (aabbab) Tj" for n in (2, 3, 4))
    return changed(with_content(draw, f"BT /F1 11 Tf 60 700 Td ({prose(draw, 9)}) Tj {shown} ET"), change), names  # fmt: skip


def _truetype_named(file: Path, who: str) -> bytes:
    font = TTFont(file)
    for record in font["name"].names:
        record.string = who
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def _compact_named(who: str) -> bytes:
    drawings = {}
    for number, letter in enumerate((".notdef", "a", "b"), 1):
        pen = T2CharStringPen(600, None)
        pen.moveTo((50, 0))
        for point in ((50, 200 * number), (450, 200 * number), (450, 0)):
            pen.lineTo(point)
        pen.closePath()
        drawings[letter] = pen.getCharString()
    made = FontBuilder(1000, isTTF=False)
    made.setupGlyphOrder(list(drawings))
    made.setupCFF(
        who.replace(" ", ""), {"FullName": who, "FamilyName": who, "Notice": f"drawn by {who}"}, drawings, {}
    )  # fmt: skip
    return bytes(made.font["CFF "].compile(made.font))


def _type1_named(file: Path, who: str) -> tuple[bytes, dict[str, int]]:
    """Return a program without the marks of its segments, and the lengths of its parts."""
    rest, parts = file.read_bytes(), []
    while rest[1] != 3:
        (size,) = struct.unpack_from("<I", rest, 2)
        parts.append(rest[6 : 6 + size])
        rest = rest[6 + size :]
    clear = b"%!PS-AdobeFont-1.0: " + who.encode() + parts[0][parts[0].index(b"\n") :]
    clear = re.sub(rb"/(FullName|Notice) ?\([^()]*\)", lambda m: b"/%b (%b)" % (m[1], who.encode()), clear)  # fmt: skip
    return clear + parts[1] + b"".join(parts[2:]), {
        "Length1": len(clear), "Length2": len(parts[1]), "Length3": len(b"".join(parts[2:])),
    }  # fmt: skip


def field(draw: Draw) -> Made:
    """A drawn field whose box is begun as a clip and never drawn, as some programs write them."""
    who = name(draw)

    def change(pdf: pikepdf.Pdf) -> None:
        looks = f"/Tx BMC q 2 1 396 18 re W BT /F1 11 Tf 0 g 2 4 Td (We heard {who} speak then) Tj ET Q EMC"
        pdf.pages[0].obj.Resources.XObject = Dictionary(
            X=pdf.make_stream(
                looks.encode(), Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 400, 20],
                Resources=Dictionary(Font=pdf.pages[0].obj.Resources.Font),
            )
        )  # fmt: skip

    content = f"BT /F1 11 Tf 60 700 Td ({prose(draw, 9)}) Tj ET q 1 0 0 1 60 500 cm /X Do Q"
    return changed(with_content(draw, content), change), [who]


def upside_down(draw: Draw) -> Made:
    """A line that is turned by half a turn, a piece of text for each word."""
    who = name(draw)
    words, at, pieces = ["Written", "for", *who.split(), "on", "the", "back"], 500, []
    for word in words:
        pieces.append(f"BT /F1 11 Tf -1 0 0 -1 {at} 300 Tm ({word}) Tj ET")
        at -= 7 * len(word) + 8
    return with_content(draw, f"BT /F1 11 Tf 60 700 Td ({prose(draw, 9)}) Tj ET {' '.join(pieces)}"), [who]  # fmt: skip


MORE_PLACES = {
    each.__name__: each
    for each in (
        locked, polyglot, signature, pixels, ligatures, right_to_left, vertical, profile, font_names, field, upside_down,
    )
}  # fmt: skip
