"""Removes text objects and groups that draw nothing after a cut: their number would reveal that of the letters.

Only what an edit can have emptied is looked at. It reaches from the edit over the operators around it that draw
nothing; what is beyond them is written as it was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .interpret import StreamContent

__all__ = ["MOVES", "STATE", "ByteEdit", "splice", "without_empty"]

MOVES = ("Td", "TD", "Tm", "T*")
STATE = ("Tf", "Tc", "Tw", "Tz", "TL", "Ts", "Tr", "gs")
_EMPTY = frozenset(["q", "Q", "BT", "ET", "cm", *MOVES, *STATE])
_OPENS = {"Q": "q", "ET": "BT"}
_SPACE = b"\x00\t\n\x0c\r "
_DEEPEST = 8

ByteEdit = tuple[int, int, bytes]
"""From where to where a stream is changed, and what is there now."""


@dataclass(slots=True)
class _Token:
    """An operator after the edits: its name, "" for one that draws, its bytes, and what is before it."""

    name: str
    content: bytes
    before: bytes


def splice(content: bytes, start: int, end: int, edits: Sequence[ByteEdit]) -> bytes:
    """Return the bytes from `start` to `end` with their edits."""
    pieces, at = [], start
    for first, last, new in edits:
        pieces += [content[at:first], new]
        at = last
    pieces.append(content[at:end])
    return b"".join(pieces)


def without_empty(stream: StreamContent, edits: Sequence[ByteEdit]) -> list[ByteEdit]:
    """Return edits that also remove the groups which the given ones leave empty.

    Parameters
    ----------
    stream : StreamContent
        The stream as it was.
    edits : sequence of (int, int, bytes)
        What changes in it, in order: whole operators, or bytes between two.

    """
    found = []
    for low, high, own in _windows(stream, edits):
        start = min(own[0][0], stream.operators[low].start) if stream.operators else own[0][0]
        end = max(own[-1][1], stream.operators[high].end) if stream.operators else own[-1][1]
        tokens, rest = _tokens(stream, low, high, start, end, own)
        for _ in range(_DEEPEST):
            empty = list(_empty_spans(tokens))
            if not empty:
                break
            for first, last in reversed(empty):
                del tokens[first : last + 1]
        new = b" ".join(
            part for token in tokens for part in (token.before.strip(_SPACE), token.content) if part
        )
        found.append((start, end, b" " + new + b" " + rest.strip(_SPACE) + b" "))
    return found


def _windows(
    stream: StreamContent, edits: Sequence[ByteEdit]
) -> Iterator[tuple[int, int, list[ByteEdit]]]:
    """Yield the first and the last operator of each stretch that may hold an empty group, and its edits."""
    operators, content = stream.operators, stream.content
    starts, ends = [o.start for o in operators], [o.end for o in operators]

    def reaches(one: int, other: int) -> bool:
        gap = content[ends[min(one, other)] : starts[max(one, other)]]
        return operators[one].name in _EMPTY and not gap.strip(_SPACE)

    window: tuple[int, int, list[ByteEdit]] | None = None
    for edit in edits:
        before, after = bisect_left(starts, edit[1]) - 1, bisect_right(ends, edit[0])
        low, high = max(0, min(before, after)), min(len(operators) - 1, max(before, after))
        if window is not None and high <= window[1]:
            window[2].append(edit)
            continue
        while low > 0 and reaches(low - 1, low):
            low -= 1
        while high + 1 < len(operators) and reaches(high + 1, high):
            high += 1
        if window is not None and low <= window[1]:
            window[2].append(edit)
            window = (window[0], high, window[2])
            continue
        if window is not None:
            yield window
        window = (low, high, [edit])
    if window is not None:
        yield window


def _tokens(
    stream: StreamContent, low: int, high: int, start: int, end: int, edits: Sequence[ByteEdit]
) -> tuple[list[_Token], bytes]:
    """Return the operators of a stretch after its edits, and the bytes after the last of them."""
    tokens: list[_Token] = []
    before, at, number = b"", start, 0
    for operator in stream.operators[low : high + 1]:
        between = []
        while number < len(edits) and edits[number][1] <= operator.start:
            between.append(edits[number])
            number += 1
        before += splice(stream.content, at, operator.start, between)
        at = operator.end
        name, content = operator.name, stream.content[operator.start : operator.end]
        if number < len(edits) and edits[number][0] == operator.start:
            content = edits[number][2].strip(_SPACE)
            name = "TL" if content.endswith(b" TL") else ""
            number += 1
        if content:
            tokens.append(_Token(name, content, before))
            before = b""
        else:
            before += b" "
    return tokens, before + splice(stream.content, at, end, edits[number:])


def _empty_spans(tokens: Sequence[_Token]) -> Iterator[tuple[int, int]]:
    """Yield groups and text objects that draw nothing, and set nothing that lasts."""
    opened: list[int] = []
    done = -1
    for i, token in enumerate(tokens):
        if token.before.strip(_SPACE):
            opened.clear()
        if token.name in ("q", "BT"):
            opened.append(i)
        elif token.name in _OPENS:
            if not opened or tokens[opened[-1]].name != _OPENS[token.name]:
                opened.clear()
                continue
            first = opened.pop()
            states = {t.name for t in tokens[first + 1 : i]} & set(STATE)
            lasts = token.name == "ET" and not states <= _set_next(tokens, i)
            if first > done and not lasts and not tokens[first].before.strip(_SPACE):
                done = i
                yield first, i
        elif token.name not in _EMPTY:
            opened.clear()


def _set_next(tokens: Sequence[_Token], at: int) -> set[str]:
    """Return the text state that the text object after a token sets before it shows anything."""
    found: set[str] = set()
    for _, token in pairwise(tokens[at:]):
        if token.before.strip(_SPACE) or token.name not in ("BT", *MOVES, *STATE):
            break
        found.add(token.name)
    return found
