"""Charts of the text engine: what attackers find by budget, and what each loss ratio gives."""

from __future__ import annotations

from typing import Any

from ...core.story import Chart, View
from ...presentation.drawing import BLUE, GREEN, INK, ORANGE, PAPER, decades, filled, headroom
from ...presentation.numbers import about, count, decimal, percent, span
from ..facts.model import TextPart
from ..words.text import ATTACKER_NAMES, noun

__all__ = ["attack", "ratios"]


def attack(part: TextPart) -> Chart | None:
    """Show what attackers find by budget, before and after, beside random reading and the bound."""
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
                "fill": {"A": GREEN, "B": BLUE, "outside": ORANGE}[attack.attacker] if when == "after" else PAPER,
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
        found = filled(
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
            y["axis"] = {"format": "~g", "values": decades(*domain)}
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
        tuple(sorted((View("Linear", drawn(False)), View("Logarithmic", drawn(True))), key=lambda v: (v.name == "Linear") == bool(before))),
        ("Series", "Budget", "Per 100 words", "Low", "High"),
        tuple((r["series"], count(r["budget"] / dodge[r["attacker"]]), decimal(r["share"]), decimal(r["low"]), decimal(r["high"])) for r in rows),
        tuple(key),
    )  # fmt: skip


def ratios(part: TextPart) -> Chart | None:
    """Show leaks, published share and rounds by loss ratio."""
    rows = [r for r in part.ratios if r.leaked is not None and r.published is not None]
    if len(rows) < 2:
        return None
    data: list[dict[str, Any]] = [
        {"ratio": f"{r.ratio:g}", "leaked": r.leaked, "published": r.published, "rounds": r.rounds,
         "fill": INK if part.choice and r.id == part.choice.id else BLUE,
         "says": f"L/C {r.ratio:g}: {count(r.leaked or 0)} left, {percent(r.published or 0)} published, {r.rounds or 0:g} rounds"}
        for r in rows
    ]  # fmt: skip
    drawn = filled("ratios", rows=data)
    headroom(drawn, 0, [d["leaked"] for d in data])
    headroom(drawn, 2, [d["rounds"] for d in data])
    alt = "By loss ratio: " + "; ".join(d["says"] for d in data)
    return Chart(
        f"{part.id}-ratios", "cost", "What each loss ratio gives", alt + ".",
        (View("", drawn),), ("L/C", "Left", "Published", "Rounds"),
        tuple((d["ratio"], count(d["leaked"]), percent(d["published"]), f"{d['rounds'] or 0:g}") for d in data),
        (("ink", "the candidate in this report"), ("blue", "the others")),
    )  # fmt: skip
