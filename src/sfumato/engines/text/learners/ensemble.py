"""Ensemble: a CRF proposes, a support vector machine filters.

The CRF's positives (at a low threshold, to lose few) go to an SVM that learns, from out-of-half answers
of the CRF, which of them are false alarms. What the CRF does not propose keeps the CRF's low score.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....core.errors import ModelError
from ....core.randomness import Streams
from ..reading.arrays import Array, Arrays, Header
from ..reading.features import PlaceFeature, TokenData
from .crf import CRF, CRFModel
from .folds import by_halves
from .linear import LinearModel, calibrate
from .protocol import Learner, Model, labelled_documents
from .svm import SVM

__all__ = ["Ensemble", "EnsembleModel"]

_PROPOSED = -3.0  # log-odds from which the CRF's answer goes to the filter: about 1 in 21
_EDGES = np.arange(-2.5, 6.0, 0.5)  # bins of the CRF's log-odds, as a feature of the filter
_PLACE = "proposal"


def _with_proposals(data: TokenData, scores: npt.NDArray[np.float64]) -> TokenData:
    bins = np.searchsorted(_EDGES, scores).astype(np.int32)
    return data.with_places(PlaceFeature(_PLACE, bins, len(_EDGES) + 1))


@dataclass(frozen=True, slots=True)
class Ensemble(Learner):
    """Learn a CRF, then an SVM on what it proposes."""

    crf: CRF = field(default_factory=CRF)
    svm: SVM = field(default_factory=lambda: SVM(history=False))

    @property
    def name(self) -> str:
        return "ensemble"

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> EnsembleModel:
        """Learn both; the filter learns with class weights L:C."""
        chosen = labelled_documents(data, labels, documents)
        crf = self.crf.fit(data, labels, documents=chosen, cost_ratio=cost_ratio, seed=seed)
        unseen = by_halves(
            data, chosen, Streams(seed).generator("ensemble"),
            lambda part: self.crf.fit(
                data, labels, documents=part, cost_ratio=cost_ratio, seed=seed
            ),
            lambda model, held: model.scores(data, documents=held),
        )  # fmt: skip
        proposed = unseen >= _PROPOSED
        # What is not proposed is no example: it is hidden from the filter like a redacted token, but
        # stays visible as context, so the mask is applied to the examples alone.
        seen = _with_proposals(data, unseen)
        svm = self.svm.learn(seen, labels, chosen, cost_ratio=cost_ratio, seed=seed, only=proposed)
        margins = by_halves(
            seen, chosen, Streams(seed).generator("halves"),
            lambda part: self.svm.learn(
                seen, labels, part, cost_ratio=cost_ratio, seed=seed, only=proposed
            ),
            lambda model, held: model.margins(seen, documents=held),
        )  # fmt: skip
        margins[~proposed] = -np.inf
        return EnsembleModel(crf, calibrate(svm, data, labels, margins))


@dataclass(frozen=True, eq=False)
class EnsembleModel(Model):
    """A CRF and the filter of its positives."""

    crf: CRFModel
    svm: LinearModel
    kind = "ensemble"

    @property
    def dimension(self) -> float:
        return self.crf.dimension + self.svm.dimension - 1

    def scores(
        self, data: TokenData, *, documents: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the filter's log-odds where the CRF proposes, the CRF's elsewhere."""
        first = self.crf.scores(data, documents=documents)
        proposed = first >= _PROPOSED
        if not proposed.any():
            return first
        second = self.svm.scores(_with_proposals(data, first), documents=documents)
        return np.where(proposed, second, first)

    def to_arrays(self) -> tuple[Header, Arrays]:
        headers: Header = {"kind": self.kind}
        arrays: dict[str, Array] = {}
        for name, model in (("crf", self.crf), ("svm", self.svm)):
            headers[name], parts = model.to_arrays()
            arrays.update({f"{name}.{key}": value for key, value in parts.items()})
        return headers, arrays

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> EnsembleModel:
        """Rebuild a stored model."""

        def part(name: str) -> dict[str, Array]:
            return {k[len(name) + 1 :]: v for k, v in arrays.items() if k.startswith(f"{name}.")}

        try:
            return cls(
                CRFModel.from_arrays(header["crf"], part("crf")),
                LinearModel.from_arrays(header["svm"], part("svm")),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelError("The ensemble of the model directory lacks a part.") from error
