"""What a release keeps, by one protocol: a function of the original and the published rows, in [0, 1].

Every measure compares a published matrix with the original of the same shape; rows that were suppressed
publish nothing. None needs labels. How well classes can be separated is measured in `prediction`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from ....core.randomness import Streams
from ..cells._pair_kernels import frequent_pairs
from ..cells.itemsets import ranked_by_support
from ..matrix.binary import BinaryMatrix

__all__ = ["MeasureOf"]

_SAMPLE = 2000  # rows or items that a measure over pairs looks at
_NEIGHBOURS = 10
_SUPPORT = 0.01  # share of the rows from which an itemset is called frequent


Kept = Callable[[BinaryMatrix], float]
"""Returns what a published matrix keeps of the original that it was made for."""


@dataclass(frozen=True)
class MeasureOf:
    """A measure of what a release keeps.

    Parameters
    ----------
    kept : str
        What is kept, in words.
    of : callable
        Takes the original and a seed, and returns the measure of what is published of it: what is
        needed of the original is computed once, however many releases are compared with it.
    of_categories : callable, optional
        The same for a measure that needs to know which columns are categories of which.

    """

    kept: str
    of: Callable[[BinaryMatrix, int], Kept]
    of_categories: Callable[[BinaryMatrix, sp.csr_matrix], Kept] | None = None

    def on(self, original: BinaryMatrix, seed: int, above: sp.csr_matrix | None = None) -> Kept:
        """Return the measure of what is published of the original."""
        if above is None or self.of_categories is None:
            return self.of(original, seed)
        return self.of_categories(original, above)

    def value(self, original: BinaryMatrix, published: BinaryMatrix, seed: int) -> float:
        """Return a share in [0, 1] from the original, the published rows and a seed."""
        return self.of(original, seed)(published)


def _ones(original: BinaryMatrix, _seed: int) -> Kept:
    return lambda published: len(published.indices) / max(len(original.indices), 1)


def _columns(original: BinaryMatrix, _seed: int) -> Kept:
    before = max(int(np.count_nonzero(original.supports)), 1)
    return lambda published: int(np.count_nonzero(published.supports)) / before


def _rows(original: BinaryMatrix, _seed: int) -> Kept:
    """Measure the share of the rows with items that still publish some."""
    before = max(int(np.count_nonzero(np.diff(original.indptr))), 1)
    return lambda published: int(np.count_nonzero(np.diff(published.indptr))) / before


def _supports(original: BinaryMatrix, _seed: int) -> Kept:
    """Measure 1 - mean relative error of the supports of all items that occur."""
    held = original.supports > 0
    before = original.supports[held].astype(np.float64)
    if not len(before):
        return lambda _: 1.0
    return lambda published: float(1 - (np.abs(before - published.supports[held]) / before).mean())


def _frequent(matrix: BinaryMatrix, least: int) -> npt.NDArray[np.int64]:
    """Return the items and pairs that at least a number of rows hold, as numbers: first * d + last."""
    common = np.flatnonzero(matrix.supports >= least)
    ranked, item = ranked_by_support(matrix.project(common))
    starts, rows = ranked.columns
    first, nodes = frequent_pairs(ranked.indptr, ranked.indices, starts, rows, least)
    owner = common[item[np.repeat(np.arange(ranked.d), np.diff(first))]]
    other = common[item[nodes]]
    pairs = np.minimum(owner, other) * matrix.d + np.maximum(owner, other)
    return np.concatenate((common * matrix.d + common, pairs))


def _itemsets(original: BinaryMatrix, _seed: int) -> Kept:
    """Measure the F1 of the frequent items and pairs, at one support in a hundred rows."""
    least = max(2, int(np.ceil(_SUPPORT * original.n)))
    before = _frequent(original, least)

    def kept(published: BinaryMatrix) -> float:
        after = _frequent(published, least)
        both = len(np.intersect1d(before, after, assume_unique=True))
        total = len(before) + len(after)
        return 2 * both / total if total else 1.0

    return kept


def _together(
    matrix: BinaryMatrix, items: npt.NDArray[np.intp], rows: npt.NDArray[np.intp] | None = None
) -> sp.csr_matrix:
    """Count the rows that hold each two of the items."""
    part = matrix.to_csr() if rows is None else matrix.to_csr()[rows]
    part = part[:, items].astype(np.int32)
    pairs: sp.csr_matrix = (part.T @ part).tocsr()
    return pairs


def _lift(original: BinaryMatrix, _seed: int) -> Kept:
    """Measure how well the lifts of pairs of common items agree: 1 - mean difference of log lifts."""
    items = np.argsort(-original.supports, kind="stable")[: min(200, original.d)]
    items = items[original.supports[items] >= 2]
    if len(items) < 2:
        return lambda _: 1.0
    upper = np.triu_indices(len(items), 1)
    n = original.n

    def logs(matrix: BinaryMatrix) -> npt.NDArray[np.float64]:
        pairs = _together(matrix, items).toarray().astype(np.float64)
        single = np.diag(pairs)
        expected = np.outer(single, single)[upper] / n
        # half a row each, so that a pair that nobody publishes has a lift, too
        return np.asarray(np.log2((pairs[upper] + 0.5) / (expected + 0.5)))

    before = logs(original)
    return lambda published: float(np.clip(1 - np.abs(before - logs(published)).mean(), 0, 1))


def _neighbours(original: BinaryMatrix, seed: int) -> Kept:
    """Measure the recall of each item's ten nearest items by cosine, as recommenders use them."""
    rng = Streams(seed).generator("neighbours")
    held = np.flatnonzero(original.supports >= 2)
    if len(held) <= 2:
        return lambda _: 1.0
    order = held[np.argsort(-original.supports[held], kind="stable")][:_SAMPLE]
    rows = np.sort(rng.permutation(original.n)[: 10 * _SAMPLE])
    before = _Neighbours(original, order, rows)

    def kept(published: BinaryMatrix) -> float:
        shown = np.flatnonzero(published.supports[order])  # no other item has a neighbour left
        after = _Neighbours(published, order[shown], rows).nearest(np.arange(len(shown)))
        hits = np.count_nonzero(before.nearest(shown)[:, shown] & after)
        return int(hits) / before.wanted if before.wanted else 1.0

    return kept


class _Neighbours:
    """The nearest items of each item; found when they are first asked for."""

    def __init__(
        self,
        matrix: BinaryMatrix,
        items: npt.NDArray[np.intp],
        rows: npt.NDArray[np.intp],
    ) -> None:
        self._pairs = _together(matrix, items, rows)
        self._norm = np.sqrt(np.maximum(self._pairs.diagonal(), 1e-12))
        d = len(items)
        self._width = max(0, min(_NEIGHBOURS, d - 1))
        near = np.diff(self._pairs.indptr) - (self._pairs.diagonal() > 0)
        self.wanted = int(np.minimum(near, self._width).sum())
        self._found = np.zeros((d, d), dtype=bool)
        self._known = np.zeros(d, dtype=bool)

    def nearest(self, items: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which items are among the nearest of the given ones; of equals the first.

        An item that shares no row is nobody's neighbour.
        """
        new = items[~self._known[items]]
        if len(new) and self._width:
            self._found[new] = self._nearest(new)
            self._known[new] = True
        return self._found[items]

    def _nearest(self, items: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        near = self._pairs[items].toarray() / self._norm[items, None]
        near /= self._norm[None, :]
        near[np.arange(len(items)), items] = 0.0
        last = np.partition(near, -self._width, axis=1)[:, -self._width, None]
        found = near > last
        equal = near == last
        left = self._width - found.sum(axis=1, keepdims=True)
        found |= equal & (np.cumsum(equal, axis=1, dtype=np.int32) <= left)
        return np.asarray(found & (near > 0))


def _categories(original: BinaryMatrix, above: sp.csr_matrix) -> Kept:
    """Measure the share of the rows' categories of which the category or an item is published.

    An item without a category is its own.
    """
    is_group = np.asarray(above.sum(axis=0)).ravel() > 0
    alone = np.asarray(above.sum(axis=1)).ravel() == 0
    own = np.flatnonzero(is_group | alone)
    itself = sp.csr_matrix((np.ones(len(own), dtype=np.int32), (own, own)), shape=above.shape)
    of_item = (above + itself).tocsr()

    def count(matrix: BinaryMatrix) -> int:
        return int((matrix.to_csr().astype(np.int32) @ of_item).count_nonzero())

    before = max(count(original), 1)
    return lambda published: count(published) / before


ONES = MeasureOf("share of the ones that are published", _ones)
COLUMNS = MeasureOf("share of the items that are published at all", _columns)
SUPPORTS = MeasureOf("1 - mean relative error of the items' supports", _supports)
ITEMSETS = MeasureOf("F1 of the frequent items and pairs at a support of 1%", _itemsets)
LIFT = MeasureOf("1 - mean difference of the log lifts of pairs of common items", _lift)
NEIGHBOURS = MeasureOf("recall of each item's ten nearest items by cosine", _neighbours)
ROWS = MeasureOf("share of the rows that publish at least one item", _rows)
CATEGORIES = MeasureOf(
    "share of the rows' categories that are published, or an item of them",
    _ones,
    _categories,
)
