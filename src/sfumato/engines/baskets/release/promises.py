"""What a release of baskets must keep: k rows left, classes that were explored, no sensitive item inferred too surely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.errors import DataError, ReleaseRefusedError
from ....data.baskets import check_labels
from ..containment.posets import absence_containment
from ..disclosure.inference import highest_confidence, places_among
from ..disclosure.knowledge import AttackerKnowledge
from ..matrix.binary import BinaryMatrix, as_binary
from ..records import BasketsCandidate

__all__ = ["check_candidate_labels", "classes_of", "refuse_below", "refuse_inferable", "rows_left"]


def classes_of(candidate: BasketsCandidate) -> frozenset[str]:
    """Return the classes that were explored: no other label was looked at, so no other is published."""
    return frozenset(candidate.classes)


def check_candidate_labels(candidate: BasketsCandidate, labels: Sequence[str] | None) -> None:
    """Refuse labels that are not of the kind, or not of the classes, that were explored."""
    if labels is None:
        return
    if not candidate.numbers:
        check_labels(labels, classes_of(candidate))
        return
    try:
        np.asarray(labels).astype(np.float64)
    except ValueError:
        raise DataError(
            "The labels were explored as numbers, and some are not.", hint="check the labels."
        ) from None


def rows_left(candidate: BasketsCandidate, matrix: object, names: Sequence[str]) -> int:
    """Return how many rows are left to the knowledge that the promise is about, with certainty."""
    known = AttackerKnowledge(candidate.known_items, candidate.known_absences)
    left = known.least_rows(as_binary(matrix))
    if not candidate.absence_risky:
        return left
    risky = set(candidate.absence_risky)
    flags = np.array([name in risky for name in names], dtype=bool)
    return min(left, absence_containment(matrix, flags))


def refuse_inferable(
    candidate: BasketsCandidate, matrix: BinaryMatrix, names: Sequence[str]
) -> float | None:
    """Return the highest confidence with which sensitive items can be inferred from others; refuse what is above the promise."""
    places = places_among(names, candidate.sensitive)
    if places is None:
        return None
    found = highest_confidence(matrix, places)
    if found > candidate.max_confidence:
        raise ReleaseRefusedError(
            f"The release of {candidate.id!r} lets a sensitive item be inferred with a confidence of {found:.3f}, "
            f"above the promised {candidate.max_confidence:g}; nothing was published.",
            hint="these rows are not the ones that were explored: explore them, then publish.",
        )
    return found


def refuse_below(candidate: BasketsCandidate, left: int) -> None:
    """Refuse a release that leaves fewer rows than the promised k."""
    if left < candidate.k:
        raise ReleaseRefusedError(
            f"The release of {candidate.id!r} leaves {left} rows to someone who knows "
            f"{AttackerKnowledge(candidate.known_items, candidate.known_absences).words}, below the promised "
            f"k = {candidate.k}; nothing was published.",
            hint="these rows are not the ones that were explored: explore them, then publish.",
        )
