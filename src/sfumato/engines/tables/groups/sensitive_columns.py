"""Which groups lack diversity or closeness: those that are suppressed, or have cells blanked, like small ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....data.table import Table
from ..contingency.cells import Cells, Joint
from ..measures.sensitive import Within, distances, distinct_values, entropies, recursive_levels
from .conditions import Conditions
from .people import CountedPeople, Held, Marks, Numbers

__all__ = ["SensitiveColumns", "sensitive_columns"]

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class SensitiveColumns:
    """The sensitive columns of a table, and what is asked of them in every group.

    `joints` counts the values of each column by unit: occupied cells, or the distinct histories of people. `held`
    says who holds which value, where people are counted.
    """

    asked: Conditions
    joints: Mapping[str, Joint]
    ordered: Mapping[str, bool]
    held: Mapping[str, Held] = field(default_factory=dict)

    @property
    def asks(self) -> bool:
        """Whether a group may lack anything."""
        return bool(self.joints) and (self.asked.min_l > 0 or self.asked.max_t is not None)

    def of_people(self, people: CountedPeople, kept: Marks) -> SensitiveColumns:
        """Return the same columns of some people alone."""
        joints = {name: people.joint(held, kept) for name, held in self.held.items()}
        return SensitiveColumns(self.asked, joints, self.ordered, self.held)

    def lacking(self, group: Numbers, many: int, *, published: Marks | None = None) -> Marks:
        """Mark the groups that lack diversity or closeness in any column.

        Parameters
        ----------
        group : array of int
            The group of each unit; −1 for none.
        many : int
            How many groups there are.
        published : array of bool, optional
            The units whose values are the whole that closeness is measured from; all that have a group without.

        """
        found = np.zeros(many, dtype=np.bool_)
        if not self.asks:
            return found
        there = group >= 0 if published is None else published
        for name, joint in self.joints.items():
            inside = _within(group, joint, there)
            if inside is None:
                continue
            bad = np.zeros(inside.sizes.size, dtype=np.bool_)
            if self.asked.min_l > 0:
                bad |= self._levels(inside) < self.asked.min_l - _TOLERANCE
            if self.asked.max_t is not None:
                far = distances(inside, ordered=self.ordered.get(name, False))
                bad |= far > self.asked.max_t + _TOLERANCE
            found[: bad.size] |= bad & (inside.sizes > 0)
        return found

    def leave_out(
        self, group: Numbers, many: int, out: Marks, is_over: Callable[[Marks], bool] | None = None
    ) -> Marks:
        """Mark groups that are suppressed until no other one lacks anything.

        Without some records, the others may be farther from the whole; so groups are looked at again.

        Parameters
        ----------
        group : array of int
            The group of each unit.
        many : int
            How many groups there are.
        out : array of bool
            The groups that are suppressed for other reasons.
        is_over : callable, optional
            Called with the groups marked so far; returns whether they are too many already.

        """
        out = out.copy()
        while self.asks:
            new = self.lacking(np.where(out[group], -1, group), many)
            out |= new
            if not new.any() or (is_over is not None and is_over(out)):
                break
        return out

    def _levels(self, inside: Within) -> npt.NDArray[np.integer] | npt.NDArray[np.floating]:
        if self.asked.diversity == "distinct":
            return distinct_values(inside)
        if self.asked.diversity == "entropy":
            return entropies(inside)
        return recursive_levels(inside, self.asked.recursive_c)


def _within(group: Numbers, joint: Joint, there: Marks) -> Within | None:
    """Count the values of a column in groups; None where no unit has a group.

    Values that nobody published holds are no steps between others.
    """
    unit, value, count = joint
    shown = there[unit]
    inside = shown & (group[unit] >= 0)
    if not inside.any():
        return None
    margin = np.bincount(value[shown], weights=count[shown])
    number = np.cumsum(margin > 0) - 1
    margin = margin[margin > 0]
    pair = group[unit[inside]].astype(np.int64) * margin.size + number[value[inside]]
    pairs, which = np.unique(pair, return_inverse=True)
    counts = np.bincount(which, weights=count[inside]).astype(np.float64)
    groups, numbers = np.divmod(pairs, margin.size)
    sizes = np.bincount(groups, weights=counts).astype(np.float64)
    return Within(groups, numbers, counts, sizes, margin.astype(np.float64))


def sensitive_columns(
    table: Table, cells: Cells, people: CountedPeople | None, asked: Conditions
) -> SensitiveColumns:
    """Count the sensitive columns of a table where anything is asked of them."""
    joints: dict[str, Joint] = {}
    ordered: dict[str, bool] = {}
    held: dict[str, Held] = {}
    wanted = asked.min_l > 0 or asked.max_t is not None
    for name in table.schema.names("sensitive") if wanted and table.source is not None else ():
        ordered[name] = table.is_numeric(name)
        if people is None:
            cell, value, count = table.joint(name)
            joints[name] = (cells.place[cell], value, count)
            continue
        cell, person, value = table.held_values(name)
        held[name] = (cells.place[cell], person, value)
        joints[name] = people.joint(held[name])
    return SensitiveColumns(asked, joints, ordered, held)
