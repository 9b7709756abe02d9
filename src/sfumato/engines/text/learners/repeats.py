"""Repeated words: a capitalised word is hardly less likely sensitive than at its surest place in the document.

A name that the context gives away once is a name where it stands alone, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.errors import ModelError
from ..reading.arrays import Arrays, Header, Mask, Scores
from ..reading.features import TokenData
from .protocol import Model
from .registry import model_from_arrays

__all__ = ["RepeatsModel", "lift_repeats"]


def lift_repeats(scores: Scores, data: TokenData, drop: float) -> Scores:
    """Return the scores, a capitalised word at most so much below the surest place of the same word.

    Parameters
    ----------
    scores : array of float
        The log-odds of the tokens; −inf where nobody reads.
    data : TokenData
        The tokens.
    drop : float
        How much lower a word may be than where the same document is surest of it.

    """
    group = data.words.groups()[data.rows].astype(np.int64)
    capital: npt.NDArray[np.bool_] = data.words.capital[data.rows]
    key = data.document_of * (int(group.max(initial=0)) + 1) + group
    _, of = np.unique(key, return_inverse=True)
    top = np.full(int(of.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(top, of, np.where(capital, scores, -np.inf))
    return np.where(capital & np.isfinite(scores), np.maximum(scores, top[of] - drop), scores)


@dataclass(frozen=True, eq=False)
class RepeatsModel(Model):
    """A model whose repeated words are lifted in each document.

    Parameters
    ----------
    model : Model
        The model.
    drop : float
        See `lift_repeats`.

    """

    model: Model
    drop: float
    kind = "repeats"

    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        """Return each token's log-odds."""
        return lift_repeats(self.model.scores(data, documents=documents), data, self.drop)

    def to_arrays(self) -> tuple[Header, Arrays]:
        """Return a JSON header and named arrays."""
        header, arrays = self.model.to_arrays()
        return {"kind": self.kind, "drop": self.drop, "model": header}, arrays

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> RepeatsModel:
        """Rebuild a stored model; what does not fit together is refused."""
        try:
            drop = float(header["drop"])
            if not drop >= 0.0:
                raise ValueError
            return cls(model_from_arrays(dict(header["model"]), arrays), drop)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("The model of repeated words does not fit together.") from error
