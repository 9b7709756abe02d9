"""Selection: several learners compete out of fold, the most accurate one is learned on everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.errors import ParameterError
from ....core.randomness import Streams
from ..reading.features import TokenData
from .adaboost import AdaBoost
from .crf import CRF
from .ensemble import Ensemble
from .folds import out_of_fold
from .protocol import Learner, Model, every_document
from .svm import SVM

__all__ = ["Selection", "paper_learners"]


def paper_learners() -> tuple[Learner, ...]:
    """Return the four learners of the paper: CRF, SVM, AdaBoost, Ensemble."""
    return (CRF(), SVM(), AdaBoost(), Ensemble())


@dataclass(frozen=True, slots=True)
class Selection(Learner):
    """Choose the most accurate learner by its errors on documents it has not seen (`folds` of them).

    With a `cost_ratio` the errors are weighed by it, as the publisher's loss does. Ties go to the
    learner that is named first.
    """

    learners: Sequence[Learner] = field(default_factory=paper_learners)
    folds: int = 2

    @property
    def name(self) -> str:
        return "selection"

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> Model:
        """Learn by the learner that errs least."""
        best = self.choose(data, labels, documents=documents, cost_ratio=cost_ratio, seed=seed)
        return best.fit(data, labels, documents=documents, cost_ratio=cost_ratio, seed=seed)

    def choose(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> Learner:
        """Return the learner that errs least out of fold."""
        if not self.learners:
            raise ParameterError.constraint(
                "learners", "Selection", "at least one learner", list(self.learners)
            )
        chosen = np.flatnonzero(every_document(data, documents))
        if len(chosen) < 2 or len(self.learners) == 1:
            return self.learners[0]
        fold = np.full(data.documents, -1, np.int64)
        parts = np.arange(len(chosen)) % min(self.folds, len(chosen))
        fold[chosen] = Streams(seed).generator("selection").permutation(parts)
        inside = (fold >= 0)[data.document_of] & data.counted
        truth = labels[inside] != 0
        losses = []
        for learner in self.learners:
            scores = out_of_fold(learner, data, labels, fold, cost_ratio=cost_ratio, seed=seed)[
                inside
            ]
            redact = scores >= -np.log(cost_ratio)
            losses.append(cost_ratio * np.sum(truth & ~redact) + np.sum(redact & ~truth))
        return self.learners[int(np.argmin(losses))]
