"""What analysts lose: sentences for everybody, figures and pictures of margins for the steward."""

from __future__ import annotations

from ....core.story import Chart, Grid, View
from ....presentation.drawing import fill_spec
from ....presentation.language import say
from ....presentation.numbers import decimal, join_words, percent
from ..analysis_records import FigureRecord, MarginRecord
from .facts import TableFacts

__all__ = ["analysis_grid", "analysis_sentences", "margin_charts"]

_LISTED = 40  # figures in the report, those that are farthest off
_KINDS = {
    "mean": "means by {error} standard deviations",
    "quartile": "quartiles by {error} standard deviations",
    "proportion": "proportions by {error}",
    "correlation": "correlations by {error}",
    "coefficient": "coefficients of a regression by {error} standard errors",
}
_NAMES = {
    "mean": "mean of {of}",
    "quartile": "quartile of {of}",
    "proportion": "share of {of}",
    "correlation": "correlation of {of}",
    "coefficient": "coefficient of {of}",
}


def analysis_sentences(facts: TableFacts) -> list[str]:
    """Return what figures computed from the release are off by, in bounds that anybody may know."""
    known = {kind: bound for kind, bound in facts.errors_below.items() if kind in _KINDS}
    if not known:
        return []
    lost = join_words([say(_KINDS[kind], error=decimal(bound)) for kind, bound in known.items()])
    return [
        say(
            "Whoever takes values as spread evenly within a published interval is off by no more than this on average: {lost}.",
            lost=lost,
        )
    ]


def analysis_grid(facts: TableFacts) -> Grid | None:
    """Return the figures before and after, the farthest off first."""
    if facts.analysis is None or not facts.analysis.figures:
        return None
    figures = sorted(facts.analysis.figures, key=lambda f: (-f.error, f.kind, f.of))
    rows = tuple(_row(figure) for figure in figures[:_LISTED])
    heads = (say("Figure"), say("Before"), say("After"), say("Off by"))
    note = say(
        "Means and quartiles are off in standard deviations of their column, coefficients in standard errors; numbers in a regression are in units of their standard deviation. Values are numbered in the order of their domain."
    )
    return Grid(
        "cost",
        say("What analysts lose"),
        tuple((head, None) for head in heads),
        rows,
        note=note,
    )


def _row(figure: FigureRecord) -> tuple[str, str, str, str]:
    before = decimal(figure.before)
    if figure.low is not None and figure.high is not None:
        before = f"{before} ({decimal(figure.low)} – {decimal(figure.high)})"
    name = say(_NAMES.get(figure.kind, "{of}"), of=figure.of)
    return name, before, decimal(figure.after), decimal(figure.error)


def margin_charts(facts: TableFacts) -> list[Chart]:
    """Return a picture of each column that changed: the shares of its values before and as they are shown."""
    if facts.analysis is None:
        return []
    changed = [m for m in facts.analysis.margins if m.before != m.after]
    return [_margin_chart(facts.part.id, number, m) for number, m in enumerate(changed)]


def _margin_chart(part_id: str, number: int, margin: MarginRecord) -> Chart:
    """Draw two lines over numbers, or over the places of names in their domain."""
    places = margin.numbers or tuple(float(i + 1) for i in range(len(margin.before)))
    sides = ((say("before"), margin.before), (say("as published"), margin.after))
    rows = [
        {"value": place, "what": what, "share": share}
        for what, shares in sides
        for place, share in zip(places, shares, strict=True)
    ]
    drawn = fill_spec("margin", rows=rows)
    drawn["encoding"]["color"]["scale"]["domain"] = [what for what, _ in sides]
    drawn["encoding"]["x"]["title"] = margin.column
    moved = sum(abs(a - b) for a, b in zip(margin.before, margin.after, strict=True)) / 2
    return Chart(
        f"{part_id}-margin-{number}",
        "cost",
        say("Margin of {column}, before and as published", column=margin.column),
        say(
            "{share} of the records are shown at another value of {column} than theirs.",
            share=percent(moved),
            column=margin.column,
        ),
        (View("", drawn),),
        (say("Value"), say("Before"), say("After")),
        tuple(
            (decimal(place), percent(before), percent(after))
            for place, before, after in zip(places, margin.before, margin.after, strict=True)
        ),
    )
