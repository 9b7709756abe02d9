"""What was found at the desk: undo, two tabs, windows, labels in the estimate, the next step, two readers."""

import json
import time
from types import SimpleNamespace

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.engine import Call, no_progress
from sfumato.core.errors import DataError, InputError
from sfumato.data.documents import read_documents
from sfumato.data.samples import clinic_notes
from sfumato.engines.text.engine import ENGINE
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.estimate import LabelEstimate, RiskEstimate
from sfumato.engines.text.labelling.next_step import next_step, seconds_of
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.labelling.status import status_of
from sfumato.engines.text.labelling.two_readers import compare_readers
from sfumato.engines.text.verb_requests import AuditRequest, ConvertRequest
from sfumato.web.frontiers import Frontiers

from .answering import LABELS, answer, request_of, tell_conventions, write_project

SECONDS = {"mark": 4.0, "window": 20.0}


@pytest.fixture(scope="module")
def notes():
    return clinic_notes(24, seed=7)


@pytest.fixture
def project(notes, tmp_path):
    return write_project(notes, tmp_path, LABELS)


@pytest.fixture
def desk(project):
    made = TextDesk(project)
    tell_conventions(made.session)
    yield made
    made.close()


def give(desk, question, **more):
    place = {key: question[key] for key in ("doc", "first", "last")}
    desk.answer({"number": question["number"], **place, **more})


def until(holds):
    """Wait for the thread that judges the answers."""
    end = time.monotonic() + 30
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def test_undo_returns_to_the_undone_question_and_the_estimate_follows(desk):
    asked = desk.question("cost")
    assert asked["kind"] == "window"
    give(desk, asked, do="window", spans=[], seconds=12.0)
    word = desk.question("attacker")
    assert word["kind"] == "word"
    give(desk, word, do="mark", label="", seconds=2.5)
    desk.answer({"do": "undo"})
    again = desk.question("attacker")
    assert [again[k] for k in ("kind", "doc", "first", "last")] == [word[k] for k in ("kind", "doc", "first", "last")]  # fmt: skip
    assert until(lambda: desk.session.estimate is not None)
    desk.answer({"do": "undo"})  # the window
    assert desk.question("cost")["first"] == asked["first"]
    assert until(lambda: desk.session.estimate is None)
    assert desk.status()["windows"] == 0


def test_two_tabs_are_one_session(desk):
    in_both = desk.question("cost")
    give(desk, in_both, do="window", spans=[])
    with pytest.raises(InputError, match="answered already"):
        give(desk, in_both, do="window", spans=[])
    assert len([e for e in desk.session.journal if e["do"] == "window"]) == 1


def test_how_long_a_person_takes_is_kept_and_used(desk):
    for _ in range(6):
        asked = desk.question("windows")
        give(desk, asked, do="window", spans=[], seconds=31.2)
    assert seconds_of(desk.session.journal)["window"] == 32.0
    assert seconds_of([])["mark"] == SECONDS["mark"]


def test_no_window_cuts_a_date(tmp_path):
    words = "word " * 31
    texts = [
        f"{words}on 14.09.2039. {words}seen 3 March 2031. {words}Call 0699-15099887 now. {words}"
    ]
    file = tmp_path / "long.jsonl"
    file.write_text("\n".join(json.dumps({"id": str(n), "text": texts[0]}) for n in range(3)))
    start_project(file, tmp_path / "project")
    session = Session(tmp_path / "project", background=False)
    try:
        bounds = session.policy.windows[:-1]
        cuts = {session.place(int(b), int(b) + 1)[1] for b in bounds}
        assert len(bounds) > 9
        for thing in ("14.09.2039", "3 March 2031", "0699-15099887"):
            first = texts[0].index(thing)
            assert not any(first < cut < first + len(thing) for cut in cuts)
    finally:
        session.close()


def test_each_label_has_its_estimate_in_the_status_the_frontier_and_the_report(session, notes):
    for _ in range(12):  # random windows alone
        question = session.policy.random_window(session.answers.done)
        place = session.place(question.first, question.last)
        spans = [
            (max(s.start, place[1]), min(s.end, place[2]), s.label)
            for s in notes[place[0]].spans
            if s.label in LABELS and s.start < place[2] and place[1] < s.end
        ]
        session.window(place, spans, random=True)
    session.settle()
    status = status_of(session)
    found = {row["label"]: row for row in status["by_label"]}
    assert set(found) == set(LABELS)
    assert sum(row["sensitive"] for row in found.values()) == status["sensitive"]
    assert found["NAME"]["low"] <= found["NAME"]["left"] <= found["NAME"]["high"]
    value, low, high = status["documents_with_leak"]
    assert 0 <= low <= value <= high <= 1
    frontier = explore_answers(session, request_of(session, [10.0]))
    (chosen,) = [c for c in frontier.candidates if c.ratio == 10]
    assert chosen.by_label["NAME"].sensitive == found["NAME"]["sensitive"]
    assert chosen.by_label["NAME"].range.low <= chosen.by_label["NAME"].range.high
    assert chosen.documents_with_leak is not None


def test_the_frontier_room_opens_with_the_ratio_of_the_project_and_tells_each_label(project, notes):
    desk = TextDesk(project)
    rooms = Frontiers([project], desk)
    try:
        tell_conventions(desk.session)
        for _ in range(6):
            question = desk.session.policy.random_window(desk.session.answers.done)
            place = desk.session.place(question.first, question.last)
            spans = [(max(s.start, place[1]), min(s.end, place[2]), s.label) for s in notes[place[0]].spans
                     if s.label in LABELS and s.start < place[2] and place[1] < s.end]  # fmt: skip
            desk.session.window(place, spans, random=True)
        desk.explore()
        view = rooms.view(None, None)
        # What the questions are chosen for: nobody has chosen anything yet.
        assert view["candidate"] == "r10"
        told = " ".join(view["details"]["sentences"])
        assert "at the loss ratio of the project" in told
        assert "steward chose" not in told
        (grid,) = view["details"]["grids"]
        assert {row[0] for row in grid["rows"]} <= set(LABELS)
        assert "NAME" in {row[0] for row in grid["rows"]}
        means = {name: meaning for name, _, meaning in view["details"]["rows"]}
        assert "one after the other" in means["rounds"]
        assert means["total loss"]
        assert not {"way", "encoder reads", "held out"} & set(means)
        assert "steward chose" in " ".join(rooms.view(None, "r20")["details"]["sentences"])
        desk.publish("r5", no_progress)
        assert rooms.view(None, None)["candidate"] == "r5"
    finally:
        desk.close()


def estimate(sensitive, left, high, *labels):
    by_label = tuple(LabelEstimate(name, n, k, 0.0, 1.0) for name, n, k in labels)
    return RiskEstimate(20, 600, sensitive, left, 0.0, high, 5, 1.0, by_label=by_label)


def test_there_is_no_stop_while_more_may_be_left_than_was_wanted():
    flat = [
        (n, estimate(100, 19, 0.33, ("NAME", 80, 9), ("DATE", 20, 10))) for n in range(20, 140, 5)
    ]
    step = next_step(flat, 0.01, seconds=SECONDS)
    assert step.what == "answers"
    assert "DATE (10 of 19 words)" in step.words
    few = [(80, estimate(3, 0, 1.0))]
    assert next_step(few, 0.01, seconds=SECONDS).what == "windows"
    assert next_step([], 0.01, seconds=SECONDS).what == "windows"
    low = [(80, estimate(100, 0, 0.036))]
    audit = next_step(low, 0.01, seconds=SECONDS)
    assert audit.what == "audit"
    assert audit.minutes > 5
    assert next_step([(80, estimate(900, 0, 0.004))], 0.01, seconds=SECONDS).what == "enough"


def test_a_higher_ratio_or_a_rule_is_named_where_it_helps():
    now = [(60, estimate(100, 10, 0.2, ("NAME", 60, 2), ("CASE", 40, 8)))]
    rule = next_step(now, 0.01, seconds=SECONDS, proposals={"NAME": 80, "CASE": 0})
    assert rule.what == "rule"
    assert "CASE" in rule.words
    higher = [(20.0, estimate(100, 3, 0.1)), (50.0, estimate(100, 0, 0.04))]
    ratio = next_step(now, 0.01, seconds=SECONDS, higher=higher, proposals={"NAME": 80, "CASE": 3})
    assert ratio.what == "ratio"
    assert "L/C 50" in ratio.words


def test_enough_is_seldom_said_too_early():
    """In 200 projects whose true share is above what was wanted, "enough" is said in at most 5 %."""
    random = np.random.default_rng(4)
    from sfumato.engines.text.labelling.estimate import share_range

    said = 0
    for trial in range(200):
        of = random.integers(1, 9, 60)
        left = random.binomial(of, 0.02)
        low, high = share_range(left, of, np.repeat(np.arange(20), 3), seed=trial)
        now = RiskEstimate(60, 1800, int(of.sum()), int(left.sum()), low, high, 0, 0.0)
        said += next_step([(300, now)], 0.015, seconds=SECONDS).what == "enough"
    assert said <= 10


def test_two_readers_are_compared_as_by_hand():
    first = np.array([1] * 18 + [0] * 2 + [2] * 5 + [0] * 75)
    second = np.array([1] * 16 + [0] * 2 + [1] * 2 + [2] * 5 + [0] * 75)
    found = compare_readers(first, second, windows=4)
    assert (found.both, found.only_first, found.only_second) == (21, 2, 2)
    chance = 0.18 * 0.18 + 0.05 * 0.05 + 0.77 * 0.77
    assert found.kappa == pytest.approx((0.96 - chance) / (1 - chance))
    total = 24 * 24 / 22 - 1
    assert found.found == pytest.approx(23 / total)
    assert found.corrected(0.1) == pytest.approx(0.1 * 23 / total + 1 - 23 / total)
    nothing = compare_readers(np.zeros(0, int), np.zeros(0, int), windows=0)
    assert (nothing.kappa, nothing.found, nothing.corrected(0.1)) == (None, None, 0.1)


def test_the_words_of_a_project_can_be_audited_and_unread_documents_say_so(
    project, notes, tmp_path
):
    session = Session(project, background=False)
    try:
        answer(session, notes, 8)
        explore_answers(session, request_of(session, [10.0])).save(project / "frontier")
    finally:
        session.close()
    sf.text.publish(project, project, ratio=10, out=tmp_path / "release")
    stored = json.loads((tmp_path / "release" / "release.json").read_text())
    assert set(stored["left_by_label"]) <= set(LABELS)
    assert stored["documents_with_leak"] is not None
    verbs = {verb.name: verb for verb in ENGINE.verbs()}
    said = []
    request = AuditRequest(release=tmp_path / "release", words=20, frontier=project / "frontier")
    verbs["audit"].run(request, Call(say=said.append))
    assert any("Read it, put an x" in line for line in said)
    verbs["convert"].run(ConvertRequest(source=project, to="prodigy"), Call(tmp_path / "out.jsonl", say=said.append))  # fmt: skip
    answers = [
        json.loads(line)["answer"] for line in (tmp_path / "out.jsonl").read_text().splitlines()
    ]
    assert "ignore" in answers
    assert any("nobody has read to the end" in line for line in said)


def test_a_table_without_the_named_column_tells_common_columns_and_the_option(tmp_path):
    file = tmp_path / "briefe.csv"
    file.write_text("Fallnummer;Schäfer;Brief\n1;x;Ein Brief\n")
    with pytest.raises(DataError) as raised:
        list(read_documents(file, format="csv", delimiter=";"))
    told = str(raised.value) + str(getattr(raised.value, "hint", ""))
    assert "'Brief'" in told
    assert "--text COLUMN" in told
    assert "Schäfer" not in told  # the first line of a file without a header is a person


def test_answers_about_one_shape_that_yield_nothing_are_not_asked_for_ever(session, notes):
    """Of the questions about words few are bare numbers, although most unsure words are."""
    asked = []
    for _ in range(30):
        question = session.question("cost")
        first, last = question.first, question.last
        if question.kind == "word":
            place = session.place(first, last)
            asked.append(notes[place[0]].text[place[1] : place[2]])
        answer(SimpleNamespace(
            question=lambda q=question: q, place=session.place, mark=session.mark, like=session.like,
            window=session.window, settle=session.settle, classes=session.classes, settle_class=session.settle_class), notes, 1)  # fmt: skip
    assert sum(word.isdigit() for word in asked) <= 0.5 * max(len(asked), 1)
