"""Loops over edits: as lines of JSON, and as hashes of the texts that they make."""

from __future__ import annotations

from numba import njit, types

__all__ = ["hash_edited", "write_edits"]

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
            while at < start[s]:
                characters += (text[at] & 0xC0) != 0x80
                at += 1
            o = _digits(characters, out, o)
            out[o] = COMMA
            out[o + 1] = SPACE
            o += 2
            while at < end[s]:
                characters += (text[at] & 0xC0) != 0x80
                at += 1
            o = _digits(characters, out, o)
            for k in range(piece_bounds[which[s]], piece_bounds[which[s] + 1]):
                out[o] = pieces[k]
                o += 1
        out[o] = RIGHT
        o += 1
        out_bounds[d + 1] = o
    return o


@njit(cache=True, nogil=True)
def _mix(one, two, word):
    one = (one ^ word) * types.uint64(0xD6E8FEB86659FD93)
    one ^= one >> types.uint64(32)
    two = (two + word) * types.uint64(0x9E3779B97F4A7C15)
    two ^= two >> types.uint64(29)
    return one, two


@njit(
    types.void(_fixed, _int64s, _int64s, _int64s, _int64s, _int32s, _fixed, _int64s, _pairs),
    cache=True,
    nogil=True,
)
def hash_edited(text, bounds, start, end, doc, which, pieces, piece_bounds, hashes):
    """Hash each text with its edits, without making it: what stays and what replaces, byte after byte."""
    for d in range(bounds.size - 1):
        one, two = types.uint64(0x243F6A8885A308D3), types.uint64(0x13198A2E03707344)
        word = types.uint64(0)
        size = 0
        at = bounds[d]
        s = doc[d]
        while True:
            stop = start[s] if s < doc[d + 1] else bounds[d + 1]
            for k in range(at, stop):
                word = (word << types.uint64(8)) | types.uint64(text[k])
                size += 1
                if size & 7 == 0:
                    one, two = _mix(one, two, word)
            if s == doc[d + 1]:
                break
            for k in range(piece_bounds[which[s]], piece_bounds[which[s] + 1]):
                word = (word << types.uint64(8)) | types.uint64(pieces[k])
                size += 1
                if size & 7 == 0:
                    one, two = _mix(one, two, word)
            at = end[s]
            s += 1
        # The last bytes, with those before them, and how many there are.
        one, two = _mix(one, two, word)
        one, two = _mix(one, two, types.uint64(size))
        hashes[d, 0], hashes[d, 1] = one, two
