"""Records left out: those whose group stays below the smallest sizes, and what that does to both axes.

A record that is left out is no longer at risk; for the loss it counts as if all that are left out were
published in one group of everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....data.combinations import number_combinations
from ..contingency.cells import Bits, Cells

__all__ = ["Suppressed", "nats_of", "small_groups", "small_in", "suppress_small_groups"]


@dataclass(frozen=True)
class Suppressed:
    """A policy together with the records it leaves out."""

    risk: float
    loss: float
    loss_nats: float
    records: int
    groups: int
    smallest_sample_group: int
    smallest_population_group: float


def suppress_small_groups(cells: Cells, bits: Bits) -> Suppressed:
    """Measure a policy when the records in groups below the smallest sizes are left out."""
    interval = cells.intervals(bits)
    key = number_combinations([interval[a][cells.codes[a]] for a in range(cells.attributes)])
    inside = key[: cells.occupied]
    many = int(key.max()) + 1
    count = np.bincount(inside, weights=cells.count, minlength=many)
    people = np.maximum(np.bincount(key, weights=cells.weight, minlength=many), count)
    small = (count < cells.least[0]) | (people < cells.least[1] - 1e-9)
    kept = (count > 0) & ~small
    nats = nats_of(cells, bits, np.where(kept[inside], cells.count, 0))
    return Suppressed(
        risk=float((count[kept] / people[kept]).sum() / cells.scale[2]),
        loss=nats / float(cells.scale[3]),
        loss_nats=nats,
        records=int(count[small].sum()),
        groups=int(kept.sum()),
        smallest_sample_group=int(count[kept].min()) if kept.any() else 0,
        smallest_population_group=float(people[kept].min()) if kept.any() else 0.0,
    )


def nats_of(cells: Cells, bits: Bits, kept: npt.NDArray[np.integer]) -> float:
    """Return the loss in nats of a policy when only some records of each occupied cell are published."""
    interval = cells.intervals(bits)
    columns = [interval[a][cells.codes[a, : cells.occupied]] for a in range(cells.attributes)]
    sizes = np.bincount(number_combinations(columns), weights=kept)
    sizes = sizes[sizes > 0]
    nats = float(cells.scale[0]) - float((sizes * np.log(sizes)).sum())
    for a in range(cells.attributes):
        width = np.bincount(interval[a, : int(cells.sizes[a])])
        nats += float((kept * np.log(width[columns[a]])).sum())
    out = cells.records - int(kept.sum())
    if out:  # as if published in one group of everything
        nats += out * (float(np.log(cells.sizes.astype(np.float64)).sum()) - float(np.log(out)))
    return nats / cells.records


def small_in(cells: Cells, bits: Bits) -> npt.NDArray[np.bool_]:
    """Mark the occupied cells whose group stays below the smallest sizes."""
    interval = cells.intervals(bits)
    columns = [interval[a][cells.codes[a]] for a in range(cells.attributes)]
    inside = [c[: cells.occupied] for c in columns]
    outside = columns if cells.has_population else None
    return small_groups(
        inside, cells.count, outside, cells.weight if cells.has_population else None,
        min_sample=float(cells.least[0]), min_population=float(cells.least[1]),
    )  # fmt: skip


def small_groups(
    codes: Sequence[npt.NDArray[np.intp]],
    count: npt.NDArray[np.integer],
    people_codes: Sequence[npt.NDArray[np.intp]] | None,
    people: npt.NDArray[np.floating] | None,
    *,
    min_sample: float,
    min_population: float,
) -> npt.NDArray[np.bool_]:
    """Mark the cells, given by their intervals, whose group stays below the smallest sizes."""
    cells = len(count)
    joined = [
        c if people_codes is None else np.concatenate((c, people_codes[a]))
        for a, c in enumerate(codes)
    ]
    key = number_combinations(joined)
    many = int(key.max()) + 1
    records = np.bincount(key[:cells], weights=count, minlength=many)
    around = records
    if people is not None:
        around = np.maximum(np.bincount(key[cells:], weights=people, minlength=many), records)
    small = (records < min_sample) | (around < min_population - 1e-9)
    return np.asarray(small[key[:cells]])
