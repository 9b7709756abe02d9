"""The publishers that the paper compares, each returning for every ratio what it would redact.

Literal GreedySanitize learns the same classifiers whatever L/C is, and only stops at another round: one
sequence serves all ratios. Cost-sensitive learners are one pass each; honest GreedySanitize is
given with them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...core.randomness import Streams
from ...engines.text.attack.attacked import last_round
from ...engines.text.attack.inspection import Confusion
from ...engines.text.learners.adaboost import AdaBoost
from ...engines.text.learners.crf import CRF
from ...engines.text.learners.ensemble import Ensemble
from ...engines.text.learners.protocol import Learner, cost_threshold
from ...engines.text.learners.selection import Selection
from ...engines.text.learners.svm import SVM
from ...engines.text.reading.arrays import Mask
from ...engines.text.reading.features import TokenData
from ...engines.text.reading.labelled import Labelled
from ...engines.text.sanitize.greedy import GreedySanitize

__all__ = ["PUBLISHERS", "Decision", "Publisher", "Training", "decisions"]


class Training(NamedTuple):
    """The documents that a publisher learns from, with 1 for each sensitive token."""

    data: TokenData
    sensitive: npt.NDArray[np.uint8]

    def labelled(self) -> Labelled:
        every = np.ones(self.data.documents, np.bool_)
        return Labelled(self.data, self.sensitive.astype(np.int16), ("sensitive",), every)


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
class Publisher(ABC):
    """A way to publish that the study compares.

    Parameters
    ----------
    name : str
        How rows, options and files call it.
    title : str
        How charts call it.
    attacked_with_residual : bool, default False
        Whether the attacker who learns from the residual training data takes part.

    """

    name: str
    title: str
    attacked_with_residual: bool = False

    @abstractmethod
    def decide(
        self, train: Training, unseen: TokenData, *, ratios: Sequence[float], seed: int
    ) -> Iterator[Decision]:
        """Yield a decision per ratio.

        Parameters
        ----------
        train : Training
            What to learn from.
        unseen : TokenData
            Other documents, to be redacted.
        ratios : sequence of float
            The loss ratios L/C.
        seed : int
            The seed of every random choice.

        """


@dataclass(frozen=True, eq=False)
class Literal(Publisher):
    """GreedySanitize as printed, with one learner."""

    learner: Learner | None = None

    def decide(
        self, train: Training, unseen: TokenData, *, ratios: Sequence[float], seed: int
    ) -> Iterator[Decision]:
        labelled = train.labelled()
        published = GreedySanitize(self.learner, mode="paper", seed=seed).fit(labelled, ratios)
        # All ratios share one sequence of classifiers: the longest shows what each prefix redacts.
        longest = max(published.values(), key=lambda p: len(p.rounds)).classifiers
        when = longest.redactions(unseen)
        for ratio, publication in published.items():
            kept = len(publication.classifiers.classifiers)
            left = labelled.instances & ~publication.redacted
            yield Decision(
                self.name,
                ratio,
                kept,
                (when > 0) & (when <= kept),
                publication.redacted,
                last_round(
                    publication,
                    words=int(left.sum()),
                    sensitive=int((left & (train.sensitive != 0)).sum()),
                ),
            )


@dataclass(frozen=True, eq=False)
class CostSensitive(Publisher):
    """One pass of a learner at each ratio: class weights L:C, or the threshold log(C/L) alone.

    `weighs_examples` distinguishes the first kind from the second, whose one model serves all ratios.
    """

    learner: Learner | None = None
    weighs_examples: bool = True

    def decide(
        self, train: Training, unseen: TokenData, *, ratios: Sequence[float], seed: int
    ) -> Iterator[Decision]:
        assert self.learner is not None
        seed = Streams(seed).seed_of("cost")
        model = None
        for ratio in ratios:
            if self.weighs_examples or model is None:
                cost_ratio = ratio if self.weighs_examples else 1.0
                model = self.learner.fit(*train, cost_ratio=cost_ratio, seed=seed)
            cut = cost_threshold(ratio)
            residual = model.scores(train.data) >= cut
            yield Decision(self.name, ratio, 1, model.scores(unseen) >= cut, residual)


@dataclass(frozen=True, eq=False)
class Honest(Publisher):
    """GreedySanitize with every decision taken on unseen documents."""

    def decide(
        self, train: Training, unseen: TokenData, *, ratios: Sequence[float], seed: int
    ) -> Iterator[Decision]:
        folds = min(4, train.data.documents)
        published = GreedySanitize(folds=folds, seed=seed).fit(train.labelled(), ratios)
        for ratio, publication in published.items():
            chosen = publication.classifiers
            rounds = len(chosen.classifiers)
            redacted = chosen.redactions(unseen) > 0
            yield Decision(self.name, ratio, rounds, redacted, publication.redacted)


def _publishers() -> dict[str, Publisher]:
    crf = CRF.literal()
    single: dict[str, Learner] = {
        "crf": crf,
        "svm": SVM(),
        "adaboost": AdaBoost(),
        "ensemble": Ensemble(crf=crf),
    }
    every = {**single, "selection": Selection(tuple(single.values()))}
    # Readers of the paper look for these two, so the attackers with residuals take part in them.
    residual = {"crf", "selection"}
    made: list[Publisher] = [
        *(Literal(f"gs {n}", f"GS, {n}", n in residual, learner) for n, learner in every.items()),
        *(
            CostSensitive(f"cost {n}", f"cost-sensitive {n}", False, learner, n != "crf")
            for n, learner in single.items()
        ),
        Honest("honest", "honest GS", True),
    ]
    return {publisher.name: publisher for publisher in made}


PUBLISHERS = _publishers()


def decisions(
    train: Training,
    unseen: TokenData,
    *,
    ratios: Sequence[float],
    publishers: Sequence[str] = tuple(PUBLISHERS),
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Iterator[Decision]:
    """Yield what each publisher, learned from `train`, redacts of `unseen`, for every ratio.

    Parameters
    ----------
    train : Training
        What to learn from.
    unseen : TokenData
        Other documents, to be redacted.
    ratios : sequence of float
        The loss ratios L/C.
    publishers : sequence of str
        Names of `PUBLISHERS`; all of them by default.
    seed : int, default 0
        The seed of every random choice.
    progress : callable, default None
        Called with each publisher's name before it starts.

    """
    for name in publishers:
        if progress is not None:
            progress(name)
        yield from PUBLISHERS[name].decide(train, unseen, ratios=ratios, seed=seed)
