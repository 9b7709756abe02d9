"""The result of GreedySanitize: its rounds and the classifiers that it kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import numpy.typing as npt

from ..reading.arrays import Mask
from .classifiers import ClassifierSet

__all__ = ["LINEAR", "SECOND_LOOK", "STUDENT", "RatioPublication", "Round"]

# How a candidate publishes where an encoder won, if not by the encoder everywhere.
LINEAR, SECOND_LOOK, STUDENT = "linear", "second look", "student"


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
    by_seed: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        found: Mask,
        losses: npt.NDArray[np.float64],
        instances: Mask,
        *,
        form: str,
        threshold: float,
        total_loss: float,
        kept: bool,
        forms: Mapping[str, float] | None = None,
    ) -> Self:
        """Count what a round found."""
        return cls(
            form,
            threshold,
            found=int(np.count_nonzero(found & (losses > 0))),
            false_positives=int(np.count_nonzero(found & instances & (losses == 0))),
            total_loss=total_loss,
            kept=kept,
            forms={} if forms is None else forms,
        )

    def to_json(self) -> dict[str, object]:
        threshold = None if np.isinf(self.threshold) else round(self.threshold, 4)
        return {
            "form": self.form,
            "threshold": threshold,
            "found": self.found,
            "false_positives": self.false_positives,
            "total_loss": self.total_loss,
            "kept": self.kept,
            "total_loss_by_form": dict(self.forms),
            "total_loss_by_seed": list(self.by_seed),
        }


@dataclass(frozen=True, eq=False)
class RatioPublication:
    """A candidate: the chosen classifiers, the record of the rounds, and the honest estimate.

    `redacted` are the decisions on the labelled tokens by models that had not seen the document (in
    paper mode: by the classifiers themselves, in sample). `way` says how it publishes, where that is
    not by the form that won; `encoder_reads` is the share of the words that an encoder reads, and
    `redacted_by_seed` are the decisions under each of its seeds.
    """

    ratio: float
    classifiers: ClassifierSet
    rounds: tuple[Round, ...]
    redacted: Mask
    total_loss: float
    held_out: bool
    way: str = ""
    encoder_reads: float = 0.0
    redacted_by_seed: tuple[Mask, ...] = ()
