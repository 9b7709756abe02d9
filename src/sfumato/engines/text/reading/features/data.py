"""Tokens as learners see them: rows of the word table, what is redacted, and features of the place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..tokens import Tokens, Vocabulary
from . import _kernels
from .words import BEGIN, END, REDACTED, RESERVED, WordKnowledge, WordTable

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["FeatureIndex", "PlaceFeature", "TokenData"]


@dataclass(frozen=True, eq=False)
class PlaceFeature:
    """A feature of a token's place rather than of its word: `values[i]` in [0, size)."""

    name: str
    values: npt.NDArray[np.int32]
    size: int


@dataclass(frozen=True, eq=False)
class FeatureIndex:
    """Every feature of some tokens by a dense number, for learners that keep one weight each.

    −1 means no feature, or a conjunction that occurs only once.
    """

    own_bounds: npt.NDArray[np.int64]
    own: npt.NDArray[np.int32]
    near: npt.NDArray[np.int32]
    far: npt.NDArray[np.int32]
    joint: npt.NDArray[np.int32]
    sizes: tuple[int, int, int, int]
    keys: tuple[npt.NDArray[np.uint64], ...]


@dataclass(frozen=True, eq=False)
class TokenData:
    """Tokens with their features; a redacted token is no instance and leaves a placeholder.

    >>> from ..tokens import tokenize
    >>> vocabulary = Vocabulary()
    >>> data = TokenData.of(tokenize(["Ann called."], vocabulary), vocabulary)
    >>> data.counted.tolist(), data.matrix().shape[0]
    ([True, True, False], 3)
    """

    tokens: Tokens
    words: WordTable
    redacted: npt.NDArray[np.bool_]
    places: tuple[PlaceFeature, ...] = ()
    shared: dict[str, FeatureIndex] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, tokens: Tokens, vocabulary: Vocabulary, knowledge: Sequence[WordKnowledge] = ()
    ) -> TokenData:
        """Describe tokens of which none is redacted yet."""
        return cls(
            tokens,
            WordTable(vocabulary, knowledge),
            np.zeros(len(tokens), dtype=np.bool_),
            (line_breaks(tokens),),
        )

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def documents(self) -> int:
        return self.tokens.documents

    @cached_property
    def rows(self) -> npt.NDArray[np.int32]:
        """Each token's row in the word table."""
        rows = self.tokens.type + np.int32(RESERVED)
        rows[self.redacted] = REDACTED
        return rows

    @cached_property
    def counted(self) -> npt.NDArray[np.bool_]:
        """The instances: tokens with a letter or digit that are not redacted."""
        return self.words.counted[self.rows]

    @cached_property
    def document_of(self) -> npt.NDArray[np.int64]:
        """Each token's document."""
        return np.repeat(np.arange(self.documents), np.diff(self.tokens.doc))

    def first_documents(self, count: int) -> TokenData:
        """Return the first `count` documents alone, with a table of the words that they use."""
        end = int(self.tokens.doc[count])
        used, types = np.unique(self.tokens.type[:end], return_inverse=True)
        tokens = Tokens(
            self.tokens.text[: self.tokens.text_bounds[count]],
            self.tokens.text_bounds[: count + 1],
            self.tokens.start[:end],
            self.tokens.end[:end],
            self.tokens.doc[: count + 1],
            types.reshape(-1).astype(np.int32),
            self.tokens.after_break[:end],
        )
        rows = np.concatenate([np.arange(RESERVED), used + RESERVED])
        places = tuple(PlaceFeature(p.name, p.values[:end], p.size) for p in self.places)
        return TokenData(tokens, self.words.taken(rows), self.redacted[:end], places)

    def redact(self, more: npt.NDArray[np.bool_]) -> TokenData:
        """Return the same tokens with more of them redacted."""
        # The word table stays the same; only the conjunctions are numbered again.
        kept = {key: index for key, index in self.shared.items() if key == "words"}
        return replace(self, redacted=self.redacted | more, shared=kept)

    def with_places(self, *places: PlaceFeature) -> TokenData:
        """Return the same tokens with more features of their places."""
        return replace(self, places=(*self.places, *places))

    def joint_keys(self) -> npt.NDArray[np.uint64]:
        """Hash the conjunctions of each token with its neighbours."""
        keys = np.empty((len(self), _kernels.JOINT), dtype=np.uint64)
        _kernels.neighbours(
            self.rows, self.tokens.doc, BEGIN, END, self.words.lower, self.words.shape, keys
        )
        return keys

    def index(self) -> FeatureIndex:
        """Number every feature; made once and shared by all folds."""
        if "index" not in self.shared:
            self.shared["index"] = _index(self)
        return self.shared["index"]

    def matrix(self, *, bits: int = 20) -> sparse.csr_matrix:
        """Return all features as a sparse matrix with 2^bits hashed columns, for any classifier."""
        from scipy import sparse

        words, rows, n = self.words, self.rows, len(self)
        counts = np.diff(words.own_bounds)[rows]
        starts = np.cumsum(counts) - counts
        own = words.own[
            np.repeat(words.own_bounds[rows] - starts, counts) + np.arange(int(counts.sum()))
        ]
        blocks = [(np.repeat(np.arange(n), counts), own)]
        for offset, table in ((-1, words.near), (1, words.near), (-2, words.far), (2, words.far)):
            neighbour = self.rows_at(offset)
            for column in range(table.shape[1]):
                keys = table[neighbour, column]
                blocks.append(_salt_keys(keys, 40 + offset))
        blocks.extend(_salt_keys(column, 0) for column in self.joint_keys().T)
        for number, place in enumerate(self.places):
            blocks.append(_salt_keys(place.values.astype(np.uint64) + np.uint64(1), 50 + number))
        token = np.concatenate([b[0] for b in blocks])
        hashed = np.concatenate([b[1] for b in blocks]) & np.uint64((1 << bits) - 1)
        values = np.ones(len(token), dtype=np.float64)
        columns = hashed.astype(np.int64)
        matrix: sparse.csr_matrix = sparse.csr_matrix(
            (values, (token, columns)), shape=(n, 1 << bits)
        )
        matrix.data[:] = 1.0
        return matrix

    def rows_at(self, offset: int) -> npt.NDArray[np.int32]:
        """Return the row of the token `offset` places away, or the document's edge."""
        rows = self.rows
        at = np.arange(len(self)) + offset
        document = self.document_of
        first, last = self.tokens.doc[document], self.tokens.doc[document + 1]
        inside = np.clip(at, 0, max(len(self) - 1, 0))
        found = rows[inside]
        found[at < first] = BEGIN
        found[at >= last] = END
        return found


def line_breaks(tokens: Tokens) -> PlaceFeature:
    """Return whether a line ends before or after the token."""
    after = tokens.after_break.astype(np.int32)
    following = np.ones_like(after)
    following[:-1] = after[1:]
    return PlaceFeature("line", after + 2 * following, 4)


def _salt_keys(
    keys: npt.NDArray[np.uint64], salt: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    present = np.flatnonzero(keys)
    return present, keys[present] * np.uint64(2 * salt + 1) ^ (keys[present] >> np.uint64(29))


def _number(
    keys: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.int32], int, npt.NDArray[np.uint64]]:
    """Number distinct keys by first appearance; 0 becomes −1."""
    flat = np.ascontiguousarray(keys).reshape(-1)
    size = 1 << max(4, int(2 * len(flat) + 1).bit_length())
    slots, numbers = np.zeros(size, np.uint64), np.zeros(size, np.int32)
    out = np.empty(len(flat), np.int32)
    used = int(_kernels.number(flat, slots, numbers, 0, out))
    by_number = np.zeros(used, np.uint64)
    filled = slots != 0
    by_number[numbers[filled]] = slots[filled]
    return out.reshape(keys.shape), used, by_number


def _drop_single(
    numbers: npt.NDArray[np.int32], size: int, keys: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.int32], int, npt.NDArray[np.uint64]]:
    """Leave out (as −1) what occurs once: most conjunctions do, and a single one teaches nothing."""
    kept = np.bincount(numbers.reshape(-1), minlength=size) > 1
    renumbered = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return renumbered[numbers], int(kept.sum()), keys[kept]


def _index(data: TokenData) -> FeatureIndex:
    words = data.words
    shared = data.shared.get("words")
    joint, joint_size, joint_keys = _drop_single(*_number(data.joint_keys()))
    if shared is None:
        own, own_size, own_keys = _number(words.own)
        near, near_size, near_keys = _number(words.near)
        far, far_size, far_keys = _number(words.far)
        shared = FeatureIndex(
            words.own_bounds, own, near, far, joint, (own_size, near_size, far_size, joint_size),
            (own_keys, near_keys, far_keys, joint_keys),
        )  # fmt: skip
        data.shared["words"] = shared
    return replace(
        shared,
        joint=joint,
        sizes=(*shared.sizes[:3], joint_size),
        keys=(*shared.keys[:3], joint_keys),
    )
