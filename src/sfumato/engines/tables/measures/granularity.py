"""Granularity: how coarse the published intervals are (the normalised certainty penalty of Xu et al. 2006).

A record loses, in each attribute, the share of the attribute's values that its interval spans beyond its own; which
values count is said in `contingency.widths`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ....core.arrays import Floats
from ....core.errors import ParameterError
from ..contingency.cells import Bits, Cells
from .protocol import Context, PublishedGroups

__all__ = ["GranularityLoss"]


@dataclass(frozen=True)
class GranularityLoss:
    """The mean penalty of records and attributes, attributes by their weights: 0 unchanged, 1 nothing published."""

    cells: Cells
    weights: tuple[float, ...]
    name: ClassVar[str] = "granularity"
    rises: ClassVar[bool] = True

    @classmethod
    def of(cls, context: Context) -> GranularityLoss:
        """Build the measure for a table."""
        cells = context.cells
        return cls(cells, tuple(context.weights or (1.0 for _ in cells.sizes)))

    @cached_property
    def _shares(self) -> Floats:
        """The weight of each attribute in the mean; those with a single value have none."""
        shares = (self.cells.widths.domains > 1) * np.array(self.weights)
        return np.asarray(shares / shares.sum()) if shares.sum() > 0 else shares

    def penalties(self, a: int, bits: Bits) -> Floats:
        """Return what a record with each value of an attribute loses."""
        part = bits[int(self.cells.first[a]) : int(self.cells.first[a + 1])]
        interval = np.concatenate(([0], np.cumsum(part, dtype=np.int64)))
        width = np.bincount(interval, weights=self.cells.widths.counted(a))[interval]
        most = max(float(self.cells.widths.domains[a]) - 1.0, 1.0)
        return np.asarray(np.clip((width - 1.0) / most, 0.0, 1.0))

    def __call__(self, bits: Bits) -> float:
        cells, total = self.cells, 0.0
        for a, size in enumerate(cells.sizes.tolist()):
            if self._shares[a]:
                lost = float(np.dot(cells.value_counts[a, :size], self.penalties(a, bits)))
                total += float(self._shares[a]) * lost
        return total / cells.records

    def of_kept(self, bits: Bits, kept: npt.NDArray[np.integer]) -> float:
        """Return the loss when only some records of each occupied cell are published; the others lose all."""
        cells = self.cells
        total = float(cells.records - int(kept.sum()))
        for a in range(cells.attributes):
            if self._shares[a]:
                lost = self.penalties(a, bits)[cells.codes[a, : cells.occupied]]
                total += float(self._shares[a]) * float(np.dot(kept, lost))
        return total / cells.records

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file."""
        if groups.read_granularity is None:
            raise ParameterError("The granularity of these groups was not read.")
        return groups.read_granularity()
