"""A project from start to release: folder, answers, journal, questions, frontier."""

import json
import math
import os
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest

from sfumato import text
from sfumato.core.errors import DataError, FormatError, InputError, LockedError, ParameterError
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.labelling.journal import AnswerLog
from sfumato.engines.text.labelling.project import Project, start_project
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.labelling.requests import publish_session
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.labelling.status import agreement_of, status_of
from sfumato.engines.text.learners.partial import UNKNOWN
from sfumato.engines.text.request import TextPublishRequest

from .answering import LABELS, answer, gold_of, request_of, tell_conventions, write_project


@pytest.fixture(scope="module")
def notes():
    return clinic_notes(60, seed=7)


@pytest.fixture
def project(notes, tmp_path):
    return write_project(notes, tmp_path, LABELS)


def test_a_project_folder_is_private_and_refers_to_its_documents(project, notes):
    assert stat.S_IMODE(project.stat().st_mode) == 0o700
    for file in project.iterdir():
        if file.is_file():
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0
            content = file.read_text()
            for word in ("Patient", notes[0].text[:40]):
                assert word not in content
    with pytest.raises(InputError):
        start_project(project.parent / "notes.jsonl", project)


def test_proposals_of_any_id_are_read_whole_or_refused(notes, tmp_path):
    file = tmp_path / "notes.jsonl"
    ids = ["two\u2028lines", "next\x85line"]
    lines = [{"id": i, "text": d.text} for i, d in zip(ids, notes, strict=False)]
    file.write_text("\n".join(json.dumps(line) for line in lines))
    start_project(file, tmp_path / "project", labels=LABELS)
    found = Project(tmp_path / "project")
    assert [d.id for d in found.documents] == ids
    assert all(found.proposals)
    proposals = tmp_path / "project" / "proposals.jsonl"
    proposals.write_bytes(proposals.read_bytes().removesuffix(b"\n"))
    with pytest.raises(FormatError, match="damaged"):
        Project(tmp_path / "project")


def test_documents_that_changed_are_refused(project):
    file = project.parent / "notes.jsonl"
    file.write_text(file.read_text().replace("a", "b", 1))
    with pytest.raises(DataError, match="changed"):
        Session(project)


def test_answers_survive_and_two_programs_do_not_meet(session, project, notes):
    answer(session, notes, 12)
    known = session.answers.known.copy()
    assert (known != UNKNOWN).any()
    with pytest.raises(LockedError):
        Session(project)
    session.close()
    again = Session(project, background=False)
    assert np.array_equal(again.answers.known, known)
    assert again.answers.drawn == session.answers.drawn
    again.close()


def test_undo_takes_back_the_last_answer_only(session, notes):
    answer(session, notes, 3)
    before = session.answers.known.copy()
    answer(session, notes, 1)
    session.undo()
    assert np.array_equal(session.answers.known, before)
    for _ in range(3):
        assert session.undo() is not None
    assert session.undo() is None
    assert (session.answers.known == UNKNOWN).all()


def test_every_fifth_question_is_a_random_window_and_skips_do_not_come_again(session, notes):
    tell_conventions(session)
    kinds = []
    while len(kinds) < 10:
        question = session.question()
        if question.kind != "class":
            kinds.append(question.random)
        answer(session, notes, 1)
    assert kinds == [True, False, False, False, False] * 2
    answer(session, notes, 1)
    question = session.question("attacker")
    while question.kind == "class":
        answer(session, notes, 1)
        question = session.question("attacker")
    place = session.place(question.first, question.last)
    session.skip(place)
    other = session.question("attacker")
    assert (other.first, other.last) != (question.first, question.last)


def test_answers_that_make_no_sense_are_refused_and_not_kept(session):
    for places, label in (([(0, 5, 5)], None), ([(999, 0, 3)], None), ([(0, 0, 3)], "NOPE"), ([], "NAME")):  # fmt: skip
        with pytest.raises(ParameterError):
            session.mark(places, label)
    assert len(session.journal) == 0


def test_like_places_hold_the_same_words(session, notes):
    answer(session, notes, 6)
    question = session.policy.next(session.scores, session.answers.sensitive)
    place = session.place(question.first, question.last)
    words = notes[place[0]].text[place[1] : place[2]]
    for document, first, last in session.like(place, sensitive=False):
        assert notes[document].text[first:last] == words


def test_learning_from_answers_lowers_what_is_left(session, notes):
    tokens = session.tokens
    from sfumato.engines.text.reading.tokens import labels_from_spans

    gold = labels_from_spans(notes, tokens, LABELS) > 0
    words = session.pool.data.counted

    def total():
        hidden = session.scores >= -math.log(10)
        return 10 * (gold & ~hidden & words).sum() + (~gold & hidden & words).sum()

    first = total()
    answer(session, notes, 50)
    assert total() < 0.8 * first
    status = status_of(session)
    assert status["answers"] == 50
    assert 0 <= status["low"] <= status["left"] <= status["high"] <= 1
    assert status["verdict"] in ("go on", "stop", "enough")


def test_the_frontier_of_a_project_publishes_and_marks_are_law(session, project, notes, tmp_path):
    answer(session, notes, 25)
    found = explore_answers(session, request_of(session, [1.0, 10.0]))
    folder = tmp_path / "frontier"
    folder.mkdir()
    found.save(folder)
    again = text.load(folder)
    assert again.record == found.record
    assert found.record.answers == 25
    asked = TextPublishRequest(documents=project, keep_ids=True)
    release = publish_session(
        session, again, again.candidate("r10"), asked, out=tmp_path / "release"
    )
    assert release.counts["documents"] == len(notes)
    lines = (tmp_path / "release" / "notes.jsonl").read_text().splitlines()
    published = [json.loads(line)["text"] for line in lines]
    marks = 0
    for document, text_ in zip(session.known_spans(), published, strict=True):
        marked = {document.text[s.start : s.end] for s in document.spans if s.end - s.start > 9}
        marks += len(marked)
        assert not any(word in text_ for word in marked)
    assert marks


def test_before_anybody_looked_the_risk_is_not_measured(session):
    candidate = explore_answers(session, request_of(session, [10.0])).candidates[0]
    assert candidate.risk.value == 1.0
    assert "not measured" in candidate.risk.attacker


def test_a_half_written_line_is_dropped_and_a_damaged_one_refused(tmp_path):
    path = tmp_path / "answers.jsonl"
    journal = AnswerLog(path)
    journal.append({"do": "skip"})
    journal.append({"do": "skip"})
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"n":3,"do":"sk')
    again = AnswerLog(path)
    assert len(again) == 2
    assert again.append({"do": "skip"})["n"] == 3
    again.close()
    assert path.read_bytes().startswith(whole)
    path.write_bytes(whole[:4] + b"x" + whole[5:])
    with pytest.raises(FormatError, match="Line 1"):
        AnswerLog(path)


def test_answers_survive_a_kill(tmp_path):
    path = tmp_path / "answers.jsonl"
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from sfumato.engines.text.labelling.journal import AnswerLog\n"
        "journal = AnswerLog(Path(sys.argv[1]))\n"
        "while True:\n    print(journal.append({'do': 'skip'})['n'], flush=True)\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, env=env) as process:  # fmt: skip
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(30)][-1]
        process.send_signal(signal.SIGKILL)
        process.wait()
    journal = AnswerLog(path)
    assert len(journal) >= told
    journal.close()


def test_answers_go_out_in_other_tools_formats(session, project, notes, tmp_path):
    from tests.conftest import sfumato

    answer(session, notes, 8)
    marked = [len(d.spans) for d in session.known_spans()]
    session.close()
    for kind, name in (("prodigy", "p.jsonl"), ("labelstudio", "l.json"), ("i2b2", "xml")):
        sfumato("text", "convert", project, "--to", kind, "--out", tmp_path / name)
        from sfumato.data.documents import read_documents

        if kind == "prodigy":  # what nobody has read to the end is not accepted
            lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
            assert [len(line["spans"]) for line in lines] == marked
            assert {line["answer"] for line in lines} <= {"accept", "ignore"}
            continue
        again = list(read_documents(tmp_path / name, format=kind))
        assert [len(d.spans) for d in again] == marked


def test_a_second_reader_is_compared_and_changes_nothing_else(session, notes):
    tell_conventions(session)
    while len(session.answers.drawn) < 3:
        answer(session, notes, 1)
    known, drawn = session.answers.known.copy(), list(session.answers.drawn)
    assert len(drawn) == 3
    assert agreement_of(session)["windows"] == 0
    for number in range(3):
        question = session.second_question()
        place = session.place(question.first, question.last)
        spans = [(s.start, s.end, s.label) for s in gold_of(notes, place) if s.end <= place[2] and s.start >= place[1]]  # fmt: skip
        session.window(place, spans if number else [], random=True, reader=2)
    assert session.second_question() is None
    assert np.array_equal(session.answers.known, known)
    assert session.answers.drawn == drawn
    found = agreement_of(session)
    assert found["windows"] == 3
    assert 0 < found["same"] <= found["words"]
