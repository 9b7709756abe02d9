"""A simulated person at the desk, for this tree and for an earlier one: what a session of so many minutes leaves.

`python _desk_player.py JOB` reads a job (documents with gold labels, a way, minutes, a reader) and prints JSON. It
imports nothing but what both trees have. The seconds of a person are a model: .25 s for each word that is read, 3 s
for a question about a word, 2 s more where bounds or label are changed, 3 s for a span that is marked by hand, 1.5 s
for one that is taken away, 2 s for "all like this", 8 s for a class or a convention, 1 s for "done".
"""

from __future__ import annotations

import inspect
import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.document import Document, Span
from sfumato.engines.text.labelling.project import start_project
from sfumato.engines.text.labelling.session import Session
from sfumato.engines.text.learners.protocol import cost_threshold
from sfumato.engines.text.reading.tokens import labels_from_spans

READ, WORD, CHANGE, MARK, REMOVE, LIKE, CLASS, DONE = 0.25, 3.0, 2.0, 3.0, 1.5, 2.0, 8.0, 1.0
SHOWN = 8
BATCH = 12  # answers between two fits: a page fits after each, which only helps


class Person:
    """Answers from gold labels, misses some spans, and counts seconds.

    What was missed once is missed again: the same eyes read it.
    """

    def __init__(
        self, session: Any, gold: list[Document], labels: list[str], misses: float, seed: int
    ) -> None:
        self.session, self.labels = session, labels
        random = np.random.default_rng(seed)
        self.truth = labels_from_spans(gold, session.tokens, labels)
        self.seen = [
            [s for s in d.spans if s.label in labels and random.random() >= misses] for d in gold
        ]
        self.counted = session.pool.data.counted
        self.seconds = 0.0
        self.kinds: dict[str, int] = {}
        self.word_questions = self.word_no = self.twice = 0
        self.asked: set[tuple[str, int, int, int]] = set()

    def _gold(self, place: tuple[int, int, int]) -> list[Span]:
        document, first, last = place
        return [s for s in self.seen[document] if s.start < last and first < s.end]

    def _took(self, seconds: float) -> dict[str, float]:
        self.seconds += seconds
        return {"seconds": seconds} if hasattr(self.session, "settle_class") else {}

    def _count(self, kind: str, place: tuple[int, int, int]) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        key = (kind, *place)
        self.twice += key in self.asked
        self.asked.add(key)

    def read_window(
        self, place: tuple[int, int, int], *, random: bool, proposals: bool = True
    ) -> None:
        document, first, last = place
        tokens = self.session.sheet.tokens_of(place)
        gold = [(max(s.start, first), min(s.end, last), s.label) for s in self._gold(place)]
        shown = [
            (max(s.start, first), min(s.end, last), s.label)
            for s in (self.session.spans(document) if proposals else ())
            if s.start < last and first < s.end
        ]
        seconds = DONE + READ * int(self.counted[tokens].sum())
        for one in gold:
            if one not in shown:
                seconds += CHANGE if any(a < one[1] and one[0] < b for a, b, _ in shown) else MARK
        seconds += REMOVE * sum(not any(a < e and s < b for s, e, _ in gold) for a, b, _ in shown)
        self._count("window", place)
        self.session.window(place, gold, random=random, **self._took(seconds))

    def _word(self, place: tuple[int, int, int]) -> None:
        session = self.session
        gold = self._gold(place)
        self._count("word", place)
        self.word_questions += 1
        if not gold:
            self.word_no += 1
            like = session.like(place, sensitive=False)
            session.mark([place, *like], None, **self._took(WORD + LIKE * bool(like)))
            return
        span = gold[0]
        exact = (place[0], span.start, span.end)
        like = session.like(exact, sensitive=True)
        changed = exact != place or session.label_at(*exact) != span.label
        took = self._took(WORD + CHANGE * changed + LIKE * bool(like))
        session.mark([exact, *like], span.label, **took)

    def _class(self, number: int) -> None:
        session = self.session
        words = session.classes.by_number(number)
        places = [session.place(a, b) for a, b in zip(words.first[:SHOWN].tolist(), words.last[:SHOWN].tolist(), strict=True)]  # fmt: skip
        said = []
        for place in places:
            labels = {s.label for s in self._gold(place)}
            said.append(next(iter(labels)) if len(labels) == 1 else "" if not labels else "?")
        alike = len(set(said)) == 1 and said[0] != "?"
        if words.asks and not alike:  # a convention is told by what holds in most cases
            most = max(set(said), key=said.count)
            alike = said.count(most) >= 0.75 * len(said) and most != "?"
            said = [most]
        self._count("convention" if words.asks else "class", (0, number, 0))
        took = self._took(CLASS)
        session.settle_class(
            words.key, (said[0] or None) if alike else None, mixed=not alike, **took
        )

    def answer(self, question: Any) -> None:
        if question.kind == "class":
            self._class(question.class_number)
            return
        place = self.session.place(question.first, question.last)
        if question.kind == "window":
            self.read_window(place, random=question.random)
        else:
            self._word(place)


def judged(session: Any, person: Person) -> dict[str, Any]:
    """Return what a release of the project's own documents would leave, all labels and each.

    A release redacts what was marked and what the model finds, in both trees: an answer "no" is learned from, but
    publishes nothing by itself, unless it was given in the review or to a convention.
    """
    labels = person.labels
    redacted = [
        Document(d.id, d.text, tuple(session.spans(number)))
        for number, d in enumerate(session.documents)
    ]
    found = labels_from_spans(redacted, session.tokens, labels)
    counted, truth = person.counted, person.truth
    answers = session.answers
    cleared = getattr(answers, "cleared", np.zeros(len(truth), np.bool_))
    threshold = cost_threshold(session.record.ratio)
    gone = (found > 0) | ((answers.known == 0) & ~cleared & (session.scores >= threshold))  # fmt: skip
    sensitive = counted & (truth > 0)
    left, false = sensitive & ~gone, counted & (truth == 0) & gone
    hidden = sensitive & (found > 0)
    row = {
        "T": 10 * int(left.sum()) + int(false.sum()),
        "left": round(int(left.sum()) / max(int(sensitive.sum()), 1), 4),
        "right_label": round(int((hidden & (found == truth)).sum()) / max(int(hidden.sum()), 1), 4),
        "by_label": {
            label: round(
                int((left & (truth == k)).sum()) / int((sensitive & (truth == k)).sum()), 4
            )
            for k, label in enumerate(labels, 1)
            if (sensitive & (truth == k)).any()
        },
    }
    estimate = session.estimate
    if estimate is not None and estimate.sensitive:
        row |= {"low": round(estimate.low, 4), "high": round(estimate.high, 4)}
    return row


def played(job: dict[str, Any]) -> dict[str, Any]:
    gold = [
        Document(d["id"], d["text"], tuple(Span(a, b, label) for a, b, label in d["spans"]))
        for d in job["documents"]
    ]
    use_starter(job.get("starter"))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        lines = (json.dumps({"id": d.id, "text": d.text}) for d in gold)
        (folder / "texts.jsonl").write_text("\n".join(lines), encoding="utf-8")
        begin(folder, job["labels"], job.get("project_seed", 0))
        session = Session(folder / "project", background=False)
        person = Person(session, gold, job["labels"], job["misses"], job["seed"])
        rows = _minutes(session, person, job)
        session.close()
    return {
        "rows": rows, "questions": person.kinds, "word_questions": person.word_questions,
        "word_no": person.word_no, "asked_twice": person.twice,
    }  # fmt: skip


def begin(folder: Path, labels: list[str], seed: int) -> None:
    """Start a project, whose seed decides which windows are drawn."""
    given: dict[str, Any] = {"seed": seed}
    if "aims" in inspect.signature(start_project).parameters:
        from sfumato.engines.text.labelling.project import LabellingAims

        given = {"aims": LabellingAims(seed=seed)}
    start_project(folder / "texts.jsonl", folder / "project", labels=labels, **given)


def use_starter(path: str | None) -> None:
    """Let a project start with a starter that was learned without the corpus."""
    if path is None:
        return
    from sfumato.engines.text.labelling import first_proposals
    from sfumato.engines.text.starter.weights import Starter

    first_proposals.packaged_starter = lambda: Starter.load(Path(path))  # type: ignore[attr-defined]


def _minutes(session: Any, person: Person, job: dict[str, Any]) -> list[dict[str, Any]]:
    order = np.random.default_rng(job["seed"]).permutation(len(session.documents)).tolist()
    stops, rows, answers = [60.0 * m for m in job["minutes"]], [], 0
    exhausted = False
    while stops:
        if person.seconds >= stops[0] or exhausted:
            session.refit()
            rows.append({"minutes": stops.pop(0) / 60, "seconds": round(person.seconds), **judged(session, person)})  # fmt: skip
            continue
        if job["way"] == "documents":
            number = order.pop() if order else None
            exhausted = number is None
            if number is not None and session.documents[number].text.strip():
                text = session.documents[number].text
                person.read_window((number, 0, len(text)), random=False, proposals=False)
        else:
            question = session.question()
            exhausted = question is None
            if question is not None:
                person.answer(question)
        answers += 1
        if answers % BATCH == 0:
            session.refit()
    return rows


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    print(json.dumps(played(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
