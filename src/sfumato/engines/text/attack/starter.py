"""An outsider who holds the starter, as everybody can: it adapts to the release and informs a CRF."""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from ....core.errors import ModelError
from ..learners.crf import CRF
from ..learners.protocol import Learner, Model
from ..reading.arrays import Arrays, Header, Mask, Scores
from ..reading.features import TokenData
from ..sanitize.stacking.stack import stack_places
from ..starter.adapted import adapt
from ..starter.weights import packaged_starter

__all__ = ["StarterAttacker"]


class StarterAttacker(Learner):
    """A CRF that sees what the starter, self-trained on the published text, thinks of each word.

    It learns from a labelled part of the release which of the starter's kinds are wanted.
    """

    outsider = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: tuple[TokenData, TokenData] | None = None

    @property
    def name(self) -> str:
        return "starter"

    def informed(self, data: TokenData) -> TokenData:
        """Return the tokens with the starter's log-odds as features; those of the last text are kept.

        Parameters
        ----------
        data : TokenData
            The published text; its folds share the starter's reading, which takes no label.

        """
        with self._lock:
            if self._last is None or self._last[0] is not data:
                starter = packaged_starter()
                read = adapt(starter, data, list(starter.models))
                places = [
                    place
                    for scores in read.scores.values()
                    for place in stack_places(data, scores, with_own=True)
                ]
                self._last = data, data.with_places(*places)
            return self._last[1]

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: Mask | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> Model:
        learned = CRF().fit(
            self.informed(data), labels, documents=documents, cost_ratio=cost_ratio, seed=seed
        )
        return _InformedModel(self, learned)


class _InformedModel(Model):
    kind = "starter attacker"

    def __init__(self, holder: StarterAttacker, learned: Model) -> None:
        self.holder, self.learned = holder, learned

    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        return self.learned.scores(self.holder.informed(data), documents=documents)

    def to_arrays(self) -> tuple[Header, Arrays]:
        raise ModelError("An attacker's model is not stored.")
