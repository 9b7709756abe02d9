"""Charts of the text engine: what attackers find by budget, and what each loss ratio gives."""

from __future__ import annotations

from typing import Any

from ....core.story import Chart, View
from ....presentation.drawing import BLUE, GREEN, INK, ORANGE, PAPER, decades, fill_spec, headroom
from ....presentation.language import say
from ....presentation.numbers import about, begin_sentence, count, decimal, percent, span
from ..attack_records import Reading, ReadingRecord
from ..records import is_measured
from .facts import TextFacts

__all__ = ["ATTACKER_NAMES", "attack_chart", "ratio_chart"]

ATTACKER_NAMES: dict[Reading, str] = {
    "A": "A: learns from the publisher's leftovers",
    "B": "B: learns from part of the release",
    "outside": "Outside: other corpora or another learner",
}
_COLOURS: dict[Reading, str] = {"A": GREEN, "B": BLUE, "outside": ORANGE}
_ASIDE: dict[Reading, float] = {"A": 0.94, "B": 1.0, "outside": 1.064}  # so that points do not hide


def attack_chart(facts: TextFacts) -> Chart | None:
    """Show what attackers find by budget, before and after, with random reading and the bound."""
    if not facts.budgets:
        return None
    before = next((r for r in facts.before if r.attack is not None), None)
    drawing = _Attack(facts)
    for reading, record in facts.readings.items():
        drawing.add("after", say("This release"), reading, record)
    if before is not None and before.attack is not None:
        for reading, record in before.attack.readings().items():
            drawing.add("before", say(before.name), reading, record)
    key: list[tuple[str, str]] = [
        (r, say(n)) for r, n in ATTACKER_NAMES.items() if r in facts.readings
    ]
    if before is not None:
        key.append(("before", say("the same attackers against: {name}", name=say(before.name))))
    key += [("bound", say("bound C/(L+C)"))] if facts.bound is not None else []
    key.append(("random", say("reading at random")))
    views = (
        View(say("Linear"), drawing.spec(log=False)),
        View(say("Logarithmic"), drawing.spec(log=True)),
    )
    return Chart(
        f"{facts.part.id}-attack",
        "attack",
        say("What an attacker finds on {where}", where=facts.where),
        drawing.alt(),
        views if before is None else views[::-1],
        (say("Series"), say("Budget"), say("Per 100 words"), say("Low"), say("High")),
        drawing.table(),
        tuple(key),
        live=True,
    )


class _Attack:
    """The points of the attack chart, to be drawn on either scale."""

    def __init__(self, facts: TextFacts) -> None:
        self.facts, self.budgets = facts, facts.budgets
        self.rows: list[dict[str, Any]] = []
        self.random = max(
            100 * f.found / int(b) for r in facts.readings.values() for b, f in r.random.items()
        )

    def add(self, when: str, name: str, reading: Reading, record: ReadingRecord) -> None:
        """Add the points of one attacker."""
        many = self.facts.noun[1]
        for key, found in sorted(record.ranked.items(), key=lambda pair: int(pair[0])):
            budget = int(key)
            said = say(
                "{name}, attacker {reading}: {value} {many} in {budget} words",
                name=name,
                reading=say(reading),
                value=about(found.found),
                many=many,
                budget=count(budget),
            )
            self.rows.append(
                {
                    "budget": budget * _ASIDE[reading],
                    "inspected": budget,
                    "share": 100 * found.found / budget,
                    "low": 100 * found.low / budget,
                    "high": 100 * found.high / budget,
                    "attacker": reading,
                    "when": when,
                    "series": f"{reading} {when}",
                    "fill": _COLOURS[reading] if when == "after" else PAPER,
                    "says": f"{said} ({span(found.low, found.high)})",
                }
            )

    def table(self) -> tuple[tuple[str, ...], ...]:
        return tuple(
            (
                f"{say(r['attacker'])} {say(r['when'])}",
                count(r["inspected"]),
                *(decimal(r[k]) for k in ("share", "low", "high")),
            )
            for r in self.rows
        )

    def alt(self) -> str:
        """Return the chart in words."""
        head = self.facts.headline
        budgets = ", ".join(count(b) for b in self.budgets)
        words = say(
            "{capitalize} found by attackers at budgets of {budgets} words",
            capitalize=begin_sentence(self.facts.noun[1]),
            budgets=budgets,
        )
        if head is not None:
            words += say(
                "; at {budget} words the strongest finds {head}",
                budget=count(head.budget),
                head=about(head.found.found),
            )
            words += (
                ""
                if head.random is None
                else say(", random reading {random}", random=about(head.random))
            )
            if self.facts.bound is not None:
                words += say(
                    ", the bound allows {bound}", bound=about(self.facts.bound * head.budget)
                )
            words += (
                ""
                if head.before is None
                else say(", before it was {before}", before=about(head.before[1]))
            )
        return f"{words}."

    def spec(self, *, log: bool) -> dict[str, object]:
        """Return the Vega-Lite spec on a linear or a logarithmic axis."""
        bound, at_random = self.facts.bound, self.random
        ends = [self.budgets[0] / 1.22, self.budgets[-1] * 1.3]
        floor = min([at_random or 0.1, *(r["share"] for r in self.rows if r["share"] > 0)]) / 2
        shares = ("share", "low", "high")
        shown = (
            [{**r, **{k: max(r[k], floor) for k in shares}} for r in self.rows]
            if log
            else self.rows
        )

        def level(share: float, label: str) -> list[dict[str, object]]:
            return [
                {"budget": ends[0], "share": share, "label": ""},
                {"budget": ends[1], "share": share, "label": label},
            ]

        label = say("at random") if log else ""
        found = fill_spec(
            "attack",
            found=shown,
            bound=[]
            if bound is None
            else level(100 * bound, say("bound C/(L+C) = {bound}", bound=percent(bound))),
            random=[] if log and at_random == 0 else level(at_random, label),
        )
        x, y = found["encoding"]["x"], found["encoding"]["y"]
        x["scale"]["domain"], x["axis"]["values"] = ends, self.budgets
        y["title"] = say(
            "{capitalize} found per 100 words read", capitalize=begin_sentence(self.facts.noun[1])
        )
        top = min(max([*(r["high"] for r in self.rows), 110 * (bound or 0)]), 100)
        if log:
            domain = [floor, top * 1.3]
            y["scale"] = {"type": "log", "nice": False, "domain": domain}
            y["axis"] = {"format": "~g", "values": decades(*domain)}
            y["title"] += say(", logarithmic")
        else:
            y["scale"] = {"nice": False, "domain": [0, top * 1.04]}
        return found


def ratio_chart(facts: TextFacts) -> Chart | None:
    """Show leaks, published share and rounds by loss ratio."""
    if facts.frontier is None or len(facts.frontier.candidates) < 2:
        return None
    if not all(is_measured(c.risk) for c in facts.frontier.candidates):
        return None
    own = facts.chosen.id if facts.chosen is not None else None
    rows = [
        {
            "ratio": decimal(c.ratio),
            "leaked": c.leaked,
            "published": c.published,
            "rounds": c.rounds,
            "fill": INK if c.id == own else BLUE,
            "says": say(
                "L/C {ratio}: {leaked} left, {published} published, {rounds} rounds",
                ratio=decimal(c.ratio),
                leaked=count(c.leaked),
                published=percent(c.published),
                rounds=c.rounds,
            ),
        }
        for c in sorted(facts.frontier.candidates, key=lambda c: c.ratio)
    ]
    drawn = fill_spec("ratios", rows=rows)
    headroom(drawn, 0, [float(c.leaked) for c in facts.frontier.candidates])
    headroom(drawn, 2, [float(c.rounds) for c in facts.frontier.candidates])
    alt = say("By loss ratio: ") + "; ".join(str(row["says"]) for row in rows)
    return Chart(
        f"{facts.part.id}-ratios",
        "cost",
        say("What each loss ratio gives"),
        f"{alt}.",
        (View("", drawn),),
        ("L/C", say("Left"), say("Published"), say("Rounds")),
        tuple(
            (decimal(c.ratio), count(c.leaked), percent(c.published), str(c.rounds))
            for c in sorted(facts.frontier.candidates, key=lambda c: c.ratio)
        ),
        (("ink", say("the candidate in this report")), ("blue", say("the others"))),
    )
