"""What a report says first about a table: the verdict in sentences, and its figures."""

from __future__ import annotations

import math

from ....core.story import Stat
from ....presentation.language import say
from ....presentation.numbers import about, count, decimal, join_words, percent, plural
from ....presentation.sentences import times
from ..records import TablesReference
from .checks import shift_check_of
from .facts import LOSS_WORDS, RISK_WORDS, TableFacts

__all__ = ["stats_of", "verdict_of"]


def verdict_of(facts: TableFacts) -> list[str]:
    """Return the sentences that come first."""
    if not facts.is_published:
        return [say("No candidate has been chosen.")]
    axes, expected = facts.axes, facts.expected
    known = join_words(list(facts.quasi)) if facts.quasi else say("all quasi-identifiers")
    different = shift_check_of(facts)
    sentences = [different.text] if different is not None and different.state == "look" else []
    if axes is None:
        return [*sentences, *_public_verdict(facts, known)]
    risk, utility = axes
    kept = f"[[tables.utility|{percent(utility)}]]"
    if facts.risk_measure != "population":
        sentences.append(
            say(
                "The {get} is [[tables.risk|{risk}]] for an attacker who knows {known}; {get_2}: {kept}.",
                get=say(RISK_WORDS.get(facts.risk_measure, "risk")),
                risk=decimal(risk),
                known=known,
                get_2=say(LOSS_WORDS.get(facts.loss_measure, "utility")),
                kept=kept,
            )
        )
    elif expected is not None and (unchanged := expected[1]) is not None:
        words = (
            "An attacker who knows {known} in all rows of everybody matches the rows of about "
            "[[tables.expected|{right}]] of {hidden} to the right person; unchanged it would be {unchanged}."
            if facts.joined
            else "An attacker who knows {known} of everybody matches about [[tables.expected|{right}]] of "
            "{hidden} to the right person; unchanged it would be {unchanged}."
        )
        sentences.append(
            say(
                words,
                known=known,
                right=about(expected[0]),
                hidden=facts.hidden_in_words or say("all records"),
                unchanged=about(unchanged),
            )
        )
        sentences.append(
            say(
                "That is a risk of [[tables.risk|{risk}]] on a scale where the unchanged table is 1; {kept} of the information is kept.",
                risk=decimal(risk),
                kept=kept,
            )
        )
    else:
        less = times(1, risk) if risk > 0 else say("infinitely many times")
        sentences.append(
            say(
                "To an attacker who knows {known}, this table gives [[tables.risk|{less}]] less than the unchanged one (risk {risk} of 1); {kept} of the information is kept.",
                known=known,
                less=less,
                risk=decimal(risk),
                kept=kept,
            )
        )
    if facts.harbor is not None:
        sentences.append(_against(risk, utility, facts.harbor))
    return sentences


def _public_verdict(facts: TableFacts, known: str) -> list[str]:
    """Return what anybody can measure on the release, with the population at hand."""
    release, expected = facts.release, facts.expected
    if release is None or expected is None:
        return []
    risks = release.measured.risks
    matched = say(
        "An attacker who knows {known} of everybody matches about [[tables.expected|{right}]] of {hidden} to the "
        "right person.",
        known=known,
        right=about(expected[0]),
        hidden=facts.hidden_in_words or say("all records"),
    )
    # Who knows that somebody is in the table looks among its records alone, not in the whole population.
    words = (
        "The smallest published group has [[tables.k|{k}]] {k_2}; the chance of naming any one record is at most {journalist_max}, and {journalist_average} on average, for someone who does not know who is in the table. For someone who does it is at most {prosecutor_max}, and {prosecutor_average} on average."
        if risks.prosecutor_max > risks.journalist_max
        else "The smallest published group has [[tables.k|{k}]] {k_2}; the chance of naming any one record is at most {journalist_max}, and {journalist_average} on average."
    )
    smallest = say(
        words,
        k=count(release.measured.k),
        k_2=plural(release.measured.k, "record"),
        journalist_max=decimal(risks.journalist_max),
        journalist_average=decimal(risks.journalist_average),
        prosecutor_max=decimal(risks.prosecutor_max),
        prosecutor_average=decimal(risks.prosecutor_average),
    )
    return [matched, smallest]


def _against(risk: float, utility: float, harbor: TablesReference) -> str:
    other = harbor.risk.value
    if math.isclose(risk, other, rel_tol=0.01):
        less = say("about the same risk")
    elif 0 < risk < other:
        less = say("{other} less risk", other=times(other, risk))
    elif risk > other > 0:
        less = say("{risk} the risk", risk=times(risk, other))
    else:
        less = say("less risk") if risk < other else say("more risk")
    return say(
        "Beside [[tables.safe_harbor|Safe Harbor]] on the explored table it has {less} and keeps {utility} of the information instead of {utility_2}.",
        less=less,
        utility=percent(utility),
        utility_2=percent(harbor.utility.value),
    )


def stats_of(facts: TableFacts) -> list[Stat]:
    """Return the figures that come first, each with its words."""
    if not facts.is_published:
        return []
    axes, found = facts.axes, list[Stat]()
    if axes is not None:
        words = say(RISK_WORDS.get(facts.risk_measure, facts.risk_measure))
        found.append(Stat(decimal(axes[0]), words, "tables.risk"))
    if facts.expected is not None and facts.risk_measure == "population":
        found.append(
            Stat(about(facts.expected[0]), say("expected re-identifications"), "tables.expected")
        )
    if axes is not None:
        note = (
            ""
            if facts.loss_nats is None
            else say("{loss_nats} nats lost", loss_nats=decimal(facts.loss_nats))
        )
        kept = say(LOSS_WORDS.get(facts.loss_measure, facts.loss_measure))
        found.append(Stat(percent(axes[1]), kept, "tables.utility", note))
    if facts.k is not None:
        who = plural(facts.k, "person", "people") if facts.joined else plural(facts.k, "record")
        words = say("{who} in the smallest published group", who=who)
        found.append(Stat(count(facts.k), words, "tables.k"))
    return found
