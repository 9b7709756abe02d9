"""From text to tokens: exact byte offsets, one integer for each distinct word, any Unicode.

A token is a run of letters (with combining marks; an apostrophe joins when at least two letters
follow it, so O'Brien is one word and Ann's is three tokens), a run of digits, one ideograph, or one
punctuation mark or symbol. White space is not a token. What is between tokens is kept by the
offsets, so tokens and gaps give the text back byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....core.errors import DataError
from ....data.byte_columns import Bytes, Offsets, frozen
from ....data.document import Document
from . import _kernels
from ._unicode_classes import class_table

__all__ = [
    "Tokens",
    "Vocabulary",
    "characters_before",
    "labels_from_spans",
    "tokenize",
    "tokenize_bytes",
]

Types = npt.NDArray[np.int32]


class Vocabulary:
    """All distinct words met so far; a word's id is its rank by first appearance.

    >>> vocabulary = Vocabulary(["the", "cat"])
    >>> vocabulary.add(["a", "cat"]).tolist()
    [2, 1]
    >>> vocabulary.words
    ['the', 'cat', 'a']
    """

    def __init__(self, words: Iterable[str] = ()) -> None:
        self._slots = np.full(1 << 12, -1, np.int32)
        self._hashes = np.empty(1 << 11, np.uint64)
        self._heads = np.empty(1 << 11, np.uint64)  # the first eight bytes of each word
        self._bounds = np.zeros((1 << 11) + 1, np.int64)
        self._is_word = np.empty(1 << 11, np.uint8)
        self._pool = np.empty(1 << 14, np.uint8)
        self._used = np.zeros(2, np.int64)
        self._words: list[str] = []
        self.add(words)

    def __len__(self) -> int:
        return int(self._used[0])

    @property
    def words(self) -> list[str]:
        """The words by id."""
        for i in range(len(self._words), len(self)):
            self._words.append(bytes(self._pool[self._bounds[i] : self._bounds[i + 1]]).decode())
        return self._words

    @property
    def is_word(self) -> Bytes:
        """By id: 1 when the token has at least one letter or digit."""
        return self._is_word[: len(self)]

    @property
    def pool(self) -> Bytes:
        """The UTF-8 bytes of all words, one after the other."""
        return self._pool[: self._used[1]]

    @property
    def bounds(self) -> Offsets:
        """Where each word starts in the pool, and where the last one ends."""
        return self._bounds[: len(self) + 1]

    def add(self, words: Iterable[str]) -> Types:
        """Return the ids of the words; the new ones are added."""
        encoded = [word.encode() for word in words]
        bounds = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(word) for word in encoded], out=bounds[1:])
        text = np.frombuffer(b"".join(encoded), np.uint8)
        return self.intern(text, bounds[:-1].copy(), bounds[1:].copy())

    def intern(self, text: Bytes, start: Offsets, end: Offsets) -> Types:
        """Return the id of each slice of a text in UTF-8; the new ones are added."""
        ids = np.empty(start.size, np.int32)
        text, table, done = frozen(text), class_table(), 0
        while True:
            done = _kernels.intern_tokens(
                text, start, end, done, ids, table, self._slots, self._hashes, self._heads,
                self._pool, self._bounds, self._is_word, self._used,
            )  # fmt: skip
            if done == start.size:
                return ids
            self._grow(int(end[done] - start[done]))

    def _grow(self, bytes_needed: int) -> None:
        words, used = int(self._used[0]), int(self._used[1])
        if used + bytes_needed > self._pool.size:
            pool = np.empty(max(2 * self._pool.size, used + bytes_needed), np.uint8)
            pool[:used] = self._pool[:used]
            self._pool = pool
        if words == self._hashes.size:
            for name in ("_hashes", "_heads", "_bounds", "_is_word"):
                old = getattr(self, name)
                new = np.zeros(old.size + words, old.dtype)
                new[: old.size] = old
                setattr(self, name, new)
        if 2 * words >= self._slots.size:
            self._slots = np.full(2 * self._slots.size, -1, np.int32)
            _kernels.rehash(self._hashes, words, self._slots)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of some documents, as arrays.

    `text` is the UTF-8 of all documents, one after the other, and `text_bounds` says where each
    starts and ends; token i is `text[start[i]:end[i]]` and has the word id `type[i]`; document d
    holds the tokens `doc[d]` to `doc[d + 1]`. `after_break[i]` is 1 when a line break comes before
    the token, or nothing: the first token of a document starts a line.
    """

    text: Bytes
    text_bounds: Offsets
    start: Offsets
    end: Offsets
    doc: Offsets
    type: Types
    after_break: Bytes

    def __len__(self) -> int:
        return self.start.size

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self.doc.size - 1

    @property
    def line_starts(self) -> npt.NDArray[np.bool_]:
        """The tokens that begin a line or a document: no run of words goes on there.

        >>> tokenize(["a b\\nc", "d"], Vocabulary()).line_starts.tolist()
        [True, False, True, True]
        """
        return self.after_break.view(np.bool_)

    def char_offsets(self) -> tuple[Offsets, Offsets]:
        """Return start and end of each token in characters of its document.

        >>> tokens = tokenize(["é b"], Vocabulary())
        >>> [offsets.tolist() for offsets in tokens.char_offsets()]
        [[0, 2], [1, 3]]
        """
        first, last, bases = _characters(self)
        own = np.repeat(bases[:-1], np.diff(self.doc))
        return first - own, last - own


def _characters(tokens: Tokens) -> tuple[Offsets, Offsets, Offsets]:
    """Count characters up to each token's start and end and to each document's start, over all."""
    start, end, bounds = (
        characters_before(tokens.text, places)
        for places in (tokens.start, tokens.end, tokens.text_bounds)
    )
    return start, end, bounds


def characters_before(text: Bytes, places: Offsets) -> Offsets:
    """Return how many characters of a text in UTF-8 come before each place, in bytes; places are in order.

    >>> characters_before(np.frombuffer("é b".encode(), np.uint8), np.array([0, 2, 4])).tolist()
    [0, 1, 3]
    """
    out = np.empty(places.size, np.int64)
    _kernels.count_characters(frozen(text), places, out)
    return out


def tokenize(texts: Sequence[str], vocabulary: Vocabulary) -> Tokens:
    """Find the tokens of each text and give each word its id in the vocabulary.

    Parameters
    ----------
    texts : sequence of str
        One text per document.
    vocabulary : Vocabulary
        Numbers the words; new ones are added.

    >>> vocabulary = Vocabulary()
    >>> tokens = tokenize(["Ann's cat, 2 O’Briens", "cat"], vocabulary)
    >>> [vocabulary.words[t] for t in tokens.type]
    ['Ann', "'", 's', 'cat', ',', '2', 'O’Briens', 'cat']
    >>> tokens.doc.tolist()
    [0, 7, 8]

    """
    try:
        encoded = list(map(str.encode, texts))
    except UnicodeEncodeError:
        raise _not_unicode(texts) from None
    bounds = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=bounds[1:])
    return tokenize_bytes(np.frombuffer(b"".join(encoded), np.uint8), bounds, vocabulary)


def _not_unicode(texts: Sequence[str]) -> DataError:
    """Return which text cannot be encoded, and where."""
    for index, text in enumerate(texts):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            return DataError(
                f"The text of document {index} (counted from 0) is not valid Unicode: half of a "
                f"surrogate pair at character {error.start}.",
                hint="read the file with its true encoding, or with errors='replace'.",
            )
    raise AssertionError("All texts can be encoded.")


def tokenize_bytes(text: Bytes, text_bounds: Offsets, vocabulary: Vocabulary) -> Tokens:
    """Tokenize documents that are concatenated in valid UTF-8."""
    # At most one token a byte; pages that are not written to take no memory.
    start, end = np.empty(text.size, np.int64), np.empty(text.size, np.int64)
    after_break = np.empty(text.size, np.uint8)
    doc = np.empty(text_bounds.size, np.int64)
    n = _kernels.scan_tokens(frozen(text), text_bounds, class_table(), start, end, doc, after_break)
    start, end, after_break = start[:n], end[:n], after_break[:n]
    types = vocabulary.intern(text, start, end)
    return Tokens(text, text_bounds, start, end, doc, types, after_break)


def labels_from_spans(
    documents: Sequence[Document], tokens: Tokens, labels: Sequence[str]
) -> npt.NDArray[np.int16]:
    """Return each token's label, that of the span it overlaps: i + 1 for `labels[i]`, 0 for none.

    A token that two spans share carries the first one's label; other labels are skipped.

    Parameters
    ----------
    documents : sequence of Document
        The documents, with their spans.
    tokens : Tokens
        Their tokens.
    labels : sequence of str
        The labels to mark; others are skipped.

    >>> from sfumato.data.document import Span
    >>> document = Document("d", "Dr. Ann Lee", [Span(4, 11, "NAME")])
    >>> labels_from_spans([document], tokenize([document.text], Vocabulary()), ["NAME"]).tolist()
    [0, 0, 1, 1]

    """
    if len(documents) != tokens.documents:
        raise DataError(f"{len(documents)} documents were given with {tokens.documents} texts.")
    number = {label: i + 1 for i, label in enumerate(labels)}
    first, last, bases = _characters(tokens)
    found = np.zeros(len(tokens), np.int16)
    wanted = [
        (base + span.start, base + span.end, number[span.label])
        for base, document in zip(bases.tolist(), documents, strict=False)
        for span in document.spans
        if span.label in number
    ]
    if not wanted:
        return found
    begins, ends, kinds = np.array(wanted, np.int64).T
    low = np.searchsorted(last, begins, "right")
    high = np.searchsorted(first, ends, "left")
    for a, b, kind in zip(low[::-1], high[::-1], kinds[::-1], strict=True):
        found[a:b] = kind
    return found
