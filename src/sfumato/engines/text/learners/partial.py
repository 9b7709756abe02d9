"""A CRF that learns from whatever is known of the tokens: unknown is unknown, not negative."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..reading.arrays import Mask, Scores
from ..reading.features import TokenData
from ..rules.features import RULE_PLACES, values_of
from . import _partial_kernels as kernels
from ._crf_kernels import STEEPEST
from .crf import CRFModel, sealed_keys, sentence_ends
from .linear.columns import laid_places
from .weights import UNIT

__all__ = ["UNKNOWN", "Fitted", "PartialCRF", "Pool"]

UNKNOWN = -1
Known = npt.NDArray[np.int8]
_RARE, _GO_ON = -4.0, -1.0  # log-odds of the first and of a further sensitive word, to begin with
_FADING = 3.0  # strength of the prior on the weights of the rules and of the transitions
_WEAK, _FIRM = 2.0, 4.5  # what a weak and a firm rule add to a word's log-odds, to begin with
# What each bin of another model's log-odds adds, initially, and how strongly the prior holds.
_SEEN = np.array([-7, -5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 3, 5, 7, 0], np.float32) - _RARE
_SEEN_FIRMLY = 20.0


@dataclass(frozen=True, eq=False)
class Pool:
    """Tokens prepared for many fits: every feature by number, and the chains that learning visits."""

    data: TokenData

    @cached_property
    def places(self) -> tuple[npt.NDArray[np.int32], tuple[int, ...]]:
        """The features of places side by side, and how many values each takes."""
        return laid_places(self.data)

    @cached_property
    def base(self) -> npt.NDArray[np.int64]:
        """Where each family of features begins among the weights."""
        own, near, far, joint = self.data.index().sizes
        return np.cumsum([own, near, near, far, far, joint])

    @cached_property
    def size(self) -> int:
        return int(self.base[-1]) + sum(self.places[1])

    @cached_property
    def row_keys(self) -> npt.NDArray[np.uint64]:
        return sealed_keys(self.data.index())

    @cached_property
    def chains(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """First token, end and document of each sentence, no longer than the kernels take."""
        data = self.data
        n = len(data)
        ends = np.zeros(n, np.bool_)
        ends[data.tokens.doc[1:][np.diff(data.tokens.doc) > 0] - 1] = True
        ends |= sentence_ends(data.words)[data.rows]
        stops = np.flatnonzero(ends) + 1
        starts = np.concatenate([[0], stops[:-1]]) if n else np.zeros(0, np.int64)
        pieces = [
            np.arange(start, stop, kernels.LONGEST)
            for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)
        ]
        first = np.concatenate(pieces) if pieces else np.zeros(0, np.int64)
        last = np.concatenate([first[1:], [n]]) if len(first) else first
        return first, last, data.document_of[first]


@dataclass(frozen=True, slots=True)
class PartialCRF:
    """Learn a CRF from known tokens among unknown ones.

    Parameters
    ----------
    epochs : int, default 20
        Passes over the sentences that hold a known word.
    rate : float, default 0.05
        The AdaGrad step.
    average : int, default 5
        How many of the last passes the weights are averaged over.
    start : CRFModel, default None
        A model whose weights learning starts from.
    kind : str, default None
        The label whose rules are initial evidence for a word; None for the rules of all labels.
    doubt : float, default 20.0
        The squared gradient that the weights of `start` begin with: how strongly they hold.
    seen : tuple of str, default ()
        The labels that another model knows, whose log-odds are the place feature after that of the rules, in
        bins: learning starts from it, and unlearns it by and by. Its no says nothing about other labels.
    missed : float, default 0.0
        The share of sensitive words that are called harmless: other strong evidence for a word outweighs a no.

    """

    epochs: int = 20
    rate: float = 0.05
    average: int = 5
    start: CRFModel | None = None
    kind: str | None = None
    doubt: float = 20.0
    seen: tuple[str, ...] = ()
    missed: float = 0.0
    min_gradient: float = 1e-3

    def fit(
        self, pool: Pool, known: Known, *, documents: Mask | None = None, seed: int = 0
    ) -> Fitted:
        """Learn from the known tokens.

        Parameters
        ----------
        pool : Pool
            The tokens.
        known : array of int8
            1 for a sensitive token, 0 for a harmless one, −1 where nobody has said.
        documents : mask over the documents, default None
            The documents to learn from; all of them for None.
        seed : int, default 0
            The seed of the order of the sentences.

        """
        index = pool.data.index()
        places, sizes = pool.places
        weights = np.zeros((pool.size, 2), np.float32)
        transitions = np.zeros((2, 2, 2))
        transitions[0, 1, 0], transitions[1, 1, 0] = _RARE, _GO_ON
        if self.start is not None:
            self.start.write(pool.row_keys, index.keys[3], weights[:, 0], transitions)
            weights[weights[:, 0] != 0, 1] = self.doubt
        if len(sizes) > 1 and sizes[1] == RULE_PLACES:
            given = self.start is not None and self.start.place_sizes == sizes
            place = int(pool.base[-1])
            if given and self.start is not None:
                weights[place:, 0] = self.start.place_weights
                weights[place:, 1] = self.doubt
            else:
                rules = place + sizes[0]
                weak = rules + np.array(values_of(self.kind), np.int64)
                weights[weak, 0], weights[weak + 1, 0] = _WEAK, _FIRM
                weights[rules + 1 : rules + RULE_PLACES, 1] = _FADING
        if self.seen:
            self._start_from_seen(pool, weights, transitions)
        transitions[:, :, 1] = _FADING if self.start is None else self.doubt
        first, last, document = pool.chains
        seen = np.concatenate([[0], np.cumsum(known != UNKNOWN)])
        chosen = seen[last] > seen[first]
        if documents is not None:
            chosen &= documents[document]
        visited = np.flatnonzero(chosen)
        random = Streams(seed).generator("partial crf")
        slip = math.log(self.missed) if self.missed else -2.0 * STEEPEST
        summed = np.zeros(pool.size, np.float32)
        moved = np.zeros((2, 2))
        for epoch in range(self.epochs if len(visited) else 1):
            if len(visited):
                kernels.train(
                    random.permutation(visited), first, last, document, pool.data.tokens.doc,
                    pool.data.rows, known, index.own_bounds, index.own, index.near, index.far,
                    index.joint, places, pool.base, weights, transitions, self.rate,
                    self.min_gradient, slip,
                )  # fmt: skip
            if epoch >= self.epochs - self.average or not len(visited):
                summed += weights[:, 0]
                moved += transitions[:, :, 0]
        count = self.average if len(visited) else 1
        return Fitted(pool, summed / np.float32(count), moved / count)

    def _start_from_seen(
        self, pool: Pool, weights: npt.NDArray[np.float32], transitions: npt.NDArray[np.float64]
    ) -> None:
        """Write the weights that make the other model's log-odds, and rules for what it does not know."""
        _, sizes = pool.places
        rules = int(pool.base[-1]) + sizes[0]
        bins = rules + sizes[1]
        transitions[1, 1, 0] = _RARE  # the other model has read whole sentences
        known_values = {value for label in self.seen for value in values_of(label)}
        for value in values_of(None):
            start = (0.0, _WEAK) if value in known_values else (_WEAK - _RARE, _FIRM - _RARE)
            weights[rules + value : rules + value + 2, 0] = start
        weights[bins : bins + len(_SEEN), 0] = _SEEN
        weights[bins : bins + len(_SEEN), 1] = _SEEN_FIRMLY


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weights by feature number of one pool: scores it at once, and turns into a model for any text."""

    pool: Pool
    weights: npt.NDArray[np.float32]
    transitions: npt.NDArray[np.float64]

    def scores(self, *, documents: Mask | None = None) -> Scores:
        """Return the log-odds of every token of the pool."""
        data, index = self.pool.data, self.pool.data.index()
        wanted = np.ones(data.documents, np.bool_) if documents is None else documents
        out = np.empty(len(data))
        weights = self.weights[:, None]
        kernels.score(
            data.tokens.doc, wanted, data.rows, index.own_bounds, index.own, index.near, index.far,
            index.joint, self.pool.places[0], self.pool.base, weights, self.transitions, out,
        )  # fmt: skip
        return out

    def scores_of(self, document: int) -> Scores:
        """Return the log-odds of the tokens of one document."""
        data, index = self.pool.data, self.pool.data.index()
        doc = data.tokens.doc[document : document + 2]
        out = np.empty(len(data))  # of which only the document's part is touched
        kernels.score(
            doc, np.ones(1, np.bool_), data.rows, index.own_bounds, index.own, index.near,
            index.far, index.joint, self.pool.places[0], self.pool.base, self.weights[:, None],
            self.transitions, out,
        )  # fmt: skip
        return out[doc[0] : doc[1]]

    def model(self) -> CRFModel:
        """Return the same weights by feature hash, for texts outside the pool."""
        index, (_, sizes) = self.pool.data.index(), self.pool.places
        cuts = np.split(self.weights, self.pool.base)
        rows = np.concatenate(cuts[:5])
        used = rows != 0
        joined = np.round(cuts[5] / UNIT) != 0
        return CRFModel(
            self.pool.row_keys[used], rows[used], index.keys[3][joined], cuts[5][joined],
            cuts[6], sizes, self.transitions,
        )  # fmt: skip
