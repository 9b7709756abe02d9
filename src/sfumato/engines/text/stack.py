"""The document stack: a second stage sees what a first stage thinks of the same word elsewhere.

Half of the names that a single pass leaves in a document are repeated in it where the context gives
them away. The first stage's scores come from models that have not seen the document.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .features import PlaceFeature, TokenData, WordTable
from .features import _kernels

__all__ = ["STACK_SIZES", "stack_places", "word_groups"]

_BINS = 12
STACK_SIZES = (_BINS, _BINS, _BINS, _BINS, _BINS)


def word_groups(words: WordTable) -> npt.NDArray[np.int32]:
    """Number the rows of a word table so that words that differ only in case share a number."""
    return np.unique(words.lower, return_inverse=True)[1].reshape(-1).astype(np.int32)


def stack_places(
    data: TokenData, scores: npt.NDArray[np.float64]
) -> tuple[PlaceFeature, ...]:
    """Give the second stage's features from the first stage's log-odds.

    `own` is the token's own score, `most` and `mean` those of the same word elsewhere in the document,
    `before` and `after` the highest score in the document of the two neighbouring words.
    """
    rows = data.tokens.type + np.int32(3)
    group = word_groups(data.words)
    n, groups = len(data), int(group.max(initial=-1)) + 1
    own, most, mean, known = (np.zeros(n, np.int32) for _ in range(4))
    _kernels.stack(
        rows, data.tokens.doc, group, scores,
        np.full(groups, -np.inf), np.full(groups, -np.inf), np.zeros(groups), np.zeros(groups, np.int64),
        own, most, mean, known,
    )  # fmt: skip
    before, after = np.zeros(n, np.int32), np.zeros(n, np.int32)
    before[1:], after[:-1] = known[:-1], known[1:]
    filled = data.tokens.doc[:-1][np.diff(data.tokens.doc) > 0]
    before[filled] = 0
    after[(data.tokens.doc[1:] - 1)[np.diff(data.tokens.doc) > 0]] = 0
    names = ("own", "most", "mean", "before", "after")
    values = (own, most, mean, before, after)
    return tuple(
        PlaceFeature(f"stack {name}", value, _BINS)
        for name, value in zip(names, values, strict=True)
    )
