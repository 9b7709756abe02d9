"""Who reads the documents of a project: a CRF at once, and a teacher, whose last lesson counts as well.

Questions, proposals and the estimate all come from one `Reading`: an estimate from other scores than those
that decide would speak of another release.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..learners.folds import by_fold, last_scores
from ..learners.partial import Fitted, Known, PartialCRF, Pool
from ..learners.repeats import RepeatsModel, lift_repeats
from ..reading.arrays import Scores
from ..sanitize.classifiers import mean_of

__all__ = ["FOLDS", "VOICES", "Lesson", "Readers", "Reading", "ensemble_scores"]

FOLDS = 4
_DROP = 2.0  # log-odds that a capitalised word may be below the surest place of its document
VOICES = (0, 0, 1)
"""Whose log-odds are averaged: the CRF's twice, the teacher's once.

As in the competition of forms it is a mean of log-odds, because the readers err differently and no weight has
to be learned from answers that are few and were not drawn at random. A head that has seen a few dozen names
is too sure of itself, though: at 50 to 400 keys on eight corpora a third of the voices gave less loss than a
half, and lost to the CRF alone nearly nowhere.
"""


def ensemble_scores(crf: Scores, taught: Scores) -> Scores:
    """Return the log-odds of the CRF and the teacher together."""
    return mean_of([(crf, taught)[voice] for voice in VOICES])


@dataclass(frozen=True, eq=False)
class Lesson:
    """What a teacher made of the answers of the first `upto` events: log-odds of every token.

    Each score comes from a model that has learned nothing from the answers in the token's own document.
    """

    upto: int
    scores: Scores


@dataclass(frozen=True, eq=False)
class Readers:
    """Reads a pool in the light of answers.

    Parameters
    ----------
    pool : Pool
        The tokens.
    learner : PartialCRF
        The CRF, which learns from every answer at once.
    seed : int, default 0
        The seed of everything random.

    """

    pool: Pool
    learner: PartialCRF
    seed: int = 0

    def read(self, known: Known, lesson: Lesson | None = None) -> Reading:
        """Return what the readers make of the answers.

        Parameters
        ----------
        known : array of int8
            1 for a sensitive token, 0 for a harmless one, −1 where nobody has said.
        lesson : Lesson, optional
            The teacher's last lesson, where there was one.

        """
        return Reading(self, known, self.learner.fit(self.pool, known, seed=self.seed), lesson)


@dataclass(frozen=True, eq=False)
class Reading:
    """The answers at one point, the CRF that was fitted to them, and the lesson that counts as well."""

    readers: Readers
    known: Known
    fitted: Fitted
    lesson: Lesson | None = None

    @cached_property
    def scores(self) -> Scores:
        """The log-odds of every token, from which questions and proposals come."""
        return self._with_lesson(self.own_scores())

    def own_scores(self) -> Scores:
        """Return the log-odds of every token by the CRF alone."""
        return lift_repeats(self.fitted.scores(), self.readers.pool.data, _DROP)

    def own_model(self) -> RepeatsModel:
        """Return the CRF as a model of any text."""
        return RepeatsModel(self.fitted.model(), _DROP)

    def held_out(self, documents: npt.NDArray[np.int64]) -> Scores:
        """Return the same of some documents, by models that learned nothing from the document's answers.

        Parameters
        ----------
        documents : array of int
            The numbers of the documents; tokens of others get −inf.

        """
        learner, pool, seed = self.readers.learner, self.readers.pool, self.readers.seed
        wanted = np.unique(documents)
        fold = np.full(pool.data.documents, -1, np.int64)
        fold[wanted] = Streams(seed).generator("label folds").permutation(len(wanted)) % FOLDS
        scored = by_fold(
            fold,
            lambda part: learner.fit(pool, self.known, documents=part, seed=seed),
            lambda fitted, held: lift_repeats(fitted.scores(documents=held), pool.data, _DROP),
            always=fold < 0,
        )
        return self._with_lesson(last_scores(scored, len(pool.data)))

    def _with_lesson(self, crf: Scores) -> Scores:
        return crf if self.lesson is None else ensemble_scores(crf, self.lesson.scores)
