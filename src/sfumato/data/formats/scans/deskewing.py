"""Deskews lines that rise or fall: every column of the picture is moved up or down, by the slope of the lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
import numpy.typing as npt

from .protocol import Picture, ReadWord

__all__ = ["lay_flat", "slope_of", "straighten"]

_STEEPEST = 0.12  # about seven degrees; what is steeper is no scan that slipped
_WORDS = 4  # words that a line needs to show its slope


def slope_of(words: Sequence[ReadWord]) -> float:
    """Return how many pixels the lines fall for each pixel to the right; 0 where they do not say.

    >>> words = [ReadWord("word", x, 50 + x // 50, x + 40, 62 + x // 50, 0.9, 0) for x in range(0, 500, 50)]
    >>> round(slope_of(words), 3)
    0.02
    """
    slopes, weights = [], []
    for _, own in groupby(words, key=lambda word: word.line):
        line = list(own)
        if len(line) < _WORDS:
            continue
        x = np.array([(word.left + word.right) / 2 for word in line])
        y = np.array([(word.top + word.bottom) / 2 for word in line])
        if np.ptp(x) > 0:
            slopes.append(float(np.polyfit(x, y, 1)[0]))
            weights.append(float(np.ptp(x)))
    if not slopes:
        return 0.0
    order = np.argsort(slopes)
    middle = np.searchsorted(np.cumsum(np.array(weights)[order]), sum(weights) / 2)
    found = float(np.array(slopes)[order][middle])
    return found if abs(found) <= _STEEPEST else 0.0


def straighten(picture: Picture, slope: float) -> Picture:
    """Return a picture with its lines laid flat; what moves in from outside is white."""
    shift = _shift(np.arange(picture.shape[1], dtype=np.float64), picture.shape[1], slope)
    rows = np.arange(picture.shape[0])[:, None] + shift[None, :]
    inside = (rows >= 0) & (rows < picture.shape[0])
    moved = np.take_along_axis(picture, rows.clip(0, picture.shape[0] - 1), axis=0)
    return np.where(inside, moved, np.uint8(255))


def lay_flat(words: Sequence[ReadWord], shape: Sequence[int], slope: float) -> list[ReadWord]:
    """Return words with their boxes as they are on the lay_flat picture.

    A box around a word that rises is taller than the word: it loses what the slope added.
    """
    found = []
    for word in words:
        middle = np.array([(word.left + word.right) / 2])
        down = int(_shift(middle, shape[1], slope)[0])
        less = int(abs(slope) * (word.right - word.left) / 2)
        less = min(less, (word.bottom - word.top) // 4)
        top, bottom = word.top - down + less, word.bottom - down - less
        found.append(replace(word, top=max(0, top), bottom=min(shape[0], bottom)))
    return found


def _shift(x: npt.NDArray[np.float64], width: int, slope: float) -> npt.NDArray[np.int64]:
    return np.asarray(np.rint((x - width / 2) * slope), np.int64)
