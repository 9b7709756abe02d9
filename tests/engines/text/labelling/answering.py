"""A simulated steward: answers questions from the labels that the notes have."""

import json

from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.word_classes import SHOWN
from sfumato.engines.text.request import TextRequest

LABELS = ["NAME", "PHONE"]


def write_project(documents, folder, labels):
    """Write documents without their labels, and start a project of them; return its folder."""
    file = folder / "notes.jsonl"
    file.write_text("\n".join(json.dumps({"id": d.id, "text": d.text}) for d in documents))
    start_project(file, folder / "project", labels=labels)
    return folder / "project"


def request_of(session, ratios):
    """Return the request for a frontier of the answers."""
    return TextRequest(corpus=session.project.folder, labels=list(session.labels), ratios=ratios)


def gold_of(notes, place):
    document, first, last = place
    return [s for s in notes[document].spans if s.label in LABELS and s.start < last and first < s.end]  # fmt: skip


def settle_class(session, notes, number):
    """Answer about a class of words from the members that are shown: yes, no, or it depends."""
    words = session.classes.by_number(number)
    shown = zip(words.first[:SHOWN].tolist(), words.last[:SHOWN].tolist(), strict=True)
    said = {tuple(s.label for s in gold_of(notes, session.place(*one))) for one in shown}
    told = next(iter(said)) if len(said) == 1 else ("", "")
    session.settle_class(words.key, told[0] if told else None, mixed=len(told) > 1)


def tell_conventions(session):
    """Say that no title, weekday or clinic is part of anything."""
    while (number := session.classes.next_convention(session.answers.classes)) is not None:
        session.settle_class(session.classes.by_number(number).key, None)
    session.settle()


def answer(session, notes, times):
    """Answer questions from the notes' own labels."""
    for _ in range(times):
        question = session.question()
        if question.kind == "class":
            settle_class(session, notes, question.class_number)
            session.settle()
            continue
        place = session.place(question.first, question.last)
        gold = gold_of(notes, place)
        if question.kind == "window":
            _, first, last = place
            spans = [(max(s.start, first), min(s.end, last), s.label) for s in gold]
            session.window(place, spans, random=question.random)
        elif gold:
            span = gold[0]
            exact = (place[0], span.start, span.end)
            session.mark([exact, *session.like(exact, sensitive=True)], span.label)
        else:
            session.mark([place, *session.like(place, sensitive=False)], None)
        session.settle()
