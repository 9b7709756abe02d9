"""Proposals of a model that was learned elsewhere, and what must be seen before a release is approved."""

import json

import pytest

import sfumato as sf
from sfumato.core.engine import no_progress
from sfumato.core.errors import InputError
from sfumato.core.records import RELEASE_FILE
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.project import Project, start_project

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
        file, tmp_path / "project", labels=["NAME", "PHONE"], model=elsewhere, findings=finding
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
        start_project(file, tmp_path / "project", model=tmp_path)
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
        approved = json.loads((release / RELEASE_FILE).read_text())["approved"]
        assert approved == {"by": "AB", "documents_seen": 45}
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
