"""One attribute at a time: what each of its intervals costs while the others stay, and the best partitions.

With the other attributes fixed, risk and loss are sums over the intervals of one attribute, so a dynamic
programme over a table of interval costs finds the partition that is exactly optimal for any weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import _interval_kernels as kernels
from .cells import Bits, Cells

__all__ = ["IntervalTable", "Partitions", "interval_table"]

_NO_MASK = np.zeros((0, 0), dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class Partitions:
    """Partitions of one attribute with what the whole policy then measures."""

    bits: npt.NDArray[np.uint8]  # (partitions, bits of the attribute)
    risk: npt.NDArray[np.float64]
    loss: npt.NDArray[np.float64]
    longest: int  # in units


@dataclass(frozen=True, slots=True)
class IntervalTable:
    """Risk and loss of the intervals [i, i + b] of one attribute, the rest of a policy fixed."""

    attribute: int
    cuts: npt.NDArray[np.intp]  # for each unit but the last: the attribute's bit after it
    size: int
    risk: npt.NDArray[np.float64]
    loss: npt.NDArray[np.float64]
    loss_of_rest: float
    steps: int

    def _to_bits(self, ends: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        bits = np.zeros((ends.shape[0], self.size - 1), dtype=np.uint8)
        bits[:, self.cuts] = ends[:, :-1]
        return bits

    def best(self, weights: npt.NDArray[np.float64]) -> tuple[Partitions, npt.NDArray[np.uint8]]:
        """Find the best partition for each weight of loss against risk."""
        units = self.risk.shape[0]
        last = np.empty(units, dtype=np.int32)
        ends = np.empty((len(weights), units), dtype=np.uint8)
        found = np.empty((len(weights), 3))
        kernels.best_partitions(self.risk, self.loss, weights, last, ends, found)
        possible = np.isfinite(found[:, 0])
        ends, found = ends[possible], found[possible]
        _, first = np.unique(ends, axis=0, return_index=True)
        first.sort()
        ends, found = ends[first], found[first]
        longest = int(found[:, 2].max()) if len(found) else 0
        loss = found[:, 1] + self.loss_of_rest
        return Partitions(self._to_bits(ends), found[:, 0], loss, longest), ends

    def flips(
        self, ends: npt.NDArray[np.uint8], partitions: Partitions
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
        """Measure every partition one cut away; rows (risk, loss) and (partition, attribute's bit)."""
        total = np.column_stack((partitions.risk, partitions.loss))
        found = np.empty((ends.shape[0] * ends.shape[1], 2))
        found_at = np.empty((found.shape[0], 2), dtype=np.int32)
        written = kernels.flips(self.risk, self.loss, ends, total, found, found_at)
        found, found_at = found[:written], found_at[:written]
        found_at[:, 1] = self.cuts[found_at[:, 1]]
        return found, found_at


def interval_table(
    cells: Cells,
    bits: Bits,
    attribute: int,
    band: int,
    *,
    cuts: npt.NDArray[np.intp] | None = None,
    allowed: npt.NDArray[np.uint8] = _NO_MASK,
    widest: int | None = None,
    max_below: int = 0,
) -> IntervalTable:
    """Measure every interval of `attribute` up to `band` units, the other attributes as in `bits`.

    A unit is a run of values between two of the `cuts` (bits of the attribute that may be set); without
    `cuts` each value is a unit.
    """
    a = attribute
    size = int(cells.sizes[a])
    cuts = np.arange(size - 1) if cuts is None else cuts
    unit = np.zeros(size, dtype=np.int32)
    unit[cuts + 1] = 1
    unit = np.cumsum(unit).astype(np.int32)
    units = int(unit[-1]) + 1
    band = min(band, units)
    column, how_many, widths = cells.columns(bits, a)
    risk, loss, below = (np.empty((units, band)) for _ in range(3))
    share, log = np.empty((units, band)), np.empty((units, band))
    steps = kernels.interval_costs(
        column, how_many, cells.by_value[a], unit[cells.codes[a]], cells.count, cells.weight,
        cells.nlogn, cells.least, share, log, below,
    )  # fmt: skip
    margin = np.bincount(unit, weights=cells.value_counts[a, :size]).astype(np.int64)
    length = np.bincount(unit).astype(np.int64)
    width = np.bincount(unit, weights=cells.widths.counted(a)).astype(np.int64)
    kernels.to_axes(
        share, log, below, margin, length, width, allowed, size if widest is None else widest,
        max_below, cells.scale, risk, loss,
    )  # fmt: skip
    rest = (cells.scale[0] + widths) / cells.records / cells.scale[3]
    return IntervalTable(a, cuts, size, risk, loss, float(rest), steps)
