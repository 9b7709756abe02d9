"""Cell suppression: in the rows of groups that are too small, as few and as cheap cells as make them large enough.

A row with blanked cells is published with `*` there and belongs to the rows that look the same, `*` being a value
like any other; so the sizes of groups can be counted in the file. Somebody who sees which groups are published
in full knows that a row with blanks is of none of them: only the people of all other groups hide it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile

import numpy as np
import numpy.typing as npt

from ....core.arrays import Floats
from ....data.combinations import number_combinations
from ..contingency.cells import Bits, Cells
from .people import People
from .record_suppression import Suppressed
from .sensitive_columns import SensitiveColumns

__all__ = ["NOT_JOINED", "Blanked", "blank", "blank_cells"]

NOT_JOINED = "Cells are blanked row by row, and rows of a person are joined here."

_ALL_SUBSETS = 10  # attributes up to which every set of blanked ones is tried
_FEW = 2  # blanked attributes at most where there are more, before all are

Numbers = npt.NDArray[np.integer]
Marks = npt.NDArray[np.bool_]
Lacking = Callable[[Numbers, int, Marks], Marks]


@dataclass(frozen=True)
class Blanked:
    """The groups of a policy once cells are blanked.

    By group of the policy that has records: `blanks` says which attributes are blanked (one bit each),
    `left` whether its records are suppressed, `number` which published group it is in. By published group:
    `records`, their different people (`sizes`), and the `people` who hide them.
    """

    codes: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    blanks: npt.NDArray[np.int64]
    left: npt.NDArray[np.bool_]
    number: npt.NDArray[np.int64]
    records: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    people: Floats

    @property
    def rows_blanked(self) -> int:
        """The records with a blanked cell."""
        return int(self.count[(self.blanks > 0) & ~self.left].sum())

    @property
    def rows_suppressed(self) -> int:
        return int(self.count[self.left].sum())


def _subsets(costs: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Yield sets of attributes to blank, the cheapest first, all of them last."""
    open_ = [a for a, cost in enumerate(costs) if cost > 0]
    most = len(open_) if len(open_) <= _ALL_SUBSETS else _FEW
    found = [s for size in range(1, most + 1) for s in combinations(open_, size)]
    if open_ and tuple(open_) not in found:
        found.append(tuple(open_))
    yield from sorted(found, key=lambda s: (sum(costs[a] for a in s), s))


def blank(
    codes: npt.NDArray[np.int64],
    count: npt.NDArray[np.int64],
    people: Floats | None,
    costs: Sequence[float],
    *,
    min_sample: float,
    min_population: float,
    different: Callable[[Numbers, int], npt.NDArray[np.int64]] | None = None,
    lacking: Lacking | None = None,
) -> Blanked:
    """Choose the cells to blank.

    Parameters
    ----------
    codes : array of shape (attributes, groups)
        The interval of each group of the policy; groups without records are there for their people.
    count : array of int
        The records of each group.
    people : array, optional
        The people of each group; the records themselves hide each other without.
    costs : sequence of float
        What blanking one cell of each attribute loses; 0 where it is a single interval already.
    min_sample, min_population : float
        The smallest sizes of a published group.
    different : callable, optional
        Counts the different people of groups of groups, given by a number for each group (−1 for none) and how
        many there are; every record is a person without.
    lacking : callable, optional
        Marks the groups of groups, given in the same way, that lack diversity or closeness; the last argument says
        which groups are published. Groups are large enough or not without.

    """
    crowd = np.zeros(count.size) if people is None else people
    held = count > 0
    alone = np.where(held, np.arange(count.size), -1)
    size = count if different is None else different(alone, count.size)
    small = held & ((size < min_sample) | (np.maximum(crowd, size) < min_population - 1e-9))
    if lacking is not None:
        small |= held & lacking(alone, count.size, held)
    hidden = ~held | small  # groups that nobody sees published in full
    waiting = small.copy()
    blanks = np.zeros(count.size, dtype=np.int64)
    number = np.full(count.size, -1, dtype=np.int64)
    seen = np.flatnonzero(held & ~small)
    number[seen] = np.arange(seen.size)
    records, sizes, around = [count[seen]], [size[seen]], [np.maximum(crowd, size)[seen]]
    made = seen.size
    for chosen in takewhile(lambda _: waiting.any(), _subsets(costs)):
        key = _number_without(codes[:, hidden], chosen)
        many = int(key.max()) + 1
        of_waiting = waiting[hidden]
        held_there = np.bincount(key[of_waiting], weights=count[hidden][of_waiting], minlength=many)
        inside = held_there
        together = np.full(count.size, -1, dtype=np.int64)
        together[np.flatnonzero(hidden)[of_waiting]] = key[of_waiting]
        if different is not None:
            inside = different(together, many).astype(np.float64)
        outside = np.maximum(np.bincount(key, weights=crowd[hidden], minlength=many), inside)
        enough = (inside > 0) & (inside >= min_sample) & (outside >= min_population - 1e-9)
        if lacking is not None and enough.any():
            enough &= ~lacking(together, many, held)
        places = np.flatnonzero(hidden)[of_waiting & enough[key]]
        if places.size == 0:
            continue
        good, of_place = np.unique(key[of_waiting & enough[key]], return_inverse=True)
        blanks[places] = sum(1 << a for a in chosen)
        number[places] = made + of_place
        records.append(held_there[good].astype(np.int64))
        sizes.append(inside[good].astype(np.int64))
        around.append(outside[good])
        made += good.size
        waiting[places] = False
    found = Blanked(
        codes[:, held], count[held], blanks[held], waiting[held], number[held],
        np.concatenate(records), np.concatenate(sizes), np.concatenate(around),
    )  # fmt: skip
    if lacking is not None and waiting.any():
        return _without_lacking(found, number, lacking, held)
    return found


def _number_without(codes: Numbers, blanked: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Number the groups that look the same once some attributes are blanked."""
    kept = [codes[a] for a in range(len(codes)) if a not in blanked]
    return number_combinations(kept) if kept else np.zeros(codes.shape[1], np.int64)


def _without_lacking(found: Blanked, number: Numbers, lacking: Lacking, held: Marks) -> Blanked:
    """Leave out the published groups that are too far from a whole which others have left."""
    number = number.copy()
    many = found.records.size
    gone = np.zeros(many, dtype=np.bool_)
    while True:
        new = lacking(number, many, number >= 0)
        if not new.any():
            break
        gone |= new
        number[(number >= 0) & gone[number]] = -1
    new_number = np.append(np.where(gone, -1, np.cumsum(~gone) - 1), -1)  # the last: of no group
    shown = number[held]
    return Blanked(
        found.codes,
        found.count,
        found.blanks,
        shown < 0,
        new_number[shown],
        found.records[~gone],
        found.sizes[~gone],
        found.people[~gone],
    )


def blank_cells(
    cells: Cells,
    bits: Bits,
    persons: People | None = None,
    columns: SensitiveColumns | None = None,
) -> tuple[Blanked, Suppressed, npt.NDArray[np.int64]]:
    """Blank cells under a policy: what was blanked, its measures, and the published group of each occupied cell.

    The group of a cell whose records are suppressed is −1. With `persons`, groups are counted by people; with
    `columns`, groups that lack diversity or closeness are treated like small ones.
    """
    interval = cells.intervals(bits)
    places = [interval[a][cells.codes[a]].astype(np.int64) for a in range(cells.attributes)]
    key = number_combinations(places)
    first = np.unique(key, return_index=True)[1]
    codes = np.stack(places)[:, first]
    inside = key[: cells.occupied]
    count = np.bincount(inside, weights=cells.count, minlength=first.size).astype(np.int64)
    people = np.bincount(key, weights=cells.weight, minlength=first.size).astype(np.float64)
    logs_of = [cells.widths.logs(a, interval[a]) for a in range(cells.attributes)]
    logs = sum((logs_of[a][codes[a]] for a in range(cells.attributes)), np.zeros(first.size))
    wide = cells.widths.log_domains
    single = codes.max(axis=1) == 0
    margins = [
        float(np.average(wide[a] - logs_of[a][codes[a]], weights=count))
        for a in range(cells.attributes)
    ]
    costs = [0.0 if single[a] else max(margins[a], 1e-9) for a in range(cells.attributes)]
    different = None
    if persons is not None:

        def different(number: Numbers, many: int) -> npt.NDArray[np.int64]:
            return persons.different(number[inside], many)

    lacking = None
    if columns is not None and columns.asks:

        def lacking(number: Numbers, many: int, published: Marks) -> Marks:
            return columns.lacking(number[inside], many, published=published[inside])

    found = blank(
        codes, count, people if cells.has_population else None, costs,
        min_sample=float(cells.least[0]), min_population=float(cells.least[1]), different=different,
        lacking=lacking,
    )  # fmt: skip
    held = count > 0
    widths = logs[held].copy()
    for a in range(cells.attributes):
        on = (found.blanks >> a) & 1 == 1
        widths[on] += wide[a] - logs_of[a][found.codes[a][on]]
    stays = ~found.left
    out = found.rows_suppressed
    nats = float(cells.scale[0]) + float((found.count * widths)[stays].sum())
    nats -= float((found.records * np.log(found.records)).sum())
    if out:
        nats += out * (float(wide.sum()) - float(np.log(out)))
    nats /= cells.records
    unchanged = float(cells.scale[2]) if persons is None else persons.expected_unchanged
    measured = Suppressed(
        risk=float((found.records / found.people).sum() / unchanged),
        loss=float(nats / cells.scale[3]),
        loss_nats=float(nats),
        records=out,
        groups=int(found.records.size),
        smallest_sample_group=int(found.sizes.min()) if found.sizes.size else 0,
        smallest_population_group=float(found.people.min()) if found.people.size else 0.0,
    )
    of_group = np.full(first.size, -1, dtype=np.int64)
    of_group[held] = found.number
    return found, measured, of_group[inside]
