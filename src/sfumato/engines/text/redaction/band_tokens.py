"""The words of a note that are bands of its published table, put there before the note was redacted."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....core.storage.placed_bands import PlacedBands
from ..reading.tokens import Tokens

__all__ = ["in_bands"]


def in_bands(tokens: Tokens, bands: PlacedBands) -> npt.NDArray[np.bool_]:
    """Return which tokens are within bands.

    Parameters
    ----------
    tokens : Tokens
        The tokens of some documents.
    bands : PlacedBands
        The spans of bands, by the text that they are in.

    """
    found = np.zeros(len(tokens), np.bool_)
    raw, bounds = tokens.text.tobytes(), tokens.text_bounds.tolist()
    for d in range(tokens.documents):
        text = raw[bounds[d] : bounds[d + 1]].decode(errors="replace")
        for start, end in bands.of(text):
            first = bounds[d] + len(text[:start].encode())
            last = first + len(text[start:end].encode())
            low, high = np.searchsorted(tokens.start, (first, last))
            found[low:high] = True
    return found
