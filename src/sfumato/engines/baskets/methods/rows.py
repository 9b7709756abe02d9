"""Leaving rows out: the largest set of whole rows that keeps the promise.

A row whose pattern no other pattern contains and that has fewer than k copies cannot be part of any
release of whole rows, and neither can a row that holds a rare set of items: leaving such rows out, again
and again, ends at the largest set there is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..cells.itemsets import rows_with_rare_items
from ..containment.patterns import Patterns
from ..disclosure.knowledge import AttackerKnowledge
from ..matrix.binary import BinaryMatrix

__all__ = ["largest_row_set"]


def largest_row_set(
    matrix: BinaryMatrix, k: int, knowledge: AttackerKnowledge
) -> npt.NDArray[np.bool_]:
    """Return which rows can be published whole so that at least k are left to any such knowledge."""
    kept = np.ones(matrix.n, dtype=bool)
    while kept.any():
        rows = np.flatnonzero(kept)
        if len(rows) < k:
            kept[:] = False
            break
        part = matrix.take_rows(rows)
        if knowledge.protects_rows:
            patterns = Patterns.of(part)
            out = (patterns.multiplicity < k)[patterns.of_row]
        elif knowledge.items is None or knowledge.items > 3:
            patterns = Patterns.of(part)
            few = patterns.containment(k) < k
            out = few[patterns.of_row]
        else:
            out = rows_with_rare_items(part, k, knowledge.items)
        if not out.any():
            return kept
        kept[rows[out]] = False
    return kept
