"""One frontier as one chart: what `exploration.plot` draws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..core.engine import Part
from ..core.errors import DataError
from ..core.story import Chart
from .frontier_chart import Axes, frontier_chart

__all__ = ["plot"]


def plot(part: Part, charts: Iterable[Chart], *, log: bool = False) -> Chart:
    """Return the frontier of a part as a chart with one view.

    Parameters
    ----------
    part : Part
        The records, and the candidate to mark.
    charts : iterable of Chart
        The engine's own charts of the part; its frontier is taken where it is among them.
    log : bool
        Whether the risk axis is logarithmic.

    """
    own = next((chart for chart in charts if chart.id == f"{part.id}-frontier"), None)
    if own is None and part.frontier is not None:
        axes = part.frontier.axes
        own = frontier_chart(part, Axes(axes.get("risk", "risk"), axes.get("utility", "utility")))
    if own is None:
        raise DataError("A frontier of one candidate has nothing to draw.")
    wanted = next(v for v in own.views if v.name.startswith("Logarithmic") == log)
    return replace(own, views=(wanted,))
