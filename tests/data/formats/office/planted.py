"""Files with a name planted in every place where one can hide; each name is told by its place."""

# ruff: noqa: ISC004 (long pieces of markup)
import io
import random
import struct
import zipfile

FIRST = "Wolfgang Fiona Siobhan Zoltan Ludmila Jürgen Florence Giuseppe Margarethe Winifred Ottokar Philippa".split()  # fmt: skip
LAST = "Pfeiffer Flaherty Hofflinger Szymborska Quackenbush Griffith Oxenstierna Effinger Kjærsgaard Łukasiewicz".split()  # fmt: skip
WORDS = "the patient was seen on ward with stable findings and will return for review after treatment".split()  # fmt: skip
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
SPACES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:v="urn:schemas-microsoft-com:vml" '
    'xmlns:o="urn:schemas-microsoft-com:office:office" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
)


def esc(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


class Names:
    """Names that stand once each, by the place where they were planted."""

    def __init__(self, seed):
        self.random = random.Random(str(seed))
        self.planted = {}

    def __call__(self, place):
        while True:
            name = f"{self.random.choice(FIRST)} {self.random.choice(LAST)}{self.random.randint(100, 999)}"  # fmt: skip
            if name not in self.planted.values():
                self.planted[place] = name
                return name

    def prose(self, words=12):
        return " ".join(self.random.choice(WORDS) for _ in range(words))


def zipped(parts, comment=b"", extra=b"", stored=None):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.comment = comment
        for number, (name, content) in enumerate(parts.items()):
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = 0 if name == stored else 8
            if extra and number == 1:
                entry.extra = struct.pack("<HH", 0xCAFE, len(extra)) + extra
            packed.writestr(entry, content if isinstance(content, bytes) else content.encode())
    return made.getvalue()


def jpeg(comment):
    text = comment.encode()
    return b"\xff\xd8\xff\xfe" + struct.pack(">H", len(text) + 2) + text + b"\xff\xd9"


def run(text, properties=""):
    return f'<w:r>{properties}<w:t xml:space="preserve">{esc(text)}</w:t></w:r>'


def paragraph(inside):
    return f"<w:p>{inside}</w:p>"


def _field(name):
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    return (
        mark.format("begin")
        + f'<w:r><w:instrText xml:space="preserve"> MERGEFIELD "{esc(name("field code"))}" </w:instrText></w:r>'
        + mark.format("separate") + run("result " + name("field result")) + mark.format("end")
    )  # fmt: skip


def _drawing(name, image):
    return (
        '<w:r><w:drawing><wp:inline><wp:extent cx="9525" cy="9525"/>'
        f'<wp:docPr id="7" name="{esc(name("object name"))}" descr="Photo of {esc(name("alternative text"))}" title="{esc(name("alternative title"))}"/>'
        '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic>'
        f'<pic:nvPicPr><pic:cNvPr id="8" name="{esc(name("picture name"))}.jpg"/><pic:cNvPicPr/></pic:nvPicPr>'
        f'<pic:blipFill><a:blip r:embed="{image}"/></pic:blipFill><pic:spPr/></pic:pic></a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r>"
    )


def _body(name):
    split = name("split over runs")
    letters = name("one run per letter")
    tab, line, hyphen = name("tab inside"), name("line break inside"), name("hyphen inside")
    soft = name("soft hyphen inside")
    box = name("drawn text box")
    stamp = 'w:author="{}" w:date="2020-01-01T00:00:00Z"'
    return [
        run("Letter about " + name("heading")),
        run(name.prose() + " ") + run(split[:3], "<w:rPr><w:b/></w:rPr>") + run(split[3:7]) + run(split[7:] + " " + name.prose()),
        run("before ") + "".join(run(letter) for letter in letters) + run(" after"),
        run("kept ") + f'<w:ins w:id="901" {stamp.format(esc(name("author of a change")))}>{run(name("inserted"))}</w:ins>'
        f'<w:del w:id="902" {stamp.format("A")}><w:r><w:delText>{esc(name("deleted"))}</w:delText></w:r></w:del>',
        f'<w:moveFrom w:id="903" {stamp.format("A")}>{run(name("moved from"))}</w:moveFrom>'
        f'<w:moveTo w:id="904" {stamp.format("A")}>{run(name("moved to"))}</w:moveTo>',
        _field(name),
        f'<w:fldSimple w:instr=" AUTHOR {esc(name("simple field code"))} ">{run(name("simple field result"))}</w:fldSimple>',
        f'<w:hyperlink r:id="rLink" w:tooltip="{esc(name("tooltip"))}">{run("click " + name("link text"))}</w:hyperlink>',
        f'<w:bookmarkStart w:id="77" w:name="{esc(name("bookmark").replace(" ", "_"))}"/>{run("here")}<w:bookmarkEnd w:id="77"/>'
        f'<w:hyperlink w:anchor="{esc(name.planted["bookmark"].replace(" ", "_"))}">{run("there")}</w:hyperlink>',
        f'<w:smartTag w:uri="urn:x" w:element="PersonName"><w:smartTagPr><w:attr w:name="Full" w:val="{esc(name("smart tag value"))}"/></w:smartTagPr>{run(name("smart tag"))}</w:smartTag>',
        f'<w:sdt><w:sdtPr><w:alias w:val="{esc(name("control alias"))}"/><w:tag w:val="{esc(name("control tag"))}"/>'
        f'<w:dropDownList><w:listItem w:displayText="{esc(name("control choice"))}" w:value="1"/></w:dropDownList></w:sdtPr><w:sdtContent>{run(name("control text"))}</w:sdtContent></w:sdt>',
        f'<w:r><w:pict><v:shape id="{esc(name("shape id"))}" alt="{esc(name("shape text"))}"><v:textbox><w:txbxContent>{paragraph(run("box " + name("old text box")))}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>',
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><wps:wsp><wps:txbx><w:txbxContent>{paragraph(run(box))}</w:txbxContent></wps:txbx></wps:wsp></wp:anchor></w:drawing></mc:Choice>'
        f'<mc:Fallback><w:pict><v:textbox><w:txbxContent>{paragraph(run(box))}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>',
        run(name("hidden text"), "<w:rPr><w:vanish/></w:rPr>"),
        f"<w:r><w:t>{esc(tab.split()[0])}</w:t><w:tab/><w:t>{esc(tab.split()[1])}</w:t></w:r>",
        f"<w:r><w:t>{esc(line.split()[0])}</w:t><w:br/><w:t>{esc(line.split()[1])}</w:t></w:r>",
        f"<w:r><w:t>{esc(hyphen[:4])}</w:t><w:noBreakHyphen/><w:t>{esc(hyphen[4:])}</w:t></w:r>",
        run(soft[:5] + "\u00ad" + soft[5:]),
        f"<m:oMath><m:r><m:t>{esc(name('formula'))}</m:t></m:r></m:oMath>",
        _drawing(name, "rImage"),
        f'<w:r><w:object><o:OLEObject ProgID="{esc(name("object program"))}" r:id="rOle"/></w:object></w:r>',
        '<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="rChart"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>',
        f'<w:r w:rsidR="00AB12CD"><x:note xmlns:x="urn:other">{esc(name("foreign element"))}</x:note></w:r>',
        f'<w:permStart w:id="1" w:ed="{esc(name("permission"))}"/>{run("x")}<w:commentRangeStart w:id="5"/>{run("said")}<w:commentRangeEnd w:id="5"/>',
        '<w:pPr><w:pStyle w:val="zz"/></w:pPr>' + run("styled"),
    ]  # fmt: skip


def docx(seed, *, names=None):
    """Return a .docx file and what was planted in it, by place."""
    name = names or Names(f"docx {seed}")
    parts, relations, types = {}, [], []
    wml = "application/vnd.openxmlformats-officedocument.wordprocessingml."

    def add(path, content, kind=None, type="application/xml", id=None):
        parts[path] = content
        types.append(f'<Override PartName="/{path}" ContentType="{type}"/>')
        if kind:
            target = path.removeprefix("word/") if path.startswith("word/") else f"../{path}"
            relations.append(f'<Relationship Id="{id or f"r{len(relations)}"}" Type="{OFFICE}/{kind}" Target="{target}"/>')  # fmt: skip

    lines = "".join(map(paragraph, _body(name)))
    table = (
        f'<w:tbl><w:tblPr><w:tblCaption w:val="{esc(name("table caption"))}"/></w:tblPr><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr><w:tc>{paragraph(run("Name"))}</w:tc><w:tc>{paragraph(run(name("table cell")))}'
        f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>{paragraph(run('nested ' + name('nested table')))}</w:tc></w:tr></w:tbl><w:p/></w:tc></w:tr></w:tbl>"
    )
    add(
        "word/document.xml",
        f'<?note {esc(name("processing instruction"))}?><w:document {SPACES} mc:Ignorable="wps"><!-- {esc(name("XML comment"))} --><w:body>{lines}{table}'
        f'<w:altChunk r:id="rChunk"/><w:sectPr><w:headerReference w:type="default" r:id="rHead"/><w:footerReference w:type="default" r:id="rFoot"/></w:sectPr></w:body>{esc(name("text after the end"))}</w:document>',
        type=wml + "document.main+xml",
    )  # fmt: skip
    add("word/header1.xml", f"<w:hdr {SPACES}>{paragraph(run('Header ' + name('header')))}</w:hdr>", "header", wml + "header+xml", "rHead")  # fmt: skip
    add("word/footer1.xml", f"<w:ftr {SPACES}>{paragraph(run('Footer ' + name('footer')))}</w:ftr>", "footer", wml + "footer+xml", "rFoot")  # fmt: skip
    for kind in ("footnote", "endnote"):
        note = f'<w:{kind}s {SPACES}><w:{kind} w:id="2">{paragraph(run("note " + name(kind)))}</w:{kind}></w:{kind}s>'
        add(f"word/{kind}s.xml", note, f"{kind}s", f"{wml}{kind}s+xml")
    add(
        "word/comments.xml",
        f'<w:comments {SPACES}><w:comment w:id="5" w:author="{esc(name("comment author"))}" w:initials="{esc(name("comment initials"))}" w:date="2020-01-01T00:00:00Z">'
        f"{paragraph(run('ask ' + name('comment')))}</w:comment></w:comments>",
        "comments", wml + "comments+xml",
    )  # fmt: skip
    add(
        "word/settings.xml",
        f'<w:settings {SPACES}><w:docVars><w:docVar w:name="v" w:val="{esc(name("document variable"))}"/></w:docVars>'
        f'<w:mailMerge><w:query w:val="select {esc(name("mail merge"))}"/></w:mailMerge><w:defaultTabStop w:val="708"/></w:settings>',
        "settings", wml + "settings+xml",
    )  # fmt: skip
    add(
        "word/styles.xml",
        f'<w:styles {SPACES}><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
        f'<w:style w:type="paragraph" w:customStyle="1" w:styleId="zz"><w:name w:val="{esc(name("style name"))}"/><w:aliases w:val="{esc(name("style alias"))}"/><w:basedOn w:val="Normal"/></w:style></w:styles>',
        "styles", wml + "styles+xml",
    )  # fmt: skip
    add(
        "word/numbering.xml",
        f'<w:numbering {SPACES}><w:abstractNum w:abstractNumId="0"><w:name w:val="{esc(name("list name"))}"/><w:lvl w:ilvl="0"><w:lvlText w:val="{esc(name("list label"))} %1"/></w:lvl></w:abstractNum></w:numbering>',
        "numbering", wml + "numbering+xml",
    )  # fmt: skip
    add(
        "word/charts/chart1.xml",
        f"<c:chartSpace {SPACES}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>{esc(name('chart title'))}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
        f"<c:plotArea><c:ser><c:tx><c:strRef><c:f>'{esc(name('chart reference'))}'!A1</c:f><c:strCache><c:pt idx=\"0\"><c:v>{esc(name('chart cache'))}</c:v></c:pt></c:strCache></c:strRef></c:tx></c:ser></c:plotArea></c:chart></c:chartSpace>",
        "chart", "application/vnd.openxmlformats-officedocument.drawingml.chart+xml", "rChart",
    )  # fmt: skip
    add("word/media/photo.jpeg", jpeg(name("picture comment")), "image", "image/jpeg", "rImage")
    add("word/glossary/document.xml", f"<w:glossaryDocument {SPACES}>{paragraph(run(name('glossary')))}</w:glossaryDocument>", "glossaryDocument")  # fmt: skip
    add("customXml/item1.xml", f"<x><author>{esc(name('custom XML'))}</author></x>", "customXml")
    add("word/embeddings/oleObject1.bin", b"\xd0\xcf\x11\xe0" + name("embedded object").encode("utf-16-le"), "oleObject", id="rOle")  # fmt: skip
    add("word/embeddings/inner.docx", zipped({"word/document.xml": name("embedded file")}), "package")  # fmt: skip
    add("word/chunk.html", f"<p>{esc(name('inserted file'))}</p>", "aFChunk", id="rChunk")
    add("word/people.xml", f'<w:people {SPACES}><w:person w:author="{esc(name("people"))}"/></w:people>', "people")  # fmt: skip
    add("word/vbaProject.bin", name("macros").encode(), "vbaProject")
    link = f"https://x.example/{name('link target').replace(' ', '%20')}"
    relations.append(f'<Relationship Id="rLink" Type="{OFFICE}/hyperlink" Target="{esc(link)}" TargetMode="External"/>')  # fmt: skip
    _properties(parts, types, name)
    parts["word/orphan.txt"] = name("orphan part")
    parts[f"word/{name('part name')}.xml"] = "<x/>"
    parts["word/_rels/document.xml.rels"] = (
        f'<Relationships xmlns="{PACKAGE}/relationships">{"".join(relations)}</Relationships>'
    )
    parts["_rels/.rels"] = _roots("word/document.xml")
    whole = {"[Content_Types].xml": content_types(types), **parts}
    comment, extra = name("zip comment").encode(), name("zip extra field").encode()
    name.planted["bookmark"] = name.planted["bookmark"].replace(" ", "_")
    name.planted["link target"] = name.planted["link target"].replace(" ", "%20")
    return zipped(whole, comment, extra), dict(name.planted)


def content_types(types):
    return (
        f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{"".join(types)}</Types>'
    )


def _roots(main):
    return (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{OFFICE}/officeDocument" Target="{main}"/>'
        f'<Relationship Id="rId2" Type="{PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>'
        f'<Relationship Id="rId3" Type="{OFFICE}/extended-properties" Target="docProps/app.xml"/>'
        f'<Relationship Id="rId4" Type="{OFFICE}/custom-properties" Target="docProps/custom.xml"/>'
        f'<Relationship Id="rId5" Type="{PACKAGE}/relationships/metadata/thumbnail" Target="docProps/thumbnail.jpeg"/></Relationships>'
    )


def _properties(parts, types, name):
    parts["docProps/core.xml"] = (
        f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:creator>{esc(name('creator'))}</dc:creator><dc:title>{esc(name('title'))}</dc:title></cp:coreProperties>"
    )
    parts["docProps/app.xml"] = (
        f'<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Company>{esc(name("company"))}</Company></Properties>'
    )
    parts["docProps/custom.xml"] = (
        f'<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"><property name="{esc(name("custom property"))}"/></Properties>'
    )
    parts["docProps/thumbnail.jpeg"] = jpeg(name("thumbnail"))
    types.append('<Default Extension="jpeg" ContentType="image/jpeg"/>')
