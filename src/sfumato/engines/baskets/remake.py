"""Making a candidate's release anew from the data."""

from __future__ import annotations

import numpy as np

from ...data.baskets import Baskets
from .cells.cores import only_columns
from .disclosure.inference import places_among
from .disclosure.knowledge import Knowledge
from .matrix.binary import as_binary
from .matrix.targets import as_target
from .methods.protocol import Published, Spec, make
from .records import BasketsCandidate
from .registry import WAYS

__all__ = ["remade"]


def remade(candidate: BasketsCandidate, baskets: Baskets, seed: int) -> Published:
    """Make a candidate's release anew, row by row as the data stand."""
    rows = as_binary(baskets.matrix)
    if candidate.publish_as == "columns":
        wanted = set(candidate.features)
        columns = np.array([i for i, name in enumerate(baskets.feature_names) if name in wanted])
        return Published(only_columns(rows, columns), np.ones(rows.n, dtype=bool), columns)
    target = None if baskets.labels is None else as_target(baskets.labels, rows.n)
    spec = Spec(
        candidate.k,
        Knowledge(candidate.known_items, candidate.known_absences),
        None if target is None else target.positive,
        for_class=candidate.for_class,
        max_rows_out=candidate.max_rows_out,
        sensitive=places_among(baskets.feature_names, candidate.sensitive),
        max_confidence=candidate.max_confidence,
        seed=seed,
    )
    return make(WAYS.get_or_raise(candidate.publish_as), rows, spec)
