"""Scikit-learn classifiers as learners, on the hashed features of `TokenData.matrix`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....core.errors import ModelError, ParameterError
from ....core.randomness import Streams
from ..reading.arrays import Arrays, Header, Mask, Scores
from ..reading.features import TokenData
from .folds import by_halves
from .linear import platt, training_tokens
from .protocol import Learner, Model, every_document, labelled_documents

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix
    from sklearn.base import BaseEstimator

__all__ = ["ScikitLearner", "ScikitModel", "scikit_learner"]


@dataclass(frozen=True, slots=True)
class ScikitLearner(Learner):
    """Learn with a scikit-learn classifier that has `decision_function` or `predict_proba`.

    The estimator is cloned for each fit. Where it takes sample weights, sensitive examples weigh L/C
    times as much. Linear ones can be stored; others can learn, attack and study, but not be published
    from, because storing them would need pickle.
    """

    estimator: BaseEstimator
    bits: int = 18

    @property
    def name(self) -> str:
        return type(self.estimator).__name__.lower()

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> ScikitModel:
        """Fit a clone; scores are calibrated on halves that were not learned from."""
        chosen = labelled_documents(data, labels, documents)
        matrix = data.matrix(bits=self.bits)
        full = self._fitted(matrix, data, labels, chosen, cost_ratio=cost_ratio, seed=seed)
        slope, offset = 1.0, 0.0
        if np.count_nonzero(chosen) > 1:
            margins = by_halves(
                data, chosen, Streams(seed).generator("halves"),
                lambda part: self._fitted(
                    matrix, data, labels, part, cost_ratio=cost_ratio, seed=seed
                ),
                lambda half, held: _margins_of(half, matrix, data, held),
            )  # fmt: skip
            use = np.isfinite(margins) & data.counted
            slope, offset = platt(margins[use], labels[use])
        return ScikitModel(full, self.bits, slope, offset)

    def _fitted(
        self,
        matrix: csr_matrix,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        documents: npt.NDArray[np.bool_],
        *,
        cost_ratio: float,
        seed: int,
    ) -> BaseEstimator:
        from sklearn.base import clone
        from sklearn.dummy import DummyClassifier
        from sklearn.utils.validation import has_fit_parameter

        rows = training_tokens(data, documents)
        rows = rows[data.counted[rows]]
        truth = (labels[rows] != 0).astype(np.int64)
        if len(np.unique(truth)) < 2:
            return DummyClassifier(strategy="prior").fit(np.zeros((2, 1)), [0, 0])
        estimator = clone(self.estimator)
        if "random_state" in estimator.get_params(deep=False):
            estimator.set_params(random_state=Streams(seed).seed_of("scikit-learn") % 2**32)
        if cost_ratio != 1.0 and has_fit_parameter(estimator, "sample_weight"):
            weights = np.where(truth == 1, cost_ratio, 1.0)
            return estimator.fit(matrix[rows], truth, sample_weight=weights)
        return estimator.fit(matrix[rows], truth)


def scikit_learner(estimator: object) -> ScikitLearner:
    """Take a scikit-learn classifier as a learner, or explain why it is none.

    Parameters
    ----------
    estimator
        A linear classifier: what is published from must be stored without pickle.

    """
    from sklearn.base import is_classifier

    name = type(estimator).__name__
    if isinstance(estimator, type) or not (
        hasattr(estimator, "fit") and hasattr(estimator, "get_params") and is_classifier(estimator)
    ):
        raise ParameterError(
            f"The learner ({name}) is neither a name, nor a Learner, nor a scikit-learn classifier.",
            hint="give one such as LogisticRegression(), an object, or the name of a learner.",
        )
    from sklearn.linear_model._base import LinearClassifierMixin

    if not isinstance(estimator, LinearClassifierMixin):
        raise ParameterError(
            f"The scikit-learn classifier {name} is not linear: it cannot be stored without pickle.",
            hint="take LogisticRegression, LinearSVC, SGDClassifier or another linear one.",
        )
    return ScikitLearner(estimator)


def _margins_of(
    estimator: BaseEstimator | _Linear, matrix: csr_matrix, data: TokenData, documents: Mask
) -> Scores:
    """Score the tokens of some documents; the others get −inf."""
    margins = np.full(len(data), -np.inf)
    rows = training_tokens(data, documents)
    if len(rows):
        margins[rows] = _margins(estimator, matrix[rows])
    return margins


def _margins(estimator: BaseEstimator | _Linear, matrix: csr_matrix) -> npt.NDArray[np.float64]:
    if len(estimator.classes_) < 2:
        return np.full(matrix.shape[0], -20.0)
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(matrix), np.float64)
    if not hasattr(estimator, "predict_proba"):
        raise ParameterError(
            "The classifier gives no scores.",
            hint="use one with decision_function or predict_proba.",
        )
    share = np.clip(np.asarray(estimator.predict_proba(matrix))[:, 1], 1e-9, 1 - 1e-9)
    return np.asarray(np.log(share / (1 - share)), np.float64)


@dataclass(frozen=True, eq=False)
class ScikitModel(Model):
    """A fitted classifier with its calibration."""

    estimator: BaseEstimator | _Linear
    bits: int
    slope: float
    offset: float

    kind = "scikit-linear"

    @property
    def dimension(self) -> float:
        weights = getattr(self.estimator, "coef_", None)
        return math.inf if weights is None else float(np.size(weights) + 1)

    def scores(
        self, data: TokenData, *, documents: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return each token's log-odds of being sensitive."""
        wanted = every_document(data, documents)
        margins = _margins_of(self.estimator, data.matrix(bits=self.bits), data, wanted)
        return self.slope * margins + self.offset

    def to_arrays(self) -> tuple[Header, Arrays]:
        """Store a linear classifier; others are refused, because nothing here is pickled."""
        weights = getattr(self.estimator, "coef_", None)
        if weights is None or np.shape(weights) != (1, 1 << self.bits):
            raise ModelError(
                f"A fitted {type(self.estimator).__name__} cannot be stored without pickle.",
                hint="publish with a linear classifier, or use this one for attacks and studies.",
            )
        header = {"kind": self.kind, "bits": self.bits}
        calibration = np.array(
            [self.slope, self.offset, float(np.ravel(self.estimator.intercept_)[0])]
        )
        return header, {"weights": np.ravel(weights).astype(np.float64), "calibration": calibration}

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> ScikitModel:
        """Rebuild a stored linear classifier."""
        try:
            bits = int(header["bits"])
            weights = arrays["weights"].astype(np.float64)
            slope, offset, intercept = (float(v) for v in arrays["calibration"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("A classifier of the model directory lacks a part.") from error
        fits = 1 <= bits <= 30 and weights.shape == (1 << bits,) and slope > 0
        if not fits or not np.isfinite([slope, offset, intercept]).all() \
                or not np.isfinite(weights).all():  # fmt: skip
            raise ModelError("The arrays of a classifier do not fit together.")
        return cls(_Linear(weights, intercept), bits, slope, offset)


@dataclass(frozen=True, eq=False)
class _Linear:
    """A stored linear classifier, as scikit-learn would answer."""

    weights: npt.NDArray[np.float64]
    intercept_: float
    classes_: tuple[int, int] = (0, 1)

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        return self.weights[None, :]

    def decision_function(self, matrix: csr_matrix) -> npt.NDArray[np.float64]:
        return np.asarray(matrix @ self.weights + self.intercept_, np.float64)
