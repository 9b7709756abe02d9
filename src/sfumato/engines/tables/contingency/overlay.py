"""Sample and population laid over each other: equal cells added up, those with records first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Joined", "distinct", "overlay"]


class Joined(NamedTuple):
    """Coded cells, each once: those with records first, each part in order.

    `weight` is the population of every cell, `records` the sample of the occupied ones. `place` says where
    each cell of the sample, as it was given, is; −1 for one without records.
    """

    codes: npt.NDArray[np.int32]
    records: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]
    place: npt.NDArray[np.int64]


def overlay(
    codes: npt.NDArray[np.integer],
    count: npt.NDArray[np.int64],
    population_codes: npt.NDArray[np.integer] | None = None,
    population_count: npt.NDArray[np.floating] | npt.NDArray[np.integer] | None = None,
) -> Joined:
    """Lay sample and population over each other; without a population the sample is the population.

    >>> cells = overlay(np.array([[1, 0, 1]]), np.array([1, 2, 1]), np.array([[0, 3]]), np.array([9, 5]))
    >>> cells.codes.tolist(), cells.records.tolist(), cells.weight.tolist(), cells.place.tolist()
    ([[0, 1, 3]], [2, 2], [9.0, 0.0, 5.0], [1, 0, 1])
    """
    kept = np.flatnonzero(count > 0)
    order = kept[np.lexsort(codes[::-1, kept])]
    sample, summed, starts = _collapse(
        codes[:, order].astype(np.int32), count[order].astype(np.float64)
    )
    place = np.full(count.size, -1, dtype=np.int64)
    which = np.zeros(order.size, dtype=np.int64)
    which[starts] = 1
    place[order] = np.cumsum(which) - 1
    records = np.ascontiguousarray(summed.astype(np.int64))
    if population_codes is None or population_count is None:
        return Joined(np.ascontiguousarray(sample), records, records.astype(np.float64), place)
    given = np.asarray(population_codes, dtype=np.int32)
    order = np.lexsort(given[::-1])
    crowd, people, _ = _collapse(
        given[:, order], np.asarray(population_count, dtype=np.float64)[order]
    )
    both = np.concatenate((sample, crowd), axis=1)
    from_sample = np.concatenate(
        (np.ones(sample.shape[1], dtype=np.int8), np.zeros(people.size, dtype=np.int8))
    )
    order = np.lexsort((-from_sample, *both[::-1]))
    weights = np.concatenate((np.zeros(sample.shape[1]), people))[order]
    merged, weight, starts = _collapse(both[:, order], weights)
    is_sample = from_sample[order][starts] == 1
    inside, outside = np.flatnonzero(is_sample), np.flatnonzero(~is_sample & (weight > 0))
    return Joined(
        np.ascontiguousarray(merged[:, np.concatenate((inside, outside))]),
        records,
        np.concatenate((weight[inside], weight[outside])),
        place,
    )


def _collapse(
    codes: npt.NDArray[np.int32], weight: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """Add up equal neighbours of sorted columns; also say where each one starts."""
    if codes.shape[1] == 0:
        return codes, weight, np.zeros(0, dtype=np.intp)
    new = np.ones(codes.shape[1], dtype=bool)
    new[1:] = (codes[:, 1:] != codes[:, :-1]).any(axis=0)
    starts = np.flatnonzero(new)
    return codes[:, starts], np.add.reduceat(weight, starts), starts


def distinct(
    codes: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the distinct columns and, for each column, which one it is."""
    order = np.lexsort(codes[::-1])
    sorted_codes = codes[:, order]
    new = np.ones(order.size, dtype=bool)
    new[1:] = (sorted_codes[:, 1:] != sorted_codes[:, :-1]).any(axis=0)
    which = np.empty(order.size, dtype=np.int32)
    which[order] = np.cumsum(new) - 1
    return np.ascontiguousarray(sorted_codes[:, new]), which
