"""The frontier, linear and logarithmic, and the area under it as the search goes on."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...core.story import Chart, View
from ...presentation.drawing import BLUE, PAPER, bounds_of, decades, filled
from ...presentation.numbers import count, decimal, percent
from ..facts.model import BasketsPart, Part, Point, TablesPart, TextPart
from ..facts.shared import thinned
from ..words.tables import LOSS_WORDS, RISK_WORDS

__all__ = ["area", "frontier", "point_says"]

_MARKS = 260
_AXES = {
    "text": ("Sensitive words left (share)", "Words published"),
    "baskets": ("Risk 1/k", "AUC"),
}


def point_says(engine: str, point: Point) -> str:
    """Say where a candidate stands."""
    utility = f"{point.utility:.3f}" if engine == "baskets" else percent(point.utility)
    risk = decimal(point.risk)
    return f"{point.id}: risk {risk}, {'AUC' if engine == 'baskets' else 'utility'} {utility}"


def _titles(part: TextPart | TablesPart | BasketsPart) -> tuple[str, str]:
    if isinstance(part, TablesPart):
        return RISK_WORDS[part.risk_measure].capitalize(), LOSS_WORDS[
            part.loss_measure
        ].capitalize()
    return _AXES[part.engine]


def frontier(part: TextPart | TablesPart | BasketsPart) -> Chart | None:
    """Show risk against utility: the frontier, what was visited, the choice and the references."""
    if len(part.points) < 2:
        return None
    engine = part.engine
    stairs = [p for p in part.points if p.on_frontier]
    line = sorted({*part.search.stairs, *((p.risk, p.utility) for p in stairs)})
    chosen = part.chosen
    risks = [p.risk for p in part.points]
    near = [r for r in part.references if r.risk <= 4 * max(risks)]
    many = len(part.points) > 40
    ranges = [] if many else stairs

    def drawn(log: bool) -> dict[str, Any]:
        references = part.references if log else near
        positive = [v for v in [*risks, *(r.risk for r in references)] if v > 0]
        floor = min(positive, default=1e-6) / 2
        clip: Callable[[float], float] = (lambda v: max(v, floor)) if log else (lambda v: v)
        xs = [clip(v) for v in [*risks, *(r.risk for r in references)]]
        ys = [p.utility for p in part.points] + [r.utility for r in references]
        ends = [e for p in ranges if p.risk_interval for e in p.risk_interval]
        xs += [clip(e) for e in ends if e <= 1.3 * max(xs)]
        ys += [e for p in ranges if p.utility_interval for e in p.utility_interval]
        domain = [min(xs) / 1.25, min(max(xs) * 1.35, 1.6)] if log else bounds_of(xs, 0.045)
        if not log and domain[0] < 0:
            domain[0] = 0 if min(xs) > 0 else domain[0]

        def at(risk: float, utility: float, room: float = 0.5, **more: Any) -> dict[str, Any]:
            x, (low, high) = clip(risk), domain
            along = math.log(x / low) / math.log(high / low) if log else (x - low) / (high - low)
            side = "right" if along < room else "left"
            return {"risk": x, "utility": utility, "side": side, **more}

        points = [
            at(p.risk, p.utility, says=point_says(engine, p), size=26 if many else 70,
               fill=BLUE if p.on_frontier else PAPER)
            for p in thinned(list(part.points), _MARKS)
        ]  # fmt: skip
        found = filled(
            "frontier",
            visited=[{"risk": clip(r), "utility": u} for r, u in part.search.visited if not log or r > 0],
            risk_ranges=[{"low": clip(p.risk_interval[0]), "high": clip(p.risk_interval[1]), "utility": p.utility} for p in ranges if p.risk_interval],
            utility_ranges=[{"low": p.utility_interval[0], "high": p.utility_interval[1], "risk": clip(p.risk)} for p in ranges if p.utility_interval],
            stairs=[{"risk": clip(r), "utility": u} for r, u in line],
            points=points,
            references=[at(r.risk, r.utility, 0.82, name=r.name, says=f"{r.name}: risk {decimal(r.risk)}, utility {percent(r.utility)}") for r in references],
            chosen=[at(chosen.risk, chosen.utility, name="published" if part.published else "chosen" if part.chosen_by == "steward" else "suggested", says=point_says(engine, chosen))] if chosen else [],
        )  # fmt: skip
        x, y = found["encoding"]["x"], found["encoding"]["y"]
        x["title"], y["title"] = _titles(part)
        x["scale"]["domain"], y["scale"]["domain"] = domain, bounds_of(ys)
        if engine == "text":
            x["axis"]["format"] = "~%" if not log else "~g"
        if engine == "baskets":
            y["axis"]["format"] = ".3~f"
        if log:
            x["scale"] = {"type": "log", "nice": False, "domain": domain}
            x["axis"]["values"] = decades(*domain)
            x["title"] += ", logarithmic"
        return found

    alt = f"Frontier of {count(part.search.candidates)} candidates, from risk {decimal(min(risks))} to {decimal(max(risks))}"
    if chosen is not None:
        alt += f"; {point_says(engine, chosen)} is marked"
    for reference in part.references:
        alt += f"; {reference.name} stands at risk {decimal(reference.risk)} and utility {percent(reference.utility)}"
    key = [("line", "frontier: nothing is better on both sides"), ("ring", "published" if part.published else "the candidate in this report")]  # fmt: skip
    if part.references:
        key.append(("diamond", "references people know"))
    if part.search.visited:
        key.append(("dot", f"visited by the search ({count(part.search.visited_total)})"))
    table = thinned(list(part.points), 40)
    return Chart(
        f"{part.id}-frontier", "tradeoff", "Risk against utility", alt + ".",
        (View("Logarithmic risk", drawn(True)), View("Linear risk", drawn(False)))
        if engine == "tables" else (View("Linear risk", drawn(False)), View("Logarithmic risk", drawn(True))),
        ("Candidate", "Risk", "Utility"),
        tuple((p.id, decimal(p.risk), decimal(p.utility, 4)) for p in table),
        tuple(key),
    )  # fmt: skip


def area(part: Part) -> Chart | None:
    """Show the area under the frontier falling during the search."""
    trace = part.search.trace
    if len(trace) < 2:
        return None
    first, last = trace[0], trace[-1]
    data = [{"evaluations": max(n, 1), "area": area} for n, area in trace]
    ends = [{"evaluations": last[0], "area": last[1], "label": decimal(last[1]), "says": f"area {decimal(last[1])} after {count(last[0])}"}]  # fmt: skip
    alt = f"The area under the frontier falls from {decimal(first[1])} after {count(first[0])} to {decimal(last[1])} after {count(last[0])} evaluations."  # fmt: skip
    return Chart(
        f"{part.id}-area", "tradeoff", "The search: area under the frontier", alt,
        (View("", filled("area", trace=data, ends=ends)),), ("Evaluated", "Area"),
        tuple((count(n), decimal(area)) for n, area in thinned(list(trace), 20)),
    )  # fmt: skip
