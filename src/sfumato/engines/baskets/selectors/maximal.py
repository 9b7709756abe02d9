"""Algorithm 1: the best of the r largest maximal feature sets.

`family="frequent"` searches the maximal frequent itemsets, as the paper does; every one is feasible, but
most feasible sets are not frequent. `family="feasible"` searches the true family. Both are exact on
small data and anytime beyond: the search stops at its budget and `complete_` says whether it ended.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ....core.randomness import Streams
from ..matrix.binary import BinaryMatrix
from ..matrix.partition import Partition
from ..measures.separation import _information_of_each, dist_cnt, ham_dist_pairs
from . import _kernels as kernels
from .base import ContainmentSelector
from .exact import MOST_FEATURES, maximal_feasible_sets, maximal_frequent_sets

__all__ = ["MaximalSelector"]

Sets = list[npt.NDArray[np.intp]]


class MaximalSelector(ContainmentSelector):
    """Maximal (Algorithm 1): of the r largest maximal sets the best by a criterion.

    `rank="criterion"` searches frequent itemsets by the summed criterion instead of their size.
    `criterion`: "hamdist" (the paper), "distcnt" or "information". `work` bounds the search over
    frequent itemsets (elementary steps), `rounds` the number of improvement rounds over the true
    family; both are counts, so the same data and seed give the same answer on any machine.

    >>> X = [[1,0,1,0,1], [1,0,1,0,1], [1,0,0,1,1], [1,0,1,0,1], [1,1,1,0,1], [1,1,0,1,1]]
    >>> selector = MaximalSelector(k=2).fit(X, [1, 0, 1, 1, 0, 0])
    >>> selector.get_support(indices=True).tolist(), selector.complete_
    ([0, 2, 3, 4], True)
    """

    def __init__(
        self,
        k: int = 5,
        *,
        r: int = 20,
        family: str = "feasible",
        criterion: str = "hamdist",
        rank: str = "size",
        work: int = 100_000_000,
        rounds: int = 12,
        random_state: int = 0,
        binarize: float | None = None,
    ) -> None:
        self.k = k
        self.r = r
        self.family = family
        self.criterion = criterion
        self.rank = rank
        self.work = work
        self.rounds = rounds
        self.random_state = random_state
        self.binarize = binarize

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if self.family not in {"frequent", "feasible"}:
            raise ParameterError.constraint(
                "family", owner, '"frequent" or "feasible"', self.family
            )
        if self.criterion not in {"hamdist", "distcnt", "information"}:
            raise ParameterError.constraint(
                "criterion", owner, '"hamdist", "distcnt" or "information"', self.criterion
            )
        if self.rank not in {"size", "criterion"}:
            raise ParameterError.constraint("rank", owner, '"size" or "criterion"', self.rank)
        if self.r < 1:
            raise ParameterError.constraint("r", owner, "an int in [1, inf)", self.r)

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        if self.family == "frequent":
            sets = self._frequent(matrix, self._weights(matrix, positive))
        elif matrix.d <= MOST_FEATURES:
            masks = maximal_feasible_sets(matrix, int(self.k))
            members = ((masks[:, None] >> np.arange(matrix.d)) & 1).astype(bool)
            order = np.lexsort((masks, -members.sum(axis=1)))[: self.r]
            sets = [np.flatnonzero(members[i]) for i in order]
            self.complete_ = True
        else:
            sets = self._feasible(matrix, self._weights(matrix, positive))
            self.complete_ = False
        if not sets:
            return []
        scores = self._scores(matrix, positive, sets)
        best = max(range(len(sets)), key=lambda i: (scores[i], len(sets[i]), -i))
        return [int(f) for f in sets[best]]

    def _scores(
        self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_], sets: Sets
    ) -> list[float]:
        if self.criterion == "distcnt":
            return [dist_cnt(matrix, positive, s) for s in sets]
        each: npt.NDArray[np.int64] | npt.NDArray[np.float64] = (
            ham_dist_pairs(matrix, positive)
            if self.criterion == "hamdist"
            else _information_of_each(matrix, positive)
        )
        return [float(each[s].sum()) for s in sets]

    def _weights(
        self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        """Weigh features for the search: one each, or the criterion in whole numbers from 1."""
        if self.rank == "size":
            return np.ones(matrix.d, dtype=np.int64)
        each = (
            _information_of_each(matrix, positive)
            if self.criterion == "information"
            else ham_dist_pairs(matrix, positive).astype(np.float64)
        )
        top = float(each.max(initial=0.0)) or 1.0
        return 1 + np.round(each / top * 1_000_000).astype(np.int64)

    def _frequent(self, matrix: BinaryMatrix, weights: npt.NDArray[np.int64]) -> Sets:
        """Search the maximal frequent itemsets; rare features cannot be in one and are ignored."""
        if matrix.d <= MOST_FEATURES:
            masks = maximal_frequent_sets(matrix, int(self.k))
            members = ((masks[:, None] >> np.arange(matrix.d)) & 1).astype(bool)
            order = np.lexsort((masks, -(members @ weights)))[: self.r]
            self.complete_ = True
            return [np.flatnonzero(members[i]) for i in order]
        wanted = np.flatnonzero(matrix.supports >= self.k)
        part = matrix.project(wanted)
        sizes, heavy = np.zeros(self.r, dtype=np.int64), np.zeros(self.r, dtype=np.int64)
        items = np.zeros((self.r, max(part.d, 1)), dtype=np.int32)
        found, complete = kernels.largest_frequent(
            part.indptr, part.indices, *part.columns, weights[wanted], int(self.k), self.r, self.work,
            heavy, sizes, items,
        )  # fmt: skip
        self.complete_ = bool(complete)
        sets = [np.sort(wanted[items[i, : sizes[i]]]) for i in range(found)]
        if not complete:  # the search over rows may have met nothing yet: grow some sets by feature
            grown = [np.sort(wanted[s]) for s in _grown(part, weights[wanted], int(self.k), self.r)]
            known = {s.tobytes(): s for s in [*sets, *grown] if len(s)}
            sets = sorted(known.values(), key=lambda s: (-int(weights[s].sum()), s.tolist()))
        return sets[: self.r]

    def _feasible(self, matrix: BinaryMatrix, weights: npt.NDArray[np.int64]) -> Sets:
        """Search the true family from both ends, then keep the r largest sets of each.

        Frequent itemsets, filled up, hold common features; rare features first, improved by ruin and
        recreate (drop some, fill up again, keep gains), make the sets of most features.
        """
        rng = Streams(self.random_state).generator("maximal")
        supports = matrix.supports
        pool = np.flatnonzero((supports >= self.k) & (supports < matrix.n))
        always = np.flatnonzero(supports == matrix.n)

        def filled(order: npt.NDArray[np.integer]) -> npt.NDArray[np.intp]:
            partition = Partition(matrix, k=int(self.k))
            partition.add_ranked(order.astype(np.int32), stop_first=False)
            return np.sort(np.concatenate((always, partition.chosen)).astype(np.intp))

        common: dict[bytes, npt.NDArray[np.intp]] = {}
        by_weight = pool[np.argsort(-(weights * supports)[pool], kind="stable")]
        for base in self._frequent(matrix, weights)[:6]:
            inner = np.setdiff1d(base, always)
            full = filled(
                np.concatenate((inner, np.setdiff1d(by_weight, inner, assume_unique=True)))
            )
            common[full.tobytes()] = full
        by_support = pool[np.argsort(supports[pool], kind="stable")]
        rare: dict[bytes, npt.NDArray[np.intp]] = {}
        current = filled(by_support)
        rare[current.tobytes()] = current
        for turn in range(self.rounds):
            noise = rng.random(matrix.d)
            if turn % 6 == 5:  # now and then from scratch, by a noisy order
                order = pool[np.argsort(np.log(supports[pool]) + 2 * noise[pool], kind="stable")]
            else:
                kept = np.setdiff1d(current[rng.random(len(current)) < 0.85], always)
                rest = np.setdiff1d(pool, kept)
                rest = rest[np.argsort(np.log(supports[rest]) + noise[rest], kind="stable")]
                order = np.concatenate((rng.permutation(kept), rest))
            other = filled(order)
            rare[other.tobytes()] = other
            if len(other) >= len(current):
                current = other

        def largest(sets: dict[bytes, npt.NDArray[np.intp]]) -> Sets:
            return sorted(sets.values(), key=lambda s: (-len(s), s.tolist()))[: self.r]

        return [*largest(common), *largest(rare)]


def _grown(matrix: BinaryMatrix, weights: npt.NDArray[np.int64], k: int, r: int) -> Sets:
    """Grow a maximal frequent itemset from each of the r most promising features."""
    seeds = np.argsort(-(weights * matrix.supports), kind="stable")[:r]
    out = np.empty(matrix.d, dtype=np.int64)
    sets = []
    for seed in seeds:
        size = kernels.grown_itemset(
            matrix.indptr, matrix.indices, *matrix.columns, weights, k, seed, out
        )
        sets.append(np.sort(out[:size]).astype(np.intp))
    return sets
