"""The encoder's part in the honest search: its scores out of fold, its second look, its student.

Every answer for a document comes from an encoder that has not seen it; the encoders of the folds also
answer for unlabelled text, from which a student learns to read as they do at the speed of a CRF.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .....core.randomness import Streams
from ...learners.folds import within
from ...learners.pretrained import PretrainedEncoder
from ...learners.protocol import Learner, Model
from ...reading.arrays import Mask, Scores
from ...reading.features import TokenData
from ...reading.labelled import Labelled
from .second_look import SecondPass, passages

__all__ = ["EncodedFolds", "Student", "count_seeds", "encode_folds", "learn_from_background"]

_PARTS = 4  # folds of the encoder, however many the CRF has: each costs a fine-tuning
_SEEDS = 2
_BACKGROUND_WORDS = 600_000
_BACKGROUND_EPOCHS = 2


def learn_from_background(encoder: PretrainedEncoder, whole: Labelled, streams: Streams) -> Model:
    """Return the encoder tuned on background corpora, or on a part of them where they are large.

    Parameters
    ----------
    encoder : PretrainedEncoder
        Tunes.
    whole : Labelled
        The steward's documents and the background.
    streams : Streams
        The source of chance.

    """
    data = whole.data
    chosen = within(data, ~whole.own, _BACKGROUND_WORDS, streams.generator("encoder background"))
    schedule = replace(encoder.planned, epochs=_BACKGROUND_EPOCHS, steps=0)
    return encoder.scheduled(schedule).fit(
        data, whole.sensitive, documents=chosen, seed=streams.seed_of("encoder background")
    )


def count_seeds(encoder: PretrainedEncoder) -> int:
    """Return how often an encoder is judged on all documents, with other seeds and other folds.

    Once where a second time would cost minutes, on a CPU, unless all layers are tuned.
    """
    return _SEEDS if encoder.device() != "cpu" or encoder.simpler() is not None else 1


@dataclass(frozen=True, eq=False)
class EncodedFolds:
    """Scores out of fold: of documents read as a whole, of a second look, of a student.

    `student` is None where there is no unlabelled text.
    """

    whole: Scores
    looked: Scores
    student: Scores | None


@dataclass(frozen=True, eq=False)
class Student:
    """Learns a CRF from labels and from an encoder's answers for unlabelled text.

    Parameters
    ----------
    data : TokenData
        The steward's documents, then the unlabelled ones.
    own : int
        How many documents are the steward's.
    labels : array of uint8
        The labels of the steward's tokens.
    learner : Learner
        Learns the student, and the CRF that answers together with the encoder.

    """

    data: TokenData
    own: int
    labels: npt.NDArray[np.uint8]
    learner: Learner

    def learned(
        self, encoder: Model, documents: Mask, *, seed: int, learner: Learner | None = None
    ) -> Model:
        """Return the student of an encoder that was tuned on some of the steward's documents.

        The answers are those of the encoder and a CRF together, who err differently.
        """
        inside = np.zeros(self.data.documents, np.bool_)
        inside[: self.own] = documents
        unlabelled = np.arange(self.data.documents) >= self.own
        taught = np.zeros(len(self.data), np.uint8)
        taught[: len(self.labels)] = self.labels
        first = self.learner.fit(self.data, taught, documents=inside, seed=seed)
        answers = first.scores(self.data, documents=unlabelled)
        answers += encoder.scores(self.data, documents=unlabelled)
        taught[len(self.labels) :] = answers[len(self.labels) :] > 0
        return (learner or self.learner).fit(
            self.data, taught, documents=inside | unlabelled, seed=seed
        )


def encode_folds(
    encoder: PretrainedEncoder,
    data: TokenData,
    labels: npt.NDArray[np.uint8],
    fold: npt.NDArray[np.int64],
    *,
    first: Scores,
    look: SecondPass,
    student: Student | None,
    seed: int,
) -> EncodedFolds:
    """Score documents by encoders that have not seen them.

    Parameters
    ----------
    encoder : PretrainedEncoder
        Tunes one model per fold, of at most four.
    data : TokenData
        The tokens.
    labels : array of uint8
        1 for a sensitive token.
    fold : array of int
        Each document's fold; where there are more than four they are joined.
    first : array of float
        The first answers, out of fold; a second look starts from them.
    look : SecondPass
        Which passages the second look reads.
    student : Student, optional
        Learns from each fold's encoder.
    seed : int
        The seed of the encoders and of the students.

    """
    where = passages(data, first, look)
    encoder.prepare(data, where)
    joined = fold % _PARTS
    whole, looked, taught = (np.full(len(data), -np.inf) for _ in range(3))
    for part in np.unique(joined):
        held = joined == part
        # Each part has its own seed: what one owes to it is in the spread over documents.
        model = encoder.fit(data, labels, documents=~held, seed=seed + int(part))
        inside = held[data.document_of]
        whole[inside] = model.scores(data, documents=held)[inside]
        looked[inside] = model.scores_in(data, where & inside)[inside]
        if student is not None:
            learned = student.learned(model, ~held, seed=seed)
            taught[inside] = learned.scores(data, documents=held)[inside]
    return EncodedFolds(whole, np.where(where, looked, first), None if student is None else taught)
