"""A file among others that cannot be read on is withheld by its name, with the reason, and the others are published."""

from __future__ import annotations

import gzip
import json

import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli._app import build
from sfumato.core.errors import FormatError
from sfumato.data.documents import Withheld, read_documents
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.release import parts
from sfumato.engines.text.release.output import LOST

MESSAGE = "MSH|^~\\&|A|B|C|D|20200101||ORU^R01|{0}|P|2.5\rPID|1||{0}\rOBX|1|TX|1^x^L||{1}||||||F\r"
REASONS = {
    "no.mbox": "is not a mailbox",
    "no.hl7": "holds no HL7 message",
    "cut.json": "is not valid JSON",
    "cut.mbox.gz": "is damaged or cut off: it does not decompress",
    "none.json": "holds no documents",
    "table.csv": "cannot be read: There is no text column 'text' in the file",
}


def mailbox(texts):
    head = "From x Thu Jan  1 00:00:00 1970\nSubject: {}\n\n{}\n\n"
    return "".join(head.format(i, text) for i, text in enumerate(texts)).encode()


def bundle(texts, **more):
    resources = [{"resourceType": "DiagnosticReport", "id": f"r{i}", "conclusion": t, **more} for i, t in enumerate(texts)]  # fmt: skip
    return json.dumps({"resourceType": "Bundle", "type": "collection", "entry": [{"resource": one} for one in resources]})  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with good files of several kinds, a broken one of each, and a frontier."""
    folder = tmp_path_factory.mktemp("broken")
    notes = clinic_notes(60, seed=5)
    sf.text.explore(notes[:40], labels=["NAME"], ratios=[10], folds=2, attackers=["none"]).save(
        folder / "frontier"
    )
    texts, mixed = [note.text for note in notes[40:]], folder / "mixed"
    mixed.mkdir()
    (mixed / "a.txt").write_text(texts[0])
    (mixed / "box.mbox").write_bytes(mailbox(texts[1:4]))
    said = [text.replace("\n", "\\.br\\") for text in texts[4:6]]
    (mixed / "lab.hl7").write_bytes(
        "".join(MESSAGE.format(i, t) for i, t in enumerate(said)).encode()
    )
    (mixed / "good.json").write_text(bundle(texts[6:8]))
    (mixed / "no.mbox").write_text("Nobody wrote this.\n")
    (mixed / "no.hl7").write_text("Nor this.\n")
    long = bundle(texts[8:14], own="x" * 100_000)  # read on after some of it was given out
    (mixed / "cut.json").write_text(long[:-150_000])
    packed = gzip.compress(mailbox([f"{text}\n{'y' * 300_000}" for text in texts[14:18]]), 0)
    (mixed / "cut.mbox.gz").write_bytes(packed[:-400_000])
    (mixed / "none.json").write_text('{"resourceType": "Bundle", "type": "collection"}')
    (mixed / "lone.json").write_text('{"resourceType": 5, "text": {"div": "Quixadelmo"}}')
    (mixed / "lines.ndjson").write_text('{"resourceType": "Basic", "id": "b"}\nQuixadelmo\n')
    (mixed / "odd.json").write_text('{"type": "collection", "entry": Infinity}')
    (mixed / "empty.ndjson").write_text("")
    (mixed / "table.csv").write_text("x,y\nQuixadelmo,2\n")
    return folder


@pytest.mark.parametrize("kept", [1 << 23, 10])
def test_files_that_cannot_be_read_on_are_withheld_and_the_others_published(
    place, tmp_path, monkeypatch, kept
):
    """Whether what was read is kept for writing, or read again."""
    monkeypatch.setattr(parts.ReadDocuments.__init__, "__defaults__", (kept,))
    out = tmp_path / "release"
    words = ["text", "publish", place / "frontier", place / "mixed", "--ratio", "10", "--accept-shift", "--out", out]  # fmt: skip
    done = CliRunner().invoke(build(), [str(word) for word in words])
    assert done.exit_code == 1, done.output
    lines = (tmp_path / "release.quarantine.jsonl").read_text().splitlines()
    withheld = {one["id"]: one["reason"] for one in map(json.loads, lines)}
    assert len(lines) == len(withheld)
    lost = {id for id, reason in withheld.items() if reason == LOST}
    assert {id.rpartition(":")[0] for id in lost} == {"cut.json", "cut.mbox.gz"}
    assert {id: reason for id, reason in withheld.items() if id not in lost} == {
        **REASONS, "lone.json:1": "is no FHIR resource", "lines.ndjson:2": "is not a JSON object",
        "odd.json:1": "is not valid JSON",
    }  # fmt: skip
    ids = {one["id"] for one in map(json.loads, (tmp_path / "release.private" / "ids.jsonl").read_text().splitlines())}  # fmt: skip
    good = {"a.txt", *(f"box.mbox:{i}" for i in (1, 2, 3)), "lab.hl7:1", "lab.hl7:2", "good.json:1", "good.json:2", "Basic/b"}  # fmt: skip
    assert ids == good | set(withheld)
    published = [path for path in out.rglob("*") if path.is_file() and path.name != "release.json"]
    assert sorted(p.suffix for p in published) == [".hl7", ".json", ".mbox", ".ndjson", ".txt"]
    record = json.loads((out / "release.json").read_text())
    assert record["counts"]["documents"] == len(good)
    everything = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert b"Quixadelmo" not in everything + done.output.encode()
    assert b"xxxx" not in everything
    assert b"yyyy" not in everything
    assert not any(name.encode() in everything for name in REASONS)


def test_a_file_alone_is_refused_as_before(place):
    for name in ("no.mbox", "cut.json"):
        with pytest.raises(FormatError, match=r"not a mailbox|not valid JSON"):
            list(read_documents(place / "mixed" / name).tolerant())


def test_strict_reading_raises_the_sentence_of_the_file(place):
    corpus = read_documents(place / "mixed")
    found = [one for one in corpus.tolerant() if isinstance(one, Withheld) and one.is_file]
    assert {one.part: one.reason for one in found} == REASONS
    messages = {one.part: one.error().message for one in found}
    assert messages["no.mbox"] == "The file 'no.mbox' is not a mailbox."
    words = ["text", "publish", place / "frontier", place / "mixed", "--ratio", "10", "--accept-shift", "--strict"]  # fmt: skip
    done = CliRunner().invoke(build(), [*map(str, words), "--out", str(place / "strict")])
    assert done.exit_code == 2
    assert "is not valid JSON" in done.output
    assert not (place / "strict").exists()
