"""What a matrix gives away, whatever was promised: all kinds of knowledge side by side."""

from __future__ import annotations

from collections.abc import Iterable

from ...compute.protocol import Compute
from .binary import BinaryMatrix
from .containment import audit
from .knowledge import rows_left
from .records import Measured

__all__ = ["measured_on"]


def measured_on(matrix: BinaryMatrix, absences: Iterable[int], compute: Compute) -> Measured:
    """Measure how many rows are left to someone who knows items, absences, or everything.

    Parameters
    ----------
    matrix : BinaryMatrix
        The rows as they would be published.
    absences : iterable of int
        Numbers of known absences.
    compute : Compute
        Where equal rows are counted.

    """
    found = audit(matrix, absences=absences, compute=compute)
    left, exact = rows_left(matrix, ac=found.ac)
    return Measured(
        **found.to_json(),
        left_by_items={str(m): v for m, v in left.items()},
        items_exact={str(m): v for m, v in exact.items()},
    )
