"""Underlines and fills behind words: their width is that of the words, so they are removed with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .interpret import IDENTITY, Matrix, StreamContent, multiply
from .scan import StreamOperator

__all__ = ["CutBox", "find_rules"]

CutBox = tuple[float, float, float, float, float]
"""The box of a cut in the space of its stream (left, bottom, right, top), and the size of its letters."""
_N = rb"([-+]?+(?:\d++\.?+\d*+|\.\d++))"
_S = rb"[\x00\t\n\x0c\r ]++"
_LINE = re.compile(
    _N + _S + _N + _S + rb"m" + _S + _N + _S + _N + _S + rb"l" + _S + rb"[Ss](?![A-Za-z*])"
)
_RECTANGLE = re.compile(
    _N + _S + _N + _S + _N + _S + _N + _S + rb"re" + _S + rb"(?:f\*|f|F)(?![A-Za-z*])"
)
# Before it nothing may have begun a path, which would then have no end.
_BEFORE = re.compile(
    rb"(?:^|[\x00\t\n\x0c\r ])(?:n|S|s|f|F|f\*|B|B\*|b|b\*|rg|RG|g|G|k|K|w|J|j|M|d|i|ri|cs|CS|sc|SC|scn|SCN|EMC|BDC|BMC)"
    rb"[\x00\t\n\x0c\r ]+\Z"
)
_LONGEST = 40  # bytes before a path that an operator and the space after it have
_BLANK = re.compile(rb"[\x00\t\n\x0c\r ]*+")
_SHORTEST = len(b"0 0 0 0 re f")
_THIN, _TALL = 0.15, 2.5  # of the size of the letters
_UPRIGHT = 1.3  # of the size of the letters: what is higher is written from bottom to top


def find_rules(stream: StreamContent, boxes: Sequence[CutBox]) -> Iterator[tuple[int, int]]:
    """Yield the bytes of thin rules along a cut, and of fills that are as wide as one.

    Parameters
    ----------
    stream : StreamContent
        The stream as it was.
    boxes : sequence of CutBox
        What is cut from it.

    """
    lines: list[tuple[int, int, tuple[float, ...]]] = []
    ends: list[set[tuple[int, int]]] = [set(), set()]  # of level and of upright lines
    for start, end, matrix in _between(stream.operators, len(stream.content)) if boxes else ():
        if end - start < _SHORTEST:
            continue
        between = stream.content[start:end]
        for match in _LINE.finditer(between) if b"m" in between else ():
            x0, y0, x1, y1 = (float(v) for v in match.groups())
            box = _box(matrix, x0, y0, x1, y1)
            ends[_is_upright(box)] |= _corners(box)
            if _is_along(box, boxes) and _begins(between, match.start()):
                lines.append((start + match.start(), start + match.end(), box))
        for match in _RECTANGLE.finditer(between) if b"re" in between else ():
            x0, y0, wide, high = (float(v) for v in match.groups())
            box = _box(matrix, x0, y0, x0 + wide, y0 + high)
            if _is_along(box, boxes) and _begins(between, match.start()):
                yield start + match.start(), start + match.end()
    for begin, last, line in lines:
        # One that meets another at a corner is the edge of a cell; nothing meets an underline.
        is_edge = not ends[not _is_upright(line)].isdisjoint(_corners(line))
        if not is_edge or _is_as_wide(line, boxes):
            yield begin, last


def _is_upright(box: Sequence[float]) -> bool:
    return box[3] - box[1] > box[2] - box[0]


def _corners(box: Sequence[float]) -> set[tuple[int, int]]:
    """Return the ends of a line, in quarters of a point."""
    return {(round(4 * box[0]), round(4 * box[1])), (round(4 * box[2]), round(4 * box[3]))}


def _is_as_wide(box: Sequence[float], cuts: Sequence[CutBox]) -> bool:
    """Return whether a line is as wide as one of the cuts."""
    return any(
        box[0] > a - 0.6 * size and box[2] < c + 0.6 * size and b - size < box[1] < d + size
        for a, b, c, d, size in cuts
    )


def _begins(between: bytes, at: int) -> bool:
    is_first = _BLANK.fullmatch(between, 0, at) is not None
    return is_first or _BEFORE.search(between, max(0, at - _LONGEST), at) is not None


def _between(operators: Sequence[StreamOperator], size: int) -> Iterator[tuple[int, int, Matrix]]:
    """Yield the stretches between operators that place something, with the matrix that holds there."""
    matrix, saved, at = IDENTITY, list[Matrix](), 0
    for operator in operators:
        yield at, operator.start, matrix
        at = operator.end
        if operator.name == "q":
            saved.append(matrix)
        elif operator.name == "Q" and saved:
            matrix = saved.pop()
        elif operator.name == "cm":
            a, b, c, d, e, f = (v for v in operator.operands[-6:] if isinstance(v, float))
            matrix = multiply((a, b, c, d, e, f), matrix)
    yield at, size, matrix


def _box(m: Matrix, x0: float, y0: float, x1: float, y1: float) -> tuple[float, ...]:
    x = [m[0] * x + m[2] * y + m[4] for x in (x0, x1) for y in (y0, y1)]
    y = [m[1] * x + m[3] * y + m[5] for x in (x0, x1) for y in (y0, y1)]
    return min(x), min(y), max(x), max(y)


def _is_along(box: Sequence[float], cuts: Sequence[CutBox]) -> bool:
    left, bottom, right, top = box
    for a, b, c, d, size in cuts:
        # Underlines and lines through a word are near to it; the rules of a table keep away.
        if not b - 0.05 * size < (bottom + top) / 2 < d or left > c or right < a:
            continue
        if min(right - left, top - bottom) <= _THIN * size:
            # A rule of a table, below a heading or of an axis is much longer than the words that it is near to, and
            # one across the words says nothing about them.
            is_upright = top - bottom > right - left
            long, words = (top - bottom, d - b) if is_upright else (right - left, c - a)
            if long < 3 * words + 4 * size and not (is_upright and words < _UPRIGHT * size):
                return True
        elif top - bottom < _TALL * size and left > a - 0.6 * size and right < c + 0.6 * size:
            return True
    return False
