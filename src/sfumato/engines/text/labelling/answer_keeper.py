"""The answers of a project: every one is in the journal before it counts, and can be taken back."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

from ....core.errors import ParameterError
from .answers import Answers, AnswerSheet, Place
from .journal import ANSWERS, AnswerLog, Event

__all__ = ["AnswerKeeper"]


class AnswerKeeper:
    """Keeps answers in a journal and on a sheet, and wakes the trainers."""

    journal: AnswerLog
    sheet: AnswerSheet
    answers: Answers
    lock: threading.RLock
    _wake: threading.Condition

    def _give(self, event: Event, seconds: float = 0.0) -> Event:
        if seconds:
            event = {**event, "seconds": math.ceil(seconds)}
        with self.lock:
            # What cannot be applied is refused before it is kept.
            self.sheet.apply(self.answers.copy(), event)
            kept = self.journal.append(event)
            self.sheet.apply(self.answers, kept)
            self._wake.notify_all()
            return kept

    def mark(
        self,
        places: Sequence[Place],
        label: str | None,
        *,
        exact: bool = True,
        by: str = "question",
        seconds: float = 0.0,
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
        seconds : float, default 0.0
            How long the person looked at the question; 0 where that is not known.

        """
        if not places:
            raise ParameterError("An answer needs a place.")
        event: Event = {
            "do": "mark", "label": label or "", "exact": bool(exact), "by": by,
            "places": [[int(d), int(a), int(b)] for d, a, b in places],
        }  # fmt: skip
        return self._give(event, seconds)

    def window(
        self,
        place: Place,
        spans: Sequence[tuple[int, int, str]],
        *,
        random: bool = False,
        reader: int = 1,
        seconds: float = 0.0,
    ) -> Event:
        """Keep a whole window: the spans carry their labels, every other word in it is harmless.

        What a second reader says is compared, and changes nothing else.
        """
        document, first, last = place
        event: Event = {
            "do": "window", "doc": int(document), "first": int(first), "last": int(last),
            "random": bool(random), "spans": [(int(a), int(b), str(label)) for a, b, label in spans],
        }  # fmt: skip
        return self._give({"reader": 2, **event} if reader == 2 else event, seconds)

    def settle_class(
        self, key: str, label: str | None, *, mixed: bool = False, seconds: float = 0.0
    ) -> Event:
        """Keep one answer about a class of words.

        Parameters
        ----------
        key : str
            The class.
        label : str or None
            The label of all its members; None where they are harmless.
        mixed : bool, default False
            Whether it depends: then its words are asked about one by one.
        seconds : float, default 0.0
            How long the person looked at the question.

        """
        event: Event = {"do": "class", "key": key, "label": label or "", "mixed": bool(mixed)}
        return self._give(event, seconds)

    def skip(self, place: Place) -> Event:
        """Keep that a question was passed over; it does not come again."""
        document, first, last = place
        return self._give(
            {"do": "skip", "doc": int(document), "first": int(first), "last": int(last)}
        )

    def want(self, label: str, share: float) -> Event:
        """Keep what is wanted of a label: at most this share of its words left.

        Parameters
        ----------
        label : str
            The label.
        share : float
            The share, between 0 and 1.

        """
        if not self.sheet.code(label) or not 0.0 < share < 1.0:
            raise ParameterError("What is wanted of a label is a share between 0 and 1.")
        with self.lock:
            return self.journal.append({"do": "want", "label": label, "share": share})

    def undo(self) -> Event | None:
        """Take the last answer back; return it, or None where there is none."""
        with self.lock:
            undone = {event["of"] for event in self.journal if event["do"] == "undo"}
            for event in reversed(self.journal.events):
                if event["do"] in (*ANSWERS, "skip") and event["n"] not in undone:
                    self.journal.append({"do": "undo", "of": event["n"]})
                    self.answers = self.sheet.replayed(self.journal)
                    self._wake.notify_all()
                    return event
            return None
