"""What a learner and a model are: two base classes, so that any classifier can defend or attack.

A learner sees tokens in their documents and returns a model; a model returns one calibrated log-odds
per token. The cost-sensitive decision is then a threshold: redact where the score reaches log(C / L).
Whatever else the engine needs to know about a learner or a model, it declares here, with a default.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError, ModelError
from ..reading.arrays import Arrays, Header, Mask, Scores

if TYPE_CHECKING:
    from ..reading.features import TokenData

__all__ = ["Learner", "Model", "cost_threshold", "every_document", "labelled_documents"]


class Model(ABC):
    """A fitted classifier: scores tokens, and goes to and from plain arrays without pickle."""

    kind: str  # the name under which the model is stored, for example "crf"
    reads_passages: bool = False  # whether it has `scores_in`

    @property
    def dimension(self) -> float:
        """The Vapnik–Chervonenkis dimension of the hypotheses that the model was chosen from.

        For a linear classifier it is the number of its weights plus one. The default is infinite:
        where nothing is declared, no finite-sample bound is claimed.
        """
        return math.inf

    @abstractmethod
    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        """Return each token's log-odds of being sensitive.

        Parameters
        ----------
        data : TokenData
            The tokens to score.
        documents : mask over the documents, default None
            The documents to score; all of them for None. Tokens of other documents, and redacted
            ones, get −inf.

        """

    def scores_in(self, data: TokenData, where: Mask) -> Scores:
        """Return the log-odds of some tokens, each run of them read separately.

        Parameters
        ----------
        data : TokenData
            The tokens.
        where : mask over the tokens
            The tokens to read; others get −inf.

        """
        raise NotImplementedError

    def label_scorers(self, labels: Sequence[str]) -> tuple[tuple[Model, tuple[int, ...]], ...]:  # noqa: ARG002
        """Return models of single kinds, each with the numbers (from 0) of the labels that mean its kind.

        Parameters
        ----------
        labels : sequence of str
            The labels.

        """
        return ()

    @abstractmethod
    def to_arrays(self) -> tuple[Header, Arrays]:
        """Return a JSON header and named arrays, from which `from_arrays` rebuilds the model."""

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> Model:  # noqa: ARG003
        """Rebuild what `to_arrays` returned; what does not fit together is refused."""
        raise ModelError(f"A model of the kind {cls.kind!r} is not stored.")


class Learner(ABC):
    """Learns a model from labelled tokens; the constructor only stores its arguments."""

    outsider: bool = (
        False  # whether, as an attacker, it brings knowledge that the publisher need not have
    )

    @property
    @abstractmethod
    def name(self) -> str:
        """The learner's name on the command line, for example "crf"."""

    @abstractmethod
    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: Mask | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> Model:
        """Learn a model.

        Parameters
        ----------
        data : TokenData
            The tokens; redacted ones are not examples.
        labels : array of uint8
            1 for a sensitive token, 0 for any other.
        documents : mask over the documents, default None
            The documents to learn from; all of them for None.
        cost_ratio : float, default 1.0
            L/C, for learners that weigh their examples by cost. Those whose scores are calibrated may
            ignore it, because their cost-sensitive form is the threshold alone.
        seed : int, default 0
            The seed of every random choice.

        """

    def literal(self) -> Learner:
        """Return the learner as the papers describe it, for the literal Algorithm 1."""
        return self

    def quick(self) -> Learner:
        """Return a faster variant, good enough to see whether there is anything to learn."""
        return self

    def careful(self) -> Learner:
        """Return a variant that depends less on chance, for models that are published."""
        return self

    def warm_start(self, model: Model) -> Learner | None:  # noqa: ARG002
        """Return a learner that starts from a model's weights; None where that is impossible."""
        return None


def cost_threshold(cost_ratio: float) -> float:
    """Return the log-odds from which redacting costs less than publishing: log(C / L).

    >>> cost_threshold(1.0)
    0.0
    """
    return -math.log(cost_ratio) if cost_ratio != 1.0 else 0.0


def every_document(data: TokenData, documents: Mask | None) -> Mask:
    """Return the mask of documents, all of them for None."""
    return np.ones(data.documents, np.bool_) if documents is None else documents


def labelled_documents(
    data: TokenData, labels: npt.NDArray[np.uint8], documents: Mask | None
) -> Mask:
    """Return the mask of the documents to learn from; every token must have its label."""
    if len(labels) != len(data):
        raise DataError(f"{len(labels)} labels were given for {len(data)} tokens.")
    return every_document(data, documents)
