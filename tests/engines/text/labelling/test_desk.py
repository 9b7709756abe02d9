"""Proposals of a model that was learned elsewhere, and what a killed start leaves."""

import json

import pytest

import sfumato as sf
from sfumato.core.errors import InputError
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.first_proposals import FirstProposals
from sfumato.engines.text.labelling.project import Project, start_project

from .answering import LABELS


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
