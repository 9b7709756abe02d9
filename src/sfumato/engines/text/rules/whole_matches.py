"""Matches of rules are redacted whole: e-mail addresses, numbers, dates.

Classifiers decide word by word; of an address whose parts they judge differently nothing may be left.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....data.document import Document
from ..reading.features import TokenData
from ..reading.label_kinds import kind_of, parts_of
from ..reading.tokens import Tokens

__all__ = ["one_label", "unite_matches", "whole_from"]

_WHOLE = {"EMAIL": 0.0, "URL": 0.0, "PHONE": 0.0, "ID": 0.0, "DATE": 0.5}
"""By kind: the share of a match's words that must be redacted, more than which the whole match is."""


def whole_from(label: str) -> float | None:
    """Return the share of a match's words above which all of it is redacted; None where words stay words.

    >>> whole_from("E-Mail"), whole_from("NAME")
    (0.0, None)
    """
    kinds = parts_of(label)
    return _WHOLE.get(kinds[0]) if kinds else None


def unite_matches(
    decided: npt.NDArray[np.int16],
    found: Sequence[Document],
    data: TokenData,
    labels: Sequence[str],
) -> npt.NDArray[np.int16]:
    """Return decisions in which each match of a rule is redacted whole, under one label, or not at all.

    Parameters
    ----------
    decided : array of int
        0 for each token to publish and i + 1 for each to redact as `labels[i]`.
    found : sequence of Document
        The documents with what the rules match as their spans.
    data : TokenData
        Their tokens.
    labels : sequence of str
        The labels.

    """
    united = decided.copy()
    starts, ends = data.tokens.char_offsets()
    number = {label: i + 1 for i, label in enumerate(labels)}
    for document, (low, high) in zip(found, _bounds(data.tokens), strict=True):
        for span in document.spans:
            least = whole_from(span.label)
            if least is None or span.label not in number:
                continue
            first = low + int(np.searchsorted(ends[low:high], span.start, "right"))
            last = low + int(np.searchsorted(starts[low:high], span.end, "left"))
            words = data.counted[first:last]
            if words.any() and (decided[first:last] > 0)[words].mean() > least:
                said = decided[first:last][decided[first:last] > 0]
                united[first:last] = one_label(said, number[span.label], labels)
    return united


def one_label(said: npt.NDArray[np.int16], matched: int, labels: Sequence[str]) -> int:
    """Return the label of a whole match: the rule's, or that of most of its words where that may be a closer name.

    A rule knows identifiers; which of them is a record number, labels and answers tell. Part of an address that was
    taken for a name is no name.
    """
    most = int(np.bincount(said).argmax())
    kind = kind_of(labels[most - 1])
    return most if kind is None or kind == kind_of(labels[matched - 1]) else matched


def _bounds(tokens: Tokens) -> list[tuple[int, int]]:
    return list(zip(tokens.doc[:-1].tolist(), tokens.doc[1:].tolist(), strict=True))
