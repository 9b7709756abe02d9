"""The stories of a report, by its edition: all of it, or, under a rule about cells, lower limits of counts alone.

Where a regime forbids small counts in outputs (`cell`), the report itself is such an output. Its edition then holds no
exact count of people or records, no share and no chart, so that nothing can be subtracted from anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..core.engine import Part, engine_named
from ..core.regimes import CellRule
from ..core.story import Check, Story
from ..presentation.language import say
from ..presentation.numbers import count
from ..presentation.sentences import status_of, title_for
from .facts import ReportFacts
from .parts import stories
from .small_cells import at_least, counts_of

__all__ = ["cell_of", "tell"]


def cell_of(facts: ReportFacts) -> CellRule | None:
    """Return the rule about cells that a report has to keep itself, if it is made for one."""
    return None if facts.regime is None else facts.regime.cell


def tell(facts: ReportFacts) -> list[Story]:
    """Return what the report says of each part, in the current language."""
    cell = cell_of(facts)
    if cell is not None:
        return [_cell_story(part, cell) for part in facts.parts]
    parts = [replace(part, regime=facts.regime) for part in facts.parts]
    return stories(parts, public=facts.public)


def _cell_story(part: Part, cell: CellRule) -> Story:
    title = say(engine_named(part.engine).title)
    # The id of a candidate may tell a count: it is left out of the title.
    named = title_for(title, replace(part, release=None)) if part.frontier is not None else title
    story = Story(part.id, part.engine, named, status_of(part))
    counts = counts_of(part)
    if not counts:
        story.verdict = [say("Nothing has been published yet, and no count is shown.")]
        return story
    names: Sequence[tuple[str, str]] = (
        ("published", say("Records published")),
        ("left out", say("Records left out")),
    )
    story.verdict = [
        say("{name}: {value}.", name=name, value=_write(counts[key], cell))
        for key, name in names
        if key in counts
    ]
    group = counts.get("smallest group")
    if group is not None:
        large = group > cell.high
        words = (
            say("Every published group has at least {n} people.", n=count(cell.high + 1))
            if large
            else say(
                "The smallest published group has fewer than {n} people: a table of counts by these "
                "columns would show a forbidden cell.",
                n=count(cell.high + 1),
            )
        )
        story.checks = [Check("holds" if large else "look", words)]
    return story


def _write(number: int, cell: CellRule) -> str:
    limit = at_least(number, cell)
    if limit is None:
        return say("fewer than {n}", n=count(cell.high + 1))
    return say("none") if limit == 0 else say("at least {n}", n=count(limit))
