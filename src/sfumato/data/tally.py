"""Counts over rows while they are read: how many hold each feature, and how many ones each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from ..core.arrays import Counts

__all__ = ["Tally"]

_LARGEST = 4096  # ones of a row that are counted separately


def _none() -> Counts:
    return np.zeros(0, np.int64)


@dataclass
class Tally:
    """Counts of rows, batch by batch.

    >>> tally = Tally()
    >>> tally.add(np.array([0, 2, 3]), np.array([0, 2, 2]), np.array([1, 1, 1]), ["a", "b", "c"])
    >>> tally.counts.tolist(), tally.sizes.tolist()
    ([1, 0, 2], [0, 1, 1])
    """

    names: Sequence[str] = ()
    counts: Counts = field(default_factory=_none)
    """By feature: the rows that hold it."""
    sizes: Counts = field(default_factory=_none)
    """By number of ones: how many rows have that many."""

    @classmethod
    def of(
        cls,
        indptr: npt.NDArray[np.integer],
        indices: npt.NDArray[np.integer],
        names: Sequence[str],
        values: npt.NDArray[np.generic] | None = None,
    ) -> Self:
        """Count rows at once; without `values`, all that is stored are ones."""
        found = cls()
        found.add(indptr, indices, values, names)
        return found

    def add(
        self,
        indptr: npt.NDArray[np.integer],
        indices: npt.NDArray[np.integer],
        values: npt.NDArray[np.generic] | None,
        names: Sequence[str],
    ) -> None:
        """Count more rows; `names` may have grown, and stored zeros do not count."""
        self.names = names
        if values is not None and not values.all():
            held = np.asarray(values, bool)
            indptr = np.concatenate(([0], np.cumsum(held)))[indptr]
            indices = indices[held]
        self.counts = _sum(self.counts, np.bincount(indices, minlength=len(names)))
        self.sizes = _sum(self.sizes, np.bincount(np.minimum(np.diff(indptr), _LARGEST)))


def _sum(a: npt.NDArray[np.integer], b: npt.NDArray[np.integer]) -> Counts:
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    total = longer.astype(np.int64)
    total[: len(shorter)] += shorter
    return total
