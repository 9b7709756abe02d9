"""From edits to glyphs: which glyphs of which stream go, and for which edit.

A marked character is looked up by its origin. What is printed over a cut goes too, and so does every glyph that no
character of the text accounts for: nobody has read it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...document import Edit
from .interpret import PageGlyphs, StreamKey, TextShow
from .read import PageText
from .refusal import PageRefusedError

__all__ = [
    "NO_EDIT",
    "PageEdit",
    "StreamCuts",
    "collect_cuts",
    "decided_text",
    "match_page",
    "page_edits",
]

NO_EDIT = -1
_NEAR = 0.6  # points between the origin of a character and that of its glyph
_CELL = 1.2
_DESCENT, _ASCENT = 0.22, 0.8  # of the font size, below and above the baseline
Corners = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class PageEdit:
    """What an edit does on one page: characters `start` to `end` of the page become `replacement`."""

    start: int
    end: int
    replacement: str
    number: int


def page_edits(places: Mapping[str, Sequence[Edit]]) -> dict[int, list[PageEdit]]:
    """Return the edits of each page, from 0, by those of its place, `page 1` and so on.

    >>> page_edits({"page 2": [Edit(0, 3, "[NAME]", "NAME")]})
    {1: [PageEdit(start=0, end=3, replacement='[NAME]', number=0)]}
    """
    found: dict[int, list[PageEdit]] = {}
    number = 0
    for place, edits in places.items():
        for edit in edits:
            own = PageEdit(edit.start, edit.end, edit.replacement, number)
            found.setdefault(int(place.removeprefix("page ")) - 1, []).append(own)
            number += 1
    return found


def decided_text(page: PageText, edits: Sequence[PageEdit]) -> str:
    """Return the text of a page with its edits."""
    pieces, at = [], 0
    for edit in edits:
        pieces += [page.text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*pieces, page.text[at:]])


@dataclass(slots=True)
class StreamCuts:
    """What goes from one content stream: for each operator, by its place, the glyphs and their edits."""

    shows: dict[int, TextShow] = field(default_factory=dict)
    gone: dict[int, dict[int, int]] = field(default_factory=dict)


def match_page(
    page: PageText, glyphs: PageGlyphs, edits: Sequence[PageEdit], *, pictures: bool = True
) -> dict[int, int]:
    """Return the glyphs of a page that go, by number, each with its edit.

    Parameters
    ----------
    page : PageText
        The characters.
    glyphs : PageGlyphs
        The glyphs.
    edits : sequence of PageEdit
        What is removed.
    pictures : bool, default=True
        Whether pictures may show something.

    """
    count = len(glyphs.x)
    x, y = np.array(glyphs.x), np.array(glyphs.y)
    if count and not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise PageRefusedError("text at no place")
    gone: dict[int, int] = {}
    across = np.argsort(x, kind="stable")
    ordered = x[across]
    for edit in edits:
        for i in range(edit.start, edit.end):
            if page.made[i]:
                continue
            left, bottom = page.origin[i].tolist()
            near = max(0.02, min(_NEAR, 0.3 * float(page.box[i][3] - page.box[i][1])))
            first, last = np.searchsorted(ordered, [left - near, left + near])
            column = across[first:last]
            hits = sorted(column[np.abs(y[column] - bottom) < near].tolist())
            if not hits and not page.text[i].isspace():
                raise PageRefusedError("a marked character without a glyph")
            for glyph in hits:
                gone.setdefault(glyph, edit.number)
    _add_spaces(glyphs, gone)
    if glyphs.clips and gone:
        raise PageRefusedError("text that clips what is drawn on it")
    boxes = list(_boxes(glyphs, gone))
    for corners in boxes if glyphs.pictures and pictures else ():
        (left, right), (bottom, top) = (
            sorted(v)[:: len(v) - 1] for v in zip(*corners, strict=True)
        )
        if any(a < right and c > left and b < top and d > bottom for a, b, c, d in glyphs.pictures):
            raise PageRefusedError("a picture under a cut")
    if count:
        for glyph in _printed_over(glyphs, x, y, boxes):
            gone.setdefault(glyph, NO_EDIT)
        for glyph in _unread(page, glyphs, x, y):
            gone.setdefault(glyph, NO_EDIT)
    return gone


def _add_spaces(glyphs: PageGlyphs, gone: dict[int, int]) -> None:
    """Add the spaces that are drawn inside a cut, for which a reader may have made another."""
    firsts = _firsts(glyphs)

    def is_space(glyph: int) -> bool:
        show = glyphs.shows[bisect_right(firsts, glyph) - 1]
        return show.codes[glyph - show.first] in show.font.spaces

    for glyph, edit in sorted(gone.items()):
        after = glyph + 1
        while after < len(glyphs.x) and after not in gone and is_space(after):
            after += 1
        if gone.get(after) == edit:
            gone.update(dict.fromkeys(range(glyph + 1, after), edit))


def _firsts(glyphs: PageGlyphs) -> list[int]:
    return [show.first for show in glyphs.shows]


def _boxes(glyphs: PageGlyphs, gone: Mapping[int, int]) -> Iterator[Corners]:
    """Yield the corners of the box of each glyph that goes, in their order around it."""
    firsts = _firsts(glyphs)
    for glyph in gone:
        show = glyphs.shows[bisect_right(firsts, glyph) - 1]
        m = _page_matrix(show)
        size, width = show.state.size, glyphs.width[glyph]
        px, py = glyphs.x[glyph], glyphs.y[glyph]
        low, high = -_DESCENT * size, _ASCENT * size
        yield tuple(
            (px + m[0] * w + m[2] * h, py + m[1] * w + m[3] * h)
            for w, h in ((0, low), (width, low), (width, high), (0, high))
        )


def _page_matrix(show: TextShow) -> tuple[float, float, float, float]:
    m, o = show.matrix, show.outer
    return (
        m[0] * o[0] + m[1] * o[2], m[0] * o[1] + m[1] * o[3],
        m[2] * o[0] + m[3] * o[2], m[2] * o[1] + m[3] * o[3],
    )  # fmt: skip


def _printed_over(
    glyphs: PageGlyphs,
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    boxes: Sequence[Corners],
) -> Iterator[int]:
    """Yield the glyphs whose middle is inside the box of one that goes, as in text drawn twice."""
    if not boxes:
        return
    counts = np.diff([*_firsts(glyphs), len(glyphs.x)])
    parts = np.array([(*_page_matrix(s), s.state.size) for s in glyphs.shows]).reshape(-1, 5)
    a, b, c, d, size = np.repeat(parts, counts, axis=0).T
    width = np.array(glyphs.width)
    middle_x = x + a * width / 2 + c * size * 0.25
    middle_y = y + b * width / 2 + d * size * 0.25
    across = np.argsort(middle_x, kind="stable")
    ordered = middle_x[across]
    for corners in boxes:
        (left, right), (bottom, top) = (sorted(v)[::3] for v in zip(*corners, strict=True))
        first, last = np.searchsorted(ordered, [left, right])
        near = across[first:last]
        heights = middle_y[near]
        for glyph in near[(heights > bottom) & (heights < top)].tolist():
            px, py = float(middle_x[glyph]), float(middle_y[glyph])
            sides = [
                (x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)
                for (x0, y0), (x1, y1) in zip(corners, (*corners[1:], corners[0]), strict=True)
            ]
            if min(sides) > 0 or max(sides) < 0:
                yield glyph


def _cells(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    across, down = (np.floor(v / _CELL).clip(-1e8, 1e8).astype(np.int64) for v in (x, y))
    return (across << 32) + down


def _unread(
    page: PageText, glyphs: PageGlyphs, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> Iterator[int]:
    """Yield the glyphs that no character accounts for, spaces aside."""
    missing = np.arange(len(x))
    for dx, dy in ((0.0, 0.0), (0.0, _NEAR), (_NEAR, 0.0), (_NEAR, _NEAR)):
        if len(missing):  # after the first look hardly any
            ours = _cells(x[missing] + dx, y[missing] + dy)
            theirs = _cells(page.origin[:, 0] + dx, page.origin[:, 1] + dy)
            missing = missing[~np.isin(ours, theirs)]
    firsts = _firsts(glyphs)
    for glyph in missing.tolist():
        show = glyphs.shows[bisect_right(firsts, glyph) - 1]
        code = show.codes[glyph - show.first]
        if code not in show.font.spaces:
            yield glyph


def collect_cuts(
    pages: Mapping[int, tuple[PageGlyphs, Mapping[int, int]]],
) -> dict[StreamKey, StreamCuts]:
    """Return what goes from each stream: a form that several pages draw loses what any of them loses."""
    found: dict[StreamKey, StreamCuts] = {}
    for glyphs, gone in pages.values():
        firsts = _firsts(glyphs)
        for show in glyphs.shows:
            cuts = found.setdefault(show.key, StreamCuts())
            known = cuts.shows.setdefault(show.operator.start, show)
            if known.font is not show.font or len(known.advances) != len(show.advances):
                raise PageRefusedError("a form with another font on another page")
        for glyph, edit in gone.items():
            show = glyphs.shows[bisect_right(firsts, glyph) - 1]
            own = found[show.key].gone.setdefault(show.operator.start, {})
            own[glyph - show.first] = max(own.get(glyph - show.first, NO_EDIT), edit)
    return found
