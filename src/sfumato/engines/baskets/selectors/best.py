"""The best of several selectors at several k′ ≥ k, chosen on the training rows alone.

Skipping is not monotone in k: a set found at a higher k′ is feasible at k too, and may be worth more.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ..binary import BinaryMatrix
from ..evaluation import nested_auc
from .base import ContainmentSelector
from .exact import MOST_FEATURES, ExactSelector
from .greedy import GreedyDistCnt, GreedyHamDist, GreedyInformation
from .maximal import MaximalSelector

__all__ = ["BestSelector"]


class BestSelector(ContainmentSelector):
    """Tries each selector at each k′ = k × factor and keeps the one of the highest inner AUC.

    `selectors` are unfitted selectors (their k is set here); None takes the greedy ones and the
    exact one (up to 22 features) or the largest frequent sets (beyond). The inner AUC is nested in
    `folds` folds of the rows given to fit.
    """

    def __init__(
        self,
        k: int = 5,
        *,
        factors: tuple[float, ...] = (1.0, 1.5, 2.0, 3.0),
        selectors: Sequence[ContainmentSelector] | None = None,
        folds: int = 3,
        random_state: int = 0,
        binarize: float | None = None,
    ) -> None:
        self.k = k
        self.factors = factors
        self.selectors = selectors
        self.folds = folds
        self.random_state = random_state
        self.binarize = binarize

    def _check_parameters(self) -> None:
        if not self.factors or any(f < 1 for f in self.factors):
            raise ParameterError.constraint(
                "factors", type(self).__name__, "numbers in [1, inf)", self.factors
            )

    def _select(self, matrix: BinaryMatrix, positive: npt.NDArray[np.bool_]) -> list[int]:
        from sklearn.base import clone

        base = self.selectors
        if base is None:
            base = [
                GreedyHamDist(),
                GreedyDistCnt(),
                GreedyInformation(),
                GreedyInformation(criterion="conditional"),
                ExactSelector()
                if matrix.d <= MOST_FEATURES
                else MaximalSelector(family="frequent", work=20_000_000),
            ]
        smallest = int(min(positive.sum(), matrix.n - positive.sum()))
        fold_rows = matrix.n - -(-matrix.n // max(2, min(self.folds, smallest)))
        tried: list[tuple[float, int, ContainmentSelector]] = []
        for factor in self.factors:
            k = int(np.ceil(self.k * factor))
            if k > matrix.n:
                continue
            for selector in base:
                candidate = clone(selector).set_params(k=k)
                score = 0.0
                if smallest >= 2 and k <= fold_rows:
                    score = nested_auc(
                        matrix, positive, candidate, folds=self.folds, seed=self.random_state
                    ).value
                tried.append((score, -len(tried), candidate))
        score, _, winner = max(tried, key=lambda t: t[:2])
        self.best_selector_ = winner.fit(matrix, positive)
        self.best_inner_auc_ = score
        return [int(f) for f in winner.selected_]
