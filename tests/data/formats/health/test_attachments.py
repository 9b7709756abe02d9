"""Files inside of records: read and written by the format of their own, searched by its second reader, or dropped."""

import base64
import io
import json
import zipfile

import pytest

from sfumato.data.document import Document, Edit, Edited
from sfumato.data.documents import read_documents
from sfumato.data.formats.markup.formats import Html
from sfumato.data.formats.office.formats import Docx
from sfumato.data.formats.pdf.format import Pdf
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.verification import Digests

NAME = "Zoltan Quackenbush"
TYPES = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": Docx, "application/pdf": Pdf,
    "text/html; charset=utf-8": Html,
}  # fmt: skip


def letter(form):
    return form().create(f"Dear colleague,\nI saw {NAME} in May-time, well.\nYours")


def publish(path, out):
    corpus = read_documents(path)
    form, expected, edited = corpus.format, Digests(), []
    for document in corpus:
        start = document.text.find(NAME)
        edits = [] if start < 0 else [Edit(start, start + len(NAME), "[NAME]", "NAME")]
        edited.append(Edited(document, edits, form.new_id(document, "0" * 16)))
        expected.add(form.digest_of(edited[-1]))
    form.write(corpus.parts[0], edited, out)
    return corpus, form.verify(CorpusFile(out.name, out), expected)


def text_of(form, content, folder):
    path = folder / f"again{form.suffixes[0]}"
    path.write_bytes(content)
    (document,) = form().read(CorpusFile(path.name, path))
    assert isinstance(document, Document)
    return document.text


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("is_binary", [True, False])
def test_a_letter_in_a_resource_is_cut_by_its_own_format(tmp_path, kind, is_binary):
    form = TYPES[kind]
    held = {"contentType": kind, "data": base64.b64encode(letter(form)).decode()}
    made = {"resourceType": "Binary", "id": "1", **held} if is_binary else {
        "resourceType": "DocumentReference", "id": "1", "subject": {"reference": "Patient/7"}, "content": [{"attachment": held}]
    }  # fmt: skip
    (tmp_path / "in.ndjson").write_text(json.dumps(made) + "\n", encoding="utf-8")
    _, verified = publish(tmp_path / "in.ndjson", tmp_path / "out.ndjson")
    assert verified.documents == 1
    assert verified
    written = json.loads((tmp_path / "out.ndjson").read_text())
    found = written if is_binary else written["content"][0]["attachment"]
    text = text_of(form, base64.b64decode(found["data"]), tmp_path)
    assert "Quackenbush" not in text
    assert "I saw [NAME] in" in text


@pytest.mark.parametrize("words", ["AP^PDF", "application^pdf", "PDF^"])
def test_a_letter_in_a_message_is_cut_by_its_own_format(tmp_path, words):
    data = base64.b64encode(letter(Pdf)).decode()
    message = f"MSH|^~\\&|A|B|C|D|2020||ORU^R01|77|P|2.5\rPID|1||p7\rOBX|1|ED|PDF^Letter^L||Ward^{words}^Base64^{data}||||||F\r"
    (tmp_path / "in.hl7").write_text(message, encoding="utf-8", newline="")
    corpus, verified = publish(tmp_path / "in.hl7", tmp_path / "out.hl7")
    assert verified.documents == 1
    assert verified
    assert corpus.format.inspect(corpus.parts[0]).places["free text"] > 20
    segment = (tmp_path / "out.hl7").read_bytes().decode().split("\r")[2]
    source, *_, packed = segment.split("|")[5].split("^")
    assert source == ""
    assert "I saw [NAME] in" in text_of(Pdf, base64.b64decode(packed), tmp_path)


@pytest.mark.parametrize(
    ("kind", "content"),
    [("application/pdf", b"%PDF-1.4 broken"), ("image/png", b"\x89PNG"), ("application/msword", b"\xd0\xcf\x11\xe0")],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_dropped_and_counted(tmp_path, kind, content):
    held = {"contentType": kind, "title": "x", "data": base64.b64encode(content).decode()}
    made = {"resourceType": "DocumentReference", "id": "1", "content": [{"attachment": held}]}
    (tmp_path / "in.ndjson").write_text(json.dumps(made) + "\n", encoding="utf-8")
    corpus, verified = publish(tmp_path / "in.ndjson", tmp_path / "out.ndjson")
    assert verified
    assert corpus.format.inspect(corpus.parts[0]).dropped["an attachment"] == 1
    assert "data" not in (tmp_path / "out.ndjson").read_text()


def test_a_file_that_still_holds_the_name_withholds_its_resource(tmp_path, monkeypatch):
    held = {"contentType": next(iter(TYPES)), "data": base64.b64encode(letter(Docx)).decode()}
    made = {"resourceType": "DocumentReference", "id": "1", "content": [{"attachment": held}]}
    (tmp_path / "in.ndjson").write_text(json.dumps(made) + "\n", encoding="utf-8")
    monkeypatch.setattr("sfumato.data.formats.office.second_reader.search_zip", lambda *_: 1)
    _, verified = publish(tmp_path / "in.ndjson", tmp_path / "out.ndjson")
    assert not verified
    assert (tmp_path / "out.ndjson").read_bytes() == b""


def test_what_hides_in_an_attached_letter_does_not_come_back(tmp_path):
    content = io.BytesIO(letter(Docx))
    with zipfile.ZipFile(content, "a") as packed:
        packed.writestr("docProps/custom.xml", f"<p>{NAME}</p>")
    held = {"contentType": next(iter(TYPES)), "data": base64.b64encode(content.getvalue()).decode()}
    made = {"resourceType": "DocumentReference", "id": "1", "content": [{"attachment": held}]}
    (tmp_path / "in.ndjson").write_text(json.dumps(made) + "\n", encoding="utf-8")
    corpus, verified = publish(tmp_path / "in.ndjson", tmp_path / "out.ndjson")
    assert verified
    assert corpus.format.inspect(corpus.parts[0]).dropped["a part of an attachment"] == 1
    data = json.loads((tmp_path / "out.ndjson").read_text())["content"][0]["attachment"]["data"]
    assert (
        "docProps/custom.xml" not in zipfile.ZipFile(io.BytesIO(base64.b64decode(data))).namelist()
    )
