"""The table as the search sees it: occupied combinations of values with their counts, and every evaluator.

The cost of everything here grows with the number of occupied cells, never with that of the rows or the product of the domains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from . import _interval_kernels, _measure_kernels, _walk_kernels
from ._group_kernels import GroupState, copy_groups, fill_bottom
from .overlay import distinct, overlay
from .widths import Widths

__all__ = ["Cells", "Joint", "Keys", "PolicyMeasures"]

Bits = npt.NDArray[np.uint8]
_Numbers = npt.NDArray[np.int64]
_DENSE_FACTOR = 8  # an index is used where it takes at most this many places a cell
_NLOGN_TABLE = 1 << 16


class Keys(NamedTuple):
    """The two places of each cell, and the part of its group's key at each of these."""

    row_of: npt.NDArray[np.int32]
    column_of: npt.NDArray[np.integer]
    row_key: npt.NDArray[np.int64]
    column_key: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PolicyMeasures:
    """What a policy does to the table, exactly.

    `risk` is eq. 2, `loss` the KL divergence over that of the top policy, `loss_nats` the divergence
    itself; `below` counts the records in groups smaller than the least sizes asked for.
    """

    risk: float
    loss: float
    loss_nats: float
    below: int
    groups: int
    smallest_sample_group: int
    smallest_population_group: float


class Cells:
    """Occupied cells of the sample and of the population, coded, with all evaluators on them.

    `codes[a, i]` is the value of attribute a in cell i; cells with records come first. `weight` is the
    population of the cell; without a population the sample is the population.

    >>> cells = Cells([3, 2], np.array([[0, 1, 2], [0, 0, 1]]), np.array([1, 1, 2]))
    >>> cells.measure(np.array([0, 1, 1], dtype=np.uint8)).risk  # ages 0–1 in one band
    0.6666666666666666
    """

    def __init__(
        self,
        sizes: Sequence[int],
        codes: npt.NDArray[np.integer],
        count: npt.NDArray[np.integer],
        population_codes: npt.NDArray[np.integer] | None = None,
        population_count: npt.NDArray[np.floating] | npt.NDArray[np.integer] | None = None,
        *,
        least_sample: int = 0,
        least_population: float = 0,
        spanned: Sequence[npt.NDArray[np.float64]] = (),
    ) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.attributes = len(self.sizes)
        self.has_population = population_codes is not None
        self.first = np.concatenate(([0], np.cumsum(self.sizes - 1))).astype(np.int64)
        self.length = int(self.first[-1])
        self.widths = Widths(self.sizes.tolist(), spanned)
        self.attribute_of_bit = np.repeat(
            np.arange(self.attributes, dtype=np.int32), self.sizes - 1
        )
        self.least = np.array([least_sample, least_population], dtype=np.float64)
        self._set_keys()
        laid = overlay(
            np.asarray(codes), np.asarray(count, dtype=np.int64), population_codes, population_count
        )
        self.codes, self.count, self.weight, self.place = laid
        self.occupied = len(self.count)
        self.without_population = int(self.count[self.weight[: self.occupied] == 0].sum())
        self.records = int(self.count.sum())
        if self.records == 0:
            raise DataError("The table holds no record to publish.")
        self.nlogn = _nlogn_table(min(_NLOGN_TABLE, self.records + 1))
        self._factor()
        self.value_counts = np.zeros((self.attributes, int(self.sizes.max())), dtype=np.int64)
        self.value_weights = np.zeros(self.value_counts.shape)
        for a in range(self.attributes):
            np.add.at(self.value_counts[a], self.codes[a, : self.occupied], self.count)
            np.add.at(self.value_weights[a], self.codes[a], self.weight)
        self._bottom: GroupState | None = None
        self._walk_scratch: tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]] | None = None
        self._set_scale()

    def with_least(self, sample: float, population: float) -> Cells:
        """Return the same cells under other smallest sizes of groups."""
        other = copy(self)
        other.least = np.array([sample, population], dtype=np.float64)
        vars(other).update(_bottom=None, _walk_scratch=None)
        vars(other).pop("_dense_index", None)
        return other

    def _set_keys(self) -> None:
        self.space = math.prod(self.sizes.tolist())
        self.wide = self.space >= 1 << 62
        if self.wide:
            draws = np.random.Generator(np.random.PCG64(20130218))  # a fixed hash, not a sample
            self.multiplier = draws.integers(1 << 61, size=self.attributes, dtype=np.int64) | 1
        else:
            steps = np.cumprod(np.concatenate((self.sizes[1:], [1]))[::-1])[::-1]
            self.multiplier = steps.astype(np.int64)

    def _factor(self) -> None:
        """Split the attributes in two, so that a cell's key is the sum of two small look-ups."""
        total = self.codes.shape[1]
        largest_first = sorted(range(self.attributes), key=lambda a: (-self.sizes[a], a))
        row: list[int] = []
        combinations = 1
        for a in largest_first:
            combinations *= int(self.sizes[a])
            if row and combinations > max(total // 8, 256):
                break
            row.append(a)
        column = [a for a in range(self.attributes) if a not in row]
        self._rows, self._row_of = distinct(self.codes[row])
        by_row = self.occupied + np.argsort(self._row_of[self.occupied :], kind="stable")
        order = np.concatenate((np.arange(self.occupied), by_row))
        self.codes = np.ascontiguousarray(self.codes[:, order])
        self.weight = self.weight[order]
        self._row_of = self._row_of[order]
        amounts = np.bincount(self._row_of[self.occupied :], minlength=self._rows.shape[1])
        self._row_start = self.occupied + np.concatenate(([0], np.cumsum(amounts)))
        self._columns, self._column_of = (
            distinct(self.codes[column])
            if column
            else (np.zeros((0, 1), dtype=np.int32), np.zeros(total, dtype=np.int32))
        )
        if self._columns.shape[1] <= 1 << 16:  # a smaller stream through the cache
            self._column_of = self._column_of.astype(np.uint16)
        exact = self.weight.astype(np.float32)
        small = bool((exact == self.weight).all()) and float(self.weight.max()) < 1 << 24
        self._outside = exact if small else self.weight
        self._row_attributes = np.array(row, dtype=np.int64)
        self._column_attributes = np.array(column, dtype=np.int64)
        self._limit = _DENSE_FACTOR * total + (1 << 16)
        self._scratch_bits = max(4, int(np.ceil(np.log2(2 * self.occupied + 1))))
        size = min(max(self.space, 1), self._limit)
        capacity = 1 << self._scratch_bits
        self._dense_scratch = np.zeros(size, dtype=np.int64), np.zeros(2 * size)
        self._hash_scratch = (
            np.zeros(capacity, dtype=np.int64),
            np.zeros(capacity, dtype=np.int64),
            np.zeros(2 * capacity),
        )

    @cached_property
    def table(self) -> tuple[_Numbers, npt.NDArray[np.int32], _Numbers, _Numbers]:
        """A table of groups, the places in it that are used, and room to put keys and counts in order."""
        places, many = np.zeros(2 << self._scratch_bits, dtype=np.int64), self.occupied
        keys, moved = np.empty(many, dtype=np.int64), np.empty(2 * many, dtype=np.int64)
        return places, np.empty(many, dtype=np.int32), keys, moved

    def _set_scale(self) -> None:
        self.scale = np.array([0.0, self.records, 1.0, 1.0])
        bottom = self._sums(np.ones(self.length, dtype=np.uint8))[0]
        self.scale[0], self.scale[2] = bottom[1], bottom[0]
        top = self._sums(np.zeros(self.length, dtype=np.uint8))
        nats = (self.scale[0] - top[0][1] + top[2]) / self.records
        self.scale[3] = nats if nats > 1e-12 else 1.0

    @property
    def loss_top_nats(self) -> float:
        """The loss of the most general policy, in nats: the unit of the loss axis."""
        return float(self.scale[3])

    @property
    def expected_reidentified(self) -> float:
        """Σ 1/g over the records as they are: the records an attacker expects to name (eq. 3)."""
        return float(self.scale[2])

    def intervals(self, bits: Bits) -> npt.NDArray[np.int32]:
        """Return, for each attribute and value, the index of the interval it falls in."""
        table = np.zeros((self.attributes, int(self.sizes.max())), dtype=np.int32)
        for a in range(self.attributes):
            part = bits[self.first[a] : self.first[a + 1]]
            np.cumsum(part, out=table[a, 1 : self.sizes[a]])
        return table

    def spread(self, attribute: int, interval: npt.NDArray[np.integer]) -> float:
        """Return an attribute's part of Σ margin·ln width."""
        held = self.value_counts[attribute, : int(self.sizes[attribute])]
        inside = np.bincount(interval[: held.size], weights=held)
        return float(np.dot(inside, self.widths.logs(attribute, interval)))

    def _sums(self, bits: Bits) -> tuple[npt.NDArray[np.float64], int, float]:
        interval = np.zeros((self.attributes, int(self.sizes.max())), dtype=np.int32)
        amounts = np.empty(self.attributes, dtype=np.int64)
        widths = _measure_kernels.intervals(
            bits, self.first, self.sizes, self.value_counts, self.widths.before, interval, amounts
        )
        step, multipliers = 1, np.empty(self.attributes, dtype=np.int64)
        for a in range(self.attributes - 1, -1, -1):
            multipliers[a] = self.multiplier[a] if self.wide else step
            step *= int(amounts[a])
        dense = not self.wide and step <= self._limit
        row_key, column_key = self._keys(interval, multipliers)
        out = np.empty(5)
        if not self.has_population and not self.wide:
            cells = (self._row_of, self._column_of, row_key, column_key, self.count)
            if dense:
                counts = self._dense_scratch[0]
                groups = _measure_kernels.measure_sample_dense(
                    *cells, step, self.nlogn, self.least, counts, out
                )
            else:
                groups = _measure_kernels.measure_sample_by_hash(
                    *cells, self.nlogn, self.least, *self.table, out
                )
        elif dense:
            groups = _measure_kernels.measure_dense(
                self._row_of, self._row_start, self._column_of, row_key, column_key, self.count,
                self.weight, self._outside, step, self.nlogn, self.least, *self._dense_scratch, out,
            )  # fmt: skip
        else:
            groups = _measure_kernels.measure_by_hash(
                self._row_of, self._column_of, row_key, column_key, self.count, self.weight,
                self.nlogn, self.least, *self._hash_scratch, self.codes, interval, int(self.wide), out,
            )  # fmt: skip
        return out, groups, widths

    def keys_of(self, bits: Bits) -> Keys:
        """Return what the group of a cell is known by: its two places, and the parts of the key at each.

        The sum of both parts is the same for all cells of a group, and for no others unless `wide`.
        """
        interval = self.intervals(bits)
        step, multipliers = 1, np.empty(self.attributes, dtype=np.int64)
        for a in range(self.attributes - 1, -1, -1):
            multipliers[a] = self.multiplier[a] if self.wide else step
            step *= int(interval[a].max()) + 1
        return Keys(self._row_of, self._column_of, *self._keys(interval, multipliers))

    def columns(self, bits: Bits, attribute: int) -> tuple[npt.NDArray[np.int32], int, float]:
        """Number the combinations of the other attributes' intervals that hold a record.

        Gives the column of each cell (−1: no record there), how many there are, and the others' part of
        the loss that comes from their widths (Σ margin·ln width).
        """
        interval = self.intervals(bits)
        widths, step, multipliers = 0.0, 1, np.zeros(self.attributes, dtype=np.int64)
        for a in range(self.attributes - 1, -1, -1):
            if a == attribute:
                continue
            widths += self.spread(a, interval[a])
            multipliers[a] = self.multiplier[a] if self.wide else step
            step *= int(interval[a].max()) + 1
        dense = not self.wide and step <= self._limit
        row_key, column_key = self._keys(interval, multipliers)
        column = np.empty(self.codes.shape[1], dtype=np.int32)
        scratch = np.empty(step if dense else 1 << self._scratch_bits, dtype=np.int32)
        how_many = _interval_kernels.columns(
            self._row_of, self._column_of, row_key, column_key, step if dense else 0, self.occupied,
            scratch, self._hash_scratch[0], self.codes, interval, attribute, int(self.wide), column,
        )  # fmt: skip
        return column, how_many, widths

    def _keys(
        self, interval: npt.NDArray[np.int32], multipliers: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        row_key = _measure_kernels.keys(self._rows, self._row_attributes, interval, multipliers)
        column_key = _measure_kernels.keys(
            self._columns, self._column_attributes, interval, multipliers
        )
        return row_key, column_key

    @cached_property
    def by_value(self) -> npt.NDArray[np.int32]:
        """The cells sorted by their value of each attribute."""
        return np.array([np.argsort(c, kind="stable") for c in self.codes], dtype=np.int32)

    def measure(self, bits: Bits) -> PolicyMeasures:
        """Measure any policy."""
        out, groups, widths = self._sums(bits)
        nats = (self.scale[0] - out[1] + widths) / self.records
        return PolicyMeasures(
            risk=float(out[0] / self.scale[2]),
            loss=float(nats / self.scale[3]),
            loss_nats=float(nats),
            below=int(out[2]),
            groups=groups,
            smallest_sample_group=int(out[3]),
            smallest_population_group=float(out[4]),
        )

    def bottom_groups(self) -> GroupState:
        """Return a fresh state at the most specific policy, to be merged in place."""
        if self._bottom is None:
            self._bottom = self._empty_groups()
            fill_bottom(self._bottom, self.nlogn, self.value_counts, self.sizes)
        fresh = self._empty_groups()
        copy_groups(self._bottom, fresh)
        return fresh

    def _empty_groups(self) -> GroupState:
        d, total = self.codes.shape
        widest = int(self.sizes.max())
        dense = not self.wide and self.space <= self._limit
        bits = max(4, int(np.ceil(np.log2(3 * total + 1))))
        flags = np.array([dense, self.wide, bits, 0], dtype=np.int64)

        def by_value() -> npt.NDArray[np.int64]:
            return np.zeros((d, widest), dtype=np.int64)

        def short() -> npt.NDArray[np.int32]:
            return np.zeros((d, widest), dtype=np.int32)

        return GroupState(
            codes=self.codes,
            rep=short(), low=short(), high=short(),
            multiplier=self.multiplier,
            key=np.empty(total, dtype=np.int64),
            table_key=np.empty(1 if dense else 1 << bits, dtype=np.int64),
            table_id=np.empty(self.space if dense else 1 << bits, dtype=np.int32),
            weight=self.weight.copy(),
            records=self.count.copy(),
            share=np.empty(self.occupied),
            inside=np.empty((d, self.occupied), dtype=np.int32),
            inside_at=by_value(), inside_len=by_value(),
            outside=np.empty((d, total - self.occupied), dtype=np.int32),
            outside_at=by_value(), outside_len=by_value(),
            margin=by_value(), before=self.widths.before,
            sums=np.zeros(4),
            least=self.least,
            flags=flags,
        )  # fmt: skip

    @cached_property
    def _dense_index(
        self,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Population and sample by place in the product of the domains, and the sums of the bottom."""
        place = (self.multiplier[:, None] * self.codes).sum(axis=0)
        weight, count = np.zeros(self.space), np.zeros(self.space, dtype=np.int32)
        weight[place] = self.weight
        count[place[: self.occupied]] = self.count
        bottom = self._sums(np.ones(self.length, dtype=np.uint8))[0]
        return weight, count, np.array([bottom[0], bottom[1], bottom[2], 0.0])

    def walk(
        self, order: npt.NDArray[np.integer], groups: GroupState | None = None
    ) -> npt.NDArray[np.float64]:
        """Measure a chain: clear the bits in order from bottom; (risk, loss, below) after each."""
        attributes = self.attribute_of_bit[order]
        values = (order - self.first[attributes]).astype(np.int32)
        sums = np.empty((len(order), 4))
        dense = not self.wide and self.space <= self._limit and self.records < 1 << 31
        if groups is None and dense:
            weight, count, bottom = self._dense_index
            if self._walk_scratch is None:
                self._walk_scratch = np.empty_like(weight), np.empty_like(count)
            _walk_kernels.walk_dense(
                weight, count, *self._walk_scratch, self.multiplier, self.sizes, self.value_counts,
                self.widths.before, attributes, values, self.nlogn, self.least, bottom, sums,
            )  # fmt: skip
            return self.to_axes(sums)
        state = self.bottom_groups() if groups is None else groups
        _walk_kernels.walk(state, attributes, values, self.nlogn, sums)
        return self.to_axes(sums)

    def to_axes(self, sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Turn sums into (risk, loss, records below the least sizes)."""
        nats = (self.scale[0] - sums[:, 1] + sums[:, 3]) / self.records
        return np.column_stack((sums[:, 0] / self.scale[2], nats / self.scale[3], sums[:, 2]))


def _nlogn_table(size: int) -> npt.NDArray[np.float64]:
    n = np.arange(size, dtype=np.float64)
    n[0] = 1.0
    return n * np.log(n)


Joint = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Counts of another column within the cells: (occupied cell, number of the value, count)."""
