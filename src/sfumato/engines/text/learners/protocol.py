"""What a learner is: two small protocols, so that any classifier can take part on either side.

A learner sees tokens in their documents and answers with a model; a model answers with one calibrated
log-odds per token. The cost-sensitive decision is then a threshold: redact where the score reaches
log(C / L).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from ..reading.arrays import Arrays

if TYPE_CHECKING:
    from ..reading.features import TokenData

__all__ = [
    "Learner",
    "Model",
    "cost_threshold",
    "every_document",
    "labelled_documents",
    "out_of_fold",
]


@runtime_checkable
class Model(Protocol):
    """A fitted classifier: scores tokens, and goes to and from plain arrays without pickle."""

    @property
    def kind(self) -> str:
        """The name under which the model is stored, for example "crf"."""

    def scores(
        self, data: TokenData, *, documents: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.float64]:
        """Give each token's log-odds of being sensitive.

        Redacted tokens, and those outside `documents` (a mask over the documents), get −inf.
        """

    def to_arrays(self) -> tuple[dict[str, Any], Arrays]:
        """Give a JSON header and named arrays; the class rebuilds itself with `from_arrays`."""


@runtime_checkable
class Learner(Protocol):
    """Learns a model from labelled tokens; the constructor only stores its arguments."""

    @property
    def name(self) -> str:
        """How the learner is called on the command line, for example "crf"."""

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> Model:
        """Learn from the tokens of `documents` (a mask over the documents; all when it is None).

        `labels` holds 1 for a sensitive token. `cost_ratio` is L/C for learners that weigh their
        examples by cost; those whose scores are calibrated may ignore it, because their
        cost-sensitive form is the threshold alone. Redacted tokens are not examples.
        """


def cost_threshold(cost_ratio: float) -> float:
    """Give the log-odds from which redacting costs less than publishing: log(C / L).

    >>> cost_threshold(1.0)
    0.0
    """
    return -math.log(cost_ratio) if cost_ratio != 1.0 else 0.0


def every_document(
    data: TokenData, documents: npt.NDArray[np.bool_] | None
) -> npt.NDArray[np.bool_]:
    """Give the mask of documents, all of them for None."""
    return np.ones(data.documents, np.bool_) if documents is None else documents


def labelled_documents(
    data: TokenData, labels: npt.NDArray[np.uint8], documents: npt.NDArray[np.bool_] | None
) -> npt.NDArray[np.bool_]:
    """Give the mask of the documents to learn from; every token must have its label."""
    if len(labels) != len(data):
        raise DataError(f"{len(labels)} labels were given for {len(data)} tokens.")
    return every_document(data, documents)


def deal(
    documents: npt.NDArray[np.int64], folds: int, random: np.random.Generator, *, of: int
) -> npt.NDArray[np.int64]:
    """Deal some `of` so many documents into folds at random; the others are in none (−1).

    >>> np.bincount(deal(np.arange(5), 2, np.random.default_rng(0), of=6) + 1).tolist()
    [1, 3, 2]
    """
    fold = np.full(of, -1, np.int64)
    count = len(documents)
    fold[random.permutation(documents)] = np.arange(count) % max(1, min(folds, count))
    return fold


def out_of_fold(
    learner: Learner,
    data: TokenData,
    labels: npt.NDArray[np.uint8],
    fold: npt.NDArray[np.int64],
    *,
    cost_ratio: float = 1.0,
    seed: int = 0,
) -> npt.NDArray[np.float64]:
    """Score each document by a model that has not seen it; `fold` numbers the documents' folds."""
    scores = np.full(len(data), -np.inf)
    for held_out in np.unique(fold[fold >= 0]):
        inside = fold == held_out
        model = learner.fit(data, labels, documents=~inside, cost_ratio=cost_ratio, seed=seed)
        scores = np.maximum(scores, model.scores(data, documents=inside))
    return scores
