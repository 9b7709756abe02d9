"""k^m-anonymity: every m items that some row publishes together are published by at least k rows.

This is the promise against someone who knows at most m items of a person. For m = 2 rows keep cliques of
the graph of pairs that k rows share; for m = 3 items of rare triples follow. For more known items the
release under k-anonymity by containment is used: it holds for every m.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..matrix.binary import BinaryMatrix
from . import _exchange_kernels as exchanges
from . import _pair_kernels as kernels
from . import _triple_kernels as triples
from .cores import in_order_of

__all__ = [
    "itemset_anonymity",
    "ranked_by_support",
    "rows_with_rare_items",
    "suppress_rare_itemsets",
]

I4 = npt.NDArray[np.int32]
I8 = npt.NDArray[np.int64]

_SEARCHED = 2_000_000  # ones up to which columns are a separate start
_SWEEPS = 2  # sweeps of exchanges over all items
_LOSS = 16  # ones that an exchange may lose before rows are filled again
_LOOKS = 50_000_000  # edges that are looked at for each start: a few seconds
_LOG = 1 << 22
_MOST_TRIPLES = 4_000_000_000
_ROOM = 1 << 25
_COUNTED = 12_000_000  # triples that are counted at once: some 400 MB
_MOST_ITEMS = 2_000_000  # three of them fit into a key of 64 bits
_WORK = 4_000_000_000


def ranked_by_support(matrix: BinaryMatrix) -> tuple[BinaryMatrix, npt.NDArray[np.int32]]:
    """Return the matrix with items numbered from the most common, and the item of each number."""
    by_support = np.argsort(-matrix.supports, kind="stable").astype(np.int32)
    rank = np.empty(matrix.d, dtype=np.int32)
    rank[by_support] = np.arange(matrix.d, dtype=np.int32)
    ranks = in_order_of(matrix.indptr, rank[matrix.indices])
    return BinaryMatrix(matrix.indptr, ranks, matrix.d), by_support


def itemset_anonymity(
    matrix: BinaryMatrix, m: int, *, floor: int = 1, work: int = _WORK
) -> tuple[int, bool]:
    """Return the fewest rows left to someone who knows at most m items, and whether it is exact.

    Parameters
    ----------
    matrix : BinaryMatrix
        The published rows.
    m : int
        The number of items known: 1, 2 or 3.
    floor : int
        A value that the answer cannot be below (the AC of the matrix); reaching it ends the search.
    work : int
        Steps after which the search for triples ends; the value is then one that an attacker reaches.

    """
    if matrix.n == 0:
        return 0, True
    held = matrix.supports[matrix.supports > 0]
    best = int(min(held.min(initial=matrix.n), matrix.n))
    if m == 0 or not len(held):
        return matrix.n, True
    if m == 1 or best <= floor:
        return best, True
    ranked, _ = ranked_by_support(matrix)
    starts, rows = ranked.columns
    best = int(kernels.fewest_with_pair(ranked.indptr, ranked.indices, starts, rows, floor, best))
    if m == 2 or best <= floor:
        return best, True
    lengths = np.diff(matrix.indptr).astype(np.float64)
    if float((lengths * (lengths - 1) * (lengths - 2) / 6).sum()) > work:
        work = work // 4  # not to be had whole: a part of it is enough
    value, exact = triples.fewest_with_triple(
        ranked.indptr, ranked.indices, starts, rows, floor, best, work
    )
    return int(value), bool(exact) and m == 3


def suppress_rare_itemsets(
    matrix: BinaryMatrix, k: int, m: int, *, otherwise: BinaryMatrix | None = None
) -> BinaryMatrix:
    """Return a k^m-anonymous release of the same shape that keeps many ones.

    Parameters
    ----------
    matrix : BinaryMatrix
        The rows.
    k, m : int
        At least k rows for every m items.
    otherwise : BinaryMatrix, optional
        A release that is k-anonymous by containment; it is returned where it keeps more, and for m > 3
        (None is then an error of the caller).

    """
    if m > 3 or (m == 3 and not _within_reach(matrix)):
        assert otherwise is not None
        return otherwise
    features = np.flatnonzero(matrix.supports >= k)
    reduced = matrix.project(features)
    ranked, item = ranked_by_support(reduced)
    kept = np.ones(len(ranked.indices), dtype=bool)
    if m >= 2 and len(kept):
        kept = _without_rare_pairs(ranked, k)
        # an item that too few rows still publish goes whole: no pair of other items changes
        kept &= ~(np.bincount(ranked.indices[kept], minlength=ranked.d) < k)[ranked.indices]
    if m >= 3 and len(kept):
        offered = kept
        kept = _without_rare_triples(ranked, offered.copy(), offered, k)
        if otherwise is not None:  # it keeps the promise already: what can be put back there?
            held = _held_in(ranked, otherwise.project(features[item]))
            other = _without_rare_triples(ranked, held, offered | held, k)
            kept = max(kept, other, key=lambda ones: int(ones.sum()))
    found = _back(ranked, kept, features[item], matrix.d)
    if otherwise is not None and len(otherwise.indices) > len(found.indices):
        return otherwise
    return found


def _within_reach(matrix: BinaryMatrix) -> bool:
    lengths = np.diff(matrix.indptr).astype(np.float64)
    return float((lengths**3).sum()) / 6 <= _MOST_TRIPLES


def _without_rare_pairs(ranked: BinaryMatrix, k: int) -> npt.NDArray[np.bool_]:
    """Return which ones to publish: the best of two starts, each improved by exchanges of items."""
    indptr, ranks = ranked.indptr, ranked.indices
    postings = ranked.columns
    graph = kernels.frequent_pairs(indptr, ranks, *postings, k)
    longest = int(np.diff(indptr).max(initial=1))
    starts = [kernels.cliques(indptr, ranks, *graph, longest)]
    if len(ranks) <= _SEARCHED:
        common_first = np.arange(ranked.d, dtype=np.int32)
        held = kernels.columns_without_rare_pairs(indptr, ranks, *postings, common_first, k)
        starts.append(held[ranks])
    found = [_exchange(ranked, kept, graph, k) for kept in starts]
    return max(found, key=lambda kept: int(kept.sum()))


def _exchange(
    ranked: BinaryMatrix, kept: npt.NDArray[np.bool_], graph: tuple[I8, I4], k: int
) -> npt.NDArray[np.bool_]:
    """Drop what makes a pair rare, put back what rows lift together, and exchange items that pay."""
    indptr, ranks = ranked.indptr, ranked.indices
    lengths = np.diff(indptr)
    longest = int(lengths.max(initial=1))
    counts = kernels.count_edges(indptr, ranks, kept, *graph, longest)
    long_first = np.argsort(-lengths, kind="stable").astype(np.int32)
    kernels.repair(indptr, ranks, kept, *graph, counts, k, long_first, longest)
    room = min(3 * len(ranks), _LOG) + 2 * longest
    numbers = np.zeros(5, dtype=np.int64)
    numbers[exchanges.K] = k
    pairs = exchanges.PairState(
        indptr, ranks, *ranked.columns,
        places=np.argsort(ranks, kind="stable").astype(np.int64),
        first=graph[0],
        nodes=graph[1],
        counts=counts,
        kept=kept,
        log=np.empty(room, np.int64),
        log_row=np.empty(room, np.int32),
        dirty=np.empty(ranked.n, np.int32),
        is_dirty=np.zeros(ranked.n, np.bool_),
        items=np.empty(longest + 1, np.int32),
        place=np.empty(longest + 1, np.int64),
        numbers=numbers,
    )  # fmt: skip
    short_first = long_first[::-1].copy()
    exchanges.lift(pairs, short_first)
    common_first = np.arange(ranked.d, dtype=np.int64)
    for _ in range(_SWEEPS):
        gained = sum(
            exchanges.exchange(pairs, common_first, foes, _LOSS, _LOOKS) for foes in (0, 1, 2)
        )
        if gained * 1000 < kept.sum():
            break
    exchanges.lift(pairs, short_first)
    return kept


def _without_rare_triples(
    ranked: BinaryMatrix, kept: npt.NDArray[np.bool_], offered: npt.NDArray[np.bool_], k: int
) -> npt.NDArray[np.bool_]:
    indptr, ranks = ranked.indptr, ranked.indices
    starts, row_of = ranked.columns
    kept = _by_row(ranked, kept, offered, k)
    places = np.argsort(ranks, kind="stable").astype(np.int64)
    while True:  # a dropped item lowers the counts of others: until a sweep changes nothing
        dropped = triples.drop_rare_triples(indptr, ranks, kept, starts, places, row_of, k, _ROOM)
        pairs = _drop_rare_pairs(ranked, kept, k)
        if dropped + pairs == 0:
            return kept


def _held_in(ranked: BinaryMatrix, release: BinaryMatrix) -> npt.NDArray[np.bool_]:
    """Return which ones of the rows a release of them publishes, in the same numbering."""

    def keys(m: BinaryMatrix) -> npt.NDArray[np.int64]:
        return np.repeat(np.arange(m.n), np.diff(m.indptr)) * m.d + m.indices

    return np.isin(keys(ranked), keys(release), assume_unique=True)


def _by_row(
    ranked: BinaryMatrix, kept: npt.NDArray[np.bool_], offered: npt.NDArray[np.bool_], k: int
) -> npt.NDArray[np.bool_]:
    """Drop from each row the items of most rare triples, and put back what then is possible.

    Where too many triples are offered to count them at once, nothing changes.
    """
    indptr, ranks, d = ranked.indptr, ranked.indices, ranked.d
    sums = np.concatenate(([0], np.cumsum(offered)))
    lengths = np.diff(sums[indptr]).astype(np.float64)
    many = float((lengths * (lengths - 1) * (lengths - 2) / 6).sum())
    if many > _COUNTED or d > _MOST_ITEMS:
        return kept
    longest = int(np.diff(indptr).max(initial=1))
    slots = 1 << max(12, int(2 * many).bit_length())
    kept = kept.copy()
    table, counts = triples.count_triples(indptr, ranks, kept, offered, d, longest, slots)
    order = np.argsort(-lengths, kind="stable").astype(np.int32)
    up = order[::-1].copy()
    where = (table, counts, d, k)
    votes = np.zeros(len(counts), dtype=np.int32)
    best = np.zeros_like(kept)
    for _ in range(8):
        triples.repair_triples(indptr, ranks, kept, *where, order, longest)
        while triples.restore_triples(indptr, ranks, kept, offered, *where, up, longest, votes, 0):
            pass
        if kept.sum() <= best.sum():
            break
        best = kept.copy()
        votes[:] = 0
        for voting in (1, 2):
            triples.restore_triples(
                indptr, ranks, kept, offered, *where, up, longest, votes, voting
            )
    return best


def _drop_rare_pairs(ranked: BinaryMatrix, kept: npt.NDArray[np.bool_], k: int) -> int:
    """Drop what makes a pair or an item rare among the ones still kept; return how many."""
    indptr, ranks = ranked.indptr, ranked.indices
    before = int(kept.sum())
    longest = int(np.diff(indptr).max(initial=1))
    starts, rows = ranked.columns
    first, nodes = kernels.frequent_pairs(indptr, ranks, starts, rows, k)
    counts = kernels.count_edges(indptr, ranks, kept, first, nodes, longest)
    order = np.argsort(-np.diff(indptr), kind="stable").astype(np.int32)
    kernels.repair(indptr, ranks, kept, first, nodes, counts, k, order, longest)
    supports = np.bincount(ranks[kept], minlength=ranked.d)
    kept &= ~(supports < k)[ranks]
    return before - int(kept.sum())


def _back(
    ranked: BinaryMatrix,
    kept: npt.NDArray[np.bool_],
    item: npt.NDArray[np.int64],
    d: int,
) -> BinaryMatrix:
    sums = np.concatenate(([0], np.cumsum(kept)))
    indptr = sums[ranked.indptr].astype(np.int64)
    indices = in_order_of(indptr, item[ranked.indices[kept]].astype(np.int32))
    return BinaryMatrix(indptr, indices, d)


def rows_with_rare_items(matrix: BinaryMatrix, k: int, m: int) -> npt.NDArray[np.bool_]:
    """Return which rows hold a set of at most m items that fewer than k rows hold."""
    ranked, _ = ranked_by_support(matrix)
    starts, row_of = ranked.columns
    kept = matrix.supports[matrix.indices] >= k
    bad = np.add.reduceat(np.append(~kept, False), matrix.indptr[:-1])
    found = np.where(np.diff(matrix.indptr) > 0, bad, 0) > 0
    if m >= 2:
        found |= kernels.rows_with_rare_pair(ranked.indptr, ranked.indices, starts, row_of, k)
    if m >= 3:
        everything = np.ones(len(ranked.indices), dtype=bool)
        places = np.argsort(ranked.indices, kind="stable").astype(np.int64)
        triples.drop_rare_triples(
            ranked.indptr, ranked.indices, everything, starts, places, row_of, k, _ROOM
        )
        rows = np.repeat(np.arange(matrix.n), np.diff(matrix.indptr))
        found[rows[~everything]] = True
    return found
