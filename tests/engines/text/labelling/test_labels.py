"""Labels of a project: names in seven languages, proposals of each, and what is one thing stays one thing."""

import json

import numpy as np
import pytest

import sfumato as sf
from sfumato.core.engine import Call
from sfumato.data.document import Document, Span
from sfumato.engines.text.engine import ENGINE
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.publication import explore_answers
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.reading.features import TokenData
from sfumato.engines.text.reading.label_kinds import kind_of, matching_labels, same_kind
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.rules import ChosenRules, built_in
from sfumato.engines.text.rules.whole_matches import unite_matches
from sfumato.engines.text.verb_requests import StartRequest

from .answering import request_of

LETTERS = [
    f"Herr Jonas Albers, geb. am {d}.03.1954, wurde am {d}.09.2039 entlassen.\n"
    f"Rückfragen: jonas.albers{d}@example.org oder Tel. 0699-150998{d}.\nMit freundlichen Grüßen\nDr.med. Bernwart Schulze"
    for d in range(10, 22)
]


@pytest.fixture
def letters(tmp_path):
    file = tmp_path / "briefe.jsonl"
    file.write_text("\n".join(json.dumps({"id": str(n), "text": t}) for n, t in enumerate(LETTERS)))
    return file


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        ("Datum", "DATE"), ("Ort", "LOCATION"), ("Nombre", "NAME"), ("prénom", "NAME"), ("Età", "AGE"),
        ("Telefoon", "PHONE"), ("endereço", "LOCATION"), ("NAME_PATIENT", "NAME"), ("HOSPITAL_NAME", "ORGANIZATION"),
        ("PATIENT-ID", "ID"), ("FECHA_NACIMIENTO", "DATE"), ("DIAGNOSIS", None), ("Straße", "LOCATION"),
        ("SEXO_SUJETO_ASISTENCIA", "SEX"), ("Angehörige", "FAMILY"), ("MEDICAL_RECORD_NUMBER", "ID"),
        ("PATIENT_NUMBER", "ID"), ("Telefon_Nummer", "PHONE"), ("Versichertennummer", "ID"), ("Handynummer", "PHONE"),
        ("Hausnummer", "LOCATION"), ("Aufnahmedatum", "DATE"), ("IP_ADDRESS", "IP"), ("NO_ENTITY", None),
    ],
)  # fmt: skip
def test_label_names_are_understood(label, kind):
    assert kind_of(label) == kind
    assert kind is None or same_kind(label, kind)


def test_of_several_labels_for_numbers_a_match_gets_the_one_that_is_named_before_it():
    labels = ("ACCOUNT_NUMBER", "MEDICAL_RECORD_NUMBER", "SOCIAL_SECURITY_NUMBER", "IP_ADDRESS")
    text = "Account no. 55443322, SSN 123-45-6789; MRN: 9988776 from 192.168.7.21. Policy 12345678."
    found = ChosenRules(built_in(["en"]), labels).find(text)
    assert [(text[s.start : s.end], s.label) for s in found] == [
        ("55443322", "ACCOUNT_NUMBER"), ("123-45-6789", "SOCIAL_SECURITY_NUMBER"),
        ("9988776", "MEDICAL_RECORD_NUMBER"), ("192.168.7.21", "IP_ADDRESS"), ("12345678", "ACCOUNT_NUMBER"),
    ]  # fmt: skip


def test_a_wider_label_takes_what_no_other_label_does():
    assert matching_labels({"PHONE", "EMAIL", "URL"}, ["CONTACT"]) == dict.fromkeys(
        ("PHONE", "EMAIL", "URL"), "CONTACT"
    )
    assert matching_labels({"PHONE", "EMAIL"}, ["Kontakt", "Email"]) == {
        "PHONE": "Kontakt", "EMAIL": "Email"
    }  # fmt: skip


def test_start_tells_the_proposals_of_each_label_and_warns_of_none(letters, tmp_path):
    said = []
    request = StartRequest(documents=letters, labels=["Name", "Datum", "KONTAKT", "Fantasie"])
    verb = next(v for v in ENGINE.verbs() if v.name == "start")
    record = verb.run(request, Call(tmp_path / "project", say=said.append))
    counts = record["proposals_by_label"]
    assert counts["Name"] >= 12
    assert counts["Datum"] >= 24
    assert counts["KONTAKT"] >= 24
    assert counts["Fantasie"] == 0
    assert any(line.startswith("warning: nothing is proposed for Fantasie:") for line in said)
    assert any("The starter is silent" in line for line in said)


def test_names_end_with_their_line_and_titles_are_none():
    text = "Mike Marschollek\nKantstraße 5\nDr.med. Bernwart Schulze\nFrau Kollegin Dr. Meier"
    found = {text[s.start : s.end] for s in built_in(("de",)).find(text, labels=["NAME"])}
    assert found == {"Mike Marschollek", "Bernwart Schulze", "Meier"}
    note = "Provider: Ann Smith\n\nShe started her periods."
    assert [note[s.start : s.end] for s in built_in(("en",)).find(note, labels=["NAME"])] == ["Ann Smith"]  # fmt: skip


def test_an_address_is_one_span_on_the_page_and_in_the_release(letters, tmp_path):
    start_project(letters, tmp_path / "project", labels=["NAME", "DATE", "CONTACT"])
    session = Session(tmp_path / "project", background=False)
    try:
        text = LETTERS[0]
        for thing, label in (("jonas.albers10@example.org", "CONTACT"), ("10.09.2039", "DATE")):
            first = text.index(thing)
            last = first + len(thing)
            (shown,) = [x for x in session.spans(0) if x.start < last and first < x.end]
            assert (shown.label, shown.start <= first, last <= shown.end) == (label, True, True)
        explore_answers(session, request_of(session, [10.0])).save(tmp_path / "frontier")
    finally:
        session.close()
    published = sf.text.publish(tmp_path / "frontier", tmp_path / "project", ratio=10)
    for document in published:
        assert "@" not in document.text
        assert "example" not in document.text
        assert "2039" not in document.text
        assert "[CONTACT][" not in document.text  # not in pieces of several labels


def test_no_punctuation_mark_becomes_a_name(letters, tmp_path):
    """Every span of the page and of its release holds a letter or a digit."""
    start_project(letters, tmp_path / "project", labels=["NAME", "DATE", "CONTACT"])
    session = Session(tmp_path / "project", background=False)
    text = LETTERS[0]
    at = text.index("Jonas Albers")
    session.mark([(0, at, at + 12)], "NAME")
    session.refit()
    explored = explore_answers(session, request_of(session, [100.0]))
    spans = [(d.text, s) for d in session.documents for s in explored.spans(d, 100.0)]
    spans += [(d.text, s) for i, d in enumerate(session.documents) for s in session.spans(i, ratio=100.0)]  # fmt: skip
    assert len(spans) > 50
    for text, span in spans:
        inside = text[span.start : span.end]
        assert any(c.isalnum() for c in inside), inside
        assert "\n" not in inside
    session.close()


def test_words_that_look_alike_get_the_label_that_people_gave(letters, tmp_path):
    start_project(letters, tmp_path / "project", labels=["NAME", "DATE", "CASE"])
    session = Session(tmp_path / "project", background=False)
    try:
        text = LETTERS[0]
        at = text.index("1509")
        session.mark([(0, at, at + 8)], "CASE")
        session.refit()
        other = LETTERS[1].index("1509")
        assert session.label_at(1, other, other + 8) == "CASE"
        assert np.count_nonzero(session.answers.known > 0) == 1
    finally:
        session.close()


def test_a_whole_match_has_the_closer_name_that_its_words_were_given():
    """A rule for identifiers does not rename record numbers; a name inside an address does not rename that."""
    text = "MRN 4481-220, mail anna.berg@example.org"
    vocabulary = Vocabulary()
    tokens = tokenize([text], vocabulary)
    data = TokenData.of(tokens, vocabulary)
    labels = ["NAME", "ID", "MEDICAL_RECORD_NUMBER", "EMAIL"]
    at = text.index("anna")
    found = [Document("", text, [Span(4, 12, "ID", 0.6), Span(at, len(text), "EMAIL", 0.9)])]
    given = [Span(4, 8, "MEDICAL_RECORD_NUMBER"), Span(at, at + 9, "NAME")]
    decided = labels_from_spans([Document("", text, given)], tokens, labels)
    united = unite_matches(decided, found, data, labels)
    expected = [Span(4, 12, "MEDICAL_RECORD_NUMBER"), Span(at, len(text), "EMAIL")]
    assert (
        united.tolist()
        == labels_from_spans([Document("", text, expected)], tokens, labels).tolist()
    )


def test_a_line_break_ends_what_stands_beside_a_span(tmp_path):
    """The town that ends one line of a letterhead stays open when the street of the next is marked."""
    text = "Klinikum Osterloh\nHafenstieg 5, 24103 Kiel\nTel. 0431 77"
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", "text": text}), encoding="utf-8")
    start_project(tmp_path / "a.jsonl", tmp_path / "p", labels=["LOCATION", "PHONE"])
    session = Session(tmp_path / "p", background=False)
    first = text.index("Hafenstieg")
    session.mark([(0, first, first + 12)], "LOCATION")
    known = session.answers.known
    places = {text[slice(*session.place(i, i + 1)[1:])]: int(known[i]) for i in range(len(known))}
    assert places["Osterloh"] == -1
    assert places["Hafenstieg"] == places["5"] == 1
    assert places[","] == 0
    session.close()


def test_a_span_on_the_page_ends_with_its_line(tmp_path):
    text = "Klinikum Osterloh\nHafenstieg 5, 24103 Kiel"
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", "text": text}), encoding="utf-8")
    start_project(tmp_path / "a.jsonl", tmp_path / "p", labels=["LOCATION"])
    session = Session(tmp_path / "p", background=False)
    session.window((0, 0, len(text)), [(0, len(text), "LOCATION")])
    shown = [text[s.start : s.end] for s in session.spans(0)]
    assert shown == text.split("\n")
    session.close()


def test_the_page_shows_the_labels_of_the_release(letters, tmp_path):
    """A telephone number, a street or a clinic is called on the page what it will be called in the file."""
    start_project(letters, tmp_path / "project", labels=["NAME", "DATE", "PHONE", "EMAIL"])
    session = Session(tmp_path / "project", background=False)
    for number in range(3):
        text = LETTERS[number]
        words = [("Jonas Albers", "NAME"), (f"0699-1509981{number}", "PHONE"), (f"jonas.albers1{number}@example.org", "EMAIL"),
                 (f"1{number}.03.1954", "DATE"), (f"1{number}.09.2039", "DATE"), ("Bernwart Schulze", "NAME")]  # fmt: skip
        spans = [(text.index(word), text.index(word) + len(word), label) for word, label in words]
        session.window((number, 0, len(text)), spans, random=False)
    session.refit()
    explored = explore_answers(session, request_of(session, [10.0]))
    compared = 0
    for number, marked in enumerate(session.known_spans()):
        page = labels_from_spans([Document("", marked.text, session.spans(number))], *own(marked), session.labels)  # fmt: skip
        release = labels_from_spans([Document("", marked.text, explored.spans(marked, 10.0))], *own(marked), session.labels)  # fmt: skip
        both = (page > 0) & (release > 0)
        assert (page == release)[both].all()
        compared += int(both.sum()) if number >= 3 else 0
    assert compared > 50
    session.close()


def own(document):
    """The tokens of one document."""
    return (tokenize([document.text], Vocabulary()),)
