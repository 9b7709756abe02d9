"""Word lists: words and phrases that are always redacted, never redacted, or hint at something."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .arrays import Arrays
from .features import TokenData, WordKnowledge, lower_keys
from .features._kernels import seal
from .tokens import Vocabulary, tokenize

__all__ = ["WordList", "list_knowledge"]


def _nothing() -> npt.NDArray[np.uint64]:
    return np.zeros(0, np.uint64)


def _no_bounds() -> npt.NDArray[np.int64]:
    return np.zeros(1, np.int64)


@dataclass(frozen=True, eq=False)
class WordList:
    """Entries of one or more words, without regard to case; only their hashes are kept.

    >>> vocabulary = Vocabulary()
    >>> data = TokenData.of(tokenize(["The Old Mill and a mill"], vocabulary), vocabulary)
    >>> WordList.of(["old mill"]).matches(data).tolist()
    [False, True, True, False, False, False]
    """

    keys: npt.NDArray[np.uint64] = field(default_factory=_nothing)
    bounds: npt.NDArray[np.int64] = field(default_factory=_no_bounds)

    @classmethod
    def of(cls, entries: Iterable[str]) -> WordList:
        """Take entries in; empty ones are left out."""
        vocabulary = Vocabulary()
        tokens = tokenize(sorted(set(entries)), vocabulary)
        filled = tokens.doc[np.concatenate([[True], np.diff(tokens.doc) > 0])]
        keys = lower_keys(vocabulary.words)[tokens.type] if len(tokens) else _nothing()
        return cls(keys, filled)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def matches(self, data: TokenData) -> npt.NDArray[np.bool_]:
        """Say which tokens are part of an entry."""
        found = np.zeros(len(data), np.bool_)
        if not len(self):
            return found
        keys = data.words.lower[data.rows]
        sizes = np.diff(self.bounds)
        starts = self.bounds[:-1]
        found |= np.isin(keys, self.keys[starts[sizes == 1]])
        firsts = self.keys[starts[sizes > 1]]
        if len(firsts):
            ends = data.tokens.doc[data.document_of + 1]
            by_first: dict[int, list[npt.NDArray[np.uint64]]] = {}
            for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
                entry = self.keys[start : start + size]
                by_first.setdefault(int(entry[0]), []).append(entry)
            for i in np.flatnonzero(np.isin(keys, firsts)):
                for entry in by_first[int(keys[i])]:
                    end = i + len(entry)
                    if end <= ends[i] and np.array_equal(keys[i:end], entry):
                        found[i:end] = True
        return found

    def to_arrays(self) -> Arrays:
        return {"keys": self.keys, "bounds": self.bounds}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> WordList:
        """Rebuild a stored list."""
        keys, bounds = arrays["keys"].astype(np.uint64), arrays["bounds"].astype(np.int64)
        if bounds[0] != 0 or bounds[-1] != len(keys) or (np.diff(bounds) < 1).any():
            raise ValueError
        return cls(keys, bounds)


def list_knowledge(name: str, words: Iterable[str]) -> WordKnowledge:
    """Turn a word list into a feature of its words and of their neighbours."""
    keys = np.unique(lower_keys(sorted({w for w in words if w})))
    mark = np.full((len(keys), 1), seal(lower_keys([name])[0], 71), np.uint64)
    return WordKnowledge(keys, mark, mark)
