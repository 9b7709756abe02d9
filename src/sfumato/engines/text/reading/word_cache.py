"""A word table that grows with the text: what was learned about a word is kept for the next batch.

Publishing meets the same words again and again; each is analysed and scored once per thread. Above a
limit the whole table is dropped, so that memory does not grow with the input.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .arrays import Array
from .features import RESERVED, WordTable
from .features._kernels import number
from .features.words import ScoresWords, WordKnowledge
from .tokens import Vocabulary

__all__ = ["GrowingWords"]

_ROWS = ("lower", "shape", "counted", "capital")
_FEATURES = ("near", "far")


class _GrowingArray:
    """An array that grows at its end."""

    def __init__(self, first: Array) -> None:
        self._buffer = first
        self._size = len(first)

    @property
    def array(self) -> Array:
        return self._buffer[: self._size]

    def append(self, more: Array) -> None:
        size = self._size + len(more)
        if size > len(self._buffer):
            shape = (max(size, 2 * len(self._buffer)), *self._buffer.shape[1:])
            buffer = np.empty(shape, self._buffer.dtype)
            buffer[: self._size] = self.array
            self._buffer = buffer
        self._buffer[self._size : size] = more
        self._size = size


class _NewWords(Vocabulary):
    """The words of a vocabulary from one id on."""

    def __init__(self, vocabulary: Vocabulary, first: int) -> None:
        bounds = vocabulary.bounds[first:]
        self._part_pool = vocabulary.pool[bounds[0] :]
        self._part_bounds: npt.NDArray[np.int64] = bounds - bounds[0]

    def __len__(self) -> int:
        return int(self._part_bounds.size) - 1

    @property
    def pool(self) -> npt.NDArray[np.uint8]:
        return self._part_pool

    @property
    def bounds(self) -> npt.NDArray[np.int64]:
        return self._part_bounds


class _Groups:
    """Numbers keys by first appearance, and resumes where it stopped."""

    def __init__(self) -> None:
        self.numbers = _GrowingArray(np.empty(0, np.int32))
        self._slots = np.zeros(1 << 12, np.uint64)
        self._values = np.zeros(1 << 12, np.int32)
        self._used = 0

    def extend(self, keys: npt.NDArray[np.uint64]) -> None:
        """Number the keys after those that have numbers; `keys` holds them all."""
        if 2 * len(keys) > len(self._slots):
            size = 1 << int(4 * len(keys)).bit_length()
            self._slots, self._values = np.zeros(size, np.uint64), np.zeros(size, np.int32)
            self.numbers, self._used = _GrowingArray(np.empty(0, np.int32)), 0
        new = keys[len(self.numbers.array) :]
        out = np.empty(len(new), np.int32)
        self._used = int(number(new, self._slots, self._values, self._used, out))
        self.numbers.append(out)


class GrowingWords(WordTable):
    """The features of every word of a vocabulary that grows; `catch_up` analyses the new ones.

    With a `scorer`, the scores that it gives to words are kept in place of their features: they are
    all that it needs, and take a fraction of the memory.

    >>> words = GrowingWords()
    >>> _ = words.vocabulary.add(["Ann", "cat"])
    >>> words.catch_up()
    >>> len(words) - RESERVED
    2
    """

    def __init__(
        self,
        knowledge: Sequence[WordKnowledge] = (),
        *,
        limit: int = 1 << 17,
        scorer: ScoresWords | None = None,
    ) -> None:
        self.vocabulary = Vocabulary()
        self.limit = limit
        self.knowledge = tuple(knowledge)
        self.scorer = scorer
        self._clear()

    def _clear(self) -> None:
        self.vocabulary = Vocabulary()
        empty = WordTable(self.vocabulary, self.knowledge)
        kept = _ROWS if self.scorer is not None else (*_ROWS, *_FEATURES, "own", "own_bounds")
        self._rows = {name: _GrowingArray(getattr(empty, name)) for name in kept}
        self._scores: dict[int, tuple[ScoresWords, _GrowingArray]] = {}
        if self.scorer is not None:
            self._scores[id(self.scorer)] = (
                self.scorer,
                _GrowingArray(self.scorer.word_scores(empty)),
            )
        self._groups = _Groups()
        self._show()

    def _show(self) -> None:
        for name, rows in self._rows.items():
            setattr(self, name, rows.array)

    def make_room(self) -> None:
        """Forget everything when the vocabulary has passed its limit; call it between batches."""
        if len(self.vocabulary) > self.limit:
            self._clear()

    def catch_up(self) -> None:
        """Analyse the words that came into the vocabulary since the last time."""
        known = len(self) - RESERVED
        if known == len(self.vocabulary):
            return
        new = WordTable(_NewWords(self.vocabulary, known), self.knowledge)
        if self.scorer is None:
            first = new.own_bounds[RESERVED]
            end = self._rows["own_bounds"].array[-1]
            self._rows["own"].append(new.own[first:])
            self._rows["own_bounds"].append(new.own_bounds[RESERVED + 1 :] - first + end)
        for name in (*_ROWS, *(() if self.scorer is not None else _FEATURES)):
            self._rows[name].append(getattr(new, name)[RESERVED:])
        for model, rows in self._scores.values():
            rows.append(model.word_scores(new)[RESERVED:])
        self._show()

    def groups(self) -> npt.NDArray[np.int32]:
        """Number the rows so that words that differ only in case share a number."""
        if len(self._groups.numbers.array) < len(self):
            self._groups.extend(self.lower)
        return self._groups.numbers.array

    def scores_of(self, model: ScoresWords) -> npt.NDArray[np.float32]:
        """Return a model's scores of all words; those known from earlier are not computed again."""
        if id(model) not in self._scores:
            # The model is kept with its scores, so that its id stays its own.
            self._scores[id(model)] = model, _GrowingArray(model.word_scores(self))
        return self._scores[id(model)][1].array
