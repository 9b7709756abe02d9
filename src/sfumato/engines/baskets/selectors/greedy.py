"""Greedy selection under k-anonymity by containment (Algorithms 2 and 3, and information).

`stop="first"` ends at the first infeasible feature, as the paper does; `stop="never"` skips it and goes
on: the same privacy, many more features. Ties go to the lowest index.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ..matrix._gain_kernels import highest
from ..matrix.binary import BinaryMatrix
from ..matrix.partition import Partition
from ..measures.separation import _information_of_each, ham_dist_pairs
from .base import ContainmentSelector

__all__ = ["GreedyDistCnt", "GreedyHamDist", "GreedyInformation", "GreedySupport"]


class _Greedy(ContainmentSelector):
    """Shared by the greedy selectors.

    `privacy` is "containment" or "k-anonymity" (the paper's baseline). `absence_risky` flags features
    whose absence an attacker may know: a mask, indices, or "all".
    """

    def __init__(
        self,
        k: int = 5,
        *,
        stop: str = "never",
        privacy: str = "containment",
        absence_risky: npt.ArrayLike | None = None,
        binarize: float | None = None,
    ) -> None:
        self.k = k
        self.stop = stop
        self.privacy = privacy
        self.absence_risky = absence_risky
        self.binarize = binarize

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if self.stop not in {"never", "first"}:
            raise ParameterError.constraint("stop", owner, '"never" or "first"', self.stop)
        if self.privacy not in {"containment", "k-anonymity"}:
            raise ParameterError.constraint(
                "privacy", owner, '"containment" or "k-anonymity"', self.privacy
            )

    def _partition(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> Partition:
        flags = self.absence_risky
        plain = self.privacy == "k-anonymity"
        if isinstance(flags, str):
            if flags != "all":
                raise ParameterError.constraint(
                    "absence_risky", type(self).__name__, 'a mask, indices, None or "all"', flags
                )
            flags, plain = None, True  # agreeing on every feature is k-anonymity
        return Partition(matrix, k=int(self.k), positive=positive, absence_risky=flags, plain=plain)

    def _walk(
        self,
        matrix: BinaryMatrix,
        positive: npt.NDArray[np.bool_],
        scores: npt.NDArray[np.integer | np.floating],
    ) -> list[int]:
        """Take features by falling score; a constant column carries no information and is skipped."""
        partition = self._partition(matrix, positive)
        if self.stop == "first":
            head = highest(
                np.asarray(scores, dtype=np.float64), 64
            )  # the walk seldom gets farther: sort the rest only if it does
            if partition.add_ranked(head, stop_first=True) and len(head) < matrix.d:
                rest = np.argsort(-scores, kind="stable").astype(np.int32)
                partition.add_ranked(rest[len(head) :], stop_first=True)
        else:
            order = np.argsort(-scores, kind="stable").astype(np.int32)
            supports = matrix.supports[order]
            order = order[(supports > 0) & (supports < matrix.n)]
            partition.add_ranked(order, stop_first=False)
        self.unique_share_ = partition.unique_share
        return partition.chosen


class GreedyHamDist(_Greedy):
    """Algorithm 2: features by falling HamDist.

    >>> X = [[1,0,1,0,1], [1,0,1,0,1], [1,0,0,1,1], [1,0,1,0,1], [1,1,1,0,1], [1,1,0,1,1]]
    >>> GreedyHamDist(k=2).fit(X, [1, 0, 1, 1, 0, 0]).get_support(indices=True).tolist()
    [1]
    >>> GreedyHamDist(k=2, stop="first").fit(X, [1, 0, 1, 1, 0, 0]).selected_.tolist()
    [1]
    """

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        return self._walk(matrix, positive, ham_dist_pairs(matrix, positive))


class GreedySupport(_Greedy):
    """Features by falling support: the most ones at once. Labels are not looked at.

    >>> X = [[1, 0, 1], [1, 0, 1], [1, 1, 0], [0, 1, 0]]
    >>> GreedySupport(k=2).fit(X, [0, 1, 0, 1]).get_support(indices=True).tolist()
    [0, 2]
    """

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        partition = self._partition(matrix, positive)
        order = np.argsort(-matrix.supports, kind="stable").astype(np.int32)
        partition.add_ranked(order[matrix.supports[order] > 0], stop_first=self.stop == "first")
        self.unique_share_ = partition.unique_share
        return partition.chosen


class GreedyDistCnt(_Greedy):
    """Algorithm 3: each time the feature that newly separates most pairs of unlike class.

    Lazy greedy on partition refinement; ends when no feature separates any further pair (the
    paper's loop would not end there).
    """

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        partition = self._partition(matrix, positive)
        gains = ham_dist_pairs(matrix, positive)  # on the empty set DistCnt and HamDist agree
        self.evaluations_ = partition.add_by_pairs(gains, stop_first=self.stop == "first")
        self.unique_share_ = partition.unique_share
        return partition.chosen


class GreedyInformation(_Greedy):
    """Features by the information they give about the class.

    `criterion="mutual"` ranks each feature on its own; `"conditional"` takes each time the feature
    that adds most to what the chosen ones say already (it ends when nothing is added).
    """

    def __init__(
        self,
        k: int = 5,
        *,
        criterion: str = "mutual",
        stop: str = "never",
        privacy: str = "containment",
        absence_risky: npt.ArrayLike | None = None,
        binarize: float | None = None,
    ) -> None:
        super().__init__(
            k, stop=stop, privacy=privacy, absence_risky=absence_risky, binarize=binarize
        )
        self.criterion = criterion

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.criterion not in {"mutual", "conditional"}:
            raise ParameterError.constraint(
                "criterion", type(self).__name__, '"mutual" or "conditional"', self.criterion
            )

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        if self.criterion == "mutual":
            return self._walk(matrix, positive, _information_of_each(matrix, positive))
        partition = self._partition(matrix, positive)
        chosen = greedy_by_groups(partition, kind=0, stop_first=self.stop == "first")
        self.unique_share_ = partition.unique_share
        return chosen


def greedy_by_groups(
    partition: Partition, *, kind: int, stop_first: bool, least: float = 1e-9
) -> list[int]:
    """Add each time the feature that lowers the summed cost of the groups most.

    Conditional entropy is not submodular, so every feature left is measured at every step; what is
    found infeasible is never looked at again.
    """
    d = partition.matrix.d
    alive = np.ones(d, dtype=bool)
    alive[partition.matrix.supports == 0] = False
    gains = np.zeros(d)
    while alive.any():
        gains[:] = -np.inf
        partition.gains(kind, alive, gains)
        added = False
        for f in np.argsort(-gains, kind="stable"):
            if gains[f] < least:
                break
            alive[f] = False
            if partition.add(int(f)):
                added = True
                break
            if stop_first:
                return partition.chosen
        if not added:
            break
    return partition.chosen
