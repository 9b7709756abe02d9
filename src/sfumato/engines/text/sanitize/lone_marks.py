"""Full stops and commas between published words are never names, whatever a classifier says."""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt

from ..learners.labels import line_starts
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
    inside = decided > 0
    # Not `data.counted`, which leaves out words that rules have redacted already.
    is_word = data.words.counted[data.tokens.type + RESERVED]
    alone = inside & ~is_word & ~data.redacted
    if not alone.any():
        return decided
    begins = inside & ((decided != np.append(0, decided[:-1])) | line_starts(data.tokens))
    run = np.cumsum(begins)
    words = np.bincount(run[inside & is_word], minlength=int(run[-1]) + 1)
    lone = np.flatnonzero(alone & (words[run] == 0))
    kept = decided.copy()
    tokens = data.tokens
    for i in lone.tolist():
        written = tokens.text[tokens.start[i] : tokens.end[i]].tobytes().decode()
        if all(unicodedata.category(letter).startswith("P") for letter in written):
            kept[i] = 0
    return kept
