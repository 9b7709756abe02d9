"""The frontier, linear and logarithmic, and the area under it as the search goes on."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..core.engine import Part, engine_named
from ..core.records import Candidate, Reference
from ..core.regimes import smallest_group
from ..core.story import Chart, View
from .drawing import BLUE, PAPER, Spec, bounds_of, decades, fill_spec, to_svg
from .language import say
from .numbers import count, decimal, percent

__all__ = ["Axes", "area_chart", "frontier_chart", "frontier_chart_id", "svg_with_links", "thin"]

_MARKS = 260
T = TypeVar("T")


@dataclass(frozen=True)
class Axes:
    """How an engine's frontier is drawn: titles, formats of the ticks, and which view comes first."""

    risk: str
    utility: str
    utility_name: str = "utility"
    risk_format: str | None = None
    utility_format: str | None = None
    utility_words: Callable[[float], str] = percent
    logarithmic_first: bool = False
    individual: bool = False
    """Whether the risk is the highest chance of naming a record, one in the smallest group."""

    def says(self, candidate: Candidate) -> str:
        """Return where a candidate is, in words."""
        utility = self.utility_words(candidate.utility.value)
        return say(
            "{id}: risk {risk}, {utility_name} {utility}",
            id=candidate.id,
            risk=decimal(candidate.risk.value),
            utility_name=say(self.utility_name),
            utility=utility,
        )

    def says_of(self, reference: Reference) -> str:
        """Return where a reference is, in words."""
        return say(
            "{name}: risk {risk}, utility {utility}",
            name=say(reference.name),
            risk=decimal(reference.risk.value),
            utility=self.utility_words(reference.utility.value),
        )


def thin(values: Sequence[T], most: int) -> list[T]:
    """Return at most this many values, evenly spread, both ends included.

    >>> thin(list(range(10)), 4)
    [0, 3, 6, 9]
    """
    if len(values) <= most:
        return list(values)
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]


def frontier_chart_id(part: Part) -> str:
    """Return the id of a part's chart of risk against utility."""
    return f"{part.id}-frontier"


def frontier_chart(
    part: Part,
    axes: Axes,
    *,
    visited: Sequence[tuple[float, float]] = (),
    visited_total: int = 0,
    proven: Sequence[tuple[float, float]] = (),
) -> Chart | None:
    """Show risk against utility: the frontier, what was visited, the choice and the references.

    Parameters
    ----------
    part : Part
        The part; a chart needs at least two candidates.
    axes : Axes
        Titles and formats.
    visited : sequence of (float, float)
        A sample of (risk, utility) that the search measured.
    visited_total : int
        How many points the search measured in all.
    proven : sequence of (float, float)
        Steps of (risk, utility) that no candidate can be above, where that was proven; between them and
        the frontier there is a band.

    """
    if part.frontier is None or len(part.frontier.candidates) < 2:
        return None
    drawing = _Drawing(part, axes, visited, proven)
    views = (
        View(say("Linear risk"), drawing.spec(False)),
        View(say("Logarithmic risk"), drawing.spec(True)),
    )
    key = [
        ("line", say("frontier: nothing is better on both sides")),
        (
            "ring",
            say("published") if part.release is not None else say("the candidate in this report"),
        ),
    ]
    if proven:
        key.append(("band", say("still open: it is proven that nothing lies above")))
    if drawing.limits:
        key.append(("limit", drawing.limit_words()))
    if drawing.references:
        key.append(("diamond", say("references people know")))
    if visited:
        key.append(
            (
                "dot",
                say(
                    "visited by the search ({visited_total})",
                    visited_total=count(visited_total or len(visited)),
                ),
            )
        )
    return Chart(
        frontier_chart_id(part),
        "tradeoff",
        say("Risk against utility"),
        drawing.alt(),
        views[::-1] if axes.logarithmic_first else views,
        (say("Candidate"), say("Risk"), say("Utility")),
        tuple(
            (c.id, decimal(c.risk.value), decimal(c.utility.value, 4))
            for c in thin(drawing.candidates, 40)
        ),
        tuple(key),
        live=True,
    )


def svg_with_links(chart: Chart, links: Sequence[str]) -> str:
    """Draw the first view of a chart of `frontier_chart` with the marks of the candidates as links.

    Parameters
    ----------
    chart : Chart
        What `frontier_chart` returned.
    links : sequence of str
        One address per candidate of the frontier, in its order.

    """
    spec: Spec = dict(chart.views[0].spec)
    # Vega puts its own host before a relative address: give it placeholders, and replace them.
    points = [
        {**point, "link": f"https://link.invalid/{i}"}
        for i, point in enumerate(spec["datasets"]["points"])
    ]
    spec["datasets"] = {**spec["datasets"], "points": points}
    spec["layer"] = [
        {**layer, "encoding": {**layer["encoding"], "href": {"field": "link", "type": "nominal"}}}
        if layer.get("name") == "candidates"
        else layer
        for layer in spec["layer"]
    ]
    drawn = thin(links, _MARKS)
    svg = re.sub(
        r'xlink:href="https://link\.invalid/(\d+)"',
        lambda m: f'href="{html.escape(drawn[int(m[1])])}"',
        to_svg(spec),
    )
    return svg.replace("<svg ", f'<svg role="group" aria-label="{html.escape(chart.alt)}" ', 1)


class _Drawing:
    """One frontier, to be drawn on either scale."""

    def __init__(
        self,
        part: Part,
        axes: Axes,
        visited: Sequence[tuple[float, float]],
        proven: Sequence[tuple[float, float]],
    ) -> None:
        assert part.frontier is not None
        self.proven = sorted(proven)
        self.part, self.axes, self.visited = part, axes, visited
        self.candidates = list(part.frontier.candidates)
        self.references = list(part.frontier.references)
        self.many = len(self.candidates) > 40
        self.ranged = [] if self.many else [c for c in self.candidates if not c.dominated]
        self.limits = self._limits()

    def _limits(self) -> list[tuple[str, float]]:
        """Return, by its name, the risk up to which every candidate is within a regime's number."""
        regime = self.part.regime
        if regime is None:
            return []
        engine = engine_named(self.part.engine)
        sizes = [smallest_group(engine, c) for c in self.candidates]
        found = []
        for level in regime.limits:
            name = regime.id if level.name is None else f"{regime.id} {say(level.name)}"
            if self.axes.individual:
                found.append((name, 1 / level.size))
                continue
            fits = [size is not None and size >= level.size for size in sizes]
            # By rising risk: up to the first candidate whose groups are too small.
            within = fits.index(False) if False in fits else len(fits)
            if within and (risk := self.candidates[within - 1].risk.value) > 0:
                found.append((name, risk))
        return found

    def limit_words(self) -> str:
        """Return what the lines of a regime mean."""
        assert self.part.regime is not None
        return say(
            "left of the line every candidate is within {regime}", regime=self.part.regime.name
        )

    def alt(self) -> str:
        """Return the chart in words."""
        risks = [c.risk.value for c in self.candidates]
        words = say(
            "Frontier of {sum} candidates, from risk {risks} to {risks_2}",
            sum=count(sum(not c.dominated for c in self.candidates)),
            risks=decimal(min(risks)),
            risks_2=decimal(max(risks)),
        )
        if self.part.chosen is not None:
            words += say("; {says} is marked", says=self.axes.says(self.part.chosen))
        for r in self.references:
            words += say(
                "; {name} stands at risk {risk} and utility {utility_words}",
                name=say(r.name),
                risk=decimal(r.risk.value),
                utility_words=self.axes.utility_words(r.utility.value),
            )
        return words + "."

    def _domain(self, log: bool, xs: list[float]) -> list[float]:
        if log:
            return [min(xs) / 1.25, min(max(xs) * 1.35, 1.6)]
        domain = bounds_of(xs, 0.045)
        if domain[0] < 0 < min(xs):
            domain[0] = 0
        return domain

    def spec(self, log: bool) -> dict[str, object]:
        """Return the Vega-Lite spec on a linear or a logarithmic risk axis."""
        part, axes = self.part, self.axes
        risks = [c.risk.value for c in self.candidates]
        near = [r for r in self.references if log or r.risk.value <= 4 * max(risks)]
        positive = [v for v in [*risks, *(r.risk.value for r in near)] if v > 0]
        floor = min(positive, default=1e-6) / 2

        def clip(value: float) -> float:
            return max(value, floor) if log else value

        ranges = [(c, c.risk.interval, c.utility.interval) for c in self.ranged]
        xs = [clip(v) for v in [*risks, *(r.risk.value for r in near)]]
        xs += [clip(e) for _, i, _ in ranges if i for e in (i.low, i.high) if e <= 1.3 * max(xs)]
        ys = [c.utility.value for c in [*self.candidates, *near]]
        ys += [e for _, _, i in ranges if i for e in (i.low, i.high)]
        domain = self._domain(log, [*xs, *(1.04 * clip(r) for _, r in self.limits)])

        def at(risk: float, utility: float, room: float = 0.5, **more: object) -> dict[str, object]:
            x, (low, high) = clip(risk), domain
            along = math.log(x / low) / math.log(high / low) if log else (x - low) / (high - low)
            side = "right" if along < room else "left"
            return {"risk": x, "utility": utility, "side": side, **more}

        band = self._band(clip)
        ys += [float(step["high"]) for step in band if step["risk"] <= domain[1]]
        found = fill_spec(
            "frontier",
            proven=band,
            limit=[{"risk": clip(risk), "name": name} for name, risk in self.limits],
            visited=[{"risk": clip(r), "utility": u} for r, u in self.visited if not log or r > 0],
            risk_ranges=[
                {"low": clip(i.low), "high": clip(i.high), "utility": c.utility.value}
                for c, i, _ in ranges
                if i
            ],
            utility_ranges=[
                {"low": i.low, "high": i.high, "risk": clip(c.risk.value)}
                for c, _, i in ranges
                if i
            ],
            stairs=[
                {"risk": clip(c.risk.value), "utility": c.utility.value}
                for c in self.candidates
                if not c.dominated
            ],
            points=[
                at(
                    c.risk.value,
                    c.utility.value,
                    says=axes.says(c),
                    size=26 if self.many else 70,
                    fill=PAPER if c.dominated else BLUE,
                )
                for c in thin(self.candidates, _MARKS)
            ],
            references=[
                at(
                    r.risk.value,
                    r.utility.value,
                    0.82,
                    name=say(r.name),
                    says=axes.says_of(r),
                )
                for r in near
            ],
            chosen=[
                at(part.chosen.risk.value, part.chosen.utility.value)
                | self._chosen_words(part.chosen)
            ]
            if part.chosen is not None
            else [],
        )
        self._scale(found, log, domain, ys)
        return found

    def _band(self, clip: Callable[[float], float]) -> list[dict[str, float]]:
        """Return, step by step, the utility found and the utility that is proven to be out of reach."""
        if not self.proven:
            return []
        found = sorted((c.risk.value, c.utility.value) for c in self.candidates if not c.dominated)
        risks = sorted({r for r, _ in [*found, *self.proven]})
        start = found[0][0]
        steps = []
        for risk in thin([r for r in risks if r >= start], _MARKS):
            low = max(u for r, u in found if r <= risk)
            high = max((u for r, u in self.proven if r <= risk), default=low)
            steps.append({"risk": clip(risk), "low": low, "high": max(low, high)})
        return steps

    def _chosen_words(self, chosen: Candidate) -> dict[str, str]:
        by = {"release": "published", "steward": "chosen"}
        name = say(by.get(self.part.chosen_by, "suggested"))
        return {"name": name, "says": self.axes.says(chosen)}

    def _scale(self, spec: Spec, log: bool, domain: list[float], ys: list[float]) -> None:
        x, y = spec["encoding"]["x"], spec["encoding"]["y"]
        x["title"], y["title"] = self.axes.risk, self.axes.utility
        x["scale"]["domain"], y["scale"]["domain"] = domain, bounds_of(ys)
        if self.axes.risk_format is not None:
            x["axis"]["format"] = "~g" if log else self.axes.risk_format
        if self.axes.utility_format is not None:
            y["axis"]["format"] = self.axes.utility_format
        if log:
            x["scale"] = {"type": "log", "nice": False, "domain": domain}
            x["axis"]["values"] = decades(domain[0], domain[1])
            x["title"] += say(", logarithmic")


def area_chart(part: Part, trace: Sequence[tuple[int, float]]) -> Chart | None:
    """Show the area under the frontier falling during the search, from (evaluations, area) pairs."""
    best: dict[int, float] = {}
    for n, area in trace:  # an area never rises again, and one number of evaluations has one area
        best[max(n, 1)] = min(area, *best.values()) if best else area
    trace = sorted(best.items())
    if len(trace) < 2:
        return None
    first, last = trace[0], trace[-1]
    data = [{"evaluations": n, "area": area} for n, area in trace]
    says = say("area {last} after {last_2}", last=decimal(last[1]), last_2=count(last[0]))
    ends = [{"evaluations": last[0], "area": last[1], "label": decimal(last[1]), "says": says}]
    alt = say(
        "The area under the frontier falls from {first} after {first_2} to {last} after {last_2} evaluations.",
        first=decimal(first[1]),
        first_2=count(first[0]),
        last=decimal(last[1]),
        last_2=count(last[0]),
    )
    return Chart(
        f"{part.id}-area",
        "tradeoff",
        say("The search: area under the frontier"),
        alt,
        (View("", _area_spec(data, ends)),),
        (say("Evaluated"), say("Area")),
        tuple((count(n), decimal(area)) for n, area in thin(trace, 20)),
    )


def _area_spec(data: Sequence[Spec], ends: Sequence[Spec]) -> Spec:
    """Return the drawing, with ticks wherever the search began and ended."""
    found = fill_spec("area", trace=data, ends=ends)
    low, high = data[0]["evaluations"], data[-1]["evaluations"]
    found["encoding"]["x"]["axis"]["values"] = decades(low, max(high, low + 1))
    return found
