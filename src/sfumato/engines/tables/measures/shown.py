"""Figures that are shown with a policy but are on neither axis.

Each is a class in the registry `SHOWN`: `of_groups` computes it for a policy of the search, `of_file` for the
published file. A figure with a field of the same name in `records.ShownFields` is written there, any other
in `shown`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts, Floats
from ....core.coarse import merge_small_bins
from ....data.combinations import number_combinations
from ..contingency.cells import Bits, Cells, Joint
from ..contingency.numbering import group_sizes, sizes_of_groups
from ..records import AbsoluteRisks, GroupSize, ShownFields
from .protocol import PublishedGroups
from .sampling import Sampled, estimate_of
from .sensitive import Within, closeness, diversity, within

__all__ = [
    "PolicyGroups",
    "Shown",
    "people_in_groups",
    "size_histogram",
    "split_by_field",
]


_BOUNDS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)


@dataclass(frozen=True)
class PolicyGroups:
    """The groups of a policy while it is searched: of records, of people, or of those who are not suppressed.

    Parameters
    ----------
    count, size : arrays
        The records of each group, and its different people: equal unless the schema names a person.
    expected : float
        The records that an attacker expects to name.
    smallest_population_group : float
        The fewest people of the population who fit a group.
    loss_nats : float
        The loss of equation 4.
    count_people : callable
        Returns the people of the population who fit each group.
    inside : mapping of str to Within
        The sensitive columns' values within the groups.
    ordered : mapping of str to bool
        Whether the values of a sensitive column are numbers.
    fraction : float or array, optional
        The share of the population that was sampled, where it is known.

    """

    count: Counts | Floats
    size: Counts
    expected: float
    smallest_population_group: float
    loss_nats: float
    count_people: Callable[[], Floats]
    inside: Mapping[str, Within] = field(default_factory=dict)
    ordered: Mapping[str, bool] = field(default_factory=dict)
    fraction: Sampled = None

    @classmethod
    def of_cells(
        cls,
        cells: Cells,
        bits: Bits,
        sensitive: Mapping[str, Joint] | None = None,
        ordered: Mapping[str, bool] | None = None,
        fraction: Sampled = None,
    ) -> PolicyGroups:
        """Return the groups of a policy where every record is a person and none is suppressed."""
        if not cells.has_population and not sensitive:  # the sizes say it all
            sizes = sizes_of_groups(cells, bits)
            return cls(
                count=sizes,
                size=sizes,
                expected=float(sizes.size),  # each group names one of its records
                smallest_population_group=float(sizes.min()),
                loss_nats=_nats_of_sizes(cells, bits, sizes),
                count_people=lambda: sizes.astype(np.float64),
                fraction=fraction,
            )
        measured = cells.measure(bits)
        group, sizes = group_sizes(cells, bits)
        return cls(
            count=sizes,
            size=sizes,
            expected=measured.risk * cells.expected_reidentified,
            smallest_population_group=measured.smallest_population_group,
            loss_nats=measured.loss_nats,
            count_people=lambda: people_in_groups(cells, bits, group),
            inside={name: within(group, joint) for name, joint in (sensitive or {}).items()},
            ordered=ordered or {},
            fraction=fraction,
        )

    @cached_property
    def people(self) -> Floats:
        """The people of the population who fit each group."""
        return self.count_people()

    @property
    def records(self) -> float:
        """How many records are published; at least 1."""
        return max(float(self.count.sum()), 1.0)

    @property
    def smallest(self) -> int:
        """The fewest people of a group; 0 where there is none."""
        return int(self.size.min()) if self.size.size else 0


def _nats_of_sizes(cells: Cells, bits: Bits, sizes: Counts) -> float:
    """Return the loss of a policy in nats (equation 4), from the sizes of its groups."""
    interval = cells.intervals(bits)
    nats = float(cells.scale[0]) - float((sizes * np.log(sizes)).sum())
    for a in range(cells.attributes):
        nats += cells.spread(a, interval[a])
    return nats / cells.records


def people_in_groups(cells: Cells, bits: Bits, group: npt.NDArray[np.intp]) -> Floats:
    """Count the population of each group, numbered by occupied cell; never fewer than its records."""
    records = np.bincount(group, weights=cells.count)
    if not cells.has_population:
        return records.astype(np.float64)
    interval = cells.intervals(bits)
    key = number_combinations(interval[a][cells.codes[a]] for a in range(cells.attributes))
    people = np.empty(records.size)
    people[group] = np.bincount(key, weights=cells.weight)[key[: cells.occupied]]
    return np.maximum(people, records)


@runtime_checkable
class Shown(Protocol):
    """What a figure answers: a name, a line of help, and its value for a policy and for a published file."""

    name: ClassVar[str]
    help: ClassVar[str]

    @staticmethod
    def of_groups(groups: PolicyGroups) -> object:
        """Return the figure of a policy that is searched."""
        ...

    @staticmethod
    def of_file(groups: PublishedGroups) -> object:
        """Return the figure of the published file, knowing nothing of the search."""
        ...


class LossInNats:
    """The Kullback-Leibler divergence itself."""

    name: ClassVar[str] = "loss_nats"
    help: ClassVar[str] = "Information loss in nats (eq. 4)."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> float:
        return groups.loss_nats

    @staticmethod
    def of_file(groups: PublishedGroups) -> float:
        return groups.loss_nats


class SmallestGroup:
    """k of k-anonymity."""

    name: ClassVar[str] = "k"
    help: ClassVar[str] = "Size of the smallest group (k-anonymity)."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> int:
        return groups.smallest

    @staticmethod
    def of_file(groups: PublishedGroups) -> int:
        return int(groups.size.min())


class SmallestPopulationGroup:
    """k of k-map."""

    name: ClassVar[str] = "smallest_population_group"
    help: ClassVar[str] = "People of the population in the smallest group."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> float:
        return round(groups.smallest_population_group, 6)

    @staticmethod
    def of_file(groups: PublishedGroups) -> float:
        return round(float(groups.people.min()), 6)


class Risks:
    """The risks of the prosecutor, journalist and marketer attackers."""

    name: ClassVar[str] = "risks"
    help: ClassVar[str] = "Chances of naming a record, for prosecutor, journalist and marketer."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> AbsoluteRisks:
        n = groups.records
        average = groups.expected / n
        return AbsoluteRisks(
            prosecutor_max=1.0 / max(groups.smallest, 1),
            prosecutor_average=float((groups.count / groups.size).sum()) / n,
            journalist_max=1.0 / max(groups.smallest_population_group, 1.0),
            journalist_average=average,
            marketer=average,
            sample_uniqueness=float(groups.count[groups.size == 1].sum()) / n,
            estimate=estimate_of(groups.size, groups.count.astype(np.int64), groups.fraction),
        )

    @staticmethod
    def of_file(groups: PublishedGroups) -> AbsoluteRisks:
        n = int(groups.count.sum())
        unique = groups.population_unique
        average = groups.expected / n
        return AbsoluteRisks(
            prosecutor_max=1.0 / int(groups.size.min()),
            prosecutor_average=float((groups.count / groups.size).sum()) / n,
            journalist_max=1.0 / max(float(groups.people.min()), 1.0),
            journalist_average=average,
            marketer=average,
            sample_uniqueness=int(groups.count[groups.size == 1].sum()) / n,
            population_uniqueness=None if unique is None else unique / n,
            estimate=estimate_of(groups.size, groups.count, groups.fraction),
        )


class DistinctDiversity:
    """l-diversity by distinct values."""

    name: ClassVar[str] = "l_diversity"
    help: ClassVar[str] = "Fewest distinct values of each sensitive column in a group."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> dict[str, int]:
        return {name: diversity(one)[0] for name, one in groups.inside.items()}

    @staticmethod
    def of_file(groups: PublishedGroups) -> dict[str, int]:
        return {
            name: int((one.counts > 0).sum(axis=1).min()) for name, one in groups.sensitive.items()
        }


class EntropyDiversity:
    """l-diversity by entropy."""

    name: ClassVar[str] = "l_diversity_entropy"
    help: ClassVar[str] = "Exponential of the lowest entropy of each sensitive column in a group."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> dict[str, float]:
        return {name: round(diversity(one)[1], 6) for name, one in groups.inside.items()}

    @staticmethod
    def of_file(groups: PublishedGroups) -> dict[str, float]:
        return {
            name: round(_lowest_entropy(one.counts), 6) for name, one in groups.sensitive.items()
        }


class Closeness:
    """t-closeness by the earth mover's distance."""

    name: ClassVar[str] = "t_closeness"
    help: ClassVar[str] = "Largest distance of a group's sensitive values from the table's."

    @staticmethod
    def of_groups(groups: PolicyGroups) -> dict[str, float]:
        return {
            name: round(closeness(one, ordered=groups.ordered.get(name, False)), 6)
            for name, one in groups.inside.items()
        }

    @staticmethod
    def of_file(groups: PublishedGroups) -> dict[str, float]:
        return {
            name: round(_largest_distance(one.counts, ordered=one.is_numeric), 6)
            for name, one in groups.sensitive.items()
        }


def _lowest_entropy(table: Floats) -> float:
    share = table / table.sum(axis=1, keepdims=True)
    logs = np.log(np.where(share > 0, share, 1.0))
    return float(np.exp(-(share * logs).sum(axis=1).max()))


def _largest_distance(table: Floats, *, ordered: bool) -> float:
    share = table / table.sum(axis=1, keepdims=True)
    whole = table.sum(axis=0) / table.sum()
    if ordered and whole.size > 1:
        moved = np.abs(np.cumsum(share - whole, axis=1)).sum(axis=1)
        return float(moved.max() / (whole.size - 1))
    return float(0.5 * np.abs(share - whole).sum(axis=1).max())


def split_by_field(values: Mapping[str, object]) -> dict[str, Any]:
    """Return figures as the fields of `ShownFields`: those without their own field are in `shown`."""
    fields = ShownFields.model_fields
    found = {name: value for name, value in values.items() if name in fields}
    return {**found, "shown": {n: v for n, v in values.items() if n not in fields}}


def size_histogram(
    records: npt.NDArray[np.integer], people: npt.NDArray[np.floating], min_records: int = 1
) -> tuple[GroupSize, ...]:
    """Count records, and their share of the risk, by the size of the group that hides them.

    `records` and `people` give each group's records and the people it hides among; sizes are taken together
    until `min_records` records have them.

    >>> size_histogram(np.array([1, 4]), np.array([1.0, 40.0]))[0]
    GroupSize(low=1, high=1, records=1, risk_share=0.909091)
    >>> size_histogram(np.array([1, 4]), np.array([1.0, 40.0]), 5)
    (GroupSize(low=1, high=49, records=5, risk_share=1.0),)
    """
    risk = records / people
    found = []
    for low, following in zip(_BOUNDS, (*_BOUNDS[1:], None), strict=True):
        inside = people >= low if following is None else (people >= low) & (people < following)
        if inside.any():
            found.append(
                GroupSize(
                    low=low,
                    high=None if following is None else following - 1,
                    records=int(records[inside].sum()),
                    risk_share=round(float(risk[inside].sum() / risk.sum()), 6),
                )
            )
    merged = merge_small_bins([size.records for size in found], min_records)
    return tuple(
        GroupSize(
            low=found[first].low,
            high=found[last].high,
            records=sum(size.records for size in found[first : last + 1]),
            # Shares that were rounded up one by one may add up to more than all.
            risk_share=min(1.0, round(sum(size.risk_share for size in found[first : last + 1]), 6)),
        )
        for first, last in merged
    )
