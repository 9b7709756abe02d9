"""Record suppression: of those whose group is too small or lacks diversity, and what that does to both axes.

A record that is suppressed is no longer at risk; for the loss it counts as if all that are suppressed were
published in one group of everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....data.combinations import number_combinations
from ..contingency.cells import Bits, Cells

if TYPE_CHECKING:  # it counts people, whose suppression is measured by what is here
    from .sensitive_columns import SensitiveColumns

__all__ = ["Suppressed", "nats_of", "suppress_groups"]

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Suppressed:
    """A policy together with the records it suppresses."""

    risk: float
    loss: float
    loss_nats: float
    records: int
    groups: int
    smallest_sample_group: int
    smallest_population_group: float


def suppress_groups(
    cells: Cells, bits: Bits, columns: SensitiveColumns | None = None, *, most: int | None = None
) -> tuple[Suppressed, Marks]:
    """Measure a policy when the records of groups that are too small, or lack what is asked, are suppressed.

    Parameters
    ----------
    cells : Cells
        The counted table, with the smallest sizes.
    bits : array of int
        The policy.
    columns : SensitiveColumns, optional
        The sensitive columns and what is asked of them; groups are small or not without.
    most : int, optional
        The records that may be suppressed: where there are more, the groups are not looked at again.

    Returns
    -------
    Suppressed
        What is measured.
    array of bool
        The occupied cells whose records are suppressed.

    """
    interval = cells.intervals(bits)
    key = number_combinations([interval[a][cells.codes[a]] for a in range(cells.attributes)])
    inside = key[: cells.occupied]
    many = int(key.max()) + 1
    count = np.bincount(inside, weights=cells.count, minlength=many)
    people = np.maximum(np.bincount(key, weights=cells.weight, minlength=many), count)
    out = (count < cells.least[0]) | (people < cells.least[1] - 1e-9)
    limit = cells.records if most is None else most

    def is_over(groups: Marks) -> bool:
        return bool(count[groups].sum() > limit)

    if columns is not None and not is_over(out):
        out = columns.leave_out(inside, many, out, is_over)
    kept = (count > 0) & ~out
    nats = nats_of(cells, bits, np.where(kept[inside], cells.count, 0))
    measured = Suppressed(
        risk=float((count[kept] / people[kept]).sum() / cells.scale[2]),
        loss=nats / float(cells.scale[3]),
        loss_nats=nats,
        records=int(count[out].sum()),
        groups=int(kept.sum()),
        smallest_sample_group=int(count[kept].min()) if kept.any() else 0,
        smallest_population_group=float(people[kept].min()) if kept.any() else 0.0,
    )
    return measured, np.asarray(out[inside])


def nats_of(cells: Cells, bits: Bits, kept: npt.NDArray[np.integer]) -> float:
    """Return the loss in nats of a policy when only some records of each occupied cell are published."""
    interval = cells.intervals(bits)
    columns = [interval[a][cells.codes[a, : cells.occupied]] for a in range(cells.attributes)]
    sizes = np.bincount(number_combinations(columns), weights=kept)
    sizes = sizes[sizes > 0]
    nats = float(cells.scale[0]) - float((sizes * np.log(sizes)).sum())
    for a in range(cells.attributes):
        nats += float((kept * cells.widths.logs(a, interval[a])[columns[a]]).sum())
    out = cells.records - int(kept.sum())
    if out:  # as if published in one group of everything
        nats += out * (float(cells.widths.log_domains.sum()) - float(np.log(out)))
    return nats / cells.records
