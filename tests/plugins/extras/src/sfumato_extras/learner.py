"""A learner of the text engine: scores a capitalised word by how often such words were sensitive."""

from __future__ import annotations

import numpy as np

from sfumato.core.errors import ModelError
from sfumato.engines.text.learners.protocol import Learner, Model


class CapitalModel(Model):
    kind = "capital"

    def __init__(self, odds):
        self.odds = odds

    @property
    def dimension(self):
        return 2.0

    def scores(self, data, *, documents=None):
        found = np.where(data.words.capital[data.rows], self.odds[1], self.odds[0])
        if documents is not None:
            found[~documents[data.document_of]] = -np.inf
        found[data.redacted] = -np.inf
        return found

    def to_arrays(self):
        return {"kind": self.kind}, {"odds": self.odds}

    @classmethod
    def from_arrays(cls, header, arrays):
        odds = np.asarray(arrays["odds"], np.float64)
        if odds.shape != (2,) or not np.isfinite(odds).all():
            raise ModelError("The model is damaged.")
        return cls(odds)


class Capital(Learner):
    name = "capital"

    def fit(self, data, labels, *, documents=None, cost_ratio=1.0, seed=0):
        chosen = data.counted if documents is None else data.counted & documents[data.document_of]
        capital = data.words.capital[data.rows]
        odds = []
        for kind in (False, True):
            own = labels[chosen & (capital == kind)]
            odds.append(np.log((own.sum() + 0.5) / (len(own) - own.sum() + 0.5)))
        return CapitalModel(np.array(odds))
