"""The starter adapted to a collection: one round of self-training on its own unlabelled documents.

What the starter is sure of counts as known, the rest as unknown; a partial CRF learns from that, fold by fold.
The mean of both log-odds is the score. No label of the collection takes part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ....core.errors import ModelError
from ....core.randomness import Streams
from ....core.threads import side_by_side
from ..learners.crf import CRFModel
from ..learners.partial import UNKNOWN, Fitted, PartialCRF, Pool
from ..learners.protocol import Model
from ..learners.repeats import lift_repeats
from ..reading.arrays import Array, Arrays, Header, Mask, Scores
from ..reading.features import TokenData
from ..reading.features.data import line_breaks
from ..reading.label_kinds import same_kind
from ..records import StarterRecord
from ..rules.features import rule_matches
from .collection import CollectionWords
from .weights import Starter

__all__ = ["GUARD", "Adaptation", "AdaptedStarter", "adapt", "kinds_of", "without_lone_words"]

GUARD = 0.7
"""The share of the words that the starter must know; below, their language is probably another."""
_SURE, _SURELY_NOT = 0.5, -3.5  # log-odds from which a word counts as known
_DROP = 3.0  # log-odds by which a name may be below its surest place in the same document
_FOLDS = 4
_NEVER = 1e9  # log-odds that no word has
_FEWEST_DOCUMENTS, _FEWEST_WORDS = 10, 5  # for self-training
_LEAST_CAPITALS = 0.02  # below, a model of capitals finds too little to learn from
_REPEATED = ("NAME",)  # kinds whose words are the same wherever a document repeats them
_SELF_TRAINED = ("NAME", "LOCATION", "DATE")


def kinds_of(starter: Starter, labels: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return which kinds of the starter the labels mean; labels that it does not know are left out.

    Parameters
    ----------
    starter : Starter
        The starter.
    labels : sequence of str
        The labels of the steward.

    """
    found = {
        label: tuple(kind for kind in starter.models if same_kind(label, kind)) for label in labels
    }
    return {label: kinds for label, kinds in found.items() if kinds}


@dataclass(frozen=True, eq=False)
class _AdaptedKind:
    """One kind: the starter's model, and the one that learned from what it was sure of."""

    kind: str
    first: CRFModel
    tuned: CRFModel | None = None
    least_alone: float = -np.inf
    """The log-odds from which a word counts that no rule matches; see `agreement`."""

    def first_scores(self, data: TokenData, documents: Mask | None = None) -> Scores:
        scores = self.first.scores(data, documents=documents)
        return lift_repeats(scores, data, _DROP) if self.kind in _REPEATED else scores

    def scores(self, data: TokenData, documents: Mask | None = None) -> Scores:
        first = self.first_scores(data, documents)
        if self.tuned is None:
            return first
        with np.errstate(invalid="ignore"):
            return (first + self.tuned.scores(data, documents=documents)) / 2


@dataclass(frozen=True, eq=False)
class AdaptedStarter(Model):
    """The starter for one collection and some kinds; a word's score is its largest of all kinds.

    Parameters
    ----------
    collection : CollectionWords
        Statistics of the collection's words.
    readers : tuple
        One for each kind.
    knows_language : bool, default True
        Whether it knew most words of the collection; not stored.

    """

    collection: CollectionWords
    readers: tuple[_AdaptedKind, ...]
    knows_language: bool = True
    kind = "starter"

    def scores(self, data: TokenData, *, documents: Mask | None = None) -> Scores:
        """Return each token's log-odds."""
        seen, found = self.seen(data), []
        for reader in self.readers:
            scores = reader.scores(seen, documents)
            matched = rule_matches(data, reader.kind)
            if matched is not None:
                scores = without_lone_words(scores, matched, reader.least_alone)
            found.append(scores)
        return np.max(found, axis=0)  # type: ignore[no-any-return]

    def seen(self, data: TokenData) -> TokenData:
        """Return the tokens with the features that the starter reads, and no others."""
        return replace(data, places=(line_breaks(data.tokens), *self.collection.places(data)))

    def kinds_of(self, labels: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return which of its kinds the labels mean; labels that it does not know are left out."""
        own = [reader.kind for reader in self.readers]
        found = {label: tuple(kind for kind in own if same_kind(label, kind)) for label in labels}
        return {label: kinds for label, kinds in found.items() if kinds}

    def label_scorers(self, labels: Sequence[str]) -> tuple[tuple[Model, tuple[int, ...]], ...]:
        """Return a model for each of its kinds that a label means; none in a language that it does not know.

        They were not tuned on the collection: a tuned one is surer of its documents than of others.
        """
        if not self.knows_language:
            return ()
        meant = [
            (r.kind, tuple(n for n, label in enumerate(labels) if same_kind(label, r.kind)))
            for r in self.readers
        ]
        plain = replace(self, readers=tuple(replace(r, tuned=None) for r in self.readers))
        return tuple((plain.only([kind]), numbers) for kind, numbers in meant if numbers)

    def only(self, kinds: Sequence[str]) -> AdaptedStarter:
        """Return the same for some of its kinds."""
        return replace(self, readers=tuple(r for r in self.readers if r.kind in kinds))

    def to_arrays(self) -> tuple[Header, Arrays]:
        arrays: dict[str, Array] = {
            "keys": self.collection.keys,
            "spread": self.collection.spread,
            "case": self.collection.case,
        }
        described = []
        for number, reader in enumerate(self.readers):
            parts = {"first": reader.first} | ({"tuned": reader.tuned} if reader.tuned else {})
            headers = {}
            for name, model in parts.items():
                headers[name], own = model.to_arrays()
                arrays |= {f"{number}/{name}/{key}": array for key, array in own.items()}
            about: Header = {"kind": reader.kind, "models": headers}
            if reader.least_alone > -np.inf:
                about["least_alone"] = min(reader.least_alone, _NEVER)
            described.append(about)
        return {
            "kind": self.kind, "capitals": self.collection.capitals, "readers": described
        }, arrays  # fmt: skip

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> AdaptedStarter:
        """Rebuild a stored model; what does not fit together is refused."""

        def model(number: int, described: Mapping[str, Header], name: str) -> CRFModel | None:
            if name not in described:
                return None
            prefix = f"{number}/{name}/"
            own = {k[len(prefix) :]: v for k, v in arrays.items() if k.startswith(prefix)}
            return CRFModel.from_arrays(dict(described[name]), own)

        try:
            collection = CollectionWords(
                arrays["keys"].astype(np.uint64), arrays["spread"].astype(np.uint8),
                arrays["case"].astype(np.uint8), float(header["capitals"]),
            )  # fmt: skip
            readers = []
            for number, described in enumerate(header["readers"]):
                first = model(number, described["models"], "first")
                if first is None:
                    raise ValueError
                tuned = model(number, described["models"], "tuned")
                least = float(described.get("least_alone", -np.inf))
                readers.append(_AdaptedKind(str(described["kind"]), first, tuned, least))
            if not readers or not collection.is_sound():
                raise ValueError
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("The adapted starter does not fit together.") from error
        return cls(collection, tuple(readers))


@dataclass(frozen=True, eq=False)
class Adaptation:
    """What came of adapting the starter to a collection.

    Parameters
    ----------
    model : AdaptedStarter
        Reads any text.
    scores : mapping from str to array of float
        The log-odds of the collection's own tokens by kind, each from a model that was not tuned on its document.
    coverage : float
        The share of the words that the starter knows.
    starter : Starter
        What was adapted.

    """

    model: AdaptedStarter
    scores: Mapping[str, Scores]
    coverage: float
    starter: Starter

    @property
    def speaks(self) -> bool:
        """Whether the starter knows enough of the words to take part."""
        return self.coverage >= GUARD

    def places_by_label(self, labels: Sequence[str], threshold: float) -> Counter[str]:
        """Return how many places the starter proposes for each label: runs of words that are likeliest of it.

        Parameters
        ----------
        labels : sequence of str
            The labels of the steward.
        threshold : float
            The log-odds from which a word is proposed.

        """
        known = self.model.kinds_of(labels)
        if not known:
            return Counter()
        scores = np.stack(
            [np.max([self.scores[k] for k in kinds], axis=0) for kinds in known.values()]
        )
        best = np.where(scores.max(axis=0) >= threshold, scores.argmax(axis=0), -1)
        begins = np.append(True, best[1:] != best[:-1]) & (best >= 0)
        counts = np.bincount(best[begins], minlength=len(known))
        return Counter(dict(zip(known, counts.tolist(), strict=True)))

    def record(self) -> StarterRecord:
        """Return what records say of it."""
        return StarterRecord(
            sha256=self.starter.sha256,
            corpora=len(self.starter.corpora),
            known_words=self.coverage,
            speaks=self.speaks,
        )

    def best(self) -> Scores:
        """Return each token's largest log-odds of all kinds."""
        return np.max(list(self.scores.values()), axis=0)  # type: ignore[no-any-return]


def adapt(starter: Starter, data: TokenData, kinds: Sequence[str], *, seed: int = 0) -> Adaptation:
    """Adapt the starter to a collection of unlabelled documents.

    Parameters
    ----------
    starter : Starter
        The starter.
    data : TokenData
        All tokens of the collection.
    kinds : sequence of str
        The kinds to look for, all of them known to the starter.
    seed : int, default 0
        The seed of the folds.

    """
    collection = CollectionWords.of(data)
    untuned = AdaptedStarter(collection, tuple(_AdaptedKind(k, starter.models[k]) for k in kinds))
    seen = untuned.seen(data)
    pool = Pool(seen)
    readers, scores = [], {}
    for reader in untuned.readers:
        first = reader.first_scores(seen)
        tuned, second = _train_again(reader.kind, collection, pool, first, seed)
        readers.append(replace(reader, tuned=tuned))
        with np.errstate(invalid="ignore"):
            scores[reader.kind] = first if second is None else (first + second) / 2
    coverage = starter.coverage(data)
    adapted = AdaptedStarter(collection, tuple(readers), coverage >= GUARD)
    return Adaptation(adapted, scores, coverage, starter)


def _train_again(
    kind: str, collection: CollectionWords, pool: Pool, first: Scores, seed: int
) -> tuple[CRFModel | None, Scores | None]:
    """Learn from what the starter is sure of; return the model of all documents and the scores out of fold."""
    data = pool.data
    sure: Mask = (first >= _SURE) & data.counted
    if (
        kind not in _SELF_TRAINED
        or data.documents < _FEWEST_DOCUMENTS
        or int(sure.sum()) < _FEWEST_WORDS
        or collection.capitals < _LEAST_CAPITALS
    ):
        return None, None
    known = np.full(len(data), UNKNOWN, np.int8)
    known[sure] = 1
    known[(first <= _SURELY_NOT) | (~data.counted & (first < _SURE))] = 0
    known[data.redacted] = UNKNOWN
    fold = Streams(seed).generator("starter folds").permutation(data.documents) % _FOLDS
    learner = PartialCRF(epochs=8, average=3)
    _ = pool.places, pool.base, pool.row_keys, pool.chains  # before the folds share them

    def fit(part: int) -> Fitted:
        """Learn from all folds but one, or from all."""
        inside = None if part == _FOLDS else fold != part
        return learner.fit(pool, known, documents=inside, seed=seed)

    *parts, whole = side_by_side(partial(fit, part) for part in range(_FOLDS + 1))
    scores = [model.scores(documents=fold == part) for part, model in enumerate(parts)]
    return whole.model(), np.choose(fold[data.document_of], scores)


def without_lone_words(scores: Scores, matched: Mask, least: float) -> Scores:
    """Return the scores; those of words that no rule matches count as surely not of the kind below a least one.

    Parameters
    ----------
    scores : array of float
        The log-odds of a kind.
    matched : mask over the tokens
        What rules match as that kind.
    least : float
        The log-odds from which a word counts that no rule matches.

    """
    return np.where(matched | (scores >= least), scores, np.minimum(scores, _SURELY_NOT))
