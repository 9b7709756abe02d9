"""What the baskets engine's part of a report says: k is never the only figure."""

from __future__ import annotations

from ....core.engine import Part
from ....core.story import Check, Chips, Grid, Stat, Story
from ....presentation.frontier_chart import Axes, frontier_chart
from ....presentation.knowledge import knowledge_of
from ....presentation.numbers import count, percent, plural
from ....presentation.sentences import (
    chosen_sentence,
    reference_grid,
    search_sentence,
    shift_check,
    status_of,
    title_for,
    withheld_check,
)
from ..records import BasketsCandidate, BasketsFrontier, BasketsReference, BasketsRelease, Finding
from .charts import absences_chart, quality_chart, uniqueness_chart

__all__ = ["story"]

_FEATURES = 120
_WAYS = {
    "columns": "Whole columns are published or left out; every row of which an item is left stays.",
    "cells": "Single ones are left out; every row of which an item is left stays, and a published one is "
    "always true.",
    "rows": "Whole rows are left out; the others are published as they were.",
    "columns+cells": "Some columns are published whole, and single ones of the others; every row of which an "
    "item is left stays, and a published one is always true.",
    "columns+rows": "Whole columns are published, and a few rows are left out.",
}


def story(part: Part) -> Story:
    """Return the baskets part of a report, from its records alone."""
    frontier = part.frontier if isinstance(part.frontier, BasketsFrontier) else None
    release = part.release if isinstance(part.release, BasketsRelease) else None
    chosen = part.chosen if isinstance(part.chosen, BasketsCandidate) else None
    every = frontier.references[0] if frontier is not None and frontier.references else None
    knowledge = knowledge_of("sfumato.engines.baskets")
    result = Story(
        part.id, "baskets", title_for("Baskets", part), status_of(part),
        glossary=knowledge.glossary, method=knowledge.method, papers=knowledge.papers,
    )  # fmt: skip
    result.verdict = _verdict(chosen, every, release, frontier)
    shift = _shift_check(release)
    if shift is not None and shift.state == "look":
        result.verdict.insert(0, shift.text)
    result.checks = [*_checks(chosen, release), *(c for c in (shift, withheld_check(part)) if c)]
    result.published = [chosen_sentence(part)]
    result.tradeoff = [
        search_sentence(part),
        (
            "Each point is a release: further left, more rows are left to someone who knows what is "
            "assumed; further up, more is kept."
        ),
    ]
    result.assumptions = list(_ASSUMPTIONS)
    if frontier is not None:
        result.published.append(
            f"{count(frontier.rows)} rows and {count(frontier.features_offered)} features went in."
        )
        result.published.append(frontier.promise)
        result.tradeoff.append(f"Utility is the {frontier.axes.get('utility', 'share kept')}.")
        result.grids += [_grid(frontier, chosen), _kept_grid(frontier, chosen)]
    if chosen is not None:
        _about(result, chosen, every, frontier)
    if release is not None and (gone := release.gone_sentence()) is not None:
        result.published.append(gone)
    references = reference_grid(
        part, risk=("Risk 1/k", "baskets.risk"), utility=("Utility", "baskets.kept"),
        utility_words=lambda v: f"{v:.3f}",
    )  # fmt: skip
    result.grids += [references] if references is not None else []
    charts = (
        frontier_chart(part, _axes(frontier)),
        uniqueness_chart(part.id, frontier, chosen),
        absences_chart(part.id, chosen),
        quality_chart(part.id, frontier, chosen),
    )
    result.charts = [chart for chart in charts if chart is not None]
    return result


def _about(
    result: Story,
    chosen: BasketsCandidate,
    every: BasketsReference | None,
    frontier: BasketsFrontier | None,
) -> None:
    """Add what is said about the candidate that the report is about."""
    result.stats = _stats(chosen, frontier)
    result.attack = _attack(chosen)
    result.published.append(_WAYS.get(chosen.publish_as, ""))
    if chosen.rows_out:
        result.published.append(f"{count(chosen.rows_out)} rows are left out.")
    if chosen.confidence is not None:
        result.attack.append(
            "One or two published items tell a sensitive one with a confidence of at most "
            f"[[baskets.confidence|{percent(chosen.confidence)}]]"
            + (
                f" ({percent(chosen.max_confidence)} was allowed)."
                if chosen.max_confidence < 1
                else "."
            )
        )
    result.grids.append(_knowledge_grid(chosen))
    if chosen.attack:
        result.grids.append(_attack_grid(chosen))
    if frontier is not None:
        result.cost = [
            (
                f"[[baskets.ones|{percent(chosen.ones / max(frontier.ones, 1))}]] of the ones in "
                f"[[baskets.count|{count(chosen.count)}]] of {count(frontier.features_offered)} columns "
                "are kept."
            )
        ]
    if every is not None and chosen.auc is not None and every.auc is not None:
        result.cost.append(
            f"A classifier that learns from the release gives up "
            f"[[baskets.auc|{every.auc - chosen.auc:.3f}]] of AUC against one that learns from all of "
            f"it ({chosen.auc:.3f} instead of {every.auc:.3f})."
        )
    result.here["baskets.risk"] = f"1 ÷ {count(chosen.k)} = {percent(1 / chosen.k)}"
    result.chips.append(
        Chips(
            "published", "The published features", chosen.features[:_FEATURES],
            more=max(0, len(chosen.features) - _FEATURES),
        )
    )  # fmt: skip


def _axes(frontier: BasketsFrontier | None) -> Axes:
    name = "utility" if frontier is None else frontier.utility
    return Axes("Risk 1/k", name, name, utility_words=lambda v: f"{v:.3f}", individual=True)


def _verdict(
    chosen: BasketsCandidate | None,
    every: BasketsReference | None,
    release: BasketsRelease | None,
    frontier: BasketsFrontier | None,
) -> list[str]:
    if chosen is None:
        return ["No candidate has been chosen."]
    sentences = [
        (
            f"Whoever {chosen.risk.attacker} is left with at least "
            f"[[baskets.left|{count(chosen.promised)} rows]] that fit."
        )
    ]
    if chosen.unique_share > 0:
        sentences.append(
            f"But [[baskets.unique|{percent(chosen.unique_share)}]] of the rows are exactly unique: "
            "whoever also knows what a person does not have can single them out."
        )
    known = chosen.ac_under_absences.get("1")
    if known is not None and known < min(chosen.ac, chosen.promised):
        few = "as few as" if chosen.absences_exact.get("1", True) else "perhaps only"
        sentences.append(
            f"When a single absence is known too, {few} "
            f"[[baskets.absences|{count(known)} {plural(known, 'row')}]] may fit."
        )
    share = ""
    if frontier is not None:
        share = (
            f", with [[baskets.ones|{percent(chosen.ones / max(frontier.ones, 1))}]] of all ones"
        )
    learned = ""
    if chosen.auc is not None:
        against = ""
        if every is not None and every.auc is not None:
            against = f", against {every.auc:.3f} with everything"
        learned = f"; a classifier reaches an AUC of [[baskets.auc|{chosen.auc:.3f}]]{against}"
    sentences.append(
        f"[[baskets.count|{count(chosen.count)} {plural(chosen.count, 'feature')}]] "
        f"{'are' if release is not None else 'would be'} published{share}{learned}."
    )
    return sentences


def _stats(chosen: BasketsCandidate, frontier: BasketsFrontier | None) -> list[Stat]:
    ends = chosen.utility.interval
    of = f" of {count(frontier.features_offered)}" if frontier is not None else ""
    found = [
        Stat(
            count(chosen.promised), f"rows left at least (k = {count(chosen.k)} asked for)",
            "baskets.left",
        ),
        Stat(percent(chosen.unique_share), "of the rows unique, absences known", "baskets.unique"),
    ]  # fmt: skip
    if chosen.auc is not None:
        ranged = "" if ends is None else f"{ends.low:.3f}–{ends.high:.3f}"
        found.append(Stat(f"{chosen.auc:.3f}", "AUC", "baskets.auc", ranged))
    if frontier is not None:
        share = percent(chosen.ones / max(frontier.ones, 1))
        found.append(Stat(share, "of the ones published", "baskets.ones"))
    found.append(Stat(count(chosen.count), f"features kept{of}", "baskets.count"))
    return found


def _checks(chosen: BasketsCandidate | None, release: BasketsRelease | None) -> list[Check]:
    checks = []
    if chosen is not None:
        checks.append(
            Check(
                "holds" if chosen.promised >= chosen.k else "look",
                f"{count(chosen.promised)} rows or more are left to someone who "
                f"{chosen.risk.attacker}; {count(chosen.k)} were asked for.",
            )
        )
        checks.append(
            Check(
                "look",
                f"{percent(chosen.unique_share)} of the rows are exactly unique: the promise does not "
                "protect them from someone who knows absences.",
            )
            if chosen.unique_share > 0
            else Check("holds", "No row is exactly unique.")
        )
    if release is not None:
        measured = release.measured
        checks.append(
            Check(
                "holds" if release.promised >= release.how.k else "look",
                "The published file was read back and measured again: at least "
                f"{count(release.promised)} rows fit, AC {count(measured.ac)} and "
                f"{percent(measured.unique_share)} unique rows.",
            )
        )
    return checks


def _shift_check(release: BasketsRelease | None) -> Check | None:
    if release is None:
        return None
    shift = release.measured.shift
    return shift_check(shift, release.sentences, accepted=release.how.accept_shift)


def _in_order(
    frontier: BasketsFrontier, chosen: BasketsCandidate | None
) -> tuple[list[BasketsCandidate], int | None]:
    ordered = sorted(frontier.candidates, key=lambda c: (c.k, c.id))
    ids = [c.id for c in ordered]
    return ordered, ids.index(chosen.id) if chosen is not None and chosen.id in ids else None


def _grid(frontier: BasketsFrontier, chosen: BasketsCandidate | None) -> Grid:
    heads = (
        ("k", "baskets.k"), ("Rows left", "baskets.left"), ("AC", "baskets.ac"),
        ("Unique rows", "baskets.unique"), ("Features", "baskets.count"), ("Ones", "baskets.ones"),
        (frontier.utility, "baskets.kept"), ("Candidate", None),
    )  # fmt: skip
    ordered, marked = _in_order(frontier, chosen)
    rows = tuple(
        (
            count(c.k), count(c.promised), count(c.ac), percent(c.unique_share), count(c.count),
            percent(c.ones / max(frontier.ones, 1)), f"{c.utility.value:.3f}", c.selector or c.id,
        )
        for c in ordered
    )  # fmt: skip
    return Grid("tradeoff", "Every candidate", heads, rows, marked)


def _kept_grid(frontier: BasketsFrontier, chosen: BasketsCandidate | None) -> Grid:
    """Show every measure of what is kept, for every candidate."""
    ordered, marked = _in_order(frontier, chosen)
    names = list(dict.fromkeys(name for c in ordered for name in c.kept))
    heads = (("Candidate", None), *((name, "baskets.kept") for name in names))
    rows = tuple(
        (c.id, *(f"{c.kept[name]:.3f}" if name in c.kept else "–" for name in names))
        for c in ordered
    )
    return Grid("cost", "What each candidate keeps", heads, rows, marked)


def _knowledge_grid(chosen: BasketsCandidate) -> Grid:
    """Show how many rows are left, by what is known, whatever the promise was about."""
    rows = [
        (f"at most {m} {plural(int(m), 'item')}", _left(left, chosen.items_exact.get(m, True)))
        for m, left in chosen.left_by_items.items()
    ]
    rows.append(("any items", count(chosen.ac)))
    rows += [
        (
            f"any items and at most {m} {plural(int(m), 'absence')}",
            _left(left, chosen.absences_exact.get(m, True)),
        )
        for m, left in chosen.ac_under_absences.items()
    ]
    rows.append(("everything, absences included", count(chosen.smallest_group)))
    return Grid(
        "attack", "Rows left at least, by what is known of a person",
        (("Known", None), ("Rows left", "baskets.left")), tuple(rows), words=True,
    )  # fmt: skip


def _attack_grid(chosen: BasketsCandidate) -> Grid:
    """Show how often attackers point at the right row, before and after."""

    def known(f: Finding) -> str:
        words = (
            "all items" if f.items is None else f"{f.items} {plural(f.items, 'item')}, {f.attacker}"
        )
        return words + (f", {f.absences} {plural(f.absences, 'absence')}" if f.absences else "")

    rows = tuple(
        (
            known(f), percent(f.before), percent(f.after),
            f"{percent(f.after_interval[0])}–{percent(f.after_interval[1])}", percent(f.highest),
            count(f.rows_after),
        )
        for f in chosen.attack
    )  # fmt: skip
    heads = (
        ("Known", None), ("Right before", "baskets.attack"), ("Right after", "baskets.attack"),
        ("Range", "interval"), ("For one person at most", "baskets.attack"), ("Rows left", None),
    )  # fmt: skip
    return Grid(
        "attack", "Attacks: the chance to point at the right row", heads, rows,
        note=f"{count(chosen.attack[0].people)} people were drawn; the attacker guesses among the rows "
        "that hold most of what is known.",
    )  # fmt: skip


def _left(value: int, exact: bool) -> str:
    return count(value) if exact else f"{count(value)} or fewer"


def _attack(chosen: BasketsCandidate) -> list[str]:
    sentences = [f"The promise is made against someone who {chosen.risk.attacker}."]
    if chosen.known_absences == 0:
        sentences.append(
            "It does not protect against someone who also knows what a person has NOT; the table and "
            "the charts show both, side by side."
        )
    for m, left in list(chosen.ac_under_absences.items())[-1:]:
        few = "as few as" if chosen.absences_exact.get(m, True) else "perhaps only"
        sentences.append(
            f"With [[baskets.absences|{m}]] known {plural(int(m), 'absence')}, {few} {count(left)} "
            f"{plural(left, 'row')} may fit."
        )
    return sentences


_ASSUMPTIONS = (
    "The attacker knows what the promise names and no more; the rows left to other knowledge are reported because this is often not so.",
    "Each row is one person. People with several rows are less protected than k says.",
    "The class labels are published with the features and are not counted as knowledge of the attacker.",
    "An AUC is estimated by cross-validation on these rows; it is not a promise for other data.",
    "No approximation ratio is claimed for what is kept: the constraint is not one for which the greedy theorem holds.",
    "Releases compose: publishing another release of the same people may break k.",
)
