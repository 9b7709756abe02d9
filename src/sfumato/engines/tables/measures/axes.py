"""Measures of a policy on a table, each monotone on the lattice.

A measure is called with a bit-string and returns a number in [0, 1]. Risks fall and losses rise as a policy
grows more general (`rises` says which); a search may use any pair of them (`explore(risk=…, loss=…)`).
`on_groups` measures the published file and shares nothing with what the search computes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ....core.arrays import Floats
from ....core.errors import ParameterError
from ..contingency.cells import Bits, Cells, Joint
from ..contingency.numbering import group_sizes
from .protocol import Context, PublishedGroups
from .sensitive import within

__all__ = [
    "AverageClassSize",
    "InformationLoss",
    "MutualInformationLoss",
    "PopulationRisk",
    "ProsecutorRisk",
    "SmallGroups",
]


@dataclass(frozen=True)
class PopulationRisk:
    """Re-identification against a population (equations 2 and 3): Σ 1/g over that of the data as it is."""

    cells: Cells
    name: ClassVar[str] = "population"
    rises: ClassVar[bool] = False

    @classmethod
    def of(cls, context: Context) -> PopulationRisk:
        """Build the measure for a table."""
        return cls(context.cells)

    def __call__(self, bits: Bits) -> float:
        return self.cells.measure(bits).risk

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file."""
        return groups.expected / groups.expected_unchanged


@dataclass(frozen=True)
class ProsecutorRisk:
    """The highest chance to name one record for an attacker who knows it is there: 1 / smallest group."""

    cells: Cells
    name: ClassVar[str] = "prosecutor"
    rises: ClassVar[bool] = False

    @classmethod
    def of(cls, context: Context) -> ProsecutorRisk:
        """Build the measure for a table."""
        return cls(context.cells)

    def __call__(self, bits: Bits) -> float:
        return 1.0 / self.cells.measure(bits).smallest_sample_group

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file."""
        return 1.0 / int(groups.size.min())


@dataclass(frozen=True)
class SmallGroups:
    """The share of records in groups of fewer than k records."""

    cells: Cells
    k: int = 5
    name: ClassVar[str] = "small-groups"
    rises: ClassVar[bool] = False

    @classmethod
    def of(cls, context: Context) -> SmallGroups:
        """Build the measure for a table."""
        return cls(context.cells, context.k)

    def __call__(self, bits: Bits) -> float:
        _, sizes = group_sizes(self.cells, bits)
        return float(sizes[sizes < self.k].sum()) / self.cells.records

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file."""
        return float(groups.count[groups.size < groups.k].sum()) / int(groups.count.sum())


@dataclass(frozen=True)
class InformationLoss:
    """KL divergence between the data and its generalised form (equation 4), over that of the top policy."""

    cells: Cells
    name: ClassVar[str] = "kl"
    rises: ClassVar[bool] = True

    @classmethod
    def of(cls, context: Context) -> InformationLoss:
        """Build the measure for a table."""
        return cls(context.cells)

    def __call__(self, bits: Bits) -> float:
        return self.cells.measure(bits).loss

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file."""
        return groups.relative_loss


@dataclass(frozen=True)
class AverageClassSize:
    """How far the average group has grown from that of the data as it is towards one single group."""

    cells: Cells
    name: ClassVar[str] = "class-size"
    rises: ClassVar[bool] = True

    @classmethod
    def of(cls, context: Context) -> AverageClassSize:
        """Build the measure for a table."""
        return cls(context.cells)

    def __call__(self, bits: Bits) -> float:
        n = self.cells.records
        least = n / self.cells.occupied
        average = n / self.cells.measure(bits).groups
        return 0.0 if n == least else (average - least) / (n - least)

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file."""
        n = int(groups.count.sum())
        least = n / groups.original.size
        return 0.0 if n == least else (n / groups.count.size - least) / (n - least)


@dataclass(frozen=True)
class MutualInformationLoss:
    """The share of the information about a target column that the published groups no longer give."""

    cells: Cells
    target: Joint
    name: ClassVar[str] = "mutual-information"
    rises: ClassVar[bool] = True

    @classmethod
    def of(cls, context: Context) -> MutualInformationLoss:
        """Build the measure for a table; it needs a target column."""
        if context.target is None:
            raise ParameterError(
                "The loss 'mutual-information' needs a target column.",
                hint="name one with 'target', or declare a sensitive attribute.",
            )
        return cls(context.cells, context.target)

    def information(self, bits: Bits) -> float:
        """Return the mutual information of the groups and the target, in nats."""
        group, _ = group_sizes(self.cells, bits)
        inside = within(group, self.target)
        n = inside.count.sum()
        margins = inside.sizes[inside.group] * inside.margin[inside.value]
        return float((inside.count * np.log(inside.count * n / margins)).sum() / n)

    @cached_property
    def _most(self) -> float:
        return self.information(np.ones(self.cells.length, dtype=np.uint8))

    def __call__(self, bits: Bits) -> float:
        if self._most <= 1e-12:
            return 0.0
        return min(1.0, max(0.0, 1.0 - self.information(bits) / self._most))

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file."""
        if groups.read_target is None:
            raise ParameterError(
                "The loss 'mutual-information' cannot be measured without a target column."
            )
        before, after = (_mutual_information(table) for table in groups.read_target())
        return min(1.0, max(0.0, 1.0 - after / before)) if before > 1e-12 else 0.0


def _mutual_information(table: Floats) -> float:
    """Return the mutual information of rows and columns of a table of counts, in nats."""
    share = table / table.sum()
    independent = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    inside = share > 0
    return float((share[inside] * np.log(share[inside] / independent[inside])).sum())
