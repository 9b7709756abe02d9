"""Scanned pages through the engine: withheld, accepted unseen, or seen and approved in the review room."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from tests.data.formats.pdf import bars
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli._app import build
from sfumato.core.errors import InputError
from sfumato.data.documents import write_documents
from sfumato.data.formats.scans import registry
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling import releases
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.records import TextRelease
from sfumato.web.app import PageState

LETTER = ["Dear Ann Kowalczyk", "Patient came with pain", "and left today"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with two letters as PDF, one that was scanned, and a frontier."""
    folder = tmp_path_factory.mktemp("scans")
    notes = clinic_notes(14, seed=5)
    write_documents(notes[12:], like="pdf", out=folder / "letters")
    (folder / "letters" / "scanned.pdf").write_bytes(bars.as_pdf(bars.scan(LETTER)))
    for labels in (folder / "letters").glob("*.ann"):
        labels.unlink()
    sf.text.explore(
        notes[:12], labels=["NAME"], ratios=[10], folds=2, attackers=["none"], deny=["Kowalczyk"]
    ).save(folder / "frontier")
    return folder


@pytest.fixture(autouse=True)
def reader(monkeypatch):
    monkeypatch.setattr(registry, "_readers", {})
    registry.RECOGNISERS.register("bars", bars.BarReader)
    yield
    registry.RECOGNISERS.unregister("bars")


def publish(place, name, *options):
    return CliRunner().invoke(build(), [
        "text", "publish", str(place / "frontier"), str(place / "letters"), "--ratio", "10", "--keep-ids",
        "--accept-shift", "--out", str(place / name), *options,
    ])  # fmt: skip


def test_a_scan_that_nobody_has_seen_is_withheld(place):
    result = publish(place, "withheld")
    assert result.exit_code == 1
    (entry,) = map(json.loads, (place / "withheld.quarantine.jsonl").read_text().splitlines())
    assert entry["reason"].startswith("has scanned pages (1), which a person must see")
    assert not (place / "withheld" / "scanned.pdf").exists()
    assert TextRelease.read(place / "withheld").how.scans is None


def test_a_scan_that_is_accepted_is_published_and_told(place):
    result = publish(place, "accepted", "--accept-scans")
    assert result.exit_code == 0, result.output
    assert "1 scanned pages were read by OCR, accepted unseen" in " ".join(result.output.split())
    scans = json.loads((place / "accepted" / "release.json").read_text())["how"]["scans"]
    assert scans == {"accepted_unseen": True, "pages": 1, "recogniser": "bars 1", "word_recall": 0.5}  # fmt: skip
    from sfumato.data.formats.pdf.read import read_pages

    (page,) = read_pages((place / "accepted" / "scanned.pdf").read_bytes())
    assert "Kowalczyk" not in page.text
    assert "[NAME]" in page.text
    told = CliRunner().invoke(
        build(), ["report", str(place / "accepted"), "--out", str(place / "report")]
    )
    assert told.exit_code == 0, told.output
    assert "1 scanned pages were read by OCR. What it misread is not measured" in (place / "report" / "report.html").read_text()  # fmt: skip


def test_a_scan_of_a_project_must_be_seen_before_approval(place, monkeypatch):
    monkeypatch.setattr(releases, "_SAMPLE", 1)
    start_project(place / "letters", place / "project", labels=["NAME"])
    page = PageState([place / "project"])
    try:
        desk, session = page.desk, page.desk.session
        scanned = next(d for d, own in enumerate(session.documents) if own.scanned)
        asked = session.policy.random_window(session.answers.done)
        session.window(session.place(asked.first, asked.last), [], random=True)
        desk.explore()
        release = desk.publish("r10", lambda *_, **__: None).release
        assert release.how.scans.pages == 1
        assert not release.how.scans.accepted_unseen
        drawn = [row["doc"] for row in desk.review() if row["drawn"]]
        assert scanned in drawn
        for document in drawn:
            if document != scanned:
                desk.see(document)
        with pytest.raises(InputError, match="still to be seen"):
            desk.approve("AB")
        assert desk.picture(scanned, 0).startswith(b"\x89PNG")
        assert len(desk.released(scanned)["pages"]) == 1
        desk.see(scanned)
        desk.approve("AB")
    finally:
        page.desk.close()
