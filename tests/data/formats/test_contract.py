"""Every format keeps the contract: what is written reads back as decided, and a writer's fault is seen."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from sfumato.data.document import Document, Edited
from sfumato.data.documents import Corpus, read_documents, write_documents
from sfumato.data.formats import registry
from sfumato.data.formats.protocol import CorpusFile
from sfumato.data.formats.registry import FORMATS, format_of_file
from sfumato.data.formats.verification import Digests

from .planted import SOURCES, STREAMS, edits_of, labelled


def edited_of(corpus):
    return [Edited(d, edits_of(d.text), d.id) for d in corpus if isinstance(d, Document)]


def source(folder: Path, name: str) -> Corpus:
    """Return a corpus of the format, whose documents hold the names and the fields a removed word."""
    if name in SOURCES:
        return SOURCES[name](folder)
    kind = FORMATS[name]
    path = folder / (
        "notes" if kind.unit == "folder" else f"notes{(kind.suffixes or ('.json',))[0]}"
    )
    write_documents(labelled(), like=name, out=path)
    return read_documents(path, format=name)


# Formats with one document per file keep the contract in a test of their own, `test_files.py`.
EVERY = [*(name for name, kind in FORMATS.items() if kind.unit != "document"), "package"]


def written(folder, name):
    corpus = source(folder, name)
    form, part = corpus.format, corpus.parts[0]
    edited = edited_of(corpus)
    out = folder / ("out" if form.unit == "folder" else f"out{''.join(part.file.suffixes)}")
    if form.is_container:
        out = folder / "out" / part.name
        out.parent.mkdir()
    return form, part, edited, out


def verify(form, edited, out):
    expected = Digests()
    for document in edited:
        expected.add(form.digest(document.id, document.text, document.fields, document.spans))
    gone = {
        s for d in edited for e in d.edits if (s := d.document.text[e.start : e.end]) not in d.text
    }
    return form.verify(CorpusFile(out.name, out), expected, gone)


@pytest.mark.parametrize("name", EVERY)
def test_what_is_written_reads_back_as_it_was_decided(tmp_path, name):
    form, part, edited, out = written(tmp_path, name)
    assert sum(len(document.edits) for document in edited) == 3
    form.write(part, edited, out)
    found = verify(form, edited, out)
    assert found
    assert found.documents == len(edited)
    content = b"".join(
        f.read_bytes() for f in ([out] if out.is_file() else out.rglob("*")) if f.is_file()
    )
    assert b"Quixadelmo" not in content


@pytest.mark.parametrize("name", EVERY)
def test_an_edit_that_the_writer_skips_is_seen(tmp_path, name):
    form, part, edited, out = written(tmp_path, name)
    number = next(i for i, document in enumerate(edited) if document.edits)
    skipped = list(edited)
    skipped[number] = replace(edited[number], edits=edited[number].edits[1:])
    form.write(part, skipped, out)
    found = verify(form, edited, out)
    assert not found
    assert list(found.missing.values()) == [1]
    assert found.documents == len(edited) - 1


def test_every_registered_format_has_a_planted_fault():
    missing = set(FORMATS) - set(STREAMS) - {"mixed"}  # each of its files has a format of its own
    assert not missing, f"tests/data/formats/planted.py has no stray stream for {sorted(missing)}"


@pytest.mark.parametrize("name", EVERY)
def test_a_stream_that_the_writer_leaves_is_seen(tmp_path, name):
    form, part, edited, out = written(tmp_path, name)
    form.write(part, edited, out)
    STREAMS[name](out)
    assert not verify(form, edited, out)


@pytest.mark.parametrize("name", ["brat", "i2b2"])
def test_a_file_that_nobody_wrote_is_seen(tmp_path, name):
    form, part, edited, out = written(tmp_path, name)
    form.write(part, edited, out)
    (out / "notes.bak").write_text("Quixadelmo")
    assert not verify(form, edited, out)


def test_a_document_that_is_missing_or_stands_twice_is_seen(tmp_path):
    form, part, edited, out = written(tmp_path, "jsonl")
    form.write(part, edited[1:], out)
    assert sum(verify(form, edited, out).missing.values()) == 1
    form.write(part, [*edited, edited[0]], out)
    assert verify(form, edited, out).foreign == 1


def test_packed_lines_are_read_back_too(tmp_path):
    form, part, edited, _ = written(tmp_path, "jsonl")
    out = tmp_path / "out.jsonl.gz"
    form.write(part, edited, out)
    with gzip.open(out) as stream:
        assert stream.readline().startswith(b'{"id": "d0"')
    assert verify(form, edited, out)


def test_every_format_is_known_by_its_suffixes_and_says_its_version():
    for name, kind in FORMATS.items():
        assert kind.name == name
        assert kind.version
        assert all(kind.sniff(f"x{suffix}", b"") for suffix in kind.suffixes)
    claimed = [suffix for kind in FORMATS.values() for suffix in kind.suffixes]
    shared = {suffix for suffix in claimed if claimed.count(suffix) > 1}
    assert shared == {".xml", ".json", ".ndjson"}  # who looks inside


def test_a_name_finds_its_format_as_if_all_were_loaded():
    endings = ["", ".txt.bak", *(suffix for kind in FORMATS.values() for suffix in kind.suffixes)]
    for ending in (e for own in endings for e in (own, own.upper(), f"{own}.gz", f"{own}.GZ")):
        asked = [name for name, kind in FORMATS.items() if kind.sniff(f"x{ending}", b"")]
        assert list(registry._claims(f"x{ending}", b"")) == asked
    for name, endings in registry._ENDINGS.items():
        assert endings == FORMATS[name].suffixes


def test_formats_with_one_suffix_look_inside(tmp_path):
    for content, kind in (("<deIdi2b2/>", "i2b2"), ("<ClinicalDocument/>", "xml")):
        (tmp_path / "a.xml").write_text(content)
        assert format_of_file(tmp_path / "a.xml") == kind
    for content, kind in (('{"resourceType": "Basic"}', "fhir"), ('{"text": "x"}', "jsonl")):
        for name, made in (
            ("a.json", content.encode()),
            ("a.ndjson.gz", gzip.compress(content.encode())),
        ):
            (tmp_path / name).write_bytes(made)
            assert format_of_file(tmp_path / name) == kind
