"""What is reviewed and approved is one release, as it is on the disk."""

import json
from dataclasses import replace

import pytest

from sfumato.core.engine import no_progress
from sfumato.core.errors import InputError
from sfumato.core.files import sha256_of
from sfumato.core.records import RELEASE_FILE
from sfumato.data.document import Edit, apply
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.exploration import TextExploration
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.review import ReviewedRelease
from sfumato.engines.text.private_edits import read_edits

from .answering import LABELS, answer


def _written(documents, path):
    path.write_text("\n".join(json.dumps({"id": d.id, "text": d.text}) for d in documents))
    return path


def test_the_drawn_sample_must_be_seen_before_approval(tmp_path):
    notes = clinic_notes(45, seed=5)
    start_project(_written(notes, tmp_path / "notes.jsonl"), tmp_path / "project", labels=LABELS)
    desk = TextDesk(tmp_path / "project")
    try:
        answer(desk.session, notes, 25)
        desk.explore()
        made = desk.publish("r10", no_progress)
        release, record = made.out, made.release
        assert record.how.fields_as_they_are == ()
        rows = desk.review()
        drawn = {row["doc"] for row in rows if row["drawn"]}
        assert len(drawn) == 20
        assert {row["doc"] for row in rows[:20]} == drawn
        others = [row["doc"] for row in rows if not row["drawn"]]
        for number in others:
            desk.see(number)
        assert desk.to_see() == 20  # however many others were seen
        with pytest.raises(InputError, match="drawn sample"):
            desk.approve("AB")
        for number in sorted(drawn):
            desk.see(number)
        assert desk.approval() is None
        desk.approve("AB")
        kept = release.with_name(f"{release.name}.private") / "approval.json"
        approved = json.loads(kept.read_text())
        assert (approved["by"], approved["candidate"], approved["documents_seen"]) == (
            "AB",
            "r10",
            45,
        )
        assert approved["release"] == sha256_of(release / RELEASE_FILE)
        assert "approved" not in json.loads((release / RELEASE_FILE).read_text())
        assert ReviewedRelease(release).approval().by == "AB"
        assert desk.approval().by == "AB"
        desk.publish("r10", no_progress)  # the same bytes: the approval holds
        assert ReviewedRelease(release).approval() is not None
        (release / RELEASE_FILE).write_text((release / RELEASE_FILE).read_text() + " ")
        assert ReviewedRelease(release).approval() is None  # void: the release is another one
    finally:
        desk.close()


@pytest.mark.filterwarnings("ignore::sfumato.core.errors.PrivacyWarning")
def test_what_is_reviewed_is_what_was_written_whatever_the_ratio_of_the_project(tmp_path):
    notes = [
        replace(
            note,
            text=f"🙂 {note.text} 🙂",
            spans=tuple(replace(s, start=s.start + 2, end=s.end + 2) for s in note.spans),
        )
        for note in clinic_notes(24, seed=6)
    ]
    start_project(_written(notes, tmp_path / "notes.jsonl"), tmp_path / "project", labels=LABELS)
    desk = TextDesk(tmp_path / "project")
    try:
        answer(desk.session, notes, 15)
        desk.explore()
        for candidate in [c.id for c in TextExploration.load(desk.folder / "frontier").candidates]:
            made = desk.publish(candidate, no_progress)
            written = [
                json.loads(line)
                for line in (made.out / "notes.jsonl").read_text("utf-8").splitlines()
            ]
            shown = [desk.released(number) for number in range(24)]
            assert sorted(view["published"] for view in shown) == sorted(d["text"] for d in written)
            for view in shown:  # the marks are those of the release, character by character
                edits = [Edit(a, b, f"[{label}]", label) for a, b, label, _ in view["spans"]]
                assert apply(view["text"], edits) == view["published"]
        for named in ("r1", "r50"):  # whichever was published last
            written = (desk.folder / "releases" / named / "notes.jsonl").read_text("utf-8")
            texts = {json.loads(line)["text"] for line in written.splitlines()}
            assert {desk.released(number, named)["published"] for number in range(24)} == texts
        with pytest.raises(InputError, match="Nothing was published"):
            desk.released(0, "../r1")
        # A correction changes nothing that is shown: it is in the next release.
        before = desk.released(3)
        first, last = before["words"][1]
        desk.answer(
            {"do": "mark", "doc": 3, "first": first, "last": last, "label": "NAME", "by": "review"}
        )
        assert desk.released(3) == before
        drawn = {row["doc"] for row in desk.review() if row["drawn"]}
        desk.publish(candidate, no_progress)
        assert any(a <= first and last <= b for a, b, *_ in desk.released(3)["spans"])
        assert {row["doc"] for row in desk.review() if row["drawn"]} != drawn  # a fresh sample
    finally:
        desk.close()
    desk = TextDesk(tmp_path / "project")  # after a restart, the same release
    try:
        assert any(a <= first and last <= b for a, b, *_ in desk.released(3)["spans"])
        file = desk.folder / "releases" / candidate / "notes.jsonl"
        file.write_text(file.read_text("utf-8").replace("🙂", "", 1), encoding="utf-8")
        desk._opened = None
        with pytest.raises(InputError, match="not what was decided"):
            for number in range(24):
                desk.released(number)
    finally:
        desk.close()


@pytest.mark.filterwarnings("ignore::sfumato.core.errors.PrivacyWarning")
def test_an_audit_holds_the_windows_read_since_a_release_against_its_file(tmp_path):
    notes = clinic_notes(24, seed=6)
    start_project(_written(notes, tmp_path / "notes.jsonl"), tmp_path / "project", labels=LABELS)
    desk = TextDesk(tmp_path / "project")
    try:
        answer(desk.session, notes, 8)
        desk.explore()
        assert desk.audit() is None
        desk.publish("r50", no_progress)
        made = desk.publish("r1", no_progress)  # the ratio of the project is 10
        assert desk.audit()["windows"] == 0
        met = left = 0
        for _ in range(12):
            asked = desk.question("audit")
            note, first, last = notes[asked["doc"]], asked["first"], asked["last"]
            edits = next(e.edits for e in read_edits(made.out) if e.id == note.id)
            inside = [(e.start, e.end, e.label) for e in edits if e.start < last and first < e.end]
            clipped = [[max(a, first), min(b, last), label] for a, b, label in inside]
            assert (
                asked["spans"] == clipped
            )  # what this release redacts, not what the model would now
            spans = [[max(s.start, first), min(s.end, last), s.label] for s in note.spans
                     if s.label in LABELS and s.start < last and first < s.end]  # fmt: skip
            desk.answer({"do": "window", "doc": asked["doc"], "first": first, "last": last,
                         "spans": spans, "asking": "audit"})  # fmt: skip
            for a, b in (w for w in asked["words"] if any(map(str.isalnum, note.text[slice(*w)]))):
                sensitive = any(x < b and a < y for x, y, _ in spans)
                met += sensitive
                left += sensitive and not any(x < b and a < y for x, y, _ in inside)
        found = desk.audit()
        assert (found["release"], found["windows"]) == ("r1", 12)
        assert (found["sensitive"], found["left"]) == (met, left)
        assert met > left > 0
        assert found["low"] < left / met < found["high"]
        desk.answer({"do": "undo"})
        assert desk.audit()["windows"] == 11
        desk.publish("r1", no_progress)  # with the answers: nothing was read since
        assert desk.audit()["sensitive"] == 0
    finally:
        desk.close()
