"""A project at work: answers go in, the model is refitted in the background, the next question is ready."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.errors import InputError, ParameterError
from ....data.document import Document, Span
from ..learners.protocol import cost_threshold
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..reading.tokens import Vocabulary, labels_from_spans, tokenize
from ..rules.features import rule_place
from .estimate import Estimate, answers_to_go, audit_size, estimated, out_of_fold
from .journal import Event, Journal
from .partial import UNKNOWN, Fitted, PartialCRF, Pool
from .project import Project
from .questions import ASKING, EVERY, Asker, Question

__all__ = ["Answers", "Place", "Session"]

Place = tuple[int, int, int]
"""A document by number, and characters from and to (exclusive)."""


@dataclass
class Answers:
    """What the journal says so far, by token: −1 unknown, 0 harmless, i + 1 for the label i."""

    known: npt.NDArray[np.int16]
    skipped: Mask
    done: Mask
    drawn: list[int] = field(default_factory=list)
    count: int = 0
    second: dict[int, npt.NDArray[np.int16]] = field(default_factory=dict)
    """By window: what a second reader said, token by token."""


class Session:
    """An open project.

    Parameters
    ----------
    folder : path
        The project.
    background : bool, default True
        Whether the model is refitted in a thread of its own; otherwise `refit` does it.

    """

    def __init__(self, folder: str | os.PathLike[str], *, background: bool = True) -> None:
        self.project = Project(folder)
        self.record = self.project.record
        self.labels = self.record.labels
        self.documents = self.project.documents
        self.journal = Journal(self.project.journal_path)
        vocabulary = Vocabulary()
        self.tokens = tokenize([d.text for d in self.documents], vocabulary)
        self.starts, self.ends = self.tokens.char_offsets()
        proposed = [
            Document(d.id, d.text, spans)
            for d, spans in zip(self.documents, self.project.proposals, strict=True)
        ]
        place = rule_place(proposed, self.tokens)
        found = [
            Document(d.id, d.text, spans)
            for d, spans in zip(self.documents, self.project.found, strict=True)
        ]
        self._found = labels_from_spans(found, self.tokens, list(self.labels)) > 0
        self.pool = Pool(TokenData.of(self.tokens, vocabulary).with_places(place))
        self.asker = Asker(self.pool, ratio=self.record.ratio, seed=self.record.seed)
        self.learner = PartialCRF(start=self.project.start_model())
        self.lock = threading.RLock()
        self.answers = self._replayed()
        self.fitted: Fitted
        self.scores: Scores
        self.estimate: Estimate | None = None
        self.history: list[tuple[int, Estimate]] = []
        self._fitted_at = self._estimated_at = -1
        self.refit()
        self._wake = threading.Condition(self.lock)
        self._closed = False
        self._thread: threading.Thread | None = None
        if background:
            self._thread = threading.Thread(target=self._work, name="refit", daemon=True)
            self._thread.start()

    # --- answers ------------------------------------------------------------------------------

    def _empty(self) -> Answers:
        n = len(self.tokens)
        return Answers(
            np.full(n, UNKNOWN, np.int16),
            np.zeros(n, np.bool_),
            np.zeros(len(self.asker.windows) - 1, np.bool_),
        )

    def _replayed(self) -> Answers:
        found = self._empty()
        undone = {event["of"] for event in self.journal if event["do"] == "undo"}
        for event in self.journal:
            if event["n"] not in undone:
                self._apply(found, event)
        return found

    def _tokens_of(self, document: int, first: int, last: int) -> slice:
        if not 0 <= document < len(self.documents) or not 0 <= first < last:
            raise ParameterError("There is no such place in the documents.")
        low, high = self.tokens.doc[document : document + 2].tolist()
        a = low + int(np.searchsorted(self.ends[low:high], first, "right"))
        b = low + int(np.searchsorted(self.starts[low:high], last, "left"))
        return slice(a, max(a, b))

    def _code(self, label: str | None) -> int:
        if not label:
            return 0
        if label not in self.labels:
            raise ParameterError("There is no such label in this project.")
        return self.labels.index(label) + 1

    def _apply(self, answers: Answers, event: Event) -> None:
        what = event["do"]
        if what == "mark":
            code = self._code(event["label"])
            for document, first, last in event["places"]:
                answers.known[self._tokens_of(document, first, last)] = code
            if code and event.get("exact"):
                place = self._tokens_of(*event["places"][0])
                self._edges(answers, place)
            answers.count += 1
        elif what == "window":
            inside = self._tokens_of(event["doc"], event["first"], event["last"])
            windows = self.asker.windows
            low, high = np.searchsorted(windows, [inside.start, inside.stop])
            if event.get("reader") == 2:
                said = np.zeros(len(answers.known), np.int16)
                for first, last, label in event["spans"]:
                    said[self._tokens_of(event["doc"], first, last)] = self._code(label)
                answers.second[int(low)] = said[inside]
                return
            answers.known[inside] = 0
            for first, last, label in event["spans"]:
                answers.known[self._tokens_of(event["doc"], first, last)] = self._code(label)
            answers.done[low : max(low, high)] = True
            if event["random"]:
                answers.drawn.append(int(low))
            answers.count += 1
        elif what == "skip":
            answers.skipped[self._tokens_of(event["doc"], event["first"], event["last"])] = True

    def _edges(self, answers: Answers, place: slice) -> None:
        """The words beside a span whose bounds were confirmed are not part of it."""
        document = int(self.pool.data.document_of[place.start])
        low, high = self.tokens.doc[document : document + 2].tolist()
        for i in (place.start - 1, place.stop):
            if low <= i < high and answers.known[i] == UNKNOWN:
                answers.known[i] = 0

    def _give(self, event: Event) -> Event:
        with self.lock:
            self._apply(
                self._empty_like(), event
            )  # refuses what cannot be applied, before it is kept
            kept = self.journal.append(event)
            self._apply(self.answers, kept)
            self._wake.notify_all()
            return kept

    def _empty_like(self) -> Answers:
        a = self.answers
        return Answers(
            a.known.copy(), a.skipped.copy(), a.done.copy(), list(a.drawn), a.count, dict(a.second)
        )

    def mark(
        self,
        places: Sequence[Place],
        label: str | None,
        *,
        exact: bool = True,
        by: str = "question",
    ) -> Event:
        """Keep an answer: the places carry the label, or none.

        Parameters
        ----------
        places : sequence of Place
            The place that was asked about first, then those that are like it.
        label : str or None
            The label; None where the words are harmless.
        exact : bool, default True
            Whether the bounds of the first place were confirmed.
        by : {"question", "hand", "review"}
            How the answer came about.

        """
        if not places:
            raise ParameterError("An answer needs a place.")
        return self._give({
            "do": "mark", "label": label or "", "exact": bool(exact), "by": by,
            "places": [[int(d), int(a), int(b)] for d, a, b in places],
        })  # fmt: skip

    def window(
        self,
        place: Place,
        spans: Sequence[tuple[int, int, str]],
        *,
        random: bool = False,
        reader: int = 1,
    ) -> Event:
        """Keep a whole window: the spans carry their labels, every other word in it is harmless.

        What a second reader says is compared, and changes nothing else.
        """
        document, first, last = place
        event: Event = {
            "do": "window", "doc": int(document), "first": int(first), "last": int(last),
            "random": bool(random), "spans": [(int(a), int(b), str(label)) for a, b, label in spans],
        }  # fmt: skip
        return self._give({"reader": 2, **event} if reader == 2 else event)

    def skip(self, place: Place) -> Event:
        """Keep that a question was passed over; it does not come again."""
        document, first, last = place
        return self._give(
            {"do": "skip", "doc": int(document), "first": int(first), "last": int(last)}
        )

    def undo(self) -> Event | None:
        """Take the last answer back; return it, or None where there is none."""
        with self.lock:
            undone = {event["of"] for event in self.journal if event["do"] == "undo"}
            for event in reversed(self.journal.events):
                if event["do"] in ("mark", "window", "skip") and event["n"] not in undone:
                    self.journal.append({"do": "undo", "of": event["n"]})
                    self.answers = self._replayed()
                    self._wake.notify_all()
                    return event
            return None

    # --- the model ----------------------------------------------------------------------------

    def refit(self) -> None:
        """Fit the model to the answers, and the estimate where the answers have changed enough."""
        with self.lock:
            known = np.minimum(self.answers.known, 1).astype(np.int8)
            count, drawn = len(self.journal), list(self.answers.drawn)
            answers = self.answers.count
        fitted = self.learner.fit(self.pool, known, seed=self.record.seed)
        scores = fitted.scores()
        with self.lock:
            self.fitted, self.scores, self._fitted_at = fitted, scores, count
        if drawn and (self._estimated_at < 0 or answers >= self._estimated_at + EVERY):
            found = self._judged(known, drawn, cost_threshold(self.record.ratio))
            with self.lock:
                self.estimate, self._estimated_at = found, answers
                self.history.append((answers, found))

    def _judged(
        self, known: npt.NDArray[np.int8], drawn: Sequence[int], threshold: float
    ) -> Estimate:
        numbers = np.array(drawn, np.int64)
        where = self.pool.data.document_of[self.asker.windows[numbers]]
        scores = out_of_fold(self.learner, self.pool, known, where, seed=self.record.seed)
        return estimated(self.pool, scores, known, self.asker.windows, numbers, threshold)

    def _work(self) -> None:
        while True:
            with self._wake:
                while not self._closed and self._fitted_at == len(self.journal):
                    self._wake.wait()
                if self._closed:
                    return
            self.refit()

    def settle(self) -> None:
        """Wait until the model has seen every answer."""
        while self._fitted_at != len(self.journal):
            if self._thread is None:
                self.refit()
            else:
                threading.Event().wait(0.005)

    def close(self) -> None:
        """End the background work and release the journal."""
        with self._wake:
            self._closed = True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join()
        self.journal.close()

    # --- questions ----------------------------------------------------------------------------

    def question(self, asking: str = "cost") -> Question | None:
        """Return the next question; every fifth is a window drawn at random."""
        if asking not in ASKING:
            raise ParameterError.constraint(
                "asking", "question", f"one of {', '.join(ASKING)}", asking
            )
        with self.lock:
            answers, scores = self.answers, self.scores
            if answers.count % EVERY == 0:
                drawn = self.asker.random_window(answers.done)
                if drawn is not None:
                    return drawn
            known = np.minimum(answers.known, 1).astype(np.int8)
            return self.asker.next(
                scores, known, asking=asking, skipped=answers.skipped, found=self._found
            )

    def second_question(self) -> Question | None:
        """Return the next random window that the first reader has answered and the second has not."""
        with self.lock:
            for number in self.answers.drawn:
                if number not in self.answers.second:
                    first, last = self.asker.windows[number : number + 2].tolist()
                    return Question("window", first, last, number, random=True)
        return None

    def agreement(self) -> dict[str, object]:
        """Return in how many words of the windows that both have read the two readers agree."""
        same = words = both = either = 0
        with self.lock:
            for number, said in self.answers.second.items():
                low, high = self.asker.windows[number : number + 2].tolist()
                counted = self.pool.data.counted[low:high]
                known = self.answers.known[low:high]
                words += int(counted.sum())
                same += int((counted & (known == said)).sum())
                both += int((counted & (known > 0) & (said > 0)).sum())
                either += int((counted & ((known > 0) | (said > 0))).sum())
            windows = len(self.answers.second)
        return {
            "windows": windows, "words": words, "same": same, "sensitive_to_both": both,
            "sensitive_to_one": either,
        }  # fmt: skip

    def place(self, first: int, last: int) -> Place:
        """Return tokens `first` to `last` as a place in characters."""
        document = int(self.pool.data.document_of[first])
        return document, int(self.starts[first]), int(self.ends[last - 1])

    def like(self, place: Place, *, sensitive: bool) -> list[Place]:
        """Return the other places where the same words stand and the same answer follows."""
        with self.lock:
            tokens = self._tokens_of(*place)
            if tokens.start >= tokens.stop:
                return []
            known = np.minimum(self.answers.known, 1).astype(np.int8)
            known[tokens] = UNKNOWN
            starts = self.asker.like(
                tokens.start, tokens.stop, self.scores, known, sensitive=sensitive
            )
        size = tokens.stop - tokens.start
        return [self.place(int(s), int(s) + size) for s in starts]

    def spans(self, document: int, *, ratio: float | None = None) -> list[Span]:
        """Return what would be redacted in a document: answers first, then the model.

        A span's score is the model's log-odds; answers have none.
        """
        low, high = self.tokens.doc[document : document + 2].tolist()
        threshold = cost_threshold(ratio or self.record.ratio)
        with self.lock:
            known, scores = self.answers.known[low:high], self.scores[low:high]
        counted = self.pool.data.counted[low:high]
        hidden = (known > 0) | ((known == UNKNOWN) & (scores >= threshold) & counted)
        found: list[Span] = []
        i = 0
        while i < len(hidden):
            if not hidden[i]:
                i += 1
                continue
            j = i + 1
            while j < len(hidden) and hidden[j] and known[j] == known[i]:
                j += 1
            a, b = int(self.starts[low + i]), int(self.ends[low + j - 1])
            label = self.labels[known[i] - 1] if known[i] > 0 else self.label_at(document, a, b)
            score = None if known[i] > 0 else float(scores[i:j].max())
            found.append(Span(a, b, label, score))
            i = j
        return found

    def label_at(self, document: int, first: int, last: int) -> str:
        """Return the label that a place would get: of a proposal, of the same word, or the first one."""
        for span in (*self.project.proposals[document], *self.project.found[document]):
            if span.start < last and first < span.end:
                return span.label
        tokens = self._tokens_of(document, first, last)
        if tokens.start < tokens.stop:
            same = self.tokens.type == self.tokens.type[tokens.start]
            codes = self.answers.known[same & (self.answers.known > 0)]
            if len(codes):
                return self.labels[int(np.bincount(codes).argmax()) - 1]
        return self.labels[0]

    # --- where it stands ----------------------------------------------------------------------

    def status(self) -> dict[str, object]:
        """Return counts, the estimate with its range, and the verdict of the stop rule."""
        with self.lock:
            answers, scores, estimate = self.answers, self.scores, self.estimate
            history = list(self.history)
            known = answers.known.copy()
        open_words = self.pool.data.counted & (known == UNKNOWN)
        published = open_words & (scores < self.asker.threshold)
        chance = 1 / (1 + np.exp(-np.clip(scores[published], -50, 50)))
        touched = np.unique(self.pool.data.document_of[known != UNKNOWN])
        verdict, more = answers_to_go(
            [(n, e.high) for n, e in history if e.sensitive], self.record.wanted
        )
        share = estimate.share if estimate is not None else None
        return {
            "answers": answers.count,
            "documents": len(self.documents),
            "documents_seen": len(touched),
            "words": int(np.count_nonzero(self.pool.data.counted)),
            "words_known": int(np.count_nonzero(self.pool.data.counted & (known != UNKNOWN))),
            "expected_left": float(chance.sum()),
            "windows": estimate.windows if estimate else 0,
            "sensitive": estimate.sensitive if estimate else 0,
            "left": share,
            "low": estimate.low if estimate and estimate.sensitive else None,
            "high": estimate.high if estimate and estimate.sensitive else None,
            "found_in_100": estimate.found_in_100 if estimate else None,
            "wanted": self.record.wanted,
            "verdict": verdict,
            "more_answers": more,
            "audit_words": audit_size(share or 0.0, self.record.wanted),
            "curve": [[n, e.share, e.low, e.high, e.found_in_100] for n, e in history],
            "pending": self._fitted_at != len(self.journal),
        }

    def known_spans(self) -> list[Document]:
        """Return the documents with what people marked as their spans."""
        found = []
        for number, document in enumerate(self.documents):
            low, high = self.tokens.doc[number : number + 2].tolist()
            known = self.answers.known[low:high]
            spans: list[Span] = []
            i = 0
            while i < len(known):
                if known[i] <= 0:
                    i += 1
                    continue
                j = i + 1
                while j < len(known) and known[j] == known[i]:
                    j += 1
                label = self.labels[known[i] - 1]
                spans.append(Span(int(self.starts[low + i]), int(self.ends[low + j - 1]), label))
                i = j
            found.append(Document(document.id, document.text, tuple(spans), document.extra))
        return found

    def check(self) -> None:
        """Refuse a project without a word."""
        if not self.pool.data.counted.any():
            raise InputError("The documents of the project hold no words.")
