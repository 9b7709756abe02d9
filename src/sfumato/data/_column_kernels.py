"""Loops over byte strings in columns."""

from __future__ import annotations

from numba import njit, types

__all__ = ["take", "weave"]

_fixed = types.Array(types.uint8, 1, "C", readonly=True)
_bytes = types.Array(types.uint8, 1, "C")
_int64s = types.Array(types.int64, 1, "C")
_rows = types.Array(types.int64, 2, "C")


@njit(types.void(_fixed, _int64s, _int64s, _int64s, _bytes), cache=True, nogil=True)
def take(data, bounds, chosen, out_bounds, out):
    """Copy entries: number `chosen[i]` goes to `out_bounds[i]`."""
    for i in range(chosen.size):
        a = bounds[chosen[i]]
        o = out_bounds[i]
        for k in range(out_bounds[i + 1] - o):
            out[o + k] = data[a + k]


@njit(types.void(_fixed, _rows, _fixed, _int64s, _bytes), cache=True, nogil=True)
def weave(data, bounds, pieces, piece_bounds, out):
    """Write the entries of each row side by side, with a piece before each of them and one at the end."""
    o = 0
    columns = bounds.shape[0]
    for d in range(bounds.shape[1] - 1):
        for c in range(columns + 1):
            a = piece_bounds[c]
            size = piece_bounds[c + 1] - a
            for k in range(size):
                out[o + k] = pieces[a + k]
            o += size
            if c < columns:
                a = bounds[c, d]
                size = bounds[c, d + 1] - a
                for k in range(size):
                    out[o + k] = data[a + k]
                o += size
