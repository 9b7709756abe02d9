"""Measures of a policy on a table, each monotone on the lattice, and what is shown beside them.

A measure is called with a bit-string and gives a number in [0, 1]. Risks fall and losses rise as a policy
grows more general; a search may use any pair of them (`explore(risk=…, loss=…)`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ...core.errors import ParameterError
from .cells import Bits, Cells

__all__ = [
    "LOSSES",
    "RISKS",
    "AverageClassSize",
    "InformationLoss",
    "Measure",
    "MutualInformationLoss",
    "PopulationRisk",
    "ProsecutorRisk",
    "SmallGroups",
    "l_diversity",
    "t_closeness",
]

Joint = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Counts of another column within the cells: (occupied cell, number of the value, count)."""


@runtime_checkable
class Measure(Protocol):
    """What a search asks of a measure."""

    name: str

    def __call__(self, bits: Bits) -> float:
        """Measure a policy."""
        ...


@dataclass(frozen=True)
class PopulationRisk:
    """Re-identification against a population (equations 2 and 3): Σ 1/g over that of the data as it is."""

    cells: Cells
    name: str = "population"

    def __call__(self, bits: Bits) -> float:
        return self.cells.measure(bits).risk


@dataclass(frozen=True)
class ProsecutorRisk:
    """The highest chance to name one record for an attacker who knows it is there: 1 / smallest group."""

    cells: Cells
    name: str = "prosecutor"

    def __call__(self, bits: Bits) -> float:
        return 1.0 / self.cells.measure(bits).smallest_sample_group


@dataclass(frozen=True)
class SmallGroups:
    """The share of records in groups of fewer than k records."""

    cells: Cells
    k: int = 5
    name: str = "small-groups"

    def __call__(self, bits: Bits) -> float:
        _, sizes = group_sizes(self.cells, bits)
        return float(sizes[sizes < self.k].sum()) / self.cells.records


@dataclass(frozen=True)
class InformationLoss:
    """KL divergence between the data and its generalised form (equation 4), over that of the top policy."""

    cells: Cells
    name: str = "kl"

    def __call__(self, bits: Bits) -> float:
        return self.cells.measure(bits).loss


@dataclass(frozen=True)
class AverageClassSize:
    """How far the average group has grown from that of the data as it is towards one single group."""

    cells: Cells
    name: str = "class-size"

    def __call__(self, bits: Bits) -> float:
        n = self.cells.records
        least = n / self.cells.occupied
        average = n / self.cells.measure(bits).groups
        return 0.0 if n == least else (average - least) / (n - least)


@dataclass(frozen=True)
class MutualInformationLoss:
    """The share of the information about a target column that the published groups no longer give."""

    cells: Cells
    target: Joint
    name: str = "mutual-information"

    def _information(self, bits: Bits) -> float:
        group, _ = group_sizes(self.cells, bits)
        cell, value, count = self.target
        joint = _table(group[cell], value, count)
        n = count.sum()
        rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
        inside = joint > 0
        ratio = joint * n / (rows * columns)
        return float((joint[inside] * np.log(ratio[inside])).sum() / n)

    def __call__(self, bits: Bits) -> float:
        most = self._information(np.ones_like(bits))
        if most <= 1e-12:
            return 0.0
        return min(1.0, max(0.0, 1.0 - self._information(bits) / most))


RISKS = ("population", "prosecutor", "small-groups")
LOSSES = ("kl", "class-size", "mutual-information")


def risk_measure(name: str, cells: Cells, *, k: int = 5) -> Measure:
    """Give a risk by its name."""
    if name == "population":
        return PopulationRisk(cells)
    if name == "prosecutor":
        return ProsecutorRisk(cells)
    if name == "small-groups":
        return SmallGroups(cells, k)
    raise ParameterError.constraint("risk", "explore", f"one of {', '.join(RISKS)}", name)


def loss_measure(name: str, cells: Cells, target: Joint | None) -> Measure:
    """Give a loss by its name."""
    if name == "kl":
        return InformationLoss(cells)
    if name == "class-size":
        return AverageClassSize(cells)
    if name == "mutual-information":
        if target is None:
            raise ParameterError(
                "The loss 'mutual-information' needs a target column.",
                hint="give target='column', or declare a sensitive attribute.",
            )
        return MutualInformationLoss(cells, target)
    raise ParameterError.constraint("loss", "explore", f"one of {', '.join(LOSSES)}", name)


def group_sizes(cells: Cells, bits: Bits) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Number the groups of a policy: the group of each occupied cell, and the records of each group."""
    interval = cells.intervals(bits)
    rows = np.stack(
        [interval[a][cells.codes[a, : cells.occupied]] for a in range(cells.attributes)]
    )
    order = np.lexsort(rows[::-1])
    new = np.ones(order.size, dtype=bool)
    new[1:] = (rows[:, order[1:]] != rows[:, order[:-1]]).any(axis=0)
    group = np.empty(order.size, dtype=np.intp)
    group[order] = np.cumsum(new) - 1
    return group, np.bincount(group, weights=cells.count).astype(np.int64)


def _table(
    group: npt.NDArray[np.intp], value: npt.NDArray[np.int64], count: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    values = int(value.max()) + 1
    flat = np.bincount(
        group * values + value, weights=count, minlength=(int(group.max()) + 1) * values
    )
    return flat.reshape(-1, values)


def l_diversity(cells: Cells, bits: Bits, sensitive: Joint) -> int:
    """Give the least number of distinct sensitive values in a group."""
    group, _ = group_sizes(cells, bits)
    cell, value, count = sensitive
    return int((_table(group[cell], value, count) > 0).sum(axis=1).min())


def t_closeness(cells: Cells, bits: Bits, sensitive: Joint) -> float:
    """Give the largest distance between a group's distribution of a sensitive column and the whole's.

    All values are equally far from each other, so the distance is the total variation.
    """
    group, _ = group_sizes(cells, bits)
    cell, value, count = sensitive
    table = _table(group[cell], value, count)
    whole = table.sum(axis=0) / table.sum()
    inside = table / table.sum(axis=1, keepdims=True)
    return float(0.5 * np.abs(inside - whole).sum(axis=1).max())


def beside(cells: Cells, bits: Bits, sensitive: Mapping[str, Joint]) -> dict[str, object]:
    """Give what is shown beside a policy: k and, by sensitive column, l-diversity and t-closeness."""
    measured = cells.measure(bits)
    shown: dict[str, object] = {
        "k": measured.smallest_sample_group,
        "smallest_population_group": round(measured.smallest_population_group, 6),
        "groups": measured.groups,
    }
    if sensitive:
        shown["l_diversity"] = {n: l_diversity(cells, bits, j) for n, j in sensitive.items()}
        shown["t_closeness"] = {
            n: round(t_closeness(cells, bits, j), 6) for n, j in sensitive.items()
        }
    return shown
