"""Words that are asked about as one class: numbers of one form, words in small letters, cases of a convention.

"Numbers with two dots: dates?" is one question instead of fifty. Members of a class are written alike and
proposed alike by the rules; the text and the proposals of a project do not change, so that a class is the same
whenever the journal is replayed. A few members, drawn at random, are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..learners.partial import UNKNOWN, Known
from ..reading.arrays import Mask
from ..reading.features import TokenData
from ..rules.features import RULES, values_of
from .conventions import find_conventions

__all__ = ["SHOWN", "WordClass", "WordClasses"]

SHOWN = 8  # members that are shown
_TAUGHT = 30  # members that a "no" teaches: one answer does not outweigh all others
_FEWEST = 5  # members below which words are asked about one by one
_LEAST_CAPITALS = 0.02  # below, small letters tell names and other words apart no more
_SMALL = "small"
_NUMBERS = {
    "9": "numbers of one or two digits",
    "999": "numbers of three digits",
    "9999": "numbers of four digits",
    "99999": "numbers of five digits or more",
}

Numbers = npt.NDArray[np.int64]


def _form_of(word: str) -> str:
    """Return how a word is written: the length of a number, the case of letters.

    >>> [_form_of(word) for word in ("07", "2031", "mg", "Mai", ".")]
    ['9', '9999', 'a', 'A', '.']
    """
    if word[0].isdigit():
        return "9" * (1 if len(word) < 3 else min(len(word), 5))
    if word[0].isalpha():
        return "a" if word.islower() else "A"
    return word


@dataclass(frozen=True, eq=False)
class WordClass:
    """Places that are answered together.

    Parameters
    ----------
    key : str
        Its name in the journal.
    title : str
        What is asked about, in words.
    first, last : arrays of int
        The bounds of the members in tokens, in the order in which they are shown.
    taught : array of int
        The tokens that a no is learned from.
    asks : str, default ""
        The question, where it is one about a convention. A no to it keeps every member from being redacted; a no
        after a look at a few examples does not.
    label : str, optional
        The label that a yes to that question gives.

    """

    key: str
    title: str
    first: Numbers
    last: Numbers
    taught: Numbers
    asks: str = ""
    label: str | None = None

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def tokens(self) -> Numbers:
        """All tokens of the members."""
        return _tokens(self.first, self.last)


def _tokens(first: Numbers, last: Numbers) -> Numbers:
    bounds = zip(first.tolist(), last.tolist(), strict=True)
    return np.concatenate([np.arange(a, b) for a, b in bounds])


class WordClasses(Mapping[str, WordClass]):
    """The classes of a project.

    Parameters
    ----------
    data : TokenData
        The tokens, with what rules propose as a place feature.
    words : sequence of str
        The words by type.
    labels : sequence of str
        The labels of the project.
    seed : int, default 0
        The seed of the order in which members are shown.

    """

    def __init__(
        self, data: TokenData, words: Sequence[str], labels: Sequence[str], *, seed: int = 0
    ) -> None:
        self.data, self.words = data, words
        self._random = Streams(seed).generator("word classes")
        found = {**self._numbers(), **self._small_words()}
        self._classes = {key: found[key] for key in sorted(found)}
        for convention in find_conventions(data, words, labels, self._proposed_as):
            made = self._make(convention.key, "", convention.places)
            # It comes before any name was marked: learned alone, a no to titles would count against names, too.
            self._classes[convention.key] = replace(
                made, taught=made.taught[:0], asks=convention.asks, label=convention.label
            )
        self.of: Numbers = np.full(len(data), -1, np.int64)
        """By token: the number of its class; −1 where it has none."""
        for number, one in enumerate(self._classes.values()):
            self.of[one.tokens] = number

    def __getitem__(self, key: str) -> WordClass:
        return self._classes[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)

    def open(self, known: Known, answered: Mapping[str, int]) -> Numbers:
        """Return, by token, the number of its class where that can still be asked about; else −1."""
        closed = [number for number, key in enumerate(self._classes) if key in answered]
        of = np.where((known == UNKNOWN) & ~np.isin(self.of, closed), self.of, -1)
        few = np.flatnonzero(np.bincount(of[of >= 0], minlength=len(self)) < _FEWEST)
        return np.where(np.isin(of, few), -1, of)

    def next_convention(self, answered: Mapping[str, int]) -> int | None:
        """Return the number of the first convention without an answer."""
        for number, (key, one) in enumerate(self._classes.items()):
            if one.asks and key not in answered:
                return number
        return None

    def by_number(self, number: int) -> WordClass:
        """Return the class of a number."""
        return list(self._classes.values())[number]

    @cached_property
    def _proposed(self) -> npt.NDArray[np.int64]:
        """By token: the kind that rules propose; 0 where they propose none."""
        values = [place.values for place in self.data.places if place.name == RULES]
        return (values[0].astype(np.int64) + 1) // 2 if values else np.zeros(len(self.data), np.int64)  # fmt: skip

    def _proposed_as(self, kind: str) -> Mask:
        """Return the tokens that rules propose for a kind."""
        return np.isin(self._proposed, [(value + 1) // 2 for value in values_of(kind)])

    def _numbers(self) -> dict[str, WordClass]:
        """Return the classes of what is written without a space and holds a digit, by form and proposal."""
        data, tokens = self.data, self.data.tokens
        if not len(tokens):
            return {}
        begins = np.ones(len(tokens), np.bool_)
        begins[1:] = tokens.start[1:] != tokens.end[:-1]
        begins[tokens.doc[:-1][np.diff(tokens.doc) > 0]] = True
        chunk = np.cumsum(begins) - 1
        digit = np.array([word[:1].isdigit() for word in self.words])[tokens.type]
        forms = [_form_of(word) for word in self.words]
        bounds = np.append(np.flatnonzero(begins), len(tokens))
        members: dict[str, list[tuple[int, int]]] = {}
        for number in np.unique(chunk[digit]).tolist():
            inside = bounds[number] + np.flatnonzero(
                data.counted[bounds[number] : bounds[number + 1]]
            )
            first, last = int(inside[0]), int(inside[-1]) + 1
            form = "".join(forms[t] for t in tokens.type[first:last].tolist())
            kind = int(self._proposed[first:last].max())
            members.setdefault(f"{form}|{kind}", []).append((first, last))
        return {
            key: self._make(key, _title_of(key), np.array(places, np.int64))
            for key, places in members.items()
            if len(places) >= _FEWEST
        }

    def _small_words(self) -> dict[str, WordClass]:
        """Return the lower-case words that no rule proposes, where capitals mean something."""
        data = self.data
        letters = np.array([word.isalpha() for word in self.words])[data.tokens.type]
        small = np.array([word.islower() for word in self.words])[data.tokens.type] & letters
        if letters.sum() - small.sum() < _LEAST_CAPITALS * letters.sum():
            return {}
        where: Mask = small & data.counted & (self._proposed == 0)
        places = np.flatnonzero(where)
        if len(places) < _FEWEST:
            return {}
        title = "lower-case words that no rule proposes"
        return {_SMALL: self._make(_SMALL, title, np.stack([places, places + 1], axis=1))}

    def _make(self, key: str, title: str, places: npt.NDArray[np.int64]) -> WordClass:
        """Return a class whose members are in random order, different words first."""
        places = places[self._random.permutation(len(places))]
        _, once = np.unique(self.data.tokens.type[places[:, 0]], return_index=True)
        ahead = np.sort(once)
        order = np.concatenate([ahead, np.setdiff1d(np.arange(len(places)), ahead)])
        first, last = places[order].T
        return WordClass(key, title, first, last, _tokens(first[:_TAUGHT], last[:_TAUGHT]))


def _title_of(key: str) -> str:
    """Return a form of numbers in words.

    >>> _title_of("9.9.9999|2"), _title_of("9999|0")
    ('what is written like 9.9.9999 (9: one or two digits)', 'numbers of four digits')
    """
    form = key.rpartition("|")[0]
    if form in _NUMBERS:
        return _NUMBERS[form]
    if re.search(r"(?<!9)9(?!9)", form):
        return f"what is written like {form} (9: one or two digits)"
    return f"what is written like {form}"
