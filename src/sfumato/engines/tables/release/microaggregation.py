"""Numbers averaged in groups of people: one column by its neighbours, several columns together by MDAV.

MDAV (maximum distance to average vector; Domingo-Ferrer and Mateo-Sanz 2002, Domingo-Ferrer and Torra 2005) takes the
point farthest from the mean of all, puts its nearest into a group, does so around the point farthest from that one, and
goes on with the rest. Columns are compared in units of their standard deviation.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts, Floats
from ....core.errors import DataError
from ....data.table_source import TableSource
from ._mdav_kernels import group_points

__all__ = ["average_together", "mdav", "microaggregate", "round_to"]

_BLOCK = 20_000  # points that are compared with each other; more are cut along their first principal axis


def microaggregate(
    values: npt.NDArray[np.float64],
    people: npt.NDArray[np.integer],
    counts: npt.NDArray[np.integer],
    min_people: int,
) -> npt.NDArray[np.float64]:
    """Return the mean of the group of neighbours that each number falls in.

    Equal numbers are in one group, and the numbers of a group belong to several different people.

    Parameters
    ----------
    values : array
        Numbers in ascending order, one entry per number and person.
    people : array of int
        Whose number it is.
    counts : array of int
        The rows of the person with this number.
    min_people : int
        The minimum number of people per group.

    >>> microaggregate(np.array([1.0, 2.0, 4.0, 9.0]), np.arange(4), np.ones(4, int), 2).tolist()
    [1.5, 1.5, 6.5, 6.5]
    >>> microaggregate(np.array([1.0, 2.0, 4.0, 9.0]), np.array([0, 0, 1, 2]), np.ones(4, int), 2).tolist()
    [4.0, 4.0, 4.0, 4.0]

    """
    group = np.empty(values.size, dtype=np.int64)
    number, held = 0, set[int]()
    ends = np.append(values[1:] != values[:-1], True)
    for i, (person, is_end) in enumerate(zip(people.tolist(), ends.tolist(), strict=True)):
        group[i] = number
        held.add(person)
        if is_end and len(held) >= min_people:
            number, held = number + 1, set()
    if held and number:  # the last few join the group before
        group[group == number] = number - 1
    sums = np.bincount(group, weights=values * counts)
    return np.asarray((sums / np.bincount(group, weights=counts))[group])


def mdav(points: Floats, people: Counts, min_people: int) -> Counts:
    """Return the group of each point; the points of a group belong to several different people.

    Parameters
    ----------
    points : array of shape (points, columns)
        The numbers; columns are compared in units of their standard deviation.
    people : array of int
        Whose point it is; there are at least `min_people` of them.
    min_people : int
        The minimum number of people per group.

    >>> two_crowds = np.array([[0.0, 0.0], [9.0, 9.0], [0.1, 0.0], [9.0, 9.1]])
    >>> mdav(two_crowds, np.arange(4), 2).tolist()
    [0, 1, 0, 1]

    """
    spread = points.std(axis=0)
    scaled = np.ascontiguousarray((points - points.mean(axis=0)) / np.where(spread > 0, spread, 1))
    people = np.unique(people, return_inverse=True)[1].astype(np.int64)
    group = np.empty(len(points), dtype=np.int64)
    done = 0
    for block in _blocks(scaled, people, min_people):
        inside = np.unique(people[block], return_inverse=True)[1].astype(np.int64)
        found = group_points(np.ascontiguousarray(scaled[block]), inside, min_people)
        group[block] = done + found
        done += int(found.max()) + 1
    order = np.unique(group, return_index=True)[1]  # numbered by their first points
    return np.asarray(np.argsort(np.argsort(order))[group])


def _blocks(points: Floats, people: Counts, min_people: int) -> list[npt.NDArray[np.intp]]:
    """Cut many points into blocks of neighbours, each of enough people."""
    if len(points) <= _BLOCK:
        return [np.arange(len(points))]
    axis = np.linalg.eigh(points.T @ points)[1][:, -1]
    order = np.argsort(points @ axis, kind="stable")
    found = [order[:0]]
    for part in np.array_split(order, -(-len(points) // _BLOCK)):
        if np.unique(people[found[-1]]).size < min_people:
            found[-1] = np.concatenate((found[-1], part))
        else:
            found.append(part)
    if len(found) > 1 and np.unique(people[found[-1]]).size < min_people:
        found[-2:] = [np.concatenate(found[-2:])]
    return found


def round_to(values: npt.NDArray[np.float64], step: float) -> npt.NDArray[np.float64]:
    """Return the nearest multiples of a power of ten, as they are written."""
    digits = max(0, -int(np.floor(np.log10(step))))
    return np.round(np.round(values / step) * step, digits)


def average_together(
    opened: TableSource,
    rows: str,
    columns: Sequence[str],
    *,
    person: str,
    number: str,
    min_people: int,
    steps: Sequence[float],
) -> None:
    """Replace the numbers of several columns by the means of groups that are made by all of them.

    Rows that lack the same numbers are grouped among each other; where they are of too few people, none of their numbers is published.

    Parameters
    ----------
    opened : TableSource
        Holds the table of rows.
    rows : str
        The name of that table.
    columns : sequence of str
        The names of its columns.
    person, number : str
        The SQL of whose row it is, and the column that numbers the rows.
    min_people : int
        The minimum number of people per group.
    steps : sequence of float
        By column, what its means are rounded to.

    """
    import pyarrow as pa

    listed = ", ".join(columns)
    found = opened.query(
        f"SELECT {number} AS i, dense_rank() OVER (ORDER BY {person}) - 1 AS who, {listed} FROM {rows} "  # noqa: S608 (quoted)
        f"ORDER BY {listed}, who, i"
    )
    points = np.column_stack(
        [found.column(c).to_numpy(zero_copy_only=False).astype(np.float64) for c in columns]
    )
    people = found.column("who").to_numpy().astype(np.int64)
    known = ~np.isnan(points)
    if np.unique(people[known.all(axis=1)]).size < min_people:
        raise DataError(
            f"Columns that are averaged together hold numbers of fewer than {min_people:,} people, too few to average."
        )
    means = np.full(points.shape, np.nan)
    pattern = known @ (1 << np.arange(len(columns)))
    for kind in np.unique(pattern[pattern > 0]).tolist():
        some = np.flatnonzero(pattern == kind)
        there = np.flatnonzero(known[some[0]])
        if np.unique(people[some]).size < min_people:
            continue
        group = mdav(points[np.ix_(some, there)], people[some], min_people)
        sizes = np.bincount(group)
        for c in there.tolist():
            values = points[some, c]
            mean = np.bincount(group, weights=values) / sizes
            low, high = np.full(sizes.size, np.inf), np.full(sizes.size, -np.inf)
            np.minimum.at(low, group, values)
            np.maximum.at(high, group, values)
            means[some, c] = np.where(low == high, low, round_to(mean, steps[c]))[group]
    new = {"i": found.column("i")}
    new |= {f"m{c}": pa.array(means[:, c], from_pandas=True) for c in range(len(columns))}
    opened.connection.register("sfumato_together", pa.table(new))
    changed = ", ".join(f"{column} = m.m{c}" for c, column in enumerate(columns))
    opened.execute(f"UPDATE {rows} SET {changed} FROM sfumato_together m WHERE {number} = m.i")  # noqa: S608 (ours)
