"""Conventions are asked about first, and one answer moves the bounds of spans everywhere."""

import json

import pytest

import sfumato as sf
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.learners.partial import UNKNOWN

from .answering import request_of

LABELS = ["NAME", "DATE", "LOCATION"]
TEXT = (
    "Klinikum Neustadt\nAbteilung Chirurgie\n\nWir berichten aus dem Klinikum Neustadt vom Freitag, 3. Mai 2021. Wir danken Frau Gisela Krüger und "
    "Prof. Dr. Holger Albers.\nAm Montag, den 14.09.2039 kam Herr Rainer Cordes. So war es nicht zu Hause.\n"
)


@pytest.fixture
def project(tmp_path):
    file = tmp_path / "letters.jsonl"
    file.write_text("\n".join(json.dumps({"id": str(n), "text": TEXT}) for n in range(6)))
    start_project(file, tmp_path / "project", labels=LABELS)
    return tmp_path / "project"


@pytest.fixture
def session(project):
    made = Session(project, background=False)
    yield made
    made.close()


def words_of(session, key):
    one = session.classes[key]
    bounds = zip(one.first.tolist(), one.last.tolist(), strict=True)
    return {TEXT[a:b] for _, a, b in (session.place(*bound) for bound in bounds)}


def test_the_cases_of_each_convention_are_found(session):
    assert words_of(session, "titles") == {"Frau", "Prof.", "Dr.", "Herr"}
    assert words_of(session, "weekdays") == {"Freitag", "Montag"}
    assert words_of(session, "clinics") == {"Klinikum Neustadt"}


def test_conventions_come_first_one_question_each(project):
    desk = TextDesk(project)
    try:
        asked = []
        while (question := desk.question("cost"))["kind"] == "class" and question["asks"]:
            asked.append(question["class_key"])
            place = {key: question[key] for key in ("doc", "first", "last", "number")}
            desk.answer({**place, "do": "class", "class_key": question["class_key"], "label": ""})
        assert sorted(asked) == ["clinics", "titles", "weekdays"]
        assert question["kind"] == "window"
        assert question["random"]
    finally:
        desk.close()


@pytest.mark.parametrize("part", [True, False])
def test_the_answer_moves_the_bounds_of_spans_and_of_the_release(session, project, tmp_path, part):
    session.settle_class("titles", "NAME" if part else None)
    session.settle_class("weekdays", "DATE" if part else None)
    session.settle()
    hidden = [TEXT[s.start : s.end] for s in session.spans(0)]
    for word in ("Frau", "Herr", "Montag", "Freitag"):
        assert any(word in text for text in hidden) == part, word
    explore_answers(session, request_of(session, [10.0])).save(project / "frontier")
    session.close()
    sf.text.publish(project, project, ratio=10, out=tmp_path / "release")
    for line in (tmp_path / "release" / "letters.jsonl").read_text().splitlines():
        text = json.loads(line)["text"]
        for word in ("Frau", "Herr", "Montag", "Freitag"):
            assert (word in text) != part, word
        assert "Gisela" not in text


def test_a_yes_to_a_convention_before_any_window_makes_no_other_word_sensitive(session):
    def hidden():
        return {i for s in session.spans(0) for i in range(s.start, s.end)}

    before = hidden()
    own = {
        i
        for key in ("titles", "weekdays", "clinics")
        for a, b in zip(session.classes[key].first, session.classes[key].last, strict=True)
        for document, first, last in [session.place(int(a), int(b))]
        if document == 0
        for i in range(first, last)
    }
    for key in ("titles", "weekdays", "clinics"):
        session.settle_class(key, session.classes[key].label)
        session.settle()
    words = {i for i in hidden() - before - own if TEXT[i].isalnum()}
    assert "".join(TEXT[i] for i in sorted(words)) == ""


def test_members_of_a_class_are_learned_from_as_far_as_harmless_words_are_known(session):
    session.settle_class("titles", "NAME")
    answers, members = session.answers, session.classes["titles"].tokens
    assert (answers.sensitive[members] == 1).all()
    assert (answers.learned_from()[members] == UNKNOWN).all()
    place = session.place(*session.policy.windows[:2].tolist())
    session.window(place, [], random=True)
    known = session.answers.learned_from()
    others = members[~session.answers.looked_at[members]]
    harmless = int((session.answers.sensitive == 0).sum())
    assert harmless > 0
    assert (known[others] == 1).sum() == min(harmless, len(others))


def test_a_yes_to_a_convention_does_not_give_its_label_to_other_kinds(tmp_path):
    text = TEXT + "Sie wohnt Am Wehrhahn 28, 40211 Düsseldorf.\n"
    file = tmp_path / "letters.jsonl"
    file.write_text("\n".join(json.dumps({"id": str(n), "text": text}) for n in range(9)))
    start_project(file, tmp_path / "project", labels=LABELS)
    session = Session(tmp_path / "project", background=False)
    session.settle_class("titles", "NAME")
    session.settle()
    for words, label in (
        ("Düsseldorf", "LOCATION"),
        ("Am Wehrhahn 28", "LOCATION"),
        ("14.09.2039", "DATE"),
    ):
        assert session.label_at(3, text.index(words), text.index(words) + len(words)) == label
    session.close()
