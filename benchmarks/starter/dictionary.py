"""What somebody with a dictionary can confirm in the shipped file: which words have a feature of their own."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sfumato.engines.text.learners import _weight_kernels
from sfumato.engines.text.reading.features import RESERVED, WordTable
from sfumato.engines.text.reading.tokens import Vocabulary
from sfumato.engines.text.rules.builtin import LANGUAGES
from sfumato.engines.text.rules.names import given_names, surnames
from sfumato.engines.text.starter.weights import Starter

CONTEXT = (61, 62, 63, 64)


def sealed(keys: np.ndarray, template: int) -> np.ndarray:
    out = np.empty_like(keys)
    _weight_kernels.seal_all(keys, template, out)
    return out


def told(starter: Starter, words: Iterable[str]) -> list[str]:
    """Return the words that the file knows: by themselves, beside another, or in the list of known words."""
    spelled = sorted(set(words))
    table = WordTable(Vocabulary(spelled))
    keys = np.unique(np.concatenate([m.row_keys for m in starter.models.values()]))
    found = np.isin(table.lower, starter.known)
    for template in CONTEXT:  # the word in small letters as a neighbour, in four places
        found |= np.isin(sealed(table.lower, template), keys)
    first = table.own_bounds[:-1]
    for column in range(2):  # the word as it stands, and in small letters
        found |= np.isin(table.own[np.minimum(first + column, len(table.own) - 1)], keys)
    return [word for word, known in zip(spelled, found[RESERVED:].tolist(), strict=True) if known]


def listed_names() -> set[str]:
    """Return the given names and surnames of seven languages that public lists hold."""
    return {
        name
        for language in LANGUAGES
        for names in (given_names(language), surnames(language))
        for name in names
    }
