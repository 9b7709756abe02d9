"""Further orders in which the pages of a PDF can be read.

A page is drawn in any order: line by line across two columns, cell by cell, notes between lines. Each order is a
list of indices into the text, -1 for a space. Only what an order puts side by side for the first time is kept,
with a piece of context on both sides; the rest was read already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .read import RIGHT_TO_LEFT, PageText, PdfText

__all__ = ["find_pieces", "read_orders"]

_LAST, _FIRST = (
    8,
    4,
)  # lines at the foot of a page and at the head of the next that may belong together
_AROUND = 40  # characters on both sides of a page break
_DEPTH = 40
_HYPHENS = "-\u00ad\u2010"
_MARKS = "*†‡§"


@dataclass(frozen=True, eq=False)
class TextPiece:
    """Characters of one line without a wide gap, and the box around them."""

    indices: tuple[int, ...]
    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """The height of the box."""
        return self.top - self.bottom

    @property
    def middle(self) -> float:
        """The height on the page."""
        return (self.top + self.bottom) / 2


def find_pieces(page: PageText) -> list[TextPiece]:
    """Return the pieces of lines of a page, in the order in which they are drawn."""
    found: list[TextPiece] = []
    current: list[int] = []
    boxes = page.box.tolist()
    origins = page.origin.tolist()
    last: tuple[float, float, float, float] | None = None

    def close() -> None:
        drawn = [boxes[i] for i in current if not page.text[i].isspace()]
        if drawn:
            found.append(TextPiece(
                tuple(current), min(b[0] for b in drawn), min(b[1] for b in drawn),
                max(b[2] for b in drawn), max(b[3] for b in drawn),
            ))  # fmt: skip
        current.clear()

    for i, character in enumerate(page.text):
        if character == "\n":
            close()
            last = None
            continue
        if not character.isspace():
            left, bottom, right, top = boxes[i]
            y = origins[i][1]
            if last is not None:
                height = max(last[3], top - bottom, 1.0)
                apart = abs(y - last[1]) > 0.45 * height or left - last[0] > 0.5 * height
                if apart or left < last[2] - 0.5 * height:
                    close()
            last = (right, y, left, top - bottom)
        current.append(i)
    close()
    return found


# --- orders of the pieces of a page --------------------------------------------------------------


def _widest_gap(ranges: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """Return the widest empty stretch between ranges, and its middle."""
    ordered = sorted(ranges)
    best, middle, end = 0.0, 0.0, ordered[0][1]
    for low, high in ordered[1:]:
        if low - end > best:
            best, middle = low - end, (low + end) / 2
        end = max(end, high)
    return best, middle


def _cut_in_two(pieces: list[TextPiece], depth: int = 0) -> list[TextPiece]:
    """Order pieces by cuts at white gaps, columns before lines (an XY-cut)."""
    if len(pieces) < 2 or depth > _DEPTH:
        return pieces
    across, x = _widest_gap((p.left, p.right) for p in pieces)
    down, y = _widest_gap((p.bottom + 0.2 * p.height, p.top - 0.2 * p.height) for p in pieces)
    height = sorted(p.height for p in pieces)[len(pieces) // 2]
    if across >= max(0.6 * height, 4):
        halves = [p for p in pieces if p.right < x], [p for p in pieces if p.left > x]
    elif down > 0:
        halves = [p for p in pieces if p.middle > y], [p for p in pieces if p.middle <= y]
    else:
        return sorted(pieces, key=lambda p: (-round(p.bottom), p.left))
    return [*_cut_in_two(halves[0], depth + 1), *_cut_in_two(halves[1], depth + 1)]


def _rows(pieces: list[TextPiece]) -> list[TextPiece]:
    """Order pieces by their height on the page, then from left to right."""
    rows: list[tuple[float, list[TextPiece]]] = []
    for piece in sorted(pieces, key=lambda p: -p.middle):
        if rows and rows[-1][0] - piece.middle < 0.5 * piece.height:
            rows[-1][1].append(piece)
        else:
            rows.append((piece.middle, [piece]))
    return [piece for _, row in rows for piece in sorted(row, key=lambda p: p.left)]


def _columns(pieces: list[TextPiece]) -> list[TextPiece]:
    """Order pieces by the left edges that they share, then from top to bottom."""
    edges: list[float] = []
    for left in sorted(p.left for p in pieces):
        if not edges or left - edges[-1] > 40:
            edges.append(left)
    return sorted(
        pieces,
        key=lambda p: (max(i for i, e in enumerate(edges) if p.left >= e - 0.01), -round(p.bottom), p.left),
    )  # fmt: skip


# --- what an order adds --------------------------------------------------------------------------


def _new_stretches(
    ordered: Sequence[TextPiece], seen: set[tuple[int, int]]
) -> Iterator[Sequence[TextPiece]]:
    """Yield the stretches of an order in which pieces are neighbours for the first time."""
    fresh = []
    for i, (one, other) in enumerate(pairwise(ordered)):
        pair = (one.indices[0], other.indices[0])
        if pair not in seen:
            seen.add(pair)
            fresh.append(i)
    start = end = -1
    for i in fresh:
        first, last = max(0, i - 1), min(len(ordered), i + 3)
        if first > end:
            if end > 0:
                yield ordered[start:end]
            start = first
        end = last
    if end > 0:
        yield ordered[start:end]


def _join(stretches: Iterable[Sequence[TextPiece]], shift: int) -> list[int]:
    order: list[int] = []
    for stretch in stretches:
        for piece in stretch:
            order += [i + shift for i in piece.indices]
            order.append(-1)
        order.append(-1)
    return order


def _without_marks(page: PageText, piece: TextPiece) -> TextPiece | None:
    """Return a piece without the small raised numbers of footnotes; None where it has none."""
    heights = {i: float(page.box[i][3] - page.box[i][1]) for i in piece.indices}
    drawn = sorted(h for i, h in heights.items() if not page.text[i].isspace())
    usual = drawn[len(drawn) // 2]
    kept = tuple(
        i for i in piece.indices
        if page.text[i].isspace() or heights[i] > 0.78 * usual
        or not (page.text[i].isdigit() or page.text[i] in _MARKS)
    )  # fmt: skip
    if len(kept) == len(piece.indices) or not kept:
        return None
    return TextPiece(kept, piece.left, piece.bottom, piece.right, piece.top)


def _initials(page: PageText, pieces: list[TextPiece], shift: int) -> list[int]:
    """Return large initial letters, each with the piece at its right."""
    order: list[int] = []
    usual = sorted(p.height for p in pieces)[len(pieces) // 2]
    for initial in pieces:
        letters = [i for i in initial.indices if not page.text[i].isspace()]
        if len(letters) > 2 or initial.height < 1.6 * usual or not page.text[letters[0]].isalpha():
            continue
        beside = [
            p for p in pieces
            if p is not initial and -2 < p.left - initial.right < 1.5 * usual
            and initial.bottom - 2 < p.middle < initial.top + 2
        ]  # fmt: skip
        if beside:
            first = max(beside, key=lambda p: p.top)
            order += [i + shift for i in (*letters, *first.indices)] + [-1, -1]
    return order


def _hyphens(text: str) -> list[int]:
    """Return the words that a hyphen divides at the end of a line, without hyphen and break."""
    order: list[int] = []
    for match in re.finditer(rf"(\S*\w)([{_HYPHENS}]\s*\n\s*|[\u00ad\u2010])(\w\S*)", text):
        before = max(0, text.rfind("\n", 0, match.start()) + 1)
        after = text.find("\n", match.end())
        order += [*range(before, match.end(1))]
        order += [*range(match.start(3), len(text) if after < 0 else after), -1, -1]
    return order


def _turn_round(text: str) -> list[int]:
    """Return the lines that hold right-to-left letters, turned round."""
    order: list[int] = []
    for line in re.finditer(r"[^\n]+", text):
        if RIGHT_TO_LEFT.search(line[0]):
            order += [*range(line.end() - 1, line.start() - 1, -1), -1]
    return order


def _upside_down(page: PageText, shift: int) -> list[int]:
    """Return the lines that are turned by half a turn, their words the other way round.

    pdfium goes by where words begin, from left to right, and reads such a line from its end.
    """
    order: list[int] = []
    across = np.diff(page.origin[:, 0]) < 0
    for line in re.finditer(r"[^\n]+", page.text):
        words = [word.span() for word in re.finditer(r"\S+", line[0])]
        inside = [i for a, b in words for i in range(line.start() + a, line.start() + b - 1)]
        if len(words) < 2 or not inside or 2 * np.count_nonzero(across[inside]) <= len(inside):
            continue
        if not RIGHT_TO_LEFT.search(line[0]):
            for a, b in reversed(words):
                order += [*range(shift + line.start() + a, shift + line.start() + b), -1]
            order.append(-1)
    return order


def _over_pages(pages: list[list[TextPiece]], starts: list[int]) -> list[int]:
    """Return the low lines of each page with the high lines of the next."""
    order: list[int] = []
    for number in range(1, len(pages)):
        for last in pages[number - 1][-_LAST:]:
            for first in pages[number][:_FIRST]:
                order += [i + starts[number - 1] for i in last.indices[-_AROUND:]]
                order.append(-1)
                order += [i + starts[number] for i in first.indices[:_AROUND]] + [-1, -1]
    return order


_ORDERS: tuple[Callable[[list[TextPiece]], list[TextPiece]], ...] = (_cut_in_two, _rows, _columns)


def read_orders(found: PdfText) -> list[list[int]]:
    """Return the further orders of a text, each a list of indices into it; an empty one is left out."""
    orders: list[list[int]] = [[] for _ in _ORDERS]
    marks: list[int] = []
    initials: list[int] = []
    turned: list[int] = []
    rows: list[list[TextPiece]] = []
    for page, shift in zip(found.pages, found.starts, strict=True):
        pieces = find_pieces(page)
        by_height = _rows(pieces)
        rows.append(by_height)
        leftwards = np.count_nonzero(np.diff(page.origin[:, 0]) < 0)
        if leftwards > page.text.count("\n") + 3:  # every line begins at the left of the last
            turned += _upside_down(page, shift)
        if len(pieces) < 2:
            continue
        seen = {(a.indices[0], b.indices[0]) for a, b in pairwise(pieces)}
        for order, arrange in zip(orders, _ORDERS, strict=True):
            order += _join(_new_stretches(arrange(pieces), seen), shift)
        bare = [(piece, _without_marks(page, piece)) for piece in pieces]
        for i, (_, without) in enumerate(bare):
            if without is not None:
                marks += _join([[b or a for a, b in bare[max(0, i - 1) : i + 2]]], shift)
        initials += _initials(page, pieces, shift)
    text = found.text
    orders += [marks, initials, turned, _hyphens(text), _turn_round(text)]
    orders.append(_over_pages(rows, found.starts))
    return [order for order in orders if order]
