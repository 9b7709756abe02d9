"""A test whether a table is like the explored one: new values and shifted margins of its quasi-identifiers.

The counted cells are enough: no row is read for it. A value outside its domain never comes so far, it is
refused when the table is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.arrays import Counts
from ....core.statistics.margins import Margin, compare_margins
from ....core.statistics.shift import TOO_FEW, ShiftCheck
from ....data.table import Table

__all__ = ["check_table", "margins_of", "sentence_of"]


def margins_of(table: Table, sizes: Sequence[int]) -> tuple[Counts, ...]:
    """Return how many records hold each value of each quasi-identifier.

    Rows of one person are alike, and would pass for many people who agree. Where a person is in several
    cells every person counts once in all, in equal parts for each cell.

    >>> from sfumato.data.table import read_table
    >>> schema = {"attribute": [{"name": "age", "role": "quasi", "domain": {"range": [0, 3]}}]}
    >>> margins_of(read_table({"age": [1, 1, 3]}, schema), [4])[0].tolist()
    [0, 2, 0, 1]
    """
    weight: npt.NDArray[np.float64] = table.count.astype(np.float64)
    if table.pairs is not None:
        cell, person = table.pairs
        part = 1.0 / np.bincount(person)[person]
        weight = np.bincount(cell, weights=part, minlength=table.count.size).astype(np.float64)
    return tuple(
        _whole(np.bincount(codes, weights=weight, minlength=size).astype(np.float64))
        for codes, size in zip(table.codes, sizes, strict=True)
    )


def _whole(amounts: npt.NDArray[np.float64]) -> Counts:
    """Round amounts to whole numbers with the same sum.

    >>> _whole(np.array([0.5, 0.5, 2.0])).tolist()
    [1, 0, 2]
    """
    found = np.floor(amounts + 1e-9).astype(np.int64)
    missing = round(float(amounts.sum())) - int(found.sum())
    found[np.argsort(found - amounts, kind="stable")[:missing]] += 1
    return found


def check_table(explored: Sequence[Counts], table: Table) -> ShiftCheck:
    """Compare a table with the margins of the explored one."""
    released = margins_of(table, [len(counts) for counts in explored])
    rows = int(explored[0].sum()), int(released[0].sum())
    return compare_margins(
        [
            Margin(name, was, now, rows)
            for name, was, now in zip(table.names, explored, released, strict=True)
        ]
    )


def sentence_of(check: ShiftCheck) -> str:
    """Return the verdict in words, for the command line and the report."""
    if check.verdict == TOO_FEW:
        return (
            f"{check.released:,} records, explored were {check.learned:,}: too few to tell whether they "
            "are alike."
        )
    if not check.different:
        return (
            f"These {check.released:,} records look like the {check.learned:,} explored (values and "
            f"distribution of each quasi-identifier, p = {check.p_value:.2f})."
        )
    cause = next(m for m in check.measures if m.name == check.cause)
    kind, _, column = cause.name.partition(" of ")
    if kind == "new values":
        how = (
            f"{cause.released:.1%} of them have a value of {column!r} that was not there (expected: "
            f"{cause.learned:.1%})"
        )
    else:
        how = (
            f"{column!r} is distributed in another way (distance {cause.released:.3f}, by chance "
            f"{cause.learned:.3f})"
        )
    return (
        f"These records differ from those explored: {how}. The frontier was made for other data; explore "
        "these."
    )
