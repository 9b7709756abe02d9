"""What the text engine's part says."""

from __future__ import annotations

from ...presentation.numbers import about, count, decimal, listed, percent, plural, span
from ..facts.model import Attack, Headline, RatioRow, TextPart
from .shared import (
    chosen_sentence,
    command,
    reference_grid,
    search_sentence,
    status_of,
    times,
    title_for,
    withheld_check,
)
from .story import Check, Grid, Stat, Story

__all__ = ["ATTACKER_NAMES", "noun", "text_story"]

ATTACKER_NAMES = {
    "A": "A: learns from the publisher's leftovers",
    "B": "B: learns from part of the release",
    "outside": "Outside: other corpora or another learner",
}
_WHO = {
    "A": "who learned from the publisher's own leftovers",
    "B": "who labelled part of the release and learned from it",
    "outside": "who brings other corpora or a learner that the publisher does not have",
}
_NOUNS = {"NAME": "name", "PERSON": "name", "PER": "name", "DATE": "date", "ID": "identifier",
          "LOCATION": "place name", "ADDRESS": "address"}  # fmt: skip
_THEOREMS = {
    "theorem 2": "False alarms for each true one (Theorem 2)",
    "theorem 3": "Most true positives (Theorem 3)",
    "lemma 2": "Gain of reading positives first, in words (Lemma 2)",
    "lemma 3": "Most gain over random reading (Lemma 3)",
    "theorem 4": "Most gain over random reading (Theorem 4)",
    "lemma 4": "Fewest false alarms for each true one, from a sample (Lemma 4)",
    "theorem 5": "Most true positives, from a sample (Theorem 5)",
    "theorem 6": "Most gain over random reading, from a sample (Theorem 6)",
}


def noun(part: TextPart) -> tuple[str, str]:
    """Name what is sensitive here: names, or sensitive words where there are several kinds."""
    if len(part.labels) == 1 and (one := _NOUNS.get(part.labels[0].upper())):
        return one, "addresses" if one == "address" else f"{one}s"
    return "sensitive word", "sensitive words"


def _finds(part: TextPart, head: Headline) -> str:
    one, many = noun(part)
    ranged = f" ({span(head.low, head.high)})" if span(head.low, head.high) else ""
    sentence = (
        f"An attacker who reads [[text.budget|{count(head.budget)} words]] finds about "
        f"[[text.found|{about(head.found)} {plural(head.found, one, many)}]]{ranged}"
    )
    if head.random is not None:
        sentence += f"; at random it would be [[text.random|{about(head.random)}]]"
    return sentence + "."


def _verdict(part: TextPart) -> list[str]:
    sentences = []
    _, many = noun(part)
    head, choice = part.headline, part.choice
    are, stay = ("are", "stay") if part.published else ("would be", "would stay")
    if head is not None:
        sentences.append(_finds(part, head))
        where = "the release itself" if part.attack_on == "the release" else "held-out documents"
        sentence = f"This is the strongest attacker that we ran, one {_WHO[head.attacker]}, measured on {where}"
        if head.before is not None and head.before_name is not None:
            against = "the unsanitised text" if head.before_name == "No sanitising" else (
                "a single pass" if head.before_name == "One pass" else "the literal algorithm of the paper")  # fmt: skip
            sentence += f"; against {against} it finds [[text.found|{about(head.before)}]]"
        sentences.append(sentence + ".")
    if choice is not None and choice.published is not None and choice.risk is not None:
        sentences.append(
            f"[[text.published|{percent(choice.published)}]] of the words {are} published; "
            f"[[text.risk|{percent(choice.risk)}]] of the {many} {stay} in the text."
        )
    elif part.chosen is not None:
        sentences.append(
            f"[[text.published|{percent(part.chosen.utility)}]] of the words {are} published; "
            f"[[text.risk|{percent(part.chosen.risk)}]] of the {many} {stay} in the text."
        )
    if (
        part.attack_on == "the release"
        and part.sensitive_left is not None
        and part.sensitive_before
    ):
        sentences.append(
            f"In this very release {count(part.sensitive_left)} of {count(part.sensitive_before)} {many} stay "
            f"({percent(part.sensitive_left / part.sensitive_before)}), as its labelled originals show."
        )
    return sentences


def _stats(part: TextPart) -> list[Stat]:
    found = []
    _, many = noun(part)
    if part.headline is not None:
        head = part.headline
        found.append(Stat(about(head.found), f"{many} found in {count(head.budget)} words read", "text.found", span(head.low, head.high)))  # fmt: skip
    if part.chosen is not None:
        ends = part.chosen.risk_interval
        note = f"{percent(ends[0])}–{percent(ends[1])}" if ends else ""
        found.append(Stat(percent(part.chosen.risk), f"of the {many} left", "text.risk", note))
        found.append(Stat(percent(part.chosen.utility), "of the words published", "text.published"))
    if part.choice is not None:
        found.append(Stat(f"{part.choice.ratio:g}", "loss ratio L/C", "text.ratio"))
    return found


def _over_bound(part: TextPart) -> list[tuple[Attack, int]]:
    """List where even the low end of what was found is above the bound."""
    assert part.bound is not None
    return [
        (attack, f.budget)
        for attack in part.attacks
        for f in attack.ranked
        if (f.found if f.low is None else f.low) > part.bound * f.budget
    ]


def _checks(part: TextPart) -> list[Check]:
    checks = []
    if part.attacks and part.bound is not None:
        over = _over_bound(part)
        if over:
            places = listed(sorted({f"{a.attacker} at {count(b)} words" for a, b in over}))
            checks.append(Check("look", f"Some attackers find clearly more than the bound C/(L+C) = {percent(part.bound)} of what they read ({places}): the bound assumes that they know no more than the publisher."))  # fmt: skip
        else:
            checks.append(Check("holds", f"No attacker finds clearly more than the bound C/(L+C) = {percent(part.bound)} of what it reads, at any budget."))  # fmt: skip
    if part.attacks and not part.background:
        checks.append(Check("open", "No labelled corpus from outside was given, to the publisher or to the attackers. A real attacker may have one and find several times more; --background includes it."))  # fmt: skip
    if part.fields_as_they_are and part.fields_from is None:
        checks.append(Check("look", f"Fields beside the text are published as they are: {listed(list(part.fields_as_they_are))}."))  # fmt: skip
    if part.mode == "paper":
        checks.append(Check("look", "Stopping was judged on the training data, as the paper prints it; held-out documents leak more than that judgement sees."))  # fmt: skip
    if part.learned_from_release:
        checks.append(Check("open", "The release holds documents that the classifiers learned from. Less stays in them than in documents that the classifiers have not seen, for which the estimates stand."))  # fmt: skip
    if not part.attacks:
        checks.append(Check("open", "No attack was run on this candidate."))
    checks += [c for c in [withheld_check(part)] if c]
    return checks


def _ratio_grid(part: TextPart) -> Grid | None:
    if not part.ratios:
        return None
    heads = (("L/C", "text.ratio"), ("Left", "text.risk"), ("Harmless redacted", "text.false_positives"), ("Total loss T", "text.total_loss"), ("Published", "text.published"), ("Rounds", "text.rounds"))  # fmt: skip

    def row(r: RatioRow) -> tuple[str, ...]:
        def shown(value: float | None) -> str:
            return "–" if value is None else count(value)

        published = "–" if r.published is None else percent(r.published)
        rounds = "–" if r.rounds is None else f"{r.rounds:g}"
        return f"{r.ratio:g}", shown(r.leaked), shown(r.false_positives), shown(r.total_loss), published, rounds  # fmt: skip

    marked = next((i for i, r in enumerate(part.ratios) if part.choice and r.id == part.choice.id), None)  # fmt: skip
    rows = tuple(row(r) for r in part.ratios)
    return Grid("What each loss ratio gives on held-out documents", heads, rows, marked)


def _attack_grid(part: TextPart) -> Grid | None:
    budgets = sorted({f.budget for a in part.attacks for f in a.ranked})
    if not budgets:
        return None
    heads = (("Attacker", "text.attackers"), ("Reads", None), *((f"B = {count(b)}", "text.found") for b in budgets))  # fmt: skip
    rows = []
    for attack in part.attacks:
        ways = (("best first", attack.ranked), ("positives first", attack.unordered))
        for way, found in ways:
            by = {f.budget: f for f in found}
            if by:
                cells = [
                    f"{about(f.found)} ({span(f.low, f.high)})" if f and span(f.low, f.high) else about(f.found) if f else "–"
                    for b in budgets
                    for f in [by.get(b)]
                ]  # fmt: skip
                by_whom = f" ({attack.learner})" if attack.learner not in {None, "other"} else ""
                rows.append((f"{ATTACKER_NAMES[attack.attacker]}{by_whom}", way, *cells))
    at_random = {f.budget: f.found for a in part.attacks for f in a.random}
    if at_random:
        rows.append(("Nobody's classifier", "at random", *(about(at_random[b]) if b in at_random else "–" for b in budgets)))  # fmt: skip
    if part.bound is not None:
        rows.append(("Bound C/(L+C)", "best first", *(about(part.bound * b) for b in budgets)))
    return Grid(f"{noun(part)[1].capitalize()} found, with 95% ranges, on {part.attack_on}", heads, tuple(rows))  # fmt: skip


def _bounds_grid(part: TextPart) -> Grid | None:
    rows = []
    for bound in part.bounds:
        if bound.name in _THEOREMS and bound.value is not None:
            broken = [a.name for a in bound.assumptions if a.holds is False]
            says = "conditions not met: " + ", ".join(broken) if broken else "vacuous here" if bound.vacuous else "applies"  # fmt: skip
            rows.append((_THEOREMS[bound.name], decimal(bound.value), says))
    heads = (("Guarantee", "text.theorems"), ("Value", None), ("Here", None))
    return Grid("The paper's guarantees, with their conditions", heads, tuple(rows)) if rows else None  # fmt: skip


def _attack_words(part: TextPart) -> list[str]:
    if not part.attacks:
        return [
            "No attack was run, so nothing is known about what an attacker with a classifier finds."
        ]
    sentences = [
        (
            "Each attacker trains a classifier, sorts the published words by its score and reads from the top. "
            "The chart shows how many of every 100 words read are sensitive, beside reading at random and the bound."
        )
    ]
    head = part.headline
    if head is not None and head.random:
        gain = head.found / head.random
        sentences.append(f"At {count(head.budget)} words the strongest attacker does {gain:.1f} times as well as reading at random.")  # fmt: skip
    if head is not None and head.before and head.found > 0:
        sentences.append(f"Against {head.before_name or 'another form'} the same attacker finds {about(head.before)} at the same budget: {times(head.before, head.found)} as many.")  # fmt: skip
    return sentences


def _cost_words(part: TextPart) -> list[str]:
    choice = part.choice
    if choice is None or choice.leaked is None or choice.false_positives is None:
        return []
    total = choice.total_loss or choice.ratio * choice.leaked + choice.false_positives
    here = (
        f"At L/C = [[text.ratio|{choice.ratio:g}]], [[text.risk|{count(choice.leaked)}]] {noun(part)[1]} stay and "
        f"[[text.false_positives|{count(choice.false_positives)}]] harmless words are redacted on held-out "
        f"documents: a total loss of [[text.total_loss|{count(total)}]]."
    )
    before = [
        f"{b.name} would lose {count(b.total_loss)}, {times(b.total_loss, total)} as much."
        for b in part.before
        if b.total_loss is not None and total
    ]
    return [here, *before]


def _assumptions(part: TextPart) -> list[str]:
    folds = f"{part.folds_dealt} folds by document" if part.folds_dealt else "folds by document"
    sentences = [
        f"The documents to be published are like the labelled ones; all estimates come from {folds}, each sanitised by classifiers that never saw it.",
        "The labels are right: a sensitive word that the annotators missed counts as harmless here, for the publisher and for the attacker.",
        "The attacker finds single words. Piecing a person together from harmless words (an inference from context) is not measured.",
        "The bound C/(L+C) presumes an attacker with the publisher's kinds of learners and no more data. Attackers who know more are measured, not bounded.",
    ]
    if part.background:
        sentences.append(f"{part.background} other labelled corpora were known to the publisher and to the attackers alike.")  # fmt: skip
    if part.attack_on == "held-out folds":
        sentences.append("The attack was run on held-out documents, not on the release itself: the release has no labels to judge it by.")  # fmt: skip
    return sentences


def _here(part: TextPart) -> dict[str, str]:
    here = {}
    head, choice = part.headline, part.choice
    if head is not None:
        here["text.found"] = (
            f"{head.found:.2f} of {count(head.budget)} words, by attacker {head.attacker}"
        )
        if head.random is not None:
            here["text.random"] = f"{head.random:.3g} of {count(head.budget)} words"
            if part.sensitive_left is not None and part.words_left:
                here["text.random"] = f"{count(head.budget)} × {count(part.sensitive_left)} ÷ {count(part.words_left)} = {head.random:.3g}"  # fmt: skip
    if part.bound is not None and choice is not None:
        here["text.bound"] = f"1 ÷ (1 + {choice.ratio:g}) = {percent(part.bound)}"
    if choice is not None and choice.leaked is not None:
        if part.sensitive:
            here["text.risk"] = f"{count(choice.leaked)} ÷ {count(part.sensitive)} = {percent(choice.leaked / part.sensitive)}"  # fmt: skip
        if choice.false_positives is not None and choice.total_loss is not None:
            here["text.total_loss"] = f"{choice.ratio:g} × {count(choice.leaked)} + {count(choice.false_positives)} = {count(choice.total_loss)}"  # fmt: skip
    return here


def _commands(part: TextPart) -> list[str]:
    explore: list[object] = [
        "sfumato",
        "text",
        "explore",
        part.inputs[0].name if part.inputs else "CORPUS",
    ]
    if part.labels:
        explore += ["--label", ",".join(part.labels)]
    if part.ratios:
        explore += ["--ratios", ",".join(f"{r.ratio:g}" for r in part.ratios)]
    for flag, value in (
        ("--folds", part.folds),
        ("--learner", part.learner),
        ("--mode", part.mode),
    ):
        if value is not None and value != "other":
            explore += [flag, value]
    commands = [command(*explore, "--seed", part.seed, "--out", "exploration")]
    if part.published and part.choice is not None:
        publish: list[object] = ["sfumato", "text", "publish", "exploration", part.published_from[0].name if part.published_from else "INPUT", "--ratio", f"{part.choice.ratio:g}"]  # fmt: skip
        if part.replace:
            publish += ["--replace", part.replace]
        commands.append(command(*publish, "--out", "release"))
    return commands


def text_story(part: TextPart) -> Story:
    """Tell the text part."""
    story = Story(part.id, "text", title_for("Text", part), status_of(part))
    story.verdict, story.stats, story.checks = _verdict(part), _stats(part), _checks(part)
    story.published = [chosen_sentence(part)]
    if part.redactions:
        kinds = listed([f"{count(n)} of {k}" for k, n in part.redactions.items()])
        story.published.append(f"Redactions by kind: {kinds}.")
    elif part.labels:
        story.published.append(f"Sensitive here: {listed(list(part.labels))}.")
    if part.fields_as_they_are:
        names = listed(list(part.fields_as_they_are))
        how = "are published as the table part of this report treated them" if part.fields_from else "are published as they are"  # fmt: skip
        story.published.append(f"Other fields {how}: {names}.")
    if part.counts:
        story.published.append("Counted while publishing: " + listed([f"{count(n)} {k.replace('_', ' ')}" for k, n in sorted(part.counts.items()) if n and k != "withheld"]) + ".")  # fmt: skip
    story.tradeoff = [search_sentence(part, "text"), "Each point is one loss ratio L/C: further left, fewer sensitive words stay; further up, more of the text is published."]  # fmt: skip
    story.attack, story.cost = _attack_words(part), _cost_words(part)
    story.assumptions, story.here, story.commands = _assumptions(part), _here(part), _commands(part)
    grids = {"ratios": _ratio_grid(part), "attack": _attack_grid(part), "bounds": _bounds_grid(part),
             "references": reference_grid(part, "text", "Sensitive words left", "Words published")}  # fmt: skip
    story.grids = {k: g for k, g in grids.items() if g is not None}
    return story
