"""The publishers that the paper compares, each giving for every ratio what it would redact.

Literal GreedySanitize learns the same classifiers whatever L/C is, and only stops at another round: one
sequence serves all ratios. Cost-sensitive learners are one pass each; the honest publisher stands
beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...core.randomness import Streams
from ...engines.text.attack.inspection import Confusion, confusion_of
from ...engines.text.learners.adaboost import AdaBoost
from ...engines.text.learners.crf import CRF
from ...engines.text.learners.ensemble import Ensemble
from ...engines.text.learners.protocol import Learner, Model, cost_threshold
from ...engines.text.learners.selection import Selection
from ...engines.text.learners.svm import SVM
from ...engines.text.reading.arrays import Mask
from ...engines.text.reading.features import TokenData
from ...engines.text.reading.labelled import Labelled
from ...engines.text.sanitize.greedy import GreedySanitize

__all__ = ["PUBLISHERS", "Decision", "decisions", "greedy", "paper_rounds"]


_SINGLE = ("crf", "svm", "adaboost", "ensemble")
# name → what it is; "gs" is Algorithm 1 as written, "cost" one cost-sensitive pass.
PUBLISHERS = (
    *(f"gs {name}" for name in (*_SINGLE, "selection")),
    *(f"cost {name}" for name in _SINGLE),
    "honest",
)


def _learners() -> dict[str, Learner]:
    crf = CRF.literal()
    single: dict[str, Learner] = {
        "crf": crf,
        "svm": SVM(),
        "adaboost": AdaBoost(),
        "ensemble": Ensemble(crf=crf),
    }
    return {**single, "selection": Selection(tuple(single.values()))}


@dataclass(frozen=True, eq=False)
class Decision:
    """What one publisher does at one ratio: redactions of unseen and of training documents.

    `last` counts the classifier that ended the rounds on the residual training data.
    """

    publisher: str
    ratio: float
    rounds: int
    unseen: Mask
    residual: Mask
    last: Confusion | None = None


@dataclass(frozen=True, eq=False)
class PaperRounds:
    """A sequence of classifiers, and after how many of them each ratio stops."""

    models: Sequence[Model]
    stops: dict[float, int]
    last: dict[float, Confusion]
    residuals: Sequence[Mask]


def paper_rounds(
    learner: Learner,
    data: TokenData,
    sensitive: npt.NDArray[np.uint8],
    ratios: Sequence[float],
    seed: int,
) -> PaperRounds:
    """Run Algorithm 1 for all ratios at once: learn, redact, stop where L·TP ≤ C·FP."""
    models: list[Model] = []
    residuals: list[Mask] = [data.redacted.copy()]
    stops: dict[float, int] = {}
    last: dict[float, Confusion] = {}
    current = data
    while len(stops) < len(ratios):
        instances = current.counted
        model = learner.fit(
            current, sensitive, seed=Streams(seed).seed_of(f"round {len(models) + 1}")
        )
        found = model.scores(current) >= 0
        counts = confusion_of(found[instances], sensitive[instances] != 0)
        for ratio in ratios:
            if ratio not in stops and ratio * counts.tp - counts.fp <= 0:
                stops[ratio] = len(models)
                last[ratio] = counts
        models.append(model)
        current = current.redact(found)
        residuals.append(current.redacted.copy())
    return PaperRounds(models, stops, last, residuals)


def _applied(models: Sequence[Model], data: TokenData) -> list[Mask]:
    """Redact unseen documents round by round; entry k is after k classifiers."""
    masks = [data.redacted.copy()]
    for model in models:
        data = data.redact(model.scores(data) >= 0)
        masks.append(data.redacted.copy())
    return masks


def greedy(
    name: str,
    learner: Learner,
    train: tuple[TokenData, npt.NDArray[np.uint8]],
    unseen: TokenData,
    *,
    ratios: Sequence[float],
    seed: int,
) -> Iterator[Decision]:
    """Give the decisions of literal GreedySanitize."""
    rounds = paper_rounds(learner, *train, ratios, seed)
    masks = _applied(rounds.models[: max(rounds.stops.values())], unseen)
    for ratio in ratios:
        stop = rounds.stops[ratio]
        yield Decision(
            f"gs {name}", ratio, stop, masks[stop], rounds.residuals[stop], rounds.last[ratio]
        )


def _cost(
    name: str,
    learner: Learner,
    train: tuple[TokenData, npt.NDArray[np.uint8]],
    unseen: TokenData,
    *,
    ratios: Sequence[float],
    seed: int,
) -> Iterator[Decision]:
    """Give the decisions of one cost-sensitive pass: class weights L:C, for the CRF the threshold."""
    once: Model | None = None
    for ratio in ratios:
        if name != "crf" or once is None:
            once = learner.fit(
                *train, cost_ratio=1.0 if name == "crf" else ratio,
                seed=Streams(seed).seed_of("cost"),
            )  # fmt: skip
        cut = cost_threshold(ratio)
        residual = once.scores(train[0]) >= cut
        yield Decision(f"cost {name}", ratio, 1, once.scores(unseen) >= cut, residual)


def _honest(
    train: tuple[TokenData, npt.NDArray[np.uint8]],
    unseen: TokenData,
    ratios: Sequence[float],
    names: Sequence[str],
    seed: int,
) -> Iterator[Decision]:
    data, sensitive = train
    labelled = Labelled(
        data, sensitive.astype(np.int16), tuple(names[:1]), np.ones(data.documents, np.bool_)
    )
    folds = min(4, data.documents)
    published = GreedySanitize(mode="honest", folds=folds, seed=seed).fit(labelled, list(ratios))
    for ratio, publication in published.items():
        chosen = publication.classifiers
        yield Decision(
            "honest",
            ratio,
            len(chosen.classifiers),
            chosen.redactions(unseen) > 0,
            publication.redacted,
        )


def decisions(
    train: tuple[TokenData, npt.NDArray[np.uint8]],
    unseen: TokenData,
    *,
    ratios: Sequence[float],
    names: Sequence[str],
    publishers: Sequence[str] = PUBLISHERS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Decision]:
    """Give what each publisher, learned from `train`, redacts of `unseen`, for every ratio."""
    learners = _learners()
    for publisher in publishers:
        if progress is not None:
            progress(publisher)
        kind, _, name = publisher.partition(" ")
        if kind == "honest":
            yield from _honest(train, unseen, ratios, names, seed)
        elif kind == "gs":
            yield from greedy(name, learners[name], train, unseen, ratios=ratios, seed=seed)
        else:
            yield from _cost(name, learners[name], train, unseen, ratios=ratios, seed=seed)
