"""The record of a policy, by the search and after publishing: its intervals, its groups, its risks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, StringConstraints, model_validator

from ...core.records import (
    Coarse,
    ColumnName,
    Count,
    HouseRecord,
    Name,
    Private,
    Public,
    Record,
    Share,
)

__all__ = [
    "AbsoluteRisks",
    "Ends",
    "GroupSize",
    "Hex",
    "IntervalLabel",
    "Labels",
    "PolicyFields",
    "PopulationEstimate",
    "ShownFields",
    "Size",
    "check_domains",
    "check_intervals",
    "without_empty",
]

IntervalLabel = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,4000}$")]
"""What the values of an interval are published as."""


Labels = dict[ColumnName, tuple[IntervalLabel, ...]]


Ends = dict[ColumnName, tuple[Count, ...]]
"""By attribute: the place of each interval's last value in the domain, in order."""


Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]*$")]


Size = Annotated[float, Field(ge=0)]


def check_intervals(labels: Labels, ends: Ends) -> None:
    """Refuse a policy whose intervals have no labels, or do not follow one another."""
    if labels.keys() != ends.keys():
        raise ValueError("labels and intervals are of different attributes")
    for name, places in ends.items():
        if not places or len(places) != len(labels[name]):
            raise ValueError("an interval needs one label")
        if any(high <= low for low, high in pairwise(places)):
            raise ValueError("intervals must follow one another")


def check_domains(ends: Ends, quasi: Collection[str], domains: Mapping[str, int]) -> None:
    """Refuse a policy that does not cover the domain of every quasi-identifier, where its size is known."""
    if set(quasi) != ends.keys() or not domains.keys() <= ends.keys():
        raise ValueError("a policy has intervals of every quasi-identifier")
    if any(ends[name][-1] != size - 1 for name, size in domains.items()):
        raise ValueError("intervals must cover the domain")


class GroupSize(Record):
    """The records in groups of some sizes, and their share of the risk; `high` None is no limit."""

    low: Public[Count]
    high: Public[Count | None] = None
    records: Public[Count]
    risk_share: Public[Share]


class PopulationEstimate(Record):
    """What is estimated of a population that is not at hand, the table being a random sample of it.

    `uniqueness` is the share of the population that is unique; it is between `low` and `high` whatever the
    population looks like; `zayatz`, `pitman` and `snb` are what three models say, None where a model does not
    fit. `unique_match` is the chance that a unique match is right, `average` the chance of naming a
    record on average.
    """

    fraction: Public[Share]
    people: Public[Size]
    uniqueness: Public[Share]
    low: Public[Share]
    high: Public[Share]
    zayatz: Public[Share]
    pitman: Public[Share | None] = None
    snb: Public[Share | None] = None
    unique_match: Public[Share]
    average: Public[Share]

    def in_words(self) -> str:
        """Return the estimate as a sentence."""
        return (
            f"estimated for a population of {self.people:,.0f} ({self.fraction:.3g} of it sampled): "
            f"{self.uniqueness:.3g} of it unique (between {self.low:.3g} and {self.high:.3g}), chance of "
            f"naming a record {self.average:.3g} on average, of a unique match being right "
            f"{self.unique_match:.3g}"
        )


class AbsoluteRisks(Record):
    """Chances of naming a record by attacker, in the field's terms; each in [0, 1] and not relative to anything.

    The prosecutor knows who is in the table, the journalist only the population, the marketer links
    everybody; an average is over the records.
    """

    prosecutor_max: Public[Share]
    prosecutor_average: Public[Share]
    journalist_max: Public[Share]
    journalist_average: Public[Share]
    marketer: Public[Share]
    sample_uniqueness: Public[Share]
    population_uniqueness: Public[Share | None] = None
    estimate: Public[PopulationEstimate | None] = None


class ShownFields(Record):
    """What is shown of a policy besides the two axes, explored and measured on the written file.

    Each field is computed by the entry of `registry.SHOWN` that has its name; `shown` holds the values of the
    entries without their own field and is not written when it is empty.
    """

    loss_nats: Private[float | None] = None
    k: Public[Count]
    smallest_population_group: Public[Size]
    risks: Public[AbsoluteRisks | None] = None
    l_diversity: Public[dict[ColumnName, Count]] = Field(default_factory=dict)
    l_diversity_entropy: Public[dict[ColumnName, Size]] = Field(default_factory=dict)
    t_closeness: Public[dict[ColumnName, Size]] = Field(default_factory=dict)
    suppressed: Coarse[Count] = 0
    blanked: Public[Count] = 0
    shown: Private[dict[Name, float]] = Field(default_factory=dict)


def without_empty(found: dict[str, object]) -> dict[str, object]:
    """Return the fields to write; some only where they hold something."""
    optional = {"shown", "notes", "households", "analysis", "errors_below"}
    return {name: v for name, v in found.items() if name not in optional or v}


class PolicyFields(ShownFields, HouseRecord):
    """A policy and what is shown of it."""

    loss_nats: float
    policy: Labels
    ends: Ends
    bits: Hex
    loss: float
    groups: Count
    prosecutor_risk: Share
    average_group: Size

    @model_validator(mode="after")
    def _intervals_have_labels(self) -> Self:
        check_intervals(self.policy, self.ends)
        return self
