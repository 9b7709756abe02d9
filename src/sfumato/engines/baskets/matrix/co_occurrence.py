"""A hierarchy of items learned from what people have together, for data that comes without one.

Items are near each other when the same rows hold them. Halving the items again and again, each time where
they are farthest apart, yields groups within sections: categories that a release may publish in
place of an item. They are learned from the data, and their names say so.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.utils.extmath import randomized_svd

from ....core.arrays import Floats
from ....core.randomness import Streams
from .binary import BinaryMatrix, as_binary

__all__ = ["learn_groups", "learn_hierarchy"]

Ints = npt.NDArray[np.int64]

_DIRECTIONS = 32
_UNGROUPED = -1


def learn_groups(
    matrix: object, *, size: int = 8, min_rows: int = 2, seed: int = 0
) -> tuple[Ints, Ints]:
    """Return the group and the section of every item, -1 where it has none.

    Parameters
    ----------
    matrix : matrix of 0 and 1
        The rows; columns are items.
    size : int
        The largest number of items in a group; a section holds up to its square.
    min_rows : int
        Items held by fewer rows stay by themselves: too little is known of their company.
    seed : int
        Seed of the directions in which items are laid out.

    >>> together = np.kron(np.eye(2, dtype=int), np.ones((9, 3), dtype=int))
    >>> group, section = learn_groups(together, size=3)
    >>> len(set(group[:3])), len(set(group[3:])), len(set(group)), len(set(section))
    (1, 1, 2, 1)

    """
    binary = as_binary(matrix)
    wanted = np.flatnonzero(binary.supports >= max(1, min_rows))
    group = np.full(binary.d, _UNGROUPED, dtype=np.int64)
    section = group.copy()
    if not len(wanted):
        return group, section
    places = _laid_out(binary.project(wanted), seed)
    for number, items in enumerate(_halve(places, np.arange(len(wanted)), size * size)):
        section[wanted[items]] = number
        for part in _halve(places, items, size):
            group[wanted[part]] = wanted[part[0]]
    _, group[wanted] = np.unique(group[wanted], return_inverse=True)
    return group, section


def _laid_out(binary: BinaryMatrix, seed: int) -> Floats:
    """Return a point of length one per item; items that the same rows hold point the same way."""
    per_row = 1.0 / np.sqrt(
        np.maximum(np.diff(binary.indptr), 1)
    )  # long rows say less of each pair
    per_item = 1.0 / np.sqrt(np.maximum(binary.supports, 1))
    held = sp.diags(per_row) @ binary.to_csr().astype(np.float64) @ sp.diags(per_item)
    directions = min(_DIRECTIONS, *held.shape)
    points, strengths, _ = randomized_svd(
        held.T.tocsr(), directions, random_state=Streams(seed).seed_of("co-occurrence") % 2**32
    )
    points = points * strengths
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(points / np.maximum(lengths, 1e-12), dtype=np.float64)


def _halve(places: Floats, items: Ints, size: int) -> list[Ints]:
    """Split items in two where they are farthest apart, until no part holds more than `size`."""
    found, waiting = [], [items]
    while waiting:
        part = waiting.pop()
        if len(part) <= size:
            found.append(np.sort(part))
            continue
        centred = places[part] - places[part].mean(axis=0)
        # the direction of the widest spread
        _, turned = np.linalg.eigh(centred.T @ centred)
        along = centred @ turned[:, -1]
        order = np.argsort(along, kind="stable")
        low, high = len(part) // 4, len(part) - len(part) // 4  # neither part is a sliver
        gaps = np.diff(along[order])[low : high - 1]
        cut = low + int(np.argmax(gaps)) + 1 if len(gaps) else len(part) // 2
        waiting += [part[order[:cut]], part[order[cut:]]]
    return sorted(found, key=lambda part: int(part[0]))


def learn_hierarchy(
    matrix: object,
    names: tuple[str, ...],
    *,
    size: int = 8,
    min_rows: int = 2,
    seed: int = 0,
) -> list[list[str]]:
    """Return the lines of a hierarchy: each item, its group, its section and the top.

    A category bears the name of its most common item, and that it was learned.
    """
    binary = as_binary(matrix)
    levels = learn_groups(binary, size=size, min_rows=min_rows, seed=seed)
    named = [
        _name_groups(numbers, binary, names, what)
        for numbers, what in zip(levels, ("group", "section"), strict=True)
    ]
    group, section = levels
    return [
        [names[i], named[0][group[i]], named[1][section[i]], "*"]
        for i in np.flatnonzero(group != _UNGROUPED)
    ]


def _name_groups(
    numbers: Ints, binary: BinaryMatrix, names: tuple[str, ...], what: str
) -> dict[int, str]:
    leaders: dict[int, str] = {}
    for i in np.argsort(-binary.supports, kind="stable"):
        if numbers[i] != _UNGROUPED:
            leaders.setdefault(int(numbers[i]), f"learned {what} of {names[i]}")
    return leaders
