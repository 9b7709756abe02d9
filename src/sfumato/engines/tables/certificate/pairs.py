"""Two large attributes and the rest: the sums from which every pair of intervals is measured.

A node fixes the rest between a coarsest and a finest policy. Risk is measured with the coarsest and loss with
the finest, so a bound for a node holds for every policy in between, and is sharp where both are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..contingency.cells import Bits, Cells
from ..space.constraints import Space
from . import _kernels as kernels

__all__ = ["Node", "PairSums", "two_largest"]


@dataclass(frozen=True)
class Node:
    """All policies whose bits outside the two large attributes are between `coarse` and `fine`."""

    coarse: bytes
    fine: bytes

    @property
    def single(self) -> bool:
        """Whether the rest is one policy."""
        return self.coarse == self.fine

    def split(self, order: Sequence[int]) -> tuple[Node, Node]:
        """Split at the first bit, in an order, that is open."""
        at = next(i for i in order if self.coarse[i] != self.fine[i])
        raised = self.coarse[:at] + b"\x01" + self.coarse[at + 1 :]
        lowered = self.fine[:at] + b"\x00" + self.fine[at + 1 :]
        return Node(self.coarse, lowered), Node(raised, self.fine)


def two_largest(space: Space) -> tuple[int, int] | None:
    """Return the two attributes with the most open cuts, the larger first; None if one has none."""
    open_cuts = [0 if r.keep else space.open_cuts(a).size for a, r in enumerate(space.rules)]
    order = sorted(range(len(open_cuts)), key=lambda a: (-open_cuts[a], a))
    if len(order) < 2 or open_cuts[order[1]] == 0:
        return None
    return order[0], order[1]


class Units:
    """The runs of values between the open cuts of one attribute."""

    def __init__(self, cells: Cells, space: Space, attribute: int) -> None:
        self.attribute = attribute
        size = int(space.sizes[attribute])
        cuts = space.open_cuts(attribute)
        starts = np.zeros(size, dtype=np.int64)
        starts[cuts + 1] = 1
        self.of_value = np.cumsum(starts)
        self.count = int(self.of_value[-1]) + 1
        self.width = np.bincount(self.of_value)
        widest = int(space.widest[attribute])
        ends = np.cumsum(self.width)
        begins = ends - self.width
        length = ends[None, :] - begins[:, None]
        upper = np.triu(np.ones((self.count, self.count), dtype=bool))
        first, after = cells.widths.before[attribute, begins], cells.widths.before[attribute, ends]
        width = np.where(upper, after[None, :] - first[:, None], 1)
        self.log_width = np.log(np.maximum(width, 1).astype(np.float64))
        single = np.eye(self.count, dtype=bool)
        allowed = upper & ((length <= widest) | single)
        nodes = space.allowed_intervals(attribute, self.count)
        if nodes is not None:
            low, band = np.nonzero(nodes)
            inside = np.zeros_like(allowed)
            inside[low, np.minimum(low + band, self.count - 1)] = True
            allowed &= inside
        self.allowed = allowed


class PairSums:
    """Counts of one node over two attributes, added up so that any rectangle is four look-ups."""

    def __init__(self, cells: Cells, space: Space, attributes: tuple[int, int], node: Node) -> None:
        self.cells, self.node = cells, node
        first, second = attributes
        self.outer, self.inner = Units(cells, space, first), Units(cells, space, second)
        coarse = self._rest(attributes, node.coarse)
        fine = coarse if node.single else self._rest(attributes, node.fine)
        occupied = slice(0, cells.occupied)
        people = np.maximum(cells.weight, 0.0)
        row = self.outer.of_value[cells.codes[first]]
        column = self.inner.of_value[cells.codes[second]]
        self.risk_n = self._sums(row[occupied], column[occupied], coarse[occupied], cells.count)
        self.risk_w = self._sums(row, column, coarse, people)[:, : self.risk_n.shape[1]]
        self.risk_n = self.risk_n.astype(np.int64 if cells.records >= 1 << 31 else np.int32)
        self.loss_n = self.risk_n
        if not node.single:
            fine_n = self._sums(row[occupied], column[occupied], fine[occupied], cells.count)
            self.loss_n = fine_n.astype(self.risk_n.dtype)
        bits = np.frombuffer(node.fine, dtype=np.uint8)
        self.widths = self._widths(attributes, bits)

    def _rest(self, attributes: tuple[int, int], bits: bytes) -> npt.NDArray[np.int64]:
        """Number the groups of the rest, those with records first."""
        cells = self.cells
        interval = cells.intervals(np.frombuffer(bits, dtype=np.uint8))
        key = np.zeros(cells.codes.shape[1], dtype=np.int64)
        for a in range(cells.attributes):
            if a not in attributes:
                key = key * (int(interval[a].max()) + 1) + interval[a][cells.codes[a]]
                key = np.unique(key, return_inverse=True)[1]
        inside = np.unique(key[: cells.occupied])
        number = np.full(int(key.max()) + 1, -1, dtype=np.int64)
        number[inside] = np.arange(inside.size)
        number[number < 0] = inside.size  # no record there: no part of any measure
        return number[key]

    def _sums(
        self,
        row: npt.NDArray[np.int64],
        column: npt.NDArray[np.int64],
        group: npt.NDArray[np.int64],
        amount: npt.NDArray[np.generic],
    ) -> npt.NDArray[np.float64]:
        groups = int(group.max()) + 1
        rows, columns = self.outer.count, self.inner.count
        key = (row * groups + group) * columns + column
        flat = np.bincount(key, weights=amount, minlength=rows * groups * columns)
        sums = np.zeros((rows + 1, groups, columns + 1))
        np.cumsum(flat.reshape(rows, groups, columns), axis=0, out=sums[1:, :, 1:])
        np.cumsum(sums[1:, :, 1:], axis=2, out=sums[1:, :, 1:])
        return sums

    def _widths(self, attributes: tuple[int, int], bits: Bits) -> float:
        """Return the rest's part of Σ margin·ln width."""
        interval = self.cells.intervals(bits)
        rest = (a for a in range(self.cells.attributes) if a not in attributes)
        return sum(self.cells.spread(a, interval[a]) for a in rest)

    @cached_property
    def _corners(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        cells, many = self.cells, self.outer.count
        risk, loss = np.zeros((many, many)), np.zeros((many, many))
        kernels.corner_parts(
            self.risk_n, self.risk_w, self.loss_n, cells.nlogn, self.outer.log_width,
            self.inner.log_width, risk, loss,
        )  # fmt: skip
        return risk / cells.scale[2], loss / (cells.records * cells.scale[3])

    @property
    def corner_risk(self) -> npt.NDArray[np.float64]:
        """By outer interval: its risk with one single inner interval, the least there is."""
        return self._corners[0]

    @property
    def corner_loss(self) -> npt.NDArray[np.float64]:
        """By outer interval: its loss with single inner units, the least there is."""
        return self._corners[1]

    @cached_property
    def outer_share(self) -> npt.NDArray[np.float64]:
        """The share of the records in each outer unit, with a little for the empty ones."""
        records = np.diff(self.risk_n[:, :, -1].sum(axis=1)).astype(np.float64)
        share: npt.NDArray[np.float64] = (records + 1.0) / (records.sum() + records.size)
        return share
