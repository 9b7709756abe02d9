"""What the engine asks of a learner with pretrained weights, and how it finds one.

The learner itself needs its own packages (the extra `encoder`), and is reached by `ENCODERS` only.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import numpy.typing as npt

from .protocol import Learner, Model

if TYPE_CHECKING:
    from ..reading.arrays import Mask
    from ..reading.features import TokenData

__all__ = ["PretrainedEncoder", "Schedule"]


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast to learn.

    Parameters
    ----------
    epochs : int, default 3
        Passes over the windows at least; the one after which the documents set aside are read best is
        kept.
    rate : float, default 2e-4
        The learning rate of the layers after a warm-up of a tenth of the steps; it falls to 0.
    steps : int, default 160
        Steps to take at least, in not more than `most` passes.
    most : int, default 12
        Passes at most.
    decay : float, default 1
        The rate of each layer over that of the layer above it.
    few_steps : int, default 100
        Steps that are enough for a small corpus, which is learned from in small batches.

    """

    epochs: int = 3
    rate: float = 2e-4
    steps: int = 160
    most: int = 12
    decay: float = 1.0
    few_steps: int = 100

    def passes(self, batches: int, *, small: bool = False) -> int:
        """Return how often to go through this many batches: small corpora are read more often.

        Parameters
        ----------
        batches : int
            How many there are.
        small : bool, default False
            Whether a small corpus is learned from, in small batches.

        """
        steps = min(self.steps, self.few_steps) if small else self.steps
        return min(max(self.epochs, -(-steps // batches)), max(self.epochs, self.most))


class PretrainedEncoder(Learner):
    """A learner that begins with weights learned from much text, and competes with the CRF."""

    INSTALL: ClassVar[str]
    """How to install what it needs."""

    @classmethod
    @abstractmethod
    def named(cls, wanted: str, *, tuning: str = "two") -> Self:
        """Return an encoder by the word of the command line: `default`, or a folder."""

    @classmethod
    @abstractmethod
    def is_installed(cls) -> bool:
        """Return whether the default weights, and the packages that run them, are installed."""

    @classmethod
    @abstractmethod
    def device(cls) -> str:
        """Return what it computes on: "cpu", or the kind of accelerator."""

    @property
    @abstractmethod
    def sha256(self) -> str:
        """The hash of the pretrained weights."""

    @property
    @abstractmethod
    def tuned(self) -> str:
        """How much is tuned: one of `TUNINGS`."""

    @property
    @abstractmethod
    def planned(self) -> Schedule:
        """How long and how fast it learns."""

    @property
    @abstractmethod
    def has_schedule(self) -> bool:
        """Whether the schedule was given, rather than what suits the tuning."""

    @abstractmethod
    def scheduled(self, schedule: Schedule) -> Self:
        """Return the same encoder with another schedule."""

    @abstractmethod
    def simpler(self) -> Self | None:
        """Return the same weights with fewer layers tuned, where much is tuned: it must be beaten."""

    @abstractmethod
    def quick(self) -> Self:
        """Return the learner that tunes the head alone, on one reading of the corpus."""

    @abstractmethod
    def warm_start(self, model: Model) -> Self | None:
        """Return the learner that goes on from another model of the same shape."""

    @abstractmethod
    def prepare(
        self,
        data: TokenData,
        passages: Mask | None = None,
        *,
        watch: Callable[[], None] | None = None,
    ) -> None:
        """Compute what does not depend on labels, once for every fold that follows.

        Parameters
        ----------
        data : TokenData
            The tokens.
        passages : mask over the tokens, optional
            Tokens that are learned from a second time, each run of them separately.
        watch : callable, optional
            Called before each batch; may raise to end it.

        """

    @abstractmethod
    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: Mask | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
        known: Mask | None = None,
    ) -> Model:
        """Learn as every learner does; `known` are the tokens whose labels are known, where not all are."""
