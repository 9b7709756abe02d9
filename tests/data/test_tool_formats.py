"""Files of labelling tools: what is read, what is written, and that nothing is lost on the way."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.core.errors import DataError, FormatError
from sfumato.data.document import Document, Span
from sfumato.data.documents import read_documents, write_documents

NAMES = {"prodigy": "a.jsonl", "doccano": "a.jsonl", "labelstudio": "a.json", "i2b2": "folder", "brat": "brat", "jsonl": "a.jsonl"}  # fmt: skip


@st.composite
def corpora(draw):
    letters = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff\u2028\u2029\x85")  # fmt: skip
    documents = []
    for number in range(draw(st.integers(1, 4))):
        text = draw(st.text(letters | st.sampled_from("\n\t&<>]'\""), min_size=1, max_size=60))
        spans, at = [], 0
        while at < len(text) and draw(st.booleans()):
            start = draw(st.integers(at, len(text) - 1))
            end = draw(st.integers(start + 1, len(text)))
            spans.append(Span(start, end, draw(st.sampled_from(["NAME", "DATE_1", "id-number"]))))
            at = end
        documents.append(Document(f"d{number}", text, tuple(spans)))
    return documents


@pytest.mark.parametrize("kind", ["prodigy", "doccano", "labelstudio", "i2b2"])
@settings(max_examples=40)
@given(documents=corpora())
def test_what_is_written_is_read_back(kind, documents):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / NAMES[kind]
        write_documents(documents, like=kind, out=path)
        again = list(read_documents(path, format=kind))
    assert [(d.id, d.text, tuple(d.spans)) for d in again] == [
        (d.id, d.text, tuple(d.spans)) for d in documents
    ]


@pytest.mark.parametrize("kind", ["prodigy", "doccano", "labelstudio", "i2b2"])
@settings(max_examples=15)
@given(documents=corpora())
def test_every_format_turns_into_json_lines_and_back(kind, documents):
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder) / "ours.jsonl", Path(folder) / f"theirs-{NAMES[kind]}"
        write_documents(documents, like="jsonl", out=first)
        write_documents(read_documents(first), like=kind, out=second)
        again = list(read_documents(second, format=kind))
    assert [tuple(d.spans) for d in again] == [tuple(d.spans) for d in documents]


def lines(path, *records):
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def test_prodigy_as_it_exports(tmp_path):
    path = lines(
        tmp_path / "p.jsonl",
        {"text": "Ann Lee called", "spans": [{"start": 0, "end": 7, "label": "PERSON", "token_start": 0, "token_end": 1}],
         "tokens": [{"text": "Ann", "start": 0, "end": 3, "id": 0}], "_input_hash": 1, "_task_hash": 2, "answer": "accept", "meta": {"ward": 4}},
        {"text": "no", "spans": [], "answer": "reject"},
    )  # fmt: skip
    records = list(read_documents(path, format="prodigy").tolerant())
    assert records[0].spans == (Span(0, 7, "PERSON"),)
    assert dict(records[0].fields) == {"meta": {"ward": 4}}
    assert "not accepted" in records[1].reason


def test_doccano_old_and_new(tmp_path):
    path = lines(
        tmp_path / "d.jsonl",
        {"id": 7, "text": "Ann Lee", "label": [[0, 3, "NAME"]], "Comments": []},
        {"id": 8, "text": "Ann Lee", "entities": [{"id": 1, "label": "NAME", "start_offset": 4, "end_offset": 7}], "relations": []},
    )  # fmt: skip
    one, two = read_documents(path, format="doccano")
    assert (one.id, one.spans) == ("7", (Span(0, 3, "NAME"),))
    assert (two.id, two.spans) == ("8", (Span(4, 7, "NAME"),))


def test_label_studio_as_it_exports(tmp_path):
    path = tmp_path / "tasks.json"
    task = {"id": 3, "data": {"text": "Ann Lee", "ward": 4}, "predictions": [{"result": []}], "annotations": [{"result": [
        {"type": "labels", "value": {"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}},
        {"type": "choices", "value": {"choices": ["x"]}}]}]}  # fmt: skip
    twice = {"id": 4, "data": {"text": "x"}, "annotations": [{"result": []}, {"result": []}]}
    path.write_text(json.dumps([task, twice, {"id": 5}]))
    records = list(read_documents(path, format="labelstudio").tolerant())
    assert (records[0].id, records[0].spans) == ("3", (Span(0, 3, "PER"),))
    assert dict(records[0].fields) == {"ward": 4}
    assert "more than once" in records[1].reason
    assert "has no text" in records[2].reason
    path.write_text('{"id": 1}')
    with pytest.raises(FormatError, match="array"):
        list(read_documents(path, format="labelstudio"))


def test_i2b2_as_it_was_given_out(tmp_path):
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "220-01.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8" ?>\n<deIdi2b2>\n<TEXT><![CDATA[\nRecord date: 2067-05-03\nAnn & Lee]]></TEXT>\n'
        '<TAGS>\n<DATE id="P0" start="14" end="24" text="2067-05-03" TYPE="DATE" comment="" />\n'
        '<NAME id="P1" start="25" end="28" text="Ann" TYPE="PATIENT" comment="" />\n</TAGS>\n</deIdi2b2>\n'
    )  # fmt: skip
    (document,) = read_documents(folder)
    assert document.id == "220-01"
    assert [document.text[s.start : s.end] for s in document.spans] == ["2067-05-03", "Ann"]
    assert [s.label for s in document.spans] == ["DATE", "NAME"]


def test_xml_that_could_fill_the_memory_is_withheld(tmp_path):
    (tmp_path / "a.xml").write_text('<!DOCTYPE x [<!ENTITY a "aa">]><deIdi2b2><TEXT>&a;</TEXT></deIdi2b2>')  # fmt: skip
    (tmp_path / "b.xml").write_text("<deIdi2b2><TEXT>")
    (tmp_path / "c.xml").write_text("<other><TEXT>x</TEXT></other>")
    reasons = [r.reason for r in read_documents(tmp_path, format="i2b2").tolerant()]
    assert ["document type" in reasons[0], "well-formed" in reasons[1], "deIdi2b2" in reasons[2]] == [True] * 3  # fmt: skip


def test_what_xml_cannot_hold_is_refused(tmp_path):
    for document in (Document("a", "x\x01"), Document("a", "x", [Span(0, 1, "two words")])):
        with pytest.raises(DataError):
            write_documents([document], like="i2b2", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
