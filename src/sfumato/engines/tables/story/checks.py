"""What was checked about a policy and its release."""

from __future__ import annotations

from ....core.story import Check
from ....presentation.language import retell, say, say_many
from ....presentation.numbers import count, decimal, join_words, plural
from ....presentation.sentences import measured_check, shift_check, withheld_check
from ..attack_records import TablesAttack
from ..records import constant_columns
from .facts import TableFacts

__all__ = ["checks_of", "shift_check_of"]


def checks_of(facts: TableFacts) -> list[Check]:
    """Return what was checked about a policy and its release."""
    checks = []
    harbor, axes = facts.harbor, facts.axes
    if harbor is not None and axes is not None:
        risk, utility = axes
        if risk <= harbor.risk.value and utility >= harbor.utility.value:
            words = say("The policy is no worse than Safe Harbor on risk and on information.")
            checks.append(Check("holds", words))
        elif risk > harbor.risk.value:
            words = say(
                "The policy carries more risk than Safe Harbor would on the explored table."
            )
            checks.append(Check("look", words))
        else:
            words = say(
                "The policy has less risk than Safe Harbor and keeps less information: a trade, not a gain on both."
            )
            checks.append(Check("open", words))
    if facts.is_published and not facts.population:
        words = say(
            "No population table was given, so the table itself is used as the population. A larger population makes the true risk smaller; the relative risk of policies may differ."
        )
        checks.append(Check("look", words))
    smallest = facts.smallest_group
    if smallest is not None and smallest < 5:
        words = (
            "The smallest group has {smallest} {smallest_2} of the population: the risk is an average, and some records carry much more of it."
            if facts.population
            else "The smallest group has {smallest} {smallest_2}: the risk is an average, and some records carry much more of it."
        )
        words = say(
            words,
            smallest=count(smallest),
            smallest_2=plural(smallest, "person", "people"),
        )
        checks.append(Check("look", words))
    own = facts.k
    if facts.population and not facts.joined and own is not None and own < 5:
        words = say(
            "Among the records of the table itself the smallest group has {own} {own_2}: someone who knows that a person is in the table may be right with a chance of up to {chance}.",
            own=count(own),
            own_2=plural(own, "record"),
            chance=decimal(1 / max(own, 1)),
        )
        checks.append(Check("look", words))
    if facts.release is not None and facts.release.how.undeclared_columns_dropped:
        many = facts.release.how.undeclared_columns_dropped
        words = say_many(
            many,
            "{n} column that the schema does not declare was left out.",
            "{n} columns that the schema does not declare were left out.",
            n=count(many),
        )
        checks.append(Check("holds", words))
    constant = constant_columns(facts.policy[1], facts.domains)
    if constant:
        words = say(
            "The same for everybody, and so of no use to an analyst: {columns}.",
            columns=join_words(constant),
        )
        checks.append(Check("look", words))
    notes = [] if facts.release is None else sorted(facts.release.measured.notes)
    if notes and not facts.part.passed_on:
        words = say(
            "Of what the notes in {columns} say, only their row's own values were put into bands: names, telephone numbers and addresses in them are published as they were.",
            columns=join_words(notes),
        )
        checks.append(Check("look", words))
    bare = [name for name, (distinct, _) in facts.sensitive.items() if distinct == 1]
    if bare:
        words = say(
            "In some group all records share one value of {bare}: who belongs to such a group is known to have it.",
            bare=join_words(bare),
        )
        checks.append(Check("look", words))
    return [*checks, *_earlier_checks(facts), *_release_checks(facts)]


def _earlier_checks(facts: TableFacts) -> list[Check]:
    """Return the earlier releases that add to what this one gives away."""
    attack = facts.part.attack
    return [
        Check(
            "look",
            say(
                "Together with {earlier} it gives away more than alone: the smallest group of the people in both has {n} where rows can be linked.",
                earlier=together.earlier,
                n=count(together.linked.k),
            ),
        )
        for together in (attack.compositions if isinstance(attack, TablesAttack) else ())
        if together.adds_risk
    ]


def shift_check_of(facts: TableFacts) -> Check | None:
    """Return how the published records compare with those explored."""
    release = facts.release
    if release is None:
        return None
    shift = release.measured.shift
    return shift_check(shift, release.sentences, accepted=release.how.accept_shift)


def _release_checks(facts: TableFacts) -> list[Check]:
    release = facts.release
    if release is None:
        return []
    checks = [
        Check("look", say("{words}; the steward accepted this.", words=retell(words)))
        for words in release.worse
    ]
    if not release.worse and facts.chosen is not None and facts.chosen.promised:
        measured = release.measured.risk
        kept = None if measured is None else measured_check(facts.chosen.risk.value, measured)
        if kept is not None:
            checks.append(kept)
    more = (shift_check_of(facts), withheld_check(facts.part, release.measured.suppressed))
    return [*checks, *(check for check in more if check is not None)]
