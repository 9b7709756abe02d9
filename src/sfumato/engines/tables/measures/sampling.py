"""What share of a population a table holds, and what is estimated of the population from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.coarse import two_digits
from ....core.errors import DataError
from ....data.combinations import number_combinations
from ....data.table import Table
from ..records import PopulationEstimate

__all__ = ["Sampled", "estimate_of", "fraction_of", "fractions_in"]

Sampled = float | npt.NDArray[np.float64] | None
"""The share of the population that was sampled: one, one for each group, or not known."""


def estimate_of(
    people: npt.NDArray[np.integer], records: npt.NDArray[np.integer], fraction: Sampled
) -> PopulationEstimate | None:
    """Estimate what a population shows of groups, by their people and records; None without a fraction."""
    if fraction is None or not people.size:
        return None
    from .uniqueness import (  # scipy's optimisers, which few calls need
        estimate_uniqueness,
        estimate_uniqueness_by_group,
    )

    if isinstance(fraction, float):
        return estimate_uniqueness(people, records, fraction)
    return estimate_uniqueness_by_group(people, records, fraction)


def fractions_in(
    covered: Sequence[npt.NDArray[np.integer]],
    count: npt.NDArray[np.integer],
    people: npt.NDArray[np.floating],
) -> npt.NDArray[np.float64]:
    """Return the share of people that a table holds around each group, by what a population knows of it.

    Parameters
    ----------
    covered : sequence of arrays
        The intervals of the groups in the attributes that the population has.
    count, people : arrays
        The records and the people of each group.

    """
    key = number_combinations(covered)
    records = np.bincount(key, weights=count)
    around = np.maximum(np.bincount(key, weights=people), records)
    return np.asarray((records / around)[key], dtype=np.float64)


def fraction_of(table: Table, given: float | None) -> float | None:
    """Return the share of the population that a table is a sample of: the one given, or by its weights."""
    if table.population_codes is not None:
        return None  # counted, not estimated
    if given is not None or table.weight is None:
        return given
    people = table.people if table.people is not None else int(table.count.sum())
    if table.weight < people:
        raise DataError(
            "The weights add up to fewer people than the table holds.",
            hint="a weight is the number of people that a row represents.",
        )
    # Two digits, and rather more of the population than less: a sum of single weights has them all.
    return min(two_digits(people / table.weight, up=True), 1.0)
