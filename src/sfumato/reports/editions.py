"""What a report says, by its edition: all of it, or, under a rule about cells, lower limits of counts alone.

Where a regime forbids small counts in outputs (`cell`), the report itself is such an output. Its edition then holds no
exact count of people or records, no share and no chart, so that nothing can be subtracted from anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .._version import __version__
from ..core.engine import Part, engine_named
from ..core.regimes import CellRule, smallest_group
from ..core.story import Check, Story
from ..presentation.language import say
from ..presentation.numbers import count
from ..presentation.sentences import status_of, title_for
from .facts import ReportFacts
from .parts import stories

__all__ = ["cell_json", "cell_of", "tell"]

_STEPS = (25, 50)


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


def cell_json(facts: ReportFacts, cell: CellRule) -> dict[str, object]:
    """Return the content of facts.json under a rule about cells.

    Parameters
    ----------
    facts : ReportFacts
        What the report is about.
    cell : CellRule
        The counts that must not be shown.

    """
    assert facts.regime is not None
    from ..core.regimes import review_date

    return {
        "facts": 2,
        "version": __version__,
        "regime": {
            "id": facts.regime.id,
            "reviewed": review_date().isoformat(),
            "cell": [cell.low, cell.high],
        },
        "parts": [
            {
                "id": part.id,
                "engine": part.engine,
                "outputs": [
                    {"path": f.path, "sha256": f.sha256}
                    for f in (part.release.outputs if part.release is not None else ())
                ],
                "at_least": {name: at_least(n, cell) for name, n in _counts(part).items()},
            }
            for part in facts.parts
        ],
    }


def at_least(number: int, cell: CellRule) -> int | None:
    """Return a lower limit of a count that tells no small count; None where it may be one itself.

    >>> [at_least(n, CellRule(low=1, high=10)) for n in (0, 3, 11, 26, 5012)]
    [0, None, 11, 25, 5000]
    """
    if number < cell.low:
        return 0
    if number <= cell.high:
        return None
    found, step = cell.high + 1, 1
    while True:
        for of in (*_STEPS, 100):
            if of * step > number:
                return found
            if of * step > found + cell.high:  # two limits differ by more than a forbidden count
                found = of * step
        step *= 10


def _counts(part: Part) -> dict[str, int]:
    """Return what is counted of a part: records published, those left out, the smallest group."""
    release = part.release
    if release is None:
        return {}
    found = {"published": release.outputs[0].rows or 0 if release.outputs else 0}
    # A count rounded up to the next multiple of k is at least one more than the previous multiple.
    found["left out"] = sum(n - release.multiples_of + 1 for n in release.left_out.values() if n)
    group = smallest_group(engine_named(part.engine), release)
    return found if group is None else found | {"smallest group": group}


def _cell_story(part: Part, cell: CellRule) -> Story:
    title = say(engine_named(part.engine).title)
    # The id of a candidate may tell a count: it is left out of the title.
    named = title_for(title, replace(part, release=None)) if part.frontier is not None else title
    story = Story(part.id, part.engine, named, status_of(part))
    counts = _counts(part)
    if not counts:
        story.verdict = [say("Nothing has been published yet, and no count is shown.")]
        return story
    names: Sequence[tuple[str, str]] = (
        ("published", say("Records published")),
        ("left out", say("Records left out")),
    )
    story.verdict = [
        f"{name}: {_write(counts[key], cell)}." for key, name in names if key in counts
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
