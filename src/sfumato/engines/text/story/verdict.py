"""The top of the text part of a report: what is expected to be left, what attackers find, what is published."""

from __future__ import annotations

from ....core.measures import Risk
from ....core.story import Stat
from ....presentation.language import retell, say, say_many
from ....presentation.numbers import about, count, decimal, percent, plural, span
from ..attack_records import AuditRecord, RangedShare, Reading
from ..records import TextCandidate, is_measured
from .checks import likeness_check
from .facts import TextFacts

__all__ = ["stats_of", "verdict_of"]

_WHO: dict[Reading, str] = {
    "A": "who learned from the publisher's own leftovers",
    "B": "who labelled part of the release and learned from it",
    "outside": "who brings other corpora or a learner that the publisher does not have",
}
_NOT_MEASURED = (
    "How many of the {many} stay is not measured, because nobody has looked: audit the release."
)


def verdict_of(facts: TextFacts) -> list[str]:
    """Return the sentences of the verdict: the documents with a leak first.

    Parameters
    ----------
    facts : TextFacts
        The records of the part.

    """
    different = likeness_check(facts)
    sentences = [different.text] if different is not None and different.state == "look" else []
    elsewhere = bool(sentences)
    sentences += _leaking_documents(facts, elsewhere=elsewhere)
    sentences += [_audit_sentence(audit) for audit in facts.audits]
    sentences += _missing_judgement(facts)
    if facts.chosen is not None:
        sentences += _promise(facts, facts.chosen, elsewhere=elsewhere)
    sentences += _attacker(facts)
    if facts.attack_record is not None and facts.attack_record.sensitive_before:
        left, before = facts.attack_record.attack.left, facts.attack_record.sensitive_before
        sentences.append(
            say(
                "In this very release {sensitive} of {before} {many} stay ({share}), as its labelled "
                "originals show.",
                sensitive=count(left.sensitive),
                before=count(before),
                many=facts.noun[1],
                share=percent(left.sensitive / before),
            )
        )
    return sentences


def _leaking(facts: TextFacts) -> RangedShare | None:
    """Return the share of documents that are expected to hold a leak."""
    if facts.release is not None and facts.release.documents_with_leak is not None:
        return facts.release.documents_with_leak
    return None if facts.chosen is None else facts.chosen.documents_with_leak


def _leaking_documents(facts: TextFacts, *, elsewhere: bool) -> list[str]:
    """Return in how many documents of this release something is expected to be left."""
    leaking = _leaking(facts)
    documents = None if facts.release is None else facts.release.counts.get("documents")
    if leaking is None or not isinstance(documents, int):
        return []
    found = say(
        "In {documents} documents expect about [[text.documents|{leaking}]] ({low}–{high}) with at least "
        "one sensitive word left.",
        documents=count(documents),
        leaking=about(leaking.value * documents),
        low=about(leaking.low * documents),
        high=about(leaking.high * documents),
    )
    return [_supposing(found) if elsewhere else found]


def _supposing(sentence: str) -> str:
    """Return a sentence about documents like those learned from, where those published are not."""
    return say("If they were like the documents learned from: {sentence}", sentence=sentence)


def _missing_judgement(facts: TextFacts) -> list[str]:
    """Return what a release says of itself that could not be compared with labelled documents."""
    release = facts.release
    if release is None or release.measured is not None:
        return []
    if release.sentences:
        return [retell(release.sentences[0])]
    if release.starter is not None:
        return [retell(release.starter.sentence)]
    if facts.part.public and release.documents_with_leak is None:
        return [say(_NOT_MEASURED, many=facts.noun[1])]
    return []


def _audit_sentence(audit: AuditRecord) -> str:
    values = {
        "drawn": count(audit.drawn),
        "leaking": count(audit.leaking),
        "share": percent(audit.measured.value),
        "low": percent(audit.measured.low),
        "high": percent(audit.measured.high),
    }
    if audit.kind == "words":
        return say(
            "An audit read the {drawn} words of this release that an attacker reads first: {leaking} should "
            "have been redacted ({share}; {low}–{high}).",
            **values,
        )
    return say(
        "An audit read {drawn} documents of this release, drawn at random: {leaking} hold something that "
        "should have been redacted ({share}; {low}–{high}).",
        **values,
    )


def _attacker(facts: TextFacts) -> list[str]:
    """Return what the strongest attacker finds at the budget of the headline."""
    head = facts.headline
    if head is None:
        return []
    one, many = facts.noun
    values = {
        "budget": count(head.budget),
        "found": about(head.found.found),
        "many": plural(head.found.found, one, many),
        "range": span(head.found.low, head.found.high),
    }
    if head.random is None:
        first = say(
            "An attacker who reads [[text.budget|{budget} words]] finds about [[text.found|{found} {many}]] "
            "({range}).",
            **values,
        )
    else:
        first = say(
            "An attacker who reads [[text.budget|{budget} words]] finds about [[text.found|{found} {many}]] "
            "({range}); at random it would be [[text.random|{random}]].",
            random=about(head.random),
            **values,
        )
    where = say("the release itself") if facts.on_release else say("held-out documents")
    return [
        first,
        say(
            "This is the strongest attacker that we ran, one {who}, measured on {where}.",
            who=say(_WHO[head.reading]),
            where=where,
        ),
    ]


def _risk(facts: TextFacts, chosen: TextCandidate) -> Risk:
    """Return the risk of the release, which is for a batch of its size, else that of the candidate."""
    return facts.release.risk if facts.release is not None and facts.release.risk else chosen.risk


def _promise(facts: TextFacts, chosen: TextCandidate, *, elsewhere: bool) -> list[str]:
    """Return sentences on what is expected to be left and what is lost, and how much it was measured on."""
    measured = facts.release.measured if facts.release is not None else None
    many, risk, published = facts.noun[1], _risk(facts, chosen), facts.release is not None
    sentences = [_published_share(facts, chosen)]
    if not is_measured(risk):
        words = (
            _NOT_MEASURED
            if published
            else "How many of the {many} would stay is not measured, because nobody has looked."
        )
        return [*sentences, say(words, many=many)]
    values = {"share": percent(risk.value), "many": many}
    if risk.interval is not None:
        values["share"] = say(
            "{share} ({low}–{high})",
            share=percent(risk.value),
            low=percent(risk.interval.low),
            high=percent(risk.interval.high),
        )
    words = (
        "About [[text.risk|{share}]] of the {many} stay in the text."
        if published
        else "About [[text.risk|{share}]] of the {many} would stay in the text."
    )
    stay = say(words, **values)
    sentences.append(_supposing(stay) if elsewhere else stay)
    leaking = _leaking(facts)
    if leaking is not None and not elsewhere:
        words = (
            "{share} ({low}–{high}) of the documents hold at least one."
            if published
            else "{share} ({low}–{high}) of the documents would hold at least one."
        )
        sentences.append(
            say(
                words,
                share=percent(leaking.value),
                low=percent(leaking.low),
                high=percent(leaking.high),
            )
        )
    if chosen.harmless_lost is not None:
        words = (
            "{share} of the harmless words are lost with them."
            if measured is not None
            else "{share} of the harmless words would be lost with them."
        )
        sentences.append(say(words, share=percent(chosen.harmless_lost)))
    return [*sentences, *_measured_on(facts)]


def _published_share(facts: TextFacts, chosen: TextCandidate) -> str:
    measured = facts.release.measured if facts.release is not None else None
    if measured is not None:
        return say(
            "[[text.published|{share}]] of the words are published ({low}–{high} were expected).",
            share=percent(measured.published.value),
            low=percent(measured.published.low),
            high=percent(measured.published.high),
        )
    words = (
        "About [[text.published|{share}]] of the words are published, as on held-out documents."
        if facts.release is not None
        else "[[text.published|{share}]] of the words would be published."
    )
    return say(words, share=percent(chosen.utility.value))


def _measured_on(facts: TextFacts) -> list[str]:
    frontier = facts.frontier
    if frontier is None:
        return []
    if frontier.answers is not None:
        return [
            say(
                "This was estimated from windows drawn at random among {answers} answers, each judged by a "
                "model that had not seen its document.",
                answers=count(frontier.answers),
            )
        ]
    return [
        say_many(
            frontier.documents,
            "This was measured on {documents} labelled document with {words} {many}, judged by classifiers "
            "that had not seen it.",
            "This was measured on {documents} labelled documents with {words} {many}, each judged by "
            "classifiers that had not seen it.",
            documents=count(frontier.documents),
            words=count(frontier.sensitive_words),
            many=facts.noun[1],
        )
    ]


def stats_of(facts: TextFacts) -> list[Stat]:
    """Return the large figures: those of the release where there is one, the same as in the sentences.

    Parameters
    ----------
    facts : TextFacts
        The records of the part.

    """
    found = []
    many = facts.noun[1]
    head, chosen = facts.headline, facts.chosen
    if head is not None:
        label = say("{many} found in {budget} words read", many=many, budget=count(head.budget))
        note = span(head.found.low, head.found.high)
        found.append(Stat(about(head.found.found), label, "text.found", note))
    if chosen is None:
        return found
    risk = _risk(facts, chosen)
    ends = risk.interval
    note = f"{percent(ends.low)}–{percent(ends.high)}" if ends is not None else ""
    measured = facts.release.measured if facts.release is not None else None
    published = chosen.utility.value if measured is None else measured.published.value
    different = likeness_check(facts)
    words = (
        "of the {many} left, if the documents were like those learned from"
        if different is not None and different.state == "look"
        else "of the {many} left"
    )
    return [
        *found,
        Stat(percent(risk.value), say(words, many=many), "text.risk", note)
        if is_measured(risk)
        else Stat("–", say("of the {many} left: not measured", many=many), "text.risk"),
        Stat(percent(published), say("of the words published"), "text.published"),
        Stat(decimal(chosen.ratio), say("loss ratio L/C"), "text.ratio"),
    ]
