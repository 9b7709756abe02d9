"""The values of a column within groups of a written file, as a table of counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...data.table_source import cell_text

__all__ = ["VALUES", "counts_of_values"]

VALUES = (
    "dense_rank() OVER (ORDER BY TRY_CAST(v AS DOUBLE), v) - 1 AS place, "
    f"{cell_text('v')} IS NOT NULL AND TRY_CAST({cell_text('v')} AS DOUBLE) IS NULL AS odd, n"
)
"""The SQL of the place of a value `v` among all, as numbers where all of them are; whether it is no number."""


def counts_of_values(found: pa.Table, groups: int) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the counts `n` as (groups, values), and whether all values are numbers.

    Parameters
    ----------
    found : pyarrow.Table
        The group `g`, and what `VALUES` selects.
    groups : int
        How many groups there are.

    """
    group, place = (found.column(c).to_numpy().astype(np.int64) for c in ("g", "place"))
    table = np.zeros((groups, int(place.max()) + 1))
    np.add.at(table, (group, place), found.column("n").to_numpy())
    return table, not found.column("odd").to_numpy().any()
