"""The best of several selectors at several k′ ≥ k, chosen on the training rows alone.

Skipping is not monotone in k: a set found at a higher k′ is feasible at k too, and may be worth more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ..matrix.binary import BinaryMatrix
from ..measures.prediction import FoldScores
from .base import ContainmentSelector
from .exact import MOST_FEATURES, ExactSelector
from .greedy import GreedyDistCnt, GreedyHamDist, GreedyInformation
from .maximal import MaximalSelector

__all__ = ["BestSelector"]

_FAR = 0.03  # a selector this far behind in AUC after a fold is not tried on the others


class BestSelector(ContainmentSelector):
    """Tries each selector at each k′ = k × factor and keeps the one of the highest inner AUC.

    Of selectors whose difference is within noise the one of the fewest features is kept.

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
                else MaximalSelector(family="frequent", work=5_000_000),
            ]
        smallest = int(min(positive.sum(), matrix.n - positive.sum()))
        fold_rows = matrix.n - -(-matrix.n // max(2, min(self.folds, smallest)))
        ks = [int(np.ceil(self.k * factor)) for factor in self.factors]
        tried = [clone(s).set_params(k=k) for k in ks if k <= matrix.n for s in base]
        runners = [s for s in tried if s.k <= fold_rows] if smallest >= 2 else []
        winner, self.best_inner_auc_ = tried[0], 0.0
        if runners:
            folds = FoldScores(
                matrix, positive, folds=self.folds, seed=self.random_state, tuned=False
            )
            at, self.best_inner_auc_ = _race(runners, folds)
            winner = runners[at]
        self.best_selector_ = winner.fit(matrix, positive)
        return [int(f) for f in winner.selected_]


def _race(runners: Sequence[ContainmentSelector], folds: FoldScores) -> tuple[int, float]:
    """Return the place of the selector to take and its mean AUC.

    Fold by fold, selectors that have fallen far behind drop out. Of those that do not differ significantly from the
    best, because the mean difference is within a standard error over the folds, the one of the fewest
    features is taken.
    """
    racing = list(range(len(runners)))
    scores = np.zeros((len(runners), len(folds)))
    counts = np.zeros((len(runners), len(folds)))
    for fold in range(len(folds)):
        for i in racing:
            scores[i, fold], counts[i, fold] = folds.in_fold(fold, runners[i])
        means = scores[:, : fold + 1].mean(axis=1)
        top = max(means[i] for i in racing)
        racing = [i for i in racing if means[i] >= top - _FAR]
    best = max(racing, key=lambda i: (means[i], -i))
    behind = scores[best] - scores
    noise = behind.std(axis=1, ddof=1) / math.sqrt(len(folds))
    equal = [i for i in racing if means[best] - means[i] <= noise[i] or i == best]
    chosen = min(equal, key=lambda i: (counts[i].mean(), -means[i], i))
    return chosen, float(means[chosen])
