"""The text engine's part of a report, told from its records."""

from __future__ import annotations

from ....core.engine import Part
from ....core.story import Stat, Story
from ....presentation.frontier_chart import Axes, frontier_chart
from ....presentation.knowledge import knowledge_of
from ....presentation.numbers import about, count, join_words, percent, plural, span
from ....presentation.sentences import (
    chosen_sentence,
    reference_grid,
    search_sentence,
    status_of,
    times,
    title_for,
)
from ..attack_records import Reading
from ..records import UNSURE, TextCandidate, TextRelease, is_measured
from .charts import attack_chart, ratio_chart
from .checks import checks, likeness_check
from .facts import TextFacts
from .grids import attack_grid, bounds_grid, conditions_grid, label_grid, ratio_grid

__all__ = ["story"]

_WHO: dict[Reading, str] = {
    "A": "who learned from the publisher's own leftovers",
    "B": "who labelled part of the release and learned from it",
    "outside": "who brings other corpora or a learner that the publisher does not have",
}
_AXES = Axes("Sensitive words left (share)", "Words published", risk_format="~%")


def story(part: Part) -> Story:
    """Return the text part of a report.

    Parameters
    ----------
    part : Part
        The records of the part.

    """
    facts = TextFacts(part)
    known = knowledge_of("sfumato.engines.text")
    told = Story(part.id, "text", title_for("Text", part), status_of(part))
    told.verdict, told.stats, told.checks = _verdict(facts), _stats(facts), checks(facts)
    told.published = _published_sentences(facts)
    told.tradeoff = [
        search_sentence(part),
        (
            "Each point is one loss ratio L/C: further left, fewer sensitive words stay; further up, more of "
            "the text is published."
        ),
    ]
    told.attack, told.cost = _attack_words(facts), _cost_words(facts)
    told.assumptions, told.here = _assumptions(facts), _here(facts)
    grids = [
        label_grid(facts),
        ratio_grid(facts),
        attack_grid(facts),
        bounds_grid(facts),
        conditions_grid(facts),
        reference_grid(
            part,
            risk=("Sensitive words left", "text.risk"),
            utility=("Words published", "text.published"),
            known=[("No redaction", (1.0, 1.0))],
        ),
    ]
    told.grids = [grid for grid in grids if grid is not None]
    charts = [frontier_chart(part, _AXES), attack_chart(facts), ratio_chart(facts)]
    told.charts = [chart for chart in charts if chart is not None]
    told.glossary, told.method, told.papers = known.glossary, known.method, known.papers
    return told


# --- the top ----------------------------------------------------------------------


def _verdict(facts: TextFacts) -> list[str]:
    sentences = []
    different = likeness_check(facts)
    if different is not None and different.state == "look":
        sentences.append(different.text)
    one, many = facts.noun
    head, chosen = facts.headline, facts.chosen
    if head is not None:
        ranged = f" ({span(head.found.low, head.found.high)})"
        sentence = (
            f"An attacker who reads [[text.budget|{count(head.budget)} words]] finds about "
            f"[[text.found|{about(head.found.found)} {plural(head.found.found, one, many)}]]{ranged}"
        )
        if head.random is not None:
            sentence += f"; at random it would be [[text.random|{about(head.random)}]]"
        sentences.append(f"{sentence}.")
        where = "the release itself" if facts.on_release else "held-out documents"
        sentence = f"This is the strongest attacker that we ran, one {_WHO[head.reading]}, measured on {where}"
        if head.before is not None:
            reference, found = head.before
            sentence += f"; against {reference.name} it finds [[text.found|{about(found)}]]"
        sentences.append(f"{sentence}.")
    if chosen is not None:
        sentences += _promise(facts, chosen, many)
    if facts.attack_record is not None and facts.attack_record.sensitive_before:
        left, before = facts.attack_record.attack.left, facts.attack_record.sensitive_before
        sentences.append(
            f"In this very release {count(left.sensitive)} of {count(before)} {many} stay "
            f"({percent(left.sensitive / before)}), as its labelled originals show."
        )
    return sentences


def _promise(facts: TextFacts, chosen: TextCandidate, many: str) -> list[str]:
    """Return sentences on what is expected to be left and what is lost, and how much it was measured on."""
    measured = facts.release.measured if facts.release is not None else None
    risk = facts.release.risk if facts.release is not None and facts.release.risk else chosen.risk
    stay = "stay" if facts.release is not None else "would stay"
    sentences = []
    if measured is not None:
        sentences.append(
            f"[[text.published|{percent(measured.published.value)}]] of the words are published "
            f"({percent(measured.published.low)}–{percent(measured.published.high)} were expected)."
        )
    else:
        sentences.append(
            f"[[text.published|{percent(chosen.utility.value)}]] of the words would be published."
        )
    ends = "" if risk.interval is None else (
        f" ({percent(risk.interval.low)}–{percent(risk.interval.high)})"
    )  # fmt: skip
    if not is_measured(risk):
        return [
            *sentences,
            f"How many of the {many} {stay} is not measured, because nobody has looked: audit the release.",
        ]
    sentence = f"About [[text.risk|{percent(risk.value)}]]{ends} of the {many} {stay} in the text"
    leaking = chosen.documents_with_leak
    if facts.release is not None and facts.release.documents_with_leak is not None:
        leaking = facts.release.documents_with_leak
    if leaking is not None:
        sentence += (
            f", and {percent(leaking.value)} ({percent(leaking.low)}–{percent(leaking.high)}) of the "
            "documents hold at least one"
        )
    sentences.append(f"{sentence}.")
    if chosen.harmless_lost is not None:
        lost = "are" if facts.release is not None else "would be"
        sentences.append(
            f"{percent(chosen.harmless_lost)} of the harmless words {lost} lost with them."
        )
    if facts.frontier is not None and facts.frontier.answers is not None:
        sentences.append(
            f"This was estimated from windows drawn at random among {count(facts.frontier.answers)} "
            "answers, each judged by a model that had not seen its document."
        )
    elif facts.frontier is not None:
        sentences.append(
            f"This was measured on {count(facts.frontier.documents)} labelled documents with "
            f"{count(facts.frontier.sensitive_words)} {many}, each judged by classifiers that had not "
            "seen it."
        )
    return sentences


def _stats(facts: TextFacts) -> list[Stat]:
    found = []
    _, many = facts.noun
    head, chosen = facts.headline, facts.chosen
    if head is not None:
        label = f"{many} found in {count(head.budget)} words read"
        note = span(head.found.low, head.found.high)
        found.append(Stat(about(head.found.found), label, "text.found", note))
    if chosen is not None:
        ends = chosen.risk.interval
        note = f"{percent(ends.low)}–{percent(ends.high)}" if ends is not None else ""
        found += [
            Stat(percent(chosen.risk.value), f"of the {many} left", "text.risk", note)
            if is_measured(chosen.risk)
            else Stat("–", f"of the {many} left: not measured", "text.risk"),
            Stat(percent(chosen.utility.value), "of the words published", "text.published"),
            Stat(f"{chosen.ratio:g}", "loss ratio L/C", "text.ratio"),
        ]
    return found


# --- sections ------------------------------------------------------------------------------------


def _published_sentences(facts: TextFacts) -> list[str]:
    sentences = [chosen_sentence(facts.part)]
    release, frontier = facts.release, facts.frontier
    redacted = release.counts.get("spans") if release is not None else None
    if isinstance(redacted, dict) and redacted:
        kinds = join_words([f"{count(n)} of {label}" for label, n in sorted(redacted.items())])
        sentences.append(f"Redactions by kind: {kinds}.")
        sentences += _surrogate_words(release)
    elif frontier is not None:
        sentences.append(f"Sensitive here: {join_words(list(frontier.labels))}.")
    if release is not None and release.how.fields_as_they_are:
        how = (
            "are published as another part of this report treated them"
            if facts.elsewhere
            else "are published as they are"
        )
        sentences.append(f"Other fields {how}: {join_words(list(release.how.fields_as_they_are))}.")
    if release is not None:
        counts = {k: n for k, n in release.counts.items() if isinstance(n, int)}
        named = [f"{count(n)} {k.replace('_', ' ')}" for k, n in sorted(counts.items()) if n]
        sentences.append(f"Counted while publishing: {join_words(named)}.")
    return sentences


def _surrogate_words(release: TextRelease | None) -> list[str]:
    """Return sentences on how many surrogates were made, by kind, and how many redactions are likely mistakes."""
    made = release.counts.get("surrogates") if release is not None else None
    if not isinstance(made, dict) or not made:
        return []
    kinds = {k: n for k, n in made.items() if k != UNSURE}
    sentences = []
    if kinds:
        named = join_words([f"{count(n)} of {label}" for label, n in sorted(kinds.items())])
        sentences.append(f"Surrogates stand for {named}; all else is a placeholder.")
    if made.get(UNSURE):
        sentences.append(
            f"{count(made[UNSURE])} redactions are likely false positives and became placeholders."
        )
    return sentences


def _attack_words(facts: TextFacts) -> list[str]:
    if not facts.readings:
        return [
            "No attack was run, so nothing is known about what an attacker with a classifier finds."
        ]
    sentences = [
        (
            "Each attacker trains a classifier, sorts the published words by its score and reads from the top. "
            "The chart shows how many of every 100 words read are sensitive, beside reading at random and the "
            "bound."
        )
    ]
    head = facts.headline
    if head is not None and head.random:
        sentences.append(
            f"At {count(head.budget)} words the strongest attacker does "
            f"{head.found.found / head.random:.1f} times as well as reading at random."
        )
    if head is not None and head.before is not None and head.found.found > 0:
        reference, found = head.before
        sentences.append(
            f"Against {reference.name} the same attacker finds {about(found)} at the same budget: "
            f"{times(found, head.found.found)} as many."
        )
    return sentences


def _cost_words(facts: TextFacts) -> list[str]:
    chosen = facts.chosen
    if chosen is None:
        return []
    sentences = [
        (
            f"At L/C = [[text.ratio|{chosen.ratio:g}]], [[text.risk|{count(chosen.leaked)}]] {facts.noun[1]} "
            f"stay and [[text.false_positives|{count(chosen.false_positives)}]] harmless words are redacted on "
            f"held-out documents: a total loss of [[text.total_loss|{count(chosen.total_loss)}]]."
        )
    ]
    for reference in facts.before:
        loss = facts.loss_of(reference)
        if loss is not None and chosen.total_loss:
            more = times(loss, chosen.total_loss)
            sentences.append(f"{reference.name} would lose {count(loss)}, {more} as much.")
    return sentences


def _assumptions(facts: TextFacts) -> list[str]:
    frontier = facts.frontier
    folds = "folds" if frontier is None else f"{frontier.folds_dealt} folds"
    sentences = [
        (
            f"The documents to be published are like the labelled ones; all estimates come from {folds} by "
            "document, each sanitised by classifiers that never saw it."
        ),
        (
            "The labels are right: a sensitive word that the annotators missed counts as harmless here, for the "
            "publisher and for the attacker."
        ),
        _inference_words(facts),
        (
            "The bound C/(L+C) presumes an attacker with the publisher's kinds of learners and no more data. "
            "Attackers who know more are measured, not bounded."
        ),
    ]
    if frontier is not None and frontier.background:
        sentences.append(
            f"{len(frontier.background)} other labelled corpora were known to the publisher and to the "
            "attackers alike."
        )
    if facts.readings and not facts.on_release:
        sentences.append(
            "The attack was run on held-out documents, not on the release itself: the release has no labels "
            "to judge it by."
        )
    return sentences


def _inference_words(facts: TextFacts) -> str:
    record = facts.attack_record
    found = None if record is None else record.inference
    if found is None or not found.cases:
        return (
            "The attacker finds single words. Piecing a person together from harmless words (an inference from "
            "context) is not measured."
        )
    return (
        f"Who knows other documents of the same people guesses {count(found.right)} of {count(found.cases)} "
        f"removed names from the words around them ({percent(found.low)}–{percent(found.high)}); without "
        f"reading it would be {count(found.by_prior)}."
    )


def _here(facts: TextFacts) -> dict[str, str]:
    here = {}
    head, chosen, attacked = facts.headline, facts.chosen, facts.attacked
    if head is not None:
        here["text.found"] = (
            f"{head.found.found:.2f} of {count(head.budget)} words, by attacker {head.reading}"
        )
    if head is not None and head.random is not None and attacked is not None:
        left = attacked.left
        here["text.random"] = (
            f"{count(head.budget)} × {count(left.sensitive)} ÷ {count(left.words)} = {head.random:.3g}"
        )
    if facts.bound is not None:
        here["text.bound"] = f"1 ÷ (1 + {facts.ratio:g}) = {percent(facts.bound)}"
    if chosen is not None:
        here["text.total_loss"] = (
            f"{chosen.ratio:g} × {count(chosen.leaked)} + {count(chosen.false_positives)} = "
            f"{count(chosen.total_loss)}"
        )
        if facts.frontier is not None and facts.frontier.sensitive_words:
            every = facts.frontier.sensitive_words
            here["text.risk"] = (
                f"{count(chosen.leaked)} ÷ {count(every)} = {percent(chosen.leaked / every)}"
            )
    return here
