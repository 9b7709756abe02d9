"""Loops that read written lines again: nothing of them is used in writing, only the hashes are the same.

A line that is not in the one form in which lines are written is left to Python's own parser.
"""

from __future__ import annotations

from ..._jit import njit, types
from .._column_kernels import next_special
from ._edit_kernels import absorb, absorb_byte, begin, finish
from ._kernels import hash_id

__all__ = ["read_back"]

_fixed = types.Array(types.uint8, 1, "C", readonly=True)
_int64s = types.Array(types.int64, 1, "C")
_flags = types.Array(types.uint8, 1, "C")
_triples = types.Array(types.uint64, 2, "C")

QUOTE, BACKSLASH, COMMA, SPACE, COLON, BREAK = 0x22, 0x5C, 0x2C, 0x20, 0x3A, 0x0A
LEFT, RIGHT, OPEN, CLOSE = 0x5B, 0x5D, 0x7B, 0x7D


@njit(cache=True, nogil=True)
def _line_end(raw, start):
    end, size = types.uint64(start), types.uint64(raw.size)
    while end < size and raw[end] != BREAK:
        end += types.uint64(1)
    return types.int64(end)


@njit(cache=True, nogil=True)
def _after(raw, i, end, words, first, last):
    """Return the place after some bytes that must be here; −1 if they are not."""
    if i < 0 or i + last - first > end:
        return -1
    for k in range(last - first):
        if raw[i + k] != words[first + k]:
            return -1
    return i + last - first


@njit(cache=True, nogil=True)
def _after_string(raw, i, end):
    """Return the place after a string whose quote is at i; −1 where it does not end in this line."""
    i = next_special(raw, i + 1, end)
    while i + 1 < end and raw[i] == BACKSLASH and raw[i + 1] >= SPACE:
        i = next_special(raw, i + 2, end)
    return i + 1 if i < end and raw[i] == QUOTE else -1


@njit(cache=True, nogil=True)
def _escape(raw, i, end):
    """Return what the backslash at i means, and the place after it; −1 where a line is not written so."""
    if i + 1 >= end:
        return -1, i
    c = raw[i + 1]
    if c == QUOTE or c == BACKSLASH:
        return types.int64(c), i + 2
    if c == 0x6E:
        return 0x0A, i + 2
    if c == 0x74:
        return 0x09, i + 2
    if c == 0x72:
        return 0x0D, i + 2
    if c == 0x62:
        return 0x08, i + 2
    if c == 0x66:
        return 0x0C, i + 2
    if c == 0x75 and i + 5 < end and raw[i + 2] == 0x30 and raw[i + 3] == 0x30:
        code = 0
        for k in range(i + 4, i + 6):
            digit = types.int64(raw[k])
            if 0x30 <= digit <= 0x39:
                digit -= 0x30
            elif 0x61 <= digit <= 0x66:
                digit -= 0x57
            else:
                return -1, i
            code = 16 * code + digit
        return (code if code < 0x80 else -1), i + 6
    return -1, i


@njit(cache=True, nogil=True)
def _text(raw, i, end):
    """Hash the text that begins at i; return the place of its closing quote, or −1, and the hash."""
    one, two, word, size = begin()
    while True:
        first, i = i, next_special(raw, i, end)
        if i >= end or raw[i] < SPACE:
            return -1, one, two
        one, two, word, size = absorb(raw, first, i, one, two, word, size)
        if raw[i] == QUOTE:
            one, two = finish(one, two, word, size)
            return i, one, two
        code, i = _escape(raw, i, end)
        if code < 0:
            return -1, one, two
        one, two, word, size = absorb_byte(code, one, two, word, size)


@njit(cache=True, nogil=True)
def _after_field(raw, i, end, names, bounds):
    """Return the place after the field that begins with a comma at i; −1 if it may not be here."""
    if i + 3 > end or raw[i] != COMMA or raw[i + 1] != SPACE or raw[i + 2] != QUOTE:
        return -1
    first = i + 2
    i = _after_string(raw, first, end)
    if i < 0 or i + 2 > end or raw[i] != COLON or raw[i + 1] != SPACE:
        return -1
    for k in range(bounds.size - 1):
        if _after(raw, first, i, names, bounds[k], bounds[k + 1]) == i:
            return -1  # a second id, text or list of marks
    for k in range(first, i):
        if raw[k] == BACKSLASH:
            return -1
    i += 2
    depth = 0
    while i < end and raw[i] >= SPACE:
        c = raw[i]
        if c == QUOTE:
            i = _after_string(raw, i, end)
            if i < 0:
                return -1
            continue
        if depth == 0 and (c == COMMA or c == CLOSE):
            return i
        if c == LEFT or c == OPEN:
            depth += 1
        elif c == RIGHT or c == CLOSE:
            depth -= 1
        i += 1
    return -1


@njit(
    types.int64(_fixed, _fixed, _int64s, _fixed, _int64s, _int64s, _int64s, _flags, _triples),
    cache=True,
    nogil=True,
)
def read_back(raw, pieces, piece_bounds, names, name_bounds, line_start, line_end, slow, rows):
    """Hash each line that is written as lines are; return how many lines there are.

    `pieces` must be before the id, before the text, and after it; `names` are those three fields.
    """
    n = 0
    start = 0
    end = raw.size
    while start < end:
        slow[n] = 1
        first = at = _after(raw, start, end, pieces, piece_bounds[0], piece_bounds[1])
        if 0 <= at < end and raw[at] == QUOTE:
            at = _after_string(raw, at, end)
        elif at >= 0:
            while at < end and (0x30 <= raw[at] <= 0x39 or raw[at] == 0x2D):
                at += 1
        last = at
        at = _after(raw, at, end, pieces, piece_bounds[1], piece_bounds[2])
        if at >= 0 and last > first:
            at, one, two = _text(raw, at, end)
            tail = at = _after(raw, at, end, pieces, piece_bounds[2], piece_bounds[3])
            while 0 <= at < end and raw[at] == COMMA:
                at = _after_field(raw, at, end, names, name_bounds)
            if 0 <= at < end and raw[at] == CLOSE and (at + 1 == end or raw[at + 1] == BREAK):
                rows[n, 0], rows[n, 1], rows[n, 2] = hash_id(raw, first, last), one, two
                if at > tail:
                    three, four, word, size = begin()
                    three, four, word, size = absorb(raw, tail, at, three, four, word, size)
                    three, four = finish(three, four, word, size)
                    rows[n, 1] ^= three * types.uint64(3)
                    rows[n, 2] ^= four * types.uint64(3)
                slow[n] = 0
        line_start[n], line_end[n] = start, (at + 1 if slow[n] == 0 else _line_end(raw, start))
        start = line_end[n] + 1
        n += 1
    return n
