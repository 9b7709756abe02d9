"""The orientation of a page, found by reading it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .deskewing import lay_flat, slope_of, straighten
from .protocol import Picture, ReadWord, Recogniser

__all__ = ["ReadPicture", "read_upright", "upright"]

_ENOUGH = 0.75  # mean confidence, by letter, of a page that is the right way up
_STEEP = (
    0.025  # of lines that are read once more when they are laid flat; about one and a half degrees
)
_FEW = 3  # letters a word has at least on average where a page is the right way up


@dataclass(frozen=True)
class ReadPicture:
    """The words of a page, in pixels of the page when it is turned and its lines are laid flat.

    It is turned by quarter turns as `numpy.rot90` turns it; `slope` is how far its lines fell then.
    """

    words: Sequence[ReadWord]
    quarter_turns: int = 0
    slope: float = 0.0


def read_upright(recogniser: Recogniser, picture: Picture, dpi: int) -> ReadPicture:
    """Return the words of a page, turned so that most of it can be read.

    Parameters
    ----------
    recogniser : Recogniser
        What reads.
    picture : Picture
        The page, as it was scanned.
    dpi : int
        Pixels per inch.

    """
    found = _find_turn(recogniser, picture, dpi)
    slope = slope_of(found.words)
    shape = np.rot90(picture, found.quarter_turns).shape
    laid = ReadPicture(lay_flat(found.words, shape, slope), found.quarter_turns, slope)
    if abs(slope) < _STEEP:
        return laid
    again = replace(laid, words=recogniser.read(upright(picture, laid), dpi))
    return max(laid, again, key=lambda read: _score(read.words))


def upright(picture: Picture, read: ReadPicture) -> Picture:
    """Return a page turned, and with its lines laid flat, as its words were read."""
    turned = np.ascontiguousarray(np.rot90(picture, read.quarter_turns))
    return straighten(turned, read.slope) if read.slope else turned


def _find_turn(recogniser: Recogniser, picture: Picture, dpi: int) -> ReadPicture:
    found = ReadPicture(recogniser.read(picture, dpi))
    if _is_upright(found.words):
        return found
    best = _score(found.words)
    for turns in (1, 2, 3):
        turned = np.ascontiguousarray(np.rot90(picture, turns))
        own = ReadPicture(recogniser.read(turned, dpi), turns)
        if _score(own.words) > best:
            found, best = own, _score(own.words)
        if _is_upright(own.words):
            break
    return found


def _letters(word: ReadWord) -> int:
    return sum(c.isalnum() for c in word.text)


def _score(words: Sequence[ReadWord]) -> float:
    """Return how much was read, and how surely: the letters of upright words, by their confidence."""
    return sum(
        _letters(word) * word.confidence**2
        for word in words
        if _letters(word) > 2 and word.right - word.left > word.bottom - word.top
    )


def _is_upright(words: Sequence[ReadWord]) -> bool:
    """Return whether words are upright, and are read with the confidence of an upright page."""
    letters = sum(map(_letters, words))
    long = [word for word in words if _letters(word) > 2]
    standing = sum(word.bottom - word.top > word.right - word.left for word in long)
    if letters < _FEW * len(words) or not letters or 2 * standing > len(long):
        return False
    return sum(_letters(word) * word.confidence for word in words) / letters >= _ENOUGH
