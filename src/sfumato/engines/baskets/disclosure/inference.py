"""Sensitive items: with which confidence an item or a pair of items predicts one, and suppressing items until none does.

This is ρ-uncertainty for knowledge of one or two items: every rule from what is known to a sensitive item
has a confidence of at most ρ. Leaving whole columns out never breaks what was promised about rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import numpy.typing as npt

from ....core.errors import InputError
from ..cells.cores import only_columns
from ..matrix.binary import BinaryMatrix
from ._rule_kernels import rules

__all__ = ["highest_confidence", "places_among", "places_of", "without_telling_items"]

_BLOCK = 64


def places_of(names: Sequence[str], sensitive: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the columns of the sensitive items; all must be in the data, or a misspelled one would go unprotected.

    What is not in the data is named by its place in the list, and is not repeated.
    """
    place = {name: i for i, name in enumerate(names)}
    unknown = [number for number, name in enumerate(sensitive, 1) if name not in place]
    if unknown or not sensitive:
        near = get_close_matches(sensitive[unknown[0] - 1], names, n=3) if unknown else []
        listed = ", ".join(f"{number:,}" for number in unknown[:10])
        more = f" and {len(unknown) - 10:,} more" if len(unknown) > 10 else ""
        raise InputError(
            f"{len(unknown):,} of the {len(sensitive):,} sensitive items are not in the data "
            f"(number {listed}{more})."
            if unknown
            else "The list of sensitive items is empty.",
            hint=f"for number {unknown[0]:,}, did you mean {' or '.join(map(repr, near))}?"
            if near
            else "give their names as the data has them, one per line, and only those that it has.",
        )
    return np.array(sorted({place[name] for name in sensitive}), dtype=np.intp)


def places_among(
    names: Sequence[str], sensitive: Sequence[str] | None
) -> npt.NDArray[np.intp] | None:
    """Return the columns of the sensitive items that are there; None where none was named."""
    if sensitive is None:
        return None
    wanted = set(sensitive)
    return np.array([i for i, name in enumerate(names) if name in wanted], dtype=np.intp)


def _measure(
    matrix: BinaryMatrix, sensitive: npt.NDArray[np.intp], limit: float
) -> tuple[float, npt.NDArray[np.int64]]:
    highest, blame = 0.0, np.zeros(matrix.d, dtype=np.int64)
    for first in range(0, len(sensitive), _BLOCK):
        some = sensitive[first : first + _BLOCK]
        number = np.full(matrix.d, -1, dtype=np.int32)
        number[some] = np.arange(len(some), dtype=np.int32)
        top, blamed = rules(
            matrix.indptr, matrix.indices, *matrix.columns, number, len(some), limit
        )
        highest = max(highest, float(top))
        blame += blamed
    return highest, blame


def highest_confidence(matrix: BinaryMatrix, sensitive: npt.NDArray[np.intp]) -> float:
    """Return the highest confidence with which one or two other items predict a sensitive one.

    >>> highest_confidence(BinaryMatrix.of([[1, 1], [1, 0], [1, 1], [0, 0]]), np.array([1]))
    0.6666666666666666
    """
    return _measure(matrix, sensitive, 1.0)[0]


def without_telling_items(
    matrix: BinaryMatrix, sensitive: npt.NDArray[np.intp], limit: float
) -> BinaryMatrix:
    """Leave columns out, those first that most rules above the limit need per one lost."""
    while True:
        highest, blame = _measure(matrix, sensitive, limit)
        if highest <= limit:
            return matrix
        score = blame / np.maximum(matrix.supports, 1)
        guilty = int(np.count_nonzero(blame))
        worst = np.argsort(-score, kind="stable")[: max(1, guilty // 50)]
        kept = np.ones(matrix.d, dtype=bool)
        kept[worst[blame[worst] > 0]] = False
        matrix = only_columns(matrix, np.flatnonzero(kept))
