"""Ranges for the next batch of documents, not for the mean of the old ones.

Documents are resampled twice: a bootstrap sample represents what might have been learned from, and a
batch drawn from it for what is published. Half an event (Jeffreys' prior) is added, because a sample
without a leak does not prove a rate of zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

from ..arrays import Floats
from ..errors import ParameterError
from ..measures import Interval
from .beta import beta_quantile

__all__ = ["CLUMP", "METHOD", "NextBatch", "exact_interval", "exact_upper"]

CLUMP = 3.0
_MOST_KEPT = 1 << 22  # weights that are kept between two ranges of the same batches: 32 MB
_MANY = 4  # a batch of this many times the documents is drawn by counts instead of one by one
METHOD = "two-stage bootstrap over documents, for a batch of {batch:,}"


@dataclass(frozen=True)
class NextBatch:
    """Draws what a batch of `batch` documents could look like, given `documents` that were measured.

    Parameters
    ----------
    documents
        How many documents were measured.
    batch
        How many documents the range is about; the release's size where it is known.
    seed
        Seed of the draws; the same seed gives the same batches, whatever is measured.
    replicates
        How many batches are drawn.

    """

    documents: int
    batch: int
    seed: int
    replicates: int = 1000
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.documents < 1 or self.batch < 1:
            raise ParameterError("A range over documents needs at least one document.")

    @property
    def method(self) -> str:
        """How the ranges are made, for the record."""
        return METHOD.format(batch=self.batch)

    def weights(self) -> Iterator[Floats]:
        """Yield how often each measured document is in each drawn batch."""
        random = np.random.default_rng(self.seed)
        n, m = self.documents, self.batch
        for _ in range(self.replicates):
            sample = random.integers(0, n, n)
            if m > _MANY * n:
                drawn = random.multinomial(m, np.bincount(sample, minlength=n) / n)
            else:
                drawn = np.bincount(sample[random.integers(0, n, m)], minlength=n)
            yield drawn.astype(np.float64)

    @cached_property
    def _kept(self) -> Floats:
        return np.array(list(self.weights()))

    def sums(self, columns: npt.NDArray[np.generic]) -> Floats:
        """Return the sum of each column (documents × columns) over each batch."""
        table = np.asarray(columns, np.float64)
        return np.concatenate([weights @ table for weights in self.blocks()])

    def blocks(self) -> Iterator[Floats]:
        """Yield the weights of many batches at once (batches × documents), in the order of `weights`."""
        if self.documents * self.replicates <= _MOST_KEPT:
            yield self._kept
            return
        drawn = self.weights()
        while block := list(islice(drawn, max(1, _MOST_KEPT // self.documents))):
            yield np.array(block)

    def events(self) -> Floats:
        """Return the further events of each batch that half an unseen one represents."""
        random = np.random.default_rng([self.seed, 1])
        rate = random.gamma(0.5, 1.0, self.replicates) * (self.batch / self.documents)
        return random.poisson(rate).astype(np.float64)

    def share(
        self, part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic], *, rare: bool
    ) -> Interval:
        """Return the range of Σ part / Σ whole over a batch; `rare` adds half an unseen event.

        >>> import numpy as np
        >>> never = NextBatch(50, 50, seed=0).share(np.zeros(50), np.full(50, 20), rare=True)
        >>> never.low, 0 < never.high < 0.01
        (0.0, True)
        """
        drawn = self.sums(np.stack([part, whole], axis=1))
        above = drawn[:, 0] + (self.events() if rare else 0.0)
        return self.interval(np.minimum(above / np.maximum(drawn[:, 1], 1.0), 1.0))

    def counts(self, expected: Floats) -> Floats:
        """Return what a new search of each batch would count, where this one expects this many.

        The rate of a search is itself known from one search alone (a gamma distribution, half an event
        added), and what it finds comes in clumps of about `CLUMP` words: a name is often two, and is repeated.
        """
        random = np.random.default_rng([self.seed, 2])
        shape = expected / CLUMP + 0.5
        return random.poisson(random.gamma(shape, CLUMP)).astype(np.float64)

    def interval(self, drawn: Floats) -> Interval:
        """Return the central range of drawn values."""
        tail = (1.0 - self.level) / 2
        low, high = np.quantile(drawn, [tail, 1.0 - tail])
        return Interval(float(low), float(high), self.level, self.method)


def exact_interval(found: int, of: int, level: float = 0.95) -> Interval:
    """Return Clopper and Pearson's interval of a share: never shorter than its level promises.

    >>> interval = exact_interval(0, 60)
    >>> interval.low, round(interval.high, 3)
    (0.0, 0.06)
    """
    if not 0 <= found <= of or of < 1:
        raise ParameterError(f"An exact interval needs 0 to {of:,} of {of:,}. Got {found:,}.")
    tail = (1.0 - level) / 2
    low = beta_quantile(tail, found, of - found + 1) if found else 0.0
    high = beta_quantile(1 - tail, found + 1, of - found) if found < of else 1.0
    return Interval(low, high, level, "Clopper–Pearson, exact")


def exact_upper(found: int, of: int, level: float = 0.95) -> float:
    """Return the exact one-sided upper bound of a share: what `found` of `of` still allows.

    >>> round(exact_upper(0, 60), 3)
    0.049
    """
    if not 0 <= found <= of or of < 1:
        raise ParameterError(f"An exact bound needs 0 to {of:,} of {of:,}. Got {found:,}.")
    return beta_quantile(level, found + 1, of - found) if found < of else 1.0
