"""What was met in files that nobody here wrote, each cause in a generated file: leaks, and files withheld for nothing."""

import io
import json
import zipfile

import openpyxl
import pytest
from openpyxl.comments import Comment
from openpyxl.workbook.defined_name import DefinedName

from sfumato.data.document import Document, Edit, Edited
from sfumato.data.documents import read_documents
from sfumato.data.formats.health.second_reader import stands_in, still_holds
from sfumato.data.formats.mail.formats import Mail
from sfumato.data.formats.mail.message import compose
from sfumato.data.formats.mail.second_reader import search_message
from sfumato.data.formats.markup.formats import Rtf, Xml
from sfumato.data.formats.office.formats import Docx, Pptx, Xlsx
from sfumato.data.formats.office.second_reader import search_zip
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests

from .office import planted, planted_more
from .office.redacting import verified

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def written(form, content, words, folder, put="[X]"):
    """Redact words in a file; return what was written, which must verify."""
    path, out = folder / f"in{form.suffixes[0]}", folder / f"out{form.suffixes[0]}"
    path.write_bytes(content)
    (document,) = form.read(CorpusFile(path.name, path))
    assert isinstance(document, Document), document
    edits = []
    for word in words:
        at = document.text.find(word)
        while at >= 0:
            edits.append(Edit(at, at + len(word), put, "NAME"))
            at = document.text.find(word, at + 1)
    edited = Edited(document, sorted(edits, key=lambda edit: edit.start), path.name)
    form.write(CorpusFile(path.name, path), [edited], out)
    assert verified(form, edited, out)
    return document.text, out.read_bytes()


def book(fill):
    made, out = openpyxl.Workbook(), io.BytesIO()
    fill(made)
    made.save(out)
    return out.getvalue()


def changed(content, name, change):
    """Return a zip file with one part changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for entry in old.namelist():
            part = old.read(entry)
            new.writestr(entry, change(part) if entry == name else part)
    return out.getvalue()


# --- office ---------------------------------------------------------------------------------------


def test_the_author_that_stands_for_all_is_no_text(tmp_path):
    def fill(made):
        made.active["A1"] = "Author Quentin"
        made.active["A1"].comment = Comment("ask Quentin", "Quentin")

    text, out = written(Xlsx(), book(fill), ["Author", "Quentin"], tmp_path)
    assert text.count("Author") == 1
    assert b"Quentin" not in b"".join(zipfile.ZipFile(io.BytesIO(out)).read(n) for n in zipfile.ZipFile(io.BytesIO(out)).namelist())  # fmt: skip


def test_a_literal_of_a_formula_may_become_a_short_one(tmp_path):
    def fill(made):
        made.active["A1"] = '="Neigh"&A2'

    text, out = written(Xlsx(), book(fill), ["Neigh"], tmp_path, put="X")
    assert "Neigh" in text
    assert openpyxl.load_workbook(io.BytesIO(out)).active["A1"].value == '="X"&A2'


def test_formulas_with_a_name_of_a_range_that_goes_go_too(tmp_path):
    def fill(made):
        made.active["A1"] = "Quentin"
        made.defined_names["one"] = DefinedName("one", attr_text="'[1]Away'!$A$1")
        made.defined_names["two"] = DefinedName("two", attr_text="one+1")
        made.defined_names["three"] = DefinedName("three", attr_text="Sheet!$A$1")
        made.active["B1"], made.active["B2"] = '=two&" of Quentin"', "=three*2"

    _, out = written(Xlsx(), book(fill), ["Quentin"], tmp_path)
    again = openpyxl.load_workbook(io.BytesIO(out))
    assert len(again.defined_names) == 1
    assert again.active["B1"].value is None
    assert str(again.active["B2"].value).endswith("*2")


@pytest.mark.parametrize(
    ("part", "word", "count"),
    [
        (f'<w:a {SPACE} w:directFormattingOnParagraphs="1"/>', "Paragraph", 0), (f"<w:Paragraph {SPACE}/>", "Paragraph", 1),
        (f"<w:Column {SPACE}/>", "Column", 0), (f'<w:a {SPACE} w:name="Office"/>', "Office", 0),
        (f'<w:a {SPACE} w:name="Office Meyer"/>', "Office", 1), (f'<w:a {SPACE} w:name="_xlnm._FilterDatabase"/>', "Filter", 0),
        (f'<w:a {SPACE} w:val="Style3"/>', "Style", 0), (f'<w:a {SPACE} eqn="prod @7 21600 pixelWidth"/>', "Width", 0),
        (f'<w:a {SPACE} w:name="Table1.A"/>', "Table", 0), (f"<w:a {SPACE}> SEQ Figure \\* ARABIC </w:a>", "Figure", 0),
        (f"<w:a {SPACE}>See Figure 2</w:a>", "Figure", 1), (f'<w:a {SPACE} w:name="Stylemeyer3"/>', "Style", 1),
    ],
)  # fmt: skip
def test_words_of_the_standard_are_no_leaks(part, word, count):
    assert search_zip(planted.zipped({"word/document.xml": part}), [word]) == count


def test_conditions_of_old_drawings_are_left_out(tmp_path):
    content, _ = planted.docx(1)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        drawings = [name for name in packed.namelist() if name.endswith(".vml")]
    if not drawings:
        content, _ = planted_more.xlsx(1)
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            drawings = [name for name in packed.namelist() if name.endswith(".vml")]
    form = Docx() if b"word/" in content else Xlsx()
    hidden = changed(
        content, drawings[0], lambda part: part.replace(b"</xml>", b"<![if Quentin]><br></xml>")
    )
    _, out = written(form, hidden, ["Zzzz"], tmp_path)
    assert b"Quentin" not in out
    assert form.open(out).found.dropped == {}
    assert Pptx is not None


# --- markup ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (rb"{\rtf1 {\pict\bin9 \f0{}}}ab\par}Quentin}", "Quentin"), (rb"{\rtf1 a\\bin9 Quentin}", "a\\bin9 Quentin"),
        (rb"{\rtf1\ansi\ansicpg0 Caf\'e9 Quentin}", "Café Quentin"), (rb"{\rtf1{\fonttbl{\f1\fcharset156 X;}}\f1 Quentin}", "Quentin"),
        (rb"{\rtf1{\fonttbl{\f1\fcharset255 X;}}\f1 M\'81ller Quentin}", "Müller Quentin"), (rb"{\rtf1 Quentin likes Arial}", "Quentin likes Arial"),
        (rb"{\rtf1\mac\ansicpg10000 Caf\'8e Quentin}", "Café Quentin"),
    ],
)  # fmt: skip
def test_rich_text_with_binary_data_and_odd_character_sets(tmp_path, content, text):
    found, out = written(Rtf(), content, ["Quentin", "Arial"], tmp_path)
    assert found == text
    assert b"Quentin" not in out


def test_a_character_of_an_unknown_set_is_refused(tmp_path):
    (tmp_path / "a.rtf").write_bytes(rb"{\rtf1{\fonttbl{\f1\fcharset156 X;}}\f1 M\'81ller}")
    (record,) = Rtf().read(CorpusFile("a.rtf", tmp_path / "a.rtf"))
    assert record.reason == "is in an unknown character set"


def test_a_namespace_is_text(tmp_path):
    page = b'<a xmlns:q="http://example.org/Quentin/v1" q:b="Quentin"><q:c>by Quentin</q:c></a>'
    text, out = written(Xml(), page, ["Quentin"], tmp_path, put="[NAME]")
    assert "http://example.org/Quentin/v1" in text
    assert b'xmlns:q="http://example.org/NAME/v1"' in out
    assert b"Quentin" not in out
    path = tmp_path / "left.xml"
    path.write_bytes(out.replace(b"example.org/NAME", b"example.org/Quentin"))
    assert Xml().search(path.read_bytes(), ["Quentin"]) == 1


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'<!DOCTYPE rss PUBLIC "-//N//DTD" "http://x.org/y.dtd"><rss>Quentin</rss>', "Quentin"),
        ("<?xml version='1.0' encoding='cp850'?><a>Müller Quentin</a>".encode("cp850"), "Müller Quentin"),
        (b"<a><![CDATA[<!DOCTYPE html> Quentin]]></a>", "<!DOCTYPE html> Quentin"),
        (b'<ss:Bottom xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">Bottom Quentin</ss:Bottom>', "Bottom Quentin"),
    ],
)  # fmt: skip
def test_records_with_a_type_a_character_set_or_names_of_a_standard(tmp_path, content, text):
    found, out = written(Xml(), content, ["Quentin", "Bottom"], tmp_path)
    assert found.strip() == text
    assert b"DOCTYPE x" not in out


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'<!DOCTYPE x SYSTEM "y"><x>&who; came</x>', "has a part with a document type that is needed to read it"),
        (b'<?xml version="1.0" encoding="utf-7"?><a>M\x81ller</a>', "has a part that is not well-formed XML"),
    ],
)  # fmt: skip
def test_what_stands_elsewhere_refuses_a_record(tmp_path, content, reason):
    (tmp_path / "a.xml").write_bytes(content)
    (record,) = Xml().read(CorpusFile("a.xml", tmp_path / "a.xml"))
    assert record.reason == reason


# --- mail -----------------------------------------------------------------------------------------


def test_words_that_every_message_has_are_no_leaks(tmp_path):
    message = b"From: a@b.de\nSubject: Transfer\nMessage-ID: <1964@x>\nReferences: <1964@x>\n\nTransfer of 1964 to Message\n"
    _, out = written(Mail(), message, ["Transfer", "1964", "Message"], tmp_path)
    assert b"Content-Transfer-Encoding: 7bit" in out
    full = compose({"From": "x"}, "é" * 400)
    assert search_message(full, ["w6nD"]) == 0  # letters of base64 by chance
    assert search_message(compose({"Subject": "Transfer"}, "x"), ["Transfer"]) == 1
    assert search_message(full.replace(b"From: x", b"From: x\nX-Transfer: y"), ["Transfer"]) == 1


def test_a_message_may_have_nothing_but_its_type(tmp_path):
    text, out = written(
        Mail(), b"Content-Type: text/plain\n\nhello Quentin\n", ["Quentin"], tmp_path
    )
    assert text.strip() == "hello Quentin"
    assert b"hello [X]" in out


def test_a_mailbox_may_be_one_message(tmp_path):
    path, out = tmp_path / "in.mbox", tmp_path / "out.mbox"
    path.write_bytes(
        b"Delivered-To: <a@b.de>\nFrom: Quentin\nSubject: x\n\nHello\n\nFrom here on Quentin\n"
    )
    (document,), is_verified = redact(path, out, ["Quentin"])
    assert is_verified
    assert document.text.count("Quentin") == 2
    assert out.read_bytes().startswith(b"From ")
    assert b"Quentin" not in out.read_bytes()


# --- health ---------------------------------------------------------------------------------------


def redact(path, out, words, **options):
    """Write a file of records with words replaced; return its documents, and whether it verified."""
    corpus = read_documents(path, **options)
    form, part, expected = corpus.format, corpus.parts[0], Digests()
    edited = []
    for document in form.read(part):
        assert isinstance(document, Document), document
        edits = sorted(
            (Edit(at, at + len(w), "[X]", "NAME") for w in words for at in range(len(document.text)) if document.text.startswith(w, at)),
            key=lambda edit: edit.start,
        )  # fmt: skip
        edited.append(Edited(document, edits, form.new_id(document, "ab")))
        expected.add(form.digest_of(edited[-1]))
    form.write(part, edited, out)
    return [one.document for one in edited], bool(form.verify(CorpusFile(out.name, out), expected))


PATIENT = {
    "resourceType": "Patient", "id": "pat-4711", "name": [{"family": "Quixadelmo", "given": ["Ann"]}], "birthDate": "1974-12-25",
    "telecom": [{"system": "phone", "value": "(03) 5555 6473"}], "address": [{"city": "Den Burg"}],
    "identifier": [{"system": "urn:x", "value": "12345-A"}],
}  # fmt: skip


@pytest.mark.parametrize("name", ["in.ndjson", "in.json"])
@pytest.mark.parametrize("status", ["generated", "extensions", "additional", "empty"])
def test_a_narrative_says_nothing_again(tmp_path, name, status):
    page = "<div>Ann Quixadelmo, born 1974-12-25, (03) 5555 6473, of Den  Burg, number 12345-A. Coughs.</div>"
    path, out = tmp_path / name, tmp_path / f"out-{name}"
    path.write_text(json.dumps({**PATIENT, "text": {"status": status, "div": page}}))
    (document,), is_verified = redact(path, out, [])
    assert is_verified
    made = json.loads(out.read_text())
    assert not any(
        w in out.read_text() for w in ("Quixadelmo", "5555", "Burg", "12345", "1974-12-25", "Ann ")
    )
    assert ("text" in made) == (status in ("additional", "empty"))
    assert ("Coughs" in document.text) == ("text" in made)


def test_an_attachment_and_a_note_say_no_number_of_the_resource_again(tmp_path):
    import base64

    letter = base64.b64encode(b"Report AC-77812 about Ward 7").decode()
    whole = {
        "resourceType": "DiagnosticReport", "id": "x", "status": "final", "identifier": [{"value": "AC-77812"}], "conclusion": "see AC-77812, not AC-778123",
        "presentedForm": [{"contentType": "text/plain", "data": letter}], "subject": {"reference": "Patient/1", "display": "Ann Quixadelmo"},
        "note": [{"text": "Ann Quixadelmo is well; Ann is, too"}],
    }  # fmt: skip
    path, out = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    path.write_text(json.dumps(whole) + "\n")
    (document,), is_verified = redact(path, out, [])
    assert is_verified
    assert document.text.count("[REMOVED]") == 3
    assert "AC-778123" in document.text
    assert "Ann is, too" in document.text


@pytest.mark.parametrize(
    "element", ["preAdmissionIdentifier", "accessionIdentifier", "groupIdentifier", "requisition", "identifier", "valueIdentifier"]
)  # fmt: skip
@pytest.mark.parametrize("name", ["in.ndjson", "in.json"])
def test_numbers_are_keyed_whatever_their_element_is_called(tmp_path, name, element):
    path, out = tmp_path / name, tmp_path / f"out-{name}"
    path.write_text(
        json.dumps(
            {
                "resourceType": "Encounter",
                "id": "1",
                "x": {element: {"system": "urn:x", "value": "1234567"}},
            }
        )
    )
    assert redact(path, out, [])[1]
    assert "1234567" not in out.read_text()


@pytest.mark.parametrize(
    ("wanted", "value", "is_there"),
    [
        ("severe", "severe", False), ("Severe", "Severe", True), ("these", "the server", True), ("Study", "ResearchStudy", False),
        ("Quentin", "http://quentin.org/Quentin/1", True), ("Smith", "Blacksmith", False), ("AnnLee", "Ann Lee", True),
    ],
)  # fmt: skip
def test_where_a_removed_string_stands(wanted, value, is_there):
    assert stands_in(wanted, value) is is_there


def test_words_of_the_standard_do_not_withhold_a_record(tmp_path):
    line = json.dumps(
        {
            "resourceType": "ResearchStudy",
            "status": "active",
            "url": "http://hl7.org/fhir/ValueSet/x",
            "doseQuantity": 1,
        }
    ).encode()
    public = ("http://hl7.org/fhir",)
    assert not still_holds(
        line, ["ResearchStudy", "ValueSet", "Quantity", "active", "status"], public
    )
    assert still_holds(line.replace(b"active", b"Quentin"), ["Quentin"], public)
    assert still_holds(line.replace(b"doseQuantity", b"Quentin Meyer"), ["Quentin"], public)
    path, out = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    path.write_text(
        json.dumps({"resourceType": "Basic", "id": "1", "note": "these words, the server"}) + "\n"
    )
    assert redact(path, out, ["these"])[1]
