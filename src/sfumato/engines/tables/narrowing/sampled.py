"""A population that is known by a sample of it: how many people fit, and between which ends.

Of N people who fit, each is in a sample of fraction f by chance. The person who is looked for is known to be in it; of the
others, c are. With a prior of ½ the number of others outside the sample is negative binomial, N − 1 − c ~ NB(c + ½, f).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["SampleOf"]

Numbers = npt.NDArray[np.float64]
_PRIOR = 0.5


@dataclass(frozen=True)
class SampleOf:
    """A simple random sample of a population, of which the people who are looked for are part.

    >>> half = SampleOf(0.5)
    >>> half.people(np.array([1.0, 11.0])).tolist()
    [1.5, 21.5]
    >>> [ends.tolist() for ends in half.interval(np.array([1.0, 11.0]))]
    [[1.0, 14.0], [4.0, 32.0]]

    """

    fraction: float

    def people(self, counted: Numbers) -> Numbers:
        """Return how many people are expected to fit, given how many of the sample do."""
        others = np.maximum(counted - 1, 0)
        return 1 + others + (others + _PRIOR) * (1 - self.fraction) / self.fraction

    def interval(self, counted: Numbers) -> tuple[Numbers, Numbers]:
        """Return the ends of an interval that holds the number of people in 95 % of cases."""
        from scipy.stats import nbinom

        others = np.maximum(counted - 1, 0)
        low, high = (
            1 + others + nbinom.ppf(end, others + _PRIOR, self.fraction) for end in (0.025, 0.975)
        )
        return low, high
