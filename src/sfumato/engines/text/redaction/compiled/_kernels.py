"""Kernels of a compiled candidate; the sums are taken in the order of the learners' own kernels.

The look-ups of all models of a token are done together, and the forward and the backward pass of a
chain run in one loop: each waits for its own division only.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....._jit import njit, types
from ...learners._crf_kernels import STEEPEST
from ...reading.features._kernels import pair, seal

__all__ = [
    "add_memories",
    "bin_of",
    "chains",
    "emissions",
    "fill_table",
    "nearby",
    "row_scores",
    "stack_bins",
]

Bytes = npt.NDArray[np.uint8]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt64s = npt.NDArray[np.uint64]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]

_u8 = types.Array(types.uint8, 1, "C")
_u8_2 = types.Array(types.uint8, 2, "C")
_i32 = types.Array(types.int32, 1, "C")
_i32_2 = types.Array(types.int32, 2, "C")
_i64 = types.Array(types.int64, 1, "C")
_u64 = types.Array(types.uint64, 1, "C")
_u64_2 = types.Array(types.uint64, 2, "C")
_f32_2 = types.Array(types.float32, 2, "C")
_f32_3 = types.Array(types.float32, 3, "C")
_f64 = types.Array(types.float64, 1, "C")
_f64_2 = types.Array(types.float64, 2, "C")


@njit(types.void(_u64, _u64), cache=True, nogil=True)
def fill_table(keys: UInt64s, table: UInt64s) -> None:
    """Fill an open-addressing table: 32 bits of the key, and its number from 1 on."""
    mask = types.uint64(table.size - 1)
    for i in range(keys.size):
        at = keys[i] & mask
        while table[at] != types.uint64(0):
            at = (at + types.uint64(1)) & mask
        mark = keys[i] >> types.uint64(32)
        table[at] = (mark << types.uint64(32)) | types.uint64(i + 1)


@njit(cache=True, nogil=True)
def _find(key: np.uint64, table: UInt64s, mask: np.uint64) -> np.int64:
    """Look a conjunction up; row 0 holds no weight."""
    mark = key >> types.uint64(32)
    at = key & mask
    while True:
        entry = table[at]
        if entry == types.uint64(0):
            return types.int64(0)
        if entry >> types.uint64(32) == mark:
            return np.int64(entry & types.uint64(0xFFFFFFFF))
        at = (at + types.uint64(1)) & mask


@njit(
    types.void(
        _i32, _i64, _u8, types.int64, types.int64, _f32_3, _u64, _u64, _u64, _f32_2, _i32_2, _f64_2
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def emissions(
    rows: Int32s,
    doc: Int64s,
    todo: Bytes,
    redacted_row: int,
    first_model: int,
    word_scores: Float32s,
    lower: UInt64s,
    shape: UInt64s,
    table: UInt64s,
    weights: Float32s,
    found: Int32s,
    out: Float64s,
) -> None:
    """Sum the weights of each token's words and conjunctions, for each model from `first_model` on.

    `word_scores[row, offset, model]`; row 0 of `weights` represents conjunctions that no model knows;
    `out[token, model]`; only tokens with `todo` are written. `found` is scratch, three numbers a
    token: the look-ups miss the cache, and go faster when no sum waits for them.
    """
    # Places are not signed: numba checks signed ones, which takes a third more time.
    models, one, two = types.uint64(out.shape[1]), types.uint64(1), types.uint64(2)
    mask = types.uint64(table.size - 1)
    for d in range(doc.size - 1):
        first, last = types.uint64(doc[d]), types.uint64(doc[d + 1])
        for i in range(first, last):
            if todo[i] == 0 or rows[i] == redacted_row:
                continue
            before = types.uint64(rows[i - one] if i > first else 0)
            after = types.uint64(rows[i + one] if i + one < last else 1)
            here = shape[types.uint64(rows[i])]
            # The same keys as features' `conjunctions`, kept in registers.
            found[i, 0] = _find(pair(lower[before], here, 33), table, mask)
            found[i, 1] = _find(pair(here, lower[after], 34), table, mask)
            shapes = pair(pair(shape[before], here, 35), shape[after], 36)
            found[i, 2] = _find(shapes, table, mask)
    for d in range(doc.size - 1):
        first, last = types.uint64(doc[d]), types.uint64(doc[d + 1])
        for i in range(first, last):
            if todo[i] == 0 or rows[i] == redacted_row:
                continue
            r = types.uint64(rows[i])
            before = types.uint64(rows[i - one] if i > first else 0)
            after = types.uint64(rows[i + one] if i + one < last else 1)
            two_before = types.uint64(rows[i - two] if i > first + one else 0)
            two_after = types.uint64(rows[i + two] if i + two < last else 1)
            w0, w1 = types.uint64(found[i, 0]), types.uint64(found[i, 1])
            w2 = types.uint64(found[i, 2])
            for m in range(types.uint64(first_model), models):
                s = types.float64(word_scores[r, 0, m])
                s += word_scores[before, 1, m]
                s += word_scores[after, 2, m]
                s += word_scores[two_before, 3, m]
                s += word_scores[two_after, 4, m]
                out[i, m] = s + weights[w0, m] + weights[w1, m] + weights[w2, m]


@njit(
    types.void(_i64, _u64, _u64_2, _u64_2, _u64, _f32_2, _f32_3),
    cache=True,
    nogil=True,
)
def row_scores(
    own_bounds: Int64s,
    own: UInt64s,
    near: UInt64s,
    far: UInt64s,
    table: UInt64s,
    weights: Float32s,
    out: Float32s,
) -> None:
    """Fill in the score of each word row at the offsets 0, −1, +1, −2, +2 under each model.

    `out[row, offset, model]` starts as zeros; row 0 of `weights` represents unknown features.
    """
    models = out.shape[2]
    mask = types.uint64(table.size - 1)
    for r in range(out.shape[0]):
        for k in range(own_bounds[r], own_bounds[r + 1]):
            w = _find(own[k], table, mask)
            if w != 0:
                for m in range(models):
                    out[r, 0, m] += weights[w, m]
        for side in range(2):
            for k in range(near.shape[1]):
                if near[r, k] != types.uint64(0):
                    w = _find(seal(near[r, k], 61 + side), table, mask)
                    if w != 0:
                        for m in range(models):
                            out[r, 1 + side, m] += weights[w, m]
            for k in range(far.shape[1]):
                if far[r, k] != types.uint64(0):
                    w = _find(seal(far[r, k], 63 + side), table, mask)
                    if w != 0:
                        for m in range(models):
                            out[r, 3 + side, m] += weights[w, m]


@njit(types.void(_u64, types.int64, _u64, _f32_3, _f32_3), cache=True, nogil=True)
def add_memories(
    lower: UInt64s, reserved: int, table: UInt64s, weights: Float32s, out: Float32s
) -> None:
    """Add to the scores of words at the offsets 0, −1 and +1 what each model remembers of them."""
    mask = types.uint64(table.size - 1)
    for r in range(out.shape[0]):
        w = types.int64(0) if r < reserved else _find(lower[r], table, mask)
        for offset in range(3):
            for m in range(out.shape[2]):
                out[r, offset, m] += weights[w, offset, m]


@njit(cache=True, nogil=True)
def nearby(found: Bytes, doc: Int64s, todo: Bytes) -> None:
    """Mark the tokens that see a found one: those up to two places away in its document."""
    for d in range(doc.size - 1):
        first, last = doc[d], doc[d + 1]
        for i in range(first, last):
            if found[i] != 0:
                for k in range(max(first, i - 2), min(last, i + 3)):
                    todo[k] = 1


@njit(types.void(_f64_2, types.int64, _u8_2, _f64, _f64), cache=True, nogil=True)
def add_places(
    sums: Float64s, model: int, places: Bytes, place_weights: Float64s, out: Float64s
) -> None:
    """Add the weights of a token's place to its sum under one model, within what exp can bear.

    `place_weights[16 * k + v]` is the weight of value v of place feature k.
    """
    for i in range(out.size):
        s = sums[i, model]
        for k in range(places.shape[1]):
            s += place_weights[16 * k + places[i, k]]
        out[i] = min(max(s, -STEEPEST), STEEPEST)


@njit(types.void(_i32, _i64, types.int64, _f64, _f64_2, _f64), cache=True, nogil=True)
def chains(
    rows: Int32s, doc: Int64s, redacted_row: int, x: Float64s, M: Float64s, odds: Float64s
) -> None:
    """Write each token's odds of being sensitive, and 0 where it is redacted.

    x holds the exponentials of the sums, M those of the transitions. What one direction has
    written when they meet in the middle of a document, the other multiplies.
    """
    for d in range(doc.size - 1):
        first, last = doc[d], doc[d + 1]
        for i in range(first, last):
            odds[i] = 1.0
        live = False
        p = 0.0
        beta = 1.0
        for i in range(first, last):
            if rows[i] == redacted_row:
                live = False
                odds[i] = 0.0
            else:
                if live:
                    p = x[i] * (M[0, 1] + p * M[1, 1]) / (M[0, 0] + p * M[1, 0])
                else:
                    p = x[i] * M[0, 1] / M[0, 0]
                    live = True
                odds[i] *= p
            j = last - 1 - (i - first)
            if rows[j] == redacted_row:
                beta = 1.0
            else:
                odds[j] *= beta
                y = x[j] * beta
                beta = (M[1, 0] + M[1, 1] * y) / (M[0, 0] + M[0, 1] * y)


@njit(types.uint8(types.float64), cache=True, nogil=True)
def bin_of(score: float) -> np.uint8:
    """Put a log-odds into one of eleven bins, as the learners' kernels do, without a loop."""
    if score < -6.0:
        return types.uint8(0)
    low = 1 + (score >= -4.0) + (score >= -3.0) + (score >= -2.0) + (score >= -1.0)
    high = (score >= 0.0) + (score >= 1.0) + (score >= 2.0) + (score >= 4.0) + (score >= 6.0)
    return types.uint8(low + high)


@njit(
    types.void(_i32, _i64, _f64, _f64_2, _u8_2, types.int64, types.boolean),
    cache=True,
    nogil=True,
)
def stack_bins(
    group: Int32s,
    doc: Int64s,
    scores: Float64s,
    scratch: Float64s,
    places: Bytes,
    column: int,
    with_own: bool,
) -> None:
    """Write what a stage thinks of the same word elsewhere in the document, as place features.

    From `column` on: the token's own bin (where asked for), the highest and the mean of the word's
    other places, and the highest of the word before and of the word after. `scratch[group]` holds
    first, second, total and count, and is left as it was found (−inf, −inf, 0, 0).
    """
    at = column + 1 if with_own else column
    for d in range(doc.size - 1):
        first, last = doc[d], doc[d + 1]
        for i in range(first, last):
            s = scores[i]
            if s == -np.inf:
                continue
            g = group[i]
            scratch[g, 3] += 1.0
            scratch[g, 2] += s
            if s > scratch[g, 0]:
                scratch[g, 1] = scratch[g, 0]
                scratch[g, 0] = s
            elif s > scratch[g, 1]:
                scratch[g, 1] = s
        known = types.uint8(0)
        if first < last:
            places[first, at + 2] = 0
            places[last - 1, at + 3] = 0
        for i in range(first, last):
            s = scores[i]
            most = types.uint8(0)
            mean = types.uint8(0)
            own = types.uint8(0)
            known = types.uint8(0)
            if s != -np.inf:
                g = group[i]
                own = bin_of(s)
                known = types.uint8(1 + bin_of(scratch[g, 0]))
                count = scratch[g, 3]
                if count != 1.0:
                    other = scratch[g, 1] if s == scratch[g, 0] else scratch[g, 0]
                    most = types.uint8(1 + bin_of(other))
                    mean = types.uint8(1 + bin_of((scratch[g, 2] - s) / (count - 1.0)))
            if with_own:
                places[i, column] = own
            places[i, at] = most
            places[i, at + 1] = mean
            if i + 1 < last:
                places[i + 1, at + 2] = known
            if i > first:
                places[i - 1, at + 3] = known
        for i in range(first, last):
            g = group[i]
            scratch[g, 0] = -np.inf
            scratch[g, 1] = -np.inf
            scratch[g, 2] = 0.0
            scratch[g, 3] = 0.0
