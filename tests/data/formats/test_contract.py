"""Every format keeps the contract: what is written reads back as decided, and a writer's fault is seen."""

import gzip
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.data.document import Document, Edit, Edited, Segment, Span, apply, by_place
from sfumato.data.documents import Corpus, read_documents, write_documents
from sfumato.data.formats.protocol import (
    CorpusFile,
    FieldNames,
    Format,
    FormatOptions,
    document_from,
)
from sfumato.data.formats.registry import FORMATS
from sfumato.data.formats.verification import Digests

TEXTS = [
    "Seen by Dr. Quixadelmo today",
    "Quixadelmo called Zoë 👍 twice",
    "Nobody came",
]
NAMES = ("Quixadelmo", "Zoë 👍")


def edits_of(text):
    found = re.finditer("|".join(NAMES), text)
    return [Edit(match.start(), match.end(), "[NAME]", "NAME") for match in found]


def edited_of(corpus):
    return [Edited(d, edits_of(d.text), d.id) for d in corpus if isinstance(d, Document)]


def labelled():
    return [
        Document(f"d{i}", text, [Span(e.start, e.end, e.label) for e in edits_of(text)], {"ward": "Quixadelmo"})
        for i, text in enumerate(TEXTS)
    ]  # fmt: skip


class Package(Format[FormatOptions]):
    """A container such as an office file: a zip of a body, a header, and what nobody asked for."""

    name = "package"
    suffixes = (".package",)
    is_container = True
    LISTED = ("body", "header")

    def read(self, part):
        text, segments = "", []
        with zipfile.ZipFile(part.file) as packed:
            for name in self.LISTED:
                own = packed.read(name).decode()
                segments.append(Segment(len(text), len(text) + len(own), name))
                text += own + "\n"
        yield document_from(self.names, part, 1, raw_id=part.file.stem, text=text, raw_spans=(), segments=segments)  # fmt: skip

    def write(self, part, edited, out):
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for document in edited:
                places = by_place(document.document, document.edits)
                for segment in document.document.segments:
                    text = document.document.text[segment.start : segment.end]
                    packed.writestr(segment.place, apply(text, places.get(segment.place, ())))


def source(folder: Path, name: str) -> Corpus:
    if name == "package":
        path = folder / "d0.package"
        with zipfile.ZipFile(path, "w") as packed:
            for entry, text in (("body", TEXTS[1]), ("header", TEXTS[0]), ("author", "Quixadelmo")):
                packed.writestr(entry, text)
        return Corpus(Package(FieldNames()), (CorpusFile(path.name, path),), path.name)
    kind = FORMATS[name]
    if name == "parquet":
        path = folder / "notes.parquet"
        rows = [{"id": d.id, "text": d.text, "ward": "Quixadelmo"} for d in labelled()]
        pq.write_table(pa.Table.from_pylist(rows), path)
        return read_documents(path)
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
    if name == "package":
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


def leave_a_stream(name, out):
    """Put a removed word where no reader of documents looks, as a careless writer would."""
    if name in ("jsonl", "prodigy", "doccano"):
        lines = [
            {**json.loads(line), "tokens": ["Quixadelmo"]} for line in out.read_text().splitlines()
        ]
        out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    elif name in ("csv", "tsv"):
        tab = "," if name == "csv" else "\t"
        first, *rest = out.read_text().splitlines()
        out.write_text(
            "\n".join([f"{first}{tab}ward", *(f"{line}{tab}Quixadelmo" for line in rest)]) + "\n"
        )
    elif name == "conll":
        out.write_text(out.read_text().replace("[NAME]\t", "[NAME]\tQuixadelmo\t"))
    elif name == "brat":
        next(out.glob("*.ann")).write_text("#1\tAnnotatorNotes T1\tQuixadelmo\n")
    elif name == "i2b2":
        file = next(out.glob("*.xml"))
        file.write_text(file.read_text().replace("</TAGS>", "</TAGS><!-- Quixadelmo -->"))
    elif name == "labelstudio":
        tasks = json.loads(out.read_text())
        tasks[0]["predictions"] = [{"result": "Quixadelmo"}]
        out.write_text(json.dumps(tasks))
    elif name == "parquet":
        table = pq.read_table(out)
        pq.write_table(table.replace_schema_metadata({"by": "Quixadelmo"}), out)
    else:
        with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("author", "by Quixadelmo")


@pytest.mark.parametrize("name", EVERY)
def test_a_stream_that_the_writer_leaves_is_seen(tmp_path, name):
    form, part, edited, out = written(tmp_path, name)
    form.write(part, edited, out)
    leave_a_stream(name, out)
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
    assert len(claimed) == len(set(claimed))
