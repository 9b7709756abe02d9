"""Weights by the 64-bit hash of a feature, as tables that the kernels look them up in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..reading.features import WordTable
from . import _weight_kernels as kernels

__all__ = ["UNIT", "Slots", "hash_weights", "pack_weights", "scores_of_words"]

UNIT = 2.0**-20  # the weights of conjunctions are stored as whole multiples of it
Slots = tuple[npt.NDArray[np.uint64], npt.NDArray[np.float32]]


def _size(keys: int) -> int:
    return 1 << max(4, int(2 * keys).bit_length())


def hash_weights(keys: npt.NDArray[np.uint64], weights: npt.NDArray[np.float32]) -> Slots:
    """Put weights into an open-addressing table: its slots and their values."""
    slots = np.zeros(_size(len(keys)), np.uint64)
    values = np.zeros(len(slots), np.float32)
    kernels.fill(keys, weights, slots, values)
    return slots, values


def pack_weights(
    keys: npt.NDArray[np.uint64], weights: npt.NDArray[np.float32]
) -> npt.NDArray[np.uint64]:
    """Put the weights of conjunctions into a table of packed words."""
    table = np.zeros(_size(len(keys)), np.uint64)
    kernels.pack(keys, weights, UNIT, table)
    return table


def scores_of_words(words: WordTable, table: Slots) -> npt.NDArray[np.float32]:
    """Score each distinct word at each offset: 0, −1, +1, −2, +2."""
    scores = np.zeros((len(words), 5), np.float32)
    kernels.row_scores(words.own_bounds, words.own, words.near, words.far, *table, scores)
    return scores
