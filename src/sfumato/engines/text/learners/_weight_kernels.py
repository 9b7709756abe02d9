"""Hot loops that look weights up by the 64-bit hash of a feature, for the CRF and the linear models."""

from __future__ import annotations

import numpy as np

from ...._jit import njit
from ..reading.features._kernels import seal


@njit(cache=True, nogil=True)
def seal_all(keys, template, out):
    """Close each key under a template's number."""
    for i in range(len(keys)):
        out[i] = seal(keys[i], template)


@njit(cache=True, nogil=True)
def find(key, slots, values):
    """Look a key up in an open-addressing table; 0 when it is not there."""
    mask = np.uint64(len(slots) - 1)
    at = key & mask
    while slots[at] != np.uint64(0):
        if slots[at] == key:
            return values[at]
        at = (at + np.uint64(1)) & mask
    return np.float32(0.0)


@njit(cache=True, nogil=True)
def find_all(keys, slots, values, out):
    """Look many keys up."""
    for i in range(len(keys)):
        out[i] = find(keys[i], slots, values)


@njit(cache=True, nogil=True)
def fill(keys, weights, slots, values):
    """Put keys with their weights into an open-addressing table with room for them."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(keys)):
        at = keys[i] & mask
        while slots[at] != np.uint64(0) and slots[at] != keys[i]:
            at = (at + np.uint64(1)) & mask
        slots[at] = keys[i]
        values[at] = weights[i]


@njit(cache=True, nogil=True)
def row_scores(own_bounds, own, near, far, slots, values, E):
    """Fill in the score of each word row at the offsets 0, −1, +1, −2, +2.

    Column k of E is what the word adds to the token that sees it at that offset.
    """
    for r in range(len(E)):
        s = np.float32(0.0)
        for k in range(own_bounds[r], own_bounds[r + 1]):
            s += find(own[k], slots, values)
        E[r, 0] = s
        for side in range(2):
            s = np.float32(0.0)
            for k in range(near.shape[1]):
                if near[r, k] != np.uint64(0):
                    s += find(seal(near[r, k], 61 + side), slots, values)
            E[r, 1 + side] = s
            s = np.float32(0.0)
            for k in range(far.shape[1]):
                if far[r, k] != np.uint64(0):
                    s += find(seal(far[r, k], 63 + side), slots, values)
            E[r, 3 + side] = s


@njit(cache=True, nogil=True)
def pack(keys, weights, unit, table):
    """Fill the table of conjunctions: 32 bits of the key and the weight in units, in one word."""
    mask = np.uint64(len(table) - 1)
    for i in range(len(keys)):
        at = keys[i] & mask
        while table[at] != np.uint64(0):
            at = (at + np.uint64(1)) & mask
        fixed = np.uint64(np.int64(np.round(weights[i] / unit)) & np.int64(0xFFFFFFFF))
        table[at] = (((keys[i] >> np.uint64(32)) | np.uint64(1)) << np.uint64(32)) | fixed


@njit(cache=True, nogil=True)
def joint_weight(key, unit, table):
    """Look a conjunction up."""
    mask = np.uint64(len(table) - 1)
    mark = (key >> np.uint64(32)) | np.uint64(1)
    at = key & mask
    while table[at] != np.uint64(0):
        if table[at] >> np.uint64(32) == mark:
            return np.int32(table[at] & np.uint64(0xFFFFFFFF)) * unit
        at = (at + np.uint64(1)) & mask
    return 0.0
