"""Loops over byte strings in columns."""

from __future__ import annotations

from .._jit import njit, types

__all__ = ["copy_bytes", "next_special", "take"]

_fixed = types.Array(types.uint8, 1, "C", readonly=True)
_bytes = types.Array(types.uint8, 1, "C")
_int64s = types.Array(types.int64, 1, "C")


@njit(cache=True, nogil=True)
def copy_bytes(source, first, last, out, o):
    """Copy bytes to place o; return the place after them.

    Places are not signed inside: numba checks a signed one for each byte, which takes ten times as long.
    """
    if last <= first:
        return o
    start, at = types.uint64(first), types.uint64(o)
    for k in range(types.uint64(last - first)):
        out[at + k] = source[start + k]
    return o + last - first


@njit(cache=True, nogil=True)
def next_special(raw, first, end):
    """Return where the next quote, backslash or control character is, or the end."""
    k, stop = types.uint64(first), types.uint64(end)
    while k < stop and raw[k] != 0x22 and raw[k] != 0x5C and raw[k] >= 0x20:
        k += types.uint64(1)
    return types.int64(k)


@njit(types.void(_fixed, _int64s, _int64s, _int64s, _bytes), cache=True, nogil=True)
def take(data, bounds, chosen, out_bounds, out):
    """Copy entries: number `chosen[i]` goes to `out_bounds[i]`."""
    for i in range(chosen.size):
        copy_bytes(data, bounds[chosen[i]], bounds[chosen[i] + 1], out, out_bounds[i])
