"""Statistics of the words of a collection, which need no label.

Names occur in few documents and are hardly ever written small; headings and jargon occur in many. Both are
features of a place, from counts over the whole collection, so that they are the same in every batch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..reading.arrays import Array, Mask
from ..reading.features import RESERVED, PlaceFeature, TokenData, lower_keys

__all__ = ["CASE_PLACES", "SPREAD_PLACES", "CollectionWords", "sentence_starts"]

CASE_PLACES, SPREAD_PLACES = 37, 15
_SPREADS, _CASES = 7, 6  # values of the two for a word, before its place is looked at
_RARE, _UNSEEN = 1, 2  # what a word gets that the collection does not hold
_SHARES = (0.01, 0.03, 0.1, 0.3)  # bins of the share of documents that contain the word
_SMALL = (0.1, 0.5, 0.9)  # bins of the share of its occurrences in small letters
_CAPITALS = (0.05, 0.2)  # bins of the share of capitalised words inside sentences
_ENDS = lower_keys([".", "!", "?", "…", ":"])


def sentence_starts(data: TokenData) -> Mask:
    """Return which tokens are at the start of a document, a line or a sentence."""
    rows = data.tokens.type + np.int32(RESERVED)
    starts: Mask = data.tokens.line_starts.copy()
    starts[1:] |= np.isin(data.words.lower, _ENDS)[rows[:-1]]
    return starts


@dataclass(frozen=True, eq=False)
class CollectionWords:
    """Two bins for each word of a collection, by the hash of its lower-case form.

    Parameters
    ----------
    keys : array of uint64
        The hashes, sorted.
    spread : array of uint8
        In how many of the documents the word occurs, in seven bins.
    case : array of uint8
        How often it is written small, in six bins.
    capitals : float
        The share of capitalised words inside sentences.

    """

    keys: npt.NDArray[np.uint64]
    spread: npt.NDArray[np.uint8]
    case: npt.NDArray[np.uint8]
    capitals: float

    @classmethod
    def of(cls, data: TokenData, documents: Mask | None = None) -> CollectionWords:
        """Count the words of some documents.

        Parameters
        ----------
        data : TokenData
            The tokens.
        documents : mask over the documents, default None
            The collection; all documents for None.

        """
        rows = data.tokens.type + np.int32(RESERVED)
        counted = data.words.counted[rows]
        if documents is not None:
            counted = counted & documents[data.document_of]
        count = int(data.documents if documents is None else documents.sum())
        tokens = np.flatnonzero(counted)
        keys, word = np.unique(data.words.lower[rows[tokens]], return_inverse=True)
        size = len(keys)
        held = np.unique(data.document_of[tokens] * np.int64(size + 1) + word) % (size + 1)
        spread = np.bincount(held, minlength=size)
        capital = data.words.capital[rows[tokens]]
        inside = ~sentence_starts(data)[tokens]
        small = np.bincount(word[~capital], minlength=size)
        large = np.bincount(word[capital & inside], minlength=size)
        return cls(
            keys,
            _spread_bins(spread, count),
            _case_bins(small, large),
            float(np.count_nonzero(capital & inside)) / max(int(np.count_nonzero(inside)), 1),
        )

    def places(self, data: TokenData) -> tuple[PlaceFeature, PlaceFeature]:
        """Return the two features of each token; a word that the collection lacks counts as rare.

        Parameters
        ----------
        data : TokenData
            Tokens of the collection, or of other texts.

        """
        rows = data.tokens.type + np.int32(RESERVED)
        counted, capital = data.words.counted[rows], data.words.capital[rows]
        spread, case = (values[rows].astype(np.int32) for values in self._of_words(data))
        regime = int(np.digitize(self.capitals, _CAPITALS))
        case += _CASES * sentence_starts(data) + 2 * _CASES * regime
        spread += _SPREADS * capital
        return (
            PlaceFeature(
                "case", np.where(capital & counted, case, 0).astype(np.int32), CASE_PLACES
            ),
            PlaceFeature("spread", np.where(counted, spread, 0).astype(np.int32), SPREAD_PLACES),
        )

    def _of_words(self, data: TokenData) -> tuple[Array, Array]:
        """Return the bins of each row of the word table."""
        lower = data.words.lower
        if not len(self.keys):
            return np.full(len(lower), _RARE), np.full(len(lower), _UNSEEN)
        at = np.minimum(np.searchsorted(self.keys, lower), len(self.keys) - 1)
        known = self.keys[at] == lower
        return np.where(known, self.spread[at], _RARE), np.where(known, self.case[at], _UNSEEN)

    def is_sound(self) -> bool:
        """Return whether stored arrays fit together."""
        size = (len(self.keys),)
        return bool(
            self.keys.shape == self.spread.shape == self.case.shape == size
            and (self.keys[1:] > self.keys[:-1]).all()
            and ((self.spread >= 1) & (self.spread <= _SPREADS)).all()
            and ((self.case >= 1) & (self.case <= _CASES)).all()
            and 0.0 <= self.capitals <= 1.0
        )


def _spread_bins(held: npt.NDArray[np.int64], documents: int) -> npt.NDArray[np.uint8]:
    bins = 3 + np.digitize(held / max(documents, 1), _SHARES)
    return np.where(held <= 1, 1, np.where(held == 2, 2, bins)).astype(np.uint8)


def _case_bins(small: npt.NDArray[np.int64], large: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    bins = 3 + np.digitize(small / np.maximum(small + large, 1), _SMALL)
    return np.where(small == 0, np.where(large > 1, 1, _UNSEEN), bins).astype(np.uint8)
