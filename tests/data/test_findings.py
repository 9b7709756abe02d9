"""Another tool's findings as spans."""

from __future__ import annotations

import gzip
import json
from types import SimpleNamespace

import pytest

from sfumato.core.errors import DataError, FormatError, InputError, ParameterError
from sfumato.data.document import Document, Span
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.findings import as_spans, read_findings, resolve, with_findings

CANARY = "Zaphyrine"
# The shape that Presidio's analyzer gives for one text, overlaps included.
FOUND = [
    {
        "entity_type": "EMAIL_ADDRESS",
        "start": 12,
        "end": 27,
        "score": 1.0,
        "analysis_explanation": None,
    },
    {"entity_type": "PERSON", "start": 0, "end": 8, "score": 0.85},
    {"entity_type": "URL", "start": 16, "end": 27, "score": 0.5},
    {"entity_type": "DATE_TIME", "start": 5, "end": 8, "score": 0.3},
]
TEXT = "Ann Mayer  <ann@mail.example> on 1/2"


def test_overlaps_are_resolved_and_scores_kept():
    (document,) = with_findings([Document("d", TEXT)], {"d": FOUND}, labels={"PERSON": "NAME"})
    assert document.spans == (Span(0, 8, "NAME", 0.85), Span(12, 27, "EMAIL_ADDRESS", 1.0))
    (document,) = with_findings([Document("d", TEXT)], {"d": FOUND}, min_score=0.9)
    assert [s.label for s in document.spans] == ["EMAIL_ADDRESS"]


def test_findings_without_a_score_are_kept_and_objects_work():
    thing = SimpleNamespace(entity_type="ID", start=0, end=2, score=None)
    (document,) = with_findings([Document("d", "ab")], {"d": [thing]}, min_score=0.99)
    assert document.spans == (Span(0, 2, "ID"),)
    assert as_spans(None) == []


@pytest.mark.parametrize("name", ["f.json", "f.jsonl", "f.jsonl.gz", "list.json"])
def test_files_of_findings(tmp_path, name):
    records = [{"id": 1, "findings": FOUND}, {"id": "b", "findings": []}]
    if name == "f.json":
        content = json.dumps({"1": FOUND, "b": []})
    elif name == "list.json":
        content = json.dumps(records)
    else:
        content = "".join(json.dumps(record) + "\n" for record in records)
    raw = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    found = read_findings(tmp_path / name)
    assert [len(found[key]) for key in ("1", "b")] == [4, 0]
    documents = [Document("1", TEXT), Document("b", "x")]
    assert [len(d.spans) for d in with_findings(documents, tmp_path / name)] == [2, 0]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_h2_a_document_that_nobody_looked_at_is_refused_or_left_out(place):
    documents = [Document("1", TEXT), Document("b", "x")]
    documents.insert(place, Document("c", "y"))
    with pytest.raises(DataError, match="no entry in the findings"):
        list(with_findings(documents, {"1": FOUND, "b": []}))
    absent = []
    found = list(with_findings(documents, {"1": FOUND, "b": []}, absent=absent.append))
    assert [(d.id, len(d.spans)) for d in found] == [("1", 2), ("b", 0)]
    assert [d.id for d in absent] == ["c"]


def test_findings_in_a_field_of_the_document():
    (document,) = with_findings([Document("d", TEXT, (), {"presidio": FOUND})], field="presidio")
    assert len(document.spans) == 2
    assert "presidio" not in document.fields
    text = json.dumps(FOUND)
    (document,) = with_findings(
        [Document("d", TEXT, (), {"presidio": text, "n": 1})], field="presidio"
    )
    assert (len(document.spans), document.fields) == (2, {"n": 1})
    for wrong in (CANARY, [CANARY], [{"start": CANARY}]):
        with pytest.raises(DataError, match="'presidio' of document 'd'") as caught:
            list(with_findings([Document("d", TEXT, (), {"presidio": wrong})], field="presidio"))
        assert CANARY not in str(caught.value)
    with pytest.raises(DataError, match="has no field 'presidio'"):
        list(with_findings([Document("d", TEXT)], field="presidio"))


@pytest.mark.parametrize(
    ("findings", "words"),
    [
        ([{"start": "0", "end": 3, "label": "X"}], "whole numbers"),
        ([{"start": 0, "end": True, "label": "X"}], "whole numbers"),
        ([{"start": 0, "end": 3}], "no label"),
        ([{"start": 0, "end": 3, "label": CANARY + "\n"}], "name of a kind"),
        ([{"start": 0, "end": 3, "label": "X", "score": float("nan")}], "finite"),
        ([{"start": 0, "end": 3, "label": "X", "score": CANARY}], "finite"),
        (CANARY, "not a list"),
        ({CANARY: 1}, "not a list"),
        ([{"start": 0, "end": 99, "label": "X"}], "outside"),
    ],
)
def test_mistakes_in_findings(findings, words):
    with pytest.raises(DataError, match=words) as caught:
        list(with_findings([Document("d", "abc")], {"d": findings}))
    assert "'d'" in str(caught.value)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_a_field_of_findings_is_not_written_back(tmp_path, name):
    quoting = json.dumps([{"start": 0, "end": 3, "label": "X", "text": CANARY}])
    made = [Document("d", "abc", (), {"found": quoting, "ward": "4"})]
    write_documents(made, like=name[2:], out=tmp_path / name)
    corpus = read_documents(tmp_path / name)
    out = tmp_path / f"b{name}"
    write_documents(with_findings(corpus, field="found"), like=corpus, out=out)
    assert CANARY.encode() not in out.read_bytes()
    (document,) = read_documents(out)
    assert document.fields["ward"] == "4"
    assert document.spans == (Span(0, 3, "X"),)


def test_mistakes_in_files(tmp_path):
    path = tmp_path / "f.jsonl"
    with pytest.raises(InputError, match="no file"):
        read_findings(path)
    path.write_text(f"{{{CANARY}")
    with pytest.raises(FormatError, match=r"Line 1 of 'f.jsonl' is not valid JSON") as caught:
        read_findings(path)
    assert CANARY not in str(caught.value)
    path.write_text(json.dumps({"id": "a", "spans": CANARY}))
    with pytest.raises(FormatError, match="'id' and 'findings'"):
        read_findings(path)
    path.write_text('{"id": "a", "findings": []}\n{"id": "a", "findings": []}\n')
    with pytest.raises(DataError, match="repeats the id"):
        read_findings(path)
    path.write_text('{"id": null, "findings": []}')
    with pytest.raises(DataError, match="no usable 'id'"):
        read_findings(path)


def test_ids_that_match_nothing_and_wrong_calls():
    with pytest.raises(DataError, match="None of the 1 ids"):
        list(with_findings([Document("d", "abc")], {"e": []}))
    with pytest.raises(ParameterError, match="either findings or the field"):
        with_findings([])
    with pytest.raises(ParameterError, match="'merge' or 'best'"):
        resolve([], "first")


# What each tool gives for a text, as it comes.
PRESIDIO = [
    {"entity_type": "PERSON", "start": 0, "end": 9, "score": 0.85, "analysis_explanation": None,
     "recognition_metadata": {"recognizer_name": "SpacyRecognizer"}},
]  # fmt: skip
OPENMED = {
    "text": TEXT,
    "entities": [
        {"text": "Ann Mayer", "label": "PERSON", "confidence": 0.97, "start": 0, "end": 9, "metadata": {}}
    ],
    "model_name": "a model", "timestamp": "2026-01-01T00:00:00", "processing_time": 0.1, "metadata": {},
}  # fmt: skip
OPF = {
    "schema_version": 1,
    "summary": {"output_mode": "typed", "span_count": 1, "by_label": {"private_person": 1}},
    "text": TEXT,
    "detected_spans": [
        {"label": "private_person", "start": 0, "end": 9, "text": "Ann Mayer", "placeholder": "<PRIVATE_PERSON>"}
    ],
    "redacted_text": "<PRIVATE_PERSON>  <ann@mail.example> on 1/2",
}  # fmt: skip

OPF_FILE = {
    "example_id": "7", "text": TEXT, "predicted_spans": {"private_person: Ann Mayer": [[0, 9]]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("written", "span"),
    [
        ({"d": PRESIDIO}, Span(0, 9, "PERSON", 0.85)),
        (OPENMED, Span(0, 9, "PERSON", 0.97)),
        (OPF, Span(0, 9, "private_person", None)),
        (OPF_FILE, Span(0, 9, "private_person", None)),
    ],
)
def test_what_other_tools_write_is_read_as_it_comes(tmp_path, written, span):
    documents = [Document("d", TEXT)]
    (tmp_path / "one.json").write_text(json.dumps(written, indent=2), encoding="utf-8")
    (found,) = with_findings(documents, tmp_path / "one.json")
    assert found.spans == (span,)
    # And back: what was read, written in our own form, is read as the same.
    ours = {"id": "d", "findings": [{"start": s.start, "end": s.end, "label": s.label, "score": s.score}
                                    for s in found.spans]}  # fmt: skip
    (tmp_path / "ours.jsonl").write_text(json.dumps(ours) + "\n", encoding="utf-8")
    (again,) = with_findings(documents, tmp_path / "ours.jsonl")
    assert again == found


@pytest.mark.parametrize("places", [7, [7], [[1]], [["a", "b"]], {"a": 1}])
def test_findings_by_label_that_are_no_places_are_refused_without_their_text(tmp_path, places):
    written = {**OPF_FILE, "predicted_spans": {"private_person: Ann Mayer": places}}
    (tmp_path / "one.jsonl").write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(DataError, match="Record 1 of the findings") as raised:
        list(with_findings([Document("d", TEXT)], tmp_path / "one.jsonl"))
    assert "Ann" not in str(raised.value)


def test_entries_that_give_back_the_text_are_known_by_it(tmp_path):
    other = {**OPF, "text": "Nobody.", "detected_spans": []}
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join(map(json.dumps, (OPF, other, OPENMED))) + "\n", encoding="utf-8")
    documents = [Document("a", "Nobody."), Document("b", TEXT), Document("c", TEXT)]
    found = list(with_findings(documents, path))
    assert [len(d.spans) for d in found] == [0, 1, 1]
    # A text that differs in one character was not looked at.
    with pytest.raises(DataError, match="has no entry"):
        list(with_findings([*documents, Document("d", TEXT + " ")], path))
    with pytest.raises(DataError, match="None of the 2"):
        list(with_findings([Document("d", "Else.")], path))


def test_a_folder_that_is_no_detector_is_refused(tmp_path):
    with pytest.raises(InputError, match="no detector"):
        with_findings([Document("d", TEXT)], tmp_path)


def test_a_detector_reads_documents_some_at_a_time(tmp_path, monkeypatch):
    from sfumato.data import detectors, findings

    read = []

    class Capitals(detectors.Detector):
        """Finds the first letter where it is a capital."""

        @classmethod
        def knows(cls, folder):
            return (folder / "capitals").exists()

        @classmethod
        def open(cls, folder):
            return cls()

        def find(self, texts):
            read.append(len(texts))
            return [[Span(0, 1, "CAP", 0.5)] if t[:1].isupper() else [] for t in texts]

    monkeypatch.setattr(findings, "_TOGETHER", 2)
    detectors.DETECTORS.register("capitals", Capitals)
    try:
        (tmp_path / "capitals").touch()
        documents = [Document(str(i), text) for i, text in enumerate(("Ann", "bob", "Cat"))]
        found = list(with_findings(documents, tmp_path, labels={"CAP": "NAME"}))
    finally:
        detectors.DETECTORS.unregister("capitals")
    assert read == [2, 1]
    assert [d.spans for d in found] == [(Span(0, 1, "NAME", 0.5),), (), (Span(0, 1, "NAME", 0.5),)]
