"""Tables, chips and charts of a report about a table."""

from __future__ import annotations

import math
from bisect import bisect_left

from ....core.story import Chart, Chips, Grid
from ....presentation.frontier_chart import Axes, area_chart, frontier_chart
from ....presentation.language import say
from ....presentation.numbers import count, decimal, to_places
from ....presentation.sentences import reference_grid as grid_of_references
from ..registry import SHOWN
from .charts import groups_chart
from .facts import LOSS_WORDS, RISK_WORDS, TableFacts

__all__ = [
    "charts",
    "chips",
    "example_grid",
    "policy_grid",
    "reference_grid",
    "sensitive_grid",
    "shown_grid",
]

_SHOWN = 24
_EXAMPLES = 5


def _attribute_words(ends: tuple[int, ...], size: int | None) -> str:
    if size is not None and len(ends) == size:
        return say("published unchanged ({size} values)", size=count(size))
    if len(ends) == 1:
        return say("the same for everybody (published as *)")
    if size is None:  # of a domain that was read from the data
        return say("published in {n} groups", n=count(len(ends)))
    widths = [high - low for low, high in zip((-1, *ends[:-1]), ends, strict=True)]
    return say(
        "published in {n} groups, the widest of {widest} values",
        n=count(len(ends)),
        widest=count(max(widths)),
    )


def policy_grid(facts: TableFacts) -> Grid | None:
    """Return the policy in words, next to Safe Harbor."""
    _, ends = facts.policy
    if not ends:
        return None
    harbor = facts.harbor
    heads: list[tuple[str, str | None]] = [
        (say("Attribute"), None),
        (say("This policy"), "tables.policy"),
    ]
    if harbor is not None:
        heads.append(("Safe Harbor", "tables.safe_harbor"))
    rows = []
    for name in facts.quasi:
        row = [name, _attribute_words(ends[name], facts.domains.get(name))]
        if harbor is not None:
            size = None if facts.frontier is None else facts.frontier.domains.get(name)
            row.append(_attribute_words(harbor.ends[name], size) if name in harbor.ends else "–")
        rows.append(tuple(row))
    return Grid("published", say("The policy in words"), tuple(heads), tuple(rows), words=True)


def _stride(size: int) -> int:
    """Return a step through a number of intervals that visits them far apart."""
    step = max(round(size * 0.382), 1)
    while math.gcd(step, size) > 1:
        step += 1
    return step


def example_grid(facts: TableFacts) -> Grid | None:
    """Show made-up people as this policy and as Safe Harbor would publish them.

    A made-up person is a place in each domain; the interval that holds it gives the label.
    """
    labels, ends = facts.policy
    if not ends:
        return None
    harbor = facts.harbor
    rows = []
    for person in range(_EXAMPLES):
        places = []
        for j, name in enumerate(facts.quasi):
            at = (person * _stride(len(ends[name])) + j) % len(ends[name])
            places.append(ends[name][at])
        shown = [
            labels[n][bisect_left(ends[n], p)] for n, p in zip(facts.quasi, places, strict=True)
        ]
        rows.append((str(person + 1), say("this policy"), *shown))
        if harbor is not None and set(facts.quasi) == set(harbor.ends):
            other = [
                harbor.policy[n][bisect_left(harbor.ends[n], p)]
                for n, p in zip(facts.quasi, places, strict=True)
            ]
            rows.append((str(person + 1), "Safe Harbor", *other))
    heads = (
        (say("Person"), None),
        (say("Published under"), None),
        *((n, None) for n in facts.quasi),
    )
    return Grid("cost", say("Made-up people, side by side"), heads, tuple(rows), words=True)


def sensitive_grid(facts: TableFacts) -> Grid | None:
    """Return what belonging to a group reveals."""
    if not facts.sensitive:
        return None
    heads = (
        (say("Sensitive column"), None),
        (say("Fewest different values"), "tables.l"),
        (say("Largest distance"), "tables.t"),
    )
    rows = tuple((n, count(l), to_places(t, 2)) for n, (l, t) in facts.sensitive.items())
    return Grid("attack", say("What belonging to a group reveals"), heads, rows)


def shown_grid(facts: TableFacts) -> Grid | None:
    """Return the figures that other packages add, each by its line of help where that is installed."""
    if not facts.shown:
        return None
    rows = tuple(
        (say(SHOWN[name].help) if name in SHOWN else name, decimal(value))
        for name, value in facts.shown.items()
    )
    return Grid(
        "attack", say("Further measures"), ((say("Measure"), None), (say("Value"), None)), rows
    )


def reference_grid(facts: TableFacts) -> Grid | None:
    """Return the policies that people know."""
    return grid_of_references(
        facts.part,
        risk=(say("Risk"), "tables.risk"),
        utility=(say("Information kept"), "tables.utility"),
        risk_words=decimal,
    )


def chips(facts: TableFacts) -> list[Chips]:
    """Return the groups of each attribute."""
    labels, ends = facts.policy
    return [
        Chips(
            "published",
            say("Groups of {name}", name=name),
            labels[name][:_SHOWN],
            more=max(0, len(labels[name]) - _SHOWN),
        )
        for name in facts.quasi
        if name in ends and 1 < len(ends[name]) != facts.domains.get(name)
    ]


def charts(facts: TableFacts) -> list[Chart]:
    """Return the frontier, the search and the sizes of groups."""
    frontier = facts.frontier
    found: list[Chart | None] = []
    if frontier is not None:
        axes = Axes(
            risk=say(RISK_WORDS.get(frontier.risk_measure, frontier.risk_measure)),
            utility=say(LOSS_WORDS.get(frontier.loss_measure, frontier.loss_measure)),
            utility_name=say(LOSS_WORDS.get(frontier.loss_measure, "utility")),
            utility_format="%",
            logarithmic_first=frontier.risk_measure == "population",
            individual=frontier.risk_measure == "prosecutor",
        )
        found.append(
            frontier_chart(
                facts.part,
                axes,
                visited=frontier.visited,
                visited_total=frontier.visited_total,
                proven=() if frontier.certificate is None else frontier.certificate.staircase,
            )
        )
        found.append(area_chart(facts.part, frontier.trace))
    before = () if frontier is None else frontier.groups_before
    found.append(groups_chart(facts.part.id, facts.groups, before))
    return [chart for chart in found if chart is not None]
