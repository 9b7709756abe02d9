"""Redacted tokens become spans, and spans become other text: one copy of the bytes, no detour.

Neighbouring tokens of one kind on one line are one span, with the gap between them; so are the parts
of "12/03/2020" and "J. Smith", whose punctuation no classifier judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..reading import _kernels
from ..reading.tokens import Bytes, Offsets, Tokens, Vocabulary, _frozen

__all__ = ["RedactedSpans", "merge_spans", "render"]


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
        _frozen(tokens.text), tokens.start, tokens.end, tokens.doc, _frozen(tokens.after_break),
        _frozen(vocabulary.is_word[tokens.type]), kind, start, end, doc, kinds,
    )  # fmt: skip
    return RedactedSpans(start[:n], end[:n], doc, kinds[:n])


def render(
    tokens: Tokens,
    spans: RedactedSpans,
    replacements: Sequence[str],
    which: npt.NDArray[np.int32] | None = None,
) -> tuple[Bytes, Offsets]:
    """Give all documents with `replacements[which[s]]` for span s, and their bounds.

    Without `which`, a span of kind k becomes `replacements[k - 1]`.

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
        _frozen(tokens.text), tokens.text_bounds, spans.start, spans.end, spans.doc, chosen,
        _frozen(np.frombuffer(b"".join(encoded), np.uint8)), bounds, out, out_bounds,
    )  # fmt: skip
    return out[:used], out_bounds
