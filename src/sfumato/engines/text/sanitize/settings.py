"""What both modes of GreedySanitize share: the learner, the lists, the folds and the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ....core.randomness import Streams
from ..learners.labels import LabelCRF, LabelModel, with_scores
from ..learners.partial import Pool
from ..learners.protocol import Learner, Model
from ..reading.arrays import Mask, Scores
from ..reading.labelled import Labelled
from ..reading.word_lists import WordList
from .classifiers import Classifier, ClassifierSet

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder
    from ..reading.features import TokenData

__all__ = ["Settings"]


def _silent(_: str) -> None:
    """Report nothing."""


@dataclass(frozen=True, eq=False)
class Settings:
    """How classifiers are chosen, whatever the mode.

    Parameters
    ----------
    learner : Learner
        Learns every classifier.
    folds : int, default 4
        Folds by document.
    max_rounds : int, default 8
        A limit that the stop rule should never meet.
    weights : mapping from str to float
        Factors of L per label.
    deny, allow : WordList
        Words that are always redacted, and words that never are.
    seed : int, default 0
        The seed of every random choice.
    progress : callable
        Called with a short note before each step.
    encoder : PretrainedEncoder, optional
        A pretrained encoder that takes part.
    unlabelled : TokenData, optional
        The steward's documents followed by unlabelled ones, from which a student of the encoder
        learns.
    starter : tuple of Model and array, optional
        A model that was learned elsewhere and adapted to the documents without their labels, and its
        log-odds of their tokens.
    detector : tuple of Model and array, optional
        A detector of the steward's own, and its log-odds of the tokens.

    """

    learner: Learner
    folds: int = 4
    max_rounds: int = 8
    weights: Mapping[str, float] = field(default_factory=dict)
    deny: WordList = field(default_factory=WordList)
    allow: WordList = field(default_factory=WordList)
    seed: int = 0
    progress: Callable[[str], None] = _silent
    encoder: PretrainedEncoder | None = None
    unlabelled: TokenData | None = None
    starter: tuple[Model, Scores] | None = None
    detector: tuple[Model, Scores] | None = None

    @property
    def outsiders(self) -> dict[str, tuple[Model, Scores]]:
        """The models that were learned elsewhere, by the names of their forms."""
        every = {"starter": self.starter, "detector": self.detector}
        return {name: pair for name, pair in every.items() if pair is not None}

    @property
    def streams(self) -> Streams:
        return Streams(self.seed)

    def with_lists(self, labelled: Labelled) -> tuple[Labelled, Mask]:
        """Redact denied words; return the labelled tokens and the mask of allowed ones."""
        allowed = self.allow.matches(labelled.data)
        denied = self.deny.matches(labelled.data) & ~allowed
        if denied.any():
            labelled = replace(labelled, data=labelled.data.redact(denied))
        return labelled, allowed

    def learn_kinds(self, labelled: Labelled) -> LabelModel | None:
        """Learn to tell the labels apart where there are several, with the starter's help."""
        if len(labelled.names) < 2:
            return None
        scorers = () if self.starter is None else self.starter[0].label_scorers(labelled.names)
        data = labelled.data
        scored = with_scores(data, [scorer.scores(data) for scorer, _ in scorers])
        codes = np.where(labelled.own[data.document_of], labelled.labels, 0)
        seed = self.streams.seed_of("typing")
        return LabelCRF().fit(Pool(scored), codes, labelled.names, scorers=scorers, seed=seed).model

    def classifier_set(
        self, labelled: Labelled, classifiers: Sequence[Classifier], kinds: LabelModel | None
    ) -> ClassifierSet:
        """Put the chosen classifiers, the models of kinds and the lists together."""
        return ClassifierSet(
            labelled.names,
            tuple(classifiers),
            kinds,
            labelled.data.words.knowledge,
            self.deny,
            self.allow,
        )
