"""Redacted tokens become spans, and spans become other text, with one copy of the bytes.

Neighbouring tokens of one kind on one line are one span, with the gap between them; so are the parts
of "12/03/2020" and "J. Smith", whose punctuation no classifier judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ....data.byte_columns import Bytes, Offsets, frozen
from ....data.document import Edit
from ..reading import _kernels
from ..reading.normal_forms import unseen_gaps
from ..reading.tokens import Tokens, Vocabulary, characters_before

__all__ = ["Edits", "RedactedSpans", "merge_spans", "render", "stretches", "whole_words"]


@dataclass(frozen=True, slots=True)
class RedactedSpans:
    """The spans to replace: bytes `start` to `end`, of `kind` (1 for the first label), and
    `doc[d]` to `doc[d + 1]` are those of document d.
    """

    start: Offsets
    end: Offsets
    doc: Offsets
    kind: npt.NDArray[np.int16]

    def __len__(self) -> int:
        return self.start.size


def whole_words(
    tokens: Tokens, vocabulary: Vocabulary, kind: npt.NDArray[np.int16]
) -> npt.NDArray[np.int16]:
    """Redact all parts of a word of which one is redacted.

    A word may be broken by characters that show nothing, or by a hyphen at the end of a line; no
    classifier sees that its parts belong together.

    >>> from ..reading.tokens import tokenize
    >>> vocabulary = Vocabulary()
    >>> tokens = tokenize(["Stan\u200bhope rang Stan-\\nhope"], vocabulary)
    >>> whole_words(tokens, vocabulary, np.array([1, 0, 0, 1, 0, 0], np.int16)).tolist()
    [1, 1, 0, 1, 1, 1]
    """
    if not kind.any():
        return kind
    joined = np.zeros(len(tokens), np.bool_)
    joined[unseen_gaps(tokens)] = True
    hyphens = _hyphens_at_line_ends(tokens, vocabulary)
    joined[hyphens - 1] = joined[hyphens] = True
    if not joined.any():
        return kind
    whole = kind.copy()
    first = np.flatnonzero(joined & ~np.concatenate([[False], joined[:-1]]))
    for start in first.tolist():
        end = start + 1
        while joined[end]:
            end += 1
        part = whole[start : end + 1]
        if part.any():
            part[part == 0] = part[part > 0][0]
    return whole


_HYPHENS = {"-", "\u2010", "\u2011"}
_FIRST_BYTES = np.unique([hyphen.encode()[0] for hyphen in _HYPHENS]).astype(np.uint8)


def _hyphens_at_line_ends(tokens: Tokens, vocabulary: Vocabulary) -> npt.NDArray[np.int64]:
    """Return the hyphens that break a word at the end of a line: small letters begin the next."""
    if len(tokens) < 3:
        return np.zeros(0, np.int64)
    # Few tokens end a line, and few of those are hyphens: the others are not looked at.
    text, is_word = tokens.text, vocabulary.is_word
    places = np.flatnonzero(tokens.line_starts[2:]) + 1
    places = places[np.isin(text[tokens.start[places]], _FIRST_BYTES)]
    before, own, after = (is_word[tokens.type[places + k]] == 1 for k in (-1, 0, 1))
    touching = tokens.start[places] == tokens.end[places - 1]
    inside = ~np.isin(places, tokens.doc) & ~np.isin(places + 1, tokens.doc)
    places = places[before & ~own & after & touching & inside]

    def said(i: int) -> str:
        return text[tokens.start[i] : tokens.end[i]].tobytes().decode()

    found = [i for i in places.tolist() if said(i) in _HYPHENS and said(i + 1)[0].islower()]
    return np.array(found, np.int64)


def merge_spans(
    tokens: Tokens, vocabulary: Vocabulary, kind: npt.NDArray[np.int16]
) -> RedactedSpans:
    """Join neighbouring tokens of one kind (0: published) on one line.

    >>> from ..reading.tokens import tokenize
    >>> vocabulary = Vocabulary()
    >>> tokens = tokenize(["Ann Lee, 40"], vocabulary)
    >>> spans = merge_spans(tokens, vocabulary, np.array([1, 1, 0, 2], np.int16))
    >>> spans.start.tolist(), spans.end.tolist(), spans.kind.tolist()
    ([0, 9], [7, 11], [1, 2])
    """
    most = int(np.count_nonzero(kind))
    start, end = np.empty(most, np.int64), np.empty(most, np.int64)
    kinds = np.empty(most, np.int16)
    doc = np.empty(tokens.doc.size, np.int64)
    n = _kernels.merge_redacted(
        frozen(tokens.text), tokens.start, tokens.end, tokens.doc, frozen(tokens.after_break),
        frozen(vocabulary.is_word[tokens.type]), kind, start, end, doc, kinds,
    )  # fmt: skip
    return RedactedSpans(start[:n], end[:n], doc, kinds[:n])


def render(
    tokens: Tokens,
    spans: RedactedSpans,
    replacements: Sequence[str],
    which: npt.NDArray[np.int32] | None = None,
) -> tuple[Bytes, Offsets]:
    """Return all documents with `replacements[which[s]]` for span s, and their bounds.

    Without `which`, a span of kind k becomes `replacements[k - 1]`.

    Parameters
    ----------
    tokens : Tokens
        The tokens of the documents.
    spans : RedactedSpans
        What is redacted.
    replacements : sequence of str
        The replacement texts.
    which : array of int32, default None
        Which replacement each span gets; by its label for None.

    >>> from ..reading.tokens import tokenize
    >>> vocabulary = Vocabulary()
    >>> tokens = tokenize(["Ann Lee, 40"], vocabulary)
    >>> spans = merge_spans(tokens, vocabulary, np.array([1, 1, 0, 0], np.int16))
    >>> render(tokens, spans, ["[NAME]"])[0].tobytes()
    b'[NAME], 40'

    """
    chosen = spans.kind.astype(np.int32) - 1 if which is None else which
    encoded = [text.encode() for text in replacements]
    bounds = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=bounds[1:])
    lengths = np.diff(bounds)
    out = np.empty(tokens.text.size + int(lengths[chosen].sum()), np.uint8)
    out_bounds = np.empty(tokens.text_bounds.size, np.int64)
    used = _kernels.splice(
        frozen(tokens.text), tokens.text_bounds, spans.start, spans.end, spans.doc, chosen,
        frozen(np.frombuffer(b"".join(encoded), np.uint8)), bounds, out, out_bounds,
    )  # fmt: skip
    return out[:used], out_bounds


@dataclass(frozen=True, slots=True)
class Edits:
    """What is done to the texts of a batch: span s becomes `replacements[which[s]]`, in bytes."""

    tokens: Tokens
    spans: RedactedSpans
    labels: Sequence[str]
    replacements: Sequence[str]
    which: npt.NDArray[np.int32]

    def render(self) -> tuple[Bytes, Offsets]:
        """Return all texts with their edits, one after the other, and their bounds."""
        return render(self.tokens, self.spans, self.replacements, self.which)

    def characters(self) -> tuple[Offsets, Offsets]:
        """Return where each span starts and ends, in characters of its document."""
        text, spans = self.tokens.text, self.spans
        start, end, bounds = (
            characters_before(text, places)
            for places in (spans.start, spans.end, self.tokens.text_bounds)
        )
        first = np.repeat(bounds[:-1], np.diff(spans.doc))
        return start - first, end - first

    def by_document(self) -> list[list[Edit]]:
        """Return the edits of each document, in characters of its text."""
        start, end = (offsets.tolist() for offsets in self.characters())
        replacements = [self.replacements[which] for which in self.which.tolist()]
        labels = [self.labels[kind - 1] for kind in self.spans.kind.tolist()]
        edits = list(map(Edit, start, end, replacements, labels))
        return [edits[first:last] for first, last in pairwise(self.spans.doc.tolist())]


def stretches(indices: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of consecutive indices, as start and end; negative ones are skipped.

    >>> list(stretches([3, 4, -1, 9]))
    [(3, 5), (9, 10)]
    """
    start = end = -1
    for i in indices:
        if i < 0:
            continue
        if i != end:
            if end >= 0:
                yield start, end
            start = i
        end = i + 1
    if end >= 0:
        yield start, end
