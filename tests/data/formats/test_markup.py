"""HTML pages and XML records: names over elements are one name, and what is hidden is dropped."""

import pytest

from sfumato.data.document import Document
from sfumato.data.formats.markup.formats import Html, Xml
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


KINDS = {"html": (Html, html), "xml": (Xml, cda)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_no_planted_name_is_left(tmp_path, kind, seed):
    form, generate = KINDS[kind][0](), KINDS[kind][1]
    content, names = generate(seed)
    before = leaks.found(content, names)
    assert set(names) - before <= {"split over elements"}
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


HOSTILE = {
    "entities": ("xml", b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "has a part with a document type"),
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
        assert record.reason == "is no HTML page"
