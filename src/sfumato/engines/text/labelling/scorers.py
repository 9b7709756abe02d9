"""What scores the words of a project: a CRF at once, and an encoder whose last update counts as well.

Questions, proposals and the estimate all use one `ScoredPool`: an estimate from other scores than those that
decide would describe another release.
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

__all__ = ["FOLDS", "MEMBERS", "EncoderUpdate", "ScoredPool", "Scorers", "ensemble_scores"]

FOLDS = 4
_DROP = 2.0  # log-odds that a capitalised word may be below the surest place of its document
MEMBERS = (0, 0, 1)
"""The members of the mean of log-odds: the CRF twice, the encoder once.

As in the competition of forms it is a mean, because the models err differently and no weight has to be learned
from answers that are few and were not drawn at random. A head that has seen a few dozen names is
overconfident, though: at 50 to 400 keys on eight corpora a third of the weight gave less loss than a half, and
more than the CRF alone almost nowhere.
"""


def ensemble_scores(crf: Scores, encoder: Scores) -> Scores:
    """Return the mean log-odds of the CRF and the encoder."""
    return mean_of([(crf, encoder)[member] for member in MEMBERS])


@dataclass(frozen=True, eq=False)
class EncoderUpdate:
    """Log-odds of every token, learned from the answers of the first `upto` events.

    Each score comes from a model that learned nothing from the answers in the token's own document.
    """

    upto: int
    scores: Scores


@dataclass(frozen=True, eq=False)
class Scorers:
    """Score a pool, given answers.

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

    def score(self, known: Known, update: EncoderUpdate | None = None) -> ScoredPool:
        """Return the scores, given the answers.

        Parameters
        ----------
        known : array of int8
            1 for a sensitive token, 0 for a harmless one, −1 where unknown.
        update : EncoderUpdate, optional
            The encoder's last update, if there is one.

        """
        return ScoredPool(self, known, self.learner.fit(self.pool, known, seed=self.seed), update)


@dataclass(frozen=True, eq=False)
class ScoredPool:
    """The answers at one point, the CRF fitted to them, and the update that counts as well."""

    scorers: Scorers
    known: Known
    fitted: Fitted
    update: EncoderUpdate | None = None

    @cached_property
    def scores(self) -> Scores:
        """The log-odds of every token, from which questions and proposals come."""
        return self._with_update(self.own_scores())

    def own_scores(self) -> Scores:
        """Return the log-odds of every token by the CRF alone."""
        return lift_repeats(self.fitted.scores(), self.scorers.pool.data, _DROP)

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
        learner, pool, seed = self.scorers.learner, self.scorers.pool, self.scorers.seed
        wanted = np.unique(documents)
        fold = np.full(pool.data.documents, -1, np.int64)
        fold[wanted] = Streams(seed).generator("label folds").permutation(len(wanted)) % FOLDS
        scored = by_fold(
            fold,
            lambda part: learner.fit(pool, self.known, documents=part, seed=seed),
            lambda fitted, held: lift_repeats(fitted.scores(documents=held), pool.data, _DROP),
            always=fold < 0,
        )
        return self._with_update(last_scores(scored, len(pool.data)))

    def _with_update(self, crf: Scores) -> Scores:
        return crf if self.update is None else ensemble_scores(crf, self.update.scores)
