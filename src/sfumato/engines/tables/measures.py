"""Measures of a policy on a table, each monotone on the lattice, and what is shown beside them.

A measure is called with a bit-string and gives a number in [0, 1]. Risks fall and losses rise as a policy
grows more general (`rises` says which); a search may use any pair of them (`explore(risk=…, loss=…)`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NotRequired, Protocol, TypedDict, runtime_checkable

import numpy as np
import numpy.typing as npt

from ...core.errors import ParameterError
from .cells import Bits, Cells
from .records import AbsoluteRisks
from .sampling import Sampled, estimate_of

__all__ = [
    "AverageClassSize",
    "Context",
    "InformationLoss",
    "Joint",
    "Measure",
    "MutualInformationLoss",
    "PopulationRisk",
    "ProsecutorRisk",
    "SmallGroups",
    "Within",
    "beside",
    "closeness",
    "diversity",
    "group_sizes",
    "l_diversity",
    "shown_of",
    "size_histogram",
    "t_closeness",
    "within",
]

Joint = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Counts of another column within the cells: (occupied cell, number of the value, count)."""

_BOUNDS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True)
class Context:
    """What a measure may need: the cells, the group size of `small-groups`, the counts of a target column."""

    cells: Cells
    k: int = 5
    target: Joint | None = None


@runtime_checkable
class Measure(Protocol):
    """What a search asks of a measure: its name, its direction along generalisation, its value.

    A measure of another package also has a class method `on_groups(groups: PublishedGroups)`, by
    which publishing measures the written file again, knowing nothing of the search.
    """

    name: ClassVar[str]
    rises: ClassVar[bool]

    @classmethod
    def of(cls, context: Context) -> Measure:
        """Build the measure for a table."""
        ...

    def __call__(self, bits: Bits) -> float:
        """Measure a policy."""
        ...


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


# --- groups --------------------------------------------------------------------------------------


def group_sizes(cells: Cells, bits: Bits) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Number the groups of a policy: the group of each occupied cell, and the records of each group."""
    interval = cells.intervals(bits)
    key = np.zeros(cells.occupied, dtype=np.int64)
    span = 1
    for a in range(cells.attributes):
        place = interval[a][cells.codes[a, : cells.occupied]]
        wide = int(interval[a].max()) + 1
        if span * wide >= 1 << 62:  # renumber what there is before the key would overflow
            found, key = np.unique(key, return_inverse=True)
            span = found.size
        key = key * wide + place
        span *= wide
    _, group = np.unique(key, return_inverse=True)
    return group, np.bincount(group, weights=cells.count).astype(np.int64)


@dataclass(frozen=True)
class Within:
    """A column's values within the groups of a policy: one entry for each pair that occurs."""

    group: npt.NDArray[np.int64]
    value: npt.NDArray[np.int64]
    count: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.float64]
    margin: npt.NDArray[np.float64]

    def renumbered(self) -> Within:
        """Return the same with groups and values numbered from 0 without gaps."""
        group = np.unique(self.group, return_inverse=True)[1]
        value = np.unique(self.value, return_inverse=True)[1]
        return Within(group, value, self.count, _sums(group, self.count), _sums(value, self.count))


def within(group: npt.NDArray[np.integer], joint: Joint) -> Within:
    """Count a column's values within groups."""
    cell, value, count = joint
    values = int(value.max()) + 1
    pair, which = np.unique(group[cell] * values + value, return_inverse=True)
    groups, numbers = np.divmod(pair, values)
    counts = _sums(which, count)
    return Within(groups, numbers, counts, _sums(groups, counts), _sums(numbers, counts))


def _sums(where: npt.NDArray[np.integer], what: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    return np.bincount(where, weights=what).astype(np.float64)


def l_diversity(cells: Cells, bits: Bits, sensitive: Joint) -> tuple[int, float]:
    """Return l-diversity: the least number of distinct sensitive values in a group, and exp(least entropy)."""
    return diversity(within(group_sizes(cells, bits)[0], sensitive))


def diversity(inside: Within) -> tuple[int, float]:
    """Return the least number of distinct values in a group, and exp of the least entropy."""
    distinct = np.bincount(inside.group)
    share = inside.count / inside.sizes[inside.group]
    entropy = np.bincount(inside.group, weights=-share * np.log(share))
    return int(distinct.min()), float(np.exp(entropy.min()))


def t_closeness(cells: Cells, bits: Bits, sensitive: Joint, *, ordered: bool = False) -> float:
    """Return the largest distance between a group's distribution of a sensitive column and the whole's."""
    return closeness(within(group_sizes(cells, bits)[0], sensitive), ordered=ordered)


def closeness(inside: Within, *, ordered: bool = False) -> float:
    """Return the largest earth mover's distance of a group from the whole.

    Names are equally far from each other, so the distance is the total variation; numbers lie in their
    order, and a step from one to the next costs 1/(m − 1), m being the number of different values.
    """
    whole = inside.margin / inside.margin.sum()
    share = inside.count / inside.sizes[inside.group]
    if ordered and whole.size > 1:
        return _ordered_distance(inside, whole, share)
    # ½ Σ |p − q| = Σ max(p − q, 0), which needs only the values that a group holds
    excess = np.maximum(share - whole[inside.value], 0.0)
    return float(np.bincount(inside.group, weights=excess).max())


def _ordered_distance(
    inside: Within, whole: npt.NDArray[np.float64], share: npt.NDArray[np.float64]
) -> float:
    """Add up |P − Q| over the steps between neighbouring values; P is constant between a group's values."""
    steps = whole.size - 1
    below = np.cumsum(whole)[:-1]  # Q at each step
    sums = np.concatenate(([0.0], np.cumsum(below)))
    reached = np.cumsum(share)
    first = np.concatenate(([True], inside.group[1:] != inside.group[:-1]))
    before = np.where(first, reached - share, 0.0)
    reached = reached - np.maximum.accumulate(before)  # P from this value on
    following = np.append(inside.value[1:], steps)
    end = np.where(np.append(first[1:], True), steps, np.minimum(following, steps))
    start = np.minimum(inside.value, steps)

    def part(
        level: npt.NDArray[np.float64], low: npt.NDArray[np.int64], high: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        middle = np.clip(np.searchsorted(below, level), low, high)
        under = level * (middle - low) - (sums[middle] - sums[low])
        over = (sums[high] - sums[middle]) - level * (high - middle)
        both: npt.NDArray[np.float64] = under + over
        return both

    total = part(np.minimum(reached, 1.0), start, end)
    lead = np.where(first, sums[start], 0.0)  # before the first value P is 0
    distance = np.bincount(inside.group, weights=total + lead)
    return float(distance.max() / steps)


class Shown(TypedDict):
    """What is shown beside a policy; the fields of the same names of its record."""

    loss_nats: float
    k: int
    smallest_population_group: float
    groups: int
    prosecutor_risk: float
    average_group: float
    risks: AbsoluteRisks
    l_diversity: NotRequired[dict[str, int]]
    l_diversity_entropy: NotRequired[dict[str, float]]
    t_closeness: NotRequired[dict[str, float]]


def beside(
    cells: Cells,
    bits: Bits,
    sensitive: Mapping[str, Joint],
    ordered: Mapping[str, bool] | None = None,
    fraction: Sampled = None,
    units: npt.NDArray[np.integer] | None = None,
) -> Shown:
    """Return what is shown beside a policy: its loss in nats, k, the field's risks and, by column, l and t.

    `units` is the group of each unit in which the sensitive columns are counted, where those are no cells.
    """
    measured = cells.measure(bits)
    average = measured.risk * cells.expected_reidentified / cells.records
    group, sizes = group_sizes(cells, bits)
    shown: Shown = {
        "loss_nats": measured.loss_nats,
        "k": measured.smallest_sample_group,
        "smallest_population_group": round(measured.smallest_population_group, 6),
        "groups": measured.groups,
        "prosecutor_risk": round(1.0 / measured.smallest_sample_group, 9),
        "average_group": round(cells.records / measured.groups, 6),
        "risks": AbsoluteRisks(
            prosecutor_max=1.0 / measured.smallest_sample_group,
            prosecutor_average=measured.groups / cells.records,
            journalist_max=1.0 / max(measured.smallest_population_group, 1.0),
            journalist_average=average,
            marketer=average,
            sample_uniqueness=float((sizes == 1).sum()) / cells.records,
            estimate=estimate_of(sizes, sizes, fraction),
        ),
    }
    if sensitive:
        inside_of = group if units is None else units
        inner = {name: within(inside_of, joint) for name, joint in sensitive.items()}
        return {**shown, **shown_of(inner, ordered or {})}
    return shown


class OfSensitive(TypedDict):
    """What is shown of sensitive columns; fields of `Shown`."""

    l_diversity: dict[str, int]
    l_diversity_entropy: dict[str, float]
    t_closeness: dict[str, float]


def shown_of(inside: Mapping[str, Within], ordered: Mapping[str, bool]) -> OfSensitive:
    """Return diversity and closeness by sensitive column, rounded as they are shown."""
    diverse = {name: diversity(one) for name, one in inside.items()}
    return {
        "l_diversity": {name: distinct for name, (distinct, _) in diverse.items()},
        "l_diversity_entropy": {name: round(e, 6) for name, (_, e) in diverse.items()},
        "t_closeness": {
            name: round(closeness(one, ordered=ordered.get(name, False)), 6)
            for name, one in inside.items()
        },
    }


class SizeRange(TypedDict):
    """The records in groups of some sizes; the fields of `GroupSize`."""

    low: int
    high: int | None
    records: int
    risk_share: float


def size_histogram(
    records: npt.NDArray[np.integer], people: npt.NDArray[np.floating]
) -> list[SizeRange]:
    """Count records, and their share of the risk, by the size of the group that hides them.

    `records` and `people` give each group's records and the people it hides among.

    >>> size_histogram(np.array([1, 4]), np.array([1.0, 40.0]))[0]
    {'low': 1, 'high': 1, 'records': 1, 'risk_share': 0.909091}
    """
    risk = records / people
    found: list[SizeRange] = []
    for low, following in zip(_BOUNDS, (*_BOUNDS[1:], None), strict=True):
        inside = people >= low if following is None else (people >= low) & (people < following)
        if inside.any():
            found.append(
                {
                    "low": low,
                    "high": None if following is None else following - 1,
                    "records": int(records[inside].sum()),
                    "risk_share": round(float(risk[inside].sum() / risk.sum()), 6),
                }
            )
    return found
