"""A second look: where the first reader is unsure, a slower and better one reads the passage.

A passage is every word within reach of one whose log-odds are in a band; elsewhere the first reader's
answer is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .....core.errors import ModelError
from ...learners.protocol import Model
from ...reading.arrays import Header, Mask, Scores
from ...reading.features import TokenData

__all__ = ["SecondPass", "fit_second_pass", "look_again", "passages"]

REACH = 6
SHARE = 0.235  # share of the words that it was fitted on, so that new texts stay under a quarter
_WIDEST = 6.0


@dataclass(frozen=True, slots=True)
class SecondPass:
    """Which passages are read again.

    Parameters
    ----------
    sources : tuple of int
        The stages whose mean log-odds are the first answer.
    low, high : float
        The band in which that answer is unsure.
    reach : int, default 6
        How many tokens before and after an unsure one are read with it.

    """

    sources: tuple[int, ...]
    low: float
    high: float
    reach: int = REACH

    def to_json(self) -> dict[str, object]:
        """Return plain values for the header of a model."""
        return {
            "sources": list(self.sources),
            "low": self.low,
            "high": self.high,
            "reach": self.reach,
        }

    @classmethod
    def from_json(cls, content: Header, stage: int) -> SecondPass:
        """Rebuild a stored look of a stage; raise ValueError where it makes no sense."""
        sources = tuple(int(s) for s in content["sources"])
        low, high, reach = float(content["low"]), float(content["high"]), int(content["reach"])
        if not sources or not all(0 <= s < stage for s in sources):
            raise ValueError
        if not (np.isfinite(low) and np.isfinite(high) and low <= high and 0 <= reach <= 10_000):
            raise ValueError
        return cls(sources, low, high, reach)


def passages(data: TokenData, scores: Scores, look: SecondPass) -> Mask:
    """Return the tokens that a second look reads.

    Parameters
    ----------
    data : TokenData
        The tokens.
    scores : array of float
        The first answer to each of them.
    look : SecondPass
        The band and the reach.

    """
    unsure = (scores >= look.low) & (scores <= look.high) & data.counted
    before = np.concatenate([[0], np.cumsum(unsure)])
    at, document = np.arange(len(data)), data.document_of
    first = np.maximum(at - look.reach, data.tokens.doc[document])
    last = np.minimum(at + look.reach + 1, data.tokens.doc[document + 1])
    found: Mask = before[last] > before[first]
    return found


def fit_second_pass(
    data: TokenData,
    scores: Scores,
    sources: tuple[int, ...],
    *,
    centre: float,
    share: float = SHARE,
) -> SecondPass:
    """Return the widest band around a threshold whose passages hold at most a share of the words.

    Parameters
    ----------
    data : TokenData
        The tokens.
    scores : array of float
        The first answers, out of fold.
    sources : tuple of int
        The stages that give them.
    centre : float
        The log-odds at which decisions are taken.
    share : float, default 0.235
        The share of the words to read at most.

    """
    words = max(1, int(np.count_nonzero(data.counted)))

    def look(width: float) -> SecondPass:
        return SecondPass(sources, centre - width, centre + width)

    def read(width: float) -> float:
        return int(np.count_nonzero(passages(data, scores, look(width)) & data.counted)) / words

    low, high = 0.0, _WIDEST
    if read(high) <= share:
        return look(high)
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if read(middle) <= share else (low, middle)
    return look(low)


def look_again(model: Model, data: TokenData, first: Scores, look: SecondPass) -> Scores:
    """Return the model's answers in the passages of a look, and the first answers elsewhere.

    Parameters
    ----------
    model : Model
        One that can read passages.
    data : TokenData
        The tokens.
    first : array of float
        The first answers.
    look : SecondPass
        Which passages to read.

    """
    if not model.reads_passages:
        raise ModelError("A stage takes a second look with a model that cannot read passages.")
    where = passages(data, first, look)
    return np.where(where, model.scores_in(data, where), first)
