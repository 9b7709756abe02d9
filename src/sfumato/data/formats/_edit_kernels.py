"""Loops over edits: as lines of JSON, and as hashes of the texts that they make."""

from __future__ import annotations

from ..._jit import njit, types
from .._column_kernels import copy_bytes

__all__ = ["absorb", "absorb_byte", "begin", "finish", "hash_with_edits", "write_edits"]

_fixed = types.Array(types.uint8, 1, "C", readonly=True)
_bytes = types.Array(types.uint8, 1, "C")
_int64s = types.Array(types.int64, 1, "C")
_int32s = types.Array(types.int32, 1, "C")
_pairs = types.Array(types.uint64, 2, "C")

ZERO, COMMA, SPACE, LEFT, RIGHT = 0x30, 0x2C, 0x20, 0x5B, 0x5D


@njit(cache=True, nogil=True)
def _digits(number, out, o):
    first = o
    while True:
        out[o] = ZERO + number % 10
        o += 1
        number //= 10
        if number == 0:
            break
    last = o - 1
    while first < last:
        out[first], out[last] = out[last], out[first]
        first += 1
        last -= 1
    return o


@njit(cache=True, nogil=True)
def _characters(text, first, last):
    """Count the bytes that begin a character."""
    found = 0
    for k in range(types.uint64(first), types.uint64(last)):
        found += (text[k] & 0xC0) != 0x80
    return found


@njit(
    types.int64(
        _fixed, _int64s, _int64s, _int64s, _int64s, _int32s, _fixed, _int64s, _bytes, _int64s
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def write_edits(text, bounds, start, end, doc, which, pieces, piece_bounds, out, out_bounds):
    """Write the edits of each document as a JSON array; `pieces` follow start and end of each edit.

    Offsets are bytes here and characters there: those are counted that begin a character.
    """
    o = 0
    out_bounds[0] = 0
    for d in range(bounds.size - 1):
        at = bounds[d]
        characters = 0
        out[o] = LEFT
        o += 1
        for s in range(doc[d], doc[d + 1]):
            if s > doc[d]:
                out[o] = COMMA
                out[o + 1] = SPACE
                o += 2
            out[o] = LEFT
            o += 1
            characters += _characters(text, at, start[s])
            o = _digits(characters, out, o)
            out[o] = COMMA
            out[o + 1] = SPACE
            o += 2
            characters += _characters(text, start[s], end[s])
            at = end[s]
            o = _digits(characters, out, o)
            o = copy_bytes(pieces, piece_bounds[which[s]], piece_bounds[which[s] + 1], out, o)
        out[o] = RIGHT
        o += 1
        out_bounds[d + 1] = o
    return o


@njit(cache=True, nogil=True)
def begin():
    """Return the state of a hash before its first byte: two sums, the last eight bytes, and how many there were."""
    return types.uint64(0x243F6A8885A308D3), types.uint64(0x13198A2E03707344), types.uint64(0), 0


@njit(cache=True, nogil=True)
def _mix(one, two, word):
    one = (one ^ word) * types.uint64(0xD6E8FEB86659FD93)
    one ^= one >> types.uint64(32)
    two = (two + word) * types.uint64(0x9E3779B97F4A7C15)
    two ^= two >> types.uint64(29)
    return one, two


@njit(cache=True, nogil=True)
def absorb(data, first, last, one, two, word, size):
    """Hash some bytes after those before them: the same however they are cut.

    Eight at a time; a place that is not signed spares a check of each, so that they are loaded at once.
    """
    held = types.uint64(8 * (size & 7))
    k, stop = types.uint64(first), types.uint64(last)
    while k + types.uint64(8) <= stop:
        eight = types.uint64(0)
        for b in range(types.uint64(8)):
            eight = (eight << types.uint64(8)) | types.uint64(data[k + b])
        if held == 0:
            one, two = _mix(one, two, eight)
        else:
            one, two = _mix(one, two, (word << (types.uint64(64) - held)) | (eight >> held))
        word = eight
        size += 8
        k += types.uint64(8)
    while k < stop:
        one, two, word, size = absorb_byte(data[k], one, two, word, size)
        k += types.uint64(1)
    return one, two, word, size


@njit(cache=True, nogil=True)
def absorb_byte(byte, one, two, word, size):
    """Hash one more byte."""
    word = (word << types.uint64(8)) | types.uint64(byte)
    size += 1
    if size & 7 == 0:
        one, two = _mix(one, two, word)
    return one, two, word, size


@njit(cache=True, nogil=True)
def finish(one, two, word, size):
    """Return the hash: with the last bytes, those before them, and how many there are."""
    one, two = _mix(one, two, word)
    return _mix(one, two, types.uint64(size))


@njit(
    types.void(_fixed, _int64s, _int64s, _int64s, _int64s, _int32s, _fixed, _int64s, _pairs),
    cache=True,
    nogil=True,
)
def hash_with_edits(text, bounds, start, end, doc, which, pieces, piece_bounds, hashes):
    """Hash each text with its edits, without making it: what stays and what replaces, byte after byte."""
    for d in range(bounds.size - 1):
        one, two, word, size = begin()
        at = bounds[d]
        for s in range(doc[d], doc[d + 1]):
            one, two, word, size = absorb(text, at, start[s], one, two, word, size)
            first, last = piece_bounds[which[s]], piece_bounds[which[s] + 1]
            one, two, word, size = absorb(pieces, first, last, one, two, word, size)
            at = end[s]
        one, two, word, size = absorb(text, at, bounds[d + 1], one, two, word, size)
        hashes[d, 0], hashes[d, 1] = finish(one, two, word, size)
