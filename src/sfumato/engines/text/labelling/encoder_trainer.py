"""A pretrained encoder whose head learns from the answers, document by document out of fold.

Its lower layers read the documents once; each update after that takes seconds, because the head scores every
word separately and learns from the answered ones alone.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ....core.randomness import Streams
from ..learners.encoder_choices import DEFAULT_ENCODER, ENCODER_VARIABLE, NO_ENCODER
from ..learners.folds import by_fold, last_scores
from ..learners.partial import UNKNOWN, Known, Pool
from ..learners.protocol import Model
from ..reading.arrays import Mask, Scores

if TYPE_CHECKING:
    from ..learners.pretrained import PretrainedEncoder
    from ..records import EncoderRecord
    from .project import Project

__all__ = ["EncoderTrainer", "Trainer", "find_trainer", "trainer_of"]

_FOLDS = 4
_FEWEST = 10  # words of either kind that every fold learns from, at least
_STEPS = 100
MOST_WORDS = 500_000
"""Maximum number of words that a trainer reads: its states take 1.4 kB a word."""

Watch = Callable[[], None]


class Trainer(ABC):
    """Learns from the answers of a project: slower than the CRF, and better."""

    name: str  # the same name and the same answers give the same update

    @abstractmethod
    def prepare(self, pool: Pool, watch: Watch) -> None:
        """Read the documents; `watch` is called now and then, and may raise to end it."""

    @abstractmethod
    def scores(self, pool: Pool, known: Known, watch: Watch) -> Scores | None:
        """Return every token's log-odds by models that learned nothing from its document's answers.

        None where the answers are too few to learn from.
        """

    @abstractmethod
    def model(self, pool: Pool, known: Known) -> Model:
        """Return the model of all answers, for texts that are published."""

    @abstractmethod
    def encoder_record(self) -> EncoderRecord | None:
        """Return what frontier.json records about it."""


class EncoderTrainer(Trainer):
    """Tunes the head of a pretrained encoder.

    Parameters
    ----------
    encoder : PretrainedEncoder
        The encoder; its layers stay as they are.
    seed : int, default 0
        The seed of the folds and of the heads.

    """

    def __init__(self, encoder: PretrainedEncoder, *, seed: int = 0) -> None:
        from ..learners.pretrained import Schedule

        quick = encoder.quick()
        schedule = Schedule(3, quick.planned.rate, steps=_STEPS, most=_STEPS)
        self.encoder = quick.scheduled(schedule)
        self.name = f"encoder {encoder.sha256}"
        self.streams = Streams(seed).child("teacher")

    def prepare(self, pool: Pool, watch: Watch) -> None:
        """Compute the states of all documents; they are read once."""
        self.encoder.prepare(pool.data, watch=watch)

    def scores(self, pool: Pool, known: Known, watch: Watch) -> Scores | None:
        """Return out-of-fold log-odds, or None where a fold would learn from too few answers."""
        data = pool.data
        fold = self.streams.generator("folds").permutation(data.documents) % _FOLDS
        if not all(_enough(known, (fold != k)[data.document_of]) for k in range(_FOLDS)):
            return None

        def fit(documents: Mask) -> Model:
            watch()
            return self._fit(pool, known, documents)

        scored = by_fold(fold, fit, lambda model, held: model.scores(data, documents=held))
        return last_scores(scored, len(data))

    def model(self, pool: Pool, known: Known) -> Model:
        """Return the encoder with a head learned from all answers."""
        return self._fit(pool, known, None)

    def _fit(self, pool: Pool, known: Known, documents: Mask | None) -> Model:
        return self.encoder.fit(
            pool.data, (known > 0).astype(np.uint8), documents=documents,
            seed=self.streams.seed_of("head"), known=known != UNKNOWN,
        )  # fmt: skip

    def encoder_record(self) -> EncoderRecord:
        """Return the hash of the weights, what was tuned, and on what."""
        from ..frontier import encoders

        return encoders.encoder_record(self.encoder)


def _enough(known: Known, where: Mask) -> bool:
    given = known[where]
    return all(int(np.count_nonzero(given == kind)) >= _FEWEST for kind in (0, 1))


def find_trainer(
    wanted: str | os.PathLike[str] | None, *, words: int, seed: int = 0
) -> tuple[Trainer | None, str]:
    """Return the requested trainer, and one line about which models learn.

    Parameters
    ----------
    wanted : str, path or None
        "none", "default" or the folder of an encoder; None for the installed one, if there is one.
    words : int
        Number of words in the documents.
    seed : int, default 0
        The seed of the trainer.

    """
    from ..learners.registry import encoders

    alone = "A CRF learns from the answers"
    if wanted == NO_ENCODER:
        return None, f"{alone}; no pretrained encoder was asked for."
    if wanted is None:
        if not encoders().is_installed():
            return None, f"{alone}; no pretrained encoder is installed ({encoders().INSTALL})."
        wanted = DEFAULT_ENCODER
    if words > MOST_WORDS:
        return None, f"{alone}; for an encoder there are too many words ({words:,})."

    encoder = encoders().named(os.fspath(wanted))
    return EncoderTrainer(encoder, seed=seed), (
        f"{alone}, and a pretrained encoder joins it as soon as it has read the documents."
    )


def trainer_of(project: Project) -> tuple[Trainer | None, str]:
    """Return the trainer of a project, and one line about which models learn.

    An encoder named in the environment takes precedence over the project's.
    """
    wanted = os.environ.get(ENCODER_VARIABLE) or project.encoder
    record = project.record
    return find_trainer(wanted, words=record.words, seed=record.seed)
