"""Diversity and closeness: what a group reveals about a sensitive value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..contingency.cells import Bits, Cells, Joint
from ..contingency.numbering import group_sizes

__all__ = [
    "Within",
    "closeness",
    "distances",
    "distinct_values",
    "diversity",
    "entropies",
    "l_diversity",
    "recursive_levels",
    "t_closeness",
    "within",
]


@dataclass(frozen=True)
class Within:
    """A column's values within the groups of a policy: one entry for each pair that occurs."""

    group: npt.NDArray[np.int64]
    value: npt.NDArray[np.int64]
    count: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.float64]
    margin: npt.NDArray[np.float64]

    def with_new_numbers(self) -> Within:
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
    return int(distinct_values(inside).min()), float(entropies(inside).min())


def distinct_values(inside: Within) -> npt.NDArray[np.int64]:
    """Return the number of distinct values of each group."""
    return np.bincount(inside.group)


def entropies(inside: Within) -> npt.NDArray[np.float64]:
    """Return exp of the entropy of each group's values."""
    share = inside.count / inside.sizes[inside.group]
    found: npt.NDArray[np.float64] = np.exp(
        np.bincount(inside.group, weights=-share * np.log(share))
    )
    return found


def recursive_levels(inside: Within, c: float) -> npt.NDArray[np.int64]:
    """Return, by group, the largest l for which it is recursively (c, l)-diverse.

    With the counts of a group from the largest, r₁ < c · (r_l + … + r_m).
    """
    order = np.lexsort((-inside.count, inside.group))
    group, count = inside.group[order], inside.count[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    place = np.cumsum(np.diff(group, prepend=-1) > 0) - 1  # of the group among those that occur
    before = np.cumsum(count) - count
    rest = inside.sizes[group] - (before - before[first][place])  # r_l + … + r_m
    fits = count[first][place] < c * rest
    return np.bincount(group, weights=fits).astype(np.int64)


def t_closeness(cells: Cells, bits: Bits, sensitive: Joint, *, ordered: bool = False) -> float:
    """Return the largest distance between a group's distribution of a sensitive column and the whole's."""
    return closeness(within(group_sizes(cells, bits)[0], sensitive), ordered=ordered)


def closeness(inside: Within, *, ordered: bool = False) -> float:
    """Return the largest earth mover's distance of a group from the whole."""
    return float(distances(inside, ordered=ordered).max())


def distances(inside: Within, *, ordered: bool = False) -> npt.NDArray[np.float64]:
    """Return the earth mover's distance of each group from the whole.

    Names are equally far from each other, so the distance is the total variation; numbers are ordered, and a
    step from one to the next costs 1/(m − 1), m being the number of different values. The whole is `margin`.
    """
    whole = inside.margin / inside.margin.sum()
    share = inside.count / inside.sizes[inside.group]
    if ordered and whole.size > 1:
        return _ordered_distances(inside, whole, share)
    # ½ Σ |p − q| = Σ max(p − q, 0), which needs only the values that a group holds
    excess = np.maximum(share - whole[inside.value], 0.0)
    return np.bincount(inside.group, weights=excess).astype(np.float64)


def _ordered_distances(
    inside: Within, whole: npt.NDArray[np.float64], share: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
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
    found: npt.NDArray[np.float64] = np.bincount(inside.group, weights=total + lead) / steps
    return found
