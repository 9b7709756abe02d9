"""Draws for the samples from one named stream, in blocks: quick, and the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ...core.randomness import Streams

__all__ = ["Dice"]

T = TypeVar("T")


class Dice:
    """Uniform draws turned into choices.

    >>> Dice(0, "x").number(1, 6) == Dice(0, "x").number(1, 6)
    True
    """

    def __init__(self, seed: int, name: str) -> None:
        self._generator = Streams(seed).generator(name)
        self._drawn: list[float] = []

    def draw(self) -> float:
        """Return a number in [0, 1)."""
        if not self._drawn:
            self._drawn = self._generator.random(4096).tolist()
        return self._drawn.pop()

    def chance(self, share: float) -> bool:
        """Be true in a share of the cases."""
        return self.draw() < share

    def number(self, low: int, high: int) -> int:
        """Return a whole number, both ends included."""
        return low + int(self.draw() * (high - low + 1))

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options, each as likely."""
        return options[int(self.draw() * len(options))]

    def digits(self, count: int) -> str:
        """Return that many digits."""
        return "".join(str(self.number(0, 9)) for _ in range(count))
