"""Find the words of a published text in its original: what is left, and what was put in its place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .....core.errors import LimitError
from . import _kernels

__all__ = ["align"]

_MAX_EDITS = 20_000


def align(
    original: npt.NDArray[np.int32], published: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return for each published token the original token that it is, or −1 (longest common sequence).

    >>> align(np.array([1, 2, 3, 4], np.int32), np.array([1, 9, 4], np.int32)).tolist()
    [0, -1, 3]
    """
    reach = np.zeros(2 * (len(original) + len(published)) + 3, np.int64)
    distance = int(_kernels.edits(original, published, reach))
    if distance > _MAX_EDITS:
        raise LimitError(
            f"A document differs from its original in more than {_MAX_EDITS:,} words.",
            hint="was it published from these labels?",
        )
    trail = np.full((distance + 1, 2 * distance + 1), -1, np.int32)
    matched = np.empty(len(published), np.int64)
    _kernels.align(original, published, distance, reach, trail, matched)
    return matched
