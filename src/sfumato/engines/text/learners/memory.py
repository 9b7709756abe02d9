"""What other documents say of a word: how often it was sensitive, how often written small.

A weight for the word itself is learned from the very documents that it is then applied to, and so
promises too much; a word's record in the *other* documents is what a new document will find.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..reading.features import REDACTED, RESERVED, TokenData, WordTable
from . import _memory_kernels

__all__ = ["MEMORY_SIZE", "Memory"]

_LABEL, _CASE = 11, 16
_FIRST = np.array([0, _LABEL, _LABEL + _CASE, 2 * _LABEL + _CASE], np.int32)
MEMORY_SIZE = 3 * _LABEL + _CASE


@dataclass(frozen=True, eq=False)
class Memory:
    """Bins of each word by its sorted `lower` hash: its labels and its case in all documents."""

    keys: npt.NDArray[np.uint64]
    bins: npt.NDArray[np.uint8]

    @classmethod
    def of(
        cls, data: TokenData, labels: npt.NDArray[np.uint8], documents: npt.NDArray[np.int64]
    ) -> Memory:
        """Remember the words of some documents."""
        group, counts = data.words.groups(), _counts(data, labels, documents)
        seen = np.flatnonzero(counts[:, 0])
        key_of = np.zeros(len(counts), np.uint64)
        key_of[group] = data.words.lower
        keys = key_of[seen]
        order = np.argsort(keys)
        bins = np.empty((len(seen), 2), np.uint8)
        _memory_kernels.bin_counts(counts[seen[order]], bins)
        return cls(keys[order], bins)

    def recalled(
        self, data: TokenData, labels: npt.NDArray[np.uint8], documents: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """Return the four features of each token of the documents, from the other documents alone."""
        out = np.zeros((len(data), 4), np.int32)
        rows = data.tokens.type + np.int32(RESERVED)
        _memory_kernels.recall(
            documents, rows, data.rows, REDACTED, data.tokens.doc, data.words.groups(), labels,
            data.words.capital, _counts(data, labels, documents), out,
        )  # fmt: skip
        return out + _FIRST

    def add_scores(
        self,
        words: WordTable,
        weights: npt.NDArray[np.float32],
        scores: npt.NDArray[np.float32],
    ) -> None:
        """Add to the score of each word at the offsets 0, −1 and +1 what its record says."""
        bins = np.zeros((len(words.lower), 2), np.uint8)
        if len(self.keys):  # documents without a word leave nothing to remember
            at = np.minimum(np.searchsorted(self.keys, words.lower), len(self.keys) - 1)
            known = self.keys[at] == words.lower
            known[:RESERVED] = False
            bins[known] = self.bins[at[known]]
        for offset, added in enumerate(self.weights_of(bins, weights)):
            scores[:, offset] += added

    @staticmethod
    def weights_of(
        bins: npt.NDArray[np.uint8], weights: npt.NDArray[np.float32]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return what records add to the word itself, to the word after it and to the word before it."""
        label, case = bins[:, 0], bins[:, 1]
        return (
            weights[label] + weights[_FIRST[1] + case],
            weights[_FIRST[2] + label],
            weights[_FIRST[3] + label],
        )

    def sound(self) -> bool:
        """Return whether stored arrays fit together."""
        return bool(
            self.keys.ndim == 1
            and len(self.keys) > 0
            and self.bins.shape == (len(self.keys), 2)
            and (self.keys[1:] > self.keys[:-1]).all()
            and (self.bins < (_LABEL, _CASE)).all()
        )


def _counts(
    data: TokenData, labels: npt.NDArray[np.uint8], documents: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    group = data.words.groups()
    counts = np.zeros((int(group.max()) + 1, 3), np.int64)
    rows = data.tokens.type + np.int32(RESERVED)
    _memory_kernels.count_words(
        documents, rows, data.tokens.doc, group, labels, data.words.capital, counts, 1
    )
    return counts
