"""The checks at the top of the text part of a report: what holds, what is open, what needs a look."""

from __future__ import annotations

from ....core.dominance import frontier_of
from ....core.story import Check
from ....presentation.language import say
from ....presentation.numbers import about, count, join_words, percent
from ....presentation.sentences import shift_check, withheld_check
from ..records import (
    INSPECTED,
    MOST_FOUND,
    TextRelease,
    format_label_counts,
    with_few_found,
)
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
        found.append(
            Check(
                "look", say("Marked, but not chosen, and left as they are: {named}.", named=named)
            )
        )
    if facts.readings and facts.bound is not None:
        found.append(_bound_check(facts, facts.bound))
    if facts.readings and facts.frontier is not None and not facts.frontier.background:
        found.append(
            Check(
                "open",
                say(
                    "No labelled corpus from outside was given, to the publisher or to the attackers. A real attacker may have one and find several times more; --background includes it."
                ),
            )
        )
    found += _found_checks(facts) + _encoder_checks(facts) + _scan_checks(facts)
    if facts.release is not None and facts.release.how.fields_as_they_are and not facts.elsewhere:
        names = join_words(list(facts.release.how.fields_as_they_are))
        found.append(
            Check(
                "look",
                say("Fields beside the text are published as they are: {names}.", names=names),
            )
        )
    if facts.frontier is not None and facts.frontier.mode == "paper":
        found.append(
            Check(
                "look",
                say(
                    "Stopping was judged on the training data, as the paper prints it; held-out documents leak more than that judgement sees."
                ),
            )
        )
    if facts.learned_from_release and not _tells_what_was_known(facts):
        found.append(
            Check(
                "open",
                say(
                    "The release holds documents that the classifiers learned from. Less stays in them than "
                    "in documents that the classifiers have not seen, for which the estimates stand."
                ),
            )
        )
    if not facts.readings and not facts.part.public:
        found.append(Check("open", say("No attack was run on this candidate.")))
    withheld = withheld_check(facts.part)
    return found if withheld is None else [*found, withheld]


def likeness_check(facts: TextFacts) -> Check | None:
    """Return the check that the release is like what was learned from."""
    release = facts.release
    if release is None:
        return None
    if release.measured is None:
        return _unasked_check(release)
    shift = release.measured.shift
    found = shift_check(shift, release.sentences, accepted=release.how.accept_shift)
    if found is not None and found.state == "holds" and _tells_what_was_known(facts):
        return Check("open", found.text)  # what was learned from is not known to be like anything
    return found


def _unasked_check(release: TextRelease) -> Check | None:
    """Return what a public edition says where the steward published whatever the comparison found."""
    if not release.how.accept_shift or release.documents_with_leak is None:
        return None
    return Check(
        "look",
        say(
            "These documents were published whether or not they are like those learned from (--accept-shift): if they are not, more may be left than these figures say."
        ),
    )


def _tells_what_was_known(facts: TextFacts) -> bool:
    """Return whether the comparison itself says that the documents were learned from."""
    measured = None if facts.release is None else facts.release.measured
    shift = None if measured is None else measured.shift
    return shift is not None and shift.learned_from > 0 and shift.p_value is None


def _scan_checks(facts: TextFacts) -> list[Check]:
    """Return the check on scanned pages: what a recogniser misreads is in none of the figures."""
    scans = None if facts.release is None else facts.release.how.scans
    if scans is None:
        return []
    sentence = say(
        "{pages} scanned pages were read by OCR. What it misread is not measured, so that more may be left on them than the figures say.",
        pages=count(scans.pages),
    )
    if scans.word_recall is not None:
        sentence += " " + say(
            "On generated pages it read {share} of the words right, which is a model of these pages and no measurement.",
            share=percent(scans.word_recall),
        )
    if scans.accepted_unseen:
        sentence += " " + say("Nobody had to see them before they were published.")
    else:
        sentence += " " + say("Publish them only after a person has seen and approved them.")
    return [Check("look" if scans.accepted_unseen else "open", sentence)]


def _found_checks(facts: TextFacts) -> list[Check]:
    """Return the check on what the strongest attacker finds first, and the candidate in which it finds few enough."""
    found = None if facts.chosen is None else facts.chosen.found
    if found is None or found.found <= MOST_FOUND or facts.on_release:
        return []
    values = {
        "found": about(found.found),
        "most": count(MOST_FOUND),
        "many": facts.noun[1],
        "budget": count(INSPECTED),
    }
    every = facts.frontier.candidates if facts.frontier is not None else ()
    within = with_few_found(every, MOST_FOUND)
    if not within:
        words = (
            "The strongest attacker that was run finds about {found} {many} among the first {budget} words that it "
            "inspects, and more than {most} in every candidate: explore higher loss ratios."
        )
        return [Check("look", say(words, **values))]
    words = (
        "The strongest attacker that was run finds about {found} {many} among the first {budget} words that it "
        "inspects; --choose max-found:{most} takes candidate {name}, in which it finds at most {most}."
    )
    name = frontier_of(within).choose(max_risk=1.0).id
    return [Check("look", say(words, name=name, **values))]


def _encoder_checks(facts: TextFacts) -> list[Check]:
    """Return the checks on attackers with a pretrained encoder and on what a device cannot repeat."""
    checks = []
    record = facts.attack_record
    attack = record.attack if record is not None else facts.chosen.attack if facts.chosen else None
    if attack is not None and not attack.with_encoder:
        checks.append(
            Check(
                "open",
                say(
                    "No attacker with a pretrained encoder was run. Anyone with a laptop can run one, and it finds more than the attackers shown here; the extra sfumato[encoder] adds it."
                ),
            )
        )
    encoder = facts.frontier.encoder if facts.frontier is not None else None
    if encoder is not None and not encoder.repeatable:
        checks.append(
            Check(
                "look",
                say(
                    "The encoder was tuned on a device of kind {device}: running again need not give the same bytes.",
                    device=encoder.device,
                ),
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
        places = join_words(
            [
                say("{reading} at {budget} words", reading=reading, budget=count(budget))
                for reading, budget in over
            ]
        )
        return Check(
            "look",
            say(
                "Some attackers find clearly more than the bound C/(L+C) = {bound} of what they read ({places}): the bound assumes that they know no more than the publisher.",
                bound=percent(bound),
                places=places,
            ),
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
        places = join_words([say("{budget} words", budget=count(budget)) for budget in open_ones])
        return Check(
            "open",
            say(
                "Too little was measured to tell whether attackers stay within the bound C/(L+C) = {bound} of what they read (at {places}): the upper ends of the ranges are above it.",
                bound=percent(bound),
                places=places,
            ),
        )
    return Check(
        "holds",
        say(
            "No attacker finds more than the bound C/(L+C) = {bound} of what it reads, at any budget, the upper ends of the ranges included.",
            bound=percent(bound),
        ),
    )
