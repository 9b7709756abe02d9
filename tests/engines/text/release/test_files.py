"""Folders of letters from explore to attack: each file is published under a new name, or withheld."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.data.formats.planted import SOURCES
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli._app import build
from sfumato.data.documents import read_documents, write_documents
from sfumato.data.formats import lines
from sfumato.data.formats.registry import FORMATS
from sfumato.data.samples import clinic_notes
from sfumato.demo import _publish_letter
from sfumato.engines.text.labelling.review import ReviewedRelease
from sfumato.engines.text.release import parts
from sfumato.workbench import RunResult


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with labelled letters to learn from, others to publish, and a frontier."""
    folder = tmp_path_factory.mktemp("letters")
    notes = clinic_notes(60, seed=5)
    write_documents(notes[:40], like="docx", out=folder / "learned")
    write_documents(notes[40:], like="docx", out=folder / "letters")
    (folder / "letters" / "broken.docx").write_bytes(b"PK")
    named = next(note for note in notes[40:] if note.spans)
    (folder / "letters" / "memo.txt").write_text(named.text, encoding="utf-8")
    beside = (folder / "letters" / f"{named.id}.docx.ann").read_bytes()
    (folder / "letters" / "memo.txt.ann").write_bytes(beside)
    sf.text.explore(
        folder / "learned", labels=["NAME"], ratios=[10], folds=2, attackers=["none"]
    ).save(folder / "frontier")
    return folder


def call(*words):
    result = CliRunner().invoke(build(), [str(word) for word in words])
    assert result.exit_code in (0, 1), result.output
    return result


@pytest.fixture(scope="module")
def released(place):
    result = call(
        "text", "publish", place / "frontier", place / "letters", "--ratio", "10", "--ignore-marks",
        "--accept-shift", "--out", place / "release",
    )  # fmt: skip
    assert "withheld" in result.output
    return place / "release"


def test_every_letter_is_published_under_a_new_name_or_withheld(place, released):
    record = json.loads((place / "release.private" / "figures.json").read_text())
    assert record["counts"]["documents"] == 21
    assert len(record["withheld"]) == 1
    assert record["withheld"][0]["reason"] == "is damaged or no Office file"
    assert record["verified"]["documents"] == 21
    files = sorted(p.name for p in released.iterdir() if p.name != "release.json")
    assert len(files) == 21
    assert sum(name.endswith(".txt") for name in files) == 1
    assert all(len(Path(name).stem) == 16 for name in files)
    assert "note-" not in (released / "release.json").read_text()
    published = "".join(document.text for document in read_documents(released))
    assert "[NAME]" in published
    old = {json.loads(line)["id"] for line in (place / "release.private" / "ids.jsonl").read_text().splitlines()}  # fmt: skip
    assert "memo.txt" in old


def test_the_same_command_gives_the_same_bytes(place, released):
    call(
        "text", "publish", place / "frontier", place / "letters", "--ratio", "10", "--ignore-marks",
        "--accept-shift", "--out", place / "again",
    )  # fmt: skip
    ours = {p.name: p.read_bytes() for p in released.iterdir() if p.suffix != ".json"}
    theirs = {p.name: p.read_bytes() for p in (place / "again").iterdir() if p.suffix != ".json"}
    assert ours == theirs


def test_the_release_is_attacked_audited_and_reviewed(place, released):
    (place / "letters" / "broken.docx").unlink()  # nobody labelled it
    try:
        attack = sf.text.attack(place / "frontier", released, labels=place / "letters", attackers=["crf"])  # fmt: skip
        assert attack.documents == 21
    finally:
        (place / "letters" / "broken.docx").write_bytes(b"PK")
    audit = call("text", "audit", released, "--documents", "3")
    assert "Read it" in audit.output
    review = ReviewedRelease(released)
    documents = [d for d in read_documents(place / "letters").tolerant() if not hasattr(d, "reason")]  # fmt: skip
    assert all("[NAME]" in review.text(d) or not review.edits_of(d) for d in documents)


def test_a_letter_of_its_own_is_published_without_its_name(place):
    one = next((place / "letters").glob("note-*.docx"))
    sf.text.publish(
        place / "frontier", one, choose="r10", ignore_marks=True, accept_shift=True,
        out=place / "single",
    )  # fmt: skip
    names = sorted(p.name for p in (place / "single").iterdir())
    assert [len(name) for name in names] == [21, 12]
    assert "note-" not in (place / "single" / "release.json").read_text()


def test_the_demo_publishes_a_letter_again_and_again(place):
    folder = place / "demo"
    shutil.copytree(place / "frontier", folder / "run" / "private" / "text")
    said: list[str] = []
    for _ in range(2):
        _publish_letter(folder, RunResult(folder / "run", folder, (), 0), said.append)
    documents = list(read_documents(folder / "letter-released"))
    kinds = ["docx"] + ["pdf"] * (find_spec("pikepdf") is not None)
    assert sorted(document.id.rpartition(".")[2] for document in documents) == kinds
    assert all(document.text.split()[:2] == ["Discharge", "letter"] for document in documents)
    assert all("[NAME]" in document.text for document in documents)
    assert len(said) == 2


def corpus_of(folder, name):
    """Return a corpus of few documents in a format."""
    if name in SOURCES:
        return SOURCES[name](folder)
    kind = FORMATS[name]
    ending = (kind.suffixes or (".json",))[0] if kind.unit == "file" else ""
    path = folder / f"notes{ending}"
    write_documents(clinic_notes(4, seed=7), like=name, out=path)
    return read_documents(path, format=name)


# The files of a mixed folder have formats of their own; JSON lines are read in columns, below.
@pytest.mark.parametrize("name", [n for n in FORMATS if n not in ("mixed", "jsonl")])
def test_a_file_is_read_once_to_be_decided_on_and_written(place, tmp_path, monkeypatch, name):
    """Where more was read than is kept, it is read again to be written, and the bytes are the same."""
    corpus, kind = corpus_of(tmp_path, name), FORMATS[name]
    paths = [part.path for part in corpus.parts]
    seen = []

    def read(self, part, read=kind.read):
        seen.append(part.path)
        return read(self, part)

    monkeypatch.setattr(kind, "read", read)
    written = []
    for most, times in ((1 << 23, 1), (10, 2)):
        monkeypatch.setattr(parts.ReadDocuments.__init__, "__defaults__", (most,))
        seen.clear()
        out = tmp_path / f"out-{times}"
        sf.text.publish(
            place / "frontier", corpus, choose="r10", ignore_marks=True, accept_shift=True, out=out
        )
        assert {path: seen.count(path) for path in paths} == dict.fromkeys(paths, times)
        files = (p for p in out.rglob("*") if p.is_file() and p.name != "release.json")
        written.append({p.relative_to(out): p.read_bytes() for p in files})
    assert written[0]
    assert written[0] == written[1]


def test_lines_in_columns_are_read_once(place, tmp_path, monkeypatch):
    corpus, read = corpus_of(tmp_path, "jsonl"), []
    begun = lines.open_bytes
    monkeypatch.setattr(lines, "open_bytes", lambda file, limits: read.append(file) or begun(file, limits))  # fmt: skip
    sf.text.publish(
        place / "frontier", corpus, choose="r10", ignore_marks=True, accept_shift=True,
        out=tmp_path / "out",
    )  # fmt: skip
    assert read == [corpus.parts[0].file]
