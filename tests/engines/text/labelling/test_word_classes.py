"""Numbers and words of one form are asked about as one class, and one answer speaks for all of them."""

import numpy as np
import pytest

from sfumato.core.errors import ParameterError
from sfumato.data.samples import discharge_letters
from sfumato.engines.text.labelling.desk import TextDesk
from sfumato.engines.text.labelling.questions import ProjectQuestion
from sfumato.engines.text.labelling.status import status_of
from sfumato.engines.text.labelling.word_classes import SHOWN
from sfumato.engines.text.learners.partial import UNKNOWN

from . import answering

LABELS = ["NAME", "DATE", "LOCATION", "ID", "PHONE", "AGE"]


@pytest.fixture(scope="module")
def letters():
    return discharge_letters(20, seed=5)


@pytest.fixture
def project(letters, tmp_path):
    return answering.write_project(letters, tmp_path, LABELS)


def texts_of(session, words):
    places = [session.place(a, b) for a, b in zip(words.first.tolist(), words.last.tolist(), strict=True)]  # fmt: skip
    return [session.documents[d].text[a:b] for d, a, b in places]


def test_members_of_a_class_are_written_alike(session):
    by_key = {key: texts_of(session, words) for key, words in session.classes.items()}
    dates = [texts for key, texts in by_key.items() if key.startswith("9.9.9999|")]
    assert dates
    assert all(t.count(".") == 2 and t.replace(".", "").isdigit() for texts in dates for t in texts)
    assert all(t.islower() and t.isalpha() for t in by_key["small"])
    values = next(texts for key, texts in by_key.items() if key.startswith("9,9|"))
    assert len(set(values[:SHOWN])) == len(values[:SHOWN])  # different ones first


def test_a_yes_holds_for_all_members_and_undo_takes_it_back(session, project):
    key = next(k for k in session.classes if k.startswith("9.9.9999|"))
    members = session.classes[key].tokens
    session.settle_class(key, "DATE", seconds=6.0)
    code = LABELS.index("DATE") + 1
    assert (session.answers.known[members] == code).all()
    assert len(session.journal) == 1  # one answer
    kept = session.answers.known.copy()
    replayed = session.sheet.replayed(session.journal)
    assert np.array_equal(replayed.known, kept)
    assert replayed.classes == {key: code}
    assert session.undo()["key"] == key
    assert (session.answers.known == UNKNOWN).all()
    assert not session.answers.classes


def test_a_no_is_learned_from_some_and_nobody_is_asked_about_the_others(session):
    words = session.classes["small"]
    session.settle_class("small", None)
    known = session.answers.known[words.tokens]
    assert 0 < np.count_nonzero(known == 0) < len(words)
    assert np.count_nonzero(known > 0) == 0
    nothing = np.zeros(len(session.tokens), bool)
    assert session.answers.not_to_ask(session.classes, nothing)[words.tokens].all()
    likely = nothing.copy()
    likely[words.tokens[-1]] = True  # where the model learns better, it asks again
    asked = ~session.answers.not_to_ask(session.classes, likely)[words.tokens]
    assert words.tokens[asked].tolist() == [words.tokens[-1]]
    assert not session.answers.cleared.any()  # a model that is sure of a name still redacts it


def test_windows_still_show_the_words_of_a_class_that_is_called_harmless(session):
    session.settle_class("small", None)
    words, known = session.classes["small"].tokens, session.answers.sensitive
    window = session.policy.window_of(int(words[known[words] == UNKNOWN][-1]))
    first, last = session.policy.windows[window : window + 2].tolist()
    scores = np.full(len(session.tokens), -12.0)
    inside = words[(words >= first) & (words < last) & (known[words] == UNKNOWN)]
    scores[inside] = session.policy.threshold
    skipped = np.zeros(len(session.tokens), bool)
    skipped[words] = True

    def asked(asking):
        given = {"mark": 3.0, "window": 10.0, "class": 8.0}
        return session.policy.next(scores, known, asking=asking, skipped=skipped, seconds=given)

    for asking in ("cost", "windows"):
        question = asked(asking)
        assert (question.kind, question.first, question.last) == ("window", first, last)
    assert asked("attacker").kind == "word"
    assert asked("attacker").first not in inside


def test_an_answer_about_a_class_is_no_look_at_its_documents(session):
    one = next(c for c in session.classes.values() if len(c) > 8)
    session.settle_class(one.key, None)
    assert status_of(session)["documents_seen"] == 0
    place = session.place(int(one.first[0]), int(one.last[0]))
    session.mark([place], None)
    assert status_of(session)["documents_seen"] == 1
    session.undo()
    assert status_of(session)["documents_seen"] == 0


def test_what_was_said_of_a_word_itself_stays(session):
    key = next(k for k in session.classes if k.startswith("9.9.9999|"))
    words = session.classes[key]
    first = session.place(int(words.first[0]), int(words.last[0]))
    session.mark([first], None, exact=False)
    session.settle_class(key, "DATE")
    inside = session.sheet.tokens_of(first)
    assert (session.answers.known[inside] == 0).all()


def test_where_it_depends_words_are_asked_about_one_by_one(session):
    key = next(iter(session.classes))
    number = list(session.classes).index(key)
    open_before = session.classes.open(session.answers.sensitive, {})
    assert (open_before == number).any()
    session.settle_class(key, None, mixed=True)
    assert (session.answers.known == UNKNOWN).all()
    now = session.classes.open(session.answers.sensitive, session.answers.classes)
    assert not (now == number).any()
    with pytest.raises(ParameterError, match="no such class"):
        session.settle_class("8|8", None)


def test_most_questions_about_words_of_german_letters_are_not_answered_no(
    session, letters, monkeypatch
):
    monkeypatch.setattr(answering, "LABELS", LABELS)
    asked = []
    mark = session.mark

    def marked(places, label, **more):
        asked.append(label)
        return mark(places, label, **more)

    monkeypatch.setattr(session, "mark", marked)
    answering.answer(session, letters, 60)
    places = [tuple(e["places"][0]) for e in session.journal if e["do"] == "mark"]
    assert len(set(places)) == len(places) > 10  # none is asked twice
    assert asked.count(None) <= 0.6 * len(asked)
    assert any(event["do"] == "class" for event in session.journal)


def test_the_page_gets_a_class_with_examples_and_answers_it_once(project):
    desk = TextDesk(project)
    try:
        for _ in range(40):
            asked = desk.question("cost")
            if asked["kind"] == "class":
                break
            place = {key: asked[key] for key in ("doc", "first", "last", "number")}
            desk.answer({**place, "do": "window", "spans": asked["spans"]} if asked["kind"] == "window" else {**place, "do": "mark", "label": ""})  # fmt: skip
            desk.session.settle()
        assert asked["kind"] == "class"
        assert 0 < len(asked["examples"]) <= min(SHOWN, asked["count"])
        place = {key: asked[key] for key in ("doc", "first", "last", "number")}
        desk.answer({**place, "do": "class", "class_key": asked["class_key"], "label": "", "seconds": 5.0})  # fmt: skip
        assert desk.session.journal.events[-1]["seconds"] == 5
        desk.answer({"do": "undo"})
        assert desk.question("cost")["class_key"] == asked["class_key"]
    finally:
        desk.close()


def test_classes_of_one_form_are_told_apart_by_what_rules_propose(project):
    """Numbers that rules propose and numbers that they do not are two questions: the page says which is asked."""
    desk = TextDesk(project)
    try:
        session, told = desk.session, set()
        for number, (key, words) in enumerate(session.classes.items()):
            if words.asks:
                continue
            shown = desk._about_class(ProjectQuestion("class", 0, 0, 0, class_number=number))
            told.add((shown["title"], shown["proposed"]))
            assert bool(shown["proposed"]) == (not key.endswith("|0") and "|" in key)
        assert len(told) == sum(not words.asks for words in session.classes.values())
    finally:
        desk.close()
