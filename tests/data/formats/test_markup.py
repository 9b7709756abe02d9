"""HTML pages and XML records: names over elements are one name, and what is hidden is dropped."""

import io
import zipfile

import pytest

from sfumato.data.document import Document
from sfumato.data.formats.markup.formats import Html, Odt, Rtf, Xml
from sfumato.data.formats.protocol import CorpusFile

from .office import leaks, planted
from .office.redacting import redacted, verified


def html(seed):
    """Return a page and what was planted in it, by place."""
    name = planted.Names(f"html {seed}")
    esc = planted.esc
    split, row = name("split over elements"), name("table cell")
    page = f"""<!DOCTYPE html>
<!-- {esc(name("comment"))} --><?note {esc(name("processing instruction"))}?>
<html lang="en"><head><title>About {esc(name("title"))}</title>
<meta name="author" content="{esc(name("metadata"))}"><style>.x:after {{ content: "{name("style sheet")}" }}</style>
<script>var who = "{name("script")}";</script><link rel="author" href="{esc(name("link element"))}"></head>
<body class="{esc(name("class"))}" onload="go('{esc(name("handler"))}')">
<p id="{esc(name("id"))}">Seen by <b>{esc(split[:4])}</b><i>{esc(split[4:])}</i> today, {esc(name("plain text"))}</p>
<p>{esc(name("tail of a line"))}<br>and <span title="{esc(name("tooltip"))}" data-who="{esc(name("data attribute"))}">x</span></p>
<img src="{esc(name("picture source"))}.png" alt="{esc(name("alternative text"))}">
<a href="mailto:{esc(name("link target").replace(" ", "."))}">mail</a>
<table><tr><td colspan="2">{esc(row)}</td></tr></table>
<input type="hidden" value="{esc(name("hidden field"))}"><textarea>{esc(name("text area"))}</textarea>
<svg><text>{esc(name("drawing"))}</text></svg><noscript>{esc(name("no script"))}</noscript>
<p>{name("character references").replace("e", "&#101;")}</p>
<iframe srcdoc="{esc(name("frame"))}"></iframe><details><summary>{esc(name("folded"))}</summary></details>
</body></html>"""
    name.planted["link target"] = name.planted["link target"].replace(" ", ".")
    return page.encode(), dict(name.planted)


def cda(seed):
    """Return a clinical document and what was planted in it, by place."""
    name = planted.Names(f"cda {seed}")
    esc = planted.esc
    person = name("name of a patient")
    record = f"""<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet href="{esc(name("style sheet"))}"?>
<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="urn:hl7-org:v3 {esc(name("schema location"))}"><!-- {esc(name("comment"))} -->
<id root="2.16.840.1.113883.19.5" extension="{esc(name("identifier"))}"/><code code="34133-9" displayName="{esc(name("display name"))}"/>
<recordTarget><patientRole><telecom value="tel:{esc(name("telecom"))}"/><patient>
<name use="L"><given>{esc(person.split()[0])}</given><family>{esc(person.split()[1])}</family></name></patient></patientRole></recordTarget>
<component><text>The patient <content styleCode="Bold">{esc(name("content"))}</content> was seen by {esc(name("text"))}.
<table><tr><td>{esc(name("cell"))}</td></tr></table></text></component>
<value><![CDATA[{name("character data")}]]></value>
<observationMedia><value mediaType="image/png" representation="B64">{"QUJD" * 60}</value></observationMedia>
</ClinicalDocument>"""
    return record.encode(), dict(name.planted)


def odt(seed):
    """Return an OpenDocument text and what was planted in it, by place."""
    name = planted.Names(f"odt {seed}")
    esc = planted.esc
    split, noted = name("split over spans"), name("note inside")
    spaces = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{rest}:1.0"'
        for prefix, rest in (("office", "office"), ("text", "text"), ("style", "style"), ("table", "table"), ("draw", "drawing"), ("svg", "svg-compatible"), ("meta", "meta"))
    ) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip
    style = esc(name("style name").replace(" ", "_20_"))
    body = f"""<?xml version="1.0"?><office:document-content {spaces}><!-- {esc(name("comment in the markup"))} -->
<office:scripts>{esc(name("script"))}</office:scripts>
<office:automatic-styles><style:style style:name="{style}" style:display-name="{esc(name("display name"))}" style:family="paragraph"/></office:automatic-styles>
<office:body><office:text><text:tracked-changes><text:p>{esc(name("tracked change"))}</text:p></text:tracked-changes>
<text:user-field-decls><text:user-field-decl text:name="{esc(name("field name"))}" office:string-value="{esc(name("field value"))}"/></text:user-field-decls>
<text:h>About {esc(name("heading"))}</text:h>
<text:p text:style-name="{style}">Seen by <text:span>{esc(split[:5])}</text:span>{esc(split[5:])} and {esc(name("plain text"))}</text:p>
<text:p>{esc(noted.split()[0])}<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>{esc(name("footnote"))}</text:p></text:note-body></text:note> {esc(noted.split()[1])}</text:p>
<text:p>x<office:annotation><dc:creator>{esc(name("comment author"))}</dc:creator><dc:date>2020-01-01</dc:date><text:p>{esc(name("comment"))}</text:p></office:annotation>y</text:p>
<text:p><text:bookmark text:name="{esc(name("bookmark"))}"/><text:a xlink:href="https://x.example/{esc(name("link target").replace(" ", "%20"))}">{esc(name("link text"))}</text:a></text:p>
<text:p><text:author-name>{esc(name("field result"))}</text:author-name><text:hidden-text text:string-value="{esc(name("hidden text"))}"/></text:p>
<text:p><draw:frame draw:name="{esc(name("frame name"))}"><draw:text-box><text:p>{esc(name("text box"))}</text:p></draw:text-box><svg:desc>{esc(name("description"))}</svg:desc></draw:frame></text:p>
<text:p><draw:frame><draw:image xlink:href="Pictures/{esc(name("picture name"))}.png"/></draw:frame></text:p>
<table:table table:name="{esc(name("table name"))}"><table:table-row><table:table-cell><text:p>{esc(name("table cell"))}</text:p></table:table-cell></table:table-row></table:table>
</office:text></office:body></office:document-content>"""
    styles = f"""<office:document-styles {spaces}><office:master-styles><style:master-page style:name="{esc(name("page name"))}">
<style:header><text:p>Header {esc(name("header"))}</text:p></style:header></style:master-page></office:master-styles></office:document-styles>"""
    parts = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": body, "styles.xml": styles,
        "meta.xml": f"<x><dc:creator xmlns:dc='d'>{esc(name('creator'))}</dc:creator></x>",
        "settings.xml": f"<x>{esc(name('settings'))}</x>",
        f"Pictures/{name.planted['picture name']}.png": planted.jpeg(name("picture comment")),
        "Thumbnails/thumbnail.png": name("thumbnail"),
        "Object 1/content.xml": f"<x>{esc(name('embedded object'))}</x>",
        "META-INF/manifest.xml": "<manifest/>",
    }  # fmt: skip
    name.planted["link target"] = name.planted["link target"].replace(" ", "%20")
    name.planted["style name"] = name.planted["style name"].replace(" ", "_20_")
    return planted.zipped(parts, name("zip comment").encode(), stored="mimetype"), dict(name.planted)  # fmt: skip


def rtf(seed):
    """Return a rich text and what was planted in it, by place."""
    name = planted.Names(f"rtf {seed}")
    split = name("split over runs")

    def unicode(text):
        return "".join(f"\\u{ord(c)}?" for c in text)

    def code(text):
        return "".join(f"\\'{ord(c):02x}" if ord(c) < 256 else unicode(c) for c in text)

    made = (
        r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset204 " + name("name of a font") + ";}}"
        r"{\colortbl;\red0\green0\blue0;}{\stylesheet{\s1 " + name("name of a style") + r";}}"
        r"{\info{\title " + name("title") + r"}{\author " + name("author") + r"}{\*\company " + name("company") + r"}}"
        r"{\*\generator " + name("generator") + r";}{\header Seen by " + name("header") + r"\par}"
        r"\pard\plain\f0 About {\b " + split[:4] + r"}{\i " + split[4:] + r"} today\par "
        + code(name("codes")) + r"\par " + unicode(name("numbers")) + r"\par {\v " + name("hidden text") + r"}\par "
        r"{\field{\*\fldinst{HYPERLINK \"" + name("link target").replace(" ", ".") + r"\"}}{\fldrslt{" + name("words of a link") + r"}}}\par "
        r"{\deleted " + name("deleted text") + r"}{\*\bkmkstart " + name("bookmark") + r"}{\pict " + name("picture").encode().hex() + "}"
        r"{\footnote see " + name("footnote") + r"}{\*\annotation " + name("comment") + r"}\trowd\cellx100 " + name("cell") + r"\cell\row"
        r"{\*\unknowndestination " + name("unknown destination") + r"}{\f1 \'cc\'e8\'f0}\par Kept: caf\'e9 \{x\}\par}"
    )  # fmt: skip
    name.planted["link target"] = name.planted["link target"].replace(" ", ".")
    made = "".join(c if ord(c) < 256 else unicode(c) for c in made)
    return made.encode("cp1252"), dict(name.planted)


KINDS = {"html": (Html, html), "xml": (Xml, cda), "odt": (Odt, odt), "rtf": (Rtf, rtf)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_no_planted_name_is_left(tmp_path, kind, seed):
    form, generate = KINDS[kind][0](), KINDS[kind][1]
    content, names = generate(seed)
    before = leaks.found(content, names)
    assert set(names) - before <= {"split over elements", "note inside"}
    edited, out = redacted(form, content, names.values(), tmp_path)
    assert leaks.found(out.read_bytes(), names) == set()
    assert verified(form, edited, out)


def test_what_stays_of_a_page_is_as_it_was(tmp_path):
    content, names = html(9)
    _, out = redacted(Html(), content, names.values(), tmp_path)
    text = out.read_text()
    assert "<p>Seen by <b>[NAME]</b><i></i> today, [NAME]</p>" in text
    assert '<td colspan="2">[NAME]</td>' in text
    assert '<html lang="en">' in text


def test_what_stays_of_a_record_is_as_it_was(tmp_path):
    content, names = cda(9)
    _, out = redacted(Xml(), content, names.values(), tmp_path)
    text = out.read_text()
    assert '<id root="2.16.840.1.113883.19.5" extension="[NAME]"/>' in text
    assert "<given>[NAME]</given><family/>" in text.replace("<family></family>", "<family/>")
    assert 'code="34133-9"' in text
    assert "QUJD" not in text


def test_attributes_hold_codes_in_health_records_alone():
    content = b'<praxis type="Krueger" xml:lang="de"><p ID="MRN-4711001" code="Quentin" use="12.3.1961">x</p></praxis>'
    opened = Xml().open(content)
    assert opened.text.split() == ["Krueger", "MRN-4711001", "Quentin", "12.3.1961", "x"]
    health = content.replace(b"<praxis", b'<praxis xmlns="urn:hl7-org:v3"')
    assert Xml().open(health).text.split() == ["x"]
    assert b"12.3.1961" not in Xml().open(health).save({})  # what no standard lists for `use`
    for code in (b"Krueger", b"Quentin"):
        assert code in Xml().open(health).save({})


def test_an_identifier_without_an_extension_is_text():
    row = '<id xmlns="urn:hl7-org:v3" root="{}" extension="{}"/>'
    assert Xml().open(row.format("2.16.840.1", "MRN-1").encode()).text == "MRN-1\n"
    uuid = "db734647-fc99-424c-a864-7e3cda82e703"
    assert Xml().open(row.format(uuid, "MRN-1").encode()).text == f"{uuid}\nMRN-1\n"


def test_ids_of_elements_are_numbered_and_what_refers_to_them_follows():
    content = (
        b'<r xmlns="urn:hl7-org:v3"><text ID="hans-mueller">Der <content ID="x">P</content>'
        b'<renderMultiMedia referencedObject="x nowhere"/></text><reference value="#hans-mueller"/></r>'
    )
    opened = Xml().open(content)
    written = opened.save({})
    assert opened.text == "Der P\n#id1\n"
    assert opened.found.dropped == {"id of an element": 2}
    assert written.endswith(
        b'<text ID="id1">Der <content ID="id2">P</content><renderMultiMedia referencedObject="id2"/>'
        b'</text><reference value="#id1"/></r>'
    )
    assert Xml().is_clean(written, Xml().open(written))


def test_what_stays_of_a_text_is_as_it_was(tmp_path):
    content, names = odt(9)
    _, out = redacted(Odt(), content, names.values(), tmp_path)
    with zipfile.ZipFile(out) as packed:
        assert packed.namelist()[0] == "mimetype"
        assert packed.infolist()[0].compress_type == 0
        body = packed.read("content.xml").decode()
    assert "Seen by <text:span>[NAME]</text:span> and [NAME]</text:p>" in body
    assert body.count("[NAME]") == 11


STYLED = (
    rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f3 Courier New;}}{\stylesheet{\fs20\snext0 Normal Krueger;}"
    rb"{\s9\qc\f3\fs0028\b0\sbasedon0\snext9\*\krueger1 Quentin;}{\*\cs7 \additive\i Who;}{\*\ts11 x;}{\s9 again;}{\s65\fi-113 footnote text;}"
    rb"{\s4711001 Number;}}\pard\plain\s9 About {\cs7 him}\par}"
)


def test_a_style_sheet_keeps_how_it_looks_and_no_name():
    opened = Rtf().open(STYLED)
    written = opened.save({})
    assert opened.found.dropped == {"style sheet": 1}
    assert (
        rb"{\stylesheet{\s0\fs20\snext0 Normal;}{\s9\qc\f1\fs28\b0\sbasedon0\snext9 Style 9;}{\*\cs7\i Style 7;}{\s65\fi-113 footnote text;}}"
        in written
    )
    assert rb"\s9 About {\cs7 him}" in written
    for name in (b"Krueger", b"Quentin", b"Who", b"krueger", b"4711001"):
        assert name not in written
    again = Rtf().open(written)
    assert Rtf().is_clean(written, again)
    assert again.save({}) == written
    assert Rtf().search(written, ["Krueger"]) == 0


@pytest.mark.parametrize(
    "entry",
    [
        rb"{\s9\qc Quentin;}",
        rb"{\s9\qc Doctor Quentin;}",
        rb"{\s9\krueger Style 9;}",
        rb"{\s9 Style 9;}{\info x}",
    ],
)
def test_a_style_sheet_with_anything_else_is_found_by_the_second_reader(entry):
    written = Rtf().open(STYLED).save({})
    start, end = (
        written.index(rb"{\stylesheet") + len(rb"{\stylesheet"),
        written.index(rb"}}\pard") + 1,
    )
    assert Rtf().search(written[:start] + entry + written[end:], ["Quentin"]) > 0


def test_a_template_that_is_called_a_text_is_one(tmp_path):
    content, names = odt(9)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    parts["mimetype"] += b"-template"
    edited, out = redacted(Odt(), planted.zipped(parts), names.values(), tmp_path)
    assert verified(Odt(), edited, out)
    with zipfile.ZipFile(out) as packed:
        assert packed.read("mimetype") == b"application/vnd.oasis.opendocument.text"


HOSTILE = {
    "other": ("odt", planted.zipped({"mimetype": "text/plain"}), "is damaged, or not of the kind that its name says"),
    "locked": ("odt", planted.zipped({"mimetype": "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml": "<encryption-data/>"}), "is encrypted"),
    "entities": ("xml", b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "has a part with a document type that is needed to read it"),
    "broken": ("xml", b"<x><y></x>", "has a part that is not well-formed XML"),
    "deep": ("xml", b"<x>" * 5000 + b"</x>" * 5000, "has a part that is not well-formed XML"),
    "charset": ("html", b'<meta charset="klingon"><p>x</p>', "is in an unknown character set"),
    "latin": ("html", "<p>Zoë</p>".encode("latin-1"), "is in an unknown character set"),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_withheld(tmp_path, case):
    kind, content, reason = HOSTILE[case]
    path = tmp_path / f"a.{kind}"
    path.write_bytes(content)
    (record,) = KINDS[kind][0]().read(CorpusFile(path.name, path))
    assert record.reason == reason


@pytest.mark.parametrize("content", [b"", b"   ", b"no markup at all", b"<p>x", b"\xef\xbb\xbf<p>x</p>", b"<div>" * 300])  # fmt: skip
def test_strange_pages_are_read_or_withheld(tmp_path, content):
    path = tmp_path / "a.html"
    path.write_bytes(content)
    form, part = Html(), CorpusFile("a.html", path)
    (record,) = form.read(part)
    if isinstance(record, Document):
        out = tmp_path / "out.html"
        from sfumato.data.document import Edited

        edited = Edited(record, (), "a.html")
        form.write(part, [edited], out)
        assert verified(form, edited, out)
    else:
        assert record.reason == "is not an HTML page"


def test_names_of_elements_and_attributes_are_nobodys(tmp_path):
    page = b"<p>Quentin came.<Quentin>x</Quentin> <b title='a&#8;b\x01'>y</b>\x08<em>z</em></p>"
    edited, out = redacted(Html(), page, ["Quentin"], tmp_path)
    assert verified(Html(), edited, out)
    assert b"uentin" not in out.read_bytes()
    record = b"<n Quentin='1'><text>Quentin came.</text><Quentin/></n>"
    edited, out = redacted(Xml(), record, ["Quentin"], tmp_path)
    assert not verified(Xml(), edited, out)  # a record is of any vocabulary: it is withheld


def test_what_stays_of_a_rich_text_is_as_it_was(tmp_path):
    content, names = rtf(3)
    edited, out = redacted(Rtf(), content, names.values(), tmp_path)
    (again,) = Rtf().read(CorpusFile("again.rtf", out))
    assert again.text == edited.text
    assert "Мир" in again.text  # by the character set of its font
    assert "Kept: café {x}" in again.text
    assert "About [NAME] today" in again.text
    assert Rtf().open(Rtf().create("Dear {Ann},\n\tZoë 👍")).text == "Dear {Ann},\n\tZoë 👍\n"


LOOKS = (
    rb"{\rtf1\ansi\deff1{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\froman\fcharset204{\*\panose 02020603050405020304}Times New Roman{\*\falt Times};}"
    rb"{\f2 Anna Perez;}{\f3\fnil Calibri 5551234;}}{\colortbl Perez;\red255\green0\blue999 Perez;}\pard\plain Hi \'cc{\f2\cf1 yo}\f0\'e9\plain\'cc"
    rb"\par\pard{\pntext\f0\'95\tab}x\column{\headerf First \chpgn}\li5551234567\tx720}"
)


def test_a_rich_text_keeps_how_it_looks(tmp_path):
    opened = Rtf().open(LOOKS)
    assert (
        opened.text == "Hi \u041cyo\u00e9\u041c\n\u2022\tx\n\nFirst \n"
    )  # the first font is that of \\deff
    written = opened.save({})
    assert (
        rb"{\fonttbl{\f0 Times New Roman;}{\f1 Arial;}}{\colortbl;\red255\green0\blue255;}"
        in written
    )
    for kept in (rb"{\f0 \cf1 yo}\f1 ", rb"\column ", rb"{\headerf First \chpgn }", rb"\tx720 "):
        assert kept in written
    for gone in (b"Perez", b"555"):
        assert gone not in written
    again = Rtf().open(written)
    assert (again.text, again.save({})) == (opened.text, written)
    assert Rtf().search(written, ["Perez", "shading"]) == 0
    assert Rtf().search(written.replace(b"Arial", b"Perez"), []) == 1  # a font that nobody else has


def test_code_pages_of_the_first_computers_are_told_apart(tmp_path):
    opened = [Rtf().open(rb"{\rtf1\%s \'f1\'9b}" % name).text for name in (b"pc", b"pca", b"ansi")]
    assert opened == ["\u00b1\u00a2", "\u00b1\u00f8", "\u00f1\u203a"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"hello", "is not rich text"), (rb"{\rtf1 a", "groups do not match"), (rb"{\rtf1 {\pict\bin30 abc}}", "its binary data ends before it should"),
        (rb"{\rtf1\ansi\ansicpg99999 \'e9}", "unknown character set"), (b"{\\rtf1 " + b"{" * 200 + b"}" * 201, "more groups"),
        (rb"{\rtf1 \u-10179?}", "half a character"), (rb"{\rtf1\ansi\ansicpg932 \'83}", "not of its character set"),
        (b"{\\rtf1 x\\", "ends with a single backslash"),
    ],
)  # fmt: skip
def test_rich_text_that_is_not_understood_is_withheld(tmp_path, content, reason):
    (tmp_path / "a.rtf").write_bytes(content)
    (found,) = Rtf().read(CorpusFile("a.rtf", tmp_path / "a.rtf"))
    assert reason in found.reason


def test_a_rich_text_that_still_holds_the_name_is_seen(tmp_path):
    content, names = rtf(1)
    edited, out = redacted(Rtf(), content, names.values(), tmp_path)
    assert verified(Rtf(), edited, out)
    good, name = out.read_bytes(), edited.document.text[edited.edits[0].start : edited.edits[0].end]
    for hidden in (rf"{{\*\x {name}}}", "".join(rf"\u{ord(c)}?" for c in name)):
        out.write_bytes(good.replace(b"\\pard", hidden.encode() + b"\\pard", 1))
        assert not verified(Rtf(), edited, out)


def test_attributes_with_listed_values_hold_nothing_else():
    """Codes of an open list stay as they are; where the standard lists the values, others go."""
    good = '<v xmlns="urn:hl7-org:v3" representation="B64" mediaType="text/rtf" use="HP H" negationInd="true" nullFlavor="NI" classCode="OBS" width="50%" align="left">x</v>'
    assert Xml().open(good.encode()).found.dropped == {}
    for name, value in (
        ("representation", "tel:Quixadelmo"), ("mediaType", "Quixadelmo"), ("use", "Quixadelmo"), ("width", "Quixadelmo"),
        ("negationInd", "Quixadelmo"), ("styleCode", "Quixadelmo"), ("nullFlavor", "Quixadelmo"), ("classCode", "Quixadelmo"), ("align", "Quixadelmo"),
    ):  # fmt: skip
        opened = Xml().open(f'<v xmlns="urn:hl7-org:v3" {name}="{value}">x</v>'.encode())
        assert opened.found.dropped == {"attribute": 1}
        assert b"Quixadelmo" not in opened.save({})
