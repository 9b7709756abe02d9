"""What a measure of a policy is: a function of its cells, and another of the groups of a published file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol, runtime_checkable

from ....core.arrays import Counts, Floats
from ..contingency.cells import Bits, Cells, Joint
from .sampling import Sampled

__all__ = ["Context", "Measure", "PublishedGroups", "SensitiveTable"]


@dataclass(frozen=True)
class Context:
    """What a measure may need: the cells, the group size of `small-groups`, the counts of a target column.

    `weights` says how much each attribute matters.
    """

    cells: Cells
    k: int = 5
    target: Joint | None = None
    weights: tuple[float, ...] = ()


class SensitiveTable(NamedTuple):
    """The counts of a sensitive column's values: (groups, values), and whether the values are numbers."""

    counts: Floats
    is_numeric: bool


@dataclass(frozen=True)
class PublishedGroups:
    """The groups of a published table, counted in the file alone.

    Parameters
    ----------
    count, size : arrays of int
        The records of each group, and its different people: equal unless the schema names a person.
    people : array of float
        The people of the population who fit each group.
    original : array of int
        The records of each distinct row before.
    expected_unchanged : float
        The records that an attacker expects to name in the table as it is.
    loss_nats, relative_loss : float
        The loss of equation 4 in nats, and over that of one group of everything.
    k : int
        The group size of `small-groups`.
    sensitive : mapping of str to SensitiveTable
        The sensitive columns.
    fraction : float or array, optional
        The share of the population that was sampled, where it is known.
    population_unique : int, optional
        The records whose group holds one person of the population, where there is one.
    read_target : callable, optional
        Returns the counts of the target column's values by distinct row before, and by group.
    read_granularity : callable, optional
        Returns the mean penalty of the published intervals.

    """

    count: Counts
    people: Floats
    original: Counts
    size: Counts
    expected_unchanged: float
    loss_nats: float
    relative_loss: float
    k: int = 5
    sensitive: Mapping[str, SensitiveTable] = field(default_factory=dict)
    fraction: Sampled = None
    population_unique: int | None = None
    read_target: Callable[[], tuple[Floats, Floats]] | None = None
    read_granularity: Callable[[], float] | None = None

    @property
    def expected(self) -> float:
        """The records that an attacker expects to name."""
        return float((self.count / self.people).sum())


@runtime_checkable
class Measure(Protocol):
    """What a measure answers: its name, its direction along generalisation, its value on either side."""

    name: ClassVar[str]
    rises: ClassVar[bool]

    @classmethod
    def of(cls, context: Context) -> Measure:
        """Build the measure for a table."""
        ...

    def __call__(self, bits: Bits) -> float:
        """Measure a policy."""
        ...

    @classmethod
    def on_groups(cls, groups: PublishedGroups) -> float:
        """Measure the published file, knowing nothing of the search."""
        ...
