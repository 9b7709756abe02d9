"""Publishing: documents in, sanitised documents out, batch by batch, in order.

    text → tokens → word scores → decisions (all classifiers in sequence) → spans → text

A batch is a pure function of its documents: words are remembered between batches for speed, but
nothing that was remembered changes a result, so batch sizes and threads do not change a byte. A
document that fails is withheld, and the others go on.
"""

from __future__ import annotations

import collections
import copy
import math
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ....core.errors import InputError, SfumatoError, WithheldError
from ....core.storage.placed_bands import PlacedBands
from ....data.byte_columns import Bytes, Offsets
from ....data.document import Document, Edit, Span, apply, place_edits, unite
from ..reading.features import TokenData
from ..reading.features.data import line_breaks
from ..reading.features.words import WordKnowledge
from ..reading.tokens import Tokens, labels_from_spans, tokenize, tokenize_bytes
from ..reading.word_cache import GrowingWords
from .band_tokens import in_bands
from .compiled import CompiledCandidate, compile_candidate
from .counts import RedactionCounts
from .person import PersonRule
from .rendering import Edits, RedactedSpans, merge_spans, stretches, whole_words
from .replacer import Place, Placeholder, Replacer
from .surrogates.languages import language_of

__all__ = ["Decider", "Ranges", "SanitisedBatch", "Sanitiser", "batches"]

Ranges = Sequence[tuple[int, int]]
_BEFORE = 40  # bytes before a span that are looked at for a title


class Decider(Protocol):
    """What a candidate knows: which tokens to redact, and as what."""

    @property
    def labels(self) -> Sequence[str]:
        """The kinds of sensitive words."""

    @property
    def knowledge(self) -> Sequence[WordKnowledge]:
        """What is known about words beforehand: clusters, word lists."""

    def decide(self, data: TokenData) -> npt.NDArray[np.int16]:
        """Return 0 for each token to publish and i + 1 for each to redact as `labels[i]`."""


@dataclass(frozen=True, slots=True)
class SanitisedBatch:
    """A finished batch: the documents that are published, what is done to each, what was withheld and why."""

    documents: Sequence[Document]
    edits: Sequence[Sequence[Edit]]
    withheld: Sequence[Mapping[str, str]]
    counts: RedactionCounts

    @property
    def ids(self) -> list[str]:
        """The ids of what is published, in order."""
        return [document.id for document in self.documents]

    @property
    def texts(self) -> list[str]:
        """The published texts."""
        return [apply(d.text, edits) for d, edits in zip(self.documents, self.edits, strict=True)]

    def __add__(self, other: SanitisedBatch) -> SanitisedBatch:
        return SanitisedBatch(
            [*self.documents, *other.documents],
            [*self.edits, *other.edits],
            [*self.withheld, *other.withheld],
            self.counts + other.counts,
        )


NOTHING = SanitisedBatch((), (), (), RedactionCounts())


class Sanitiser:
    """Sanitises batches of documents with one candidate; may be called from several threads.

    Parameters
    ----------
    candidate : Decider
        Decides which tokens are redacted.
    replacer : Replacer, default None
        What replaces a redacted span; None is its label in brackets.
    findings : bool, default False
        Whether the spans of the documents hold another tool's findings, redacted before the candidate
        looks. Otherwise spans with one of the candidate's labels were marked by a person: they are
        redacted whatever the classifiers decide.
    marks : bool, default True
        Whether spans that a person marked are redacted for it.
    strict : bool, default False
        Whether the first document that fails ends the work.
    person : PersonRule, default None
        Whose documents have the same surrogates; each document its own by default.
    cleared : mapping of str to sequence of (int, int), optional
        By id, what a person who reviewed an earlier release said is harmless: the candidate does not
        redact it.
    bands : PlacedBands, default None
        The places of a table's bands in its notes: they are already generalised, and stay.

    """

    word_limit = 1 << 17
    """How many distinct words are remembered between batches."""

    def __init__(
        self,
        candidate: Decider,
        *,
        replacer: Replacer | None = None,
        findings: bool = False,
        marks: bool = True,
        strict: bool = False,
        person: PersonRule | None = None,
        cleared: Mapping[str, Ranges] | None = None,
        bands: PlacedBands | None = None,
    ) -> None:
        self.candidate = candidate
        self.replacer: Replacer = Placeholder() if replacer is None else replacer
        # Certainties need the features of every word, which the compiled form does not keep.
        quick = self.replacer.by_label_alone
        self.decider: Decider = compile_candidate(candidate) if quick else candidate
        self.findings = findings
        self.marks = marks
        self.strict = strict
        self.person = person
        self.cleared = dict(cleared or {})
        self.bands = bands
        self._local = threading.local()

    def with_replacer(self, replacer: Replacer) -> Sanitiser:
        """Return a sanitiser that decides the same and replaces otherwise."""
        other = copy.copy(self)
        other.replacer = replacer
        return other

    def __getstate__(self) -> dict[str, object]:
        return {key: value for key, value in self.__dict__.items() if key != "_local"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._local = threading.local()

    def __call__(self, documents: Sequence[Document]) -> SanitisedBatch:
        """Sanitise a batch; documents that fail are withheld."""
        try:
            return self._sanitise(documents)
        except MemoryError:
            if len(documents) == 1:
                raise
        except Exception as error:
            # The state of this thread's words is unknown after a failure: start over.
            self._local.__dict__.clear()
            if len(documents) == 1:
                return self._withhold(documents[0], error)
        half = len(documents) // 2
        return self(documents[:half]) + self(documents[half:])

    def _withhold(self, document: Document, error: Exception) -> SanitisedBatch:
        # Only errors that we worded ourselves are known to hold no word of the document.
        named = isinstance(error, SfumatoError)
        reason = str(error) if named else f"an internal error ({type(error).__name__})"
        if self.strict:
            kind = type(error) if isinstance(error, InputError) else WithheldError
            raise kind(f"The document {document.id!r} could not be sanitised: {reason}") from None
        return replace(NOTHING, withheld=[{"id": document.id, "reason": reason}])

    def _words(self) -> GrowingWords:
        words: GrowingWords | None = getattr(self._local, "words", None)
        if words is None:
            decider = self.decider
            scorer = decider if isinstance(decider, CompiledCandidate) else None
            knowledge = self.candidate.knowledge
            words = GrowingWords(knowledge, limit=self.word_limit, scorer=scorer)
            self._local.words = words
        words.make_room()
        return words

    def _sanitise(
        self, documents: Sequence[Document], cleared: Sequence[Ranges] | None = None
    ) -> SanitisedBatch:
        words = self._words()
        if cleared is None and self.cleared:
            cleared = [self.cleared.get(document.id, ()) for document in documents]
        tokens = tokenize([document.text for document in documents], words.vocabulary)
        ids = [d.id if self.person is None else self.person.of(d) for d in documents]
        found, counts = self.edits(tokens, words, ids.__getitem__, documents, cleared or ())
        by_document = found.by_document()
        for i, document in enumerate(documents):
            for order in document.orders:
                by_document[i] = unite([*by_document[i], *self._other_order(document, order)])
            if document.segments:
                by_document[i] = list(place_edits(document, by_document[i]))
        return SanitisedBatch(documents, by_document, [], counts)

    def _other_order(self, document: Document, order: Sequence[int]) -> Iterator[Edit]:
        """Yield what is decided about a document when it is read in another order."""
        read = "".join(" " if i < 0 else document.text[i] for i in order)
        other = replace(document, text=read, spans=(), segments=(), orders=())
        harmless = {i for a, b in self.cleared.get(document.id, ()) for i in range(a, b)}
        there = list(stretches([k if i in harmless else -1 for k, i in enumerate(order)]))
        for edit in self._sanitise([other], [there]).edits[0]:
            replacement = edit.replacement
            for start, end in stretches(order[edit.start : edit.end]):
                yield Edit(start, end, replacement, edit.label)
                replacement = ""

    def texts(
        self,
        text: Bytes,
        bounds: Offsets,
        name: Callable[[int], str],
        spans: Sequence[tuple[int, Sequence[Span]]] = (),
    ) -> tuple[Edits, RedactionCounts]:
        """Decide on texts in UTF-8 that are concatenated; a failure is the caller's.

        `name` returns the id of each of them; `spans` holds what a person marked, by document.
        """
        words = self._words()
        documents: list[Document] = []
        if spans:
            documents = [Document("", "")] * (len(bounds) - 1)
            for place, marks in spans:
                documents[place] = Document("", "", marks)
        try:
            tokens = tokenize_bytes(text, bounds, words.vocabulary)
            return self.edits(tokens, words, name, documents)
        except BaseException:
            self._local.__dict__.clear()  # as after any failure
            raise

    def edits(
        self,
        tokens: Tokens,
        words: GrowingWords,
        name: Callable[[int], str],
        documents: Sequence[Document] = (),
        cleared: Sequence[Ranges] = (),
    ) -> tuple[Edits, RedactionCounts]:
        """Return what is done to tokenised texts, and what was counted."""
        words.catch_up()
        redacted = np.zeros(len(tokens), np.bool_)
        data = TokenData(tokens, words, redacted, (line_breaks(tokens),))
        labels = list(self.candidate.labels)
        given = np.zeros(len(tokens), np.int16)
        left: dict[str, int] = {}
        marked = 0
        if self.findings:
            theirs = {span.label for document in documents for span in document.spans}
            labels += sorted(theirs.difference(labels))
            given = labels_from_spans(documents, tokens, labels)
            kind = np.where(given > 0, given, self.decider.decide(data.redact(given > 0)))
        else:
            kind = self.decider.decide(data)
            if self.marks and any(document.spans for document in documents):
                given = labels_from_spans(documents, tokens, labels)
                kind = np.where(given > 0, given, kind)
                chosen = set(labels)
                spans_of = collections.Counter(s.label for d in documents for s in d.spans)
                left = {k: n for k, n in sorted(spans_of.items()) if k not in chosen}
                marked = sum(n for k, n in spans_of.items() if k in chosen)
        if any(cleared):
            harmless = [Document("", "", [Span(a, b, "x") for a, b in own]) for own in cleared]
            taken_back = labels_from_spans(harmless, tokens, ["x"]) > 0
            kind = np.where(taken_back & (given == 0), 0, kind)
        kind = whole_words(tokens, words.vocabulary, kind)
        if self.bands is not None:
            kind = np.where(in_bands(tokens, self.bands) & (given == 0), 0, kind)
        spans = merge_spans(tokens, words.vocabulary, kind)
        places: Sequence[Place] = ()
        if not self.replacer.by_label_alone:
            certainty = np.where(given > 0, np.inf, self._certainty(data))
            places = self._places(tokens, spans, certainty, data.counted, documents)
        found, made = self._replaced(name, tokens, spans, labels, places)
        is_word, touched = data.counted, np.flatnonzero(kind)
        words_touched = touched[is_word[touched]]
        by_token = np.bincount(kind[words_touched], minlength=len(labels) + 1).tolist()
        by_span = np.bincount(spans.kind, minlength=len(labels) + 1).tolist()
        counts = RedactionCounts(
            tokens.documents,
            int(np.count_nonzero(is_word)),
            dict(zip(labels, by_token[1:], strict=True)),
            dict(zip(labels, by_span[1:], strict=True)),
            made,
            left,
            marked,
            sum(document.scanned for document in documents),
        )
        return found, counts

    def _certainty(self, data: TokenData) -> npt.NDArray[np.float64]:
        """Return each token's log-odds where the candidate can tell; infinite otherwise."""
        certainty = getattr(self.candidate, "certainty", None)
        if certainty is None:
            return np.full(len(data), np.inf)
        found: npt.NDArray[np.float64] = certainty(data)
        return found

    def _places(
        self,
        tokens: Tokens,
        spans: RedactedSpans,
        certainty: npt.NDArray[np.float64],
        counted: npt.NDArray[np.bool_],
        documents: Sequence[Document],
    ) -> list[Place]:
        """Describe where each redacted span is."""
        raw = tokens.text.tobytes()
        bounds = tokens.text_bounds.tolist()
        languages: dict[int, str] = {}
        owner = np.repeat(np.arange(tokens.documents), np.diff(spans.doc)).tolist()
        first = np.searchsorted(tokens.start, spans.start)
        last = np.searchsorted(tokens.start, spans.end)
        smallest = np.where(counted, certainty, np.inf)
        places = []
        for s, d in enumerate(owner):
            if d not in languages:
                text = raw[bounds[d] : bounds[d + 1]].decode()
                languages[d] = language_of(text, documents[d].fields if documents else None)
            start = int(spans.start[s])
            before = raw[max(bounds[d], start - _BEFORE) : start].decode(errors="ignore")
            own = smallest[first[s] : last[s]]
            places.append(Place(languages[d], before, float(own.min()) if own.size else math.inf))
        return places

    def _replaced(
        self,
        name: Callable[[int], str],
        tokens: Tokens,
        spans: RedactedSpans,
        labels: Sequence[str],
        places: Sequence[Place],
    ) -> tuple[Edits, dict[str, int]]:
        """Choose the replacement of each span; count the surrogates."""
        if self.replacer.by_label_alone:
            texts = [self.replacer.replace("", "", label) for label in labels]
            return Edits(tokens, spans, labels, texts, spans.kind.astype(np.int32) - 1), {}
        raw = tokens.text.tobytes()
        surrogates = []
        made: dict[str, int] = {}
        owner = np.repeat(np.arange(tokens.documents), np.diff(spans.doc)).tolist()
        for s, (start, end, kind) in enumerate(
            zip(spans.start.tolist(), spans.end.tolist(), spans.kind.tolist(), strict=True)
        ):
            old, label = raw[start:end].decode(), labels[kind - 1]
            new = self.replacer.replace(name(owner[s]), old, label, places[s])
            counted = self.replacer.counted_as(new, label, places[s])
            if counted is not None:
                made[counted] = made.get(counted, 0) + 1
            surrogates.append(new)
        return Edits(tokens, spans, labels, surrogates, np.arange(len(spans), dtype=np.int32)), made


def batches(documents: Iterable[Document], characters: int = 1 << 20) -> Iterator[list[Document]]:
    """Group documents, in order, until a group holds about this many characters.

    Parameters
    ----------
    documents : iterable of Document
        The documents.
    characters : int
        About how many characters a group holds.

    >>> [len(batch) for batch in batches([Document(str(i), "word " * 9) for i in range(5)], 100)]
    [2, 2, 1]

    """
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        # A document costs something even when it is empty.
        size += len(document.text) + 16
        if size >= characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
