"""Full stops and commas between published words are never names, whatever a classifier says."""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt

from ..reading.features import RESERVED, TokenData

__all__ = ["without_lone_marks"]


def without_lone_marks(decided: npt.NDArray[np.int16], data: TokenData) -> npt.NDArray[np.int16]:
    """Return the decisions, where punctuation without a redacted word of the same label next to it is published.

    Tokens that were redacted before stay so.

    Parameters
    ----------
    decided : array of int16
        0 for each token to publish, the number of a label for others.
    data : TokenData
        The tokens.

    """
    tokens = data.tokens
    inside = np.flatnonzero(decided > 0)  # many times as fast as of the numbers themselves
    # Not `data.counted`, which leaves out words that rules have redacted already.
    is_word = data.words.counted[tokens.type[inside] + RESERVED]
    alone = ~is_word & ~data.redacted[inside]
    if not alone.any():
        return decided
    begins = tokens.line_starts[inside] | (decided[inside] != decided[inside - 1])
    run = np.cumsum(begins)
    words = np.bincount(run[is_word], minlength=int(run[-1]) + 1)
    kept = decided.copy()
    for i in inside[alone & (words[run] == 0)].tolist():
        written = tokens.text[tokens.start[i] : tokens.end[i]].tobytes().decode()
        if all(unicodedata.category(letter).startswith("P") for letter in written):
            kept[i] = 0
    return kept
