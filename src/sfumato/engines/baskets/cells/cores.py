"""Cores and holders: which single ones to suppress so that a matrix is k-anonymous by containment.

A published matrix is k-anonymous by containment if and only if every published row that no other
published pattern strictly contains has at least k identical copies. So a release is a family of cores,
each published whole by at least k rows that hold it; every other row publishes what it shares with one
core, at no further condition. Column selection is the special case of one set of columns, and any
release is a start from which each step only adds ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ....core.engine import Progress, no_progress
from ....core.randomness import Streams
from ..containment.patterns import Patterns
from ..matrix.binary import BinaryMatrix
from . import _core_kernels as kernels
from ._core_kernels import State
from ._grow_kernels import grow
from ._peel_kernels import order_of_rows, peel
from ._refine_kernels import refine

__all__ = [
    "Effort",
    "in_order_of",
    "only_columns",
    "suppress_cells",
    "suppress_cells_and_columns",
    "suppress_rows",
]

I8 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Effort:
    """How far the search goes.

    Parameters
    ----------
    window : int
        Rows looked at per item around a row.
    width : int
        Nearest rows tried as holders of a new core.
    budget : int
        Entries of the index of cores read per row.

    """

    window: int = 256
    width: int = 32
    budget: int = 4096

    @classmethod
    def quick(cls) -> Effort:
        """Return a light effort, for releases that are only scored: nearly as many ones."""
        return cls(window=64, width=16, budget=1024)

    @classmethod
    def of(cls, matrix: BinaryMatrix) -> Effort:
        """Return the effort that a matrix of this size is given: minutes at 10⁷ ones."""
        if len(matrix.indices) <= 300_000:
            return cls(window=512, width=64)
        if len(matrix.indices) <= 2_000_000:
            return cls()
        return cls(window=64, width=24, budget=1024)


_THRESHOLDS = (64, 32, 16, 8, 4, 2, 1)  # gains of new cores: large ones first
_SEEDS = 400  # rows, or a share of all where that is more,
_SHARE = 50  # around which cores of larger gains are looked for
_HIGH = 2**60
_MOST = 2**31 - 1  # largest worth of a row: shared weights are counted in 32 bits
_LONG = 40  # items per row beyond which columns are a good start, too


@dataclass(frozen=True)
class _Sorted:
    """A matrix with its rows in the order of their items, without items held by fewer than k rows."""

    matrix: BinaryMatrix
    order: npt.NDArray[np.int32]  # row of the original at each place
    features: npt.NDArray[np.int64]
    ranked: npt.NDArray[np.int32]  # by place in `order`: items as ranks, most common first
    item_of_rank: npt.NDArray[np.int32]

    @classmethod
    def of(cls, matrix: BinaryMatrix, k: int) -> _Sorted:
        features = np.flatnonzero(matrix.supports >= k)
        reduced = matrix.project(features)
        by_support = np.argsort(-reduced.supports, kind="stable").astype(np.int32)
        rank = np.empty(reduced.d, dtype=np.int32)
        rank[by_support] = np.arange(reduced.d, dtype=np.int32)
        ranks = in_order_of(reduced.indptr, rank[reduced.indices])
        order = order_of_rows(reduced.indptr, ranks)
        rows = reduced.take_rows(order)
        ranked = in_order_of(rows.indptr, rank[rows.indices])
        return cls(rows, order, features, ranked, by_support)

    def back(self, indptr: I8, indices: npt.NDArray[np.int32], d: int) -> BinaryMatrix:
        """Bring rows of published items back into the order and numbering of the original."""
        found = sp.csr_matrix(
            (
                np.ones(len(indices), dtype=np.uint8),
                self.features[indices].astype(np.int32),
                indptr,
            ),
            shape=(len(indptr) - 1, d),
        )
        place = np.empty(len(self.order), dtype=np.int64)
        place[self.order] = np.arange(len(self.order))
        found = found[place]
        found.sort_indices()
        return BinaryMatrix(found.indptr.astype(np.int64), found.indices.astype(np.int32), d)


def in_order_of(indptr: I8, values: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return the values with those of each row ascending."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return values[np.lexsort((values, row))]


def _peel(rows: _Sorted, k: int) -> BinaryMatrix:
    """Peel the sorted rows; the result is in their order and numbering."""
    m = rows.matrix
    group, lengths = peel(m.indptr, rows.ranked, np.arange(m.n, dtype=np.int32), k)
    length = np.zeros(m.n, dtype=np.int64)
    length[group >= 0] = lengths[group[group >= 0]]
    within = np.arange(len(rows.ranked)) - np.repeat(m.indptr[:-1], np.diff(m.indptr))
    kept = within < np.repeat(length, np.diff(m.indptr))
    indptr = np.concatenate(([0], np.cumsum(length)))
    indices = in_order_of(indptr, rows.item_of_rank[rows.ranked[kept]])
    return BinaryMatrix(indptr, indices, m.d)


class _Search:
    """The state of a search, with room for its cores."""

    def __init__(self, rows: _Sorted, k: int, weights: I8, *, riders: bool) -> None:
        m = rows.matrix
        self.rows, self.k, self.riders = rows, k, riders
        n, d, ones = m.n, m.d, len(m.indices)
        starts, postings = m.columns
        sums = np.concatenate(([0], np.cumsum(weights[m.indices])))
        full = (sums[m.indptr[1:]] - sums[m.indptr[:-1]]).astype(np.int64)
        cores = 4 * (n // max(k, 1)) + 4096
        pool = 3 * ones // max(k, 1) + 64 * 1024
        numbers = np.zeros(6, dtype=np.int64)
        numbers[kernels.K], numbers[kernels.RIDERS] = k, riders
        row = np.zeros((n, 6), dtype=np.int64)
        row[:, [kernels.CORE, kernels.NEXT, kernels.PREVIOUS]] = -1
        row[:, kernels.FULL], row[:, kernels.HOPE] = full, _HIGH
        item = np.zeros((d, 4), dtype=np.int64)
        item[:, kernels.HEAD] = -1
        self.state = State(
            m.indptr, m.indices, starts, postings, weights,
            mark=np.zeros(d, np.int64),
            seen=np.zeros(n, np.int32),
            item=item,
            row=row,
            core=np.zeros((cores, 7), np.int64),
            entry=np.zeros((pool, 3), np.int32),
            numbers=numbers,
        )  # fmt: skip

    def start_from(self, published: BinaryMatrix) -> None:
        """Take over a feasible release of the same (sorted) rows."""
        patterns = Patterns.of(published)
        sizes = np.diff(published.indptr)[patterns.representative]
        chosen = np.flatnonzero((patterns.multiplicity >= self.k) & (sizes > 0))
        kernels.load_cores(
            self.state, published.indptr, published.indices,
            patterns.of_row, patterns.representative, chosen.astype(np.int64),
        )  # fmt: skip

    def release(self) -> tuple[I8, npt.NDArray[np.int32]]:
        indptr, indices = kernels.published_rows(self.state)
        return indptr, indices

    def run(self, effort: Effort, seed: int, progress: Progress) -> None:
        """Grow cores, those of the largest gains first, refining and reassigning after each pass."""
        order = Streams(seed).generator("cells").permutation(self.rows.matrix.n)
        hope = self.state.row[:, kernels.HOPE]
        weight = self.state.weight
        unit = max(1, int(np.median(weight))) if len(weight) else 1
        kernels.reassign(self.state, order, effort.budget)
        # the first cores serve the most rows: the best of a sample, before any that will do
        some = order[: max(_SEEDS, len(order) // _SHARE)]
        self._grow(some, effort, _HIGH)
        least = int(hope[some].max(where=hope[some] < _HIGH, initial=0))
        while least > _THRESHOLDS[0] * unit:
            self._grow(some, effort, least)
            least //= 2
        hope[:] = _HIGH
        for least in _THRESHOLDS:
            self._grow(order, effort, least * unit)
            progress(total=len(_THRESHOLDS))

    def _grow(self, order: I8, effort: Effort, least: int) -> None:
        made = grow(self.state, order, effort.window, effort.width, least)
        if not made:
            return
        every = np.arange(self.rows.matrix.n)
        kernels.reassign(self.state, every, effort.budget)
        if self.riders and self.k > 1:
            refine(self.state, 128)
            kernels.reassign(self.state, every, effort.budget)
        kernels.compact(self.state)


def suppress_cells(
    matrix: BinaryMatrix,
    k: int,
    *,
    columns: npt.ArrayLike | None = None,
    weights: npt.NDArray[np.int64] | None = None,
    effort: Effort | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> BinaryMatrix:
    """Return a release of the same shape that is k-anonymous by containment and keeps many ones.

    Parameters
    ----------
    matrix : BinaryMatrix
        The rows.
    k : int
        The smallest number of rows that must fit whatever items are known.
    columns : array-like of int, optional
        A feasible set of columns; the release is never worth less than these.
    weights : array of int, optional
        What a one of each item is worth; 1 if not given.
    effort : Effort, optional
        How far the search goes; by the size of the matrix if not given.
    seed : int
        Seed of the order in which rows are tried.
    progress : Progress
        Called with the steps of the search.

    """
    effort = effort or Effort.of(matrix)
    worth = np.ones(matrix.d, dtype=np.int64) if weights is None else weights
    rows = _Sorted.of(matrix, k)
    search = _Search(rows, k, worth[rows.features], riders=True)
    search.run(effort, seed, progress)
    found = rows.back(*search.release(), matrix.d)
    if columns is None:
        return found
    start = only_columns(matrix, columns)
    long_rows = effort.window >= 256 and len(rows.matrix.indices) > _LONG * matrix.n
    if long_rows or _worth(found, worth) <= 1.02 * _worth(start, worth):
        search = _Search(rows, k, worth[rows.features], riders=True)
        search.start_from(start.project(rows.features).take_rows(rows.order))
        search.run(effort, seed, progress)
        other = rows.back(*search.release(), matrix.d)
        found = max((found, other), key=lambda m: _worth(m, worth))
    return found


def suppress_cells_and_columns(
    matrix: BinaryMatrix,
    k: int,
    columns: npt.ArrayLike,
    *,
    weights: npt.NDArray[np.int64] | None = None,
    effort: Effort | None = None,
    seed: int = 0,
    progress: Progress = no_progress,
) -> BinaryMatrix:
    """Return a release that holds a feasible set of columns whole, and single ones of the others.

    Parameters are those of `suppress_cells`. The columns outweigh all else: the search begins with every
    one of theirs and gives none up.
    """
    effort = effort or Effort.of(matrix)
    worth = np.ones(matrix.d, dtype=np.int64) if weights is None else weights.copy()
    start = only_columns(matrix, columns)
    sums = np.concatenate(([0], np.cumsum(worth[matrix.indices])))
    heaviest = int(np.diff(sums[matrix.indptr]).max(initial=0))
    held = int(np.diff(start.indptr).max(initial=1))
    worth[np.asarray(columns, dtype=np.int64)] += (_MOST - heaviest) // max(held, 1)
    rows = _Sorted.of(matrix, k)
    search = _Search(rows, k, worth[rows.features], riders=True)
    search.start_from(start.project(rows.features).take_rows(rows.order))
    search.run(effort, seed, progress)
    found = rows.back(*search.release(), matrix.d)
    whole = np.array_equal(only_columns(found, columns).indptr, start.indptr)
    return found if whole else start


def suppress_rows(
    matrix: BinaryMatrix, k: int, *, effort: Effort | None = None, seed: int = 0
) -> BinaryMatrix:
    """Return a release of the same shape in which every row has at least k identical copies.

    This is plain k-anonymity of rows: it holds against someone who knows everything, absences included.
    """
    effort = effort or Effort.of(matrix)
    rows = _Sorted.of(matrix, k)
    search = _Search(rows, k, np.ones(rows.matrix.d, dtype=np.int64), riders=False)
    start = _peel(rows, k)
    search.start_from(start)
    search.run(effort, seed, no_progress)
    return _enough_empty(rows.back(*search.release(), matrix.d), k)


def _enough_empty(published: BinaryMatrix, k: int) -> BinaryMatrix:
    """Empty further rows where some, but fewer than k, publish nothing."""
    lengths = np.diff(published.indptr)
    empty = int(np.count_nonzero(lengths == 0))
    if empty == 0 or empty >= k or published.n < k:
        return published
    patterns = Patterns.of(published)
    sizes = lengths[patterns.representative]
    spare = np.where(sizes > 0, patterns.multiplicity - k, 0)
    wanted = k - empty
    emptied = np.zeros(published.n, dtype=bool)
    for p in np.argsort(sizes, kind="stable"):  # rows of groups that can spare them, shortest first
        if wanted > 0 and spare[p] > 0:
            some = np.flatnonzero(patterns.of_row == p)[: min(wanted, int(spare[p]))]
            emptied[some] = True
            wanted -= len(some)
    if wanted > 0:  # no group can spare enough: the one of the fewest ones goes whole
        cost = np.where(sizes > 0, sizes * patterns.multiplicity, np.iinfo(np.int64).max)
        emptied = patterns.of_row == int(np.argmin(cost))
    keep = ~np.repeat(emptied, lengths)
    left = np.where(emptied, 0, lengths)
    return BinaryMatrix(
        np.concatenate(([0], np.cumsum(left))), published.indices[keep], published.d
    )


def only_columns(matrix: BinaryMatrix, columns: npt.ArrayLike) -> BinaryMatrix:
    """Return a matrix of the same shape without the ones outside the given columns."""
    held = np.zeros(matrix.d, dtype=bool)
    held[np.asarray(columns, dtype=np.int64)] = True
    kept = held[matrix.indices]
    sums = np.concatenate(([0], np.cumsum(kept)))
    return BinaryMatrix(sums[matrix.indptr].astype(np.int64), matrix.indices[kept], matrix.d)


def _worth(matrix: BinaryMatrix, weights: npt.NDArray[np.int64]) -> int:
    return int(weights[matrix.indices].sum())
