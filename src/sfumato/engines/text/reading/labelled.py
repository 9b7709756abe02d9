"""Labelled tokens to learn from, and the total loss T(H) of a decision on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from .arrays import Mask
from .features import RESERVED, TokenData

__all__ = ["Labelled", "total_loss"]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labelled tokens to learn from: i + 1 marks the sensitive kind i of `names`.

    `own` says which documents are the steward's; the others are background and come after them.
    """

    data: TokenData
    labels: npt.NDArray[np.int16]
    names: tuple[str, ...]
    own: Mask

    @property
    def sensitive(self) -> npt.NDArray[np.uint8]:
        return (self.labels > 0).astype(np.uint8)

    def losses(self, ratio: float, weights: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Return each token's L in units of C: 0 where it is not sensitive or no instance."""
        by_label = np.array([0.0, *(ratio * weights.get(name, 1.0) for name in self.names)])
        return np.where(self.instances, by_label[self.labels], 0.0)

    def alone(self) -> Labelled:
        """Return the steward's documents without the background."""
        count = int(np.count_nonzero(self.own))
        if not self.own[:count].all():
            raise DataError("The background must come after the steward's own documents.")
        data = self.data.first_documents(count)
        return Labelled(data, self.labels[: len(data)], self.names, self.own[:count])

    @property
    def instances(self) -> Mask:
        """Words of the steward's documents."""
        return (
            self.data.words.counted[self.data.tokens.type + RESERVED]
            & self.own[self.data.document_of]
        )


def total_loss(losses: npt.NDArray[np.float64], instances: Mask, redacted: Mask) -> float:
    """T(H) = L·FN + C·FP, in units of C.

    Parameters
    ----------
    losses : array of float
        Each token's L in units of C; 0 where it is harmless.
    instances, redacted : mask over the tokens
        Which tokens are words, and which are redacted.

    >>> total_loss(np.array([10.0, 0, 0]), np.ones(3, bool), np.array([False, True, False]))
    11.0

    """
    return float(losses[~redacted].sum() + np.count_nonzero(instances & redacted & (losses == 0)))
