"""The checks at the top of the text part of a report: what holds, what is open, what needs a look."""

from __future__ import annotations

from ....core.story import Check
from ....presentation.numbers import count, join_words, percent
from ....presentation.sentences import shift_check, withheld_check
from ..records import format_label_counts
from .facts import TextFacts

__all__ = ["checks", "likeness_check"]


def checks(facts: TextFacts) -> list[Check]:
    """Return what holds, what is open and what needs a look, for the top of the text part of a report.

    Parameters
    ----------
    facts : TextFacts
        The records of the part.

    """
    found = []
    shift = likeness_check(facts)
    if shift is not None:
        found.append(shift)
    if facts.left_as_they_are:
        named = format_label_counts(facts.left_as_they_are)
        found.append(Check("look", f"Marked, but not chosen, and left as they are: {named}."))
    if facts.readings and facts.bound is not None:
        found.append(_bound_check(facts, facts.bound))
    if facts.readings and facts.frontier is not None and not facts.frontier.background:
        found.append(
            Check(
                "open",
                "No labelled corpus from outside was given, to the publisher or to the attackers. A real "
                "attacker may have one and find several times more; --background includes it.",
            )
        )
    found += _encoder_checks(facts)
    if facts.release is not None and facts.release.how.fields_as_they_are and not facts.elsewhere:
        names = join_words(list(facts.release.how.fields_as_they_are))
        found.append(Check("look", f"Fields beside the text are published as they are: {names}."))
    if facts.frontier is not None and facts.frontier.mode == "paper":
        found.append(
            Check(
                "look",
                "Stopping was judged on the training data, as the paper prints it; held-out documents "
                "leak more than that judgement sees.",
            )
        )
    if facts.learned_from_release:
        found.append(
            Check(
                "open",
                "The release holds documents that the classifiers learned from. Less stays in them than "
                "in documents that the classifiers have not seen, for which the estimates stand.",
            )
        )
    if not facts.readings:
        found.append(Check("open", "No attack was run on this candidate."))
    withheld = withheld_check(facts.part)
    return found if withheld is None else [*found, withheld]


def likeness_check(facts: TextFacts) -> Check | None:
    """Return the check that the release is like what was learned from."""
    release = facts.release
    if release is None or release.measured is None:
        return None
    shift = release.measured.shift
    return shift_check(shift, release.sentences, accepted=release.how.accept_shift)


def _encoder_checks(facts: TextFacts) -> list[Check]:
    """Return the checks on attackers with a pretrained encoder and on what a device cannot repeat."""
    checks = []
    record = facts.attack_record
    attack = record.attack if record is not None else facts.chosen.attack if facts.chosen else None
    if attack is not None and not attack.with_encoder:
        checks.append(
            Check(
                "open",
                "No attacker with a pretrained encoder was run. Anyone with a laptop can run one, and it "
                "finds more than the attackers shown here; the extra sfumato[encoder] adds it.",
            )
        )
    encoder = facts.frontier.encoder if facts.frontier is not None else None
    if encoder is not None and not encoder.repeatable:
        checks.append(
            Check(
                "look",
                f"The encoder was tuned on a device of kind {encoder.device}: running again need not "
                "give the same bytes.",
            )
        )
    return checks


def _bound_check(facts: TextFacts, bound: float) -> Check:
    over = sorted(
        (reading, int(budget))
        for reading, record in facts.readings.items()
        for budget, found in record.ranked.items()
        if found.low > bound * int(budget)
    )
    if over:
        places = join_words([f"{reading} at {count(budget)} words" for reading, budget in over])
        return Check(
            "look",
            f"Some attackers find clearly more than the bound C/(L+C) = {percent(bound)} of what they read "
            f"({places}): the bound assumes that they know no more than the publisher.",
        )
    open_ones = sorted(
        {
            int(budget)
            for record in facts.readings.values()
            for budget, found in record.ranked.items()
            if found.high > bound * int(budget)
        }
    )
    if open_ones:
        places = join_words([f"{count(budget)} words" for budget in open_ones])
        return Check(
            "open",
            f"Too little was measured to tell whether attackers stay within the bound C/(L+C) = "
            f"{percent(bound)} of what they read (at {places}): the upper ends of the ranges are above it.",
        )
    return Check(
        "holds",
        f"No attacker finds more than the bound C/(L+C) = {percent(bound)} of what it reads, at any "
        "budget, the upper ends of the ranges included.",
    )
