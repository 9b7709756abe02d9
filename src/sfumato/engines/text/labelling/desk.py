"""A labelling project as the local page sees it: questions in their context, answers, releases, review."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ....core.errors import InputError, ParameterError
from ....core.storage.work_folder import WorkFolder
from ....data.document import Edit, Span
from ....desk.records import DocumentView, Passage, Question, Status
from ....presentation.language import retell
from .answers import Place
from .encoder_trainer import teacher_of
from .journal import Event
from .project import Project
from .questions import ProjectQuestion
from .releases import ProjectReleases, words_in
from .session import Session
from .status import status_of
from .word_classes import SHOWN

__all__ = ["TextDesk"]

_CONTEXT = 160  # characters on either side of what is asked
_PREVIEW = 40
_MOST_SHOWN = 200


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _seconds(given: Mapping[str, object]) -> float:
    """Return how long somebody looked at a question, at most ten minutes; 0 where that is not known."""
    value = given.get("seconds")
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 600:
        return 0.0
    return float(value)


def _share(value: object) -> float:
    """Return a share as the page sends it; 0, which is refused, where it is no number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _rows(value: object) -> list[list[object]]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise TypeError
    return value


class TextDesk(ProjectReleases):
    """Labels documents.

    Parameters
    ----------
    folder : Path
        The project.

    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # A start that was killed right after the project had appeared left the folder it worked in.
        WorkFolder(folder).recover_if_left()
        project = Project(folder)
        teacher, self._note = teacher_of(project)
        self.session = Session(project, teacher=teacher)
        self.session.check()
        self._undone: Event | None = None  # what was taken back is asked again first

    def notes(self) -> Sequence[str]:
        """Return who learns from the answers."""
        return (self._note,)

    @property
    def labels(self) -> Sequence[str]:
        return self.session.labels

    # --- questions ----------------------------------------------------------------------------

    def question(self, asking: str) -> Question:
        """Return the next question with its context."""
        session = self.session
        if asking == "second":
            found = session.second_question()
        elif asking == "audit":
            found = session.asker.random_window(session.answers.done)
        else:
            found = self._asked_again() or session.question(asking)
        if found is None:
            return {"kind": "none"}
        if found.kind == "class":
            return self._about_class(found)
        document, first, last = session.place(found.first, found.last)
        text = session.documents[document].text
        low, high = self._around(text, first, last)
        asked: Question = {
            "kind": found.kind,
            "random": found.random,
            "doc": document,
            "id": session.documents[document].id,
            "first": first,
            "last": last,
            "offset": low,
            "text": text[low:high],
            "words": words_in(self.session, document, low, high),
            "number": session.answers.count + 1,
        }
        if found.kind == "window":
            asked["spans"] = [
                [max(s.start, first), min(s.end, last), s.label]
                for s in self._proposed(document, asking)
                if s.start < last and first < s.end
            ]
            return asked
        score = float(session.scores[found.first : found.last].max())
        place = (document, first, last)
        asked["label"] = session.label_at(document, first, last)
        asked["chance"] = 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))
        asked["like"] = {
            "yes": len(session.like(place, sensitive=True)),
            "no": len(session.like(place, sensitive=False)),
        }
        return asked

    def _proposed(self, document: int, asking: str) -> Sequence[Span | Edit]:
        """Return what is marked in a window before it is read: in an audit what the last release redacts."""
        if asking == "second":
            return ()
        if asking == "audit" and self.released_candidate is not None:
            edits = self._release().edits_of(self.session.documents[document])
            return [edit for edit in edits if edit.label in self.labels]
        return self.session.spans(document)

    def _about_class(self, asked: ProjectQuestion) -> Question:
        """Return the question about a class of words: what it holds, how often, and some of its members."""
        session = self.session
        words = session.classes.by_number(asked.class_number)
        shown = zip(words.first[:SHOWN].tolist(), words.last[:SHOWN].tolist(), strict=True)
        examples = [session.place(first, last) for first, last in shown]
        document, first, last = examples[0]
        return {
            "kind": "class",
            "doc": document,
            "first": first,
            "last": last,
            "number": session.answers.count + 1,
            "label": words.label or session.label_at(document, first, last),
            "class_key": words.key,
            "title": retell(words.title),
            "asks": retell(words.asks),
            "count": len(words),
            "examples": [self._passage(place) for place in examples],
            "proposed": "" if words.asks else session.place_labels.proposed_at(examples[0]),
        }

    def _asked_again(self) -> ProjectQuestion | None:
        """Return the question whose answer was taken back last, until it is answered."""
        event = self._undone
        if event is None:
            return None
        sheet, asker = self.session.sheet, self.session.asker
        if event["do"] == "class":
            number = list(self.session.classes).index(event["key"])
            return ProjectQuestion("class", 0, 0, 0, class_number=number)
        window = event["do"] == "window"
        place: Place
        if event["do"] == "mark":
            document, first, last = event["places"][0]
            place = document, first, last
        else:
            place = event["doc"], event["first"], event["last"]
        tokens = sheet.tokens_of(place)
        number = asker.window_of(tokens.start)
        return ProjectQuestion("window" if window else "word", tokens.start, tokens.stop, number, random=window and event["random"])  # fmt: skip

    @staticmethod
    def _around(text: str, first: int, last: int) -> tuple[int, int]:
        """Return the bounds of the context, cut at white space."""
        low, high = max(0, first - _CONTEXT), min(len(text), last + _CONTEXT)
        if low:
            space = re.search(r"\s", text[low:first])
            low += space.end() if space else 0
        if high < len(text):
            cut = max(text.rfind(" ", last, high), text.rfind("\n", last, high))
            high = cut if cut > last else high
        return low, high

    def _place(self, given: Mapping[str, object]) -> Place:
        try:
            place = _number(given["doc"]), _number(given["first"]), _number(given["last"])
        except (KeyError, TypeError):
            raise ParameterError("An answer needs a place: doc, first and last.") from None
        self._check_place(place)
        return place

    def _check_place(self, place: Place) -> None:
        document, first, last = place
        documents = self.session.documents
        if not 0 <= document < len(documents) or not 0 <= first < last <= len(documents[document].text):  # fmt: skip
            raise ParameterError("There is no such place in the documents.")

    def answer(self, given: Mapping[str, object]) -> None:
        """Keep an answer."""
        what = given.get("do")
        session = self.session
        if what == "undo":
            taken = session.undo()
            self._undone = None if taken is None or taken.get("reader") == 2 else taken
            return
        if what == "want":
            session.want(str(given.get("label") or ""), _share(given.get("share")))
            return
        place = self._place(given)
        self._check_current(given)
        seconds = _seconds(given)
        if given.get("by") != "review":
            self._undone = None
        if what == "class":
            label = str(given.get("label") or "")
            mixed = given.get("mixed") is True
            session.settle_class(str(given.get("class_key")), label, mixed=mixed, seconds=seconds)
        elif what == "skip":
            session.skip(place)
        elif what == "window":
            reader = 2 if given.get("asking") == "second" else 1
            drawn = self._is_drawn(place, reader)
            spans = self._spans(given, place)
            session.window(place, spans, random=drawn, reader=reader, seconds=seconds)
        elif what == "mark":
            label = str(given.get("label") or "")
            places = [place]
            if given.get("like"):
                struck = self._struck(given)
                like = session.like(place, sensitive=bool(label))
                places += [p for p in like if p not in struck]
            who = "review" if given.get("by") == "review" else "question"
            exact = bool(given.get("exact", True))
            session.mark(places, label or None, exact=exact, by=who, seconds=seconds)
        else:
            raise ParameterError("There is no such answer.")

    def _check_current(self, given: Mapping[str, object]) -> None:
        """Refuse an answer to a question that another tab has answered: two tabs are one session."""
        number = given.get("number")
        if isinstance(number, int) and number != self.session.answers.count + 1:
            raise InputError(
                "This question was answered already, in another tab or before it was taken back.",
                hint="here is the next one.",
            )

    def _is_drawn(self, place: Place, reader: int) -> bool:
        """Return whether a window is the one that the random order has next; a page may say what it likes.

        Only such windows tell the risk. The order is drawn once and skips what is done, so that nobody who
        answers can choose what counts. A second reader reads what the first one was drawn.
        """
        session = self.session
        with session.lock:
            if reader == 2:
                bounds = [session.asker.windows[n : n + 2].tolist() for n in session.answers.drawn]
                if place not in [session.place(*each) for each in bounds]:
                    raise ParameterError("That window is not among those for a second reader.")
                return True
            drawn = session.asker.random_window(session.answers.done)
            return drawn is not None and session.place(drawn.first, drawn.last) == place

    @staticmethod
    def _spans(given: Mapping[str, object], place: Place) -> list[tuple[int, int, str]]:
        """Return the spans of a window; all are inside it."""
        try:
            spans = [(_number(a), _number(b), str(label)) for a, b, label in _rows(given.get("spans", []))]  # fmt: skip
        except (TypeError, ValueError):
            raise ParameterError("The spans of a window are [first, last, label].") from None
        if not all(place[1] <= first < last <= place[2] for first, last, _ in spans):
            raise ParameterError("The spans of a window lie in it.")
        return spans

    @staticmethod
    def _struck(given: Mapping[str, object]) -> set[tuple[int, ...]]:
        try:
            return {tuple(map(_number, row)) for row in _rows(given.get("struck", []))}
        except TypeError:
            raise ParameterError("Places that are struck out are [doc, first, last].") from None

    def like(self, given: Mapping[str, object]) -> list[Passage]:
        """Return the places that the same answer settles, each with a little context."""
        places = self.session.like(self._place(given), sensitive=bool(given.get("label")))
        return [self._passage(place) for place in places[:_MOST_SHOWN]]

    def _passage(self, place: Place) -> Passage:
        """Return a place with a little context."""
        document, first, last = place
        text = self.session.documents[document].text
        return {
            "place": [document, first, last],
            "before": text[max(0, first - _PREVIEW) : first],
            "words": text[first:last],
            "after": text[last : last + _PREVIEW],
        }

    def document(self, number: int, ratio: float | None = None) -> DocumentView:
        """Return a document with its spans, and the same text as it would be published."""
        if not 0 <= number < len(self.session.documents):
            raise InputError("There is no such document.")
        document = self.session.documents[number]
        if ratio is not None and not 0.0 < ratio < math.inf:
            raise ParameterError("A ratio is a number above 0.")
        spans = self.session.spans(number, ratio=ratio)
        return {
            "doc": number,
            "id": document.id,
            "text": document.text,
            "words": words_in(self.session, number, 0, len(document.text)),
            "spans": [
                [s.start, s.end, s.label, None if s.score is None else 1 / (1 + math.exp(-s.score))]
                for s in spans
            ],
        }

    def status(self) -> Status:
        """Return counts, the estimate and the stop rule's verdict."""
        return status_of(self.session)

    def close(self) -> None:
        """End the background refits and release the journal."""
        self.session.close()
