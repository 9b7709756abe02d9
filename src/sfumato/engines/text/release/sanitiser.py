"""Publishing: documents in, sanitised documents out, batch by batch, in order.

    text → tokens → word scores → decisions (all classifiers in sequence) → spans → text

A batch is a pure function of its documents: words are remembered between batches for speed, but
nothing that was remembered changes a result, so batch sizes and threads do not change a byte. A
document that fails is withheld, and the others go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ....core.errors import InputError, SfumatoError, WithheldError
from ....data.document import Document
from ..reading.features import TokenData
from ..reading.features.data import line_breaks
from ..reading.features.words import WordKnowledge
from ..reading.tokens import Bytes, Offsets, Tokens, labels_from_spans, tokenize, tokenize_bytes
from ..reading.word_cache import GrowingWords
from .compiled import CompiledCandidate, compiled
from .redaction import Placeholder, Replacer
from .rendering import RedactedSpans, merge_spans, render, whole_words

__all__ = ["Counts", "Decider", "Published", "Sanitiser", "batches"]


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
class Counts:
    """What was counted while publishing; counts of batches add up.

    >>> (Counts(documents=1, words=7) + Counts(documents=2)).to_json()
    {'documents': 3, 'words': 7, 'redacted': {}, 'spans': {}}
    """

    documents: int = 0
    words: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict)
    spans: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.documents + other.documents,
            self.words + other.words,
            _added(self.redacted, other.redacted),
            _added(self.spans, other.spans),
        )

    def to_json(self) -> dict[str, Any]:
        """Return plain values for release.json."""
        return {
            "documents": self.documents,
            "words": self.words,
            "redacted": dict(self.redacted),
            "spans": dict(self.spans),
        }


def _added(a: Mapping[str, int], b: Mapping[str, int]) -> dict[str, int]:
    return {key: a.get(key, 0) + b.get(key, 0) for key in [*a, *(k for k in b if k not in a)]}


@dataclass(frozen=True, slots=True)
class Published:
    """A finished batch: ids and texts of what is published, in order, and what was withheld and why.

    The texts stand one after the other in `text` (UTF-8); `bounds` says where each starts and ends.
    """

    ids: Sequence[str]
    text: bytes
    bounds: Sequence[int]
    withheld: Sequence[Mapping[str, str]]
    counts: Counts

    @property
    def texts(self) -> list[str]:
        """The published texts."""
        ends = zip(self.bounds, self.bounds[1:], strict=False)
        return [self.text[start:end].decode() for start, end in ends]

    def __add__(self, other: Published) -> Published:
        moved = (len(self.text) + bound for bound in other.bounds[1:])
        return Published(
            [*self.ids, *other.ids],
            self.text + other.text,
            [*self.bounds, *moved],
            [*self.withheld, *other.withheld],
            self.counts + other.counts,
        )


NOTHING = Published((), b"", (0,), (), Counts())


class Sanitiser:
    """Sanitises batches of documents with one candidate; may be called from several threads.

    Parameters
    ----------
    candidate : Decider
        Decides which tokens are redacted.
    replacer : Replacer, default None
        What stands for a redacted span; None is its label in brackets.
    findings : bool, default False
        Whether the spans of the documents are another tool's findings, redacted before the candidate
        looks; otherwise spans play no part.
    strict : bool, default False
        Whether the first document that fails ends the work.
    word_limit : int, default 131072
        How many distinct words are remembered between batches.

    """

    def __init__(
        self,
        candidate: Decider,
        *,
        replacer: Replacer | None = None,
        findings: bool = False,
        strict: bool = False,
        word_limit: int = 1 << 17,
    ) -> None:
        self.candidate = candidate
        self.decider: Decider = compiled(candidate)
        self.replacer: Replacer = Placeholder() if replacer is None else replacer
        self.findings = findings
        self.strict = strict
        self.word_limit = word_limit
        self._local = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_local"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._local = threading.local()

    def __call__(self, documents: Sequence[Document]) -> Published:
        """Sanitise a batch; documents that fail are withheld."""
        try:
            return self._sanitise(documents)
        except MemoryError:
            if len(documents) == 1:
                raise
        except Exception as error:
            # The state of this thread's words is unknown after a failure: start it anew.
            self._local.__dict__.clear()
            if len(documents) == 1:
                return self._withhold(documents[0], error)
        half = len(documents) // 2
        return self(documents[:half]) + self(documents[half:])

    def _withhold(self, document: Document, error: Exception) -> Published:
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

    def _sanitise(self, documents: Sequence[Document]) -> Published:
        words = self._words()
        tokens = tokenize([document.text for document in documents], words.vocabulary)
        ids = [document.id for document in documents]
        out, bounds, counts = self._redacted(tokens, words, ids.__getitem__, documents)
        return Published(ids, out.tobytes(), bounds.tolist(), [], counts)

    def texts(
        self, text: Bytes, bounds: Offsets, name: Callable[[int], str]
    ) -> tuple[Bytes, Offsets, Counts]:
        """Sanitise texts in UTF-8 that stand one after the other; a failure is the caller's.

        `name` gives the id of each of them. Texts have no spans: there are no findings.
        """
        words = self._words()
        try:
            return self._redacted(tokenize_bytes(text, bounds, words.vocabulary), words, name)
        except BaseException:
            self._local.__dict__.clear()  # as after any failure
            raise

    def _redacted(
        self,
        tokens: Tokens,
        words: GrowingWords,
        name: Callable[[int], str],
        documents: Sequence[Document] = (),
    ) -> tuple[Bytes, Offsets, Counts]:
        words.catch_up()
        redacted = np.zeros(len(tokens), np.bool_)
        data = TokenData(tokens, words, redacted, (line_breaks(tokens),))
        labels = list(self.candidate.labels)
        if self.findings:
            found = {span.label for document in documents for span in document.spans}
            labels += sorted(found.difference(labels))
            given = labels_from_spans(documents, tokens, labels)
            kind = np.where(given > 0, given, self.decider.decide(data.redact(given > 0)))
        else:
            kind = self.decider.decide(data)
        kind = whole_words(tokens, words.vocabulary, kind)
        spans = merge_spans(tokens, words.vocabulary, kind)
        out, bounds = self._render(name, tokens, spans, labels)
        is_word = data.counted
        by_token = np.bincount(kind[is_word], minlength=len(labels) + 1).tolist()
        by_span = np.bincount(spans.kind, minlength=len(labels) + 1).tolist()
        counts = Counts(
            tokens.documents,
            int(np.count_nonzero(is_word)),
            dict(zip(labels, by_token[1:], strict=True)),
            dict(zip(labels, by_span[1:], strict=True)),
        )
        return out, bounds, counts

    def _render(
        self,
        name: Callable[[int], str],
        tokens: Tokens,
        spans: RedactedSpans,
        labels: Sequence[str],
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
        if self.replacer.by_label_alone:
            texts = [self.replacer.replace("", "", label) for label in labels]
            return render(tokens, spans, texts)
        raw = tokens.text.tobytes()
        surrogates = []
        owner = np.repeat(np.arange(tokens.documents), np.diff(spans.doc)).tolist()
        for s, (start, end, kind) in enumerate(
            zip(spans.start.tolist(), spans.end.tolist(), spans.kind.tolist(), strict=True)
        ):
            old = raw[start:end].decode()
            surrogates.append(self.replacer.replace(name(owner[s]), old, labels[kind - 1]))
        return render(tokens, spans, surrogates, np.arange(len(spans), dtype=np.int32))


def batches(documents: Iterable[Document], characters: int = 1 << 20) -> Iterator[list[Document]]:
    """Group documents, in order, until a group holds about so many characters.

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
