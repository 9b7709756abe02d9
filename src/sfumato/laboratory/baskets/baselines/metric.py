"""CM greedy: the classification metric of Definition 2 as the criterion of a greedy selection.

Groups of equal rows smaller than k count as suppressed. A step takes the feature that leaves the lowest
CM (ties: the higher HamDist, then the lowest index) and the walk ends when CM would rise or the
containment constraint would break. The paper does not say what happens when no feature lowers CM;
stopping there would leave nothing on data with a large majority class, so equal steps are taken.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....engines.baskets.matrix.binary import BinaryMatrix
from ....engines.baskets.matrix.partition import Partition
from ....engines.baskets.measures.separation import ham_dist_pairs
from ....engines.baskets.selectors.base import ContainmentSelector

__all__ = ["CmGreedy"]


class CmGreedy(ContainmentSelector):
    """Greedy selection by the classification metric, under k-anonymity by containment."""

    def __init__(self, k: int = 5, *, binarize: float | None = None) -> None:
        self.k = k
        self.binarize = binarize

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        partition = Partition(matrix, k=int(self.k), positive=positive)
        pairs = ham_dist_pairs(matrix, positive)
        alive = (matrix.supports > 0) & (matrix.supports < matrix.n)
        gains = np.empty(matrix.d)
        while alive.any():
            gains[:] = -np.inf
            partition.gains(1, alive, gains)
            best = int(np.lexsort((np.arange(matrix.d), -pairs, -gains))[0])
            if gains[best] < 0 or not partition.add(best):
                break
            alive[best] = False
        return partition.chosen
