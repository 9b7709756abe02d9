"""Figures 3 to 8 of the paper as Vega-Lite specifications over the study's tidy rows."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...core.errors import ParameterError
from ...engines.text.learners.selection import Selection
from ..writing import with_style
from .publishers import PUBLISHERS, CostSensitive, Literal, Publisher
from .rows import AttackRow, PublisherRow, StudyContent

__all__ = ["FIGURES", "best_single_pass", "figure"]

Row = Mapping[str, str | float]  # a point of a chart
Spec = dict[str, object]


def figure(name: str, content: StudyContent) -> Spec:
    """Return the chart of one figure, its rows inside.

    Parameters
    ----------
    name : str
        One of `FIGURES`.
    content : mapping
        What the study returned.

    """
    if name not in FIGURES:
        raise ParameterError.constraint("name", "figure", f"one of {', '.join(FIGURES)}", name)
    return FIGURES[name](content)


class _Axis(typing.NamedTuple):
    """A field of the rows, and its title."""

    field: str
    title: str


_RATIO = _Axis("ratio", "L/C")


def _chart(
    title: str,
    rows: Sequence[Row],
    x: _Axis,
    y: _Axis,
    *,
    dash: str | None = None,
    from_zero: bool = True,
) -> Spec:
    """Return lines by publisher on a logarithmic axis, one panel per corpus."""
    x_scale: Spec = {}
    axis: Spec = {}
    if rows:
        values = sorted({value for row in rows if isinstance(value := row[x.field], int | float)})
        x_scale = {"type": "log", "nice": False, "domain": [values[0] / 1.15, values[-1] * 1.15]}
        axis = {"values": values, "format": "~s"}
    encoding: Spec = {
        "x": {
            "field": x.field,
            "type": "quantitative",
            "title": x.title,
            "scale": x_scale,
            "axis": axis,
        },
        "y": {
            "field": y.field,
            "type": "quantitative",
            "title": y.title,
            "scale": {"zero": from_zero},
        },
        "color": {"field": "publisher", "type": "nominal", "title": None},
        "tooltip": [{"field": f} for f in ("publisher", x.field, y.field)],
    }
    if dash is not None:
        encoding["strokeDash"] = {"field": dash, "type": "nominal", "title": None}
    facets = len({row["corpus"] for row in rows}) or 1
    spec = {
        "title": title,
        "data": {"values": rows},
        "facet": {"field": "corpus", "type": "nominal", "title": None},
        "columns": 3,
        "spec": {
            "width": 220,
            "height": 160,
            "mark": {"type": "line", "point": True, "clip": True},
            "encoding": encoding,
        },
        "resolve": {"scale": {"y": "independent"}},
    }
    return with_style(spec, width=280 * min(facets, 3))


def _titles(wanted: Callable[[Publisher], bool]) -> dict[str, str]:
    """Return the titles of some publishers by name."""
    return {name: p.title for name, p in PUBLISHERS.items() if wanted(p)}


def _best_or_one_pass(publisher: Publisher) -> bool:
    """Return whether it is one pass, or an iterative publisher with the best of all learners."""
    return not isinstance(publisher, Literal) or isinstance(publisher.learner, Selection)


def _attacks(
    content: StudyContent, *, publishers: Iterable[str], reading: str = "B"
) -> Iterable[AttackRow]:
    wanted = set(publishers)
    return (r for r in content["attack"] if r["publisher"] in wanted and r["reading"] == reading)


def _identification_chart(content: StudyContent) -> Spec:
    """Figure 3: TP_A by L/C for literal GS with the CRF and with the best of all."""
    names = _titles(lambda p: p.attacked_with_residual)
    rows: list[Row] = [
        {"corpus": r["corpus"], "publisher": names[r["publisher"]], "ratio": r["ratio"],
         "identified": r["tp"], "kind": "GreedySanitize"}
        for r in _attacks(content, publishers=names)
        if r["way"] == "ranked" and r["budget"] == min(content["plan"]["budgets"])
    ]  # fmt: skip
    for corpus, found in _baselines(content).items():
        rows += [
            {"corpus": corpus, "publisher": "one plain pass, best learner", "ratio": ratio,
             "identified": found, "kind": "baseline"}
            for ratio in content["plan"]["ratios"]
        ]  # fmt: skip
    return _chart(
        "Figure 3: sensitive words that the attacker's classifier points at (TP_A)", rows, _RATIO,
        _Axis("identified", "TP_A"), dash="kind",
    )  # fmt: skip


def best_single_pass(published: Iterable[PublisherRow]) -> dict[str, str]:
    """Return, by corpus, the publisher whose one plain pass (L/C = 1) errs least.

    Parameters
    ----------
    published : iterable of mapping
        The rows of the publishers.

    """
    errors: dict[tuple[str, str], float] = {}
    for r in published:
        if isinstance(PUBLISHERS[r["publisher"]], CostSensitive) and r["ratio"] == 1:
            key = r["corpus"], r["publisher"]
            errors[key] = errors.get(key, 0) + r["total_loss"]
    best: dict[str, str] = {}
    for corpus, publisher in sorted(errors, key=lambda k: (errors[k], k)):
        best.setdefault(corpus, publisher)
    return best


def _baselines(content: StudyContent) -> dict[str, int]:
    """Return TP_A against one plain pass of the learner with the fewest errors, by corpus."""
    best = best_single_pass(content["publish"])
    return {
        r["corpus"]: r["tp"]
        for r in content["attack"]
        if r["ratio"] == 1 and r["reading"] == "B" and r["publisher"] == best.get(r["corpus"])
    }


def _by_budget(
    content: StudyContent, title: str, names: Mapping[str, str], ratios: Iterable[float]
) -> Spec:
    wanted = set(ratios)
    rows: list[Row] = [
        {"corpus": f"{r['corpus']}, L/C = {r['ratio']:g}", "publisher": names[r["publisher"]],
         "budget": r["budget"], "share": r["share"], "way": r["way"]}
        for r in _attacks(content, publishers=names)
        if r["ratio"] in wanted and r["way"] != "random"
    ]  # fmt: skip
    return _chart(
        title, rows, _Axis("budget", "inspected words B"), _Axis("share", "found / B"), dash="way",
    )  # fmt: skip


def _against_cost(content: StudyContent) -> Spec:
    names = _titles(_best_or_one_pass)
    return _by_budget(
        content, "Figure 4: found by the attacker, L/C = 5 and 10", names, (5.0, 10.0)
    )


def _publish_ratio(content: StudyContent) -> Spec:
    names = _titles(_best_or_one_pass)
    rows = _mean(content, names, "published")
    return _chart(
        "Figure 5: share of the words that is published", rows, _RATIO,
        _Axis("published", "publish ratio"), from_zero=False,
    )  # fmt: skip


def _hypotheses(content: StudyContent, number: int, ratio: float) -> Spec:
    names = _titles(lambda p: not isinstance(p, CostSensitive))
    return _by_budget(
        content,
        f"Figure {number}: one learner or the best of all, L/C = {ratio:g}",
        names,
        (ratio,),
    )


def _rounds(content: StudyContent) -> Spec:
    names = _titles(lambda p: not isinstance(p, CostSensitive))
    rows = _mean(content, names, "rounds")
    return _chart(
        "Figure 8: classifiers kept (the algorithm learns one more to see that it gains nothing)",
        rows, _RATIO, _Axis("rounds", "classifiers"),
    )  # fmt: skip


def _mean(
    content: StudyContent, names: Mapping[str, str], field: typing.Literal["published", "rounds"]
) -> list[Row]:
    """Average a field over the folds."""
    sums: dict[tuple[str, str, float], list[float]] = {}
    for r in content["publish"]:
        if r["publisher"] in names:
            sums.setdefault((r["corpus"], r["publisher"], r["ratio"]), []).append(r[field])
    return [
        {"corpus": corpus, "publisher": names[publisher], "ratio": ratio,
         field: sum(values) / len(values)}
        for (corpus, publisher, ratio), values in sums.items()
    ]  # fmt: skip


FIGURES: dict[str, Callable[[StudyContent], Spec]] = {
    "figure_3": _identification_chart,
    "figure_4": _against_cost,
    "figure_5": _publish_ratio,
    "figure_6": lambda content: _hypotheses(content, 6, 5.0),
    "figure_7": lambda content: _hypotheses(content, 7, 10.0),
    "figure_8": _rounds,
}
