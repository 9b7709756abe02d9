"""People instead of rows: groups counted by different people where a person is in several cells.

A record is a person with one combination of values. Records add up over cells and carry the loss; the people
of a group do not, since a person may be in it with several combinations, and are counted for each policy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....data.combinations import number_combinations
from ..contingency.cells import Bits, Cells, Joint
from ..contingency.numbering import group_sizes
from .history_hashes import number_equal, sums_of_rows
from .record_suppression import Suppressed, nats_of

if TYPE_CHECKING:
    from .sensitive_columns import SensitiveColumns

__all__ = ["CountedPeople", "GroupsOfPeople", "People"]

Numbers = npt.NDArray[np.integer]
Marks = npt.NDArray[np.bool_]
Held = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Who holds which values of a column: (occupied cell, person, number of the value), each once."""


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


@dataclass(frozen=True)
class CountedPeople(ABC):
    """Who is in which occupied cell, by pairs of both; how people make groups is left to the kinds.

    `rows` counts the rows of each pair.
    """

    cells: Cells
    cell: Numbers
    person: Numbers
    rows: Numbers

    @abstractmethod
    def group(self, bits: Bits) -> Numbers:
        """Number the group of each unit in which sensitive columns are counted (see `joint`)."""

    @abstractmethod
    def groups(self, bits: Bits, kept: Marks | None = None) -> GroupsOfPeople:
        """Count the people of each group of a policy; of some people alone where they are marked."""

    @abstractmethod
    def mark_small(self, bits: Bits, out: Marks | None = None) -> Marks:
        """Mark the people without whom every group has the smallest sizes, as few as can be, and those given."""

    @abstractmethod
    def members(self, bits: Bits, groups: Marks) -> Marks:
        """Mark the people who are in any of the marked groups (numbered as by `group`)."""

    def mark_suppressed(self, bits: Bits, columns: SensitiveColumns | None = None) -> Marks:
        """Mark the people without whom every group has the smallest sizes, and lacks nothing in any column."""
        out = self.mark_small(bits)
        if columns is None or not columns.asks:
            return out
        unit = self.group(bits)
        many = int(unit.max()) + 1
        while True:
            lacking = columns.of_people(self, ~out).lacking(unit, many)
            new = self.members(bits, lacking) & ~out
            if not new.any():
                return out
            out = self.mark_small(bits, out | new)

    @abstractmethod
    def joint(self, held: Held, kept: Marks | None = None) -> Joint:
        """Count the values of a column by unit: (unit, number of the value, people)."""

    @cached_property
    def many(self) -> int:
        """How many people there are."""
        return int(self.person.max()) + 1

    @property
    @abstractmethod
    def total(self) -> float:
        """What the risk is an average over: records, or people."""

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

    def is_allowed(self, groups: GroupsOfPeople) -> bool:
        """Return whether every group has the smallest sizes asked for."""
        sample, population = self.cells.least
        return bool(groups.people.min() >= sample and groups.around.min() >= population - 1e-9)

    def suppress(
        self, bits: Bits, columns: SensitiveColumns | None = None
    ) -> tuple[Suppressed, GroupsOfPeople, Marks]:
        """Measure a policy when people in groups that are too small, or lack anything, are suppressed.

        They are suppressed with all their rows.

        Returns
        -------
        Suppressed
            Risk and loss; `records` counts the records suppressed.
        GroupsOfPeople
            The groups of those who stay.
        array of bool
            The people to keep.

        """
        kept = ~self.mark_suppressed(bits, columns)
        stays = kept[self.person]
        count = np.bincount(self.cell[stays], minlength=self.cells.occupied)
        nats = nats_of(self.cells, bits, count)
        groups = self.groups(bits, kept)
        some = groups.people.size > 0
        return (
            Suppressed(
                risk=groups.expected / self.expected_unchanged,
                loss=nats / float(self.cells.scale[3]),
                loss_nats=nats,
                records=int((~stays).sum()),
                groups=int(groups.people.size),
                smallest_sample_group=int(groups.people.min()) if some else 0,
                smallest_population_group=float(groups.around.min()) if some else 0.0,
            ),
            groups,
            kept,
        )

    def _small(self, people: Numbers, around: npt.NDArray[np.float64]) -> Marks:
        sample, population = self.cells.least
        return np.asarray((people < sample) | (around < population - 1e-9))


@dataclass(frozen=True)
class _Kinds:
    """People who are in the same cells, put together: pairs of cell and kind, and the people of each kind."""

    cell: Numbers
    kind: Numbers
    people: npt.NDArray[np.int64]
    of_person: npt.NDArray[np.int64]


@dataclass(frozen=True)
class People(CountedPeople):
    """Separate rows: an attacker knows one combination of a person."""

    def group(self, bits: Bits) -> Numbers:
        """Number the group of each occupied cell."""
        return group_sizes(self.cells, bits)[0]

    @property
    def total(self) -> float:
        """The records."""
        return float(self.cells.records)

    @cached_property
    def _kinds(self) -> _Kinds:
        order = np.argsort(self.person, kind="stable")
        cell, person = self.cell[order], self.person[order]
        begin = np.flatnonzero(np.diff(person, prepend=-1))
        finest = np.ones(self.cells.length, dtype=np.uint8)
        sums = sums_of_rows(self.cells, finest, cell, np.ones_like(cell), begin)
        of_person = number_equal(sums)
        somebody = np.zeros(self.many, dtype=np.bool_)
        somebody[np.unique(of_person, return_index=True)[1]] = True
        shown = somebody[person]
        return _Kinds(cell[shown], of_person[person[shown]], np.bincount(of_person), of_person)

    def different(self, group: Numbers, many: int) -> npt.NDArray[np.int64]:
        """Count the different people of groups, given by the number of each occupied cell; −1 for none."""
        kinds = self._kinds
        return self._people(group[kinds.cell], kinds.people, many)

    def joint(self, held: Held, kept: Marks | None = None) -> Joint:
        """Count the people of each cell who hold a value."""
        cell, person, value = held
        if kept is not None:
            stays = kept[person]
            cell, value = cell[stays], value[stays]
        values = int(value.max(initial=0)) + 1
        pair, count = np.unique(cell * values + value, return_counts=True)
        return pair // values, pair % values, count.astype(np.int64)

    def groups(self, bits: Bits, kept: Marks | None = None) -> GroupsOfPeople:
        """Count the people of each group of a policy; of some people alone where they are marked."""
        key, many, crowd = self._keys(bits)
        kinds = self._kinds
        amount = kinds.people
        if kept is not None:
            amount = np.bincount(kinds.of_person[kept], minlength=amount.size)
        group = key[kinds.cell]
        people = self._people(group, amount, many)
        around = np.maximum(crowd, people)
        records = np.bincount(group, weights=amount[kinds.kind], minlength=many).astype(np.float64)
        held = records > 0
        return GroupsOfPeople(records[held], people[held], around[held])

    def members(self, bits: Bits, groups: Marks) -> Marks:
        """Mark the people who are in any of the marked groups."""
        found = np.zeros(self.many, dtype=np.bool_)
        found[self.person[groups[self.group(bits)[self.cell]]]] = True
        return found

    def mark_small(self, bits: Bits, out: Marks | None = None) -> Marks:
        """Mark the people in groups that are too small, and again, since others shrink without them."""
        key, many, crowd = self._keys(bits)
        kinds = self._kinds
        group, amount = key[kinds.cell], kinds.people.copy()
        if out is not None:  # people of one kind are in the same groups, so they are out together
            amount[np.unique(kinds.of_person[out])] = 0
        while True:
            people = self._people(group, amount, many)
            small = self._small(people, np.maximum(crowd, people)) & (people > 0)
            found = small[group] & (amount[kinds.kind] > 0)
            if not found.any():
                return np.asarray((amount == 0)[kinds.of_person])
            amount[kinds.kind[found]] = 0

    def _keys(self, bits: Bits) -> tuple[npt.NDArray[np.int64], int, npt.NDArray[np.float64]]:
        """Return the group of each occupied cell, how many groups there are, and their population."""
        cells = self.cells
        interval = cells.intervals(bits)
        key = number_combinations(interval[a][cells.codes[a]] for a in range(cells.attributes))
        many = int(key.max()) + 1
        crowd = np.zeros(many)
        if cells.has_population:
            crowd = np.bincount(key, weights=cells.weight, minlength=many).astype(np.float64)
        return key[: cells.occupied], many, crowd

    def _people(self, group: Numbers, amount: Numbers, many: int) -> npt.NDArray[np.int64]:
        """Count the different people of each group (−1 for none), by how many there are of each kind."""
        pairs = np.unique(group * amount.size + self._kinds.kind)
        pairs = pairs[np.searchsorted(pairs, 0) :]
        of_pair = amount[pairs % amount.size]
        return np.bincount(pairs // amount.size, weights=of_pair, minlength=many).astype(np.int64)
