"""Generated PDF files with names planted in every place where a PDF can hide one."""

from __future__ import annotations

import io
import random
import textwrap
from collections.abc import Callable
from pathlib import Path

import pikepdf
import reportlab
from pikepdf import Array, Dictionary, Name, String
from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

FIRST = ["Wolfgang", "Fiona", "Siobhan", "Zoltan", "Ludmila", "Affie", "Jurgen", "Florence", "Giuseppe", "Margarethe", "Steffi", "Winifred", "Ottokar"]  # fmt: skip
LAST = ["Pfeiffer", "Flaherty", "Hofflinger", "Szymborska", "Quackenbush", "Griffith", "Oxenstierna", "Fitzwilliam", "Vandermeulen", "Zwingli"]  # fmt: skip
WORDS = [
    "the",
    "patient",
    "was",
    "seen",
    "on",
    "ward",
    "with",
    "stable",
    "findings",
    "and",
    "will",
    "return",
    "for",
    "further",
    "review",
    "after",
    "treatment",
    "because",
    "of",
    "mild",
    "pain",
    "in",
    "left",
    "knee",
    "while",
    "office",
    "staff",
    "confirmed",
    "the",
    "first",
    "appointment",
    "file",
]
Made = tuple[bytes, list[str]]
Draw = random.Random


def name(draw: Draw) -> str:
    return f"{draw.choice(FIRST)} {draw.choice(LAST)}"


def prose(draw: Draw, count: int = 60) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(count))


def drawn(paint: Callable[[Canvas], object]) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1, pageCompression=0)
    paint(canvas)
    canvas.save()
    return out.getvalue()


def lines(
    canvas: Canvas, text: str, *, left: float = 60, top: float = 780, width: int = 90, font: str = "Helvetica",
    size: float = 11,
) -> None:  # fmt: skip
    canvas.setFont(font, size)
    for line in textwrap.wrap(text, width):
        canvas.drawString(left, top, line)
        top -= 1.3 * size


def changed(data: bytes, change: Callable[[pikepdf.Pdf], object], **options: object) -> bytes:
    pdf = pikepdf.open(io.BytesIO(data))
    change(pdf)
    out = io.BytesIO()
    pdf.save(out, deterministic_id="encryption" not in options, **options)  # type: ignore[arg-type]
    return out.getvalue()


def plain(draw: Draw, count: int = 60) -> bytes:
    return drawn(lambda canvas: lines(canvas, prose(draw, count)))


def with_content(draw: Draw, content: str, **resources: object) -> bytes:
    """Return a page with this content; F1 is Helvetica."""

    def change(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[0].obj
        page["/Contents"] = pdf.make_stream(content.encode("latin-1"))
        page["/Resources"] = Dictionary(Font=Dictionary(F1=_helvetica()), **resources)

    return changed(plain(draw, 4), change)


def _helvetica() -> Dictionary:
    return Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding
    )


# --- text on the page ----------------------------------------------------------------------------


def body(draw: Draw) -> Made:
    who = name(draw)
    text = f"{prose(draw, 30)} {who} {prose(draw, 40)} seen by {who}. {prose(draw, 20)}"
    return drawn(lambda canvas: lines(canvas, text)), [who]


def _vera() -> str:
    if "Vera" not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont("Vera", str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf")))  # fmt: skip
    return "Vera"


def truetype(draw: Draw) -> Made:
    who = draw.choice(FIRST) + " " + draw.choice(["Müßiggang", "Çelikolu", "Brønsted"])
    text = f"Dear {who}, {prose(draw, 60)} {who} {prose(draw, 10)}"
    return drawn(lambda canvas: lines(canvas, text, font=_vera(), size=10)), [who]


def type1(draw: Draw) -> Made:
    folder = Path(reportlab.__file__).parent / "fonts"
    if "Rina" not in pdfmetrics.getRegisteredFontNames():
        face = pdfmetrics.EmbeddedType1Face(str(folder / "DarkGardenMK.afm"), str(folder / "DarkGardenMK.pfb"))  # fmt: skip
        pdfmetrics.registerTypeFace(face)
        pdfmetrics.registerFont(pdfmetrics.Font("Rina", face.name, "WinAnsiEncoding"))
    who = name(draw)
    return drawn(lambda c: lines(c, f"{prose(draw, 20)} {who} {prose(draw, 20)}", font="Rina")), [
        who
    ]


def columns(draw: Draw, count: int = 2) -> Made:
    """Columns that are drawn line by line across the page."""
    who = [name(draw) for _ in range(count)]
    wide = {2: 42, 3: 27, 4: 20}[count]
    texts = [
        textwrap.wrap(f"{prose(draw, draw.randint(8, 30))} {each} {prose(draw, 30)}", wide)
        for each in who
    ]

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 9 if count > 3 else 10)
        for i in range(max(map(len, texts))):
            for j, text in enumerate(texts):
                if i < len(text):
                    canvas.drawString(48 + 500 / count * j, 780 - 12 * i, text[i])

    return drawn(paint), who


def three_columns(draw: Draw) -> Made:
    return columns(draw, 3)


def table(draw: Draw) -> Made:
    """Cells with wrapped names, drawn line by line across the cells."""
    rows = [[name(draw), prose(draw, draw.randint(3, 12)), name(draw), prose(draw, 6)] for _ in range(6)]  # fmt: skip

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        top = 780.0
        for row in rows:
            cells = [textwrap.wrap(text, wide) for text, wide in zip(row, (12, 24, 12, 24), strict=True)]  # fmt: skip
            deep = max(map(len, cells))
            for i in range(deep):
                for cell, left in zip(cells, (50, 130, 280, 360), strict=True):
                    if i < len(cell):
                        canvas.drawString(left, top - 11 * i, cell[i])
            top -= 11 * deep + 6

    return drawn(paint), [each for row in rows for each in (row[0], row[2])]


def turned(draw: Draw) -> Made:
    one, two = name(draw), name(draw)

    def paint(canvas: Canvas) -> None:
        lines(canvas, prose(draw, 40))
        for x, y, angle, text in ((200, 300, 37, f"Copy for {one} only"), (560, 300, 90, f"note {two} end")):  # fmt: skip
            canvas.saveState()
            canvas.translate(x, y)
            canvas.rotate(angle)
            canvas.drawString(0, 0, text)
            canvas.restoreState()

    return changed(drawn(paint), lambda pdf: pdf.pages[0].obj.__setitem__("/Rotate", 90)), [
        one,
        two,
    ]


def hyphen(draw: Draw) -> Made:
    who = draw.choice(LAST)

    def paint(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 11)
        canvas.drawString(60, 780, f"{prose(draw, 8)} Mrs {who[:5]}-")
        canvas.drawString(60, 766, f"{who[5:]} {prose(draw, 9)}")
        lines(canvas, prose(draw, 40), top=740)

    return drawn(paint), [who]


def page_break(draw: Draw) -> Made:
    first, last = (who := name(draw)).split()

    def paint(canvas: Canvas) -> None:
        lines(canvas, prose(draw, 40))
        canvas.drawString(60, 80, f"{prose(draw, 8)} {first}")
        canvas.drawString(60, 50, "1 see the note on this")
        canvas.showPage()
        canvas.setFont("Helvetica", 11)
        canvas.drawString(60, 780, f"{last} {prose(draw, 9)}")
        lines(canvas, prose(draw, 20), top=760)

    return drawn(paint), [who]


def letters(draw: Draw) -> Made:
    """Letters one by one: by TJ, Td, text objects and matrices; the operators ' and "."""
    a, b, c, d, e, f = who = [name(draw) for _ in range(6)]
    kerned = "[" + " ".join(f"({x}) {draw.randint(-90, 90)}" for x in a) + "] TJ"
    moved = " ".join(f"({x}) Tj {6.5 if x != ' ' else 4} 0 Td" for x in b)
    objects = " ".join(f"BT /F1 11 Tf {60 + 7 * i} 550 Td ({x}) Tj ET" for i, x in enumerate(e))
    matrices = " ".join(f"q 1 0 0 1 {60 + 7 * i} 500 cm BT /F1 11 Tf ({x}) Tj ET Q" for i, x in enumerate(f))  # fmt: skip
    content = (
        f"BT /F1 12 Tf 60 700 Td (First ) Tj {kerned} ( and after) Tj ET BT /F1 11 Tf 60 650 Td {moved} (x) Tj ET "
        f"BT 12 TL /F1 10 Tf 60 600 Td 80 Tz 2 Tc 3 Tw (before) Tj (to {c} line) ' 0 Tc 1 0 (and {d} too) \" 100 Tz "
        f"5 Ts (raised) Tj ET {objects} {matrices}"
    )
    return with_content(draw, content), who


def twice(draw: Draw) -> Made:
    who = name(draw)
    text = f"Dear {who} here"
    return drawn(lambda c: (c.setFont("Helvetica", 12), c.drawString(60, 700, text), c.drawString(60.3, 700, text))), [who]  # fmt: skip


def unseen(draw: Draw) -> Made:
    """White, off the page, tiny, on a hidden layer, clipped, covered."""
    a, b, c, d, e, f = who = [name(draw) for _ in range(6)]
    layer = Dictionary(Type=Name.OCG, Name=String("off"))
    content = (
        f"BT /F1 11 Tf 60 780 Td (Visible words here) Tj ET 1 g BT /F1 10 Tf 60 700 Td ({a}) Tj ET 0 g "
        f"BT /F1 10 Tf 60 -300 Td ({b}) Tj ET BT /F1 .5 Tf 60 650 Td ({c}) Tj ET "
        f"/OC /oc1 BDC BT /F1 10 Tf 60 600 Td ({d}) Tj ET EMC "
        f"q 0 0 5 5 re W n BT /F1 10 Tf 60 550 Td ({e}) Tj ET Q "
        f"BT /F1 10 Tf 60 500 Td ({f}) Tj ET 0 g 55 495 200 20 re f"
    )

    def hide(pdf: pikepdf.Pdf) -> None:
        oc = pdf.make_indirect(layer)
        pdf.pages[0].obj.Resources.Properties = Dictionary(oc1=oc)
        pdf.Root.OCProperties = Dictionary(OCGs=Array([oc]), D=Dictionary(OFF=Array([oc])))

    return changed(with_content(draw, content), hide), who


def type3(draw: Draw) -> Made:
    """Letters that are drawings, and text inside a tiling pattern."""
    who, other = name(draw), name(draw)
    known = sorted(set(who + " "))

    def change(pdf: pikepdf.Pdf) -> None:
        drawings, named = Dictionary(), Array([1])
        for i in range(len(known)):
            drawings[f"/g{i + 1}"] = pdf.make_stream(f"600 0 d0 {50 + i * 9} 0 300 {300 + i * 15} re f".encode())  # fmt: skip
            named.append(Name(f"/g{i + 1}"))
        listed = "".join(f"<{i + 1:02x}> <{ord(c):04x}>\n" for i, c in enumerate(known))
        texts = (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> "
            f"endcodespacerange {len(known)} beginbfchar\n{listed}endbfchar endcmap end end"
        )
        font = Dictionary(
            Type=Name.Font, Subtype=Name.Type3, FontBBox=[0, 0, 600, 800], FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            CharProcs=drawings, Encoding=Dictionary(Type=Name.Encoding, Differences=named), FirstChar=1,
            LastChar=len(known), Widths=Array([600] * len(known)), ToUnicode=pdf.make_stream(texts.encode()),
        )  # fmt: skip
        pattern = pdf.make_stream(
            f"BT /F1 8 Tf 2 5 Td ({other}) Tj ET".encode(), Type=Name.Pattern, PatternType=1, PaintType=1,
            TilingType=1, BBox=[0, 0, 120, 20], XStep=120, YStep=20,
            Resources=Dictionary(Font=Dictionary(F1=_helvetica())),
        )  # fmt: skip
        page = pdf.pages[0].obj
        page.Resources.Font.T3 = pdf.make_indirect(font)
        page.Resources.Pattern = Dictionary(P1=pattern)

    coded = "".join(f"{known.index(c) + 1:02x}" for c in who)
    content = f"BT /F1 11 Tf 60 780 Td (Plain line above) Tj ET BT /T3 12 Tf 60 700 Td <{coded}> Tj ET /Pattern cs /P1 scn 60 400 300 100 re f"  # fmt: skip
    return changed(with_content(draw, content), change), [who, other]


def forms(draw: Draw) -> Made:
    """A form in a form, on two pages, and text in the group of a soft mask."""
    who, other = name(draw), name(draw)

    def paint(canvas: Canvas) -> None:
        canvas.beginForm("hdr")
        canvas.setFont("Helvetica", 9)
        canvas.drawString(60, 810, f"Patient: {who} born 1970")
        canvas.endForm()
        canvas.beginForm("outer")
        canvas.doForm("hdr")
        canvas.endForm()
        for _ in range(2):
            canvas.doForm("outer")
            lines(canvas, prose(draw, 50))
            canvas.showPage()

    def mask(pdf: pikepdf.Pdf) -> None:
        group = pdf.make_stream(
            f"BT /F1 9 Tf 60 300 Td (mask {other} end) Tj ET".encode(), Type=Name.XObject, Subtype=Name.Form,
            BBox=[0, 0, 600, 800], Group=Dictionary(S=Name.Transparency, CS=Name.DeviceGray),
            Resources=Dictionary(Font=Dictionary(F1=_helvetica())),
        )  # fmt: skip
        page = pdf.pages[0]
        soft = Dictionary(Type=Name.Mask, S=Name.Luminosity, G=group)
        page.obj.Resources.ExtGState = Dictionary(M=Dictionary(Type=Name.ExtGState, SMask=soft))
        page.contents_add(pdf.make_stream(b"q /M gs 0 0 10 10 re f Q"))

    return changed(drawn(paint), mask), [who, other]


def undrawn(draw: Draw) -> Made:
    """Text in a form that no page draws, and in one that only a pattern draws."""
    who, other = name(draw), name(draw)

    def change(pdf: pikepdf.Pdf) -> None:
        made = [
            pdf.make_stream(
                f"BT /F1 9 Tf 6 5 Td (kept for {each}) Tj ET".encode(), Type=Name.XObject, Subtype=Name.Form,
                BBox=[0, 0, 200, 40], Resources=Dictionary(Font=Dictionary(F1=_helvetica())),
            )
            for each in (who, other)
        ]  # fmt: skip
        pattern = pdf.make_stream(
            b"/X Do", Type=Name.Pattern, PatternType=1, PaintType=1, TilingType=1, BBox=[0, 0, 200, 40], XStep=200,
            YStep=40, Resources=Dictionary(XObject=Dictionary(X=made[1])),
        )  # fmt: skip
        resources = pdf.pages[0].obj.Resources
        resources.XObject, resources.Pattern = Dictionary(Old=made[0]), Dictionary(P1=pattern)

    content = (
        "BT /F1 11 Tf 60 780 Td (Plain line above) Tj ET /Pattern cs /P1 scn 60 400 300 100 re f"
    )
    return changed(with_content(draw, content), change), [who, other]


def typeset(draw: Draw) -> Made:
    """A justified, hyphenated page in two columns with composite fonts."""
    import typst

    a, b, c = who = [name(draw) for _ in range(3)]
    source = (
        f'#set document(title: "Letter {b}", author: "{c}", date: none)\n#set par(justify: true)\n'
        f'#set text(hyphenate: true, lang: "de")\n= Letter to {a}\n'
        f"#columns(2)[{prose(draw, 50)} {b} {prose(draw, 60)} *{a}* {prose(draw, 20)} {c} {prose(draw, 30)}]\n"
        f"#v(3cm)#rotate(30deg)[{b}]"
    )
    return typst.compile(source.encode()), who


# --- beside the page -----------------------------------------------------------------------------


def annotations(draw: Draw) -> Made:
    a, b, c, d = who = [name(draw) for _ in range(4)]

    def paint(canvas: Canvas) -> None:
        lines(canvas, prose(draw, 60))
        canvas.textAnnotation(f"ask {a} about it", Rect=[100, 600, 120, 620])
        canvas.linkURL("https://x.example/?q=" + b.replace(" ", "+"), (60, 500, 200, 520))
        canvas.freeTextAnnotation(f"Free {c} text", DA="/Helv 10 Tf 0 g", Rect=[100, 400, 300, 420])

    def stamp(pdf: pikepdf.Pdf) -> None:
        looks = pdf.make_stream(
            f"BT /Helv 10 Tf 2 5 Td (Stamp {d}) Tj ET".encode(), Type=Name.XObject, Subtype=Name.Form,
            BBox=[0, 0, 200, 20], Resources=Dictionary(Font=Dictionary(Helv=_helvetica())),
        )  # fmt: skip
        pdf.pages[0].obj.Annots.append(pdf.make_indirect(Dictionary(
            Type=Name.Annot, Subtype=Name.Stamp, Rect=[100, 300, 300, 320], AP=Dictionary(N=looks), T=String(a), F=4,
        )))  # fmt: skip

    return changed(drawn(paint), stamp), [a, b.replace(" ", "+"), c, d] if who else []


def fields(draw: Draw) -> Made:
    who = name(draw)

    def paint(canvas: Canvas) -> None:
        lines(canvas, prose(draw, 40))
        canvas.acroForm.textfield(name="pat", value=who, x=60, y=600, width=200, height=20)
        canvas.acroForm.choice(name="doc", value=who, options=[who, "Other"], x=60, y=500, width=200, height=20)  # fmt: skip

    return drawn(paint), [who]


def outline(draw: Draw) -> Made:
    who = name(draw)
    key = who.replace(" ", "_")

    def paint(canvas: Canvas) -> None:
        lines(canvas, prose(draw, 40))
        canvas.bookmarkPage(key)
        canvas.addOutlineEntry(f"Chapter on {who}", key)

    return drawn(paint), [who, key]


def properties(draw: Draw) -> Made:
    """Info, XMP, private data, layers, page labels, scripts, thumbnails, inks, keys of inner objects."""
    a, b, c, d = who = [name(draw) for _ in range(4)]

    def change(pdf: pikepdf.Pdf) -> None:
        with pdf.open_metadata(set_pikepdf_as_editor=False) as about:
            about["dc:title"] = "Letter " + a
            about["dc:creator"] = [b]
        pdf.docinfo["/Author"], pdf.docinfo["/Keywords"] = a, b
        page, root = pdf.pages[0].obj, pdf.Root
        page.PieceInfo = Dictionary(App=Dictionary(LastModified=String("D:2020"), Private=Dictionary(User=String(b))))  # fmt: skip
        layer = Dictionary(Type=Name.OCG, Name=String("layer " + c), Usage=Dictionary(CreatorInfo=Dictionary(Creator=String(c))))  # fmt: skip
        root.OCProperties = Dictionary(
            OCGs=Array([pdf.make_indirect(layer)]), D=Dictionary(Name=String(c), Order=Array([String(c)]))
        )  # fmt: skip
        root.PageLabels = Dictionary(Nums=Array([0, Dictionary(P=String(b + " "))]))
        root.OpenAction = Dictionary(S=Name.JavaScript, JS=String(f"app.alert('{b}')"))
        page.Thumb = pdf.make_stream(b.encode().ljust(300, b"x"), Width=10, Height=10, BitsPerComponent=8, ColorSpace=Name.DeviceRGB)  # fmt: skip
        page.Resources.Font.F1.Secret = String(d)
        page.Resources.Font.F1.PDFpen = pdf.make_stream(d.encode())
        ink = Name("/" + d.replace(" ", ""))
        tint = Dictionary(FunctionType=2, Domain=[0, 1], C0=[0], C1=[1], N=1)
        page.Resources.Font["/" + a.replace(" ", "")] = page.Resources.Font.F1
        page["/Contents"] = pdf.make_stream(
            page.Contents.read_bytes()
            + f" BT /{a.replace(' ', '')} 9 Tf 60 90 Td (a plain line) Tj ET".encode()
        )
        page.Resources.ColorSpace = Dictionary(CS0=Array([Name.Separation, ink, Name.DeviceGray, tint]))  # fmt: skip

    return changed(plain(draw), change), [*who, a.replace(" ", ""), d.replace(" ", "")]


def attachment(draw: Draw) -> Made:
    who = name(draw)

    def attach(pdf: pikepdf.Pdf) -> None:
        pdf.attachments[f"{who}.txt"] = pikepdf.AttachedFileSpec(
            pdf, f"letter about {who}".encode(), filename=f"{who}.txt", description=f"for {who}"
        )

    return changed(plain(draw), attach), [who]


def marked(draw: Draw) -> Made:
    """ActualText, Alt, E, tags that are style names, properties, comments."""
    a, b, c, d, e = who = [name(draw) for _ in range(5)]
    style = d.replace(" ", "#20")
    content = (
        f"/Span <</ActualText ({a}) /MCID 0>> BDC BT /F1 11 Tf 60 500 Td (Name: {a}) Tj ET EMC % written for {e}\n"
        f"/{style} BMC BT /F1 11 Tf 60 480 Td (a line) Tj ET EMC /P /P0 BDC EMC /Span <</Own <{e.encode().hex()}>>> DP"
    )

    def change(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[0].obj
        page.Resources.Properties = Dictionary(P0=Dictionary(ActualText=String(c)))
        element = pdf.make_indirect(Dictionary(
            Type=Name.StructElem, S=Name.Figure, Alt=String(f"Photo of {b}"), ActualText=String(a), E=String(c),
            T=String(b), Pg=page, K=0,
        ))  # fmt: skip
        tree = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, K=element))
        element.P = tree
        pdf.Root.StructTreeRoot, pdf.Root.MarkInfo = tree, Dictionary(Marked=True)

    return changed(with_content(draw, content), change), [*who, d.replace(" ", "#20")]


def revision(draw: Draw) -> Made:
    """An earlier version of the page, still in the file."""
    who = name(draw)
    first = drawn(lambda canvas: lines(canvas, f"{prose(draw, 30)} {who} {prose(draw, 30)}"))
    with pikepdf.open(io.BytesIO(first)) as pdf:
        number = pdf.pages[0].obj.Contents.objgen[0]
    content = b"BT /F1 11 Tf 60 780 Td (name withheld) Tj ET"
    new = b"%d 0 obj\n<</Length %d>>stream\n%b\nendstream\nendobj\n" % (
        number,
        len(content),
        content,
    )
    _, _, old = first.rpartition(b"startxref")
    table_at = len(first) + len(new)
    trailer = first[first.rindex(b"trailer") : first.rindex(b"startxref")].rstrip()
    trailer = trailer[:-2] + b" /Prev %d >>" % int(old.split()[0])
    return (
        first + new + b"xref\n%d 1\n%010d 00000 n \n" % (number, len(first)) + trailer
        + b"\nstartxref\n%d\n%%%%EOF\n" % table_at
    ), [who]  # fmt: skip


def packed(draw: Draw) -> Made:
    data, who = body(draw)
    return changed(data, lambda _: None, object_stream_mode=pikepdf.ObjectStreamMode.generate, compress_streams=True), who  # fmt: skip


PLACES: dict[str, Callable[[Draw], Made]] = {
    each.__name__: each
    for each in (
        body, truetype, type1, columns, three_columns, table, turned, hyphen, page_break, letters, twice, unseen, type3,
        forms, undrawn, typeset, annotations, fields, outline, properties, attachment, marked, revision, packed,
    )
}  # fmt: skip


# --- files that are withheld ---------------------------------------------------------------------


def scan(draw: Draw) -> bytes:
    """A picture of a page with the words as invisible text over it."""
    import numpy as np

    def change(pdf: pikepdf.Pdf) -> None:
        noise = np.random.default_rng(1).integers(0, 255, (40, 40), np.uint8)
        image = pdf.make_stream(
            noise.tobytes(), Type=Name.XObject, Subtype=Name.Image, Width=40, Height=40, BitsPerComponent=8,
            ColorSpace=Name.DeviceGray,
        )  # fmt: skip
        pdf.pages[0].obj.Resources.XObject = Dictionary(I=image)

    content = f"q 500 0 0 700 50 50 cm /I Do Q BT 3 Tr /F1 11 Tf 60 700 Td (seen by {name(draw)} today) Tj ET"
    return changed(with_content(draw, content), change)


def encrypted(draw: Draw) -> bytes:
    return changed(plain(draw), lambda _: None, encryption=pikepdf.Encryption(owner="o", user="u"))


def xfa(draw: Draw) -> bytes:
    return changed(plain(draw), lambda pdf: pdf.Root.__setitem__("/AcroForm", Dictionary(XFA=String("x"), Fields=Array())))  # fmt: skip


def portfolio(draw: Draw) -> bytes:
    return changed(plain(draw), lambda pdf: pdf.Root.__setitem__("/Collection", Dictionary()))


def bomb(draw: Draw) -> bytes:
    return changed(
        plain(draw),
        lambda pdf: pdf.pages[0].obj.__setitem__("/Contents", pdf.make_stream(b" " * (300 << 20))),
        compress_streams=True,
    )


def loop(draw: Draw) -> bytes:
    def change(pdf: pikepdf.Pdf) -> None:
        form = pdf.make_stream(b"/X Do", Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 9, 9])
        form.Resources = Dictionary(XObject=Dictionary(X=form))
        pdf.pages[0].obj.Resources.XObject = Dictionary(X=form)

    return changed(with_content(draw, "/X Do"), change)


def laughs(draw: Draw) -> bytes:
    """Forms that draw forms, ten times each, twelve levels deep."""

    def change(pdf: pikepdf.Pdf) -> None:
        inner = pdf.make_stream(b"BT /F1 9 Tf (ha) Tj ET", Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 9, 9])  # fmt: skip
        for _ in range(12):
            outer = pdf.make_stream(b"/X Do " * 10, Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 9, 9])  # fmt: skip
            outer.Resources = Dictionary(XObject=Dictionary(X=inner))
            inner = outer
        pdf.pages[0].obj.Resources.XObject = Dictionary(X=inner)

    return changed(with_content(draw, "/X Do"), change)


def empty_pages(draw: Draw, count: int = 100_000) -> bytes:
    del draw
    pdf = pikepdf.new()
    page = pdf.make_indirect(Dictionary(Type=Name.Page, MediaBox=[0, 0, 9, 9]))
    kids = Array([page] * 1)
    for _ in range(count - 1):
        kids.append(pdf.make_indirect(Dictionary(Type=Name.Page, MediaBox=[0, 0, 9, 9])))
    node = pdf.make_indirect(Dictionary(Type=Name.Pages, Kids=kids, Count=count))
    for kid in kids:
        kid.Parent = node
    pdf.Root.Pages = node
    out = io.BytesIO()
    pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()


def truncated(draw: Draw) -> bytes:
    data = plain(draw)
    return data[: len(data) // 3]


HOSTILE: dict[str, Callable[[Draw], bytes]] = {
    each.__name__: each
    for each in (
        scan,
        encrypted,
        xfa,
        portfolio,
        bomb,
        loop,
        laughs,
        empty_pages,
        truncated,
    )
}
