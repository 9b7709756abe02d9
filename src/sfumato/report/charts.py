"""Charts: Vega-Lite specs from chart_specs/ filled with facts, each with a text that says the same in words.

The specs are plain JSON; this module only puts data, domains and titles in. `says` of a point is its tooltip
and its accessible name.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from .facts.model import BasketsPart, Facts, Part, Point, TablesPart, TextPart
from .facts.shared import thinned
from .words.numbers import about, count, decimal, percent, span
from .words.text import ATTACKER_NAMES, noun

__all__ = ["Chart", "View", "charts_of", "spec", "to_png", "to_svg"]

_BLUE, _ORANGE, _INK, _PAPER = "#0072b2", "#b84a00", "#1f2a33", "#fffdf8"
_MARKS = 260
_AXES = {
    "text": ("Sensitive words left (share)", "Words published"),
    "tables": ("Re-identification risk (unchanged table = 1)", "Information kept"),
    "baskets": ("Risk 1/k", "AUC"),
}


@dataclass(frozen=True)
class View:
    """One drawing of a chart: its name on the switch and its Vega-Lite spec."""

    name: str
    spec: dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """A chart with its views, its caption, a text for those who do not see it, and its numbers."""

    id: str
    section: str
    title: str
    alt: str
    views: tuple[View, ...]
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    key: tuple[tuple[str, str], ...] = ()  # (symbol name, what it stands for), drawn by the page


@cache
def _file(name: str) -> str:
    return (files("sfumato.report") / "chart_specs" / f"{name}.json").read_text(encoding="utf-8")


def spec(name: str) -> dict[str, Any]:
    """Give a fresh copy of a spec with the theme in it.

    >>> spec("area")["width"]
    660
    """
    found: dict[str, Any] = json.loads(_file(name))
    found["config"] = json.loads(_file("theme"))
    return found


def _filled(name: str, **datasets: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found = spec(name)
    found["datasets"] = {key: list(rows) for key, rows in datasets.items()}
    return found


def _bounds(values: Sequence[float], pad: float = 0.06) -> list[float]:
    low, high = min(values), max(values)
    margin = (high - low) * pad or max(abs(high) * pad, 0.01)
    return [low - margin, high + margin]


def _decades(low: float, high: float) -> list[float]:
    """Give round values for a logarithmic axis: powers of ten, with 2 and 5 where these are few.

    >>> _decades(0.0004, 1.2), _decades(0.006, 0.12)
    ([0.001, 0.01, 0.1, 1.0], [0.01, 0.02, 0.05, 0.1])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    tens = [float(f"1e{e}") for e in range(first, last + 1) if low <= 10.0**e <= high]
    if len(tens) >= 4:
        return tens
    fine = [float(f"{m}e{e}") for e in range(first, last + 1) for m in (1, 2, 5)]
    return [v for v in fine if low <= v <= high]


def _point_says(engine: str, point: Point) -> str:
    utility = f"{point.utility:.3f}" if engine == "baskets" else percent(point.utility)
    risk = decimal(point.risk)
    return f"{point.id}: risk {risk}, {'AUC' if engine == 'baskets' else 'utility'} {utility}"


def _frontier(part: TextPart | TablesPart | BasketsPart) -> Chart | None:
    if len(part.points) < 2:
        return None
    engine = part.engine
    stairs = [p for p in part.points if p.on_frontier]
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
        domain = [min(xs) / 1.25, min(max(xs) * 1.35, 1.6)] if log else _bounds(xs, 0.045)
        if not log and domain[0] < 0:
            domain[0] = 0 if min(xs) > 0 else domain[0]
        middle = (domain[0] * domain[1]) ** 0.5 if log else sum(domain) / 2

        def at(risk: float, utility: float, **more: Any) -> dict[str, Any]:
            side = "right" if clip(risk) < middle else "left"
            return {"risk": clip(risk), "utility": utility, "side": side, **more}

        points = [
            at(p.risk, p.utility, says=_point_says(engine, p), size=26 if many else 70,
               fill=_BLUE if p.on_frontier else _PAPER)
            for p in thinned(list(part.points), _MARKS)
        ]  # fmt: skip
        found = _filled(
            "frontier",
            visited=[{"risk": clip(r), "utility": u} for r, u in part.search.visited if not log or r > 0],
            risk_ranges=[{"low": clip(p.risk_interval[0]), "high": clip(p.risk_interval[1]), "utility": p.utility} for p in ranges if p.risk_interval],
            utility_ranges=[{"low": p.utility_interval[0], "high": p.utility_interval[1], "risk": clip(p.risk)} for p in ranges if p.utility_interval],
            stairs=[{"risk": clip(p.risk), "utility": p.utility} for p in stairs],
            points=points,
            references=[at(r.risk, r.utility, name=r.name, says=f"{r.name}: risk {decimal(r.risk)}, utility {percent(r.utility)}") for r in references],
            chosen=[at(chosen.risk, chosen.utility, name="published" if part.published else "chosen" if part.chosen_by == "steward" else "suggested", says=_point_says(engine, chosen))] if chosen else [],
        )  # fmt: skip
        x, y = found["encoding"]["x"], found["encoding"]["y"]
        x["title"], y["title"] = _AXES[engine]
        x["scale"]["domain"], y["scale"]["domain"] = domain, _bounds(ys)
        if engine == "text":
            x["axis"]["format"] = "~%" if not log else "~g"
        if engine == "baskets":
            y["axis"]["format"] = ".3~f"
        if log:
            x["scale"] = {"type": "log", "nice": False, "domain": domain}
            x["axis"]["values"] = _decades(*domain)
            x["title"] += ", logarithmic"
        return found

    alt = f"Frontier of {count(part.search.candidates)} candidates, from risk {decimal(min(risks))} to {decimal(max(risks))}"
    if chosen is not None:
        alt += f"; {_point_says(engine, chosen)} is marked"
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


def _attack(part: TextPart) -> Chart | None:
    if not any(a.ranked for a in part.attacks):
        return None
    _, many = noun(part)
    dodge = {"A": 0.94, "B": 1.0, "outside": 1.064}
    before = [b for b in part.before if any(a.ranked for a in b.attacks)]
    rows: list[dict[str, Any]] = []
    runs = [("after", "", a) for a in part.attacks]
    runs += [("before", b.name, a) for b in before[:1] for a in b.attacks]
    for when, name, attack in runs:
        for f in attack.ranked:
            said = f"{name or 'This release'}, attacker {attack.attacker}: {about(f.found)} {many} in {count(f.budget)} words"
            rows.append({
                "budget": f.budget * dodge[attack.attacker], "share": 100 * f.found / f.budget,
                "low": 100 * (f.found if f.low is None else f.low) / f.budget,
                "high": 100 * (f.found if f.high is None else f.high) / f.budget,
                "attacker": attack.attacker, "when": when, "series": f"{attack.attacker} {when}",
                "fill": {"A": "#007a5a", "B": _BLUE, "outside": _ORANGE}[attack.attacker] if when == "after" else _PAPER,
                "says": f"{said} ({span(f.low, f.high)})" if span(f.low, f.high) else said,
            })  # fmt: skip
    budgets = sorted({f.budget for a in part.attacks for f in a.ranked})
    ends = [budgets[0] / 1.22, budgets[-1] * 1.3]
    bound = part.bound
    at_random = max(
        (100 * f.found / f.budget for a in part.attacks for f in a.random), default=None
    )

    def drawn(log: bool) -> dict[str, Any]:
        floor = min([at_random or 0.1, *(r["share"] for r in rows if r["share"] > 0)]) / 2
        shown = [{**r, **{k: max(r[k], floor) for k in ("share", "low", "high")}} for r in rows] if log else rows  # fmt: skip
        found = _filled(
            "attack",
            found=shown,
            bound=[] if bound is None else [
                {"budget": ends[0], "share": 100 * bound, "label": ""},
                {"budget": ends[1], "share": 100 * bound, "label": f"bound C/(L+C) = {percent(bound)}"}],
            random=[] if at_random is None or (log and at_random == 0) else [
                {"budget": ends[0], "share": at_random, "label": ""},
                {"budget": ends[1], "share": at_random, "label": "at random" if log else ""}],
        )  # fmt: skip
        x, y = found["encoding"]["x"], found["encoding"]["y"]
        x["scale"]["domain"], x["axis"]["values"] = ends, budgets
        y["title"] = f"{many.capitalize()} found per 100 words read"
        top = min(max([*(r["high"] for r in rows), 110 * (bound or 0)]), 100)
        if log:
            domain = [floor, top * 1.3]
            y["scale"] = {"type": "log", "nice": False, "domain": domain}
            y["axis"] = {"format": "~g", "values": _decades(*domain)}
            y["title"] += ", logarithmic"
        else:
            y["scale"] = {"nice": False, "domain": [0, top * 1.04]}
        return found

    head = part.headline
    alt = f"{many.capitalize()} found by attackers at budgets of {', '.join(count(b) for b in budgets)} words"
    if head is not None:
        alt += f"; at {count(head.budget)} words the strongest finds {about(head.found)}"
        alt += "" if head.random is None else f", random reading {about(head.random)}"
        alt += "" if head.bound is None else f", the bound allows {about(head.bound)}"
        alt += "" if head.before is None else f", before it was {about(head.before)}"
    present = {a.attacker for a in part.attacks}
    key: list[tuple[str, str]] = [(k, name) for k, name in ATTACKER_NAMES.items() if k in present]
    if before:
        key.append(("before", f"the same attackers against: {before[0].name}"))
    key += [("bound", "bound C/(L+C)")] if bound is not None else []
    key += [("random", "reading at random")] if at_random is not None else []
    return Chart(
        f"{part.id}-attack", "attack", f"What an attacker finds on {part.attack_on}", alt + ".",
        (View("Logarithmic", drawn(True)), View("Linear", drawn(False))),
        ("Series", "Budget", "Per 100 words", "Low", "High"),
        tuple((r["series"], count(r["budget"] / dodge[r["attacker"]]), decimal(r["share"]), decimal(r["low"]), decimal(r["high"])) for r in rows),
        tuple(key),
    )  # fmt: skip


def _ratios(part: TextPart) -> Chart | None:
    rows = [r for r in part.ratios if r.leaked is not None and r.published is not None]
    if len(rows) < 2:
        return None
    data: list[dict[str, Any]] = [
        {"ratio": f"{r.ratio:g}", "leaked": r.leaked, "published": r.published, "rounds": r.rounds,
         "fill": _INK if part.choice and r.id == part.choice.id else _BLUE,
         "says": f"L/C {r.ratio:g}: {count(r.leaked or 0)} left, {percent(r.published or 0)} published, {r.rounds or 0:g} rounds"}
        for r in rows
    ]  # fmt: skip
    alt = "By loss ratio: " + "; ".join(d["says"] for d in data)
    return Chart(
        f"{part.id}-ratios", "cost", "What each loss ratio gives", alt + ".",
        (View("", _filled("ratios", rows=data)),), ("L/C", "Left", "Published", "Rounds"),
        tuple((d["ratio"], count(d["leaked"]), percent(d["published"]), f"{d['rounds'] or 0:g}") for d in data),
        (("ink", "the candidate in this report"), ("blue", "the others")),
    )  # fmt: skip


def _groups(part: TablesPart) -> Chart | None:
    total = sum(g.records for g in part.groups)
    if not total:
        return None
    rows: list[dict[str, Any]] = []
    for g in part.groups:
        size = f"{g.low:,}+" if g.high is None else f"{g.low:,}" if g.low == g.high else f"{g.low:,}–{g.high:,}"  # fmt: skip
        pairs = [("of the records", g.records / total), ("of the risk", g.risk_share)]
        rows += [
            {"size": size, "what": what, "share": share, "label": percent(share),
             "says": f"groups of {size}: {percent(share)} {what}"}
            for what, share in pairs if share is not None
        ]  # fmt: skip
    alt = "Records and risk by the size of the population group: " + "; ".join(
        r["says"] for r in rows
    )
    return Chart(
        f"{part.id}-groups", "attack", "Who carries the risk: records by population group", alt + ".",
        (View("", _filled("groups", rows=rows)),), ("Group size", "Share", ""),
        tuple((r["size"], r["label"], r["what"]) for r in rows),
    )  # fmt: skip


def _area(part: Part) -> Chart | None:
    trace = part.search.trace
    if len(trace) < 2:
        return None
    first, last = trace[0], trace[-1]
    data = [{"evaluations": max(n, 1), "area": area} for n, area in trace]
    ends = [{"evaluations": last[0], "area": last[1], "label": decimal(last[1]), "says": f"area {decimal(last[1])} after {count(last[0])}"}]  # fmt: skip
    alt = f"The area under the frontier falls from {decimal(first[1])} after {count(first[0])} to {decimal(last[1])} after {count(last[0])} evaluations."  # fmt: skip
    return Chart(
        f"{part.id}-area", "tradeoff", "The search: area under the frontier", alt,
        (View("", _filled("area", trace=data, ends=ends)),), ("Evaluated", "Area"),
        tuple((count(n), decimal(area)) for n, area in thinned(list(trace), 20)),
    )  # fmt: skip


def _basket_rows(part: BasketsPart) -> list[dict[str, Any]]:
    best: dict[int, Any] = {}
    for row in part.candidates:
        chosen = part.choice is not None and row.id == part.choice.id
        if row.k not in best or chosen or (
            (row.auc or 0) > (best[row.k].auc or 0) and not (part.choice and best[row.k].id == part.choice.id)
        ):  # fmt: skip
            best[row.k] = row
    rows = []
    for k in sorted(best):
        row = best[k]
        if None not in {row.auc, row.count}:
            low, high = row.auc_interval or (row.auc, row.auc)
            mine = part.choice is not None and row.id == part.choice.id
            rows.append({
                "k": str(k), "auc": row.auc, "low": low, "high": high, "count": row.count, "ac": row.ac,
                "unique": row.unique_share, "fill": _INK if mine else _BLUE, "warn": _INK if mine else _ORANGE,
                "says": f"k {k}: AUC {row.auc:.3f}, {count(row.count)} features, AC {row.ac}, {percent(row.unique_share or 0)} unique",
            })  # fmt: skip
    return rows


def _quality(part: BasketsPart) -> Chart | None:
    rows = _basket_rows(part)
    if not rows:
        return None
    every = part.all_features_auc
    line = [] if every is None else [{"auc": every, "label": f"all features: {every:.3f}"}]
    drawn = _filled("quality", rows=rows, all=line)
    ys = [v for r in rows for v in (r["low"], r["high"])] + [r["auc"] for r in line]
    drawn["hconcat"][0]["encoding"]["y"]["scale"]["domain"] = _bounds(ys, 0.12)
    alt = "Quality and features by k: " + "; ".join(r["says"] for r in rows)
    return Chart(
        f"{part.id}-quality", "cost", "What k costs", alt + ".", (View("", drawn),),
        ("k", "AUC", "Features"), tuple((r["k"], f"{r['auc']:.3f}", count(r["count"])) for r in rows),
        (("ink", "the candidate in this report"), ("blue", "the best candidate at another k")),
    )  # fmt: skip


def _uniqueness(part: BasketsPart) -> Chart | None:
    rows = [r for r in _basket_rows(part) if r["ac"] is not None and r["unique"] is not None]
    if not rows:
        return None
    alt = "Rows that fit known presences, beside unique rows: " + "; ".join(r["says"] for r in rows)
    drawn = _filled("uniqueness", rows=[{**r, "label": percent(r["unique"])} for r in rows])
    most = max(r["unique"] for r in rows)
    share = drawn["hconcat"][1]["encoding"]["y"]
    share["scale"]["domain"] = [0, 1.08] if most > 0.4 else [0, max(most * 1.25, 0.01)]
    if most <= 0.4:
        share["axis"] = {"format": "~%", "tickCount": 5}
    return Chart(
        f"{part.id}-uniqueness", "attack", "Presences and absences, side by side", alt + ".",
        (View("", drawn),), ("k", "AC", "Unique rows"),
        tuple((r["k"], count(r["ac"]), percent(r["unique"])) for r in rows),
        (("ink", "the candidate in this report"),),
    )  # fmt: skip


def _absences(part: BasketsPart) -> Chart | None:
    if len(part.absences) < 2:
        return None
    rows = [{"absences": str(a.absences), "ac": a.ac, "says": f"{a.absences} known absences: {'' if a.exact else 'at least '}{a.ac} rows fit"} for a in part.absences]  # fmt: skip
    alt = "Rows that still fit: " + "; ".join(str(r["says"]) for r in rows)
    return Chart(
        f"{part.id}-absences", "attack", "When absences are known too", alt + ".",
        (View("", _filled("absences", rows=rows)),), ("Known absences", "Rows that fit"),
        tuple((str(r["absences"]), count(float(str(r["ac"])))) for r in rows),
    )  # fmt: skip


def charts_of(facts: Facts) -> dict[str, list[Chart]]:
    """Give the charts of each part, by the part's id, in the order they are shown."""
    found: dict[str, list[Chart]] = {}
    for part in facts.parts:
        charts: list[Chart | None] = [_frontier(part), _area(part)]
        if isinstance(part, TextPart):
            charts += [_attack(part), _ratios(part)]
        elif isinstance(part, TablesPart):
            charts += [_groups(part)]
        else:
            charts += [_uniqueness(part), _absences(part), _quality(part)]
        found[part.id] = [chart for chart in charts if chart is not None]
    return found


def to_svg(drawing: dict[str, Any], *, font: str | None = None) -> str:
    """Draw a spec as SVG; nothing is fetched."""
    import vl_convert

    if font is not None:
        drawing = copy.deepcopy(drawing)
        drawing["config"]["font"] = font
    svg: str = vl_convert.vegalite_to_svg(drawing, allowed_base_urls=[])
    # The library numbers its clip paths through the life of the process; number them anew.
    numbers: dict[str, str] = {}
    return re.sub(
        r"\b(clip|gradient_|pattern)(\d+)\b",
        lambda m: m[1] + numbers.setdefault(m[1] + m[2], str(len(numbers))),
        svg,
    )


def to_png(drawing: dict[str, Any], *, scale: float = 2.0) -> bytes:
    """Draw a spec as PNG on white; nothing is fetched."""
    import vl_convert

    drawing = copy.deepcopy(drawing)
    drawing["config"]["background"] = "white"
    png: bytes = vl_convert.vegalite_to_png(drawing, scale=scale, allowed_base_urls=[])
    return png
