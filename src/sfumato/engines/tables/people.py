"""People instead of rows: groups counted by different people where somebody stands in several cells.

A record is a person with one combination of values. Records add up over cells and carry the loss; the people
of a group do not, since somebody may be in it with several combinations, and are counted for each policy.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from .cells import Bits, Cells
from .measures import estimate_of
from .records import AbsoluteRisks

__all__ = ["GroupsOfPeople", "People"]


@dataclass(frozen=True)
class GroupsOfPeople:
    """The groups of a policy: their records, their different people, and the people they hide among."""

    records: npt.NDArray[np.float64]
    people: npt.NDArray[np.int64]
    around: npt.NDArray[np.float64]

    @property
    def expected(self) -> float:
        """The records that an attacker expects to name."""
        return float((self.records / self.around).sum())

    def risks(self, fraction: float | None = None) -> AbsoluteRisks:
        """Return the chances of naming the person of a record; estimates where the table is a sample."""
        n = float(self.records.sum())
        average = self.expected / n
        return AbsoluteRisks(
            prosecutor_max=1.0 / int(self.people.min()),
            prosecutor_average=float((self.records / self.people).sum()) / n,
            journalist_max=1.0 / max(float(self.around.min()), 1.0),
            journalist_average=average,
            marketer=average,
            sample_uniqueness=float(self.records[self.people == 1].sum()) / n,
            estimate=estimate_of(self.people, self.records.astype(np.int64), fraction),
        )


@dataclass(frozen=True)
class People:
    """Who stands in which occupied cell."""

    cells: Cells
    cell: npt.NDArray[np.integer]
    person: npt.NDArray[np.integer]

    def groups(self, bits: Bits) -> GroupsOfPeople:
        """Count the people of each group of a policy."""
        cells = self.cells
        interval = cells.intervals(bits)
        key = np.zeros(cells.codes.shape[1], dtype=np.int64)
        for a in range(cells.attributes):
            column = interval[a][cells.codes[a]]
            _, key = np.unique(key * (int(column.max()) + 1) + column, return_inverse=True)
        many = int(key.max()) + 1
        inside = key[: cells.occupied]
        pairs = np.unique(inside[self.cell] * self._most + self.person)
        people = np.bincount(pairs // self._most, minlength=many)
        around = people.astype(np.float64)
        if cells.has_population:
            around = np.maximum(np.bincount(key, weights=cells.weight, minlength=many), around)
        records = np.bincount(inside, weights=cells.count, minlength=many).astype(np.float64)
        held = records > 0
        return GroupsOfPeople(records[held], people[held], around[held])

    @cached_property
    def _most(self) -> int:
        return int(self.person.max()) + 1

    @cached_property
    def expected_unchanged(self) -> float:
        """The records that an attacker expects to name in the table as it is."""
        return self.groups(np.ones(self.cells.length, dtype=np.uint8)).expected

    def risk(self, groups: GroupsOfPeople, kind: str, k: int) -> float | None:
        """Return a risk of the engine by people; None for a measure of another package."""
        if kind == "population":
            return groups.expected / self.expected_unchanged
        if kind == "prosecutor":
            return 1.0 / int(groups.people.min())
        if kind == "small-groups":
            return float(groups.records[groups.people < k].sum() / groups.records.sum())
        return None

    def allowed(self, groups: GroupsOfPeople) -> bool:
        """Return whether every group has the smallest sizes asked for."""
        sample, population = self.cells.least
        return bool(groups.people.min() >= sample and groups.around.min() >= population - 1e-9)
