"""A purchase log made up by our own code: sparse 0/1 rows with a power law, and a label to predict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.errors import ParameterError
from ...core.randomness import Streams

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from scipy import sparse

__all__ = ["PurchaseLog", "purchase_log"]

_AISLES = ("bakery", "bath", "books", "dairy", "fruit", "garden", "grain", "meat", "paper", "tea",
           "tools", "toys", "travel", "wine")  # fmt: skip


@dataclass(frozen=True, slots=True)
class PurchaseLog:
    """Who bought what (scipy CSR, uint8), the label of each customer and the name of each item."""

    matrix: sparse.csr_matrix
    labels: npt.NDArray[np.uint8]
    names: list[str]


def purchase_log(rows: int = 3000, features: int = 2500, seed: int = 0) -> PurchaseLog:
    """Make baskets of customers; a tenth of the items is bought more, or less, by those labelled 1.

    >>> log = purchase_log(50, 40)
    >>> log.matrix.shape, log.matrix.dtype.name, len(log.names)
    ((50, 40), 'uint8', 40)
    """
    import numpy as np
    from scipy import sparse

    if rows < 2 or features < 10:
        raise ParameterError("A purchase log needs at least 2 rows and 10 features.")
    draw = Streams(seed).generator("purchase_log")
    popularity = 0.7 * (1.0 + np.arange(features) / 8.0) ** -0.95
    labels = (draw.random(rows) < 0.35).astype(np.uint8)
    lift = np.zeros(features)
    # Rare and popular items alike tell the label, popular ones a little less each.
    moved = np.union1d(draw.permutation(features)[: features // 10], draw.permutation(features // 10)[: features // 40])  # fmt: skip
    lift[moved] = draw.normal(0.0, 0.34, len(moved)) * (1.0 - 0.6 * popularity[moved])
    activity = np.exp(draw.normal(0.0, 0.5, rows))
    pieces = []
    for start in range(0, rows, 500):
        part = slice(start, min(rows, start + 500))
        rate = popularity * activity[part, None] * np.exp(lift * (labels[part, None] - 0.5) * 2)
        bought = draw.random(rate.shape) < np.minimum(rate, 0.9)
        empty = np.flatnonzero(~bought.any(1))
        bought[empty, draw.integers(0, features, len(empty))] = True
        if start == 0:  # no item is bought by nobody
            bought[np.arange(features) % len(bought), np.arange(features)] = True
        pieces.append(sparse.csr_matrix(bought.astype(np.uint8)))
    order = draw.permutation(features)  # the columns do not tell how popular an item is
    matrix = sparse.csr_matrix(sparse.vstack(pieces, format="csr")[:, order])
    matrix.sort_indices()
    kinds = draw.integers(0, len(_AISLES), features)
    names = [f"{_AISLES[kind]}-{number:04d}" for number, kind in enumerate(kinds, 1)]
    return PurchaseLog(matrix, labels, names)
