"""Seeded mutations of good files: bytes, lines, numbers, JSON values, and pieces that parsers stumble over."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

PIECES = [
    b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\r\n", b"\n\n",
    b"\t", b",", b";", b'"', b'""', b"'", b"\\", b"\\u0000", b"\\ud800", b"{", b"}", b"[", b"]", b"[[[[",
    b"null", b"true", b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-0", b"0", b"-1", b"1.5",
    b"99999999999999999999", b"9223372036854775807", b"999999999", b"4294967296", b"2147483648", b"1e18",
    b"../../../tmp/sly", b"/etc/passwd", b"a/../b", b"con", b"=1+1", b"+1", b"-1+1", b"@SUM(A1)", b"|",
    b"id", b"text", b"spans", b"start", b"end", b"label", b"T1\tNAME 0 3\tAnn", b"T1\tNAME 0 1;2 3\tx",
    b"\xe2\x80\x8b", b"\xf0\x9f\x98\x80", b"\xcc\x81", b"\xe2\x80\xae", b"(", b"((((((((", b"*", b"$",
    b"range", b"[0, 1000000000000]", b"observed", b"a = [", b"[[attribute]]", b"PK\x03\x04", b"\x1f\x8b\x08",
    b"1:1", b"1:", b":1", b"0:1", b"-3:1", b"5:x", b"count", b"y",
]  # fmt: skip

# Values in the place of others; the document around them stays good JSON.
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 1.5, -0.0, 2**31, 2**63, -(2**63), 10**30, 1e308, float("nan"), float("inf"), "", "x",
    "0", "NaN", "\x00", "\ud800", "../../x", [], [[]], [0], ["x"], {}, {"": 0}, {"x": []},
]  # fmt: skip

_WORD = re.compile(rb"\w+")
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")


def mutated(seeds: Sequence[bytes], dice: np.random.Generator) -> bytes:
    """Return a changed copy of one of the seeds; now and then nothing but noise."""
    if dice.random() < 0.02:
        return dice.bytes(int(dice.integers(0, 300)))
    data = bytearray(seeds[int(dice.integers(len(seeds)))])
    if data[:1] in (b"{", b"[") and dice.random() < 0.5:
        return _changed_json(bytes(data), dice)
    for _ in range(int(dice.geometric(0.6))):
        kind = int(dice.integers(12))
        place = int(dice.integers(len(data) + 1))
        length = int(dice.integers(1, 40))
        if kind == 0 and data:
            data[place % len(data)] = int(dice.integers(256))
        elif kind == 1:
            del data[place : place + length]
        elif kind == 2:
            data[place:place] = PIECES[int(dice.integers(len(PIECES)))]
        elif kind == 3:
            data[place : place + length] = PIECES[int(dice.integers(len(PIECES)))]
        elif kind == 4:
            data[place:place] = data[place : place + length] * int(dice.integers(1, 5))
        elif kind == 5:
            del data[place:]
        elif kind == 6:
            numbers = list(_NUMBER.finditer(bytes(data)))
            if numbers:
                found = numbers[int(dice.integers(len(numbers)))]
                data[found.start() : found.end()] = PIECES[int(dice.integers(26, 40))]
        elif kind == 7:
            lines = bytes(data).splitlines(keepends=True)
            if len(lines) > 1:
                a, b = dice.integers(len(lines), size=2)
                lines[a], lines[b] = lines[b], lines[a] * int(dice.integers(0, 3))
                data = bytearray(b"".join(lines))
        elif kind in (8, 9, 10):  # words change places or give way: the grammar often survives
            words = list(_WORD.finditer(bytes(data)))
            if words:
                found = words[int(dice.integers(len(words)))]
                other = words[int(dice.integers(len(words)))]
                given = PIECES[int(dice.integers(len(PIECES)))] if kind == 8 else other[0]
                data[found.start() : found.end()] = given
        else:
            donor = seeds[int(dice.integers(len(seeds)))]
            start = int(dice.integers(len(donor) + 1))
            data[place : place + length] = donor[start : start + length]
    return bytes(data)


def _changed_json(data: bytes, dice: np.random.Generator) -> bytes:
    """Change values of one of the JSON documents of a file, each on lines of its own."""
    start = 0
    documents: list[tuple[int, int, Any]] = []
    text = data.decode("utf-8", "surrogateescape")
    while (found := re.compile(r"[\[{]").search(text, start)) is not None:
        try:
            value, end = json.JSONDecoder().raw_decode(text, found.start())
        except ValueError:
            break
        documents.append((found.start(), end, value))
        start = end
    if not documents:
        return data
    start, end, value = documents[int(dice.integers(len(documents)))]
    for _ in range(int(dice.geometric(0.6))):
        _change_value(value, dice)
    changed = text[:start] + json.dumps(value) + text[end:]
    return changed.encode("utf-8", "surrogateescape")


def _change_value(value: Any, dice: np.random.Generator) -> None:
    """Walk down to some value and put another in its place, take it away, or double it."""
    while True:
        keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = keys[int(dice.integers(len(keys)))]
        if isinstance(value[key], dict | list) and value[key] and dice.random() < 0.85:
            value = value[key]
            continue
        kind = int(dice.integers(5))
        other = copy.deepcopy(value[keys[int(dice.integers(len(keys)))]])
        if kind == 0:
            del value[key]
        elif kind == 1:
            value[key] = other
        elif kind == 2 and isinstance(value, list):
            value.insert(int(key), other)
        elif kind == 3 and isinstance(value[key], int | float):
            value[key] = value[key] * 2 + int(dice.integers(-2, 3))
        else:
            value[key] = copy.deepcopy(VALUES[int(dice.integers(len(VALUES)))])
        return
