"""Which label a word has, given that it is sensitive: one chain over each run of words, one state for each label.

Whether a word is redacted is decided elsewhere; this model is learned from sensitive words alone, so that none of
its capacity is spent on separating them from others. Rules, and models of single kinds that were learned elsewhere,
set the initial weights of their labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.errors import ModelError
from ....core.randomness import Streams
from ..reading.arrays import Array, Arrays, Header, Mask, Scores
from ..reading.features import PlaceFeature, TokenData
from ..rules.features import RULE_PLACES, values_of
from . import _label_kernels as kernels
from .partial import Fitted, Pool
from .protocol import Model
from .registry import model_from_arrays

__all__ = [
    "FittedLabels",
    "LabelCRF",
    "LabelModel",
    "LabelScorer",
    "likeliest_labels",
    "with_scores",
]

LabelScorer = tuple[Model, tuple[int, ...]]
"""A model of one kind that was learned elsewhere, and the numbers (from 0) of the labels that mean it."""

_EDGES = (-7.0, -5.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 5.0, 7.0)
# Initial weights of the bins of a scorer for its labels, and the squared gradient that they begin with. A redacted word
# is likelier of a kind that a scorer half doubts than of one that no scorer knows.
_PRIOR = np.array([-3, -2, -1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5], np.float32)
_PRIOR_GRADIENT = 20.0
_WEAK, _FIRM, _FADING = 1.0, 2.0, 3.0  # the same for rules
_UNSEEN = 5.0  # words that each label has before the first one is seen: of a few answers, nearly all may be of one label
_CHANGE = -2.0  # initial weight of a change of labels inside a run
_STILL = 1e-3  # squared gradient that the moves between labels begin with


def with_scores(data: TokenData, scores: Sequence[Scores]) -> TokenData:
    """Return the tokens with the scores of scorers as features.

    Parameters
    ----------
    data : TokenData
        The tokens.
    scores : sequence of array
        The log-odds of each scorer.

    """
    bins = [np.digitize(np.nan_to_num(s, neginf=-50.0), _EDGES).astype(np.int32) for s in scores]
    # The name is part of the features of stored models.
    return data.with_places(*(PlaceFeature("voice", b, len(_PRIOR)) for b in bins))


def _runs(
    inside: Mask, line: Mask, longest: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return first token and end of each run of tokens in one line, in pieces that are not too long."""
    begins = inside.copy()
    begins[1:] &= ~inside[:-1] | line[1:]
    first = np.flatnonzero(begins)
    last = first + np.bincount(np.cumsum(begins)[inside], minlength=len(first) + 1)[1:]
    pieces = -(-(last - first) // longest)
    if (pieces == 1).all():
        return first, last
    before = np.repeat(np.cumsum(pieces) - pieces, pieces)
    starts = np.repeat(first, pieces) + (np.arange(len(before)) - before) * longest
    return starts, np.minimum(starts + longest, np.repeat(last, pieces))


def likeliest_labels(
    emissions: Scores, moves: Scores, redacted: Mask, line: Mask
) -> npt.NDArray[np.int16]:
    """Return the number (from 1) of the label of each redacted token, run by run; 0 for the others.

    Parameters
    ----------
    emissions : array of float
        The score of each label (row) at each token; one that is not finite counts as 0.
    moves : array of float
        The score of each label after each other.
    redacted : mask over the tokens
        What is redacted.
    line : mask over the tokens
        The tokens that begin a line or a document.

    """
    found = np.zeros(len(redacted), np.int16)
    starts, stops = _runs(redacted, line, max(len(redacted), 1))
    if len(starts):
        kernels.decode(
            np.ascontiguousarray(emissions), starts, stops, np.ascontiguousarray(moves), found
        )
    return found


@dataclass(frozen=True, eq=False)
class LabelModel:
    """Predicts the labels of redacted words.

    Parameters
    ----------
    models : tuple of Model
        The model of each label.
    moves : array of float
        The score of each label after each other in the same run.
    scorers : tuple of Model
        Models of single kinds, whose log-odds are features of the others.

    """

    models: tuple[Model, ...]
    moves: Scores
    scorers: tuple[Model, ...] = ()

    @classmethod
    def of(cls, models: Sequence[Model]) -> LabelModel:
        """Return the model that gives each word the label with the highest score, whatever its neighbours are."""
        return cls(tuple(models), np.zeros((len(models), len(models))))

    def emissions(self, data: TokenData) -> Scores:
        """Return the score of each label (row) at each token."""
        if self.scorers:
            data = with_scores(data, [scorer.scores(data) for scorer in self.scorers])
        return np.stack([model.scores(data) for model in self.models])

    def labels(self, data: TokenData, redacted: Mask) -> npt.NDArray[np.int16]:
        """Return the number (from 1) of the label of each redacted token; 0 for the others."""
        line = data.tokens.line_starts
        return likeliest_labels(self.emissions(data), self.moves, redacted, line)

    def to_arrays(self) -> tuple[Header, Arrays]:
        """Return a JSON header and named arrays."""
        header: Header = {}
        arrays: dict[str, Array] = {"moves": self.moves}
        for name, models in (("models", self.models), ("voices", self.scorers)):
            stored = [model.to_arrays() for model in models]
            header[name] = [described for described, _ in stored]
            for number, (_, parts) in enumerate(stored):
                arrays |= {f"{name}{number}/{part}": array for part, array in parts.items()}
        return header, arrays

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> LabelModel:
        """Rebuild a stored model; what does not fit together is refused."""

        def stored(name: str) -> tuple[Model, ...]:
            found = []
            for number, described in enumerate(header[name]):
                prefix = f"{name}{number}/"
                own: Mapping[str, Array] = {
                    k[len(prefix) :]: v for k, v in arrays.items() if k.startswith(prefix)
                }
                found.append(model_from_arrays(dict(described), own))
            return tuple(found)

        try:
            moves = arrays["moves"].astype(np.float64)
            model = cls(stored("models"), moves, stored("voices"))
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                "The model of the labels lacks a part.", hint="explore again."
            ) from error
        size = len(model.models)
        if not size or moves.shape != (size, size) or not np.isfinite(moves).all():
            raise ModelError("The arrays of the model of the labels do not fit together.")
        return model


@dataclass(frozen=True, eq=False)
class FittedLabels:
    """Weights by feature number of one pool; `model` has the same weights for any text."""

    by_label: tuple[Fitted, ...]
    moves: Scores
    scorers: tuple[Model, ...]

    def emissions(self, document: int) -> Scores:
        """Return the score of each label (row) at each token of a document."""
        return np.stack([fitted.scores_of(document) for fitted in self.by_label])

    @cached_property
    def model(self) -> LabelModel:
        """The same weights by feature hash."""
        return LabelModel(tuple(f.model() for f in self.by_label), self.moves, self.scorers)


@dataclass(frozen=True, slots=True)
class LabelCRF:
    """Learn the labels of sensitive words.

    Parameters
    ----------
    epochs : int, default 20
        Passes over the runs of sensitive words.
    rate : float, default 0.05
        The AdaGrad step.
    average : int, default 5
        How many of the last passes the weights are averaged over.

    """

    epochs: int = 20
    rate: float = 0.05
    average: int = 5
    min_gradient: float = 1e-3

    def fit(
        self,
        pool: Pool,
        codes: npt.NDArray[np.integer],
        names: Sequence[str],
        *,
        scorers: Sequence[LabelScorer] = (),
        seed: int = 0,
    ) -> FittedLabels:
        """Learn from the words whose label is known.

        Parameters
        ----------
        pool : Pool
            The tokens, the last features of whose places are the bins of the scorers; see `with_scores`.
        codes : array of int
            The label of each token, from 1; 0 or less for others.
        names : sequence of str
            The labels.
        scorers : sequence of LabelScorer
            Models that were learned elsewhere.
        seed : int, default 0
            The seed of the order of the runs.

        """
        data, index = pool.data, pool.data.index()
        places, _ = pool.places
        weights, moves = self._initial(pool, codes, names, scorers)
        known: Mask = (codes > 0) & ~data.redacted
        starts, stops = _runs(known, data.tokens.line_starts, kernels.LONGEST)
        document = data.document_of[starts]
        random = Streams(seed).generator("labels")
        summed, moved = np.zeros(weights.shape[:2], np.float32), np.zeros(moves.shape[:2])
        for epoch in range(self.epochs):
            kernels.train(
                random.permutation(len(starts)), starts, stops, document, data.tokens.doc,
                data.rows, codes, index.own_bounds, index.own, index.near, index.far, index.joint,
                places, pool.base, weights, moves, self.rate, self.min_gradient,
            )  # fmt: skip
            if epoch >= self.epochs - self.average:
                summed += weights[:, :, 0]
                moved += moves[:, :, 0]
        alone = np.zeros((2, 2))
        by_label = (Fitted(pool, own / np.float32(self.average), alone) for own in summed)
        models = tuple(model for model, _ in scorers)
        return FittedLabels(tuple(by_label), moved / self.average, models)

    @staticmethod
    def _initial(
        pool: Pool,
        codes: npt.NDArray[np.integer],
        names: Sequence[str],
        scorers: Sequence[LabelScorer],
    ) -> tuple[npt.NDArray[np.float32], Scores]:
        """Return the initial weights and moves, each with its squared gradient."""
        _, sizes = pool.places
        columns = int(pool.base[-1]) + np.concatenate([[0], np.cumsum(sizes)])
        weights = np.zeros((len(names), pool.size, 2), np.float32)
        counts = np.bincount(codes[codes > 0], minlength=len(names) + 1)[1:] + _UNSEEN
        weights[:, columns[0] : columns[1], 0] = np.log(counts / counts.sum())[:, None]
        for place, size in enumerate(sizes):
            if size == RULE_PLACES:
                for own, name in zip(weights, names, strict=True):
                    weak = columns[place] + np.array(values_of(name), np.int64)
                    own[weak, 0], own[weak + 1, 0] = _WEAK, _FIRM
                weights[:, columns[place] + 1 : columns[place + 1], 1] = _FADING
        for place, (_, meant) in enumerate(scorers, len(sizes) - len(scorers)):
            for label in meant:
                weights[label, columns[place] : columns[place + 1], 0] += _PRIOR
                weights[label, columns[place] : columns[place + 1], 1] = _PRIOR_GRADIENT
        moves = np.zeros((len(names), len(names), 2))
        moves[:, :, 0], moves[:, :, 1] = _CHANGE * (1.0 - np.eye(len(names))), _STILL
        return weights, moves
