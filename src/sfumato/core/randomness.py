"""One seed, many named streams: the same plan gives the same bytes, whatever runs at the same time.

A stream depends on the seed and its name alone, not on the order in which streams are asked for, so
adding a step somewhere does not change the random numbers of another.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Streams"]


@dataclass(frozen=True, slots=True)
class Streams:
    """All randomness of one run.

    >>> a, b = Streams(7), Streams(7)
    >>> int(a.generator("folds").integers(1000)) == int(b.generator("folds").integers(1000))
    True
    >>> a.seed_of("folds") == a.seed_of("bootstrap")
    False
    """

    seed: int
    path: tuple[str, ...] = ()

    def child(self, name: str) -> Streams:
        """Return the streams of a part of the run; its names cannot clash with another part's."""
        return Streams(self.seed, (*self.path, name))

    def seed_of(self, name: str) -> int:
        """Return a 64-bit seed for code that takes an integer (numba kernels, scikit-learn)."""
        text = "\x1f".join((str(self.seed), *self.path, name))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")

    def generator(self, name: str) -> np.random.Generator:
        """Return a separate numpy generator for the named step."""
        import numpy as np

        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed_of(name))))
