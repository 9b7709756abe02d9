"""The text engine's part of a report, from its records."""

from __future__ import annotations

from ....core.engine import Part
from ....core.story import Step, Story
from ....presentation.frontier_chart import Axes, frontier_chart
from ....presentation.knowledge import knowledge_of
from ....presentation.language import say
from ....presentation.numbers import about, count, decimal, join_words, percent, to_places
from ....presentation.sentences import (
    chosen_sentence,
    reference_grid,
    search_sentence,
    status_of,
    times,
    title_for,
)
from ..records import INSPECTED, UNSURE, TextRelease, found_limit, is_measured
from .charts import attack_chart, ratio_chart
from .checks import checks
from .facts import TextFacts
from .grids import (
    attack_grid,
    bounds_grid,
    conditions_grid,
    label_grid,
    ratio_grid,
    vacuous_grid,
)
from .together import sentences_together
from .verdict import stats_of, verdict_of

__all__ = ["story"]


def _axes() -> Axes:
    return Axes(say("Sensitive words left (share)"), say("Words published"), risk_format="~%")


def story(part: Part) -> Story:
    """Return the text part of a report.

    Parameters
    ----------
    part : Part
        The records of the part.

    """
    facts = TextFacts(part)
    known = knowledge_of("sfumato.engines.text")
    text_story = Story(part.id, "text", title_for(say("Text"), part), status_of(part))
    text_story.verdict = verdict_of(facts)
    text_story.stats = stats_of(facts)
    text_story.checks = checks(facts)
    text_story.published = _published_sentences(facts)
    text_story.tradeoff = [search_sentence(part)]
    if part.frontier is not None:
        words = "Each point is one loss ratio L/C: further left, fewer sensitive words stay; further up, more of the text is published."
        text_story.tradeoff.append(say(words))
    text_story.attack = [*_attack_words(facts), *sentences_together(facts.attack_record)]
    text_story.cost = _cost_words(facts)
    text_story.assumptions = _assumptions(facts)
    text_story.here = _here(facts)
    grids = [
        label_grid(facts),
        ratio_grid(facts),
        attack_grid(facts),
        bounds_grid(facts),
        vacuous_grid(facts),
        conditions_grid(facts),
        reference_grid(
            part,
            risk=(say("Sensitive words left"), "text.risk"),
            utility=(say("Words published"), "text.published"),
            known=[(say("No redaction"), (1.0, 1.0))],
        ),
    ]
    text_story.grids = [grid for grid in grids if grid is not None]
    charts = [frontier_chart(part, _axes()), attack_chart(facts), ratio_chart(facts)]
    text_story.charts = [chart for chart in charts if chart is not None]
    text_story.glossary = known.glossary
    text_story.method = _method(facts) or known.method
    text_story.papers = known.papers
    return text_story


# --- sections ------------------------------------------------------------------------------------


def _published_sentences(facts: TextFacts) -> list[str]:
    sentences = [_chosen_sentence(facts)]
    release, frontier = facts.release, facts.frontier
    redacted = release.counts.get("spans") if release is not None else None
    if isinstance(redacted, dict) and redacted:
        kinds = join_words(
            [
                say("{n} of {label}", n=count(n), label=label)
                for label, n in sorted(redacted.items())
            ]
        )
        sentences.append(say("Redactions by kind: {kinds}.", kinds=kinds))
        sentences += _surrogate_words(release)
    elif frontier is not None:
        sentences.append(say("Sensitive here: {labels}.", labels=join_words(list(frontier.labels))))
    if release is not None and release.how.fields_as_they_are:
        words = (
            "Other fields are published as another part of this report treated them: {names}."
            if facts.elsewhere
            else "Other fields are published as they are: {names}."
        )
        sentences.append(say(words, names=join_words(list(release.how.fields_as_they_are))))
    if release is not None:
        counts = {k: n for k, n in release.counts.items() if isinstance(n, int)}
        named = [f"{count(n)} {say(k.replace('_', ' '))}" for k, n in sorted(counts.items()) if n]
        sentences.append(say("Counted while publishing: {named}.", named=join_words(named)))
    return sentences


def _chosen_sentence(facts: TextFacts) -> str:
    """Return which candidate the numbers are about; a suggested one may be safer than the knee."""
    if facts.part.chosen_by != "max-found" or facts.chosen is None:
        return chosen_sentence(facts.part)
    return say(
        "Nothing has been published yet. The numbers are about candidate {name}, the most useful one that leaves no "
        "more than the [[knee|knee]] of the frontier and in which the strongest attacker that was run finds at most "
        "{most} {many} among the first {budget} words that it inspects; at the knee an attacker finds more. This is a "
        "starting point, not a recommendation.",
        name=facts.chosen.id,
        most=count(found_limit(facts.chosen)),
        many=facts.noun[1],
        budget=count(INSPECTED),
    )


def _surrogate_words(release: TextRelease | None) -> list[str]:
    """Return sentences on how many surrogates were made, by kind, and how many redactions are likely mistakes."""
    made = release.counts.get("surrogates") if release is not None else None
    if not isinstance(made, dict) or not made:
        return []
    kinds = {k: n for k, n in made.items() if k != UNSURE}
    sentences = []
    if kinds:
        named = join_words(
            [say("{n} of {label}", n=count(n), label=label) for label, n in sorted(kinds.items())]
        )
        sentences.append(
            say("Surrogates replace {named}; everything else is a placeholder.", named=named)
        )
    if made.get(UNSURE):
        sentences.append(
            say(
                "{made} redactions are likely false positives and became placeholders.",
                made=count(made[UNSURE]),
            )
        )
    return sentences


def _attack_words(facts: TextFacts) -> list[str]:
    if not facts.readings and facts.part.public:
        return [say("What attackers find is in the steward's edition.")]
    if not facts.readings:
        return [
            say(
                "No attack was run, so nothing is known about what an attacker with a classifier finds."
            )
        ]
    sentences = [
        (
            say(
                "Each attacker trains a classifier, sorts the published words by its score and reads from the top. The chart shows how many of every 100 words read are sensitive, compared with reading at random and with the bound."
            )
        )
    ]
    head = facts.headline
    if head is not None and head.random and head.found.found > 0:
        sentences.append(
            say(
                "At {budget} words the strongest attacker does {random} times as well as reading at random.",
                budget=count(head.budget),
                random=to_places(head.found.found / head.random, 1),
            )
        )
    if head is not None and head.before is not None and head.found.found > 0:
        reference, found = head.before
        sentences.append(
            say(
                "Against {name} the same attacker finds {value} at the same budget: {head} as many.",
                name=say(reference.name),
                value=about(found),
                head=times(found, head.found.found),
            )
        )
    return sentences


def _cost_words(facts: TextFacts) -> list[str]:
    chosen = facts.chosen
    if chosen is None:
        return []
    if not is_measured(chosen.risk):
        return [
            say(
                "How many of the {many} would stay is not measured, because nobody has looked.",
                many=facts.noun[1],
            )
        ]
    sentences = [
        (
            say(
                "At L/C = [[text.ratio|{ratio}]], [[text.risk|{leaked}]] {noun} stay and [[text.false_positives|{false_positives}]] harmless words are redacted on held-out documents: a total loss of [[text.total_loss|{total_loss}]].",
                ratio=decimal(chosen.ratio),
                leaked=count(chosen.leaked),
                noun=facts.noun[1],
                false_positives=count(chosen.false_positives),
                total_loss=count(chosen.total_loss),
            )
        )
    ]
    for reference in facts.before:
        loss = facts.loss_of(reference)
        if loss is not None and chosen.total_loss:
            more = times(loss, chosen.total_loss)
            sentences.append(
                say(
                    "{name} would lose {loss}, {more} as much.",
                    name=say(reference.name),
                    loss=count(loss),
                    more=more,
                )
            )
    return sentences


def _assumptions(facts: TextFacts) -> list[str]:
    frontier = facts.frontier
    sentences = [*_estimate_words(facts), _inference_words(facts)]
    if facts.judged_in == "folds":
        sentences.append(
            say(
                "The bound C/(L+C) presumes an attacker with the publisher's kinds of learners and no more data. Attackers who know more are measured, not bounded."
            )
        )
    if frontier is not None and frontier.background:
        sentences.append(
            say(
                "{background} other labelled corpora were known to the publisher and to the attackers alike.",
                background=len(frontier.background),
            )
        )
    if facts.readings and not facts.on_release:
        sentences.append(
            say(
                "The attack was run on held-out documents, not on the release itself: the release has no labels to judge it by."
            )
        )
    return sentences


def _estimate_words(facts: TextFacts) -> list[str]:
    """Return what the estimates rest on."""
    if facts.judged_in == "nothing":
        return [
            say(
                "No document was labelled, so that nothing here says how much rules and models miss in such documents."
            )
        ]
    if facts.judged_in == "windows":
        first = say(
            "The documents to be published are like those that were asked about; all estimates come from windows drawn at random in them, each judged by a model that had not seen its document."
        )
    else:
        frontier = facts.frontier
        first = say(
            "The documents to be published are like the labelled ones; all estimates come from {folds} by document, each sanitised by classifiers that never saw it.",
            folds=say("folds")
            if frontier is None
            else say("{n} folds", n=count(frontier.folds_dealt)),
        )
    return [
        first,
        say(
            "The labels are right: a sensitive word that the annotators missed counts as harmless here, for the publisher and for the attacker."
        ),
    ]


def _method(facts: TextFacts) -> tuple[Step, ...]:
    """Return the steps of the method where they are not those of labelled documents."""
    steps: tuple[str, ...] = ()
    if facts.judged_in == "nothing":
        steps = (
            say(
                "Each word is an instance. No document was labelled: rules decide what is redacted, and with the starter a model that was learned from public corpora; nothing was judged."
            ),
        )
    elif facts.judged_in == "windows":
        steps = (
            say(
                "Each word is an instance; a model learns from the answers, and what it points at is redacted, along with what people marked."
            ),
            say(
                "What is left is estimated from windows of text that were drawn at random and read, each judged by a model that had not seen its document."
            ),
        )
    return tuple(Step(step, "text-long", "3") for step in steps)


def _inference_words(facts: TextFacts) -> str:
    record = facts.attack_record
    found = None if record is None else record.inference
    if found is None or not found.cases:
        return say(
            "The attacker finds single words. Piecing a person together from harmless words (an inference from context) is not measured."
        )
    return say(
        "Who knows other documents of the same people guesses {right} of {cases} removed names from the words around them ({low}–{high}); without reading it would be {by_prior}.",
        right=count(found.right),
        cases=count(found.cases),
        low=percent(found.low),
        high=percent(found.high),
        by_prior=count(found.by_prior),
    )


def _here(facts: TextFacts) -> dict[str, str]:
    here = {}
    head, chosen, attacked = facts.headline, facts.chosen, facts.attacked
    if head is not None:
        here["text.found"] = say(
            "{head} of {budget} words, by attacker {reading}",
            head=to_places(head.found.found, 2),
            budget=count(head.budget),
            reading=say(head.reading),
        )
    if head is not None and head.random is not None and attacked is not None:
        left = attacked.left
        here["text.random"] = (
            f"{count(head.budget)} × {count(left.sensitive)} ÷ {count(left.words)} = {decimal(head.random)}"
        )
    if facts.bound is not None and facts.ratio is not None:
        here["text.bound"] = f"1 ÷ (1 + {decimal(facts.ratio)}) = {percent(facts.bound)}"
    if chosen is not None:
        here["text.total_loss"] = (
            f"{decimal(chosen.ratio)} × {count(chosen.leaked)} + {count(chosen.false_positives)} = "
            f"{count(chosen.total_loss)}"
        )
        if facts.frontier is not None and facts.frontier.sensitive_words:
            every = facts.frontier.sensitive_words
            here["text.risk"] = (
                f"{count(chosen.leaked)} ÷ {count(every)} = {percent(chosen.leaked / every)}"
            )
    return here
