"""Kernels of the runtime: find tokens, intern words, count characters, render redacted text.

All work on UTF-8 bytes that are known to be valid, in one pass, without going back further than
two characters. A kernel with a signature is loaded with its module; those that publishing a few
documents does not call have none, and load when they are first called.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...._jit import njit, types
from ....data._column_kernels import copy_bytes

__all__ = [
    "count_characters",
    "intern_tokens",
    "merge_redacted",
    "rehash",
    "scan_tokens",
    "splice",
]

_SPACE, _BREAK, _LETTER, _DIGIT, _EXTEND, _IDEOGRAPH, _OTHER, _APOSTROPHE = range(8)

Bytes = npt.NDArray[np.uint8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
UInt64s = npt.NDArray[np.uint64]

_bytes = types.Array(types.uint8, 1, "C")
_fixed = types.Array(types.uint8, 1, "C", readonly=True)
_int64s = types.Array(types.int64, 1, "C")
_int16s = types.Array(types.int16, 1, "C")
_int32s = types.Array(types.int32, 1, "C")
_uint64s = types.Array(types.uint64, 1, "C")


@njit(cache=True, nogil=True)
def _decode(text: Bytes, i: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Read one code point; give it and where the next one starts."""
    one, two, three = types.uint64(1), types.uint64(2), types.uint64(3)
    lead = types.uint64(text[i])
    if lead < 0x80:
        return lead, i + one
    second = types.uint64(text[i + one] & 0x3F)
    if lead < 0xE0:
        return (lead & types.uint64(0x1F)) << types.uint64(6) | second, i + two
    third = types.uint64(text[i + two] & 0x3F)
    both = second << types.uint64(6) | third
    if lead < 0xF0:
        return (lead & types.uint64(0x0F)) << types.uint64(12) | both, i + three
    fourth = types.uint64(text[i + three] & 0x3F)
    all_three = both << types.uint64(6) | fourth
    return (lead & types.uint64(0x07)) << types.uint64(18) | all_three, i + types.uint64(4)


@njit(
    types.int64(_fixed, _int64s, _fixed, _int64s, _int64s, _int64s, _bytes),
    cache=True,
    nogil=True,
)
def scan_tokens(
    text: Bytes,
    text_bounds: Int64s,
    table: Bytes,
    start: Int64s,
    end: Int64s,
    doc: Int64s,
    after_break: Bytes,
) -> int:
    """Find the tokens of all documents; give their number."""
    # Places are not signed: numba checks signed ones, which takes a third more time.
    n = types.uint64(0)
    doc[0] = 0
    for d in range(types.uint64(text_bounds.size - 1)):
        i = types.uint64(text_bounds[d])
        stop = types.uint64(text_bounds[d + types.uint64(1)])
        broken = types.uint8(1)  # the first token of a document starts a line
        while i < stop:
            first = text[i]
            if first < 0x80:
                kind = table[first]
                after = i + types.uint64(1)
            else:
                code, after = _decode(text, i)
                kind = table[code]
            if kind <= _BREAK:
                if kind == _BREAK:
                    broken = types.uint8(1)
                i = after
                continue
            start[n] = i
            after_break[n] = broken
            broken = types.uint8(0)
            i = after
            while i < stop:
                if text[i] < 0x80:
                    then = table[text[i]]
                    after = i + types.uint64(1)
                else:
                    code, after = _decode(text, i)
                    then = table[code]
                if (then == kind and (kind == _LETTER or kind == _DIGIT)) or then == _EXTEND:
                    i = after
                    continue
                if then == _APOSTROPHE and kind == _LETTER and after < stop:
                    # O'Brien is one word; in Ann's and don't the last letter is a word part.
                    code, second = _decode(text, after)
                    if table[code] == _LETTER and second < stop:
                        code, third = _decode(text, second)
                        if table[code] == _LETTER:
                            i = third
                            continue
                break
            end[n] = i
            n += types.uint64(1)
        doc[d + types.uint64(1)] = n
    return types.int64(n)


@njit(cache=True, nogil=True)
def _head(text: Bytes, start: np.uint64, end: np.uint64) -> np.uint64:
    """Pack up to eight bytes into one number; those of longer texts are loaded at once."""
    head, eight = types.uint64(0), types.uint64(8)
    if start + eight <= types.uint64(text.size):
        for k in range(eight):
            head |= types.uint64(text[start + k]) << (eight * k)
        if end - start < eight:
            head &= (types.uint64(1) << (eight * (end - start))) - types.uint64(1)
    else:
        for k in range(min(end - start, eight)):
            head |= types.uint64(text[start + k]) << (eight * k)
    return head


@njit(cache=True, nogil=True)
def _mix_hash(h: np.uint64) -> np.uint64:
    h ^= h >> types.uint64(32)
    h *= types.uint64(0xD6E8FEB86659FD93)
    h ^= h >> types.uint64(32)
    return h


@njit(
    types.int64(
        _fixed, _int64s, _int64s, types.int64, _int32s,
        _fixed, _int32s, _uint64s, _uint64s, _bytes, _int64s, _bytes, _int64s,
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def intern_tokens(
    text: Bytes,
    start: Int64s,
    end: Int64s,
    first: int,
    type_: Int32s,
    table: Bytes,
    slots: Int32s,
    hashes: UInt64s,
    heads: UInt64s,
    pool: Bytes,
    bounds: Int64s,
    is_word: Bytes,
    used: Int64s,
) -> int:
    """Fill in the id of the word of each token from `first` on; stop where the vocabulary must grow.

    `used` holds the number of words and of bytes in the pool. Returns the token to go on with.
    """
    mask, one, eight = types.uint64(slots.size - 1), types.uint64(1), types.uint64(8)
    for i in range(types.uint64(first), types.uint64(start.size)):
        a = types.uint64(start[i])
        b = types.uint64(end[i])
        head = _head(text, a, b)
        h = _mix_hash(head ^ ((b - a) << types.uint64(56)))
        for k in range(a + eight, b, eight):
            h = _mix_hash(h + _head(text, k, b))
        slot = h & mask
        while True:
            word = slots[slot]
            if word < 0:
                size = types.int64(b - a)
                word = types.int32(used[0])
                if (
                    used[0] == hashes.size
                    or 2 * used[0] >= slots.size
                    or used[1] + size > pool.size
                ):
                    return types.int64(i)
                slots[slot] = word
                hashes[word] = h
                heads[word] = head
                copy_bytes(text, a, b, pool, used[1])
                used[1] += size
                used[0] += 1
                bounds[word + 1] = used[1]
                flag = 0
                k = a
                while k < b:
                    code, k = _decode(text, k)
                    kind = table[code]
                    if kind == _LETTER or kind == _DIGIT or kind == _IDEOGRAPH:
                        flag = 1
                        break
                is_word[word] = flag
                break
            known = types.uint64(word)
            if hashes[known] == h and heads[known] == head:
                begin = types.uint64(bounds[known])
                if types.uint64(bounds[known + one]) - begin == b - a:
                    same = True
                    for k in range(eight, b - a):
                        if pool[begin + k] != text[a + k]:
                            same = False
                            break
                    if same:
                        break
            slot = (slot + one) & mask
        type_[i] = word
    return start.size


@njit(cache=True, nogil=True)
def rehash(hashes: UInt64s, size: int, slots: Int32s) -> None:
    """Fill an empty table with the words known so far."""
    mask = types.int64(slots.size - 1)
    for word in range(size):
        slot = types.int64(hashes[word] & types.uint64(mask))
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = word


@njit(cache=True, nogil=True)
def count_characters(text: Bytes, places: Int64s, out: Int64s) -> None:
    """Count the characters before each byte offset; the offsets rise and start characters."""
    n = 0
    i = 0
    for k in range(places.size):
        while i < places[k]:
            if text[i] & 0xC0 != 0x80:
                n += 1
            i += 1
        out[k] = n


@njit(
    types.int64(
        _fixed, _int64s, _int64s, _int64s, _fixed, _fixed, _int16s,
        _int64s, _int64s, _int64s, _int16s,
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def merge_redacted(
    text: Bytes,
    start: Int64s,
    end: Int64s,
    doc: Int64s,
    after_break: Bytes,
    word: Bytes,
    kind: Int16s,
    span_start: Int64s,
    span_end: Int64s,
    span_doc: Int64s,
    span_kind: Int16s,
) -> int:
    """Join neighbouring tokens of one kind on one line into spans; give their number.

    Punctuation between two of them is taken in when nothing is white between them, and so is the
    dot after an initial. `span_doc[d]` becomes the first span of document d.
    """
    n = 0
    for d in range(doc.size - 1):
        span_doc[d] = n
        last = -1  # the redacted token that a span may grow from; -1 where it may not
        touching = True  # nothing white since then
        for i in range(doc[d], doc[d + 1]):
            if last >= 0:
                touching = touching and start[i] == end[i - 1]
                if after_break[i] != 0:
                    last = -1
            if kind[i] == 0:
                if word[i] != 0:
                    last = -1
                continue
            joined = False
            if last >= 0 and kind[last] == kind[i]:
                joined = i == last + 1 or touching
                if not joined and i == last + 2 and text[start[i - 1]] == 0x2E:
                    letters = 0
                    for k in range(start[last], end[last]):
                        if text[k] & 0xC0 != 0x80:
                            letters += 1
                    joined = letters == 1 and start[i - 1] == end[last]
            if joined:
                span_end[n - 1] = end[i]
            else:
                span_start[n] = start[i]
                span_end[n] = end[i]
                span_kind[n] = kind[i]
                n += 1
            last = i
            touching = True
    span_doc[doc.size - 1] = n
    return n


@njit(
    types.int64(
        _fixed, _int64s, _int64s, _int64s, _int64s, _int32s, _fixed, _int64s, _bytes, _int64s
    ),
    cache=True,
    nogil=True,
)  # fmt: skip
def splice(
    text: Bytes,
    text_bounds: Int64s,
    span_start: Int64s,
    span_end: Int64s,
    span_doc: Int64s,
    which: Int32s,
    pool: Bytes,
    bounds: Int64s,
    out: Bytes,
    out_bounds: Int64s,
) -> int:
    """Write each document with its spans replaced by entries of a pool; give the bytes written."""
    at = 0
    out_bounds[0] = 0
    for d in range(text_bounds.size - 1):
        i = text_bounds[d]
        for s in range(span_doc[d], span_doc[d + 1]):
            at = copy_bytes(text, i, span_start[s], out, at)
            at = copy_bytes(pool, bounds[which[s]], bounds[which[s] + 1], out, at)
            i = span_end[s]
        at = copy_bytes(text, i, text_bounds[d + 1], out, at)
        out_bounds[d + 1] = at
    return at
