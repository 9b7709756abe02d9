"""Proposals of a model that was learned elsewhere, and what must be seen before a release is approved."""

import json
from dataclasses import replace

import pytest

import sfumato as sf
from sfumato.core.engine import no_progress
from sfumato.core.errors import InputError
from sfumato.core.files import sha256_of
from sfumato.core.records import RELEASE_FILE
from sfumato.data.document import Edit, apply
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.exploration import TextExploration
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.first_proposals import FirstProposals
from sfumato.engines.text.labelling.project import Project, start_project
from sfumato.engines.text.labelling.review import ReviewedRelease

from .answering import LABELS, answer


def _written(documents, path):
    path.write_text("\n".join(json.dumps({"id": d.id, "text": d.text}) for d in documents))
    return path


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Return a frontier folder of other notes."""
    folder = tmp_path_factory.mktemp("elsewhere") / "frontier"
    notes = clinic_notes(40, seed=3)
    sf.text.explore(notes, labels=["NAME"], ratios=[8, 40], attackers=["none"]).save(folder)
    return folder


def test_a_model_learned_elsewhere_proposes(elsewhere, tmp_path):
    notes = clinic_notes(10, seed=11)
    file = _written(notes, tmp_path / "notes.jsonl")
    finding = {notes[0].id: [{"start": 0, "end": 4, "label": "NAME"}]}
    finding |= {d.id: [] for d in notes[1:]}
    record = start_project(
        file,
        tmp_path / "project",
        labels=["NAME", "PHONE"],
        first=FirstProposals(model=elsewhere, findings=finding),
    )
    found = Project(tmp_path / "project").found
    explored = sf.load(elsewhere)
    theirs = [explored.spans(d.text, 8) for d in notes]  # the ratio nearest to 10
    assert record.proposals["model"] == sum(map(len, theirs)) > 0
    for spans, wanted in zip(found[1:], theirs[1:], strict=True):
        assert [(s.start, s.end, s.label) for s in spans] == [
            (s.start, s.end, s.label) for s in wanted
        ]
    assert (found[0][0].start, found[0][0].end) == (0, 4)  # the findings come first


def test_a_folder_that_is_no_frontier_is_refused(tmp_path):
    file = _written(clinic_notes(3, seed=1), tmp_path / "notes.jsonl")
    with pytest.raises(InputError, match="frontier"):
        start_project(file, tmp_path / "project", first=FirstProposals(model=tmp_path))
    assert not (tmp_path / "project").exists()


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


def test_opening_a_project_removes_what_a_killed_start_left(tmp_path):
    notes = clinic_notes(8, seed=5)
    start_project(_written(notes, tmp_path / "notes.jsonl"), tmp_path / "project", labels=LABELS)
    left = tmp_path / ".project.work" / "stage-0123456789abcdef"
    left.mkdir(parents=True, mode=0o700)
    left.parent.chmod(0o700)
    TextDesk(tmp_path / "project").close()
    assert not left.parent.exists()


def test_a_newer_reader_cannot_move_answers(tmp_path, monkeypatch):
    """A reader that reads another text from the same file is refused in one sentence, wherever offsets are kept."""
    from sfumato.core.errors import DataError, InputError
    from sfumato.data.documents import read_documents, write_documents
    from sfumato.data.findings import with_findings
    from sfumato.data.formats.jsonl import Jsonl
    from sfumato.data.samples import clinic_notes
    from sfumato.engines.text.labelling.project import Project, start_project
    from sfumato.text import explore

    notes = clinic_notes(30, seed=5)
    source = tmp_path / "notes.jsonl"
    write_documents(notes, like="jsonl", out=source)
    record = start_project(source, tmp_path / "project", labels=["NAME"])
    assert record.sources[0].reader == "jsonl 1"
    found = explore(source, labels=["NAME"], ratios=[10], folds=2, attackers=())
    assert found.record.reader == "jsonl 1"
    marks = tmp_path / "marks.jsonl"
    entries = [{"id": d.id, "text_sha256": d.text_sha256, "findings": []} for d in notes]
    marks.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert len(list(with_findings(read_documents(source), marks))) == 30
    assert len(Project(tmp_path / "project").documents) == 30
    real = Jsonl.record

    def newer(self, part, record, line):
        return real(self, part, record, None if line is None else line.replace(b"Dr", b"D r"))

    monkeypatch.setattr(Jsonl, "record", newer)
    monkeypatch.setattr(Jsonl, "version", "2")
    with pytest.raises(DataError, match=r"no longer read as they were .*'jsonl 1', now 'jsonl 2'"):
        Project(tmp_path / "project")
    with pytest.raises(DataError, match="offsets no longer hold"):
        list(with_findings(read_documents(source), marks))
    with pytest.raises(InputError, match="read by 'jsonl 1'; they are read by 'jsonl 2' now"):
        found.publish("r10", source, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
