"""Linear support vector machine on words, morphology, context and the labels of the two words before.

Learned by dual coordinate descent (squared hinge). The history is the true one while learning and the
classifier's own answers afterwards, from left to right, as in the paper's SVM.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..reading.features import REDACTED, TokenData
from .folds import by_halves
from .linear import LinearModel, _kernels, calibrate, columns_of, model_of, training_tokens
from .protocol import Learner, labelled_documents

__all__ = ["SVM"]


@dataclass(frozen=True, slots=True)
class SVM(Learner):
    """Learn a linear SVM.

    `penalty` weighs an example's error against the size of the weights (with L/C on top for sensitive
    ones); descent ends after `passes` or when no violation is above `tolerance`. `history` says
    whether the labels of the two words before take part. An attacker, who needs a ranking only, can
    do without the calibration (`calibrate`).
    """

    penalty: float = 0.05
    passes: int = 12
    tolerance: float = 0.1
    history: bool = True
    calibrate: bool = True

    @property
    def name(self) -> str:
        return "svm"

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> LinearModel:
        """Learn with class weights L:C; scores are calibrated on halves that were not learned from."""
        chosen = labelled_documents(data, labels, documents)
        past = np.zeros(len(data), np.uint8)
        if self.history:
            margins = by_halves(
                data, chosen, Streams(seed).generator("halves"),
                lambda part: self.learn(data, labels, part, cost_ratio=cost_ratio, seed=seed),
                lambda model, held: model.margins(data, documents=held),
            )  # fmt: skip
            past = (margins > 0).astype(np.uint8)
        before = past if self.history else None
        model = self.learn(data, labels, chosen, cost_ratio=cost_ratio, seed=seed, before=before)
        if not self.calibrate:
            return model
        margins = by_halves(
            data, chosen, Streams(seed).generator("halves"),
            lambda part: self.learn(
                data, labels, part, cost_ratio=cost_ratio, seed=seed, before=before
            ),
            lambda model, held: model.margins(data, documents=held),
        )  # fmt: skip
        return calibrate(model, data, labels, margins)

    def learn(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        documents: npt.NDArray[np.bool_],
        *,
        cost_ratio: float,
        seed: int,
        before: npt.NDArray[np.uint8] | None = None,
        only: npt.NDArray[np.bool_] | None = None,
    ) -> LinearModel:
        """Learn once, without calibration.

        Parameters
        ----------
        data : TokenData
            The tokens.
        labels : array of uint8
            1 for a sensitive token, 0 for any other.
        documents : mask over the documents
            The documents to learn from.
        cost_ratio : float
            L/C, the weight of sensitive tokens.
        seed : int
            The seed of the order of the tokens.
        before : array of uint8, optional
            A first guess of every token, whose history is a feature.
        only : mask over the tokens, optional
            The tokens to learn from; all of the documents by default.

        """
        columns = columns_of(data)
        tokens = training_tokens(data, documents)
        if only is not None:
            tokens = tokens[only[tokens]]
        past = np.zeros(len(data), np.int8)
        if before is not None:
            _kernels.history(before, data.rows, data.tokens.doc, REDACTED, past)
        y = np.where(labels != 0, 1.0, -1.0)
        slack = 0.5 / np.where(labels != 0, self.penalty * cost_ratio, self.penalty)
        weights, h = np.zeros(columns.size), np.zeros(5)
        alpha = np.zeros(len(data))
        random = Streams(seed).generator("svm")
        tokens = random.permutation(tokens)
        active, far = len(tokens), np.inf
        for _ in range(self.passes):
            random.shuffle(tokens[:active])
            active, worst = _kernels.descend(
                tokens, columns.numbers, past, y, slack, weights, h, alpha, active, far
            )
            # As in LIBLINEAR: only what is further out than the worst violation is put aside.
            far = max(worst, self.tolerance)
            if worst <= self.tolerance:
                break
        if before is None:
            h[4] += h[0]
            h[:4] = 0
        return model_of("svm", columns, weights, h)
