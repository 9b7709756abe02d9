"""What a publisher learns from and answers with: labelled tokens, rounds, publications, T(H)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ...core.errors import DataError
from .classifiers import ClassifierSet
from .features import RESERVED, TokenData

__all__ = ["Labelled", "Mask", "Publication", "Round", "total_loss"]

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Labelled tokens to learn from: i + 1 marks the sensitive kind i of `names`.

    `own` says which documents are the steward's; the others are background and stand after them.
    """

    data: TokenData
    labels: npt.NDArray[np.int16]
    names: tuple[str, ...]
    own: Mask

    @property
    def sensitive(self) -> npt.NDArray[np.uint8]:
        return (self.labels > 0).astype(np.uint8)

    def losses(self, ratio: float, weights: Mapping[str, float]) -> npt.NDArray[np.float64]:
        """Give each token's L in units of C: 0 where it is not sensitive or no instance."""
        by_label = np.array([0.0, *(ratio * weights.get(name, 1.0) for name in self.names)])
        return np.where(self.instances, by_label[self.labels], 0.0)

    def alone(self) -> Labelled:
        """Give the steward's documents without the background."""
        count = int(np.count_nonzero(self.own))
        if not self.own[:count].all():
            raise DataError("The background must stand after the steward's own documents.")
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

    >>> total_loss(np.array([10.0, 0, 0]), np.ones(3, bool), np.array([False, True, False]))
    11.0
    """
    return float(losses[~redacted].sum() + np.count_nonzero(instances & redacted & (losses == 0)))


@dataclass(frozen=True)
class Round:
    """What one round did, judged on documents that its decisions were not made on."""

    form: str
    threshold: float
    found: int
    false_positives: int
    total_loss: float
    kept: bool
    forms: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        found: Mask,
        losses: npt.NDArray[np.float64],
        instances: Mask,
        **rest: Any,
    ) -> Self:
        """Count what a round found."""
        return cls(
            found=int(np.count_nonzero(found & (losses > 0))),
            false_positives=int(np.count_nonzero(found & instances & (losses == 0))),
            **rest,
        )

    def to_json(self) -> dict[str, Any]:
        threshold = None if np.isinf(self.threshold) else round(self.threshold, 4)
        return {
            "form": self.form,
            "threshold": threshold,
            "found": self.found,
            "false_positives": self.false_positives,
            "total_loss": self.total_loss,
            "kept": self.kept,
            "total_loss_by_form": dict(self.forms),
        }


@dataclass(frozen=True, eq=False)
class Publication:
    """A candidate: the chosen classifiers, the record of the rounds, and the honest estimate.

    `redacted` are the decisions on the labelled tokens by models that had not seen the document (in
    paper mode: by the classifiers themselves, in sample).
    """

    ratio: float
    classifiers: ClassifierSet
    rounds: tuple[Round, ...]
    redacted: Mask
    total_loss: float
    held_out: bool
