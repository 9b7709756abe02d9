"""Are these documents like those that were learned from? Five numbers per document, without labels.

The numbers of the learned documents come from models that had not seen them, so a released document is
scored by one of the same fold models, with that fold's own words and trigrams. The final model has seen
more; comparing with it would raise the alarm for documents of the same kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from ...core.arrays import Floats
from ...core.errors import ModelError
from ...core.randomness import Streams
from ...core.statistics.shift import ShiftCheck, compare
from .learners.crf import CRF
from .learners.folds import deal
from .learners.protocol import Model
from .learners.registry import model_from_arrays
from .reading.arrays import Array, Arrays, Header
from .reading.features import TokenData, WordKnowledge, lower_keys
from .reading.tokens import Vocabulary, tokenize

__all__ = ["MEASURES", "ShiftReference"]

MEASURES = (
    "share redacted",
    "words never seen",
    "unsure words",
    "capitalised words",
    "trigram likelihood",
)
FOLDS = 5
LARGEST_SAMPLE = 2000
_UNSURE = (float(np.log(0.01 / 0.99)), 0.0)  # log-odds of the probabilities .01 and .5
_MIX = np.uint64(0x9E3779B97F4A7C15)
_BYTES = 256
_AT_ONCE = 64  # documents whose trigrams are held at a time
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class _Table:
    """How often each key occurs in the documents of each fold; keys are hashed and sorted."""

    keys: Keys
    by_fold: npt.NDArray[np.int32]

    @classmethod
    def of(cls, keys: Keys, fold: npt.NDArray[np.int64], folds: int) -> _Table:
        found, which = np.unique(keys, return_inverse=True)
        counts = np.zeros((len(found), folds), np.int32)
        np.add.at(counts, (which.reshape(-1), fold), 1)
        return cls(found, counts)

    def outside(self, keys: Keys, fold: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return how often each key occurs outside its fold."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        totals = self.by_fold.sum(axis=1, dtype=np.int64)
        counts = totals[place] - self.by_fold[place, fold]
        return np.where(self.keys[place] == keys, counts, 0)


@dataclass(frozen=True, eq=False)
class ShiftReference:
    """What is kept of the learned documents to compare others with; hashes and counts, no word.

    `measures` holds the five numbers of each learned document. Word and trigram hashes depend on
    `salt`; it guards against ready-made tables, not against someone who holds the model.
    """

    models: tuple[Model, ...]
    words: _Table
    trigrams: _Table
    pairs: _Table
    measures: Floats
    salt: int

    @classmethod
    def learn(
        cls,
        data: TokenData,
        sensitive: npt.NDArray[np.uint8],
        vocabulary_words: Sequence[str],
        *,
        streams: Streams,
        folds: int = FOLDS,
    ) -> Self | None:
        """Learn the fold models and measure each document by one that has not seen it.

        Returns None for a single document, which nothing can be compared with.
        """
        documents = data.documents
        if documents < 2:
            return None
        random = streams.generator("folds")
        fold = deal(np.arange(documents), folds, random, of=documents)
        parts = int(fold.max()) + 1
        salt = streams.seed_of("salt") >> 1
        seed = streams.seed_of("models")
        models = tuple(
            CRF().fit(data, sensitive, documents=fold != part, seed=seed) for part in range(parts)
        )
        words = _HashedWords.of(data, vocabulary_words, salt)
        trigrams = _Trigrams.of(data, salt, 0, documents)
        bytes_fold = fold[trigrams.document_of]
        reference = cls(
            models,
            _Table.of(words.keys, fold[words.document_of], parts),
            _Table.of(trigrams.keys, bytes_fold, parts),
            _Table.of(trigrams.pairs, bytes_fold, parts),
            np.zeros((documents, len(MEASURES))),
            salt,
        )
        measures, _ = reference._measured(data, words, fold)
        return cls(models, reference.words, reference.trigrams, reference.pairs, measures, salt)

    def check(
        self,
        texts: Sequence[str],
        *,
        streams: Streams,
        knowledge: Sequence[WordKnowledge] = (),
        groups: tuple[Sequence[object], Sequence[object]] | None = None,
    ) -> tuple[ShiftCheck, TokenData, Floats]:
        """Compare texts with the learned documents.

        Returns the verdict, the texts as tokens and each token's log-odds by its fold model.
        """
        vocabulary = Vocabulary()
        data = TokenData.of(tokenize(list(texts), vocabulary), vocabulary, tuple(knowledge))
        random = streams.generator("fold models")
        fold = random.integers(0, len(self.models), data.documents)
        measured, scores = self._measured(
            data, _HashedWords.of(data, vocabulary.words, self.salt), fold
        )
        kept = np.arange(len(self.measures))
        if len(kept) > LARGEST_SAMPLE:
            kept = np.sort(streams.generator("learned").choice(kept, LARGEST_SAMPLE, replace=False))
        verdict = compare(
            self.measures[kept], measured, MEASURES,
            generator=streams.generator("permutations"), groups=groups,
        )  # fmt: skip
        return verdict, data, scores

    def _measured(
        self, data: TokenData, words: _HashedWords, fold: npt.NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """Measure each document by the model, words and trigrams of everything outside its fold."""
        scores = np.full(len(data), -np.inf)
        for part, model in enumerate(self.models):
            if (fold == part).any():
                np.maximum(scores, model.scores(data, documents=fold == part), out=scores)
        counted, documents = data.counted, data.documents
        where = data.document_of[counted]
        seen = scores[counted]
        new = self.words.outside(words.keys, fold[words.document_of]) == 0
        unsure = (seen > _UNSURE[0]) & (seen < _UNSURE[1])
        size = np.maximum(np.bincount(where, minlength=documents), 1)

        def share(of: npt.NDArray[np.bool_]) -> Floats:
            return np.bincount(where[of], minlength=documents) / size

        columns = [
            share(seen >= 0), share(new), share(unsure), share(words.capitalised),
            self._likelihood(data, fold),
        ]  # fmt: skip
        return np.stack(columns, axis=1), scores

    def _likelihood(self, data: TokenData, fold: npt.NDArray[np.int64]) -> Floats:
        """Return the mean log-likelihood of each document's trigrams; some documents at a time."""
        means = np.zeros(data.documents)
        for first in range(0, data.documents, _AT_ONCE):
            last = min(first + _AT_ONCE, data.documents)
            some = _Trigrams.of(data, self.salt, first, last)
            inside, place = fold[some.document_of], some.document_of - first
            likelihood = np.log(
                (self.trigrams.outside(some.keys, inside) + 0.5)
                / (self.pairs.outside(some.pairs, inside) + 0.5 * _BYTES)
            )
            total = np.bincount(place, likelihood, minlength=last - first)
            means[first:last] = total / np.maximum(np.bincount(place, minlength=last - first), 1)
        return means

    def to_arrays(self) -> tuple[Header, Arrays]:
        """Return a JSON header and named arrays."""
        arrays: dict[str, Array] = {"measures": self.measures}
        for name in ("words", "trigrams", "pairs"):
            table: _Table = getattr(self, name)
            arrays |= {f"{name}/keys": table.keys, f"{name}/by_fold": table.by_fold}
        headers = []
        for part, model in enumerate(self.models):
            header, own = model.to_arrays()
            headers.append(header)
            arrays |= {f"model{part}/{name}": array for name, array in own.items()}
        return {"models": headers, "salt": self.salt}, arrays

    @classmethod
    def from_arrays(cls, header: Header, arrays: Arrays) -> Self:
        """Rebuild a stored reference; what does not fit together is refused."""
        try:
            models = []
            for part, described in enumerate(header["models"]):
                prefix = f"model{part}/"
                own = {k[len(prefix) :]: v for k, v in arrays.items() if k.startswith(prefix)}
                models.append(model_from_arrays(dict(described), own))
            words, trigrams, pairs = (
                _check_table(arrays[f"{name}/keys"], arrays[f"{name}/by_fold"], len(models))
                for name in ("words", "trigrams", "pairs")
            )
            measures = np.asarray(arrays["measures"], np.float64)
            salt = int(header["salt"])
            if (
                len(models) < 2
                or measures.ndim != 2
                or len(measures) < 2
                or measures.shape[1] != len(MEASURES)
                or not np.isfinite(measures).all()
                or not 0 <= salt < 1 << 63
            ):
                raise ValueError
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError("The shift check of the model does not fit together.") from error
        return cls(tuple(models), words, trigrams, pairs, measures, salt)


def _check_table(keys: Array, by_fold: Array, folds: int) -> _Table:
    if (
        keys.dtype != np.uint64
        or keys.ndim != 1
        or by_fold.dtype != np.int32
        or by_fold.shape != (len(keys), folds)
        or (len(keys) > 1 and not (keys[1:] > keys[:-1]).all())
        or (by_fold < 0).any()
    ):
        raise ValueError
    return _Table(keys, by_fold)


@dataclass(frozen=True, eq=False)
class _HashedWords:
    """The words of some documents, hashed, each with its document."""

    keys: Keys
    document_of: npt.NDArray[np.int64]
    capitalised: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, data: TokenData, vocabulary: Sequence[str], salt: int) -> _HashedWords:
        types = data.tokens.type[data.counted]
        keys = _mix_hash(lower_keys(list(vocabulary)), salt)
        upper = np.array([word[:1].isupper() for word in vocabulary], np.bool_)
        return cls(keys[types], data.document_of[data.counted], upper[types])


@dataclass(frozen=True, eq=False)
class _Trigrams:
    """The byte trigrams of some documents and the pairs that they begin with, hashed, each with its document."""

    keys: Keys
    pairs: Keys
    document_of: npt.NDArray[np.int64]

    @classmethod
    def of(cls, data: TokenData, salt: int, first: int, last: int) -> _Trigrams:
        bounds = data.tokens.text_bounds[first : last + 1]
        text = data.tokens.text[bounds[0] : bounds[-1]].astype(np.uint64)
        pairs = text[:-2] << np.uint64(8) | text[1:-1]
        owner = np.repeat(np.arange(first, last), np.diff(bounds))
        whole = owner[:-2] == owner[2:]  # none across two documents
        keys = _mix_hash((pairs << np.uint64(8) | text[2:])[whole], salt)
        return cls(keys, _mix_hash(pairs[whole], salt), owner[:-2][whole])


def _mix_hash(keys: npt.NDArray[np.uint64], salt: int) -> Keys:
    """Hash keys once more, with the salt; distinct keys stay distinct."""
    mixed = (keys ^ np.uint64(salt)) * _MIX
    return (mixed ^ (mixed >> np.uint64(31))) * _MIX
