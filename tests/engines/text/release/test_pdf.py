"""A folder of PDF letters from explore to report: each is published under a new name, or withheld."""

from __future__ import annotations

import json

import pytest
from tests.conftest import sfumato

pytest.importorskip("pikepdf", reason="the extra pdf is not installed")

from tests.data.formats.pdf.letters import write_letters

import sfumato as sf
from sfumato.core.errors import InputError
from sfumato.data.documents import read_documents
from sfumato.data.formats.pdf.page_pictures import page_views
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.review import ReviewedRelease


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder with labelled letters to learn from, others to publish, and a frontier."""
    folder = tmp_path_factory.mktemp("letters")
    notes = clinic_notes(36, seed=5)
    write_letters(notes[:24], folder / "learned")
    write_letters(notes[24:], folder / "letters")
    (folder / "letters" / "broken.pdf").write_bytes(b"%PDF-1.7\n%Quixadelmo")
    sfumato("text", "explore", folder / "learned", "--label", "NAME", "--ratios", "10", "--folds", "2",
            "--attackers", "none", "--out", folder / "frontier")  # fmt: skip
    return folder


def publish(place, out):
    return sfumato(
        "text", "publish", place / "frontier", place / "letters", "--ratio", "10", "--accept-shift",
        "--out", out, status=1,
    )  # fmt: skip


@pytest.fixture(scope="module")
def released(place):
    told = publish(place, place / "release")
    assert "withheld" in told
    assert "Quixadelmo" not in told
    return place / "release"


def test_every_letter_is_published_under_a_new_name_or_withheld(place, released):
    record = json.loads((place / "release.private" / "figures.json").read_text())
    assert record["counts"]["documents"] == record["verified"]["documents"] == 12
    assert [each["reason"] for each in record["withheld"]] == ["is not a readable PDF"]
    files = [path for path in released.iterdir() if path.suffix == ".pdf"]
    assert len(files) == 12
    assert all(len(path.stem) == 16 for path in files)
    ids = (place / "release.private" / "ids.jsonl").read_text().splitlines()
    published = {json.loads(line)["id"]: json.loads(line)["published_as"] for line in ids}
    texts = {document.id: document.text for document in read_documents(released)}
    gone = 0
    for document in read_documents(place / "letters").tolerant():
        for span in getattr(document, "spans", ()):
            word = document.text[span.start : span.end]
            if span.label == "NAME" and len(word) > 6:
                assert word not in texts[published[document.id]]
                gone += 1
    assert gone > 12
    assert sum(text.count("[NAME]") for text in texts.values()) > 20


def test_the_same_command_gives_the_same_bytes(place, released):
    publish(place, place / "again")
    ours, theirs = (
        {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".pdf"}
        for folder in (released, place / "again")
    )
    assert ours == theirs


def test_the_release_is_attacked_and_reported(place, released):
    (place / "letters" / "broken.pdf").unlink()
    attack = sf.text.attack(
        place / "frontier", released, labels=place / "letters", attackers=["crf"]
    )
    assert attack.documents == 12
    sfumato("report", place / "frontier", released, "--out", place / "report")
    assert "Quixadelmo" not in (place / "report" / "report.html").read_text()


def test_pictures_are_kept_by_an_option_of_the_format(place, tmp_path):
    import random

    from benchmarks._pdf_places import HOSTILE

    (tmp_path / "scans").mkdir()
    (tmp_path / "scans" / "a.pdf").write_bytes(HOSTILE["scan"](random.Random(1)))
    command = [
        "text",
        "publish",
        place / "frontier",
        tmp_path / "scans",
        "--ratio",
        "10",
        "--accept-shift",
    ]
    sfumato(*command, "--out", tmp_path / "one", status=1)
    assert not list((tmp_path / "one").glob("*.pdf"))
    sfumato(*command, "--format", "pdf:pictures=keep", "--out", tmp_path / "two")
    (published,) = (tmp_path / "two").glob("*.pdf")
    assert published.stat().st_size > 1000


def test_review_shows_each_page_with_the_places_of_what_was_redacted(place, released):
    """The boxes lie around the placeholders in the published file, and the picture is that of its page."""
    review = ReviewedRelease(released)
    shown = 0
    for document in (d for d in read_documents(place / "letters").tolerant() if hasattr(d, "text")):
        (boxes,) = review.pages(document)
        assert [own.label for own in boxes] == [edit.label for edit in review.edits_of(document)]
        name = review.edits[document.id].published_id
        (view,) = page_views((released / name).read_bytes())
        for own in boxes:
            left, top, right, bottom = own.box
            inside = [
                character
                for character, (x0, y0, x1, y1) in zip(view.text, view.boxes, strict=True)
                if left < (x0 + x1) / 2 < right and top < (y0 + y1) / 2 < bottom
            ]
            assert "".join(inside).strip() == "[NAME]"
            shown += 1
    assert shown
    picture = review.picture(document, 0)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    with pytest.raises(InputError, match="no such page"):
        review.picture(document, 1)
