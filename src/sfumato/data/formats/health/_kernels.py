"""Compiled loops over resources of FHIR: what has to be done where in a line, without making objects of it.

A line is copied without the space between its marks, and the places in the copy that have to be rewritten are
listed. A line that is not understood whole (`SLOW`) is left to the walk in Python, which says what is meant; the
two agree wherever a line is taken. A name that was not met before at its place ends a call (`MISSING`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...._jit import njit, types
from .._kernels import _skip, _string, _word

TAKEN, SLOW, MISSING = 0, 1, 2
# What a walk finds in a string; the first nine are the actions of a profile, in their order.
TEXT, XHTML, BASE64, IDENTIFIER, REFERENCE, DATE, CODE, KEEP, DROP = range(1, 10)
PAGE64, REMOVE, EXTENSION = 10, 11, 12
# What a row says of a line; spans are two places each.
STATUS, BEGIN, END, FIRST, LAST, KIND, ID, PERSON, URL, TEXTS, DROPPED, EXTENSIONS, WIDTH = (
    0, 1, 2, 3, 4, 5, 7, 9, 11, 13, 14, 15, 16,
)  # fmt: skip
# Names that mean something by themselves.
PLAIN, NAME_TEXT, NAME_CODE, NAME_RESOURCE, NAME_EXTENSION = 0, 1, 2, 4, 8
# The entries of a tape.
_OBJECT, _ARRAY, _STRING, _SCALAR, _NULL, _END = 1, 2, 3, 4, 5, 6
# What an object has that decides about its other members.
_SYSTEM, _REFERENCE, _CODING, _CONTENT, _RESOURCE_TYPE, _PUBLIC, _SPECIAL = 0, 1, 2, 3, 4, 5, 6

_DEEPEST, _MOST_MEMBERS, _LONGEST_WORDS = 32, 128, 256
_QUOTE, _COMMA, _COLON = 0x22, 0x2C, 0x3A


def _word_of(text: bytes) -> np.ndarray:
    return np.frombuffer(text, np.uint8)


_SYSTEM_NAME, _CODING_NAME, _REFERENCE_NAME = _word_of(b"system"), _word_of(b"coding"), _word_of(b"reference")  # fmt: skip
_CONTENT_NAME, _RESOURCE_TYPE_NAME = _word_of(b"contentType"), _word_of(b"resourceType")
_ID, _URL, _RESOURCE, _DISPLAY = _word_of(b"id"), _word_of(b"fullUrl"), _word_of(b"resource"), _word_of(b"display")  # fmt: skip
_PATIENT, _PLAIN_TEXT, _PAGE = _word_of(b"Patient"), _word_of(b"text/plain"), _word_of(b"text/html")


class Rules(NamedTuple):
    """A profile as arrays: names that lead from one element to the next, and what is done there.

    A row of `table` is an element, the bounds of a name in `names`, and the element below; its place is by a
    hash. `public` and `people` are texts one after another with their bounds, `persons` the elements that say whom a
    resource is about.
    """

    table: np.ndarray
    names: np.ndarray
    actions: np.ndarray
    flags: np.ndarray
    public: np.ndarray
    public_bounds: np.ndarray
    people: np.ndarray
    people_bounds: np.ndarray
    persons: np.ndarray
    persons_bounds: np.ndarray


@njit(cache=True, nogil=True)
def _number(raw, i, end):
    """Return the end of a number; −1 for anything else."""
    if raw[i] == 0x2D:
        i += 1
    first = i
    while i < end and 0x30 <= raw[i] <= 0x39:
        i += 1
    if i == first or (raw[first] == 0x30 and i > first + 1):
        return -1
    if i < end and raw[i] == 0x2E:
        first = i + 1
        i = first
        while i < end and 0x30 <= raw[i] <= 0x39:
            i += 1
        if i == first:
            return -1
    if i < end and (raw[i] == 0x65 or raw[i] == 0x45):
        i += 1
        if i < end and (raw[i] == 0x2B or raw[i] == 0x2D):
            i += 1
        first = i
        while i < end and 0x30 <= raw[i] <= 0x39:
            i += 1
        if i == first:
            return -1
    return i


@njit(cache=True, nogil=True)
def _lay_tape(raw, i, end, out, o, kind, tape):
    """Copy one object without space and list what is in it; give (tokens, written), −1 where slow.

    `tape` holds where each token begins and ends in the copy, and which one follows it on its level. A key is a
    string before its value.
    """
    level = np.empty(_DEEPEST, np.int64)
    count, depth = 0, 0
    while True:
        # a value is due
        i = _skip(raw, i, end)
        if i >= end:
            return -1, o
        c = raw[i]
        opened = False
        tape[count, 2] = count + 1
        if c == _QUOTE:
            kind[count] = _STRING
            tape[count, 0] = o + 1
            i, o = _string(raw, i, end, out, o, True)
            if i < 0:
                return -1, o
            tape[count, 1] = o - 1
        elif c == 0x7B or c == 0x5B:
            if depth == _DEEPEST:
                return -1, o
            kind[count] = _OBJECT if c == 0x7B else _ARRAY
            tape[count, 0] = o
            out[o] = c
            o += 1
            i = _skip(raw, i + 1, end)
            level[depth] = count
            depth += 1
            opened = i < end and raw[i] != c + 2
        else:
            after = _number(raw, i, end) if c == 0x2D or 0x30 <= c <= 0x39 else _word(raw, i, end)
            if after < 0:
                return -1, o
            kind[count] = _NULL if c == 0x6E else _SCALAR
            tape[count, 0] = o
            for k in range(i, after):
                out[o] = raw[k]
                o += 1
            tape[count, 1] = o
            i = after
        count += 1
        # what follows a value: the end of what is open, or another one
        while not opened and depth > 0:
            i = _skip(raw, i, end)
            if i >= end:
                return -1, o
            first = level[depth - 1]
            if raw[i] == _COMMA and count > first + 1:
                out[o] = _COMMA
                o += 1
                i += 1
                break
            if raw[i] != (0x7D if kind[first] == _OBJECT else 0x5D):
                return -1, o
            out[o] = raw[i]
            o += 1
            i += 1
            kind[count] = _END
            tape[count, 2] = count + 1
            count += 1
            tape[first, 1] = o
            tape[first, 2] = count
            depth -= 1
        if depth == 0:
            return (count if _skip(raw, i, end) >= end else -1), o
        if kind[level[depth - 1]] == _OBJECT:
            i = _skip(raw, i, end)
            if i >= end or raw[i] != _QUOTE:
                return -1, o
            kind[count] = _STRING
            tape[count, 0] = o + 1
            tape[count, 2] = count + 1
            i, o = _string(raw, i, end, out, o, True)
            if i < 0:
                return -1, o
            tape[count, 1] = o - 1
            count += 1
            i = _skip(raw, i, end)
            if i >= end or raw[i] != _COLON:
                return -1, o
            out[o] = _COLON
            o += 1
            i += 1


@njit(cache=True, nogil=True)
def _same(out, a, b, other, c, d):
    """Return whether two stretches of bytes are the same; places are not signed inside, which numba checks for each byte."""
    if b - a != d - c:
        return False
    first, second = types.uint64(a), types.uint64(c)
    for k in range(types.uint64(b - a)):
        if out[first + k] != other[second + k]:
            return False
    return True


@njit(cache=True, nogil=True)
def _is(out, a, b, word):
    return _same(out, a, b, word, 0, word.size)


@njit(cache=True, nogil=True)
def _begins(out, a, b, pool, bounds):
    """Return whether some bytes begin with one of the entries of a pool."""
    for k in range(bounds.size - 1):
        size = bounds[k + 1] - bounds[k]
        if b - a >= size and _same(out, a, a + size, pool, bounds[k], bounds[k + 1]):
            return True
    return False


@njit(cache=True, nogil=True)
def _solid(out, a, b):
    """Return whether some bytes are printable ASCII without space, quotes and backslashes, and there are any."""
    if b <= a:
        return False
    first = types.uint64(a)
    for k in range(types.uint64(b - a)):
        c = out[first + k]
        if c <= 0x20 or c >= 0x7F or c == 0x5C:
            return False
    return True


@njit(cache=True, nogil=True)
def _names_nobody(out, a, b):
    """Return whether some bytes hold neither an @ nor five digits in a row."""
    first, row = types.uint64(a), 0
    for k in range(types.uint64(max(0, b - a))):
        c = out[first + k]
        row = row + 1 if 0x30 <= c <= 0x39 else 0
        if row == 5 or c == 0x40:
            return False
    return True


@njit(cache=True, nogil=True)
def _is_plain(out, a, b, public, public_bounds):
    """Return whether a value has the form of a code, a unit or the name of a system."""
    if (
        b - a > 1 and out[a] == 0x5B and 0x41 <= out[a + 1] <= 0x5A
    ):  # as [NAME], which replaces text
        return False
    is_solid = _solid(out, a, b)
    if is_solid and b - a <= 64 and _names_nobody(out, a, b):
        return True
    if is_solid and _begins(out, a, b, public, public_bounds):
        return True
    if not _names_nobody(out, a, b):
        return False
    for k in range(a + 1, min(a + 65, b)):  # a type with a parameter
        if out[k] == 0x3B:
            rest = k + 2 if k + 1 < b and out[k + 1] == 0x20 else k + 1
            if b - rest <= 32 and _solid(out, a, k) and _solid(out, rest, b):
                return True
    return False


@njit(cache=True, nogil=True)
def _digits(out, a, b):
    """Return the number that some bytes spell; −1 where they are not all digits."""
    value = 0
    for k in range(a, b):
        if not 0x30 <= out[k] <= 0x39:
            return -1
        value = 10 * value + types.int64(out[k]) - 0x30
    return value


@njit(cache=True, nogil=True)
def _date_form(out, a, b):
    """Return 0 for no date, 1 for a year, 2 for a month or day, −1 for a form of a date that the walk in Python looks at."""
    size = b - a
    if size < 4 or _digits(out, a, a + 4) < 0:
        return 0
    year = _digits(out, a, a + 4)
    is_odd = year < 1000 or year > 9000
    if size == 4:
        return -1 if is_odd else 1
    if size < 7 or out[a + 4] != 0x2D or _digits(out, a + 5, a + 7) < 0:
        return 0
    is_odd = is_odd or not 1 <= _digits(out, a + 5, a + 7) <= 12
    if size == 7:
        return -1 if is_odd else 2
    if size < 10 or out[a + 7] != 0x2D or _digits(out, a + 8, a + 10) < 0:
        return 0
    is_odd = is_odd or not 1 <= _digits(out, a + 8, a + 10) <= 28
    if size == 10:
        return -1 if is_odd and not _is_day(out, a) else 2
    if (
        size < 16 or out[a + 10] != 0x54 or _digits(out, a + 11, a + 13) < 0
        or out[a + 13] != _COLON or _digits(out, a + 14, a + 16) < 0
    ):  # fmt: skip
        return 0
    i = a + 16
    if i + 3 <= b and out[i] == _COLON and _digits(out, i + 1, i + 3) >= 0:
        i += 3
        if i < b and out[i] == 0x2E:
            first = i + 1
            i = first
            while i < b and 0x30 <= out[i] <= 0x39:
                i += 1
            if not 1 <= i - first <= 9:
                return 0
    if i < b and out[i] == 0x5A:
        i += 1
    elif (
        i + 6 <= b and (out[i] == 0x2B or out[i] == 0x2D) and _digits(out, i + 1, i + 3) >= 0
        and out[i + 3] == _COLON and _digits(out, i + 4, i + 6) >= 0
    ):  # fmt: skip
        i += 6
    if i != b:
        return 0
    return -1 if is_odd and not _is_day(out, a) else 2


@njit(cache=True, nogil=True)
def _is_day(out, a):
    """Return whether there is such a day."""
    year, month = _digits(out, a, a + 4), _digits(out, a + 5, a + 7)
    day = _digits(out, a + 8, a + 10)
    if year < 1000 or year > 9000 or not 1 <= month <= 12 or day < 1:
        return False
    longest = 31
    if month == 4 or month == 6 or month == 9 or month == 11:
        longest = 30
    elif month == 2:
        longest = 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return day <= longest


@njit(cache=True, nogil=True)
def _letter(c):
    return 0x41 <= c <= 0x5A or 0x61 <= c <= 0x7A


@njit(cache=True, nogil=True)
def _by_form(out, a, b, public, public_bounds):
    """Return what is done to a string that no rule fits; −1 where that is left to the walk in Python."""
    form = _date_form(out, a, b)
    if form == -1:
        return -1
    if form == 2:
        return DATE
    if not _solid(out, a, b):
        return TEXT
    i = a
    if 0x61 <= out[a] <= 0x7A:  # an address: a scheme, a colon and more
        i += 1
        while i < b and i - a <= 20 and (
            0x61 <= out[i] <= 0x7A or 0x30 <= out[i] <= 0x39 or out[i] == 0x2B or out[i] == 0x2E or out[i] == 0x2D
        ):  # fmt: skip
            i += 1
        if i - a >= 2 and i + 1 < b and out[i] == _COLON:
            return KEEP if _begins(out, a, b, public, public_bounds) else REFERENCE
    elif 0x41 <= out[a] <= 0x5A:  # a kind, a slash and a name with a digit
        while i < b and _letter(out[i]):
            i += 1
        if 3 <= i - a <= 41 and i < b and out[i] == 0x2F:
            has_digit = False
            for k in range(i + 1, b):
                c = out[k]
                is_digit = 0x30 <= c <= 0x39
                has_digit = has_digit or is_digit
                if not (_letter(c) or is_digit or c == 0x2E or c == 0x2D):
                    return TEXT
            return REFERENCE if has_digit else TEXT
    return TEXT


@njit(cache=True, nogil=True)
def _special(out, a, b):
    """Return which of the names that decide about their neighbours some bytes are; −1 for none."""
    size = b - a
    if size == 6:
        return (
            _SYSTEM
            if _is(out, a, b, _SYSTEM_NAME)
            else _CODING
            if _is(out, a, b, _CODING_NAME)
            else -1
        )
    if size == 9:
        return _REFERENCE if _is(out, a, b, _REFERENCE_NAME) else -1
    if size == 11:
        return _CONTENT if _is(out, a, b, _CONTENT_NAME) else -1
    if size == 12:
        return _RESOURCE_TYPE if _is(out, a, b, _RESOURCE_TYPE_NAME) else -1
    return -1


@njit(cache=True, nogil=True)
def _is_display(out, a, b, kind, tape, coding, public, public_bounds):
    """Return whether a text repeats the words of a public code next to it."""
    if coding < 0 or kind[coding] != _ARRAY or b - a > _LONGEST_WORDS:
        return False
    token = coding + 1
    while kind[token] != _END:
        if kind[token] == _OBJECT:
            is_public, is_same = False, False
            key = token + 1
            while kind[key] != _END:
                value = key + 1
                if kind[value] == _STRING:
                    first, last = tape[value, 0], tape[value, 1]
                    if _special(out, tape[key, 0], tape[key, 1]) == _SYSTEM:
                        is_public = _begins(out, first, last, public, public_bounds)
                    elif _is(out, tape[key, 0], tape[key, 1], _DISPLAY):
                        is_same = _same(out, a, b, out, first, last)
                key = tape[value, 2]
            if is_public and is_same:
                return True
        token = tape[token, 2]
    return False


@njit(cache=True, nogil=True)
def hash_name(names, a, b, state):
    """Return where the name of an element below another one is looked for first."""
    found = types.uint64(0xCBF29CE484222325) ^ types.uint64(state)
    for k in range(a, b):
        found = (found ^ types.uint64(names[k])) * types.uint64(0x100000001B3)
    return types.int64((found ^ (found >> types.uint64(29))) & types.uint64(0x7FFFFFFF))


@njit(cache=True, nogil=True)
def _below(out, a, b, state, table, names):
    """Return the element of a name below another one; −1 for one that was not met before."""
    size = table.shape[0]
    at = hash_name(out, a, b, state) % size
    while table[at, 0] >= 0:
        if table[at, 0] == state and _same(out, a, b, names, table[at, 1], table[at, 2]):
            return table[at, 3]
        at = at + 1 if at + 1 < size else 0
    return -1


@njit(cache=True, nogil=True)
def _open(out, kind, tape, token, special, depth):
    """Note the members of an object that decide about others; return whether no name is there twice."""
    for k in range(_SPECIAL):
        special[depth, k] = -1
    count, key = 0, token + 1
    while kind[key] != _END:
        a, b = tape[key, 0], tape[key, 1]
        other, seen = token + 1, 0
        while seen < count:
            if _same(out, a, b, out, tape[other, 0], tape[other, 1]):
                return False
            other = tape[other + 1, 2]
            seen += 1
        name = _special(out, a, b)
        if name >= 0:
            special[depth, name] = key + 1
        count += 1
        if count > _MOST_MEMBERS:
            return False
        key = tape[key + 1, 2]
    return True


@njit(cache=True, nogil=True)
def _refers(out, kind, tape, token):
    """Return the reference of an object, or of the first in an array; −1 for none."""
    if kind[token] == _ARRAY:
        token += 1
    if kind[token] != _OBJECT:
        return -1
    key = token + 1
    while kind[key] != _END:
        if kind[key + 1] == _STRING and _special(out, tape[key, 0], tape[key, 1]) == _REFERENCE:
            return key + 1 if tape[key + 1, 0] < tape[key + 1, 1] else -1
        key = tape[key + 1, 2]
    return -1


@njit(cache=True, nogil=True)
def _set(row, at, tape, token):
    row[at], row[at + 1] = tape[token, 0], tape[token, 1]


@njit(cache=True, nogil=True)
def _describe(out, kind, tape, token, persons, bounds, row):
    """Note the kind and id of a resource and whom it is about; return whether it is one, as it should be."""
    is_named, best = False, bounds.size
    key = token + 1
    while kind[key] != _END:
        a, b, value = tape[key, 0], tape[key, 1], key + 1
        if _special(out, a, b) == _RESOURCE_TYPE:
            first, last = tape[value, 0], tape[value, 1]
            if kind[value] != _STRING or first == last:
                return False
            for k in range(first, last):
                if not _letter(out[k]):
                    return False
            _set(row, KIND, tape, value)
            is_named = True
        elif _is(out, a, b, _ID):
            if kind[value] != _STRING:
                return False
            _set(row, ID, tape, value)
        else:
            for k in range(min(best, bounds.size - 1)):
                if _same(out, a, b, persons, bounds[k], bounds[k + 1]):
                    found = _refers(out, kind, tape, value)
                    if found >= 0:
                        _set(row, PERSON, tape, found)
                        best = k
                    break
        key = tape[value, 2]
    if is_named and _is(out, row[KIND], row[KIND + 1], _PATIENT):
        row[PERSON], row[PERSON + 1] = 0, -1
    return is_named


@njit(cache=True, nogil=True)
def _decide_reference(out, first, end, people, bounds):
    """Return what is done to the words of a reference: those that name a person go."""
    last = first
    while last < end and out[last] != 0x2F and out[last] != 0x3F:
        if out[last] >= 0x80:
            return -1
        if not _letter(out[last]):
            return DROP
        last += 1
    if first == last:
        return DROP
    for k in range(bounds.size - 1):
        if _same(out, first, last, people, bounds[k], bounds[k + 1]):
            return DROP
    return TEXT


@njit(cache=True, nogil=True)
def _decide(out, a, b, action, flag, system, public, public_bounds):
    """Return what is done to a string alone, or as the code of a system; −1 where that is left to the walk in Python."""
    if action == CODE:
        if system:
            return KEEP if b - a <= _LONGEST_WORDS else -1
        is_code = flag & NAME_CODE and _is_plain(out, a, b, public, public_bounds)
        return KEEP if is_code else TEXT
    if action == KEEP and _is_plain(out, a, b, public, public_bounds):
        return KEEP
    if action == KEEP or action == 0:
        return _by_form(out, a, b, public, public_bounds)
    if action == DATE:
        form = _date_form(out, a, b)
        return -1 if form < 0 else DATE if form > 0 else TEXT
    return action


@njit(cache=True, nogil=True)
def _content_kind(out, first, end):
    """Return how an attachment of a type is read; −1 where that is left to the walk in Python."""
    last = first
    while last < end and out[last] != 0x3B:
        last += 1
    if _is(out, first, last, _PLAIN_TEXT):
        return BASE64
    return PAGE64 if _is(out, first, last, _PAGE) else -1


@njit(cache=True, nogil=True)
def _walk(out, kind, tape, entry, rules, events, n, row, special, levels):
    """List what is done in one line; give (status, events in all).

    `entry` is the element of an entry of a bundle, or −1 where the line is the resource itself. `special` and
    `levels` are room for what is open.
    """
    states, parents, is_object, kept = levels[0], levels[1], levels[2], levels[3]
    if kind[0] != _OBJECT:
        return SLOW, n
    table, names, actions, flags = rules.table, rules.names, rules.actions, rules.flags
    public, public_bounds = rules.public, rules.public_bounds
    people, people_bounds = rules.people, rules.people_bounds
    main = 0
    if entry >= 0:
        main, key = -1, 1
        while kind[key] != _END:
            if kind[key + 1] == _OBJECT and _is(out, tape[key, 0], tape[key, 1], _RESOURCE):
                main = key + 1
            elif kind[key + 1] == _STRING and _is(out, tape[key, 0], tape[key, 1], _URL):
                _set(row, URL, tape, key + 1)
            key = tape[key + 1, 2]
    if main < 0 or not _describe(out, kind, tape, main, rules.persons, rules.persons_bounds, row):
        return SLOW, n
    depth, token, state, action, flag, inside = 0, 0, entry, 0, 0, False
    parents[0] = 0
    while True:
        value = token
        if depth > 0:
            if kind[token] == _END:
                depth -= 1
                token += 1
                if depth == 0:
                    return TAKEN, n
                continue
            inside, state = is_object[depth] == 1, states[depth]
            if inside:
                value = token + 1
                state = _below(out, tape[token, 0], tape[token, 1], state, table, names)
                if state < 0:
                    row[KIND], row[ID], row[ID + 1] = states[depth], tape[token, 0], tape[token, 1]
                    return MISSING, n
            action, flag = actions[state], flags[state]
        parent = depth if inside else parents[depth]
        what, code = kind[value], KEEP
        a, b = tape[value, 0], tape[value, 1]
        if inside and action == DROP:
            code = EXTENSION if flag & NAME_EXTENSION else DROP
        elif what == _STRING:
            other, is_public = special[parent, _SYSTEM], False
            if action == CODE and other >= 0 and kind[other] == _STRING:
                if special[parent, _PUBLIC] < 0:  # asked once for an object
                    special[parent, _PUBLIC] = _begins(out, tape[other, 0], tape[other, 1], public, public_bounds)  # fmt: skip
                is_public = special[parent, _PUBLIC] == 1
            code = _decide(out, a, b, action, flag, is_public, public, public_bounds)
            if action == CODE and not is_public:
                other = special[parent, _REFERENCE]
                if other >= 0 and kind[other] == _STRING:
                    code = _decide_reference(out, tape[other, 0], tape[other, 1], people, people_bounds)  # fmt: skip
            elif action == TEXT and flag & NAME_TEXT:
                if _is_display(out, a, b, kind, tape, special[parent, _CODING], public, public_bounds):  # fmt: skip
                    code = KEEP
            elif action == BASE64:
                other = special[parent, _CONTENT]
                is_text = other >= 0 and kind[other] == _STRING
                code = _content_kind(out, tape[other, 0], tape[other, 1]) if is_text else -1
        elif what == _NULL:
            code = REMOVE
        elif what == _SCALAR:
            is_id = action == IDENTIFIER or action == REFERENCE or action == BASE64
            code = DROP if is_id and not _letter(out[a]) else KEEP
        if code < 0 or (code >= DROP and code != PAGE64 and not inside):
            return SLOW, n
        if code == DROP or code == EXTENSION or code == REMOVE:
            a, b = tape[token, 0] - 1, b + (what == _STRING)
            if kept[depth]:
                a -= 1
            elif out[b] == _COMMA:
                b += 1
            row[DROPPED] += code == DROP
            row[EXTENSIONS] += code == EXTENSION
            code = DROP
        elif inside:
            kept[depth] = 1
        if code != KEEP:
            events[n, 0], events[n, 1], events[n, 2] = code, a, b
            n += 1
            row[TEXTS] += code == TEXT or code == XHTML or code == BASE64 or code == PAGE64
        if code == KEEP and (what == _OBJECT or what == _ARRAY):
            depth += 1
            states[depth], parents[depth] = state, parent
            is_object[depth], kept[depth] = what == _OBJECT, 0
            token = value + 1
            if what == _OBJECT:
                if not _open(out, kind, tape, value, special, depth):
                    return SLOW, n
                named = special[depth, _RESOURCE_TYPE]
                if named >= 0 and (depth > 1 or entry < 0):
                    if kind[named] != _STRING or (flag & NAME_RESOURCE and value != main):
                        return SLOW, n
                    states[depth] = _below(out, tape[named, 0], tape[named, 1], 0, table, names)
                    if states[depth] < 0:
                        row[KIND], row[ID], row[ID + 1] = 0, tape[named, 0], tape[named, 1]
                        return MISSING, n
        else:
            token = tape[value, 2]


@njit(cache=True, nogil=True)
def scan_resources(raw, bounds, first, entry, rules, out, kind, tape, events, rows):
    """Scan lines from one on; return the line at which a name is missing, or how many there are."""
    special, levels = (
        np.empty((_DEEPEST + 1, _SPECIAL), np.int64),
        np.empty((4, _DEEPEST + 1), np.int64),
    )
    o, n = 0, 0
    if first > 0:
        o, n = rows[first - 1, END], rows[first - 1, LAST]
    for line in range(first, bounds.size - 1):
        row = rows[line]
        row[:] = 0
        row[PERSON + 1], row[URL + 1], row[ID + 1] = -1, -1, -1
        row[BEGIN], row[FIRST] = o, n
        status, end, found = SLOW, o, n
        if bounds[line + 1] - bounds[line] < kind.size:
            count, end = _lay_tape(raw, bounds[line], bounds[line + 1], out, o, kind, tape)
            if count > 0:
                status, found = _walk(
                    out, kind, tape, entry, rules, events, n, row, special, levels
                )
        row[STATUS] = status
        if status == TAKEN:
            o, n = end, found
        row[END], row[LAST] = o, n
        if status == MISSING:
            return line
    return bounds.size - 1
