"""What a format with pages shows: their text, and the place of each character on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..document import Edit

__all__ = ["PageBox", "PageView", "boxes_of_edits"]

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in parts of the page."""


@dataclass(frozen=True)
class PageView:
    """A page: its text, and a box for each character of it."""

    text: str
    boxes: Sequence[Box]


@dataclass(frozen=True)
class PageBox:
    """A box on a page, from 0, with the label of what was there."""

    page: int
    box: Box
    label: str


def boxes_of_edits(
    pages: Sequence[PageView], text: str, edits: Sequence[Edit], comparable: Callable[[str], str]
) -> list[PageBox]:
    """Return the place of each edit's replacement on the pages of the written file, line by line.

    Parameters
    ----------
    pages : sequence of PageView
        The pages of the written file.
    text : str
        The text before the edits.
    edits : sequence of Edit
        What was replaced in it, in order.
    comparable : callable
        Leaves out of a text what a reader of the format makes itself, so that places can be counted.

    Examples
    --------
    >>> page = PageView("[X] ill", [(i / 10, 0.0, (i + 1) / 10, 0.1) for i in range(7)])
    >>> [(b.box, b.label) for b in boxes_of_edits([page], "Ann ill", [Edit(0, 3, "[X]", "NAME")], str.strip)]
    [((0.0, 0.0, 0.3, 0.1), 'NAME')]

    """
    places = [
        (number, page.boxes[at])
        for number, page in enumerate(pages)
        for at, character in enumerate(page.text)
        if comparable(character)
    ]
    found: list[PageBox] = []
    counted = at = 0
    for edit in edits:
        counted += len(comparable(text[at : edit.start]))
        size = len(comparable(edit.replacement))
        found += _lines(places[counted : counted + size], edit.label)
        counted, at = counted + size, edit.end
    return found


def _lines(places: Sequence[tuple[int, Box]], label: str) -> Iterator[PageBox]:
    """Yield one box for each stretch of neighbouring characters on one line."""
    own: list[Box] = []
    page = -1
    for number, box in places:
        if own and (number != page or box[1] > own[-1][3] or box[3] < own[-1][1]):
            yield PageBox(page, _around(own), label)
            own = []
        page = number
        own.append(box)
    if own:
        yield PageBox(page, _around(own), label)


def _around(boxes: Sequence[Box]) -> Box:
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)
