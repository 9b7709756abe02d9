"""Formats with one document per file keep the contract: what is written reads back, and a writer's fault is seen."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sfumato.core.errors import InputError, ParameterError, UnreadFilesWarning
from sfumato.data.document import Document, Edit, Edited, Span
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.registry import FORMATS
from sfumato.data.formats.verification import Digests

from .planted import SOURCES, STREAMS

TEXTS = [
    "\nSeen by Dr. Quixadelmo today\n\non\tthe ward",
    "Quixadelmo called Zoë 👍 twice",
    "Nobody came",
]
MADE = ["docx", "plain", "html", "eml", "rtf"]
EACH = [n for n, kind in FORMATS.items() if kind.unit == "document" and n != "mixed"]


def edits_of(text):
    found = re.finditer("Quixadelmo|Zoë 👍", text)
    return [Edit(match.start(), match.end(), "[NAME]", "NAME") for match in found]


def labelled():
    return [
        Document(f"d{i}", text, [Span(e.start, e.end, e.label) for e in edits_of(text)])
        for i, text in enumerate(TEXTS)
    ]


def source(folder, name):
    if name in SOURCES:
        return SOURCES[name](folder)
    write_documents(labelled(), like=name, out=folder / "letters")
    return read_documents(folder / "letters", format=name)


def verify(form, edited, out):
    expected = Digests()
    expected.add(form.digest_of(edited))
    text = edited.document.text
    gone = {s for e in edited.edits if (s := text[e.start : e.end]) not in edited.text}
    return form.verify(CorpusFile(edited.id, out), expected, gone)


@pytest.mark.parametrize("name", MADE)
def test_what_is_written_reads_back_as_it_was_decided(tmp_path, name):
    corpus = source(tmp_path, name)
    documents = list(corpus)
    assert len(documents) == 3
    for document, part, text, spans in zip(documents, corpus.parts, TEXTS, labelled(), strict=True):
        assert document.text.rstrip("\n") == text
        assert document.id == part.name
        assert list(document.spans) == list(spans.spans)  # from the .ann beside it
        edited = Edited(document, edits_of(document.text), document.id)
        out = tmp_path / part.name
        corpus.format.write(part, [edited], out)
        assert verify(corpus.format, edited, out)
        if edited.edits:
            skipped = replace(edited, edits=edited.edits[1:])
            corpus.format.write(part, [skipped], out)
            assert not verify(corpus.format, edited, out)


@pytest.mark.parametrize("name", EACH)
def test_a_fault_of_the_writer_is_seen(tmp_path, name):
    corpus = source(tmp_path, name)
    seen = 0
    for document, part in zip(corpus, corpus.parts, strict=True):
        edited = Edited(document, edits_of(document.text), document.id)
        out = tmp_path / part.name
        corpus.format.write(part, [edited], out)
        assert verify(corpus.format, edited, out)
        if edited.edits:
            STREAMS[name](out)  # a stream that is left
            assert not verify(corpus.format, edited, out)
            corpus.format.write(part, [replace(edited, edits=edited.edits[1:])], out)
            assert not verify(corpus.format, edited, out)
            seen += 1
    assert seen == 2


def test_a_document_that_is_not_written_is_missing(tmp_path):
    corpus = source(tmp_path, "docx")
    part, document = corpus.parts[0], next(iter(corpus))
    edited = Edited(document, (), document.id)
    out = tmp_path / "out.docx"
    corpus.format.write(part, [], out)
    assert not out.exists()
    assert verify(corpus.format, edited, out).missing


def test_a_corpus_is_written_like_itself(tmp_path):
    corpus = source(tmp_path, "docx")
    assert write_documents(corpus, like=corpus, out=tmp_path / "copy") == 3
    again = read_documents(tmp_path / "copy")
    assert [d.text for d in again] == [d.text for d in corpus]
    assert [d.spans for d in again] == [d.spans for d in corpus]
    single = read_documents(tmp_path / "letters" / "d0.docx")
    write_documents(single, like=single, out=tmp_path / "one.docx")
    assert next(iter(read_documents(tmp_path / "one.docx"))).text == next(iter(corpus)).text


def test_a_folder_may_mix_kinds(tmp_path):
    source(tmp_path, "docx")
    folder = tmp_path / "letters"
    (folder / "plain.txt").write_text("Quixadelmo called", encoding="utf-8")
    (folder / "many.jsonl").write_text('{"id": "j1", "text": "Quixadelmo"}\n', encoding="utf-8")
    (folder / "unknown.bin").write_bytes(b"?")
    with pytest.warns(UnreadFilesWarning, match="1 file is of no format"):
        corpus = read_documents(folder)
    assert corpus.format.name == "mixed"
    ids = [document.id for document in corpus]
    assert ids == ["d0.docx", "d1.docx", "d2.docx", "j1", "plain.txt"]
    write_documents(corpus, like=corpus, out=tmp_path / "copy")
    assert [d.text for d in read_documents(tmp_path / "copy")] == [d.text for d in corpus]


def test_labels_beside_a_file_must_fit_it(tmp_path):
    corpus = source(tmp_path, "docx")
    beside = tmp_path / "letters" / "d0.docx.ann"
    beside.write_text("T1\tNAME 0 4\tAnna\n", encoding="utf-8")
    first = next(iter(corpus.tolerant()))
    assert "quotes other words" in first.reason


def test_what_cannot_be_made_of_text_is_refused(tmp_path):
    for name, kind in FORMATS.items():
        if kind.unit == "document" and name not in (*MADE, "fhir", "hl7", "mbox"):
            with pytest.raises(ParameterError):
                write_documents(labelled(), like=name, out=tmp_path / "x")


def test_a_missing_package_is_asked_for_by_name(tmp_path, monkeypatch):
    corpus = source(tmp_path, "docx")
    monkeypatch.setitem(__import__("sys").modules, "lxml", None)
    monkeypatch.setitem(__import__("sys").modules, "lxml.etree", None)
    with pytest.raises(InputError, match=r"sfumato\[office\]"):
        list(corpus)
