"""Scores for documents that the model has not seen: the one place where folds are made and scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from ....core.threads import side_by_side
from ..reading.arrays import Mask, Scores
from .protocol import Learner

if TYPE_CHECKING:
    from ..reading.features import TokenData

__all__ = ["by_fold", "by_halves", "deal", "last_scores", "out_of_fold", "within"]

Folds = npt.NDArray[np.int64]  # each document's fold; −1 for those in none
Fitted = TypeVar("Fitted")


def deal(
    documents: npt.NDArray[np.int64], folds: int, random: np.random.Generator, *, of: int
) -> Folds:
    """Deal documents into folds at random.

    Parameters
    ----------
    documents : array of int
        The numbers of the documents to deal.
    folds : int
        The number of folds; never more than there are documents.
    random : numpy.random.Generator
        The source of chance.
    of : int
        The number of all documents; those that are not assigned are in no fold (−1).

    >>> np.bincount(deal(np.arange(5), 2, np.random.default_rng(0), of=6) + 1).tolist()
    [1, 3, 2]

    """
    fold = np.full(of, -1, np.int64)
    count = len(documents)
    fold[random.permutation(documents)] = np.arange(count) % max(1, min(folds, count))
    return fold


def by_fold(
    fold: Folds,
    fit: Callable[[Mask], Fitted],
    score: Callable[[Fitted, Mask], Scores],
    *,
    always: Mask | None = None,
) -> Iterator[Scores]:
    """Yield, fold by fold, the scores of all folds so far, each by a model that has not seen it.

    Parameters
    ----------
    fold : array of int
        Each document's fold, −1 for documents in none: they are neither learned from nor scored.
    fit : callable
        Learns from a mask of documents.
    score : callable
        Scores a mask of documents with what `fit` returned; tokens of other documents get −inf.
    always : mask over the documents, default None
        Documents to learn from in every fold, whatever fold they are in themselves.

    """
    scores: Scores | None = None
    for held_out in np.unique(fold[fold >= 0]):
        inside = fold == held_out
        learned = (fold >= 0) & ~inside
        if always is not None:
            learned |= always
        found = score(fit(learned), inside)
        scores = found if scores is None else np.maximum(scores, found)
        yield scores


def out_of_fold(
    learner: Learner,
    data: TokenData,
    labels: npt.NDArray[np.uint8],
    fold: Folds,
    *,
    always: Mask | None = None,
    cost_ratio: float = 1.0,
    seed: int = 0,
) -> Scores:
    """Return the log-odds of each token by a model that has not seen its document.

    Parameters
    ----------
    learner : Learner
        Learns one model per fold.
    data : TokenData
        The tokens.
    labels : array of uint8
        1 for a sensitive token.
    fold : array of int
        Each document's fold, −1 for documents in none: they are neither learned from nor scored.
    always : mask over the documents, default None
        Documents to learn from in every fold.
    cost_ratio : float, default 1.0
        L/C, handed to the learner.
    seed : int, default 0
        The seed of every fold's model.

    """

    def scored(held_out: int) -> Scores:
        inside = fold == held_out
        learned = (fold >= 0) & ~inside
        if always is not None:
            learned |= always
        model = learner.fit(data, labels, documents=learned, cost_ratio=cost_ratio, seed=seed)
        return model.scores(data, documents=inside)

    data.index()  # made once, before the folds share it
    data.words.groups()
    found = side_by_side(partial(scored, held_out) for held_out in np.unique(fold[fold >= 0]))
    scores: Scores = np.maximum.reduce([np.full(len(data), -np.inf), *found])
    return scores


def by_halves(
    data: TokenData,
    documents: Mask,
    random: np.random.Generator,
    fit: Callable[[Mask], Fitted],
    score: Callable[[Fitted, Mask], Scores],
) -> Scores:
    """Return the scores of each half of the documents by a model learned from the other half.

    With a single document there is no other half, and its own model scores it.

    Parameters
    ----------
    data : TokenData
        The tokens.
    documents : mask over the documents
        The documents to split.
    random : numpy.random.Generator
        The source of chance.
    fit, score : callable
        As in `by_fold`.

    """
    chosen = np.flatnonzero(documents)
    if len(chosen) < 2:
        return score(fit(documents), documents)
    mixed = random.permutation(chosen)
    fold = np.full(data.documents, -1, np.int64)
    fold[mixed] = np.arange(len(mixed)) >= len(mixed) // 2
    return last_scores(by_fold(fold, fit, score), len(data))


def last_scores(scored: Iterator[Scores], size: int) -> Scores:
    """Return the scores of all folds that `by_fold` yields; −inf for this many tokens where there is no fold."""
    scores = np.full(size, -np.inf)
    for scores in scored:  # noqa: B007
        pass
    return scores


def within(data: TokenData, documents: Mask, tokens: int, random: np.random.Generator) -> Mask:
    """Return some of the documents, chosen at random, that hold about this many tokens together.

    Parameters
    ----------
    data : TokenData
        The tokens.
    documents : mask over the documents
        Those to choose from.
    tokens : int
        About how many tokens to choose; all of them where there are fewer.
    random : numpy.random.Generator
        Chooses.

    """
    mixed = random.permutation(np.flatnonzero(documents))
    total = np.cumsum(np.diff(data.tokens.doc)[mixed])
    chosen = np.zeros(len(documents), np.bool_)
    chosen[mixed[: int(np.searchsorted(total, tokens)) + 1]] = True
    return chosen
