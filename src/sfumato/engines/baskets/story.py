"""What the baskets engine's part of a report says: k never stands alone."""

from __future__ import annotations

from typing import cast

from ...core.engine import Part
from ...core.story import Check, Chips, Grid, Stat, Story
from ...presentation.frontier_chart import Axes, frontier_chart
from ...presentation.knowledge import knowledge_of
from ...presentation.numbers import count, percent, plural
from ...presentation.sentences import (
    chosen_sentence,
    reference_grid,
    search_sentence,
    status_of,
    title_for,
    withheld_check,
)
from .charts import absences_chart, quality_chart, uniqueness_chart
from .records import BasketsCandidate, BasketsFrontier, BasketsReference, BasketsRelease

__all__ = ["story"]

_FEATURES = 120
_AXES = Axes("Risk 1/k", "AUC", "AUC", utility_words=lambda v: f"{v:.3f}")


def story(part: Part) -> Story:
    """Return the baskets part of a report, from its records alone."""
    frontier = part.frontier if isinstance(part.frontier, BasketsFrontier) else None
    release = part.release if isinstance(part.release, BasketsRelease) else None
    chosen = part.chosen if isinstance(part.chosen, BasketsCandidate) else None
    every = frontier.references[0] if frontier is not None and frontier.references else None
    knowledge = knowledge_of("sfumato.engines.baskets")
    told = Story(
        part.id, "baskets", title_for("Baskets", part), status_of(part),
        glossary=knowledge.glossary, method=knowledge.method, papers=knowledge.papers,
    )  # fmt: skip
    told.verdict = _verdict(chosen, every, release)
    told.checks = [*_checks(chosen, release), *(c for c in [withheld_check(part)] if c)]
    told.published = [chosen_sentence(part)]
    told.tradeoff = [
        search_sentence(part),
        (
            "Each point is a feature set: further left, more rows share what a person has; further up, "
            "better classification."
        ),
    ]
    told.assumptions = list(_ASSUMPTIONS)
    if frontier is not None:
        told.published.append(
            f"{count(frontier.rows)} rows and {count(frontier.features_offered)} features went in."
        )
        told.grids.append(_grid(frontier, chosen))
    if chosen is not None:
        _about(told, chosen, every, frontier)
    beside = reference_grid(
        part, risk=("Risk 1/k", "baskets.risk"), utility=("AUC", "baskets.auc"),
        utility_words=lambda v: f"{v:.3f}",
    )  # fmt: skip
    told.grids += [beside] if beside is not None else []
    charts = (
        frontier_chart(part, _AXES),
        uniqueness_chart(part.id, frontier, chosen),
        absences_chart(part.id, chosen),
        quality_chart(part.id, frontier, chosen),
    )
    told.charts = [chart for chart in charts if chart is not None]
    return told


def _about(
    told: Story,
    chosen: BasketsCandidate,
    every: BasketsReference | None,
    frontier: BasketsFrontier | None,
) -> None:
    """Add what is said about the candidate that the report is about."""
    told.stats = _stats(chosen, frontier)
    told.attack = _attack(chosen)
    if every is not None:
        told.cost = [
            (
                f"The selection gives up [[baskets.auc|{every.auc - chosen.auc:.3f}]] of AUC against all "
                f"features ({chosen.auc:.3f} instead of {every.auc:.3f})."
            )
        ]
    told.here["baskets.risk"] = f"1 ÷ {count(chosen.k)} = {percent(1 / chosen.k)}"
    told.chips.append(
        Chips(
            "published", "The published features", chosen.features[:_FEATURES],
            more=max(0, len(chosen.features) - _FEATURES),
        )
    )  # fmt: skip


def _verdict(
    chosen: BasketsCandidate | None,
    every: BasketsReference | None,
    release: BasketsRelease | None,
) -> list[str]:
    if chosen is None:
        return ["No candidate has been chosen."]
    sentences = [
        (
            "Whoever knows features that a person has is left with at least "
            f"[[baskets.ac|{count(chosen.ac)} rows]] that fit."
        ),
        (
            f"But [[baskets.unique|{percent(chosen.unique_share)}]] of the rows are exactly unique: whoever "
            "also knows what a person does not have can single them out."
        ),
    ]
    known = chosen.ac_under_absences.get("1")
    if known is not None and known < chosen.ac:
        few = "as few as" if chosen.absences_exact.get("1", True) else "perhaps only"
        sentences.append(
            f"When a single absence is known too, {few} "
            f"[[baskets.absences|{count(known)} {plural(known, 'row')}]] may fit."
        )
    against = f", against {every.auc:.3f} with all of them" if every is not None else ""
    sentences.append(
        f"[[baskets.count|{count(chosen.count)} {plural(chosen.count, 'feature')}]] "
        f"{'are' if release is not None else 'would be'} published; a classifier reaches an AUC of "
        f"[[baskets.auc|{chosen.auc:.3f}]]{against}."
    )
    return sentences


def _stats(chosen: BasketsCandidate, frontier: BasketsFrontier | None) -> list[Stat]:
    ends = chosen.utility.interval
    of = f" of {count(frontier.features_offered)}" if frontier is not None else ""
    return [
        Stat(count(chosen.ac), f"rows fit at least (k = {count(chosen.k)} asked for)", "baskets.ac"),
        Stat(percent(chosen.unique_share), "of the rows unique, absences known", "baskets.unique"),
        Stat(
            f"{chosen.auc:.3f}", "AUC", "baskets.auc",
            "" if ends is None else f"{ends.low:.3f}–{ends.high:.3f}",
        ),
        Stat(count(chosen.count), f"features kept{of}", "baskets.count"),
    ]  # fmt: skip


def _checks(chosen: BasketsCandidate | None, release: BasketsRelease | None) -> list[Check]:
    checks = []
    if chosen is not None:
        checks.append(
            Check(
                "holds" if chosen.ac >= chosen.k else "look",
                f"The rows that fit any known presences number {count(chosen.ac)} or more; "
                f"{count(chosen.k)} were asked for.",
            )
        )
        checks.append(
            Check(
                "look",
                f"{percent(chosen.unique_share)} of the rows are exactly unique. k by containment does "
                "not protect them from someone who knows absences.",
            )
            if chosen.unique_share > 0
            else Check("holds", "No row is exactly unique.")
        )
    if release is not None:
        measured = release.measured
        checks.append(
            Check(
                "holds" if measured.ac >= release.how.k else "look",
                f"The published file was read back and measured again: AC {count(measured.ac)} and "
                f"{percent(measured.unique_share)} unique rows.",
            )
        )
    return checks


def _grid(frontier: BasketsFrontier, chosen: BasketsCandidate | None) -> Grid:
    heads = (
        ("k", "baskets.k"), ("AC", "baskets.ac"), ("Unique rows", "baskets.unique"),
        ("Features", "baskets.count"), ("AUC", "baskets.auc"), ("Selector", None),
    )  # fmt: skip
    ordered = sorted(frontier.candidates, key=lambda c: (c.k, c.id))
    rows = tuple(
        (count(c.k), count(c.ac), percent(c.unique_share), count(c.count), f"{c.auc:.3f}", c.selector)
        for c in ordered
    )  # fmt: skip
    ids = [c.id for c in ordered]
    marked = ids.index(chosen.id) if chosen is not None and chosen.id in ids else None
    return Grid("tradeoff", "Every candidate", cast("tuple[tuple[str, str | None], ...]", heads), rows, marked)  # fmt: skip


def _attack(chosen: BasketsCandidate) -> list[str]:
    sentences = [
        (
            "k by containment protects against someone who knows what a person HAS. It does not protect "
            "against someone who also knows what a person has NOT; the charts show both, side by side."
        )
    ]
    for m, left in list(chosen.ac_under_absences.items())[-1:]:
        few = "as few as" if chosen.absences_exact.get(m, True) else "perhaps only"
        sentences.append(
            f"With [[baskets.absences|{m}]] known {plural(int(m), 'absence')}, {few} {count(left)} "
            f"{plural(left, 'row')} may fit."
        )
    return sentences


_ASSUMPTIONS = (
    "Only presences are known to the attacker; uniqueness and known absences are reported because this is often not so.",
    "Each row is one person. People with several rows are less protected than k says.",
    "The class labels are published with the features and are not counted as knowledge of the attacker.",
    "The AUC is estimated by cross-validation on these rows; it is not a promise for other data.",
    "No approximation ratio is claimed for the selection: the constraint is not one for which the greedy theorem holds.",
    "Releases compose: publishing another feature set of the same people may break k.",
)
