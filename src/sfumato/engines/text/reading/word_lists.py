"""Word lists: words and phrases that are always redacted, never redacted, or hint at something."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .arrays import Arrays
from .features import TokenData, WordKnowledge, lower_keys
from .features._kernels import seal
from .features.words import RESERVED
from .normal_forms import bare_form, has_apostrophe, links, normal_form
from .tokens import Vocabulary, tokenize

__all__ = ["WordList", "list_knowledge"]

_MARKS_BETWEEN = 2  # punctuation marks that may occur between two words of an entry


def _nothing() -> npt.NDArray[np.uint64]:
    return np.zeros(0, np.uint64)


def _no_bounds() -> npt.NDArray[np.int64]:
    return np.zeros(1, np.int64)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Words as they follow one another: `keys` of their normal forms, and the tokens that each covers."""

    keys: npt.NDArray[np.uint64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    document: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WordList:
    """Entries of one or more words, found in every spelling (see `normal_forms`); only hashes are kept.

    A list that is not `strict` finds its entries without their accents and with others too, as people write names and
    as recognisers read them: what it is for must not depend on an accent.

    >>> vocabulary = Vocabulary()
    >>> data = TokenData.of(tokenize(["The Old-Mill and a mill"], vocabulary), vocabulary)
    >>> WordList.of(["old mill"]).matches(data).tolist()
    [False, True, True, True, False, False, False]
    """

    keys: npt.NDArray[np.uint64] = field(default_factory=_nothing)
    bounds: npt.NDArray[np.int64] = field(default_factory=_no_bounds)
    strict: bool = True

    @classmethod
    def of(cls, entries: Iterable[str], *, strict: bool = True) -> WordList:
        """Take entries in; empty ones are skipped."""
        vocabulary = Vocabulary()
        tokens = tokenize(sorted(set(entries)), vocabulary)
        data = TokenData.of(tokens, vocabulary)
        found: dict[tuple[int, ...], None] = {}
        for form in _forms(strict=strict):
            for pieces in _readings(data, form):
                for document in range(data.documents):
                    own = pieces.keys[pieces.document == document]
                    found[tuple(own.tolist())] = None
        marks = lower_keys(vocabulary.words)[tokens.type] if len(tokens) else _nothing()
        for document in np.flatnonzero(
            np.diff(tokens.doc) == 1
        ).tolist():  # a lone mark is an entry
            found[(int(marks[tokens.doc[document]]),)] = None
        found.pop((), None)
        filled = sorted(found)
        bounds = np.concatenate([[0], np.cumsum([len(entry) for entry in filled])])
        keys = np.array([key for entry in filled for key in entry], np.uint64)
        return cls(keys, bounds.astype(np.int64), strict)

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def matches(self, data: TokenData) -> npt.NDArray[np.bool_]:
        """Return which tokens are part of an entry."""
        found = np.zeros(len(data), np.bool_)
        if len(self) and len(data):
            for form in _forms(strict=self.strict):
                found |= self._matches(data, form)
        return found

    def _matches(self, data: TokenData, form: Callable[[str], str]) -> npt.NDArray[np.bool_]:
        found = np.zeros(len(data), np.bool_)
        keys = _keys(data, form)
        sizes, starts = np.diff(self.bounds), self.bounds[:-1]
        singles = self.keys[starts[sizes == 1]]
        found |= np.isin(keys, singles)
        by_first: dict[int, list[npt.NDArray[np.uint64]]] = {}
        for start, size in zip(starts[sizes > 1], sizes[sizes > 1], strict=True):
            entry = self.keys[start : start + size]
            by_first.setdefault(int(entry[0]), []).append(entry)
        firsts = np.array(sorted(by_first), np.uint64)
        for pieces in _readings(data, form):
            covered = pieces.last > pieces.first
            for i in np.flatnonzero(covered & np.isin(pieces.keys, singles)).tolist():
                found[pieces.first[i] : pieces.last[i] + 1] = True
            for i in np.flatnonzero(np.isin(pieces.keys, firsts)).tolist():
                for entry in by_first[int(pieces.keys[i])]:
                    end = i + len(entry)
                    if (
                        end <= len(pieces.keys)
                        and np.array_equal(pieces.keys[i:end], entry)
                        and pieces.document[end - 1] == pieces.document[i]
                        and (pieces.first[i + 1 : end] - pieces.last[i : end - 1]).max()
                        <= 1 + _MARKS_BETWEEN
                    ):
                        found[pieces.first[i] : pieces.last[end - 1] + 1] = True
        return found

    def to_arrays(self) -> Arrays:
        return {"keys": self.keys, "bounds": self.bounds}

    @classmethod
    def from_arrays(cls, arrays: Arrays, *, strict: bool = True) -> WordList:
        """Rebuild a stored list."""
        keys, bounds = arrays["keys"].astype(np.uint64), arrays["bounds"].astype(np.int64)
        if bounds[0] != 0 or bounds[-1] != len(keys) or (np.diff(bounds) < 1).any():
            raise ValueError
        return cls(keys, bounds, strict)


def _forms(*, strict: bool) -> tuple[Callable[[str], str], ...]:
    return (normal_form,) if strict else (normal_form, bare_form)


def _keys(data: TokenData, form: Callable[[str], str]) -> npt.NDArray[np.uint64]:
    """Hash a form of each token; what is redacted already has the mark of that."""
    keys = data.words.lower[data.rows]
    odd = _odd_tokens(data) & ~data.redacted
    if odd.any():
        types, where, back = np.unique(
            data.tokens.type[odd], return_index=True, return_inverse=True
        )
        places = np.flatnonzero(odd)[where]
        forms = lower_keys([form(_text(data, i)) or "'" for i in places.tolist()])
        keys[odd] = forms[back.reshape(-1)]
        assert len(types) == len(forms)
    return keys


def _odd_tokens(data: TokenData) -> npt.NDArray[np.bool_]:
    """Return the tokens whose normal form is not just their lower case: other than ASCII letters."""
    text, tokens = data.tokens.text, data.tokens
    odd = np.concatenate([[0], np.cumsum((text >= 0x80) | (text == 0x27) | (text == 0x60))])
    return np.asarray(odd[tokens.end] > odd[tokens.start])


def _readings(data: TokenData, form: Callable[[str], str]) -> list[_Pieces]:
    """Return the words of documents, read token by token and with the parts of broken words joined."""
    keys = _keys(data, form)
    counted = data.words.counted[data.tokens.type + RESERVED]
    places = np.flatnonzero(counted)
    plain = _Pieces(keys[places], places, places, data.document_of[places])
    odd = np.flatnonzero(_odd_tokens(data) & ~counted)
    apostrophe = np.zeros(len(data), np.bool_)
    apostrophe[[i for i in odd.tolist() if has_apostrophe(_text(data, i))]] = True
    joined = links(data.tokens, apostrophe)
    if not joined.any():
        return [plain]
    first = np.flatnonzero(~np.concatenate([[False], joined[:-1]]))
    last = np.concatenate([first[1:], [len(data)]]) - 1
    kept = np.add.reduceat(counted.astype(np.int64), first) > 0
    first, last = first[kept], last[kept]
    merged = keys[last].copy()
    long = np.flatnonzero(last > first)
    forms = [
        "".join(form(_text(data, i)) for i in range(first[p], last[p] + 1)) for p in long.tolist()
    ]
    merged[long] = lower_keys([each or "'" for each in forms])
    merged[long[[data.redacted[first[p] : last[p] + 1].any() for p in long.tolist()]]] = 0
    return [plain, _Pieces(merged, first, last, data.document_of[first])]


def _text(data: TokenData, i: int) -> str:
    tokens = data.tokens
    return tokens.text[tokens.start[i] : tokens.end[i]].tobytes().decode()


def list_knowledge(name: str, words: Iterable[str]) -> WordKnowledge:
    """Turn a word list into a feature of its words and of their neighbours.

    Parameters
    ----------
    name : str
        What the words share.
    words : iterable of str
        The words.

    """
    keys = np.unique(lower_keys(sorted({w for w in words if w})))
    mark = np.full((len(keys), 1), seal(lower_keys([name])[0], 71), np.uint64)
    return WordKnowledge(keys, mark, mark)
