"""How the starter is learned: rare words and people's names are taken out of the features before learning.

A word that stands in fewer than five documents has no feature of its own, nor has one that is mostly a name of
people in these corpora. So the file tells of no name that is not an ordinary word as well, and while learning
names are as unknown as they will be later. Posts of one account stand together and count as one document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.starter.corpora import KINDS, SOURCES
from sfumato.data.document import Document
from sfumato.data.findings import resolve
from sfumato.engines.text.learners.crf import CRF, CRFModel
from sfumato.engines.text.reading.features import RESERVED, PlaceFeature, TokenData, WordTable
from sfumato.engines.text.reading.features.data import line_breaks
from sfumato.engines.text.reading.tokens import Vocabulary, labels_from_spans, tokenize
from sfumato.engines.text.starter.collection import CASE_PLACES, SPREAD_PLACES, CollectionWords
from sfumato.engines.text.starter.weights import Starter

MIN_DOCUMENTS = 5
MOSTLY = 0.5  # share of a word's occurrences that are names, from which it is one
STAND_IN = np.uint64(0x9E3779B97F4A7C15)


class Corpora:
    """The tokens of several corpora with the features that the starter reads.

    Each corpus is a collection of its own. `kept` says which documents features are counted in.
    """

    def __init__(self, corpora: Mapping[str, Sequence[Document]]) -> None:
        self.names = list(corpora)
        self.documents = [d for documents in corpora.values() for d in documents]
        self.corpus_of = np.repeat(np.arange(len(corpora)), [len(d) for d in corpora.values()])
        vocabulary = Vocabulary()
        self.tokens = tokenize([d.text for d in self.documents], vocabulary)
        self.data = TokenData.of(self.tokens, vocabulary)
        self.page_of = self._pages()
        self.gold = {kind: self._gold(kind) for kind in KINDS}
        self.places = self._places()

    def _pages(self) -> np.ndarray:
        """Return the number under which each document is counted."""
        pages, first = np.zeros(len(self.documents), np.int64), 0
        for corpus, name in enumerate(self.names):
            own = np.flatnonzero(self.corpus_of == corpus)
            pages[own] = first + np.arange(len(own)) // SOURCES[name].together
            first = int(pages[own].max(initial=first)) + 1
        return pages

    def _gold(self, kind: str) -> np.ndarray:
        own = [
            Document(d.id, d.text, resolve([s for s in d.spans if s.label == kind], "merge"))
            for d in self.documents
        ]
        return (labels_from_spans(own, self.tokens, [kind]) > 0).astype(np.uint8)

    def _places(self) -> tuple[PlaceFeature, ...]:
        values = [np.zeros(len(self.data), np.int32) for _ in range(2)]
        for corpus in range(len(self.names)):
            documents = self.corpus_of == corpus
            inside = documents[self.data.document_of]
            places = CollectionWords.of(self.data, documents).places(self.data)
            for value, place in zip(values, places, strict=True):
                value[inside] = place.values[inside]
        sizes = (CASE_PLACES, SPREAD_PLACES)
        return (
            line_breaks(self.tokens),
            *(PlaceFeature("", v, s) for v, s in zip(values, sizes, strict=True)),
        )

    def documents_of(self, names: Sequence[str]) -> np.ndarray:
        return np.isin(self.corpus_of, [self.names.index(name) for name in names])

    def learned(self, names: Sequence[str], kinds: Sequence[str] = KINDS) -> Starter:
        """Learn some kinds from some of the corpora; a corpus that does not mark a kind says nothing of it."""
        chosen = self.documents_of(names)
        words = _pruned(self, chosen)
        data = TokenData(self.tokens, words, self.data.redacted, self.places)
        models: dict[str, CRFModel] = {}
        for kind in kinds:
            annotated = [n for n in names if kind in SOURCES[n].labels.values()]
            if annotated:
                learner = CRF(memory=False)
                models[kind] = learner.fit(
                    data, self.gold[kind], documents=self.documents_of(annotated)
                )
        rows = data.rows[chosen[data.document_of] & data.counted]
        known = np.unique(words.lower[rows])
        return Starter(models, known[known != STAND_IN], tuple(names))

    def mostly_names(self, documents: np.ndarray) -> np.ndarray:
        """Return which words of the table are names of people more often than not, in some documents."""
        inside = documents[self.data.document_of]
        group = self.data.words.groups()
        of = group[self.data.rows]
        size = int(group.max()) + 1
        total = np.bincount(of[inside], minlength=size)
        named = np.bincount(of[inside & (self.gold["NAME"] > 0)], minlength=size)
        return ((named > 0) & (named >= MOSTLY * np.maximum(total, 1)))[group]


def _pruned(corpora: Corpora, chosen: np.ndarray) -> WordTable:
    """Return a word table without the features of rare words and of names."""
    data = corpora.data
    words = data.words.taken(np.arange(len(data.words)))
    inside = chosen[data.document_of]
    pairs = np.unique(corpora.page_of[data.document_of[inside]] * len(words) + data.rows[inside])
    document, row = pairs // len(words), pairs % len(words)

    def frequent(bounds: np.ndarray, keys: np.ndarray) -> np.ndarray:
        counts = np.diff(bounds)[row]
        first = np.repeat(bounds[row] - (np.cumsum(counts) - counts), counts)
        key = keys[first + np.arange(int(counts.sum()))]
        unique, of = np.unique(key, return_inverse=True)
        span = int(document.max()) + 1
        held = np.unique(of * np.int64(span) + np.repeat(document, counts)) // span
        return unique[np.bincount(held, minlength=len(unique)) >= MIN_DOCUMENTS]

    each = np.arange(len(words) + 1)
    rare = ~np.isin(words.lower, frequent(each, words.lower))
    rare_shape = ~np.isin(words.shape, frequent(each, words.shape))
    rare_ending = ~np.isin(words.near[:, 2], frequent(each, words.near[:, 2]))
    name = corpora.mostly_names(chosen)
    for mask in (rare, rare_shape, rare_ending, name):
        mask[:RESERVED] = False
    counts = np.diff(words.own_bounds)
    of_row = np.repeat(np.arange(len(words)), counts)
    place = np.arange(len(words.own)) - np.repeat(words.own_bounds[:-1], counts)
    keep = np.isin(words.own, frequent(words.own_bounds, words.own))
    keep &= ~(name[of_row] & (place < 2))  # the word, and the word in small letters
    words.groups()
    words.own_bounds = np.concatenate(
        [[0], np.cumsum(np.bincount(of_row[keep], minlength=len(words)))]
    )
    words.own = words.own[keep]
    for unknown, columns in ((rare | name, ((words.near, 0), (words.far, 0))),
                             (rare_shape, ((words.near, 1), (words.far, 1))),
                             (rare_ending, ((words.near, 2),))):  # fmt: skip
        for table, column in columns:
            table[unknown, column] = 0
    words.lower = np.where(rare | name, STAND_IN, words.lower)
    return words
