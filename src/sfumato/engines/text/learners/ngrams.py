"""Logistic regression on character n-grams of a word and its neighbours: an outsider's learner.

The publisher's learners look at whole words, shapes and endings; this one sees every piece of a word,
and so tells what an attacker with other features finds in a release.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ....core.randomness import Streams
from ..reading.arrays import Arrays, Header
from ..reading.features import BEGIN, END, REDACTED, RESERVED, TokenData
from .linear import _kernels, training_tokens
from .protocol import Learner, Model, every_document, labelled_documents

__all__ = ["CharacterNGrams"]

_BITS = 20
_MAX_PIECES = 24  # pieces of a word, at most


@lru_cache(maxsize=1 << 16)
def _pieces(word: str) -> tuple[int, ...]:
    """Hash the character n-grams (2 to 4) of a marked word, in lower case, and its case pattern."""
    import zlib

    marked = f"<{word.casefold()}>"
    grams = [marked[i : i + n] for n in (3, 4, 2) for i in range(len(marked) - n + 1)]
    case = "".join("A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c
                   for c in word[:3])  # fmt: skip
    pieces = [f"={word}", f"~{case}", *grams][:_MAX_PIECES]
    return tuple(zlib.crc32(piece.encode("utf-8", "surrogatepass")) for piece in pieces)


_columns: WeakKeyDictionary[TokenData, npt.NDArray[np.int32]] = WeakKeyDictionary()


def _columns_of(data: TokenData) -> npt.NDArray[np.int32]:
    found = _columns.get(data)
    if found is not None:
        return found
    # The word table keeps hashes only: read each word back from the first token that holds it.
    types = data.tokens.type
    rows = len(data.words)
    own = np.full((rows, _MAX_PIECES), -1, np.int64)
    near = np.full((rows, 2), -1, np.int64)
    first = np.unique(types, return_index=True)
    for word_type, at in zip(*first, strict=True):
        word = bytes(data.tokens.text[data.tokens.start[at] : data.tokens.end[at]]).decode()
        pieces = _pieces(word)
        own[word_type + RESERVED, : len(pieces)] = pieces
        near[word_type + RESERVED] = pieces[0], pieces[1]
    for row in (BEGIN, END, REDACTED):
        own[row, 0] = near[row, 0] = row + 1
    mask = (1 << _BITS) - 1
    blocks = [np.where(own[data.rows] >= 0, (own[data.rows] * 31) & mask, -1)]
    for offset, salt in ((-1, 3), (1, 5), (-2, 7), (2, 11)):
        shifted = near[data.rows_at(offset)]
        blocks.append(np.where(shifted >= 0, (shifted * 0x9E3779B1 * salt >> 7) & mask, -1))
    numbers = np.concatenate(blocks, axis=1).astype(np.int32)
    # Rows end at their first −1: bring the features that are there to the front.
    order = np.argsort(numbers < 0, axis=1, kind="stable")
    numbers = np.take_along_axis(numbers, order, axis=1)
    _columns[data] = numbers
    return numbers


@dataclass(frozen=True, slots=True)
class CharacterNGrams(Learner):
    """Learn logistic regression by AdaGrad on hashed character n-grams."""

    epochs: int = 8
    rate: float = 0.1

    @property
    def name(self) -> str:
        return "character n-grams"

    def fit(
        self,
        data: TokenData,
        labels: npt.NDArray[np.uint8],
        *,
        documents: npt.NDArray[np.bool_] | None = None,
        cost_ratio: float = 1.0,
        seed: int = 0,
    ) -> NGramModel:
        """Learn from the labelled tokens; the cost-sensitive form is the threshold alone."""
        _ = cost_ratio
        chosen = labelled_documents(data, labels, documents)
        columns = _columns_of(data)
        tokens = training_tokens(data, chosen)
        tokens = tokens[data.counted[tokens]]
        y = (labels != 0).astype(np.float64)
        weights, squares = np.zeros(1 << _BITS), np.full(1 << _BITS, 1e-8)
        bias = np.array([0.0, 1e-8])
        random = Streams(seed).generator("n-grams")
        for _ in range(self.epochs):
            _kernels.logistic_pass(
                random.permutation(tokens), columns, y, weights, squares, bias, self.rate, 1e-3
            )
        return NGramModel(weights, float(bias[0]))


@dataclass(frozen=True, eq=False)
class NGramModel(Model):
    """Weights of hashed character n-grams; used by attackers and never published."""

    weights: npt.NDArray[np.float64]
    bias: float
    kind = "character n-grams"

    @property
    def dimension(self) -> float:
        return float(self.weights.size + 1)

    def scores(
        self, data: TokenData, *, documents: npt.NDArray[np.bool_] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return each token's log-odds of being sensitive."""
        out = np.empty(len(data))
        history = np.array([0.0, 0.0, 0.0, 0.0, self.bias])
        _kernels.margins(
            data.rows, data.tokens.doc, every_document(data, documents), REDACTED,
            _columns_of(data), self.weights, history, False, out,
        )  # fmt: skip
        return out

    def to_arrays(self) -> tuple[Header, Arrays]:
        return {"kind": self.kind, "bias": self.bias}, {"weights": self.weights}
