"""What a release keeps, by one protocol: a function of the original and the published rows, in [0, 1].

Every measure compares a published matrix with the original of the same shape; rows that were left out
publish nothing. None needs labels. How well classes can be told apart is measured in `evaluation`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.randomness import Streams
from .binary import BinaryMatrix
from .cells._pair_kernels import frequent_pairs
from .cells.itemsets import ranked_by_support

__all__ = ["MeasureOf"]

_SAMPLE = 2000  # rows or items that a measure over pairs looks at
_NEIGHBOURS = 10
_SUPPORT = 0.01  # of the rows: where an itemset is called frequent


@dataclass(frozen=True)
class MeasureOf:
    """A measure of what a release keeps.

    Parameters
    ----------
    kept : str
        What is kept, in words.
    value : callable
        Returns a share in [0, 1] from the original, the published rows and a seed.

    """

    kept: str
    value: Callable[[BinaryMatrix, BinaryMatrix, int], float]


def _ones(original: BinaryMatrix, published: BinaryMatrix, _seed: int) -> float:
    return len(published.indices) / max(len(original.indices), 1)


def _columns(original: BinaryMatrix, published: BinaryMatrix, _seed: int) -> float:
    before = int(np.count_nonzero(original.supports))
    return int(np.count_nonzero(published.supports)) / max(before, 1)


def _supports(original: BinaryMatrix, published: BinaryMatrix, _seed: int) -> float:
    """Return 1 - mean relative error of the supports of all items that occur."""
    held = original.supports > 0
    if not held.any():
        return 1.0
    before = original.supports[held].astype(np.float64)
    return float(1 - (np.abs(before - published.supports[held]) / before).mean())


def _frequent(matrix: BinaryMatrix, least: int) -> set[tuple[int, ...]]:
    """Return the items and pairs that at least so many rows hold."""
    found: set[tuple[int, ...]] = {(int(i),) for i in np.flatnonzero(matrix.supports >= least)}
    common = np.flatnonzero(matrix.supports >= least)
    ranked, item = ranked_by_support(matrix.project(common))
    starts, rows = ranked.columns
    first, nodes = frequent_pairs(ranked.indptr, ranked.indices, starts, rows, least)
    owner = np.repeat(np.arange(ranked.d), np.diff(first))
    pairs = np.sort(np.column_stack([common[item[owner]], common[item[nodes]]]), axis=1)
    found.update(map(tuple, pairs.tolist()))
    return found


def _itemsets(original: BinaryMatrix, published: BinaryMatrix, _seed: int) -> float:
    """Return the F1 of the frequent items and pairs, at one support in a hundred rows."""
    least = max(2, int(np.ceil(_SUPPORT * original.n)))
    before, after = _frequent(original, least), _frequent(published, least)
    both = len(before & after)
    return 2 * both / (len(before) + len(after)) if before or after else 1.0


def _together(matrix: BinaryMatrix, items: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
    part = matrix.to_csr()[:, items].astype(np.float64)
    return np.asarray((part.T @ part).todense())


def _lift(original: BinaryMatrix, published: BinaryMatrix, _seed: int) -> float:
    """Return how well the lifts of pairs of common items agree: 1 - mean difference of log lifts."""
    items = np.argsort(-original.supports, kind="stable")[: min(200, original.d)]
    items = items[original.supports[items] >= 2]
    if len(items) < 2:
        return 1.0
    upper = np.triu_indices(len(items), 1)
    n = original.n

    def logs(matrix: BinaryMatrix) -> npt.NDArray[np.float64]:
        pairs = _together(matrix, items)
        single = np.diag(pairs)
        expected = np.outer(single, single)[upper] / n
        # half a row each, so that a pair that nobody publishes has a lift, too
        return np.asarray(np.log2((pairs[upper] + 0.5) / (expected + 0.5)))

    before, after = logs(original), logs(published)
    return float(np.clip(1 - np.abs(before - after).mean(), 0, 1))


def _neighbours(original: BinaryMatrix, published: BinaryMatrix, seed: int) -> float:
    """Return the recall of each item's ten nearest items by cosine, as recommenders use them."""
    rng = Streams(seed).generator("neighbours")
    held = np.flatnonzero(original.supports >= 2)
    if len(held) <= 2:
        return 1.0
    order = held[np.argsort(-original.supports[held], kind="stable")][:_SAMPLE]
    rows = np.sort(rng.permutation(original.n)[: 10 * _SAMPLE])
    width = min(_NEIGHBOURS, len(order) - 1)

    def nearest(matrix: BinaryMatrix) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
        part = matrix.to_csr()[rows][:, order].astype(np.float64)
        pairs = np.asarray((part.T @ part).todense())
        norm = np.sqrt(np.maximum(np.diag(pairs), 1e-12))
        near = pairs / norm[:, None] / norm[None, :]
        np.fill_diagonal(near, -1.0)
        return np.argsort(-near, axis=1, kind="stable")[:, :width], near

    before, similar = nearest(original)
    after, similar_after = nearest(published)
    real = np.take_along_axis(similar, before, axis=1) > 0
    shown = np.take_along_axis(similar_after, after, axis=1) > 0
    hits, wanted = 0, int(real.sum())
    for i in range(len(order)):
        hits += len(set(before[i][real[i]]) & set(after[i][shown[i]]))
    return hits / wanted if wanted else 1.0


def _rows(original: BinaryMatrix, published: BinaryMatrix, _seed: int) -> float:
    """Return the share of the rows with items that still publish some."""
    before = int(np.count_nonzero(np.diff(original.indptr)))
    return int(np.count_nonzero(np.diff(published.indptr))) / max(before, 1)


def in_shape(published: BinaryMatrix, rows: npt.NDArray[np.bool_]) -> BinaryMatrix:
    """Return the published rows in the shape of the original: rows left out publish nothing."""
    lengths = np.zeros(len(rows), dtype=np.int64)
    lengths[rows] = np.diff(published.indptr)
    return BinaryMatrix(np.concatenate(([0], np.cumsum(lengths))), published.indices, published.d)


ONES = MeasureOf("share of the ones that are published", _ones)
COLUMNS = MeasureOf("share of the items that are published at all", _columns)
SUPPORTS = MeasureOf("1 - mean relative error of the items' supports", _supports)
ITEMSETS = MeasureOf("F1 of the frequent items and pairs at a support of 1%", _itemsets)
LIFT = MeasureOf("1 - mean difference of the log lifts of pairs of common items", _lift)
NEIGHBOURS = MeasureOf("recall of each item's ten nearest items by cosine", _neighbours)
ROWS = MeasureOf("share of the rows that publish at least one item", _rows)
