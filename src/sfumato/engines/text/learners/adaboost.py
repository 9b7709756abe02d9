"""AdaBoost over one-sided stumps: each round gives one feature a step where it is present.

Confidence-rated boosting with abstaining stumps (Schapire and Singer): a round touches only the tokens
that carry its feature, this many rounds cost little more than the first look at the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..reading.features import TokenData
from .folds import by_halves
from .linear import LinearModel, _kernels, calibrate, columns_of, model_of, training_tokens
from .protocol import Learner, labelled_documents

__all__ = ["AdaBoost"]


@dataclass(frozen=True, slots=True)
class AdaBoost(Learner):
    """Boost `rounds` stumps; sensitive examples weigh L/C times as much at the start.

    Features of fewer than `min_tokens` tokens are not looked at. An attacker, who needs a ranking only, can do
    without the calibration (`calibrate`).
    """

    rounds: int = 600
    min_tokens: int = 3
    calibrate: bool = True

    @property
    def name(self) -> str:
        return "adaboost"

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
        model = self._learn(data, labels, chosen, cost_ratio)
        if not self.calibrate:
            return model
        margins = by_halves(
            data,
            chosen,
            Streams(seed).generator("halves"),
            lambda part: self._learn(data, labels, part, cost_ratio),
            lambda model, held: model.margins(data, documents=held),
        )
        return calibrate(model, data, labels, margins)

    def _learn(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        documents: npt.NDArray[np.bool_],
        cost_ratio: float,
    ) -> LinearModel:
        columns = columns_of(data)
        tokens = training_tokens(data, documents)
        positive = labels != 0
        weight = np.where(positive, cost_ratio, 1.0)
        good = float(weight[tokens][positive[tokens]].sum())
        bad = float(weight[tokens].sum()) - good
        smooth = 0.5 * (good + bad) / max(len(tokens), 1)
        # The first stump is the constant one.
        constant = 0.5 * np.log((good + smooth) / (bad + smooth)) if len(tokens) else 0.0
        weight = weight * np.exp(np.where(positive, -constant, constant))
        bounds = np.zeros(columns.size + 1, np.int64)
        members = np.empty(int((columns.numbers[tokens] >= 0).sum()), np.int32)
        _kernels.invert(tokens, columns.numbers, bounds, members)
        weights = np.zeros(columns.size)
        scale = weight[tokens].sum() / max(len(tokens), 1)
        _kernels.boost(
            tokens, columns.numbers, bounds, members, positive, weight, self.rounds,
            self.min_tokens, 0.5 * scale, weights,
        )  # fmt: skip
        history = np.zeros(5)
        history[4] = constant
        return model_of("adaboost", columns, weights, history)
