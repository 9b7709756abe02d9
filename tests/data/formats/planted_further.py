"""Pages, records, texts and messages with a name planted in places that few files have."""

from __future__ import annotations

import base64
import io
import json
import quopri

from openpyxl import Workbook
from openpyxl.comments import Comment

from .office.planted import Names, esc, jpeg, zipped


def html(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a page and what was planted in it, by place."""
    n = Names(f"html further {seed}")
    page = f"""<!DOCTYPE html>
<html manifest="{esc(n("manifest"))}" data-x='{esc(n("root attribute"))}'><head><base href="https://x.example/{esc(n("base").replace(" ", "/"))}">
<meta property="og:title" content="{esc(n("card"))}"><script type="application/ld+json">{json.dumps({"name": n("linked data")})}</script>
<!--[if mso]><p>{esc(n("conditional comment"))}</p><![endif]--></head><body background="{esc(n("background"))}" style="content:'{esc(n("inline style"))}'">
<form action="/{esc(n("form action"))}" name="{esc(n("form name"))}"><input placeholder="{esc(n("placeholder"))}" aria-label="{esc(n("spoken label"))}" list="a">
<datalist id="a"><option value="{esc(n("choice value"))}" label="{esc(n("choice label"))}"></datalist><select><optgroup label="{esc(n("group label"))}"><option>{esc(n("choice"))}</option></optgroup></select>
<button formaction="{esc(n("button action"))}">{esc(n("button"))}</button></form>
<object data="{esc(n("object data"))}"><param name="who" value="{esc(n("parameter"))}">{esc(n("object text"))}</object>
<template><p>{esc(n("template"))}</p></template><math><annotation>{esc(n("formula"))}</annotation></math>
<svg><title>{esc(n("drawing title"))}</title><desc>{esc(n("drawing description"))}</desc><metadata>{esc(n("drawing metadata"))}</metadata><foreignObject><p>{esc(n("foreign object"))}</p></foreignObject></svg>
<map><area alt="{esc(n("area"))}" href="{esc(n("area target"))}"></map><video poster="{esc(n("poster"))}"><track label="{esc(n("track"))}"></video>
<img srcset="{esc(n("source set"))} 2x" longdesc="{esc(n("long description"))}"><q cite="{esc(n("citation"))}">x</q><del cite="{esc(n("deletion"))}">{esc(n("deleted"))}</del>
<a download="{esc(n("file name"))}" ping="{esc(n("ping"))}" href="javascript:x('{esc(n("code of a link"))}')">{esc(n("link"))}</a>
<ruby>{esc(n("ruby base"))}<rt>{esc(n("ruby text"))}</rt></ruby><x-person full-name="{esc(n("own attribute"))}">{esc(n("own element"))}</x-person>
<p hidden>{esc(n("hidden"))}</p><p style="display:none">{esc(n("not displayed"))}</p><xmp>{esc(n("example"))}</xmp><noframes>{esc(n("no frames"))}</noframes>
<p>{"".join(f"&#x{ord(c):x};" for c in n("hexadecimal references"))}</p><p>{"&shy;".join(n("soft hyphens"))}</p><p>{"<wbr>".join(map(esc, n("breaks")))}</p>
<table summary="{esc(n("table summary"))}"><caption>{esc(n("caption"))}</caption><tr><th abbr="{esc(n("abbreviated"))}">x</th></tr></table>
<p><![CDATA[{n("character data")}]]></p><plaintext>{esc(n("plain text"))}"""
    n.planted["base"] = n.planted["base"].replace(" ", "/")
    return page.encode(), dict(n.planted)


def xml(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a record of no known vocabulary and what was planted in it, by place."""
    n = Names(f"xml further {seed}")
    record = f"""<?xml version="1.0" encoding="UTF-8"?><?who {esc(n("instruction"))}?>
<r:letters xmlns:r="urn:letters" xml:lang="{esc(n("language"))}" xml:base="{esc(n("base"))}"><r:letter by="{esc(n("attribute"))}" r:to="{esc(n("qualified attribute"))}">
mixed {esc(n("mixed"))}<b>{esc(n("inner"))}</b>{esc(n("tail"))}<?pi {esc(n("inner instruction"))}?><!-- {esc(n("inner comment"))} -->
<![CDATA[<p>{n("inner page")}</p>]]><e>{"".join(f"&#{ord(c)};" for c in n("references"))}</e>
<link href="mailto:{n("mail").replace(" ", ".")}"/><data encoding="base64">{base64.b64encode(n("base64").encode()).decode()}</data>
<x:f xmlns:x="urn:x">{esc(n("other namespace"))}</x:f></r:letter>
<patient ID="{n("id").replace(" ", "-")}" code="{n("code").replace(" ", "-")}" type="{n("type").replace(" ", "-")}" use="{n("use").replace(" ", "-")}"/>
<v:id xmlns:v="urn:hl7-org:v3" root="{n("root").replace(" ", "-")}"/><v:text xmlns:v="urn:hl7-org:v3" ID="{n("id of an element").replace(" ", "-")}"/>
</r:letters><!-- {esc(n("after the end"))} -->"""
    for place, between in {"mail": ".", "id": "-", "code": "-", "type": "-", "use": "-", "root": "-", "id of an element": "-"}.items():  # fmt: skip
        n.planted[place] = n.planted[place].replace(" ", between)
    return record.encode(), dict(n.planted)


def odt(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return an OpenDocument text and what was planted in it, by place."""
    n = Names(f"odt further {seed}")
    names = (("office", "office"), ("text", "text"), ("style", "style"), ("table", "table"), ("draw", "drawing"), ("svg", "svg-compatible"), ("form", "form"), ("fo", "xsl-fo-compatible"), ("number", "datastyle"), ("chart", "chart"))  # fmt: skip
    spaces = " ".join(f'xmlns:{a}="urn:oasis:names:tc:opendocument:xmlns:{b}:1.0"' for a, b in names)  # fmt: skip
    spaces += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
    letters, tab = n("one span per letter"), n("tab inside")
    body = f"""<?xml version="1.0"?><office:document-content {spaces}>
<office:font-face-decls><style:font-face style:name="{esc(n("font"))}" svg:font-family="'{esc(n("font family"))}'"/></office:font-face-decls>
<office:automatic-styles><number:date-style style:name="N1"><number:text>{esc(n("date format"))}</number:text></number:date-style>
<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-prefix="{esc(n("list prefix"))}" style:num-suffix="."/></text:list-style></office:automatic-styles>
<office:body><office:text><office:forms><form:form form:name="{esc(n("form"))}"><form:text form:current-value="{esc(n("form value"))}" form:label="{esc(n("form label"))}"/></form:form></office:forms>
<text:variable-decls><text:variable-decl text:name="{esc(n("variable"))}"/></text:variable-decls><text:dde-connection-decls><text:dde-connection-decl office:dde-topic="{esc(n("data link"))}"/></text:dde-connection-decls>
<text:section text:name="{esc(n("section"))}" text:protection-key="{esc(n("protection"))}"><text:section-source xlink:href="../{esc(n("section source"))}.odt"/><text:p>x</text:p></text:section>
<text:p>{"".join(f"<text:span>{esc(c)}</text:span>" if c != " " else "<text:s/>" for c in letters)}</text:p><text:p>{esc(tab.split()[0])}<text:tab/>{esc(tab.split()[1])}</text:p>
<text:p><text:alphabetical-index-mark text:string-value="{esc(n("index entry"))}" text:key1="{esc(n("index key"))}"/><text:bibliography-mark text:author="{esc(n("bibliography author"))}" text:title="{esc(n("bibliography title"))}">{esc(n("bibliography"))}</text:bibliography-mark></text:p>
<text:p><text:variable-set text:name="v" office:string-value="{esc(n("variable value"))}" text:formula="ooow:{esc(n("variable formula"))}">{esc(n("variable shown"))}</text:variable-set><text:conditional-text text:condition="ooow:{esc(n("condition"))}" text:string-value-if-true="{esc(n("if true"))}" text:string-value-if-false="{esc(n("if false"))}">x</text:conditional-text></text:p>
<text:p><text:database-display text:table-name="{esc(n("database"))}" text:column-name="c">{esc(n("database value"))}</text:database-display><text:drop-down text:name="{esc(n("drop-down"))}"><text:label text:value="{esc(n("drop-down choice"))}"/>{esc(n("drop-down shown"))}</text:drop-down></text:p>
<text:p><text:ruby><text:ruby-base>{esc(n("ruby base"))}</text:ruby-base><text:ruby-text>{esc(n("ruby text"))}</text:ruby-text></text:ruby><text:sender-lastname>{esc(n("sender"))}</text:sender-lastname><text:hidden-paragraph text:condition="{esc(n("hidden condition"))}"/></text:p>
<text:p><text:a xlink:href="x" office:title="{esc(n("link title"))}" office:name="{esc(n("link name"))}">x</text:a><text:reference-mark text:name="{esc(n("reference"))}"/><text:meta xhtml:about="{esc(n("about"))}" xhtml:content="{esc(n("content attribute"))}">{esc(n("meta"))}</text:meta></text:p>
<text:table-of-content text:name="{esc(n("index name"))}"><text:table-of-content-source><text:index-title-template>{esc(n("index title"))}</text:index-title-template></text:table-of-content-source><text:index-body><text:p>{esc(n("index line"))}</text:p></text:index-body></text:table-of-content>
<text:p><draw:custom-shape><text:p>{esc(n("shape text"))}</text:p><svg:title>{esc(n("shape title"))}</svg:title></draw:custom-shape><draw:a xlink:href="x" office:target-frame-name="{esc(n("target frame"))}"><draw:frame><draw:object-ole xlink:href="./Object 2"/><draw:image><office:binary-data>{base64.b64encode(n("inner picture").encode()).decode()}</office:binary-data></draw:image></draw:frame></draw:a></text:p>
<table:table><table:table-row><table:table-cell office:value-type="string" office:string-value="{esc(n("cell value"))}" table:formula="of:={esc(n("cell formula"))}"><text:p>{esc(n("cell"))}</text:p></table:table-cell></table:table-row></table:table>
<office:annotation office:name="{esc(n("comment name"))}" loext:sender-initials="{esc(n("initials"))}"><text:p>{esc(n("comment"))}</text:p></office:annotation>
</office:text></office:body></office:document-content>"""
    styles = f"""<office:document-styles {spaces}><office:styles><style:style style:name="a" style:parent-style-name="{esc(n("parent style"))}" style:family="text"><style:text-properties style:font-name="{esc(n("style font"))}" fo:font-family="'{esc(n("style family"))}'"/></style:style><text:notes-configuration style:num-prefix="{esc(n("note prefix"))}"/></office:styles>
<office:master-styles><style:master-page style:name="Standard"><style:footer><text:p>Footer {esc(n("footer"))}</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>"""
    parts = {
        "mimetype": "application/vnd.oasis.opendocument.text", "content.xml": body, "styles.xml": styles,
        "manifest.rdf": f"<x>{esc(n('linked data'))}</x>", "Basic/Standard/Module1.xml": f"<x>{esc(n('macro'))}</x>",
        "Configurations2/accelerator/current.xml": f"<x>{esc(n('configuration'))}</x>", "layout-cache": n("layout cache"),
        "Versions/Version1": n("earlier version"), "VersionList.xml": f"<x>{esc(n('versions'))}</x>", "META-INF/documentsignatures.xml": f"<x>{esc(n('signature'))}</x>",
        "Object 2": n("object"), "ObjectReplacements/Object 2": n("picture of an object"), "Fonts/f.ttf": n("embedded font"), "Pictures/a.jpg": jpeg(n("picture comment")),
        "META-INF/manifest.xml": f'<manifest><!-- {esc(n("comment in the manifest"))} --></manifest>',
    }  # fmt: skip
    return zipped(parts, stored="mimetype"), dict(n.planted)


def rtf(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a rich text and what was planted in it, by place."""
    n = Names(f"rtf further {seed}")

    def hidden(word: str) -> str:
        return rf"{{\*\{word} {n(word)}}}"

    def shape(word: str) -> str:
        return rf"{{\sp{{\sn {word}}}{{\sv {n(f'shape {word}')}}}}}"

    letters, paired = n("one group per letter"), n("two forms")
    unicode = "".join(f"\\u{ord(c)}?" for c in paired)
    made = (
        r"{\rtf1\ansi\deff0{\fonttbl{\f0\fnil\fcharset0{\*\falt " + n("other name of a font") + "}Arial;}}"
        r"{\*\listtable{\list{\listlevel{\leveltext\'02\'00.;}}{\listname " + n("list name") + r";}}}{\*\revtbl{Unknown;}{" + n("reviser") + ";}}"
        + "".join(hidden(w) for w in ("userprops", "xmlnstbl", "docvar", "template", "passwordhash", "themedata", "datastore", "latentstyles", "rsidtbl", "atnauthor", "atnid", "atndate", "bkmkend", "mailmerge", "protusertbl", "wgrffmtfilter", "colorschememapping", "objclass", "objname", "private"))
        + r"{\info{\subject " + n("subject") + r"}{\keywords " + n("keywords") + r"}{\operator " + n("operator") + r"}{\doccomm " + n("file comment") + r"}{\*\manager " + n("manager") + r"}{\hlinkbase " + n("link base") + "}}"
        r"{\footer " + n("footer") + r"\par}{\headerf " + n("first header") + r"\par}\pard " + "".join(rf"{{\b0 {c}}}" for c in letters) + r"\par "
        r"{\upr{" + "x" * 5 + r"}{\*\ud{" + unicode + r"}}}\par {\xe " + n("index entry") + r"}{\tc " + n("contents entry") + r"}{\pntext " + n("list text") + r"\tab}"
        r"{\*\pn{\pntxtb " + n("list mark") + r"}}{\footnote\ftnalt " + n("endnote") + r"}{\shp{\*\shpinst" + shape("wzName") + shape("wzDescription") + shape("pihlShape") + r"{\shptxt " + n("text of a shape") + r"\par}}{\shprslt " + n("older shape") + "}}"
        r"{\object{\*\objdata " + n("object data").encode().hex() + r"}{\result " + n("object result") + r"}}"
        r"{\field{\*\fldinst{FORMTEXT}{\*\formfield{\*\ffname " + n("form name") + r"}{\*\ffdeftext " + n("form default") + r"}{\*\ffhelptext " + n("form help") + r"}}}{\fldrslt " + n("form answer") + "}}"
        r"{\nonshppict{\pict\wmetafile8 " + n("metafile").encode().hex() + r"}}{\*\shppict{\pict\pngblip " + n("new picture").encode("utf-16-le").hex() + "}}"
        r"\par{\caps " + n("capitals") + r"}\par{\cf8 " + n("white") + r"}\par " + n("tab inside").replace(" ", r"\tab ") + r"\par " + n("line inside").replace(" ", r"\line ") + r"\par "
        + r"\-".join(n("optional hyphens")) + r"\par " + n("nested cell") + r"\nestcell{\*\nesttableprops x}{\nonesttables\par}\par}" + n("after the end")
    )  # fmt: skip
    made = "".join(c if ord(c) < 256 else f"\\u{ord(c)}?" for c in made)
    return made.encode("cp1252"), dict(n.planted)


def mail(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a message and what was planted in it, by place."""
    n = Names(f"mail further {seed}")

    def plain(place: str, space: str = " ") -> str:
        n.planted[place] = n(place).encode("ascii", "ignore").decode().replace(" ", space)
        return n.planted[place]

    def part(head: str, content: bytes, way: str = "base64") -> str:
        body = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}[way](content)
        return f"--b\n{head}\nContent-Transfer-Encoding: {way}\n\n{body.decode()}"

    card = f"BEGIN:VCARD\nFN:{n('visiting card')}\nEND:VCARD"
    meeting = f"BEGIN:VCALENDAR\nSUMMARY:{n('meeting')}\nORGANIZER;CN={n('organiser')}:mailto:x\nEND:VCALENDAR"
    inner = f"From: a@example.org\nSubject: {plain('digest subject')}\n\ndigest {plain('digest body')}\n"
    encoded = "".join(f"%{b:02X}" for b in n("encoded file name").encode())
    head = [
        *(f"{name}: {plain(name)}" for name in ("Resent-From", "Sender", "Keywords", "Organization", "List-Id", "List-Unsubscribe", "Disposition-Notification-To", "X-Originating-IP", "Authentication-Results", "Delivered-To", "Envelope-To", "Autocrypt", "User-Agent", "In-Reply-To", "Errors-To")),
        f"From: ward@example.org ({plain('comment of an address')})", f"To: {plain('group')}: a@example.org, \"{plain('quoted name')}\" <b@example.org>;",
        f"Cc: {plain('local part', '.')}@example.org", f"Subject: =?iso-8859-1?Q?{quopri.encodestring(plain('latin subject').encode(), header=True).decode()}?=",
        "MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="b"', "",
    ]  # fmt: skip
    flowed = n("flowed")
    parts = [
        part("Content-Type: text/plain; charset=utf-8; format=flowed", f"Dear all,\n{flowed.split()[0]} \n{flowed.split()[1]} came, {n('body')}\n-- \n{n('signature')}\n".encode(), "quoted-printable"),
        part("Content-Type: text/plain; charset=utf-16", f"wide {n('UTF-16')}".encode("utf-16")),
        part("Content-Type: text/html; charset=utf-8", f"<table><tr><td>{esc(n('cell'))}</td></tr></table><img alt='{esc(n('alternative text'))}' src='cid:x'>".encode()),
        part("Content-Type: text/calendar; method=REQUEST; charset=utf-8", meeting.encode()), part("Content-Type: text/x-vcard; charset=utf-8", card.encode()),
        part(f"Content-Type: text/csv; charset=utf-8\nContent-Disposition: attachment; filename*=utf-8''{encoded}.csv", f"name\n{n('attached table')}\n".encode()),
        part(f"Content-Type: application/ms-tnef; name=winmail.dat\nContent-ID: <{plain('content id', '.')}@x>", n("winmail").encode("utf-16-le")),
        part("Content-Type: image/jpeg; name=a.jpg", jpeg(n("picture comment"))), part("Content-Type: application/zip; name=a.zip", zipped({"a.txt": n("packed file")})),
        part("Content-Type: application/pgp-signature", n("key").encode()), part("Content-Type: application/json; charset=utf-8", json.dumps({"who": n("data")}).encode()),
        f"--b\nContent-Type: multipart/digest; boundary=d\n\n--d\n\n{inner}\n--d--\n",
        f"--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; {plain('recipient', '.')}@example.org\n", f"--b\nContent-Type: text/rfc822-headers\n\nSubject: {plain('returned header')}\n",
        f"--b\nContent-Type: message/external-body; access-type=URL; URL=\"http://x/{plain('outside body', '/')}\"\n\nContent-Type: text/plain\n\n", "--b--\n",
    ]  # fmt: skip
    return "\n".join([*head, *parts]).encode(), dict(n.planted)


def sheet(seed: object) -> tuple[bytes, dict[str, str]]:
    """Return a spreadsheet with a column of notes, and what was planted in it, by place."""
    n = Names(f"sheet {seed}")
    book = Workbook()
    rows = book.active
    rows.title = n("sheet name")[:31]
    n.planted["sheet name"] = rows.title
    rows.append(["Nr", "Brief", "Arzt", n("column name"), "Summe"])
    for number in range(4):
        rows.append([number, f"{n.prose()} {n(f'note {number}')} {n.prose()}", n(f"other column {number}"), n(f"unnamed column {number}"), f'=IF(A{number + 2}>9,"{n(f"formula {number}")}",1)'])  # fmt: skip
    rows["B2"].comment = Comment(n("comment"), n("author"))
    other = book.create_sheet("Other")
    other.append([n("other sheet")])
    other.sheet_state = "hidden"
    book.properties.creator, book.properties.description = n("creator"), n("description")
    made = io.BytesIO()
    book.save(made)
    return made.getvalue(), dict(n.planted)
