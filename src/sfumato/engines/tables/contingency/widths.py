"""How wide an interval is: how many of its values count.

Values beyond the first and the last that occur do not: a band in which there is nobody tells nothing of anybody, so a
single group is worth nothing however wide a declared range is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts, Floats
from ....data.attributes import MISSING

__all__ = ["Widths", "spanned_by_attribute", "spanned_values"]


def spanned_values(domain: Sequence[str], counts: npt.NDArray[np.integer]) -> Floats:
    """Return 1 for each value from the first to the last that occurs, and for missing cells where there are any.

    >>> spanned_values(["0", "1", "2", "3", "?"], np.array([0, 2, 0, 1, 0])).tolist()
    [0.0, 1.0, 1.0, 1.0, 0.0]
    """
    known = len(domain) - (1 if len(domain) > 1 and domain[-1] == MISSING else 0)
    found = (counts > 0).astype(np.float64)
    there = np.flatnonzero(counts[:known])
    if there.size:
        found[there[0] : there[-1] + 1] = 1.0
    return found


def spanned_by_attribute(
    domains: Sequence[Sequence[str]], codes: npt.NDArray[np.integer], count: Counts
) -> list[Floats]:
    """Return `spanned_values` of each attribute of coded cells."""
    return [
        spanned_values(domain, np.bincount(codes[a], count, len(domain)).astype(np.int64))
        for a, domain in enumerate(domains)
    ]


class Widths:
    """How many values of an interval count, by attribute; all of them where nothing is said.

    The width of the interval from value i to value j of attribute a is `before[a, j + 1] - before[a, i]`.

    >>> Widths([3, 2], [np.array([0.0, 1.0, 1.0]), np.ones(2)]).before.tolist()
    [[0, 0, 1, 2], [0, 1, 2, 2]]
    """

    def __init__(self, sizes: Sequence[int], spanned: Sequence[Floats] = ()) -> None:
        self.sizes = sizes
        self.before = np.zeros((len(sizes), max(sizes) + 1), dtype=np.int64)
        for a, size in enumerate(sizes):
            steps = spanned[a] if len(spanned) else np.ones(size)
            self.before[a, 1 : size + 1] = np.cumsum(steps)
            self.before[a, size + 1 :] = self.before[a, size]

    def counted(self, attribute: int) -> npt.NDArray[np.int64]:
        """Return 1 for each value of an attribute that counts, and 0 for the others."""
        return np.diff(self.before[attribute, : self.sizes[attribute] + 1])

    def logs(self, attribute: int, interval: npt.NDArray[np.integer]) -> Floats:
        """Return the logarithms of the widths of an attribute's intervals; 0 where nothing counts."""
        counted = self.counted(attribute)
        width = np.bincount(interval[: counted.size], weights=counted)
        return np.asarray(np.log(np.maximum(width, 1.0)))

    @property
    def domains(self) -> npt.NDArray[np.int64]:
        """The widths of the whole domains."""
        return self.before[:, -1]

    @property
    def log_domains(self) -> Floats:
        """The logarithms of the widths of the whole domains."""
        return np.asarray(np.log(np.maximum(self.domains, 1.0)))
