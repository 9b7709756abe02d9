"""Groups of two releases taken together: exact where rows can be linked, bounded where they cannot.

With a known link the group of a person is everybody with the same labels in both releases. Without one, someone who knows a
person's quasi-identifiers finds group A in one release and group B in the other; at most
U = Σ_s min(n_A(s), n_B(s)) people can be in both, where s are the values that both releases show unchanged. 1/U is the
chance of somebody who takes every possible match for equally likely (Ganta, Kasiviswanathan and Smith, KDD 2008); with
other knowledge it can rise to one over the linked group, which is the upper end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ._kernels import meet_cells, number_groups, sort_cells

__all__ = [
    "JointSizes",
    "ReleaseCodes",
    "bound_without_link",
    "combine_codes",
    "group_sizes",
    "join_groups",
]

Codes = npt.NDArray[np.int64]
_ROOM = 1 << 62


def combine_codes(columns: Sequence[Codes]) -> Codes:
    """Return one number per row for the values of some columns, each numbered from 0.

    >>> combine_codes([np.array([0, 1, 1]), np.array([2, 0, 0])]).tolist()
    [0, 1, 1]
    """
    key = np.zeros(len(columns[0]), np.int64)
    room = 1
    for column in columns:
        size = int(column.max(initial=0)) + 1
        if room > _ROOM // size:  # too many combinations for one number: those that occur are fewer
            key = number_groups(key)[0]
            room = int(key.max(initial=0)) + 1
        key = key * size + column
        room *= size
    return np.asarray(number_groups(key)[0])


def group_sizes(codes: Codes) -> Codes:
    """Return the size of each row's group.

    >>> group_sizes(np.array([5, 7, 5])).tolist()
    [2, 1, 2]
    """
    number, count = number_groups(np.ascontiguousarray(codes, np.int64))
    return np.asarray(count[number])


def join_groups(first: Codes, second: Codes) -> Codes:
    """Return the size of each person's group where the rows of two releases can be linked.

    >>> join_groups(np.array([0, 0, 0]), np.array([0, 0, 1])).tolist()
    [2, 2, 1]
    """
    return group_sizes(combine_codes([first, second]))


@dataclass(frozen=True)
class ReleaseCodes:
    """All rows of a release as numbers: their groups, and the unchanged columns of each."""

    groups: Codes
    shared: Codes


def bound_without_link(
    first: ReleaseCodes, second: ReleaseCodes, at_first: Codes, at_second: Codes
) -> Codes:
    """Return for each person how many people can be in both of their groups where rows cannot be linked.

    Parameters
    ----------
    first, second : ReleaseCodes
        All rows of two releases; what they show unchanged is numbered alike in both.
    at_first, at_second : array of int
        The places of the same people in each.

    >>> codes = ReleaseCodes(np.array([0, 0, 0]), np.array([0, 1, 1]))
    >>> other = ReleaseCodes(np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> bound_without_link(codes, other, np.arange(3), np.arange(3)).tolist()
    [2, 2, 1]

    """
    a, sizes_a = number_groups(np.ascontiguousarray(first.groups, np.int64))
    b, sizes_b = number_groups(np.ascontiguousarray(second.groups, np.int64))
    own_a, own_b = a[at_first], b[at_second]
    pair, _ = number_groups(own_a * len(sizes_b) + own_b)
    which = np.empty(int(pair.max(initial=-1)) + 1, np.int64)
    which[pair] = np.arange(pair.size)
    values = 1 + max(int(first.shared.max(initial=0)), int(second.shared.max(initial=0)))
    cells_a = sort_cells(a, np.ascontiguousarray(first.shared, np.int64), len(sizes_a), values)
    cells_b = sort_cells(b, np.ascontiguousarray(second.shared, np.int64), len(sizes_b), values)
    return np.asarray(meet_cells(own_a[which], own_b[which], *cells_a, *cells_b)[pair])


@dataclass(frozen=True)
class JointSizes:
    """The sizes of the groups of people who are in two releases: in each, linked, and not linked."""

    first: Codes
    second: Codes
    linked: Codes
    unlinked: Codes

    @classmethod
    def of(
        cls, first: ReleaseCodes, second: ReleaseCodes, at_first: Codes, at_second: Codes
    ) -> JointSizes:
        """Measure two releases of the same people."""
        return cls(
            group_sizes(first.groups)[at_first],
            group_sizes(second.groups)[at_second],
            join_groups(first.groups[at_first], second.groups[at_second]),
            bound_without_link(first, second, at_first, at_second),
        )
