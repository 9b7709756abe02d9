"""How the lines of a stream move when something is removed from them.

The place of a cut gets the width of what replaces it, and the rest of the line follows: the gap says nothing
about what was there. In justified text the spaces of the line are set to one width too, because they give the
width of the line back. A line without room keeps its gaps, and the report says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pdfminer.fontmetrics import FONT_METRICS

from .interpret import TextShow
from .marks import NO_EDIT, StreamCuts
from .underlines import CutBox

__all__ = ["CutText", "LinePlan", "StreamLayout", "arrange", "placeholder_width"]

_METRICS = FONT_METRICS["Helvetica"][1]
_HOLE = 0.6  # width of a cut that gets no text, in font sizes
_NATURAL = 0.28  # the space between words of justified text, of the font size
_CELL_GAP = 0.6  # space between two cells of a table, in font sizes
_CELLS = 3  # lines that show a column
_FEW = 12  # spaces below which nobody can tell justified text
_SQUEEZED = (1.0, 0.75, 0.5)


def placeholder_width(text: str) -> float:
    """Return the width of a text in Helvetica, of size 1."""
    return sum(_METRICS.get(c, 556) for c in text) / 1000


@dataclass(slots=True)
class _Run:
    """Glyphs of one operator, a word or a part of a cut, and where they are along their line."""

    show: TextShow
    first: int
    last: int
    edit: int | None
    start: float
    end: float
    across: float
    angle: float
    size: float


@dataclass(slots=True, eq=False)
class CutText:
    """What is drawn in place of a cut: before which glyph, how far from it, and how wide."""

    show: TextShow
    glyph: int
    edit: int
    shift: float
    squeeze: float = 1.0
    width: float = 0.0


@dataclass(slots=True)
class LinePlan:
    """What was decided about a line with a cut: where gaps were kept, its end tells a width."""

    moved: bool


@dataclass(slots=True)
class StreamLayout:
    """Shifts along the line for the glyphs of each operator, and what is drawn in the places of cuts."""

    shifts: dict[int, dict[int, float]] = field(default_factory=dict)
    placeholders: dict[tuple[int, int], CutText] = field(default_factory=dict)
    lines: list[LinePlan] = field(default_factory=list)
    boxes: list[CutBox] = field(default_factory=list)


def _runs(show: TextShow, gone: Mapping[int, int]) -> Iterator[_Run]:
    """Yield the words and the cuts of an operator."""
    m, state = show.matrix, show.state
    scale = math.hypot(m[0], m[1])
    if not scale or not show.advances:
        return
    sign = -1.0 if state.size * state.scale < 0 else 1.0
    ux, uy = sign * m[0] / scale, sign * m[1] / scale
    x, y = m[2] * state.rise + m[4], m[3] * state.rise + m[5]
    size = abs(state.size) * math.hypot(m[2], m[3])
    along, across = ux * x + uy * y, ux * y - uy * x
    angle = round(math.atan2(uy, ux), 2)
    codes, font, unit = show.codes, show.font, state.size * state.scale
    starts = [along + sign * a * scale for a in show.advances]
    ends = [s + sign * font.width(c) * unit * scale for s, c in zip(starts, codes, strict=True)]
    kinds = [gone.get(i, None if c not in font.spaces else "space") for i, c in enumerate(codes)]
    first = 0
    for i in range(1, len(codes) + 1):
        if i < len(codes) and kinds[i] == kinds[first]:
            jump = starts[i] - ends[i - 1]
            if kinds[first] is not None or -0.5 * size < jump < 0.15 * size:
                continue
        kind = kinds[first]
        if kind != "space":
            edit = kind if isinstance(kind, int) else None
            yield _Run(show, first, i, edit, starts[first], ends[i - 1], across, angle, size)
        first = i


def _cut_box(run: _Run) -> CutBox:
    """Return the box of a cut in the space of its stream."""
    ux, uy = math.cos(run.angle), math.sin(run.angle)
    corners = [
        (ux * along - uy * across, uy * along + ux * across)
        for along in (run.start, run.end)
        for across in (run.across - 0.3 * run.size, run.across + 0.9 * run.size)
    ]
    x, y = [c[0] for c in corners], [c[1] for c in corners]
    return min(x), min(y), max(x), max(y), run.size


def _lines(runs: Sequence[_Run]) -> Iterator[list[_Run]]:
    """Yield the runs of each line, in the order along it."""
    by_angle: dict[float, list[_Run]] = {}
    for run in runs:
        by_angle.setdefault(run.angle, []).append(run)
    for own in by_angle.values():
        own.sort(key=lambda r: -r.across)
        line: list[_Run] = []
        largest = own[0]
        for run in own:
            # Small raised and lowered letters belong to the large ones between them.
            if line and largest.across - run.across > 0.5 * max(largest.size, run.size):
                yield sorted(line, key=lambda r: (r.start, r.end))
                line = []
            if not line or run.size > largest.size:
                largest = run
            line.append(run)
        if line:
            yield sorted(line, key=lambda r: (r.start, r.end))


def _column_edges(lines: Sequence[Sequence[_Run]]) -> set[tuple[float, int]]:
    """Return where several lines go on after a gap: there a column or a cell begins."""
    found: Counter[tuple[float, int]] = Counter()
    for line in lines:
        for one, other in pairwise(line):
            if other.start - one.end > _CELL_GAP * other.size:
                found[other.angle, round(other.start)] += 1
    return {edge for edge, count in found.items() if count >= _CELLS}


def _segments(line: Sequence[_Run], edges: set[tuple[float, int]]) -> list[list[_Run]]:
    """Return a line in parts without a gap that only a column or a table makes."""
    parts: list[list[_Run]] = []
    end = -math.inf
    for run in line:
        gap = run.start - end
        at_edge = (run.angle, round(run.start)) in edges and gap > _CELL_GAP * run.size
        if not parts or gap > 2 * run.size or at_edge:
            parts.append([])
        parts[-1].append(run)
        end = max(end, run.end)
    return parts


def _natural_space(lines: Sequence[Sequence[_Run]]) -> float | None:
    """Return the space that words are set apart by in justified text; None where the text is not."""
    gaps: Counter[int] = Counter()
    for line in lines:
        for one, other in pairwise(line):
            gap = (other.start - one.end) / other.size if other.size else 0.0
            if 0.1 < gap < 1.5 and one.edit is None and other.edit is None:
                gaps[round(gap / 0.02)] += 1
    total = gaps.total()
    if total < _FEW:
        return None
    usual = max(gaps, key=lambda g: (gaps[g], -g))
    close = sum(n for g, n in gaps.items() if abs(g - usual) <= 1)
    return None if close >= 0.5 * total else _NATURAL


@dataclass(slots=True)
class _Change:
    """A stretch of a line that gets another width: a cut, or a space of justified text."""

    start: float
    end: float
    width: float
    placeholder: CutText | None = None


def _changes(
    segment: Sequence[_Run],
    texts: Mapping[int, str],
    space: float | None,
    firsts: Mapping[int, int],
) -> list[_Change]:
    """Return what changes its width along a segment, in order."""
    found: list[_Change] = []
    last: _Run | None = None
    end = -math.inf
    for run in segment:
        if run.edit is None or run.edit == NO_EDIT:
            kept = run.edit is None
            if kept and space is not None and last is not None and 0.1 * run.size < run.start - end:
                found.append(_Change(end, run.start, space * run.size))
            if kept:
                last, end = run, max(end, run.end)
            continue
        before = found[-1] if found else None
        joins = last is not None and last.edit == run.edit and before is not None
        if joins and before is not None and before.placeholder is not None:
            before.end = max(before.end, run.end)
        else:
            if space is not None and last is not None and 0.1 * run.size < run.start - end:
                found.append(_Change(end, run.start, space * run.size))
            # The text of an edit over several lines is where it begins.
            text = texts.get(run.edit, "") if firsts[run.edit] == id(run) else ""
            width = placeholder_width(text) * run.size if text else _HOLE * run.size
            own = CutText(run.show, run.first, run.edit if text else NO_EDIT, 0.0)
            own.width = width
            found.append(_Change(run.start, run.end, width, own))
        last, end = run, max(end, run.end)
    return found


def arrange(cuts: StreamCuts, texts: Mapping[int, str]) -> StreamLayout:
    """Return how the lines of a stream move.

    Parameters
    ----------
    cuts : StreamCuts
        The operators of the stream and what goes from them.
    texts : mapping of int to str
        What replaces each edit that begins in this stream.

    """
    layout = StreamLayout()
    ordered = [cuts.shows[place] for place in sorted(cuts.shows)]
    runs = [r for show in ordered for r in _runs(show, cuts.gone.get(show.operator.start, {}))]
    layout.boxes += [_cut_box(run) for run in runs if run.edit is not None and run.edit != NO_EDIT]
    lines = list(_lines(runs))
    space = _natural_space(lines)
    edges = _column_edges(lines)
    segments = [_segments(line, edges) for line in lines]
    margins: dict[float, float] = {}
    for run in runs:
        margins[run.angle] = max(margins.get(run.angle, -math.inf), run.end)
    firsts = {run.edit: id(run) for run in reversed(runs) if run.edit is not None}
    for line in segments:
        for number, segment in enumerate(line):
            if not any(r.edit is not None and r.edit != NO_EDIT for r in segment):
                continue
            changes = _changes(segment, texts, space, firsts)
            limit = margins[segment[0].angle]
            if number + 1 < len(line):
                limit = line[number + 1][0].start - 0.3 * segment[-1].size
            _fit(segment, changes, max([limit, *(r.end for r in segment)]), layout)
    return layout


def _fit(
    segment: Sequence[_Run], changes: list[_Change], limit: float, layout: StreamLayout
) -> None:
    """Move a segment, with placeholders as wide as there is room for."""
    end = max(run.end for run in segment)
    moved = False
    for squeeze in _SQUEEZED:
        growth = sum(
            c.width * (squeeze if c.placeholder else 1) - (c.end - c.start) for c in changes
        )
        if end + growth <= limit + 0.01:
            moved = True
            break
    layout.lines.append(LinePlan(moved))
    for change in changes:
        if change.placeholder is not None:
            text_width = change.placeholder.width
            wide = squeeze * text_width if moved else change.end - change.start
            share = wide / text_width if text_width else 1.0  # letters without a size
            change.placeholder.squeeze = max(0.05, min(1.0, share))
            change.placeholder.width = change.width = wide
        elif not moved:
            change.width = change.end - change.start
    at, shift, pending = 0, 0.0, sorted(changes, key=lambda c: c.start)
    for change in pending:
        if change.placeholder is not None:
            change.placeholder.shift = shift
            own = change.placeholder
            layout.placeholders[own.show.operator.start, own.glyph] = own
        shift += change.width - (change.end - change.start)
    for run in segment:
        if run.edit is not None:
            continue
        at = 0
        shift = 0.0
        # By their middles: kerning may put a letter before the end of the one that goes.
        while at < len(pending) and pending[at].start + pending[at].end <= run.start + run.end:
            shift += pending[at].width - (pending[at].end - pending[at].start)
            at += 1
        own_shifts = layout.shifts.setdefault(run.show.operator.start, {})
        for glyph in range(run.first, run.last):
            own_shifts[glyph] = shift
