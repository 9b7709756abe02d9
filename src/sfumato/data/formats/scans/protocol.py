"""The contract of a recogniser, which reads a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

__all__ = ["Picture", "ReadWord", "Recogniser", "UnreadPictureError"]

Picture: TypeAlias = npt.NDArray[np.uint8]
"""A grey picture, a row of pixels after the other; 0 is black."""


class UnreadPictureError(Exception):
    """A picture could not be read; the message continues the sentence "The document …"."""


@dataclass(frozen=True, slots=True)
class ReadWord:
    """A word as it was recognised, its box in pixels (right and bottom are outside), and how sure that is.

    `line` numbers the lines of a page in reading order; words of a line come one after the other.
    """

    text: str
    left: int
    top: int
    right: int
    bottom: int
    confidence: float
    line: int


@runtime_checkable
class Recogniser(Protocol):
    """Finds the words of a picture."""

    version: str
    """The name and version of what reads, as records keep it."""
    word_recall: float | None
    """The share of words that it read right on generated pages; None where nobody measured it."""

    def read(self, picture: Picture, dpi: int) -> Sequence[ReadWord]:
        """Return the words of an upright picture, in reading order; raise `UnreadPictureError` where it fails."""
