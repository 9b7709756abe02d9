"""Office files with a name planted in places that few files have: diagrams, form fields, themes, number formats, links to data."""

from __future__ import annotations

import io
import struct

from openpyxl import Workbook
from openpyxl.formatting.rule import Rule
from openpyxl.styles import NamedStyle
from openpyxl.styles.differential import DifferentialStyle
from pptx import Presentation
from pptx.util import Inches

from .planted import OFFICE, PACKAGE, SPACES, Names, content_types, esc, paragraph, run, zipped
from .planted_more import SHEET, SLIDE, add_relation, changed

DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def exif(text: str) -> bytes:
    """Return a JPEG whose description, by EXIF and by XMP, is a text."""
    words = text.encode() + b"\0"
    entry = struct.pack(">HHIHHII", 0x2A, 1, 0, 0x010E, 2, len(words), 26)
    tiff = b"MM\0*\0\0\0\x08" + struct.pack(">H", 1) + struct.pack(">HHII", 0x010E, 2, len(words), 26) + b"\0\0\0\0" + words  # fmt: skip
    blocks = [b"Exif\0\0" + tiff, b"http://ns.adobe.com/xap/1.0/\0<x>" + words + b"</x>", entry]
    made = b"".join(b"\xff\xe1" + struct.pack(">H", len(b) + 2) + b for b in blocks)
    return b"\xff\xd8" + made + b"\xff\xd9"


def _smart_art(name: Names, place: str = "diagram") -> dict[str, bytes]:
    """Return the parts of a diagram: its data, the drawing made of it, and its layout."""
    own = name(f"{place} text")
    point = f'<dgm:pt modelId="{esc(name(f"{place} point"))}"><dgm:prSet custT="{esc(name(f"{place} property"))}"/><dgm:t><a:p><a:r><a:t>{esc(own)}</a:t></a:r></a:p></dgm:t></dgm:pt>'
    shape = f'<dsp:sp modelId="x"><dsp:nvSpPr><dsp:cNvPr id="0" name="{esc(name(f"{place} shape"))}"/></dsp:nvSpPr><dsp:txBody><a:p><a:r><a:t>{esc(own)}</a:t></a:r></a:p></dsp:txBody></dsp:sp>'
    return {
        "data": f'<dgm:dataModel xmlns:dgm="{DIAGRAM}" xmlns:a="{A}"><dgm:ptLst>{point}</dgm:ptLst></dgm:dataModel>'.encode(),
        "drawing": f'<dsp:drawing xmlns:dsp="http://schemas.microsoft.com/office/drawing/2008/diagram" xmlns:a="{A}"><dsp:spTree>{shape}</dsp:spTree></dsp:drawing>'.encode(),
        "layout": f'<dgm:layoutDef xmlns:dgm="{DIAGRAM}" uniqueId="{esc(name(f"{place} layout"))}"><dgm:title val="{esc(name(f"{place} title"))}"/><dgm:desc val="{esc(name(f"{place} description"))}"/></dgm:layoutDef>'.encode(),
    }  # fmt: skip


def _lines(name: Names) -> list[str]:
    base, ruby = name("ruby base"), name("ruby text")
    numbered = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:name w:val="{esc(name("form field"))}"/><w:helpText w:val="{esc(name("help text"))}"/><w:statusText w:val="{esc(name("status text"))}"/><w:textInput><w:default w:val="{esc(name("form default"))}"/></w:textInput></w:ffData></w:fldChar></w:r>'
    numbered += f'<w:r><w:instrText> FORMTEXT </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(name("form answer"))}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    return [
        numbered,
        f"<w:r><w:ruby><w:rubyPr/><w:rt>{run(ruby)}</w:rt><w:rubyBase>{run(base)}</w:rubyBase></w:ruby></w:r>",
        f'<w:hyperlink w:anchor="x" w:docLocation="{esc(name("place in a document"))}" w:tgtFrame="{esc(name("frame of a link"))}">{run("link")}</w:hyperlink>',
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> XE "{esc(name("index entry"))}" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>',
        f'<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "mailto:{name("link field").replace(" ", ".")}" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("write")}<w:r><w:fldChar w:fldCharType="end"/></w:r>',
        f'<w:pPr><w:pPrChange w:id="1" w:author="{esc(name("author of a format"))}"><w:pPr/></w:pPrChange></w:pPr>' + run("x"),
        f'<w:r><w:rPr><w:rFonts w:ascii="{esc(name("name of a font"))}"/><w:rPrChange w:id="2" w:author="{esc(name("author of a run"))}"><w:rPr/></w:rPrChange></w:rPr><w:t>x</w:t></w:r>',
        f'<w:customXml w:uri="urn:x" w:element="{name("custom element").replace(" ", "_")}"><w:customXmlPr><w:placeholder w:val="{esc(name("placeholder"))}"/></w:customXmlPr>{run("x")}</w:customXml>',
        f'<w:r><w:pict><v:shape><v:textpath string="{esc(name("word art"))}"/><v:imagedata r:id="rPhoto" o:title="{esc(name("old picture title"))}"/></v:shape></w:pict></w:r>',
        f'<w:r><w:pict><o:signatureline o:suggestedsigner="{esc(name("signer"))}" o:suggestedsigneremail="{esc(name("mail of the signer"))}"/></w:pict></w:r>',
        '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="x"><dgm:relIds xmlns:dgm="' + DIAGRAM + '" r:dm="rData" r:lo="rLayout" r:qs="rStyle" r:cs="rColor"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x"><a:hlinkClick r:id="rLink" tooltip="{esc(name("tooltip of a picture"))}"/></wp:docPr></wp:inline></w:drawing></w:r>',
        f'<w:sdt><w:sdtPr><w:dataBinding w:xpath="/{name("data binding").replace(" ", "_")}" w:storeItemID="{{1}}"/><w:date w:fullDate="2020-01-01T00:00:00Z"><w:dateFormat w:val="{esc(name("date format"))}"/></w:date></w:sdtPr><w:sdtContent>{run("x")}</w:sdtContent></w:sdt>',
        f'<w:r><w:annotationRef/><w:t>x</w:t></w:r><w:proofErr w:type="{esc(name("proof"))}"/><w:subDoc r:id="rSub"/>',
        f'<w:r><w:t xml:space="preserve">{"&#8203;".join(esc(name("zero width spaces")))}</w:t></w:r>',
        f'<w:r><w:cr/><w:ptab w:leader="{esc(name("tab leader"))}"/><w:sym w:font="{esc(name("symbol font"))}" w:char="F020"/></w:r>',
    ]  # fmt: skip


def docx(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a .docx file and what was planted in it, by place."""
    name = Names(f"docx further {seed}")
    parts: dict[str, str | bytes] = {}
    relations: list[str] = []
    types: list[str] = []
    wml = "application/vnd.openxmlformats-officedocument.wordprocessingml."

    def add(path, content, kind, type="application/xml", id=None):
        parts[f"word/{path}"] = content
        types.append(f'<Override PartName="/word/{path}" ContentType="{type}"/>')
        relations.append(f'<Relationship Id="{id or f"r{len(relations)}"}" Type="{OFFICE}/{kind}" Target="{path}"/>')  # fmt: skip

    def outside(kind, target, id):
        relations.append(f'<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{esc(target)}" TargetMode="External"/>')  # fmt: skip

    body = "".join(map(paragraph, _lines(name)))
    table = f'<w:tbl><w:tblPr><w:tblDescription w:val="{esc(name("table description"))}"/></w:tblPr><w:tblGrid/><w:tr><w:trPr><w:ins w:author="{esc(name("author of a row"))}" w:id="4"/></w:trPr><w:tc>{paragraph(run("x"))}</w:tc></w:tr></w:tbl>'
    parts["word/document.xml"] = (
        f'<w:document {SPACES}><w:background w:color="{esc(name("background"))}"/><w:body>{body}{table}<w:sectPr><w:pgSz w:w="11906" w:h="16838" w:code="{esc(name("paper"))}"/></w:sectPr></w:body></w:document>'
    )
    types.append(f'<Override PartName="/word/document.xml" ContentType="{wml}document.main+xml"/>')
    for what, content in _smart_art(name).items():
        add(f"diagrams/{what}1.xml", content, f"diagram{what.capitalize()}", f"application/vnd.openxmlformats-officedocument.drawingml.diagram{what.capitalize()}+xml", f"r{what.capitalize()}")  # fmt: skip
    add("webSettings.xml", f'<w:webSettings {SPACES}><w:frameset><w:frame><w:name w:val="{esc(name("frame"))}"/></w:frame></w:frameset></w:webSettings>', "webSettings")  # fmt: skip
    add("fontTable.xml", f'<w:fonts {SPACES}><w:font w:name="{esc(name("font"))}"><w:altName w:val="{esc(name("other name of a font"))}"/></w:font></w:fonts>', "fontTable", wml + "fontTable+xml")  # fmt: skip
    add(
        "settings.xml",
        f'<w:settings {SPACES}><w:writeProtection w:hash="{esc(name("protection"))}"/><w:attachedTemplate r:id="rTemplate"/><w:rsids><w:rsid w:val="00AB12CD"/></w:rsids>'
        f'<w:decimalSymbol w:val="{esc(name("decimal sign"))}"/><w:themeFontLang w:val="{esc(name("language"))}"/><w:saveThroughXslt w:solutionID="{esc(name("solution"))}"/></w:settings>',
        "settings", wml + "settings+xml",
    )  # fmt: skip
    add("theme/theme1.xml", f'<a:theme xmlns:a="{A}" name="{esc(name("theme"))}"><a:themeElements><a:clrScheme name="{esc(name("colours"))}"/><a:fontScheme name="{esc(name("fonts"))}"/></a:themeElements></a:theme>', "theme", "application/vnd.openxmlformats-officedocument.theme+xml")  # fmt: skip
    add("commentsExtended.xml", f'<x id="{esc(name("answered comment"))}"/>', "commentsExtended")
    add("media/photo.jpeg", exif(name("EXIF")), "image", "image/jpeg", "rPhoto")
    add("media/drawing.emf", b"\1\0\0\0" + name("metafile").encode("utf-16-le"), "image", "image/x-emf")  # fmt: skip
    add("media/drawing.svg", f"<svg><title>{esc(name('vector picture'))}</title></svg>", "image", "image/svg+xml")  # fmt: skip
    add("activeX/activeX1.xml", f"<x v='{esc(name('control'))}'/>", "control")
    add("vbaData.xml", f"<x v='{esc(name('macro name'))}'/>", "wordVbaData")
    add("customizations.xml", f"<x v='{esc(name('keys'))}'/>", "keyMapCustomizations")
    add("ink/ink1.xml", f"<x v='{esc(name('ink'))}'/>", "customXml")
    add("printerSettings1.bin", name("printer").encode("utf-16-le"), "printerSettings")
    add("embeddings/Microsoft_Excel.xlsx", zipped({"xl/sharedStrings.xml": name("embedded workbook")}), "package")  # fmt: skip
    for place, kind, id in (("template", "attachedTemplate", "rTemplate"), ("outside picture", "image", "rOutside"), ("sub-document", "subDocument", "rSub"), ("mail source", "mailMergeSource", "rMail"), ("second link", "hyperlink", "rLink")):  # fmt: skip
        outside(kind, f"file:///C:/Users/{name(place)}/x", id)
    parts["word/_rels/document.xml.rels"] = f'<Relationships xmlns="{PACKAGE}/relationships">{"".join(relations)}</Relationships>'  # fmt: skip
    parts["_xmlsignatures/sig1.xml"] = f"<x>{esc(name('signature'))}</x>"
    parts["docMetadata/LabelInfo.xml"] = f'<x v="{esc(name("sensitivity label"))}"/>'
    parts["customUI/customUI.xml"] = f'<x v="{esc(name("ribbon"))}"/>'
    parts["_rels/.rels"] = (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/>'
        f'<Relationship Id="rId2" Type="{PACKAGE}/relationships/digital-signature/origin" Target="_xmlsignatures/sig1.xml"/>'
        f'<Relationship Id="rId3" Type="http://schemas.microsoft.com/office/2020/02/relationships/classificationlabels" Target="docMetadata/LabelInfo.xml"/></Relationships>'
    )  # fmt: skip
    for place in ("link field",):
        name.planted[place] = name.planted[place].replace(" ", ".")
    for place in ("custom element", "data binding"):
        name.planted[place] = name.planted[place].replace(" ", "_")
    return zipped({"[Content_Types].xml": content_types(types), **parts}), dict(name.planted)


def xlsx(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return an .xlsx file and what was planted in it, by place."""
    name = Names(f"xlsx further {seed}")
    book = Workbook()
    sheet = book.active
    sheet["A1"], sheet["A2"] = "Head", 5
    sheet["A2"].number_format = f'0.0" {name("number format")}"'
    sheet["B2"], sheet["B2"].style = 1, NamedStyle(name("cell style"))
    said = name("conditional text")
    style = DifferentialStyle()
    sheet.conditional_formatting.add("A2", Rule(type="containsText", operator="containsText", text=said, formula=[f'NOT(ISERROR(SEARCH("{said}",A2)))'], dxf=style))  # fmt: skip
    sheet["C2"] = f'=SUMIF(A1:A2,"{name("condition in a formula")}")'
    sheet["D2"] = f"=IF(A2>1,\"{name('one branch')}\",'{name('quoted')}'!A1)"
    made = io.BytesIO()
    book.save(made)

    def plant(parts):
        book_relations, rows = "xl/_rels/workbook.xml.rels", "xl/worksheets/_rels/sheet1.xml.rels"
        parts[rows] = f'<Relationships xmlns="{PACKAGE}/relationships"></Relationships>'.encode()
        many = (
            ("connections", "connections.xml", f'<connections xmlns="{SHEET}"><connection name="{esc(name("connection"))}"><dbPr connection="User={esc(name("connection text"))}"/></connection></connections>'),
            ("xmlMaps", "xmlMaps.xml", f"<MapInfo>{esc(name('XML map'))}</MapInfo>"),
            ("vbaProject", "vbaProject.bin", name("macros")),
            ("slicerCache", "slicerCaches/cache1.xml", f'<x name="{esc(name("slicer cache"))}"/>'),
            ("usernames", "revisions/userNames.xml", f'<users name="{esc(name("user of a shared book"))}"/>'),
            ("revisionHeaders", "revisions/headers.xml", f'<headers userName="{esc(name("reviser"))}"/>'),
            ("theme", "theme/theme9.xml", f'<a:theme xmlns:a="{A}" name="{esc(name("theme"))}"/>'),
        )  # fmt: skip
        for number, (kind, path, content) in enumerate(many):
            parts[f"xl/{path}"] = content.encode()
            add_relation(parts, book_relations, kind, path, number)
        near = (
            ("threadedComment", "threadedComments/t1.xml", f"<x><text>{esc(name('threaded comment'))}</text></x>"),
            ("pivotTable", "pivotTables/p1.xml", f'<pivotTableDefinition xmlns="{SHEET}" name="{esc(name("pivot table"))}"/>'),
            ("queryTable", "queryTables/q1.xml", f'<x name="{esc(name("query table"))}"/>'),
            ("slicer", "slicers/s1.xml", f'<x caption="{esc(name("slicer"))}"/>'),
            ("oleObject", "embeddings/o1.bin", name("embedded object")),
            ("control", "activeX/a1.xml", f'<x v="{esc(name("control"))}"/>'),
            ("ctrlProp", "ctrlProps/c1.xml", f'<x macro="{esc(name("macro of a button"))}"/>'),
            ("customProperty", "customProperty1.bin", name("sheet property")),
            ("printerSettings", "printerSettings/p1.bin", name("printer")),
            ("drawing", "drawings/drawing1.xml", _drawing(name)),
        )  # fmt: skip
        for number, (kind, path, content) in enumerate(near):
            parts[f"xl/{path}"] = content.encode()
            add_relation(parts, rows, kind, f"../{path}", number)
        first, main = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
        after = (
            f'<sheetProtection password="{esc(name("protection"))}"/><protectedRanges><protectedRange name="{esc(name("protected range"))}" sqref="A1" securityDescriptor="{esc(name("who may edit"))}"/></protectedRanges>'
            f'<scenarios><scenario name="{esc(name("scenario"))}" user="{esc(name("user of a scenario"))}" comment="{esc(name("words on a scenario"))}"><inputCells r="A1" val="{esc(name("value of a scenario"))}"/></scenario></scenarios>'
            f'<autoFilter ref="A1:A2"><filterColumn colId="0"><filters><filter val="{esc(name("filter"))}"/></filters></filterColumn></autoFilter>'
        )  # fmt: skip
        parts[first] = parts[first].replace(b"</sheetData>", b"</sheetData>" + after.encode())
        last = (
            f'<hyperlinks><hyperlink ref="A1" location="{esc(name("place of a link"))}" display="{esc(name("words of a link"))}" tooltip="{esc(name("tooltip"))}"/></hyperlinks>'
            f'<drawing xmlns:r="{OFFICE}" r:id="rPlanted9"/><webPublishItems><webPublishItem id="1" divId="{esc(name("web item"))}" destinationFile="{esc(name("web file"))}"/></webPublishItems>'
            f'<extLst><ext uri="x"><x14:sparkline xmlns:x14="urn:x">{esc(name("sparkline"))}</x14:sparkline></ext></extLst></worksheet>'
        )  # fmt: skip
        parts[first] = parts[first].replace(b"</worksheet>", last.encode())
        parts[first] = parts[first].replace(b"<sheetPr>", f'<sheetPr codeName="{esc(name("code name"))}">'.encode(), 1)  # fmt: skip
        head = f'<fileSharing userName="{esc(name("reserved by"))}"/><mc:AlternateContent xmlns:mc="urn:x"><x15ac:absPath xmlns:x15ac="urn:y" url="C:\\Users\\{esc(name("path"))}\\"/></mc:AlternateContent><workbookPr'
        parts[main] = parts[main].replace(b"<workbookPr", head.encode(), 1)

    parts = changed(made.getvalue(), plant)
    return zipped(parts), dict(name.planted)


def _drawing(name: Names) -> str:
    return (
        f'<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="{A}"><xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:row>3</xdr:row></xdr:to>'
        f'<xdr:sp macro="{esc(name("macro of a shape"))}" textlink=""><xdr:nvSpPr><xdr:cNvPr id="2" name="{esc(name("shape"))}" descr="{esc(name("alternative text"))}"/><xdr:cNvSpPr/></xdr:nvSpPr><xdr:spPr/>'
        f"<xdr:txBody><a:bodyPr/><a:p><a:r><a:t>{esc(name('text box'))}</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:clientData/></xdr:twoCellAnchor></xdr:wsDr>"
    )  # fmt: skip


def pptx(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a .pptx file and what was planted in it, by place."""
    name = Names(f"pptx further {seed}")
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    slide.name = name("slide name")
    tab, letters = name("line break inside"), name("one run per letter")
    box = slide.shapes.add_textbox(0, 0, Inches(3), Inches(1))
    box.text_frame.text = tab.replace(" ", "\v")
    for letter in letters:
        box.text_frame.paragraphs[0].add_run().text = letter
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, 9, 9).text_frame.text = name("shape in a group")
    group.name = name("group")
    made = io.BytesIO()
    show.save(made)

    def plant(parts):
        shows, slides = "ppt/_rels/presentation.xml.rels", "ppt/slides/_rels/slide1.xml.rels"
        art = _smart_art(name)
        for number, what in enumerate(art):
            parts[f"ppt/diagrams/{what}1.xml"] = art[what]
            add_relation(parts, slides, f"diagram{what.capitalize()}", f"../diagrams/{what}1.xml", number)  # fmt: skip
        for number, (kind, path, content) in enumerate((
            ("vbaProject", "vbaProject.bin", name("macros")), ("customXml", "customXml/item1.xml", f"<x>{esc(name('custom XML'))}</x>"),
            ("font", "fonts/f.fntdata", name("embedded font")), ("revisionInfo", "revisionInfo.xml", f'<x v="{esc(name("revision"))}"/>'),
            ("authors", "authors.xml", f'<x name="{esc(name("author of a modern comment"))}"/>'),
        ), 20):  # fmt: skip
            parts[f"ppt/{path}"] = content.encode()
            add_relation(parts, shows, kind, path, number)
        for number, (kind, path, content) in enumerate((
            ("comments", "comments/modern1.xml", f'<p188:cmLst xmlns:p188="urn:m"><p188:cm><p188:txBody><a:t xmlns:a="{A}">{esc(name("modern comment"))}</a:t></p188:txBody></p188:cm></p188:cmLst>'),
            ("video", "media/film.mp4", name("film")), ("tags", "tags/tag2.xml", f'<p:tagLst xmlns:p="{SLIDE}"><p:tag name="{esc(name("tag name"))}" val="x"/></p:tagLst>'),
            ("oleObject", "embeddings/o.bin", name("embedded object")),
        ), 30):  # fmt: skip
            parts[f"ppt/{path}"] = content.encode()
            add_relation(parts, slides, kind, f"../{path}", number)
        main, first = "ppt/presentation.xml", "ppt/slides/slide1.xml"
        more = (
            f'<p:custShowLst><p:custShow name="{esc(name("custom show"))}" id="0"><p:sldLst/></p:custShow></p:custShowLst>'
            f'<p:modifyVerifier saltData="{esc(name("protection"))}"/>'
            f'<p:extLst><p:ext uri="x"><p14:sectionLst xmlns:p14="urn:p14"><p14:section name="{esc(name("section"))}"/></p14:sectionLst></p:ext></p:extLst></p:presentation>'
        )  # fmt: skip
        parts[main] = parts[main].replace(b"</p:presentation>", more.encode())
        timing = f'<p:transition><p:sndAc><p:stSnd><p:snd name="{esc(name("sound"))}"/></p:stSnd></p:sndAc></p:transition></p:sld>'
        parts[first] = parts[first].replace(b"</p:sld>", timing.encode())

    return zipped(changed(made.getvalue(), plant)), dict(name.planted)
