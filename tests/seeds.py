"""The seeds of the suite: `SFUMATO_SEED=7` gives other ones to hypothesis, to the private key and to who asks here.

`make test` runs with the same seeds each time; `make seeds N=20` runs what they can change with twenty others.
"""

from __future__ import annotations

import os

import numpy as np

OTHER = int(os.environ.get("SFUMATO_SEED", "0"))


def seeded(number: int = 0) -> int:
    """Return a seed: the number itself in `make test`, another one for every other SFUMATO_SEED."""
    return number + 100_003 * OTHER


def draw(number: int = 0) -> np.random.Generator:
    """Return a random generator of the suite."""
    return np.random.default_rng(seeded(number))
