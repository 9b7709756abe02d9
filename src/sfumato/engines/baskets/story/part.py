"""The baskets engine's part of a report: k is never the only figure."""

from __future__ import annotations

from ....core.engine import Part
from ....core.story import Check, Chips, Stat, Story
from ....presentation.composition import tell_composition
from ....presentation.frontier_chart import Axes, frontier_chart
from ....presentation.knowledge import knowledge_of
from ....presentation.language import retell, say
from ....presentation.numbers import count, percent, plural, to_places
from ....presentation.sentences import (
    chosen_sentence,
    reference_grid,
    search_sentence,
    shift_check,
    status_of,
    title_for,
    withheld_check,
)
from ..records import (
    BasketsAttack,
    BasketsCandidate,
    BasketsFrontier,
    BasketsReference,
    BasketsRelease,
)
from .charts import absences_chart, quality_chart, uniqueness_chart
from .grids import attack_grid, candidates_grid, kept_grid, knowledge_grid

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
        part.id, "baskets", title_for(say("Baskets"), part), status_of(part),
        glossary=knowledge.glossary, method=knowledge.method, papers=knowledge.papers,
    )  # fmt: skip
    result.verdict = _verdict(chosen, every, release, frontier)
    shift = _shift_check(release)
    if shift is not None and shift.state == "look":
        result.verdict.insert(0, shift.text)
    result.checks = [*_checks(chosen, release), *(c for c in (shift, withheld_check(part)) if c)]
    result.published = [chosen_sentence(part)]
    result.tradeoff = [search_sentence(part)]
    result.assumptions = [say(sentence) for sentence in _ASSUMPTIONS]
    if frontier is not None:
        result.published.append(
            say(
                "{rows} rows and {features_offered} features went in.",
                rows=count(frontier.rows),
                features_offered=count(frontier.features_offered),
            )
        )
        result.published.append(retell(frontier.promise))
        axes = retell(frontier.axes.get("utility", "share kept"))
        result.tradeoff += [
            say(
                "Each point is a release: further left, more rows are left to someone who knows what is assumed; further up, more is kept."
            ),
            say("Utility is the {axes}.", axes=axes),
        ]
        result.grids += [candidates_grid(frontier, chosen), kept_grid(frontier, chosen)]
    if chosen is not None:
        _about(result, chosen, every, frontier)
    if isinstance(part.attack, BasketsAttack):
        for together in part.attack.compositions:
            result.attack += tell_composition(together)
    if release is not None and (gone := release.gone_sentence()) is not None:
        result.published.append(retell(gone))
    references = reference_grid(
        part, risk=(say("Risk 1/k"), "baskets.risk"), utility=(say("Utility"), "baskets.kept"),
        utility_words=to_places,
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
    result.published.append(say(_WAYS.get(chosen.publish_as, "")))
    if chosen.rows_out:
        result.published.append(
            say("{rows_out} rows are left out.", rows_out=count(chosen.rows_out))
        )
    if chosen.confidence is not None:
        result.attack.append(
            say(
                "One or two published items tell a sensitive one with a confidence of at most [[baskets.confidence|{confidence}]]",
                confidence=percent(chosen.confidence),
            )
            + (
                say(
                    " ({max_confidence} was allowed).",
                    max_confidence=percent(chosen.max_confidence),
                )
                if chosen.max_confidence < 1
                else "."
            )
        )
    result.grids.append(knowledge_grid(chosen))
    if chosen.attack:
        result.grids.append(attack_grid(chosen))
    if frontier is not None:
        result.cost = [
            (
                say(
                    "[[baskets.ones|{ones}]] of the ones in [[baskets.count|{chosen}]] of {features_offered} columns are kept.",
                    ones=percent(chosen.ones / max(frontier.ones, 1)),
                    chosen=count(chosen.count),
                    features_offered=count(frontier.features_offered),
                )
            )
        ]
    if every is not None and chosen.auc is not None and every.auc is not None:
        words = (
            "A classifier that learns from the release gives up [[baskets.auc|{auc}]] of AUC against one that learns from all of it ({auc_2} instead of {auc_3})."
            if every.auc > chosen.auc
            else "A classifier that learns from the release gives up nothing of the [[baskets.auc|AUC]] ({auc_2}; {auc_3} with all of it)."
        )
        result.cost.append(
            say(
                words,
                auc=to_places(every.auc - chosen.auc),
                auc_2=to_places(chosen.auc),
                auc_3=to_places(every.auc),
            )
        )
    result.here["baskets.risk"] = f"1 ÷ {count(chosen.k)} = {percent(1 / chosen.k)}"
    result.chips.append(
        Chips(
            "published", say("The published features"), chosen.features[:_FEATURES],
            more=max(0, len(chosen.features) - _FEATURES),
        )
    )  # fmt: skip


def _axes(frontier: BasketsFrontier | None) -> Axes:
    name = "utility" if frontier is None else frontier.utility
    return Axes(say("Risk 1/k"), name, name, utility_words=to_places, individual=True)


def _public_verdict(release: BasketsRelease | None) -> list[str]:
    """Return what anybody can count on the release."""
    if release is None or release.risk is None:
        return [say("No candidate has been chosen.")]
    found = [
        say(
            "Whoever {attacker} is left with at least [[baskets.left|{promised} rows]] that fit.",
            attacker=retell(release.risk.attacker),
            promised=count(release.promised),
        )
    ]
    if release.measured.unique_share > 0:
        found.append(
            say(
                "But [[baskets.unique|{unique_share}]] of the rows are exactly unique: whoever also knows what a person does not have can single them out.",
                unique_share=percent(release.measured.unique_share),
            )
        )
    return found


def _verdict(
    chosen: BasketsCandidate | None,
    every: BasketsReference | None,
    release: BasketsRelease | None,
    frontier: BasketsFrontier | None,
) -> list[str]:
    if chosen is None:
        return _public_verdict(release)
    sentences = [
        (
            say(
                "Whoever {attacker} is left with at least [[baskets.left|{promised} rows]] that fit.",
                attacker=retell(chosen.risk.attacker),
                promised=count(chosen.promised),
            )
        )
    ]
    if chosen.unique_share > 0:
        sentences.append(
            say(
                "But [[baskets.unique|{unique_share}]] of the rows are exactly unique: whoever also knows what a person does not have can single them out.",
                unique_share=percent(chosen.unique_share),
            )
        )
    known = chosen.ac_under_absences.get("1")
    if known is not None and known < min(chosen.ac, chosen.promised):
        few = say("as few as") if chosen.absences_exact.get("1", True) else say("perhaps only")
        sentences.append(
            say(
                "When a single absence is known too, {few} [[baskets.absences|{known} {known_2}]] may fit.",
                few=few,
                known=count(known),
                known_2=plural(known, "row"),
            )
        )
    share = ""
    if frontier is not None:
        share = say(
            ", with [[baskets.ones|{ones}]] of all ones",
            ones=percent(chosen.ones / max(frontier.ones, 1)),
        )
    learned = ""
    if chosen.auc is not None:
        against = ""
        if every is not None and every.auc is not None:
            against = say(", against {auc} with everything", auc=to_places(every.auc))
        learned = say(
            "; a classifier reaches an AUC of [[baskets.auc|{auc}]]{against}",
            auc=to_places(chosen.auc),
            against=against,
        )
    sentences.append(
        say(
            "[[baskets.count|{chosen} {chosen_2}]] are published{share}{learned}."
            if release is not None
            else "[[baskets.count|{chosen} {chosen_2}]] would be published{share}{learned}.",
            chosen=count(chosen.count),
            chosen_2=plural(chosen.count, "feature"),
            share=share,
            learned=learned,
        )
    )
    return sentences


def _stats(chosen: BasketsCandidate, frontier: BasketsFrontier | None) -> list[Stat]:
    ends = chosen.utility.interval
    of = (
        say(" of {features_offered}", features_offered=count(frontier.features_offered))
        if frontier is not None
        else ""
    )
    found = [
        Stat(
            count(chosen.promised), say("rows left at least (k = {k} asked for)", k=count(chosen.k)),
            "baskets.left",
        ),
        Stat(percent(chosen.unique_share), say("of the rows unique, absences known"), "baskets.unique"),
    ]  # fmt: skip
    if chosen.auc is not None:
        ranged = "" if ends is None else f"{to_places(ends.low)}–{to_places(ends.high)}"
        found.append(Stat(to_places(chosen.auc), "AUC", "baskets.auc", ranged))
    if frontier is not None:
        share = percent(chosen.ones / max(frontier.ones, 1))
        found.append(Stat(share, say("of the ones published"), "baskets.ones"))
    found.append(Stat(count(chosen.count), say("features kept{of}", of=of), "baskets.count"))
    return found


def _checks(chosen: BasketsCandidate | None, release: BasketsRelease | None) -> list[Check]:
    checks = []
    if chosen is not None:
        checks.append(
            Check(
                "holds" if chosen.promised >= chosen.k else "look",
                say(
                    "{promised} rows or more are left to someone who {attacker}; {k} were asked for.",
                    promised=count(chosen.promised),
                    attacker=retell(chosen.risk.attacker),
                    k=count(chosen.k),
                ),
            )
        )
    if release is not None:
        checks.append(
            Check(
                "holds" if release.promised >= release.how.k else "look",
                say(
                    "The published file was read back and measured again: at least {promised} rows fit, AC {ac}.",
                    promised=count(release.promised),
                    ac=count(release.measured.ac),
                ),
            )
        )
    unique = release.measured.unique_share if release is not None else None
    unique = chosen.unique_share if unique is None and chosen is not None else unique
    if unique:
        words = say(
            "{unique_share} of the rows are exactly unique: the promise does not protect them from someone who knows absences.",
            unique_share=percent(unique),
        )
        checks.append(Check("look", words))
    elif unique is not None:
        checks.append(Check("holds", say("No row is exactly unique.")))
    return checks


def _shift_check(release: BasketsRelease | None) -> Check | None:
    if release is None:
        return None
    shift = release.measured.shift
    return shift_check(shift, release.sentences, accepted=release.how.accept_shift)


def _attack(chosen: BasketsCandidate) -> list[str]:
    sentences = [
        say(
            "The promise is made against someone who {attacker}.",
            attacker=retell(chosen.risk.attacker),
        )
    ]
    if chosen.known_absences == 0:
        sentences.append(
            say(
                "It does not protect against someone who also knows what a person has NOT; the table and the charts show both, side by side."
            )
        )
    for m, left in list(chosen.ac_under_absences.items())[-1:]:
        few = say("as few as") if chosen.absences_exact.get(m, True) else say("perhaps only")
        sentences.append(
            say(
                "With [[baskets.absences|{m}]] known {int}, {few} {left} {left_2} may fit.",
                m=m,
                int=plural(int(m), "absence"),
                few=few,
                left=count(left),
                left_2=plural(left, "row"),
            )
        )
    return sentences


_ASSUMPTIONS = (
    "The attacker knows what the promise names and no more; the rows left to other knowledge are reported because this is often not so.",
    "Each row is one person. People with several rows are less protected than k says.",
    "Class labels, where there are some, are published with the features and are not counted as knowledge of the attacker.",
    "An AUC, where one is given, is estimated by cross-validation on these rows; it is not a promise for other data.",
    "No approximation ratio is claimed for what is kept: the constraint is not one for which the greedy theorem holds.",
    "Releases compose: publishing another release of the same people may break k.",
)
