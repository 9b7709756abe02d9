"""Analyse each distinct word once: its own features, and those that it has as a neighbour.

A row of the table is a word type; the first rows represent the edges of a document and what is
redacted. Features are 64-bit hashes, so that a table for new text needs nothing from the old one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..tokens import Vocabulary
from . import _kernels

__all__ = ["BEGIN", "END", "REDACTED", "RESERVED", "WordKnowledge", "WordTable", "lower_keys"]

BEGIN, END, REDACTED, RESERVED = 0, 1, 2, 3
Hashes = npt.NDArray[np.uint64]


class ScoresWords(Protocol):
    """A model that has one score for each distinct word and offset."""

    def word_scores(self, words: WordTable) -> npt.NDArray[np.float32]: ...


@dataclass(frozen=True, eq=False)
class WordKnowledge:
    """What is known of words from elsewhere (clusters, lists): features by lower-case word.

    `keys` are the sorted `lower` hashes of the words that are known; row i of `own` and `near` holds
    the features that word keys[i] adds to itself and to its neighbours (0: none).
    """

    keys: Hashes
    own: Hashes
    near: Hashes

    @classmethod
    def checked(cls, keys: Hashes, own: Hashes, near: Hashes) -> WordKnowledge:
        """Build it from stored arrays; raise ValueError where they do not fit together."""
        keys, own, near = (a.astype(np.uint64) for a in (keys, own, near))
        fits = own.ndim == near.ndim == 2 and keys.shape == (len(own),) == (len(near),)
        if not fits or (keys[1:] <= keys[:-1]).any():
            raise ValueError
        return cls(keys, own, near)

    def rows(self, lower: Hashes) -> tuple[Hashes, Hashes]:
        """Look words up by their `lower` hashes; those not known get no feature."""
        if not len(self.keys):
            shape = (len(lower), self.own.shape[1]), (len(lower), self.near.shape[1])
            return np.zeros(shape[0], np.uint64), np.zeros(shape[1], np.uint64)
        at = np.minimum(np.searchsorted(self.keys, lower), len(self.keys) - 1)
        known = (self.keys[at] == lower)[:, None]
        return np.where(known, self.own[at], np.uint64(0)), np.where(
            known, self.near[at], np.uint64(0)
        )


def _code_points(vocabulary: Vocabulary) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """Lay the words out as one array of code points with their bounds."""
    pool = vocabulary.pool
    codes = np.frombuffer(pool.tobytes().decode().encode("utf-32-le"), dtype=np.uint32)
    starts = np.zeros(len(pool) + 1, dtype=np.int64)
    np.cumsum((pool & 0xC0) != 0x80, out=starts[1:])
    return codes, starts[vocabulary.bounds]


def _kind(character: str) -> int:
    if character.isdigit():
        return _kernels.DIGIT
    if not character.isalpha():
        return 0
    if character.isupper() or character.istitle():
        return _kernels.UPPER
    return _kernels.LOWER if character.islower() else _kernels.LETTER


class _Characters:
    """Kind and lower case of each code point, found out when it is first met."""

    def __init__(self) -> None:
        self._known = np.zeros(sys.maxunicode + 1, np.bool_)
        self._kinds = np.zeros(sys.maxunicode + 1, np.uint8)
        self._lowered = np.zeros(sys.maxunicode + 1, np.uint32)

    def of(
        self, codes: npt.NDArray[np.uint32]
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
        """Return kinds and lower-case forms; threads may meet here, and write the same values."""
        for code in set(codes[~self._known[codes]].tolist()):
            self._kinds[code] = _kind(chr(code))
            self._lowered[code] = ord(chr(code).lower()[0])
            self._known[code] = True
        return self._kinds[codes], self._lowered[codes]


_characters = _Characters()


class WordTable:
    """The features of each word type; row = word type + RESERVED.

    `own[own_bounds[r]:own_bounds[r + 1]]` are the features of row r itself; `near` and `far` those it
    gives to tokens one and two places away (0: none); `lower` and `shape` take part in conjunctions;
    `counted` says that it is a word (it holds a letter or digit) and not a punctuation mark, `capital`
    that it starts with a capital.

    >>> table = WordTable(Vocabulary(["Ann", "ann", ","]))
    >>> bool(table.lower[RESERVED] == table.lower[RESERVED + 1])
    True
    >>> table.counted.tolist()
    [False, False, False, True, True, False]
    """

    def __init__(self, vocabulary: Vocabulary, knowledge: Sequence[WordKnowledge] = ()) -> None:
        codes, bounds = _code_points(vocabulary)
        kinds, lowered = _characters.of(codes)
        n = len(bounds) - 1 + RESERVED
        own = np.zeros((n, _kernels.OWN), dtype=np.uint64)
        self.near = np.zeros((n, _kernels.NEAR), dtype=np.uint64)
        self.far = np.zeros((n, _kernels.FAR), dtype=np.uint64)
        self.lower = np.zeros(n, dtype=np.uint64)
        self.shape = np.zeros(n, dtype=np.uint64)
        self.counted = np.zeros(n, dtype=np.bool_)
        self.capital = np.zeros(n, dtype=np.bool_)
        self.capital[RESERVED:] = (kinds == _kernels.UPPER)[bounds[:-1]] if len(codes) else False
        for row in range(RESERVED):
            mark = _kernels.seal(row + 1, 11)
            own[row, 0] = self.lower[row] = self.shape[row] = mark
            self.near[row, 0] = self.far[row, 0] = mark
        _kernels.analyse(
            codes,
            lowered,
            kinds,
            bounds,
            own[RESERVED:],
            self.near[RESERVED:],
            self.far[RESERVED:],
            self.lower[RESERVED:],
            self.shape[RESERVED:],
            self.counted[RESERVED:],
        )
        self.knowledge = tuple(knowledge)
        self._groups_made: npt.NDArray[np.int32] | None = None
        for source in self.knowledge:
            more_own, more_near = source.rows(self.lower)
            own = np.hstack([own, more_own])
            self.near = np.hstack([self.near, more_near])
        present = own != 0
        self.own_bounds = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(present.sum(axis=1), out=self.own_bounds[1:])
        self.own = own[present]

    def __len__(self) -> int:
        return len(self.lower)

    def taken(self, rows: npt.NDArray[np.int64]) -> WordTable:
        """Return a table of some rows, in order."""
        part = WordTable.__new__(WordTable)
        for name in ("near", "far", "lower", "shape", "counted", "capital"):
            setattr(part, name, getattr(self, name)[rows])
        counts = np.diff(self.own_bounds)[rows]
        part.own_bounds = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(counts, out=part.own_bounds[1:])
        first = np.repeat(self.own_bounds[rows] - part.own_bounds[:-1], counts)
        part.own = self.own[first + np.arange(len(first))]
        part.knowledge = self.knowledge
        part._groups_made = None  # noqa: SLF001 (one of our own kind)
        return part

    def groups(self) -> npt.NDArray[np.int32]:
        """Number the rows so that words that differ only in case share a number."""
        if self._groups_made is None:
            self._groups_made = np.unique(self.lower, return_inverse=True)[1].astype(np.int32)
        return self._groups_made

    def scores_of(self, model: ScoresWords) -> npt.NDArray[np.float32]:
        """Return a model's scores of all words."""
        return model.word_scores(self)


def lower_keys(words: Sequence[str]) -> Hashes:
    """Return the `lower` hash of each word.

    >>> bool(lower_keys(["Ann"])[0] == lower_keys(["ANN"])[0])
    True
    """
    distinct = Vocabulary()
    ids = distinct.add(words)
    return WordTable(distinct).lower[ids + RESERVED]
