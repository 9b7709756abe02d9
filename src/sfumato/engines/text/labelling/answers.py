"""From events of the journal to answers by token, and from places in characters to tokens and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ....data.document import Document, Span
from ..learners.partial import UNKNOWN, Known
from ..reading.arrays import Mask
from ..reading.tokens import Tokens
from .journal import Event
from .word_classes import WordClass

__all__ = ["AnswerSheet", "Answers", "Place", "runs"]

Place = tuple[int, int, int]
"""A document by number, and characters from and to (exclusive)."""


def runs(values: npt.NDArray[np.int16]) -> list[tuple[int, int]]:
    """Return the bounds of the runs of one value, negative values left out.

    >>> runs(np.array([-1, 0, 0, 2, -1, 2], np.int16))
    [(1, 3), (3, 4), (5, 6)]
    """
    if not len(values):
        return []
    cuts = np.concatenate([[0], np.flatnonzero(np.diff(values)) + 1, [len(values)]])
    kept = values[cuts[:-1]] >= 0
    return list(zip(cuts[:-1][kept].tolist(), cuts[1:][kept].tolist(), strict=True))


@dataclass
class Answers:
    """What the journal says so far, by token: −1 unknown, 0 harmless, i + 1 for the label i."""

    known: npt.NDArray[np.int16]
    skipped: Mask
    done: Mask
    cleared: Mask
    """Words that a person said should not be redacted, of a release or by a convention, and nobody has marked since."""
    drawn: list[int] = field(default_factory=list)
    count: int = 0
    second: dict[int, npt.NDArray[np.int16]] = field(default_factory=dict)
    """By window: what a second reader said, token by token."""
    classes: dict[str, int] = field(default_factory=dict)
    """What was said of classes of words; −1 where it depends."""
    members: list[npt.NDArray[np.int64]] = field(default_factory=list)
    """By class that was called sensitive: the tokens that nobody had said anything about, in the order of the class."""
    looked_at: Mask = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Words that somebody has answered about themselves, not as members of a class."""

    def not_to_ask(self, classes: Mapping[str, WordClass], likely: Mask) -> Mask:
        """Return the tokens that are not asked about: what was skipped, and classes that somebody called harmless.

        Parameters
        ----------
        classes : mapping from str to WordClass
            The classes of words.
        likely : mask over the tokens
            What the model would redact, or nearly: a few members represent a class only until it learns better.

        """
        found = self.skipped.copy()
        for key, code in self.classes.items():
            if code == 0 and not classes[key].asks:
                tokens = classes[key].tokens
                found[tokens] |= ~likely[tokens]
        return found

    @property
    def sensitive(self) -> Known:
        """1 for a sensitive token of any label, 0 for a harmless one, −1 where nobody has said."""
        return np.minimum(self.known, 1).astype(np.int8)

    def learned_from(self) -> Known:
        """Return the same as `sensitive`, of each class that was called sensitive no more members than are harmless.

        One answer about hundreds of titles, before anybody has read a window, says nothing about what is harmless:
        a model that learned from all of them would redact every word.
        """
        found = self.sensitive
        harmless = int(np.count_nonzero(found == 0))
        for tokens in self.members:
            open_ = tokens[~self.looked_at[tokens]]
            found[open_[harmless:]] = UNKNOWN
        return found

    def learned_codes(self) -> npt.NDArray[np.int16]:
        """Return the labels of the words that are learned from, by number; 0 for harmless ones, −1 for others."""
        learned = self.learned_from()
        return np.where(learned == UNKNOWN, UNKNOWN, self.known).astype(np.int16)

    def copy(self) -> Answers:
        """Return a copy of these answers."""
        return Answers(
            self.known.copy(), self.skipped.copy(), self.done.copy(), self.cleared.copy(),
            list(self.drawn), self.count, dict(self.second), dict(self.classes),
            list(self.members), self.looked_at.copy(),
        )  # fmt: skip


class AnswerSheet:
    """Applies events to answers.

    Parameters
    ----------
    tokens : Tokens
        The tokens of all documents.
    windows : array of int
        Bounds of the windows.
    labels : tuple of str
        The labels of the project.
    classes : mapping from str to WordClass
        The classes of words that can be answered together.

    """

    def __init__(
        self,
        tokens: Tokens,
        windows: npt.NDArray[np.int64],
        labels: tuple[str, ...],
        classes: Mapping[str, WordClass],
    ) -> None:
        self.tokens, self.windows, self.labels = tokens, windows, labels
        self.classes = classes
        self.starts, self.ends = tokens.char_offsets()

    def empty(self) -> Answers:
        """Return the answers before the first event."""
        n = len(self.tokens)
        return Answers(
            np.full(n, UNKNOWN, np.int16),
            np.zeros(n, np.bool_),
            np.zeros(len(self.windows) - 1, np.bool_),
            np.zeros(n, np.bool_),
            looked_at=np.zeros(n, np.bool_),
        )

    def replayed(self, events: Iterable[Event]) -> Answers:
        """Return what some events say, those left out that were taken back by others of them."""
        given = list(events)
        undone = {event["of"] for event in given if event["do"] == "undo"}
        found = self.empty()
        for event in given:
            if event["n"] not in undone:
                self.apply(found, event)
        return found

    def apply(self, answers: Answers, event: Event) -> None:
        """Add an event to answers; what makes no sense is refused."""
        what = event["do"]
        if what == "mark":
            self._mark(answers, event)
        elif what == "window":
            self._window(answers, event)
        elif what == "class":
            self._class(answers, event)
        elif what == "skip":
            place = self.tokens_of((event["doc"], event["first"], event["last"]))
            answers.skipped[place] = True

    def _mark(self, answers: Answers, event: Event) -> None:
        code = self.code(event["label"])
        places = [self.tokens_of((d, first, last)) for d, first, last in event["places"]]
        for place in places:
            answers.known[place] = code
            answers.looked_at[place] = True
            answers.cleared[place] = not code and event.get("by") == "review"
        if code and event.get("exact") and places[0].start < places[0].stop:
            self._edges(answers, places[0])
        answers.count += 1

    def _edges(self, answers: Answers, place: slice) -> None:
        """The words next to a span whose bounds were confirmed are not part of it, nor of another one.

        A word in another line is not next to it: in a letterhead a town ends one line and a street begins the next.
        """
        document = self._document_of(place.start)
        low, high = self.tokens.doc[document : document + 2].tolist()
        for i, later in ((place.start - 1, place.start), (place.stop, place.stop)):
            if low <= i < high and answers.known[i] == UNKNOWN and not self.tokens.after_break[later]:  # fmt: skip
                answers.known[i] = 0

    def _window(self, answers: Answers, event: Event) -> None:
        document = event["doc"]
        inside = self.tokens_of((document, event["first"], event["last"]))
        said = np.zeros(len(answers.known), np.int16)
        for first, last, label in event["spans"]:
            said[self.tokens_of((document, first, last))] = self.code(label)
        low = np.searchsorted(self.windows, inside.start)
        high = (
            np.searchsorted(self.windows, inside.stop, "right") - 1
        )  # of windows that are read whole
        if event.get("reader") == 2:
            answers.second[int(low)] = said[inside]
            return
        answers.known[inside] = 0
        answers.looked_at[inside] = True
        answers.known[said > 0] = said[said > 0]
        answers.cleared[said > 0] = False
        answers.done[low : max(low, high)] = True
        if event["random"]:
            answers.drawn.append(int(low))
        answers.count += 1

    def _class(self, answers: Answers, event: Event) -> None:
        """A yes holds for every member, as a rule does; a no is learned from some, and no other is asked about.

        What somebody has said of a member itself stays.
        """
        if event["key"] not in self.classes:
            raise ParameterError("There is no such class of words in this project.")
        members, code = self.classes[event["key"]], self.code(event["label"])
        answers.classes[event["key"]] = UNKNOWN if event["mixed"] else code
        answers.count += 1
        if event["mixed"]:
            return
        open_ = answers.known == UNKNOWN
        said = members.tokens if code else members.taught
        answers.known[said[open_[said]]] = code
        if code:
            answers.members.append(said[open_[said]])
        if members.asks and not code:
            answers.cleared[members.tokens[open_[members.tokens]]] = True
        if code or members.asks:
            answers.skipped[members.tokens] = True

    def tokens_of(self, place: Place) -> slice:
        """Return the tokens that a place touches."""
        document, first, last = place
        if not 0 <= document < len(self.tokens.doc) - 1 or not 0 <= first < last:
            raise ParameterError("There is no such place in the documents.")
        low, high = self.tokens.doc[document : document + 2].tolist()
        a = low + int(np.searchsorted(self.ends[low:high], first, "right"))
        b = low + int(np.searchsorted(self.starts[low:high], last, "left"))
        return slice(a, max(a, b))

    def place(self, first: int, last: int) -> Place:
        """Return tokens `first` to `last` (exclusive) of one document as a place in characters."""
        return self._document_of(first), int(self.starts[first]), int(self.ends[last - 1])

    def _document_of(self, token: int) -> int:
        return int(np.searchsorted(self.tokens.doc, token, "right")) - 1

    def marked(self, documents: Sequence[Document], known: npt.NDArray[np.int16]) -> list[Document]:
        """Return the documents with what people marked as their spans."""
        found = []
        for document, low, high in zip(
            documents, self.tokens.doc[:-1].tolist(), self.tokens.doc[1:].tolist(), strict=True
        ):
            spans = []
            for i, j in runs(known[low:high] - 1):
                _, a, b = self.place(low + i, low + j)
                spans.append(Span(a, b, self.labels[known[low + i] - 1]))
            found.append(Document(document.id, document.text, tuple(spans), document.fields))
        return found

    def looked_at(
        self, documents: Sequence[Document], known: npt.NDArray[np.int16], counted: Mask
    ) -> list[Document]:
        """Return documents with a field that says how much of each somebody has read."""
        found = []
        bounds = zip(self.tokens.doc[:-1].tolist(), self.tokens.doc[1:].tolist(), strict=True)
        for document, (low, high) in zip(documents, bounds, strict=True):
            said = (known[low:high] != UNKNOWN)[counted[low:high]]
            read = "all" if said.all() else "part" if said.any() else "none"
            found.append(replace(document, fields={**document.fields, "looked_at": read}))
        return found

    def code(self, label: str | None) -> int:
        """Return the number of a label; 0 for none."""
        if not label:
            return 0
        if label not in self.labels:
            raise ParameterError("There is no such label in this project.")
        return self.labels.index(label) + 1
