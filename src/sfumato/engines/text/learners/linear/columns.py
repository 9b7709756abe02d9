"""Each token's features as a row of numbers: what coordinate descent and boosting walk over."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ...reading.features import TokenData
from .. import _weight_kernels as shared
from . import _kernels

__all__ = ["Columns", "columns_of", "known_columns", "laid_places", "training_tokens"]

_CONTEXT = (61, 62, 63, 64)  # templates of the offsets −1, +1, −2, +2, as the CRF seals them


@dataclass(frozen=True, eq=False)
class Columns:
    """`numbers[i]` are token i's features (−1 fills the row); keys name them outside this data.

    Features are numbered own, near −1, near +1, far −2, far +2 (`row_keys`), conjunctions
    (`joint_keys`), places.
    """

    numbers: npt.NDArray[np.int32]
    row_keys: npt.NDArray[np.uint64]
    joint_keys: npt.NDArray[np.uint64]
    place_sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        return len(self.row_keys) + len(self.joint_keys) + sum(self.place_sizes)


_made: WeakKeyDictionary[TokenData, Columns] = WeakKeyDictionary()


def laid_places(data: TokenData) -> tuple[npt.NDArray[np.int32], tuple[int, ...]]:
    """Lay the features of places side by side, numbered one after the other."""
    sizes = tuple(place.size for place in data.places)
    first = np.cumsum([0, *sizes])
    places = np.empty((len(data), len(sizes)), np.int32)
    for k, place in enumerate(data.places):
        places[:, k] = place.values + first[k]
    return places, sizes


def known_columns(data: TokenData) -> Columns | None:
    """Return the numbered features if they were made for this very data."""
    return _made.get(data)


def columns_of(data: TokenData) -> Columns:
    """Number every feature of every token; made once for the same data."""
    found = _made.get(data)
    if found is None:
        found = _made[data] = _spread(data)
    return found


def _spread(data: TokenData) -> Columns:
    index = data.index()
    own, near, far, joint = index.sizes
    base = np.cumsum([own, near, near, far, far, joint])
    places, sizes = laid_places(data)
    longest = int(np.diff(index.own_bounds).max(initial=0))
    width = longest + 2 * index.near.shape[1] + 2 * index.far.shape[1] + index.joint.shape[1]
    numbers = np.empty((len(data), width + len(sizes)), np.int32)
    _kernels.spread(
        data.rows, data.tokens.doc, index.own_bounds, index.own, index.near, index.far,
        index.joint, places, base, numbers,
    )  # fmt: skip
    keys = [index.keys[0]]
    for k, template in enumerate(_CONTEXT):
        plain = index.keys[1 + k // 2]
        sealed = np.empty_like(plain)
        shared.seal_all(plain, template, sealed)
        keys.append(sealed)
    return Columns(numbers, np.concatenate(keys), index.keys[3], sizes)


def training_tokens(
    data: TokenData, documents: npt.NDArray[np.bool_] | None
) -> npt.NDArray[np.int64]:
    """Return the tokens to learn from: those of the documents that are not redacted."""
    use = ~data.redacted
    if documents is not None:
        use = use & documents[data.document_of]
    return np.flatnonzero(use)
