"""Build a candidate's release again from the data."""

from __future__ import annotations

import numpy as np

from ...data.baskets import Baskets
from .cells.cores import only_columns
from .disclosure.inference import places_among
from .disclosure.knowledge import AttackerKnowledge
from .matrix.binary import as_binary
from .matrix.targets import as_target
from .methods.protocol import MethodRequest, Proposal, make
from .records import BasketsCandidate
from .registry import METHODS

__all__ = ["remake"]


def remake(candidate: BasketsCandidate, baskets: Baskets, seed: int) -> Proposal:
    """Build a candidate's release again, row by row in the order of the data."""
    rows = as_binary(baskets.matrix)
    if candidate.publish_as == "columns":
        wanted = set(candidate.features)
        columns = np.array([i for i, name in enumerate(baskets.feature_names) if name in wanted])
        return Proposal(only_columns(rows, columns), np.ones(rows.n, dtype=bool), columns)
    target = None if baskets.labels is None else as_target(baskets.labels, rows.n)
    spec = MethodRequest(
        candidate.k,
        AttackerKnowledge(candidate.known_items, candidate.known_absences),
        None if target is None else target.positive,
        for_class=candidate.for_class,
        max_rows_out=candidate.max_rows_out,
        sensitive=places_among(baskets.feature_names, candidate.sensitive),
        max_confidence=candidate.max_confidence,
        seed=seed,
    )
    return make(METHODS.get_or_raise(candidate.publish_as), rows, spec)
