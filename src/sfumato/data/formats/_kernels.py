"""Compiled loops over JSON lines: a line of the usual kind becomes bytes in columns, and is written back.

A kernel takes a line only when it understands all of it and the result is, byte for byte, what Python's
`json` would give; every other line (`slow`) is left to the reader in Python, which also words the errors.
"""

from __future__ import annotations

import numpy as np

from ..._jit import njit, types
from .._column_kernels import copy_bytes, next_special

_bytes = types.Array(types.uint8, 1, "C")
_fixed = types.Array(types.uint8, 1, "C", readonly=True)
_int64s = types.Array(types.int64, 1, "C")
_flags = types.Array(types.uint8, 1, "C")
_uint64s = types.Array(types.uint64, 1, "C")

_DEEPEST = 32
_MOST_KEYS = 256

QUOTE, BACKSLASH, SLASH = 0x22, 0x5C, 0x2F
COMMA, COLON, SPACE = 0x2C, 0x3A, 0x20
OPEN, CLOSE, LEFT, RIGHT = 0x7B, 0x7D, 0x5B, 0x5D
ZERO, NINE, MINUS, DOT = 0x30, 0x39, 0x2D, 0x2E


@njit(cache=True, nogil=True)
def _skip(raw, i, end):
    while i < end and (raw[i] == 0x20 or raw[i] == 0x09 or raw[i] == 0x0D or raw[i] == 0x0A):
        i += 1
    return i


@njit(cache=True, nogil=True)
def _hex(raw, i, end):
    """Read four hexadecimal digits; −1 where they are not there."""
    if i + 4 > end:
        return -1
    value = 0
    for k in range(i, i + 4):
        c = types.int64(raw[k])
        if 0x30 <= c <= 0x39:
            digit = c - 0x30
        elif 0x41 <= c <= 0x46:
            digit = c - 0x37
        elif 0x61 <= c <= 0x66:
            digit = c - 0x57
        else:
            return -1
        value = value << 4 | digit
    return value


@njit(cache=True, nogil=True)
def _utf8(code, out, o):
    if code < 0x80:
        out[o] = code
        return o + 1
    if code < 0x800:
        out[o] = 0xC0 | code >> 6
        out[o + 1] = 0x80 | (code & 0x3F)
        return o + 2
    if code < 0x10000:
        out[o] = 0xE0 | code >> 12
        out[o + 1] = 0x80 | (code >> 6 & 0x3F)
        out[o + 2] = 0x80 | (code & 0x3F)
        return o + 3
    out[o] = 0xF0 | code >> 18
    out[o + 1] = 0x80 | (code >> 12 & 0x3F)
    out[o + 2] = 0x80 | (code >> 6 & 0x3F)
    out[o + 3] = 0x80 | (code & 0x3F)
    return o + 4


@njit(cache=True, nogil=True)
def _write_escaped_character(c, out, o):
    """Write one byte of a text as JSON has it."""
    if c >= 0x20:
        if c == QUOTE or c == BACKSLASH:
            out[o] = BACKSLASH
            o += 1
        out[o] = c
        return o + 1
    out[o] = BACKSLASH
    if c == 0x0A:
        out[o + 1] = 0x6E
    elif c == 0x09:
        out[o + 1] = 0x74
    elif c == 0x0D:
        out[o + 1] = 0x72
    elif c == 0x08:
        out[o + 1] = 0x62
    elif c == 0x0C:
        out[o + 1] = 0x66
    else:
        out[o + 1] = 0x75
        out[o + 2] = 0x30
        out[o + 3] = 0x30
        out[o + 4] = 0x30 + (c >> 4)
        low = c & 0x0F
        out[o + 5] = 0x30 + low if low < 10 else 0x57 + low
        return o + 6
    return o + 2


@njit(cache=True, nogil=True)
def _string(raw, i, end, out, o, as_json):
    """Copy the string that opens at i, as text or as JSON; give (after it, written), −1 where slow."""
    i += 1
    if as_json:
        out[o] = QUOTE
        o += 1
    while i < end:
        plain = next_special(raw, i, end)
        o = copy_bytes(raw, i, plain, out, o)
        i = plain
        if i < end and raw[i] == QUOTE:
            if as_json:
                out[o] = QUOTE
                o += 1
            return i + 1, o
        if i + 1 >= end or raw[i] != BACKSLASH:
            return -1, o
        c = types.int64(raw[i + 1])
        i += 2
        if c == 0x75:
            code = _hex(raw, i, end)
            i += 4
            if code < 0 or 0xDC00 <= code < 0xE000:
                return -1, o
            if 0xD800 <= code < 0xDC00:
                if i + 6 > end or raw[i] != BACKSLASH or raw[i + 1] != 0x75:
                    return -1, o
                low = _hex(raw, i + 2, end)
                if not 0xDC00 <= low < 0xE000:
                    return -1, o
                code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00))
                i += 6
        elif c == QUOTE or c == BACKSLASH or c == SLASH:
            code = c
        elif c == 0x6E:
            code = 0x0A
        elif c == 0x74:
            code = 0x09
        elif c == 0x72:
            code = 0x0D
        elif c == 0x62:
            code = 0x08
        elif c == 0x66:
            code = 0x0C
        else:
            return -1, o
        if as_json and code < 0x80:
            o = _write_escaped_character(code, out, o)
        else:
            o = _utf8(code, out, o)
    return -1, o


@njit(cache=True, nogil=True)
def _number(raw, i, end):
    """Return the end of a number that Python writes as it stands; −1 for any other."""
    first = i
    negative = raw[i] == MINUS
    if negative:
        i += 1
    whole = i
    while i < end and ZERO <= raw[i] <= NINE:
        i += 1
    digits = i - whole
    if digits == 0 or digits > 100 or (raw[whole] == ZERO and digits > 1):
        return -1
    if i < end and (raw[i] == 0x65 or raw[i] == 0x45):
        return -1
    if i >= end or raw[i] != DOT:
        return -1 if negative and raw[first + 1] == ZERO else i
    i += 1
    part = i
    while i < end and ZERO <= raw[i] <= NINE:
        i += 1
    decimals = i - part
    # Fifteen digits are what a double keeps; small numbers and trailing zeros are written otherwise.
    if decimals == 0 or digits + decimals > 15 or (raw[i - 1] == ZERO and decimals > 1):
        return -1
    if i < end and (raw[i] == 0x65 or raw[i] == 0x45):
        return -1
    if raw[whole] == ZERO and decimals > 3:
        if raw[part] == ZERO and raw[part + 1] == ZERO and raw[part + 2] == ZERO:
            return i if raw[part + 3] != ZERO else -1
    return i


@njit(cache=True, nogil=True)
def _word(raw, i, end):
    """Return the end of true, false or null; −1 for anything else."""
    if i + 4 <= end:
        a, b, c, d = raw[i], raw[i + 1], raw[i + 2], raw[i + 3]
        if a == 0x74 and b == 0x72 and c == 0x75 and d == 0x65:
            return i + 4
        if a == 0x6E and b == 0x75 and c == 0x6C and d == 0x6C:
            return i + 4
        if i + 5 <= end and a == 0x66 and b == 0x61 and c == 0x6C and d == 0x73:
            return i + 5 if raw[i + 4] == 0x65 else -1
    return -1


@njit(cache=True, nogil=True)
def _same(raw, a, b, other, c, d):
    if b - a != d - c:
        return False
    for k in range(b - a):
        if raw[a + k] != other[c + k]:
            return False
    return True


@njit(cache=True, nogil=True)
def _key(raw, i, end):
    """Return the end of a key's content (its closing quote), the key being plain; −1 where slow."""
    if i >= end or raw[i] != QUOTE:
        return -1
    i += 1
    while i < end and raw[i] != QUOTE:
        if raw[i] < 0x20 or raw[i] == BACKSLASH:
            return -1
        i += 1
    return i if i < end else -1


@njit(cache=True, nogil=True)
def _value(raw, i, end, out, o, first, last, used, level, kind):
    """Copy any value as Python would write it; give (after it, written), −1 where slow.

    `first` and `last` hold the keys met (from `used` on), `level` the first of each open object, and
    `kind` whether what is open is an object.
    """
    depth = 0
    while True:
        # a value is due
        i = _skip(raw, i, end)
        if i >= end:
            return -1, o
        c = raw[i]
        opened = False
        if c == QUOTE:
            i, o = _string(raw, i, end, out, o, True)
            if i < 0:
                return -1, o
        elif c == OPEN or c == LEFT:
            if depth == _DEEPEST:
                return -1, o
            out[o] = c
            o += 1
            i = _skip(raw, i + 1, end)
            close = CLOSE if c == OPEN else RIGHT
            if i < end and raw[i] == close:
                out[o] = close
                o += 1
                i += 1
            else:
                kind[depth] = 1 if c == OPEN else 0
                level[depth] = used
                depth += 1
                opened = True
        else:
            after = _number(raw, i, end) if c == MINUS or ZERO <= c <= NINE else _word(raw, i, end)
            if after < 0:
                return -1, o
            for k in range(i, after):
                out[o] = raw[k]
                o += 1
            i = after
        # what follows a value: the end of what is open, or another one
        while not opened and depth > 0:
            i = _skip(raw, i, end)
            if i >= end:
                return -1, o
            if raw[i] == COMMA:
                out[o] = COMMA
                out[o + 1] = SPACE
                o += 2
                i += 1
                break
            if raw[i] != (CLOSE if kind[depth - 1] else RIGHT):
                return -1, o
            out[o] = raw[i]
            o += 1
            i += 1
            depth -= 1
            used = level[depth]
        if depth == 0:
            return i, o
        if kind[depth - 1]:
            i = _skip(raw, i, end)
            stop = _key(raw, i, end)
            if stop < 0 or used == _MOST_KEYS:
                return -1, o
            for k in range(level[depth - 1], used):
                if _same(raw, i + 1, stop, raw, first[k], last[k]):
                    return -1, o
            first[used] = i + 1
            last[used] = stop
            used += 1
            for k in range(i, stop + 1):
                out[o] = raw[k]
                o += 1
            i = _skip(raw, stop + 1, end)
            if i >= end or raw[i] != COLON:
                return -1, o
            out[o] = COLON
            out[o + 1] = SPACE
            o += 2
            i += 1


@njit(cache=True, nogil=True)
def _twice(raw, a, b, first, last, used):
    for k in range(used):
        if _same(raw, a, b, raw, first[k], last[k]):
            return True
    return False


@njit(cache=True, nogil=True)
def _index_of(raw, a, b, pool, bounds, count):
    for k in range(count):
        if _same(raw, a, b, pool, bounds[k], bounds[k + 1]):
            return k
    return -1


@njit(
    types.int64(
        _fixed, _fixed, _int64s, types.int64, types.int64, types.int64, types.boolean,
        _bytes, _int64s, _int64s,
        _int64s, _int64s, _flags, _bytes, _int64s, _bytes, _int64s, _bytes, _int64s,
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def scan_lines(
    raw, names, name_bounds, most_line, most_id, most_text, keep_all,
    pool, pool_bounds, pooled,
    line_start, line_end, slow, head, head_bounds, text, text_bounds, tail, tail_bounds,
):  # fmt: skip
    """Read a block of whole lines; give how many hold anything.

    `names` are those of the id, the text and the spans, then of the other fields to keep unless all are. Of a line that is
    taken, `head` gets the id as JSON, `text` the text itself and `tail` the other fields as they are
    written after it. `pool` collects the names of the other fields; `pooled` holds how many there are
    and whether an id was a number. A slow line leaves nothing.
    """
    n = 0
    i = 0
    size = raw.size
    first = np.empty(_MOST_KEYS, np.int64)
    last = np.empty(_MOST_KEYS, np.int64)
    level = np.empty(_DEEPEST, np.int64)
    kind = np.empty(_DEEPEST, np.uint8)
    head_bounds[0] = 0
    text_bounds[0] = 0
    tail_bounds[0] = 0
    while i < size:
        start = i
        while i < size and raw[i] != 0x0A:
            i += 1
        end = i
        i += 1
        k = start
        while k < end and (raw[k] == 0x20 or 0x09 <= raw[k] <= 0x0D):
            k += 1
        if k == end:
            continue
        h = head_bounds[n]
        t = text_bounds[n]
        o = tail_bounds[n]
        has_id = has_text = has_spans = number_id = False
        taken = end - start < most_line
        used = 0
        known = pooled[0]
        at = _skip(raw, start, end)
        if taken and at < end and raw[at] == OPEN:
            at += 1
        else:
            taken = False
        while taken:
            at = _skip(raw, at, end)
            stop = _key(raw, at, end)
            if stop < 0:
                taken = False
                break
            a = at + 1
            at = _skip(raw, stop + 1, end)
            if at >= end or raw[at] != COLON:
                taken = False
                break
            at = _skip(raw, at + 1, end)
            if at >= end:
                taken = False
                break
            which = _index_of(raw, a, stop, names, name_bounds, name_bounds.size - 1)
            if which == 0:
                begin = h
                if has_id:
                    at = -1
                elif raw[at] == QUOTE:
                    at, h = _string(raw, at, end, head, h, True)
                    if h - begin < 3 or h - begin > most_id:
                        at = -1
                else:
                    after = _number(raw, at, end)
                    for q in range(at, after):
                        if raw[q] == DOT:
                            after = -1
                            break
                        head[h] = raw[q]
                        h += 1
                    if h - begin > most_id:
                        after = -1
                    number_id = True
                    at = after
                has_id = True
            elif which == 1:
                begin = t
                if has_text or raw[at] != QUOTE:
                    at = -1
                else:
                    at, t = _string(raw, at, end, text, t, False)
                    if t - begin > most_text:
                        at = -1
                has_text = True
            elif which == 2:
                if has_spans:
                    at = -1
                elif raw[at] == LEFT:
                    at = _skip(raw, at + 1, end)
                    at = at + 1 if at < end and raw[at] == RIGHT else -1
                elif raw[at] == 0x6E:
                    at = _word(raw, at, end)
                else:
                    at = -1
                has_spans = True
            else:
                if used == _MOST_KEYS // 2 or _twice(raw, a, stop, first, last, used):
                    taken = False
                    break
                first[used] = a
                last[used] = stop
                used += 1
                begin = o
                tail[o] = COMMA
                tail[o + 1] = SPACE
                o += 2
                for k in range(a - 1, stop + 1):
                    tail[o] = raw[k]
                    o += 1
                tail[o] = COLON
                tail[o + 1] = SPACE
                o += 2
                at, o = _value(raw, at, end, tail, o, first, last, used, level, kind)
                if which < 0 and not keep_all:
                    o = begin  # a field that is dropped is checked all the same
                elif at >= 0 and _index_of(raw, a, stop, pool, pool_bounds, known) < 0:
                    if known + 1 >= pool_bounds.size or pool_bounds[known] + stop - a > pool.size:
                        at = -1
                    else:
                        for k in range(a, stop):
                            pool[pool_bounds[known] + k - a] = raw[k]
                        pool_bounds[known + 1] = pool_bounds[known] + stop - a
                        known += 1
            if at < 0:
                taken = False
                break
            at = _skip(raw, at, end)
            if at < end and raw[at] == COMMA:
                at += 1
                continue
            taken = at < end and raw[at] == CLOSE and _skip(raw, at + 1, end) == end
            break
        taken = taken and has_id and has_text
        line_start[n] = start
        line_end[n] = end
        slow[n] = 0 if taken else 1
        n += 1
        if taken:
            head_bounds[n] = h
            text_bounds[n] = t
            tail_bounds[n] = o
            pooled[0] = known
            if number_id:
                pooled[1] = 1
        else:
            head_bounds[n] = head_bounds[n - 1]
            text_bounds[n] = text_bounds[n - 1]
            tail_bounds[n] = tail_bounds[n - 1]
    return n


@njit(cache=True, nogil=True)
def hash_id(head, a, b):
    """Hash an id as JSON, without its quotes: a number and the same digits as a text alike."""
    if b - a >= 2 and head[a] == QUOTE:
        a, b = a + 1, b - 1
    h = types.uint64(0x9E3779B97F4A7C15) ^ types.uint64(b - a)
    for k in range(a, b):
        h = (h ^ types.uint64(head[k])) * types.uint64(0xD6E8FEB86659FD93)
        h ^= h >> types.uint64(32)
    h *= types.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> types.uint64(29))


@njit(types.void(_fixed, _int64s, _uint64s), cache=True, nogil=True)
def hash_heads(head, bounds, marks):
    """Hash ids."""
    for d in range(bounds.size - 1):
        marks[d] = hash_id(head, bounds[d], bounds[d + 1])


@njit(
    types.int64(
        _fixed, _int64s, _fixed, _int64s, _fixed, _int64s, _fixed, _int64s, types.int64, _bytes
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def write_lines(
    head, head_bounds, text, text_bounds, tail, tail_bounds, between, between_bounds, count, out
):
    """Write lines: before the id, the id, before the text, the text, after it, the tail, the end."""
    o = 0
    for d in range(count):
        o = copy_bytes(between, between_bounds[0], between_bounds[1], out, o)
        o = copy_bytes(head, head_bounds[d], head_bounds[d + 1], out, o)
        o = copy_bytes(between, between_bounds[1], between_bounds[2], out, o)
        k, end = text_bounds[d], text_bounds[d + 1]
        while k < end:
            plain = next_special(text, k, end)
            o = copy_bytes(text, k, plain, out, o)
            if plain < end:
                o = _write_escaped_character(types.int64(text[plain]), out, o)
            k = plain + 1
        o = copy_bytes(between, between_bounds[2], between_bounds[3], out, o)
        o = copy_bytes(tail, tail_bounds[d], tail_bounds[d + 1], out, o)
        o = copy_bytes(between, between_bounds[3], between_bounds[4], out, o)
    return o


@njit(types.int64(_fixed), cache=True, nogil=True)
def escaped_size(text):
    """Count the bytes that a text takes as JSON, without its quotes."""
    size = text.size
    for k in range(text.size):
        c = text[k]
        if c == QUOTE or c == BACKSLASH:
            size += 1
        elif c < 0x20:
            size += 1 if 0x08 <= c <= 0x0D and c != 0x0B else 5
    return size
