"""What a report says about a table, from its records alone."""

from __future__ import annotations

from ....core.engine import Part
from ....core.story import Story
from ....presentation.knowledge import knowledge_of
from ....presentation.language import retell, say, say_many
from ....presentation.numbers import count, decimal, join_words, percent
from ....presentation.sentences import (
    as_sentence,
    chosen_sentence,
    search_sentence,
    status_of,
    tell_left_out,
    times,
    title_for,
)
from ..exploration import NO_POPULATION, partial_population
from .analysis import analysis_grid, analysis_sentences, margin_charts
from .checks import checks_of
from .facts import TableFacts
from .grids import (
    charts,
    chips,
    example_grid,
    policy_grid,
    reference_grid,
    sensitive_grid,
    shown_grid,
)
from .together import sentences_together
from .verdict import stats_of, verdict_of

__all__ = ["story"]


def story(part: Part) -> Story:
    """Return the part of a report about a table."""
    facts = TableFacts.of(part)
    result = Story(part.id, "tables", title_for(say("Table"), part), status_of(part))
    result.verdict, result.stats, result.checks = (
        verdict_of(facts),
        stats_of(facts),
        checks_of(facts),
    )
    result.published = _published_sentences(facts)
    size = None if facts.frontier is None else facts.frontier.frontier_size
    traced = () if facts.frontier is None else facts.frontier.trace
    area = min((a for _, a in traced), default=None)  # the area at the end of the chart
    result.tradeoff = [
        search_sentence(part, size=size, area=area, measured=True),
    ]
    if part.frontier is not None:
        words = "Each point is a policy: further left, less risk; further up, more information. Risk spans several decades, so look at the logarithmic view too."
        result.tradeoff.append(say(words))
    result.tradeoff += _certificate(facts)
    result.attack, result.cost = (
        [*_attack(facts), *sentences_together(part)],
        [*_cost(facts), *analysis_sentences(facts)],
    )
    result.assumptions = _assumptions(facts)
    expected, axes = facts.expected, facts.axes
    if expected is not None and axes is not None and facts.risk_measure == "population":
        right, unchanged = expected
        if unchanged is not None:
            result.here["tables.risk"] = (
                f"{decimal(right, 4)} ÷ {decimal(unchanged, 4)} = {decimal(axes[0])}"
            )
            result.here["tables.expected"] = (
                f"{decimal(axes[0])} × {decimal(unchanged, 4)} = {decimal(right)}"
            )
    grids = (
        policy_grid(facts),
        example_grid(facts),
        sensitive_grid(facts),
        shown_grid(facts),
        reference_grid(facts),
        analysis_grid(facts),
    )
    result.grids = [g for g in grids if g is not None]
    result.chips = chips(facts)
    result.charts = [*charts(facts), *margin_charts(facts)]
    known = knowledge_of("sfumato.engines.tables")
    result.glossary, result.method, result.papers = known.glossary, known.method, known.papers
    return result


# --- sentences -----------------------------------------------------------------------------------


def _published_sentences(facts: TableFacts) -> list[str]:
    found = [chosen_sentence(facts.part)]
    if facts.records:
        words = say(
            "{records} records; quasi-identifiers: {quasi}.",
            records=count(facts.records),
            quasi=join_words(list(facts.quasi)),
        )
        found.append(words)
    if facts.release is not None:
        how, measured = facts.release.how, facts.release.measured
        many = facts.release.left_out.get("suppressed", 0)
        if many:
            words = say_many(
                many,
                "{n} record in groups that were too small was left out.",
                "{n} records in groups that were too small were left out.",
                n=tell_left_out(facts.release, "suppressed"),
            )
            found.append(as_sentence(words))
        if measured.blanked:
            found.append(
                say_many(
                    measured.blanked,
                    "{n} record in groups that were too small has blanked cells.",
                    "{n} records in groups that were too small have blanked cells.",
                    n=count(measured.blanked),
                )
            )
        if how.identifiers_dropped:
            found.append(
                say(
                    "Identifiers left out: {identifiers_dropped}.",
                    identifiers_dropped=join_words(list(how.identifiers_dropped)),
                )
            )
        if how.columns_kept:
            found.append(
                say(
                    "Published as they are: {columns_kept}.",
                    columns_kept=join_words(list(how.columns_kept)),
                )
            )
        found += [
            say("{name}: {value}.", name=name, value=retell(words))
            for name, words in how.columns_treated.items()
        ]
    return found


def _attack(facts: TableFacts) -> list[str]:
    people = say("in the population") if facts.population else say("in the table")
    known = say(
        "The attacker knows the quasi-identifiers of all rows of everybody and links each history to the people {people} whose rows all fit. The fewer fit, the better the guess: one in g.",
        people=people,
    )
    sentences = (
        [known]
        if facts.joined
        else [
            (
                say(
                    "The attacker knows the quasi-identifiers of everybody and links each record to the people {people} who fit its published values. The fewer fit, the better the guess: one in g.",
                    people=people,
                )
            )
        ]
    )
    estimate = facts.estimate
    if estimate is not None:
        words = retell(estimate.in_words())
        sentences.append(f"{words[:1].upper()}{words[1:]}.")
    if facts.households is not None:
        sentences.append(
            say(
                "Naming a person reveals who lives with them: through any member of its household a record is named with a chance of {average} on average, instead of {alone}.",
                average=percent(facts.households.average),
                alone=percent(facts.households.alone),
            )
        )
    if facts.groups:
        total = sum(g.records for g in facts.groups) or 1
        small = sum(g.records for g in facts.groups if g.high is not None and g.high < 5)
        who = say("people") if facts.joined else say("records")
        words = (
            "[[tables.groups|{small}]] of the {who} fit fewer than five people of the population."
            if facts.population
            else "[[tables.groups|{small}]] of the {who} are in groups of fewer than five people."
        )
        sentences.append(say(words, small=percent(small / total), who=who))
    return sentences


def _certificate(facts: TableFacts) -> list[str]:
    """Return what was proven about policies that nobody has looked at."""
    frontier = facts.frontier
    if frontier is None or frontier.certificate is None:
        return []
    proof = frontier.certificate
    found = []
    if proof.exact:
        found.append(
            say(
                "It was proven that no policy of this kind is better than the frontier on both sides."
            )
        )
    elif frontier.area > 0:
        gap = percent(1 - proof.area / frontier.area)
        found.append(
            say(
                "It was proven that the area under the frontier of all policies of this kind is at least [[tables.certificate|{area}]], {gap} below the one found.",
                area=decimal(proof.area),
                gap=gap,
            )
        )
    if facts.chosen is not None:
        best = percent(proof.utility_at(facts.chosen.risk.value))
        found.append(
            say(
                "No policy of this kind keeps more than [[tables.certificate|{best}]] of the information at this candidate's risk.",
                best=best,
            )
        )
    return found


def _cost(facts: TableFacts) -> list[str]:
    if facts.axes is None:
        return [_other_columns(facts)] if facts.is_published else []
    nats = (
        ""
        if facts.loss_nats is None
        else say(" ([[tables.loss|{loss_nats} nats]])", loss_nats=decimal(facts.loss_nats))
    )
    lost = percent(1 - facts.axes[1])
    sentences = [
        (
            say(
                "The policy gives up [[tables.utility|{lost}]] of the information in the quasi-identifiers{nats}. {other_columns}",
                lost=lost,
                nats=nats,
                other_columns=_other_columns(facts),
            )
        )
    ]
    harbor = facts.harbor
    if harbor is None:
        return sentences
    risk, loss = harbor.risk_at_same_loss, harbor.loss_at_same_risk
    if risk is not None and risk < 0.99 * harbor.risk.value:
        much = times(harbor.risk.value, risk) if risk > 0 else say("infinitely many times")
        sentences.append(
            say(
                "With at least the information of Safe Harbor, the frontier goes down to a risk of {risk}, {much} less than Safe Harbor's {risk_2}.",
                risk=decimal(risk),
                much=much,
                risk_2=decimal(harbor.risk.value),
            )
        )
    if (
        loss is not None
        and percent(1 - loss) != percent(harbor.utility.value)
        and loss < harbor.loss
    ):
        sentences.append(
            say(
                "At no more than its risk, up to {loss} of the information can be kept instead of {utility}.",
                loss=percent(1 - loss),
                utility=percent(harbor.utility.value),
            )
        )
    return sentences


def _other_columns(facts: TableFacts) -> str:
    treated = {} if facts.release is None else facts.release.measured.columns
    if not treated:
        return say("Other columns are published as they are, unless the schema says otherwise.")
    lost = [
        say("{name} by {distance}", name=name, distance=decimal(loss.distance))
        for name, loss in treated.items()
    ]
    return say(
        "Numbers of other columns changed on average, in √2 standard deviations: {lost}.",
        lost=join_words(lost),
    )


def _assumptions(facts: TableFacts) -> list[str]:
    population = (
        say(
            "The population table covers everybody whom the attacker may confuse with a person of the table."
        )
        if facts.population
        else say(
            "No population table was given: the table itself is used as the population, which overstates the risk when it is a sample of something larger."
        )
    )
    if facts.population_covers is not None:
        population = retell(partial_population(facts.quasi, facts.population_covers))
    found = [
        (
            say(
                "The attacker knows all quasi-identifiers of everybody, exactly and without mistakes, and nothing else about them."
            )
        ),
        population,
        say(
            "Where the population shows fewer people than the table does, the table's own count is used."
        ),
        (
            say(
                "The expected number of matches is an average over records; it bounds no single person's risk."
            )
            if facts.axes is None
            else say(
                "The risk is an average over records relative to the unchanged table; it bounds no single person's risk."
            )
        ),
        (
            say(
                "Sensitive columns are published unchanged: if all people of a group share a sensitive value, belonging to the group reveals it."
            )
        ),
        (
            say(
                "Releases compose: publishing the same people again under another policy gives an attacker the intersection of both."
            )
        ),
    ]
    if facts.frontier is not None:
        found += [retell(s) for s in facts.frontier.assumptions if s != NO_POPULATION]
    return found
