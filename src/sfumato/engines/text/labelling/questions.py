"""What to ask next: the answer that is worth most at the steward's own price of a leak.

A word that is left alone costs L·p in expectation and one that is redacted C·(1 − p); an answer saves the
smaller of the two at every place it settles. That value is largest at the cost threshold log(C / L), not
at even odds. Every so often a whole window drawn at random is asked instead: those alone tell the risk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..learners.partial import UNKNOWN, Known, Pool
from ..learners.protocol import cost_threshold
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..rules.features import RULES

__all__ = ["ASKING", "EVERY", "WINDOW", "ProjectQuestion", "QuestionPolicy"]

WINDOW = 32  # words of a window, about
ALIKE = 0.25  # scores that differ by no more count as the same
SHORT = 3  # bytes below which a word says nothing about equal words
EVERY = 5  # one question in so many is a random window
_CLASS_SHARE = 0.25  # share of its members' worth that a class counts for: they differ
_WINDOW_BONUS = 1.5  # a window also shows what nobody expected
_EAGER = 0.25  # preference for questions that are likelier answered yes
EVEN_ODDS = 0.0  # the score of a word that is as likely sensitive as not
ASKING = ("cost", "attacker", "windows")
"""Ways of asking: nearest the cost threshold, what an attacker reads first, whole windows."""


@dataclass(frozen=True, slots=True)
class ProjectQuestion:
    """Tokens `first` to `last` (exclusive) of one document, and the window that holds them.

    For a window, `first` and `last` are its bounds and `random` says whether it was drawn; for a class of
    words they are those of the member that settled the choice, and `class_number` is the number of the class.
    """

    kind: str  # "word", "window" or "class"
    first: int
    last: int
    window: int
    random: bool = False
    class_number: int = -1


class QuestionPolicy:
    """Chooses questions about the tokens of a pool."""

    def __init__(
        self, pool: Pool, *, ratio: float = 10.0, seed: int = 0, crowd: float = 0.05
    ) -> None:
        self.pool, self.ratio, self.crowd = pool, ratio, crowd
        self.threshold = cost_threshold(ratio)
        self._order = Streams(seed).generator("windows").permutation(len(self.windows) - 1)

    @property
    def data(self) -> TokenData:
        return self.pool.data

    @cached_property
    def windows(self) -> npt.NDArray[np.int64]:
        """Bounds of windows: whole sentences of one document, together about as long as a window.

        A full stop inside a date or a number, and whatever else a rule matched, ends no window.
        """
        first, last, document = self.pool.chains
        inside = self._inside_groups()
        words = np.concatenate([[0], np.cumsum(self.data.counted)])
        bounds = [0]
        for k in range(len(first)):
            ends = k + 1 == len(first) or document[k + 1] != document[k]
            if ends or (words[last[k]] - words[bounds[-1]] >= WINDOW and not inside[last[k]]):
                bounds.append(int(last[k]))
        return np.array(bounds, np.int64)

    def _inside_groups(self) -> Mask:
        """Return before which tokens no window may begin: those glued to the one before, or matched with it."""
        tokens = self.data.tokens
        inside = np.zeros(len(tokens) + 1, np.bool_)
        inside[1:-1] = tokens.start[1:] == tokens.end[:-1]
        for place in self.data.places:
            if place.name == RULES:
                same = (place.values[1:] == place.values[:-1]) & (place.values[1:] > 0)
                inside[1:-1] |= same
        return inside

    def window_of(self, token: int) -> int:
        """Return the number of the window that holds a token."""
        return int(np.searchsorted(self.windows, token, "right")) - 1

    def random_window(self, done: Mask) -> ProjectQuestion | None:
        """Return the next window of the random order that is not done; None when all are."""
        for number in self._order.tolist():
            if not done[number]:
                first, last = self.windows[number : number + 2].tolist()
                if self.data.counted[first:last].any():
                    return ProjectQuestion("window", first, last, number, random=True)
        return None

    def open(self, known: Known) -> Mask:
        """Return which tokens may be asked about: words without an answer."""
        may: Mask = self.data.counted & (known == UNKNOWN)
        return may

    def value(self, scores: Scores, *, asking: str = "cost") -> Scores:
        """Return what an answer about each token is worth at its own place."""
        chance = 1.0 / (1.0 + np.exp(-np.clip(scores, -50.0, 50.0)))
        if asking == "attacker":  # published words, the likeliest name first
            return np.where(scores < self.threshold, chance, 1e-9 * (1.0 - chance))
        return np.minimum(self.ratio * chance, 1.0 - chance)

    def next(
        self,
        scores: Scores,
        known: Known,
        *,
        asking: str = "cost",
        skipped: Mask | None = None,
        found: Mask | None = None,
        seconds: Mapping[str, float] | None = None,
        classes: npt.NDArray[np.int64] | None = None,
    ) -> ProjectQuestion | None:
        """Return the most valuable question about a word; None where nothing is open.

        Parameters
        ----------
        scores : array
            The model's log-odds.
        known : array of int8
            The answers.
        asking : str
            One of `ASKING`.
        skipped : mask, default None
            Tokens that are not asked about again.
        found : mask, default None
            Tokens that another tool found: what the model would leave of them is asked about first.
        seconds : mapping from str to float, default None
            How long a person takes for an answer about a word ("mark") and for a window. Where a window is
            worth more in a second than a word, it is asked instead.
        classes : array of int, default None
            By token: the class of words that is asked about in its place; −1 where it is asked about alone.

        """
        may = self.open(known)
        if skipped is not None:
            may &= ~skipped
        places = np.flatnonzero(may)
        if not len(places):
            return None
        worth = self.value(scores, asking=asking) * self._yields(known)
        value = worth[places]
        if asking == "cost":
            value = value * self._eagerness(scores[places])
            # An answer settles the same word on the same side of the threshold everywhere.
            side = 2 * self.data.tokens.type[places].astype(np.int64)
            side += scores[places] >= self.threshold
            _, of, counts = np.unique(side, return_inverse=True, return_counts=True)
            value = value * counts[of] ** self.crowd
            value = self._with_classes(value, classes, places, seconds)
        first_of_all = found is not None and bool(
            (found[places] & (scores[places] < self.threshold)).any()
        )
        if found is not None:
            value = value + 1e3 * (found[places] & (scores[places] < self.threshold))
        token = int(places[np.argmax(value)])
        # A window also shows the words of classes that were called harmless after a look at a few of them.
        worth[~self.open(known)] = 0.0
        window = self._best_window(worth, value, asking, {} if first_of_all else seconds)
        if window is not None:
            first, last = self.windows[window : window + 2].tolist()
            return ProjectQuestion("window", first, last, window)
        if classes is not None and classes[token] >= 0:
            number = int(classes[token])
            return ProjectQuestion(
                "class", token, token + 1, self.window_of(token), class_number=number
            )
        first, last = self.run(token, scores, known)
        return ProjectQuestion("word", first, last, self.window_of(token))

    def _eagerness(self, scores: Scores) -> Scores:
        """Return how much more a question is worth that is likelier answered yes; 1 at the threshold.

        Near the threshold ten of eleven answers are no, and a yes teaches as much as many of them. Asked so, about
        half of the answers are no (benchmarks/results/desk.json).
        """
        chance = 1.0 / (1.0 + np.exp(-np.clip(scores, -50.0, 50.0)))
        return (chance * (1.0 + self.ratio)) ** _EAGER

    @staticmethod
    def _with_classes(
        value: Scores,
        classes: npt.NDArray[np.int64] | None,
        places: npt.NDArray[np.int64],
        seconds: Mapping[str, float] | None,
    ) -> Scores:
        """Return the values, with the value of a class of words in place of its members'.

        One answer settles all of them, and takes longer.
        """
        if classes is None or not (classes[places] >= 0).any():
            return value
        of = classes[places]
        together = np.bincount(of[of >= 0], weights=value[of >= 0])
        longer = seconds["class"] / seconds["mark"] if seconds else 2.0
        return np.where(of >= 0, _CLASS_SHARE * together[of] / longer, value)

    def _yields(self, known: Known) -> Scores:
        """Return how much answers about the same word, and about words of its shape, have yielded so far, 0 to 1.

        Bare numbers are many and look alike: after a few of them were harmless, others are asked about first.
        """
        answered = np.flatnonzero(self.data.counted & (known != UNKNOWN))
        found = np.ones(len(known))
        for group in (self._shapes, self.data.tokens.type):
            of, said = group[answered], known[answered] > 0
            size = int(group.max(initial=-1)) + 1
            sensitive = np.bincount(of[said], minlength=size)
            harmless = np.bincount(of[~said], minlength=size)
            found *= ((sensitive + 1.0) / (sensitive + harmless + 1.0))[group]
        return found

    @cached_property
    def _shapes(self) -> npt.NDArray[np.int64]:
        _, shape = np.unique(self.data.words.shape[self.data.rows], return_inverse=True)
        return shape.astype(np.int64)

    def _best_window(
        self,
        worth: Scores,
        value: Scores,
        asking: str,
        seconds: Mapping[str, float] | None,
    ) -> int | None:
        """Return the window whose words are worth most together, where it is asked instead of a word."""
        if asking != "windows" and (asking != "cost" or not seconds):
            return None
        together = np.add.reduceat(worth, self.windows[:-1])
        best = int(together.argmax())
        if asking == "windows" or seconds is None:
            return best
        by_window = _WINDOW_BONUS * together[best] / seconds["window"]
        return best if by_window > value.max() / seconds["mark"] else None

    def run(self, token: int, scores: Scores, known: Known) -> tuple[int, int]:
        """Return the run of open words that are rather sensitive than not around a token, or the token alone.

        The threshold of the costs is far below even odds: runs above it join a name with its
        neighbours, and one answer cannot be true of both.
        """
        if scores[token] < EVEN_ODDS:
            return token, token + 1
        document = int(self.data.document_of[token])
        low, high = self.data.tokens.doc[document : document + 2].tolist()
        counted = self.data.counted

        def goes_on(i: int) -> bool:
            return bool(counted[i] and known[i] == UNKNOWN and scores[i] >= EVEN_ODDS)

        first, last = token, token + 1
        while first - 1 >= low and goes_on(first - 1):
            first -= 1
        while last < high and goes_on(last):
            last += 1
        return first, last

    def like(
        self, first: int, last: int, scores: Scores, known: Known, *, sensitive: bool
    ) -> npt.NDArray[np.int64]:
        """Return where else the same words are, unanswered, and the same answer follows.

        A word that is sensitive here is so wherever the model finds it at least as likely; one that is
        harmless here is so wherever the model finds it no more likely. Words of one or two characters
        (initials) say too little, and so do numbers: a dose of 150 mg is no part of a telephone number.
        """
        size = last - first
        tokens = self.data.tokens
        written = tokens.text[tokens.start[first] : tokens.end[last - 1]].tobytes().decode()
        is_number = not any(letter.isalpha() for letter in written)
        if is_number or len(written.encode()) < SHORT:
            return np.zeros(0, np.int64)
        starts: npt.NDArray[np.int64]
        types = tokens.type
        starts = np.flatnonzero(types == types[first])
        starts = starts[starts + size <= len(types)]
        document = self.data.document_of
        kept = (starts != first) & (document[starts] == document[starts + size - 1])
        for k in range(size):
            at = starts + k
            more = scores[at] - scores[first + k]
            follows = more >= -ALIKE if sensitive else more <= ALIKE
            kept &= (types[at] == types[first + k]) & (known[at] == UNKNOWN) & follows
        found: npt.NDArray[np.int64] = starts[kept]
        return found
