"""The document stack: a second stage sees what a first stage thinks of the same word elsewhere.

Half of the names that a single pass leaves in a document are repeated in it where the context gives
them away. The first stage's scores come from models that have not seen the document.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...reading.features import RESERVED, PlaceFeature, TokenData, _kernels

__all__ = ["stack_places"]

_BINS = 12


def stack_places(
    data: TokenData, scores: npt.NDArray[np.float64], *, with_own: bool = False
) -> tuple[PlaceFeature, ...]:
    """Return the second stage's features from the first stage's log-odds.

    `own` (where asked for) is the token's own score, `most` and `mean` those of the same word elsewhere in the document,
    `before` and `after` the highest score in the document of the two neighbouring words.

    Parameters
    ----------
    data : TokenData
        The tokens.
    scores : array of float
        The first stage's log-odds.
    with_own : bool, default False
        Whether the token's own score is a feature too.

    """
    rows = data.tokens.type + np.int32(RESERVED)
    group = data.words.groups()
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
    values = (*((own,) if with_own else ()), most, mean, before, after)
    return tuple(PlaceFeature("stack", value, _BINS) for value in values)
