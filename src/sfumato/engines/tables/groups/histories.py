"""Joined rows: people are alike where their whole histories are, every row of each generalised.

An attacker who knows all rows of a person looks for a history that fits, so a group is the people with the same
rows, each as often. A history is known by two sums of 64-bit hashes of its rows, which do not depend on their
order; a more general policy makes coarser rows and so coarser groups. Equal histories are measured once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ....data.table import Table
from ..contingency.cells import Bits, Cells, Joint
from .history_hashes import number_equal, sums_of_rows
from .people import CountedPeople, GroupsOfPeople, Held, Marks, Numbers, People

__all__ = ["Histories", "people_of"]


@dataclass(frozen=True)
class Histories(CountedPeople):
    """The distinct histories of people; pairs are in the order of people.

    `start` is where the pairs of each distinct history begin, `people` how many people have it, and
    `of_person` which one a person has.
    """

    start: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    pair: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    people: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    of_person: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, cells: Cells, cell: Numbers, person: Numbers, rows: Numbers) -> Histories:
        """Find the distinct histories among pairs of cell and person.

        Parameters
        ----------
        cells : Cells
            The occupied cells.
        cell, person : array of int
            Who is in which occupied cell, each pair once; people are numbered from 0 without gaps.
        rows : array of int
            The rows of each pair.

        """
        order = np.argsort(person, kind="stable")
        cell, person, rows = cell[order], person[order], rows[order]
        begin = np.flatnonzero(np.diff(person, prepend=-1))
        finest = np.ones(cells.length, dtype=np.uint8)
        of_person = number_equal(sums_of_rows(cells, finest, cell, rows, begin))
        first = np.unique(of_person, return_index=True)[1]  # somebody with each history
        length = np.diff(np.append(begin, person.size))[first]
        start = np.concatenate(([0], np.cumsum(length)[:-1])).astype(np.int64)
        pair = np.arange(int(length.sum())) - np.repeat(start - begin[first], length)
        people = np.bincount(of_person)
        return cls(cells, cell, person, rows, start, pair, people, of_person)

    def group(self, bits: Bits) -> Numbers:
        """Number the group of each distinct history."""
        return number_equal(
            sums_of_rows(self.cells, bits, self.cell[self.pair], self.rows[self.pair], self.start)
        )

    @property
    def total(self) -> float:
        """The people."""
        return float(self.many)

    def joint(self, held: Held, kept: Marks | None = None) -> Joint:
        """Count the people with each history who hold a value in any of their rows."""
        _, person, value = held
        values = int(value.max(initial=0)) + 1
        person, value = np.divmod(np.unique(person * values + value), values)
        if kept is not None:
            stays = kept[person]
            person, value = person[stays], value[stays]
        pair, count = np.unique(self.of_person[person] * values + value, return_counts=True)
        return pair // values, pair % values, count.astype(np.int64)

    def groups(self, bits: Bits, kept: Marks | None = None) -> GroupsOfPeople:
        """Count the people of each group of histories; of some people alone where they are marked."""
        people = self.people
        if kept is not None:
            people = np.bincount(self.of_person[kept], minlength=people.size)
        sizes = np.bincount(self.group(bits), weights=people).astype(np.int64)
        sizes = sizes[sizes > 0]
        return GroupsOfPeople(sizes.astype(np.float64), sizes, sizes.astype(np.float64))

    def members(self, bits: Bits, groups: Marks) -> Marks:
        """Mark the people whose history is in any of the marked groups."""
        return np.asarray(groups[self.group(bits)][self.of_person])

    def mark_small(self, bits: Bits, out: Marks | None = None) -> Marks:
        """Mark the people whose group is too small; the others' groups stay as they are."""
        group = self.group(bits)
        sizes = np.bincount(group, weights=self.people).astype(np.float64)
        small = self._small(sizes.astype(np.int64), sizes)[group][self.of_person]
        return np.asarray(small if out is None else small | out)


def people_of(table: Table, cells: Cells) -> CountedPeople | None:
    """Return how the people of a table are counted; None where every record is a person."""
    if table.pairs is None or table.pair_rows is None:
        return None
    cell, person = cells.place[table.pairs[0]], table.pairs[1]
    if not table.schema.joined:
        return People(cells, cell, person, table.pair_rows)
    if table.population_codes is not None:
        raise ParameterError(
            "A population counts people by one row each, and does not say who has which history.",
            hint='leave the population out, or rows = "joined" of the person.',
        )
    return Histories.of(cells, cell, person, table.pair_rows)
