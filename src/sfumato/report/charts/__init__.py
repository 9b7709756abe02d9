"""Charts: Vega-Lite specs from chart_specs/ filled with facts, each with a text that says the same in words.

The specs are plain JSON; these modules only put data, domains and titles in. `says` of a point is its
tooltip and its accessible name.
"""

from __future__ import annotations

from ...core.story import Chart, View
from ...presentation.drawing import spec, to_png, to_svg
from ..facts.model import Facts, TablesPart, TextPart
from .baskets import absences, quality, uniqueness
from .frontier import area, frontier, point_says
from .tables import groups
from .text import attack, ratios

__all__ = ["Chart", "View", "charts_of", "point_says", "spec", "to_png", "to_svg"]


def charts_of(facts: Facts) -> dict[str, list[Chart]]:
    """Give the charts of each part, by the part's id, in the order they are shown."""
    found: dict[str, list[Chart]] = {}
    for part in facts.parts:
        charts: list[Chart | None] = [frontier(part), area(part)]
        if isinstance(part, TextPart):
            charts += [attack(part), ratios(part)]
        elif isinstance(part, TablesPart):
            charts += [groups(part)]
        else:
            charts += [uniqueness(part), absences(part), quality(part)]
        found[part.id] = [chart for chart in charts if chart is not None]
    return found
